"""Run somebody's module in a process of its own: a crash or an endless loop is a finding, not the
end of the check.

The process writes a line of JSON before each case and each call, for each difference, and its
report at the end. If it ends without a report, or is silent for too long, the case is told as "no
answer", with what differed before, and the rest is checked with the reference instead of this
kernel, or without this training. What the module writes to its standard output goes to standard
error. Its memory is limited where the system can do that (Linux).

Not handled here: a check in the process that calls it (:func:`refimpl.check.cli.main`).
"""

import importlib
import json
import math
import mmap
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TextIO

from refimpl.check import cli, exploring
from refimpl.check.cases import KERNELS
from refimpl.check.comparing import Difference
from refimpl.check.files import VectorError
from refimpl.check.kernel import NOT_RUN
from refimpl.check.reports import Report
from refimpl.check.running import UnusableError, Watch
from refimpl.check.trainings import TRAININGS

try:
    import resource
except ImportError:  # no Unix
    resource = None  # type: ignore[assignment]

__all__ = ["main", "supervised"]

MOST_ENDS = 10
TO_START = 60.0
"""Seconds for imports, beside those for a case."""
WAIT = 0.2
"""Seconds between two looks at the process."""
LEAST_MEMORY, MOST_MEMORY = 64, 2**30
NEAR = 2**25
"""Bytes below the limit on memory from which a failure is one of memory."""
RESERVE = 2**23
"""Bytes that are freed to tell of a failure."""
STATUS = Path("/proc/self/status")


def main(arguments: list[str]) -> int:
    """Run the command, modules in a process of their own; return its exit code."""
    options = cli.options_of(arguments)
    if not hasattr(options, "skip") or getattr(options, "list", False):
        return cli.finished(options)
    return cli.finished(options, lambda: supervised(arguments, options))


def supervised(arguments: list[str], options: Namespace) -> Report:
    """Return the report on a module, whatever it does to its process."""
    if not 0 < options.seconds < cli.MOST_SECONDS:
        raise UnusableError(f"--seconds must be above 0 and at most a day; got {options.seconds}")
    if not LEAST_MEMORY <= options.memory <= MOST_MEMORY:
        raise UnusableError(
            f"--memory must be from {LEAST_MEMORY} to {MOST_MEMORY} MiB; got {options.memory}"
        )
    print(_limits(options), file=sys.stderr)
    ends: list[Difference] = []
    before: list[Difference] = []
    for _ in range(MOST_ENDS):
        skipped = [end.name for end in ends]
        outcome = _outcome([*arguments, *_skipping(skipped)], options)
        if isinstance(outcome, Report):
            outcome.differences += before + ends
            return outcome
        ends.append(outcome.end)
        given_up = len(ends) == MOST_ENDS
        before += [one for one in outcome.before if given_up or one.name == outcome.end.name]
    report = Report(f"{options.module}", differences=before + ends)
    report.notes.append(f"given up: the module ended its process {MOST_ENDS} times")
    return report


def _limits(options: Namespace) -> str:
    memory = f"{options.memory} MiB of memory (--memory)"
    if not limits_memory():
        memory = "its memory is not limited on this system"
    return f"the module: {options.seconds:g} s for an answer (--seconds), {memory}"


def _skipping(names: list[str]) -> list[str]:
    return [word for name in names for word in ("--skip", name)]


@dataclass(frozen=True)
class _Ended:
    """A process without a report: the case that it did not answer, and what differed before."""

    end: Difference
    before: list[Difference]


def _outcome(arguments: list[str], options: Namespace) -> Report | _Ended:
    """Return the process's report, or how it ended."""
    command = [sys.executable, "-X", "faulthandler", "-m", "refimpl.check.supervision", *arguments]
    lines: queue.Queue[bytes] = queue.Queue()
    process = None
    try:
        process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None
        threading.Thread(target=_reads, args=(process.stdout, lines), daemon=True).start()
        return _followed(process, lines, options)
    finally:
        if process is not None:
            _kill(process)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End the process and those that it started, and wait for it."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # all have ended
            pass
    process.kill()
    process.wait()


def _followed(
    process: "subprocess.Popen[bytes]", lines: "queue.Queue[bytes]", options: Namespace
) -> Report | _Ended:
    """Return what the lines of the process say."""
    told: dict[tuple[str, str], Difference] = {}
    last: dict[str, Any] = {}
    seconds: float | None = options.seconds + TO_START
    while True:
        line = _next_line(process, lines, seconds)
        if not line:
            words = _silent(process, last, options)
            return _Ended(_unanswered(last, words, options), list(told.values()))
        event = json.loads(line)
        if "unusable" in event:
            raise UnusableError(event["unusable"])
        if "memory" in event:
            words = f"it has used up its {options.memory} MiB of memory (--memory)"
            end = _unanswered(last, words, options)
            told.pop((end.name, end.id), None)  # such as a MemoryError that it raised before
            return _Ended(end, list(told.values()))
        if "failed" in event:
            raise cli.CheckFailedError
        if "report" in event:
            return _report(event["report"])
        if "differs" in event:
            difference = _difference(event["differs"])
            told[difference.name, difference.id] = difference
        elif "calls" in event:
            last["calls"] = event["calls"]
        elif "case" in event:
            last, seconds = event, options.seconds
        else:
            seconds = None


def _next_line(
    process: "subprocess.Popen[bytes]", lines: "queue.Queue[bytes]", seconds: float | None
) -> bytes:
    """Return the next line; an empty one if there is none in this time, or the process has ended.

    A process that it started may keep its output open.
    """
    limit = math.inf if seconds is None else time.monotonic() + seconds
    ended = False
    while time.monotonic() < limit:
        try:
            return lines.get(timeout=WAIT)
        except queue.Empty:
            if ended:
                return b""
            ended = process.poll() is not None  # what it wrote before may still come
    return b""


def _silent(process: "subprocess.Popen[bytes]", last: dict[str, Any], options: Namespace) -> str:
    """Return why there is no further line."""
    try:
        return f"the process ended with {_end(process.wait(timeout=WAIT))}"
    except subprocess.TimeoutExpired:
        if last:
            return f"no answer within {options.seconds:g} s (--seconds)"
        return f"no answer within {options.seconds + TO_START:g} s, {TO_START:g} s over --seconds"


def _unanswered(last: dict[str, Any], words: str, options: Namespace) -> Difference:
    if not last:
        raise UnusableError(f"{options.module} cannot be imported: {words}")
    case = last["case"]
    name = last.get("calls", last["name"])
    first = (KERNELS[name] if name in KERNELS else TRAININGS[name]).outputs[0]
    flags = tuple(case["flags"])
    return Difference(
        name, NOT_RUN, first.name, first.source, words, case["id"], flags, "", case["arguments"]
    )


def _end(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _report(content: dict[str, Any]) -> Report:
    differences = [_difference(part) for part in content["differences"]]
    facts = [(name, value) for name, value in content["facts"]]
    return Report(
        content["title"], facts, differences, content["notes"], decides=content["decides"]
    )


def _difference(part: dict[str, Any]) -> Difference:
    return Difference(**{**part, "flags": tuple(part["flags"])})


def _reads(stream: IO[bytes], lines: "queue.Queue[bytes]") -> None:
    rest = b""
    with stream:
        while read := stream.read(2**16):
            *whole, rest = (rest + read).split(b"\n")
            for line in whole:
                lines.put(line)


# ------------------------------------------------------------------------- the module's own process


class Telling(Watch):
    """Write what happens to a stream, a line of JSON each."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.process = os.getpid()

    def tell(self, **event: Any) -> None:
        """Write a line, unless this is a process that the module forked."""
        if os.getpid() == self.process:
            self.stream.write(json.dumps(event) + "\n")
            self.stream.flush()

    @contextmanager
    def case(self, name: str, case: dict[str, Any]) -> Iterator[None]:
        """Tell the case before, and that it is over."""
        self.tell(name=name, case=case)
        yield
        self.tell(idle=True)

    def calls(self, name: str) -> None:
        """Tell the kernel that is called."""
        self.tell(calls=name)

    def differs(self, difference: Difference) -> None:
        """Tell the difference: the process may end before its report."""
        self.tell(differs=difference.as_json())


def limits_memory() -> bool:
    """Whether this system can limit what a process takes."""
    return resource is not None and STATUS.exists()


def _taken() -> int:
    """Return the bytes that this process has taken."""
    taken = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmData:"))
    return 1024 * int(taken.split()[1])


def limit_memory(megabytes: int) -> None:
    """Let this process take so much memory beside what it has."""
    if not limits_memory():
        return
    most = _taken() + 2**20 * megabytes
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def memory_is_short() -> bool:
    """Lift the limit, and say whether it was nearly reached."""
    if not limits_memory():
        return False
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    return soft != resource.RLIM_INFINITY and _taken() > soft - NEAR


def _reserve() -> mmap.mmap:
    """Take memory that is given back as a whole; malloc might keep it."""
    if not limits_memory():
        return mmap.mmap(-1, RESERVE)
    return mmap.mmap(-1, RESERVE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def child(arguments: list[str]) -> None:
    """Check a module, and write what happens to the standard output."""
    watch = Telling(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # what the module prints
    options = cli.options_of(arguments)
    options.watch = watch
    if options.examples and exploring.available():
        importlib.import_module("hypothesis")  # beside the module's memory
    reserve = _reserve()
    limit_memory(options.memory)
    try:
        watch.tell(report=options.check(options).as_dict())
    except Exception as error:
        reserve.close()
        watch.tell(**_failure(error))
    watch.stream.close()


def _failure(error: Exception) -> dict[str, Any]:
    """Return what is told of an exception that ended the check."""
    short = memory_is_short()
    if isinstance(error, MemoryError) or (short and not isinstance(error, VectorError)):
        return {"memory": True}
    if isinstance(error, UnusableError | VectorError):
        return {"unusable": str(error)}
    traceback.print_exception(error)
    return {"failed": True}


if __name__ == "__main__":
    child(sys.argv[1:])
