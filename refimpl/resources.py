"""What a computation may take: the cap on its memory, the processors of this process, and work that they share.

The threads here sleep while they wait, as those of the fast kernels do, and nobody waits for a thread that has not
begun. They pay where the work is done by functions of NumPy that release Python's lock, such as products of matrices.

Not handled here: the threads of the kernels.
"""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from queue import SimpleQueue
from time import perf_counter

from threadpoolctl import ThreadpoolController

__all__ = ["check_memory", "on_one_blas_thread", "processors", "share"]

LEAST_PAUSE = 0.004  # seconds
MOST_PAUSE = 64 * LEAST_PAUSE


def check_memory(needed, max_memory, fewer, how="about"):
    """Raise MemoryError if an estimate exceeds the cap.

    Parameters
    ----------
    needed, max_memory : int
        Bytes.
    fewer : str
        What the message advises to reduce.
    how : {"about", "up to"}
        Whether `needed` is an estimate or an upper bound; the word stands in the message.
    """
    if needed > max_memory:
        raise MemoryError(
            f"max_memory is {max_memory:,} bytes; the training needs {how} {needed:,}. Pass more, or fewer {fewer}"
        )


def processors():
    """Return how many processors this process may use: those of its affinity, and no more than its container allows.

    As for other numerical libraries, OMP_NUM_THREADS may set a lower number; it is read once.

    Returns
    -------
    int
    """
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _allowed()
    return min(_allowed(), affinity)


@cache
def _allowed():
    from joblib import cpu_count  # it takes a while to import

    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    allowed = max(1, cpu_count())
    return min(allowed, int(asked)) if asked.isdecimal() and int(asked) > 0 else allowed


def share(work, n, threads=None):
    """Call work(0), work(1), ..., work(n - 1), each once, in any order.

    Parameters
    ----------
    work : callable
        Its calls must not depend on each other. An exception of one of them is raised again after the last call.
    n : int
    threads : int, optional
        How many threads at most, of which the caller is one; never more than :func:`processors`, the default.
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
    errors = [error for error in (job.done.get() for _ in range(n)) if error is not None]
    if errors:
        raise errors[0]
    if 0 < mine < n:
        helpers.judge(perf_counter() - start, own * n / mine)


class _Job:
    """Calls that are left to take, and for each one that has ended None or its exception."""

    def __init__(self, work, n):
        self.work, self.left, self.done = work, deque(range(n)), SimpleQueue()

    def take(self):
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
    """The helping threads of a process. If they make work no faster, they rest for a while, each time for longer."""

    def __init__(self):
        self.executor, self.again, self.pause = None, 0.0, 0.0

    def call(self, take):
        """Have a helper call `take` as soon as it is free. Return False if no helper can be started."""
        if self.executor is None:  # two first callers at the same time may each make one: both work
            self.executor = ThreadPoolExecutor(max(1, processors() - 1), thread_name_prefix="refimpl")
        try:
            self.executor.submit(copy_context().run, take)
        except RuntimeError:  # as when Python ends: fewer do as well
            return False
        return True

    def judge(self, took, alone):
        """Compare the seconds that some work took with those that the caller alone would have taken."""
        if took > 0.95 * alone:
            self.pause = min(MOST_PAUSE, max(LEAST_PAUSE, 2 * self.pause))
            self.again = perf_counter() + self.pause
        elif took < 0.8 * alone:
            self.pause /= 2


helpers = Helpers()


def _after_fork():
    global helpers
    helpers = Helpers()  # a child has none of its parent's threads


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def on_one_blas_thread(steps):
    """Yield what an iterator yields, which works without threads in BLAS: for many small products beside kernels.

    Threads of BLAS and of the kernels get into each other's way. On two cores LMNN's steps on 6,000 points take two
    thirds of the time, and beside other work far less.

    Parameters
    ----------
    steps : iterator

    Yields
    ------
    object
    """
    while True:
        with _blas().limit(limits=1, user_api="blas"):
            step = next(steps, None)
        if step is None:
            return
        yield step


@cache
def _blas():
    return ThreadpoolController()
