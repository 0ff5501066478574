"""pylmnn: ``python ask_pylmnn.py VARIANT``. LMNN by L-BFGS.

Its `weight_push_loss` w gives the pull the weight (1 - w) / w: mu = w / (1 - w). PyLMNN 1.6.4
imports GPyOpt for a helper that is not used here; an empty module stands in for it. The target
neighbours are those that its function for them gives, for the same points.
"""

import sys
import types

from lines import serve

methods = types.ModuleType("GPyOpt.methods")
methods.BayesianOptimization = object
stub = types.ModuleType("GPyOpt")
stub.methods = methods
sys.modules |= {"GPyOpt": stub, "GPyOpt.methods": methods}

from pylmnn import LargeMarginNearestNeighbor  # noqa: E402
from pylmnn.lmnn import _select_target_neighbors  # noqa: E402


def lmnn(**options):
    def answer(X, y, k, mu):
        model = LargeMarginNearestNeighbor(
            n_neighbors=k, weight_push_loss=mu / (1 + mu), init="identity", **options
        )
        L = model.fit(X, y).components_
        return [{"M": L.T @ L, "targets": _select_target_neighbors(X, y, k)}]

    return answer


VARIANTS = {"lmnn": {"lmnn": lmnn()}, "lmnn-long": {"lmnn": lmnn(max_iter=10_000, tol=1e-12)}}

if __name__ == "__main__":
    serve(VARIANTS[sys.argv[1]])
