"""The rows of the table: what is measured, and how each is prepared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import first_try, peers
from .kernels import CASES
from .measure import Row, again
from .trainings import TRAININGS

SIZES = ("hundreds", "thousands", "paper")
FAST_1, FAST_2, REFERENCE = "fast, 1 thread", "fast, 2 threads", "reference"
OURS = (FAST_1, FAST_2, REFERENCE)
WRITTEN = {"add_similarity": "S", "least_similar": "sums"}  # the argument that a kernel writes to


def names() -> Iterator[str]:
    """Yield the names of all rows: table/name/size."""
    for table, cases in (("kernels", CASES), ("trainings", TRAININGS)):
        for name in cases:
            for size in SIZES:
                yield f"{table}/{name}/{size}"
    for estimator in first_try.ESTIMATORS:
        for data in first_try.SETS:
            yield f"first/{estimator}/{data}"
    for what in first_try.IMPORTS:
        yield f"import/{what}/-"


def row(full_name: str) -> Row:
    """Prepare a row."""
    table, name, size = full_name.split("/")
    prepare = {
        "kernels": kernel_row,
        "trainings": training_row,
        "first": first_row,
        "import": import_row,
    }
    return prepare[table](name, size)


def kernel_row(name: str, size: str) -> Row:
    """Prepare a kernel in both twins, beside peers and the machine's limit."""
    import refimpl.kernels
    import refimpl_fast

    case = CASES[name]
    n = case.sizes[SIZES.index(size)]
    values = case.draw(np.random.default_rng(0), n)
    reference, fast = getattr(refimpl.kernels, name), getattr(refimpl_fast, name)
    calls = {
        FAST_1: lambda given: fast(**given, threads=1),
        FAST_2: lambda given: fast(**given, threads=2),
    }
    for peer, call in peers.calls_for(name, values).items():
        calls[peer] = lambda given, call=call: call()
    calls[REFERENCE] = lambda given: reference(**given)
    written = WRITTEN.get(name)
    if written is not None:  # compare what was written
        for ours in OURS:
            calls[ours] = lambda given, call=calls[ours]: (call(given), given[written])
    bounds = {}
    if case.reads:
        bounds["bytes"] = case.reads(values)
    if case.flops:
        bounds["float64"] = case.flops(values)
    return Row(
        calls,
        again(values, written),
        same=OURS,
        one_thread=(FAST_1, REFERENCE),
        bounds=bounds,
        notes={"n": n, "what": case.what.format(n=f"{n:,}")},
    )


def training_row(name: str, size: str) -> Row:
    """Prepare a training in both twins, beside peers."""
    import refimpl.kernels
    import refimpl_fast

    training = TRAININGS[name]
    n = training.sizes[SIZES.index(size)]
    train, others = training.prepare(n)
    calls: dict[str, Any] = {
        FAST_1: lambda _: train(refimpl_fast, 1),
        FAST_2: lambda _: train(refimpl_fast, 2),
    }
    for peer, call in others.items():
        calls[peer] = lambda _, call=call: call()
    calls[REFERENCE] = lambda _: train(refimpl.kernels, 1)
    notes = {"n": n, "what": training.what.format(n=f"{n:,}"), "data": training.data}
    return Row(calls, same=OURS, one_thread=(FAST_1, REFERENCE), notes=notes)


def first_row(estimator: str, data: str) -> Row:
    """Prepare an estimator's fit at its defaults."""
    return Row(first_try.calls(estimator, data), notes={"what": data})


def import_row(what: str, _: str) -> Row:
    """Prepare an import, which a process of its own measures."""
    return Row(first_try.import_calls(what), notes={"what": what})
