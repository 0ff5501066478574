"""Time calls of several implementations in one process, in turns, so that each meets the same
machine.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tests.support.agreement import assert_same

Call = Callable[[Any], Any]
# seconds after a call of another library: without them a second thread of ours gained nothing in
# the calls that followed (notes.md)
REST = 0.4
SHORT = 1e-3  # seconds: after a rest, calls as short as this would take longer


class TooSlowError(Exception):
    """Raised by the timer in a call that takes longer than it may."""


class MissingError(Exception):
    """Raised by a peer that cannot be had here."""


@dataclass(frozen=True)
class Elsewhere:
    """The result of a call in another process, which measured its own seconds."""

    seconds: float


@dataclass
class Row:
    """A row of the table before it is measured.

    Attributes
    ----------
    calls : dict of str to callable
        By implementation, in the order of measuring. Each takes what `prepare` returns.
    prepare : callable
        Makes what a call uses up, outside the clock.
    same : tuple of str
        Implementations whose results must be equal.
    one_thread : tuple of str
        Implementations during which BLAS has one thread; two otherwise.
    bounds : dict of str to int
        Bytes that must be read ("bytes"), operations that must be done ("float64"), where known.
    """

    calls: dict[str, Call]
    prepare: Callable[[], Any] = lambda: None
    same: tuple[str, ...] = ()
    one_thread: tuple[str, ...] = ()
    bounds: dict[str, int] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)


def measure(row: Row, budget: float, limit: float, repeats: int = 99) -> dict[str, Any]:
    """Measure the row's calls in turns, every other turn from the last to the first.

    The first turn warms up and compares results. It counts only where a call takes over half a
    second and more than the budget allows to repeat. The turns end after `budget` seconds or
    `repeats` turns, never before three of each call that takes under a tenth of the budget. A call
    that takes more than `limit` seconds in the first turn is stopped and left out.
    """
    times: dict[str, list[float]] = {}
    results: dict[str, Any] = {}
    slow: list[str] = []
    missing = {}
    first = {}
    for name in row.calls:
        try:
            seconds, result = taking(row, name, limit)
        except TooSlowError:
            slow.append(name)
            continue
        except MissingError as error:
            missing[name] = str(error)
            continue
        first[name] = seconds
        times[name] = [seconds] if 3 * seconds > budget else []
        if name in row.same:
            results[name] = result
    for result in results.values():
        assert_same(next(iter(results.values())), result)
    results.clear()
    start = time.perf_counter()
    for turn in range(repeats):
        for name, own in list(times.items())[:: -1 if turn % 2 else 1]:
            late = time.perf_counter() - start > budget
            few = len(own) < 3 and sum(own) < budget / 3
            if few or not late or not own:
                own.append(taking(row, name)[0])
        if time.perf_counter() - start > budget and turn >= 2:
            break
    return {
        "seconds": {name: median(own) for name, own in times.items()},
        "runs": {name: len(own) for name, own in times.items()},
        "first": first,
        "stopped": dict.fromkeys(slow, limit),
        "missing": missing,
        "bounds": row.bounds,
        "load": os.getloadavg()[0],
        **row.notes,
    }


def taking(row: Row, name: str, limit: float = 0) -> tuple[float, Any]:
    """Return the seconds of one of the row's calls and its result."""
    given = row.prepare()
    with threadpool_limits(1 if name in row.one_thread else 2, "blas"):
        found = timed(row.calls[name], given, limit)
    if name not in row.same and found[0] > SHORT:
        time.sleep(REST)
    return found


def timed(call: Call, values: Any, limit: float = 0) -> tuple[float, Any]:
    """Return the seconds of a call and its result; raise TooSlowError after `limit` seconds.

    A limit of 0 is none. The timer interrupts Python code; a compiled call is stopped at its end.
    """

    def stop(number: int, frame: Any) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        start = time.perf_counter()
        result = call(values)
        seconds = time.perf_counter() - start
        return getattr(result, "seconds", seconds), result
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def machine() -> dict[str, Any]:
    """Measure what this machine can do at most: bytes read, and products of matrices, a second."""
    long = np.ones(2**25, dtype=np.uint64)  # 256 MiB: beyond every cache
    A = np.random.default_rng(0).random((2000, 2000))
    with threadpool_limits(1, "blas"):
        reading = min(timed(lambda _: long.sum(), None)[0] for _ in range(9))
        double = min(timed(lambda _: A @ A, None)[0] for _ in range(5))
    return {"bytes": long.nbytes / reading, "float64": 2 * len(A) ** 3 / double}
