/* Distances from one query to sixteen points or nodes at once, kept in vector registers. The points
   lie in memory coordinate by coordinate, the sixteen values of a coordinate side by side. Each of
   the sixteen sums is taken in the order of the coordinates, so the doubles are those that a point
   at a time gives. */

enum { GROUP = 16 };

/* out[i] = sum_c (q[c] - C[16 c + i])^2 */
static inline void ball_group(const double* q, const double* C, ptrdiff_t d, double* out) {
    typedef lanes<double, GROUP> group;
    group sums = group::all(0);
    for (ptrdiff_t c = 0; c < d; ++c) {
        const group a = group::all(q[c]) - group::load(C + GROUP * c);
        sums += a * a;
    }
    sums.store(out);
}

/* out[i] = sum_c max(low[i] - q[c], q[c] - high[i], 0)^2
   where B has the sixteen low, then the sixteen high of each c */
static inline void box_group(const double* q, const double* B, ptrdiff_t d, double* out) {
    typedef lanes<double, GROUP> group;
    group sums = group::all(0);
    for (ptrdiff_t c = 0; c < d; ++c) {
        const double* low = B + 2 * GROUP * c;
        const group below = group::load(low) - group::all(q[c]);
        const group above = group::all(q[c]) - group::load(low + GROUP);
        const group a = larger(larger(below, above), group::all(0));
        sums += a * a;
    }
    sums.store(out);
}

/* For each of some points, the first centre of a group that is nearer than `least`. Of the sixteen
   columns the first N are looked at. */
template <int N, int POINTS>
REFIMPL_INLINE void nearer_centres(
    const double* X, const double* C, ptrdiff_t d, ptrdiff_t first, double* least, int64_t* nearest)
{
    typedef lanes<double, N> group;
    group sums[POINTS];
    for (int p = 0; p < POINTS; ++p) sums[p] = group::all(0);
    for (ptrdiff_t c = 0; c < d; ++c) {
        const group centres = group::load(C + GROUP * c);
        for (int p = 0; p < POINTS; ++p) {
            const group a = group::all(X[p * d + c]) - centres;
            sums[p] += a * a;
        }
    }
    for (int p = 0; p < POINTS; ++p) {
        double squares[N];
        sums[p].store(squares);
        for (int half = N / 2; half; half /= 2)
            for (int i = 0; i < half; ++i)
                squares[i] = squares[i + half] < squares[i] ? squares[i + half] : squares[i];
        if (squares[0] < least[p]) {
            least[p] = squares[0];
            nearest[p] = first + lowest_bit(bits_at_most(sums[p], group::all(least[p])));
        }
    }
}

template <int POINTS>
REFIMPL_INLINE void some_nearest_centres(
    const double* X, const double* packed, ptrdiff_t n, ptrdiff_t d, int64_t* nearest)
{
    double least[POINTS];
    for (int p = 0; p < POINTS; ++p) {
        least[p] = INFINITY;
        nearest[p] = 0;
    }
    for (ptrdiff_t first = 0; first < n; first += GROUP, packed += GROUP * d)
        if (n - first <= GROUP / 2)
            nearer_centres<GROUP / 2, POINTS>(X, packed, d, first, least, nearest);
        else
            nearer_centres<GROUP, POINTS>(X, packed, d, first, least, nearest);
}

/* The index of the first of the n centres that are nearest to each of the points. Packed, each
   sixteen centres are d rows of sixteen; places without a centre are infinite. A point alone would
   wait for each of its sums. */
static inline void nearest_centres(
    const double* X, ptrdiff_t points, const double* packed, ptrdiff_t n, ptrdiff_t d,
    int64_t* nearest)
{
    enum { POINTS = REFIMPL_BYTES < 64 ? 2 : 4 };
    ptrdiff_t i = 0;
    for (; i + POINTS <= points; i += POINTS)
        some_nearest_centres<POINTS>(X + i * d, packed, n, d, nearest + i);
    for (; i < points; ++i) some_nearest_centres<1>(X + i * d, packed, n, d, nearest + i);
}

/* Add the squares (q[c] - P[16 c + i])^2 of sixteen points, each until its sum is above the limit.
   Bit i of `left` is set where it never is. Returns how many squares were added. */
static inline int64_t stopping_group(
    const double* q, const double* P, ptrdiff_t d, double limit, unsigned* left)
{
    typedef lanes<double, GROUP> group;
    const group most = group::all(limit);
    group sums = group::all(0);
    int64_t terms = 0;
    *left = (1u << GROUP) - 1;
    for (ptrdiff_t c = 0; c < d && *left; ++c) {
        const group a = group::all(q[c]) - group::load(P + GROUP * c);
        sums += a * a;
        terms += set_bits(*left);
        *left &= ~bits_above(sums, most);
    }
    return terms;
}

REFIMPL_INLINE lanes<float, GROUP> float_squares(const float* q, const float* P, ptrdiff_t c) {
    typedef lanes<float, GROUP> group;
    const group a = group::all(q[c]) - group::load(P + GROUP * c);
    return a * a;
}

/* Bit i is set unless sum_c (q[c] - P[16 c + i])^2, or a part of it, is above the limit. The order
   of summation is any: this is a filter only. */
static inline unsigned near_group(const float* q, const float* P, ptrdiff_t d, float limit) {
    typedef lanes<float, GROUP> group;
    enum { LOOK = 16 }; /* coordinates after which it looks whether it can stop */
    const group most = group::all(limit);
    group even = group::all(0), odd = group::all(0);
    ptrdiff_t c = 0;
    for (; c + LOOK < d; c += LOOK) {
        for (int i = 0; i < LOOK; i += 2) {
            even += float_squares(q, P, c + i);
            odd += float_squares(q, P, c + i + 1);
        }
        if (!any_at_most(even + odd, most)) return 0;
    }
    for (; c + 1 < d; c += 2) {
        even += float_squares(q, P, c);
        odd += float_squares(q, P, c + 1);
    }
    if (c < d) even += float_squares(q, P, c);
    return bits_at_most(even + odd, most);
}
