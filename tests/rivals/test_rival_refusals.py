"""What the rivals refuse, by the name of the argument, and before any work.

Not tested here: integers, numbers and choices that none of them takes (tests/promises).
"""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy
from oracles_embeddings import odd_matrix

from refimpl.rivals import lipschitz as lip
from refimpl.rivals import nearest_neighbor as nn
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.candidates import Candidates, recall
from refimpl.rivals.dboost import dboost
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.hamming_scan import hamming_scan, pack_bits
from refimpl.rivals.kmeans_trees import KMeansTrees, kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.metricmap import metricmap
from refimpl.rivals.nda import nonparametric_discriminant_analysis as nda
from refimpl.rivals.rotated_scan import rotated_scan
from refimpl.rivals.sparsemap import sparsemap
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.spaces import PrecomputedSpace

RNG = np.random.default_rng(0)
X = np.arange(8.0).reshape(4, 2) ** 2
y = [0, 0, 1, 1]
EYE = np.eye(4)
ZEROS = np.zeros((3, 2))
CODES = np.zeros((3, 2), dtype=np.uint64)
SPACE = PrecomputedSpace(odd_matrix(4))
SIX = PrecomputedSpace(odd_matrix(6))
NOWHERE = PrecomputedSpace(np.zeros((3, 3)))
FAR, NEAR = (PrecomputedSpace(odd_matrix(6) * unit) for unit in (1e160, 1e-160))
TREES = kmeans_trees(ZEROS, rng=RNG)
TABLES = lsh(ZEROS, 1, 1, 1.0, rng=RNG)
FOUND = TABLES.candidates(ZEROS)
TWICE = Candidates(np.array([0, 3]), np.array([5, 5, 5]), np.zeros(3, dtype=int))
LINES = lip.lipschitz(SPACE, [0, 3])
STUMPS = adaboost_classifier(X, y, 5)
NDA = nda(X, y, k=1)
GAUSSIAN = nn.fit_distance("Mah-CD", X, y)
DBOOST = dboost(EYE, y, 1, rng=np.random.default_rng(0))


def nearest(Q, X=X, y=y):
    return nn.nearest_neighbor(GAUSSIAN, Q, X, y)


def fit(X=X, y=y, name="L2", **options):
    return nn.fit_distance(name, X, y, **options)


def boosted(K=EYE, y=y, T=2, rng=RNG, **more):
    return dboost(K, y, T, rng=rng, **more)


def candidates(starts, indices, scores):
    return Candidates(np.array(starts), np.array(indices), np.zeros(scores, dtype=int))


def own_child():
    """There are no more children than nodes: the first fault is that a child comes too early."""
    zero, unit = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    return KMeansTrees(zero, np.zeros((1, 1)), zero, unit, zero, unit, zero)


VALUES = [
    # nearest neighbours
    (lambda: rotated_scan([[0, 1e200]], X, 1), r"Q must hold values within 1e140.*; got 1e\+200"),
    (lambda: fit(name="Mah", log_det=True), "log_det"),
    (lambda: nearest(np.ones((2, 3))), r"Q must .*got 3"),
    (lambda: nearest(np.ones((2, 3)), np.ones((4, 3))), r"X must .*got 3"),
    (lambda: nearest(X, X, [0, 0, 1, 5]), r"y must .*got .*5"),
    (lambda: nearest([[1e200, 0.0]]), "Q and X must have finite distances; got inf"),
    (lambda: nn.pairwise(fit(), [[1e200, 0.0]], X, y), "Q and X must have finite distances"),
    # discriminant analysis
    (lambda: nda(X, [0, 0, 0, 0]), r"y must .*got 1"),
    (lambda: nda(X, y), "at least 3 vectors of each class with k=3; got 2 of class 0"),
    (lambda: nda(X, [0, 0, 0, 1], k=1), "at least 2 vectors"),
    (lambda: NDA.transform(np.ones((1, 3))), r"X must .*got 3"),
    (lambda: NDA.transform(X, 9), r"n_components must .*got 9"),
    # boosting
    (lambda: adaboost_classifier(X[:3], [0, 1, 2], 5), r"y must .*got 3"),
    (lambda: adaboost_classifier(X[:3], [0, 0, 0], 5), r"y must .*got 1"),
    (lambda: STUMPS.staged_predict(X, [6]), r"rounds must .*got 6"),
    (lambda: STUMPS.staged_predict(X, [0]), r"rounds must .*got 0"),
    (lambda: STUMPS.predict(X[:, :1]), r"Q must .*got 1"),
    (lambda: boosted(y=5), r"y must hold one label for each vector, shape \(n,\); got shape \(\)"),
    (lambda: boosted(y=[0, 0, 0, 0]), "y must .*got 1"),
    (lambda: boosted(y=[0, 1]), "as many"),
    (lambda: boosted(K=np.zeros((2, 3))), "square"),
    (lambda: DBOOST.decision(EYE), r"S must have shape \(k, 2\), .*; got \(4, 4\)"),
    (lambda: DBOOST.decision([[np.nan, 0.0]]), "S must hold finite numbers"),
    (lambda: DBOOST.predict(EYE, EYE, 3), "rounds must be at most 1, .*got 3"),
    (lambda: DBOOST.predict(EYE, EYE, -1), "rounds must .*got -1"),
    # hash tables, candidates
    (lambda: lsh(ZEROS, 1, 1, 1.0, rng=RNG, p=3), r"p must .*got 3"),
    (lambda: lsh([[1e141]], 1, 1, 1.0, rng=RNG), "X must hold values within 1e140"),
    (lambda: lsh([[1e30]], 1, 1, 1.0, rng=RNG), "X must have projections"),
    (lambda: TABLES.candidates(np.zeros((1, 3))), r"Q must .*got 3"),
    (lambda: TABLES.candidates([[1e30, 0.0]]), "Q must have projections"),
    (lambda: TABLES.candidates(ZEROS, 0), r"n_candidates must .*got 0"),
    (lambda: TABLES.truncated(2), r"n_tables must .*got 2"),
    (lambda: FOUND.head(-1), "n_candidates must .*got -1"),
    (lambda: candidates([0, 2], [0], 1), "starts must rise"),
    (lambda: candidates([0, 1], [0], 2), "starts, indices and scores must be of shapes"),
    (lambda: candidates([0, 1], [-2], 1), "indices must be integers"),
    (lambda: candidates([0, 1], [1.0], 1), "indices must be integers"),
    (lambda: recall(FOUND, [[0]], [1]), "neighbors must .*; got"),
    (lambda: recall(FOUND, np.zeros((3, 0), dtype=int), [1]), "neighbors must .*; got"),
    (lambda: recall(FOUND, [[0], [0], [0]], [-1]), "counts must .*got -1"),
    (lambda: recall(TWICE, [[5, 6, 7]], [3]), "candidates must .*once.*got 5 twice for query 0"),
    (lambda: recall(TWICE.head(1), [[6, 5, 5]], [3]), "neighbors must .*once.*got 5 twice for qu"),
    (lambda: recall(TWICE.head(1), [[-1, -1]], [3]), "neighbors must hold"),
    (lambda: recall(TWICE.head(1), [[5, -2]], [3]), "neighbors must hold integers from 0, or -1"),
    # k-means trees
    (lambda: kmeans_trees([[1e141]], rng=RNG), "X must hold values within 1e140"),
    (lambda: TREES.candidates(np.zeros((1, 3)), 1), r"Q must .*got 3"),
    (lambda: TREES.candidates(ZEROS, 0), r"n_candidates must .*got 0"),
    (lambda: TREES.truncated(2), r"n_trees must .*got 2"),
    (own_child, "must give children that come after their node"),
    # codes
    (lambda: spectral_hashing(np.ones((4, 2)), 3), "X must hold different vectors"),
    (lambda: spectral_hashing([[1.0, 2.0]], 3), "X must hold different vectors"),
    (lambda: spectral_hashing(np.full((4, 2), 0.1), 3), "X must hold different vectors"),
    (lambda: spectral_hashing([[1e141], [0.0]], 3), "X must hold values within 1e140"),
    (lambda: spectral_hashing(X, 3).encode(np.ones((1, 3))), "X must .*got 3"),
    (lambda: pack_bits(np.zeros(3, dtype=bool)), "bits must .*; got"),
    (lambda: pack_bits(np.zeros((3, 0), dtype=bool)), "bits must .*; got"),
    (lambda: hamming_scan(CODES, CODES[:0], 1), "X must .*; got"),
    (lambda: hamming_scan(CODES, CODES[0], 1), "X must .*; got"),
    (lambda: hamming_scan(CODES[:, :1].copy(), CODES, 1), "Q must .*got 1"),
    # embeddings
    (lambda: lip.random_singletons(SPACE, 5, rng=RNG), r"d must .*got 5"),
    (lambda: lip.random_sets(SPACE, [2, 5], rng=RNG), r"sizes must .*got 5"),
    (lambda: lip.random_sets(SPACE, [2, 0], rng=RNG), r"sizes\[1\] must .*got 0"),
    (lambda: lip.random_sets(SPACE, [], rng=RNG), r"sizes must hold .*got none"),
    (lambda: lip.lipschitz(SPACE, []), r"sets must hold .*got none"),
    (lambda: lip.lipschitz(SPACE, [[0], []]), r"sets\[1\] must hold .*got none"),
    (lambda: lip.lipschitz(SPACE, [[0], [1, 4]]), r"sets\[1\] must .*got 4"),
    (lambda: lip.bourgain(SPACE, rng=RNG, subset=[]), r"subset must hold .*got none"),
    (lambda: lip.bourgain(SPACE, rng=RNG, subset=[1, 1]), r"subset must .*got an index twice"),
    (lambda: lip.bourgain(SPACE, rng=RNG, subset=[1]), "at least two objects"),
    (lambda: lip.bourgain(SPACE, rng=RNG, smallest=3), r"smallest must .*got 3"),
    (lambda: LINES.pairwise(X, X, p=0.5), r"p must .*got 0\.5"),
    (lambda: sparsemap(SPACE, 1, rng=RNG, d=5), r"d must .*got 5"),
    (lambda: sparsemap(NOWHERE, 1, rng=RNG, d=2), "sampled pairs must have a distance above 0"),
    (lambda: sparsemap(FAR, 1, rng=RNG), r"space must have distances within .*; got .*e\+160"),
    (lambda: sparsemap(NEAR, 1, rng=RNG), "space must have distances within .*; got .*e-160"),
    (lambda: fastmap(NOWHERE, 2, rng=RNG), "objects at a distance above 0"),
    (lambda: metricmap(SIX, 6, rng=RNG), r"d must .*got 6"),
    (lambda: metricmap(SIX, 2, rng=RNG, sample_size=2), r"sample_size must .*got 2"),
    (lambda: metricmap(SIX, 2, rng=RNG, sample_size=7), r"sample_size must .*got 7"),
    (lambda: metricmap(NOWHERE, 1, rng=RNG), "the sample must have a distance above 0"),
]
TYPES = [
    (lambda: adaboost_classifier(X, y, 5, kernels=SimpleNamespace()), r"lacks .*presort"),
    (lambda: boosted(y=scipy.sparse.csr_matrix([y])), "y must be dense"),
    (lambda: recall(FOUND, [[0.0]] * 3, [1]), r"neighbors must .*got dtype float64"),
    (lambda: recall([1], [[0]], [1]), r"candidates must .*got a list"),
    (lambda: recall(FOUND, [[0]] * 3, 1), "counts must be a list of integers; got 1"),
    (lambda: lip.random_sets(SPACE, 2, rng=RNG), "sizes must be a list of integers; got 2"),
    (lambda: lip.lipschitz(SPACE, 0), "sets must be a list of index lists; got 0"),
    (lambda: TREES.colliding(ZEROS, kernels="fast"), "kernels"),
    (lambda: pack_bits(np.zeros((3, 2))), "bits must .*got dtype float64"),
    (lambda: hamming_scan(CODES, CODES.astype(np.int64), 1), "X must .*got dtype int64"),
]
ALL = [TABLES.candidates, TREES.candidates, TREES.colliding]
REFUSED = [(ValueError, *case) for case in VALUES] + [(TypeError, *case) for case in TYPES]


@pytest.mark.parametrize("error, call, message", REFUSED, ids=lambda part: "")
def test_refused(error, call, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("search", ALL, ids=["lsh", "best-bin-first", "colliding"])
def test_more_candidates_than_points_are_all(search):
    """Also more than a kernel could count."""
    assert search(ZEROS, 2**70) == search(ZEROS, len(ZEROS))
