"""annoy: ``python ask_annoy.py VARIANT``. It takes float32 alone."""

import sys

import numpy as np
from annoy import AnnoyIndex
from lines import serve, without

TREES = 10


def nearest(everything):
    def answer(Q, X, k, skip):
        index = AnnoyIndex(X.shape[1], "euclidean")
        index.set_seed(1)
        for i, x in enumerate(X):
            index.add_item(i, x)
        index.build(TREES, n_jobs=1)
        wanted = min(len(X), k + (skip is not None))
        search_k = 10 * TREES * len(X) if everything else -1
        rows = [index.get_nns_by_vector(q, wanted, search_k, include_distances=True) for q in Q]
        places = [np.array(found, dtype=np.int64) for found, _ in rows]
        return without(places, [np.array(distances) ** 2 for _, distances in rows], skip, k)

    return answer


VARIANTS = {
    "default": {"scan_nearest": nearest(False)},
    "everything": {"scan_nearest": nearest(True)},
}

if __name__ == "__main__":
    serve(VARIANTS[sys.argv[1]])
