"""Copies of the checkout in which changes are made, and the tests that run there.

A change is made in a copy, never in the checkout. Each run of the tests is a fork of a process that
has imported NumPy, SciPy, scikit-learn and pytest, but neither refimpl nor a test: that saves
seconds for each mutant.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path

PARTS = ["refimpl", "refimpl_fast", "paper_figures", "tests", "pyproject.toml", "setup.py"]
PARTS += ["README.md", "CONTRIBUTING.md", "Makefile", "MANIFEST.in", "CHANGELOG.md", "LICENSE"]

KILLED, SURVIVED, TIMED_OUT, UNREACHED = "killed", "survived", "timed out", "not reached"


def copy_of(checkout, folder):
    """Copy the parts of a checkout that tests need, built modules too, over what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in PARTS:
        part = checkout / name
        if part.is_dir():
            unused = shutil.ignore_patterns("__pycache__", "*.cpp", "build")
            shutil.copytree(part, folder / name, ignore=unused)
        elif part.exists():
            shutil.copy2(part, folder / name)
    return folder


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


def run_tests(copy, arguments, log, seconds, names=None):
    """Run pytest in a fork; returns KILLED, SURVIVED or TIMED_OUT."""
    child = os.fork()
    if child == 0:
        os.setsid()
        status = 3
        try:
            os.chdir(copy)
            out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            sys.path[:] = [str(copy)] + [p for p in sys.path if p not in ("", os.getcwd())]
            os.environ["PYTHONPATH"] = str(copy)
            for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
                del sys.modules[name]
            import pytest

            options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o"]
            options += ["addopts=--benchmark-skip --tb=short"]
            plugins = [] if names is None else [Chosen(names)]
            status = int(pytest.main([*options, *arguments], plugins=plugins))
        finally:
            sys.stdout.flush()
            os._exit(status)
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return TIMED_OUT
        time.sleep(0.1)
    code = os.waitstatus_to_exitcode(status)
    if code == 5:
        raise RuntimeError(f"no test was collected: see {log}")
    return SURVIVED if code == 0 else KILLED


def first_failure(log):
    """The name of the test that failed, from the log of a run."""
    for line in Path(log).read_text(errors="replace").splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split(" ", 1)[1].split(" - ")[0]
    return "no test could be run, or the process died"
