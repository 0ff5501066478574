"""The search forest's hot paths: points passed down the trees, candidates from an inverted index.

Li et al. (2011), § 3.4. All sums over a vector's coordinates are taken in float64, in 16
interleaved lanes: lane i adds coordinates i, i + 16, ...; then one half of the lanes is added to
the other, four times. Points and hyperplanes may be float32: their products are exact in float64.
So the twins send every point to the same leaf.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.arrays import BoolArray, FloatArray, Int32Array, IntArray, Points, blocks
from refimpl.kernels.arguments import Kind, check_all, floats, int32s, int64s, points
from refimpl.kernels.contract import checked
from refimpl.results import result

LANES = 16
HELD = 2**20  # numbers held at a time
BLOCK = 2**16  # numbers looked at at a time: they stay in the cache

FIELDS: dict[str, Kind] = {
    "c": floats("M", nonempty=True, positive=True),
    "roots": int64s("M"),
    "left": int32s("N", nonempty=True),
    "word": int32s("N"),
    "planes": points("P", "d", nonempty="d", finite=True),
    "plane": int32s("N", below="P", least=-1),
    "feature": int32s("N", below="d", least=-1),
    "offset": floats("N", finite=True),
    "history": floats("M", 5, finite=True),
}
"""What the fields of a search forest must be."""


@result
@dataclass(frozen=True, eq=False)
class SearchForest:
    """Trees of hyperplane and stump nodes with their weights: eq. 8 of Li et al. (2011).

    The forest's similarity is T(x, y) = sum_m c_m t_m(x, y), where t_m(x, y) = 1 if tree m sends x
    and y to the same leaf, else 0.

    The N nodes of all trees stand in common arrays; a node comes before its children, which are
    neighbours. At node k a point goes left if p^T x + b > 0; b is ``offset[k]``, p is
    ``planes[plane[k]]`` or the axis ``feature[k]``.

    Attributes
    ----------
    c : ndarray, shape (M,), float64
        Positive.
    roots : ndarray, shape (M,), int64
    left : ndarray, shape (N,), int32
        The left child; the right one is ``left + 1``. -1 at a leaf.
    word : ndarray, shape (N,), int32
        The *index word* of § 3.4: the number 0, 1, ... of the leaf among the leaves of all trees.
        The leaves of a tree have consecutive words. -1 at an inner node.
    plane, feature : ndarray, shape (N,), int32
        An inner node tests a hyperplane, a row of `planes`, or a single coordinate. The entry for
        the other kind is -1. At a leaf both entries are -1.
    offset : ndarray, shape (N,), float64
    planes : ndarray, shape (P, d), float32 or float64
        The points' dtype.
    lam : float
        lambda of eq. 4.
    history : ndarray, shape (M, 5), float64
        After each round: J of the tree (eq. 17), P_w[t = 1, s = 1] and P_w[t = 1, s = 0] as sums of
        weights (eq. 14), the loss (eq. 7) and the objective (eq. 5) of the ensemble, sums over the
        training pairs.
    message : str
        Why the training ended.

    Raises
    ------
    TypeError, ValueError
        If the arrays do not describe trees.

    See Also
    --------
    forest_words : Find the leaves that points reach.
    refimpl.search_forest.search_forest : Train a forest.

    Examples
    --------
    One tree, whose root asks whether x_0 - 0.5 > 0:

    >>> import numpy as np
    >>> from refimpl.kernels import SearchForest, forest_words
    >>> def integers(*values):
    ...     return np.array(values, dtype=np.int32)
    >>> forest = SearchForest(
    ...     c=np.ones(1), roots=np.zeros(1, dtype=np.int64), left=integers(1, -1, -1),
    ...     word=integers(-1, 0, 1), plane=integers(-1, -1, -1), feature=integers(0, -1, -1),
    ...     offset=np.array([-0.5, 0.0, 0.0]), planes=np.zeros((0, 2)), lam=1.0,
    ...     history=np.zeros((1, 5)), message="made by hand",
    ... )
    >>> forest.n_words
    2
    >>> forest_words(forest, np.array([[1.0, 0.0], [0.0, 0.0]])).tolist()
    [[0], [1]]
    """

    c: FloatArray
    roots: IntArray
    left: Int32Array
    word: Int32Array
    plane: Int32Array
    feature: Int32Array
    offset: FloatArray
    planes: Points
    lam: float
    history: FloatArray
    message: str

    def __post_init__(self) -> None:
        lengths = check_all(FIELDS, vars(self))
        self._require_trees(lengths["N"])
        self._require_tests()

    def _require_trees(self, N: int) -> None:
        """Refuse children before their parent or in another tree, and leaves without a number."""
        inner = self.left >= 0
        if self.roots[0] != 0 or (np.diff(self.roots) <= 0).any() or self.roots[-1] >= N:
            raise ValueError(f"roots must rise from 0 and be below {N}, the number of nodes")
        tree = np.searchsorted(self.roots, np.arange(N), side="right") - 1
        end = np.append(self.roots[1:], N)[tree[inner]]
        left = self.left[inner].astype(np.int64)
        if (
            (self.left[~inner] != -1).any()
            or (left <= np.flatnonzero(inner)).any()
            or (left + 1 >= end).any()
        ):
            raise ValueError(
                "left must be -1 at a leaf; "
                "an inner node needs two children behind it, in its own tree"
            )
        if not np.array_equal(np.sort(np.concatenate([self.roots, left, left + 1])), np.arange(N)):
            raise ValueError(
                "left and roots must make every node a root or the child of one other node"
            )
        words = self.word[~inner]
        order = np.argsort(words, kind="stable")
        if (self.word[inner] != -1).any() or (words[order] != np.arange(len(words))).any():
            raise ValueError("word must number the leaves 0, 1, ... and be -1 at inner nodes")
        if (np.diff(tree[~inner][order]) < 0).any():
            raise ValueError(
                "word must number the leaves of a tree one after the other, "
                "those of the first tree first"
            )

    def _require_tests(self) -> None:
        """Refuse inner nodes that have not exactly one test."""
        if (((self.plane >= 0).astype(int) + (self.feature >= 0)) != (self.left >= 0)).any():
            raise ValueError("plane and feature must give an inner node one test, and a leaf none")

    @property
    def n_words(self) -> int:
        """The number of leaves of all trees."""
        return (len(self.left) + len(self.roots)) // 2


def _lane_sums(products: FloatArray) -> FloatArray:
    """Return the sums over the rows of products, shape (n, d), in the lanes' order: shape (n,)."""
    # no zero among them has a sign
    n, d = products.shape
    padded = products
    if d % LANES or not products.flags.c_contiguous:
        padded = np.zeros((n, -(-d // LANES) * LANES))
        padded[:, :d] = products
    lanes = np.add.reduce(padded.reshape(n, padded.shape[1] // LANES, LANES), axis=1)
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    sums: FloatArray = lanes[:, 0] + 0.0
    return sums


@checked
@np.errstate(over="ignore", invalid="ignore")
def plane_values(X: Points, p: Points, *, threads: int | None = None) -> FloatArray:
    """Compute p^T x for every point x: what a hyperplane node looks at.

    Source: § 3.3 of Li et al. (2011).

    Parameters
    ----------
    X : ndarray, shape (n, d), float32 or float64
    p : ndarray, shape (d,), of the same dtype

    Returns
    -------
    ndarray, shape (n,), float64

    See Also
    --------
    forest_words : Pass points down whole trees.

    Examples
    --------
    >>> plane_values(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -0.5])).tolist()
    [0.0, 1.0]
    """
    out = np.empty(len(X))
    for part in blocks(len(X), HELD // X.shape[1]):
        out[part] = _lane_sums(X[part].astype(np.float64) * p.astype(np.float64))
    return out


@checked
@np.errstate(over="ignore", invalid="ignore")
def forest_words(forest: SearchForest, X: Points, *, threads: int | None = None) -> Int32Array:
    """Find the leaf that each point reaches in each tree: § 3.4 of Li et al. (2011).

    Parameters
    ----------
    forest : SearchForest
    X : ndarray, shape (n, d), of the dtype of ``forest.planes``

    Returns
    -------
    ndarray, shape (n, M), int32
        Index words: the numbers of the leaves.

    See Also
    --------
    gather_candidates : Collect the points that share words with a query.

    Examples
    --------
    See :class:`SearchForest`.

    >>> forest_words(None, np.zeros((1, 2)))
    Traceback (most recent call last):
    TypeError: forest must be a SearchForest; got None
    """
    n, M = len(X), len(forest.roots)
    node = np.tile(forest.roots, n)  # the place of point i in tree m is i M + m
    going = np.arange(n * M)
    while len(going):
        going = going[forest.left[node[going]] >= 0]
        k = node[going]
        tests = _tests(forest, k, X, going // M)
        node[going] = forest.left[k] + np.where(tests > 0, 0, 1)  # p^T x + b > 0: left
    return forest.word[node].reshape(n, M)  # SF:eq16


def _tests(forest: SearchForest, nodes: IntArray, X: Points, rows: IntArray) -> FloatArray:
    """Return p^T x + b at each of some nodes, each for its own row of X."""
    values = X[rows, forest.feature[nodes]].astype(np.float64)  # of stumps
    planes = np.flatnonzero(forest.plane[nodes] >= 0)
    for part in blocks(len(planes), BLOCK // X.shape[1]):
        places = planes[part]
        x = X[rows[places]].astype(np.float64)
        values[places] = _lane_sums(x * forest.planes[forest.plane[nodes[places]]])
    tests: FloatArray = values + forest.offset[nodes]
    return tests


# ---------------------------------------------------------------------------------------- searching


@checked
def gather_candidates(
    starts: IntArray,
    items: Int32Array,
    alive: BoolArray,
    words: Int32Array,
    c: FloatArray,
    most: int,
    *,
    counters: FloatArray | None = None,
    threads: int | None = None,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Collect the points that share a leaf with a query, the largest T(q, x) first.

    This is X_q of § 3.4 of Li et al. (2011). Such points are the query's *candidates*.

    Parameters
    ----------
    starts : ndarray, shape (V + 1,), int64
    items : ndarray, int32
        The *inverted lists*: the points with word w are ``items[starts[w]:starts[w + 1]]``, each
        once. A point that is listed twice counts twice. Only the lists of the queries' words are
        looked at.
    alive : ndarray, shape (n,), bool
        Points for which it is False are left out.
    words : ndarray, shape (n_Q, M), int32
        The leaves of the queries.
    c : ndarray, shape (M,), float64
        Positive weights of the trees.
    most : int
        The largest number of candidates for a query.
    counters : ndarray, shape (t, n), float64, optional
        Memory for the fast twin to work in; its values do not matter. It saves an allocation for
        each of t threads.

    Returns
    -------
    offsets : ndarray, shape (n_Q + 1,), int64
        Query i has the candidates ``rows[offsets[i]:offsets[i + 1]]``.
    rows : ndarray, int64
        In the order of T, descending; of equal values the lower point comes first.
    scores : ndarray, float64
        T(q, x) of eq. 8, added in the order of the trees.

    Raises
    ------
    ValueError
        If a list of a query's word does not lie in `items`, or holds a number that is no point.

    See Also
    --------
    forest_words : Find the words of points.
    rerank : Find the nearest candidates.

    Examples
    --------
    Words 0 and 1 are leaves of the first tree, 2 and 3 of the second:

    >>> starts, items = np.array([0, 2, 3, 4, 6]), np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
    >>> words = np.array([[0, 3]], dtype=np.int32)
    >>> offsets, rows, scores = gather_candidates(
    ...     starts, items, np.ones(3, dtype=bool), words, np.array([1.0, 0.5]), 3
    ... )
    >>> rows.tolist(), scores.tolist()
    ([1, 0, 2], [1.5, 1.0, 0.5])
    """
    n = len(alive)
    n_Q = len(words)
    counts = np.zeros(n_Q, dtype=np.int64)
    rows = [np.empty(0, dtype=np.int64)]
    scores = [np.empty(0)]
    listed = max(1, n * max(1, words.shape[1]))  # a list has up to n points
    for part in blocks(n_Q, HELD // listed):
        T = _selections(starts, items, words[part], c, n)  # SF:eq8
        query, row = np.nonzero((T > 0) & alive)  # X_q = {x : T(q, x) > 0}
        score = T[query, row]
        first = _best_first(query, (row, -score, query), most)
        counts += np.bincount(part.start + query[first], minlength=n_Q)
        rows.append(row[first])
        scores.append(score[first])
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return offsets, np.concatenate(rows), np.concatenate(scores)


def _selections(
    starts: IntArray, items: Int32Array, words: Int32Array, c: FloatArray, n: int
) -> FloatArray:
    """Return T(q, x) of some queries and all points, shape (n_Q, n), added in the trees' order."""
    n_Q, M = words.shape
    of_trees = words.T.ravel()  # the first tree's words of all queries, then the second tree's
    begin, end = starts[of_trees], starts[of_trees + 1]
    fits = (begin >= 0).all() and (begin <= end).all() and (end <= len(items)).all()
    if fits:
        sizes = end - begin
        ends = np.cumsum(sizes)
        members = items[np.repeat(begin - (ends - sizes), sizes) + np.arange(sizes.sum())]
        fits = ((members >= 0) & (members < n)).all()
    if not fits:
        for of_query in words:
            require_lists(starts, items, of_query, n)
    cells = np.repeat(np.tile(np.arange(n_Q) * n, M), sizes) + members
    weights = np.repeat(np.repeat(c, n_Q), sizes)
    T: FloatArray = np.bincount(cells, weights, n_Q * n).astype(np.float64)
    return T.reshape(n_Q, n)


def _best_first(query: IntArray, keys: tuple[IntArray | FloatArray, ...], most: int) -> IntArray:
    """Return the order by `keys`, the last key first; only the first `most` of each query."""
    # `query` ascends and is the last key
    order = np.lexsort(keys)
    sizes = np.bincount(query)
    rank = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return order[rank < most]


def require_lists(starts: IntArray, items: Int32Array, words: Int32Array, n: int) -> None:
    """Refuse lists of a query's words that do not lie in `items`, or hold no point's number."""
    for w in words:
        if not 0 <= starts[w] <= starts[w + 1] <= len(items):
            raise ValueError(
                f"starts must name parts of the {len(items)} items; "
                f"got {starts[w]} to {starts[w + 1]} for word {w}"
            )
    for w in words:
        mine = items[starts[w] : starts[w + 1]]
        if len(mine) and not 0 <= mine.min() <= mine.max() < n:
            wrong = mine[(mine < 0) | (mine >= n)][0]
            raise ValueError(f"items must hold points from 0 to {n - 1}; got {wrong} for word {w}")


@checked
@np.errstate(over="ignore", invalid="ignore")
def rerank(
    Q: Points, X: Points, offsets: IntArray, rows: IntArray, k: int, *, threads: int | None = None
) -> tuple[FloatArray, IntArray]:
    """Find the k nearest of each query's candidates by Euclidean distance.

    This is the reranking stage of § 2 of Li et al. (2011).

    Parameters
    ----------
    Q, X : ndarray, shapes (n_Q, d) and (n, d), both float32 or both float64
    offsets, rows : ndarray, int64
        As from :func:`gather_candidates`: the candidates of query i are
        ``rows[offsets[i]:offsets[i + 1]]``.
    k : int

    Returns
    -------
    squares : ndarray, shape (n_Q, k), float64
        Squared distances, ascending, NaN last; infinite where there are fewer candidates than k.
    indices : ndarray, shape (n_Q, k), int64
        Of equal distances the lower index comes first; -1 where there is none.

    See Also
    --------
    gather_candidates : Collect the candidates.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [4.0]])
    >>> squares, indices = rerank(X[1:2], X, np.array([0, 2]), np.array([2, 0]), 2)
    >>> squares.tolist(), indices.tolist()
    ([[1.0, 9.0]], [[0, 2]])
    """
    squares = np.full((len(Q), k), np.inf)
    indices = np.full((len(Q), k), -1, dtype=np.int64)
    query = np.repeat(np.arange(len(Q)), np.diff(offsets))
    square = np.empty(len(rows))
    for part in blocks(len(rows), BLOCK // X.shape[1]):
        difference = Q[query[part]].astype(np.float64) - X[rows[part]].astype(np.float64)
        square[part] = _lane_sums(difference * difference)
    first = _best_first(query, (rows, square, query), k)
    found = np.bincount(query[first], minlength=len(Q))
    rank = np.arange(len(first)) - np.repeat(np.cumsum(found) - found, found)
    squares[query[first], rank] = square[first]
    indices[query[first], rank] = rows[first]
    return squares, indices
