"""Coordinates in which LMNN's pull is the identity, for each metric its own; directions without pull stand apart.

Eq. 3 of Weinberger & Saul (2008) does not change when the points are mapped by an invertible A and M becomes
A^-T M A^-1. The solver therefore works where the pull, the sum of C_ij over target neighbours, is the identity: there
neither the scales of the features nor columns that nearly depend on each other matter. In three steps: columns are
scaled by powers of two, directions in which the points do not differ are left out, and the rest is scaled by the pull.

In some directions points may differ and target neighbours not. There a metric may grow at no cost until the triples
(i, j, l) whose x_i and x_l differ in them are satisfied. The least value of eq. 3 is that of the other triples, over
metrics of the other directions; one factor t of the free directions makes it that of the whole problem.

A difference of at most ROUNDING times the rounding of the coordinates that it is made of counts as none. A metric that
used a whole column of such differences could not be computed with later, since its products with the points would lose
them; but the differences may be exact, and a bound without them is none for the problem that was asked: `rounded`.

Not handled here: the steps (``smoothed.py``) and the bound (``certificate.py``).
"""

import numpy as np

EPS = np.finfo(np.float64).eps
ROUNDING = 16.0
MILD = 1e-6  # eigenvalues down to this share of the largest are found well enough from a matrix of products
STEEP = 1e-4  # spreads below this share of the largest call for products of more digits
ROWS = 2**15  # differences held at a time


class Coordinates:
    """Maps of the points of a problem, and the way back.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
        The points as they were given.
    targets : ndarray, shape (n, k), int64
    partition : ndarray, shape (n,), int64
    share : float
        0: the pull is the identity. More: the pull and this share of its mean are, and no direction is free; the steps
        of LMNN-RECT take it.

    Attributes
    ----------
    U : ndarray, shape (partitions, n, r), float64
        The points. Where a metric has less than r directions the last columns are 0.
    A : ndarray, shape (partitions, d, r), float64
        X A is U but for rounding.
    spare : ndarray, shape (partitions, r), float64
        1 for the columns of U that are 0.
    free : list of (N, F, least), one for each partition
        N, shape (d, f): the free directions; F = X N; differences of F up to `least`, shape (f,), count as none.
    t : ndarray, shape (partitions,), float64
        What the free directions count in the metric.
    left_out : int
        Directions of several columns in which the points differ by no more than rounding can make.
    rounded : int
        Columns whose values differ, but by at most ROUNDING units in the last place; they are left out too.
    error : float
        A bound of the rounding errors of a row of U, and of what is made of it.
    """

    def __init__(self, X, targets, partition, share=0.0):
        self.n, self.d = X.shape
        ulps = EPS * np.abs(X).max(axis=0)
        used = np.ptp(X, axis=0) > ROUNDING * ulps
        self.scale = np.where(used, _power_of_two(X), 0.0)
        self.points = _Points(X[:, used] / self.scale[used])
        self.rounded = int((np.ptp(X, axis=0) > 0).sum() - used.sum())
        self.used, self.ulps = used, ulps[used] / self.scale[used]
        self.B, steep = self._directions(self.points.X)
        self.left_out = max(0, min(int(used.sum()), self.n - 1) - self.B.shape[1])
        base = self.points.product(self.B, steep)
        maps, self.free = [], []
        for alpha in range(int(partition.max()) + 1):
            R, N = self._by_the_pull(base, *_target_pairs(targets, partition, alpha), share)
            maps.append(R)
            self.free.append(self._free(N, base, *_target_pairs(targets, partition, alpha)))
        steep = steep or any(_steep(np.linalg.norm(R, axis=0)) for R in maps)
        self.steep, r = steep, max(1, *(R.shape[1] for R in maps))
        self.spare = np.array([np.arange(r) >= R.shape[1] for R in maps], dtype=np.float64)
        maps = [np.pad(R, ((0, 0), (0, r - R.shape[1]))) for R in maps]
        self.U = np.stack([base @ R for R in maps])
        self.A = np.zeros((len(maps), self.d, r))
        self.A[:, used] = np.stack([self.B @ R for R in maps]) / self.scale[used, None]
        self.t = np.array([_first_t(F) for _, F, _ in self.free])
        self.error = self._error(base, maps)

    def _directions(self, X):
        """Directions of unit spread in which the points differ, shape (columns, r), and whether products need care."""
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

    def _by_the_pull(self, base, i, j, share):
        """R with R^T C R = I for the pull C of pairs (i, j) of rows of base, and an orthonormal basis of its null."""
        r = base.shape[1]
        C = np.zeros((r, r))
        for start in range(0, len(i), ROWS):
            D = base[i[start : start + ROWS]] - base[j[start : start + ROWS]]
            C += D.T @ D
        values, vectors = np.linalg.eigh(C)
        if share > 0:
            values = values + share * (values.mean() if values.size and values.mean() > 0 else max(1, len(i)))
            return vectors / np.sqrt(values), np.zeros((r, 0))
        if r == 0 or values[0] > MILD * values[-1] > 0:
            return vectors / np.sqrt(values), np.zeros((r, 0))
        values, vectors = _singular(base, i, j)
        rounding = ROUNDING * self.ulps @ np.abs(self.B @ vectors)
        kept = values > np.sqrt(max(1, len(i))) * rounding
        return vectors[:, kept] / values[kept], vectors[:, ~kept]

    def _free(self, N, base, i, j):
        if N.shape[1] == 0:
            return np.zeros((self.d, 0)), np.zeros((self.n, 0)), np.zeros(0)
        N = np.linalg.qr(self.B @ N)[0]
        F = self.points.product(N, True)
        within = np.abs(F[i] - F[j]).max(axis=0, initial=0.0)
        full = np.zeros((self.d, N.shape[1]))
        full[self.used] = N / self.scale[self.used, None]
        return full, F, 16 * np.maximum(within, ROUNDING * self.ulps @ np.abs(N))

    def _error(self, base, maps):
        """Rounding of the rows of U: of the products that made them, and of sums over them."""
        eps = np.finfo(np.longdouble).eps if self.steep else EPS
        rough = np.sqrt(len(self.B)) * eps * np.abs(self.points.X).max(axis=0, initial=0.0) @ np.abs(self.B)
        rough = rough + 4 * EPS * np.abs(base).max(axis=0, initial=0.0)
        return max(
            float(np.linalg.norm(rough @ np.abs(R) + 16 * EPS * np.abs(U).max(axis=0)))
            for R, U in zip(maps, self.U, strict=True)
        )

    # ------------------------------------------------------------------------------------------ there and back

    def outward(self, V):
        """Factors of d columns for factors V of these coordinates, with the free directions: (partitions, rows, d)."""
        factors = [
            np.concatenate([one @ A.T, np.sqrt(t) * N.T])
            for one, A, t, (N, _, _) in zip(V, self.A, self.t, self.free, strict=True)
        ]
        rows = max(len(L) for L in factors)
        factors = np.stack([np.pad(L, ((0, rows - len(L)), (0, 0))) for L in factors])
        return factors if rows <= self.d else np.stack([np.linalg.qr(L, mode="r") for L in factors])

    def inward(self, L):
        """Factors V of these coordinates for factors L of d columns; what L does beyond them is lost."""
        V = np.zeros((*L.shape[:2], self.A.shape[2]))
        for alpha, (A, (N, _, _)) in enumerate(zip(self.A, self.free, strict=True)):
            both = np.concatenate([A, N], axis=1)[self.used] * self.scale[self.used, None]
            sizes = np.linalg.norm(both, axis=0)
            sizes[sizes == 0] = 1.0
            found = np.linalg.lstsq(both / sizes, (L[alpha][:, self.used] * self.scale[self.used]).T, rcond=None)[0]
            V[alpha] = (found / sizes[:, None])[: A.shape[1]].T
        return V

    def mapped(self, L):
        """The points under factors of d columns, as a problem takes them: (partitions * n, rows)."""
        factors = (L[:, :, self.used] * self.scale[self.used]).transpose(0, 2, 1)
        return np.concatenate([self.points.product(one, self.steep) for one in factors])

    # ------------------------------------------------------------------------------------------ free directions

    def is_free(self, i, l, partition):
        """Whether the pairs (i, l) differ in a free direction of the metric of l: shape (p,), bool."""
        found = np.zeros(len(i), dtype=bool)
        for alpha, (_, F, least) in enumerate(self.free):
            mine = np.flatnonzero(partition[l] == alpha) if len(least) else ()
            for start in range(0, len(mine), ROWS):
                rows = mine[start : start + ROWS]
                found[rows] = (np.abs(F[i[rows]] - F[l[rows]]) > least).any(axis=1)
        return found

    def widen(self, i, l, partition, missing):
        """Raise t until free pairs (i, l) gain the squared distances that are missing, and as much again."""
        for alpha, (_, F, _) in enumerate(self.free):
            mine = partition[l] == alpha
            if mine.any():
                squares = ((F[i[mine]] - F[l[mine]]) ** 2).sum(axis=1)
                self.t[alpha] += 2 * (missing[mine] / squares).max()


class _Points:
    """Points, and the same about their mean: X."""

    def __init__(self, given):
        self._given, self._mean = given, given.mean(axis=0)
        self.X = given - self._mean

    def product(self, A, steep):
        """X A, from products of more digits where large terms may cancel (`steep`)."""
        if not steep:
            return self.X @ A
        A, out = A.astype(np.longdouble), np.empty((len(self.X), A.shape[1]))
        for start in range(0, len(out), ROWS):
            rows = self._given[start : start + ROWS].astype(np.longdouble) - self._mean
            out[start : start + ROWS] = rows @ A
        return out


def _power_of_two(X):
    """For each column the power of two next to its standard deviation."""
    largest = np.abs(X).max(axis=0)
    largest = np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0))))
    spread = np.std(X / largest, axis=0)
    return largest * np.exp2(np.round(np.log2(np.where(spread > 0, spread, 1.0))))


def _steep(sizes):
    return bool(len(sizes)) and sizes.min() < STEEP * sizes.max()


def _target_pairs(targets, partition, alpha):
    i, j = np.repeat(np.arange(len(targets)), targets.shape[1]), targets.ravel()
    mine = partition[j] == alpha
    return i[mine], j[mine]


def _singular(base, i, j):
    """Singular values and right vectors, one in each column, of the differences of rows of base."""
    triangle = np.zeros((0, base.shape[1]))
    for start in range(0, len(i), ROWS):
        part = base[i[start : start + ROWS]] - base[j[start : start + ROWS]]
        triangle = np.linalg.qr(np.concatenate([triangle, part]), mode="r")
    _, values, right = np.linalg.svd(triangle, full_matrices=True)
    return np.pad(values, (0, base.shape[1] - len(values))), right.T


def _first_t(F):
    """A factor of the free directions to begin with: the points' mean squared distance there becomes 4."""
    spread = 2 * F.var(axis=0).sum() if F.size else 0.0
    return 4 / spread if spread > 0 else 0.0
