/* Eight doubles that are added at once. Compilers left to themselves do not keep the sums of
   _sum_maps in vector registers. With GCC and Clang this type makes them do it, on any vector
   width; with others it is a plain loop. */
#ifndef REFIMPL_EIGHT_H
#define REFIMPL_EIGHT_H

#include "compiler.h"

#if REFIMPL_GNU
typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));
#else
struct eight {
    double of[8];
    eight operator+(const eight& other) const {
        eight sum;
        for (int i = 0; i < 8; ++i) sum.of[i] = of[i] + other.of[i];
        return sum;
    }
};
#endif

#define EIGHT_ZEROS (eight{})

#endif
