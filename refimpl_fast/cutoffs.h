/* Where a stump of a difference begins to answer 1: the number that x must exceed so that
   y - x < theta, in float64. One comparison then takes the place of a subtraction and a comparison,
   for every x that the same y is compared with. */
#ifndef REFIMPL_CUTOFFS_H
#define REFIMPL_CUTOFFS_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "clones.h"

/* Floats are numbered in their order, -0 before 0: their bits, those of negative ones turned. */
REFIMPL_INLINE int64_t refimpl_turned(int64_t bits) { return bits ^ ((bits >> 63) & INT64_MAX); }

REFIMPL_INLINE uint64_t refimpl_rank(double x) { /* unsigned, since a NaN's may go round */
    int64_t bits;
    memcpy(&bits, &x, 8);
    return (uint64_t)refimpl_turned(bits);
}

REFIMPL_INLINE double refimpl_ranked(uint64_t rank) {
    double x;
    const int64_t bits = refimpl_turned((int64_t)rank);
    memcpy(&x, &bits, 8);
    return x;
}

/* The cutoff, or NaN if a guess does not find it.

   The rounded y - x never rises with x. So if it is not below theta at one number, and below theta
   at the next, the first of both is the cutoff. Both are tried, so the guess need not be proven: it
   is where y - x becomes theta less half of the distance to the number below theta. */
REFIMPL_INLINE double refimpl_guessed_cutoff(double y, double theta) {
    const double below = refimpl_ranked(refimpl_rank(theta) - 1);
    const double sum = y - theta, part = sum - y;
    const double error = (y - (sum - part)) + (-theta - part); /* y - theta is sum + error */
    const double guess = sum + (error + 0.5 * (theta - below));
    const uint64_t rank = refimpl_rank(guess) - (y - guess < theta);
    const double cut = refimpl_ranked(rank), next = refimpl_ranked(rank + 1);
    return (!(y - cut < theta) & (y - next < theta)) ? cut : NAN;
}

/* The cutoff by halving all numbers: of infinite values, and where y - theta overflows. */
static double refimpl_halved_cutoff(double y, double theta) {
    /* a stump that always says 1, unless y - x overflows */
    if (theta == INFINITY && y + DBL_MAX < INFINITY) return -INFINITY;
    int64_t low = (int64_t)refimpl_rank(-INFINITY), high = (int64_t)refimpl_rank(INFINITY);
    if (!(y - INFINITY < theta)) return INFINITY; /* no x will do */
    while (low + 1 < high) {
        const int64_t middle = (low & high) + ((low ^ high) >> 1); /* low + high may overflow */
        if (y - refimpl_ranked((uint64_t)middle) < theta)
            high = middle;
        else
            low = middle;
    }
    return refimpl_ranked((uint64_t)low);
}

/* cut[t] = the number that x must exceed so that y[t] - x < theta[t] */
REFIMPL_CLONES
static void refimpl_cutoffs(const double* y, const double* theta, ptrdiff_t T, double* cut) {
    for (ptrdiff_t t = 0; t < T; ++t) cut[t] = refimpl_guessed_cutoff(y[t], theta[t]);
    for (ptrdiff_t t = 0; t < T; ++t)
        if (isnan(cut[t])) cut[t] = refimpl_halved_cutoff(y[t], theta[t]);
}

#endif
