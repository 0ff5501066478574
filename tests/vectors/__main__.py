"""Make the vectors by the reference, each case held against the independent oracles before
anything is written: ``make vectors``. It takes about half a minute.

The target names one kernel of BLAS, so that every x86-64 processor with AVX2 writes the same bytes.
``--check`` writes nothing and says which committed files differ.

Not handled here: how cases are drawn (:mod:`refimpl.check.files`), the oracles themselves.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from refimpl.check import files
from refimpl.check.files import folder

from . import kernels, trainings  # noqa: F401  (they fill the table of oracles)
from .comparisons import verify


def differing(one, other):
    """Return the files that two folders of vectors do not share, byte for byte."""
    names = {
        path.relative_to(where).as_posix()
        for where in (one, other)
        for path in where.rglob("*.json")
    } - {"schema.json"}
    return sorted(name for name in names if _content(one / name) != _content(other / name))


def _content(path):
    return path.read_bytes() if path.exists() else None


def main(arguments):
    """Make the vectors, or compare them."""
    parser = argparse.ArgumentParser(prog="python -m tests.vectors", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        size = files.write(Path(scratch), verify=verify)
        changed = differing(Path(scratch), folder())
        if not options.check:
            shutil.copytree(scratch, folder(), dirs_exist_ok=True)
    print(f"{size} bytes, {len(changed)} files differ from the committed: {' '.join(changed)}")
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
