"""The rounds of §§ 7.3 and 8.1 for use: fast searches, and rounds that go on from earlier ones.

The rounds are those of :mod:`refimpl.boostmap.algorithm`, bit for bit. A round looks for the least
Z of many classifiers (§ 7.3 steps 1, 3 and 9, § 8.1 steps 3 and 4). A lower bound on Z needs no
exponential for each triple, and rules most classifiers out. The others are evaluated in the order
of their bounds, until no bound is low enough. The result is that of the full search, also for ties.
"""

import math
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from types import SimpleNamespace
from typing import TypeAlias, cast

import numpy as np

from refimpl.boostmap.algorithm import (
    ROUNDING,
    Problem,
    Weights,
    accepts,
    add_to,
    candidate_classifiers,
    embeddings,
)
from refimpl.boostmap.options import Name, Round
from refimpl.kernels.arguments import checked_once
from refimpl.kernels.losses import reweighted, weights_of
from refimpl.kernels.stumps import GRID
from refimpl.kernels.triples import margins
from refimpl.typing import FloatArray, Int32Array, IntArray, Kernels

IN_A_ROW = 50  # changes of weight whose gains are judged together
NO_GAIN = 1 - ROUNDING  # "z < 1"
MODIFY_BELOW = 0.9999  # § 7.3 step 4
# classifiers that are evaluated before the bounds are looked at again: the first ones often rule
# out the others
AT_FIRST, AT_ONCE = 2, 8
CAUTION = 1 + 1e-9  # makes variances smaller and largest margins larger than rounding errors may
NEWTON_STEPS = 4
ASIDE = 1e-3  # how far from the minimum the tangents touch, relative to alpha
SLACK = 1e-9  # far above the rounding errors of a bound or of Z
FirstPhase: TypeAlias = Sequence[tuple[Name, float, float]]
"""Classifier, alpha_j and z_j of each round of § 7.3."""
SecondPhase: TypeAlias = Sequence[tuple[int, int, float, float, int, float, float]]
"""c, g, low, high, inside, alpha_j and z_j of each round of § 8.1."""


# -------------------------------------------------------------------------------------------- § 7.3


def training_rounds(
    problem: Problem,
    d: int,
    M_1: int,
    m: int,
    M_2: int,
    *,
    rng: np.random.Generator,
    kernels: Kernels,
    threads: int | None = None,
    done: FirstPhase = (),
    m_i: FloatArray | None = None,
    least_gain: float = 0.0,
) -> Iterator[Round]:
    """Yield the rounds of § 7.3, p. 10, that follow those which are `done` and left margins m_i."""
    # Steps 3-4 are skipped if the last 50 rounds only changed weights and together lowered the loss
    # by less than the share `least_gain`; with 0 they are never skipped, as printed.
    triples, y = problem.triples, problem.y
    j = len(done)
    loss = math.prod(z for _, _, z in done)
    H, changes = classifiers_after(done)
    F = checked_once(embeddings(problem, list(H)))  # a row for each h'_c, in the order of H
    m_i = np.zeros(len(y)) if m_i is None else m_i
    w, _, _ = weights_of(m_i)  # BM:fig3:0
    while loss >= 1 / len(y):
        j += 1
        sums = margin_sums(F, triples, y, w, kernels, threads)
        names, least = list(H), -np.array(list(H.values()))  # h'_c and -alpha'_c
        step, h, alpha = "remove", None, 0.0
        # BM:7.3:1, ERRATUM BM-1
        g, _ = least_z(F, triples, y, m_i, least, kernels, threads, below=NO_GAIN, sums=sums)
        if g is not None:
            h, alpha = names[g], float(least[g])  # BM:7.3:2
        elif not _stalled(changes, least_gain):
            step = "modify"
            g, alpha, _ = least_z_min(
                F, triples, y, m_i, least, kernels, threads, below=MODIFY_BELOW, sums=sums
            )  # BM:7.3:3
            h = None if g is None else names[g]  # BM:7.3:4
        if h is None:
            if len(H) == d:
                return
            step = "add"
            h, alpha = addition(problem, (M_1, m, M_2), H, m_i, w, rng, kernels, threads)
        F_j = F[names.index(h)] if h in H else embeddings(problem, [h])[0]
        # BM:7.3:11, BM:7.3:12
        m_i, w, z_j = kernels.next_weights(F_j, triples, y, m_i, alpha, threads=threads)
        if z_j >= NO_GAIN:
            return
        _take(H, changes, h, alpha, z_j)
        if len(H) > len(names):
            F = checked_once(np.vstack([F, F_j]))
        elif len(H) < len(names):
            F = checked_once(np.delete(F, names.index(h), axis=0))
        yield Round(j, step, h, alpha, z_j, w, m_i)
        loss *= z_j


def classifiers_after(rounds: FirstPhase) -> tuple[Weights, deque[float]]:
    """Return H after some rounds, and the z_j of the last changes of weight in a row."""
    H: Weights = {}
    changes: deque[float] = deque(maxlen=IN_A_ROW)
    for h, alpha, z in rounds:
        _take(H, changes, h, alpha, z)
    return H, changes


def most_classifiers(rounds: FirstPhase) -> int:
    """Return the largest number of classifiers that H had during some rounds."""
    H: Weights = {}
    most = 0
    for h, alpha, _ in rounds:
        add_to(H, h, alpha)
        most = max(most, len(H))
    return most


def _take(H: Weights, changes: deque[float], h: Name, alpha: float, z: float) -> None:
    """Add a round to H, and its z_j to `changes` if no classifier came or went."""
    came = h not in H
    add_to(H, h, alpha)
    if came or h not in H:
        changes.clear()
    else:
        changes.append(z)


def _stalled(changes: deque[float], least_gain: float) -> bool:
    return len(changes) == IN_A_ROW and math.prod(changes) > 1 - least_gain


def addition(
    problem: Problem,
    sizes: tuple[int, int, int],
    chosen: Container[Name],
    margin: FloatArray,
    w: FloatArray,
    rng: np.random.Generator,
    kernels: Kernels,
    threads: int | None,
) -> tuple[Name, float]:
    """Return the best of M_1 reference objects and m pivot pairs, and its weight: steps 5-10."""
    M_1, m, M_2 = sizes
    triples, y = problem.triples, problem.y
    # BM:7.3:5, BM:7.3:6, BM:7.3:7
    names = candidate_classifiers(problem, M_1, m, chosen, rng)
    F = embeddings(problem, names)
    errors = kernels.weighted_errors(F, triples, y, w, threads=threads)
    best = np.argsort(errors, kind="stable")[:M_2]  # BM:7.3:8
    sums = margin_sums(F[best], triples, y, w, kernels, threads)
    zero = np.zeros(len(best))
    # BM:7.3:9, BM:7.3:10
    g, alpha, _ = least_z_min(F[best], triples, y, margin, zero, kernels, threads, sums=sums)
    assert g is not None  # no limit was given
    return names[best[g]], alpha


# -------------------------------------------------------------------------------------------- § 8.1


def with_bounds(kernels: Kernels) -> Kernels:
    """Return the kernels of § 8.1; `minimize_z` finds the least Z, and gives inf for the others."""

    def minimize_z(
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        margin: FloatArray,
        least: FloatArray,
        S: FloatArray | None = None,
        *,
        threads: int | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        alpha, Z = np.zeros(len(F)), np.full(len(F), np.inf)
        g, alpha_g, Z_g = least_z_min(F, triples, y, margin, least, kernels, threads, S)
        assert g is not None  # no limit was given
        alpha[g], Z[g] = alpha_g, Z_g
        return alpha, Z

    return cast(Kernels, SimpleNamespace(minimize_z=minimize_z, best_ranges=kernels.best_ranges))


# ------------------------------------------------------------------- the least Z, found by bounds


def least_z(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    alpha: FloatArray,
    kernels: Kernels,
    threads: int | None,
    *,
    below: float = np.inf,
    sums: FloatArray | None = None,
) -> tuple[int | None, float]:
    """Return argmin over c of Z_j(h_c, alpha_c), None if none is `below`, and that Z."""
    if sums is None:
        sums = margin_sums(F, triples, y, weights_of(margin)[0], kernels, threads)
    bound = z_bound(sums, least_total(len(y)), alpha)

    def evaluate(places: IntArray) -> tuple[FloatArray, FloatArray]:
        chosen = F[places]
        z = kernels.z_values(chosen, triples, y, margin, alpha[places], threads=threads)
        return z, alpha[places]

    g, z, _ = _least(bound, evaluate, below)
    return g, z


def least_z_min(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    least: FloatArray,
    kernels: Kernels,
    threads: int | None,
    S: FloatArray | None = None,
    *,
    below: float = np.inf,
    sums: FloatArray | None = None,
) -> tuple[int | None, float, float]:
    """Return argmin over c of Z_min(h_c, j, l_c), None if none is `below`, its alpha and Z."""
    if sums is None:
        sums = margin_sums(F, triples, y, weights_of(margin)[0], kernels, threads, S)
    total = least_total(len(y))
    bound = z_bound(sums, total, best_of_bound(sums, least))
    if np.count_nonzero(bound <= below + SLACK) > AT_FIRST:
        bound = np.maximum(bound, z_min_bound(sums, total, least))

    def evaluate(places: IntArray) -> tuple[FloatArray, FloatArray]:
        S_chosen = None if S is None else S[places]
        alpha, z = kernels.minimize_z(
            F[places], triples, y, margin, least[places], S_chosen, threads=threads
        )
        return z, alpha

    g, z, alpha = _least(bound, evaluate, below)
    return g, alpha, z


def margin_sums(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    kernels: Kernels,
    threads: int | None,
    S: FloatArray | None = None,
) -> FloatArray:
    """Return ``kernels.margin_sums`` of floored weights, (m, 8); the bounds are made of them."""
    if len(F) == 0:
        return np.empty((0, 8))
    return kernels.margin_sums(F, triples, y, floored(w), S, threads=threads)


def floored(w: FloatArray) -> FloatArray:
    """Return weights on the grid of ``kernels.margin_sums``, none larger: a bound of Z holds."""
    return np.floor(w / GRID) * GRID


def least_total(t: int) -> float:
    """Return a lower bound of the sum of t :func:`floored` weights."""
    return 1.0 - 2 * t * GRID


def z_bound(sums: FloatArray, total: float, alpha: FloatArray) -> FloatArray:
    """Return a lower bound of Z_j(h, alpha), by Jensen's inequality on either side of 0."""
    # Over the triples with u > 0, the weighted mean of exp(-alpha u) is at least exp(-alpha times
    # the mean of u), and so for u < 0. Triples with u = 0 add their weights; `total` is their sum.
    right, wrong, right_u, wrong_u = sums[:, :4].T
    with np.errstate(over="ignore"):
        bound_right = right * np.exp(-_times(alpha, _mean(right_u, right)))
        bound_wrong = wrong * np.exp(_times(alpha, _mean(wrong_u, wrong)))
        bound: FloatArray = bound_right + bound_wrong
    bound += total - right - wrong
    return bound


def best_of_bound(sums: FloatArray, least: FloatArray) -> FloatArray:
    """Return the alpha >= least at which :func:`z_bound` is least, infinite without an error."""
    right, wrong, right_u, wrong_u = sums[:, :4].T
    both = (right_u > 0) & (wrong_u > 0)
    alpha = np.where(right_u > 0, np.inf, least)
    slope = _mean(right_u, right)[both] + _mean(wrong_u, wrong)[both]
    alpha[both] = np.log(right_u[both] / wrong_u[both]) / slope
    at_least: FloatArray = np.maximum(alpha, least)
    return at_least


def z_min_bound(sums: FloatArray, total: float, least: FloatArray) -> FloatArray:
    """Return a lower bound of Z_min(h, j, l), by the variance of the margins; -inf if unknown."""
    # Of all distributions on [0, M] with the same mean m and variance v, the mean of exp(-alpha u)
    # is least for the one on M and m - v / (M - m), that of exp(alpha u) for the one on 0 and
    # m + v / m. The sum of both sides is convex in alpha; two tangents beside its minimum bound it.
    # where Z grows at 0, its minimum lies below 0: there the sides change their places
    falls = sums[:, 2] >= sums[:, 3]
    right, right_u, right_uu, most = np.where(falls, sums.T[0::2], sums.T[1::2])
    wrong, wrong_u, wrong_uu, _ = np.where(falls, sums.T[1::2], sums.T[0::2])
    with np.errstate(all="ignore"):  # where a number is not finite the bound is not known
        mean, variance = _moments(right, right_u, right_uu)
        gap = most * CAUTION - mean
        share = variance / (variance + gap * gap)
        near = np.maximum(mean - variance / gap, 0.0)
        mean_wrong, variance_wrong = _moments(wrong, wrong_u, wrong_uu)
        silent = variance_wrong / (variance_wrong + mean_wrong * mean_wrong)
        far = mean_wrong + variance_wrong / mean_wrong
        factors = np.array([right * (1 - share), right * share, wrong * (1 - silent)])
        rates = np.array([-near, -most * CAUTION, far])
        rest = total - right - wrong + wrong * silent

        def terms(alpha: FloatArray) -> FloatArray:
            products: FloatArray = factors * np.exp(alpha * rates)
            return products

        alpha = np.log(right_u / wrong_u) / (mean + mean_wrong)
        for _ in range(NEWTON_STEPS):
            e = terms(alpha) * rates
            alpha = np.maximum(alpha - e.sum(axis=0) / (e * rates).sum(axis=0), 0.0)
        low, high = alpha * (1 - ASIDE), alpha * (1 + ASIDE)
        e = terms(low)
        slope = (e * rates).sum(axis=0)
        bound: FloatArray = rest + e.sum(axis=0) + slope * (high - low)
        known = (slope <= 0) & ((terms(high) * rates).sum(axis=0) >= 0)
        known &= np.isfinite(bound) & np.isfinite(gap * gap)
    return np.where(known & (falls | (least < 0)), bound, -np.inf)


def _moments(
    weight: FloatArray, total: FloatArray, squares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the variance of one side's margins, the variance rather too small."""
    mean = total / weight
    return mean, np.maximum(squares / weight - mean * mean * CAUTION, 0.0)


def _times(alpha: FloatArray, mean: FloatArray) -> FloatArray:
    """Return alpha times the mean margin; 0 without a mean, where alpha may be infinite."""
    return np.multiply(alpha, mean, out=np.zeros_like(mean), where=mean > 0)


def _mean(total: FloatArray, weight: FloatArray) -> FloatArray:
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def _least(
    bound: FloatArray, evaluate: Callable[[IntArray], tuple[FloatArray, FloatArray]], below: float
) -> tuple[int | None, float, float]:
    """Return the index of the least value below `below`, the value, and its further result."""
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


# -------------------------------------------------------------------------------- margins once more


def margins_after(problem: Problem, first: FirstPhase, second: SecondPhase) -> FloatArray:
    """Return the margins after some rounds of both phases, as the training computed them."""
    triples, y = problem.triples, problem.y
    m = np.zeros(len(y))
    for h, alpha, _ in first:
        m, _, _ = reweighted(m, y * margins(embeddings(problem, [h])[0], triples), alpha)
    F = embeddings(problem, list(classifiers_after(first)[0]))
    q = triples[:, 0]
    for c, g, low, high, inside, alpha, _ in second:
        S = accepts(F[g], low, high, inside)
        m, _, _ = reweighted(m, y * (S[q] * margins(F[c], triples)), alpha)
    return m
