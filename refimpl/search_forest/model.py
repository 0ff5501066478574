"""The options of a search forest, and its conversions and queries: arrays, index words, T(q, x).

Li et al. (2011), §§ 3.2 and 3.4. The class is :class:`refimpl.kernels.SearchForest`. Here its
arrays are made from the rounds of Algorithm 1, and the rounds are read back from them.

Not handled here: learning (``training.py``), searching (``index.py``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from refimpl.arrays import LARGEST, as_vectors_like, for_kernel
from refimpl.checks import as_count, as_kernels, as_number, one_of
from refimpl.kernels import SearchForest
from refimpl.kernels.contract import check_threads
from refimpl.resources import check_free_memory
from refimpl.results import from_new_arrays
from refimpl.search_forest import algorithm
from refimpl.search_forest.trees import Round, Tree
from refimpl.typing import ArrayLike, FloatArray, Int32Array, IntArray, Kernels, Points

__all__ = ["DEFAULTS", "ForestOptions", "SearchForest", "selection", "to_terms"]

COORDINATES = ("node", "given")
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
        counts = {"max_depth": 1, "n_stumps": 1, "refine": 0}
        counts |= {} if self.max_leaves is None else {"max_leaves": 2}
        counts |= {} if self.stump_above is None else {"stump_above": 0}
        for name, least in counts.items():
            object.__setattr__(self, name, as_count(getattr(self, name), name, least))
        for name in ("augment", "tol"):
            object.__setattr__(self, name, as_number(getattr(self, name), name))
        one_of(self.coordinates, COORDINATES, "coordinates")
        one_of(self.offset, OFFSETS, "offset")
        if self.coordinates == "given" and (self.offset != "eigenvector" or self.refine):
            raise ValueError(
                "offset must be 'eigenvector' and refine 0 with coordinates='given'; "
                f"got {self.offset!r} and {self.refine}"
            )
        one_of(self.pairs, PAIRS, "pairs")


DEFAULTS = ForestOptions()


def to_terms(
    forest: SearchForest,
    Q: ArrayLike,
    *,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Int32Array:
    """Return the index words of points: the leaf that they reach in each tree.

    Source: § 3.4 of Li et al. (2011). Given these words, any text engine selects the candidates
    that :class:`InvertedIndex` selects.

    Parameters
    ----------
    forest : SearchForest
    Q : array_like, shape (n_Q, d)
        Queries, or the points of an index.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional
        All processors by default.

    Returns
    -------
    ndarray, shape (n_Q, M), int32
        Numbers from 0 to ``forest.n_words - 1``; no two trees have a word in common. Two points
        that share a word are selected for each other.

    Raises
    ------
    TypeError, ValueError
        If `forest` is no SearchForest, or `Q` is no matrix of finite numbers with d columns.

    See Also
    --------
    InvertedIndex : Find points by their words.
    selection : T(q, x) of every query and point.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.search_forest import label_similarity, search_forest, to_terms
    >>> X, y = [[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]
    >>> forest = search_forest(X, label_similarity(y), 1, 0.3, rng=np.random.default_rng(0))
    >>> words = to_terms(forest, X)
    >>> (words == words[0]).ravel()
    array([ True,  True, False, False])
    """
    kernels = as_kernels(kernels)
    check_threads(threads)
    require_forest(forest, "forest")
    return kernels.forest_words(forest, points_for(forest, Q, "Q"), threads=threads)


def selection(
    forest: SearchForest,
    Q: ArrayLike,
    X: ArrayLike,
    *,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> FloatArray:
    """Return the selection function T(q, x) of eq. 8 (Li et al., 2011, p. 4) for every q and x.

    Point x is a candidate for query q if T(q, x) is above 0.

    Parameters
    ----------
    forest : SearchForest
    Q, X : array_like, shapes (n_Q, d) and (n, d)
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional
        All processors by default.

    Returns
    -------
    ndarray, shape (n_Q, n), float64
        0 where x is not selected.

    Raises
    ------
    TypeError, ValueError
        If `forest` is no SearchForest, or `Q` or `X` is no matrix of finite numbers with d columns.

    See Also
    --------
    InvertedIndex : Find the points with T(q, x) > 0 without reading all points.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.search_forest import label_similarity, search_forest, selection
    >>> X, y = [[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]
    >>> forest = search_forest(X, label_similarity(y), 1, 0.3, rng=np.random.default_rng(0))
    >>> selection(forest, [[0.5], [8.5]], X) > 0
    array([[ True,  True, False, False],
           [False, False,  True,  True]])
    """
    of_Q = to_terms(forest, Q, kernels=kernels, threads=threads)
    points = points_for(forest, X, "X")
    needed = 17 * len(of_Q) * len(points)  # T, and for one tree t and c t
    check_free_memory(needed, "the matrix T(q, x)", "queries or points")
    of_X = as_kernels(kernels).forest_words(forest, points, threads=threads)
    return algorithm.selection(of_Q, of_X, forest.c)


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
    points = as_vectors_like(X, forest.planes, name, single=single)
    with np.errstate(over="ignore"):
        if single:
            return within_range(for_kernel(points, np.float32), name)
        return within_range(for_kernel(points), name)


def within_range(X: Points, name: str) -> Points:
    """Return `X` itself; refuse values whose squares cannot be summed.

    A float32 may be infinite here, where a larger number was cast to float32.
    """
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
    """Return the forest of the trees of some rounds.

    Parameters
    ----------
    rounds : sequence of Round
        At least one.
    history : sequence
        A row of ``SearchForest.history`` for each round.
    X : ndarray, shape (n, d)
        The training points.
    lam : float
    message : str
    """
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
    """Return the rounds that gave a forest.

    Parameters
    ----------
    forest : SearchForest
    leaves : ndarray, shape (n, M), int64
        The index words of the training points. They serve as numbers of the points' leaves. The
        numbers differ from those in the tree, but points of the same leaf have the same number.
    """
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
