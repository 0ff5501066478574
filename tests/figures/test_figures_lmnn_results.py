"""The rows of LMNN's figures: results of tasks that are written down here, rows computed by hand.

Not here: the tasks (test_figures_lmnn.py) and the drawings (test_figures_lmnn_plots.py).
"""

import pytest

from paper_figures.lmnn import results
from paper_figures.tasks import Context, Result

PAPER = Context(scale="paper")
SMALL = Context()


def row(keys, ours, published=None, why=None, std=None, **more):
    reason = {} if why is None else {"why": why}
    return keys | {"published": published, "ours": ours, "std": std} | more | reason


def test_figure_1_gives_the_bound_and_both_distances():
    value = {"bound": 1.5, "least": 2.25, "neighbour_distance": 0.75, "radius": 3.0}
    gathered = results.figure1(PAPER, [Result("ball", {}, value)])
    assert gathered.rows == [
        row({"quantity": "bound of eq. 7"}, 1.5),
        row({"quantity": "least distance to a point of the ball"}, 2.25),
        row({"quantity": "distance to the nearest point of all"}, 0.75),
    ]
    assert gathered.drawing == value


def test_figure_3_gives_three_errors_and_angles():
    value = {"several": 1.234, "one": 5.0, "euclidean": 7.006, "points": [[[0.0, 1.0]]]}
    value |= {"centres": [[0.0, 0.0], [1.0, 1.0]]}
    value |= {"metrics": [[[3.0, 0.0], [0.0, 1.0]], [[2.0, -1.0], [-1.0, 2.0]]]}
    gathered = results.figure3(PAPER, [Result("ellipsoids", {"digits": (0, 4)}, value)])
    assert gathered.rows == [
        row({"quantity": "leave-one-out error, one metric for each digit (%)"}, 1.23),
        row({"quantity": "leave-one-out error, one metric (%)"}, 5.0),
        row({"quantity": "leave-one-out error, Euclidean (%)"}, 7.01),
        row({"quantity": "digit 0, degrees from the line to the nearest centre"}, 45.0),
        row({"quantity": "digit 4, degrees from the line to the nearest centre"}, 90.0),
    ]
    assert gathered.drawing == value | {"digits": (0, 4)}


@pytest.mark.parametrize(
    ("reduce", "keys"),
    [(results.figure1, {"quantity": "all"}), (results.figure3, {"quantity": "all"})],
)
def test_a_figure_of_one_task_says_why_it_is_empty(reduce, keys):
    gathered = reduce(PAPER, [Result("t", {}, None, "no such file")])
    assert gathered.rows == [row(keys, None, status="not available", why="no such file")]
