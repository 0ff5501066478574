"""What FTUNE trains, checked: the one-vs-all problems with their look-ups of K.

Not handled here: the training, which is in :mod:`refimpl.ftune.training`.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from refimpl.checks import as_class_indices, as_kernels, as_options, as_threads
from refimpl.ftune.arguments import (
    DIFFERENCES,
    NormalizationWarning,
    as_class_weights,
    as_classes,
    as_costs,
    as_family,
    require_pairs,
)
from refimpl.ftune.model import FTuneOptions
from refimpl.ftune.similarities import Similarity, as_similarity
from refimpl.ftune.space import (
    ALONE,
    Landmarks,
    TransferFunction,
    classes_of,
    landmarked,
    slopes_of,
)
from refimpl.results import digest
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray, Kernels, Labels

__all__: list[str] = []


@dataclass(frozen=True)
class Training:
    """How each problem is trained: :class:`refimpl.ftune.FTuneOptions` in the form to work with.

    Attributes
    ----------
    family : tuple of floats and callables
    C : ndarray, shape (n_C,), float64
    options : FTuneOptions
    kernels : module
    threads : int
    """

    family: tuple[TransferFunction, ...]
    C: FloatArray
    options: FTuneOptions
    kernels: Kernels
    threads: int


def as_training(options: FTuneOptions, kernels: Kernels | None, threads: int | None) -> Training:
    """Check how to train."""
    options = as_options(options, FTuneOptions)
    return Training(
        family=as_family(options.family),
        C=as_costs(options.C),
        options=options,
        kernels=as_kernels(kernels),
        threads=as_threads(threads),
    )


@dataclass(frozen=True, eq=False)
class Arguments:
    """The checked arguments of a training, before the first look-up of K.

    Attributes
    ----------
    K : Similarity
    classes : ndarray, shape (c,)
    codes : ndarray, shape (n,), int64
        The index of each training object's class.
    landmarks : ndarray, shape (r,), int64
        Indices of training objects, ascending.
    plus, minus : ndarray, shape (problems, d), int64
        Indices of `landmarks`; `minus` is -1 for BBS.
    weights : ndarray, shape (c,), float64, or None
        The weight of the losses of each class; None: all alike.
    objects : sequence, ndarray or None
        The validation objects.
    validation_codes : ndarray, shape (k,), int64, or None
        Indices of the validation objects' classes, -1 for a class that the training lacks; None
        without validation.
    """

    K: Similarity
    classes: Labels
    codes: IntArray
    landmarks: IntArray
    plus: IntArray
    minus: IntArray
    weights: FloatArray | None
    objects: Any
    validation_codes: IntArray | None


def as_arguments(
    K: Similarity | ArrayLike, y: ArrayLike, landmarks: Landmarks, validation: Any, how: Training
) -> Arguments:
    """Check what is trained, and look nothing up."""
    labels = as_classes(y)
    K = as_similarity(K, len(labels))
    classes, codes = np.unique(labels, return_inverse=True)
    require_pairs(landmarks, len(labels), len(classes))
    _require_validation(validation, how)
    weights = as_class_weights(how.options.class_weight, classes)
    objects, validation_codes = None, None
    if validation is not None:
        objects, validation_codes = _validation_objects(validation, classes)
    problems = 1 if len(classes) == 2 else len(classes)
    r, plus, minus = _pairs_of_problems(landmarks, problems)
    return Arguments(K, classes, codes, r, plus, minus, weights, objects, validation_codes)


def _require_validation(validation: Any, how: Training) -> None:
    choose = how.options.choose
    if validation is None:
        if choose == "validation" or len(how.C) > 1:
            raise ValueError(
                f"validation must be (objects, labels) with choose={choose!r} and {len(how.C)} "
                "value(s) of C; got None (it is not needed with choose='training' and one C)"
            )
    elif not isinstance(validation, tuple | list) or len(validation) != 2:
        raise TypeError(f"validation must be (objects, labels); got a {type(validation).__name__}")


def _validation_objects(validation: Any, classes: Labels) -> tuple[Any, IntArray]:
    """Return the validation objects and the indices of their classes, -1 for an unknown class."""
    objects, y = validation
    return objects, as_class_indices(y, classes, len(objects), "validation")


def _pairs_of_problems(P: Landmarks, problems: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the landmarks to compare with, and the pairs of every problem as indices of them."""
    landmarks = np.unique(np.concatenate([P.plus.ravel(), P.minus[P.minus != ALONE]]))
    plus = np.searchsorted(landmarks, P.plus)
    minus = np.where(P.minus == ALONE, ALONE, np.searchsorted(landmarks, np.maximum(P.minus, 0)))
    times = problems // len(plus)  # BBS has one row for all problems
    return landmarks, np.repeat(plus, times, 0), np.repeat(minus, times, 0)


@dataclass(frozen=True, eq=False)
class OneVsAll:
    """The one-vs-all problems, and K where they look it up.

    There is one problem for two classes, and one for each of more.

    Attributes
    ----------
    classes : ndarray, shape (c,)
    landmarks : ndarray, shape (r,), int64
        Indices of training objects, ascending.
    plus, minus : ndarray, shape (problems, d), int64
        Indices of `landmarks`; `minus` is -1 for BBS.
    l : ndarray, shape (problems, n), float64
        1 for the problem's class, -1 for the rest.
    weights : ndarray, shape (n,), float64, or None
        The weight of each training object's loss; None: all alike.
    S, V : ndarray, shape (n, r), (k, r), float64
        K from the training and the validation objects to the landmarks, divided by `scale`.
    scale : float
    validation_codes : ndarray, shape (k,), int64, or None
        Indices of the validation objects' classes, -1 for a class that the training lacks; None
        without validation.
    validation_weights : ndarray, shape (k,), float64, or None
    """

    classes: Labels
    landmarks: IntArray
    plus: IntArray
    minus: IntArray
    l: FloatArray
    weights: FloatArray | None
    S: FloatArray
    V: FloatArray
    scale: float
    validation_codes: IntArray | None
    validation_weights: FloatArray | None

    @property
    def positives(self) -> Labels:
        """The class of each problem that is told from the rest; of two classes the second."""
        return self.classes[len(self.classes) - len(self.l) :]

    def first(self, k: int) -> "OneVsAll":
        """Return the first k problems, and of more than two classes the first k alone.

        Validation objects of the other classes remain. They count as wrong, as no classifier
        predicts their classes.
        """
        if k == len(self.l):
            return self
        return replace(
            self, classes=self.classes[:k], plus=self.plus[:k], minus=self.minus[:k], l=self.l[:k]
        )

    def spaces(self, p: int, how: Training) -> tuple[FloatArray, FloatArray]:
        """Return Phi_L of training and validation objects for problem p under every f.

        Returns
        -------
        two ndarrays, shape (m, n, d) and (m, k, d), float64
        """
        plus = self.plus[p]
        minus = self.minus[p]
        if minus[0] == ALONE:
            return np.take(self.S, plus, axis=1)[None], np.take(self.V, plus, axis=1)[None]
        threads = how.threads if len(self.l) == 1 else 1
        S = landmarked(self.S, plus, minus, how.family, kernels=how.kernels, threads=threads)
        V = landmarked(self.V, plus, minus, how.family, kernels=how.kernels, threads=threads)
        return S, V

    def mean_loss(self, losses: FloatArray) -> FloatArray:
        """Return the mean over the training objects."""
        return _mean(losses, self.weights)

    def accuracies(self, scores: FloatArray, per_class: bool) -> FloatArray:
        """Return the validation accuracy of every f and C from g, shape (problems, m, n_C, k).

        Returns
        -------
        ndarray, shape (problems, m, n_C) with `per_class`, else (1, m, n_C); or (0,) without
        validation
        """
        if self.validation_codes is None:
            return np.empty(0)
        if per_class:
            positives = range(len(self.classes) - len(self.l), len(self.classes))
            truth = np.array([self.validation_codes == c for c in positives])
            return _mean((scores > 0) == truth[:, None, None], self.validation_weights)
        _, m, n_C, _ = scores.shape
        shares = np.empty((1, m, n_C))
        for f in range(m):
            for c in range(n_C):
                right = classes_of(scores[:, f, c].T, len(self.classes)) == self.validation_codes
                shares[0, f, c] = _mean(right, self.validation_weights)
        return shares

    def digest(self, how: Training) -> str:
        """Return a sha256 of all that the trained problems depend on."""
        functions = [f(DIFFERENCES) for f in how.family if callable(f)]
        arrays = {
            "plus": self.plus,
            "minus": self.minus,
            "l": self.l,
            "S": self.S,
            "V": self.V,
            "slopes": slopes_of(how.family),
            "functions": np.array(functions),
            "C": how.C,
        }
        if self.weights is not None:
            arrays["weights"] = self.weights
        settings = {"loss": how.options.loss, "bias": how.options.bias, "scale": self.scale}
        total: str = digest(settings, arrays)
        return total


def _mean(values: FloatArray | BoolArray, weights: FloatArray | None) -> FloatArray:
    """Return the mean over the last axis, weighted by `weights` if there are any."""
    mean: FloatArray
    if weights is None:
        mean = values.mean(axis=-1)
    else:
        mean = np.average(values, axis=-1, weights=weights)
    return mean


def look_up(arguments: Arguments, how: Training) -> OneVsAll:
    """Look K up, and return the problems."""
    S = arguments.K.within(None, arguments.landmarks)
    V = np.empty((0, len(arguments.landmarks)))
    if arguments.validation_codes is not None:
        V = arguments.K.between(arguments.objects, arguments.landmarks)
    scale = _scale(how.options.bound, S, V)
    if scale != 1:
        S = S / scale
        V = V / scale
    n_classes = len(arguments.classes)
    signs = [np.where(arguments.codes == c, 1.0, -1.0) for c in range(n_classes == 2, n_classes)]
    weights = arguments.weights
    validation_weights = None
    if weights is not None and arguments.validation_codes is not None:
        validation_codes = arguments.validation_codes
        validation_weights = np.where(validation_codes < 0, 1.0, weights[validation_codes])
    return OneVsAll(
        classes=arguments.classes,
        landmarks=arguments.landmarks,
        plus=arguments.plus,
        minus=arguments.minus,
        l=np.array(signs),
        weights=None if weights is None else weights[arguments.codes],
        S=S,
        V=V,
        scale=scale,
        validation_codes=arguments.validation_codes,
        validation_weights=validation_weights,
    )


def _scale(bound: float | None, S: FloatArray, V: FloatArray) -> float:
    """Return the divisor of the similarities: § 2, "normalized i.e. sup K(x, y) <= 1"."""
    largest = float(np.abs(S).max())  # ERRATUM FT-4
    if bound is None:
        if largest <= 1:
            return 1.0
        warnings.warn(
            f"|K| reaches {largest:.6g}; all similarities are divided by that, so that "
            "sup |K| <= 1 (pass FTuneOptions(bound=...) to choose the divisor)",
            NormalizationWarning,
            stacklevel=5,
        )
        return largest
    largest = max(largest, float(np.abs(V).max(initial=0.0)))
    if largest > bound:
        raise ValueError(f"bound must be at least {largest:.6g}, which |K| reaches; got {bound}")
    return bound
