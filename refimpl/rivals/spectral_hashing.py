"""Spectral hashing, a rival of the search forest.

Source: Y. Weiss, A. Torralba & R. Fergus, "Spectral hashing", NIPS 2008. Li et al. (2011), § 4,
search its codes by linear scan: :mod:`refimpl.rivals.hamming_scan`.

The data are rotated to their principal components and taken to be uniform in the box that holds
them. The eigenfunctions of a uniform distribution on [a, b] are Phi_k(x) = sin(pi / 2 + k pi (x -
a) / (b - a)); those of the smallest eigenvalues, over all components, are cut at zero: each gives
one bit.

Readings of what the source leaves open
---------------------------------------
* The eigenvalue 1 - exp(-(eps^2 / 2) (k pi / (b - a))^2) rises with k / (b - a), whatever eps is:
  that orders them. Equal ones come by component, the one of larger variance first.
* k = 0 is constant and left out, as are products of eigenfunctions of several components: their
  bits follow from those.
* No more than `n_components` principal components are used, by default as many as there are bits.
  One whose range is below 1e-10 of the largest is a rounding error and left out; the others then
  give more bits each.
* a and b are the least and the largest value in the training set. Beyond them a query goes on along
  the sine.
* Of the two directions of a principal component the one is taken whose largest entry is positive.

Not handled here: learning from labelled pairs, distances other than the Euclidean.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.arrays import as_matrix, as_points, in_range
from refimpl.checks import as_count, as_kernels
from refimpl.resources import check_free_memory
from refimpl.results import result
from refimpl.rivals.hamming_scan import pack_bits
from refimpl.rivals.rotated_scan import principal_axes
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, UInt64Array

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

    Raises
    ------
    TypeError, ValueError
        If the arrays do not fit each other; from its methods, if the vectors do not fit.

    See Also
    --------
    spectral_hashing : Learn the codes, with an example.

    Examples
    --------
    >>> from refimpl.rivals.spectral_hashing import spectral_hashing
    >>> model = spectral_hashing([[0.0, 0.1], [1.0, 0.0], [9.0, 0.1]], 2)
    >>> model.bits, model.encode([[8.9, 0.0]]).shape
    (2, (1, 1))
    """

    mean: FloatArray
    axes: FloatArray
    low: FloatArray
    width: FloatArray
    component: IntArray
    k: IntArray

    def __post_init__(self) -> None:
        if self.axes.ndim != 2 or self.mean.shape != self.axes.shape[:1]:
            raise ValueError(
                "mean, axes must be of shapes (d,), (d, r); "
                f"got {self.mean.shape}, {self.axes.shape}"
            )
        r = self.axes.shape[1]
        bits = len(self.k)
        if self.low.shape != (r,) or self.width.shape != (r,) or not (self.width > 0).all():
            raise ValueError(
                f"low, width must be of shape ({r},), with widths above 0; "
                f"got {self.low.shape}, {self.width.shape}, {self.width}"
            )
        if self.component.shape != (bits,) or bits == 0 or (self.k < 1).any():
            raise ValueError(
                "component, k must hold a component and a k >= 1 for each bit; "
                f"got shapes {self.component.shape}, {self.k.shape}"
            )
        if (self.component < 0).any() or (self.component >= r).any():
            raise ValueError(f"component must hold 0 to {r - 1}; got {self.component}")

    @property
    def bits(self) -> int:
        """The length of a code."""
        return len(self.k)

    def eigenfunctions(
        self, X: ArrayLike, *, kernels: Kernels | None = None, threads: int | None = None
    ) -> FloatArray:
        """Return the values, between -1 and 1, whose signs are the bits: (n, d) to (n, bits)."""
        kernels = as_kernels(kernels)
        points = as_points(X, "X", self.axes.T)
        x = kernels.projections(points - self.mean, self.axes, threads=threads) - self.low
        x /= self.width
        values: FloatArray = np.sin(np.pi / 2 + self.k * np.pi * x[:, self.component])  # Phi_k(x)
        return values

    def encode(
        self, X: ArrayLike, *, kernels: Kernels | None = None, threads: int | None = None
    ) -> UInt64Array:
        """Return the packed codes of vectors, uint64, (n, words); equal vectors have equal codes.

        Bit i of the code is bit i mod 64 of word i // 64; those after the last are zero.
        """
        return pack_bits(self.eigenfunctions(X, kernels=kernels, threads=threads) > 0)


def spectral_hashing(
    X: ArrayLike,
    bits: int,
    *,
    n_components: int | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> SpectralHashing:
    """Learn the codes: the algorithm of Weiss, Torralba & Fergus (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training vectors, not all equal.
    bits : int
        The length of a code.
    n_components : int, optional
        The largest number of principal components; the default is `bits`.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    SpectralHashing

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, all vectors are equal, or a number is too
        small.

    See Also
    --------
    hamming_scan : Search the codes.

    Examples
    --------
    >>> from refimpl.rivals.hamming_scan import hamming_scan
    >>> from refimpl.rivals.spectral_hashing import spectral_hashing
    >>> X = [[0.0, 0.1], [1.0, 0.0], [9.0, 0.1]]
    >>> model = spectral_hashing(X, 1)
    >>> codes = model.encode(X)
    >>> hamming_scan(model.encode([[8.9, 0.0]]), codes, 1).of(0)
    array([2])
    """
    kernels = as_kernels(kernels)
    points = in_range(as_matrix(X, "X"), "X")  # any smaller scale is right
    bits = as_count(bits, "bits")
    n_components = bits if n_components is None else as_count(n_components, "n_components")
    largest = min(n_components, points.shape[1])
    check_free_memory(40 * bits * largest, "the list of eigenfunctions", "bits or components")
    mean = points.mean(axis=0)
    # find the principal components using PCA
    axes = directed(principal_axes(points)[:n_components]).T.copy()
    x = kernels.projections(points - mean, axes, threads=threads)
    low = x.min(axis=0)
    width = np.ptp(x, axis=0)
    varies = width > NO_RANGE * width.max()
    if not varies.any() or (points == points[0]).all():
        raise ValueError("X must hold different vectors; got equal ones alone")
    axes = np.ascontiguousarray(axes[:, varies])
    low = low[varies]
    width = width[varies]
    component, k = smallest_eigenvalues(width, bits)
    return SpectralHashing(mean, axes, low, width, component, k)


def smallest_eigenvalues(width: FloatArray, bits: int) -> tuple[IntArray, IntArray]:
    """Return the eigenfunctions of the `bits` smallest eigenvalues, the smallest first."""
    # they are given by their components and their numbers k >= 1
    component = np.repeat(np.arange(len(width)), bits)
    k = np.tile(np.arange(1, bits + 1), len(width))
    # lambda_k rises with k / (b - a)
    order = np.lexsort((component, k * (width.max() / width[component])))[:bits]
    return component[order], k[order]


def directed(V: FloatArray) -> FloatArray:
    """Return the rows of V, turned such that the first largest entry of each is positive."""
    largest = np.take_along_axis(V, np.abs(V).argmax(axis=1)[:, np.newaxis], axis=1)
    return np.where(largest < 0, -V, V)
