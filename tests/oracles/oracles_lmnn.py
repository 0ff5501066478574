"""Nearest neighbours and impostors by brute force, from the paper's text alone; imports neither
package.
"""

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
    """Return each point's neighbours of other labels within its limit: (index, square)."""
    return [
        [
            (l, squared(X[i], X[l]))
            for l in range(len(X))
            if y[l] != y[i] and squared(X[i], X[l]) <= limits[i]
        ]
        for i in range(len(X))
    ]


def eq_7(x_t, c, r):
    """max(||x_t - c|| - r, 0)."""
    return max(math.sqrt(squared(x_t, c)) - r, 0.0)


def scanned_terms(X, q, k, skip=-1):
    """Squares added up by a scan that leaves a point once its sum is beyond the k-th smallest so
    far (§ 4.2).
    """
    kept = []
    terms = 0
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


# ------------------------------------------------------------ §§ 2, 3 and 5: loops over all triples


def squared_under(M, a, b):
    """Eqs. 1 and 8: (a - b)^T M (a - b)."""
    difference = [u - v for u, v in zip(a, b, strict=True)]
    return sum(
        M[r][s] * difference[r] * difference[s]
        for r in range(len(difference))
        for s in range(len(difference))
    )


def target_neighbours(X, y, k):
    """The k nearest of the same class, never the point itself."""
    return [
        [
            j
            for _, j in sorted(
                (squared(X[i], X[j]), j) for j in range(len(X)) if j != i and y[j] == y[i]
            )[:k]
        ]
        for i in range(len(X))
    ]


def triples(X, y, targets, Ms, partition):
    """All (i, j, l, xi_ijl before the hinge), distances to j and l under the metrics of their
    partitions (§ 5.1).
    """
    for i in range(len(X)):
        for j in targets[i]:
            near = squared_under(Ms[partition[j]], X[i], X[j])
            for l in range(len(X)):
                if y[l] != y[i]:
                    yield i, j, l, 1 + near - squared_under(Ms[partition[l]], X[i], X[l])


def objective(X, y, targets, mu, Ms, partition):
    """Eq. 3, or that of § 5.1."""
    pull = sum(
        squared_under(Ms[partition[j]], X[i], X[j]) for i in range(len(X)) for j in targets[i]
    )
    return pull + mu * sum(max(z, 0.0) for *_, z in triples(X, y, targets, Ms, partition))


def gradient(X, y, targets, mu, Ms, partition):
    """Eq. 5 for each metric."""
    d = len(X[0])
    G = [[[0.0] * d for _ in range(d)] for _ in Ms]

    def add(alpha, a, b, weight):
        for r in range(d):
            for s in range(d):
                G[alpha][r][s] += weight * (X[a][r] - X[b][r]) * (X[a][s] - X[b][s])

    for i in range(len(X)):
        for j in targets[i]:
            add(partition[j], i, j, 1.0)
    for i, j, l, z in triples(X, y, targets, Ms, partition):
        if z > 0:
            add(partition[j], i, j, mu)
            add(partition[l], i, l, -mu)
    return G
