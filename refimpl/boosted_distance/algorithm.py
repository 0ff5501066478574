"""Boosted Distance as printed: J. Amores, N. Sebe & P. Radeva, "Boosting the distance estimation. Application to the
K-Nearest Neighbor Classifier", Pattern Recognition Letters 27 (2006) 201-209.

In the paper's order: the difference vectors P and N and eqs. 2-4 of § 3, then Algorithms A.1, A.2 and A.3 of the
appendix. Eq. 1 is Algorithm A.3. Misprints are corrected (ERRATUM BD-1 to BD-3). PAPER.md lists symbols, errata,
what the paper leaves open, and the code of each printed line.

Not handled here: checks of the arguments, progress, continuing, limits of memory (:mod:`.training` and
:mod:`.prediction` have them), missing values, K > 1 neighbours (the paper uses K = 1 throughout).
"""

from dataclasses import dataclass
from itertools import count, islice

import numpy as np

import refimpl.kernels
from refimpl.boosted_distance.differences import Differences
from refimpl.boosted_distance.weak_learners import STUMPS
from refimpl.kernels.stumps import GRID

# ------------------------------------------------------------------------------------------------- § 3


def difference_vectors(Omega, l, C):
    """Return the positive and the negative set of class C (§ 3, p. 203; lines 2 and 3 of Algorithm A.1).

    Parameters
    ----------
    Omega : ndarray, shape (n, d), float64
        Training vectors.
    l : ndarray, shape (n,)
        Their labels.
    C : label

    Returns
    -------
    P, N : Differences
        Shapes (n_C * n_C, d) and ((n - n_C) * n_C, d), where n_C vectors have the label C.
    """
    Omega_C = Omega[l == C]
    P = Differences(Omega_C, Omega_C)  # BD:A.1:2  {x_i - x_j : l_i = C, l_j = C}
    N = Differences(Omega[l != C], Omega_C)  # BD:A.1:3  {x_i - x_j : l_i != C, l_j = C}
    return P, N


def H(x, Phi):
    """Return the ensemble of stumps at the vectors x (eq. 2, p. 203; line 14 of Algorithm A.2).

    Parameters
    ----------
    x : ndarray, shape (n, d), float64
        Difference vectors.
    Phi : StumpEnsemble

    Returns
    -------
    ndarray, shape (n,), float64
    """
    rounds = zip(Phi.alpha, Phi.feature, Phi.polarity, Phi.threshold, strict=True)
    return sum(alpha_t * h(x, f_t, p_t, theta_t) for alpha_t, f_t, p_t, theta_t in rounds)  # BD:eq2, BD:A.2:14


def h(x, f, p, theta):
    """Return the decision stump of dimension f, polarity p and threshold theta at x (eqs. 3 and A.1, pp. 203 and 208).

    Parameters
    ----------
    x : ndarray, shape (n, d), float64
    f : int
        The paper calls it i_t in eq. 3.
    p : int
        1 or -1.
    theta : float

    Returns
    -------
    ndarray, shape (n,), bool
    """
    return p * x[:, f] < p * theta  # BD:eq3, BD:eqA.1


def similarity(x, y, Phi_C, *, normalize=True, kernels=refimpl.kernels, threads=None):
    """Return S_C(x, y), the boosted similarity of class C (eq. 4, p. 203).

    Parameters
    ----------
    x : ndarray, shape (n_x, d), float64
        Vectors of any class, for example queries.
    y : ndarray, shape (n_y, d), float64
        Vectors of class C.
    Phi_C : StumpEnsemble
    normalize : bool, default True
        Divide by the sum of the weights. False is the sum as printed.
    kernels : module, default refimpl.kernels
    threads : int, optional

    Returns
    -------
    ndarray, shape (n_x, n_y), float64
    """
    S_C = np.zeros((len(x), len(y)))
    Phi_C.add_similarity(S_C, x, y, kernels=kernels, threads=threads)  # BD:eq4  S_C(x, y) = H_C(x - y)
    return S_C / total_weight(Phi_C) if normalize else S_C  # ERRATUM BD-2


def total_weight(Phi_C):
    """Return sum_t alpha_t, by which a similarity that lies in [0, 1] is divided; 1 if the weights are all zero.

    Parameters
    ----------
    Phi_C : StumpEnsemble

    Returns
    -------
    float
        Added up in the order of the rounds, as in a similarity, which therefore reaches 1 exactly.
    """
    total = np.cumsum(np.append(0.0, Phi_C.alpha))[-1]
    return total if total > 0 else 1.0  # open: no-weight


# ------------------------------------------------------------------------------------- Algorithm A.1


def boosted_distance(Omega, l, T, *, weak_learner=STUMPS, kernels=refimpl.kernels, threads=None):
    """Train one ensemble for each class: Algorithm A.1, BoostedDistance(Omega, {l_i}, T), p. 208.

    Parameters
    ----------
    Omega : ndarray, shape (n, d), float64
        Training set.
    l : ndarray, shape (n,)
        Labels.
    T : int
        Number of rounds.
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner, default decision stumps
    kernels : module, default refimpl.kernels
    threads : int, optional

    Returns
    -------
    dict of label -> StumpEnsemble
        {Phi_C}, by ascending label.
    """
    Phi = {}
    for C in np.unique(l).tolist():  # BD:A.1:1  for C = 1, ..., M
        P, N = difference_vectors(Omega, l, C)  # BD:A.1:2, BD:A.1:3
        Phi[C] = adaboost(P, N, T, weak_learner=weak_learner, kernels=kernels, threads=threads)  # BD:A.1:4
    return Phi  # BD:A.1:6


# ------------------------------------------------------------------------------------- Algorithm A.2


@dataclass(frozen=True, eq=False)
class Round:
    """What one round of Algorithm A.2 found.

    Attributes
    ----------
    t : int
        Number of the round, from 1.
    epsilon : float
        Weighted error of the weak classifier.
    alpha : float
        Its weight in the ensemble.
    h : tuple
        Its parameters; (f, p, theta) for a stump.
    w : ndarray, shape (n,), float64
        The normalised weights under which it was chosen, positives first.
    """

    t: int
    epsilon: float
    alpha: float
    h: tuple
    w: np.ndarray


def adaboost_rounds(P, N, *, weak_learner=STUMPS, kernels=refimpl.kernels, threads=None):
    """Yield the rounds of Algorithm A.2, AdaBoost(P, N, T), p. 208, one after the other.

    It is the version of Viola & Jones (2004). The caller takes T rounds, as :func:`adaboost` does.

    Parameters
    ----------
    P, N : ndarray, shape (n_P, d) and (n_N, d), float64, or Differences
        Positive and negative set.
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner, default decision stumps
    kernels : module, default refimpl.kernels
    threads : int, optional

    Yields
    ------
    Round
    """
    n = len(P) + len(N)  # BD:A.2:1
    X = weak_learner.prepare(P, N, kernels=kernels, threads=threads)  # BD:A.2:2  P and N, sorted once
    l = np.arange(n) < len(P)  # BD:A.2:3
    w = np.where(l, 1 / (2 * len(P)), 1 / (2 * len(N)))  # BD:A.2:4
    for t in count(1):  # BD:A.2:5  for t = 1, ..., T
        w = w / w.sum()  # BD:A.2:6
        epsilon_t, h_t = weak_learner.select(X, w, l, kernels=kernels, threads=threads)  # BD:A.2:7, BD:A.2:8
        epsilon_t = max(epsilon_t, GRID)  # ERRATUM BD-3: no error would make alpha_t infinite
        beta_t = epsilon_t / (1 - epsilon_t)  # BD:A.2:9
        e = weak_learner.classify(X, h_t) != l  # BD:A.2:10
        alpha_t = np.log(1 / beta_t)  # BD:A.2:12, ERRATUM BD-1: printed 1 / log(beta_t)
        yield Round(t, epsilon_t, alpha_t, h_t, w)  # before line 11, which the last round has no use for
        w = w * np.where(e, 1, beta_t)  # BD:A.2:11  w_i beta_t^(1 - e_i)


def adaboost(P, N, T, *, weak_learner=STUMPS, kernels=refimpl.kernels, threads=None):
    """Train an ensemble of T weak classifiers: Algorithm A.2, AdaBoost(P, N, T), p. 208.

    Parameters
    ----------
    P, N, weak_learner, kernels, threads
        As for :func:`adaboost_rounds`.
    T : int
        Number of rounds.

    Returns
    -------
    StumpEnsemble
        Phi, or the weak learner's own kind of ensemble.
    """
    rounds = adaboost_rounds(P, N, weak_learner=weak_learner, kernels=kernels, threads=threads)
    Phi = [(round.alpha, *round.h) for round in islice(rounds, T)]  # BD:A.2:5  for t = 1, ..., T
    return weak_learner.Ensemble.from_rounds(Phi)  # BD:A.2:15


# ------------------------------------------------------------------------------------- Algorithm A.3


def nearest_neighbor_boosted_distance(y, Phi, Omega, l, *, normalize=True, kernels=refimpl.kernels, threads=None):
    """Label vectors: Algorithm A.3, NearestNeighborBoostedDistance(y, {Phi_C}, Omega), p. 208, and eq. 1, p. 203.

    Parameters
    ----------
    y : ndarray, shape (n_y, d), float64
        The vectors to label. The paper takes one at a time; each gets the same answer here as alone.
    Phi : dict of label -> StumpEnsemble
        What :func:`boosted_distance` returned.
    Omega : ndarray, shape (n, d), float64
        Training set.
    l : ndarray, shape (n,)
        Labels.
    normalize : bool, default True
        Divide s_i by the sum of the class's weights. False is the sum as printed.
    kernels : module, default refimpl.kernels
    threads : int, optional

    Returns
    -------
    ndarray, shape (n_y,)
        Labels l_y, of the dtype of `l`.
    """
    l_y = np.empty(len(y), dtype=l.dtype)
    s_max = np.full(len(y), -np.inf)  # BD:A.3:1
    for i in range(len(Omega)):  # BD:A.3:2
        C = l[i]  # BD:A.3:3
        s = similarity(y, Omega[[i]], Phi[C], normalize=normalize, kernels=kernels, threads=threads)  # BD:A.3:4
        s_i = s[:, 0]
        larger = s_i > s_max  # BD:A.3:5, BD:eq1  of equals the first stays
        s_max[larger] = s_i[larger]  # BD:A.3:6
        l_y[larger] = C  # BD:A.3:7
    return l_y  # BD:A.3:10
