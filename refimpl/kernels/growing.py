"""Ball trees, and how they are built: § 4.1 of Weinberger & Saul (2008)."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from refimpl.arrays import LARGEST, FloatArray, IntArray
from refimpl.kernels.arguments import Kind, check_all, floats, int64s
from refimpl.kernels.contract import checked
from refimpl.results import from_new_arrays, result

Direction: TypeAlias = Literal["axis", "principal"]
"""What the points of a ball tree's node are projected on."""
ITERATIONS = 8  # power iterations towards the direction of largest variance

_OF_NODES = floats("m", "d", largest=LARGEST)
FIELDS: dict[str, Kind] = {
    "points": floats("n", "d", nonempty=True, largest=LARGEST),
    "order": int64s("n", below="n"),
    "starts": int64s("m", nonempty=True),
    "ends": int64s("m"),
    "centres": _OF_NODES,
    "radii": floats("m", finite=True),
    "low": _OF_NODES,
    "high": _OF_NODES,
}
"""What the fields of a ball tree must be."""


@result
@dataclass(frozen=True, eq=False)
class BallTree:
    """A complete binary tree of m balls: § 4.1 of Weinberger & Saul (2008).

    Node j has the children 2j + 1 and 2j + 2; the last (m + 1) / 2 nodes are leaves.

    Attributes
    ----------
    points : ndarray, shape (n, d), float64
        The points, those of a leaf one after the other.
    order : ndarray, shape (n,), int64
        Their indices in the data set; ascending within a leaf.
    starts, ends : ndarray, shape (m,), int64
        Node j holds ``points[starts[j]:ends[j]]``.
    centres : ndarray, shape (m, d), float64
        c of eq. 7, the mean of the node's points.
    radii : ndarray, shape (m,), float64
        r of eq. 7, the largest distance of one of the node's points from c.
    low, high : ndarray, shape (m, d), float64
        The least and the largest value of each coordinate: the node's box.

    Raises
    ------
    TypeError, ValueError
        If the arrays do not describe a tree.

    See Also
    --------
    build_tree : Build a tree.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.kernels import build_tree
    >>> tree = build_tree(np.array([[0.0], [5.0], [1.0], [4.0]]), leaf_size=2)
    >>> tree.order.tolist(), tree.centres.tolist()
    ([0, 2, 1, 3], [[2.5], [0.5], [4.5]])
    """

    points: FloatArray
    order: IntArray
    starts: IntArray
    ends: IntArray
    centres: FloatArray
    radii: FloatArray
    low: FloatArray
    high: FloatArray

    def __post_init__(self) -> None:
        lengths = check_all(FIELDS, vars(self))
        n, m = lengths["n"], lengths["m"]
        if m & (m + 1):
            raise ValueError(f"starts must be of shape (2^l - 1,), of a whole tree; got ({m},)")
        starts, ends = self.starts, self.ends
        halves = (
            (starts[1::2] == starts[: m // 2])
            & (ends[2::2] == ends[: m // 2])
            & (ends[1::2] == starts[2::2])
        )
        if starts[0] != 0 or ends[0] != n or not halves.all() or not (starts < ends).all():
            raise ValueError(
                "starts, ends: the children of a node must divide its points between them"
            )
        if not np.bincount(self.order, minlength=n).all():
            raise ValueError(f"order must hold each index from 0 to {n - 1} once")
        if self.radii.min() < 0 or (self.low > self.high).any():
            raise ValueError(
                "radii, low, high: a radius must be at least 0, and low no higher than high"
            )


@checked
def build_tree(
    X: FloatArray,
    *,
    leaf_size: int = 128,
    direction: Direction = "axis",
    threads: int | None = None,
) -> BallTree:
    """Build a ball tree: § 4.1 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    leaf_size : int, default 128
        At least 2. The tree has the least number of levels whose leaves hold no more points than
        this. With small leaves a search computes fewer distances, but more bounds.
    direction : {"axis", "principal"}, default "axis"
        The direction that a node's points are projected on: the axis of largest variance (of
        several axes the lowest), or the direction of largest variance after 8 power iterations
        that start from this axis.

    Returns
    -------
    BallTree
        Of equal projections the lower index goes left; of an odd number of points the left child
        has one more.

    See Also
    --------
    tree_nearest, tree_within : Searches.

    Examples
    --------
    >>> from refimpl.kernels import build_tree, tree_nearest
    >>> tree = build_tree(np.array([[0.0], [5.0], [1.0], [4.0]]), leaf_size=2)
    >>> tree_nearest(tree, np.array([[0.9]]), 1)[1].tolist()
    [[2]]
    """
    n, d = X.shape
    leaves = 1
    while -(-n // leaves) > leaf_size:
        leaves *= 2
    m = 2 * leaves - 1
    order = np.arange(n)
    starts = np.zeros(m, dtype=np.int64)
    ends = np.full(m, n)
    centres = np.empty((m, d))
    radii = np.empty(m)
    low = np.empty((m, d))
    high = np.empty((m, d))
    for j in range(m):
        I = order[starts[j] : ends[j]].copy()
        S = X[I]
        centres[j] = np.cumsum(S, axis=0)[-1] / len(S)  # LM:4.1:3  encloses the inputs of S
        radii[j] = np.sqrt(squared_distances(centres[j], S).max())
        low[j] = S.min(axis=0) + 0.0
        high[j] = S.max(axis=0) + 0.0  # 0.0 has no sign
        if j < leaves - 1:
            # LM:4.1:1
            by_projection = np.argsort(projections(S, centres[j], direction), kind="stable")
            median = starts[j] + (len(S) + 1) // 2  # LM:4.1:2
            order[starts[j] : median] = np.sort(I[by_projection[: median - starts[j]]])
            order[median : ends[j]] = np.sort(I[by_projection[median - starts[j] :]])
            starts[2 * j + 1], ends[2 * j + 1] = starts[j], median
            starts[2 * j + 2], ends[2 * j + 2] = median, ends[j]
    return from_new_arrays(BallTree, X[order], order, starts, ends, centres, radii, low, high)


def projections(S: FloatArray, c: FloatArray, direction: Direction) -> FloatArray:
    """Project points S, shape (p, d), with the mean c, on a direction of large variance."""
    D = S - c
    axis = np.cumsum(D * D, axis=0)[-1].argmax()
    if direction == "axis":
        return S[:, axis]
    w = np.zeros(len(c))
    w[axis] = 1.0
    for _ in range(ITERATIONS):
        p = np.cumsum(D * w, axis=1)[:, -1]
        v = np.cumsum(p[:, np.newaxis] * D, axis=0)[-1]
        if not v.any():
            break
        # NumPy 1.26 divides 1 by the divisor, too, in places beyond the end, and warns of that
        with np.errstate(over="ignore"):
            w = v / np.abs(v).max()
    return np.cumsum(D * w, axis=1)[:, -1]


def squared_distances(x: FloatArray, P: FloatArray) -> FloatArray:
    """Return the squared distances from x to the rows of P, added in the coordinates' order."""
    return np.cumsum((x - P) ** 2, axis=1)[:, -1]
