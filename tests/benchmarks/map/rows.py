"""The rows of the table: what is measured, and how each is prepared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import first_try, peers
from .drawing import Case
from .kernels import CASES
from .measure import Row
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
    case = CASES[name]
    values = case.draw(np.random.default_rng(0), case.sizes[SIZES.index(size)])
    written = WRITTEN.get(name)

    def prepare() -> dict[str, Any]:
        return values | ({written: values[written].copy()} if written else {})

    def call(kernels: Any, given: dict[str, Any], threads: int) -> Any:
        return getattr(kernels, name)(**given, threads=threads), given.get(written)

    row = twins_row(case, size, call, peers.calls_for(name, values), prepare)
    for limit, count in (("bytes", case.reads), ("float64", case.flops)):
        if count:
            row.bounds[limit] = count(values)
    return row


def training_row(name: str, size: str) -> Row:
    """Prepare a training in both twins, beside peers."""
    case = TRAININGS[name]
    train, others = case.draw(case.sizes[SIZES.index(size)])

    def call(kernels: Any, _: None, threads: int) -> Any:
        return train(kernels=kernels, threads=threads)

    row = twins_row(case, size, call, others, lambda: None)
    row.notes["data"] = case.data
    return row


def twins_row(case: Case, size: str, call: Any, others: peers.Calls, prepare: Any) -> Row:
    """Prepare both twins with the peers between them."""
    import refimpl.kernels
    import refimpl_fast

    calls = {
        FAST_1: lambda given: call(refimpl_fast, given, 1),
        FAST_2: lambda given: call(refimpl_fast, given, 2),
        **{name: lambda _, other=other: other() for name, other in others.items()},
        REFERENCE: lambda given: call(refimpl.kernels, given, 1),
    }
    n = case.sizes[SIZES.index(size)]
    notes = {"n": n, "what": case.what.format(n=f"{n:,}")}
    return Row(calls, prepare, same=OURS, one_thread=(FAST_1, REFERENCE), notes=notes)


def first_row(estimator: str, data: str) -> Row:
    """Prepare an estimator's fit at its defaults."""
    return Row(first_try.calls(estimator, data), notes={"what": data})


def import_row(what: str, _: str) -> Row:
    """Prepare an import, which a process of its own measures."""
    return Row(first_try.import_calls(what), notes={"what": what})
