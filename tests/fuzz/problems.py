"""Small training problems that are hard: ties, constant columns, duplicates, rare classes, labels
of any type. BLAS computes nothing here, so its kernel cannot change a problem.
"""

import numpy as np

from .hard import hard_reals

NAMES = ("ape", "bee", "cow", "élan")


def points(rng, n, d, exponents):
    """Points in rows, some of them twice."""
    X = hard_reals(rng, (n, d), exponents)
    if n > 1 and rng.random() < 0.3:
        X[rng.integers(n)] = X[rng.integers(n)]
    return X


def one_of(rng, *choices):
    """Draw one of some values as it is; `rng.choice` would turn it into a NumPy scalar."""
    return choices[rng.integers(len(choices))]


def training_points(rng, most=24):
    """Training points of shape (n, d), n from 4 on, and new points."""
    n = int(rng.integers(4, most + 1))
    d = int(rng.integers(1, 7))
    exponents = one_of(rng, (-3, 3), (-3, 3), (-3, 3), (-30, 30), (-100, 100))
    X = points(rng, n + int(rng.integers(1, 6)), d, exponents)
    if rng.random() < 0.3:
        X[:, rng.integers(d)] = rng.integers(-1, 2)
    if d > 1 and rng.random() < 0.2:
        X[:, 0] = X[:, 1] * one_of(rng, 1.0, -2.0)
    if rng.random() < 0.3:
        twice = rng.integers(0, n, 3)
        X[twice] = X[rng.integers(0, n, 3)]
    return X[:n].copy(), X[n:].copy()


def labels(rng, X, most_classes=4):
    """Labels of 2 classes or more, as integers, floats, booleans or strings, in an array or a
    list. Half of the time they go with the points.
    """
    n = len(X)
    classes = int(rng.integers(2, min(most_classes, n // 2) + 1))
    if rng.random() < 0.5:
        codes = np.argsort(np.argsort(X[:, 0], kind="stable"), kind="stable") * classes // n
    else:
        codes = rng.choice(classes, n, p=rng.dirichlet(np.full(classes, 2.0)))
    codes[rng.choice(n, 2 * classes, replace=False)] = np.repeat(np.arange(classes), 2)
    kind = rng.integers(6)
    if kind == 0:
        return codes
    if kind == 1:
        return (codes * 7 - 9).tolist()
    if kind == 2:
        return codes / 2 - 0.25
    if kind == 3 and classes == 2:
        return codes == 1
    named = np.array(NAMES)[codes]
    return named.tolist() if kind == 4 else named


def distances(X, Y):
    """Manhattan distances, shape (len(X), len(Y))."""
    return np.abs(X[:, None] - Y).sum(axis=2)


def similarities(rng, X, Q):
    """Similarities among the points, and of new points to them: K and its rows for the new."""
    everything = np.concatenate([X, Q])
    D = distances(everything, X)
    kind = rng.integers(4)
    if kind == 0:
        K = -D
    elif kind == 1:
        K = np.exp(-D / (D.mean() or 1.0))
    elif kind == 2:  # many ties
        K = (D <= np.median(D)) - 0.5
    else:  # neither symmetric nor of any sense
        K = rng.normal(size=D.shape) * one_of(rng, 1.0, 1.0, 1e-6, 1e6)
    return K[: len(X)].copy(), K[len(X) :].copy()


# --------------------------------------------------------------------- several metrics of LMNN


def _blobs(rng):
    """Points, their classes and k; a class may have k + 1 points alone."""
    k = int(rng.integers(1, 4))
    n = int(rng.integers(max(8, 2 * k + 2), 25))
    classes = int(rng.integers(2, min(4, n // (k + 1)) + 1))
    least = np.repeat(np.arange(classes), k + 1)
    rest = rng.integers(0, one_of(rng, 1, classes), n - len(least))
    y = np.concatenate([least, rest])
    X = rng.normal(size=(n, int(rng.integers(1, 5))))
    X[:, 0] += one_of(rng, 0.0, 0.5, 2.0) * y
    return (np.rint(2 * X) if rng.random() < 0.3 else X), y, k


def _parts(rng, X, y):
    """The part of each point: parts of one or two points, of a class, near to each other, any."""
    n = len(X)
    alone = rng.permutation(n)[: rng.integers(1, n // 2)]
    part = np.zeros(n, dtype=np.int64)
    kind = rng.integers(6)
    if kind == 0:
        return y
    if kind == 1:
        return rng.integers(0, one_of(rng, 2, 3, n // 3), n)
    if kind == 2:
        centres = X[alone]
        return ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    if kind == 3:
        part = y.copy()
        alone = alone[:3]
    part[alone] = 9 + np.arange(len(alone)) // one_of(rng, 1, 2)
    return part


def joint_problem(rng):
    """Points, classes, k and parts of a problem of several metrics, some of them degenerate: a
    metric without target neighbours, a part of one point or of equal points, a column that is
    constant in it, and parts of very different scales. The numbers of parts have gaps.
    """
    X, y, k = _blobs(rng)
    part = _parts(rng, X, y)
    for _ in range(rng.integers(0, 4)):
        mine = part == rng.choice(part)
        column = rng.integers(X.shape[1])
        kind = rng.integers(6)
        if kind == 0:
            X[mine] = X[mine][0]
        elif kind == 1:
            X[mine, column] = one_of(rng, 0.0, 0.1)
        elif kind == 2:
            X[mine] *= 10.0 ** rng.integers(-4, 5)
        elif kind == 3:
            X[mine] += 10.0 ** rng.integers(0, 5)
        elif kind == 4:
            X[:, column] = 0.1
        else:
            X[rng.integers(0, len(X), 3)] = X[rng.integers(0, len(X), 3)]
    return X, y, k, part
