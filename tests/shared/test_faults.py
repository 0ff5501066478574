"""A process that is killed while it saves leaves what was there, or what it saved.

Not tested here: full disks (test_results.py), trainings that are interrupted (promises).
"""

import os
import sys

import numpy as np
import pytest
from fake_paper import record_of
from forest_problems import random_forest

import refimpl
from paper_figures.store import Store
from refimpl.search_forest import InvertedIndex

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning"),
]
KILLED = 7
X = np.random.default_rng(0).normal(size=(200, 3))
FORESTS = [random_forest(np.random.default_rng(seed), 2, 3, 4) for seed in (0, 1)]
INDEXES = [InvertedIndex(FORESTS[0], X[:n]) for n in (150, 200)]
SAVED = {  # how it is saved, how it is read, and two that are saved
    "result": (refimpl.save, refimpl.load, FORESTS),
    "index": (
        lambda path, n: INDEXES[n == 200].save(path),
        lambda path: len(InvertedIndex.load(path)),
        (150, 200),
    ),
    "record": (
        lambda path, seed: Store(path).write(record_of("paper", "table1", [], seed=seed)),
        lambda path: Store(path).read("paper", "table1")["seed"],
        (1, 2),
    ),
}


def calls_of(work, last=None):
    """Work, and end this process as the last of so many functions of the system is back.

    Return how many there are in all.
    """
    made = 0

    def count(frame, event, function):
        nonlocal made
        module = getattr(getattr(function, "__self__", None), "__name__", None)
        if event == "c_return" and module in ("posix", "io", "_io"):
            made += 1
            if made == last:
                os._exit(KILLED)

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made


@pytest.mark.parametrize("kind", SAVED)
def test_a_process_that_is_killed_while_it_saves(kind, tmp_path):
    save, read, (old, new) = SAVED[kind]
    path = tmp_path / "saved"
    save(path, old)
    made = calls_of(lambda: save(path, new))
    found = []
    for last in range(1, made + 1):
        save(path, old)
        child = os.fork()
        if child == 0:
            try:
                calls_of(lambda: save(path, new), last)
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == KILLED << 8
        found.append(read(path))
    assert all(one in (old, new) for one in found) and found[0] == old and found[-1] == new
    save(path, old)
    assert kind != "index" or len(list(path.iterdir())) == 2, "a killed call's arrays are left"
