"""Python in a process of its own, which finds this checkout."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments, cwd=ROOT, timeout=600, **environment):
    """Run Python with these arguments; return the process when it has ended, with its texts."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        env=os.environ | {"PYTHONPATH": paths} | environment,
    )


def output(*arguments, **how):
    """Run Python, which must end well; return what it prints."""
    done = python(*arguments, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()
