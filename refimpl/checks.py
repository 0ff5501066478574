"""Arguments are checked once, before any work; every message names the argument and says what it must be.

Wrong types raise ``TypeError``, wrong shapes and values ``ValueError``. The functions return the argument in
the form that the rest of the package relies on, so the mirrored algorithms contain no checks of their own.
"""

import operator

import numpy as np

from refimpl import kernels as reference
from refimpl.kernels.arguments import one_of
from refimpl.kernels.contract import check_threads
from refimpl.resources import processors
from refimpl.results import require_one_type

__all__ = [
    "as_count",
    "as_generator",
    "as_indices",
    "as_kernels",
    "as_labels",
    "as_matrix",
    "as_number",
    "as_threads",
    "as_vectors_like",
    "one_of",
    "positive",
    "require_one_type",
]


def as_matrix(X, name, *, single=False):
    """Return the vectors `X`, one in each row, as a finite matrix.

    Parameters
    ----------
    X : array_like of numbers, shape (n, d), n >= 1, d >= 1
        Booleans, integers and floats are accepted; sparse matrices, complex numbers and strings are not.
    name : str
        How the messages call the argument.
    single : bool, default False
        Whether float32 stays float32.

    Returns
    -------
    numpy.ndarray of float64 (or float32), shape (n, d), C-contiguous
        `X` itself, not a copy, if it already has this form.

    Raises
    ------
    TypeError
        If the values are no real numbers.
    ValueError
        If the shape is not (n, d), the matrix is empty, or a value is NaN or infinite.
    """
    if hasattr(X, "toarray"):
        raise TypeError(f"{name} is a sparse matrix; pass a dense array, for example {name}.toarray()")
    try:
        A = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"{name} must be a matrix of numbers with rows of equal length ({error})") from None
    if A.dtype.kind not in "biufO":
        raise TypeError(f"{name} has dtype {A.dtype}; it must hold real numbers")
    if A.ndim != 2:
        hint = f"; a single vector is {name}[None, :]" if A.ndim == 1 else ""
        raise ValueError(f"{name} has shape {A.shape}; it must be a matrix with one vector in each row{hint}")
    if A.size == 0:
        raise ValueError(f"{name} has shape {A.shape}; it must have at least one row and one column")
    try:
        A = np.ascontiguousarray(A, dtype=np.float32 if single and A.dtype == np.float32 else np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold real numbers ({error})") from None
    _require_finite(A, name)
    return A


def _require_finite(A, name):
    finite = np.isfinite(A)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(
            f"{name} has {np.count_nonzero(~finite)} values that are NaN or infinite, the first in row "
            f"{row}, column {column}; replace them or leave out their rows"
        )


def as_vectors_like(Y, X, name, *, single=False):
    """Return the vectors `Y` as :func:`as_matrix` returns them, of the same dimension as the checked matrix `X`.

    Parameters
    ----------
    Y : array_like of numbers, shape (m, d)
    X : numpy.ndarray, shape (n, d)
    name : str
        How the messages call `Y`.
    single : bool, default False
        Whether float32 stays float32.

    Returns
    -------
    numpy.ndarray of float64 (or float32), shape (m, d), C-contiguous

    Raises
    ------
    TypeError, ValueError
        As :func:`as_matrix` does, and if the numbers of columns differ.
    """
    Y = as_matrix(Y, name, single=single)
    if Y.shape[1] != X.shape[1]:
        raise ValueError(f"{name} has {Y.shape[1]} columns; the training vectors have {X.shape[1]}")
    return Y


def as_labels(labels, n, name, min_classes=1):
    """Return one label for each of `n` vectors.

    Parameters
    ----------
    labels : array_like, shape (n,)
        Values of one type that can be sorted: all integers, or all strings, booleans, ...
    n : int
        The number of vectors.
    name : str
        How the messages call the argument.
    min_classes : int, default 1
        The least number of different labels.

    Returns
    -------
    numpy.ndarray, shape (n,)
        The labels in their own dtype.

    Raises
    ------
    TypeError
        If the labels are of several types, for instance strings among integers, or cannot be sorted.
    ValueError
        If there is not one label for each vector, a label is NaN, or there are too few classes.
    """
    try:
        array = np.asarray(labels)
    except ValueError as error:
        raise ValueError(f"{name} must hold one label for each vector ({error})") from None
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; it must be ({n},), one label for each vector")
    if np.any(array != array):
        raise ValueError(f"{name} holds NaN; every vector needs a label")
    if array.dtype == object or not hasattr(labels, "dtype"):
        require_one_type(labels, name)
    try:
        n_classes = len(np.unique(array))
    except TypeError as error:
        raise TypeError(f"{name} must hold labels that can be sorted ({error})") from None
    if n_classes < min_classes:
        raise ValueError(f"{name} has {n_classes} class(es); at least {min_classes} are needed")
    return array


def as_count(T, name, minimum=1):
    """Return the whole number `T`, at least `minimum`.

    Parameters
    ----------
    T : int
        Python or NumPy integer; a boolean or a float is refused.
    name : str
        How the messages call the argument.
    minimum : int, default 1

    Returns
    -------
    int

    Raises
    ------
    TypeError
        If `T` is no integer.
    ValueError
        If `T` is below `minimum`.
    """
    if isinstance(T, bool | np.bool_):
        raise TypeError(f"{name} is {T}; it must be an integer >= {minimum}")
    try:
        count = operator.index(T)
    except TypeError:
        raise TypeError(f"{name} is {T!r}; it must be an integer >= {minimum}") from None
    if count < minimum:
        raise ValueError(f"{name} is {count}; it must be at least {minimum}")
    return count


def as_threads(threads):
    """Return a number of threads; None stands for all processors that the process may use.

    Raises
    ------
    TypeError, ValueError
        If it is neither None nor an integer of at least 1.
    """
    check_threads(threads)
    return processors() if threads is None else int(threads)


def as_number(value, name, *, minimum=0.0, below=np.inf):
    """Return the finite number `value`, at least `minimum` and less than `below`.

    Parameters
    ----------
    value : float
    name : str
        How the messages call the argument.
    minimum : float, default 0.0
    below : float, default infinity

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If `value` is no real number.
    ValueError
        If `value` is NaN, infinite or out of range.
    """
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; it must be a number >= {minimum}")
    if not minimum <= value < below:
        raise ValueError(f"{name} is {value}; it must be at least {minimum} and less than {below}")
    return float(value)


def positive(value, name):
    """Return the finite number `value`, above 0.

    Parameters
    ----------
    value : float
    name : str
        How the messages call the argument.

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If `value` is no real number.
    ValueError
        If `value` is NaN, infinite or not above 0.
    """
    value = as_number(value, name)
    if not value > 0:
        raise ValueError(f"{name} must be positive; got {value}")
    return value


def as_indices(indices, n, name, of="database objects"):
    """Return positions between 0 and `n` - 1.

    Parameters
    ----------
    indices : array_like of int, shape (r,)
    n : int
        How many there are to choose from.
    name : str
        How the messages call the argument.
    of : str, default "database objects"
        How the messages call what is chosen from.

    Returns
    -------
    numpy.ndarray of int64, shape (r,)

    Raises
    ------
    TypeError
        If the values are no integers.
    ValueError
        If the shape is not (r,), or an index is negative or not below `n`.
    """
    array = np.asarray(indices)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; it must be a list of indices of {of}")
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}; it must hold integers, the indices of {of}")
    outside = (array < 0) | (array >= n)
    if outside.any():
        raise ValueError(f"{name} holds {array[outside][0]}; there are {n} {of}, with the indices 0 to {n - 1}")
    return array.astype(np.int64)


def as_generator(rng, name="rng"):
    """Return the source of random numbers `rng`.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str, default "rng"
        How the messages call the argument.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    TypeError
        If it is anything else, for instance a seed.
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"{name} is {rng!r}; pass a generator, for example numpy.random.default_rng(0)")
    return rng


def as_kernels(kernels):
    """Return the kernel module to compute with.

    Parameters
    ----------
    kernels : module or None
        Any module (or object) with the names of ``refimpl.kernels.__all__``; None stands for
        :mod:`refimpl.kernels`.

    Returns
    -------
    module

    Raises
    ------
    TypeError
        If `kernels` is a string, or lacks one of the names.
    """
    if kernels is None:
        return reference
    if isinstance(kernels, str):
        raise TypeError(f"kernels is the string {kernels!r}; pass a module, for example refimpl.kernels")
    missing = [name for name in reference.__all__ if not hasattr(kernels, name)]
    if missing:
        raise TypeError(f"kernels={kernels!r} lacks {', '.join(missing)}; refimpl.kernels is the model")
    return kernels
