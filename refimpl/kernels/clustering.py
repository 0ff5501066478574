"""Hierarchical k-means trees, the rivals of the search forest: clustering of a node's points, and the trees' searches.

A squared distance is added up in the order of the coordinates, as in :mod:`refimpl.kernels.trees`. No coordinate may be
beyond 1e140. What does not fit :data:`refimpl.kernels.contract.CONTRACT` raises TypeError or ValueError.
"""

from heapq import heappop, heappush

import numpy as np

from refimpl.kernels.arguments import require_within
from refimpl.kernels.contract import checked
from refimpl.kernels.trees import squared_distances


@checked
def lloyd(X, rows, centres, iterations, *, threads=None):
    """Lloyd's k-means on some of the points, from given centres.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    rows : ndarray, shape (p,), int64
        The points to be clustered are X[rows]; the others are not looked at.
    centres : ndarray, shape (k, d), float64
        Where to begin.
    iterations : int
        At most so many times the centres become the means of their points; it ends when no point moves.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    centres : ndarray, shape (k, d), float64
        The sum of a mean is taken in the order of `rows`. A centre without points stays where it is.
    nearest : ndarray, shape (p,), int64
        For each point its nearest centre, as they are returned; of equally near ones the lowest.
    """
    S, centres = X[rows], centres.copy()
    require_within(S, "X[rows]")
    nearest = nearest_centres(S, centres)
    for _ in range(iterations):
        sums, count = np.zeros_like(centres), np.bincount(nearest, minlength=len(centres))
        np.add.at(sums, nearest, S)
        centres[count > 0] = sums[count > 0] / count[count > 0, np.newaxis]
        before, nearest = nearest, nearest_centres(S, centres)
        if (nearest == before).all():
            break
    return centres, nearest


def nearest_centres(S, centres):
    """The index of the centre nearest to each row of S, the lowest of several: shape (p,)."""
    return np.argmin([squared_distances(c, S) for c in centres], axis=0).astype(np.int64)


@checked
def tree_leaves(trees, Q, *, threads=None):
    """The leaf that each query reaches in each tree, going to the child with the nearest centre (the first of several).

    Parameters
    ----------
    trees : refimpl.rivals.kmeans_trees.KMeansTrees
    Q : ndarray, shape (m, d), float64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (m, n_trees), int64
        Nodes.
    """
    leaves = np.empty((len(Q), len(trees.roots)), dtype=np.int64)
    for i, q in enumerate(Q):
        for t, j in enumerate(trees.roots):
            while trees.first[j] < trees.last[j]:
                j = trees.first[j] + squared_distances(q, trees.centres[trees.first[j] : trees.last[j]]).argmin()
            leaves[i, t] = j
    return leaves


@checked
def best_bin_first(trees, Q, most, *, threads=None):
    """The first points that best-bin-first search finds: Muja & Lowe (2009), § 3.2.

    From the root the search goes down to the child with the nearest centre and keeps its siblings in a queue; then it
    goes on from the node in the queue whose centre is nearest. With several trees it goes down each of them first, and
    they share the queue. Equally near nodes come in the order of their indices.

    Parameters
    ----------
    trees : refimpl.rivals.kmeans_trees.KMeansTrees
    Q : ndarray, shape (m, d), float64
    most : int
        Points wanted, at most n: so many are found.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    indices : ndarray, shape (m, most), int64
        In the order in which they are found, those of a leaf by their indices, each point once.
    opened : ndarray, shape (m, most), int64
        How many leaves had been opened before the point's own.
    computed : ndarray, shape (m,), int64
        Centres that the query was compared with.
    """
    indices, opened = np.empty((len(Q), most), dtype=np.int64), np.empty((len(Q), most), dtype=np.int64)
    computed = np.zeros(len(Q), dtype=np.int64)
    for i, q in enumerate(Q):
        found, leaf, queue, roots = {}, 0, [], trees.roots.tolist()
        while len(found) < most:
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
                found.setdefault(member, leaf)
            leaf += 1
        indices[i], opened[i] = list(found)[:most], list(found.values())[:most]
    return indices, opened, computed
