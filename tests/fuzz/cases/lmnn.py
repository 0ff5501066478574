"""Arguments for the kernels of LMNN: sub-gradients, ball trees."""

import numpy as np

from refimpl import kernels

from ..values import length, offsets, points, reals
from .table import case

# -------------------------------------------------------------------------------------- subgradient


@case
def pair_distances(rng):
    n = length(rng)
    p = length(rng, 12, 0)
    return {
        "Z": points(rng, n, length(rng, 20)),
        "first": rng.integers(0, n, p),
        "second": rng.integers(0, n, p),
    }


@case
def impostors(rng):
    n_Q = length(rng, 40)
    n_X = length(rng, 40)
    r = length(rng, 12)
    exponents = (-300, 140)
    X = points(rng, n_X, r, exponents)
    Q = (
        X[rng.integers(0, n_X, n_Q)].copy()
        if rng.random() < 0.3
        else points(rng, n_Q, r, exponents)
    )
    squares = ((Q[:, None] - X) ** 2).sum(-1)
    radii = squares[np.arange(n_Q), rng.integers(0, n_X, n_Q)] * rng.choice(
        [0.5, 1.0, 1 + 2**-52, 2.0], n_Q
    )
    if rng.random() < 0.2:
        radii = reals(rng, (n_Q,), (-300, 280))
    return {
        "Q": Q,
        "X": X,
        "radii": radii,
        "classes_Q": rng.integers(0, 3, n_Q),
        "classes_X": rng.integers(0, 3, n_X),
    }


@case
def hinge_terms(rng):
    n = length(rng)
    p = length(rng, 20, 0)
    return {
        "targets": np.abs(reals(rng, (n, length(rng, 4)), (-300, 150))),
        "pairs": np.abs(reals(rng, (p,), (-300, 150))),
        "start": offsets(rng, n, p),
        "h": float(rng.choice([0.0, 0.5, 1e-3, 7.0])),
    }


@case
def weighted_differences(rng):
    n = length(rng)
    e = length(rng, 20, 0)
    p = length(rng, 20)
    weighing = reals(rng, (p,), (-100, 100))
    weighing[rng.random(p) < 0.3] = 0.0
    return {
        "Z": points(rng, n, length(rng, 20), (-100, 100)),
        "start": offsets(rng, n, e),
        "other": rng.integers(0, n, e),
        "edge": rng.integers(0, p, e),
        "weights": weighing,
    }


# -------------------------------------------------------------------------------------------- trees


@case
def build_tree(rng):
    return {
        "X": points(rng, length(rng, 40), length(rng, 12)),
        "leaf_size": int(rng.integers(2, 20)),
        "direction": str(rng.choice(["axis", "principal"])),
    }


def _searched(rng):
    X = points(rng, length(rng, 40), length(rng, 12))
    tree = kernels.build_tree(X, leaf_size=int(rng.integers(2, 20)))
    n_Q = length(rng, 12)
    Q = (
        X[rng.integers(0, len(X), n_Q)].copy()
        if rng.random() < 0.4
        else points(rng, n_Q, X.shape[1])
    )
    skip = None if rng.random() < 0.5 else rng.integers(-1, len(X), n_Q)
    return X, tree, Q, skip, str(rng.choice(["box", "ball"]))


@case
def tree_nearest(rng):
    X, tree, Q, skip, bound = _searched(rng)
    most = max(1, len(X) - (skip is not None))
    if len(X) == 1:
        skip = None
    return {"tree": tree, "Q": Q, "k": int(rng.integers(1, most + 1)), "skip": skip, "bound": bound}


@case
def tree_within(rng):
    X, tree, Q, skip, bound = _searched(rng)
    limits = ((Q - X[rng.integers(0, len(X), len(Q))]) ** 2).sum(-1) * rng.choice(
        [-1.0, 1.0, 2.0], len(Q)
    )
    return {
        "tree": tree,
        "Q": Q,
        "limits": limits,
        "strict": bool(rng.random() < 0.5),
        "skip": skip,
        "bound": bound,
    }


@case
def scan_nearest(rng):
    values = tree_nearest(rng)
    return {
        "Q": values["Q"],
        "X": values["tree"].points.copy(),
        **{name: values[name] for name in ("k", "skip")},
    }
