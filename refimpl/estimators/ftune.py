"""scikit-learn estimators over FTUNE: Kar & Jain, "Similarity-based Learning via Data Driven Embeddings" (2011).

X is a table of vectors, a square matrix of similarities (``kernel="precomputed"``; with ``distance=True`` of distances)
or, for a kernel that is a function, any sequence of objects: strings, sets, images.
"""

from functools import partial

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from refimpl.checks import as_count, as_number, one_of
from refimpl.estimators.arguments import as_random_generator, classes_of, kernels_named
from refimpl.estimators.spaces import as_query_objects, as_training_objects, is_matrix
from refimpl.ftune import BIAS, CS, SLOPES, bbs, diverse_landmarks, dselect, ftune, random_landmarks
from refimpl.ftune.arguments import as_class_weights, as_costs, as_family, as_transfer
from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance, select
from refimpl.ftune.space import landmarked

SELECTIONS = ("fresh", "random", "diverse")
ALWAYS = 30  # so many landmark pairs are never too many: the default suits few objects too


class _WithKernel(BaseEstimator):
    """What the estimators share: X in the form that the kernel takes, and the similarity."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_matrix(self.kernel)
        return tags

    def _training_objects(self, X):
        return as_training_objects(self, X, self.kernel, 2, "2 at least are needed")

    def _queries(self, X):
        check_is_fitted(self)
        return as_query_objects(self, X, self.kernel)

    def _similarity(self, X, rng):
        """K over the training objects X."""
        params = {} if self.kernel_params is None else dict(self.kernel_params)
        if callable(self.kernel):
            return Similarity(partial(self.kernel, **params), X, distance=self.distance)
        if not isinstance(self.kernel, str):
            raise TypeError(f"kernel is {self.kernel!r}; it must be 'precomputed', a kernel's name or a function")
        if is_matrix(self.kernel):
            if params:
                raise ValueError(f"kernel_params holds {sorted(params)}; kernel='precomputed' takes None")
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"X has shape {X.shape}; with kernel='precomputed' it must be square")
            return Similarity(X, distance=self.distance)
        if self.distance:
            raise ValueError(f"distance is True; it must be False, as kernel {self.kernel!r} is a similarity")
        if self.kernel == "gaussian":
            width = params.pop("width", None)
            if params:
                raise ValueError(f"kernel_params holds {sorted(params)}; kernel='gaussian' takes 'width' alone")
            return Similarity(Gaussian(_width(X, rng) if width is None else width, X), X, pairwise=True)
        if self.kernel not in PAIRWISE_KERNEL_FUNCTIONS:
            known = ", ".join(map(repr, ["gaussian", "precomputed", *sorted(PAIRWISE_KERNEL_FUNCTIONS)]))
            raise ValueError(f"kernel: {self.kernel!r} is unknown; it must be a function or one of {known}")
        return Similarity(partial(_named_kernel, metric=self.kernel, **params), X, pairwise=True)

    def _chosen(self, K, places, d, rng):
        """Landmark pairs for the classes `places`."""
        if self.selection == "diverse":
            return dselect(K, places, d, rng, kernels=kernels_named(self.kernels), threads=self.threads)
        return random_landmarks(places, d, rng, pool=self.selection == "random")

    def _check_selection(self):
        one_of(self.selection, SELECTIONS, "selection")
        return as_random_generator(self.random_state), kernels_named(self.kernels)

    def _keep_landmarks(self, K):
        """Keep of the training objects the landmarks alone; of a given matrix nothing: queries bring their rows."""
        matrix = is_matrix(self.kernel)
        self._K = _Rows(len(K), self.distance) if matrix else K.restricted(self.landmarks_)
        self._columns = self.landmarks_ if matrix else np.arange(len(self.landmarks_))

    def _to_landmarks(self, X):
        """K from new objects to the landmarks, shape (m, r)."""
        X = self._queries(X)
        return self._K.between(X, self._columns)


class _Rows(Similarity):
    """What is left of a matrix when the training is done: queries' rows to n objects."""

    def __init__(self, n, distance):
        self.computed, self.distance, self._K, self.objects = 0, distance, None, range(n)


def _width(X, rng):
    width = mean_distance(X, rng=rng)
    return width if width > 0 else 1.0  # all points are equal


def _named_kernel(A, B, *, metric, **params):
    return pairwise_kernels(A, B, metric=metric, **params)


def _require_pairs(d, places, name):
    """Refuse more landmark pairs than the largest problem has: of an object of a class and one of another."""
    sizes = np.bincount(places)
    most = int((sizes * (len(places) - sizes)).max())
    if d > max(most, ALWAYS):
        raise ValueError(
            f"{name} must be at most {max(most, ALWAYS)}, as {len(places)} training objects have at most {most} pairs "
            f"of a class and the others; got {d}"
        )


def _two_classes_of(y, X):
    classes, places = classes_of(y, X)
    if len(classes) < 2:
        raise ValueError("y has one class; at least two classes are needed")
    return classes, places


def _is_logistic(estimator):
    if estimator.loss != "logistic":
        raise AttributeError(f"predict_proba needs loss='logistic'; loss is {estimator.loss!r}")
    return True


class FTuneClassifier(ClassifierMixin, _WithKernel):
    """A linear classifier on landmarked similarities, under the transfer function that suits the data: FTUNE.

    By default each class is told from the rest by 30 fresh random landmark pairs, and all classes share the ramp that
    is most accurate on held out points. The classes share no landmarks, so a new object is compared with up to 60
    others for each class; ``selection="random"`` and ``"diverse"`` need 30 in all.

    Source: Kar & Jain (2011), Algorithms 1 and 2. The similarity may be any: neither symmetric nor positive
    semidefinite. Similarities beyond [-1, 1] are divided by the largest, with a warning unless `bound` is given.

    Parameters
    ----------
    n_landmarks : int, default 30
        Landmark pairs for each class, and landmarks where all classes share them; of these with fewer objects all.
        More pairs than the objects have are refused, unless they are 30 at most.
    selection : {"fresh", "random", "diverse"}, default "fresh"
        "fresh": random pairs of objects, others for each class (Algorithm 2, line 1). "random", "diverse": pairs out of
        common landmarks, random ones or DSELECT's ("+D"); with many classes less accurate, and cheaper. Without `pairs`
        "fresh" are any landmarks, "random" one of each class at least.
    slopes : sequence of floats or callables, optional
        Transfer functions to choose from: slopes of ramps (infinity: the sign), or antisymmetric functions of an array.
        By default those of § 3, 1 to 1000.
    pairs : bool, default True
        False makes it BBS: one landmark in the place of a pair, and no transfer function.
    per_class : bool, default False
        Whether each class chooses its own transfer function ("-M") or all share one ("-S").
    class_weight : dict, "balanced" or None, default None
        What the losses, and the points held out, of each class count: a positive number for each label, 1 where it has
        none; "balanced" is n / (n_classes n_c) for the n_c points of class c.
    loss : {"squared_hinge", "hinge", "logistic"}, default "squared_hinge"
    C : float or sequence of floats, optional
        What the losses count; the best on the validation set is taken. By default 1, 10, 100 and 1000. C times a class
        weight must be between 1e-100 and 1e12.
    bias : float, default 1.0
        Value of a constant feature with a penalised weight; 0: none.
    choose : {"validation", "training"}, default "validation"
        What the transfer function is best in.
    validation : float, default 0.2
        Share of each class that is held out for the choice. Where that leaves nothing to hold out, the training points
        themselves decide.
    kernel : str or callable, default "gaussian"
        "gaussian" (its width is the mean distance of the points, § 3.2), "precomputed" (X holds K from row to column),
        a name that ``sklearn.metrics.pairwise.pairwise_kernels`` knows, or ``kernel(x, x')``. With a callable X may be
        any sequence of objects.
    kernel_params : dict, optional
        Further arguments of the kernel; ``{"width": ...}`` for "gaussian".
    distance : bool, default False
        Whether a callable or precomputed kernel is a distance.
    bound : float, optional
        sup |K|; see :func:`refimpl.ftune.ftune`.
    kernels : {"reference", "fast"}, default "reference"
        The results are the same to the last bit.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        For the landmarks and the points held out.
    threads : int, optional
        None for all. The result does not depend on it.
    max_memory : int, optional
        Bytes that the training may take; see :func:`refimpl.ftune.estimate_memory`.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    model_ : refimpl.ftune.space.LandmarkClassifier
        A new object costs ``len(model_.landmarks)`` similarities.
    landmarks_ : ndarray, shape (r,), int64
        The landmarks as places in X, ascending.
    slopes_ : ndarray, shape (1 or n_classes,), float64
        Slope of the chosen transfer function, NaN for a function that is no ramp.
    n_similarities_ : int
        Look-ups of K that ``fit`` made.
    n_features_in_ : int
        Unless X is a sequence of objects.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import FTuneClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FTuneClassifier(n_landmarks=15, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self, n_landmarks=30, *, selection="fresh", slopes=None, pairs=True, per_class=False, loss="squared_hinge",
        C=None, bias=BIAS, choose="validation", validation=0.2, class_weight=None, kernel="gaussian",
        kernel_params=None, distance=False, bound=None, kernels="reference", random_state=None, threads=None,
        max_memory=None,
    ):  # fmt: skip
        self.n_landmarks = n_landmarks
        self.selection = selection
        self.slopes = slopes
        self.pairs = pairs
        self.per_class = per_class
        self.loss = loss
        self.C = C
        self.bias = bias
        self.choose = choose
        self.validation = validation
        self.class_weight = class_weight
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.distance = distance
        self.bound = bound
        self.kernels = kernels
        self.random_state = random_state
        self.threads = threads
        self.max_memory = max_memory

    def fit(self, X, y):
        """Choose landmarks and a transfer function, and train.

        Parameters
        ----------
        X : array_like, shape (n, n_features); (n, n) with kernel="precomputed"; n objects with a callable
        y : array_like, shape (n,)
            Two classes at least.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If an argument does not fit.
        MemoryError
            If the training could take more than `max_memory`; raised before it starts.
        """
        rng, kernels = self._check_selection()
        d = as_count(self.n_landmarks, "n_landmarks")
        C = as_costs(CS if self.C is None else self.C)
        X = self._training_objects(X)
        classes, places = _two_classes_of(y, X)
        weights = self._class_weight(classes, places, C)
        kept, held = self._split(places, rng)
        if self.pairs:
            _require_pairs(d, places[kept], "n_landmarks")
        else:
            d = min(d, len(kept))
        K = self._similarity(X, rng)
        inner = _Part(K, kept)
        P = self._chosen(inner, places[kept], d, rng)
        options = {
            "class_weight": weights, "loss": self.loss, "C": C, "bias": self.bias, "bound": self.bound,
            "validation": (select(K.objects, held), places[held]), "kernels": kernels, "threads": self.threads,
            "max_memory": self.max_memory,
        }  # fmt: skip
        if self.pairs:
            F = SLOPES if self.slopes is None else as_family(self.slopes, "slopes")
            self.model_ = ftune(inner, places[kept], P, F=F, choose=self.choose, per_class=self.per_class, **options)
        else:
            self.model_ = bbs(inner, places[kept], P.L[:d], **options)
        self.landmarks_, self.n_similarities_ = kept[self.model_.landmarks], K.computed
        self.slopes_ = self.model_.slopes[self.model_.f] if self.pairs else np.full(len(self.model_.w), np.nan)
        self.classes_ = classes
        self._keep_landmarks(K)
        return self

    def _class_weight(self, classes, places, C):
        """What the losses of each class count, by its place."""
        given = self.class_weight
        if given is None:
            return None
        if isinstance(given, str) and given == "balanced":
            weights = len(places) / (len(classes) * np.bincount(places))
            given = dict(zip(classes.tolist(), weights.tolist(), strict=True))
        elif not isinstance(given, dict):
            wrong = ValueError if isinstance(given, str) else TypeError
            raise wrong(f"class_weight must be a dict of label -> positive number, 'balanced' or None; got {given!r}")
        return dict(enumerate(as_class_weights(self._of_classes(given, classes), classes, C).tolist()))

    def _of_classes(self, given, classes):
        """The given weights of the classes of y. As in scikit-learn others may be given if no class is without."""
        known = classes.tolist()
        if all(c in given for c in known):
            return {c: given[c] for c in known}
        unknown = [label for label in given if label not in known]
        if unknown:
            raise ValueError(f"class_weight must have the labels of y; got {unknown[0]!r}, y has {known[:10]}")
        return given

    def _split(self, places, rng):
        """Points that train and points that are held out; each class keeps one at least."""
        share = as_number(self.validation, "validation", below=1.0)
        held = np.zeros(len(places), dtype=bool)
        for c in range(places.max() + 1):
            members = rng.permutation(np.flatnonzero(places == c))
            held[members[: min(round(share * len(members)), len(members) - 1)]] = True
        kept = np.flatnonzero(~held)
        return kept, np.flatnonzero(held) if held.any() else kept

    def decision_function(self, X):
        """Return g(x) of each class, shape (m, n_classes); of two classes that of the second, shape (m,)."""
        S = self._to_landmarks(X)
        g = self.model_.decision(S, kernels=kernels_named(self.kernels), threads=self.threads)
        return g[:, 0] if len(self.classes_) == 2 else g

    @available_if(_is_logistic)
    def predict_proba(self, X):
        """Return the probabilities of the classes, shape (m, n_classes); with ``loss="logistic"`` alone.

        Of two classes 1 / (1 + exp(-g)) is that of the second. Of more, each class's own, told from the rest, divided
        by their sum.
        """
        P = expit(self.decision_function(X))
        if P.ndim == 1:
            return np.column_stack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        return np.divide(P, total, out=np.full_like(P, 1 / P.shape[1]), where=total > 0)

    def predict(self, X):
        """Return the classes of X, m objects in the form that ``fit`` takes (rows of n similarities if precomputed)."""
        g = self.decision_function(X)
        return self.classes_[(g > 0).astype(np.int64) if g.ndim == 1 else g.argmax(axis=1)]


class _Part(Similarity):
    """K over some of the training objects."""

    def __init__(self, whole, members):
        self._whole, self._members = whole, members
        self.objects = members

    computed = property(lambda self: self._whole.computed)

    def within(self, rows, references):
        rows = self._members if rows is None else self._members[rows]
        return self._whole.within(rows, self._members[references])

    def between(self, queries, references):
        return self._whole.between(queries, self._members[references])


class LandmarkTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _WithKernel):
    """Objects as their similarities to a few landmarks, or as transferred differences to pairs of them.

    Source: Kar & Jain (2011), § 2. Similarities are not scaled.

    Parameters
    ----------
    n_components : int, default 30
        Landmarks, all objects at most; with `slope` pairs for each problem: one for two classes, one for each of more
        classes. More pairs than the objects have are refused, unless they are 30 at most.
    slope : float, callable, optional
        None: the similarities themselves (Balcan & Blum). Else f(K(x, x+) - K(x, x-)) with a ramp of that slope
        (infinity: the sign) or the given function; needs classes y.
    selection : {"fresh", "random", "diverse"}, default "fresh"
        With `slope` as for :class:`FTuneClassifier`: fresh pairs compare an object with up to 2 `n_components` others
        for each problem, the others with `n_components` in all. Without `slope` "fresh" and "random" are random
        landmarks, and "diverse" those of DSELECT, which does not look at classes then.
    kernel, kernel_params, distance, kernels, random_state, threads
        As for :class:`FTuneClassifier`.

    Attributes
    ----------
    landmarks_ : ndarray, shape (r,), int64
        Places in X, ascending.
    plus_, minus_ : ndarray, shape (n_features_out,), int64
        Landmarks of each feature as places in `landmarks_`; `minus_` is None without `slope`.
    n_similarities_ : int
        Look-ups of K that ``fit`` made.
    n_features_in_ : int
        Unless X is a sequence of objects.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import LandmarkTransformer
    >>> X, _ = load_iris(return_X_y=True)
    >>> LandmarkTransformer(n_components=5, random_state=0).fit(X).transform(X).shape
    (150, 5)
    """

    def __init__(
        self, n_components=30, *, slope=None, selection="fresh", kernel="gaussian", kernel_params=None,
        distance=False, kernels="reference", random_state=None, threads=None,
    ):  # fmt: skip
        self.n_components = n_components
        self.slope = slope
        self.selection = selection
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.distance = distance
        self.kernels = kernels
        self.random_state = random_state
        self.threads = threads

    def fit(self, X, y=None):
        """Choose the landmarks.

        Parameters
        ----------
        X : array_like, shape (n, n_features); (n, n) with kernel="precomputed"; n objects with a callable
        y : array_like, shape (n,), optional
            Classes; needed with `slope`, and not looked at without.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If an argument does not fit.
        """
        rng, kernels = self._check_selection()
        d = as_count(self.n_components, "n_components")
        X = self._training_objects(X)
        if self.slope is not None:
            as_transfer(self.slope, "slope")
        if self.slope is not None and y is None:
            raise ValueError("y is None; pairs of landmarks (slope=...) need classes, slope=None does not")
        if self.slope is not None:
            places = _two_classes_of(y, X)[1]
            _require_pairs(d, places, "n_components")
        K = self._similarity(X, rng)
        if self.slope is None:
            if self.selection == "diverse":
                plus = diverse_landmarks(K, d, rng, kernels=kernels, threads=self.threads)
            else:
                plus = rng.choice(len(X), min(d, len(X)), replace=False)
            self.landmarks_, self.plus_ = np.unique(plus, return_inverse=True)
            self.minus_ = None
        else:
            P = self._chosen(K, places, d, rng)
            both = np.concatenate([P.plus.ravel(), P.minus.ravel()])
            self.landmarks_, both = np.unique(both, return_inverse=True)
            self.plus_, self.minus_ = np.split(both.astype(np.int64), 2)
        self.n_similarities_ = K.computed
        self._keep_landmarks(K)
        return self

    def transform(self, X):
        """Phi_L(x): ndarray, shape (m, n_features_out)."""
        S = self._to_landmarks(X)
        if self.minus_ is None:
            return S[:, self.plus_]
        kernels, F = kernels_named(self.kernels), [as_transfer(self.slope, "slope")]
        return landmarked(S, self.plus_, self.minus_, F, kernels=kernels, threads=self.threads)[0]

    @property
    def _n_features_out(self):
        return len(self.plus_)
