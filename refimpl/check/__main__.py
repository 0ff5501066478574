"""``python -m refimpl.check``."""

import os
import signal
import sys

from refimpl.check.cli import main
from refimpl.check.reports import UNUSABLE

__all__: list[str] = []


def run() -> int:
    """Run the command; an output that is closed, full or of few characters is no difference."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:  # Python's own exit code 1 would say "differs"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # it would flush again
        print(f"refimpl.check: cannot write the report: {error.strerror}", file=sys.stderr)
        return UNUSABLE
    return code


if __name__ == "__main__":
    for name in ("SIGTERM", "SIGHUP"):  # as an interrupt, which ends the program, too
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    sys.exit(run())
