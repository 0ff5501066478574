"""The Boosted Search Forest as printed: Li, Ning, Cao, Zhang, Gong & Huang, "Learning to Search
Efficiently in High Dimensions" (2011), § 3, its errata corrected.

The functions stand in the paper's order: objective and z (eqs. 1 to 6), loss and ensemble (eqs. 7
and 8), weights (eq. 10), masses and c (eqs. 14 and 15), Algorithm 1, the selection of a tree (eq.
16), the worth of leaves and the split of a node (eqs. 17 and 18), Algorithm 2, the forest (§ 3.4).
s, z, w, T, t and M are matrices of all pairs of training points.

Not handled here: checks of the input, options, continuing (``training.py``), many points
(``pairs.py``), the form of a tree (``model.py``), the inverted index (``index.py``).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from refimpl.arrays import any_arrays
from refimpl.search_forest.model import Leaves, Round, Split, Tree, as_lam
from refimpl.typing import BoolArray, FloatArray, IntArray, Points

__all__ = [
    "J",
    "Round",
    "augmented",
    "best_c",
    "hyperplane",
    "masses",
    "same_partition",
    "search_forest",
    "search_tree",
    "selection",
    "selection_rounds",
    "tree_selection",
    "weights",
    "z_values",
]


# -------------------------------------------------------------------------------------------- § 3.1


@any_arrays
def objective(T: FloatArray, s: BoolArray, lam: float) -> float:
    """Return J(T), the quality of what is selected less lambda times its cost: eqs. 1, 2, 4, 5."""
    selected = T > 0
    Q = np.count_nonzero(selected & s)  # SF:eq1
    C = np.count_nonzero(selected)  # SF:eq2
    return Q - lam * C  # SF:eq4, SF:eq5


@any_arrays
def z_values(s: BoolArray, lam: float) -> FloatArray:
    """Return z_ij, the worth of selecting a pair: eq. 6."""
    return np.where(s, 1 - lam, -lam)  # SF:eq6


# -------------------------------------------------------------------------------------------- § 3.2


@any_arrays
def loss(w: FloatArray) -> float:
    """Return L(T), the sum of exp(-z_ij T(x_i, x_j)) = w_ij: eq. 7."""
    return float(w.sum())  # SF:eq7


@any_arrays
def selection(leaves_i: Leaves, leaves_j: Leaves, c: FloatArray) -> FloatArray:
    """Return T(x_i, x_j), (n_i, n_j), of points that reach these leaves of M trees: eq. 8."""
    T = np.zeros((len(leaves_i), len(leaves_j)))
    for m, c_m in enumerate(c):
        T += c_m * tree_selection(leaves_i[:, m], leaves_j[:, m])  # SF:eq8
    return T


@any_arrays
def weights(z: FloatArray, T: FloatArray) -> FloatArray:
    """Return w_ij: eq. 10."""
    w: FloatArray = np.exp(-z * T)  # SF:eq10
    return w


@any_arrays
def masses(w: FloatArray, t: BoolArray, s: BoolArray) -> tuple[float, float]:
    """Return P_w[t = 1, s = 1] and P_w[t = 1, s = 0], as sums of weights: eq. 14."""
    return w[t & s].sum(), w[t & ~s].sum()  # SF:eq14  ERRATUM BSF-4


def best_c(similar: float, dissimilar: float, lam: float) -> float:
    """Return c*, the weight of a tree, from the masses of eq. 14: eq. 15."""
    worth = (1 - lam) * similar
    # ERRATUM BSF-1, BSF-3  so a tree without dissimilar pairs has a finite weight
    cost = lam * max(dissimilar, 1.0)
    # ERRATUM BSF-3  a tree with c* < 0 selects the wrong pairs
    return float(np.log(worth / cost)) if worth > cost else 0.0  # SF:eq15


@any_arrays
def selection_rounds(
    s: BoolArray, lam: float, M: int, learn: Callable[[FloatArray], Tree]
) -> Iterator[Round]:
    """Run Algorithm 1: Boosted Selection Function Learning.

    s : whether the points of a pair are similar, (n, n)
    learn : gets M_ij = w_ij z_ij of eq. 18 and returns a base selection function, a tree
    """
    z = z_values(s, lam)
    T = np.zeros(s.shape)
    pairs = ~np.eye(len(s), dtype=bool)  # open: own-pair
    w = np.where(pairs, weights(z, T), 0.0)  # w_ij = 1
    for m in range(1, M + 1):  # SF:1:1
        tree = learn(w * z)  # SF:1:2
        t = tree_selection(tree.leaf, tree.leaf)
        similar, dissimilar = masses(w, t, s)
        c = best_c(similar, dissimilar, lam)
        if c <= 0:  # ERRATUM BSF-3
            return
        T = T + c * t  # SF:1:3
        w = np.where(pairs, weights(z, T), 0.0)  # SF:1:4  ERRATUM BSF-2
        yield Round(m, tree, c, similar, dissimilar)


def until_repeated(rounds: Iterable[Round]) -> Iterator[Round]:
    """Yield rounds until a tree puts the same points together as the last one."""
    before = None
    for round in rounds:
        if before is not None and same_partition(round.tree.leaf, before.leaf):
            return  # open: repeated-tree
        yield round
        before = round.tree


@any_arrays
def same_partition(leaf: Leaves, other: Leaves) -> bool:
    """Return whether two trees put the same points together, whatever their leaves are called."""
    both = len(np.unique(np.stack([leaf, other]), axis=1).T)
    return both == len(np.unique(leaf)) == len(np.unique(other))


# -------------------------------------------------------------------------------------------- § 3.3


@any_arrays
def tree_selection(leaf_i: Leaves, leaf_j: Leaves) -> BoolArray:
    """Return t(x_i, x_j), whether two points reach the same leaf, (n_i, n_j): eq. 16."""
    t: BoolArray = leaf_i[:, np.newaxis] == leaf_j  # SF:eq16
    return t


@any_arrays
def J(M: FloatArray, rows: IntArray) -> float:
    """Return J^k, the sum of w_ij z_ij over the pairs of the points `rows` of a leaf: eq. 17."""
    return float(M[np.ix_(rows, rows)].sum())  # SF:eq17


@any_arrays
def augmented(X: Points) -> FloatArray:
    """Return x~ = [x^T 1]^T of each point as a row, (n, d + 1): eq. 18."""
    return np.column_stack([X, np.ones(len(X))])


@any_arrays
def hyperplane(X: FloatArray, M: FloatArray) -> Split:
    """Return the split of a node by the plane that makes p~^T X~ M X~^T p~ largest: eq. 18."""
    x = augmented(X)
    A = x.T @ M @ x
    p = np.linalg.eigh((A + A.T) / 2).eigenvectors[:, -1]  # SF:eq18  of the largest eigenvalue
    return Split(p[:-1], float(p[-1]), x @ p > 0)


@any_arrays
def search_tree(
    X: FloatArray,
    M: FloatArray,
    best_split: Callable[[FloatArray, FloatArray], Split] = hyperplane,
    max_depth: int = 16,
) -> Tree:
    """Run Algorithm 2: Search Tree Construction.

    X : the points, (n, d)
    M : M_ij of all pairs, (n, n)
    max_depth : the most splits between the root and a leaf
    """
    root = np.arange(len(X))
    tree = Tree([-1], [None], [0.0], np.zeros(len(X), dtype=np.int64), J(M, root))
    queue = [(0, 0, root)]  # SF:2:1
    while queue:  # SF:2:2, SF:2:8
        k, depth, rows = queue.pop(0)  # SF:2:3  # open: queue-order
        split = best_split(X[rows], M[np.ix_(rows, rows)])  # SF:2:4
        left, right = rows[split.left], rows[~split.left]
        rise = J(M, left) + J(M, right) - J(M, rows)
        if rise > 1e-9 * np.abs(M[np.ix_(rows, rows)]).sum():  # SF:2:5  # open: rounding
            children = tree.split(k, split, rows, rise)  # SF:2:6
            for child, side in zip(children, (left, right), strict=True):
                if len(side) > 1 and depth + 1 < max_depth:  # open: depth
                    queue.append((child, depth + 1, side))
    return tree


# -------------------------------------------------------------------------------------------- § 3.4


@any_arrays
def search_forest(
    X: FloatArray, s: BoolArray, lam: float, M: int, max_depth: int = 16
) -> list[Round]:
    """Learn a Boosted Search Forest from s_ij, (n, n): Algorithm 1 with Algorithm 2's trees."""
    learn = partial(search_tree, X, max_depth=max_depth)
    return list(until_repeated(selection_rounds(s, as_lam(lam), M, learn)))
