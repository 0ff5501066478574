"""Try every fault on a figure of each paper and on the library's files; print a table.

python -m tests.faults                               # all: half an hour or so on two processors
python -m tests.faults --only lmnn.figure5 indexes   # some
"""

import argparse
import os
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import figure_faults as figures
import forked

from tests.faults import files

FIGURES = (
    "boosted_distance.figure2",
    "boostmap.figure5",
    "search_forest.figure1",
    "lmnn.figure5",
    "ftune.readings",
)
FILES = ("results", "checkpoints", "indexes")


def main(arguments=None):
    """Parse the command line and run; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernels", default="fast", choices=("fast", "reference"))
    parser.add_argument("--only", nargs="+", default=[*FIGURES, *FILES], metavar="NAME")
    options = parser.parse_args(arguments)
    failures = 0
    forked.PATIENCE = 7200.0  # on a busy machine a figure takes long
    print("| what | fault | tried | seconds |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="faults") as folder:
        for name in options.only:
            for fault, call in trials(name, Path(folder), options):
                rng = random.Random(f"{options.seed} {name} {fault}")
                start = time.monotonic()
                try:
                    said = call(rng)
                except Exception:
                    failures += 1
                    said = "FAILED"
                    traceback.print_exc()
                seconds = time.monotonic() - start
                print(f"| {name} | {fault} | {said} | {seconds:.0f} |", flush=True)
    print(f"{failures} failures; {sum(os.times()[:4]):.0f} s of processors' time")
    return 1 if failures else 0


def trials(name, folder, options):
    """Yield the faults of a figure, or of a kind of files, with a function of a generator."""
    if name in FILES:
        for (kind, fault), function in files.TRIALS.items():
            if kind == name:
                own = folder / f"{kind}-{fault.replace(' ', '-')}"
                own.mkdir()
                yield fault, lambda rng, function=function, own=own: function(own, rng)
        return
    subject = []

    def peace(rng):
        subject.append(figures.Subject(folder / name, *name.split("."), options.kernels))
        return f"{subject[0].n} parts"

    yield "none", peace
    for fault in figures.TRIALS:
        yield fault, lambda rng, fault=fault: figures.trial(fault, subject[0], rng)


if __name__ == "__main__":
    sys.exit(main())
