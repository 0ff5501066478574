"""Check vectors, the rows of a matrix, and map them by a linear factor of a metric.

Not handled here: labels and numbers; see :mod:`refimpl.checks`.
"""

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from refimpl.typing import ArrayLike, FloatArray, Points

__all__ = ["LARGEST", "as_matrix", "as_points", "as_vectors_like", "mapped_by"]

LARGEST = 1e140
"""The largest absolute value of a point: the squares of larger values, summed, leave float64."""


@overload
def as_matrix(X: ArrayLike, name: str, *, single: Literal[False] = False) -> FloatArray: ...
@overload
def as_matrix(X: ArrayLike, name: str, *, single: bool) -> Points: ...
def as_matrix(X: ArrayLike, name: str, *, single: bool = False) -> Points:
    """Return the vectors `X`, one in each row, as a finite matrix.

    Parameters
    ----------
    X : array_like of numbers, shape (n, d), n >= 1, d >= 1
        Booleans, integers and floats are accepted; sparse matrices, complex numbers and strings are
        not.
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

    See Also
    --------
    as_vectors_like : Check queries against a matrix.

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]], "X")
    array([[1., 2.],
           [3., 4.]])
    >>> as_matrix([1, 2], "X")
    Traceback (most recent call last):
        ...
    ValueError: X must be a matrix with a vector in each row, such as X[None, :]; got shape (2,)
    """
    if hasattr(X, "toarray"):
        raise TypeError(f"{name} must be dense, such as {name}.toarray(); got a sparse matrix")
    try:
        A = np.asarray(X)
    except ValueError as error:
        raise ValueError(
            f"{name} must be a matrix with rows of equal length; got other rows ({error})"
        ) from None
    if A.dtype.kind not in "biufO":
        raise TypeError(f"{name} must hold real numbers; got dtype {A.dtype}")
    if A.ndim != 2:
        such = f", such as {name}[None, :]" if A.ndim == 1 else ""
        raise ValueError(
            f"{name} must be a matrix with a vector in each row{such}; got shape {A.shape}"
        )
    if A.size == 0:
        raise ValueError(f"{name} must have at least one row and one column; got shape {A.shape}")
    matrix: Points
    try:
        if single and A.dtype == np.float32:
            matrix = np.ascontiguousarray(A, dtype=np.float32)
        else:
            matrix = np.ascontiguousarray(A, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold real numbers; got other objects ({error})") from None
    _require_finite(matrix, name)
    return matrix


def _require_finite(A: NDArray[Any], name: str) -> None:
    finite = np.isfinite(A)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(
            f"{name} must hold finite numbers; got {np.count_nonzero(~finite)} that are NaN or "
            f"infinite, the first in row {row}, column {column}"
        )


@overload
def as_vectors_like(
    Q: ArrayLike, X: NDArray[Any], name: str, *, single: Literal[False] = False
) -> FloatArray: ...
@overload
def as_vectors_like(Q: ArrayLike, X: NDArray[Any], name: str, *, single: bool) -> Points: ...
def as_vectors_like(Q: ArrayLike, X: NDArray[Any], name: str, *, single: bool = False) -> Points:
    """Return the vectors `Q`, checked, of the same dimension as the checked matrix `X`.

    Parameters
    ----------
    Q : array_like of numbers, shape (m, d)
    X : numpy.ndarray, shape (n, d)
    name : str
        How the messages call `Q`.
    single : bool, default False
        Whether float32 stays float32.

    Returns
    -------
    numpy.ndarray of float64 (or float32), shape (m, d), C-contiguous

    Raises
    ------
    TypeError, ValueError
        As :func:`as_matrix` does, and if the numbers of columns differ.

    See Also
    --------
    as_matrix : Check the points themselves.

    Examples
    --------
    >>> import numpy as np
    >>> as_vectors_like([[1.0, 2.0]], np.zeros((5, 3)), "Q")
    Traceback (most recent call last):
        ...
    ValueError: Q must have 3 columns, as the training vectors have; got 2
    """
    Q = as_matrix(Q, name, single=single)
    if Q.shape[1] != X.shape[1]:
        raise ValueError(
            f"{name} must have {X.shape[1]} columns, as the training vectors have; got {Q.shape[1]}"
        )
    return Q


def as_points(X: ArrayLike, name: str, like: NDArray[Any] | None = None) -> FloatArray:
    """Return the vectors `X`, checked, whose squared distances can be summed.

    Parameters
    ----------
    X : array_like of numbers, shape (n, d)
    name : str
        How the messages call the argument.
    like : ndarray, shape (m, d), optional
        A matrix whose dimension `X` must have.

    Returns
    -------
    ndarray, shape (n, d), float64

    Raises
    ------
    TypeError, ValueError
        As :func:`as_matrix`, and if a value is beyond 1e140.

    Examples
    --------
    >>> as_points([[1e150]], "X")
    Traceback (most recent call last):
        ...
    ValueError: X must hold values within 1e140, whose squares can be summed; got 1e+150
    """
    points = as_matrix(X, name) if like is None else as_vectors_like(X, like, name)
    return in_range(points, name)


def in_range(X: FloatArray, name: str) -> FloatArray:
    """Return the checked matrix `X` if the squares of its values can be summed in float64."""
    largest = np.abs(X).max()
    if not largest <= LARGEST:
        raise ValueError(
            f"{name} must hold values within 1e140, whose squares can be summed; got {largest:.3g}"
        )
    return X


def mapped_by(L: ArrayLike | None, *sets: FloatArray) -> Sequence[FloatArray]:
    """Map each set of vectors by L, and equal vectors, also in different sets, to equal vectors.

    A matrix product may round equal rows differently, depending on their position. To find equal
    rows, rows with the same weighted sum are compared. Equal rows get the image of the first.

    Parameters
    ----------
    L : array_like, shape (r, d), or None
        The factor. With None the sets are returned unchanged.
    *sets : ndarray, shape (n, d), float64

    Returns
    -------
    sequence of ndarray, shape (n, r), float64

    Raises
    ------
    TypeError, ValueError
        If `L` does not fit, or an image is beyond 1e140.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.vectors import mapped_by
    >>> mapped_by([[2.0, 0.0]], np.ones((1, 2)))
    [array([[2.]])]
    """
    if L is None:
        return sets
    factor = as_points(L, "L")
    d = sets[0].shape[1]
    if factor.shape[1] != d:
        raise ValueError(f"L must have {d} columns, as the vectors have; got {factor.shape[1]}")
    X = sets[0] if len(sets) == 1 else np.concatenate(sets)
    Z = np.ascontiguousarray(X @ factor.T)
    keys = np.einsum("ij,j->i", X, np.sin(np.arange(1.0, d + 1)))
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0))
    first = np.repeat(order[starts], np.diff(np.append(starts, len(X))))
    repeated = order != first
    order = order[repeated]
    first = first[repeated]
    alike = (X[order] == X[first]).all(axis=1)
    Z[order[alike]] = Z[first[alike]]
    ends = np.cumsum([len(vectors) for vectors in sets])[:-1]
    return [in_range(part, "L x") for part in np.split(Z, ends)]
