"""scikit-learn estimator of the Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011).

Not handled here: the forest (:mod:`refimpl.search_forest`), sparse vectors, other distances.
"""

from __future__ import annotations  # scipy.sparse is imported when first used

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import scipy
from sklearn.utils.validation import check_is_fitted

from refimpl.arrays import in_scale
from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, one_of
from refimpl.estimators.arguments import (
    all_or_nothing,
    as_random_generator,
    described,
    labels_of,
    options_from,
    queries_of,
    threads_of,
    validated,
    work_of,
)
from refimpl.estimators.bases import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from refimpl.progress import Callback
from refimpl.search_forest import (
    ForestOptions,
    InvertedIndex,
    Selection,
    label_similarity,
    neighbor_similarity,
    search_forest,
)
from refimpl.search_forest.index_files import MOST
from refimpl.search_forest.model import within_range
from refimpl.typing import ArrayLike, FloatArray, IntArray, KernelsName, Labels, Points

MODES = ("distance", "connectivity")
SIMILARITIES = ("neighbors", "classes")
SHARE = 20  # by default a query is compared with one point in 20,
FEWEST = 100  # or with 100 points, if that is more
LEAST_IN_A_SAMPLE = 10  # default number of similar points: the least in a sample,
LEAST_SIMILAR = 20  # the least among all points,
MOST_SIMILAR = 100  # the most among all points
HELD_OUT = 200  # the number of points to measure the recall on
ENOUGH = 40  # with fewer points the recall is measured on the points of the training


@described("refimpl.search_forest", ForestOptions)
@dataclass(eq=False, repr=False)
class SearchForestNeighbors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Find approximate nearest neighbours with a search forest, by default among 5 % of the points.

    A search forest is a set of trees. The points that share a leaf with a query are its
    *candidates*; the query is compared with them only. By default each plane that splits a node
    starts as in eq. 18 and is then moved to where eq. 17 is larger (`refine`). ``refine=0`` leaves
    it there, which finds fewer neighbours with the same number of candidates. Moving the
    planes makes ``fit`` take up to twice the time. The share of the 5 nearest neighbours that are
    found, with the other parameters at their defaults:

    - a third of the digits, searched among the rest: 94.8 %, and 98.3 % with moved planes;
    - standardised breast cancer: 92.6 % and 98.0 %;
    - 500 queries among 20,000 points of 64 columns and 12 factors: 70.3 % and 85.2 %.

    A query is compared with more than 5 % of the points in two cases. First, it is compared with at
    least 100 candidates, and with at least as many candidates as neighbours. Second, a query that
    has fewer candidates than neighbours is compared with all points. This is rare for a few
    neighbours, but not for 200 neighbours among 2,500 points. ``expected_candidates_`` is the share
    of the points that a query is compared with, including these cases. ``expected_recall_`` is the
    share of the true neighbours that are found.

    ``transform`` returns the sparse graph that scikit-learn's neighbour estimators take with
    ``metric="precomputed"``, as ``KNeighborsTransformer`` does. The forest is learnt from the
    points after they are centred and scaled to a mean squared length of 1.

    Source: Li et al. (2011).

    Parameters
    ----------
    n_neighbors : int, default 5
        k, the number of neighbours to return for each query.
    mode : {"distance", "connectivity"}, default "distance"
        What ``transform`` returns. "distance": the distances to ``n_neighbors + 1`` points, which
        include the point itself if it is a point of ``fit``. "connectivity": ones for `n_neighbors`
        points.
    n_estimators : int, default 16
        The number of trees, M.
    lam : float, default 0.05
        lambda of the paper; a larger value gives fewer candidates.
    similarity : {"neighbors", "classes"}, default "neighbors"
        Which points count as similar in the training: the `n_similar` nearest points of each point,
        or the points of its class y.
    n_similar : int, optional
        K, the number of similar points of a point, counted among all points. A forest that is
        learnt from a tenth of the points takes the K / 10 nearest in that tenth, and never more
        than half of it. The default is a hundredth of all points, between 20 and 100; among the
        points that the forest is learnt from it is at least 10.
    n_candidates : int, optional
        The largest number of candidates that a query is compared with; the candidates with the
        largest T(q, x) are taken. The default is 5 % of the points, but at least 100 and at least
        the number of neighbours asked for. A point of ``fit`` finds itself, so ``kneighbors``
        without X and ``transform`` to distances take one more candidate. With the number of all
        points a query is compared with all candidates.
    n_training_points : int or None, default 2000
        The largest number of points to learn from, at least 2. They are drawn at random; None takes
        all points. All points are searched.
    max_leaves : int or None, default 128
        The largest number of leaves of a tree; None sets no limit.
    max_depth, stump_above
        As for :class:`refimpl.search_forest.ForestOptions`.
    refine : int, default 10
        How many times a plane may be moved. The moves start from a plane whose threshold is best
        for eq. 17; 0 keeps the planes of eq. 18.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        The source of random numbers; pass an integer to get the same result from each ``fit``. It
        draws the points to learn from, those held out, and the training of the trees.
    kernels, n_jobs, max_memory
        As for all estimators.
    callback : callable, optional
        ``callback(step)`` is called with a :class:`refimpl.Step` after each tree. If it returns
        True, the training ends. See :func:`refimpl.search_forest.search_forest`.

    Attributes
    ----------
    model_ : refimpl.search_forest.SearchForest
        The trained model: the forest of the centred and scaled points.
    index_ : refimpl.search_forest.InvertedIndex
        The index: for each leaf of the forest the points in it.
    expected_recall_ : float
        The share of the `n_neighbors` true neighbours of a new point that are found. It is measured
        on up to 200 points, a tenth at most, that the forest is not learnt from. With fewer than 40
        points it is measured on the points of ``fit``.
    expected_candidates_ : float
        The share of the points that a query is compared with, measured on the same points.
    n_similar_ : int
        K among the points that the forest is learnt from; only with ``similarity="neighbors"``.
    n_samples_fit_ : int
        The number of points of ``fit``.
    n_features_in_ : int
        The number of columns of X in ``fit``.

    See Also
    --------
    refimpl.search_forest.search_forest : Learn the forest.
    refimpl.search_forest.InvertedIndex : Search with a forest while points come and go.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import SearchForestNeighbors
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = SearchForestNeighbors(3, n_estimators=4, n_similar=10, random_state=0).fit(X)
    >>> distances, indices = model.kneighbors(X[:2])
    >>> indices[:, 0]
    array([0, 1])
    """

    n_neighbors: int = 5
    _: KW_ONLY
    mode: str = "distance"
    n_estimators: int = 16
    lam: float = 0.05
    similarity: str = "neighbors"
    n_similar: int | None = None
    n_candidates: int | None = None
    n_training_points: int | None = 2000
    max_depth: int = 16
    max_leaves: int | None = 128
    stump_above: int | None = None
    refine: int = 10
    random_state: int | np.random.RandomState | np.random.Generator | None = None
    kernels: KernelsName | None = None
    n_jobs: int | None = -1
    callback: Callback | None = None
    max_memory: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_classes = isinstance(self.similarity, str) and self.similarity == "classes"
        tags.target_tags.required = of_classes
        tags.transformer_tags.preserves_dtype = []
        return tags

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the forest from X, (n, d), and index it; return self.

        X has at least two points; y, shape (n,), holds classes for ``similarity="classes"``.
        """
        self._check_parameters()
        points, labels = self._checked(X, y)
        work = work_of(self)
        rng = as_random_generator(self.random_state)
        self._X: Points = in_scale(points, "X")
        self.n_samples_fit_ = len(points)
        self._middle = points.mean(axis=0, dtype=np.float64)
        self._scale = np.sqrt(((points - self._middle) ** 2).sum(axis=1).mean()) or 1.0
        rows, held_out = self._split(len(points), rng)
        Z = self._mapped(points)
        S = self._similar(Z[rows], None if labels is None else labels[rows])
        self.model_ = search_forest(
            Z[rows],
            S,
            self.n_estimators,
            self.lam,
            rng=rng,
            options=options_from(
                self, ForestOptions, offset="best" if self.refine else "eigenvector"
            ),
            callback=self.callback,
            max_memory=self.max_memory,
            **work,
        )
        self.index_ = InvertedIndex(self.model_, Z, keep_vectors=False, **work)
        self._try_out(held_out, Z)
        return self

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return X, and y if the similarity needs y, after scikit-learn's checks."""
        options = {
            "dtype": [np.float64, np.float32],
            "order": "C",
            "copy": True,
            "ensure_min_samples": 2,
        }
        points = validated(self, X, **options)
        return points, labels_of(y, points) if self.similarity == "classes" else None

    def _split(self, n: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the points to learn the forest from, and the points to measure the recall on."""
        most = n if self.n_training_points is None else min(self.n_training_points, n)
        if n < ENOUGH:
            rows = np.sort(rng.choice(n, most, replace=False)) if most < n else np.arange(n)
            return rows, np.arange(n)
        order = rng.permutation(n)
        n_held = min(HELD_OUT, n // 10)
        return np.sort(order[n_held : n_held + most]), np.sort(order[:n_held])

    def _try_out(self, held_out: IntArray, Z: Points) -> None:
        """Measure the expected recall and the expected share of candidates."""
        k = min(self.n_neighbors, len(Z) - 1)
        chosen = self.index_.candidates(Z[held_out], n_candidates=self._n_candidates(k, 1))
        exact = nearest_neighbors(
            self._X[held_out],
            self._X,
            k,
            skip=held_out,
            kernels=self.index_.kernels,
            threads=threads_of(self.n_jobs),
        ).indices
        hits = 0
        compared = 0
        for i, row in enumerate(held_out):
            ids = chosen.ids[chosen.offsets[i] : chosen.offsets[i + 1]]
            ids = ids[ids != row]
            if len(ids) < k:  # this query is compared with all points
                hits += k
                compared += len(Z) - 1
            else:
                hits += int(np.isin(exact[i], ids).sum())
                compared += len(ids)
        self.expected_recall_ = float(hits / (k * len(held_out)))
        self.expected_candidates_ = float(compared / ((len(Z) - 1) * len(held_out)))

    def _n_candidates(self, k: int, more: int) -> int:
        """Return the largest number of candidates for k neighbours, plus `more`."""
        most = self.n_candidates
        if most is None:
            most = max(self.n_samples_fit_ // SHARE, FEWEST, k)
        return min(most, MOST - 1) + more

    def _check_parameters(self) -> None:
        one_of(self.mode, MODES, "mode")
        one_of(self.similarity, SIMILARITIES, "similarity")
        k = as_count(self.n_neighbors, "n_neighbors")
        as_count(self.n_estimators, "n_estimators")
        as_count(self.refine, "refine", 0)
        threads_of(self.n_jobs)
        if self.n_similar is not None:
            as_count(self.n_similar, "n_similar")
        if self.n_training_points is not None:
            as_count(self.n_training_points, "n_training_points", 2)
        self._require_candidates(k)

    def _require_candidates(self, k: int) -> None:
        """Raise ValueError if there are fewer candidates than neighbours for every query."""
        if self.n_candidates is not None and as_count(self.n_candidates, "n_candidates") < k:
            raise ValueError(
                f"n_candidates must be at least {k}, the number of neighbours asked for, or None; "
                f"got {self.n_candidates}"
            )

    def _similar(self, Z: Points, y: Labels | None) -> scipy.sparse.csr_matrix:
        """Return S of the training points."""
        if y is None:
            self.n_similar_ = self._similar_in_a_sample(len(Z))
            return neighbor_similarity(Z, self.n_similar_, **work_of(self))
        if len(np.unique(y)) == len(y):
            raise ValueError(
                f"y must have two points of the same class among the {len(y)} points that the "
                "forest is learnt from, or similarity must be 'neighbors'; got no such points"
            )
        return label_similarity(y)

    def _similar_in_a_sample(self, size: int) -> int:
        """Return K among the `size` points that the forest is learnt from."""
        n = self.n_samples_fit_
        if self.n_similar is None:
            of_all = min(max(n // 100, LEAST_SIMILAR), MOST_SIMILAR)
            least = LEAST_IN_A_SAMPLE
        else:
            of_all = min(self.n_similar, n)
            least = 1
        return max(1, min(max(round(of_all * size / n), least), size // 2))

    def _mapped(self, X: Points) -> Points:
        """Return points centred and scaled, in the dtype of the points of ``fit``."""
        with np.errstate(over="ignore"):
            Z = ((X - self._middle) / self._scale).astype(self._X.dtype)
        return within_range(Z, "X, centred and scaled as the points of fit,")

    def _queries(self, X: ArrayLike) -> Points:
        """Return queries, checked."""
        check_is_fitted(self, "model_")
        return within_range(queries_of(self, X, self._X.dtype), "X")

    def candidates(self, X: ArrayLike, *, n_candidates: int | None = None) -> Selection:
        """Return the :class:`Selection <refimpl.search_forest.Selection>` of each query, X (m, d).

        `n_candidates` is the largest number of candidates of a query. By default all candidates are
        returned; the estimator's parameter `n_candidates` is not used here.
        """
        Z = self._mapped(self._queries(X))
        return self.index_.candidates(Z, n_candidates=n_candidates)

    def kneighbors(
        self,
        X: ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return the nearest candidates of each query.

        The queries X, shape (m, d), are by default the points of ``fit``; then no point is its own
        neighbour. k, at most `n_candidates`, is `n_neighbors`, by default that of the estimator. A
        query with fewer candidates than neighbours is compared with all points. Euclidean
        distances, float64, come first, but only with `return_distance`, as in scikit-learn; then
        the rows of the training points, int64: both of shape (m, k).
        """
        check_is_fitted(self, "model_")
        k = as_count(self.n_neighbors if n_neighbors is None else n_neighbors, "n_neighbors")
        self._require_candidates(k)
        squares, indices = self._nearest(X, k, int(X is None))
        return (np.sqrt(squares), indices) if return_distance else indices

    def _nearest(self, X: ArrayLike | None, k: int, more: int) -> tuple[FloatArray, IntArray]:
        """Return squares and indices of the k nearest of n_candidates + `more` candidates."""
        # both have shape (m, k)
        own = X is None
        most = self.n_samples_fit_ - own
        as_count(k, "n_neighbors", most=most, why="the number of points to choose from")
        Q = self._X if X is None else self._queries(X)
        chosen = self.index_.candidates(self._mapped(Q), n_candidates=self._n_candidates(k, more))
        squares, indices = self.index_.kernels.rerank(
            Q, self._X, chosen.offsets, chosen.ids, k + own, threads=threads_of(self.n_jobs)
        )
        if own:  # of k + 1 neighbours drop the point itself, or else the last
            itself = indices == np.arange(len(Q))[:, np.newaxis]
            itself[~itself.any(axis=1), -1] = True
            squares = squares[~itself].reshape(-1, k)
            indices = indices[~itself].reshape(-1, k)
        few = np.flatnonzero(indices[:, -1] < 0)
        if len(few):
            exact = nearest_neighbors(
                Q[few], self._X, k, skip=few if own else None, kernels=self.index_.kernels
            )
            squares[few] = exact.squares
            indices[few] = exact.indices
        return squares, indices

    def kneighbors_graph(
        self, X: ArrayLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> scipy.sparse.csr_matrix:
        """Return the neighbours as a scipy.sparse.csr_matrix, (m, n), with k entries in each row.

        X and `n_neighbors` are those of :meth:`kneighbors`. With the `mode` "connectivity" the
        entries are ones, with "distance" distances.
        """
        one_of(mode, MODES, "mode")
        distances, indices = self.kneighbors(X, n_neighbors)
        return self._graph(distances, indices, mode)

    def _graph(
        self, distances: FloatArray, indices: IntArray, mode: str
    ) -> scipy.sparse.csr_matrix:
        """Return neighbours as a sparse matrix."""
        values = distances if mode == "distance" else np.ones(indices.shape)
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        return scipy.sparse.csr_matrix(
            (values.ravel(), indices.ravel(), starts), shape=(len(indices), self.n_samples_fit_)
        )

    def transform(self, X: ArrayLike) -> scipy.sparse.csr_matrix:
        """Return the graph of the neighbours of X, (m, d), in the `mode` set: CSR, (m, n)."""
        check_is_fitted(self, "model_")
        one_of(self.mode, MODES, "mode")
        k = as_count(self.n_neighbors, "n_neighbors")
        more = int(self.mode == "distance")
        self._require_candidates(k)
        squares, indices = self._nearest(X, min(k + more, self.n_samples_fit_), more)
        return self._graph(np.sqrt(squares), indices, self.mode)

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_
