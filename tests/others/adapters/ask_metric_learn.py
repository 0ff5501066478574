"""metric-learn: ``python ask_metric_learn.py VARIANT``. LMNN and RCA.

Its `regularization` c weighs the pull by c and the push by 1 - c: mu = (1 - c) / c. The target
neighbours are those that its method for them gives, for the same points.
"""

import numpy as np
from lines import serve
from metric_learn import LMNN, RCA


def lmnn(**options):
    def answer(X, y, k, mu):
        model = LMNN(n_neighbors=k, regularization=1 / (1 + mu), init="identity", **options)
        L = model.fit(X, y).components_
        targets = model._select_targets(X, np.unique(y, return_inverse=True)[1])
        return [{"M": L.T @ L, "targets": targets}]

    return answer


def rca(X, y):
    L = RCA().fit(X, y).components_
    return [{"W": L.T @ L}]


VARIANTS = {
    "lmnn": {"lmnn": lmnn()},
    "lmnn-long": {"lmnn": lmnn(max_iter=100_000, convergence_tol=1e-9, learn_rate=1e-3)},
    "rca": {"relevant_component_analysis": rca},
}

if __name__ == "__main__":
    serve(VARIANTS)
