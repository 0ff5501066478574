"""Run the core of the suite on several versions of Python and of the libraries.

    python -m tests.versions                                 # every Python on the PATH
    python -m tests.versions python3.12 /opt/3.14/bin/python3.14t --sets newest

The kernels are built once for each Python, in a copy of the checkout. Each set of libraries gets an
environment of its own. "oldest" is what pyproject.toml names, or the first release with a wheel for
this Python; "newest" is what pip chooses. Rows stay in the folder, so that runs in one folder, also
from inside a chroot that holds another Python, make one table.

Python and pip are all that it needs. Not handled here: finding interpreters off the PATH.
"""

import argparse
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PYTHONS = ["python3.11", "python3.12", "python3.13", "python3.14", "python3.13t", "python3.14t"]
SHOWN = ["numpy", "scipy", "scikit-learn"]
BUILD_TOOLS = ["cython>=3.2.1", "setuptools>=77"]
TEST_TOOLS = ["pytest", "pytest-benchmark", "hypothesis"]
OPTIONAL_TOOLS = ["cvxpy"]  # tests skip what is missing

# The first releases with wheels for a Python, where pyproject.toml names older ones.
FIRST_WHEELS = {
    "3.12": {"numpy": "1.26.0", "scipy": "1.11.2"},
    "3.13": {"numpy": "2.1.0", "scipy": "1.14.1", "matplotlib": "3.9.2"},
    "3.14": {"numpy": "2.3.2", "scipy": "1.16.1", "scikit-learn": "1.7.2", "matplotlib": "3.10.5"},
}

# What calls NumPy, SciPy and scikit-learn in every way that the packages do, in minutes.
CORE = [
    "tests/kernels",
    "tests/boosted_distance",
    "tests/boostmap/test_algorithm_boostmap.py",
    "tests/boostmap/test_errata_boostmap.py",
    "tests/ftune",
    "tests/lmnn/test_algorithm_lmnn.py",
    "tests/lmnn/test_errata_lmnn.py",
    "tests/lmnn/test_lmnn.py",
    "tests/search_forest/test_algorithm_search_forest.py",
    "tests/search_forest/test_errata_search_forest.py",
    "tests/search_forest/test_search_forest.py",
    "tests/search_forest/test_splits.py",
    "tests/shared/test_results.py",
    "tests/shared/test_spaces.py",
    "tests/estimators/test_estimators.py",
]
# Words in the names of slow tests of which no version changes the outcome.
LEFT_OUT = [
    "memory",
    "more_images_than_are_held",
    "shared_by_threads",
    "processors_are_those",
    "check_estimator",
]
QUICK = [
    "tests/kernels/test_agreement.py",
    "tests/search_forest/test_splits.py",
    "tests/lmnn/test_errata_lmnn.py",
]

ABOUT_PYTHON = """
import json, platform, sys, sysconfig
print(json.dumps({
    "version": platform.python_version(),
    "short": "%d.%d" % sys.version_info[:2],
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
}))
"""
ABOUT_ENVIRONMENT = """
import json, sys
from importlib.metadata import distributions
import refimpl.estimators, refimpl_fast
lock = getattr(sys, "_is_gil_enabled", lambda: True)()
installed = {d.metadata["Name"].lower(): d.version for d in distributions()}
print(json.dumps({"lock": lock, "installed": installed}))
"""


class Failed(Exception):
    """A step that an environment needs did not succeed."""


def main(arguments=None):
    """Parse the command line and run; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.versions", description=__doc__.splitlines()[0]
    )
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", help="names or paths")
    parser.add_argument("--sets", default="oldest,newest", help="default: oldest,newest")
    parser.add_argument("--folder", type=Path, help="for environments and rows; kept if given")
    parser.add_argument("--table", type=Path, help="write the table to this file, too")
    parser.add_argument("--quick", action="store_true", help="a handful of tests")
    options = parser.parse_args(arguments)
    sets = options.sets.split(",")
    if not set(sets) <= {"oldest", "newest"}:
        parser.error(f"--sets must be of oldest, newest; got {options.sets}")
    if hasattr(os, "nice"):
        os.nice(10)
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        return try_all(options, sets, options.folder.resolve())
    with tempfile.TemporaryDirectory(prefix="versions-") as folder:
        return try_all(options, sets, Path(folder))


def try_all(options, sets, folder):
    """Try every set on every interpreter that is there.

    Return 0 if everything passed, and every interpreter that was asked for by name was tried.
    """
    interpreters = {}
    bad = 0
    for name in options.pythons or PYTHONS:
        path = shutil.which(name)
        about = path and ask(path)
        if about and as_numbers(about["short"]) >= least_python(TOP / "pyproject.toml"):
            interpreters[path] = about
        else:
            why = f"Python {about['version']} is too old" if about else "not found"
            print(f"{name}: {why}")
            bad += bool(options.pythons)  # it was asked for
    source = copy_checkout(folder / "source")
    rows = folder / "rows"
    rows.mkdir(exist_ok=True)
    for path, about in interpreters.items():
        for name in sets:
            print(f"\n=== Python {titled(about)}, {name}", flush=True)
            row = try_one(path, about, name, source, folder, QUICK if options.quick else CORE)
            label = f"{titled(about)} {name}".replace(" ", "-")
            (rows / f"{label}.json").write_text(json.dumps(row, indent=1))
            bad += row["passed"] == 0 or row["failed"] > 0
    written = table([json.loads(file.read_text()) for file in rows.glob("*.json")])
    print("\n" + written)
    if options.table:
        options.table.write_text(written + "\n")
    return 1 if bad or not interpreters else 0


def try_one(path, about, name, source, folder, tests):
    """Return the row of one set of libraries on one interpreter."""
    row = {"python": titled(about), "set": name, "installed": {}, "lock": True}
    row |= {"passed": 0, "failed": 0, "skipped": 0, "seconds": 0, "note": ""}
    try:
        build(path, about, source, folder)
        python = environment(path, about, name, folder)
        environ = surroundings(source)
        row |= json.loads(output([python, "-c", ABOUT_ENVIRONMENT], env=environ, cwd=folder))
        row |= run(python, tests, source, folder, environ)
    except Failed as failure:
        row["note"] = str(failure).strip().splitlines()[-1]
        print(failure)
    return row


# ----------------------------------------------------------------------------------------- versions


def ask(path):
    """Return what an interpreter says of itself, or None if it does not run."""
    try:
        about = json.loads(output([path, "-c", ABOUT_PYTHON]))
    except (Failed, OSError):
        return None
    return about


def titled(about):
    """Return the version of an interpreter as the table shows it."""
    return about["version"] + (" free-threaded" if about["free_threaded"] else "")


def as_numbers(version):
    """Return "1.26.0" as (1, 26, 0), for comparisons."""
    return tuple(int(part) for part in version.split("."))


def least_python(pyproject):
    """Return the oldest Python that the project supports, as numbers."""
    text = tomllib.loads(pyproject.read_text())["project"]["requires-python"]
    return as_numbers(text.removeprefix(">="))


def bounds(pyproject):
    """Return the lower bounds of the dependencies and of the extra "figures", by name."""
    project = tomllib.loads(pyproject.read_text())["project"]
    named = project["dependencies"] + project["optional-dependencies"]["figures"]
    least = {}
    for requirement in named:
        name, version = re.fullmatch(r"([a-z-]+)>=([0-9.]+)", requirement).groups()
        if as_numbers(version) > as_numbers(least.get(name, "0")):
            least[name] = version
    return least


def oldest(least, short):
    """Return the oldest versions that can be installed on a Python, such as "3.12"."""
    first = FIRST_WHEELS.get(short, {})
    return {
        name: max(version, first.get(name, version), key=as_numbers)
        for name, version in least.items()
    }


# ------------------------------------------------------------------------------------- environments


def copy_checkout(source):
    """Copy the packages and the tests; files that did not change keep their times."""
    parts = ["refimpl", "refimpl_fast", "paper_figures", "tests", "setup.py", "pyproject.toml"]
    for part in [*parts, "README.md", "LICENSE"]:
        files = (TOP / part).rglob("*") if (TOP / part).is_dir() else [TOP / part]
        for file in files:
            target = source / file.relative_to(TOP)
            generated = file.suffix in (".cpp", ".pyc") or not file.is_file()
            if generated or (target.exists() and filecmp.cmp(file, target)):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
    return source


def build(path, about, source, folder):
    """Build the kernels for an interpreter, unless all are there and newer than what they are of.

    Extensions for several interpreters lie side by side: their names differ.
    """
    kernels = source / "refimpl_fast"
    modules = [file.with_suffix(about["suffix"]) for file in kernels.glob("*.pyx")]
    sources = [file for kind in ("*.pyx", "*.pxd", "*.h") for file in kernels.glob(kind)]
    newest = max(file.stat().st_mtime for file in [*sources, source / "setup.py"])
    if all(file.exists() and file.stat().st_mtime >= newest for file in modules):
        return
    python = virtual(path, folder / f"build{about['suffix']}")
    pip(python, BUILD_TOOLS)
    start = time.monotonic()
    output([python, "setup.py", "--quiet", "build_ext", "--inplace"], cwd=source)
    print(f"built the kernels in {time.monotonic() - start:.0f} s", flush=True)


def virtual(path, where):
    """Return the interpreter of a virtual environment, which is made if it is not there."""
    python = where / "bin" / "python"
    if not python.exists():
        output([path, "-m", "venv", str(where)])
    return str(python)


def pip(python, packages, *options):
    """Install packages: wheels only, as to compile SciPy takes an hour."""
    command = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    output([*command, *options, *packages])


def environment(path, about, name, folder):
    """Make a virtual environment of a set of libraries; return its interpreter."""
    python = virtual(path, folder / f"{titled(about)} {name}".replace(" ", "-"))
    least = bounds(TOP / "pyproject.toml")
    pins = oldest(least, about["short"]) if name == "oldest" else {}
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{library}=={pin}\n" for library, pin in pins.items()))
    held = ["--constraint", str(constraints)]
    pip(python, [f"{library}>={version}" for library, version in least.items()], *held)
    pip(python, TEST_TOOLS, *held)
    for tool in OPTIONAL_TOOLS:
        try:
            pip(python, [tool], *held)
        except Failed:
            print(f"{tool}: cannot be installed; its tests are skipped")
    return python


def surroundings(source):
    """Return the environment variables of the tests."""
    here = {"PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1", "REFIMPL_OFFLINE": "1"}
    return os.environ | here


def output(command, **options):
    """Return what a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise Failed(done.stdout + done.stderr + f"\nexit code {done.returncode}: {command[:4]}")
    return done.stdout


# --------------------------------------------------------------------------------- tests and table


def run(python, tests, source, folder, environ):
    """Run tests; return how many passed, failed and were skipped, and the seconds."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    command += [*tests, "-k", " and ".join(f"not {word}" for word in LEFT_OUT)]
    start = time.monotonic()
    code = subprocess.run(command, cwd=source, env=environ).returncode
    seconds = round(time.monotonic() - start)
    if not report.exists():
        return {"failed": 1, "seconds": seconds, "note": f"pytest ended with exit code {code}"}
    return counts(ElementTree.parse(report).getroot()) | {"seconds": seconds}


def counts(report):
    """Return the numbers of a JUnit report."""
    suites = list(report.iter("testsuite"))
    total, skipped, failures, errors = (
        sum(int(suite.get(name)) for suite in suites)
        for name in ("tests", "skipped", "failures", "errors")
    )
    failed = failures + errors
    return {"passed": total - skipped - failed, "failed": failed, "skipped": skipped}


def table(rows):
    """Return the rows as a Markdown table, by Python and age."""
    lines = [
        "| Python | libraries | " + " | ".join(SHOWN) + " | passed | failed | skipped | seconds |",
        "|---" * (6 + len(SHOWN)) + "|",
    ]

    def place(row):
        version, _, kind = row["python"].partition(" ")
        numbers = [int(number) for number in re.findall(r"\d+", version)]
        return numbers, kind, row["set"] == "newest"

    for row in sorted(rows, key=place):
        python = row["python"]
        if "free-threaded" in python and row["lock"]:
            python += ", lock on"
        installed = [row["installed"].get(name, "") for name in SHOWN]
        numbers = [str(row[name]) for name in ("passed", "failed", "skipped", "seconds")]
        line = " | ".join([python, row["set"], *installed, *numbers])
        lines.append(f"| {line} |" + (f" {row['note']}" if row["note"] else ""))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
