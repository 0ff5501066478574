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


@pytest.mark.parametrize(
    "matrix, error, message",
    [
        (np.ones((2, 3)), ValueError, r"matrix must .*; got .*\(2, 3\)"),
        (np.ones(4), ValueError, r"matrix must .*; got .*\(4,\)"),
        (np.empty((0, 0)), ValueError, "matrix must .*; got"),
        ([[0, 1], [np.nan, 0]], ValueError, r"matrix must hold finite .*got nan at \(1, 0\)"),
        ([[0, np.inf], [1, 0]], ValueError, r"matrix must hold finite .*got inf at \(0, 1\)"),
        ([[0, -1], [1, 0]], ValueError, r"matrix must hold finite .*got -1.0 at \(0, 1\)"),
        (
            [[0, 1], [1, 2]],
            ValueError,
            r"matrix must have a diagonal of zeros; got 2.0 at \(1, 1\).*fill_diagonal",
        ),
        ([[0, 1], [1]], ValueError, "matrix must be a matrix with rows of equal length"),
        ([["0", "1"], ["1", "0"]], TypeError, "matrix must .*got dtype"),
        (np.eye(2) * 1j, TypeError, "matrix must .*got dtype"),
    ],
)
def test_bad_matrices(matrix, error, message):
    with pytest.raises(error, match=message):
        PrecomputedSpace(matrix)


def test_bad_callables_and_objects():
    with pytest.raises(TypeError, match=r"distance must .*got a ndarray"):
        CallableSpace(np.zeros((2, 2)), [1, 2])
    with pytest.raises(ValueError, match=r"objects must hold .*got none"):
        CallableSpace(abs, [])
    with pytest.raises(TypeError, match=r"objects must .*got one string"):
        CallableSpace(oracle.edit_distance, "word")
    with pytest.raises(TypeError, match=r"objects must .*got a int"):
        CallableSpace(oracle.edit_distance, 5)
    space = CallableSpace(lambda x, y: x - y, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"from query 1 to database object 1 must be .*got -1\.0"):
        space.distances([3.0, 1.0], [0, 1])
    with pytest.raises(TypeError, match=r"Q must .*got one string"):
        CallableSpace(oracle.edit_distance, WORDS).distances("word", [0])
    with pytest.raises(
        TypeError, match=r"distance must return a number .*pairwise=True.*got a list"
    ):
        CallableSpace(lambda A, B: [[0.0]], WORDS).distances(["it"], [0])
    with pytest.raises(
        ValueError, match=r"distance must return shape \(1, 2\) for 1 and 2 objects .*got \(1, 1\)"
    ):
        CallableSpace(lambda A, B: [[0.0]], WORDS, pairwise=True).distances(["it"], [0, 1])


def test_bad_queries_and_references():
    space = PrecomputedSpace(odd_matrix(4))
    for queries in (np.ones((2, 3)), np.ones(4)):
        with pytest.raises(ValueError, match=r"Q must hold .* distances to the 4 database objects"):
            space.distances(queries, [0])
    for references, error in (
        [[4], ValueError],
        [[-1], ValueError],
        [[0.5], TypeError],
        [[[1]], ValueError],
    ):
        with pytest.raises(error, match="references"):
            space.distances(space.objects, references)
    with pytest.raises(ValueError, match=r"rows must .*got 2"):
        space.pair_distances(space.objects[:2], [0, 2], [0, 1])
    with pytest.raises(
        ValueError, match=r"rows and references must have the same length.*got 1 and 2"
    ):
        space.pair_distances(space.objects, [0], [0, 1])
