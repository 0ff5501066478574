"""What the rounds of BoostMap's training yield: a record of each round.

Not handled here: the rounds themselves (:mod:`refimpl.boostmap.algorithm`).
"""

from dataclasses import dataclass
from typing import TypeAlias

from refimpl.typing import FloatArray

__all__ = ["Name", "QuerySensitiveRound", "Round"]

Name: TypeAlias = tuple[int, int]
"""A 1D embedding: (x_1, x_2) for two pivots, (r, -1) for a reference object."""


@dataclass(frozen=True, eq=False)
class Round:
    """What one round of § 7.3 did.

    Attributes
    ----------
    j : int
        Number of the round, from 1.
    step : {"remove", "modify", "add"}
    classifier : tuple of int
        Name of h_j: (x_1, x_2) as indices of candidates; (r, -1) for a reference object.
    alpha, z : float
        alpha_j and z_j.
    w : ndarray, shape (t,), float64
        The weights after the round, w_{j+1}.
    m : ndarray, shape (t,), float64
        The margins y_i H_j(o_i) after the round, of which the weights are made.

    See Also
    --------
    refimpl.boostmap.algorithm.training_rounds : The rounds of § 7.3.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import Round
    >>> Round(1, "add", (3, -1), 0.5, 0.9, np.array([0.5, 0.5]), np.zeros(2)).classifier
    (3, -1)
    """

    j: int
    step: str
    classifier: Name
    alpha: float
    z: float
    w: FloatArray
    m: FloatArray


@dataclass(frozen=True, eq=False)
class QuerySensitiveRound:
    """What one round of § 8.1 chose.

    Attributes
    ----------
    j : int
        Number of the round within the second phase, from 1.
    c, g : int
        Coordinates: F_c classifies, F_g = Gamma_c splits.
    low, high : float
    inside : int
        The range V: low <= value < high if `inside` is 1, the values outside of it if 0.
    alpha, z : float
    w, m : ndarray, shape (t,), float64
        The weights and the margins after the round.

    See Also
    --------
    refimpl.boostmap.algorithm.query_sensitive_rounds : The rounds of § 8.1.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import QuerySensitiveRound
    >>> QuerySensitiveRound(1, 0, 2, -np.inf, 1.5, 1, 0.5, 0.9, np.full(2, 0.5), np.zeros(2)).g
    2
    """

    j: int
    c: int
    g: int
    low: float
    high: float
    inside: int
    alpha: float
    z: float
    w: FloatArray
    m: FloatArray
