"""Run a function in a forked child that can be killed at any moment.

A child has what this process has imported: it begins at once, where a new process would import for
a second or more. Only for work that starts no processes of its own (``--jobs 1``).
"""

import logging
import os
import signal
import sys
import time
import traceback
from pathlib import Path

POSSIBLE = hasattr(os, "fork")
CRASHED = 77  # the exit code after an exception
PATIENCE = 300.0  # seconds to wait for the end of a child


class Child:
    """A running function: `pid`, and `said()`, what it has printed so far."""

    def __init__(self, function, log):
        self.log = Path(log)
        self.code = None
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _run(function, self.log)

    def said(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def ended(self):
        """Whether it has ended; then `code` is its exit code, or minus the signal's number."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def wait(self, seconds=None):
        """Wait for its end, PATIENCE by default, and return `code`."""
        seconds = PATIENCE if seconds is None else seconds
        deadline = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() > deadline:
                self.stop(signal.SIGKILL)
                raise TimeoutError(f"no end after {seconds} s; it said\n{self.said()}")
            time.sleep(0.002)
        return self.code

    def stop(self, number):
        """Send a signal, wait for the end, and return `code`."""
        if not self.ended():
            os.kill(self.pid, number)
        return self.wait(60)


def _run(function, log):
    """Call the function in the child and leave without the parent's clean-up."""
    code = CRASHED
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout = sys.stderr = open(log, "w", buffering=1)
        logging.getLogger().handlers.clear()
        logging.lastResort = logging.StreamHandler(sys.stderr)
        code = function()
        sys.stdout.flush()
    except SystemExit as leaving:
        code = leaving.code
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(code if isinstance(code, int) else 0)
