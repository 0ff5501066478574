"""BoostMap for use: checks, endings, checkpoints and bounds around :mod:`refimpl.boostmap.algorithm`.

V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean Embeddings for Indexing and Classification", Boston
University (2005). Training takes distances as matrices: BoostMap never looks at an object.

:func:`boostmap` differs from the printed steps in when its first phase ends (`least_gain`, `max_rounds`) and in how the
second compares ranges (`ranges_by`): with ``least_gain=0``, a large `max_rounds` and ``ranges_by="Z"`` its model is
that of the steps of §§ 7.3 and 8.1 as printed, bit for bit.

Not handled here: distances to compute (:mod:`refimpl.spaces`), retrieval (:mod:`refimpl.spaces.retrieval`).
"""

import math
from collections import deque
from dataclasses import replace

import numpy as np

from refimpl.boostmap import algorithm
from refimpl.boostmap.algorithm import (
    MODIFY_BELOW,
    NO_GAIN,
    Choices,
    Given,
    QuerySensitiveRound,
    Round,
    accepts,
    add_to,
    candidate_classifiers,
    embedding,
    embeddings,
    next_weights,
    pivot_embedding,
    reference_embedding,
)
from refimpl.boostmap.bounds import least_z, least_z_min
from refimpl.boostmap.checkpoint import Checkpoint
from refimpl.boostmap.memory import estimate_memory
from refimpl.boostmap.model import BoostMap, columns_of, from_rounds
from refimpl.checks import as_count, as_generator, as_indices, as_kernels, as_matrix, as_number, one_of
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import margins
from refimpl.resources import check_memory

__all__ = [
    "BoostMap",
    "QuerySensitiveRound",
    "Round",
    "accepts",
    "addition",
    "boostmap",
    "embedding",
    "estimate_memory",
    "from_rounds",
    "modification",
    "pivot_embedding",
    "query_sensitive_rounds",
    "reference_embedding",
    "require_ordinary",
    "training_rounds",
]
IN_A_ROW = 50  # changes of weight that are looked at together
ROUNDS_PER_DIMENSION = 100  # `max_rounds` by default
NEAREST, FARTHEST = 1e-100, 1e100  # of the distances above 0: their squares and quotients stay far within float64
RANGES = {"error": algorithm.ranges_of_least_error, "Z": algorithm.ranges_of_least_z}
SPLITTERS = {"one": algorithm.splitters, "both": algorithm.both_splitters}


# ------------------------------------------------------------------------------------------------- § 7.3


def training_rounds(
    D, between, triples, y, *, d, M_1, m, M_2, rng, kernels, threads=None, done=(), w=None, least_gain=0.0
):
    """Yield the rounds of § 7.3, p. 10: those of :func:`refimpl.boostmap.algorithm.training_rounds`, bit for bit.

    Steps 1, 3 and 9 find their classifier by bounds; the rounds can go on from earlier ones.

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
    given = Given(D, between, triples, y)
    j, loss = len(done), math.prod(z for _, _, z in done)
    w = on_grid(np.full(len(y), 1 / len(y))) if w is None else w  # BM:fig3:0
    H, changes = weights_after(done)  # h'_c -> alpha'_c; the last z_j in a row that only changed weights
    F = dict(zip(H, embeddings(given, list(H)), strict=True))  # h'_c -> the values of its embedding
    while loss >= 1 / len(y):
        j += 1
        step, h, alpha = "remove", *removal(H, F, triples, y, w, kernels, threads)  # BM:7.3:1, BM:7.3:2
        if h is None and not _stalled(changes, least_gain):
            step, h, alpha = "modify", *modification(H, F, triples, y, w, kernels, threads)  # BM:7.3:3, BM:7.3:4
        if h is None and len(H) == d:
            return
        if h is None:
            step, h, alpha = "add", *addition(
                D, between, triples, y, w, M_1, m, M_2, rng, kernels, threads, H)  # steps 5 to 10
        F[h] = embeddings(given, [h])[0]
        z_j = float(kernels.z_values(F[h][None], triples, y, w, np.array([alpha]))[0])  # BM:7.3:11
        if z_j >= NO_GAIN * w.sum():
            return
        w = next_weights(w, alpha, y * margins(F[h], triples), z_j)  # BM:7.3:12
        _take(H, changes, h, alpha, z_j)
        if h not in H:
            del F[h]
        yield Round(j, step, h, alpha, z_j, w)
        loss *= z_j


def weights_after(rounds):
    """Return H after some rounds, and the z_j of the last changes of weight in a row."""
    H, changes = {}, deque(maxlen=IN_A_ROW)
    for h, alpha, z in rounds:
        _take(H, changes, h, alpha, z)
    return H, changes


def _take(H, changes, h, alpha, z):
    """Add a round to H, and its z_j to those of the changes in a row if no classifier came or went."""
    came = h not in H
    add_to(H, h, alpha)
    if came or h not in H:
        changes.clear()
    else:
        changes.append(z)


def _stalled(changes, least_gain):
    return len(changes) == IN_A_ROW and math.prod(changes) > 1 - least_gain


def removal(H, F, triples, y, w, kernels, threads):
    """Return the classifier whose removal lowers Z most, and -alpha'_g; or None. Steps 1-2 of § 7.3."""
    h, alpha = list(H), -np.array(list(H.values()))
    g, _ = least_z([F[c] for c in h], triples, y, w, alpha, kernels, threads,
                   below=NO_GAIN * w.sum())  # ERRATUM BM-1
    return (None, 0.0) if g is None else (h[g], float(alpha[g]))


def modification(H, F, triples, y, w, kernels, threads):
    """Return the classifier whose change of weight lowers Z most, and the change; or None. Steps 3-4 of § 7.3."""
    h, least = list(H), -np.array(list(H.values()))
    g, alpha, _ = least_z_min([F[c] for c in h], triples, y, w, least, kernels, threads,
                              below=MODIFY_BELOW * w.sum())
    return (None, 0.0) if g is None else (h[g], alpha)


def addition(D, between, triples, y, w, M_1, m, M_2, rng, kernels, threads, chosen=()):
    """Return the best of M_1 reference objects and m pivot pairs, and its weight: steps 5-10 of § 7.3.

    `chosen` holds the classifiers that were chosen before; a pair whose reverse is the same classifier has its name.
    """
    given = Given(D, between, triples, y)
    h = candidate_classifiers(given, M_1, m, chosen, rng)  # BM:7.3:5, BM:7.3:6, BM:7.3:7
    F = embeddings(given, h)
    errors = kernels.weighted_errors(F, triples, y, w, threads=threads)
    best = np.argsort(errors, kind="stable")[:M_2]  # BM:7.3:8
    g, alpha, _ = least_z_min(F[best], triples, y, w, np.zeros(len(best)), kernels, threads)  # BM:7.3:9, BM:7.3:10
    return h[best[g]], alpha


# ------------------------------------------------------------------------------------------------- § 8.1


def query_sensitive_rounds(
    F, triples, y, w, *, k, rng, kernels, threads=None, done=0, ranges_by="error", splitters="one"
):
    """Yield the rounds of :func:`refimpl.boostmap.algorithm.query_sensitive_rounds`, numbered from `done` + 1.

    Parameters
    ----------
    F : ndarray, shape (d, n), float64
        Values of F_1, ..., F_d on the objects of the triples.
    triples, y : ndarray
        As for :func:`training_rounds`.
    w : ndarray, shape (t,), float64
        The weights w_{J+1} that the first phase left.
    k : int
        Thresholds drawn for each splitter; all ranges between them are tried.
    rng : numpy.random.Generator
    kernels : module
    threads : int, optional
    done : int
        Rounds that were done before.
    ranges_by : {"error", "Z"}
    splitters : {"one", "both"}

    Yields
    ------
    QuerySensitiveRound
    """
    choices = Choices(k, SPLITTERS[splitters], RANGES[ranges_by])
    rounds = algorithm.query_sensitive_rounds(F, triples, y, w, choices, rng=rng, kernels=kernels, threads=threads)
    for round in rounds:
        yield replace(round, j=done + round.j)


# -------------------------------------------------------------------------------------------- the whole


def boostmap(D, between, triples, y, d, *, rng, candidates=None, M_1=1000, m=None, M_2=200, query_sensitive=0, k=20,
             ranges_by="error", splitters="one", max_rounds=None, least_gain=0.05, kernels=None, callback=None,
             checkpoint=None, max_memory=None, threads=None):  # fmt: skip
    """Train BoostMap: §§ 7.3 and 8.1 of Athitsos et al. (2005). By default fifty changes of weight in a row that lower
    the loss by less than 5 % together are followed by an addition, the first phase has at most 100 d rounds, and ranges
    are compared by their error (§ 8.3); ``least_gain=0``, a large `max_rounds` and ``ranges_by="Z"`` give the steps as
    printed.

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
        What the ranges of a coordinate are compared by: their weighted error (§ 8.3), or Z_min (§ 8.1 step 3), which
        takes far longer.
    splitters : {"one", "both"}, default "one"
        Each coordinate is split by one coordinate, itself with probability 1/2 (§ 8.1 step 1), or both by itself and
        by another one (§ 8.3): twice as many classifiers in a round of the second phase.
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
    one_of(ranges_by, RANGES, "ranges_by")
    one_of(splitters, SPLITTERS, "splitters")
    if max_memory is not None:
        needed = estimate_memory(
            *given, d, M_1=M_1, m=m, M_2=M_2, query_sensitive=query_sensitive, k=k, ranges_by=ranges_by,
            splitters=splitters, max_rounds=max_rounds, threads=threads,
        )  # fmt: skip
        check_memory(needed, max_memory, "triples, candidates or dimensions")
    arguments = (
        D, between, triples, y, d, M_1, m, M_2, query_sensitive, k, ranges_by, splitters, max_rounds, least_gain,
    )  # fmt: skip
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
                ranges_by=ranges_by, splitters=splitters,
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
    """Return the model with database objects in the place of candidates."""
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
