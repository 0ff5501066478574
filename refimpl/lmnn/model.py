"""The options of LMNN's trainings, their state after a full check, their result and its use.

A metric is used for k nearest neighbours: eq. 8 of Weinberger & Saul (2008). The squared distance
from a query to a training point is taken under the metric of the training point's partition.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from refimpl.arrays import as_array, as_matrix, as_reals, as_vectors_like, for_kernel, in_range
from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, as_labels, one_of, positive, set_checked
from refimpl.progress import Step
from refimpl.results import immutable, result
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

Solver: TypeAlias = Literal["smoothed", "printed"]
Search: TypeAlias = Literal["product", "tree"]


@immutable
@dataclass(frozen=True, eq=False)
class LMNNOptions:
    """How :func:`refimpl.lmnn.lmnn` and :func:`refimpl.lmnn.lmnn_rect` train.

    Options are compared by value. They cannot be hashed, because `validation` may hold arrays.

    Parameters
    ----------
    solver : {"smoothed", "printed"}, optional
        "smoothed" takes L-BFGS steps on smoothed hinges and proves how near the optimum is
        (:func:`refimpl.lmnn.solvers.descend`). "printed" takes the steps of § 3 as in
        ``algorithm.py``. They mostly come within 0.5 % of the optimum, whatever the scales of the
        columns, but often without a proof; the `message` and `converged` of the result then say so.
        The default is "smoothed", but "printed" if a validation set stops the training of several
        metrics, because early stopping needs the path of the printed steps. `lmnn_rect` has its own
        solver and accepts only None.
    search : {"product", "tree"}, default "product"
        How full checks look for impostors: by filtered scalar products, or in ball trees (§ 4.2),
        which are faster in few dimensions. The result is the same.
    tol : float, optional
        The tolerance that ends the training. `lmnn` ends when the gap between the objective and its
        lower bound is at most `tol` times the objective; the default is 1e-3. An objective below a
        thousandth of n k, or of the objective of M = 0 (mu for each triple) if that is smaller,
        counts as 0, and the gap is compared with `tol` times this thousandth. With less than 1e-10
        rounding errors may hide the proof; then the training ends where neither the objective nor
        the bound moves, and warns. `lmnn_rect` ends when
        the steps between two full checks lower the objective by less than `tol` times its value;
        the default is 1e-4.
    max_checks : int, default 200
        The largest number of full checks of all triples in each round of target neighbours.
    n_target_rounds : int, default 1
        How many times target neighbours are chosen: first as `targets` says, then under the metric
        just learnt. `lmnn_rect` accepts only 1.
    validation : (array_like, array_like), optional
        Points, shape (m, d), and their labels, shape (m,), of the type of y. The training ends when
        their k-NN error has not fallen for `patience` full checks, and the metrics with the lowest
        error are returned. A training of several metrics starts from a single metric, whose
        training ends in the same way.
    patience : int, default 5
        How many full checks without a lower validation error to wait for.

    Raises
    ------
    TypeError, ValueError
        If a value has the wrong type or is out of range.

    See Also
    --------
    refimpl.lmnn.lmnn, refimpl.lmnn.lmnn_rect : The trainings that take them.

    Examples
    --------
    >>> from refimpl.lmnn import LMNNOptions
    >>> LMNNOptions(tol=1e-2).max_checks
    200
    >>> LMNNOptions(search="hash")
    Traceback (most recent call last):
        ...
    ValueError: search must be 'product' or 'tree'; got 'hash'
    """

    solver: Solver | None = None
    search: Search = "product"
    tol: float | None = None
    max_checks: int = 200
    n_target_rounds: int = 1
    validation: tuple[ArrayLike, ArrayLike] | None = None
    patience: int = 5

    def __post_init__(self) -> None:
        if self.solver is not None:
            one_of(self.solver, ("smoothed", "printed"), "solver")
        one_of(self.search, ("product", "tree"), "search")
        set_checked(self, positive, "tol")
        set_checked(self, as_count, "max_checks", "n_target_rounds", "patience")
        if self.validation is not None:
            object.__setattr__(self, "validation", _as_pair(self.validation))


def _as_pair(validation: object) -> tuple[ArrayLike, ArrayLike]:
    """Return points and labels as a tuple."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise TypeError(
            "validation must be a pair (points, labels), or None; "
            f"got an object of type {type(validation).__name__}"
        )
    points, labels = validation
    return points, labels


class ConvergenceWarning(UserWarning):
    """Warning that a training of LMNN ended before it was proven to be near the optimum.

    The message says how far the objective is from its lower bound.

    See Also
    --------
    LMNNResult : Its `converged`, `bound` and `message`.

    Examples
    --------
    >>> import warnings
    >>> from refimpl.lmnn import ConvergenceWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ConvergenceWarning)
    """


@dataclass(frozen=True, eq=False)
class Check:
    """State of a training after a full check of all triples: the `state` of a callback's step.

    Attributes
    ----------
    t : int
        The number of full checks so far in this round of target neighbours.
    L : ndarray, shape (partitions, r, d), float64
        The best factors so far.
    objective : float
        Eq. 3 over all triples at `L`. It never rises from one full check to the next.
    bound : float
        A lower bound: no metric of the columns that are used has a lower objective
        (:mod:`refimpl.lmnn.certificate`).
    active : int
        The number of active triples (those with positive slack) at the last factors tried.
    pairs : int
        The number of pairs in the working set.
    evaluations : int
        How many times the working set was evaluated so far.
    h, epsilon, gradient_norm : float
        The width of the smoothed hinges, the strength of the barrier, and the norm of the gradient
        of the smoothed problem by L, divided by that of the pull.
    settled : bool
        Whether the last steps gained so little that the training ends (low rank only).
    stuck : bool
        Whether the solver ends without a proof, because neither the objective nor the bound moves.

    See Also
    --------
    refimpl.Step : What a callback gets.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import lmnn
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> objectives = []
    >>> model = lmnn(X, y, 1, callback=lambda step: objectives.append(step.state.objective))
    >>> objectives[-1] == model.objective
    True
    """

    t: int
    L: FloatArray
    objective: float
    bound: float
    active: int
    pairs: int
    evaluations: int
    h: float
    epsilon: float
    gradient_norm: float
    settled: bool = False
    stuck: bool = False

    @property
    def gap(self) -> float:
        """How much the objective can be above the optimum, relative to the objective."""
        return relative_gap(self.objective, self.bound)


@result
@dataclass(frozen=True, eq=False)
class LMNNResult:
    """The learnt metrics: one metric, or one for each part of a partition.

    Attributes
    ----------
    L : ndarray, shape (partitions, r, d), float64
        The factors of the metrics M = L^T L; r is at most d.
    partition : ndarray, shape (n,), int64
        The index of each training point's metric; all 0 with one metric.
    targets : ndarray, shape (n, k), int64
        The target neighbours of each training point.
    mu : float
        The weight of the violated margins in eq. 3.
    objective : float
        Eq. 3 over all triples at `L`.
    bound : float
        A lower bound: no positive semidefinite M has a lower objective. It is 0 if no bound is
        known, which is so for low rank, and if a column was left out because its values differ by
        no more than rounding errors. A column that equals a sum of other columns up to rounding
        errors counts as their sum; see :mod:`refimpl.lmnn.certificate`.
    converged : bool
        Whether the training ended as `tol` of :class:`LMNNOptions` says: near the optimum or, for
        :func:`lmnn_rect`, where the last steps gained little.
    message : str
        Why the training ended and, if `converged` is False, how far from the optimum `L` may be.
    history : ndarray, shape (full checks, 6), float64
        `objective`, `bound`, `active`, `pairs`, `evaluations` and `gradient_norm` of the
        :class:`Check` after each full check.
    validation_errors : ndarray, shape (full checks,) or (0,), float64
        The share of the validation set that is misclassified after each full check.

    See Also
    --------
    refimpl.lmnn.lmnn, refimpl.lmnn.lmnn_rect : The trainings.
    refimpl.lmnn.classify, refimpl.lmnn.metric_neighbors : What a metric is for.
    refimpl.save, refimpl.load : Write it to a file and read it.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import lmnn
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> model = lmnn(X, y, 1)
    >>> model.converged, model.L.shape, model.M.shape
    (True, (1, 1, 1), (1, 1, 1))
    """

    L: FloatArray
    partition: IntArray
    targets: IntArray
    mu: float
    objective: float
    bound: float
    converged: bool
    message: str
    history: FloatArray
    validation_errors: FloatArray

    @property
    def M(self) -> FloatArray:
        """The metrics, shape (partitions, d, d)."""
        return self.L.transpose(0, 2, 1) @ self.L

    @property
    def full_checks(self) -> int:
        """The number of full checks of all triples."""
        return len(self.history)

    @property
    def gap(self) -> float:
        """How much the objective can be above the optimum, relative to the objective."""
        return relative_gap(self.objective, self.bound)


LMNNCallback: TypeAlias = Callable[[Step[Check, LMNNResult]], bool | None]
"""A function of a :class:`refimpl.Step` whose state is a :class:`Check`."""

Metric: TypeAlias = LMNNResult | ArrayLike
"""A learnt metric: a result, or factors of shape (r, d) or (partitions, r, d)."""


def relative_gap(objective: float, bound: float) -> float:
    """Return (objective - bound) / objective; 0 for an objective of 0."""
    return (objective - bound) / objective if objective > 0 else 0.0


def factors_of(metric: Metric) -> FloatArray:
    """Return the factors of a metric, shape (partitions, r, d), float64."""
    L = as_reals(metric.L if isinstance(metric, LMNNResult) else metric, "metric", "factors")
    return L[None] if L.ndim == 2 else L


def _factors_for(metric: Metric, d: int) -> FloatArray:
    """Return the factors of a metric, checked, of points with d columns."""
    L = factors_of(metric)
    if L.ndim != 3 or L.shape[2] != d or L.size == 0:
        raise ValueError(
            f"metric must hold factors of shape (r, {d}) or (partitions, r, {d}), as X has {d} "
            f"column(s); got shape {shape_of(metric)}"
        )
    if not np.isfinite(L).all():
        raise ValueError("metric must hold finite numbers; got NaN or infinity")
    return in_range(L, "metric")


def shape_of(metric: Metric) -> tuple[int, ...]:
    """Return the shape of the factors as the caller gave them."""
    return np.shape(metric.L if isinstance(metric, LMNNResult) else metric)


# ------------------------------------------------------------------------------ nearest neighbours

Method: TypeAlias = Literal["auto", "tree", "scan", "brute"]


def metric_neighbors(
    metric: Metric,
    Q: ArrayLike | None,
    X: ArrayLike,
    k: int,
    *,
    partition: ArrayLike | None = None,
    method: Method = "auto",
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the k nearest points of X for each query: eq. 8.

    Parameters
    ----------
    metric : LMNNResult or array_like, shape (r, d) or (partitions, r, d)
        A result of :func:`lmnn` or :func:`lmnn_rect`, or factors L of metrics M = L^T L.
    Q : array_like, shape (m, d), or None
        Queries. With None the queries are the points of X, and no point is its own neighbour (leave
        one out).
    X : array_like, shape (n, d)
        Points to choose the neighbours from.
    k : int
        The number of neighbours: at most n, or n - 1 if Q is None.
    partition : array_like of int, shape (n,), optional
        The index of the metric of each point of X. It is needed with several metrics, unless
        `metric` is the result of a training on X.
    method : {"auto", "tree", "scan", "brute"}, default "auto"
        As for :func:`refimpl.ball_trees.nearest_neighbors`.
    kernels, threads
        As for :func:`lmnn`.

    Returns
    -------
    squares : ndarray, shape (m, k), float64
        Squared distances, in ascending order.
    indices : ndarray, shape (m, k), int64
        Rows of X; among equal distances the lowest index comes first.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    classify : The class of most of the neighbours.
    refimpl.ball_trees.nearest_neighbors : The same under one metric.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import metric_neighbors
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    >>> squares, indices = metric_neighbors(np.diag([5.0, 1.0]), [[0.0, 1.0]], X, 2)
    >>> indices.tolist(), squares.tolist()
    ([[0, 2]], [[1.0, 4.0]])
    """
    points = as_matrix(X, "X")
    L = _factors_for(metric, points.shape[1])
    places = _partition_of(metric, L, partition, len(points))
    queries = points if Q is None else as_vectors_like(Q, points, "Q")
    most = len(points) - (Q is None)
    k = as_count(k, "k", most=most, why="the points to choose from")
    all_squares = []
    all_indices = []
    for alpha in np.unique(places):
        members = np.flatnonzero(places == alpha)
        count = min(k + (Q is None), len(members))  # one more, as the point itself is dropped
        near = nearest_neighbors(
            queries,
            points[members],
            count,
            L[alpha],
            method=method,
            kernels=kernels,
            threads=threads,
        )
        index = members[near.indices]
        itself = np.zeros(index.shape, dtype=bool)
        if Q is None:
            itself = index == np.arange(len(queries))[:, None]
        all_squares.append(np.where(itself, np.inf, near.squares))
        all_indices.append(index)
    squares = np.concatenate(all_squares, axis=1)
    indices = np.concatenate(all_indices, axis=1)
    order = np.lexsort((indices, squares), axis=1)[:, :k]  # LM:eq8, LM:5:2
    return np.take_along_axis(squares, order, axis=1), np.take_along_axis(indices, order, axis=1)


def _partition_of(metric: Metric, L: FloatArray, partition: ArrayLike | None, n: int) -> IntArray:
    """Return the index of the metric of each of n points."""
    if partition is None and len(L) == 1:
        return np.zeros(n, dtype=np.int64)
    if partition is None and isinstance(metric, LMNNResult):
        if len(metric.partition) != n:
            raise ValueError(
                "partition must be passed if X is not the X of the training, which had "
                f"{len(metric.partition)} points; got {n} points and partition=None"
            )
        return metric.partition
    if partition is None:
        raise ValueError(f"partition must say which of {len(L)} metrics each point has; got None")
    what = f"the index of a metric, 0 to {len(L) - 1}, for all {n} points"
    return indices_of(partition, "partition", (n,), len(L), what)


def indices_of(value: ArrayLike, name: str, shape: tuple[int, ...], n: int, what: str) -> IntArray:
    """Return numbers from 0 to n - 1 of a shape, checked, as kernels take them."""
    places = as_array(value, name, "indices")
    whole = places.shape == shape and places.dtype.kind in "iu"
    if not whole or not ((places >= 0) & (places < n)).all():
        raise ValueError(f"{name} must hold {what}; got shape {places.shape}, dtype {places.dtype}")
    return for_kernel(places, np.int64)


def classify(
    metric: Metric,
    Q: ArrayLike | None,
    X: ArrayLike,
    y: ArrayLike,
    k: int,
    *,
    partition: ArrayLike | None = None,
    method: Method = "auto",
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Labels:
    """Return for each query the majority class of its k nearest points of X: eq. 8.

    Among classes with equally many votes the first in sorted order wins, as in scikit-learn's k-NN.

    Parameters
    ----------
    metric, Q, X
        As for :func:`metric_neighbors`.
    y : array_like, shape (n,)
        Classes of the points of X.
    k : int
        The number of neighbours that vote.
    partition, method, kernels, threads
        As for :func:`metric_neighbors`.

    Returns
    -------
    ndarray, shape (m,)
        Classes, in the dtype of `y`.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    metric_neighbors : The neighbours themselves.
    leave_one_out_error : The error on the points of X.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import classify
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
    >>> classify(np.eye(1), [[0.5], [9.0]], X, y, 1).tolist()
    ['low', 'high']
    """
    points = as_matrix(X, "X")
    labels, classes = np.unique(as_labels(y, len(points), "y"), return_inverse=True)
    indices = metric_neighbors(
        metric, Q, points, k, partition=partition, method=method, kernels=kernels, threads=threads
    )[1]
    winners: Labels = labels[votes(classes[indices], len(labels)).argmax(axis=1)]
    return winners


def votes(near: IntArray, n_classes: int) -> IntArray:
    """Return how many of the k neighbours, (m, k), are of each class, (m, n_classes)."""
    rows = np.arange(len(near))[:, None] * n_classes
    counts = np.bincount((rows + near).ravel(), minlength=len(near) * n_classes)
    return counts.reshape(-1, n_classes)


def leave_one_out_error(
    metric: Metric,
    X: ArrayLike,
    y: ArrayLike,
    k: int,
    *,
    partition: ArrayLike | None = None,
    method: Method = "auto",
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> float:
    """Return the share of the points of X that their k nearest other points misclassify: § 5.

    Parameters
    ----------
    metric, X, y, k, partition, method, kernels, threads
        As for :func:`classify`.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    classify : The classes of other queries.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import leave_one_out_error
    >>> leave_one_out_error(np.eye(1), [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 0], 1)
    0.5
    """
    # LM:5:3
    classes = classify(
        metric, None, X, y, k, partition=partition, method=method, kernels=kernels, threads=threads
    )
    return float((classes != np.asarray(y)).mean())
