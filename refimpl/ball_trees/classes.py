"""A ball tree for each class, and the search for impostors: Weinberger & Saul (2008), § 4.2.

The *target neighbours* of a point are the points of its own class that should be near to it. An
*impostor* is a point of another class that is nearer than a target neighbour plus a margin of 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from refimpl import kernels as reference
from refimpl.arrays import as_points, as_reals, mapped_by
from refimpl.ball_trees.search import LEAF_SIZE
from refimpl.checks import as_count, as_kernels, as_labels, one_of
from refimpl.results import result
from refimpl.typing import ArrayLike, Bound, FloatArray, IntArray, Kernels, Labels


@result
@dataclass(frozen=True, eq=False)
class Impostors:
    """The impostors that :func:`impostors` finds.

    Those of x_i are the points ``indices[starts[i]:starts[i + 1]]``.

    Attributes
    ----------
    starts : ndarray, shape (n + 1,), int64
    indices : ndarray, int64
        Ascending for each i.
    squares : ndarray, float64
        Squared distances from x_i.
    computed : ndarray, shape (n,), int64
        The number of points that x_i was compared with.

    See Also
    --------
    impostors : Find them, with an example.

    Examples
    --------
    >>> from refimpl.ball_trees import impostors
    >>> near = impostors([[0.0], [1.0], [3.0]], ["a", "b", "a"], [2.0, 2.0, 2.0])
    >>> near.starts.tolist(), near.indices.tolist()
    ([0, 1, 2, 2], [1, 0])
    """

    starts: IntArray
    indices: IntArray
    squares: FloatArray
    computed: IntArray


def class_trees(
    X: ArrayLike,
    y: ArrayLike,
    *,
    L: ArrayLike | None = None,
    leaf_size: int = LEAF_SIZE,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> dict[Any, tuple[reference.BallTree, IntArray]]:
    """Build a ball tree over the points of each class: § 4.2 of Weinberger & Saul (2008).

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
        The tree and the indices in X of its points 0, 1, ...

    Raises
    ------
    TypeError, ValueError
        As for :func:`as_tree`, and if the labels do not fit.

    See Also
    --------
    as_tree : A tree of all points.

    Examples
    --------
    >>> from refimpl.ball_trees import class_trees
    >>> tree, members = class_trees([[0.0], [1.0], [3.0]], ["a", "b", "a"])["a"]
    >>> members
    array([0, 2])
    """
    kernels = as_kernels(kernels)
    points = as_points(X, "X")
    labels: Labels = as_labels(y, len(points), "y")
    leaf_size = as_count(leaf_size, "leaf_size", minimum=2)
    (Z,) = mapped_by(L, points)
    trees = {}
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)  # LM:4.2:4
        tree = kernels.build_tree(Z[members], leaf_size=leaf_size, threads=threads)
        trees[label] = (tree, members)
    return trees


def impostors(
    X: ArrayLike,
    y: ArrayLike,
    limits: ArrayLike,
    L: ArrayLike | None = None,
    *,
    bound: Bound = "box",
    leaf_size: int = LEAF_SIZE,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Impostors:
    """Find all points of other classes within each point's own limit.

    § 4.2 of Weinberger & Saul (2008). An impostor of x_i is a point of another class that is nearer
    than one of the target neighbours of x_i (points of its own class that should be near) plus a
    margin of 1.

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
        Labels.
    limits : array_like, shape (n,)
        The search finds x_l for x_i if y_l != y_i and d_M(x_i, x_l)^2 <= limits[i]. If limits[i] is
        the largest d_M(x_i, x_j)^2 + 1 over the target neighbours x_j, the search finds every
        impostor of x_i.
    L, bound, kernels, threads
        As for :func:`nearest_neighbors`.
    leaf_size : int, default 128
        As for :func:`as_tree`. In a hundred dimensions or more the bounds rule out little; then
        a single leaf for each class, ``leaf_size=len(X)``, is faster than a tree.

    Returns
    -------
    Impostors

    Raises
    ------
    TypeError, ValueError
        If the input is empty or not finite, or shapes do not fit.

    See Also
    --------
    nearest_neighbors : Find the target neighbours, with the points of one class.

    Examples
    --------
    >>> from refimpl.ball_trees import impostors
    >>> found = impostors([[0.0], [1.0], [3.0]], ["a", "b", "a"], [2.0, 2.0, 2.0])
    >>> found.indices[found.starts[0] : found.starts[1]]
    array([1])
    """
    kernels = as_kernels(kernels)
    points = as_points(X, "X")
    labels: Labels = as_labels(y, len(points), "y")
    radii = as_reals(limits, "limits")
    if radii.shape != (len(points),) or np.isnan(radii).any():
        raise ValueError(
            f"limits must hold a number for each of the {len(points)} points; "
            f"got shape {radii.shape}, or NaN"
        )
    one_of(bound, ("box", "ball"), "bound")
    (Z,) = mapped_by(L, points)
    trees = class_trees(Z, labels, leaf_size=leaf_size, kernels=kernels, threads=threads)
    rows, columns, squares = [], [], []
    computed = np.zeros(len(points), dtype=np.int64)
    for label, (tree, members) in trees.items():
        others = np.flatnonzero(labels != label)
        starts, i, square, count = kernels.tree_within(  # LM:4.2:3  ERRATUM LM-5
            tree, Z[others], radii[others], bound=bound, threads=threads
        )
        rows.append(np.repeat(others, np.diff(starts)))
        columns.append(members[i])
        squares.append(square)
        computed[others] += count
    row = np.concatenate(rows)
    column = np.concatenate(columns)
    order = np.lexsort((column, row))
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(points)))])
    return Impostors(starts, column[order], np.concatenate(squares)[order], computed)
