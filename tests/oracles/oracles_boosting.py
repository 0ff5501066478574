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


def thresholds(values):
    values = sorted(set(values))
    return [-math.inf] + [(a + b) / 2 for a, b in pairwise(values)]


def best_error(X, w, labels):
    """Least exact weighted error over every feature, polarity and cut, and its first (f, p, theta)."""
    w, best = grid(w), None
    for f in range(len(X[0])):
        for p in (1, -1):
            for theta in thresholds([row[f] for row in X]):
                pairs = zip(X, w, labels, strict=True)
                error = sum((v for row, v, l in pairs if stump(row[f], p, theta) != l), Fraction(0))
                if best is None or error < best[0]:
                    best = (error, f, p, theta)
    return best


def adaboost(P, N, T):
    """Algorithm A.2 with errata BD-1 and BD-3: list of (alpha, f, p, theta)."""
    X, labels = P + N, [1] * len(P) + [0] * len(N)
    w = [1 / (2 * len(P))] * len(P) + [1 / (2 * len(N))] * len(N)
    Phi = []
    for _ in range(T):
        total = math.fsum(w)
        w = [x / total for x in w]
        error, f, p, theta = best_error(X, w, labels)
        epsilon = max(float(error), 2.0**-52)
        beta = epsilon / (1 - epsilon)
        w = [x * (beta if stump(row[f], p, theta) == l else 1) for x, row, l in zip(w, X, labels, strict=True)]
        Phi.append((math.log(1 / beta), f, p, theta))
    return Phi


def pairs(X, labels, C):
    """A.1's sets of differences, by double loop."""
    P, N = [], []
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
    """Symmetric chamfer distance of two edge images (lists of rows of 0 and 1), by four nested loops."""
    points = [[(y, x) for y, row in enumerate(image) for x, edge in enumerate(row) if edge] for image in (a, b)]

    def directed(one, other):
        total = 0.0
        for p in one:
            total += min(math.dist(p, r) for r in other)
        return total / len(one)

    return directed(points[0], points[1]) + directed(points[1], points[0])


def nearest_k(row, k):
    """The k lowest of a row and their indices; of equal ones the lowest index first."""
    order = sorted(range(len(row)), key=lambda j: (row[j], j))[:k]
    return [row[j] for j in order], order


def order(near, far):
    """Eq. 1 of BoostMap."""
    return int(far > near) - int(far < near)


def margin(F, q, a, b):
    """Eq. 2 of BoostMap for a 1D embedding given as a list of values."""
    return abs(F[q] - F[b]) - abs(F[q] - F[a])


def weighted_error(F, triples, y, w):
    """Eqs. 3 and 11 of BoostMap, exactly."""
    pairs = zip(triples, y, grid(w), strict=True)
    return sum((v * abs(int(l) - order(0, margin(F, *triple))) / 2 for triple, l, v in pairs), Fraction(0))


def z_value(u, w, alpha):
    """Eq. 12 of BoostMap with u = y h."""
    return math.fsum(v * math.exp(min(-alpha * x, 500)) for x, v in zip(u, w, strict=True))


def least_z(u, w, least, most, steps=200):
    """Eqs. 13-14 by golden sections: Z is convex."""
    ratio = (math.sqrt(5) - 1) / 2
    low, high = least, most
    for _ in range(steps):
        one, two = high - ratio * (high - low), low + ratio * (high - low)
        if z_value(u, w, one) <= z_value(u, w, two):
            high = two
        else:
            low = one
    return min((z_value(u, w, a), a) for a in (least, (low + high) / 2))


def range_error(cells, F, triples, y, w, wanted):
    """Weighted error of a classifier that is silent outside the wanted cells."""
    total = Fraction(0)
    for (q, a, b), l, v in zip(triples, y, grid(w), strict=True):
        answer = order(0, margin(F, q, a, b)) if cells[q] in wanted else 0
        total += v * abs(int(l) - answer) / 2
    return total
