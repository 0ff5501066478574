"""scikit-learn estimator over the Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011)."""

import copy

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, one_of
from refimpl.estimators.arguments import as_random_generator, kernels_named
from refimpl.search_forest import in_range, label_similarity, neighbor_similarity, search_forest
from refimpl.search_forest.index import MOST, InvertedIndex

MODES, SIMILARITIES = ("distance", "connectivity"), ("neighbors", "classes")
SHARE, FEWEST = 20, 100  # by default a query is compared with a 20th of the points, or with 100
SIMILAR = 10, 20, 100  # neighbours that are similar: in a sample at least, of all points at least and at most
HELD, ENOUGH = 200, 40  # points that the forest is tried with; there are none of their own among fewer than these


class SearchForestNeighbors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Approximate nearest neighbours; by default a query is compared with 5 % of the points, chosen by a search forest.

    Source: Li et al. (2011). By default the forest has more than the paper's splits: planes are moved on from those of
    eq. 18 to where eq. 17 is larger (`refine`). ``refine=0`` gives the printed form, which finds fewer neighbours among
    as many candidates. At the other defaults a third of the digits finds 94.8 % of its 5 nearest among the rest with
    the printed form and 98.3 % with moved planes; standardised breast cancer 92.6 and 98.0 %; 500 points their 5
    nearest of 20,000 of 64 columns and 12 factors 70.3 and 85.2 %. Moving takes up to twice the time of ``fit``.

    There are two exceptions to the 5 %. Of fewer than 2,000 points a query is compared with up to 100, as 5 % would be
    too few; where more neighbours are asked for, with as many candidates as neighbours. And a query for which the
    forest selects fewer candidates than neighbours is compared with all points: rare for a few neighbours, but not for
    200 of 2,500 points. ``expected_candidates_`` is the share of the points that a query is compared with, all
    exceptions counted; ``expected_recall_`` says how many of the true neighbours that finds.

    As a transformer it gives the sparse graph that scikit-learn's neighbour estimators take with
    ``metric="precomputed"``, as its ``KNeighborsTransformer`` does. A forest is learnt from the points themselves,
    centred and scaled to a mean squared length of 1.

    Parameters
    ----------
    n_neighbors : int, default 5
    mode : {"distance", "connectivity"}
        What ``transform`` gives: distances to ``n_neighbors + 1`` points, the point itself among them if it is one of
        ``fit``; or ones for `n_neighbors`.
    n_trees : int, default 16
        M.
    lam : float, default 0.05
        lambda: the larger, the fewer candidates.
    similarity : {"neighbors", "classes"}
        What is similar: the `n_similar` nearest points, or points of the same class of y.
    n_similar : int, optional
        K, of all points: a forest that is learnt from a tenth of them takes the K / 10 nearest of those. At most half
        of them. By default a hundredth of all points, at least 20 and at
        most 100, but no fewer than 10 of those that the forest is learnt from.
    n_candidates : int, optional
        How many candidates are compared with a query at most, those of the largest T(q, x). By default 5 % of the
        points, but at least 100 and at least as many as neighbours are asked for. A point of ``fit`` finds itself, so
        ``kneighbors`` without X and ``transform`` to distances take one more. The number of all points, or a larger
        one, compares all that the forest selects.
    n_training_points : int, default 2000
        At least 2. Learn from so many points at most, drawn at random; None for all. All are searched.
    max_leaves : int, default 128
        Leaves of a tree; None for as many as pay.
    max_depth, stump_above : int, optional
        See :func:`refimpl.search_forest.search_forest`.
    refine : int, default 10
        How often a plane may be moved, from one with the threshold that is best for eq. 17 on; 0 for the printed form.
    kernels : {"reference", "fast"}, default "reference"
        The results are the same to the last bit.
    max_memory : int, optional
        Bytes; see :func:`refimpl.search_forest.estimate_memory`.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
    threads : int, optional
        None for all. The result does not depend on it.

    Attributes
    ----------
    forest_ : refimpl.search_forest.SearchForest
        Of the centred and scaled points.
    index_ : refimpl.search_forest.index.InvertedIndex
    expected_recall_ : float
        Which share of its `n_neighbors` true neighbours a new point finds: measured on up to 200 points (a tenth at
        most) that the forest is not learnt from. Of fewer than 40 points it is learnt from all, and measured on them.
    expected_candidates_ : float
        With which share of the points such a point is compared.
    n_similar_ : int
        K among the points that the forest is learnt from; with ``similarity="neighbors"`` alone.
    n_samples_fit_ : int
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import SearchForestNeighbors
    >>> X, _ = load_iris(return_X_y=True)
    >>> SearchForestNeighbors(3, n_trees=4, n_similar=10, random_state=0).fit(X).kneighbors(X)[1].shape
    (150, 3)
    """

    def __init__(
        self, n_neighbors=5, *, mode="distance", n_trees=16, lam=0.05, similarity="neighbors", n_similar=None,
        n_candidates=None, n_training_points=2000, max_depth=16, max_leaves=128, stump_above=None,
        refine=10, kernels="reference", max_memory=None, random_state=None, threads=None,
    ):  # fmt: skip
        self.n_neighbors = n_neighbors
        self.mode = mode
        self.n_trees = n_trees
        self.lam = lam
        self.similarity = similarity
        self.n_similar = n_similar
        self.n_candidates = n_candidates
        self.n_training_points = n_training_points
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.stump_above = stump_above
        self.refine = refine
        self.kernels = kernels
        self.max_memory = max_memory
        self.random_state = random_state
        self.threads = threads

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = isinstance(self.similarity, str) and self.similarity == "classes"
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X, y=None):
        """Learn the forest from X, shape (n, d), and index X. If that fails, the estimator stays what it was."""
        fitted = copy.copy(self)._fit(X, y)
        self.__dict__ = fitted.__dict__
        return self

    def _fit(self, X, y):
        self._check_parameters()
        options = {"dtype": [np.float64, np.float32], "order": "C", "copy": True, "ensure_min_samples": 2}
        if self.similarity == "classes":
            X, y = validate_data(self, X, y, **options)
        else:
            X, y = validate_data(self, X, **options), None
        kernels, rng = kernels_named(self.kernels), as_random_generator(self.random_state)
        self._X, self.n_samples_fit_ = in_range(X, "X"), len(X)
        self._middle = X.mean(axis=0, dtype=np.float64)
        self._scale = np.sqrt(((X - self._middle) ** 2).sum(axis=1).mean()) or 1.0
        rows, held = self._split(len(X), rng)
        Z = self._mapped(X)
        S = self._similar(Z[rows], None if y is None else y[rows], kernels)
        self.forest_ = search_forest(
            Z[rows], S, self.n_trees, self.lam, rng=rng, kernels=kernels, max_depth=self.max_depth,
            max_leaves=self.max_leaves, stump_above=self.stump_above, max_memory=self.max_memory, threads=self.threads,
            offset="best" if self.refine else "eigenvector", refine=self.refine,
        )  # fmt: skip
        self.index_ = InvertedIndex(self.forest_, Z, keep_vectors=False, kernels=kernels, threads=self.threads)
        self._try_out(held, Z)
        return self

    def _split(self, n, rng):
        """The points that the forest is learnt from, and those that it is tried with."""
        most = n if self.n_training_points is None else min(self.n_training_points, n)
        if n < ENOUGH:
            rows = np.sort(rng.choice(n, most, replace=False)) if most < n else np.arange(n)
            return rows, np.arange(n)
        order, held = rng.permutation(n), min(HELD, n // 10)
        return np.sort(order[held : held + most]), np.sort(order[:held])

    def _try_out(self, held, Z):
        """Set what new points can expect."""
        k = min(self.n_neighbors, len(Z) - 1)
        found = self.index_.candidates(Z[held], self._most(k, 1))
        options = {"kernels": self.index_.kernels, "threads": self.threads}
        exact = nearest_neighbors(self._X, self._X[held], k, skip=held, **options).indices
        hits, compared = 0, 0
        for i, row in enumerate(held):
            mine = found.ids[found.offsets[i] : found.offsets[i + 1]]
            mine = mine[mine != row]
            few = len(mine) < k  # such a query is compared with all points
            hits += k if few else np.isin(exact[i], mine).sum()
            compared += len(Z) - 1 if few else len(mine)
        self.expected_recall_ = float(hits / (k * len(held)))
        self.expected_candidates_ = float(compared / ((len(Z) - 1) * len(held)))

    def _most(self, k, more):
        """How many candidates of a query for k neighbours are compared."""
        n = self.n_samples_fit_
        most = max(n // SHARE, FEWEST, k) if self.n_candidates is None else self.n_candidates
        return min(most, MOST - 1) + more

    def _check_parameters(self):
        for name, allowed in (("mode", MODES), ("similarity", SIMILARITIES)):
            one_of(getattr(self, name), allowed, name)
        k = as_count(self.n_neighbors, "n_neighbors")
        as_count(self.n_trees, "n_trees")
        as_count(self.refine, "refine", 0)
        if self.n_similar is not None:
            as_count(self.n_similar, "n_similar")
        if self.n_training_points is not None:
            as_count(self.n_training_points, "n_training_points", 2)
        self._require_candidates(k)

    def _require_candidates(self, k):
        """So many that k neighbours can be among them; compared with fewer, every query would be with all points."""
        if self.n_candidates is not None and as_count(self.n_candidates, "n_candidates") < k:
            raise ValueError(
                f"n_candidates must be at least {k}, the number of neighbours asked for, or None; got "
                f"{self.n_candidates}"
            )

    def _similar(self, Z, y, kernels):
        """S of the training points; of classes there is one of two points at least."""
        if self.similarity == "neighbors":
            self.n_similar_ = self._similar_in_a_sample(len(Z))
            return neighbor_similarity(Z, self.n_similar_, kernels=kernels, threads=self.threads)
        if len(np.unique(y)) == len(y):
            raise ValueError(
                f"y: no two of the {len(y)} points that the forest is learnt from are of one class, so none are "
                "similar; a class must have several points, or similarity be 'neighbors'"
            )
        return label_similarity(y)

    def _similar_in_a_sample(self, size):
        """K among the `size` points that the forest is learnt from."""
        n = self.n_samples_fit_
        few, least, most = SIMILAR
        if self.n_similar is None:
            K = min(max(n // 100, least), most)
        else:
            K = self.n_similar
            few = 1
        return max(1, min(max(round(K * size / n), few), size // 2))

    def _mapped(self, X):
        """Centred and scaled, in the dtype of the points of ``fit``."""
        with np.errstate(over="ignore"):
            Z = ((X - self._middle) / self._scale).astype(self._X.dtype)
        return in_range(Z, "X, centred and scaled as the points of fit,")

    def _queries(self, X):
        check_is_fitted(self)
        return in_range(validate_data(self, X, dtype=self._X.dtype, order="C", reset=False), "X")

    def candidates(self, X, most=None):
        """The points that the forest selects for each query: a :class:`refimpl.search_forest.index.Selection`.

        Parameters
        ----------
        X : array_like, shape (m, d)
        most : int, optional
            By default all, not `n_candidates` alone.
        """
        Z = self._mapped(self._queries(X))
        return self.index_.candidates(Z, most)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The nearest of each query's candidates.

        Parameters
        ----------
        X : array_like, shape (m, d), optional
            By default the points of ``fit``, none of which is then its own neighbour.
        n_neighbors : int, optional
            k. At most `n_candidates`.
        return_distance : bool, default True

        Returns
        -------
        distances : ndarray, shape (m, k), float64
            Euclidean; only with `return_distance`.
        indices : ndarray, shape (m, k), int64
            A query with fewer candidates than neighbours is compared with all points.
        """
        check_is_fitted(self)
        k, own = as_count(self.n_neighbors if n_neighbors is None else n_neighbors, "n_neighbors"), X is None
        self._require_candidates(k)
        squares, indices = self._nearest(X, k, own)
        return (np.sqrt(squares), indices) if return_distance else indices

    def _nearest(self, X, k, more):
        """The k nearest of n_candidates + `more` candidates: squared distances and indices, both of shape (m, k)."""
        own = X is None
        if k > self.n_samples_fit_ - own:
            raise ValueError(f"n_neighbors is {k}; there are {self.n_samples_fit_ - own} points to choose from")
        X = self._X if own else self._queries(X)
        found = self.index_.candidates(self._mapped(X), self._most(k, more))
        squares, indices = self.index_.kernels.rerank(
            X, self._X, found.offsets, found.ids, k + own, threads=self.threads
        )
        if own:  # of k + 1 neighbours the point itself goes, or else the last
            mine = indices == np.arange(len(X))[:, np.newaxis]
            mine[~mine.any(axis=1), -1] = True
            squares, indices = squares[~mine].reshape(-1, k), indices[~mine].reshape(-1, k)
        few = np.flatnonzero(indices[:, -1] < 0)
        if len(few):
            exact = nearest_neighbors(self._X, X[few], k, skip=few if own else None, kernels=self.index_.kernels)
            squares[few], indices[few] = exact.squares, exact.indices
        return squares, indices

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """The neighbours as a sparse matrix, shape (m, n), with k entries in each row: ones, or distances."""
        one_of(mode, MODES, "mode")
        return self._graph(*self.kneighbors(X, n_neighbors), mode)

    def _graph(self, distances, indices, mode):
        values = distances if mode == "distance" else np.ones(indices.shape)
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        return sparse.csr_matrix((values.ravel(), indices.ravel(), starts), shape=(len(indices), self.n_samples_fit_))

    def transform(self, X):
        """The graph of neighbours: scipy.sparse.csr_matrix, shape (m, n)."""
        check_is_fitted(self)
        one_of(self.mode, MODES, "mode")
        k, more = as_count(self.n_neighbors, "n_neighbors"), self.mode == "distance"
        self._require_candidates(k)
        squares, indices = self._nearest(X, min(k + more, self.n_samples_fit_), more)
        return self._graph(np.sqrt(squares), indices, self.mode)

    @property
    def _n_features_out(self):
        return self.n_samples_fit_
