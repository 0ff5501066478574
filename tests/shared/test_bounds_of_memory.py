"""The bounds of memory are the sums of the arrays that their comments list, added up by hand.

That the bounds hold is tested in `test_memory.py`.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from refimpl.boosted_distance import weak_learners as differences
from refimpl.boosted_distance.weak_learners import STUMPS, Differences
from refimpl.boostmap import BoostMapOptions
from refimpl.boostmap.training import second_phase_bytes
from refimpl.ftune.training import training_bytes
from refimpl.lmnn import LMNNOptions
from refimpl.lmnn import arguments as lmnn_memory
from refimpl.lmnn.arguments import (
    as_request,
    bytes_for,
    bytes_of_validation,
    pairs_of_classes,
    room_for_pairs,
)
from refimpl.search_forest import ForestOptions
from refimpl.search_forest.pairs import DENSE_BYTES, MeetingPairs
from refimpl.search_forest.training import memory_bytes


def test_stumps_of_differences():
    """Of 9 differences, 4 in feature 0 are -2 and leave 5 rows in at most 3 other bins; in feature
    1 two are alike and leave 7 rows, in at most 5 bins. Each row takes 2 bytes, each bin 4, both
    twice: 112. X by class, as one matrix and as float64, and B: 8 * 2 * (3 * 3 + 3) = 192. The
    numbers of their values: 12 * 2 * 6 = 144. The weights of a round take 96 * 9 and 8 * 9 for a
    thread, 936, more than sorting. An eighth for gaps, 1024 bytes for each feature, and a megabyte.
    """
    B = np.array([[0.0, 1.0], [2.0, 3.0], [2.0, 3.0]])
    positive = Differences(np.array([[0.0, 0.0], [0.0, 1.0]]), B)
    negative = Differences(np.array([[1.0, 5.0]]), B)
    bill = 112 + 192 + 144 + 936
    assert STUMPS.memory(positive, negative, threads=1) == bill + bill // 8 + 2 * 1024 + 2**20


def test_stumps_of_vectors_with_more_threads():
    """Of 2 vectors, one is left in one bin in each of three features, and none in the fourth:
    twice 3 * 2 + 3 * 4. Two matrices of 8 * 2 * 4 bytes. Four threads sort four columns of 8 * 2
    bytes, with 40 * 2 each; that is more than a round.
    """
    bill = 2 * 18 + 2 * 64 + 4 * 16 + 4 * 80
    memory = STUMPS.memory(np.zeros((1, 4)), np.array([[1.0, 1.0, 1.0, 0.0]]), threads=4)
    assert memory == bill + bill // 8 + 4 * 1024 + 2**20


def test_the_array_of_all_differences(monkeypatch):
    """2 times 3 differences of 4 numbers of 8 bytes."""
    asked = []
    monkeypatch.setattr(differences, "check_free_memory", lambda *what: asked.append(what[0]))
    np.asarray(Differences(np.ones((2, 4)), np.ones((3, 4))))
    assert asked == [192]


def test_lmnn():
    """3 points in 2 dimensions, a target each, 2 metrics, 4 pairs: 9 numbers of distances and
    2 * 7 * 10 of differences; 3 * 2 * (12 + 12 + 5) numbers for the points, 180 for their lists,
    54 for neighbours; 4 * (2 * 150 + 26) numbers for the matrices and 96 for the maps.
    """
    numbers = 9 + 140
    points = 174 + 180 + 54
    metrics = 4 * (2 * (2 * 30 + 3 * 20 + 30) + 10 + 16) + 96
    bill = 2**20 + 8 * (points + metrics + 4 * numbers) + 4 * (260 + 56)
    assert bytes_for(3, 2, 1, 2, 4) == bill


@pytest.mark.parametrize("entries", [2, 6])
def test_the_pairs_of_the_search_forest(entries):
    """S has two entries for each pair, and a pair takes 17 bytes."""
    assert MeetingPairs.least_memory(entries) == 17 * {2: 1, 6: 3}[entries]


def test_the_nodes_of_the_search_forest():
    """Twice as many trees and nothing else: 4 leaves with two float64 planes of 3 dimensions and
    600 bytes each, 4096 bytes, and 4 rows. One tree and what is not a tree's: 16 weights of the
    dense problem; 4 waiting leaves; the points of a node, 48 * 4 * 4 + 64 * 4; a basis of 4 and 8
    vectors of 4 numbers.
    """
    options = ForestOptions(pairs="dense", max_depth=2)
    one, two = (memory_bytes(np.zeros((4, 3)), 8, M, 0.1, options) for M in (1, 2))
    tree = 4 * (2 * 3 * 8 + 600) + 4096 + 32
    assert two - one == tree
    weights = memory_bytes(np.zeros((4, 3)), 8, 1, 0.1, options) - (
        tree + 4 * 800 + 1024 + 8 * 12 * 4 + 2**17
    )
    assert weights == DENSE_BYTES * 16


def test_the_second_phase_of_boostmap():
    """2 objects, 4 thresholds: 15 ranges and 6 more, four columns each; 3 classifiers and 6
    splitters, 200 bytes for 8 numbers of each; 10 triples.
    """
    options = BoostMapOptions(n_thresholds=4, ranges_by="Z", splitters="both", query_sensitive=1)
    ranges = 21
    bill = 8 * 2 * (3 + 30) + 8 * 2 * 4 * ranges + 200 * 6 * 8 + 300 * ranges + 240
    assert second_phase_bytes(2, 10, 3, options) == bill + bill // 10


def test_ftune():
    """4 objects and 5 of validation, 3 landmarks, 2 problems of 2 pairs, 3 functions, 2 values of
    C. A problem has 3 * 9 * 2 features, 5 * 4 * 3 rows, factors of 6 * 9, 32 * 4 for the steps and
    12 that BLAS copies; there is one at a time.
    """
    arguments = SimpleNamespace(
        codes=np.zeros(4), validation_codes=np.zeros(5), landmarks=range(3), plus=np.zeros((2, 2))
    )
    how = SimpleNamespace(family=(1.0, 2.0, 3.0), C=np.ones(2), threads=1)
    problem = 54 + 60 + 54 + 128 + 12
    results = 2 * 3 * 2 * (2 * 3 + 3 * 5)
    labels = 10 * 9 + 6 * 2 * 2
    objects = 2**12 * (16 + 2 * (4 + 3 * 2))
    assert training_bytes(arguments, how) == 8 * (27 + problem + results + labels) + objects


def test_a_validation_set_of_lmnn():
    """2 queries: 16 numbers for each of 3 dimensions, 8 for each of 2 * 2 neighbours, and 60; and
    three times the 2 * 5 distances.
    """
    request = SimpleNamespace(validation=SimpleNamespace(Q=np.zeros((2, 3))), shape=(5, 3, 2, 2))
    assert bytes_of_validation(request) == 8 * (2 * (16 * 3 + 8 * 4 + 60) + 3 * 10)


def test_the_pairs_that_the_free_memory_has_room_for(monkeypatch):
    """6 points in 2 dimensions with a target each take 8 * 6 * (4 + 5) bytes, a pair 316."""
    X, y = np.arange(12.0).reshape(6, 2), np.arange(6) % 2
    request = as_request(X, y, 1, 1.0, None, None, LMNNOptions(), None, None, None, None, None)
    for free, pairs in ((432 + 3 * 316, 3), (432 + 4 * 316 - 1, 3)):
        monkeypatch.setattr(lmnn_memory, "free_memory", lambda free=free: free)
        assert room_for_pairs(request).pairs == pairs


def test_the_pairs_of_different_classes():
    """Classes of 3, 2 and 1 points: 3 * 3 + 2 * 4 + 1 * 5 ordered pairs."""
    assert pairs_of_classes(np.array([0, 1, 0, 2, 1, 0])) == 22
