"""Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011)."""

from refimpl.search_forest.training import (
    Round,
    SearchForest,
    as_points,
    as_similarity,
    best_c,
    estimate_memory,
    in_range,
    label_similarity,
    neighbor_similarity,
    search_forest,
    search_tree,
    selection,
    selection_rounds,
    to_terms,
    top_eigenvector,
)

__all__ = [
    "Round",
    "SearchForest",
    "as_points",
    "as_similarity",
    "best_c",
    "estimate_memory",
    "in_range",
    "label_similarity",
    "neighbor_similarity",
    "search_forest",
    "search_tree",
    "selection",
    "selection_rounds",
    "to_terms",
    "top_eigenvector",
]
