"""Spaces count exact distances; callable and precomputed ones agree; bad input is named."""

import numpy as np
import oracles_embeddings as oracle
import pytest
from oracles_embeddings import WORDS, odd_matrix
from scipy.spatial.distance import cdist

from refimpl.spaces import CallableSpace, PrecomputedSpace


def rng(seed=0):
    return np.random.default_rng(seed)


def spaces_of_words():
    matrix = np.array([[oracle.edit_distance(a, b) for b in WORDS] for a in WORDS])
    many = lambda A, B: [[oracle.edit_distance(a, b) for b in B] for a in A]  # noqa: E731
    one = CallableSpace(oracle.edit_distance, WORDS)
    vectorised = CallableSpace(many, WORDS, pairwise=True)
    return matrix, [(one, WORDS), (vectorised, WORDS), (PrecomputedSpace(matrix), matrix)]


def test_all_spaces_give_the_same_distances_and_count_them():
    matrix, kinds = spaces_of_words()
    for space, queries in kinds:
        assert len(space) == len(WORDS)
        np.testing.assert_array_equal(
            space.distances(queries[2:7], [3, 0, 3, 11]), matrix[2:7][:, [3, 0, 3, 11]]
        )
        assert space.computed == 5 * 3  # object 3 once
        np.testing.assert_array_equal(space.within(None, [5]), matrix[:, [5]])
        np.testing.assert_array_equal(space.within([4, 5], [5, 5, 1]), matrix[[4, 5]][:, [5, 5, 1]])
        assert space.computed == 15 + 12 + 4
        rows = [0, 3, 3, 1]
        references = [7, 2, 5, 2]
        np.testing.assert_array_equal(
            space.pair_distances(queries[:4], rows, references), matrix[rows, references]
        )
        assert space.computed == 31 + 4
        assert space.distances(queries[:0], [1, 2]).shape == (0, 2)
        assert space.distances(queries[:3], []).shape == (3, 0)
        assert space.computed == 35


def test_distances_go_from_the_query_to_the_database():
    space = CallableSpace(lambda x, y: max(x - y, 0.0), [0.0, 5.0])
    np.testing.assert_array_equal(space.distances([7.0, 1.0], [0, 1]), [[7, 2], [1, 0]])
    D = odd_matrix(6)
    np.testing.assert_array_equal(
        PrecomputedSpace(D).within([1, 4], [0, 4, 5]), D[[1, 4]][:, [0, 4, 5]]
    )


def test_the_objects_of_a_table_are_its_rows():
    class Table:
        """As pandas' DataFrame, which iterates over the names of its columns."""

        columns = "first", "second"

        def __iter__(self):
            return iter(self.columns)

        def __array__(self, dtype=None, copy=None):
            return np.arange(6.0).reshape(3, 2)

    space = CallableSpace(lambda x, y: abs(x - y).sum(), Table())
    assert space.distances(Table(), [0, 2]).tolist() == [[0, 8], [4, 4], [8, 0]]


def test_vectorised_functions_see_the_rows_of_an_array():
    X = rng().normal(size=(9, 3))
    Y = rng(1).normal(size=(4, 3))
    space = CallableSpace(cdist, X, pairwise=True)
    np.testing.assert_array_equal(space.distances(Y, [2, 0]), cdist(Y, X[[2, 0]]))
    np.testing.assert_array_equal(
        space.pair_distances(Y, [3, 0, 3], [8, 8, 1]), cdist(Y, X)[[3, 0, 3], [8, 8, 1]]
    )


def test_rounding_errors_of_the_distance_to_itself_become_zero():
    space = CallableSpace(lambda x, y: abs(x - y) + 1e-9, [1.0, 2.0, 4.0])
    np.testing.assert_array_equal(space.within(None, [0, 1, 2]).diagonal(), 0.0)
    assert space.within([1], [1]) == 0.0
    with pytest.raises(ValueError, match="database object 1 to itself must be zero; got 1"):
        CallableSpace(lambda x, y: float(x == y), [1.0, 2.0]).within(None, [1])


def test_a_matrix_of_floats_is_not_copied():
    for dtype in (np.float32, np.float64):
        D = odd_matrix(5).astype(dtype)
        space = PrecomputedSpace(D)
        assert np.shares_memory(space.objects, D)
        assert space.distances(D, [1]).dtype == np.float64


def test_a_row_may_hold_only_the_distances_that_are_needed():
    row = np.full((1, 5), np.nan)
    row[0, [1, 3]] = 2.0, 7.0
    space = PrecomputedSpace(odd_matrix(5))
    np.testing.assert_array_equal(space.distances(row, [3, 1]), [[7.0, 2.0]])
    with pytest.raises(
        ValueError, match=r"from query 0 to database object 4 must be finite .*got nan"
    ):
        space.distances(row, [1, 4])


def returning(value):
    return CallableSpace(lambda x, y: value, WORDS)


FOUR = PrecomputedSpace(odd_matrix(4))
LESS = CallableSpace(lambda x, y: x - y, [1.0, 2.0])
NONE = CallableSpace(lambda A, B: [[0.0]], WORDS)
MANY = CallableSpace(lambda A, B: [[0.0]], WORDS, pairwise=True)
EDITS = CallableSpace(oracle.edit_distance, WORDS)
REFUSED = {
    ValueError: [
        (lambda: PrecomputedSpace(np.ones((2, 3))), r"matrix must .*; got .*\(2, 3\)"),
        (lambda: PrecomputedSpace(np.ones(4)), r"matrix must .*; got .*\(4,\)"),
        (lambda: PrecomputedSpace(np.empty((0, 0))), "matrix must .*; got"),
        (lambda: PrecomputedSpace([[0, 1], [np.nan, 0]]), r"finite .*got nan at \(1, 0\)"),
        (lambda: PrecomputedSpace([[0, np.inf], [1, 0]]), r"finite .*got inf at \(0, 1\)"),
        (lambda: PrecomputedSpace([[0, -1], [1, 0]]), r"finite .*got -1.0 at \(0, 1\)"),
        (lambda: PrecomputedSpace([[0, 1], [1, 2]]), r"zeros; got 2.0 at \(1, 1\).*fill_diagonal"),
        (lambda: PrecomputedSpace([[0, 1], [1]]), "a matrix with rows of equal length"),
        (lambda: CallableSpace(abs, []), r"objects must hold .*got none"),
        (lambda: LESS.distances([3.0, 1.0], [0, 1]), r"query 1 to database object 1 .*got -1\.0"),
        (lambda: returning(10**400).distances(["it"], [0]), "must be finite .*got inf"),
        (lambda: MANY.distances(["it"], [0, 1]), r"shape \(1, 2\) for 1 and 2 .*got \(1, 1"),
        (lambda: FOUR.distances(np.ones((2, 3)), [0]), "Q must .* distances to the 4 database obj"),
        (lambda: FOUR.distances(np.ones(4), [0]), "Q must hold .* distances to the 4 database obj"),
        (lambda: FOUR.distances(FOUR.objects, [4]), "references"),
        (lambda: FOUR.distances(FOUR.objects, [-1]), "references"),
        (lambda: FOUR.distances(FOUR.objects, [[1]]), "references"),
        (lambda: FOUR.pair_distances(FOUR.objects[:2], [0, 2], [0, 1]), r"rows must .*got 2"),
        (lambda: FOUR.pair_distances(FOUR.objects, [0], [0, 1]), r"same length.*got 1 and 2"),
    ],
    TypeError: [
        (lambda: PrecomputedSpace([["0", "1"], ["1", "0"]]), "matrix must .*got dtype"),
        (lambda: PrecomputedSpace(np.eye(2) * 1j), "matrix must .*got dtype"),
        (lambda: CallableSpace(np.zeros((2, 2)), [1, 2]), r"distance must .*got a ndarray"),
        (lambda: CallableSpace(oracle.edit_distance, "word"), r"objects must .*got one string"),
        (lambda: CallableSpace(oracle.edit_distance, 5), r"objects must .*got a int"),
        (lambda: EDITS.distances("word", [0]), r"Q must .*got one string"),
        (lambda: CallableSpace(oracle.edit_distance, {1: "a"}), r"objects must .*got a dict"),
        (lambda: CallableSpace(oracle.edit_distance, {"a", "b"}), r"objects must .*got a set"),
        (lambda: NONE.distances(["it"], [0]), r"a number; got a list .*pairwise=True"),
        (lambda: returning("1").distances(["it"], [0]), "a number; got a str"),  # Python parses it
        (lambda: returning(np.complex128(1j)).distances(["it"], [0]), "a number; got a complex128"),
        (lambda: FOUR.distances(FOUR.objects, [0.5]), "references"),
    ],
}


@pytest.mark.parametrize("error", REFUSED)
def test_bad_input(error):
    for call, message in REFUSED[error]:
        with pytest.raises(error, match=message):
            call()
