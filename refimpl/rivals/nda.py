"""Nonparametric discriminant analysis (NDA), as in Figure 3 of Amores, Sebe & Radeva (2006).

Source: K. Fukunaga, "Introduction to Statistical Pattern Recognition", 2nd ed. (1990), § 10.2,
after K. Fukunaga & J. M. Mantock, "Nonparametric discriminant analysis", IEEE PAMI 5 (1983),
671-678 (the paper's list of references prints 1997 and volume 19). Where linear discriminant
analysis compares class means, which gives at most M - 1 dimensions, NDA compares each vector with
the mean of its k nearest neighbours in the other class, and gives as many dimensions as the
within-class scatter has.

Readings of what the sources leave open
---------------------------------------
* k and alpha are the user's; the paper names neither. The defaults k = 3, alpha = 2 are ours.
* The distances in the weights go to the k-th nearest neighbour. A vector is not its own neighbour,
  so in a class of n_i vectors it has n_i - 1; for larger k its own class is measured by the
  farthest of them.
* Neighbours are found after the whitening, where the scatter is computed. Ties: the lowest index.
* Two zero distances (equal vectors in both classes) give the weight of equal distances, 1/2.
* Priors are the classes' shares in the training set.
* M classes: the sum over all ordered pairs of classes, which for M = 2 is the book's sum of two
  terms.
* § 4.2 of the paper leaves out dimensions whose eigenvalues are below 1e-8, because a matrix is
  inverted. That is the within-class scatter, here the average over the training vectors. The bound
  is absolute: it depends on the units of X.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from refimpl.arrays import as_matrix, as_vectors_like, in_range
from refimpl.checks import as_count, as_labels, as_number
from refimpl.results import result
from refimpl.rivals.whitening import centred_by_class, principal_deviations
from refimpl.spaces.ranks import distance_blocks
from refimpl.typing import ArrayLike, FloatArray, IntArray

__all__ = ["NDA", "nonparametric_discriminant_analysis"]


@result
@dataclass(frozen=True, eq=False)
class NDA:
    """A linear map to dimensions in decreasing order of class separation.

    Attributes
    ----------
    mean : numpy.ndarray of float64, shape (d,)
        Mean of the training vectors.
    projection : numpy.ndarray of float64, shape (d, r)
        One dimension in each column; the within-class scatter of the projected training set is the
        identity.
    eigenvalues : numpy.ndarray of float64, shape (r,)
        Of the nonparametric between-class scatter, descending.

    Raises
    ------
    ValueError
        If the shapes do not fit each other; from ``transform``, if its argument does not fit.

    See Also
    --------
    nonparametric_discriminant_analysis : Learn it, with an example.

    Examples
    --------
    >>> from refimpl.rivals.nda import nonparametric_discriminant_analysis
    >>> X = [[0.0, 1.0], [0.0, -1.0], [4.0, 1.0], [4.1, -1.0]]
    >>> nda = nonparametric_discriminant_analysis(X, ["a", "a", "b", "b"], k=1)
    >>> nda.transform(X).shape == (4, len(nda.eigenvalues))
    True
    """

    mean: FloatArray
    projection: FloatArray
    eigenvalues: FloatArray

    def __post_init__(self) -> None:
        shapes = [np.shape(getattr(self, name)) for name in ("mean", "projection", "eigenvalues")]
        if shapes != [shapes[1][:1], shapes[1], shapes[1][1:]] or len(shapes[1]) != 2:
            raise ValueError(
                f"mean, projection, eigenvalues must be of shapes (d,), (d, r), (r,); got {shapes}"
            )

    def transform(self, X: ArrayLike, n_components: int | None = None) -> FloatArray:
        """Project vectors, (n, d), on the first dimensions, by default all r: (n, n_components).

        ValueError says that `X` has not d columns, or holds NaN or infinities, or that there are
        fewer than `n_components` dimensions.
        """
        points = in_range(as_vectors_like(X, self.projection.T, "X"), "X")
        if n_components is not None:
            r = len(self.eigenvalues)
            n_components = as_count(n_components, "n_components", most=r, why="the dimensions")
        projected: FloatArray = (points - self.mean) @ self.projection[:, :n_components]
        return projected


def nonparametric_discriminant_analysis(
    X: ArrayLike, y: ArrayLike, *, k: int = 3, alpha: float = 2.0, min_eigenvalue: float = 1e-8
) -> NDA:
    """Learn the NDA projection of a training set.

    Fukunaga (1990), § 10.2: whiten by the within-class scatter, compute the nonparametric
    between-class scatter, take its eigenvectors.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training vectors.
    y : array_like, shape (n,)
        Their classes: two or more, each with at least two vectors and at least `k`.
    k : int, default 3
        Number of neighbours in the local means. With two classes of k vectors each and alpha = 0
        the first dimension is that of linear discriminant analysis, and all others have the
        eigenvalue 1/2.
    alpha : float, default 2.0
        How fast the weight falls with the distance from the boundary; 0 weighs all vectors alike.
    min_eigenvalue : float, default 1e-8
        Directions in which the within-class scatter is lower are left out (§ 4.2 of the paper).

    Returns
    -------
    NDA

    Raises
    ------
    ValueError
        If the input is empty or not finite, shapes do not fit, a class is too small, or no
        direction has enough scatter.

    See Also
    --------
    NDA : The projection that it returns.

    Examples
    --------
    >>> from refimpl.rivals.nda import nonparametric_discriminant_analysis
    >>> X = [[0.0, 1.0], [0.0, -1.0], [4.0, 1.0], [4.1, -1.0]]
    >>> nda = nonparametric_discriminant_analysis(X, ["a", "a", "b", "b"], k=1)
    >>> nda.transform(X, 1).shape
    (4, 1)
    """
    points = in_range(as_matrix(X, "X"), "X")
    labels = as_labels(y, len(points), "y", min_classes=2)
    k = as_count(k, "k")
    alpha = as_number(alpha, "alpha")
    min_eigenvalue = as_number(min_eigenvalue, "min_eigenvalue")
    classes, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    least = max(k, 2)
    if sizes.min() < least:
        small = sizes.argmin()
        raise ValueError(
            f"y must hold at least {least} vectors of each class with k={k}; "
            f"got {sizes[small]} of class {classes.tolist()[small]!r}"
        )
    D = centred_by_class(points, labels)
    if not D.any():
        raise ValueError("X must vary within its classes; got classes of equal vectors")
    sigma, V = principal_deviations(D, len(points))
    keep = sigma**2 >= min_eigenvalue
    if not keep.any():
        raise ValueError(
            f"min_eigenvalue must be at most {sigma[0] ** 2:.3g}, the largest eigenvalue of the "
            f"within-class scatter (scale X up or lower min_eigenvalue); got {min_eigenvalue}"
        )
    A = V[keep].T / sigma[keep]
    mean = points.mean(axis=0)
    Z = (points - mean) @ A
    S_b = between_class_scatter([Z[codes == c] for c in range(len(classes))], k, alpha)
    eigenvalues, Psi = np.linalg.eigh(S_b)
    return NDA(mean, A @ Psi[:, ::-1], eigenvalues[::-1].copy())


def between_class_scatter(Z: list[FloatArray], k: int, alpha: float) -> FloatArray:
    """Return the nonparametric between-class scatter matrix of Fukunaga (1990), § 10.2."""
    r = Z[0].shape[1]
    S_b = np.zeros((r, r))
    for i, Z_i in enumerate(Z):
        # column 0 is the vector itself
        place = min(k, len(Z_i) - 1)
        own = np.concatenate(
            [
                np.sort(scipy.spatial.distance.cdist(Z_i[rows], Z_i), axis=1)[:, place]
                for rows in distance_blocks(len(Z_i), len(Z_i))
            ]
        )
        for j, Z_j in enumerate(Z):
            if j == i:
                continue
            other, nearest = _nearest(Z_i, Z_j, k)
            M_j = np.array([Z_j[neighbors].mean(axis=0) for neighbors in nearest])  # local means
            w = boundary_weights(own, other, alpha)
            S_b += (w[:, None] * (Z_i - M_j)).T @ (Z_i - M_j)
    S_b /= sum(len(Z_i) for Z_i in Z)
    symmetric: FloatArray = (S_b + S_b.T) / 2
    return symmetric


def _nearest(Q: FloatArray, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
    """Return the distance of each query to its k-th nearest vector, and the k nearest."""
    far: list[FloatArray] = []
    nearest: list[IntArray] = []
    for rows in distance_blocks(len(Q), len(X)):
        D = scipy.spatial.distance.cdist(Q[rows], X)
        nearest.append(D.argsort(axis=1, kind="stable")[:, :k])
        far.append(np.take_along_axis(D, nearest[-1][:, -1:], axis=1)[:, 0])
    return np.concatenate(far), np.concatenate(nearest)


def boundary_weights(own: FloatArray, other: FloatArray, alpha: float) -> FloatArray:
    """Return w = min(own^alpha, other^alpha) / (own^alpha + other^alpha), by their ratio."""
    far = np.maximum(own, other)
    ratio = np.divide(np.minimum(own, other), far, out=np.ones_like(far), where=far > 0) ** alpha
    weights: FloatArray = ratio / (1.0 + ratio)
    return weights
