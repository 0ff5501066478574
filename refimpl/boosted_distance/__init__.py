"""Boosted Distance: Amores, Sebe & Radeva (2006)."""

from refimpl.boosted_distance import algorithm
from refimpl.boosted_distance.algorithm import Round, adaboost_rounds
from refimpl.boosted_distance.differences import Differences
from refimpl.boosted_distance.prediction import (
    class_similarities,
    nearest_neighbor_boosted_distance,
    selected_dimensions,
    similarity,
    staged_nearest_neighbor,
)
from refimpl.boosted_distance.training import adaboost, boosted_distance, estimate_memory
from refimpl.boosted_distance.weak_learners import StumpEnsemble

__all__ = [
    "Differences",
    "Round",
    "StumpEnsemble",
    "adaboost",
    "adaboost_rounds",
    "algorithm",
    "boosted_distance",
    "class_similarities",
    "estimate_memory",
    "nearest_neighbor_boosted_distance",
    "selected_dimensions",
    "similarity",
    "staged_nearest_neighbor",
]
