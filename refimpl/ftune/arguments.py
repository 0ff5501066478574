"""Checks of single arguments of FTUNE, in the manner of :mod:`refimpl.checks`."""

import numpy as np

from refimpl.ftune.goodness import require_antisymmetric
from refimpl.ftune.linear_models import LEAST_COST, MOST_COST, as_cost
from refimpl.ftune.space import ALONE, Landmarks, Ramp

DIFFERENCES = np.concatenate([np.linspace(0.0, 2.0, 33), np.geomspace(1e-6, 1.0, 13)])  # where functions are tried


class NormalizationWarning(UserWarning):
    """Similarities beyond [-1, 1] have been divided by the largest."""


def as_costs(C):
    """Return one value of C or several: shape (n_C,), float64."""
    values = np.atleast_1d(C).tolist()
    if not values:
        raise ValueError("C must hold at least one number; got an empty sequence")
    return np.array([as_cost(one, "C") for one in values])


def as_class_weights(class_weight, classes, C):
    """Return what the losses of each class count: shape (c,), or None if all count alike."""
    if class_weight is None:
        return None
    if not isinstance(class_weight, dict):
        raise TypeError(f"class_weight must be a dict of label -> positive number, or None; got {class_weight!r}")
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"class_weight must have labels of the training alone; got {unknown[0]!r}")
    return np.array([_class_weight(class_weight.get(c, 1.0), c, C) for c in classes.tolist()])


def _class_weight(weight, c, C):
    """The weight of class c, which must keep C times the weight in the range where training works."""
    name = f"class_weight[{c!r}]"
    if not isinstance(weight, int | float | np.integer | np.floating) or isinstance(weight, bool):
        raise TypeError(f"{name} must be a positive number; got {weight!r}")
    if not 0 < weight < np.inf:
        raise ValueError(f"{name} must be a positive number; got {weight}")
    for cost in (float(C.min()), float(C.max())):
        if not LEAST_COST / cost <= weight <= MOST_COST / cost:
            raise ValueError(
                f"C times {name} must be between {LEAST_COST:g} and {MOST_COST:g}; got {cost:g} times {weight}"
            )
    return float(weight)


def as_landmarks(L, n, name):
    """Return places of training objects: shape (r,), int64."""
    L = np.asarray(L)
    if L.ndim != 1 or L.size == 0 or L.dtype.kind not in "iu" or L.min() < 0 or L.max() >= n:
        raise ValueError(f"{name} has shape {L.shape}; it must be a list of places of training objects, 0 to {n - 1}")
    return L.astype(np.int64)


def require_pairs(P, n, c):
    """Refuse what are no pairs of n training objects for c classes."""
    if not isinstance(P, Landmarks):
        raise TypeError(f"P is a {type(P).__name__}; pass Landmarks, for example dselect(K, labels, d, rng)")
    alone, problems = (np.asarray(P.minus) == ALONE).all(), 1 if c == 2 else c
    for name in ("plus", "minus"):
        array = np.asarray(getattr(P, name))
        if array.ndim != 2 or array.shape != np.shape(P.plus) or not array.size:
            raise ValueError(f"P.{name} has shape {array.shape}; it must be (problems, d)")
        if not (alone and name == "minus"):
            as_landmarks(array.ravel(), n, f"P.{name}")
        if not alone and len(array) != problems:
            raise ValueError(f"P.{name} has pairs for {len(array)} problem(s); {c} classes make {problems}")


def as_family(F, name="F"):
    """Return the transfer functions: a tuple of floats (slopes of ramps) and functions."""
    if isinstance(F, str) or callable(F) or not np.iterable(F):
        raise TypeError(f"{name} must be a sequence of slopes or functions; got {F!r} (for one alone: [{F!r}])")
    F = tuple(f.slope if isinstance(f, Ramp) else f for f in F)
    if not F:
        raise ValueError(f"{name} must hold a slope or a function at least; got an empty sequence")
    return tuple(as_transfer(f, f"{name}[{i}]") for i, f in enumerate(F))


def as_transfer(f, name):
    """Return one transfer function: a float, the slope of a ramp, or a function."""
    f = f.slope if isinstance(f, Ramp) else f
    if callable(f):
        require_antisymmetric(f, DIFFERENCES, name)
        return f
    number = isinstance(f, int | float | np.integer | np.floating) and not isinstance(f, bool)
    if not number or not f > 0:
        raise ValueError(f"{name} must be a positive slope (infinity: the sign) or a function; got {f!r}")
    return float(f)
