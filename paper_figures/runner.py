"""Run figures: plan their tasks, compute what is not stored, store each result as it comes, gather, draw.

All storing happens in this process; the tasks run wherever joblib's current backend runs them.
"""

import logging
import os
import platform
import signal
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from paper_figures import data, plots
from paper_figures.codeversion import code_version
from paper_figures.registry import Job, Result, published_version
from paper_figures.store import CannotStore, Store, digest, plain, write_atomic

LOG = logging.getLogger("paper_figures")
FORMAT = 1  # part of every key: raise it when the meaning of stored results changes


@dataclass(frozen=True)
class Planned:
    """A task, the key of its result, its data files, and why it cannot run (or None)."""

    task: object
    key: str
    params: dict
    files: tuple
    why: str | None
    by_hand: bool


class MissingData(Exception):
    """A figure has none of its data, though they could be had."""


class TaskFailed(Exception):
    """One or more tasks of a figure failed; the message is the first one's traceback."""


def plan(context, tasks, found):
    """Give each task its key; data sets are found, or downloaded, here and not in the workers.

    Parameters
    ----------
    context : Context
    tasks : sequence of Task
    found : dict
        What this run knows of data sets already, by name; it is filled.

    Returns
    -------
    list of Planned
    """
    versions, planned = {}, []
    for task in tasks:
        for name in task.data:
            if name not in found:
                found[name] = _look_up(name, context.data_dir)
        code = (task.function, task.kernels, task.data)
        if code not in versions:
            versions[code] = code_version([task.function, *map(data.reader, task.data)], task.kernels)
        planned.append(_planned(context, task, [found[name] for name in task.data], versions[code]))
    if planned and all(p.why is not None for p in planned) and not all(p.by_hand for p in planned):
        raise MissingData("none of its data is here: " + "; ".join(sorted({p.why for p in planned})))
    return planned


def _planned(context, task, found, code):
    params = plain(dict(task.params), f"params of task {task.name}")
    files = tuple(file for files, _, _ in found for file in files)
    whys = [why for _, why, _ in found if why is not None]
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
    by_hand = all(hand for _, why, hand in found if why is not None)
    return Planned(task, digest(material), params, files, whys[0] if whys else None, by_hand)


def _look_up(name, data_dir):
    """(files, None, False), or ((), why, by_hand) if the data set is not to be had."""
    try:
        return data.describe(name, data_dir), None, False
    except data.DataNotAvailable as error:
        if not error.by_hand:
            LOG.warning("%s", error)
        return (), error.reason, error.by_hand


def execute(task_function, job, params):
    """Run one task in a worker; a failure comes back as a traceback instead of stopping the others.

    Returns
    -------
    tuple
        ``(seconds, result, None)`` or ``(seconds, None, traceback)``.
    """
    start = time.perf_counter()
    try:
        result = task_function(job, **params)
        if not isinstance(result, dict):
            raise TypeError(f"the task returned a {type(result).__name__}; expected a dict")
        return time.perf_counter() - start, plain(result), None
    except Exception:
        return time.perf_counter() - start, None, traceback.format_exc()


def _numbered(place, parent, *call):
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent answers
    return place, execute(*call)


def compute(context, store, paper, planned, *, jobs, label):
    """Compute the tasks that are not stored, and give the results of all.

    Parameters
    ----------
    context : Context
    store : Store
    paper : str
    planned : list of Planned
    jobs : int
        Workers, as in joblib; -1 for as many as there are.
    label : str
        For the progress bar.

    Returns
    -------
    results : list of Result
    seconds : float
        What the computation of all tasks took, in this run or an earlier one.
    computed : int
        How many tasks this run computed.
    """
    import joblib
    from tqdm import tqdm

    stored = [None if p.why else store.read_part(paper, p.task.name, p.key) for p in planned]
    todo = [i for i, p in enumerate(planned) if stored[i] is None and p.why is None]
    failures = []
    calls = (joblib.delayed(_numbered)(i, os.getpid(), *_call(context, planned[i])) for i in todo)
    pause = 0.1 if sys.stderr.isatty() else 30.0  # seconds: a log gets two lines a minute, none if all is quick
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
        for i, (seconds, result, error) in pool(calls) if todo else ():
            if error is None:
                p = planned[i]
                store.write_part(paper, p.task.name, p.key, p.params, seconds, result)
                stored[i] = {"seconds": seconds, "result": result}
            else:
                failures.append((i, error))
            bar.update()
    if failures:
        i, error = min(failures)
        raise TaskFailed(
            f"{len(failures)} of {len(planned)} tasks failed; "
            f"the first: {planned[i].task.name} {planned[i].params}\n{error}"
        )
    results = [_result(p, part) for p, part in zip(planned, stored, strict=True)]
    return results, sum(part["seconds"] for part in stored if part), len(todo)


def _call(context, p):
    stream = {"task": p.task.name, "params": p.params}
    job = Job(context.seed, stream, context.kernels, context.data_dir, tuple(p.task.data))
    return p.task.function, job, p.params


def _result(p, part):
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


def make_figure(context, store, paper, figure, *, jobs, found):
    """Compute, store and draw one figure; an error is stored beside the others' results.

    CannotStore is raised: where one file cannot be written the next one cannot either.

    Parameters
    ----------
    context : Context
    store : Store
    paper : Paper
    figure : Figure
    jobs : int
    found : dict
        What this run knows of data sets already; see :func:`plan`.

    Returns
    -------
    Outcome
    """
    try:
        return _make(context, store, paper, figure, jobs, found)
    except CannotStore:
        raise
    except Exception as error:
        text = str(error) if isinstance(error, TaskFailed | MissingData) else traceback.format_exc()
        failure = {"error": text, "scale": context.scale, "kernels": context.kernels, "seed": context.seed}
        store.write_failure(paper.name, figure.name, failure)
        return Outcome("failed", error=text)


def _make(context, store, paper, figure, jobs, found):
    planned = plan(context, figure.tasks(context), found)
    key = _figure_key(context, paper, figure, planned)
    record = store.read(paper.name, figure.name)
    reused = record is not None and record["key"] == key
    computed = 0
    if not reused:
        label = f"{paper.name}.{figure.name}"
        results, seconds, computed = compute(context, store, paper.name, planned, jobs=jobs, label=label)
        start = time.perf_counter()
        gathered = figure.reduce(context, results)
        seconds += time.perf_counter() - start
        record = _record(context, paper, figure, planned, gathered, seconds, key)
    store.write(record)
    if figure.plot is not None:
        for suffix, content in plots.draw(figure.plot, record, figure.size).items():
            write_atomic(store.path(paper.name, figure.name, suffix), content)
    absent = [p for p in planned if p.why is not None]
    incomplete = any(not p.by_hand for p in absent)
    state = "incomplete" if incomplete else "reused" if reused else "computed"
    return Outcome(state, computed, len(planned) - computed - len(absent), len(absent))


def _figure_key(context, paper, figure, planned):
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


def _record(context, paper, figure, planned, gathered, seconds, key):
    files = {file["name"]: file for p in planned for file in p.files}
    record = {
        "paper": paper.name,
        "figure": figure.name,
        "title": figure.title,
        "scale": context.scale,
        "kernels": context.kernels,
        "seed": context.seed,
        "seconds": round(seconds, 3),
        "versions": versions(context.kernels),
        "data": [files[name] for name in sorted(files)],
        "rows": gathered.rows,
        "notes": gathered.notes,
        "key": key,
    }
    if gathered.drawing is not None:
        record["drawing"] = gathered.drawing
    return plain(record, f"{paper.name}.{figure.name}")


def versions(kernels):
    """Give the versions of what a result was computed with.

    Parameters
    ----------
    kernels : {"reference", "fast"}

    Returns
    -------
    dict of str to str
    """
    import refimpl

    found = {"python": platform.python_version(), "machine": f"{sys.platform} {platform.machine()}"}
    for name in ("numpy", "scipy", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found | {"refimpl": refimpl.__version__}


def open_store(out):
    """Give the store of an output folder, after removing what killed runs left half written."""
    store = Store(out)
    store.sweep()
    return store
