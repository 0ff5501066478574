"""Search forest: correctness first, then the times, all in one run.

`python -m pytest tests/benchmarks/test_search_forest_speed.py --benchmark-only -s` prints them. The
first test has 1,000,000 x 128 float32 vectors and 32 trees of 16 levels: random hyperplanes at the
median, since what is measured does not depend on how the trees were learnt. It takes 4 GB. The
second learns from 50,000 digits with K = 100; REFIMPL_TREES says how many trees (4). The third
measures what the learning consists of, on 10 million pairs, beside SciPy's sparse matrices.
"""

import functools
import os
import resource
import time

import numpy as np
import pytest
from scipy import sparse
from timing import seconds

import refimpl.kernels
from paper_figures.data import load
from refimpl.ball_trees import nearest_neighbors
from refimpl.kernels import SearchForest
from refimpl.rivals.rotated_scan import principal_axes
from refimpl.search_forest import InvertedIndex, neighbor_similarity, search_forest

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

N, D, TREES, LEVELS, QUERIES = 1_000_000, 128, 32, 16, 1000


def random_forest(X, trees, levels, rng):
    """Complete trees; each node cuts the points X that reach it at the median of a random
    direction.
    """
    nodes = 2**levels - 1
    d = X.shape[1]
    planes = rng.standard_normal((trees * nodes, d), dtype=np.float32)
    offset = []
    left = []
    word = []
    plane = []
    for m in range(trees):
        at = np.zeros(len(X), dtype=np.int64)
        b = np.zeros(2 * nodes + 1)
        for level in range(levels):
            first = 2**level - 1
            values = np.einsum("ij,ij->i", X, planes[m * nodes + at])
            order = np.lexsort((values, at))
            starts = np.searchsorted(at[order], np.arange(first, 2 * first + 2))
            middle = (starts[:-1] + starts[1:]) // 2
            b[first : 2 * first + 1] = -values[order][np.minimum(middle, len(X) - 1)]
            at = 2 * at + 1 + ~(values + b[at] > 0)
        inner = np.arange(2 * nodes + 1) < nodes
        left.append(np.where(inner, m * len(inner) + 2 * np.arange(len(inner)) + 1, -1))
        word.append(np.where(inner, -1, np.arange(len(inner)) - nodes + m * (nodes + 1)))
        plane.append(np.where(inner, np.arange(len(inner)) + m * nodes, -1))
        offset.append(b)
    left, word, plane = (np.concatenate(part).astype(np.int32) for part in (left, word, plane))
    return SearchForest(
        c=rng.uniform(0.5, 1.5, trees),
        roots=np.arange(trees) * (2 * nodes + 1),
        left=left,
        word=word,
        plane=plane,
        feature=np.full(len(left), -1, dtype=np.int32),
        offset=np.concatenate(offset),
        planes=planes,
        lam=0.1,
        history=np.zeros((trees, 5)),
        message="",
    )


def report(benchmark, found):
    for name, value in found.items():
        benchmark.extra_info[name] = value
        print(f"\n{name}: {value:.4g}", end="")


def test_a_million_vectors(benchmark):
    rng = np.random.default_rng(0)
    X, Q = (rng.standard_normal((n, D), dtype=np.float32) for n in (N, QUERIES))
    forest = random_forest(X[: 2 ** (LEVELS + 1)], TREES, LEVELS, rng)
    few = Q[:200]
    words = refimpl_fast.forest_words(forest, Q, threads=1)
    assert (words[:200] == refimpl.kernels.forest_words(forest, few)).all()
    assert (words[:9] == refimpl_fast.forest_words(forest, Q[:9], threads=1)).all()
    found = {}
    reference = seconds(lambda: refimpl.kernels.forest_words(forest, few), 1) / len(few)
    one_by_one = (
        seconds(lambda: [refimpl_fast.forest_words(forest, q[None], threads=1) for q in Q], 3)
        / QUERIES
    )
    batch = seconds(lambda: refimpl_fast.forest_words(forest, X[:20_000], threads=1), 3) / 20_000
    found["traversal, reference, ms a point"] = 1e3 * reference
    found["traversal, one point at a time, ms"] = 1e3 * one_by_one
    found["traversal, 20,000 points, ms a point"] = 1e3 * batch
    found["reference / one at a time"] = reference / one_by_one
    found["reference / 20,000 points"] = reference / batch
    start = time.perf_counter()
    index = InvertedIndex(forest, X, kernels=refimpl_fast)
    assert len(index) == N
    found["building the index of 1,000,000, all threads, s"] = time.perf_counter() - start
    index.threads = 1
    candidates = index.candidates(Q)
    plain = refimpl.kernels.gather_candidates(
        index._starts, index._items, index._alive, words[:3], forest.c, N
    )
    assert (plain[1] == candidates.ids[: candidates.offsets[3]]).all()
    benchmark.pedantic(lambda: [index.candidates(q[None]) for q in Q], rounds=3)
    found["candidates of one query, ms"] = (
        1e3 * seconds(lambda: [index.candidates(q[None]) for q in Q], 3) / QUERIES
    )
    found["candidates, 1,000 queries at once, ms a query"] = (
        1e3 * seconds(lambda: index.candidates(Q), 3) / QUERIES
    )
    found["10 nearest of all candidates, one query, ms"] = (
        1e3 * seconds(lambda: [index.query(q[None], 10) for q in Q], 3) / QUERIES
    )
    found["candidates a query"] = np.diff(candidates.offsets).mean()
    report(benchmark, found)


@pytest.mark.real_data("MNIST-10")
def test_learning_from_digits(benchmark):
    """50,000 points, 5 million similar pairs and 2.5 billion others: time a tree, peak memory,
    recall.
    """
    trees = int(os.environ.get("REFIMPL_TREES", "4"))
    data = load("MNIST-10")
    X = data.X.astype(np.float64) / 255
    axes = principal_axes(X[: data.n_train])[:64]
    mean = X[: data.n_train].mean(axis=0)
    Z = ((X - mean) @ axes.T).astype(np.float32)
    del X, data
    X = np.ascontiguousarray(Z[:50_000])
    Q = np.ascontiguousarray(Z[60_000:60_500])
    start = time.perf_counter()
    S = neighbor_similarity(X, 100, kernels=refimpl_fast)
    found = {"similar pairs, s": time.perf_counter() - start}
    times = [time.perf_counter()]
    forest = benchmark.pedantic(
        lambda: search_forest(
            X,
            S,
            trees,
            0.05,
            rng=np.random.default_rng(0),
            kernels=refimpl_fast,
            callback=lambda _: times.append(time.perf_counter()),
        ),
        rounds=1,
    )
    found["seconds a tree"] = float(np.median(np.diff(times)))
    found["peak memory of the process, GB"] = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    )
    exact = nearest_neighbors(Q, X, 100, kernels=refimpl_fast).indices
    index = InvertedIndex(forest, X, kernels=refimpl_fast)
    for most in (500, 2000):
        got = index.candidates(Q, n_candidates=most)
        hits = [
            np.isin(exact[i], got.ids[got.offsets[i] : got.offsets[i + 1]]).mean()
            for i in range(len(Q))
        ]
        found[f"recall of the 100 nearest, {trees} trees, {most} returned"] = float(np.mean(hits))
    assert (
        found[
            "recall of the 100 nearest, 4 trees, 2000 returned" if trees == 4 else "seconds a tree"
        ]
        > 0.1
    )
    report(benchmark, found)


@pytest.mark.parametrize("threads", [1, 2])
def test_sums_over_pairs(benchmark, threads):
    """Nanoseconds a pair: products, thresholds and new meetings, in both twins; products by SciPy
    as well.
    """
    n = 30_000
    rng = np.random.default_rng(0)
    places = np.unique(rng.integers(n * n, size=22_000_000))
    places = places[places // n < places % n]
    first, second = (part.astype(np.int32) for part in np.divmod(places, n))
    p = len(places)
    u = rng.standard_normal(n)
    v = np.rint(64 * rng.standard_normal(len(places))) / 64
    starts = np.searchsorted(first, np.arange(n + 1)).astype(np.int32)
    upper = sparse.csr_matrix((v, second, starts), shape=(n, n))
    lower = upper.T
    leaf = rng.integers(60, size=n)
    similar = np.zeros(p, dtype=np.uint8)
    calls = {
        "product": lambda kernels: (kernels.pair_product(first, second, v, u, threads=threads),),
        "thresholds": lambda kernels: kernels.best_thresholds(
            u[:, np.newaxis], first, second, v, -0.25, threads=threads
        ),
        "meetings": lambda kernels: kernels.meet_pairs(
            leaf, first, second, similar, v, 0.5, threads=threads
        ),
    }
    np.testing.assert_allclose(
        calls["product"](refimpl_fast)[0], upper @ u + lower @ u, rtol=1e-9, atol=1e-9
    )
    found = {"product, SciPy, ns a pair": 1e9 / p * seconds(lambda: upper @ u + lower @ u, 3)}
    for name, call in calls.items():
        for ours, plain in zip(call(refimpl_fast), call(refimpl.kernels), strict=True):
            assert (ours == plain).all()
        for kernels in (refimpl_fast, refimpl.kernels):
            took = seconds(functools.partial(call, kernels), 3)
            found[f"{name}, {kernels.__name__}, ns a pair"] = 1e9 / p * took
    benchmark.pedantic(lambda: calls["product"](refimpl_fast), rounds=3)
    report(benchmark, found)
