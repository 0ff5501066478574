"""The eigensolver of the search forest's splits in Cython: the twin of refimpl/kernels/eigen.py.

The reference's expressions stand above the loops.

A step of the iteration runs in loops; LAPACK solves the tridiagonal matrix, in both twins by the
same calls. Where ``np.einsum`` adds in another order than :mod:`refimpl.kernels.products` states,
the reference's iteration runs with the products of this package.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t

from refimpl_fast.orders cimport COLUMNS, pairwise_sum
from refimpl_fast.products cimport ROWS, Columns, Rows, column_sums, row_sums
from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels import eigen as reference
from refimpl.kernels import pairs, products
from refimpl.kernels.contract import checked
from refimpl_fast.pairs import pair_product
from refimpl_fast.products import matrix_vector, vector_matrix

cdef extern from *:
    """
    /* side by side: a pair looks at both */
    struct Point { double u, sum; };
    """
    cppclass Point:
        double u
        double sum

STEPS = reference.STEPS
LOOK = reference.LOOK
cdef double CLOSED = reference.CLOSED


def _sums_add_so():
    """Return whether NumPy adds up an array in the order of ``pairwise_sum``."""
    a = np.sin(np.arange(1.0, 5000))
    cdef const double[::1] numbers = a
    for n in (*range(1, 300), 700, 1025, 4999):
        if a[:n].sum() != pairwise_sum(&numbers[0], n):
            return False
    return True


cdef bint SUMS_ADD_SO = _sums_add_so()


# ----------------------------------------------------------------------------------------- products


cdef void _add_product(
    const int64_t* starts, const int32_t* second, const double* v, Py_ssize_t a, Py_ssize_t b,
    const double* u, Py_ssize_t n, Point* points
) noexcept nogil:
    # np.bincount(i, w * u[j], n) + np.bincount(j, w * u[i], n)
    # As first < second and both ascend, the second sum of a point is complete before its
    # first pair.
    cdef Py_ssize_t p, i, end
    cdef double total, mine
    cdef Point* other
    for i in range(n):
        points[i].u, points[i].sum = u[i], 0
    for i in range(n):
        p, end = max(a, starts[i]), min(b, starts[i + 1])
        if p >= end:
            continue
        total, mine = 0, u[i]
        for p in range(p, end):
            other = points + second[p]
            total += v[p] * other.u  # SF:eq18
            other.sum += v[p] * mine
        points[i].sum = total + points[i].sum


cdef bint _in_order(
    const int32_t* first, const int32_t* second, Py_ssize_t p, Py_ssize_t n, int64_t* starts
) noexcept nogil:
    # require_order(first, second, n); the pairs of point i begin at starts[i]
    cdef Py_ssize_t k, i = 0
    for k in range(p):
        if first[k] < 0 or not first[k] < second[k] < n or (k and first[k] < first[k - 1]):
            return False
        while i <= first[k]:
            starts[i] = k
            i += 1
    while i <= n:
        starts[i] = p
        i += 1
    return True


cdef class _Pairs(Loop):
    """Step t adds up part t of the pairs."""

    cdef const int64_t* starts
    cdef const int32_t* second
    cdef const double* v
    cdef const double* u
    cdef vector[Point] points  # of each part
    cdef Py_ssize_t p, n, size

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        _add_product(
            self.starts, self.second, self.v, t * self.size, min(self.p, (t + 1) * self.size),
            self.u, self.n, self.points.data() + t * self.n
        )


cdef class _Matrix:
    """X~ M X~^T of a node."""

    cdef Rows rows
    cdef Columns columns
    cdef _Pairs pairs
    cdef object whole  # u
    cdef double[::1] u
    cdef vector[double] pulled
    cdef vector[int64_t] starts
    cdef double base
    cdef Py_ssize_t n, d, parts, n_columns
    cdef int n_threads, pair_threads

    def __cinit__(
        self, const double[:, ::1] x, const int32_t[::1] first, const int32_t[::1] second,
        const double[::1] v, double base, int n_threads
    ):
        self.n, self.d, self.base = x.shape[0], x.shape[1], base
        self.whole = np.empty(self.n)
        self.u = self.whole
        self.pulled.make(self.n)
        self.n_threads = worth(n_threads, self.n * self.d)
        self.rows, self.columns, self.pairs = Rows(), Columns(), _Pairs()
        self.rows.A, self.rows.n, self.rows.d, self.rows.out = &x[0, 0], self.n, self.d, &self.u[0]
        self.columns.A, self.columns.n, self.columns.d = &x[0, 0], self.n, self.d
        self.columns.u = self.pulled.data()
        # every panel is a pass through x: as few as there are threads, if their sums fit
        self.n_columns = max(self.n_threads, (self.d + COLUMNS - 1) // COLUMNS)
        self.columns.width = (self.d + self.n_columns - 1) // self.n_columns
        self.n_columns = (self.d + self.columns.width - 1) // self.columns.width
        self.pairs.p, self.pairs.n, self.pairs.u = first.shape[0], self.n, &self.u[0]
        parts = pairs.parts_of(first.shape[0])
        self.parts = len(parts)
        if self.parts:
            self.starts.make(self.n + 1)
            if not _in_order(&first[0], &second[0], first.shape[0], self.n, self.starts.data()):
                pairs.require_order(np.asarray(first), np.asarray(second), self.n)  # raises
            self.pairs.points.make(self.parts * self.n)
            self.pairs.size = parts[0][1]
            self.pairs.starts, self.pairs.second = self.starts.data(), &second[0]
            self.pairs.v = &v[0]
        self.pair_threads = worth(n_threads, first.shape[0])

    cdef int times(self, const double* p, double* out) except -1:
        """out = X~ M X~^T p"""
        cdef Py_ssize_t i, t
        cdef double total, listed
        cdef const Point* points = self.pairs.points.data()
        cdef double* pulled = self.pulled.data()
        self.rows.v, self.columns.out = p, out
        if self.n_threads > 1:
            self.rows.run((self.n + ROWS - 1) // ROWS, self.n_threads, 1)
        else:
            row_sums(self.rows.A, p, self.n, self.d, &self.u[0])
        total = pairwise_sum(&self.u[0], self.n) if SUMS_ADD_SO else self.whole.sum()
        if self.parts == 1:
            self.pairs.at(0, 0)
        elif self.parts:
            self.pairs.run(self.parts, self.pair_threads, 1)
        # 0.5 * (listed + base * (u.sum() - u)), where listed is the sum over the parts
        for i in range(self.n):
            listed = 0
            for t in range(self.parts):
                listed += points[t * self.n + i].sum
            pulled[i] = 0.5 * (listed + self.base * (total - self.u[i]))  # SF:eq18
        if self.n_threads > 1:
            self.columns.run(self.n_columns, self.n_threads, 1)
        else:
            column_sums(pulled, self.columns.A, self.n, self.d, out)
        return 0


# ---------------------------------------------------------------------------------------- iteration


cdef inline double _dot(const double* a, const double* b, Py_ssize_t d) noexcept nogil:
    # np.einsum("i,i", a, b)
    cdef double total
    row_sums(a, b, 1, d, &total)
    return total


cdef double _orthogonal(
    const double* Q, Py_ssize_t rows, Py_ssize_t d, double* w, double* shares, double* sums
) noexcept nogil:
    """Make w orthogonal to the rows of Q; return its length."""
    cdef Py_ssize_t c
    cdef int _again
    for _again in range(2):
        # w = w - np.einsum("i,ij->j", np.einsum("ij,j->i", Q[: j + 1], w), Q[: j + 1])
        row_sums(Q, w, rows, d, shares)
        column_sums(shares, Q, rows, d, sums)
        for c in range(d):
            w[c] = w[c] - sums[c]
    return sqrt(_dot(w, w, d))


cdef _largest(const double* diagonal, const double* beside, Py_ssize_t n):
    """The reference's largest."""
    cdef Py_ssize_t i
    cdef bint finite = True
    cdef double[::1] d, e
    for i in range(n):
        finite &= -INFINITY < diagonal[i] < INFINITY
    for i in range(n - 1):
        finite &= -INFINITY < beside[i] < INFINITY
    if n == 1 or not finite:
        return reference.largest(
            [diagonal[i] for i in range(n)], [beside[i] for i in range(n - 1)]
        )
    d, e = np.empty(n), np.empty(n - 1)
    for i in range(n):
        d[i] = diagonal[i]
    for i in range(n - 1):
        e[i] = beside[i]
    return reference.largest_of_arrays(d.base, e.base)


cdef bint _restarted(_Matrix A, double* v, double tol) except -1:
    """The reference's _restarted: v becomes the best vector; whether it is good enough."""
    cdef Py_ssize_t d = A.d, most = min(<Py_ssize_t> STEPS, d), j = 0, c, look = LOOK
    cdef vector[double] room
    cdef double* Q
    cdef double* w
    cdef double* sums
    cdef double* shares
    cdef double* diagonal
    cdef double* beside
    cdef double[::1] combined
    cdef double alpha, beta, size, theta, last, highest = 0
    cdef bint done = False, closed
    room.make((most + 2) * d + 3 * most)
    Q = room.data()
    w, sums = Q + most * d, Q + (most + 1) * d
    shares = sums + d
    diagonal, beside = shares + most, shares + 2 * most
    for j in range(most):
        for c in range(d):
            Q[j * d + c] = v[c]
        A.times(v, w)
        alpha = _dot(w, v, d)
        beta = _orthogonal(Q, j + 1, d, w, shares, sums)
        diagonal[j], beside[j] = alpha, beta
        highest = max(highest, fabs(alpha), fabs(beta))
        closed = beta <= CLOSED * highest
        if closed or j + 1 == most or (j + 1) % look == 0:
            theta, y = _largest(diagonal, beside, j + 1)
            last = y[j]
            done = closed or beta * fabs(last) <= tol * fabs(theta)
            if done:
                break
        for c in range(d):
            v[c] = w[c] / beta
    # v = np.einsum("i,ij->j", y, Q[: j + 1]); v / length(v)
    combined = np.ascontiguousarray(y)
    column_sums(&combined[0], Q, j + 1, d, v)
    size = sqrt(_dot(v, v, d))
    for c in range(d):
        v[c] = v[c] / size
    return done or most == d


cdef bint _points_down(const double* v, Py_ssize_t d) noexcept nogil:
    # not v[np.abs(v).argmax()] > 0: the first of the largest, or the first NaN
    cdef Py_ssize_t c, best = 0
    for c in range(d):
        if v[c] != v[c]:
            return True
        if fabs(v[c]) > fabs(v[best]):
            best = c
    return not v[best] > 0


@checked
def leading_direction(
    const double[:, ::1] x not None, const int32_t[::1] first not None,
    const int32_t[::1] second not None, const double[::1] v not None, double base,
    const double[::1] start not None, double tol, *, threads=None
):
    """Compute the leading eigenvector of X~ M X~^T: the plane of eq. 18 of Li et al. (2011).

    See :func:`refimpl.kernels.leading_direction`.
    """
    cdef Py_ssize_t n = x.shape[0], d = x.shape[1], c
    cdef double[::1] p
    cdef double size
    if n == 0 or not products.einsum_adds_so(d):
        reference.require_start(np.asarray(start))
        return _by_products(
            np.asarray(x), np.asarray(first), np.asarray(second), np.asarray(v), base,
            np.asarray(start), tol, threads
        )
    size = sqrt(_dot(&start[0], &start[0], d))
    if not 0 < size < INFINITY:
        reference.require_start(np.asarray(start))  # raises
    cdef _Matrix A = _Matrix(x, first, second, v, base, thread_count(threads))
    found = np.empty(d)
    p = found
    for c in range(d):
        p[c] = start[c] / size
    for _ in range(reference.RESTARTS):
        if _restarted(A, &p[0], tol):
            break
    if _points_down(&p[0], d):
        for c in range(d):
            p[c] = -p[c]
    return found


def _by_products(x, first, second, v, base, start, tol, threads):
    """The reference's iteration with the products of this package."""
    large = x.size >= reference.LARGE

    def product(p):
        u = matrix_vector(x, p, threads=threads) if large else np.einsum("ij,j->i", x, p)
        listed = pair_product(first, second, v, u, threads=threads)
        u = 0.5 * (listed + base * (u.sum() - u))
        return vector_matrix(u, x, threads=threads) if large else np.einsum("i,ij->j", u, x)

    with np.errstate(all="ignore"):
        return reference.top_eigenvector(product, start, tol=tol)
