"""Weak learners for Algorithm A.2 of Amores, Sebe & Radeva (2006), and the ensembles that they
make.

A *weak learner* finds, for given weights of the training vectors, a simple classifier of small
weighted error. That classifier is a *weak classifier*; AdaBoost adds many of them up to an
ensemble. The paper's appendix calls a generic AdaBoost, and § 5 leaves other weak learners to
future work. :class:`WeakLearner` lists the members that a weak learner must have. :class:`Stumps`
is the paper's own, and :class:`DepthTwoTrees` shows how another weak learner plugs in.
"""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from refimpl.boosted_distance.model import Ensemble, Parameters, StumpEnsemble, TreeEnsemble, stump
from refimpl.checks import as_threads
from refimpl.kernels.sorting import SortedFeatures
from refimpl.kernels.stumps import on_grid
from refimpl.resources import check_free_memory
from refimpl.results import sealed
from refimpl.typing import BoolArray, FloatArray, Kernels

__all__ = ["STUMPS", "DepthTwoTrees", "Differences", "Stumps", "Vectors", "WeakLearner"]


@dataclass(frozen=True, eq=False)
class Differences:
    """All difference vectors a - b of a in A and b in B, without storing them.

    One feature of all differences is computed at a time.

    Attributes
    ----------
    A : ndarray, shape (n_A, d), float64
    B : ndarray, shape (n_B, d), float64

    See Also
    --------
    refimpl.boosted_distance.adaboost : Takes two of them.
    refimpl.boosted_distance.algorithm.difference_vectors : The two sets of a class.

    Examples
    --------
    >>> differences = Differences(np.array([[1.0], [5.0]]), np.array([[1.0], [2.0]]))
    >>> len(differences), differences.column(0).tolist()
    (4, [0.0, -1.0, 4.0, 3.0])
    """

    A: FloatArray
    B: FloatArray

    def __len__(self) -> int:
        return len(self.A) * len(self.B)

    @property
    def shape(self) -> tuple[int, int]:
        """(n_A * n_B, d)."""
        return len(self), self.A.shape[1]

    def column(self, f: int) -> FloatArray:
        """Return feature f of all differences, first with A[0]: ndarray, shape (n_A * n_B,)."""
        return (self.A[:, f, np.newaxis] - self.B[:, f]).ravel()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return all differences as one array, shape (n_A * n_B, d)."""
        needed = 8 * len(self) * self.A.shape[1]
        check_free_memory(needed, "the array of all differences", "vectors or features")
        array = (self.A[:, np.newaxis] - self.B).reshape(self.shape)
        return array.astype(dtype or np.float64, copy=False)


def require_finite_differences(Q: FloatArray, X: FloatArray, name: str) -> None:
    """Refuse vectors whose differences are infinite in some column."""
    with np.errstate(over="ignore"):
        highest = np.maximum(X.max(axis=0), Q.max(axis=0))
        lowest = np.minimum(X.min(axis=0), Q.min(axis=0))
        spread = highest - lowest
    if not np.isfinite(spread).all():
        column = np.argmax(~np.isfinite(spread))
        raise ValueError(
            f"{name}: the differences of column {column} must be finite; got values between "
            f"{lowest[column]:g} and {highest[column]:g}. Rescale the column"
        )


Vectors: TypeAlias = FloatArray | Differences
"""A positive or negative set: an array, shape (n, d), or differences that are never stored."""
Data = TypeVar("Data")
_AnEnsemble: TypeAlias = Ensemble  # in the classes below, Ensemble is an attribute


class WeakLearner(Protocol[Data]):
    """What :func:`refimpl.boosted_distance.adaboost` asks of a weak learner.

    Attributes
    ----------
    Ensemble : type
        Subclass of :class:`refimpl.boosted_distance.model.Ensemble` for the weak classifiers of
        this learner.

    See Also
    --------
    Stumps, DepthTwoTrees : Weak learners.

    Examples
    --------
    A weak learner that looks at the first feature alone:

    >>> from refimpl.boosted_distance import adaboost
    >>> class FirstFeature(Stumps):
    ...     def prepare(self, P, N, *, kernels, threads):
    ...         return super().prepare(P[:, :1], N[:, :1], kernels=kernels, threads=threads)
    >>> P, N = np.array([[0.0, 5.0], [1.0, 5.0]]), np.array([[1.0, 7.0], [2.0, 7.0]])
    >>> adaboost(P, N, 3, weak_learner=FirstFeature()).feature.tolist()
    [0, 0, 0]
    """

    @property
    def Ensemble(self) -> type[_AnEnsemble]:
        """The class of the ensembles."""

    def prepare(self, P: Vectors, N: Vectors, *, kernels: Kernels, threads: int | None) -> Data:
        """Prepare, once, the data that all rounds need, and return them in any form.

        `P` and `N` are two arrays, shape (n_P, d) and (n_N, d), or two :class:`Differences`.
        """

    def select(
        self, data: Data, w: FloatArray, l: BoolArray, *, kernels: Kernels, threads: int | None
    ) -> tuple[float, Parameters]:
        """Find the weak classifier of least weighted error.

        `data` is what `prepare` returned, `w` the weights (sum 1), `l` the labels (bool), positives
        first. Returns the weighted error and the parameters, a tuple in the order of the ensemble's
        fields. The error must be that of the rounded weights,
        ``refimpl.kernels.stumps.on_grid(w)[classify(data, h) != l].sum()``: these sums are exact,
        so ``start=`` can repeat a training bit for bit.
        """

    def classify(self, data: Data, h: Parameters) -> BoolArray:
        """Apply the weak classifier with parameters `h` to all vectors of `data`.

        Returns a bool array, shape (n,).
        """

    def memory(self, P: Vectors, N: Vectors, *, threads: int | None = None) -> int:
        """Return an upper bound of the bytes that `prepare` and one round need."""


class Stumps:
    """The paper's weak learner: the stump of least weighted error over all f, p and theta.

    Source: Amores, Sebe & Radeva (2006), Algorithm A.2, lines 7 and 8. Features are sorted once, so
    a round costs O(n d).

    See Also
    --------
    DepthTwoTrees : Another weak learner.
    WeakLearner : What a weak learner must have.

    Examples
    --------
    >>> from refimpl.boosted_distance import adaboost
    >>> adaboost(np.array([[0.0], [1.0]]), np.array([[3.0]]), 1, weak_learner=Stumps()).threshold
    array([2.])
    """

    Ensemble: type[_AnEnsemble] = StumpEnsemble

    def prepare(
        self, P: Vectors, N: Vectors, *, kernels: Kernels, threads: int | None
    ) -> SortedFeatures:
        """Sort the features once. Of differences only the order is stored."""
        features: SortedFeatures
        if isinstance(P, Differences) and isinstance(N, Differences) and P.B is N.B:
            A = sealed(np.concatenate([P.A, N.A]), copy=False)
            features = kernels.presort(A, P.B, threads=threads)
        else:
            A = sealed(np.concatenate([P, N]), copy=False)
            features = kernels.presort(A, threads=threads)
        return features

    def select(
        self,
        data: SortedFeatures,
        w: FloatArray,
        l: BoolArray,
        *,
        kernels: Kernels,
        threads: int | None,
    ) -> tuple[float, Parameters]:
        """Find the stump of least weighted error: its error and (f, p, theta)."""
        epsilon, f, p, theta = kernels.best_stump(data, w, l, threads=threads)  # BD:A.2:7, BD:A.2:8
        return epsilon, (f, p, theta)

    def classify(self, data: SortedFeatures, h: Parameters) -> BoolArray:
        """Apply a stump (eq. A.1) to all vectors: bool array, shape (n,)."""
        f, p, theta = h
        return stump(data.column(f), p, theta)  # BD:A.2:8

    def memory(self, P: Vectors, N: Vectors, *, threads: int | None = None) -> int:
        """Return an upper bound of the bytes that `prepare` and a round hold, on either kernel."""
        d = P.shape[1]
        if isinstance(P, Differences) and isinstance(N, Differences) and P.B is N.B:
            A = np.concatenate([P.A, N.A])
            counts = [_count_differences(A[:, f], P.B[:, f]) for f in range(d)]
        else:
            columns = ((_column(P, f), _column(N, f)) for f in range(d))
            counts = [_count_values(np.concatenate(column)) for column in columns]
        rows = sum(count[0] for count in counts)
        values = sum(count[1] for count in counts)
        return self._bound(P, N, rows, values, threads)

    def memory_at_most(self, P: Vectors, N: Vectors, *, threads: int | None = None) -> int:
        """Return a bound that is no less than :meth:`memory`, without sorting."""
        values = P.shape[1] * (len(P) + len(N) - 1)
        return self._bound(P, N, values, values, threads)

    def _bound(self, P: Vectors, N: Vectors, rows: int, values: int, threads: int | None) -> int:
        """Return the bound for sorted features of so many rows and bins in all."""
        n = len(P) + len(N)
        d = P.shape[1]
        if isinstance(P, Differences) and isinstance(N, Differences) and P.B is N.B:
            # X by class, as one matrix, as float64; B; the numbers of their values
            n_A, n_B = len(P.A) + len(N.A), len(P.B)
            copies = 8 * d * (3 * n_A + n_B) + 12 * d * (n_A + n_B)
        else:  # P and N as one matrix, and that matrix as float64
            copies = 16 * d * n
        features = rows * (2 if n <= 2**16 else 4) + 4 * values
        threads = as_threads(threads)
        at_a_time = min(d, 64, max(8 * threads, 2**18 // n))  # columns that refimpl_fast sorts
        # np.unique; or columns and tables, while they are sorted twice
        sort = max(64 * n, 8 * n * at_a_time + 40 * n * min(threads, at_a_time))
        # twelve arrays of n: the weights before and after, signed, gathered, summed; the column
        select = 96 * n + 8 * n * threads
        # once more: feature by feature, then in one array; or the rows as refimpl_fast reads them
        again = max(features, 4 * rows)
        bound = features + again + max(sort, select) + copies
        # the gaps that malloc leaves, and Python's objects
        return int(bound + bound // 8 + 1024 * d + 2**20)


STUMPS = Stumps()


def _column(S: Vectors, f: int) -> FloatArray:
    return S.column(f) if isinstance(S, Differences) else S[:, f]


def _count_values(column: FloatArray) -> tuple[int, int]:
    """Count rows and bins of a column beside its largest bin, as they are kept when sorted."""
    _, count = np.unique(column, return_counts=True)
    return int(len(column) - count.max()), len(count) - 1


def _count_differences(a: FloatArray, b: FloatArray) -> tuple[int, int]:
    """Return upper bounds of the same for the differences a[i] - b[j]."""
    x, x_count = np.unique(a, return_counts=True)
    y, y_count = np.unique(b, return_counts=True)
    _, i, j = np.intersect1d(x, y, assume_unique=True, return_indices=True)
    equal = (x_count[i] * y_count[j]).sum()  # the difference zero has this many rows
    rows = int(len(a) * len(b) - max(equal, x_count.max() * y_count.max()))
    return rows, min(rows, len(x) * len(y) - 1)


class DepthTwoTrees(Stumps):
    """Trees grown greedily out of three stumps: the best stump, then the best stump on each side.

    The paper has no such trees. The class shows how another weak learner plugs in (§ 5).

    See Also
    --------
    Stumps : The paper's weak learner.
    refimpl.boosted_distance.model.TreeEnsemble : What a training with these trees returns.

    Examples
    --------
    >>> from refimpl.boosted_distance import adaboost
    >>> P, N = np.array([[0.0], [3.0]]), np.array([[1.0], [2.0]])
    >>> ensemble = adaboost(P, N, 1, weak_learner=DepthTwoTrees())
    >>> (ensemble(np.concatenate([P, N])) > 0).tolist()
    [True, True, False, False]
    """

    Ensemble = TreeEnsemble

    def select(
        self,
        data: SortedFeatures,
        w: FloatArray,
        l: BoolArray,
        *,
        kernels: Kernels,
        threads: int | None,
    ) -> tuple[float, Parameters]:
        """Grow a tree of small weighted error: its error and (features, polarities, thresholds)."""
        _, root = super().select(data, w, l, kernels=kernels, threads=threads)
        side = super().classify(data, root)
        epsilon_yes, yes = super().select(data, w * side, l, kernels=kernels, threads=threads)
        epsilon_no, no = super().select(data, w * ~side, l, kernels=kernels, threads=threads)
        return epsilon_yes + epsilon_no, tuple(zip(root, yes, no, strict=True))

    def classify(self, data: SortedFeatures, h: Parameters) -> BoolArray:
        """Apply the tree to all vectors: bool array, shape (n,)."""
        stumps = zip(*h, strict=True)
        root, yes, no = (Stumps.classify(self, data, parameters) for parameters in stumps)
        return np.where(root, yes, no)


class Replay:
    """A weak learner that repeats the rounds of a trained ensemble before it finds new ones."""

    def __init__(self, trained: _AnEnsemble, learner: WeakLearner[Any]) -> None:
        self.learner = learner
        self._remaining = [trained.weak_classifier(t) for t in range(len(trained))]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.learner, name)

    def select(
        self, data: Any, w: FloatArray, l: BoolArray, **how: Any
    ) -> tuple[float, Parameters]:
        """Return error and parameters of the next trained weak classifier, then of new ones."""
        if not self._remaining:
            return self.learner.select(data, w, l, **how)
        h = self._remaining.pop(0)
        return float(on_grid(w)[self.learner.classify(data, h) != l].sum()), h
