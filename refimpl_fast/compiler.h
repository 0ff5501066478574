/* What the compiler and the platform can do. The other headers ask here. REFIMPL_PLAIN leaves out
   all that GCC and Clang alone understand: the rest is the code of every other compiler, and a
   build with it tests that code where those compilers are not. */
#ifndef REFIMPL_COMPILER_H
#define REFIMPL_COMPILER_H

#if defined(__GNUC__) && !defined(REFIMPL_PLAIN)
#define REFIMPL_GNU 1 /* vectors as types, builtins, attributes */
#define REFIMPL_ALWAYS __attribute__((always_inline)) /* of an inline function, which may be long */
#else
#define REFIMPL_GNU 0
#define REFIMPL_ALWAYS
#endif

#define REFIMPL_INLINE static inline REFIMPL_ALWAYS

#include <stdint.h>

/* How many bits of x are set. */
#if REFIMPL_GNU
#define set_bits __builtin_popcountll
#else
static inline int set_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (int)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}
#endif

/* Threads: a platform that has none, or REFIMPL_NO_THREADS, gets every loop on one thread. */
#if defined(REFIMPL_NO_THREADS) || defined(__wasi__) \
    || (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__))
#define REFIMPL_THREADS 0
#else
#define REFIMPL_THREADS 1
#endif

#endif
