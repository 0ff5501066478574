"""The Boosted Search Forest by brute force, from the paper's text alone; imports neither package.

A tree is a nested tuple: ("leaf", name) or (p, b, left, right), where p^T x + b > 0 goes left.
Similarities S are nested lists of 0 and 1; a pair is two different points, in either order. x~ of
eq. 18 is [x, 1] or, with another last entry, has the coordinates of a node's points from their
mean, in units of their spread, and this entry.
"""

import math

import numpy as np
from scipy.optimize import minimize_scalar


def pairs(n):
    return [(i, j) for i in range(n) for j in range(n) if i != j]


def leaf(tree, x):
    """The name of the leaf that x reaches."""
    while tree[0] != "leaf":
        p, b, left, right = tree
        tree = left if sum(u * v for u, v in zip(p, x, strict=True)) + b > 0 else right
    return tree[1]


def ensemble(leaves, c):
    """Eq. 8: T[i][j] from the leaves of each tree, leaves[m][i], and the weights c[m]."""
    n = len(leaves[0])
    T = [[0.0] * n for _ in range(n)]
    for of_tree, c_m in zip(leaves, c, strict=True):
        for i, j in pairs(n):
            T[i][j] += c_m * (of_tree[i] == of_tree[j])
    return T


def quality_and_cost(T, S):
    """Eqs. 1 and 2, every point being a query."""
    Q = sum(S[i][j] for i, j in pairs(len(S)) if T[i][j] > 0)
    C = sum(1 for i, j in pairs(len(S)) if T[i][j] > 0)
    return Q, C


def objective(T, S, lam):
    """Eq. 4."""
    Q, C = quality_and_cost(T, S)
    return Q - lam * C


def loss(T, S, lam):
    """Eq. 7, as a sum."""
    return sum(math.exp(-(S[i][j] - lam) * T[i][j]) for i, j in pairs(len(S)))


def weight(T, similar, lam):
    """Eq. 10, as printed in its two cases."""
    return math.exp(-(1 - lam) * T) if similar else math.exp(lam * T)


def tree_objective(leaves, T, S, lam):
    """Eq. 17."""
    return sum(
        weight(T[i][j], S[i][j], lam) * (S[i][j] - lam)
        for i, j in pairs(len(S))
        if leaves[i] == leaves[j]
    )


def masses(leaves, T, S, lam):
    """The weights of the similar and of the dissimilar pairs within leaves."""
    mass = [0.0, 0.0]
    for i, j in pairs(len(S)):
        if leaves[i] == leaves[j]:
            mass[1 - S[i][j]] += weight(T[i][j], S[i][j], lam)
    return tuple(mass)


def best_c(similar, dissimilar, lam):
    """The minimum of eq. 14 over c >= 0 by search; the pairs with t = 0 add a constant."""
    found = minimize_scalar(
        lambda c: math.exp(-c * (1 - lam)) * similar + math.exp(c * lam) * dissimilar,
        bounds=(0.0, 60.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return found.x


def leading(tilde, M):
    """Eq. 18: the leading eigenvector of the points' matrix, x~ for each point."""
    total = np.zeros((len(tilde[0]),) * 2)
    for i, j in pairs(len(tilde)):
        total += M[i][j] * np.outer(tilde[i], tilde[j])
    return np.linalg.eigh((total + total.T) / 2)[1][:, -1].tolist()


def node_coordinates(X, last):
    """x~ of a node's points, their mean and their spread: the root of the mean squared distance
    from the mean.
    """
    n = len(X)
    d = len(X[0])
    mean = [sum(x[c] for x in X) / n for c in range(d)]
    spread = math.sqrt(sum((x[c] - mean[c]) ** 2 for x in X for c in range(d)) / n) or 1.0
    return [[(x[c] - mean[c]) / spread for c in range(d)] + [last] for x in X], mean, spread


def plane(X, M, last=None):
    """Eq. 18: p and b, for p^T x + b in the coordinates of X."""
    if last is None:
        *p, b = leading([[*x, 1.0] for x in X], M)
        return p, b
    tilde, mean, spread = node_coordinates(X, last)
    *p, b = leading(tilde, M)
    return p, spread * last * b - sum(u * v for u, v in zip(p, mean, strict=True))


def grown(X, M, rows, depth, least):
    """Algorithm 2 for the points `rows`, one branch after the other; a leaf's name is its points.

    A rise of eq. 17 counts if it is above `least` for each pair.
    """
    own = [[M[i][j] for j in rows] for i in rows]
    if depth == 0 or len(rows) == 1:
        return ("leaf", tuple(rows))
    p, b = plane([X[i] for i in rows], own)
    left = [i for i in rows if sum(u * v for u, v in zip(p, X[i], strict=True)) + b > 0]
    right = [i for i in rows if i not in left]

    def J(part):
        return sum(M[i][j] for i in part for j in part if i != j)

    if not J(left) + J(right) - J(rows) > least * len(rows) * (len(rows) - 1):
        return ("leaf", tuple(rows))
    parts = (grown(X, M, part, depth - 1, least) for part in (left, right))
    return (p, b, *parts)


def leaves_of(tree, n):
    """The leaf of each of n training points, by its name."""
    if tree[0] == "leaf":
        return {i: tree[1] for i in tree[1]}
    return leaves_of(tree[2], n) | leaves_of(tree[3], n)


def boosted(X, S, M, lam, depth=16):
    """Algorithm 1 with Algorithm 2: [(tree, c)] for at most M trees, until one repeats the last."""
    n = len(X)
    found = []
    before = None
    T = [[0.0] * n for _ in range(n)]
    for _ in range(M):
        W = [[weight(T[i][j], S[i][j], lam) * (S[i][j] - lam) for j in range(n)] for i in range(n)]
        tree = grown(X, W, list(range(n)), depth, 1e-9 * lam)
        of_points = leaves_of(tree, n)
        if of_points == before:
            break
        before = of_points
        leaves = [of_points[i] for i in range(n)]
        similar, dissimilar = masses(leaves, T, S, lam)
        ratio = (1 - lam) * similar / (lam * max(dissimilar, 1.0))
        if ratio <= 1:
            break
        found.append((tree, math.log(ratio)))
        for i, j in pairs(n):
            T[i][j] += math.log(ratio) * (leaves[i] == leaves[j])
    return found


def selected(query_leaves, leaves, c):
    """X_q with T(q, x), largest first, then the lowest point: [(T, x)]. leaves[x][m] is a point's
    leaf in tree m.
    """
    found = []
    for x, mine in enumerate(leaves):
        T = 0.0
        for a, b, c_m in zip(query_leaves, mine, c, strict=True):
            T += c_m if a == b else 0.0
        if T > 0:
            found.append((T, x))
    return sorted(found, key=lambda one: (-one[0], one[1]))
