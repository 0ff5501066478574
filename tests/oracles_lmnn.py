"""Nearest neighbours and impostors by brute force, from the paper's text alone; imports neither package."""

import math
from fractions import Fraction


def squared(a, b):
    """Squared distance, the coordinates in their order."""
    total = 0.0
    for u, v in zip(a, b, strict=True):
        total += (u - v) * (u - v)
    return total


def exact_squared(a, b):
    """The same without rounding."""
    return sum(((Fraction(u) - Fraction(v)) ** 2 for u, v in zip(a, b, strict=True)), Fraction(0))


def nearest(X, q, k, skip=-1):
    """The k nearest as (squared distance, index), the lowest index first among equals."""
    return sorted((squared(q, x), i) for i, x in enumerate(X) if i != skip)[:k]


def within(X, q, limit, strict=False, skip=-1):
    """All points within the limit as (index, squared distance)."""
    found = []
    for i, x in enumerate(X):
        d = squared(q, x)
        if i != skip and (d < limit or (d == limit and not strict)):
            found.append((i, d))
    return found


def impostors(X, y, limits):
    """For each point the differently labelled ones within its limit, as (index, squared distance)."""
    return [
        [(l, squared(X[i], X[l])) for l in range(len(X)) if y[l] != y[i] and squared(X[i], X[l]) <= limits[i]]
        for i in range(len(X))
    ]


def eq_7(x_t, c, r):
    """max(||x_t - c|| - r, 0)."""
    return max(math.sqrt(squared(x_t, c)) - r, 0.0)


def scanned_terms(X, q, k, skip=-1):
    """Squares added up by a scan that leaves a point once its sum is beyond the k-th smallest so far (§ 4.2)."""
    kept, terms = [], 0
    for i, x in enumerate(X):
        if i == skip:
            continue
        worst = sorted(kept)[k - 1][0] if len(kept) >= k else math.inf
        total = 0.0
        for u, v in zip(q, x, strict=True):
            total += (u - v) * (u - v)
            terms += 1
            if total > worst:
                break
        else:
            kept.append((total, i))
    return terms
