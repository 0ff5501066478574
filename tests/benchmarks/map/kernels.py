"""For each kernel its arguments at three sizes, and what the machine must read or multiply.

A size is one number n; everything else (dimensions, candidates, thresholds) is as in the papers and
the same at each size, so that the growth is that with n. What is drawn here by several kernels
stands in ``drawing.py``.
"""

from __future__ import annotations

import numpy as np

from refimpl import kernels
from refimpl.rivals.kmeans_trees import kmeans_trees

from .drawing import CASES, around, case, clusters, fast, product, random_forest, size_of

__all__ = ["CASES"]

# -------------------------------------------------------------------- Boosted Distance: stumps, A.3


def _levels(rng, n):
    """Columns like pixels: integers of 0 to 255, most of them 0."""
    return np.where(rng.random((n, 784)) < 0.8, 0, rng.integers(0, 256, (n, 784))).astype(float)


@case((300, 4000, 40_000), "{n} differences of 784 features")
def presort(rng, n):
    return {"A": _levels(rng, n // 20), "B": _levels(rng, 20)}


@case(
    (300, 4000, 40_000),
    "{n} differences of 784 features, presorted",
    reads=lambda values: values["features"].nbytes,
)
def best_stump(rng, n):
    features = kernels.presort(**presort(rng, n))
    return {"features": features, "w": np.full(n, 1 / n), "l": rng.random(n) < 0.4}


@case((100, 1000, 10_000), "{n} queries, 200 points, 100 stumps")
def add_similarity(rng, n):
    T = 100
    return {
        "S": np.zeros((n, 200)),
        "Q": rng.random((n, 784)),
        "X": rng.random((200, 784)),
        "alpha": rng.random(T),
        "feature": rng.integers(0, 784, T),
        "polarity": rng.choice([-1, 1], T),
        "threshold": rng.random(T) - 0.5,
    }


# -------------------------------------------------------------------------- BoostMap: triples, scan


def _triples(rng, t, m=50):
    n = 5000
    return {
        "F": rng.normal(size=(m, n)),
        "triples": rng.integers(0, n, (t, 3)).astype(np.int32),
        "y": rng.choice([-1.0, 1.0], t),
        "w": np.full(t, 1 / t),
    }


def _with_margins(rng, t, m=50):
    values = _triples(rng, t, m)
    del values["w"]
    return {**values, "margin": rng.normal(size=t)}


@case((300, 5000, 200_000), "{n} triples, 50 embeddings of 5,000 objects")
def weighted_errors(rng, n):
    return _triples(rng, n)


@case((300, 5000, 200_000), "{n} triples, 50 embeddings of 5,000 objects")
def margin_sums(rng, n):
    return _triples(rng, n)


@case((300, 5000, 200_000), "{n} triples, 50 embeddings of 5,000 objects")
def z_values(rng, n):
    values = _with_margins(rng, n)
    return {**values, "alpha": rng.normal(size=len(values["F"]))}


@case((300, 5000, 200_000), "{n} triples, 10 embeddings of 5,000 objects")
def minimize_z(rng, n):
    values = _with_margins(rng, n, 10)
    return {**values, "least": np.full(len(values["F"]), -1.0)}


@case((300, 5000, 200_000), "{n} triples, 10 embeddings of 5,000 objects, 200 ranges")
def best_ranges(rng, n):
    values = _triples(rng, n, 10)
    thresholds = np.sort(rng.normal(size=(10, 20)), axis=1)
    ranges = np.array([(i, j) for i in range(21) for j in range(22) if i != j], dtype=np.int64)
    return {
        "values": values["F"].copy(),
        **values,
        "thresholds": thresholds,
        "ranges": ranges[rng.permutation(len(ranges))[:200]],
    }


@case((300, 5000, 200_000), "{n} triples, 5,000 objects")
def next_weights(rng, n):
    values = _with_margins(rng, n, 1)
    return {**values, "F": values["F"][0], "alpha": 0.1}


@case((600, 6000, 60_000), "10 queries, {n} points of 256 dimensions", reads=size_of("X"))
def weighted_l1(rng, n):
    return {
        "Q": rng.normal(size=(10, 256)),
        "A": rng.random((10, 256)),
        "X": rng.normal(size=(n, 256)),
    }


@case((600, 6000, 60_000), "100 nearest of {n} of 256 dimensions, 10 queries", reads=size_of("X"))
def weighted_l1_nearest(rng, n):
    return {**weighted_l1(rng, n), "k": 100}


def _edges(rng, n):
    """Outlines of blobs, 28 x 28."""
    rows, columns = np.mgrid[:28, :28]
    centre = rng.uniform(9, 19, (n, 2, 1, 1))
    radius = rng.uniform(4, 9, (n, 1, 1))
    return np.abs(np.hypot(rows - centre[:, 0], columns - centre[:, 1]) - radius) < 0.6


@case((100, 1000, 60_000), "10 edge images with {n}, 28 x 28")
def chamfer_distances(rng, n):
    return {"A": _edges(rng, 10), "B": _edges(rng, n)}


@case((200, 1000, 60_000), "100 nearest of {n} edge images, 10 queries")
def chamfer_nearest(rng, n):
    return {"Q": _edges(rng, 10), "X": _edges(rng, n), "k": 100}


# ------------------------------------------------------------------------------------ Search Forest


@case((100, 1000, 20_000), "{n} points of 128 dimensions, 16 trees of 12 levels")
def forest_words(rng, n):
    return {
        "forest": random_forest(rng, 16, 12, 128),
        "X": rng.standard_normal((n, 128), dtype=np.float32),
    }


@case((600, 6000, 60_000), "{n} points of 128 dimensions, float32", reads=size_of("X"))
def plane_values(rng, n):
    X = rng.standard_normal((n, 128), dtype=np.float32)
    return {"X": X, "p": X[0].copy()}


@case((600, 6000, 1_000_000), "100 queries, {n} points in 16 trees of 4,096 leaves")
def gather_candidates(rng, n):
    trees, leaves = 16, 4096
    words = rng.integers(0, leaves, (trees, n)) + leaves * np.arange(trees)[:, np.newaxis]
    order = np.argsort(words, axis=1, kind="stable")
    counts = np.bincount(words.ravel(), minlength=trees * leaves)
    asked = rng.integers(0, leaves, (100, trees)) + leaves * np.arange(trees)
    return {
        "starts": np.concatenate([[0], np.cumsum(counts)]),
        "items": order.ravel().astype(np.int32),
        "alive": np.ones(n, dtype=bool),
        "words": asked.astype(np.int32),
        "c": rng.uniform(0.5, 1.5, trees),
        "most": 500,
    }


@case((600, 6000, 1_000_000), "10 nearest of 500 candidates of {n} x 128, 100 queries")
def rerank(rng, n):
    X = rng.standard_normal((n, 128), dtype=np.float32)
    rows = np.concatenate([np.sort(rng.choice(n, 500, replace=False)) for _ in range(100)])
    return {
        "Q": rng.standard_normal((100, 128), dtype=np.float32),
        "X": X,
        "offsets": 500 * np.arange(101),
        "rows": rows,
        "k": 10,
    }


def _pairs(rng, p):
    """About p pairs (i, j), i < j, in order, of as many points as a tree's node has."""
    n = max(60, round(p**0.66))
    places = np.unique(rng.integers(n * n, size=2 * p))
    places = places[places // n < places % n]
    first, second = np.divmod(places, n)
    return n, first.astype(np.int32), second.astype(np.int32)


@case((1000, 100_000, 10_000_000), "about {n} pairs of a node")
def pair_product(rng, n):
    points, first, second = _pairs(rng, n)
    return {
        "first": first,
        "second": second,
        "v": rng.normal(size=len(first)),
        "u": rng.normal(size=points),
    }


@case((1000, 100_000, 10_000_000), "about {n} pairs of a node, 64 dimensions")
def leading_direction(rng, n):
    points, first, second = _pairs(rng, n)
    x = clusters(rng, points, 65)
    x[:, -1] = 0.1
    return {
        "x": x,
        "first": first,
        "second": second,
        "v": rng.normal(size=len(first)),
        "base": -0.01,
        "start": rng.normal(size=65),
        "tol": 1e-4,
    }


@case((1000, 100_000, 10_000_000), "about {n} pairs of a node, 64 dimensions, up to 10 moves")
def best_plane(rng, n):
    points, first, second = _pairs(rng, n)
    return {
        "X": clusters(rng, points, 64),
        "first": first,
        "second": second,
        "v": np.rint(64 * rng.normal(size=len(first))) / 64,
        "base": -1 / 64,
        "start": rng.normal(size=65),
        "augment": 0.1,
        "tol": 1e-4,
        "offset": "best",
        "refine": 10,
    }


@case((1000, 100_000, 10_000_000), "about {n} pairs of a node, 3 directions")
def best_thresholds(rng, n):
    points, first, second = _pairs(rng, n)
    return {
        "A": rng.normal(size=(points, 3)),
        "first": first,
        "second": second,
        "v": np.rint(64 * rng.normal(size=len(first))) / 64,
        "base": -0.25,
    }


@case((1000, 100_000, 10_000_000), "about {n} pairs of a node")
def split_pairs(rng, n):
    points, first, second = _pairs(rng, n)
    return {
        "left": rng.random(points) < 0.5,
        "first": first,
        "second": second,
        "v": rng.normal(size=len(first)),
    }


@case((1000, 100_000, 10_000_000), "about {n} pairs, 60 leaves")
def meet_pairs(rng, n):
    points, first, second = _pairs(rng, n)
    return {
        "leaf": rng.integers(60, size=points),
        "first": first,
        "second": second,
        "similar": np.zeros(len(first), dtype=np.uint8),
        "T": rng.random(len(first)),
        "c": 0.5,
    }


# -------------------------------------------------------------- the forest's rivals: codes, k-means


def _codes(rng, n):
    return rng.integers(0, 2**64, (n, 8), dtype=np.uint64)


@case((600, 6000, 1_000_000), "1 query, {n} codes of 512 bits", reads=size_of("X"))
def hamming_distances(rng, n):
    return {"Q": _codes(rng, 1), "X": _codes(rng, n)}


@case((600, 6000, 1_000_000), "100 nearest of {n} codes of 512 bits", reads=size_of("X"))
def hamming_nearest(rng, n):
    return {**hamming_distances(rng, n), "k": 100}


@case((600, 6000, 1_000_000), "codes within 220 of 512 bits of {n}", reads=size_of("X"))
def hamming_within(rng, n):
    return {**hamming_distances(rng, n), "radii": np.array([220])}


@case(
    (600, 6000, 60_000),
    "{n} points of 128 dimensions on 64 directions",
    flops=lambda values: 2 * values["X"].size * values["A"].shape[1],
)
def projections(rng, n):
    return {"X": rng.normal(size=(n, 128)), "A": rng.normal(size=(128, 64))}


@case((600, 6000, 60_000), "100 queries, 20 tables of 256 buckets, {n} points")
def bucket_votes(rng, n):
    tables, buckets = 20, 256
    where = rng.integers(0, buckets, (tables, n))
    members = np.argsort(where, axis=1, kind="stable").ravel()
    counts = np.concatenate([np.bincount(row, minlength=buckets) for row in where])
    ends = np.cumsum(counts)
    asked = rng.integers(0, buckets, (100, tables)) + buckets * np.arange(tables)
    return {
        "starts": ends - counts,
        "ends": ends,
        "members": members,
        "buckets": asked,
        "n": n,
        "most": 500,
    }


@case(
    (600, 6000, 60_000),
    "{n} points of 64 dimensions, 8 centres, 10 rounds",
    flops=lambda values: 2 * values["X"].size * len(values["centres"]) * values["iterations"],
)
def lloyd(rng, n):
    X = rng.normal(size=(n, 64))  # without clusters, so that the centres move in every round
    return {"X": X, "rows": np.arange(n), "centres": X[:8].copy(), "iterations": 10}


@case((600, 6000, 60_000), "100 queries, 4 k-means trees of {n} points of 64 dimensions")
def tree_leaves(rng, n):
    X, Q = around(rng, n, 64, 100)
    trees = kmeans_trees(X, 4, rng=rng, branching=16, iterations=2, kernels=fast())
    return {"trees": trees, "Q": Q}


@case((600, 6000, 60_000), "500 candidates, 100 queries, 4 k-means trees of {n} points")
def best_bin_first(rng, n):
    return {**tree_leaves(rng, n), "most": 500}


# --------------------------------------------------------------------------------- LMNN, ball trees


@case((600, 6000, 60_000), "{n} points of 15 dimensions")
def build_tree(rng, n):
    return {"X": clusters(rng, n, 15)}


@case((600, 6000, 60_000), "3 nearest of {n} x 15, 200 queries")
def tree_nearest(rng, n):
    X, Q = around(rng, n, 15, 200)
    return {"tree": fast().build_tree(X), "Q": Q, "k": 3}


@case((600, 6000, 60_000), "points of {n} x 15 within a distance, 200 queries")
def tree_within(rng, n):
    X = clusters(rng, n, 15)
    Q = X[rng.integers(0, n, 200)] + 0.1 * rng.normal(size=(200, 15))
    return {"tree": fast().build_tree(X), "Q": Q, "limits": np.full(200, 1.5)}


@case((600, 6000, 60_000), "3 nearest of {n} x 15, 200 queries", flops=product)
def scan_nearest(rng, n):
    X, Q = around(rng, n, 15, 200)
    return {"Q": Q, "X": X, "k": 3}


@case((600, 6000, 60_000), "500 points with {n}, 169 dimensions, 10 classes", flops=product)
def impostors(rng, n):
    X = rng.normal(size=(n, 169))
    Q = X[rng.integers(0, n, 500)] + 0.5 * rng.normal(size=(500, 169))
    return {
        "Q": Q,
        "X": X,
        "radii": np.full(len(Q), 230.0),
        "classes_Q": rng.integers(0, 10, len(Q)),
        "classes_X": rng.integers(0, 10, n),
    }


def _edges_of(rng, n, per_point):
    first = np.repeat(np.arange(n), per_point)
    return first, rng.integers(0, n, len(first))


@case((600, 6000, 60_000), "10 pairs for each of {n} points of 169 dimensions")
def pair_distances(rng, n):
    first, second = _edges_of(rng, n, 10)
    return {"Z": rng.normal(size=(n, 169)), "first": first, "second": second}


@case((600, 6000, 60_000), "{n} points, 3 targets and 20 pairs each", reads=size_of("pairs"))
def hinge_terms(rng, n):
    return {
        "targets": rng.random((n, 3)),
        "pairs": 0.5 + rng.random(20 * n),
        "start": 20 * np.arange(n + 1),
        "h": 0.1,
    }


@case((600, 6000, 60_000), "10 pairs for each of {n} points of 169 dimensions")
def weighted_differences(rng, n):
    _, other = _edges_of(rng, n, 10)
    return {
        "Z": rng.normal(size=(n, 169)),
        "start": 10 * np.arange(n + 1),
        "other": other,
        "edge": rng.permutation(len(other)),
        "weights": rng.normal(size=len(other)),
    }


# -------------------------------------------------------------------------------------------- FTUNE


@case((600, 6000, 60_000), "{n} points")
def least_similar(rng, n):
    taken = rng.random(n) < 0.01
    return {"sums": rng.normal(size=n), "column": rng.normal(size=n), "taken": taken}


@case((300, 3000, 10_000), "{n} points, 300 pairs of 600 landmarks, 6 slopes")
def transferred_differences(rng, n):
    return {
        "K": rng.random((n, 600)),
        "plus": rng.integers(0, 600, 300),
        "minus": rng.integers(0, 600, 300),
        "slopes": np.array([0.5, 1.0, 5.0, 10.0, 50.0, 1000.0]),
    }


@case((300, 3000, 10_000), "{n} x 300", reads=size_of("A"))
def matrix_vector(rng, n):
    return {"A": rng.normal(size=(n, 300)), "v": rng.normal(size=300)}


@case((300, 3000, 10_000), "{n} x 300", reads=size_of("A"))
def vector_matrix(rng, n):
    return {"u": rng.normal(size=n), "A": rng.normal(size=(n, 300))}
