"""BoostMap: V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean Embeddings for Indexing and
Classification", Boston University (2005).

In the paper's order: the training algorithm (§ 7) and query-sensitive embeddings (§ 8). 1D embeddings (§ 4) and the
training's output (§§ 7.4 and 8.2) stand in :mod:`refimpl.boostmap.model`, triples and their proximity order (§§ 3.2
and 10) in :mod:`refimpl.boostmap.triples`. Symbols are listed in NOTATION.md, corrected lines in ERRATA.md.

Training takes distances as matrices: BoostMap never looks at an object. What the paper leaves open is read here so:

* m, the number of pivot pairs per round, is M_1 unless given.
* Triples that are all ordered right let the weights grow for ever, as z_j stays low at steps 3-4. Training ends when
  the exponential loss, the product of the z_j, is below 1 / t: no triple is wrong then.
* Weights are rounded to a grid, so they add up to one but for rounding: where the paper compares z with 1, it is
  compared with their sum, and a gain below 1e-12 of it is none. So a phase ends when its best classifier has alpha = 0.
* § 7.3 step 4 takes any change of weight with z < .9999. Triples that are nearly all ordered right allow tens of
  thousands of those in a row. :func:`boostmap` goes on to steps 5-10 when the last 50 rounds neither added nor removed
  a classifier and lowered the loss by less than 5 % together (`least_gain`; 0 is § 7.3 as printed), and ends the first
  phase after `max_rounds`. :func:`training_rounds` alone is § 7.3 as printed.
* Two pivots at distance 0 define no line: their embedding is 0 throughout, a classifier that is never chosen.
* F^{x1,x2} and F^{x2,x1} are one classifier where D_X(x_1, x_2) = D_X(x_2, x_1), since they add up to a constant: one
  coordinate, under the name that was chosen first.
* With one coordinate § 8.1 step 1 has g = c; with more, g is another one with probability 1/2.
* Ranges of queries (§ 8.1 step 2) lie between thresholds drawn from the queries' values, all of them between each two.

Not handled here: distances to compute (:mod:`refimpl.spaces`), retrieval (:mod:`refimpl.spaces.retrieval`).
"""

import math
from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from refimpl.boostmap.bounds import least_z, least_z_min
from refimpl.boostmap.checkpoint import Checkpoint
from refimpl.boostmap.memory import estimate_memory
from refimpl.boostmap.model import (
    BoostMap,
    accepts,
    columns_of,
    embedding,
    from_rounds,
    pivot_embedding,
    reference_embedding,
)
from refimpl.boostmap.triples import distinct_pairs
from refimpl.checks import as_count, as_generator, as_indices, as_kernels, as_matrix, as_number, one_of
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import exp, margins
from refimpl.resources import check_memory

__all__ = [
    "BoostMap",
    "QuerySensitiveRound",
    "Round",
    "accepts",
    "boostmap",
    "embedding",
    "estimate_memory",
    "from_rounds",
    "pivot_embedding",
    "query_sensitive_rounds",
    "reference_embedding",
    "training_rounds",
]
MODIFY_BELOW = 0.9999  # § 7.3 step 4
NO_GAIN = 1 - 1e-12  # of the weights' sum: a z above it is no gain but a rounding error
IN_A_ROW = 50  # changes of weight that are looked at together
ROUNDS_PER_DIMENSION = 100  # `max_rounds` by default
NEAREST, FARTHEST = 1e-100, 1e100  # of the distances above 0: their squares and quotients stay far within float64


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


def training_rounds(
    D, between, triples, y, *, d, M_1, m, M_2, rng, kernels, threads=None, done=(), w=None, least_gain=0.0
):
    """Steps 1-12 of § 7.3, p. 10, one round after the other, as printed by default; ends at d classifiers, when z_j is
    no lower than the sum of the weights, or when the exponential loss is below 1 / t: then no triple is wrong, and more
    rounds would only raise margins.

    With d classifiers, removals and changes of weight go on until the next step would be an addition.

    Parameters
    ----------
    D : ndarray, shape (n_C, n), float64
        D[c, x] = D_X(x, c) for the candidates c and the objects x of the triples.
    between : ndarray, shape (n_C, n_C), float64
        Distances of the candidates, between[c, x] = D_X(x, c).
    triples : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64
        1 or -1.
    d, M_1, m, M_2 : int
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional
    done : sequence of (tuple, float, float)
        Classifier, alpha_j and z_j of the rounds that were done before, with the weights `w` after them.
    w : ndarray, shape (t,), float64, optional
    least_gain : float, default 0
        Steps 3-4 are passed over while the last 50 rounds changed weights only and lowered the loss by less than this
        share together; 0: never, as printed.

    Yields
    ------
    Round
    """
    t, j, loss = len(triples), len(done), math.prod(z for _, _, z in done)
    w = on_grid(np.full(t, 1 / t)) if w is None else w  # Figure 3: w_{i,1} = 1 / t
    H, changes = weights_after(done)  # h'_c -> alpha'_c; the last z_j in a row that only changed weights
    F = {h: embedding(D, *h, between[h[1], h[0]]) for h in H}  # h'_c -> the values of its embedding
    while loss >= 1 / t:
        j += 1
        step, h, alpha = "remove", *removal(H, F, triples, y, w, kernels, threads)  # steps 1-2
        if h is None and not _stalled(changes, least_gain):
            step, h, alpha = "modify", *modification(H, F, triples, y, w, kernels, threads)  # steps 3-4
        if h is None and len(H) == d:
            return
        if h is None:
            step, h, alpha = "add", *addition(
                D, between, triples, y, w, M_1, m, M_2, rng, kernels, threads, H)  # steps 5-10
        F[h] = embedding(D, *h, between[h[1], h[0]])
        z_j = float(kernels.z_values(F[h][None], triples, y, w, np.array([alpha]))[0])  # step 11
        if z_j >= NO_GAIN * w.sum():
            return
        w = on_grid(w * exp(-alpha * (y * margins(F[h], triples))) / z_j)  # step 12: eq. 9
        _take(H, changes, h, alpha, z_j)
        if h not in H:
            del F[h]
        yield Round(j, step, h, alpha, z_j, w)
        loss *= z_j


def weights_after(rounds):
    """H after some rounds: the sums of their alpha_j, without those that came to nothing; and the last changes' z_j."""
    H, changes = {}, deque(maxlen=IN_A_ROW)
    for h, alpha, z in rounds:
        _take(H, changes, h, alpha, z)
    return H, changes


def _take(H, changes, h, alpha, z):
    """Add a round to H, and its z_j to those of the changes in a row if no classifier came or went."""
    came = h not in H
    H[h] = H.get(h, 0.0) + alpha
    if H[h] == 0:
        del H[h]
    if came or h not in H:
        changes.clear()
    else:
        changes.append(z)


def _stalled(changes, least_gain):
    return len(changes) == IN_A_ROW and math.prod(changes) > 1 - least_gain


def removal(H, F, triples, y, w, kernels, threads):
    """Steps 1-2 of § 7.3: the classifier whose removal lowers Z most, and -alpha'_g; or None."""
    h, alpha = list(H), -np.array(list(H.values()))
    g, _ = least_z([F[c] for c in h], triples, y, w, alpha, kernels, threads,
                   below=NO_GAIN * w.sum())  # ERRATUM BM-1
    return (None, 0.0) if g is None else (h[g], float(alpha[g]))


def modification(H, F, triples, y, w, kernels, threads):
    """Steps 3-4 of § 7.3: the classifier whose change of weight lowers Z most, and the change; or None."""
    h, least = list(H), -np.array(list(H.values()))
    g, alpha, _ = least_z_min([F[c] for c in h], triples, y, w, least, kernels, threads,
                              below=MODIFY_BELOW * w.sum())
    return (None, 0.0) if g is None else (h[g], alpha)


def addition(D, between, triples, y, w, M_1, m, M_2, rng, kernels, threads, chosen=()):
    """Steps 5-10 of § 7.3: the best of M_1 reference objects and m pivot pairs, and its weight.

    `chosen` holds the classifiers that were chosen before; a pair whose reverse is the same classifier has its name.
    """
    r = rng.choice(len(D), size=M_1, replace=False)  # step 5
    pairs = distinct_pairs(len(D), m, rng)  # step 6
    h = [(int(c), -1) for c in r] + [named_before(x1, x2, between, chosen) for x1, x2 in pairs.tolist()]  # step 7
    F = np.array([embedding(D, x1, x2, between[x2, x1]) for x1, x2 in h])
    errors = kernels.weighted_errors(F, triples, y, w, threads=threads)  # step 8
    best = np.argsort(errors, kind="stable")[:M_2]
    g, alpha, _ = least_z_min(F[best], triples, y, w, np.zeros(len(best)), kernels, threads)  # steps 9-10
    return h[best[g]], alpha


def named_before(x1, x2, between, chosen):
    alike = (x2, x1) in chosen and between[x1, x2] == between[x2, x1]
    return (x2, x1) if alike else (x1, x2)


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


def query_sensitive_rounds(F, triples, y, w, *, k, rng, kernels, threads=None, done=0, ranges_by="error"):
    """Steps 1-8 of § 8.1, p. 13, one round after the other; ends when z_j is no lower than the sum of the weights.

    Ranges are compared by their weighted error, as § 8.3 says, or by Z_min, as step 3 prints: that takes far longer.

    Parameters
    ----------
    F : ndarray, shape (d, n), float64
        Values of F_1, ..., F_d on the objects of the triples.
    triples, y : ndarray
        As for :func:`training_rounds`.
    w : ndarray, shape (t,), float64
        The weights w_{J+1} that the first phase left.
    k : int
        Thresholds drawn for each coordinate; all ranges between them are tried.
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional
    done : int
        Rounds that were done before.
    ranges_by : {"error", "Z"}

    Yields
    ------
    QuerySensitiveRound
    """
    d, j, ranges = len(F), done, all_ranges(k)
    zero, queries = np.zeros(d), triples[:, 0]
    asked = np.unique(queries)
    while True:
        j += 1
        gamma = splitting_coordinates(d, rng)  # step 1
        t = np.array([thresholds(F_g, queries, asked, k, rng) for F_g in F[gamma]])  # step 2
        if ranges_by == "Z":
            V = ranges_of_least_z(F[gamma], F, triples, y, w, t, ranges, kernels, threads)  # step 3 as printed
        else:
            _, V = kernels.best_ranges(F[gamma], F, triples, y, w, t, ranges, threads=threads)  # step 3, § 8.3
        V = [as_range(t_c, ranges[best]) for t_c, best in zip(t, V, strict=True)]
        S = np.array([accepts(F_g, *V_c) for F_g, V_c in zip(F[gamma], V, strict=True)])  # eq. 18
        alpha, z = kernels.minimize_z(F, triples, y, w, zero, S, threads=threads)
        g = int(np.argmin(z))  # step 4
        if z[g] >= NO_GAIN * w.sum():  # steps 5-7
            return
        u = y * S[g][triples[:, 0]] * margins(F[g], triples)  # eq. 19
        w = on_grid(w * exp(-alpha[g] * u) / z[g])  # step 8: eq. 9
        yield QuerySensitiveRound(j, g, int(gamma[g]), *V[g], float(alpha[g]), float(z[g]), w)


def splitting_coordinates(d, rng):
    """g for each coordinate c: c itself with probability 1/2, else any other."""
    same, other = rng.random(d) < 0.5, rng.integers(max(d - 1, 1), size=d)
    c = np.arange(d)
    return np.where(same | (d == 1), c, other + (other >= c))


def ranges_of_least_z(G, F, triples, y, w, t, ranges, kernels, threads):
    """For each coordinate the place of the range whose classifier has the least Z_min; of equal ones the first."""
    best = np.empty(len(F), dtype=np.int64)
    for c, (F_g, F_c, t_c) in enumerate(zip(G, F, t, strict=True)):
        S = np.array([accepts(F_g, *as_range(t_c, places)) for places in ranges])
        alike = np.repeat(F_c[None], len(ranges), axis=0)
        best[c] = np.argmin(kernels.minimize_z(alike, triples, y, w, np.zeros(len(S)), S, threads=threads)[1])
    return best


def thresholds(F_g, queries, asked, k, rng):
    """k thresholds drawn from the queries' values, each moved half way to the next greater value; ascending.

    `queries` are the q_i of the triples, `asked` the objects among them, each once.
    """
    distinct = np.unique(F_g[asked])
    if len(distinct) == 1:
        return np.full(k, np.inf)
    picked = np.searchsorted(distinct, np.sort(rng.choice(F_g[queries], size=k)))
    picked = np.minimum(picked, len(distinct) - 2)
    return distinct[picked] / 2 + distinct[picked + 1] / 2


def all_ranges(k):
    """R and every range of the other four forms of § 8.1 step 2 between k thresholds, for ``best_ranges``."""
    i, j = np.triu_indices(k + 2, 1)
    whole = (i == 0) & (j == k + 1)
    inner = (i > 0) & (j <= k)  # (t_1, t_2), whose complement is (-inf, t_1) u (t_2, inf)
    return np.concatenate([
        [[0, k + 1]],
        np.stack([i, j], axis=1)[~whole],
        np.stack([j, i], axis=1)[inner],
    ]).astype(np.int64)


def as_range(t, places):
    """(low, high, inside) of a range of ``best_ranges`` between the thresholds t."""
    edges = np.concatenate([[-np.inf], t, [np.inf]])
    i, j = sorted(places.tolist())
    return float(edges[i]), float(edges[j]), int(places[0] < places[1])


# -------------------------------------------------------------------------------------------- the whole


def boostmap(D, between, triples, y, d, *, rng, candidates=None, M_1=1000, m=None, M_2=200, query_sensitive=0, k=20,
             ranges_by="error", max_rounds=None, least_gain=0.05, kernels=None, callback=None, checkpoint=None,
             max_memory=None, threads=None):  # fmt: skip
    """Train BoostMap: §§ 7.3 and 8.1 of Athitsos et al. (2005), where by default fifty changes of weight in a row that
    lower the loss by less than 5 % together are followed by an addition, and the first phase has at most 100 d rounds;
    ``least_gain=0`` and a large `max_rounds` give the paper's steps alone.

    Parameters
    ----------
    D : array_like, shape (n_C, n), float64
        D[c, x] = D_X(x, c), from the objects x of the triples to the candidates c.
    between : array_like, shape (n_C, n_C), float64
        The same among the candidates: between[c, x] = D_X(x, c).
    triples : array_like, shape (t, 3), int
        Objects q, a, b as places in the columns of D.
    y : array_like, shape (t,)
        Their proximity order, 1 or -1.
    d : int
        Number of coordinates. The first phase ends when the next step would add one to d of them.
    rng : numpy.random.Generator
    candidates : array_like of int, shape (n_C,), optional
        Which objects of the database the candidates are; 0, ..., n_C - 1 by default.
    M_1, M_2 : int, default 1000 and 200
        Reference objects tried in a round; classifiers whose Z_min is computed. At most as many as there are.
    m : int, optional
        Pivot pairs tried in a round, M_1 by default.
    query_sensitive : int, default 0
        Rounds of the second phase, J_2 - J.
    k : int, default 20
        Thresholds drawn for each coordinate in a round of the second phase.
    ranges_by : {"error", "Z"}, default "error"
        What the ranges of a coordinate are compared by: their weighted error (§ 8.3), or Z_min (§ 8.1 step 3).
    max_rounds : int, optional
        Rounds of the first phase at most, 100 d by default.
    least_gain : float, default 0.05
        Share, at least 0 and below 1, by which 50 changes of weight in a row must lower the loss together; else steps
        5-10 follow, or the end if there are d coordinates. 0: as § 7.3 is printed.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    callback : callable, optional
        ``callback(round)`` is called after each :class:`Round` and :class:`QuerySensitiveRound`; if it returns
        True, this phase ends. :class:`refimpl.boostmap.checkpoint.Progress` is one that tells how far the training is.
    checkpoint : str or os.PathLike, optional
        A file that is written about once a minute and when the training ends or is interrupted. If it is there, the
        training goes on from it, with the result of an uninterrupted one; `rng` gets the state it had. A phase that
        `callback` ended is gone on with, too.
    max_memory : int, optional
        Bytes; see :func:`refimpl.boostmap.memory.estimate_memory`.
    threads : int, optional
        Threads that the kernels may use; None for all. The result does not depend on it.

    Returns
    -------
    BoostMap

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a distance above 0 is below 1e-100 or above 1e100.
    MemoryError
        If the estimate exceeds `max_memory`; raised before the work starts.
    """
    kernels = as_kernels(kernels)
    given = D, between, triples, y
    D, between, triples, y = _check_training(*given)
    M_1 = min(as_count(M_1, "M_1"), len(D))
    m = M_1 if m is None else as_count(m, "m", 0)
    d, M_2, rng = as_count(d, "d"), as_count(M_2, "M_2"), as_generator(rng)
    query_sensitive, k = as_count(query_sensitive, "query_sensitive", 0), as_count(k, "k")
    max_rounds = ROUNDS_PER_DIMENSION * d if max_rounds is None else as_count(max_rounds, "max_rounds")
    least_gain = as_number(least_gain, "least_gain", below=1.0)
    candidates = None if candidates is None else as_indices(candidates, np.iinfo(np.int64).max, "candidates")
    if candidates is not None and len(candidates) != len(D):
        raise ValueError(f"candidates has {len(candidates)} entries; D has {len(D)} rows")
    one_of(ranges_by, ("error", "Z"), "ranges_by")
    if max_memory is not None:
        needed = estimate_memory(
            *given, d, M_1=M_1, m=m, M_2=M_2, query_sensitive=query_sensitive, k=k, ranges_by=ranges_by,
            max_rounds=max_rounds, threads=threads,
        )  # fmt: skip
        check_memory(needed, max_memory, "triples, candidates or dimensions")
    arguments = (D, between, triples, y, d, M_1, m, M_2, query_sensitive, k, ranges_by, max_rounds, least_gain)
    kept = Checkpoint(checkpoint, arguments, rng)
    try:
        if kept.phase == 1:
            options = {"d": d, "M_1": M_1, "m": m, "M_2": M_2, "rng": rng, "kernels": kernels, "threads": threads}
            _first_phase(D, between, triples, y, max_rounds, callback, kept, **options, least_gain=least_gain)
        rounds = [(*h, float(between[h[1], h[0]]) if h[1] >= 0 else 0.0, alpha) for h, alpha, _ in kept.rounds]
        model = from_rounds(rounds)
        if query_sensitive > 0 and model.d > 0:
            model = _second_phase(
                model, D, triples, y, query_sensitive, callback, kept, k=k, kernels=kernels, threads=threads,
                ranges_by=ranges_by,
            )  # fmt: skip
    finally:
        kept.write()
    return model if candidates is None else _named(model, candidates)


def _first_phase(D, between, triples, y, max_rounds, callback, kept, **options):
    rounds = training_rounds(D, between, triples, y, done=tuple(kept.rounds), w=kept.w, **options)
    for round in rounds if len(kept.rounds) < max_rounds else ():
        kept.add(round)
        if callback is not None and callback(round):
            kept.stop()
            break
        if round.j == max_rounds:
            break
    kept.second_phase()


def _second_phase(model, D, triples, y, query_sensitive, callback, kept, **options):
    F = np.array([embedding(D, *h) for h in zip(model.first, model.second, model.length, strict=True)])
    rounds = query_sensitive_rounds(F, triples, y, kept.w, rng=kept.rng, done=len(kept.extra), **options)
    for round in rounds if len(kept.extra) < query_sensitive else ():
        kept.add(round)
        if (callback is not None and callback(round)) or round.j == query_sensitive:
            break
    names = ("coordinate", "by", "low", "high", "inside", "extra")
    columns = columns_of(kept.extra, (np.int64, np.int64, np.float64, np.float64, np.int64, np.float64))
    return replace(model, **dict(zip(names, columns, strict=True)))


def _named(model, candidates):
    """The model with database objects in the place of candidates."""
    names = ("first", "second", "round_first", "round_second")
    places = (getattr(model, name) for name in names)
    return replace(model, **{name: np.where(p < 0, p, candidates[p]) for name, p in zip(names, places, strict=True)})


def require_ordinary(D, name):
    """Refuse distances so large or so small that their squares or quotients may leave float64's range."""
    least, most = np.min(D, where=D > 0, initial=np.inf), D.max()
    if least < NEAREST or most > FARTHEST:
        raise ValueError(
            f"{name}: distances above 0 must lie between {NEAREST:.0e} and {FARTHEST:.0e}; they range from {least:.3g} "
            f"to {most:.3g} (in another unit of length the model is the same but for its scale)"
        )


def _check_training(D, between, triples, y):
    D, between = as_matrix(D, "D"), as_matrix(between, "between")
    if between.shape != (len(D), len(D)):
        raise ValueError(f"between has shape {between.shape}; D has {len(D)} candidates")
    if D.min() < 0 or between.min() < 0:
        raise ValueError("D, between: distances must not be negative")
    require_ordinary(D, "D")
    require_ordinary(between, "between")
    triples = np.asarray(triples)
    if triples.ndim != 2 or triples.shape[1] != 3 or triples.dtype.kind not in "iu" or len(triples) == 0:
        raise ValueError(f"triples: {triples.dtype} {triples.shape}; it must hold integers, shape (t, 3), t >= 1")
    if triples.min() < 0 or triples.max() >= D.shape[1]:
        raise ValueError(f"triples: they name objects beyond the {D.shape[1]} columns of D")
    y = np.asarray(y, dtype=np.float64)
    if y.shape != (len(triples),) or not np.isin(y, (-1, 1)).all():
        raise ValueError("y: it must hold 1 or -1 for each triple; leave out triples with equal distances")
    return D, between, np.ascontiguousarray(triples, dtype=np.int32), y
