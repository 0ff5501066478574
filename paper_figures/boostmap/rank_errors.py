"""Athitsos et al. (2005): the errors of ranks, for the rules of the claims.

A mean of ranks over trainings has the error of its trainings and that of rounding.
"""

import math
from dataclasses import replace
from typing import Any

from paper_figures.claims.evidence import Number, Records, number

K = (1, 10, 100)
ROUNDING = 12.0**-0.5
"""The standard deviation of what rounding to whole numbers takes away."""


def with_rounding(rank: Number) -> Number:
    """Return a mean of ranks with the error of rounding added; one training has no error."""
    if rank.std_error is None:
        return rank
    rounding = ROUNDING / (rank.runs or 1) ** 0.5
    return replace(rank, std_error=math.hypot(rank.std_error, rounding))


def rank_of(records: Records, figure: str, name: str, **keys: Any) -> Number:
    """Return the rank of a figure's only row with these keys, with its error."""
    return with_rounding(number(records, figure, name, **keys))
