"""Judges of another choice refuse wrong numbers beside it: by hand, for searches, trees and planes.

Not tested here: choices on the vectors (test_kernels.py), trainings (test_trainings.py).
"""

import numpy as np
import pytest
from asked import differences

import refimpl.kernels
from refimpl.check.comparing import compare
from refimpl.check.files import decoded_cases, folder
from refimpl.check.subject import AGREES, EQUAL_WORTH, NOT_COMPARED, TIE, WRONG
from refimpl.check.subjects import KERNELS
from refimpl.rivals.kmeans_trees import KMeansTrees


def fault_of(name, arguments, **changes):
    """Return the fault of the reference's results with other parts."""
    want = KERNELS[name].run(refimpl.kernels, arguments)
    changes = {part: np.array(value) for part, value in changes.items()}
    return compare(KERNELS[name], arguments, want, {**want, **changes})


def kind_of(name, arguments, **changes):
    fault = fault_of(name, arguments, **changes)
    return None if fault is None else fault.kind


JUDGED = [name for name, kernel in KERNELS.items() if kernel.judge is not None]


@pytest.mark.parametrize("name", JUDGED)
def test_a_judge_finds_the_expected_results_as_good_as_themselves(name):
    for case, arguments, (want,) in decoded_cases(folder(), KERNELS[name]):
        if "large" not in case["flags"]:
            assert KERNELS[name].judge(arguments, want, want) in (AGREES, TIE, EQUAL_WORTH)


def codes(*numbers):
    return np.array(numbers, dtype=np.uint64)[:, np.newaxis]


def test_codes_within_a_radius_stand_beside_their_own_distances():
    """The codes 0 and 1 are 0 and 1 bit from 0; 1 and 2 are both 1 bit from it."""
    near = {"Q": codes(0), "X": codes(0, 1), "radii": np.array([1])}
    assert kind_of("hamming_within", near) is None
    assert kind_of("hamming_within", near, indices=[1, 0]) == WRONG
    tied = {"Q": codes(0), "X": codes(1, 2), "radii": np.array([1])}
    assert kind_of("hamming_within", tied, indices=[1, 0]) == TIE


SQUARE = {
    "X": np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
    "leaf_size": 2,
    "direction": "axis",
}
OTHER = {
    "order": [0, 2, 1, 3],  # divided by the other axis
    "centres": [[0.5, 0.5], [0.5, 0.0], [0.5, 1.0]],
    "low": [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]],
    "high": [[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]],
}


def test_a_tree_of_equal_worth_has_its_own_balls():
    want = KERNELS["build_tree"].run(refimpl.kernels, SQUARE)
    assert want["order"].tolist() == [0, 1, 2, 3]
    assert kind_of("build_tree", SQUARE, **OTHER) == TIE


@pytest.mark.parametrize(
    "part",
    [
        {"radii": [1e9, 0.5, 0.5]},
        {"centres": [[0.5, 0.5], [0.0, 0.5], [1.0, 0.5]]},  # of the expected tree
        {"low": [[0.0, 0.0]] * 3},
    ],
    ids=["radii", "centres", "low"],
)
def test_a_tree_of_equal_worth_with_other_balls_is_wrong(part):
    fault = fault_of("build_tree", SQUARE, **{**OTHER, **part})
    assert fault.kind == WRONG and fault.output.name in part


def test_points_within_a_limit_stand_beside_their_own_squares():
    """The second point is at the limit up to rounding: it may be left out."""
    arguments = {
        "X": np.array([[0.5], [1.0]]),
        "Q": np.array([[0.0]]),
        "limits": np.array([np.nextafter(1.0, 2.0)]),
        "leaf_size": 2,
        "direction": "axis",
        "strict": False,
        "skip": None,
        "bound": "ball",
    }
    near = {"starts": [0, 1], "indices": [0]}
    assert kind_of("tree_within", arguments, **near, squares=[0.25]) == EQUAL_WORTH
    assert kind_of("tree_within", arguments, **near, squares=[-7.0]) == WRONG
    for starts in ([1, 1], [0, 0]):
        changes = {"starts": starts, "indices": [0], "squares": [0.25]}
        assert kind_of("tree_within", arguments, **changes) == WRONG


def test_leaves_of_a_best_bin_first_search():
    """Two leaves, {0} and {1, 2, 3}, whose centres are equally far from the query."""
    trees = KMeansTrees(
        roots=np.array([0]),
        centres=np.array([[0.0], [-1.0], [1.0]]),
        first=np.array([1, 3, 3]),
        last=np.array([3, 3, 3]),
        starts=np.array([0, 0, 1]),
        ends=np.array([4, 1, 4]),
        members=np.arange(4),
    )
    arguments = {"trees": trees, "Q": np.array([[0.0]]), "most": 4}
    want = KERNELS["best_bin_first"].run(refimpl.kernels, arguments)
    assert want["indices"].tolist() == [[0, 1, 2, 3]] and want["opened"].tolist() == [[0, 1, 1, 1]]
    second_first = {"indices": [[1, 2, 3, 0]]}
    fault = fault_of("best_bin_first", arguments, **second_first, opened=[[0, 0, 0, 1]])
    assert fault.kind == NOT_COMPARED and fault.words.endswith("not compared: opened")
    for opened in ([0, 1, 1, 1], [-7] * 4, [0, 0, 0, 9], [2, 2, 2, 1]):
        assert kind_of("best_bin_first", arguments, **second_first, opened=[opened]) == WRONG


@pytest.mark.parametrize(("p", "b"), [(np.nan, np.nan), (0.0, 0.0), (1e308, np.inf)])
def test_a_plane_must_be_one(p, b):
    def best_plane(*arguments, **options):
        direction, _, left = refimpl.kernels.best_plane(*arguments, **options)
        return np.full_like(direction, p), b, left

    found = differences("best_plane", best_plane)
    assert found and {one.kind for one in found} == {WRONG}
