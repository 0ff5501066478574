/* Weights of boosting on the grid: multiples of a power of two, so that their sums are exact in any
   order; see refimpl/kernels/__init__.py. */
#ifndef REFIMPL_WEIGHTS_H
#define REFIMPL_WEIGHTS_H

#include <math.h>
#include <stddef.h>

#include "clones.h"

/* out = on_grid(w) of refimpl/kernels/stumps.py */
REFIMPL_CLONES
static void rounded_weights(const double* w, ptrdiff_t n, double grid, double* out) {
    const double scale = 1 / grid;
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = rint(w[i] * scale) * grid;
}

#endif
