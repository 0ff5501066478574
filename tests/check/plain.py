"""Algorithm A.2 by plain loops: a correct implementation that the check must not flag."""

from itertools import pairwise

import numpy as np


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
