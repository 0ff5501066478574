/* Sums of boosting weights in the loops that take most of the time. All sums are exact, since the
   weights are multiples of 2^-52, so the order in which they are taken is free. */
#ifndef REFIMPL_STRANDS_H
#define REFIMPL_STRANDS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "clones.h"

enum {
    REFIMPL_STRANDS = 16, /* runs of a column that are summed side by side */
    REFIMPL_WIDE = 32     /* columns of a matrix whose sums stay in registers */
};

/* Strand k sums g[rows[i * 16 + k] >> 1] over i: the sum of all, and the largest and the least sum
   up to an odd entry, which is the last row of a bin. */
REFIMPL_CLONES
static void strand_sums(const uint32_t* rows, ptrdiff_t steps, const double* g, double* sums,
                        double* highest, double* lowest) {
    double below[REFIMPL_STRANDS], high[REFIMPL_STRANDS], low[REFIMPL_STRANDS];
    for (int k = 0; k < REFIMPL_STRANDS; ++k)
        below[k] = 0, high[k] = -INFINITY, low[k] = INFINITY;
    for (ptrdiff_t i = 0; i < steps; ++i)
        for (int k = 0; k < REFIMPL_STRANDS; ++k) {
            const uint32_t row = rows[REFIMPL_STRANDS * i + k];
            below[k] += g[row >> 1];
            const double most = row & 1 ? below[k] : high[k];
            const double least = row & 1 ? below[k] : low[k];
            high[k] = most > high[k] ? most : high[k];
            low[k] = least < low[k] ? least : low[k];
        }
    for (int k = 0; k < REFIMPL_STRANDS; ++k)
        sums[k] = below[k], highest[k] = high[k], lowest[k] = low[k];
}

/* part[j] = sum of g[rows[i] * stride + j] over i, for 32 columns j */
REFIMPL_CLONES
static void sum_wide(const double* g, ptrdiff_t stride, const uint32_t* rows, ptrdiff_t n_rows,
                     double* part) {
    double total[REFIMPL_WIDE];
    for (int j = 0; j < REFIMPL_WIDE; ++j) total[j] = 0;
    for (ptrdiff_t i = 0; i < n_rows; ++i) {
        const double* row = g + rows[i] * stride;
        for (int j = 0; j < REFIMPL_WIDE; ++j) total[j] += row[j];
    }
    for (int j = 0; j < REFIMPL_WIDE; ++j) part[j] = total[j];
}

/* g = w on the grid, with the sign of the label; the sums of |g| and of g */
REFIMPL_CLONES
static void signed_weights(const double* w, const unsigned char* label, ptrdiff_t n, double grid,
                           double* g, double* both, double* difference) {
    double plus[REFIMPL_STRANDS], with_sign[REFIMPL_STRANDS];
    const ptrdiff_t steps = n / REFIMPL_STRANDS;
    const double scale = 1 / grid;
    for (int k = 0; k < REFIMPL_STRANDS; ++k) plus[k] = with_sign[k] = 0;
    for (ptrdiff_t i = 0; i < steps; ++i)
        for (int k = 0; k < REFIMPL_STRANDS; ++k) {
            const ptrdiff_t row = REFIMPL_STRANDS * i + k;
            const double rounded = rint(w[row] * scale) * grid;
            const double value = label[row] ? rounded : -rounded;
            plus[k] += rounded;
            with_sign[k] += value;
            g[row] = value;
        }
    for (ptrdiff_t row = REFIMPL_STRANDS * steps; row < n; ++row) {
        const double rounded = rint(w[row] * scale) * grid;
        g[row] = label[row] ? rounded : -rounded;
        plus[0] += rounded;
        with_sign[0] += g[row];
    }
    *both = *difference = 0;
    for (int k = 0; k < REFIMPL_STRANDS; ++k) *both += plus[k], *difference += with_sign[k];
}

#endif
