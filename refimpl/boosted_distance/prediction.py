"""Boosted Distance for use: eq. 4 and Algorithm A.3 of Amores, Sebe & Radeva (2006), with checks of the arguments.

Similarities are those of :mod:`.algorithm`. All training vectors of a class are compared at once and queries in blocks;
the labels are those of the printed loop over the training vectors.

Not handled here: K > 1 neighbours (the paper uses K = 1 throughout).
"""

import numpy as np

from refimpl.boosted_distance import algorithm
from refimpl.boosted_distance.differences import require_finite_differences
from refimpl.checks import as_count, as_kernels, as_labels, as_matrix, as_vectors_like

__all__ = [
    "class_similarities",
    "nearest_neighbor_boosted_distance",
    "selected_dimensions",
    "similarity",
    "staged_nearest_neighbor",
]

_BLOCK = 2**23  # similarities held at a time: 64 MiB


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
    options = {"normalize": normalize, "kernels": kernels, "threads": threads}
    for C, model in models.items():
        S[:, labels == C] = algorithm.similarity(Y, X[labels == C], model, **options)  # BD:A.3:3, BD:A.3:4
    return S


def selected_dimensions(models):
    """Return the dimensions that the boosted distance looks at: at most T of them for each class.

    It is the reduction of dimensionality of Amores, Sebe & Radeva (2006), § 3, after eq. 4, and § 4.2.

    Parameters
    ----------
    models : dict of label -> StumpEnsemble

    Returns
    -------
    ndarray of int64, ascending
    """
    return np.unique(np.concatenate([model.features() for model in models.values()]))


def nearest_neighbor_boosted_distance(Y, models, X, labels, *, kernels=None, normalize=True, threads=None):
    """Label queries by Algorithm A.3 of Amores, Sebe & Radeva (2006), p. 208, by default with normalised similarities.

    NearestNeighborBoostedDistance(y, {Phi_C}, Omega), eq. 1: each query gets the label of the training vector that is
    most similar to it, the first of equals. ``normalize=False`` has the sum as it is printed. The labels are those of
    :func:`.algorithm.nearest_neighbor_boosted_distance`.

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
        s = _similarity(Y[block], models, X, labels, kernels, normalize, threads)  # BD:A.3:2, BD:A.3:3, BD:A.3:4
        l_y[block] = labels[np.argmax(s, axis=1)]  # BD:A.3:5, BD:A.3:6, BD:A.3:7, BD:eq1  the first of equals
    return l_y  # BD:A.3:10


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
            s[:, labels == C] = S[C] / algorithm.total_weight(model.rounds(0, t)) if normalize else S[C]
        before = t
        yield t, labels[np.argmax(s, axis=1)]


def _blocks(n_Y, n_X):
    size = max(1, _BLOCK // n_X)
    return [slice(first, first + size) for first in range(0, n_Y, size)]


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
    require_finite_differences(X, Y, "Y")
    return Y, X, labels
