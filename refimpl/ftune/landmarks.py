"""The choice of landmarks and landmark pairs for FTUNE: at random, or by DSELECT.

Algorithm 1 is in :mod:`refimpl.ftune.algorithm`. The functions here use it for any labels, for
several classes, and for fewer objects than landmarks.

A new object is compared with each landmark in a pair. If all problems draw their pairs from d
common landmarks, this takes d similarities. If each one-vs-all problem has its own pairs or
landmarks, it takes up to 2 d similarities for each problem.
"""

import numpy as np

from refimpl.checks import as_count, as_flag, as_generator, as_kernels
from refimpl.ftune import algorithm
from refimpl.ftune.model import Landmarks
from refimpl.ftune.problems import as_classes, as_landmarks
from refimpl.ftune.similarities import Similarity, as_similarity
from refimpl.resources import check_free_memory
from refimpl.typing import ArrayLike, IntArray, Kernels


def random_landmarks(
    y: ArrayLike, d: int, *, rng: np.random.Generator, pool: bool = False
) -> Landmarks:
    """Draw landmarks and pairs at random: Algorithm 2, line 1.

    By default each one-vs-all problem draws d fresh pairs out of all objects.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels of two classes at least.
    d : int
        The number of landmark pairs for each one-vs-all problem. There is one problem for two
        classes, and one for each class otherwise.
    rng : numpy.random.Generator
    pool : bool, default False
        With False each problem draws its pairs from all objects (§ 2, Theorem 2), and a new object
        is compared with up to 2 d objects for each problem. With True d landmarks are drawn, at
        least one of each class, and each problem draws its pairs from them as in Algorithm 1. Then
        a new object is compared with d objects. With fewer than d objects all are landmarks.

    Returns
    -------
    Landmarks
        `L` holds d random objects, which :func:`refimpl.ftune.bbs` takes as landmarks. With `pool`
        the pairs are drawn from `L`.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    dselect : Select landmarks that are dissimilar to each other.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import random_landmarks
    >>> y = np.array(["a", "b", "a", "b"])
    >>> P = random_landmarks(y, 5, rng=np.random.default_rng(0))
    >>> P.plus.shape, set(y[P.plus[0]].tolist()), set(y[P.minus[0]].tolist())
    ((1, 5), {'b'}, {'a'})
    """
    labels = as_classes(y)
    d = as_count(d, "d")
    rng = as_generator(rng)
    order = rng.permutation(len(labels))
    if not as_flag(pool, "pool"):
        P = landmark_pairs(labels, order, d, rng=rng)  # FT:2:1
        return Landmarks(order[:d], P.plus, P.minus)
    _, first = np.unique(labels[order], return_index=True)  # one of each class, then any
    others = np.delete(order, first)
    L = np.concatenate([order[first], others])[: max(d, len(first))]
    return landmark_pairs(labels, L, d, rng=rng)


def dselect(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    d: int,
    *,
    rng: np.random.Generator,
    by_class: bool | None = None,
    per_problem: bool = False,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Landmarks:
    """Select landmarks that are dissimilar to each other, and pairs of them: DSELECT.

    For two classes this is Algorithm 1 of Kar & Jain (2011) as printed. For more classes each class
    gets a share of the d landmarks by default, as § 2.3 suggests.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        The similarity. Less than n d values are looked up, and up to twice as many if all landmarks
        are of one class and are chosen again. With `per_problem` this is the number for each
        problem.
    y : array_like, shape (n,)
        Labels of two classes at least.
    d : int
        The number of landmarks, and of pairs for each one-vs-all problem. With fewer than d objects
        all are landmarks, and there are still d pairs.
    rng : numpy.random.Generator
    by_class : bool, optional
        Whether each class gets a share of the landmarks, chosen among its own objects. By default
        this is so for more than two classes, and also for two classes if all landmarks would be of
        one class. Shares differ by at most one, unless a class has fewer objects. Each class gets
        at least one landmark.
    per_problem : bool, default False
        Whether each one-vs-all problem runs Algorithm 1 separately and gets d landmarks of its own.
        The classes of `by_class` are then the two sides of the problem. A new object is compared
        with up to d objects for each problem, instead of d objects in all.
    kernels : module, optional
    threads : int, optional

    Returns
    -------
    Landmarks
        Among equally dissimilar objects the first is chosen. With `per_problem` `L` holds the
        landmarks of all problems in turn, each landmark once.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, a similarity is not finite, or with ``by_class=False`` all
        landmarks are of one class.

    See Also
    --------
    diverse_landmarks : Landmarks without labels.
    random_landmarks : Landmarks at random.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import dselect
    >>> x = np.array([0.0, 0.1, 5.0, 5.1])
    >>> K = -np.abs(x[:, None] - x)
    >>> P = dselect(K, [0, 0, 1, 1], 2, rng=np.random.default_rng(0))
    >>> sorted(abs(P.L - P.L[::-1]).tolist())  # one from each end
    [3, 3]
    """
    labels = as_classes(y)
    K = as_similarity(K, len(labels))
    d = as_count(d, "d")
    rng = as_generator(rng)
    kernels = as_kernels(kernels)
    by_class = None if by_class is None else as_flag(by_class, "by_class")
    per_problem = as_flag(per_problem, "per_problem")
    codes = np.unique(labels, return_inverse=True)[1]
    if not per_problem or codes.max() == 1:
        L = _diverse(K, codes, d, rng, by_class, kernels, threads)
        return landmark_pairs(labels, L, d, rng=rng)
    problems = []
    for c in range(codes.max() + 1):
        side = (codes == c).astype(np.int64)
        L = _diverse(K, side, d, rng, by_class, kernels, threads)
        problems.append(landmark_pairs(side, L, d, rng=rng))
    L = np.concatenate([P.L for P in problems])
    L = L[np.sort(np.unique(L, return_index=True)[1])]
    plus = np.concatenate([P.plus for P in problems])
    minus = np.concatenate([P.minus for P in problems])
    return Landmarks(L, plus, minus)


def _diverse(
    K: Similarity,
    codes: IntArray,
    d: int,
    rng: np.random.Generator,
    by_class: bool | None,
    kernels: Kernels,
    threads: int | None,
) -> IntArray:
    """Return landmarks chosen from all objects, or for each class from its own objects."""
    everything = np.arange(len(codes))
    c = codes.max() + 1
    literal = c == 2 if by_class is None else not by_class
    if literal:
        most = min(d, len(codes))
        L = algorithm.diverse(K, everything, most, rng, kernels=kernels, threads=threads)
        if by_class is not None or (codes[L] != codes[L[0]]).any():
            return L
    shares = _shares(np.bincount(codes), d, rng)  # § 2.3: a number of landmarks from each class
    of_classes = []
    for k in range(c):
        T = everything[codes == k]
        L = algorithm.diverse(K, T, int(shares[k]), rng, kernels=kernels, threads=threads)
        of_classes.append(L)
    return np.concatenate(of_classes)


def _shares(sizes: IntArray, d: int, rng: np.random.Generator) -> IntArray:
    """Return the number of landmarks of each class: at least one, and as even as sizes allow."""
    order = rng.permutation(len(sizes))
    shares = np.ones(len(sizes), dtype=np.int64)
    total = min(d, int(sizes.sum()))
    while shares.sum() < total:
        open_ = order[shares[order] < sizes[order]]
        least = open_[shares[open_] == shares[open_].min()]
        shares[least[: total - shares.sum()]] += 1
    return shares


def diverse_landmarks(
    K: Similarity | ArrayLike,
    d: int,
    *,
    rng: np.random.Generator,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> IntArray:
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

    See Also
    --------
    dselect : Landmarks and pairs of labelled objects.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import diverse_landmarks
    >>> x = np.array([0.0, 0.1, 5.0])
    >>> L = diverse_landmarks(-np.abs(x[:, None] - x), 2, rng=np.random.default_rng(0))
    >>> len(L)
    2
    """
    K = as_similarity(K)
    d = as_count(d, "d")
    rng = as_generator(rng)
    everything = np.arange(len(K))
    kernels = as_kernels(kernels)
    return algorithm.diverse(K, everything, min(d, len(K)), rng, kernels=kernels, threads=threads)


def landmark_pairs(y: ArrayLike, L: ArrayLike, d: int, *, rng: np.random.Generator) -> Landmarks:
    """Draw d pairs of different classes out of landmarks: Algorithm 1, lines 6-9.

    Each one-vs-all problem draws its own pairs, with replacement.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels of all training objects.
    L : array_like of int, shape (r,)
        Indices of the landmarks, at least one of each class.
    d : int
    rng : numpy.random.Generator

    Returns
    -------
    Landmarks

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a class has no landmark.

    See Also
    --------
    random_landmarks, dselect : Choose the landmarks too.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import landmark_pairs
    >>> P = landmark_pairs([0, 0, 1, 1], [1, 2], 3, rng=np.random.default_rng(0))
    >>> P.plus.tolist(), P.minus.tolist()
    ([[2, 2, 2]], [[1, 1, 1]])
    """
    labels = as_classes(y)
    places = as_landmarks(L, len(labels), "L")
    d = as_count(d, "d")
    rng = as_generator(rng)
    classes, codes = np.unique(labels, return_inverse=True)
    check_free_memory(32 * d * (len(classes) + 2), "the list of pairs", "pairs")
    problems = []
    for c in range(len(classes) == 2, len(classes)):
        inside = codes[places] == c
        if inside.all() or not inside.any():
            where = "outside" if inside.all() else "of"
            raise ValueError(f"L must have a landmark {where} class {classes[c]}; got none")
        problems.append(algorithm.pairs(places, np.where(codes == c, 1.0, -1.0), d, rng))
    P = np.array(problems)
    return Landmarks(places, P[:, :, 0].copy(), P[:, :, 1].copy())
