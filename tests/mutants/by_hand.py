"""The changes of by_hand.toml: each must be noticed by the tests that it names.

A change of a Python module is made in the copy. The changes of a compiled module are compiled into
it together, each as ``(by if MUTANT == number else text)``, and MUTANT comes from the environment:
a module is built once, without optimisation, and not once for each change.
"""

import os
import re
import subprocess
import sys
import sysconfig
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path

from .run import ERROR, KILLED, TIMED_OUT, changed, copy_of, failing_unchanged, preload, verdict

TABLE = Path(__file__).with_name("by_hand.toml")
SWITCH = "import os as _os\ncdef int MUTANT = int(_os.environ.get('REFIMPL_MUTANT', -1))\n"


def run(checkout, folder, pattern="", compiled=True, seconds=900):
    """Try every change whose name or file contains `pattern`; returns how many nobody noticed."""
    changes = [
        change
        for change in tomllib.loads(TABLE.read_text())["change"]
        if pattern in change["name"] + change["file"]
    ]
    preload()
    copy = copy_of(checkout, folder / "by_hand")
    ends = [in_python(copy, folder, change, seconds) for change in changes if is_python(change)]
    if compiled:
        changes = [change for change in changes if not is_python(change)]
        for file in sorted({change["file"] for change in changes}):
            switched(copy, file, [change for change in changes if change["file"] == file])
        ends += [in_cython(copy, folder, change, seconds) for change in changes]
    failed = failing_unchanged(copy, [by for _, by in ends], folder / "unchanged.log", seconds)
    for name in sorted(failed):
        print(f"{ERROR}: {name} fails without a change too")
    return sum(end not in (KILLED, TIMED_OUT) or by in failed for end, by in ends)


def is_python(change):
    """Whether nothing needs to be built for a change."""
    return change["file"].endswith(".py")


def source_of(copy, change):
    """Return the file's text, which must hold the text of the change once."""
    source = (copy / change["file"]).read_text()
    if source.count(change["text"]) != 1:
        raise ValueError(f"{change['file']} must hold the text once: {change['text']!r}")
    return source


def in_python(copy, folder, change, seconds):
    """Make a change and run its tests."""
    source = source_of(copy, change).replace(change["text"], change["by"])
    return told(copy, changed(copy / change["file"], source), folder, change, seconds)


def in_cython(copy, folder, change, seconds):
    """Switch a change on and run its tests."""
    return told(copy, switched_on(change["number"]), folder, change, seconds)


@contextmanager
def switched_on(number):
    """Let a change that was built hold."""
    os.environ["REFIMPL_MUTANT"] = str(number)
    try:
        yield
    finally:
        del os.environ["REFIMPL_MUTANT"]


def told(copy, made, folder, change, seconds):
    """Run a change's tests, and print and return how they end and the test that failed."""
    start = time.monotonic()
    end, by = verdict(copy, made, folder / "by_hand.log", seconds, change["tests"])
    took = time.monotonic() - start
    print(f"{end:9} {took:5.0f} s  {change['file']}: {change['name']}  {by}", flush=True)
    return end, by


def switched(copy, file, changes):
    """Build a module with all of its changes, each behind its number."""
    path = copy / file
    source = path.read_text()
    for number, change in enumerate(changes):
        source_of(copy, change)
        change["number"] = number
        choice = f"(({change['by']}) if MUTANT == {number} else ({change['text']}))"
        source = source.replace(change["text"], choice)
    head = re.match(r'""".*?"""\n', source, re.DOTALL).end()
    path.write_text(source[:head] + SWITCH + source[head:])
    start = time.monotonic()
    build(copy, path)
    print(f"built     {time.monotonic() - start:5.0f} s  {file}", flush=True)


def build(copy, path):
    """Compile one module in place, as the debug build does but without its checks."""
    directives = "boundscheck=False,wraparound=False,initializedcheck=False,binding=True"
    generated = path.with_suffix(".cpp")
    module = path.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
    cython = [sys.executable, "-m", "cython", "-3", "--cplus", "-X", directives]
    compiler = [os.environ.get("CXX", "g++"), "-shared", "-fPIC", "-O1", "-DREFIMPL_WIDEST=2"]
    compiler += ["-ffp-contract=off", "-pthread", "-w", "-I", str(path.parent)]
    compiler += ["-I", sysconfig.get_path("include")]
    for command in (
        [*cython, str(path), "-o", str(generated)],
        [*compiler, str(generated), "-o", f"{module}.new"],
    ):
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(
                f"{path.name} with its changes cannot be built: {done.stderr[-3000:]}"
            )
    os.replace(f"{module}.new", module)
