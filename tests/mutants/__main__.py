"""Make each change of by_hand.toml in a copy of the checkout: a test that it names must fail.

    python -m tests.mutants [PART OF A NAME OR FILE]

A change of a compiled module is compiled into it behind a number, ``(by if MUTANT == number else
text)``, and MUTANT comes from the environment. So a module is built once, without optimisation.
Mutants drawn at random are mutmut's: ``make mutants``.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
CHANGES = tomllib.loads(Path(__file__).with_name("by_hand.toml").read_text())["change"]
UNUSED = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "site", "*.cpp", "*.egg-info")
SWITCH = "import os as _os\ncdef int MUTANT = int(_os.environ.get('REFIMPL_MUTANT', -1))\n"
PATIENCE = 900  # seconds of a change's tests


def main(pattern=""):
    """Try the changes whose name or file contains the pattern; return how many nobody noticed."""
    changes = [change for change in CHANGES if pattern in change["name"] + change["file"]]
    with tempfile.TemporaryDirectory(prefix="mutants") as scratch:
        copy = Path(scratch) / "refimpl"
        shutil.copytree(CHECKOUT, copy, ignore=UNUSED)
        for file in sorted({change["file"] for change in changes}):
            build_all(copy / file, [change for change in changes if change["file"] == file])
        unnoticed = [change for change in changes if not noticed(copy, change)]
    print(f"{len(changes)} changes, {len(unnoticed)} not noticed")
    return len(unnoticed)


def noticed(copy, change):
    """Whether a change's tests pass without it and fail with it."""
    path = copy / change["file"]
    source = path.read_text()
    without = tests_pass(copy, change, number=-1)
    if "number" not in change:
        path.write_text(source.replace(change["text"], change["by"]))
    failed = not tests_pass(copy, change, change.get("number", -1))
    path.write_text(source)
    end = "killed" if without and failed else "SURVIVED" if without else "FAILS WITHOUT IT"
    print(f"{end:9} {change['file']}: {change['name']}", flush=True)
    return without and failed


def tests_pass(copy, change, number):
    """Run a change's tests in the copy."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", *change["tests"]]
    environment = os.environ | {"REFIMPL_MUTANT": str(number), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def build_all(path, changes):
    """Build a compiled module with all of its changes, each behind its number."""
    if path.suffix == ".py":
        return
    source = path.read_text()
    for number, change in enumerate(changes):
        change["number"] = number
        text, by = change["text"], change["by"]
        if re.match(r"[\w\[\]]+ [-+]?= ", text):  # a statement
            indent = re.search(rf"^( *){re.escape(text)}$", source, re.MULTILINE)[1]
            choice = f"if MUTANT == {number}: {by}\n{indent}else: {text}"
        else:
            choice = f"(({by}) if MUTANT == {number} else ({text}))"
        source = source.replace(text, choice)
    head = re.match(r'""".*?"""\n', source, re.DOTALL).end()
    path.write_text(source[:head] + SWITCH + source[head:])
    directives = "boundscheck=False,wraparound=False,initializedcheck=False,binding=True"
    generated = path.with_suffix(".cpp")
    module = path.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
    compiler = [os.environ.get("CXX", "g++"), "-shared", "-fPIC", "-O1", "-DREFIMPL_WIDEST=2"]
    compiler += ["-ffp-contract=off", "-pthread", "-w", "-I", str(path.parent)]
    compiler += ["-I", sysconfig.get_path("include"), str(generated), "-o", str(module)]
    cython = [sys.executable, "-m", "cython", "-3", "--cplus", "-X", directives]
    subprocess.run([*cython, str(path), "-o", str(generated)], check=True)
    subprocess.run(compiler, check=True)


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
