/* Four rows side by side, in np.einsum's order of summation. The next four rows are asked for in
   the order in which they lie: processors foresee one row alone. */
#ifndef REFIMPL_ROWS_H
#define REFIMPL_ROWS_H

#include <stddef.h>

#include "compiler.h"
#include "fetch.h"

enum { REFIMPL_ROWS = 4 };

/* Write the two lanes of each of four rows of d numbers, times v, added up to the last whole eight
   columns. Of eight columns the last two come first. One row alone would wait for each sum. */
REFIMPL_INLINE void row_lanes(const double* a, const double* v, ptrdiff_t d, double* out) {
    double lanes[2 * REFIMPL_ROWS] = {0};
    for (ptrdiff_t c = 0; c + 8 <= d; c += 8) {
        fetch((const char*)(a + REFIMPL_ROWS * (d + c)), 64 * REFIMPL_ROWS);
        for (int k = 6; k >= 0; k -= 2)
            for (int row = 0; row < REFIMPL_ROWS; ++row) {
                lanes[2 * row] += a[row * d + c + k] * v[c + k];
                lanes[2 * row + 1] += a[row * d + c + k + 1] * v[c + k + 1];
            }
    }
    for (int k = 0; k < 2 * REFIMPL_ROWS; ++k) out[k] = lanes[k];
}

/* Add u_0 a_0 to the sums, then u_1 a_1, u_2 a_2 and u_3 a_3, for `width` columns of rows that lie
   d numbers apart. */
REFIMPL_INLINE void add_rows(
    const double* u, const double* a, ptrdiff_t d, ptrdiff_t width, double* sums)
{
    const double u_0 = u[0], u_1 = u[1], u_2 = u[2], u_3 = u[3];
    const double *a_1 = a + d, *a_2 = a_1 + d, *a_3 = a_2 + d;
    for (ptrdiff_t c = 0; c < width; c += 8) {
        const ptrdiff_t end = c + 8 < width ? c + 8 : width;
        if (width == d) fetch((const char*)(a + REFIMPL_ROWS * (d + c)), 64 * REFIMPL_ROWS);
        for (ptrdiff_t k = c; k < end; ++k)
            sums[k] = (((sums[k] + u_0 * a[k]) + u_1 * a_1[k]) + u_2 * a_2[k]) + u_3 * a_3[k];
    }
}

#endif
