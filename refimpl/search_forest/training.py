"""Boosted Search Forest for use: Li, Ning, Cao, Zhang, Gong & Huang, "Learning to Search Efficiently in High
Dimensions", 2011.

:func:`search_forest` checks its input, calls back, goes on from earlier trees and keeps to a memory limit; its trees
are those of ``algorithm.py``, the printed form, unless an option asks for others. The inverted index over their leaves
is :class:`refimpl.search_forest.index.InvertedIndex`.

Not handled here: the printed algorithms (``algorithm.py``), similarities (``similarity.py``), the weights of all pairs
(``pairs.py``), missing values, sparse vectors.
"""

import numpy as np

from refimpl.ball_trees import LARGEST
from refimpl.checks import as_count, as_generator, as_kernels, as_matrix, as_number, as_vectors_like, one_of
from refimpl.kernels import SearchForest
from refimpl.kernels.contract import check_threads
from refimpl.resources import check_memory
from refimpl.results import from_new_arrays
from refimpl.search_forest import algorithm
from refimpl.search_forest.algorithm import Round, Tree, selection_rounds
from refimpl.search_forest.eigen import STEPS
from refimpl.search_forest.pairs import DensePairs, MeetingPairs
from refimpl.search_forest.similarity import as_similarity
from refimpl.search_forest.splits import Settings, best_split

__all__ = [
    "SearchForest", "as_points", "estimate_memory", "in_range", "planted", "search_forest", "search_tree", "selection",
    "to_terms",
]  # fmt: skip

DENSE = 5000  # training points at most with pairs="dense"
NODE_BYTES, TREE_BYTES, FIXED_BYTES = 600, 2**12, 2**17  # of a leaf and its parent; of a tree; whatever the input
WAITING_BYTES = 800  # of a leaf that may still be split
DEEP = 64  # levels with more leaves than there can be points
AGREE = 1e-6  # to which a continued training's masses are those of its history: exp may differ between machines
FORMS = {"meeting": MeetingPairs, "dense": DensePairs}  # of the pairs


# ------------------------------------------------------------------------------------------------ learning


def search_tree(X, node, settings, *, rng, kernels, threads=None):
    """Learn a tree by Algorithm 2 of Li et al. (2011), with the splits and limits of the settings.

    The leaf of least J^k (eq. 17), where most is to be gained, is split first.

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

    def split(X, node):
        return best_split(X, node, settings, rng, kernels, threads)

    max_leaves = np.inf if settings.max_leaves is None else settings.max_leaves
    return algorithm.search_tree(X, node, split, settings.max_depth, max_leaves)


def search_forest(
    X, S, M, lam, *, rng, kernels=None, max_depth=16, max_leaves=None, stump_above=None, stumps=16,
    offset="eigenvector", refine=0, augment=0.1, tol=1e-4, pairs="meeting", start=None, callback=None, max_memory=None,
    threads=None,
):  # fmt: skip
    """Learn a Boosted Search Forest: Algorithms 1 and 2 of Li et al. (2011).

    By default its trees are those of the printed form, :func:`refimpl.search_forest.algorithm.search_forest`, bit for
    bit: hyperplanes whose direction and offset are eq. 18's, with the coordinates of x~ centred and scaled for each
    node. The paper's stumps for large nodes (`stump_above`) are an option; limits on the leaves (`max_leaves`), best
    thresholds (``offset="best"``) and moved planes (`refine`) are options beyond the paper.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training points. float32 stays float32, everything else becomes float64. Neither a shift nor the scale matters,
        up to rounding. At most 1e140 in absolute value; points within 1e-150 of each other cannot be told apart.
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
    offset : {"eigenvector", "best"}
        b from the eigenvector, as eq. 18 has it, or the threshold on p^T x that maximises eq. 17 itself. A plane
        that is moved gets its best threshold.
    refine : int, default 0
        How often a plane may be moved, from the eigenvector on, to where eq. 17 is larger, which is what a split is to
        maximise (p. 5). With 0, eq. 18 has the last word. A tree with ``refine=10`` takes about twice as long.
    augment : float, default 0.1
        The last entry of x~, whose other entries have the mean squared length 1 in each node. The larger, the freer is
        b, and the more often it leaves all points on one side.
    tol : float, default 1e-4
        Of the eigenvectors; see :func:`refimpl.search_forest.eigen.top_eigenvector`.
    pairs : {"meeting", "dense"}
        How the pairs' weights are held. The sums over pairs agree exactly, the eigenvectors up to rounding, so the
        trees may differ where rounding chooses: see :mod:`refimpl.search_forest.pairs`.
    start : SearchForest, optional
        The first trees, from a training with the same arguments that was interrupted. The result is that of an
        uninterrupted training: each tree has a random stream of its own. That X, S and `lam` are the same is checked,
        that the other arguments are is not. A forest of a release whose eq. 18 had other coordinates goes on with
        trees of today's.
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
    kernels = as_kernels(kernels)
    rng = as_generator(rng)
    X = in_range(as_matrix(X, "X", single=True), "X")
    M = as_count(M, "M")
    lam = _as_lam(lam)
    check_threads(threads)
    settings = _as_settings(max_depth, max_leaves, stump_above, stumps, offset, refine, augment, tol)
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
    held = FORMS[pairs](S, lam, kernels, threads)
    rounds = [] if start is None else _continued(start, held, X, M, kernels, threads)
    history = [] if start is None else start.history.tolist()
    streams = iter(rng.spawn(M)[len(rounds) :])

    def learn(root):
        return search_tree(X, root, settings, rng=next(streams), kernels=kernels, threads=threads)

    for r in selection_rounds(held, M - len(rounds), learn):
        rounds.append(r._replace(m=len(rounds) + 1))
        history.append((r.tree.J, r.similar, r.dissimilar, *held.loss_and_objective()))
        if callback is not None:
            callback(planted(rounds, history, X, lam, f"{len(rounds)} trees so far"))
    if not rounds:
        raise ValueError(f"lam is {lam}: no tree is worth its cost; make lam smaller or the trees deeper")
    message = f"{M} trees, as asked for" if len(rounds) == M else f"tree {len(rounds) + 1} would get no positive weight"
    return planted(rounds, history, X, lam, message)


def estimate_memory(X, S, M, lam, *, max_depth=16, max_leaves=None, pairs="meeting"):
    """Return the bytes that :func:`search_forest` will take at most beyond `X` and `S`, on either kernel.

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


def _as_settings(max_depth, max_leaves, stump_above, stumps, offset, refine, augment, tol):
    """The checked Settings."""
    one_of(offset, ("eigenvector", "best"), "offset")
    return Settings(
        as_count(max_depth, "max_depth"), None if max_leaves is None else as_count(max_leaves, "max_leaves", 2),
        None if stump_above is None else as_count(stump_above, "stump_above", 0), as_count(stumps, "stumps"),
        offset, as_count(refine, "refine", 0), as_number(augment, "augment"), as_number(tol, "tol"),
    )  # fmt: skip


def in_range(X, name):
    """Return X itself. A float32 may be infinite here: what was cast may have been larger than it can be."""
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


def planted(rounds, history, X, lam, message):
    """Put trees into common arrays.

    Parameters
    ----------
    rounds : list of Round
        At least one.
    history : list
        A row of ``SearchForest.history`` for each round.
    X : ndarray, shape (n, d)
        The training points.
    lam : float
    message : str

    Returns
    -------
    SearchForest
    """
    sizes = np.array([len(r.tree.left) for r in rounds])
    roots = np.cumsum(sizes) - sizes
    left = np.concatenate([r.tree.left for r in rounds])
    left = np.where(left < 0, -1, left + np.repeat(roots, sizes))
    normals = [p for r in rounds for p in r.tree.p]
    feature = [p if isinstance(p, int) else -1 for p in normals]
    planes = [p for p in normals if isinstance(p, np.ndarray)]
    is_plane = np.array([isinstance(p, np.ndarray) for p in normals])
    return from_new_arrays(
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


def _continued(start, held, X, M, kernels, threads):
    """The rounds that gave the forest `start`; what they selected is in `held` from now on."""
    _require_forest(start, "start")
    d, dtype = X.shape[1], X.dtype
    if start.planes.shape[1] != d or start.planes.dtype != dtype or start.lam != held.lam:
        raise ValueError(
            f"start was learnt from {start.planes.dtype}, {start.planes.shape[1]} a point, with lam={start.lam}; "
            f"now it is {dtype}, {d} a point, and lam={held.lam}; they must be the same"
        )
    if len(start.c) > M:
        raise ValueError(f"M is {M}; start has {len(start.c)} trees already")
    rounds = _rounds_of(start, kernels.forest_words(start, X, threads=threads).astype(np.int64))
    for r in rounds:
        if not np.allclose(held.masses(r.tree.leaf), (r.similar, r.dissimilar), rtol=AGREE, atol=0):
            raise ValueError(f"start: tree {r.m} was learnt from other points or another S; X and S must be the same")
        held.meet(r.tree.leaf, r.c)
    return rounds


def _rounds_of(forest, words):
    """The rounds that gave a forest, from the leaves that its training points reach."""
    rounds = []
    ends = np.append(forest.roots[1:], len(forest.left))
    for m, (a, b) in enumerate(zip(forest.roots, ends, strict=True)):
        left = np.where(forest.left[a:b] < 0, -1, forest.left[a:b] - a).tolist()
        p = [_normal(forest, k) for k in range(a, b)]
        J, similar, dissimilar = forest.history[m, :3].tolist()
        tree = Tree(left, p, forest.offset[a:b].tolist(), words[:, m].copy(), J)
        rounds.append(Round(m + 1, tree, float(forest.c[m]), similar, dissimilar))
    return rounds


def _normal(forest, k):
    """The normal of node k, a coordinate's number for a stump, None for a leaf."""
    if forest.plane[k] >= 0:
        return forest.planes[forest.plane[k]]
    return int(forest.feature[k]) if forest.feature[k] >= 0 else None


# ------------------------------------------------------------------------------------------------ § 3.4


def to_terms(forest, X, *, kernels=None, threads=None):
    """Return the index words of points: the leaf of each tree that they reach, § 3.4 of Li et al. (2011).

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
    kernels = as_kernels(kernels)
    check_threads(threads)
    _require_forest(forest, "forest")
    return kernels.forest_words(forest, as_points(forest, X, "X"), threads=threads)


def as_points(forest, X, name):
    """Return points in the dtype of the forest's planes, finite there and within 1e140."""
    X = as_vectors_like(X, forest.planes, name, single=forest.planes.dtype == np.float32)
    with np.errstate(over="ignore"):
        return in_range(np.ascontiguousarray(X, dtype=forest.planes.dtype), name)


def selection(forest, Q, X, *, kernels=None, threads=None):
    """Return T(q, x) of eq. 8 for every q and x.

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
    return algorithm.selection(of_Q, of_X, forest.c)
