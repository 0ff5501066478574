"""FTUNE (Algorithm 2) and BBS for use: any labels, several classes, C and f chosen on a validation set.

Algorithm 2 as printed is :func:`refimpl.ftune.algorithm.ftune`. Here lines 2-4 are :func:`tune`, which trains a problem
for every C as well; line 5 is :func:`best_function`. Landmarks come from :mod:`refimpl.ftune.landmarks` (line 1).

The names of § 3: FTUNE takes :func:`refimpl.ftune.random_landmarks`, FTUNE+D those of :func:`refimpl.ftune.dselect`; -S
is ``per_class=False``, one transfer function for all classes, -M ``per_class=True``. BBS and BBS+D likewise with
:func:`bbs`.

Not handled here: combinations of several similarities, and the choice of C by anything but a validation set.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from refimpl.ftune.linear_models import LOSSES, path
from refimpl.ftune.problems import CS, SLOPES, as_training, one_vs_all
from refimpl.ftune.space import ALONE, LandmarkClassifier, Landmarks

__all__ = ["BIAS", "bbs", "ftune"]

BIAS = 1.0  # scikit-learn's; LIBLINEAR's own default, and the paper's g(x), have none: 0.0
EQUAL = 6  # decimals of a validation accuracy that count


def ftune(
    K, labels, P, *, F=SLOPES, loss="squared_hinge", C=CS, bias=BIAS, choose="validation", validation=None,
    per_class=False, class_weight=None, bound=None, callback=None, kernels=None, threads=None, max_memory=None,
):  # fmt: skip
    """Train FTUNE, Algorithm 2 of Kar & Jain (2011): find the transfer function whose landmarked space separates best.

    By default f and C are those of the best validation accuracy, as in the paper's experiments; ``choose="training"``
    with one C is Algorithm 2 as printed.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        n * r look-ups for r landmarks, and r for each validation object.
    labels : array_like, shape (n,)
        Two classes at least; of more each is told from the rest.
    P : Landmarks
        :func:`refimpl.ftune.random_landmarks`, :func:`refimpl.ftune.dselect` or :func:`refimpl.ftune.landmark_pairs`
        choose them (line 1).
    F : sequence of floats or callables
        The family: slopes of ramps (infinity: the sign), or antisymmetric functions of an array.
    loss : {"squared_hinge", "hinge", "logistic"}
        L; the default is LIBLINEAR's.
    C : float or sequence of floats
        The best on the validation set is taken, for each f. C times a class weight must be between 1e-100 and 1e12:
        beyond, rounding makes the classifiers useless.
    bias : float
        A constant feature of that value, whose weight is penalised too, as LIBLINEAR does; 0: none.
    choose : {"validation", "training"}
        What f* is best in: validation accuracy (§ 3.3), or L_f, the mean training loss (Algorithm 2).
    validation : (objects, array_like), optional
        Objects, for a matrix K their rows of n similarities, and labels.
    per_class : bool or "both"
        Whether each class chooses f* (and C) by the accuracy of its own problem (-M), or all together choose one by
        that of the whole classifier (-S). "both" chooses twice out of one training.
    class_weight : dict of label -> float, optional
        What the losses, and the validation objects, of a class count; 1 where it has no entry. By default all count
        alike.
    bound : float, optional
        sup |K|, by which similarities are divided. By default the largest |K| that the training looks up, if that is
        above 1, with a warning.
    callback : callable, optional
        Called as ``callback(trained, problems)`` after each one-vs-all problem; what it raises ends the training.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional
        Problems trained at a time; None for all processors. The result does not depend on it.
    max_memory : int, optional
        Bytes that the training may take; see :func:`refimpl.ftune.estimate_memory`.

    Returns
    -------
    LandmarkClassifier, or with per_class="both" a pair of them: -S, -M
        Of equally good choices the first f, then the first C.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, a similarity is not finite, or `bound` is exceeded.
    MemoryError
        If the estimate exceeds `max_memory`; raised before the first look-up of K.

    Warns
    -----
    NormalizationWarning
        If similarities exceeded 1 and no `bound` was given.
    """
    training = as_training(F, loss, C, bias, choose, per_class, kernels, threads)
    problems = one_vs_all(K, labels, P, validation, training, class_weight, bound, max_memory)
    models = _train(problems, training, callback)
    return models[0] if len(models) == 1 else tuple(models)


def bbs(
    K, labels, L, *, loss="squared_hinge", C=CS, bias=BIAS, validation=None, class_weight=None, bound=None,
    kernels=None, threads=None, max_memory=None,
):  # fmt: skip
    """Train BBS of § 3: a linear classifier on Balcan & Blum's landmarked space (K(x, x_1), ..., K(x, x_d)).

    Parameters
    ----------
    K, labels, loss, C, bias, validation, class_weight, bound, kernels, threads, max_memory
        As for :func:`ftune`.
    L : array_like of int, shape (d,), or Landmarks
        Landmarks.

    Returns
    -------
    LandmarkClassifier

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`ftune`.
    """
    L = np.asarray(L.L if isinstance(L, Landmarks) else L)
    P = Landmarks(L, np.atleast_2d(L), np.full((1, L.size), ALONE))
    choose = "training" if validation is None else "validation"
    training = as_training((1.0,), loss, C, bias, choose, False, kernels, threads)
    problems = one_vs_all(K, labels, P, validation, training, class_weight, bound, max_memory)
    return _train(problems, training)[0]


def _train(problems, training, callback=None):
    """Train all problems, some at a time, and return a classifier for each way to choose."""
    with ThreadPoolExecutor(training.threads) as pool:
        found = []
        try:
            for one in pool.map(lambda p: tune(problems, training, p), range(len(problems.l))):
                found.append(one)
                if callback is not None:
                    callback(len(found), len(problems.l))
        except BaseException:
            pool.shutdown(cancel_futures=True)  # what has begun is finished, the rest is left
            raise
    w, losses, gaps, scores = (np.array(one) for one in zip(*found, strict=True))
    return [_classifier(problems, training, way, w, losses, gaps, scores) for way in training.per_class]


def tune(problems, training, p):
    """Train problem p under every f and for every C: Algorithm 2, lines 2-4.

    Parameters
    ----------
    problems : refimpl.ftune.problems.OneVsAll
    training : refimpl.ftune.problems.Training
    p : int

    Returns
    -------
    w : ndarray, shape (m, n_C, d + 1), float64
        w_f, with b last.
    losses : ndarray, shape (m, n_C), float64
        L_f.
    gaps : ndarray, shape (m, n_C), float64
        How far TRAIN can be from its optimum, relative to it.
    scores : ndarray, shape (m, n_C, k), float64
        g(x) of the validation objects.
    """
    l = problems.l[p]
    L = LOSSES[training.loss]
    Phi, held = problems.spaces(p, training)
    shape = (len(training.F), len(training.C))
    w = np.empty((*shape, Phi.shape[2] + 1))
    losses = np.empty(shape)
    gaps = np.empty(shape)
    scores = np.empty((*shape, held.shape[1]))
    for f in range(len(training.F)):  # FT:2:2
        TRAIN = path(Phi[f], l, training.C, training.loss, training.bias, weights=problems.weights)
        for c, w_f in enumerate(TRAIN):  # one C after the other
            w[f, c] = np.append(w_f.w, w_f.b)  # FT:2:3  w_f <- TRAIN(P, L)
            losses[f, c] = problems.mean_loss(L(l * (Phi[f] @ w_f.w + w_f.b)))  # FT:2:3  L_f <- L(w_f)
            gaps[f, c] = w_f.gap / w_f.objective
            scores[f, c] = held[f] @ w_f.w + w_f.b
    return w, losses, gaps, scores


def best_function(losses, accuracies, by_loss):
    """Return the places of f* and of its C, of equally good ones the first: Algorithm 2, line 5.

    Parameters
    ----------
    losses : ndarray, shape (problems, m, n_C), float64
        L_f.
    accuracies : ndarray, shape (problems, m, n_C), float64, or (0,)
        On the validation set. They alone choose C where they are there. Six decimals count: with class weights of
        1,000 and 0.0001 the choice must not hang on objects that count next to nothing.
    by_loss : bool
        Whether L_f chooses f, as printed, or validation.

    Returns
    -------
    f, c : ndarray, shape (problems,), int64
    """
    by = np.round(accuracies, EQUAL) if accuracies.size else -losses
    c = by.argmax(axis=2)  # for each f
    if by_loss:  # ERRATUM FT-7
        by = -losses
    f = np.take_along_axis(by, c[:, :, None], 2)[:, :, 0].argmax(axis=1)  # FT:2:5
    return f, c[np.arange(len(f)), f]


def _classifier(problems, training, per_class, w, losses, gaps, scores):
    """The classifier out of all weights, where each problem chooses for itself (-M) or all together (-S)."""
    accuracies = problems.accuracies(scores, per_class)
    by = losses if per_class else losses.mean(axis=0, keepdims=True)
    f, c = best_function(by, accuracies, training.choose == "training")
    f, c = (np.broadcast_to(one, len(w)).copy() for one in (f, c))
    best = w[np.arange(len(w)), f, c]
    slopes = np.array([np.nan if callable(one) else one for one in training.F])
    model = LandmarkClassifier(
        problems.classes, problems.landmarks, problems.plus, problems.minus, slopes, f, training.C[c], best[:, :-1],
        best[:, -1], problems.scale, losses, accuracies, gaps,
    )  # fmt: skip
    model.set_functions(training.F)
    return model  # FT:2:6
