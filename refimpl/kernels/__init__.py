"""Kernels: the functions that take most of the time, in readable form, and their contract.

A kernel module is any module with the names in ``__all__``. This package is the reference;
``refimpl_fast`` is its twin in Cython. The algorithms take the module as an argument (``kernels=``)
and call kernels only through it.

Contract
--------
* **Arrays** are C-contiguous; data, weights and thresholds are float64, indices are int64 unless a
  function says otherwise. Input is never written to, except an argument that is named as the
  output.
* **Random numbers** are not drawn here. A kernel is a function of its arguments.
* **Ties**: the lowest index wins. Of decision stumps of equal weighted error the lowest feature
  wins, then polarity +1 before -1, then the lowest threshold.
* **Order of summation.** Sums of weights do not depend on any order: the weights are first
  rounded to multiples of 2**-52 (:func:`refimpl.kernels.stumps.on_grid`). They add up to 1, so
  every partial sum is a multiple of 2**-52 below 2, which float64 holds exactly. Such sums come out
  the same in any order, with any vector width and on any number of threads; equal errors are equal
  to the last bit, and ties are true ties. The rounding moves a weighted error by at most n *
  2**-53. The sums of alpha_t h_t in :func:`add_similarity` run over t in ascending order. The pixel
  distances of the chamfer kernels are rounded for the same reason
  (:func:`refimpl.kernels.chamfer.grid`): their sums are exact, and equally distant images are true
  ties. Sums that cannot be exact (Z of BoostMap, weighted L1, squared distances of LMNN) are taken
  in a fixed number of interleaved lanes, the same in both twins, products with a node's pairs in
  parts that depend on their number alone, and those of a matrix and a vector as
  :mod:`refimpl.kernels.products` says; squared distances in :mod:`refimpl.kernels.growing` in the
  order of the coordinates, as are those to centres and the projections of
  :mod:`refimpl.kernels.clustering` and :mod:`refimpl.kernels.hashing`.
* **Arguments** are checked once for each call, in both twins with the same words:
  :mod:`refimpl.kernels.contract` is the table of what each kernel takes. No argument can
  make a kernel read or write outside of its arrays. If memory runs out, a kernel raises
  MemoryError.
* **threads** is the number of threads a kernel may use, None for as many as the process may use
  (its affinity, its container's limit, OMP_NUM_THREADS); for little work a kernel
  uses fewer. No result depends on the number. The reference always runs on one thread.
"""

from refimpl.kernels.chamfer import chamfer_distances, chamfer_nearest
from refimpl.kernels.clustering import best_bin_first, lloyd, tree_leaves
from refimpl.kernels.eigen import leading_direction
from refimpl.kernels.forest import (
    SearchForest,
    forest_words,
    gather_candidates,
    plane_values,
    rerank,
)
from refimpl.kernels.growing import BallTree, build_tree
from refimpl.kernels.hamming import hamming_distances, hamming_nearest, hamming_within
from refimpl.kernels.hashing import bucket_votes, projections
from refimpl.kernels.landmarks import least_similar, transferred_differences
from refimpl.kernels.losses import minimize_z, next_weights, z_values
from refimpl.kernels.pairs import best_thresholds, meet_pairs, pair_product, split_pairs
from refimpl.kernels.planes import best_plane
from refimpl.kernels.products import matrix_vector, vector_matrix
from refimpl.kernels.scan import weighted_l1, weighted_l1_nearest
from refimpl.kernels.similarity import add_similarity
from refimpl.kernels.sorting import SortedFeatures, presort
from refimpl.kernels.stumps import best_stump
from refimpl.kernels.subgradient import hinge_terms, impostors, pair_distances, weighted_differences
from refimpl.kernels.trees import scan_nearest, tree_nearest, tree_within
from refimpl.kernels.triples import best_ranges, margin_sums, weighted_errors

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
