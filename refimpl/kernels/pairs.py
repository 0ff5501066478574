"""Sums over a node's weighted pairs of points, from which the search forest's splits are chosen.

Li et al. (2011), § 3.3. A node's symmetric matrix is given by its upper triangle: pairs (first,
second, v) in ascending order of `first`, with first < second, each pair at most once.

Pairs of points that do not exist, and pairs in another order, raise ValueError.
"""

import numpy as np

from refimpl.arrays import BoolArray, FloatArray, Int32Array, IntArray, UInt8Array, WeightedPairs
from refimpl.kernels.contract import checked

PARTS = 8  # parts of a product at most; more threads than parts are of no use
PART = 2**17  # pairs for which a further part pays


@checked
@np.errstate(over="ignore", invalid="ignore")
def pair_product(
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    u: FloatArray,
    *,
    threads: int | None = None,
) -> FloatArray:
    """Compute V u, where V is the symmetric matrix of the pairs' weights: eq. 18 needs it.

    v_ij = v_ji is the weight of a listed pair; all other entries are 0. The pairs are divided
    into up to 8 parts, whose number does not depend on the threads. Each part is added up in the
    order of its pairs; then the parts are added up in their order.

    Parameters
    ----------
    first, second : ndarray, shape (p,), int32
    v : ndarray, shape (p,), float64
    u : ndarray, shape (n,), float64

    Returns
    -------
    ndarray, shape (n,), float64

    Raises
    ------
    ValueError
        If the pairs are not in the order that the module docstring states.

    See Also
    --------
    best_thresholds : Find splits by one coordinate instead of a hyperplane.

    Examples
    --------
    >>> first, second = np.array([0, 0], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> pair_product(first, second, np.array([1.0, 2.0]), np.array([1.0, 10.0, 100.0])).tolist()
    [210.0, 1.0, 2.0]
    """
    require_order(first, second, len(u))
    return listed_product(first, second, v, u)


def listed_product(
    first: Int32Array, second: Int32Array, v: FloatArray, u: FloatArray
) -> FloatArray:
    """Return :func:`pair_product` of pairs that are known to be in order."""
    n = len(u)
    out = np.zeros(n)
    for a, b in parts_of(len(v)):
        i = first[a:b]
        j = second[a:b]
        w = v[a:b]
        out += np.bincount(i, w * u[j], n) + np.bincount(j, w * u[i], n)  # SF:eq18
    return out


def parts_of(p: int) -> list[tuple[int, int]]:
    """Return where the parts of p pairs begin and end."""
    size = max(PART, -(-p // PARTS))
    return [(a, min(a + size, p)) for a in range(0, p, size)]


def require_few(n: int) -> None:
    """Refuse more points than int32 numbers."""
    if n >= 2**31 - 1:
        raise ValueError(f"there must be fewer than {2**31 - 1} points; got {n}")


def require_points(first: Int32Array, second: Int32Array, n: int) -> None:
    """Refuse pairs of points other than 0, ..., n - 1."""
    require_few(n)
    for name, points in (("first", first), ("second", second)):
        if len(points) and not 0 <= points.min() <= points.max() < n:
            wrong = points[(points < 0) | (points >= n)][0]
            raise ValueError(f"{name} must hold points from 0 to {n - 1}; got {wrong}")


def require_order(first: Int32Array, second: Int32Array, n: int, strict: bool = False) -> None:
    """Refuse pairs without first < second or not ascending by first; if `strict`, then second."""
    require_points(first, second, n)
    fits = first < second
    fits[1:] &= first[:-1] <= first[1:]
    if strict:
        fits[1:] &= (first[:-1] < first[1:]) | (second[:-1] < second[1:])
    if not fits.all():
        p = int(np.argmin(fits))
        both = " and of second" if strict else ""
        raise ValueError(
            f"first, second must hold pairs with first < second in ascending order of first{both}; "
            f"pair {p} is ({first[p]}, {second[p]})"
        )


@checked
@np.errstate(over="ignore", invalid="ignore")
def best_thresholds(
    A: FloatArray,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    base: float,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Find, for each coordinate, the cut that separates pairs of least total weight.

    Eq. 17 of Li et al. (2011): the sum loses the weight of each pair that the cut separates. Every
    pair of points weighs `base`; a listed pair weighs v more.

    Parameters
    ----------
    A : ndarray, shape (n, f), float64
        Coordinates of the points.
    first, second : ndarray, shape (p,), int32
        Pairs of points, each at most once.
    v : ndarray, shape (p,), float64
        Weights on the same grid as `base`, so that all sums are exact. The contract does not check
        this.
    base : float

    Returns
    -------
    crossing : ndarray, shape (f,), float64
        The weight that the cut separates; infinite if all values of the coordinate are equal.
    threshold : ndarray, shape (f,), float64
        The cut, midway between two values: points with larger values are on one side. Of equally
        good cuts the lowest.

    Raises
    ------
    ValueError
        If a pair holds a number that is no point.

    See Also
    --------
    split_pairs : List the pairs of each side.

    Examples
    --------
    Points 0 and 1 should stay together, point 2 should not be with them:

    >>> first, second = np.array([0, 0], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> A = np.array([[0.0], [1.0], [5.0]])
    >>> crossing, threshold = best_thresholds(A, first, second, np.array([1.0, -1.0]), 0.0)
    >>> crossing.tolist(), threshold.tolist()
    ([-1.0], [3.0])
    """
    n, f = A.shape
    require_points(first, second, n)
    crossing = np.full(f, np.inf)
    threshold = np.zeros(f)
    below = np.arange(1.0, n)
    for t in range(f):
        order = np.argsort(A[:, t], kind="stable")
        rank = np.empty(n, dtype=np.int64)
        rank[order] = np.arange(n)
        low = np.minimum(rank[first], rank[second])
        high = np.maximum(rank[first], rank[second])
        weights = np.cumsum(np.bincount(low, v, n) - np.bincount(high, v, n))[:-1] + base * (
            below * (n - below)
        )
        a = A[order, t]
        cuts = np.flatnonzero(a[:-1] < a[1:])
        if len(cuts):
            k = cuts[weights[cuts].argmin()]  # SF:eq17
            crossing[t] = weights[k]
            threshold[t] = midway(a[k], a[k + 1])
    return crossing, threshold


def midway(low: float, high: float) -> float:
    """Return a threshold t with low <= t < high."""
    t = 0.5 * low + 0.5 * high
    return t if low <= t < high else low


@checked
def split_pairs(
    left: BoolArray,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    *,
    threads: int | None = None,
) -> tuple[WeightedPairs, WeightedPairs]:
    """List the pairs within each part of a node, without the pairs between the parts.

    Algorithm 2, line 6 of Li et al. (2011).

    Parameters
    ----------
    left : ndarray, shape (n,), bool
        True for the points of the left part. The points of each part are numbered anew from 0, in
        the same order.
    first, second : ndarray, shape (p,), int32
    v : ndarray, shape (p,), float64

    Returns
    -------
    tuple of (first, second, v)
        The pairs of the left part, then those of the right part.

    Raises
    ------
    ValueError
        If a pair holds a number that is no point.

    See Also
    --------
    best_thresholds : Find where to split.

    Examples
    --------
    >>> first, second = np.array([0, 0, 2], dtype=np.int32), np.array([1, 2, 3], dtype=np.int32)
    >>> left = np.array([True, True, False, False])
    >>> for part in split_pairs(left, first, second, np.array([1.0, 2.0, 3.0])):
    ...     print(*(field.tolist() for field in part))
    [0] [1] [1.0]
    [0] [1] [3.0]
    """
    require_points(first, second, len(left))
    place: Int32Array = np.where(left, np.cumsum(left), np.cumsum(~left)).astype(
        np.int32
    ) - np.int32(1)
    a, b = left[first], left[second]

    def within(kept: BoolArray) -> WeightedPairs:
        return place[first[kept]], place[second[kept]], v[kept]

    return within(a & b), within(~a & ~b)  # SF:2:6


@checked
@np.errstate(over="ignore", invalid="ignore")
def meet_pairs(
    leaf: IntArray,
    first: Int32Array,
    second: Int32Array,
    similar: UInt8Array,
    T: FloatArray,
    c: float,
    *,
    threads: int | None = None,
) -> tuple[Int32Array, Int32Array, UInt8Array, FloatArray]:
    """List the pairs after a tree of weight c: T(x_i, x_j) <- T(x_i, x_j) + c t(x_i, x_j).

    Algorithm 1, line 3 of Li et al. (2011). Two points *meet* in a tree if they share a leaf. The
    list has the similar pairs and the pairs that have met.

    Parameters
    ----------
    leaf : ndarray, shape (n,), int64
        The number of the leaf of each point: t(x_i, x_j) = 1 if the two numbers are equal.
    first, second : ndarray, shape (p,), int32
        Points of the listed pairs, first < second, in ascending order of `first`, then of `second`.
        All other pairs have s = 0 and T = 0.
    similar : ndarray, shape (p,), uint8
    T : ndarray, shape (p,), float64
    c : float

    Returns
    -------
    tuple of (first, second, similar, T)
        The list with the pairs that share a leaf for the first time added, in the same order. The
        added pairs are not similar.

    Raises
    ------
    ValueError
        If the pairs are not in their order.

    See Also
    --------
    refimpl.search_forest.search_forest : The training that lists pairs so.

    Examples
    --------
    Points 0 and 2 meet for the first time:

    >>> listed = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
    >>> similar = np.array([1], dtype=np.uint8)
    >>> for field in meet_pairs(np.array([7, 8, 7]), *listed, similar, np.array([0.5]), 0.25):
    ...     print(field.tolist())
    [0, 0]
    [1, 2]
    [1, 0]
    [0.5, 0.25]
    """
    require_order(first, second, len(leaf), strict=True)
    n = len(leaf)
    T = T.copy()
    met = _pairs_within(leaf)
    listed = first * np.int64(n) + second
    place = np.searchsorted(listed, met)
    in_list = np.append(listed, -1)[place] == met
    T[place[in_list]] += c  # SF:1:3
    met = met[~in_list]
    order = np.argsort(np.concatenate([listed, met]), kind="stable")
    new = np.divmod(met, n)
    return (
        np.concatenate([first, new[0].astype(np.int32)])[order],
        np.concatenate([second, new[1].astype(np.int32)])[order],
        np.concatenate([similar, np.zeros(len(met), dtype=np.uint8)])[order],
        np.concatenate([T, np.full(len(met), c)])[order],
    )


def _pairs_within(leaf: IntArray) -> IntArray:
    """Return all pairs i < j of points with the same leaf as i n + j, ascending: int64."""
    order = np.argsort(leaf, kind="stable")
    sizes = np.unique(leaf, return_counts=True)[1]
    starts = np.cumsum(sizes) - sizes
    n = len(leaf)
    pairs = [np.empty(0, dtype=np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        members = order[starts[sizes == size][:, np.newaxis] + np.arange(size)]
        i, j = np.triu_indices(size, k=1)
        pairs.append((members[:, i] * n + members[:, j]).ravel())
    return np.sort(np.concatenate(pairs))
