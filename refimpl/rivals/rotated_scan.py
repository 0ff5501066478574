"""The k-NN search that ball trees are measured against: Weinberger & Saul (2008), § 4.2.

Source: K. Weinberger & L. Saul, "Fast solvers and efficient implementations for distance metric
learning", ICML 2008. The space is rotated to its principal components, those of large variance
first, and each distance is broken off once it is beyond the k smallest so far. The broken-off sums
are a kernel, :func:`refimpl.kernels.scan_nearest`.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.arrays import as_points, mapped_by
from refimpl.checks import as_count, as_kernels
from refimpl.results import result
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

__all__ = ["Scan", "principal_axes", "rotated_scan"]


@result
@dataclass(frozen=True, eq=False)
class Scan:
    """The result of :func:`rotated_scan`.

    Attributes
    ----------
    squares : ndarray, shape (m, k), float64
        Squared distances, ascending, as the rotated vectors have them.
    indices : ndarray, shape (m, k), int64
        Indices of points of X; of equal distances the lowest index comes first.
    terms : ndarray, shape (m,), int64
        The number of squares that were added up for each query; at most n d.

    See Also
    --------
    rotated_scan : Search, with an example.

    Examples
    --------
    >>> from refimpl.rivals.rotated_scan import rotated_scan
    >>> scan = rotated_scan([[2.1]], [[0.0], [1.0], [3.0]], 2)
    >>> scan.indices.tolist(), scan.squares.round(2).tolist()
    ([[2, 1]], [[0.81, 1.21]])
    """

    squares: FloatArray
    indices: IntArray
    terms: IntArray


def principal_axes(X: FloatArray) -> FloatArray:
    """Return the rotation to the principal components of `X`, by falling variance.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64

    Returns
    -------
    ndarray, shape (d, d), float64
        A component in each row.

    See Also
    --------
    rotated_scan : The scan along these axes.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.rotated_scan import principal_axes
    >>> abs(principal_axes(np.array([[0.0, 0.0], [1.0, 9.0], [2.0, 0.0]]))).round(6)
    array([[0., 1.],
           [1., 0.]])
    """
    D = X - X.mean(axis=0)
    scale = np.abs(D).max() or 1.0
    axes: FloatArray = np.linalg.eigh((D / scale).T @ (D / scale))[1].T[::-1]
    return axes


def rotated_scan(
    Q: ArrayLike,
    X: ArrayLike,
    k: int,
    L: ArrayLike | None = None,
    *,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Scan:
    """Find the k nearest neighbours of each query by a scan of all points in the rotated space.

    The baseline of § 4.2 of Weinberger & Saul (2008).

    Parameters
    ----------
    Q : array_like, shape (m, d)
    X : array_like, shape (n, d)
    k : int
        At most n.
    L : array_like, shape (r, d), optional
        A factor of the metric, M = L^T L; without it M is the identity.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    Scan
        The rotation rounds, so equal distances need not stay equal.

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, shapes do not fit, or k is larger than n.

    See Also
    --------
    refimpl.ball_trees.nearest_neighbors : The search with ball trees.

    Examples
    --------
    >>> from refimpl.rivals.rotated_scan import rotated_scan
    >>> rotated_scan([[2.1]], [[0.0], [1.0], [3.0]], 2).indices
    array([[2, 1]])
    """
    kernels = as_kernels(kernels)
    points = as_points(X, "X")
    queries = as_points(Q, "Q", points)
    k = as_count(k, "k", most=len(points), why="the number of points")
    points, queries = mapped_by(L, points, queries)
    V = principal_axes(points)  # LM:4.2:1
    points = np.ascontiguousarray(points @ V.T)
    queries = np.ascontiguousarray(queries @ V.T)
    return Scan(*kernels.scan_nearest(queries, points, k, threads=threads))  # LM:4.2:2
