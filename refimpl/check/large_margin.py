"""Eq. 3 of Weinberger & Saul (2008) over all triples, by the definition.

Not handled here: its least value, several metrics.
"""

from typing import Any

import numpy as np

from refimpl.typing import FloatArray, IntArray

__all__ = ["Objective", "objective_of"]

BLOCK = 2**22
WORST = 5


class Objective:
    """Eq. 3 at a metric, its parts, and the triples of largest slack.

    Attributes
    ----------
    pull, push : float
        The sum of squared distances to target neighbours, and the sum of the slacks.
    active : int
        The number of triples with positive slack.
    worst : list of (float, int, int, int)
        The largest slacks with their i, j and l.
    """

    def __init__(self) -> None:
        self.pull = 0.0
        self.push = 0.0
        self.active = 0
        self.worst: list[tuple[float, int, int, int]] = []

    def at(self, mu: float) -> float:
        """Return eq. 3."""
        return self.pull + mu * self.push


def objective_of(Z: FloatArray, y: Any, targets: IntArray) -> Objective:
    """Return eq. 3 of mapped points, over all triples."""
    result = Objective()
    n, k = targets.shape
    near = np.array([((Z - Z[targets[:, j]]) ** 2).sum(axis=1) for j in range(k)]).T
    result.pull = float(near.sum())
    rows = max(1, BLOCK // (n * k + n * Z.shape[1]))
    for start in range(0, n, rows):
        block = slice(start, min(n, start + rows))
        D = ((Z[block, np.newaxis] - Z) ** 2).sum(axis=2)
        slack = 1 + near[block, :, np.newaxis] - D[:, np.newaxis, :]
        slack[np.broadcast_to((y[block, np.newaxis] == y)[:, np.newaxis], slack.shape)] = 0.0
        slack = np.maximum(slack, 0.0)
        result.push += float(slack.sum())
        result.active += int((slack > 0).sum())
        largest = np.argsort(-slack, axis=None, kind="stable")[:WORST]
        for place in largest.tolist():
            i, j, l = (int(part) for part in np.unravel_index(place, slack.shape))
            result.worst.append((float(slack[i, j, l]), start + i, int(targets[start + i, j]), l))
        result.worst = sorted(result.worst, reverse=True)[:WORST]
    return result
