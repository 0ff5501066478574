"""Coordinates in which LMNN's pull is the identity matrix.

Each metric has its own coordinates. Directions without pull are kept apart.

Eq. 3 of Weinberger & Saul (2008) does not change when the points are mapped by an invertible A and
M becomes A^-T M A^-1. The solver therefore works where the pull, the sum of C_ij over target
neighbours, is the identity. There neither the scales of the features nor columns that nearly depend
on each other matter. The coordinates are made in three steps: columns are scaled by powers of two,
directions in which the points do not differ are left out, and the rest is scaled by the pull.

A *free direction* is a direction in which points differ, but no point differs from its target
neighbours. A metric can grow in a free direction at no cost, until every triple (i, j, l) whose x_i
and x_l differ in the direction is satisfied. So the least value of eq. 3 is the least value for the
other triples, over metrics of the other directions. For the whole problem it is reached when the
free directions have a large enough factor t.

A difference counts as zero if it is at most ROUNDING times the rounding error of the coordinates
that it is computed from. A metric that uses a whole column of such differences would be useless,
because its products with the points would lose them. But the differences may be exact. Then a bound
that ignores them is not valid for the given problem, so `rounded` counts these columns.

Not handled here: the steps (``smoothed.py``) and the bound (``certificate.py``).
"""

from typing import NamedTuple

import numpy as np

from refimpl.typing import BoolArray, FloatArray, IntArray

__all__ = ["Coordinates", "FreeDirections"]

EPS = float(np.finfo(np.float64).eps)
ROUNDING = 16.0
# eigenvalues above this share of the largest are exact enough if computed from X^T X
MILD = 1e-6
STEEP = 1e-4  # spreads below this share of the largest need products in extended precision
ROWS = 2**15  # the number of differences in memory at a time


class FreeDirections(NamedTuple):
    """Directions of a metric in which points may differ and target neighbours do not.

    Attributes
    ----------
    N : ndarray, shape (d, f), float64
    F : ndarray, shape (n, f), float64
        X N.
    least : ndarray, shape (f,), float64
        Differences of F up to this size count as zero.
    """

    N: FloatArray
    F: FloatArray
    least: FloatArray


class Coordinates:
    """Maps from the points of a problem to coordinates, and back.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
        The points as they were given.
    targets : ndarray, shape (n, k), int64
    partition : ndarray, shape (n,), int64
    share : float
        With 0 the pull is the identity. With a number above 0 the pull plus this share of its mean
        is the identity, and no direction is free; LMNN-RECT uses this.

    Attributes
    ----------
    U : ndarray, shape (partitions, n, r), float64
        The points in these coordinates. If a metric has fewer than r directions, its last columns
        are 0.
    A : ndarray, shape (partitions, d, r), float64
        The maps: X A equals U up to rounding.
    spare : ndarray, shape (partitions, r), float64
        1 for the columns of U that are 0.
    free : list of FreeDirections, one for each partition
    t : ndarray, shape (partitions,), float64
        The factor of the free directions in the metric.
    left_out : int
        The number of directions, each of several columns, that are left out because the points
        differ in them by no more than rounding errors.
    rounded : int
        The number of columns that are left out because their values differ by at most ROUNDING
        units in the last place.
    error : float
        A bound of the rounding error of a row of U, and of sums computed from the row.
    """

    def __init__(
        self, X: FloatArray, targets: IntArray, partition: IntArray, share: float = 0.0
    ) -> None:
        self.n, self.d = X.shape
        ulps = EPS * np.abs(X).max(axis=0)
        used = np.ptp(X, axis=0) > ROUNDING * ulps
        self.scale = np.where(used, _power_of_two(X), 0.0)
        self.points = _Points(X[:, used] / self.scale[used])
        self.rounded = int((np.ptp(X, axis=0) > 0).sum() - used.sum())
        self.used = used
        self.ulps = ulps[used] / self.scale[used]
        self.B, steep = self._directions(self.points.X)
        self.left_out = max(0, min(int(used.sum()), self.n - 1) - self.B.shape[1])
        base = self.points.product(self.B, steep)
        maps: list[FloatArray] = []
        self.free: list[FreeDirections] = []
        for alpha in range(int(partition.max()) + 1):
            i, j = _target_pairs(targets, partition, alpha)
            R, N = self._by_the_pull(base, i, j, share)
            maps.append(R)
            self.free.append(self._free(N, base, i, j))
        self.steep = steep or any(_steep(np.linalg.norm(R, axis=0)) for R in maps)
        r = max(1, max(R.shape[1] for R in maps))
        self.spare = np.array([np.arange(r) >= R.shape[1] for R in maps], dtype=np.float64)
        maps = [np.pad(R, ((0, 0), (0, r - R.shape[1]))) for R in maps]
        self.U = np.stack([base @ R for R in maps])
        self.A = np.zeros((len(maps), self.d, r))
        self.A[:, used] = np.stack([self.B @ R for R in maps]) / self.scale[used, None]
        self.t = np.array([_first_t(free.F) for free in self.free])
        self.error = self._error(base, maps)

    def _directions(self, X: FloatArray) -> tuple[FloatArray, bool]:
        """Return directions of unit spread, shape (columns, r), in which the points differ.

        Return also whether products need extended precision.
        """
        d = X.shape[1]
        if d == 0:
            return np.zeros((0, 0)), False
        if d < self.n:
            values = np.linalg.eigvalsh(X.T @ X)
            if values[0] > MILD * values[-1]:
                return np.eye(d), False
        _, spread, right = np.linalg.svd(np.linalg.qr(X, mode="r"), full_matrices=False)
        spread = spread / np.sqrt(self.n)
        kept = spread > ROUNDING * np.abs(right) @ self.ulps
        return right[kept].T / spread[kept], _steep(1 / spread[kept])

    def _by_the_pull(
        self, base: FloatArray, i: IntArray, j: IntArray, share: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return R with R^T C R = I, and a basis of the null space of C.

        C is the pull of the pairs (i, j) of rows of base.
        """
        r = base.shape[1]
        C = np.zeros((r, r))
        for start in range(0, len(i), ROWS):
            D = base[i[start : start + ROWS]] - base[j[start : start + ROWS]]
            C += D.T @ D
        values, vectors = np.linalg.eigh(C)
        if share > 0:
            usual = values.mean() if values.size and values.mean() > 0 else max(1, len(i))
            values = values + share * usual
            return vectors / np.sqrt(values), np.zeros((r, 0))
        if r == 0 or values[0] > MILD * values[-1] > 0:
            return vectors / np.sqrt(values), np.zeros((r, 0))
        values, vectors = _singular(base, i, j)
        rounding = ROUNDING * self.ulps @ np.abs(self.B @ vectors)
        kept = values > np.sqrt(max(1, len(i))) * rounding
        return vectors[:, kept] / values[kept], vectors[:, ~kept]

    def _free(self, N: FloatArray, base: FloatArray, i: IntArray, j: IntArray) -> FreeDirections:
        """Return the free directions of a metric; N has them in the coordinates of base."""
        if N.shape[1] == 0:
            return FreeDirections(np.zeros((self.d, 0)), np.zeros((self.n, 0)), np.zeros(0))
        N = np.linalg.qr(self.B @ N)[0]
        F = self.points.product(N, True)
        within = np.abs(F[i] - F[j]).max(axis=0, initial=0.0)
        full = np.zeros((self.d, N.shape[1]))
        full[self.used] = N / self.scale[self.used, None]
        least = 16 * np.maximum(within, ROUNDING * self.ulps @ np.abs(N))
        return FreeDirections(full, F, least)

    def _error(self, base: FloatArray, maps: list[FloatArray]) -> float:
        """Return a bound of the rounding error of a row of U: of its products and of sums."""
        eps = np.finfo(np.longdouble).eps if self.steep else EPS
        largest = np.abs(self.points.X).max(axis=0, initial=0.0)
        rough = np.sqrt(len(self.B)) * eps * largest @ np.abs(self.B)
        rough = rough + 4 * EPS * np.abs(base).max(axis=0, initial=0.0)
        return max(
            float(np.linalg.norm(rough @ np.abs(R) + 16 * EPS * np.abs(U).max(axis=0)))
            for R, U in zip(maps, self.U, strict=True)
        )

    # ------------------------------------------------------------------------------- there and back

    def outward(self, V: FloatArray) -> FloatArray:
        """Return the factors, shape (partitions, rows, d), for factors V in these coordinates.

        The free directions are included.
        """
        factors = [
            np.concatenate([factor @ A.T, np.sqrt(t) * free.N.T])
            for factor, A, t, free in zip(V, self.A, self.t, self.free, strict=True)
        ]
        rows = max(len(L) for L in factors)
        L = np.stack([np.pad(L, ((0, rows - len(L)), (0, 0))) for L in factors])
        if rows <= self.d:
            return L
        return np.stack([np.linalg.qr(factor, mode="r") for factor in L])

    def inward(self, L: FloatArray) -> FloatArray:
        """Return factors V in these coordinates for factors L of d columns.

        The part of L outside these coordinates is lost.
        """
        V = np.zeros((*L.shape[:2], self.A.shape[2]))
        for alpha, (A, free) in enumerate(zip(self.A, self.free, strict=True)):
            both = np.concatenate([A, free.N], axis=1)[self.used] * self.scale[self.used, None]
            sizes = np.linalg.norm(both, axis=0)
            sizes[sizes == 0] = 1.0
            coefficients = (L[alpha][:, self.used] * self.scale[self.used]).T
            solution = np.linalg.lstsq(both / sizes, coefficients, rcond=None)[0]
            V[alpha] = (solution / sizes[:, None])[: A.shape[1]].T
        return V

    def mapped(self, L: FloatArray) -> FloatArray:
        """Return the points mapped by factors of d columns, shape (partitions * n, rows)."""
        factors = (L[:, :, self.used] * self.scale[self.used]).transpose(0, 2, 1)
        return np.concatenate([self.points.product(factor, self.steep) for factor in factors])

    # ------------------------------------------------------------------------------ free directions

    def is_free(self, i: IntArray, l: IntArray, partition: IntArray) -> BoolArray:
        """Mark the pairs (i, l) that differ in a free direction of the metric of l: shape (p,)."""
        free = np.zeros(len(i), dtype=np.bool_)
        for alpha, (_, F, least) in enumerate(self.free):
            if not len(least):
                continue
            mine = np.flatnonzero(partition[l] == alpha)
            for start in range(0, len(mine), ROWS):
                rows = mine[start : start + ROWS]
                free[rows] = (np.abs(F[i[rows]] - F[l[rows]]) > least).any(axis=1)
        return free

    def widen(self, i: IntArray, l: IntArray, partition: IntArray, missing: FloatArray) -> None:
        """Raise t until the squared distance of each pair (i, l) grows by twice `missing`."""
        for alpha, free in enumerate(self.free):
            mine = partition[l] == alpha
            if mine.any():
                squares = ((free.F[i[mine]] - free.F[l[mine]]) ** 2).sum(axis=1)
                self.t[alpha] += 2 * (missing[mine] / squares).max()


class _Points:
    """Points, and the centred points X."""

    def __init__(self, points: FloatArray) -> None:
        self._points = points
        self._mean = points.mean(axis=0)
        self.X = points - self._mean

    def product(self, A: FloatArray, steep: bool) -> FloatArray:
        """Return X A, in extended precision if large terms may cancel (`steep`)."""
        if not steep:
            rounded: FloatArray = self.X @ A
            return rounded
        exact = A.astype(np.longdouble)
        out = np.empty((len(self.X), A.shape[1]))
        for start in range(0, len(out), ROWS):
            rows = self._points[start : start + ROWS].astype(np.longdouble) - self._mean
            out[start : start + ROWS] = rows @ exact
        return out


def _power_of_two(X: FloatArray) -> FloatArray:
    """Return the power of two nearest to the standard deviation of each column."""
    largest = np.abs(X).max(axis=0)
    largest = np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0))))
    spread = np.std(X / largest, axis=0)
    powers: FloatArray = np.exp2(np.round(np.log2(np.where(spread > 0, spread, 1.0))))
    return largest * powers


def _steep(sizes: FloatArray) -> bool:
    """Return whether a size is so far below the largest that products need extended precision."""
    return bool(len(sizes)) and bool(sizes.min() < STEEP * sizes.max())


def _target_pairs(targets: IntArray, partition: IntArray, alpha: int) -> tuple[IntArray, IntArray]:
    """Return the pairs (i, j) of a point and a target neighbour under the metric `alpha`."""
    i = np.repeat(np.arange(len(targets)), targets.shape[1])
    j = targets.ravel()
    mine = partition[j] == alpha
    return i[mine], j[mine]


def _singular(base: FloatArray, i: IntArray, j: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return singular values and right vectors (in columns) of differences of rows of base."""
    triangle: FloatArray = np.zeros((0, base.shape[1]))
    for start in range(0, len(i), ROWS):
        part = base[i[start : start + ROWS]] - base[j[start : start + ROWS]]
        triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, part]), mode="r"))
    _, values, right = np.linalg.svd(triangle, full_matrices=True)
    return np.pad(values, (0, base.shape[1] - len(values))), right.T


def _first_t(F: FloatArray) -> float:
    """Return the first factor t of the free directions.

    With this factor the mean squared distance of the points in the free directions is 4.
    """
    spread = float(2 * F.var(axis=0).sum()) if F.size else 0.0
    return 4 / spread if spread > 0 else 0.0
