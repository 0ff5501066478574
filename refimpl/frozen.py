"""Frozen dataclasses with read-only arrays, compared by value and shown in one line.

:mod:`refimpl.results` builds on them and writes them to files.

Not handled here: mutable fields such as lists and dicts, which stay as they are.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["copied", "from_new_arrays", "immutable", "require_forms", "sealed"]

T = TypeVar("T")
DType = TypeVar("DType", bound=np.generic)

MOST_CHARACTERS = 200  # largest length of a repr
MOST_OF_A_STRING = 40


@dataclasses.dataclass
class _Plain:
    """A dataclass with the `__repr__` that Python generates."""


_GENERATED_REPR = cast(Any, _Plain.__repr__).__code__  # all generated ones share this code


# ------------------------------------------------------------------------------------ the decorator


def immutable(cls: type[T]) -> type[T]:
    """Seal the arrays of a frozen dataclass, compare its objects by value, show them in one line.

    Every array is :func:`sealed` before ``__post_init__`` sees it, so what has been validated
    cannot change; unpickled objects go through the constructor again. Objects are equal if all
    fields are, bit for bit, NaN like NaN. A class keeps the methods that it defines itself.
    ``_unsaved`` may name attributes beside the fields that pickle carries.
    """
    create: Callable[..., None] = cls.__init__

    @functools.wraps(create)
    def __init__(self: Any, *values: Any, **named: Any) -> None:
        positional = map(_sealed_field, values)
        create(self, *positional, **{name: _sealed_field(value) for name, value in named.items()})
        for name in _field_names(self):
            object.__setattr__(self, name, _sealed_field(getattr(self, name)))

    cast(Any, cls).__init__ = __init__
    methods: dict[str, Any] = {
        "__eq__": _equal,
        "__hash__": None,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    if getattr(cls.__dict__.get("__repr__"), "__code__", _GENERATED_REPR) is _GENERATED_REPR:
        cast(Any, cls).__repr__ = _repr
    return cls


def from_new_arrays(cls: type[T], *values: Any, **named: Any) -> T:
    """Return ``cls(...)`` of arrays that nobody else writes to: they are sealed without a copy."""
    values = tuple(map(_sealed_in_place, values))
    return cls(*values, **{name: _sealed_in_place(value) for name, value in named.items()})


def _sealed_in_place(value: Any) -> Any:
    return sealed(value, copy=False) if isinstance(value, np.ndarray) else value


def _sealed_field(value: Any) -> Any:
    if isinstance(value, np.ndarray) and not np.ma.is_masked(value):  # the constructor refuses it
        return sealed(value)
    if type(value) is tuple:
        return tuple(map(_sealed_field, value))
    return value


def _field_names(instance: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(instance)]


# ------------------------------------------------------------------------------------ sealed arrays


def sealed(array: NDArray[DType], *, copy: bool = True) -> NDArray[DType]:
    """Return an array of the same values that even ``setflags`` cannot make writeable.

    Without `copy` nobody else may write to the array.
    """
    if _is_sealed(array):
        return array
    array = copied(array) if copy else np.asarray(array)
    try:
        view: NDArray[DType] = np.asarray(array.data.toreadonly())
        if view.dtype == array.dtype:
            return view
    except (ValueError, TypeError, BufferError):
        pass  # no buffer has this dtype: strings, dates, objects
    plain = array.ndim and array.size and array.dtype.itemsize and not array.dtype.hasobject
    if plain and array.flags.c_contiguous:
        return np.asarray(array.view(np.uint8).data.toreadonly()).view(array.dtype)
    array = copied(array)
    array.setflags(write=False)
    return array


def copied(array: NDArray[DType]) -> NDArray[DType]:
    """Return a copy of `array` in its own memory order."""
    return np.array(array, order="K")


def _is_sealed(array: Any) -> bool:
    """Tell whether neither the array nor any array that it is a view of can be made writeable."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    try:
        return array is not None and memoryview(array).readonly
    except TypeError:  # the base offers no buffer
        return False


# -------------------------------------------------------------------------------- checks of a field


def require_forms(
    instance: object, **forms: tuple[DTypeLike, int] | tuple[DTypeLike, int, float]
) -> None:
    """Refuse fields that are not C-contiguous arrays of the dtype, dimensions and largest value."""
    for name, (dtype, ndim, *largest) in forms.items():
        array = getattr(instance, name)
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != ndim:
            got = f"a {type(array).__name__}"
            if isinstance(array, np.ndarray):
                got = f"{array.dtype} in {array.ndim}"
            form = f"an array of {np.dtype(dtype)} in {ndim} dimension(s)"
            raise ValueError(f"{name} must be {form}; got {got}")
        if not array.flags.c_contiguous:
            raise ValueError(f"{name} must be C-contiguous; got strides of {array.strides} bytes")
        if array.dtype.kind == "f" and array.size:
            _require_range(name, array, largest[0] if largest else np.finfo(array.dtype).max)


def _require_range(name: str, array: NDArray[Any], largest: float) -> None:
    low, high = array.min(), array.max()
    if not -largest <= low <= high <= largest:
        raise ValueError(
            f"{name} must hold numbers between {-largest:g} and {largest:g}; got {low} to {high}"
        )


# ------------------------------------------------------------------------- methods of the decorator


def _repr(self: Any) -> str:
    """Return the class's name and its fields in one line of about 200 characters at most."""
    text = ""
    for name in _field_names(self):
        part = f"{name}={_shown(getattr(self, name))}"
        if len(text) + len(part) > MOST_CHARACTERS - len(type(self).__name__):
            text += ", ..."
            break
        text += f", {part}" if text else part
    return f"{type(self).__name__}({text.removeprefix(', ')})"


def _shown(value: Any) -> str:
    """Return a field's value in a few words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}" if value.ndim else _shown(value[()])
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.generic):
        return _shown(value.item())
    if isinstance(value, str | bytes) and len(value) > MOST_OF_A_STRING:
        return repr(value[: MOST_OF_A_STRING - 3])[:-1] + "...'"
    if value is None or isinstance(value, bool | int | str | bytes | complex):
        return repr(value)
    if isinstance(value, tuple | list | dict):
        return f"{type(value).__name__} of {len(value)}"
    return f"{type(value).__name__}(...)"


def _state(self: Any) -> dict[str, Any]:
    """Return the fields, and the attributes in ``_unsaved``, for pickle and copy."""
    names = [*_field_names(self), *getattr(self, "_unsaved", ())]
    return {name: getattr(self, name) for name in names}


def _restore(self: Any, state: dict[str, Any]) -> None:
    """Call the constructor with a state, so that unpickled arrays are checked and read-only."""
    state = dict(state)
    self.__init__(**{name: state.pop(name) for name in _field_names(self) if name in state})
    for name in getattr(self, "_unsaved", ()):
        if name in state:
            object.__setattr__(self, name, state[name])


def _equal(self: Any, other: object) -> Any:
    """Return True for the same type and the same fields, bit for bit."""
    if type(other) is not type(self):
        return NotImplemented
    names = _field_names(self)
    pairs = [(getattr(self, name), getattr(other, name)) for name in names]
    return self is other or all(_same(a, b) for a, b in pairs)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        return _same_arrays(np.asarray(a), np.asarray(b))
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return _same_floats(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    return type(a) is type(b) and bool(a == b)


def _same_arrays(a: NDArray[Any], b: NDArray[Any]) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "mM":  # NaT is like NaT
        return bool(np.array_equal(a.view(np.int64), b.view(np.int64)))
    if a.dtype.kind == "f":
        return _same_floats(a, b)
    if a.dtype.kind == "c":
        return _same_floats(a.real, b.real) and _same_floats(a.imag, b.imag)
    return bool(np.array_equal(a, b))


def _same_floats(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Tell whether the numbers are the same and of one sign, zeros as well; NaN is like NaN."""
    with np.errstate(invalid="ignore"):
        same = (a == b) & (np.signbit(a) == np.signbit(b))
    return bool((same | (np.isnan(a) & np.isnan(b))).all())
