"""Difference vectors, which Algorithm A.1 of Amores, Sebe & Radeva (2006) trains on, without
storing them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from refimpl.resources import check_free_memory
from refimpl.typing import FloatArray

__all__ = ["Differences", "require_finite_differences"]


@dataclass(frozen=True, eq=False)
class Differences:
    """All difference vectors a - b of a in A and b in B, without storing them.

    One feature of all differences is computed at a time.

    Attributes
    ----------
    A : ndarray, shape (n_A, d), float64
    B : ndarray, shape (n_B, d), float64

    See Also
    --------
    refimpl.boosted_distance.adaboost : Takes two of them.
    refimpl.boosted_distance.algorithm.difference_vectors : The two sets of a class.

    Examples
    --------
    >>> differences = Differences(np.array([[1.0], [5.0]]), np.array([[1.0], [2.0]]))
    >>> len(differences), differences.column(0).tolist()
    (4, [0.0, -1.0, 4.0, 3.0])
    """

    A: FloatArray
    B: FloatArray

    def __len__(self) -> int:
        return len(self.A) * len(self.B)

    @property
    def shape(self) -> tuple[int, int]:
        """(n_A * n_B, d)."""
        return len(self), self.A.shape[1]

    def column(self, f: int) -> FloatArray:
        """Return feature f of all differences, first with A[0]: ndarray, shape (n_A * n_B,)."""
        return (self.A[:, f, np.newaxis] - self.B[:, f]).ravel()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return all differences as one array, shape (n_A * n_B, d)."""
        needed = 8 * len(self) * self.A.shape[1]
        check_free_memory(needed, "the array of all differences", "vectors or features")
        array = (self.A[:, np.newaxis] - self.B).reshape(self.shape)
        return array.astype(dtype or np.float64, copy=False)


def require_finite_differences(Q: FloatArray, X: FloatArray, name: str) -> None:
    """Refuse vectors whose differences are infinite in some column.

    Parameters
    ----------
    Q, X : ndarray, shape (n_Q, d) and (n_X, d), float64
    name : str
        How the message calls `Q`.

    Raises
    ------
    ValueError
        If the largest value of a column less its smallest one overflows.

    See Also
    --------
    Differences : Compute the differences.

    Examples
    --------
    >>> require_finite_differences(np.array([[-1e300]]), np.array([[1e300]]), "Q")
    """
    with np.errstate(over="ignore"):
        highest = np.maximum(X.max(axis=0), Q.max(axis=0))
        lowest = np.minimum(X.min(axis=0), Q.min(axis=0))
        spread = highest - lowest
    if not np.isfinite(spread).all():
        column = np.argmax(~np.isfinite(spread))
        raise ValueError(
            f"{name}: the differences of column {column} must be finite; got values between "
            f"{lowest[column]:g} and {highest[column]:g}. Rescale the column"
        )
