"""The memory estimate is an upper bound, and not a loose one, on both kernels."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from agreement import KERNELS

import refimpl.kernels
from refimpl.boosted_distance import adaboost, boosted_distance, estimate_memory
from refimpl.weak_learners import DepthTwoTrees, Stumps

ROOT = Path(__file__).resolve().parent.parent
SHAPES = {
    "continuous": (200, 12, lambda rng, shape: rng.normal(size=shape)),
    "one feature": (400, 1, lambda rng, shape: rng.normal(size=shape)),
    "few values": (200, 12, lambda rng, shape: rng.integers(0, 4, shape)),
    "zeros": (160, 40, lambda rng, shape: rng.normal(size=shape) * (rng.random(shape) < 0.1)),
    "few values, many features": (250, 150, lambda rng, shape: rng.integers(0, 16, shape)),
    "constant": (500, 16, lambda rng, shape: np.ones(shape)),
    "wide": (12, 3000, lambda rng, shape: rng.normal(size=shape)),
    "more rows than 16 bits hold": (400, 20, lambda rng, shape: rng.integers(0, 256, shape)),
    "single precision": (60, 200, lambda rng, shape: rng.normal(size=shape).astype(np.float32)),
}


def training_set(shape):
    n, d, draw = SHAPES[shape]
    return draw(np.random.default_rng(0), (n, d)), np.arange(n) % 3 == 0


def traced_peak(train):
    tracemalloc.start()
    try:
        train()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_differences(shape, kernels, threads):
    X, labels = training_set(shape)
    peak = traced_peak(lambda: boosted_distance(X, labels, 2, kernels=kernels, threads=threads))
    assert peak <= estimate_memory(X, labels, 2, threads=threads) <= 4 * peak + 2**21


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize(("n", "d"), [(20000, 2), (2000, 60), (10, 3000)])
def test_plain_sets(n, d, kernels):
    X = np.random.default_rng(1).normal(size=(n, d))
    P, N = X[: n // 3], X[n // 3 :]
    peak = traced_peak(lambda: adaboost(P, N, 2, kernels=kernels, threads=1))
    assert peak <= Stumps().memory(P, N, threads=1) <= 4 * peak + 2**21


@pytest.mark.parametrize("learner", [Stumps(), DepthTwoTrees()], ids=lambda x: type(x).__name__)
def test_many_rounds_and_a_warm_start(learner):
    X, labels = np.random.default_rng(2).normal(size=(5, 2)), [0, 0, 1, 1, 1]
    first = boosted_distance(X, labels, 2000, weak_learner=learner)
    peak = traced_peak(lambda: boosted_distance(X, labels, 2001, weak_learner=learner, models=first))
    rounds = estimate_memory(X, labels, 2001, threads=1) - estimate_memory(X, labels, 1, threads=1)
    assert peak <= rounds <= 8 * peak


MEASURE = """
import importlib, resource, sys
sys.path[:0] = [{root!r}, {tests!r}]
from test_memory import training_set
from refimpl.boosted_distance import boosted_distance, estimate_memory
kernels = importlib.import_module({kernels!r})
boosted_distance([[0.0], [1.0], [2.0]], [0, 1, 1], 2, kernels=kernels)
X, labels = training_set({shape!r})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
boosted_distance(X, labels, 2, kernels=kernels, threads=2)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024, estimate_memory(X, labels, 2, threads=2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss counts KiB on Linux")
@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("shape", ["continuous", "more rows than 16 bits hold"])
def test_resident_set(shape, kernels):
    """Beside NumPy's arrays: what C++ allocates, and the gaps between."""
    names = {"root": str(ROOT), "tests": str(ROOT / "tests"), "kernels": kernels.__name__, "shape": shape}
    run = subprocess.run([sys.executable, "-c", MEASURE.format(**names)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    peak, estimate = map(int, run.stdout.split())
    assert peak <= estimate


def test_max_memory_counts_rounds():
    X, labels = [[0.0], [1.0], [2.0]], [0, 1, 1]
    enough = estimate_memory(X, labels, 10)
    assert len(boosted_distance(X, labels, 10, max_memory=enough)[0]) == 10
    with pytest.raises(MemoryError, match="max_memory"):
        boosted_distance(X, labels, 10**6, max_memory=enough)
    with pytest.raises(MemoryError, match="max_memory"):
        adaboost([[0.0]], [[1.0]], 3, max_memory=1000)


def test_estimate_of_other_differences():
    """Differences whose B is not shared are sorted as one matrix."""
    A = np.arange(6.0).reshape(3, 2)
    P, N = (refimpl.boosted_distance.Differences(A, A[:k].copy()) for k in (1, 2))
    plain = Stumps().memory(np.asarray(P), np.asarray(N), threads=1)
    assert Stumps().memory(P, N, threads=1) == plain
    assert adaboost(P, N, 3) == adaboost(np.asarray(P), np.asarray(N), 3)
