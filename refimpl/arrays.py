"""The door of arrays: what a caller gives becomes what a kernel takes, in the caller's words.

:func:`as_array` takes anything that NumPy takes; :func:`for_kernel` gives it the dtype, the layout
and the byte order of kernels, and copies only if it must. All checks of arrays go through both.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, get_args, get_type_hints, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
"""float64, of any shape; a docstring gives the shape."""
Points: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
"""Vectors in the rows of a matrix, where float32 stays float32."""
IntArray: TypeAlias = NDArray[np.int64]
Int32Array: TypeAlias = NDArray[np.int32]
UInt8Array: TypeAlias = NDArray[np.uint8]
UInt32Array: TypeAlias = NDArray[np.uint32]
UInt64Array: TypeAlias = NDArray[np.uint64]
RowArray: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]
"""Numbers of rows, in the smaller type that holds them."""
BoolArray: TypeAlias = NDArray[np.bool_]
Labels: TypeAlias = NDArray[Any]
"""Class labels: integers, booleans or strings."""
WeightedPairs: TypeAlias = tuple[Int32Array, Int32Array, FloatArray]
"""Pairs of points (first, second) with their weights."""
AnyPoints = TypeVar("AnyPoints", FloatArray, Points)
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

LARGEST = 1e140
"""The largest absolute value of a point: the squares of larger values, summed, leave float64."""
SMALLEST = 1e-140
"""The least spread of points: the squares of smaller differences lose digits, or vanish."""
FEW = 1000
DATES = (np.datetime64, np.timedelta64)
PARSED = (str, bytes, bytearray, memoryview, type(None), np.complexfloating, *DATES)
"""What NumPy or Python makes a real number of, though it is none: text, None, dates."""
LABELS = "integers, strings, booleans or floats"
KINDS: dict[type, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, np.floating),
    str: (str,),
    bytes: (bytes,),
}
"""The Python types of labels, and the types that count as each."""


def as_array(value: Any, name: str, what: str = "an array") -> NDArray[Any]:
    """Return what a caller gave as an array of its own dtype; messages call it `what`."""
    if hasattr(value, "toarray"):
        raise TypeError(f"{name} must be dense, such as {name}.toarray(); got a sparse matrix")
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        masked = np.count_nonzero(np.ma.getmaskarray(value))
        raise ValueError(f"{name} must have no masked elements; got {masked}")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name} must be {what} with rows of equal length; got rows of several lengths"
        ) from None


def for_kernel(array: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """Return an array as kernels take it: C-contiguous, aligned, in the machine's byte order."""
    A = np.asarray(np.asarray(array), dtype, order="C")
    return A if A.flags.aligned else A.copy()


def as_reals(value: Any, name: str, what: str = "numbers", *, single: bool = False) -> NDArray[Any]:
    """Return real numbers as kernels take them; `single` keeps float32 as it is."""
    A = as_array(value, name, what)
    require_reals(A, name)
    try:
        return as_single_or_double(A) if single else for_kernel(A)
    except (TypeError, ValueError, OverflowError) as error:  # such as 10**400
        raise TypeError(f"{name} must hold real numbers; got other objects ({error})") from None


def require_reals(A: NDArray[Any], name: str) -> None:
    """Refuse dates, complex numbers, and text or None, which NumPy would take for numbers."""
    if A.dtype.kind not in "biufO":
        raise TypeError(f"{name} must hold real numbers; got dtype {A.dtype}")
    parsed = (x for x in A.flat if isinstance(x, PARSED)) if A.dtype == object else ()
    for x in parsed:
        raise TypeError(f"{name} must hold real numbers; got other objects ({x!r})")


@overload
def as_matrix(X: ArrayLike, name: str, *, single: Literal[False] = False) -> FloatArray: ...
@overload
def as_matrix(X: ArrayLike, name: str, *, single: bool) -> Points: ...
def as_matrix(X: ArrayLike, name: str, *, single: bool = False) -> Points:
    """Return the vectors `X` as a finite matrix, (n, d); `single` keeps float32 as it is."""
    A = as_reals(X, name, "a matrix", single=single)
    if A.ndim != 2:
        such = f", such as {name}[None, :]" if A.ndim == 1 else ""
        raise ValueError(
            f"{name} must be a matrix with a vector in each row{such}; got shape {A.shape}"
        )
    if A.size == 0:
        raise ValueError(f"{name} must have at least one row and one column; got shape {A.shape}")
    _require_finite(A, name)
    return A


def _require_finite(A: NDArray[Any], name: str) -> None:
    finite = np.isfinite(A)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(
            f"{name} must hold finite numbers; got {np.count_nonzero(~finite)} that are NaN or "
            f"infinite, the first in row {row}, column {column}"
        )


def as_vectors_like(Q: ArrayLike, X: NDArray[Any], name: str) -> FloatArray:
    """Return the vectors `Q`, checked, of the same dimension as the checked matrix `X`."""
    return in_dimensions(as_matrix(Q, name), X.shape[1], name)


def in_dimensions(
    Q: AnyPoints, d: int, name: str, why: str = "as the training vectors have"
) -> AnyPoints:
    """Return the checked matrix `Q`, which must have d columns; messages say why."""
    if Q.shape[1] != d:
        raise ValueError(f"{name} must have {d} columns, {why}; got {Q.shape[1]}")
    return Q


def as_points(X: ArrayLike, name: str, like: NDArray[Any] | None = None) -> FloatArray:
    """Return the vectors `X`, checked, whose squared distances can be summed."""
    if like is None:
        return in_scale(as_matrix(X, name), name)
    return in_range(as_vectors_like(X, like, name), name)


def in_range(X: AnyPoints, name: str) -> AnyPoints:
    """Return the checked matrix `X` if the squares of its values can be summed in float64."""
    largest = float(np.abs(X).max())  # as a float32, LARGEST would be infinite
    if not largest <= LARGEST:
        raise ValueError(
            f"{name} must hold values within 1e140, whose squares can be summed; got {largest:.3g}"
        )
    return X


def in_scale(X: AnyPoints, name: str) -> AnyPoints:
    """Return the checked matrix `X` if the squares of its distances neither overflow nor vanish."""
    in_range(X, name)
    spread = 0.0
    for part in (X[:FEW], X):  # a few rows tell it of nearly every matrix
        spread = float(np.ptp(part, axis=0).max())
        if spread >= SMALLEST:
            return X
    if spread > 0:
        raise ValueError(
            f"{name} must have a column that varies by 1e-140 or more, so that squared distances "
            f"do not vanish; got {spread:.3g}. Scale the columns up"
        )
    return X


def require_squares(D: FloatArray) -> FloatArray:
    """Return distances whose squares can be summed; refuse others."""
    largest = D.max(initial=0.0)
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise ValueError(
            f"space must have distances within {SMALLEST} and {LARGEST}, whose squares can be "
            f"summed; got {largest:.3g} as the largest. Scale the distances"
        )
    return D


def mapped_by(L: ArrayLike | None, *sets: FloatArray) -> Sequence[FloatArray]:
    """Map each set of vectors by L, and equal vectors, also in different sets, to equal vectors."""
    if L is None:
        return sets
    d = sets[0].shape[1]
    factor = in_dimensions(in_range(as_matrix(L, "L"), "L"), d, "L", "as the vectors have")
    X = sets[0] if len(sets) == 1 else np.concatenate(sets)
    Z = np.ascontiguousarray(X @ factor.T)
    # A product may round equal rows differently. Rows of one weighted sum are compared; equal ones
    # get the image of the first.
    keys = np.einsum("ij,j->i", X, np.sin(np.arange(1.0, d + 1)))
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0))
    first = np.repeat(order[starts], np.diff(np.append(starts, len(X))))
    repeated = order != first
    order = order[repeated]
    first = first[repeated]
    alike = (X[order] == X[first]).all(axis=1)
    Z[order[alike]] = Z[first[alike]]
    rest = order[~alike]  # another row has the same sum, as beside a large column
    if len(rest):
        _, first, place = np.unique(X[rest], axis=0, return_index=True, return_inverse=True)
        Z[rest] = Z[rest[first]][place.reshape(-1)]
    ends = np.cumsum([len(vectors) for vectors in sets])[:-1]
    return np.split(in_scale(Z, "L x"), ends)


def blocks(stop: int, size: int, start: int = 0) -> list[slice]:
    """Return slices of `size` rows, at least one, that cut the rows from `start` to `stop`."""
    step = max(1, size)
    return [slice(first, min(first + step, stop)) for first in range(start, stop, step)]


def as_single_or_double(array: ArrayLike) -> Points:
    """Return an array as kernels take it: float32 stays float32, other numbers become float64."""
    A = np.asarray(array)
    is_single = A.dtype.newbyteorder("=") == np.float32
    return for_kernel(A, np.float32 if is_single else np.float64)


# --------------------------------------------------------------------------- printed algorithms


def any_arrays(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a printed algorithm take arrays of any form: each becomes what its annotation says."""
    hints = get_type_hints(function)
    forms = {name: _form(hints[name]) for name in inspect.signature(function).parameters}
    in_order = list(forms.values())

    @functools.wraps(function)
    def call(*values: Arguments.args, **named: Arguments.kwargs) -> Result:
        taken: Any = [*map(_taken, in_order, values), *values[len(in_order) :]]
        keywords: Any = {name: _taken(forms.get(name), value) for name, value in named.items()}
        return function(*taken, **keywords)

    return call


def _taken(form: Callable[[Any], Any] | None, value: Any) -> Any:
    return value if form is None or value is None else form(value)


def _form(hint: Any) -> Callable[[Any], Any] | None:
    """Return what makes a value one of an annotation that is an array, or has arrays as fields."""
    if hint in FORMS:
        return FORMS[hint]
    if isinstance(hint, UnionType):
        forms = [_form(part) for part in get_args(hint) if part is not NoneType]
        return None if None in forms else np.asarray if len(forms) > 1 else forms[0]
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        fields = [_form(field) for field in get_type_hints(hint).values()]
        return lambda value: hint(*map(_taken, fields, value))
    return None


FORMS: dict[Any, Callable[[Any], Any]] = {
    float: float,  # of an array of small integers, whose squares would wrap around
    FloatArray: for_kernel,
    Points: as_single_or_double,
    Labels: np.asarray,
    IntArray: functools.partial(for_kernel, dtype=np.int64),
    Int32Array: functools.partial(for_kernel, dtype=np.int32),
    BoolArray: functools.partial(for_kernel, dtype=np.bool_),
}
"""What makes a value an array, or a number, of an annotation."""

# ------------------------------------------------------------------------------------------ labels


def class_numbers(y: ArrayLike) -> IntArray:
    """Return the place of each label among the sorted different ones: int64, as kernels take it."""
    return for_kernel(np.unique(np.asarray(y), return_inverse=True)[1], np.int64)


def as_label_array(labels: Any, name: str) -> NDArray[Any]:
    """Return labels as an array that holds them unchanged; NaN is for the caller to refuse."""
    array = as_array(labels, name, "labels")
    is_array = hasattr(labels, "__array__")  # as scikit-learn's checks ask
    if array.dtype.kind == "T":  # strings of any length
        array = array.astype(object)
    if array.dtype.kind not in "biufSUO":
        raise TypeError(f"{name} must have labels that are {LABELS}; got dtype {array.dtype}")
    if array.ndim == 0 or (is_array and array.dtype != object):
        return array
    objects = np.asarray(array if is_array else labels, dtype=object).ravel()
    values = [x[()] if isinstance(x, np.ndarray) else x for x in objects]
    numbers = (x for x in values if isinstance(x, float | np.floating))
    if array.dtype.kind in "fO" and any(x != x for x in numbers):
        return array
    require_one_type(values, name)
    require_unchanged(values, array, name)
    return array


def plain_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels of a dtype that a file holds, if they have one; objects keep their types."""
    if labels.dtype == object and labels.ndim == 1:
        values = [x.item() if isinstance(x, np.generic) else x for x in labels]
        with suppress(ValueError):  # of tuples of several lengths
            plain = np.array(values)
            kept = [type(x) for x in plain.tolist()] == [type(x) for x in values]
            if plain.shape == labels.shape and kept and plain.tolist() == values:
                return plain
    return labels


def require_one_type(labels: Iterable[Any], name: str) -> None:
    """Refuse labels of several types, such as 1, 1.0, True and "1", which an array would mix up."""
    first: dict[type, Any] = {}
    for label in labels:
        first.setdefault(_kind(label), label)
    if type(None) in first:
        raise TypeError(f"{name} must hold labels other than None; got None")
    if len(first) > 1:
        a, b, *_ = first.values()
        raise TypeError(
            f"{name} must hold labels of one type; "
            f"got {a!r} ({type(a).__name__}) and {b!r} ({type(b).__name__})"
        )
    for kind, label in first.items():
        if kind not in KINDS:
            raise TypeError(f"{name} must have labels that are {LABELS}; got {label!r}")


def label_array(labels: list[Any]) -> NDArray[Any]:
    """Return a dict's labels as an array from which the same labels can be read back."""
    require_one_type(labels, "value")
    array = np.array(labels)
    if array.dtype.kind not in "biufUS":
        raise TypeError(f"value must have labels that a file holds; got {labels[0]!r}")
    require_unchanged(labels, array, "value")
    return array


def require_unchanged(labels: Iterable[Any], array: NDArray[Any], name: str) -> None:
    """Refuse labels that change when they are put in an array, as "a\\0" becomes "a"."""
    if array.dtype.kind not in "biufUS":
        return
    for label, back in zip(labels, array.ravel().tolist(), strict=True):
        if label != back or _kind(label) is not _kind(back):
            raise ValueError(
                f"{name} must have labels that an array holds unchanged; got {label!r}"
            )


def _kind(label: Any) -> type:
    """Return the Python type of a Python or NumPy scalar."""
    return next((kind for kind, kinds in KINDS.items() if isinstance(label, kinds)), type(label))
