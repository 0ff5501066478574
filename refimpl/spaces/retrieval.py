"""Filter-and-refine retrieval and the measures of an embedding: Athitsos, Alon, Sclaroff & Kollios (2005), §§ 4.3, 11.1
and 11.2.

An embedding is any object of this package with ``embed(space, queries)``, ``cost`` and, for its distances, either
``weights(E)`` (weighted L1: BoostMap) or ``pairwise(A, B)`` (the rivals).

Not handled here: training, approximate filters (the filter scans all vectors), storage on disk.
"""

import numpy as np

from refimpl.checks import as_count, as_generator, as_indices, as_kernels, as_labels, as_matrix, as_number
from refimpl.spaces.objects import CallableSpace, as_space

__all__ = ["FilterAndRefine", "best_dimensions", "enn_ranks", "k_nearest_classes", "percentile", "vote"]

BLOCK = 2**22  # distances held at a time: 32 MiB


# ------------------------------------------------------------------------------------------------- § 4.3


class FilterAndRefine:
    """A database that is searched by its embedding first and by exact distances among the best candidates then.

    § 4.3 of Athitsos et al. (2005), p. 6. Objects have numbers (ids): those of the space are 0, ..., n - 1, later
    ones go on from there; a removed object's id is not used again.

    Parameters
    ----------
    embedding : BoostMap, or a rival's embedding
    space : refimpl.spaces.Space
        The database, with the objects that the embedding refers to. Its vectors are computed here, once.
    vectors : array_like, shape (n, d), optional
        What ``embedding.embed(space)`` gave earlier.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional

    Attributes
    ----------
    ids : ndarray, shape (n,), int64
        The objects that are in the database, ascending.
    vectors : ndarray, shape (n, d), float64
        Their embeddings.
    """

    def __init__(self, embedding, space, *, vectors=None, kernels=None, threads=None):
        self.embedding, self.kernels, self.threads = embedding, as_kernels(kernels), threads
        self._spaces = [as_space(space)]
        vectors = embedding.embed(space) if vectors is None else as_matrix(vectors, "vectors")  # BM:4.3:1
        if vectors.shape != (len(space), embedding.d):
            raise ValueError(f"vectors has shape {vectors.shape}; it must be ({len(space)}, {embedding.d})")
        self.vectors, self.ids = vectors, np.arange(len(space))
        self._part, self._place = np.zeros(len(space), dtype=np.int64), np.arange(len(space))
        self._next = len(space)

    def __len__(self):
        return len(self.ids)

    @property
    def computed(self):
        """How many exact distances have been computed so far, those of the space before this object among them."""
        return sum(space.computed for space in self._spaces)

    def add(self, objects):
        """Embed more objects and take them in; returns their ids. The embedding stays as it is.

        Raises
        ------
        TypeError
            If the space is a matrix, whose objects are all there from the beginning.
        """
        first = self._spaces[0]
        if not isinstance(first, CallableSpace):
            raise TypeError("objects: this database is a matrix of distances; make a new one from the larger matrix")
        part = CallableSpace(first.distance, objects, pairwise=first.pairwise)
        ids = np.arange(self._next, self._next + len(part))
        self.vectors = np.concatenate([self.vectors, self.embedding.embed(first, part.objects)])
        self.ids = np.concatenate([self.ids, ids])
        self._part = np.concatenate([self._part, np.full(len(part), len(self._spaces))])
        self._place = np.concatenate([self._place, np.arange(len(part))])
        self._spaces.append(part)
        self._next += len(part)
        return ids

    def remove(self, ids):
        """Take objects out of the database. References of the embedding may go: they are still measured against."""
        ids = np.unique(as_indices(ids, self._next, "ids", "objects ever taken in"))
        absent = np.setdiff1d(ids, self.ids)
        if len(absent):
            raise ValueError(f"ids holds {absent[0]}, which has been removed already")
        keep = ~np.isin(self.ids, ids)
        self.vectors, self.ids = np.ascontiguousarray(self.vectors[keep]), self.ids[keep]
        self._part, self._place = self._part[keep], self._place[keep]

    def query(self, queries, k, p):
        """The k nearest of the p best candidates of each query.

        Parameters
        ----------
        queries : sequence of m objects, in the form that the space takes
        k : int
        p : int
            Candidates that are kept after the filter step, k <= p <= n. A query costs ``embedding.cost + p`` exact
            distances.

        Returns
        -------
        ids : ndarray, shape (m, k), int64
            Nearest first; of equal exact distances the lower id.
        distances : ndarray, shape (m, k), float64
            Exact ones.
        """
        k, p = as_count(k, "k"), as_count(p, "p")
        if not k <= p <= len(self):
            raise ValueError(f"k must be at most p, and p at most {len(self)}, the number of objects; got k={k}, p={p}")
        queries = self._spaces[0].as_queries(queries)
        candidates = self._filter(self.embedding.embed(self._spaces[0], queries), p)  # BM:4.3:2
        ids, distances = np.empty((len(queries), k), dtype=np.int64), np.empty((len(queries), k))
        for i in range(len(queries)):
            exact = self._exact(queries[i : i + 1], candidates[i])
            order = np.lexsort((self.ids[candidates[i]], exact))[:k]  # BM:4.3:3
            ids[i], distances[i] = self.ids[candidates[i]][order], exact[order]
        return ids, distances

    def _filter(self, E, p):
        if hasattr(self.embedding, "weights"):
            A = self.embedding.weights(E)
            return self.kernels.weighted_l1_nearest(E, A, self.vectors, p, threads=self.threads)[1]
        return np.concatenate([
            np.argsort(self.embedding.pairwise(E[block], self.vectors), axis=1, kind="stable")[:, :p]
            for block in _blocks(len(E), len(self))
        ])

    def _exact(self, query, rows):
        exact = np.empty(len(rows))
        for part in np.unique(self._part[rows]):
            mine = self._part[rows] == part
            exact[mine] = self._spaces[part].distances(query, self._place[rows[mine]])[0]
        return exact


# ------------------------------------------------------------------------------------------------ § 11.1


def enn_ranks(embedding, Q, X, neighbours, ks, *, kernels=None, threads=None):
    """ENN-k ranks: how deep the filter must go to find all k nearest neighbours. § 11.1, p. 17.

    Parameters
    ----------
    embedding : BoostMap, or a rival's embedding
    Q : ndarray, shape (m, d), float64
        Embedded queries.
    X : ndarray, shape (n, d), float64
        Embedded database.
    neighbours : array_like of int, shape (m, k_most)
        The true nearest neighbours of each query, nearest first, as rows of X.
    ks : sequence of int
        Values of k, at most k_most.
    kernels, threads
        As for :class:`FilterAndRefine`.

    Returns
    -------
    ndarray, shape (m, len(ks)), int64
        The worst rank of b_1, ..., b_k, where the rank of b is one plus the number of database objects mapped
        strictly closer to the query.
    """
    kernels = as_kernels(kernels)
    neighbours = np.asarray(neighbours)
    if neighbours.ndim != 2 or len(neighbours) != len(Q) or neighbours.dtype.kind not in "iu":
        raise ValueError(
            f"neighbours: {neighbours.dtype}, shape {neighbours.shape}; it must hold integers, a row of places in X "
            f"for each of {len(Q)} queries"
        )
    if neighbours.min(initial=0) < 0 or neighbours.max(initial=0) >= len(X):
        raise ValueError(
            f"neighbours: places from {neighbours.min()} to {neighbours.max()}; X has {len(X)} rows, so they must lie "
            f"between 0 and {len(X) - 1}"
        )
    ks = [as_count(k, "ks") for k in ks]
    if max(ks, default=0) > neighbours.shape[1]:
        raise ValueError(f"ks: {max(ks)}; neighbours has {neighbours.shape[1]} columns")
    ranks = np.empty((len(Q), len(ks)), dtype=np.int64)
    for block in _blocks(len(Q), len(X)):
        D = distances(embedding, Q[block], X, kernels, threads)
        farthest = np.maximum.accumulate(np.take_along_axis(D, neighbours[block], axis=1), axis=1)
        for column, k in enumerate(ks):
            ranks[block, column] = 1 + (D < farthest[:, [k - 1]]).sum(axis=1)
    return ranks


def distances(embedding, Q, X, kernels, threads):
    """Distances from embedded queries to the embedded database, by the kernels where they are weighted L1."""
    if hasattr(embedding, "weights"):
        return kernels.weighted_l1(np.ascontiguousarray(Q), embedding.weights(Q), X, threads=threads)
    return embedding.pairwise(Q, X)


def percentile(ranks, percent):
    """The least rank that at least `percent` per cent of the queries do not exceed: § 11.1. Along axis 0."""
    percent = as_number(percent, "percent", below=100.0 + 1e-9)
    ranks = np.sort(np.asarray(ranks), axis=0)
    place = max(0, int(np.ceil(percent / 100 * len(ranks) - 1e-9)) - 1)
    return ranks[place]


def k_nearest_classes(distances, labels, k, rng):
    """Classes by the votes of the k nearest, ties broken as § 11.1 says.

    Parameters
    ----------
    distances : array_like, shape (m, n)
        From queries to database objects.
    labels : array_like, shape (n,)
        Classes of the database objects.
    k : int
        Of equally near objects the lower index votes.
    rng : numpy.random.Generator
        For ties that the nearest objects of the classes do not break.

    Returns
    -------
    ndarray, shape (m,)
        Labels.
    """
    D = as_matrix(distances, "distances")
    labels, k, rng = as_labels(labels, D.shape[1], "labels"), as_count(k, "k"), as_generator(rng)
    if k > D.shape[1]:
        raise ValueError(f"k is {k}; there are {D.shape[1]} database objects")
    near = np.argsort(D, axis=1, kind="stable")[:, :k]
    return vote(labels[near], np.take_along_axis(D, near, axis=1), rng)


def vote(labels, distances, rng):
    """The class that most of the k nearest have; ties as § 11.1 says: :func:`k_nearest_classes` after the search.

    Parameters
    ----------
    labels : ndarray, shape (m, k)
        Classes of the k nearest database objects of each query.
    distances : ndarray, shape (m, k)
        Their distances.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (m,)
    """
    classes, members = np.unique(labels, return_inverse=True)
    members = members.reshape(labels.shape)
    votes = np.stack([(members == c).sum(axis=1) for c in range(len(classes))], axis=1)
    nearest = np.stack([np.where(members == c, distances, np.inf).min(axis=1) for c in range(len(classes))], axis=1)
    nearest[votes < votes.max(axis=1, keepdims=True)] = np.inf  # of the classes with most votes, the nearest object's
    last = nearest == nearest.min(axis=1, keepdims=True)
    found = last.argmax(axis=1)
    for i in np.flatnonzero(last.sum(axis=1) > 1):  # still a tie: at random
        found[i] = rng.choice(np.flatnonzero(last[i]))
    return classes[found]


# ------------------------------------------------------------------------------------------------ § 11.2


def best_dimensions(ranks, costs, success):
    """The dimension d and the number p of candidates that need the fewest exact distances: § 11.2.

    Parameters
    ----------
    ranks : dict of int -> array_like, shape (m,)
        For each d the ENN-k ranks of sample queries with a d-dimensional embedding.
    costs : dict of int -> int
        Exact distances that embedding a query takes, ``embedding.cost``.
    success : float
        Share of the queries, in per cent, for which all k nearest neighbours must be found.

    Returns
    -------
    d, p, total : int
        total = cost + p; of equal totals the lowest d.
    """
    if not ranks or set(ranks) != set(costs):
        raise ValueError(f"ranks, costs: for the dimensions {sorted(ranks)} and {sorted(costs)}; they must be the same")
    totals = [(costs[d] + int(percentile(ranks[d], success)), d) for d in ranks]
    total, d = min(totals)
    return d, total - costs[d], total


def _blocks(m, n):
    size = max(1, BLOCK // max(1, n))
    return [slice(first, min(m, first + size)) for first in range(0, m, size)]
