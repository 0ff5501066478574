/* Margins of eight embeddings at once. The eight values of an object are side by side, so a triple
   takes three loads from memory instead of 24 single numbers from three rows. A triple's a and b
   are exchanged where its proximity order is -1, which gives the same margin as the factor.

   What is summed here is exact in any order (weights on the grid), but for the sums of
   eight_sums: their order is stated there. */

/* values[8 x + c] = F[first + c, x]; the last row of F stands for those that it lacks */
static inline void side_by_side(
    const double* F, ptrdiff_t m, ptrdiff_t n, ptrdiff_t first, double* values)
{
    const double* rows[EIGHT];
    for (int c = 0; c < EIGHT; ++c) rows[c] = F + n * (first + c < m ? first + c : m - 1);
    for (ptrdiff_t x = 0; x < n; ++x)
        for (int c = 0; c < EIGHT; ++c) values[EIGHT * x + c] = rows[c][x];
}

template <class Row>
REFIMPL_INLINE Row margins(const Row& F_q, const double* values, ptrdiff_t a, ptrdiff_t b) {
    return sizes(F_q - Row::load(values + EIGHT * b)) - sizes(F_q - Row::load(values + EIGHT * a));
}

/* out[c] = the sum of w over u < 0, and of w / 2 over u = 0. The triples are sorted by q: those of q
   are starts[q], ..., starts[q + 1] - 1. */
static inline void eight_errors(
    const double* values, const ptrdiff_t* starts, const int32_t* a, const int32_t* b,
    const double* w, ptrdiff_t n, double* out)
{
    constexpr int AT_ONCE = at_once(2);
    typedef lanes<double, AT_ONCE> row;
    const row zero = row::all(0), half = row::all(0.5);
    for (int c = 0; c < EIGHT; c += AT_ONCE) {
        row below = zero, not_above = zero;
        for (ptrdiff_t q = 0; q < n; ++q) {
            const row F_q = row::load(values + EIGHT * q + c);
            for (ptrdiff_t i = starts[q]; i < starts[q + 1]; ++i) {
                const row u = margins(F_q, values + c, a[i], b[i]), weight = row::all(w[i]);
                below += where_above(zero, u, weight, zero);
                not_above += where_above(u, zero, zero, weight);
            }
        }
        (below + half * (not_above - below)).store(out + c);
    }
}

/* gains[8 q + c] = half of the sum of w sign(u) over the triples of q, sorted as above */
static inline void eight_gains(
    const double* values, const ptrdiff_t* starts, const int32_t* a, const int32_t* b,
    const double* w, ptrdiff_t n, double* gains)
{
    constexpr int AT_ONCE = at_once(2);
    typedef lanes<double, AT_ONCE> row;
    const row zero = row::all(0), half = row::all(0.5);
    for (ptrdiff_t q = 0; q < n; ++q)
        for (int c = 0; c < EIGHT; c += AT_ONCE) {
            const row F_q = row::load(values + EIGHT * q + c);
            row above = zero, below = zero;
            for (ptrdiff_t i = starts[q]; i < starts[q + 1]; ++i) {
                const row u = margins(F_q, values + c, a[i], b[i]), weight = row::all(w[i]);
                above += where_above(u, zero, weight, zero);
                below += where_above(zero, u, weight, zero);
            }
            (half * (above - below)).store(gains + EIGHT * q + c);
        }
}

/* out[8 s + c]: over u > 0, then over u < 0, the sums of w (s = 0, 1), of w |u| (2, 3) and of w u^2
   (4, 5), and the largest |u| (6, 7). With SPLIT a margin is multiplied by splits[8 q + c]. The
   triples are lane by lane, `rows` in each: a lane adds in ascending order, then the lanes are
   added, from the first. */
template <bool SPLIT>
REFIMPL_INLINE void eight_sums_of(
    const double* values, const int32_t* q, const int32_t* a, const int32_t* b, const double* w,
    const double* splits, ptrdiff_t n_lanes, ptrdiff_t rows, double* out)
{
    constexpr int AT_ONCE = at_once(1);
    typedef lanes<double, AT_ONCE> row;
    const row zero = row::all(0);
    for (int c = 0; c < EIGHT; c += AT_ONCE) {
        row right = zero, wrong = zero, most = zero, least = zero;
        row right_u = zero, wrong_u = zero, right_uu = zero, wrong_uu = zero;
        for (ptrdiff_t lane = 0; lane < n_lanes; ++lane) {
            row lane_right = zero, lane_wrong = zero, lane_right_uu = zero, lane_wrong_uu = zero;
            for (ptrdiff_t i = lane * rows; i < (lane + 1) * rows; ++i) {
                const row F_q = row::load(values + EIGHT * (ptrdiff_t)q[i] + c);
                row u = margins(F_q, values + c, a[i], b[i]);
                if (SPLIT) u = u * row::load(splits + EIGHT * (ptrdiff_t)q[i] + c);
                const row weight = row::all(w[i]), weighted = weight * sizes(u);
                const row squared = weighted * sizes(u);
                right += where_above(u, zero, weight, zero);
                wrong += where_above(zero, u, weight, zero);
                lane_right += where_above(u, zero, weighted, zero);
                lane_wrong += where_above(zero, u, weighted, zero);
                lane_right_uu += where_above(u, zero, squared, zero);
                lane_wrong_uu += where_above(zero, u, squared, zero);
                most = larger(u, most);
                least = where_above(least, u, u, least);
            }
            right_u += lane_right;
            wrong_u += lane_wrong;
            right_uu += lane_right_uu;
            wrong_uu += lane_wrong_uu;
        }
        const row sums[] = {
            right, wrong, right_u, wrong_u, right_uu, wrong_uu, most, sizes(least)};
        for (int s = 0; s < 8; ++s) sums[s].store(out + EIGHT * s + c);
    }
}

static inline void eight_sums(
    const double* values, const int32_t* q, const int32_t* a, const int32_t* b, const double* w,
    const double* splits, ptrdiff_t n_lanes, ptrdiff_t rows, double* out)
{
    if (splits) eight_sums_of<true>(values, q, a, b, w, splits, n_lanes, rows, out);
    else eight_sums_of<false>(values, q, a, b, w, splits, n_lanes, rows, out);
}
