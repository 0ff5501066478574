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
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from paper_figures import data, plots
from paper_figures.store import CannotStore, Record, Store, digest, plain, write_atomic
from paper_figures.study import Cell, Job, Observation, Paper, Seen, Study, View

LOG = logging.getLogger("paper_figures")
SHOWN, NOT_MADE = "shown", "not yet made"  # what became of a stored figure
FORMAT = 2  # part of every key: raise it when the meaning of stored results changes


class LookUp(NamedTuple):
    """The files of a data set, or why it is not here and whether only its user can supply it."""

    files: tuple[dict[str, str], ...]
    why: str | None = None
    by_hand: bool = False


@dataclass(frozen=True)
class Run:
    """A run: its folder, its options, and the data sets that it has looked up so far."""

    store: Store
    scale: str = "small"
    kernels: str = "reference"
    seed: int = 0
    data_dir: str | None = None
    jobs: int = 1  # as in joblib; -1 for one on each processor
    look_ups: dict[str, LookUp] = field(default_factory=dict)

    def look_up(self, name: str) -> LookUp:
        """Find or download the files of a data set, or say why they are not here."""
        if name not in self.look_ups:
            try:
                self.look_ups[name] = LookUp(data.describe(name, self.data_dir))
            except data.DataNotAvailable as error:
                if not error.by_hand:
                    LOG.warning("%s", error)
                self.look_ups[name] = LookUp((), error.reason, error.by_hand)
        return self.look_ups[name]


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


def plan(run: Run, paper: Paper, study: Study, view: View) -> list[Planned]:
    """Give each cell of a view its key; data sets are found or downloaded here, not in workers."""
    cells = (cell for cell in study.cells[run.scale] if view.uses(cell))
    planned = [_planned(run, paper, study, cell) for cell in cells]
    whys = {p.why for p in planned if p.why is not None}
    if planned and all(p.why is not None for p in planned) and not all(p.by_hand for p in planned):
        raise MissingData("none of its data is here: " + "; ".join(sorted(whys)))
    return planned


def _planned(run: Run, paper: Paper, study: Study, cell: Cell) -> Planned:
    names = study.data(cell)
    look_ups = [run.look_up(name) for name in names]
    files = tuple(file for look_up in look_ups for file in look_up.files)
    absent = [look_up for look_up in look_ups if look_up.why is not None]
    material = {
        "format": FORMAT,
        "study": f"{paper.name}.{study.name}",
        "version": study.version,
        "cell": plain(cell, f"a cell of {study.name}"),
        "seed": run.seed,
        "kernels": run.kernels,
        "data": [file["sha256"] for file in files],
        "missing": [look_up.why for look_up in absent],
    }
    why = absent[0].why if absent else None
    by_hand = all(look_up.by_hand for look_up in absent)
    return Planned(cell, names, files, digest(material), why, by_hand)


# --------------------------------------------------------------------------- the cells


def execute(
    place: int, parent: int, function: Callable[..., Iterable[Observation]], job: Job, cell: Cell
) -> tuple[int, dict[str, Any]]:
    """Compute a cell in a worker: its place, and what it gave and cost, or its traceback."""
    alone = threading.current_thread() is threading.main_thread()
    if alone and os.getpid() != parent:  # Ctrl-C reaches all processes; the parent answers
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    start, cpu = time.perf_counter(), _cpu_seconds()
    try:
        seen = plain([dict(item) for item in function(job, **cell)], "an observation")
    except Exception:  # so that others go on
        return place, {"error": traceback.format_exc()}
    return place, {
        "seen": seen,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": _cpu_seconds() - cpu if alone else None,
        "machine": machine(),
    }


def _cpu_seconds() -> float:
    """Return the processor's time of all threads, and of the children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def compute(
    run: Run, paper: str, study: Study, planned: list[Planned]
) -> tuple[list[dict[str, Any] | None], int]:
    """Compute the cells that are not stored; return the parts of all, and how many are new."""
    import joblib
    from tqdm import tqdm

    def stored(p: Planned) -> dict[str, Any] | None:
        return None if p.why else run.store.read_part(paper, study.name, p.key)

    parts = [stored(p) for p in planned]
    todo = [i for i, p in enumerate(planned) if parts[i] is None and p.why is None]
    failures: list[tuple[int, str]] = []

    def calls() -> Any:
        for i in todo:
            p = planned[i]
            parts[i] = stored(p)  # by another process, meanwhile
            if parts[i] is None:
                job = Job(run.seed, run.kernels, run.data_dir, p.data)
                yield joblib.delayed(execute)(i, os.getpid(), study.compute, job, p.cell)

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
            n_jobs=min(run.jobs, len(todo)) if len(todo) > 1 else 1,  # joblib starts them all
            return_as="generator_unordered",
            batch_size=1,
        )
        for i, part in pool(calls()) if todo else ():
            if "error" in part:
                failures.append((i, part["error"]))
            else:
                p = planned[i]
                parts[i] = run.store.write_part(paper, study.name, p.key, p.cell, part)
                computed += 1
            bar.update()
    if failures:
        i, error = min(failures)
        raise CellFailed(
            f"{len(failures)} of {len(planned)} cells failed; "
            f"the first: {study.name} {planned[i].cell}\n{error}"
        )
    return parts, computed


# --------------------------------------------------------------------------- a figure


@dataclass(frozen=True)
class Outcome:
    """What became of a figure: ``state`` is "computed", "reused", "incomplete" or "failed"."""

    state: str
    computed: int = 0
    stored: int = 0
    absent: int = 0
    error: str | None = None


def make_figure(run: Run, paper: Paper, view: View) -> Outcome:
    """Compute, store and draw a figure; an error (not CannotStore) is stored in its place."""
    try:
        return _make(run, paper, view)
    except CannotStore:
        raise
    except Exception as error:
        text = str(error) if isinstance(error, CellFailed | MissingData) else traceback.format_exc()
        options = {"scale": run.scale, "kernels": run.kernels, "seed": run.seed}
        run.store.write_failure(paper.name, view.name, {"error": text, **options})
        return Outcome("failed", error=text)


def _make(run: Run, paper: Paper, view: View) -> Outcome:
    study = paper.study_of(view.name)
    planned = plan(run, paper, study, view)
    key = digest([view.name, run.scale, [p.key for p in planned]])
    record = run.store.read(paper.name, view.name)
    absent = [p for p in planned if p.why is not None]
    computed = 0
    # a record is regathered if all of its parts are here
    here = all(
        run.store.has_part(paper.name, study.name, p.key) for p in planned if p not in absent
    )
    reused = record is not None and record["key"] == key and not here
    if record is None or not reused:
        parts, computed = compute(run, paper.name, study, planned)
        made = _record(run, paper, study, view, planned, parts) | {"key": key}
        reused = made == record
        record = made
    run.store.write(record)
    draw(run.store, view, record)
    incomplete = any(not p.by_hand for p in absent)
    state = "incomplete" if incomplete else "reused" if reused else "computed"
    return Outcome(state, computed, len(planned) - computed - len(absent), len(absent))


def draw(store: Store, view: View, record: Record, png: bool = True) -> None:
    """Draw a record and store the pictures; a table has none."""
    if view.draw is not None:
        for suffix, content in plots.draw(view.draw, record, view.size, png).items():
            write_atomic(store.path(record["paper"], record["figure"], suffix), content)


def redraw(store: Store, paper: Paper, figure: View) -> str:
    """Draw a stored record again; return what became of it, such as SHOWN."""
    if store.read_failure(paper.name, figure.name) is not None:
        return "failed when it was made"
    record = store.read(paper.name, figure.name)
    if record is None:
        stored = store.path(paper.name, figure.name, ".json").is_file()
        return "its record is damaged" if stored else NOT_MADE
    try:
        draw(store, figure, record)
    except CannotStore:
        raise
    except Exception:
        LOG.warning("%s.%s\n%s", paper.name, figure.name, traceback.format_exc())
        return "cannot be drawn"
    return SHOWN


def _record(
    run: Run,
    paper: Paper,
    study: Study,
    view: View,
    planned: Sequence[Planned],
    parts: Sequence[dict[str, Any] | None],
) -> Record:
    """Gather the parts of the cells to a figure's record, without its key."""
    items, missing = [], []
    for p, part in zip(planned, parts, strict=True):
        cell = plain(p.cell)
        if part is None:
            missing.append(cell | {"why": p.why})
        else:
            items += [cell | item for item in part["seen"]]
    gathered = view.gather(Seen(items, missing, run.scale))
    files = {file["name"]: file for p in planned for file in p.files}
    done = [part for part in parts if part]
    cpu = [part["cpu_seconds"] for part in done]
    record = {
        "paper": paper.name,
        "figure": view.name,
        "title": view.title,
        "study": study.name,
        "version": study.version,
        "scale": run.scale,
        "kernels": run.kernels,
        "seed": run.seed,
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
    return f"{processor()}, {count} processor{'s' if count > 1 else ''}, {blas_text(libraries)}"


def processor() -> str:
    """Return the processor's name."""
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
