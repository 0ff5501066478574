"""The search forest's rivals, the Hamming scan among them: correctness first, then the times, all
in one run.

`python -m pytest tests/benchmarks/test_hamming_speed.py --benchmark-only -s` prints them. The scan
is measured against the machine's limit, a long sum over the same codes, and against NumPy's own bit
counting; its codes fill 1 GiB, beyond any cache. The other rivals are measured on MNIST after PCA.
"""

import functools
import time

import numpy as np
import pytest
from timing import seconds

import refimpl.kernels
from paper_figures.data import load
from refimpl.ball_trees import nearest_neighbors
from refimpl.rivals.candidates import recall
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.rotated_scan import principal_axes
from refimpl.rivals.spectral_hashing import spectral_hashing

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

CODES = 2**27  # 64-bit words
RETURNED = 1000


@pytest.fixture(scope="module")
def words():
    return np.random.default_rng(0).integers(0, 2**64, CODES, dtype=np.uint64)


@pytest.fixture(scope="module")
def digits():
    """60,000 digits in 64 dimensions, 1,000 queries, and the 100 nearest of each."""
    data = load("MNIST-10")
    X = data.X.astype(np.float64)
    V = principal_axes(X[: data.n_train])[:64]
    Z = (X - X[: data.n_train].mean(axis=0)) @ V.T
    X = np.ascontiguousarray(Z[: data.n_train])
    Q = np.ascontiguousarray(Z[data.n_train :][:1000])
    return X, Q, nearest_neighbors(Q, X, 100, kernels=refimpl_fast).indices


def count_bits(codes, query, block=1 << 18):
    """The nearest by NumPy alone, in blocks that stay in cache."""
    best = 1 << 30, 0
    for first in range(0, len(codes), block):
        distances = np.bitwise_count(codes[first : first + block] ^ query).sum(
            axis=1, dtype=np.int32
        )
        place = int(distances.argmin())
        best = min(best, (int(distances[place]), first + place))
    return best


@pytest.mark.parametrize("bits", [64, 128, 256, 512])
@pytest.mark.parametrize("threads", [1, 2])
def test_scan_for_one_query(words, bits, threads, benchmark):
    codes = words.reshape(-1, bits // 64)
    query = np.random.default_rng(1).integers(0, 2**64, (1, bits // 64), dtype=np.uint64)
    few = codes[:100_000]
    for a, b in zip(
        refimpl.kernels.hamming_nearest(query, few, 50),
        refimpl_fast.hamming_nearest(query, few, 50, threads=threads),
        strict=True,
    ):
        assert (a == b).all()
    ways = {
        f"k = {k}": lambda k=k: refimpl_fast.hamming_nearest(query, codes, k, threads=threads)
        for k in (1, 1000)
    }
    ways["within"] = lambda: refimpl_fast.hamming_within(
        query, codes, np.array([bits // 4]), threads=threads
    )
    ways["long sum"] = lambda: codes.sum()
    if hasattr(np, "bitwise_count"):
        ways["numpy.bitwise_count"] = lambda: count_bits(codes, query[0])
        distances, indices = ways["k = 1"]()
        assert (distances[0, 0], indices[0, 0]) == ways["numpy.bitwise_count"]()
    found = {name: seconds(way, 1 if "numpy" in name else 7) for name, way in ways.items()}
    print(f"\n{len(codes):,} codes of {bits} bits, {threads} thread(s)", end="")
    for name, value in found.items():
        benchmark.extra_info[name] = value
        rate = codes.nbytes / value / 1e9
        share = found["long sum"] / value
        print(
            f"\n{name}: {1e3 * value:.1f} ms, {rate:.1f} GB/s, {share:.2f} of the sum's speed",
            end="",
        )
    benchmark.pedantic(ways["k = 1"], rounds=3)


def test_scan_of_a_mapped_file(words, tmp_path, benchmark):
    codes = words.reshape(-1, 8)
    np.save(tmp_path / "codes.npy", codes)
    mapped = np.load(tmp_path / "codes.npy", mmap_mode="r")
    query = codes[12_345:12_346].copy()
    found = refimpl_fast.hamming_nearest(query, mapped, 10)
    for a, b in zip(found, refimpl_fast.hamming_nearest(query, codes, 10), strict=True):
        assert (a == b).all()
    assert found[1][0, 0] == 12_345
    held, read = (
        seconds(lambda c=c: refimpl_fast.hamming_nearest(query, c, 10), 7) for c in (codes, mapped)
    )
    print(
        f"\n{len(codes):,} codes of 512 bits: {1e3 * held:.1f} ms in memory, "
        f"{1e3 * read:.1f} ms mapped from a file"
    )
    benchmark.pedantic(lambda: refimpl_fast.hamming_nearest(query, mapped, 10), rounds=3)
    mapped._mmap.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_scan_for_many_queries(words, threads, benchmark):
    """60,000 codes that stay in cache: what a comparison takes."""
    codes = words[: 60_000 * 8].reshape(-1, 8)
    queries = words[-1000 * 8 :].reshape(-1, 8)
    expected = refimpl.kernels.hamming_nearest(queries[:2], codes, 100)
    mine = refimpl_fast.hamming_nearest(queries[:2], codes, 100, threads=threads)
    assert all(np.array_equal(a, b) for a, b in zip(mine, expected, strict=True))
    for k in (1, 100, 1000):
        value = seconds(
            lambda k=k: refimpl_fast.hamming_nearest(queries, codes, k, threads=threads), 3
        )
        print(
            f"\n60,000 x 512 bits, 1,000 queries, k = {k}, {threads} thread(s): "
            f"{value * 1e9 / 6e7:.2f} ns a pair",
            end="",
        )
    benchmark.pedantic(
        lambda: refimpl_fast.hamming_nearest(queries, codes, 100, threads=threads), rounds=3
    )


@pytest.mark.real_data("MNIST-10")
@pytest.mark.parametrize("k", [2, 32])
def test_k_means_of_one_node(digits, k, benchmark):
    """scikit-learn's k-means from the same centres, as many steps: the same partition but for
    rounding.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    X = digits[0]
    centres = X[:: len(X) // k][:k].copy()
    rows = np.arange(len(X))
    one = refimpl.kernels.lloyd(X[:3000], rows[:3000], centres, 3)
    for a, b in zip(one, refimpl_fast.lloyd(X[:3000], rows[:3000], centres, 3), strict=True):
        assert (a == b).all()
    peer = KMeans(k, init=centres, n_init=1, max_iter=7, tol=0)
    with threadpool_limits(1):
        labels = peer.fit(X).labels_
        theirs = seconds(lambda: peer.fit(X), 3)
    ours = {
        t: seconds(lambda t=t: refimpl_fast.lloyd(X, rows, centres, 7, threads=t), 3)
        for t in (1, 2)
    }
    assert (refimpl_fast.lloyd(X, rows, centres, 7)[1] == labels).mean() > 0.999
    print(
        f"\n7 steps of k-means, 60,000 x 64, k = {k}: {1e3 * ours[1]:.0f} ms on 1 thread, "
        f"{1e3 * ours[2]:.0f} on 2; scikit-learn {1e3 * theirs:.0f} ms on 1"
    )
    benchmark.pedantic(lambda: refimpl_fast.lloyd(X, rows, centres, 7, threads=1), rounds=3)


@pytest.mark.real_data("MNIST-10")
def test_rivals_on_digits(digits, benchmark):
    """Recall of the 100 nearest and candidate time of each rival, one thread; brute force for
    scale.
    """
    from sklearn.neighbors import NearestNeighbors

    X, Q, near = digits
    fast = {"kernels": refimpl_fast, "threads": 1}
    small = X[:2000], Q[:5]
    start = time.perf_counter()
    trees = kmeans_trees(X, 8, rng=np.random.default_rng(0), **fast)
    tables = lsh(X, 8, 8, 3000.0, rng=np.random.default_rng(0), **fast)
    print(
        f"\n8 trees and 8 tables of 60,000 x 64 built in {time.perf_counter() - start:.1f} s",
        end="",
    )
    first = trees.truncated(1)
    codes = {}
    of_queries = {}
    for bits in (32, 96, 200):
        model = spectral_hashing(X, bits, **fast)
        codes[bits] = model.encode(X, **fast)
        of_queries[bits] = model.encode(Q, **fast)
    _same_on_both_kernels(*small)
    ways = {
        "k-means trees, best bin first": lambda: trees.candidates(Q, RETURNED, **fast),
        "one k-means tree, best bin first": lambda: first.candidates(Q, RETURNED, **fast),
        "k-means trees, leaves": lambda: trees.colliding(Q, RETURNED, **fast),
        "p-stable hashing": lambda: tables.candidates(Q, RETURNED, **fast),
    }
    for name, way in ways.items():
        (found,), (returned,) = recall(way(), near, [RETURNED])
        value = seconds(way, 3) / len(Q)
        print(
            f"\n{name}: recall {found:.3f} of {returned:.0f} returned, "
            f"{1e3 * value:.3f} ms a query",
            end="",
        )
    for bits in codes:
        scan = functools.partial(
            refimpl_fast.hamming_nearest, of_queries[bits], codes[bits], RETURNED, threads=1
        )
        found = np.mean([np.isin(a, b).sum() for a, b in zip(scan()[1], near, strict=True)]) / 100
        print(
            f"\nspectral hashing, {bits} bits: recall {found:.3f} of {RETURNED} returned, "
            f"{1e3 * seconds(scan, 3) / len(Q):.3f} ms a query",
            end="",
        )
    brute = NearestNeighbors(n_neighbors=100, algorithm="brute").fit(X)
    exact = seconds(lambda: brute.kneighbors(Q), 1)
    print(f"\nscikit-learn's brute force, exact: {exact:.3f} ms a query")
    benchmark.pedantic(ways["k-means trees, best bin first"], rounds=3)


def _same_on_both_kernels(X, Q):
    for make in (
        lambda kernels: kmeans_trees(X, 2, rng=np.random.default_rng(0), kernels=kernels),
        lambda kernels: lsh(X, 3, 4, 3000.0, rng=np.random.default_rng(0), kernels=kernels),
    ):
        one, two = (
            make(kernels).candidates(Q, 50, kernels=kernels)
            for kernels in (refimpl.kernels, refimpl_fast)
        )
        assert (one.indices == two.indices).all() and (one.scores == two.scores).all()
    one, two = (
        spectral_hashing(X, 96, kernels=kernels).encode(Q)
        for kernels in (refimpl.kernels, refimpl_fast)
    )
    assert (one == two).all()
