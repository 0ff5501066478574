/* Where some rows of points lie. A row has `filled` numbers, whole eights: what is beyond its d
   coordinates is 0. Each sum is taken in the order of the rows or of the coordinates. */

enum { WIDE = 8 };

/* total[c], low[c], high[c] = the sum, the least and the largest of column c */
static inline void extents(
    const double* S, ptrdiff_t filled, const int64_t* rows, ptrdiff_t n, double* total, double* low,
    double* high)
{
    typedef lanes<double, WIDE> eight;
    for (ptrdiff_t c = 0; c < filled; c += WIDE) {
        eight sum = eight::load(S + rows[0] * filled + c), least = sum, most = sum;
        for (ptrdiff_t i = 1; i < n; ++i) {
            const eight x = eight::load(S + rows[i] * filled + c);
            sum += x;
            least = where_above(least, x, x, least);
            most = where_above(x, most, x, most);
        }
        sum.store(total + c);
        least.store(low + c);
        most.store(high + c);
    }
}

/* spread[c] += the squares of column c's differences from the centre; returns the largest sum of a
   row's squares. Four rows are added up side by side, as each sum waits for its last addition. */
static inline double spreads(
    const double* S, ptrdiff_t d, ptrdiff_t filled, const int64_t* rows, ptrdiff_t n,
    const double* centre, double* spread, double* squares /* room for four rows, 0 */)
{
    typedef lanes<double, WIDE> eight;
    enum { ROWS = 4 };
    double farthest = 0;
    for (ptrdiff_t i = 0; i < n; i += ROWS) {
        const ptrdiff_t together = n - i < ROWS ? n - i : (ptrdiff_t)ROWS;
        for (ptrdiff_t c = 0; c < filled; c += WIDE) {
            const eight middle = eight::load(centre + c);
            eight sum = eight::load(spread + c);
            for (ptrdiff_t j = 0; j < together; ++j) {
                const eight a = eight::load(S + rows[i + j] * filled + c) - middle;
                (a * a).store(squares + j * filled + c);
                sum += a * a;
            }
            sum.store(spread + c);
        }
        double sums[ROWS] = {0};
        for (ptrdiff_t c = 0; c < d; ++c)
            for (int j = 0; j < ROWS; ++j) sums[j] += squares[j * filled + c];
        for (int j = 0; j < ROWS; ++j) farthest = sums[j] > farthest ? sums[j] : farthest;
    }
    return farthest;
}
