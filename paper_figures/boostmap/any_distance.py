"""Six distances that no vector space has, each on a data set: where BoostMap may pay.

==========  ==============================================  ==========================
distance    objects                                         metric
==========  ==============================================  ==========================
edit        strings of one length, at most 63 letters       yes
DTW         curves of the plane: dynamic time warping       no
KL          distributions: KL(query, object)                no, and it is asymmetric
Hausdorff   edge images                                     yes
chamfer     edge images, the sum of both directions         no
cosine      vectors, 1 - cosine                             no
==========  ==============================================  ==========================

Not handled here: how they are searched (:mod:`paper_figures.boostmap.exact_counts`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.ndimage import distance_transform_edt, zoom

from paper_figures.boostmap.problem import SIGMA
from paper_figures.registry import Job
from refimpl.boostmap.edges import canny, chamfer
from refimpl.typing import BoolArray, FloatArray, IntArray, Labels

SMOOTHING = 0.5  # added to each count, so that no probability is 0
SPARE = 32  # objects that are drawn beside those that are asked for, as some have no distance
AT_ONCE = 50_000  # pairs that are worked on at a time


def objects_of(
    job: Job, kind: str, data_set: str, n: int, rng: np.random.Generator
) -> tuple[Any, Labels]:
    """Return `n` objects of a data set, drawn at random, as the distance takes them; their classes.

    Objects without a distance of the kind are left out: images without edges, vectors of zeros.

    Raises
    ------
    ValueError
        If fewer than `n` are left.
    """
    loaded = job.load(data_set)
    X = np.asarray(loaded.X, dtype=np.float64)
    picked = rng.permutation(len(X))[: n + SPARE]
    objects = _as_objects(kind, X[picked])
    usable = np.arange(len(objects))
    if kind in ("Hausdorff", "chamfer", "cosine"):
        usable = np.flatnonzero(objects.reshape(len(objects), -1).any(axis=1))
    if len(usable) < n:
        raise ValueError(f"{n} objects of {data_set} must have a distance; {len(usable)} have")
    return objects[usable[:n]], loaded.y[picked[usable[:n]]]


def _as_objects(kind: str, X: FloatArray) -> Any:
    if kind == "edit":
        # a bundled set of images has no strings: its pixels in four grades are letters
        return X.astype(np.int64) if X.max() < 8 else (X[:, :60] * 4 // (X.max() + 1)).astype(int)
    if kind == "DTW":
        return X.reshape(len(X), -1, 2)
    if kind == "KL":
        P = X + SMOOTHING
        return P / P.sum(axis=1, keepdims=True)
    if kind in ("Hausdorff", "chamfer"):
        side = round(X.shape[1] ** 0.5)
        grey = X.reshape(-1, side, side) / X.max()
        return canny(zoom(grey, (1, 3, 3), order=1) if side < 20 else grey, sigma=SIGMA)
    return X


def distances_between(kind: str, A: Any, B: Any, kernels: Any) -> FloatArray:
    """Return the distances of a kind from each object of A to each object of B."""
    if kind == "chamfer":
        return chamfer(A, B, kernels=kernels)
    if kind == "KL":
        return np.maximum(kullback_leibler(A, B), 0.0)
    if kind == "cosine":
        unit_A, unit_B = (M / np.linalg.norm(M, axis=1, keepdims=True) for M in (A, B))
        angles: FloatArray = np.maximum(1.0 - unit_A @ unit_B.T, 0.0)
        return angles
    if kind == "Hausdorff":
        return hausdorff(A, B)
    return _in_blocks(edit_distances if kind == "edit" else warped_distances, A, B)


def _in_blocks(pairs: Callable[[Any, Any], FloatArray], A: Any, B: Any) -> FloatArray:
    """Return all distances by a function of pairs of objects."""
    D = np.empty((len(A), len(B)))
    rows = max(1, AT_ONCE // len(B))
    for start in range(0, len(A), rows):
        part = A[start : start + rows]
        first = np.repeat(part, len(B), axis=0)
        second = np.concatenate([B] * len(part))
        D[start : start + rows] = pairs(first, second).reshape(len(part), len(B))
    return D


def edit_distances(A: IntArray, B: IntArray) -> FloatArray:
    """Return Levenshtein's distance of each pair of strings, rows of A and B of at most 63 letters.

    G. Myers, A fast bit-vector algorithm for approximate string matching based on dynamic
    programming, JACM 46 (1999), in the form for whole strings of H. Hyyro (2003): a column of the
    table of differences is held in the bits of a number.
    """
    length = A.shape[1]
    one = np.uint64(1)
    bits = one << np.arange(length, dtype=np.uint64)
    last = one << np.uint64(length - 1)
    places = {
        x: np.where(x == A, bits, np.uint64(0)).sum(axis=1, dtype=np.uint64)
        for x in np.unique(A).tolist()
    }
    more = np.full(len(A), ~np.uint64(0))  # vertical differences of +1
    fewer = np.zeros(len(A), dtype=np.uint64)  # and of -1
    score = np.full(len(A), length, dtype=np.int64)
    for j in range(B.shape[1]):
        same = np.zeros(len(A), dtype=np.uint64)
        for x, places_of_x in places.items():
            same = np.where(B[:, j] == x, places_of_x, same)
        diagonal = (((same & more) + more) ^ more) | same | fewer
        right_more = fewer | ~(diagonal | more)
        right_fewer = more & diagonal
        score += ((right_more & last) != 0).astype(np.int64)
        score -= ((right_fewer & last) != 0).astype(np.int64)
        right_more = (right_more << one) | one
        right_fewer = right_fewer << one
        more = right_fewer | ~(diagonal | right_more)
        fewer = right_more & diagonal
    return score.astype(np.float64)


def warped_distances(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return dynamic time warping of pairs of curves, shape (n, length, 2): the least sum of steps.

    H. Sakoe & S. Chiba, Dynamic programming algorithm optimization for spoken word recognition,
    IEEE ASSP 26 (1978), without a window and with steps of weight 1.
    """
    n, rows, _ = A.shape
    columns = B.shape[1]
    D = np.full((rows + 1, columns + 1, n), np.inf)
    D[0, 0] = 0.0
    for i in range(rows):
        for j in range(columns):
            step = np.hypot(A[:, i, 0] - B[:, j, 0], A[:, i, 1] - B[:, j, 1])
            D[i + 1, j + 1] = step + np.minimum(np.minimum(D[i, j], D[i, j + 1]), D[i + 1, j])
    return D[rows, columns]


def kullback_leibler(P: FloatArray, Q: FloatArray) -> FloatArray:
    """Return KL(p, q), the sum of p log(p / q), for each row p of P and q of Q."""
    own = (P * np.log(P)).sum(axis=1)
    divergences: FloatArray = own[:, np.newaxis] - P @ np.log(Q).T
    return divergences


def hausdorff(A: BoolArray, B: BoolArray) -> FloatArray:
    """Return Hausdorff's distance of edge images, in pixels: the farthest nearest edge pixel."""
    there = _directed(A, B)
    return np.maximum(there, _directed(B, A).T)


def _directed(A: BoolArray, B: BoolArray) -> FloatArray:
    """Return for each pair the largest distance of an edge pixel of a to the edges of b."""
    to_nearest = np.array([distance_transform_edt(~image).ravel() for image in B])
    D = np.empty((len(A), len(B)))
    for i, image in enumerate(A.reshape(len(A), -1)):
        D[i] = to_nearest[:, image].max(axis=1)
    return D
