"""A search tree while it grows: its nodes, their splits, and the weights of the training pairs.

A *node* is a part of the training points together with M_ij = w_ij z_ij of their pairs (eqs. 6, 10
and 18 of Li et al., 2011). A node gives its worth J^k (eq. 17), products with M, the best
thresholds, and its two parts. A *leaf* is a node that is not split.

Not handled here: how the weights are held (``pairs.py``), which split a node gets
(``algorithm.py``, ``growing.py``).
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from refimpl.typing import BoolArray, FloatArray, Int32Array, IntArray, Points

__all__ = ["Node", "Pairs", "Round", "Split", "Tree"]

Leaves: TypeAlias = IntArray | Int32Array
"""The leaf that each point reaches, in one tree or in each of several."""


class Node(Protocol):
    """Some training points and the weights of their pairs.

    Attributes
    ----------
    n : int
        The number of points.
    J : float
        J^k of eq. 17, p. 5: the sum of M over all pairs of the node.
    """

    n: int
    J: float

    def negligible(self) -> float:
        """Return the largest rise of eq. 17 that counts as rounding."""

    def product(self, u: FloatArray) -> FloatArray:
        """Return the symmetric part of M times u."""

    def leading_direction(self, x: FloatArray, start: FloatArray, tol: float) -> FloatArray:
        """Return the leading eigenvector of X~ M X~^T (eq. 18); the rows of x are those of X~^T."""

    def best_thresholds(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return, for each column, J^k less the largest J^k(1) + J^k(2), and the threshold."""

    def best_plane(
        self, X: Points, start: FloatArray, augment: float, tol: float, offset: str, refine: int
    ) -> "Split":
        """Return the result of :func:`refimpl.kernels.best_plane` for this node's points."""

    def split(self, left: BoolArray) -> "tuple[Node, Node]":
        """Return the node of the points with left[i], and the node of the others."""


class Pairs(Protocol):
    """The weights w_ij of all training pairs, which change with each tree.

    Attributes
    ----------
    lam : float
        lambda of eq. 4.
    """

    lam: float

    def root(self) -> Node:
        """Return the node of all points."""

    def masses(self, leaf: IntArray) -> tuple[float, float]:
        """Return the weights of the similar and of the dissimilar pairs within leaves (eq. 14)."""

    def meet(self, leaf: IntArray, c: float) -> None:
        """Add c to T of the pairs within leaves (eq. 8)."""

    def loss_and_objective(self) -> tuple[float, float]:
        """Return L(T) of eq. 7 and J(T) of eq. 5, as sums over the pairs."""


class Split(NamedTuple):
    """The two sides of a node.

    Attributes
    ----------
    p : ndarray, shape (d,), or int
        The normal of the hyperplane, or the coordinate that a stump compares.
    b : float
    left : ndarray, shape (n,), bool
        True for the points of the node with p^T x + b > 0.
    """

    p: Points | int
    b: float
    left: BoolArray


@dataclass
class Tree:
    """A search tree. Its nodes are numbered in the order of their creation; the root is 0.

    Attributes
    ----------
    left : list of int
        The left child of a node; the right one is the next. -1 at a leaf.
    p, b : list
        The split of a node, as in :class:`Split`; None and 0 at a leaf.
    leaf : ndarray, shape (n,), int64
        The leaf of each training point.
    J : float
        Eq. 17, p. 5.
    """

    left: list[int]
    p: list[Points | int | None]
    b: list[float]
    leaf: IntArray
    J: float

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return (len(self.left) + 1) // 2

    def split(self, k: int, split: Split, rows: IntArray, rise: float) -> tuple[int, int]:
        """Make two children of leaf k, which the points `rows` reach; return their numbers."""
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
    refimpl.search_forest.search_forest : Its callback gets the rounds.

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
