"""The space of § 11 of Athitsos et al. (2005): edge images of digits under the chamfer distance.

The paper names no edge detector: ours is Canny's, with a sigma that Table 3's k-nn errors choose.
Nor does it say how a directed distance is made of the distances to the nearest edge pixels: it is
their mean, or the mean of their squares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.ndimage import distance_transform_edt, zoom

from paper_figures.study import Cell, Job, Observation
from refimpl.boostmap.edges import canny, chamfer, chamfer_nearest
from refimpl.spaces import CallableSpace, enn_ranks, percentile
from refimpl.spaces.ranks import worst_ranks
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels, Labels

# the small scale's digits have 8 x 8 pixels, too few for edges; `most` neighbours are known
SPACE: dict[str, Cell] = {
    "small": {"data_set": "digits", "enlarge": 3, "most": 50, "sigma": 1.7, "distance": "mean"},
    "paper": {"data_set": "MNIST-10", "enlarge": 1, "most": 100, "sigma": 1.7, "distance": "mean"},
}
KS = (1, 10, 100)
RANKS_AT = (1, 2, 5, 10, 20, 50, 100)  # § 11.2 names other k up to 100
PERCENTS = range(1, 101)
BLOCK = 500  # queries whose distances to the database are held at a time


@dataclass(frozen=True)
class Images:
    """Edge images of a database and of queries with their classes, and the queries' nearest."""

    database: BoolArray
    queries: BoolArray
    labels: Labels
    truth: Labels
    distances: FloatArray
    nearest: IntArray
    distance: str
    kernels: Kernels

    def D_X(self, A: BoolArray, B: BoolArray | None = None) -> FloatArray:
        """Return the exact distances of edge images."""
        return squared(A, B) if self.distance == "squared" else chamfer(A, B, kernels=self.kernels)

    def space(self, images: BoolArray) -> CallableSpace:
        """Return some images as the objects of a space."""
        return CallableSpace(self.D_X, images, pairwise=True)

    @property
    def ks(self) -> list[int]:
        """The k of the ENN-k ranks."""
        return [k for k in RANKS_AT if k <= self.nearest.shape[1]]

    def ranks(self, model: Any, Q: FloatArray, X: FloatArray) -> Observation:
        """Return percentiles of an embedding's ENN-k ranks by k, and what it costs a query."""
        found = enn_ranks(model, Q, X, self.nearest, self.ks, kernels=self.kernels, threads=1)
        return self.percentiles(found, model)

    def ranks_of_first(self, Q: FloatArray, X: FloatArray, wanted: Sequence[int]) -> IntArray:
        """Return ENN-k ranks by Euclidean distance in the first d dimensions, for each d wanted."""
        ranks = np.empty((len(wanted), len(Q), len(self.ks)), dtype=np.int64)
        columns = X.T.copy()
        for i, true in enumerate(self.nearest[:, np.newaxis]):
            squares = np.zeros((1, len(X)))
            for d, (q, column) in enumerate(zip(Q[i], columns, strict=True), 1):
                squares += (q - column) ** 2
                if d in wanted:
                    found = worst_ranks(np.sqrt(squares), true, self.ks)[0]
                    ranks[np.equal(wanted, d), i] = found
        return ranks

    def percentiles(self, ranks: IntArray, model: Any) -> Observation:
        """Return percentiles of ranks by k, and what the embedding costs a query."""
        of_k = zip(self.ks, np.array([percentile(ranks, p) for p in PERCENTS]).T, strict=True)
        return {"ranks": {str(k): at for k, at in of_k}, "cost": model.cost}


@lru_cache(maxsize=1)
def load(
    job: Job, *, data_set: str, enlarge: int, most: int, sigma: float, distance: str
) -> Images:
    """Return the edge images of a data set, and the `most` nearest of each query."""
    loaded = job.load(data_set)
    side = round(loaded.X.shape[1] ** 0.5)
    grey = loaded.X.reshape(-1, side, side) / loaded.X.max()
    parts = np.array_split(grey, -(-len(grey) // 5000))
    if enlarge > 1:
        parts = [zoom(part, (1, enlarge, enlarge), order=1) for part in parts]
    edges = np.concatenate([canny(part, sigma=sigma) for part in parts])
    X, Q = edges[: loaded.n_train], edges[loaded.n_train :]
    if distance == "squared":
        near = squared_nearest(Q, X, most)
    else:
        near = chamfer_nearest(Q, X, most, kernels=job.kernels)
    y, z = loaded.y[: loaded.n_train], loaded.y[loaded.n_train :]
    return Images(X, Q, y, z, *near, distance, job.kernels)


def squared(A: BoolArray, B: BoolArray | None = None) -> FloatArray:
    """Return the chamfer distances whose directions are mean squared distances, summed."""
    a = _squares(A)
    return _summed(a, a if B is None else _squares(B))


def squared_nearest(Q: BoolArray, X: BoolArray, k: int) -> tuple[FloatArray, IntArray]:
    """Return the k nearest by :func:`squared`, with their distances; the lowest index in ties."""
    (E, S, count), x = _squares(Q), _squares(X)
    distances, nearest = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    for first in range(0, len(Q), BLOCK):
        part = slice(first, first + BLOCK)
        D = _summed((E[part], S[part], count[part]), x)
        nearest[part] = np.argsort(D, axis=1, kind="stable")[:, :k]
        distances[part] = np.take_along_axis(D, nearest[part], axis=1)
    return distances, nearest


def _squares(A: BoolArray) -> tuple[Any, Any, FloatArray]:
    """Return edge pixels, squared distances to the nearest, and their number; sums are exact."""
    S = np.array([np.rint(distance_transform_edt(~image) ** 2) for image in A])
    E = A.reshape(len(A), -1).astype(np.float32)
    return E, S.reshape(E.shape).astype(np.float32), E.sum(axis=1, dtype=np.float64)


def _summed(a: tuple[Any, Any, FloatArray], b: tuple[Any, Any, FloatArray]) -> FloatArray:
    forth, back = a[0] @ b[1].T, a[1] @ b[0].T
    D: FloatArray = forth / a[2][:, np.newaxis] + back / b[2]
    return D
