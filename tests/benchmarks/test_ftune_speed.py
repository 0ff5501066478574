"""DSELECT, the landmark kernels, TRAIN and a whole model selection: correctness first, then the
times, in one run.

`python -m pytest tests/benchmarks/test_ftune_speed.py --benchmark-only -s` prints them.
"""

import time
import warnings

import numpy as np
import pytest
from sklearn.svm import LinearSVC
from timing import seconds

import refimpl.kernels
from paper_figures.data import load
from refimpl.ftune import SLOPES, bbs, dselect, ftune, random_landmarks
from refimpl.ftune.linear_models import path
from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)


@pytest.mark.real_data("MNIST-10")
@pytest.mark.parametrize("features", [8, 784])
def test_dselect_of_60_000_rows(benchmark, features):
    """300 landmarks by a function, a column at a time; it reads the rows 299 times at least."""
    digits = load("MNIST-10")
    X = digits.X[: digits.n_train] / 255.0
    y = digits.y[: digits.n_train] >= 5
    X = np.ascontiguousarray(X if features == 784 else X[:, 406:414])
    K = Gaussian(mean_distance(X, rng=np.random.default_rng(0)), X)
    some = Similarity(K, X[:2000], pairwise=True)
    one, two = (
        dselect(some, y[:2000], 40, rng=np.random.default_rng(1), kernels=k).L
        for k in (refimpl.kernels, refimpl_fast)
    )
    assert (one == two).all()
    similarity = Similarity(K, X, pairwise=True)

    def run():
        return dselect(similarity, y, 300, rng=np.random.default_rng(1), kernels=refimpl_fast)

    P = benchmark.pedantic(run, rounds=1)
    assert len(P.L) == 300 and similarity.computed == 299 * len(X)
    once = seconds(lambda: X.sum(), 5)
    found = benchmark.stats["mean"]
    print(
        f"\n300 of {len(X):,} rows of {features} features: {found:.2f} s; "
        f"reading them 299 times {299 * once:.2f} s"
    )


def test_kernels(benchmark):
    rng = np.random.default_rng(0)
    S = rng.uniform(0, 1, (10_000, 300))
    slopes = np.array(SLOPES)
    plus, minus = rng.integers(0, 300, (2, 300))
    calls = {
        "transferred differences, 6 slopes x 10,000 x 300": lambda k, **n: (
            k.transferred_differences(S, plus, minus, slopes, **n)
        ),
        "greedy step, 60,000 rows": lambda k, **n: k.least_similar(sums.copy(), column, taken, **n),
    }
    sums = rng.normal(size=60_000)
    column = rng.normal(size=60_000)
    taken = rng.random(60_000) < 0.01
    for name, call in calls.items():
        assert np.array_equal(call(refimpl.kernels), call(refimpl_fast))
        reference, one, all_ = (
            seconds(lambda c=call, k=k, n=n: c(k, **n), 9)
            for k, n in ((refimpl.kernels, {}), (refimpl_fast, {"threads": 1}), (refimpl_fast, {}))
        )
        print(
            f"\n{name}: reference {1e3 * reference:.2f} ms, fast {1e3 * one:.2f} ms on one thread "
            f"({reference / one:.1f} times), {1e3 * all_:.2f} ms on all "
            f"({reference / all_:.1f} times)",
            end="",
        )
    benchmark.pedantic(
        lambda: calls["transferred differences, 6 slopes x 10,000 x 300"](refimpl_fast), rounds=3
    )


def letters():
    letters = load("letters")
    order = np.random.default_rng(0).permutation(len(letters.X))
    # § 3.2: 50 % training, 20 % validation
    parts = np.split(order, [len(order) // 2, 7 * len(order) // 10])
    X = letters.X.astype(np.float64)
    y = letters.y
    K = Similarity(
        Gaussian(mean_distance(X[parts[0]], rng=np.random.default_rng(0))),
        X[parts[0]],
        pairwise=True,
    )
    return K, [(X[part], y[part]) for part in parts]


@pytest.mark.real_data("letters")
def test_train_beside_liblinear(benchmark):
    """One of the 26 x 6 problems of letters with its four C: ours ends no higher."""
    K, ((_, y), _, _) = letters()
    P = random_landmarks(y, 300, rng=np.random.default_rng(0), pool=True)
    S = K.within(None, P.L)
    places = {x: i for i, x in enumerate(P.L)}
    plus, minus = (np.array([places[x] for x in one[0]]) for one in (P.plus, P.minus))
    Phi = refimpl_fast.transferred_differences(S, plus, minus, np.array([5.0]))[0]
    sign = np.where(y == np.unique(y)[0], 1.0, -1.0)
    Cs = (1.0, 10.0, 100.0, 1000.0)
    for loss, dual in (("squared_hinge", False), ("squared_hinge", True), ("hinge", True)):
        ours = []
        mine = seconds(lambda ours=ours, loss=loss: ours.extend(path(Phi, sign, Cs, loss, 1.0)), 1)
        theirs = []
        start = time.perf_counter()
        for C in Cs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                peer = LinearSVC(loss=loss, dual=dual, C=C, random_state=0).fit(Phi, sign)
            w, b = peer.coef_[0], peer.intercept_[0]
            short = np.maximum(0, 1 - sign * (Phi @ w + b))
            theirs.append(
                0.5 * (w @ w + b * b) + C * (short if loss == "hinge" else short**2).sum()
            )
        peers = time.perf_counter() - start
        assert all(
            m.converged and m.objective <= o * (1 + 1e-6) for m, o in zip(ours, theirs, strict=True)
        )
        above = ", ".join(f"{o / m.objective - 1:.1e}" for m, o in zip(ours, theirs, strict=True))
        print(
            f"\n{loss}, four C: {mine:.2f} s; LinearSVC(dual={dual}) {peers:.2f} s, "
            f"above ours by {above}",
            end="",
        )
    benchmark.pedantic(lambda: list(path(Phi, sign, Cs, "squared_hinge", 1.0)), rounds=1)


@pytest.mark.real_data("letters")
@pytest.mark.parametrize("d", [30, 300])
def test_model_selection_on_letters(benchmark, d):
    """6 slopes x 4 C x 26 classes, 10,000 training and 4,000 validation points."""
    K, ((_, y), held, (Q, q)) = letters()
    P = random_landmarks(y, d, rng=np.random.default_rng(0), pool=True)
    model = benchmark.pedantic(
        lambda: ftune(K, y, P, validation=held, kernels=refimpl_fast), rounds=1
    )
    assert model.w.shape == (26, d) and (model.gaps <= 1e-7).all()
    accuracy = (model.predict(K, Q, kernels=refimpl_fast) == q).mean()
    single = (bbs(K, y, P.L[:d], validation=held).predict(K, Q) == q).mean()
    assert accuracy > 0.6
    print(
        f"\n{d} landmarks: {benchmark.stats['mean']:.1f} s; "
        f"accuracy {accuracy:.3f}, BBS {single:.3f}",
        end="",
    )
