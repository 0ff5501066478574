"""Boosted Distance for use: Algorithms A.1 and A.2 of Amores, Sebe & Radeva (2006), with checks,
callbacks and continuing.

The printed algorithms stand in :mod:`.algorithm`. The functions here call their rounds, so they
train the same ensembles.

Not handled here: missing values, sparse matrices.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

import numpy as np

from refimpl.arrays import as_matrix, as_reals, for_kernel, in_dimensions, plain_labels
from refimpl.boosted_distance import algorithm
from refimpl.boosted_distance.algorithm import difference_vectors
from refimpl.boosted_distance.model import BoostedDistance, Ensemble, Round
from refimpl.boosted_distance.weak_learners import (
    STUMPS,
    Differences,
    Replay,
    Stumps,
    Vectors,
    WeakLearner,
    require_finite_differences,
)
from refimpl.checks import as_callback, as_count, as_kernels, as_labels
from refimpl.kernels.contract import check_threads
from refimpl.progress import Callback, Step
from refimpl.resources import check_memory, expected
from refimpl.typing import ArrayLike, BoolArray, FloatArray, Kernels, Labels

_ROUND_BYTES = 2**10  # for a round of the class in training, as Python objects
_MODEL_BYTES = 96  # for a round of a class
_FEWER = "training vectors or features"


def boosted_distance(
    X: ArrayLike,
    y: ArrayLike,
    T: int,
    *,
    sample_weight: ArrayLike | None = None,
    weak_learner: WeakLearner[Any] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: BoostedDistance | None = None,
    max_memory: int | None = None,
) -> BoostedDistance:
    """Train an ensemble of weak classifiers for each class.

    Algorithm A.1 of Amores, Sebe & Radeva (2006), p. 208: BoostedDistance(Omega, {l_i}, T). The
    ensemble of class C learns to tell two kinds of differences apart: between two vectors of C, and
    between a vector of another class and a vector of C. The ensembles are those of
    :func:`.algorithm.boosted_distance`, bit for bit. Only the pairs of one class are held at a
    time, as sorted row numbers.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training set Omega.
    y : array_like, shape (n,)
        Labels l_i, of at least two classes.
    T : int
        Number of rounds, which are all made unless `callback` ends them. With `start`, its rounds
        are counted.
    sample_weight : array_like, shape (n,), optional
        Weights of the vectors, at least 0. A weight of 2 is a vector given twice, a weight of 0 a
        vector left out: a pair has the product of its vectors' weights in line 4 of Algorithm A.2.
    weak_learner : refimpl.boosted_distance.weak_learners.WeakLearner, optional
        The method that finds the weak classifier of a round. Decision stumps by default, as in the
        paper.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional
        Threads that the kernels may use; None for all. The result does not depend on it.
    callback : callable, optional
        ``callback(step)`` is called after each round of each class. `step` is a
        :class:`refimpl.Step`: ``step.label`` is the class, ``step.number`` its number of rounds so
        far, ``step.state`` the :class:`Round`, and ``step.result`` the model so far, in which a
        class that is not trained yet has no rounds. If the callback returns True, the training of
        this class ends.
    start : BoostedDistance, optional
        What an earlier call on the same `X` and `y` returned, or ``step.result``. The training
        goes on from there, and the result is that of one call with all T rounds.
    max_memory : int, optional
        The most bytes that it may take; see :func:`estimate_memory`. By default what is free when
        it starts; no limit where that is unknown.

    Returns
    -------
    BoostedDistance
        {Phi_C}: the classes, ascending, and the ensemble of each class.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.
    MemoryError
        If :func:`estimate_memory` exceeds `max_memory`; raised before the work starts.

    See Also
    --------
    nearest_neighbor_boosted_distance : Label queries with the trained model.
    estimate_memory : Bound the memory of a training.
    refimpl.estimators.BoostedDistanceClassifier : The same as a scikit-learn estimator.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance
    >>> X, y = [[0.0, 3.0], [1.0, 9.0], [5.0, 4.0], [6.0, 8.0]], ["low", "low", "high", "high"]
    >>> model = boosted_distance(X, y, 2)
    >>> nearest_neighbor_boosted_distance(model, [[2.0, 8.0], [7.0, 3.0]], X, y).tolist()
    ['low', 'high']
    >>> boosted_distance(X, y, 5, start=model) == boosted_distance(X, y, 5)
    True
    """
    X, y, T = _check_training(X, y, T)
    X, y, v = weighted(X, y, sample_weight)
    kernels = as_kernels(kernels)
    learner = _as_learner(weak_learner)
    classes = plain_labels(np.unique(y))
    as_callback(callback)
    _check_start(start, classes, learner, T, X.shape[1])
    check_threads(threads)
    sets = partial(_all_sets, X, y, classes)
    of_model = _model_bytes(X, y, expected(T, max_memory), v)
    _require_memory(sets, of_model, learner, threads, max_memory)
    Phi: list[Ensemble] = []
    for C in classes.tolist():  # BD:A.1:1
        P, N = difference_vectors(X, y, C)  # BD:A.1:2, BD:A.1:3
        ensemble = _train(  # BD:A.1:4
            P,
            N,
            T,
            learner,
            kernels,
            threads,
            _callback_of_class(callback, classes, tuple(Phi), start),
            None if start is None else start[C],
            None if v is None else _first_weights(v, y == C),
        )
        Phi.append(ensemble)
    return BoostedDistance(classes, tuple(Phi))  # BD:A.1:6


def estimate_memory(
    X: ArrayLike,
    y: ArrayLike,
    T: int,
    *,
    sample_weight: ArrayLike | None = None,
    weak_learner: WeakLearner[Any] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: BoostedDistance | None = None,
    max_memory: int | None = None,
) -> int:
    """Return an upper bound of the bytes that :func:`boosted_distance` takes beyond `X`.

    The bound holds for both kernels. It is the bound of the class that needs most memory, since
    only the pairs of one class are held at a time. Usually it is two to three times the memory that
    the training takes.

    Parameters
    ----------
    X, y, T, sample_weight, weak_learner, threads
        As for :func:`boosted_distance`. The number of rounds matters little unless it is very
        large. Each thread needs its own scratch memory.
    kernels, callback, start, max_memory
        Not used. They are accepted so that the arguments of a training can be passed.

    Returns
    -------
    int

    Raises
    ------
    ValueError, TypeError
        If `X`, `y` or `T` does not fit; the message names it.

    See Also
    --------
    boosted_distance : The training; its `max_memory` is compared with this bound.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boosted_distance import estimate_memory
    >>> X, y = np.zeros((200, 10)), np.arange(200) % 2
    >>> estimate_memory(X, y, 100, threads=1) < 10_000_000
    True
    """
    X, y, T = _check_training(X, y, T)
    X, y, v = weighted(X, y, sample_weight)
    learner = _as_learner(weak_learner)
    check_threads(threads)
    sets = _all_sets(X, y, plain_labels(np.unique(y)))
    largest = max(learner.memory(P, N, threads=threads) for P, N in sets)
    return largest + _model_bytes(X, y, T, v)


def _all_sets(X: FloatArray, y: Labels, classes: Labels) -> Iterator[tuple[Vectors, Vectors]]:
    """Yield the sets P and N of each class."""
    for C in classes.tolist():
        yield difference_vectors(X, y, C)


def _model_bytes(X: FloatArray, y: Labels, T: int, weights: FloatArray | None) -> int:
    """Return the bytes of the rounds, of the model and of weights of points."""
    sizes = np.unique(y, return_counts=True)[1]
    of_weights = 0 if weights is None else 16 * len(X) * int(sizes.max())
    return of_weights + (_ROUND_BYTES + _MODEL_BYTES * len(sizes)) * T


def _require_memory(
    sets: Callable[[], Iterable[tuple[Vectors, Vectors]]],
    of_model: int,
    learner: WeakLearner[Any],
    threads: int | None,
    max_memory: int | None,
) -> None:
    """Raise MemoryError if training on one of the sets may take more than the cap or is free."""
    if isinstance(learner, Stumps) and type(learner).memory is Stumps.memory:
        # the estimate sorts each feature: it is asked only where a bound without is too large
        most = max(learner.memory_at_most(P, N, threads=threads) for P, N in sets())
        with suppress(MemoryError):
            check_memory(most + of_model, max_memory, _FEWER, "up to")
            return
    needed = max(learner.memory(P, N, threads=threads) for P, N in sets()) + of_model
    check_memory(needed, max_memory, _FEWER, "up to")


def adaboost(
    P: ArrayLike | Differences,
    N: ArrayLike | Differences,
    T: int,
    *,
    weak_learner: WeakLearner[Any] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: Ensemble | None = None,
    max_memory: int | None = None,
) -> Ensemble:
    """Train an ensemble of weak classifiers that tells two sets of vectors apart.

    Algorithm A.2 of Amores, Sebe & Radeva (2006), p. 208: AdaBoost(P, N, T). The ensemble is that
    of :func:`.algorithm.adaboost`, bit for bit.

    Parameters
    ----------
    P, N : array_like, shape (n_P, d) and (n_N, d), or Differences
        Positive and negative set.
    T : int
        Number of rounds, which are all made unless `callback` ends them. With `start`, its rounds
        are counted.
    weak_learner, kernels, threads
        As for :func:`boosted_distance`.
    callback : callable, optional
        ``callback(step)`` is called after each round. `step` is a :class:`refimpl.Step`:
        ``step.state`` is the :class:`Round`, ``step.result`` the ensemble so far. If the callback
        returns True, the training ends.
    start : StumpEnsemble, optional
        What an earlier call on the same P and N returned, or ``step.result``. Its rounds are
        replayed, not searched again, and the result is that of one call with all T rounds.
    max_memory : int, optional
        As for :func:`boosted_distance`. It is compared with what the weak learner's method
        ``memory(P, N)`` returns and a kilobyte for each round.

    Returns
    -------
    StumpEnsemble
        Or another type of ensemble, if `weak_learner` makes one.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.
    MemoryError
        If the estimate exceeds `max_memory`; raised before the work starts.

    See Also
    --------
    boosted_distance : Train an ensemble for each class.
    adaboost_rounds : Iterate over the rounds.
    refimpl.rivals.adaboost.adaboost_classifier : Train a classifier of two classes.

    Examples
    --------
    >>> from refimpl.boosted_distance import adaboost
    >>> ensemble = adaboost([[0.0], [1.0]], [[2.0], [3.0]], 1)
    >>> ensemble.feature.tolist(), ensemble.polarity.tolist(), ensemble.threshold.tolist()
    ([0], [1], [1.5])
    """
    kernels = as_kernels(kernels)
    learner = _as_learner(weak_learner)
    P, N = _check_sets(P, N)
    T = as_count(T, "T")
    as_callback(callback)
    _check_start_of_ensemble(start, learner, T, P.shape[1])
    check_threads(threads)
    of_rounds = _ROUND_BYTES * expected(T, max_memory)
    _require_memory(lambda: [(P, N)], of_rounds, learner, threads, max_memory)
    return _train(P, N, T, learner, kernels, threads, callback, start)


def adaboost_rounds(
    P: ArrayLike | Differences,
    N: ArrayLike | Differences,
    *,
    first: ArrayLike | None = None,
    weak_learner: WeakLearner[Any] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Iterator[Round]:
    """Return the rounds of AdaBoost one after another, without end.

    Algorithm A.2 of Amores, Sebe & Radeva (2006), p. 208: AdaBoost(P, N, T); the caller takes T
    rounds. They are those of :func:`.algorithm.adaboost_rounds`.

    Parameters
    ----------
    P, N, weak_learner, kernels, threads
        As for :func:`adaboost`.
    first : array_like, shape (n_P + n_N,), optional
        The first weights, positives first: at least 0, with a sum above 0. By default those of
        line 4, in which each set has half of the sum.

    Returns
    -------
    iterator of Round

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.

    See Also
    --------
    adaboost : Return the ensemble of T rounds.

    Examples
    --------
    >>> from itertools import islice
    >>> from refimpl.boosted_distance import adaboost_rounds
    >>> rounds = adaboost_rounds([[0.0], [1.0]], [[2.0], [3.0]])
    >>> [round.h for round in islice(rounds, 2)]
    [(0, 1, 1.5), (0, 1, 1.5)]
    """
    kernels = as_kernels(kernels)
    learner = _as_learner(weak_learner)
    P, N = _check_sets(P, N)
    check_threads(threads)
    weights = None if first is None else _as_first(first, len(P) + len(N))
    return algorithm.adaboost_rounds(
        P, N, first=weights, weak_learner=learner, kernels=kernels, threads=threads
    )


def _train(
    P: Vectors,
    N: Vectors,
    T: int,
    learner: WeakLearner[Any],
    kernels: Kernels,
    threads: int | None,
    callback: Callback | None,
    start: Ensemble | None,
    first: FloatArray | None = None,
) -> Ensemble:
    """Return the ensemble of :func:`adaboost` for checked arguments and first weights."""
    trained = np.empty(0) if start is None else start.alpha
    if start is not None:
        learner = cast(WeakLearner[Any], Replay(start, learner))
    Phi: list[tuple[Any, ...]] = []
    options: dict[str, Any] = {"weak_learner": learner, "kernels": kernels, "threads": threads}
    for round in algorithm.adaboost_rounds(P, N, first=first, **options):
        Phi.append((round.alpha, *round.h))
        if round.t <= len(trained):
            _check_replayed(round, trained)
        elif callback is not None and callback(_step(round, T, Phi, learner)):
            break
        if round.t == T:
            break
    return learner.Ensemble.from_rounds(Phi)


def _step(
    round: Round, T: int, Phi: Sequence[tuple[Any, ...]], learner: WeakLearner[Any]
) -> Step[Round, Ensemble]:
    """Return the step of a round. `Phi` may grow before the result of the step is asked for."""

    def make_result() -> Ensemble:
        return learner.Ensemble.from_rounds(Phi[: round.t])

    return Step(round.t, T, round, make_result=make_result)


def _callback_of_class(
    callback: Callback | None,
    classes: Labels,
    trained: tuple[Ensemble, ...],
    start: BoostedDistance | None,
) -> Callback | None:
    """Return the callback for the class that is trained after those of `trained`."""
    if callback is None:
        return None
    label = classes.tolist()[len(trained)]

    def of_class(step: Step[Round, Ensemble]) -> bool | None:
        def make_result() -> BoostedDistance:
            return _model_so_far(classes, (*trained, step.result), start)

        return callback(Step(step.number, step.total, step.state, label, make_result=make_result))

    return of_class


def _model_so_far(
    classes: Labels, trained: tuple[Ensemble, ...], start: BoostedDistance | None
) -> BoostedDistance:
    """Return the model of the classes that are trained; the others are as in `start`, or empty."""
    if start is None:
        others = (trained[0].rounds(0, 0),) * (len(classes) - len(trained))
    else:
        others = start.ensembles[len(trained) :]
    return BoostedDistance(classes, trained + others)


# ----------------------------------------------------------------------------------------- checks


def _check_training(X: ArrayLike, y: ArrayLike, T: int) -> tuple[FloatArray, Labels, int]:
    points: FloatArray = as_matrix(X, "X")
    labels: Labels = as_labels(y, len(points), "y", min_classes=2)
    require_finite_differences(points, points, "X")
    return points, labels, as_count(T, "T")


def weighted(
    X: FloatArray, y: Labels, sample_weight: ArrayLike | None
) -> tuple[FloatArray, Labels, FloatArray | None]:
    """Return the vectors of positive weight, their labels and their weights."""
    if sample_weight is None:
        return X, y, None
    v = as_reals(sample_weight, "sample_weight")
    what = f"sample_weight must hold a finite number of at least 0 for each of the {len(X)} vectors"
    if v.shape != (len(X),):
        raise ValueError(f"{what}; got shape {v.shape}")
    wrong = np.flatnonzero(~((v >= 0) & (v < np.inf)))
    if len(wrong):
        raise ValueError(f"{what}; got {v[wrong[0]]} for vector {wrong[0]}")
    v = _scaled(v)
    kept = v > 0
    if len(np.unique(y[kept])) < 2:
        raise ValueError(
            "sample_weight must be above 0 for vectors of two classes or more; "
            "got weights that are zero, or vanish beside the largest, for all others"
        )
    return for_kernel(X[kept]), y[kept], v[kept]


def _scaled(v: FloatArray) -> FloatArray:
    """Return weights times a power of two, which rounds none: the largest is in [1/2, 1)."""
    return np.ldexp(v, -int(np.frexp(v.max())[1]))


def _first_weights(v: FloatArray, of_C: BoolArray) -> FloatArray:
    """Return the weights of all pairs of a class, half of their sum for each set."""
    # each class is scaled, or all products of a light one would vanish
    parts = [np.outer(_scaled(v[kind]), _scaled(v[of_C])).ravel() for kind in (of_C, ~of_C)]
    return np.concatenate([part / (2 * part.sum()) for part in parts])


def _as_first(first: ArrayLike, n: int) -> FloatArray:
    """Return the checked first weights of n vectors; the largest is in [1/2, 1)."""
    w = as_reals(first, "first")
    what = f"first must hold a finite number of at least 0 for each of the {n} vectors"
    if w.shape != (n,):
        raise ValueError(f"{what}; got shape {w.shape}")
    if not ((w >= 0) & (w < np.inf)).all() or not w.any():
        raise ValueError(f"{what}, with a sum above 0; got {w.min()} to {w.max()}")
    return _scaled(w)


def _check_sets(P: ArrayLike | Differences, N: ArrayLike | Differences) -> tuple[Vectors, Vectors]:
    if isinstance(P, Differences) != isinstance(N, Differences):
        raise TypeError(
            "P and N must be two arrays or two Differences; "
            f"got a {type(P).__name__} and a {type(N).__name__}"
        )
    if isinstance(P, Differences) and isinstance(N, Differences):
        to = None if P.B is not N.B else as_matrix(P.B, "P.B")  # one array for both stays one
        P, N = _check_differences(P, "P", to), _check_differences(N, "N", to)
    else:
        P, N = as_matrix(P, "P"), as_matrix(N, "N")
    if P.shape[1] != N.shape[1]:
        raise ValueError(f"N must have {P.shape[1]} columns, as P has; got {N.shape[1]}")
    return P, N


def _check_differences(S: Differences, name: str, B: FloatArray | None) -> Differences:
    """Return differences of checked vectors; B holds the second ones if they are checked."""
    A = as_matrix(S.A, f"{name}.A")
    B = as_matrix(S.B, f"{name}.B") if B is None else B
    in_dimensions(B, A.shape[1], f"{name}.B", f"as {name}.A has")
    require_finite_differences(A, B, name)
    return Differences(A, B)


def _as_learner(weak_learner: Any) -> WeakLearner[Any]:
    """Return the weak learner, decision stumps by default."""
    if weak_learner is None:
        return STUMPS
    needed = ("Ensemble", "prepare", "select", "classify", "memory")
    missing = [name for name in needed if not hasattr(weak_learner, name)]
    if missing or isinstance(weak_learner, type):
        raise TypeError(
            "weak_learner must be an object with the members of WeakLearner, such as Stumps(); "
            f"got {weak_learner!r}"
        )
    learner: WeakLearner[Any] = weak_learner
    return learner


def _check_start(start: object, classes: Labels, learner: WeakLearner[Any], T: int, d: int) -> None:
    if start is None:
        return
    if not isinstance(start, BoostedDistance):
        raise TypeError(f"start must be a BoostedDistance; got a {type(start).__name__}")
    if start.classes.tolist() != classes.tolist():
        raise ValueError(
            f"start must have the classes of y, {classes.tolist()}; got {start.classes.tolist()}"
        )
    for ensemble in start.ensembles:
        _check_start_of_ensemble(ensemble, learner, T, d)


def _check_start_of_ensemble(start: object, learner: WeakLearner[Any], T: int, d: int) -> None:
    if start is None:
        return
    if not isinstance(start, Ensemble) or type(start) is not learner.Ensemble:
        raise TypeError(
            f"start must have the weak classifiers of `weak_learner`, {learner.Ensemble.__name__}; "
            f"got a {type(start).__name__}"
        )
    if len(start) > T:
        raise ValueError(f"T must be at least {len(start)}, the rounds of `start`; got {T}")
    most = int(start.features().max(initial=-1))
    if most >= d:
        raise ValueError(
            f"start must come from the same training vectors, which have {d} features; "
            f"got an ensemble that looks at feature {most}"
        )


def _check_replayed(round: Round, alpha: FloatArray) -> None:
    if round.alpha != alpha[round.t - 1]:
        raise ValueError(
            "start must come from the same training vectors and the same weak learner; "
            f"got another weight of round {round.t}"
        )
