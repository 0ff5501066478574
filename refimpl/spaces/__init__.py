"""Objects with a counted distance, embeddings of them into vectors, and retrieval by both.

A space is a database of objects with an exact distance that is expensive, arbitrary and counted. An
embedding maps an object to a vector from its distances to a few database objects, its references.
Filter-and-refine retrieval looks for candidates among the vectors first, and computes exact
distances to the candidates only.
"""

from refimpl.spaces.objects import CallableSpace, PrecomputedSpace, Space, as_space
from refimpl.spaces.ranks import best_dimensions, enn_ranks, percentile
from refimpl.spaces.references import Embedding
from refimpl.spaces.retrieval import FilterAndRefine, vote

__all__ = [
    "CallableSpace",
    "Embedding",
    "FilterAndRefine",
    "PrecomputedSpace",
    "Space",
    "as_space",
    "best_dimensions",
    "enn_ranks",
    "percentile",
    "vote",
]
