"""The k-NN search that ball trees are measured against: Weinberger & Saul (2008), § 4.2.

The space is rotated to its principal components, those of large variance first, and each distance is broken off once it
is beyond the k smallest so far. The broken-off sums are a kernel, :func:`refimpl.kernels.scan_nearest`.

Not handled here: an index structure; that is the point.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.checks import as_count, as_kernels, as_matrix, as_vectors_like
from refimpl.results import result

__all__ = ["Scan", "principal_axes", "rotated_scan"]


@result
@dataclass(frozen=True, eq=False)
class Scan:
    """What :func:`rotated_scan` finds.

    Attributes
    ----------
    squares : ndarray, shape (m, k), float64
        Squared distances, ascending, as the rotated vectors have them.
    indices : ndarray, shape (m, k), int64
        Places in X; of equal distances the lowest index comes first.
    terms : ndarray, shape (m,), int64
        The squares added up for each query; n d of them without breaking off.
    """

    squares: np.ndarray
    indices: np.ndarray
    terms: np.ndarray


def principal_axes(X):
    """The rotation to the principal components of X, shape (n, d): its rows, shape (d, d), by falling variance."""
    D = X - X.mean(axis=0)
    scale = np.abs(D).max() or 1.0
    return np.linalg.eigh((D / scale).T @ (D / scale))[1].T[::-1]


def rotated_scan(X, queries, k, L=None, *, kernels=None, threads=None):
    """The k nearest neighbours of each query by a scan of all points in the rotated space.

    The baseline of § 4.2 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
    queries : array_like, shape (m, d)
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
        If the input is empty or not finite, shapes do not fit, or k is larger than n.
    """
    kernels, k = as_kernels(kernels), as_count(k, "k")
    X = as_matrix(X, "X")
    Q = as_vectors_like(queries, X, "queries")
    if k > len(X):
        raise ValueError(f"k is {k}; it must be at most {len(X)}, the number of points")
    if L is not None:
        L = as_vectors_like(L, X, "L")
        X, Q = X @ L.T, Q @ L.T
    V = principal_axes(X)  # LM:4.2:1
    X, Q = np.ascontiguousarray(X @ V.T), np.ascontiguousarray(Q @ V.T)
    return Scan(*kernels.scan_nearest(X, Q, k, threads=threads))  # LM:4.2:2
