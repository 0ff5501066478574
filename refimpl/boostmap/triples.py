"""Triples (q, a, b) to train on: BoostMap of Athitsos, Alon, Sclaroff & Kollios (2005), §§ 3.2 and
10.

A *triple* (q, a, b) asks which of two objects a and b is nearer to q. Its *proximity order* is the
answer: 1 if a is nearer, -1 if b is nearer. A triple with two equal distances has no proximity
order; the functions here draw another triple in its place.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from refimpl.arrays import as_array, as_matrix, for_kernel
from refimpl.boostmap import algorithm
from refimpl.boostmap.algorithm import distinct_pairs, proximity_order
from refimpl.checks import as_count, as_generator, as_indices, as_labels
from refimpl.resources import check_free_memory
from refimpl.results import immutable
from refimpl.typing import ArrayLike, FloatArray, Int32Array, IntArray, Labels

# limits of distances above 0, so that their squares and quotients stay far within float64
NEAREST, FARTHEST = 1e-100, 1e100


@dataclass(frozen=True, eq=False, repr=False)
class CandidateDistances:
    """Distances from the objects of the triples to the candidates, and among these: § 7.1.

    Parameters
    ----------
    D : array_like, shape (n_C, n), float64
        D[c, x] = D_X(x, c), from object x of the triples to candidate c.
    between : array_like, shape (n_C, n_C), float64
        Distances among the candidates: between[c, x] = D_X(x, c) for two candidates.
    candidates : array_like of int, shape (n_C,), optional
        Indices of the candidates in the database, each once. 0, ..., n_C - 1 by default.

    Attributes
    ----------
    D, between : ndarray, float64, C-contiguous
        The arguments themselves, not copies, where they have this form already.
    candidates : ndarray of int64, or None

    Raises
    ------
    TypeError
        If the distances are no real numbers, or the candidates no integers.
    ValueError
        If shapes do not fit together, a distance is negative, NaN or infinite, a distance above 0
        is below 1e-100 or above 1e100, or a candidate occurs twice.

    See Also
    --------
    refimpl.boostmap.Triples : The triples of objects to train on.
    refimpl.boostmap.boostmap : The training.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import CandidateDistances
    >>> X = np.array([0.0, 1.0, 5.0, 6.0])
    >>> D = np.abs(X[:, np.newaxis] - X)
    >>> CandidateDistances(D[:3], D[:3, :3])
    CandidateDistances(3 candidates, 4 objects)
    """

    D: FloatArray
    between: FloatArray
    candidates: IntArray | None

    def __init__(
        self, D: ArrayLike, between: ArrayLike, candidates: ArrayLike | None = None
    ) -> None:
        to_candidates: FloatArray = as_matrix(D, "D")
        among: FloatArray = as_matrix(between, "between")
        n_C = len(to_candidates)
        if among.shape != (n_C, n_C):
            raise ValueError(
                f"between must have shape {(n_C, n_C)}, as D has {n_C} rows; got {among.shape}"
            )
        require_distances(to_candidates, "D")
        require_distances(among, "between")
        object.__setattr__(self, "D", to_candidates)
        object.__setattr__(self, "between", among)
        object.__setattr__(self, "candidates", _as_candidates(candidates, n_C))

    def __repr__(self) -> str:
        n_C, n = self.D.shape
        return f"CandidateDistances({n_C} candidates, {n} objects)"


def _as_candidates(candidates: ArrayLike | None, n_C: int) -> IntArray | None:
    if candidates is None:
        return None
    places: IntArray = as_indices(candidates, np.iinfo(np.int64).max, "candidates")
    if len(places) != n_C:
        raise ValueError(
            f"candidates must have {n_C} entries, one for each row of D; got {len(places)}"
        )
    distinct, counts = np.unique(places, return_counts=True)
    if len(distinct) < n_C:
        twice = distinct[counts.argmax()]
        raise ValueError(f"candidates must be different objects; got {twice} more than once")
    return places


def require_distances(D: FloatArray, name: str) -> None:
    """Refuse negative distances, and those whose squares or quotients may leave float64's range."""
    least = D.min()
    if least < 0:
        raise ValueError(f"{name} must hold distances of at least 0; got {least:.3g}")
    nearest = np.min(D, where=D > 0, initial=np.inf)
    farthest = D.max()
    if nearest < NEAREST or farthest > FARTHEST:
        raise ValueError(
            f"{name}: distances above 0 must lie between {NEAREST:.0e} and {FARTHEST:.0e}; got "
            f"{nearest:.3g} to {farthest:.3g} (another unit only scales the model)"
        )


DRAWN = 200  # bytes for each triple while they are drawn
IN_VAIN = 10_000  # draws without any proximity order before the search is given up


@immutable
@dataclass(frozen=True, eq=False, repr=False)
class Triples:
    """Triples of objects with their proximity orders: § 7.1, eq. 1.

    Parameters
    ----------
    objects : array_like, shape (t, 3), int
        q, a and b of each triple, as indices of the objects of the distances. t is at least 1.
    y : array_like, shape (t,)
        Proximity orders: 1 where a is nearer to q than b is, -1 where b is nearer.

    Attributes
    ----------
    objects : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64

    Raises
    ------
    ValueError
        If `objects` does not hold integers of at least 0 in this shape, or `y` holds anything but 1
        and -1.

    See Also
    --------
    random_triples, nearby_triples, selective_triples : Draw triples.
    CandidateDistances : The distances that go with the triples.

    Examples
    --------
    >>> from refimpl.boostmap import Triples
    >>> triples = Triples([[0, 1, 2], [1, 2, 0]], [1, -1])
    >>> triples
    Triples(2 triples)
    >>> triples.objects[:, 0].tolist()
    [0, 1]
    """

    objects: Int32Array
    y: FloatArray

    def __init__(self, objects: ArrayLike, y: ArrayLike) -> None:
        places = as_array(objects, "objects", "triples")
        if places.ndim != 2 or places.shape[1] != 3 or len(places) == 0:
            raise ValueError(f"objects must have shape (t, 3) with t >= 1; got {places.shape}")
        if places.dtype.kind not in "iu":
            raise ValueError(f"objects must hold integers; got {places.dtype}")
        if places.min() < 0 or places.max() > np.iinfo(np.int32).max:
            raise ValueError(
                f"objects must hold indices of at least 0; got {places.min()} to {places.max()}"
            )
        orders = as_array(y, "y", "proximity orders")
        if orders.dtype.kind not in "biufO":
            raise TypeError(f"y must hold 1 and -1; got dtype {orders.dtype}")
        if orders.shape != (len(places),) or not np.isin(orders, (-1, 1)).all():
            raise ValueError(
                f"y must hold 1 or -1 for each of {len(places)} triples; got other "
                "values or another shape (leave out triples with equal distances)"
            )
        object.__setattr__(self, "objects", for_kernel(places, np.int32))
        object.__setattr__(self, "y", for_kernel(orders))

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        return f"Triples({len(self)} triples)"


def random_triples(D: ArrayLike, t: int, *, rng: np.random.Generator) -> Triples:
    """Draw t triples of three different objects uniformly: "Ra" of § 11.

    Parameters
    ----------
    D : array_like, shape (n, n)
        D[q, x] = D_X(q, x), or another distance that orders the triples.
    t : int
        Number of triples.
    rng : numpy.random.Generator

    Returns
    -------
    Triples

    Raises
    ------
    TypeError
        If `rng` is no generator, or an argument does not hold numbers.
    ValueError
        If D is not square, has fewer than three objects, or orders no triple.
    MemoryError
        If the triples would not fit into the memory that is free.

    See Also
    --------
    nearby_triples, selective_triples : Draw triples of near objects.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import random_triples
    >>> X = np.array([0.0, 1.0, 5.0, 7.0])
    >>> triples = random_triples(np.abs(X[:, np.newaxis] - X), 100, rng=np.random.default_rng(0))
    >>> len(triples)
    100
    """
    D = _as_distances(D, "D")
    t = as_count(t, "t")
    rng = as_generator(rng)
    return _draw(t, lambda count: algorithm.random_triples(len(D), count, rng), D)


def nearby_triples(
    D: ArrayLike,
    k_most: int,
    t: int,
    *,
    rng: np.random.Generator,
    order_by: ArrayLike | None = None,
) -> Triples:
    """Draw t triples with a and b among the `k_most` nearest neighbors of q: § 10 without classes.

    Parameters
    ----------
    D : array_like, shape (n, n)
        D[q, x] = D_X(q, x), by which the near objects are found.
    k_most : int
        Nearest neighbors to draw from (k' in § 10), at least 2 and less than n.
    t : int
        Number of triples.
    rng : numpy.random.Generator
    order_by : array_like, shape (n, n), optional
        Distance that orders the triples: D by default ("Fe" of § 11), Phi_X of § 9.1 for "Pa".

    Returns
    -------
    Triples

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`random_triples` does, and if shapes do not fit or `k_most` is out of range.

    See Also
    --------
    selective_triples : Draw triples with the help of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import nearby_triples
    >>> X = np.array([0.0, 1.0, 5.0, 7.0, 70.0])
    >>> D = np.abs(X[:, np.newaxis] - X)
    >>> triples = nearby_triples(D, 2, 100, rng=np.random.default_rng(0))
    >>> 4 in triples.objects[:, 1:]  # the farthest object is near to none
    False
    """
    D = _as_distances(D, "D")
    t = as_count(t, "t")
    n = len(D)
    k_most = as_count(k_most, "k_most", 2, most=n - 1, why=f"as D has {n} objects")
    rng = as_generator(rng)
    ordering = _ordering(order_by, D)
    check_free_memory(4 * n * n, "the list of all nearest objects", "objects")
    nearest = neighbors(D, np.zeros(n), same=True)

    def draw(count: int) -> IntArray:
        q = rng.integers(n, size=count)
        pairs = distinct_pairs(k_most, count, rng)
        return np.column_stack([q, nearest[q, pairs[:, 0]], nearest[q, pairs[:, 1]]])

    return _draw(t, draw, ordering)


def selective_triples(
    D: ArrayLike,
    y: ArrayLike,
    k_most: int,
    t: int,
    *,
    rng: np.random.Generator,
    order_by: ArrayLike | None = None,
) -> Triples:
    """Draw t triples of q, a near object of q's class and a near one of another class: § 10, p. 16.

    Parameters
    ----------
    D, t, rng, order_by
        As for :func:`nearby_triples`.
    y : array_like, shape (n,)
        Classes of the objects; at least two classes with at least two objects each.
    k_most : int
        Largest rank of a among the objects of q's class (k' in § 10).

    Returns
    -------
    Triples

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`random_triples` does, and if shapes do not fit, `k_most` is out of range, a class
        has a single object, or no triple has a proximity order.

    See Also
    --------
    nearby_triples : Draw triples without classes.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import selective_triples
    >>> X, y = np.array([0.0, 1.0, 5.0, 7.0]), np.array([0, 0, 1, 1])
    >>> D = np.abs(X[:, np.newaxis] - X)
    >>> triples = selective_triples(D, y, 1, 100, rng=np.random.default_rng(0))
    >>> q, a, b = triples.objects.T
    >>> bool((y[q] == y[a]).all() and (y[q] != y[b]).all())
    True
    """
    D = _as_distances(D, "D")
    t = as_count(t, "t")
    k_most = as_count(k_most, "k_most", most=len(D) - 1, why=f"as D has {len(D)} objects")
    rng = as_generator(rng)
    ordering = _ordering(order_by, D)
    y = as_labels(y, len(D), "y", min_classes=2)
    classes, members = np.unique(y, return_inverse=True)
    sizes = np.bincount(members)[members]
    if sizes.min() < 2:
        raise ValueError(
            "y must have at least two objects of each class, as a triple needs two of q's class; "
            f"got a single object of class {y[[sizes.argmin()]].tolist()[0]!r}"
        )
    check_free_memory(8 * D.size, "the list of all nearest objects", "objects")
    alike = neighbors(D, members, same=True)
    others = neighbors(D, members, same=False)

    def draw(count: int) -> IntArray:
        return algorithm.selective_triples(alike, others, len(classes), k_most, count, rng)

    return _draw(t, draw, ordering)


def _draw(t: int, draw: Callable[[int], IntArray], D: FloatArray) -> Triples:
    """Draw until t triples have a proximity order under D."""
    check_free_memory(DRAWN * t, "the list of triples", "triples")
    triples = np.empty((0, 3), dtype=np.int64)
    in_vain = 0
    while len(triples) < t:
        new = draw(2 * (t - len(triples)))
        in_vain += len(new)
        new = new[D[new[:, 0], new[:, 1]] != D[new[:, 0], new[:, 2]]]
        # the last missing triples are drawn in small batches, in which all may be ties
        if len(new):
            in_vain = 0
        if in_vain > IN_VAIN:
            raise ValueError(
                "D must order some triples; got no two different distances in any of "
                f"{in_vain} triples drawn"
            )
        triples = np.concatenate([triples, new])[:t]
    q, a, b = triples.T
    return Triples(triples, proximity_order(D[q, a], D[q, b]))


def _ordering(order_by: ArrayLike | None, D: FloatArray) -> FloatArray:
    """Return the checked distance that orders triples, by default D itself."""
    if order_by is None:
        return D
    ordering = _as_distances(order_by, "order_by")
    if ordering.shape != D.shape:
        raise ValueError(f"order_by must have the shape of D, {D.shape}; got {ordering.shape}")
    return ordering


def _as_distances(D: ArrayLike, name: str) -> FloatArray:
    distances: FloatArray = as_matrix(D, name)
    if len(distances) != distances.shape[1] or len(distances) < 3:
        raise ValueError(
            f"{name} must have shape (n, n) with n >= 3, the distances between n objects; got "
            f"{distances.shape}"
        )
    return distances


def neighbors(D: FloatArray, labels: Labels, same: bool) -> Int32Array:
    """Return the other objects of each object's class, or of others, nearest first, then -1."""
    order = np.full(D.shape, -1, dtype=np.int32)
    for q in range(len(D)):
        near = np.argsort(D[q], kind="stable")
        near = near[((labels[near] == labels[q]) == same) & (near != q)]
        order[q, : len(near)] = near
    return order
