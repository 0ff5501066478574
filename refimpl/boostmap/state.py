"""The state of a training of BoostMap: the rounds so far, and how to continue from them.

A model holds the rounds with their z_j and the generator's state. It does not hold the margins of
the triples, because they can be computed from the rounds, bit for bit.

Not handled here: the rounds themselves (:mod:`refimpl.boostmap.rounds`).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from refimpl.boostmap.algorithm import Problem
from refimpl.boostmap.distances import CandidateDistances
from refimpl.boostmap.model import BoostMap, columns_of, from_rounds
from refimpl.boostmap.options import BoostMapOptions
from refimpl.boostmap.records import Name, QuerySensitiveRound, Round
from refimpl.boostmap.rounds import margins_after, most_classifiers
from refimpl.boostmap.triples import Triples
from refimpl.kernels.arguments import checked_once
from refimpl.progress import Step
from refimpl.typing import FloatArray, IntArray

__all__ = ["Training"]

FIRST, SECOND = 1, 2
PHASES = {FIRST: "first phase", SECOND: "second phase"}


class Training:
    """The rounds of a training so far, and the generator's state after them.

    Parameters
    ----------
    distances : CandidateDistances
    triples : Triples
    d : int
    options : BoostMapOptions
    rng : numpy.random.Generator

    Attributes
    ----------
    problem : Problem
    first : list of (tuple, float, float)
        Classifier, alpha_j and z_j of each round of § 7.3.
    second : list of (int, int, float, float, int, float, float)
        c, g, low, high, inside, alpha_j and z_j of each round of § 8.1.
    m_i : ndarray, shape (t,), float64, or None
        The margins after the last round.
    phase : int
        1 while the rounds of § 7.3 run, 2 afterwards.

    Examples
    --------
    >>> D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    >>> training = Training(
    ...     CandidateDistances(D, D), Triples([[0, 1, 2]], [1]), 2, BoostMapOptions(),
    ...     np.random.default_rng(0),
    ... )
    >>> training.model().d
    0
    """

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
        self.first: list[tuple[Name, float, float]] = []
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
        """Continue from the rounds and the generator's state of an earlier result.

        Raises
        ------
        TypeError
            If `start` is no BoostMap.
        ValueError
            If `start` belongs to another training, or has more rounds or coordinates than this
            training will have.
        """
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
    """Return the sha256 of what a result depends on, for a result of each phase.

    In the first phase `d` and `max_rounds` only say when it ends, so a result of it does not depend
    on them.
    """
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
