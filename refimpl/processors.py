"""How many processors this process may use, and work in Python that they share.

The threads here sleep while they wait, as those of the fast kernels do, and nobody waits for a thread that has not
begun. They pay where the work is done by functions of NumPy that release Python's lock, such as products of matrices.

Not handled here: the threads of BLAS, and those of the kernels.
"""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from queue import SimpleQueue

__all__ = ["processors", "share"]

_helpers = None


def processors():
    """How many processors this process may use: those of its affinity, and no more than its container allows.

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
    if threads == 1:
        for i in range(n):
            work(i)
        return
    left, done = deque(range(n)), SimpleQueue()

    def take():
        while left:
            try:
                i = left.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                work(i)
                done.put(None)
            except BaseException as error:
                done.put(error)

    for _ in range(threads - 1):
        try:
            _pool().submit(copy_context().run, take)
        except RuntimeError:  # no more threads to be had, as when Python ends: fewer do as well
            break
    take()
    errors = [error for error in (done.get() for _ in range(n)) if error is not None]
    if errors:
        raise errors[0]


def _pool():
    """The helpers of this process. Two callers who come first at the same time may each make some: both will do."""
    global _helpers
    if _helpers is None:
        _helpers = ThreadPoolExecutor(max(1, processors() - 1), thread_name_prefix="refimpl")
    return _helpers


def _forget():
    global _helpers
    _helpers = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # a child has none of its parent's threads
