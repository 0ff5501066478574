"""A virtual environment for each library, with the versions that its requirements file pins.

An environment is made once and kept in a folder; another requirements file makes it anew.

Not handled here: what is asked of a library.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements"
SECONDS = 1800


class Missing(Exception):
    """The environment could not be made; the message is pip's last line."""


def default_folder():
    """Return the folder of the environments: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "refimpl" / "others"


def pinned(name):
    """Return the versions that a library's environment has: ``{package: version}``."""
    lines = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8").split("\n")
    parts = [line.partition("#")[0].strip() for line in lines]
    return dict(part.split("==") for part in parts if part)


def environment(name, folder):
    """Return the Python of a library's environment, which is made if it is not there.

    Every package is pinned, so pip resolves nothing: a library is tried beside the versions that
    it runs with, whatever it asks for.
    """
    target = folder / name
    requirements = REQUIREMENTS / f"{name}.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    mark = target / "made-of"
    python = target / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if mark.is_file() and mark.read_text(encoding="utf-8") == digest and python.exists():
        return python
    if target.exists():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    run([sys.executable, "-m", "venv", str(target)])
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-deps", "-r", str(requirements)])
    mark.write_text(digest, encoding="utf-8")
    return python


def run(command):
    """Run a command; raise :class:`Missing` with its last line unless it succeeds."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(str(error)) from error
    if done.returncode:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise Missing(lines[-1] if lines else f"exit code {done.returncode}")
