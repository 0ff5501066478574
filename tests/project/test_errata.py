"""Each corrected line of ERRATA.md: the printed one is wrong."""

import math

import numpy as np
import oracles_forest
import pytest
import scipy.sparse

import refimpl.kernels
from refimpl.ball_trees import impostors
from refimpl.kernels import pair_distances
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.search_forest import best_c, search_forest
from refimpl.search_forest.pairs import DensePairs


def test_lm_5_printed_impostors_are_all_the_others():
    """x_0 has x_1 for a target: of the points of the other class only x_2 comes within a unit of it."""
    points, y = np.array([[0.0], [1.0], [1.2], [9.0]]), np.array([0, 0, 1, 1])
    limit = (points[0] - points[1]) @ (points[0] - points[1]) + 1
    printed = [l for l in (2, 3) if (points[0] - points[0]) @ (points[0] - points[0]) <= limit]
    found = impostors(points, y, np.full(4, limit))
    assert printed == [2, 3] and found.indices[: found.starts[1]].tolist() == [2]


def test_lm_1_and_lm_3_the_printed_margin_has_no_impostor():
    """As printed no constraint could be met without slack; corrected, a far x_l needs none, and its metric counts."""
    x_i, x_j, x_l, x_m = (np.array(x) for x in ([0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [3.0, 1.0]))
    M = np.eye(2)

    def d2(M, a, b):
        return (a - b) @ M @ (a - b)

    assert d2(M, x_i, x_i) - d2(M, x_i, x_j) < 1 <= d2(M, x_i, x_l) - d2(M, x_i, x_j)
    X, targets = np.array([x_i, x_j, x_l, x_m]), np.array([[1], [0], [3], [2]])
    y, partition = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])
    problem = LargeMarginProblem(X, y, targets, 1.0, partition, refimpl.kernels)
    L = np.stack([np.eye(2), 0.1 * np.eye(2)])  # under the metric of x_l's partition it is near
    pairs = set(zip(*(rows.tolist() for rows in problem.impostors(L)), strict=True))
    assert (0, 2) in pairs and (2, 0) not in pairs


def test_lm_2_the_trace_is_the_square():
    rng = np.random.default_rng(0)
    L, a, b = rng.normal(size=(2, 3)), rng.normal(size=3), rng.normal(size=3)
    C = np.outer(a - b, a - b)
    found = pair_distances(np.stack([L @ a, L @ b]), np.array([0]), np.array([1]))[0]
    assert np.trace(C @ L.T @ L) == pytest.approx(found) == pytest.approx(np.linalg.norm(L @ (a - b)) ** 2)


def test_bsf_1_the_printed_c_is_not_the_minimum():
    """Equation 14 with P_w[t = 1, s = 1] = 0.09, [1, 0] = 0.02, [0, 1] = 0.4; the rest has t = 0 and s = 0."""
    lam, met, wrong, missed = 0.3, 90.0, 20.0, 400.0

    def loss(c):
        return math.exp(-c * (1 - lam)) * met + math.exp(c * lam) * wrong

    c, printed = best_c(met, wrong, lam), math.log((1 - lam) * met / (lam * missed))
    assert c == pytest.approx(oracles_forest.best_c(met, wrong, lam), abs=1e-6)
    assert loss(c) < loss(printed) and loss(c) <= min(map(loss, (0, c - 0.01, c + 0.01)))


def test_bsf_2_the_printed_update_favours_what_was_wrong():
    """Two dissimilar points that have met weigh more than before by eq. 10, and less by line 4 as printed."""
    S, lam, c = scipy.sparse.csr_matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), 0.3, 0.8
    pairs = DensePairs(S, lam)
    pairs.meet(np.array([0, 0, 0]), c)
    w = pairs.weights()
    assert w[0, 1] == pytest.approx(oracles_forest.weight(c, True, lam)) and w[0, 1] < 1
    assert w[0, 2] == pytest.approx(oracles_forest.weight(c, False, lam)) and w[0, 2] > 1 > math.exp(-c)


def test_bsf_3_c_is_neither_negative_nor_infinite():
    assert best_c(1.0, 90.0, 0.3) == 0 and (0.7 * 1.0) / (0.3 * 90.0) < 1
    assert best_c(90.0, 0.0, 0.3) == pytest.approx(math.log(0.7 * 90 / 0.3))
    points, similar = np.array([[0.0], [0.1], [9.0], [9.1]]), [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    forest = search_forest(points, similar, 3, 0.5, rng=np.random.default_rng(0))
    assert (forest.c > 0).all() and np.isfinite(forest.c).all() and forest.history[0, 2] == 0
