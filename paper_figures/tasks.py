"""Rooms whose figures still name tasks, as a study each: one cell for each task.

A room moves to studies of its own (`paper_figures.study`), and this module goes with the last one.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from paper_figures.store import Row, digest, plain
from paper_figures.study import (
    SCALES,
    Cell,
    Draw,
    Gathered,
    Grid,
    Job,
    Observation,
    Paper,
    Seen,
    Study,
    View,
    published,
)

__all__ = [
    "Context",
    "Figure",
    "Gathered",
    "Grid",
    "Job",
    "Result",
    "Task",
    "TaskJob",
    "absent_row",
    "absent_rows",
    "number_row",
    "paper",
]


@dataclass(frozen=True)
class Context:
    """The options of a run, which every function of a figure gets."""

    scale: str = "small"

    def published(self, file: str) -> list[dict[str, Any]]:
        """Read a table of ``paper_figures/published``."""
        return published(file)


@dataclass(frozen=True)
class Task:
    """A cell of its own function."""

    name: str
    function: Callable[..., dict[str, Any]]
    params: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    kernels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class TaskJob(Job):
    """What a task's function gets: a job with a stream of random numbers of the task's own."""

    stream: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rng(self) -> Any:
        """A new generator of this task's stream."""
        return self.rng_for(self.stream)


@dataclass(frozen=True)
class Result:
    """What became of a task: its function's value, or why there is none."""

    name: str
    params: Mapping[str, Any]
    value: Any
    why: str | None = None


@dataclass(frozen=True)
class Figure:
    """A figure or table that names tasks and gathers their results."""

    name: str
    title: str
    tasks: Callable[[Context], list[Task]]
    reduce: Callable[[Context, list[Result]], Gathered]
    plot: Draw | None = None
    alt: str = ""
    size: tuple[float, float] = (7.0, 4.2)


def absent_row(keys: Row, why: str, published: float | None = None) -> Row:
    """Return the row of a number that could not be computed, with the reason."""
    return number_row(keys, published, None, status="not available", why=why)


def number_row(keys: Row, published: float | None, ours: float | None, **more: Any) -> Row:
    """Return the row of a number that has no standard deviation."""
    return keys | {"published": published, "ours": ours, "std": None} | more


def absent_rows(results: Sequence[Result], keys: Row) -> list[Row]:
    """Return one row with the first reason for a missing result, or no row if none is missing."""
    why = next((r.why for r in results if r.value is None and r.why), None)
    return [] if why is None else [absent_row(keys, why)]


def paper(
    name: str,
    title: str,
    source: str,
    figures: Sequence[Figure],
    layouts: Mapping[str, tuple[Grid, ...]],
) -> Paper:
    """Return a room's figures as the views of one study."""
    made = {f.name: {s: [_cell(t) for t in f.tasks(Context(s))] for s in SCALES} for f in figures}
    cells = {s: list({digest(c): c for f in made.values() for c in f[s]}.values()) for s in SCALES}
    views = []
    for figure in figures:
        used = frozenset(digest(cell) for s in SCALES for cell in made[figure.name][s])
        views.append(
            View(
                figure.name,
                figure.title,
                partial(_gather, figure, made[figure.name]),
                figure.plot,
                figure.alt,
                figure.size,
                layouts[figure.name],
                partial(_used, used),
            )
        )
    study = Study("tasks", _compute, cells, tuple(views), data=_data)
    return Paper(name, title, source, (study,))


def _cell(task: Task) -> Cell:
    function = f"{task.function.__module__}:{task.function.__qualname__}"
    params = plain(dict(task.params))
    return {"task": task.name, "function": function, "params": params, "sets": list(task.data)}


def _used(used: frozenset[str], cell: Cell) -> bool:
    return digest(cell) in used


def _data(cell: Cell) -> tuple[str, ...]:
    return tuple(cell["sets"])


def _compute(
    job: Job, *, task: str, function: str, params: dict[str, Any], sets: list[str]
) -> Iterator[Observation]:
    module, _, name = function.partition(":")
    own = TaskJob(
        job.seed, job.kernels_name, job.data_dir, job.data, {"task": task, "params": params}
    )
    yield {"value": getattr(importlib.import_module(module), name)(own, **params)}


def _gather(figure: Figure, cells: Mapping[str, list[Cell]], seen: Seen) -> Gathered:
    values = {digest([i["task"], i["function"], i["params"]]): i["value"] for i in seen.items}
    whys = {digest([i["task"], i["function"], i["params"]]): i["why"] for i in seen.missing}
    results = []
    for cell in cells[seen.scale]:
        key = digest([cell["task"], cell["function"], cell["params"]])
        results.append(Result(cell["task"], cell["params"], values.get(key), whys.get(key)))
    gathered = figure.reduce(Context(seen.scale), results)
    rows = [with_error(row) for row in gathered.rows]
    return Gathered(rows, gathered.notes, gathered.drawing)


def with_error(row: Row) -> Row:
    """Return a row with its standard error in place of the deviation of one run."""
    row = dict(row)
    row.pop("status", None)
    std, n = row.pop("std", None), row.pop("repetitions", None)
    if row["ours"] is None:
        return row | {"error": None, "n": 0}
    if "error" in row:
        return row | {"n": n or 1}
    return row | {"error": None if std is None else std / n**0.5, "n": n or 1}
