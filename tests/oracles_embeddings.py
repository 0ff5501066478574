"""Brute force for the embeddings that BoostMap is compared with: plain loops. Imports neither package."""

import math

import numpy as np

WORDS = ["kitten", "sitting", "mitten", "", "fitting", "kit", "it", "knitting", "sit", "written", "bitter", "butter"]


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
                    table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
                )
    return table[len(a)][len(b)]


def kullback_leibler(p, q):
    """The asymmetric, non-metric divergence of two distributions without zeros."""
    return max(math.fsum(a * math.log(a / b) for a, b in zip(p, q, strict=True)), 0.0)


def lipschitz(row, sets):
    """One object's coordinates from its distances `row` to all database objects."""
    return [min(float(row[r]) for r in R) for R in sets]
