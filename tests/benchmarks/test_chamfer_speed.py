"""Chamfer distances of MNIST's edge images: correctness first, then the speed, all in one run.

`python -m pytest tests/benchmarks/test_chamfer_speed.py --benchmark-only -s` prints it. The
yardstick is the distance as a matrix product: with E the edge indicators and D the distance maps, c
= E D^T / counts takes 2 * 784 multiplications and additions a pair and direction, and can be no
faster than float32 matrices multiply here.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage
from timing import seconds

import refimpl.kernels
from paper_figures.data import load
from refimpl.boostmap.edges import canny
from refimpl.kernels.chamfer import rounded_distances

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)
pytestmark = pytest.mark.real_data("MNIST-10")

ROOT = Path(__file__).resolve().parents[2]
K = 100
FLOPS = 2 * 2 * 784  # of one pair, as a matrix product


@pytest.fixture(scope="module")
def sets():
    digits = load("MNIST-10")
    E = canny(digits.X.reshape(-1, 28, 28).astype(np.uint8))
    return E[digits.n_train :], E[: digits.n_train]


def product_peak():
    """Multiplications and additions a second of a float32 matrix product on all cores."""
    rng = np.random.default_rng(0)
    a = rng.random((4096, 1568), dtype=np.float32)
    b = rng.random((1568, 8192), dtype=np.float32)
    return 2 * 4096 * 1568 * 8192 / seconds(lambda: a @ b, repeats=7)


def by_products(A, B, dtype):
    """The distances as two matrix products."""
    sides = []
    for images in (A, B):
        maps = [ndimage.distance_transform_edt(~image) for image in images]
        maps = rounded_distances(np.array(maps), A.shape[1:]).reshape(len(images), -1).astype(dtype)
        E = images.reshape(len(images), -1).astype(dtype)
        sides.append((E, maps, E.sum(axis=1)))
    (E_a, D_a, n_a), (E_b, D_b, n_b) = sides
    return (E_a @ D_b.T) / n_a[:, np.newaxis] + (D_a @ E_b.T) / n_b


def test_distances(sets, benchmark):
    Q, X = sets
    expected = refimpl.kernels.chamfer_distances(Q[:20], X[:500])
    assert np.array_equal(refimpl_fast.chamfer_distances(Q[:20], X[:500]), expected)
    assert np.array_equal(
        refimpl_fast.chamfer_distances(Q[:300], X[:2000]), by_products(Q[:300], X[:2000], float)
    )
    reference = seconds(lambda: refimpl.kernels.chamfer_distances(Q[:20], X[:500]), 1) / 10_000
    for threads in (1, None):
        fast = (
            seconds(
                lambda t=threads: refimpl_fast.chamfer_distances(Q[:2000], X[:5000], threads=t), 3
            )
            / 1e7
        )
        name = "all threads" if threads is None else "1 thread"
        benchmark.extra_info[name] = fast
        print(
            f"\nmatrix, {name}: {1e9 * fast:.1f} ns a pair; reference {1e6 * reference:.0f} us, ",
            end="",
        )
        print(f"{reference / fast:.0f} times", end="")
    benchmark.pedantic(lambda: refimpl_fast.chamfer_distances(Q[:500], X[:2000]), rounds=5)


def test_all_of_mnist(sets, benchmark):
    Q, X = sets
    distance, index = refimpl.kernels.chamfer_nearest(Q[:2], X[:5000], K)
    found = refimpl_fast.chamfer_nearest(Q[:2], X[:5000], K)
    assert np.array_equal(found[0], distance) and np.array_equal(found[1], index)
    D = refimpl_fast.chamfer_distances(Q[-50:], X)
    before = product_peak()
    start = time.perf_counter()
    distance, index = benchmark.pedantic(lambda: refimpl_fast.chamfer_nearest(Q, X, K), rounds=1)
    took = time.perf_counter() - start
    peak = max(before, product_peak())
    order = np.argsort(D, axis=1, kind="stable")[:, :K]
    assert np.array_equal(index[-50:], order)
    assert np.array_equal(distance[-50:], np.take_along_axis(D, order, axis=1))
    pairs = len(Q) * len(X)
    share = FLOPS * pairs / took / peak
    benchmark.extra_info.update(
        seconds=took, ns_a_pair=1e9 * took / pairs, share_of_product_peak=share
    )
    print(
        f"\n{len(Q):,} x {len(X):,}, {K} nearest: {took:.2f} s, "
        f"{1e9 * took / pairs:.2f} ns a pair;",
        end=" ",
    )
    print(
        f"float32 products reach {peak / 1e9:.0f} Gflop/s: "
        f"{100 * share:.0f} % of what they would take",
        end="",
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory(sets, benchmark, tmp_path):
    for name, E in zip("QX", sets, strict=True):
        np.save(tmp_path / f"{name}.npy", E)
    code = f"""
import numpy as np, refimpl_fast
def most():
    lines = open("/proc/self/status")
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
Q, X = np.load("Q.npy"), np.load("X.npy")
before = most()
refimpl_fast.chamfer_nearest(Q, X, {K})
print(before, most())"""
    run = benchmark.pedantic(
        lambda: subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ),
        rounds=1,
    )
    before, after = map(float, run.stdout.split())
    assert after < 2048
    print(f"\npeak memory {after:.0f} MB, {before:.0f} MB of it before the call", end="")
