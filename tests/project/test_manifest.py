"""Files of the checkout that the archive of sources must have."""

import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def included(file: str, lines: list[list[str]]) -> bool:
    """Return whether the lines of MANIFEST.in include a file; what setuptools adds is not seen."""
    found = False
    for command, *rest in lines:
        folder, patterns = (rest[0], rest[1:]) if command == "recursive-include" else ("", rest)
        name = file.rpartition("/")[2] if folder else file
        if file.startswith(f"{folder}/" * bool(folder)) and any(fnmatch(name, p) for p in patterns):
            found = command != "exclude"
    return found


@pytest.mark.parametrize("folder", ["paper_figures/site", "refimpl_fast"])
def test_the_archive_has_every_file_of(folder: str) -> None:
    listed = ["git", "-C", str(ROOT), "ls-files", folder]
    try:
        done = subprocess.run(listed, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a checkout")
    lines = [line.split() for line in (ROOT / "MANIFEST.in").read_text("utf-8").splitlines()]
    files = done.stdout.splitlines()
    if not files:
        pytest.skip("not a checkout")
    modules = {"refimpl_fast/__init__.py", "refimpl_fast/lines.py"}  # the package's own, always in
    assert [file for file in files if file not in modules and not included(file, lines)] == []


def test_lines_of_a_manifest() -> None:
    lines = [["include", "a.md"], ["recursive-include", "b", "*.c"], ["exclude", "b/x.c"]]
    files = ("a.md", "b/c/y.c", "b/x.c", "c/y.c", "b/a.md")
    assert [included(file, lines) for file in files] == [True, True, False, False, False]
