"""python -m paper_figures: see paper_figures.cli."""

import sys

from paper_figures.cli import main

if __name__ == "__main__":
    sys.exit(main())
