"""scikit-learn estimators over BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005).

What the paper leaves open is read here so:

* Training objects and candidates (§ 11: 5,000 each) are drawn at random, the fewer among the more: so the
  max(n_training_objects, n_candidates)^2 distances between those are all that the training needs.
* By default there are 40 triples for each training object, the paper's 200,000 for its 5,000; a coordinate is asked for
  20 candidates, as there, but 8 at least; § 7.3 has 20 rounds for each coordinate at most, and the second phase one.
* Without classes k' is 50: § 10's k' = 4 takes objects that far for the 10 classes of MNIST.
* An object without another of its class is in no selective triple; it may be a candidate, and it may vote.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative

from refimpl.boostmap import boostmap, embedding, require_ordinary
from refimpl.boostmap.triples import nearby_triples, random_triples, selective_triples
from refimpl.checks import as_count, one_of
from refimpl.estimators.arguments import as_random_generator, classes_of, kernels_named
from refimpl.estimators.spaces import QueryRows, as_query_objects, as_training_objects, is_matrix, space_of
from refimpl.spaces import PrecomputedSpace
from refimpl.spaces.retrieval import FilterAndRefine, vote

LEAST = 3  # objects of a triple
SIZES = {"n_training_objects": 5000, "n_candidates": 5000, "n_components": 256}  # § 11
ROUNDS_PER_COMPONENT = 20
TRIPLES_PER_OBJECT = 40  # § 11: 200,000 of 5,000 objects
K_MOST = {"selective": 4, "nearby": 50}  # § 11.3
TRIPLES, TARGETS = ("selective", "random", "nearby"), ("classes", "distances")


class _Trained(BaseEstimator):
    """What both estimators share: the training, and the vectors of the objects that it was given."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = is_matrix(self.metric)
        return tags

    def _training_objects(self, X):
        X = as_training_objects(self, X, self.metric, LEAST, f"a triple needs {LEAST}")
        if is_matrix(self.metric):
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"X with metric='precomputed' has shape {X.shape}; it must be square, the distances between all "
                    "objects of fit"
                )
            check_non_negative(X, f"{type(self).__name__}.fit: with metric='precomputed' X must hold distances")
        return X

    def _uses_classes(self):
        one_of(self.triples, TRIPLES, "triples")
        one_of(self.target, TARGETS, "target")
        return self.triples == "selective" or self.target == "classes"

    def _counts(self, n):
        """The sizes of the training for n objects: none is larger than these allow."""
        n_t, n_C, d = (getattr(self, name) for name in SIZES)
        n_t = min(n, 5000 if n_t is None else as_count(n_t, "n_training_objects", LEAST))
        n_C = min(n, 5000 if n_C is None else as_count(n_C, "n_candidates", 2))
        d = min(n_C, max(8, n_C // 20), SIZES["n_components"]) if d is None else as_count(d, "n_components")
        t = TRIPLES_PER_OBJECT * n_t if self.n_triples is None else as_count(self.n_triples, "n_triples")
        extra = d if self.query_sensitive is None else as_count(self.query_sensitive, "query_sensitive", 0)
        rounds = ROUNDS_PER_COMPONENT * d if self.max_rounds is None else as_count(self.max_rounds, "max_rounds")
        return n_t, n_C, d, t, extra, rounds

    def _train(self, X, members, rng):
        """Learn the embedding of the objects X with the classes `members` (0, 1, ...; or None).

        Returns the places of the objects between which distances were computed, and their vectors.
        """
        kernels, space = kernels_named(self.kernels), space_of(X, self.metric, self.metric_params)
        n_t, n_C, d, t, extra, rounds = self._counts(len(space))
        order = rng.permutation(len(space))
        sample, objects, candidates = (np.sort(order[:size]) for size in (max(n_t, n_C), n_t, n_C))
        W = space.within(sample, sample)
        require_ordinary(W, "X")
        T, C = np.searchsorted(sample, objects), np.searchsorted(sample, candidates)
        triples, y = self._triples(_part(W, T, T), None if members is None else members[objects], t, rng)
        D = np.ascontiguousarray(_part(W, T, C).T)
        between = D if n_t == n_C else np.ascontiguousarray(_part(W, C, C).T)
        del W
        model = boostmap(
            D, between, triples, y, d, rng=rng, candidates=candidates, M_1=self.M_1, m=self.m, M_2=self.M_2,
            query_sensitive=extra, max_rounds=rounds, kernels=kernels, callback=self.callback,
            checkpoint=self.checkpoint, max_memory=self.max_memory, threads=self.threads,
        )  # fmt: skip
        if model.d == 0:
            raise ValueError(
                f"X, y: no 1D embedding orders the {t} triples better than chance; more of them (n_triples) or others "
                "(triples) may do"
            )
        self.embedding_, self.references_, self.n_distances_ = model, model.references, space.computed
        self._space = space
        return sample, _vectors(model, D if n_t >= n_C else between, candidates)

    def _triples(self, D, members, t, rng):
        """Triples among the training objects and their labels."""
        k_most = K_MOST.get(self.triples, 4) if self.k_most is None else self.k_most
        k_most = min(as_count(k_most, "k_most", 1 + (self.triples == "nearby")), len(D) - 1)
        if self.triples == "selective":
            return _selective(D, members, k_most, t, rng, self.target == "classes")
        Phi = D
        if self.target == "classes":
            _require_pairs(members, np.arange(len(members)), 1, self.triples)
            Phi = _other_class(members)
        try:
            return random_triples(Phi, t, rng) if self.triples == "random" else nearby_triples(D, k_most, t, rng, Phi)
        except ValueError as error:
            raise ValueError(f"X, y: no triples to train on with triples={self.triples!r} ({error})") from None

    def _embed_all(self, sample, vectors):
        """Vectors of all objects of ``fit``: those of the sample are there already."""
        n = len(self._space)
        others = np.setdiff1d(np.arange(n), sample, assume_unique=True)
        if len(others) == 0:
            return vectors
        F = np.empty((n, vectors.shape[1]))
        F[sample], F[others] = vectors, self.embedding_.embed(self._space, self._space.take(others))
        self.n_distances_ = self._space.computed
        return F

    def _forget_matrix(self):
        """A given matrix has done its part: queries bring their own rows."""
        if isinstance(self._space, PrecomputedSpace):
            self._space = QueryRows(len(self._space))


def _part(W, rows, columns):
    whole = len(rows) == len(W) and len(columns) == len(W)
    return W if whole else W[np.ix_(rows, columns)]


def _vectors(model, D, candidates):
    """F_out of the columns of D, shape (n_C, n): ``model.embed`` from distances that are there."""
    first, second = np.searchsorted(candidates, model.first), np.searchsorted(candidates, model.second)
    second[model.second < 0] = -1
    columns = [embedding(D, *h) for h in zip(first, second, model.length, strict=True)]
    return np.ascontiguousarray(np.array(columns).T)


def _other_class(members):
    """Phi_X of § 9.1: 0 within a class, 1 between two."""
    return (members[:, np.newaxis] != members).astype(np.float64)


def _require_pairs(members, kept, least, triples):
    found = len(np.unique(members[kept]))
    if len(np.unique(members)) < 2:
        raise ValueError("y has one class among the training objects; BoostMap's triples need at least two classes")
    if found < least or np.bincount(members).max() < 2:
        raise ValueError(
            f"y: {found if least > 1 else 0} of the training objects' classes have two objects; triples={triples!r} "
            f"needs {least} (triples='random' or 'nearby' with target='distances' needs none)"
        )


def _selective(D, members, k_most, t, rng, by_classes):
    kept = np.flatnonzero(np.bincount(members)[members] > 1)
    _require_pairs(members, kept, 2, "selective")
    members = members[kept]
    triples, y = selective_triples(
        _part(D, kept, kept), members, k_most, t, rng, _other_class(members) if by_classes else None
    )
    return kept[triples].astype(np.int32), y


class BoostMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Trained):
    """Embed objects in R^d by their distances to a few of them, so that near objects stay near: BoostMap.

    Source: Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and Classification" (2005),
    §§ 7 and 8. The vectors are F_out of eq. 15 as they are. The distance that goes with them is a weighted L1:
    ``embedding_.pairwise(Q, X)`` (eqs. 16 and 22).

    Parameters
    ----------
    n_components : int, optional
        d; the training may end with fewer. Default: one for 20 candidates, the paper's 256 for its 5,000, but 8 at
        least; no more than there are candidates.
    n_triples : int, optional
        t. Default: 40 for each training object.
    n_candidates, n_training_objects : int, optional
        Objects to draw references and pivots from, and objects of the triples; the fewer are drawn among the more.
        At most all objects. Default: 5,000 each.
    triples : {"nearby", "selective", "random"}, default "nearby"
        § 10 without classes (a and b are among the k' nearest of q), § 10 with classes, or all triples alike.
    k_most : int, optional
        k' of § 10. At most all objects but one. Default: 4 for selective triples, 50 for nearby ones.
    target : {"distances", "classes"}, default "distances"
        What orders the triples: the metric ("Fe" of § 11) or the classes y ("Pa").
    M_1, M_2 : int, default 1000 and 200
        Reference objects tried in a round of § 7.3; classifiers whose Z_min is computed. At most as many as there are.
    m : int, optional
        Pivot pairs tried in a round, `M_1` by default.
    query_sensitive : int or None, default 0
        Rounds of § 8.1, which change the weights of the distance and not the vectors; None: one for each component.
    metric : str or callable, default "euclidean"
        "precomputed" (X holds distances: from row to column, 0 in the diagonal), a name that
        ``sklearn.metrics.pairwise_distances`` knows, or ``metric(x, y)``, the distance from x to the training object y.
        With a callable X may be any sequence of objects: strings, sets, images. No metric axiom is asked for.
    metric_params : dict, optional
        Further arguments of the metric.
    max_rounds : int, optional
        Rounds of § 7.3 at most. Default: 20 for each component.
    kernels : {"reference", "fast"}, default "reference"
        The results are the same to the last bit.
    callback : callable, optional
        ``callback(round)`` after each round, as :func:`refimpl.boostmap.boostmap` calls it; if it returns True, this
        phase of the training ends.
    checkpoint : str or os.PathLike, optional
        A file that an interrupted ``fit`` goes on from when it is called with the same X, y and `random_state`, an
        integer then.
    max_memory : int, optional
        Bytes that the training may take beyond its distances; see :func:`refimpl.boostmap.memory.estimate_memory`.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
    threads : int, optional
        None for all. The result does not depend on it.

    Attributes
    ----------
    embedding_ : refimpl.boostmap.BoostMap
        The trained embedding with its weights. ``embedding_.cost`` is the number of exact distances that it takes to
        embed a new object.
    references_ : ndarray of int64, shape (embedding_.cost,)
        The training objects to which distances are measured, as places in X, ascending.
    n_distances_ : int
        Exact distances that ``fit`` computed: max(n_training_objects, n_candidates)^2. ``fit_transform`` adds
        ``embedding_.cost`` for each object beyond those.
    n_features_in_ : int
        Unless X is a sequence of objects.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import BoostMap
    >>> X, _ = load_iris(return_X_y=True)
    >>> BoostMap(n_components=3, n_triples=500, random_state=0).fit_transform(X).shape
    (150, 3)
    """

    def __init__(
        self, n_components=None, *, n_triples=None, n_candidates=None, n_training_objects=None, triples="nearby",
        k_most=None, target="distances", M_1=1000, m=None, M_2=200, query_sensitive=0, metric="euclidean",
        metric_params=None, max_rounds=None, kernels="reference", callback=None, checkpoint=None, max_memory=None,
        random_state=None, threads=None,
    ):  # fmt: skip
        self.n_components = n_components
        self.n_triples = n_triples
        self.n_candidates = n_candidates
        self.n_training_objects = n_training_objects
        self.triples = triples
        self.k_most = k_most
        self.target = target
        self.M_1 = M_1
        self.m = m
        self.M_2 = M_2
        self.query_sensitive = query_sensitive
        self.metric = metric
        self.metric_params = metric_params
        self.max_rounds = max_rounds
        self.kernels = kernels
        self.callback = callback
        self.checkpoint = checkpoint
        self.max_memory = max_memory
        self.random_state = random_state
        self.threads = threads

    def fit(self, X, y=None):
        """Learn the embedding.

        Parameters
        ----------
        X : array_like, shape (n, n_features); (n, n) with metric="precomputed"; n objects with a callable
            At least 3 of them.
        y : array_like, shape (n,), optional
            Classes; only triples="selective" and target="classes" look at them.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If an argument does not fit, or the data allow no triples.
        """
        self._fit(X, y)
        self._forget_matrix()
        return self

    def fit_transform(self, X, y=None):
        """The vectors of X, shape (n, d), without computing any distance of the training again."""
        vectors = self._embed_all(*self._fit(X, y))
        self._forget_matrix()
        return vectors

    def _fit(self, X, y):
        X, members = self._training_objects(X), None
        if self._uses_classes():
            if y is None:
                raise ValueError(
                    f"y is None; triples={self.triples!r} with target={self.target!r} needs classes "
                    "(triples='nearby' or 'random' with target='distances' does not)"
                )
            members = classes_of(y, X)[1]
        return self._train(X, members, as_random_generator(self.random_state))

    def transform(self, X):
        """F_out of eq. 15.

        Parameters
        ----------
        X : array_like, shape (m, n_features); (m, n) with metric="precomputed"; m objects with a callable

        Returns
        -------
        ndarray, shape (m, d), float64
        """
        check_is_fitted(self)
        return self.embedding_.embed(self._space, as_query_objects(self, X, self.metric))

    @property
    def _n_features_out(self):
        return self.embedding_.d


class BoostMapClassifier(ClassifierMixin, _Trained):
    """k nearest neighbours under the learnt query-sensitive distance: BoostMap-Pa-Se-QS.

    Source: Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and Classification" (2005),
    §§ 8-11. Of classes with equally many votes that of the nearest object wins, then one at random (§ 11.1).

    Parameters
    ----------
    n_neighbors : int, default 5
        k, which was best in § 11.5; the same objects at most as `fit` gets.
    n_refine : int, optional
        p of § 4.3: the exact distances to the p best candidates are computed, and the k nearest of these vote. None:
        the k nearest by the learnt distance vote.
    n_components, n_triples, n_candidates, n_training_objects, k_most, M_1, m, M_2, metric, metric_params, \
max_rounds, kernels, callback, checkpoint, max_memory, random_state, threads
        As for :class:`BoostMap`.
    triples : {"selective", "random", "nearby"}, default "selective"
        "Se" and "Ra" of § 11.
    target : {"classes", "distances"}, default "classes"
        "Pa" and "Fe" of § 11.
    query_sensitive : int or None, default None
        Rounds of § 8.1; None: one for each component. 0 is "QI" of § 11.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    embedding_ : refimpl.boostmap.BoostMap
        The trained embedding. A query costs ``embedding_.cost`` exact distances, and `n_refine` more if it is given.
    references_ : ndarray of int64, shape (embedding_.cost,)
        The training objects to which distances are measured, as places in X, ascending.
    n_distances_ : int
        Exact distances that ``fit`` computed: s^2, s = max(n_training_objects, n_candidates), and ``embedding_.cost``
        for each of the other n - s objects.
    n_features_in_ : int
        Unless X is a sequence of objects.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import BoostMapClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BoostMapClassifier(n_components=5, n_triples=1000, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self, n_neighbors=5, *, n_refine=None, n_components=None, n_triples=None, n_candidates=None,
        n_training_objects=None, triples="selective", k_most=None, target="classes", M_1=1000, m=None, M_2=200,
        query_sensitive=None, metric="euclidean", metric_params=None, max_rounds=None, kernels="reference",
        callback=None, checkpoint=None, max_memory=None, random_state=None, threads=None,
    ):  # fmt: skip
        self.n_neighbors = n_neighbors
        self.n_refine = n_refine
        self.n_components = n_components
        self.n_triples = n_triples
        self.n_candidates = n_candidates
        self.n_training_objects = n_training_objects
        self.triples = triples
        self.k_most = k_most
        self.target = target
        self.M_1 = M_1
        self.m = m
        self.M_2 = M_2
        self.query_sensitive = query_sensitive
        self.metric = metric
        self.metric_params = metric_params
        self.max_rounds = max_rounds
        self.kernels = kernels
        self.callback = callback
        self.checkpoint = checkpoint
        self.max_memory = max_memory
        self.random_state = random_state
        self.threads = threads

    def fit(self, X, y):
        """Learn the distance and embed the objects that will vote.

        Parameters
        ----------
        X : array_like, shape (n, n_features); (n, n) with metric="precomputed"; n objects with a callable
            At least 3 of them, and `n_neighbors`.
        y : array_like, shape (n,)
            Classes, at least two.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If an argument does not fit, or the data allow no triples.
        """
        X = self._training_objects(X)
        classes, members = classes_of(y, X)
        if len(classes) < 2:
            raise ValueError("y has one class; the classifier needs at least two classes")
        self._uses_classes()
        self._k_and_p(self.n_neighbors, len(X))
        rng = as_random_generator(self.random_state)
        self._vectors = self._embed_all(*self._train(X, members, rng))
        self._forget_matrix()
        self._seed = int(rng.integers(2**32))
        self.classes_, self._places = classes, members
        return self

    def _k_and_p(self, k, n):
        k = as_count(k, "n_neighbors")
        p = k if self.n_refine is None else as_count(self.n_refine, "n_refine")
        if k > n:
            raise ValueError(f"n_neighbors is {k}; it must be at most {n}, the number of objects of X")
        if not k <= p <= n:
            raise ValueError(
                f"n_refine is {p}; it must be None, or between n_neighbors={k} and {n}, the number of objects of X"
            )
        return k, p

    def kneighbors(self, X, n_neighbors=None):
        """The training objects that vote.

        Parameters
        ----------
        X : array_like, shape (m, n_features); (m, n) with metric="precomputed"; m objects with a callable
        n_neighbors : int, optional
            k, that of the estimator by default.

        Returns
        -------
        distances : ndarray, shape (m, k), float64
            Ascending: exact ones with `n_refine`, else those of eq. 22.
        indices : ndarray, shape (m, k), int64
            Places in the training X; of equal distances the lower comes first.
        """
        check_is_fitted(self)
        X, kernels = as_query_objects(self, X, self.metric), kernels_named(self.kernels)
        k, p = self._k_and_p(self.n_neighbors if n_neighbors is None else n_neighbors, len(self._places))
        if self.n_refine is not None:
            index = FilterAndRefine(
                self.embedding_, self._space, vectors=self._vectors, kernels=kernels, threads=self.threads)
            return index.query(X, k, p)[::-1]
        E = self.embedding_.embed(self._space, X)
        return kernels.weighted_l1_nearest(E, self.embedding_.weights(E), self._vectors, k, threads=self.threads)

    def predict(self, X):
        """Classes of X, m objects in the form of :meth:`kneighbors`: ndarray, shape (m,).

        The last ties are broken at random, alike for the same query to the same estimator.
        """
        distances, near = self.kneighbors(X)
        members = self._places[near]
        found = vote(members, distances, np.random.default_rng(self._seed))
        for i in np.flatnonzero((np.diff(distances, axis=1) == 0).any(axis=1)):  # whatever else is in X
            found[i] = vote(members[i : i + 1], distances[i : i + 1], np.random.default_rng([self._seed, *near[i]]))[0]
        return self.classes_[found]
