"""Boosted Distance as printed: J. Amores, N. Sebe & P. Radeva, "Boosting the distance estimation.
Application to the K-Nearest Neighbor Classifier", Pattern Recognition Letters 27 (2006) 201-209.

The functions stand in the paper's order: the difference vectors P and N and eqs. 2-4 of § 3, then
Algorithms A.1, A.2 and A.3 of the appendix. Eq. 1 is Algorithm A.3. Misprints are corrected
(ERRATUM BD-1 to BD-4). PAPER.md lists symbols, errata, what the paper leaves open, and the code of
each printed line.

Not handled here: checks of the arguments, progress, continuing, limits of memory (:mod:`.training`
and :mod:`.prediction` have them), missing values, K > 1 neighbours (the paper uses K = 1
throughout).
"""

from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import Any

import numpy as np

import refimpl.kernels
from refimpl.arrays import any_arrays, for_kernel
from refimpl.boosted_distance.model import Ensemble, Round, StumpEnsemble
from refimpl.boosted_distance.weak_learners import STUMPS, Differences, Vectors, WeakLearner
from refimpl.kernels.stumps import GRID
from refimpl.typing import BoolArray, FloatArray, Kernels, Labels

__all__ = [
    "H",
    "Round",
    "adaboost",
    "adaboost_rounds",
    "boosted_distance",
    "difference_vectors",
    "h",
    "nearest_neighbor_boosted_distance",
    "similarity",
    "total_weight",
]

# ---------------------------------------------------------------------------------------------- § 3


@any_arrays
def difference_vectors(Omega: FloatArray, l: Labels, C: Any) -> tuple[Differences, Differences]:
    """Return the positive and the negative set of class C: § 3.

    P : (n_C n_C, d); N : ((n - n_C) n_C, d), where n_C vectors have the label C
    """
    Omega_C = Omega[l == C]
    P = Differences(Omega_C, Omega_C)  # BD:A.1:2  {x_i - x_j : l_i = C, l_j = C}
    N = Differences(Omega[l != C], Omega_C)  # BD:A.1:3  {x_i - x_j : l_i != C, l_j = C}
    return P, N


@any_arrays
def H(x: FloatArray, Phi: StumpEnsemble) -> FloatArray:
    """Return the ensemble of stumps at the vectors x, (n, d): eq. 2, line 14 of A.2."""
    H = np.zeros(len(x))
    for alpha_t, *h_t in zip(Phi.alpha, Phi.feature, Phi.polarity, Phi.threshold, strict=True):
        H += alpha_t * h(x, *h_t)  # BD:eq2, BD:A.2:14
    return H


@any_arrays
def h(x: FloatArray, f: int, p: int, theta: float) -> BoolArray:
    """Return the stump of dimension f, polarity p, threshold theta at x, (n, d): eqs. 3 and A.1."""
    return np.asarray(p * x[:, f] < p * theta)  # BD:eq3, BD:eqA.1


@any_arrays
def similarity(
    x: FloatArray,
    y: FloatArray,
    Phi_C: Ensemble,
    *,
    normalize: bool = True,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> FloatArray:
    """Return S_C(x, y), the boosted similarity of class C, (n_x, n_y): eq. 4.

    normalize : divide by the sum of the weights; False is the sum as printed
    """
    S_C = np.zeros((len(x), len(y)))
    # BD:eq4  S_C(x, y) = H_C(x - y)
    Phi_C.add_similarity(S_C, x, y, kernels=kernels, threads=threads)
    return S_C / total_weight(Phi_C) if normalize else S_C  # ERRATUM BD-2


def total_weight(Phi_C: Ensemble) -> float:
    """Return sum_t alpha_t, added in the order of the rounds; 1 if all weights are 0."""
    total = float(np.cumsum(np.append(0.0, Phi_C.alpha))[-1])
    return total if total > 0 else 1.0  # open: no-weight


# ------------------------------------------------------------------------------------ Algorithm A.1


@any_arrays
def boosted_distance(
    Omega: FloatArray,
    l: Labels,
    T: int,
    *,
    weak_learner: WeakLearner[Any] = STUMPS,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> dict[Any, Ensemble]:
    """Return {C: Phi_C}, an ensemble of T weak classifiers for each class: Algorithm A.1."""
    Phi = {}
    for C in np.unique(l).tolist():  # BD:A.1:1  for C = 1, ..., M
        P, N = difference_vectors(Omega, l, C)  # BD:A.1:2, BD:A.1:3
        # BD:A.1:4
        Phi[C] = adaboost(P, N, T, weak_learner=weak_learner, kernels=kernels, threads=threads)
    return Phi  # BD:A.1:6


# ------------------------------------------------------------------------------------ Algorithm A.2


@any_arrays
def adaboost_rounds(
    P: Vectors,
    N: Vectors,
    *,
    first: FloatArray | None = None,
    weak_learner: WeakLearner[Any] = STUMPS,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Iterator[Round]:
    """Yield the rounds of Algorithm A.2, AdaBoost(P, N, T), p. 208; the caller takes T of them.

    first : other first weights than those of line 4, positives first, half of their sum for each
        set; see :func:`refimpl.boosted_distance.adaboost` for the other arguments
    """
    P, N = (V if isinstance(V, Differences) else for_kernel(V) for V in (P, N))
    n = len(P) + len(N)  # BD:A.2:1
    # BD:A.2:2  P and N, sorted once
    X = weak_learner.prepare(P, N, kernels=kernels, threads=threads)
    l = np.arange(n) < len(P)  # BD:A.2:3
    w = np.where(l, 1 / (2 * len(P)), 1 / (2 * len(N)))  # BD:A.2:4
    w = w if first is None else first
    for t in count(1):  # BD:A.2:5  for t = 1, ..., T
        w = w / w.sum()  # BD:A.2:6
        # BD:A.2:7, BD:A.2:8  h_t has the least sum_i w_i |h(x_i) - l_i| of all stumps
        epsilon_t, h_t = weak_learner.select(X, w, l, kernels=kernels, threads=threads)
        epsilon_t = error_beyond_rounding(epsilon_t, n)  # ERRATUM BD-3, BD-4
        beta_t = epsilon_t / (1 - epsilon_t)  # BD:A.2:9
        e = weak_learner.classify(X, h_t) != l  # BD:A.2:10
        w_next = w * np.where(e, 1, beta_t)  # BD:A.2:11  w_i beta_t^(1 - e_i)
        alpha_t = np.log(1 / beta_t)  # BD:A.2:12, ERRATUM BD-1: printed 1 / log(beta_t)
        yield Round(t, epsilon_t, alpha_t, h_t, w)
        w = w_next


def error_beyond_rounding(epsilon_t: float, n: int) -> float:
    """Return the weighted error of a round, from a sum of n weights, in [2**-52, 1/2] or above."""
    # an error that rounding alone may keep from 1/2: alpha_t would have either sign
    if abs(epsilon_t - 0.5) <= n * GRID:
        return 0.5
    return max(epsilon_t, GRID)  # without an error alpha_t would be infinite


def adaboost(
    P: Vectors,
    N: Vectors,
    T: int,
    *,
    weak_learner: WeakLearner[Any] = STUMPS,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Ensemble:
    """Train an ensemble of T weak classifiers: Algorithm A.2, AdaBoost(P, N, T)."""
    rounds = adaboost_rounds(P, N, weak_learner=weak_learner, kernels=kernels, threads=threads)
    Phi = [(round.alpha, *round.h) for round in islice(rounds, T)]  # BD:A.2:5  for t = 1, ..., T
    return weak_learner.Ensemble.from_rounds(Phi)  # BD:A.2:15


# ------------------------------------------------------------------------------------ Algorithm A.3


@any_arrays
def nearest_neighbor_boosted_distance(
    y: FloatArray, Phi: Mapping[Any, Any], Omega: FloatArray, l: Labels, *, normalize: bool = True
) -> Labels:
    """Label each vector like the training vector most similar to it: Algorithm A.3 and eq. 1.

    y : the vectors to label, (n_y, d); each gets the label that it would get alone
    Phi : what :func:`boosted_distance` returned for Omega, (n, d), and its labels l
    """
    l_y = np.empty(len(y), dtype=l.dtype)
    s_max = np.full(len(y), -np.inf)  # BD:A.3:1
    for i in range(len(Omega)):  # BD:A.3:2
        C = l[i]  # BD:A.3:3
        s_i = Phi[C](y - Omega[i])  # BD:A.3:4  S_C(y, x_i) = H_C(y - x_i)
        s_i = s_i / total_weight(Phi[C]) if normalize else s_i  # ERRATUM BD-2
        larger = s_i > s_max  # BD:A.3:5, BD:eq1  of equals the first stays
        s_max[larger] = s_i[larger]  # BD:A.3:6
        l_y[larger] = C  # BD:A.3:7
    return l_y  # BD:A.3:10
