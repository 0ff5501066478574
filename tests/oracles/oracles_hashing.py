"""Brute force for the rivals of the search forest: plain loops over Python numbers. Imports neither
package.
"""

import math

from oracles_lmnn import squared


def differing_bits(a, b):
    """Hamming distance of two codes, rows of words."""
    return sum((int(x) ^ int(y)).bit_count() for x, y in zip(a, b, strict=True))


def nearest_codes(codes, query, k):
    """The k nearest as (distance, index), the lowest index first among equals."""
    return sorted((differing_bits(code, query), i) for i, code in enumerate(codes))[:k]


def codes_within(codes, query, radius):
    """All within the radius, in the same order."""
    return [(d, i) for d, i in nearest_codes(codes, query, len(codes)) if d <= radius]


def nearest_of(x, centres):
    """The first of the nearest centres."""
    squares = [squared(x, c) for c in centres]
    return squares.index(min(squares))


def lloyd(points, centres, iterations):
    """k-means step by step: (centres, nearest centre of each point)."""
    centres = [list(c) for c in centres]
    nearest = [nearest_of(x, centres) for x in points]
    for _ in range(iterations):
        for j in range(len(centres)):
            mine = [x for x, i in zip(points, nearest, strict=True) if i == j]
            if mine:
                sums = [0.0] * len(centres[j])
                for x in mine:
                    sums = [s + value for s, value in zip(sums, x, strict=True)]
                centres[j] = [s / len(mine) for s in sums]
        before = nearest
        nearest = [nearest_of(x, centres) for x in points]
        if nearest == before:
            break
    return centres, nearest


def children(trees, j):
    return list(range(trees["first"][j], trees["last"][j]))


def leaf_points(trees, j):
    return trees["members"][trees["starts"][j] : trees["ends"][j]]


def descend(trees, j, q, aside):
    """From node j to a leaf; what is passed by on the way goes to the list `aside`, as (square,
    node).
    """
    compared = 0
    while children(trees, j):
        squares = sorted((squared(q, trees["centres"][c]), c) for c in children(trees, j))
        compared += len(squares)
        aside += squares[1:]
        j = squares[0][1]
    return j, compared


def best_bin_first(trees, q, most):
    """[(point, leaves opened before)] of the first `most`, and how many centres were compared; a
    list for a queue.
    """
    found = {}
    aside = []
    compared = 0
    opened = 0
    begin = list(trees["roots"])
    while len(found) < most:
        j = begin.pop(0) if begin else aside.pop(aside.index(min(aside)))[1]
        j, count = descend(trees, j, q, aside)
        compared += count
        for point in leaf_points(trees, j):
            if point not in found:
                found[point] = opened
        opened += 1
    return list(found.items())[:most], compared


def votes(buckets, most):
    """[(point, in how many of the lists)], most votes first, then the lowest point."""
    count = {}
    for bucket in buckets:
        for point in bucket:
            count[point] = count.get(point, 0) + 1
    return sorted(count.items(), key=lambda one: (-one[1], one[0]))[:most]


def projection(x, column):
    """x . a, in the order of the coordinates."""
    total = 0.0
    for a, b in zip(x, column, strict=True):
        total += a * b
    return total


def stable_hash(x, a, b, w):
    """h(v) = floor((a . v + b) / w)."""
    return math.floor((projection(x, a) + b) / w)


def lsh_candidates(X, q, functions, k, w, most):
    """Votes of all tables: the functions are (a, b), k of them to a table."""
    tables = [functions[t : t + k] for t in range(0, len(functions), k)]
    agreeing = [
        [
            i
            for i, x in enumerate(X)
            if all(stable_hash(x, a, b, w) == stable_hash(q, a, b, w) for a, b in table)
        ]
        for table in tables
    ]
    return votes(agreeing, most)


def rectangular_eigenfunctions(low, high, bits):
    """(component, k) of the smallest eigenvalues 1 - exp(-(eps k pi / (b - a))^2 / 2), k from 1."""
    found = []
    eps = 1e-3 * max(b - a for a, b in zip(low, high, strict=True))
    for component, (a, b) in enumerate(zip(low, high, strict=True)):
        for k in range(1, bits + 1):
            found.append((-math.expm1(-((eps / (b - a) * k * math.pi) ** 2) / 2), component, k))
    return [(component, k) for _, component, k in sorted(found)[:bits]]


def eigenfunction(x, a, b, k):
    """Phi_k at x on [a, b]."""
    return math.sin(math.pi / 2 + k * math.pi * ((x - a) / (b - a)))


def recall(lists, neighbors, count):
    """The mean share of the true neighbours among the first `count`."""
    shares = [
        len(set(found[:count]) & set(true)) / len(true)
        for found, true in zip(lists, neighbors, strict=True)
    ]
    return sum(shares) / len(shares)
