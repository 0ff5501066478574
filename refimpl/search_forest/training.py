"""Boosted Search Forest: Li, Ning, Cao, Zhang, Gong & Huang, "Learning to Search Efficiently in High Dimensions", 2011.

In the paper's order: similarities (§ 3.1), boosted selection functions (§ 3.2, Algorithm 1), search trees (§ 3.3,
Algorithm 2), the forest as an index vocabulary (§ 3.4). The inverted index over its leaves is
:class:`refimpl.search_forest.index.InvertedIndex`.

Not handled here: the weights of all pairs (``forest_pairs.py``), missing values, sparse vectors.
"""

import heapq
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from refimpl.ball_trees import LARGEST, nearest_neighbors
from refimpl.checks import as_count, as_generator, as_kernels, as_labels, as_matrix, as_number, as_vectors_like, one_of
from refimpl.kernels import SearchForest
from refimpl.kernels.contract import check_threads
from refimpl.resources import check_memory
from refimpl.results import from_new_arrays
from refimpl.search_forest.pairs import DensePairs, MeetingPairs
from refimpl.search_forest.splits import STEPS, Settings, best_split, top_eigenvector, unit_of

__all__ = [
    "Round", "SearchForest", "best_c", "estimate_memory", "label_similarity", "neighbor_similarity", "search_forest",
    "search_tree", "selection", "selection_rounds", "to_terms", "top_eigenvector",
]  # fmt: skip

DENSE = 5000  # training points at most with pairs="dense"
NODE_BYTES, TREE_BYTES, FIXED_BYTES = 600, 2**12, 2**17  # of a leaf and its parent; of a tree; whatever the input
WAITING_BYTES = 800  # of a leaf that may still be split
DEEP = 64  # levels with more leaves than there can be points
AGREE = 1e-6  # to which a continued training's masses are those of its history: exp may differ between machines
FORMS = "meeting", "dense"  # of the pairs


# ------------------------------------------------------------------------------------------------ § 3.1


def neighbor_similarity(X, K=100, *, kernels=None, threads=None):
    """s(x_i, x_j) = 1 if x_j is among the K nearest neighbours of x_i: § 4 of Li et al. (2011).

    Parameters
    ----------
    X : array_like, shape (n, d)
    K : int, default 100
        Less than n. A point is not its own neighbour.
    kernels, threads
        As for :func:`refimpl.ball_trees.nearest_neighbors`.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)
        K entries in each row; not symmetric.
    """
    X, K = as_matrix(X, "X"), as_count(K, "K")
    if K >= len(X):
        raise ValueError(f"K must be at most {len(X) - 1}, as X has {len(X)} points; got {K}")
    found = nearest_neighbors(X, None, K, kernels=kernels, threads=_as_threads(threads)).indices
    starts = np.arange(0, found.size + 1, K)
    S = sparse.csr_matrix((np.ones(found.size, dtype=bool), found.ravel(), starts), shape=(len(X), len(X)))
    S.sort_indices()
    return S


def label_similarity(labels):
    """s(x_i, x_j) = 1 if both points have the same label.

    Parameters
    ----------
    labels : array_like, shape (n,)
        Classes of n_1, n_2, ... points give n_1^2 + n_2^2 + ... entries.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)

    Raises
    ------
    TypeError, ValueError
        If it is no list of at least one label, or the labels are not of one type.
    """
    try:
        n = max(len(labels), 1)
    except TypeError:  # a number, an array without dimensions, a sparse matrix: as_labels says what must be
        n = 1
    labels = as_labels(labels, n, "labels")
    places = np.unique(labels, return_inverse=True)[1]
    member = sparse.csr_matrix((np.ones(len(places), dtype=np.int32), (np.arange(len(places)), places)))
    S = (member @ member.T).astype(bool).tocsr()
    S.sort_indices()
    return S


def as_similarity(S, n):
    """`S` as a sparse matrix of bool without a diagonal; every message says what must be."""
    if not sparse.issparse(S):
        S = sparse.csr_matrix(as_matrix(S, "S"))
    if S.shape != (n, n):
        raise ValueError(f"S has shape {S.shape}; it must be ({n}, {n}), as X has {n} points")
    S = sparse.coo_matrix(S)
    if not np.isin(S.data, (0, 1)).all():
        raise ValueError("S holds values other than 0 and 1; a threshold makes it binary, for example S > 0.5")
    kept = (S.data != 0) & (S.row != S.col)
    if not kept.any():
        raise ValueError("S has no similar pair of different points; there is nothing to be found")
    S = sparse.csr_matrix((np.ones(np.count_nonzero(kept), dtype=bool), (S.row[kept], S.col[kept])), shape=(n, n))
    S.sum_duplicates()
    return S.astype(bool)


# ------------------------------------------------------------------------------------------------ § 3.2


class Round(NamedTuple):
    """A round of Algorithm 1: the tree, its weight, and the row of ``SearchForest.history``."""

    m: int
    tree: "Tree"
    c: float
    history: tuple


def best_c(similar, dissimilar, lam):
    """Eq. 15 of Li et al. (2011), p. 4, with the denominator that eq. 14 gives it.

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
    similar, dissimilar = (1 - lam) * similar, lam * max(dissimilar, 1.0)  # ERRATUM BSF-1, BSF-3
    return float(np.log(similar / dissimilar)) if similar > dissimilar else 0.0  # eq. 15, ERRATUM BSF-3


def selection_rounds(pairs, M, grow, done=0):
    """Algorithm 1 of Li et al. (2011), p. 5: Boosted Selection Function Learning.

    Parameters
    ----------
    pairs : DensePairs or MeetingPairs
        w_ij = 1 at first.
    M : int
    grow : callable
        Learns a base selection function: gets the root node of the pairs, returns a :class:`Tree`.
    done : int, default 0
        Rounds that have been made before.

    Yields
    ------
    Round
        The rounds end before M if a tree gets no weight: so would every later one.
    """
    for m in range(done + 1, M + 1):  # Alg. 1 l.1
        tree = grow(pairs.root())  # l.2
        similar, dissimilar = pairs.masses(tree.leaf)
        c = best_c(similar, dissimilar, pairs.lam)  # eq. 15
        if c <= 0:  # ERRATUM BSF-3
            return
        pairs.meet(tree.leaf, c)  # l.3-4: T_ij grows, and with it w_ij = exp(-z_ij T_ij)  ERRATUM BSF-2
        yield Round(m, tree, c, (tree.J, similar, dissimilar, *pairs.loss_and_objective()))


# ------------------------------------------------------------------------------------------------ § 3.3


@dataclass
class Tree:
    """A search tree: arrays as in :class:`SearchForest`, `leaf` the leaf of each training point, J by eq. 17."""

    left: list
    feature: list
    offset: list
    planes: list
    leaf: np.ndarray
    J: float


def search_tree(X, node, settings, *, rng, kernels, threads=None):
    """Algorithm 2 of Li et al. (2011), p. 6: Search Tree Construction.

    The queue is ordered by eq. 17: the leaf of least J^k, where most is to be gained, comes first.

    Parameters
    ----------
    X : ndarray, shape (n, d), float32 or float64
    node : root of DensePairs or MeetingPairs
    settings : Settings
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional

    Returns
    -------
    Tree
    """
    rows, depth, waiting = {0: np.arange(len(X))}, [0], {0: node}  # Alg. 2 l.1
    tree, J = Tree([-1], [-1], [0.0], [None], np.empty(len(X), dtype=np.int64), node.J), [node.J]
    queue = [(node.J, 0)]
    while queue and (settings.max_leaves is None or len(rows) < settings.max_leaves):  # l.2, 8
        _, k = heapq.heappop(queue)  # l.3
        node = waiting.pop(k)
        split = best_split(X[rows[k]], node, settings, rng, kernels, threads)  # l.4
        if split is None:  # l.5
            continue
        tree.left[k], (tree.planes[k], tree.feature[k], tree.offset[k], side, children) = len(tree.left), split
        mine = rows.pop(k)
        for child, part in zip(children, (mine[side], mine[~side]), strict=True):  # l.6
            new = len(tree.left)
            for values, value in ((tree.left, -1), (tree.feature, -1), (tree.offset, 0.0), (tree.planes, None)):
                values.append(value)
            rows[new] = part
            depth.append(depth[k] + 1)
            J.append(child.J)
            if len(part) > 1 and depth[new] < settings.max_depth:
                waiting[new] = child
                heapq.heappush(queue, (child.J, new))
    for place, k in enumerate(sorted(rows)):
        tree.leaf[rows[k]] = place
    tree.J = sum(J[k] for k in rows)  # eq. 17
    return tree


# ------------------------------------------------------------------------------------------------ § 3.4


def search_forest(
    X, S, M, lam, *, rng, kernels=None, max_depth=16, max_leaves=None, stump_above=None, stumps=16,
    offset="best", refine=10, augment=1.0, tol=1e-4, pairs="meeting", start=None, callback=None, max_memory=None,
    threads=None,
):  # fmt: skip
    """Learn a Boosted Search Forest: Algorithms 1 and 2 of Li et al. (2011).

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training points. float32 stays float32, everything else becomes float64. As ``augment`` has a length of its own,
        points should be centred and of a moderate scale. At most 1e140 in absolute value.
    S : sparse matrix or array_like, shape (n, n), of 0 and 1
        s_ij: from :func:`neighbor_similarity`, :func:`label_similarity`, or any other. The diagonal is not looked at.
        All pairs that are not similar are dissimilar; none is dropped.
    M : int
        Trees at most.
    lam : float
        lambda, between 0 and 1: what a selected pair costs, a similar one being worth 1. A leaf pays if at least this
        share of its pairs is similar: the larger, the smaller the leaves.
    rng : numpy.random.Generator
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    max_depth : int, default 16
        Splits between the root and a leaf at most.
    max_leaves : int, optional
        Leaves of a tree at most.
    stump_above : int, optional
        Nodes with more points are split by stumps; by default none is.
    stumps : int, default 16
        Coordinates that are attempted, drawn anew for each node, with every threshold.
    offset : {"best", "eigenvector"}
        The threshold on p^T x that maximises eq. 17 itself, or b from the eigenvector, as eq. 18 has it. The latter
        often leaves large leaves unsplit: eq. 18 only approximates eq. 17. Moved planes have the best threshold anyway.
    refine : int, default 10
        How often a plane may be moved, from the eigenvector on, to where eq. 17 is larger, which is what a split is to
        maximise (p. 5). With 0, eq. 18 has the last word, and the forest selects fewer neighbours.
    augment : float, default 1.0
        What x~ has for its last entry. The larger, the freer is b.
    tol : float, default 1e-4
        Of the eigenvectors; see :func:`top_eigenvector`.
    pairs : {"meeting", "dense"}
        How the pairs' weights are held. The sums over pairs agree exactly, the eigenvectors up to rounding, so the
        trees may differ where rounding chooses: see :mod:`refimpl.search_forest.pairs`.
    start : SearchForest, optional
        The first trees, from a training with the same arguments that was interrupted. The result is that of an
        uninterrupted training: each tree has a random stream of its own. That X, S and `lam` are the same is checked,
        that the other arguments are is not.
    callback : callable, optional
        Gets the forest so far after each tree; ``refimpl.save`` makes a checkpoint of it.
    max_memory : int, optional
        Bytes; see :func:`estimate_memory`.
    threads : int, optional

    Returns
    -------
    SearchForest
        With fewer than M trees if the next one would not be worth a positive weight. Any c > 0 is one, so the last
        trees may be worth little: once nothing better is found, an earlier tree comes again, with a c that is rounding
        (below 1e-8), or, if it selects next to no dissimilar pair, with lambda times its last c, again and again until
        there are M; see :func:`best_c`. What such a tree alone selects has a T(q, x) no larger than its c.

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, shapes do not fit, S is not binary or has no similar pair; if
        `start` was learnt from other points; if not even the first tree has a positive weight, which a smaller `lam` or
        deeper trees would change.
    MemoryError
        If the estimate exceeds `max_memory`; raised before the work starts.
    """
    kernels, rng, X = as_kernels(kernels), as_generator(rng), in_range(as_matrix(X, "X", single=True), "X")
    M, lam, threads = as_count(M, "M"), _as_lam(lam), _as_threads(threads)
    settings = _as_settings(X, max_depth, max_leaves, stump_above, stumps, offset, refine, augment, tol)
    one_of(pairs, FORMS, "pairs")
    if pairs == "dense" and len(X) > DENSE:
        raise ValueError(f"pairs must be 'meeting' for more than {DENSE} points; got 'dense' for {len(X)}")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback is {callback!r}; pass a function that takes a SearchForest")
    S = as_similarity(S, len(X))
    if max_memory is not None:
        as_number(max_memory, "max_memory")
        limits = {"max_depth": max_depth, "max_leaves": max_leaves, "pairs": pairs}
        check_memory(estimate_memory(X, S, M, lam, **limits), max_memory, "points or similar pairs, or a larger lam")
    held = (DensePairs if pairs == "dense" else MeetingPairs)(S, lam, kernels, threads)
    rounds = [] if start is None else _rounds_of(start, X, lam, kernels, threads)
    if len(rounds) > M:
        raise ValueError(f"M is {M}; start has {len(rounds)} trees already")
    for r in rounds:
        if not np.allclose(held.masses(r.tree.leaf), r.history[1:3], rtol=AGREE, atol=0):
            raise ValueError(f"start: tree {r.m} was learnt from other points or another S; X and S must be the same")
        held.meet(r.tree.leaf, r.c)
    streams = iter(rng.spawn(M)[len(rounds) :])
    for r in selection_rounds(
        held, M, lambda root: search_tree(X, root, settings, rng=next(streams), kernels=kernels, threads=threads),
        done=len(rounds),
    ):  # fmt: skip
        rounds.append(r)
        if callback is not None:
            callback(_planted(rounds, X, lam, f"{r.m} trees so far"))
    if not rounds:
        raise ValueError(f"lam is {lam}: no tree is worth its cost; make lam smaller or the trees deeper")
    message = f"{M} trees, as asked for" if len(rounds) == M else f"tree {len(rounds) + 1} would get no positive weight"
    return _planted(rounds, X, lam, message)


def estimate_memory(X, S, M, lam, *, max_depth=16, max_leaves=None, pairs="meeting"):
    """Bytes that :func:`search_forest` will take at most beyond `X` and `S`, on either kernel.

    It is not known before which pairs meet. The estimate is what the trees take if they put together as many dissimilar
    pairs as eq. 15 lets them, which they do if S is made of clusters or has no structure. If S links each point to its
    nearest neighbours they take a third to a tenth of it.

    Parameters
    ----------
    X, S, M, lam, max_depth, max_leaves, pairs
        As for :func:`search_forest`.

    Returns
    -------
    int
    """
    X, M, lam = as_matrix(X, "X", single=True), as_count(M, "M"), _as_lam(lam)
    one_of(pairs, FORMS, "pairs")
    similar = as_similarity(S, len(X)).nnz
    n, d = X.shape
    most = 2 ** min(as_count(max_depth, "max_depth"), DEEP)
    leaves = min(most, n, most if max_leaves is None else as_count(max_leaves, "max_leaves", 2))
    trees = M * (leaves * (2 * d * X.itemsize + NODE_BYTES) + TREE_BYTES + 8 * n) + WAITING_BYTES * leaves
    held = DensePairs.memory(n) if pairs == "dense" else MeetingPairs.memory(n, similar, M, lam)
    points = 48 * n * (d + 1) + 64 * n  # of a node, augmented and centred; rows and sides
    return int(held + trees + points + 8 * (min(STEPS, d + 1) + 8) * (d + 1) + FIXED_BYTES)


def _as_settings(X, max_depth, max_leaves, stump_above, stumps, offset, refine, augment, tol):
    """The checked Settings."""
    one_of(offset, ("best", "eigenvector"), "offset")
    augment = as_number(augment, "augment")
    return Settings(
        as_count(max_depth, "max_depth"), None if max_leaves is None else as_count(max_leaves, "max_leaves", 2),
        None if stump_above is None else as_count(stump_above, "stump_above", 0), as_count(stumps, "stumps"),
        offset, as_count(refine, "refine", 0), augment, as_number(tol, "tol"), unit_of(X, augment),
    )  # fmt: skip


def _as_threads(threads):
    check_threads(threads)
    return threads


def in_range(X, name):
    """X itself. A float32 may be infinite here: what was cast may have been larger than it can be."""
    if max(float(X.max()), -float(X.min())) > LARGEST:  # float: as a float32, LARGEST would be infinite
        least = "1e140" if X.dtype == np.float64 else "what float32 holds, as which they are compared"
        raise ValueError(f"{name} has values beyond {least}; scale the data down")
    return X


def _require_forest(forest, name):
    if not isinstance(forest, SearchForest):
        raise TypeError(f"{name} is a {type(forest).__name__}; pass a SearchForest, as search_forest returns it")


def _as_lam(lam):
    lam = as_number(lam, "lam", below=1.0)
    if lam == 0:
        raise ValueError("lam is 0: no candidate would cost anything; it must be larger")
    return lam


def _planted(rounds, X, lam, message):
    """The trees in common arrays."""
    sizes = np.array([len(r.tree.left) for r in rounds])
    roots = np.cumsum(sizes) - sizes
    left = np.concatenate([r.tree.left for r in rounds])
    left = np.where(left < 0, -1, left + np.repeat(roots, sizes))
    planes = [p for r in rounds for p in r.tree.planes]
    plane = np.array([p is not None for p in planes])
    kept = [p for p in planes if p is not None]
    return from_new_arrays(
        SearchForest,
        c=np.array([r.c for r in rounds]),
        roots=roots.astype(np.int64),
        left=left.astype(np.int32),
        word=np.where(left < 0, np.cumsum(left < 0) - 1, -1).astype(np.int32),
        plane=np.where(plane, np.cumsum(plane) - 1, -1).astype(np.int32),
        feature=np.concatenate([r.tree.feature for r in rounds]).astype(np.int32),
        offset=np.concatenate([r.tree.offset for r in rounds]).astype(np.float64),
        planes=np.stack(kept) if kept else np.empty((0, X.shape[1]), dtype=X.dtype),
        lam=lam,
        history=np.array([r.history for r in rounds], dtype=np.float64),
        message=message,
    )


def _rounds_of(forest, X, lam, kernels, threads):
    """The rounds that gave a forest, for a training that goes on."""
    _require_forest(forest, "start")
    if forest.planes.shape[1] != X.shape[1] or forest.planes.dtype != X.dtype or forest.lam != lam:
        raise ValueError(
            f"start was learnt from {forest.planes.dtype}, {forest.planes.shape[1]} a point, with lam={forest.lam}; "
            f"now it is {X.dtype}, {X.shape[1]} a point, and lam={lam}; they must be the same"
        )
    words, rounds = kernels.forest_words(forest, X, threads=threads), []
    for m, (a, b) in enumerate(zip(forest.roots, np.append(forest.roots[1:], len(forest.left)), strict=True)):
        left = forest.left[a:b]
        planes = [forest.planes[p] if p >= 0 else None for p in forest.plane[a:b]]
        leaf = words[:, m].astype(np.int64) - forest.word[a:b][left < 0].min()
        tree = Tree(np.where(left < 0, -1, left - a).tolist(), forest.feature[a:b].tolist(),
                    forest.offset[a:b].tolist(), planes, leaf, forest.history[m, 0])  # fmt: skip
        rounds.append(Round(m + 1, tree, float(forest.c[m]), tuple(forest.history[m])))
    return rounds


def to_terms(forest, X, *, kernels=None, threads=None):
    """The index words of points: the leaf of each tree that they reach, § 3.4 of Li et al. (2011).

    Parameters
    ----------
    forest : SearchForest
    X : array_like, shape (n, d)
    kernels : module, optional
    threads : int, optional

    Returns
    -------
    ndarray, shape (n, M), int32
        Numbers from 0 to ``forest.n_words - 1``; different trees have different ones. Two points are selected for each
        other if they share a word.
    """
    kernels, threads = as_kernels(kernels), _as_threads(threads)
    _require_forest(forest, "forest")
    return kernels.forest_words(forest, as_points(forest, X, "X"), threads=threads)


def as_points(forest, X, name):
    """Points in the dtype of the forest's planes, finite there and within 1e140."""
    X = as_vectors_like(X, forest.planes, name, single=forest.planes.dtype == np.float32)
    with np.errstate(over="ignore"):
        return in_range(np.ascontiguousarray(X, dtype=forest.planes.dtype), name)


def selection(forest, Q, X, *, kernels=None, threads=None):
    """T(q, x) of eq. 8 for every q and x.

    Parameters
    ----------
    forest : SearchForest
    Q, X : array_like, shapes (n_Q, d) and (n, d)
    kernels : module, optional
    threads : int, optional

    Returns
    -------
    ndarray, shape (n_Q, n), float64
        0 where x is not selected.
    """
    of_Q, of_X = (to_terms(forest, part, kernels=kernels, threads=threads) for part in (Q, X))
    T = np.zeros((len(of_Q), len(of_X)))
    for q, x, c_m in zip(of_Q.T, of_X.T, forest.c, strict=True):
        T += c_m * (q[:, np.newaxis] == x)  # eqs. 8 and 16
    return T
