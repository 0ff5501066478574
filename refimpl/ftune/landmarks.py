"""Which training objects are landmarks, and which pairs of them FTUNE compares: at random, or by DSELECT.

The lines of Algorithm 1 are in :mod:`refimpl.ftune.algorithm`; here they are made fit for any labels, for several
classes and for fewer objects than landmarks.

What a new object costs: it is compared with each landmark that a pair holds. Pairs out of d common landmarks need d
similarities. Fresh pairs, and landmarks for each problem, need up to 2 d for each one-vs-all problem.
"""

import numpy as np

from refimpl.checks import as_count, as_generator, as_kernels, as_labels
from refimpl.ftune import algorithm
from refimpl.ftune.arguments import as_landmarks
from refimpl.ftune.similarities import as_similarity
from refimpl.ftune.space import Landmarks

__all__ = ["diverse_landmarks", "dselect", "landmark_pairs", "random_landmarks"]


def random_landmarks(labels, d, rng, *, pool=False):
    """Draw landmarks and pairs at random: by default d fresh pairs for each problem, as Algorithm 2, line 1 has them.

    Parameters
    ----------
    labels : array_like, shape (n,)
    d : int
        Pairs for each problem: one for two classes, one for each of more classes.
    rng : numpy.random.Generator
    pool : bool
        False: each problem draws its pairs from all objects (§ 2, Theorem 2). A new object is compared with up to 2 d
        others for each problem. True: d landmarks, one of each class at least, out of which each problem draws its
        pairs as Algorithm 1 does. A new object is compared with d others; with fewer objects than d all of them are
        landmarks.

    Returns
    -------
    Landmarks
        `L` holds d random objects, which :func:`refimpl.ftune.bbs` takes; with `pool` the pairs come out of them.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.
    """
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    d, rng = as_count(d, "d"), as_generator(rng)
    order = rng.permutation(len(labels))
    if not pool:
        P = landmark_pairs(labels, order, d, rng)  # FT:2:1
        return Landmarks(order[:d], P.plus, P.minus)
    _, first = np.unique(labels[order], return_index=True)  # one of each class, then any
    others = np.delete(order, first)
    return landmark_pairs(labels, np.concatenate([order[first], others])[: max(d, len(first))], d, rng)


def dselect(K, labels, d, rng, *, by_class=None, per_problem=False, kernels=None, threads=None):
    """Select landmarks that are little similar to each other, and pairs of them: Algorithm 1, DSELECT.

    For two classes this is the algorithm as printed. For more, each class gets its share of d landmarks by default, as
    § 2.3 suggests.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        Less than n d look-ups, and up to twice as many where the landmarks are all of one class and are chosen again;
        with `per_problem` so many for each problem.
    labels : array_like, shape (n,)
        Two classes at least.
    d : int
        Landmarks, and pairs for each problem. With fewer objects all of them are landmarks, and there are d pairs.
    rng : numpy.random.Generator
    by_class : bool, optional
        Whether each class gets its share of the landmarks, chosen within it. By default for more than two classes, and
        where the landmarks of two are all of one class. Shares differ by one at most, unless a class has fewer objects;
        each has one landmark at least.
    per_problem : bool
        Whether each one-vs-all problem runs Algorithm 1 for itself and has d landmarks of its own; `by_class` then
        speaks of its two sides. A new object is compared with up to d others for each problem, instead of d for all.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional

    Returns
    -------
    Landmarks
        Of equally dissimilar objects the first is taken. With `per_problem` `L` holds the landmarks of one problem
        after those of another, each once.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a similarity is not finite.
    """
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    K, d, rng, kernels = as_similarity(K, len(labels)), as_count(d, "d"), as_generator(rng), as_kernels(kernels)
    codes = np.unique(labels, return_inverse=True)[1]
    if not per_problem or codes.max() == 1:
        return landmark_pairs(labels, _diverse(K, codes, d, rng, by_class, kernels, threads), d, rng)
    found = []
    for c in range(codes.max() + 1):
        side = (codes == c).astype(np.int64)
        found.append(landmark_pairs(side, _diverse(K, side, d, rng, by_class, kernels, threads), d, rng))
    L = np.concatenate([P.L for P in found])
    L = L[np.sort(np.unique(L, return_index=True)[1])]
    return Landmarks(L, *(np.concatenate([getattr(P, side) for P in found]) for side in ("plus", "minus")))


def _diverse(K, codes, d, rng, by_class, kernels, threads):
    """Landmarks for the classes 0, 1, ...: out of all objects, or each class's share out of its own."""
    everything = np.arange(len(codes))
    c = codes.max() + 1
    literal = c == 2 if by_class is None else not by_class
    if literal:
        L = algorithm.diverse(K, everything, min(d, len(codes)), rng, kernels=kernels, threads=threads)
        if by_class is not None or (codes[L] != codes[L[0]]).any():
            return L
    shares = _shares(np.bincount(codes), d, rng)  # § 2.3: a number of landmarks from each class
    classes = [
        algorithm.diverse(K, everything[codes == k], shares[k], rng, kernels=kernels, threads=threads) for k in range(c)
    ]
    return np.concatenate(classes)


def _shares(sizes, d, rng):
    """How many landmarks each class gets: one at least, all objects at most, else as evenly as can be."""
    order = rng.permutation(len(sizes))
    shares = np.ones(len(sizes), dtype=np.int64)
    while shares.sum() < min(d, sizes.sum()):
        open_ = order[shares[order] < sizes[order]]
        least = open_[shares[open_] == shares[open_].min()]
        shares[least[: d - shares.sum()]] += 1
    return shares


def diverse_landmarks(K, d, rng, *, kernels=None, threads=None):
    """Select landmarks without labels, for BBS: Algorithm 1, lines 1-5.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
    d : int
        With fewer objects all of them are landmarks.
    rng : numpy.random.Generator
    kernels : module, optional
    threads : int, optional

    Returns
    -------
    ndarray, shape (min(d, n),), int64
        In the order of their choice.

    Raises
    ------
    TypeError, ValueError
        As :func:`dselect`.
    """
    K, d, rng = as_similarity(K), as_count(d, "d"), as_generator(rng)
    everything = np.arange(len(K))
    return algorithm.diverse(K, everything, min(d, len(K)), rng, kernels=as_kernels(kernels), threads=threads)


def landmark_pairs(labels, L, d, rng):
    """Draw d pairs of different classes out of given landmarks, with replacement: Algorithm 1, lines 6-9.

    Parameters
    ----------
    labels : array_like, shape (n,)
        Of all training objects.
    L : array_like of int, shape (r,)
        Landmarks; one of each class at least.
    d : int
    rng : numpy.random.Generator

    Returns
    -------
    Landmarks

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a class has no landmark.
    """
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    L, d, rng = as_landmarks(L, len(labels), "L"), as_count(d, "d"), as_generator(rng)
    classes = np.unique(labels)
    found = []
    for c in classes[1:] if len(classes) == 2 else classes:
        inside = labels[L] == c
        if inside.all() or not inside.any():
            raise ValueError(f"L has no landmark {'outside' if inside.all() else 'of'} class {c}; add one")
        found.append(algorithm.pairs(L, np.where(labels == c, 1.0, -1.0), d, rng))
    P = np.array(found)
    return Landmarks(L, P[:, :, 0].copy(), P[:, :, 1].copy())
