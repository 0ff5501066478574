"""Kill runs: results, checkpoints of trainings, indexes; with ``--slow``.

Not tested here: full disks (test_files_without_room.py).
"""

import random
import signal
import time
from functools import partial

import numpy as np
import pytest
from forked import Child
from result_examples import examples
from trainings import TRAININGS

from refimpl import Checkpoint, load, save
from refimpl.lmnn import LMNNOptions
from refimpl.search_forest import InvertedIndex, label_similarity, search_forest

# ------------------------------------------------------------------------------------------ results


def kill_while(work, path, log, rng):
    """Repeat some work in a child, and kill it at a random moment after `path` is there."""

    def endless():
        while True:
            work()

    child = Child(endless, log)
    while not path.exists() and not child.ended():
        time.sleep(0.001)
    time.sleep(rng.uniform(0.0, 0.1))
    assert child.stop(signal.SIGKILL) == -signal.SIGKILL, child.said()


def results_killed(folder, rng):
    """Kill -9 while each kind of result is saved over an earlier file."""
    values = examples()
    for name, value in values.items():
        path = folder / name
        kill_while(lambda path=path, value=value: save(path, value), path, folder / "log", rng)
        assert load(path) == value, name


# -------------------------------------------------------------------------------------- checkpoints


def points(n, d):
    """Points of three classes that overlap."""
    y = np.arange(n) % 3
    return np.random.default_rng(0).normal(size=(n, d)) + y[:, None], y


LONGER = {
    "boosted_distance": {"T": 90},
    "boostmap, query-sensitive": {"d": 12},
    "search_forest": {"M": 40, "lam": 0.02},
    "lmnn": {"options": LMNNOptions(tol=1e-4)},
    "ftune": {},
}


def trainings():
    """A training of each paper: a function of the keywords `callback` and `start`."""
    return {name: partial(TRAININGS[name], threads=1, **longer) for name, longer in LONGER.items()}


def require_end(name, result, expected):
    """Check a continued training: bit for bit, or for LMNN the same optimum."""
    if TRAININGS[name].exact:
        assert result == expected, f"{name} ended otherwise"
    else:
        assert result.converged
        assert result.objective == pytest.approx(expected.objective, rel=2e-4)


def checkpoints_killed(folder, rng, times=3):
    """Kill -9 trainings that save checkpoints, and go on from the file."""
    kills = 0
    for name, train in trainings().items():
        expected = train()
        path = folder / name
        for _ in range(times):
            start = load(path) if path.exists() else None

            def work(path=path, train=train, start=start):
                with Checkpoint(path, every=0) as checkpoint:
                    train(callback=checkpoint, start=start)

            child = Child(work, folder / "log")
            while not path.exists() and not child.ended():
                time.sleep(0.001)
            time.sleep(rng.uniform(0.0, 0.3))
            kills += child.stop(signal.SIGKILL) == -signal.SIGKILL
            load(path)
        require_end(name, train(start=load(path)), expected)
    assert kills, "each training ended before it was killed"


# ------------------------------------------------------------------------------------------ indexes


def an_index():
    """Return an index of two hundred points with their vectors."""
    X, y = points(200, 5)
    forest = search_forest(X, label_similarity(y), 3, 0.05, rng=np.random.default_rng(4))
    return InvertedIndex(forest, X), X


def answers(index, Q):
    """Return what an index answers."""
    return index.candidates(Q[:20])


def indexes_killed(folder, rng, times=15):
    """Kill -9 while an index is saved over the same index with fewer or more points."""
    index, X = an_index()
    more, _ = an_index()
    more.add(X[:50])
    expected = answers(index, X), answers(more, X)
    path = folder / "index"
    index.save(path)
    for _ in range(times):

        def work():
            more.save(path)
            index.save(path)

        kill_while(work, path, folder / "log", rng)
        assert answers(InvertedIndex.load(path), X) in expected
    index.save(path)
    assert len(list(path.iterdir())) == 2, "a killed call's arrays are left"


@pytest.mark.slow
@pytest.mark.parametrize("trial", [results_killed, checkpoints_killed, indexes_killed])
def test_nothing_finished_is_lost(trial, tmp_path):
    trial(tmp_path, random.Random(0))
