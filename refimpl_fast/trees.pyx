"""Searches of ball trees in Cython: the twin of refimpl/kernels/trees.py.

The reference's expressions stand above the loops.

A search looks at sixteen points or nodes at once. Points are first compared in float32, from a copy
that is centred and scaled. Points that may be near, by a bound of the rounding errors, are compared
again as the reference does, so no result depends on the float32 values. Nodes are kept in bricks:
fourteen descendants of a node, three levels of them.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, floor, log2, sqrt
from libc.stdint cimport int64_t
from libcpp.algorithm cimport sort

from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels import trees as reference
from refimpl.kernels.arguments import one_of
from refimpl.kernels.contract import checked

cdef extern from "widths.h":
    void ball_group(const double* q, const double* C, Py_ssize_t d, double* out) nogil
    void box_group(const double* q, const double* B, Py_ssize_t d, double* out) nogil
    int64_t stopping_group(
        const double* q, const double* P, Py_ssize_t d, double limit, unsigned* left
    ) nogil
    unsigned near_group(const float* q, const float* P, Py_ssize_t d, float limit) nogil
    int lowest_bit(unsigned mask) nogil

cdef extern from *:
    """
    struct Found { double square; int64_t index; };
    static inline int by_index(const Found& a, const Found& b) { return a.index < b.index; }
    struct Waiting { double least; int64_t node; int lane; int level; };
    """
    cppclass Found:
        double square
        int64_t index
    cppclass Waiting:
        double least
        int64_t node
        int lane
        int level
    bint by_index(const Found& a, const Found& b) noexcept nogil

cdef enum:
    GROUP = 16
    HEIGHT = 3  # levels of nodes in a brick
    LEVELS = 64
    QUERIES = 16  # at most that a scan compares with each sixteen points before the next
    PACKED = 32  # coordinates of a scan's points that are compared at once

cdef double TINY = reference.TINY
# a query this far out, in radii, is compared with the points in float64 only
cdef double HUGE_NORM = 1e15


# ------------------------------------------------------------------------------------------ packing

def _pack(tree, bound):
    """Return the tree as a search reads it, made once for each tree."""
    one_of(bound, ("box", "ball"), "bound")
    # what a search reads, by the names "ball", "box" and "points"; no copy of the tree has it
    kept = vars(tree).setdefault("_packed", {})
    if "points" not in kept:
        kept["points"] = _pack_points(tree)
    if bound not in kept:
        kept[bound] = _pack_nodes(tree, bound == "box")
    return kept["points"], kept[bound]


cdef class _Points:
    cdef float[::1] groups  # for each sixteen points of a leaf d rows of sixteen
    cdef int64_t[::1] first  # the first group of each leaf
    cdef double radius  # of the points about the root's centre; 0 if float32 cannot tell them apart
    cdef double scale

    def __init__(self, groups, first, radius, scale):
        self.groups, self.first, self.radius, self.scale = groups, first, radius, scale


def _pack_points(tree):
    cdef const double[:, ::1] points = tree.points
    cdef Py_ssize_t d = points.shape[1], leaf, group, i, c, leaves = (len(tree.starts) + 1) // 2
    cdef const int64_t[::1] starts = tree.starts[leaves - 1:], ends = tree.ends[leaves - 1:]
    cdef const double[::1] middle = tree.centres[0]
    cdef double square = 0, radius, scale
    for i in range(points.shape[0]):
        square = max(square, _square(&middle[0], &points[i, 0], d))
    radius = sqrt(square)
    cdef int64_t[::1] first = np.concatenate(
        [[0], np.cumsum((tree.ends - tree.starts)[leaves - 1:] + GROUP - 1 >> 4)]
    )
    cdef float[::1] groups = on_lines(np.zeros, first[leaves] * GROUP * d, np.float32)
    cdef float* place
    if not TINY < radius < INFINITY:
        return _Points(groups, first, 0.0, 1.0)
    scale = 2.0 ** -floor(log2(radius))
    for leaf in range(leaves):
        for i in range(ends[leaf] - starts[leaf]):
            group = first[leaf] + i // GROUP
            place = &groups[group * GROUP * d] + i % GROUP
            for c in range(d):
                place[GROUP * c] = <float> ((points[starts[leaf] + i, c] - middle[c]) * scale)
    return _Points(groups, first, radius, scale)


cdef class _Nodes:
    cdef double[::1] bricks
    # of each level with roots of bricks the first brick; -1 for other levels
    cdef int64_t[::1] base
    # of each level the number of the brick, from above, that holds its nodes' children
    cdef int64_t[::1] slot
    cdef Py_ssize_t size

    def __init__(self, bricks, base, slot, size):
        self.bricks, self.base, self.slot, self.size = bricks, base, slot, size


def _pack_nodes(tree, box):
    depth = len(tree.starts).bit_length() - 1
    roots = sorted({0, *range(depth % HEIGHT, depth, HEIGHT)}) if depth else []
    d = tree.points.shape[1]
    base, slot, bricks = np.full(depth + 1, -1), np.zeros(depth + 1, dtype=np.int64), []
    for number, level in enumerate(roots):
        base[level] = sum(len(brick) for brick in bricks)
        slot[level:] = number
        root = np.arange(2**level) + 2**level - 1
        brick = np.zeros((len(root), d, 2 if box else 1, GROUP))
        below = (roots[number + 1:] or [depth])[0] - level
        for step in range(1, below + 1):
            for i in range(2**step):
                node = (root + 1) * 2**step - 1 + i
                for side, values in enumerate([tree.low, tree.high] if box else [tree.centres]):
                    brick[:, :, side, 2**step - 2 + i] = values[node]
        bricks.append(brick)
    flat = on_lines(np.empty, max(1, sum(brick.size for brick in bricks)))
    np.concatenate([brick.ravel() for brick in bricks] or [np.zeros(1)], out=flat)
    return _Nodes(flat, base, slot, d * GROUP * (2 if box else 1))


# ---------------------------------------------------------------------------------------- searching

cdef struct Tree:
    Py_ssize_t d
    const double* points
    const int64_t* order
    const int64_t* starts
    const int64_t* ends
    const double* radii
    int64_t leaf  # the first leaf
    double radius
    const double* middle
    double scale
    const float* groups
    const int64_t* first
    bint box
    const double* bricks
    const int64_t* base
    const int64_t* slot
    Py_ssize_t size


cdef struct Query:
    const double* q
    const float* scaled
    int64_t skip
    bint far  # the query is too far out for float32, or the points are too near one another
    double error  # of a scaled distance


cdef Tree _view(
    tree, _Points points, _Nodes nodes, bint box, const double[:, ::1] rows,
    const int64_t[::1] order, const int64_t[::1] starts, const int64_t[::1] ends,
    const double[::1] radii, const double[:, ::1] centres
):
    cdef Tree view
    view.d, view.points, view.order = rows.shape[1], &rows[0, 0], &order[0]
    view.starts, view.ends, view.radii = &starts[0], &ends[0], &radii[0]
    view.leaf, view.radius, view.middle = starts.shape[0] // 2, points.radius, &centres[0, 0]
    view.scale, view.groups, view.first = points.scale, &points.groups[0], &points.first[0]
    view.box, view.bricks, view.size = box, &nodes.bricks[0], nodes.size
    view.base, view.slot = &nodes.base[0], &nodes.slot[0]
    return view


cdef inline double _square(const double* x, const double* p, Py_ssize_t d) noexcept nogil:
    # squared_distances(x, P)
    cdef double total = 0
    cdef Py_ssize_t c
    for c in range(d):
        total += (x[c] - p[c]) * (x[c] - p[c])
    return total


cdef void _prepare(
    const Tree* tree, const double* q, int64_t skip, float* scaled, Query* query
) noexcept nogil:
    # ||q' - x'|| of the float32 copies differs from the scaled ||q - x|| by no more than the error
    cdef double norm = 0, value
    cdef Py_ssize_t c
    for c in range(tree.d):
        value = (q[c] - tree.middle[c]) * tree.scale
        norm += value * value
        scaled[c] = <float> value if fabs(value) < HUGE_NORM else 0
    norm = sqrt(norm)
    query.q, query.scaled, query.skip = q, scaled, skip
    query.far = not norm < HUGE_NORM or not tree.radius > TINY
    # half a unit for each rounding
    query.error = 1.01 * 2.0**-24 * (1.01 * tree.radius * tree.scale + norm)


cdef float _limit(const Tree* tree, const Query* query, double square) noexcept nogil:
    # the largest float32 sum that a squared distance of at most `square` can give
    cdef double most = sqrt(square) * tree.scale + query.error
    most = most * most * (1 + (tree.d + 16) * 2.0**-22)
    return INFINITY if query.far or not most < 1e30 else <float> most


cdef inline double _lower_bound(double square, double r, Py_ssize_t d) noexcept nogil:
    # bound = distance - r - (len(c) + 8) * 2.0**-52 * (distance + r)
    # bound * bound if bound > TINY else 0.0
    cdef double distance = sqrt(square), bound
    bound = distance - r - (d + 8) * 2.0**-52 * (distance + r)  # LM:eq7
    return bound * bound if bound > TINY else 0.0


cdef inline Py_ssize_t _children(
    const Tree* tree, const Waiting* node, const double* squares, double limit, Waiting* stack,
    Py_ssize_t top
) noexcept nogil:
    # stack += children if right_nearness < left_nearness else children[::-1]
    # children beyond the limit are left out at once
    cdef int lane = 0 if tree.base[node.level] >= 0 else 2 * node.lane + 2, turn, side
    cdef bint right_first = squares[lane + 1] < squares[lane]
    for turn in range(2):
        side = turn if right_first else 1 - turn
        stack[top].node = 2 * node.node + 1 + side
        stack[top].lane = lane + side
        stack[top].level = node.level + 1
        stack[top].least = squares[lane + side]
        if not tree.box:
            stack[top].least = _lower_bound(
                squares[lane + side], tree.radii[stack[top].node], tree.d
            )
        top += not stack[top].least > limit
    return top


cdef inline double* _brick(
    const Tree* tree, const Query* query, const Waiting* node, double* squares
) noexcept nogil:
    # squares of the brick with the children of the node, computed if the node is its root
    cdef double* mine = squares + GROUP * tree.slot[node.level]
    cdef const double* brick
    cdef int64_t place
    if tree.base[node.level] >= 0:
        place = tree.base[node.level] + node.node - (<int64_t> 1 << node.level) + 1
        brick = tree.bricks + place * tree.size
        if tree.box:
            box_group(query.q, brick, tree.d, mine)
        else:
            ball_group(query.q, brick, tree.d, mine)
    return mine


cdef void _nearest(
    const Tree* tree, const Query* query, Py_ssize_t k, double* near, int64_t* which,
    int64_t* computed
) noexcept nogil:
    # tree_nearest, for one query
    cdef Waiting[2 * LEVELS] stack
    cdef double[GROUP * LEVELS] squares
    cdef Waiting node
    cdef Py_ssize_t top = 1, i, first, last, row, place
    cdef int64_t index
    cdef unsigned found
    cdef float limit = INFINITY
    cdef double square
    stack[0].least, stack[0].node, stack[0].lane, stack[0].level = 0.0, 0, 0, 0
    for i in range(k):
        near[i], which[i] = INFINITY, tree.ends[0]
    while top:
        top -= 1
        node = stack[top]
        if node.least > near[k - 1]:  # LM:4.1:4
            continue
        if node.node < tree.leaf:
            top = _children(
                tree, &node, _brick(tree, query, &node, squares), near[k - 1], stack, top
            )
            continue
        first, last = tree.starts[node.node], tree.ends[node.node]
        computed[0] += last - first
        for i in range(tree.first[node.node - tree.leaf], tree.first[node.node - tree.leaf + 1]):
            found = near_group(query.scaled, tree.groups + i * GROUP * tree.d, tree.d, limit)
            if last - first < GROUP:
                found &= (1u << (last - first)) - 1
            while found:
                row = first + lowest_bit(found)
                found &= found - 1
                index = tree.order[row]
                square = _square(query.q, tree.points + row * tree.d, tree.d)
                place = k - 1
                if index == query.skip:
                    continue
                if square > near[place] or (square == near[place] and index > which[place]):
                    continue
                while place and (
                    square < near[place - 1]
                    or (square == near[place - 1] and index < which[place - 1])
                ):
                    near[place], which[place] = near[place - 1], which[place - 1]
                    place -= 1
                near[place], which[place] = square, index
                limit = _limit(tree, query, near[k - 1])
            first += GROUP


cdef void _within(
    const Tree* tree, const Query* query, double most, bint strict, vector[Found]* kept,
    int64_t* computed
) noexcept nogil:
    # tree_within, for one query
    cdef Waiting[2 * LEVELS] stack
    cdef double[GROUP * LEVELS] squares
    cdef Waiting node
    cdef Found one
    cdef Py_ssize_t top = 1, i, first, last, row
    cdef unsigned found
    cdef bint within
    cdef float limit = _limit(tree, query, most)
    stack[0].least, stack[0].node, stack[0].lane, stack[0].level = 0.0, 0, 0, 0
    while top:
        top -= 1
        node = stack[top]
        if node.least > most:
            continue
        if node.node < tree.leaf:
            top = _children(tree, &node, _brick(tree, query, &node, squares), most, stack, top)
            continue
        first, last = tree.starts[node.node], tree.ends[node.node]
        computed[0] += last - first
        for i in range(tree.first[node.node - tree.leaf], tree.first[node.node - tree.leaf + 1]):
            found = near_group(query.scaled, tree.groups + i * GROUP * tree.d, tree.d, limit)
            if last - first < GROUP:
                found &= (1u << (last - first)) - 1
            while found:
                row = first + lowest_bit(found)
                found &= found - 1
                one.index = tree.order[row]
                one.square = _square(query.q, tree.points + row * tree.d, tree.d)
                within = one.square < most or (one.square == most and not strict)  # LM:4.2:4
                if within and one.index != query.skip:
                    kept.push_back(one)
            first += GROUP
    sort(kept.begin(), kept.end(), by_index)


cdef class _Search(Loop):
    """What the queries of a search read; step t is query t."""

    cdef Tree view
    cdef const double[:, ::1] Q
    cdef const int64_t[::1] skip
    cdef float[:, ::1] scaled  # a row for each thread
    cdef int64_t[::1] computed
    cdef object alive  # what the view points into

    cdef set(self, tree, const double[:, ::1] Q, skip, bound, int n_threads):
        points, nodes = self.alive = _pack(tree, bound)
        self.view = _view(
            tree, points, nodes, bound == "box", tree.points, tree.order, tree.starts, tree.ends,
            tree.radii, tree.centres
        )
        self.Q, self.skip = Q, np.full(len(Q), -1) if skip is None else skip
        self.scaled = np.empty((n_threads, self.view.d), dtype=np.float32)
        self.computed = np.zeros(len(Q), dtype=np.int64)

    cdef search(self, int n_threads):
        # a query looks at two leaves at least, and at more in a larger tree
        cdef Py_ssize_t m = self.Q.shape[0], d = self.view.d, n = self.view.ends[0]
        self.run(m, worth(n_threads, m * d * min(n, 64 + n // 64)), _together(m, n_threads))


cdef Py_ssize_t _together(Py_ssize_t m, int n_threads) noexcept nogil:
    # queries that a thread takes at a time
    return max(<Py_ssize_t> 1, min(<Py_ssize_t> 16, m // (16 * n_threads)))


cdef class _Nearest(_Search):
    cdef double[:, ::1] squares
    cdef int64_t[:, ::1] indices

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Query query
        _prepare(&self.view, &self.Q[t, 0], self.skip[t], &self.scaled[thread, 0], &query)
        _nearest(
            &self.view, &query, self.squares.shape[1], &self.squares[t, 0], &self.indices[t, 0],
            &self.computed[t]
        )


@checked
def tree_nearest(
    tree, const double[:, ::1] Q not None, Py_ssize_t k, *, skip=None, bound="box", threads=None
):
    """Find the k nearest points of each query by depth-first search of the tree.

    See :func:`refimpl.kernels.tree_nearest`.
    """
    cdef int n_threads = thread_count(threads)
    reference.require_enough(k, len(tree.order), skip)
    cdef _Nearest loop = _Nearest()
    loop.set(tree, Q, skip, bound, n_threads)
    loop.squares = np.empty((len(Q), k))
    loop.indices = np.empty((len(Q), k), dtype=np.int64)
    loop.search(n_threads)
    return np.asarray(loop.squares), np.asarray(loop.indices), np.asarray(loop.computed)


cdef class _Within(_Search):
    cdef const double[::1] limits
    cdef bint strict
    cdef vector[vector[Found]] found

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Query query
        _prepare(&self.view, &self.Q[t, 0], self.skip[t], &self.scaled[thread, 0], &query)
        _within(&self.view, &query, self.limits[t], self.strict, &self.found[t], &self.computed[t])


@checked
def tree_within(
    tree, const double[:, ::1] Q not None, const double[::1] limits not None, *, bint strict=False,
    skip=None, bound="box", threads=None
):
    """Find all points within a distance of each query, such as its impostors.

    See :func:`refimpl.kernels.tree_within`.
    """
    cdef int n_threads = thread_count(threads)
    cdef int64_t[::1] starts = np.zeros(len(Q) + 1, dtype=np.int64)
    cdef Py_ssize_t t, i
    cdef _Within loop = _Within()
    loop.set(tree, Q, skip, bound, n_threads)
    loop.limits, loop.strict = limits, strict
    loop.found.make(len(Q))
    loop.search(n_threads)
    for t in range(Q.shape[0]):
        starts[t + 1] = starts[t] + <int64_t> loop.found[t].size()
    cdef int64_t[::1] indices = np.empty(starts[Q.shape[0]], dtype=np.int64)
    cdef double[::1] squares = np.empty(starts[Q.shape[0]])
    for t in range(Q.shape[0]):
        for i in range(<Py_ssize_t> loop.found[t].size()):
            indices[starts[t] + i] = loop.found[t][i].index
            squares[starts[t] + i] = loop.found[t][i].square
    return np.asarray(starts), np.asarray(indices), np.asarray(squares), np.asarray(loop.computed)


# ------------------------------------------------------------------------------------- the baseline


cdef class _Scan(Loop):
    """Step i is some queries, which are compared with sixteen points at a time."""

    cdef const double[:, ::1] X, Q
    cdef const int64_t[::1] skip
    cdef double[:, ::1] squares
    cdef int64_t[:, ::1] indices
    cdef int64_t[::1] terms, wrong
    cdef Py_ssize_t each  # queries of a step

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef double[PACKED * GROUP] packed
        cdef Py_ssize_t n = self.X.shape[0], d = self.X.shape[1], g, first, last, t, p, c
        for g in range((n + GROUP - 1) // GROUP):
            first, last = g * GROUP, min((g + 1) * GROUP, n)
            for p in range(first, last):
                for c in range(min(d, <Py_ssize_t> PACKED)):
                    packed[c * GROUP + p - first] = self.X[p, c]
            for t in range(i * self.each, min((i + 1) * self.each, self.Q.shape[0])):
                if self.wrong[t] < 0 and not (
                    last - first == GROUP and self._none_near(t, first, packed)
                ):
                    self._compare(t, first, last)

    cdef bint _none_near(self, Py_ssize_t t, Py_ssize_t first, const double* packed) noexcept nogil:
        # whether all sixteen sums end beyond the k-th smallest, which then is the same for all
        cdef const double* q = &self.Q[t, 0]
        cdef Py_ssize_t d = self.X.shape[1]
        cdef double limit = self.squares[t, self.squares.shape[1] - 1]
        cdef unsigned left
        cdef int64_t terms
        if not limit < INFINITY or first <= self.skip[t] < first + GROUP:
            return False
        terms = stopping_group(q, packed, min(d, <Py_ssize_t> PACKED), limit, &left)
        while left:
            if not _beyond(q, &self.X[first + lowest_bit(left), 0], d, limit, &terms):
                return False
            left &= left - 1
        self.terms[t] += terms
        return True

    cdef void _compare(self, Py_ssize_t t, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        # partial = np.cumsum((x_t - x_i) ** 2)
        # beyond = np.flatnonzero(partial > near[-1])
        # near = np.insert(near, place, partial[-1])[:k]
        cdef double* near = &self.squares[t, 0]
        cdef int64_t* which = &self.indices[t, 0]
        cdef Py_ssize_t k = self.squares.shape[1], d = self.X.shape[1], i, c, place
        cdef double partial
        for i in range(first, last):
            if i == self.skip[t]:
                continue
            partial = 0
            for c in range(d):
                self.terms[t] += 1
                partial += (self.Q[t, c] - self.X[i, c]) * (self.Q[t, c] - self.X[i, c])
                if partial > near[k - 1]:  # LM:4.2:2
                    break
            else:
                if not partial < INFINITY:
                    near[0], self.wrong[t] = partial, i
                    return
            if not partial < near[k - 1]:
                continue
            place = k - 1
            while place and partial < near[place - 1]:
                near[place], which[place] = near[place - 1], which[place - 1]
                place -= 1
            near[place], which[place] = partial, i


cdef bint _beyond(
    const double* q, const double* row, Py_ssize_t d, double limit, int64_t* terms
) noexcept nogil:
    # whether the sum ends beyond the limit; the first PACKED of its terms are counted
    cdef double partial = 0
    cdef Py_ssize_t c
    for c in range(d):
        partial += (q[c] - row[c]) * (q[c] - row[c])
        if c >= PACKED:
            terms[0] += 1
            if partial > limit:
                return True
    return False


@checked
def scan_nearest(
    const double[:, ::1] Q not None, const double[:, ::1] X not None, Py_ssize_t k, *, skip=None,
    threads=None
):
    """Find the k nearest points of each query by a scan that stops adding when a sum is too large.

    See :func:`refimpl.kernels.scan_nearest`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = X.shape[0], m = Q.shape[0], t
    reference.require_enough(k, n, skip)
    cdef _Scan loop = _Scan()
    loop.X, loop.Q, loop.skip = X, Q, np.full(m, -1) if skip is None else skip
    loop.squares, loop.indices = np.full((m, k), np.inf), np.full((m, k), n)
    loop.terms = np.zeros(m, dtype=np.int64)
    loop.wrong = np.full(m, -1)
    # some coordinates of each point, and insertions
    n_threads = worth(n_threads, 4 * m * n)
    loop.each = max(<Py_ssize_t> 1, min(<Py_ssize_t> QUERIES, m // n_threads))
    loop.run((m + loop.each - 1) // loop.each, n_threads, 1)
    for t in range(m):
        if loop.wrong[t] >= 0:
            reference.require_finite_square(loop.squares[t, 0], t, loop.wrong[t])
    return np.asarray(loop.squares), np.asarray(loop.indices), np.asarray(loop.terms)
