"""Similarities K(x, x') between training objects, and from new objects to them: any function or matrix, counted.

Kar & Jain (2011), § 2: K may be anything, neither positive semidefinite nor symmetric. A distance is taken as the
similarity -d (footnote 2). What a new object costs is its look-ups of K, so they are counted.

Not handled here: storing look-ups between calls; scaling to sup |K| <= 1, which :mod:`refimpl.ftune.problems` does.
"""

import dataclasses
from dataclasses import dataclass

import numpy as np

from refimpl.checks import as_indices
from refimpl.spaces.objects import as_float_array, as_objects

__all__ = ["Gaussian", "Similarity", "as_similarity", "mean_distance"]

_BLOCK = 2**22  # differences held at a time by mean_distance


class Similarity:
    """K over n training objects.

    Parameters
    ----------
    K : callable or array_like, shape (n, n)
        ``K(x, x')``, a number; with ``pairwise=True`` ``K(A, B)``, a matrix of shape (len(A), len(B)), where A and B
        are lists of objects, or arrays if the objects come as an array. Or the matrix of all K(x_i, x_j), row i to
        column j, which is used as it is, not copied; a new object is then a row of its n similarities.
    objects : sequence or ndarray, optional
        The training objects, for a callable; the rows of an array are its objects.
    distance : bool, default False
        Whether `K` is a distance: small for alike objects.
    pairwise : bool, default False
        Whether the callable takes many objects at once.

    Attributes
    ----------
    objects : sequence or ndarray
        The training objects, in the form in which new ones are passed.
    computed : int
        Look-ups of K so far; those in a given matrix count as well.

    Raises
    ------
    TypeError, ValueError
        If the arguments do not fit together, or a matrix is not square, empty or not finite.
    """

    def __init__(self, K, objects=None, *, distance=False, pairwise=False):
        self.computed, self.distance, self.pairwise = 0, bool(distance), bool(pairwise)
        self._K = K if callable(K) else None
        if self._K is None:
            if objects is not None:
                raise TypeError(f"K is a {type(K).__name__}, a matrix; objects belong to a function K(x, x')")
            self.objects = _as_matrix_of_all(K)
            return
        if objects is None:
            raise TypeError("K is a function and objects is None; pass the training objects")
        self.objects = as_objects(objects, "objects")
        if len(self.objects) == 0:
            raise ValueError("objects is empty; pass at least one training object")

    def __len__(self):
        return len(self.objects)

    def within(self, rows, references):
        """Return K from training objects to training objects.

        Parameters
        ----------
        rows : array_like of int, shape (m,), or None
            Where it starts; None stands for all objects.
        references : array_like of int, shape (r,)
            Where it leads to; one that occurs twice is computed once.

        Returns
        -------
        ndarray, shape (m, r), float64, C-contiguous
            -d for a distance d.

        Raises
        ------
        TypeError, ValueError
            If an index does not fit, or a value of K is no finite number.
        """
        rows = None if rows is None else as_indices(rows, len(self), "rows", "objects")
        if rows is None or np.array_equal(rows, np.arange(len(self))):
            return self.between(self.objects, references)
        return self.between(select(self.objects, rows), references)

    def restricted(self, members):
        """Return the same K over some of the training objects, which holds none of the others.

        Parameters
        ----------
        members : array_like of int, shape (r,)

        Returns
        -------
        Similarity

        Raises
        ------
        TypeError, ValueError
            If an index does not fit, or K is a matrix.
        """
        if self._K is None:
            raise TypeError("K is a matrix, whose rows stay whole; only a function can be restricted")
        K = dataclasses.replace(self._K, X=None) if isinstance(self._K, Gaussian) else self._K
        objects = select(self.objects, as_indices(members, len(self), "members", "objects"))
        return Similarity(K, objects, distance=self.distance, pairwise=self.pairwise)

    def between(self, queries, references):
        """Return K from any objects to training objects.

        Parameters
        ----------
        queries : sequence of m objects; for a matrix array_like, shape (m, n)
        references : array_like of int, shape (r,)

        Returns
        -------
        ndarray, shape (m, r), float64, C-contiguous

        Raises
        ------
        TypeError, ValueError
            As :meth:`within`, and if `queries` do not fit.
        """
        references = as_indices(references, len(self), "references", "training objects")
        distinct, places = np.unique(references, return_inverse=True)
        block = self._of_matrix(queries, distinct) if self._K is None else self._of_function(queries, distinct)
        wrong = ~np.isfinite(block)
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise ValueError(
                f"K from object {i} to training object {distinct[j]} is {block[i, j]}; similarities must be finite"
            )
        self.computed += block.size
        if self.distance:
            block = -block
        same = len(distinct) == len(references) and (places == np.arange(len(references))).all()
        return np.ascontiguousarray(block if same else block[:, places.reshape(-1)])

    def _of_matrix(self, queries, references):
        queries = queries if queries is self.objects else as_float_array(queries, "queries")
        if queries.ndim != 2 or queries.shape[1] != len(self):
            raise ValueError(
                f"queries has shape {queries.shape}; each row must hold an object's K to the {len(self)} training "
                "objects"
            )
        return queries[:, references].astype(np.float64, copy=False)

    def _of_function(self, queries, references):
        queries = as_objects(queries, "queries")
        shape, others = (len(queries), len(references)), select(self.objects, references)
        if 0 in shape:
            return np.empty(shape)
        if not self.pairwise:
            found = np.empty(shape)
            for i, x in enumerate(queries):
                found[i] = [_as_number(self._K(x, other)) for other in others]
            return found
        found = np.asarray(self._K(queries, others))
        if found.shape != shape:
            raise ValueError(
                f"K returned shape {found.shape} for {shape[0]} and {shape[1]} objects; with pairwise=True it must "
                f"return {shape}"
            )
        reused = not isinstance(self._K, Gaussian)  # another function may return the same array again
        return as_float_array(found, "K's return value").astype(np.float64, copy=reused)


def as_similarity(K, n=None, name="K"):
    """Return `K` as a :class:`Similarity`: itself, or a matrix of similarities.

    Parameters
    ----------
    K : Similarity or array_like, shape (n, n)
    n : int, optional
        How many training objects there have to be.
    name : str, default "K"
        How the messages call the argument.

    Raises
    ------
    TypeError, ValueError
        If it is a function alone, no square matrix, or has other than `n` objects.
    """
    if callable(K) and not isinstance(K, Similarity):
        raise TypeError(f"{name} is a function; pass Similarity(function, objects)")
    K = K if isinstance(K, Similarity) else Similarity(K)
    if n is not None and len(K) != n:
        raise ValueError(f"{name} has {len(K)} training objects and there are {n} labels; they must be as many")
    return K


@dataclass(frozen=True, eq=False)
class Gaussian:
    """K(A, B) = exp(-|a - b|^2 / width^2) of the rows of two arrays, for ``Similarity(..., pairwise=True)``.

    § 3.2 takes the mean distance of the training points for the width (:func:`mean_distance`), and does not say whether
    a 2 stands beside it; here none does.

    Attributes
    ----------
    width : float
        Positive, in the units of the data.
    X : ndarray, shape (n, d), float64, optional
        Rows that will often be A, this very array: their squared lengths are computed once.

    Raises
    ------
    ValueError
        If the width is not positive.
    """

    width: float
    X: np.ndarray | None = None

    def __post_init__(self):
        if not self.width > 0:
            raise ValueError(f"width is {self.width}; it must be a positive number")
        object.__setattr__(self, "_squares", None if self.X is None else _squared_lengths(self.X))

    def __call__(self, A, B):
        """K, shape (len(A), len(B))."""
        K = A @ (-2.0 * B.T)
        K += (self._squares if A is self.X else _squared_lengths(A))[:, None]
        K += _squared_lengths(B)
        np.maximum(K, 0.0, out=K)
        K /= -(self.width**2)
        return np.exp(K, out=K)


def mean_distance(X, *, most=2000, rng=None):
    """Return the mean Euclidean distance of two different rows of X: § 3.2's width of the Gaussian kernel.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    most : int, default 2000
        Of more rows than these so many are drawn, and their pairs stand for all.
    rng : numpy.random.Generator, optional
        Needed where rows have to be drawn.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there are fewer than two rows, or rows have to be drawn and `rng` is None.
    """
    if len(X) < 2:
        raise ValueError(f"X has {len(X)} row(s); a distance needs two")
    if len(X) > most:
        if rng is None:
            raise ValueError(f"X has {len(X)} rows, more than {most}; pass rng to draw some, or a larger `most`")
        X = X[rng.choice(len(X), most, replace=False)]
    X = X - X.mean(axis=0)
    norms, total = _squared_lengths(X), 0.0
    rows = max(1, _BLOCK // len(X))
    for first in range(0, len(X), rows):
        squares = norms[first : first + rows, None] + norms - 2.0 * X[first : first + rows] @ X.T
        own = np.arange(len(squares))
        squares[own, own + first] = 0.0
        total += np.sqrt(np.maximum(squares, 0.0)).sum()
    return float(total / (len(X) * (len(X) - 1)))


def _squared_lengths(A):
    return np.einsum("ij,ij->i", A, A)


def _as_matrix_of_all(K):
    K = as_float_array(K, "K")
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.size == 0:
        raise ValueError(f"K has shape {K.shape}; it must be square, one row and column for each training object")
    if not np.isfinite(K).all():
        i, j = np.argwhere(~np.isfinite(K))[0]
        raise ValueError(f"K[{i}, {j}] is {K[i, j]}; similarities must be finite")
    return K


def select(objects, indices):
    """Return some of the objects: of an array an array, else a list."""
    return objects[indices] if isinstance(objects, np.ndarray) else [objects[i] for i in indices]


def _as_number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"K returned a {type(value).__name__}; it must return a number (a function of two lists that returns a "
            "matrix needs pairwise=True)"
        ) from None
