"""Choices by hand that no planted fault meets: which another choice is as good, which is wrong, and
wrong numbers beside it; numbers and reports.

Not tested here: choices on the vectors (test_planted_faults.py), trainings (test_trainings.py).
"""

import json

import numpy as np
import pytest
from asked import differences

import refimpl.kernels
from refimpl.check.comparing import compare, first_fault
from refimpl.check.files import cases_of
from refimpl.check.reports import Report
from refimpl.check.subject import Case, Kind
from refimpl.check.subjects import KERNELS, TRAININGS
from refimpl.check.subjects import search_forest as trainings
from refimpl.rivals.kmeans_trees import KMeansTrees

TIE, EQUAL_WORTH, NOT_COMPARED, WRONG = Kind.TIE, Kind.EQUAL_WORTH, Kind.NOT_COMPARED, Kind.WRONG


def codes(*numbers):
    return np.array(numbers, dtype=np.uint64)[:, np.newaxis]


# the codes 0 and 1 are 0 and 1 bit from 0; 1 and 2 are both 1 bit from it
NEAR = {"Q": codes(0), "X": codes(0, 1), "radii": np.array([1])}
TIED = {"Q": codes(0), "X": codes(1, 2), "radii": np.array([1])}
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
OF_THE_EXPECTED = [[0.5, 0.5], [0.0, 0.5], [1.0, 0.5]]
# the second point is at the limit up to rounding: it may be left out
WITHIN = {
    "X": np.array([[0.5], [1.0]]),
    "Q": np.array([[0.0]]),
    "limits": np.array([np.nextafter(1.0, 2.0)]),
    "leaf_size": 2,
    "direction": "axis",
    "strict": False,
    "skip": None,
    "bound": "ball",
}
# from 0 to 1 and -1 it is the radius up to rounding; the point -1 is of the same class
RADII = {
    "Q": np.array([[0.0]]),
    "X": np.array([[-1.0], [0.5], [1.0], [2.0]]),
    "radii": np.array([np.nextafter(1.0, 2.0)]),
    "classes_Q": np.array([0]),
    "classes_X": np.array([0, 1, 1, 1]),
}
SMALL = {**RADII, "X": RADII["X"] * 1e-10, "radii": RADII["radii"] * 1e-20}
# two leaves, {0} and {1, 2, 3}, whose centres are equally far from the query
TREES = KMeansTrees(
    roots=np.array([0]),
    centres=np.array([[0.0], [-1.0], [1.0]]),
    first=np.array([1, 3, 3]),
    last=np.array([3, 3, 3]),
    starts=np.array([0, 0, 1]),
    ends=np.array([4, 1, 4]),
    members=np.arange(4),
)
BINS = {"trees": TREES, "Q": np.array([[0.0]]), "most": 4}
SECOND_FIRST = {"indices": [[1, 2, 3, 0]]}
# three points on a line; each pair of neighbours weighs 1, the pair of the ends -3
LINE = {
    "A": np.array([[0.0], [1.0], [2.0]]),
    "first": np.array([0, 0, 1], dtype=np.int32),
    "second": np.array([1, 2, 2], dtype=np.int32),
    "v": np.array([1.0, -3.0, 1.0]),
    "base": 0.0,
}
# one query, one tree, two items of the same score
ITEMS = {
    "words": np.array([[0]], dtype=np.int32),
    "starts": np.array([0, 2]),
    "items": np.array([0, 1], dtype=np.int32),
    "c": np.array([1.0]),
    "alive": np.array([True, True]),
    "most": 2,
}
STUMP = {
    "A": np.array([[0.0, 0.0], [1.0, 0.0]]),
    "B": None,
    "w": np.array([0.5, 0.5]),
    "l": np.array([True, False]),
}
ONE = {"starts": [0, 1], "indices": [0], "squares": [0.25]}


@pytest.mark.parametrize(
    ("kernel", "arguments", "changes", "kind"),
    [
        ("hamming_within", NEAR, {}, None),
        ("hamming_within", NEAR, {"indices": [1, 0]}, WRONG),
        ("hamming_within", TIED, {"indices": [1, 0]}, TIE),
        ("build_tree", SQUARE, {}, None),
        ("build_tree", SQUARE, OTHER, TIE),
        ("build_tree", SQUARE, {**OTHER, "radii": [1e9, 0.5, 0.5]}, WRONG),
        ("build_tree", SQUARE, {**OTHER, "centres": OF_THE_EXPECTED}, WRONG),
        ("build_tree", SQUARE, {**OTHER, "low": [[0.0, 0.0]] * 3}, WRONG),
        ("tree_within", WITHIN, ONE, EQUAL_WORTH),
        ("tree_within", WITHIN, {**ONE, "squares": [-7.0]}, WRONG),
        ("tree_within", WITHIN, {**ONE, "starts": [1, 1]}, WRONG),
        ("tree_within", WITHIN, {**ONE, "starts": [0, 0]}, WRONG),
        ("tree_within", WITHIN, {**ONE, "starts": [0, 1, 1]}, WRONG),
        ("tree_within", WITHIN, {**ONE, "starts": [1, 2]}, WRONG),
        ("tree_within", WITHIN, {"starts": [0, 1]}, WRONG),
        ("tree_within", WITHIN, {"indices": [1, 0]}, WRONG),
        ("tree_within", WITHIN, {"starts": [0, 0], "indices": [], "squares": []}, WRONG),
        ("tree_within", {**WITHIN, "limits": np.ones(1)}, ONE, WRONG),
        ("impostors", RADII, {"first": [0], "second": [1]}, EQUAL_WORTH),
        ("impostors", {**RADII, "radii": np.ones(1)}, {"first": [0, 0], "second": [1, 2]}, TIE),
        ("impostors", RADII, {"first": [0, 0], "second": [2, 1]}, WRONG),
        ("impostors", RADII, {"first": [0, 0], "second": [1, 1]}, WRONG),
        ("impostors", RADII, {"first": [0, 0, 0], "second": [1, 2, 3]}, WRONG),
        ("impostors", SMALL, {"first": [0, 0, 0], "second": [1, 2, 3]}, WRONG),
        ("impostors", RADII, {"first": [0, 0, 0], "second": [0, 1, 2]}, WRONG),
        ("impostors", RADII, {"first": [], "second": []}, WRONG),
        ("best_bin_first", BINS, {"opened": [[0, 1, 1, 1]]}, None),
        ("best_bin_first", BINS, {**SECOND_FIRST, "opened": [[0, 0, 0, 1]]}, NOT_COMPARED),
        ("best_bin_first", BINS, {**SECOND_FIRST, "opened": [[0, 1, 1, 1]]}, WRONG),
        ("best_bin_first", BINS, {**SECOND_FIRST, "opened": [[-7] * 4]}, WRONG),
        ("best_bin_first", BINS, {**SECOND_FIRST, "opened": [[0, 0, 0, 9]]}, WRONG),
        ("best_bin_first", BINS, {**SECOND_FIRST, "opened": [[2, 2, 2, 1]]}, WRONG),
        ("best_thresholds", LINE, {"threshold": [0.7]}, EQUAL_WORTH),
        ("best_thresholds", LINE, {"threshold": [2.5]}, WRONG),
        ("gather_candidates", ITEMS, {"rows": [1, 0]}, TIE),
        ("gather_candidates", ITEMS, {"rows": [0, 0]}, WRONG),
        ("best_stump", STUMP, {"theta": 0.25}, EQUAL_WORTH),
        ("best_stump", STUMP, {"f": 2}, WRONG),
        ("best_stump", STUMP, {"f": -1}, WRONG),
        ("best_stump", STUMP, {"p": 2}, WRONG),
        ("best_stump", {**STUMP, "A": np.zeros((2, 1))}, {"theta": np.nan}, WRONG),
    ],
)
def test_another_choice(kernel, arguments, changes, kind):
    subject = KERNELS[kernel]
    want = subject.run(refimpl.kernels, arguments)
    changes = {
        part: np.array(value, dtype=None if value else np.asarray(want[part]).dtype)
        for part, value in changes.items()
    }
    fault = compare(subject, arguments, want, {**want, **changes})
    assert (fault and fault.kind) == kind


@pytest.mark.parametrize(("similarity", "kind"), [(0.5, TIE), (0.1, EQUAL_WORTH)])
def test_another_landmark_of_equal_similarity(similarity, kind):
    """Sums of tenths are rounded: another order of summation may break their tie."""
    arguments = {
        "K": np.full((4, 4), similarity),
        "l": np.array([1.0, -1.0, 1.0, -1.0]),
        "d": 3,
        "first": 0,
        "picks": np.zeros((3, 2), dtype=np.int64),
    }
    assert TRAININGS["dselect"].judge(arguments, {"z": 1}, {"z": 2}) == kind


@pytest.mark.parametrize("name", [name for name, one in KERNELS.items() if one.judge is not None])
def test_a_judge_finds_the_expected_results_as_good_as_themselves(name):
    for case in cases_of(KERNELS[name]):
        (want,) = case.expected
        if "large" not in case.flags:
            verdict = KERNELS[name].judge(case.arguments, want, want)
            assert verdict in (Kind.AGREES, TIE, EQUAL_WORTH)


@pytest.mark.parametrize(("p", "b"), [(np.nan, np.nan), (0.0, 0.0), (1e308, np.inf)])
def test_a_plane_must_be_one(p, b):
    def best_plane(*arguments, **options):
        direction, _, left = refimpl.kernels.best_plane(*arguments, **options)
        return np.full_like(direction, p), b, left

    found = differences("best_plane", best_plane)
    assert found and {one.kind for one in found} == {WRONG}


def test_leaves_by_other_names_are_the_same_tree():
    """Committed leaves carry the number of their first point."""
    arguments = {"S": np.arange(16.0).reshape(4, 4) ** 2, "lam": 1.0}
    want = {"leaf": np.array([0, 0, 2, 2]), "T": np.zeros((4, 4))}
    want["J"] = trainings.worth(want["leaf"], arguments, want["T"])
    renamed, moved = {"leaf": np.array([7, 7, 2, 2])}, {"leaf": np.array([0, 1, 0, 1])}
    assert trainings.same_leaves(arguments, want, renamed) == Kind.AGREES
    assert trainings.same_leaves(arguments, want, moved) == WRONG


# ------------------------------------------------------------------------------ numbers and reports


def test_a_report_is_json_whatever_its_numbers():
    text = Report("t", facts=[("gap", float("nan")), ("size", float("inf"))]).as_json()
    assert json.loads(text, parse_constant=pytest.fail)["facts"] == {"gap": "nan", "size": "inf"}


@pytest.mark.parametrize("L", ["squared_hinge", "logistic"])
def test_weights_nearer_to_the_optimum_than_the_reference_agree(L):
    """Similarities differ by 1e-10, so that TRAIN ends where w is 0; the optimum is beside it."""
    training = TRAININGS["ftune"]
    K = np.ones((4, 4)) - 1e-10 * (np.add.outer(np.arange(4), np.arange(4)) % 2)
    l = np.array([1.0, -1.0, 1.0, -1.0])
    arguments = {"F": np.array([1.0]), "K": K, "L": L, "l": l, "P": np.array([[0, 1], [2, 3]])}
    want = training.run(arguments)
    slope = {"squared_hinge": 2.0, "logistic": 0.5}[L]  # of the loss at margins near 0
    best = want[0]["Phi"].T @ (l * slope)
    case = Case(training, "", arguments, want)
    assert best.all() and first_fault(case, want) is None
    assert first_fault(case, [{**want[0], "w": best}, want[1]]) is None
    number, fault = first_fault(case, [{**want[0], "w": best + 1e-3}, want[1]])
    assert (number, fault.kind, fault.output.name) == (1, Kind.WRONG, "w")
