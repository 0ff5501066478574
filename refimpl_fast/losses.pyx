"""The loss Z of classifiers of triples in Cython: the twin of refimpl/kernels/losses.py.

The reference's expressions stand above the loops.

A sum has LANES lanes, each of which adds in ascending order. Z takes the triples in rows of LANES,
for one classifier at a time. The threads share the classifiers.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, frexp, ldexp, sqrt
from libc.stdint cimport int32_t

from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels import exponentials
from refimpl.kernels import losses as reference
from refimpl.kernels.contract import checked
from refimpl.kernels.stumps import GRID as grid

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "power.h":
    double times_power(double p, double shifted) noexcept nogil
    double quotient(double a, double b) noexcept nogil

cdef enum:
    LANES = 64
    DEGREE = 13
    FACTORS = 4096  # triples that get their factors at a time
    CHUNK = 20_000  # triples that a thread takes at a time: some 20 to 200 microseconds

cdef double[DEGREE + 1] TAYLOR
cdef double LOG2E = exponentials.LOG2E
cdef double LN2_HIGH = exponentials.LN2_HIGH
cdef double LN2_LOW = exponentials.LN2_LOW
cdef double LEAST = exponentials.LEAST, MOST = exponentials.MOST
cdef double TOLERANCE = reference.TOLERANCE
cdef double LAST_BITS = reference.LAST_BITS, NEAR = reference.NEAR, NEARER = reference.NEARER
cdef double EASY = reference.EASY
cdef double NO_MARGIN = reference.NO_MARGIN
cdef double NEGLIGIBLE = reference.NEGLIGIBLE
cdef double HUGE = reference.HUGE
cdef double LEAST_WEIGHT = grid / 2
cdef double SHIFT = 1.5 * 2.0**52
cdef int STEPS = reference.STEPS, HALVINGS = reference.HALVINGS
for _place in range(DEGREE + 1):
    TAYLOR[_place] = exponentials.TAYLOR[_place]
assert LANES == exponentials.LANES


cdef class _Triples(Loop):
    """Step c of a subclass looks at classifier c with all triples.

    The triples are transposed: all q, then all a, then all b. Rows are filled up with triples of
    weight 0 and margin 0. `e` holds exp(x), whose sum is `total`.
    """

    cdef int32_t[:, ::1] sides
    cdef double[::1] y, x, e
    cdef double total
    cdef Py_ssize_t t
    cdef const double[:, ::1] F, S
    cdef double[:, ::1] u, out
    cdef bint silent

    def __cinit__(
        self, const double[:, ::1] F, const int32_t[:, ::1] triples, const double[::1] y,
        const double[::1] margin, S=None
    ):
        cdef Py_ssize_t t = triples.shape[0], i
        self.F, self.t = F, -(-t // LANES) * LANES
        self.sides = np.zeros((3, self.t), dtype=np.int32)
        self.y, self.x, self.e = np.zeros((3, self.t))
        self.x[t:] = -INFINITY
        for i in range(t):
            self.sides[0, i] = triples[i, 0]
            self.sides[1, i] = triples[i, 1]
            self.sides[2, i] = triples[i, 2]
            self.y[i] = y[i]
        _exponents(&margin[0], t, &self.x[0])
        _exponentials(&self.x[0], t, TAYLOR, &self.e[0])
        _fixed_sum(&self.e[0], self.t, &self.total)
        self.silent = S is not None
        if self.silent:
            self.S = S

    cdef each(self, threads, Py_ssize_t width):
        """Do the steps, each of which writes `width` numbers: ndarray, shape (m, width)."""
        cdef Py_ssize_t m = self.F.shape[0]
        cdef int n_threads = worth(thread_count(threads), m * self.t)
        self.u, self.out = np.empty((n_threads, self.t)), np.zeros((m, width))
        self.run(m, n_threads, max(1, min(m // (8 * n_threads), CHUNK // self.t)))
        return np.asarray(self.out)

    cdef double* margins(self, Py_ssize_t c, int thread) noexcept nogil:
        """y_i S(q_i) F~(q_i, a_i, b_i) of classifier c."""
        cdef double* u = &self.u[thread, 0]
        _margins(
            u, &self.F[c, 0], &self.sides[0, 0], &self.sides[1, 0], &self.sides[2, 0], &self.y[0],
            self.t
        )
        if self.silent:
            _silence(u, &self.S[c, 0], &self.sides[0, 0], self.t)
        return u


cdef cloned_void _margins(
    double* u, const double* F, const int32_t* q, const int32_t* a, const int32_t* b,
    const double* y, Py_ssize_t t
) noexcept nogil:
    # u = y * (np.abs(F[q] - F[b]) - np.abs(F[q] - F[a]))
    cdef Py_ssize_t i
    for i in range(t):
        u[i] = y[i] * (fabs(F[q[i]] - F[b[i]]) - fabs(F[q[i]] - F[a[i]]))  # BM:eq2


cdef cloned_void _silence(
    double* u, const double* S, const int32_t* q, Py_ssize_t t
) noexcept nogil:
    # u *= S[q]
    cdef Py_ssize_t i
    for i in range(t):
        u[i] = u[i] * S[q[i]]  # BM:eq17


cdef inline double _exp(double x, const double* taylor) noexcept nogil:
    # exp(x) of refimpl/kernels/exponentials.py
    cdef double k, r, p, given = x
    x = LEAST if x < LEAST else x
    x = MOST if x > MOST else x
    k = x * LOG2E + SHIFT
    r = (x - (k - SHIFT) * LN2_HIGH) - (k - SHIFT) * LN2_LOW
    p = taylor[0]
    p = p * r + taylor[1]
    p = p * r + taylor[2]
    p = p * r + taylor[3]
    p = p * r + taylor[4]
    p = p * r + taylor[5]
    p = p * r + taylor[6]
    p = p * r + taylor[7]
    p = p * r + taylor[8]
    p = p * r + taylor[9]
    p = p * r + taylor[10]
    p = p * r + taylor[11]
    p = p * r + taylor[12]
    p = p * r + taylor[13]
    p = times_power(p, k)
    return 0.0 if given < LEAST else p


cdef inline void _totals(
    const double* sum0, const double* sum1, const double* sum2, double* out
) noexcept nogil:
    # out = fixed_sum(sum0), -fixed_sum(sum1), fixed_sum(sum2), of which the lanes are added here
    cdef Py_ssize_t i
    out[0] = sum0[0]
    out[1] = sum1[0]
    out[2] = sum2[0]
    for i in range(1, LANES):
        out[0] += sum0[i]
        out[1] += sum1[i]
        out[2] += sum2[i]
    out[1] = -out[1]


cdef cloned_void _exponents(const double* margin, Py_ssize_t t, double* x) noexcept nogil:
    # x = margin.min() - margin
    cdef double[LANES] lanes
    cdef double least = margin[0]
    cdef Py_ssize_t i, row
    for i in range(LANES):
        lanes[i] = least
    for row in range(t // LANES):
        for i in range(LANES):
            lanes[i] = margin[row * LANES + i] if margin[row * LANES + i] < lanes[i] else lanes[i]
    for i in range(t // LANES * LANES, t):
        least = margin[i] if margin[i] < least else least
    for i in range(LANES):
        least = lanes[i] if lanes[i] < least else least
    for i in range(t):
        x[i] = least - margin[i]


cdef cloned_void _exponentials(
    const double* x, Py_ssize_t t, const double* taylor, double* e
) noexcept nogil:
    # e = exp(x)
    cdef Py_ssize_t i
    for i in range(t):
        e[i] = _exp(x[i], taylor)


cdef cloned_void _z(
    const double* u, const double* x, double alpha, Py_ssize_t t, const double* taylor, double* out
) noexcept nogil:
    # e = exp(x - alpha * u); fixed_sum(e), -fixed_sum(e * u), fixed_sum(e * u * u)
    cdef double[LANES] sum0, sum1, sum2, e
    cdef Py_ssize_t i, row
    for i in range(LANES):
        sum0[i] = 0
        sum1[i] = 0
        sum2[i] = 0
    for row in range(t // LANES):
        for i in range(LANES):
            # BM:eq12, BM:7.3:1
            e[i] = _exp(x[row * LANES + i] - alpha * u[row * LANES + i], taylor)
        for i in range(LANES):
            sum0[i] += e[i]
            e[i] = e[i] * u[row * LANES + i]
            sum1[i] += e[i]
            sum2[i] += e[i] * u[row * LANES + i]
    _totals(sum0, sum1, sum2, out)


cdef cloned_void _z_at_0(
    const double* u, const double* w, Py_ssize_t t, double* out
) noexcept nogil:
    # _z at alpha = 0, where w = exp(x): most searches begin there
    cdef double[LANES] sum0, sum1, sum2
    cdef double weighted
    cdef Py_ssize_t i, row
    for i in range(LANES):
        sum0[i] = 0
        sum1[i] = 0
        sum2[i] = 0
    for row in range(t // LANES):
        for i in range(LANES):
            sum0[i] += w[row * LANES + i]
            weighted = w[row * LANES + i] * u[row * LANES + i]
            sum1[i] += weighted
            sum2[i] += weighted * u[row * LANES + i]
    _totals(sum0, sum1, sum2, out)


cdef cloned_void _sizes(
    const double* u, const double* e, double total, Py_ssize_t t, double* out
) noexcept nogil:
    # w = e / total; fixed_sum(w * np.abs(u)), _largest(u, w, GRID / 2), _largest(-u, w, GRID / 2),
    # np.abs(u).max()
    cdef double[LANES] lanes, right, wrong, largest
    cdef double v, w
    cdef Py_ssize_t i, row
    for i in range(LANES):
        lanes[i] = 0
        right[i] = 0
        wrong[i] = 0
        largest[i] = 0
    for row in range(t // LANES):
        for i in range(LANES):
            v = u[row * LANES + i]
            w = quotient(e[row * LANES + i], total)
            lanes[i] += w * fabs(v)
            largest[i] = fabs(v) if fabs(v) > largest[i] else largest[i]
            v = v if w > LEAST_WEIGHT else 0
            right[i] = v if v > right[i] else right[i]
            wrong[i] = -v if -v > wrong[i] else wrong[i]
    out[0] = lanes[0]
    out[1] = right[0]
    out[2] = wrong[0]
    out[3] = largest[0]
    for i in range(1, LANES):
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
    double* u, const double* x, const double* e, double total, double least, Py_ssize_t t,
    const double* taylor, double* found
) noexcept nogil:
    # found = _minimum(u, e / total, x, least); u may be rescaled in its place
    cdef double[4] sizes
    cdef double[3] z
    cdef double[4] state
    cdef double most, farthest, power = 1, alpha
    cdef int exponent
    cdef bint falls
    _sizes(u, e, total, t, sizes)
    if max(sizes[1], sizes[2]) > NO_MARGIN and sizes[0] != 0.0 and (
        not 1 / EASY <= sizes[3] <= EASY
    ):
        frexp(sizes[3], &exponent)
        power = ldexp(1.0, 1 - exponent)
        _rescale(u, power, t)
        least = max(-HUGE, min(HUGE, least / power))
        _sizes(u, e, total, t, sizes)
    if max(sizes[1], sizes[2]) <= NO_MARGIN or sizes[0] == 0.0:
        found[0] = max(least, 0.0)
        _z(u, x, found[0], t, taylor, z)
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
        _z(u, x, alpha, t, taylor, z)
        if (z[1] <= 0) if falls else (z[1] >= 0):
            found[0] = alpha * power
            found[1] = z[0]
            return
    _newton(u, x, e, least, most, sizes[0], sizes[3], t, taylor, state)
    if state[2] != state[3]:
        if not state[3] < most:
            state[3] = farthest
        _bisection(u, x, state[2], state[3], least, t, taylor, state)
    found[0] = state[0] * power  # BM:eq13, BM:7.3:10, BM:8.1:6
    found[1] = state[1]  # BM:eq14, BM:7.3:3, BM:7.3:9, BM:8.1:3, BM:8.1:4, BM:8.1:7


cdef void _newton(
    const double* u, const double* x, const double* e, double least, double most, double scale,
    double largest, Py_ssize_t t, const double* taylor, double* state
) noexcept nogil:
    # state = alpha, Z, low, high of _newton(u, x, least, most, scale, largest)
    cdef double low = least, alpha = max(least, 0.0), high = most, step, newton
    cdef double[3] z
    cdef bint done = False
    cdef int _
    state[0] = alpha
    state[1] = 0
    for _ in range(STEPS):
        if alpha == 0:
            _z_at_0(u, e, t, z)
        else:
            _z(u, x, alpha, t, taylor, z)
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
    const double* u, const double* x, double low, double high, double least, Py_ssize_t t,
    const double* taylor, double* state
) noexcept nogil:
    # state[:2] = _bisection(u, x, low, high, least)
    cdef double alpha = low, middle
    cdef double[3] z
    cdef int _
    _z(u, x, alpha, t, taylor, z)
    if not (z[1] >= 0 and alpha == least):
        for _ in range(HALVINGS):
            middle = _middle(low, high)
            if not low < middle < high:
                break
            alpha = middle
            _z(u, x, alpha, t, taylor, z)
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
        _z(self.margins(c, thread), &self.x[0], self.alpha[c], self.t, TAYLOR, &self.out[c, 0])


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
            self.margins(c, thread), &self.x[0], &self.e[0], self.total, self.least[c], self.t,
            TAYLOR, &self.out[c, 0]
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
        _factors(&self.m[first], self.s, last - first, TAYLOR, &self.e[first])


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
    cdef double total, s
    loop.F, loop.triples, loop.y, loop.m, loop.alpha = F, triples, y, margin, alpha
    loop.after = np.empty(t)
    loop.run(-(-t // FACTORS), n_threads, 1)
    weights.e = np.zeros(-(-t // LANES) * LANES)
    total = _sum_of_weights(weights, margin, n_threads)
    s = weights.s
    # BM:eq9, BM:7.3:11, BM:7.3:12
    total = _sum_of_weights(weights, loop.after, n_threads) / total
    total *= _exp(s - weights.s, TAYLOR)
    return np.asarray(loop.after), np.asarray(weights.e)[:t], total


cdef double _sum_of_weights(_Weights loop, const double[::1] m, int n_threads):
    """The sum of exp(s - m); what the loop has then is divided by it: weights_of(m)."""
    cdef double total = 0
    loop.m = m
    loop.s = _least(&m[0], m.shape[0])
    loop.run(-(-m.shape[0] // FACTORS), n_threads, 1)
    _fixed_sum(&loop.e[0], loop.e.shape[0], &total)
    _share(&loop.e[0], m.shape[0], total)
    return total


cdef double _least(const double* m, Py_ssize_t t) noexcept nogil:
    # m.min()
    cdef double least = m[0]
    cdef Py_ssize_t i
    for i in range(1, t):
        least = m[i] if m[i] < least else least
    return least


cdef cloned_void _fixed_sum(const double* x, Py_ssize_t t, double* out) noexcept nogil:
    # fixed_sum(x)
    cdef double[LANES] lanes
    cdef Py_ssize_t i, row
    for i in range(LANES):
        lanes[i] = 0
    for row in range(t // LANES):
        for i in range(LANES):
            lanes[i] += x[row * LANES + i]
    out[0] = lanes[0]
    for i in range(1, LANES):
        out[0] += lanes[i]


cdef cloned_void _share(double* e, Py_ssize_t t, double z) noexcept nogil:
    # e / z
    cdef Py_ssize_t i
    for i in range(t):
        e[i] = quotient(e[i], z)


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


cdef cloned_void _factors(
    const double* m, double s, Py_ssize_t t, const double* taylor, double* out
) noexcept nogil:
    # exp(s - m)
    cdef Py_ssize_t i
    for i in range(t):
        out[i] = _exp(s - m[i], taylor)
