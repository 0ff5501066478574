/* Blocks of numbers whose sums stay in vector registers, compiled once for each width of register;
   the widest that the processor has runs. A vector type wider than the registers would be taken
   apart number by number, and a loop alone does not keep its sums in registers. No version
   contracts a*b+c or reorders a sum, so all give the same bits.

   Where a loop is all that is needed, clones.h does. With compilers other than GCC and Clang a
   vector is one number, and what is below is plain loops. */
#ifndef REFIMPL_WIDTHS_H
#define REFIMPL_WIDTHS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "clones.h"
#include "compiler.h"

#if REFIMPL_GNU && defined(__x86_64__)
#define REFIMPL_V3 "avx2,fma,bmi,bmi2,popcnt"
#define REFIMPL_V4 REFIMPL_V3 ",avx512f,avx512bw,avx512cd,avx512dq,avx512vl"

/* Bytes of the widest vectors that the processor has and the build allows. */
static int refimpl_widest(void) {
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
        && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
        && __builtin_cpu_supports("popcnt");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl");
    return REFIMPL_WIDEST >= 4 && v4 ? 64 : REFIMPL_WIDEST >= 3 && v3 ? 32 : 16;
}
#else
static int refimpl_widest(void) { return REFIMPL_GNU ? 16 : 0; }
#endif

static const int refimpl_width = refimpl_widest();

static inline int lowest_bit(unsigned mask) {
#if REFIMPL_GNU
    return __builtin_ctz(mask);
#else
    int i = 0;
    while (!(mask >> i & 1)) ++i;
    return i;
#endif
}

#if REFIMPL_GNU && defined(__x86_64__) && REFIMPL_WIDEST >= 4
namespace refimpl_v4 {
#define REFIMPL_BYTES 64
#ifdef __clang__
#pragma clang attribute push(__attribute__((target(REFIMPL_V4))), apply_to = function)
#include "blocks.h"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")
#include "blocks.h"
#pragma GCC pop_options
#endif
#undef REFIMPL_BYTES
}
#define REFIMPL_AT_64(name) refimpl_width == 64 ? refimpl_v4::name :
#else
#define REFIMPL_AT_64(name)
#endif

#if REFIMPL_GNU && defined(__x86_64__) && REFIMPL_WIDEST >= 3
namespace refimpl_v3 {
#define REFIMPL_BYTES 32
#ifdef __clang__
#pragma clang attribute push(__attribute__((target(REFIMPL_V3))), apply_to = function)
#include "blocks.h"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#include "blocks.h"
#pragma GCC pop_options
#endif
#undef REFIMPL_BYTES
}
#define REFIMPL_AT_32(name) refimpl_width == 32 ? refimpl_v3::name :
#else
#define REFIMPL_AT_32(name)
#endif

namespace refimpl_base {
#define REFIMPL_BYTES (REFIMPL_GNU ? 16 : 0)
#include "blocks.h"
#undef REFIMPL_BYTES
}

/* A function of blocks.h, of the widest version; only those that are called are compiled. */
#define REFIMPL_WIDEST_OF(name)                                                              \
    template <class... Arguments>                                                            \
    static inline auto name(Arguments... arguments) {                                        \
        return (REFIMPL_AT_64(name) REFIMPL_AT_32(name) refimpl_base::name)(arguments...);     \
    }

enum { EIGHT = refimpl_base::EIGHT };
enum { PANEL = refimpl_base::PANEL, TOGETHER = refimpl_base::TOGETHER };
enum { REFIMPL_GROUP = refimpl_base::GROUP, REFIMPL_MAPS = refimpl_base::MAPS };
enum { REFIMPL_VOTES = refimpl_base::VOTES };
enum { SUM_LANES = refimpl_base::SUM_LANES };
enum { REFIMPL_L1_SUMS = refimpl_base::L1_SUMS };
REFIMPL_WIDEST_OF(side_by_side)
REFIMPL_WIDEST_OF(eight_errors)
REFIMPL_WIDEST_OF(eight_gains)
REFIMPL_WIDEST_OF(eight_sums)
REFIMPL_WIDEST_OF(eight_hinges)
REFIMPL_WIDEST_OF(l1_tile)
REFIMPL_WIDEST_OF(panel_hits)
REFIMPL_WIDEST_OF(extents)
REFIMPL_WIDEST_OF(spreads)
REFIMPL_WIDEST_OF(ball_group)
REFIMPL_WIDEST_OF(box_group)
REFIMPL_WIDEST_OF(near_group)
REFIMPL_WIDEST_OF(nearest_centres)
REFIMPL_WIDEST_OF(stopping_group)
REFIMPL_WIDEST_OF(sum_maps)
REFIMPL_WIDEST_OF(add_votes)
REFIMPL_WIDEST_OF(exponentials)
REFIMPL_WIDEST_OF(z_sums)

#endif
