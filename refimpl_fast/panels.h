/* Scalar products of 8 queries with a panel of 32 points at once, in float32: a filter whose
   answers are checked. The sums stay in vector registers. They may be contracted, since nothing but
   the check's outcome counts.

   After some of the coordinates, up to each of `ends`, the filter looks whether all 256 pairs are
   out already. Row s of `halves` and of `bounds` is for the coordinates up to ends[s]: a pair is
   out where its sum plus the point's half is at most the query's bound. */
#ifndef REFIMPL_PANELS_H
#define REFIMPL_PANELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
    const float* queries, const float* panel, const float* halves, const float* bounds,
    const int64_t* ends, ptrdiff_t n_ends, unsigned* hits)
{
    sixteen low[TOGETHER], high[TOGETHER];
    ptrdiff_t c = 0;
    unsigned any = 0;
    memset(low, 0, sizeof low);
    memset(high, 0, sizeof high);
    for (ptrdiff_t s = 0; s < n_ends; ++s, halves += PANEL, bounds += TOGETHER) {
        for (; c < ends[s]; ++c) {
            const sixteen a = *(const sixteen*)(panel + c * PANEL);
            const sixteen b = *(const sixteen*)(panel + c * PANEL + 16);
            const float* x = queries + c * TOGETHER;
#pragma GCC unroll 8
            for (int q = 0; q < TOGETHER; ++q) {
                low[q] += x[q] * a;
                high[q] += x[q] * b;
            }
        }
        /* the pair that is nearest to its bound, for each point */
        sixteen nearest = low[0] - bounds[0], farther = high[0] - bounds[0];
#pragma GCC unroll 8
        for (int q = 1; q < TOGETHER; ++q) {
            const sixteen one = low[q] - bounds[q], two = high[q] - bounds[q];
            nearest = one > nearest ? one : nearest;
            farther = two > farther ? two : farther;
        }
        nearest += *(const sixteen*)halves;
        farther += *(const sixteen*)(halves + 16);
        nearest = nearest > farther ? nearest : farther;
        float left[16];
        memcpy(left, &nearest, sizeof left);
        int some = 0;
        for (int i = 0; i < 16; ++i)
            some |= left[i] > 0;
        if (!some)
            return 0;
    }
    halves -= PANEL;
    bounds -= TOGETHER;
    for (int q = 0; q < TOGETHER; ++q) {
        const auto one = low[q] + *(const sixteen*)halves > bounds[q];
        const auto two = high[q] + *(const sixteen*)(halves + 16) > bounds[q];
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
    const float* queries, const float* panel, const float* halves, const float* bounds,
    const int64_t* ends, ptrdiff_t n_ends, unsigned* hits)
{
    unsigned any = 0;
    const ptrdiff_t last = n_ends - 1;
    for (int q = 0; q < TOGETHER; ++q) {
        hits[q] = 0;
        for (int i = 0; i < PANEL; ++i) {
            float sum = 0;
            for (ptrdiff_t c = 0; c < ends[last]; ++c)
                sum += queries[c * TOGETHER + q] * panel[c * PANEL + i];
            const int near = sum + halves[last * PANEL + i] > bounds[last * TOGETHER + q];
            hits[q] |= (unsigned)near << i;
        }
        any |= hits[q];
    }
    return any;
}
#endif

#endif
