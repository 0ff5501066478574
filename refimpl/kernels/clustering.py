"""The kernels of hierarchical k-means trees, which are rivals of the search forest.

The kernels cluster the points of a node, and search the trees. A squared distance is added up in
the order of the coordinates, as in :mod:`refimpl.kernels.growing`. No coordinate may be beyond
1e140. Not handled here: building the trees (:mod:`refimpl.rivals.kmeans_trees`).
"""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from refimpl.arrays import LARGEST, FloatArray, IntArray
from refimpl.kernels.arguments import Kind, check_all, floats, int64s, require_within
from refimpl.kernels.contract import checked
from refimpl.kernels.growing import squared_distances
from refimpl.results import immutable

_OF_NODES = int64s("nodes")
FIELDS: dict[str, Kind] = {
    "roots": int64s("trees", nonempty=True),
    "centres": floats("nodes", "d", nonempty="d", largest=LARGEST),
    "first": _OF_NODES,
    "last": _OF_NODES,
    "starts": _OF_NODES,
    "ends": _OF_NODES,
    "members": int64s("members"),
}
"""What the fields of k-means trees must be."""


@immutable
@dataclass(frozen=True, eq=False)
class RegionTrees:
    """The arrays of :class:`refimpl.rivals.kmeans_trees.KMeansTrees`, checked."""

    roots: IntArray
    centres: FloatArray
    first: IntArray
    last: IntArray
    starts: IntArray
    ends: IntArray
    members: IntArray

    def __post_init__(self) -> None:
        lengths = check_all(FIELDS, vars(self))
        nodes, trees, members = lengths["nodes"], lengths["trees"], lengths["members"]
        if members % trees:
            raise ValueError(f"members must hold each point once for each tree; got {members}")
        children, parents = self._families()
        self._require_nodes(nodes, children)
        self._require_points(members // trees, children, parents)

    def _require_nodes(self, nodes: int, children: IntArray) -> None:
        """Refuse nodes from which a search does not come down to a leaf of the same tree."""
        inner = np.flatnonzero(self.first < self.last)
        if (self.first[inner] <= inner).any() or (self.last[inner] > nodes).any():
            raise ValueError("first, last must give children that come after their node")
        if not np.array_equal(np.sort(np.concatenate([self.roots, children])), np.arange(nodes)):
            raise ValueError(
                "roots, first, last must make every node a root or the child of one other"
            )
        if (np.diff(self.roots) <= 0).any() or self.roots[0] != 0:
            raise ValueError(f"roots must rise from 0, tree after tree; got {self.roots}")

    def _families(self) -> tuple[IntArray, IntArray]:
        """Return all children, and the parent of each."""
        counts = np.maximum(self.last - self.first, 0)
        if counts.sum() > len(counts):
            raise ValueError("first, last must make every node a root or the child of one other")
        parents = np.repeat(np.arange(len(counts)), counts)
        place = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[parents] + place, parents

    def _require_points(self, n: int, children: IntArray, parents: IntArray) -> None:
        """Refuse leaves in which a search would not find every point once in each tree."""
        if (self.starts >= self.ends).any():
            raise ValueError("starts, ends must give every node at least one point")
        whole = n * np.arange(len(self.roots))
        if (
            n == 0
            or (self.starts[self.roots] != whole).any()
            or (self.ends[self.roots] != whole + n).any()
        ):
            raise ValueError(f"starts, ends must give a root the {n} members of its tree")
        eldest = children == self.first[parents]
        youngest = children == self.last[parents] - 1
        before = np.where(eldest, self.starts[parents], self.ends[children - 1])
        after = (self.ends[children] != self.ends[parents])[youngest]
        if (self.starts[children] != before).any() or after.any():
            raise ValueError("starts, ends must divide a node's members among its children")
        for members in self.members.reshape(len(self.roots), n):
            inside = members.min() >= 0 and members.max() < n
            if not inside or not np.bincount(members, minlength=n).all():
                raise ValueError("members must hold each point once for each tree")

    @property
    def n(self) -> int:
        """The number of points."""
        return len(self.members) // len(self.roots)


@checked
def lloyd(
    X: FloatArray,
    rows: IntArray,
    centres: FloatArray,
    iterations: int,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Run Lloyd's k-means on some of the points, from given centres.

    Source: S. Lloyd, "Least squares quantization in PCM", IEEE Trans. Information Theory, 1982.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    rows : ndarray, shape (p,), int64
        The points X[rows] are clustered; other points are not read.
    centres : ndarray, shape (k, d), float64
        The centres of the first iteration.
    iterations : int
        The largest number of times that the centres are moved to the means of their points. The
        loop ends early when no point changes its centre.

    Returns
    -------
    centres : ndarray, shape (k, d), float64
        The sum of a mean is taken in the order of `rows`. A centre without points stays where it
        is.
    nearest : ndarray, shape (p,), int64
        For each point the nearest of the returned centres; of equally near centres the lowest.

    Raises
    ------
    ValueError
        If a coordinate of X[rows] is NaN or beyond 1e140.

    See Also
    --------
    refimpl.rivals.kmeans_trees.kmeans_trees : Trees of such clusterings.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> centres, nearest = lloyd(X, np.arange(4), X[:2].copy(), 10)
    >>> centres.tolist(), nearest.tolist()
    ([[0.5], [4.5]], [0, 0, 1, 1])
    """
    S = X[rows]
    centres = centres.copy()
    require_within(S, "X[rows]")
    nearest = nearest_centres(S, centres)
    for _ in range(iterations):
        sums = np.zeros_like(centres)
        count = np.bincount(nearest, minlength=len(centres))
        np.add.at(sums, nearest, S)
        centres[count > 0] = sums[count > 0] / count[count > 0, np.newaxis]
        before = nearest
        nearest = nearest_centres(S, centres)
        if (nearest == before).all():
            break
    return centres, nearest


def nearest_centres(S: FloatArray, centres: FloatArray) -> IntArray:
    """Return for each row of S the nearest centre, the lowest of several: shape (p,)."""
    squares = np.array([squared_distances(c, S) for c in centres])
    nearest: IntArray = squares.argmin(axis=0).astype(np.int64)
    return nearest


@checked
def tree_leaves(trees: RegionTrees, Q: FloatArray, *, threads: int | None = None) -> IntArray:
    """Find the leaf that each query reaches in each tree.

    At each node the query goes to the child with the nearest centre, the first of several.

    Parameters
    ----------
    trees : refimpl.rivals.kmeans_trees.KMeansTrees
    Q : ndarray, shape (n_Q, d), float64

    Returns
    -------
    ndarray, shape (n_Q, n_trees), int64
        Numbers of nodes.

    See Also
    --------
    best_bin_first : Search more than one leaf of each tree.

    Examples
    --------
    >>> from refimpl.kernels import tree_leaves
    >>> from refimpl.rivals.kmeans_trees import kmeans_trees
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> rng = np.random.default_rng(0)
    >>> trees = kmeans_trees(X, 1, rng=rng, branching=2, leaf_size=2)
    >>> leaves = tree_leaves(trees, np.array([[0.2], [0.4], [4.6]]))[:, 0]
    >>> bool(leaves[0] == leaves[1]), bool(leaves[0] == leaves[2])
    (True, False)
    """
    leaves = np.empty((len(Q), len(trees.roots)), dtype=np.int64)
    for i, q in enumerate(Q):
        for t, j in enumerate(trees.roots):
            while trees.first[j] < trees.last[j]:
                j = (
                    trees.first[j]
                    + squared_distances(q, trees.centres[trees.first[j] : trees.last[j]]).argmin()
                )
            leaves[i, t] = j
    return leaves


@checked
def best_bin_first(
    trees: RegionTrees, Q: FloatArray, most: int, *, threads: int | None = None
) -> tuple[IntArray, IntArray, IntArray]:
    """Find points by best-bin-first search: Muja & Lowe (2009), § 3.2.

    From the root the search goes down to the child with the nearest centre and puts the siblings
    into a queue. Then it goes on from the node in the queue whose centre is nearest. With several
    trees it goes down each of them first, and they share the queue. Equally near nodes come in the
    order of their indices.

    Parameters
    ----------
    trees : refimpl.rivals.kmeans_trees.KMeansTrees
    Q : ndarray, shape (n_Q, d), float64
    most : int
        Number of points to find for each query, at most n.

    Returns
    -------
    indices : ndarray, shape (n_Q, most), int64
        In the order in which they are found, within a leaf by index; each point once.
    opened : ndarray, shape (n_Q, most), int64
        The number of leaves that were opened before the leaf of the point.
    computed : ndarray, shape (n_Q,), int64
        Number of centres that the query was compared with.

    See Also
    --------
    tree_leaves : Find one leaf of each tree.

    Examples
    --------
    >>> from refimpl.kernels import best_bin_first
    >>> from refimpl.rivals.kmeans_trees import kmeans_trees
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> rng = np.random.default_rng(0)
    >>> trees = kmeans_trees(X, 1, rng=rng, branching=2, leaf_size=2)
    >>> indices, opened, computed = best_bin_first(trees, np.array([[4.6]]), 4)
    >>> indices.tolist(), opened.tolist()
    ([[2, 3, 0, 1]], [[0, 0, 1, 1]])
    """
    indices = np.empty((len(Q), most), dtype=np.int64)
    opened = np.empty((len(Q), most), dtype=np.int64)
    computed = np.zeros(len(Q), dtype=np.int64)
    for i, q in enumerate(Q):
        leaf_of: dict[int, int] = {}  # each point with the leaf it was in
        queue: list[tuple[float, int]] = []
        roots = trees.roots.tolist()
        leaf = 0
        while len(leaf_of) < most:
            j = roots.pop(0) if roots else heappop(queue)[1]
            while trees.first[j] < trees.last[j]:
                children = range(trees.first[j], trees.last[j])
                squares = squared_distances(q, trees.centres[children.start : children.stop])
                computed[i] += len(children)
                j = children[squares.argmin()]  # go down to the closest centre
                for square, child in zip(squares.tolist(), children, strict=True):
                    if child != j:
                        heappush(queue, (square, child))  # the unexplored branches wait
            for member in trees.members[trees.starts[j] : trees.ends[j]].tolist():
                leaf_of.setdefault(member, leaf)
            leaf += 1
        indices[i] = list(leaf_of)[:most]
        opened[i] = list(leaf_of.values())[:most]
    return indices, opened, computed
