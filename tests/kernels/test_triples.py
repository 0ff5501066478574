"""The kernels of triples: against brute force, and twin against twin bit for bit."""

import math

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import KERNELS, assert_same
from boostmap_toys import margin_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from refimpl import kernels as reference
from refimpl.kernels.exponentials import exp
from refimpl.kernels.losses import middle_of
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import margins

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)


@st.composite
def problems(draw, most=80):
    """Embeddings, triples, orders and weights with ties, constants and weights that vanish."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, 12))
    m = draw(st.integers(1, 4))
    t = draw(st.integers(1, most))
    F = rng.normal(size=(m, n)) * draw(st.sampled_from([1e-160, 1e-60, 1e-6, 1.0, 1e4, 1e160]))
    if draw(st.booleans()):
        F = F * 10.0 ** rng.uniform(-30, 30, n)
    if draw(st.booleans()):
        F = np.rint(F)
    w = rng.random(t) ** draw(st.sampled_from([0, 1, 8, 200]))
    w = np.full(t, 1 / t) if w.sum() == 0 else w / w.sum()
    triples = rng.integers(0, n, size=(t, 3)).astype(np.int32)
    return F, triples, rng.choice([-1.0, 1.0], t), on_grid(w)


@each
@settings(max_examples=60, deadline=None)
@given(case=problems())
def test_weighted_errors_are_exact(kernels, case):
    F, triples, y, w = case
    found = kernels.weighted_errors(F, triples, y, w)
    assert found.tolist() == [
        float(oracles.weighted_error(f, triples.tolist(), y, w)) for f in F.tolist()
    ]


@each
@settings(max_examples=40, deadline=None)
@given(case=problems(), seed=st.integers(0, 99))
def test_z_is_the_sum_of_eq_12(kernels, case, seed):
    F, triples, y, w = case
    alpha = np.random.default_rng(seed).normal(size=len(F)) / np.abs(F).max(initial=1e-9)
    found = kernels.z_values(F, triples, y, margin_of(w), alpha)
    for c, f in enumerate(F.tolist()):
        u = [l * oracles.margin(f, *triple) for triple, l in zip(triples.tolist(), y, strict=True)]
        assert found[c] == pytest.approx(oracles.z_value(u, w, alpha[c]), rel=1e-13)


@each
@settings(max_examples=40, deadline=None)
@given(case=problems(), seed=st.integers(0, 99))
def test_next_weights_are_those_of_eq_9(kernels, case, seed):
    F, triples, y, w = case
    alpha = float(np.random.default_rng(seed).normal() / np.abs(F[0]).max(initial=1e-9))
    before = margin_of(w)
    margin, after, z = kernels.next_weights(F[0], triples, y, before, alpha)
    u = [l * oracles.margin(F[0].tolist(), *o) for o, l in zip(triples.tolist(), y, strict=True)]
    assert z == pytest.approx(oracles.z_value(u, w, alpha), rel=1e-12)
    np.testing.assert_allclose(margin, before + alpha * np.array(u), rtol=1e-12, atol=1e-12)
    expected = w * np.exp(np.clip(-alpha * np.array(u), -700, 500)) / z
    np.testing.assert_allclose(after, expected, rtol=1e-11, atol=2**-53)


@each
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


@each
@pytest.mark.parametrize("m", [7, 8, 9, 17])
def test_an_embedding_beside_others_gets_what_it_gets_alone(kernels, m):
    """Eight embeddings are looked at together; the last ones are fewer."""
    rng = np.random.default_rng(m)
    F = np.rint(rng.normal(size=(m, 12)) * 3)
    triples = rng.integers(0, 12, (150, 3)).astype(np.int32)
    y = rng.choice([-1.0, 1.0], 150)
    w = on_grid(np.full(150, 1 / 150))
    thresholds = np.sort(rng.normal(size=(m, 3)), axis=1)
    ranges = np.array([[0, 4], [1, 3], [3, 1], [2, 4]])
    errors = kernels.weighted_errors(F, triples, y, w)
    sums = kernels.margin_sums(F, triples, y, w)
    least, best = kernels.best_ranges(F, F, triples, y, w, thresholds, ranges)
    for c in range(m):
        alone = F[c : c + 1]
        f = F[c].tolist()
        u = np.array([l * oracles.margin(f, *o) for o, l in zip(triples.tolist(), y, strict=True)])
        assert errors[c] == float(oracles.weighted_error(f, triples.tolist(), y, w))
        expected = [w[u > 0].sum(), w[u < 0].sum(), (w * u)[u > 0].sum(), -(w * u)[u < 0].sum()]
        expected += [(w * u * u)[u > 0].sum(), (w * u * u)[u < 0].sum(), u.max(), -u.min()]
        np.testing.assert_allclose(sums[c], expected, rtol=1e-12)
        assert_same(kernels.margin_sums(alone, triples, y, w)[0], sums[c])
        of_one = thresholds[c : c + 1]
        error, place = kernels.best_ranges(alone, alone, triples, y, w, of_one, ranges)
        assert (error[0], place[0]) == (least[c], best[c])


@each
@settings(max_examples=40, deadline=None)
@given(case=problems(), seed=st.integers(0, 99))
def test_minimum_of_z(kernels, case, seed):
    F, triples, y, w = case
    scale = np.abs(F).max(initial=1e-9)
    least = -np.random.default_rng(seed).random(len(F)) / scale
    alpha, Z = kernels.minimize_z(F, triples, y, margin_of(w), least)
    for c, f in enumerate(F.tolist()):
        u = [l * oracles.margin(f, *triple) for triple, l in zip(triples.tolist(), y, strict=True)]
        assert alpha[c] >= least[c]
        assert Z[c] == pytest.approx(oracles.z_value(u, w, alpha[c]), rel=1e-12)
        mean = math.fsum(v * abs(x) for x, v in zip(u, w, strict=True))
        # the documented end
        most = max(least[c], 0.0) + 52 * math.log(2) / mean if mean > 0 else 1.0
        best, _ = oracles.least_z(u, w, least[c], most)
        assert Z[c] <= best * (1 + 1e-10) + 2**-50


def test_the_minimum_is_where_scipy_finds_it():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(30, 40))
    triples = rng.integers(0, 40, (900, 3)).astype(np.int32)
    y = rng.choice([-1.0, 1.0], 900)
    w = on_grid(np.full(900, 1 / 900))
    alpha, Z = reference.minimize_z(F, triples, y, margin_of(w), np.full(30, -0.02))
    for c in range(30):
        u = y * margins(F[c], triples)
        found = minimize_scalar(
            lambda a, u=u: w @ np.exp(-a * u),
            bounds=(-0.02, 3),
            method="bounded",
            options={"xatol": 1e-12},
        )
        # SciPy stays off the ends of its interval
        assert found.fun - 1e-9 < Z[c] <= found.fun + 1e-12
        slope = w @ (u * np.exp(-alpha[c] * u)), w @ (u * u * np.exp(-alpha[c] * u))
        assert alpha[c] == -0.02 or abs(slope[0] / slope[1]) < 1e-10


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


@each
def test_the_minimum_lies_beyond_where_the_mean_margin_would_end_the_search(kernels):
    u = np.array([1000.0, 0.001, -0.0005])
    w = on_grid(np.array([0.5, 0.49, 0.01]))
    alpha, Z = kernels.minimize_z(*of_margins(u), margin_of(w), np.zeros(1))
    assert alpha[0] == pytest.approx(3056.64, abs=0.01) and Z[0] == pytest.approx(0.0692, abs=1e-4)
    assert alpha[0] == pytest.approx(minimum_by_bisection(u, w), rel=1e-9)


@each
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


@each
def test_nothing_wrong_keeps_the_documented_end(kernels):
    for u in ([1e40, 1.0, 1e-40], [3.0, 2.0, 1.0], [1e200, 1.0, 1.0]):
        w = on_grid(np.array([2.0**-50, 0.5, 0.5 - 2.0**-50]))
        alpha, Z = kernels.minimize_z(*of_margins(np.array(u)), margin_of(w), np.array([-0.5]))
        assert alpha[0] == pytest.approx(52 * math.log(2) / (w @ u), rel=1e-12) and 0 < Z[0] < 1
        alpha, Z = kernels.minimize_z(
            *of_margins(-np.array(u)), margin_of(w), np.array([-700 / u[0]])
        )
        assert alpha[0] == -700 / u[0] and 0 < Z[0] < 1  # nothing right: the least alpha


@each
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


@each
def test_a_margin_of_weight_0_does_not_count(kernels):
    """Not even one that leaves float64 when the others are rescaled."""
    u, w = np.array([3e-60, -1e-60, 2e20]), np.array([0.5, 0.5, 0.0])
    alpha, Z = kernels.minimize_z(*of_margins(u), margin_of(w), np.zeros(1))
    assert alpha[0] == pytest.approx(math.log(3) / 4e-60, rel=1e-9)
    assert Z[0] == pytest.approx((3**-0.75 + 3**0.25) / 2, rel=1e-12)


@each
def test_no_mistake_and_no_information(kernels):
    F = np.array([[0.0, 1.0, 3.0], [2.0, 2.0, 2.0]])
    triples = np.array([[0, 1, 2], [1, 0, 2]], dtype=np.int32)
    y = np.ones(2)
    w = np.full(2, 0.5)
    alpha, Z = kernels.minimize_z(F, triples, y, margin_of(w), np.zeros(2))
    assert np.isfinite(alpha).all() and 0 < Z[0] < 1e-9 and (alpha[1], Z[1]) == (0.0, 1.0)
    alpha, Z = kernels.minimize_z(F, triples, -y, margin_of(w), np.array([-0.25, -0.5]))
    assert alpha[0] == -0.25 and Z[0] < 1


@each
@settings(max_examples=50, deadline=None)
@given(case=problems(), seed=st.integers(0, 99))
def test_best_ranges(kernels, case, seed):
    F, triples, y, w = case
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    values = rng.integers(0, 6, F.shape) / 1.0
    t = rng.integers(0, 6, (len(F), k)) - rng.choice([0.5, 0.0], (len(F), k))  # 0: at a value
    t.sort(axis=1)
    i, j = np.triu_indices(k + 2, 1)
    ranges = np.concatenate([np.stack([i, j], axis=1), np.stack([j, i], axis=1)]).astype(np.int64)
    error, best = kernels.best_ranges(values, F, triples, y, w, t, ranges)
    for c in range(len(F)):
        cells = [sum(edge <= v for edge in t[c]) for v in values[c]]
        errors = []
        for one, two in ranges.tolist():
            wanted = set(range(one, two)) if one < two else set(range(k + 1)) - set(range(two, one))
            errors.append(oracles.range_error(cells, F[c].tolist(), triples.tolist(), y, w, wanted))
        assert (error[c], best[c]) == (float(min(errors)), errors.index(min(errors)))


@each
def test_weights_are_rounded_to_the_grid_where_errors_are_exact(kernels):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(5, 9))
    triples = rng.integers(0, 9, (500, 3)).astype(np.int32)
    y = rng.choice([-1.0, 1.0], 500)
    w = rng.random(500)
    w /= 1.001 * w.sum()
    assert (w != on_grid(w)).any()
    t = np.sort(rng.normal(size=(5, 2)), axis=1)
    ranges = np.array([[0, 3], [1, 3], [2, 1]])
    assert_same(
        kernels.weighted_errors(F, triples, y, w),
        reference.weighted_errors(F, triples, y, on_grid(w)),
    )
    expected = reference.best_ranges(F, F, triples, y, on_grid(w), t, ranges)
    for found, one in zip(
        kernels.best_ranges(F, F, triples, y, w, t, ranges), expected, strict=True
    ):
        assert_same(found, one)


@each
def test_no_classifiers(kernels):
    none = np.empty((0, 4))
    triples = np.zeros((2, 3), dtype=np.int32)
    y = np.ones(2)
    w = np.full(2, 0.5)
    assert_same(kernels.weighted_errors(none, triples, y, w), np.empty(0))
    assert_same(kernels.margin_sums(none, triples, y, w), np.empty((0, 8)))
    assert_same(kernels.z_values(none, triples, y, margin_of(w), np.empty(0)), np.empty(0))
    for found in kernels.minimize_z(none, triples, y, margin_of(w), np.empty(0)):
        assert_same(found, np.empty(0))
    t = np.empty((0, 10**12))
    ranges = np.zeros((1, 2), dtype=np.int64)
    error, best = kernels.best_ranges(none, none, triples, y, w, t, ranges)
    assert_same(error, np.empty(0))
    assert_same(best, np.empty(0, dtype=np.int64))


def test_exp_is_accurate():
    x = np.concatenate([np.linspace(-700, 500, 20001), np.linspace(-1e-3, 1e-3, 2001), [0.0, -0.0]])
    exact = np.exp(x.astype(np.longdouble))
    assert np.abs(exp(x) / exact - 1).max() < 4e-16
    assert exp(np.array([0.0])) == 1.0
    assert exp(np.array([-1e308, -700.1, 1e308])).tolist() == [0.0, 0.0, exp(np.full(1, 500.0))[0]]


@each
def test_a_classifier_that_is_right_where_no_weight_counts_gets_no_weight(kernels):
    F = np.array([[0.0, 0, 1, 0, 0, 0]])
    triples = np.array([[0, 1, 2], [3, 4, 5]], dtype=np.int32)
    margin = np.array([40.0, 0.0])
    alpha, Z = kernels.minimize_z(F, triples, np.ones(2), margin, np.zeros(1))
    assert alpha == 0.0 and Z == 1.0


@each
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
