"""Run by rivals.py in the rivals' own virtual environment: `python rival_script.py NAME IN.npz
OUT.npz`.

Trains the LMNN of pylmnn or metric-learn on X, y of IN.npz and writes the factors it went through
with their times.
"""

import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from refimpl.typing import FloatArray, Labels


def pylmnn(X: FloatArray, y: Labels, k: int, keep: Callable[..., None]) -> None:
    """Train PyLMNN 1.6.4 with its defaults.

    It imports GPyOpt for a helper that is not used here.
    """
    methods = types.ModuleType("GPyOpt.methods")
    vars(methods)["BayesianOptimization"] = object
    stub = types.ModuleType("GPyOpt")
    vars(stub)["methods"] = methods
    sys.modules |= {"GPyOpt": stub, "GPyOpt.methods": methods}
    from pylmnn import LargeMarginNearestNeighbor  # type: ignore[import-not-found] # not here

    # called with the solution after every iteration
    model = LargeMarginNearestNeighbor(
        n_neighbors=k, callback=lambda L, *_: keep(np.reshape(L, (-1, X.shape[1])))
    )
    keep(model.fit(X, y).components_)


def metric_learn(X: FloatArray, y: Labels, k: int, keep: Callable[..., None]) -> None:
    """Train metric-learn 0.7.0 with its defaults."""
    from metric_learn import LMNN  # type: ignore[import-not-found] # not here

    whole = LMNN._loss_grad

    def looked(self: Any, X: FloatArray, L: FloatArray, *arguments: Any) -> Any:
        keep(L)
        return whole(self, X, L, *arguments)

    LMNN._loss_grad = looked
    keep(LMNN(n_neighbors=k).fit(X, y).components_)


def main(name: str, source: str, target: str) -> None:
    """Train and write: arrays seconds and L, one entry for each second at most, and the last."""
    with np.load(source) as problem:
        X = problem["X"]
        y = problem["y"]
        k = int(problem["k"])
    seconds: list[float] = []
    factors: list[FloatArray] = []
    start = time.perf_counter()

    def keep(L: FloatArray) -> None:
        now = time.perf_counter() - start
        if not seconds or now - seconds[-1] > 0.2 * len(seconds) ** 0.5:
            seconds.append(now)
            factors.append(np.array(L))

    {"pylmnn": pylmnn, "metric-learn": metric_learn}[name](X, y, k, keep)
    seconds.append(time.perf_counter() - start)
    if len(factors) < len(seconds):
        factors.append(factors[-1])
    np.savez(target, seconds=seconds, L=factors)


if __name__ == "__main__":
    main(*sys.argv[1:])
