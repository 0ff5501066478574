"""FTUNE (Algorithm 2) and BBS for use: any labels, several classes, C and f chosen by validation.

Algorithm 2 as printed is :func:`refimpl.ftune.algorithm.ftune`. Here lines 2-4 are :func:`tune`,
which trains a problem for every C as well, and line 5 is :func:`best_function`. Landmarks come from
:mod:`refimpl.ftune.landmarks` (line 1).

The names of § 3: FTUNE takes the pairs of :func:`refimpl.ftune.random_landmarks`, and FTUNE+D those
of :func:`refimpl.ftune.dselect`. The suffix -S is ``per_class=False``, with one transfer function
for all classes; -M is ``per_class=True``. BBS and BBS+D are :func:`bbs` with the same landmarks.

Not handled here: combinations of several similarities, and the choice of C by anything but a
validation set.
"""

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import numpy as np

from refimpl.arrays import blocks
from refimpl.checks import as_callback
from refimpl.ftune.linear_models import LOSSES, path
from refimpl.ftune.model import (
    DEFAULTS,
    FTuneOptions,
    FTuneTraining,
    LandmarkClassifier,
    Landmarks,
    TrainedProblem,
    classes_of,
    for_bbs,
    stacked,
)
from refimpl.ftune.problems import OneVsAll, as_classes, as_problems, as_singletons
from refimpl.ftune.similarities import Objects, Similarity, slopes_of
from refimpl.progress import Callback, Step
from refimpl.resources import check_memory, one_blas_thread, share
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

OBJECT_BYTES = 2**12  # an upper bound of the bytes of a Python object of the training


def estimate_memory(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    landmarks: Landmarks | ArrayLike,
    *,
    validation: tuple[Objects, ArrayLike] | None = None,
    options: FTuneOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: FTuneTraining | None = None,
    max_memory: int | None = None,
) -> int:
    """Return an upper bound of the bytes that :func:`ftune` or :func:`bbs` takes.

    The estimate makes no look-up of K. It does not include `K`, its objects and the memory of the
    function K. Most of it is Phi_L under all transfer functions, for all problems that are trained
    at the same time.

    Parameters
    ----------
    K, y, validation, options, threads
        As for :func:`ftune`.
    landmarks : Landmarks, or array_like of int, shape (d,)
        For :func:`ftune` landmark pairs; for :func:`bbs` indices of landmarks, such as
        ``landmarks.L``.
    kernels, callback, start, max_memory
        Taken as :func:`ftune` takes them. They do not change the estimate.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    ftune, bbs : Compare `max_memory` with the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, estimate_memory, random_landmarks
    >>> K, y = np.eye(40), np.arange(40) % 2
    >>> few, many = (random_landmarks(y, d, rng=np.random.default_rng(0)) for d in (5, 50))
    >>> options = FTuneOptions(C=1.0, choose="training")
    >>> estimate_memory(K, y, few, options=options) < estimate_memory(K, y, many, options=options)
    True
    """
    if isinstance(landmarks, Landmarks):
        pairs = landmarks
    else:
        pairs = as_singletons(landmarks, len(as_classes(y)))
        options = for_bbs(options, validation)
    return training_bytes(as_problems(K, y, pairs, validation, options, kernels, threads))


def training_bytes(asked: OneVsAll) -> int:
    """Return the most bytes that a training takes, from the sizes of its asked."""
    n = len(asked.codes)
    n_validation = 0 if asked.validation_codes is None else len(asked.validation_codes)
    r = len(asked.landmarks)
    problems, d = asked.plus.shape
    m = len(asked.family)
    n_C = int(asked.C.size)
    at_a_time = min(problems, asked.threads)
    functions = min(m, asked.threads) if problems == 1 else 1  # that are tried at a time
    # differences of similarities, in memory while Phi_L is computed
    differences = (3 + (m + 2) * any(map(callable, asked.family))) * max(n, n_validation) * d
    # rows with a positive loss, their factor, the steps
    train = 5 * n * (d + 1) + 6 * (d + 1) ** 2 + 32 * n
    train += min(n * (d + 1), 2**22)  # copies that BLAS makes
    of_a_problem = m * (n + n_validation) * d + max(differences, functions * train)
    results = problems * m * n_C * (2 * (d + 1) + 3 * n_validation)
    labels = (problems + 8) * (n + n_validation) + 6 * problems * d
    look_ups = 2.25 * (n + n_validation) * r  # the look-ups, and a scaled or negated copy
    at_once = (n + n_validation) * r + at_a_time * of_a_problem + results
    arrays = 8 * int(max(look_ups, at_once) + labels)
    objects = OBJECT_BYTES * int(16 + problems * (4 + m * n_C))
    return arrays + objects


WORTH = 300_000  # numbers of a space from which slopes are trained on several threads
EQUAL = 6  # decimals of a validation accuracy that count


def ftune(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    landmarks: Landmarks,
    *,
    validation: tuple[Objects, ArrayLike] | None = None,
    options: FTuneOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: FTuneTraining | None = None,
    max_memory: int | None = None,
) -> LandmarkClassifier:
    """Train FTUNE, Algorithm 2 of Kar & Jain (2011): find the best transfer function.

    The best transfer function is the one whose landmarked space separates the classes best. By
    default f and C are those of the best validation accuracy, as in the paper's experiments.
    ``options=FTuneOptions(choose="training", C=1.0)`` is Algorithm 2 as printed.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
        The similarity. The training makes n * r look-ups for r landmarks, and r for each
        validation object.
    y : array_like, shape (n,)
        Labels of at least two classes. With more than two classes there is a one-vs-all problem for
        each class, which separates it from the rest.
    landmarks : Landmarks
        Pairs of :func:`random_landmarks`, :func:`dselect` or :func:`landmark_pairs` (line 1).
    validation : (objects, array_like), optional
        Objects that f and C are chosen by, and their labels. For a matrix K the objects are rows of
        n similarities. It can be left out with ``choose="training"`` and one C.
    options : FTuneOptions, optional
        Transfer functions, loss, C and how to choose among them.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional
        Problems to train at a time; None for all processors. The slopes of a single problem are
        trained in parallel if it is large enough. The result does not depend on it.
    callback : callable, optional
        Called with a :class:`refimpl.Step` after each one-vs-all problem. `label` is its class (of
        two classes the second), `state` is a :class:`TrainedProblem`, and `result` is an
        :class:`FTuneTraining`. If the callback returns True, the other problems are not trained,
        and the classifier predicts only the classes trained so far.
    start : FTuneTraining, optional
        The `result` of a step of a training with the same arguments. Its problems are not trained
        again; the classifier is that of an uninterrupted training, bit for bit. `per_class`,
        `choose`, `kernels` and `threads` may differ.
    max_memory : int, optional
        The most bytes that it may take; see :func:`estimate_memory`. By default what is free when
        it starts; no limit where that is unknown.

    Returns
    -------
    LandmarkClassifier
        Among equally good choices the first f is taken, then the first C.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, a similarity is not finite, `bound` is exceeded, or `start`
        comes from other arguments.
    MemoryError
        If the estimate exceeds `max_memory`. It is raised before the first look-up of K.

    Warns
    -----
    NormalizationWarning
        If similarities exceed 1 and the options have no `bound`.
    UserWarning
        If all training objects get the same class, as where similarities vanish.

    See Also
    --------
    LandmarkClassifier.predict : Label new objects with the trained classifier.
    bbs : Landmarks instead of pairs, and no transfer function.
    ftune_single_and_per_class : FTUNE-S and FTUNE-M out of one training.
    refimpl.estimators.FTuneClassifier : The same as a scikit-learn estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, ftune, random_landmarks
    >>> K = np.kron(np.eye(2), np.ones((3, 3)))
    >>> y = ["a", "a", "a", "b", "b", "b"]
    >>> pairs = random_landmarks(y, 2, rng=np.random.default_rng(0))
    >>> model = ftune(K, y, pairs, options=FTuneOptions(choose="training", C=1.0))
    >>> model.predict(K, K).tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """
    how = options, kernels, threads, callback, start, max_memory
    problems, trained = _train(K, y, landmarks, validation, *how)
    return _classifier(problems, problems.options.per_class, trained)


def ftune_single_and_per_class(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    landmarks: Landmarks,
    *,
    validation: tuple[Objects, ArrayLike] | None = None,
    options: FTuneOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: FTuneTraining | None = None,
    max_memory: int | None = None,
) -> tuple[LandmarkClassifier, LandmarkClassifier]:
    """Train FTUNE-S and FTUNE-M of § 3 at once; they differ only in the choice of f and C.

    Parameters
    ----------
    K, y, landmarks, validation, kernels, threads, callback, start, max_memory
        As for :func:`ftune`.
    options : FTuneOptions, optional
        `per_class` is not used.

    Returns
    -------
    single, per_class : LandmarkClassifier
        What :func:`ftune` returns with ``per_class=False`` and ``per_class=True``.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`ftune`.

    See Also
    --------
    ftune : One of the two.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, ftune_single_and_per_class, random_landmarks
    >>> K, y = np.kron(np.eye(3), np.ones((2, 2))), [0, 0, 1, 1, 2, 2]
    >>> pairs = random_landmarks(y, 4, rng=np.random.default_rng(0))
    >>> both = ftune_single_and_per_class(K, y, pairs, validation=(K, y))
    >>> [model.accuracies.shape for model in both]
    [(1, 6, 4), (3, 6, 4)]
    """
    how = options, kernels, threads, callback, start, max_memory
    problems, trained = _train(K, y, landmarks, validation, *how)
    return _classifier(problems, False, trained), _classifier(problems, True, trained)


def bbs(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    landmarks: Landmarks | ArrayLike,
    *,
    validation: tuple[Objects, ArrayLike] | None = None,
    options: FTuneOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: FTuneTraining | None = None,
    max_memory: int | None = None,
) -> LandmarkClassifier:
    """Train BBS of § 3: a linear classifier on similarities to landmarks.

    Its features are Balcan & Blum's landmarked space (K(x, x_1), ..., K(x, x_d)). By default C is
    the one of the best validation accuracy.

    Parameters
    ----------
    K, y, validation, kernels, threads, callback, start, max_memory
        As for :func:`ftune`.
    landmarks : array_like of int, shape (d,), or Landmarks
        Indices of the landmarks among the training objects. Of :class:`Landmarks` it takes `L`.
    options : FTuneOptions, optional
        `family`, `choose` and `per_class` are not used: there is no transfer function to choose.

    Returns
    -------
    LandmarkClassifier

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`ftune`.

    See Also
    --------
    ftune : Pairs of landmarks, under a transfer function.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import FTuneOptions, bbs
    >>> K, y = np.kron(np.eye(2), np.ones((3, 3))), [0, 0, 0, 1, 1, 1]
    >>> model = bbs(K, y, [0, 5], options=FTuneOptions(C=1.0))
    >>> model.predict(K, K).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    singletons = as_singletons(landmarks, len(as_classes(y)))
    how = for_bbs(options, validation), kernels, threads, callback, start, max_memory
    problems, trained = _train(K, y, singletons, validation, *how)
    return _classifier(problems, False, trained)


def _train(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    landmarks: Landmarks,
    validation: tuple[Objects, ArrayLike] | None,
    options: FTuneOptions,
    kernels: Kernels | None,
    threads: int | None,
    callback: Callback | None,
    start: FTuneTraining | None,
    max_memory: int | None,
) -> tuple[OneVsAll, list[TrainedProblem]]:
    """Train the problems, some at a time, and return those that are trained."""
    as_callback(callback)
    if start is not None and not isinstance(start, FTuneTraining):
        raise TypeError(
            "start must be an FTuneTraining: step.result of a callback, or what refimpl.load reads "
            "from a Checkpoint's file; "
            f"got a {type(start).__name__}"
        )
    asked = as_problems(K, y, landmarks, validation, options, kernels, threads)
    fewer = "threads, landmark pairs or transfer functions"
    check_memory(training_bytes(asked), max_memory, fewer, "up to")
    problems = asked.looked_up()
    digest = cache(problems.digest)
    trained: list[TrainedProblem] = []
    if start is not None:
        if start.digest != digest():
            raise ValueError(
                "start must come from a training with the same K, y, landmarks, validation objects "
                "and options; got the result of another"
            )
        trained = start.problems
    untrained = range(len(trained), len(problems))
    with one_blas_thread, ThreadPoolExecutor(problems.threads) as pool:
        try:
            for problem in pool.map(partial(tune, problems), untrained):
                trained.append(problem)
                if callback is not None and callback(_step(problems, trained, digest)):
                    break
        finally:
            pool.shutdown(cancel_futures=True)  # finish the running problems and drop the others
    return problems.first(len(trained)), trained


def _step(
    problems: OneVsAll, trained: list[TrainedProblem], digest: Callable[[], str]
) -> Step[TrainedProblem, FTuneTraining]:
    """Return the step of the problem that was trained last."""
    done = len(trained)
    return Step(
        number=done,
        total=len(problems),
        state=trained[-1],
        label=problems.positives.tolist()[done - 1],
        make_result=lambda: stacked(trained[:done], digest()),
    )


def tune(problems: OneVsAll, p: int) -> TrainedProblem:
    """Train problem p under every f and for every C: Algorithm 2, lines 2-4."""
    l = problems.labels(p)
    options, C = problems.options, problems.C
    L = LOSSES[options.loss]
    Phi, Phi_validation = problems.spaces(p)
    shape = (len(problems.family), len(C))
    w = np.empty((*shape, Phi.shape[2] + 1))
    losses = np.empty(shape)
    gaps = np.empty(shape)
    scores = np.empty((*shape, Phi_validation.shape[1]))

    def train(f: int) -> None:
        TRAIN = path(Phi[f], l, C, options.loss, options.bias, weights=problems.weights)
        for c, w_f in enumerate(TRAIN):  # one C after the other
            w[f, c] = np.append(w_f.w, w_f.b)  # FT:2:3  w_f <- TRAIN(P, L)
            # FT:2:3  L_f <- L(w_f)
            losses[f, c] = problems.mean_loss(L(l * (Phi[f] @ w_f.w + w_f.b)))
            gaps[f, c] = w_f.gap / w_f.objective
            scores[f, c] = Phi_validation[f] @ w_f.w + w_f.b

    alone = len(problems) == 1 and Phi[0].size >= WORTH
    share(train, len(Phi), problems.threads if alone else 1)  # FT:2:2
    return TrainedProblem(w, losses, gaps, scores)


def best_function(
    losses: FloatArray, accuracies: FloatArray, *, by_loss: bool
) -> tuple[IntArray, IntArray]:
    """Return the indices of f* and of its C in each problem, the first of equals: line 5."""
    # accuracies, if there are any, choose C; with class weights of 1,000 and 0.0001 objects that
    # count next to nothing must not choose
    by = np.round(accuracies, EQUAL) if accuracies.size else -losses
    c = by.argmax(axis=2)  # for each f
    if by_loss:  # ERRATUM FT-7
        by = -losses
    f = np.take_along_axis(by, c[:, :, None], 2)[:, :, 0].argmax(axis=1)  # FT:2:5
    return f, c[np.arange(len(f)), f]


def _classifier(
    problems: OneVsAll, per_class: bool, trained: list[TrainedProblem]
) -> LandmarkClassifier:
    """Return the classifier where each problem chooses f (-M) or all choose it together (-S)."""
    w = np.array([problem.w for problem in trained])
    losses = np.array([problem.losses for problem in trained])
    scores = np.array([problem.scores for problem in trained])
    accuracies = problems.accuracies(scores, per_class)
    by = losses if per_class else losses.mean(axis=0, keepdims=True)
    f, c = best_function(by, accuracies, by_loss=problems.options.choose == "training")
    f = np.broadcast_to(f, len(w)).copy()
    c = np.broadcast_to(c, len(w)).copy()
    best = w[np.arange(len(w)), f, c]
    model = LandmarkClassifier(
        classes=problems.classes,
        landmarks=problems.landmarks,
        plus=problems.plus,
        minus=problems.minus,
        slopes=slopes_of(problems.family),
        f=f,
        C=problems.C[c],
        w=best[:, :-1],
        b=best[:, -1],
        scale=problems.scale,
        losses=losses,
        accuracies=accuracies,
        gaps=np.array([problem.gaps for problem in trained]),
    )
    model.set_functions(problems.family)
    _warn_if_constant(model, problems)
    return model  # FT:2:6


BLOCK = 1000  # objects that are classified at a time until two classes occur


def _warn_if_constant(model: LandmarkClassifier, problems: OneVsAll) -> None:
    """Warn if all training objects get one class, as where similarities vanish."""
    assert problems.S is not None
    if len(model.classes) <= problems.codes.max():
        return  # the callback ended the training before the other classes
    seen: set[int] = set()
    for part in blocks(len(problems.S), BLOCK):
        S = problems.S[part] * problems.scale
        g = model.decision(S, kernels=problems.kernels, threads=problems.threads)
        seen.update(classes_of(g, len(model.classes)).tolist())
        if len(seen) > 1:
            return
    largest = problems.scale * max(float(problems.S.max()), -float(problems.S.min()))
    warnings.warn(
        f"the classifier gives all training objects the same class: |K| reaches {largest:.3g} "
        "(bound scales small similarities up, and a larger C fits the objects more closely)",
        UserWarning,
        stacklevel=4,
    )
