"""BoostMap for use: checks, memory, endings, callbacks and continuing around
:mod:`refimpl.boostmap.algorithm`.

V. Athitsos, J. Alon, S. Sclaroff & G. Kollios, "Learning Euclidean Embeddings for Indexing and
Classification", Boston University (2005).

A model holds the rounds with their z_j and the generator's state. It does not hold the margins of
the triples, because they can be computed from the rounds, bit for bit.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from refimpl.boostmap import algorithm
from refimpl.boostmap.algorithm import Choices, Problem, embeddings
from refimpl.boostmap.model import BoostMap, columns_of, from_rounds
from refimpl.boostmap.options import (
    DEFAULT_OPTIONS,
    BoostMapOptions,
    Name,
    QuerySensitiveRound,
    Round,
)
from refimpl.boostmap.rounds import (
    classifiers_after,
    margins_after,
    most_classifiers,
    training_rounds,
    with_bounds,
)
from refimpl.boostmap.triples import CandidateDistances, Triples
from refimpl.checks import as_callback, as_count, as_generator, as_kernels, as_options, as_threads
from refimpl.kernels.arguments import checked_once
from refimpl.progress import Callback, Step
from refimpl.resources import check_memory, expected
from refimpl.typing import FloatArray, IntArray, Kernels

SMALL = 2**20  # bytes that do not grow with the arguments
ROUND = 500  # bytes kept for each round: names, weights, factors
# transposed triples, weights before and after a round, margins, factors, and temporary arrays:
# 105 bytes in the reference kernels, 80 in refimpl_fast
PER_TRIPLE = 112


def estimate_memory(
    distances: CandidateDistances,
    triples: Triples,
    d: int,
    *,
    rng: np.random.Generator | None = None,
    options: BoostMapOptions = DEFAULT_OPTIONS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: BoostMap | None = None,
    max_memory: int | None = None,
) -> int:
    """Return the bytes that :func:`refimpl.boostmap.boostmap` takes at most, beyond its arguments.

    The estimate holds on either kernel module.

    Parameters
    ----------
    distances, triples, d, rng, options, kernels, threads, callback, start, max_memory
        As for the training; `rng`, `kernels`, `callback`, `start` and `max_memory` do not matter.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        If `distances`, `triples`, `d`, `options` or `threads` does not fit.

    See Also
    --------
    refimpl.boostmap.boostmap : The training, whose `max_memory` is compared with the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import CandidateDistances, Triples, estimate_memory
    >>> D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    >>> few = Triples([[0, 1, 2]], [1])
    >>> many = Triples([[0, 1, 2]] * 1000, [1] * 1000)
    >>> distances = CandidateDistances(D, D)
    >>> estimate_memory(distances, few, 2) < estimate_memory(distances, many, 2)
    True
    """
    d = as_count(d, "d")
    require_arguments(distances, triples, options)
    n_C, n = distances.D.shape
    t = len(triples)
    d, M_1, m, M_2 = options.sizes(d, n_C)
    M_2 = min(M_2, M_1 + m)  # all that a round tries
    rounds = options.most_rounds(d) + options.query_sensitive
    # of each thread: margins; eight embeddings side by side, and what is gained at each object
    scratch = PER_TRIPLE * t + as_threads(threads) * (8 * t + 2 * 8 * 8 * n)
    addition = 8 * n * (M_1 + m + M_2 + 8) + 16 * n_C + 300 * (M_1 + m)
    looked_at = 8 * n * (2 * d + 8)  # steps 1-4: a few classifiers; then copies of all of them
    first = max(addition, looked_at) + 8 * n * (d + 1)
    second = second_phase_bytes(n, t, d, options) if options.query_sensitive else 0
    return int(SMALL + scratch + ROUND * rounds + max(first, second))


def require_arguments(
    distances: CandidateDistances, triples: Triples, options: BoostMapOptions
) -> None:
    """Refuse arguments of another type, and triples of objects that have no distances."""
    for value, kind, name in (
        (distances, CandidateDistances, "distances"),
        (triples, Triples, "triples"),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a {kind.__name__}; got a {type(value).__name__}")
    as_options(options, BoostMapOptions)
    n = distances.D.shape[1]
    most = int(triples.objects.max())
    if most >= n:
        raise ValueError(f"triples must name objects below {n}, the columns of D; got {most}")


def second_phase_bytes(n: int, t: int, d: int, options: BoostMapOptions) -> int:
    """Return the bytes of coordinates, of those that split and of splitters, and of all ranges."""
    k = options.n_thresholds
    ranges = (k + 1) * (k + 2) // 2 + k * (k - 1) // 2
    tried = 8 * n * 4 * ranges if options.ranges_by == "Z" else 0
    m = 2 * d if options.splitters == "both" else d  # classifiers in a round
    needed = 8 * n * (d + 5 * m) + tried + 200 * m * (k + 4) + 550 * ranges + 24 * t
    return needed + needed // 10  # the gaps between arrays, and objects of Python


FIRST, SECOND = 1, 2
PHASES = {FIRST: "first phase", SECOND: "second phase"}


class Training:
    """The rounds of a training so far, and the generator's state after them."""

    def __init__(
        self,
        distances: CandidateDistances,
        triples: Triples,
        d: int,
        options: BoostMapOptions,
        rng: np.random.Generator,
    ) -> None:
        # kernels get the triples in every round
        objects, y = checked_once(triples.objects), checked_once(triples.y)
        self.problem = Problem(distances.D, distances.between, objects, y)
        # classifier, alpha_j and z_j of each round of § 7.3
        self.first: list[tuple[Name, float, float]] = []
        # c, g, low, high, inside, alpha_j and z_j of each round of § 8.1
        self.second: list[tuple[int, int, float, float, int, float, float]] = []
        self.m_i: FloatArray | None = None
        self.phase = FIRST
        self.rng = rng
        self._candidates = distances.candidates
        self._limits = {FIRST: options.most_rounds(d), SECOND: options.query_sensitive}
        self._d = d
        self._digests = _digests(distances, triples, d, options)
        self._generator: Mapping[str, Any] = rng.bit_generator.state

    # ---------------------------------------------------------------------------------- rounds

    def add(
        self, round: Round | QuerySensitiveRound
    ) -> Step[Round | QuerySensitiveRound, BoostMap]:
        """Add a round of either phase, and return it as a step for a callback."""
        if isinstance(round, Round):
            self.first.append((round.classifier, round.alpha, round.z))
        else:
            self.second.append(
                (round.c, round.g, round.low, round.high, round.inside, round.alpha, round.z)
            )
        self.m_i = round.m
        self._generator = self.rng.bit_generator.state
        so_far = len(self.first), len(self.second), self.phase, self._generator
        return Step(
            number=round.j,
            total=self._limits[self.phase],
            state=round,
            label=PHASES[self.phase],
            make_result=partial(self._model, *so_far),
        )

    def begin_second_phase(self) -> None:
        """Note that the rounds of § 7.3 are done."""
        if self.phase == FIRST:
            self.phase = SECOND
            self._generator = self.rng.bit_generator.state

    def full(self) -> bool:
        """Return whether the phase has all of its rounds."""
        done = self.first if self.phase == FIRST else self.second
        return len(done) >= self._limits[self.phase]

    # ---------------------------------------------------------------------------------- results

    def embedding(self) -> BoostMap:
        """Return the embedding of the rounds of § 7.3, with candidates instead of objects."""
        return self._embedding(len(self.first))

    def model(self) -> BoostMap:
        """Return the result of all rounds so far."""
        return self._model(len(self.first), len(self.second), self.phase, self._generator)

    def _embedding(self, n_first: int) -> BoostMap:
        between = self.problem.between
        return from_rounds(
            [
                (x_1, x_2, float(between[x_2, x_1]) if x_2 >= 0 else 0.0, alpha)
                for (x_1, x_2), alpha, _ in self.first[:n_first]
            ]
        )

    def _model(
        self, n_first: int, n_second: int, phase: int, generator: Mapping[str, Any]
    ) -> BoostMap:
        """Return the result of some of the rounds; both lists only grow."""
        model = self._embedding(n_first)
        dtypes = (np.int64, np.int64, np.float64, np.float64, np.int64, np.float64, np.float64)
        c, g, low, high, inside, alpha, z = columns_of(self.second[:n_second], dtypes)
        model = replace(
            model,
            coordinate=c,
            by=g,
            low=low,
            high=high,
            inside=inside,
            extra=alpha,
            round_z=np.array([z for _, _, z in self.first[:n_first]], dtype=np.float64),
            extra_z=z,
            phase=phase,
            generator=json.dumps(generator, default=np.ndarray.tolist),
            problem=self._digests[phase],
        )
        return model if self._candidates is None else _renamed(model, self._candidates)

    # ---------------------------------------------------------------------------------- start=

    def resume(self, start: BoostMap) -> None:
        """Continue from the rounds and the generator's state of an earlier result."""
        self._require_own(start)
        if self._candidates is not None:
            start = _renamed(start, _inverse(self._candidates))
        names = zip(start.round_first.tolist(), start.round_second.tolist(), strict=True)
        alpha = start.round_alpha.tolist()
        self.first = list(zip(names, alpha, start.round_z.tolist(), strict=True))
        rows = zip(start.query_sensitive_classifiers(), start.extra_z.tolist(), strict=True)
        self.second = [(*classifier, z) for classifier, z in rows]
        self._require_room()
        self.phase = start.phase
        if self.first:
            self.m_i = margins_after(self.problem, self.first, self.second)
        self._generator = json.loads(start.generator)
        self.rng.bit_generator.state = self._generator

    def _require_own(self, start: BoostMap) -> None:
        if not isinstance(start, BoostMap):
            raise TypeError(f"start must be a BoostMap or None; got a {type(start).__name__}")
        if not start.problem:
            raise ValueError(
                "start must be what boostmap returned, or step.result of its callback; got an "
                "embedding without the state of a training"
            )
        if start.problem != self._digests.get(start.phase):
            raise ValueError(
                "start must come from a training with the same distances, triples and options; got "
                "the result of another training (query_sensitive may differ; before the first "
                "query-sensitive round d and max_rounds may, too)"
            )
        kind = json.loads(start.generator)["bit_generator"]
        own = self.rng.bit_generator.state["bit_generator"]
        if kind != own:
            raise ValueError(f"rng must be a Generator of {kind}, like that of start; got {own}")

    def _require_room(self) -> None:
        had = {
            "d": (most_classifiers(self.first), self._d, "coordinates"),
            "max_rounds": (len(self.first), self._limits[FIRST], "rounds"),
            "query_sensitive": (len(self.second), self._limits[SECOND], "query-sensitive rounds"),
        }
        for name, (done, most, what) in had.items():
            if done > most:
                raise ValueError(f"{name} must be at least {done}, the {what} of start; got {most}")


def _renamed(model: BoostMap, names: IntArray | Mapping[int, int]) -> BoostMap:
    """Return the model with its objects renamed; -1 stays -1."""

    def renamed(places: IntArray) -> IntArray:
        return np.array([x if x < 0 else names[x] for x in places.tolist()], dtype=np.int64)

    return replace(
        model,
        first=renamed(model.first),
        second=renamed(model.second),
        round_first=renamed(model.round_first),
        round_second=renamed(model.round_second),
    )


def _inverse(candidates: IntArray) -> dict[int, int]:
    return {candidate: place for place, candidate in enumerate(candidates.tolist())}


def _digests(
    distances: CandidateDistances, triples: Triples, d: int, options: BoostMapOptions
) -> dict[int, str]:
    """Return the sha256 of what a result depends on, for a result of each phase."""
    # in the first phase `d` and `max_rounds` only say when it ends
    n_C = len(distances.D)
    _, *sizes = options.sizes(d, n_C)
    candidates = np.arange(n_C) if distances.candidates is None else distances.candidates
    own = (*sizes, options.n_thresholds, options.ranges_by, options.splitters, options.least_gain)
    total = hashlib.sha256()
    _update(total, (distances.D, distances.between, candidates, triples.objects, triples.y, *own))
    digests = {FIRST: total.hexdigest()}
    _update(total, (d, options.most_rounds(d)))
    digests[SECOND] = total.hexdigest()
    return digests


def _update(total: "hashlib._Hash", values: Iterable[Any]) -> None:
    for value in values:
        array = np.ascontiguousarray(value)
        total.update(f"{array.dtype} {array.shape} ".encode())
        total.update(array.reshape(-1).view(np.uint8).data)  # no copy


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
        The most bytes that it may take; see :func:`estimate_memory`. By default what is free when
        it starts; no limit where that is unknown.

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
        first = training_rounds(
            training.problem,
            *options.sizes(d, len(training.problem.D)),
            rng=training.rng,
            kernels=kernels,
            threads=threads,
            done=tuple(training.first),
            m_i=training.m_i,
            least_gain=options.least_gain,
        )
        _add(training, first, callback)
    if options.query_sensitive > 0 and training.embedding().d > 0:
        training.begin_second_phase()
        _add(training, _second_phase(training, options, kernels, threads), callback)
    return training.model()


def _add(
    training: Training, rounds: Iterator[Round | QuerySensitiveRound], callback: Callback | None
) -> None:
    """Add rounds to the phase until it has all of them, none is left, or the callback ends it."""
    while not training.full():
        round = next(rounds, None)
        if round is None:
            return
        step = training.add(round)
        if callback is not None and callback(step):
            return


def _second_phase(
    training: Training, options: BoostMapOptions, kernels: Kernels, threads: int | None
) -> Iterator[QuerySensitiveRound]:
    """Yield the rounds of § 8.1, numbered after those that are done."""
    problem, m_i, done = training.problem, training.m_i, len(training.second)
    assert m_i is not None  # a coordinate exists, so there was a round
    F = embeddings(problem, list(classifiers_after(training.first)[0]))
    rounds = algorithm.query_sensitive_rounds(
        F,
        problem.triples,
        problem.y,
        m_i,
        Choices(options.n_thresholds, SPLITTERS[options.splitters], RANGES[options.ranges_by]),
        rng=training.rng,
        kernels=with_bounds(kernels),
        threads=threads,
    )
    for round in rounds:
        yield replace(round, j=done + round.j)
