"""Kar & Jain, "Similarity-based Learning via Data Driven Embeddings" (NIPS 2011), as printed.

Algorithm 1, DSELECT, with its two loops; Algorithm 2, FTUNE; the one-vs-all forms FTUNE-M and
FTUNE-S of § 3, and BBS. Training objects are given by their indices. K is a
:class:`refimpl.ftune.similarities.Similarity`.

Not handled here: checks, similarities beyond [-1, 1], the choice of C and f on a validation set,
class weights (``training.py``).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

import refimpl.kernels
from refimpl.arrays import any_arrays
from refimpl.ftune.linear_models import LinearModel, LossName, loss, train
from refimpl.ftune.similarities import Similarity, TransferFunction, landmarked
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


@any_arrays
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
    """Return d landmarks for BBS, (d,), and d pairs of them for FTUNE, (d, 2): Algorithm 1.

    T : the training set, as indices, (n_T,)
    l : labels 1 and -1 of all training objects, (n,)
    """
    L = diverse(K, T, d, rng, kernels=kernels, threads=threads)
    P = pairs(L, l, d, rng)
    return L, P  # FT:1:10


@any_arrays
def diverse(
    K: Similarity,
    T: IntArray,
    d: int,
    rng: Generator,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> IntArray:
    """Return the d landmarks of Algorithm 1, lines 1-5, in the order of their choice, (d,)."""
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


@any_arrays
def pairs(L: IntArray, l: FloatArray, d: int, rng: Generator) -> IntArray:
    """Return d pairs of an object of L labelled 1 and one labelled -1, (d, 2): lines 6-9."""
    plus = L[l[L] == 1]
    minus = L[l[L] == -1]
    z_1 = plus[rng.integers(len(plus), size=d)]  # FT:1:6, FT:1:7  d times, with replacement
    z_2 = minus[rng.integers(len(minus), size=d)]  # FT:1:7
    return np.column_stack([z_1, z_2])  # FT:1:8


# ------------------------------------------------------------------------ Algorithm 2, FTUNE, § 2.1


@any_arrays
def random_pairs(K: Similarity, l: FloatArray, d: int, rng: Generator) -> IntArray:
    """Return d pairs drawn at random, as in § 2 and Theorem 2, (d, 2)."""
    return pairs(np.arange(len(l)), l, d, rng)  # open: pairs


@any_arrays
def TRAIN(Phi: FloatArray, l: FloatArray, L: LossName) -> LinearModel:
    """Return w of least |w|^2 / 2 + C sum L(l w . Phi), the large margin classifier of § 2.1.

    Phi : the training objects in the landmarked space, (n, d)
    """
    C = 1.0  # open: penalty
    bias = 1.0  # open: bias
    return train(Phi, l, C, loss=L, bias=bias)


@any_arrays
def Phi(S: FloatArray, f: TransferFunction, kernels: Kernels) -> FloatArray:
    """Return Phi_L(x) of § 2 under f, (m, d).

    S : K to all x_i^+ and then to all x_i^-, (m, 2 d)
    """
    d = S.shape[1] // 2
    space: FloatArray
    (space,) = landmarked(S, np.arange(d), np.arange(d, 2 * d), [f], kernels=kernels)  # FT:phi
    return space


@any_arrays
def g(
    S: FloatArray, f: TransferFunction, w: LinearModel, *, kernels: Kernels = refimpl.kernels
) -> FloatArray:
    """Return g(x) of Theorem 2 for new objects, (m,); S as for :func:`Phi`."""
    g_of_x: FloatArray = Phi(S, f, kernels) @ w.w + w.b  # FT:thm2  the 1 / d is in w
    return g_of_x


@any_arrays
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
    """Return f*, under which the classifier has the least loss, w_f* and the pairs: Algorithm 2.

    F : slopes of ramps, or antisymmetric functions
    l : labels 1 and -1, (n,)
    select : returns the pairs, (d, 2); with DSELECT it is ``dselect(K, T, l, d, rng)[1]``
    """
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


@any_arrays
def one_vs_all(labels: Labels) -> list[FloatArray]:
    """Return labels for each class, ascending: 1 for its objects and -1 for all others."""
    return [np.where(labels == c, 1.0, -1.0) for c in np.unique(labels)]


@any_arrays
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
    """Run Algorithm 2 for each class by itself, in ascending order: FTUNE-M of § 3."""
    return [ftune(F, K, L, l, d, rng, select=select, kernels=kernels) for l in one_vs_all(labels)]


@any_arrays
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
    """Return one f* for all classes, and w and the pairs of each, ascending: FTUNE-S of § 3."""
    classes = one_vs_all(labels)
    P = [select(K, l, d, rng) for l in classes]
    S = [K.within(None, pairs_of_class.T.ravel()) for pairs_of_class in P]
    w: dict[TransferFunction, list[LinearModel]] = {}
    L_of = {}
    for f in F:
        w[f] = []
        losses = []
        for S_c, l in zip(S, classes, strict=True):
            space = Phi(S_c, f, kernels)
            w_c = TRAIN(space, l, L)
            w[f].append(w_c)
            losses.append(loss(L, l * (space @ w_c.w + w_c.b)).mean())
        L_of[f] = sum(losses) / len(losses)  # open: single
    f_best = min(F, key=L_of.__getitem__)
    return f_best, w[f_best], P


# ----------------------------------------------------------------------------------------- BBS, § 3


@any_arrays
def bbs(K: Similarity, L: LossName, l: FloatArray, landmarks: IntArray) -> LinearModel:
    """Return w on (K(x, x_1), ..., K(x, x_d)), Balcan & Blum's landmarked space, (d,) landmarks."""
    return TRAIN(K.within(None, landmarks), l, L)
