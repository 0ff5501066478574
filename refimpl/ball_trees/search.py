"""Ball trees and searches for nearest neighbours: Weinberger & Saul (2008), § 4.1.

The trees are made and searched by kernels. A Mahalanobis distance with M = L^T L is the Euclidean
distance after x -> L x, so every search first maps its points by L.

A tree saves little when the dimension is high (§ 4.3), and does not pay for itself when there are
few queries. Therefore :func:`nearest_neighbors` can also compare each query with all points, by a
scan or by matrix products, and chooses the method by itself. All three methods give the same
answer, to the last bit.

Not handled here: other distances, several metrics at once.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from refimpl import kernels as reference
from refimpl.arrays import as_array, as_points, for_kernel, mapped_by
from refimpl.checks import as_count, as_indices, as_kernels, one_of
from refimpl.kernels.contract import check_threads
from refimpl.products import nearest_by_products
from refimpl.results import from_new_arrays, result
from refimpl.typing import ArrayLike, Bound, Direction, FloatArray, IntArray, Kernels

LEAF_SIZE = 128
PROBES = 32  # queries searched to measure how many distances the tree saves
SCANNED = 1 << 22  # numbers that stay in cache while every query reads all of them: 16 MB
CACHED = 1 << 20  # numbers of which a tree's leaves are read out of order at little cost: 4 MB

Method: TypeAlias = Literal["auto", "tree", "scan", "brute"]


@result
@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest neighbours that :func:`nearest_neighbors` finds.

    Attributes
    ----------
    squares : ndarray, shape (m, k), float64
        Squared distances, ascending in each row.
    indices : ndarray, shape (m, k), int64
        Indices of points of X; of equal distances the lowest index comes first.
    computed : ndarray, shape (m,), int64
        The number of points that each query was compared with.
    method : {"tree", "scan", "brute"}
        The method of the search.

    See Also
    --------
    nearest_neighbors : Find them, with an example.

    Examples
    --------
    >>> from refimpl.ball_trees import nearest_neighbors
    >>> near = nearest_neighbors([[2.0]], [[0.0], [1.0], [5.0]], 2)
    >>> near.indices.tolist(), near.distances.tolist()
    ([[1, 0]], [[1.0, 2.0]])
    """

    squares: FloatArray
    indices: IntArray
    computed: IntArray
    method: str

    @property
    def distances(self) -> FloatArray:
        """The distances, not squared: shape (m, k), float64."""
        return np.sqrt(self.squares)


# -------------------------------------------------------------------------------------------- § 4.1


def as_tree(
    X: ArrayLike,
    *,
    L: ArrayLike | None = None,
    leaf_size: int = LEAF_SIZE,
    direction: Direction = "axis",
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> reference.BallTree:
    """Build a ball tree over the points L x: § 4.1 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
    L : array_like, shape (r, d), optional
        A factor of the metric, M = L^T L; without it M is the identity.
    leaf_size : int, default 128
        At least 2.
    direction : {"axis", "principal"}
        The direction that the points of a node are projected on before they are split at the
        median: the axis of largest variance, or the direction of largest variance. "axis" builds
        faster and suits the bound "box"; "principal" suits the bound of eq. 7.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    refimpl.kernels.BallTree

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, shapes do not fit, or `leaf_size` is too
        small.

    See Also
    --------
    nearest_neighbors : Build a tree and search it.
    class_trees : Build a tree for each class.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ball_trees import as_tree
    >>> as_tree(np.arange(8.0)[:, None], leaf_size=2).points.shape
    (8, 1)
    """
    kernels = as_kernels(kernels)
    points = as_points(X, "X")
    leaf_size = as_count(leaf_size, "leaf_size", minimum=2)
    one_of(direction, ("axis", "principal"), "direction")
    (mapped,) = mapped_by(L, points)
    return kernels.build_tree(mapped, leaf_size=leaf_size, direction=direction, threads=threads)


def nearest_neighbors(
    Q: ArrayLike | None,
    X: ArrayLike,
    k: int,
    L: ArrayLike | None = None,
    *,
    method: Method = "auto",
    bound: Bound = "box",
    skip: ArrayLike | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Neighbors:
    """Find the k nearest neighbours of each query under the metric M = L^T L.

    § 4 of Weinberger & Saul (2008).

    Parameters
    ----------
    Q : array_like, shape (m, d), or None
        None stands for the points of X. Then no point is its own neighbour (leave-one-out), but a
        duplicate of the point can be.
    X : array_like, shape (n, d)
    k : int
        At most n, and at most n - 1 if queries skip a point.
    L : array_like, shape (r, d), optional
        A factor of the metric; without it M is the identity. Equal vectors are mapped to equal
        vectors.
    method : {"auto", "tree", "scan", "brute"}
        "tree" builds a ball tree, "scan" a tree that is a single leaf. "brute" computes
        all distances by matrix products in float32. A bound of the rounding errors tells which
        points could be among the k nearest; their distances are computed again in float64. "auto"
        takes the method that should be fastest.
    bound : {"box", "ball"}
        The lower bound that rules out a part of the tree: the distance to the box around its
        points, or eq. 7.
    skip : array_like of int, shape (m,), optional
        The index of a point of X that is no neighbour of the query; -1 for none. Not with
        ``Q=None``.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`. The searches of the reference are written for
        readers and slow, so with the reference "auto" takes "brute".
    threads : int, optional
        For "tree" and "scan". The matrix products of "brute" use the threads of NumPy's BLAS.

    Returns
    -------
    Neighbors
        Only `computed` and `method` depend on the method, the bound, the kernels or the threads.

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, shapes do not fit, or k is too large.

    See Also
    --------
    as_tree : The tree alone, for the kernels of trees.

    Examples
    --------
    >>> from refimpl.ball_trees import nearest_neighbors
    >>> neighbors = nearest_neighbors([[0.0], [2.1]], [[0.0], [1.0], [3.0]], 2)
    >>> neighbors.indices
    array([[0, 1],
           [2, 1]])
    >>> nearest_neighbors(None, [[0.0], [1.0], [3.0]], 1).indices.ravel()
    array([1, 0, 1])
    """
    kernels = as_kernels(kernels)
    check_threads(threads)
    one_of(method, ("auto", "tree", "scan", "brute"), "method")
    one_of(bound, ("box", "ball"), "bound")
    queries, points, skipped, k = _mapped_arguments(Q, X, L, skip, k)
    way, tree = _tree_to_search(points, queries, k, method, bound, kernels, threads)
    if tree is None:
        squares, indices = nearest_by_products(points, queries, k, skipped)
        computed = np.full(len(queries), len(points))
        return from_new_arrays(Neighbors, squares, indices, computed, "brute")
    neighbors = kernels.tree_nearest(tree, queries, k, skip=skipped, bound=bound, threads=threads)
    return from_new_arrays(Neighbors, *neighbors, way)


def _tree_to_search(
    X: FloatArray,
    Q: FloatArray,
    k: int,
    method: Method,
    bound: Bound,
    kernels: Kernels,
    threads: int | None,
) -> tuple[Literal["tree", "scan", "brute"], reference.BallTree | None]:
    """Choose the method if it is "auto"; return it and the tree that it searches, if any."""
    worth = kernels is not reference and _worth_building(len(X), X.shape[1], len(Q))
    if method == "tree" or (method == "auto" and worth):
        direction: Direction = "axis" if bound == "box" else "principal"
        tree = kernels.build_tree(X, leaf_size=LEAF_SIZE, direction=direction, threads=threads)
        if method == "tree" or _prunes(tree, Q, k, bound, kernels, threads):
            return "tree", tree
    if method == "auto":
        method = "brute" if kernels is reference or X.size > SCANNED else "scan"
    if method == "brute":
        return "brute", None
    return "scan", kernels.build_tree(X, leaf_size=max(2, len(X)), threads=threads)


def _mapped_arguments(
    Q: ArrayLike | None, X: ArrayLike, L: ArrayLike | None, skip: ArrayLike | None, k: int
) -> tuple[FloatArray, FloatArray, IntArray | None, int]:
    """Return queries and points, mapped by L, the point each query skips, and k, all checked."""
    points = as_points(X, "X")
    sets, skipped = [points], None
    if Q is not None:
        sets.append(as_points(Q, "Q", points))
        skipped = None if skip is None else _as_skip(skip, len(points), len(sets[1]))
    elif skip is None:
        skipped = np.arange(len(points))
    else:
        raise ValueError(
            "skip must be None with Q=None, where every point skips itself; got an array"
        )
    most = len(points) - (skipped is not None and bool((skipped >= 0).any()))
    k = as_count(k, "k", most=most, why="the number of neighbours a query can have")
    mapped = mapped_by(L, *sets)  # after all checks: it takes long
    return mapped[-1], mapped[0], skipped, k


def _prunes(
    tree: reference.BallTree,
    Q: FloatArray,
    k: int,
    bound: Bound,
    kernels: Kernels,
    threads: int | None,
) -> bool:
    """Search for a few queries and tell whether the tree saves enough distances."""
    probe = np.ascontiguousarray(Q[:: max(1, len(Q) // PROBES)])
    computed = kernels.tree_nearest(tree, probe, k, bound=bound, threads=threads)[2].mean()
    return bool(computed * _tree_ratio(tree.points.size) < len(tree.points))


def _tree_ratio(size: int) -> float:
    """Return the time of a distance in a tree over that of one in a scan, or beyond in products."""
    # measured on one core of an AMD EPYC, on digits and normal points of 8 to 169 dimensions
    if size <= CACHED:
        return 1.1
    return 1.7 if size <= SCANNED else 2.5


def _pair_cost(n: int, d: int) -> float:
    """Return nanoseconds for a query and a point in a scan, on one core of an AMD EPYC."""
    # only its ratio to the other times of _worth_building matters
    return 0.3 + 0.022 * d if n * d <= SCANNED else 1.1 + 0.022 * d


def _worth_building(n: int, d: int, m: int) -> bool:
    """Tell whether a tree that saves half of the search for m queries is worth its building."""
    build = float((16 + 2.5 * d) * np.log2(max(n / LEAF_SIZE, 2.0)))
    prepare = 25 + (2.5 if n * d <= SCANNED else 4.5) * d
    return build < prepare + 0.5 * m * _pair_cost(n, d)


# ---------------------------------------------------------------------------------------- arguments


def _as_skip(skip: ArrayLike, n: int, m: int) -> IntArray:
    places = as_array(skip, "skip", "indices")
    if places.shape != (m,):
        raise ValueError(
            f"skip must hold an index of X, or -1, for each query, shape ({m},); "
            f"got shape {places.shape}"
        )
    as_indices(places[places != -1], n, "skip", of="points")
    return for_kernel(places, np.int64)
