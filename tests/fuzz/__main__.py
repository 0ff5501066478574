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
import os
import platform
import sys
import tempfile
import time
from collections import Counter

import numpy as np

from refimpl.check.programs import GivenUpError, Program, ProgramError
from tests.support.agreement import Difference

from .trainings import WITHOUT_BLAS

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
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        return work(options)
    if options.repeat is not None:
        print(*_run(options)(options.seed, options.repeat, options.kernel))
        return 0
    return watch(options)


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
    """Answer numbers of cases on the standard streams, as a program of the check does."""
    run = _run(options)
    for line in sys.stdin:
        number = json.loads(line)["id"]
        try:
            answer = {"case": run(options.seed, number, options.kernel)}
        except Difference as difference:
            answer = {"found": str(difference)}
        except Exception as error:
            answer = {"found": f"the fuzzer itself: {type(error).__name__}: {error}"}
        print(json.dumps({"id": number, **answer}), flush=True)
    return 0


def watch(options):
    """Run all cases, those of trainings under one BLAS kernel after the other; report."""
    start = time.monotonic()
    kernels = blas_kernels() if options.trainings else (None,)
    cases = options.cases
    seconds = None if options.seconds is None else options.seconds / len(kernels)
    repeat = f"    python -m tests.fuzz{' --trainings' if options.trainings else ''} "
    repeat += f"--seed {options.seed} "
    only = f" --kernel {options.kernel}" if options.kernel else ""
    found = 0
    answers, counts = {}, Counter()
    for kernel in kernels:
        environment = () if kernel is None else (f"{CORETYPE}={kernel}",)
        cases, finds, counts, answers[kernel] = _all_cases(options, cases, seconds, environment)
        found += len(finds)
        seconds = None  # the same cases under each
        where = "".join(f"{name} " for name in environment)
        for number, what in finds:
            print(f"{where}{what}\n{repeat}--repeat {number}{only}")
    unequal = moved_by_blas(answers)
    for number, what in unequal:
        print(f"{what}\n{repeat}--first {number} --cases 1{only}")
    if options.trainings:
        for (name, kind), count in sorted(counts.items()):
            print(f"{name}: {count} {kind}")
    found += len(unequal)
    kinds = Counter()
    for (_, kind), count in counts.items():
        kinds[kind] += count
    what, under = "cases", ""
    if options.trainings:
        what, under = "trainings", f", BLAS kernels {', '.join(map(str, kernels))}"
    print(
        f"{cases} {what} of seed {options.seed}{under} in {time.monotonic() - start:.0f} s "
        f"({dict(kinds)}, {len({name for name, _ in counts})} names): {found} finds"
    )
    return 1 if found else 0


def blas_kernels():
    """Return the values of OPENBLAS_CORETYPE to compare; None is OpenBLAS's own choice.

    OpenBLAS does not test whether the processor has the instructions of a kernel.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        return (None,)
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    known = {*simd.get("baseline", ()), *simd.get("found", ())}
    kernels = ["Prescott"]
    if known & {"AVX2", "X86_V3"}:
        kernels.append("Haswell")
    if known & {"AVX512_SKX", "X86_V4"}:
        kernels.append("SkylakeX")
    return tuple(kernels)


def moved_by_blas(answers):
    """Return the finds in digests by BLAS kernel and by case, each with the number of its case.

    A case that one of them lacks is its own find. Trainings that use BLAS may move.
    """
    first, *others = answers
    finds = []
    for number, (name, digest) in sorted(answers[first].items()):
        for kernel in others:
            other = answers[kernel].get(number, (name, digest))[1]
            if name in WITHOUT_BLAS and digest != other:
                under = f"{name}: BLAS kernels {first} and {kernel}"
                finds.append((number, f"{under} must not differ: {digest} and {other}"))
    return finds


def _all_cases(options, cases, seconds, environment):
    """Ask a worker for all cases: (cases done, finds, counts, answers)."""
    finds, answers, counts = [], {}, Counter()
    patience = PATIENCE[options.trainings]
    command = ["env", *environment, sys.executable, "-X", "faulthandler", "-m", "tests.fuzz"]
    command += ["--worker", "--seed", str(options.seed)]
    command += ["--trainings"] if options.trainings else []
    command += ["--kernel", options.kernel] if options.kernel else []
    start = time.monotonic()
    done = 0
    with tempfile.TemporaryFile("w+") as said, Program(command, patience, said) as program:
        while done < cases and len(finds) < MOST_FINDS:
            if seconds is not None and time.monotonic() - start > seconds:
                break
            number = options.first + done
            done += 1
            try:
                program.start()
                answer = program.content({"id": number}, patience, "")
            except GivenUpError:  # several cases in a row that do not end
                break
            except ProgramError as error:
                answer = {"found": f"killed the process ({error}): {last_words(said)}"}
            if "found" in answer:
                finds.append((number, " ".join(answer["found"].split())))
                continue
            name, kind, *more = answer["case"]
            counts[name, kind] += 1
            if more:
                answers[number] = name, more[0]
    return done, finds, counts, answers


def last_words(said):
    """Return where a process died, as faulthandler tells it, without its list of modules."""
    said.seek(0)
    text = said.read()
    begin = max(text.rfind("Fatal Python error"), 0)
    where = text[begin:].partition("Extension modules:")[0].strip()
    return where[:2000] if begin else where[-2000:]


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
