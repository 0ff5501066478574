"""Measure what is missing in speed.json, a row at a time in a process of its own, then write the
table and the picture.

    make benchmarks                                  # all rows that are missing
    make benchmarks ARGS="kernels/best_stump"        # the rows whose names begin so, again
    make benchmarks ARGS="--report"                  # the table and the picture alone
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy

from .measure import TooSlowError, machine, measure
from .rows import names, row

HERE = Path(__file__).resolve().parent.parent
STORE = HERE / "speed.json"
LIMIT = 60.0  # seconds of a call of a kernel or of a first fit, before it is stopped
LIMIT_TRAINING = 600.0
BUDGET = 6.0  # seconds of a row's turns


def main(arguments=None):
    """Parse the command line and run; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.map", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("begin", nargs="*", help="measure again the rows whose names begin so")
    parser.add_argument("--report", action="store_true", help="write table and picture alone")
    parser.add_argument("--list", action="store_true", help="print the rows' names and end")
    parser.add_argument("--store", type=Path, default=STORE, help="where the numbers are kept")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.row:
        return print_row(options.row)
    if options.list:
        print("\n".join(names()))
        return 0
    stored = json.loads(options.store.read_text()) if options.store.exists() else {"rows": {}}
    if not options.report:
        measure_rows(stored, wanted(options.begin, stored), options.store)
    from .report import write

    write(stored, options.store.parent)
    return 0


def wanted(begin, stored):
    """Return the names of the rows to measure."""
    if begin:
        chosen = [name for name in names() if name.startswith(tuple(begin))]
        if not chosen:
            raise SystemExit(f"no row begins with {begin}; --list prints all names")
        return chosen
    return [name for name in names() if name not in stored["rows"]]


def measure_rows(stored, chosen, store):
    """Measure rows, each in its own process, and keep each as soon as it is there."""
    stored["machine"] = about()
    for number, name in enumerate(chosen, 1):
        start = time.perf_counter()
        child = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.map", "--row", name],
            capture_output=True,
            text=True,
            check=False,
        )
        if child.returncode:
            print(f"{name} failed:\n{child.stderr}", flush=True)
            continue
        measured = json.loads(child.stdout.splitlines()[-1])
        stored["rows"][name] = measured
        partial = store.with_suffix(".tmp")
        partial.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
        os.replace(partial, store)
        took = time.perf_counter() - start
        print(f"{number} of {len(chosen)}: {name}, {took:.0f} s", flush=True)


def print_row(name):
    """Measure one row in this process and print it as JSON."""
    limit = LIMIT_TRAINING if name.startswith("trainings/") else LIMIT
    repeats = 5 if name.startswith("first/") else 99
    try:
        measured = measure(row(name), BUDGET, limit, repeats)
    except TooSlowError:
        measured = {"seconds": {}, "why": f"over {limit:.0f} s"}
    except (FileNotFoundError, ConnectionError) as error:  # a data set that is not there
        measured = {"seconds": {}, "why": f"data not available: {type(error).__name__}"}
    print(json.dumps(measured))
    return 0


def about():
    """Return what the numbers depend on."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "date": time.strftime("%Y-%m-%d"),
        **machine(),
    }


def processor():
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    sys.exit(main())
