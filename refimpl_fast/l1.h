/* Weighted L1 distances from some queries to the rows of a tile. Each is taken in sixteen sums: sum
   i adds c = i, i + 16, ...; then the sums are added, from the first. Some rows are added up side by
   side, as each sum waits for its last addition. */

enum { L1_SUMS = 16, L1_TILE = 64 /* rows at most */ };
typedef lanes<double, L1_SUMS> l1_row;

/* out[r] for ROWS rows; `rest` has what a row has beyond whole sixteens, filled up with 0. */
template <int ROWS>
REFIMPL_INLINE void some_l1(
    const double* q, const double* a, const double* X, ptrdiff_t d, const double* q_rest,
    const double* a_rest, const double* rest, double* out)
{
    const ptrdiff_t whole = d / L1_SUMS * L1_SUMS;
    l1_row sums[ROWS];
    for (int r = 0; r < ROWS; ++r) sums[r] = l1_row::all(0);
    for (ptrdiff_t c = 0; c < whole; c += L1_SUMS) {
        const l1_row at = l1_row::load(q + c), weight = l1_row::load(a + c);
        for (int r = 0; r < ROWS; ++r) /* BM:eq16, BM:eq22 */
            sums[r] += weight * sizes(at - l1_row::load(X + r * d + c));
    }
    if (whole < d) {
        const l1_row at = l1_row::load(q_rest), weight = l1_row::load(a_rest);
        for (int r = 0; r < ROWS; ++r)
            sums[r] += weight * sizes(at - l1_row::load(rest + r * L1_SUMS));
    }
    double of[ROWS][L1_SUMS];
    for (int r = 0; r < ROWS; ++r) sums[r].store(of[r]);
    const ptrdiff_t used = d < L1_SUMS ? d : +L1_SUMS; /* the others are 0 */
    for (int r = 0; r < ROWS; ++r) out[r] = of[r][0];
    for (ptrdiff_t i = 1; i < used; ++i)
        for (int r = 0; r < ROWS; ++r) out[r] += of[r][i];
}

/* out[i, r] = sum_c A[i, c] |Q[i, c] - X[r, c]| for the first rows r of X, L1_TILE at most; rows of
   `out` are `step` apart. */
static inline void l1_tile(
    const double* Q, const double* A, ptrdiff_t queries, const double* X, ptrdiff_t rows,
    ptrdiff_t d, double* out, ptrdiff_t step)
{
    enum { TOGETHER_L1 = REFIMPL_BYTES == 64 ? 4 : 2 };
    const ptrdiff_t whole = d / L1_SUMS * L1_SUMS, beyond = (d - whole) * (ptrdiff_t)sizeof(double);
    double rest[L1_TILE * L1_SUMS] = {0}, q_rest[L1_SUMS] = {0}, a_rest[L1_SUMS] = {0};
    if (beyond)
        for (ptrdiff_t r = 0; r < rows; ++r) memcpy(rest + r * L1_SUMS, X + r * d + whole, beyond);
    for (ptrdiff_t i = 0; i < queries; ++i, Q += d, A += d, out += step) {
        memcpy(q_rest, Q + whole, beyond);
        memcpy(a_rest, A + whole, beyond);
        ptrdiff_t r = 0;
        for (; r + TOGETHER_L1 <= rows; r += TOGETHER_L1)
            some_l1<TOGETHER_L1>(Q, A, X + r * d, d, q_rest, a_rest, rest + r * L1_SUMS, out + r);
        for (; r < rows; ++r)
            some_l1<1>(Q, A, X + r * d, d, q_rest, a_rest, rest + r * L1_SUMS, out + r);
    }
}
