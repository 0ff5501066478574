"""The scikit-learn classifier over several metrics of LMNN: Weinberger & Saul (2008), § 5."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from refimpl.checks import as_count
from refimpl.estimators.arguments import (
    all_or_nothing,
    as_random_generator,
    described,
    queries_of,
    work_of,
)
from refimpl.estimators.bases import BaseEstimator, ClassifierMixin
from refimpl.estimators.lmnn import LMNN, RandomState, held_in, options_of, trained, training_data
from refimpl.lmnn import kmeans_partition, lmnn, metric_neighbors
from refimpl.lmnn.model import LMNNCallback, Search, Solver, votes
from refimpl.typing import ArrayLike, FloatArray, IntArray, KernelsName, Labels


@described("refimpl.lmnn", LMNN)
@dataclass(eq=False, repr=False)
class MultiMetricLMNN(ClassifierMixin, BaseEstimator):
    """Classify by k nearest neighbours under several metrics, learnt together: § 5.

    A *partition* divides the training points into parts, each with a metric of its own. The
    distance from a query to a training point is taken under the metric of the training point.

    Several metrics have many parameters and overfit small sets. By default the estimator therefore
    holds back 30 % of the training points and stops early, as the paper's experiments do (§ 5.2).
    ``validation=None`` trains to the optimum of eq. 3, which is the problem of § 5.1 and the
    default of :func:`refimpl.lmnn.lmnn`. If a class has fewer points than there are columns, one
    metric is often better, even so (:class:`LMNN`).

    Source: Weinberger & Saul (2008), § 5.

    Parameters
    ----------
    n_neighbors : int, default 3
        k, the number of target neighbours of each point, and the number of neighbours that vote;
        every class needs at least k + 1 points.
    partition : "classes" or int, default "classes"
        The points that share a metric: the points of a class, or of a cluster. A number is the
        number of clusters, which k-means finds.
    mu, solver, search, tol, max_checks, n_target_rounds, patience, callback
        As for :class:`LMNN`.
    validation : float or None, default 0.3
        The share of the points of each class that is held out. The training ends when their k-NN
        error has not fallen for `patience` full checks of all triples, and the metrics of the
        lowest error are kept. The points held out vote in predictions. A class of k + 1 points
        holds out none; if no class holds out any, or with None, all points train and the training
        ends at the optimum of eq. 3.
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        The source of random numbers; pass an integer to get the same result from each ``fit``. It
        draws the start of k-means and the points that are held out.
    kernels, n_jobs, max_memory
        As for all estimators.

    Attributes
    ----------
    model_ : refimpl.lmnn.LMNNResult
        The trained model, with its objective, bound, `converged` and history.
    classes_ : ndarray, shape (n_classes,)
        The class labels, in ascending order.
    components_ : ndarray, shape (n_metrics, r, n_features), float64
        The factors L of the metrics M = L^T L.
    partition_ : ndarray, shape (n,), int64
        The index of each training point's metric.
    n_features_in_ : int
        The number of columns of X in ``fit``.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If ``model_.converged`` is False, unless the validation error ended the training. The
        warning and ``model_.message`` say why.

    See Also
    --------
    refimpl.estimators.LMNN : A transformer with one metric.
    refimpl.lmnn.lmnn, refimpl.lmnn.classify : The training and the classification.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from refimpl.estimators import MultiMetricLMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiMetricLMNN(random_state=0).fit(X[::2], y[::2])
    >>> model.components_.shape
    (3, 4, 4)
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    n_neighbors: int = 3
    _: KW_ONLY
    partition: str | int = "classes"
    mu: float = 1.0
    solver: Solver | None = None
    search: Search = "product"
    tol: float = 1e-3
    max_checks: int = 200
    n_target_rounds: int = 1
    validation: float | None = 0.3
    patience: int = 5
    random_state: RandomState = None
    kernels: KernelsName | None = None
    n_jobs: int | None = -1
    callback: LMNNCallback | None = None
    max_memory: int | None = None
    partition_: IntArray = field(init=False)
    n_features_in_: int = field(init=False)

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the metrics from X, (n, n_features), and the classes y, (n,); return self."""
        points, classes, places, k = training_data(self, X, y)
        rng = as_random_generator(self.random_state)
        partition = self._partition(points, places, rng)
        kept = held_in(self.validation, places, k, rng)
        metric, inside = np.unique(partition[kept], return_inverse=True)
        model = trained(
            lmnn,
            points[kept],
            places[kept],
            k,
            self.mu,
            partition=inside,
            **options_of(self, points, places, kept),
        )
        # a cluster whose points were all held out has no metric and takes another
        nearest = np.abs(metric[:, None] - partition).argmin(axis=0)
        self.model_ = model
        self.components_ = model.L
        self.partition_ = nearest
        self.classes_ = classes
        self._X = points
        self._places = places
        return self

    def _partition(self, X: FloatArray, places: IntArray, rng: np.random.Generator) -> IntArray:
        """Return the part of the partition that each point is in: its class or its cluster."""
        if not isinstance(self.partition, str):
            p = as_count(self.partition, "partition", most=len(X), why="the points of X")
            return kmeans_partition(X, p, rng=rng)
        if self.partition != "classes":
            raise ValueError(
                f"partition must be 'classes' or a number of clusters; got {self.partition!r}"
            )
        return places

    def _neighbors(
        self, X: ArrayLike | None, n_neighbors: int | None = None
    ) -> tuple[FloatArray, IntArray]:
        """Return the squared distances and the indices of the nearest training points."""
        check_is_fitted(self, "model_")
        queries = None if X is None else queries_of(self, X)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        most = len(self._X) - (queries is None)
        k = as_count(k, "n_neighbors", most=most, why="the points to choose from")
        return metric_neighbors(
            self.components_, queries, self._X, k, partition=self.partition_, **work_of(self)
        )

    def kneighbors(
        self,
        X: ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> tuple[FloatArray, IntArray] | IntArray:
        """Return the k nearest training points of each query (eq. 8).

        The queries X, shape (m, n_features), are by default the training points; then no point is
        its own neighbour. k is `n_neighbors`, by default that of the estimator. The distances, not
        squared, float64, come first, but only with `return_distance`, as in scikit-learn; then the
        rows of the training points, int64: both of shape (m, k).
        """
        squares, indices = self._neighbors(X, n_neighbors)
        return (np.sqrt(squares), indices) if return_distance else indices

    def predict_proba(self, X: ArrayLike | None) -> FloatArray:
        """Return the share of the k votes that each class gets: shape (m, n_classes), float64.

        The columns are in the order of `classes_`. X has shape (m, n_features); None stands for
        the training points, each without its own vote.
        """
        indices = self._neighbors(X)[1]
        counts = votes(self._places[indices], len(self.classes_))
        shares: FloatArray = counts / indices.shape[1]
        return shares

    def predict(self, X: ArrayLike | None) -> Labels:
        """Return the class with most votes, shape (m,); of equal ones the first of `classes_`.

        X is that of :meth:`predict_proba`.
        """
        places = self.predict_proba(X).argmax(axis=1)
        classes: Labels = self.classes_[places]
        return classes
