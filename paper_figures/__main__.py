"""python -m paper_figures: see paper_figures.cli."""

import os
import sys


def run() -> int:
    """Run the command without a traceback for Ctrl-C during imports or for a closed output."""
    try:
        from paper_figures.cli import main

        code = main()
    except KeyboardInterrupt:
        code = 130
    try:
        sys.stdout.flush()
    except OSError:  # Python would flush again when it ends, and report it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = code or 3
    return code


if __name__ == "__main__":
    sys.exit(run())
