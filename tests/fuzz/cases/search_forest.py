"""Arguments for the kernels of the Search Forest: its words and lists, pairs, planes."""

import numpy as np

from refimpl.search_forest import search_forest

from ..values import length, offsets, points, reals
from .table import case

# ------------------------------------------------------------------------------------------- forest


_FORESTS = []


def _forest(rng):
    """One of a few forests, as learning them takes long: float32 and float64, with and without
    planes.
    """
    if not _FORESTS:
        drawn = np.random.default_rng(0)
        for number in range(4):
            X = drawn.normal(size=(40, 3 + 7 * number)).astype([np.float32, np.float64][number % 2])
            similar = (X @ X.T > 0.5).astype(float)
            np.fill_diagonal(similar, 0)
            _FORESTS.append(search_forest(X, similar, 1 + number, 0.02, rng=drawn))
    return _FORESTS[rng.integers(len(_FORESTS))]


@case
def forest_words(rng):
    forest = _forest(rng)
    X = points(rng, length(rng, 12, 0), forest.planes.shape[1], (-30, 30)).astype(
        forest.planes.dtype
    )
    if len(X) and rng.random() < 0.2:  # points on a plane
        X[:] = 0
    return {"forest": forest, "X": X}


@case
def plane_values(rng):
    d = length(rng, 40)
    dtype = rng.choice([np.float32, np.float64])
    return {
        "X": points(rng, length(rng), d, (-30, 30)).astype(dtype),
        "p": reals(rng, (d,), (-30, 30)).astype(dtype),
    }


@case
def gather_candidates(rng):
    V = length(rng)
    M = length(rng, 4)
    n = length(rng)
    lists = [np.sort(rng.choice(n, rng.integers(0, n + 1), replace=False)) for _ in range(V)]
    starts = np.cumsum([0, *map(len, lists)])
    c = rng.random(M) + 0.01
    if rng.random() < 0.5:
        c = rng.integers(1, 3, M) / 4
    return {
        "starts": starts,
        "items": np.concatenate(lists).astype(np.int32),
        "alive": rng.random(n) < 0.8,
        "words": rng.integers(0, V, (length(rng, 6, 0), M)).astype(np.int32),
        "c": c,
        "most": int(rng.integers(0, n + 2)),
    }


@case
def rerank(rng):
    d = length(rng, 40)
    n = length(rng)
    n_Q = length(rng, 6)
    dtype = rng.choice([np.float32, np.float64])
    rows = rng.integers(0, n, length(rng, 20, 0))
    return {
        "Q": points(rng, n_Q, d, (-30, 30)).astype(dtype),
        "X": points(rng, n, d, (-30, 30)).astype(dtype),
        "offsets": offsets(rng, n_Q, len(rows)),
        "rows": rows,
        "k": int(rng.integers(0, 5)),
    }


# -------------------------------------------------------------------------------------------- pairs


def _pairs(rng, n):
    every = np.array([(i, j) for i in range(n) for j in range(i + 1, n)], dtype=np.int32).reshape(
        -1, 2
    )
    kept = every[rng.random(len(every)) < rng.choice([0.2, 0.9])]
    return np.ascontiguousarray(kept[:, 0]), np.ascontiguousarray(kept[:, 1])


@case
def best_plane(rng):
    n = length(rng, 12)
    d = length(rng, 40) if rng.random() < 0.2 else length(rng, 6)
    first, second = _pairs(rng, n)
    X = reals(rng, (n, d), (-3, 3))
    return {
        "X": X.astype(np.float32) if rng.random() < 0.5 else X,
        "first": first,
        "second": second,
        "v": rng.integers(-99, 99, len(first)) / 64,
        "base": int(rng.integers(-9, 9)) / 64,
        "start": rng.normal(size=d + 1),
        "augment": float(rng.choice([0.0, 0.1, 1.0, 1e3])),
        "tol": float(rng.choice([1e-1, 1e-4, 1e-9])),
        "offset": str(rng.choice(["eigenvector", "best"])),
        "refine": int(rng.choice([0, 1, 10])),
    }


@case
def pair_product(rng):
    n = length(rng, 12)
    first, second = _pairs(rng, n)
    return {"first": first, "second": second, "v": reals(rng, (len(first),)), "u": reals(rng, (n,))}


@case
def best_thresholds(rng):
    n = length(rng, 12)
    first, second = _pairs(rng, n)
    return {
        "A": reals(rng, (n, length(rng, 6))),
        "first": first,
        "second": second,
        "v": rng.integers(-99, 99, len(first)) / 64,
        "base": int(rng.integers(0, 9)) / 64,
    }


@case
def split_pairs(rng):
    n = length(rng, 12)
    first, second = _pairs(rng, n)
    return {
        "left": rng.random(n) < rng.random(),
        "first": first,
        "second": second,
        "v": reals(rng, (len(first),)),
    }


@case
def meet_pairs(rng):
    n = length(rng, 12)
    first, second = _pairs(rng, n)
    p = len(first)
    return {
        "leaf": rng.integers(0, rng.integers(1, n + 1), n),
        "first": first,
        "second": second,
        "similar": rng.integers(0, 2, p).astype(np.uint8),
        "T": rng.random(p),
        "c": float(rng.random()),
    }


@case
def leading_direction(rng):
    n = length(rng, 12)
    d = length(rng, 80) if rng.random() < 0.2 else length(rng, 9)
    first, second = _pairs(rng, n)
    return {
        "x": reals(rng, (n, d), (-3, 3)),
        "first": first,
        "second": second,
        "v": rng.integers(-99, 99, len(first)) / 64,
        "base": int(rng.integers(-9, 9)) / 64,
        "start": rng.normal(size=d),
        "tol": float(rng.choice([1e-1, 1e-4, 1e-9])),
    }
