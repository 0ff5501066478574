"""Brute force for the embeddings that BoostMap is compared with: plain loops. Imports neither
package.
"""

import math

import numpy as np

WORDS = "kitten sitting mitten  fitting kit it knitting sit written bitter butter".split(" ")


def metric_matrix(n, seed=0):
    """Shortest paths in a random weighted graph: a metric that no Euclidean set has."""
    W = np.random.default_rng(seed).uniform(0.1, 3.0, (n, n))
    D = np.minimum(W, W.T)
    np.fill_diagonal(D, 0)
    for k in range(n):
        D = np.minimum(D, D[:, [k]] + D[[k], :])
    return D


def odd_matrix(n, seed=0):
    """Any numbers at all: neither symmetric nor metric."""
    D = np.random.default_rng(seed).uniform(0, 9, (n, n))
    np.fill_diagonal(D, 0)
    return D


def edit_distance(a, b):
    """Levenshtein's distance between two strings, by the full table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                table[i][j] = i + j
            else:
                table[i][j] = min(
                    table[i - 1][j] + 1,
                    table[i][j - 1] + 1,
                    table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                )
    return table[len(a)][len(b)]


def kullback_leibler(p, q):
    """The asymmetric, non-metric divergence of two distributions without zeros."""
    return max(math.fsum(a * math.log(a / b) for a, b in zip(p, q, strict=True)), 0.0)


def lipschitz(row, sets):
    """One object's coordinates from its distances `row` to all database objects."""
    return [min(float(row[r]) for r in R) for R in sets]


class FastMap:
    """Faloutsos & Lin's recursion over levels, object by object, for given pivots."""

    def __init__(self, D, pivots, clip):
        self.D = D
        self.pivots = pivots
        self.clip = clip
        self.memo = {}

    def square(self, x, y, level):
        """D'(x, y)^2 after `level` projections."""
        if level == 0:
            return float(self.D[x][y]) ** 2
        S = (
            self.square(x, y, level - 1)
            - (self.coordinate(x, level - 1) - self.coordinate(y, level - 1)) ** 2
        )
        return max(S, 0.0) if self.clip else S

    def coordinate(self, x, level):
        """The coordinate with number `level` of object x."""
        if (x, level) not in self.memo:
            a, b = self.pivots[level]
            between = self.square(b, a, level)
            projection = self.square(x, a, level) + between - self.square(x, b, level)
            self.memo[x, level] = projection / (2 * math.sqrt(between))
        return self.memo[x, level]


def bilinear_form(D, objects):
    """psi(O_i, O_j) = (D(O_i, O_0)^2 + D(O_j, O_0)^2 - D(O_i, O_j)^2) / 2, the last one averaged
    over directions.
    """
    o = objects[0]
    others = objects[1:]
    psi = np.zeros((len(others), len(others)))
    for a, i in enumerate(others):
        for b, j in enumerate(others):
            psi[a, b] = (D[i][o] ** 2 + D[j][o] ** 2 - (D[i][j] ** 2 + D[j][i] ** 2) / 2) / 2
    return psi


def metricmap_b(row, D, objects):
    """psi(x, O_j) of an object with the distances `row` to all others, for every O_j but the origin
    O_0.
    """
    o = objects[0]
    return [(row[o] ** 2 + D[j][o] ** 2 - row[j] ** 2) / 2 for j in objects[1:]]


def pseudo_euclidean_squares(X, positive):
    """Return squared distances of the rows: the first `positive` columns add, others subtract."""
    n, d = X.shape
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            S[i, j] = math.fsum(
                (1 if c < positive else -1) * (X[i, c] - X[j, c]) ** 2 for c in range(d)
            )
    return S


def sparsemap_references(D, sets, sigma):
    """{reference: its coordinates} by the first heuristic, coordinate after coordinate over all
    references.
    """
    references = sorted({r for R in sets for r in R})
    vectors = {r: [] for r in references}
    for R in sets:
        new = {x: _sparsemap_coordinate(D[x], vectors[x], vectors, R, sigma) for x in references}
        for x in references:
            vectors[x].append(new[x])
    return vectors


def sparsemap(row, sets, sigma, vectors):
    """One object's coordinates, and the references to which exact distances were needed."""
    F = []
    used = set()
    for j, R in enumerate(sets):
        before = {r: vectors[r][:j] for r in R}
        used |= set(_nearest(F, before, R, sigma))
        F.append(_sparsemap_coordinate(row, F, before, R, sigma))
    return F, used


def _nearest(F, vectors, R, sigma):
    return sorted(R, key=lambda r: math.dist(F, vectors[r]))[:sigma]  # sorted() is stable


def _sparsemap_coordinate(row, F, vectors, R, sigma):
    return min(float(row[r]) for r in _nearest(F, vectors, R, sigma))


def greedy_resampling(differences, D, d):
    """The dimensions of least stress, one after the other, with the best common factor."""
    chosen = []
    for _ in range(d):
        best = None
        for j in range(len(differences[0])):
            if j not in chosen:
                delta = [
                    math.sqrt(math.fsum(row[c] ** 2 for c in [*chosen, j])) for row in differences
                ]
                squares = math.fsum(x * x for x in delta)
                c = (
                    math.fsum(x * y for x, y in zip(delta, D, strict=True)) / squares
                    if squares
                    else 0.0
                )
                value = math.fsum((c * x - y) ** 2 for x, y in zip(delta, D, strict=True))
                if best is None or value < best[0] - 1e-12 * (1 + best[0]):
                    best = value, j
        chosen.append(best[1])
    return chosen
