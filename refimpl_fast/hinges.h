/* Slacks of the triples of eight points at once. What the points have of target neighbours lies side
   by side, so that each sum of a point is a lane: it adds in the order of its pairs. */

/* The triples of `points` points, at most eight: first[i] to before first[i + 1] are the pairs of
   point i; plus[8 j + i] = 1 + the squared distance to its target neighbour j. With h = 0 the width
   of the hinge is 0. Sums of points beyond the last are 0. */
static inline void eight_hinges(
    const double* plus, const double* pairs, const int64_t* first, ptrdiff_t points, ptrdiff_t k,
    double h, double* smooth, double* hinge, double* active, double* pair_weights,
    double* target_weights)
{
    constexpr int AT_ONCE = at_once(2);
    typedef lanes<double, AT_ONCE> row;
    const row zero = row::all(0), one = row::all(1), half = row::all(0.5), half_h = row::all(0.5 * h);
    /* without width q is the slack itself, which counts where it is NaN */
    const row width = row::all(h > 0 ? h : 1), below_h = row::all(h > 0 ? nextafter(h, 0) : 0);
    for (int c = 0; c < points; c += AT_ONCE) {
        const ptrdiff_t m = points - c < AT_ONCE ? points - c : +AT_ONCE;
        double counts[AT_ONCE] = {0}, next[AT_ONCE] = {0}, weights[AT_ONCE];
        ptrdiff_t longest = 0;
        for (ptrdiff_t i = 0; i < m; ++i) {
            const ptrdiff_t count = first[c + i + 1] - first[c + i];
            counts[i] = (double)count;
            if (count > longest) longest = count;
        }
        const row count = row::load(counts);
        row smooth_sum = zero, hinge_sum = zero, positive = zero;
        for (ptrdiff_t p = 0; p < longest; ++p) {
            for (ptrdiff_t i = 0; i < m; ++i)
                if ((double)p < counts[i]) next[i] = pairs[first[c + i] + p];
            const row pair = row::load(next), place = row::all((double)p);
            row weight = zero;
            for (ptrdiff_t j = 0; j < k; ++j) {
                const ptrdiff_t of = EIGHT * j + c;
                const row z = where_above(count, place, row::load(plus + of) - pair, zero);
                const row xi = where_above(zero, z, zero, z), q = xi / width;
                const row w = where_above(z, below_h, one, q);
                smooth_sum += where_above(z, below_h, xi - half_h, half * xi * q);
                hinge_sum += xi;
                positive += where_above(z, zero, one, zero);
                weight += w;
                (row::load(target_weights + of) + w).store(target_weights + of);
            }
            weight.store(weights);
            for (ptrdiff_t i = 0; i < m; ++i)
                if ((double)p < counts[i]) pair_weights[first[c + i] + p] = weights[i];
        }
        smooth_sum.store(smooth + c);
        hinge_sum.store(hinge + c);
        positive.store(active + c);
    }
}
