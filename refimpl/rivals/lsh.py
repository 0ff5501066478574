"""Locality-sensitive hashing with p-stable distributions, a rival of the search forest.

Source: M. Datar, N. Immorlica, P. Indyk & V. Mirrokni, "Locality-sensitive hashing scheme based on
p-stable distributions", SoCG 2004. Li et al. (2011), § 4, use as many tables as the forest has
trees.

A hash function maps near points to equal numbers with a high probability: h(v) = floor((a . v + b)
/ w), with a drawn from a p-stable distribution (Gaussian for p = 2, Cauchy for p = 1) and b from
[0, w). A table's key is k of them, g(v) = (h_1(v), ..., h_k(v)); a bucket holds the points of equal
keys. The candidates of a query are the points with its key in at least one of the tables.

Readings of what the sources leave open
---------------------------------------
* w has the unit of the distance; the source takes w = 4 after scaling the data such that the wanted
  distance is 1.
* Keys are compared as they are, not by a second hash of theirs: no two different keys share a
  bucket.
* The candidates come by the number of tables that agree, and of equal numbers the lowest index
  first. The source takes them table by table and stops after 3 L; Li et al. do not say.
* Projections beyond 2^53 w, where neighbouring integers can no longer be told apart, are refused.

Not handled here: other distances, probing of neighbouring buckets, a radius for which success is
promised.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refimpl.arrays import as_matrix, as_points, in_range
from refimpl.checks import as_count, as_generator, as_kernels, positive
from refimpl.resources import check_free_memory
from refimpl.results import from_new_arrays, result
from refimpl.rivals.candidates import Candidates
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

__all__ = ["HashTables", "lsh"]


@result
@dataclass(frozen=True, eq=False)
class HashTables:
    """Hash tables over n points, whose buckets are numbered by table and rising key.

    Attributes
    ----------
    a : ndarray, shape (d, tables k), float64
        One column for each hash function, those of a table side by side.
    b : ndarray, shape (tables k,), float64
        Between 0 and w.
    w : float
        The width, in units of the distance.
    tables : ndarray, shape (tables + 1,), int64
        Table t has the buckets tables[t], ..., tables[t + 1] - 1.
    keys : ndarray, shape (buckets, k), int64
        g of the bucket's points.
    starts : ndarray, shape (buckets + 1,), int64
        Bucket j holds ``members[starts[j]:starts[j + 1]]``.
    members : ndarray, shape (tables n,), int64
        Indices of points of X; ascending within a bucket.

    Raises
    ------
    TypeError, ValueError
        If the arrays are no tables over the same points; from its methods, if the queries or a
        number of candidates or tables do not fit.

    See Also
    --------
    lsh : Fill them, with an example.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.lsh import lsh
    >>> tables = lsh([[0.0], [0.1], [9.0]], 4, 2, 4.0, rng=np.random.default_rng(0))
    >>> tables.n, tables.k
    (3, 2)
    """

    a: FloatArray
    b: FloatArray
    w: float
    tables: IntArray
    keys: IntArray
    starts: IntArray
    members: IntArray

    def __post_init__(self) -> None:
        if self.a.ndim != 2 or self.keys.ndim != 2 or self.b.shape != self.a.shape[1:]:
            raise ValueError(
                "a, b, keys must be of shapes (d, h), (h,), (buckets, k); "
                f"got {self.a.shape}, {self.b.shape}, {self.keys.shape}"
            )
        n_tables = len(self.tables) - 1
        k = self.keys.shape[1]
        if n_tables < 1 or n_tables * k != len(self.b) or len(self.members) % n_tables:
            raise ValueError(
                f"tables, members must fit the {len(self.b)} functions; "
                f"got {n_tables} tables of {k}, {len(self.members)} members"
            )
        if self.starts.shape != (len(self.keys) + 1,) or not 0 < self.w < inf:
            raise ValueError(
                f"starts, w must be of shape ({len(self.keys) + 1},) and above 0; "
                f"got {self.starts.shape}, {self.w}"
            )
        for name, last in (("tables", len(self.keys)), ("starts", len(self.members))):
            values = getattr(self, name)
            if values[0] != 0 or values[-1] != last or (np.diff(values) <= 0).any():
                raise ValueError(f"{name} must rise from 0 to {last}; got {values}")
        if not (self.starts[self.tables] == np.arange(n_tables + 1) * self.n).all():
            raise ValueError("tables, starts must give all points to every table")
        if not (np.sort(self.members.reshape(n_tables, self.n), axis=1) == np.arange(self.n)).all():
            raise ValueError("members must hold each point once for each table")

    @property
    def n(self) -> int:
        """The number of points."""
        return len(self.members) // (len(self.tables) - 1)

    @property
    def k(self) -> int:
        """The number of hash functions of a table."""
        return int(self.keys.shape[1])

    @cached_property
    def _sortable(self) -> list[NDArray[Any]]:
        """The keys of each table, as they are searched."""
        return [sortable(self.keys[first:last]) for first, last in pairwise(self.tables)]

    def truncated(self, n_tables: int) -> "HashTables":
        """Return the first tables: the same as from the same generator with this number."""
        most = len(self.tables) - 1
        n_tables = as_count(n_tables, "n_tables", most=most, why="the tables there are")
        h = n_tables * self.k
        buckets = self.tables[n_tables]
        m = n_tables * self.n
        parts = (
            self.tables[: n_tables + 1],
            self.keys[:buckets],
            self.starts[: buckets + 1],
            self.members[:m],
        )
        return HashTables(
            self.a[:, :h].copy(), self.b[:h].copy(), self.w, *(part.copy() for part in parts)
        )

    def buckets(
        self, Q: ArrayLike, *, kernels: Kernels | None = None, threads: int | None = None
    ) -> IntArray:
        """Return the bucket of each query, Q (m, d), in each table: int64, shape (m, tables).

        It is -1 where no point has the query's key.
        """
        kernels = as_kernels(kernels)
        queries = as_points(Q, "Q", self.a.T)
        keys = hash_values(queries, self.a, self.b, self.w, "Q", kernels, threads)
        buckets = np.empty((len(queries), len(self.tables) - 1), dtype=np.int64)
        for t in range(buckets.shape[1]):
            mine = self._sortable[t]
            query_keys = sortable(keys[:, t * self.k : (t + 1) * self.k])
            place = np.searchsorted(mine, query_keys)
            same = mine[np.minimum(place, len(mine) - 1)] == query_keys
            buckets[:, t] = np.where(same, self.tables[t] + place, -1)
        return buckets

    def candidates(
        self,
        Q: ArrayLike,
        n_candidates: int | None = None,
        *,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> Candidates:
        """Return the points in at least one of the query's buckets, by the tables that agree.

        The search of Datar et al. (2004), with all of the buckets' points. Q has shape (m, d);
        `n_candidates` is the largest number for a query, all by default, and there may be none. The
        score is in how many tables the point has the query's key.
        """
        kernels = as_kernels(kernels)
        most = self.n if n_candidates is None else as_count(n_candidates, "n_candidates")
        limit = min(most, self.n)
        buckets = self.buckets(Q, kernels=kernels, threads=threads)
        votes = kernels.bucket_votes(
            self.starts[:-1], self.starts[1:], self.members, buckets, self.n, limit, threads=threads
        )
        return from_new_arrays(Candidates, *votes)


def lsh(
    X: ArrayLike,
    n_tables: int,
    k: int,
    w: float,
    *,
    rng: np.random.Generator,
    p: int = 2,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> HashTables:
    """Draw hash functions and fill the tables: Datar et al. (2004), § 3.2.

    Parameters
    ----------
    X : array_like, shape (n, d)
    n_tables : int
        L of the source.
    k : int
        Hash functions of a table.
    w : float
        The width, positive, in units of the distance.
    rng : numpy.random.Generator
        Draws a and b, table by table.
    p : {1, 2}
        The distance: Manhattan (Cauchy) or Euclidean (Gaussian).
    kernels : module, optional
        The default is :mod:`refimpl.kernels`.
    threads : int, optional

    Returns
    -------
    HashTables

    Raises
    ------
    TypeError, ValueError
        If the input is empty, not finite or beyond 1e140, a number is too small, `p` is neither 1
        nor 2, or `w` is so small that the hash values leave the integers that float64 holds.

    See Also
    --------
    refimpl.rivals.kmeans_trees.kmeans_trees : Another index of candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.lsh import lsh
    >>> tables = lsh([[0.0], [0.1], [9.0]], 4, 2, 4.0, rng=np.random.default_rng(0))
    >>> tables.candidates([[0.0]], 1).of(0)
    array([0])
    """
    kernels = as_kernels(kernels)
    points = in_range(as_matrix(X, "X"), "X")  # any smaller scale is right
    rng = as_generator(rng)
    n_tables = as_count(n_tables, "n_tables")
    k = as_count(k, "k")
    w = positive(w, "w")
    if p not in (1, 2) or isinstance(p, bool):
        raise ValueError(f"p must be 1 (Manhattan distance) or 2 (Euclidean distance); got {p!r}")
    functions = n_tables * k
    needed = 8 * functions * (2 * points.shape[1] + 4 * len(points) + 2)
    check_free_memory(needed, "the list of hash values", "tables, functions or points")
    draw: Any = rng.standard_normal if p == 2 else rng.standard_cauchy
    drawn = [(draw((points.shape[1], k)), rng.uniform(0.0, w, k)) for _ in range(n_tables)]
    a = np.concatenate([directions for directions, _ in drawn], axis=1)
    b = np.concatenate([offsets for _, offsets in drawn])
    values = hash_values(points, a, b, w, "X", kernels, threads)
    tables = [0]
    keys = []
    counts = []
    members = []
    for t in range(n_tables):
        g = np.ascontiguousarray(values[:, t * k : (t + 1) * k])
        _, first, inverse, count = np.unique(
            sortable(g), return_index=True, return_inverse=True, return_counts=True
        )
        keys.append(g[first])
        counts.append(count)
        members.append(np.argsort(inverse.reshape(-1), kind="stable"))
        tables.append(tables[-1] + len(first))
    starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return HashTables(
        a, b, w, np.array(tables), np.concatenate(keys), starts, np.concatenate(members)
    )


def hash_values(
    X: FloatArray,
    a: FloatArray,
    b: FloatArray,
    w: float,
    name: str,
    kernels: Kernels,
    threads: int | None,
) -> IntArray:
    """Return h(v) = floor((a . v + b) / w) for the rows of X and the columns of a."""
    # the result is of shape (n, functions)
    with np.errstate(over="ignore"):  # infinite ones are refused
        values = np.floor((kernels.projections(X, a, threads=threads) + b) / w)
    if not np.abs(values).max() <= 2.0**53:
        raise ValueError(
            f"{name} must have projections within 2^53 w; got larger ones with w = {w} "
            "(take a larger w, or scale the data down)"
        )
    hashed: IntArray = values.astype(np.int64)
    return hashed


def sortable(keys: IntArray) -> NDArray[Any]:
    """Return rows of integers as bytes that compare as the rows do, shape (n,)."""
    words = np.ascontiguousarray((keys.astype(np.uint64) ^ np.uint64(2**63)).astype(">u8"))
    column: NDArray[Any] = words.view(f"S{8 * keys.shape[1]}")[:, 0]
    return column
