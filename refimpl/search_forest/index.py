"""What a forest says of points: index words, T(q, x), the inverted index. Li et al. (2011), § 3.4.

The number of a leaf is an *index word*, and the *inverted list* of a word holds the points of the
leaf. A query passes down the trees. The points that share a word with the query are its candidates
X_q. Only they are compared with the query by the exact distance.

Not handled here: several machines. :func:`refimpl.search_forest.to_terms` gives the words to any
text engine, which then selects the same candidates.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from refimpl.arrays import as_reals
from refimpl.checks import (
    as_count,
    as_flag,
    as_indices,
    as_kernels,
    restored_kernels,
    stored_kernels,
)
from refimpl.kernels import SearchForest
from refimpl.kernels.contract import check_threads
from refimpl.resources import check_free_memory
from refimpl.results import from_new_arrays, result
from refimpl.search_forest import algorithm
from refimpl.search_forest.index_files import MOST, read_index, write_index
from refimpl.search_forest.model import points_for, require_forest
from refimpl.typing import ArrayLike, BoolArray, FloatArray, Int32Array, IntArray, Kernels, Points

FEW = 8  # so few queries are answered on one thread


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
    kernels, threads
        As for :func:`search_forest`.

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
    kernels, threads
        As for :func:`search_forest`.

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


@result
@dataclass(frozen=True, eq=False)
class Selection:
    """The candidates X_q of some queries: § 2 of Li et al. (2011).

    Query i has the candidates ``ids[offsets[i]:offsets[i + 1]]``.

    Attributes
    ----------
    offsets : ndarray, shape (n_Q + 1,), int64
    ids : ndarray, int64
        The candidates of largest T(q, x) first; of equal values the lower id first.
    scores : ndarray, float64
        T(q, x) of eq. 8.

    See Also
    --------
    InvertedIndex.candidates : Return the candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.search_forest import Selection
    >>> chosen = Selection(np.array([0, 2, 3]), np.array([7, 4, 5]), np.array([0.9, 0.1, 0.9]))
    >>> chosen.ids[chosen.offsets[0] : chosen.offsets[1]]
    array([7, 4])
    """

    offsets: IntArray
    ids: IntArray
    scores: FloatArray


class _Lists(NamedTuple):
    """What an index holds at one moment. Nothing writes to its arrays: changes make new ones."""

    starts: IntArray
    items: Int32Array  # items[starts[w]:starts[w + 1]] are the points with word w: rows of the next
    ids: IntArray
    alive: BoolArray
    vectors: Points | None
    spare: list[FloatArray]  # counters for single queries, (1, n)


class InvertedIndex:
    """Find the neighbours of queries among the points that share leaves of a search forest.

    Source: Li et al. (2011), §§ 2 and 3.4. Points have ids: 0, 1, ... in the order in which they
    are added. No id is used twice.

    Several threads may ask at a time, also while one thread changes the index: an answer is that of
    the index before or after a change. Changes (adding, deleting, compacting, saving) must come
    from one thread at a time.

    Parameters
    ----------
    forest : SearchForest
    X : array_like, shape (n, d), optional
        The first points.
    keep_vectors : bool, default True
        Whether the points are kept for :meth:`query`. If False, only :meth:`candidates` can be
        called.
    kernels, threads
        As for :func:`search_forest`.

    Attributes
    ----------
    forest : SearchForest
    ids : ndarray, shape (n,), int64
        The ids of the points in the index, ascending.

    Raises
    ------
    TypeError, ValueError
        If `forest` is no SearchForest, `X` is no matrix of finite numbers with d columns, or
        `kernels` or `threads` is refused.

    See Also
    --------
    search_forest : Learn the forest.
    selection : T(q, x) of every query and point.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.search_forest import InvertedIndex, label_similarity, search_forest
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> S = label_similarity([0, 0, 1, 1])
    >>> index = InvertedIndex(search_forest(X, S, 1, 0.3, rng=np.random.default_rng(0)), X)
    >>> ids, distances = index.query([[7.0]], 1)
    >>> ids, distances
    (array([[2]]), array([[1.]]))
    >>> index.add([[7.5]])
    array([4])
    >>> index.candidates([[7.0]]).ids
    array([2, 3, 4])
    """

    def __init__(
        self,
        forest: SearchForest,
        X: ArrayLike | None = None,
        *,
        keep_vectors: bool = True,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> None:
        require_forest(forest, "forest")
        check_threads(threads)
        self.forest = forest
        self.kernels: Kernels = as_kernels(kernels)
        self.threads = threads
        self._lists = _Lists(
            starts=np.zeros(forest.n_words + 1, dtype=np.int64),
            items=np.empty(0, dtype=np.int32),
            ids=np.empty(0, dtype=np.int64),
            alive=np.empty(0, dtype=bool),
            vectors=forest.planes[:0] if as_flag(keep_vectors, "keep_vectors") else None,
            spare=[],
        )
        self._next = 0
        self._waiting: list[tuple[IntArray, Int32Array, Points | None]] = []
        self._lock = threading.RLock()
        if X is not None:
            self.add(X)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._now().alive))

    def __repr__(self) -> str:
        trees = len(self.forest.c)
        return f"InvertedIndex({len(self)} points, {trees} trees, {self.forest.n_words} words)"

    @property
    def ids(self) -> IntArray:
        """The ids of the points in the index, ascending."""
        now = self._now()
        return now.ids[now.alive]

    def _now(self) -> _Lists:
        """Return the lists, after the points that wait are sorted in."""
        with self._lock:
            self._merge()
            return self._lists

    def _become(self, lists: _Lists) -> None:
        """Replace the lists by lists in which no point waits, in one uninterruptible step."""
        self.__dict__.update(_lists=lists, _waiting=[])

    # ------------------------------------------------------------------------------------- changing

    def add(self, X: ArrayLike) -> IntArray:
        """Add points X, shape (n, d); return their ids, int64, shape (n,).

        The points wait until the next search, deletion or save (``len`` and ``ids`` count as
        searches). Then all waiting points are sorted into the lists at once. So many small
        additions in a row cost as much as one large addition. An addition followed by a search
        costs a pass through the whole index. If the index is mapped from a file, its lists and
        vectors are copied into memory.
        """
        X = points_for(self.forest, X, "X")
        words = self.to_terms(X)
        vectors = None if self._lists.vectors is None else X.copy()
        with self._lock:
            if self._next + len(X) > MOST:
                total = self._next + len(X)
                raise ValueError(f"X must leave at most {MOST} points in all; got {total}")
            ids: IntArray = np.arange(self._next, self._next + len(X))
            self._waiting.append((ids, words, vectors))
            self._next += len(X)
        return ids

    def delete(self, ids: ArrayLike) -> None:
        """Delete the points of some ids; ValueError if one was never given, or is deleted already.

        When more than half of all points are deleted, the index is compacted.
        """
        with self._lock:
            now = self._now()
            asked: IntArray = np.unique(as_indices(ids, self._next, "ids", "points ever added"))
            rows = np.searchsorted(now.ids, asked)
            there = rows < len(now.ids)
            there[there] = (now.ids[rows[there]] == asked[there]) & now.alive[rows[there]]
            if not there.all():
                raise ValueError(
                    f"ids must be of points in the index; got {asked[~there][0]}, a deleted point"
                )
            alive = now.alive.copy()
            alive[rows] = False
            self._lists = now._replace(alive=alive)
            if 2 * np.count_nonzero(alive) < len(alive):
                self.compact()

    def compact(self) -> None:
        """Reclaim the memory of deleted points. The answers of the index stay the same."""
        with self._lock:
            starts, items, ids, alive, vectors, _ = self._now()
            if alive.all():
                return
            kept = alive[items]
            places = np.cumsum(alive, dtype=np.int32) - np.int32(1)
            starts = np.concatenate([[0], np.cumsum(kept)])[starts]
            items = places[items[kept]]
            vectors = None if vectors is None else vectors[alive]
            ids = ids[alive]
            self._become(_Lists(starts, items, ids, np.ones(len(ids), dtype=bool), vectors, []))

    def _merge(self) -> None:
        """Sort the points that wait into the lists. The caller holds the lock."""
        if not self._waiting:
            return
        before = self._lists
        words = np.concatenate([words for _, words, _ in self._waiting])
        n = len(before.ids)
        sizes = np.bincount(words.ravel(), minlength=self.forest.n_words)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        items = np.empty(len(before.items) + words.size, dtype=np.int32)
        old = np.repeat(starts[:-1], np.diff(before.starts)) + np.arange(len(before.items))
        items[old] = before.items
        new = np.ones(len(items), dtype=bool)
        new[old] = False
        # trees come one after another
        by_word = [np.argsort(of_tree, kind="stable") for of_tree in words.T]
        items[new] = np.concatenate(by_word) + n
        alive = np.concatenate([before.alive, np.ones(len(words), dtype=bool)])
        ids = np.concatenate([before.ids, *(ids for ids, _, _ in self._waiting)])
        vectors = self._merged_vectors(before.vectors)
        self._become(_Lists(before.starts + starts, items, ids, alive, vectors, []))

    def _merged_vectors(self, before: Points | None) -> Points | None:
        """Return the vectors of all points; the points that wait come last."""
        if before is None:
            return None
        new = [vectors for _, _, vectors in self._waiting]
        if len(before) == 0 and len(new) == 1:
            return new[0]
        merged: Points = np.concatenate([before, *new])
        return merged

    # --------------------------------------------------------------------------------------- asking

    def to_terms(self, Q: ArrayLike) -> Int32Array:
        """Return the index words of points, as :func:`refimpl.search_forest.to_terms` does."""
        return to_terms(self.forest, Q, kernels=self.kernels, threads=self.threads)

    def candidates(self, Q: ArrayLike, *, n_candidates: int | None = None) -> Selection:
        """Return X_q of each query, Q (n_Q, d): the points that share a leaf in at least one tree.

        `n_candidates` is the largest number of candidates of a query; those of largest T(q, x) are
        kept. By default all are kept. The result is a :class:`Selection`.
        """
        now = self._now()
        offsets, rows, scores = self._candidates(now, points_for(self.forest, Q, "Q"), n_candidates)
        chosen: Selection = from_new_arrays(Selection, offsets, now.ids[rows], scores)
        return chosen

    def _candidates(
        self, now: _Lists, Q: Points, n_candidates: int | None
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the offsets, rows and scores of the candidates."""
        limit = int(np.iinfo(np.int64).max)
        if n_candidates is not None:
            limit = min(limit, as_count(n_candidates, "n_candidates"))
        words = self.kernels.forest_words(self.forest, Q, threads=self.threads)
        gather = self.kernels.gather_candidates
        c = self.forest.c
        if len(Q) >= FEW:
            return gather(now.starts, now.items, now.alive, words, c, limit, threads=self.threads)
        try:
            counters = now.spare.pop()
        except IndexError:
            counters = np.zeros((1, len(now.alive)))
        chosen = gather(
            now.starts, now.items, now.alive, words, c, limit, counters=counters, threads=1
        )
        now.spare.append(counters)
        return chosen

    def query(
        self,
        Q: ArrayLike,
        k: int,
        *,
        n_candidates: int | None = None,
        distance: Callable[[Points, Points], ArrayLike] | None = None,
    ) -> tuple[IntArray, FloatArray]:
        """Return the k nearest of each query's candidates: selection and reranking, § 2.

        The queries Q have shape (n_Q, d). `n_candidates` is the largest number of candidates that a
        query is compared with; those of largest T(q, x) are taken, by default all of X_q.
        ``distance(q, C)`` returns the p distances from a query, shape (d,), to its candidates,
        shape (p, d); the default is the Euclidean distance. The ids, int64, and their distances,
        float64, have shape (n_Q, k): the nearest first, of equal distances the lower id. Where a
        query has fewer than k candidates, the id is -1 and the distance infinite.
        """
        k = as_count(k, "k")
        if distance is not None and not callable(distance):
            raise TypeError(
                f"distance must be a function of a query and its candidates; got {distance!r}"
            )
        if self._lists.vectors is None:
            raise ValueError("keep_vectors must be True for a query; got an index without vectors")
        Q = points_for(self.forest, Q, "Q")
        now = self._now()
        assert now.vectors is not None
        offsets, rows, _ = self._candidates(now, Q, n_candidates)
        if distance is not None:
            return _nearest(now, Q, k, offsets, rows, distance)
        squares, nearest = self.kernels.rerank(
            Q, now.vectors, offsets, rows, k, threads=self.threads
        )
        return _named(now.ids, nearest), np.sqrt(squares)

    # ---------------------------------------------------------------------------------------- files

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, which takes neither modules nor locks: kernels by name."""
        with self._lock:
            lists = self._now()._replace(spare=[])
            state = dict(self.__dict__)
        del state["_lock"]
        own = {"kernels": stored_kernels(self.kernels), "_lists": lists, "_waiting": []}
        return state | own

    def __setstate__(self, state: dict[str, Any]) -> None:
        kernels = restored_kernels(state["kernels"])
        self.__dict__.update(state, kernels=kernels, _lock=threading.RLock())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a folder, whose arrays :meth:`load` can map into memory.

        Deleted points are not written. A new folder is written beside its place and then moved
        there. In a folder that holds an index, the new arrays are written beside the old ones; then
        ``index.json``, which names them, is replaced in one step. So a call that fails leaves the
        folder as it was. If the process is killed, the folder holds the old index or the new one,
        perhaps with arrays that the next call removes. Calls for one folder must come one after the
        other. A :meth:`load` that runs meanwhile may raise FileNotFoundError. If `path` exists and
        is no index, FileExistsError is raised.
        """

        def arrays() -> tuple[dict[str, Any], int]:
            with self._lock:
                self.compact()
                now = self._now()
                following = self._next
            named = {"starts": now.starts, "items": now.items, "ids": now.ids}
            if now.vectors is not None:
                named["vectors"] = now.vectors
            return named, following

        write_index(path, self.forest, arrays)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        mmap: bool = True,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> Self:
        """Read an index that :meth:`save` wrote; `kernels` and `threads` are as for the class.

        All files are read once and checked: a sha256 covers every array, and each tree's lists hold
        each point once. With `mmap` lists and vectors stay in their files until they are needed. If
        `path` is no index, or damaged, :class:`refimpl.FileFormatError` is raised; if the system
        does not open one of the files, FileNotFoundError, NotADirectoryError, IsADirectoryError or
        PermissionError.
        """
        forest, arrays, following = read_index(path, mmap=as_flag(mmap, "mmap"))
        vectors = arrays.get("vectors")
        index = cls(forest, keep_vectors=vectors is not None, kernels=kernels, threads=threads)
        alive = np.ones(len(arrays["ids"]), dtype=bool)
        index._become(_Lists(arrays["starts"], arrays["items"], arrays["ids"], alive, vectors, []))
        index._next = following
        return index


def _nearest(
    now: _Lists,
    Q: Points,
    k: int,
    offsets: IntArray,
    rows: IntArray,
    distance: Callable[[Points, Points], ArrayLike],
) -> tuple[IntArray, FloatArray]:
    """Return the ids and distances of the k nearest candidates by any distance."""
    assert now.vectors is not None
    nearest = np.full((len(Q), k), -1, dtype=np.int64)
    distances = np.full((len(Q), k), np.inf)
    for i, q in enumerate(Q):
        of_q = rows[offsets[i] : offsets[i + 1]]
        exact = as_reals(distance(q, now.vectors[of_q]), "the return value of distance")
        if exact.shape != of_q.shape or np.isnan(exact).any():
            raise ValueError(
                f"distance must return numbers of shape ({len(of_q)},); got shape {exact.shape}, "
                "or NaN"
            )
        order = np.lexsort((of_q, exact))[:k]
        nearest[i, : len(order)] = of_q[order]
        distances[i, : len(order)] = exact[order]
    return _named(now.ids, nearest), distances


def _named(ids: IntArray, rows: IntArray) -> IntArray:
    """Return the ids of rows, and -1 for -1."""
    return np.where(rows < 0, -1, np.append(ids, -1)[rows])
