"""The default number of threads on a quiet machine and beside busy processes: correctness first,
then ratios.

`python -m pytest tests/benchmarks/test_threads_speed.py --benchmark-only -s` prints them. Each line
has the seconds of one thread and of the default, measured in turn, and their ratio. REFIMPL_BUSY
says beside how many processes ("0 1 4"). To reach on two processors: at most 1 / 1.6 on a quiet
machine, 1.4 beside one busy process, 2 beside four.
"""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from paper_figures.data import load
from refimpl.boostmap.edges import canny
from refimpl.lmnn import target_neighbors
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.search_forest import neighbor_similarity, search_forest

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

BUSY = [int(n) for n in os.environ.get("REFIMPL_BUSY", "0 1 4").split()]
TURNS = 15


def boosting_round():
    """The search for the best stump among 18,400 x 784 differences of digits."""
    digits = load("MNIST")
    picked = np.random.default_rng(0).choice(digits.n_train, 400, replace=False)
    X = digits.X[picked]
    one = digits.y[picked] == np.unique(digits.y)[0]
    A = np.concatenate([X[one][:92], X[~one][:92]])
    B = X[one][:100]
    features = refimpl_fast.presort(A, B)
    n = features.n_rows
    w = np.full(n, 2.0**-16)
    l = np.arange(n) < n // 2
    return lambda threads: [
        refimpl_fast.best_stump(features, w, l, threads=threads) for _ in range(10)
    ]


def lmnn_step():
    """Look at the working set of 10,000 digits and take the gradient, as each of the solver's steps
    does.
    """
    digits = load("MNIST-10")
    picked = np.random.default_rng(0).choice(digits.n_train, 10_000, replace=False)
    X = digits.X[picked] / 255.0
    X = X - X.mean(axis=0)
    X = np.ascontiguousarray(X @ np.linalg.eigh(X.T @ X)[1][:, :-170:-1])
    y = digits.y[picked]
    targets = target_neighbors(X, y, 3)
    partition = np.zeros(len(X), dtype=np.int64)
    L = np.eye(X.shape[1])[None]

    def step(threads):
        problem = problems[threads]
        with blas.limit(limits=1, user_api="blas"):  # as the solver does
            now = problem.evaluate(L)
            return now.objective, problem.gradient_M(now.weights)

    problems = {}
    blas = ThreadpoolController()
    for threads in (1, None):
        problems[threads] = LargeMarginProblem(X, y, targets, 1.0, partition, refimpl_fast, threads)
        problems[threads].add_pairs(*problems[threads].impostors(problems[threads].mapped(L)))
    return step


def chamfer_nearest():
    """The nearest of 4,000 edge images to 200 others."""
    digits = load("MNIST-10")
    E = canny(digits.X[:4200].reshape(-1, 28, 28).astype(np.uint8))
    return lambda threads: refimpl_fast.chamfer_nearest(E[:200], E[200:], 20, threads=threads)


def forest_learning():
    """A tree from 10,000 digits in 64 dimensions."""
    digits = load("MNIST-10")
    X = digits.X[:10_000] / 255.0
    X = X - X.mean(axis=0)
    X = np.ascontiguousarray(X @ np.linalg.eigh(X.T @ X)[1][:, :-65:-1], dtype=np.float32)
    S = neighbor_similarity(X, 30)

    def learn(threads):
        forest = search_forest(
            X, S, 1, 0.02, rng=np.random.default_rng(0), kernels=refimpl_fast, threads=threads
        )
        return forest.planes, forest.c

    return learn


def busy(n):
    """n processes that do nothing but work."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]


def seconds(work, threads):
    start = time.perf_counter()
    work(threads)
    return time.perf_counter() - start


@pytest.mark.real_data("MNIST", "MNIST-10")
@pytest.mark.parametrize("prepare", [boosting_round, lmnn_step, chamfer_nearest, forest_learning])
def test_default_threads(prepare, benchmark):
    work = prepare()
    for one, other in zip(work(1), work(None), strict=True):
        np.testing.assert_array_equal(one, other)
    turns = max(3, min(TURNS, int(4 / seconds(work, 1))))
    for n in BUSY:
        others = busy(n)
        try:
            time.sleep(0.5)
            took = np.array(
                [[seconds(work, threads) for threads in (1, None)] for _ in range(turns)]
            )
        finally:
            for process in others:
                process.kill()
                process.wait()
        alone, default = np.median(took, axis=0)
        means = took[:, 1].mean() / took[:, 0].mean()
        print(
            f"\n{prepare.__name__}, {n} busy: threads=1 {1e3 * alone:.1f} ms, "
            f"default {1e3 * default:.1f} ms, ratio {default / alone:.2f} "
            f"(of the means {means:.2f})"
        )
        benchmark.extra_info |= {f"ratio beside {n}": default / alone}
    benchmark.pedantic(lambda: None, rounds=1)
