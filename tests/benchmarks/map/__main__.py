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

from paper_figures.data import DataNotAvailable
from paper_figures.run import processor
from tests.support.processes import python

from .measure import machine, measure
from .rows import names, row

HERE = Path(__file__).resolve().parent.parent
STORE = HERE / "speed.json"
LIMIT = 60.0  # seconds of a call of a kernel or of a first fit, before it is stopped
LIMIT_TRAINING = 600.0
BUDGET = 6.0  # seconds of a row's turns
PATIENCE = 3600.0  # seconds of a whole row, peers that nothing can stop included
THREADS = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}


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
    if not options.store.parent.is_dir():
        parser.error(f"--store must lie in a folder that exists; got {options.store}")
    stored = json.loads(options.store.read_text()) if options.store.exists() else {"rows": {}}
    failed = 0
    try:
        if not options.report:
            failed = measure_rows(stored, wanted(options.begin, stored), options.store)
    except KeyboardInterrupt:
        print("stopped; the same command goes on")
        return 130
    if not stored["rows"]:
        parser.error(f"{options.store} holds no row yet: run without --report")
    from .report import write

    write(stored, options.store.parent)
    if failed:
        print(f"{failed} rows could not be measured")
    return 1 if failed else 0


def wanted(begin, stored):
    """Return the names of the rows to measure."""
    if begin:
        chosen = [name for name in names() if name.startswith(tuple(begin))]
        if not chosen:
            raise SystemExit(f"no row begins with {begin}; --list prints all names")
        return chosen
    return [name for name in names() if name not in stored["rows"]]


def measure_rows(stored, chosen, store):
    """Measure rows, each in its own process, and keep each as soon as it is there.

    Returns how many failed.
    """
    here = about() if chosen else {}
    failed = 0
    for number, name in enumerate(chosen, 1):
        start = time.perf_counter()
        measured, why = measured_elsewhere(name)
        if measured is None:
            failed += 1
            print(f"{name} failed: {why}", flush=True)
            continue
        stored["rows"][name] = measured | {"machine": here}
        partial = store.with_suffix(".tmp")
        partial.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
        os.replace(partial, store)
        took = time.perf_counter() - start
        print(f"{number} of {len(chosen)}: {name}, {took:.0f} s", flush=True)
    return failed


def measured_elsewhere(name):
    """Measure a row in a process of its own; returns it, or None and why."""
    module = "tests.benchmarks.map"
    try:
        child = python("-m", module, "--row", name, timeout=PATIENCE, **THREADS)
    except subprocess.TimeoutExpired:
        return None, f"it took more than {PATIENCE:.0f} s"
    if child.returncode:
        return None, child.stderr.strip()
    return json.loads(child.stdout.splitlines()[-1]), ""


def print_row(name):
    """Measure one row in this process and print it as JSON."""
    limit = LIMIT_TRAINING if name.startswith("trainings/") else LIMIT
    budget, repeats = (LIMIT, 5) if name.startswith(("first/", "import/")) else (BUDGET, 99)
    try:
        print(json.dumps(measure(row(name), budget, limit, repeats), sort_keys=True))
    except DataNotAvailable as error:
        print(error, file=sys.stderr)
        return 1
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


if __name__ == "__main__":
    sys.exit(main())
