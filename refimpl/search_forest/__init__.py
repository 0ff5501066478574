"""Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang, "Learning to Search Efficiently in
High Dimensions" (2011).

A search forest is learnt from points and the *similarity* S of their pairs: 1 for two points that
should find each other, else 0. A *selection function*
T(q, x) says which points x are the *candidates* of a query q: those with T(q, x) > 0. Here T is a
weighted sum over trees, and a tree selects the points that reach the query's leaf. A *leaf*
is a part of the points that the tree does not divide further. An *inverted index* has a list of
points for each leaf, an *inverted list*; the number of a leaf is called its *index word*. Only the
candidates are compared with the query.

:func:`neighbor_similarity` and :func:`label_similarity` make S, :func:`search_forest` learns the
forest, :class:`InvertedIndex` searches with it. :mod:`refimpl.search_forest.algorithm` has the
paper's algorithms as printed.
"""

from refimpl.kernels import SearchForest
from refimpl.search_forest.index import InvertedIndex, Selection, selection, to_terms
from refimpl.search_forest.model import ForestOptions, Round, label_similarity, neighbor_similarity
from refimpl.search_forest.training import estimate_memory, search_forest

__all__ = [
    "ForestOptions",
    "InvertedIndex",
    "Round",
    "SearchForest",
    "Selection",
    "estimate_memory",
    "label_similarity",
    "neighbor_similarity",
    "search_forest",
    "selection",
    "to_terms",
]
