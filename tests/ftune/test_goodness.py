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
    hinge_at_margin,
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
    S = (
        np.rint(4 * rng.uniform(-1, 1, (n, n))) / 4
        if draw(st.booleans())
        else rng.uniform(-1, 1, (n, n))
    )
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
    """Eq. 1 is eq. 3 with f the identity, for weights whose mean is 1 in the own class and in the
    others.
    """
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
    """More of the iris' points reach a small margin than a large one; a sample costs its square in
    look-ups.
    """
    X, y = load_iris(return_X_y=True)
    K = Similarity(Gaussian(1.0), X, pairwise=True)
    found = [goodness(K, y, Ramp(5.0), gamma) for gamma in (0.0, 0.2, 0.4)]
    assert (
        found[0].epsilon < 0.1 < found[2].epsilon
        and found[0].epsilon <= found[1].epsilon <= found[2].epsilon
    )
    assert found[0].C_f == pytest.approx(2.0, abs=0.1)
    before = K.computed
    few = goodness(K, y, Ramp(5.0), 0.2, sample=60, rng=np.random.default_rng(0))
    assert K.computed - before == 3600 and len(few.sample) == 60
    assert abs(few.epsilon - found[1].epsilon) < 0.2
    loss = goodness_of_loss(K, y, Ramp(5.0), hinge_at_margin(0.2))
    assert 0 < loss.epsilon < goodness_of_loss(K, y, Ramp(5.0), hinge_at_margin(0.5)).epsilon


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


def test_theorem_2_and_5_hold_on_a_task():
    """With the d of the theorems, h and g of random pairs keep the error and the loss that they
    promise.
    """
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    y = y == 0
    S = Gaussian(2.0)(X, X)
    f = Ramp(1.0)
    whole = goodness(S, y, f, 0.1)
    d = pairs_for_margin(0.1, 0.05, 0.1)
    same, other = (
        np.array([rng.choice(np.flatnonzero(y == side), d) for side in sides])
        for sides in ((True,), (False,))
    )
    g = f(S[:, same[0]] - S[:, other[0]]).mean(axis=1) * np.where(y, 1, -1)
    assert (g < whole.C_f * 0.05).mean() <= whole.epsilon + 0.05  # at half the margin
    L = hinge_at_margin(0.5)
    d = pairs_for_loss(0.2, 0.1, C_L=2.0)
    plus = rng.choice(np.flatnonzero(y), d)
    minus = rng.choice(np.flatnonzero(~y), d)
    g = f(S[:, plus] - S[:, minus]).mean(axis=1) * np.where(y, 1, -1)
    assert L(g).mean() <= goodness_of_loss(S, y, f, L).epsilon + 0.2


SIZES = st.floats(0.01, 100.0)


@settings(max_examples=200, deadline=None)
@given(
    share=st.floats(0.01, 1.0),
    delta=st.floats(1e-6, 0.9),
    B=SIZES,
    C_L=SIZES,
    N=st.integers(1, 1000),
    octave=st.integers(-30, 30),
    less=st.floats(0.01, 1.0),
)
def test_the_bounds_are_the_same_in_every_unit_and_grow_with_what_is_asked(
    share, delta, B, C_L, N, octave, less
):
    """Powers of two as units change no bit. A smaller epsilon_1, gamma or delta takes no fewer
    pairs, and a family takes no fewer than one of its functions.
    """
    unit = 2.0**octave
    epsilon_1 = share * B * C_L
    of_loss = pairs_for_loss(epsilon_1, delta, B=B, C_L=C_L)
    assert of_loss == pairs_for_loss(unit * epsilon_1, delta, B=B, C_L=unit * C_L)
    assert of_loss == pairs_for_loss(epsilon_1, delta, B=unit * B, C_L=C_L / unit)
    assert of_loss <= pairs_for_loss(less * epsilon_1, delta, B=B, C_L=C_L)
    assert of_loss <= pairs_for_loss(epsilon_1, less * delta, B=B, C_L=C_L)
    of_family = pairs_for_family(N, epsilon_1, delta, B=B, C_L=C_L)
    assert of_family == pairs_for_family(N, unit * epsilon_1, delta, B=B, C_L=unit * C_L)
    assert of_family == pairs_for_family(N, epsilon_1, delta, B=unit * B, C_L=C_L / unit)
    assert of_loss <= of_family <= pairs_for_family(N, less * epsilon_1, delta, B=B, C_L=C_L)
    assert of_family <= pairs_for_family(N, epsilon_1, less * delta, B=B, C_L=C_L)
    assert of_family <= pairs_for_family(N + 1, epsilon_1, delta, B=B, C_L=C_L)
    scales = []
    pairs_for_family(lambda r: scales.append(r) or 1, epsilon_1, delta, B=B, C_L=C_L)
    pairs_for_family(lambda r: scales.append(r) or 1, unit * epsilon_1, delta, B=B, C_L=unit * C_L)
    assert scales[0] == scales[1]
    of_margin = pairs_for_margin(share * B, share, delta, B=B)
    assert of_margin == pairs_for_margin(unit * share * B, share, delta, B=unit * B)
    assert of_margin <= pairs_for_margin(less * share * B, share, delta, B=B)
    assert of_margin <= pairs_for_margin(share * B, less * share, delta, B=B)
    assert of_margin <= pairs_for_margin(share * B, share, less * delta, B=B)


@pytest.mark.one_case
@pytest.mark.parametrize("unit", [1e-3, 1.0, 80.0])
@pytest.mark.parametrize("B", [0.5, 1.0, 4.0])
def test_random_pairs_keep_the_promised_loss_in_every_unit(unit, B):
    """K and its opposite tell the classes apart three times in four; the loss is a hinge just below
    the margin of 1 / 2, in units of `unit`.
    """
    rng = np.random.default_rng(0)
    n, delta = 400, 0.1
    y = np.where(np.arange(n) < n // 2, 1, -1)
    K = np.where(rng.random((n, n)) < 0.75, 0.5, -0.5) * np.where(y[:, None] == y, 1, -1)

    def L(margin):
        return unit * np.maximum(0.0, 1.0 - margin / (0.45 * B))

    w = np.full((n, n), B)
    epsilon = goodness_of_loss(K, y, Ramp(1.0), L, w=w).epsilon
    functions = [Ramp(slope) for slope in (1.0, 5.0, 50.0)]
    goods = [goodness_of_loss(K, y, f, L, w=w).epsilon for f in functions]
    epsilon_1 = unit / 2
    C_L = unit / (0.45 * B)
    of_one = pairs_for_loss(epsilon_1, delta, B=B, C_L=C_L)
    of_all = pairs_for_family(3, epsilon_1, delta, B=B, C_L=C_L)
    assert of_one == pairs_for_loss(0.5, delta, C_L=1 / 0.45)
    broken = np.zeros(2)
    for _ in range(60):
        losses = []
        for d in (of_one, of_all):
            plus, minus = rng.integers(n // 2, size=d), n // 2 + rng.integers(n // 2, size=d)
            D = K[:, plus] - K[:, minus]
            losses.append([L(y * B * f(D).mean(axis=1)).mean() for f in functions])
        broken += (
            losses[0][0] > epsilon + epsilon_1,
            any(loss > good + epsilon_1 for loss, good in zip(losses[1], goods, strict=True)),
        )
    assert (broken <= delta * 60).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda S, y: goodness(S, y, np.cos, 0.1), "f must be antisymmetric"),
        (lambda S, y: goodness(S, y, np.sign, -0.1), "gamma"),
        (lambda S, y: goodness(S, np.arange(6), np.sign, 0.1), "two points each"),
        (lambda S, y: goodness(S, np.zeros(6), np.sign, 0.1), "y "),
        (
            lambda S, y: goodness(S, y, np.sign, 0.1, w=np.ones(6)),
            r"w must hold finite numbers of shape \(6, 6\); got \(6,\)",
        ),
        (lambda S, y: goodness(S, y, np.sign, 0.1, sample=5), "rng "),
        (lambda S, y: goodness_of_loss(S, y, np.sign, "0-1"), "loss must be '.*; got '0-1'"),
        (lambda S, y: hinge_at_margin(0.0), r"gamma must be .*; got 0"),
        (lambda S, y: pairs_for_margin(0.0, 0.1, 0.1), r"gamma must be .*; got 0"),
        (lambda S, y: pairs_for_margin(0.1, 0.1, 1.0), "delta must be .*; got 1"),
        (lambda S, y: pairs_for_margin(0.1, 0.1, "1"), "delta must be .*; got '1'"),
        (lambda S, y: pairs_for_margin(1e-200, 0.1, 0.1), "gamma must be .*; got 1e-200"),
        (lambda S, y: pairs_for_loss(0.1, 0.1, B=1e200), r"B must be .*; got 1e\+200"),
        (lambda S, y: goodness(S, y, np.sign, 0.1, w=[["a"]]), "w must hold real numbers; got"),
        (lambda S, y: pairs_for_loss(0.0, 0.1), r"epsilon_1 must be .*; got 0"),
        (lambda S, y: pairs_for_family(0, 0.1, 0.1), "covering "),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(np.eye(6), np.array([0, 0, 0, 1, 1, 1]))
