"""The Boosted Search Forest as printed: Li, Ning, Cao, Zhang, Gong & Huang, "Learning to Search Efficiently in High
Dimensions" (2011), § 3, its errata corrected.

In the paper's order: z and the ensemble (eqs. 6 and 8), weights (eq. 10), masses and c (eqs. 14 and 15), Algorithm 1,
the selection of a tree (eq. 16), the split of a node (eqs. 17 and 18), Algorithm 2, the forest (§ 3.4). `pairs` holds
the weights of all pairs: :class:`refimpl.search_forest.pairs.DensePairs` as the paper's matrices, or
:class:`~refimpl.search_forest.pairs.MeetingPairs` for many points. A node is what ``pairs.root()`` and
``node.split(left)`` return.

Not handled here: checks of the input, continuing (``training.py``), other splits (``splits.py``), sums over pairs
(``pairs.py``), the eigensolver (``eigen.py``), the inverted index (``index.py``).
"""

import heapq
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import refimpl.kernels
from refimpl.products import times_vector, vector_times
from refimpl.search_forest.eigen import top_eigenvector

__all__ = [
    "Round", "Split", "Tree", "augmented", "best_c", "hyperplane", "masses", "search_forest", "search_tree",
    "selection", "selection_rounds", "tree_selection", "weights", "z_values",
]  # fmt: skip


# ------------------------------------------------------------------------------------------------ § 3.1


def z_values(s, lam):
    """Return z_ij of eq. 6: what it is worth to select a pair.

    Parameters
    ----------
    s : ndarray of bool
    lam : float
        lambda.

    Returns
    -------
    ndarray of the shape of `s`, float64
    """
    return np.where(s, 1 - lam, -lam)  # SF:eq6


# ------------------------------------------------------------------------------------------------ § 3.2


def selection(leaves_i, leaves_j, c):
    """Return T(x_i, x_j) of eq. 8, p. 4.

    Parameters
    ----------
    leaves_i, leaves_j : ndarray, shapes (n_i, M) and (n_j, M), integers
        The leaf of each tree that a point reaches.
    c : ndarray, shape (M,)

    Returns
    -------
    ndarray, shape (n_i, n_j), float64
        0 where a pair is not selected.
    """
    T = np.zeros((len(leaves_i), len(leaves_j)))
    for m, c_m in enumerate(c):
        T += c_m * tree_selection(leaves_i[:, m], leaves_j[:, m])  # SF:eq8
    return T


def weights(z, T):
    """Return w_ij of eq. 10, p. 4.

    Parameters
    ----------
    z, T : ndarray of one shape, float64

    Returns
    -------
    ndarray of that shape, float64
    """
    return np.exp(-z * T)  # SF:eq10


def masses(w, t, s):
    """Return P_w[t = 1, s = 1] and P_w[t = 1, s = 0], the two terms of eq. 14 that c weighs, as sums of weights.

    Parameters
    ----------
    w : ndarray, shape (n, n), float64
    t, s : ndarray, shape (n, n), bool

    Returns
    -------
    tuple of float
    """
    return w[t & s].sum(), w[t & ~s].sum()  # SF:eq14  ERRATUM BSF-4


def best_c(similar, dissimilar, lam):
    """Return c* of eq. 15, p. 5, with the denominator that eq. 14 gives it.

    Parameters
    ----------
    similar, dissimilar : float
        P_w[t = 1, s = 1] and P_w[t = 1, s = 0] as sums of weights.
    lam : float
        lambda.

    Returns
    -------
    float
        At least 0: below, the tree selects what it should not and gets no weight. Less than one dissimilar pair of
        weight 1 counts as one, so that a tree without error has a finite weight. If such a tree is learnt again, it
        gets lambda times its first weight, then lambda^2 times, and so on; any other gets 0 up to rounding.
    """
    worth = (1 - lam) * similar
    cost = lam * max(dissimilar, 1.0)  # ERRATUM BSF-1, BSF-3
    return float(np.log(worth / cost)) if worth > cost else 0.0  # SF:eq15  ERRATUM BSF-3


class Round(NamedTuple):
    """A round of Algorithm 1: the tree t_m, its weight c_m, and the two masses of eq. 14 that gave the weight."""

    m: int
    tree: "Tree"
    c: float
    similar: float
    dissimilar: float


def selection_rounds(pairs, M, learn):
    """Run Algorithm 1, p. 5: Boosted Selection Function Learning.

    Parameters
    ----------
    pairs : DensePairs or MeetingPairs
        w_ij = 1 at first.
    M : int
    learn : callable
        Learns a base selection function: gets the node of all points, which has the weights w_ij; returns a
        :class:`Tree`.

    Yields
    ------
    Round
        The rounds end before M if a tree gets no weight: so would every later one.
    """
    for m in range(1, M + 1):  # SF:1:1
        tree = learn(pairs.root())  # SF:1:2
        similar, dissimilar = pairs.masses(tree.leaf)  # SF:eq14
        c = best_c(similar, dissimilar, pairs.lam)  # SF:eq15
        if c <= 0:  # ERRATUM BSF-3
            return
        pairs.meet(tree.leaf, c)  # SF:1:3, SF:1:4  T grows, and with it w = exp(-z T)  ERRATUM BSF-2
        yield Round(m, tree, c, similar, dissimilar)


# ------------------------------------------------------------------------------------------------ § 3.3


def tree_selection(leaf_i, leaf_j):
    """Return t(x_i, x_j) of eq. 16, p. 5: whether two points reach the same leaf.

    Parameters
    ----------
    leaf_i, leaf_j : ndarray, shapes (n_i,) and (n_j,), integers

    Returns
    -------
    ndarray, shape (n_i, n_j), bool
    """
    return leaf_i[:, np.newaxis] == leaf_j  # SF:eq16


class Split(NamedTuple):
    """The two sides of a node.

    Attributes
    ----------
    p : ndarray, shape (d,), or int
        The normal of the hyperplane, or the coordinate that a stump looks at.
    b : float
    left : ndarray, shape (n,), bool
        Whether p^T x + b > 0, for the node's points.
    """

    p: np.ndarray | int
    b: float
    left: np.ndarray


def augmented(X, last=0.1):
    """Return x~ of a node's points (eq. 18), with the mean and the spread that were taken off.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    last : float, default 0.1
        The last entry, which is 1 in the paper's x~ = [x^T 1]^T.

    Returns
    -------
    x : ndarray, shape (n, d + 1), float64
    mean : ndarray, shape (d,), float64
    spread : float
        The root of the mean squared distance from the mean; 1 if the points are all equal.
    """
    mean = X.mean(axis=0, dtype=np.float64)
    away = X - mean
    spread = np.sqrt(np.einsum("ij,ij", away, away) / len(X)) or 1.0
    return np.column_stack([away / spread, np.full(len(X), last)]), mean, spread  # open: coordinates


def hyperplane(X, node, rng, *, last=0.1, tol=1e-4, kernels=refimpl.kernels, threads=None):
    """Return the split of eq. 18, p. 5: p~ is the leading eigenvector of X~ M X~^T, and its last entry gives b.

    Parameters
    ----------
    X : ndarray, shape (n, d), float32 or float64
        The node's points.
    node : node of `pairs`
        M of these points.
    rng : numpy.random.Generator
        Draws the start of the eigensolver.
    last : float, default 0.1
        See :func:`augmented`.
    tol : float, default 1e-4
        See :func:`refimpl.search_forest.eigen.top_eigenvector`.
    kernels : module
    threads : int, optional

    Returns
    -------
    Split
    """
    x, mean, spread = augmented(X, last)

    def product(p):
        return vector_times(node.product(times_vector(x, p, kernels, threads)), x, kernels, threads)

    p = top_eigenvector(product, rng.normal(size=x.shape[1]), tol=tol)  # SF:eq18
    b = spread * last * p[-1]
    p = p[:-1].astype(X.dtype)
    b = float(b - np.einsum("i,i", p, mean))  # p~^T x~ > 0 in the coordinates of X
    return Split(p, b, kernels.plane_values(X, p, threads=threads) + b > 0)


@dataclass
class Tree:
    """A search tree. Its nodes are numbered as they are made, the root is 0.

    Attributes
    ----------
    left : list of int
        The left child of a node; the right one is the next. -1 at a leaf.
    p, b : list
        The split of a node, as in :class:`Split`; None and 0 at a leaf.
    leaf : ndarray, shape (n,), int64
        The leaf of each training point.
    J : float
        Eq. 17.
    """

    left: list
    p: list
    b: list
    leaf: np.ndarray
    J: float

    @property
    def n_leaves(self):
        """The number of leaves."""
        return (len(self.left) + 1) // 2

    def split(self, k, split, rows, rise):
        """Make two children of leaf k, which `rows` reach; return their numbers."""
        children = len(self.left), len(self.left) + 1
        self.left[k] = children[0]
        self.p[k] = split.p
        self.b[k] = split.b
        self.left += [-1, -1]
        self.p += [None, None]
        self.b += [0.0, 0.0]
        self.leaf[rows] = np.where(split.left, children[0], children[1])
        self.J += rise
        return children


def search_tree(X, root, best_split, max_depth=16, max_leaves=np.inf):
    """Run Algorithm 2, p. 6: Search Tree Construction.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    root : node of `pairs`
        M of all points.
    best_split : callable
        Gets a node's points and the node; returns a :class:`Split`. See :func:`hyperplane`.
    max_depth : int, default 16
        The splits between the root and a leaf, at most.
    max_leaves : int or numpy.inf, default numpy.inf
        As printed there is no such limit.

    Returns
    -------
    Tree
    """
    tree = Tree([-1], [None], [0.0], np.zeros(len(X), dtype=np.int64), root.J)
    queue = [(root.J, 0, 0, root, np.arange(len(X)))]  # SF:2:1
    while queue and tree.n_leaves < max_leaves:  # SF:2:2, SF:2:8
        _, k, depth, node, rows = heapq.heappop(queue)  # SF:2:3  # open: queue-order
        split = best_split(X[rows], node)  # SF:2:4
        parts = node.split(split.left)
        rise = parts[0].J + parts[1].J - node.J  # SF:eq17
        if rise > node.negligible():  # SF:2:5
            children = tree.split(k, split, rows, rise)  # SF:2:6
            sides = (rows[split.left], rows[~split.left])
            for child, part, side in zip(children, parts, sides, strict=True):
                if part.n > 1 and depth + 1 < max_depth:  # open: depth
                    heapq.heappush(queue, (part.J, child, depth + 1, part, side))  # SF:2:6
    return tree


# ------------------------------------------------------------------------------------------------ § 3.4


def search_forest(X, pairs, M, rng, max_depth=16, *, kernels=refimpl.kernels, threads=None):
    """Learn a Boosted Search Forest: Algorithm 1, whose base selection functions Algorithm 2 learns (§ 3.4, p. 6).

    Parameters
    ----------
    X : ndarray, shape (n, d), float32 or float64
    pairs : DensePairs or MeetingPairs
        Of these points; at the end it has their T.
    M : int
    rng : numpy.random.Generator
        Each tree has a stream of its own.
    max_depth : int, default 16
    kernels : module
    threads : int, optional

    Returns
    -------
    list of Round
    """
    streams = iter(rng.spawn(M))

    def learn(root):
        stream = next(streams)

        def best_split(X, node):
            return hyperplane(X, node, stream, kernels=kernels, threads=threads)

        return search_tree(X, root, best_split, max_depth)

    return list(selection_rounds(pairs, M, learn))
