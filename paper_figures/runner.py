"""Run figures: plan their tasks, compute and store what is missing, gather the rows, draw.

This process stores all results; the tasks run wherever joblib's current backend runs them.
"""

import logging
import os
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from typing import Any, NamedTuple

from paper_figures import cost, data, plots
from paper_figures.codeversion import code_version
from paper_figures.registry import Context, Figure, Job, Paper, Result, Task, published_version
from paper_figures.store import CannotStore, Record, Store, digest, plain, write_atomic

LOG = logging.getLogger("paper_figures")
FORMAT = 1  # part of every key: raise it when the meaning of stored results changes


class LookUp(NamedTuple):
    """The files of a data set, or why it is not here and whether only its user can supply it."""

    files: tuple[dict[str, str], ...]
    why: str | None = None
    by_hand: bool = False


@dataclass(frozen=True)
class Planned:
    """A task, the key of its result, its data files, and why it cannot run (or None)."""

    task: Task
    key: str
    params: dict[str, Any]
    files: tuple[dict[str, str], ...]
    why: str | None
    by_hand: bool


class MissingData(Exception):
    """A figure has none of its data, though they could be had."""


class TaskFailed(Exception):
    """One or more tasks of a figure failed; the message is the first one's traceback."""


def plan(context: Context, tasks: Sequence[Task], data_sets: dict[str, LookUp]) -> list[Planned]:
    """Give each task its key; data sets are found, or downloaded, here and not in the workers.

    Parameters
    ----------
    context : Context
    tasks : sequence of Task
    data_sets : dict of str to LookUp
        The data sets that this run has looked up so far; new ones are added.

    Returns
    -------
    list of Planned
    """
    code_versions: dict[Any, str] = {}
    planned = []
    for task in tasks:
        for name in task.data:
            if name not in data_sets:
                data_sets[name] = _look_up(name, context.data_dir)
        code = (task.function, task.kernels, task.data)
        if code not in code_versions:
            functions = [task.function, *map(data.reader, task.data)]
            code_versions[code] = code_version(functions, task.kernels)
        look_ups = [data_sets[name] for name in task.data]
        planned.append(_planned(context, task, look_ups, code_versions[code]))
    whys = {p.why for p in planned if p.why is not None}
    if planned and all(p.why is not None for p in planned) and not all(p.by_hand for p in planned):
        raise MissingData("none of its data is here: " + "; ".join(sorted(whys)))
    return planned


def _planned(context: Context, task: Task, look_ups: list[LookUp], code: str) -> Planned:
    params = plain(dict(task.params), f"params of task {task.name}")
    files = tuple(file for look_up in look_ups for file in look_up.files)
    whys = [look_up.why for look_up in look_ups if look_up.why is not None]
    material = {
        "format": FORMAT,
        "task": task.name,
        "function": f"{task.function.__module__}.{task.function.__qualname__}",
        "params": params,
        "seed": context.seed,
        "kernels": context.kernels,
        "data": files,
        "missing": whys,
        "code": code,
    }
    by_hand = all(look_up.by_hand for look_up in look_ups if look_up.why is not None)
    return Planned(task, digest(material), params, files, whys[0] if whys else None, by_hand)


def _look_up(name: str, data_dir: str | None) -> LookUp:
    """Find the files of a data set, or the reason why they are not here."""
    try:
        return LookUp(data.describe(name, data_dir))
    except data.DataNotAvailable as error:
        if not error.by_hand:
            LOG.warning("%s", error)
        return LookUp((), error.reason, error.by_hand)


def execute(
    task_function: Callable[..., dict[str, Any]], job: Job, params: Mapping[str, Any]
) -> tuple[dict[str, Any], Any, str | None]:
    """Run a task in a worker; a failure is returned as a traceback, so that other tasks go on.

    Returns
    -------
    tuple
        ``(cost, result, None)`` or ``({}, None, traceback)``; the cost is that of
        :meth:`cost.Meter.read`, with the ``machine``.
    """
    meter = cost.Meter()
    try:
        result = task_function(job, **params)
        if not isinstance(result, dict):
            raise TypeError(f"a task must return a dict; got a {type(result).__name__}")
        result = plain(result)
        return meter.read() | {"machine": cost.machine()}, result, None
    except Exception:
        return {}, None, traceback.format_exc()


def _numbered(
    place: int, parent: int, *call: Any
) -> tuple[int, tuple[dict[str, Any], Any, str | None]]:
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches all processes; the parent answers
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return place, execute(*call)


def compute(
    context: Context, store: Store, paper: str, planned: list[Planned], *, jobs: int, label: str
) -> tuple[list[dict[str, Any] | None], int]:
    """Compute the tasks that are not stored, and return the parts of all tasks.

    Parameters
    ----------
    context : Context
    store : Store
    paper : str
    planned : list of Planned
    jobs : int
        Workers, as in joblib; -1 for one on each processor.
    label : str
        For the progress bar.

    Returns
    -------
    parts : list of dict or None
        The result of each task and what it cost, in this run or an earlier run; None without data.
    computed : int
        How many tasks this run computed.
    """
    import joblib
    from tqdm import tqdm

    stored = [None if p.why else store.read_part(paper, p.task.name, p.key) for p in planned]
    todo = [i for i, p in enumerate(planned) if stored[i] is None and p.why is None]
    failures: list[tuple[int, str]] = []
    calls = (joblib.delayed(_numbered)(i, os.getpid(), *_call(context, planned[i])) for i in todo)
    # seconds; a log gets two lines a minute, and none if the tasks are quick
    pause = 0.1 if sys.stderr.isatty() else 30.0
    bar = tqdm(
        total=len(planned),
        initial=len(planned) - len(todo),
        desc=label,
        unit="task",
        mininterval=pause,
        delay=pause,
        leave=False,
    )
    with bar:
        pool = joblib.Parallel(
            n_jobs=jobs if len(todo) > 1 else 1, return_as="generator_unordered", batch_size=1
        )
        for i, (costs, result, error) in pool(calls) if todo else ():
            if error is None:
                p = planned[i]
                stored[i] = store.write_part(paper, p.task.name, p.key, p.params, result, costs)
            else:
                failures.append((i, error))
            bar.update()
    if failures:
        i, error = min(failures)
        raise TaskFailed(
            f"{len(failures)} of {len(planned)} tasks failed; "
            f"the first: {planned[i].task.name} {planned[i].params}\n{error}"
        )
    return stored, len(todo)


def _call(context: Context, p: Planned) -> tuple[Callable[..., Any], Job, dict[str, Any]]:
    stream = {"task": p.task.name, "params": p.params}
    job = Job(context.seed, stream, context.kernels, context.data_dir, tuple(p.task.data))
    return p.task.function, job, p.params


def _result(p: Planned, part: dict[str, Any] | None) -> Result:
    if part is None:
        return Result(p.task.name, p.params, None, p.why)
    return Result(p.task.name, p.params, part["result"])


@dataclass(frozen=True)
class Outcome:
    """What became of a figure: ``state`` is "computed", "reused", "incomplete" or "failed"."""

    state: str
    computed: int = 0
    stored: int = 0
    absent: int = 0
    error: str | None = None


def make_figure(
    context: Context,
    store: Store,
    paper: Paper,
    figure: Figure,
    *,
    jobs: int,
    data_sets: dict[str, LookUp],
) -> Outcome:
    """Compute, store and draw a figure; an error is stored in place of its result.

    Parameters
    ----------
    context : Context
    store : Store
    paper : Paper
    figure : Figure
    jobs : int
    data_sets : dict of str to LookUp
        The data sets that this run has looked up so far; see :func:`plan`.

    Returns
    -------
    Outcome

    Raises
    ------
    CannotStore
        If a file cannot be written; then the next file cannot be written either.
    """
    try:
        return _make(context, store, paper, figure, jobs, data_sets)
    except CannotStore:
        raise
    except Exception as error:
        text = str(error) if isinstance(error, TaskFailed | MissingData) else traceback.format_exc()
        failure = {
            "error": text,
            "scale": context.scale,
            "kernels": context.kernels,
            "seed": context.seed,
        }
        store.write_failure(paper.name, figure.name, failure)
        return Outcome("failed", error=text)


def _make(
    context: Context,
    store: Store,
    paper: Paper,
    figure: Figure,
    jobs: int,
    data_sets: dict[str, LookUp],
) -> Outcome:
    planned = plan(context, figure.tasks(context), data_sets)
    key = _figure_key(context, paper, figure, planned)
    record = store.read(paper.name, figure.name)
    reused = record is not None and record["key"] == key
    computed = 0
    if record is None or not reused:
        label = f"{paper.name}.{figure.name}"
        parts, computed = compute(context, store, paper.name, planned, jobs=jobs, label=label)
        record = _record(context, paper, figure, planned, parts) | {"key": key}
    store.write(record)
    draw(store, figure, record)
    absent = [p for p in planned if p.why is not None]
    incomplete = any(not p.by_hand for p in absent)
    state = "incomplete" if incomplete else "reused" if reused else "computed"
    return Outcome(state, computed, len(planned) - computed - len(absent), len(absent))


def draw(store: Store, figure: Figure, record: Record) -> None:
    """Draw a record and store the pictures; a table has none."""
    if figure.plot is not None:
        for suffix, content in plots.draw(figure.plot, record, figure.size).items():
            write_atomic(store.path(record["paper"], record["figure"], suffix), content)


def _figure_key(context: Context, paper: Paper, figure: Figure, planned: list[Planned]) -> str:
    material = {
        "format": FORMAT,
        "paper": paper.name,
        "figure": figure.name,
        "title": figure.title,
        "scale": context.scale,
        "kernels": context.kernels,
        "seed": context.seed,
        "tasks": [p.key for p in planned],
        "code": code_version([figure.tasks, figure.reduce], kernels=()),
        "published": published_version(paper.name),
    }
    return digest(material)


def _record(
    context: Context,
    paper: Paper,
    figure: Figure,
    planned: Sequence[Planned],
    parts: Sequence[dict[str, Any] | None],
) -> Record:
    """Gather the results of the tasks to a figure's record, without its key."""
    start = time.perf_counter()
    pairs = list(zip(planned, parts, strict=True))
    gathered = figure.reduce(context, [_result(p, part) for p, part in pairs])
    seconds = sum(part["seconds"] for part in parts if part) + time.perf_counter() - start
    files = {file["name"]: file for p in planned for file in p.files}
    done = [cost.Done(p.task, p.key, part) for p, part in pairs if part]
    record = {
        "paper": paper.name,
        "figure": figure.name,
        "title": figure.title,
        "scale": context.scale,
        "kernels": context.kernels,
        "seed": context.seed,
        "seconds": round(seconds, 3),
        "versions": versions(context.kernels),
        **cost.of_record(done, cost.sharing(context, paper.figures)),
        "data": [files[name] for name in sorted(files)],
        "rows": gathered.rows,
        "notes": gathered.notes,
    }
    if gathered.drawing is not None:
        record["drawing"] = gathered.drawing
    checked: Record = plain(record, f"{paper.name}.{figure.name}")
    return checked


def versions(kernels: str) -> dict[str, str]:
    """Return the versions of the software that a result was computed with.

    Parameters
    ----------
    kernels : {"reference", "fast"}

    Returns
    -------
    dict of str to str
    """
    import refimpl

    numbers = {
        "python": platform.python_version(),
        "machine": f"{sys.platform} {platform.machine()}",
    }
    for name in ("numpy", "scipy", "scikit-learn"):
        try:
            numbers[name] = version(name)
        except PackageNotFoundError:
            numbers[name] = "not installed"
    return numbers | {"refimpl": refimpl.__version__}


def open_store(out: str | PathLike[str]) -> Store:
    """Open the store of an output folder and remove the half-written files of killed runs."""
    store = Store(out)
    store.sweep()
    return store
