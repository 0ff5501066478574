"""The errata of PAPER.md: the printed lines are wrong."""

import numpy as np
import pytest

import refimpl.kernels
from refimpl.ball_trees import impostors
from refimpl.kernels import pair_distances
from refimpl.lmnn.problem import LargeMarginProblem


def test_lm_1_and_lm_3_the_printed_margin_has_no_impostor():
    """As printed each constraint needs slack; corrected, a far x_l needs none under its metric."""
    x_i, x_j, x_l, x_m = (np.array(x) for x in ([0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [3.0, 1.0]))
    M = np.eye(2)

    def d2(M, a, b):
        return (a - b) @ M @ (a - b)

    assert d2(M, x_i, x_i) - d2(M, x_i, x_j) < 1 <= d2(M, x_i, x_l) - d2(M, x_i, x_j)
    X = np.array([x_i, x_j, x_l, x_m])
    targets = np.array([[1], [0], [3], [2]])
    y = np.array([0, 0, 1, 1])
    partition = np.array([0, 0, 1, 1])
    problem = LargeMarginProblem(X, y, targets, 1.0, partition, refimpl.kernels)
    L = np.stack([np.eye(2), 0.1 * np.eye(2)])  # under the metric of x_l's partition it is near
    pairs = set(zip(*(rows.tolist() for rows in problem.impostors(problem.mapped(L))), strict=True))
    assert (0, 2) in pairs and (2, 0) not in pairs


def test_lm_2_the_trace_is_the_square():
    rng = np.random.default_rng(0)
    L = rng.normal(size=(2, 3))
    a = rng.normal(size=3)
    b = rng.normal(size=3)
    C = np.outer(a - b, a - b)
    found = pair_distances(np.stack([L @ a, L @ b]), np.array([0]), np.array([1]))[0]
    assert pytest.approx(found) == np.trace(C @ L.T @ L)
    assert pytest.approx(found) == np.linalg.norm(L @ (a - b)) ** 2


def test_lm_5_printed_impostors_are_all_the_others():
    """x_0 has the target x_1: of the other class only x_2 comes within a unit of it."""
    points = np.array([[0.0], [1.0], [1.2], [9.0]])
    y = np.array([0, 0, 1, 1])
    limit = (points[0] - points[1]) @ (points[0] - points[1]) + 1
    printed = [l for l in (2, 3) if (points[0] - points[0]) @ (points[0] - points[0]) <= limit]
    found = impostors(points, y, np.full(4, limit))
    assert printed == [2, 3] and found.indices[: found.starts[1]].tolist() == [2]
