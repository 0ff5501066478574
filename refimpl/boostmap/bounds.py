"""The least Z among many classifiers of triples: BoostMap of Athitsos et al. (2005), § 7.3 steps 1,
3 and 9.

Every round of § 7.3 looks at every classifier chosen so far. A lower bound on Z needs no
exponential for each triple, and rules most classifiers out. The others are evaluated in the order
of their bounds, until no bound is low enough. The result is the same as that of the full search,
also for ties.

Not handled here: Z itself (:mod:`refimpl.kernels.triples`).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from refimpl.typing import FloatArray, Int32Array, IntArray, Kernels

__all__ = ["best_of_bound", "least_z", "least_z_min", "margin_sums", "z_bound"]

Values: TypeAlias = FloatArray | Sequence[FloatArray]
"""Values of 1D embeddings on the training objects, an embedding in each row."""

# classifiers that are evaluated before the bounds are looked at again: the first ones often rule
# out the others
AT_FIRST, AT_ONCE = 2, 8
SLACK = 1e-9  # far above the rounding errors of a bound or of Z


def least_z(
    F: Values,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    alpha: FloatArray,
    kernels: Kernels,
    threads: int | None,
    *,
    below: float = np.inf,
    sums: FloatArray | None = None,
) -> tuple[int | None, float]:
    """Return argmin over c of Z_j(h_c, alpha_c) and that Z, as the full search finds them.

    A classifier that :func:`z_bound` rules out is not evaluated.

    Parameters
    ----------
    F : sequence of m arrays, shape (n,), float64
        Values of the classifiers' embeddings on the training objects.
    triples : ndarray, shape (t, 3), int32
    y, w : ndarray, shape (t,), float64
        Proximity orders and weights of the triples.
    alpha : ndarray, shape (m,), float64
    kernels : module
    threads : int or None
    below : float, default infinity
        Only a Z below this counts.
    sums : ndarray, shape (m, 4), float64, optional
        What :func:`margin_sums` returns, if it is known already.

    Returns
    -------
    place : int or None
        The index of the least Z, the first of equal values; None if no Z is below `below`.
    z : float

    See Also
    --------
    least_z_min : The same with the best alpha of each classifier.

    Examples
    --------
    >>> import numpy as np
    >>> import refimpl.kernels
    >>> F = np.array([[0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> triples, y, w = np.array([[0, 1, 2]], dtype=np.int32), np.ones(1), np.ones(1)
    >>> g, z = least_z(F, triples, y, w, np.ones(2), refimpl.kernels, 1)
    >>> g, round(z, 4)
    (1, 0.3679)
    """
    if sums is None:
        sums = margin_sums(F, triples, y, w, kernels, threads)
    bound = z_bound(sums, w.sum(), alpha)

    def evaluate(places: IntArray) -> tuple[FloatArray, FloatArray]:
        chosen = np.array([F[c] for c in places])
        z = kernels.z_values(chosen, triples, y, w, alpha[places], threads=threads)
        return z, alpha[places]

    g, z, _ = _least(bound, evaluate, below)
    return g, z


def least_z_min(
    F: Values,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    least: FloatArray,
    kernels: Kernels,
    threads: int | None,
    *,
    below: float = np.inf,
    sums: FloatArray | None = None,
) -> tuple[int | None, float, float]:
    """Return argmin over c of Z_min(h_c, j, l_c), with its alpha and Z.

    Parameters
    ----------
    F, triples, y, w, kernels, threads, below, sums
        As for :func:`least_z`.
    least : ndarray, shape (m,), float64
        The least alpha l_c of each classifier.

    Returns
    -------
    place : int or None
    alpha, z : float

    See Also
    --------
    least_z : The same at one alpha of each classifier.

    Examples
    --------
    >>> import numpy as np
    >>> import refimpl.kernels
    >>> F = np.array([[0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> triples = np.array([[0, 1, 2], [0, 1, 2], [0, 2, 1]], dtype=np.int32)
    >>> y, w = np.ones(3), np.full(3, 1 / 3)
    >>> g, alpha, z = least_z_min(F, triples, y, w, np.zeros(2), refimpl.kernels, 1)
    >>> g, round(alpha, 4)
    (1, 0.3466)
    """
    if sums is None:
        sums = margin_sums(F, triples, y, w, kernels, threads)
    bound = z_bound(sums, w.sum(), best_of_bound(sums, least))

    def evaluate(places: IntArray) -> tuple[FloatArray, FloatArray]:
        chosen = np.array([F[c] for c in places])
        alpha, z = kernels.minimize_z(chosen, triples, y, w, least[places], threads=threads)
        return z, alpha

    g, z, alpha = _least(bound, evaluate, below)
    return g, alpha, z


def margin_sums(
    F: Values,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    kernels: Kernels,
    threads: int | None,
) -> FloatArray:
    """Return ``kernels.margin_sums``, which the bounds are made of, shape (m, 4).

    Parameters
    ----------
    F, triples, y, w, kernels, threads
        As for :func:`least_z`; F may be empty.

    Returns
    -------
    ndarray, shape (m, 4), float64

    See Also
    --------
    z_bound : The bound.

    Examples
    --------
    >>> import numpy as np
    >>> import refimpl.kernels
    >>> triples = np.array([[0, 1, 2]], dtype=np.int32)
    >>> margin_sums([], triples, np.ones(1), np.ones(1), refimpl.kernels, 1).shape
    (0, 4)
    """
    if len(F) == 0:
        return np.empty((0, 4))
    return kernels.margin_sums(np.array(F), triples, y, w, threads=threads)


def z_bound(sums: FloatArray, total: float, alpha: FloatArray) -> FloatArray:
    """Return a lower bound of Z_j(h, alpha), by Jensen's inequality on either side of 0.

    Over the triples with u > 0, the weighted mean of exp(-alpha u) is at least exp(-alpha times the
    mean of u). The same holds for u < 0. Triples with u = 0 add their weights.

    Parameters
    ----------
    sums : ndarray, shape (m, 4), float64
        What :func:`margin_sums` returns.
    total : float
        Sum of the weights.
    alpha : ndarray, shape (m,), float64

    Returns
    -------
    ndarray, shape (m,), float64

    See Also
    --------
    best_of_bound : Find the alpha at which the bound is least.

    Examples
    --------
    >>> import numpy as np
    >>> z_bound(np.array([[0.5, 0.25, 1.0, 0.5]]), 1.0, np.zeros(1)).tolist()
    [1.0]
    """
    right, wrong, right_u, wrong_u = sums.T
    with np.errstate(over="ignore"):
        bound_right = right * np.exp(-_times(alpha, _mean(right_u, right)))
        bound_wrong = wrong * np.exp(_times(alpha, _mean(wrong_u, wrong)))
        bound: FloatArray = bound_right + bound_wrong
    bound += total - right - wrong
    return bound


def best_of_bound(sums: FloatArray, least: FloatArray) -> FloatArray:
    """Return the alpha >= least at which :func:`z_bound` is least.

    Parameters
    ----------
    sums : ndarray, shape (m, 4), float64
        What :func:`margin_sums` returns.
    least : ndarray, shape (m,), float64

    Returns
    -------
    ndarray, shape (m,), float64
        Infinite where no triple is classified wrong.

    See Also
    --------
    z_bound : Compute the bound.

    Examples
    --------
    >>> import numpy as np
    >>> best_of_bound(np.array([[0.5, 0.5, 1.0, 1.0], [0.5, 0.0, 1.0, 0.0]]), np.zeros(2)).tolist()
    [0.0, inf]
    """
    right, wrong, right_u, wrong_u = sums.T
    both = (right_u > 0) & (wrong_u > 0)
    alpha = np.where(right_u > 0, np.inf, least)
    slope = _mean(right_u, right)[both] + _mean(wrong_u, wrong)[both]
    alpha[both] = np.log(right_u[both] / wrong_u[both]) / slope
    at_least: FloatArray = np.maximum(alpha, least)
    return at_least


def _times(alpha: FloatArray, mean: FloatArray) -> FloatArray:
    """Return alpha times the mean margin; 0 without a mean, where alpha may be infinite."""
    return np.multiply(alpha, mean, out=np.zeros_like(mean), where=mean > 0)


def _mean(total: FloatArray, weight: FloatArray) -> FloatArray:
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def _least(
    bound: FloatArray, evaluate: Callable[[IntArray], tuple[FloatArray, FloatArray]], below: float
) -> tuple[int | None, float, float]:
    """Return the index of the least value below `below`, the value, and its further results.

    No value is below its bound.
    """
    g: int | None = None
    best = below
    extra = 0.0
    order = np.argsort(bound, kind="stable")
    first, size = 0, AT_FIRST
    while first < len(order):
        places = order[first : first + size]
        first, size = first + size, min(2 * size, AT_ONCE)
        places = np.sort(places[bound[places] <= best + SLACK])  # rounding may have raised a bound
        if len(places) == 0:
            break
        z, also = evaluate(places)
        for c, z_c, also_c in zip(places.tolist(), z.tolist(), also.tolist(), strict=True):
            if z_c < best or (z_c == best and g is not None and c < g):
                g, best, extra = c, z_c, also_c
    return g, best, extra
