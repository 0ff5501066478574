"""Goodness of similarities and the bounds of Theorems 2, 3 and 5."""

import math

import numpy as np
import oracles_ftune as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from refimpl.ftune import Ramp
from refimpl.ftune.goodness import (
    goodness,
    goodness_of_loss,
    pairs_for_family,
    pairs_for_loss,
    pairs_for_margin,
)
from refimpl.ftune.similarities import Gaussian, Similarity


@st.composite
def tasks(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    c = draw(st.integers(2, 3))
    n = draw(st.integers(6, 14))
    S = rng.uniform(-1, 1, (n, n))
    S = np.rint(4 * S) / 4 if draw(st.booleans()) else S
    labels = np.append(np.repeat(np.arange(c), 2), rng.integers(0, c, n - 2 * c))
    return S, labels, rng.uniform(-2, 2, (n, n)), rng.uniform(0, 2, n)


@settings(max_examples=40, deadline=None)
@given(case=tasks(), slope=st.sampled_from([1.0, 5.0, 1000.0]))
def test_margins_are_the_expectation_of_eq_3(case, slope):
    S, labels, w, _ = case
    found = goodness(S, labels, Ramp(slope), 0.1, w=w)
    expected = [
        oracle.G(S.tolist(), labels, x, lambda v: oracle.ramp(v, slope), w) for x in range(len(S))
    ]
    np.testing.assert_allclose(found.margins, expected, atol=1e-12)
    assert found.B == np.abs(w).max()
    assert found.epsilon == pytest.approx(
        np.mean([G < found.C_f * 0.1 for G in expected]), abs=1 / len(S)
    )
    hinge = goodness_of_loss(S, labels, Ramp(slope), "hinge", w=w)
    assert hinge.epsilon == pytest.approx(np.mean([oracle.loss("hinge", G) for G in expected]))


@settings(max_examples=40, deadline=None)
@given(case=tasks())
def test_balcan_and_blum_is_the_identity(case):
    """Eq. 1 is eq. 3 with f the identity, for weights of mean 1 in both parts."""
    S, labels, _, _ = case
    plain = goodness(S, labels, lambda v: v, 0.0)
    expected = [oracle.equation_1(S.tolist(), labels, x, np.ones(len(S))) for x in range(len(S))]
    np.testing.assert_allclose(plain.margins, expected, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(case=tasks())
def test_wang_is_the_sign_of_negated_distances(case):
    """Eq. 2 is eq. 3 with f the sign, K = -d and w(x', x'') = w(x') w(x'')."""
    S, labels, _, w = case
    d = 1 - S
    found = goodness(Similarity(d, distance=True), labels, np.sign, 0.0, w=np.outer(w, w))
    expected = [oracle.equation_2(d.tolist(), labels, x, w) for x in range(len(S))]
    np.testing.assert_allclose(found.margins, expected, atol=1e-12)


def test_a_sample_of_a_task():
    """It costs its square in look-ups, and is about as good as all of it."""
    X, y = load_iris(return_X_y=True)
    K = Similarity(Gaussian(1.0), X, pairwise=True)
    whole = goodness(K, y, Ramp(5.0), 0.2)
    before = K.computed
    few = goodness(K, y, Ramp(5.0), 0.2, sample=60, rng=np.random.default_rng(0))
    assert K.computed - before == 3600 and len(few.sample) == 60
    assert abs(few.epsilon - whole.epsilon) < 0.2


def test_weights_of_pairs_may_be_a_list():
    """K is 1 within a class and 0 beyond, so f is 1, and a margin is the mean of two weights."""
    y = np.array([0, 0, 1, 1])
    K = np.equal.outer(y, y) / 1.0
    w = [[0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 3.0, 4.0], [5.0, 6.0, 0.0, 0.0], [7.0, 8.0, 0.0, 0.0]]
    for sample in (None, 4):
        found = goodness(K, y, Ramp(1.0), 0.1, w=w, sample=sample, rng=np.random.default_rng(0))
        assert found.margins.tolist() == [3.5, 1.5, 7.5, 5.5]


def test_the_theorems():
    assert pairs_for_margin(0.1, 0.05, 0.01) == math.ceil(800 * math.log(2 / 0.0005))
    assert pairs_for_margin(0.1, 0.05, 0.01, B=3.0) == math.ceil(9 * 800 * math.log(2 / 0.0005))
    assert pairs_for_loss(0.1, 0.05, B=2.0, C_L=5.0) == math.ceil(
        1600 * 4 * 25 * math.log(40 / 0.005)
    )
    assert pairs_for_family(6, 0.1, 0.05, B=2.0, C_L=5.0) == math.ceil(
        6400 * 4 * 25 * math.log(160 * 6 / 0.005)
    )
    asked = []
    assert pairs_for_family(
        lambda r: asked.append(r) or 6, 0.1, 0.05, B=2.0, C_L=5.0
    ) == pairs_for_family(6, 0.1, 0.05, B=2, C_L=5)
    many = 6400 * (math.log(16 / 0.1 / 0.05) + 400 * math.log(10))
    assert pairs_for_family(10**400, 0.1, 0.05) == math.ceil(many)
    assert asked == [0.1 / 40]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda S, y: goodness(S, y, np.cos, 0.1), "f must be antisymmetric"),
        (lambda S, y: goodness(S, np.arange(6), np.sign, 0.1), "two points each"),
        (lambda S, y: goodness(S, np.zeros(6), np.sign, 0.1), "y "),
        (
            lambda S, y: goodness(S, y, np.sign, 0.1, w=np.ones(6)),
            r"w must hold finite numbers of shape \(6, 6\); got \(6,\)",
        ),
        (lambda S, y: goodness(S, y, np.sign, 0.1, sample=5), "rng "),
        (lambda S, y: goodness(S, y, np.sign, 0.1, w=[["a"]]), "w must hold real numbers; got"),
        (lambda S, y: pairs_for_family(0, 0.1, 0.1), "covering "),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(np.eye(6), np.array([0, 0, 0, 1, 1, 1]))
