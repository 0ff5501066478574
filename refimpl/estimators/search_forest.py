"""scikit-learn estimator over the Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011)."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from refimpl._checks import as_count
from refimpl.ball_trees import nearest_neighbors
from refimpl.estimators._arguments import as_random_generator, kernels_named, require_one_of
from refimpl.inverted_index import InvertedIndex
from refimpl.search_forest import label_similarity, neighbor_similarity, search_forest

MODES, SIMILARITIES = ("distance", "connectivity"), ("neighbors", "classes")


class SearchForestNeighbors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Approximate nearest neighbours among the candidates that a Boosted Search Forest selects.

    Source: Li et al. (2011). As a transformer it gives the sparse graph that scikit-learn's neighbour estimators take
    with ``metric="precomputed"``, as its ``KNeighborsTransformer`` does. A forest is learnt from the points themselves,
    centred and scaled to a mean squared length of 1.

    Parameters
    ----------
    n_neighbors : int, default 5
    mode : {"distance", "connectivity"}
        What ``transform`` gives: distances to ``n_neighbors + 1`` points, the point itself among them if it is one of
        ``fit``; or ones for `n_neighbors`.
    n_trees : int, default 32
        M.
    lam : float, default 0.05
        lambda: the larger, the fewer candidates.
    similarity : {"neighbors", "classes"}
        What is similar: the `n_similar` nearest points, or points of the same class of y.
    n_similar : int, default 100
        K; for fewer points than 2 K half of them.
    n_candidates : int, optional
        How many candidates are compared with a query; by default all.
    n_training_points : int, optional
        Learn from so many points, drawn at random; by default from all. All are searched.
    max_depth, stump_above : int, optional
        See :func:`refimpl.search_forest.search_forest`.
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
    index_ : refimpl.inverted_index.InvertedIndex
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
        self, n_neighbors=5, *, mode="distance", n_trees=32, lam=0.05, similarity="neighbors", n_similar=100,
        n_candidates=None, n_training_points=None, max_depth=16, stump_above=None, kernels="reference",
        max_memory=None, random_state=None, threads=None,
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
        self.stump_above = stump_above
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
        """Learn the forest from X, shape (n, d), and index X."""
        for name, allowed in (("mode", MODES), ("similarity", SIMILARITIES)):
            require_one_of(getattr(self, name), allowed, name)
        options = {"dtype": [np.float64, np.float32], "order": "C", "copy": True, "ensure_min_samples": 2}
        if self.similarity == "classes":
            X, y = validate_data(self, X, y, **options)
        else:
            X = validate_data(self, X, **options)
        kernels, rng, k = kernels_named(self.kernels), as_random_generator(self.random_state), self.n_similar
        self._X, self.n_samples_fit_ = X, len(X)
        self._middle = X.mean(axis=0)
        self._scale = np.sqrt(((X - self._middle) ** 2).sum(axis=1, dtype=np.float64).mean()) or 1.0
        rows = np.arange(len(X))
        if self.n_training_points is not None:
            wanted = as_count(self.n_training_points, "n_training_points", 2)
            rows = np.sort(rng.choice(len(X), min(wanted, len(X)), replace=False))
        Z = self._mapped(X)
        if self.similarity == "classes":
            S = label_similarity(y[rows])
        else:
            k = max(1, min(as_count(k, "n_similar"), len(rows) // 2))
            S = neighbor_similarity(Z[rows], k, kernels=kernels, threads=self.threads)
        self.forest_ = search_forest(
            Z[rows], S, self.n_trees, self.lam, rng=rng, kernels=kernels, max_depth=self.max_depth,
            stump_above=self.stump_above, max_memory=self.max_memory, threads=self.threads,
        )  # fmt: skip
        self.index_ = InvertedIndex(self.forest_, Z, keep_vectors=False, kernels=kernels, threads=self.threads)
        return self

    def _mapped(self, X):
        return ((X - self._middle) / self._scale).astype(self._X.dtype)

    def _queries(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=self._X.dtype, order="C", reset=False)

    def candidates(self, X, most=None):
        """The points that the forest selects for each query: a :class:`refimpl.inverted_index.Selection`.

        Parameters
        ----------
        X : array_like, shape (m, d)
        most : int, optional
            By default all.
        """
        return self.index_.candidates(self._mapped(self._queries(X)), most)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The nearest of each query's candidates.

        Parameters
        ----------
        X : array_like, shape (m, d), optional
            By default the points of ``fit``, none of which is then its own neighbour.
        n_neighbors : int, optional
            k.
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
        if k > self.n_samples_fit_ - own:
            raise ValueError(f"n_neighbors is {k}; there are {self.n_samples_fit_ - own} points to choose from")
        X = self._X if own else self._queries(X)
        found = self.index_.candidates(self._mapped(X), self.n_candidates)
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
        return (np.sqrt(squares), indices) if return_distance else indices

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """The neighbours as a sparse matrix, shape (m, n), with k entries in each row: ones, or distances."""
        require_one_of(mode, MODES, "mode")
        distances, indices = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones(indices.shape)
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        return sparse.csr_matrix((values.ravel(), indices.ravel(), starts), shape=(len(indices), self.n_samples_fit_))

    def transform(self, X):
        """The graph of neighbours: scipy.sparse.csr_matrix, shape (m, n)."""
        check_is_fitted(self)
        k = as_count(self.n_neighbors, "n_neighbors") + (self.mode == "distance")
        return self.kneighbors_graph(X, min(k, self.n_samples_fit_), self.mode)

    @property
    def _n_features_out(self):
        return self.n_samples_fit_
