"""Run by rivals.py in the rivals' own virtual environment: `python rival_script.py NAME IN.npz
OUT.npz SECONDS`.

Trains the LMNN of pylmnn, metric-learn or mlpack on X, y of IN.npz and writes the factors it went
through with their times, and whether it ended by itself. It ends after SECONDS with what it has.
What mlpack has is written after each of its runs, as one of them can take longer than all before.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # this package is not in the rivals' environment
    from refimpl.typing import FloatArray, Labels


def import_rival(name: str) -> None:
    """Import a program, so that the time of that is not the training's.

    PyLMNN 1.6.4 imports GPyOpt for a helper that is not used here.
    """
    if name == "pylmnn":
        methods = types.ModuleType("GPyOpt.methods")
        vars(methods)["BayesianOptimization"] = object
        stub = types.ModuleType("GPyOpt")
        vars(stub)["methods"] = methods
        sys.modules |= {"GPyOpt": stub, "GPyOpt.methods": methods}
    importlib.import_module(name.replace("-", "_"))


def pylmnn(X: FloatArray, y: Labels, k: int, keep: Callable[..., None]) -> None:
    """Train PyLMNN 1.6.4 with its defaults, but for up to 1,000 iterations."""
    from pylmnn import LargeMarginNearestNeighbor  # type: ignore[import-not-found] # not here

    # called with the solution after every iteration
    model = LargeMarginNearestNeighbor(
        n_neighbors=k, max_iter=1000, callback=lambda L, *_: keep(np.reshape(L, (-1, X.shape[1])))
    )
    keep(model.fit(X, y).components_)


def metric_learn(X: FloatArray, y: Labels, k: int, keep: Callable[..., None]) -> None:
    """Train metric-learn 0.7.0 with its defaults, but until a step gains less than 1e-5."""
    from metric_learn import LMNN  # type: ignore[import-not-found] # not here

    whole = LMNN._loss_grad

    def looked(self: Any, X: FloatArray, L: FloatArray, *arguments: Any) -> Any:
        keep(L)
        return whole(self, X, L, *arguments)

    LMNN._loss_grad = looked
    keep(LMNN(n_neighbors=k, max_iter=100_000, convergence_tol=1e-5).fit(X, y).components_)


def mlpack(X: FloatArray, y: Labels, k: int, keep: Callable[..., None]) -> None:
    """Train mlpack 4.8.0 by L-BFGS for 1, 2, 4, ... iterations, as it shows no steps on its way.

    Each training starts anew, and counts its own seconds. It ends when more iterations change
    nothing. mlpack's matrices have a column for each point, its Python binding turns every one of
    them round, and so it returns the transposed L.
    """
    from mlpack import lmnn  # type: ignore[import-not-found,import-untyped,unused-ignore]

    previous = None
    iterations = 1
    while True:
        start = time.perf_counter()
        asked = {"optimizer": "lbfgs", "max_iterations": iterations}
        L = np.transpose(lmnn(input_=X, labels=y, k=k, **asked)["output"])
        keep(L, time.perf_counter() - start)
        if previous is not None and np.array_equal(L, previous):
            return
        previous = np.array(L)
        iterations *= 2


class EnoughError(Exception):
    """The time is over."""


def main(name: str, source: str, target: str, limit: str = "inf") -> None:
    """Train and write: arrays seconds and L, one entry for each second at most, and the last.

    `ended` is False if the limit stopped the training.
    """
    with np.load(source) as problem:
        X = problem["X"]
        y = problem["y"]
        k = int(problem["k"])
    seconds: list[float] = []
    factors: list[FloatArray] = []
    last: list[FloatArray] = []
    import_rival(name)
    start = time.perf_counter()

    def keep(L: FloatArray, of_this_run: float | None = None) -> None:
        now = time.perf_counter() - start
        last[:] = [L]
        if of_this_run is not None:
            seconds.append(of_this_run)
            factors.append(np.array(L))
            write(target, seconds, factors, ended=False)
        elif not seconds or now - seconds[-1] > 0.2 * len(seconds) ** 0.5:
            seconds.append(now)
            factors.append(np.array(L))
        if now > float(limit):
            raise EnoughError

    ended = False
    try:
        {"pylmnn": pylmnn, "metric-learn": metric_learn, "mlpack": mlpack}[name](X, y, k, keep)
        ended = True
    except EnoughError:
        pass
    if name != "mlpack":
        seconds.append(time.perf_counter() - start)
        factors.append(np.array(last[0]))
    write(target, seconds, factors, ended)


def write(target: str, seconds: list[float], factors: list[FloatArray], ended: bool) -> None:
    """Write what there is, whole or not at all: the process may be ended at any time."""
    partial = f"{target}.partial.npz"
    np.savez(partial, seconds=seconds, L=factors, ended=ended)
    os.replace(partial, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
