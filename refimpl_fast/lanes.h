/* N numbers, in vectors of at most REFIMPL_BYTES; see widths.h. */

constexpr double TO_WHOLE = 1.5 * 4503599627370496; /* x + this - this = rint(x); 2^52 */

template <int bytes, class T>
struct Vector {
#if REFIMPL_GNU
    typedef T type __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
#else
    typedef T type;
#endif
};

template <class T, int N>
struct lanes {
    enum {
        SIZE = (int)sizeof(T),
        BYTES = REFIMPL_BYTES < SIZE ? SIZE : REFIMPL_BYTES < N * SIZE ? REFIMPL_BYTES : N * SIZE,
        EACH = BYTES / SIZE, /* numbers in a vector */
        PARTS = N / EACH
    };
    typedef typename Vector<BYTES, T>::type part;
    static_assert(PARTS * EACH == N, "whole vectors");

    part of[PARTS];

    REFIMPL_INLINE lanes all(T x) {
        lanes result;
        for (int i = 0; i < PARTS; ++i) result.of[i] = x - part{}; /* -0 stays -0 */
        return result;
    }
    REFIMPL_INLINE lanes load(const T* from) {
        lanes result;
        for (int i = 0; i < PARTS; ++i) result.of[i] = *(const part*)(from + i * EACH);
        return result;
    }
    REFIMPL_ALWAYS void store(T* to) const {
        for (int i = 0; i < PARTS; ++i) *(part*)(to + i * EACH) = of[i];
    }
};

#define REFIMPL_LANES template <class T, int N> REFIMPL_INLINE lanes<T, N>
#define REFIMPL_EACH(value)                                          \
    lanes<T, N> result;                                              \
    for (int i = 0; i < result.PARTS; ++i) result.of[i] = value;     \
    return result

REFIMPL_LANES operator+(const lanes<T, N>& x, const lanes<T, N>& y) {
    REFIMPL_EACH(x.of[i] + y.of[i]);
}
REFIMPL_LANES operator-(const lanes<T, N>& x, const lanes<T, N>& y) {
    REFIMPL_EACH(x.of[i] - y.of[i]);
}
REFIMPL_LANES operator*(const lanes<T, N>& x, const lanes<T, N>& y) {
    REFIMPL_EACH(x.of[i] * y.of[i]);
}
REFIMPL_LANES operator/(const lanes<T, N>& x, const lanes<T, N>& y) {
    REFIMPL_EACH(x.of[i] / y.of[i]);
}
template <class T, int N>
REFIMPL_INLINE void operator+=(lanes<T, N>& x, const lanes<T, N>& y) { x = x + y; }

/* a where x > y, elsewhere b */
REFIMPL_LANES where_above(
    const lanes<T, N>& x, const lanes<T, N>& y, const lanes<T, N>& a, const lanes<T, N>& b)
{
    REFIMPL_EACH(x.of[i] > y.of[i] ? a.of[i] : b.of[i]);
}

REFIMPL_LANES larger(const lanes<T, N>& x, const lanes<T, N>& y) { return where_above(x, y, x, y); }

#if REFIMPL_GNU
template <int N>
REFIMPL_INLINE lanes<double, N> sizes(const lanes<double, N>& x) { /* |x| */
    typedef typename Vector<lanes<double, N>::BYTES, int64_t>::type whole;
    lanes<double, N> result;
    for (int i = 0; i < x.PARTS; ++i)
        result.of[i] = (typename lanes<double, N>::part)((whole)x.of[i] & INT64_MAX);
    return result;
}

/* p 2^k, where k stands in the low bits of shifted = k + TO_WHOLE. The result must be a normal
   number. */
template <int N>
REFIMPL_INLINE lanes<double, N> times_power(
    const lanes<double, N>& p, const lanes<double, N>& shifted)
{
    typedef typename Vector<lanes<double, N>::BYTES, uint64_t>::type whole;
    lanes<double, N> result;
    for (int i = 0; i < p.PARTS; ++i)
        result.of[i] = (typename lanes<double, N>::part)(
            (whole)p.of[i] + ((whole)shifted.of[i] << 52));
    return result;
}

/* Bit i is set where entry i of a whole vector, an outcome of comparing floats or doubles, is true. */
template <class T, class Mask>
REFIMPL_INLINE unsigned bits_of(const Mask& mask) {
#if defined(__x86_64__) && REFIMPL_BYTES == 64
    typedef int whole __attribute__((vector_size(64)));
    typedef long long halves __attribute__((vector_size(64)));
    if (sizeof(T) == 8) return (unsigned char)__builtin_ia32_cvtq2mask512((halves)mask);
    return (unsigned short)__builtin_ia32_cvtd2mask512((whole)mask);
#elif defined(__x86_64__) && REFIMPL_BYTES == 32
    typedef float whole __attribute__((vector_size(32)));
    typedef double halves __attribute__((vector_size(32)));
    if (sizeof(T) == 8) return (unsigned)__builtin_ia32_movmskpd256((halves)mask);
    return (unsigned)__builtin_ia32_movmskps256((whole)mask);
#elif defined(__x86_64__)
    typedef float whole __attribute__((vector_size(16)));
    typedef double halves __attribute__((vector_size(16)));
    if (sizeof(T) == 8) return (unsigned)__builtin_ia32_movmskpd((halves)mask);
    return (unsigned)__builtin_ia32_movmskps((whole)mask);
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < REFIMPL_BYTES / sizeof(T); ++i) bits |= (unsigned)mask[i] & 1u << i;
    return bits;
#endif
}

/* whether any x <= y */
template <int N>
REFIMPL_INLINE bool any_at_most(const lanes<float, N>& x, const lanes<float, N>& y) {
    auto found = x.of[0] <= y.of[0];
    for (int i = 1; i < x.PARTS; ++i) found |= x.of[i] <= y.of[i];
    return bits_of<float>(found) != 0;
}

/* Bit i is set where x <= y. */
template <class T, int N>
REFIMPL_INLINE unsigned bits_at_most(const lanes<T, N>& x, const lanes<T, N>& y) {
    unsigned bits = 0;
    for (int i = 0; i < x.PARTS; ++i) bits |= bits_of<T>(x.of[i] <= y.of[i]) << (i * x.EACH);
    return bits;
}

/* Bit i is set where x > y. */
template <class T, int N>
REFIMPL_INLINE unsigned bits_above(const lanes<T, N>& x, const lanes<T, N>& y) {
    unsigned bits = 0;
    for (int i = 0; i < x.PARTS; ++i) bits |= bits_of<T>(x.of[i] > y.of[i]) << (i * x.EACH);
    return bits;
}
#else
template <int N>
REFIMPL_INLINE lanes<double, N> sizes(const lanes<double, N>& x) {
    lanes<double, N> result;
    for (int i = 0; i < N; ++i) result.of[i] = fabs(x.of[i]);
    return result;
}

template <int N>
REFIMPL_INLINE lanes<double, N> times_power(
    const lanes<double, N>& p, const lanes<double, N>& shifted)
{
    lanes<double, N> result;
    for (int i = 0; i < N; ++i) {
        uint64_t bits, k;
        memcpy(&bits, &p.of[i], 8);
        memcpy(&k, &shifted.of[i], 8);
        bits += k << 52;
        memcpy(&result.of[i], &bits, 8);
    }
    return result;
}

template <int N>
REFIMPL_INLINE bool any_at_most(const lanes<float, N>& x, const lanes<float, N>& y) {
    bool found = false;
    for (int i = 0; i < N; ++i) found |= x.of[i] <= y.of[i];
    return found;
}

template <class T, int N>
REFIMPL_INLINE unsigned bits_at_most(const lanes<T, N>& x, const lanes<T, N>& y) {
    unsigned bits = 0;
    for (int i = 0; i < N; ++i) bits |= (unsigned)(x.of[i] <= y.of[i]) << i;
    return bits;
}

template <class T, int N>
REFIMPL_INLINE unsigned bits_above(const lanes<T, N>& x, const lanes<T, N>& y) {
    unsigned bits = 0;
    for (int i = 0; i < N; ++i) bits |= (unsigned)(x.of[i] > y.of[i]) << i;
    return bits;
}
#endif

#undef REFIMPL_LANES
#undef REFIMPL_EACH

enum { EIGHT = 8 };

/* How many of the eight are taken at once, so that each sum takes `vectors` vectors. */
constexpr int at_once(int vectors) {
    return REFIMPL_BYTES && vectors * REFIMPL_BYTES / 8 < EIGHT ? vectors * REFIMPL_BYTES / 8 : +EIGHT;
}
