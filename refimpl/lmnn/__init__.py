"""LMNN: Weinberger & Saul (2008)."""

from refimpl.lmnn.algorithm import project
from refimpl.lmnn.driver import stalled
from refimpl.lmnn.low_rank import lmnn_rect, lmnn_svd
from refimpl.lmnn.memory import estimate_memory
from refimpl.lmnn.model import LMNNResult, Step
from refimpl.lmnn.training import kmeans_partition, lmnn, target_neighbors

__all__ = [
    "LMNNResult",
    "Step",
    "estimate_memory",
    "kmeans_partition",
    "lmnn",
    "lmnn_rect",
    "lmnn_svd",
    "project",
    "stalled",
    "target_neighbors",
]
