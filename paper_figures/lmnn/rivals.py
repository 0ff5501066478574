"""Eq. 3 against seconds, ours beside pylmnn, metric-learn and mlpack, one after the other on one
machine.

Their releases run beside older NumPy, SciPy and scikit-learn only: they get a virtual environment
of their own, made here for as long as they train. Where that cannot be made (no network) there are
no numbers of theirs.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from paper_figures.lmnn import rival_script
from paper_figures.registry import Job
from refimpl.lmnn import lmnn, target_neighbors
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
BESIDE = ["numpy==1.26.4", "scipy==1.10.1", "scikit-learn==1.5.2"]


def rivals(
    job: Job, *, data_set: str, n: int, d: int, k: int, names: Sequence[str], limit: float
) -> dict[str, Any]:
    """Return objectives and seconds of the trainings on the first n images.

    The images are reduced to d of their own principal components.
    """
    loaded = job.load(data_set)
    X = loaded.X[:n] / loaded.X.max()
    y = np.unique(loaded.y[:n], return_inverse=True)[1]
    X = X - X.mean(axis=0)
    X = np.ascontiguousarray(X @ np.linalg.eigh(X.T @ X)[1][:, : -d - 1 : -1])
    curves = {"ours": our_curve(X, y, k, job.kernels)}
    problem = LargeMarginProblem(
        X, y, target_neighbors(X, y, k), 1.0, np.zeros(n, dtype=np.int64), job.kernels
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            curves[name] = rival_curve(
                name,
                X,
                y,
                k,
                Path(folder),
                limit,
                lambda factors: [objective(problem, L) for L in factors],
            )
    return curves


def our_curve(X: FloatArray, y: Labels, k: int, kernels: Kernels) -> dict[str, Any]:
    """Return seconds, objectives and lower bounds after each full check.

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
    return {
        "seconds": [seconds for seconds, _ in steps],
        "objective": [step.objective for _, step in steps],
        "bound": [step.bound for _, step in steps],
        "end": result.objective,
        "gap": result.gap,
    }


def objective(problem: LargeMarginProblem, L: FloatArray) -> float:
    """Return eq. 3 over all triples."""
    problem.set_pairs(*problem.impostors(L[None]))
    return problem.evaluate(L[None]).objective


def rival_curve(
    name: str,
    X: FloatArray,
    y: Labels,
    k: int,
    folder: Path,
    limit: float,
    measure: Callable[[Sequence[FloatArray]], list[float]],
) -> dict[str, Any]:
    """Return seconds and objectives of a rival, or why there are none.

    The rival is asked to end after `limit` seconds, with what it has by then, and is stopped after
    three times as long. `measure` gives the objectives of its factors.
    """
    python = folder / "venv" / "bin" / "python"
    source = folder / "given.npz"
    target = folder / f"{name}.npz"
    np.savez(source, X=X, y=y, k=k)
    try:
        if not python.exists():
            run_script([sys.executable, "-m", "venv", folder / "venv"])
            run_script([python, "-m", "pip", "install", "--quiet", *BESIDE])
        run_script([python, "-m", "pip", "install", "--quiet", "--no-deps", *RIVALS[name]])
        command: list[str | Path] = [
            python,
            rival_script.__file__,
            name,
            source,
            target,
            str(limit),
        ]
        run_script(command, timeout=3 * limit + 60)
    except (OSError, subprocess.SubprocessError) as error:
        return {
            "why": f"{name} did not run: {type(error).__name__}; "
            f"it needs the network, and {limit:.0f} s for its first steps"
        }
    with np.load(target) as curve:
        return {"seconds": curve["seconds"], "objective": measure(curve["L"])}


def run_script(command: Sequence[str | Path], timeout: float = 600) -> None:
    """Run a command, and raise if it fails or takes longer than `timeout` seconds."""
    subprocess.run(command, check=True, timeout=timeout, capture_output=True)
