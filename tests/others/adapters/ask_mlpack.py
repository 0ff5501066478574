"""mlpack: ``python ask_mlpack.py VARIANT``. LMNN by L-BFGS, and exact neighbours.

Its `regularization` c weighs the pull by 1 - c and the push by c: mu = c / (1 - c). It returns the
transposed L, as points are columns in its sources. The call gives no target neighbours; they are
searched here as its sources do, by its own search in each class.
"""

import numpy as np
from lines import serve, without
from mlpack import knn, lmnn


def nearest(algorithm):
    def answer(Q, X, k, skip):
        wanted = min(len(X), k + (skip is not None))
        got = knn(reference=X, query=Q, k=wanted, algorithm=algorithm, seed=1)
        places = np.asarray(got["neighbors"]).astype(np.int64).reshape(len(Q), wanted)
        return without(places, np.reshape(got["distances"], (len(Q), wanted)) ** 2, skip, k)

    return answer


def trained(X, y, k, mu):
    L = lmnn(
        input_=X, labels=y, k=k, regularization=mu / (1 + mu), optimizer="lbfgs", seed=1,
        tolerance=1e-12,
    )["output"]  # fmt: skip
    return [{"M": L @ L.T, "targets": target_neighbors(X, y, k)}]


def target_neighbors(X, y, k):
    targets = np.empty((len(X), k), dtype=np.int64)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        places = np.asarray(knn(reference=X[rows], k=k)["neighbors"]).astype(np.int64)
        targets[rows] = rows[places.reshape(len(rows), k)]
    return targets


VARIANTS = {
    "lmnn": {"lmnn": trained},
    "knn": {"scan_nearest": nearest("dual_tree")},
    "knn-naive": {"scan_nearest": nearest("naive")},
}

if __name__ == "__main__":
    serve(VARIANTS)
