"""The filter scan: against literal sums, and twin against twin bit for bit."""

import math

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)


@st.composite
def scans(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_Q = draw(st.integers(1, 20))
    n_X = draw(st.integers(1, 150))
    d = draw(st.integers(1, 40))
    Q = rng.normal(size=(n_Q, d))
    X = rng.normal(size=(n_X, d))
    A = rng.random((n_Q, d))
    if draw(st.booleans()):  # ties
        Q = np.rint(Q)
        X = np.rint(X)
        A = np.ones((n_Q, d))
    return Q, A, X, draw(st.integers(1, n_X))


@each
@settings(max_examples=40, deadline=None)
@given(case=scans())
def test_distances_and_the_nearest(kernels, case):
    Q, A, X, k = case
    D = kernels.weighted_l1(Q, A, X)
    for i in range(len(Q)):
        for j in range(len(X)):
            exact = math.fsum(a * abs(q - x) for a, q, x in zip(A[i], Q[i], X[j], strict=True))
            assert D[i, j] == pytest.approx(exact, rel=1e-13, abs=1e-300)
    distances, indices = kernels.weighted_l1_nearest(Q, A, X, k)
    for i, row in enumerate(D.tolist()):
        order = sorted(range(len(row)), key=lambda j: (row[j], j))[:k]
        assert indices[i].tolist() == order and distances[i].tolist() == [row[j] for j in order]


@each
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95, 1.0])
def test_nan_comes_last(kernels, share):
    """As numpy.argsort has it, by index among themselves; infinite distances come before."""
    rng = np.random.default_rng(0)
    X = np.rint(rng.normal(size=(500, 3)))
    k = 60
    X[rng.random(500) < share, 1] = np.nan
    X[rng.random(500) < 0.1, 2] = np.inf
    Q = np.rint(rng.normal(size=(3, 3)))
    A = np.ones((3, 3))
    order = np.argsort(kernels.weighted_l1(Q, A, X), axis=1, kind="stable")
    for most in (1, k, 500):
        distances, indices = kernels.weighted_l1_nearest(Q, A, X, most)
        assert_same(indices, order[:, :most].copy())
        assert_same(distances, KERNELS[0].weighted_l1_nearest(Q, A, X, most)[0])
    if share == 1.0:
        assert np.isnan(distances).all()


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@pytest.mark.parametrize("d", [1, 15, 16, 17, 32])
def test_twins_agree_on_signs_of_zero(d):
    Q = np.zeros((2, d))
    weights = np.array([[-1.0], [1.0]]) * np.ones(d)
    D = [kernels.weighted_l1(Q, weights, Q) for kernels in KERNELS]
    assert_same(*D)
    assert not np.signbit(D[0]).any()


@each
def test_no_queries_no_vectors_no_coordinates(kernels):
    Q = np.zeros((2, 3))
    X = np.ones((5, 3))
    assert kernels.weighted_l1(Q[:0], Q[:0], X).shape == (0, 5)
    assert kernels.weighted_l1(Q, Q, X[:0]).shape == (2, 0)
    assert [a.shape for a in kernels.weighted_l1_nearest(Q[:0], Q[:0], X, 4)] == [(0, 4), (0, 4)]
    assert [a.shape for a in kernels.weighted_l1_nearest(Q, Q, X[:0], 0)] == [(2, 0), (2, 0)]
    flat = np.zeros((2, 0)), np.zeros((2, 0)), np.zeros((5, 0))
    assert kernels.weighted_l1(*flat).tolist() == [[0] * 5] * 2
    distances, indices = kernels.weighted_l1_nearest(*flat, 2)
    assert distances.tolist() == [[0, 0]] * 2 and indices.tolist() == [[0, 1]] * 2
