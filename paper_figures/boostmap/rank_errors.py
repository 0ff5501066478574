"""Athitsos et al. (2005): the error of a rank of one training, for the rules of the claims.

A rank of one training takes its standard error from `readings`, where two draws of objects, triples
and classifiers were trained alike: 64 dimensions, two kinds of triples, three k. What these six
pairs of ranks differ by is the error of all single trainings, and of FastMap's draws.
"""

import math
from dataclasses import replace
from typing import Any

from paper_figures.claims.evidence import Number, Records, as_number, number, with_error
from paper_figures.store import Row

K = (1, 10, 100)
DRAWS = ("as in table 1", "another draw of objects, triples and classifiers")
ROUNDING = 12.0**-0.5
"""The standard deviation of what rounding to whole numbers takes away."""


def _reading(records: Records, reading: str, triples: str, k: int) -> float:
    keys: dict[str, Any] = {"reading": reading, "triples": triples, "k": k, "of dimensions": 64}
    return number(records, "readings", **keys).ours


def spread(records: Records) -> float:
    """Return the relative standard error of a rank of one training.

    The logarithms of the ranks of two draws differ by sqrt(2) times the standard error of one.
    """
    squares = []
    for triples in ("Ra", "Se"):
        for k in K:
            first, second = (_reading(records, draw, triples, k) for draw in DRAWS)
            squares.append(math.log(first / second) ** 2)
    return math.sqrt(math.fsum(squares) / len(squares) / 2.0)


def rank_error(records: Records, rank: float) -> float:
    """Return the standard error of a rank of one training; ranks are whole numbers."""
    return math.hypot(spread(records) * rank, ROUNDING)


def of_one_training(records: Records, number: Number, rank: float) -> Number:
    """Return the number with the error of a rank of one training if it has none of its own.

    A mean over trainings has the error of rounding, too: ranks are integers.
    """
    if number.std_error is not None:
        rounding = ROUNDING / (number.runs or 1) ** 0.5
        return replace(number, std_error=math.hypot(number.std_error, rounding))
    return with_error(number, rank_error(records, rank), "boostmap.readings")


def rank_of(records: Records, figure: str, name: str, **keys: Any) -> Number:
    """Return the rank of a figure's only row with these keys, with its error."""
    rank = number(records, figure, name, **keys)
    return of_one_training(records, rank, rank.ours)


def rank_in(records: Records, figure: str, row: Row, name: str) -> Number:
    """Return the rank of a row, with its error."""
    rank = as_number(records, figure, row, name)
    return of_one_training(records, rank, rank.ours)
