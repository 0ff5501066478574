"""LMNN: Weinberger & Saul (2008)."""

from refimpl.lmnn.training import (
    LMNNResult,
    estimate_memory,
    kmeans_partition,
    lmnn,
    lmnn_rect,
    lmnn_svd,
    project,
    stalled,
    subgradient_descent,
    target_neighbors,
)

__all__ = [
    "LMNNResult",
    "estimate_memory",
    "kmeans_partition",
    "lmnn",
    "lmnn_rect",
    "lmnn_svd",
    "project",
    "stalled",
    "subgradient_descent",
    "target_neighbors",
]
