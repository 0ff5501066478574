/* The kernels' headers against the plain loops that they stand for: a program without Python, so
   that it runs wherever a compiler and an emulator are. It does not test the kernels themselves. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cutoffs.h"
#include "hamming.h"
#include "indices.h"
#include "rows.h"
#include "strands.h"
#include "weights.h"
#include "widths.h"
#ifndef WITHOUT_LIBRARY /* a compiler that lacks its C++ library, for a look at the syntax */
#include "pool.h"
#endif

static int failures = 0;

static void check(bool holds, const char* what) {
    if (!holds) {
        printf("wrong: %s\n", what);
        ++failures;
    }
}

static uint64_t state = 88172645463325252u;

static uint64_t bits() { /* xorshift64 */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double number() { return (double)(bits() >> 11) / 4503599627370496.0 - 1; } /* -1 to 1 */

enum { MOST = 40 };

static void test_strands() {
    enum { STEPS = 5, N = STEPS * REFIMPL_STRANDS, WIDTH = REFIMPL_WIDE + 3 };
    uint32_t rows[N];
    double w[N], g[N], sums[REFIMPL_STRANDS], high[REFIMPL_STRANDS], low[REFIMPL_STRANDS];
    unsigned char label[N];
    double both, difference, plus = 0, with_sign = 0;
    for (int i = 0; i < N; ++i) {
        rows[i] = (uint32_t)(bits() % (2 * N));
        w[i] = (double)(bits() >> 11) / 9007199254740992.0 / N;
        label[i] = bits() & 1;
    }
    signed_weights(w, label, N - 3, 1.0 / 4503599627370496.0, g, &both, &difference);
    for (int i = 0; i < N - 3; ++i) {
        const double rounded = rint(w[i] * 4503599627370496.0) / 4503599627370496.0;
        plus += rounded, with_sign += label[i] ? rounded : -rounded;
        check(g[i] == (label[i] ? rounded : -rounded), "signed_weights");
    }
    check(both == plus && difference == with_sign, "sums of signed_weights");
    for (int i = N - 3; i < N; ++i) g[i] = 0;
    strand_sums(rows, STEPS, g, sums, high, low);
    for (int k = 0; k < REFIMPL_STRANDS; ++k) {
        double below = 0, most = -INFINITY, least = INFINITY;
        for (int i = 0; i < STEPS; ++i) {
            const uint32_t row = rows[REFIMPL_STRANDS * i + k];
            below += g[row / 2];
            if (row % 2) most = fmax(most, below), least = fmin(least, below);
        }
        check(sums[k] == below && high[k] == most && low[k] == least, "strand_sums");
    }
    double part[REFIMPL_WIDE], sum = 0;
    const uint32_t two[2] = {0, 1};
    sum_wide(g, WIDTH, two, 2, part);
    for (int j = 0; j < REFIMPL_WIDE; ++j) {
        sum = g[j] + g[WIDTH + j];
        check(part[j] == sum, "sum_wide");
    }
}

static void test_weights() {
    enum { N = 37 };
    double w[N], out[N];
    for (int i = 0; i < N; ++i) w[i] = number() / N;
    rounded_weights(w, N, 1.0 / 4503599627370496.0, out);
    for (int i = 0; i < N; ++i)
        check(out[i] == rint(w[i] * 4503599627370496.0) / 4503599627370496.0, "rounded_weights");
}

static void test_indices() {
    const int32_t beyond[4] = {-1, MOST, INT32_MIN, INT32_MAX};
    int32_t indices[MOST];
    int bad = 0;
    for (int i = 0; i < MOST; ++i) indices[i] = i;
    look_at_indices(indices, MOST, MOST, &bad);
    check(!bad, "look_at_indices takes what fits");
    for (int i = 0; i < 4 * MOST; ++i) {
        indices[i / 4] = beyond[i % 4];
        bad = 0;
        look_at_indices(indices, MOST, MOST, &bad);
        check(bad == 1, "look_at_indices finds what does not fit");
        indices[i / 4] = i / 4;
    }
}

static void test_groups() {
    for (int d = 1; d <= MOST; ++d) {
        double q[MOST], C[16 * MOST], B[32 * MOST], balls[16], boxes[16];
        float small[MOST], P[16 * MOST];
        for (int c = 0; c < d; ++c) {
            q[c] = number();
            small[c] = (float)q[c];
        }
        for (int i = 0; i < 16 * d; ++i) {
            C[i] = number();
            P[i] = (float)C[i];
        }
        for (int c = 0; c < d; ++c)
            for (int i = 0; i < 16; ++i) {
                const double low = number(), high = low + 0.5;
                B[32 * c + i] = low;
                B[32 * c + 16 + i] = high;
            }
        ball_group(q, C, d, balls);
        box_group(q, B, d, boxes);
        float near[16];
        for (int i = 0; i < 16; ++i) {
            double ball = 0, box = 0;
            for (int c = 0; c < d; ++c) {
                const double a = q[c] - C[16 * c + i];
                const double below = B[32 * c + i] - q[c], above = q[c] - B[32 * c + 16 + i];
                const double out = below > 0 ? below : above > 0 ? above : 0;
                ball += a * a;
                box += out * out;
            }
            check(balls[i] == ball, "ball_group");
            check(boxes[i] == box, "box_group");
            near[i] = (float)ball;
        }
        const float limit = near[5]; /* a filter: the order of its sums is any */
        const unsigned mask = near_group(small, P, d, limit);
        for (int i = 0; i < 16; ++i) {
            if (near[i] < limit * 0.999f) check(mask >> i & 1, "near_group leaves a near point out");
            if (near[i] > limit * 1.001f) check(!(mask >> i & 1), "near_group takes a far point");
        }
    }
    for (int i = 0; i < 16; ++i) check(lowest_bit(0xc000u << 2 | 1u << i) == i, "lowest_bit");
}

static void test_hamming() {
    for (int words = 1; words <= 19; ++words) {
        uint64_t codes[7 * 19], query[19];
        int32_t distances[7];
        for (int i = 0; i < 7 * words; ++i) codes[i] = i < words ? 0 : bits();
        for (int w = 0; w < words; ++w) query[w] = w % 2 ? bits() : ~(uint64_t)0;
        hamming_rows(codes, query, 7, words, distances);
        for (int i = 0; i < 7; ++i) {
            int32_t sum = 0;
            for (int b = 0; b < 64 * words; ++b)
                sum += (int32_t)((codes[i * words + b / 64] ^ query[b / 64]) >> (b % 64) & 1);
            check(distances[i] == sum, "hamming_rows");
        }
    }
}

static void test_panels() { /* whole numbers: their sums are exact in any order */
    for (int r = 2; r <= 9; ++r) {
        float queries[9 * TOGETHER], panel[9 * PANEL], halves[2 * PANEL], bounds[2 * TOGETHER];
        const int64_t ends[2] = {r / 2, r};
        unsigned hits[TOGETHER], any = 0;
        for (int i = 0; i < r * TOGETHER; ++i) queries[i] = (float)(bits() % 9) - 4;
        for (int i = 0; i < r * PANEL; ++i) panel[i] = (float)(bits() % 9) - 4;
        for (int i = 0; i < 2 * PANEL; ++i) halves[i] = -(float)(bits() % 5);
        for (int q = 0; q < TOGETHER; ++q) { /* by their first coordinates all pairs are near */
            bounds[q] = -1000;
            bounds[TOGETHER + q] = (float)(bits() % 40);
        }
        const unsigned got = panel_hits(queries, panel, halves, bounds, ends, 2, hits);
        for (int q = 0; q < TOGETHER; ++q) {
            unsigned mask = 0;
            for (int i = 0; i < PANEL; ++i) {
                float sum = halves[PANEL + i];
                for (int c = 0; c < r; ++c) sum += queries[c * TOGETHER + q] * panel[c * PANEL + i];
                mask |= (unsigned)(sum >= bounds[TOGETHER + q]) << i;
            }
            check(got == 0 || hits[q] == mask, "panel_hits");
            any |= mask;
        }
        check((got != 0) == (any != 0), "panel_hits says that there is any");
        for (int q = 0; q < TOGETHER; ++q) bounds[q] = 1000;
        check(!panel_hits(queries, panel, halves, bounds, ends, 2, hits), "panel_hits ends early");
    }
}

static void test_rows() { /* whole numbers again */
    for (int d = 1; d <= 19; ++d) {
        double rows[8 * 19], v[19] = {0}, lanes[2 * REFIMPL_ROWS], sums[19], before[19];
        for (int i = 0; i < 8 * d; ++i) rows[i] = (double)(bits() % 9) - 4;
        for (int i = 0; i < d; ++i) {
            v[i] = (double)(bits() % 9) - 4;
            sums[i] = before[i] = (double)(bits() % 9);
        }
        row_lanes(rows, v, d, lanes);
        for (int row = 0; row < REFIMPL_ROWS; ++row) {
            double sum = 0;
            for (int c = 0; c < d - d % 8; ++c) sum += rows[row * d + c] * v[c];
            check(lanes[2 * row] + lanes[2 * row + 1] == sum, "row_lanes");
        }
        add_rows(v, rows, d, d, sums);
        for (int c = 0; c < d; ++c) {
            double sum = before[c];
            for (int row = 0; row < REFIMPL_ROWS; ++row) sum += v[row] * rows[row * d + c];
            check(sums[c] == sum, "add_rows");
        }
    }
}

static void test_cutoffs() {
    const double values[] = {0.0, -0.0, 1.0, 0.1, -0.3, 1e300, -1e300, 5e-324, INFINITY, -INFINITY};
    for (double y : values)
        for (double theta : values) {
            double cut;
            refimpl_cutoffs(&y, &theta, 1, &cut);
            for (double x : values) check((x > cut) == (y - x < theta), "refimpl_cutoffs");
            for (int i = 0; i < 100; ++i) {
                const double x = number();
                check((x > cut) == (y - x < theta), "refimpl_cutoffs");
            }
        }
}

static void test_maps_and_votes() { /* whole numbers once more */
    enum { IMAGES = 3, STRIDE = REFIMPL_MAPS + 5 };
    const int64_t start[IMAGES + 1] = {0, 1, 8, MOST};
    int32_t pixels[MOST];
    double map[REFIMPL_MAPS * MOST], totals[IMAGES * STRIDE];
    for (int i = 0; i < MOST; ++i) pixels[i] = (int32_t)(bits() % MOST);
    for (int i = 0; i < REFIMPL_MAPS * MOST; ++i) map[i] = (double)(bits() % 9);
    sum_maps(pixels, start, IMAGES, map, totals, STRIDE);
    for (int i = 0; i < IMAGES; ++i)
        for (int lane = 0; lane < REFIMPL_MAPS; ++lane) {
            double sum = 0;
            for (int64_t e = start[i]; e < start[i + 1]; ++e)
                sum += map[REFIMPL_MAPS * pixels[e] + lane];
            check(totals[STRIDE * i + lane] == sum, "sum_maps");
        }
    double sums[REFIMPL_VOTES], before[REFIMPL_VOTES], x[REFIMPL_VOTES * MOST];
    double cut[MOST], alpha[MOST];
    for (int i = 0; i < REFIMPL_VOTES; ++i) sums[i] = before[i] = number();
    for (int i = 0; i < REFIMPL_VOTES * MOST; ++i) x[i] = number();
    for (int t = 0; t < MOST; ++t) cut[t] = number(), alpha[t] = number();
    add_votes(cut, x, alpha, MOST, sums);
    for (int i = 0; i < REFIMPL_VOTES; ++i) {
        for (int t = 0; t < MOST; ++t)
            before[i] += x[REFIMPL_VOTES * t + i] > cut[t] ? alpha[t] : 0.0;
        check(sums[i] == before[i], "add_votes");
    }
}

/* The same operations one by one; twins and vectors hold the values themselves. */
static double plain_exponential(double x) {
    if (x < -700) return 0;
    if (x > 500) x = 500;
    const double k = rint(x * 1.4426950408889634);
    const double r = (x - k * 0.693145751953125) - k * 1.4286068203094173e-06;
    double p = 0, factorial = 6227020800;
    for (int i = 13; i >= 0; --i) {
        p = p * r + 1 / factorial;
        factorial = i > 0 ? factorial / i : 1;
    }
    return ldexp(p, (int)k);
}

static void test_exponentials() {
    enum { ROWS = 3, N = SUM_LANES * ROWS };
    double m[N], e[N], u[N], x[N], z[3], expected[3];
    for (int i = 0; i < N; ++i) {
        m[i] = i % 50 == 7 ? INFINITY : i % 50 == 8 ? -600 : i % 5 ? 5 * number() : 800 * number();
        x[i] = 0.5 - m[i];
        u[i] = number();
    }
    for (int n = N - 70; n < N; ++n) {
        exponentials(0.5, m, n, e);
        for (int i = 0; i < n; ++i) check(e[i] == plain_exponential(x[i]), "exponentials");
    }
    exponentials(0.5, m, N, e);
    for (int alpha = 0; alpha < 3; ++alpha) {
        z_sums(u, x, e, alpha, ROWS, z);
        for (int s = 0; s < 3; ++s) {
            expected[s] = 0;
            for (int lane = 0; lane < SUM_LANES; ++lane) {
                double sum = 0;
                for (int i = lane; i < N; i += SUM_LANES) {
                    const double w = plain_exponential(x[i] - alpha * u[i]);
                    sum += s == 0 ? w : s == 1 ? w * u[i] : w * u[i] * u[i];
                }
                expected[s] += sum;
            }
        }
        check(z[0] == expected[0] && z[1] == -expected[1] && z[2] == expected[2], "z_sums");
    }
}

#ifndef WITHOUT_LIBRARY
static void add(void* loop, ptrdiff_t first, ptrdiff_t last, int thread) {
    int* times = (int*)loop;
    for (ptrdiff_t i = first; i < last; ++i) times[i] += thread >= 0 && thread < 4;
}

static void test_pool() {
    for (int repeat = 0; repeat < 50; ++repeat) {
        static int times[1000];
        memset(times, 0, sizeof times);
        refimpl::run(add, times, 1000, 3, 4);
        for (int i = 0; i < 1000; ++i) check(times[i] == 1, "the pool does each step once");
    }
}
#endif

/* The numbers end with their arrays: -fsanitize=address sees what is read beyond them. */
static void test_l1() {
    enum { MOST = 2 * 256 + 19, QUERIES = 2, ROWS = 8 + 8 + 4 + 1, STEP = ROWS + 1 };
    static const int rows_of[] = {1, 3, 5, 7, 8, 13, ROWS};
    static const int longer[] = {255, 256, 257, 300, MOST};
    static double all_q[QUERIES * MOST], all_a[QUERIES * MOST], all_x[ROWS * MOST];
    static double out[QUERIES * STEP];
    for (double& x : all_q) x = number();
    for (double& x : all_a) x = number();
    for (double& x : all_x) x = number();
    for (int n = 1; n <= 40; ++n)
        for (int rows : rows_of) {
            const int d = n <= 35 ? n : longer[n - 36];
            const double* Q = all_q + QUERIES * (MOST - d);
            const double* A = all_a + QUERIES * (MOST - d);
            const double* X = all_x + ROWS * MOST - rows * d;
            for (double& x : out) x = -1;
            l1_tile(Q, A, (ptrdiff_t)QUERIES, X, (ptrdiff_t)rows, (ptrdiff_t)d, out,
                    (ptrdiff_t)STEP);
            for (int q = 0; q < QUERIES; ++q)
                for (int r = 0; r < STEP; ++r) {
                    double sums[REFIMPL_L1_SUMS] = {0};
                    const double *query = Q + q * d, *weights = A + q * d, *row = X + r * d;
                    for (int c = 0; r < rows && c < d; ++c)
                        sums[c % REFIMPL_L1_SUMS] += weights[c] * fabs(query[c] - row[c]);
                    double total = sums[0];
                    for (int i = 1; i < REFIMPL_L1_SUMS; ++i) total += sums[i];
                    check(out[q * STEP + r] == (r < rows ? total : -1), "l1_tile");
                }
        }
}

/* The distance to b less that to a, in column c. */
static double margin(const double* values, int q, int a, int b, int c) {
    const double of_q = values[EIGHT * q + c];
    return fabs(of_q - values[EIGHT * b + c]) - fabs(of_q - values[EIGHT * a + c]);
}

/* Of whole numbers, so that every sum is exact. */
static void test_margins() {
    enum { OBJECTS = 7, TRIPLES = 24, LANES = 2 };
    double values[OBJECTS * EIGHT], w[TRIPLES], errors[EIGHT], gains[OBJECTS * EIGHT];
    double splits[OBJECTS * EIGHT], sums[8 * EIGHT];
    int32_t q[TRIPLES], a[TRIPLES], b[TRIPLES];
    ptrdiff_t starts[OBJECTS + 1] = {};
    for (double& v : values) v = (double)(bits() % 5);
    for (double& s : splits) s = (double)(bits() % 3) - 1;
    for (int i = 0; i < TRIPLES; ++i) {
        q[i] = i * OBJECTS / TRIPLES;
        ++starts[q[i] + 1];
        a[i] = (int32_t)(bits() % OBJECTS);
        b[i] = (int32_t)(bits() % OBJECTS);
        w[i] = (double)(bits() % 9);
    }
    for (int i = 0; i < OBJECTS; ++i) starts[i + 1] += starts[i];
    eight_errors(values, starts, a, b, w, OBJECTS, errors);
    eight_gains(values, starts, a, b, w, OBJECTS, gains);
    for (int c = 0; c < EIGHT; ++c) {
        double error = 0, gain[OBJECTS] = {};
        for (int i = 0; i < TRIPLES; ++i) {
            const double u = margin(values, q[i], a[i], b[i], c);
            error += u < 0 ? w[i] : u == 0 ? w[i] / 2 : 0;
            gain[q[i]] += u > 0 ? w[i] / 2 : u < 0 ? -w[i] / 2 : 0;
        }
        check(errors[c] == error, "eight_errors");
        for (int i = 0; i < OBJECTS; ++i) check(gains[EIGHT * i + c] == gain[i], "eight_gains");
    }
    for (int split = 0; split < 2; ++split) {
        eight_sums(values, q, a, b, w, split ? splits : nullptr, LANES, TRIPLES / LANES, sums);
        for (int c = 0; c < EIGHT; ++c) {
            double expected[8] = {};
            for (int i = 0; i < TRIPLES; ++i) {
                const double factor = split ? splits[EIGHT * q[i] + c] : 1;
                const double u = factor * margin(values, q[i], a[i], b[i], c);
                if (u == 0) continue;
                const int side = u > 0 ? 0 : 1;
                const double size = side ? -u : u;
                expected[side] += w[i];
                expected[2 + side] += w[i] * size;
                expected[4 + side] += w[i] * u * u;
                if (size > expected[6 + side]) expected[6 + side] = size;
            }
            for (int s = 0; s < 8; ++s) check(sums[EIGHT * s + c] == expected[s], "eight_sums");
        }
    }
}

int main() {
    test_groups();
    test_strands();
    test_weights();
    test_indices();
    test_margins();
    test_l1();
    test_hamming();
    test_panels();
    test_rows();
    test_cutoffs();
    test_maps_and_votes();
    test_exponentials();
#ifndef WITHOUT_LIBRARY
    test_pool();
#endif
    printf("vectors of %d bytes, threads: %s, %d failed\n", refimpl_width,
           REFIMPL_THREADS ? "yes" : "no", failures);
    return failures != 0;
}
