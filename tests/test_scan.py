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
    n_Q, n_X, d = draw(st.integers(1, 20)), draw(st.integers(1, 150)), draw(st.integers(1, 40))
    Q, X, A = rng.normal(size=(n_Q, d)), rng.normal(size=(n_X, d)), rng.random((n_Q, d))
    if draw(st.booleans()):  # ties
        Q, X, A = np.rint(Q), np.rint(X), np.ones((n_Q, d))
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


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@settings(max_examples=40, deadline=None)
@given(case=scans(), threads=st.sampled_from([1, 2]))
def test_twins_agree_bit_for_bit(case, threads):
    Q, A, X, k = case
    one, two = KERNELS
    assert_same(one.weighted_l1(Q, A, X), two.weighted_l1(Q, A, X, threads=threads))
    for a, b in zip(one.weighted_l1_nearest(Q, A, X, k), two.weighted_l1_nearest(Q, A, X, k, threads=threads),
                    strict=True):
        assert_same(a, b)
