/* Ask the memory for bytes that are read soon. */
#ifndef REFIMPL_FETCH_H
#define REFIMPL_FETCH_H

#include <stddef.h>

#include "compiler.h"

#if REFIMPL_GNU
REFIMPL_INLINE void fetch(const char* place, ptrdiff_t bytes) {
    for (ptrdiff_t i = 0; i < bytes; i += 64) __builtin_prefetch(place + i);
}
#else
static inline void fetch(const char*, ptrdiff_t) {}
#endif

#endif
