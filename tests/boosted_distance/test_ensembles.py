"""The ensembles of boosting: what their constructors refuse, and when two of them are equal.

Not tested here: their predictions (`test_boosted_distance.py`) and files (`tests/shared`).
"""

import numpy as np
import pytest

from refimpl.boosted_distance.model import StumpEnsemble, TreeEnsemble

FIELDS = {"alpha": [0.5, 2.0], "feature": [0, 3], "polarity": [1, -1], "threshold": [0.25, -np.inf]}
STUMPS = StumpEnsemble(**FIELDS)
TREES = TreeEnsemble([1.5], [[0, 1, 2]], [[1, -1, 1]], [[0.0, 1.0, -np.inf]])


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("alpha", [[0.5, 2.0]], ValueError, r"alpha must have shape \(T,\), .* got \(1, 2\)"),
        ("alpha", 0.5, ValueError, r"alpha must have shape \(T,\), .* got \(\)"),
        ("alpha", [0.5], ValueError, r"feature must have shape \(1, ...\), .* got \(2,\)"),
        ("alpha", [0.5, np.inf], ValueError, "alpha must hold finite weights; got NaN or infinity"),
        ("alpha", ["a", "b"], TypeError, "alpha must hold numbers; got dtype"),
        ("alpha", [[1.0], [1.0, 2.0]], ValueError, "alpha must be an array"),
        ("feature", [[0], [3]], ValueError, r"feature must have shape \(2,\), .* got \(2, 1\)"),
        ("feature", [0.0, 3.0], TypeError, "feature must hold integers; got dtype float64"),
        ("feature", [False, True], TypeError, "feature must hold numbers; got dtype bool"),
        ("feature", [0, -1], ValueError, "feature must hold numbers of features, from 0; got -1"),
        ("feature", [0], ValueError, "feature must have shape"),
        ("polarity", [1, 0], ValueError, "polarity"),
        ("polarity", [1.0, -1.0], TypeError, "polarity must hold integers; got dtype"),
        ("polarity", [[1, -1]], ValueError, "polarity must have shape"),
        ("threshold", [0.0, np.nan], ValueError, "threshold must hold numbers, .* got NaN"),
        (
            "threshold",
            np.zeros((2, 3)),
            ValueError,
            r"threshold must have shape \(2,\), .* got \(2, 3\)",
        ),
        (
            "threshold",
            np.zeros(2, dtype=complex),
            TypeError,
            "threshold must hold numbers; got dtype",
        ),
    ],
)
def test_stump_ensembles_refuse_what_does_not_fit(name, value, error, message):
    with pytest.raises(error, match=message):
        StumpEnsemble(**{**FIELDS, name: value})


def test_tree_ensembles_hold_three_stumps_a_round():
    fields = {name: getattr(TREES, name) for name in FIELDS}
    for name in ("feature", "polarity", "threshold"):
        for shape in ((1,), (1, 2), (1, 3, 1), (3,)):
            with pytest.raises(ValueError, match=name):
                TreeEnsemble(**{**fields, name: np.ones(shape, dtype=np.int64)})


def test_constant_stumps_look_at_no_feature():
    assert STUMPS.features().tolist() == [0]
    assert TREES.features().tolist() == [0, 1]


def test_equal_ensembles_are_of_one_kind_and_equal_in_every_field():
    assert STUMPS == STUMPS.rounds(0, 2) and STUMPS != STUMPS.rounds(0, 1) and STUMPS != 3
    for name in FIELDS:
        other = {**FIELDS, name: [1, 1]}
        assert StumpEnsemble(**other) != STUMPS
    empty = StumpEnsemble([], [], [], []), TreeEnsemble([], *np.zeros((3, 0, 3), dtype=np.int64))
    assert empty[0] != empty[1]


def test_ensembles_own_their_arrays_in_the_types_of_the_kernels():
    alpha = np.array([1, 2])
    one = StumpEnsemble(
        alpha, np.array([0, 1], dtype=np.uint8), np.array([1, -1], dtype=np.int8), [0, 1]
    )
    alpha[0] = 9
    assert [getattr(one, name).dtype.str[1:] for name in FIELDS] == ["f8", "i8", "i8", "f8"]
    assert one.alpha.tolist() == [1, 2] and not one.alpha.flags.writeable
    assert len(StumpEnsemble([], [], [], [])) == 0
