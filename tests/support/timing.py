"""How long a call takes, for the benchmarks."""

import time

import numpy as np


def seconds(function, repeats):
    """Call a function without arguments several times; return the median of the seconds that it
    takes.
    """
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
