"""Run by rivals.py in the rivals' own virtual environment: `python rival_script.py NAME IN.npz OUT.npz`.

Trains the LMNN of pylmnn or metric-learn on X, y of IN.npz and writes the factors it went through with their times.
"""

import sys
import time
import types

import numpy as np


def pylmnn(X, y, k, keep):
    """PyLMNN 1.6.4 with its defaults; it imports GPyOpt for a helper that is not used here."""
    methods = types.ModuleType("GPyOpt.methods")
    methods.BayesianOptimization = object
    stub = types.ModuleType("GPyOpt")
    stub.methods = methods
    sys.modules |= {"GPyOpt": stub, "GPyOpt.methods": methods}
    from pylmnn import LargeMarginNearestNeighbor

    # called with the solution after every iteration
    model = LargeMarginNearestNeighbor(n_neighbors=k, callback=lambda L, *_: keep(np.reshape(L, (-1, X.shape[1]))))
    keep(model.fit(X, y).components_)


def metric_learn(X, y, k, keep):
    """metric-learn 0.7.0 with its defaults."""
    from metric_learn import LMNN

    whole = LMNN._loss_grad

    def looked(self, X, L, *arguments):
        keep(L)
        return whole(self, X, L, *arguments)

    LMNN._loss_grad = looked
    keep(LMNN(n_neighbors=k).fit(X, y).components_)


def main(name, source, target):
    """Train and write: arrays seconds and L, one entry for each second at most, and the last."""
    with np.load(source) as given:
        X, y, k = given["X"], given["y"], int(given["k"])
    seconds, factors, start = [], [], time.perf_counter()

    def keep(L):
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
