"""``python -m refimpl.check``."""

import signal
import sys

from refimpl.check.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    for name in ("SIGTERM", "SIGHUP"):  # as an interrupt, which ends the program, too
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
