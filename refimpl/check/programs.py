"""Hold a program in any language against the vectors, by JSON lines on its standard streams.

The program reads a case a line: ``{"id": ..., "kernel": name, "arguments": {...}}``, or
``"training"`` instead of ``"kernel"``. It writes a line for each: ``{"id": ..., "result": {...}}``
with the outputs by their names (for a training a list of them), or ``{"id": ..., "skip": true}``
for what it does not have. It may leave out what counts the work. Values are written as in the
vectors; plain numbers and lists of numbers are read, too. A program that crashes, or is silent for
too long, is started again for the next case.

Not handled here: limits on a program's memory.
"""

import json
import queue
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from refimpl.check.cases import KERNELS
from refimpl.check.comparing import Difference, Fault, compare
from refimpl.check.encoding import decode
from refimpl.check.files import names
from refimpl.check.kernel import NOT_RUN, WRONG, Kernel, Output, Values
from refimpl.check.parts import Compared
from refimpl.check.running import UnusableError, decoded_cases, difference_of
from refimpl.check.stages import decoded_trainings, difference_in
from refimpl.check.trainings import TRAININGS

__all__ = ["Program", "ProgramError", "program_differences"]

MOST_STARTS = 50
MOST_SILENT = 2
"""Time-outs in a row after which a kernel's other cases are not asked; one more ends the check."""
MOST_LINE = 2**26
Judge = Callable[[Any], Difference | None]
NUMBER = re.compile("[+-]?(0x|inf|nan)", re.IGNORECASE)


class ProgramError(Exception):
    """The program gave no answer that can be read; the message says what it did instead."""


class GivenUpError(Exception):
    """The program had to be started too often."""


class Program:
    """A program that answers cases.

    Parameters
    ----------
    command : list of str
    seconds : float
        The longest time for one answer.
    """

    def __init__(self, command: list[str], seconds: float) -> None:
        self.command = command
        self.seconds = seconds
        self.starts = 0
        self.silent = 0
        self.unasked: list[str] = []
        self.given_up = False
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: queue.Queue[bytes] = queue.Queue()

    def start(self) -> None:
        """Start the program, unless it runs."""
        if self.process is not None and self.process.poll() is None:
            return
        if self.starts == MOST_STARTS or self.silent > MOST_SILENT:
            raise GivenUpError
        self.starts += 1
        self.lines = queue.Queue()
        try:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except OSError as error:
            raise UnusableError(f"cannot start {self.command[0]}: {error.strerror}") from error
        threading.Thread(target=_reads, args=(self.process, self.lines), daemon=True).start()

    def ask(self, case: dict[str, Any]) -> Any:
        """Return the program's result for a case, None if it skips it."""
        self.start()
        assert self.process is not None and self.process.stdin is not None
        line = (json.dumps(case) + "\n").encode()
        # a thread of its own: a program that reads nothing would block this one
        writer = threading.Thread(target=send, args=(self.process, line), daemon=True)
        writer.start()
        try:
            answer = self.lines.get(timeout=self.seconds)
        except queue.Empty:
            self.stop()
            self.silent += 1
            raise ProgramError(f"no answer within {self.seconds:g} s") from None
        self.silent = 0
        if not answer:
            code = self._ended()
            raise ProgramError(f"the program ended with {code}")
        return self._read(answer, case["id"])

    def _read(self, answer: bytes, id: str) -> Any:
        try:
            content = json.loads(answer)
        except (ValueError, RecursionError):
            self.stop()  # its next line may belong to this case
            raise ProgramError(f"a line that is no JSON: {answer[:80]!r}") from None
        if not isinstance(content, dict) or content.get("id") != id:
            self.stop()
            raise ProgramError(f"an answer that has not the id {id!r}: {answer[:80]!r}")
        if content.get("skip"):
            return None
        if "error" in content:
            raise ProgramError(f"the program says {str(content['error'])[:200]}")
        if "result" not in content:
            raise ProgramError("an answer without result, skip or error")
        try:
            return as_values(content["result"])
        except Exception as error:  # it may be anything
            raise ProgramError(f"a result that cannot be read: {error}") from None

    def _ended(self) -> str:
        assert self.process is not None
        try:
            code = self.process.wait(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            self.stop()
            return "a closed output"
        return f"exit code {code}" if code >= 0 else f"signal {-code}"

    def stop(self) -> None:
        """End the program."""
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    try:
                        stream.close()
                    except OSError:  # what it did not read is lost
                        pass
            self.process = None


def _reads(process: "subprocess.Popen[bytes]", lines: "queue.Queue[bytes]") -> None:
    assert process.stdout is not None
    while True:
        try:
            line = process.stdout.readline(MOST_LINE)
        except ValueError:  # closed
            line = b""
        lines.put(line)
        if not line:
            return


def send(process: "subprocess.Popen[bytes]", line: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(line)
        process.stdin.flush()
    except (OSError, ValueError):  # it has ended, which its output tells
        pass


def as_values(result: Any) -> Any:
    """Return a program's result: values of the vectors, or plain numbers and lists."""
    if isinstance(result, list) and result and all(isinstance(part, dict) for part in result):
        return [as_values(part) for part in result]
    if not isinstance(result, dict):
        raise ValueError(f"it must be an object or a list of objects; got {str(result)[:80]}")
    return {name: _value(value) for name, value in result.items()}


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        if "generator" in value or "digest" in value:
            raise ValueError("an answer must have the whole array, no generator and no digest")
        return decode(value)
    if isinstance(value, str):
        return _float(value) if NUMBER.match(value) else value
    if isinstance(value, list):
        return np.array(_numbers(value))
    return value


def _numbers(value: list[Any]) -> list[Any]:
    return [
        _numbers(part)
        if isinstance(part, list)
        else (_float(part) if isinstance(part, str) else part)
        for part in value
    ]


def _float(text: str) -> float:
    if not NUMBER.match(text):  # float.fromhex takes 1.5 for 1 + 5/16
        raise ValueError(f"a number in a string must be hexadecimal, from 0x; got {text[:40]!r}")
    return float.fromhex(text)


def program_differences(
    program: Program,
    where: Path,
    wanted: list[str],
    progress: Callable[[str, int], None],
    compared: Compared | None = None,
) -> list[Difference]:
    """Return what differs; `wanted` are kernels and trainings, by default all of them.

    `compared` is told which parts the rounds of trainings have.
    """
    differences: list[Difference] = []
    try:
        for kind, known in (("kernels", KERNELS), ("trainings", TRAININGS)):
            for name in names(where, kind):
                if (wanted and name not in wanted) or name not in known:
                    continue
                of_kernel = kind == "kernels"
                cases = (
                    _of_kernel(where, name) if of_kernel else _of_training(where, name, compared)
                )
                progress(name, _count_asked(program, cases, differences))
    except GivenUpError:
        program.given_up = True
        progress(name, len([1 for difference in differences if difference.name == name]))
    finally:
        program.stop()
    return differences


def _count_asked(
    program: Program,
    judged: Iterator[tuple[dict[str, Any], dict[str, str], Output, Judge]],
    differences: list[Difference],
) -> int:
    """Ask cases, add what differs, and return how many were answered or failed."""
    count = 0
    for case, of, first, judge in judged:
        (name,) = of.values()
        try:
            got = program.ask({"id": case["id"], **of, "arguments": case["arguments"]})
        except ProgramError as error:
            found: Difference | None = difference_of(name, Fault(NOT_RUN, first, str(error)), case)
        else:
            if got is None:
                return count
            found = judge(got)
        count += 1
        if found is not None:
            differences.append(found)
        if program.silent >= MOST_SILENT:
            program.unasked.append(name)
            return count
    return count


def _of_kernel(
    where: Path, name: str
) -> Iterator[tuple[dict[str, Any], dict[str, str], Output, Judge]]:
    """Yield each case of a kernel, and how its answer is judged."""
    kernel = KERNELS[name]
    for case, arguments, expected in decoded_cases(where, name):

        def judge(got: Any, case: Any = case, a: Values = arguments, e: Values = expected) -> Any:
            fault = _fault(kernel, a, e, got)
            return fault and difference_of(name, fault, case)

        yield case, {"kernel": name}, kernel.outputs[0], judge


def _of_training(
    where: Path, name: str, compared: Compared | None
) -> Iterator[tuple[dict[str, Any], dict[str, str], Output, Judge]]:
    """Yield each case of a training, and how its answer is judged."""
    training = TRAININGS[name]
    for case, arguments, expected in decoded_trainings(where, name):

        def judge(got: Any, case: Any = case, a: Values = arguments, e: Any = expected) -> Any:
            states = got if isinstance(got, list) else [got]
            return difference_in(training, case, a, e, lambda name, given: states, compared)

        yield case, {"training": name}, training.outputs[0], judge


def _fault(kernel: Kernel, arguments: Values, expected: Values, got: Any) -> Fault | None:
    if not isinstance(got, dict):
        return Fault(WRONG, kernel.outputs[0], "the result must be an object of outputs")
    missing = _missing(kernel.outputs, got)
    return missing or compare(kernel, arguments, expected, got)


def _missing(outputs: tuple[Output, ...], got: Values) -> Fault | None:
    for output in outputs:
        if got.get(output.name) is None and output.agreement != "count":
            return Fault(NOT_RUN, output, f"the result lacks {output.name}")
    return None
