"""Brute force for the rivals: plain loops over the definitions. Imports neither package."""

import math

import numpy as np


def covariance(X, divisor):
    """Sum of outer products about the mean, divided by `divisor`, entry by entry."""
    n, d = X.shape
    mean = [math.fsum(X[:, a]) / n for a in range(d)]
    C = np.zeros((d, d))
    for a in range(d):
        for b in range(d):
            C[a, b] = (
                math.fsum((X[i, a] - mean[a]) * (X[i, b] - mean[b]) for i in range(n)) / divisor
            )
    return C


def weight_matrices(name, X, labels):
    """{label: W} of a distance with a weight matrix; pseudo-inverses where a covariance is
    singular.
    """
    classes = sorted(set(labels.tolist()))
    members = {c: X[labels == c] for c in classes}
    if name == "L2":
        common = np.eye(X.shape[1])
        return {c: common for c in classes}
    kind = name.removesuffix("D").removesuffix("-")
    if kind == "RCA":
        p = sum(len(G) for G in members.values() if len(G) > 1)
        C = sum(covariance(G, 1) for G in members.values() if len(G) > 1) / p
        covariances = {c: C for c in classes}
    elif kind == "Mah":
        covariances = {c: covariance(X, len(X) - 1) for c in classes}
    else:
        covariances = {c: covariance(G, len(G) - 1) for c, G in members.items()}
    if name.endswith("D"):
        return {c: _inverse_diagonal(C) for c, C in covariances.items()}
    return {c: np.linalg.pinv(C, rcond=1e-12, hermitian=True) for c, C in covariances.items()}


def _inverse_diagonal(C):
    W = np.zeros_like(C)
    for a in range(len(C)):
        if C[a, a] > 1e-20:
            W[a, a] = 1 / C[a, a]
    return W


def distances(name, Y, X, labels):
    """The m x n distances, squared except for L1."""
    W = None if name == "L1" else weight_matrices(name, X, labels)
    out = np.zeros((len(Y), len(X)))
    for a, y in enumerate(Y):
        for b, x in enumerate(X):
            v = y - x
            out[a, b] = sum(abs(v)) if W is None else v @ W[labels.tolist()[b]] @ v
    return out


def nda_scatter(Z, labels, k, alpha):
    """Return Fukunaga's nonparametric between-class scatter over all pairs of classes."""
    n, r = Z.shape
    S = np.zeros((r, r))
    for i in range(n):
        for other in sorted(set(labels.tolist()) - {labels[i]}):
            theirs = sorted((math.dist(Z[i], Z[j]), j) for j in range(n) if labels[j] == other)
            ours = sorted(
                math.dist(Z[i], Z[j]) for j in range(n) if labels[j] == labels[i] and j != i
            )
            local_mean = sum(Z[j] for _, j in theirs[:k]) / k
            d_other = theirs[k - 1][0] ** alpha
            d_own = ours[min(k, len(ours)) - 1] ** alpha
            w = min(d_own, d_other) / (d_own + d_other) if d_own + d_other > 0 else 0.5
            S += w * np.outer(Z[i] - local_mean, Z[i] - local_mean)
    return S / n


def strong_classifier(x, alpha, feature, polarity, threshold):
    """Viola & Jones (2004), Table 1, on one vector: 1 if sum alpha_t h_t >= sum alpha_t / 2, else
    0.
    """
    votes = total = 0.0
    for a, f, p, theta in zip(alpha, feature, polarity, threshold, strict=True):
        votes += a if p * x[f] < p * theta else 0.0
        total += a
    return 1 if votes >= total / 2 else 0
