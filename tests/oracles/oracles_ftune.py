"""Kar & Jain (2011) by literal loops, from the paper's text alone; imports neither package."""

import math

import numpy as np
from scipy.optimize import minimize


def ramp(x, slope):
    """clip(slope x, -1, 1); an infinite slope is the sign."""
    if x == 0:
        return 0.0
    return min(1.0, max(-1.0, slope * x))


def transferred(K, plus, minus, slopes):
    """f(K(x, x+) - K(x, x-)) for every slope, row and pair, as nested lists."""
    return [
        [[ramp(row[p] - row[m], s) for p, m in zip(plus, minus, strict=True)] for row in K]
        for s in slopes
    ]


def greedy(K, first, d):
    """Algorithm 1, lines 1-5: each time the whole sum, over all that are left; ties to the lowest
    index.
    """
    L = [first]
    T = [x for x in range(len(K)) if x != first]
    for _ in range(2, d + 1):
        best, z = math.inf, None
        for x in T:
            total = 0.0
            for other in L:
                total += K[x][other]
            if total < best:
                best, z = total, x
        L.append(z)
        T.remove(z)
    return L


def G(K, labels, x, f, w):
    """The expectation of eq. 3 over all pairs of other points of the sample."""
    total, count = 0.0, 0
    for a in range(len(labels)):
        for b in range(len(labels)):
            if a == x or labels[a] != labels[x] or labels[b] == labels[x]:
                continue
            total += w[a][b] * f(K[x][a] - K[x][b])
            count += 1
    return total / count


def equation_1(K, labels, x, w):
    """Balcan & Blum: weighted mean similarity to the own class less that to the others."""
    own = [w[a] * K[x][a] for a in range(len(labels)) if a != x and labels[a] == labels[x]]
    others = [w[b] * K[x][b] for b in range(len(labels)) if labels[b] != labels[x]]
    return sum(own) / len(own) - sum(others) / len(others)


def equation_2(d, labels, x, w):
    """Wang, Yang & Feng: how often the point of the own class is the nearer one."""
    total, count = 0.0, 0
    for a in range(len(labels)):
        for b in range(len(labels)):
            if a != x and labels[a] == labels[x] and labels[b] != labels[x]:
                difference = d[x][b] - d[x][a]
                total += w[a] * w[b] * ((difference > 0) - (difference < 0))
                count += 1
    return total / count


def loss(name, margin):
    """L of a margin y g(x)."""
    if name == "logistic":
        return (
            math.log1p(math.exp(-margin)) if margin > 0 else math.log1p(math.exp(margin)) - margin
        )
    short = max(0.0, 1.0 - margin)
    return short if name == "hinge" else short * short


def objective(name, X, y, C, w):
    """|w|^2 / 2 + C sum_i L(y_i w . x_i)."""
    total = 0.0
    for row, label in zip(X, y, strict=True):
        total += loss(name, label * sum(u * v for u, v in zip(w, row, strict=True)))
    return sum(u * u for u in w) / 2 + C * total


def train(name, X, y, C, bias):
    """The w, with that of the constant feature last, of least :func:`objective`, by a general
    method, and its value.
    """
    rows = [[*row, bias] for row in X]
    Z = np.array(rows) * np.array(y)[:, None]

    def value(w):
        m = Z @ w
        if name == "logistic":
            return w @ w / 2 + C * np.logaddexp(0, -m).sum(), w - C * Z.T @ (1 / (1 + np.exp(m)))
        short = np.maximum(0, 1 - m)
        return w @ w / 2 + C * (short**2).sum(), w - 2 * C * Z.T @ short

    found = minimize(
        value,
        np.zeros(Z.shape[1]),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-8, "maxiter": 5000},
    )
    return found.x.tolist(), objective(name, rows, y, C, found.x.tolist())


def adaboost_weights(votes, positive, alphas):
    """Weights before each round and after the last, of given votes 1 and -1 and their alphas."""
    n = len(positive)
    w = [1 / n] * n
    found = []
    for h, alpha in zip(votes, alphas, strict=True):
        found.append(w)
        w = [
            v * math.exp(-alpha if (u > 0) == l else alpha)
            for v, u, l in zip(w, h, positive, strict=True)
        ]
        total = sum(w)
        w = [v / total for v in w]
    return [*found, w]
