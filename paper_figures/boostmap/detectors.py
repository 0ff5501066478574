"""Edge detectors that Athitsos et al. (2005) may have used, and the problem that each one makes.

Not handled here: Canny's detector and the gradient (:mod:`refimpl.boostmap.edges`).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import ndimage

from paper_figures.boostmap.problem import Problem
from paper_figures.registry import Job
from refimpl.boostmap.edges import canny, chamfer_nearest, gradient
from refimpl.typing import BoolArray, FloatArray

AT_ONCE = 5000  # images that are worked on at a time


class EdgesLost(ValueError):
    """Some images have no edge under a detector, so there is no chamfer distance.

    Attributes
    ----------
    images : int
        How many.
    """

    def __init__(self, images: int) -> None:
        super().__init__(f"{images} images lose all their edges, and have no chamfer distance")
        self.images = images


def detect(images: FloatArray, white: float, detector: Sequence[Any]) -> BoolArray:
    """Return edge images of grey images by a detector.

    A detector is ("canny", sigma, low, high), ("sobel", t), ("outline", t) or ("ink", t).

    Thresholds of ink are shares of white, that of Sobel's gradient is on the scale of
    :func:`canny`. An outline is the ink that touches, over its 4 neighbours, what is none.
    """
    kind, *numbers = detector
    grey = images / white
    if kind == "canny":
        return canny(grey, sigma=numbers[0], low=numbers[1], high=numbers[2])
    if kind == "sobel":
        strong: BoolArray = np.hypot(*gradient(grey, 0)) > numbers[0]
        return strong
    ink: BoolArray = grey > numbers[0]
    cross = ndimage.generate_binary_structure(2, 1)[np.newaxis]
    return ink & ~ndimage.binary_erosion(ink, cross) if kind == "outline" else ink


def detected_problem(
    job: Job, data_set: str, detector: Sequence[Any], enlarge: int, most: int
) -> Problem:
    """Return the problem of a data set, its edges by a detector of :func:`detect`.

    Raises
    ------
    EdgesLost
        If images lose all their edges.
    """
    return _problem(data_set, job.data_dir, job.kernels_name, tuple(detector), enlarge, most)


@lru_cache(maxsize=1)
def _problem(
    data_set: str,
    data_dir: str | None,
    kernels_name: str,
    detector: tuple[Any, ...],
    enlarge: int,
    most: int,
) -> Problem:
    job = Job(0, {}, kernels_name, data_dir, (data_set,))
    loaded = job.load(data_set)
    n = loaded.n_train
    side = round(loaded.X.shape[1] ** 0.5)
    images = loaded.X.reshape(-1, side, side)
    white = loaded.X.max()
    edges = np.concatenate(
        [
            detect(
                ndimage.zoom(part, (1, enlarge, enlarge), order=1) if enlarge > 1 else part,
                white,
                detector,
            )
            for part in np.array_split(images, -(-len(images) // AT_ONCE))
        ]
    )
    lost = int((~edges.any(axis=(1, 2))).sum())
    if lost:
        raise EdgesLost(lost)
    distances, nearest = chamfer_nearest(edges[n:], edges[:n], most, kernels=job.kernels)
    return Problem(edges[:n], edges[n:], loaded.y[:n], loaded.y[n:], distances, nearest)
