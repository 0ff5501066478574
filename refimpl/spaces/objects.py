"""Spaces: database objects and an exact distance between them that is expensive, arbitrary and counted.

Athitsos, Alon, Sclaroff & Kollios (2005), § 3: X is any set and D_X any distance measure, metric or not. An
embedding is worth its name if it maps a new object with few evaluations of D_X, so a space counts them.

===================  ===========================================================  ===============================
space                a query is                                                   its distance to object j is
===================  ===========================================================  ===============================
`CallableSpace`      any object that the distance function takes                  ``distance(query, objects[j])``
`PrecomputedSpace`   the row of its distances to the database objects, shape (n,) entry j of the row
===================  ===========================================================  ===============================

Database objects are named by their indices 0, ..., n - 1. Distances go from the query to the database object
and need be neither symmetric nor metric. They must be finite and not negative, and the distance from an
object to itself must be zero.

Not handled here: storing distances between calls. Two calls that ask for the same distance compute it twice.
"""

import numpy as np

from refimpl.checks import as_indices

__all__ = ["CallableSpace", "PrecomputedSpace", "Space", "as_space"]

SELF_DISTANCE = 1e-6  # of the largest distance beside it: what counts as a rounding error of zero


class Space:
    """What the embeddings ask of a space; :class:`CallableSpace` and :class:`PrecomputedSpace` are the two kinds.

    A further kind of space defines ``objects``, ``__len__``, ``as_queries``, ``_select``, ``_block`` and, where
    there is something faster, ``_pairs``.

    Attributes
    ----------
    objects : sequence or numpy.ndarray
        The n database objects, in the form in which queries are passed.
    computed : int
        How many exact distances have been computed so far; the difference of two readings is the cost of what
        happened between them. A distance looked up in a given matrix counts as computed.
    """

    objects = ()
    computed = 0

    def distances(self, queries, references):
        """Exact distances from queries to database objects.

        Parameters
        ----------
        queries : sequence of m objects; for a precomputed space array_like, shape (m, n)
        references : array_like of int, shape (r,)
            Indices of database objects. One that occurs twice is computed once.

        Returns
        -------
        numpy.ndarray of float64, shape (m, r)
            Entry (i, j) is the distance from ``queries[i]`` to database object ``references[j]``.

        Raises
        ------
        TypeError, ValueError
            If `queries` or `references` do not fit the space, or a distance is NaN, infinite or negative.
        """
        queries = self.as_queries(queries)
        references = as_indices(references, len(self), "references")
        distinct, position = np.unique(references, return_inverse=True)
        block = self._block(queries, distinct)
        self._require_distances(block, distinct)
        self.computed += block.size
        return block[:, position.reshape(-1)]

    def pair_distances(self, queries, rows, references):
        """Exact distances of single pairs: from ``queries[rows[i]]`` to database object ``references[i]``.

        Parameters
        ----------
        queries : sequence of m objects; for a precomputed space array_like, shape (m, n)
        rows : array_like of int, shape (s,)
            Positions in `queries`.
        references : array_like of int, shape (s,)
            Indices of database objects. No pair may occur twice: it would be computed twice.

        Returns
        -------
        numpy.ndarray of float64, shape (s,)

        Raises
        ------
        TypeError, ValueError
            As :meth:`distances`, and if `rows` and `references` differ in length.
        """
        queries = self.as_queries(queries)
        rows = as_indices(rows, len(queries), "rows", "queries")
        references = as_indices(references, len(self), "references")
        if rows.shape != references.shape:
            raise ValueError(f"rows has {len(rows)} entries and references {len(references)}; pass one of each a pair")
        pairs = self._pairs(queries, rows, references)
        self._require_distances(pairs, references)
        self.computed += pairs.size
        return pairs

    def within(self, rows, references):
        """Exact distances from database objects to database objects.

        Parameters
        ----------
        rows : array_like of int, shape (m,), or None
            Indices of the objects the distances start from; None stands for all of them.
        references : array_like of int, shape (r,)
            Indices of the objects they go to.

        Returns
        -------
        numpy.ndarray of float64, shape (m, r)
            Exactly zero where the two are one and the same object.

        Raises
        ------
        TypeError, ValueError
            As :meth:`distances`, and if the distance from an object to itself is more than a rounding error.
        """
        rows = np.arange(len(self)) if rows is None else as_indices(rows, len(self), "rows")
        references = as_indices(references, len(self), "references")
        everything = len(rows) == len(self) and (rows == np.arange(len(self))).all()
        D = self.distances(self.objects if everything else self.take(rows), references)
        same = rows[:, None] == references
        if not same.all() and same.any() and D[same].max() > SELF_DISTANCE * D[~same].max():
            j = references[(np.where(same, D, 0.0) > 0).any(axis=0)][0]
            raise ValueError(
                f"the distance from database object {j} to itself is {D[same].max():.3g}, not zero; pass a distance, "
                "not a similarity"
            )
        D[same] = 0.0
        return D

    def take(self, indices):
        """Some of the database objects, in the form in which queries are passed.

        Parameters
        ----------
        indices : array_like of int, shape (m,)

        Returns
        -------
        sequence of m objects; for a precomputed space numpy.ndarray, shape (m, n)
        """
        return self._select(self.objects, as_indices(indices, len(self), "indices"))

    def __len__(self):
        return len(self.objects)

    def as_queries(self, queries):
        """The checked queries, in a form that has a length and can be sliced; checked ones remain as they are."""
        raise NotImplementedError

    def _select(self, queries, rows):
        """Some of the checked queries."""
        raise NotImplementedError

    def _block(self, queries, references):
        """Distances from all checked queries to the references, shape (m, r)."""
        raise NotImplementedError

    def _pairs(self, queries, rows, references):
        pairs = np.empty(len(rows))
        for j in np.unique(references):
            to_j = references == j
            pairs[to_j] = self._block(self._select(queries, rows[to_j]), np.array([j]))[:, 0]
        return pairs

    def _require_distances(self, D, references):
        wrong = ~(np.isfinite(D) & (D >= 0))
        if wrong.any():
            place = np.argwhere(wrong)[0]
            raise ValueError(
                f"the distance from query {place[0]} to database object {references[place[-1]]} is "
                f"{D[tuple(place)]}; distances must be finite and not negative"
            )


class CallableSpace(Space):
    """A space given by its objects and a function.

    Parameters
    ----------
    distance : callable
        ``distance(x, y)``, a number >= 0; or with ``pairwise=True`` ``distance(A, B)``, a matrix of shape
        (len(A), len(B)), where A and B are lists of objects, or arrays if the objects come as an array.
    objects : sequence or numpy.ndarray
        The database objects; the rows of an array are its objects.
    pairwise : bool, default False
        Whether `distance` takes many objects at once.

    Raises
    ------
    TypeError, ValueError
        If `distance` cannot be called or `objects` is no sequence or is empty.
    """

    def __init__(self, distance, objects, *, pairwise=False):
        if not callable(distance):
            raise TypeError(f"distance is a {type(distance).__name__}; pass a function, or use PrecomputedSpace")
        self.distance = distance
        self.pairwise = bool(pairwise)
        self.objects = as_objects(objects, "objects")
        if len(self.objects) == 0:
            raise ValueError("objects is empty; pass at least one database object")

    def as_queries(self, queries):
        return as_objects(queries, "queries")

    def _select(self, queries, rows):
        return queries[rows] if isinstance(queries, np.ndarray) else [queries[i] for i in rows]

    def _block(self, queries, references):
        shape = (len(queries), len(references))
        others = self._select(self.objects, references)
        if not self.pairwise:
            D = [_as_distance(self.distance(x, y)) for x in queries for y in others]
            return np.array(D, dtype=np.float64).reshape(shape)
        if 0 in shape:
            return np.empty(shape)
        D = np.array(self.distance(queries, others), dtype=np.float64)
        if D.shape != shape:
            raise ValueError(
                f"distance returned shape {D.shape} for {shape[0]} and {shape[1]} objects; with pairwise=True it must "
                f"return {shape}"
            )
        return D

    def _pairs(self, queries, rows, references):
        if self.pairwise:
            return super()._pairs(queries, rows, references)
        pairs = zip(rows, references, strict=True)
        D = [_as_distance(self.distance(queries[i], self.objects[j])) for i, j in pairs]
        return np.array(D, dtype=np.float64)


class PrecomputedSpace(Space):
    """A space given by the matrix of all distances between its n objects.

    Parameters
    ----------
    matrix : array_like, shape (n, n)
        Entry (i, j) is the distance from object i to object j; it need not be symmetric. An array of floats is
        used as it is, not copied, so a file mapped into memory will do.

    Raises
    ------
    TypeError, ValueError
        If the values are no real numbers, the matrix is empty or not square, a value is NaN, infinite or
        negative, or the diagonal is not zero.
    """

    def __init__(self, matrix):
        D = as_float_array(matrix, "matrix")
        if D.ndim != 2 or D.shape[0] != D.shape[1] or D.size == 0:
            raise ValueError(f"matrix has shape {D.shape}; it must be square, one row and column for each object")
        if not np.isfinite(D).all() or (D < 0).any():
            i, j = np.argwhere(~np.isfinite(D) | (D < 0))[0]
            raise ValueError(f"matrix[{i}, {j}] is {D[i, j]}; distances must be finite and not negative")
        if D.diagonal().any():
            i = np.flatnonzero(D.diagonal())[0]
            raise ValueError(
                f"matrix[{i}, {i}] is {D[i, i]}; the distance from an object to itself must be zero (a rounding error: "
                "np.fill_diagonal(matrix, 0); a similarity: turn it into a distance)"
            )
        self.objects = D

    def as_queries(self, queries):
        D = as_float_array(queries, "queries")
        if D.ndim != 2 or D.shape[1] != len(self):
            raise ValueError(
                f"queries has shape {D.shape}; each row must hold one query's distances to the {len(self)} database "
                "objects"
            )
        return D

    def _select(self, queries, rows):
        return queries[rows]

    def _block(self, queries, references):
        return queries[:, references].astype(np.float64)

    def _pairs(self, queries, rows, references):
        return queries[rows, references].astype(np.float64)


def as_space(space, name="space"):
    """`space` itself, if it is one.

    Raises
    ------
    TypeError
        If it is anything else, for instance a matrix.
    """
    if not isinstance(space, Space):
        raise TypeError(
            f"{name} is a {type(space).__name__}; pass PrecomputedSpace(matrix) or CallableSpace(distance, objects)"
        )
    return space


def as_objects(objects, name):
    if isinstance(objects, str | bytes):
        raise TypeError(f"{name} is one string; pass a list of objects, [{name}] if it is one object")
    if isinstance(objects, np.ndarray) and objects.ndim > 0:
        return objects
    try:
        return objects if isinstance(objects, list) else list(objects)
    except TypeError:
        raise TypeError(f"{name} is a {type(objects).__name__}; pass a list of objects, or an array of them") from None


def _as_distance(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"distance returned a {type(value).__name__}; it must return a number (a function of two lists that "
            "returns a matrix needs pairwise=True)"
        ) from None


def as_float_array(D, name):
    try:
        D = np.asarray(D)
    except ValueError as error:
        raise ValueError(f"{name} must have rows of equal length ({error})") from None
    if D.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {D.dtype}; it must hold real numbers")
    return D if D.dtype.kind == "f" else D.astype(np.float64)
