"""The large margin problem of LMNN: its working set, its objective and its gradients.

Weinberger & Saul (2008), §§ 2, 3 and 5. There is one metric or there are several. Point x_l belongs
to the partition alpha_l, and the squared distance to x_l is taken under the metric M = L^T L of
that partition (eq. 8). With one partition this is eq. 1.

A *target neighbour* j of a point i is one of its k nearest points of the same class. An *impostor*
l is a point of another class with d(i, l)^2 < d(i, j)^2 + 1. The *working set* holds pairs (i, l)
whose margin may be violated. With many points a training starts from the result of a training on a
subset of them (:func:`few`), and takes neighbours one after another (:func:`in_order`). Any start
gets a good scale (:func:`scaled`).
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy

from refimpl.lmnn.algorithm import adjacency
from refimpl.lmnn.certificate import Coordinates
from refimpl.lmnn.model import Search
from refimpl.products import rows_times, transposed_times
from refimpl.typing import FloatArray, IntArray, Kernels

MORE = 16  # the room of a part allows so many times the impostors of a point that were found so far
MOST = 2 / 3  # with a larger share of the rows their copies would take more memory than they save


class UsedRows:
    """The rows of a table of partitions * n mapped points that some pairs use, or all rows."""

    def __init__(
        self,
        first: IntArray,
        second: IntArray,
        X: FloatArray,
        partitions: int,
        threads: int | None,
        most: float = MOST,
    ) -> None:
        n = X.shape[-2]
        is_used = np.zeros(partitions * n, dtype=bool)
        is_used[first] = True
        is_used[second] = True
        self.places: IntArray = np.flatnonzero(is_used)
        self.pairs = first, second
        if len(self.places) > most * len(is_used):
            self.places = np.arange(len(is_used))
        else:
            number = np.cumsum(is_used) - 1
            self.pairs = number[first], number[second]
        self.threads = threads
        ends = np.searchsorted(self.places, np.arange(partitions + 1) * n)
        self._parts = [slice(a, b) for a, b in pairwise(ends)]
        tables = np.broadcast_to(X, (partitions, n, X.shape[-1]))
        self._points = [
            table if part.stop - part.start == n else table[self.places[part] - alpha * n]
            for alpha, (part, table) in enumerate(zip(self._parts, tables, strict=True))
        ]

    @cached_property
    def neighbours(self) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs as an adjacency list of the used rows."""
        return adjacency(*self.pairs, len(self.places))

    def mapped(self, L: FloatArray) -> FloatArray:
        """Return the used rows of all points mapped by the factors L, shape (partitions, r, d)."""
        Z = np.empty((len(self.places), L.shape[1]))
        for points, factor, part in zip(self._points, L, self._parts, strict=True):
            rows_times(points, factor.T, out=Z[part], threads=self.threads)
        return Z

    def products(self, W: FloatArray) -> FloatArray:
        """Return W^T X for the rows of each partition, shape (partitions, r, d)."""
        return np.stack(
            [
                transposed_times(W[part], points, threads=self.threads)
                for points, part in zip(self._points, self._parts, strict=True)
            ]
        )


@dataclass(frozen=True)
class Evaluation:
    """The value of eq. 3 and of its parts over the triples of the working set."""

    objective: float
    smooth: float  # the same with smoothed hinges; at most `objective`
    pull: float  # the first term of eq. 3, the sum of d(i, j)^2 over target neighbours
    active: int  # triples with positive slack
    alpha: float  # mu times the sum of the slopes: the dual value, where they are feasible
    weights: FloatArray  # of C_ij and C_il in the gradient: target neighbours, then the working set
    Z: FloatArray  # the mapped points, (partitions n, r)


@dataclass(frozen=True)
class Room:
    """The memory that a training has for its working set."""

    pairs: int  # how many pairs there may be
    source: str  # what limits it, for the message
    advice: str  # what the message advises
    looks: int  # pairs that a search for impostors examines at a time, as it may list them all


@dataclass(eq=False)
class LargeMarginProblem:
    """Points, classes, target neighbours and a working set of pairs (i, l)."""

    X: FloatArray  # (n, d), or (partitions, n, d) where each metric has its own coordinates
    classes: IntArray
    targets: IntArray
    mu: float
    partition: IntArray
    kernels: Kernels
    threads: int | None = None
    search: Search = "product"
    given: FloatArray | None = None  # the points before they were centred, (n, d)
    room: Room | None = None
    order: IntArray | None = None  # the rows of the caller's points, if these are in another order

    def __post_init__(self) -> None:
        self.n, self.d = self.X.shape[-2:]
        self.k = self.targets.shape[1]
        self.partitions = int(self.partition.max()) + 1
        self.set_pairs(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))

    @property
    def original(self) -> FloatArray:
        """The points as they were given, neither centred nor in other coordinates."""
        return self.X if self.given is None else self.given

    def as_given(self) -> tuple[IntArray, IntArray]:
        """Return the partition and the target neighbours of the points in the caller's order."""
        if self.order is None:
            return self.partition, self.targets
        partition = np.empty_like(self.partition)
        targets = np.empty_like(self.targets)
        partition[self.order] = self.partition
        targets[self.order] = self.order[self.targets]
        return partition, targets

    @cached_property
    def coordinates(self) -> Coordinates:
        """The coordinates in which the pull is the identity."""
        return self.coordinates_with(0.0)

    def coordinates_with(self, share: float) -> Coordinates:
        """Return coordinates in which the pull plus `share` of its mean is the identity."""
        return Coordinates(self.original, self.targets, self.partition, share)

    def within(self, X: FloatArray) -> "LargeMarginProblem":
        """Return the same problem for points X in other coordinates, with no pairs yet."""
        return replace(self, X=X, given=None)

    def set_pairs(self, i: IntArray, l: IntArray) -> None:
        """Make the pairs (i, l), sorted by i, the working set."""
        self._require_room(len(i))
        self.i, self.l = i, l
        self.start = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=self.n))])
        self._a = np.concatenate([np.repeat(np.arange(self.n), self.k), i])
        self._b = np.concatenate([self.targets.ravel(), l])
        self._alpha = self.partition[self._b]
        self._rows = (self._alpha * self.n + self._a, self._alpha * self.n + self._b)
        for name in ("all_rows", "used"):  # of the pairs before
            self.__dict__.pop(name, None)

    @cached_property
    def all_rows(self) -> UsedRows:
        """All mapped points."""
        return UsedRows(*self._rows, self.X, self.partitions, self.threads, most=0.0)

    @cached_property
    def used(self) -> UsedRows:
        """The mapped points that the pairs of target neighbours and the working set use."""
        return UsedRows(*self._rows, self.X, self.partitions, self.threads)

    def _rows_in(self, Z: FloatArray) -> UsedRows:
        """Return which mapped points Z holds: all, or those that are used."""
        return self.all_rows if len(Z) == self.n * self.partitions else self.used

    def _distances(self, Z: FloatArray) -> FloatArray:
        """Return the squared distances of all pairs; Z holds all mapped points or the used ones."""
        return self.kernels.pair_distances(Z, *self._rows_in(Z).pairs, threads=self.threads)

    def add_pairs(self, i: IntArray, l: IntArray) -> int:
        """Add pairs to the working set, and return the number of new pairs."""
        old = self.i * self.n + self.l
        union = np.concatenate([old, i * self.n + l])
        union.sort(kind="stable")  # it merges two sorted halves
        union = union[np.diff(union, prepend=-1) > 0]
        if len(union) > len(old):
            self.set_pairs(union // self.n, union % self.n)
        return len(union) - len(old)

    def mapped(self, L: FloatArray) -> FloatArray:
        """Return all points mapped by each of the factors L, shape (partitions * n, r)."""
        return self.all_rows.mapped(L)

    def impostors(self, Z: FloatArray, margin: float = 1.0) -> tuple[IntArray, IntArray]:
        """Return all (i, l) with d(i, l)^2 < margin + d(i, j)^2 for a j, sorted by i: § 4.2."""
        a, b = (rows[: self.n * self.k] for rows in self._rows)
        pull = self.kernels.pair_distances(Z, a, b, threads=self.threads)
        radii = margin + pull.reshape(self.n, self.k).max(axis=1)
        look = self._in_trees if self.search == "tree" else self.kernels.impostors
        # in parts of points from everywhere, so that the first tell how many impostors the rest has
        mixed = np.random.default_rng(0).permutation(self.n)
        codes: list[IntArray] = []
        for alpha, images in enumerate(Z.reshape(self.partitions, self.n, -1)):
            members = np.flatnonzero(self.partition == alpha)
            looks = self.n * len(members) if self.room is None else self.room.looks
            rows = max(1, looks // max(1, len(members)))  # all pairs may be impostors
            most = 0.0  # impostors of a point so far
            start = 0
            while start < self.n:
                part = np.sort(mixed[start : start + rows])
                i, l = look(
                    images[part],
                    np.ascontiguousarray(images[members]),
                    radii[part],
                    self.classes[part],
                    self.classes[members],
                    threads=self.threads,
                )
                codes.append(part[i] * self.n + members[l])
                self._require_room(sum(map(len, codes)))
                most = max(most, len(i) / len(part))
                start += rows
                rows = max(rows, min(4 * rows, int(looks / (1 + MORE * most))))
        pairs = np.sort(np.concatenate(codes))
        return pairs // self.n, pairs % self.n

    def _require_room(self, pairs: int) -> None:
        room = self.room
        if room is not None and pairs > room.pairs:
            raise MemoryError(
                f"there must be at most {room.pairs:,} pairs of a point and an impostor, as many "
                f"as fit into {room.source}; got at least {pairs:,}. {room.advice}"
            )

    def _in_trees(
        self,
        Q: FloatArray,
        X: FloatArray,
        radii: FloatArray,
        classes_Q: IntArray,
        classes_X: IntArray,
        *,
        threads: int | None,
    ) -> tuple[IntArray, IntArray]:
        """Return the result of ``kernels.impostors``, by one ball tree for each class: § 4.2."""
        firsts = [np.empty(0, dtype=np.int64)]
        seconds = [np.empty(0, dtype=np.int64)]
        for c in np.unique(classes_X):
            members = np.flatnonzero(classes_X == c)
            others = np.flatnonzero(classes_Q != c)
            tree = self.kernels.build_tree(np.ascontiguousarray(X[members]), threads=threads)
            wide = radii[others] * (1 + 1e-12)  # since trees sum the squares in another order
            starts, near, _, _ = self.kernels.tree_within(
                tree, np.ascontiguousarray(Q[others]), wide, threads=threads
            )
            firsts.append(np.repeat(others, np.diff(starts)))
            seconds.append(members[near])
        first = np.concatenate(firsts)
        second = np.concatenate(seconds)
        D = self.kernels.pair_distances(
            np.concatenate([Q, X]), first, second + len(Q), threads=threads
        )
        return first[D < radii[first]], second[D < radii[first]]

    def evaluate(self, L: FloatArray, h: float = 0.0) -> Evaluation:
        """Return eqs. 2 and 3 over the working set, with hinges smoothed to the width h."""
        return self.evaluate_at(self.mapped(L), h)

    def evaluate_at(self, Z: FloatArray, h: float = 0.0) -> Evaluation:
        """Return :meth:`evaluate` of mapped points Z."""
        D = self._distances(Z)
        pull = D[: self.n * self.k].reshape(self.n, self.k)
        smooth, hinge, active, pair_weights, target_weights = self.kernels.hinge_terms(
            pull, D[self.n * self.k :], self.start, h, threads=self.threads
        )
        return self._evaluation(Z, pull, smooth, hinge, active, pair_weights, target_weights)

    def evaluate_around(self, Z: FloatArray, h: float, slopes: FloatArray) -> Evaluation:
        """Return :meth:`evaluate_at` with hinges smoothed around slopes a, shape (p, k)."""
        # Z may hold the used points only. The hinge of a slack z becomes the smoothed hinge of
        # z + h a, less a constant; `objective` and `active` are those of the slacks z + h a.
        D = self._distances(Z)
        pull = D[: self.n * self.k].reshape(self.n, self.k)
        far = D[self.n * self.k :]
        parts = [
            self.kernels.hinge_terms(
                pull[:, j : j + 1].copy(),
                far - h * slopes[:, j],
                self.start,
                h,
                threads=self.threads,
            )
            for j in range(self.k)
        ]
        smooth, hinge, active, pair_weights = (
            sum(sums[1:], sums[0]) for sums in list(zip(*parts, strict=True))[:4]
        )
        target_weights = np.hstack([part[4] for part in parts])
        return self._evaluation(Z, pull, smooth, hinge, active, pair_weights, target_weights)

    def _evaluation(
        self,
        Z: FloatArray,
        pull: FloatArray,
        smooth: FloatArray,
        hinge: FloatArray,
        active: IntArray,
        pair_weights: FloatArray,
        target_weights: FloatArray,
    ) -> Evaluation:
        """Return the evaluation that the sums of ``kernels.hinge_terms`` make."""
        weights = np.concatenate([(1 + self.mu * target_weights).ravel(), -self.mu * pair_weights])
        total = float(pull.sum())
        return Evaluation(
            objective=total + self.mu * float(hinge.sum()),
            smooth=total + self.mu * float(smooth.sum()),
            pull=total,
            active=int(active.sum()),
            alpha=self.mu * float(pair_weights.sum()),
            weights=weights,
            Z=Z,
        )

    def gradient_L(self, evaluation: Evaluation) -> FloatArray:
        """Return the derivative by L, shape (partitions, r, d): 2 L G, computed without G."""
        rows = self._rows_in(evaluation.Z)
        W = self.kernels.weighted_differences(
            evaluation.Z, *rows.neighbours, evaluation.weights, threads=self.threads
        )
        return 2 * rows.products(W)

    def gradient_M(self, weights: FloatArray, X: FloatArray | None = None) -> FloatArray:
        """Return G of eq. 5, the derivative by each M, for the points, or for X of each metric."""
        X = np.broadcast_to(self.X, (self.partitions, self.n, self.d)) if X is None else X
        rows = X.reshape(-1, X.shape[2])
        W = self.kernels.weighted_differences(
            rows, *self.all_rows.neighbours, weights, threads=self.threads
        )
        parts = zip(X, W.reshape(X.shape), strict=True)
        half = np.stack([transposed_times(a, b, threads=self.threads) for a, b in parts])
        return (half + half.transpose(0, 2, 1)) / 2

    def slacks_at(self, Z: FloatArray, i: IntArray, l: IntArray) -> FloatArray:
        """Return 1 + d(i, j)^2 - d(i, l)^2 of pairs (i, l), for each target neighbour j: (p, k)."""
        first = self.partition[l] * self.n
        far = self.kernels.pair_distances(Z, first + i, first + l, threads=self.threads)
        a, b = (rows[: self.n * self.k] for rows in self._rows)
        near = self.kernels.pair_distances(Z, a, b, threads=self.threads).reshape(self.n, self.k)
        slacks: FloatArray = 1 + near[i] - far[:, None]
        return slacks

    def slacks_of_pairs(self, Z: FloatArray) -> FloatArray:
        """Return :meth:`slacks_at` of the working set; Z is that of :meth:`evaluate_around`."""
        D = self._distances(Z)
        near = D[: self.n * self.k].reshape(self.n, self.k)
        slacks: FloatArray = 1 + near[self.i] - D[self.n * self.k :, None]
        return slacks

    def pull_gradient(self) -> FloatArray:
        """Return the first term of eq. 5, the sum of C_ij over target neighbours."""
        return self.gradient_M(np.concatenate([np.ones(self.n * self.k), np.zeros(len(self.i))]))


COARSE = 10_000  # with more points than this they are put in order, and a tenth is trained first


def in_order(targets: IntArray) -> IntArray | None:
    """Return an order in which points follow their target neighbours; None for few points."""
    # so that what a step reads is in the cache: the rows of few points are there anyway
    n, k = targets.shape
    if n <= COARSE:
        return None
    links = np.arange(0, n * k + 1, k)
    graph = scipy.sparse.csr_array((np.ones(n * k), targets.ravel(), links), shape=(n, n))
    order = scipy.sparse.csgraph.reverse_cuthill_mckee(graph + graph.T, symmetric_mode=True)
    return np.asarray(order, dtype=np.int64)


def few(problem: LargeMarginProblem) -> IntArray | None:
    """Return every tenth point of each class, more of a small one; None for few points."""
    # as rows of the caller's points
    members = [np.flatnonzero(problem.classes == c) for c in range(problem.classes.max() + 1)]
    strides = [max(1, min(10, len(part) // (problem.k + 1))) for part in members]
    parts = [part[::stride] for part, stride in zip(members, strides, strict=True)]
    rows = np.sort(np.concatenate(parts))
    if problem.n <= COARSE or 2 * len(rows) >= problem.n:
        return None
    return rows if problem.order is None else np.sort(problem.order[rows])


def zero_metric(mu: float, classes: IntArray, k: int) -> float:
    """Return eq. 3 of M = 0: mu for each triple (i, j, l)."""
    sizes = np.bincount(classes).astype(np.float64)
    return mu * k * float((sizes * (len(classes) - sizes)).sum())


OUT_OF_REACH = 20  # powers of two; from a start so much too long or too short no step leads back


def in_reach(problem: LargeMarginProblem, L: FloatArray) -> FloatArray:
    """Return factors to start from, scaled as the best are where they are far from their length."""
    exponent = int(np.frexp(np.abs(L).max())[1])
    unit = np.ldexp(L, -exponent)  # its squares neither over- nor underflow
    best = scaled(problem, unit)
    lengths = np.abs(best).max() / np.abs(unit).max()
    return L if abs(exponent - np.log2(lengths)) <= OUT_OF_REACH else best


def scaled(problem: LargeMarginProblem, L: FloatArray, sample: int = 200) -> FloatArray:
    """Return c L for the c best for eq. 3 on a sample, with a pull of at most eq. 3 of M = 0."""
    rows = np.unique(np.linspace(0, problem.n - 1, min(sample, problem.n)).astype(np.int64))
    Z = problem.mapped(L).reshape(problem.partitions, problem.n, -1)
    D = np.empty((len(rows), problem.n))
    for alpha in range(problem.partitions):
        members = problem.partition == alpha
        A = Z[alpha][rows]
        B = Z[alpha][members]
        D[:, members] = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2 * A @ B.T
    pull = np.take_along_axis(D, problem.targets[rows], axis=1)
    D[problem.classes[rows][:, None] == problem.classes] = np.inf
    D.sort(axis=1)
    nearest = np.maximum(D[:, :5000], 0.0)

    def loss(log_c: float) -> float:
        c = np.exp(log_c)
        hinges = sum(
            np.maximum(1 + c * (pull[:, j : j + 1] - nearest), 0.0).sum() for j in range(problem.k)
        )
        return float(c * pull.sum() + problem.mu * hinges)

    sizes = (
        np.median(nearest[:, 0]),
        pull.mean(),
        nearest.max(initial=0.0, where=nearest < np.inf),
        1.0,
    )
    grid = -np.log(next(size for size in sizes if 0 < size < np.inf)) + np.linspace(-8, 12, 41)
    # the loss is convex in c
    low = bisect_left(range(len(grid) - 1), True, key=lambda k: loss(grid[k]) <= loss(grid[k + 1]))
    c = np.exp(grid[low])
    whole = pull.mean() * problem.n * problem.k
    most = zero_metric(problem.mu, problem.classes, problem.k)
    best: FloatArray = np.sqrt(most / whole if c * whole > most else c) * L
    return best
