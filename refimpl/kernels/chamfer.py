"""Symmetric chamfer distances between edge images, and the nearest images by them.

An *edge image* is an array of booleans that is True at the edge pixels of a picture.

Not handled here: weights, edge orientations.
"""

import math

import numpy as np
import scipy

from refimpl.arrays import BoolArray, FloatArray, IntArray
from refimpl.kernels.contract import checked

MOST_DIAGONAL = 4096  # pixels: the fast twin has a table of all squared distances


def grid(shape: tuple[int, ...]) -> float:
    """Return the power of two to whose multiples the pixel distances of such images are rounded."""
    # A sum of one rounded distance for each pixel is a multiple of it and below 2**53 times it, so
    # float64 holds such sums exactly, in any order.
    height, width = shape
    most = height * width * np.hypot(height - 1, width - 1)
    return float(np.ldexp(1.0, int(np.frexp(most)[1]) - 53))


def rounded_distances(distance: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Round distances in an image of this shape to multiples of ``grid(shape)``, half to even."""
    return np.rint(distance / grid(shape)) * grid(shape)


def require_edges(A: BoolArray, name: str) -> None:
    """Raise ValueError, naming the image, if an image of A has no edge."""
    empty = np.flatnonzero(~A.reshape(len(A), math.prod(A.shape[1:])).any(axis=1))
    if len(empty):
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        raise ValueError(
            f"{name}[{empty[0]}] has no edge pixel{more}; "
            "the chamfer distance of an empty edge image is not defined: "
            "leave the image out, or lower the edge detector's thresholds"
        )


def require_size(shape: tuple[int, ...], name: str) -> None:
    """Raise ValueError if images have no pixel, or a diagonal above 4096 pixels."""
    height, width = shape[1:]
    if height < 1 or width < 1 or height**2 + width**2 > MOST_DIAGONAL**2:
        raise ValueError(
            f"{name} must hold images of at least one pixel "
            f"whose diagonal is at most {MOST_DIAGONAL} pixels; got shape {shape}"
        )


@checked
def chamfer_distances(A: BoolArray, B: BoolArray, *, threads: int | None = None) -> FloatArray:
    """Compute the symmetric chamfer distance of every edge image in A to every one in B.

    The distance is c(a, b) + c(b, a), where c(a, b) is the mean, over the edge pixels of a, of the
    Euclidean distance to the nearest edge pixel of b: § 11 of Athitsos, Alon, Sclaroff & Kollios,
    after Barrow et al. (1977).

    Parameters
    ----------
    A : ndarray, shape (n_A, height, width), bool
        True at edge pixels. The diagonal of the images is at most 4096 pixels long.
    B : ndarray, shape (n_B, height, width), bool

    Returns
    -------
    ndarray, shape (n_A, n_B), float64
        In pixels, within twice ``grid((height, width))`` of the real number. Exactly 0 for equal
        images, and exactly the transpose when A and B are exchanged.

    Raises
    ------
    ValueError
        If an image has no edge pixel.

    See Also
    --------
    chamfer_nearest : Find only the nearest images.

    Examples
    --------
    >>> A = np.zeros((2, 3, 5), dtype=bool)
    >>> A[0, 1, 0] = A[1, 1, 4] = True
    >>> chamfer_distances(A, A).tolist()
    [[0.0, 8.0], [8.0, 0.0]]
    """
    require_size(A.shape, "A")
    require_edges(A, "A")
    require_edges(B, "B")
    points_A = [np.argwhere(image) for image in A]
    points_B = [np.argwhere(image) for image in B]
    D = np.empty((len(A), len(B)))
    for i, a in enumerate(points_A):
        for j, b in enumerate(points_B):
            distance = rounded_distances(scipy.spatial.distance.cdist(a, b), A.shape[1:])
            D[i, j] = directed(distance) + directed(distance.T)
    return D


def directed(distance: FloatArray) -> float:
    """Return the directed chamfer distance c(a, b) from the distances of a's to b's points."""
    nearest = distance.min(axis=1)
    return float(nearest.sum() / len(nearest))


@checked
def chamfer_nearest(
    Q: BoolArray, X: BoolArray, k: int, *, threads: int | None = None
) -> tuple[FloatArray, IntArray]:
    """Find the k images of X nearest to every image of Q by the symmetric chamfer distance.

    Parameters
    ----------
    Q : ndarray, shape (n_Q, height, width), bool
        True at edge pixels. The diagonal of the images is at most 4096 pixels long.
    X : ndarray, shape (n_X, height, width), bool
    k : int
        At least 1, at most n_X.

    Returns
    -------
    distance : ndarray, shape (n_Q, k), float64
        In pixels, ascending; as :func:`chamfer_distances` gives them.
    index : ndarray, shape (n_Q, k), int64
        Rows of X. Of equally distant images the image of lowest index comes first.

    Raises
    ------
    ValueError
        If an image has no edge pixel.

    See Also
    --------
    chamfer_distances : Compute all distances.

    Examples
    --------
    >>> X = np.zeros((3, 3, 5), dtype=bool)
    >>> X[0, 1, 4] = X[1, 1, 1] = X[2, 1, 0] = True
    >>> distance, index = chamfer_nearest(X[2:], X, 2)
    >>> distance.tolist(), index.tolist()
    ([[0.0, 2.0]], [[2, 1]])
    """
    require_size(Q.shape, "Q")
    require_edges(Q, "Q")
    require_edges(X, "X")
    distance = np.empty((len(Q), k))
    index = np.empty((len(Q), k), dtype=np.int64)
    for i in range(len(Q)):
        row = chamfer_distances(Q[i : i + 1], X)[0]
        index[i] = np.argsort(row, kind="stable")[:k]
        distance[i] = row[index[i]]
    return distance, index
