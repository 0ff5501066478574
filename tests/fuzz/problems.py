"""Small training problems that are hard: ties, constant columns, duplicates, rare classes, labels
of any type. BLAS computes nothing here, so its kernel cannot change a problem.
"""

import numpy as np

NAMES = ("ape", "bee", "cow", "élan")
SCALES = ((-3, 3), (-3, 3), (-3, 3), (-30, 30), (-100, 100))


def training_points(s, most=24):
    """Training points of shape (n, d), n from 4 on, and new points."""
    n, d = s.integer(4, most), s.integer(1, 6)
    s.exponents = s.pick(*SCALES)
    X = s.points(n + s.integer(1, 5), d)
    if s.chance(0.3):
        X[:, s.integer(0, d - 1)] = s.integer(-1, 1)
    if d > 1 and s.chance(0.2):
        X[:, 0] = X[:, 1] * s.pick(1.0, -2.0)
    if s.chance(0.3):
        X[s.array(3, 0, n - 1)] = X[s.array(3, 0, n - 1)]
    return X[:n].copy(), X[n:].copy()


def labels(s, X, most_classes=4):
    """Labels of 2 classes or more, as integers, floats, booleans or strings, in an array or a
    list. Half of the time they go with the points.
    """
    n = len(X)
    classes = s.integer(2, min(most_classes, n // 2))
    if s.chance(0.5):
        codes = np.argsort(np.argsort(X[:, 0], kind="stable"), kind="stable") * classes // n
    else:
        codes = s.rng.choice(classes, n, p=s.rng.dirichlet(np.full(classes, 2.0)))
    codes[s.rng.choice(n, 2 * classes, replace=False)] = np.repeat(np.arange(classes), 2)
    kind = s.integer(0, 5)
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


def similarities(s, X, Q):
    """Similarities among the points, and of new points to them: K and its rows for the new."""
    D = distances(np.concatenate([X, Q]), X)
    K = s.pick(
        lambda: -D,
        lambda: np.exp(-D / (D.mean() or 1.0)),
        lambda: (D <= np.median(D)) - 0.5,  # many ties
        # neither symmetric nor of any sense
        lambda: s.rng.normal(size=D.shape) * s.pick(1.0, 1.0, 1e-6, 1e6),
    )()
    return K[: len(X)].copy(), K[len(X) :].copy()


# --------------------------------------------------------------------- several metrics of LMNN


def _blobs(s):
    """Points, their classes and k; a class may have k + 1 points alone."""
    k = s.integer(1, 3)
    n = s.integer(max(8, 2 * k + 2), 24)
    classes = s.integer(2, min(4, n // (k + 1)))
    least = np.repeat(np.arange(classes), k + 1)
    rest = s.array(n - len(least), 0, s.pick(1, classes) - 1)
    y = np.concatenate([least, rest])
    X = s.rng.normal(size=(n, s.integer(1, 4)))
    X[:, 0] += s.pick(0.0, 0.5, 2.0) * y
    return (np.rint(2 * X) if s.chance(0.3) else X), y, k


def _parts(s, X, y):
    """The part of each point: parts of one or two points, of a class, near to each other, any."""
    n = len(X)
    alone = s.rng.permutation(n)[: s.integer(1, n // 2 - 1)]
    part = np.zeros(n, dtype=np.int64)
    kind = s.integer(0, 5)
    if kind == 0:
        return y
    if kind == 1:
        return s.array(n, 0, s.pick(2, 3, n // 3) - 1)
    if kind == 2:
        return ((X[:, None] - X[alone]) ** 2).sum(axis=2).argmin(axis=1)
    if kind == 3:
        part = y.copy()
        alone = alone[:3]
    part[alone] = 9 + np.arange(len(alone)) // s.pick(1, 2)
    return part


def joint_problem(s):
    """Points, classes, k and parts of a problem of several metrics, some of them degenerate: a
    metric without target neighbours, a part of one point or of equal points, a column that is
    constant in it, and parts of very different scales. The numbers of parts have gaps.
    """
    X, y, k = _blobs(s)
    part = _parts(s, X, y)
    for _ in range(s.integer(0, 3)):
        mine = part == s.pick(*part)
        column = s.integer(0, X.shape[1] - 1)
        kind = s.integer(0, 5)
        if kind == 0:
            X[mine] = X[mine][0]
        elif kind == 1:
            X[mine, column] = s.pick(0.0, 0.1)
        elif kind == 2:
            X[mine] *= 10.0 ** s.integer(-4, 4)
        elif kind == 3:
            X[mine] += 10.0 ** s.integer(0, 4)
        elif kind == 4:
            X[:, column] = 0.1
        else:
            X[s.array(3, 0, len(X) - 1)] = X[s.array(3, 0, len(X) - 1)]
    return X, y, k, part
