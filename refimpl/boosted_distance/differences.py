"""Difference vectors, which Algorithm A.1 of Amores, Sebe & Radeva (2006) trains on, without storing them."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Differences", "require_finite_differences"]


@dataclass(frozen=True, eq=False)
class Differences:
    """All the difference vectors a - b, a in A and b in B, computed a feature at a time and never stored.

    Attributes
    ----------
    A : ndarray, shape (n_A, d), float64
    B : ndarray, shape (n_B, d), float64
    """

    A: np.ndarray
    B: np.ndarray

    def __len__(self):
        return len(self.A) * len(self.B)

    @property
    def shape(self):
        """(n_A * n_B, d)."""
        return len(self), self.A.shape[1]

    def column(self, f):
        """Return feature f of all differences, those of A[0] first: ndarray, shape (n_A * n_B,)."""
        return (self.A[:, f, np.newaxis] - self.B[:, f]).ravel()

    def __array__(self, dtype=None, copy=None):
        """Return all differences as one array, shape (n_A * n_B, d)."""
        return (self.A[:, np.newaxis] - self.B).reshape(self.shape).astype(dtype or np.float64, copy=False)


def require_finite_differences(X, Y, name):
    """Refuse vectors whose differences are infinite in some column.

    Parameters
    ----------
    X, Y : ndarray, shape (n_X, d) and (n_Y, d), float64
    name : str
        How the message calls `Y`.

    Raises
    ------
    ValueError
        If the largest value of a column less its smallest one overflows.
    """
    with np.errstate(over="ignore"):
        spread = np.maximum(X.max(axis=0), Y.max(axis=0)) - np.minimum(X.min(axis=0), Y.min(axis=0))
    if not np.isfinite(spread).all():
        raise ValueError(
            f"{name}: the values of column {np.argmax(~np.isfinite(spread))} are so far apart that their "
            "difference is infinite; rescale it"
        )
