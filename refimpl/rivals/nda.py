"""Nonparametric discriminant analysis (NDA), as in Figure 3 of Amores, Sebe & Radeva (2006).

Source: K. Fukunaga, "Introduction to Statistical Pattern Recognition", 2nd ed. (1990), § 10.2, after
K. Fukunaga & J. M. Mantock, "Nonparametric discriminant analysis", IEEE PAMI 5 (1983), 671-678 (the paper's
list of references prints 1997 and volume 19). Where linear discriminant analysis compares class means,
which gives at most M - 1 dimensions, NDA compares each vector with the mean of its k nearest neighbours in
the other class, and gives as many dimensions as the within-class scatter has.

Readings of what the sources leave open
---------------------------------------
* k and alpha are the user's; the paper names neither. The defaults k = 3, alpha = 2 are ours.
* The distances in the weights go to the k-th nearest neighbour. A vector is not its own neighbour, so in a
  class of n_i vectors it has n_i - 1; for larger k its own class is measured by the farthest of them.
* Neighbours are found after the whitening, where the scatter is computed. Ties: the lowest index.
* Two zero distances (equal vectors in both classes) give the weight of equal distances, 1/2.
* Priors are the classes' shares in the training set.
* M classes: the sum over all ordered pairs of classes, which for M = 2 is the book's sum of two terms.
* "we do not take dimensions corresponding to eigenvalues lower than 1.0e-8, due to precision problems with
  the inverse of the matrix" (§ 4.2 of the paper) is applied to the matrix that is inverted, the within-class
  scatter, here the average over the training vectors. The bound is absolute: it depends on the units of X.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from refimpl.checks import as_count, as_labels, as_matrix, as_number
from refimpl.results import result
from refimpl.rivals.whitening import centred_by_class, principal_deviations

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
        One dimension in each column; the within-class scatter of the projected training set is the identity.
    eigenvalues : numpy.ndarray of float64, shape (r,)
        Of the nonparametric between-class scatter, descending.
    """

    mean: np.ndarray
    projection: np.ndarray
    eigenvalues: np.ndarray

    def __post_init__(self):
        shapes = [np.shape(getattr(self, name)) for name in ("mean", "projection", "eigenvalues")]
        if shapes != [shapes[1][:1], shapes[1], shapes[1][1:]] or len(shapes[1]) != 2:
            raise ValueError(f"mean, projection, eigenvalues have the shapes {shapes}; they must be (d,), (d, r), (r,)")

    def transform(self, X, n_components=None):
        """Project the rows of `X`, shape (n, d), on the first `n_components` dimensions (default: all r).

        Returns
        -------
        numpy.ndarray of float64, shape (n, n_components)

        Raises
        ------
        ValueError
            If `X` has not d columns, holds NaN or infinities, or has fewer than `n_components` dimensions.
        """
        X = as_matrix(X, "X")
        if X.shape[1] != len(self.mean):
            raise ValueError(f"X has {X.shape[1]} columns; the projection was learnt in {len(self.mean)}")
        r = len(self.eigenvalues)
        if n_components is not None and as_count(n_components, "n_components") > r:
            raise ValueError(f"n_components is {n_components}; there are {r} dimensions")
        return (X - self.mean) @ self.projection[:, :n_components]


def nonparametric_discriminant_analysis(X, labels, *, k=3, alpha=2.0, min_eigenvalue=1e-8):
    """Learn the NDA projection of a training set.

    Fukunaga (1990), § 10.2: whiten by the within-class scatter, compute the nonparametric between-class
    scatter, take its eigenvectors.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training vectors.
    labels : array_like, shape (n,)
        Their classes: two or more, each with at least two vectors and at least `k`.
    k : int, default 3
        Number of neighbours in the local means. With two classes of k vectors each and alpha = 0 the first
        dimension is that of linear discriminant analysis, and all others have the eigenvalue 1/2.
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
        If the input is empty or not finite, shapes do not fit, a class is too small, or no direction has
        enough scatter.
    """
    X = as_matrix(X, "X")
    labels = as_labels(labels, len(X), "labels", min_classes=2)
    k = as_count(k, "k")
    alpha = as_number(alpha, "alpha")
    min_eigenvalue = as_number(min_eigenvalue, "min_eigenvalue")
    classes, sizes = np.unique(labels, return_counts=True)
    least = max(k, 2)
    if sizes.min() < least:
        small = sizes.argmin()
        raise ValueError(
            f"class {classes[small]!r} has {sizes[small]} vector(s); k={k} needs {least} or more in each"
        )
    D = centred_by_class(X, labels)
    if not D.any():
        raise ValueError("X does not vary within its classes; NDA needs a within-class scatter")
    sigma, V = principal_deviations(D, len(X))
    keep = sigma**2 >= min_eigenvalue
    if not keep.any():
        raise ValueError(
            f"no eigenvalue of the within-class scatter reaches min_eigenvalue={min_eigenvalue} (the largest "
            f"is {sigma[0] ** 2:.3g}); scale X up or lower min_eigenvalue"
        )
    A = V[keep].T / sigma[keep]
    mean = X.mean(axis=0)
    Z = (X - mean) @ A
    S_b = between_class_scatter([Z[labels == c] for c in classes], k, alpha)
    eigenvalues, Psi = np.linalg.eigh(S_b)
    return NDA(mean, A @ Psi[:, ::-1], eigenvalues[::-1].copy())


def between_class_scatter(Z, k, alpha):
    """The nonparametric between-class scatter matrix of Fukunaga (1990), § 10.2.

    Parameters
    ----------
    Z : list of numpy.ndarray, shapes (n_i, r)
        The whitened vectors of each class.
    k : int
    alpha : float

    Returns
    -------
    numpy.ndarray of float64, shape (r, r)
        The sum over classes i and vectors x in i, and over the other classes j, of
        w (x - M_j(x)) (x - M_j(x))^T, divided by the number of vectors: with P_i = n_i / n, that is
        P_i times the mean over class i.
    """
    r = Z[0].shape[1]
    S_b = np.zeros((r, r))
    for i, Z_i in enumerate(Z):
        own = np.sort(cdist(Z_i, Z_i), axis=1)[:, min(k, len(Z_i) - 1)]  # column 0 is the vector itself
        for j, Z_j in enumerate(Z):
            if j == i:
                continue
            distances = cdist(Z_i, Z_j)
            nearest = distances.argsort(axis=1, kind="stable")[:, :k]
            other = np.take_along_axis(distances, nearest[:, -1:], axis=1)[:, 0]
            M_j = np.array([Z_j[neighbours].mean(axis=0) for neighbours in nearest])  # local means
            w = boundary_weights(own, other, alpha)
            S_b += (w[:, None] * (Z_i - M_j)).T @ (Z_i - M_j)
    S_b /= sum(len(Z_i) for Z_i in Z)
    return (S_b + S_b.T) / 2


def boundary_weights(own, other, alpha):
    """w = min(own^alpha, other^alpha) / (own^alpha + other^alpha): 1/2 at the boundary, 0 far from it.

    Written with the ratio of the two distances, which neither overflows nor underflows.

    Parameters
    ----------
    own, other : numpy.ndarray, shape (n,)
        Distances to the k-th nearest neighbour in the vector's own class and in the other class.
    alpha : float

    Returns
    -------
    numpy.ndarray of float64, shape (n,)
    """
    far = np.maximum(own, other)
    ratio = np.divide(np.minimum(own, other), far, out=np.ones_like(far), where=far > 0) ** alpha
    return ratio / (1.0 + ratio)
