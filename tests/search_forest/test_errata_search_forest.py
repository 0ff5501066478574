"""Each corrected line of search_forest/PAPER.md: the printed one is wrong."""

import math

import numpy as np
import oracles_forest
import pytest
import scipy.sparse

from refimpl.search_forest import algorithm, search_forest
from refimpl.search_forest.algorithm import best_c
from refimpl.search_forest.pairs import DensePairs


def test_bsf_1_the_printed_c_is_not_the_minimum():
    """Eq. 14 with P_w[t = 1, s = 1] = 0.09, [1, 0] = 0.02, [0, 1] = 0.4 and the rest."""
    lam, met, wrong, missed = 0.3, 90.0, 20.0, 400.0

    def loss(c):
        return math.exp(-c * (1 - lam)) * met + math.exp(c * lam) * wrong

    c = best_c(met, wrong, lam)
    printed = math.log((1 - lam) * met / (lam * missed))
    assert c == pytest.approx(oracles_forest.best_c(met, wrong, lam), abs=1e-6)
    assert loss(c) < loss(printed) and loss(c) <= min(map(loss, (0, c - 0.01, c + 0.01)))


def test_bsf_2_the_printed_update_favours_what_was_wrong():
    """Two dissimilar points that have met weigh more by eq. 10, and less by line 4 as printed."""
    S = scipy.sparse.csr_matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    lam = 0.3
    c = 0.8
    pairs = DensePairs(S, lam)
    pairs.meet(np.array([0, 0, 0]), c)
    w = pairs.weights()
    assert w[0, 1] == pytest.approx(oracles_forest.weight(c, True, lam)) and w[0, 1] < 1
    assert w[0, 2] == pytest.approx(oracles_forest.weight(c, False, lam)) and w[
        0, 2
    ] > 1 > math.exp(-c)


def test_bsf_3_c_is_neither_negative_nor_infinite():
    assert best_c(1.0, 90.0, 0.3) == 0 and (0.7 * 1.0) / (0.3 * 90.0) < 1
    assert best_c(90.0, 0.0, 0.3) == pytest.approx(math.log(0.7 * 90 / 0.3))
    points = np.array([[0.0], [0.1], [9.0], [9.1]])
    similar = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    forest = search_forest(points, similar, 3, 0.5, rng=np.random.default_rng(0))
    assert (forest.c > 0).all() and np.isfinite(forest.c).all() and forest.history[0, 2] == 0


def test_bsf_4_c_is_one_number_for_all_pairs():
    """Of one pair t and s are certain, and eq. 14 is least at 0 or infinity; c is of all pairs."""
    lam = 0.1
    leaf = np.array([0, 0, 0, 0, 1, 1])
    n = 6
    s = np.zeros((n, n), dtype=bool)
    s[[0, 1, 2, 4, 0], [1, 0, 0, 5, 5]] = True
    t = algorithm.tree_selection(leaf, leaf)
    w = np.where(np.eye(n), 0.0, 1.0)
    similar, dissimilar = algorithm.masses(w, t, s)

    def loss(c, met, wrong):
        return math.exp(-c * (1 - lam)) * met + math.exp(c * lam) * wrong

    for i, j in oracles_forest.pairs(n):
        terms = float(t[i, j] and s[i, j]), float(t[i, j] and not s[i, j])
        assert terms in ((1, 0), (0, 1), (0, 0))
        slope = loss(1.0, *terms) - loss(0.0, *terms)
        # falls for ever, rises from 0 on, or does not depend on c
        assert np.sign(slope) == terms[1] - terms[0]
    c = best_c(similar, dissimilar, lam)
    assert (similar, dissimilar) == oracles_forest.masses(
        leaf.tolist(), np.zeros((n, n)), s.astype(int), lam
    )
    assert 0 < c < math.inf and c == pytest.approx(
        oracles_forest.best_c(similar, dissimilar, lam), abs=1e-6
    )
