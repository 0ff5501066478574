"""FAISS: ``python ask_faiss.py VARIANT``. It takes float32 alone; binary codes as bytes."""

import faiss
import numpy as np
from lines import serve, without

faiss.omp_set_num_threads(1)


def nearest(index):
    def answer(Q, X, k, skip):
        built = index(X.shape[1])
        built.add(X.astype(np.float32))
        wanted = min(len(X), k + (skip is not None))
        squares, places = built.search(Q.astype(np.float32), wanted)
        return without(places, squares, skip, k)

    return answer


def hnsw(ef):
    def index(d):
        built = faiss.IndexHNSWFlat(d, 32)
        built.hnsw.efSearch = ef
        return built

    return index


def hamming(Q, X, k):
    if not len(X) or not k:
        return None
    index = faiss.IndexBinaryFlat(64 * X.shape[1])
    index.add(np.ascontiguousarray(X).view(np.uint8))
    distances, places = index.search(np.ascontiguousarray(Q).view(np.uint8), k)
    return {"distances": distances, "indices": places}


VARIANTS = {
    "flat": {"scan_nearest": nearest(faiss.IndexFlatL2)},
    "hnsw": {"scan_nearest": nearest(hnsw(16))},
    "hnsw-all": {"scan_nearest": nearest(hnsw(100_000))},
    "binary": {"hamming_nearest": hamming},
}

if __name__ == "__main__":
    serve(VARIANTS)
