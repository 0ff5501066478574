"""The resources of a computation: the memory that is free, processors, threads that share work.

The threads here sleep while they wait, like the threads of the fast kernels, and no caller waits
for a thread that has not begun. They save time if the work consists of NumPy functions that release
Python's lock, such as products of matrices.
"""

import importlib
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from numbers import Integral
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from time import perf_counter
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

__all__ = ["free_memory", "processors"]

Item = TypeVar("Item")

LEAST_PAUSE = 0.004  # seconds
MOST_PAUSE = 64 * LEAST_PAUSE
ALWAYS_FREE = 2**24  # bytes; a need below it is not compared with what is free
EXPECTED_STEPS = 10_000
"""Rounds that a training without `max_memory` counts: many say 10**9 and mean "until it
ends"."""
ROOT = Path("/")


def check_memory(needed: int, max_memory: int | None, fewer: str, how: str = "about") -> None:
    """Raise MemoryError if a training needs more bytes than the cap or, without one, are free."""
    if max_memory is None:
        _require_free(
            needed, f"the training needs {how}", f"fewer {fewer}, or max_memory to train anyway"
        )
        return
    what = f"max_memory must be an integer of at least 1; got {max_memory!r}"
    value: object = max_memory
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(what)
    if max_memory < 1:
        raise ValueError(what)
    if needed > max_memory:
        raise MemoryError(
            f"max_memory is {max_memory:,} bytes; the training needs {how} {needed:,}. "
            f"Pass more, or fewer {fewer}"
        )


def expected(most: int, max_memory: int | None) -> int:
    """Return how many rounds an estimate counts: all with a cap, else a likely number."""
    return min(most, EXPECTED_STEPS) if max_memory is None else most


def check_free_memory(needed: int, what: str, fewer: str) -> None:
    """Raise MemoryError if a result does not fit into the memory that is free."""
    _require_free(needed, f"{what} needs", f"fewer {fewer}")


def _require_free(needed: int, who_needs: str, advice: str) -> None:
    if needed <= ALWAYS_FREE:
        return
    free = free_memory()
    if free is not None and needed > free:
        raise MemoryError(
            f"{who_needs} {needed:,} bytes; {free:,} are free. Free some memory, or pass {advice}"
        )


def free_memory() -> int | None:
    """Return how many more bytes this process can take now; None if it cannot be known.

    On Linux this is what the kernel calls available, but no more than the control groups of the
    process (v1 and v2) and its limit of address space (``ulimit -v``) leave. On Windows it is the
    physical memory that is available. On other systems, such as macOS, the standard library does
    not tell what is free: the result is the memory of the machine, or None.
    """
    rooms = [_of_machine(), _of_address_space(), *_of_control_groups(ROOT)]
    known = [room for room in rooms if room is not None]
    return max(0, min(known)) if known else None


def _of_machine() -> int | None:
    """Return the bytes available on this machine; where that is unknown, all that it has."""
    if sys.platform == "win32":
        import ctypes

        # the member ullAvailPhys of MEMORYSTATUSEX: dwLength and dwMemoryLoad, then seven sizes
        status = (ctypes.c_uint64 * 8)()
        ctypes.cast(status, ctypes.POINTER(ctypes.c_uint32))[0] = ctypes.sizeof(status)
        known = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status[2]) if known else None
    with suppress(OSError, ValueError, IndexError):
        return 1024 * int((ROOT / "proc/meminfo").read_text().split("MemAvailable:")[1].split()[0])
    with suppress(OSError, ValueError, AttributeError):
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        return pages * size if pages > 0 and size > 0 else None
    return None


def _of_address_space() -> int | None:
    """Return what the limit of address space leaves; None without a limit."""
    with suppress(ImportError, AttributeError, OSError, ValueError, IndexError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int((ROOT / "proc/self/statm").read_text().split()[0])
        return limit - pages * resource.getpagesize()
    return None


def _of_control_groups(root: Path) -> Iterator[int]:
    """Yield what each control group of this process, and each group above it, leaves."""
    names = {
        "cgroup2": ("memory.max", "memory.current", ("inactive_file", "active_file")),
        "cgroup": (
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            ("total_inactive_file", "total_active_file"),
        ),
    }
    for kind, mount, group in _control_groups(root):
        limit, usage, caches = names[kind]
        for folder in (group, *group.parents):
            with suppress(OSError, ValueError):
                most = int((folder / limit).read_text())  # v2 says "max" where there is none
                used = int((folder / usage).read_text())
                yield most - used + _reclaimable(folder / "memory.stat", caches)
            if folder == mount:
                break


def _control_groups(root: Path) -> list[tuple[str, Path, Path]]:
    """Return the kind, the mount point and the folder of the groups that limit the memory."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        lines = (root / "proc/self/cgroup").read_text().splitlines()
        of_kind = {}
        for line in lines:
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                of_kind["cgroup2"] = path
            elif "memory" in controllers.split(","):
                of_kind["cgroup"] = path
        for line in (root / "proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            inner, point = before.split()[3:5]
            kind, _, options = after.split(" ")[:3]
            if kind not in of_kind or (kind == "cgroup" and "memory" not in options.split(",")):
                continue
            mount = root / point.lstrip("/")
            path = of_kind[kind]
            # a container's mount shows its own group as the top
            below = path.removeprefix(inner) if inner != "/" else path
            group = mount / below.lstrip("/")
            found.append((kind, mount, group if group.is_dir() else mount))
    return found


def _reclaimable(path: Path, names: tuple[str, ...]) -> int:
    """Return the bytes of files that the kernel drops when memory is short."""
    size = 0
    with suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            key, _, value = line.partition(" ")
            if key in names:
                size += int(value)
    return size


def processors() -> int:
    """Return how many processors this process may use.

    The number is that of the process's affinity, but no more than its container allows. The
    environment variable OMP_NUM_THREADS can set a lower number; it is read once.
    """
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _allowed()
    return min(_allowed(), affinity)


@cache
def _allowed() -> int:
    from joblib import cpu_count  # it takes a while to import

    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    allowed = max(1, int(cpu_count()))
    return min(allowed, int(asked)) if asked.isdecimal() and int(asked) > 0 else allowed


def share(work: Callable[[int], object], n: int, threads: int | None = None) -> None:
    """Call work(0), ..., work(n - 1), each once, in any order; raise the first error at the end."""
    threads = min(n, processors() if threads is None else threads)
    threads = min(threads, processors()) if threads > 1 else 1
    start = perf_counter()
    if threads == 1 or start < helpers.again:
        for i in range(n):
            work(i)
        return
    job = _Job(work, n)
    for _ in range(threads - 1):
        if not helpers.call(job.take):
            break
    mine = job.take()
    own = perf_counter() - start
    ends = [job.done.get() for _ in range(n)]
    errors = [error for error in ends if error is not None]
    if errors:
        raise errors[0]
    if 0 < mine < n:
        helpers.judge(perf_counter() - start, own * n / mine)


class _Job:
    """The calls that are not yet made, and for each ended call None or its exception."""

    def __init__(self, work: Callable[[int], object], n: int) -> None:
        self.work = work
        self.left = deque(range(n))
        self.done: SimpleQueue[BaseException | None] = SimpleQueue()

    def take(self) -> int:
        """Make calls until none is left. Return their number."""
        mine = 0
        while True:
            try:
                i = self.left.popleft()
            except IndexError:
                return mine
            mine += 1
            try:
                self.work(i)
                self.done.put(None)
            except BaseException as error:
                self.done.put(error)


class Helpers:
    """The helping threads of a process."""

    # if they make work no faster, they rest for a while, each time for longer

    def __init__(self) -> None:
        self.executor: ThreadPoolExecutor | None = None
        self.again = 0.0
        self.pause = 0.0

    def call(self, take: Callable[[], object]) -> bool:
        """Have a helper call `take` as soon as it is free."""
        # return False if no helper can be started
        if self.executor is None:  # two first callers at once may each make an executor: both work
            self.executor = ThreadPoolExecutor(
                max(1, processors() - 1), thread_name_prefix="refimpl"
            )
        try:
            self.executor.submit(copy_context().run, take)
        except RuntimeError:  # for example when Python ends: fewer threads suffice
            return False
        return True

    def judge(self, took: float, alone: float) -> None:
        """Compare the seconds that some work took with the seconds that the caller alone takes."""
        if took > 0.95 * alone:
            self.pause = min(MOST_PAUSE, max(LEAST_PAUSE, 2 * self.pause))
            self.again = perf_counter() + self.pause
        elif took < 0.8 * alone:
            self.pause /= 2


helpers = Helpers()


def _after_fork() -> None:
    global helpers
    helpers = Helpers()  # a child has none of its parent's threads
    one_blas_thread.lock = Lock()  # another thread of the parent may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def on_one_blas_thread(steps: Iterator[Item]) -> Iterator[Item]:
    """Yield what an iterator yields, and keep BLAS on a single thread while the iterator works."""
    # Threads of BLAS and of the kernels get into each other's way: without those of BLAS, LMNN's
    # steps on 6,000 points take two thirds of the time on two cores.
    while True:
        with one_blas_thread:
            step = next(steps, None)
        if step is None:
            return
        yield step


class OneBlasThread:
    """A context in which BLAS has a single thread, in the whole process."""

    # several threads may be in it at a time: the first one in takes BLAS's threads away, and the
    # last one out gives them back

    def __init__(self) -> None:
        self.lock = Lock()
        self.inside = 0
        self.limit: Any = None

    def __enter__(self) -> None:
        with self.lock:
            if self.inside == 0:
                self.limit = _blas().limit(limits=1, user_api="blas")
            self.inside += 1

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                self.limit.restore_original_limits()


one_blas_thread = OneBlasThread()


@cache
def _blas() -> ThreadpoolController:
    """Return what sets the threads of every BLAS: NumPy's, and SciPy's, which it loads first."""
    importlib.import_module("scipy.linalg")
    return ThreadpoolController()
