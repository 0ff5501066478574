/* Sums of distance maps over edge pixels. */

enum { MAPS = 16 }; /* maps whose values for a pixel are side by side */

/* total[i * stride + lane] = the sum over the edge pixels of image i, in sixteen maps. All sums are
   exact, so their order is free: several are taken, as none needs to wait for another. */
static inline void sum_maps(
    const int32_t* pixels, const int64_t* start, ptrdiff_t n, const double* map, double* total,
    ptrdiff_t stride)
{
    typedef lanes<double, MAPS> row;
    enum { SUMS = REFIMPL_BYTES < 32 ? 1 : REFIMPL_BYTES / 16 }; /* eight vectors */
    for (ptrdiff_t i = 0; i < n; ++i) {
        row sums[SUMS];
        for (int s = 0; s < SUMS; ++s) sums[s] = row::all(0);
        int64_t e = start[i];
        for (; e + SUMS <= start[i + 1]; e += SUMS)
            for (int s = 0; s < SUMS; ++s)
                sums[s] += row::load(map + MAPS * (ptrdiff_t)pixels[e + s]);
        for (; e < start[i + 1]; ++e)
            sums[0] += row::load(map + MAPS * (ptrdiff_t)pixels[e]);
        for (int s = 1; s < SUMS; ++s) sums[0] += sums[s];
        sums[0].store(total + i * stride);
    }
}
