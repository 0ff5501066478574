"""The plane that splits a node, in Cython: the twin of refimpl/kernels/planes.py.

The reference's expressions stand above the loops.

A small node's plane is found and moved without Python, on one thread. The plane of a node that is
worth several threads comes from the reference's steps with the kernels of this package. So does
that of a node for which ``np.einsum`` adds in another order than
:mod:`refimpl.kernels.products` states.
"""

from types import SimpleNamespace

import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t, uint8_t
from libcpp.algorithm cimport stable_sort

from refimpl_fast.orders cimport column_sums, dot, lane_dot, real, row_sums
from refimpl_fast.threads cimport thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels import planes as reference
from refimpl.kernels import products
from refimpl.kernels.contract import checked
from refimpl_fast.eigen import leading_direction
from refimpl_fast.forest import plane_values
from refimpl_fast.pairs import best_thresholds, pair_product
from refimpl_fast.products import matrix_vector, vector_matrix

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    struct Valued { double value; int32_t place; };
    static inline bool operator<(const Valued& a, const Valued& b) { return a.value < b.value; }
    """
    cppclass Valued:
        double value
        int32_t place

cdef Py_ssize_t FIT = reference.FIT
BUFFER = products.BUFFER
# their arguments have been checked here
KERNELS = SimpleNamespace(
    best_thresholds=best_thresholds,
    leading_direction=leading_direction.__wrapped__,
    matrix_vector=matrix_vector,
    pair_product=pair_product,
    plane_values=plane_values,
    vector_matrix=vector_matrix,
)

cdef struct Node:
    const double* x  # of the moves: centred, with a last column
    const int32_t* first
    const int32_t* second
    const double* v
    double base
    Py_ssize_t n, d, p

cdef struct Scratch:
    double* values  # of the points
    double* s
    double* pull
    double* change
    Valued* ordered
    int32_t* rank
    double* fit  # of the columns
    double* r
    double* q
    double* shares
    uint8_t* left  # of the plane that is tried


cdef double _product(const Node* node, const uint8_t* left, Scratch* room) noexcept nogil:
    """pull = M s; return s^T M s, where s is 1 on the left and -1 on the right."""
    # exact in any order, so a run of pairs of one point brings that point its sum at once
    cdef Py_ssize_t i, p = 0
    cdef int32_t a
    cdef double total = 0, sum_s = 0, mine
    cdef const int32_t* second = node.second
    cdef const double* v = node.v
    cdef double* s = room.s
    cdef double* pull = room.pull
    for i in range(node.n):
        s[i] = 1.0 if left[i] else -1.0
        sum_s += s[i]
        pull[i] = 0
    # np.bincount(i, w * u[j], n) + np.bincount(j, w * u[i], n)
    while p < node.p:
        a = node.first[p]
        mine, total = s[a], 0
        while p < node.p and node.first[p] == a:
            total += v[p] * s[second[p]]
            pull[second[p]] += v[p] * mine
            p += 1
        pull[a] += total
    # 0.5 * (listed + base * (s.sum() - s))
    total = 0
    for i in range(node.n):
        pull[i] = 0.5 * (pull[i] + node.base * (sum_s - s[i]))
        total += s[i] * pull[i]
    return total


cdef void _changes(const Node* node, const int32_t* rank, double* change) noexcept nogil:
    # np.bincount(low, v, n) - np.bincount(high, v, n), exact in any order
    cdef double[2] sign = [1.0, -1.0]
    cdef double total, mine
    cdef int32_t a, rank_a, rank_b
    cdef Py_ssize_t i, p = 0
    for i in range(node.n):
        change[i] = 0
    while p < node.p:
        a = node.first[p]
        rank_a, total = rank[a], 0
        while p < node.p and node.first[p] == a:
            rank_b = rank[node.second[p]]
            # a branch would be guessed wrong half the time
            mine = node.v[p] * sign[rank_b < rank_a]
            total += mine
            change[rank_b] -= mine
            p += 1
        change[rank_a] += total


cdef bint _best_b(const Node* node, Scratch* room, double* b) noexcept nogil:
    """b = the offset that is best for the values; return whether they are all finite."""
    cdef Py_ssize_t i, n = node.n
    cdef Valued* ordered = room.ordered
    cdef double total = 0, below, weight, crossing = INFINITY, low, high, threshold = 0
    cdef bint none = True
    for i in range(n):
        if not -INFINITY < room.values[i] < INFINITY:
            return False
        ordered[i].value, ordered[i].place = room.values[i], <int32_t> i
    # order = np.argsort(values, kind="stable"); rank[order] = np.arange(n)
    stable_sort(ordered, ordered + n)
    for i in range(n):
        room.rank[ordered[i].place] = <int32_t> i
    _changes(node, room.rank, room.change)
    # weights = np.cumsum(changes)[:-1] + base * (below * (n - below))
    # k = cuts[weights[cuts].argmin()]: the first of the least, or the first NaN
    for i in range(n - 1):
        total += room.change[i]
        below = i + 1
        weight = total + node.base * (below * (n - below))
        if not weight >= crossing or none:
            low, high = ordered[i].value, ordered[i + 1].value
            if low < high and crossing == crossing:
                crossing, none = weight, False  # SF:eq17
                threshold = 0.5 * low + 0.5 * high
                threshold = threshold if low <= threshold < high else low
    b[0] = -threshold
    return True


cdef void _fit(const Node* node, Scratch* room) noexcept nogil:
    """fit = p with x p near pull, by a few conjugate gradient steps from p = 0."""
    cdef Py_ssize_t d = node.d + 1, c, _step
    cdef double rr, vv, before
    cdef double* v = room.values
    cdef double* r = room.r
    cdef double* q = room.q
    column_sums(room.pull, node.x, node.n, d, r)
    for c in range(d):
        room.fit[c], q[c] = 0, r[c]
    rr = dot(r, r, d)
    for _step in range(FIT):
        row_sums(node.x, q, node.n, d, v)
        vv = dot(v, v, node.n)
        if not (vv > 0 and rr > 0):
            break
        column_sums(v, node.x, node.n, d, room.shares)
        # p = p + rr / vv * q; r = r - rr / vv * (v^T A)
        for c in range(d):
            room.fit[c] += (rr / vv) * q[c]
            r[c] -= (rr / vv) * room.shares[c]
        before, rr = rr, dot(r, r, d)
        for c in range(d):
            q[c] = r[c] + (rr / before) * q[c]


cdef cloned_void _values(
    const real* X, const real* p, const Node* node, double* out
) noexcept nogil:
    # kernels.plane_values(X, p)
    cdef Py_ssize_t i
    for i in range(node.n):
        out[i] = lane_dot(X + i * node.d, p, node.d) + 0.0


cdef cloned_void _move(
    const real* X, const Node* node, Py_ssize_t moves, Scratch* room, real* p, real* other,
    double* b, uint8_t* left, bint* finite
) noexcept nogil:
    """The reference's moved: p, b and left become those of the last plane that is better."""
    cdef Py_ssize_t i, c, _move
    cdef double size, best = _product(node, left, room), better, tried
    for _move in range(moves):
        _fit(node, room)
        size = sqrt(dot(room.fit, room.fit, node.d))
        if not size > 0:
            break
        for c in range(node.d):
            other[c] = <real> (room.fit[c] / size)
        _values(X, <const real*> other, node, room.values)
        finite[0] = _best_b(node, room, &tried)
        if not finite[0]:
            break
        for i in range(node.n):
            room.left[i] = room.values[i] + tried > 0
        better = _product(node, room.left, room)
        if not better > best:
            break
        best, b[0] = better, tried
        for c in range(node.d):
            p[c] = other[c]
        for i in range(node.n):
            left[i] = room.left[i]


cdef bint _plane(
    const real* X, const Node* node, Py_ssize_t moves, bint best, Scratch* room, real* p,
    real* other, double* b, uint8_t* left
) noexcept nogil:
    """Find b and left for the normal p, and move the plane; return whether all is finite."""
    cdef Py_ssize_t i
    cdef bint finite = True
    _values(X, <const real*> p, node, room.values)
    if best and not _best_b(node, room, b):
        return False
    for i in range(node.n):
        left[i] = room.values[i] + b[0] > 0
    if moves:
        _move(X, node, moves, room, p, other, b, left, &finite)
    return finite


cdef class _Room:
    """The memory of a node."""

    cdef vector[double] doubles
    cdef vector[Valued] ordered
    cdef vector[int32_t] rank
    cdef vector[uint8_t] left
    cdef Scratch scratch

    def __cinit__(self, Py_ssize_t n, Py_ssize_t d):
        self.doubles.make(4 * n + 4 * (d + 1))
        self.ordered.make(n)
        self.rank.make(n)
        self.left.make(n)
        cdef double* place = self.doubles.data()
        self.scratch.values, self.scratch.s = place, place + n
        self.scratch.pull, self.scratch.change = place + 2 * n, place + 3 * n
        place += 4 * n
        self.scratch.fit, self.scratch.r = place, place + (d + 1)
        self.scratch.q, self.scratch.shares = place + 2 * (d + 1), place + 3 * (d + 1)
        self.scratch.ordered, self.scratch.rank = self.ordered.data(), self.rank.data()
        self.scratch.left = self.left.data()


@checked
def best_plane(
    X not None, const int32_t[::1] first not None, const int32_t[::1] second not None,
    const double[::1] v not None, double base, const double[::1] start not None, double augment,
    double tol, offset, Py_ssize_t refine, *, threads=None
):
    """Find the plane that splits a node: eq. 18 of Li et al. (2011), or a better one by eq. 17.

    See :func:`refimpl.kernels.best_plane`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], p = first.shape[0]
    cdef bint small = (
        1 < n <= BUFFER and worth(n_threads, n * d) == 1 and worth(n_threads, p) == 1
        and products.einsum_adds_so(d + 1)
    )
    with np.errstate(all="ignore"):
        if small:
            plane = _small(X, first, second, v, base, start, augment, tol, offset, refine)
            if plane is not None:
                return plane
        pairs = np.asarray(first), np.asarray(second), np.asarray(v)
        sums = reference.ListedSums(*pairs, base, KERNELS, threads)
        return tuple(reference.plane_of_sums(
            X, sums, np.asarray(start), augment, tol, offset, refine, KERNELS, threads
        ))


cdef void _mean(const real* X, Py_ssize_t n, Py_ssize_t d, double* mean) noexcept nogil:
    # X.mean(axis=0, dtype=np.float64), where d > 1: the rows are added in their order
    cdef Py_ssize_t i, c
    for c in range(d):
        mean[c] = 0
    for i in range(n):
        for c in range(d):
            mean[c] += X[i * d + c]
    for c in range(d):
        mean[c] = mean[c] / n


cdef void _away(
    const real* X, const double* mean, Py_ssize_t n, Py_ssize_t d, double* away
) noexcept nogil:
    # X - mean
    cdef Py_ssize_t i, c
    for i in range(n):
        for c in range(d):
            away[i * d + c] = X[i * d + c] - mean[c]


cdef _centred(X, Py_ssize_t n, Py_ssize_t d, double last):
    """The reference's centred."""
    if d == 1:
        return reference.centred(X, last)
    cdef Py_ssize_t i, c
    cdef double spread
    cdef const float[:, ::1] X32
    cdef const double[:, ::1] X64
    middle, differences, result = np.empty(d), np.empty((n, d)), np.empty((n, d + 1))
    cdef double[::1] mean = middle
    cdef double[:, ::1] away = differences, x = result
    if X.dtype == np.float32:
        X32 = X
        _mean(&X32[0, 0], n, d, &mean[0])
        _away(&X32[0, 0], &mean[0], n, d, &away[0, 0])
    else:
        X64 = X
        _mean(&X64[0, 0], n, d, &mean[0])
        _away(&X64[0, 0], &mean[0], n, d, &away[0, 0])
    # spread = np.sqrt(np.einsum("ij,ij", away, away) / len(X)) or 1.0
    spread = sqrt(<double> np.einsum("ij,ij", differences, differences) / n)
    if spread == 0:
        spread = 1.0
    for i in range(n):
        for c in range(d):
            x[i, c] = away[i, c] / spread
        x[i, d] = last
    return result, middle, spread


cdef _small(
    X, const int32_t[::1] first, const int32_t[::1] second, const double[::1] v, double base,
    const double[::1] start, double augment, double tol, offset, Py_ssize_t refine
):
    """Return the plane of a node of few points and pairs; None if a value is not finite."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i
    cdef Node node
    cdef _Room room = _Room(n, d)
    cdef double b = 0, last = d ** -0.5
    cdef double[:, ::1] columns
    cdef uint8_t[::1] side
    cdef bint finite, best = offset == "best"
    x, mean, spread = _centred(X, n, d, augment)
    direction = KERNELS.leading_direction(x, first, second, v, base, start, tol, threads=1)
    columns = x
    for i in range(n):
        columns[i, d] = last
    normal = reference.normal(direction, X)
    if not best:
        b = spread * augment * direction[d] - np.einsum("i,i", normal, mean)
    left = np.empty(n, dtype=bool)
    side = left.view(np.uint8)
    node.x, node.base, node.n, node.d, node.p = &columns[0, 0], base, n, d, first.shape[0]
    node.first, node.second = <const int32_t*> NULL, <const int32_t*> NULL
    node.v = <const double*> NULL
    if node.p:
        node.first, node.second, node.v = &first[0], &second[0], &v[0]
    cdef const float[:, ::1] X32
    cdef const double[:, ::1] X64
    cdef float[::1] p32, other32
    cdef double[::1] p64, other64
    if X.dtype == np.float32:
        X32, p32, other32 = X, normal, np.empty(d, dtype=np.float32)
        finite = _plane(
            &X32[0, 0], &node, refine, best, &room.scratch, &p32[0], &other32[0], &b, &side[0]
        )
    else:
        X64, p64, other64 = X, normal, np.empty(d)
        finite = _plane(
            &X64[0, 0], &node, refine, best, &room.scratch, &p64[0], &other64[0], &b, &side[0]
        )
    return (normal, b, left) if finite else None
