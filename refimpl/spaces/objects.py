"""Spaces: database objects with an exact distance that is expensive, arbitrary and counted.

Athitsos, Alon, Sclaroff & Kollios (2005), § 3: X is any set and D_X any distance measure, metric or
not. A useful embedding maps a new object with few evaluations of D_X. Therefore a space counts
them.

==================  ============================================  ================================
space               a query is                                    its distance to object j is
==================  ============================================  ================================
`CallableSpace`     any object that the distance function takes   ``distance(query, objects[j])``
`PrecomputedSpace`  the row of its distances to the database      entry j of the row
                    objects, shape (n,)
==================  ============================================  ================================

Database objects are named by their indices 0, ..., n - 1. Distances go from the query to the
database object and need be neither symmetric nor metric. They must be finite and not negative, and
the distance from an object to itself must be zero.

Not handled here: storing distances between calls. Two calls that ask for the same distance compute
it twice.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from refimpl.arrays import PARSED, as_array
from refimpl.checks import as_flag, as_float, as_indices
from refimpl.resources import check_free_memory
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray

Objects: TypeAlias = Sequence[Any] | NDArray[Any]
"""Objects of a space, or queries: a list, or an array whose rows are objects."""

SELF_DISTANCE = 1e-6  # times the largest distance: a self-distance below this is rounding


class Space:
    """A database of objects with a counted distance: the base class of all spaces.

    :class:`CallableSpace` and :class:`PrecomputedSpace` are the two kinds. A further kind defines
    ``objects``, ``__len__``, ``as_queries``, ``_select``, ``_block`` and, where there is something
    faster, ``_pairs``.

    Attributes
    ----------
    objects : sequence or numpy.ndarray
        The n database objects, in the form in which queries are passed.
    computed : int
        How many exact distances have been computed so far; the difference of two readings is the
        cost of what happened between them. A distance looked up in a given matrix counts as
        computed.

    Raises
    ------
    TypeError, ValueError
        From its methods, if objects or indices do not fit the database.
    NotImplementedError
        From a member that a further kind of space must define and does not.

    See Also
    --------
    CallableSpace : Define the distance by a function.
    PrecomputedSpace : Define the distance by a matrix.

    Examples
    --------
    >>> from refimpl.spaces import CallableSpace
    >>> space = CallableSpace(lambda x, y: abs(x - y), [1.0, 5.0, 9.0])
    >>> space.distances([2.0, 8.0], [0, 2])
    array([[1., 7.],
           [7., 1.]])
    >>> space.computed
    4
    """

    objects: Objects = ()
    computed: int = 0

    def distances(self, Q: Any, references: ArrayLike) -> FloatArray:
        """Return exact distances from m queries to r database objects: float64, shape (m, r).

        Entry (i, j) is the distance from ``Q[i]`` to database object ``references[j]``; an index
        that occurs twice is computed once. For a precomputed space Q has shape (m, n). TypeError or
        ValueError says that `Q` or `references` do not fit the space, or a distance is NaN,
        infinite or negative; MemoryError that the result would not fit into the free memory.
        """
        Q = self.as_queries(Q)
        references = as_indices(references, len(self), "references")
        needed = 16 * len(Q) * len(references)
        check_free_memory(needed, "the matrix of distances", "queries or references")
        distinct, position = np.unique(references, return_inverse=True)
        block = self._block(Q, distinct)
        self._require_distances(block, distinct)
        self.computed += block.size
        return block[:, position.reshape(-1)]

    def pair_distances(self, Q: Any, rows: ArrayLike, references: ArrayLike) -> FloatArray:
        """Return exact distances from ``Q[rows[i]]`` to object ``references[i]``: float64, (s,).

        `rows` and `references` have shape (s,). No pair may occur twice: it would be computed
        twice. Queries and errors are those of :meth:`distances`.
        """
        Q = self.as_queries(Q)
        rows = as_indices(rows, len(Q), "rows", "queries")
        references = as_indices(references, len(self), "references")
        if rows.shape != references.shape:
            raise ValueError(
                "rows and references must have the same length, an entry for each pair; "
                f"got {len(rows)} and {len(references)}"
            )
        pairs = self._pairs(Q, rows, references)
        self._require_distances(pairs, references)
        self.computed += pairs.size
        return pairs

    def within(self, rows: ArrayLike | None, references: ArrayLike) -> FloatArray:
        """Return exact distances between database objects: float64, shape (m, r).

        They go from the m indices `rows`, from all objects with None, to the r indices
        `references`. They are exactly zero where both name the same object: ValueError is raised if
        that distance is more than a rounding error. Other errors are those of :meth:`distances`.
        """
        rows = np.arange(len(self)) if rows is None else as_indices(rows, len(self), "rows")
        references = as_indices(references, len(self), "references")
        everything = len(rows) == len(self) and (rows == np.arange(len(self))).all()
        D = self.distances(self.objects if everything else self.take(rows), references)
        same = rows[:, None] == references
        if not same.all() and same.any() and D[same].max() > SELF_DISTANCE * D[~same].max():
            j = references[(np.where(same, D, 0.0) > 0).any(axis=0)][0]
            raise ValueError(
                f"the distance from database object {j} to itself must be zero; "
                f"got {D[same].max():.3g} (a similarity is no distance)"
            )
        D[same] = 0.0
        return D

    def take(self, indices: ArrayLike) -> Any:
        """Return the objects of some indices in the form in which queries are passed.

        For a precomputed space this is an array, shape (m, n).
        """
        return self._select(self.objects, as_indices(indices, len(self), "indices"))

    def __len__(self) -> int:
        return len(self.objects)

    def as_queries(self, Q: Any) -> Any:
        """Return the checked queries in a form with a length and slices; those it returned stay."""
        raise NotImplementedError

    def _select(self, Q: Any, rows: IntArray) -> Any:
        """Return some of the checked queries."""
        raise NotImplementedError

    def _block(self, Q: Any, references: IntArray) -> FloatArray:
        """Return distances from all checked queries to the references, shape (m, r)."""
        raise NotImplementedError

    def _pairs(self, Q: Any, rows: IntArray, references: IntArray) -> FloatArray:
        """Return distances of pairs of a checked query and a reference, shape (s,)."""
        pairs = np.empty(len(rows))
        for j in np.unique(references):
            to_j = references == j
            pairs[to_j] = self._block(self._select(Q, rows[to_j]), np.array([j]))[:, 0]
        return pairs

    def _require_distances(self, D: FloatArray, references: IntArray) -> None:
        wrong: BoolArray = ~(np.isfinite(D) & (D >= 0))
        if wrong.any():
            place = np.argwhere(wrong)[0]
            raise ValueError(
                f"the distance from query {place[0]} to database object {references[place[-1]]} "
                f"must be finite and not negative; got {D[tuple(place)]}"
            )


class CallableSpace(Space):
    """A space given by its objects and a function.

    Parameters
    ----------
    distance : callable
        ``distance(x, y)``, a number >= 0; or with ``pairwise=True`` ``distance(A, B)``, a matrix of
        shape (len(A), len(B)), where A and B are lists of objects, or arrays if the objects come as
        an array.
    objects : sequence or numpy.ndarray
        The database objects; the rows of an array are its objects.
    pairwise : bool, default False
        Whether `distance` takes many objects at once.

    Raises
    ------
    TypeError, ValueError
        If `distance` cannot be called or `objects` is no sequence or is empty.

    See Also
    --------
    PrecomputedSpace : A matrix of all distances.

    Examples
    --------
    >>> from refimpl.spaces import CallableSpace
    >>> space = CallableSpace(lambda a, b: abs(len(a) - len(b)), ["one", "three", "seventeen"])
    >>> space.distances(["four"], [0, 1, 2])
    array([[1., 1., 5.]])
    """

    def __init__(
        self, distance: Callable[[Any, Any], Any], objects: Any, *, pairwise: bool = False
    ) -> None:
        if not callable(distance):
            raise TypeError(
                "distance must be a function (PrecomputedSpace takes a matrix); "
                f"got a {type(distance).__name__}"
            )
        self.distance = distance
        self.pairwise = as_flag(pairwise, "pairwise")
        self.objects = as_objects(objects, "objects")
        if len(self.objects) == 0:
            raise ValueError("objects must hold at least one database object; got none")

    def as_queries(self, Q: Any) -> Objects:
        """Return the queries as a list or an array."""
        return as_objects(Q, "Q")

    def _select(self, Q: Any, rows: IntArray) -> Objects:
        return Q[rows] if isinstance(Q, np.ndarray) else [Q[i] for i in rows]

    def _block(self, Q: Objects, references: IntArray) -> FloatArray:
        others = self._select(self.objects, references)
        return values_of(self.distance, Q, others, "distance", pairwise=self.pairwise)

    def _pairs(self, Q: Objects, rows: IntArray, references: IntArray) -> FloatArray:
        if self.pairwise:
            return super()._pairs(Q, rows, references)
        pairs = zip(rows, references, strict=True)
        D = [number_of(self.distance(Q[i], self.objects[j]), "distance") for i, j in pairs]
        return np.array(D, dtype=np.float64)


class PrecomputedSpace(Space):
    """A space given by the matrix of all distances between its n objects.

    Parameters
    ----------
    matrix : array_like, shape (n, n)
        Entry (i, j) is the distance from object i to object j; it need not be symmetric. An array
        of floats is used as it is, not copied, so the array may be mapped from a file.

    Raises
    ------
    TypeError, ValueError
        If the values are no real numbers, the matrix is empty or not square, a value is NaN,
        infinite or negative, or the diagonal is not zero.

    See Also
    --------
    CallableSpace : Objects and a function.

    Examples
    --------
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> space.distances([[1, 3, 7]], [0, 2])
    array([[1., 7.]])
    """

    objects: NDArray[Any]

    def __init__(self, matrix: ArrayLike) -> None:
        D = as_float_array(matrix, "matrix")
        if D.ndim != 2 or D.shape[0] != D.shape[1] or D.size == 0:
            raise ValueError(
                "matrix must be square, with a row and a column for each object; "
                f"got shape {D.shape}"
            )
        if not np.isfinite(D).all() or (D < 0).any():
            i, j = np.argwhere(~np.isfinite(D) | (D < 0))[0]
            raise ValueError(
                f"matrix must hold finite numbers of at least 0; got {D[i, j]} at ({i}, {j})"
            )
        if D.diagonal().any():
            i = np.flatnonzero(D.diagonal())[0]
            raise ValueError(
                f"matrix must have a diagonal of zeros; got {D[i, i]} at ({i}, {i}) "
                "(a rounding error: np.fill_diagonal(matrix, 0); a similarity is no distance)"
            )
        self.objects = D

    def as_queries(self, Q: Any) -> NDArray[Any]:
        """Return the queries as rows of floats."""
        D = as_float_array(Q, "Q")
        if D.ndim != 2 or D.shape[1] != len(self):
            raise ValueError(
                f"Q must hold a query's distances to the {len(self)} database objects in each row; "
                f"got shape {D.shape}"
            )
        return D

    def _select(self, Q: NDArray[Any], rows: IntArray) -> NDArray[Any]:
        return Q[rows]

    def _block(self, Q: NDArray[Any], references: IntArray) -> FloatArray:
        return Q[:, references].astype(np.float64)

    def _pairs(self, Q: NDArray[Any], rows: IntArray, references: IntArray) -> FloatArray:
        return Q[rows, references].astype(np.float64)


SpaceType = TypeVar("SpaceType", bound=Space)


def as_space(space: SpaceType, name: str = "space") -> SpaceType:
    """Return `space` itself if it is a space.

    Parameters
    ----------
    space : Space
    name : str, default "space"
        How the message calls the argument.

    Returns
    -------
    Space

    Raises
    ------
    TypeError
        If it is anything else, for instance a matrix.

    See Also
    --------
    PrecomputedSpace, CallableSpace : The spaces that come with the library.

    Examples
    --------
    >>> from refimpl.spaces import PrecomputedSpace, as_space
    >>> len(as_space(PrecomputedSpace([[0, 1], [1, 0]])))
    2
    """
    if not isinstance(space, Space):
        raise TypeError(
            f"{name} must be PrecomputedSpace(matrix) or CallableSpace(distance, objects); "
            f"got a {type(space).__name__}"
        )
    return space


def as_objects(objects: Any, name: str) -> Objects:
    """Return objects as a list, or the array that they are."""
    if isinstance(objects, str | bytes):
        raise TypeError(
            f"{name} must be a list of objects, such as [{name}] for a single object; "
            "got one string"
        )
    if hasattr(objects, "columns"):
        objects = np.asarray(objects)  # a table's rows; its list would be the columns' names
    if isinstance(objects, np.ndarray) and objects.ndim > 0:
        return objects
    try:
        if isinstance(objects, Mapping | Set):
            raise TypeError  # its list would be the keys, or have no order of its own
        return objects if isinstance(objects, list) else list(objects)
    except TypeError:
        raise TypeError(
            f"{name} must be a list or an array of objects; got a {type(objects).__name__}"
        ) from None


def values_of(
    function: Callable[[Any, Any], Any],
    A: Objects,
    B: Objects,
    name: str,
    *,
    pairwise: bool,
    copy: bool = True,
) -> FloatArray:
    """Return a function of two objects, or of two lists (`pairwise`), for all of A and B."""
    shape = (len(A), len(B))
    if 0 in shape:
        return np.empty(shape)
    if not pairwise:
        numbers = (number_of(function(a, b), name) for a in A for b in B)
        return np.fromiter(numbers, np.float64, len(A) * len(B)).reshape(shape)
    values = as_float_array(function(A, B), f"the return value of {name}")
    if values.shape != shape:
        raise ValueError(
            f"{name} must return shape {shape} for {shape[0]} and {shape[1]} objects with "
            f"pairwise=True; got {values.shape}"
        )
    return values.astype(np.float64, copy=copy)


def number_of(value: Any, name: str) -> float:
    """Return what a function of two objects returned, which must be a number."""
    try:
        if isinstance(value, PARSED):
            raise TypeError
        return as_float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must return a number; got a {type(value).__name__} (a function of two lists "
            "that returns a matrix needs pairwise=True)"
        ) from None


def as_float_array(D: ArrayLike, name: str) -> NDArray[Any]:
    """Return numbers as an array of floats, of the dtype that they have if it is one."""
    array = as_array(D, name, "a matrix")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers; got dtype {array.dtype}")
    return array if array.dtype.kind == "f" else array.astype(np.float64)
