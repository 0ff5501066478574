"""LMNN: eq. 3 against seconds beside pylmnn and metric-learn, and MNIST whole; correctness first, all in one run.

`python -m pytest tests/benchmarks/test_lmnn_speed.py --benchmark-only -s` prints the numbers. The rivals' releases run
beside older numpy, scipy and scikit-learn only: they get a virtual environment of their own, made here. Where that
cannot be made (no network), the curves are ours alone. metric-learn takes minutes: its run is cut after
REFIMPL_RIVAL_SECONDS (default 900).
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import refimpl.kernels
from paper_figures.data import load
from refimpl.large_margin import LargeMarginProblem
from refimpl.lmnn import lmnn, target_neighbors

refimpl_fast = pytest.importorskip("refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError)

K, D = 3, 169
RIVALS = {
    "pylmnn": ["pylmnn==1.6.4", "six"],
    "metric-learn": ["metric-learn==0.7.0"],
}
BESIDE = ["numpy==1.26.4", "scipy==1.10.1", "scikit-learn==1.5.2"]


def digits(n):
    """The first n training digits, pixels between 0 and 1, on the leading components of their own."""
    data = load("MNIST-10")
    X = data.X[:n] / 255.0
    X = X - X.mean(axis=0)
    return X @ np.linalg.eigh(X.T @ X)[1][:, : -D - 1 : -1], data.y[:n]


def objective(problem, L):
    """Eq. 3 over all triples."""
    problem.set_pairs(*problem.impostors(L[None]))
    return problem.evaluate(L[None]).objective


def rival_curve(name, X, y, tmp_path):
    """Seconds and factors of a rival, or why there are none."""
    python = tmp_path / "venv" / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *BESIDE], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *RIVALS[name]], check=True)
    except subprocess.CalledProcessError as error:
        return f"no environment for {name} ({error})"
    source, target = tmp_path / "given.npz", tmp_path / f"{name}.npz"
    np.savez(source, X=X, y=y, k=K)
    script = Path(__file__).with_name("lmnn_rivals.py")
    limit = float(os.environ.get("REFIMPL_RIVAL_SECONDS", "900"))
    try:
        subprocess.run([python, script, name, source, target], check=True, timeout=limit)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        return f"{name} did not finish ({error})"
    with np.load(target) as found:
        return found["seconds"], found["L"]


@pytest.fixture(scope="module")
def rivals_place(tmp_path_factory):
    return tmp_path_factory.mktemp("rivals")


@pytest.mark.parametrize("solver", ["smoothed", "subgradient"])
def test_kernels_train_alike_and_how_much_faster_the_fast_ones_are(solver, benchmark):
    X, y = digits(300)
    X = X[:, :20]
    found, took = [], []
    for kernels in (refimpl.kernels, refimpl_fast):
        start = time.perf_counter()
        found.append(lmnn(X, y, K, solver=solver, max_checks=6, kernels=kernels, threads=1))
        took.append(time.perf_counter() - start)
    np.testing.assert_array_equal(found[0].history, found[1].history)
    assert found[0].L.tobytes() == found[1].L.tobytes()
    print(f"\n300 x 20, {solver}: reference {took[0]:.2f} s, fast {took[1]:.2f} s, {took[0] / took[1]:.1f} times")
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("name", list(RIVALS))
def test_each_value_of_a_rival_is_reached_sooner(name, rivals_place, benchmark):
    X, y = digits(6000)
    steps = []
    start = time.perf_counter()
    found = lmnn(X, y, K, kernels=refimpl_fast, callback=lambda s: steps.append((time.perf_counter() - start, s)))
    ours = time.perf_counter() - start
    print(f"\nours: {found.objective:.0f} after {ours:.1f} s, {found.message}, {found.full_checks} full checks")
    for seconds, step in steps:
        print(f"  {seconds:6.1f} s  {step.objective:10.0f}  bound {step.bound:10.0f}")
    problem = LargeMarginProblem(
        X, y.astype(np.int64), target_neighbors(X, y, K), 1.0, np.zeros(len(X), dtype=np.int64), refimpl_fast
    )
    assert objective(problem, found.L[0]) == pytest.approx(found.objective, rel=1e-9)
    rival = rival_curve(name, X, y, rivals_place)
    if isinstance(rival, str):
        pytest.skip(rival)
    values = np.array([objective(problem, L) for L in rival[1]])
    end = values.min()
    when = rival[0][int(np.argmax(values <= end * (1 + 1e-4)))]
    print(f"{name}: " + ", ".join(f"{s:.1f} s {v:.0f}" for s, v in zip(rival[0], values, strict=True)))
    sooner = next((seconds for seconds, step in steps if step.objective <= end), None)
    assert sooner is not None and found.objective <= end
    print(f"{name} ends at {end:.0f}, reached after {when:.1f} s; ours is there after {sooner:.1f} s: "
          f"{when / sooner:.1f} times sooner, and ends {100 * (1 - found.objective / end):.1f} % lower")  # fmt: skip
    benchmark.extra_info[name] = when / sooner
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("n", [6000, 60_000])
def test_mnist(n, benchmark):
    X, y = digits(n)
    start = time.perf_counter()
    found = lmnn(X, y, K, kernels=refimpl_fast)
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert found.converged and found.gap <= 1e-3
    print(f"\n{n} x {D}: {took:.0f} s, objective {found.objective:.0f} within {100 * found.gap:.3f} %, "
          f"{found.full_checks} full checks, {int(found.history[-1, 2])} active triples, {peak:.2f} GiB")  # fmt: skip
    benchmark.extra_info |= {"seconds": took, "GiB": peak}
    benchmark.pedantic(lambda: None, rounds=1)


def test_impostor_search_against_the_matrix_product(benchmark):
    X, y = digits(20_000)
    X, y = np.ascontiguousarray(X / np.sqrt((X * X).sum(axis=1).mean())), y.astype(np.int64)
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
        print(f"\nimpostors, {threads} thread(s): {rate / 1e9:.0f} GFlop/s, {100 * rate / peak:.0f} % of the float32 "
              f"product's {peak / 1e9:.0f}, {len(first)} pairs")  # fmt: skip
    benchmark.pedantic(lambda: None, rounds=1)
