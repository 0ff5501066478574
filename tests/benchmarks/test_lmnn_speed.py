"""LMNN: twin against twin, MNIST whole, the impostor search; correctness first, all in one run.

`python -m pytest tests/benchmarks/test_lmnn_speed.py --benchmark-only -s` prints the numbers.
"""

import resource
import time

import numpy as np
import pytest

import refimpl.kernels
from paper_figures.data import load
from refimpl.lmnn import LMNNOptions, lmnn

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)
pytestmark = pytest.mark.real_data("MNIST-10")

K, D = 3, 169


def digits(n):
    """Return the first n training digits, scaled to [0, 1], on their leading components."""
    data = load("MNIST-10")
    X = data.X[:n] / 255.0
    X = X - X.mean(axis=0)
    return X @ np.linalg.eigh(X.T @ X)[1][:, : -D - 1 : -1], data.y[:n]


@pytest.mark.parametrize("solver", ["smoothed", "printed"])
def test_kernels_train_alike_and_how_much_faster_the_fast_ones_are(solver, benchmark):
    X, y = digits(300)
    X = X[:, :20]
    found = []
    took = []
    for kernels in (refimpl.kernels, refimpl_fast):
        start = time.perf_counter()
        found.append(
            lmnn(
                X,
                y,
                K,
                options=LMNNOptions(solver=solver, max_checks=6),
                kernels=kernels,
                threads=1,
            )
        )
        took.append(time.perf_counter() - start)
    np.testing.assert_array_equal(found[0].history, found[1].history)
    assert found[0].L.tobytes() == found[1].L.tobytes()
    print(
        f"\n300 x 20, {solver}: reference {took[0]:.2f} s, fast {took[1]:.2f} s, "
        f"{took[0] / took[1]:.1f} times"
    )
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("n", [6000, 60_000])
def test_mnist(n, benchmark):
    X, y = digits(n)
    start = time.perf_counter()
    found = lmnn(X, y, K, kernels=refimpl_fast)
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert found.converged and found.gap <= 1e-3
    print(
        f"\n{n} x {D}: {took:.0f} s, objective {found.objective:.0f} "
        f"within {100 * found.gap:.3f} %, {found.full_checks} full checks, "
        f"{int(found.history[-1, 2])} active triples, {peak:.2f} GiB"
    )
    benchmark.extra_info |= {"seconds": took, "GiB": peak}
    benchmark.pedantic(lambda: None, rounds=1)


def test_impostor_search_against_the_matrix_product(benchmark):
    X, y = digits(20_000)
    X = np.ascontiguousarray(X / np.sqrt((X * X).sum(axis=1).mean()))
    y = y.astype(np.int64)
    radii = np.full(len(X), 0.3)
    small = slice(0, 1500)
    for a, b in zip(
        refimpl.kernels.impostors(X[small], X[small], radii[small], y[small], y[small]),
        refimpl_fast.impostors(X[small], X[small], radii[small], y[small], y[small]),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)
    A = np.random.default_rng(0).random((3000, 3000), dtype=np.float32)
    start = time.perf_counter()
    A @ A
    peak = 2 * 3000**3 / (time.perf_counter() - start)
    for threads in (1, 2):
        start = time.perf_counter()
        first, _ = refimpl_fast.impostors(X, X, radii, y, y, threads=threads)
        rate = 2 * len(X) ** 2 * D / (time.perf_counter() - start)
        print(
            f"\nimpostors, {threads} thread(s): {rate / 1e9:.0f} GFlop/s, "
            f"{100 * rate / peak:.0f} % "
            f"of the float32 product's {peak / 1e9:.0f}, {len(first)} pairs"
        )
    benchmark.pedantic(lambda: None, rounds=1)
