"""Draw mutants, run the tests that reach each, and report which nobody noticed.

    python -m tests.mutants measure               # once: which tests reach which line
    python -m tests.mutants random --count 200 --seed 18 --jobs 2 --under refimpl/kernels
    python -m tests.mutants random --repeat 17 --tests tests/lmnn/test_lmnn.py    # once again
    python -m tests.mutants by-hand               # the changes of by_hand.toml, compiled ones too

`random` goes on where it was stopped; a mutant that survived is tried again with tests that were
measured since.
"""

import argparse
import difflib
import json
import multiprocessing
import os
import shutil
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import asdict
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads(Path(__file__).with_name("mutants.toml").read_text())
FOLDER = Path(tempfile.gettempdir()) / "refimpl-mutants"


def main(arguments=None):
    """Parse the command line and run; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__.splitlines()[0]
    )
    parser.add_argument("what", choices=["measure", "random", "by-hand", "all"])
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where copies and results are")
    parser.add_argument("--count", type=int, default=SETTINGS["count"])
    parser.add_argument("--seed", type=int, default=SETTINGS["seed"])
    parser.add_argument("--jobs", type=int, default=2, help="processes, each with its own copy")
    parser.add_argument("--under", nargs="+", default=[""], help="only mutants of these folders")
    parser.add_argument("--repeat", type=int, nargs="+", metavar="NUMBER", help="mutants again")
    parser.add_argument("--tests", nargs="+", help="with --repeat: these tests of the checkout")
    parser.add_argument("--parts", nargs="+", help="with measure: these folders of tests only")
    parser.add_argument("--only", default="", help="with by-hand: part of a name or of a file")
    parser.add_argument("--python-only", action="store_true", help="with by-hand: build nothing")
    options = parser.parse_args(arguments)
    if options.folder.resolve().is_relative_to(CHECKOUT):
        parser.error("--folder must lie outside the checkout")
    options.folder.mkdir(parents=True, exist_ok=True)
    survivors = 0
    if options.what == "measure" or (
        options.what == "all" and not list(options.folder.glob("*.coverage"))
    ):
        from .reach import measure

        measure(CHECKOUT, options.folder, SETTINGS, options.parts)
    if options.what in ("random", "all"):
        survivors += repeated(options) if options.repeat is not None else random_mutants(options)
    if options.what in ("by-hand", "all"):
        from .by_hand import run

        survivors += run(CHECKOUT, options.folder, options.only, not options.python_only)
    return min(survivors, 1)


def drawn_mutants(options):
    """The drawn places, each with the sources before and after, and out of how many.

    They are places of the measured copy, and kept there.
    """
    from .draw import Place, drawn, mutated

    root = options.folder / "measured"
    kept = root / f"drawn-{options.seed}-{options.count}.json"
    if not kept.exists():
        places, operators, positions = drawn(root, SETTINGS, options.count, options.seed)
        mutants = [
            (asdict(place), mutated((root / place.path).read_text(), place, operators))
            for place in places
        ]
        kept.write_text(json.dumps([mutants, positions]))
    mutants, positions = json.loads(kept.read_text())
    return [
        (Place(**place), (root / place["path"]).read_text(), mutant) for place, mutant in mutants
    ], positions


def difference(source, mutant):
    """The changed lines."""
    lines = difflib.unified_diff(source.splitlines(), mutant.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]


def random_mutants(options):
    """Try the drawn mutants in several processes and print the report; returns the survivors."""
    mutants, positions = drawn_mutants(options)
    results = options.folder / f"results-{options.seed}"
    results.mkdir(exist_ok=True)
    print(f"{len(mutants)} mutants of {positions} positions, seed {options.seed}", flush=True)
    queue = multiprocessing.get_context("fork").Value("i", 0)
    workers = []
    for _ in range(options.jobs):
        worker = multiprocessing.get_context("fork").Process(
            target=work, args=(options, mutants, results, queue)
        )
        worker.start()
        workers.append(worker)
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise SystemExit("a worker ended with an error: some mutants were not tried")
    return report(mutants, results)


def work(options, mutants, results, queue):
    """Take one mutant after the other until none is left."""
    from .reach import Reach, fitting, runs_at_import, statement_lines
    from .run import SURVIVED, UNREACHED, changed, copy_of, first_failure, preload, run_tests

    reach = Reach(options.folder)
    preload()
    copy = copy_of(options.folder / "measured", options.folder / f"copy-{os.getpid()}")
    while True:
        with queue.get_lock():
            i = queue.value
            queue.value += 1
        if i >= len(mutants):
            shutil.rmtree(copy)
            return
        place, source, mutant = mutants[i]
        if not place.path.startswith(tuple(options.under)):
            continue
        record = results / f"{i}.json"
        earlier = json.loads(record.read_text()) if record.exists() else {"end": None, "tests": []}
        if earlier["end"] not in (None, SURVIVED, UNREACHED):
            continue
        line = place.start[0]
        lines = statement_lines(source, line)
        names = reach.tests_of(place.path, lines, runs_at_import(source, line))
        names = [name for name in names if name not in set(earlier["tests"])]
        names = fitting(names, reach.seconds, SETTINGS["most"])
        end = earlier["end"] or UNREACHED
        by = ""
        start = time.monotonic()
        if names:
            log = options.folder / f"{options.seed}-{i}.log"
            files = sorted({name.split("::")[0] for name in names})
            seconds = SETTINGS["least"] + SETTINGS["patience"] * sum(map(reach.seconds.get, names))
            with changed(copy / place.path, mutant):
                end = run_tests(copy, files, log, seconds, names)
            if end == "killed":
                by = first_failure(log)
        record.write_text(
            json.dumps(
                {
                    "end": end,
                    "by": by,
                    "path": place.path,
                    "line": place.start[0],
                    "operator": place.operator,
                    "diff": difference(source, mutant),
                    "tests": earlier["tests"] + names,
                    "seconds": round(time.monotonic() - start, 1),
                }
            )
        )
        took = time.monotonic() - start
        print(f"{i:3} {end:11} {took:5.0f} s  {place.path}:{place.start[0]}  {by}", flush=True)


def report(mutants, results):
    """Print the table by module and the difference of each survivor; returns their number."""
    records = []
    for i in range(len(mutants)):
        record = results / f"{i}.json"
        if record.exists():
            records.append((i, json.loads(record.read_text())))
    ends = ["killed", "timed out", "survived", "not reached"]
    rooms = Counter(("/".join(r["path"].split("/")[:2]), r["end"]) for _, r in records)
    print(f"\n{'':34}" + "".join(f"{end:>13}" for end in ends))
    for room in sorted({room for room, _ in rooms}):
        print(f"{room:34}" + "".join(f"{rooms[room, end]:13}" for end in ends))
    totals = Counter(r["end"] for _, r in records)
    print(f"{'all':34}" + "".join(f"{totals[end]:13}" for end in ends) + "\n")
    for i, r in records:
        if r["end"] in ("survived", "not reached"):
            tests = len(r["tests"])
            print(f"{i}: {r['end']}, {r['path']}:{r['line']} ({r['operator']}, {tests} tests)")
            print("\n".join("    " + line for line in r["diff"]))
    return totals["survived"] + totals["not reached"]


def repeated(options):
    """Make drawn mutants again in a copy of today's checkout; returns how many survive."""
    from .run import SURVIVED, changed, copy_of, first_failure, preload, run_tests

    mutants, _ = drawn_mutants(options)
    preload()
    copy = copy_of(CHECKOUT, options.folder / "repeated")
    survivors = 0
    for number in options.repeat:
        place, source, mutant = mutants[number]
        path = copy / place.path
        if path.read_text() != source:
            raise ValueError(
                f"{place.path} was changed since the tests were measured: measure anew"
            )
        record = options.folder / f"results-{options.seed}" / f"{number}.json"
        tests = options.tests or json.loads(record.read_text())["tests"]
        log = options.folder / f"repeated-{number}.log"
        with changed(path, mutant):
            end = run_tests(copy, tests, log, 3600)
        by = "" if end == SURVIVED else first_failure(log)
        print(f"{number:3} {end:11} {place.path}:{place.start[0]}  {by}", flush=True)
        survivors += end == SURVIVED
    return survivors


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    raise SystemExit(main())
