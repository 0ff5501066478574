"""The memory estimates are upper bounds, and not loose ones, on both kernels."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from agreement import KERNELS

import refimpl.kernels
from refimpl import ftune
from refimpl.boosted_distance import adaboost, boosted_distance, estimate_memory
from refimpl.forest_pairs import MeetingPairs
from refimpl.lmnn import estimate_memory as estimate_lmnn
from refimpl.lmnn import lmnn, lmnn_rect
from refimpl.search_forest import estimate_memory as estimate_forest
from refimpl.search_forest import neighbor_similarity, search_forest
from refimpl.similarities import Gaussian, Similarity
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
import importlib, sys
from pathlib import Path
sys.path[:0] = [{root!r}, {tests!r}]
from test_memory import ftune_task, training_set
from refimpl.boosted_distance import boosted_distance, estimate_memory
kernels = importlib.import_module({kernels!r})
def peak():  # ru_maxrss would be no less than that of the process which started this one
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
{prepare}
before = peak()
{train}
print(peak() - before, {estimate})
"""
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/status")


def resident(kernels, prepare, train, estimate):
    """What a training adds to the peak of its own process, and the estimate, in bytes."""
    script = MEASURE.format(root=str(ROOT), tests=str(ROOT / "tests"), kernels=kernels.__name__, prepare=prepare,
                            train=train, estimate=estimate)  # fmt: skip
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return map(int, run.stdout.split())


@ON_LINUX
@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("shape", ["continuous", "more rows than 16 bits hold"])
def test_resident_set(shape, kernels):
    """Beside NumPy's arrays: what C++ allocates, and the gaps between."""
    prepare = "boosted_distance([[0.0], [1.0], [2.0]], [0, 1, 1], 2, kernels=kernels)\n"
    peak, estimate = resident(
        kernels, prepare + f"X, labels = training_set({shape!r})",
        "boosted_distance(X, labels, 2, kernels=kernels, threads=2)", "estimate_memory(X, labels, 2, threads=2)",
    )  # fmt: skip
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


# ------------------------------------------------------------------------------------------------- FTUNE


def ftune_task(n, d, classes, held, threads=1, **options):
    """A training without arguments, and the estimate of its memory."""
    rng = np.random.default_rng(3)
    X, V = rng.normal(size=(n, 4)), rng.normal(size=(held, 4))
    labels, F, C = np.arange(n) % classes, options.pop("F", (1.0, 5.0, 10.0)), options.pop("C", (1.0, 10.0))
    K = options.pop("K", Gaussian(2.0))
    K = Similarity(K, X, pairwise=isinstance(K, Gaussian))
    P = ftune.random_landmarks(labels, d, rng)
    options |= {"C": C, "threads": threads, "validation": (V, np.arange(held) % classes)}
    estimate = ftune.estimate_memory(n, d, classes, held, landmarks=len(np.unique([P.plus, P.minus])), F=F, C=C,
                                     threads=threads)  # fmt: skip
    return lambda: ftune.ftune(K, labels, P, F=F, **options), estimate


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((2000, 30, 3, 200), {}),
        ((2000, 30, 2, 200), {"per_class": "both"}),
        ((300, 60, 10, 100), {"loss": "logistic"}),
        ((1000, 30, 3, 100), {"loss": "hinge", "C": 1.0}),
        ((2000, 30, 3, 2000), {"F": (1.0, lambda x: x**3)}),
        ((300, 20, 20, 5000), {"C": (1.0, 10.0, 100.0, 1000.0)}),
        ((300, 60, 2, 100), {"K": lambda a, b: float(a[0] < b[0]), "F": (1.0,), "C": 1.0}),
        ((50, 200, 2, 10), {}),
    ],
    ids=["many rows", "two classes", "many classes", "hinge", "a function", "validation", "look-ups", "many pairs"],
)
def test_ftune(shape, options, kernels, threads):
    train, estimate = ftune_task(*shape, threads, kernels=kernels, **options)
    peak = traced_peak(train)
    # the estimate has room for threads that all train at once; on a busy machine they may take turns
    assert peak <= estimate <= 2 * threads * peak + 2**20


def test_bbs_is_an_ftune_of_one_function():
    rng = np.random.default_rng(4)
    S, V, y = rng.random((2000, 2000)), rng.random((100, 2000)), np.arange(2000) % 3
    options = {"validation": (V, np.arange(100) % 3), "threads": 1}
    K = Similarity(S)
    peak = traced_peak(lambda: ftune.bbs(K, y, np.arange(30), **options))
    assert peak <= ftune.estimate_memory(2000, 30, 3, 100, F=(1.0,), threads=1) <= 2 * peak


@ON_LINUX
@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
def test_resident_set_of_ftune(kernels):
    """Beside NumPy's arrays: what BLAS takes."""
    task = "ftune_task({}, 3, 200, threads=2, kernels=kernels)"
    prepare = f"{task.format('100, 5')}[0]()\ntrain, estimate = {task.format('4000, 100')}"
    peak, estimate = resident(kernels, prepare, "train()", "estimate")
    assert peak <= estimate <= 2 * 2 * peak  # the two threads may take turns


def test_ftune_looks_nothing_up_if_it_would_be_too_large():
    S, y = np.eye(40), np.arange(40) % 3
    K, P = Similarity(S), ftune.random_landmarks(y, 6, np.random.default_rng(0))
    options = {"C": 1.0, "threads": 2}
    for train, landmarks, F in (
        (lambda most: ftune.ftune(K, y, P, choose="training", max_memory=most, **options), P, ftune.SLOPES),
        (lambda most: ftune.bbs(K, y, P, max_memory=most, **options), None, (1.0,)),
    ):
        r = 6 if landmarks is None else len(np.unique([P.plus, P.minus]))
        needed, before = ftune.estimate_memory(40, 6, 3, landmarks=r, F=F, **options), K.computed
        with pytest.raises(MemoryError, match=rf"max_memory is {needed - 1:,} bytes; .* up to {needed:,}\. Pass more"):
            train(needed - 1)
        assert K.computed == before and train(needed).w.shape == (3, 6)


# ------------------------------------------------------------------------------------------ search forests


@pytest.mark.parametrize("pairs", ["meeting", "dense"])
@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize(("n", "K", "M", "limits"), [
    (1200, 10, 2, {"max_depth": 7}), (1200, 20, 1, {"max_leaves": 12}), (60, 5, 20, {"max_depth": 3}),
])  # fmt: skip
def test_search_forests(n, K, M, limits, kernels, pairs):
    """Here the estimate is an upper bound; in general it is not."""
    X = np.random.default_rng(3).normal(size=(n, 8))
    S = neighbor_similarity(X, K, kernels=kernels)

    def train():
        search_forest(X, S, M, 0.03, rng=np.random.default_rng(0), kernels=kernels, pairs=pairs, **limits)

    train()  # what is made once, such as scratch space, is there
    peak = traced_peak(train)
    assert peak <= estimate_forest(X, S, M, 0.03, pairs=pairs, **limits) <= 6 * peak + 2**21


def test_search_forests_of_more_points():
    """Trees that meet many pairs; leaves are as many as pay."""
    X, kernels = np.random.default_rng(3).normal(size=(1500, 8)), KERNELS[-1]
    S = neighbor_similarity(X, 30, kernels=kernels)

    def train():
        search_forest(X, S, 4, 0.05, rng=np.random.default_rng(0), kernels=kernels, refine=0, threads=1)

    peak = traced_peak(train)
    assert peak <= estimate_forest(X, S, 4, 0.05) <= 6 * peak


def test_the_listed_pairs_of_large_search_forests():
    """50,000 digits, K = 100, lambda = 0.05: a process took 1.09 GB for 4 trees, and 17 add few pairs to that."""
    four, more = (MeetingPairs.memory(50_000, 5_000_000, M, 0.05, 25_000) for M in (4, 17))
    assert 1.09e9 < four <= more < 2.2e9
    X = np.random.default_rng(4).normal(size=(50, 3))
    S = neighbor_similarity(X, 5)
    assert estimate_forest(X, S, 4, 0.05) < estimate_forest(X, S, 17, 0.05)


def test_memory_of_search_forests_refuses_what_the_training_would():
    X = np.random.default_rng(4).normal(size=(50, 3))
    S = neighbor_similarity(X, 5)
    deep = estimate_forest(X, S, 2, 0.05, max_depth=2000)
    assert deep == estimate_forest(X, S, 2, 0.05, max_depth=64) == estimate_forest(X, S.toarray(), 2, 0.05)
    for change, message in (
        ({"S": np.ones((3, 3))}, "S has shape"), ({"S": None}, "S has shape"), ({"pairs": "x"}, "pairs is 'x'"),
        ({"pairs": ["dense"]}, "pairs is"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            estimate_forest(**{"X": X, "S": S, "M": 2, "lam": 0.05, **change})


def test_max_memory_of_search_forests():
    X = np.random.default_rng(4).normal(size=(50, 3))
    S = neighbor_similarity(X, 5)
    enough = estimate_forest(X, S, 2, 0.05)
    assert estimate_forest(X, S.toarray(), 2, 0.05) == enough > estimate_forest(X, S, 2, 0.5)

    def train(M, most):
        return search_forest(X, S, M, 0.05, rng=np.random.default_rng(0), max_memory=most)

    assert len(train(2, enough).c) == 2
    with pytest.raises(MemoryError, match=r"max_memory is .*larger lam"):
        train(2, enough - 1)
    with pytest.raises(MemoryError, match="max_memory"):
        train(10**4, enough)
    with pytest.raises(ValueError, match="lam is 0"):
        estimate_forest(X, S, 2, 0.0)


# ------------------------------------------------------------------------------------------------ LMNN


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("labels", ["apart", "random"])
@pytest.mark.parametrize(("n", "d", "classes", "k"), [
    (60, 2, 2, 3), (60, 100, 3, 1), (300, 10, 3, 3), (800, 3, 3, 1), (200, 2, 2, 12), (200, 12, 6, 3),
])  # fmt: skip
def test_lmnn(n, d, classes, k, labels, kernels):
    """One metric, several, and LMNN-RECT: with the pairs that it had, and with the most that it could have had."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, d)) + (3 * rng.normal(size=(classes, d))[y] if labels == "apart" else 0.0)
    for train, partitions in (
        (lambda options: lmnn(X, y, k, **options), 1),
        (lambda options: lmnn(X, y, k, partition=y, **options), classes),
        (lambda options: lmnn_rect(X, y, max(1, d // 3), k, **options), 1),
    ):
        found = []
        options = {"kernels": kernels, "threads": 1, "max_checks": 2}
        peak = traced_peak(lambda train=train, found=found, options=options: found.append(train(options)))
        pairs = int(found[0].history[:, 3].max())
        if partitions > 1:  # they start from one metric, which has more
            pairs = max(pairs, int(lmnn(X, y, k, **{**options, "tol": 1e-2, "max_checks": 200}).history[:, 3].max()))
        assert peak <= estimate_lmnn(n, d, k, partitions, pairs=pairs) <= estimate_lmnn(n, d, k, partitions)
