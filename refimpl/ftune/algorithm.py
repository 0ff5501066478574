"""Kar & Jain, "Similarity-based Learning via Data Driven Embeddings" (NIPS 2011): their algorithms as printed.

In this order: Algorithm 1, DSELECT, whose two loops are :func:`diverse` and :func:`pairs`; Algorithm 2, FTUNE, after
what it leaves to others, :func:`random_pairs` and :func:`TRAIN`; of § 3 the one-vs-all forms FTUNE-M and FTUNE-S; BBS.
Training objects are named by their places, K is a :class:`refimpl.ftune.similarities.Similarity`.

Not handled here: checks, similarities beyond [-1, 1], C and f chosen on a validation set, class weights. All of that
is in :func:`refimpl.ftune.ftune`, :func:`refimpl.ftune.bbs` and :func:`refimpl.ftune.dselect`.
"""

import numpy as np

import refimpl.kernels
from refimpl.ftune.linear_models import loss, train
from refimpl.ftune.space import landmarked

__all__ = [
    "TRAIN", "Phi", "bbs", "diverse", "dselect", "ftune", "ftune_m", "ftune_s", "g", "one_vs_all", "pairs",
    "random_pairs",
]  # fmt: skip


# ---------------------------------------------------------------------------------- Algorithm 1, DSELECT, § 2.3


def dselect(K, T, l, d, rng, *, kernels=refimpl.kernels, threads=None):
    """Select d landmarks that are little similar to each other, and d pairs of them: Algorithm 1.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity
    T : ndarray, shape (n_T,), int64
        The training set, as places.
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
    """
    L = diverse(K, T, d, rng, kernels=kernels, threads=threads)
    P = pairs(L, l, d, rng)
    return L, P  # FT:1:10


def diverse(K, T, d, rng, *, kernels=refimpl.kernels, threads=None):
    """Select the d landmarks of Algorithm 1, lines 1-5.

    Parameters
    ----------
    K, T, d, rng, kernels, threads
        As for :func:`dselect`.

    Returns
    -------
    L : ndarray, shape (d,), int64
        Places out of T, in the order of their choice.
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


def pairs(L, l, d, rng):
    """Draw d pairs of an object of L labelled 1 and one labelled -1: Algorithm 1, lines 6-9.

    Parameters
    ----------
    L : ndarray, shape (r,), int64
        Places to draw from.
    l, d, rng
        As for :func:`dselect`.

    Returns
    -------
    P : ndarray, shape (d, 2), int64
    """
    plus = L[l[L] == 1]
    minus = L[l[L] == -1]
    z_1 = plus[rng.integers(len(plus), size=d)]  # FT:1:6, FT:1:7  d times, with replacement
    z_2 = minus[rng.integers(len(minus), size=d)]  # FT:1:7
    return np.column_stack([z_1, z_2])  # FT:1:8


# ------------------------------------------------------------------------------------ Algorithm 2, FTUNE, § 2.1


def random_pairs(K, l, d, rng):
    """Draw d pairs at random, as § 2 and Theorem 2 have them: ndarray, shape (d, 2), int64."""
    return pairs(np.arange(len(l)), l, d, rng)  # open: pairs


def TRAIN(Phi, l, L):
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
    """
    C = 1.0  # open: penalty
    bias = 1.0  # open: bias
    return train(Phi, l, C, L, bias=bias)


def Phi(S, f, kernels):
    """Return Phi_L(x) of § 2 under f, shape (m, d), from K to all x_i^+ and then to all x_i^-, shape (m, 2 d)."""
    d = S.shape[1] // 2
    return landmarked(S, np.arange(d), np.arange(d, 2 * d), [f], kernels=kernels)[0]  # FT:phi


def g(S, f, w, *, kernels=refimpl.kernels):
    """Return g(x) of Theorem 2, shape (m,), for new objects whose K to all x_i^+ and then to all x_i^- is S."""
    return Phi(S, f, kernels) @ w.w + w.b  # FT:thm2  the 1 / d is in w


def ftune(F, K, L, l, d, rng, *, select=random_pairs, kernels=refimpl.kernels):
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
        ``select(K, l, d, rng)`` returns the landmark pairs; DSELECT's are ``dselect(K, T, l, d, rng)[1]``.
    kernels : module

    Returns
    -------
    f_best : float or callable
        f*; of equally good ones the first.
    w : refimpl.ftune.linear_models.LinearModel
        w_f*.
    P : ndarray, shape (d, 2), int64
        What w belongs to.
    """
    P = select(K, l, d, rng)  # FT:2:1
    S = K.within(None, P.T.ravel())  # K(x, x_i^+), then K(x, x_i^-), of all training objects x
    w = {}
    L_of = {}
    for f in F:  # FT:2:2
        space = Phi(S, f, kernels)
        w[f] = TRAIN(space, l, L)  # FT:2:3
        L_of[f] = loss(L, l * (space @ w[f].w + w[f].b)).mean()  # FT:2:3, ERRATUM FT-8  # open: choice
    f_best = min(F, key=L_of.get)  # FT:2:5
    return f_best, w[f_best], P  # FT:2:6


# ----------------------------------------------------------------------------------------------- many classes, § 3


def one_vs_all(labels):
    """Return labels 1 and -1 for each class, told from the rest: a list of ndarrays, shape (n,), float64."""
    return [np.where(labels == c, 1.0, -1.0) for c in np.unique(labels)]


def ftune_m(F, K, L, labels, d, rng, *, select=random_pairs, kernels=refimpl.kernels):
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
        What :func:`ftune` returns, for each class in ascending order.
    """
    return [ftune(F, K, L, l, d, rng, select=select, kernels=kernels) for l in one_vs_all(labels)]


def ftune_s(F, K, L, labels, d, rng, *, select=random_pairs, kernels=refimpl.kernels):
    """Run Algorithm 2 for all classes at once: FTUNE-S of § 3.

    Parameters
    ----------
    F, K, L, labels, d, rng, select, kernels
        As for :func:`ftune_m`.

    Returns
    -------
    f_best : float or callable
        The one f* that all classes share.
    w : list of refimpl.ftune.linear_models.LinearModel
    P : list of ndarray, shape (d, 2), int64
        An entry for each class, in ascending order.
    """
    classes = one_vs_all(labels)
    P = [select(K, l, d, rng) for l in classes]
    S = [K.within(None, pairs_of_class.T.ravel()) for pairs_of_class in P]
    w = {}
    L_of = {}
    for f in F:
        spaces = [Phi(one, f, kernels) for one in S]
        w[f] = [TRAIN(space, l, L) for space, l in zip(spaces, classes, strict=True)]
        margins = [l * (space @ v.w + v.b) for space, v, l in zip(spaces, w[f], classes, strict=True)]
        L_of[f] = loss(L, margins).mean()  # open: single
    f_best = min(F, key=L_of.get)
    return f_best, w[f_best], P


# -------------------------------------------------------------------------------------------------------- BBS, § 3


def bbs(K, L, l, landmarks):
    """Train w on (K(x, x_1), ..., K(x, x_d)), Balcan & Blum's landmarked space, for labels 1 and -1.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity
    L : {"squared_hinge", "hinge", "logistic"}
    l : ndarray, shape (n,), float64
    landmarks : ndarray, shape (d,), int64
        Random ones, or :func:`dselect`'s (BBS+D).

    Returns
    -------
    refimpl.ftune.linear_models.LinearModel
    """
    return TRAIN(K.within(None, landmarks), l, L)
