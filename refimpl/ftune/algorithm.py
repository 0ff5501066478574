"""Kar & Jain, "Similarity-based Learning via Data Driven Embeddings" (NIPS 2011): its algorithms.

The algorithms are as printed, in this order. Algorithm 1 is DSELECT; its two loops are
:func:`diverse` and :func:`pairs`. Algorithm 2 is FTUNE; :func:`random_pairs` and :func:`TRAIN`,
which the paper leaves open, stand before it. Then come the one-vs-all forms FTUNE-M and FTUNE-S of
§ 3, and BBS. Training objects are given by their indices. K is a
:class:`refimpl.ftune.similarities.Similarity`.

Not handled here: checks, similarities beyond [-1, 1], the choice of C and f on a validation set,
and class weights. :func:`refimpl.ftune.ftune`, :func:`refimpl.ftune.bbs` and
:func:`refimpl.ftune.dselect` handle these.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

import refimpl.kernels
from refimpl.arrays import for_kernel
from refimpl.ftune.linear_models import LinearModel, LossName, loss, train
from refimpl.ftune.similarities import Similarity
from refimpl.ftune.space import TransferFunction, landmarked
from refimpl.typing import FloatArray, IntArray, Kernels, Labels

__all__ = [
    "TRAIN",
    "Phi",
    "bbs",
    "diverse",
    "dselect",
    "ftune",
    "ftune_m",
    "ftune_s",
    "g",
    "one_vs_all",
    "pairs",
    "random_pairs",
]

Select: TypeAlias = Callable[[Similarity, FloatArray, int, Generator], IntArray]
"""A function of K, l, d and rng that returns landmark pairs, shape (d, 2)."""


# ---------------------------------------------------------------------- Algorithm 1, DSELECT, § 2.3


def dselect(
    K: Similarity,
    T: IntArray,
    l: FloatArray,
    d: int,
    rng: Generator,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> tuple[IntArray, IntArray]:
    """Select d landmarks that are dissimilar to each other, and d pairs of them: Algorithm 1.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity
    T : ndarray, shape (n_T,), int64
        The training set, as indices.
    l : ndarray, shape (n,), float64
        Labels 1 and -1 of all training objects.
    d : int
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional

    Returns
    -------
    L : ndarray, shape (d,), int64
        Landmarks, for BBS.
    P : ndarray, shape (d, 2), int64
        Landmark pairs, for FTUNE.

    See Also
    --------
    refimpl.ftune.dselect : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> from refimpl.ftune.similarities import Similarity
    >>> K = Similarity(np.kron(np.eye(2), np.ones((2, 2))))
    >>> l = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> L, P = algorithm.dselect(K, np.arange(4), l, 2, np.random.default_rng(0))
    >>> sorted((L // 2).tolist()), P.shape  # one of each block
    ([0, 1], (2, 2))
    """
    T, l = for_kernel(T, np.int64), for_kernel(l)
    L = diverse(K, T, d, rng, kernels=kernels, threads=threads)
    P = pairs(L, l, d, rng)
    return L, P  # FT:1:10


def diverse(
    K: Similarity,
    T: IntArray,
    d: int,
    rng: Generator,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> IntArray:
    """Select the d landmarks of Algorithm 1, lines 1-5.

    Parameters
    ----------
    K, T, d, rng, kernels, threads
        As for :func:`dselect`.

    Returns
    -------
    L : ndarray, shape (d,), int64
        Elements of T, in the order of their choice.

    See Also
    --------
    refimpl.ftune.diverse_landmarks : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> from refimpl.ftune.similarities import Similarity
    >>> K = Similarity(np.kron(np.eye(2), np.ones((2, 2))))
    >>> L = algorithm.diverse(K, np.arange(4), 2, np.random.default_rng(0))
    >>> sorted((L // 2).tolist())
    [0, 1]
    """
    z = int(rng.integers(len(T)))  # FT:1:1
    L = [z]
    taken = np.zeros(len(T), dtype=bool)
    taken[z] = True  # ERRATUM FT-1
    sums = np.zeros(len(T))
    for _ in range(2, d + 1):  # FT:1:2
        z = kernels.least_similar(sums, K.within(T, T[[z]])[:, 0], taken, threads=threads)  # FT:1:3
        L.append(z)  # FT:1:4
        taken[z] = True  # FT:1:4  T without z
    return T[L]


def pairs(L: IntArray, l: FloatArray, d: int, rng: Generator) -> IntArray:
    """Draw d pairs of an object of L labelled 1 and one labelled -1: Algorithm 1, lines 6-9.

    Parameters
    ----------
    L : ndarray, shape (r,), int64
        Landmarks to draw from, as indices.
    l, d, rng
        As for :func:`dselect`.

    Returns
    -------
    P : ndarray, shape (d, 2), int64

    See Also
    --------
    refimpl.ftune.landmark_pairs : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> l = np.array([-1.0, 1.0, 1.0])
    >>> algorithm.pairs(np.array([0, 2]), l, 2, np.random.default_rng(0)).tolist()
    [[2, 0], [2, 0]]
    """
    plus = L[l[L] == 1]
    minus = L[l[L] == -1]
    z_1 = plus[rng.integers(len(plus), size=d)]  # FT:1:6, FT:1:7  d times, with replacement
    z_2 = minus[rng.integers(len(minus), size=d)]  # FT:1:7
    return np.column_stack([z_1, z_2])  # FT:1:8


# ------------------------------------------------------------------------ Algorithm 2, FTUNE, § 2.1


def random_pairs(K: Similarity, l: FloatArray, d: int, rng: Generator) -> IntArray:
    """Draw d pairs at random, as in § 2 and Theorem 2.

    Parameters
    ----------
    K, l, d, rng
        As for :func:`dselect`.

    Returns
    -------
    P : ndarray, shape (d, 2), int64

    See Also
    --------
    refimpl.ftune.random_landmarks : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> l = np.array([-1.0, 1.0])
    >>> algorithm.random_pairs(None, l, 2, np.random.default_rng(0)).tolist()  # K is not used
    [[1, 0], [1, 0]]
    """
    return pairs(np.arange(len(l)), l, d, rng)  # open: pairs


def TRAIN(Phi: FloatArray, l: FloatArray, L: LossName) -> LinearModel:
    """Train w to minimise |w|^2 / 2 + C sum L(l w . Phi), the large margin classifier of § 2.1.

    Parameters
    ----------
    Phi : ndarray, shape (n, d), float64
        The training objects in the landmarked space.
    l : ndarray, shape (n,), float64
        Labels 1 and -1.
    L : {"squared_hinge", "hinge", "logistic"}

    Returns
    -------
    refimpl.ftune.linear_models.LinearModel

    See Also
    --------
    refimpl.ftune.linear_models.train : The same for any C and bias.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> w = algorithm.TRAIN(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), "hinge")
    >>> w.converged, w.w.round(2).tolist()
    (True, [1.0])
    """
    C = 1.0  # open: penalty
    bias = 1.0  # open: bias
    return train(Phi, l, C, loss=L, bias=bias)


def Phi(S: FloatArray, f: TransferFunction, kernels: Kernels) -> FloatArray:
    """Return Phi_L(x) of § 2 under f.

    Parameters
    ----------
    S : ndarray, shape (m, 2 d), float64
        K to all x_i^+ and then to all x_i^-.
    f : float or callable
    kernels : module

    Returns
    -------
    ndarray, shape (m, d), float64

    See Also
    --------
    refimpl.ftune.landmarked : The same for a family of f.

    Examples
    --------
    >>> import numpy as np
    >>> import refimpl.kernels
    >>> from refimpl.ftune import algorithm
    >>> algorithm.Phi(np.array([[0.5, 0.25]]), np.inf, refimpl.kernels)
    array([[1.]])
    """
    d = S.shape[1] // 2
    space: FloatArray
    (space,) = landmarked(S, np.arange(d), np.arange(d, 2 * d), [f], kernels=kernels)  # FT:phi
    return space


def g(
    S: FloatArray, f: TransferFunction, w: LinearModel, *, kernels: Kernels = refimpl.kernels
) -> FloatArray:
    """Return g(x) of Theorem 2 for new objects.

    Parameters
    ----------
    S, f, kernels
        As for :func:`Phi`, of the new objects.
    w : refimpl.ftune.linear_models.LinearModel

    Returns
    -------
    ndarray, shape (m,), float64

    See Also
    --------
    refimpl.ftune.LandmarkClassifier.decision : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> from refimpl.ftune.linear_models import LinearModel
    >>> w = LinearModel(np.array([2.0]), 0.5, 0.0, 0.0, 0, True)
    >>> algorithm.g(np.array([[0.5, 0.25]]), 1.0, w)
    array([1.])
    """
    g_of_x: FloatArray = Phi(S, f, kernels) @ w.w + w.b  # FT:thm2  the 1 / d is in w
    return g_of_x


def ftune(
    F: Sequence[TransferFunction],
    K: Similarity,
    L: LossName,
    l: FloatArray,
    d: int,
    rng: Generator,
    *,
    select: Select = random_pairs,
    kernels: Kernels = refimpl.kernels,
) -> tuple[TransferFunction, LinearModel, IntArray]:
    """Find the transfer function under which the classifier has the least loss: Algorithm 2.

    Parameters
    ----------
    F : sequence of floats or callables
        Slopes of ramps, or antisymmetric functions.
    K : refimpl.ftune.similarities.Similarity
    L : {"squared_hinge", "hinge", "logistic"}
    l : ndarray, shape (n,), float64
        Labels 1 and -1.
    d : int
    rng : numpy.random.Generator
    select : callable
        ``select(K, l, d, rng)`` returns the pairs, such as ``dselect(K, T, l, d, rng)[1]``.
    kernels : module

    Returns
    -------
    f_best : float or callable
        f*; among equally good functions the first.
    w : refimpl.ftune.linear_models.LinearModel
        w_f*.
    P : ndarray, shape (d, 2), int64
        The landmark pairs for w.

    See Also
    --------
    refimpl.ftune.ftune : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> from refimpl.ftune.similarities import Similarity
    >>> K = Similarity(np.kron(np.eye(2), np.ones((2, 2))))
    >>> l = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> f, w, P = algorithm.ftune((0.1, 1.0), K, "hinge", l, 3, np.random.default_rng(0))
    >>> f, P.shape
    (1.0, (3, 2))
    """
    l = for_kernel(l)
    P = select(K, l, d, rng)  # FT:2:1
    S = K.within(None, P.T.ravel())  # K(x, x_i^+), then K(x, x_i^-), of all training objects x
    w = {}
    L_of = {}
    for f in F:  # FT:2:2
        space = Phi(S, f, kernels)
        w[f] = TRAIN(space, l, L)  # FT:2:3
        # FT:2:3, ERRATUM FT-8  # open: choice
        L_of[f] = loss(L, l * (space @ w[f].w + w[f].b)).mean()
    f_best = min(F, key=L_of.__getitem__)  # FT:2:5
    return f_best, w[f_best], P  # FT:2:6


# -------------------------------------------------------------------------------- many classes, § 3


def one_vs_all(labels: Labels) -> list[FloatArray]:
    """Return labels for each class: 1 for its objects and -1 for all others.

    Parameters
    ----------
    labels : ndarray, shape (n,)

    Returns
    -------
    list of ndarray, shape (n,), float64
        In the order of the sorted classes.

    See Also
    --------
    ftune_m, ftune_s : FTUNE on these labels.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> [l.tolist() for l in algorithm.one_vs_all(np.array(["a", "b", "a"]))]
    [[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]]
    """
    return [np.where(labels == c, 1.0, -1.0) for c in np.unique(labels)]


def ftune_m(
    F: Sequence[TransferFunction],
    K: Similarity,
    L: LossName,
    labels: Labels,
    d: int,
    rng: Generator,
    *,
    select: Select = random_pairs,
    kernels: Kernels = refimpl.kernels,
) -> list[tuple[TransferFunction, LinearModel, IntArray]]:
    """Run Algorithm 2 for each class by itself: FTUNE-M of § 3.

    Parameters
    ----------
    labels : ndarray, shape (n,)
        The classes.
    F, K, L, d, rng, select, kernels
        As for :func:`ftune`.

    Returns
    -------
    list of tuple
        The result of :func:`ftune` for each class, in ascending order.

    See Also
    --------
    ftune_s : One f* for all classes.
    refimpl.ftune.ftune : The same for use, with ``per_class=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> from refimpl.ftune.similarities import Similarity
    >>> K = Similarity(np.kron(np.eye(2), np.ones((2, 2))))
    >>> y, rng = np.array([0, 1, 2, 2]), np.random.default_rng(0)
    >>> len(algorithm.ftune_m((1.0, 10.0), K, "hinge", y, 3, rng))
    3
    """
    return [ftune(F, K, L, l, d, rng, select=select, kernels=kernels) for l in one_vs_all(labels)]


def ftune_s(
    F: Sequence[TransferFunction],
    K: Similarity,
    L: LossName,
    labels: Labels,
    d: int,
    rng: Generator,
    *,
    select: Select = random_pairs,
    kernels: Kernels = refimpl.kernels,
) -> tuple[TransferFunction, list[LinearModel], list[IntArray]]:
    """Run Algorithm 2 for all classes at once: FTUNE-S of § 3.

    Parameters
    ----------
    F, K, L, labels, d, rng, select, kernels
        As for :func:`ftune_m`.

    Returns
    -------
    f_best : float or callable
        The f* that all classes share.
    w : list of refimpl.ftune.linear_models.LinearModel
    P : list of ndarray, shape (d, 2), int64
        An entry for each class, in ascending order.

    See Also
    --------
    ftune_m : An f* for each class.
    refimpl.ftune.ftune : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> from refimpl.ftune.similarities import Similarity
    >>> K = Similarity(np.kron(np.eye(2), np.ones((2, 2))))
    >>> y, rng = np.array([0, 1, 2, 2]), np.random.default_rng(0)
    >>> f, w, P = algorithm.ftune_s((1.0, 10.0), K, "hinge", y, 3, rng)
    >>> len(w), len(P)
    (3, 3)
    """
    classes = one_vs_all(labels)
    P = [select(K, l, d, rng) for l in classes]
    S = [K.within(None, pairs_of_class.T.ravel()) for pairs_of_class in P]
    w: dict[TransferFunction, list[LinearModel]] = {}
    L_of = {}
    for f in F:
        w[f] = []
        margins = []
        for S_c, l in zip(S, classes, strict=True):
            space = Phi(S_c, f, kernels)
            w_c = TRAIN(space, l, L)
            w[f].append(w_c)
            margins.append(l * (space @ w_c.w + w_c.b))
        L_of[f] = loss(L, np.array(margins)).mean()  # open: single
    f_best = min(F, key=L_of.__getitem__)
    return f_best, w[f_best], P


# ----------------------------------------------------------------------------------------- BBS, § 3


def bbs(K: Similarity, L: LossName, l: FloatArray, landmarks: IntArray) -> LinearModel:
    """Train w on (K(x, x_1), ..., K(x, x_d)), Balcan & Blum's landmarked space.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity
    L : {"squared_hinge", "hinge", "logistic"}
    l : ndarray, shape (n,), float64
        Labels 1 and -1.
    landmarks : ndarray, shape (d,), int64
        Random landmarks, or those of :func:`dselect` (BBS+D).

    Returns
    -------
    refimpl.ftune.linear_models.LinearModel

    See Also
    --------
    refimpl.ftune.bbs : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import algorithm
    >>> from refimpl.ftune.similarities import Similarity
    >>> K = Similarity(np.kron(np.eye(2), np.ones((2, 2))))
    >>> l = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> w = algorithm.bbs(K, "hinge", l, np.array([0, 3]))
    >>> bool((np.sign(K.within(None, [0, 3]) @ w.w + w.b) == l).all())
    True
    """
    return TRAIN(K.within(None, landmarks), l, L)
