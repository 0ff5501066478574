"""The rounds of §§ 7.3 and 8.1 for use: fast searches, and rounds that go on from earlier ones.

Their rounds are those of :mod:`refimpl.boostmap.algorithm`, bit for bit. Steps 1 and 3 of § 7.3
find their classifier by bounds (:mod:`refimpl.boostmap.bounds`).

Not handled here: callbacks and the number of rounds (:mod:`refimpl.boostmap.training`).
"""

import math
from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from refimpl.boostmap import algorithm
from refimpl.boostmap.algorithm import (
    ROUNDING,
    Choices,
    Problem,
    Weights,
    accepts,
    add_to,
    candidate_classifiers,
)
from refimpl.boostmap.bounds import Values, least_z, least_z_min, margin_sums
from refimpl.boostmap.options import Name, QuerySensitiveRound, Round
from refimpl.kernels.arguments import checked_once
from refimpl.kernels.losses import reweighted, weights_of
from refimpl.kernels.triples import margins
from refimpl.typing import FloatArray, Kernels

__all__ = ["query_sensitive_rounds", "training_rounds"]

ROWS = 16  # rows of values that are computed at a time: they stay in the cache
IN_A_ROW = 50  # changes of weight whose gains are judged together
NO_GAIN = 1 - ROUNDING  # "z < 1"
MODIFY_BELOW = 0.9999  # § 7.3 step 4
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
    """Yield the rounds of § 7.3, p. 10.

    The rounds are those of :func:`refimpl.boostmap.algorithm.training_rounds`, bit for bit.

    Parameters
    ----------
    problem : Problem
    d, M_1, m, M_2 : int
        As in :func:`refimpl.boostmap.algorithm.training_rounds`.
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional
    done : sequence of (tuple, float, float)
        Classifier, alpha_j and z_j of the rounds that were done before.
    m_i : ndarray, shape (t,), float64, optional
        The margins after these rounds.
    least_gain : float, default 0
        Skip steps 3-4 if the last 50 rounds only changed weights and together lowered the loss by
        less than this share. With 0 the steps are never skipped, as printed.
    """
    triples, y = problem.triples, problem.y
    j = len(done)
    loss = math.prod(z for _, _, z in done)
    H, changes = classifiers_after(done)
    F = checked_once(embeddings(problem, list(H)))  # a row for each h'_c, in the order of H
    m_i = np.zeros(len(y)) if m_i is None else m_i
    w, _, _ = weights_of(m_i)  # BM:fig3:0
    while loss >= 1 / len(y):
        j += 1
        step = "remove"
        sums = margin_sums(F, triples, y, w, kernels, threads)
        h, alpha = removal(problem, H, F, m_i, kernels, threads, sums)  # BM:7.3:1, BM:7.3:2
        if h is None and not _stalled(changes, least_gain):
            step = "modify"
            # BM:7.3:3, BM:7.3:4
            h, alpha = modification(problem, H, F, m_i, kernels, threads, sums)
        if h is None:
            if len(H) == d:
                return
            step = "add"
            h, alpha = addition(problem, (M_1, m, M_2), H, m_i, w, rng, kernels, threads)
        names = list(H)
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


def embeddings(problem: Problem, names: Sequence[Name]) -> FloatArray:
    """Return what :func:`refimpl.boostmap.algorithm.embeddings` returns, many rows at a time."""
    F = np.empty((len(names), problem.D.shape[1]))
    for start in range(0, len(names), ROWS):
        part = F[start : start + ROWS]
        first, second = np.array(names[start : start + ROWS], dtype=np.int64).T
        np.take(problem.D, first, axis=0, out=part)  # BM:eq6
        pairs = np.flatnonzero(second >= 0)
        if len(pairs):
            length = problem.between[second[pairs], first[pairs]][:, np.newaxis]
            part[pairs] = _projections(part[pairs], problem.D[second[pairs]], length)
    return F


def _projections(first: FloatArray, second: FloatArray, length: FloatArray) -> FloatArray:
    """Return ``algorithm.pivot_embedding`` of each row; both arguments are overwritten."""
    # (first * first + length * length - second * second) / (2 * length)  BM:eq8
    first *= first
    first += length * length
    second *= second
    first -= second
    with np.errstate(divide="ignore", invalid="ignore"):
        first /= 2 * length
    first[length[:, 0] == 0] = 0
    return first


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


def removal(
    problem: Problem,
    H: Weights,
    F: FloatArray | Mapping[Name, FloatArray],
    margin: FloatArray,
    kernels: Kernels,
    threads: int | None,
    sums: FloatArray | None = None,
) -> tuple[Name | None, float]:
    """Return the classifier whose removal lowers Z most, and -alpha'_g; or None.

    Steps 1-2 of § 7.3. F holds the values of the classifiers of H, in rows or by name, `sums` their
    margin sums, if they are known.
    """
    names = list(H)
    alpha = -np.array(list(H.values()))
    triples, y = problem.triples, problem.y
    # ERRATUM BM-1
    g, _ = least_z(
        _rows(F, names), triples, y, margin, alpha, kernels, threads, below=NO_GAIN, sums=sums
    )
    return (None, 0.0) if g is None else (names[g], float(alpha[g]))


def modification(
    problem: Problem,
    H: Weights,
    F: FloatArray | Mapping[Name, FloatArray],
    margin: FloatArray,
    kernels: Kernels,
    threads: int | None,
    sums: FloatArray | None = None,
) -> tuple[Name | None, float]:
    """Return the classifier whose change of weight lowers Z most, and the change; or None.

    Steps 3-4 of § 7.3, with F and `sums` as for :func:`removal`.
    """
    names = list(H)
    least = -np.array(list(H.values()))
    triples, y = problem.triples, problem.y
    g, alpha, _ = least_z_min(
        _rows(F, names), triples, y, margin, least, kernels, threads, below=MODIFY_BELOW, sums=sums
    )
    return (None, 0.0) if g is None else (names[g], alpha)


def _rows(F: FloatArray | Mapping[Name, FloatArray], names: list[Name]) -> Values:
    """Return the values of the classifiers `names`, which F holds in this order or by name."""
    return F if isinstance(F, np.ndarray) else [F[h] for h in names]


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
    """Return the best of M_1 reference objects and m pivot pairs, and its weight.

    Steps 5-10 of § 7.3.

    `sizes` holds M_1, m and M_2, and `w` the weights that the margins make. `chosen` holds the
    classifiers that were chosen before; a pair whose reverse is the same classifier has its name.
    """
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


def query_sensitive_rounds(
    F: FloatArray,
    problem: Problem,
    m: FloatArray,
    choices: Choices,
    *,
    rng: np.random.Generator,
    kernels: Kernels,
    threads: int | None = None,
    done: int = 0,
) -> Iterator[QuerySensitiveRound]:
    """Yield the rounds of § 8.1, numbered from `done` + 1.

    The rounds are those of :func:`refimpl.boostmap.algorithm.query_sensitive_rounds`.

    Parameters
    ----------
    F : ndarray, shape (d, n), float64
        Values of F_1, ..., F_d on the objects of the triples.
    problem : Problem
    m : ndarray, shape (t,), float64
        The margins after the rounds that were done before.
    choices : Choices
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional
    done : int, default 0
        Number of rounds that were done before.
    """
    rounds = algorithm.query_sensitive_rounds(
        F, problem.triples, problem.y, m, choices, rng=rng, kernels=kernels, threads=threads
    )
    for round in rounds:
        yield replace(round, j=done + round.j)


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
