"""Nearest neighbours and impostors with ball trees: Weinberger & Saul (2008), § 4. The trees themselves are kernels.

A Mahalanobis distance with M = L^T L is the Euclidean distance after x -> L x, so every search first maps its points.
All distances are squared, as in the paper's constraints.

The trees lose their use as the dimension grows (§ 4.3) or queries are few: :func:`nearest_neighbors` can also scan or
take matrix products, and chooses by itself. Whichever way, the answer is the same to the last bit.

Not handled here: other distances, several metrics at once.
"""

from dataclasses import dataclass

import numpy as np

from refimpl import kernels as reference
from refimpl.checks import as_count, as_indices, as_kernels, as_labels, as_matrix, as_vectors_like, one_of
from refimpl.results import from_new_arrays, result

__all__ = ["Impostors", "Neighbors", "as_tree", "class_trees", "impostors", "nearest_neighbors", "neighbors_in"]

LARGEST = 1e140  # the squares of larger values, summed, would leave float64
LEAF_SIZE = 128
PROBES = 32  # queries that tell how well the tree does
SCANNED = 1 << 22  # numbers that stay in cache when each query reads them all: 16 MB of float32
BLOCK = 1 << 22  # numbers held for one block of queries
PAIRS = 1 << 20  # coordinates held for one block of exact distances
GROUP = 256  # points of which at first only the nearest counts


@result
@dataclass(frozen=True, eq=False)
class Neighbors:
    """What :func:`nearest_neighbors` finds.

    Attributes
    ----------
    squares : ndarray, shape (m, k), float64
        Squared distances, ascending.
    indices : ndarray, shape (m, k), int64
        Places in X; of equal distances the lowest index comes first.
    computed : ndarray, shape (m,), int64
        The points that each query was compared with.
    method : {"tree", "scan", "brute"}
        How they were found.
    """

    squares: np.ndarray
    indices: np.ndarray
    computed: np.ndarray
    method: str

    def __post_init__(self):
        object.__setattr__(self, "method", str(self.method))  # a file gives it back as an array

    @property
    def distances(self):
        """The distances, not squared."""
        return np.sqrt(self.squares)


@result
@dataclass(frozen=True, eq=False)
class Impostors:
    """What :func:`impostors` finds: those of x_i are ``indices[starts[i]:starts[i + 1]]``.

    Attributes
    ----------
    starts : ndarray, shape (n + 1,), int64
    indices : ndarray, int64
        Ascending for each i.
    squares : ndarray, float64
        Squared distances from x_i.
    computed : ndarray, shape (n,), int64
        The points that x_i was compared with.
    """

    starts: np.ndarray
    indices: np.ndarray
    squares: np.ndarray
    computed: np.ndarray


# ------------------------------------------------------------------------------------------------ § 4.1


def as_tree(X, *, L=None, leaf_size=LEAF_SIZE, direction="axis", kernels=None, threads=None):
    """A ball tree over the points L x: § 4.1 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
    L : array_like, shape (r, d), optional
        A factor of the metric, M = L^T L; without it M is the identity.
    leaf_size : int, default 128
        At least 2.
    direction : {"axis", "principal"}
        What the points of a node are projected on before they are split at the median: the axis of largest variance,
        or the direction of largest variance. The first builds faster and suits the bound "box"; the second suits eq. 7.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    refimpl.kernels.BallTree
    """
    kernels, X = as_kernels(kernels), _in_range(as_matrix(X, "X"), "X")
    leaf_size = as_count(leaf_size, "leaf_size", minimum=2)
    one_of(direction, ("axis", "principal"), "direction")
    return kernels.build_tree(mapped_by(L, X)[0], leaf_size=leaf_size, direction=direction, threads=threads)


def nearest_neighbors(X, queries, k, L=None, *, method="auto", bound="box", skip=None, kernels=None, threads=None):
    """The k nearest neighbours of each query under the metric M = L^T L.

    § 4 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
    queries : array_like, shape (m, d), or None
        None stands for the points of X, none of which is then its own neighbour (leave-one-out); its duplicates can be.
    k : int
        At most n, or the number of points that a query may have for neighbours.
    L : array_like, shape (r, d), optional
        A factor of the metric; without it M is the identity. Equal vectors are mapped to equal ones.
    method : {"auto", "tree", "scan", "brute"}
        "tree" builds a ball tree, "scan" one that is a single leaf. "brute" compares by matrix products in float32, and
        computes anew in float64 what by a bound of the rounding errors could be among the k nearest. "auto" takes the
        one that should be fastest.
    bound : {"box", "ball"}
        What rules out a part of the tree: the box around its points, or eq. 7.
    skip : array_like of int, shape (m,), optional
        The place in X of a point that is no neighbour of the query; -1 for none. Not with ``queries=None``.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`. The reference's searches are for reading: with it "auto" is "brute".
    threads : int, optional
        For "tree" and "scan"; matrix products take as many as NumPy's BLAS is told to.

    Returns
    -------
    Neighbors
        No field but `computed` and `method` depends on the method, the bound, the kernels or the threads.

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, shapes do not fit, or k is too large.
    """
    kernels, k = as_kernels(kernels), as_count(k, "k")
    one_of(method, ("auto", "tree", "scan", "brute"), "method")
    one_of(bound, ("box", "ball"), "bound")
    X = _in_range(as_matrix(X, "X"), "X")
    if queries is None:
        if skip is not None:
            raise ValueError("skip: with queries=None every point skips itself; pass the queries, or leave skip out")
        skip = np.arange(len(X))
        (X,) = mapped_by(L, X)
        Q = X
    else:
        Q = _in_range(as_vectors_like(queries, X, "queries"), "queries")
        skip = None if skip is None else _as_skip(skip, len(X), len(Q))
        X, Q = mapped_by(L, X, Q)
    _require_enough(k, len(X), skip)
    tree = None
    if method == "tree" or (method == "auto" and kernels is not reference and _worth_building(*X.shape, len(Q))):
        direction = "axis" if bound == "box" else "principal"
        tree = kernels.build_tree(X, leaf_size=LEAF_SIZE, direction=direction, threads=threads)
    if method == "auto":
        if tree is not None and _prunes(tree, Q, k, bound, kernels, threads):
            method = "tree"
        else:
            method = "brute" if kernels is reference or X.size > SCANNED else "scan"
    if method == "brute":
        return from_new_arrays(Neighbors, *_by_products(X, Q, k, skip), np.full(len(Q), len(X)), "brute")
    if method == "scan":
        tree = kernels.build_tree(X, leaf_size=max(2, len(X)), threads=threads)
    found = kernels.tree_nearest(tree, Q, k, skip=skip, bound=bound, threads=threads)
    return from_new_arrays(Neighbors, *found, method)


def _prunes(tree, Q, k, bound, kernels, threads):
    """Whether the tree spares enough distances; a few of the queries tell."""
    probe = np.ascontiguousarray(Q[:: max(1, len(Q) // PROBES)])
    computed = kernels.tree_nearest(tree, probe, k, bound=bound, threads=threads)[2].mean()
    n, d = tree.points.shape
    return computed * _tree_cost(d) < n * _pair_cost(n, d)


# Nanoseconds for a query and a point, or to prepare one point, on one core of an AMD EPYC. Their ratios matter.


def _pair_cost(n, d):
    return 0.3 + 0.022 * d if n * d <= SCANNED else 1.1 + 0.022 * d


def _tree_cost(d):
    return 1.2 + 0.03 * d


def _worth_building(n, d, m):
    """Whether a tree that saves half of the search for m queries would have earned its building by then."""
    build = (16 + 2.5 * d) * np.log2(max(n / LEAF_SIZE, 2.0))
    prepare = 25 + (2.5 if n * d <= SCANNED else 4.5) * d
    return build < prepare + 0.5 * m * _pair_cost(n, d)


def neighbors_in(tree, queries, k, L=None, *, bound="box", skip=None, kernels=None, threads=None):
    """The k nearest neighbours of each query in a tree that has been built: for queries that come a few at a time.

    § 4.1 of Weinberger & Saul (2008).

    Parameters
    ----------
    tree : refimpl.kernels.BallTree
        From :func:`as_tree`, by either kernels.
    queries : array_like, shape (m, d)
    k : int
    L : array_like, shape (r, d), optional
        What the tree was built with. It maps the queries by a matrix product of their own, so a query that equals a
        point can end a rounding error away from it.
    bound, skip, kernels, threads
        As for :func:`nearest_neighbors`.

    Returns
    -------
    Neighbors

    Raises
    ------
    TypeError, ValueError
        As for :func:`nearest_neighbors`, and if `tree` is none, or has other dimensions than the mapped queries.
    """
    kernels, k = as_kernels(kernels), as_count(k, "k")
    if not isinstance(tree, reference.BallTree):
        raise TypeError(f"tree is a {type(tree).__name__}; pass a tree from refimpl.ball_trees.as_tree")
    one_of(bound, ("box", "ball"), "bound")
    Q = _in_range(as_matrix(queries, "queries"), "queries")
    (Q,) = mapped_by(L, Q)
    if Q.shape[1] != tree.points.shape[1]:
        mapped = "queries has" if L is None else "queries, mapped by L, has"
        raise ValueError(f"{mapped} {Q.shape[1]} columns; the points of the tree have {tree.points.shape[1]}")
    skip = None if skip is None else _as_skip(skip, len(tree.order), len(Q))
    _require_enough(k, len(tree.order), skip)
    found = kernels.tree_nearest(tree, Q, k, skip=skip, bound=bound, threads=threads)
    return from_new_arrays(Neighbors, *found, "tree")


# ------------------------------------------------------------------------------------------------ § 4.2


def class_trees(X, y, *, L=None, leaf_size=LEAF_SIZE, kernels=None, threads=None):
    """One ball tree for the points of each class: § 4.2 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
        Labels.
    L, leaf_size, kernels, threads
        As for :func:`as_tree`.

    Returns
    -------
    dict of label -> (BallTree, ndarray of int64)
        The tree and the places in X of its points 0, 1, ...
    """
    kernels, X = as_kernels(kernels), _in_range(as_matrix(X, "X"), "X")
    y, leaf_size = as_labels(y, len(X), "y"), as_count(leaf_size, "leaf_size", minimum=2)
    (Z,) = mapped_by(L, X)
    members = [(label, np.flatnonzero(y == label)) for label in np.unique(y)]  # LM:4.2:4
    return {label: (kernels.build_tree(Z[i], leaf_size=leaf_size, threads=threads), i) for label, i in members}


def impostors(X, y, limits, L=None, *, bound="box", leaf_size=LEAF_SIZE, kernels=None, threads=None):
    """All differently labelled points within each point's own limit: § 4.2 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
        Labels.
    limits : array_like, shape (n,)
        x_l is found for x_i if y_l != y_i and d_M(x_i, x_l)^2 <= limits[i]. With the largest d_M(x_i, x_j)^2 + 1 over
        the target neighbours x_j these are the impostors of any of them.
    L, bound, kernels, threads
        As for :func:`nearest_neighbors`.
    leaf_size : int, default 128
        As for :func:`as_tree`. In a hundred dimensions or more there is little to prune; then one leaf for each class,
        ``leaf_size=len(X)``, is faster than a tree.

    Returns
    -------
    Impostors

    Raises
    ------
    TypeError, ValueError
        If the input is empty or not finite, or shapes do not fit.
    """
    kernels, X = as_kernels(kernels), _in_range(as_matrix(X, "X"), "X")
    y = as_labels(y, len(X), "y")
    limits = np.ascontiguousarray(limits, dtype=np.float64)
    if limits.shape != (len(X),) or np.isnan(limits).any():
        raise ValueError(f"limits has shape {limits.shape}, or NaN; pass a number for each of the {len(X)} points")
    one_of(bound, ("box", "ball"), "bound")
    (Z,) = mapped_by(L, X)
    who, found, squares, computed = [], [], [], np.zeros(len(X), dtype=np.int64)
    for label, (tree, mine) in class_trees(Z, y, leaf_size=leaf_size, kernels=kernels, threads=threads).items():
        others = np.flatnonzero(y != label)
        starts, i, square, count = kernels.tree_within(  # LM:4.2:3  ERRATUM LM-5
            tree, Z[others], limits[others], bound=bound, threads=threads
        )
        who.append(np.repeat(others, np.diff(starts)))
        found.append(mine[i])
        squares.append(square)
        computed[others] += count
    who, found, squares = np.concatenate(who), np.concatenate(found), np.concatenate(squares)
    order = np.lexsort((found, who))
    starts = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=len(X)))])
    return Impostors(starts, found[order], squares[order], computed)


# ------------------------------------------------------------------------------------------------ matrix products


def _by_products(X, Q, k, skip):
    """squares and indices as from kernels.tree_nearest, by matrix products and exact distances of the candidates."""
    squares, indices = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    middle = X.mean(axis=0)
    far = max(np.abs(X - middle).max(), np.abs(Q - middle).max())
    scale = 2.0 ** -np.floor(np.log2(far)) if far > 1e-140 else 1.0
    sides = {}
    rows = max(1, BLOCK // len(X))
    for first in range(0, len(Q), rows):
        q = Q[first : first + rows]
        skipped = None if skip is None else skip[first : first + rows]
        for dtype in (np.float32, np.float64):
            if dtype not in sides:
                sides[dtype] = _augmented((X - middle) * scale, dtype, k)
            i, j = _candidates((q - middle) * scale, *sides[dtype], k, skipped)
            if len(i) <= 16 * k * len(q):
                break
        square = _exact(X, q, i, j)
        order = np.lexsort((j, square, i))
        places = np.searchsorted(i[order], np.arange(len(q)))[:, np.newaxis] + np.arange(k)
        squares[first : first + rows] = square[order][places]
        indices[first : first + rows] = j[order][places]
    return squares, indices


def _augmented(X, dtype, k):
    """([x, ||x||^2] as columns, whole groups of them; points in a group; the largest ||x||)."""
    n, d = X.shape
    group = max(1, min(GROUP, n // (4 * k)))
    norms = np.einsum("ij,ij->i", X, X)
    side = np.zeros((-(-n // group) * group, d + 1), dtype=dtype)
    side[:n, :d], side[:n, d], side[n:, d] = X, norms, 1e30  # what fills the last group is far from everything
    return side.T, group, np.sqrt(norms.max())


def _candidates(q, side, group, largest, k, skip):
    """Pairs (i, j) of a query and a point, all pairs among them that could belong to the k nearest.

    The product is ||x||^2 - 2 q x. Its rounding errors, those of its factors and of :func:`_exact` stay below a quarter
    of the margin, so that the k-th smallest product plus the margin is above all that is sought.
    """
    d = q.shape[1]
    eps = float(np.finfo(side.dtype).eps)
    margin = 4 * eps * (d + 8) * ((np.sqrt(np.einsum("ij,ij->i", q, q)) + largest) ** 2 + 1e-30)
    A = np.hstack([-2 * q, np.ones((len(q), 1))]).astype(side.dtype) @ side
    if skip is not None:
        A[np.flatnonzero(skip >= 0), skip[skip >= 0]] = np.inf
    A = A.reshape(len(q), -1, group)
    least = A.min(axis=2)
    limit = (np.partition(least, k - 1, axis=1)[:, k - 1] + margin).astype(side.dtype)
    i, g = np.nonzero(least <= limit[:, np.newaxis])
    near = A[i, g] <= limit[i, np.newaxis]
    pair, place = np.nonzero(near)
    return i[pair], g[pair] * group + place


def _exact(X, Q, i, j):
    """Squared distances of the pairs, as the kernels sum them."""
    step = max(1, PAIRS // X.shape[1])
    parts = [slice(first, first + step) for first in range(0, len(i), step)]
    return np.concatenate([np.cumsum((Q[i[part]] - X[j[part]]) ** 2, axis=1)[:, -1] for part in parts])


# ------------------------------------------------------------------------------------------------ arguments


def mapped_by(L, *sets):
    """Each set of vectors mapped by L, equal vectors to equal ones, in whichever set they are.

    A matrix product may round equal rows differently, by their position. Rows are taken for equal if a weighted sum of
    them is, and then compared.
    """
    if L is None:
        return sets
    L = _in_range(as_matrix(L, "L"), "L")
    d = sets[0].shape[1]
    if L.shape[1] != d:
        raise ValueError(f"L has {L.shape[1]} columns; the vectors have {d}")
    X = sets[0] if len(sets) == 1 else np.concatenate(sets)
    Z = np.ascontiguousarray(X @ L.T)
    keys = np.einsum("ij,j->i", X, np.sin(np.arange(1.0, d + 1)))
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0))
    first = np.repeat(order[starts], np.diff(np.append(starts, len(X))))
    order, first = order[order != first], first[order != first]
    alike = (X[order] == X[first]).all(axis=1)
    Z[order[alike]] = Z[first[alike]]
    return [_in_range(part, "L x") for part in np.split(Z, np.cumsum([len(s) for s in sets])[:-1])]


def _in_range(X, name):
    if not np.abs(X).max() <= LARGEST:
        raise ValueError(f"{name} has values beyond 1e140, whose squares cannot be summed; scale the data down")
    return X


def _as_skip(skip, n, m):
    skip = np.asarray(skip)
    if skip.shape != (m,):
        raise ValueError(f"skip has shape {skip.shape}; it must be ({m},), one place in X, or -1, for each query")
    as_indices(skip[skip != -1], n, "skip", of="points")
    return np.ascontiguousarray(skip, dtype=np.int64)


def _require_enough(k, n, skip):
    most = n if skip is None or (skip < 0).all() else n - 1
    if k > most:
        raise ValueError(f"k is {k}; it must be at most {most}, as a query has no more neighbours here")
