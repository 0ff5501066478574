"""Boosted Distance for use: Algorithms A.1 and A.2 of Amores, Sebe & Radeva (2006), which report and continue.

The algorithms stand in :mod:`.algorithm`. The functions here drive their rounds, so they train the same ensembles.

Not handled here: missing values, sparse matrices.
"""

import numpy as np

from refimpl.boosted_distance.algorithm import adaboost_rounds, difference_vectors
from refimpl.boosted_distance.differences import Differences, require_finite_differences
from refimpl.boosted_distance.weak_learners import STUMPS, Replay
from refimpl.checks import as_count, as_kernels, as_labels, as_matrix
from refimpl.resources import check_memory

__all__ = ["adaboost", "boosted_distance", "estimate_memory"]

_ROUND_BYTES = 2**10  # of each round of the class in training, as Python objects
_MODEL_BYTES = 96  # of each round of each class
_FEWER = "training vectors or features"


def boosted_distance(
    X, labels, T, *, kernels=None, weak_learner=None, models=None, callback=None, threads=None, max_memory=None
):
    """Train Algorithm A.1 of Amores, Sebe & Radeva (2006), p. 208: BoostedDistance(Omega, {l_i}, T).

    The ensembles are those of :func:`.algorithm.boosted_distance`, bit for bit. There is one for each class C, learnt
    from the differences between vectors of C and from those of other vectors to vectors of C. Only one
    class's pairs are held at a time, and those only as sorted row numbers.

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
    for C in np.unique(labels).tolist():  # BD:A.1:1
        P, N = difference_vectors(X, labels, C)  # BD:A.1:2, BD:A.1:3
        Phi[C] = adaboost(  # BD:A.1:4
            P,
            N,
            T,
            kernels=kernels,
            weak_learner=weak_learner,
            ensemble=None if models is None else models[C],
            callback=None if callback is None else lambda round, C=C: callback(C, round),
            threads=threads,
        )
    return Phi  # BD:A.1:6


def estimate_memory(X, labels, T=1, *, weak_learner=None, threads=None):
    """Return the bytes that :func:`boosted_distance` will take at most, beyond `X`, on either kernel.

    It is an upper bound, and two to three times the truth as a rule. It is that of the class that needs most: only one
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
    learner, classes = weak_learner or STUMPS, np.unique(labels)
    largest = max(learner.memory(*difference_vectors(X, labels, C), threads=threads) for C in classes)
    return int(largest + (_ROUND_BYTES + _MODEL_BYTES * len(classes)) * T)


def adaboost(
    P, N, T, *, kernels=None, weak_learner=None, ensemble=None, callback=None, threads=None, max_memory=None
):
    """Train T rounds of Algorithm A.2 of Amores, Sebe & Radeva (2006), p. 208: AdaBoost(P, N, T).

    The ensemble is that of :func:`.algorithm.adaboost`, bit for bit.

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
    kernels, learner = as_kernels(kernels), weak_learner or STUMPS
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
    return learner.Ensemble.from_rounds(Phi)


def _check_training(X, labels, T, models):
    X = as_matrix(X, "X")
    labels = as_labels(labels, len(X), "labels", min_classes=2)
    T = as_count(T, "T")
    require_finite_differences(X, X, "X")
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
