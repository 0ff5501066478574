"""Boosted Search Forest for use: Algorithms 1 and 2 of Li et al. (2011) with checks and options.

:func:`search_forest` checks its input, calls back, goes on from earlier trees and keeps to a memory
limit. With ``ForestOptions(coordinates="given")`` its trees are those of ``algorithm.py``, the
printed form. A node is a part of the points with the weights of their pairs, so that a list of
pairs serves as well as the paper's matrices. The leaf of least J^k, where most is to be gained, is
split first. Best thresholds for eq. 17, and planes that move as long as it rises, are not the
paper's.

Not handled here: missing values, sparse vectors.
"""

import heapq
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from refimpl.arrays import as_matrix, in_scale
from refimpl.checks import as_callback, as_count, as_generator, as_kernels, as_options
from refimpl.kernels import SearchForest
from refimpl.kernels.contract import check_threads
from refimpl.kernels.eigen import STEPS
from refimpl.progress import Callback, Step
from refimpl.resources import check_memory
from refimpl.search_forest.algorithm import augmented, best_c, same_partition
from refimpl.search_forest.model import (
    DEFAULTS,
    ForestOptions,
    Round,
    Split,
    Tree,
    as_lam,
    as_similarity,
    forest_of_rounds,
    require_forest,
    rounds_of_forest,
)
from refimpl.search_forest.pairs import DensePairs, MeetingPairs, Node, Pairs
from refimpl.typing import ArrayLike, Kernels, Points

NODE_BYTES = 600  # for a leaf and its parent
TREE_BYTES = 2**12  # for a tree
FIXED_BYTES = 2**17  # whatever the input
WAITING_BYTES = 800  # for a leaf that may still be split
DEEP = 64  # levels with more leaves than there can be points


def estimate_memory(
    X: ArrayLike,
    S: Any,
    M: int,
    lam: float,
    *,
    rng: np.random.Generator | None = None,
    options: ForestOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: SearchForest | None = None,
    max_memory: int | None = None,
) -> int:
    """Return the bytes that :func:`search_forest` takes at most beyond `X` and `S`.

    Before the training it is not known which pairs meet in a leaf. The estimate assumes that the
    leaves hold as many dissimilar pairs as eq. 15 of Li et al. (2011) allows. This is the case if S
    consists of clusters or has no structure. If S links each point to its nearest neighbours, the
    training takes a third to a tenth of the estimate.

    Parameters
    ----------
    X, S, M, lam, options
        As for :func:`search_forest`.
    rng, kernels, threads, callback, start, max_memory
        Not used. They are accepted so that the arguments of a training can be passed.

    Returns
    -------
    int
        Bytes, on either kernel.

    Raises
    ------
    TypeError, ValueError
        If the training would refuse the arguments.

    See Also
    --------
    search_forest : Learn a forest, if the estimate does not exceed `max_memory`.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.search_forest import estimate_memory, label_similarity
    >>> X, S = np.zeros((1000, 10)), label_similarity(np.arange(1000) % 10)
    >>> estimate_memory(X, S, 4, 0.1) < 60_000_000
    True
    """
    points: Points = as_matrix(X, "X", single=True)
    M = as_count(M, "M")
    lam = as_lam(lam)
    check_threads(threads)
    options = as_options(options, ForestOptions)
    return memory_bytes(points, as_similarity(S, len(points)).nnz, M, lam, options)


def least_bytes(points: Points, similar: int, options: ForestOptions) -> int:
    """Return the bytes that a training certainly takes, whatever its trees are."""
    n, d = points.shape
    dense = options.pairs == "dense"
    weights = DensePairs.memory(n) if dense else MeetingPairs.least_memory(similar)
    return int(weights + 8 * n * (d + 1))


def memory_bytes(points: Points, similar: int, M: int, lam: float, options: ForestOptions) -> int:
    """Return :func:`estimate_memory` for checked arguments and the number of similar pairs."""
    n, d = points.shape
    most = 2 ** min(options.max_depth, DEEP)
    leaves = min(most, n, most if options.max_leaves is None else options.max_leaves)
    of_a_tree = leaves * (2 * d * points.itemsize + NODE_BYTES) + TREE_BYTES + 8 * n
    trees = M * of_a_tree + WAITING_BYTES * leaves
    if options.pairs == "dense":
        weights = DensePairs.memory(n)
    else:
        weights = MeetingPairs.memory(n, similar, M, lam)
    of_a_node = 48 * n * (d + 1) + 64 * n  # augmented and centred points; rows and sides
    basis = 8 * (min(STEPS, d + 1) + 8) * (d + 1)
    return int(weights + trees + of_a_node + basis + FIXED_BYTES)


DENSE = 5000  # largest number of training points with pairs="dense"
# The relative accuracy to which a continued training has the masses of its history: exp may differ
# between machines.
AGREE = 1e-6


def search_forest(
    X: ArrayLike,
    S: Any,
    M: int,
    lam: float,
    *,
    rng: np.random.Generator,
    options: ForestOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: SearchForest | None = None,
    max_memory: int | None = None,
) -> SearchForest:
    """Learn a Boosted Search Forest: Algorithms 1 and 2 of Li et al. (2011).

    Every node is split by the hyperplane of eq. 18. By default its x~ has the node's own
    coordinates: centred, scaled, with a last entry of 0.1. Such forests find more neighbours than
    those of the paper's x~ = [x^T 1]^T, which ``ForestOptions(coordinates="given")`` takes (see
    PAPER.md). `options` also offers the paper's stumps for large nodes, and settings that go beyond
    the paper.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training points. float32 stays float32, everything else becomes float64. By default
        neither a shift nor the scale changes the trees, up to rounding; both change eq. 18 as
        printed (``coordinates="given"``). Values are at most 1e140 in absolute value;
        points within 1e-150 of each other cannot be told apart.
    S : sparse matrix or array_like, shape (n, n), of 0 and 1
        s_ij: 1 if points i and j are similar, from :func:`neighbor_similarity`,
        :func:`label_similarity` or another source. The diagonal is not read. All pairs that are not
        similar are dissimilar; none is dropped.
    M : int
        The largest number of trees.
    lam : float
        lambda of eq. 4, between 0 and 1: the cost of a selected pair, where a similar pair is worth
        1. A leaf pays if at least this share of its pairs is similar: the larger lambda, the
        smaller the leaves.
    rng : numpy.random.Generator
    options : ForestOptions, optional
        How the trees grow; see :class:`ForestOptions`.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional
        All processors by default. The result does not depend on it.
    callback : callable, optional
        Called with a :class:`refimpl.Step` after each tree. ``step.state`` is the
        :class:`~refimpl.search_forest.Round` with the tree, ``step.number`` the number of
        trees so far, ``step.total`` is M, ``step.result`` the forest so far. If the callback
        returns True, the training ends.
    start : SearchForest, optional
        The first trees: what an earlier training with the same arguments returned, or its
        ``step.result``. The result is that of an uninterrupted training, as each tree has a random
        stream of its own. X, S and `lam` are checked to be the same; the other arguments are not.
    max_memory : int, optional
        Bytes, compared with :func:`estimate_memory`, an upper bound. By default the training ends
        with an error before it lists pairs for which no memory is free
        (:func:`refimpl.resources.free_memory`); there is no limit where that is unknown.

    Returns
    -------
    SearchForest
        With fewer than M trees if the next tree would get no positive weight or repeat the last
        one, or the callback ended the training. Any c > 0 is a positive weight, so the last trees
        may be worth little: a tree before the last one may come again, with a c that is rounding
        (below 1e-8), or lambda times its last c if it selects next to no dissimilar pair.

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, shapes do not fit, S is not binary or has
        no similar pair; if `start` was learnt from other points; if not even the first tree has a
        positive weight, which a smaller `lam` or deeper trees would change.
    MemoryError
        If the estimate exceeds `max_memory`, or what the training takes at least exceeds what is
        free; raised before the work starts. By default also before a tree whose pairs do not fit;
        `callback` has received the trees before it.

    See Also
    --------
    InvertedIndex.candidates : Find the points that share leaves with a query.
    selection : Compute T(q, x).
    estimate_memory : Return the memory that the training takes.
    refimpl.estimators.SearchForestNeighbors : The scikit-learn estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.search_forest import InvertedIndex, label_similarity, search_forest
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> S = label_similarity([0, 0, 1, 1])
    >>> forest = search_forest(X, S, 1, 0.3, rng=np.random.default_rng(0))
    >>> forest.n_words, forest.message
    (2, '1 trees, as asked for')
    >>> InvertedIndex(forest, X).candidates([[7.0]]).ids
    array([2, 3])
    """
    kernels = as_kernels(kernels)
    rng = as_generator(rng)
    X = in_scale(as_matrix(X, "X", single=True), "X")
    M = as_count(M, "M")
    lam = as_lam(lam)
    check_threads(threads)
    options = as_options(options, ForestOptions)
    if options.pairs == "dense" and len(X) > DENSE:
        raise ValueError(
            f"pairs must be 'meeting' for more than {DENSE} points; got 'dense' for {len(X)}"
        )
    as_callback(callback)
    S = as_similarity(S, len(X))
    fewer = "points or similar pairs, or a larger lam"
    if max_memory is None:
        # The estimate is several times too high for most S; the list of pairs is watched instead.
        check_memory(least_bytes(X, S.nnz, options), None, fewer, "at least")
    else:
        check_memory(memory_bytes(X, S.nnz, M, lam, options), max_memory, fewer, "up to")
    pairs: Pairs
    if options.pairs == "dense":
        pairs = DensePairs(S, lam)
    else:
        pairs = MeetingPairs(S, lam, kernels, threads, watch=max_memory is None)
    growth = _Growth(X, M, lam)
    if start is not None:
        growth.take(start, pairs, kernels, threads)
    rng.spawn(len(growth.rounds))  # what the trees of `start` were drawn from
    max_leaves = np.inf if options.max_leaves is None else options.max_leaves

    def learn(root: Node) -> Tree:
        split = partial(best_split, options=options, rng=rng.spawn(1)[0])
        return grow_tree(X, root, split, options.max_depth, max_leaves)

    return _grow(growth, pairs, learn, callback)


def _grow(
    growth: "_Growth", pairs: Pairs, learn: Callable[[Node], Tree], callback: Callback | None
) -> SearchForest:
    """Run the remaining rounds of Algorithm 1; return the forest."""
    before = growth.rounds[-1].tree if growth.rounds else None
    for r in grow_rounds(pairs, growth.M - len(growth.rounds), learn, before):
        growth.add(r, pairs)
        m = len(growth.rounds)
        if callback is not None:
            step = Step(m, growth.M, growth.rounds[-1], make_result=partial(growth.forest, m))
            if callback(step):
                return step.result
    m = len(growth.rounds)
    if m == 0:
        raise ValueError(
            f"lam must be smaller, or the trees deeper: no tree is worth its cost; got {growth.lam}"
        )
    return growth.forest(m, f"tree {m + 1} would get no positive weight, or repeat tree {m}")


class _Growth:
    """The rounds so far, and the history of their forest. Rounds are added, and never change."""

    def __init__(self, X: Points, M: int, lam: float) -> None:
        self.X = X
        self.M = M
        self.lam = lam
        self.rounds: list[Round] = []
        self.history: list[tuple[float, ...]] = []

    def add(self, r: Round, pairs: Pairs) -> None:
        """Add a round that `pairs` already contain."""
        self.rounds.append(r._replace(m=len(self.rounds) + 1))
        self.history.append((r.tree.J, r.similar, r.dissimilar, *pairs.loss_and_objective()))

    def take(
        self, start: SearchForest, pairs: Pairs, kernels: Kernels, threads: int | None
    ) -> None:
        """Add the rounds that gave the forest `start`, and update `pairs` by their selections."""
        require_forest(start, "start")
        theirs = (start.planes.dtype, start.planes.shape[1], start.lam)
        ours = (self.X.dtype, self.X.shape[1], self.lam)
        if theirs != ours:
            told = "points of {}, {} coordinates each, with lam={}"
            raise ValueError(
                f"start must have been learnt from {told.format(*ours)}; "
                f"got a forest of {told.format(*theirs)}"
            )
        if len(start.c) > self.M:
            raise ValueError(f"start must have at most M = {self.M} trees; got {len(start.c)}")
        words = kernels.forest_words(start, self.X, threads=threads)
        for r in rounds_of_forest(start, words.astype(np.int64)):
            masses = pairs.masses(r.tree.leaf)
            if not np.allclose(masses, (r.similar, r.dissimilar), rtol=AGREE, atol=0):
                raise ValueError(
                    f"start must have been learnt from the same X and S; got a forest whose tree "
                    f"{r.m} was not"
                )
            pairs.meet(r.tree.leaf, r.c)
            self.rounds.append(r)
        self.history.extend(map(tuple, start.history.tolist()))

    def forest(self, m: int, why: str | None = None) -> SearchForest:
        """Return the forest of the first m rounds, and why it has fewer than M trees."""
        if why is None:
            why = f"{m} of {self.M} trees; the training may go on from here"
        message = f"{m} trees, as asked for" if m == self.M else why
        return forest_of_rounds(self.rounds[:m], self.history[:m], self.X, self.lam, message)


# ------------------------------------------------------------ Algorithms 1 and 2 on nodes and pairs


def best_split(X: Points, node: Node, options: ForestOptions, rng: np.random.Generator) -> Split:
    """Return the split of a node of points X that the options ask for."""
    if options.stump_above is not None and node.n > options.stump_above:
        return stump(X, node, options.n_stumps, rng)
    start = rng.normal(size=X.shape[1] + 1)
    if options.coordinates == "given":
        x = augmented(X)
        p: Any = node.leading_direction(x, start, options.tol)
        return Split(p[:-1].astype(X.dtype), float(p[-1]), x @ p > 0)
    how = options.augment, options.tol, options.offset, options.refine
    return node.best_plane(X, start, *how)


def stump(X: Points, node: Node, n_stumps: int, rng: np.random.Generator) -> Split:
    """Return the stump that maximises eq. 17 among `n_stumps` random coordinates (§ 3.3, p. 6)."""
    features = np.sort(rng.choice(X.shape[1], size=min(n_stumps, X.shape[1]), replace=False))
    A = np.ascontiguousarray(X[:, features], dtype=np.float64)
    crossing, threshold = node.best_thresholds(A)
    best = int(crossing.argmin())
    return Split(int(features[best]), -float(threshold[best]), A[:, best] - threshold[best] > 0)


def grow_rounds(
    pairs: Pairs, M: int, learn: Callable[[Node], Tree], before: Tree | None = None
) -> Iterator[Round]:
    """Run Algorithm 1 on `pairs`, whose T grows with each round, after the last tree `before`."""
    for m in range(1, M + 1):
        tree = learn(pairs.root())
        if before is not None and same_partition(tree.leaf, before.leaf):
            return
        before = tree
        similar, dissimilar = pairs.masses(tree.leaf)
        c = best_c(similar, dissimilar, pairs.lam)
        if c <= 0:
            return
        pairs.meet(tree.leaf, c)
        yield Round(m, tree, c, similar, dissimilar)


def grow_tree(
    X: Points,
    root: Node,
    best_split: Callable[[Points, Node], Split],
    max_depth: int = 16,
    max_leaves: float = np.inf,
) -> Tree:
    """Run Algorithm 2 from the node of all points, with at most `max_leaves` leaves."""
    tree = Tree([-1], [None], [0.0], np.zeros(len(X), dtype=np.int64), root.J)
    queue = [(root.J, 0, 0, root, np.arange(len(X)))]
    while queue and tree.n_leaves < max_leaves:
        _, k, depth, node, rows = heapq.heappop(queue)
        split = best_split(X[rows], node)
        parts = node.split(split.left)
        rise = parts[0].J + parts[1].J - node.J
        if rise > node.negligible():
            children = tree.split(k, split, rows, rise)
            sides = (rows[split.left], rows[~split.left])
            for child, part, side in zip(children, parts, sides, strict=True):
                if part.n > 1 and depth + 1 < max_depth:
                    heapq.heappush(queue, (part.J, child, depth + 1, part, side))
    return tree
