/* Scalar products of 8 queries with a panel of 32 points at once, in float32: a filter whose
   answers are checked. The sums stay in vector registers. They may be contracted, since nothing but
   the check's outcome counts. */
#ifndef REFIMPL_PANELS_H
#define REFIMPL_PANELS_H

#include <stddef.h>

#include "clones.h"
#include "compiler.h"

enum { PANEL = 32, TOGETHER = 8 };

#if REFIMPL_GNU
typedef float sixteen __attribute__((vector_size(64), aligned(4), may_alias));
#if !defined(__clang__)
__attribute__((optimize("fp-contract=fast")))
#endif
REFIMPL_CLONES
static unsigned panel_hits(
    const float* queries, const float* panel, const float* minus_half_squares,
    const float* bounds, ptrdiff_t r, unsigned* hits)
{
    sixteen low[TOGETHER], high[TOGETHER];
    unsigned any = 0;
    for (int q = 0; q < TOGETHER; ++q) {
        low[q] = *(const sixteen*)minus_half_squares;
        high[q] = *(const sixteen*)(minus_half_squares + 16);
    }
    for (ptrdiff_t c = 0; c < r; ++c) {
        const sixteen a = *(const sixteen*)(panel + c * PANEL);
        const sixteen b = *(const sixteen*)(panel + c * PANEL + 16);
        const float* x = queries + c * TOGETHER;
#pragma GCC unroll 8
        for (int q = 0; q < TOGETHER; ++q) {
            low[q] += x[q] * a;
            high[q] += x[q] * b;
        }
    }
    for (int q = 0; q < TOGETHER; ++q) {
        const auto one = low[q] > bounds[q];
        const auto two = high[q] > bounds[q];
        unsigned mask = 0;
        for (int i = 0; i < 16; ++i)
            mask |= (unsigned)(one[i] & 1) << i | (unsigned)(two[i] & 1) << (i + 16);
        hits[q] = mask;
        any |= mask;
    }
    return any;
}
#else
static unsigned panel_hits(
    const float* queries, const float* panel, const float* minus_half_squares,
    const float* bounds, ptrdiff_t r, unsigned* hits)
{
    unsigned any = 0;
    for (int q = 0; q < TOGETHER; ++q) {
        hits[q] = 0;
        for (int i = 0; i < PANEL; ++i) {
            float sum = minus_half_squares[i];
            for (ptrdiff_t c = 0; c < r; ++c)
                sum += queries[c * TOGETHER + q] * panel[c * PANEL + i];
            hits[q] |= (unsigned)(sum > bounds[q]) << i;
        }
        any |= hits[q];
    }
    return any;
}
#endif

#endif
