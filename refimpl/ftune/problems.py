"""The one-vs-all problems that FTUNE trains: their arguments, checked, and their look-ups of K."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from refimpl.arrays import plain_labels
from refimpl.checks import (
    as_class_indices,
    as_indices,
    as_kernels,
    as_labels,
    as_options,
    as_threads,
)
from refimpl.ftune.model import (
    ALONE,
    DIFFERENCES,
    FTuneOptions,
    Landmarks,
    as_costs,
    as_family,
    classes_of,
)
from refimpl.ftune.similarities import (
    Similarity,
    TransferFunction,
    as_similarity,
    landmarked,
    slopes_of,
)
from refimpl.results import digest
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray, Kernels, Labels


class NormalizationWarning(UserWarning):
    """Warning that similarities beyond [-1, 1] were divided by the largest magnitude.

    See Also
    --------
    FTuneOptions : Its `bound` chooses the divisor and avoids the warning.

    Examples
    --------
    >>> import warnings
    >>> from refimpl.ftune import NormalizationWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NormalizationWarning)
    """


@dataclass(frozen=True, eq=False)
class OneVsAll:
    """The problems of a training: one for two classes, and one for each of more."""

    K: Similarity
    classes: Labels
    codes: IntArray  # the index of each training object's class
    landmarks: IntArray  # indices of training objects, ascending
    plus: IntArray  # indices of `landmarks`, (problems, d)
    minus: IntArray  # likewise; -1 for BBS
    class_weights: FloatArray | None
    objects: Any  # those of the validation
    validation_codes: IntArray | None  # their classes, -1 for a class that the training lacks
    options: FTuneOptions
    family: tuple[TransferFunction, ...]
    C: FloatArray
    kernels: Kernels
    threads: int
    S: FloatArray | None = None  # K from the training objects to the landmarks, over `scale`
    V: FloatArray | None = None  # K from the validation objects
    scale: float = 1.0

    def __len__(self) -> int:
        return len(self.plus)

    @property
    def positives(self) -> Labels:
        """The class of each problem that is told from the rest; of two classes the second."""
        return self.classes[len(self.classes) - len(self) :]

    @cached_property
    def weights(self) -> FloatArray | None:
        """The weight of each training object's loss; None: all alike."""
        return None if self.class_weights is None else self.class_weights[self.codes]

    @cached_property
    def validation_weights(self) -> FloatArray | None:
        """The weight of each validation object, 1 for an unknown class; None: all alike."""
        codes = self.validation_codes
        if self.class_weights is None or codes is None:
            return None
        return np.where(codes < 0, 1.0, self.class_weights[codes])

    def labels(self, p: int) -> FloatArray:
        """Return the labels of problem p: 1 for its class, -1 for the rest."""
        return np.where(self.codes == len(self.classes) - len(self) + p, 1.0, -1.0)

    def looked_up(self) -> "OneVsAll":
        """Look K up, and return the problems with what it said."""
        S = self.K.within(None, self.landmarks)
        V = np.empty((0, len(self.landmarks)))
        if self.validation_codes is not None:
            V = self.K.between(self.objects, self.landmarks)
        scale = _scale(self.options.bound, S, V)
        if scale != 1:
            S = S / scale
            V = V / scale
        return replace(self, S=S, V=V, scale=scale)

    def first(self, k: int) -> "OneVsAll":
        """Return the first k problems with, of more than two classes, only theirs."""
        if k == len(self):
            return self
        # validation objects of the others count as wrong, as no classifier predicts their classes
        return replace(self, classes=self.classes[:k], plus=self.plus[:k], minus=self.minus[:k])

    def spaces(self, p: int) -> tuple[FloatArray, FloatArray]:
        """Return Phi_L of training and validation objects for problem p under every f."""
        assert self.S is not None and self.V is not None
        plus = self.plus[p]
        minus = self.minus[p]
        if minus[0] == ALONE:
            return np.take(self.S, plus, axis=1)[None], np.take(self.V, plus, axis=1)[None]
        how: dict[str, Any] = {"kernels": self.kernels}
        how["threads"] = self.threads if len(self) == 1 else 1
        S = landmarked(self.S, plus, minus, self.family, **how)
        return S, landmarked(self.V, plus, minus, self.family, **how)

    def mean_loss(self, losses: FloatArray) -> FloatArray:
        """Return the mean over the training objects."""
        return _mean(losses, self.weights)

    def accuracies(self, scores: FloatArray, per_class: bool) -> FloatArray:
        """Return the validation accuracy of every f and C from g, (problems, m, n_C, k)."""
        if self.validation_codes is None:
            return np.empty(0)
        if per_class:
            positives = range(len(self.classes) - len(self), len(self.classes))
            truth = np.array([self.validation_codes == c for c in positives])
            return _mean((scores > 0) == truth[:, None, None], self.validation_weights)
        _, m, n_C, _ = scores.shape
        shares = np.empty((1, m, n_C))
        for f in range(m):
            for c in range(n_C):
                right = classes_of(scores[:, f, c].T, len(self.classes)) == self.validation_codes
                shares[0, f, c] = _mean(right, self.validation_weights)
        return shares

    def digest(self) -> str:
        """Return a sha256 of all that the trained problems depend on."""
        assert self.S is not None and self.V is not None
        functions = [f(DIFFERENCES) for f in self.family if callable(f)]
        arrays = {
            "plus": self.plus,
            "minus": self.minus,
            "l": np.array([self.labels(p) for p in range(len(self))]),
            "S": self.S,
            "V": self.V,
            "slopes": slopes_of(self.family),
            "functions": np.array(functions),
            "C": self.C,
        }
        if self.weights is not None:
            arrays["weights"] = self.weights
        options = self.options
        settings = {"loss": options.loss, "bias": options.bias, "scale": self.scale}
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


def as_problems(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    landmarks: Landmarks,
    validation: Any,
    options: FTuneOptions,
    kernels: Kernels | None,
    threads: int | None,
) -> OneVsAll:
    """Check the arguments of a training, and look nothing up."""
    options = as_options(options, FTuneOptions)
    C = as_costs(options.C)
    kernels, threads = as_kernels(kernels), as_threads(threads)
    labels = as_classes(y)
    K = as_similarity(K, len(labels))
    classes, codes = np.unique(labels, return_inverse=True)
    require_pairs(landmarks, codes, classes)
    _require_validation(validation, options.choose, len(C))
    weights = as_class_weights(options.class_weight, classes)
    objects, validation_codes = None, None
    if validation is not None:
        objects, labels_of = K.as_queries(validation[0], "validation"), validation[1]
        validation_codes = as_class_indices(labels_of, classes, len(objects), "validation")
    problems = 1 if len(classes) == 2 else len(classes)
    return OneVsAll(
        K,
        plain_labels(classes),
        codes,
        *_pairs_of_problems(landmarks, problems),
        weights,
        objects,
        validation_codes,
        options,
        as_family(options.family),
        C,
        kernels,
        threads,
    )


def _require_validation(validation: Any, choose: str, n_C: int) -> None:
    if validation is None:
        if choose == "validation" or n_C > 1:
            raise ValueError(
                f"validation must be (objects, labels) with choose={choose!r} and {n_C} "
                "value(s) of C; got None (it is not needed with choose='training' and one C)"
            )
    elif not isinstance(validation, tuple | list) or len(validation) != 2:
        raise TypeError(f"validation must be (objects, labels); got a {type(validation).__name__}")


def _pairs_of_problems(P: Landmarks, problems: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the landmarks to compare with, and the pairs of every problem as indices of them."""
    landmarks = np.unique(np.concatenate([P.plus.ravel(), P.minus[P.minus != ALONE]]))
    plus = np.searchsorted(landmarks, P.plus)
    minus = np.where(P.minus == ALONE, ALONE, np.searchsorted(landmarks, np.maximum(P.minus, 0)))
    times = problems // len(plus)  # BBS has one row for all problems
    return landmarks, np.repeat(plus, times, 0), np.repeat(minus, times, 0)


def _scale(bound: float | None, S: FloatArray, V: FloatArray) -> float:
    """Return the divisor of the similarities: § 2, "normalized i.e. sup K(x, y) <= 1"."""
    largest = float(max(S.max(), -S.min()))  # ERRATUM FT-4
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
    largest = max(largest, float(V.max(initial=0.0)), -float(V.min(initial=0.0)))
    if largest > bound:
        raise ValueError(f"bound must be at least {largest:.6g}, which |K| reaches; got {bound}")
    return bound


# ------------------------------------------------------------- checks of labels and landmarks


def as_classes(y: Any) -> Labels:
    """Return the checked labels, shape (n,), which must have at least two classes."""
    labels: Labels = as_labels(y, None, "y", min_classes=2)
    return labels


def as_class_weights(
    class_weight: Mapping[Any, float] | None, classes: Labels
) -> FloatArray | None:
    """Return the weight of each class, shape (c,), or None if all weights are equal."""
    if class_weight is None:
        return None
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ValueError(f"class_weight must have only labels of y as keys; got {unknown[0]!r}")
    return np.array([float(class_weight.get(c, 1.0)) for c in labels])


def as_landmarks(L: ArrayLike, n: int, name: str) -> IntArray:
    """Return checked indices of training objects, at least one, (r,)."""
    places = as_indices(L, n, name, "training objects")
    if not len(places):
        raise ValueError(f"{name} must hold at least one of the {n} training objects; got none")
    return places


def require_pairs(landmarks: Any, codes: IntArray, classes: Labels) -> None:
    """Raise an error unless `landmarks` has pairs for each problem, or single landmarks for all."""
    if not isinstance(landmarks, Landmarks):
        raise TypeError(
            "landmarks must be Landmarks, for example random_landmarks(y, d, rng=rng); "
            f"got a {type(landmarks).__name__}"
        )
    alone = bool((np.asarray(landmarks.minus) == ALONE).all())
    positives = range(1, 2) if len(classes) == 2 else range(len(classes))
    for name in ("plus", "minus"):
        array = np.asarray(getattr(landmarks, name))
        if array.ndim != 2 or array.shape != np.shape(landmarks.plus) or not array.size:
            raise ValueError(f"landmarks.{name} must be (problems, d); got shape {array.shape}")
        if not (alone and name == "minus"):
            as_landmarks(array.ravel(), len(codes), f"landmarks.{name}")
        if not alone and len(array) != len(positives):
            raise ValueError(
                f"landmarks.{name} must have pairs for {len(positives)} problem(s), as there are "
                f"{len(classes)} classes; got {len(array)}"
            )
    if not alone:
        for c, plus, minus in zip(positives, landmarks.plus, landmarks.minus, strict=True):
            _require_sides(classes.tolist()[c], codes == c, plus, minus)


def _require_sides(label: Any, of_class: BoolArray, plus: IntArray, minus: IntArray) -> None:
    """Raise ValueError unless x^+ is of a class, and x^- is not, in every pair: § 2."""
    for name, wrong, side in (
        ("plus", plus[~of_class[plus]], "of"),
        ("minus", minus[of_class[minus]], "outside"),
    ):
        if len(wrong):
            raise ValueError(
                f"landmarks.{name} must hold objects {side} class {label!r} of y in its "
                f"problem; got object {wrong[0]}"
            )


def as_singletons(L: Any, n: int) -> Landmarks:
    """Return the single landmarks of BBS, in one row for all problems."""
    places = as_landmarks(L.L if isinstance(L, Landmarks) else L, n, "landmarks")
    return Landmarks(places, places[None], np.full((1, len(places)), ALONE))
