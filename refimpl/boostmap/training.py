"""BoostMap for use: checks, endings, callbacks and continuing around
:mod:`refimpl.boostmap.algorithm`.

V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean Embeddings for Indexing and
Classification", Boston University (2005).

Not handled here: distances to compute (:mod:`refimpl.spaces`), retrieval
(:mod:`refimpl.spaces.retrieval`).
"""

from dataclasses import replace

import numpy as np

from refimpl.boostmap import algorithm
from refimpl.boostmap.algorithm import Choices, embeddings
from refimpl.boostmap.distances import CandidateDistances
from refimpl.boostmap.memory import estimate_memory, require_arguments
from refimpl.boostmap.model import BoostMap
from refimpl.boostmap.options import DEFAULT_OPTIONS, BoostMapOptions
from refimpl.boostmap.rounds import classifiers_after, query_sensitive_rounds, training_rounds
from refimpl.boostmap.state import FIRST, Training
from refimpl.boostmap.triples import Triples
from refimpl.checks import as_callback, as_count, as_generator, as_kernels
from refimpl.progress import Callback
from refimpl.resources import check_memory, expected
from refimpl.typing import Kernels

__all__ = ["boostmap"]

RANGES = {"error": algorithm.ranges_of_least_error, "Z": algorithm.ranges_of_least_z}
SPLITTERS = {"one": algorithm.splitters, "both": algorithm.both_splitters}


def boostmap(
    distances: CandidateDistances,
    triples: Triples,
    d: int,
    *,
    rng: np.random.Generator,
    options: BoostMapOptions = DEFAULT_OPTIONS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: BoostMap | None = None,
    max_memory: int | None = None,
) -> BoostMap:
    """Train BoostMap: §§ 7.3 and 8.1 of Athitsos et al. (2005).

    The default differs from the printed steps in three points. The first phase adds a classifier
    when fifty changes of weight in a row lower the loss by less than 5 % together, it has at most
    100 d rounds, and the query-sensitive phase compares ranges by their error (§ 8.3). With
    ``BoostMapOptions(least_gain=0, max_rounds=10**9, ranges_by="Z")`` the model is that of the
    printed steps, bit for bit.

    Parameters
    ----------
    distances : CandidateDistances
        Distances from the objects of the triples to the candidates, and among the candidates.
    triples : Triples
        Triples of these objects with their proximity orders.
    d : int
        Number of coordinates. The first phase ends when the next step would add a coordinate to d
        of them.
    rng : numpy.random.Generator
        With `start` its state is set to the state at the end of the earlier training.
    options : BoostMapOptions, optional
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional
        Threads that the kernels may use; None for all. The result does not depend on it.
    callback : callable, optional
        ``callback(step)`` is called after each round with a :class:`refimpl.Step`. Its `state` is a
        :class:`Round` or a :class:`QuerySensitiveRound`, its `label` is "first phase" or "second
        phase". If the callback returns True, this phase ends.
    start : BoostMap, optional
        Earlier result of the same training to go on from: what :func:`boostmap` returned, or
        ``step.result``. The result is that of an uninterrupted training, bit for bit. A phase
        that a callback ended is not continued once the next phase has begun. `query_sensitive` may
        be larger than it was; before the first query-sensitive round, so may `d` and `max_rounds`.
    max_memory : int, optional
        Bytes; see :func:`estimate_memory`. By default what is free when the training starts
        (:func:`refimpl.resources.free_memory`), and no limit where that is unknown.

    Returns
    -------
    BoostMap

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If arguments do not fit together, or `start` belongs to another training.
    MemoryError
        If the estimate exceeds `max_memory`; raised before the work starts.

    See Also
    --------
    random_triples, nearby_triples, selective_triples : Draw triples.
    BoostMap.embed, BoostMap.pairwise : Embed queries, and compare them with embedded objects.
    estimate_memory : How much memory the training takes.
    refimpl.estimators.BoostMap : The same for scikit-learn.

    References
    ----------
    V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean Embeddings for Indexing and
    Classification", Boston University (2005), §§ 7.3, 8.1 and 8.3.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import BoostMapOptions, CandidateDistances, boostmap, nearby_triples
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> D = np.linalg.norm(X[:, np.newaxis] - X, axis=2)
    >>> triples = nearby_triples(D, 20, 500, rng=np.random.default_rng(1))
    >>> distances, options = CandidateDistances(D, D), BoostMapOptions(query_sensitive=3)
    >>> model = boostmap(distances, triples, 4, rng=np.random.default_rng(2), options=options)
    >>> model.d, len(model.extra)
    (4, 3)
    """
    kernels = as_kernels(kernels)
    rng = as_generator(rng)
    d = as_count(d, "d")
    require_arguments(distances, triples, options)
    as_callback(callback)
    counted = replace(
        options,
        max_rounds=expected(options.most_rounds(d), max_memory),
        query_sensitive=expected(options.query_sensitive, max_memory),
    )
    needed = estimate_memory(distances, triples, d, options=counted, threads=threads)
    check_memory(needed, max_memory, "triples, candidates or dimensions", "up to")
    training = Training(distances, triples, d, options, rng)
    if start is not None:
        training.resume(start)
    if training.phase == FIRST:
        _first_phase(training, d, options, kernels, threads, callback)
    if options.query_sensitive > 0 and training.embedding().d > 0:
        training.begin_second_phase()
        _second_phase(training, options, kernels, threads, callback)
    return training.model()


def _first_phase(
    training: Training,
    d: int,
    options: BoostMapOptions,
    kernels: Kernels,
    threads: int | None,
    callback: Callback | None,
) -> None:
    rounds = training_rounds(
        training.problem,
        *options.sizes(d, len(training.problem.D)),
        rng=training.rng,
        kernels=kernels,
        threads=threads,
        done=tuple(training.first),
        m_i=training.m_i,
        least_gain=options.least_gain,
    )
    while not training.full():
        round = next(rounds, None)
        if round is None:
            return
        step = training.add(round)
        if callback is not None and callback(step):
            return


def _second_phase(
    training: Training,
    options: BoostMapOptions,
    kernels: Kernels,
    threads: int | None,
    callback: Callback | None,
) -> None:
    assert training.m_i is not None  # a coordinate exists, so there was a round
    names = list(classifiers_after(training.first)[0])
    choices = Choices(options.n_thresholds, SPLITTERS[options.splitters], RANGES[options.ranges_by])
    rounds = query_sensitive_rounds(
        embeddings(training.problem, names),
        training.problem,
        training.m_i,
        choices,
        rng=training.rng,
        kernels=kernels,
        threads=threads,
        done=len(training.second),
    )
    while not training.full():
        round = next(rounds, None)
        if round is None:
            return
        step = training.add(round)
        if callback is not None and callback(step):
            return
