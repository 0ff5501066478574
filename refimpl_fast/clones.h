/* CLONES before a function asks the compiler for several versions of it, for wider and narrower
   vector units; the loader picks the widest that the processor has. None of them contracts a*b+c or
   reorders a sum, so the versions give the same bits. Where the tool chain cannot do this, and in
   the build with bounds checks, which is to compile soon, the word means nothing.

   It is for loops that the compiler spreads over vectors of any width; widths.h is for blocks that
   must stay in registers. */
#ifndef REFIMPL_CLONES_H
#define REFIMPL_CLONES_H

#include "compiler.h"

/* The widest that are compiled for, as levels of x86-64: v4 has 64 bytes, v3 32, v2 16. */
#ifndef REFIMPL_WIDEST
#define REFIMPL_WIDEST 4
#endif

/* The loader's choice needs ELF and glibc: there is none on macOS, on Windows, with musl. */
#if REFIMPL_GNU && defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) \
    && __GNUC__ >= 11 && REFIMPL_WIDEST >= 3
#if REFIMPL_WIDEST >= 4
#define REFIMPL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define REFIMPL_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
#else
#define REFIMPL_CLONES
#endif

#endif
