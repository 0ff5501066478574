"""Eq. 3 against seconds, ours beside pylmnn, metric-learn and mlpack, one after the other on one
machine.

Their releases run beside older NumPy, SciPy and scikit-learn only: they get a virtual environment
of their own, made here for as long as they train. Where that cannot be made (no network) there are
no numbers of theirs.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from paper_figures.lmnn import rival_script
from paper_figures.registry import Job
from refimpl.lmnn import classify, lmnn, target_neighbors
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.typing import FloatArray, Kernels, Labels

RIVALS = {
    "pylmnn": ["pylmnn==1.6.4", "six"],
    "metric-learn": ["metric-learn==0.7.0"],
    "mlpack": [
        "mlpack==4.8.0",
        "pandas==2.2.3",
        "python-dateutil==2.9.0.post0",
        "pytz==2025.2",
        "tzdata==2025.2",
        "six",
    ],
}
GRACE = 120.0  # seconds to start, and to end a step
NOTHING = "had nothing to show"
BESIDE = ["numpy==1.26.4", "scipy==1.10.1", "scikit-learn==1.5.2"]


def rivals(
    job: Job, *, data_set: str, n: int, d: int, k: int, names: Sequence[str], limit: float
) -> dict[str, Any]:
    """Train each program on n random training images, until it ends by itself.

    The images are reduced to d of their own principal components.

    Returns
    -------
    dict
        For each program its curve (seconds, and eq. 3 over all triples), and at its end ``end``,
        eq. 3; ``scaled``, the least eq. 3 of all multiples of its metric; ``test``, the error in
        per cent of k-NN on the test images; ``ended``, False if `limit` seconds stopped it. Ours
        has bounds and a gap, too. "Euclidean" has the numbers of the end alone.
    """
    X, y, Q, z = sampled(job, data_set, n, d)
    problem = LargeMarginProblem(
        X, y, target_neighbors(X, y, k), 1.0, np.zeros(n, dtype=np.int64), job.kernels
    )

    def at_end(L: FloatArray) -> dict[str, float]:
        classes = classify(L, Q, X, y, k, kernels=job.kernels)
        return {
            "end": objective(problem, L),
            "scaled": least_of_multiples(problem, L),
            "test": 100 * float((classes != z).mean()),
        }

    curve, L = our_curve(X, y, k, job.kernels)
    curves = {"ours": curve | at_end(L) | {"ended": True}, "Euclidean": at_end(np.eye(d))}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            run = rival_run(name, X, y, k, Path(folder), limit)
            if "L" in run:
                L = run.pop("L")
                run["objective"] = [objective(problem, factor) for factor in L]
                run |= at_end(L[-1])
            curves[name] = run
    return curves


def sampled(
    job: Job, data_set: str, n: int, d: int
) -> tuple[FloatArray, Labels, FloatArray, Labels]:
    """Return n random training points with their classes from 0, and the test points with theirs.

    The components are those of the n points.
    """
    loaded = job.load(data_set)
    train = loaded.n_train
    rows = np.sort(job.rng_for("rivals", n).choice(len(loaded.X[:train]), n, replace=False))
    X = loaded.X[rows] / loaded.X.max()
    Q = loaded.X[train:] / loaded.X.max() - X.mean(axis=0)
    X = X - X.mean(axis=0)
    axes = np.linalg.eigh(X.T @ X)[1][:, : -d - 1 : -1]
    classes = np.unique(loaded.y, return_inverse=True)[1]
    return np.ascontiguousarray(X @ axes), classes[rows], Q @ axes, classes[train:]


def our_curve(
    X: FloatArray, y: Labels, k: int, kernels: Kernels
) -> tuple[dict[str, Any], FloatArray]:
    """Return seconds, objectives and lower bounds after each full check, and the last factor.

    The objectives are those of the best metric so far.
    """
    steps = []
    start = perf_counter()
    result = lmnn(
        X,
        y,
        k,
        kernels=kernels,
        callback=lambda step: steps.append((perf_counter() - start, step.state)),
    )
    curve = {
        "seconds": [seconds for seconds, _ in steps],
        "objective": [step.objective for _, step in steps],
        "bound": [step.bound for _, step in steps],
        "gap": result.gap,
    }
    return curve, result.L[0]


def objective(problem: LargeMarginProblem, L: FloatArray) -> float:
    """Return eq. 3 over all triples."""
    problem.set_pairs(*problem.impostors(L[None]))
    return problem.evaluate(L[None]).objective


def least_of_multiples(problem: LargeMarginProblem, L: FloatArray) -> float:
    """Return the least eq. 3 of all positive multiples of the metric L^T L; it is convex in them.

    Another objective may end at another scale.
    """
    best = minimize_scalar(
        lambda log: objective(problem, np.exp(log / 2) * L),
        bounds=(-6.0, 6.0),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return float(min(best.fun, objective(problem, L)))


def rival_run(
    name: str, X: FloatArray, y: Labels, k: int, folder: Path, limit: float
) -> dict[str, Any]:
    """Return the seconds and factors of a rival and whether it ended, or why there are none.

    The rival is asked to end after `limit` seconds, with what it has by then. It is stopped
    :data:`GRACE` seconds later. What it has written before it was stopped, or failed, counts.
    """
    python = folder / "venv" / "bin" / "python"
    source = folder / "given.npz"
    target = folder / f"{name}.npz"
    np.savez(source, X=X, y=y, k=k)
    command: list[str | Path] = [python, rival_script.__file__, name, source, target, str(limit)]
    try:
        if not python.exists():
            run_script([sys.executable, "-m", "venv", folder / "venv"])
            run_script([python, "-m", "pip", "install", "--quiet", *BESIDE])
        run_script([python, "-m", "pip", "install", "--quiet", "--no-deps", *RIVALS[name]])
    except (OSError, subprocess.SubprocessError) as error:
        return {"why": f"{name} was not installed: {type(error).__name__}; it needs the network"}
    try:
        run_script(command, timeout=limit + GRACE)
    except subprocess.TimeoutExpired as error:
        if not target.exists():
            return {"why": f"{name} {NOTHING} after {error.timeout:.0f} s"}
    except (OSError, subprocess.SubprocessError) as error:
        if not target.exists():
            return {"why": f"{name} did not run: {type(error).__name__}"}
    with np.load(target) as curve:
        return {"seconds": curve["seconds"], "L": curve["L"], "ended": bool(curve["ended"])}


def run_script(command: Sequence[str | Path], timeout: float = 600) -> None:
    """Run a command, and raise if it fails or takes longer than `timeout` seconds."""
    subprocess.run(command, check=True, timeout=timeout, capture_output=True)
