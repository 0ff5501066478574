"""Arguments for the kernels of BoostMap: triples, the scan, chamfer distances."""

import numpy as np

from ..values import length, points, reals, signs, weights
from .table import case

# ------------------------------------------------------------------------------------------ triples


def _triples(rng):
    n = length(rng)
    t = length(rng, 90)
    m = length(rng, 20)
    return {
        "F": reals(rng, (m, n)),
        "triples": rng.integers(0, n, (t, 3)).astype(np.int32),
        "y": signs(rng, t),
        "w": weights(rng, t),
    }


def _with_margins(rng):
    values = _triples(rng)
    t = len(values.pop("w"))
    return {**values, "margin": reals(rng, (t,), one_of_exponents(rng))}


def one_of_exponents(rng):
    return (-300, 300) if rng.random() < 0.3 else (-3, 4)


def _splitters(rng, F):
    return None if rng.random() < 0.5 else (rng.random(F.shape) < 0.5).astype(float)


@case
def weighted_errors(rng):
    return _triples(rng)


@case
def margin_sums(rng):
    return _triples(rng)


@case
def z_values(rng):
    values = _with_margins(rng)
    F = values["F"]
    return {**values, "alpha": reals(rng, (len(F),)), "S": _splitters(rng, F)}


@case
def minimize_z(rng):
    values = _with_margins(rng)
    F = values["F"]
    least = np.zeros(len(F)) if rng.random() < 0.5 else -np.abs(reals(rng, (len(F),), (-20, 20)))
    return {**values, "least": least, "S": _splitters(rng, F)}


@case
def next_weights(rng):
    values = _with_margins(rng)
    F = reals(rng, (values["F"].shape[1],))
    alpha = float(reals(rng, (1,), (-20, 20))[0])
    return {**values, "F": F, "alpha": alpha}


@case
def best_ranges(rng):
    values = _triples(rng)
    k = int(rng.integers(0, 5))
    thresholds = np.sort(reals(rng, (len(values["F"]), k)), axis=1)
    ranges = np.array(
        [(i, j) for i in range(k + 2) for j in range(k + 2) if i != j], dtype=np.int64
    )
    return {
        "values": reals(rng, values["F"].shape),
        **values,
        "thresholds": thresholds,
        "ranges": ranges,
    }


# --------------------------------------------------------------------------------------------- scan


@case
def weighted_l1(rng):
    n = length(rng)
    d = length(rng, 40)
    return {
        "Q": points(rng, n, d),
        "A": np.abs(reals(rng, (n, d))),
        "X": points(rng, length(rng), d),
    }


@case
def weighted_l1_nearest(rng):
    values = weighted_l1(rng)
    return {**values, "k": int(rng.integers(0, len(values["X"]) + 1))}


# ------------------------------------------------------------------------------------------ chamfer


def _shape(rng):
    """Height and width: images of many pixels take the reference minutes."""
    height = length(rng, 9)
    return height, min(length(rng, 9), max(1, 2000 // height))


def _edges(rng, n, shape):
    images = rng.random((n, *shape)) < rng.choice([0.05, 0.5, 1.0])
    images[:, rng.integers(shape[0]), rng.integers(shape[1])] = True
    return images


@case
def chamfer_distances(rng):
    shape = _shape(rng)
    return {"A": _edges(rng, length(rng, 6), shape), "B": _edges(rng, length(rng, 6), shape)}


@case
def chamfer_nearest(rng):
    shape = _shape(rng)
    n = length(rng, 6)
    return {
        "Q": _edges(rng, length(rng, 4), shape),
        "X": _edges(rng, n, shape),
        "k": int(rng.integers(1, n + 1)),
    }
