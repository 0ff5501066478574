"""Symmetric chamfer distances between edge images, and the nearest images by them.

Not handled here: weights, edge orientations.
"""

import math

import numpy as np
from scipy.spatial.distance import cdist

from refimpl.kernels.contract import checked

MOST_DIAGONAL = 4096  # pixels: the fast twin has a table of all squared distances


def grid(shape):
    """The power of two whose multiples the pixel distances of images of this shape are rounded to.

    A sum of one rounded distance for each pixel is a multiple of it below 2**53 times it, which float64 holds
    exactly: such sums have no order. 2**-38 for 28 x 28 pixels.

    Parameters
    ----------
    shape : tuple of int
        Height and width in pixels.

    Returns
    -------
    float
    """
    height, width = shape
    most = height * width * np.hypot(height - 1, width - 1)
    return float(np.ldexp(1.0, int(np.frexp(most)[1]) - 53))


def rounded_distances(distance, shape):
    """Round distances in an image of the given shape to multiples of ``grid(shape)`` (half to even)."""
    return np.rint(distance / grid(shape)) * grid(shape)


def require_edges(A, name):
    """Raise ValueError, naming the image, if one of the images A, shape (n, height, width), bool, has no edge."""
    empty = np.flatnonzero(~A.reshape(len(A), math.prod(A.shape[1:])).any(axis=1))
    if len(empty):
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        raise ValueError(
            f"{name}[{empty[0]}] has no edge pixel{more}; the chamfer distance of an empty edge image is not defined: "
            "leave the image out, or lower the edge detector's thresholds"
        )


def require_size(shape, name):
    """Raise ValueError if images of shape (n, height, width) have no pixel, or a longer diagonal than is handled."""
    height, width = shape[1:]
    if height < 1 or width < 1 or height**2 + width**2 > MOST_DIAGONAL**2:
        raise ValueError(
            f"{name} must hold images of at least one pixel whose diagonal is at most {MOST_DIAGONAL} pixels; "
            f"got shape {shape}"
        )


@checked
def chamfer_distances(A, B, *, threads=None):
    """Symmetric chamfer distance of every edge image in A to every one in B.

    c(a, b) + c(b, a), where c(a, b) is the mean, over the edge pixels of a, of the Euclidean distance to the
    nearest edge pixel of b: § 11 of Athitsos, Alon, Sclaroff & Kollios, after Barrow et al. (1977).

    Parameters
    ----------
    A : ndarray, shape (n_A, height, width), bool
        True at edge pixels. The diagonal of the images is at most 4096 pixels long.
    B : ndarray, shape (n_B, height, width), bool
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (n_A, n_B), float64
        In pixels, within twice ``grid((height, width))`` of the real number. Exactly 0 for equal images, and exactly
        the transpose when A and B are exchanged.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit :data:`refimpl.kernels.contract.CONTRACT`, or an image has no edge pixel.
    """
    require_size(A.shape, "A")
    require_edges(A, "A")
    require_edges(B, "B")
    points_A, points_B = ([np.argwhere(image) for image in images] for images in (A, B))
    D = np.empty((len(A), len(B)))
    for i, a in enumerate(points_A):
        for j, b in enumerate(points_B):
            distance = rounded_distances(cdist(a, b), A.shape[1:])
            D[i, j] = directed(distance) + directed(distance.T)
    return D


def directed(distance):
    """Directed chamfer distance c(a, b) from the distances of a's points (rows) to b's (columns)."""
    nearest = distance.min(axis=1)
    return nearest.sum() / len(nearest)


@checked
def chamfer_nearest(Q, X, k, *, threads=None):
    """The k images of X nearest to every image of Q by the symmetric chamfer distance.

    Parameters
    ----------
    Q : ndarray, shape (n_Q, height, width), bool
        True at edge pixels. The diagonal of the images is at most 4096 pixels long.
    X : ndarray, shape (n_X, height, width), bool
    k : int
        At least 1, at most n_X.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    distance : ndarray, shape (n_Q, k), float64
        In pixels, ascending; as :func:`chamfer_distances` gives them.
    index : ndarray, shape (n_Q, k), int64
        Rows of X. Of equally distant images the one of lowest index comes first.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit :data:`refimpl.kernels.contract.CONTRACT`, or an image has no edge pixel.
    """
    require_size(Q.shape, "Q")
    require_edges(Q, "Q")
    require_edges(X, "X")
    distance, index = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    for i in range(len(Q)):
        row = chamfer_distances(Q[i : i + 1], X)[0]
        index[i] = np.argsort(row, kind="stable")[:k]
        distance[i] = row[index[i]]
    return distance, index
