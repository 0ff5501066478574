"""Correct implementations that the check must not flag: Algorithm A.2 by plain loops, and kernels
that add in another order.

VARIANTS maps a name to (kernel, function).
"""

from itertools import pairwise

import numpy as np

from refimpl.check.judging import differences
from refimpl.kernels.losses import weights_of
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import margins

VARIANTS = {}


def variant(kernel):
    """Enter a correct kernel."""

    def enter(function):
        VARIANTS[function.__name__] = (kernel, function)
        return function

    return enter


def middle(a, b, p):
    """Midway between two values, or the value that divides them where no float is between."""
    m = a / 2 + b / 2
    return m if a < m < b else (b if p == 1 else a)


def rounds(P, N, T, *, last=False):
    """Algorithm A.2 by plain loops."""
    X = np.concatenate([P, N])
    l = np.arange(len(X)) < len(P)
    w = np.where(l, 0.5 / len(P), 0.5 / len(N))
    states = []
    for _ in range(T):
        w = w / w.sum()
        best = None
        for f in range(X.shape[1])[:: -1 if last else 1]:
            values = np.unique(X[:, f])
            for p in (1, -1):
                between = [middle(a, b, p) for a, b in pairwise(values)]
                for theta in (-np.inf, *between):
                    error = w[(p * X[:, f] < p * theta) != l].sum()
                    if best is None or error < best[0] - 1e-14:
                        best = error, f, p, theta
        epsilon, f, p, theta = best
        beta = max(epsilon, 2.0**-52) / (1 - max(epsilon, 2.0**-52))
        right = (p * X[:, f] < p * theta) == l
        alpha = np.log(1 / beta)
        updated = w * np.where(right, beta, 1.0)
        state = {"w": w, "f": f, "p": p, "theta": float(theta), "alpha": alpha}
        states.append({**state, "beta": beta, "updated": updated})
        w = updated
    return states


@variant("best_stump")
def every_stump_tried(features, w, l, *, threads=None):
    X, w = differences(features.A, features.B) + 0.0, on_grid(w)
    best = None
    for f in range(X.shape[1]):
        for p in (1, -1):
            for k in range(len(np.unique(X[:, f]))):
                theta = features.threshold(f, k, p)
                error = float(w[(p * X[:, f] < p * theta) != l].sum())
                if best is None or error < best[0]:
                    best = error, f, p, float(theta)
    return best


@variant("add_similarity")
def rounds_backwards(S, Q, X, alpha, feature, polarity, threshold, *, threads=None):
    rounds = list(zip(alpha, feature, polarity, threshold, strict=True))
    for a, f, p, theta in rounds[::-1]:
        S += a * (p * (Q[:, [f]] - X[:, f]) < p * theta)


def answers(F, triples, y, S=None):
    return [
        y * margins(row, triples) * (1 if S is None else S[j][triples[:, 0]])
        for j, row in enumerate(F)
    ]


@variant("z_values")
def sums_of_numpy(F, triples, y, margin, alpha, S=None, *, threads=None):
    u = answers(F, triples, y, S)
    w = weights_of(margin)[0]
    return np.array([(w * np.exp(-a * v)).sum() for a, v in zip(alpha, u, strict=True)])


@variant("margin_sums")
def sums_by_side(F, triples, y, w, *, threads=None):
    rows = []
    for u in answers(F, triples, y):
        sides = [(on_grid(w)[s], np.abs(u[s])) for s in (u > 0, u < 0)]
        sums = [[(v * x**p).sum() for v, x in sides] for p in range(3)]
        rows.append([*np.ravel(sums), *(x.max(initial=0.0) for _, x in sides)])
    return np.array(rows)


@variant("weighted_l1")
def coordinates_backwards(Q, A, X, *, threads=None):
    terms = A[:, np.newaxis] * np.abs(Q[:, np.newaxis] - X)
    return np.ascontiguousarray(terms[:, :, ::-1]).sum(axis=2)


@variant("chamfer_distances")
def distances_not_on_the_grid(A, B, *, threads=None):
    D = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            P, Q = np.argwhere(a), np.argwhere(b)
            d = np.sqrt(((P[:, np.newaxis] - Q) ** 2).sum(axis=2))
            D[i, j] = d.min(axis=0).mean() + d.min(axis=1).mean()
    return D


@variant("matrix_vector")
def product_of_blas(A, v, *, threads=None):
    return A @ v


@variant("vector_matrix")
def product_of_blas_from_left(u, A, *, threads=None):
    return u @ A


@variant("weighted_differences")
def edges_backwards(Z, start, other, edge, weights, *, threads=None):
    sums = np.zeros(Z.shape)
    a = np.repeat(np.arange(len(Z)), np.diff(start))[::-1]
    terms = weights[edge[::-1]][:, np.newaxis] * (Z[a] - Z[other[::-1]])
    np.add.at(sums, a, terms)
    return sums


@variant("pair_distances")
def squares_of_numpy(Z, first, second, *, threads=None):
    return ((Z[first] - Z[second])[:, ::-1] ** 2).sum(axis=1)


@variant("hinge_terms")
def slacks_backwards(targets, pairs, start, h, *, threads=None):
    smooth, hinge = np.zeros((2, len(targets)))
    active = np.zeros(len(targets), dtype=np.int64)
    of_pairs, of_targets = np.zeros(len(pairs)), np.zeros(targets.shape)
    for i in range(len(targets)):
        own = slice(start[i], start[i + 1])
        z = np.maximum(1 + targets[i] - pairs[own, np.newaxis], 0.0)
        slope = np.minimum(z / h, 1.0) if h else (z > 0) + 0.0
        value = np.where(z < h, z * z / (2 * h), z - h / 2) if h else z
        smooth[i], hinge[i] = value.T[::-1].sum(), z.T[::-1].sum()
        active[i] = (z > 0).sum()
        of_pairs[own] = slope.sum(axis=1)
        of_targets[i] = slope[::-1].sum(axis=0)
    return smooth, hinge, active, of_pairs, of_targets


@variant("pair_product")
def product_with_the_matrix(first, second, v, u, *, threads=None):
    V = np.zeros((len(u), len(u)))
    V[first, second] = V[second, first] = v
    return V @ u


@variant("leading_direction")
def direction_of_eigh(x, first, second, v, base, start, tol, *, threads=None):
    M = np.full((len(x), len(x)), base / 2)
    np.fill_diagonal(M, 0.0)
    M[first, second] += v / 2
    M[second, first] += v / 2
    p = np.linalg.eigh(x.T @ M @ x)[1][:, -1]
    return p * np.sign(p[np.abs(p).argmax()])


@variant("projections")
def projections_of_blas(X, A, *, threads=None):
    return X @ A
