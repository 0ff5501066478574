"""The corrected lines of Kar & Jain (2011): the printed ones are wrong."""

import math

import numpy as np

from refimpl.ftune import FTuneOptions, Ramp, dselect, ftune, random_landmarks
from refimpl.ftune.goodness import (
    goodness,
    goodness_of_loss,
    hinge_at_margin,
    pairs_for_loss,
    pairs_for_margin,
)


def test_ft_1_the_first_landmark_is_chosen_again():
    """As printed T still holds it, and nothing is less similar to object 0 than it is to itself."""
    K = np.array([[-1.0, 0.0, 0.2], [0.0, 1.0, 0.3], [0.2, 0.3, 1.0]])
    first = 0
    printed = int(np.argmin(K[:, first]))
    assert printed == first
    found = {
        len(set(dselect(K, [0, 1, 1], 3, rng=np.random.default_rng(seed)).L)) for seed in range(10)
    }
    assert found == {3}


def test_ft_2_a_constant_similarity_would_be_good():
    """C_f over values of K = 0.95 is 0 under the ramp of slope 50: every point is good."""
    K = np.full((8, 8), 0.95)
    labels = np.arange(8) % 2
    f = Ramp(50.0)
    gamma = 0.4
    printed = f(K).max() - f(K).min()
    found = goodness(K, labels, f, gamma)
    assert printed == 0.0 and (found.margins >= printed * gamma).all()
    K[np.equal.outer(labels, labels)] = 1.0  # differences of 0.05 are there to be seen
    assert f(K).max() - f(K).min() == 0.0
    found = goodness(K, labels, f, gamma)
    assert found.C_f == 2.0 and found.epsilon == 0.0
    assert goodness(K, labels, f, 0.6).epsilon == 1.0  # no margin is above C_f / 2


def test_ft_3_the_printed_number_of_pairs_falls_with_a_scale():
    """w and gamma times B: the same classifier, and a printed d of 1 that keeps no promise."""
    rng = np.random.default_rng(0)
    n = 400
    labels = np.arange(n) % 2
    K = np.where(
        rng.random((n, n)) < 0.5 + 0.1 * np.where(np.equal.outer(labels, labels), 1, -1), 1.0, 0.0
    )
    gamma, epsilon_1, delta, B = 0.05, 0.1, 0.1, 100.0
    one = goodness(K, labels, Ramp(1.0), gamma)
    many = goodness(K, labels, Ramp(1.0), B * gamma, w=np.full((n, n), B))
    assert one.epsilon == many.epsilon < 0.05 and many.B == B
    printed = max(1, math.ceil(8 / (B * gamma) ** 2 * math.log(2 / (delta * epsilon_1))))
    assert printed < 3
    d = pairs_for_margin(B * gamma, epsilon_1, delta, B=B)
    assert d == pairs_for_margin(gamma, epsilon_1, delta)

    def error(d):
        plus, minus = (rng.choice(np.flatnonzero(labels == c), d) for c in (1, 0))
        g = B * (K[:, plus] - K[:, minus]).mean(axis=1) * np.where(labels == 1, 1, -1)
        return (g < many.C_f * B * gamma / 2).mean()

    assert np.mean([error(printed) for _ in range(20)]) > 0.3 > many.epsilon + epsilon_1
    assert all(error(d) <= many.epsilon + epsilon_1 for _ in range(5))


def test_ft_4_a_similarity_without_a_lower_bound():
    """K = -M with probability 1 / M to points of the other class, else 0: sup K <= 1, G = 1, hinge
    loss 0.

    Theorem 5's d pairs find, but for a probability of d / M, only differences of 0, and so a loss
    of 1.
    """
    epsilon, epsilon_1, delta, M = 0.0, 0.5, 0.5, 1e6
    d = pairs_for_loss(epsilon_1, delta, B=1.0, C_L=1.0)
    nothing_found = (1 - 1 / M) ** d
    assert nothing_found > delta and max(0.0, 1.0 - 0.0) > epsilon + epsilon_1


def test_ft_7_training_loss_and_validation_choose_different_functions():
    """The training loss, line 5 as printed, takes the ramp that fits noise best."""
    differ = 0
    right = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(460, 4))
        y = (X[:, 0] + 0.8 * rng.normal(size=460) > 0).astype(int)
        K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)
        S = K[:80, :80]
        V = K[80:160, :80]
        Q = K[160:, :80]
        P = random_landmarks(y[:80], 30, rng=rng)
        printed = ftune(S, y[:80], P, options=FTuneOptions(C=10.0, choose="training"))
        validated = ftune(S, y[:80], P, options=FTuneOptions(C=10.0), validation=(V, y[80:160]))
        assert printed.f[0] == printed.losses[0, :, 0].argmin()
        differ += printed.f[0] != validated.f[0]
        right.append([(model.predict(S, Q) == y[160:]).mean() for model in (printed, validated)])
    by_loss, by_validation = np.mean(right, axis=0)
    assert differ >= 6 and by_validation > by_loss + 0.04


def test_ft_8_the_loss_of_g_needs_the_label():
    """K tells the classes apart: G is 1, and Theorem 5's g is -1 on the negative objects."""
    l = np.repeat([1.0, -1.0], 10)
    K = np.equal.outer(l, l).astype(float)
    L = hinge_at_margin(1.0)
    epsilon_1 = 0.5
    epsilon = goodness_of_loss(K, l, Ramp(1.0), L).epsilon
    d = pairs_for_loss(epsilon_1, 0.1)
    rng = np.random.default_rng(0)
    plus, minus = (rng.choice(np.flatnonzero(l == sign), d) for sign in (1, -1))
    g = Ramp(1.0)(K[:, plus] - K[:, minus]).mean(axis=1)
    assert L(g).mean() > epsilon + epsilon_1  # as printed
    assert L(l * g).mean() <= epsilon + epsilon_1


def test_ft_9_goodness_by_an_asymmetric_w_promises_nothing():
    """All are more similar to the positive ones; by w = l(x') that is (0, gamma, 1)-good."""
    l = np.repeat([1.0, -1.0], 10)
    K = np.broadcast_to(np.where(l > 0, 1.0, 0.0), (20, 20))
    w = np.broadcast_to(l[:, None], (20, 20))
    assert goodness(K, l, Ramp(1.0), 0.5, w=w).epsilon == 0.0
    plus = np.flatnonzero(l > 0)
    minus = np.flatnonzero(l < 0)
    g = (w[plus, minus] * Ramp(1.0)(K[:, plus] - K[:, minus])).mean(axis=1)  # Theorem 2
    assert (np.sign(g) != l).mean() == 0.5
    # a symmetric w says so
    assert goodness(K, l, Ramp(1.0), 0.4, w=np.ones((20, 20))).epsilon == 0.5


def test_ft_10_the_number_of_pairs_must_not_depend_on_the_unit_of_the_loss():
    """A hinge loss 80 times as large needs as many pairs; as printed one pair is enough, and then
    the promise breaks in nearly every draw.
    """
    rng = np.random.default_rng(0)
    n, s, delta = 400, 80.0, 0.1
    l = np.where(np.arange(n) < n // 2, 1, -1)
    K = np.where(rng.random((n, n)) < 0.75, 0.5, -0.5) * np.where(l[:, None] == l, 1, -1)

    def L(margin):
        return s * np.maximum(0.0, 1.0 - margin / 0.45)

    epsilon_1, C_L = 0.5 * s, s / 0.45
    epsilon = goodness_of_loss(K, l, Ramp(1.0), L).epsilon
    printed = max(1, math.ceil(16 * (C_L / epsilon_1) ** 2 * math.log(4 / (delta * epsilon_1))))
    d = pairs_for_loss(epsilon_1, delta, C_L=C_L)
    assert printed == 1 and d == pairs_for_loss(0.5, delta, C_L=1 / 0.45) > 1000

    def broken(d):
        plus, minus = rng.integers(n // 2, size=d), n // 2 + rng.integers(n // 2, size=d)
        g = Ramp(1.0)(K[:, plus] - K[:, minus]).mean(axis=1)
        return L(l * g).mean() > epsilon + epsilon_1

    assert np.mean([broken(printed) for _ in range(100)]) > 0.9
    assert np.mean([broken(d) for _ in range(50)]) <= delta
