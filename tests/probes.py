"""What the first small cells of each study give, and ``make probes``, which says what moved.

A record is current by its study's ``version``; ``probes.json`` holds that version against numbers.
It has, for each study, its version and the numbers of a few cells to six digits. ``make probes``
computes them again; ``make probes ARGS=--write`` writes them, unless a study gives other numbers
under the same version.

A study's cells differ in texts and switches (``part = "validation"``), and in sizes and runs. The
probe takes one cell of each combination of texts and switches, on the smallest data set. A field in
which two computations differ holds times, and is left out.

Not here: whether the numbers are right; rooms that still name tasks.
"""

import argparse
import json
import math
import os
import sys
from pathlib import Path

EXPECTED = Path(__file__).parent / "probes.json"
CLOSE = 2e-6  # of a number itself
FEW = 6  # of more numbers their count and two means of magnitudes are kept, one weighted by place
ONE_KERNEL = {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"}  # that every x86 has


# ------------------------------------------------------------------------------------ the numbers


def studies():
    """Return all studies by name."""
    from paper_figures.registry import load_papers

    return {
        f"{paper.name}.{study.name}": study for paper in load_papers() for study in paper.studies
    }


def cells_of(study):
    """Return the cells of a probe: one of each combination of texts and switches."""
    chosen = {}
    for cell in study.cells["small"]:
        if "hnswlib" in cell:
            cell = cell | {"hnswlib": None}  # a library that not everyone has
        branch = {
            key: value if isinstance(value, str | bool) else type(value).__name__
            for key, value in cell.items()
            if key != "data_set"
        }
        chosen.setdefault(json.dumps(branch, sort_keys=True), []).append(cell)
    return [min(alike, key=lambda cell: _size(study, cell)) for alike in chosen.values()]


def _size(study, cell):
    from paper_figures.data import load

    return sum(load(name).X.size for name in study.data(cell))


def numbers_of(study, cell):
    """Return the numbers of a cell's observations, by the names of their fields."""
    from paper_figures.store import plain
    from paper_figures.study import Job

    try:
        import refimpl_fast  # noqa: F401
    except ImportError:
        kernels = "reference"
    else:
        kernels = "fast"
    job = Job(0, kernels, None, study.data(cell))
    fields = {}
    for item in study.compute(job, **cell):
        for name, value in plain(dict(item), "an observation").items():
            collect(fields, name, value)
    return {name: kept(values) for name, values in sorted(fields.items())}


def collect(fields, name, value):
    """Add the numbers of a value to the field of this name; a name in a dict makes another one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            collect(fields, name if key.isdigit() else f"{name}.{key}", inner)
    elif isinstance(value, list):
        for inner in value:
            collect(fields, name, inner)
    elif isinstance(value, int | float):
        fields.setdefault(name, []).append(float(value))


def kept(values):
    """Return a few numbers as they are; of many their count and two means of magnitudes."""
    n = len(values)
    if n > FEW:
        sizes = [abs(value) for value in values]
        by_place = math.fsum(i * size for i, size in enumerate(sizes, 1)) / (n * (n + 1) / 2)
        values = [n, math.fsum(sizes) / n, by_place]
    return [float(f"{value:.6g}") for value in values]


def same(was, now):
    """Return whether two lists of numbers are equal but for last bits."""
    return len(was) == len(now) and all(
        math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-12) for a, b in zip(was, now, strict=True)
    )


# ----------------------------------------------------------------------------------- what moved


def computed(study):
    """Return a study's probe: its version, and its cells with their numbers."""
    return {
        "version": study.version,
        "cells": [{"cell": c, "numbers": numbers_of(study, c)} for c in cells_of(study)],
    }


def by_cell(probe):
    """Return a probe's cells by their parameters as text."""
    return {json.dumps(each["cell"], sort_keys=True): each for each in probe["cells"]}


def moved(was, now):
    """Return a line for each field of a cell that gives other numbers than it did."""
    before, after = by_cell(was), by_cell(now)
    lines = []
    for key in before.keys() & after.keys():
        old, new = before[key]["numbers"], after[key]["numbers"]
        for name in sorted((old.keys() | new.keys()) - set(before[key]["times"])):
            if not same(old.get(name, []), new.get(name, [])):
                lines.append(f"{name} was {old.get(name)}, is {new.get(name)} in {key}")
    return lines


def wrong(name, study, was, now):
    """Return what is to be done about a study, in words; empty if it is as probes.json says."""
    if was is None:
        return f"study {name} has no probe: make probes ARGS=--write"
    lines = moved(was, now)
    if lines and was["version"] == now["version"]:
        views = " ".join(f"{name.partition('.')[0]}.{view.name}" for view in study.views)
        return (
            f"study {name} gives other numbers: raise its version ({study.version}) in "
            f"{study.compute.__module__}, compute its records anew (make figures "
            f'ARGS="{views} --scale paper"), then make probes ARGS=--write. If the same code gave '
            "the old numbers, another version of a library moved them.\n  " + "\n  ".join(lines)
        )
    if was["version"] != now["version"]:
        again = "" if lines else ", but gives the numbers of the last one: is it a new one?"
        return f"study {name} has version {study.version}{again}: make probes ARGS=--write"
    if by_cell(was).keys() != by_cell(now).keys():
        return f"study {name} has other cells: make probes ARGS=--write"
    return ""


def with_times(study, probe):
    """Return a probe without the numbers that a second computation does not share."""
    for one, other in zip(probe["cells"], computed(study)["cells"], strict=True):
        again = other["numbers"]
        one["times"] = [n for n, values in one["numbers"].items() if values != again[n]]
        one["numbers"] = {n: v for n, v in one["numbers"].items() if n not in one["times"]}
    return probe


# ---------------------------------------------------------------------------------- the command


def main(arguments):
    """Compare the probes, or write them; return 1 if something is left to be done."""
    parser = argparse.ArgumentParser(prog="python -m tests.probes", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write what does not need a version")
    parser.add_argument("studies", nargs="*", help="as lmnn.low_rank; default: all")
    options = parser.parse_args(arguments)
    if unknown := set(options.studies) - studies().keys():
        parser.error(f"there is no study {', '.join(sorted(unknown))}")
    write = options.write
    was = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    probes, left = {}, False
    for name, study in studies().items():
        if options.studies and name not in options.studies:
            if name in was:
                probes[name] = was[name]
            continue
        now = computed(study)
        said = wrong(name, study, was.get(name), now)
        if write and said and "raise its version" not in said:
            probes[name] = with_times(study, now)
            times = sorted({field for each in now["cells"] for field in each["times"]})
            print(f"{name}: version {study.version}; times: {', '.join(times) or 'none'}")
            continue
        left |= bool(said)
        probes[name] = was.get(name)
        print(said or f"{name}: as before")
    if gone := was.keys() - probes.keys():
        left |= not write
        print(f"there is no study {', '.join(sorted(gone))}: make probes ARGS=--write")
    if write:
        EXPECTED.write_text(_text(probes), encoding="utf-8")
    return int(left)


def _text(probes):
    """Return the file's text, a cell a line."""
    studies = []
    for name, probe in probes.items():
        lines = ",\n  ".join(json.dumps(each, sort_keys=True) for each in probe["cells"])
        studies.append(f'"{name}": {{"version": {probe["version"]}, "cells": [\n  {lines}]}}')
    return "{\n" + ",\n".join(studies) + "\n}\n"


if __name__ == "__main__":
    os.environ.update(ONE_KERNEL)  # before NumPy is loaded
    sys.exit(main(sys.argv[1:]))
