"""Long trainings of BoostMap: a file that an interrupted one goes on from, and lines that tell how far it is."""

import hashlib
import json
import os
import sys
import time
from dataclasses import dataclass

import numpy as np

from refimpl.results import load, result, save


@result
@dataclass(frozen=True, eq=False)
class BoostMapCheckpoint:
    """A training of BoostMap after some of its rounds.

    Attributes
    ----------
    problem : str
        sha256 of the distances, triples and sizes: the file is of no use to another training.
    first, second : ndarray, shape (J,), int64
        Classifiers of the rounds of § 7.3 as places among the candidates; (r, -1) is a reference object.
    alpha, z : ndarray, shape (J,), float64
    extra : ndarray, shape (s, 6), float64
        c, g, low, high, inside and alpha of the rounds of § 8.1.
    w : ndarray, shape (t,), float64
        The weights after the last round.
    phase : int
        1 while the rounds of § 7.3 run, 2 afterwards.
    generator : str
        State of the generator after the last round, as JSON.
    """

    problem: str
    first: np.ndarray
    second: np.ndarray
    alpha: np.ndarray
    z: np.ndarray
    extra: np.ndarray
    w: np.ndarray
    phase: int
    generator: str

    def __post_init__(self):
        for name, kind in (("problem", str), ("phase", int), ("generator", str)):
            object.__setattr__(self, name, kind(getattr(self, name)))  # a file gives arrays back


class Checkpoint:
    """Rounds as they are done, written to a file from time to time; nothing is written without a path.

    Parameters
    ----------
    path : str, os.PathLike or None
        If it exists, the training goes on from it.
    arguments : iterable
        Arrays and numbers that the training depends on.
    rng : numpy.random.Generator
        Gets the state that the file holds.
    every : float
        Seconds between two writings.

    Raises
    ------
    ValueError
        If the file belongs to another training.
    FileFormatError
        If it is no checkpoint.
    """

    def __init__(self, path, arguments, rng, every=60.0):
        self.path, self.rng, self.every, self.written = path, rng, every, time.monotonic()
        self.rounds, self.extra, self.w, self.phase, self.stopped = [], [], None, 1, False
        self.problem = "" if path is None else _digest(arguments)
        if path is not None and os.path.exists(path):
            self._read(load(path))

    def _read(self, found):
        if not isinstance(found, BoostMapCheckpoint) or found.problem != self.problem:
            raise ValueError(f"checkpoint: {self.path} belongs to another training; remove it, or pass another path")
        names = zip(found.first.tolist(), found.second.tolist(), strict=True)
        self.rounds = list(zip(names, found.alpha.tolist(), found.z.tolist(), strict=True))
        self.extra = [(int(c), int(g), low, high, int(V), alpha) for c, g, low, high, V, alpha in found.extra.tolist()]
        self.w, self.phase = found.w, found.phase
        self.rng.bit_generator.state = json.loads(found.generator)

    def add(self, round):
        """Take a round of either phase in, and write if it is time."""
        if self.phase == 1:
            self.rounds.append((round.classifier, round.alpha, round.z))
        else:
            self.extra.append((round.c, round.g, round.low, round.high, round.inside, round.alpha))
        self.w = round.w
        if time.monotonic() - self.written >= self.every:
            self.write()

    def stop(self):
        """Keep the file as it is now, since a callback ended a phase: the training can go on with that phase."""
        self.write()
        self.stopped = True

    def second_phase(self):
        """Note that the rounds of § 7.3 are done."""
        if self.phase == 1:
            self.phase = 2
            self.write()

    def write(self):
        """Write the file, if there is a path and a round to tell of."""
        self.written = time.monotonic()
        if self.path is None or self.w is None or self.stopped:
            return
        names = np.array([h for h, _, _ in self.rounds], dtype=np.int64).reshape(-1, 2)
        alpha, z = (np.array([r[i] for r in self.rounds], dtype=np.float64) for i in (1, 2))
        extra = np.array(self.extra, dtype=np.float64).reshape(-1, 6)
        save(self.path, BoostMapCheckpoint(
            self.problem, names[:, 0].copy(), names[:, 1].copy(), alpha, z, extra, self.w, self.phase,
            json.dumps(self.rng.bit_generator.state, default=np.ndarray.tolist),
        ))  # fmt: skip


def _digest(arguments):
    total = hashlib.sha256()
    for value in arguments:
        array = np.ascontiguousarray(value)
        total.update(f"{array.dtype} {array.shape} ".encode())
        total.update(array.reshape(-1).view(np.uint8))  # no copy
    return total.hexdigest()


class Progress:
    """A callback for ``boostmap`` that writes a line from time to time: rounds, loss, time left.

    Parameters
    ----------
    d, query_sensitive : int
        As for ``boostmap``; the time left of the first phase is estimated from its coordinates, so it is a guess.
    every : float
        Seconds between two lines.
    stream : file
        sys.stderr by default.
    """

    def __init__(self, d, query_sensitive=0, *, every=10.0, stream=None):
        self.d, self.query_sensitive, self.every, self.stream = d, query_sensitive, every, stream or sys.stderr
        self.names, self.loss, self.rounds = set(), 1.0, 0
        self.start = self.told = time.monotonic()
        self.second = None

    def __call__(self, round):
        """Take note of a round."""
        self.rounds, self.loss = self.rounds + 1, self.loss * round.z
        now = time.monotonic()
        if hasattr(round, "classifier"):
            self.names.add(round.classifier)
            done, of, since, what = len(self.names), self.d, self.start, "coordinates"
        else:
            self.second = now if self.second is None else self.second
            done, of, since, what = round.j, self.query_sensitive, self.second, "query-sensitive rounds"
        if now - self.told >= self.every or done == of:
            self.told = now
            left = (now - since) / max(done, 1) * max(of - done, 0)
            self.stream.write(f"round {self.rounds}: {done} of {of} {what}, loss {self.loss:.4g}, {left:.0f} s left\n")
