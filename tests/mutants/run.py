"""Copies of the checkout in which changes are made, and the tests that run there.

A change is made in a copy, never in the checkout. Each run of the tests is a fork of a process that
has imported NumPy, SciPy, scikit-learn and pytest, but neither refimpl nor a test: that saves
seconds for each mutant.
"""

import hashlib
import os
import resource
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path

PARTS = ["refimpl", "refimpl_fast", "paper_figures", "tests", "pyproject.toml", "setup.py"]
PARTS += ["README.md", "CONTRIBUTING.md", "Makefile", "MANIFEST.in", "CHANGELOG.md", "LICENSE"]

KILLED, SURVIVED, TIMED_OUT, UNREACHED = "killed", "survived", "timed out", "not reached"
ERROR = (
    "error"  # pytest could not run, or the tests fail or are as slow without the change: no verdict
)

ROOM = 8 * 2**30  # bytes of address space: a change may make arrays that fill the machine
PASSED, FAILED, INTERRUPTED = 0, 1, 2  # exit codes of pytest


def copied(checkout):
    """Return the files of a checkout that tests need, built modules too."""
    for name in PARTS:
        part = checkout / name
        for path in sorted(part.rglob("*")) if part.is_dir() else [part]:
            parts = path.relative_to(checkout).parts
            unused = path.suffix == ".cpp" or {"__pycache__", "build"} & set(parts)
            if path.is_file() and not unused:
                yield path


def copy_of(checkout, folder):
    """Copy the parts of a checkout that tests need in the place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in copied(checkout):
        target = folder / path.relative_to(checkout)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    return folder


def digest_of(checkout):
    """Return the hash of the code and its tests; built modules and these tools do not count."""
    digest = hashlib.sha256()
    for path in copied(checkout):
        name = path.relative_to(checkout).as_posix()
        code = name.startswith(("refimpl", "paper_figures", "tests/"))
        if code and not name.startswith("tests/mutants/") and path.suffix != ".so":
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{name} {content}\n".encode())
    return digest.hexdigest()


@contextmanager
def changed(path, source):
    """Write `source` to a file and put back what was there."""
    before = path.read_text()
    path.write_text(source)
    try:
        yield
    finally:
        path.write_text(before)


def preload():
    """Import what every run needs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a fork may not inherit BLAS's threads
    sys.dont_write_bytecode = True  # a mutant may be as long and as old as what was compiled
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    import hypothesis
    import matplotlib
    import pytest
    import scipy.optimize
    import scipy.sparse.linalg
    import sklearn.base
    import sklearn.ensemble
    import sklearn.svm
    import sklearn.utils.estimator_checks

    matplotlib.use("agg")
    # a failure is enough: to find the smallest example of it would take most of the time
    phases = [phase for phase in hypothesis.Phase if phase.name in ("explicit", "generate")]
    hypothesis.settings.register_profile("mutants", phases=phases, database=None, deadline=None)
    hypothesis.settings.load_profile("mutants")
    modules = (hypothesis, pytest, scipy, sklearn)
    assert not any(name.startswith(("refimpl", "paper_figures")) for name in sys.modules)
    return modules


class Chosen:
    """A plugin of pytest: keep the chosen tests, in the order given."""

    def __init__(self, names):
        self.place = {name: i for i, name in enumerate(names)}

    def pytest_collection_modifyitems(self, config, items):
        kept = [item for item in items if item.nodeid in self.place]
        items[:] = sorted(kept, key=lambda item: self.place[item.nodeid])


def run_tests(copy, arguments, log, seconds, names=None, stop=True):
    """Run pytest in a fork; returns KILLED, SURVIVED, TIMED_OUT or ERROR.

    It has `seconds` of the processor, so that other work on the machine stops no test, and six
    times as long by the clock, for tests that wait forever.
    """
    child = os.fork()
    if child == 0:
        pytest_in_child(copy, arguments, log, seconds, names, stop)
    end = time.monotonic() + 6 * seconds
    done = 0
    while not done:
        done, status = os.waitpid(child, os.WNOHANG)
        if time.monotonic() > end and not done:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return TIMED_OUT
        time.sleep(0.05)
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU:
        return TIMED_OUT
    if code == PASSED:
        return SURVIVED
    # a process that died, for want of memory too, or that found no test: the unchanged tests decide
    return KILLED if code in (FAILED, INTERRUPTED) else ERROR


def pytest_in_child(copy, arguments, log, seconds, names, stop):
    """Run pytest on the tests of a copy and end the process with its exit code."""
    os.setsid()
    status = 3
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, resource.RLIM_INFINITY))
        os.chdir(copy)
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # not those that a test captures
        sys.path[:] = [str(copy)] + [p for p in sys.path if p not in ("", os.getcwd())]
        os.environ["PYTHONPATH"] = str(copy)
        for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
            del sys.modules[name]
        import pytest

        options = ["-x"] if stop else []
        options += ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o"]
        options += ["addopts=--benchmark-skip --tb=short"]
        plugins = [] if names is None else [Chosen(names)]
        status = int(pytest.main([*options, *arguments], plugins=plugins))
    finally:
        sys.stdout.flush()
        os._exit(status)


def verdict(copy, change, log, seconds, arguments, names=None):
    """Run tests inside of `change`, a context, and return how they end and the test that failed.

    Where no test failed but pytest could not run or the time was over, the tests run without the
    change too. Only if they pass then, in a quarter of the time, the change is what was noticed.
    """
    with change:
        end = run_tests(copy, arguments, log, seconds, names)
    by = first_failure(log) if end == KILLED else ""
    if end in (TIMED_OUT, ERROR):
        unchanged = log.with_suffix(".unchanged.log")
        if run_tests(copy, arguments, unchanged, seconds / 4, names) != SURVIVED:
            return ERROR, f"the tests do not pass in time without the change: {unchanged}"
        by = "" if end == TIMED_OUT else "pytest cannot run"
        end = TIMED_OUT if end == TIMED_OUT else KILLED
    return end, by


def failing_unchanged(copy, tests, log, seconds):
    """Return the tests that fail in a copy without any change: what they notice is void.

    Of a file that could not be imported with a change, only the import is tried.
    """
    names = sorted({test for test in tests if "::" in test})
    imported = sorted({test for test in tests if test.endswith(".py")})
    failed = set()
    files = sorted({name.split("::")[0] for name in names})
    for wanted, arguments, chosen in (
        (imported, ["--collect-only", *imported], None),
        (names, files, names),
    ):
        if not wanted:
            continue
        end = run_tests(copy, arguments, log, seconds, chosen, stop=False)
        if end == TIMED_OUT:  # the others did not run
            failed |= set(wanted)
        elif end != SURVIVED:
            failed |= set(wanted) & failures(log) or set(wanted)
    return failed


def failures(log):
    """The names of the tests that failed, from the log of a run, in their order."""
    lines = Path(log).read_text(errors="replace").splitlines()
    return {
        line.split(" ", 1)[1].split(" - ")[0]: None
        for line in lines
        if line.startswith(("FAILED ", "ERROR "))
    }.keys()


def first_failure(log):
    """The name of the test that failed, from the log of a run."""
    return next(iter(failures(log)), "no test could be run, or the process died")
