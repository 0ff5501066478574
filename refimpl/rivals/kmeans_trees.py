"""Hierarchical k-means trees, a rival of the search forest.

Sources: D. Nister & H. Stewenius, "Scalable recognition with a vocabulary tree", CVPR 2006; M. Muja
& D. Lowe, "Fast approximate nearest neighbors with automatic algorithm configuration", VISAPP 2009,
§ 3.2. Li et al. (2011), § 4.1, build as many of them as the forest has trees, with random
initializations, and use their leaves as index words.

A node's points are divided into `branching` regions by k-means, and these again, until they are
small. The trees differ in their initial centres alone. Two searches give candidates:
best-bin-first, to any wanted number of them, and the union of the leaves that the query reaches, by
the number of trees that agree.

Readings of what the sources leave open
---------------------------------------
* The initial centres are points of the node, drawn without replacement, no two of them equal; a
  node with fewer different points has fewer regions, one with a single point many times over is a
  leaf.
* A region is divided while it has more than `leaf_size` points; the default is that of the source,
  which stops at fewer points than `branching`.
* k-means ends after `iterations` steps, or when no point moves. A region that has lost all its
  points is dropped. Where no more than one is left, the node stays a leaf.
* After the last step every point is in the region of its nearest centre. So a query that is a point
  ends in its leaf.
* Several trees share one queue of unexplored branches (as the randomized k-d trees of § 3.1 do).

Not handled here: distances other than the Euclidean, adding points, a search that weighs a branch
by its variance.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.arrays import as_points
from refimpl.checks import as_count, as_generator, as_kernels
from refimpl.kernels.clustering import RegionTrees
from refimpl.resources import check_free_memory
from refimpl.results import from_new_arrays, result
from refimpl.rivals.candidates import Candidates
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

__all__ = ["KMeansTrees", "kmeans_trees"]


@result
@dataclass(frozen=True, eq=False)
class KMeansTrees(RegionTrees):
    """Trees over the same n points; the children of a node have successive numbers.

    Attributes
    ----------
    roots : ndarray, shape (n_trees,), int64
        The first node of each tree.
    centres : ndarray, shape (nodes, d), float64
        The mean of the points when the node was made; a root's is the mean of all.
    first, last : ndarray, shape (nodes,), int64
        Node j has the children first[j], ..., last[j] - 1; a leaf has none.
    starts, ends : ndarray, shape (nodes,), int64
        Node j holds the points ``members[starts[j]:ends[j]]``.
    members : ndarray, shape (n_trees n,), int64
        Indices of points of X; ascending within a leaf.

    Raises
    ------
    TypeError, ValueError
        If the arrays are no trees over the same points; from its methods, if the queries or a
        number of candidates or trees do not fit.

    See Also
    --------
    kmeans_trees : Build them, with an example.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.kmeans_trees import kmeans_trees
    >>> X = np.arange(8.0)[:, None]
    >>> trees = kmeans_trees(X, 2, rng=np.random.default_rng(0), branching=2)
    >>> trees.n, len(trees.roots), len(trees.truncated(1).roots)
    (8, 2, 1)
    """

    @property
    def leaves(self) -> IntArray:
        """The nodes without children: an array of int64."""
        return np.flatnonzero(self.first >= self.last)

    def truncated(self, n_trees: int) -> "KMeansTrees":
        """Return the first trees: the same as from the same generator with this number."""
        n_trees = as_count(n_trees, "n_trees", most=len(self.roots), why="the trees there are")
        nodes = slice(0, self.roots[n_trees] if n_trees < len(self.roots) else len(self.first))
        return KMeansTrees(
            roots=self.roots[:n_trees],
            centres=self.centres[nodes],
            first=self.first[nodes],
            last=self.last[nodes],
            starts=self.starts[nodes],
            ends=self.ends[nodes],
            members=self.members[: n_trees * self.n],
        )

    def candidates(
        self,
        Q: ArrayLike,
        n_candidates: int,
        *,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> Candidates:
        """Return the first points that best-bin-first search finds: Muja & Lowe (2009), § 3.2.

        Best-bin-first search opens the leaves in the order of their distance from the query, Q
        (m, d), until it has `n_candidates` points, or all. The scores say how many leaves had been
        opened before.
        """
        kernels = as_kernels(kernels)
        n_candidates = min(as_count(n_candidates, "n_candidates"), self.n)
        queries = as_points(Q, "Q", self.centres)
        indices, opened, _ = kernels.best_bin_first(self, queries, n_candidates, threads=threads)
        starts = np.arange(len(queries) + 1) * n_candidates
        return from_new_arrays(Candidates, starts, indices.reshape(-1), opened.reshape(-1))

    def colliding(
        self,
        Q: ArrayLike,
        n_candidates: int | None = None,
        *,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> Candidates:
        """Return the union of the leaves that the query reaches, by the trees that agree.

        Li et al. (2011), §§ 3.4 and 4.3. `n_candidates` is the largest number for a query; all by
        default. The score is the number of trees in which the point is in the query's leaf.
        """
        kernels = as_kernels(kernels)
        most = self.n if n_candidates is None else as_count(n_candidates, "n_candidates")
        limit = min(most, self.n)
        queries = as_points(Q, "Q", self.centres)
        leaves = kernels.tree_leaves(self, queries, threads=threads)
        votes = kernels.bucket_votes(
            self.starts, self.ends, self.members, leaves, self.n, limit, threads=threads
        )
        return from_new_arrays(Candidates, *votes)


def kmeans_trees(
    X: ArrayLike,
    n_trees: int = 1,
    *,
    rng: np.random.Generator,
    branching: int = 32,
    leaf_size: int | None = None,
    iterations: int = 7,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> KMeansTrees:
    """Build hierarchical k-means trees: Muja & Lowe (2009), § 3.2.

    Parameters
    ----------
    X : array_like, shape (n, d)
    n_trees : int, default 1
    rng : numpy.random.Generator
        Draws a seed for each tree, whose generator draws the initial centres.
    branching : int, default 32
        Regions into which a node is divided, at least 2.
    leaf_size : int, optional
        A node with more points than this is divided; the default is branching - 1.
    iterations : int, default 7
        The largest number of steps of k-means.
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    KMeansTrees

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, or a number is too small.

    See Also
    --------
    lsh, spectral_hashing : Other rivals of the search forest.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.kmeans_trees import kmeans_trees
    >>> X = np.arange(8.0)[:, None]
    >>> trees = kmeans_trees(X, 2, rng=np.random.default_rng(0), branching=2)
    >>> trees.candidates([[2.1]], 1).of(0)
    array([2])
    """
    kernels = as_kernels(kernels)
    vectors = as_points(X, "X")
    rng = as_generator(rng)
    n_trees = as_count(n_trees, "n_trees")
    check_free_memory(8 * n_trees * sum(vectors.shape), "the list of trees", "trees")
    branching = as_count(branching, "branching", minimum=2)
    leaf_size = branching - 1 if leaf_size is None else as_count(leaf_size, "leaf_size")
    iterations = as_count(iterations, "iterations", minimum=0)
    roots = [0]
    parts = []
    for t, seed in enumerate(rng.integers(2**63, size=n_trees).tolist()):
        stream = np.random.default_rng(seed)
        tree = _grown(vectors, stream, branching, leaf_size, iterations, kernels, threads)
        centres, children, points, members = tree
        inner = children[:, :1] < children[:, 1:]
        parts.append((centres, children + roots[-1] * inner, points + t * len(vectors), members))
        roots.append(roots[-1] + len(centres))
    centres, children, points, members = (np.concatenate(part) for part in zip(*parts, strict=True))
    columns = [np.ascontiguousarray(column) for column in (*children.T, *points.T)]
    return from_new_arrays(KMeansTrees, np.array(roots[:-1]), centres, *columns, members)


def _grown(
    X: FloatArray,
    rng: np.random.Generator,
    branching: int,
    leaf_size: int,
    iterations: int,
    kernels: Kernels,
    threads: int | None,
) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Grow a tree: centres, (first, last) and (start, end) of each node, and its members."""
    members = np.arange(len(X))
    centres = [X.mean(axis=0)]
    children: list[tuple[int, int]] = []
    points = [(0, len(X))]
    while len(children) < len(centres):  # the nodes in the order in which they were made
        start, end = points[len(children)]
        rows = members[start:end].copy()
        first = len(centres)
        if len(rows) > leaf_size:
            initial = initial_centres(X, rows, branching, rng)
            if len(initial) > 1:
                C, nearest = kernels.lloyd(X, rows, initial, iterations, threads=threads)
                used = np.bincount(nearest, minlength=len(C))
                if np.count_nonzero(used) > 1:
                    members[start:end] = rows[np.argsort(nearest, kind="stable")]
                    sizes = used[used > 0]
                    ends = start + np.cumsum(sizes)
                    points += zip((ends - sizes).tolist(), ends.tolist(), strict=True)
                    centres += list(C[used > 0])
        children.append((first, len(centres)) if len(centres) > first else (0, 0))
    return (
        np.array(centres),
        np.array(children, dtype=np.int64),
        np.array(points, dtype=np.int64),
        members,
    )


def initial_centres(X: FloatArray, rows: IntArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Return up to k different points among X[rows], in random order: shape (k or less, d)."""
    chosen: dict[bytes, int] = {}
    for i in rows[rng.permutation(len(rows))]:
        chosen.setdefault((X[i] + 0.0).tobytes(), i)  # 0.0 has no sign
        if len(chosen) == k:
            break
    centres: FloatArray = X[list(chosen.values())]
    return centres
