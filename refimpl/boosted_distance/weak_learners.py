"""Weak learners for Algorithm A.2 of Amores, Sebe & Radeva (2006), and the ensembles that they make.

The paper's appendix calls a generic AdaBoost, and § 5 leaves other base learners to future work. A weak learner
is an object with the four members of :class:`WeakLearner`; :class:`Stumps` is the paper's own,
:class:`DepthTwoTrees` shows how another one plugs in.
"""

import dataclasses
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from refimpl.kernels.stumps import on_grid
from refimpl.resources import processors
from refimpl.results import immutable, result, sealed


class WeakLearner(Protocol):
    """What :func:`refimpl.boosted_distance.adaboost` asks of a weak learner.

    Attributes
    ----------
    Ensemble : type
        Subclass of :class:`Ensemble`: a frozen dataclass whose first field is ``alpha``; the other fields are the
        parameters of the weak classifiers, with the rounds along the first axis.
    """

    Ensemble: type

    def prepare(self, P, N, *, kernels, threads):
        """Do, once, what the rounds need. Returns anything; `P` and `N` have ``len``, ``shape``, ``column(f)``."""

    def select(self, data, w, l, *, kernels, threads):
        """Find the weak classifier of least weighted error.

        `data` is what `prepare` returned, `w` the weights (sum 1), `l` the labels (bool), positives first.
        Returns the weighted error and the parameters, a tuple in the order of the ensemble's fields.
        """

    def classify(self, data, h):
        """Apply the weak classifier with parameters `h` to all vectors of `data`: bool array, shape (n,)."""

    def memory(self, P, N, *, threads=None):
        """Bound the bytes that `prepare` and one round need."""


@immutable
@dataclass(frozen=True, eq=False)
class Ensemble:
    """A weighted sum of weak classifiers, H(x) = sum_t alpha_t h_t(x) (eq. 2)."""

    alpha: np.ndarray

    def __post_init__(self):
        for field in dataclasses.fields(self):
            array = _as_numbers(getattr(self, field.name), field.name, "float" if field.name == "alpha" else None)
            object.__setattr__(self, field.name, array)
            if field.name == "alpha" and array.ndim != 1:
                raise ValueError(f"alpha has shape {array.shape}; it must be (T,), one weight for each round")
            if array.shape[:1] != self.alpha.shape:
                raise ValueError(f"{field.name} has shape {array.shape}; it must be ({len(self)}, ...), as alpha has")
        if not np.isfinite(self.alpha).all():
            raise ValueError("alpha: NaN or infinite weights; they must be finite")

    @classmethod
    def from_rounds(cls, rounds):
        """Make an ensemble of rounds: tuples of the weight and the parameters, in the order of the fields."""
        return cls(*[np.array(values) for values in zip(*rounds, strict=True)])

    def __len__(self):
        return len(self.alpha)

    def weak_classifier(self, t):
        """Return the parameters of round t, counted from 0: a tuple in the order of the fields after ``alpha``."""
        return tuple(getattr(self, field.name)[t] for field in dataclasses.fields(self)[1:])

    def rounds(self, first, last):
        """Return the ensemble of the rounds first, ..., last - 1 alone."""
        return type(self)(*(getattr(self, field.name)[first:last] for field in dataclasses.fields(self)))

    def h(self, t, D):
        """Apply the weak classifier of round t to the vectors D, shape (n, d): bool array, shape (n,)."""
        raise TypeError(f"{type(self).__name__} must define h(t, D)")

    def features(self):
        """Return the features that the ensemble looks at: int64 array, ascending."""
        raise TypeError(f"{type(self).__name__} must define features()")

    def __call__(self, D):
        """Return H(x) of eq. 2 for the vectors D, shape (n, d): float64 array, shape (n,)."""
        H = np.zeros(len(D))
        for t in range(len(self)):
            H += self.alpha[t] * self.h(t, D)  # BD:eq2, BD:A.2:14
        return H

    def add_similarity(self, S, Y, X, *, kernels, threads=None):
        """Add H(y - x) to S, shape (n_Y, n_X), for every y in Y and x in X; one x at a time."""
        for i in range(len(X)):
            difference = Y - X[i]
            for t in range(len(self)):
                S[:, i] += self.alpha[t] * self.h(t, difference)


def _as_numbers(values, name, kind=None):
    """A read-only array of float64 or int64; `kind` "float" or "int" asks for one of them."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be an array with one entry for each round ({error})") from None
    if array.dtype.kind not in "iuf" or (kind == "int" and array.dtype.kind == "f" and array.size):
        raise TypeError(f"{name} has dtype {array.dtype}; it must hold {'integers' if kind == 'int' else 'numbers'}")
    is_float = array.dtype.kind == "f" if kind is None else kind == "float"
    dtype = np.dtype(np.float64 if is_float else np.int64)
    return sealed(np.array(array, dtype=dtype, order="C"), copy=False)


def _check_stumps(ensemble, per_round):
    """The stumps of an ensemble: arrays of shape (T, *per_round)."""
    shape = (len(ensemble), *per_round)
    for name, kind in (("feature", "int"), ("polarity", "int"), ("threshold", "float")):
        array = _as_numbers(getattr(ensemble, name), name, kind)
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}; it must be {shape}, for the {shape[0]} rounds of alpha")
        object.__setattr__(ensemble, name, array)
    if ensemble.feature.min(initial=0) < 0:
        raise ValueError(f"feature holds {ensemble.feature.min()}; it must hold numbers of features, from 0")
    if not np.isin(ensemble.polarity, (-1, 1)).all():
        raise ValueError("polarity must hold 1 and -1 alone")
    if np.isnan(ensemble.threshold).any():
        raise ValueError("threshold holds NaN; it must hold numbers, or -inf for a constant stump")


def stump(x_f, p, theta):
    """Return the stump h(x, f, p, theta), 1 if p x_f < p theta and else 0, on an array of x_f (eqs. 3 and A.1)."""
    return p * x_f < p * theta  # BD:eq3, BD:eqA.1


@result
@dataclass(frozen=True, eq=False)
class StumpEnsemble(Ensemble):
    """Phi = {alpha_t, f_t, p_t, theta_t} of Algorithm A.2, Amores, Sebe & Radeva (2006), p. 208.

    Attributes
    ----------
    alpha : ndarray, shape (T,), float64
        Weights of the stumps.
    feature : ndarray, shape (T,), int64
        f_t, the dimension that stump t looks at.
    polarity : ndarray, shape (T,), int64
        p_t, 1 or -1.
    threshold : ndarray, shape (T,), float64
        theta_t, in the units of the feature; -inf makes a constant stump: 0 for polarity 1, 1 for polarity -1.
    """

    feature: np.ndarray
    polarity: np.ndarray
    threshold: np.ndarray

    def __post_init__(self):
        super().__post_init__()
        _check_stumps(self, ())

    def h(self, t, D):
        """Apply stump t (eq. A.1) to the vectors D, shape (n, d): bool array, shape (n,)."""
        return stump(D[:, self.feature[t]], self.polarity[t], self.threshold[t])

    def features(self):
        """Return the features that the ensemble looks at: int64 array, ascending. A constant stump looks at none."""
        return np.unique(self.feature[np.isfinite(self.threshold)])

    def add_similarity(self, S, Y, X, *, kernels, threads=None):
        """Add H(y - x) to S, shape (n_Y, n_X), for every y in Y and x in X (eq. 4)."""
        kernels.add_similarity(
            S, Y, X, self.alpha, self.feature, self.polarity, self.threshold, threads=threads
        )


class Stumps:
    """The paper's weak learner: the stump of least weighted error over all f, p and theta."""

    Ensemble = StumpEnsemble

    def prepare(self, P, N, *, kernels, threads):
        """Sort the features once. Differences are never stored: only their order is."""
        if _one_matrix(P, N):
            return kernels.presort(sealed(np.concatenate([P.A, N.A]), copy=False), P.B, threads=threads)
        return kernels.presort(sealed(np.concatenate([P, N]), copy=False), threads=threads)

    def select(self, features, w, l, *, kernels, threads):
        """Find the stump of least weighted error: its error and (f, p, theta)."""
        epsilon, *h = kernels.best_stump(features, w, l, threads=threads)  # BD:A.2:7, BD:A.2:8
        return epsilon, tuple(h)

    def classify(self, features, h):
        """Apply a stump (eq. A.1) to all vectors: bool array, shape (n,)."""
        f, p, theta = h
        return stump(features.column(f), p, theta)  # BD:A.2:8

    def memory(self, P, N, *, threads=None):
        """Bound the bytes that `prepare` and a round hold at a time, on either kernel."""
        n, d = len(P) + len(N), P.shape[1]
        if _one_matrix(P, N):
            counts = [_count_differences(np.concatenate([P.A[:, f], N.A[:, f]]), P.B[:, f]) for f in range(d)]
            copies = 8 * d * (3 * (len(P.A) + len(N.A)) + len(P.B))  # X by class, as one matrix, as float64; B
        else:
            counts = [_count_values(np.concatenate([_column(P, f), _column(N, f)])) for f in range(d)]
            copies = 2 * 8 * d * n  # P and N as one matrix, and as float64
        rows, values = np.sum(counts, axis=0, dtype=np.int64).tolist()
        features = rows * (2 if n <= 2**16 else 4) + 4 * values
        threads = threads or processors()
        columns = min(d, 64, 8 * threads)  # sorted at a time by refimpl_fast
        sort = max(64 * n, 8 * n * columns + 24 * n * min(threads, columns))  # np.unique; or columns and tables
        select = 96 * n  # twelve arrays of n: the weights before and after, signed, gathered, summed; the column
        bound = 2 * features + max(sort, select) + copies  # twice: feature by feature, then in one array
        return bound + bound // 8 + 1024 * d + 2**20  # the gaps that malloc leaves, and Python's objects


STUMPS = Stumps()


def _one_matrix(P, N):
    return hasattr(P, "B") and P.B is N.B


def _column(S, f):
    return S.column(f) if hasattr(S, "column") else S[:, f]


def _count_values(column):
    """Rows and bins of a column beside its largest bin, as :class:`SortedFeatures` keeps them."""
    _, count = np.unique(column, return_counts=True)
    return len(column) - count.max(), len(count) - 1


def _count_differences(a, b):
    """Upper bounds of the same for the differences a[i] - b[j], from the values of a and b alone."""
    (x, x_count), (y, y_count) = (np.unique(v, return_counts=True) for v in (a, b))
    _, i, j = np.intersect1d(x, y, assume_unique=True, return_indices=True)
    equal = (x_count[i] * y_count[j]).sum()  # the difference zero has this many rows
    rows = len(a) * len(b) - max(equal, x_count.max() * y_count.max())
    return rows, min(rows, len(x) * len(y) - 1)


@result
@dataclass(frozen=True, eq=False)
class TreeEnsemble(Ensemble):
    """Trees of depth two: stump 0 sends a vector to stump 1 (if h = 1) or to stump 2, whose answer counts.

    Attributes
    ----------
    alpha : ndarray, shape (T,), float64
    feature, polarity : ndarray, shape (T, 3), int64
    threshold : ndarray, shape (T, 3), float64
    """

    feature: np.ndarray
    polarity: np.ndarray
    threshold: np.ndarray

    def __post_init__(self):
        super().__post_init__()
        _check_stumps(self, (3,))

    def h(self, t, D):
        """Apply tree t to the vectors D, shape (n, d): bool array, shape (n,)."""
        root, yes, no = (
            stump(D[:, f], p, theta)
            for f, p, theta in zip(self.feature[t], self.polarity[t], self.threshold[t], strict=True)
        )
        return np.where(root, yes, no)

    def features(self):
        """Return the features that the ensemble looks at: int64 array, ascending."""
        return np.unique(self.feature[np.isfinite(self.threshold)])


class DepthTwoTrees(Stumps):
    """Grown greedily out of three stumps: the best one, then the best one on either side of it."""

    Ensemble = TreeEnsemble

    def select(self, features, w, l, *, kernels, threads):
        """Grow a tree of small weighted error: its error and (features, polarities, thresholds)."""
        _, *root = kernels.best_stump(features, w, l, threads=threads)
        side = Stumps.classify(self, features, root)
        epsilon_yes, *yes = kernels.best_stump(features, w * side, l, threads=threads)
        epsilon_no, *no = kernels.best_stump(features, w * ~side, l, threads=threads)
        return epsilon_yes + epsilon_no, tuple(zip(root, yes, no, strict=True))

    def classify(self, features, h):
        """Apply the tree to all vectors: bool array, shape (n,)."""
        root, yes, no = (Stumps.classify(self, features, one) for one in zip(*h, strict=True))
        return np.where(root, yes, no)


class Replay:
    """A weak learner that first repeats the rounds of a trained ensemble, then goes on with another learner.

    It finds no new weak classifiers while it repeats, so that only the weights are computed anew.
    """

    def __init__(self, ensemble, learner):
        self.learner, self.Ensemble = learner, learner.Ensemble
        self._remaining = [ensemble.weak_classifier(t) for t in range(len(ensemble))]

    def __getattr__(self, name):
        return getattr(self.learner, name)

    def select(self, data, w, l, *, kernels, threads):
        """Return the next weak classifier of the ensemble and its weighted error; after the last, find a new one."""
        if not self._remaining:
            return self.learner.select(data, w, l, kernels=kernels, threads=threads)
        h = self._remaining.pop(0)
        return float(on_grid(w)[self.learner.classify(data, h) != l].sum()), h
