"""hnswlib: ``python ask_hnswlib.py VARIANT``. It takes float32 alone."""

import hnswlib
import numpy as np
from lines import serve, without


def graph(ef):
    def answer(Q, X, k, skip):
        index = hnswlib.Index(space="l2", dim=X.shape[1])
        index.init_index(len(X), random_seed=1)
        index.set_num_threads(1)
        index.add_items(X, np.arange(len(X)))
        wanted = min(len(X), k + (skip is not None))
        if ef:
            index.set_ef(max(wanted, min(len(X), ef)))
        places, squares = index.knn_query(Q, wanted, num_threads=1)
        return without(places.astype(np.int64), squares, skip, k)

    return answer


def brute(Q, X, k, skip):
    index = hnswlib.BFIndex(space="l2", dim=X.shape[1])
    index.init_index(len(X))
    index.add_items(X, np.arange(len(X)))
    places, squares = index.knn_query(Q, min(len(X), k + (skip is not None)))
    return without(places.astype(np.int64), squares, skip, k)


VARIANTS = {
    "default": {"scan_nearest": graph(0)},
    "everything": {"scan_nearest": graph(100_000)},
    "brute": {"scan_nearest": brute},
}

if __name__ == "__main__":
    serve(VARIANTS)
