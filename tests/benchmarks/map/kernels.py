"""For each kernel its arguments at three sizes, and what the machine must read or multiply.

A size is one number n; everything else (dimensions, candidates, thresholds) is as in the papers and
the same at each size, so that the growth is that with n. What a function here does not return is
drawn as :mod:`refimpl.kernels.contract` describes it (``tests/support/drawn.py``). What is drawn by
several kernels stands in ``drawing.py``.
"""

from __future__ import annotations

from functools import wraps

import numpy as np

from refimpl import kernels
from refimpl.rivals.kmeans_trees import kmeans_trees
from tests.support.drawn import drawn, pairs

from . import drawing
from .drawing import CASES, around, clusters, fast, product, random_forest, size_of

__all__ = ["CASES"]

POINTS = (600, 6000, 60_000)
CODES = (600, 6000, 1_000_000)
PAIRS = (1000, 100_000, 10_000_000)
TRIPLES = (300, 5000, 200_000)


def case(*values, **costs):
    """Enter a function that returns lengths, and arguments that are not drawn."""

    def decorate(given):
        @wraps(given)
        def draw(rng, n):
            return drawn(given.__name__, rng, **given(rng, n))

        drawing.case(*values, **costs)(draw)
        return given

    return decorate


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
    return {"features": kernels.presort(**presort(rng, n)), "l": rng.random(n) < 0.4}


@case((100, 1000, 10_000), "{n} queries, 200 points, 100 stumps")
def add_similarity(rng, n):
    return {"n_Q": n, "n_X": 200, "d": 784, "T": 100}


# -------------------------------------------------------------------------- BoostMap: triples, scan


@case(TRIPLES, "{n} triples, 50 embeddings of 5,000 objects")
def weighted_errors(rng, n):
    return {"m": 50, "n": 5000, "t": n}


@case(TRIPLES, "{n} triples, 50 embeddings of 5,000 objects")
def margin_sums(rng, n):
    return {"m": 50, "n": 5000, "t": n}


@case(TRIPLES, "{n} triples, 50 embeddings of 5,000 objects")
def z_values(rng, n):
    return {"m": 50, "n": 5000, "t": n}


@case(TRIPLES, "{n} triples, 10 embeddings of 5,000 objects")
def minimize_z(rng, n):
    return {"n": 5000, "t": n, "least": np.full(10, -1.0)}


@case(TRIPLES, "{n} triples, 10 embeddings of 5,000 objects, 200 ranges")
def best_ranges(rng, n):
    ranges = np.array([(i, j) for i in range(21) for j in range(22) if i != j])
    return {"m": 10, "n": 5000, "t": n, "k": 20, "ranges": rng.permutation(ranges)[:200]}


@case(TRIPLES, "{n} triples, 5,000 objects")
def next_weights(rng, n):
    return {"n": 5000, "t": n, "alpha": 0.1}


@case(POINTS, "10 queries, {n} points of 256 dimensions", reads=size_of("X"))
def weighted_l1(rng, n):
    return {"A": rng.random((10, 256)), "n_X": n}


@case(POINTS, "100 nearest of {n} of 256 dimensions, 10 queries", reads=size_of("X"))
def weighted_l1_nearest(rng, n):
    return {"A": rng.random((10, 256)), "n_X": n, "k": 100}


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


def _single(rng, n):
    return rng.standard_normal((n, 128), dtype=np.float32)


@case((100, 1000, 20_000), "{n} points of 128 dimensions, 16 trees of 12 levels")
def forest_words(rng, n):
    return {"forest": random_forest(rng, 16, 12, 128), "X": _single(rng, n)}


@case(POINTS, "{n} points of 128 dimensions, float32", reads=size_of("X"))
def plane_values(rng, n):
    return {"X": _single(rng, n), "p": _single(rng, 1)[0]}


@case(CODES, "100 queries, {n} points in 16 trees of 4,096 leaves")
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
        "most": 500,
    }


@case(CODES, "10 nearest of 500 candidates of {n} x 128, 100 queries")
def rerank(rng, n):
    rows = [np.sort(rng.choice(n, 500, replace=False)) for _ in range(100)]
    return {"Q": _single(rng, 100), "X": _single(rng, n), "rows": np.concatenate(rows), "k": 10}


def _pairs(rng, p):
    """About p pairs of as many points as a tree's node has."""
    return pairs(rng, max(60, round(p**0.66)), p)


def _weighted_pairs(rng, p):
    """Pairs whose weights are multiples of 1/64."""
    listed = _pairs(rng, p)
    return {**listed, "v": np.rint(64 * rng.normal(size=len(listed["first"]))) / 64}


@case(PAIRS, "about {n} pairs of a node")
def pair_product(rng, n):
    return _pairs(rng, n)


@case(PAIRS, "about {n} pairs of a node, 64 dimensions")
def leading_direction(rng, n):
    listed = _pairs(rng, n)
    x = clusters(rng, listed["n"], 65)
    x[:, -1] = 0.1
    return {**listed, "x": x, "base": -0.01, "tol": 1e-4}


@case(PAIRS, "about {n} pairs of a node, 64 dimensions, up to 10 moves")
def best_plane(rng, n):
    listed = _weighted_pairs(rng, n)
    how = {"augment": 0.1, "tol": 1e-4, "offset": "best", "refine": 10}
    return {**listed, "X": clusters(rng, listed["n"], 64), "base": -1 / 64, **how}


@case(PAIRS, "about {n} pairs of a node, 3 directions")
def best_thresholds(rng, n):
    return {**_weighted_pairs(rng, n), "f": 3, "base": -0.25}


@case(PAIRS, "about {n} pairs of a node")
def split_pairs(rng, n):
    return _pairs(rng, n)


@case(PAIRS, "about {n} pairs, 60 leaves")
def meet_pairs(rng, n):
    listed = _pairs(rng, n)
    similar = np.zeros(len(listed["first"]), dtype=np.uint8)
    return {**listed, "leaf": rng.integers(60, size=listed["n"]), "similar": similar, "c": 0.5}


# -------------------------------------------------------------- the forest's rivals: codes, k-means


@case(CODES, "1 query, {n} codes of 512 bits", reads=size_of("X"))
def hamming_distances(rng, n):
    return {"n_Q": 1, "n_X": n, "words": 8}


@case(CODES, "100 nearest of {n} codes of 512 bits", reads=size_of("X"))
def hamming_nearest(rng, n):
    return {"n_Q": 1, "n_X": n, "words": 8, "k": 100}


@case(CODES, "codes within 220 of 512 bits of {n}", reads=size_of("X"))
def hamming_within(rng, n):
    return {"n_X": n, "words": 8, "radii": np.array([220])}


@case(
    POINTS,
    "{n} points of 128 dimensions on 64 directions",
    flops=lambda values: 2 * values["X"].size * values["A"].shape[1],
)
def projections(rng, n):
    return {"n": n, "d": 128, "h": 64}


@case(POINTS, "100 queries, 20 tables of 256 buckets, {n} points")
def bucket_votes(rng, n):
    tables, buckets = 20, 256
    where = rng.integers(0, buckets, (tables, n))
    counts = np.concatenate([np.bincount(row, minlength=buckets) for row in where])
    ends = np.cumsum(counts)
    return {
        "starts": ends - counts,
        "ends": ends,
        "members": np.argsort(where, axis=1, kind="stable").ravel(),
        "buckets": rng.integers(0, buckets, (100, tables)) + buckets * np.arange(tables),
        "n": n,
        "most": 500,
    }


@case(
    POINTS,
    "{n} points of 64 dimensions, 8 centres, 10 rounds",
    flops=lambda values: 2 * values["X"].size * len(values["centres"]) * values["iterations"],
)
def lloyd(rng, n):
    X = rng.normal(size=(n, 64))  # without clusters, so that the centres move in every round
    return {"X": X, "rows": np.arange(n), "centres": X[:8].copy(), "iterations": 10}


@case(POINTS, "100 queries, 4 k-means trees of {n} points of 64 dimensions")
def tree_leaves(rng, n):
    X, Q = around(rng, n, 64, 100)
    trees = kmeans_trees(X, 4, rng=rng, branching=16, iterations=2, kernels=fast())
    return {"trees": trees, "Q": Q}


@case(POINTS, "500 candidates, 100 queries, 4 k-means trees of {n} points")
def best_bin_first(rng, n):
    return {**tree_leaves(rng, n), "most": 500}


# --------------------------------------------------------------------------------- LMNN, ball trees


@case(POINTS, "{n} points of 15 dimensions")
def build_tree(rng, n):
    return {"X": clusters(rng, n, 15)}


@case(POINTS, "3 nearest of {n} x 15, 200 queries")
def tree_nearest(rng, n):
    X, Q = around(rng, n, 15, 200)
    return {"tree": fast().build_tree(X), "Q": Q, "k": 3}


@case(POINTS, "points of {n} x 15 within a distance, 200 queries")
def tree_within(rng, n):
    X = clusters(rng, n, 15)
    Q = X[rng.integers(0, n, 200)] + 0.1 * rng.normal(size=(200, 15))
    return {"tree": fast().build_tree(X), "Q": Q, "limits": np.full(200, 1.5)}


@case(POINTS, "3 nearest of {n} x 15, 200 queries", flops=product)
def scan_nearest(rng, n):
    X, Q = around(rng, n, 15, 200)
    return {"Q": Q, "X": X, "k": 3}


@case(POINTS, "500 points with {n}, 169 dimensions, 10 classes", flops=product)
def impostors(rng, n):
    X = rng.normal(size=(n, 169))
    Q = X[rng.integers(0, n, 500)] + 0.5 * rng.normal(size=(500, 169))
    return {"Q": Q, "X": X, "radii": np.full(500, 230.0)}


@case(POINTS, "10 pairs for each of {n} points of 169 dimensions")
def pair_distances(rng, n):
    return {"n": n, "r": 169, "first": np.repeat(np.arange(n), 10)}


@case(POINTS, "{n} points, 3 targets and 20 pairs each", reads=size_of("pairs"))
def hinge_terms(rng, n):
    return {"targets": rng.random((n, 3)), "pairs": 0.5 + rng.random(20 * n), "h": 0.1}


@case(POINTS, "10 pairs for each of {n} points of 169 dimensions")
def weighted_differences(rng, n):
    return {"n": n, "r": 169, "p": 10 * n, "edge": rng.permutation(10 * n)}


# -------------------------------------------------------------------------------------------- FTUNE


@case(POINTS, "{n} points")
def least_similar(rng, n):
    return {"taken": rng.random(n) < 0.01}


@case((300, 3000, 10_000), "{n} points, 300 pairs of 600 landmarks, 6 slopes")
def transferred_differences(rng, n):
    slopes = np.array([0.5, 1.0, 5.0, 10.0, 50.0, 1000.0])
    return {"K": rng.random((n, 600)), "d": 300, "slopes": slopes}


@case((300, 3000, 10_000), "{n} x 300", reads=size_of("A"))
def matrix_vector(rng, n):
    return {"n": n, "d": 300}


@case((300, 3000, 10_000), "{n} x 300", reads=size_of("A"))
def vector_matrix(rng, n):
    return {"n": n, "d": 300}
