"""A scikit-learn estimator over FTUNE of Kar & Jain (2011).

X is a table of vectors or a square matrix of similarities (``kernel="precomputed"``; a matrix of
distances with ``distance=True``). If the kernel is a function, X may be any sequence of objects:
strings, sets, images.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import scipy
from sklearn.utils.metaestimators import available_if

from refimpl.checks import as_count, as_flag, as_number
from refimpl.estimators.arguments import (
    agreeing,
    all_or_nothing,
    classes_of,
    described,
    options_from,
    work_of,
)
from refimpl.estimators.bases import ClassifierMixin
from refimpl.estimators.similarities import KernelEstimator, Part, at_most_all, require_pairs
from refimpl.ftune import BIAS, CS, SLOPES, FTuneOptions, bbs, ftune
from refimpl.ftune.linear_models import LossName
from refimpl.ftune.model import as_costs, require_class_weight
from refimpl.ftune.problems import as_class_weights
from refimpl.ftune.similarities import Objects, TransferFunction, select
from refimpl.progress import Callback
from refimpl.typing import ArrayLike, FloatArray, IntArray, KernelsName, Labels


def _is_logistic(estimator: "FTuneClassifier") -> bool:
    if estimator.loss != "logistic":
        raise AttributeError(f"loss must be 'logistic' for predict_proba; got {estimator.loss!r}")
    return True


@described("refimpl.ftune", FTuneOptions)
@dataclass(eq=False, repr=False)
class FTuneClassifier(ClassifierMixin, KernelEstimator):
    """Classify by similarities to landmarks, under the best transfer function: FTUNE.

    A *landmark* is a training object that all objects are compared with. A *landmark pair* is a
    landmark of a class and a landmark of another class. A *transfer function* is applied to the
    difference of an object's similarities to the two landmarks of a pair; a ramp is an example.

    By default a linear classifier for each class separates it from the rest. Its features come from
    30 random landmark pairs, and all classes share the ramp that is most accurate on points held
    out from the training. Each class has its own pairs, so a new object is compared with up to 60
    objects for each class. With ``selection="random"`` or ``"diverse"`` a new object is compared
    with 30 objects in all.

    Source: Kar & Jain (2011), Algorithms 1 and 2. The similarity may be any function. It need be
    neither symmetric nor positive semidefinite. If similarities exceed 1 in magnitude, all are
    divided by the largest magnitude, with a warning unless `bound` is set.

    Parameters
    ----------
    n_landmarks : int, default 30
        The number of landmark pairs for each class, and of landmarks if all classes share them.
        With fewer objects all of them are landmarks. A number above 30 must not exceed the number
        of different pairs that the objects have.
    selection : {"fresh", "random", "diverse"}, default "fresh"
        How landmarks are chosen. "fresh": each class draws its own random pairs from all objects
        (Algorithm 2, line 1). "random" and "diverse": all classes draw their pairs from the same
        landmarks, which are random or those of DSELECT ("+D"). Both make predictions cheaper, but
        less accurate with many classes. With ``pairs=False`` "fresh" draws any landmarks, and
        "random" draws at least one of each class.
    per_problem : bool, default False
        With ``selection="diverse"``: whether DSELECT chooses landmarks for each class separately;
        see :func:`refimpl.ftune.dselect`.
    family
        As for :class:`refimpl.ftune.FTuneOptions`.
    pairs : bool, default True
        False trains BBS instead: its features are the similarities to single landmarks, without a
        transfer function.
    per_class, loss, C, bias, choose
        As for :class:`refimpl.ftune.FTuneOptions`.
    validation : float, default 0.2
        The share of the points of each class that is held out for the choice. If no point can be
        held out, the training points are used for the choice.
    class_weight : dict, "balanced" or None, default None
        The weight of each class in the training loss and in the validation accuracy: a dict of
        label -> positive number, in which a missing label has weight 1. "balanced" gives class c
        the weight n / (n_classes n_c), where n_c is its number of points.
    kernel : str or callable, default "gaussian"
        The similarity K: "gaussian" (its width is the mean distance of the points, § 3.2),
        "precomputed" (X holds K from row to column), a name that
        ``sklearn.metrics.pairwise.pairwise_kernels`` knows, or a function ``kernel(x, x')``. With a
        function X may be any sequence of objects.
    kernel_params : dict, optional
        Further arguments of the kernel; ``{"width": ...}`` for "gaussian".
    distance : bool, default False
        Whether a callable or precomputed kernel is a distance instead of a similarity.
    bound
        As for :class:`refimpl.ftune.FTuneOptions`.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        The source of random numbers; pass an integer to get the same result from each ``fit``. It
        draws the landmarks and the points that are held out.
    kernels, n_jobs
        As for all estimators.
    callback : callable, optional
        ``callback(step)`` is called with a :class:`refimpl.Step` after each one-vs-all problem;
        ``step.label`` is the index of the class in `classes_`. If it returns True, the other
        classes are not trained and are never predicted. See :func:`refimpl.ftune.ftune`.
    max_memory
        As for all estimators.

    Attributes
    ----------
    model_ : refimpl.ftune.LandmarkClassifier
        The trained model. A new object takes ``len(model_.landmarks)`` similarities.
    classes_ : ndarray, shape (n_classes,)
        The class labels, in ascending order.
    landmarks_ : ndarray, shape (r,), int64
        The rows of X that are landmarks, in ascending order.
    slopes_ : ndarray, shape (1 or n_classes,), float64
        The slopes of the chosen transfer functions; NaN for a function that is not a ramp.
    n_similarities_ : int
        The number of values of K that ``fit`` looked up.
    n_features_in_ : int
        The number of columns of X in ``fit``; not set if X is a sequence of objects.

    See Also
    --------
    LandmarkTransformer : The features alone.
    refimpl.ftune.ftune : The training.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import FTuneClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FTuneClassifier(n_landmarks=15, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    n_landmarks: int = 30
    _: KW_ONLY
    selection: Literal["fresh", "random", "diverse"] = "fresh"
    per_problem: bool = False
    family: TransferFunction | Sequence[TransferFunction] = SLOPES
    pairs: bool = True
    per_class: bool = False
    loss: LossName = "squared_hinge"
    C: float | Sequence[float] = CS
    bias: float = BIAS
    choose: Literal["validation", "training"] = "validation"
    validation: float = 0.2
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    kernel: str | Callable[..., Any] = "gaussian"
    kernel_params: dict[str, Any] | None = None
    distance: bool = False
    bound: float | None = None
    random_state: Any = None
    kernels: KernelsName | None = None
    n_jobs: int | None = -1
    callback: Callback | None = None
    max_memory: int | None = None

    @all_or_nothing
    def fit(self, X: ArrayLike | Objects, y: ArrayLike) -> Self:
        """Choose landmarks and a transfer function, and train; return the estimator itself.

        X has shape (n, n_features), or (n, n) with ``kernel="precomputed"``; with a callable it is
        a sequence of n objects. The classes y, shape (n,), are at least two.
        """
        rng, work = self._check_selection()
        d = as_count(self.n_landmarks, "n_landmarks")
        pairs = as_flag(self.pairs, "pairs")
        options = options_from(self, FTuneOptions, class_weight=None)
        X = self._training_objects(X)
        classes, places = classes_of(y, X, 2)
        options = replace(options, class_weight=self._class_weight(classes, places))
        training, validating = self._split(places, rng)
        if pairs:
            require_pairs(d, places[training], "n_landmarks")
        else:
            d = at_most_all(d, len(training), "n_landmarks")
        K = self._similarity(X, rng)
        inner = Part(K, training)
        landmarks = self._chosen(inner, places[training], d, rng)
        keywords: dict[str, Any] = {
            "validation": (select(K.objects, validating), places[validating]),
            "options": options,
            "callback": self.callback,
            "max_memory": self.max_memory,
            **work,
        }
        if pairs:
            self.model_ = ftune(inner, places[training], landmarks, **keywords)
            self.slopes_ = self.model_.slopes[self.model_.f]
        else:
            self.model_ = bbs(inner, places[training], landmarks.L[:d], **keywords)
            self.slopes_ = np.full(len(self.model_.w), np.nan)
        self.landmarks_ = training[self.model_.landmarks]
        self.n_similarities_ = K.computed
        self.classes_ = classes
        self._keep_landmarks(K)
        return self

    def _class_weight(self, classes: Labels, places: IntArray) -> dict[int, float] | None:
        """Return the weight of each class, by its index."""
        weights: Any = self.class_weight
        if weights is None:
            return None
        if isinstance(weights, str) and weights == "balanced":
            shares = len(places) / (len(classes) * np.bincount(places))
            weights = dict(zip(classes.tolist(), shares.tolist(), strict=True))
        elif not isinstance(weights, Mapping):
            wrong = ValueError if isinstance(weights, str) else TypeError
            raise wrong(
                "class_weight must be a dict of label -> positive number, 'balanced' or None; "
                f"got {weights!r}"
            )
        by_label = _of_classes(weights, classes)
        require_class_weight(by_label, as_costs(self.C))
        of_places = as_class_weights(by_label, classes)
        return None if of_places is None else dict(enumerate(of_places.tolist()))

    def _split(self, places: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the points to train with, at least one of each class, and those held out."""
        share = as_number(self.validation, "validation", below=1.0)
        validates = np.zeros(len(places), dtype=bool)
        for c in range(places.max() + 1):
            members = rng.permutation(np.flatnonzero(places == c))
            validates[members[: min(round(share * len(members)), len(members) - 1)]] = True
        training = np.flatnonzero(~validates)
        return training, np.flatnonzero(validates) if validates.any() else training

    def decision_function(self, X: ArrayLike | Objects) -> FloatArray:
        """Return g(x) of each class: float64, shape (m, n_classes).

        X holds m objects in the form that ``fit`` takes (rows of n similarities if precomputed).
        With two classes the shape is (m,), and g is positive for the second class. A class that is
        not trained, because the callback ended the training, has -inf.
        """
        S = self._to_landmarks(X)
        g = self.model_.decision(S, **work_of(self))
        if len(self.classes_) == 2:
            return g[:, 0]
        if g.shape[1] == len(self.classes_):
            return g
        of_all = np.full((len(g), len(self.classes_)), -np.inf)
        of_all[:, self.model_.classes] = g
        return of_all

    @available_if(_is_logistic)  # type: ignore[untyped-decorator]  # scikit-learn has no hints
    def predict_proba(self, X: ArrayLike | Objects) -> FloatArray:
        """Return the probabilities of the classes, (m, n_classes); only with ``loss="logistic"``.

        With two classes the probability of the second class is 1 / (1 + exp(-g)). With more classes
        this value is computed from the g of each class, and divided by the sum over the classes. X
        is that of :meth:`decision_function`. With another loss there is an AttributeError.
        """
        g = self.decision_function(X)
        if g.ndim == 1:
            P: FloatArray = np.column_stack([scipy.special.expit(-g), scipy.special.expit(g)])
        else:  # by logarithms, as all may vanish
            P = scipy.special.softmax(scipy.special.log_expit(g), axis=1)
        return agreeing(P, self._places(g))

    def predict(self, X: ArrayLike | Objects) -> Labels:
        """Return the classes, shape (m,), of X, which is that of :meth:`decision_function`."""
        places = self._places(self.decision_function(X))
        labels: Labels = self.classes_[places]
        return labels

    def _places(self, g: FloatArray) -> IntArray:
        """Return the index of the class that g is for."""
        places: IntArray = (g > 0).astype(np.int64) if g.ndim == 1 else g.argmax(axis=1)
        return places


def _of_classes(weights: Mapping[Any, float], classes: Labels) -> Mapping[Any, float]:
    """Return the weights of the classes of y."""
    # as in scikit-learn, weights of other labels are ignored if every class of y has a weight
    labels = classes.tolist()
    if all(c in weights for c in labels):
        return {c: weights[c] for c in labels}
    unknown = [label for label in weights if label not in labels]
    if unknown:
        raise ValueError(
            f"class_weight must have the labels of y, such as {labels[:10]}; got {unknown[0]!r}"
        )
    return weights
