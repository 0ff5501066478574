"""Brute force from the paper's text alone; imports neither refimpl nor refimpl_fast."""

import math
from fractions import Fraction
from itertools import pairwise

GRID = 2**52


def grid(w):
    """Weights as exact multiples of 2**-52."""
    return [Fraction(round(Fraction(x) * GRID), GRID) for x in w]


def stump(x, p, theta):
    return 1 if p * x < p * theta else 0


def thresholds(values, p):
    values = sorted(set(values))
    return [-math.inf] + [between(a, b, p) for a, b in pairwise(values)]


def between(a, b, p):
    """Midway between two values; where no float lies between them, the value that divides them."""
    middle = a / 2 + b / 2  # the sum may overflow
    return middle if a < middle < b else (b if p == 1 else a)


def best_error(X, w, labels):
    """Return the least exact weighted error over all (f, p, theta), and the first of them."""
    w = grid(w)
    best = None
    for f in range(len(X[0])):
        for p in (1, -1):
            for theta in thresholds([row[f] for row in X], p):
                pairs = zip(X, w, labels, strict=True)
                error = sum((v for row, v, l in pairs if stump(row[f], p, theta) != l), Fraction(0))
                if best is None or error < best[0]:
                    best = (error, f, p, theta)
    return best


def adaboost(P, N, T):
    """Algorithm A.2 with errata BD-1, BD-3 and BD-4: list of (alpha, f, p, theta)."""
    X = P + N
    labels = [1] * len(P) + [0] * len(N)
    w = [1 / (2 * len(P))] * len(P) + [1 / (2 * len(N))] * len(N)
    Phi = []
    for _ in range(T):
        total = math.fsum(w)
        w = [x / total for x in w]
        error, f, p, theta = best_error(X, w, labels)
        epsilon = max(float(error), 2.0**-52)
        if abs(epsilon - 0.5) <= len(w) * 2.0**-52:
            epsilon = 0.5
        beta = epsilon / (1 - epsilon)
        w = [
            x * (beta if stump(row[f], p, theta) == l else 1)
            for x, row, l in zip(w, X, labels, strict=True)
        ]
        Phi.append((math.log(1 / beta), f, p, theta))
    return Phi


def pairs(X, labels, C):
    """A.1's sets of differences, by double loop."""
    P = []
    N = []
    for x, l in zip(X, labels, strict=True):
        for z, m in zip(X, labels, strict=True):
            if m == C:
                (P if l == C else N).append([a - b for a, b in zip(x, z, strict=True)])
    return P, N


def nearest(y, models, X, labels):
    """Algorithm A.3 by the literal loop."""
    s_max, found = -math.inf, None
    for x, C in zip(X, labels, strict=True):
        s = similarity(y, x, models[C])
        if s > s_max:
            s_max, found = s, C
    return found


def similarity(y, x, Phi):
    """Eq. 4: sum_t alpha_t h_t(y - x)."""
    s = 0.0
    for alpha, f, p, theta in Phi:
        s += alpha * stump(y[f] - x[f], p, theta)
    return s


def chamfer(a, b):
    """Symmetric chamfer distance of two edge images (lists of rows of 0 and 1), by four nested
    loops.
    """
    points = [
        [(y, x) for y, row in enumerate(image) for x, edge in enumerate(row) if edge]
        for image in (a, b)
    ]

    def directed(one, other):
        total = 0.0
        for p in one:
            total += min(math.dist(p, r) for r in other)
        return total / len(one)

    return directed(points[0], points[1]) + directed(points[1], points[0])


def order(near, far):
    """Eq. 1 of BoostMap."""
    return int(far > near) - int(far < near)


def margin(F, q, a, b):
    """Eq. 2 of BoostMap for a 1D embedding given as a list of values."""
    return abs(F[q] - F[b]) - abs(F[q] - F[a])


def weighted_error(F, triples, y, w):
    """Eqs. 3 and 11 of BoostMap, exactly."""
    pairs = zip(triples, y, grid(w), strict=True)
    return sum(
        (v * abs(int(l) - order(0, margin(F, *triple))) / 2 for triple, l, v in pairs), Fraction(0)
    )


def z_value(u, w, alpha):
    """Eq. 12 of BoostMap with u = y h."""
    return math.fsum(v * math.exp(min(-alpha * x, 500)) for x, v in zip(u, w, strict=True))


def least_z(u, w, least, most, steps=200):
    """Eqs. 13-14 by golden sections: Z is convex. Without a wrong triple Z has no least value; then
    alpha is 52 ln 2 / sum w |u| above `least`.
    """
    if all(x >= 0 for x, v in zip(u, w, strict=True) if v > 0):
        scale = sum(v * abs(x) for x, v in zip(u, w, strict=True))
        alpha = max(least, 0.0) + (52 * math.log(2) / scale if scale else 0.0)
        return z_value(u, w, alpha), alpha
    ratio = (math.sqrt(5) - 1) / 2
    low, high = least, most
    for _ in range(steps):
        one = high - ratio * (high - low)
        two = low + ratio * (high - low)
        if z_value(u, w, one) <= z_value(u, w, two):
            high = two
        else:
            low = one
    return min((z_value(u, w, a), a) for a in (least, (low + high) / 2))


def reference_or_pivots(D, between, h):
    """Eqs. 6 and 8 of BoostMap: the values of a 1D embedding on all objects, as a list."""
    x_1, x_2 = h
    if x_2 < 0:
        return [float(v) for v in D[x_1]]
    length = between[x_2][x_1]
    if length == 0:
        return [0.0] * len(D[x_1])
    return [
        (a * a + length * length - b * b) / (2 * length)
        for a, b in zip(D[x_1], D[x_2], strict=True)
    ]


def training_rounds(D, between, triples, y, d, M_2, draw, rounds):
    """§ 7.3 of BoostMap, step by step: list of (step, h_j, alpha_j, z_j). ``draw(H)`` gives what
    steps 5-7 do.
    """
    w = [1 / len(y)] * len(y)
    H = {}
    log = []
    loss = 1.0

    def u(h):
        F = reference_or_pivots(D, between, h)
        return [l * margin(F, *triple) for l, triple in zip(y, triples, strict=True)]

    for _ in range(rounds):
        # 1
        removals = [
            (z_value(u(h), w, -alpha), place, h) for place, (h, alpha) in enumerate(H.items())
        ]
        # 3
        changes = [
            (*least_z(u(h), w, -alpha, 50), place, h) for place, (h, alpha) in enumerate(H.items())
        ]
        if removals and min(removals)[0] < 1:  # 2
            step = "remove"
            h = min(removals)[2]
            alpha = -H[h]
        elif changes and min(changes)[0] < 0.9999:  # 4
            step = "modify"
            (_, alpha, _, h) = min(changes)
        elif len(H) == d:
            break
        else:
            step = "add"
            C = draw(H)
            # 8
            errors = [weighted_error(reference_or_pivots(D, between, h), triples, y, w) for h in C]
            kept = sorted(range(len(C)), key=lambda i: (errors[i], i))[:M_2]
            _, alpha, i = min((*least_z(u(C[i]), w, 0.0, 50), i) for i in kept)  # 9-10
            h = C[i]
        z = z_value(u(h), w, alpha)  # 11
        if z >= 1:
            break
        w = [v * math.exp(-alpha * x) / z for v, x in zip(w, u(h), strict=True)]  # 12
        H[h] = H.get(h, 0.0) + alpha
        if step == "remove" or H[h] == 0:
            del H[h]
        log.append((step, h, alpha, z))
        loss *= z
        if loss < 1 / len(y):  # no triple is ordered wrong
            break
    return log


def query_sensitive_round(F, triples, y, w, pairs, ranges):
    """§ 8.1 steps 3-7 of BoostMap: (z_j, c, place of V_c) from pairs (c, g) and for each its ranges
    (low, high, in).
    """
    found = []
    for (c, g), V in zip(pairs, ranges, strict=True):
        u = [l * margin(F[c], *triple) for l, triple in zip(y, triples, strict=True)]
        values = [F[g][q] for q, _, _ in triples]
        tried = []
        for place, (low, high, inside) in enumerate(V):
            Q = [
                x if (low <= v < high) == bool(inside) else 0.0
                for x, v in zip(u, values, strict=True)
            ]
            tried.append((least_z(Q, w, 0.0, 200)[0], place))
        found.append((min(tried)[0], c, min(tried)[1]))
    return min(found)


def range_error(cells, F, triples, y, w, wanted):
    """Weighted error of a classifier that is silent outside the wanted cells."""
    total = Fraction(0)
    for (q, a, b), l, v in zip(triples, y, grid(w), strict=True):
        answer = order(0, margin(F, q, a, b)) if cells[q] in wanted else 0
        total += v * abs(int(l) - answer) / 2
    return total
