"""BoostMap as printed: V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean
Embeddings for Indexing and Classification", Boston University (2005), with its misprints corrected.

The functions stand in the paper's order: proximity orders and their error (§ 3.2), 1D embeddings (§
4), the training algorithm (§ 7.3), the strong classifier that it gives (§ 7.4), the query-sensitive
phase (§§ 8.1 and 8.3) and its weights (§ 8.2), training triples (§ 10). Kernels compute the sums
over all triples: eqs. 2 and 11 stand in :mod:`refimpl.kernels.triples`, eqs. 12-14 in
:mod:`refimpl.kernels.losses`, eqs. 16 and 22 in :mod:`refimpl.kernels.scan`.

The proximity order of a triple (q, a, b) says which of a and b is nearer to q. A weak classifier
guesses it from a 1D embedding: from the distances to one reference object, or from the projection
on the line through two pivots. Its name is (r, -1) for the reference object r and (x_1, x_2) for
two pivots, as indices of C, the set of candidates.

The state of a training is the margins m_i = y_i H(o_i) of the triples; eq. 9 gives their weights,
exp(-m_i) divided by the sum. A gain below 1e-12 counts as no gain. PAPER.md lists symbols, errata,
printed lines and open readings.

Not handled here: checks of the input, continuing, callbacks, the bounds that make steps 1 and 3 of
§ 7.3 fast (:mod:`refimpl.boostmap.rounds`); distances to compute (:mod:`refimpl.spaces`).
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

import refimpl.kernels
from refimpl.arrays import as_floats, for_kernel
from refimpl.boostmap.records import Name, QuerySensitiveRound, Round
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

MODIFY_BELOW = 0.9999  # § 7.3 step 4
NO_GAIN = 1 - 1e-12  # for "z < 1" and "z_j >= 1"  # open: z-below-1

# -------------------------------------------------------------------------------------------- § 3.2


def proximity_order(near: ArrayLike, far: ArrayLike) -> FloatArray:
    """Return P_X(q, x_1, x_2), the proximity orders of triples: eq. 1, p. 4.

    Parameters
    ----------
    near, far : array_like, shape (t,)
        D(q, x_1) and D(q, x_2).

    Returns
    -------
    ndarray, shape (t,), float64
        1 where x_1 is nearer, -1 where x_2 is, 0 for a tie.

    See Also
    --------
    classification_error : How often a classifier guesses them wrongly.

    Examples
    --------
    >>> from refimpl.boostmap import algorithm
    >>> algorithm.proximity_order([1.0, 2.0, 2.0], [2.0, 2.0, 1.0]).tolist()
    [1.0, 0.0, -1.0]
    """
    order: FloatArray = np.sign(np.asarray(far, float) - np.asarray(near, float))  # BM:eq1
    return order


def classification_error(P: FloatArray, H: FloatArray) -> float:
    """Return G averaged over triples: eqs. 3-4.

    Parameters
    ----------
    P : ndarray, shape (t,)
        Proximity orders.
    H : ndarray, shape (t,), float64
        A classifier's answers.

    Returns
    -------
    float

    See Also
    --------
    proximity_order : Proximity orders.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import algorithm
    >>> algorithm.classification_error(np.array([1, 1, -1]), np.array([0.3, -2.0, 0.0]))
    0.5
    """
    G = np.abs(P - np.sign(H)) / 2  # BM:eq3
    return float(np.mean(G))  # BM:eq4


# ---------------------------------------------------------------------------------------------- § 4


def reference_embedding(D_r: FloatArray) -> FloatArray:
    """Return F^r(x) = D_X(x, r) for every x: eq. 6 with R = {r}.

    Parameters
    ----------
    D_r : ndarray, shape (n,), float64
        D_X(x, r).

    Returns
    -------
    ndarray, shape (n,), float64

    See Also
    --------
    pivot_embedding : The other kind of 1D embedding.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import algorithm
    >>> algorithm.reference_embedding(np.array([0.0, 3.0])).tolist()
    [0.0, 3.0]
    """
    return D_r  # BM:eq6


def pivot_embedding(D_x1: FloatArray, D_x2: FloatArray, D_x1_x2: float) -> FloatArray:
    """Return F^{x1,x2}(x) for every x, the projection on the line through two pivots: eq. 8.

    Parameters
    ----------
    D_x1, D_x2 : ndarray, shape (n,), float64
        D_X(x, x_1) and D_X(x, x_2).
    D_x1_x2 : float
        D_X(x_1, x_2).

    Returns
    -------
    ndarray, shape (n,), float64
        Zeros if the pivots coincide.

    See Also
    --------
    reference_embedding : The other kind of 1D embedding.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import algorithm
    >>> to_x1, to_x2 = np.array([0.0, 3.0, 5.0]), np.array([4.0, 5.0, 3.0])
    >>> algorithm.pivot_embedding(to_x1, to_x2, 4.0).tolist()
    [0.0, 0.0, 4.0]
    """
    D_x1, D_x2 = as_floats(D_x1, D_x2)
    if D_x1_x2 == 0:  # open: coinciding-pivots
        return np.zeros_like(D_x1)
    return (D_x1 * D_x1 + D_x1_x2 * D_x1_x2 - D_x2 * D_x2) / (2 * D_x1_x2)  # BM:eq8


def embedding(D: FloatArray, first: int, second: int, length: float) -> FloatArray:
    """Return a 1D embedding from the candidates' distances D, shape (n_C, n).

    Eq. 6 if `second` is -1, else eq. 8.
    """
    if second < 0:
        return reference_embedding(D[first])
    return pivot_embedding(D[first], D[second], length)


# -------------------------------------------------------------------------------------------- § 7.3


class Problem(NamedTuple):
    """The input of the training: § 7.1.

    Attributes
    ----------
    D : ndarray, shape (n_C, n), float64
        D_X(x, c) for candidates c in C and objects x of the triples.
    between : ndarray, shape (n_C, n_C), float64
        D_X(x, c) for two candidates.
    triples : ndarray, shape (t, 3), int32
        (q_i, a_i, b_i), as columns of D.
    y : ndarray, shape (t,), float64
        Their proximity orders, 1 or -1.

    See Also
    --------
    training_rounds : Takes it.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import algorithm
    >>> D, triples = np.zeros((1, 3)), np.array([[0, 1, 2]], dtype=np.int32)
    >>> algorithm.Problem(D, D[:, :1], triples, np.ones(1)).triples.shape
    (1, 3)
    """

    D: FloatArray
    between: FloatArray
    triples: Int32Array
    y: FloatArray


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

    Parameters
    ----------
    problem : Problem
    d : int
        The number of classifiers wanted.
    M_1, m : int
        How many reference objects, at most n_C, and how many pairs of pivots a round tries.
    M_2 : int
        The number of classifiers of which a round computes Z_min.
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional

    Yields
    ------
    Round

    See Also
    --------
    strong_classifier : What the rounds add up to.
    refimpl.boostmap.boostmap : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap.algorithm import Problem, strong_classifier, training_rounds
    >>> D = np.abs(np.subtract.outer([0.0, 1.0, 5.0, 6.0], [0.0, 1.0, 5.0, 6.0]))
    >>> triples = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], dtype=np.int32)
    >>> problem = Problem(D, D, triples, np.ones(4))
    >>> rounds = list(training_rounds(problem, 2, 4, 0, 4, rng=np.random.default_rng(0)))
    >>> rounds[0].step, len(strong_classifier(rounds))
    ('add', 1)
    """
    triples, y = for_kernel(problem.triples, np.int32), for_kernel(problem.y)
    problem = Problem(for_kernel(problem.D), for_kernel(problem.between), triples, y)
    j, loss = 0, 1.0
    H: Weights = {}
    m_i = np.zeros(len(y))  # y_i H(o_i)  # open: small-weights
    w, _, _ = weights_of(m_i)  # BM:fig3:0  w_{i,1}
    while loss >= 1 / len(y):  # open: no-error-left
        j += 1
        names, alpha = list(H), np.array(list(H.values()))
        F = embeddings(problem, names)
        z = kernels.z_values(F, triples, y, m_i, -alpha, threads=threads)  # BM:7.3:1, ERRATUM BM-1
        if z.min(initial=np.inf) < NO_GAIN:  # BM:7.3:2
            g = z.argmin()
            step, h_j, alpha_j = "remove", names[g], -alpha[g]
        else:
            A, Z = kernels.minimize_z(F, triples, y, m_i, -alpha, threads=threads)  # BM:7.3:3
            if Z.min(initial=np.inf) < MODIFY_BELOW:  # BM:7.3:4
                g = Z.argmin()
                step, h_j, alpha_j = "modify", names[g], A[g]
            elif len(H) == d:  # open: end-at-d
                return
            else:
                # BM:7.3:5, BM:7.3:6, BM:7.3:7
                names = candidate_classifiers(problem, M_1, m, H, rng)
                F = embeddings(problem, names)
                errors = kernels.weighted_errors(F, triples, y, w, threads=threads)
                best = np.argsort(errors, kind="stable")[:M_2]  # BM:7.3:8
                zero = np.zeros(len(best))
                A, Z = kernels.minimize_z(F[best], triples, y, m_i, zero, threads=threads)
                g = Z.argmin()  # BM:7.3:9, ERRATUM BM-3
                step, h_j, alpha_j = "add", names[best[g]], A[g]  # BM:7.3:10
        alpha_j = float(alpha_j)
        F_j = embeddings(problem, [h_j])[0]
        # BM:eq9, BM:7.3:11, BM:7.3:12
        m_i, w, z_j = kernels.next_weights(F_j, triples, y, m_i, alpha_j, threads=threads)
        if z_j >= NO_GAIN:  # "when, at a given round j, we get z_j >= 1"
            return
        add_to(H, h_j, alpha_j)
        yield Round(j, step, h_j, alpha_j, z_j, w, m_i)
        loss *= z_j


def embeddings(problem: Problem, names: Sequence[Name]) -> FloatArray:
    """Return the values of 1D embeddings on the training objects: shape (len(names), n)."""
    F = [embedding(problem.D, x_1, x_2, problem.between[x_2, x_1]) for x_1, x_2 in names]
    return np.array(F, dtype=np.float64).reshape(len(names), problem.D.shape[1])


def candidate_classifiers(
    problem: Problem, M_1: int, m: int, H: Container[Name], rng: np.random.Generator
) -> list[Name]:
    """Return the names of F_j, M_1 reference objects and m pairs of pivots: § 7.3 steps 5-7."""
    r = rng.choice(len(problem.D), size=M_1, replace=False)  # BM:7.3:5
    pairs = distinct_pairs(len(problem.D), m, rng)  # BM:7.3:6
    F_j1 = [(r_i, -1) for r_i in r.tolist()]
    F_j2 = [unique_name(x_1, x_2, problem.between, H) for x_1, x_2 in pairs.tolist()]
    return F_j1 + F_j2  # BM:7.3:7, ERRATUM BM-3


def unique_name(x_1: int, x_2: int, between: FloatArray, H: Container[Name]) -> Name:
    """Return the name of F^{x1,x2} in H.

    If H has F^{x2,x1}, and D_X(x_1, x_2) is the same both ways, the name is that of F^{x2,x1}. In
    this case the two embeddings add up to a constant, so they are the same classifier.
    """
    alike = (x_2, x_1) in H and between[x_1, x_2] == between[x_2, x_1]
    return (x_2, x_1) if alike else (x_1, x_2)  # open: reversed-pivots


def distinct_pairs(n: int, m: int, rng: np.random.Generator) -> IntArray:
    """Return m ordered pairs of different numbers below n, drawn independently: shape (m, 2)."""
    first = rng.integers(n, size=m)
    second = rng.integers(n - 1, size=m)
    return np.stack([first, second + (second >= first)], axis=1)


def add_to(H: dict[AnyName, float], h_j: AnyName, alpha_j: float) -> None:
    """Make H_j of H_{j-1}, each unique classifier h'_c with its weight alpha'_c: § 7.3, p. 10."""
    H[h_j] = H.get(h_j, 0.0) + alpha_j  # BM:eq10
    if H[h_j] == 0:
        del H[h_j]


# -------------------------------------------------------------------------------------------- § 7.4


def strong_classifier(rounds: Iterable[Round]) -> Weights:
    """Return H, each unique classifier with its weight alpha_c, from all rounds of § 7.3.

    Its names are the coordinates of F_out (eq. 15): ``embeddings(problem, list(H))`` are those of
    the training objects.

    Parameters
    ----------
    rounds : iterable of Round

    Returns
    -------
    dict of tuple to float
        {h'_c: alpha'_c}.

    See Also
    --------
    training_rounds : The rounds.
    refimpl.boostmap.BoostMap : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap.algorithm import Round, strong_classifier
    >>> w, m = np.full(2, 0.5), np.zeros(2)
    >>> add = Round(1, "add", (3, -1), 0.5, 0.9, w, m)
    >>> strong_classifier([add, Round(2, "modify", (3, -1), 0.25, 0.8, w, m)])
    {(3, -1): 0.75}
    """
    H: Weights = {}
    for round in rounds:
        add_to(H, round.classifier, round.alpha)
    return H


# -------------------------------------------------------------------------------------------- § 8.1


def splitters(d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return c = 1, ..., d and a splitting coordinate g for each: § 8.1 step 1, p. 13."""
    c = np.arange(d)
    same, other = rng.random(d) < 0.5, rng.integers(max(d - 1, 1), size=d)
    return c, np.where(same | (d == 1), c, other + (other >= c))  # open: another-g


def both_splitters(d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return c and g of 2 d classifiers: each F_c split by itself and by another F_g. § 8.3."""
    c, other = np.arange(d), rng.integers(max(d - 1, 1), size=d)
    if d == 1:
        return c, c
    return np.tile(c, 2), np.concatenate([c, other + (other >= c)])  # BM:8.3:1


def ranges_of_least_z(
    Gamma: FloatArray,
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    m: FloatArray,
    t: FloatArray,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> list[Range]:
    """Return V_c for each classifier, the first range whose Z_min is least: § 8.1 step 3, p. 13.

    `Gamma` and `F`, shape (m, n), are the values of the embeddings that split and that classify,
    `t`, shape (m, k), the thresholds of each in ascending order.
    """
    V = []
    for Gamma_c, F_c, t_c in zip(Gamma, F, t, strict=True):
        tried = [as_range(t_c, places) for places in all_ranges(len(t_c))]
        S = np.array([accepts(Gamma_c, *V_c) for V_c in tried])
        alike = np.repeat(F_c[np.newaxis], len(tried), axis=0)
        _, Z = kernels.minimize_z(alike, triples, y, m, np.zeros(len(tried)), S, threads=threads)
        V.append(tried[Z.argmin()])  # BM:8.1:3
    return V


def ranges_of_least_error(
    Gamma: FloatArray,
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    m: FloatArray,
    t: FloatArray,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> list[Range]:
    """Return V_c for each classifier, the first range whose training error is least: § 8.3."""
    ranges = all_ranges(t.shape[1])
    w, _, _ = weights_of(m)
    _, best = kernels.best_ranges(Gamma, F, triples, y, w, t, ranges, threads=threads)  # BM:8.3:2
    return [as_range(t_c, ranges[place]) for t_c, place in zip(t, best, strict=True)]


class Choices(NamedTuple):
    """The choices of a round of § 8.1.

    Attributes
    ----------
    k : int
        The number of thresholds.
    splitters : callable
        Draws c and g of the round's classifiers; by default step 1 of § 8.1.
    ranges : callable
        Finds the range of each classifier; by default the range whose Z_min is least.

    See Also
    --------
    query_sensitive_rounds : Takes them.

    Examples
    --------
    >>> from refimpl.boostmap import algorithm
    >>> of_least_error = algorithm.ranges_of_least_error
    >>> algorithm.Choices(20, algorithm.both_splitters, of_least_error).k  # as § 8.3 says
    20
    """

    k: int
    splitters: Callable[..., tuple[IntArray, IntArray]] = splitters  # open: splitters
    ranges: Callable[..., list[Range]] = ranges_of_least_z  # open: ranges-by


def query_sensitive_rounds(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    m: FloatArray,
    choices: Choices,
    *,
    rng: np.random.Generator,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Iterator[QuerySensitiveRound]:
    """Yield the rounds of § 8.1, steps 1-8, p. 13.

    Parameters
    ----------
    F : ndarray, shape (d, n), float64
        The values of F_1, ..., F_d on the objects of the triples.
    triples, y
        As in :class:`Problem`.
    m : ndarray, shape (t,), float64
        The margins y_i H(o_i) that the first phase left; they make the weights w_{J+1}.
    choices : Choices
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional

    Yields
    ------
    QuerySensitiveRound
        Until no classifier lowers the loss.

    See Also
    --------
    query_weights : The weights that the rounds give.
    refimpl.boostmap.boostmap : The same for use, with ``query_sensitive``.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap.algorithm import Choices, query_sensitive_rounds
    >>> D = np.abs(np.subtract.outer([0.0, 1.0, 5.0, 6.0], [0.0, 1.0, 5.0, 6.0]))
    >>> triples = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], dtype=np.int32)
    >>> m, rng = np.zeros(4), np.random.default_rng(0)
    >>> next(query_sensitive_rounds(D[:1], triples, np.ones(4), m, Choices(3), rng=rng)).c
    0
    """
    triples, (F, y, m) = for_kernel(triples, np.int32), as_floats(F, y, m)
    j, q = 0, triples[:, 0]
    asked = np.unique(q)
    while True:  # open: rounds-of-phase-two
        j += 1
        c, gamma = choices.splitters(len(F), rng)  # BM:8.1:1
        t = np.array([thresholds(F_g, q, asked, choices.k, rng) for F_g in F[gamma]])  # BM:8.1:2
        V = choices.ranges(F[gamma], F[c], triples, y, m, t, kernels, threads)  # BM:8.1:3
        S = np.array([accepts(F_g, *V_c) for F_g, V_c in zip(F[gamma], V, strict=True)])
        A, Z = kernels.minimize_z(F[c], triples, y, m, np.zeros(len(c)), S, threads=threads)
        g = int(Z.argmin())  # BM:8.1:4
        h_j = S[g][q] * margins(F[c[g]], triples)  # BM:8.1:5, BM:eq17, BM:eq19
        alpha_j = float(A[g])  # BM:8.1:6
        z_j = float(Z[g])  # BM:8.1:7
        if z_j >= NO_GAIN:  # as in § 7.3
            return
        m, w, _ = reweighted(m, y * h_j, alpha_j)  # BM:8.1:8
        yield QuerySensitiveRound(j, int(c[g]), int(gamma[g]), *V[g], alpha_j, z_j, w, m)


def thresholds(
    F_g: FloatArray, q: Int32Array, asked: Int32Array, k: int, rng: np.random.Generator
) -> FloatArray:
    """Return k ascending thresholds, drawn from the queries' values.

    Each value is moved half way to the next greater value.

    `q` holds the q_i of the triples, `asked` the objects among them, each once. § 8.1 step 2, p.
    13.
    """
    values = np.unique(F_g[asked])
    if len(values) == 1:
        return np.full(k, np.inf)
    picked = np.searchsorted(values, np.sort(F_g[rng.choice(q, size=k)]))  # BM:8.1:2
    picked = np.minimum(picked, len(values) - 2)
    return values[picked] / 2 + values[picked + 1] / 2  # open: thresholds


def all_ranges(k: int) -> IntArray:
    """Return R and every range of the other four forms of § 8.1 step 2, for ``best_ranges``."""
    i, j = np.triu_indices(k + 2, 1)
    whole = (i == 0) & (j == k + 1)
    inner = (i > 0) & (j <= k)  # (t_1, t_2), whose complement is (-inf, t_1) u (t_2, inf)
    return np.concatenate(
        [[[0, k + 1]], np.stack([i, j], axis=1)[~whole], np.stack([j, i], axis=1)[inner]]
    ).astype(np.int64)  # BM:8.1:2


def as_range(t: FloatArray, places: IntArray) -> Range:
    """Return (low, high, inside) of a range of ``best_ranges`` between the thresholds t."""
    edges = np.concatenate([[-np.inf], t, [np.inf]])
    i, j = sorted(places.tolist())
    return float(edges[i]), float(edges[j]), int(places[0] < places[1])


def accepts(values: FloatArray, low: float, high: float, inside: int) -> FloatArray:
    """Return the splitter S_{F,V} of eq. 18 on values F(q): float array of 0 and 1."""
    S: FloatArray = (((low <= values) & (values < high)) == bool(inside)).astype(float)  # BM:eq18
    return S


# -------------------------------------------------------------------------------------------- § 8.2


def query_weights(
    E: FloatArray, alpha: FloatArray, second: Iterable[tuple[int, int, float, float, int, float]]
) -> FloatArray:
    """Return A_c(q), the weight of each coordinate for each query, shape (n, d): eq. 21.

    Parameters
    ----------
    E : ndarray, shape (n, d), float64
        F_out(q) of each query.
    alpha : ndarray, shape (d,), float64
        The weights alpha_c of the first phase.
    second : iterable of tuple
        (c, g, low, high, inside, alpha_j) of each classifier of the second phase.

    Returns
    -------
    ndarray, shape (n, d), float64

    See Also
    --------
    query_sensitive_rounds : The classifiers of the second phase.
    refimpl.boostmap.BoostMap : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap.algorithm import query_weights
    >>> E = np.array([[1.0, 9.0], [3.0, 9.0]])
    >>> query_weights(E, np.array([0.5, 0.25]), [(1, 0, 0.0, 2.0, 1, 1.0)]).tolist()
    [[0.5, 1.25], [0.5, 0.25]]
    """
    A = np.tile(alpha, (len(E), 1))
    for c, g, low, high, inside, alpha_j in second:
        A[:, c] += alpha_j * accepts(E[:, g], low, high, inside)  # BM:eq21
    return A


# --------------------------------------------------------------------------------------------- § 10


def random_triples(n: int, t: int, rng: np.random.Generator) -> IntArray:
    """Return t triples of three different objects below n, drawn at random: § 10, "Ra" of § 11.

    Parameters
    ----------
    n, t : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (t, 3), int64
        (q, a, b), not yet in their proximity order.

    See Also
    --------
    refimpl.boostmap.random_triples : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import algorithm
    >>> algorithm.random_triples(9, 100, np.random.default_rng(0)).shape
    (100, 3)
    """
    q, a = distinct_pairs(n, t, rng).T
    b = rng.integers(n - 2, size=t)
    b = b + (b >= np.minimum(q, a))
    return np.column_stack([q, a, b + (b >= np.maximum(q, a))])


def selective_triples(
    alike: Int32Array, others: Int32Array, M: int, k_most: int, t: int, rng: np.random.Generator
) -> IntArray:
    """Return t triples of a near object of q's class and one of the other classes: § 10, p. 16.

    Parameters
    ----------
    alike, others : ndarray, shape (n, m), int32
        For each object q the objects of its class and of the other classes, nearest first; -1 fills
        the end of a row.
    M : int
        The number of classes.
    k_most : int
        k', the largest rank of the near object.
    t : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (t, 3), int64

    See Also
    --------
    refimpl.boostmap.selective_triples : The same for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import algorithm
    >>> alike = np.array([[1, -1], [0, -1], [3, -1], [2, -1]], dtype=np.int32)
    >>> others = np.array([[2, 3], [2, 3], [1, 0], [1, 0]], dtype=np.int32)
    >>> algorithm.selective_triples(alike, others, 2, 1, 100, np.random.default_rng(0)).shape
    (100, 3)
    """
    q = rng.integers(len(alike), size=t)  # BM:10:1
    k = rng.integers(1, k_most + 1, size=t)  # BM:10:2
    k = np.minimum(k, np.sum(alike >= 0, axis=1)[q])  # open: small-classes
    a = alike[q, k - 1]  # BM:10:3
    r = (M - 1) * k + rng.integers(0, M, size=t)  # BM:10:4, ERRATUM BM-5  # open: r-for-m-classes
    r = np.minimum(r, np.sum(others >= 0, axis=1)[q])
    return np.column_stack([q, a, others[q, r - 1]])  # BM:10:5
