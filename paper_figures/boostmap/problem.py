"""Athitsos, Alon, Sclaroff & Kollios (2005): edge images, their chamfer distances, and the measures
of § 11.1.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.ndimage import zoom

from paper_figures.tasks import Job
from refimpl.boostmap.edges import canny, chamfer, chamfer_nearest
from refimpl.spaces import CallableSpace
from refimpl.typing import BoolArray

KS = (1, 10, 100)
PERCENTS = tuple(range(1, 101))
SIGMA = 1.7  # of Canny's detector: Table 3's errors, with the printed k
AS_PRINTED: dict[str, Any] = {"least_gain": 0.0, "max_rounds": 10**9}
"""Options with which the rounds are those of algorithm.py, to the bit; in the second phase with
``ranges_of_least_error`` (§ 8.3) instead of § 8.1 step 3."""


@dataclass(frozen=True)
class Problem:
    """Edge images of a database and of queries, their classes, and each query's nearest by the
    chamfer distance.
    """

    database: np.ndarray
    queries: np.ndarray
    labels: np.ndarray
    truth: np.ndarray
    distances: np.ndarray
    nearest: np.ndarray


@lru_cache(maxsize=1)
def _problem(
    data_set: str, data_dir: str | None, kernels_name: str, sigma: float, enlarge: int, most: int
) -> Problem:
    job = Job(0, kernels_name, data_dir, (data_set,))
    loaded = job.load(data_set)
    side = round(loaded.X.shape[1] ** 0.5)
    images = loaded.X.reshape(-1, side, side) / loaded.X.max()
    edges = np.concatenate(
        [
            canny(zoom(part, (1, enlarge, enlarge), order=1) if enlarge > 1 else part, sigma=sigma)
            for part in np.array_split(images, -(-len(images) // 5000))
        ]
    )
    n = loaded.n_train
    distances, nearest = chamfer_nearest(edges[n:], edges[:n], most, kernels=job.kernels)
    return Problem(edges[:n], edges[n:], loaded.y[:n], loaded.y[n:], distances, nearest)


def load_problem(job: Job, data_set: str, sigma: float, enlarge: int, most: int) -> Problem:
    """Return the problem of a data set, its edges by Canny's detector with this sigma."""
    return _problem(data_set, job.data_dir, job.kernels_name, sigma, enlarge, most)


def space_of(job: Job, images: BoolArray) -> CallableSpace:
    """Return edge images as a space under the chamfer distance."""
    return CallableSpace(lambda A, B: chamfer(A, B, kernels=job.kernels), images, pairwise=True)
