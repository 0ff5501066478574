"""What a task costs, on which machine it ran, and what a record keeps of both.

A part holds the time, the processors' time and the memory of its task, and the machine. A record
holds sums over groups of tasks: tasks of one name that the same figures of the paper share. So a
table over several figures counts each group once.

Not handled here: the memory of tasks that share a process with other work, and processors' time
that a child of a task spends after the task has ended.
"""

import os
import platform
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from paper_figures.registry import Context, Figure, Task
from paper_figures.store import Record, digest, plain

Part: TypeAlias = dict[str, Any]
"""The file of a finished task; one of an earlier version has neither ``cpu_seconds`` nor others."""

NOT_RECORDED = "not recorded"
PROC = Path("/proc")
KEY_DIGITS = 16

# --------------------------------------------------------------------------- a task


class Meter:
    """Measure a piece of work from here to :meth:`read`.

    Processors' time and memory are those of the process and of its children that have ended. They
    are None in a thread beside others, where a process's numbers say nothing of one task.
    """

    def __init__(self) -> None:
        self.alone = threading.current_thread() is threading.main_thread()
        self.reset = self.alone and reset_peak()
        self.children = _peak_of_children()
        self.cpu = _cpu_seconds()
        self.start = time.perf_counter()

    def read(self) -> dict[str, float | int | None]:
        """Return ``seconds``, ``cpu_seconds`` and ``max_memory`` (bytes), None if not known."""
        return {
            "seconds": time.perf_counter() - self.start,
            "cpu_seconds": _cpu_seconds() - self.cpu if self.alone else None,
            "max_memory": self._peak() if self.reset else None,
        }

    def _peak(self) -> int | None:
        """Return the most memory that the process, or a child that ended since, has held."""
        own = peak()
        children = _peak_of_children()
        return max(own, children) if own is not None and children > self.children else own


def _cpu_seconds() -> float:
    """Return the processors' time of all threads, and of the children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def reset_peak() -> bool:
    """Forget the largest memory that this process has held.

    Returns
    -------
    bool
        Whether the system can; only Linux does.
    """
    with suppress(OSError):
        (PROC / "self/clear_refs").write_text("5")
        return True
    return False


def peak() -> int | None:
    """Return the largest memory that this process has held since :func:`reset_peak`.

    Returns
    -------
    int or None
        Bytes.
    """
    with suppress(OSError, ValueError, IndexError):
        status = (PROC / "self/status").read_text()
        return 1024 * int(status.split("VmHWM:")[1].split()[0])
    return None


def _peak_of_children() -> int:
    """Return the largest memory of any child that has ended; 0 where that is not known."""
    with suppress(ImportError):
        import resource

        return 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return 0


# --------------------------------------------------------------------------- a machine


@cache
def machine() -> dict[str, Any]:
    """Return what this process runs on.

    Returns
    -------
    dict
        ``processor``, its model; ``processors``, how many there are; ``threads``, how many a task
        of this process may use; ``blas``, the libraries of NumPy and SciPy: name, version, and the
        kernel that each has chosen.
    """
    from joblib import cpu_count

    from refimpl.resources import processors

    return {
        "processor": _processor(),
        "processors": cpu_count(),
        "threads": processors(),
        "blas": _blas(),
    }


def _processor() -> str:
    with suppress(OSError, IndexError):
        lines = (PROC / "cpuinfo").read_text().splitlines()
        return (
            next(line for line in lines if line.startswith("model name")).split(":", 1)[1].strip()
        )
    return platform.processor() or platform.machine() or NOT_RECORDED


def _blas() -> str:
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401  # it brings a BLAS of its own
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().select(user_api="blas").info()
    return blas_text(found)


def blas_text(libraries: Iterable[Mapping[str, Any]]) -> str:
    """Return the BLAS libraries that threadpoolctl lists as a text.

    Parameters
    ----------
    libraries : iterable of dict
        As ``ThreadpoolController().info()`` lists them.

    Returns
    -------
    str
        ``"openblas 0.3.30 Haswell"``, each library once; not recorded without any.
    """
    fields = ("internal_api", "version", "architecture")
    texts = {" ".join(str(at[name]) for name in fields if at.get(name)) for at in libraries}
    return ", ".join(sorted(texts)) or NOT_RECORDED


# --------------------------------------------------------------------------- a record


def _id(task: Task) -> str:
    """Return what is the same for the tasks of two figures that share their result."""
    params = plain(dict(task.params), f"params of task {task.name}")
    return digest([task.name, task.function.__module__, task.function.__qualname__, params])


def sharing(context: Context, figures: Sequence[Figure]) -> dict[str, list[str]]:
    """Return the figures that name each task; the keys stand for tasks.

    Parameters
    ----------
    context : Context
    figures : sequence of Figure
        All figures of the paper.

    Returns
    -------
    dict of str to list of str
    """
    users: dict[str, list[str]] = defaultdict(list)
    for figure in figures:
        with suppress(Exception):  # its own run reports it
            for task in dict.fromkeys(map(_id, figure.tasks(context))):
                users[task].append(figure.name)
    return users


@dataclass(frozen=True)
class Done:
    """A task that has a result, the key of its part, and the part."""

    task: Task
    key: str
    part: Part


def of_record(done: Sequence[Done], users: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the record's fields ``cost`` and ``machines``.

    Parameters
    ----------
    done : sequence of Done
    users : mapping of str to sequence of str
        The figures that share each task; see :func:`sharing`.

    Returns
    -------
    dict
        ``{"cost": {"tasks": [{"key", "name", "count", "seconds", "cpu_seconds", "max_memory"}],
        "processors", "threads"}, "machines": [{"processor", "processors", "threads", "blas",
        "count"}]}``. A number is None if a part of the group does not have it, or if two machines
        differ in it.
    """
    groups: dict[tuple[str, ...], dict[str, Done]] = defaultdict(dict)
    for item in done:
        groups[(item.task.name, *users.get(_id(item.task), ()))][item.key] = item
    tasks = [_group(list(group.values())) for group in groups.values()]
    machines = _machines([item for group in groups.values() for item in group.values()])
    same = {name: _the_one(at[name] for at in machines) for name in ("processors", "threads")}
    return {"cost": {"tasks": tasks} | same, "machines": machines}


def _group(group: Sequence[Done]) -> dict[str, Any]:
    parts = [item.part for item in group]
    cpu = _all(part.get("cpu_seconds") for part in parts)
    memory = _all(part.get("max_memory") for part in parts)
    return {
        "key": digest(sorted(item.key for item in group))[:KEY_DIGITS],
        "name": group[0].task.name,
        "count": len(group),
        "seconds": round(sum(part["seconds"] for part in parts), 3),
        "cpu_seconds": None if cpu is None else round(sum(cpu), 3),
        "max_memory": None if memory is None else max(memory),
    }


def _all(values: Iterable[Any]) -> list[Any] | None:
    """Return the values as a list; None if one of them is None."""
    listed = list(values)
    return None if None in listed else listed


def _the_one(values: Iterable[Any]) -> Any:
    different = set(values)
    return different.pop() if len(different) == 1 else None


def _machines(done: Sequence[Done]) -> list[dict[str, Any]]:
    names = ("processor", "processors", "threads", "blas")
    unknown = dict.fromkeys(names) | {"processor": NOT_RECORDED, "blas": NOT_RECORDED}
    counts = Counter(
        tuple(item.part.get("machine", unknown).get(name) for name in names) for item in done
    )
    return [dict(zip(names, at, strict=True)) | {"count": n} for at, n in counts.most_common()]


def machine_texts(record: Record) -> list[str]:
    """Return the machines on which a record's tasks ran, each as a text.

    Parameters
    ----------
    record : dict

    Returns
    -------
    list of str
        ``"AMD EPYC, 2 processors, openblas 0.3.30 Haswell"``, the machine of most tasks first;
        ``"not recorded"`` for tasks of earlier versions.
    """
    texts = []
    for at in record.get("machines", ()):
        n = at["processors"]
        known = [at["processor"], n and f"{n} processor{'s' if n > 1 else ''}", at["blas"]]
        words = [text for text in known if text and text != NOT_RECORDED]
        texts.append(", ".join(words) or NOT_RECORDED)
    return texts or [NOT_RECORDED]


# --------------------------------------------------------------------------- several records


@dataclass(frozen=True)
class Total:
    """The cost of records together; None is not recorded.

    Attributes
    ----------
    tasks : int or None
    seconds : float
        Of the tasks one after another.
    wall : float or None
        Seconds with a worker for every `threads` processors, if no worker ever waits.
    cpu_seconds : float or None
    max_memory : int or None
        Of the process of a worker, in bytes.
    """

    tasks: int | None
    seconds: float
    wall: float | None
    cpu_seconds: float | None
    max_memory: int | None


def total(records: Iterable[Record]) -> Total:
    """Add the costs of records, each group of tasks once.

    Parameters
    ----------
    records : iterable of dict

    Returns
    -------
    Total
        A record without ``cost`` counts with its seconds, and leaves the rest unknown.
    """
    groups: dict[str, dict[str, Any]] = {}
    older = 0.0
    known = True
    for record in records:
        if "cost" in record:
            at = record["cost"]
            share = at["threads"] / at["processors"] if at["threads"] and at["processors"] else None
            groups |= {group["key"]: group | {"share": share} for group in at["tasks"]}
        else:
            older += record["seconds"]
            known = False
    each = list(groups.values())
    seconds = sum(group["seconds"] for group in each)
    wall = _all(group["share"] and group["share"] * group["seconds"] for group in each)
    cpu = _all(group["cpu_seconds"] for group in each)
    memory = _all(group["max_memory"] for group in each)
    return Total(
        tasks=sum(group["count"] for group in each) if known else None,
        seconds=seconds + older,
        wall=sum(wall) if known and wall is not None else None,
        cpu_seconds=sum(cpu) if known and cpu is not None else None,
        max_memory=max(memory, default=0) if known and memory is not None else None,
    )
