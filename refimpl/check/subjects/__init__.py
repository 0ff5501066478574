"""The kernels and the trainings: a module for each paper, and one for the rivals."""

from refimpl.check.subject import KERNELS, TRAININGS, Subject
from refimpl.check.subjects import boosted_distance, boostmap, ftune, lmnn, rivals, search_forest

__all__ = [
    "KERNELS",
    "TRAININGS",
    "boosted_distance",
    "boostmap",
    "ftune",
    "lmnn",
    "rivals",
    "search_forest",
    "subject_of",
]


def subject_of(name: str) -> Subject:
    """Return the kernel or the training of this name."""
    return KERNELS.get(name) or TRAININGS[name]
