"""The inverted index over the leaves of a search forest: Li et al. (2011), §§ 2 and 3.4.

Each leaf is an index word, its points are the documents with that word. A query passes the trees, the points that share
a word with it are its candidates X_q, and those are compared with it exactly.

Not handled here: learning (``training.py``), several machines: :func:`refimpl.search_forest.to_terms` gives the
words to any text engine, which then selects the same candidates.
"""

import hashlib
import importlib
import json
import os
import re
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from refimpl.checks import as_count, as_indices, as_kernels
from refimpl.kernels import SearchForest
from refimpl.results import FileFormatError, beside, digest, from_new_arrays, load, result, save
from refimpl.search_forest.training import as_points, to_terms

__all__ = ["InvertedIndex", "Selection"]

VERSION = 3  # 2 had no sha256
MOST = np.iinfo(np.int32).max  # points of an index
FEW = 8  # queries that are not worth a second thread


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


class _Lists(NamedTuple):
    """What an index holds at one moment. None of its arrays is ever written to: changes make new ones.

    ``items[starts[w]:starts[w + 1]]`` are the points with word w, as rows of ids, alive and vectors. ``spare`` holds
    counters, shape (1, n), for single queries.
    """

    starts: np.ndarray
    items: np.ndarray
    ids: np.ndarray
    alive: np.ndarray
    vectors: np.ndarray | None
    spare: list


class InvertedIndex:
    """Points by the leaves that they reach. Points have ids: 0, 1, ... as they are added; none is used twice.

    Several threads may ask at a time, also while one thread changes the index: an answer is that of the index before
    or after a change. Changes (adding, deleting, compacting, saving) come from one thread at a time.

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
        self._lock = threading.RLock()
        if X is not None:
            self.add(X)

    def __len__(self):
        return int(np.count_nonzero(self._now().alive))

    @property
    def ids(self):
        now = self._now()
        return now.ids[now.alive]

    def _now(self):
        """The lists, with all points sorted in that wait."""
        with self._lock:
            self._merge()
            return _Lists(self._starts, self._items, self._ids, self._alive, self._vectors, self._spare)

    def _become(self, lists):
        """Take other lists, in which no point waits, in one step that nothing can interrupt."""
        self.__dict__.update({"_" + name: value for name, value in lists._asdict().items()}, _waiting=[])

    # -------------------------------------------------------------------------------------------- changing

    def add(self, X):
        """Take points in; returns their ids.

        They wait until the index is next asked, or anything is deleted or saved, and are then sorted into the lists
        all at once. Many small additions cost as much as a large one if nothing comes between them; if something does
        (``len`` and ``ids`` as well), each costs a pass through the whole index, and the lists and vectors of an index
        that is mapped into memory are then copied there.
        """
        X = as_points(self.forest, X, "X")
        words, vectors = self.to_terms(X), None if self._vectors is None else np.array(X)
        with self._lock:
            if self._next + len(X) > MOST:
                raise ValueError(f"X: an index takes {MOST} points; use several")
            ids = np.arange(self._next, self._next + len(X))
            self._waiting.append((ids, words, vectors))
            self._next += len(X)
        return ids

    def delete(self, ids):
        """Take points out. Once they are more than half of all, their places are reclaimed."""
        with self._lock:
            now = self._now()
            ids = np.unique(as_indices(ids, self._next, "ids", "points ever added"))
            rows = np.searchsorted(now.ids, ids)
            there = rows < len(now.ids)
            there[there] = (now.ids[rows[there]] == ids[there]) & now.alive[rows[there]]
            if not there.all():
                raise ValueError(f"ids holds {ids[~there][0]}, which has been deleted already")
            alive = now.alive.copy()
            alive[rows] = False
            self._alive = alive
            if 2 * np.count_nonzero(alive) < len(alive):
                self.compact()

    def compact(self):
        """Reclaim the places of deleted points. What the index answers stays the same."""
        with self._lock:
            starts, items, ids, alive, vectors, _ = self._now()
            if alive.all():
                return
            kept = alive[items]
            places = np.cumsum(alive, dtype=np.int32) - np.int32(1)
            starts, items = np.concatenate([[0], np.cumsum(kept)])[starts], places[items[kept]]
            vectors = None if vectors is None else np.ascontiguousarray(vectors[alive])
            ids = ids[alive]
            self._become(_Lists(starts, items, ids, np.ones(len(ids), dtype=bool), vectors, []))

    def _merge(self):
        """Sort the points that wait into the lists. The caller holds the lock."""
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
        alive = np.concatenate([self._alive, np.ones(len(words), dtype=bool)])
        if self._vectors is not None:
            vectors = np.concatenate([self._vectors, *vectors]) if n or len(vectors) > 1 else vectors[0]
        else:
            vectors = None
        merged = _Lists(self._starts + starts, items, np.concatenate([self._ids, *ids]), alive, vectors, [])
        self._become(merged)

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
        now = self._now()
        offsets, rows, scores = self._candidates(now, as_points(self.forest, Q, "Q"), most)
        return from_new_arrays(Selection, offsets, now.ids[rows], scores)

    def _candidates(self, now, Q, most):
        most = np.iinfo(np.int64).max if most is None else as_count(most, "most")
        words = self.kernels.forest_words(self.forest, Q, threads=self.threads)
        arguments = now.starts, now.items, now.alive, words, self.forest.c, most
        if len(Q) >= FEW:
            return self.kernels.gather_candidates(*arguments, threads=self.threads)
        try:
            counters = now.spare.pop()
        except IndexError:
            counters = np.zeros((1, len(now.alive)))
        found = self.kernels.gather_candidates(*arguments, counters=counters, threads=1)
        now.spare.append(counters)
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
        now = self._now()
        offsets, rows, _ = self._candidates(now, Q, candidates)
        if distance is None:
            squares, rows = self.kernels.rerank(Q, now.vectors, offsets, rows, k, threads=self.threads)
            return _named(now.ids, rows), np.sqrt(squares)
        found, distances = np.full((len(Q), k), -1, dtype=np.int64), np.full((len(Q), k), np.inf)
        for i, q in enumerate(Q):
            mine = rows[offsets[i] : offsets[i + 1]]
            exact = np.asarray(distance(q, now.vectors[mine]), dtype=np.float64)
            if exact.shape != mine.shape or np.isnan(exact).any():
                raise ValueError(
                    f"distance must return numbers of shape ({len(mine)},); got shape {exact.shape}, or NaN"
                )
            order = np.lexsort((mine, exact))[:k]
            found[i, : len(order)], distances[i, : len(order)] = mine[order], exact[order]
        return _named(now.ids, found), distances

    # -------------------------------------------------------------------------------------------- files

    def __getstate__(self):
        """For pickle, which takes neither modules nor locks: the kernels are named."""
        with self._lock:
            self._merge()
            state = {**self.__dict__, "kernels": self.kernels.__name__, "_waiting": [], "_spare": []}
        del state["_lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state, kernels=importlib.import_module(state["kernels"]), _lock=threading.RLock())

    def save(self, path):
        """Write the index to a folder, whose arrays :meth:`load` can map into memory. Deleted points are not written.

        A new folder is written beside its place and then moved there. In one that holds an index, the new arrays are
        written beside the old ones, then ``index.json``, which names them, is replaced in one step. So a call that
        fails leaves the folder as it was, and one whose process is killed leaves the old index or the new one, perhaps
        with arrays that the next call removes. Calls for one folder must come one after the other; a :meth:`load` that
        runs meanwhile may raise FileNotFoundError. Files have the modes that ``open`` gives new files.

        Parameters
        ----------
        path : str or os.PathLike

        Raises
        ------
        FileExistsError
            If `path` exists and is no index.
        """
        path = Path(path)
        if path.exists():
            if not (path / "index.json").is_file():
                raise FileExistsError(f"{path} exists and is no index; choose another place")
            self._write(path)
            return
        temporary = beside(path, ".tmp")
        try:
            temporary.mkdir()
            self._write(temporary)
            os.replace(temporary, path)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def _write(self, path):
        """Write arrays to a new folder in `path`, then the header that names it; then remove those of before."""
        with self._lock:
            self.compact()
            now, following = self._now(), self._next
        folder = beside(path / "arrays")
        header = {"refimpl": "InvertedIndex", "version": VERSION, "arrays": folder.name, "next": following,
                  "vectors": now.vectors is not None}  # fmt: skip
        try:
            folder.mkdir()
            save(folder / "forest.npz", self.forest)
            header["forest"] = _file_digest(folder / "forest.npz")
            arrays = {name: getattr(now, name) for name in _names(header)}
            for name, array in arrays.items():
                np.save(folder / f"{name}.npy", array)
            header["sha256"] = digest(header, arrays)
            (folder / "index.json").write_text(json.dumps(header), encoding="utf-8")
            os.replace(folder / "index.json", path / "index.json")
        except BaseException:
            current = path / "index.json"  # which an interrupt may find replaced
            if not current.exists() or folder.name.encode() not in current.read_bytes():
                shutil.rmtree(folder, ignore_errors=True)
            raise
        for other in path.glob("arrays-*"):
            if other.name != folder.name:
                shutil.rmtree(other, ignore_errors=True)

    @classmethod
    def load(cls, path, *, mmap=True, kernels=None, threads=None):
        """Read what :meth:`save` wrote.

        All files are read once and checked: a sha256 covers every array, and each tree's lists hold each point once.
        Folders of releases that wrote no sha256 can be read as well; there it is not checked whether a point is in the
        list of the leaf that it reaches, nor whether vectors are as they were.

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
        FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError
            If the operating system does not open one of its files.
        """
        path = Path(path)
        header = _header(path)
        expected = header.pop("sha256", None)
        folder = path / header["arrays"]
        summed = header["version"] > 2
        if summed and _file_digest(folder / "forest.npz") != header["forest"]:
            raise FileFormatError(f"{path}: damaged: forest.npz is not what was saved; save the index again")
        forest = load(folder / "forest.npz")
        if not isinstance(forest, SearchForest):
            raise FileFormatError(f"{path}: forest.npz holds a {type(forest).__name__}; save the index again")
        index = cls(forest, keep_vectors=header["vectors"], kernels=kernels, threads=threads)
        arrays = {name: _mapped(folder / f"{name}.npy") for name in _names(header)}
        if summed and digest(header, arrays) != expected:
            raise FileFormatError(f"{path}: damaged: its sha256 is not that of its arrays; save the index again")
        for name in arrays:
            if not (mmap and name in ("items", "vectors")):
                arrays[name] = np.array(arrays[name])
        _require_whole(path, forest, header["next"], **arrays)
        n = len(arrays["ids"])
        index._become(_Lists(alive=np.ones(n, dtype=bool), spare=[], **{"vectors": None, **arrays}))
        index._next = header["next"]
        return index


def _names(header):
    return ["starts", "items", "ids", *(["vectors"] if header["vectors"] else [])]


def _header(path):
    """What index.json says, checked."""
    content = (path / "index.json").read_bytes()
    try:
        header = json.loads(content)
        if header["refimpl"] != "InvertedIndex" or header["version"] not in (2, VERSION):
            raise FileFormatError(f"{path}: version {header['version']}; this release reads 2 and {VERSION}")
        if any((name in header) != (header["version"] > 2) for name in ("forest", "sha256")):
            raise ValueError("forest, sha256: version 3 has them, version 2 has not")
        if as_count(header["next"], "next", 0) > MOST or not isinstance(header["vectors"], bool):
            raise ValueError("next, vectors: not what an index has")
        if not re.fullmatch("arrays-[0-9a-f]+", header["arrays"]):
            raise ValueError("arrays: not the name of a folder that save makes")
    except FileFormatError:
        raise
    except Exception as error:  # json's are not all documented
        raise FileFormatError(f"{path}: damaged or not an index of refimpl ({error!r}); save it again") from error
    return header


def _file_digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mapped(path):
    """The array of a .npy file, mapped into memory."""
    try:
        array = np.lib.format.open_memmap(path, mode="r")
        if array.offset + array.nbytes != path.stat().st_size:
            raise ValueError("longer than its shape says")
    except OSError:
        raise
    except Exception as error:  # what a damaged file raises in NumPy is not documented
        raise FileFormatError(f"{path}: damaged or not an array ({error!r}); save the index again") from error
    return array


def _require_whole(path, forest, following, starts, items, ids, vectors=None):
    """Refuse arrays that no index has, such as the kernels rely on not to get."""
    V, planes = forest.n_words, forest.planes
    whole = ids.ndim == 1 and ids.dtype == np.int64 and (ids[1:] > ids[:-1]).all()
    whole = whole and (len(ids) == 0 or 0 <= ids[0] <= ids[-1] < following)
    whole = whole and starts.shape == (V + 1,) and starts.dtype == np.int64 and (starts[1:] >= starts[:-1]).all()
    whole = whole and starts[0] == 0 and items.shape == (starts[-1],) and items.dtype == np.int32
    whole = whole and _all_points_in_each_tree(starts, items, len(forest.roots), len(ids))
    if vectors is not None:
        whole = whole and vectors.shape == (len(ids), planes.shape[1]) and vectors.dtype == planes.dtype
        whole = whole and vectors.flags.c_contiguous
    if not whole:
        raise FileFormatError(f"{path}: its arrays do not fit together; save it again")


def _all_points_in_each_tree(starts, items, M, n):
    """Whether each of M trees has n items, in lists of its own, that are 0, ..., n - 1 in any order."""
    if len(items) != M * n or not np.isin(n * np.arange(M), starts).all():
        return False
    for of_tree in items.reshape(M, n):
        if n and (of_tree.min() < 0 or of_tree.max() >= n):
            return False
        found = np.zeros(n, dtype=bool)
        found[of_tree] = True
        if not found.all():
            return False
    return True


def _named(ids, rows):
    return np.where(rows < 0, -1, np.append(ids, -1)[rows])
