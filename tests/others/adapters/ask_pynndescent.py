"""PyNNDescent: ``python ask_pynndescent.py VARIANT``. It takes float32 alone."""

import sys
import warnings

import numpy as np
from lines import serve, without
from pynndescent import NNDescent

warnings.simplefilter("ignore")


def nearest(epsilon):
    def answer(Q, X, k, skip):
        index = NNDescent(X, random_state=1, n_jobs=1)
        index.prepare()
        wanted = min(len(X), k + (skip is not None))
        places, distances = index.query(Q, wanted, epsilon=epsilon)
        return without(places.astype(np.int64), np.asarray(distances) ** 2, skip, k)

    return answer


VARIANTS = {"default": {"scan_nearest": nearest(0.1)}, "wide": {"scan_nearest": nearest(1.0)}}

if __name__ == "__main__":
    serve(VARIANTS[sys.argv[1]])
