"""Hierarchical k-means trees, a rival of the search forest.

Sources: D. Nister & H. Stewenius, "Scalable recognition with a vocabulary tree", CVPR 2006; M. Muja & D. Lowe, "Fast
approximate nearest neighbors with automatic algorithm configuration", VISAPP 2009, § 3.2. Li et al. (2011), § 4.1,
build as many of them as the forest has trees, with random initializations, and use their leaves as index words.

A node's points are divided into `branching` regions by k-means, and these again, until they are small. The trees differ
in their initial centres alone. Two searches give candidates: best-bin-first, to any wanted number of them, and the
union of the leaves that the query reaches, by the number of trees that agree.

Readings of what the sources leave open
---------------------------------------
* The initial centres are points of the node, drawn without replacement, no two of them equal; a node with fewer
  different points has fewer regions, one with a single point many times over is a leaf.
* A region is divided while it has more than `leaf_size` points; the default is that of the source, which stops at fewer
  points than `branching`.
* k-means ends after `iterations` steps, or when no point moves. A region that has lost all its points is dropped. Where
  no more than one is left, the node stays a leaf.
* After the last step every point is in the region of its nearest centre. So a query that is a point ends in its leaf.
* Several trees share one queue of unexplored branches (as the randomized k-d trees of § 3.1 do).

Not handled here: distances other than the Euclidean, adding points, a search that weighs a branch by its variance.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.ball_trees import LARGEST
from refimpl.checks import as_count, as_generator, as_kernels
from refimpl.results import from_new_arrays, require_forms, result
from refimpl.rivals.candidates import Candidates, as_points

__all__ = ["KMeansTrees", "kmeans_trees"]


@result
@dataclass(frozen=True, eq=False)
class KMeansTrees:
    """Trees over the same n points; a node's children are nodes with successive numbers, as are the nodes of a tree.

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
        Places in X; ascending within a leaf.
    """

    roots: np.ndarray
    centres: np.ndarray
    first: np.ndarray
    last: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    members: np.ndarray

    def __post_init__(self):
        numbers = dict.fromkeys(("roots", "first", "last", "starts", "ends", "members"), (np.int64, 1))
        require_forms(self, centres=(np.float64, 2, LARGEST), **numbers)
        nodes, trees = len(self.first), len(self.roots)
        for name in ("last", "starts", "ends"):
            if getattr(self, name).shape != (nodes,):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}; there are {nodes} nodes")
        if len(self.centres) != nodes or self.centres.shape[1] < 1 or not trees or len(self.members) % trees:
            raise ValueError(f"centres, members: shapes {self.centres.shape}, {self.members.shape}; no trees have them")
        children, parents = self._families()
        self._require_nodes(nodes, children)
        self._require_points(len(self.members) // trees, children, parents)

    def _require_nodes(self, nodes, children):
        """Refuse nodes from which a search does not come down to a leaf of the same tree."""
        inner = np.flatnonzero(self.first < self.last)
        if (self.first[inner] <= inner).any() or (self.last[inner] > nodes).any():
            raise ValueError("first, last: a node's children must come after it")
        if not np.array_equal(np.sort(np.concatenate([self.roots, children])), np.arange(nodes)):
            raise ValueError("roots, first, last: every node must be a root or the child of one other")
        if (np.diff(self.roots) <= 0).any() or self.roots[0] != 0:
            raise ValueError("roots must rise from 0: the trees stand one after the other")

    def _families(self):
        """All children, and the parent of each: two arrays of int64."""
        counts = np.maximum(self.last - self.first, 0)
        if counts.sum() > len(counts):
            raise ValueError("first, last: every node must be a root or the child of one other")
        parents = np.repeat(np.arange(len(counts)), counts)
        place = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[parents] + place, parents

    def _require_points(self, n, children, parents):
        """Refuse leaves in which a search would not find every point once in each tree."""
        if (self.starts >= self.ends).any():
            raise ValueError("starts, ends: every node must hold a point at least")
        whole = n * np.arange(len(self.roots))
        if n == 0 or (self.starts[self.roots] != whole).any() or (self.ends[self.roots] != whole + n).any():
            raise ValueError(f"starts, ends: a root must hold the {n} members of its tree")
        eldest, youngest = children == self.first[parents], children == self.last[parents] - 1
        before = np.where(eldest, self.starts[parents], self.ends[children - 1])
        if (self.starts[children] != before).any() or (self.ends[children] != self.ends[parents])[youngest].any():
            raise ValueError("starts, ends: the children of a node must divide its members between them")
        for members in self.members.reshape(len(self.roots), n):
            inside = members.min() >= 0 and members.max() < n
            if not inside or not np.bincount(members, minlength=n).all():
                raise ValueError("members must hold each point once for each tree")

    @property
    def n(self):
        """The number of points."""
        return len(self.members) // len(self.roots)

    @property
    def leaves(self):
        """The nodes without children: an array of int64."""
        return np.flatnonzero(self.first >= self.last)

    def truncated(self, n_trees):
        """The first trees alone: those that the same generator would have given with this number."""
        n_trees = as_count(n_trees, "n_trees")
        if n_trees > len(self.roots):
            raise ValueError(f"n_trees is {n_trees}; there are {len(self.roots)} trees")
        nodes = slice(0, self.roots[n_trees] if n_trees < len(self.roots) else len(self.first))
        parts = (getattr(self, name)[nodes] for name in ("centres", "first", "last", "starts", "ends"))
        return KMeansTrees(self.roots[:n_trees], *parts, self.members[: n_trees * self.n])

    def candidates(self, queries, most, *, kernels=None, threads=None):
        """The first points that best-bin-first search finds: Muja & Lowe (2009), § 3.2.

        Parameters
        ----------
        queries : array_like, shape (m, d)
        most : int
            Candidates wanted; all points if there are no more.
        kernels : module, optional
            The default is :mod:`refimpl.kernels`.
        threads : int, optional

        Returns
        -------
        Candidates
            Scores: how many leaves had been opened before.
        """
        kernels, most = as_kernels(kernels), min(as_count(most, "most"), self.n)
        Q = as_points(queries, "queries", self.centres)
        indices, opened, _ = kernels.best_bin_first(self, Q, most, threads=threads)
        return from_new_arrays(Candidates, np.arange(len(Q) + 1) * most, indices.reshape(-1), opened.reshape(-1))

    def colliding(self, queries, most=None, *, kernels=None, threads=None):
        """The union of the leaves that the query reaches, by the trees that agree: Li et al. (2011), §§ 3.4 and 4.3.

        Parameters
        ----------
        queries, kernels, threads
            As for :meth:`candidates`.
        most : int, optional
            Not more than so many for a query.

        Returns
        -------
        Candidates
            Scores: the number of trees in which the point is in the query's leaf.
        """
        kernels, most = as_kernels(kernels), self.n if most is None else as_count(most, "most")
        Q = as_points(queries, "queries", self.centres)
        leaves = kernels.tree_leaves(self, Q, threads=threads)
        votes = kernels.bucket_votes(self.starts, self.ends, self.members, leaves, self.n, most, threads=threads)
        return from_new_arrays(Candidates, *votes)


def kmeans_trees(X, n_trees=1, *, rng, branching=32, leaf_size=None, iterations=7, kernels=None, threads=None):
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
        Steps of k-means at most.
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
    """
    kernels, X, rng = as_kernels(kernels), as_points(X, "X"), as_generator(rng)
    n_trees, branching = as_count(n_trees, "n_trees"), as_count(branching, "branching", minimum=2)
    leaf_size = branching - 1 if leaf_size is None else as_count(leaf_size, "leaf_size")
    iterations = as_count(iterations, "iterations", minimum=0)
    roots, parts = [0], []
    for t, seed in enumerate(rng.integers(2**63, size=n_trees).tolist()):
        tree = _grown(X, np.random.default_rng(seed), branching, leaf_size, iterations, kernels, threads)
        centres, children, points, members = tree
        inner = children[:, :1] < children[:, 1:]
        parts.append((centres, children + roots[-1] * inner, points + t * len(X), members))
        roots.append(roots[-1] + len(centres))
    centres, children, points, members = (np.concatenate(part) for part in zip(*parts, strict=True))
    columns = (np.ascontiguousarray(column) for column in (*children.T, *points.T))
    return from_new_arrays(KMeansTrees, np.array(roots[:-1]), centres, *columns, members)


def _grown(X, rng, branching, leaf_size, iterations, kernels, threads):
    """One tree: centres, (first, last) and (start, end) of each node, and its members."""
    members = np.arange(len(X))
    centres, children, points = [X.mean(axis=0)], [], [(0, len(X))]
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
                    ends = start + np.cumsum(used)
                    points += [(e - u, e) for e, u in zip(ends.tolist(), used.tolist(), strict=True) if u]
                    centres += list(C[used > 0])
        children.append((first, len(centres)) if len(centres) > first else (0, 0))
    return np.array(centres), np.array(children, dtype=np.int64), np.array(points, dtype=np.int64), members


def initial_centres(X, rows, k, rng):
    """Up to k different points among X[rows], in random order: shape (k or less, d)."""
    chosen = {}
    for i in rows[rng.permutation(len(rows))]:
        chosen.setdefault((X[i] + 0.0).tobytes(), i)  # 0.0 has no sign
        if len(chosen) == k:
            break
    return X[list(chosen.values())]
