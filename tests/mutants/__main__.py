"""Draw mutants, run the tests that reach each, and report which nobody noticed.

    python -m tests.mutants measure               # once: which tests reach which line
    python -m tests.mutants random --count 200 --seed 18 --jobs 2 --under refimpl/kernels
    python -m tests.mutants random --repeat 17 --tests tests/lmnn/test_lmnn.py    # once again
    python -m tests.mutants by-hand               # the changes of by_hand.toml, compiled ones too

`random` goes on where it was stopped; a mutant that survived is tried again with the tests that it
has not met. It refuses a checkout that was changed since the tests were measured: `measure` again,
or `--as-measured` goes on with the sources and tests of then.
"""

import argparse
import difflib
import hashlib
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
EQUIVALENT = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text())["equivalent"]
NAME = "refimpl-mutants-" + hashlib.sha256(str(CHECKOUT).encode()).hexdigest()[:8]
FOLDER = Path(tempfile.gettempdir()) / NAME  # each checkout has its own


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
    parser.add_argument("--most", type=float, default=SETTINGS["most"], help="seconds of tests")
    parser.add_argument("--as-measured", action="store_true", help="though the checkout changed")
    parser.add_argument("--only", default="", help="with by-hand: part of a name or of a file")
    parser.add_argument("--python-only", action="store_true", help="with by-hand: build nothing")
    options = parser.parse_args(arguments)
    if options.folder.resolve().is_relative_to(CHECKOUT):
        parser.error("--folder must lie outside the checkout")
    options.folder.mkdir(parents=True, exist_ok=True)
    survivors = 0
    from .reach import is_measured, measure

    fits = is_measured(CHECKOUT, options.folder)
    if options.what == "measure" or (options.what == "all" and not fits):
        measure(CHECKOUT, options.folder, SETTINGS, options.parts)
    elif options.what == "random" and not (fits or options.as_measured):
        parser.error("the checkout is not the measured one: `measure`, or add --as-measured")
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
    """Return the changed lines."""
    lines = difflib.unified_diff(source.splitlines(), mutant.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]


def random_mutants(options):
    """Try the drawn mutants in several processes and print the report; returns the survivors."""
    mutants, positions = drawn_mutants(options)
    results = options.folder / f"results-{options.seed}"
    results.mkdir(exist_ok=True)
    print(f"{len(mutants)} mutants of {positions} positions, seed {options.seed}", flush=True)
    queue = multiprocessing.get_context("fork").Value("i", 0)
    order = sorted(range(len(mutants)), key=lambda i: (results / f"{i}.json").exists())
    workers = []
    for _ in range(options.jobs):
        worker = multiprocessing.get_context("fork").Process(
            target=work, args=(options, mutants, order, results, queue)
        )
        worker.start()
        workers.append(worker)
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise SystemExit("a worker ended with an error: some mutants were not tried")
    recheck(options, results)
    return report(mutants, results)


def work(options, mutants, order, results, queue):
    """Take one mutant after the other until none is left."""
    from .reach import Reach
    from .run import ERROR, SURVIVED, UNREACHED, copy_of, preload

    reach = Reach(options.folder)
    preload()
    copy = copy_of(options.folder / "measured", options.folder / f"copy-{os.getpid()}")
    while True:
        with queue.get_lock():
            turn = queue.value
            queue.value += 1
        if turn >= len(mutants):
            shutil.rmtree(copy)
            return
        i = order[turn]
        place, source, mutant = mutants[i]
        record = results / f"{i}.json"
        earlier = json.loads(record.read_text()) if record.exists() else {"end": None, "tests": []}
        again = earlier["end"] in (None, SURVIVED, UNREACHED, ERROR)
        if not again or not place.path.startswith(tuple(options.under)):
            continue
        start = time.monotonic()
        log = options.folder / f"{options.seed}-{i}.log"
        tried = attempt(copy, reach, mutants[i], earlier, log, options.most)
        took = round(time.monotonic() - start, 1)
        tried |= {"seconds": took, "diff": difference(source, mutant)}
        record.write_text(json.dumps(asdict(place) | tried))
        end, by = tried["end"], tried["by"]
        print(f"{i:3} {end:11} {took:5.0f} s  {place.path}:{place.start[0]}  {by}", flush=True)


def attempt(copy, reach, mutant, earlier, log, most):
    """Run the tests that reach a mutant and that it has not met; returns the end and the tests."""
    from .reach import fitting, runs_at_import, statement_lines
    from .run import ERROR, UNREACHED, changed, verdict

    place, source, text = mutant
    met = [] if earlier["end"] == ERROR else earlier["tests"]
    line = place.start[0]
    lines = statement_lines(source, line)
    names = reach.tests_of(place.path, lines, runs_at_import(source, line))
    names = fitting([name for name in names if name not in set(met)], reach.seconds, most)
    if not names:
        return {"end": earlier["end"] or UNREACHED, "by": "", "tests": met}
    seconds = SETTINGS["least"] + SETTINGS["patience"] * sum(map(reach.seconds.get, names))
    files = sorted({name.split("::")[0] for name in names})
    end, by = verdict(copy, changed(copy / place.path, text), log, seconds, files, names)
    return {"end": end, "by": by, "tests": met + names}


def recheck(options, results):
    """Run the tests that failed without any change; what a test noticed that fails then is void."""
    from .run import ERROR, KILLED, copy_of, failing_unchanged, preload

    records = {path: json.loads(path.read_text()) for path in results.glob("*.json")}
    unsure = {
        path: record
        for path, record in records.items()
        if record["end"] == KILLED and not record.get("rechecked")
    }
    preload()
    copy = copy_of(options.folder / "measured", options.folder / "unchanged")
    tests = {record["by"] for record in unsure.values()}
    failed = failing_unchanged(copy, tests, options.folder / "unchanged.log", 3600)
    for path, record in unsure.items():
        end = ERROR if record["by"] in failed else KILLED
        path.write_text(json.dumps(record | {"end": end, "rechecked": True}))


def report(mutants, results):
    """Print the table by folder and the difference of each survivor; returns their number."""
    records = {}
    for i in range(len(mutants)):
        record = results / f"{i}.json"
        if record.exists():
            records[i] = json.loads(record.read_text())
    ends = ["killed", "timed out", "equivalent", "survived", "not reached", "error"]
    equivalent = {(change["file"], change["text"], change["by"]) for change in EQUIVALENT}
    for record in records.values():
        lines = [line[1:].strip() for line in record["diff"]]
        if (record["path"], *lines) in equivalent and record["end"] in ("survived", "not reached"):
            record["end"] = "equivalent"
    drawn = Counter(room(place.path) for place, _, _ in mutants)
    counts = Counter((room(record["path"]), record["end"]) for record in records.values())
    totals = Counter(record["end"] for record in records.values())
    print(f"\n{'':28}" + "".join(f"{head:>12}" for head in ["drawn", "run", *ends]))
    for name in [*sorted(drawn), "all"]:
        row = [totals[end] if name == "all" else counts[name, end] for end in ends]
        row = [len(mutants) if name == "all" else drawn[name], sum(row), *row]
        print(f"{name:28}" + "".join(f"{number:12}" for number in row))
    for i, record in records.items():
        if record["end"] in ("survived", "not reached", "error"):
            place = f"{record['path']}:{record['start'][0]}"
            print(f"\n{i}: {record['end']}, {place} ({record['operator']}) {record['by']}")
            print("\n".join("    " + line for line in record["diff"]))
    return totals["survived"] + totals["not reached"] + totals["error"]


def room(path):
    """The first two folders of a module, or its own name."""
    return "/".join(path.split("/")[:2])


def repeated(options):
    """Make drawn mutants again in a copy of today's checkout; returns how many survive."""
    from .run import KILLED, SURVIVED, changed, copy_of, failing_unchanged, preload, verdict

    mutants, _ = drawn_mutants(options)
    preload()
    copy = copy_of(CHECKOUT, options.folder / f"repeated-{os.getpid()}")
    ends = {}
    for number in options.repeat:
        place, source, mutant = mutants[number]
        path = copy / place.path
        if path.read_text() != source:
            raise ValueError(
                f"{place.path} was changed since the tests were measured: measure anew"
            )
        record = options.folder / f"results-{options.seed}" / f"{number}.json"
        earlier = json.loads(record.read_text())
        tests = options.tests or earlier["tests"]
        log = options.folder / f"repeated-{number}.log"
        end, by = verdict(copy, changed(path, mutant), log, 900, tests)
        if end == KILLED and failing_unchanged(copy, [by], log.with_suffix(".unchanged.log"), 900):
            end = "error"
        print(f"{number:3} {end:11} {place.path}:{place.start[0]}  {by}", flush=True)
        if end == KILLED:
            record.write_text(json.dumps(earlier | {"end": end, "by": by, "rechecked": True}))
        ends[number] = end
    shutil.rmtree(copy)
    return sum(end in (SURVIVED, "error") for end in ends.values())


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    raise SystemExit(main())
