/* exp(x) of refimpl/kernels/exponentials.py, operation by operation, and Z with its derivatives.
   Several vectors are taken at once: each step of Horner's rule waits for the one before. */

enum { SUM_LANES = 64 }; /* LANES of refimpl/kernels/exponentials.py */
enum { EXPONENTIALS = REFIMPL_BYTES ? 4 * REFIMPL_BYTES / 8 : 1 }; /* at once */

template <int N>
REFIMPL_INLINE lanes<double, N> exponential(const lanes<double, N>& given) {
    typedef lanes<double, N> row;
    constexpr double TAYLOR[] = {
        1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, 1 / 40320.0,
        1 / 5040.0, 1 / 720.0, 1 / 120.0, 1 / 24.0, 1 / 6.0, 0.5, 1, 1};
    const row least = row::all(-700), most = row::all(500), shift = row::all(TO_WHOLE);
    const row above = larger(given, least), x = where_above(above, most, most, above);
    const row k = x * row::all(1.4426950408889634) + shift;
    const row r = (x - (k - shift) * row::all(0.693145751953125))
        - (k - shift) * row::all(1.4286068203094173e-06);
    row p = row::all(TAYLOR[0]);
    for (int i = 1; i < 14; ++i) p = p * r + row::all(TAYLOR[i]);
    return where_above(least, given, row::all(0), times_power(p, k));
}

/* e = exp(s - m) */
static inline void exponentials(double s, const double* m, ptrdiff_t n, double* e) {
    typedef lanes<double, EXPONENTIALS> row;
    typedef lanes<double, 1> one;
    ptrdiff_t i = 0;
    for (; i + EXPONENTIALS <= n; i += EXPONENTIALS)
        exponential(row::all(s) - row::load(m + i)).store(e + i);
    for (; i < n; ++i) exponential(one::all(s) - one::load(m + i)).store(e + i);
}

/* out = fixed_sum(e), -fixed_sum(e * u), fixed_sum(e * u * u), where e = exp(x - alpha * u); that is
   w at alpha = 0. There are `rows` times 64 of u, x and w. */
static inline void z_sums(
    const double* u, const double* x, const double* w, double alpha, ptrdiff_t rows, double* out)
{
    typedef lanes<double, EXPONENTIALS> row;
    double sums[3][SUM_LANES] = {};
    for (ptrdiff_t i = 0; i < SUM_LANES * rows; i += SUM_LANES)
        for (int c = 0; c < SUM_LANES; c += EXPONENTIALS) {
            const row v = row::load(u + i + c);
            const row e = alpha == 0 ? row::load(w + i + c)
                : exponential(row::load(x + i + c) - row::all(alpha) * v);
            const row first = e * v;
            (row::load(sums[0] + c) + e).store(sums[0] + c);
            (row::load(sums[1] + c) + first).store(sums[1] + c);
            (row::load(sums[2] + c) + first * v).store(sums[2] + c);
        }
    for (int s = 0; s < 3; ++s) out[s] = sums[s][0];
    for (int c = 1; c < SUM_LANES; ++c)
        for (int s = 0; s < 3; ++s) out[s] += sums[s][c];
    out[1] = -out[1];
}
