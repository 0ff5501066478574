"""Triples (q, a, b) to train on: BoostMap of Athitsos, Alon, Sclaroff & Kollios (2005), §§ 3.2 and 10.

A triple whose two distances are equal has no label; such triples are drawn anew.

Not handled here: the printed steps (:mod:`refimpl.boostmap.algorithm`), distances to compute (:mod:`refimpl.spaces`).
"""

import numpy as np

from refimpl.boostmap import algorithm
from refimpl.boostmap.algorithm import classification_error, distinct_pairs, neighbours, proximity_order
from refimpl.checks import as_count, as_labels, as_matrix

__all__ = ["classification_error", "nearby_triples", "proximity_order", "random_triples", "selective_triples"]
IN_VAIN = 10_000  # draws without a single label after which there seems to be none


def random_triples(D, t, rng):
    """Draw t triples of different objects, uniformly, whose two distances differ: "Ra" of § 11.

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
    return _draw(t, lambda count: algorithm.random_triples(len(D), count, rng), D)


def nearby_triples(D, k_most, t, rng, Phi=None):
    """Draw t triples with a and b among the k' nearest neighbours of q: § 10 without classes.

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
    nearest = neighbours(D, np.zeros(len(D)), same=True)

    def draw(count):
        q = rng.integers(len(D), size=count)
        pairs = distinct_pairs(k_most, count, rng)
        return np.column_stack([q, nearest[q, pairs[:, 0]], nearest[q, pairs[:, 1]]])

    return _draw(t, draw, Phi)


def selective_triples(D, labels, k_most, t, rng, Phi=None):
    """Draw t triples of a near object of q's class and one of the other classes: § 10 steps 1-5, p. 16.

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
    alike, others = neighbours(D, members, same=True), neighbours(D, members, same=False)
    sizes = np.bincount(members)[members]
    if sizes.min() < 2:
        raise ValueError(f"labels: class {labels[sizes.argmin()]!r} has one object; a triple needs two of q's class")

    def draw(count):
        return algorithm.selective_triples(alike, others, len(classes), k_most, count, rng)

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


def _labelling(Phi, D):
    """Return the checked matrix that labels triples: D itself unless there is another."""
    Phi = D if Phi is None else _checked(Phi, "Phi")
    if Phi.shape != D.shape:
        raise ValueError(f"Phi has shape {Phi.shape}; it must be that of D, {D.shape}")
    return Phi


def _checked(D, name):
    D = as_matrix(D, name)
    if len(D) != D.shape[1] or len(D) < 3:
        raise ValueError(f"{name} has shape {D.shape}; it must hold the distances between n objects, n >= 3")
    return D
