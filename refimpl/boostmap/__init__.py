"""BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005)."""

from refimpl.boostmap.training import (
    BoostMap,
    QuerySensitiveRound,
    Round,
    accepts,
    addition,
    boostmap,
    embedding,
    estimate_memory,
    from_rounds,
    modification,
    pivot_embedding,
    query_sensitive_rounds,
    reference_embedding,
    require_ordinary,
    training_rounds,
)

__all__ = [
    "BoostMap",
    "QuerySensitiveRound",
    "Round",
    "accepts",
    "addition",
    "boostmap",
    "embedding",
    "estimate_memory",
    "from_rounds",
    "modification",
    "pivot_embedding",
    "query_sensitive_rounds",
    "reference_embedding",
    "require_ordinary",
    "training_rounds",
]
