"""Arguments for the kernels of the forest's rivals: codes, buckets, k-means trees."""

import numpy as np

from refimpl.rivals.kmeans_trees import kmeans_trees

from ..values import length, points, reals
from .table import case

# --------------------------------------------------------------------------------- hamming, hashing


def _codes(rng, n, words):
    codes = rng.integers(0, 2**64, (n, words), dtype=np.uint64)
    return codes & np.uint64(3) if rng.random() < 0.5 else codes


@case
def hamming_distances(rng):
    words = length(rng, 10)
    return {"Q": _codes(rng, length(rng, 6), words), "X": _codes(rng, length(rng), words)}


@case
def hamming_nearest(rng):
    words = length(rng, 10)
    n = length(rng)
    return {
        "Q": _codes(rng, length(rng, 6), words),
        "X": _codes(rng, n, words),
        "k": int(rng.integers(0, n + 1)),
    }


@case
def hamming_within(rng):
    words = length(rng, 10)
    m = length(rng, 6)
    return {
        "Q": _codes(rng, m, words),
        "X": _codes(rng, length(rng), words),
        "radii": rng.integers(-3, 64 * words + 3, m),
    }


@case
def projections(rng):
    d = length(rng)
    return {"X": points(rng, length(rng), d), "A": reals(rng, (d, length(rng, 70)))}


@case
def bucket_votes(rng):
    b = length(rng)
    n = length(rng)
    lists = [rng.choice(n, rng.integers(0, n + 1), replace=False) for _ in range(b)]
    ends = np.cumsum([len(members) for members in lists])
    return {
        "starts": ends - [len(members) for members in lists],
        "ends": ends,
        "members": np.concatenate(lists),
        "buckets": rng.integers(-1, b, (length(rng, 6, 0), length(rng, 4))),
        "n": n,
        "most": int(rng.integers(0, n + 2)),
    }


# --------------------------------------------------------------------------------------- clustering


def _trees(rng, d):
    X = points(rng, length(rng, 30), d, (-30, 30))
    X[0, 0] += 1  # columns that vary by next to nothing are refused
    return kmeans_trees(
        X,
        int(rng.integers(1, 4)),
        rng=rng,
        branching=int(rng.integers(2, 6)),
        leaf_size=int(rng.integers(5, 9)),
        iterations=2,
    )


@case
def lloyd(rng):
    n = length(rng)
    d = length(rng, 20)
    rows = rng.integers(0, n, length(rng, 20, 0))
    return {
        "X": points(rng, n, d),
        "rows": rows,
        "centres": points(rng, length(rng, 20), d),
        "iterations": int(rng.integers(0, 4)),
    }


@case
def tree_leaves(rng):
    d = length(rng, 6)
    return {"trees": _trees(rng, d), "Q": points(rng, length(rng), d)}


@case
def best_bin_first(rng):
    d = length(rng, 6)
    trees = _trees(rng, d)
    n = len(trees.members) // len(trees.roots)
    return {"trees": trees, "Q": points(rng, length(rng), d), "most": int(rng.integers(0, n + 1))}
