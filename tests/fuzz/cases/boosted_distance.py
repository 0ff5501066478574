"""Arguments for the kernels of Boosted Distance: stumps."""

import numpy as np

from refimpl import kernels

from ..values import length, points, reals, weights
from .table import case


@case
def presort(rng):
    d = length(rng, 6)
    return {
        "A": reals(rng, (length(rng), d), (-300, 300)),
        "B": None if rng.random() < 0.5 else reals(rng, (length(rng, 6), d), (-300, 300)),
    }


@case
def best_stump(rng):
    features = kernels.presort(**presort(rng))
    n = features.n_rows
    return {
        "features": features,
        "w": weights(rng, n),
        "l": rng.random(n) < rng.choice([0.0, 0.4, 1.0]),
    }


@case
def add_similarity(rng):
    n_Q = length(rng, 40)
    n_X = length(rng, 40)
    d = length(rng, 6)
    T = length(rng, 8, 0)
    Q = points(rng, n_Q, d)
    X = points(rng, n_X, d)
    feature = rng.integers(0, d, T)
    threshold = reals(rng, (T,))
    if rng.random() < 0.5:  # differences that occur, and their neighbours
        occurs = Q[rng.integers(0, n_Q, T), feature] - X[rng.integers(0, n_X, T), feature]
        threshold = np.nextafter(occurs, rng.choice([-np.inf, 0.0, np.inf], T))
        threshold = np.where(rng.random(T) < 0.5, occurs, threshold)
    return {
        "S": reals(rng, (n_Q, n_X)),
        "Q": Q,
        "X": X,
        "alpha": reals(rng, (T,)),
        "feature": feature,
        "polarity": rng.choice([-1, 1], T),
        "threshold": np.where(rng.random(T) < 0.1, rng.choice([-np.inf, np.inf], T), threshold),
    }
