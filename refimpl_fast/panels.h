/* Scalar products of 8 queries with a panel of 32 points, in float32: a filter whose answers are
   checked. The sums of a tile of them stay in vector registers. They may be contracted, since
   nothing but the check's outcome counts.

   After some of the coordinates, up to each of `ends`, the filter looks whether all pairs of the
   tile are out already. Row s of `halves` and of `bounds` is for the coordinates up to ends[s]: a
   pair is out where its sum plus the point's half is less than the query's bound. */

enum { PANEL = 32, TOGETHER = 8 };

/* A tile is two vectors of points by so many queries that the sums leave some registers free. */
enum {
    TILE_POINTS = REFIMPL_BYTES ? REFIMPL_BYTES / 2 : 8,
    TILE_QUERIES = REFIMPL_BYTES == 64 ? 8 : REFIMPL_BYTES ? 4 : 2
};
typedef lanes<float, TILE_POINTS> tile_row;

/* Whether a pair of the tile may be near; then `sums` holds its sums. */
REFIMPL_INLINE bool tile_sums(
    const float* queries, const float* panel, const float* halves, const float* bounds,
    const int64_t* ends, ptrdiff_t n_ends, tile_row* sums)
{
    ptrdiff_t c = 0;
    for (int q = 0; q < TILE_QUERIES; ++q) sums[q] = tile_row::all(0);
    for (ptrdiff_t s = 0; s < n_ends; ++s, halves += PANEL, bounds += TOGETHER) {
        for (; c < ends[s]; ++c) {
            const tile_row points = tile_row::load(panel + c * PANEL);
            for (int q = 0; q < TILE_QUERIES; ++q)
                sums[q] += tile_row::all(queries[c * TOGETHER + q]) * points;
        }
        /* the pair that is nearest to its bound, for each point */
        tile_row nearest = sums[0] - tile_row::all(bounds[0]);
        for (int q = 1; q < TILE_QUERIES; ++q)
            nearest = larger(sums[q] - tile_row::all(bounds[q]), nearest);
        if (!any_at_most(tile_row::all(0), nearest + tile_row::load(halves))) return false;
    }
    return true;
}

/* hits[q] has a bit for each point that may be near query q; returns whether there is one. */
#if REFIMPL_GNU && !defined(__clang__)
__attribute__((optimize("fp-contract=fast")))
#endif
static inline bool panel_hits(
    const float* queries, const float* panel, const float* halves, const float* bounds,
    const int64_t* ends, ptrdiff_t n_ends, unsigned* hits)
{
    const float* last_halves = halves + (n_ends - 1) * PANEL;
    const float* last_bounds = bounds + (n_ends - 1) * TOGETHER;
    unsigned any = 0;
    for (int q = 0; q < TOGETHER; ++q) hits[q] = 0;
    for (int q = 0; q < TOGETHER; q += TILE_QUERIES)
        for (int x = 0; x < PANEL; x += TILE_POINTS) {
            tile_row sums[TILE_QUERIES];
            if (!tile_sums(queries + q, panel + x, halves + x, bounds + q, ends, n_ends, sums))
                continue;
            const tile_row half = tile_row::load(last_halves + x);
            for (int i = 0; i < TILE_QUERIES; ++i) {
                const tile_row bound = tile_row::all(last_bounds[q + i]);
                hits[q + i] |= bits_at_most(bound, sums[i] + half) << x;
                any |= hits[q + i];
            }
        }
    return any != 0;
}
