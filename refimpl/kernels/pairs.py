"""Sums over a node's weighted pairs of points, from which the search forest's splits are chosen.

Li et al. (2011), § 3.3. A node's symmetric matrix is given by its upper triangle: pairs (first, second, v) in ascending
order of `first`, with first < second, each pair at most once.

Arguments that :data:`refimpl.kernels.contract.CONTRACT` does not allow raise TypeError or ValueError, and so do pairs
of points that there are not, or in another order.

Not handled here: the pairs' weights (``search_forest/pairs.py``), the choice of splits.
"""

import numpy as np

from refimpl.kernels.contract import checked

PARTS = 8  # that a product's pairs are added up in, so no more threads serve it
PART = 2**17  # pairs that are worth a part


@checked
@np.errstate(over="ignore", invalid="ignore")
def pair_product(first, second, v, u, *, threads=None):
    """V u, V being the symmetric matrix with v_ij = v_ji for the pairs and 0 elsewhere: eq. 18 needs it.

    The pairs come in up to 8 parts, however many threads there are; each is added up in the order of its pairs, and
    the parts one after the other.

    Parameters
    ----------
    first, second : ndarray, shape (p,), int32
    v : ndarray, shape (p,), float64
    u : ndarray, shape (n,), float64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (n,), float64
    """
    require_order(first, second, len(u))
    n, out = len(u), np.zeros(len(u))
    for a, b in parts_of(len(v)):
        i, j, w = first[a:b], second[a:b], v[a:b]
        out += np.bincount(i, w * u[j], n) + np.bincount(j, w * u[i], n)  # SF:eq18
    return out


def parts_of(p):
    """Beginnings and ends of the parts of p pairs."""
    size = max(PART, -(-p // PARTS))
    return [(a, min(a + size, p)) for a in range(0, p, size)]


def require_few(n):
    """Refuse more points than int32 numbers."""
    if n >= 2**31 - 1:
        raise ValueError(f"there must be fewer than {2**31 - 1} points; got {n}")


def require_points(first, second, n):
    """Refuse pairs of points other than 0, ..., n - 1."""
    require_few(n)
    for name, points in (("first", first), ("second", second)):
        if len(points) and not 0 <= points.min() <= points.max() < n:
            wrong = points[(points < 0) | (points >= n)][0]
            raise ValueError(f"{name} must hold points from 0 to {n - 1}; got {wrong}")


def require_order(first, second, n, strict=False):
    """Refuse pairs of other points, or without first < second, or not in ascending order of `first`.

    With `strict`, those with the same `first` must be in ascending order of `second`, too.
    """
    require_points(first, second, n)
    fits = first < second
    fits[1:] &= first[:-1] <= first[1:]
    if strict:
        fits[1:] &= (first[:-1] < first[1:]) | (second[:-1] < second[1:])
    if not fits.all():
        p = int(np.argmin(fits))
        both = " and of second" if strict else ""
        raise ValueError(f"first, second must hold pairs with first < second in ascending order of first{both}; "
                         f"pair {p} is ({first[p]}, {second[p]})")  # fmt: skip


@checked
@np.errstate(over="ignore", invalid="ignore")
def best_thresholds(A, first, second, v, base, *, threads=None):
    """For each of several coordinates the cut between points that separates the pairs of least total weight.

    Separating a pair takes its weight off eq. 17. Every pair of points weighs `base`, those listed v more.

    Parameters
    ----------
    A : ndarray, shape (n, f), float64
        Coordinates of the points.
    first, second : ndarray, shape (p,), int32
        Pairs of points, each at most once.
    v : ndarray, shape (p,), float64
        On a grid, as is `base`, so that all sums are exact: the contract does not check that.
    base : float
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    crossing : ndarray, shape (f,), float64
        The weight separated; infinite if all values of the coordinate are equal.
    threshold : ndarray, shape (f,), float64
        Points with larger values stand on one side. The lowest of several; midway between two values.
    """
    n, f = A.shape
    require_points(first, second, n)
    crossing, threshold = np.full(f, np.inf), np.zeros(f)
    below = np.arange(1.0, n)
    for t in range(f):
        order = np.argsort(A[:, t], kind="stable")
        rank = np.empty(n, dtype=np.int64)
        rank[order] = np.arange(n)
        low, high = np.minimum(rank[first], rank[second]), np.maximum(rank[first], rank[second])
        weights = np.cumsum(np.bincount(low, v, n) - np.bincount(high, v, n))[:-1] + base * (below * (n - below))
        a = A[order, t]
        cuts = np.flatnonzero(a[:-1] < a[1:])
        if len(cuts):
            k = cuts[weights[cuts].argmin()]  # SF:eq17
            crossing[t], threshold[t] = weights[k], midway(a[k], a[k + 1])
    return crossing, threshold


def midway(low, high):
    """A threshold t with low <= t < high."""
    t = 0.5 * low + 0.5 * high
    return t if low <= t < high else low


@checked
def split_pairs(left, first, second, v, *, threads=None):
    """The pairs within either part of a node; those between them go.

    Parameters
    ----------
    left : ndarray, shape (n,), bool
        Which points form the left part; both are numbered anew from 0, in the same order.
    first, second : ndarray, shape (p,), int32
    v : ndarray, shape (p,), float64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    tuple of (first, second, v)
        Of the left part and of the right one.
    """
    require_points(first, second, len(left))
    place = np.where(left, np.cumsum(left), np.cumsum(~left)).astype(np.int32) - np.int32(1)
    a, b = left[first], left[second]
    return tuple((place[first[kept]], place[second[kept]], v[kept]) for kept in (a & b, ~a & ~b))  # SF:2:6


@checked
@np.errstate(over="ignore", invalid="ignore")
def meet_pairs(leaf, first, second, similar, T, c, *, threads=None):
    """The listed pairs after a tree of weight c: T(x_i, x_j) <- T(x_i, x_j) + c t(x_i, x_j), Algorithm 1 line 3.

    Parameters
    ----------
    leaf : ndarray, shape (n,), int64
        The leaf of each point, any number: t(x_i, x_j) = 1 if two are the same.
    first, second : ndarray, shape (p,), int32
        In ascending order of both, first < second. All other pairs have s = 0 and T = 0.
    similar : ndarray, shape (p,), uint8
    T : ndarray, shape (p,), float64
    c : float
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    tuple of (first, second, similar, T)
        With the pairs that share a leaf for the first time, which are not similar, in the same order.
    """
    require_order(first, second, len(leaf), strict=True)
    n, T = len(leaf), T.copy()
    met, listed = _pairs_within(leaf), first * np.int64(n) + second
    place = np.searchsorted(listed, met)
    known = np.append(listed, -1)[place] == met
    T[place[known]] += c  # SF:1:3
    met = met[~known]
    order = np.argsort(np.concatenate([listed, met]), kind="stable")
    new = np.divmod(met, n)
    return (
        np.concatenate([first, new[0].astype(np.int32)])[order],
        np.concatenate([second, new[1].astype(np.int32)])[order],
        np.concatenate([similar, np.zeros(len(met), dtype=np.uint8)])[order],
        np.concatenate([T, np.full(len(met), c)])[order],
    )


def _pairs_within(leaf):
    """All pairs i < j of points with the same leaf as i n + j, ascending: ndarray of int64."""
    order = np.argsort(leaf, kind="stable")
    sizes = np.unique(leaf, return_counts=True)[1]
    starts, n, found = np.cumsum(sizes) - sizes, len(leaf), [np.empty(0, dtype=np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        members = order[starts[sizes == size][:, np.newaxis] + np.arange(size)]
        i, j = np.triu_indices(size, k=1)
        found.append((members[:, i] * n + members[:, j]).ravel())
    return np.sort(np.concatenate(found))
