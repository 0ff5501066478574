"""Similarities: functions and matrices give the same, look-ups are counted, what is no similarity
is refused.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist

from refimpl.ftune.similarities import (
    Gaussian,
    Similarity,
    as_similarity,
    landmarked,
    mean_distance,
)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), distance=st.booleans(), m=st.integers(0, 4))
def test_functions_and_matrices_are_one(seed, distance, m):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2))
    Q = rng.normal(size=(m, 2))
    turn = rng.normal(size=(2, 2))  # not symmetric

    def K(a, b):
        return float(a @ turn @ b)

    references = rng.integers(0, 8, 5)
    rows = rng.integers(0, 8, 3)
    matrix = np.array([[K(a, b) for b in X] for a in X])
    new = np.array([[K(a, b) for b in X] for a in Q]).reshape(m, 8)
    spaces = [
        (Similarity(K, X, distance=distance), Q),
        (Similarity(K, list(X), distance=distance), list(Q)),
        (Similarity(lambda A, B: A @ turn @ B.T, X, distance=distance, pairwise=True), Q),
        (Similarity(matrix, distance=distance), new),
    ]
    sign = -1 if distance else 1
    close = {"rtol": 1e-12, "atol": 1e-14}  # products may cancel
    for space, queries in spaces:
        np.testing.assert_allclose(
            space.within(rows, references), sign * matrix[np.ix_(rows, references)], **close
        )
        np.testing.assert_allclose(
            space.within(None, references), sign * matrix[:, references], **close
        )
        found = space.between(queries, references)
        np.testing.assert_allclose(found, sign * new[:, references], **close)
        assert found.flags.c_contiguous and found.dtype == np.float64
        assert space.computed == (3 + 8 + m) * len(np.unique(references))


def test_gaussian_and_its_width():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    assert mean_distance(X) == pytest.approx(pdist(X).mean())
    assert mean_distance(X, most=40, rng=rng) == pytest.approx(pdist(X).mean(), rel=0.2)
    np.testing.assert_allclose(
        Gaussian(1.5)(X, X[:7]), np.exp(-(cdist(X, X[:7]) ** 2) / 1.5**2), rtol=1e-10
    )
    assert mean_distance(np.ones((5, 2))) == pytest.approx(0.0, abs=1e-7)
    assert mean_distance([[1e-200], [0.0]]) == pytest.approx(1e-200, rel=1e-12, abs=0.0)
    drawn = mean_distance(X[:3].tolist(), most=2, rng=rng)
    assert np.isclose(drawn, pdist(X[:3])).any()


@pytest.mark.parametrize(
    ("kind", "factor", "offset"),
    [("u1", 100, 50), ("i4", 60_000, 0), ("f4", 1, 500), ("?", 1, 0), (list, 100, 0)],
    ids=str,
)
def test_a_gaussian_of_numbers_of_other_types(kind, factor, offset):
    """Such as pixels, whose squares leave 8 bits, or float32, whose squares lose digits of K."""
    exact = factor * np.random.default_rng(0).integers(0, 2, size=(9, 3)) + offset
    X = exact.tolist() if kind is list else exact.astype(kind)
    want = np.exp(-cdist(exact, exact, "sqeuclidean") / factor**2)
    found = Similarity(Gaussian(factor), X, pairwise=True).within(None, np.arange(9))
    np.testing.assert_allclose(found, want, rtol=1e-12)


@pytest.mark.parametrize("width", [1e-3, 1.0, 1e3, 1e-120, 1e120])
def test_a_gaussian_keeps_its_digits_near_and_far(width):
    rng = np.random.default_rng(0)
    near, far = (width * (share + rng.uniform(-0.2, 0.2, size=(20, 5))) for share in (0, 20))
    for A in (near, far):
        parts = (np.longdouble(A[:, None]) - A) / np.longdouble(width)
        np.testing.assert_allclose(
            Gaussian(width)(A, A), np.exp(-(parts**2).sum(axis=2)).astype(float), rtol=1e-14
        )


@pytest.mark.filterwarnings("error")
def test_a_gaussian_of_no_rows():
    none = np.zeros((0, 3))
    assert Gaussian(5.0)(np.ones((2, 3)), none).shape == (2, 0)
    assert Gaussian(5.0)(none, np.ones((1, 3))).shape == (0, 1)


def test_any_objects():
    words = ["lap", "map", "maps"]
    K = Similarity(lambda a, b: len(set(a) & set(b)) / len(set(a) | set(b)), words)
    assert K.between(["maple"], [0, 2]).tolist() == [[3 / 5, 3 / 6]]


def features(family, S=((0.5, 0.25), (0.0, 1.0))):
    return landmarked(S, np.array([0]), np.array([1]), family)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Similarity(np.zeros((2, 3))), "square"),
        (lambda: Similarity(np.zeros((0, 0))), "square"),
        (lambda: Similarity([["a"]]), "dtype"),
        (lambda: Similarity([[np.nan]]), r"got nan in K\[0, 0\]"),
        (
            lambda: Similarity(np.zeros((2, 2)), [1, 2]),
            "objects must be None if K is a matrix; got a list",
        ),
        (lambda: Similarity(min), "objects must hold .*; got None"),
        (lambda: Similarity(min, []), "objects must hold .*; got none"),
        (
            lambda: Similarity(lambda a, b: np.nan, [1, 2]).within([1], [0]),
            "got nan from object 0 to training object 0",
        ),
        (
            lambda: Similarity(lambda a, b: np.nan if b == 2 else 1.0, [1, 2]).within([1], [0, 1]),
            "got nan from object 0 to training object 1",
        ),
        (
            lambda: Similarity(lambda a, b: "x", [1, 2]).within([1], [0]),
            "K must return a number; got a str",
        ),
        (
            lambda: Similarity(lambda a, b: np.zeros(3), [1, 2], pairwise=True).within([1], [0]),
            r"K must return shape \(1, 1\) .*; got \(3,\)",
        ),
        (lambda: Similarity(min, [1, 2]).within([2], [0]), "rows "),
        (lambda: Similarity(min, [1, 2]).within([0], [-1]), "references "),
        (
            lambda: Similarity(np.eye(2)).between(np.eye(3), [0]),
            r"Q must have shape \(m, 2\), .*; got \(3, 3\)",
        ),
        (lambda: as_similarity(min), "pass Similarity"),
        (lambda: as_similarity(np.eye(3), 2), "as many"),
        (lambda: mean_distance(np.array([[1e200], [0.0]])), "X must hold values within 1e140"),
        (lambda: features([np.nan]), r"family\[0\] must be a positive slope .*; got nan"),
        (lambda: features([1.0, "2"]), r"family\[1\] must be a positive slope .*; got '2'"),
        (lambda: features(1.0), r"family must be a sequence of slopes and functions; got 1\.0"),
        (lambda: features([lambda x: x[:1]]), r"family\[0\] must return an array of the shape"),
        (lambda: features([1.0], "ab"), "S must hold real numbers"),
        (lambda: features([1.0], [0.5, 0.25]), r"S must be a matrix .*; got shape \(2,\)"),
        (lambda: mean_distance(np.ones((1, 2))), "at least two rows .*; got 1"),
        (lambda: mean_distance(5), r"X must be a matrix .*; got shape \(\)"),
        (lambda: mean_distance([[0.0], [np.nan]], most=1), "X must hold finite numbers"),
        (
            lambda: mean_distance(np.ones((9, 2)), most=5),
            "rng must be .* to draw 5 of 9 rows; got None",
        ),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
