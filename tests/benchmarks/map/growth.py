"""Measure how time and memory of each training grow with n, at two sizes beyond the table's.

    python -m tests.benchmarks.map.growth                # all trainings, for hours
    python -m tests.benchmarks.map.growth lmnns ftunes   # these

Each size is measured once, on one thread, in a process of its own: seconds of the processor, and
how much more memory the process had at its peak than before the training. Where a set has fewer
points, digits are moved by a pixel or two, and letters get noise of half a unit. notes.md has what
came out, beside what theory says.
"""

import ctypes
import json
import sys
import time
from pathlib import Path

from tests.support.processes import output

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


def main(names):
    """Measure, and print a table."""
    print("| training | seconds | MiB |\n|---|---|---|")
    for name in names or TRAININGS:
        for n in (TRAININGS[name].sizes[2], *BEYOND[name]):
            found = measured(name, n)
            cells = f"{found[0]:.3g} | {found[1] / 2**20:,.0f}" if found else f"> {LIMIT:.0f} | "
            what = TRAININGS[name].what.format(n=f"{n:,}")
            print(f"| **{name}**: {what} | {cells} |", flush=True)


def measured(name, n):
    """Return seconds and bytes of a training in a process of its own; None if it takes too long."""
    code = f"from {__spec__.name} import train; train({name!r}, {n})"
    return json.loads(output("-c", code, timeout=None, **ONE_THREAD))


def train(name, n):
    """Train once; print the seconds of the processor and the bytes beyond those of before."""
    import refimpl_fast

    call = TRAININGS[name].draw(n)[0]
    ctypes.CDLL(None).malloc_trim(0)  # what the preparation freed would serve the training
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = peak()
    start = time.process_time()
    try:
        timed(lambda _: call(kernels=refimpl_fast, threads=1), None, LIMIT)
    except TooSlowError:
        print("null")
    else:
        print(json.dumps([time.process_time() - start, peak() - before]))


def peak():
    """Return the most bytes that this process has had since the peak began."""
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])


if __name__ == "__main__":
    main(sys.argv[1:])
