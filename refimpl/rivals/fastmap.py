"""FastMap, the method that § 11.2 of BoostMap measures itself against.

Source: C. Faloutsos & K. Lin, "FastMap: a fast algorithm for indexing, data-mining and
visualization of traditional and multimedia datasets", SIGMOD 1995, 163-174. Described in § 4.2 of
Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and Classification"
(2005), whose eq. 8 is its step.

Every dimension projects on the line through two far pivot objects (eq. 8) and goes on in the
hyperplane perpendicular to it, where the squared distance is D'(x, y)^2 = D(x, y)^2 - (F_j(x) -
F_j(y))^2.

Readings of what the sources leave open
---------------------------------------
* D need not be Euclidean, and then D'^2 can be negative. Both formulas take squares only, so the
  negative number is carried on as it is; a root is taken of the pivots' D'^2 alone, which is
  positive or the pair is no pair. ``clip=True`` sets every D'^2 below zero to zero instead, in each
  dimension anew.
* "farthest" means the largest D'^2, the lowest index in ties.
* The source repeats the two steps of its pivot heuristic "a constant number of times", 5 in its
  experiments: `iterations`. It ends early when the pair does not change. If nothing is found at a
  positive distance, other random objects are tried, up to `starts` in all: far from Euclid most
  D'^2 become negative after some dimensions.
* Where all of them fail the source sets the coordinate to zero for every object. Here the embedding
  ends: it has fewer dimensions than asked for. A D'^2 below `rtol` times the largest squared
  distance seen counts as zero: on a Euclidean set FastMap ends when its dimension is reached, and
  does not embed the rounding errors.
* An asymmetric distance goes from the object to the pivot; that between the pivots goes from x_2 to
  x_1, the direction in which it was found to be the largest.
* Pivots are embedded like any other object, from their distances to the pivots.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from refimpl.arrays import require_squares
from refimpl.checks import as_count, as_flag, as_generator, as_number
from refimpl.results import result
from refimpl.spaces import Space, as_space
from refimpl.spaces.references import Embedding, as_dimension, as_embedded
from refimpl.typing import ArrayLike, FloatArray, IntArray

__all__ = ["FastMapEmbedding", "fastmap", "line_projection"]


@result
@dataclass(frozen=True, eq=False)
class FastMapEmbedding(Embedding):
    """Projections on lines through pivot objects, each perpendicular to the lines before.

    Attributes
    ----------
    pivots : numpy.ndarray of int64, shape (d, 2)
        x_1 and x_2 of each dimension, as indices of database objects.
    squared : numpy.ndarray of float64, shape (d,)
        D'^2 between the two, positive, in squared units of the distance.
    vectors : numpy.ndarray of float64, shape (d, 2, d)
        The pivots' own coordinates; those of dimension j and later play no part for the pivots of
        dimension j.
    clip : bool
        Whether a negative D'^2 is set to zero.

    Raises
    ------
    TypeError, ValueError
        From its methods, if objects, vectors or a number of dimensions do not fit the embedding.

    See Also
    --------
    fastmap : Choose the pivots, with an example.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.fastmap import fastmap
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> embedding = fastmap(space, 2, rng=np.random.default_rng(0))
    >>> embedding.d, embedding.embed(space).shape
    (2, (3, 2))
    """

    pivots: IntArray
    squared: FloatArray
    vectors: FloatArray
    clip: bool

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return len(self.pivots)

    @property
    def references(self) -> IntArray:
        """The database objects to which distances are measured, sorted: an array of int64."""
        return np.unique(self.pivots)

    def _coordinates(self, D: FloatArray) -> FloatArray:
        columns = np.searchsorted(self.references, self.pivots)
        F = np.zeros((len(D), self.d))
        for j in range(self.d):
            S_1, S_2 = (
                residual_squares(D[:, columns[j, i]], F[:, :j], self.vectors[j, i, :j], self.clip)
                for i in (0, 1)
            )
            F[:, j] = line_projection(S_1, self.squared[j], S_2)
        return F

    def truncated(self, d: int) -> "FastMapEmbedding":
        """Return the embedding into the first `d` dimensions, with the references they need."""
        d = as_dimension(d, self.d)
        return FastMapEmbedding(
            self.pivots[:d].copy(),
            self.squared[:d].copy(),
            self.vectors[:d, :, :d].copy(),
            self.clip,
        )

    def pairwise(self, Q: ArrayLike, X: ArrayLike) -> FloatArray:
        """Return Euclidean distances of embedded objects, (m, d) and (n, d): float64, (m, n)."""
        D: FloatArray = scipy.spatial.distance.cdist(*as_embedded(Q, X, self.d))
        return D


def fastmap(
    space: Space,
    d: int,
    *,
    rng: np.random.Generator,
    iterations: int = 5,
    starts: int = 10,
    clip: bool = False,
    rtol: float = 1e-12,
) -> FastMapEmbedding:
    """Choose pivots: Faloutsos & Lin (1995), algorithms ``FastMap`` and ``choose-distant-objects``.

    Distances are computed from all n database objects to every object that is tried as a pivot, to
    each once: at most (2 `iterations` + 1) n for a dimension, unless starts have to be repeated.

    Parameters
    ----------
    space : refimpl.spaces.Space
    d : int
        The number of dimensions. The embedding has fewer if all remaining distances are zero.
    rng : numpy.random.Generator
        Draws the objects from which the search for pivots starts.
    iterations : int, default 5
        How many times the farthest object is looked for from either pivot.
    starts : int, default 10
        The largest number of objects from which the search for pivots starts.
    clip : bool, default False
        Set negative squares of distances in the hyperplanes to zero.
    rtol : float, default 1e-12
        Squares not above this share of the largest squared distance count as zero.

    Returns
    -------
    FastMapEmbedding

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or all distances are zero.

    See Also
    --------
    metricmap : Project in a pseudo-Euclidean space.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.fastmap import fastmap
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> embedding = fastmap(space, 2, rng=np.random.default_rng(0))
    >>> F = embedding.embed(space)
    >>> embedding.pairwise(F, F).round(6) + 0.0
    array([[0., 3., 4.],
           [3., 0., 5.],
           [4., 5., 0.]])
    """
    n = len(as_space(space))
    d = as_count(d, "d")
    rng = as_generator(rng)
    iterations = as_count(iterations, "iterations")
    starts = as_count(starts, "starts")
    rtol = as_number(rtol, "rtol", below=1.0)
    clip = as_flag(clip, "clip")
    columns: dict[int, FloatArray] = {}  # distances of all objects to a pivot, computed once
    F = np.zeros((n, d))
    pivots: list[tuple[int, int]] = []
    squared = []

    def residuals(p: int) -> FloatArray:
        """Return D'(x, O_p)^2 for every x."""
        if p not in columns:
            columns[p] = require_squares(space.within(None, [p])[:, 0])
        j = len(pivots)
        return residual_squares(columns[p], F[:, :j], F[p, :j], clip)

    def zero() -> float:
        """Return the largest square that counts as a rounding error."""
        return float(rtol * max(D.max() for D in columns.values()) ** 2)

    for j in range(d):
        begin = rng.choice(n, min(n, starts), replace=False)
        x_1, x_2 = choose_distant_objects(residuals, begin, iterations, zero)
        S_1 = residuals(x_1)
        S_2 = residuals(x_2)
        if S_1[x_2] <= zero():
            break  # D'(x_1, x_2) = 0
        F[:, j] = line_projection(S_1, S_1[x_2], S_2)
        pivots.append((x_1, x_2))
        squared.append(S_1[x_2])
    if not pivots:
        raise ValueError(
            "space must have two objects at a distance above 0; got zeros in all distances tried"
        )
    chosen = np.array(pivots, dtype=np.int64)
    return FastMapEmbedding(chosen, np.array(squared), F[chosen][:, :, : len(chosen)], clip)


def choose_distant_objects(
    residuals: Callable[[int], FloatArray],
    starts: IntArray,
    iterations: int,
    zero: Callable[[], float] = lambda: 0.0,
) -> tuple[int, int]:
    """Return two far objects: ``choose-distant-objects`` of Faloutsos & Lin (1995)."""
    # residuals(p) is D'(x, O_p)^2 for all x; zero(), asked after it, the largest square that is 0
    for b in starts.tolist():  # choose-distant-objects, 1
        a = -1
        for _ in range(iterations):
            before = a, b
            a = int(residuals(b).argmax())  # 2
            b = int(residuals(a).argmax())  # 3
            if (a, b) == before:
                break
        if residuals(a)[b] > zero():
            break
    return a, b  # 4


def line_projection(S_1: FloatArray, S_12: float, S_2: FloatArray) -> FloatArray:
    """Return F^{x_1, x_2}(x) from squared distances: eq. 8 of Athitsos et al. (2005).

    Parameters
    ----------
    S_1, S_2 : numpy.ndarray, shape (m,)
        Squared distances from x to x_1 and to x_2.
    S_12 : float
        The squared distance between x_1 and x_2, positive.

    Returns
    -------
    numpy.ndarray, shape (m,)

    See Also
    --------
    fastmap : The embedding that projects on such lines.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.fastmap import line_projection
    >>> line_projection(np.array([0.0, 1.0, 16.0]), 16.0, np.array([16.0, 9.0, 0.0]))
    array([0., 1., 4.])
    """
    F: FloatArray = (S_1 + S_12 - S_2) / (2 * np.sqrt(S_12))  # BM:eq8
    return F


def residual_squares(D: FloatArray, F: FloatArray, f: FloatArray, clip: bool) -> FloatArray:
    """Return D'(x, p)^2 of § 3 in the hyperplane perpendicular to the lines before."""
    S = D * D
    for i in range(len(f)):
        S = S - (F[:, i] - f[i]) ** 2
        if clip:
            S = np.maximum(S, 0.0)
    return S
