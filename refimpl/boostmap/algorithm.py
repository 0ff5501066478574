"""Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and
Classification" (2005), as printed, in the paper's order, its errata corrected.

A 1D embedding, and the weak classifier that it makes, is named by the candidates that define it:
(r, -1) is F^r, (x_1, x_2) is F^{x1,x2}. A strong classifier H holds its unique classifiers h'_c
with their weights alpha'_c. m_i = y_i H(o_i) are the margins of the triples; by eq. 9 from the
first round on their weights are w_i = exp(-m_i), divided by the sum.

Not handled here: checks of the input, continuing, callbacks (``training.py``), the bounds that make
steps 1 and 3 of § 7.3 fast (``rounds.py``), distances to compute (:mod:`refimpl.spaces`).
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

import refimpl.kernels
from refimpl.arrays import any_arrays
from refimpl.boostmap.options import Name, QuerySensitiveRound, Round
from refimpl.kernels.losses import reweighted, weights_of
from refimpl.kernels.triples import margins
from refimpl.typing import ArrayLike, FloatArray, Int32Array, IntArray, Kernels

__all__ = [
    "Choices",
    "Problem",
    "QuerySensitiveRound",
    "Round",
    "classification_error",
    "pivot_embedding",
    "proximity_order",
    "query_sensitive_rounds",
    "query_weights",
    "random_triples",
    "reference_embedding",
    "selective_triples",
    "strong_classifier",
    "training_rounds",
]

Weights: TypeAlias = dict[Name, float]  # h'_c -> alpha'_c
Range: TypeAlias = tuple[float, float, int]  # low, high, inside
AnyName = TypeVar("AnyName", bound=tuple[float, ...])

ROUNDING = 1e-12  # a gain that rounding may make is none

# -------------------------------------------------------------------------------------------- § 3.2


def proximity_order(near: ArrayLike, far: ArrayLike) -> FloatArray:
    """Return P(q, x_1, x_2), 1, 0 or -1, from D(q, x_1) and D(q, x_2): eq. 1."""
    order: FloatArray = np.sign(np.asarray(far, float) - np.asarray(near, float))  # BM:eq1
    return order


@any_arrays
def classification_error(P: FloatArray, H: FloatArray) -> float:
    """Return the mean error G of the answers H on triples of proximity orders P: eqs. 3 and 4."""
    G = np.abs(P - np.sign(H)) / 2  # BM:eq3
    return float(np.mean(G))  # BM:eq4


# ---------------------------------------------------------------------------------------------- § 4


@any_arrays
def reference_embedding(D_r: FloatArray) -> FloatArray:
    """Return F^r(x) = D_X(x, r) for every x: eq. 6 with R = {r}."""
    return D_r  # BM:eq6


@any_arrays
def pivot_embedding(D_x1: FloatArray, D_x2: FloatArray, D_x1_x2: float) -> FloatArray:
    """Return F^{x1,x2}(x) from D_X(x, x_1), D_X(x, x_2) for every x, and D_X(x_1, x_2): eq. 8."""
    if D_x1_x2 == 0:  # open: coinciding-pivots
        return np.zeros_like(D_x1)
    return (D_x1**2 + D_x1_x2 * D_x1_x2 - D_x2**2) / (2 * D_x1_x2)  # BM:eq8


def embedding(D: FloatArray, x_1: int, x_2: int, D_x1_x2: float) -> FloatArray:
    """Return F^{x1,x2}, or F^r where x_2 is -1, from the candidates' distances D, (n_C, n)."""
    return reference_embedding(D[x_1]) if x_2 < 0 else pivot_embedding(D[x_1], D[x_2], D_x1_x2)


# -------------------------------------------------------------------------------------------- § 7.1


class Problem(NamedTuple):
    """The input of the training.

    D : D_X(x, c) for the candidates c in C and all objects x of the triples, (n_C, n)
    between : D_X(x, c) for two candidates, (n_C, n_C)
    triples : (q_i, a_i, b_i) as columns of D, (t, 3)
    y : their proximity orders, 1 or -1, (t,)
    """

    D: FloatArray
    between: FloatArray
    triples: Int32Array
    y: FloatArray

    def D_X(self, x_1: int, x_2: int) -> float:
        """Return D_X(x_1, x_2) of two candidates."""
        return float(self.between[x_2, x_1])


def embeddings(problem: Problem, names: Sequence[Name]) -> FloatArray:
    """Return the 1D embeddings `names` of all objects, (len(names), n)."""
    F = np.empty((len(names), problem.D.shape[1]))
    for F_h, (x_1, x_2) in zip(F, names, strict=True):
        F_h[:] = embedding(problem.D, x_1, x_2, problem.D_X(x_1, x_2))
    return F


# -------------------------------------------------------------------------------------------- § 7.3


@any_arrays
def training_rounds(
    problem: Problem,
    d: int,
    M_1: int,
    m: int,
    M_2: int,
    *,
    rng: np.random.Generator,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Iterator[Round]:
    """Yield the rounds of § 7.3, steps 1-12, p. 10.

    d : the number of classifiers wanted
    M_1, m : how many reference objects, at most n_C, and how many pairs of pivots a round tries
    M_2 : the number of these classifiers of which a round computes Z_min
    """
    triples, y = problem.triples, problem.y
    H: Weights = {}
    m_i = np.zeros(len(y))  # y_i H(o_i)  # open: small-weights
    w, _, _ = weights_of(m_i)  # BM:fig3:0  w_{i,1} = 1 / t
    j, loss = 0, 1.0
    while loss >= 1 / len(y):  # open: no-error-left
        j += 1
        h, alpha = list(H), np.array(list(H.values()))  # h'_c and alpha'_c
        F = embeddings(problem, h)
        # BM:7.3:1, ERRATUM BM-1
        Z_j = kernels.z_values(F, triples, y, m_i, -alpha, threads=threads)
        z = Z_j.min(initial=np.inf)
        if z < 1 - ROUNDING:  # open: z-below-1
            g = Z_j.argmin()
            step, h_j, alpha_j = "remove", h[g], -alpha[g]  # BM:7.3:2
        else:
            # BM:7.3:3
            A_min, Z_min = kernels.minimize_z(F, triples, y, m_i, -alpha, threads=threads)
            z = Z_min.min(initial=np.inf)
            if z < 0.9999:
                g = Z_min.argmin()
                step, h_j, alpha_j = "modify", h[g], A_min[g]  # BM:7.3:4
            elif len(H) == d:  # open: end-at-d
                return
            else:
                names = candidate_classifiers(problem, M_1, m, H, rng)
                F = embeddings(problem, names)
                Lambda_j = kernels.weighted_errors(F, triples, y, w, threads=threads)
                best = np.argsort(Lambda_j, kind="stable")[:M_2]  # BM:7.3:8
                l = np.zeros(len(best))
                A_min, Z_min = kernels.minimize_z(F[best], triples, y, m_i, l, threads=threads)
                g = Z_min.argmin()  # BM:7.3:9, ERRATUM BM-3
                step, h_j, alpha_j = "add", names[best[g]], A_min[g]  # BM:7.3:10
        alpha_j = float(alpha_j)
        F_j = embeddings(problem, [h_j])[0]
        # BM:eq9, BM:7.3:11, BM:7.3:12
        m_i, w, z_j = kernels.next_weights(F_j, triples, y, m_i, alpha_j, threads=threads)
        if z_j >= 1 - ROUNDING:
            return
        add_to(H, h_j, alpha_j)
        yield Round(j, step, h_j, alpha_j, z_j, w, m_i)
        loss *= z_j


def candidate_classifiers(
    problem: Problem, M_1: int, m: int, H: Container[Name], rng: np.random.Generator
) -> list[Name]:
    """Return the names of F_j, M_1 reference objects and m pairs of pivots: § 7.3, steps 5-7."""
    r = rng.choice(len(problem.D), size=M_1, replace=False)
    F_j1 = [(r_i, -1) for r_i in r.tolist()]  # BM:7.3:5
    C_j = distinct_pairs(len(problem.D), m, rng)
    F_j2 = [unique_name(problem, x_1, x_2, H) for x_1, x_2 in C_j.tolist()]  # BM:7.3:6
    return F_j1 + F_j2  # BM:7.3:7, ERRATUM BM-3


def unique_name(problem: Problem, x_1: int, x_2: int, H: Container[Name]) -> Name:
    """Return the name of F^{x1,x2}, which is (x_2, x_1) if H has it and the two are alike."""
    # they add up to a constant, if D_X(x_1, x_2) is the same both ways
    alike = (x_2, x_1) in H and problem.D_X(x_1, x_2) == problem.D_X(x_2, x_1)
    return (x_2, x_1) if alike else (x_1, x_2)  # open: reversed-pivots


def distinct_pairs(n: int, m: int, rng: np.random.Generator) -> IntArray:
    """Return m ordered pairs of different numbers below n, drawn independently, (m, 2)."""
    first = rng.integers(n, size=m)
    return np.column_stack([first, another(first, rng.integers(n - 1, size=m))])


def another(c: IntArray, i: IntArray) -> IntArray:
    """Return the i-th number that is not c, counted from 0."""
    return i + (i >= c)


def add_to(H: dict[AnyName, float], h_j: AnyName, alpha_j: float) -> None:
    """Make H_j of H_{j-1}, each unique classifier h'_c with its weight alpha'_c: § 7.3, p. 10."""
    H[h_j] = H.get(h_j, 0.0) + alpha_j  # BM:eq10
    if H[h_j] == 0:
        del H[h_j]


# -------------------------------------------------------------------------------------------- § 7.4


def strong_classifier(rounds: Iterable[Round]) -> Weights:
    """Return H, the weight alpha_c of each unique classifier: its names are those of F_out."""
    H: Weights = {}
    for round in rounds:
        add_to(H, round.classifier, round.alpha)
    return H


# -------------------------------------------------------------------------------------------- § 8.1


def splitters(d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return c = 1, ..., d and for each c the g of Gamma_c = F_g: § 8.1, step 1."""
    c = np.arange(d)
    own, other = rng.random(d) < 0.5, rng.integers(max(d - 1, 1), size=d)
    return c, np.where(own | (d == 1), c, another(c, other))  # open: another-g


def thresholds(
    Gamma_c: FloatArray, q: Int32Array, asked: Int32Array, k: int, rng: np.random.Generator
) -> FloatArray:
    """Return k ascending thresholds, drawn from the values Gamma_c(q_i): § 8.1, step 2."""
    values = np.unique(Gamma_c[asked])  # `asked` holds each of the objects q_i once
    if len(values) == 1:
        return np.full(k, np.inf)
    picked = np.searchsorted(values, np.sort(Gamma_c[rng.choice(q, size=k)]))
    picked = np.minimum(picked, len(values) - 2)
    # half way to the next greater value
    return values[picked] / 2 + values[picked + 1] / 2  # open: thresholds


def ranges(t: Sequence[float], least: float = -np.inf, most: float = np.inf) -> list[Range]:
    """Return the set V_c of the five forms of § 8.1, step 2, between ascending thresholds t."""
    return [  # BM:8.1:2
        (least, most, 1),  # R
        *((least, t_1, 1) for t_1 in t),  # (-inf, t)
        # (t_1, t_2) and (t, inf)
        *((t_1, t_2, 1) for i, t_1 in enumerate(t) for t_2 in [*t[i + 1 :], most]),
        # (-inf, t_1) u (t_2, inf)
        *((t_1, t_2, 0) for i, t_1 in enumerate(t) for t_2 in t[i + 1 :]),
    ]


def accepts(values: FloatArray, low: float, high: float, inside: int) -> FloatArray:
    """Return S_{F,V}(q), 1 or 0, from the values F(q): eq. 18."""
    S: FloatArray = (((low <= values) & (values < high)) == bool(inside)).astype(float)  # BM:eq18
    return S


def ranges_of_least_z(
    Gamma: FloatArray,
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    m_i: FloatArray,
    t: FloatArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> list[Range]:
    """Return V_c, the range of least Z_min, for each Gamma_c and F_c, (m, n): § 8.1, step 3."""
    V = []
    for Gamma_c, F_c, t_c in zip(Gamma, F, t, strict=True):
        V_c = ranges(t_c.tolist())
        S = np.array([accepts(Gamma_c, *V) for V in V_c])
        F_cs, l = np.repeat(F_c[np.newaxis], len(V_c), axis=0), np.zeros(len(V_c))
        _, Z_min = kernels.minimize_z(F_cs, triples, y, m_i, l, S, threads=threads)
        V.append(V_c[Z_min.argmin()])  # BM:8.1:3
    return V


class Choices(NamedTuple):
    """The choices of a round of § 8.1: the number of thresholds, and the rules of steps 1 and 3."""

    k: int
    # § 8.3 has both_splitters
    splitters: Callable[..., tuple[IntArray, IntArray]] = splitters  # open: splitters
    # § 8.3 has ranges_of_least_error
    ranges: Callable[..., list[Range]] = ranges_of_least_z  # open: ranges-by


@any_arrays
def query_sensitive_rounds(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    m_i: FloatArray,
    choices: Choices,
    *,
    rng: np.random.Generator,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Iterator[QuerySensitiveRound]:
    """Yield the rounds of § 8.1, steps 1-8, p. 13, until none lowers the loss.

    F : F_1, ..., F_d on all objects of the triples, (d, n)
    triples, y : as in :class:`Problem`
    m_i : the margins y_i H(o_i) that the first phase left, (t,)
    """
    j, q = 0, triples[:, 0]
    asked = np.unique(q)
    while True:  # open: rounds-of-phase-two
        j += 1
        c, gamma = choices.splitters(len(F), rng)
        Gamma, F_c = F[gamma], F[c]  # BM:8.1:1
        t = np.array([thresholds(Gamma_c, q, asked, choices.k, rng) for Gamma_c in Gamma])
        V = choices.ranges(Gamma, F_c, triples, y, m_i, t, kernels=kernels, threads=threads)
        S = np.array([accepts(Gamma_c, *V_c) for Gamma_c, V_c in zip(Gamma, V, strict=True)])
        l = np.zeros(len(c))
        A_min, Z_min = kernels.minimize_z(F_c, triples, y, m_i, l, S, threads=threads)
        g = int(Z_min.argmin())  # BM:8.1:4
        h_j = S[g][q] * margins(F_c[g], triples)  # BM:8.1:5, BM:eq17, BM:eq19
        alpha_j = float(A_min[g])  # BM:8.1:6
        z_j = float(Z_min[g])  # BM:8.1:7
        if z_j >= 1 - ROUNDING:  # as in § 7.3
            return
        m_i, w, _ = reweighted(m_i, y * h_j, alpha_j)  # BM:8.1:8
        yield QuerySensitiveRound(j, int(c[g]), int(gamma[g]), *V[g], alpha_j, z_j, w, m_i)


# -------------------------------------------------------------------------------------------- § 8.2


@any_arrays
def query_weights(
    E: FloatArray, alpha: FloatArray, second: Iterable[tuple[int, int, float, float, int, float]]
) -> FloatArray:
    """Return A_c(q), the weight of each coordinate for each query, (n, d): eq. 21.

    E : F_out(q) of each query, (n, d)
    alpha : alpha_c of the first phase, (d,)
    second : (c, g, low, high, inside, alpha_j) of each classifier of the second phase
    """
    A = np.tile(alpha, (len(E), 1))
    for c, g, low, high, inside, alpha_j in second:
        A[:, c] += alpha_j * accepts(E[:, g], low, high, inside)  # BM:eq21
    return A


# -------------------------------------------------------------------------------------------- § 8.3


def both_splitters(d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return c and g of 2 d classifiers: each F_c split by itself and by another F_g."""
    c, other = np.arange(d), rng.integers(max(d - 1, 1), size=d)
    if d == 1:
        return c, c
    return np.tile(c, 2), np.concatenate([c, another(c, other)])  # BM:8.3:1


def ranges_of_least_error(
    Gamma: FloatArray,
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    m_i: FloatArray,
    t: FloatArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> list[Range]:
    """Return V_c, the range of least training error, for each Gamma_c and F_c, (m, n): § 8.3."""
    k = t.shape[1]
    places = ranges(range(1, k + 1), 0, k + 1)  # of the ends among -inf, t and inf
    coded = np.array([(i, j) if inside else (j, i) for i, j, inside in places], dtype=np.int64)
    w, _, _ = weights_of(m_i)
    _, best = kernels.best_ranges(Gamma, F, triples, y, w, t, coded, threads=threads)  # BM:8.3:2
    return [between(t_c.tolist(), *places[b]) for t_c, b in zip(t, best, strict=True)]


def between(t: list[float], i: int, j: int, inside: int) -> Range:
    """Return the range whose ends are at the places i and j of -inf, t_1, ..., t_k, inf."""
    ends = [-np.inf, *t, np.inf]
    return ends[i], ends[j], inside


# --------------------------------------------------------------------------------------------- § 10


def random_triples(n: int, t: int, rng: np.random.Generator) -> IntArray:
    """Return t triples of three different objects below n, (t, 3), "Ra" of § 11."""
    q, a = distinct_pairs(n, t, rng).T
    b = another(np.minimum(q, a), rng.integers(n - 2, size=t))
    return np.column_stack([q, a, another(np.maximum(q, a), b)])


@any_arrays
def selective_triples(
    alike: Int32Array, others: Int32Array, M: int, k_most: int, t: int, rng: np.random.Generator
) -> IntArray:
    """Return t triples of a near object of q's class and one of the M - 1 others, (t, 3), p. 16.

    alike, others : of each object those of its class and of the others, nearest first, then -1
    k_most : k', the largest rank of the near object
    """
    q = rng.integers(len(alike), size=t)  # BM:10:1
    k = rng.integers(1, k_most + 1, size=t)  # BM:10:2
    k = np.minimum(k, np.sum(alike >= 0, axis=1)[q])  # open: small-classes
    a = alike[q, k - 1]  # BM:10:3
    r = (M - 1) * k + rng.integers(0, M, size=t)  # BM:10:4, ERRATUM BM-5  # open: r-for-m-classes
    r = np.minimum(r, np.sum(others >= 0, axis=1)[q])
    return np.column_stack([q, a, others[q, r - 1]])  # BM:10:5
