"""BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005).

An *embedding* maps objects to vectors by their distances to a few database objects. BoostMap
chooses these objects, and the weights of a weighted L1 distance between the vectors, by boosting.
The training examples are *triples* (q, a, b) of objects. The *proximity order* of a triple is 1 if
a is nearer to q, and -1 if b is nearer. A *weak classifier* guesses the proximity order from one
coordinate of the embedding; AdaBoost chooses the weak classifiers and their weights.

A coordinate is the distance to a *reference object*, or the projection on the line through two
objects, a *pivot pair*. Reference objects and pivots are chosen among the *candidates*, a part of
the database. In the query-sensitive phase of the training, a *splitter* is a range of a coordinate:
a classifier with a splitter counts only for queries that lie in the range.

Edge images and their chamfer distance, the paper's objects, are in :mod:`refimpl.boostmap.edges`.
"""

from refimpl.boostmap.model import BoostMap
from refimpl.boostmap.options import BoostMapOptions, QuerySensitiveRound, Round
from refimpl.boostmap.training import boostmap, estimate_memory
from refimpl.boostmap.triples import (
    CandidateDistances,
    Triples,
    nearby_triples,
    random_triples,
    selective_triples,
)

__all__ = [
    "BoostMap",
    "BoostMapOptions",
    "CandidateDistances",
    "QuerySensitiveRound",
    "Round",
    "Triples",
    "boostmap",
    "estimate_memory",
    "nearby_triples",
    "random_triples",
    "selective_triples",
]
