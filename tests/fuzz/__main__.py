"""Run cases in a worker process, so that a crash or a hang is found and named, and the rest goes
on.

    python -m tests.fuzz --cases 100000 --seed 1         # 100,000 cases
    python -m tests.fuzz --seconds 60 --seed 2           # as many as go into a minute
    python -m tests.fuzz --seed 1 --repeat 4711          # one case again, in this process
    python -m tests.fuzz --trainings --cases 500         # whole trainings, under each BLAS kernel

A case is drawn from the seed and its number alone, so ``--first 4711 --cases 1`` runs it, too.
"""

import argparse
import json
import mmap
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter

PATIENCE = {False: 60, True: 600}  # seconds for one case: of a kernel, of a training
MOST_FINDS = 50
CORETYPE = "OPENBLAS_CORETYPE"  # read when NumPy is loaded


def main(arguments=None):
    """Parse the command line and run; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--cases", type=int, default=10_000, help="how many (default 10,000)")
    parser.add_argument("--seconds", type=float, help="stop after so long, whatever --cases says")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--trainings", action="store_true", help="whole trainings, not kernels")
    parser.add_argument("--kernel", help="only this kernel, or this training")
    parser.add_argument(
        "--repeat", type=int, metavar="NUMBER", help="run one case here and show what happens"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        return work(options)
    if options.repeat is not None:
        print(*_run(options)(options.seed, options.repeat, options.kernel))
        return 0
    return watch_trainings(options) if options.trainings else watch_kernels(options)


def _run(options):
    """The function that runs a case."""
    if options.trainings:
        from .trainings import run
    else:
        from .compare import run
    return requiring_silence(run)


def requiring_silence(run):
    """Raise a Difference if an exception was ignored on the way, as in a kernel without Python's
    lock: what it returned then is no answer.
    """
    from .compare import Difference

    def run_and_look(seed, number, only):
        ignored = []
        sys.unraisablehook = lambda unraisable: ignored.append(unraisable.exc_value)
        try:
            outcome = run(seed, number, only)
        finally:
            sys.unraisablehook = sys.__unraisablehook__
        if ignored:
            raise Difference(f"ignored {ignored[0]!r}, {len(ignored)} in all")
        return outcome

    return run_and_look


def work(options):
    """Run cases and write the number of the one at hand where the watching process reads it."""
    from .compare import Difference

    run = _run(options)
    counts = Counter()
    finds = 0
    end = time.monotonic() + (options.seconds or 1e9)
    with open(options.worker, "r+b") as file, mmap.mmap(file.fileno(), 8) as at:
        for number in range(options.first, options.first + options.cases):
            at[:8] = struct.pack("q", number)
            if time.monotonic() > end or finds == MOST_FINDS:
                break
            try:
                name, kind, *answer = run(options.seed, number, options.kernel)
                counts[name, kind] += 1
                if answer:
                    print(f"ANSWER {number} {name} {json.dumps(answer[0])}", flush=True)
                continue
            except Difference as difference:
                found = str(difference)
            except Exception as error:
                found = f"the fuzzer itself: {type(error).__name__}: {error}"
            finds += 1
            print(f"FOUND {number} {' '.join(found.split())}", flush=True)
        else:
            at[:8] = struct.pack("q", options.first + options.cases)
    for (kernel, kind), count in counts.items():
        print(f"COUNT {kernel} {kind} {count}", flush=True)
    return 0


def watch_kernels(options):
    """Fuzz the kernels; report."""
    start = time.monotonic()
    done, finds, counts, _ = _all_workers(options, options.cases, options.seconds, os.environ)
    _print_finds(options, finds)
    kinds = Counter()
    for (_, kind), count in counts.items():
        kinds[kind] += count
    print(
        f"{done} cases of seed {options.seed} in {time.monotonic() - start:.0f} s ({dict(kinds)}, "
        f"{len({kernel for kernel, _ in counts})} kernels): {len(finds)} finds"
    )
    return 1 if finds else 0


def watch_trainings(options):
    """Fuzz the trainings under one BLAS kernel after the other; report."""
    from . import blas

    start = time.monotonic()
    kernels = blas.kernels_of_this_machine()
    cases = options.cases
    seconds = None if options.seconds is None else options.seconds / len(kernels)
    finds = []
    answers = {}
    counts = Counter()
    for kernel in kernels:
        environment = dict(os.environ) if kernel is None else os.environ | {CORETYPE: kernel}
        cases, fresh, counts, answers[kernel] = _all_workers(options, cases, seconds, environment)
        finds += [(number, f"under {kernel}: {what}") for number, what in fresh]
        seconds = None  # the same cases under each
    unequal, moved = blas.compare(answers)
    _print_finds(options, finds, where=" (with OPENBLAS_CORETYPE as named)")
    for number, what in unequal:
        print(
            f"{what}\n    python -m tests.fuzz --trainings --seed {options.seed} --first {number} "
            "--cases 1" + (f" --kernel {options.kernel}" if options.kernel else "")
        )
    for name in sorted({name for name, _ in counts}):
        print(
            f"{name}: {counts[name, 'trained']} trained, {counts[name, 'refused']} refused; "
            f"{moved[name, 'moved']} moved with BLAS, of them "
            f"{moved[name, 'chose otherwise']} to another choice, "
            f"{moved[name, 'without a tolerance']} without a tolerance"
        )
    found = len(finds) + len(unequal)
    print(
        f"{cases} trainings of seed {options.seed}, BLAS kernels "
        f"{', '.join(map(str, kernels))}, in {time.monotonic() - start:.0f} s: {found} finds"
    )
    return 1 if found else 0


def _print_finds(options, finds, where=""):
    for number, what in finds:
        print(
            f"{what}\n    python -m tests.fuzz{' --trainings' if options.trainings else ''} "
            f"--seed {options.seed} --repeat {number}"
            + (f" --kernel {options.kernel}" if options.kernel else "")
            + where
        )


def _all_workers(options, cases, seconds, environment):
    """Start workers until all cases have run: (cases done, finds, counts, answers)."""
    first = options.first
    last = options.first + cases
    finds = []
    answers = {}
    counts = Counter()
    start = time.monotonic()
    with tempfile.NamedTemporaryFile() as progress:
        progress.write(struct.pack("q", first))
        progress.flush()
        while first < last and len(finds) < MOST_FINDS:
            left = None if seconds is None else seconds - (time.monotonic() - start)
            if left is not None and left <= 0:
                break
            outcome, lines = _one_worker(
                options, progress.name, first, last - first, left, environment
            )
            at = struct.unpack("q", open(progress.name, "rb").read(8))[0]
            for line in lines:
                word, rest = line.split(" ", 1)
                if word == "FOUND":
                    number, what = rest.split(" ", 1)
                    finds.append((int(number), what))
                elif word == "COUNT":
                    name, kind, count = rest.split()
                    counts[name, kind] += int(count)
                elif word == "ANSWER":
                    number, name, answer = rest.split(" ", 2)
                    answers[int(number)] = name, json.loads(answer)
            if outcome is None:
                first = at
                break
            finds.append((at, outcome))
            first = at + 1
    return first - options.first, finds, counts, answers


def is_stopped(pid):
    """Whether somebody has stopped the process (SIGSTOP), who may let it go on."""
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] == "T"
    except OSError:  # not Linux, or the process has just ended
        return False


def _one_worker(options, progress, first, cases, seconds, environment):
    """Run a worker to its end: (None or how it died, its lines)."""
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.fuzz",
        "--worker",
        progress,
        "--first",
        str(first),
        "--cases",
        str(cases),
        "--seed",
        str(options.seed),
    ]
    command += ["--trainings"] if options.trainings else []
    command += ["--kernel", options.kernel] if options.kernel else []
    command += ["--seconds", str(seconds)] if seconds is not None else []
    patience = PATIENCE[options.trainings]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=out, stderr=said, env=environment)
        outcome = None
        at = -1
        since = time.monotonic()
        while process.poll() is None:
            time.sleep(0.2)
            now = struct.unpack("q", open(progress, "rb").read(8))[0]
            if now != at or is_stopped(process.pid):
                at = now
                since = time.monotonic()
            elif time.monotonic() - since > patience:
                process.kill()
                process.wait()
                outcome = f"did not end within {patience} s"
        out.seek(0)
        lines = out.read().splitlines()
        if outcome is None and process.returncode:
            said.seek(0)
            why = last_words(said.read())
            outcome = f"killed the process (exit code {process.returncode}): {why}"
    return outcome, lines


def last_words(said):
    """Return where a process died, as faulthandler tells it, without its list of modules."""
    begin = max(said.rfind("Fatal Python error"), 0)
    where = said[begin:].partition("Extension modules:")[0].strip()
    return where[:2000] if begin else where[-2000:]


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
