"""Boosting rounds and Algorithm A.3: correctness first, then the ratios, all in one run.

`python -m pytest tests/benchmarks --benchmark-only -s` prints them. The data are differences of MNIST digits 1 and 7.
"""

import time

import numpy as np
import pytest

import refimpl.kernels
from paper_figures.data import load
from refimpl.boosted_distance import Differences, adaboost

refimpl_fast = pytest.importorskip("refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError)


@pytest.fixture(scope="module")
def sets():
    digits = load("MNIST")
    picked = np.random.default_rng(0).choice(digits.n_train, 400, replace=False)
    X, one = digits.X[picked], digits.y[picked] == np.unique(digits.y)[0]
    B = X[one][:100]
    return Differences(X[one], B), Differences(X[~one], B)


def seconds(function, repeats):
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
    return float(np.median(found))


def per_round(P, N, kernels, few, many, repeats, threads=None):
    """Seconds of a whole round of Algorithm A.2, the weights' update included."""
    short, long = (
        seconds(lambda T=T: adaboost(P, N, T, kernels=kernels, threads=threads), repeats) for T in (few, many)
    )
    return (long - short) / (many - few)


def test_boosting_round(sets, benchmark):
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    P, N = sets
    assert adaboost(P, N, 3) == adaboost(P, N, 3, kernels=refimpl_fast)
    benchmark.pedantic(lambda: adaboost(P, N, 10, kernels=refimpl_fast), rounds=3)
    X, y = np.concatenate([P, N]), np.arange(len(P) + len(N)) < len(P)
    found = {
        "fast": per_round(P, N, refimpl_fast, 10, 110, 3),
        "fast, 1 thread": per_round(P, N, refimpl_fast, 10, 60, 3, threads=1),
        "reference": per_round(P, N, refimpl.kernels, 2, 7, 1),
    }
    stump = DecisionTreeClassifier(max_depth=1)
    short, long = (seconds(lambda T=T: AdaBoostClassifier(stump, n_estimators=T).fit(X, y), 1) for T in (1, 4))
    found["scikit-learn AdaBoost"] = (long - short) / 3
    light = {"num_leaves": 2, "max_bin": 255, "n_jobs": 2, "verbose": -1}
    short, long = (seconds(lambda T=T: LGBMClassifier(n_estimators=T, **light).fit(X, y), 1) for T in (10, 110))
    found["LightGBM, 255 bins"] = (long - short) / 100
    for name, value in found.items():
        benchmark.extra_info[name] = value
        print(f"\n{name}: {1e3 * value:.2f} ms a round, {value / found['fast']:.1f} times the fast kernel", end="")


def test_similarity(benchmark):
    rng = np.random.default_rng(0)
    Y, X, T = rng.random((1000, 784)), rng.random((200, 784)), 100
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
    print(f"\nA.3: reference {1e3 * reference:.2f} ms, fast {1e3 * fast:.3f} ms, {reference / fast:.0f} times")
