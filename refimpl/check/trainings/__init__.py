"""Whole trainings of a few rounds, with the state of every round.

Each module has the trainings of one paper, ``rivals`` those of the methods that it compares with.
"""

from refimpl.check.trainings import (
    boosted_distance,
    boostmap,
    drawn,
    ftune,
    lmnn,
    rivals,
    search_forest,
)
from refimpl.check.trainings.table import TRAININGS, Case, Training

__all__ = [
    "TRAININGS",
    "Case",
    "Training",
    "boosted_distance",
    "boostmap",
    "drawn",
    "ftune",
    "lmnn",
    "rivals",
    "search_forest",
]
