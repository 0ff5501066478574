"""The loss Z of classifiers of triples in Cython: the twin of refimpl/kernels/losses.py.

The reference's expressions stand above the loops.

A sum has SUM_LANES lanes, each of which adds in ascending order. Z takes the triples in rows of so
many, for one classifier at a time (exponentials.h). The threads share the classifiers.
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, fabs, frexp, ldexp, sqrt
from libc.stdint cimport int32_t

from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels import losses as reference
from refimpl.kernels.contract import checked
from refimpl.kernels.exponentials import LANES
from refimpl.kernels.stumps import GRID as grid

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "widths.h":
    enum:
        SUM_LANES
    void exponentials(double s, const double* m, Py_ssize_t n, double* e) noexcept nogil
    void z_sums(
        const double* u, const double* x, const double* w, double alpha, Py_ssize_t rows,
        double* out) noexcept nogil

cdef enum:
    FACTORS = 4096  # triples that get their factors at a time
    CHUNK = 20_000  # triples that a thread takes at a time: some 20 to 200 microseconds

cdef double MOST = reference.MOST
cdef double TOLERANCE = reference.TOLERANCE
cdef double LAST_BITS = reference.LAST_BITS, NEAR = reference.NEAR, NEARER = reference.NEARER
cdef double EASY = reference.EASY
cdef double NO_MARGIN = reference.NO_MARGIN
cdef double NEGLIGIBLE = reference.NEGLIGIBLE
cdef double HUGE = reference.HUGE
cdef double LEAST_WEIGHT = grid / 2
cdef int STEPS = reference.STEPS, HALVINGS = reference.HALVINGS
assert SUM_LANES == LANES


cdef class _Triples(Loop):
    """Step c of a subclass looks at classifier c with all triples.

    Rows are filled up with triples of weight 0 and margin 0. `e` holds exp(x), their sum `total`.
    """

    cdef const int32_t[:, ::1] triples
    cdef const double[::1] y
    cdef double[::1] x, e
    cdef double total
    cdef Py_ssize_t rows
    cdef const double[:, ::1] F, S
    cdef double[:, ::1] u, out
    cdef bint silent

    def __cinit__(
        self, const double[:, ::1] F, const int32_t[:, ::1] triples, const double[::1] y,
        const double[::1] margin, S=None
    ):
        cdef Py_ssize_t t = triples.shape[0]
        cdef double least = _least(&margin[0], t)
        self.F, self.triples, self.y, self.rows = F, triples, y, -(-t // SUM_LANES)
        self.x, self.e = on_lines(np.zeros, (2, self.rows * SUM_LANES))
        self.x[t:] = -INFINITY
        # x = margin.min() - margin
        _differences(least, &margin[0], t, &self.x[0])
        exponentials(least, &margin[0], t, &self.e[0])
        _fixed_sum(&self.e[0], self.rows, &self.total)
        self.silent = S is not None
        if self.silent:
            self.S = S

    cdef each(self, threads, Py_ssize_t width):
        """Do the steps, each of which writes `width` numbers: ndarray, shape (m, width)."""
        cdef Py_ssize_t m = self.F.shape[0], t = self.rows * SUM_LANES
        cdef int n_threads = worth(thread_count(threads), m * t)
        self.u, self.out = on_lines(np.zeros, (n_threads, t)), np.zeros((m, width))
        self.run(m, n_threads, max(1, min(m // (8 * n_threads), CHUNK // t)))
        return np.asarray(self.out)

    cdef double* margins(self, Py_ssize_t c, int thread) noexcept nogil:
        """y_i S(q_i) F~(q_i, a_i, b_i) of classifier c."""
        cdef double* u = &self.u[thread, 0]
        cdef Py_ssize_t t = self.triples.shape[0]
        _margins(&self.F[c, 0], &self.triples[0, 0], &self.y[0], t, u)
        if self.silent:
            _silence(&self.S[c, 0], &self.triples[0, 0], t, u)
        return u


cdef void _margins(
    const double* F, const int32_t* triples, const double* y, Py_ssize_t t, double* u
) noexcept nogil:
    # u = y * (np.abs(F[q] - F[b]) - np.abs(F[q] - F[a]))
    cdef double F_q, F_a, F_b
    cdef Py_ssize_t i
    for i in range(t):
        F_q = F[triples[3 * i]]
        F_a, F_b = F[triples[3 * i + 1]], F[triples[3 * i + 2]]
        u[i] = y[i] * (fabs(F_q - F_b) - fabs(F_q - F_a))  # BM:eq2


cdef void _silence(
    const double* S, const int32_t* triples, Py_ssize_t t, double* u
) noexcept nogil:
    # u *= S[q]
    cdef Py_ssize_t i
    for i in range(t):
        u[i] = u[i] * S[triples[3 * i]]  # BM:eq17


cdef double _least(const double* m, Py_ssize_t t) noexcept nogil:
    cdef double least
    _lowest(m, t, &least)
    return least


cdef cloned_void _lowest(const double* m, Py_ssize_t t, double* out) noexcept nogil:
    # m.min()
    cdef double[SUM_LANES] lanes
    cdef double least = m[0]
    cdef Py_ssize_t i, row
    for i in range(SUM_LANES):
        lanes[i] = least
    for row in range(t // SUM_LANES):
        for i in range(SUM_LANES):
            lanes[i] = m[row * SUM_LANES + i] if m[row * SUM_LANES + i] < lanes[i] else lanes[i]
    for i in range(t // SUM_LANES * SUM_LANES, t):
        least = m[i] if m[i] < least else least
    for i in range(SUM_LANES):
        least = lanes[i] if lanes[i] < least else least
    out[0] = least


@cython.cdivision(True)
cdef cloned_void _sizes(
    const double* u, const double* e, double total, Py_ssize_t rows, double* out
) noexcept nogil:
    # w = e / total; fixed_sum(w * np.abs(u)), _largest(u, w, GRID / 2), _largest(-u, w, GRID / 2),
    # np.abs(u).max()
    cdef double[SUM_LANES] lanes, right, wrong, largest
    cdef double v, w
    cdef Py_ssize_t i, row
    for i in range(SUM_LANES):
        lanes[i] = 0
        right[i] = 0
        wrong[i] = 0
        largest[i] = 0
    for row in range(rows):
        for i in range(SUM_LANES):
            v = u[row * SUM_LANES + i]
            w = e[row * SUM_LANES + i] / total
            lanes[i] += w * fabs(v)
            largest[i] = fabs(v) if fabs(v) > largest[i] else largest[i]
            v = v if w > LEAST_WEIGHT else 0
            right[i] = v if v > right[i] else right[i]
            wrong[i] = -v if -v > wrong[i] else wrong[i]
    out[0] = lanes[0]
    out[1] = right[0]
    out[2] = wrong[0]
    out[3] = largest[0]
    for i in range(1, SUM_LANES):
        out[0] += lanes[i]
        out[1] = max(out[1], right[i])
        out[2] = max(out[2], wrong[i])
        out[3] = max(out[3], largest[i])


cdef void _rescale(double* u, double power, Py_ssize_t t) noexcept nogil:
    # np.where(np.abs(u) > NO_MARGIN, u, 0.0) * power
    cdef Py_ssize_t i
    for i in range(t):
        u[i] = u[i] * power if fabs(u[i]) > NO_MARGIN else 0.0


cdef void _minimum(
    double* u, const double* x, const double* e, double total, double least,
    Py_ssize_t rows, double* found
) noexcept nogil:
    # found = _minimum(u, e / total, x, least); u may be rescaled in its place
    cdef double[4] sizes
    cdef double[3] z
    cdef double[4] state
    cdef double most, farthest, power = 1, alpha
    cdef int exponent
    cdef bint falls
    _sizes(u, e, total, rows, sizes)
    if max(sizes[1], sizes[2]) > NO_MARGIN and sizes[0] != 0.0 and (
        not 1 / EASY <= sizes[3] <= EASY
    ):
        frexp(sizes[3], &exponent)
        power = ldexp(1.0, 1 - exponent)
        _rescale(u, power, rows * SUM_LANES)
        least = max(-HUGE, min(HUGE, least / power))
        _sizes(u, e, total, rows, sizes)
    if max(sizes[1], sizes[2]) <= NO_MARGIN or sizes[0] == 0.0:
        found[0] = max(least, 0.0)
        z_sums(u, x, e, found[0], rows, z)
        found[0] = found[0] * power
        found[1] = z[0]
        return
    most = max(least, 0.0) + LAST_BITS / sizes[0]
    farthest = most
    if min(sizes[1], sizes[2]) > max(NEGLIGIBLE * max(sizes[1], sizes[2]), NO_MARGIN):
        farthest = max(most, MOST / sizes[2])
    else:
        falls = sizes[1] > sizes[2]
        alpha = most if falls else least
        z_sums(u, x, e, alpha, rows, z)
        if (z[1] <= 0) if falls else (z[1] >= 0):
            found[0] = alpha * power
            found[1] = z[0]
            return
    _newton(u, x, e, least, most, sizes[0], sizes[3], rows, state)
    if state[2] != state[3]:
        if not state[3] < most:
            state[3] = farthest
        _bisection(u, x, e, state[2], state[3], least, rows, state)
    found[0] = state[0] * power  # BM:eq13, BM:7.3:10, BM:8.1:6
    found[1] = state[1]  # BM:eq14, BM:7.3:3, BM:7.3:9, BM:8.1:3, BM:8.1:4, BM:8.1:7


cdef void _newton(
    const double* u, const double* x, const double* e, double least, double most, double scale,
    double largest, Py_ssize_t rows, double* state
) noexcept nogil:
    # state = alpha, Z, low, high of _newton(u, x, least, most, scale, largest)
    cdef double low = least, alpha = max(least, 0.0), high = most, step, newton
    cdef double[3] z
    cdef bint done = False
    cdef int _
    state[0] = alpha
    state[1] = 0
    for _ in range(STEPS):
        z_sums(u, x, e, alpha, rows, z)
        state[0] = alpha
        state[1] = z[0]
        if z[1] >= 0 and alpha == least:
            done = True
            break
        if z[1] < 0:
            low = alpha
        else:
            high = alpha
        if alpha == most and z[1] <= 0:
            done = z[1] == 0
            high = INFINITY
            break
        if z[2] == 0:
            break
        step = -z[1] / z[2]
        if fabs(step) * scale <= TOLERANCE and fabs(step) * largest <= NEAR:
            done = True
            break
        newton = alpha + step
        if not low < newton < high:
            if newton <= least < alpha:
                newton = least
            elif newton >= most > alpha:
                newton = most
            else:
                newton = (low + high) / 2
        alpha = newton
    state[2] = state[0] if done else low
    state[3] = state[0] if done else high


cdef void _bisection(
    const double* u, const double* x, const double* e, double low, double high, double least,
    Py_ssize_t rows, double* state
) noexcept nogil:
    # state[:2] = _bisection(u, x, low, high, least)
    cdef double alpha = low, middle
    cdef double[3] z
    cdef int _
    z_sums(u, x, e, alpha, rows, z)
    if not (z[1] >= 0 and alpha == least):
        for _ in range(HALVINGS):
            middle = _middle(low, high)
            if not low < middle < high:
                break
            alpha = middle
            z_sums(u, x, e, alpha, rows, z)
            if z[1] < 0:
                low = alpha
            else:
                high = alpha
    state[0] = alpha
    state[1] = z[0]


cdef double _middle(double low, double high) noexcept nogil:
    # np.sqrt(small) * np.sqrt(large) if small > 0 else large * NEARER, with the sign of the two
    cdef double small = min(fabs(low), fabs(high)), large = max(fabs(low), fabs(high)), middle
    middle = sqrt(small) * sqrt(large) if small > 0 else large * NEARER
    return middle if high > 0 else -middle


cdef class _Z(_Triples):
    cdef const double[::1] alpha

    cdef void at(self, Py_ssize_t c, int thread) noexcept nogil:
        cdef double* u = self.margins(c, thread)
        cdef double alpha = self.alpha[c]
        z_sums(u, &self.x[0], &self.e[0], alpha, self.rows, &self.out[c, 0])  # BM:eq12, BM:7.3:1


@checked
def z_values(
    F not None, triples not None, y not None, margin not None, const double[::1] alpha not None,
    const double[:, ::1] S=None, *, threads=None
):
    """Compute Z_j(h, alpha) of many classifiers, each at its own alpha: eq. 12.

    See :func:`refimpl.kernels.z_values`.
    """
    cdef _Z loop = _Z(F, triples, y, margin, S)
    loop.alpha = alpha
    return loop.each(threads, 3)[:, 0] / loop.total


cdef class _Minima(_Triples):
    cdef const double[::1] least

    cdef void at(self, Py_ssize_t c, int thread) noexcept nogil:
        _minimum(
            self.margins(c, thread), &self.x[0], &self.e[0], self.total, self.least[c],
            self.rows, &self.out[c, 0]
        )


@checked
def minimize_z(
    F not None, triples not None, y not None, margin not None, const double[::1] least not None,
    const double[:, ::1] S=None, *, threads=None
):
    """Find A_min and Z_min of many classifiers: eqs. 13-14 of Athitsos et al. (2005).

    See :func:`refimpl.kernels.minimize_z`.
    """
    cdef _Minima loop = _Minima(F, triples, y, margin, S)
    loop.least = least
    found = loop.each(threads, 2)
    return found[:, 0].copy(), found[:, 1] / loop.total


cdef class _Margins(Loop):
    """Step i looks at the triples of chunk i: their margins after the classifier was added."""

    cdef const double[::1] F, y, m
    cdef const int32_t[:, ::1] triples
    cdef double alpha
    cdef double[::1] after

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t first = i * FACTORS, last = min(first + FACTORS, self.y.shape[0])
        _added(
            &self.F[0], &self.triples[first, 0], &self.y[first], &self.m[first], self.alpha,
            last - first, &self.after[first]
        )


cdef class _Weights(Loop):
    """Step i looks at the triples of chunk i: exp(s - m), where s is the least margin."""

    cdef const double[::1] m
    cdef double s
    cdef double[::1] e

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t first = i * FACTORS, last = min(first + FACTORS, self.m.shape[0])
        exponentials(self.s, &self.m[first], last - first, &self.e[first])


@checked
def next_weights(
    const double[::1] F not None, const int32_t[:, ::1] triples not None,
    const double[::1] y not None, const double[::1] margin not None, double alpha, *, threads=None
):
    """Compute the margins and weights of the triples after a classifier was added, and its Z.

    See :func:`refimpl.kernels.next_weights`.
    """
    cdef _Margins loop = _Margins()
    cdef _Weights weights = _Weights()
    cdef Py_ssize_t t = triples.shape[0]
    cdef int n_threads = worth(thread_count(threads), 4 * t)
    cdef double total, total_after, s, fallen
    loop.F, loop.triples, loop.y, loop.m, loop.alpha = F, triples, y, margin, alpha
    loop.after = np.empty(t)
    loop.run(-(-t // FACTORS), n_threads, 1)
    weights.e = on_lines(np.zeros, -(-t // SUM_LANES) * SUM_LANES)
    total = _sum_of_weights(weights, margin, n_threads)
    s = weights.s
    # BM:eq9, BM:7.3:11, BM:7.3:12
    total_after = _sum_of_weights(weights, loop.after, n_threads)
    _share(&weights.e[0], t, total_after)
    exponentials(s, &weights.s, 1, &fallen)
    return np.asarray(loop.after), np.asarray(weights.e)[:t], total_after / total * fallen


cdef double _sum_of_weights(_Weights loop, const double[::1] m, int n_threads):
    """The sum of exp(s - m), which the loop has then: weights_of(m)."""
    cdef double total = 0
    loop.m = m
    loop.s = _least(&m[0], m.shape[0])
    loop.run(-(-m.shape[0] // FACTORS), n_threads, 1)
    _fixed_sum(&loop.e[0], loop.e.shape[0] // SUM_LANES, &total)
    return total


cdef cloned_void _fixed_sum(const double* x, Py_ssize_t rows, double* out) noexcept nogil:
    # fixed_sum(x)
    cdef double[SUM_LANES] lanes
    cdef Py_ssize_t i, row
    for i in range(SUM_LANES):
        lanes[i] = 0
    for row in range(rows):
        for i in range(SUM_LANES):
            lanes[i] += x[row * SUM_LANES + i]
    out[0] = lanes[0]
    for i in range(1, SUM_LANES):
        out[0] += lanes[i]


cdef cloned_void _differences(
    double least, const double* m, Py_ssize_t t, double* x
) noexcept nogil:
    # x = least - m
    cdef Py_ssize_t i
    for i in range(t):
        x[i] = least - m[i]


@cython.cdivision(True)
cdef cloned_void _share(double* e, Py_ssize_t t, double z) noexcept nogil:
    # e / z
    cdef Py_ssize_t i
    for i in range(t):
        e[i] = e[i] / z


cdef cloned_void _added(
    const double* F, const int32_t* triples, const double* y, const double* m, double alpha,
    Py_ssize_t t, double* out
) noexcept nogil:
    # np.clip(m + alpha * (y * margins(F, triples)), -HUGE, HUGE)
    cdef double x
    cdef Py_ssize_t i
    for i in range(t):
        x = fabs(F[triples[3 * i]] - F[triples[3 * i + 2]])
        x = y[i] * (x - fabs(F[triples[3 * i]] - F[triples[3 * i + 1]]))
        x = m[i] + alpha * x
        x = HUGE if x > HUGE else x
        out[i] = -HUGE if x < -HUGE else x
