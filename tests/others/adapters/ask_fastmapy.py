"""FastMapy: ``python ask_fastmapy.py VARIANT``. FastMap on a matrix of distances.

The first object of each dimension is the case's instead of a random one. A round of
choose-distant-objects is two of its `iters`.
"""

import random
import sys

import numpy as np
from fastmap import Distance, FastMap
from lines import serve


class Matrix(Distance):
    """Distances from a matrix; objects are its rows' numbers."""

    def __init__(self, D):
        self.D = D

    @staticmethod
    def get_name():
        return "matrix"

    def calculate(self, x, y):
        return float(self.D[x, y])


def fastmap(D, d, starts, iterations):
    first = iter(starts[:, 0].tolist())
    random.randrange = lambda n: next(first)
    model = FastMap(dim=d, distance=Matrix, dist_args={"D": D}, iters=2 * iterations)
    F = np.array(model.fit_transform(range(len(D))))
    return [
        {"pivots": np.array([pair.left_index, pair.right_index]), "F": F[:, j]}
        for j, pair in enumerate(model._pivots)
    ]


VARIANTS = {"fastmap": {"fastmap": fastmap}}

if __name__ == "__main__":
    serve(VARIANTS[sys.argv[1]])
