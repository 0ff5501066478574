"""What ball trees gain in training (§ 4.2): one training, all searches; a change computes it anew.

The training takes the printed steps and searches by products. Afterwards each way to search looks
for the impostors under some of the same metrics, one way after the other.
"""

from time import process_time
from typing import Any

import numpy as np

from paper_figures.lmnn.prepared import points, printed_steps
from paper_figures.tasks import Job
from refimpl.lmnn import algorithm, target_neighbors
from refimpl.lmnn.algorithm import Examples, Pairs
from refimpl.rivals.rotated_scan import principal_axes
from refimpl.typing import Direction, FloatArray, IntArray, Kernels

LEAF = 128  # points of a leaf at most, as in the package's searches
SMALL_LEAF = 16  # fewer distances, and more bounds


class Timed:
    """A search for impostors that keeps the points it was given, and counts its seconds."""

    def __init__(self) -> None:
        self.searching = 0.0
        self.looked: list[FloatArray] = []

    def __call__(self, examples: Examples, Z: FloatArray, near: FloatArray, **how: Any) -> Pairs:
        """Return the impostors of mapped points."""
        before = process_time()
        pairs = algorithm.impostors(examples, Z, near, **how)
        self.searching += process_time() - before
        self.looked.append(Z)
        return pairs


def training_gain(
    job: Job, *, data_set: str, preparation: str, n: int, d: int, k: int, checks: int, every: int
) -> dict[str, Any]:
    """Train on n points in d dimensions, and search under every `every`-th metric in all ways.

    Returns
    -------
    dict
        Seconds of the processor on one thread: ``rest`` of the training without its searches,
        ``searches`` made, ``steps`` taken; and for each metric searched under the seconds of each
        way, of its trees (``built``), and the share of the distances to other classes that it
        computes (``share``). The ways are "products", "scan" (each class is one leaf, in rotated
        coordinates), "balls" (eq. 7, a tree for each class, built anew), "small balls" (with leaves
        of up to 16 points) and "boxes".
    """
    P = points(job, data_set, preparation, d, n)
    X, classes = np.ascontiguousarray(P.X), np.unique(P.y, return_inverse=True)[1]
    targets = target_neighbors(X, P.y, k)
    look = Timed()
    before = process_time()
    states = printed_steps(X, classes, targets, job.kernels, look=look)
    taken = [now.t for now, _ in algorithm.until_converged(states, checks=checks)]
    whole = process_time() - before
    looked = look.looked
    ways = [_ways(Z, classes, targets, job.kernels) for Z in looked[every - 1 :: every]]
    return {
        "rest": whole - look.searching,
        "searches": len(looked),
        "steps": taken[-1],
        "seconds_of": {way: [at[way]["seconds"] for at in ways] for way in ways[0]},
        "built": {way: [at[way]["built"] for at in ways] for way in ways[0]},
        "share": {way: [at[way]["share"] for at in ways] for way in ways[0]},
        "impostors": {way: [at[way]["impostors"] for at in ways] for way in ways[0]},
    }


def _ways(Z: FloatArray, classes: IntArray, targets: IntArray, kernels: Kernels) -> dict[str, Any]:
    """Search for the impostors of mapped points in every way."""
    axes = principal_axes(Z)
    near = ((Z[:, None] - Z[targets]) ** 2).sum(axis=2)
    radii = 1.0 + near.max(axis=1)
    before = process_time()
    i, _ = kernels.impostors(Z, Z, radii, classes, classes, threads=1)
    products = {"seconds": process_time() - before, "built": 0.0, "share": 1.0, "impostors": len(i)}
    rotated = np.ascontiguousarray(Z @ axes.T)
    return {
        "products": products,
        "scan": in_classes(kernels, rotated, classes, radii, "leaf"),
        "balls": in_classes(kernels, rotated, classes, radii, "ball"),
        "small balls": in_classes(kernels, rotated, classes, radii, "ball", SMALL_LEAF),
        "boxes": in_classes(kernels, rotated, classes, radii, "box"),
    }


def in_classes(
    kernels: Kernels,
    Z: FloatArray,
    classes: IntArray,
    radii: FloatArray,
    bound: str,
    leaf_size: int = LEAF,
) -> dict[str, Any]:
    """Find the points of other classes within a squared radius of each point, class by class.

    Parameters
    ----------
    bound : {"ball", "box", "leaf"}
        "leaf" is one leaf for each class: nothing is ruled out.

    Returns
    -------
    dict
        Seconds, those of them that built trees, the share of distances computed, and the number
        found.
    """
    seconds = built = 0.0
    computed = possible = impostors = 0
    for c in np.unique(classes):
        members = np.ascontiguousarray(Z[classes == c])
        others = np.flatnonzero(classes != c)
        before = process_time()
        if bound == "leaf":
            tree = kernels.build_tree(members, leaf_size=max(2, len(members)), threads=1)
        else:
            direction: Direction = "principal" if bound == "ball" else "axis"
            tree = kernels.build_tree(members, leaf_size=leaf_size, direction=direction, threads=1)
        between = process_time()
        starts, _, _, counts = kernels.tree_within(
            tree,
            np.ascontiguousarray(Z[others]),
            radii[others],
            strict=True,
            bound="ball" if bound == "ball" else "box",
            threads=1,
        )
        seconds += process_time() - before
        built += between - before
        computed += int(counts.sum())
        possible += len(others) * len(members)
        impostors += int(starts[-1])
    return {
        "seconds": seconds,
        "built": built,
        "share": computed / possible,
        "impostors": impostors,
    }
