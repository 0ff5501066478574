"""Several threads of Python at once."""

import threading
from concurrent.futures import ThreadPoolExecutor


def at_once(work, given, patience=120):
    """Call a function in a thread for each of what it is given; return what comes back.

    The threads start together. What one of them raises is raised; a wait has an end.
    """
    start = threading.Barrier(len(given), timeout=60)

    def one(value):
        start.wait()
        return work(value)

    pool = ThreadPoolExecutor(len(given))
    try:
        return list(pool.map(one, given, timeout=patience))
    finally:
        pool.shutdown(wait=False)
