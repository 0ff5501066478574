"""Arguments for the kernels of FTUNE: landmarks, products of matrices."""

import numpy as np

from ..values import length, reals
from .table import case

# ---------------------------------------------------------------------------------------- landmarks


@case
def least_similar(rng):
    n = length(rng)
    taken = rng.random(n) < 0.5
    taken[rng.integers(n)] = False
    return {"sums": reals(rng, (n,)), "column": reals(rng, (n,)), "taken": taken}


@case
def transferred_differences(rng):
    r = length(rng)
    d = length(rng)
    return {
        "K": reals(rng, (length(rng), r)),
        "plus": rng.integers(0, r, d),
        "minus": rng.integers(0, r, d),
        "slopes": rng.choice([0.5, 1.0, 5.0, 1000.0, 1e300, np.inf], length(rng, 4)),
    }


# ----------------------------------------------------------------------------------------- products


@case
def matrix_vector(rng):
    n = length(rng, 3000, 0)
    d = length(rng, 40, 0)
    return {"A": reals(rng, (n, d)), "v": reals(rng, (d,))}


@case
def vector_matrix(rng):
    n = length(rng, 40, 0)
    d = length(rng, 200, 0)
    return {"u": reals(rng, (n,)), "A": reals(rng, (n, d))}
