"""Types that the signatures of this package share, for readers and for mypy.

:class:`Kernels` says what a module of kernels has: the reference's functions.
"""

# the members of Kernels have their types from the reference
# mypy: disable-error-code="misc"

from typing import Literal, Protocol, TypeAlias

from numpy.typing import ArrayLike

from refimpl import kernels as reference
from refimpl.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    IntArray,
    Labels,
    Points,
    RowArray,
    UInt8Array,
    UInt32Array,
    UInt64Array,
    WeightedPairs,
)
from refimpl.kernels.growing import Direction
from refimpl.kernels.trees import Bound

__all__ = [
    "ArrayLike",
    "BoolArray",
    "Bound",
    "Direction",
    "FloatArray",
    "Int32Array",
    "IntArray",
    "Kernels",
    "KernelsName",
    "Labels",
    "Points",
    "RowArray",
    "UInt8Array",
    "UInt32Array",
    "UInt64Array",
    "WeightedPairs",
]

KernelsName: TypeAlias = Literal["reference", "fast"]


class Kernels(Protocol):
    """A module with the kernels of :mod:`refimpl.kernels`, such as that one or ``refimpl_fast``.

    See Also
    --------
    refimpl.kernels : The reference; what each kernel takes, does and returns.

    Examples
    --------
    A module of your own has the kernels that it lacks from the reference:

    >>> import types
    >>> mine = types.ModuleType("mine")
    >>> exec("from refimpl.kernels import *", vars(mine))
    >>> mine.projections is __import__("refimpl").kernels.projections
    True
    """

    add_similarity = staticmethod(reference.add_similarity)
    best_bin_first = staticmethod(reference.best_bin_first)
    best_plane = staticmethod(reference.best_plane)
    best_ranges = staticmethod(reference.best_ranges)
    best_stump = staticmethod(reference.best_stump)
    best_thresholds = staticmethod(reference.best_thresholds)
    bucket_votes = staticmethod(reference.bucket_votes)
    build_tree = staticmethod(reference.build_tree)
    chamfer_distances = staticmethod(reference.chamfer_distances)
    chamfer_nearest = staticmethod(reference.chamfer_nearest)
    forest_words = staticmethod(reference.forest_words)
    gather_candidates = staticmethod(reference.gather_candidates)
    hamming_distances = staticmethod(reference.hamming_distances)
    hamming_nearest = staticmethod(reference.hamming_nearest)
    hamming_within = staticmethod(reference.hamming_within)
    hinge_terms = staticmethod(reference.hinge_terms)
    impostors = staticmethod(reference.impostors)
    leading_direction = staticmethod(reference.leading_direction)
    least_similar = staticmethod(reference.least_similar)
    lloyd = staticmethod(reference.lloyd)
    margin_sums = staticmethod(reference.margin_sums)
    matrix_vector = staticmethod(reference.matrix_vector)
    meet_pairs = staticmethod(reference.meet_pairs)
    minimize_z = staticmethod(reference.minimize_z)
    next_weights = staticmethod(reference.next_weights)
    pair_distances = staticmethod(reference.pair_distances)
    pair_product = staticmethod(reference.pair_product)
    plane_values = staticmethod(reference.plane_values)
    presort = staticmethod(reference.presort)
    projections = staticmethod(reference.projections)
    rerank = staticmethod(reference.rerank)
    scan_nearest = staticmethod(reference.scan_nearest)
    split_pairs = staticmethod(reference.split_pairs)
    transferred_differences = staticmethod(reference.transferred_differences)
    tree_leaves = staticmethod(reference.tree_leaves)
    tree_nearest = staticmethod(reference.tree_nearest)
    tree_within = staticmethod(reference.tree_within)
    vector_matrix = staticmethod(reference.vector_matrix)
    weighted_differences = staticmethod(reference.weighted_differences)
    weighted_errors = staticmethod(reference.weighted_errors)
    weighted_l1 = staticmethod(reference.weighted_l1)
    weighted_l1_nearest = staticmethod(reference.weighted_l1_nearest)
    z_values = staticmethod(reference.z_values)
