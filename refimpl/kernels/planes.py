"""The plane that splits a node of a search tree: eq. 18 of Li et al. (2011), and moves beyond it.

The plane of eq. 18 comes from an eigenvector. It only approximates eq. 17, so its threshold may be
chosen by eq. 17 itself, and it may be moved as long as eq. 17 rises.

Pairs of points that do not exist, and pairs in another order, raise ValueError.
"""

from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from refimpl.arrays import BoolArray, FloatArray, Int32Array, Points
from refimpl.kernels.contract import checked
from refimpl.kernels.eigen import leading_direction, length, times, times_from_left
from refimpl.kernels.forest import plane_values
from refimpl.kernels.pairs import best_thresholds, pair_product
from refimpl.kernels.products import matrix_vector, vector_matrix

ROUNDING = 1e-13  # a shorter normal of an eigenvector of length 1 is 0 but for rounding
FIT = 5  # conjugate gradient steps that fit a plane; 2 to 20 steps gave similar results on images


class Plane(NamedTuple):
    """The plane p^T x + b = 0, and the points on its upper side."""

    p: Points
    b: float
    left: BoolArray


class Sums(Protocol):
    """The sums over the pairs of a node, of which M is the symmetric matrix."""

    def product(self, u: FloatArray) -> FloatArray:
        """Return M u."""

    def leading_direction(self, x: FloatArray, start: FloatArray, tol: float) -> FloatArray:
        """Return the leading eigenvector of X~ M X~^T; the rows of x are those of X~^T."""

    def best_thresholds(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weight that the best cut of each column separates, and its threshold."""


PlaneKernels = Any
"""A module, or another object, with ``plane_values``, ``matrix_vector`` and ``vector_matrix``."""


class ListedSums:
    """The sums over listed pairs, by the functions of `kernels`."""

    def __init__(
        self,
        first: Int32Array,
        second: Int32Array,
        v: FloatArray,
        base: float,
        kernels: Any,
        threads: int | None,
    ) -> None:
        self.pairs = first, second, v
        self.base = base
        self.kernels = kernels
        self.threads = threads

    def product(self, u: FloatArray) -> FloatArray:
        """Return M u: the constant of all pairs needs only the sum of u."""
        listed: FloatArray = self.kernels.pair_product(*self.pairs, u, threads=self.threads)
        others: FloatArray = u.sum() - u
        return 0.5 * (listed + self.base * others)

    def leading_direction(self, x: FloatArray, start: FloatArray, tol: float) -> FloatArray:
        """Return the result of :func:`refimpl.kernels.leading_direction`."""
        direction: FloatArray = self.kernels.leading_direction(
            x, *self.pairs, self.base, start, tol, threads=self.threads
        )
        return direction

    def best_thresholds(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the result of :func:`refimpl.kernels.best_thresholds`."""
        result: tuple[FloatArray, FloatArray] = self.kernels.best_thresholds(
            A, *self.pairs, self.base, threads=self.threads
        )
        return result


@checked
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def best_plane(
    X: Points,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    base: float,
    start: FloatArray,
    augment: float,
    tol: float,
    offset: str,
    refine: int,
    *,
    threads: int | None = None,
) -> tuple[Points, float, BoolArray]:
    """Find the plane that splits a node: eq. 18 of Li et al. (2011), or a better one by eq. 17.

    Parameters
    ----------
    X : ndarray, shape (n, d), float32 or float64
        The node's points.
    first, second : ndarray, shape (p,), int32
        Pairs with first < second in ascending order of `first`, each at most once.
    v : ndarray, shape (p,), float64
        Weights on the same grid as `base`, so that all sums of eq. 17 are exact. The contract does
        not check this.
    base : float
        The weight of every pair; a listed pair weighs v more.
    start : ndarray, shape (d + 1,), float64
        The first vector of the eigensolver.
    augment : float
        The last entry of x~ in eq. 18. The other entries are centred, and scaled to a mean squared
        length of 1.
    tol : float
        See :func:`refimpl.kernels.leading_direction`.
    offset : {"eigenvector", "best"}
        Whether b is that of eq. 18 or the best for eq. 17.
    refine : int
        How many times the plane may be moved, as long as eq. 17 rises.

    Returns
    -------
    p : ndarray, shape (d,), of the dtype of X
    b : float
    left : ndarray, shape (n,), bool
        True for the points with p^T x + b > 0.

    Raises
    ------
    ValueError
        If the pairs are not in the order that :mod:`refimpl.kernels.pairs` states, the length of
        `start` is 0 or infinite, or sums are beyond float64.

    See Also
    --------
    leading_direction : The eigenvector of eq. 18.
    best_thresholds : The best threshold for eq. 17.

    Examples
    --------
    Points 0 and 1 should stay together, and point 2 should not be with them:

    >>> first, second = np.array([0, 0], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> X, v = np.array([[0.0], [1.0], [9.0]]), np.array([1.0, -1.0])
    >>> p, b, left = best_plane(X, first, second, v, 0.0, np.ones(2), 0.1, 1e-4, "best", 0)
    >>> p.round(3).tolist(), round(b, 3), left.tolist()
    ([0.998], -4.991, [False, False, True])
    """
    sums = ListedSums(first, second, v, base, REFERENCE, threads)
    return plane_of_sums(X, sums, start, augment, tol, offset, refine, REFERENCE, threads)


REFERENCE = SimpleNamespace(
    best_thresholds=best_thresholds,
    leading_direction=leading_direction,
    matrix_vector=matrix_vector,
    pair_product=pair_product,
    plane_values=plane_values,
    vector_matrix=vector_matrix,
)


def plane_of_sums(
    X: Points,
    sums: Sums,
    start: FloatArray,
    augment: float,
    tol: float,
    offset: str,
    refine: int,
    kernels: PlaneKernels,
    threads: int | None,
) -> Plane:
    """Return the result of :func:`best_plane` for a node whose pairs `sums` holds."""
    x, mean, spread = centred(X, augment)
    direction = sums.leading_direction(x, start, tol)  # SF:eq18
    p = normal(direction, X)
    if offset == "best":
        plane = with_best_threshold(X, sums, p, kernels, threads)
    else:
        b = float(spread * augment * direction[-1] - np.einsum("i,i", p, mean))
        plane = Plane(p, b, kernels.plane_values(X, p, threads=threads) + b > 0)
    return moved(X, sums, plane, refine, kernels, threads)


def normal(direction: FloatArray, X: Points) -> Points:
    """Return p of an eigenvector of eq. 18: 0, with all points on one side, if p is rounding."""
    p = direction[:-1] if length(direction[:-1]) > ROUNDING else np.zeros(X.shape[1])
    return cast(Points, p.astype(X.dtype))


def centred(X: Points, last: float) -> tuple[FloatArray, FloatArray, float]:
    """Return x~ of eq. 18 with the last entry `last`, the mean of the points and their spread."""
    mean = X.mean(axis=0, dtype=np.float64)
    away = X - mean
    spread = np.sqrt(np.einsum("ij,ij", away, away) / len(X)) or 1.0
    x = np.full((len(X), X.shape[1] + 1), float(last))
    np.divide(away, spread, out=x[:, :-1])
    return x, mean, spread


def with_best_threshold(
    X: Points, sums: Sums, p: Points, kernels: PlaneKernels, threads: int | None
) -> Plane:
    """Return the plane of normal p whose threshold maximises eq. 17."""
    values = kernels.plane_values(X, p, threads=threads)
    b = -float(sums.best_thresholds(values[:, np.newaxis])[1][0])  # SF:eq17
    return Plane(p, b, values + b > 0)


def moved(
    X: Points, sums: Sums, plane: Plane, n_moves: int, kernels: PlaneKernels, threads: int | None
) -> Plane:
    """Move `plane` up to `n_moves` times, as long as eq. 17 rises."""
    # With s_i = 1 on one side and -1 on the other, J^k(1) + J^k(2) = (J^k + s^T M s) / 2, and M s
    # says how strongly each point belongs to which side. The next plane is the one that fits M s
    # best, with its best threshold. All sums over M are exact, so no rise is due to rounding.
    if n_moves == 0:
        return plane
    x = centred(X, X.shape[1] ** -0.5)[0]
    worth, pull = _pull(sums, plane.left)
    for _ in range(n_moves):
        p = fitted(x, pull, kernels, threads)[:-1]
        size = length(p)
        if not size > 0:
            break
        p = (p / size).astype(X.dtype)
        other = with_best_threshold(X, sums, p, kernels, threads)
        better, pull = _pull(sums, other.left)
        if not better > worth:
            break
        worth = better
        plane = other
    return plane


def _pull(sums: Sums, left: BoolArray) -> tuple[float, FloatArray]:
    """Return s^T M s and M s, where s is 1 on the upper side and -1 on the other."""
    s = np.where(left, 1.0, -1.0)
    u = sums.product(s)
    return np.einsum("i,i", s, u), u


def fitted(
    A: FloatArray, u: FloatArray, kernels: PlaneKernels = REFERENCE, threads: int | None = None
) -> FloatArray:
    """Return p with A p near u, by a few conjugate gradient steps from p = 0."""
    # with fewer steps, p is smaller in directions in which A varies little
    right = partial(kernels.matrix_vector, threads=threads)
    left = partial(kernels.vector_matrix, threads=threads)
    p = np.zeros(A.shape[1])
    r = times_from_left(u, A, left)
    q = r
    rr = np.einsum("i,i", r, r)
    for _ in range(FIT):
        v = times(A, q, right)
        vv = np.einsum("i,i", v, v)
        if not (vv > 0 and rr > 0):
            break
        p = p + rr / vv * q
        r = r - rr / vv * times_from_left(v, A, left)
        before = rr
        rr = np.einsum("i,i", r, r)
        q = r + rr / before * q
    return p
