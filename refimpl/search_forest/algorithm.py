"""The Boosted Search Forest as printed: Li, Ning, Cao, Zhang, Gong & Huang, "Learning to Search
Efficiently in High Dimensions" (2011), § 3, its errata corrected.

The functions stand in the paper's order: z and the ensemble (eqs. 6 and 8), weights (eq. 10),
masses and c (eqs. 14 and 15), Algorithm 1, the selection of a tree (eq. 16), the split of a node
(eqs. 17 and 18), Algorithm 2, the forest (§ 3.4).

A *selection function* T(q, x) is above 0 if point x is a candidate for query q. A *node* is a part
of the training points with the weights of their pairs. `pairs` holds the weights of all pairs:
:class:`refimpl.search_forest.pairs.DensePairs` as the paper's matrices, or
:class:`~refimpl.search_forest.pairs.MeetingPairs` for many points.

Not handled here: checks of the input, continuing (``training.py``), the form of a tree
(``trees.py``), other splits (``splits.py``), sums over pairs (``pairs.py``), the eigensolver
(``refimpl/kernels/eigen.py``), the inverted index (``index.py``).
"""

import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import refimpl.kernels
from refimpl.arrays import as_single_or_double
from refimpl.search_forest.trees import Leaves, Node, Pairs, Split, Tree
from refimpl.typing import BoolArray, FloatArray, Kernels, Points

__all__ = [
    "Round",
    "augmented",
    "best_c",
    "hyperplane",
    "masses",
    "search_forest",
    "search_tree",
    "selection",
    "selection_rounds",
    "tree_selection",
    "weights",
    "z_values",
]


# -------------------------------------------------------------------------------------------- § 3.1


def z_values(s: BoolArray, lam: float) -> FloatArray:
    """Return z_ij of eq. 6, p. 4: the worth of selecting a pair.

    Parameters
    ----------
    s : ndarray of bool
        Whether the points of a pair are similar.
    lam : float
        lambda.

    Returns
    -------
    ndarray of the shape of `s`, float64

    See Also
    --------
    weights : Compute the weights of the pairs from them.

    Examples
    --------
    >>> z_values(np.array([True, False]), 0.1)
    array([ 0.9, -0.1])
    """
    return np.where(s, 1 - lam, -lam)  # SF:eq6


# -------------------------------------------------------------------------------------------- § 3.2


def selection(leaves_i: Leaves, leaves_j: Leaves, c: FloatArray) -> FloatArray:
    """Return T(x_i, x_j) of eq. 8, p. 4.

    Parameters
    ----------
    leaves_i, leaves_j : ndarray, shapes (n_i, M) and (n_j, M), integers
        The leaf of each tree that a point reaches.
    c : ndarray, shape (M,)
        The weights of the trees.

    Returns
    -------
    ndarray, shape (n_i, n_j), float64
        0 where a pair is not selected.

    See Also
    --------
    tree_selection : Return the selection of a single tree.

    Examples
    --------
    >>> leaves = np.array([[0, 2], [1, 2]])
    >>> selection(leaves, leaves, np.array([0.5, 0.25]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    T = np.zeros((len(leaves_i), len(leaves_j)))
    for m, c_m in enumerate(c):
        T += c_m * tree_selection(leaves_i[:, m], leaves_j[:, m])  # SF:eq8
    return T


def weights(z: FloatArray, T: FloatArray) -> FloatArray:
    """Return w_ij of eq. 10, p. 4.

    Parameters
    ----------
    z, T : ndarray of one shape, float64

    Returns
    -------
    ndarray of that shape, float64

    See Also
    --------
    z_values, selection : Return z and T.

    Examples
    --------
    >>> weights(np.array([0.9, -0.1]), np.array([0.0, 2.0])).round(4)
    array([1.    , 1.2214])
    """
    w: FloatArray = np.exp(-z * T)  # SF:eq10
    return w


def masses(w: FloatArray, t: BoolArray, s: BoolArray) -> tuple[float, float]:
    """Return P_w[t = 1, s = 1] and P_w[t = 1, s = 0] of eq. 14, p. 4, as sums of weights.

    Parameters
    ----------
    w : ndarray, shape (n, n), float64
    t, s : ndarray, shape (n, n), bool
        Whether a tree selects a pair, and whether the pair is similar.

    Returns
    -------
    similar, dissimilar : float
        The weights of the similar and of the dissimilar pairs that the tree selects.

    See Also
    --------
    best_c : Compute the weight of a tree from both.

    Examples
    --------
    >>> together = np.ones((3, 3), dtype=bool)
    >>> similar, dissimilar = masses(np.ones((3, 3)), together, np.eye(3, dtype=bool))
    >>> print(similar, dissimilar)
    3.0 6.0
    """
    return w[t & s].sum(), w[t & ~s].sum()  # SF:eq14  ERRATUM BSF-4


def best_c(similar: float, dissimilar: float, lam: float) -> float:
    """Return c* of eq. 15, p. 5, the weight of a tree; its denominator follows from eq. 14.

    Parameters
    ----------
    similar, dissimilar : float
        P_w[t = 1, s = 1] and P_w[t = 1, s = 0] as sums of weights.
    lam : float
        lambda.

    Returns
    -------
    float
        At least 0: a tree with c* < 0 selects the wrong pairs. Dissimilar pairs that weigh less
        than 1 together count as 1, so that a tree without error has a finite weight. If such a tree
        is learnt again, its weight is lambda times the first, then lambda^2 times, and so on. Any
        other tree that is learnt again has the weight 0, up to rounding.

    See Also
    --------
    masses : Return `similar` and `dissimilar`.

    Examples
    --------
    >>> round(best_c(4.0, 1.0, 0.2), 4)
    2.7726
    """
    worth = (1 - lam) * similar
    cost = lam * max(dissimilar, 1.0)  # ERRATUM BSF-1, BSF-3
    return float(np.log(worth / cost)) if worth > cost else 0.0  # SF:eq15  ERRATUM BSF-3


class Round(NamedTuple):
    """A round of Algorithm 1, p. 5.

    Attributes
    ----------
    m : int
        The number of the round, from 1 on.
    tree : Tree
        t_m.
    c : float
        The weight c_m of the tree.
    similar, dissimilar : float
        The two masses of eq. 14 from which the weight follows.

    See Also
    --------
    selection_rounds : Yield the rounds.

    Examples
    --------
    >>> leaf = Tree([-1], [None], [0.0], np.zeros(3, dtype=np.int64), 0.5)
    >>> Round(1, leaf, 0.25, 4.0, 2.0).c
    0.25
    """

    m: int
    tree: Tree
    c: float
    similar: float
    dissimilar: float


def selection_rounds(
    pairs: Pairs, M: int, learn: Callable[[Node], Tree], before: Tree | None = None
) -> Iterator[Round]:
    """Run Algorithm 1, p. 5: Boosted Selection Function Learning.

    Parameters
    ----------
    pairs : DensePairs or MeetingPairs
        w_ij = 1 at first.
    M : int
    learn : callable
        A function that learns a base selection function: it gets the node of all points, which has
        the weights w_ij, and returns a :class:`Tree`.
    before : Tree, optional
        The last tree of earlier rounds, which `pairs` already contain.

    Yields
    ------
    Round
        The rounds end before M when a tree gets no weight, because then no later tree gets any. A
        tree that repeats the last one has its weight already: what eq. 15 adds is rounding, or a
        remainder that the pairs of a point with itself leave.

    See Also
    --------
    search_tree : Algorithm 2, which `learn` runs.

    Examples
    --------
    >>> from refimpl.search_forest import label_similarity
    >>> from refimpl.search_forest.pairs import DensePairs
    >>> pairs = DensePairs(label_similarity([0, 0, 1]), 0.2)
    >>> leaves = Tree([1, -1, -1], [0, None, None], [0.0, 0.0, 0.0], np.array([1, 1, 2]), 1.6)
    >>> [(r.m, round(r.c, 2)) for r in selection_rounds(pairs, 1, lambda node: leaves)]
    [(1, 2.08)]
    """
    for m in range(1, M + 1):  # SF:1:1
        tree = learn(pairs.root())  # SF:1:2
        if before is not None and same_partition(tree.leaf, before.leaf):  # open: repeated-tree
            return
        before = tree
        similar, dissimilar = pairs.masses(tree.leaf)  # SF:eq14
        c = best_c(similar, dissimilar, pairs.lam)  # SF:eq15
        if c <= 0:  # ERRATUM BSF-3
            return
        # SF:1:3, SF:1:4  T grows, and with it w = exp(-z T)  ERRATUM BSF-2
        pairs.meet(tree.leaf, c)
        yield Round(m, tree, c, similar, dissimilar)


def same_partition(leaf: Leaves, other: Leaves) -> bool:
    """Return whether two trees put the same points together, whatever their leaves are called."""
    both = len(np.unique(np.stack([leaf, other]), axis=1).T)
    return both == len(np.unique(leaf)) == len(np.unique(other))


# -------------------------------------------------------------------------------------------- § 3.3


def tree_selection(leaf_i: Leaves, leaf_j: Leaves) -> BoolArray:
    """Return t(x_i, x_j) of eq. 16, p. 5: whether two points reach the same leaf.

    Parameters
    ----------
    leaf_i, leaf_j : ndarray, shapes (n_i,) and (n_j,), integers

    Returns
    -------
    ndarray, shape (n_i, n_j), bool

    See Also
    --------
    selection : Compute the weighted sum over the trees.

    Examples
    --------
    >>> tree_selection(np.array([1, 2]), np.array([1, 1]))
    array([[ True,  True],
           [False, False]])
    """
    t: BoolArray = leaf_i[:, np.newaxis] == leaf_j  # SF:eq16
    return t


def augmented(X: Points, last: float = 0.1) -> tuple[FloatArray, FloatArray, float]:
    """Return x~ of a node's points (eq. 18, p. 5), centred and scaled, with their mean and spread.

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

    See Also
    --------
    hyperplane : Compute the split from x~.

    Examples
    --------
    >>> x, mean, spread = augmented(np.array([[0.0], [2.0]]), 0.5)
    >>> x
    array([[-1. ,  0.5],
           [ 1. ,  0.5]])
    """
    mean = X.mean(axis=0, dtype=np.float64)
    away = X - mean
    spread = np.sqrt(np.einsum("ij,ij", away, away) / len(X)) or 1.0
    x = np.full((len(X), X.shape[1] + 1), float(last))
    np.divide(away, spread, out=x[:, :-1])  # open: coordinates
    return x, mean, spread


def hyperplane(
    X: Points,
    node: Node,
    rng: np.random.Generator,
    *,
    last: float = 0.1,
    tol: float = 1e-4,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Split:
    """Return the split of eq. 18, p. 5: p~ is the leading eigenvector of X~ M X~^T.

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
        The residual of the eigensolver.
    kernels, threads
        As for :func:`refimpl.search_forest.search_forest`.

    Returns
    -------
    Split

    See Also
    --------
    refimpl.search_forest.splits : Splits beyond eq. 18.

    Examples
    --------
    >>> from refimpl.search_forest import label_similarity
    >>> from refimpl.search_forest.pairs import DensePairs
    >>> X = np.array([[0.0, 3.0], [1.0, 2.0], [8.0, 2.0], [9.0, 3.0]])
    >>> node = DensePairs(label_similarity([0, 0, 1, 1]), 0.3).root()
    >>> left = hyperplane(X, node, np.random.default_rng(0)).left
    >>> bool(left[0] == left[1] != left[2] == left[3])
    True
    """
    x, mean, spread = augmented(X, last)
    p = node.leading_direction(x, rng.normal(size=len(mean) + 1), tol)  # SF:eq18
    b = spread * last * p[-1]
    p = p[:-1].astype(X.dtype)
    b = float(b - np.einsum("i,i", p, mean))  # p~^T x~ > 0 in the coordinates of X
    return Split(p, b, kernels.plane_values(X, p, threads=threads) + b > 0)


def search_tree(
    X: Points,
    root: Node,
    best_split: Callable[[Points, Node], Split],
    max_depth: int = 16,
    max_leaves: float = np.inf,
) -> Tree:
    """Run Algorithm 2, p. 6: Search Tree Construction.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    root : node of `pairs`
        M of all points.
    best_split : callable
        Gets a node's points and the node; returns a :class:`Split`. See :func:`hyperplane`.
    max_depth : int, default 16
        The largest number of splits between the root and a leaf.
    max_leaves : int or numpy.inf, default numpy.inf
        The largest number of leaves. The paper has no limit of the leaves.

    Returns
    -------
    Tree

    See Also
    --------
    selection_rounds : Algorithm 1, whose base selection functions are such trees.

    Examples
    --------
    >>> from refimpl.search_forest import label_similarity
    >>> from refimpl.search_forest.pairs import DensePairs
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> root = DensePairs(label_similarity([0, 0, 1, 1]), 0.3).root()
    >>> tree = search_tree(X, root, lambda X, node: Split(0, -4.0, X[:, 0] > 4))
    >>> tree.leaf, round(float(tree.J), 6)
    (array([2, 2, 1, 1]), 2.8)
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


# -------------------------------------------------------------------------------------------- § 3.4


def search_forest(
    X: Points,
    pairs: Pairs,
    M: int,
    rng: np.random.Generator,
    max_depth: int = 16,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> list[Round]:
    """Learn a Boosted Search Forest (§ 3.4, p. 6): Algorithm 1 with the trees of Algorithm 2.

    Parameters
    ----------
    X : ndarray, shape (n, d), float32 or float64
    pairs : DensePairs or MeetingPairs
        The pairs of these points. At the end of the training the object holds their T.
    M : int
    rng : numpy.random.Generator
        Each tree has its own stream of random numbers.
    max_depth : int, default 16
    kernels, threads
        As for :func:`refimpl.search_forest.search_forest`.

    Returns
    -------
    list of Round

    See Also
    --------
    refimpl.search_forest.search_forest : The form for use, with checks and options.

    Examples
    --------
    >>> from refimpl.search_forest import label_similarity
    >>> from refimpl.search_forest.pairs import DensePairs
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> pairs = DensePairs(label_similarity([0, 0, 1, 1]), 0.3)
    >>> rounds = search_forest(X, pairs, 1, np.random.default_rng(0))
    >>> rounds[0].tree.n_leaves
    2
    """
    X = as_single_or_double(X)
    streams = iter(rng.spawn(M))

    def learn(root: Node) -> Tree:
        stream = next(streams)

        def best_split(X: Points, node: Node) -> Split:
            return hyperplane(X, node, stream, kernels=kernels, threads=threads)

        return search_tree(X, root, best_split, max_depth)

    return list(selection_rounds(pairs, M, learn))
