"""Checks of the arguments of FTUNE, like those of :mod:`refimpl.checks`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from refimpl.arrays import as_array
from refimpl.checks import as_labels
from refimpl.ftune.linear_models import LEAST_COST, MOST_COST, as_cost
from refimpl.ftune.space import ALONE, Landmarks, Ramp, TransferFunction
from refimpl.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = ["NormalizationWarning"]

DIFFERENCES = np.concatenate([np.linspace(0.0, 2.0, 33), np.geomspace(1e-6, 1.0, 13)])
"""The differences at which transfer functions are tested."""


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


def as_classes(y: Any) -> Labels:
    """Return the checked labels, shape (n,), which must have at least two classes."""
    if not hasattr(y, "__len__"):
        raise TypeError(f"y must hold a label for each training object; got {y!r}")
    labels: Labels = as_labels(y, len(y), "y", min_classes=2)
    return labels


def as_costs(C: Any) -> FloatArray:
    """Return the checked values of C, shape (n_C,), float64."""
    try:
        values = [C] if np.isscalar(C) or C is None else np.atleast_1d(C).tolist()
    except ValueError:
        raise ValueError(f"C must be a number or a sequence of numbers; got {C!r}") from None
    if not values:
        raise ValueError("C must hold at least one number; got an empty sequence")
    return np.array([as_cost(value, "C") for value in values])


def require_class_weight(class_weight: Any, C: FloatArray) -> None:
    """Raise an error for class weights that are not positive, or too large or small for C."""
    if class_weight is None:
        return
    if not isinstance(class_weight, Mapping):
        raise TypeError(
            "class_weight must be a dict of label -> positive number, or None; "
            f"got {class_weight!r}"
        )
    for label, weight in class_weight.items():
        _require_weight(weight, f"class_weight[{label!r}]", C)


def _require_weight(weight: Any, name: str, C: FloatArray) -> None:
    """Raise an error for a weight that moves C out of the range where training works."""
    if not isinstance(weight, int | float | np.integer | np.floating) or isinstance(weight, bool):
        raise TypeError(f"{name} must be a positive number; got {weight!r}")
    if not 0 < weight < np.inf:
        raise ValueError(f"{name} must be a positive number; got {weight}")
    for cost in (float(C.min()), float(C.max())):
        if not LEAST_COST / cost <= weight <= MOST_COST / cost:
            raise ValueError(
                f"C times {name} must be between {LEAST_COST:g} and {MOST_COST:g}; "
                f"got {cost:g} times {weight}"
            )


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
    """Return checked indices of training objects: shape (r,), int64."""
    places = as_array(L, name, "indices")
    right = places.ndim == 1 and places.size > 0 and places.dtype.kind in "iu"
    if not right:
        raise ValueError(
            f"{name} must hold indices of training objects, integers from 0 to {n - 1}; "
            f"got shape {places.shape} of {places.dtype}"
        )
    if places.min() < 0 or places.max() >= n:
        wrong = places[(places < 0) | (places >= n)][0]
        raise ValueError(
            f"{name} must hold indices of training objects, integers from 0 to {n - 1}; got {wrong}"
        )
    return places.astype(np.int64)


def require_pairs(landmarks: Any, n: int, n_classes: int) -> None:
    """Raise an error unless `landmarks` has pairs of n training objects for these classes."""
    if not isinstance(landmarks, Landmarks):
        raise TypeError(
            "landmarks must be Landmarks, for example random_landmarks(y, d, rng=rng); "
            f"got a {type(landmarks).__name__}"
        )
    alone = bool((np.asarray(landmarks.minus) == ALONE).all())
    problems = 1 if n_classes == 2 else n_classes
    for name in ("plus", "minus"):
        array = np.asarray(getattr(landmarks, name))
        if array.ndim != 2 or array.shape != np.shape(landmarks.plus) or not array.size:
            raise ValueError(f"landmarks.{name} must be (problems, d); got shape {array.shape}")
        if not (alone and name == "minus"):
            as_landmarks(array.ravel(), n, f"landmarks.{name}")
        if not alone and len(array) != problems:
            raise ValueError(
                f"landmarks.{name} must have pairs for {problems} problem(s), as there are "
                f"{n_classes} classes; got {len(array)}"
            )


def as_family(family: Any, name: str = "family") -> tuple[TransferFunction, ...]:
    """Return the transfer functions: a tuple of floats (slopes of ramps) and functions.

    A single slope or function gives a tuple of length 1.
    """
    if callable(family) or _is_number(family):
        return (as_transfer(family, name),)
    if isinstance(family, str) or not np.iterable(family):
        raise TypeError(
            f"{name} must be a slope, a function or a sequence of slopes and functions; "
            f"got {family!r}"
        )
    functions = tuple(as_transfer(f, f"{name}[{i}]") for i, f in enumerate(family))
    if not functions:
        raise ValueError(f"{name} must hold at least one slope or function; got an empty sequence")
    return functions


def as_transfer(f: Any, name: str) -> TransferFunction:
    """Return one transfer function: a float, the slope of a ramp, or a function."""
    f = f.slope if isinstance(f, Ramp) else f
    if callable(f):
        function: Callable[[FloatArray], FloatArray] = f
        require_antisymmetric(function, DIFFERENCES, name)
        return function
    if not _is_number(f) or not f > 0:
        raise ValueError(
            f"{name} must be a positive slope (infinity: the sign) or a function; got {f!r}"
        )
    return float(f)


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float | np.integer | np.floating)
    return number and not isinstance(value, bool)


def require_antisymmetric(f: Callable[[FloatArray], FloatArray], x: FloatArray, name: str) -> None:
    """Raise ValueError if f(-x) differs from -f(x) at some x."""
    here = np.asarray(f(x))
    there = np.asarray(f(-x))
    if here.shape != x.shape or not np.isfinite(here).all():
        raise ValueError(f"{name} must return a finite number for each number of its argument")
    if not np.allclose(here, -there, rtol=1e-9, atol=1e-12):
        place = np.unravel_index(np.abs(here + there).argmax(), x.shape)
        raise ValueError(
            f"{name} must be antisymmetric, f(-x) = -f(x); got {here[place]:.6g} at {x[place]:.6g} "
            f"and {there[place]:.6g} at {-x[place]:.6g}"
        )


def as_singletons(L: Any, n: int) -> Landmarks:
    """Return the single landmarks of BBS, in one row for all problems."""
    places = as_landmarks(L.L if isinstance(L, Landmarks) else L, n, "landmarks")
    return Landmarks(places, places[None], np.full((1, len(places)), ALONE))
