"""Run somebody's module in a process of its own: a crash or an endless loop is a finding, not the
end of the check.

The process writes a line of JSON before each case, and its report at the end. If it ends without
one, or is silent for too long, the case is told as "no answer" and the rest is checked without
this kernel or training. What the module writes to its standard output goes to standard error.

Not handled here: limits on memory; a check in the process that calls it
(:func:`refimpl.check.cli.main`).
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from refimpl.check import cli
from refimpl.check.cases import KERNELS
from refimpl.check.comparing import Difference
from refimpl.check.files import VectorError
from refimpl.check.kernel import NOT_RUN
from refimpl.check.reports import Report
from refimpl.check.running import UnusableError
from refimpl.check.trainings import TRAININGS

__all__ = ["main", "supervised"]

MOST_ENDS = 10
TO_START = 60.0
"""Seconds for imports, beside those for a case."""


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
    ends: list[Difference] = []
    for _ in range(MOST_ENDS):
        skipped = [word for end in ends for word in ("--skip", end.name)]
        outcome = _outcome([*arguments, *skipped], options)
        if isinstance(outcome, Report):
            outcome.differences += ends
            return outcome
        ends.append(outcome)
    report = Report(f"{options.module}", differences=ends)
    report.notes.append(f"given up: the module ended its process {MOST_ENDS} times")
    return report


def _outcome(arguments: list[str], options: Namespace) -> Report | Difference:
    """Return the process's report, or the case that it did not answer."""
    command = [sys.executable, "-X", "faulthandler", "-m", "refimpl.check.supervision", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_reads, args=(process.stdout, lines), daemon=True).start()
        try:
            return _followed(process, lines, options)
        finally:
            process.kill()


def _followed(
    process: "subprocess.Popen[str]", lines: "queue.Queue[str]", options: Namespace
) -> Report | Difference:
    last: dict[str, Any] = {}
    seconds: float | None = options.seconds + TO_START
    while True:
        try:
            line = lines.get(timeout=seconds)
        except queue.Empty:
            return _unanswered(last, f"no answer within {seconds:g} s (--seconds)", options)
        if not line:
            return _unanswered(last, f"the process ended with {_end(process.wait())}", options)
        event = json.loads(line)
        if "unusable" in event:
            raise UnusableError(event["unusable"])
        if "failed" in event:
            raise cli.CheckFailedError
        if "report" in event:
            return _report(event["report"])
        seconds = None if "idle" in event else options.seconds
        last = last if "idle" in event else event


def _unanswered(last: dict[str, Any], words: str, options: Namespace) -> Difference:
    if not last:
        raise UnusableError(f"{options.module} cannot be imported: {words}")
    name, case = last["name"], last["case"]
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
    differences = [
        Difference(**{**part, "flags": tuple(part["flags"])}) for part in content["differences"]
    ]
    facts = [(name, value) for name, value in content["facts"]]
    return Report(
        content["title"], facts, differences, content["notes"], decides=content["decides"]
    )


def _reads(stream: TextIO, lines: "queue.Queue[str]") -> None:
    for line in stream:
        lines.put(line)
    lines.put("")


# ------------------------------------------------------------------------- the module's own process


def child(arguments: list[str]) -> None:
    """Check a module, and write what happens to the standard output."""
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the module prints

    def tell(**event: Any) -> None:
        events.write(json.dumps(event) + "\n")
        events.flush()

    options = cli.options_of(arguments)

    @contextmanager
    def watch(name: str, case: dict[str, Any]) -> Iterator[None]:
        tell(name=name, case=case)
        yield
        tell(idle=True)

    options.watch = watch
    try:
        report = options.check(options)
    except (UnusableError, VectorError) as error:
        tell(unusable=str(error))
    except KeyboardInterrupt:
        tell(failed=True)
    except Exception:
        traceback.print_exc()
        tell(failed=True)
    else:
        tell(report=report.as_dict())
    events.close()


if __name__ == "__main__":
    child(sys.argv[1:])
