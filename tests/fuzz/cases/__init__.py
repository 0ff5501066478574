"""For each kernel a function that draws arguments it must take: a dict by name.

A module holds the kernels of one paper, ``rivals`` those of the methods that it compares with.
"""

from . import boosted_distance, boostmap, ftune, lmnn, rivals, search_forest
from .table import CASES

__all__ = ["CASES", "boosted_distance", "boostmap", "ftune", "lmnn", "rivals", "search_forest"]
