"""Run cases in a worker process, so that a crash or a hang is found and named, and the rest goes
on.

    python -m tests.fuzz --cases 100000 --seed 1         # 100,000 cases
    python -m tests.fuzz --seconds 60 --seed 2           # as many as go into a minute
    python -m tests.fuzz --seed 1 --repeat 4711          # one case again, in this process
"""

import argparse
import mmap
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter

PATIENCE = 60  # seconds for one case
MOST_FINDS = 50


def main(arguments=None):
    """Parse the command line and run; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--cases", type=int, default=10_000, help="how many (default 10,000)")
    parser.add_argument("--seconds", type=float, help="stop after so long, whatever --cases says")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--kernel", help="only this kernel")
    parser.add_argument(
        "--repeat", type=int, metavar="NUMBER", help="run one case here and show what happens"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        return work(options)
    if options.repeat is not None:
        from .compare import run

        print(*run(options.seed, options.repeat, options.kernel))
        return 0
    return watch(options)


def work(options):
    """Run cases and write the number of the one at hand where the watching process reads it."""
    from .compare import Difference, run

    counts = Counter()
    finds = 0
    end = time.monotonic() + (options.seconds or 1e9)
    with open(options.worker, "r+b") as file, mmap.mmap(file.fileno(), 8) as at:
        for number in range(options.first, options.first + options.cases):
            at[:8] = struct.pack("q", number)
            if time.monotonic() > end or finds == MOST_FINDS:
                break
            try:
                counts.update([run(options.seed, number, options.kernel)])
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


def watch(options):
    """Start workers until all cases have run; report what they find."""
    first = options.first
    last = options.first + options.cases
    finds = []
    counts = Counter()
    start = time.monotonic()
    with tempfile.NamedTemporaryFile() as progress:
        progress.write(struct.pack("q", first))
        progress.flush()
        while first < last and len(finds) < MOST_FINDS:
            left = None if options.seconds is None else options.seconds - (time.monotonic() - start)
            if left is not None and left <= 0:
                break
            outcome, lines = _one_worker(options, progress.name, first, last - first, left)
            at = struct.unpack("q", open(progress.name, "rb").read(8))[0]
            for line in lines:
                word, rest = line.split(" ", 1)
                if word == "FOUND":
                    finds.append(rest)
                elif word == "COUNT":
                    kernel, kind, count = rest.split()
                    counts[kernel, kind] += int(count)
            if outcome is None:
                first = at
                break
            finds.append(f"{at} {outcome}")
            first = at + 1
    done = first - options.first
    for find in finds:
        number, what = find.split(" ", 1)
        print(
            f"{what}\n    python -m tests.fuzz --seed {options.seed} --repeat {number}"
            + (f" --kernel {options.kernel}" if options.kernel else "")
        )
    kinds = Counter()
    for (_, kind), count in counts.items():
        kinds[kind] += count
    print(
        f"{done} cases of seed {options.seed} in {time.monotonic() - start:.0f} s ({dict(kinds)}, "
        f"{len({kernel for kernel, _ in counts})} kernels): {len(finds)} finds"
    )
    return 1 if finds else 0


def _one_worker(options, progress, first, cases, seconds):
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
    command += ["--kernel", options.kernel] if options.kernel else []
    command += ["--seconds", str(seconds)] if seconds is not None else []
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=out, stderr=said)
        outcome = None
        at = -1
        since = time.monotonic()
        while process.poll() is None:
            time.sleep(0.2)
            now = struct.unpack("q", open(progress, "rb").read(8))[0]
            if now != at:
                at = now
                since = time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                process.kill()
                process.wait()
                outcome = f"did not end within {PATIENCE} s"
        out.seek(0)
        lines = out.read().splitlines()
        if outcome is None and process.returncode:
            said.seek(0)
            last = said.read().strip()[-2000:]
            outcome = f"killed the process (exit code {process.returncode}): {last}"
    return outcome, lines


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
