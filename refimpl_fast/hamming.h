/* Differing bits of a query and many codes. With GCC and Clang on x86-64 there is a version for
   processors that count the bits of whole vectors (AVX-512 VPOPCNTDQ), which the clones of clones.h
   do not cover. Others use the processor's popcount or, where the compiler does not say how to ask
   for it, sums of bits. All give the same whole numbers. */
#ifndef REFIMPL_HAMMING_H
#define REFIMPL_HAMMING_H

#include <stddef.h>
#include <stdint.h>

#include "clones.h"
#include "compiler.h"

template <int words>
REFIMPL_INLINE void rows_of(
    const uint64_t* codes, const uint64_t* query, ptrdiff_t n, int32_t* out) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        uint64_t sum = 0;
        for (int w = 0; w < words; ++w) sum += set_bits(codes[i * words + w] ^ query[w]);
        out[i] = (int32_t)sum;
    }
}

REFIMPL_INLINE void rows_of_any(
    const uint64_t* codes, const uint64_t* query, ptrdiff_t n, ptrdiff_t words, int32_t* out) {
    switch (words) { /* a known number of words is unrolled, or spread over the lanes of a vector */
        case 1: return rows_of<1>(codes, query, n, out);
        case 2: return rows_of<2>(codes, query, n, out);
        case 3: return rows_of<3>(codes, query, n, out);
        case 4: return rows_of<4>(codes, query, n, out);
        case 5: return rows_of<5>(codes, query, n, out);
        case 6: return rows_of<6>(codes, query, n, out);
        case 7: return rows_of<7>(codes, query, n, out);
        case 8: return rows_of<8>(codes, query, n, out);
    }
    for (ptrdiff_t i = 0; i < n; ++i, codes += words) {
        uint64_t sum = 0;
        ptrdiff_t w = 0;
        for (; w + 8 <= words; w += 8)
            for (int j = 0; j < 8; ++j) sum += set_bits(codes[w + j] ^ query[w + j]);
        for (; w < words; ++w) sum += set_bits(codes[w] ^ query[w]);
        out[i] = (int32_t)sum;
    }
}

REFIMPL_CLONES static void rows_by_word(
    const uint64_t* codes, const uint64_t* query, ptrdiff_t n, ptrdiff_t words, int32_t* out) {
    rows_of_any(codes, query, n, words, out);
}

#if REFIMPL_GNU && defined(__x86_64__) && REFIMPL_WIDEST >= 4
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt")))
static void rows_by_vector(
    const uint64_t* codes, const uint64_t* query, ptrdiff_t n, ptrdiff_t words, int32_t* out) {
    rows_of_any(codes, query, n, words, out);
}
static int counts_vectors(void) {
    return __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#else
#define rows_by_vector rows_by_word
static int counts_vectors(void) { return 0; }
#endif

/* out[i] = the bits in which codes[i] and the query differ */
static void hamming_rows(
    const uint64_t* codes, const uint64_t* query, ptrdiff_t n, ptrdiff_t words, int32_t* out) {
    static const int vectors = counts_vectors();
    if (vectors)
        rows_by_vector(codes, query, n, words, out);
    else
        rows_by_word(codes, query, n, words, out);
}

#endif
