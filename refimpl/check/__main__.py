"""``python -m refimpl.check``."""

import os
import signal
import sys
from contextlib import suppress

from refimpl.check.cli import main
from refimpl.check.reports import UNUSABLE


def run() -> int:
    """Run the command; an output that is closed, full or of few characters is no difference."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # as Python leaves it where the caller closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:  # Python's own exit code 1 would say "differs"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # it would flush again
        with suppress(OSError):  # the errors may go to the same place
            what = error.filename or "the report"
            print(f"refimpl.check: cannot write {what}: {error.strerror}", file=sys.stderr)
        return UNUSABLE
    return code


if __name__ == "__main__":
    for name in ("SIGTERM", "SIGHUP"):  # as an interrupt, which ends the program, too
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    sys.exit(run())
