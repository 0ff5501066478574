"""The bounds of memory are the sums of the arrays that their comments list, added up by hand.

That the bounds hold is tested in `test_memory.py`.
"""

import numpy as np
import pytest

from refimpl.boosted_distance import differences
from refimpl.boosted_distance.differences import Differences
from refimpl.boosted_distance.weak_learners import STUMPS
from refimpl.lmnn.memory import bytes_for
from refimpl.search_forest.pairs import MeetingPairs


def test_stumps_of_differences():
    """Of 9 differences, 4 in feature 0 are -2 and leave 5 rows in at most 3 other bins; in feature
    1 two are alike and leave 7 rows, in at most 5 bins. Each row takes 2 bytes, each bin 4, both
    twice: 112. X by class, as one matrix and as float64, and B: 8 * 2 * (3 * 3 + 3) = 192. The
    weights of a round take 96 * 9 = 864, more than sorting. An eighth for gaps, 1024 bytes for
    each feature, and a megabyte.
    """
    B = np.array([[0.0, 1.0], [2.0, 3.0], [2.0, 3.0]])
    positive = Differences(np.array([[0.0, 0.0], [0.0, 1.0]]), B)
    negative = Differences(np.array([[1.0, 5.0]]), B)
    bill = 112 + 192 + 864
    assert STUMPS.memory(positive, negative, threads=1) == bill + bill // 8 + 2 * 1024 + 2**20


def test_stumps_of_vectors_with_more_threads():
    """Of 2 vectors, one is left in one bin in each of three features, and none in the fourth:
    twice 3 * 2 + 3 * 4. Two matrices of 8 * 2 * 4 bytes. Four threads sort four columns of 8 * 2
    bytes, with 24 * 2 each; that is more than a round.
    """
    bill = 2 * 18 + 2 * 64 + 4 * 16 + 4 * 48
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
    54 for neighbours; 4 * (2 * 270 + 26) numbers for the matrices and 96 for the maps.
    """
    numbers = 9 + 140
    points = 174 + 180 + 54
    metrics = 4 * (2 * (2 * 60 + 3 * 40 + 30) + 10 + 16) + 96
    bill = 2**20 + 8 * (points + metrics + 4 * numbers) + 4 * (260 + 48)
    assert bytes_for(3, 2, 1, 2, 4) == bill


@pytest.mark.parametrize("entries", [2, 6])
def test_the_pairs_of_the_search_forest(entries):
    """S has two entries for each pair, and a pair takes 17 bytes."""
    assert MeetingPairs.least_memory(entries) == 17 * {2: 1, 6: 3}[entries]
