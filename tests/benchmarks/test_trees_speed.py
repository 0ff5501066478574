"""Ball trees on MNIST after PCA: correctness first, then the times, all in one run.

`python -m pytest tests/benchmarks/test_trees_speed.py --benchmark-only -s` prints them. 60,000
points, the first 1,000 test digits as queries, k = 3, one thread unless it says otherwise.
`product` is the search by matrix products; set OPENBLAS_NUM_THREADS to give it more threads. The
limits: the float32 copy of all points is read once for each query (`scan all`), and the rate at
which one core reads it.
"""

import time

import numpy as np
import pytest
from timing import seconds

import refimpl.kernels
from paper_figures.data import load
from refimpl.ball_trees import impostors, nearest_neighbors
from refimpl.rivals.rotated_scan import principal_axes, rotated_scan

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)
pytestmark = pytest.mark.real_data("MNIST-10")

K, QUERIES = 3, 1000


@pytest.fixture(scope="module")
def digits():
    data = load("MNIST-10")
    X = data.X.astype(np.float64)
    V = principal_axes(X[: data.n_train])[:169]
    Z = (X - X[: data.n_train].mean(axis=0)) @ V.T
    return Z[: data.n_train], Z[data.n_train :][:QUERIES], data.y[: data.n_train]


def report(benchmark, found, of):
    for name, value in found.items():
        benchmark.extra_info[name] = value
        print(f"\n{name}: {1e3 * value:.1f} ms, {value / found[of]:.1f} times {of}", end="")


@pytest.mark.parametrize("d", [15, 40])
def test_nearest_neighbours(digits, d, benchmark):
    from scipy.spatial import cKDTree
    from sklearn.neighbors import BallTree, KDTree

    X, Q = (np.ascontiguousarray(part[:, :d]) for part in digits[:2])
    tree, fine = (refimpl_fast.build_tree(X, leaf_size=size) for size in (128, 16))
    literal, small = (
        refimpl_fast.build_tree(X, leaf_size=size, direction="principal") for size in (128, 16)
    )
    flat = refimpl_fast.build_tree(X, leaf_size=len(X))
    own = {
        "tree": lambda threads=1: refimpl_fast.tree_nearest(tree, Q, K, threads=threads),
        "tree, leaves of 16": lambda: refimpl_fast.tree_nearest(fine, Q, K, threads=1),
        "tree, eq. 7": lambda: refimpl_fast.tree_nearest(literal, Q, K, bound="ball", threads=1),
        "tree, eq. 7, leaves of 16": lambda: refimpl_fast.tree_nearest(
            small, Q, K, bound="ball", threads=1
        ),
        "scan all": lambda: refimpl_fast.tree_nearest(flat, Q, K, threads=1),
        "product": lambda: _fields(nearest_neighbors(Q, X, K, method="brute")),
        "rotated scan of § 4.2": lambda: refimpl_fast.scan_nearest(Q, X, K, threads=1),
    }
    for search in own.values():  # X is rotated to its principal components already
        assert all((a == b).all() for a, b in zip(search()[:2], own["tree"]()[:2], strict=True))
    few = slice(0, 10)
    start = time.perf_counter()
    reference = refimpl.kernels.tree_nearest(tree, Q[few], K)
    reference_seconds = (time.perf_counter() - start) * QUERIES / 10
    assert all((a == b[few]).all() for a, b in zip(reference, own["tree"](), strict=True))
    scipys = cKDTree(X)
    learns = BallTree(X)
    kd = KDTree(X)
    assert (scipys.query(Q, K)[1] == own["tree"]()[1]).all() and (
        learns.query(Q, K)[1] == own["tree"]()[1]
    ).all()
    learns.reset_n_calls()
    learns.query(Q, K)
    calls = learns.get_n_calls() / QUERIES
    benchmark.pedantic(own["tree"], rounds=5)
    found = {name: seconds(search, 5) for name, search in own.items()}
    found["tree, 2 threads"] = seconds(lambda: own["tree"](threads=2), 5)
    found["reference tree (10 queries)"] = reference_seconds
    found["scipy cKDTree"] = seconds(lambda: scipys.query(Q, K), 3)
    found["scikit-learn BallTree"] = seconds(lambda: learns.query(Q, K), 3)
    found["scikit-learn KDTree"] = seconds(lambda: kd.query(Q, K), 3)
    found["building: axis"] = seconds(lambda: refimpl_fast.build_tree(X, threads=1), 3)
    found["building: principal"] = seconds(
        lambda: refimpl_fast.build_tree(X, direction="principal", threads=1), 3
    )
    found["building: cKDTree"] = seconds(lambda: cKDTree(X), 3)
    found["building: scikit-learn BallTree"] = seconds(lambda: BallTree(X), 3)
    print(f"\n60,000 x {d}, {QUERIES} queries", end="")
    report(benchmark, found, "tree")
    for name in ("tree", "tree, leaves of 16", "tree, eq. 7", "tree, eq. 7, leaves of 16"):
        print(f"\n{name}: {own[name]()[2].mean():.0f} distances a query", end="")
    print(
        f"\nscikit-learn BallTree: {calls:.0f} distances a query, those to centres included", end=""
    )
    terms = own["rotated scan of § 4.2"]()[2].mean()
    print(f"\nrotated scan of § 4.2: {terms:.0f} of {len(X) * d} squares a query", end="")
    print(f"\nscan all: {len(X) * d * 4 * QUERIES / found['scan all'] / 1e9:.0f} GB/s of float32")


def _fields(found):
    return found.squares, found.indices


@pytest.mark.parametrize("d", [2, 5, 15, 40, 80, 169])
def test_the_better_way_is_taken(digits, d, benchmark):
    """`nearest_neighbors` as a whole, the building included, for few queries and many."""
    X, Q = (np.ascontiguousarray(part[:, :d]) for part in digits[:2])
    for m in (10, 100, 1000):
        ways = {
            way: lambda way=way, m=m: nearest_neighbors(
                Q[:m], X, K, method=way, kernels=refimpl_fast, threads=1
            )
            for way in ("tree", "scan", "brute", "auto")
        }
        answers = {way: call() for way, call in ways.items()}
        for answer in answers.values():
            assert (answer.squares == answers["tree"].squares).all()
            assert (answer.indices == answers["tree"].indices).all()
        found = {way: seconds(call, 3) for way, call in ways.items()}
        print(f"\n60,000 x {d}, {m} queries; auto takes {answers['auto'].method}", end="")
        report(benchmark, found, min(("tree", "scan", "brute"), key=found.get))
    benchmark.pedantic(ways["auto"], rounds=3)


@pytest.mark.parametrize("d", [10, 40, 100, 169])
def test_impostors(digits, d, benchmark):
    """§ 4.2: one tree for each class, against one leaf for each class (a scan of all)."""
    X = np.ascontiguousarray(digits[0][:20000, :d]) / 255
    y = digits[2][:20000]
    limits = np.empty(len(X))
    for label in np.unique(y):
        mine = np.flatnonzero(y == label)
        limits[mine] = nearest_neighbors(None, X[mine], K, kernels=refimpl_fast).squares[:, -1] + 1

    def by(leaf_size, bound):
        found = []
        for label in np.unique(y):
            tree = refimpl_fast.build_tree(X[y == label], leaf_size=leaf_size, threads=1)
            others = y != label
            found += refimpl_fast.tree_within(
                tree, X[others], limits[others], bound=bound, threads=1
            )[:3]
        return found

    ways = {"tree": (128, "box"), "tree, eq. 7": (128, "ball"), "scan all": (len(X), "box")}
    for arguments in ways.values():
        assert all((a == b).all() for a, b in zip(by(*arguments), by(128, "box"), strict=True))
    few = X[:300], y[:300], limits[:300]
    one, two = (impostors(*few, kernels=kernels) for kernels in (refimpl.kernels, refimpl_fast))
    assert (one.indices == two.indices).all() and (one.squares == two.squares).all()
    benchmark.pedantic(lambda: by(128, "box"), rounds=3)
    print(f"\n20,000 x {d}, impostors", end="")
    report(
        benchmark,
        {name: seconds(lambda a=arguments: by(*a), 3) for name, arguments in ways.items()},
        "tree",
    )


def test_impostors_of_all_digits(digits, benchmark):
    """60,000 x 169: the limits from the target neighbours, then the impostors, by a scan of each
    class and by trees.
    """
    X = np.ascontiguousarray(digits[0]) / 255
    y = digits[2]
    limits = np.empty(len(X))
    start = time.perf_counter()
    for label in np.unique(y):
        mine = np.flatnonzero(y == label)
        limits[mine] = nearest_neighbors(None, X[mine], K, kernels=refimpl_fast).squares[:, -1] + 1
    found = {"target neighbours": time.perf_counter() - start}
    search = {"scan": len(X), "tree": 128}
    answers = {
        way: impostors(X, y, limits, leaf_size=size, kernels=refimpl_fast)
        for way, size in search.items()
    }
    assert (answers["scan"].indices == answers["tree"].indices).all()
    assert (answers["scan"].squares == answers["tree"].squares).all()
    for way, size in search.items():
        found[way] = seconds(
            lambda size=size: impostors(X, y, limits, leaf_size=size, kernels=refimpl_fast), 1
        )
    benchmark.pedantic(
        lambda: impostors(X, y, limits, leaf_size=len(X), kernels=refimpl_fast), rounds=1
    )
    print(f"\n60,000 x 169, {len(answers['scan'].indices)} impostors", end="")
    report(benchmark, found, "scan")


def test_rotation(digits):
    """The rival finds the same digits, whatever the rotation rounds."""
    X = digits[0][:, :15]
    Q = digits[1][:100, :15]
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(15, 15)))[0]
    found = rotated_scan(Q @ turn, X @ turn, K, kernels=refimpl_fast, threads=1)
    assert (found.indices == nearest_neighbors(Q, X, K).indices).all()
