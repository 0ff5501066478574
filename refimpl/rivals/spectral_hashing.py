"""Spectral hashing, a rival of the search forest.

Source: Y. Weiss, A. Torralba & R. Fergus, "Spectral hashing", NIPS 2008. Li et al. (2011), § 4, search its codes by
linear scan: :mod:`refimpl.rivals.hamming_scan`.

The data are rotated to their principal components and taken to be uniform in the box that holds them. The
eigenfunctions of a uniform distribution on [a, b] are Phi_k(x) = sin(pi / 2 + k pi (x - a) / (b - a)); those of the
smallest eigenvalues, over all components, are cut at zero: each gives one bit.

Readings of what the source leaves open
---------------------------------------
* The eigenvalue 1 - exp(-(eps^2 / 2) (k pi / (b - a))^2) rises with k / (b - a), whatever eps is: that orders them.
  Equal ones come by component, the one of larger variance first.
* k = 0 is constant and left out, as are products of eigenfunctions of several components: their bits follow from those.
* No more than `n_components` principal components are used, by default as many as there are bits. One whose range is
  below 1e-10 of the largest is a rounding error and left out; the others then give more bits each.
* a and b are the least and the largest value in the training set. Beyond them a query goes on along the sine.
* Of the two directions of a principal component the one is taken whose largest entry is positive.

Not handled here: learning from labelled pairs, distances other than the Euclidean.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.checks import as_count, as_kernels
from refimpl.results import result
from refimpl.rivals.candidates import as_points
from refimpl.rivals.hamming_scan import pack_bits
from refimpl.rivals.rotated_scan import principal_axes

__all__ = ["SpectralHashing", "spectral_hashing"]

NO_RANGE = 1e-10


@result
@dataclass(frozen=True, eq=False)
class SpectralHashing:
    """Codes of `bits` bits from r principal components.

    Attributes
    ----------
    mean : ndarray, shape (d,), float64
        Of the training set.
    axes : ndarray, shape (d, r), float64
        The principal components, one in each column.
    low, width : ndarray, shape (r,), float64
        a and b - a of each component, in its units.
    component : ndarray, shape (bits,), int64
        The component of each bit's eigenfunction.
    k : ndarray, shape (bits,), int64
        Its number, at least 1.
    """

    mean: np.ndarray
    axes: np.ndarray
    low: np.ndarray
    width: np.ndarray
    component: np.ndarray
    k: np.ndarray

    def __post_init__(self):
        if self.axes.ndim != 2 or self.mean.shape != self.axes.shape[:1]:
            raise ValueError(f"mean, axes: shapes {self.mean.shape}, {self.axes.shape} do not fit together")
        r, bits = self.axes.shape[1], len(self.k)
        if self.low.shape != (r,) or self.width.shape != (r,) or not (self.width > 0).all():
            raise ValueError(f"low, width: shapes {self.low.shape}, {self.width.shape}; wanted ({r},), widths > 0")
        if self.component.shape != (bits,) or bits == 0 or (self.k < 1).any():
            raise ValueError(f"component, k: shapes {self.component.shape}, {self.k.shape}; wanted one k >= 1 a bit")
        if (self.component < 0).any() or (self.component >= r).any():
            raise ValueError(f"component must lie between 0 and {r - 1}")

    @property
    def bits(self):
        """The length of a code."""
        return len(self.k)

    def eigenfunctions(self, X, *, kernels=None, threads=None):
        """The values whose signs are the bits: shape (n, bits), float64, between -1 and 1.

        Parameters
        ----------
        X : array_like, shape (n, d)
        kernels : module, optional
            The default is :mod:`refimpl.kernels`.
        threads : int, optional
        """
        kernels, X = as_kernels(kernels), as_points(X, "X", self.axes.T)
        x = kernels.projections(X - self.mean, self.axes, threads=threads) - self.low
        x /= self.width
        return np.sin(np.pi / 2 + self.k * np.pi * x[:, self.component])  # Phi_k(x)

    def encode(self, X, *, kernels=None, threads=None):
        """The codes of vectors; equal vectors have equal codes.

        Parameters
        ----------
        X, kernels, threads
            As for :meth:`eigenfunctions`.

        Returns
        -------
        ndarray, shape (n, words), uint64
            Bit i of the code is bit i mod 64 of word i // 64; those after the last are zero.
        """
        return pack_bits(self.eigenfunctions(X, kernels=kernels, threads=threads) > 0)


def spectral_hashing(X, bits, *, n_components=None, kernels=None, threads=None):
    """Learn the codes: the algorithm of Weiss, Torralba & Fergus (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training vectors, not all equal.
    bits : int
        The length of a code.
    n_components : int, optional
        Principal components at most; the default is `bits`.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    SpectralHashing

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, all vectors are equal, or a number is too small.
    """
    kernels, X, bits = as_kernels(kernels), as_points(X, "X"), as_count(bits, "bits")
    n_components = bits if n_components is None else as_count(n_components, "n_components")
    mean = X.mean(axis=0)
    axes = directed(principal_axes(X)[:n_components]).T.copy()  # find the principal components using PCA
    x = kernels.projections(X - mean, axes, threads=threads)
    low, width = x.min(axis=0), np.ptp(x, axis=0)
    varies = width > NO_RANGE * width.max()
    if not varies.any() or (X == X[0]).all():
        raise ValueError("the vectors of X are all equal; spectral hashing needs different ones")
    axes, low, width = np.ascontiguousarray(axes[:, varies]), low[varies], width[varies]
    component, k = smallest_eigenvalues(width, bits)
    return SpectralHashing(mean, axes, low, width, component, k)


def smallest_eigenvalues(width, bits):
    """The eigenfunctions of the `bits` smallest eigenvalues: component and k >= 1 of each, the smallest first."""
    component, k = np.repeat(np.arange(len(width)), bits), np.tile(np.arange(1, bits + 1), len(width))
    order = np.lexsort((component, k * (width.max() / width[component])))[:bits]  # lambda_k rises with k / (b - a)
    return component[order], k[order]


def directed(V):
    """The rows of V, each turned such that its largest entry (the first of several) is positive."""
    largest = np.take_along_axis(V, np.abs(V).argmax(axis=1)[:, np.newaxis], axis=1)
    return np.where(largest < 0, -V, V)
