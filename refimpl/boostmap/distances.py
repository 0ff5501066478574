"""The distances that BoostMap trains on: from objects to its candidates.

A candidate is a database object that a coordinate may refer to, as a reference object or as one of
two pivots: the set C of § 7.1. The training sees distances alone and never looks at an object.

Not handled here: computing distances (:mod:`refimpl.spaces`).
"""

from dataclasses import dataclass

import numpy as np

from refimpl.arrays import as_matrix
from refimpl.checks import as_indices
from refimpl.typing import ArrayLike, FloatArray, IntArray

__all__ = ["CandidateDistances"]

# limits of distances above 0, so that their squares and quotients stay far within float64
NEAREST, FARTHEST = 1e-100, 1e100


@dataclass(frozen=True, eq=False, repr=False)
class CandidateDistances:
    """Distances from the objects of the triples to the candidates, and among the candidates.

    Parameters
    ----------
    D : array_like, shape (n_C, n), float64
        D[c, x] = D_X(x, c), from object x of the triples to candidate c.
    between : array_like, shape (n_C, n_C), float64
        Distances among the candidates: between[c, x] = D_X(x, c) for two candidates.
    candidates : array_like of int, shape (n_C,), optional
        Indices of the candidates in the database, each once. 0, ..., n_C - 1 by default.

    Attributes
    ----------
    D, between : ndarray, float64, C-contiguous
        The arguments themselves, not copies, where they have this form already.
    candidates : ndarray of int64, or None

    Raises
    ------
    TypeError
        If the distances are no real numbers, or the candidates no integers.
    ValueError
        If shapes do not fit together, a distance is negative, NaN or infinite, a distance above 0
        is below 1e-100 or above 1e100, or a candidate occurs twice.

    See Also
    --------
    refimpl.boostmap.Triples : The triples of objects to train on.
    refimpl.boostmap.boostmap : The training.

    References
    ----------
    Athitsos, Alon, Sclaroff & Kollios (2005), § 7.1.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import CandidateDistances
    >>> X = np.array([0.0, 1.0, 5.0, 6.0])
    >>> D = np.abs(X[:, np.newaxis] - X)
    >>> CandidateDistances(D[:3], D[:3, :3])
    CandidateDistances(3 candidates, 4 objects)
    """

    D: FloatArray
    between: FloatArray
    candidates: IntArray | None

    def __init__(
        self, D: ArrayLike, between: ArrayLike, candidates: ArrayLike | None = None
    ) -> None:
        to_candidates: FloatArray = as_matrix(D, "D")
        among: FloatArray = as_matrix(between, "between")
        n_C = len(to_candidates)
        if among.shape != (n_C, n_C):
            raise ValueError(
                f"between must have shape {(n_C, n_C)}, as D has {n_C} rows; got {among.shape}"
            )
        require_distances(to_candidates, "D")
        require_distances(among, "between")
        object.__setattr__(self, "D", to_candidates)
        object.__setattr__(self, "between", among)
        object.__setattr__(self, "candidates", _as_candidates(candidates, n_C))

    def __repr__(self) -> str:
        n_C, n = self.D.shape
        return f"CandidateDistances({n_C} candidates, {n} objects)"


def _as_candidates(candidates: ArrayLike | None, n_C: int) -> IntArray | None:
    if candidates is None:
        return None
    places: IntArray = as_indices(candidates, np.iinfo(np.int64).max, "candidates")
    if len(places) != n_C:
        raise ValueError(
            f"candidates must have {n_C} entries, one for each row of D; got {len(places)}"
        )
    distinct, counts = np.unique(places, return_counts=True)
    if len(distinct) < n_C:
        twice = distinct[counts.argmax()]
        raise ValueError(f"candidates must be different objects; got {twice} more than once")
    return places


def require_distances(D: FloatArray, name: str) -> None:
    """Refuse negative distances, and those whose squares or quotients may leave float64's range."""
    least = D.min()
    if least < 0:
        raise ValueError(f"{name} must hold distances of at least 0; got {least:.3g}")
    nearest = np.min(D, where=D > 0, initial=np.inf)
    farthest = D.max()
    if nearest < NEAREST or farthest > FARTHEST:
        raise ValueError(
            f"{name}: distances above 0 must lie between {NEAREST:.0e} and {FARTHEST:.0e}; got "
            f"{nearest:.3g} to {farthest:.3g} (another unit only scales the model)"
        )
