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

/* The index of the first of the centres that are nearest to q. Packed, each sixteen of them are d
   rows of sixteen. */
static inline int64_t nearest_centre(
    const double* q, const double* packed, ptrdiff_t n, ptrdiff_t d)
{
    double squares[GROUP], least = INFINITY;
    int64_t nearest = 0;
    for (ptrdiff_t first = 0; first < n; first += GROUP) {
        ball_group(q, packed + first * d, d, squares);
        for (ptrdiff_t i = 0; i < GROUP && first + i < n; ++i)
            if (squares[i] < least) {
                least = squares[i];
                nearest = first + i;
            }
    }
    return nearest;
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
