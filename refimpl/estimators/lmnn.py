"""scikit-learn estimators over LMNN: Weinberger & Saul (2008)."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from refimpl.checks import as_count, one_of
from refimpl.estimators.arguments import as_random_generator, kernels_named
from refimpl.lmnn import kmeans_partition, lmnn, lmnn_rect, lmnn_svd, stalled
from refimpl.lmnn.arguments import require_neighbors, require_scale
from refimpl.lmnn.neighbors import metric_neighbors, votes

PATIENCE = 5  # full checks in which the error of points held out does not fall, after which the training ends


def _training_data(estimator, X, y):
    """X, the classes, the place of each point's class among them, and k."""
    X, y = validate_data(estimator, X, y, dtype=np.float64, order="C", copy=True)
    check_classification_targets(y)
    classes, places = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError("y has one class; LMNN needs at least two classes")
    k = as_count(estimator.n_neighbors, "n_neighbors")
    data = f" (n_samples = {X.shape[0]}, n_features = {X.shape[1]})"
    require_neighbors(k, classes, places, "n_neighbors", data)
    require_scale(X)
    return X, classes, places, k


def _finished(result, max_checks):
    """The result, with a warning if it has not converged and no validation set ended the training."""
    if not result.converged and not stalled(result.validation_errors, PATIENCE):
        remedy = f". Raise max_checks = {max_checks} or tol" if result.full_checks == max_checks else ""
        warnings.warn(f"LMNN did not converge: {result.message}{remedy}", ConvergenceWarning, stacklevel=3)
    return result


class LMNN(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Map points so that Euclidean distances between the images are the learnt metric: LMNN.

    Source: Weinberger & Saul (2008), §§ 2-4. A k-nearest-neighbour classifier is what follows it in a pipeline.

    Parameters
    ----------
    n_neighbors : int, default 3
        k target neighbours for each point; every class needs k + 1 points.
    mu : float, default 1.0
        What a violated margin counts (eq. 3).
    n_components : int, optional
        Rank of the metric at most, and dimensions of the images; by default as many as there are features. Where the
        metric has a lower rank, as with a constant feature, the last dimensions are 0.
    low_rank : {"rect", "svd"}, default "rect"
        With `n_components`: LMNN-RECT learns the factor itself, LMNN-SVD keeps the leading eigenvectors (§ 4.3).
    tol : float, default 1e-3
        See :func:`refimpl.lmnn.lmnn` and :func:`refimpl.lmnn.lmnn_rect`.
    max_checks : int, default 200
        Full checks of all triples at most.
    warm_start : bool, default False
        True makes ``fit`` start from the metric of the last ``fit``.
    callback : callable, optional
        Gets a :class:`refimpl.lmnn.model.Step` after each full check.
    max_memory : int, optional
        Bytes; see :func:`refimpl.lmnn.estimate_memory`.
    kernels : {"reference", "fast"}, default "reference"
        The results are the same to the last bit.
    threads : int, optional
        None for all. The result does not depend on it.

    Attributes
    ----------
    components_ : ndarray, shape (r, n_features)
        L of M = L^T L; ``transform`` multiplies by it.
    result_ : refimpl.lmnn.LMNNResult
        With the certificate: objective, bound, `converged`, history. With `n_components` and "rect" there is no
        certificate: `converged` tells that the last steps lowered the objective by less than `tol` of it, at what may
        be a local minimum. With "svd" all of it is about the metric of full rank, of which a part is kept.
    n_features_in_ : int

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If `result_.converged` is False; ``result_.message`` and the warning say why.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> LMNN(n_components=2).fit(X, y).transform(X).shape
    (150, 2)
    """

    def __init__(
        self, n_neighbors=3, *, mu=1.0, n_components=None, low_rank="rect", tol=1e-3, max_checks=200, warm_start=False,
        callback=None, max_memory=None, kernels="reference", threads=None,
    ):  # fmt: skip
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.n_components = n_components
        self.low_rank = low_rank
        self.tol = tol
        self.max_checks = max_checks
        self.warm_start = warm_start
        self.callback = callback
        self.max_memory = max_memory
        self.kernels = kernels
        self.threads = threads

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y):
        """Learn the metric from X, shape (n, d), and the classes y, shape (n,)."""
        before = getattr(self, "components_", None) if self.warm_start else None
        X, _, places, k = _training_data(self, X, y)
        r = X.shape[1] if self.n_components is None else as_count(self.n_components, "n_components")
        one_of(self.low_rank, ("rect", "svd"), "low_rank")
        if r > X.shape[1]:
            raise ValueError(f"n_components must be at most {X.shape[1]}, the features of X; got {r}")
        rect = r < X.shape[1] and self.low_rank == "rect"
        fits = before is not None and before.shape[1] == X.shape[1] and (not rect or len(before) == r)
        options = {
            "tol": self.tol, "max_checks": self.max_checks, "callback": self.callback, "threads": self.threads,
            "kernels": kernels_named(self.kernels), "max_memory": self.max_memory,
            "start": before if fits else None,
        }  # fmt: skip
        if rect:
            self.result_ = _finished(lmnn_rect(X, places, r, k, self.mu, **options), self.max_checks)
        else:
            self.result_ = _finished(lmnn(X, places, k, self.mu, **options), self.max_checks)
        L = lmnn_svd(self.result_, r) if r < X.shape[1] and not rect else self.result_.L[0]
        self.components_ = np.pad(L, ((0, r - len(L)), (0, 0)))  # the metric can have a lower rank
        return self

    def transform(self, X):
        """X L^T: ndarray, shape (m, r)."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False) @ self.components_.T

    @property
    def _n_features_out(self):
        return len(self.components_)


class MultiMetricLMNN(ClassifierMixin, BaseEstimator):
    """k nearest neighbours under several metrics, learnt together: Weinberger & Saul (2008), § 5.

    Parameters
    ----------
    n_neighbors : int, default 3
        k: target neighbours in training, and neighbours that vote; every class needs k + 1 points.
    partition : "classes" or int, default "classes"
        One metric for each class, or for each of so many clusters found by k-means.
    mu, tol, max_checks, callback, max_memory, kernels, threads
        As for :class:`LMNN`.
    validation : float, optional
        Share of the points of each class that is held out: the training ends when their error no longer falls. They
        vote all the same.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        For k-means and the points held out.

    Attributes
    ----------
    classes_ : ndarray, shape (n_classes,)
    components_ : ndarray, shape (n_metrics, r, n_features)
        Factors of the metrics.
    partition_ : ndarray, shape (n,)
        Metric of each training point.
    result_ : refimpl.lmnn.LMNNResult
    n_features_in_ : int

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If `result_.converged` is False and it was not the points held out that ended the training: their error then
        fell no longer for 5 full checks.
    """

    def __init__(
        self, n_neighbors=3, *, partition="classes", mu=1.0, tol=1e-3, max_checks=200, validation=None, callback=None,
        max_memory=None, kernels="reference", random_state=None, threads=None,
    ):  # fmt: skip
        self.n_neighbors = n_neighbors
        self.partition = partition
        self.mu = mu
        self.tol = tol
        self.max_checks = max_checks
        self.validation = validation
        self.callback = callback
        self.max_memory = max_memory
        self.kernels = kernels
        self.random_state = random_state
        self.threads = threads

    def fit(self, X, y):
        """Learn the metrics from X, shape (n, d), and the classes y, shape (n,)."""
        X, classes, places, k = _training_data(self, X, y)
        rng = as_random_generator(self.random_state)
        if isinstance(self.partition, str):
            if self.partition != "classes":
                raise ValueError(f"partition must be 'classes' or a number of clusters; got {self.partition!r}")
            partition = places
        else:
            partition = kmeans_partition(X, as_count(self.partition, "partition"), rng)
        kept = self._kept(places, k, rng)
        metric, inside = np.unique(partition[kept], return_inverse=True)
        found = lmnn(
            X[kept], places[kept], k, self.mu, partition=inside, tol=self.tol, max_checks=self.max_checks,
            validation=None if kept.all() else (X[~kept], places[~kept]), patience=PATIENCE, callback=self.callback,
            max_memory=self.max_memory, kernels=kernels_named(self.kernels), threads=self.threads,
        )  # fmt: skip
        self.result_ = _finished(found, self.max_checks)
        nearest = np.abs(metric[:, None] - partition).argmin(axis=0)  # a cluster that was held out whole
        self.components_, self.partition_ = self.result_.L, nearest
        self.classes_, self._X, self._places = classes, X, places
        return self

    def _kept(self, places, k, rng):
        """Which points the metrics are learnt from; each class keeps k + 1 at least."""
        kept = np.ones(len(places), dtype=bool)
        if self.validation is None:
            return kept
        if not 0 < self.validation < 1:
            raise ValueError(f"validation must be a share between 0 and 1, or None; got {self.validation}")
        for c in range(places.max() + 1):
            members = rng.permutation(np.flatnonzero(places == c))
            kept[members[: min(int(self.validation * len(members)), len(members) - k - 1)]] = False
        return kept

    def _neighbors(self, X, n_neighbors=None):
        check_is_fitted(self)
        X = None if X is None else validate_data(self, X, dtype=np.float64, order="C", reset=False)
        k = as_count(self.n_neighbors if n_neighbors is None else n_neighbors, "n_neighbors")
        return metric_neighbors(
            self._X, X, k, self.components_, self.partition_, kernels=kernels_named(self.kernels), threads=self.threads
        )

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Distances (eq. 8, not squared) and places of the k nearest training points: two arrays of shape (m, k).

        Without X the queries are the training points, none of which is its own neighbour. With
        ``return_distance=False`` the result is the places alone.
        """
        squares, indices = self._neighbors(X, n_neighbors)
        return (np.sqrt(squares), indices) if return_distance else indices

    def predict_proba(self, X):
        """Shares of the k votes that each class gets: ndarray, shape (m, n_classes), in the order of `classes_`.

        X=None stands for the training points, each without its own vote.
        """
        indices = self._neighbors(X)[1]
        return votes(self._places[indices], len(self.classes_)) / indices.shape[1]

    def predict(self, X):
        """Classes of X, shape (m, d): ndarray, shape (m,).

        The class with most of the k votes; of classes with equally many the first of `classes_`.
        """
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]
