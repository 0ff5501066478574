"""Boosted Distance: Amores, Sebe & Radeva (2006).

The distance of a query to a training vector of class C is a sum of *weak classifiers*, simple
tests of their difference vector, such as a threshold on a single feature (a *decision stump*).
AdaBoost chooses and weighs the weak classifiers of each class, with the help of a *weak learner*,
which finds the weak classifier of least weighted error.
"""

from refimpl.boosted_distance import algorithm
from refimpl.boosted_distance.model import BoostedDistance, Round, StumpEnsemble
from refimpl.boosted_distance.prediction import (
    class_similarities,
    nearest_neighbor_boosted_distance,
    selected_dimensions,
    similarity,
    staged_nearest_neighbor,
)
from refimpl.boosted_distance.training import (
    adaboost,
    adaboost_rounds,
    boosted_distance,
    estimate_memory,
)
from refimpl.boosted_distance.weak_learners import Differences

__all__ = [
    "BoostedDistance",
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
