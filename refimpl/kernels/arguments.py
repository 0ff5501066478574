"""Kinds of arguments that kernels take, and of the fields of objects, with checks and messages.

Each kind checks one value, and notes the named lengths in its shape for later arguments. The table
of what each kernel takes is :mod:`refimpl.kernels.contract`.
"""

import math
import numbers
import weakref
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from refimpl.arrays import LARGEST, FloatArray
from refimpl.results import sealed

Lengths: TypeAlias = dict[str, int]
Value = TypeVar("Value")
DType = TypeVar("DType", bound=np.generic)

ROUNDING = 1e-9  # the most by which a sum of weights may exceed 1


Passed: TypeAlias = set[tuple["Array", int]]
ONCE: dict[int, tuple["weakref.ref[NDArray[Any]]", Passed]] = {}
"""For each array of :func:`checked_once`, by its id, the checks that its values have passed."""


def checked_once(array: NDArray[DType]) -> NDArray[DType]:
    """Return an array sealed, so that kernels make each check of its values once."""
    array = sealed(array)
    if _passed(array) is None:
        key = id(array)
        ONCE[key] = weakref.ref(array, lambda _: ONCE.pop(key, None)), set()
    return array


def _passed(value: NDArray[Any]) -> Passed | None:
    """Return the checks that an array of :func:`checked_once` passed; None for another array."""
    entry = ONCE.get(id(value))
    return entry[1] if entry is not None and entry[0]() is value else None


class Kind:
    """What the table of arguments says of one argument."""

    free = True  # whether the values need no check

    def check_form(
        self, name: str, value: Any, lengths: Lengths, values: Mapping[str, Any]
    ) -> None:
        """Check the type and the shape, and enter the lengths that are new."""

    def check_values(self, name: str, value: Any, lengths: Lengths) -> None:
        """Check the values."""


@dataclass(eq=False)
class Array(Kind):
    """An array: its dtypes, its shape by named lengths, and what its values must be."""

    dtypes: tuple[str, ...]  # any of them
    shape: tuple[str | int, ...]  # a name is one length wherever it occurs; "n+1" is one more
    below: str | None = None  # the values are indices below this length,
    least: int = 0  # and at least this; -1 if an index of -1 stands for none
    optional: bool = False  # whether None is allowed
    finite: bool = False  # no NaN, no infinity
    largest: float | None = None  # in absolute value, and no NaN; infinity refuses NaN alone
    ascends_to: str | None = None  # positions that begin at 0, never fall, and end at this length
    written: bool = False  # whether the kernel writes to it
    like: str | None = None  # the argument, or "argument.attribute", whose dtype it must have
    nonempty: bool | str = False  # whether all lengths, or the named one, must be at least 1
    weights: bool = False  # not negative, and no more than 1 together
    positive: bool = False  # above 0 and finite
    only: tuple[float, float] | None = None  # the two values allowed
    ascending: bool = False  # no value along the last axis is below the one before it, none is NaN

    def __post_init__(self) -> None:
        self.allowed = frozenset(map(np.dtype, self.dtypes))  # in the machine's byte order
        self.axes = [_parts(length) for length in self.shape]
        rules = "below finite largest ascends_to weights positive only ascending".split()
        self.free = not any(getattr(self, rule) for rule in rules)

    def check_form(
        self, name: str, value: Any, lengths: Lengths, values: Mapping[str, Any]
    ) -> None:
        """Check type, dtype, shape and layout, and enter the lengths that are new."""
        if value is None and self.optional:
            return
        if type(value) is not np.ndarray or value.dtype not in self.allowed or self.like:
            self._check_dtype(name, value, values)
        self._check_shape(name, value, lengths)
        flags = value.flags
        if not flags.c_contiguous or not flags.aligned:
            flag = "aligned" if flags.c_contiguous else "C-contiguous"
            raise ValueError(f"{name} must be {flag}; pass numpy.require({name}, None, 'CA')")
        if self.written and not flags.writeable:
            raise ValueError(f"{name} must be writeable: the result is written to it")

    def _check_dtype(self, name: str, value: Any, values: Mapping[str, Any]) -> None:
        """Check that the value is an array of an allowed dtype."""
        # subclasses such as masked arrays and matrices have other arithmetic
        if type(value) not in (np.ndarray, np.memmap):
            raise TypeError(f"{name} must be a numpy.ndarray; got {_kind(value)}")
        if value.dtype not in self.allowed:
            raise TypeError(f"{name} must hold {' or '.join(self.dtypes)}; got {value.dtype}")
        if self.like is not None and value.dtype != _dtype_of(self.like, values):
            raise TypeError(
                f"{name} must hold {_dtype_of(self.like, values)}, as {self.like} does; "
                f"got {value.dtype}"
            )

    def _check_shape(self, name: str, value: NDArray[Any], lengths: Lengths) -> None:
        """Check the shape, and enter the lengths that are new."""
        shape = value.shape
        if len(shape) != len(self.axes):
            raise ValueError(
                f"{name} must have {len(self.shape)} dimensions; got an array of shape {shape}"
            )
        for axis, (key, more) in enumerate(self.axes):
            length = shape[axis]
            if key is None:
                expected = more
            elif key in lengths:
                expected = lengths[key] + more
            elif length < more:
                raise ValueError(f"{name} must have at least {more} entries; got {length}")
            else:
                lengths[key] = length - more
                continue
            if length != expected:
                raise ValueError(
                    f"{name} must have the length {expected} along axis {axis}; got shape {shape}"
                )
        if self.nonempty:
            filled = lengths[self.nonempty] if isinstance(self.nonempty, str) else value.size
            if filled == 0:
                raise ValueError(f"{name} must not be empty; got shape {value.shape}")

    def check_values(self, name: str, value: Any, lengths: Lengths) -> None:
        """Check indices, and floats that must be in some range or order."""
        if self.free or value is None:
            return
        passed = _passed(value) if ONCE else None
        if passed is None:
            self._check_values(name, value, lengths)
            return
        end = self.below or self.ascends_to
        rule = self, 0 if end is None else length_of(end, lengths)
        if rule not in passed:
            self._check_values(name, value, lengths)
            passed.add(rule)

    def _check_values(self, name: str, value: NDArray[Any], lengths: Lengths) -> None:
        """Check all values."""
        self._check_indices(name, value, lengths)
        if self.only is not None and not ((value == self.only[0]) | (value == self.only[1])).all():
            wrong = value[(value != self.only[0]) & (value != self.only[1])][0]
            raise ValueError(f"{name} must hold {self.only[0]} or {self.only[1]}; got {wrong}")
        if self.ascending and not (
            (value[..., 1:] >= value[..., :-1]).all() and (value == value).all()
        ):
            raise ValueError(
                f"{name} must not fall along the last axis, nor hold NaN; got {_in_short(value)}"
            )
        if self.finite and not np.isfinite(value).all():
            place = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
            raise ValueError(f"{name} must be finite; got {value[place]} at {place}")
        if self.largest is not None:
            require_within(value, name, self.largest)

    def _check_indices(self, name: str, value: NDArray[Any], lengths: Lengths) -> None:
        """Check indices, positions and weights."""
        if self.below is not None and value.size:
            least = value.min()
            most = value.max()
            end = length_of(self.below, lengths)
            if least < self.least or most >= end:
                wrong = least if least < self.least else most
                raise ValueError(
                    f"{name} must hold indices from {self.least} to {end - 1}; got {wrong}"
                )
        if self.ascends_to is not None:
            end = lengths[self.ascends_to]
            if value[0] != 0 or value[-1] != end or (value[1:] < value[:-1]).any():
                raise ValueError(f"{name} must ascend from 0 to {end}; got {_in_short(value)}")
        if self.weights and value.size and not (value.min() >= 0 and value.sum() <= 1 + ROUNDING):
            raise ValueError(
                f"{name} must hold weights of at least 0 that add up to at most 1; "
                f"got {_in_short(value)}"
            )
        if self.positive and value.size and not (value.min() > 0 and np.isfinite(value.max())):
            raise ValueError(f"{name} must hold positive finite numbers; got {_in_short(value)}")


@dataclass(eq=False)
class Integer(Kind):
    """A whole number from `least` to `most`, each a number or the name of a length."""

    least: int | str
    most: int | str | None = None
    free = False

    def check_form(
        self, name: str, value: Any, lengths: Lengths, values: Mapping[str, Any]
    ) -> None:
        """Check the type."""
        if type(value) is int:
            return
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
            raise TypeError(f"{name} must be an integer; got {_kind(value)}")

    def check_values(self, name: str, value: Any, lengths: Lengths) -> None:
        """Check the range."""
        least = length_of(self.least, lengths)
        most = 2**63 - 1 if self.most is None else length_of(self.most, lengths)
        if not least <= value <= most:
            limit = (
                f"at least {least}"
                if self.most is None and value < least
                else f"from {least} to {most}"
            )
            raise ValueError(f"{name} must be {limit}; got {value}")


@dataclass(eq=False)
class Number(Kind):
    """A finite real number of at least `least`, or any finite one if `least` is None."""

    least: float | None = None
    free = False

    def check_form(
        self, name: str, value: Any, lengths: Lengths, values: Mapping[str, Any]
    ) -> None:
        """Check the type."""
        if type(value) is float:
            return
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
            raise TypeError(f"{name} must be a number; got {_kind(value)}")

    def check_values(self, name: str, value: Any, lengths: Lengths) -> None:
        """Check the range."""
        number = as_float(value)
        if not math.isfinite(number) or (self.least is not None and number < self.least):
            limit = "finite" if self.least is None else f"finite and at least {self.least}"
            raise ValueError(f"{name} must be {limit}; got {value}")


class Choice(Kind):
    """One of some strings or booleans."""

    def __init__(self, *choices: str | bool) -> None:
        self.choices = choices

    def check_form(
        self, name: str, value: Any, lengths: Lengths, values: Mapping[str, Any]
    ) -> None:
        """Check that the value is allowed."""
        one_of(value, self.choices, name)


@dataclass(eq=False)
class Instance(Kind):
    """An object of a class of the project, whose own constructor checks it; it brings lengths."""

    module: str
    name: str
    lengths: Callable[[Any], Lengths]

    def check_form(
        self, name: str, value: Any, lengths: Lengths, values: Mapping[str, Any]
    ) -> None:
        """Check the class, and enter its lengths."""
        cls = getattr(__import__(self.module, fromlist=[self.name]), self.name)
        if not isinstance(value, cls):
            raise TypeError(f"{name} must be a {self.name}; got {_kind(value)}")
        for key, length in self.lengths(value).items():
            expected = lengths.setdefault(key, length)
            if length != expected:
                raise ValueError(f"{name} must have {expected} for {key}, as before; got {length}")


def check_all(kinds: Mapping[str, Kind], values: Mapping[str, Any]) -> Lengths:
    """Check values by their kinds, all forms before any numbers; return the lengths by name."""
    lengths: Lengths = {}
    for name, kind in kinds.items():
        if name in values:
            kind.check_form(name, values[name], lengths, values)
    for name, kind in kinds.items():
        if not kind.free and name in values:
            kind.check_values(name, values[name], lengths)
    return lengths


def length_of(length: int | str, lengths: Lengths) -> int:
    """Return the length that `length` stands for: a number, a name, or a name and "+1" or more."""
    name, more = _parts(length)
    return more if name is None else lengths[name] + more


def _parts(length: int | str) -> tuple[str | None, int]:
    """Split into the name of a length, None for a number, and what is added to it."""
    if not isinstance(length, str):
        return None, length
    name, _, more = length.partition("+")
    return name, int(more or 0)


def as_float(value: Any) -> float:
    """Return a real number of Python or NumPy as a float, which is infinite beyond float64."""
    try:
        return float(value)
    except OverflowError:  # 10**400
        return math.inf if value > 0 else -math.inf


def one_of(value: object, allowed: Collection[Value], name: str) -> Value:
    """Return the allowed value that a value equals, of the same type; refuse others."""
    for choice in allowed:
        if isinstance(value, type(choice)) and value == choice:
            return choice
    listed = [repr(choice) for choice in allowed]
    others = f"{', '.join(listed[:-1])} or " if len(listed) > 1 else ""
    raise ValueError(f"{name} must be {others}{listed[-1]}; got {value!r}")


def require_within(values: FloatArray, name: str, largest: float = LARGEST) -> None:
    """Refuse an array with values beyond `largest`, or NaN."""
    if values.size and not (values.min() >= -largest and values.max() <= largest):
        place = tuple(int(i) for i in np.argwhere(~(np.abs(values) <= largest))[0])
        raise ValueError(
            f"{name} must hold values from {-largest} to {largest}; got {values[place]} at {place}"
        )


def _dtype_of(name: str, values: Mapping[str, Any]) -> np.dtype[Any]:
    """Return the dtype of the argument of that name, or of "argument.attribute"."""
    argument, _, attribute = name.partition(".")
    array = getattr(values[argument], attribute) if attribute else values[argument]
    dtype: np.dtype[Any] = array.dtype
    return dtype


def _of(*dtypes: str) -> Callable[..., Array]:
    """Return a function of a shape and options that describes an array of these dtypes."""
    return lambda *shape, **options: Array(dtypes, shape, **options)


floats = _of("float64")
points = _of("float32", "float64")
words = _of("uint64")
int32s = _of("int32")
int64s = _of("int64")
booleans = _of("bool")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _in_short(value: NDArray[Any]) -> str:
    return np.array2string(np.asarray(value), threshold=6, edgeitems=3)
