"""The large margin problem behind LMNN: its working set of impostors, its objective and its gradients.

Weinberger & Saul (2008), §§ 2, 3 and 5. One metric or several: point x_l belongs to the partition alpha_l, and a
squared distance to it is taken under M of that partition (eq. 8), M = L^T L. With one partition this is eq. 1.

Not handled here: the choice of steps (``algorithm.py``, ``smoothed.py``), validation of arguments.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from refimpl.lmnn.coordinates import Coordinates
from refimpl.products import rows_times, transposed_times

LOOKS = 2**22  # pairs that are looked at at a time where memory is limited


@dataclass(frozen=True)
class Evaluation:
    """What one look at all triples of the working set gives.

    Attributes
    ----------
    objective : float
        Eq. 3 over the working set.
    smooth : float
        The same with smoothed hinges; at most `objective`.
    pull : float
        The first term of eq. 3: squared distances to target neighbours.
    active : int
        Triples with positive slack.
    alpha : float
        Sum of mu times the slopes of the hinges: the value of the dual problem, if they are feasible there.
    weights : ndarray, shape (n k + p,), float64
        What each pair's outer product counts in the gradient: first the target neighbours', then the working set's.
    Z : ndarray, shape (partitions * n, r), float64
        The mapped points.
    """

    objective: float
    smooth: float
    pull: float
    active: int
    alpha: float
    weights: np.ndarray
    Z: np.ndarray


class LargeMarginProblem:
    """Points, classes and target neighbours, with a working set of pairs (i, l) that may violate the margin.

    Parameters
    ----------
    X : ndarray, shape (n, d) or (partitions, n, d), float64
        The points; in the second form each metric has coordinates of its own.
    classes : ndarray, shape (n,), int64
    targets : ndarray, shape (n, k), int64
        Target neighbours j of each i.
    mu : float
    partition : ndarray, shape (n,), int64
        alpha_l of each point: 0, 1, ...
    kernels : module
    threads : int or None
    search : {"product", "trees"}
        How impostors are looked for: by filtered scalar products, or in one ball tree for each class (§ 4.2). They are
        the same.
    given : ndarray, shape (n, d), optional
        The points before they were centred; by default X.
    most_pairs : int, optional
        How many pairs may be held; more of them are a MemoryError.
    """

    def __init__(
        self, X, classes, targets, mu, partition, kernels, threads=None, search="product", given=None,
        most_pairs=None,
    ):  # fmt: skip
        self.X, self.classes, self.targets, self.mu, self.partition = X, classes, targets, mu, partition
        self.kernels, self.threads, self.search = kernels, threads, search
        self._given, self._most = X if given is None else given, most_pairs
        (self.n, self.d), self.k, self.partitions = X.shape[-2:], targets.shape[1], int(partition.max()) + 1
        self.set_pairs(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))

    @cached_property
    def coordinates(self):
        """Coordinates in which the pull is the identity."""
        return self.coordinates_with(0.0)

    def coordinates_with(self, share):
        """:class:`refimpl.lmnn.coordinates.Coordinates` of the points."""
        return Coordinates(self._given, self.targets, self.partition, share)

    def within(self, X, kind=None):
        """The same problem of points X with other coordinates, with no pairs yet; of a class derived from this one."""
        return (kind or LargeMarginProblem)(
            X, self.classes, self.targets, self.mu, self.partition, self.kernels, self.threads, self.search,
            most_pairs=self._most,
        )  # fmt: skip

    def set_pairs(self, i, l):
        """Make the pairs (i, l), sorted by i, the working set."""
        self._require_room(len(i))
        self.i, self.l = i, l
        self.start = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=self.n))])
        self._a = np.concatenate([np.repeat(np.arange(self.n), self.k), i])
        self._b = np.concatenate([self.targets.ravel(), l])
        self._alpha = self.partition[self._b]  # LM:eq8, LM:5:5, LM:5:6  of the second point  ERRATUM LM-3
        self._rows = self._alpha * self.n + self._a, self._alpha * self.n + self._b
        self._neighbours = _neighbours(*self._rows, self.n * self.partitions)

    def add_pairs(self, i, l):
        """Take pairs into the working set; returns how many were not there."""
        old = self.i * self.n + self.l
        union = np.union1d(old, i * self.n + l)  # LM:3:7
        if len(union) > len(old):
            self.set_pairs(union // self.n, union % self.n)
        return len(union) - len(old)

    def mapped(self, L):
        """All points under each of the maps L, shape (partitions, r, d): (partitions * n, r)."""
        X = np.broadcast_to(self.X, (len(L), self.n, self.d))
        Z = np.empty((len(L), self.n, L.shape[1]))
        for mine, one, out in zip(X, L, Z, strict=True):
            rows_times(mine, one.T, out=out, threads=self.threads)
        return Z.reshape(len(L) * self.n, L.shape[1])

    def impostors(self, L, margin=1.0):
        """All pairs (i, l) of different classes with d(i, l)^2 < margin + d(i, j)^2 for a target neighbour j: § 4.2."""
        return self.impostors_at(self.mapped(L), margin)

    def impostors_at(self, Z, margin=1.0):
        """:meth:`impostors` of mapped points Z."""
        a, b = (rows[: self.n * self.k] for rows in self._rows)
        pull = self.kernels.pair_distances(Z, a, b, threads=self.threads)
        radii = margin + pull.reshape(self.n, self.k).max(axis=1)  # LM:4.2:3
        found = []
        for alpha, one in enumerate(Z.reshape(self.partitions, self.n, -1)):
            members = np.flatnonzero(self.partition == alpha)
            look = self._in_trees if self.search == "trees" else self.kernels.impostors
            block = self.n if self._most is None else max(1, LOOKS // max(1, len(members)))
            for start in range(0, self.n, block):
                part = slice(start, start + block)
                i, l = look(
                    one[part], np.ascontiguousarray(one[members]), radii[part], self.classes[part],
                    self.classes[members], threads=self.threads,
                )  # fmt: skip
                found.append((start + i) * self.n + members[l])
                self._require_room(sum(map(len, found)))
        pairs = np.sort(np.concatenate(found))
        return pairs // self.n, pairs % self.n

    def _require_room(self, pairs):
        if self._most is not None and pairs > self._most:
            raise MemoryError(
                f"max_memory has room for {self._most:,} pairs of a point and an impostor; there are {pairs:,} or "
                "more. Pass more, or fewer points"
            )

    def _in_trees(self, Q, X, radii, classes_Q, classes_X, *, threads):
        """What ``kernels.impostors`` finds, by one ball tree for each class: § 4.2."""
        first, second = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for c in np.unique(classes_X):
            members, others = np.flatnonzero(classes_X == c), np.flatnonzero(classes_Q != c)
            tree = self.kernels.build_tree(np.ascontiguousarray(X[members]), threads=threads)  # LM:4.2:4
            wide = radii[others] * (1 + 1e-12)  # trees sum the squares in another order
            starts, near, _, _ = self.kernels.tree_within(tree, np.ascontiguousarray(Q[others]), wide, threads=threads)
            first.append(np.repeat(others, np.diff(starts)))
            second.append(members[near])
        first, second = np.concatenate(first), np.concatenate(second)
        D = self.kernels.pair_distances(np.concatenate([Q, X]), first, second + len(Q), threads=threads)
        return first[D < radii[first]], second[D < radii[first]]

    def evaluate(self, L, h=0.0):
        """Eqs. 2 and 3 over the working set, with hinges smoothed to the width h."""
        return self.evaluate_at(self.mapped(L), h)

    def evaluate_at(self, Z, h=0.0, without=None):
        """:meth:`evaluate` of mapped points Z; pairs of the working set marked in `without` count as satisfied."""
        D = self.kernels.pair_distances(Z, *self._rows, threads=self.threads)  # LM:eq1, LM:eq4
        if without is not None:
            D[self.n * self.k :][without] = np.inf
        pull = D[: self.n * self.k].reshape(self.n, self.k)
        smooth, hinge, active, pair_weights, target_weights = self.kernels.hinge_terms(  # LM:eq2, LM:3:1, LM:3:4
            pull, D[self.n * self.k :], self.start, h, threads=self.threads
        )
        weights = np.concatenate([(1 + self.mu * target_weights).ravel(), -self.mu * pair_weights])
        total = float(pull.sum())
        return Evaluation(
            total + self.mu * float(hinge.sum()),  # LM:eq3
            total + self.mu * float(smooth.sum()), total, int(active.sum()),
            self.mu * float(pair_weights.sum()), weights, Z,
        )  # fmt: skip

    def gradient_L(self, evaluation):
        """Derivative by the maps L, shape (partitions, r, d): 2 L G, without G."""
        W = self.kernels.weighted_differences(
            evaluation.Z, *self._neighbours, evaluation.weights, threads=self.threads
        ).reshape(self.partitions, self.n, -1)
        X = np.broadcast_to(self.X, (self.partitions, self.n, self.d))
        return 2 * self._products(W, X)  # LM:4.3:2

    def gradient_M(self, weights, X=None):
        """Eq. 5: G, the derivative by M, of each partition: sums of weight times C_ab, shape (partitions, d, d).

        With X the points have those coordinates, shape (partitions, n, r), instead of the problem's.
        """
        X = np.broadcast_to(self.X, (self.partitions, self.n, self.d)) if X is None else X
        rows = X.reshape(-1, X.shape[2])
        W = self.kernels.weighted_differences(rows, *self._neighbours, weights, threads=self.threads)
        half = self._products(X, W.reshape(X.shape))  # LM:eq5, LM:3:5
        return (half + half.transpose(0, 2, 1)) / 2

    def _products(self, A, B):
        """A^T B for each partition."""
        return np.stack([transposed_times(one, other, threads=self.threads) for one, other in zip(A, B, strict=True)])

    def slacks_at(self, Z, i, l):
        """1 + d(i, j)^2 - d(i, l)^2 of pairs (i, l), for each target neighbour j: shape (p, k)."""
        first = self.partition[l] * self.n
        far = self.kernels.pair_distances(Z, first + i, first + l, threads=self.threads)
        a, b = (rows[: self.n * self.k] for rows in self._rows)
        near = self.kernels.pair_distances(Z, a, b, threads=self.threads).reshape(self.n, self.k)
        return 1 + near[i] - far[:, None]

    def pull_gradient(self):
        """The first term of eq. 5: the sum of C_ij over target neighbours, shape (partitions, d, d)."""
        return self.gradient_M(np.concatenate([np.ones(self.n * self.k), np.zeros(len(self.i))]))


def _neighbours(a, b, n):
    """The pairs (a, b) as lists: for each of n rows the other rows, and which pair each of them came from."""
    rows = np.concatenate([a, b])
    order = np.argsort(rows, kind="stable")
    pair = np.arange(len(a))
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return start, np.concatenate([b, a])[order], np.concatenate([pair, pair])[order]
