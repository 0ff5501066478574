"""What a training of BoostMap is asked for, and the record that each of its rounds leaves."""

from dataclasses import dataclass
from typing import TypeAlias

from refimpl.checks import as_count, as_number, one_of, set_checked
from refimpl.typing import FloatArray

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


RANGES_BY = ("error", "Z")
SPLITTERS = ("one", "both")
ROUNDS_PER_DIMENSION = 100  # `max_rounds` by default


@dataclass(frozen=True)
class BoostMapOptions:
    """Options of :func:`refimpl.boostmap.boostmap`.

    Parameters
    ----------
    n_references : int, default 1000
        Reference objects that a round tries (M_1 in § 7.3); at most as many as there are
        candidates.
    n_pairs : int, optional
        Pairs of pivots that a round tries (m in § 7.3), `n_references` by default.
    n_best : int, default 200
        Classifiers of least weighted error whose Z_min a round computes (M_2 in § 7.3).
    query_sensitive : int, default 0
        Rounds of the query-sensitive phase of § 8.1 (J_2 - J).
    n_thresholds : int, default 20
        Thresholds that a query-sensitive round draws for each coordinate. It tries all ranges
        between them.
    ranges_by : {"error", "Z"}, default "error"
        How a query-sensitive round compares the ranges of a coordinate: by their weighted error
        (§ 8.3), or by Z_min (§ 8.1 step 3), which takes far longer.
    splitters : {"one", "both"}, default "one"
        Which coordinates split: one for each coordinate, itself with probability 1/2 (§ 8.1
        step 1), or both itself and another coordinate (§ 8.3), which doubles the classifiers in a
        round.
    max_rounds : int, optional
        Largest number of rounds of the first phase, 100 d by default.
    least_gain : float, default 0.05
        Share, at least 0 and below 1, by which 50 changes of weight in a row must lower the loss
        together. If they do not, the next round adds a classifier (steps 5-10), or the phase ends
        if there are d. With 0 the phase runs as § 7.3 is printed.

    Raises
    ------
    TypeError
        If a number is of another type.
    ValueError
        If a value is out of range.

    See Also
    --------
    refimpl.boostmap.boostmap : The training.

    Examples
    --------
    >>> from refimpl.boostmap import BoostMapOptions
    >>> as_printed = BoostMapOptions(least_gain=0, max_rounds=10**9, ranges_by="Z")
    >>> as_printed.n_best
    200
    """

    n_references: int = 1000
    n_pairs: int | None = None
    n_best: int = 200
    query_sensitive: int = 0
    n_thresholds: int = 20
    ranges_by: str = "error"
    splitters: str = "one"
    max_rounds: int | None = None
    least_gain: float = 0.05

    def __post_init__(self) -> None:
        set_checked(self, as_count, "n_best", "n_references", "n_thresholds", "max_rounds")
        set_checked(self, as_count, "n_pairs", "query_sensitive", minimum=0)
        set_checked(self, as_number, "least_gain", below=1.0)
        one_of(self.ranges_by, RANGES_BY, "ranges_by")
        one_of(self.splitters, SPLITTERS, "splitters")

    def sizes(self, d: int, n_candidates: int) -> tuple[int, int, int, int]:
        """Return d, M_1, m and M_2 of § 7.3 for a number of candidates."""
        M_1 = min(self.n_references, n_candidates)
        m = M_1 if self.n_pairs is None else self.n_pairs
        return d, M_1, m if n_candidates > 1 else 0, self.n_best  # one candidate makes no pair

    def most_rounds(self, d: int) -> int:
        """Return the largest number of rounds of the first phase."""
        return ROUNDS_PER_DIMENSION * d if self.max_rounds is None else self.max_rounds


DEFAULT_OPTIONS = BoostMapOptions()
"""What a training does without ``options=``."""
