"""Ask somebody's implementation a case by JSON lines: a program in any language, or a module in a
process of its own.

The program reads a case a line: ``{"id": ..., "kernel": name, "arguments": {...}}``, or
``"training"`` instead of ``"kernel"``. It writes a line for each: ``{"id": ..., "result": {...}}``
with the outputs by their names (for a training a list of them), or ``{"id": ..., "skip": true}``
for what it does not have. It may leave out what counts the work. Values are written as in the
vectors; plain numbers and lists of numbers are read, too. A program that crashes, or is silent for
too long, is started again for the next case. Its memory is limited where the system can do that
(Linux).
"""

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple, Self

from refimpl.check.comparing import Odd
from refimpl.check.encoding import read
from refimpl.check.files import UnusableError
from refimpl.check.subject import States

try:
    import resource
except ImportError:  # no Unix
    resource = None  # type: ignore[assignment]

MOST_STARTS = 50
MOST_SILENT = 2
"""Time-outs in a row; one more ends the check."""
MOST_LINE = 2**26
TO_START = 60.0
"""Seconds for the imports of a module, beside those for a case."""
OUT_OF_MEMORY = b"out of memory\n"
"""The line of a module's process that has used up its memory; a module may exit with any code."""
WAIT = 0.2
"""Seconds between two looks at the process."""


class ProgramError(Exception):
    """The program gave no answer that can be read; `ended` says whether its process has ended."""

    def __init__(self, words: str, *, ended: bool = False) -> None:
        super().__init__(words)
        self.ended = ended


class GivenUpError(Exception):
    """The program had to be started too often."""


class Answer(NamedTuple):
    """The states that a program returns, and the arguments to which it wrote."""

    states: States
    wrote: list[str]


class Asked:
    """Somebody's implementation that answers cases."""

    own: tuple[str, ...] = ()  # the kernels that a module has instead of the reference's
    trainings: tuple[str, ...] = ()  # those for which a module has a function
    in_order: tuple[str, ...] = ()  # functions of a module with other names for their arguments

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the object that answers a case."""
        raise NotImplementedError

    def ask(self, question: dict[str, Any]) -> Answer | None:
        """Return what is answered to a case, None if it is skipped."""
        content = self.answer(question)
        if content.get("skip"):
            return None
        if "raised" in content:
            raise ProgramError(content["raised"])
        if "error" in content:
            raise ProgramError(f"the program says {str(content['error'])[:200]}")
        if "result" not in content:
            raise ProgramError("an answer without result, skip or error")
        try:
            return Answer(as_states(content["result"]), content.get("wrote", []))
        except Exception as error:  # it may be anything
            raise ProgramError(f"a result that cannot be read: {error}") from None


class Program(Asked):
    """A program that answers cases on its standard streams, each within some seconds."""

    limits_itself = False  # a module's process does so when it has imported the check

    def __init__(
        self, command: list[str], seconds: float, stderr: Any = None, memory: int | None = None
    ) -> None:
        self.command = command
        self.seconds = seconds
        self.memory = memory  # the limit in MiB
        self.stderr = stderr  # where its standard error goes, if not to the check's own
        self.starts = 0
        self.silent = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: queue.Queue[bytes] = queue.Queue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def start(self) -> bool:
        """Start the program, unless it runs; return whether it was started."""
        if self.process is not None and self.process.poll() is None:
            return False
        if self.starts == MOST_STARTS or self.silent > MOST_SILENT:
            raise GivenUpError
        self.stop()
        self.starts += 1
        self.lines = queue.Queue()
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise UnusableError(f"cannot start {self.command[0]}: {error.strerror}") from error
        if self.memory is not None and not self.limits_itself:
            with contextlib.suppress(OSError):  # it may have ended
                limit_memory(self.memory, self.process.pid)
        threading.Thread(target=_reads, args=(self.process, self.lines), daemon=True).start()
        return True

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the object that answers a case; the program is started if it does not run."""
        self.start()
        return self.content(question, self.seconds, " (--seconds)")

    def content(self, question: dict[str, Any], seconds: float, named: str) -> dict[str, Any]:
        """Return the object that answers a question."""
        assert self.process is not None
        line = (json.dumps(question) + "\n").encode()
        # a thread of its own: a program that reads nothing would block this one
        threading.Thread(target=send, args=(self.process, line), daemon=True).start()
        answer = self._line(seconds)
        if answer is None:
            self.stop()
            self.silent += 1
            raise ProgramError(f"no answer within {seconds:g} s{named}", ended=True)
        self.silent = 0
        if not answer:
            words = self._ended()
            self.stop()
            raise ProgramError(words, ended=True)
        if self.limits_itself and answer == OUT_OF_MEMORY:
            self.stop()
            words = f"it has used up its {self.memory} MiB of memory (--memory)"
            raise ProgramError(words, ended=True)
        try:
            content = json.loads(answer)
        except (ValueError, RecursionError):
            self.stop()  # its next line may belong to this case
            raise ProgramError(f"a line that is no JSON: {answer[:80]!r}") from None
        if not isinstance(content, dict) or content.get("id") != question["id"]:
            self.stop()
            raise ProgramError(f"an answer that has not the id {question['id']!r}: {answer[:80]!r}")
        return content

    def _line(self, seconds: float) -> bytes | None:
        """Return the next line, empty if the process has ended, None after so many seconds."""
        assert self.process is not None
        ended = False
        waited = 0.0  # not by a clock, which goes on while somebody has stopped the check
        while waited < seconds:
            step = min(WAIT, seconds - waited)
            try:
                return self.lines.get(timeout=step)
            except queue.Empty:
                waited += step
                if ended:  # one that it started may keep its output open
                    return b""
                ended = self.process.poll() is not None  # what it wrote before may still come
        return None

    def _ended(self) -> str:
        """Return how the process ended."""
        assert self.process is not None
        try:
            code = self.process.wait(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            return "the process ended with a closed output"
        if code >= 0:
            return f"the process ended with exit code {code}"
        known = f", {signal.Signals(-code).name}" if -code in set(signal.Signals) else ""
        return f"the process ended with signal {-code}{known}"

    def stop(self) -> None:
        """End the program and what it started in its session."""
        if self.process is None:
            return
        if hasattr(os, "killpg"):
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # all have ended
                pass
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except OSError:  # what it did not read is lost
            pass
        self.process = None


class ModuleProgram(Program):
    """A module that is asked in a process of its own, whose memory is limited (MiB)."""

    limits_itself = True

    def __init__(self, module: str, seconds: float, memory: int) -> None:
        command = [sys.executable, "-X", "faulthandler", "-m", "refimpl.check.serving"]
        super().__init__(command, seconds, memory=memory)
        self.opening = {"id": "module", "module": module, "memory": memory}

    def start(self) -> bool:
        """Start the process and import the module, unless it runs; return whether it started."""
        if not super().start():
            return False
        try:
            added = f", {TO_START:g} s over --seconds"
            about = self.content(self.opening, self.seconds + TO_START, added)
        except ProgramError as error:
            words = f"{self.opening['module']} cannot be imported: {error}"
            raise UnusableError(words) from None
        if "unusable" in about:
            raise UnusableError(about["unusable"])
        self.own, self.trainings = tuple(about["own"]), tuple(about["trainings"])
        self.in_order = tuple(about["in order"])
        return True


def _reads(process: "subprocess.Popen[bytes]", lines: "queue.Queue[bytes]") -> None:
    """Put the lines of the program into the queue, and an empty one behind the last."""
    assert process.stdout is not None
    with process.stdout as stream:
        while line := stream.readline(MOST_LINE):
            lines.put(line)
    lines.put(b"")


def send(process: "subprocess.Popen[bytes]", line: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(line)
        process.stdin.flush()
    except (OSError, ValueError):  # it has ended, which its output tells
        pass


# ---------------------------------------------------------------------------- limits on the memory


def limits_memory() -> bool:
    """Whether this system can limit what a process takes."""
    return hasattr(resource, "prlimit") and Path("/proc/self/status").exists()


def taken_memory(pid: int | str = "self") -> int:
    """Return the bytes that a process has taken; 0 if it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return 1024 * next((int(line.split()[1]) for line in lines if line.startswith("VmData:")), 0)


def limit_memory(megabytes: int, pid: int | None = None) -> None:
    """Let a process, this one if none is named, take so much memory beside what it has."""
    if not limits_memory():
        return
    most = taken_memory(pid or "self") + 2**20 * megabytes
    hard = resource.prlimit(pid or 0, resource.RLIMIT_DATA)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.prlimit(pid or 0, resource.RLIMIT_DATA, (most, hard))


def memory_left() -> float:
    """Return how many bytes this process may still take."""
    if not limits_memory():
        return math.inf
    soft = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return math.inf if soft == resource.RLIM_INFINITY else soft - taken_memory()


# ------------------------------------------------------------------------------- reading an answer


def as_states(result: Any) -> States:
    """Return a program's result: values of the vectors, or plain numbers and lists."""
    states = result if isinstance(result, list) else [result]
    if not all(isinstance(state, dict) for state in states):
        raise ValueError(f"it must be an object or a list of objects; got {str(result)[:80]}")
    return [{name: _value(value) for name, value in state.items()} for state in states]


def _value(value: Any) -> Any:
    if isinstance(value, dict) and "odd" in value:
        return Odd(str(value["odd"]))
    if isinstance(value, dict) and "generator" in value:
        raise ValueError("an answer must have the whole array, no generator")
    return read(value)
