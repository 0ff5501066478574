"""The kernels of triples: against brute force, and twin against twin bit for bit."""

import math

import numpy as np
import pytest
from agreement import assert_same
from boostmap_toys import margin_of

from refimpl.kernels.exponentials import exp
from refimpl.kernels.losses import middle_of
from refimpl.kernels.stumps import on_grid


def test_a_weight_too_small_for_float64_comes_back(kernels):
    """A classifier is right on the first triple by 5000, a second one wrong by as much."""
    triples = np.array([[0, 1, 2], [0, 1, 3]], dtype=np.int32)
    right = np.array([0.0, 0.0, 5000.0, 1.0])
    y, margin = np.ones(2), np.zeros(2)
    margin, w, z = kernels.next_weights(right, triples, y, margin, 1.0)
    assert margin.tolist() == [5000.0, 1.0] and w.tolist() == [0.0, 1.0]
    assert z == pytest.approx(math.exp(-1) / 2, rel=1e-15)
    Z = kernels.z_values(right[np.newaxis], triples, y, margin, np.array([-1.0]))
    assert Z[0] == pytest.approx(2 * math.e, rel=1e-15)
    alpha, least = kernels.minimize_z(-right[np.newaxis], triples, y, margin, np.array([-1.0]))
    assert (alpha[0], least[0]) == (-1.0, Z[0]) or least[0] < 1
    margin, w, back = kernels.next_weights(right, triples, y, margin, -1.0)
    assert margin.tolist() == [0.0, 0.0] and w.tolist() == [0.5, 0.5]
    assert back == pytest.approx(2 * math.e, rel=1e-15) and z * back == pytest.approx(1.0)


def slope_sign(u, w, alpha):
    """The sign of Z's slope, from sums of logarithms: no exponential overflows, none is cut off."""
    sides = []
    for side in (u > 0, u < 0):
        logs = np.log(w[side]) + np.log(np.abs(u[side])) - alpha * u[side]
        sides.append(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
    return np.sign(sides[1] - sides[0])


def minimum_by_bisection(u, w):
    """The alpha >= 0 with the least Z, by halving the exponents of an interval."""
    if slope_sign(u, w, 0.0) >= 0:
        return 0.0
    low, high = 1e-250, 1e250
    for _ in range(200):
        middle = math.sqrt(low) * math.sqrt(high)
        low, high = (middle, high) if slope_sign(u, w, middle) < 0 else (low, middle)
    return high


def of_margins(u):
    """One embedding and triples whose margins are u: q at 0, a and b so far away."""
    F = np.concatenate([[0.0], np.abs(u)])[np.newaxis]
    places = np.arange(1, len(u) + 1)
    triples = np.stack(
        [np.zeros(len(u)), np.where(u > 0, 0, places), np.where(u > 0, places, 0)], axis=1
    )
    return F, triples.astype(np.int32), np.ones(len(u))


@pytest.mark.parametrize("decades", [1, 6, 20, 60, 100])
def test_the_minimum_of_margins_of_all_sizes(kernels, decades):
    """Against a search by the slope's sign alone, with weights of all sizes and both signs in every
    problem.
    """
    rng = np.random.default_rng(decades)
    for _ in range(60):
        t = int(rng.integers(2, 40))
        u = rng.choice([-1.0, 1.0], t, p=[0.3, 0.7]) * 10.0 ** rng.uniform(-decades, decades, t)
        u[:2] = np.abs(u[:2]) * [1, -1]
        w = rng.random(t) ** rng.choice([1, 10, 40])
        w = np.maximum(on_grid(w / w.sum()), 2.0**-52)
        alpha, Z = kernels.minimize_z(*of_margins(u), margin_of(w), np.zeros(1))
        best = minimum_by_bisection(u, w)
        least = math.fsum(w * np.exp(np.minimum(-best * u, 700)))
        assert np.isfinite(alpha[0]) and alpha[0] >= 0
        assert Z[0] == pytest.approx(least, rel=1e-10), (u, w, best)
        assert Z[0] == pytest.approx(
            math.fsum(w * np.exp(np.minimum(-alpha[0] * u, 700))), rel=1e-12
        )


def test_nothing_wrong_keeps_the_documented_end(kernels):
    for u in ([1e40, 1.0, 1e-40], [3.0, 2.0, 1.0], [1e200, 1.0, 1.0]):
        w = on_grid(np.array([2.0**-50, 0.5, 0.5 - 2.0**-50]))
        alpha, Z = kernels.minimize_z(*of_margins(np.array(u)), margin_of(w), np.array([-0.5]))
        assert alpha[0] == pytest.approx(52 * math.log(2) / (w @ u), rel=1e-12) and 0 < Z[0] < 1
        alpha, Z = kernels.minimize_z(
            *of_margins(-np.array(u)), margin_of(w), np.array([-700 / u[0]])
        )
        assert alpha[0] == -700 / u[0] and 0 < Z[0] < 1  # nothing right: the least alpha


@pytest.mark.parametrize("size", [1e-290, 1e-170, 1e-100, 1.0, 1e100, 1e155, 1e290])
def test_values_of_any_size_have_the_same_minimum(kernels, size):
    rng = np.random.default_rng(1)
    F = rng.normal(size=(6, 30))
    triples = rng.integers(0, 30, (300, 3)).astype(np.int32)
    y = rng.choice([-1.0, 1.0], 300)
    w = on_grid(np.full(300, 1 / 300))
    power = 2.0 ** round(math.log2(size))
    alpha, Z = kernels.minimize_z(F, triples, y, margin_of(w), np.full(6, -0.1))
    with np.errstate(all="raise", under="ignore"):
        scaled, same = kernels.minimize_z(
            F * power, triples, y, margin_of(w), np.full(6, -0.1) / power
        )
    if size < 1e-120:  # margins that small count as none
        assert_same(same, kernels.z_values(F * power, triples, y, margin_of(w), scaled))
    else:
        assert_same(same, Z)
        assert_same(scaled * power, alpha)


def test_a_margin_of_weight_0_does_not_count(kernels):
    """Not even one that leaves float64 when the others are rescaled."""
    u, w = np.array([3e-60, -1e-60, 2e20]), np.array([0.5, 0.5, 0.0])
    alpha, Z = kernels.minimize_z(*of_margins(u), margin_of(w), np.zeros(1))
    assert alpha[0] == pytest.approx(math.log(3) / 4e-60, rel=1e-9)
    assert Z[0] == pytest.approx((3**-0.75 + 3**0.25) / 2, rel=1e-12)


def test_exp_is_accurate():
    x = np.concatenate([np.linspace(-700, 500, 20001), np.linspace(-1e-3, 1e-3, 2001), [0.0, -0.0]])
    exact = np.exp(x.astype(np.longdouble))
    assert np.abs(exp(x) / exact - 1).max() < 4e-16
    assert exp(np.array([0.0])) == 1.0
    assert exp(np.array([-1e308, -700.1, 1e308])).tolist() == [0.0, 0.0, exp(np.full(1, 500.0))[0]]


def test_a_classifier_that_is_right_where_no_weight_counts_gets_no_weight(kernels):
    F = np.array([[0.0, 0, 1, 0, 0, 0]])
    triples = np.array([[0, 1, 2], [3, 4, 5]], dtype=np.int32)
    margin = np.array([40.0, 0.0])
    alpha, Z = kernels.minimize_z(F, triples, np.ones(2), margin, np.zeros(1))
    assert alpha == 0.0 and Z == 1.0


def test_a_mistake_of_next_to_no_weight_limits_alpha(kernels):
    """Z = e**-alpha + e**(9 alpha - 40), but for the sum of the weights, is least at 3.78."""
    alpha, Z = kernels.minimize_z(
        *of_margins(np.array([1.0, -9.0])), np.array([0.0, 40.0]), np.zeros(1)
    )
    assert alpha[0] == pytest.approx((40 - math.log(9)) / 10, rel=1e-9)
    assert Z[0] == pytest.approx(math.exp(-alpha[0]) * 10 / 9, rel=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (4.0, 16.0, 8.0),
        (-16.0, -4.0, -8.0),
        (0.0, 8.0, 8.0 * 2.0**-40),
        (-8.0, 0.0, -8.0 * 2.0**-40),
    ],
)
def test_the_bisection_halves_the_difference_of_exponents(low, high, expected):
    """Between 0 and a number, which have no such mean, a number 2**-40 times as large is tried."""
    assert middle_of(low, high) == expected
