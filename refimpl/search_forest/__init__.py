"""Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang (2011)."""

from refimpl.search_forest.algorithm import Round, best_c, selection_rounds
from refimpl.search_forest.eigen import top_eigenvector
from refimpl.search_forest.similarity import as_similarity, label_similarity, neighbor_similarity
from refimpl.search_forest.training import (
    SearchForest,
    as_points,
    estimate_memory,
    in_range,
    planted,
    search_forest,
    search_tree,
    selection,
    to_terms,
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
    "planted",
    "search_forest",
    "search_tree",
    "selection",
    "selection_rounds",
    "to_terms",
    "top_eigenvector",
]
