"""The resources of a computation: a limit of memory, processors, and threads that share work.

The threads here sleep while they wait, like the threads of the fast kernels, and no caller waits
for a thread that has not begun. They save time if the work consists of NumPy functions that release
Python's lock, such as products of matrices.

Not handled here: the threads of the kernels.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from numbers import Integral
from queue import SimpleQueue
from time import perf_counter
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")

__all__ = ["check_memory", "on_one_blas_thread", "processors", "share"]

LEAST_PAUSE = 0.004  # seconds
MOST_PAUSE = 64 * LEAST_PAUSE


def check_memory(needed: int, max_memory: int, fewer: str, how: str = "about") -> None:
    """Raise MemoryError if an estimate exceeds the cap.

    Parameters
    ----------
    needed, max_memory : int
        Bytes.
    fewer : str
        What the message advises to reduce.
    how : {"about", "up to"}
        Whether `needed` is an estimate or an upper bound; the word stands in the message.

    Raises
    ------
    TypeError, ValueError
        If `max_memory` is no integer of at least 1.
    MemoryError
        If `needed` is above `max_memory`.

    Examples
    --------
    >>> from refimpl.resources import check_memory
    >>> check_memory(2_000, 10_000, "trees")
    """
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


def processors() -> int:
    """Return how many processors this process may use.

    The number is that of the process's affinity, but no more than its container allows. The
    environment variable OMP_NUM_THREADS can set a lower number; it is read once.

    Returns
    -------
    int

    Examples
    --------
    >>> from refimpl.resources import processors
    >>> processors() >= 1
    True
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
    """Call work(0), work(1), ..., work(n - 1), each once, in any order.

    Parameters
    ----------
    work : callable
        Its calls must not depend on each other. If a call raises an exception, it is raised again
        after the last call.
    n : int
    threads : int, optional
        The largest number of threads, including the calling thread. The default, and the upper
        limit, is :func:`processors`.

    Examples
    --------
    >>> from refimpl.resources import share
    >>> squares = [0] * 4
    >>> share(lambda i: squares.__setitem__(i, i * i), 4)
    >>> squares
    [0, 1, 4, 9]
    """
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
    """The helping threads of a process.

    If they make work no faster, they rest for a while, each time for longer.
    """

    def __init__(self) -> None:
        self.executor: ThreadPoolExecutor | None = None
        self.again = 0.0
        self.pause = 0.0

    def call(self, take: Callable[[], object]) -> bool:
        """Have a helper call `take` as soon as it is free.

        Return False if no helper can be started.
        """
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def on_one_blas_thread(steps: Iterator[Item]) -> Iterator[Item]:
    """Yield what an iterator yields, and keep BLAS on a single thread while the iterator works.

    This suits many small products beside kernels.

    Threads of BLAS and of the kernels get into each other's way. Without them, LMNN's steps on
    6,000 points take two thirds of the time on two cores, and far less beside other work.

    Parameters
    ----------
    steps : iterator

    Yields
    ------
    object

    Examples
    --------
    >>> from refimpl.resources import on_one_blas_thread
    >>> list(on_one_blas_thread(iter([1, 2])))
    [1, 2]
    """
    while True:
        with _blas().limit(limits=1, user_api="blas"):
            step = next(steps, None)
        if step is None:
            return
        yield step


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()
