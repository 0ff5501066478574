"""Coordinates in which LMNN's pull is the identity matrix, and lower bounds on eq. 3 there.

*Coordinates.* Eq. 3 of Weinberger & Saul (2008) does not change when the points are mapped by an
invertible A and M becomes A^-T M A^-1. The solver therefore works where the pull, the sum of C_ij
over target neighbours, is the identity. There neither the scales of the features nor columns that
nearly depend on each other matter. Each metric has its own coordinates. They are made in three
steps: columns are scaled by powers of two, directions in which the points do not differ are left
out, and the rest is scaled by the pull.

A *free direction* is a direction in which points differ, but no point differs from its target
neighbours. A metric can grow in a free direction at no cost, until every triple (i, j, l) whose x_i
and x_l differ in the direction is satisfied. So the least value of eq. 3 is the least value for the
other triples, over metrics of the other directions. For the whole problem it is reached when the
free directions have a large enough factor t.

A difference counts as zero if it is at most ROUNDING times the rounding error of the coordinates
that it is computed from. A metric that uses a whole column of such differences would be useless,
because its products with the points would lose them. But the differences may be exact. Then a bound
that ignores them is not valid for the given problem, so `rounded` counts these columns.

*Bounds.* A slope alpha_ijl is the derivative of the hinge of a triple (i, j, l) times mu, so
0 <= alpha_ijl <= mu. For each metric let

    G(alpha) = sum C_ij + sum alpha_ijl (C_ij - C_il).

If G is positive semidefinite for each metric, the sum of all alpha_ijl is a lower bound on the
least value of eq. 3 over all triples. The bound holds for every working set. Slopes of several
steps are mixed and scaled down until G is inside the cone of positive semidefinite matrices, by
more than rounding errors can have moved it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from refimpl.arrays import blocks
from refimpl.typing import BoolArray, FloatArray, IntArray

EPS = float(np.finfo(np.float64).eps)
PROVABLE = 1e-12  # the least gap, of a bound, that sums of rounded numbers can prove
ROUNDING = 16.0
# eigenvalues above this share of the largest are exact enough if computed from X^T X
MILD = 1e-6
STEEP = 1e-4  # spreads below this share of the largest need products in extended precision
ROWS = 2**15  # the number of differences in memory at a time


class FreeDirections(NamedTuple):
    """Directions of a metric in which points may differ and target neighbours do not."""

    N: FloatArray  # (d, f)
    F: FloatArray  # X N, (n, f)
    least: FloatArray  # differences of F up to this size count as zero, (f,)


class Coordinates:
    """Maps from the points X, (n, d), as they were given, to coordinates, and back."""

    # With a `share` above 0 the pull plus this share of its mean is the identity, and no direction
    # is free; LMNN-RECT and the printed solver use this.

    def __init__(
        self, X: FloatArray, targets: IntArray, partition: IntArray, share: float = 0.0
    ) -> None:
        self.n, self.d = X.shape
        ulps = EPS * np.abs(X).max(axis=0)
        used = np.ptp(X, axis=0) > ROUNDING * ulps
        self.scale = np.where(used, _power_of_two(X), 0.0)
        self.points = _Points(X[:, used] / self.scale[used])
        # columns that are left out because their values differ by rounding errors
        self.rounded = int((np.ptp(X, axis=0) > 0).sum() - used.sum())
        self.used = used
        self.ulps = ulps[used] / self.scale[used]
        self.B, steep = self._directions(self.points.X)
        # directions, each of several columns, that are left out for the same reason
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
        # 1 for the last columns of U, which are 0 where a metric has fewer than r directions
        self.spare = np.array([np.arange(r) >= R.shape[1] for R in maps], dtype=np.float64)
        maps = [np.pad(R, ((0, 0), (0, r - R.shape[1]))) for R in maps]
        self.U = np.stack([base @ R for R in maps])  # X A up to rounding, (partitions, n, r)
        self.A = np.zeros((len(maps), self.d, r))
        self.A[:, used] = np.stack([self.B @ R for R in maps]) / self.scale[used, None]
        self.t = np.array([_first_t(free.F) for free in self.free])  # of the free directions
        self.error = self._error(base, maps)

    def _directions(self, X: FloatArray) -> tuple[FloatArray, bool]:
        """Return directions in which points differ, (columns, r), and whether they are steep."""
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
        """Return R with R^T C R = I, and a basis of C's null space; C is the pull of (i, j)."""
        r = base.shape[1]
        C = np.zeros((r, r))
        for part in blocks(len(i), ROWS):
            D = base[i[part]] - base[j[part]]
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
        """Return the factors, (partitions, rows, d), for factors V and the free directions."""
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
        """Return the factors V for factors L of d columns; the part of L outside is lost."""
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
            for part in blocks(len(mine), ROWS):
                rows = mine[part]
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
        for part in blocks(len(out), ROWS):
            rows = self._points[part].astype(np.longdouble) - self._mean
            out[part] = rows @ exact
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
    for part in blocks(len(i), ROWS):
        D = base[i[part]] - base[j[part]]
        triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, D]), mode="r"))
    _, values, right = np.linalg.svd(triangle, full_matrices=True)
    return np.pad(values, (0, base.shape[1] - len(values))), right.T


def _first_t(F: FloatArray) -> float:
    """Return the t under which points have the mean squared distance 4 in free directions."""
    spread = float(2 * F.var(axis=0).sum()) if F.size else 0.0
    return 4 / spread if spread > 0 else 0.0


# ------------------------------------------------------------------------------------- the bounds


@dataclass(frozen=True)
class Slopes:
    """The sums over a set of slopes from which the bound is computed."""

    alpha: float
    G: FloatArray  # G(alpha), (partitions, r, r)
    error: float = 0.0  # a bound of the rounding error of G, in the spectral norm


def dual_bound(
    slopes: list[Slopes], pull: Slopes, objective: float = np.inf, cuts_at_most: int = 25
) -> float:
    """Return the largest lower bound on eq. 3 that a mixture of slopes gives."""
    # `pull` has the slopes that are all 0; its G is near the identity. The search ends when it can
    # close only a little of the gap between the bound and `objective`, which was reached.
    if not slopes:
        return 0.0
    sums = np.array([slope.alpha for slope in slopes])
    errors = np.array([slope.error for slope in slopes])
    S = np.stack([slope.G - pull.G for slope in slopes])
    mixture = np.eye(len(sums))[-1]
    rows: list[list[float]] = []
    limits: list[float] = []
    best = 0.0
    for _ in range(cuts_at_most):
        mixed = np.tensordot(mixture, S, axes=1)
        error = max(pull.error, mixture @ errors + max(0.0, 1 - mixture.sum()) * pull.error)
        scale = _feasible_scale(pull.G, mixed, error)
        best = max(best, scale * float(mixture @ sums) * (1 - PROVABLE))
        if scale == 1.0:
            break
        for alpha in range(len(mixed)):
            values, vectors = np.linalg.eigh(pull.G[alpha] + mixed[alpha])
            for v in vectors[:, : min(5, int((values < error).sum()))].T:
                rows.append([v @ matrix[alpha] @ v for matrix in S])
                limits.append(v @ pull.G[alpha] @ v - error)
        if not rows:  # rounding errors alone keep G out of the cone
            break
        program = scipy.optimize.linprog(
            -sums,
            A_ub=np.vstack([-np.array(rows), np.ones(len(sums))]),
            b_ub=np.append(limits, 1.0),
            bounds=(0, None),
        )
        little = max(1e-7 * best, 0.01 * min(objective - best, best))
        if program.x is None or -program.fun <= best + little:
            break
        mixture = np.maximum(program.x, 0.0) / max(1.0, program.x.sum())
    return best


def _feasible_scale(C: FloatArray, S: FloatArray, error: float) -> float:
    """Return a large s in [0, 1] for which all C + s S are in the cone by more than `error`."""
    scale = 1.0
    for pull, change in zip(C, S, strict=True):
        lowest = np.linalg.eigvalsh(pull)[0]
        for _ in range(60):
            mixed = pull + scale * change
            # with the rounding error of the eigenvalue itself
            margin = error + 8 * len(mixed) * EPS * np.linalg.norm(mixed)
            if lowest <= margin:  # C itself may be outside the cone
                return 0.0
            least = np.linalg.eigvalsh(mixed)[0]
            if least >= margin:
                break
            # the lowest eigenvalue is concave in s, so this smaller s is in the cone
            scale *= (1 - PROVABLE) * (lowest - margin) / (lowest - least)
        else:
            return 0.0
    return float(scale)
