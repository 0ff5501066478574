"""What a search forest is learnt from and made of: similarities, options, trees, their arrays.

Li et al. (2011), §§ 3.1, 3.4 and 4. The *similarity* s_ij is 1 if point j should be found for point
i, else 0. The class of a forest is :class:`refimpl.kernels.SearchForest`. Here its arrays are made
from the rounds of Algorithm 1, and the rounds are read back from them.

Not handled here: graded similarities.
"""

from __future__ import annotations  # scipy.sparse is imported when first used

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy

from refimpl.arrays import LARGEST, as_matrix, for_kernel, in_dimensions
from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, as_labels, as_number, one_of, set_checked
from refimpl.kernels import SearchForest
from refimpl.kernels.contract import check_threads
from refimpl.resources import check_free_memory
from refimpl.results import from_new_arrays
from refimpl.typing import ArrayLike, BoolArray, Int32Array, IntArray, Kernels, Labels, Points

Leaves: TypeAlias = IntArray | Int32Array
"""The leaf that each point reaches, in one tree or in each of several."""

COORDINATES = ("node", "given")
MOST = 1e100  # of `augment`, whose squares are summed, and of `tol`
LEAST_LAM = 1e-100  # with less, the weight of a tree would be infinite
OFFSETS = ("eigenvector", "best")
PAIRS = ("meeting", "dense")


@dataclass(frozen=True)
class ForestOptions:
    """How the trees of a search forest grow; an argument of :func:`search_forest`.

    By default the plane of eq. 18 splits every node (Li et al., 2011, p. 5), in coordinates that
    find more neighbours than the paper's; ``coordinates="given"`` is eq. 18 as printed. The paper's
    stumps for large nodes (§ 3.3) are `stump_above` and `n_stumps`. `max_leaves`,
    ``offset="best"`` and `refine` go beyond the paper.

    Parameters
    ----------
    max_depth : int, default 16
        The largest number of splits between the root and a leaf.
    max_leaves : int, optional
        The largest number of leaves of a tree; by default there is no limit.
    stump_above : int, optional
        Nodes with more points than this are split by stumps: by a threshold on one coordinate. By
        default no node is.
    n_stumps : int, default 16
        The number of coordinates that are tried, drawn anew for each node, with every threshold.
    coordinates : {"node", "given"}, default "node"
        The coordinates of the points to which x~ of eq. 18 adds an entry. "node" centres and scales
        the points of each node, and adds `augment`. "given" is x~ = [x^T 1]^T, as printed, of the
        points as they are; it needs the offset of the eigenvector and no moves, and `augment` is
        not used. Among the 2 % of the database with the largest T, the forests of "node" have 84 %
        of the nearest neighbours on digits, 83 % on letters, 67 % on SIFT and 76 % on MNIST's
        pixels, and those of "given" 71, 64, 6 and 50 % (PAPER.md says how this was measured).
    offset : {"eigenvector", "best"}, default "eigenvector"
        How b of a plane p^T x + b is found: from the eigenvector, as in eq. 18, or as the threshold
        on p^T x that maximises eq. 17 itself. A plane that is moved gets its best threshold.
    refine : int, default 0
        How often a plane may be moved, from the eigenvector on, to where eq. 17 is larger. Eq. 17
        is the quantity that a split should maximise (p. 5). With 0 the plane stays where eq. 18
        puts it. A tree with ``refine=10`` takes about twice as long.
    augment : float, default 0.1
        The last entry of x~ = [x^T augment]^T, whose other entries have the mean squared length 1
        in each node. With a larger `augment`, b varies more freely, and more planes leave all
        points on one side.
    tol : float, default 1e-4
        The relative residual to which eigenvectors are computed.
    pairs : {"meeting", "dense"}, default "meeting"
        How the weights of the pairs are held: in a list of the pairs that have met in a leaf, or in
        matrices, for at most 5,000 points. The sums over pairs agree exactly, the eigenvectors up
        to rounding, so trees may differ where rounding chooses a split.

    Raises
    ------
    TypeError, ValueError
        If an option is of another type or out of its range.

    See Also
    --------
    search_forest : Learn a forest with `options`.

    Examples
    --------
    >>> from refimpl.search_forest import ForestOptions
    >>> ForestOptions(max_depth=12, refine=10).max_depth
    12
    >>> ForestOptions(offset="middle")
    Traceback (most recent call last):
        ...
    ValueError: offset must be 'eigenvector' or 'best'; got 'middle'
    """

    max_depth: int = 16
    max_leaves: int | None = None
    stump_above: int | None = None
    n_stumps: int = 16
    coordinates: str = "node"
    offset: str = "eigenvector"
    refine: int = 0
    augment: float = 0.1
    tol: float = 1e-4
    pairs: str = "meeting"

    def __post_init__(self) -> None:
        set_checked(self, as_count, "max_depth", "n_stumps")
        set_checked(self, as_count, "max_leaves", minimum=2)
        set_checked(self, as_count, "stump_above", "refine", minimum=0)
        set_checked(self, as_number, "augment", "tol", below=MOST)
        one_of(self.coordinates, COORDINATES, "coordinates")
        one_of(self.offset, OFFSETS, "offset")
        if self.coordinates == "given" and (self.offset != "eigenvector" or self.refine):
            raise ValueError(
                "offset must be 'eigenvector' and refine 0 with coordinates='given'; "
                f"got {self.offset!r} and {self.refine}"
            )
        one_of(self.pairs, PAIRS, "pairs")


DEFAULTS = ForestOptions()


# ------------------------------------------------------------------------------------ similarities

PAIR_BYTES = 14  # for an entry: the product, its copy as bool, and their columns


def neighbor_similarity(
    X: ArrayLike, k: int = 100, *, kernels: Kernels | None = None, threads: int | None = None
) -> scipy.sparse.csr_matrix:
    """Return which points are similar: x_j to x_i if it is among the k nearest neighbours of x_i.

    Source: § 4 of Li et al. (2011), where k is called K.

    Parameters
    ----------
    X : array_like, shape (n, d)
    k : int, default 100
        Less than n. A point is not its own neighbour.
    kernels, threads
        As for :func:`search_forest`.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)
        s_ij, with k entries in each row; not symmetric.

    Raises
    ------
    TypeError, ValueError
        If `X` is no matrix of finite numbers, or `k` is no integer from 1 to n - 1.

    See Also
    --------
    label_similarity : Points of the same class are similar.
    search_forest : Learn a forest from the similarity.

    Examples
    --------
    >>> from refimpl.search_forest import neighbor_similarity
    >>> neighbor_similarity([[0.0], [1.0], [3.0]], 1).astype(int).toarray()
    array([[0, 1, 0],
           [1, 0, 0],
           [0, 1, 0]])
    """
    points: Points = as_matrix(X, "X")
    n = len(points)
    k = as_count(k, "k", most=n - 1, why=f"as X has {n} points")
    check_threads(threads)
    nearest = nearest_neighbors(None, points, k, kernels=kernels, threads=threads).indices
    starts = np.arange(0, nearest.size + 1, k)
    similar = np.ones(nearest.size, dtype=bool)
    S = scipy.sparse.csr_matrix((similar, nearest.ravel(), starts), shape=(n, n))
    S.sort_indices()
    return S


def label_similarity(y: ArrayLike) -> scipy.sparse.csr_matrix:
    """Return which points are similar: points with the same label.

    Source: § 1 of Li et al. (2011), semantic similarity.

    Parameters
    ----------
    y : array_like, shape (n,)
        Classes of n_1, n_2, ... points give n_1^2 + n_2^2 + ... entries.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)
        s_ij. Its diagonal is set; :func:`search_forest` does not read the diagonal.

    Raises
    ------
    TypeError, ValueError
        If `y` is no list of at least one label, or the labels are not of one type.
    MemoryError
        If the entries would not fit into the memory that is free.

    See Also
    --------
    neighbor_similarity : Near points are similar.
    search_forest : Learn a forest from the similarity.

    Examples
    --------
    >>> from refimpl.search_forest import label_similarity
    >>> label_similarity(["a", "b", "a"]).astype(int).toarray()
    array([[1, 0, 1],
           [0, 1, 0],
           [1, 0, 1]])
    """
    labels: Labels = as_labels(y, None, "y")
    places = np.unique(labels, return_inverse=True)[1]
    pairs = int((np.bincount(places) ** 2).sum())
    check_free_memory(PAIR_BYTES * pairs, "the similarity of all pairs of a class", "points")
    member = scipy.sparse.csr_matrix(
        (np.ones(len(places), dtype=np.int32), (np.arange(len(places)), places))
    )
    S = (member @ member.T).astype(bool).tocsr()
    S.sort_indices()
    return S


def as_similarity(S: Any, n: int) -> scipy.sparse.csr_matrix:
    """Return s_ij, (n, n), as a sparse matrix of bool without a diagonal."""
    if not scipy.sparse.issparse(S):
        S = scipy.sparse.csr_matrix(as_matrix(S, "S"))
    if S.shape != (n, n):
        raise ValueError(f"S must have shape ({n}, {n}), as X has {n} points; got {S.shape}")
    S = scipy.sparse.coo_matrix(S)
    if not np.isin(S.data, (0, 1)).all():
        other = S.data[~np.isin(S.data, (0, 1))][0]
        raise ValueError(
            f"S must hold 0 and 1 only; got {other}. A threshold makes it binary, such as S > 0.5"
        )
    kept = (S.data != 0) & (S.row != S.col)
    if not kept.any():
        raise ValueError("S must have a similar pair of different points; got none")
    S = scipy.sparse.csr_matrix(
        (np.ones(np.count_nonzero(kept), dtype=bool), (S.row[kept], S.col[kept])), shape=(n, n)
    )
    S.sum_duplicates()
    return S.astype(bool)


def as_lam(lam: float) -> float:
    """Return lambda of eq. 4, below 1 and above 0, so that a candidate has a cost."""
    return as_number(lam, "lam", minimum=LEAST_LAM, below=1.0)


# ------------------------------------------------------------------------------------------- trees


class Split(NamedTuple):
    """The two sides of a node."""

    p: Points | int  # the normal of the hyperplane, or the coordinate that a stump compares
    b: float
    left: BoolArray  # True for the points of the node with p^T x + b > 0


@dataclass
class Tree:
    """A search tree. Its nodes are numbered in the order of their creation; the root is 0."""

    left: list[int]  # the left child of each node, -1 at a leaf; the right one is the next
    p: list[Points | int | None]  # as in :class:`Split`; None at a leaf
    b: list[float]
    leaf: IntArray  # the leaf of each training point
    J: float  # eq. 17, p. 5

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


# ------------------------------------------------------------------------------------------- checks


def require_forest(forest: object, name: str) -> None:
    """Refuse anything but a SearchForest."""
    if not isinstance(forest, SearchForest):
        raise TypeError(
            f"{name} must be a SearchForest, as search_forest returns it; "
            f"got {type(forest).__name__}"
        )


def points_for(forest: SearchForest, X: ArrayLike, name: str) -> Points:
    """Return points in the dtype of the forest's planes, finite there and within 1e140."""
    single = forest.planes.dtype == np.float32
    points = in_dimensions(as_matrix(X, name, single=single), forest.planes.shape[1], name)
    with np.errstate(over="ignore"):
        return within_range(for_kernel(points, forest.planes.dtype), name)


def within_range(X: Points, name: str) -> Points:
    """Return `X` itself; refuse values whose squares cannot be summed."""
    # a float32 may be infinite here, where a larger number was cast to float32
    # in float: as a float32, LARGEST would be infinite
    if max(float(X.max()), -float(X.min())) > LARGEST:
        limit = "1e140" if X.dtype == np.float64 else "what float32, the trees' dtype, can hold"
        raise ValueError(
            f"{name} must hold values within {limit} in absolute value; scale the data down"
        )
    return X


# ---------------------------------------------------------------------------------- trees in arrays


def forest_of_rounds(
    rounds: Sequence[Round], history: Sequence[Sequence[float]], X: Points, lam: float, message: str
) -> SearchForest:
    """Return the forest of some rounds, at least one, with a row of its history for each."""
    sizes = np.array([len(r.tree.left) for r in rounds])
    roots = np.cumsum(sizes) - sizes
    left = np.concatenate([r.tree.left for r in rounds])
    left = np.where(left < 0, -1, left + np.repeat(roots, sizes))
    normals = [p for r in rounds for p in r.tree.p]
    feature = [p if isinstance(p, int) else -1 for p in normals]
    planes = [p for p in normals if isinstance(p, np.ndarray)]
    is_plane = np.array([isinstance(p, np.ndarray) for p in normals])
    forest: SearchForest = from_new_arrays(
        SearchForest,
        c=np.array([r.c for r in rounds]),
        roots=roots.astype(np.int64),
        left=left.astype(np.int32),
        word=np.where(left < 0, np.cumsum(left < 0) - 1, -1).astype(np.int32),
        plane=np.where(is_plane, np.cumsum(is_plane) - 1, -1).astype(np.int32),
        feature=np.array(feature, dtype=np.int32),
        offset=np.concatenate([r.tree.b for r in rounds]).astype(np.float64),
        planes=np.stack(planes) if planes else np.empty((0, X.shape[1]), dtype=X.dtype),
        lam=lam,
        history=np.array(history, dtype=np.float64),
        message=message,
    )
    return forest


def rounds_of_forest(forest: SearchForest, leaves: IntArray) -> list[Round]:
    """Return the rounds that gave a forest; the training points' words number their leaves."""
    rounds = []
    ends = np.append(forest.roots[1:], len(forest.left))
    for m, (a, b) in enumerate(zip(forest.roots, ends, strict=True)):
        left = np.where(forest.left[a:b] < 0, -1, forest.left[a:b] - a).tolist()
        p = [_normal(forest, k) for k in range(a, b)]
        J, similar, dissimilar = forest.history[m, :3].tolist()
        tree = Tree(left, p, forest.offset[a:b].tolist(), leaves[:, m].copy(), J)
        rounds.append(Round(m + 1, tree, float(forest.c[m]), similar, dissimilar))
    return rounds


def _normal(forest: SearchForest, k: int) -> Points | int | None:
    """Return the normal of node k: a coordinate's number for a stump, None for a leaf."""
    if forest.plane[k] >= 0:
        plane: Points = forest.planes[forest.plane[k]]
        return plane
    return int(forest.feature[k]) if forest.feature[k] >= 0 else None
