"""LMNN: Weinberger & Saul (2008), metrics for k-nearest-neighbour classification.

The words of this room:

- A *target neighbour* of a point is one of the k nearest points of its own class.
- A *triple* is a point i, a target neighbour j of i, and a point l of another class. Its margin is
  violated if d(i, l)^2 < d(i, j)^2 + 1. A triple with a violated margin is *active*.
- An *impostor* of i is a point l that violates the margin of a triple of i.
- The *pull* is the first term of eq. 3, the sum of the squared distances to target neighbours. It
  pulls target neighbours together.
- The *push* is the second term of eq. 3, the sum of the violations of all margins. It pushes
  impostors away.
- The *working set*, the paper's active set, holds all pairs of a point and an impostor that were
  found so far. A *full check* looks for impostors among all pairs of points.
- A *partition* divides the points into parts; each part has a metric of its own (§ 5).
- A *factor* of a metric M is a matrix L with M = L^T L.
- A *slope* of a hinge is its derivative, between 0 and 1. The slopes give a lower bound on eq. 3.
"""

from refimpl.lmnn.arguments import estimate_memory, kmeans_partition, target_neighbors
from refimpl.lmnn.low_rank import lmnn_rect, lmnn_svd, project
from refimpl.lmnn.model import (
    Check,
    ConvergenceWarning,
    LMNNOptions,
    LMNNResult,
    classify,
    leave_one_out_error,
    metric_neighbors,
)
from refimpl.lmnn.training import lmnn, stalled

__all__ = [
    "Check",
    "ConvergenceWarning",
    "LMNNOptions",
    "LMNNResult",
    "classify",
    "estimate_memory",
    "kmeans_partition",
    "leave_one_out_error",
    "lmnn",
    "lmnn_rect",
    "lmnn_svd",
    "metric_neighbors",
    "project",
    "stalled",
    "target_neighbors",
]
