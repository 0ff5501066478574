"""Boosted Distance: Amores, Sebe & Radeva (2006)."""

from refimpl.boosted_distance.training import (
    Differences,
    Round,
    StumpEnsemble,
    adaboost,
    adaboost_rounds,
    boosted_distance,
    class_similarities,
    estimate_memory,
    nearest_neighbor_boosted_distance,
    selected_dimensions,
    similarity,
    staged_nearest_neighbor,
)

__all__ = [
    "Differences",
    "Round",
    "StumpEnsemble",
    "adaboost",
    "adaboost_rounds",
    "boosted_distance",
    "class_similarities",
    "estimate_memory",
    "nearest_neighbor_boosted_distance",
    "selected_dimensions",
    "similarity",
    "staged_nearest_neighbor",
]
