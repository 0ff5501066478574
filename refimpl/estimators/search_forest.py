"""scikit-learn estimator over the Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011)."""

import copy

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from refimpl._checks import as_count
from refimpl.ball_trees import nearest_neighbors
from refimpl.estimators._arguments import as_random_generator, kernels_named, require_one_of
from refimpl.inverted_index import InvertedIndex
from refimpl.search_forest import in_range, label_similarity, neighbor_similarity, search_forest

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
        How many candidates are compared with a query; by default all. As many as neighbours are asked for, at least. A
        point of ``fit`` finds itself, so ``kneighbors`` without X and ``transform`` to distances take one more.
    n_training_points : int, optional
        At least 2. Learn from so many points, drawn at random; by default from all. All are searched.
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
        rows = np.arange(len(X))
        if self.n_training_points is not None:
            rows = np.sort(rng.choice(len(X), min(self.n_training_points, len(X)), replace=False))
        Z = self._mapped(X)
        S = self._similar(Z[rows], None if y is None else y[rows], kernels)
        self.forest_ = search_forest(
            Z[rows], S, self.n_trees, self.lam, rng=rng, kernels=kernels, max_depth=self.max_depth,
            stump_above=self.stump_above, max_memory=self.max_memory, threads=self.threads,
        )  # fmt: skip
        self.index_ = InvertedIndex(self.forest_, Z, keep_vectors=False, kernels=kernels, threads=self.threads)
        return self

    def _check_parameters(self):
        for name, allowed in (("mode", MODES), ("similarity", SIMILARITIES)):
            require_one_of(getattr(self, name), allowed, name)
        k = as_count(self.n_neighbors, "n_neighbors")
        for name in ("n_trees", "n_similar"):
            as_count(getattr(self, name), name)
        if self.n_training_points is not None:
            as_count(self.n_training_points, "n_training_points", 2)
        self._require_candidates(k)

    def _require_candidates(self, k):
        """So many that k neighbours can be among them; compared with fewer, every query would be with all points."""
        if self.n_candidates is not None and as_count(self.n_candidates, "n_candidates") < k:
            raise ValueError(
                f"n_candidates is {self.n_candidates}, fewer than the {k} neighbours asked for; at least {k}, or None "
                "for all, would do"
            )

    def _similar(self, Z, y, kernels):
        """S of the training points; of classes there is one of two points at least."""
        if self.similarity == "neighbors":
            k = max(1, min(self.n_similar, len(Z) // 2))
            return neighbor_similarity(Z, k, kernels=kernels, threads=self.threads)
        if len(np.unique(y)) == len(y):
            raise ValueError(
                f"y: no two of the {len(y)} points that the forest is learnt from are of one class, so none are "
                "similar; classes of several points, or similarity='neighbors', would do"
            )
        return label_similarity(y)

    def _mapped(self, X):
        """Centred and scaled, in the dtype of the points of ``fit``."""
        with np.errstate(over="ignore"):
            Z = ((X - self._middle) / self._scale).astype(self._X.dtype)
        return in_range(Z, "X, centred and scaled as the points of fit,")

    def _queries(self, X):
        check_is_fitted(self)
        return in_range(validate_data(self, X, dtype=self._X.dtype, order="C", reset=False), "X")

    def candidates(self, X, most=None):
        """The points that the forest selects for each query: a :class:`refimpl.inverted_index.Selection`.

        Parameters
        ----------
        X : array_like, shape (m, d)
        most : int, optional
            By default all.
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
        most = None if self.n_candidates is None else self.n_candidates + more
        found = self.index_.candidates(self._mapped(X), most)
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
        require_one_of(mode, MODES, "mode")
        return self._graph(*self.kneighbors(X, n_neighbors), mode)

    def _graph(self, distances, indices, mode):
        values = distances if mode == "distance" else np.ones(indices.shape)
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        return sparse.csr_matrix((values.ravel(), indices.ravel(), starts), shape=(len(indices), self.n_samples_fit_))

    def transform(self, X):
        """The graph of neighbours: scipy.sparse.csr_matrix, shape (m, n)."""
        check_is_fitted(self)
        require_one_of(self.mode, MODES, "mode")
        k, more = as_count(self.n_neighbors, "n_neighbors"), self.mode == "distance"
        self._require_candidates(k)
        squares, indices = self._nearest(X, min(k + more, self.n_samples_fit_), more)
        return self._graph(np.sqrt(squares), indices, self.mode)

    @property
    def _n_features_out(self):
        return self.n_samples_fit_
