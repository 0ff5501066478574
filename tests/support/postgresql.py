"""A PostgreSQL server of a test's own, in a folder of its own; tests skip where it is missing."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("initdb", "pg_ctl", "psql")


def programs() -> Path | None:
    """Return the folder with the programs of the newest PostgreSQL, or None."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True
    )
    folders += [Path(path).parent] if (path := shutil.which("initdb")) else []
    return next((f for f in folders if all((f / name).exists() for name in PROGRAMS)), None)


def unprivileged() -> str | None:
    """Return a user that may run the server, which refuses to be root; None for this user."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")


@contextmanager
def server() -> Iterator[Callable[[str], list[list[str]]]]:
    """Start a server; yield a function that runs SQL and returns the rows as lists of texts."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed (Debian's package: postgresql)")
    user = unprivileged()
    place = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path must be short
    if user is not None:
        shutil.chown(place, user)

    def run(*command: str | Path, **options: Any) -> str:
        return subprocess.run(
            [folder / command[0], *command[1:]],
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
            user=user,
            cwd=place,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            **options,
        ).stdout

    def psql(text: str) -> list[list[str]]:
        options = ("-h", place, "-U", "test", "-d", "postgres", "-XAtq", "-v", "ON_ERROR_STOP=1")
        return [line.split("|") for line in run("psql", *options, input=text).splitlines()]

    options = f"-c listen_addresses= -c unix_socket_directories={place} -c fsync=off"
    try:
        run("initdb", "-D", place / "data", "-U", "test", "--auth=trust", "--no-sync")
        run("pg_ctl", "-D", place / "data", "-l", place / "log", "-w", "-o", options, "start")
        try:
            yield psql
        finally:
            run("pg_ctl", "-D", place / "data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)
