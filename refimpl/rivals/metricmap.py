"""MetricMap: an embedding into a pseudo-Euclidean space, as in § 4.2 of BoostMap.

Source: X. Wang, J. T. L. Wang, K. Lin, D. Shasha, B. Shapiro & K. Zhang, "An index structure for
data mining and clustering", Knowledge and Information Systems 2 (2000), 161-184. Athitsos et al.
(2005) note that some of its details "have not been fully specified"; the list below says which are
ours.

From a sample O_0, ..., O_s the bilinear form psi(x, y) = (D(x, O_0)^2 + D(y, O_0)^2 - D(x, y)^2) /
2 has the matrix M = (psi(O_i, O_j)) = Q diag(lambda) Q^T. With C = |diag(lambda)|^(1/2) Q^T the
columns of C are vectors whose pseudo-Euclidean squared distances, the sum of sign(lambda_i) (x_i -
y_i)^2, are the squared distances of the sample. The d eigenvalues largest in magnitude are kept.
The numbers of positive and of negative ones are the signature; for a Euclidean set there are no
negative ones.

Readings of what the source leaves open
---------------------------------------
* The sample is 2 d objects drawn at random without replacement, the first of them O_0
  (`sample_size`).
* A new object x is projected on the span of reference objects by their Gram matrix: its coordinates
  are C_R M_R^+ b with b_j = psi(x, O_j), so it takes one distance to O_0 and one to each reference
  object. The reference objects are d of the sample, chosen by a QR decomposition of C with column
  pivoting for being far from linear dependence (``basis=True``); the result reproduces the
  coordinates of the reference objects. ``basis=False`` uses the whole sample, which costs
  `sample_size` distances and reproduces the whole sample.
* M_R^+ is the pseudo-inverse: M_R is indefinite and may be singular even when its vectors are
  independent. Eigenvalues not above `rtol` times the largest magnitude count as zero, here and in
  M.
* Fewer than d non-zero eigenvalues give fewer than d dimensions.
* An asymmetric distance goes from the new object to the references. M must be symmetric: D(O_i,
  O_j)^2 is the mean over both directions.
* The pseudo-Euclidean squared distance can be negative. :meth:`MetricMapEmbedding.pairwise` returns
  the root of its magnitude with its sign: where squared distances of the space are reproduced so
  are distances, and the order of neighbours is that of the squares.
* Eigenvectors have no sign: their entry of the largest magnitude is made positive.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from refimpl.arrays import require_squares
from refimpl.checks import as_count, as_flag, as_generator, as_number
from refimpl.results import result
from refimpl.spaces import Space, as_space
from refimpl.spaces.references import Embedding, as_dimension, as_embedded
from refimpl.typing import ArrayLike, FloatArray, IntArray

__all__ = ["MetricMapEmbedding", "metricmap"]


@result
@dataclass(frozen=True, eq=False)
class MetricMapEmbedding(Embedding):
    """A projection on the span of reference objects in a pseudo-Euclidean space.

    Attributes
    ----------
    objects : numpy.ndarray of int64, shape (1 + r,)
        O_0 and the reference objects, as indices of database objects.
    squared : numpy.ndarray of float64, shape (r,)
        Squared distances from the reference objects to O_0.
    projection : numpy.ndarray of float64, shape (r, d)
        (C_R M_R^+)^T: what b is multiplied with.
    eigenvalues : numpy.ndarray of float64, shape (d,)
        Of M, in descending order of magnitude; none is zero.

    Raises
    ------
    TypeError, ValueError
        From its methods, if objects, vectors or a number of dimensions do not fit the embedding.

    See Also
    --------
    metricmap : Make one, with an example.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.metricmap import metricmap
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> embedding = metricmap(space, 2, rng=np.random.default_rng(0))
    >>> embedding.d, embedding.embed(space).shape
    (2, (3, 2))
    """

    objects: IntArray
    squared: FloatArray
    projection: FloatArray
    eigenvalues: FloatArray

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return len(self.eigenvalues)

    @property
    def signature(self) -> tuple[int, int]:
        """How many dimensions add to a squared distance and how many take away: two ints."""
        positive = int(np.count_nonzero(self.eigenvalues > 0))
        negative = int(np.count_nonzero(self.eigenvalues < 0))
        return positive, negative

    @property
    def references(self) -> IntArray:
        """The database objects to which distances are measured, sorted: an array of int64."""
        return np.sort(self.objects)

    def _coordinates(self, D: FloatArray) -> FloatArray:
        S = D[:, np.searchsorted(self.references, self.objects)] ** 2
        b = (S[:, :1] + self.squared - S[:, 1:]) / 2  # psi(x, O_j)
        F: FloatArray = b @ self.projection
        return F

    def truncated(self, d: int) -> "MetricMapEmbedding":
        """Return the first `d` dimensions, of the largest eigenvalues, by the same references."""
        d = as_dimension(d, self.d)
        return MetricMapEmbedding(
            self.objects, self.squared, self.projection[:, :d].copy(), self.eigenvalues[:d].copy()
        )

    def pairwise(self, Q: ArrayLike, X: ArrayLike) -> FloatArray:
        """Return pseudo-Euclidean distances: the signed root of the sum of signed squares.

        Q has shape (m, d), X (n, d), the result (m, n), float64. It is negative where the negative
        dimensions prevail.
        """
        queries, points = as_embedded(Q, X, self.d, matrices=4)
        S = np.zeros((len(queries), len(points)))
        for i, eigenvalue in enumerate(self.eigenvalues):
            S += np.sign(eigenvalue) * (queries[:, [i]] - points[:, i]) ** 2
        D: FloatArray = np.sign(S) * np.sqrt(abs(S))
        return D


def metricmap(
    space: Space,
    d: int,
    *,
    rng: np.random.Generator,
    sample_size: int | None = None,
    basis: bool = True,
    rtol: float = 1e-10,
) -> MetricMapEmbedding:
    """Return the embedding of Wang et al. (2000); the module's text has the formulas.

    Parameters
    ----------
    space : refimpl.spaces.Space
    d : int
        The number of dimensions. The embedding has fewer if M has fewer non-zero eigenvalues.
    rng : numpy.random.Generator
        Draws the sample.
    sample_size : int, optional
        At least d + 1, at most the number of database objects. The default is 2 d, or all objects
        if there are fewer.
    basis : bool, default True
        Project on d reference objects of the sample; False: on all of them.
    rtol : float, default 1e-10
        Eigenvalues not above this share of the largest magnitude count as zero.

    Returns
    -------
    MetricMapEmbedding

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or all distances in the sample are zero.

    See Also
    --------
    fastmap : Project on lines through pivots.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.metricmap import metricmap
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> embedding = metricmap(space, 2, rng=np.random.default_rng(0))
    >>> F = embedding.embed(space)
    >>> embedding.pairwise(F, F).round(6) + 0.0
    array([[0., 3., 4.],
           [3., 0., 5.],
           [4., 5., 0.]])
    """
    n = len(as_space(space))
    if n < 2:
        raise ValueError(f"space must hold at least two objects; got {n}")
    d = as_count(d, "d", most=n - 1, why=f"the dimensions that {n} objects span")
    rng = as_generator(rng)
    rtol = as_number(rtol, "rtol", below=1.0)
    basis = as_flag(basis, "basis")
    size = min(2 * d, n) if sample_size is None else as_count(sample_size, "sample_size", d + 1)
    if size > n:
        raise ValueError(f"sample_size must be at most {n}, the number of objects; got {size}")
    sample = rng.choice(n, size, replace=False).astype(np.int64)
    S = require_squares(space.within(sample, sample)) ** 2
    M = bilinear_form(S)
    eigenvalues, C = pseudo_euclidean_vectors(M, d, rtol)
    if basis:
        chosen = np.sort(scipy.linalg.qr(C, mode="r", pivoting=True)[1][: len(C)])
    else:
        chosen = np.arange(len(M))
    M_R, C_R = M[np.ix_(chosen, chosen)], C[:, chosen]
    projection = (C_R @ np.linalg.pinv(M_R, rcond=rtol, hermitian=True)).T
    objects = np.concatenate([sample[:1], sample[1:][chosen]])
    return MetricMapEmbedding(
        objects, S[1:, 0][chosen], np.ascontiguousarray(projection), eigenvalues
    )


def bilinear_form(S: FloatArray) -> FloatArray:
    """Return M = (psi(O_i, O_j)) for i, j >= 1, from the squared distances of O_0, ..., O_s."""
    from_origin = S[1:, 0]
    M: FloatArray = (from_origin[:, None] + from_origin - (S + S.T)[1:, 1:] / 2) / 2
    return M


def pseudo_euclidean_vectors(M: FloatArray, d: int, rtol: float) -> tuple[FloatArray, FloatArray]:
    """Return the d eigenvalues of M of largest magnitude, and C: C^T diag(sign) C is about M."""
    eigenvalues, Q = np.linalg.eigh(M)
    order = np.argsort(-abs(eigenvalues), kind="stable")[:d]
    order = order[abs(eigenvalues[order]) > rtol * abs(eigenvalues).max()]
    if len(order) == 0:
        raise ValueError(
            "the sample must have a distance above 0; got zeros alone (draw a larger sample_size, "
            "or check the distance)"
        )
    eigenvalues = eigenvalues[order]
    Q = Q[:, order]
    Q = Q * np.sign(Q[abs(Q).argmax(axis=0), np.arange(Q.shape[1])])
    return eigenvalues, np.sqrt(abs(eigenvalues))[:, None] * Q.T
