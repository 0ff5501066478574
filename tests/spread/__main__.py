"""Make the entries under several BLAS kernels and write which numbers differ, and how far.

    python -m tests.spread                          # every entry at the small scale
    python -m tests.spread lmnn.table1 --scale paper --data DIR --only n=60,600

OpenBLAS takes its kernel from OPENBLAS_CORETYPE. Each kernel has a folder of its own in --folder,
so that a run goes on where it was stopped. Entries in which a number moved are made once more under
the first kernel: what differs then is a time. All runs use one BLAS thread.

The file is paper_figures/published/spread.json, or spread_paper.json; with names or --only, what
the file says of other entries stays. Not handled here: other libraries than OpenBLAS, and
processors other than this machine's.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from paper_figures import cost, spread
from paper_figures.cost import NOT_RECORDED
from paper_figures.registry import SCALES, load_papers
from paper_figures.store import Store, write_atomic
from tests.fuzz.blas import kernels_of_this_machine
from tests.spread import compare

CORETYPE = "OPENBLAS_CORETYPE"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
AGAIN = "-again"


class CannotCompare(Exception):
    """A run failed, or the BLAS kernel cannot be chosen here."""


def main(arguments=None):
    """Parse the command line, run, compare and write; returns the exit code."""
    options = _parser().parse_args(arguments)
    start = time.monotonic()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="refimpl-spread-"))
    try:
        content = measure(options, folder)
    except (CannotCompare, compare.UnequalTables) as error:
        print(f"error: {error}; what was computed is in {folder}", file=sys.stderr)
        return 1
    path = Path(options.file or spread.path(options.scale))
    write_atomic(path, dump(merge(path, content)))
    moving = {number["entry"] for number in content["rows"]}
    print(
        f"{len(content['rows'])} numbers of {len(moving)} entries move, of "
        f"{len(content['entries'])} entries; see {path}. {time.monotonic() - start:.0f} s; the "
        f"tasks took {_cpu_text(folder, options.kernels, content['entries'])} of processors' time"
    )
    if options.folder is None:
        shutil.rmtree(folder)
    return 0


def _cpu_text(folder, kernels, entries):
    """What all tasks took, in this run or an earlier run."""
    totals = [cost.total(record(folder / at, entry) for entry in entries) for at in kernels]
    seconds = [total.cpu_seconds for total in totals]
    return "an unknown part" if None in seconds else f"{sum(seconds):.0f} s"


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m tests.spread",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="PAPER[.FIGURE]", help="default: all")
    parser.add_argument("--scale", choices=SCALES, default="small")
    parser.add_argument("--data", metavar="DIR", help="folder of the real data sets")
    parser.add_argument("--kernels", nargs="+", metavar="NAME", default=kernels_of_this_machine())
    parser.add_argument("--only", nargs="+", metavar="NAME=A,B", default=[], help="tasks to make")
    parser.add_argument("--jobs", type=int, default=2, help="workers; default: 2")
    parser.add_argument("--folder", metavar="DIR", help="where results stay; default: nowhere")
    parser.add_argument("--file", metavar="FILE", help="default: in paper_figures/published")
    return parser


def measure(options, folder):
    """Run all kernels and compare: the content of the file."""
    if len(set(options.kernels)) < 2 or None in options.kernels:
        raise CannotCompare(f"two BLAS kernels are needed; got {options.kernels}")
    for kernel in options.kernels:
        make(options, options.names, kernel, folder / kernel)
    entries = made(folder / options.kernels[0])
    blas = {kernel: blas_of(folder / kernel, entries) for kernel in options.kernels}
    require_kernels(blas)
    numbers = []
    timed = {}
    for entry in entries:
        tables = {kernel: rows(folder / kernel, entry) for kernel in options.kernels}
        numbers_here = compare.moved(entry, tables)
        if numbers_here:
            first = options.kernels[0]
            make(options, [entry], first, folder / f"{first}{AGAIN}")
            pair = {"once": tables[first], "again": rows(folder / f"{first}{AGAIN}", entry)}
            numbers_here, times = compare.without_timed(numbers_here, compare.moved(entry, pair))
            timed |= {entry: times} if times else {}
        numbers += numbers_here
    return {
        "scale": options.scale,
        "kernels": list(options.kernels),
        "blas": blas,
        "entries": entries,
        "times": timed,
        "rows": numbers,
    }


def make(options, names, kernel, out):
    """Make entries under a BLAS kernel, in a process of its own."""
    order = {
        "names": names,
        "scale": options.scale,
        "data": options.data,
        "jobs": options.jobs,
        "out": str(out),
        "only": dict(_only(text) for text in options.only),
    }
    command = [sys.executable, "-m", "tests.spread.run", json.dumps(order)]
    environment = os.environ | ONE_THREAD | {CORETYPE: kernel}
    print(f"--- {kernel}: {' '.join(names) or 'all entries'}", file=sys.stderr, flush=True)
    if subprocess.run(command, env=environment).returncode:
        raise CannotCompare(f"the run under {kernel} failed")


def _only(text):
    name, _, values = text.partition("=")
    return name, [json.loads(value) for value in values.split(",")]


def made(folder):
    """The entries that a folder holds, in the papers' order."""
    return [
        f"{paper.name}.{figure.name}"
        for paper in load_papers()
        for figure in paper.figures
        if Store(folder).path(paper.name, figure.name, ".json").is_file()
    ]


def record(folder, entry):
    """An entry's record."""
    content = Store(folder).read(*entry.split("."))
    if content is None:
        raise CannotCompare(f"{folder} has no record of {entry}")
    return content


def rows(folder, entry):
    """An entry's rows."""
    return record(folder, entry)["rows"]


def require_kernels(blas):
    """Check by the records that each run used BLAS kernels of its own."""
    known = [texts for texts in blas.values() if texts]
    if any(known.count(texts) > 1 for texts in known):
        raise CannotCompare(f"{CORETYPE} must choose the kernel; the runs used {blas}")


def blas_of(folder, entries):
    """The BLAS libraries that a run's records name, with their kernels."""
    texts = {at["blas"] for entry in entries for at in record(folder, entry).get("machines", ())}
    return sorted(texts - {NOT_RECORDED})


def merge(path, content):
    """The new content, with what the file says of other entries that there still are."""
    if not path.is_file():
        return content
    old = json.loads(path.read_text(encoding="utf-8"))
    if old["kernels"] != content["kernels"]:
        return content
    order = [f"{paper.name}.{figure.name}" for paper in load_papers() for figure in paper.figures]
    new = set(content["entries"])
    others = {entry for entry in old["entries"] if entry in order and entry not in new}
    kept = [number for number in old["rows"] if number["entry"] in others]
    times = {entry: n for entry, n in old["times"].items() if entry in others}
    return content | {
        "entries": sorted(others | new, key=order.index),
        "times": times | content["times"],
        "rows": sorted(kept + content["rows"], key=lambda number: order.index(number["entry"])),
    }


def dump(content):
    """The file's text, with each number on a line of its own."""
    lines = [f" {json.dumps(name)}: {json.dumps(content[name])}" for name in content]
    numbers = ",\n".join("  " + json.dumps(number, allow_nan=False) for number in content["rows"])
    lines[-1] = f' "rows": [\n{numbers}\n ]' if numbers else ' "rows": []'
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
