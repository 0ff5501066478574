"""For each kernel a function that draws arguments it must take: a dict by name."""

import numpy as np

from refimpl import kernels
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.search_forest import search_forest

from .values import length, offsets, points, reals, signs, weights

CASES = {}


def case(draw):
    """Enter the function under its own name."""
    CASES[draw.__name__] = draw
    return draw


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


# --------------------------------------------------------------------------------------- clustering


def _trees(rng, d):
    return kmeans_trees(
        points(rng, length(rng, 30), d, (-30, 30)),
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


# -------------------------------------------------------------------------------------------- pairs


def _pairs(rng, n):
    every = np.array([(i, j) for i in range(n) for j in range(i + 1, n)], dtype=np.int32).reshape(
        -1, 2
    )
    kept = every[rng.random(len(every)) < rng.choice([0.2, 0.9])]
    return np.ascontiguousarray(kept[:, 0]), np.ascontiguousarray(kept[:, 1])


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


# ------------------------------------------------------------------------------------------- stumps


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
    return {
        "S": reals(rng, (n_Q, n_X)),
        "Q": points(rng, n_Q, d),
        "X": points(rng, n_X, d),
        "alpha": reals(rng, (T,)),
        "feature": rng.integers(0, d, T),
        "polarity": rng.choice([-1, 1], T),
        "threshold": np.where(rng.random(T) < 0.1, -np.inf, reals(rng, (T,))),
    }


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
    values = _triples(rng)
    F = values["F"]
    return {**values, "alpha": reals(rng, (len(F),)), "S": _splitters(rng, F)}


@case
def minimize_z(rng):
    values = _triples(rng)
    F = values["F"]
    least = np.zeros(len(F)) if rng.random() < 0.5 else -np.abs(reals(rng, (len(F),), (-20, 20)))
    return {**values, "least": least, "S": _splitters(rng, F)}


@case
def next_weights(rng):
    values = _triples(rng)
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
