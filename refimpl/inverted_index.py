"""The inverted index over the leaves of a search forest: Li et al. (2011), §§ 2 and 3.4.

Each leaf is an index word, its points are the documents with that word. A query passes the trees, the points that share
a word with it are its candidates X_q, and those are compared with it exactly.

Not handled here: learning (``search_forest.py``), several machines: :func:`refimpl.search_forest.to_terms` gives the
words to any text engine, which then selects the same candidates.
"""

import importlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from refimpl._checks import as_count, as_indices, as_kernels
from refimpl.kernels import SearchForest
from refimpl.results import FileFormatError, load, result, save
from refimpl.search_forest import as_points, to_terms

__all__ = ["InvertedIndex", "Selection"]

VERSION = 1
FEW = 8  # queries that are not worth a second thread
ARRAYS = {"starts": np.int64, "items": np.int32, "ids": np.int64, "alive": np.bool_}


@result
@dataclass(frozen=True, eq=False)
class Selection:
    """X_q for some queries: those of query i are ``ids[offsets[i]:offsets[i + 1]]``.

    Attributes
    ----------
    offsets : ndarray, shape (n_Q + 1,), int64
    ids : ndarray, int64
        Those of largest T(q, x) first; of equal ones the lower id.
    scores : ndarray, float64
        T(q, x) of eq. 8.
    """

    offsets: np.ndarray
    ids: np.ndarray
    scores: np.ndarray


class InvertedIndex:
    """Points by the leaves that they reach. Points have ids: 0, 1, ... as they are added; none is used twice.

    Parameters
    ----------
    forest : SearchForest
    X : array_like, shape (n, d), optional
        The first points.
    keep_vectors : bool, default True
        Whether the points are kept for :meth:`query`. Without them there are only :meth:`candidates`.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional

    Attributes
    ----------
    forest : SearchForest
    ids : ndarray, shape (n,), int64
        Of the points in the index, ascending.
    """

    def __init__(self, forest, X=None, *, keep_vectors=True, kernels=None, threads=None):
        if not isinstance(forest, SearchForest):
            raise TypeError(f"forest is a {type(forest).__name__}; pass what search_forest returns")
        self.forest, self.kernels, self.threads = forest, as_kernels(kernels), threads
        self._starts = np.zeros(forest.n_words + 1, dtype=np.int64)
        self._items, self._ids = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        self._alive, self._next = np.empty(0, dtype=bool), 0
        self._vectors = np.empty((0, forest.planes.shape[1]), dtype=forest.planes.dtype) if keep_vectors else None
        self._waiting, self._spare = [], []
        if X is not None:
            self.add(X)

    def __len__(self):
        self._merge()
        return int(np.count_nonzero(self._alive))

    @property
    def ids(self):
        self._merge()
        return self._ids[self._alive]

    # -------------------------------------------------------------------------------------------- changing

    def add(self, X):
        """Take points in; returns their ids. They are sorted into the lists when the index is next asked: many small
        additions cost as much as a large one."""
        X = as_points(self.forest, X, "X")
        if self._next + len(X) > np.iinfo(np.int32).max:
            raise ValueError(f"X: an index takes {np.iinfo(np.int32).max} points; use several")
        ids = np.arange(self._next, self._next + len(X))
        self._waiting.append((ids, self.to_terms(X), None if self._vectors is None else np.array(X)))
        self._next += len(X)
        return ids

    def delete(self, ids):
        """Take points out. Once they are more than half of all, their places are reclaimed."""
        self._merge()
        ids = np.unique(as_indices(ids, self._next, "ids", "points ever added"))
        rows = np.searchsorted(self._ids, ids)
        there = rows < len(self._ids)
        there[there] = (self._ids[rows[there]] == ids[there]) & self._alive[rows[there]]
        if not there.all():
            raise ValueError(f"ids holds {ids[~there][0]}, which has been deleted already")
        self._alive[rows] = False
        if 2 * np.count_nonzero(self._alive) < len(self._alive):
            self.compact()

    def compact(self):
        """Reclaim the places of deleted points. What the index answers stays the same."""
        self._merge()
        if self._alive.all():
            return
        kept = self._alive[self._items]
        places = np.cumsum(self._alive, dtype=np.int32) - np.int32(1)
        self._starts = np.concatenate([[0], np.cumsum(kept)])[self._starts]
        self._items, self._ids = places[self._items[kept]], self._ids[self._alive]
        if self._vectors is not None:
            self._vectors = np.ascontiguousarray(self._vectors[self._alive])
        self._alive, self._spare = np.ones(len(self._ids), dtype=bool), []

    def _merge(self):
        """Sort the points that wait into the lists."""
        if not self._waiting:
            return
        ids, words, vectors = zip(*self._waiting, strict=True)
        words, n = np.concatenate(words), len(self._ids)
        starts = np.concatenate([[0], np.cumsum(np.bincount(words.ravel(), minlength=self.forest.n_words))])
        items = np.empty(len(self._items) + words.size, dtype=np.int32)
        old = np.repeat(starts[:-1], np.diff(self._starts)) + np.arange(len(self._items))
        items[old] = self._items
        new = np.ones(len(items), dtype=bool)
        new[old] = False
        by_word = [np.argsort(of_tree, kind="stable") for of_tree in words.T]  # trees come one after another
        items[new] = np.concatenate(by_word) + n
        self._starts, self._items = self._starts + starts, items
        self._ids = np.concatenate([self._ids, *ids])
        self._alive = np.concatenate([self._alive, np.ones(len(words), dtype=bool)])
        if self._vectors is not None:
            self._vectors = np.concatenate([self._vectors, *vectors]) if n or len(vectors) > 1 else vectors[0]
        self._waiting, self._spare = [], []

    # -------------------------------------------------------------------------------------------- asking

    def to_terms(self, X):
        """The index words of points: as :func:`refimpl.search_forest.to_terms`."""
        return to_terms(self.forest, X, kernels=self.kernels, threads=self.threads)

    def candidates(self, Q, most=None):
        """X_q for each query: the points that share a leaf with it in one tree at least, § 3.4.

        Parameters
        ----------
        Q : array_like, shape (n_Q, d)
        most : int, optional
            Keep so many of the largest T(q, x); by default all.

        Returns
        -------
        Selection
        """
        offsets, rows, scores = self._candidates(as_points(self.forest, Q, "Q"), most)
        return Selection(offsets, self._ids[rows], scores)

    def _candidates(self, Q, most):
        most = np.iinfo(np.int64).max if most is None else as_count(most, "most")
        self._merge()
        words = self.kernels.forest_words(self.forest, Q, threads=self.threads)
        arguments = self._starts, self._items, self._alive, words, self.forest.c, most
        if len(Q) >= FEW:
            return self.kernels.gather_candidates(*arguments, threads=self.threads)
        counters = self._spare.pop() if self._spare else np.zeros((1, len(self._alive)))
        found = self.kernels.gather_candidates(*arguments, counters=counters, threads=1)
        self._spare.append(counters)
        return found

    def query(self, Q, k, candidates=None, *, distance=None):
        """The k nearest of each query's candidates: selection and reranking, § 2.

        Parameters
        ----------
        Q : array_like, shape (n_Q, d)
        k : int
        candidates : int, optional
            How many of the largest T(q, x) are compared; by default all of X_q.
        distance : callable, optional
            Gets a query, shape (d,), and candidates, shape (p, d); returns their p distances. By default Euclidean.

        Returns
        -------
        ids : ndarray, shape (n_Q, k), int64
            Nearest first, of equal distances the lower id; -1 where a query has fewer candidates.
        distances : ndarray, shape (n_Q, k), float64
            Infinite there.
        """
        k = as_count(k, "k")
        if self._vectors is None:
            raise ValueError("keep_vectors: this index has no vectors to compare with; build it with keep_vectors=True")
        Q = as_points(self.forest, Q, "Q")
        offsets, rows, _ = self._candidates(Q, candidates)
        if distance is None:
            squares, rows = self.kernels.rerank(Q, self._vectors, offsets, rows, k, threads=self.threads)
            return self._named(rows), np.sqrt(squares)
        found, distances = np.full((len(Q), k), -1, dtype=np.int64), np.full((len(Q), k), np.inf)
        for i, q in enumerate(Q):
            mine = rows[offsets[i] : offsets[i + 1]]
            exact = np.asarray(distance(q, self._vectors[mine]), dtype=np.float64)
            if exact.shape != mine.shape or np.isnan(exact).any():
                raise ValueError(f"distance returned shape {exact.shape}, or NaN; ({len(mine)},) numbers would do")
            order = np.lexsort((mine, exact))[:k]
            found[i, : len(order)], distances[i, : len(order)] = mine[order], exact[order]
        return self._named(found), distances

    def _named(self, rows):
        return np.where(rows < 0, -1, np.append(self._ids, -1)[rows])

    # -------------------------------------------------------------------------------------------- files

    def __getstate__(self):
        """For pickle, which takes no modules: the kernels are named."""
        self._merge()
        return {**self.__dict__, "kernels": self.kernels.__name__, "_spare": []}

    def __setstate__(self, state):
        self.__dict__.update(state, kernels=importlib.import_module(state["kernels"]))

    def save(self, path):
        """Write the index to a folder, whose arrays :meth:`load` can map into memory.

        The folder is written beside its place and then moved there; deleted points are not written.
        """
        path = Path(path)
        if path.exists() and not (path / "index.json").is_file():
            raise FileExistsError(f"{path} exists and is no index; choose another place")
        self.compact()
        arrays = {name: getattr(self, "_" + name) for name in ARRAYS}
        if self._vectors is not None:
            arrays["vectors"] = self._vectors
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=path.name, suffix=".tmp"))
        try:
            save(temporary / "forest.npz", self.forest)
            for name, array in arrays.items():
                np.save(temporary / f"{name}.npy", array)
            text = json.dumps({"refimpl": "InvertedIndex", "version": VERSION, "next": self._next,
                               "vectors": self._vectors is not None})  # fmt: skip
            (temporary / "index.json").write_text(text, encoding="utf-8")
            os.chmod(temporary, 0o755)
            if path.exists():
                old = Path(tempfile.mkdtemp(dir=path.parent, prefix=path.name, suffix=".old"))
                os.replace(path, old / path.name)
                os.replace(temporary, path)
                shutil.rmtree(old)
            else:
                os.replace(temporary, path)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    @classmethod
    def load(cls, path, *, mmap=True, kernels=None, threads=None):
        """Read what :meth:`save` wrote.

        Parameters
        ----------
        path : str or os.PathLike
        mmap : bool, default True
            Whether lists and vectors stay in their files until they are needed.
        kernels, threads
            As for the class.

        Raises
        ------
        refimpl.FileFormatError
            If it is no index, or damaged.
        """
        path = Path(path)
        try:
            header = json.loads((path / "index.json").read_text(encoding="utf-8"))
            if header["refimpl"] != "InvertedIndex" or header["version"] != VERSION:
                raise FileFormatError(f"{path}: version {header['version']}; this release reads {VERSION}")
            index = cls(load(path / "forest.npz"), keep_vectors=header["vectors"], kernels=kernels, threads=threads)
            index._next = as_count(header["next"], "next", 0)
            for name in [*ARRAYS, *(["vectors"] if header["vectors"] else [])]:
                mode = "r" if mmap and name in ("items", "vectors") else None
                setattr(index, "_" + name, np.load(path / f"{name}.npy", mmap_mode=mode, allow_pickle=False))
        except FileFormatError:
            raise
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FileFormatError(f"{path}: damaged or not an index of refimpl ({error}); save it again") from error
        index._require_whole(path)
        return index

    def _require_whole(self, path):
        n, starts = len(self._ids), self._starts
        whole = starts.shape == (self.forest.n_words + 1,) and starts[0] == 0 and (np.diff(starts) >= 0).all()
        whole = whole and self._items.shape == (starts[-1],) and self._alive.shape == self._ids.shape == (n,)
        whole = whole and all(getattr(self, "_" + name).dtype == dtype for name, dtype in ARRAYS.items())
        whole = whole and (np.diff(self._ids) > 0).all() and (n == 0 or 0 <= self._ids[0] <= self._ids[-1] < self._next)
        if self._vectors is not None:
            planes = self.forest.planes
            whole = whole and self._vectors.shape == (n, planes.shape[1]) and self._vectors.dtype == planes.dtype
        if not whole:
            raise FileFormatError(f"{path}: its arrays do not fit together; save it again")
