"""Run studies: compute and store the cells that are missing, gather the rows of views, draw.

This process stores all results; the cells run wherever joblib's current backend runs them.
"""

import logging
import os
import platform
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from paper_figures import data, plots
from paper_figures.store import CannotStore, Record, Store, digest, plain, write_atomic
from paper_figures.study import Cell, Job, Observation, Paper, Seen, Study, View

LOG = logging.getLogger("paper_figures")
FORMAT = 2  # part of every key: raise it when the meaning of stored results changes


@dataclass(frozen=True)
class Options:
    """The options of a run."""

    scale: str = "small"
    kernels: str = "reference"
    seed: int = 0
    data_dir: str | None = None


class LookUp(NamedTuple):
    """The files of a data set, or why it is not here and whether only its user can supply it."""

    files: tuple[dict[str, str], ...]
    why: str | None = None
    by_hand: bool = False


@dataclass(frozen=True)
class Planned:
    """A cell, its data sets and their files, the key of its result, why it cannot run (or None)."""

    cell: Cell
    data: tuple[str, ...]
    files: tuple[dict[str, str], ...]
    key: str
    why: str | None
    by_hand: bool


class MissingData(Exception):
    """A figure has none of its data, though they could be had."""


class CellFailed(Exception):
    """One or more cells of a figure failed; the message is the first one's traceback."""


# --------------------------------------------------------------------------- the plan


def plan(
    options: Options, paper: Paper, study: Study, look_ups: dict[str, LookUp], view: View
) -> list[Planned]:
    """Give each cell of a view its key; data sets are found or downloaded here, not in workers."""
    planned = []
    for cell in study.cells[options.scale]:
        if view.uses(cell):
            names = study.data(cell)
            for name in names:
                if name not in look_ups:
                    look_ups[name] = _look_up(name, options.data_dir)
            planned.append(_planned(options, paper, study, cell, [look_ups[n] for n in names]))
    whys = {p.why for p in planned if p.why is not None}
    if planned and all(p.why is not None for p in planned) and not all(p.by_hand for p in planned):
        raise MissingData("none of its data is here: " + "; ".join(sorted(whys)))
    return planned


def _planned(
    options: Options, paper: Paper, study: Study, cell: Cell, look_ups: list[LookUp]
) -> Planned:
    files = tuple(file for look_up in look_ups for file in look_up.files)
    absent = [look_up for look_up in look_ups if look_up.why is not None]
    material = {
        "format": FORMAT,
        "study": f"{paper.name}.{study.name}",
        "version": study.version,
        "cell": plain(cell, f"a cell of {study.name}"),
        "seed": options.seed,
        "kernels": options.kernels,
        "data": [file["sha256"] for file in files],
        "missing": [look_up.why for look_up in absent],
    }
    return Planned(
        cell,
        study.data(cell),
        files,
        digest(material),
        absent[0].why if absent else None,
        all(look_up.by_hand for look_up in absent),
    )


def _look_up(name: str, data_dir: str | None) -> LookUp:
    """Find the files of a data set, or the reason why they are not here."""
    try:
        return LookUp(data.describe(name, data_dir))
    except data.DataNotAvailable as error:
        if not error.by_hand:
            LOG.warning("%s", error)
        return LookUp((), error.reason, error.by_hand)


# --------------------------------------------------------------------------- the cells


def execute(
    function: Callable[..., Iterable[Observation]], job: Job, cell: Cell
) -> tuple[dict[str, Any], str | None]:
    """Compute a cell in a worker; a failure is returned as a traceback, so that others go on."""
    alone = threading.current_thread() is threading.main_thread()
    start, cpu = time.perf_counter(), _cpu_seconds()
    try:
        seen = plain([dict(item) for item in function(job, **cell)], "an observation")
    except Exception:
        return {}, traceback.format_exc()
    part = {
        "seen": seen,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": _cpu_seconds() - cpu if alone else None,
        "machine": machine(),
    }
    return part, None


def _cpu_seconds() -> float:
    """Return the processor's time of all threads, and of the children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _numbered(place: int, parent: int, *call: Any) -> tuple[int, tuple[dict[str, Any], str | None]]:
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches all processes; the parent answers
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return place, execute(*call)


def compute(
    options: Options, store: Store, paper: str, study: Study, planned: list[Planned], jobs: int
) -> tuple[list[dict[str, Any] | None], int]:
    """Compute the cells that are not stored; return the parts of all, and how many are new."""
    # another process may work on the same cells: what it has stored meanwhile is not computed
    import joblib
    from tqdm import tqdm

    stored = [None if p.why else store.read_part(paper, study.name, p.key) for p in planned]
    todo = [i for i, p in enumerate(planned) if stored[i] is None and p.why is None]
    damaged = {i for i in todo if store.has_part(paper, study.name, planned[i].key)}
    failures: list[tuple[int, str]] = []

    def calls() -> Any:
        for i in todo:
            if i not in damaged:
                stored[i] = store.read_part(paper, study.name, planned[i].key)
            if stored[i] is None:
                job = Job(options.seed, options.kernels, options.data_dir, planned[i].data)
                yield joblib.delayed(_numbered)(i, os.getpid(), study.compute, job, planned[i].cell)

    # seconds; a log gets two lines a minute, and none if the cells are quick
    pause = 0.1 if sys.stderr.isatty() else 30.0
    bar = tqdm(
        total=len(planned),
        initial=len(planned) - len(todo),
        desc=f"{paper}.{study.name}",
        unit="cell",
        mininterval=pause,
        delay=pause,
        leave=False,
    )
    computed = 0
    with bar:
        pool = joblib.Parallel(
            n_jobs=jobs if len(todo) > 1 else 1, return_as="generator_unordered", batch_size=1
        )
        for i, (part, error) in pool(calls()) if todo else ():
            if error is None:
                p = planned[i]
                stored[i] = store.write_part(paper, study.name, p.key, p.cell, part)
                computed += 1
            else:
                failures.append((i, error))
            bar.update()
    if failures:
        i, error = min(failures)
        raise CellFailed(
            f"{len(failures)} of {len(planned)} cells failed; "
            f"the first: {study.name} {planned[i].cell}\n{error}"
        )
    return stored, computed


# --------------------------------------------------------------------------- a figure


@dataclass(frozen=True)
class Outcome:
    """What became of a figure: ``state`` is "computed", "reused", "incomplete" or "failed"."""

    state: str
    computed: int = 0
    stored: int = 0
    absent: int = 0
    error: str | None = None


def make_figure(
    options: Options,
    store: Store,
    paper: Paper,
    view: View,
    *,
    jobs: int,
    look_ups: dict[str, LookUp],
) -> Outcome:
    """Compute, store and draw a figure; an error (not CannotStore) is stored in its place."""
    try:
        return _make(options, store, paper, view, jobs, look_ups)
    except CannotStore:
        raise
    except Exception as error:
        text = str(error) if isinstance(error, CellFailed | MissingData) else traceback.format_exc()
        failure = {
            "error": text,
            "scale": options.scale,
            "kernels": options.kernels,
            "seed": options.seed,
        }
        store.write_failure(paper.name, view.name, failure)
        return Outcome("failed", error=text)


def _make(
    options: Options, store: Store, paper: Paper, view: View, jobs: int, look_ups: dict[str, LookUp]
) -> Outcome:
    study = paper.study_of(view.name)
    planned = plan(options, paper, study, look_ups, view)
    key = digest([view.name, options.scale, [p.key for p in planned]])
    record = store.read(paper.name, view.name)
    here = [p.why is not None or store.has_part(paper.name, study.name, p.key) for p in planned]
    reused = record is not None and record["key"] == key and not all(here)
    computed = 0
    if record is None or not reused:
        parts, computed = compute(options, store, paper.name, study, planned, jobs)
        made = _record(options, paper, study, view, planned, parts) | {"key": key}
        reused = made == record
        record = made
    store.write(record)
    draw(store, view, record)
    absent = [p for p in planned if p.why is not None]
    incomplete = any(not p.by_hand for p in absent)
    state = "incomplete" if incomplete else "reused" if reused else "computed"
    return Outcome(state, computed, len(planned) - computed - len(absent), len(absent))


def draw(store: Store, view: View, record: Record) -> None:
    """Draw a record and store the pictures; a table has none."""
    if view.draw is not None:
        for suffix, content in plots.draw(view.draw, record, view.size).items():
            write_atomic(store.path(record["paper"], record["figure"], suffix), content)


def seen_of(
    scale: str, planned: Sequence[Planned], parts: Sequence[Mapping[str, Any] | None]
) -> Seen:
    """Return the observations of the parts, each with the parameters of its cell."""
    items = []
    missing = []
    for p, part in zip(planned, parts, strict=True):
        cell = plain(p.cell)
        if part is None:
            missing.append(cell | {"why": p.why})
        else:
            items += [cell | item for item in part["seen"]]
    return Seen(items, missing, scale)


def _record(
    options: Options,
    paper: Paper,
    study: Study,
    view: View,
    planned: Sequence[Planned],
    parts: Sequence[dict[str, Any] | None],
) -> Record:
    """Gather the parts of the cells to a figure's record, without its key."""
    gathered = view.gather(seen_of(options.scale, planned, parts))
    files = {file["name"]: file for p in planned for file in p.files}
    done = [part for part in parts if part]
    cpu = [part["cpu_seconds"] for part in done]
    record = {
        "paper": paper.name,
        "figure": view.name,
        "title": view.title,
        "study": study.name,
        "version": study.version,
        "scale": options.scale,
        "kernels": options.kernels,
        "seed": options.seed,
        "cells": len(done),
        "seconds": round(sum(part["seconds"] for part in done), 3),
        "cpu_seconds": None if None in cpu else round(sum(cpu), 3),
        "machines": [text for text, _ in Counter(part["machine"] for part in done).most_common()],
        "versions": versions(),
        "data": [files[name] for name in sorted(files)],
        "rows": gathered.rows,
        "notes": gathered.notes,
    }
    if gathered.drawing is not None:
        record["drawing"] = gathered.drawing
    checked: Record = plain(record, f"{paper.name}.{view.name}")
    return checked


# --------------------------------------------------------------------------- the machine


def versions() -> dict[str, str]:
    """Return the versions of the software that a result was computed with."""
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


@cache
def machine() -> str:
    """Return what this process runs on: "AMD EPYC, 2 processors, openblas 0.3.30 Haswell"."""
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401  # it brings a BLAS of its own
    from joblib import cpu_count
    from threadpoolctl import ThreadpoolController

    count = cpu_count()
    libraries = ThreadpoolController().select(user_api="blas").info()
    return f"{_processor()}, {count} processor{'s' if count > 1 else ''}, {blas_text(libraries)}"


def _processor() -> str:
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return (
            next(line for line in lines if line.startswith("model name")).split(":", 1)[1].strip()
        )
    return platform.processor() or platform.machine()


def blas_text(libraries: Iterable[Mapping[str, Any]]) -> str:
    """Return the BLAS libraries that threadpoolctl lists: "openblas 0.3.30 Haswell"."""
    fields = ("internal_api", "version", "architecture")
    texts = {" ".join(str(at[name]) for name in fields if at.get(name)) for at in libraries}
    return ", ".join(sorted(texts)) or "BLAS unknown"
