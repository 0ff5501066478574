"""Boosted Distance: J. Amores, N. Sebe & P. Radeva, "Boosting the distance estimation. Application to the
K-Nearest Neighbor Classifier", Pattern Recognition Letters 27 (2006) 201-209.

In the paper's order: the similarity (eqs. 1-4), then Algorithms A.1, A.2 and A.3 of its appendix. Symbols are
listed in NOTATION.md, corrected lines in ERRATA.md.

Not handled here: missing values, sparse matrices, K > 1 neighbours (the paper uses K = 1 throughout).
"""

from dataclasses import dataclass

import numpy as np

from refimpl.boosted_distance.weak_learners import Replay, StumpEnsemble, Stumps
from refimpl.checks import as_count, as_kernels, as_labels, as_matrix, as_vectors_like
from refimpl.kernels.stumps import GRID
from refimpl.resources import check_memory

__all__ = [
    "Differences",
    "Round",
    "StumpEnsemble",
    "adaboost",
    "adaboost_rounds",
    "boosted_distance",
    "class_similarities",
    "estimate_memory",
    "nearest_neighbor_boosted_distance",
    "selected_dimensions",
    "similarity",
    "staged_nearest_neighbor",
]

_BLOCK = 2**23  # similarities held at a time: 64 MiB
_ROUND_BYTES = 2**10  # of each round of the class in training, as Python objects
_MODEL_BYTES = 96  # of each round of each class
_FEWER = "training vectors or features"


@dataclass(frozen=True, eq=False)
class Differences:
    """All the difference vectors a - b, a in A and b in B, computed a feature at a time and never stored.

    Attributes
    ----------
    A : ndarray, shape (n_A, d), float64
    B : ndarray, shape (n_B, d), float64
    """

    A: np.ndarray
    B: np.ndarray

    def __len__(self):
        return len(self.A) * len(self.B)

    @property
    def shape(self):
        """(n_A * n_B, d)."""
        return len(self), self.A.shape[1]

    def column(self, f):
        """Feature f of all differences, those of A[0] first: ndarray, shape (n_A * n_B,)."""
        return (self.A[:, f, np.newaxis] - self.B[:, f]).ravel()

    def __array__(self, dtype=None, copy=None):
        """All differences as one array, shape (n_A * n_B, d)."""
        return (self.A[:, np.newaxis] - self.B).reshape(self.shape).astype(dtype or np.float64, copy=False)


# ---------------------------------------------------------------------------------------- § 3, eqs. 1-4


def similarity(Y, models, X, labels, *, kernels=None, normalize=True, threads=None):
    """Return the boosted similarity S_C(y, x), C the class of x: by default between 0 and 1 (``normalize=True``).

    Eqs. 2-4 of Amores, Sebe & Radeva (2006), p. 203: sum_t alpha_t h_t(y - x), divided by sum_t alpha_t.

    Parameters
    ----------
    Y : array_like, shape (n_Y, d)
        Query vectors.
    models : dict of label -> StumpEnsemble
        What :func:`boosted_distance` returned.
    X : array_like, shape (n_X, d)
        Vectors with known labels, Omega.
    labels : array_like, shape (n_X,)
        Their labels; each must have a model.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    normalize : bool, default True
        Divide by sum_t alpha_t of the class, so that S_C lies in [0, 1], as the text before eq. 2 has it (ERRATUM
        BD-2). False is the sum as Algorithm A.3 prints it, which reaches sum_t alpha_t: a class whose stumps weigh
        more is then the more similar one, whatever the query.
    threads : int, optional
        Threads that the kernels may use; None for all. The result does not depend on it.

    Returns
    -------
    ndarray, shape (n_Y, n_X), float64

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.
    """
    kernels = as_kernels(kernels)
    Y, X, labels = _check_queries(Y, models, X, labels)
    return _similarity(Y, models, X, labels, kernels, normalize, threads)


def _similarity(Y, models, X, labels, kernels, normalize, threads):
    S = np.empty((len(Y), len(X)))
    for C, model in models.items():
        S_C = np.zeros((len(Y), np.count_nonzero(labels == C)))
        model.add_similarity(S_C, Y, X[labels == C], kernels=kernels, threads=threads)
        S[:, labels == C] = S_C / _scale(model, normalize)
    return S


def _scale(model, normalize):
    total = np.cumsum(np.append(0.0, model.alpha))[-1] if normalize else 1.0  # as stumps are added: S_C <= 1 exactly
    return total if total > 0 else 1.0  # no stump better than chance: S_C is 0 throughout


def selected_dimensions(models):
    """Dimensions that the boosted distance looks at: at most T of them for each class.

    § 3, after eq. 4, and § 4.2 of Amores, Sebe & Radeva (2006): the reduction of dimensionality.

    Parameters
    ----------
    models : dict of label -> StumpEnsemble

    Returns
    -------
    ndarray of int64, ascending
    """
    return np.unique(np.concatenate([model.features() for model in models.values()]))


# -------------------------------------------------------------------------------------- Algorithm A.1


def boosted_distance(
    X, labels, T, *, kernels=None, weak_learner=None, models=None, callback=None, threads=None, max_memory=None
):
    """Algorithm A.1 of Amores, Sebe & Radeva (2006), p. 208: BoostedDistance(Omega, {l_i}, T).

    Learns one similarity for each class C, from the differences between vectors of C and from those of other
    vectors to vectors of C. Only one class's pairs are held at a time, and those only as sorted row numbers.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training set Omega.
    labels : array_like, shape (n,)
        Labels l_i, of at least two classes.
    T : int
        Number of rounds; with `models`, the number of rounds after which to end.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner, optional
        Decision stumps by default.
    models : dict of label -> StumpEnsemble, optional
        Warm start: what an earlier call on the same `X` and `labels` returned. The result is that of one
        call with all T rounds.
    callback : callable, optional
        ``callback(label, round)`` is called after each :class:`Round`; if it returns True, this class has done.
    threads : int, optional
        Threads that the kernels may use; None for all. The result does not depend on it.
    max_memory : int, optional
        Bytes that the training may take; see :func:`estimate_memory`.

    Returns
    -------
    dict of label -> StumpEnsemble
        {Phi_C}, by ascending label.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.
    MemoryError
        If :func:`estimate_memory` exceeds `max_memory`; raised before the work starts.
    """
    X, labels, T = _check_training(X, labels, T, models)
    if max_memory is not None:
        needed = estimate_memory(X, labels, T, weak_learner=weak_learner, threads=threads)
        check_memory(needed, max_memory, _FEWER, "up to")
    Phi = {}
    for C in np.unique(labels).tolist():  # A.1 l.1: for C = 1, ..., M
        P, N = _pairs(X, labels, C)  # A.1 l.2-3
        Phi[C] = adaboost(  # A.1 l.4
            P,
            N,
            T,
            kernels=kernels,
            weak_learner=weak_learner,
            ensemble=None if models is None else models[C],
            callback=None if callback is None else lambda round, C=C: callback(C, round),
            threads=threads,
        )
    return Phi  # A.1 l.6


def _pairs(X, labels, C):
    X_C = X[labels == C]
    P = Differences(X_C, X_C)  # A.1 l.2: {x_i - x_j : l_i = C, l_j = C}
    N = Differences(X[labels != C], X_C)  # A.1 l.3: {x_i - x_j : l_i != C, l_j = C}
    return P, N


def estimate_memory(X, labels, T=1, *, weak_learner=None, threads=None):
    """Bytes that :func:`boosted_distance` will take at most, beyond `X`, on either kernel.

    An upper bound, and two to three times the truth as a rule. It is that of the class that needs most: only one
    class's pairs are held at a time.

    Parameters
    ----------
    X : array_like, shape (n, d)
    labels : array_like, shape (n,)
    T : int, default 1
        Number of rounds; they count little unless there are very many.
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner, optional
    threads : int, optional
        Threads that the kernels may use; None for all. Each needs its own scratch memory.

    Returns
    -------
    int
    """
    X, labels, T = _check_training(X, labels, T, None)
    learner, classes = weak_learner or Stumps(), np.unique(labels)
    largest = max(learner.memory(*_pairs(X, labels, C), threads=threads) for C in classes)
    return int(largest + (_ROUND_BYTES + _MODEL_BYTES * len(classes)) * T)


# -------------------------------------------------------------------------------------- Algorithm A.2


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


def adaboost_rounds(P, N, *, kernels, weak_learner, threads=None):
    """Algorithm A.2 of Amores, Sebe & Radeva (2006), p. 208: AdaBoost(P, N, T), one round after the other.

    The caller takes T rounds; :func:`adaboost` does. The version is that of Viola & Jones (2004).

    Parameters
    ----------
    P, N : ndarray, shape (n_P, d) and (n_N, d), float64, or Differences
        Positive and negative set.
    kernels : module
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner
    threads : int, optional

    Yields
    ------
    Round
    """
    n = len(P) + len(N)  # A.2 l.1
    X = weak_learner.prepare(P, N, kernels=kernels, threads=threads)  # A.2 l.2: P and N, sorted once
    l = np.arange(n) < len(P)  # A.2 l.3
    w = np.where(l, 1 / (2 * len(P)), 1 / (2 * len(N)))  # A.2 l.4
    t = 0
    while True:  # A.2 l.5: for t = 1, ..., T
        t += 1
        w = w / w.sum()  # A.2 l.6
        epsilon_t, h_t = weak_learner.select(X, w, l, kernels=kernels, threads=threads)  # A.2 l.7-8
        epsilon_t = max(epsilon_t, GRID)  # ERRATUM BD-3: no error would make alpha_t infinite
        beta_t = epsilon_t / (1 - epsilon_t)  # A.2 l.9
        e = weak_learner.classify(X, h_t) != l  # A.2 l.10
        alpha_t = np.log(1 / beta_t)  # A.2 l.12, ERRATUM BD-1: printed 1 / log(beta_t)
        yield Round(t, epsilon_t, alpha_t, h_t, w)
        w = w * np.where(e, 1, beta_t)  # A.2 l.11: w_i beta_t^(1 - e_i)


def adaboost(
    P, N, T, *, kernels=None, weak_learner=None, ensemble=None, callback=None, threads=None, max_memory=None
):
    """T rounds of Algorithm A.2 of Amores, Sebe & Radeva (2006), p. 208; see :func:`adaboost_rounds`.

    Parameters
    ----------
    P, N : array_like, shape (n_P, d) and (n_N, d), or Differences
        Positive and negative set.
    T : int
        Number of rounds; with `ensemble`, the number of rounds after which to end.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner, optional
        Decision stumps by default.
    ensemble : StumpEnsemble, optional
        Warm start: what an earlier call on the same P and N returned. Its rounds are replayed, not searched again,
        and the result is that of one call with all T rounds.
    callback : callable, optional
        ``callback(round)`` is called after each :class:`Round`; if it returns True, no round follows.
    threads : int, optional
        Threads that the kernels may use; None for all. The result does not depend on it.
    max_memory : int, optional
        Bytes that the training may take.

    Returns
    -------
    StumpEnsemble
        Or the weak learner's own kind of ensemble.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.
    MemoryError
        If the estimate exceeds `max_memory`; raised before the work starts.
    """
    kernels, learner = as_kernels(kernels), weak_learner or Stumps()
    P, N, T = _check_sets(P, N, T, ensemble, learner)
    if max_memory is not None:
        check_memory(learner.memory(P, N, threads=threads) + _ROUND_BYTES * T, max_memory, _FEWER, "up to")
    given = 0 if ensemble is None else len(ensemble)
    if ensemble is not None:
        learner = Replay(ensemble, learner)
    Phi = []
    for round in adaboost_rounds(P, N, kernels=kernels, weak_learner=learner, threads=threads):
        if round.t <= given and round.alpha != ensemble.alpha[round.t - 1]:
            raise ValueError(
                f"ensemble: round {round.t} has another weight on these P and N; pass those it came from"
            )
        Phi.append((round.alpha, *round.h))
        done = round.t > given and callback is not None and callback(round)
        if done or round.t == T:
            break
    return learner.Ensemble(*map(np.array, zip(*Phi, strict=True)))


# -------------------------------------------------------------------------------------- Algorithm A.3


def nearest_neighbor_boosted_distance(Y, models, X, labels, *, kernels=None, normalize=True, threads=None):
    """Label queries by Algorithm A.3 of Amores, Sebe & Radeva (2006), p. 208, by default with normalised similarities.

    NearestNeighborBoostedDistance(y, {Phi_C}, Omega), eq. 1: each query gets the label of the training vector that is
    most similar to it, the first of equals. ``normalize=False`` is the algorithm as it is printed.

    Parameters
    ----------
    Y, models, X, labels, kernels, normalize, threads
        As for :func:`similarity`.

    Returns
    -------
    ndarray, shape (n_Y,)
        Labels l_y, of the dtype of `labels`.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.
    """
    kernels = as_kernels(kernels)
    Y, X, labels = _check_queries(Y, models, X, labels)
    l_y = np.empty(len(Y), dtype=labels.dtype)
    for block in _blocks(len(Y), len(X)):
        s = _similarity(Y[block], models, X, labels, kernels, normalize, threads)  # A.3 l.2-4: s_i
        l_y[block] = labels[np.argmax(s, axis=1)]  # A.3 l.5-7: the first i whose s_i exceeds all before
    return l_y  # A.3 l.10


def class_similarities(Y, models, X, labels, *, kernels=None, normalize=True, threads=None):
    """Return how similar each query is to the most similar training vector of each class; normalised by default.

    Parameters
    ----------
    Y, models, X, labels, kernels, normalize, threads
        As for :func:`similarity`.

    Returns
    -------
    ndarray, shape (n_Y, n_classes), float64
        A column for each label in `labels`, ascending. Its largest entry is that of Algorithm A.3's answer.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.
    """
    kernels = as_kernels(kernels)
    Y, X, labels = _check_queries(Y, models, X, labels)
    classes, places = np.unique(labels, return_inverse=True)
    order = np.argsort(places, kind="stable")
    X, labels, first = X[order], labels[order], np.searchsorted(places[order], np.arange(len(classes)))
    best = np.empty((len(Y), len(classes)))
    for block in _blocks(len(Y), len(X)):
        s = _similarity(Y[block], models, X, labels, kernels, normalize, threads)
        best[block] = np.maximum.reduceat(s, first, axis=1)
    return best


def staged_nearest_neighbor(Y, models, X, labels, rounds, *, kernels=None, normalize=True, threads=None):
    """Label queries by Algorithm A.3 with the first t rounds alone, for growing t; normalised by default.

    Parameters
    ----------
    Y, models, X, labels, kernels, normalize, threads
        As for :func:`similarity`. Y and X are compared whole: n_Y * n_X similarities are held.
    rounds : iterable of int
        Ascending numbers of rounds t >= 1; an ensemble with fewer rounds counts with all it has.

    Yields
    ------
    t : int
    l_y : ndarray, shape (n_Y,)
    """
    kernels = as_kernels(kernels)
    Y, X, labels = _check_queries(Y, models, X, labels)
    S = {C: np.zeros((len(Y), np.count_nonzero(labels == C))) for C in models}
    s, before = np.empty((len(Y), len(X))), 0
    for t in rounds:
        t = as_count(t, "rounds")
        if t < before:
            raise ValueError(f"rounds: {t} comes after {before}; pass them in ascending order")
        for C, model in models.items():
            model.rounds(before, t).add_similarity(S[C], Y, X[labels == C], kernels=kernels, threads=threads)
            s[:, labels == C] = S[C] / _scale(model.rounds(0, t), normalize)
        before = t
        yield t, labels[np.argmax(s, axis=1)]


def _blocks(n_Y, n_X):
    size = max(1, _BLOCK // n_X)
    return [slice(first, first + size) for first in range(0, n_Y, size)]


# ------------------------------------------------------------------------------------------- arguments


def _check_training(X, labels, T, models):
    X = as_matrix(X, "X")
    labels = as_labels(labels, len(X), "labels", min_classes=2)
    T = as_count(T, "T")
    _check_range(X, X, "X")
    if models is not None and set(models) != set(labels.tolist()):
        raise ValueError(f"models: for the labels {list(models)}; `labels` has {np.unique(labels).tolist()}")
    return X, labels, T


def _check_sets(P, N, T, ensemble, learner):
    T = as_count(T, "T")
    P, N = (S if isinstance(S, Differences) else as_matrix(S, name) for S, name in ((P, "P"), (N, "N")))
    if P.shape[1] != N.shape[1]:
        raise ValueError(f"N: {N.shape[1]} columns; P has {P.shape[1]}")
    if isinstance(P, Differences) != isinstance(N, Differences):
        raise TypeError("P, N: pass two arrays or two Differences")
    if ensemble is not None and type(ensemble) is not learner.Ensemble:
        raise TypeError(f"ensemble is a {type(ensemble).__name__}; `weak_learner` makes a {learner.Ensemble.__name__}")
    if ensemble is not None and len(ensemble) > T:
        raise ValueError(f"T is {T}; `ensemble` has {len(ensemble)} rounds already, pass a larger T or no ensemble")
    return P, N, T


def _check_queries(Y, models, X, labels):
    X = as_matrix(X, "X")
    Y = as_vectors_like(Y, X, "Y")
    labels = as_labels(labels, len(X), "labels")
    missing = sorted(set(np.unique(labels).tolist()) - set(models))
    if missing:
        raise ValueError(f"models: none for the labels {missing}; pass what boosted_distance learnt on them")
    largest = max((model.features().max(initial=0) for model in models.values()), default=0)
    if largest >= X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns; `models` look at column {largest}")
    _check_range(X, Y, "Y")
    return Y, X, labels


def _check_range(X, Y, name):
    with np.errstate(over="ignore"):
        spread = np.maximum(X.max(axis=0), Y.max(axis=0)) - np.minimum(X.min(axis=0), Y.min(axis=0))
    if not np.isfinite(spread).all():
        raise ValueError(
            f"{name}: the values of column {np.argmax(~np.isfinite(spread))} are so far apart that their "
            "difference is infinite; rescale it"
        )
