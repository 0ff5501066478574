"""Measure how time and memory of each training grow with n, at two sizes beyond the table's.

    python -m tests.benchmarks.map.growth                # all trainings, for hours
    python -m tests.benchmarks.map.growth lmnns ftunes   # these

Each size is measured once, on one thread, in a process of its own: seconds of the processor, and
how much more memory the process had at its peak than before the training. Exponents are those of n
from the size before. Where a set has fewer points, digits are moved by a pixel or two, and letters
get noise of half a unit. notes.md has what came out.
"""

import ctypes
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

from .measure import TooSlowError, timed
from .trainings import TRAININGS

LIMIT = 1200.0  # seconds of a training
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# two sizes beyond the largest of the table
BEYOND = {
    "adaboost": (800, 1600),
    "boosted_distances": (400, 800),
    "boostmaps": (800_000, 3_200_000),
    "search_trees": (100_000, 200_000),
    "moved_trees": (100_000, 200_000),
    "similar_pairs": (100_000, 200_000),
    "lmnns": (120_000, 240_000),
    "lmnn_metrics": (24_000, 96_000),
    "lmnn_rects": (24_000, 60_000),
    "ftunes": (40_000, 160_000),
    "bbss": (40_000, 160_000),
    "dselects": (240_000, 400_000),
}
EXPECTED = {
    "adaboost": "2: there are n^2 / 4 differences",
    "boosted_distances": "2: there are n^2 / 2 pairs",
    "boostmaps": "1: a round looks at each triple",
    "search_trees": "1 and a level more for each doubling",
    "moved_trees": "1 and a level more for each doubling",
    "similar_pairs": "2: all pairs of points",
    "lmnns": "1 to 2: a step is linear, the search for impostors looks at all pairs of classes",
    "lmnn_metrics": "1 to 2, as with one metric",
    "lmnn_rects": "1 to 2, as with one metric",
    "ftunes": "1: n x 300 similarities",
    "bbss": "1: n x 300 similarities",
    "dselects": "1: 100 sums of n similarities",
}


def main(names):
    """Measure, and print a table."""
    print("| training | seconds | exponent | memory | exponent | expected of time |")
    print("|---|---|---|---|---|---|")
    for name in names or TRAININGS:
        before = None
        for n in (TRAININGS[name].sizes[2], *BEYOND[name]):
            found = measured(name, n)
            print(line_of(name, n, found, before), flush=True)
            before = (n, *found) if found else None


def line_of(name, n, found, before):
    """Return a line of the table; `before` has n, seconds and bytes of the size before."""
    what = TRAININGS[name].what.format(n=f"{n:,}")
    if found is None:
        return f"| {what} | > {LIMIT:.0f} | | | | {EXPECTED[name]} |"
    seconds, memory = (f"{found[0]:.3g}", f"{found[1] / 2**20:,.0f} MiB")
    if before is None:
        return f"| **{name}**: {what} | {seconds} | | {memory} | | |"
    of_time, of_memory = (
        f"{math.log(now / then) / math.log(n / before[0]):.2f}"
        for now, then in zip(found, before[1:], strict=True)
    )
    return f"| {what} | {seconds} | {of_time} | {memory} | {of_memory} | {EXPECTED[name]} |"


def measured(name, n):
    """Return seconds and bytes of a training in a process of its own; None if it takes too long."""
    code = f"from {__spec__.name} import train; train({name!r}, {n})"
    run = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        stdout=subprocess.PIPE,
        env=os.environ | ONE_THREAD,
    )
    return json.loads(run.stdout)


def train(name, n):
    """Train once; print the seconds of the processor and the bytes beyond those of before."""
    import refimpl_fast

    call = TRAININGS[name].prepare(n)[0]
    ctypes.CDLL(None).malloc_trim(0)  # what the preparation freed would serve the training
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = peak()
    start = time.process_time()
    try:
        timed(lambda _: call(refimpl_fast, 1), None, LIMIT)
    except TooSlowError:
        print("null")
    else:
        print(json.dumps([time.process_time() - start, peak() - before]))


def peak():
    """Return the most bytes that this process has had since the peak began."""
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])


if __name__ == "__main__":
    main(sys.argv[1:])
