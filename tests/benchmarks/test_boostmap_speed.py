"""BoostMap: its training at the paper's size and its filter scan; correctness first, all in one
run.

`python -m pytest tests/benchmarks/test_boostmap_speed.py --benchmark-only -s` prints the numbers.
The training takes minutes: 200,000 selective triples of 5,000 digits, 5,000 candidates, M_1 = m =
1,000, M_2 = 200, 256 dimensions and as many rounds of the second phase.
"""

import resource
import time

import numpy as np
import pytest
from timing import seconds

import refimpl.kernels
from paper_figures.data import load
from refimpl.boostmap import BoostMapOptions, CandidateDistances, boostmap, selective_triples
from refimpl.boostmap.edges import canny, chamfer

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)
pytestmark = pytest.mark.real_data("MNIST-10")


@pytest.fixture(scope="module")
def digits():
    """Return chamfer distances of 5,000 candidates and 5,000 objects of triples, and labels."""
    data = load("MNIST-10")
    picked = np.random.default_rng(0).permutation(data.n_train)[:10_000]
    edges = canny(data.X[picked].reshape(-1, 28, 28).astype(np.uint8))
    C = edges[:5000]
    T = edges[5000:]
    among = chamfer(T, T, kernels=refimpl_fast)
    return (
        chamfer(C, T, kernels=refimpl_fast),
        chamfer(C, C, kernels=refimpl_fast),
        among,
        data.y[picked[5000:]],
    )


def triples_of(digits, t):
    """Draw t triples. It takes longer than a small training, so it stays outside the clock."""
    _, _, among, y = digits
    return selective_triples(among, y, 4, t, rng=np.random.default_rng(1))


def trained(
    digits, triples, d, n=5000, kernels=refimpl_fast, threads=None, callback=None, **options
):
    D, between, _, _ = digits
    return boostmap(
        CandidateDistances(D[:n], between[:n, :n]),
        triples,
        d,
        rng=np.random.default_rng(2),
        options=BoostMapOptions(**options),
        kernels=kernels,
        threads=threads,
        callback=callback,
    )


def same(one, two):
    for name in ("first", "second", "alpha", "coordinate", "low", "high", "extra", "round_alpha"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


def test_twins_and_threads_train_alike(digits, benchmark):
    small = {
        "triples": triples_of(digits, 4000),
        "d": 8,
        "query_sensitive": 4,
        "n": 100,
        "n_references": 60,
        "n_best": 20,
    }
    seconds = []
    models = []
    for kernels in (refimpl.kernels, refimpl_fast):
        start = time.perf_counter()
        models.append(trained(digits, **small, kernels=kernels, threads=1))
        seconds.append(time.perf_counter() - start)
    same(*models)
    larger = {
        "triples": triples_of(digits, 20_000),
        "d": 24,
        "query_sensitive": 8,
        "kernels": refimpl_fast,
    }
    one, two, again = (trained(digits, **larger, threads=threads) for threads in (1, 2, 2))
    same(one, two)
    same(two, again)
    print(
        f"\n4,000 triples, 8 dimensions: reference {seconds[0]:.1f} s, fast {seconds[1]:.1f} s, "
        f"{seconds[0] / seconds[1]:.0f} times, the same model"
    )
    benchmark.pedantic(lambda: None, rounds=1)


def test_training_at_the_papers_size(digits, benchmark):
    triples = triples_of(digits, 200_000)
    start = time.perf_counter()
    second = []

    def note(step):
        if not second and step.label == "second phase":
            second.append(time.perf_counter())

    model = trained(digits, triples, 256, callback=note, query_sensitive=256)
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert model.d == 256
    print(
        f"\n200,000 triples, 256 dimensions, {len(model.round_alpha)} rounds: {took:.0f} s, "
        f"of which {took - second[0] + start:.0f} s in the second phase; process {peak:.1f} GiB"
    )
    benchmark.extra_info |= {"seconds": took, "GiB": peak}
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("threads", [1, 2])
def test_filter_scan(threads, benchmark):
    from sklearn.metrics import pairwise_distances

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 256))
    Q = rng.normal(size=(1, 256))
    A = rng.random((1, 256))
    np.testing.assert_array_equal(
        refimpl.kernels.weighted_l1(Q, A, X), refimpl_fast.weighted_l1(Q, A, X)
    )

    ours = seconds(lambda: refimpl_fast.weighted_l1(Q, A, X, threads=threads), 15)
    memory = seconds(lambda: X.sum(), 15)
    sklearn = seconds(lambda: pairwise_distances(Q, X, metric="manhattan"), 15)
    print(
        f"\nweighted L1 to 60,000 x 256, {threads} thread(s): {1e3 * ours:.1f} ms; "
        f"a sum of the same numbers {1e3 * memory:.1f} ms, "
        f"scikit-learn's manhattan {1e3 * sklearn:.1f} ms"
    )
    benchmark(lambda: refimpl_fast.weighted_l1(Q, A, X, threads=threads))
