"""BoostMap as printed: V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean Embeddings for Indexing and
Classification", Boston University (2005), with its misprints corrected.

In the paper's order: proximity orders and their error (§ 3.2), 1D embeddings (§ 4), the training algorithm (§ 7.3), the
strong classifier that it gives (§ 7.4), the query-sensitive phase (§§ 8.1 and 8.3) and its weights (§ 8.2), training
triples (§ 10). What sums over all triples is a kernel: eqs. 2 and 11-14 stand in :mod:`refimpl.kernels.triples`,
eqs. 16 and 22 in :mod:`refimpl.kernels.scan`.

A classifier has a name: (r, -1) is the reference object r, (x_1, x_2) a pair of pivots; numbers are places in C.
Weights are rounded to a grid, so they add up to one but for rounding: what the paper compares with 1 is compared with
their sum, and a gain below 1e-12 of it is none. PAPER.md lists symbols, errata, printed lines and what is open.

Not handled here: checks of the input, checkpoints, callbacks, the bounds that make steps 1 and 3 of § 7.3 fast
(:mod:`refimpl.boostmap.training`); distances to compute (:mod:`refimpl.spaces`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import refimpl.kernels
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import exp, margins

MODIFY_BELOW = 0.9999  # § 7.3 step 4
NO_GAIN = 1 - 1e-12  # of the weights' sum, for "z < 1" and "z_j >= 1"  # open: z-below-1

# ------------------------------------------------------------------------------------------------ § 3.2


def proximity_order(near, far):
    """Return P_X(q, x_1, x_2) from arrays of D(q, x_1) and D(q, x_2): 1, 0 or -1, float64. Eq. 1, p. 4."""
    return np.sign(np.asarray(far, dtype=np.float64) - np.asarray(near, dtype=np.float64))  # BM:eq1


def classification_error(P, H):
    """Return G averaged over triples, from their proximity orders P and a classifier's answers H: eqs. 3-4."""
    G = np.abs(P - np.sign(H)) / 2  # BM:eq3
    return float(np.mean(G))  # BM:eq4


# --------------------------------------------------------------------------------------------------- § 4


def reference_embedding(D_r):
    """Return F^r(x) = D_X(x, r) for every x: eq. 6 with R = {r}."""
    return D_r  # BM:eq6


def pivot_embedding(D_x1, D_x2, D_x1_x2):
    """Return F^{x1,x2}(x) for every x, the projection on the line through two pivots: eq. 8.

    Parameters
    ----------
    D_x1, D_x2 : ndarray, shape (n,), float64
        D_X(x, x_1) and D_X(x, x_2) for every x.
    D_x1_x2 : float
        D_X(x_1, x_2).

    Returns
    -------
    ndarray, shape (n,), float64
    """
    if D_x1_x2 == 0:  # open: coinciding-pivots
        return np.zeros_like(D_x1)
    return (D_x1 * D_x1 + D_x1_x2 * D_x1_x2 - D_x2 * D_x2) / (2 * D_x1_x2)  # BM:eq8


def embedding(D, first, second, length):
    """Return one 1D embedding from the candidates' distances D, shape (n_C, n): eq. 6 if `second` is -1, else eq. 8."""
    return reference_embedding(D[first]) if second < 0 else pivot_embedding(D[first], D[second], length)


# ------------------------------------------------------------------------------------------------- § 7.3


class Given(NamedTuple):
    """What the training gets: § 7.1.

    Attributes
    ----------
    D : ndarray, shape (n_C, n), float64
        D[c, x] = D_X(x, c) for the candidates c in C and the objects x of the triples.
    between : ndarray, shape (n_C, n_C), float64
        between[c, x] = D_X(x, c) for two candidates.
    triples : ndarray, shape (t, 3), int32
        (q_i, a_i, b_i), as columns of D.
    y : ndarray, shape (t,), float64
        Their proximity orders, 1 or -1.
    """

    D: np.ndarray
    between: np.ndarray
    triples: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, eq=False)
class Round:
    """What one round of § 7.3 did.

    Attributes
    ----------
    j : int
        Number of the round, from 1.
    step : {"remove", "modify", "add"}
    classifier : tuple of int
        Name of h_j: (x_1, x_2) as places among the candidates; (r, -1) for a reference object.
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


def training_rounds(given, d, M_1, m, M_2, *, rng, kernels=refimpl.kernels, threads=None):
    """Yield the rounds of § 7.3, steps 1-12, p. 10.

    Parameters
    ----------
    given : Given
    d : int
        Number of classifiers wanted.
    M_1, m, M_2 : int
        Reference objects and pairs of pivots tried in a round; classifiers whose Z_min is computed. M_1 <= n_C.
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional
        Threads that the kernels may use.

    Yields
    ------
    Round
    """
    triples, y = given.triples, given.y
    j, loss = 0, 1.0
    H = {}  # h'_c -> alpha'_c
    w = on_grid(np.full(len(y), 1 / len(y)))  # BM:fig3:0  w_{i,1}
    while loss >= 1 / len(y):  # open: no-error-left
        j += 1
        one = NO_GAIN * w.sum()
        names, alpha = list(H), np.array(list(H.values()))
        F = embeddings(given, names)
        z = kernels.z_values(F, triples, y, w, -alpha, threads=threads)  # BM:7.3:1, ERRATUM BM-1
        if z.min(initial=np.inf) < one:  # BM:7.3:2
            g = z.argmin()
            step, h_j, alpha_j = "remove", names[g], -alpha[g]
        else:
            A, Z = kernels.minimize_z(F, triples, y, w, -alpha, threads=threads)  # BM:7.3:3
            if Z.min(initial=np.inf) < MODIFY_BELOW * w.sum():  # BM:7.3:4
                g = Z.argmin()
                step, h_j, alpha_j = "modify", names[g], A[g]
            elif len(H) == d:  # open: end-at-d
                return
            else:
                names = candidate_classifiers(given, M_1, m, H, rng)  # BM:7.3:5, BM:7.3:6, BM:7.3:7
                F = embeddings(given, names)
                errors = kernels.weighted_errors(F, triples, y, w, threads=threads)
                best = np.argsort(errors, kind="stable")[:M_2]  # BM:7.3:8
                A, Z = kernels.minimize_z(F[best], triples, y, w, np.zeros(len(best)), threads=threads)
                g = Z.argmin()  # BM:7.3:9, ERRATUM BM-3
                step, h_j, alpha_j = "add", names[best[g]], A[g]  # BM:7.3:10
        alpha_j = float(alpha_j)
        F_j = embeddings(given, [h_j])
        z_j = float(kernels.z_values(F_j, triples, y, w, np.array([alpha_j]), threads=threads)[0])  # BM:7.3:11
        if z_j >= one:  # "when, at a given round j, we get z_j >= 1"
            return
        w = next_weights(w, alpha_j, y * margins(F_j[0], triples), z_j)  # BM:7.3:12
        add_to(H, h_j, alpha_j)
        yield Round(j, step, h_j, alpha_j, z_j, w)
        loss *= z_j


def embeddings(given, names):
    """Return the values of 1D embeddings on the training objects: ndarray, shape (len(names), n), float64."""
    F = [embedding(given.D, x_1, x_2, given.between[x_2, x_1]) for x_1, x_2 in names]
    return np.array(F, dtype=np.float64).reshape(len(names), given.D.shape[1])


def candidate_classifiers(given, M_1, m, H, rng):
    """Return the names of F_j: M_1 reference objects and m pairs of pivots. § 7.3 steps 5-7, p. 10."""
    r = rng.choice(len(given.D), size=M_1, replace=False)  # BM:7.3:5
    pairs = distinct_pairs(len(given.D), m, rng)  # BM:7.3:6
    F_j1 = [(r_i, -1) for r_i in r.tolist()]
    F_j2 = [unique_name(x_1, x_2, given.between, H) for x_1, x_2 in pairs.tolist()]
    return F_j1 + F_j2  # BM:7.3:7, ERRATUM BM-3


def unique_name(x_1, x_2, between, H):
    """Return the name of F^{x1,x2}: that of F^{x2,x1} if H has it and D_X(x_1, x_2) is the same both ways.

    The two add up to a constant then, so they are one classifier.
    """
    alike = (x_2, x_1) in H and between[x_1, x_2] == between[x_2, x_1]
    return (x_2, x_1) if alike else (x_1, x_2)  # open: reversed-pivots


def distinct_pairs(n, m, rng):
    """Return m ordered pairs of different numbers below n, drawn independently: ndarray, shape (m, 2)."""
    first = rng.integers(n, size=m)
    second = rng.integers(n - 1, size=m)
    return np.stack([first, second + (second >= first)], axis=1)


def next_weights(w, alpha_j, u, z_j):
    """Return w_{j+1} from u_i = y_i h_j(o_i): eq. 9, on the grid of the kernels."""
    return on_grid(w * exp(-alpha_j * u) / z_j)  # BM:eq9


def add_to(H, h_j, alpha_j):
    """Make H_j of H_{j-1}, which holds each unique classifier h'_c with its weight alpha'_c: § 7.3, p. 10."""
    H[h_j] = H.get(h_j, 0.0) + alpha_j  # BM:eq10
    if H[h_j] == 0:
        del H[h_j]


# ------------------------------------------------------------------------------------------------- § 7.4


def strong_classifier(rounds):
    """Return H, each unique classifier with its weight alpha_c, from all rounds of § 7.3.

    Its names are the coordinates of F_out (eq. 15): ``embeddings(given, list(H))`` are those of the training objects.
    """
    H = {}
    for round in rounds:
        add_to(H, round.classifier, round.alpha)
    return H


# ------------------------------------------------------------------------------------------------- § 8.1


@dataclass(frozen=True, eq=False)
class QuerySensitiveRound:
    """What one round of § 8.1 chose.

    Attributes
    ----------
    j : int
        Number of the round within the second phase, from 1.
    c, g : int
        Coordinates: F_c classifies, F_g = Gamma_c splits.
    low, high : float
    inside : int
        The range V: low <= value < high, or what is outside it.
    alpha, z : float
    w : ndarray, shape (t,), float64
        The weights after the round.
    """

    j: int
    c: int
    g: int
    low: float
    high: float
    inside: int
    alpha: float
    z: float
    w: np.ndarray


def splitters(d, rng):
    """Return c = 1, ..., d and a splitting coordinate g for each: § 8.1 step 1, p. 13."""
    c = np.arange(d)
    same, other = rng.random(d) < 0.5, rng.integers(max(d - 1, 1), size=d)
    return c, np.where(same | (d == 1), c, other + (other >= c))  # open: another-g


def both_splitters(d, rng):
    """Return c and g of 2 d classifiers: each F_c with itself, and each with another one. § 8.3."""
    c, other = np.arange(d), rng.integers(max(d - 1, 1), size=d)
    if d == 1:
        return c, c
    return np.tile(c, 2), np.concatenate([c, other + (other >= c)])  # BM:8.3:1


def ranges_of_least_z(Gamma, F, triples, y, w, t, kernels=refimpl.kernels, threads=None):
    """Return V_c for each classifier, the range whose Z_min is least, of equal ones the first: § 8.1 step 3, p. 13.

    Parameters
    ----------
    Gamma, F : ndarray, shape (m, n), float64
        Values of the embeddings that split and that classify.
    triples, y, w : ndarray
    t : ndarray, shape (m, k), float64
        Thresholds of each, ascending.
    kernels : module
    threads : int, optional

    Returns
    -------
    list of (low, high, inside)
    """
    V = []
    for Gamma_c, F_c, t_c in zip(Gamma, F, t, strict=True):
        tried = [as_range(t_c, places) for places in all_ranges(len(t_c))]
        S = np.array([accepts(Gamma_c, *V_c) for V_c in tried])
        alike = np.repeat(F_c[np.newaxis], len(tried), axis=0)
        _, Z = kernels.minimize_z(alike, triples, y, w, np.zeros(len(tried)), S, threads=threads)
        V.append(tried[Z.argmin()])  # BM:8.1:3
    return V


def ranges_of_least_error(Gamma, F, triples, y, w, t, kernels=refimpl.kernels, threads=None):
    """Return V_c for each classifier, the range whose training error is least: § 8.3, in O(t + r).

    Parameters and result as for :func:`ranges_of_least_z`.
    """
    ranges = all_ranges(t.shape[1])
    _, best = kernels.best_ranges(Gamma, F, triples, y, w, t, ranges, threads=threads)  # BM:8.3:2
    return [as_range(t_c, ranges[place]) for t_c, place in zip(t, best, strict=True)]


class Choices(NamedTuple):
    """What a round of § 8.1 looks at.

    Attributes
    ----------
    k : int
        Thresholds drawn for each splitter; all ranges between them are tried.
    splitters : function
        :func:`splitters` (§ 8.1 step 1) or :func:`both_splitters` (§ 8.3).
    ranges : function
        :func:`ranges_of_least_z` (§ 8.1 step 3) or :func:`ranges_of_least_error` (§ 8.3).
    """

    k: int
    splitters: Callable = splitters  # open: splitters
    ranges: Callable = ranges_of_least_z  # open: ranges-by


def query_sensitive_rounds(F, triples, y, w, choices, *, rng, kernels=refimpl.kernels, threads=None):
    """Yield the rounds of § 8.1, steps 1-8, p. 13.

    Parameters
    ----------
    F : ndarray, shape (d, n), float64
        Values of F_1, ..., F_d on the objects of the triples.
    triples : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64
    w : ndarray, shape (t,), float64
        The weights w_{J+1} that the first phase left.
    choices : Choices
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional

    Yields
    ------
    QuerySensitiveRound
    """
    j, q = 0, triples[:, 0]
    asked = np.unique(q)
    while True:  # open: rounds-of-phase-two
        j += 1
        c, gamma = choices.splitters(len(F), rng)  # BM:8.1:1
        t = np.array([thresholds(F_g, q, asked, choices.k, rng) for F_g in F[gamma]])  # BM:8.1:2
        V = choices.ranges(F[gamma], F[c], triples, y, w, t, kernels, threads)  # BM:8.1:3
        S = np.array([accepts(F_g, *V_c) for F_g, V_c in zip(F[gamma], V, strict=True)])
        A, Z = kernels.minimize_z(F[c], triples, y, w, np.zeros(len(c)), S, threads=threads)
        g = int(Z.argmin())  # BM:8.1:4
        h_j = S[g][q] * margins(F[c[g]], triples)  # BM:8.1:5, BM:eq17, BM:eq19
        alpha_j = float(A[g])  # BM:8.1:6
        z_j = float(Z[g])  # BM:8.1:7
        if z_j >= NO_GAIN * w.sum():  # as in § 7.3
            return
        w = next_weights(w, alpha_j, y * h_j, z_j)  # BM:8.1:8
        yield QuerySensitiveRound(j, int(c[g]), int(gamma[g]), *V[g], alpha_j, z_j, w)


def thresholds(F_g, q, asked, k, rng):
    """Return k thresholds drawn from the queries' values, each moved half way to the next greater value; ascending.

    `q` holds the q_i of the triples, `asked` the objects among them, each once. § 8.1 step 2, p. 13.
    """
    values = np.unique(F_g[asked])
    if len(values) == 1:
        return np.full(k, np.inf)
    picked = np.searchsorted(values, np.sort(rng.choice(F_g[q], size=k)))  # BM:8.1:2
    picked = np.minimum(picked, len(values) - 2)
    return values[picked] / 2 + values[picked + 1] / 2  # open: thresholds


def all_ranges(k):
    """Return R and every range of the other four forms of § 8.1 step 2 between k thresholds, for ``best_ranges``."""
    i, j = np.triu_indices(k + 2, 1)
    whole = (i == 0) & (j == k + 1)
    inner = (i > 0) & (j <= k)  # (t_1, t_2), whose complement is (-inf, t_1) u (t_2, inf)
    return np.concatenate([
        [[0, k + 1]],
        np.stack([i, j], axis=1)[~whole],
        np.stack([j, i], axis=1)[inner],
    ]).astype(np.int64)  # BM:8.1:2


def as_range(t, places):
    """Return (low, high, inside) of a range of ``best_ranges`` between the thresholds t."""
    edges = np.concatenate([[-np.inf], t, [np.inf]])
    i, j = sorted(places.tolist())
    return float(edges[i]), float(edges[j]), int(places[0] < places[1])


def accepts(values, low, high, inside):
    """Return the splitter S_{F,V} of eq. 18 on values F(q): float array of 0 and 1."""
    return (((low <= values) & (values < high)) == bool(inside)).astype(np.float64)  # BM:eq18


# ------------------------------------------------------------------------------------------------- § 8.2


def query_weights(E, alpha, second):
    """Return A_c(q), the weight of each coordinate for each query: eq. 21.

    Parameters
    ----------
    E : ndarray, shape (n, d), float64
        F_out(q) of each query.
    alpha : ndarray, shape (d,), float64
        Weights alpha_c of the first phase.
    second : iterable of (c, g, low, high, inside, alpha_j)
        The classifiers of the second phase, j = J + 1, ..., J_2.

    Returns
    -------
    ndarray, shape (n, d), float64
    """
    A = np.tile(alpha, (len(E), 1))
    for c, g, low, high, inside, alpha_j in second:
        A[:, c] += alpha_j * accepts(E[:, g], low, high, inside)  # BM:eq21
    return A


# -------------------------------------------------------------------------------------------------- § 10


def random_triples(n, t, rng):
    """Return t triples of three different objects below n, drawn at random: § 10, "Ra" of § 11.

    Parameters
    ----------
    n, t : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (t, 3), int64
    """
    q, a = distinct_pairs(n, t, rng).T
    b = rng.integers(n - 2, size=t)
    b = b + (b >= np.minimum(q, a))
    return np.column_stack([q, a, b + (b >= np.maximum(q, a))])


def selective_triples(alike, others, M, k_most, t, rng):
    """Return t triples of a near object of q's class and one of the other classes: § 10 steps 1-5, p. 16.

    Parameters
    ----------
    alike, others : ndarray, shape (n, n), int
        For each object q those of its class, and those of the others, nearest first: :func:`neighbours`.
    M : int
        Number of classes.
    k_most : int
        k'.
    t : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (t, 3), int64
    """
    q = rng.integers(len(alike), size=t)  # BM:10:1
    k = rng.integers(1, k_most + 1, size=t)  # BM:10:2
    k = np.minimum(k, np.sum(alike >= 0, axis=1)[q])  # open: small-classes
    a = alike[q, k - 1]  # BM:10:3
    r = (M - 1) * k + rng.integers(0, M, size=t)  # BM:10:4, ERRATUM BM-5  # open: r-for-m-classes
    r = np.minimum(r, np.sum(others >= 0, axis=1)[q])
    return np.column_stack([q, a, others[q, r - 1]])  # BM:10:5


def neighbours(D, labels, same):
    """Return for every object q the others of its class, or those of the other classes, nearest first.

    Parameters
    ----------
    D : ndarray, shape (n, n), float64
        D[q, x] = D_X(q, x). Of equally distant objects the one of lowest index comes first.
    labels : ndarray, shape (n,)
    same : bool
        Whether the others are of q's class.

    Returns
    -------
    ndarray, shape (n, n), int32
        Rows are filled up with -1.
    """
    order = np.full(D.shape, -1, dtype=np.int32)
    for q in range(len(D)):
        near = np.argsort(D[q], kind="stable")
        near = near[((labels[near] == labels[q]) == same) & (near != q)]
        order[q, : len(near)] = near
    return order
