"""The weights of all training pairs: w_ij and M_ij = w_ij z_ij of Li et al. (2011), eqs. 10 and 18.

There are two forms of the weights. :class:`DensePairs` holds matrices, as the paper writes them.
The weight of a dissimilar pair is 1 until its points meet in a leaf. Therefore
:class:`MeetingPairs` lists only the similar pairs and the pairs that have met; all other pairs
share one constant.

Entries of M are rounded to a grid so coarse that their sum over all pairs needs no more than 53
bits. All sums of eqs. 14 and 17 are then exact in any order, so the two forms agree on the worth of
every split and tree, and splits of equal gain are true ties. The products with M from which eq. 18
gets its eigenvector are not exact, and each form adds them up in its own order: the planes of both
forms agree up to rounding. The forms may learn different trees where rounding chooses the split:
where eigenvalues (nearly) coincide, as for d <= 2, ``augment`` 0 or repeated points.

A pair consists of two different points, in either order, since every tree lets a point find itself.
S may be asymmetric.

A *node* is a part of the points with M_ij of their pairs. It gives its worth J^k (eq. 17), products
with M, the best thresholds, and its two parts.
"""

from __future__ import annotations  # scipy.sparse is imported when first used

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
import scipy

from refimpl.arrays import blocks
from refimpl.kernels.eigen import top_eigenvector
from refimpl.kernels.pairs import midway
from refimpl.kernels.planes import REFERENCE, ListedSums, plane_of_sums
from refimpl.resources import check_free_memory, share
from refimpl.search_forest.algorithm import (
    loss,
    masses,
    objective,
    tree_selection,
    weights,
    z_values,
)
from refimpl.search_forest.model import Split
from refimpl.typing import (
    BoolArray,
    FloatArray,
    Int32Array,
    IntArray,
    Kernels,
    Points,
    UInt8Array,
    WeightedPairs,
)

DENSE_BYTES = 68  # for each pair while a tree is learnt
LISTED_BYTES = 80  # for a listed pair while a tree is learnt; refimpl_fast takes 20 to 75
PAIR_BYTES = 17  # for a listed pair between two trees
LEARNING_BYTES = 40  # for a listed pair beside them, in a long list: 18 to 38 were measured
SIMILAR_BYTES = 16  # for an entry of S while the pairs are listed
BLOCK = 2**16  # pairs whose weights are computed at a time: they stay in the cache
# A rise of eq. 17 below this share of lambda for each pair is rounding.
NEGLIGIBLE = 1e-9

Part = TypeVar("Part")


def grid_step(total: float) -> float:
    """Return the step of a grid on which numbers that add up to about `total` sum exactly."""
    # a total that is a power of two, or is rounded to just below it, has the same grid
    return float(2.0 ** (np.frexp(total * (1 + 2.0**-30))[1] - 51))


def rounded(values: FloatArray | float, step: float) -> FloatArray:
    """Round to multiples of a power of two, half to even."""
    multiples: FloatArray = np.asarray(values / step)
    np.rint(multiples, out=multiples)
    multiples *= step
    return multiples


class DensePairs:
    """The weights of all pairs as matrices: for reading, and for a few thousand points (§ 3.2)."""

    def __init__(self, S: scipy.sparse.csr_matrix, lam: float) -> None:
        self.S: BoolArray = S.toarray().astype(bool)
        self.lam = lam
        self.n: int = S.shape[0]
        self.z = z_values(self.S, lam)
        self.T: FloatArray = np.zeros((self.n, self.n))

    @staticmethod
    def memory(n: int) -> float:
        """Return the bytes for n points while a tree is learnt."""
        return DENSE_BYTES * n * n

    def weights(self) -> FloatArray:
        """Return w_ij of eq. 10, shape (n, n), on a grid; 0 where i = j."""
        w = weights(self.z, self.T)
        np.fill_diagonal(w, 0.0)
        return rounded(w, grid_step(w.sum()))

    def root(self) -> Node:
        """Return the node that holds all points, with M_ij = w_ij z_ij."""
        M = weights(self.z, self.T) * self.z
        np.fill_diagonal(M, 0.0)
        return _DenseNode(rounded(M, grid_step(np.abs(M).sum())), self.lam)

    def masses(self, leaf: IntArray) -> tuple[float, float]:
        """Return P_w[t = 1, s = 1] and P_w[t = 1, s = 0] of eq. 14 as sums of weights."""
        return masses(self.weights(), tree_selection(leaf, leaf), self.S)

    def meet(self, leaf: IntArray, c: float) -> None:
        """Update T(x_i, x_j) <- T(x_i, x_j) + c t(x_i, x_j)."""
        self.T += c * tree_selection(leaf, leaf)

    def loss_and_objective(self) -> tuple[float, float]:
        """Return L(T) of eq. 7 and J(T) of eq. 5 as sums over the pairs: every point is a query."""
        T = np.where(np.eye(self.n, dtype=bool), 0.0, self.T)
        return loss(self.weights()), objective(T, self.S, self.lam)


class _DenseNode:
    """A node's part of M."""

    def __init__(self, M: FloatArray, lam: float) -> None:
        self.M = M
        self.lam = lam
        self.n = len(M)
        self.J: float = M.sum()  # J^k

    def negligible(self) -> float:
        """Return the largest rise of eq. 17 that counts as rounding, as M_ij may have become 0."""
        return NEGLIGIBLE * self.lam * self.n * (self.n - 1)

    def product(self, u: FloatArray) -> FloatArray:
        """Return the symmetric part of M times u."""
        both: FloatArray = np.einsum("ij,j->i", self.M, u) + np.einsum("i,ij->j", u, self.M)
        return 0.5 * both

    def leading_direction(self, x: FloatArray, start: FloatArray, tol: float) -> FloatArray:
        """Return the leading eigenvector of X~ M X~^T; the rows of x are those of X~^T."""

        def product(p: FloatArray) -> FloatArray:
            Mxp = self.product(np.einsum("ij,j->i", x, p))
            result: FloatArray = np.einsum("i,ij->j", Mxp, x)
            return result

        return top_eigenvector(product, start, tol=tol)

    def best_plane(
        self, X: Points, start: FloatArray, augment: float, tol: float, offset: str, refine: int
    ) -> Split:
        """Return the result of :func:`refimpl.kernels.best_plane` for this node."""
        how = augment, tol, offset, refine
        return Split(*plane_of_sums(X, self, start, *how, REFERENCE, None))

    def best_thresholds(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return, for each column, J^k less the largest J^k(1) + J^k(2), and the threshold."""
        crossing = np.full(A.shape[1], np.inf)
        threshold = np.zeros(A.shape[1])
        for t in range(A.shape[1]):
            order = np.argsort(A[:, t], kind="stable")
            a = A[order, t]
            corner = self.M[np.ix_(order, order)]
            # sums over the k + 1 lowest points
            within = np.diag(corner.cumsum(axis=0).cumsum(axis=1))
            # over the n - k highest
            beyond = np.diag(corner[::-1, ::-1].cumsum(axis=0).cumsum(axis=1))[::-1]
            cuts = np.flatnonzero(a[:-1] < a[1:])
            if len(cuts):
                between = self.J - within[cuts] - beyond[cuts + 1]
                k = cuts[between.argmin()]
                crossing[t] = between.min()
                threshold[t] = midway(a[k], a[k + 1])
        return crossing, threshold

    def split(self, left: BoolArray) -> tuple[Node, Node]:
        """Return the nodes of the points with left[i] and of the others."""
        right = ~left
        return (
            _DenseNode(self.M[np.ix_(left, left)], self.lam),
            _DenseNode(self.M[np.ix_(right, right)], self.lam),
        )


class MeetingPairs:
    """The weights of the similar pairs and of those that have met in a leaf, in a list (§ 3.2)."""

    # A pair is listed once for both orders. Every pair that is not listed has s = 0, T = 0 and
    # w = 1. With `watch` a list or a tree for which no memory is free raises MemoryError.

    def __init__(
        self,
        S: scipy.sparse.csr_matrix,
        lam: float,
        kernels: Kernels,
        threads: int | None = None,
        watch: bool = False,
    ) -> None:
        self.lam = lam
        self.n: int = S.shape[0]
        self.kernels = kernels
        self.threads = threads
        self.watch = watch
        both = scipy.sparse.triu(S.astype(np.uint8) + S.T.astype(np.uint8), k=1, format="csr")
        both.sort_indices()
        self.first: Int32Array = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(both.indptr))
        self.second: Int32Array = both.indices.astype(np.int32)
        self.similar: UInt8Array = both.data  # in how many of the two orders: 0, 1 or 2
        self.T: FloatArray = np.zeros(len(self.first))
        self._grid: float | None = None  # the step of the grid, once it is known for this T

    @staticmethod
    def least_memory(similar: int) -> float:
        """Return the bytes that the list of the pairs of S takes at least."""
        return PAIR_BYTES * similar / 2

    @staticmethod
    def memory(n: int, similar: int, M: int, lam: float) -> float:
        """Return the bytes for n points with `similar` similar pairs and M trees."""
        # By eq. 15 a first tree of positive weight puts at most similar (1 - lam) / lam dissimilar
        # pairs together; later trees add fewer and fewer, together about as many as the first.
        dissimilar = similar * (1 - lam) / lam * (1 + min(np.log2(M) / 2, 1))
        listed = min(n * (n - 1) / 2, similar + dissimilar / 2)
        return float(LISTED_BYTES * listed + SIMILAR_BYTES * similar)

    def _for_blocks(self, work: Callable[[slice], Part]) -> list[Part]:
        """Return the results of work(part) for the blocks, in their order; threads share them."""
        parts = blocks(len(self.T), BLOCK)
        results: dict[int, Part] = {}

        def work_on(i: int) -> None:
            results[i] = work(parts[i])

        share(work_on, len(parts), self.threads)
        return [results[i] for i in range(len(parts))]

    def _weights(self, part: slice | IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of some pairs, w if the pair is similar and w if it is not."""
        w_similar = np.exp(-(1 - self.lam) * self.T[part])
        w_dissimilar = np.exp(self.lam * self.T[part])
        return w_similar, w_dissimilar

    def _require_memory(self, needed: int, what: str) -> None:
        """Raise MemoryError if so many bytes are not free."""
        check_free_memory(needed, what, "points, a larger lam, or max_memory to train anyway")

    def _unlisted(self) -> int:
        """Return the number of pairs that are not listed."""
        return self.n * (self.n - 1) - 2 * len(self.T)

    def _step(self) -> float:
        """Return the step of the grid of all weights."""
        if self._grid is not None:
            return self._grid

        def total(part: slice) -> float:
            w_similar, w_dissimilar = self._weights(part)
            return float(_both(w_similar, w_dissimilar, self.similar[part]).sum())

        self._grid = grid_step(sum(self._for_blocks(total)) + self._unlisted())
        return self._grid

    def root(self) -> Node:
        """Return the node of all points; it lists M_ij + M_ji less that of an unlisted pair."""
        if self.watch:
            self._require_memory(
                LEARNING_BYTES * len(self.T),
                f"the training of a tree on {len(self.T):,} listed pairs",
            )
        v = np.empty(len(self.T))
        lam = self.lam

        def sizes(part: slice) -> None:
            similar, dissimilar = self._weights(part)
            v[part] = _both((1 - lam) * similar, lam * dissimilar, self.similar[part])

        self._for_blocks(sizes)
        step = grid_step(v.sum() + self._unlisted() * lam)
        base = -2 * float(rounded(lam, step))

        def beyond_base(part: slice) -> None:
            similar, dissimilar = self._weights(part)
            of_similar = rounded((1 - lam) * similar, step)
            of_dissimilar = -rounded(lam * dissimilar, step)
            v[part] = _both(of_similar, of_dissimilar, self.similar[part]) - base

        self._for_blocks(beyond_base)
        pairs = self.first, self.second, v
        return _MeetingNode(self.n, pairs, base, self.kernels, self.threads)

    def masses(self, leaf: IntArray) -> tuple[float, float]:
        """Return the masses, as :meth:`DensePairs.masses` does."""
        step = self._step()

        def of_block(part: slice) -> tuple[float, float, float]:
            same = part.start + np.flatnonzero(leaf[self.first[part]] == leaf[self.second[part]])
            orders = self.similar[same]
            w_similar, w_dissimilar = self._weights(same)
            of_similar = (orders * rounded(w_similar, step)).sum()
            of_dissimilar = ((2 - orders) * rounded(w_dissimilar, step)).sum()
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

    def meet(self, leaf: IntArray, c: float) -> None:
        """Update T as :meth:`DensePairs.meet` does. New pairs that meet are added."""
        if self.watch:
            sizes = np.bincount(leaf)
            most = len(self.T) + int((sizes * (sizes - 1) // 2).sum())
            self._require_memory(
                PAIR_BYTES * most, f"the list of {most:,} pairs that meet in a leaf"
            )
        self.first, self.second, self.similar, self.T = self.kernels.meet_pairs(
            leaf, self.first, self.second, self.similar, self.T, c, threads=self.threads
        )
        self._grid = None

    def loss_and_objective(self) -> tuple[float, float]:
        """Return the loss and the objective, as :meth:`DensePairs.loss_and_objective` does."""
        step = self._step()

        def of_block(part: slice) -> tuple[float, int, int]:
            orders = self.similar[part]
            w_similar, w_dissimilar = self._weights(part)
            L = _both(rounded(w_similar, step), rounded(w_dissimilar, step), orders).sum()
            chosen = self.T[part] > 0
            return L, int(orders[chosen].sum(dtype=np.int64)), 2 * int(np.count_nonzero(chosen))

        L, Q, C = zip(*self._for_blocks(of_block), strict=True)
        return sum(L, self._unlisted()), sum(Q) - self.lam * sum(C)


def _both(of_similar: FloatArray, of_dissimilar: FloatArray, orders: UInt8Array) -> FloatArray:
    """Return the sum over both orders of each pair, of which `orders` are similar."""
    return orders * of_similar + (2 - orders) * of_dissimilar


class _MeetingNode(ListedSums):
    """A node's points, numbered from 0, with the pairs listed among them."""

    def __init__(
        self, n: int, pairs: WeightedPairs, base: float, kernels: Kernels, threads: int | None
    ) -> None:
        super().__init__(*pairs, base, kernels, threads)  # base is -2 lambda, for both orders
        self.n = n
        self.J: float = pairs[2].sum() + base * (n * (n - 1) // 2)  # J^k

    def negligible(self) -> float:
        """Return the same number as :meth:`_DenseNode.negligible`."""
        return NEGLIGIBLE * -self.base * (self.n * (self.n - 1) // 2)

    def best_plane(
        self, X: Points, start: FloatArray, augment: float, tol: float, offset: str, refine: int
    ) -> Split:
        """Return the result of :func:`refimpl.kernels.best_plane` for this node."""
        plane = self.kernels.best_plane(
            X, *self.pairs, self.base, start, augment, tol, offset, refine, threads=self.threads
        )
        return Split(*plane)

    def split(self, left: BoolArray) -> tuple[_MeetingNode, _MeetingNode]:
        """Return the nodes of the points with left[i] and of the others."""
        parts = self.kernels.split_pairs(left, *self.pairs, threads=self.threads)
        n = int(np.count_nonzero(left))
        how = self.base, self.kernels, self.threads
        return _MeetingNode(n, parts[0], *how), _MeetingNode(self.n - n, parts[1], *how)


Node: TypeAlias = _DenseNode | _MeetingNode
Pairs: TypeAlias = DensePairs | MeetingPairs
