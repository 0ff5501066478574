/* Weighted L1 distances from some queries to the rows of a tile. Each is taken in sixteen sums: sum
   i adds c = i, i + 16, ...; then the sums are added, from the first. A sum waits for its last
   addition, so that several vectors of sums are added up side by side: one of each of eight rows,
   two of each of four, or all of a single row. Rows beside others are passed once for each of their
   vectors of sums, or for two: long rows in pieces, which stay in the first cache meanwhile. */

enum { L1_SUMS = 16, L1_PIECE = 256 };

/* of[r][c % L1_SUMS] += a[c] |q[c] - X[r][c]| for c = first, ..., last - 1, AT_ONCE at a time; the
   sums begin with 0 if `fresh`. `first` is a multiple of L1_SUMS; beyond `last` there are zeros up
   to a multiple of AT_ONCE. */
template <int ROWS, int AT_ONCE>
REFIMPL_INLINE void add_l1(
    const double* q, const double* a, const double* const* X, ptrdiff_t first, ptrdiff_t last,
    bool fresh, double (*of)[L1_SUMS])
{
    typedef lanes<double, AT_ONCE> row;
    for (int i = 0; i < L1_SUMS && first + i < last; i += AT_ONCE) {
        row sums[ROWS];
        for (int r = 0; r < ROWS; ++r) sums[r] = fresh ? row::all(0) : row::load(of[r] + i);
        for (ptrdiff_t c = first + i; c < last; c += L1_SUMS) {
            const row at = row::load(q + c), weight = row::load(a + c);
            for (int r = 0; r < ROWS; ++r) /* BM:eq16, BM:eq22 */
                sums[r] += weight * sizes(at - row::load(X[r] + c));
        }
        for (int r = 0; r < ROWS; ++r) sums[r].store(of[r] + i);
    }
}

/* The same as l1_tile for ROWS rows. */
template <int ROWS, int AT_ONCE>
REFIMPL_INLINE void rows_l1(
    const double* Q, const double* A, ptrdiff_t queries, const double* X, ptrdiff_t d, double* out,
    ptrdiff_t step)
{
    const ptrdiff_t whole = d / L1_SUMS * L1_SUMS, beyond = d - whole;
    const ptrdiff_t used = d < L1_SUMS ? d : +L1_SUMS; /* the others would add 0 */
    double rest[ROWS][L1_SUMS] = {}, q_rest[L1_SUMS] = {}, a_rest[L1_SUMS] = {};
    const double *rows[ROWS], *rests[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        rows[r] = X + r * d;
        rests[r] = rest[r];
        memcpy(rest[r], rows[r] + whole, beyond * sizeof(double));
    }
    for (ptrdiff_t i = 0; i < queries; ++i, Q += d, A += d, out += step) {
        double of[ROWS][L1_SUMS];
        for (ptrdiff_t c = 0; c < whole; c += L1_PIECE)
            add_l1<ROWS, AT_ONCE>(
                Q, A, rows, c, whole - c < L1_PIECE ? whole : c + L1_PIECE, c == 0, of);
        if (beyond) {
            memcpy(q_rest, Q + whole, beyond * sizeof(double));
            memcpy(a_rest, A + whole, beyond * sizeof(double));
            add_l1<ROWS, AT_ONCE>(q_rest, a_rest, rests, 0, beyond, whole == 0, of);
        }
        for (int r = 0; r < ROWS; ++r) {
            double total = of[r][0];
            for (ptrdiff_t s = 1; s < used; ++s) total += of[r][s];
            out[r] = total;
        }
    }
}

/* out[i, r] = sum_c A[i, c] |Q[i, c] - X[r, c]|; d is at least 1, and rows of `out` are `step`
   apart. */
static inline void l1_tile(
    const double* Q, const double* A, ptrdiff_t queries, const double* X, ptrdiff_t rows,
    ptrdiff_t d, double* out, ptrdiff_t step)
{
    constexpr int VECTOR = REFIMPL_BYTES ? REFIMPL_BYTES / 8 : 1;
    ptrdiff_t r = 0;
    for (; d <= L1_PIECE && r + 8 <= rows; r += 8)
        rows_l1<8, VECTOR>(Q, A, queries, X + r * d, d, out + r, step);
    for (; r + 4 <= rows; r += 4)
        rows_l1<4, 2 * VECTOR>(Q, A, queries, X + r * d, d, out + r, step);
    for (; r < rows; ++r) rows_l1<1, L1_SUMS>(Q, A, queries, X + r * d, d, out + r, step);
}
