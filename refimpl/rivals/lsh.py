"""Locality-sensitive hashing with p-stable distributions, a rival of the search forest.

Source: M. Datar, N. Immorlica, P. Indyk & V. Mirrokni, "Locality-sensitive hashing scheme based on p-stable
distributions", SoCG 2004. Li et al. (2011), § 4, use as many tables as the forest has trees.

A hash function is h(v) = floor((a . v + b) / w), a drawn from a p-stable distribution (Gaussian for p = 2, Cauchy for
p = 1) and b from [0, w); a table's key is k of them, g(v) = (h_1(v), ..., h_k(v)). The candidates of a query are the
points with its key in one of the tables at least.

Readings of what the sources leave open
---------------------------------------
* w has the unit of the distance; the source takes w = 4 after scaling the data such that the wanted distance is 1.
* Keys are compared as they are, not by a second hash of theirs: no two different keys share a bucket.
* The candidates come by the number of tables that agree, and of equal numbers the lowest index first. The source takes
  them table by table and stops after 3 L; Li et al. do not say.
* Projections beyond 2^53 w, where neighbouring integers can no longer be told apart, are refused.

Not handled here: other distances, probing of neighbouring buckets, a radius for which success is promised.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import erf, exp, inf, log, pi, sqrt

import numpy as np

from refimpl.checks import as_count, as_generator, as_kernels, positive
from refimpl.results import from_new_arrays, result
from refimpl.rivals.candidates import Candidates, as_points

__all__ = ["HashTables", "collision_probability", "lsh"]


@result
@dataclass(frozen=True, eq=False)
class HashTables:
    """Hash tables over n points; their buckets are numbered through, those of a table by rising keys.

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
        Places in X; ascending within a bucket.
    """

    a: np.ndarray
    b: np.ndarray
    w: float
    tables: np.ndarray
    keys: np.ndarray
    starts: np.ndarray
    members: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "w", float(self.w))  # a file gives it back as an array
        if self.a.ndim != 2 or self.keys.ndim != 2 or self.b.shape != self.a.shape[1:]:
            raise ValueError(f"a, b, keys: shapes {self.a.shape}, {self.b.shape}, {self.keys.shape} do not fit")
        n_tables, k = len(self.tables) - 1, self.keys.shape[1]
        if n_tables < 1 or n_tables * k != len(self.b) or len(self.members) % n_tables:
            raise ValueError(f"tables, members: {n_tables} tables of {k} do not fit the {len(self.b)} functions")
        if self.starts.shape != (len(self.keys) + 1,) or not 0 < self.w < inf:
            raise ValueError(f"starts, w: {self.starts.shape}, {self.w}; wanted ({len(self.keys) + 1},), w > 0")
        for name, last in (("tables", len(self.keys)), ("starts", len(self.members))):
            values = getattr(self, name)
            if values[0] != 0 or values[-1] != last or (np.diff(values) <= 0).any():
                raise ValueError(f"{name} must rise from 0 to {last}")
        if not (self.starts[self.tables] == np.arange(n_tables + 1) * self.n).all():
            raise ValueError("tables, starts: every table must hold all points")
        if not (np.sort(self.members.reshape(n_tables, self.n), axis=1) == np.arange(self.n)).all():
            raise ValueError("members must hold each point once for each table")

    @property
    def n(self):
        """The number of points."""
        return len(self.members) // (len(self.tables) - 1)

    @property
    def k(self):
        """The number of hash functions of a table."""
        return self.keys.shape[1]

    @cached_property
    def _sortable(self):
        """The keys of each table, as they are searched."""
        return [sortable(self.keys[first:last]) for first, last in pairwise(self.tables)]

    def truncated(self, n_tables):
        """The first tables alone: those that the same generator would have given with this number."""
        n_tables = as_count(n_tables, "n_tables")
        if n_tables > len(self.tables) - 1:
            raise ValueError(f"n_tables is {n_tables}; there are {len(self.tables) - 1} tables")
        h, buckets, m = n_tables * self.k, self.tables[n_tables], n_tables * self.n
        parts = self.tables[: n_tables + 1], self.keys[:buckets], self.starts[: buckets + 1], self.members[:m]
        return HashTables(self.a[:, :h].copy(), self.b[:h].copy(), self.w, *(part.copy() for part in parts))

    def buckets(self, queries, *, kernels=None, threads=None):
        """The bucket of each query in each table, -1 where no point has its key: int64 of shape (m, tables)."""
        kernels, Q = as_kernels(kernels), as_points(queries, "queries", self.a.T)
        keys = hash_values(Q, self.a, self.b, self.w, "queries", kernels, threads)
        found = np.empty((len(Q), len(self.tables) - 1), dtype=np.int64)
        for t in range(found.shape[1]):
            mine, wanted = self._sortable[t], sortable(keys[:, t * self.k : (t + 1) * self.k])
            place = np.searchsorted(mine, wanted)
            same = mine[np.minimum(place, len(mine) - 1)] == wanted
            found[:, t] = np.where(same, self.tables[t] + place, -1)
        return found

    def candidates(self, queries, most=None, *, kernels=None, threads=None):
        """The points in one of the query's buckets at least, by the number of tables that agree.

        The search of Datar et al. (2004), with all of the buckets' points.

        Parameters
        ----------
        queries : array_like, shape (m, d)
        most : int, optional
            Not more than so many for a query.
        kernels : module, optional
            The default is :mod:`refimpl.kernels`.
        threads : int, optional

        Returns
        -------
        Candidates
            Scores: in how many tables the point has the query's key. There may be none.
        """
        kernels, most = as_kernels(kernels), self.n if most is None else as_count(most, "most")
        buckets = self.buckets(queries, kernels=kernels, threads=threads)
        starts, ends = self.starts[:-1], self.starts[1:]
        votes = kernels.bucket_votes(starts, ends, self.members, buckets, self.n, most, threads=threads)
        return from_new_arrays(Candidates, *votes)


def lsh(X, n_tables, k, w, *, rng, p=2, kernels=None, threads=None):
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
        If the input is empty, not finite or beyond 1e140, a number is too small, `p` is neither 1 nor 2, or `w` is so
        small that the hash values leave the integers that float64 holds.
    """
    kernels, X, rng = as_kernels(kernels), as_points(X, "X"), as_generator(rng)
    n_tables, k, w = as_count(n_tables, "n_tables"), as_count(k, "k"), positive(w, "w")
    if p not in (1, 2) or isinstance(p, bool):
        raise ValueError(f"p is {p!r}; it must be 1 (Manhattan distance) or 2 (Euclidean distance)")
    stable = rng.standard_normal if p == 2 else rng.standard_cauchy
    drawn = [(stable((X.shape[1], k)), rng.uniform(0.0, w, k)) for _ in range(n_tables)]
    a, b = np.concatenate([a for a, _ in drawn], axis=1), np.concatenate([b for _, b in drawn])
    values = hash_values(X, a, b, w, "X", kernels, threads)
    tables, keys, counts, members = [0], [], [], []
    for t in range(n_tables):
        g = np.ascontiguousarray(values[:, t * k : (t + 1) * k])
        _, first, inverse, count = np.unique(sortable(g), return_index=True, return_inverse=True, return_counts=True)
        keys.append(g[first])
        counts.append(count)
        members.append(np.argsort(inverse.reshape(-1), kind="stable"))
        tables.append(tables[-1] + len(first))
    starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return HashTables(a, b, w, np.array(tables), np.concatenate(keys), starts, np.concatenate(members))


def hash_values(X, a, b, w, name, kernels, threads):
    """h(v) = floor((a . v + b) / w) for the rows of X and the columns of a: int64, shape (n, functions)."""
    values = np.floor((kernels.projections(X, a, threads=threads) + b) / w)
    if not np.abs(values).max() <= 2.0**53:
        raise ValueError(f"{name} has projections beyond 2^53 w with w = {w}; take a larger w, or scale the data down")
    return values.astype(np.int64)


def sortable(keys):
    """Rows of integers as bytes that compare as the rows do, number by number: shape (n,)."""
    keys = np.ascontiguousarray((keys.astype(np.uint64) ^ np.uint64(2**63)).astype(">u8"))
    return keys.view(f"S{8 * keys.shape[1]}")[:, 0]


def collision_probability(c, w, p=2):
    """The probability that h(u) = h(v) for two points at distance c: the integral of § 3.2 of Datar et al. (2004).

    Parameters
    ----------
    c : float
        The distance, positive.
    w : float
        The width, positive, in the same unit.
    p : {1, 2}

    Returns
    -------
    float
    """
    r = positive(w, "w") / positive(c, "c")
    if p == 1:  # 2 arctan(w / c) / pi - log(1 + (w / c)^2) / (pi w / c)
        return 2 * np.arctan(r) / pi - log(1 + r * r) / (pi * r)
    # 1 - 2 norm(-w / c) - 2 (1 - exp(-w^2 / 2 c^2)) / (sqrt(2 pi) w / c)
    return erf(r / sqrt(2)) - 2 / (sqrt(2 * pi) * r) * (1 - exp(-r * r / 2))
