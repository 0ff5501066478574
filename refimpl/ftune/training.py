"""FTUNE: Kar & Jain, "Similarity-based Learning via Data Driven Embeddings" (NIPS 2011).

In the paper's order: FTUNE (Algorithm 2, § 2.1), and BBS, with one landmark in the place of a pair; DSELECT (Algorithm
1, § 2.3). The landmarked space of § 2 is in :mod:`refimpl.ftune.space`, goodness (Definitions 1 and 4, Theorems 2,
3 and 5) in :mod:`refimpl.ftune.goodness`, TRAIN in :mod:`refimpl.ftune.linear_models`, K in
:mod:`refimpl.ftune.similarities`, DBOOST in :mod:`refimpl.rivals.dboost`.

The names of § 3: FTUNE takes :func:`random_landmarks`, FTUNE+D those of :func:`dselect`; -S is ``per_class=False``, one
transfer function for all classes, -M ``per_class=True``. BBS and BBS+D likewise with :func:`bbs`.

Not handled here: combinations of several similarities, and the choice of C by anything but a validation set.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from refimpl.checks import as_count, as_generator, as_kernels, as_labels
from refimpl.ftune.arguments import NormalizationWarning, as_family, as_landmarks, look_ups, setting
from refimpl.ftune.linear_models import LOSSES, path
from refimpl.ftune.similarities import as_similarity
from refimpl.ftune.space import ALONE, LandmarkClassifier, Landmarks, Ramp, classes_of, landmarked
from refimpl.resources import check_memory, processors

__all__ = [
    "CS", "SLOPES", "LandmarkClassifier", "Landmarks", "NormalizationWarning", "Ramp", "bbs", "diverse_landmarks",
    "dselect", "estimate_memory", "ftune", "landmark_pairs", "landmarked", "random_landmarks",
]  # fmt: skip

OBJECT_BYTES = 2**12  # what Python takes for the objects of a training, at most
SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)  # § 3
CS = (1.0, 10.0, 100.0, 1000.0)  # § 3
BIAS = 1.0  # scikit-learn's; LIBLINEAR's own default, and the paper's g(x), have none: 0.0


# ------------------------------------------------------------------------------------------------- § 2.1


def ftune(
    K, labels, P, *, F=SLOPES, loss="squared_hinge", C=CS, bias=BIAS, choose="validation", validation=None,
    per_class=False, class_weight=None, bound=None, callback=None, kernels=None, threads=None, max_memory=None,
):  # fmt: skip
    """Algorithm 2 of Kar & Jain (2011), FTUNE: the transfer function whose landmarked space separates best.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        n * r look-ups for r landmarks, and r for each validation object.
    labels : array_like, shape (n,)
        Two classes at least; of more each is told from the rest.
    P : Landmarks
        :func:`dselect`, :func:`random_landmarks` or :func:`landmark_pairs` choose them (l. 1).
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
        Bytes that the training may take; see :func:`estimate_memory`.

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
    F = as_family(F)
    K, given = setting(
        K, labels, P, loss, C, bias, choose, validation, per_class, bound, kernels, threads, class_weight
    )  # fmt: skip
    given = _looked_up(K, given, P, F, validation, max_memory)
    found = _train_all(given, P.plus, P.minus, F, callback)
    return found[0] if len(found) == 1 else tuple(found)


def bbs(
    K, labels, L, *, loss="squared_hinge", C=CS, bias=BIAS, validation=None, class_weight=None, bound=None,
    kernels=None, threads=None, max_memory=None,
):  # fmt: skip
    """BBS of § 3: Balcan & Blum's landmarked space (K(x, x_1), ..., K(x, x_d)) and a linear classifier on it.

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
    K, given = setting(
        K, labels, P, loss, C, bias, choose, validation, False, bound, kernels, threads, class_weight
    )  # fmt: skip
    given = _looked_up(K, given, P, (1.0,), validation, max_memory)
    problems = len(given["y"])
    return _train_all(given, np.repeat(P.plus, problems, 0), np.repeat(P.minus, problems, 0), (1.0,))[0]


def estimate_memory(n, d, classes=2, held=0, *, landmarks=None, F=SLOPES, C=CS, threads=None):
    """Bytes that :func:`ftune` takes at most beside `K`, its objects and what K itself needs for a look-up.

    Most of it is Phi_L under all transfer functions, once for each problem that is trained at a time.

    Parameters
    ----------
    n, held : int
        Objects of the training and of the validation.
    d : int
        Landmark pairs of each problem.
    classes : int
    landmarks : int, optional
        How many different ones the pairs of all problems have; by default d.
    F, C, threads
        As for :func:`ftune`; one function for :func:`bbs`.

    Returns
    -------
    int
    """
    r = d if landmarks is None else landmarks
    problems = 1 if classes == 2 else classes
    at_a_time = min(problems, threads or processors())
    differences = (3 + (len(F) + 2) * any(map(callable, F))) * max(n, held) * d  # while Phi_L is made of them
    train = 5 * n * (d + 1) + 6 * (d + 1) ** 2 + 32 * n  # rows whose loss is active, their factor, the steps
    train += min(n * (d + 1), 2**22)  # BLAS packs them
    one = len(F) * (n + held) * d + max(differences, train)
    results = problems * len(F) * np.size(C) * (2 * (d + 1) + 3 * held)
    labels = (problems + 8) * (n + held) + 6 * problems * d
    look_ups = 5 * (n + held) * r  # a number of Python's takes as much as four of NumPy's
    needed = 8 * int(max(look_ups, (n + held) * r + at_a_time * one + results) + labels)
    return needed + OBJECT_BYTES * (16 + problems * (4 + len(F) * np.size(C)))


def _looked_up(K, given, P, F, validation, max_memory):
    """What the training needs: `given` with the similarities, unless all of it would be too large."""
    if max_memory is not None:
        held = 0 if given["held"] is None else len(given["held"])
        needed = estimate_memory(
            len(K), P.plus.shape[1], len(given["classes"]), held, landmarks=len(given["landmarks"]), F=F, C=given["C"],
            threads=given["threads"],
        )  # fmt: skip
        check_memory(needed, max_memory, "threads, landmark pairs or transfer functions", "up to")
    return given | look_ups(K, given, validation)


def _train_all(given, plus, minus, F, callback=None):
    """Algorithm 2 over all problems: a classifier for each way to choose."""
    landmarks = given["landmarks"]
    plus = np.searchsorted(landmarks, plus)
    minus = np.where(minus == ALONE, ALONE, np.searchsorted(landmarks, np.maximum(minus, 0)))
    with ThreadPoolExecutor(given["threads"]) as pool:
        found = []
        try:
            for one in pool.map(lambda p: _for_all_f(given, p, plus[p], minus[p], F), range(len(plus))):
                found.append(one)
                if callback is not None:
                    callback(len(found), len(plus))
        except BaseException:
            pool.shutdown(cancel_futures=True)  # what has begun is finished, the rest is left
            raise
    weights, losses, gaps, scores = (np.array(one) for one in zip(*found, strict=True))
    slopes = np.array([np.nan if callable(one) else one for one in F])
    models, problems = [], np.arange(len(plus))
    for per_class in given["per_class"]:
        accuracies = _accuracies(scores, given, per_class)
        f, c = _choose(losses, accuracies, given, per_class)
        w = weights[problems, f, c]
        models.append(LandmarkClassifier(
            given["classes"], landmarks, plus, minus, slopes, f, given["C"][c], w[:, :-1], w[:, -1], given["scale"],
            losses, accuracies, gaps,
        ))  # fmt: skip
        models[-1].set_functions(F)
    return models


def _for_all_f(given, p, plus, minus, F):
    """Algorithm 2, l. 2-4, for one problem and every C: weights with b last, L_f, gaps, validation scores g."""
    y, spaces, held = given["y"][p], *(_spaces(given, S, plus, minus, F) for S in (given["S"], given["V"]))
    shape = len(F), len(given["C"])
    weights, scores = np.empty((*shape, len(plus) + 1)), np.empty((*shape, len(given["V"])))
    losses, gaps = np.empty(shape), np.empty(shape)
    for f in range(len(F)):  # Alg. 2 l.2
        models = path(spaces[f], y, given["C"], given["loss"], given["bias"], weights=given["weights"])
        for c, model in enumerate(models):
            weights[f, c] = np.append(model.w, model.b)  # Alg. 2 l.3: w_f <- TRAIN(P, L)
            L = LOSSES[given["loss"]](y * (spaces[f] @ model.w + model.b))
            losses[f, c] = _mean(L, given["weights"])  # L_f <- L(w_f)
            scores[f, c] = held[f] @ model.w + model.b
            gaps[f, c] = model.gap / model.objective
    return weights, losses, gaps, scores


def _spaces(given, S, plus, minus, F):
    if minus[0] == ALONE:
        return S[None][:, :, plus]
    threads = given["threads"] if len(given["y"]) == 1 else 1
    return landmarked(S, plus, minus, F, kernels=given["kernels"], threads=threads)


def _accuracies(scores, given, per_class):
    """Validation accuracy of every f and C, of shape (1, m, n_C), or for each problem, from scores (P, m, n_C, k)."""
    if given["held"] is None:
        return np.empty(0)
    if per_class:
        truth = np.array([given["held"] == c for c in given["positive"]])
        return _mean((scores > 0) == truth[:, None, None], given["held_weights"])
    held, weights = given["held"], given["held_weights"]
    return np.array([[[_mean(classes_of(g.T) == held, weights) for g in of_f] for of_f in np.moveaxis(scores, 0, 2)]])


def _mean(values, weights):
    """The mean over the last axis, of objects that count `weights`, or alike."""
    return values.mean(axis=-1) if weights is None else np.average(values, axis=-1, weights=weights)


def _choose(losses, accuracies, given, per_class):
    """Algorithm 2, l. 5: the place of f* and of C for each problem."""
    if not per_class:
        losses = losses.mean(axis=0, keepdims=True)
    by = accuracies if accuracies.size else -losses
    c = by.argmax(axis=2)  # C by validation, for each f
    if given["choose"] == "training":
        by = -losses
    f = np.take_along_axis(by, c[:, :, None], 2)[:, :, 0].argmax(axis=1)
    c = c[np.arange(len(f)), f]
    problems = len(given["y"])
    return np.broadcast_to(f, problems).copy(), np.broadcast_to(c, problems).copy()


# ------------------------------------------------------------------------------------------------- § 2.3


def dselect(K, labels, d, rng, *, by_class=None, kernels=None, threads=None):
    """Algorithm 1 of Kar & Jain (2011), DSELECT: landmarks that are little similar to each other, and pairs of them.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        Less than n * d look-ups.
    labels : array_like, shape (n,)
        Two classes at least.
    d : int
        Landmarks, and pairs for each problem. With fewer objects all of them are landmarks, and there are d pairs.
    rng : numpy.random.Generator
    by_class : bool, optional
        Whether each class gets its share of the landmarks, chosen within it: the paper's extension to more than two
        classes. By default for more than two, and where the landmarks of two are all of one class. Shares differ by one
        at most, unless a class has fewer objects; each has one landmark at least.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional

    Returns
    -------
    Landmarks
        Of equally dissimilar objects the first is taken.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a similarity is not finite.
    """
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    K, d, rng, kernels = as_similarity(K, len(labels)), as_count(d, "d"), as_generator(rng), as_kernels(kernels)
    codes = np.unique(labels, return_inverse=True)[1]
    everything, c = np.arange(len(labels)), codes.max() + 1
    literal = c == 2 if by_class is None else not by_class
    if literal:
        L = _diverse(K, everything, min(d, len(labels)), rng, kernels, threads)
    if not literal or (by_class is None and (codes[L] == codes[L[0]]).all()):
        shares = _shares(np.bincount(codes), d, rng)
        classes = [_diverse(K, everything[codes == k], shares[k], rng, kernels, threads) for k in range(c)]
        L = np.concatenate(classes)
    return landmark_pairs(labels, L, d, rng)


def _diverse(K, T, d, rng, kernels, threads):
    """Algorithm 1, l. 1-5, over the objects T."""
    z = int(rng.integers(len(T)))  # l.1
    L, gone, sums = [z], np.zeros(len(T), dtype=bool), np.zeros(len(T))
    gone[z] = True  # ERRATUM FT-1
    for _ in range(2, d + 1):  # l.2
        column = K.within(None if len(T) == len(K) else T, T[[z]])[:, 0]
        z = int(kernels.least_similar(sums, np.ascontiguousarray(column), gone, threads=threads))  # l.3
        L.append(z)  # l.4
        gone[z] = True
    return T[L]


def diverse_landmarks(K, d, rng, *, kernels=None, threads=None):
    """Algorithm 1, l. 1-5 alone: landmarks without labels, for BBS.

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
    """
    K, d, rng = as_similarity(K), as_count(d, "d"), as_generator(rng)
    return _diverse(K, np.arange(len(K)), min(d, len(K)), rng, as_kernels(kernels), threads)


def _shares(sizes, d, rng):
    """How many landmarks each class gets: one at least, all objects at most, else as evenly as can be."""
    order, shares = rng.permutation(len(sizes)), np.ones(len(sizes), dtype=np.int64)
    while shares.sum() < min(d, sizes.sum()):
        open_ = order[shares[order] < sizes[order]]
        least = open_[shares[open_] == shares[open_].min()]
        shares[least[: d - shares.sum()]] += 1
    return shares


def landmark_pairs(labels, L, d, rng):
    """Algorithm 1, l. 6-9: d pairs of different classes out of given landmarks, with replacement.

    Parameters
    ----------
    labels : array_like, shape (n,)
        Of all training objects.
    L : array_like of int, shape (r,)
        Landmarks; one of each class at least.
    d : int
    rng : numpy.random.Generator

    Returns
    -------
    Landmarks

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a class has no landmark.
    """
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    L, d, rng = as_landmarks(L, len(labels), "L"), as_count(d, "d"), as_generator(rng)
    classes, plus, minus = np.unique(labels), [], []
    for C in classes[1:] if len(classes) == 2 else classes:
        positive, negative = L[labels[L] == C], L[labels[L] != C]
        if not len(positive) or not len(negative):
            raise ValueError(f"L has no landmark {'of' if not len(positive) else 'outside'} class {C}; add one")
        plus.append(positive[rng.integers(len(positive), size=d)])  # l.6-8
        minus.append(negative[rng.integers(len(negative), size=d)])
    return Landmarks(L, np.array(plus), np.array(minus))


def random_landmarks(labels, d, rng, *, pool=True):
    """Landmarks and pairs at random, as Algorithm 2, l. 1 and Theorem 2 have them.

    Parameters
    ----------
    labels : array_like, shape (n,)
    d : int
        Landmarks, and pairs for each problem. With fewer objects all of them are landmarks, and there are d pairs.
    rng : numpy.random.Generator
    pool : bool
        True: d landmarks, one of each class at least, out of which each problem draws its pairs as Algorithm 1 does:
        a new object costs about d look-ups. False: each problem draws d fresh pairs from all objects.

    Returns
    -------
    Landmarks

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.
    """
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    d, rng = as_count(d, "d"), as_generator(rng)
    order = rng.permutation(len(labels))
    if not pool:
        return landmark_pairs(labels, order, d, rng)
    _, first = np.unique(labels[order], return_index=True)  # one of each class, then any
    others = np.delete(order, first)
    return landmark_pairs(labels, np.concatenate([order[first], others])[: max(d, len(first))], d, rng)
