"""What FTUNE trains, checked: the one-vs-all problems with their look-ups of K, and how each is trained.

Not handled here: the training, which is in :mod:`refimpl.ftune.training`.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from refimpl.checks import as_kernels, as_labels, as_threads, one_of, positive
from refimpl.ftune.arguments import NormalizationWarning, as_class_weights, as_costs, as_family, require_pairs
from refimpl.ftune.linear_models import as_bias, require_loss
from refimpl.ftune.similarities import as_similarity
from refimpl.ftune.space import ALONE, classes_of, landmarked
from refimpl.resources import check_memory, processors

__all__ = ["CS", "SLOPES", "OneVsAll", "Training", "as_training", "estimate_memory", "one_vs_all"]

SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)  # § 3
CS = (1.0, 10.0, 100.0, 1000.0)  # § 3
OBJECT_BYTES = 2**12  # what Python takes for the objects of a training, at most


@dataclass(frozen=True)
class Training:
    """How each problem is trained; the fields are the arguments of :func:`refimpl.ftune.ftune`.

    Attributes
    ----------
    F : tuple of floats and callables
    loss : str
    C : ndarray, shape (n_C,), float64
    bias : float
    choose : str
    per_class : tuple of bool
        One entry for each classifier that is asked for.
    kernels : module
    threads : int
    """

    F: tuple[float | Callable, ...]
    loss: str
    C: np.ndarray
    bias: float
    choose: str
    per_class: tuple[bool, ...]
    kernels: ModuleType
    threads: int


@dataclass(frozen=True, eq=False)
class OneVsAll:
    """The one-vs-all problems: one for two classes, one for each of more; and K where they look it up.

    Attributes
    ----------
    classes : ndarray, shape (c,)
    landmarks : ndarray, shape (r,), int64
        Places among the training objects, ascending.
    plus, minus : ndarray, shape (problems, d), int64
        Places in `landmarks`; `minus` is -1 for BBS.
    l : ndarray, shape (problems, n), float64
        1 for the problem's class, -1 for the rest.
    weights : ndarray, shape (n,), float64, or None
        What the loss of each training object counts; None: all alike.
    S, V : ndarray, shape (n, r), (k, r), float64
        K from the training and the validation objects to the landmarks, divided by `scale`.
    scale : float
    held : ndarray, shape (k,), int64, or None
        Places of the validation objects' classes, -1 for a class that the training lacks; None without validation.
    held_weights : ndarray, shape (k,), float64, or None
    """

    classes: np.ndarray
    landmarks: np.ndarray
    plus: np.ndarray
    minus: np.ndarray
    l: np.ndarray
    weights: np.ndarray | None
    S: np.ndarray
    V: np.ndarray
    scale: float
    held: np.ndarray | None
    held_weights: np.ndarray | None

    def spaces(self, p, training):
        """Return Phi_L of training and validation objects for problem p under every f: two (m, ., d) arrays."""
        plus, minus = self.plus[p], self.minus[p]
        if minus[0] == ALONE:
            return np.take(self.S, plus, axis=1)[None], np.take(self.V, plus, axis=1)[None]
        options = {"kernels": training.kernels, "threads": training.threads if len(self.l) == 1 else 1}
        S, V = (landmarked(K, plus, minus, training.F, **options) for K in (self.S, self.V))
        return S, V

    def mean_loss(self, losses):
        """Return the mean over the training objects."""
        return _mean(losses, self.weights)

    def accuracies(self, scores, per_class):
        """Return the validation accuracy of every f and C from g, of shape (problems, m, n_C, k).

        Returns
        -------
        ndarray, shape (problems, m, n_C) with `per_class`, else (1, m, n_C); or (0,) without validation
        """
        if self.held is None:
            return np.empty(0)
        if per_class:
            positives = [1] if len(self.classes) == 2 else range(len(self.classes))
            truth = np.array([self.held == c for c in positives])
            return _mean((scores > 0) == truth[:, None, None], self.held_weights)
        of_f = np.moveaxis(scores, 0, 2)
        found = [[_mean(classes_of(g.T) == self.held, self.held_weights) for g in of_C] for of_C in of_f]
        return np.array([found])


def _mean(values, weights):
    """The mean over the last axis, of objects that count `weights`, or alike."""
    return values.mean(axis=-1) if weights is None else np.average(values, axis=-1, weights=weights)


def as_training(F, loss, C, bias, choose, per_class, kernels, threads):
    """Check the options of a training."""
    require_loss(loss)
    one_of(choose, ("validation", "training"), "choose")
    if not (isinstance(per_class, bool | np.bool_) or per_class == "both"):
        raise ValueError(f"per_class is {per_class!r}; it must be True, False or 'both'")
    ways = (False, True) if isinstance(per_class, str) else (bool(per_class),)
    F, C, bias = as_family(F), as_costs(C), as_bias(bias)
    return Training(F, loss, C, bias, choose, ways, as_kernels(kernels), as_threads(threads))


def one_vs_all(K, labels, P, validation, training, class_weight, bound, max_memory):
    """Check the problems and look K up, unless the training would take more than `max_memory` bytes."""
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    K = as_similarity(K, len(labels))
    classes, codes = np.unique(labels, return_inverse=True)
    require_pairs(P, len(labels), len(classes))
    if validation is None and (training.choose == "validation" or len(training.C) > 1):
        raise ValueError(
            f"validation is None; choose={training.choose!r} with {len(training.C)} values of C needs (objects, "
            "labels), or pass one C and choose='training'"
        )
    weights, held = as_class_weights(class_weight, classes, training.C), _held_out(validation, classes)
    held_weights = None if weights is None or held is None else np.where(held < 0, 1.0, weights[held])
    bound = None if bound is None else positive(bound, "bound")
    landmarks, plus, minus = _places(P, 1 if len(classes) == 2 else len(classes))
    if max_memory is not None:
        n_held = 0 if held is None else len(held)
        needed = estimate_memory(
            len(K), plus.shape[1], len(classes), n_held, landmarks=len(landmarks), F=training.F, C=training.C,
            threads=training.threads,
        )  # fmt: skip
        check_memory(needed, max_memory, "threads, landmark pairs or transfer functions", "up to")
    S = K.within(None, landmarks)
    V = np.empty((0, len(landmarks))) if held is None else K.between(validation[0], landmarks)
    scale = _scale(bound, S, V)
    if scale != 1:
        S = S / scale
        V = V / scale
    return OneVsAll(
        classes, landmarks, plus, minus,
        l=np.array([np.where(codes == c, 1.0, -1.0) for c in range(len(classes) == 2, len(classes))]),
        weights=None if weights is None else weights[codes],
        S=S, V=V, scale=scale, held=held, held_weights=held_weights,
    )  # fmt: skip


def _held_out(validation, classes):
    """The places of the validation objects' classes, -1 for a class that the training lacks."""
    if validation is None:
        return None
    objects, labels = validation
    labels = as_labels(labels, len(objects), "validation")
    places = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    return np.where(classes[places] == labels, places, -1)


def _places(P, problems):
    """The landmarks that are compared with, and the pairs of every problem as places among them."""
    landmarks = np.unique(np.concatenate([P.plus.ravel(), P.minus[P.minus != ALONE]]))
    plus = np.searchsorted(landmarks, P.plus)
    minus = np.where(P.minus == ALONE, ALONE, np.searchsorted(landmarks, np.maximum(P.minus, 0)))
    times = problems // len(plus)  # BBS has one row for all problems
    return landmarks, np.repeat(plus, times, 0), np.repeat(minus, times, 0)


def _scale(bound, S, V):
    """What similarities are divided by: § 2, "normalized i.e. sup K(x, y) <= 1"."""
    largest = float(np.abs(S).max())  # ERRATUM FT-4
    if bound is None:
        if largest <= 1:
            return 1.0
        warnings.warn(
            f"|K| reaches {largest:.6g}; all similarities are divided by that, such that sup |K| <= 1 (pass bound= to "
            "choose the divisor)", NormalizationWarning, stacklevel=4,
        )  # fmt: skip
        return largest
    largest = max(largest, float(np.abs(V).max(initial=0.0)))
    if largest > bound:
        raise ValueError(f"bound is {bound}; it must be at least {largest:.6g}, which |K| reaches")
    return bound


def estimate_memory(n, d, classes=2, held=0, *, landmarks=None, F=SLOPES, C=CS, threads=None):
    """Return how many bytes :func:`refimpl.ftune.ftune` takes at most beside `K`, its objects and K's own needs.

    Most of it is Phi_L under all transfer functions, once for each problem that is trained at a time.

    Parameters
    ----------
    n, held : int
        Objects of the training and of the validation.
    d : int
        Landmark pairs of each problem.
    classes : int
    landmarks : int, optional
        How many different ones the pairs of all problems have; by default as many as fresh pairs can have, 2 d for each
        problem. d for pairs out of d common landmarks, and for :func:`refimpl.ftune.bbs`.
    F, C, threads
        As for :func:`refimpl.ftune.ftune`; one function for :func:`refimpl.ftune.bbs`.

    Returns
    -------
    int
    """
    problems = 1 if classes == 2 else classes
    r = min(n, 2 * d * problems) if landmarks is None else landmarks
    at_a_time = min(problems, threads or processors())
    differences = (3 + (len(F) + 2) * any(map(callable, F))) * max(n, held) * d  # while Phi_L is made of them
    train = 5 * n * (d + 1) + 6 * (d + 1) ** 2 + 32 * n  # rows whose loss is active, their factor, the steps
    train += min(n * (d + 1), 2**22)  # BLAS packs them
    one = len(F) * (n + held) * d + max(differences, train)
    results = problems * len(F) * np.size(C) * (2 * (d + 1) + 3 * held)
    labels = (problems + 8) * (n + held) + 6 * problems * d
    look_ups = 2.25 * (n + held) * r  # as they come, and scaled or negated
    needed = 8 * int(max(look_ups, (n + held) * r + at_a_time * one + results) + labels)
    return needed + OBJECT_BYTES * (16 + problems * (4 + len(F) * np.size(C)))
