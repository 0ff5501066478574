"""For each kernel of the contract: its arguments, its results, their lines, and the judge of other
choices.

A module holds the kernels of one paper, ``rivals`` those of the methods that it compares with.
"""

from refimpl.check.cases import boosted_distance, boostmap, ftune, lmnn, rivals, search_forest
from refimpl.check.kernel import KERNELS

__all__ = ["KERNELS", "boosted_distance", "boostmap", "ftune", "lmnn", "rivals", "search_forest"]
