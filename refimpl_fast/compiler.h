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

/* Threads: a platform that has none, or REFIMPL_NO_THREADS, gets every loop on one thread. */
#if defined(REFIMPL_NO_THREADS) || defined(__wasi__) \
    || (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__))
#define REFIMPL_THREADS 0
#else
#define REFIMPL_THREADS 1
#endif

#endif
