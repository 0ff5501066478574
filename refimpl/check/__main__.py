"""``python -m refimpl.check``."""

import sys

from refimpl.check.supervision import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
