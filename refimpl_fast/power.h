/* p * 2^k, where k stands in the low bits of shifted = k + 1.5 * 2^52. The result must be a normal
   number. */
#ifndef REFIMPL_POWER_H
#define REFIMPL_POWER_H

#include <stdint.h>
#include <string.h>

static inline double times_power(double p, double shifted) {
    uint64_t bits, k;
    memcpy(&bits, &p, 8);
    memcpy(&k, &shifted, 8);
    bits += k << 52;
    memcpy(&p, &bits, 8);
    return p;
}

/* a / b for b that is not 0. Cython's own division looks at b each time. */
static inline double quotient(double a, double b) { return a / b; }

#endif
