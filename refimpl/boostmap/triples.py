"""Triples (q, a, b) to train on: BoostMap of Athitsos, Alon, Sclaroff & Kollios (2005), §§ 3.2 and 10.

What the paper leaves open is read here so:

* A triple whose two distances are equal has no label; such triples are drawn anew.
* r is drawn from (M - 1) k, ..., (M - 1) k + M - 1 for M classes; the paper prints it for M = 10.
* Where a class has too few objects, its farthest is taken.

Not handled here: distances to compute (:mod:`refimpl.spaces`).
"""

import numpy as np

from refimpl.checks import as_count, as_labels, as_matrix

IN_VAIN = 10_000  # draws without a single label after which there seems to be none

# ------------------------------------------------------------------------------------------------ § 3.2


def proximity_order(near, far):
    """P_X(q, x_1, x_2) from the distances D(q, x_1) and D(q, x_2): 1, 0 or -1. Eq. 1, p. 4.

    Parameters
    ----------
    near, far : array_like of float, of one shape
        D(q, x_1) and D(q, x_2).

    Returns
    -------
    ndarray, float64, of the same shape
    """
    return np.sign(np.asarray(far, dtype=np.float64) - np.asarray(near, dtype=np.float64))


def classification_error(P, H):
    """G averaged over triples, from their proximity orders P and a classifier's answers H: eqs. 3-4."""
    return float(np.mean(np.abs(P - np.sign(H)) / 2))


# --------------------------------------------------------------------------------------------------- § 10


def random_triples(D, t, rng):
    """t triples of different objects, uniformly, whose two distances differ: "Ra" of § 11.

    Parameters
    ----------
    D : array_like, shape (n, n)
        D[q, x] = D_X(q, x), or Phi_X(q, x).
    t : int
    rng : numpy.random.Generator

    Returns
    -------
    triples : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64
        1 or -1.

    Raises
    ------
    ValueError
        If D is not square, has fewer than three objects, or orders no triple.
    """
    D, t = _checked(D, "D"), as_count(t, "t")
    return _draw(t, lambda count: _distinct_triples(len(D), count, rng), D)


def nearby_triples(D, k_most, t, rng, Phi=None):
    """t triples with a and b among the k' nearest neighbours of q: § 10 without classes.

    Parameters
    ----------
    D : array_like, shape (n, n)
        D[q, x] = D_X(q, x): who is near.
    k_most : int
        k', at least 2 and less than n.
    t : int
    rng : numpy.random.Generator
    Phi : array_like, shape (n, n), optional
        Distance that labels the triples, D by default ("Fe"); for "Pa", Phi_X.

    Returns
    -------
    triples : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64
    """
    D, t, k_most = _checked(D, "D"), as_count(t, "t"), as_count(k_most, "k_most", 2)
    Phi = _labelling(Phi, D)
    if k_most >= len(D):
        raise ValueError(f"k_most is {k_most}; it must be at most {len(D) - 1}, as D has {len(D)} objects")
    nearest = _neighbours(D, np.zeros(len(D), dtype=np.int64), np.ones((1, 1), dtype=bool))

    def draw(count):
        q = rng.integers(len(D), size=count)
        pairs = distinct_pairs(k_most, count, rng)
        return np.column_stack([q, nearest[q, pairs[:, 0]], nearest[q, pairs[:, 1]]])

    return _draw(t, draw, Phi)


def selective_triples(D, labels, k_most, t, rng, Phi=None):
    """t triples of a near object of q's class and one of the other classes: § 10 steps 1-5, p. 16.

    Parameters
    ----------
    D : array_like, shape (n, n)
        D[q, x] = D_X(q, x): who is near.
    labels : array_like, shape (n,)
        Classes, M >= 2 of them, each with at least two objects.
    k_most : int
        k'.
    t : int
    rng : numpy.random.Generator
    Phi : array_like, shape (n, n), optional
        Distance that labels the triples, D by default ("Fe"); for "Pa", Phi_X.

    Returns
    -------
    triples : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64

    Raises
    ------
    ValueError
        If shapes do not fit, or a class has one object only.
    """
    D, t, k_most = _checked(D, "D"), as_count(t, "t"), as_count(k_most, "k_most")
    Phi = _labelling(Phi, D)
    labels = as_labels(labels, len(D), "labels", min_classes=2)
    classes, members = np.unique(labels, return_inverse=True)
    M = len(classes)
    same = np.eye(M, dtype=bool)
    alike, others = _neighbours(D, members, same), _neighbours(D, members, ~same)
    sizes = np.bincount(members)[members]
    if sizes.min() < 2:
        raise ValueError(f"labels: class {labels[sizes.argmin()]!r} has one object; a triple needs two of q's class")

    def draw(count):
        q = rng.integers(len(D), size=count)  # step 1
        k = rng.integers(1, k_most + 1, size=count)  # step 2
        k = np.minimum(k, sizes[q] - 1)
        a = alike[q, k - 1]  # step 3
        r = (M - 1) * k + rng.integers(0, M, size=count)  # step 4, ERRATUM BM-5
        r = np.minimum(r, len(D) - sizes[q])
        return np.column_stack([q, a, others[q, r - 1]])  # step 5

    return _draw(t, draw, Phi)


def _draw(t, draw, D):
    """Draw until t triples have a label; D labels them."""
    found, in_vain = np.empty((0, 3), dtype=np.int64), 0
    while len(found) < t:
        new = draw(2 * (t - len(found)))
        in_vain += len(new)
        new = new[D[new[:, 0], new[:, 1]] != D[new[:, 0], new[:, 2]]]
        in_vain *= len(new) == 0  # the last few that are missing are drawn in small numbers, which may all be ties
        if in_vain > IN_VAIN:
            raise ValueError(f"D: of {in_vain} triples drawn, none has two different distances")
        found = np.concatenate([found, new])[:t]
    return found.astype(np.int32), proximity_order(D[found[:, 0], found[:, 1]], D[found[:, 0], found[:, 2]])


def _distinct_triples(n, count, rng):
    q, a = distinct_pairs(n, count, rng).T
    b = rng.integers(n - 2, size=count)
    low, high = np.minimum(q, a), np.maximum(q, a)
    b = b + (b >= low)
    return np.column_stack([q, a, b + (b >= high)])


def _neighbours(D, members, wanted):
    """For every object the others of the wanted classes, nearest first, ties by index; rows filled up with -1."""
    order = np.full((len(D), len(D)), -1, dtype=np.int32)
    for q in range(len(D)):
        near = np.argsort(D[q], kind="stable")
        near = near[wanted[members[q]][members[near]] & (near != q)]
        order[q, : len(near)] = near
    return order


def distinct_pairs(n, m, rng):
    """m ordered pairs of different numbers below n, drawn independently: ndarray, shape (m, 2)."""
    first = rng.integers(n, size=m)
    second = rng.integers(n - 1, size=m)
    return np.stack([first, second + (second >= first)], axis=1)


def _labelling(Phi, D):
    """The checked matrix that labels triples: D itself unless there is another."""
    Phi = D if Phi is None else _checked(Phi, "Phi")
    if Phi.shape != D.shape:
        raise ValueError(f"Phi has shape {Phi.shape}; it must be that of D, {D.shape}")
    return Phi


def _checked(D, name):
    D = as_matrix(D, name)
    if len(D) != D.shape[1] or len(D) < 3:
        raise ValueError(f"{name} has shape {D.shape}; it must hold the distances between n objects, n >= 3")
    return D
