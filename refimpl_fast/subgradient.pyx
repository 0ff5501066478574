"""LMNN's sub-gradient in Cython: the twin of refimpl/kernels/subgradient.py.

The reference's expressions stand above the loops.

The impostor search filters all pairs by scalar products in float32, with a bound on their error.
It checks the remaining pairs by the distances of pair_distances, so its answer is that of the
reference.
"""

import numpy as np

from libc.stdint cimport int64_t
from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels import subgradient as reference
from refimpl.kernels.contract import checked

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "fetch.h":
    void fetch(const char* place, Py_ssize_t n_bytes) noexcept nogil

cdef extern from "widths.h":
    enum:
        EIGHT
        PANEL
        TOGETHER
    void eight_hinges(
        const double* plus, const double* pairs, const int64_t* first, Py_ssize_t points,
        Py_ssize_t k, double h, double* smooth, double* hinge, double* active,
        double* pair_weights, double* target_weights,
    ) noexcept nogil
    bint panel_hits(
        const float* queries, const float* panel, const float* halves, const float* bounds,
        const int64_t* ends, Py_ssize_t n_ends, unsigned* hits,
    ) noexcept nogil

cdef enum:
    LANES = 8
    CHUNK = 256  # queries that one thread searches for at a time, at most
    PANELS = 48  # panels that stay in its cache meanwhile
    FIRST = 8  # coordinates after which the filter first looks whether it can stop
    SIDES = 12  # coordinates whose medians divide the points
    SAMPLE = 4096  # points whose principal axes are taken, about
    BLOCK = 256  # rows that are packed at a time: a multiple of PANEL and TOGETHER

assert LANES == reference.LANES

EIGEN = 12  # what an eigenvector costs, in products of r coordinates
SORTED = 8000  # what it costs to put a point into its order, in products of numbers
PAYS = 8  # how much longer all products must take than to find and apply the axes


cdef inline double _distance(const double* a, const double* b, Py_ssize_t r) noexcept nogil:
    # padded = a - b; np.cumsum(np.add.reduce((padded * padded).reshape(-1, LANES), axis=0))[-1]
    cdef double[LANES] lanes
    cdef double difference, total
    cdef Py_ssize_t c, i, whole = r // LANES * LANES
    for i in range(LANES):
        lanes[i] = 0
    for c in range(whole // LANES):
        for i in range(LANES):
            difference = a[c * LANES + i] - b[c * LANES + i]
            lanes[i] += difference * difference
    for i in range(r - whole):
        difference = a[whole + i] - b[whole + i]
        lanes[i] += difference * difference
    total = lanes[0]
    for i in range(1, LANES):
        total = total + lanes[i]
    return total


cdef cloned_void _distances(
    const double* Z, const int64_t* first, const int64_t* second, Py_ssize_t p, Py_ssize_t r,
    double* out
) noexcept nogil:
    cdef Py_ssize_t e
    for e in range(p):
        if e + 1 < p:
            fetch(<const char*> (Z + second[e + 1] * r), 8 * r)
        # LM:eq1, LM:eq4  ERRATUM LM-2
        out[e] = _distance(Z + first[e] * r, Z + second[e] * r, r)


cdef class _PairDistances(Loop):
    """Step i computes the distances of CHUNK pairs."""

    cdef const double[:, ::1] Z
    cdef const int64_t[::1] first, second
    cdef double[::1] out

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t start = i * CHUNK, p = min(<Py_ssize_t> CHUNK, self.out.shape[0] - start)
        _distances(
            &self.Z[0, 0], &self.first[start], &self.second[start], p, self.Z.shape[1],
            &self.out[start]
        )


@checked
def pair_distances(
    const double[:, ::1] Z not None, const int64_t[::1] first not None,
    const int64_t[::1] second not None, *, threads=None
):
    """Compute squared Euclidean distances of pairs of rows: eqs. 1 and 4 for mapped points.

    See :func:`refimpl.kernels.pair_distances`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t p = first.shape[0], r = Z.shape[1]
    cdef _PairDistances loop = _PairDistances()
    loop.Z, loop.first, loop.second = Z, first, second
    loop.out = np.zeros(p)
    if r:
        loop.run((p + CHUNK - 1) // CHUNK, worth(n_threads, p * r), 1 + 1024 // r)
    return np.asarray(loop.out)


# ---------------------------------------------------------------------------------------- impostors


cdef class _Impostors(Loop):
    """Step i finds the impostors of `together` queries."""

    cdef const double[:, ::1] Q, X
    cdef const double[::1] radii
    cdef const int64_t[::1] classes_Q, classes_X, order_Q, order_X, ends
    cdef const int64_t[:, ::1] range_Q, range_X
    cdef const float[:, :, ::1] packed_Q, packed_X, bounds, halves
    cdef Py_ssize_t together
    cdef vector[vector[int64_t]] found

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t tile, group, panel, last_panel, n_panels = self.packed_X.shape[0]
        cdef Py_ssize_t first = i * self.together
        cdef Py_ssize_t last = min(self.packed_Q.shape[0], first + self.together)
        for tile in range((n_panels + PANELS - 1) // PANELS):
            last_panel = min((tile + 1) * PANELS, n_panels)
            for group in range(first, last):
                for panel in range(tile * PANELS, last_panel):
                    # near & (classes_Q[:, None] != classes_X)
                    if not _one_class(&self.range_Q[group, 0], &self.range_X[panel, 0]):
                        self.look(group, panel, self.found[i])

    cdef void look(
        self, Py_ssize_t group, Py_ssize_t panel, vector[int64_t]& found
    ) noexcept nogil:
        """Look for impostors of a group of queries in a panel of points."""
        # near = product form < radii + error
        # pair_distances(...) < radii
        cdef Py_ssize_t t, i, r = self.X.shape[1]
        cdef int64_t q, x
        cdef unsigned[8] hits
        if not panel_hits(
            &self.packed_Q[group, 0, 0], &self.packed_X[panel, 0, 0], &self.halves[panel, 0, 0],
            &self.bounds[group, 0, 0], &self.ends[0], self.ends.shape[0], hits
        ):
            return
        for t in range(TOGETHER):
            if hits[t] == 0:
                continue
            q = self.order_Q[group * TOGETHER + t]
            for i in range(PANEL):
                if not hits[t] >> i & 1:
                    continue
                x = self.order_X[panel * PANEL + i]
                if self.classes_Q[q] == self.classes_X[x]:
                    continue
                # LM:4.2:3  ERRATUM LM-5
                if _distance(&self.Q[q, 0], &self.X[x, 0], r) < self.radii[q]:
                    found.push_back(q * self.X.shape[0] + x)


cdef inline bint _one_class(const int64_t* range_Q, const int64_t* range_X) noexcept nogil:
    """Whether queries and points, whose least and largest classes are given, are of one class."""
    return range_Q[0] == range_Q[1] == range_X[0] == range_X[1]


@checked
def impostors(
    const double[:, ::1] Q not None, const double[:, ::1] X not None,
    const double[::1] radii not None, const int64_t[::1] classes_Q not None,
    const int64_t[::1] classes_X not None, *, threads=None
):
    """Find all pairs (q, x) of different classes whose squared distance is below the radius of q.

    See :func:`refimpl.kernels.impostors`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n_Q = Q.shape[0], n_X = X.shape[0], r = Q.shape[1], groups, chunks
    if n_Q == 0 or n_X == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if r == 0:
        Q, X, r = np.zeros((n_Q, 1)), np.zeros((n_X, 1)), 1
    cdef _Impostors loop = _Impostors()
    loop.Q, loop.X, loop.radii, loop.classes_Q, loop.classes_X = Q, X, radii, classes_Q, classes_X
    _pack(loop)
    groups = loop.packed_Q.shape[0]
    loop.together = max(4, min(CHUNK // TOGETHER, groups // (16 * n_threads)))
    chunks = (groups + loop.together - 1) // loop.together
    loop.found.make(chunks)
    # sixteen products at a time
    loop.run(chunks, worth(n_threads, n_Q * n_X * r // 16), 1)
    codes = _codes(loop.found)
    loop = None  # what it found is here twice
    codes.sort()
    return codes // n_X, codes % n_X


cdef _codes(vector[vector[int64_t]]& found):
    """All numbers found."""
    cdef Py_ssize_t chunk, i, p = 0
    for chunk in range(<Py_ssize_t> found.size()):
        p += found[chunk].size()
    cdef int64_t[::1] codes = np.empty(p, dtype=np.int64)
    p = 0
    for chunk in range(<Py_ssize_t> found.size()):
        for i in range(<Py_ssize_t> found[chunk].size()):
            codes[p] = found[chunk][i]
            p += 1
    return np.asarray(codes)


# ------------------------------------------------------------------ what the filter multiplies


cdef _pack(_Impostors loop):
    """Queries in groups, points in panels, in float32; and what their products must exceed to be
    checked.

    |q - x|^2 < radius is q.x - |x|^2 / 2 > (|q|^2 - radius) / 2. Rounding r products and sums of
    float32 moves this by less than (r + 8) 2^-23 (|q|^2 + |x|^2 + radius). All is first scaled by
    a power of two that makes the largest value some 2^40. So float32 holds every square, and what
    underflows in it is less than (r + 8) 2^-100.

    The same holds for the first coordinates alone, since the rest only adds to a distance. So a
    group and a panel are left as soon as their first coordinates, up to one of `ends`, are too far
    apart for every pair. With many points these coordinates are principal ones, and points of one
    class that lie on the same sides of the median points go together. The rotation is one
    of float64; for its rounding the bound above has room.
    """
    cdef Py_ssize_t r = loop.X.shape[1]
    Q, X, classes_Q, classes_X = map(
        np.asarray, (loop.Q, loop.X, loop.classes_Q, loop.classes_X)
    )
    place = _Place(Q, X)
    ends = place.ends()
    relative, absolute = (r + 8) * 2.0**-23, (r + 8) * 2.0**-100
    order_Q, order_X = place.order(Q, classes_Q), place.order(X, classes_X)
    loop.packed_Q, squares_Q = place.packed(Q, order_Q, TOGETHER, ends)
    loop.packed_X, squares_X = place.packed(X, order_X, PANEL, ends)
    radii = place.wide(np.asarray(loop.radii))[order_Q, None]
    bounds = 0.5 * (squares_Q - radii) - relative * (squares_Q[:, -1:] + radii) - absolute
    loop.bounds = _in_groups(np.where(radii >= 0, bounds, np.inf), TOGETHER, np.inf)
    # the places without a point are never hit
    loop.halves = _in_groups(relative * squares_X[:, -1:] - 0.5 * squares_X, PANEL, -np.inf)
    loop.range_Q = _ranges(classes_Q[order_Q], TOGETHER)
    loop.range_X = _ranges(classes_X[order_X], PANEL)
    loop.order_Q, loop.order_X, loop.ends = order_Q, order_X, ends


class _Place:
    """Where the filter puts points: times a power of two, about a point among them, and on their
    principal axes if that pays.
    """

    def __init__(self, Q, X):
        self.r = r = X.shape[1]
        self.exponent = 40 - int(np.frexp(max(-Q.min(), Q.max(), -X.min(), X.max()))[1])
        sample = self._scaled(X[:: 1 + len(X) // 64])
        self.centre = np.sort(sample, axis=0)[len(sample) // 2]  # a point that no outlier moves
        self.axes = None
        costs = EIGEN * r**3 + (len(Q) + len(X)) * (r**2 + SORTED)
        if r > FIRST and PAYS * costs < len(Q) * len(X) * r:
            sample = self._scaled(X[:: 1 + len(X) // SAMPLE]) - self.centre
            self.axes = np.ascontiguousarray(np.linalg.eigh(sample.T @ sample)[1][:, ::-1])
            self.middle = np.median(sample @ self.axes[:, :SIDES], axis=0)

    def _scaled(self, A):
        half = self.exponent // 2  # the product of both powers may be beyond float64
        A = A * 2.0**half
        A *= 2.0 ** (self.exponent - half)
        return A

    def ends(self):
        """After which coordinates the filter looks whether it can stop."""
        ends = []
        end = FIRST
        while self.axes is not None and end < self.r:
            ends.append(end)
            end *= 2
        return np.array([*ends, self.r], dtype=np.int64)

    def order(self, A, classes):
        """The rows of A in the order in which they are packed."""
        if self.axes is None:
            return np.arange(len(A), dtype=np.int64)
        sides = np.zeros(len(A), dtype=np.int64)
        for rows in _blocks(len(A)):
            near = (self._scaled(A[rows]) - self.centre) @ self.axes[:, :SIDES]
            for beyond in (near > self.middle).T:
                sides[rows] = 2 * sides[rows] + beyond
        return np.lexsort((sides, classes)).astype(np.int64, copy=False)

    def packed(self, A, order, width, ends):
        """The rows of A, `width` side by side, and the squares of their coordinates up to each end.

        What is beyond the last row is 0.
        """
        packed = on_lines(np.zeros, (-(-len(A) // width), self.r, width), np.float32)
        squares = np.empty((len(A), len(ends)))
        for rows in _blocks(len(A)):
            part = self._scaled(A[order[rows]])
            part -= self.centre
            if self.axes is not None:
                part = part @ self.axes
            pieces = np.add.reduceat(part * part, [0, *ends[: len(ends) - 1]], axis=1)
            squares[rows] = pieces.cumsum(axis=1)
            first, groups = rows.start // width, len(part) // width
            whole = groups * width
            together = part[:whole].reshape(-1, width, self.r)
            packed[first : first + groups] = together.transpose(0, 2, 1)
            if whole < len(part):
                packed[first + groups, :, : len(part) - whole] = part[whole:].T
        return packed, squares

    def wide(self, radii):
        """Radii as wide as the distances, scaled likewise.

        A radius that holds every point becomes 2^120, a radius that holds no point -1.
        """
        wide = radii + (self.r + 8) * reference.UNDERFLOW  # a distance may have lost this
        with np.errstate(over="ignore"):
            wide = np.minimum(np.ldexp(wide, 2 * self.exponent), 2.0**120)
        return np.where(radii > 0, wide, -1.0)


def _blocks(n):
    """Slices of rows, whole groups and panels in each but the last."""
    return [slice(start, min(n, start + BLOCK)) for start in range(0, n, BLOCK)]


def _in_groups(A, width, fill):
    """Rows of A in float32, (groups, columns, width); what is beyond the last row is `fill`."""
    whole = np.full((-(-len(A) // width) * width, A.shape[1]), fill, dtype=np.float32)
    whole[: len(A)] = A
    groups = on_lines(np.empty, (len(whole) // width, A.shape[1], width), np.float32)
    groups[:] = whole.reshape(-1, width, A.shape[1]).transpose(0, 2, 1)
    return groups


def _ranges(classes, width):
    """The least and the largest class of each group of `width`."""
    starts = np.arange(0, len(classes), width)
    return np.stack([ufunc.reduceat(classes, starts) for ufunc in (np.minimum, np.maximum)], axis=1)


# --------------------------------------------------------------------------------------------- sums


cdef class _Hinges(Loop):
    """Step g sums up the triples of group g of eight points."""

    cdef const double[:, :, ::1] plus
    cdef const double[::1] pairs
    cdef const int64_t[::1] start
    cdef double h
    cdef Py_ssize_t n
    cdef double[:, ::1] sums
    cdef double[::1] pair_weights
    cdef double[:, :, ::1] target_weights

    cdef void at(self, Py_ssize_t g, int thread) noexcept nogil:
        cdef Py_ssize_t i = EIGHT * g, points = min(self.n - i, <Py_ssize_t> EIGHT)
        # z = (1 + targets)[i] - pairs[:, None]
        # losses = np.where(z >= h, xi - 0.5 * h, 0.5 * xi * weights)
        eight_hinges(  # LM:eq2, LM:3:1, LM:3:4  ERRATUM LM-1
            &self.plus[g, 0, 0], &self.pairs[0], &self.start[i], points, self.plus.shape[1],
            self.h, &self.sums[0, i], &self.sums[1, i], &self.sums[2, i], &self.pair_weights[0],
            &self.target_weights[g, 0, 0]
        )


@checked
def hinge_terms(
    const double[:, ::1] targets not None, const double[::1] pairs not None,
    const int64_t[::1] start not None, double h, *, threads=None
):
    """Compute the slacks of all triples of a working set, eq. 2, and their sums in eqs. 3 and 5.

    See :func:`refimpl.kernels.hinge_terms`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = targets.shape[0], k = targets.shape[1], p = pairs.shape[0]
    cdef Py_ssize_t groups = (n + EIGHT - 1) // EIGHT
    cdef _Hinges loop = _Hinges()
    plus = np.zeros((groups, EIGHT, k))
    np.add(1.0, targets, out=plus.reshape(-1, k)[:n])
    loop.plus = np.ascontiguousarray(plus.transpose(0, 2, 1))
    loop.pairs, loop.start, loop.h, loop.n = pairs, start, h, n
    loop.sums, loop.pair_weights = np.zeros((3, groups * EIGHT)), np.zeros(p)
    loop.target_weights = np.zeros((groups, k, EIGHT))
    if p:
        loop.run(groups, worth(n_threads, p * k))
    smooth, hinge, active = np.asarray(loop.sums)[:, :n].copy()
    target_weights = np.asarray(loop.target_weights).transpose(0, 2, 1).reshape(-1, k)[:n].copy()
    return smooth, hinge, active.astype(np.int64), np.asarray(loop.pair_weights), target_weights


cdef cloned_void _differences(
    const double* Z, const int64_t* other, const int64_t* edge, const double* weights,
    Py_ssize_t row, Py_ssize_t first, Py_ssize_t last, Py_ssize_t r, double* out
) noexcept nogil:
    # out = np.zeros(Z.shape); np.add.at(out, a, weights[edge][:, None] * (Z[a] - Z[other]))
    # pairs without weight are not read: the next one that has weight is asked for
    cdef const double* a = Z + row * r
    cdef const double* b
    cdef double weight
    cdef Py_ssize_t e = _weighted(weights, edge, first, last), after, c
    for c in range(r):
        out[c] = 0
    while e < last:
        after = _weighted(weights, edge, e + 1, last)
        if after < last:
            fetch(<const char*> (Z + other[after] * r), 8 * r)
        weight = weights[edge[e]]
        b = Z + other[e] * r
        for c in range(r):
            out[c] += weight * (a[c] - b[c])  # LM:eq5, LM:eq6, LM:3:5, LM:3:6
        e = after


cdef inline Py_ssize_t _weighted(
    const double* weights, const int64_t* edge, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    """The first place from `first` to `last` whose pair has weight, or `last`."""
    while first < last and weights[edge[first]] == 0:
        first += 1
    return first


cdef class _WeightedDifferences(Loop):
    """Step a sums up the neighbours of row a."""

    cdef const double[:, ::1] Z
    cdef const int64_t[::1] start, other, edge
    cdef const double[::1] weights
    cdef double[:, ::1] out

    cdef void at(self, Py_ssize_t a, int thread) noexcept nogil:
        _differences(
            &self.Z[0, 0], &self.other[0], &self.edge[0], &self.weights[0], a, self.start[a],
            self.start[a + 1], self.Z.shape[1], &self.out[a, 0]
        )


@checked
def weighted_differences(
    const double[:, ::1] Z not None, const int64_t[::1] start not None,
    const int64_t[::1] other not None, const int64_t[::1] edge not None,
    const double[::1] weights not None, *, threads=None
):
    """Sum w (z_a - z_b) for each row a of Z over its neighbours b in a list of weighted pairs.

    See :func:`refimpl.kernels.weighted_differences`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = Z.shape[0], r = Z.shape[1], e = other.shape[0]
    cdef _WeightedDifferences loop = _WeightedDifferences()
    loop.Z, loop.start, loop.other, loop.edge, loop.weights = Z, start, other, edge, weights
    # empty() where possible: only for empty() does NumPy ask for large pages
    loop.out = np.empty((n, r)) if e else np.zeros((n, r))
    if e and r:
        loop.run(n, worth(n_threads, e * r), 64)
    return np.asarray(loop.out)
