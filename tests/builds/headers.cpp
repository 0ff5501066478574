/* What the kernels' headers compute from drawn numbers, as digests: a program without Python, so that
   it runs wherever a compiler and an emulator are. Every build must print the digests of headers.txt.
   After a change of a kernel's numbers its twins' tests must pass first; then write the digests anew
   with this program. */
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

enum { MOST = 40, LONGEST = 2 * 256 + 19 };
static const double GRID = 1.0 / 4503599627370496.0;

static uint64_t state = 88172645463325252u, digest = 0;

static uint64_t bits() { /* xorshift64 */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double number() { return (double)(bits() >> 11) * GRID - 1; } /* -1 to 1 */

/* The numbers end with their arrays: -fsanitize=address sees what is read beyond them. */
template <typename T, size_t N> struct drawn {
    T all[N];
    T* end(size_t n) { return all + N - n; } /* the last n */
    void numbers() { for (T& x : all) x = (T)number(); }
    void whole(int count, int least = 0) { /* their sums are exact in any order */
        for (T& x : all) x = (T)((int)(bits() % (unsigned)count) + least);
    }
};

template <typename T> static void note(const T* values, size_t n) { /* FNV-1a */
    const unsigned char* bytes = (const unsigned char*)values;
    for (size_t i = 0; i < n * sizeof(T); ++i) digest = (digest ^ bytes[i]) * 1099511628211u;
}

static void say(const char* what) {
    printf("%s %08x%08x\n", what, (unsigned)(digest >> 32), (unsigned)digest);
    digest = 14695981039346656037u;
}

static void strands() {
    enum { STEPS = 5, N = STEPS * REFIMPL_STRANDS, WIDTH = REFIMPL_WIDE + 3 };
    drawn<uint32_t, N> rows;
    drawn<unsigned char, N> label;
    drawn<double, N> w, g;
    double sums[3 * REFIMPL_STRANDS], part[REFIMPL_WIDE], both[2];
    const uint32_t two[2] = {0, 1};
    rows.whole(2 * N);
    label.whole(2);
    for (double& x : w.all) x = (number() + 1) / 2 / N;
    rounded_weights(w.all, N, GRID, g.all);
    note(g.all, N);
    say("rounded_weights");
    signed_weights(w.all, label.all, N - 3, GRID, g.all, both, both + 1);
    note(g.all, N - 3), note(both, 2);
    say("signed_weights");
    strand_sums(rows.all, STEPS, g.all, sums, sums + REFIMPL_STRANDS, sums + 2 * REFIMPL_STRANDS);
    note(sums, 3 * REFIMPL_STRANDS);
    say("strand_sums");
    sum_wide(g.all, WIDTH, two, 2, part);
    note(part, REFIMPL_WIDE);
    say("sum_wide");
}

static void indices() {
    const int32_t beyond[] = {0, MOST - 1, -1, MOST, INT32_MIN, INT32_MAX};
    drawn<int32_t, MOST> places;
    places.whole(MOST);
    for (int32_t& place : places.all)
        for (int32_t other : beyond) {
            const int32_t before = place;
            int bad = 0;
            place = other;
            look_at_indices(places.all, MOST, MOST, &bad);
            note(&bad, 1);
            place = before;
        }
    say("look_at_indices");
}

static void groups() {
    drawn<double, MOST> q;
    drawn<double, 16 * MOST> C;
    drawn<double, 32 * MOST> B;
    drawn<float, MOST> small;
    drawn<float, 16 * MOST> P;
    for (size_t d = 1; d <= MOST; ++d) {
        double balls[16], boxes[16];
        q.numbers(), C.numbers(), B.numbers(), small.whole(9), P.whole(9);
        ball_group(q.end(d), C.end(16 * d), (ptrdiff_t)d, balls);
        box_group(q.end(d), B.end(32 * d), (ptrdiff_t)d, boxes);
        note(balls, 16), note(boxes, 16);
        /* a filter, whose sums have any order */
        const float limit = 13.5f * (float)d;
        const unsigned near = near_group(small.end(d), P.end(16 * d), (ptrdiff_t)d, limit);
        note(&near, 1);
    }
    for (int i = 0; i < 16; ++i) {
        const int lowest = lowest_bit(0xc000u << 2 | 1u << i);
        note(&lowest, 1);
    }
    say("groups");
}

static void codes() {
    drawn<uint64_t, 7 * 19> X;
    drawn<uint64_t, 19> query;
    int32_t distances[7];
    for (size_t words = 1; words <= 19; ++words) {
        for (uint64_t& word : X.all) word = bits();
        for (uint64_t& word : query.all) word = bits();
        memset(X.end(7 * words), 0, 8 * words);
        hamming_rows(X.end(7 * words), query.end(words), 7, (ptrdiff_t)words, distances);
        note(distances, 7);
    }
    say("hamming_rows");
}

static void panels() {
    for (int r = 2; r <= 9; ++r) {
        drawn<float, 9 * TOGETHER> queries;
        drawn<float, 9 * PANEL> panel;
        drawn<float, 2 * PANEL> halves;
        drawn<float, 2 * TOGETHER> bounds;
        const int64_t ends[2] = {r / 2, r};
        const size_t n = (size_t)r;
        queries.whole(9, -4), panel.whole(9, -4), halves.whole(5, -4), bounds.whole(40);
        for (int near = 0; near < 2; ++near) { /* by their first coordinates no pairs are, or all */
            for (int q = 0; q < TOGETHER; ++q) bounds.all[q] = near ? -1000 : 1000;
            unsigned hits[TOGETHER] = {};
            const bool any = panel_hits(queries.end(n * TOGETHER), panel.end(n * PANEL), halves.all,
                                        bounds.all, ends, 2, hits);
            note(&any, 1);
            if (any) note(hits, TOGETHER);
        }
    }
    say("panel_hits");
}

static void products() {
    drawn<double, 8 * 19> rows;
    drawn<double, 19> v, sums;
    double lanes[2 * REFIMPL_ROWS];
    for (size_t d = 1; d <= 19; ++d) {
        rows.numbers(), v.numbers(), sums.numbers();
        row_lanes(rows.end(8 * d), v.end(d), (ptrdiff_t)d, lanes);
        add_rows(v.end(4), rows.end(8 * d), (ptrdiff_t)d, (ptrdiff_t)d, sums.end(d));
        note(lanes, 2 * REFIMPL_ROWS), note(sums.end(d), d);
    }
    say("row_lanes, add_rows");
}

static void cutoffs() {
    enum { ENDS = 10, ALL = ENDS + 100 };
    double values[ALL] = {0.0, -0.0, 1.0, 0.1, -0.3, 1e300, -1e300, 5e-324, INFINITY, -INFINITY};
    for (int i = ENDS; i < ALL; ++i) values[i] = number();
    for (double y : values)
        for (double theta : values) {
            double cut;
            refimpl_cutoffs(&y, &theta, 1, &cut);
            note(&cut, 1);
        }
    say("refimpl_cutoffs");
}

static void maps_and_votes() {
    enum { IMAGES = 3, STRIDE = REFIMPL_MAPS + 5 };
    const int64_t start[IMAGES + 1] = {0, 1, 8, MOST};
    drawn<int32_t, MOST> pixels;
    drawn<double, REFIMPL_MAPS * MOST> map;
    drawn<double, REFIMPL_VOTES * MOST> x;
    drawn<double, REFIMPL_VOTES> sums;
    drawn<double, MOST> cut, alpha;
    double totals[IMAGES * STRIDE] = {};
    pixels.whole(MOST), map.whole(9); /* the order of its sums is any */
    x.numbers(), sums.numbers(), cut.numbers(), alpha.numbers();
    sum_maps(pixels.all, start, IMAGES, map.all, totals, STRIDE);
    note(totals, IMAGES * STRIDE);
    say("sum_maps");
    add_votes(cut.all, x.all, alpha.all, MOST, sums.all);
    note(sums.all, REFIMPL_VOTES);
    say("add_votes");
}

static void losses() {
    enum { ROWS = 3, N = SUM_LANES * ROWS };
    drawn<double, N> m, e, u, x;
    double z[3];
    u.numbers();
    for (int i = 0; i < N; ++i) {
        m.all[i] = i % 50 == 7 ? INFINITY : i % 50 == 8 ? -600 : (i % 5 ? 5 : 800) * number();
        x.all[i] = 0.5 - m.all[i];
    }
    for (size_t n = N - 70; n <= N; ++n) {
        exponentials(0.5, m.end(n), (ptrdiff_t)n, e.end(n));
        note(e.end(n), n);
    }
    say("exponentials");
    for (int alpha = 0; alpha < 3; ++alpha) {
        z_sums(u.all, x.all, e.all, alpha, ROWS, z);
        note(z, 3);
    }
    say("z_sums");
}

static void margins() {
    enum { OBJECTS = 7, TRIPLES = 24, LANES = 2 };
    drawn<double, OBJECTS * EIGHT> values, splits;
    drawn<double, TRIPLES> w;
    drawn<int32_t, TRIPLES> q, a, b;
    double errors[EIGHT], gains[OBJECTS * EIGHT], sums[8 * EIGHT];
    ptrdiff_t starts[OBJECTS + 1] = {};
    values.whole(5), splits.whole(3, -1), w.numbers(), a.whole(OBJECTS), b.whole(OBJECTS);
    for (int i = 0; i < TRIPLES; ++i) ++starts[(q.all[i] = i * OBJECTS / TRIPLES) + 1];
    for (int i = 0; i < OBJECTS; ++i) starts[i + 1] += starts[i];
    eight_errors(values.all, starts, a.all, b.all, w.all, OBJECTS, errors);
    eight_gains(values.all, starts, a.all, b.all, w.all, OBJECTS, gains);
    note(errors, EIGHT), note(gains, OBJECTS * EIGHT);
    say("eight_errors, eight_gains");
    for (int split = 0; split < 2; ++split) {
        eight_sums(values.all, q.all, a.all, b.all, w.all, split ? splits.all : nullptr,
                   LANES, TRIPLES / LANES, sums);
        note(sums, 8 * EIGHT);
    }
    say("eight_sums");
}

static void tiles() {
    enum { QUERIES = 2, ROWS = 8 + 8 + 4 + 1, STEP = ROWS + 1 };
    static const size_t lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 35, 255, 256, 257, 300, LONGEST};
    static const size_t numbers_of_rows[] = {1, 3, 5, 7, 8, 13, ROWS};
    static drawn<double, QUERIES * LONGEST> Q, A;
    static drawn<double, ROWS * LONGEST> X;
    Q.numbers(), A.numbers(), X.numbers();
    for (size_t d : lengths)
        for (size_t rows : numbers_of_rows) {
            double out[QUERIES * STEP] = {};
            l1_tile(Q.end(QUERIES * d), A.end(QUERIES * d), QUERIES, X.end(rows * d),
                    (ptrdiff_t)rows, (ptrdiff_t)d, out, STEP);
            note(out, QUERIES * STEP);
        }
    say("l1_tile");
}

#ifndef WITHOUT_LIBRARY
static void add(void* loop, ptrdiff_t first, ptrdiff_t last, int thread) {
    int* times = (int*)loop;
    for (ptrdiff_t i = first; i < last; ++i) times[i] += thread >= 0 && thread < 4;
}

static void pool() {
    for (int repeat = 0; repeat < 50; ++repeat) {
        int times[1000] = {};
        refimpl::run(add, times, 1000, 3, 4);
        note(times, 1000);
    }
    say("the pool does each step once");
}
#endif

int main() {
    printf("vectors of %d bytes, threads: %s\n", refimpl_width, REFIMPL_THREADS ? "yes" : "no");
    strands();
    indices();
    groups();
    codes();
    panels();
    products();
    cutoffs();
    maps_and_votes();
    losses();
    margins();
    tiles();
#ifndef WITHOUT_LIBRARY
    pool();
#endif
    return 0;
}
