/* Distances from one query to sixteen points or nodes at once, kept in vector registers. The points
   lie in memory coordinate by coordinate, the sixteen values of a coordinate side by side. Each of
   the sixteen sums is taken in the order of the coordinates, so the doubles are those that a point
   at a time gives. */
#ifndef REFIMPL_GROUPS_H
#define REFIMPL_GROUPS_H

#include <stddef.h>

#include "compiler.h"

#if REFIMPL_GNU
typedef double doubles __attribute__((vector_size(64), aligned(8), may_alias));
typedef float floats __attribute__((vector_size(64), aligned(4), may_alias));
typedef int ints __attribute__((vector_size(64), aligned(4), may_alias));
#endif

/* out[i] = sum_c (q[c] - C[16 c + i])^2 */
REFIMPL_INLINE void ball_group(const double* q, const double* C, ptrdiff_t d, double* out) {
#if REFIMPL_GNU
    doubles one = {}, two = {};
    for (ptrdiff_t c = 0; c < d; ++c, C += 16) {
        doubles a = q[c] - *(const doubles*)C, b = q[c] - *(const doubles*)(C + 8);
        one += a * a;
        two += b * b;
    }
    *(doubles*)out = one;
    *(doubles*)(out + 8) = two;
#else
    for (int i = 0; i < 16; ++i) out[i] = 0;
    for (ptrdiff_t c = 0; c < d; ++c)
        for (int i = 0; i < 16; ++i) out[i] += (q[c] - C[16 * c + i]) * (q[c] - C[16 * c + i]);
#endif
}

/* out[i] = sum_c max(low[i] - q[c], q[c] - high[i], 0)^2
   where B has the sixteen low, then the sixteen high of each c */
REFIMPL_INLINE void box_group(const double* q, const double* B, ptrdiff_t d, double* out) {
#if REFIMPL_GNU
    doubles one = {}, two = {}, zero = {};
    for (ptrdiff_t c = 0; c < d; ++c, B += 32) {
        doubles a = *(const doubles*)B - q[c], b = *(const doubles*)(B + 8) - q[c];
        doubles e = q[c] - *(const doubles*)(B + 16), f = q[c] - *(const doubles*)(B + 24);
        a = a > e ? a : e;
        b = b > f ? b : f;
        a = a > zero ? a : zero;
        b = b > zero ? b : zero;
        one += a * a;
        two += b * b;
    }
    *(doubles*)out = one;
    *(doubles*)(out + 8) = two;
#else
    for (int i = 0; i < 16; ++i) out[i] = 0;
    for (ptrdiff_t c = 0; c < d; ++c, B += 32)
        for (int i = 0; i < 16; ++i) {
            double a = B[i] - q[c], e = q[c] - B[16 + i];
            a = a > e ? a : e;
            a = a > 0 ? a : 0;
            out[i] += a * a;
        }
#endif
}

#if REFIMPL_GNU
typedef char bytes __attribute__((vector_size(16)));

REFIMPL_INLINE unsigned at_most(const floats& sums, float limit) {
    bytes below = __builtin_convertvector((ints)(sums <= limit), bytes); /* -1 for true */
    unsigned long long half[2];
    unsigned found = 0;
    __builtin_memcpy(half, &below, 16);
    if (!(half[0] | half[1])) return 0;
    for (int i = 0; i < 16; ++i) found |= (unsigned)(below[i] & 1) << i;
    return found;
}
#endif

/* Bit i is set unless sum_c (q[c] - P[16 c + i])^2, or a part of it, is above the limit. The order
   of summation is any: this is a filter only. */
REFIMPL_INLINE unsigned near_group(const float* q, const float* P, ptrdiff_t d, float limit) {
#if REFIMPL_GNU
    floats one = {}, two = {};
    ptrdiff_t c = 0;
    for (; c + 16 < d; c += 16) {
        for (int i = 0; i < 16; i += 2, P += 32) {
            floats a = q[c + i] - *(const floats*)P, b = q[c + i + 1] - *(const floats*)(P + 16);
            one += a * a;
            two += b * b;
        }
        if (!at_most(one + two, limit)) return 0;
    }
    for (; c + 1 < d; c += 2, P += 32) {
        floats a = q[c] - *(const floats*)P, b = q[c + 1] - *(const floats*)(P + 16);
        one += a * a;
        two += b * b;
    }
    if (c < d) {
        floats a = q[c] - *(const floats*)P;
        one += a * a;
    }
    return at_most(one + two, limit);
#else
    unsigned found = 0;
    for (int i = 0; i < 16; ++i) {
        float sum = 0;
        for (ptrdiff_t c = 0; c < d; ++c) sum += (q[c] - P[16 * c + i]) * (q[c] - P[16 * c + i]);
        found |= (unsigned)(sum <= limit) << i;
    }
    return found;
#endif
}

static inline int lowest_bit(unsigned mask) {
#if REFIMPL_GNU
    return __builtin_ctz(mask);
#else
    int i = 0;
    while (!(mask >> i & 1)) ++i;
    return i;
#endif
}

#endif
