/* The members of a list that a query opens are looked at where they are read, a part at a time. */
#ifndef REFIMPL_INDICES_H
#define REFIMPL_INDICES_H

#include <stddef.h>
#include <stdint.h>

#include "clones.h"

/* set *bad unless every index is at least 0 and below n; 0 <= min(), max() < n */
REFIMPL_CLONES
static void look_at_indices(const int32_t* indices, ptrdiff_t size, uint32_t n, int* bad) {
    int beyond = 0;
    for (ptrdiff_t i = 0; i < size; ++i) beyond |= (uint32_t)indices[i] >= n;
    *bad |= beyond;
}

#endif
