/* Weighted answers of stumps for one query and a block of training vectors. */

enum { VOTES = 32 }; /* training vectors of a block */

/* sums[i] += alpha[t] where x[32 t + i] > cut[t], elsewhere 0.0, over t in ascending order */
static inline void add_votes(
    const double* cut, const double* x, const double* alpha, ptrdiff_t T, double* sums)
{
    enum { AT_ONCE = REFIMPL_BYTES < 32 ? 16 : VOTES };
    typedef lanes<double, AT_ONCE> row;
    for (int i = 0; i < VOTES; i += AT_ONCE) {
        row total = row::load(sums + i);
        for (ptrdiff_t t = 0; t < T; ++t)
            total += where_above(
                row::load(x + VOTES * t + i), row::all(cut[t]), row::all(alpha[t]), row::all(0));
        total.store(sums + i);
    }
}
