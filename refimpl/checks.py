"""Check arguments, once, before any work.

Every message has one form: "<argument> must be <what>; got <value>". Wrong types raise
``TypeError``, wrong shapes and values ``ValueError``. The functions return the argument in the form
that the rest of the package relies on, so the mirrored algorithms contain no checks of their own.
"""

import importlib
import math
import operator
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from refimpl import kernels as reference
from refimpl.arrays import as_array, as_label_array
from refimpl.kernels.arguments import as_float as as_float
from refimpl.kernels.arguments import one_of as one_of
from refimpl.kernels.contract import check_threads
from refimpl.resources import processors
from refimpl.typing import ArrayLike, IntArray, Kernels, Labels

Options = TypeVar("Options")

# ----------------------------------------------------------------------------- labels and indices


def as_labels(labels: ArrayLike, n: int | None, name: str, min_classes: int = 1) -> Labels:
    """Return one label for each of `n` vectors, of any number of them if it is None: shape (n,)."""
    array = as_label_array(labels, name)
    wanted = "n" if n is None else n
    if array.ndim != 1 or len(array) != (len(array) or 1 if n is None else n):
        raise ValueError(
            f"{name} must hold one label for each vector, shape ({wanted},); "
            f"got shape {array.shape}"
        )
    if any(map(_is_nan, array)) if array.dtype == object else np.any(array != array):
        raise ValueError(f"{name} must hold a label for every vector; got NaN")
    n_classes = len(np.unique(array))
    if n_classes < min_classes:
        least = "one class" if min_classes == 1 else f"{min_classes} classes"
        raise ValueError(f"{name} must hold at least {least}; got {n_classes}")
    return array


def _is_nan(label: Any) -> bool:
    """Tell whether a label is not equal to itself; a comparison of pandas' NA tells nothing."""
    differs = label != label
    return isinstance(differs, bool | np.bool_) and bool(differs)


def as_class_indices(labels: ArrayLike, classes: Labels, n: int, name: str) -> IntArray:
    """Return the index of the class of each of `n` labels, -1 for a label of no class."""
    array = as_labels(labels, n, name)
    if _type_of_labels(array) != _type_of_labels(classes):
        example = classes.tolist()[0]
        label = array.tolist()[0]
        raise TypeError(
            f"{name} must hold labels of the type of y, such as {example!r}; got {label!r}"
        )
    indices = np.searchsorted(classes, array).clip(max=len(classes) - 1)
    return np.where(classes[indices] == array, indices, -1).astype(np.int64)


def _type_of_labels(labels: Labels) -> object:
    """Return what tells the labels' type; numbers and booleans are of one type, as 1 == True."""
    kind = np.asarray(labels[0]).dtype.kind
    if kind == "O":
        return type(labels[0])
    return "number" if kind in "biuf" else kind


def as_indices(indices: ArrayLike, n: int, name: str, of: str = "database objects") -> IntArray:
    """Return positions between 0 and `n` - 1, shape (r,); messages call the n objects `of`."""
    array = as_array(indices, name, "indices")
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of indices of {of}; got shape {array.shape}")
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, the indices of {of}; got dtype {array.dtype}")
    outside = (array < 0) | (array >= n)
    if outside.any():
        raise ValueError(
            f"{name} must hold indices of the {n} {of}, from 0 to {n - 1}; got {array[outside][0]}"
        )
    return array.astype(np.int64)


# ------------------------------------------------------------------------------------------ numbers


def as_count(T: Any, name: str, minimum: int = 1, *, most: int | None = None, why: str = "") -> int:
    """Return the whole number `T`, from `minimum` to `most`; a message says why not more."""
    what = f"an integer of at least {minimum}"
    if isinstance(T, bool | np.bool_):
        _refuse(TypeError, name, what, T)
    try:
        count = operator.index(T)
    except TypeError:
        _refuse(TypeError, name, what, T)
    if count < minimum:
        _refuse(ValueError, name, what, count)
    if most is not None and count > most:
        _refuse(ValueError, name, f"at most {most}, {why}", count)
    return count


def as_list(values: Any, name: str, what: str) -> list[Any]:
    """Return the members of `values`, which messages call `what`."""
    if not np.iterable(values):
        _refuse(TypeError, name, f"a list of {what}", values)
    return list(values)


def as_number(value: Any, name: str, *, minimum: float = 0.0, below: float = np.inf) -> float:
    """Return the finite number `value`, at least `minimum` and less than `below`."""
    what = f"a number of at least {minimum:g}"
    if below < np.inf:
        what += f" and less than {below:g}"
    number = _finite(value, name, what)
    if not minimum <= number < below:
        _refuse(ValueError, name, what, value)
    return number


def positive(value: Any, name: str) -> float:
    """Return the finite number `value`, above 0."""
    number = _finite(value, name, "a number above 0")
    if not number > 0:
        _refuse(ValueError, name, "a number above 0", value)
    return number


def as_flag(value: Any, name: str) -> bool:
    """Return `value`, True or False; a text such as "False" would count as True."""
    if not isinstance(value, bool | np.bool_):
        _refuse(TypeError, name, "True or False", value)
    return bool(value)


def is_real(value: Any) -> bool:
    """Return whether a value is a real number, and no bool."""
    number = isinstance(value, int | float | np.integer | np.floating)
    return number and not isinstance(value, bool)


def _finite(value: Any, name: str, what: str) -> float:
    """Return a finite real number as a float: limits of float64 are others in float32."""
    if not is_real(value):
        _refuse(TypeError, name, what, value)
    number = as_float(value)
    if not math.isfinite(number):
        _refuse(ValueError, name, what.replace("a number", "a finite number", 1), value)
    return number


def _refuse(error: type[Exception], name: str, what: str, value: Any) -> NoReturn:
    """Raise `error` in the one form that all messages have."""
    value = value.item() if isinstance(value, np.generic) else value
    raise error(f"{name} must be {what}; got {value!r}") from None


# -------------------------------------------- options, generators, kernels, threads and callbacks


def set_checked(options: object, check: Callable[..., Any], *names: str, **how: Any) -> None:
    """Replace fields of frozen options by what a check returns; None stays if it is the default."""
    for name in names:
        value = getattr(options, name)
        if value is not None or getattr(type(options), name) is not None:
            object.__setattr__(options, name, check(value, name, **how))


def as_options(options: Any, cls: type[Options]) -> Options:
    """Return `options`, which must be an object of the class `cls`."""
    if not isinstance(options, cls):
        _refuse(TypeError, "options", f"{cls.__name__}(...)", options)
    return options


def as_generator(rng: Any, name: str = "rng") -> np.random.Generator:
    """Return the source of random numbers `rng`."""
    if not isinstance(rng, np.random.Generator):
        _refuse(TypeError, name, "a generator, such as numpy.random.default_rng(0)", rng)
    return rng


def as_kernels(kernels: Any) -> Kernels:
    """Return the kernel module, :mod:`refimpl.kernels` for None; refuse one that lacks a name."""
    if kernels is None:
        return reference
    if isinstance(kernels, str):
        raise TypeError(
            f"kernels must be a module, such as refimpl.kernels; got the string {kernels!r}"
        )
    missing = [name for name in reference.__all__ if not hasattr(kernels, name)]
    if missing:
        raise TypeError(
            "kernels must have the names of refimpl.kernels; "
            f"got {kernels!r}, which lacks {', '.join(missing)}"
        )
    return kernels  # type: ignore[no-any-return]  # an object with the same names is accepted


def stored_kernels(kernels: Kernels) -> Any:
    """Return the name of a kernel module, which pickle refuses; other objects as they are."""
    name = str(getattr(kernels, "__name__", ""))
    return name if sys.modules.get(name) is kernels else kernels


def restored_kernels(stored: Any) -> Kernels:
    """Return the kernels that :func:`stored_kernels` stored."""
    return importlib.import_module(stored) if isinstance(stored, str) else stored


def as_threads(threads: Any) -> int:
    """Return a number of threads; there are no more than processors that the process may use."""
    check_threads(threads)
    return processors() if threads is None else min(int(threads), processors())


def as_callback(callback: Any) -> Any:
    """Return `callback`: None, or a function of a :class:`refimpl.Step`."""
    if callback is not None and not callable(callback):
        _refuse(TypeError, "callback", "a function of a refimpl.Step", callback)
    return callback
