"""Pair weights of the Boosted Search Forest: w_ij and M_ij = w_ij z_ij of Li et al. (2011), for all training pairs.

Two forms of the same thing. :class:`DensePairs` holds matrices, as the paper writes them. :class:`MeetingPairs` uses
that a dissimilar pair weighs 1 until its points meet in a leaf: it lists the similar pairs and those that have met, and
takes the rest as a constant.

Entries of M are rounded to a grid so coarse that their sum over all pairs needs no more than 53 bits. All sums of
eqs. 14 and 17 are then exact, in any order: so the two forms agree on the worth of every split and tree, and splits of
equal gain are true ties. The products with M from which eq. 18 gets its eigenvector are not exact, and either form adds
them up in its own order: planes agree up to rounding. As a rule both forms learn the same trees but for that. Where
rounding chooses, another split may win, and with it other trees: if eigenvalues coincide or nearly so, as for d <= 2,
``augment`` 0 or repeated points.

A pair is two different points, in either order: that a point finds itself says nothing about a tree. S may be
asymmetric.

Not handled here: validation (``training.py`` does it), the choice of splits.
"""

import numpy as np
from scipy import sparse

from refimpl.kernels.pairs import midway
from refimpl.products import times_vector, vector_times
from refimpl.resources import share
from refimpl.search_forest.algorithm import masses, tree_selection, weights, z_values

DENSE_BYTES, LISTED_BYTES = 68, 80  # for a pair while a tree is learnt: of listed ones, refimpl_fast takes 20 to 75
SIMILAR_BYTES = 16  # for an entry of S while the pairs are listed
BLOCK = 2**16  # pairs whose weights are held at a time: they stay in the cache
NEGLIGIBLE = 1e-9  # a split that gains less for each pair, beside the lambda of one that has not met, gains rounding


def grid_step(total):
    """Return the step of a grid on which numbers that add up to `total` or a little more can be summed exactly.

    A total of a few pairs may be a power of two itself, or rounded to just below: both have the same grid.
    """
    return 2.0 ** (np.frexp(total * (1 + 2.0**-30))[1] - 51)


def rounded(values, step):
    """Round to multiples of a power of two, half to even."""
    values = np.asarray(values / step)
    np.rint(values, out=values)
    values *= step
    return values


class DensePairs:
    """All pairs as matrices: for reading, and for a few thousand points."""

    def __init__(self, S, lam, kernels=None, threads=None):
        self.S, self.lam, self.n = S.toarray().astype(bool), lam, S.shape[0]
        self.z = z_values(self.S, lam)
        self.T = np.zeros((self.n, self.n))

    @staticmethod
    def memory(n):
        """Return the bytes for n points while a tree is learnt."""
        return DENSE_BYTES * n * n

    def weights(self):
        """Return w_ij of eq. 10, shape (n, n), on a grid; 0 where i = j."""
        w = weights(self.z, self.T)  # SF:1:4
        np.fill_diagonal(w, 0.0)
        return rounded(w, grid_step(w.sum()))

    def root(self):
        """Return the node that holds all points, with M_ij = w_ij z_ij."""
        M = weights(self.z, self.T) * self.z  # SF:eq18
        np.fill_diagonal(M, 0.0)
        return _DenseNode(rounded(M, grid_step(np.abs(M).sum())), self.lam)

    def masses(self, leaf):
        """Return P_w[t = 1, s = 1] and P_w[t = 1, s = 0] of eq. 14 as sums of weights, t = 1 within a leaf."""
        return masses(self.weights(), tree_selection(leaf, leaf), self.S)

    def meet(self, leaf, c):
        """Update T(x_i, x_j) <- T(x_i, x_j) + c t(x_i, x_j)."""
        self.T += c * tree_selection(leaf, leaf)  # SF:1:3

    def loss_and_objective(self):
        """Return L(T) of eq. 7 and J(T) of eq. 5, as sums over the pairs: every point is a query."""
        chosen = self.T > 0
        np.fill_diagonal(chosen, False)
        quality = np.count_nonzero(chosen & self.S)  # SF:eq1
        cost = np.count_nonzero(chosen)  # SF:eq2
        return self.weights().sum(), quality - self.lam * cost  # SF:eq4, SF:eq5, SF:eq7


class _DenseNode:
    """A node's part of M."""

    def __init__(self, M, lam):
        self.M, self.lam, self.n = M, lam, len(M)
        self.J = M.sum()  # J^k  SF:eq17

    def negligible(self):
        """Return what a rise of eq. 17 has to exceed: where M_ij has come down to 0, a smaller one is rounding."""
        return NEGLIGIBLE * self.lam * self.n * (self.n - 1)

    def product(self, u):
        """Return the symmetric part of M times u."""
        return 0.5 * (times_vector(self.M, u) + vector_times(u, self.M))  # SF:eq18

    def best_thresholds(self, A):
        """Return, as refimpl.kernels.best_thresholds, J^k less the largest J^k(1) + J^k(2), and the threshold."""
        crossing, threshold = np.full(A.shape[1], np.inf), np.zeros(A.shape[1])
        for t in range(A.shape[1]):
            order = np.argsort(A[:, t], kind="stable")
            a, corner = A[order, t], self.M[np.ix_(order, order)]
            within = np.diag(corner.cumsum(axis=0).cumsum(axis=1))  # sums over the k + 1 lowest points
            beyond = np.diag(corner[::-1, ::-1].cumsum(axis=0).cumsum(axis=1))[::-1]  # over the n - k highest
            cuts = np.flatnonzero(a[:-1] < a[1:])
            if len(cuts):
                between = self.J - within[cuts] - beyond[cuts + 1]
                k = cuts[between.argmin()]
                crossing[t], threshold[t] = between.min(), midway(a[k], a[k + 1])
        return crossing, threshold

    def split(self, left):
        """Return the nodes of the points with left[i] and of the others."""
        return tuple(_DenseNode(self.M[np.ix_(part, part)], self.lam) for part in (left, ~left))


class MeetingPairs:
    """Similar pairs and pairs that have met, listed once for both orders; every other pair has s = 0, T = 0, w = 1.

    `similar` says in how many of the two orders the pair is similar: 0, 1 or 2. A listed pair takes 17 bytes, up to 80
    while a tree is learnt.
    """

    def __init__(self, S, lam, kernels, threads=None):
        self.lam, self.n, self.kernels, self.threads = lam, S.shape[0], kernels, threads
        both = sparse.triu(S.astype(np.uint8) + S.T.astype(np.uint8), k=1, format="csr")
        both.sort_indices()
        self.first = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(both.indptr))
        self.second, self.similar = both.indices.astype(np.int32), both.data
        self.T = np.zeros(len(self.first))

    @staticmethod
    def memory(n, similar, M, lam):
        """Return the bytes for n points with so many similar pairs and M trees.

        By eq. 15 a first tree of positive weight puts at most similar (1 - lam) / lam dissimilar pairs together, and it
        does so where each leaf is a cluster in which just enough pairs are similar. Later trees add less and less,
        together about as much again at most: each lowers the loss of eq. 7.
        """
        dissimilar = similar * (1 - lam) / lam * (1 + min(np.log2(M) / 2, 1))
        listed = min(n * (n - 1) / 2, similar + dissimilar / 2)
        return LISTED_BYTES * listed + SIMILAR_BYTES * similar

    def _blocks(self):
        """Return slices of the listed pairs, which are looked at one at a time."""
        return (slice(a, a + BLOCK) for a in range(0, len(self.T), BLOCK))

    def _for_blocks(self, work):
        """Return the results of work(part) for the blocks, in their order; several threads share them."""
        blocks = list(self._blocks())
        found = [None] * len(blocks)

        def one(i):
            found[i] = work(blocks[i])

        share(one, len(blocks), self.threads)
        return found

    def _weights(self, part):
        """Return of some pairs w if similar and w if not."""
        return np.exp(-(1 - self.lam) * self.T[part]), np.exp(self.lam * self.T[part])  # SF:eq10, SF:1:4

    def _unlisted(self):
        return self.n * (self.n - 1) - 2 * len(self.T)

    def _step(self):
        """Return the step of the grid of all weights."""
        totals = self._for_blocks(lambda part: _both(*self._weights(part), self.similar[part]).sum())
        return grid_step(sum(totals) + self._unlisted())

    def root(self):
        """Return the node that holds all points: what M_ij + M_ji has beyond the pairs' constant -2 lambda."""
        v, lam = np.empty(len(self.T)), self.lam

        def sizes(part):
            similar, dissimilar = self._weights(part)
            v[part] = _both((1 - lam) * similar, lam * dissimilar, self.similar[part])

        self._for_blocks(sizes)
        step = grid_step(v.sum() + self._unlisted() * lam)
        base = -2 * rounded(lam, step)

        def beyond_base(part):
            similar, dissimilar = self._weights(part)
            of_similar = rounded((1 - lam) * similar, step)
            of_dissimilar = -rounded(lam * dissimilar, step)
            v[part] = _both(of_similar, of_dissimilar, self.similar[part]) - base

        self._for_blocks(beyond_base)
        return _MeetingNode(self.n, self.first, self.second, v, base, self.kernels, self.threads)

    def masses(self, leaf):
        """Return what :meth:`DensePairs.masses` does."""
        step = self._step()

        def of_block(part):
            same = part.start + np.flatnonzero(leaf[self.first[part]] == leaf[self.second[part]])
            orders = self.similar[same]
            w_similar, w_dissimilar = self._weights(same)
            of_similar = (orders * rounded(w_similar, step)).sum()  # SF:eq14
            of_dissimilar = ((2 - orders) * rounded(w_dissimilar, step)).sum()  # SF:eq14
            return of_similar, of_dissimilar, 2.0 * len(same)

        sizes = np.bincount(leaf).astype(float)
        unlisted = (sizes * (sizes - 1)).sum()
        similar = 0.0
        dissimilar = 0.0
        for of_similar, of_dissimilar, pairs in self._for_blocks(of_block):
            similar += of_similar
            dissimilar += of_dissimilar
            unlisted -= pairs
        return similar, dissimilar + unlisted

    def meet(self, leaf, c):
        """Update T as :meth:`DensePairs.meet`; pairs that meet for the first time are listed from now on."""
        self.first, self.second, self.similar, self.T = self.kernels.meet_pairs(  # SF:1:3
            leaf, self.first, self.second, self.similar, self.T, c, threads=self.threads
        )

    def loss_and_objective(self):
        """Return what :meth:`DensePairs.loss_and_objective` does."""
        step = self._step()

        def of_block(part):
            orders = self.similar[part]
            w_similar, w_dissimilar = self._weights(part)
            loss = _both(rounded(w_similar, step), rounded(w_dissimilar, step), orders).sum()
            chosen = self.T[part] > 0
            return loss, int(orders[chosen].sum(dtype=np.int64)), 2 * np.count_nonzero(chosen)

        loss = self._unlisted()
        quality = 0
        cost = 0
        for of_loss, of_quality, of_cost in self._for_blocks(of_block):
            loss += of_loss
            quality += of_quality
            cost += of_cost
        return loss, quality - self.lam * cost


def _both(of_similar, of_dissimilar, orders):
    """Return the sum over both orders of pairs, of which `orders` are similar."""
    return orders * of_similar + (2 - orders) * of_dissimilar


class _MeetingNode:
    """A node's points, numbered from 0, with the pairs listed among them."""

    def __init__(self, n, first, second, v, base, kernels, threads):
        self.n, self.first, self.second, self.v, self.base = n, first, second, v, base
        self.kernels, self.threads = kernels, threads
        self.J = v.sum() + base * (n * (n - 1) // 2)  # J^k  SF:eq17

    def negligible(self):
        """Return what :meth:`_DenseNode.negligible` does; the base is -2 lambda for both orders."""
        return NEGLIGIBLE * -self.base * (self.n * (self.n - 1) // 2)

    def product(self, u):
        """Return the symmetric part of M times u: the constant needs only the sum of u."""
        listed = self.kernels.pair_product(self.first, self.second, self.v, u, threads=self.threads)  # SF:eq18
        return 0.5 * (listed + self.base * (u.sum() - u))

    def best_thresholds(self, A):
        """Return what refimpl.kernels.best_thresholds does."""
        return self.kernels.best_thresholds(A, self.first, self.second, self.v, self.base, threads=self.threads)

    def split(self, left):
        """Return the nodes of the points with left[i] and of the others."""
        parts = self.kernels.split_pairs(left, self.first, self.second, self.v, threads=self.threads)  # SF:2:6
        sizes = np.count_nonzero(left), np.count_nonzero(~left)
        return tuple(
            _MeetingNode(n, first, second, v, self.base, self.kernels, self.threads)
            for n, (first, second, v) in zip(sizes, parts, strict=True)
        )
