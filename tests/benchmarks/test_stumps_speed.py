"""Boosting rounds and Algorithm A.3: correctness first, then the ratios, all in one run.

`python -m pytest tests/benchmarks --benchmark-only -s` prints them. The data are differences of
MNIST digits 1 and 7.
"""

import subprocess
import sys

import numpy as np
import pytest
from timing import seconds

import refimpl.kernels
from paper_figures.data import load
from refimpl.boosted_distance import Differences, adaboost

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)


@pytest.fixture(scope="module")
def sets():
    digits = load("MNIST")
    picked = np.random.default_rng(0).choice(digits.n_train, 400, replace=False)
    X = digits.X[picked]
    one = digits.y[picked] == np.unique(digits.y)[0]
    B = X[one][:100]
    return Differences(X[one], B), Differences(X[~one], B)


def per_round(P, N, kernels, few, many, repeats, threads=None):
    """Seconds of a whole round of Algorithm A.2, the weights' update included."""
    short, long = (
        seconds(lambda T=T: adaboost(P, N, T, kernels=kernels, threads=threads), repeats)
        for T in (few, many)
    )
    return (long - short) / (many - few)


@pytest.mark.real_data("MNIST")
def test_boosting_round(sets, benchmark):
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier

    P, N = sets
    assert adaboost(P, N, 3) == adaboost(P, N, 3, kernels=refimpl_fast)
    benchmark.pedantic(lambda: adaboost(P, N, 10, kernels=refimpl_fast), rounds=3)
    X = np.concatenate([P, N])
    y = np.arange(len(P) + len(N)) < len(P)
    found = {
        "fast": per_round(P, N, refimpl_fast, 10, 110, 3),
        "fast, 1 thread": per_round(P, N, refimpl_fast, 10, 60, 3, threads=1),
        "reference": per_round(P, N, refimpl.kernels, 2, 7, 1),
    }
    stump = DecisionTreeClassifier(max_depth=1)
    short, long = (
        seconds(lambda T=T: AdaBoostClassifier(stump, n_estimators=T).fit(X, y), 1) for T in (1, 4)
    )
    found["scikit-learn AdaBoost"] = (long - short) / 3
    light = {"num_leaves": 2, "max_bin": 255, "n_jobs": 2, "verbose": -1}
    short, long = (
        seconds(lambda T=T: LGBMClassifier(n_estimators=T, **light).fit(X, y), 1) for T in (10, 110)
    )
    found["LightGBM, 255 bins"] = (long - short) / 100
    hist = {"max_leaf_nodes": 2, "early_stopping": False}
    short, long = (
        seconds(lambda T=T: HistGradientBoostingClassifier(max_iter=T, **hist).fit(X, y), 1)
        for T in (5, 25)
    )
    found["scikit-learn HistGradientBoosting"] = (long - short) / 20
    for name, value in found.items():
        benchmark.extra_info[name] = value
        print(
            f"\n{name}: {1e3 * value:.2f} ms a round, "
            f"{value / found['fast']:.1f} times the fast kernel",
            end="",
        )


@pytest.mark.real_data("MNIST")
def test_stump_against_memory_speed(sets, benchmark):
    """How far a search for the best stump is from reading its sorted rows once, at the speed of a
    long sum.
    """
    P, N = sets
    features = refimpl_fast.presort(np.concatenate([P.A, N.A]), P.B)
    n = features.n_rows
    w = np.full(n, 1 / n)
    l = np.arange(n) < len(P)
    reference = refimpl.kernels.best_stump(refimpl.kernels.presort(features.A, features.B), w, l)
    assert refimpl_fast.best_stump(features, w, l) == reference
    long = np.ones(2**25, dtype=np.uint64)  # 256 MiB: beyond every cache
    speed = long.nbytes / seconds(lambda: long.sum(), 9)
    found = seconds(lambda: refimpl_fast.best_stump(features, w, l, threads=1), 99)
    benchmark.pedantic(lambda: refimpl_fast.best_stump(features, w, l), rounds=20)
    once = features.nbytes / speed
    benchmark.extra_info.update(bytes=features.nbytes, bytes_per_second=speed, ratio=found / once)
    print(
        f"\nbest stump, 1 thread: {1e3 * found:.2f} ms; "
        f"reading its {features.nbytes / 1e6:.1f} MB once "
        f"at {speed / 1e9:.1f} GB/s takes {1e3 * once:.2f} ms, {found / once:.1f} times less",
        end="",
    )


MEMORY = """
import numpy as np, refimpl_fast
from refimpl.boosted_distance import boosted_distance, estimate_memory
def peak():  # of this process alone: what getrusage gives begins with the parent's
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
rng = np.random.default_rng(0)
X, labels = rng.normal(size=(200, 1558)), np.arange(200) % 2
before, estimate = peak(), estimate_memory(X, labels, 3)
boosted_distance(X, labels, 3, kernels=refimpl_fast)
print(before, peak(), estimate)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_the_widest_set(benchmark):
    """200 vectors of 1,558 features without one equal difference: the most that the paper's sets
    could need.
    """
    run = benchmark.pedantic(
        lambda: subprocess.run(
            [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
        ),
        rounds=1,
    )
    before, after, estimate = map(int, run.stdout.split())
    benchmark.extra_info.update(peak=after, training=after - before, estimate=estimate)
    print(
        f"\n200 x 1558: peak {after / 1e6:.0f} MB, "
        f"of which training {(after - before) / 1e6:.0f} MB; "
        f"estimate {estimate / 1e6:.0f} MB",
        end="",
    )
    assert after - before <= estimate


def test_similarity(benchmark):
    rng = np.random.default_rng(0)
    Y = rng.random((1000, 784))
    X = rng.random((200, 784))
    T = 100
    model = (rng.random(T), rng.integers(0, 784, T), rng.choice([-1, 1], T), rng.random(T) - 0.5)
    sums = []
    for kernels in (refimpl.kernels, refimpl_fast):
        sums.append(np.zeros((1000, 200)))
        kernels.add_similarity(sums[-1], Y, X, *model)
    assert np.array_equal(*sums)
    S = np.zeros((1000, 200))
    reference = seconds(lambda: refimpl.kernels.add_similarity(S, Y, X, *model), 9)
    fast = seconds(lambda: refimpl_fast.add_similarity(S, Y, X, *model), 99)
    benchmark.extra_info["ratio"] = reference / fast
    benchmark.pedantic(lambda: refimpl_fast.add_similarity(S, Y, X, *model), rounds=20)
    print(
        f"\nA.3: reference {1e3 * reference:.2f} ms, fast {1e3 * fast:.3f} ms, "
        f"{reference / fast:.0f} times"
    )
