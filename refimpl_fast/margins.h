/* Margins of eight embeddings at once. The eight values of an object stand side by side, so a
   triple takes three loads from memory instead of 24 single numbers from three rows. A triple's a
   and b are exchanged where its proximity order is -1, which gives the same margin as the factor.

   What is summed here is exact in any order (weights on the grid), but for the sums of
   eight_sums: their order is stated there. */
#ifndef REFIMPL_MARGINS_H
#define REFIMPL_MARGINS_H

#include <stddef.h>
#include <stdint.h>

#include "clones.h"
#include "compiler.h"
#include "eight.h"

enum { EIGHT = 8 };

#if REFIMPL_GNU
typedef int64_t eight_bits __attribute__((vector_size(64), aligned(8), may_alias));

#define EIGHT_SIZES(x) ((eight)((eight_bits)(x) & INT64_MAX)) /* |x| */

/* x where the mask is set, elsewhere 0 */
#define EIGHT_WHERE(mask, x) ((eight)((eight_bits)(mask) & (eight_bits)(x)))

#define EIGHT_MARGINS(u, F_q, values, a, b)                                            \
    const eight to_a = (F_q) - *(const eight*)((values) + EIGHT * (ptrdiff_t)(a));     \
    const eight to_b = (F_q) - *(const eight*)((values) + EIGHT * (ptrdiff_t)(b));     \
    const eight u = EIGHT_SIZES(to_b) - EIGHT_SIZES(to_a)
#else
static inline double margin_of(double F_q, double F_a, double F_b) {
    const double to_a = F_q > F_a ? F_q - F_a : F_a - F_q;
    const double to_b = F_q > F_b ? F_q - F_b : F_b - F_q;
    return to_b - to_a;
}
#endif

/* out[c] = the sum of w over u < 0, and of w / 2 over u = 0. The triples are sorted by q: those of q
   are starts[q], ..., starts[q + 1] - 1. */
REFIMPL_CLONES
static void eight_errors(
    const double* values, const ptrdiff_t* starts, const int32_t* a, const int32_t* b,
    const double* w, ptrdiff_t n, double* out)
{
#if REFIMPL_GNU
    eight below = {}, not_above = {};
    const eight zero = {};
    for (ptrdiff_t q = 0; q < n; ++q) {
        const eight F_q = *(const eight*)(values + EIGHT * q);
        for (ptrdiff_t i = starts[q]; i < starts[q + 1]; ++i) {
            EIGHT_MARGINS(u, F_q, values, a[i], b[i]);
            const eight weight = zero + w[i];
            below += EIGHT_WHERE(u < zero, weight);
            not_above += EIGHT_WHERE(u <= zero, weight);
        }
    }
    *(eight*)out = below + 0.5 * (not_above - below);
#else
    for (int c = 0; c < EIGHT; ++c) out[c] = 0;
    for (ptrdiff_t q = 0; q < n; ++q)
        for (ptrdiff_t i = starts[q]; i < starts[q + 1]; ++i)
            for (int c = 0; c < EIGHT; ++c) {
                const double u = margin_of(
                    values[EIGHT * q + c], values[EIGHT * (ptrdiff_t)a[i] + c],
                    values[EIGHT * (ptrdiff_t)b[i] + c]);
                out[c] += u < 0 ? w[i] : u == 0 ? 0.5 * w[i] : 0;
            }
#endif
}

/* gains[8 q + c] = half of the sum of w sign(u) over the triples of q, sorted as above */
REFIMPL_CLONES
static void eight_gains(
    const double* values, const ptrdiff_t* starts, const int32_t* a, const int32_t* b,
    const double* w, ptrdiff_t n, double* gains)
{
#if REFIMPL_GNU
    const eight zero = {};
    for (ptrdiff_t q = 0; q < n; ++q) {
        const eight F_q = *(const eight*)(values + EIGHT * q);
        eight above = {}, below = {};
        for (ptrdiff_t i = starts[q]; i < starts[q + 1]; ++i) {
            EIGHT_MARGINS(u, F_q, values, a[i], b[i]);
            const eight weight = zero + w[i];
            above += EIGHT_WHERE(u > zero, weight);
            below += EIGHT_WHERE(u < zero, weight);
        }
        *(eight*)(gains + EIGHT * q) = 0.5 * (above - below);
    }
#else
    for (ptrdiff_t q = 0; q < n; ++q) {
        double* of_q = gains + EIGHT * q;
        for (int c = 0; c < EIGHT; ++c) of_q[c] = 0;
        for (ptrdiff_t i = starts[q]; i < starts[q + 1]; ++i)
            for (int c = 0; c < EIGHT; ++c) {
                const double u = margin_of(
                    values[EIGHT * q + c], values[EIGHT * (ptrdiff_t)a[i] + c],
                    values[EIGHT * (ptrdiff_t)b[i] + c]);
                of_q[c] += u > 0 ? 0.5 * w[i] : u < 0 ? -0.5 * w[i] : 0;
            }
    }
#endif
}

/* out[8 s + c]: over u > 0, then over u < 0, the sums of w (s = 0, 1), of w |u| (2, 3) and of w u^2
   (4, 5), and the largest |u| (6, 7). The
   triples stand lane by lane, `rows` in each: a lane adds in ascending order, then the lanes are
   added, from the first. */
REFIMPL_CLONES
static void eight_sums(
    const double* values, const int32_t* q, const int32_t* a, const int32_t* b, const double* w,
    ptrdiff_t lanes, ptrdiff_t rows, double* out)
{
#if REFIMPL_GNU
    eight right = {}, wrong = {}, right_u = {}, wrong_u = {}, right_uu = {}, wrong_uu = {};
    eight most = {}, least = {};
    const eight zero = {};
    for (ptrdiff_t lane = 0; lane < lanes; ++lane) {
        eight lane_right = {}, lane_wrong = {}, lane_right_uu = {}, lane_wrong_uu = {};
        for (ptrdiff_t i = lane * rows; i < (lane + 1) * rows; ++i) {
            const eight F_q = *(const eight*)(values + EIGHT * (ptrdiff_t)q[i]);
            EIGHT_MARGINS(u, F_q, values, a[i], b[i]);
            const eight weight = zero + w[i];
            const eight weighted = weight * EIGHT_SIZES(u);
            const eight squared = weighted * EIGHT_SIZES(u);
            right += EIGHT_WHERE(u > zero, weight);
            wrong += EIGHT_WHERE(u < zero, weight);
            lane_right += EIGHT_WHERE(u > zero, weighted);
            lane_wrong += EIGHT_WHERE(u < zero, weighted);
            lane_right_uu += EIGHT_WHERE(u > zero, squared);
            lane_wrong_uu += EIGHT_WHERE(u < zero, squared);
            most = u > most ? u : most;
            least = u < least ? u : least;
        }
        right_u += lane_right;
        wrong_u += lane_wrong;
        right_uu += lane_right_uu;
        wrong_uu += lane_wrong_uu;
    }
    *(eight*)out = right;
    *(eight*)(out + EIGHT) = wrong;
    *(eight*)(out + 2 * EIGHT) = right_u;
    *(eight*)(out + 3 * EIGHT) = wrong_u;
    *(eight*)(out + 4 * EIGHT) = right_uu;
    *(eight*)(out + 5 * EIGHT) = wrong_uu;
    *(eight*)(out + 6 * EIGHT) = most;
    *(eight*)(out + 7 * EIGHT) = EIGHT_SIZES(least);
#else
    for (int s = 0; s < 8 * EIGHT; ++s) out[s] = 0;
    for (ptrdiff_t lane = 0; lane < lanes; ++lane) {
        double lane_sums[4 * EIGHT] = {};
        for (ptrdiff_t i = lane * rows; i < (lane + 1) * rows; ++i)
            for (int c = 0; c < EIGHT; ++c) {
                const double u = margin_of(
                    values[EIGHT * (ptrdiff_t)q[i] + c], values[EIGHT * (ptrdiff_t)a[i] + c],
                    values[EIGHT * (ptrdiff_t)b[i] + c]);
                out[c] += u > 0 ? w[i] : 0;
                out[EIGHT + c] += u < 0 ? w[i] : 0;
                lane_sums[c] += u > 0 ? w[i] * u : 0;
                lane_sums[EIGHT + c] += u < 0 ? w[i] * -u : 0;
                lane_sums[2 * EIGHT + c] += u > 0 ? w[i] * u * u : 0;
                lane_sums[3 * EIGHT + c] += u < 0 ? w[i] * -u * -u : 0;
                if (u > out[6 * EIGHT + c]) out[6 * EIGHT + c] = u;
                if (-u > out[7 * EIGHT + c]) out[7 * EIGHT + c] = -u;
            }
        for (int s = 0; s < 4 * EIGHT; ++s) out[2 * EIGHT + s] += lane_sums[s];
    }
#endif
}

#endif
