"""The kernels of :mod:`refimpl.kernels` in Cython: same names, same arguments, same answers.

Use it by passing it: ``boosted_distance(X, y, T, kernels=refimpl_fast)``.
"""

try:
    from refimpl_fast.chamfer import chamfer_distances, chamfer_nearest
    from refimpl_fast.clustering import best_bin_first, lloyd, tree_leaves
    from refimpl_fast.eigen import leading_direction
    from refimpl_fast.forest import forest_words, gather_candidates, plane_values, rerank
    from refimpl_fast.growing import build_tree
    from refimpl_fast.hamming import hamming_distances, hamming_nearest, hamming_within
    from refimpl_fast.hashing import bucket_votes, projections
    from refimpl_fast.landmarks import least_similar, transferred_differences
    from refimpl_fast.losses import minimize_z, next_weights, z_values
    from refimpl_fast.meetings import meet_pairs
    from refimpl_fast.pairs import best_thresholds, pair_product, split_pairs
    from refimpl_fast.planes import best_plane
    from refimpl_fast.products import matrix_vector, vector_matrix
    from refimpl_fast.scan import weighted_l1, weighted_l1_nearest
    from refimpl_fast.similarity import add_similarity
    from refimpl_fast.sorting import presort
    from refimpl_fast.stumps import best_stump
    from refimpl_fast.subgradient import (
        hinge_terms,
        impostors,
        pair_distances,
        weighted_differences,
    )
    from refimpl_fast.trees import scan_nearest, tree_nearest, tree_within
    from refimpl_fast.triples import best_ranges, margin_sums, weighted_errors
except ImportError as error:
    raise ImportError(
        "refimpl_fast is not built. In a checkout build it with `pip install -e .` (or "
        "`python setup.py build_ext --inplace`); it needs a C++ compiler and Cython. "
        "Without it, refimpl runs on its reference kernels (kernels=refimpl.kernels)."
    ) from error

from refimpl.kernels import BallTree, SearchForest, SortedFeatures

__all__ = [
    "BallTree",
    "SearchForest",
    "SortedFeatures",
    "add_similarity",
    "best_bin_first",
    "best_plane",
    "best_ranges",
    "best_stump",
    "best_thresholds",
    "bucket_votes",
    "build_tree",
    "chamfer_distances",
    "chamfer_nearest",
    "forest_words",
    "gather_candidates",
    "hamming_distances",
    "hamming_nearest",
    "hamming_within",
    "hinge_terms",
    "impostors",
    "leading_direction",
    "least_similar",
    "lloyd",
    "margin_sums",
    "matrix_vector",
    "meet_pairs",
    "minimize_z",
    "next_weights",
    "pair_distances",
    "pair_product",
    "plane_values",
    "presort",
    "projections",
    "rerank",
    "scan_nearest",
    "split_pairs",
    "transferred_differences",
    "tree_leaves",
    "tree_nearest",
    "tree_within",
    "vector_matrix",
    "weighted_differences",
    "weighted_errors",
    "weighted_l1",
    "weighted_l1_nearest",
    "z_values",
]
