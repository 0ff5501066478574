"""Classifiers of triples (q, a, b): margins, weighted errors, best ranges.

Athitsos et al. (2005). The *proximity order* of a triple is 1 if q is nearer to a than to b, -1
if it is nearer to b. A classifier comes from a one-dimensional embedding F, given by its values
on the training objects. The *margin* of a triple says how much nearer F puts q to a than to b. The
kernels see many embeddings at once and every triple of each.

Not handled here: choosing triples, distances, the loss Z (:mod:`refimpl.kernels.losses`).

Both twins give the same bits: weighted errors are exact sums of weights on the grid
(:func:`refimpl.kernels.stumps.on_grid`), and other sums have a stated order
(:func:`refimpl.kernels.exponentials.fixed_sum`). :func:`weighted_errors` and :func:`best_ranges`
round other weights to the grid. Threads share the embeddings, never the triples of an embedding.
"""

from collections.abc import Iterator

import numpy as np

from refimpl.arrays import FloatArray, Int32Array, IntArray
from refimpl.kernels.contract import checked
from refimpl.kernels.exponentials import fixed_sums
from refimpl.kernels.stumps import on_grid


def margins(F: FloatArray, triples: Int32Array) -> FloatArray:
    """Return F~(q, a, b) = |F(q) - F(b)| - |F(q) - F(a)| for every triple: eq. 2."""
    q, a, b = F.take(triples).T
    values: FloatArray = np.abs(q - b) - np.abs(q - a)  # BM:eq2
    return values


def signed_margins(
    F: FloatArray, triples: Int32Array, y: FloatArray, S: FloatArray | None
) -> Iterator[FloatArray]:
    """Yield y_i S(q_i) F~(q_i, a_i, b_i) for one classifier after the other."""
    for c, F_c in enumerate(F):
        yield y * margins(F_c, triples) * (1.0 if S is None else S[c][triples[:, 0]])  # BM:eq17


@checked
def weighted_errors(
    F: FloatArray, triples: Int32Array, y: FloatArray, w: FloatArray, *, threads: int | None = None
) -> FloatArray:
    """Compute the training errors Lambda_j of many classifiers: eqs. 3 and 11.

    Source: Athitsos et al. (2005).

    Parameters
    ----------
    F : ndarray, shape (m, n), float64
        Values of m 1D embeddings on the training objects.
    triples : ndarray, shape (t, 3), int32
        Objects q, a, b of each triple.
    y : ndarray, shape (t,), float64
        1 or -1, the proximity order of each triple.
    w : ndarray, shape (t,), float64
        Weights on the grid that add up to at most one.

    Returns
    -------
    ndarray, shape (m,), float64
        Exact multiples of 2**-53; a triple whose margin is 0 counts as half an error.

    See Also
    --------
    z_values : Compute Z, which the training lowers.

    Examples
    --------
    q = 0 is nearer to a = 1 than to b = 2. The first embedding says so, the second errs, and the
    third is silent:

    >>> F = np.array([[0.0, 1.0, 5.0], [0.0, 5.0, 1.0], [0.0, 1.0, 1.0]])
    >>> triples = np.array([[0, 1, 2]], dtype=np.int32)
    >>> weighted_errors(F, triples, np.ones(1), np.ones(1)).tolist()
    [0.0, 1.0, 0.5]
    """
    w = on_grid(w)
    signs = (np.sign(margins(F_i, triples)) for F_i in F)
    # BM:eq11, ERRATUM BM-2, BM:7.3:8
    return np.array([(w * (np.abs(y - sign) / 2)).sum() for sign in signs])


@checked
def margin_sums(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> FloatArray:
    """Sum weights, weighted margins and their squares on either side of zero.

    These sums give lower bounds of Z (eq. 12 of Athitsos et al., 2005) without an exponential.

    Parameters
    ----------
    F, triples, y, w, threads
        As for :func:`weighted_errors`.
    S : ndarray, shape (m, n), float64, optional
        Splitters, as for :func:`z_values`.

    Returns
    -------
    ndarray, shape (m, 8), float64
        For u_i = y_i S(q_i) F~(q_i, a_i, b_i): the sums of w over u > 0 and over u < 0, then those
        of w |u| and of w u^2 over the same triples, then the largest |u| of each side. The squares
        may be infinite.

    See Also
    --------
    z_values : Compute Z itself.

    Examples
    --------
    >>> F, triples = np.array([[0.0, 1.0, 5.0]]), np.array([[0, 1, 2], [1, 0, 2]], dtype=np.int32)
    >>> margin_sums(F, triples, np.array([1.0, -1.0]), np.full(2, 0.5)).tolist()
    [[0.5, 0.5, 2.0, 1.5, 8.0, 4.5, 4.0, 3.0]]
    """
    w = on_grid(w)
    sums = np.empty((len(F), 8))
    for c, u in enumerate(signed_margins(F, triples, y, S)):
        part = np.stack([u > 0, u < 0]) * w
        with np.errstate(over="ignore"):
            for first in (0, 2, 4):
                sums[c, first : first + 2] = fixed_sums(part)  # of w, w |u|, w u^2
                part *= np.abs(u)
        sums[c, 6:] = np.abs([np.max(u, initial=0.0), np.max(-u, initial=0.0)])  # no -0
    return sums


@checked
def best_ranges(
    values: FloatArray,
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    thresholds: FloatArray,
    ranges: IntArray,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Find the range of queries in which each classifier errs least, in O(t + r) for each.

    § 8.3 of Athitsos et al. (2005). A query-sensitive classifier is silent outside its range
    (eq. 17), and silence counts for one half (eq. 3). So the error of a range is lower than that
    of silence by the sum of w (1/2 - G) over the triples inside. This sum is computed once for each
    cell between neighbouring thresholds; for a range it is a difference of two running sums.

    Parameters
    ----------
    values : ndarray, shape (m, n), float64
        Values on the training objects of the 1D embeddings that split, Gamma_c.
    F : ndarray, shape (m, n), float64
        Values of the 1D embeddings that classify, F_c.
    triples, y, w, threads
        As for :func:`weighted_errors`.
    thresholds : ndarray, shape (m, k), float64
        The thresholds of each classifier, ascending. They cut the values into k + 1 cells: cell 0
        lies below the first threshold, and cell k begins at the last threshold.
    ranges : ndarray, shape (r, 2), int64
        (i, j) with i < j: the cells i, ..., j - 1; with i >= j: all cells but j, ..., i - 1.

    Returns
    -------
    error : ndarray, shape (m,), float64
        Lambda_j of the best range, an exact multiple of 2**-53.
    best : ndarray, shape (m,), int64
        The row of `ranges` that holds the best range; of equal errors the lowest row.

    See Also
    --------
    weighted_errors : Compute the error without a range.

    Examples
    --------
    The triple with q = 0 is right, that with q = 2 is wrong; the range below 2.5 holds q = 0 alone:

    >>> F, triples = np.array([[0.0, 1.0, 5.0]]), np.array([[0, 1, 2], [2, 0, 1]], dtype=np.int32)
    >>> cells = np.array([[0, 2], [0, 1], [1, 2]])
    >>> error, best = best_ranges(
    ...     F, F, triples, np.ones(2), np.full(2, 0.5), np.array([[2.5]]), cells
    ... )
    >>> error.tolist(), best.tolist()
    ([0.25], [1])
    """
    w = on_grid(w)
    errors = []
    best = []
    i, j = ranges.T
    for values_c, F_c, t_c in zip(values, F, thresholds, strict=True):
        gain = w * (1 - np.abs(y - np.sign(margins(F_c, triples)))) / 2
        cell = np.searchsorted(t_c, values_c[triples[:, 0]], side="right")
        below = np.append(0.0, np.cumsum(np.bincount(cell, gain, len(t_c) + 1)))
        gains = np.where(i < j, below[j] - below[i], below[-1] - (below[i] - below[j]))
        best.append(int(np.argmax(gains)))  # BM:8.3:2
        errors.append(w.sum() / 2 - gains[best[-1]])
    return np.array(errors), np.array(best, dtype=np.int64)
