"""scikit-learn estimators over BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005).

A *triple* (q, a, b) of objects says whether q is nearer to a or to b; the embedding is trained to
keep this order. A *candidate* is an object that a coordinate may measure distances to. The module
:mod:`refimpl.estimators.boostmap_training` says how training objects, candidates and triples are
drawn from X.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from refimpl.checks import as_count
from refimpl.estimators.arguments import (
    all_or_nothing,
    as_random_generator,
    classes_of,
    described,
    work_of,
)
from refimpl.estimators.bases import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from refimpl.estimators.boostmap_training import BoostMapTraining
from refimpl.estimators.spaces import Objects, as_query_objects
from refimpl.spaces.retrieval import FilterAndRefine, vote
from refimpl.typing import ArrayLike, FloatArray, IntArray, Labels


@described("refimpl.boostmap")
@dataclass(eq=False, repr=False)
class BoostMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BoostMapTraining):
    """Embed objects in R^d by their distances to a few reference objects: BoostMap.

    The embedding is trained so that near objects stay near.

    Source: Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and
    Classification" (2005), §§ 7 and 8. The vectors are F_out of eq. 15, not
    scaled. They are compared by a weighted L1 distance, ``model_.pairwise(Q, X)`` (eqs. 16 and 22).

    Parameters
    ----------
    n_components : int, optional
        The largest number of dimensions, d; the training may end with fewer. The default is one
        dimension for every 20 candidates, between 8 and 256, and at most the number of candidates.
        The paper has 256 for 5,000 candidates.
    n_triples : int, optional
        The number of training triples; by default 40 for each training object.
    n_candidates, n_training_objects : int, optional
        The number of objects to draw references and pivots from, and the number of objects that
        triples are drawn from. The smaller set is drawn from the larger. The default for each is
        5,000, or all objects if there are fewer.
    triples : {"nearby", "selective", "random"}, default "nearby"
        How triples are drawn. "nearby": a and b belong to the k' nearest objects of q (§ 10
        without classes). "selective": § 10 with classes. "random": all triples are equally likely.
    k_most : int, optional
        k' of § 10, less than the number of objects. The default is 4 for selective triples and 50
        for nearby triples.
    target : {"distances", "classes"}, default "distances"
        What decides the order of a triple: the metric ("Fe" of § 11) or the classes y ("Pa").
    n_references, n_best : int, default 500 and 200
        The number of reference objects that a round of § 7.3 tries (M_1), and the number of
        classifiers whose Z_min it computes (M_2). If there are fewer, all are taken. § 11 has
        M_1 = 1000.
    n_pairs : int, optional
        The number of pairs of pivots that a round tries (m); by default `n_references`.
    query_sensitive : int or None, default 0
        The number of rounds of § 8.1, which change the weights of the distance and not the vectors.
        None means one round for each component.
    metric : str or callable, default "euclidean"
        "precomputed" (X holds the distances from row to column, with 0 in the diagonal), a name
        that ``sklearn.metrics.pairwise_distances`` knows, or a function ``metric(x, y)`` that
        returns the distance from x to the training object y. With a function X may be any sequence
        of objects: strings, sets, images. The distance need not be a metric.
    metric_params : dict, optional
        Further arguments of the metric.
    max_rounds : int, optional
        The largest number of rounds of § 7.3; by default 100 and 5 more for each component.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        The source of random numbers; pass an integer to get the same result from each ``fit``. It
        draws training objects, candidates and triples, and what each round tries.
    kernels, n_jobs
        As for all estimators.
    callback : callable, optional
        ``callback(step)`` is called with a :class:`refimpl.Step` after each round. If it returns
        True, this phase of the training ends. See :func:`refimpl.boostmap.boostmap`.
    start : refimpl.boostmap.BoostMap, optional
        An earlier `model_`, or a ``step.result``, that ``fit`` continues from. X, y and
        `random_state` must be the same as then, and `random_state` must be an integer.
    max_memory : int, optional
        The most bytes that the training may take beyond its distances; see
        :func:`refimpl.boostmap.estimate_memory`. ``fit`` raises MemoryError if it could need more.
        By default what is free when the training starts (:func:`refimpl.resources.free_memory`),
        and no limit where that is unknown.

    Attributes
    ----------
    model_ : refimpl.boostmap.BoostMap
        The trained model: the embedding and its weights. Embedding a new object takes
        ``model_.cost`` exact distances.
    references_ : ndarray of int64, shape (``model_.cost``,)
        The rows of X to which distances are measured, in ascending order.
    n_distances_ : int
        The number of exact distances that ``fit`` computed: max(n_training_objects,
        n_candidates)^2. ``fit_transform`` computes ``model_.cost`` more for each of the other
        objects.
    n_features_in_ : int
        The number of columns of X in ``fit``; not set if X is a sequence of objects.

    See Also
    --------
    BoostMapClassifier : Classify by the nearest neighbors under the learned distance.
    refimpl.boostmap.boostmap : The training, from matrices of distances.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import BoostMap
    >>> X, _ = load_iris(return_X_y=True)
    >>> BoostMap(n_components=3, n_triples=500, random_state=0).fit_transform(X).shape
    (150, 3)
    """

    n_components: int | None = None

    @all_or_nothing
    def fit(self, X: Objects, y: ArrayLike | None = None) -> Self:
        """Learn the embedding from X, at least 3 objects; return the estimator itself.

        X has shape (n, n_features), or (n, n) with metric="precomputed", which are distances; with
        a callable metric X may hold any objects. The classes y, shape (n,), are used only with
        triples="selective" or target="classes".
        """
        self._fit(X, y)
        self._forget_matrix()
        return self

    @all_or_nothing
    def fit_transform(self, X: Objects, y: ArrayLike | None = None) -> FloatArray:
        """Learn the embedding and return the vectors of X, shape (n, d).

        The distances of the training are used again, not computed twice.
        """
        vectors = self._embed_all(*self._fit(X, y))
        self._forget_matrix()
        return vectors

    def _fit(self, X: Objects, y: ArrayLike | None) -> tuple[IntArray, FloatArray]:
        objects = self._training_objects(X)
        members = None
        if self._uses_classes():
            if y is None:
                raise ValueError(
                    f"y must hold classes with triples={self.triples!r} and target={self.target!r};"
                    " got y=None (triples='nearby' or 'random' with target='distances' needs none)"
                )
            members = classes_of(y, objects)[1]
        return self._train(objects, members, as_random_generator(self.random_state))

    def transform(self, X: Objects) -> FloatArray:
        """Return F_out of eq. 15 of m objects X, shape (m, d), float64.

        X has shape (m, n_features), or (m, n) with metric="precomputed", which are distances to the
        n objects of `fit`; with a callable metric X may hold any objects.
        """
        check_is_fitted(self, "model_")
        F: FloatArray = self.model_.embed(self._space, as_query_objects(self, X, self.metric))
        return F

    @property
    def _n_features_out(self) -> int:
        return self.model_.d


@dataclass(eq=False, repr=False)
class _Refinement:
    """The last base: its parameter comes before those of the training."""

    _: KW_ONLY
    n_refine: int | None = None


@described("refimpl.boostmap", BoostMap)
@dataclass(eq=False, repr=False)
class BoostMapClassifier(ClassifierMixin, BoostMapTraining, _Refinement):
    """Classify by the k nearest neighbours under the learned distance: BoostMap-Pa-Se-QS.

    The distance is query-sensitive: its weights depend on the query.

    Source: Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and
    Classification" (2005), §§ 8-11. Among classes with equally many votes the class of the nearest
    object wins; if there is still a tie, one of the classes is drawn at random (§ 11.1).

    Parameters
    ----------
    n_neighbors : int, default 5
        k, the number of neighbours that vote, at most the number of objects in ``fit``. The value 5
        was best in § 11.5.
    n_refine : int, optional
        p of § 4.3: the exact distances to the p nearest objects under the learned distance are
        computed, and the k nearest of these vote. With None the k nearest objects under the learned
        distance vote.
    n_components, n_triples, n_candidates, n_training_objects, k_most : int, optional
        As for :class:`BoostMap`.
    triples : {"selective", "random", "nearby"}, default "selective"
        As for :class:`BoostMap`; "selective" is "Se" of § 11 and "random" is "Ra".
    target : {"classes", "distances"}, default "classes"
        As for :class:`BoostMap`.
    query_sensitive : int or None, default None
        As for :class:`BoostMap`; 0 is "QI" of § 11.
    n_references, n_pairs, n_best, metric, metric_params, max_rounds
        As for :class:`BoostMap`.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        As for :class:`BoostMap`; it draws ties of votes, too.
    kernels, n_jobs
        As for all estimators.
    callback, start, max_memory
        As for :class:`BoostMap`.

    Attributes
    ----------
    model_ : refimpl.boostmap.BoostMap
        The trained model: the embedding and its weights. A query takes ``model_.cost`` exact
        distances, and `n_refine` more if that is set.
    classes_ : ndarray, shape (n_classes,)
        The class labels, in ascending order.
    references_ : ndarray of int64, shape (``model_.cost``,)
        The rows of X to which distances are measured, in ascending order.
    n_distances_ : int
        The number of exact distances that ``fit`` computed: s^2 for s = max(n_training_objects,
        n_candidates), and ``model_.cost`` for each of the other n - s objects.
    n_features_in_ : int
        The number of columns of X in ``fit``; not set if X is a sequence of objects.

    See Also
    --------
    BoostMap : The embedding alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import BoostMapClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BoostMapClassifier(n_components=5, n_triples=1000, random_state=0)
    >>> model = model.fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    >>> model.predict_proba(X[1:2]).tolist()
    [[1.0, 0.0, 0.0]]
    """

    n_neighbors: int = 5
    _: KW_ONLY
    triples: str = "selective"
    target: str = "classes"
    query_sensitive: int | None = None

    @all_or_nothing
    def fit(self, X: Objects, y: ArrayLike) -> Self:
        """Learn the distance from X and y, and embed the objects that will vote; return self.

        X is that of :meth:`BoostMap.fit`, with at least `n_neighbors` objects. The classes y, shape
        (n,), are at least two.
        """
        objects = self._training_objects(X)
        classes, members = classes_of(y, objects, 2)
        uses_classes = self._uses_classes()
        self._k_and_p(self.n_neighbors, len(objects))
        rng = as_random_generator(self.random_state)
        of_triples = members if uses_classes else None
        self._vectors = self._embed_all(*self._train(objects, of_triples, rng))
        self._forget_matrix()
        self._seed = int(rng.integers(2**32))
        self.classes_ = classes
        self._places = members
        return self

    def _k_and_p(self, k: int, n: int) -> tuple[int, int]:
        k = as_count(k, "n_neighbors", most=n, why="the number of objects of X")
        p = k if self.n_refine is None else as_count(self.n_refine, "n_refine")
        if not k <= p <= n:
            raise ValueError(
                f"n_refine must be None, or between n_neighbors={k} and {n}, the number of objects "
                f"of X; got {p}"
            )
        return k, p

    def kneighbors(
        self, X: Objects, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[FloatArray, IntArray] | IntArray:
        """Return the training objects that vote: distances (m, k), float64, and rows (m, k), int64.

        X is that of :meth:`BoostMap.transform`; k is `n_neighbors`, by default that of the
        estimator. The distances ascend, and of equal ones the lower row comes first: exact
        distances with `n_refine`, else those of eq. 22. Only `return_distance` returns them.
        """
        distances, indices = self._nearest(X, n_neighbors)
        return (distances, indices) if return_distance else indices

    def _nearest(self, X: Objects, n_neighbors: int | None) -> tuple[FloatArray, IntArray]:
        """Return the distances and the indices of the training objects that vote."""
        check_is_fitted(self, "model_")
        objects = as_query_objects(self, X, self.metric)
        work = work_of(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k, p = self._k_and_p(k, len(self._places))
        if self.n_refine is not None:
            index = FilterAndRefine(self.model_, self._space, vectors=self._vectors, **work)
            indices, distances = index.query(objects, k, p)
            return distances, indices
        E = self.model_.embed(self._space, objects)
        nearest = work["kernels"].weighted_l1_nearest
        found: tuple[FloatArray, IntArray] = nearest(
            E, self.model_.weights(E), self._vectors, k, threads=work["threads"]
        )
        return found

    def predict(self, X: Objects) -> Labels:
        """Return the classes of the m objects X, given as for :meth:`kneighbors`: shape (m,).

        Ties that remain are broken at random. The same query to the same fitted estimator always
        gets the same class.
        """
        winners = self._votes(X)[1]
        return self.classes_[winners]

    def predict_proba(self, X: Objects) -> FloatArray:
        """Return the share of the votes that each class of `classes_` has: (m, n_classes), float64.

        X is that of :meth:`kneighbors`. Where several classes have most votes, the share of the
        class that :meth:`predict` returns is raised by one unit in the last place. So it is the
        largest of its row.
        """
        members, winners = self._votes(X)
        votes = np.stack([(members == c).sum(axis=1) for c in range(len(self.classes_))], axis=1)
        shares: FloatArray = votes / members.shape[1]
        rows = np.arange(len(winners))
        tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
        shares[rows[tied], winners[tied]] = np.nextafter(shares[rows[tied], winners[tied]], 1.0)
        return shares

    def _votes(self, X: Objects) -> tuple[IntArray, IntArray]:
        """Return the indices of the neighbors' classes, shape (m, k), and of the winning class."""
        distances, near = self._nearest(X, None)
        members = self._places[near]
        winners = vote(members, distances, rng=np.random.default_rng(self._seed))
        # a tie is broken in the same way whatever other objects are in X
        for i in np.flatnonzero((np.diff(distances, axis=1) == 0).any(axis=1)):
            rng = np.random.default_rng([self._seed, *near[i]])
            winners[i] = vote(members[i : i + 1], distances[i : i + 1], rng=rng)[0]
        return members, winners
