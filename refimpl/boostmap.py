"""BoostMap: V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean Embeddings for Indexing and
Classification", Boston University (2005).

In the paper's order: triples and their proximity order (§ 3.2), 1D embeddings (§ 4), the training algorithm and its
output (§ 7), query-sensitive embeddings (§ 8), the choice of triples (§ 10). Symbols are listed in NOTATION.md,
corrected lines in ERRATA.md.

Distances come as matrices: BoostMap never looks at an object. What is left open in the paper and read here so:

* m, the number of pivot pairs per round, is M_1 unless given.
* Two pivots at distance 0 define no line: their embedding is 0 throughout, a classifier that is never chosen.
* A triple whose two distances are equal has no label; such triples are drawn anew.
* In § 10, r is drawn from (M - 1) k, ..., (M - 1) k + M - 1 for M classes; the paper prints M = 10.

Not handled here: distances to compute (:mod:`refimpl.spaces`), retrieval (:mod:`refimpl.retrieval`).
"""

from dataclasses import dataclass

import numpy as np

from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import exp, margins

MODIFY_BELOW = 0.9999  # § 7.3 step 4


# ------------------------------------------------------------------------------------------------ § 3.2


def proximity_order(near, far):
    """P_X(q, x_1, x_2) from the distances D(q, x_1) and D(q, x_2): 1, 0 or -1. Eq. 1, p. 4.

    Parameters
    ----------
    near, far : array_like of float, of one shape
        D(q, x_1) and D(q, x_2).

    Returns
    -------
    ndarray, float64, of the same shape
    """
    return np.sign(np.asarray(far, dtype=np.float64) - np.asarray(near, dtype=np.float64))


def classification_error(P, H):
    """G averaged over triples, from their proximity orders P and a classifier's answers H: eqs. 3-4."""
    return float(np.mean(np.abs(P - np.sign(H)) / 2))


# --------------------------------------------------------------------------------------------------- § 4


def reference_embedding(D_r):
    """F^r(x) = D_X(x, r) for every x: eq. 6 with R = {r}."""
    return D_r


def pivot_embedding(D_x1, D_x2, D_x1_x2):
    """F^{x1,x2}(x) for every x, the projection on the line through two pivots: eq. 8; 0 if they coincide."""
    if D_x1_x2 == 0:
        return np.zeros_like(D_x1)
    return (D_x1 * D_x1 + D_x1_x2 * D_x1_x2 - D_x2 * D_x2) / (2 * D_x1_x2)


def embedding(D, first, second, length):
    """One 1D embedding out of the candidates' distances D, shape (n_C, n): eq. 6 if `second` is -1, else eq. 8."""
    return reference_embedding(D[first]) if second < 0 else pivot_embedding(D[first], D[second], length)


# ------------------------------------------------------------------------------------------------- § 7.3


@dataclass(frozen=True, eq=False)
class Round:
    """What one round of § 7.3 did.

    Attributes
    ----------
    j : int
        Number of the round, from 1.
    step : {"remove", "modify", "add"}
    classifier : tuple of int
        (x_1, x_2) as places among the candidates; (r, -1) for a reference object.
    alpha, z : float
        alpha_j and z_j.
    w : ndarray, shape (t,), float64
        The weights after the round, w_{j+1}.
    """

    j: int
    step: str
    classifier: tuple
    alpha: float
    z: float
    w: np.ndarray


def training_rounds(D, between, triples, y, *, M_1, m, M_2, rng, kernels, threads=None):
    """Steps 1-12 of § 7.3, p. 10, one round after the other; ends when z_j >= 1.

    Parameters
    ----------
    D : ndarray, shape (n_C, n), float64
        D[c, x] = D_X(x, c) for the candidates c and the objects x of the triples.
    between : ndarray, shape (n_C, n_C), float64
        Distances of the candidates, between[c, x] = D_X(x, c).
    triples : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64
        1 or -1.
    M_1, m, M_2 : int
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional

    Yields
    ------
    Round
    """
    t, j = len(triples), 0
    w = on_grid(np.full(t, 1 / t))  # Figure 3: w_{i,1} = 1 / t
    H = {}  # h'_c -> alpha'_c
    F = {}  # h'_c -> the values of its embedding
    while True:
        j += 1
        step, h, alpha = "remove", *removal(H, F, triples, y, w, kernels, threads)  # steps 1-2
        if h is None:
            step, h, alpha = "modify", *modification(H, F, triples, y, w, kernels, threads)  # steps 3-4
        if h is None:
            step, h, alpha = "add", *addition(
                D, between, triples, y, w, M_1, m, M_2, rng, kernels, threads)  # steps 5-10
        F[h] = embedding(D, *h, between[h[1], h[0]])
        z_j = float(kernels.z_values(F[h][None], triples, y, w, np.array([alpha]))[0])  # step 11
        if z_j >= 1:
            return
        w = on_grid(w * exp(-alpha * (y * margins(F[h], triples))) / z_j)  # step 12: eq. 9
        H[h] = H.get(h, 0.0) + alpha
        if H[h] == 0:
            del H[h], F[h]
        yield Round(j, step, h, alpha, z_j, w)


def removal(H, F, triples, y, w, kernels, threads):
    """Steps 1-2 of § 7.3: the classifier whose removal lowers Z most, and -alpha'_g; or None."""
    if not H:
        return None, 0.0
    h, alpha = list(H), -np.array(list(H.values()))
    z = kernels.z_values(np.array([F[c] for c in h]), triples, y, w, alpha, threads=threads)  # ERRATUM BM-1
    g = int(np.argmin(z))  # steps 1-2
    return (h[g], float(alpha[g])) if z[g] < 1 else (None, 0.0)


def modification(H, F, triples, y, w, kernels, threads):
    """Steps 3-4 of § 7.3: the classifier whose change of weight lowers Z most, and the change; or None."""
    if not H:
        return None, 0.0
    h, least = list(H), -np.array(list(H.values()))
    alpha, z = kernels.minimize_z(np.array([F[c] for c in h]), triples, y, w, least, threads=threads)
    g = int(np.argmin(z))  # steps 3-4
    return (h[g], float(alpha[g])) if z[g] < MODIFY_BELOW else (None, 0.0)


def addition(D, between, triples, y, w, M_1, m, M_2, rng, kernels, threads):
    """Steps 5-10 of § 7.3: the best of M_1 reference objects and m pivot pairs, and its weight."""
    r = rng.choice(len(D), size=M_1, replace=False)  # step 5
    pairs = distinct_pairs(len(D), m, rng)  # step 6
    h = [(int(c), -1) for c in r] + [(int(x1), int(x2)) for x1, x2 in pairs]  # step 7
    F = np.array([embedding(D, x1, x2, between[x2, x1]) for x1, x2 in h])
    errors = kernels.weighted_errors(F, triples, y, w, threads=threads)  # step 8
    best = np.argsort(errors, kind="stable")[:M_2]
    alpha, z = kernels.minimize_z(F[best], triples, y, w, np.zeros(len(best)), threads=threads)
    g = int(np.argmin(z))  # step 9
    return h[best[g]], float(alpha[g])  # step 10


def distinct_pairs(n, m, rng):
    """m ordered pairs of different numbers below n, drawn independently: ndarray, shape (m, 2)."""
    first = rng.integers(n, size=m)
    second = rng.integers(n - 1, size=m)
    return np.stack([first, second + (second >= first)], axis=1)
