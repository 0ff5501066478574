"""TRAIN: the optimum against LIBLINEAR, the certificate, and degenerate data."""

import numpy as np
import oracles_ftune as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refimpl.ftune.linear_models import LOSSES, LinearModel, loss, path, train


def data(seed, n, d, noise=0.5):
    rng = np.random.default_rng(seed)
    X = np.clip(rng.normal(size=(n, d)), -1, 1)
    return X, np.where(X[:, 0] + 0.5 * X[:, -1] + noise * rng.normal(size=n) > 0.2, 1, -1)


def value(name, X, y, C, w):
    return oracle.objective(name, X.tolist(), y.tolist(), C, w.tolist())


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 40),
    d=st.integers(1, 12),
    name=st.sampled_from(sorted(LOSSES)),
    C=st.sampled_from([1e-3, 1.0, 1000.0]),
    bias=st.sampled_from([0.0, 1.0]),
)
def test_no_weights_are_below_the_certificate(seed, n, d, name, C, bias):
    """Equal columns or points, one class, zeros: no other w is below by more than the gap."""
    rng = np.random.default_rng(seed)
    X, y = data(seed, n, d)
    X = np.rint(X) if seed % 3 == 0 else X
    X[:, rng.integers(d)] = X[:, 0]
    model = train(X, y, C, loss=name, bias=bias)
    assert model.converged and model.iterations < 100
    Z = np.column_stack([X, np.full(n, bias)])
    w = np.append(model.w, model.b / bias if bias else 0.0)
    assert model.objective == pytest.approx(value(name, Z, y, C, w), rel=1e-9)
    for scale in (1e-6, 1e-3, 0.1):
        other = w + scale * rng.normal(size=d + 1) * (1 if bias else np.arange(d + 1) < d)
        assert value(name, Z, y, C, other) >= model.objective - model.gap - 1e-9 * model.objective


def test_losses_are_the_oracles():
    margins = np.array([-800.0, -1.5, 0.0, 0.3, 1.0, 2.0, 800.0])
    for name in LOSSES:
        np.testing.assert_allclose(
            loss(name, margins), [oracle.loss(name, m) for m in margins], rtol=1e-14
        )


def test_a_loss_that_there_is_not():
    with pytest.raises(ValueError, match=r"loss must be 'hinge'.*; got 'perceptron'"):
        loss("perceptron", [0.0])


def test_a_start_changes_the_way_and_not_the_end():
    X, y = data(3, 200, 10)
    for name in LOSSES:
        first = train(X, y, 10.0, loss=name, bias=1.0)
        cold = train(X, y, 100.0, loss=name, bias=1.0)
        warm = train(X, y, 100.0, loss=name, bias=1.0, start=first)
        assert (
            warm.objective == pytest.approx(cold.objective, rel=1e-6)
            and warm.iterations <= cold.iterations
        )


@pytest.mark.parametrize("n, d", [(300, 20), (40, 60)])
def test_the_steps_are_those_of_the_whole_products(n, d):
    """Weights of 1 add up the products of all rows in each step; without weights a step adds those
    of the rows that come, and takes away those that go.
    """
    X, y = data(7, n, d)
    costs = [1.0, 1000.0, 1e-4, 100.0, 1.0]
    updated = list(path(X, y, costs, "squared_hinge", 1.0))
    whole = list(path(X, y, costs, "squared_hinge", 1.0, weights=np.ones(n)))
    assert [one.iterations for one in updated] == [other.iterations for other in whole]
    for one, other in zip(updated, whole, strict=True):
        np.testing.assert_allclose(one.w, other.w, rtol=0, atol=1e-8 * np.abs(other.w).max())


def test_a_logistic_loss_without_curvature_has_a_slope():
    """At margins of -1000 its second derivative is 0 in floating point, the first is -1."""
    X, y = np.array([[1e6]]), np.array([-1.0])
    wrong = LinearModel(np.array([1e-3]), 0.0, 0.0, 0.0, 0, True)
    model = train(X, y, 1.0, loss="logistic", start=wrong)
    assert model.converged and model.w[0] < 0
    assert model.objective == pytest.approx(train(X, y, 1.0, loss="logistic").objective, rel=1e-6)


def test_the_end_of_the_steps_is_told():
    X, y = data(3, 200, 10)
    for name in LOSSES:
        model = train(X, y, 10.0, loss=name, max_iter=1)
        assert not model.converged and model.gap > 0


@pytest.mark.parametrize("name", LOSSES)
def test_one_class_and_no_information(name):
    one = train(np.ones((4, 2)), np.ones(4, dtype=int), 10.0, loss=name, bias=1.0)
    assert one.converged and one.w.sum() + one.b > 0.5
    none = train(np.zeros((4, 2)), [1, -1, 1, -1], 10.0, loss=name)
    assert none.converged and not none.w.any() and none.b == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(X=[[0.0, np.nan]], y=[1]), "X"),
        (dict(y=[1, 0]), "y must hold 1 and -1; got 0"),
        (dict(y=[1]), "y "),
        (dict(C=2e12), "C must be between 1e-100 and 1e"),
        (dict(tol=0.0), "tol"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        train(**({"X": [[0.0, 1.0], [1.0, 0.0]], "y": [1, -1], "C": 1.0} | arguments))


@pytest.mark.parametrize("name", LOSSES)
def test_a_weight_is_as_good_as_so_many_equal_points(name):
    X, y = data(3, 60, 4)
    times = np.arange(60) % 3 + 1
    (weighted,) = path(X, y * 1.0, [2.0], name, 1.0, weights=times * 1.0)
    (repeated,) = path(
        X[np.repeat(np.arange(60), times)], np.repeat(y, times) * 1.0, [2.0], name, 1.0
    )
    assert weighted.converged and repeated.converged
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-6)
    np.testing.assert_allclose(weighted.w, repeated.w, atol=1e-3 * np.abs(repeated.w).max())
    (plain,) = path(X, y * 1.0, [2.0], name, 1.0)
    (ones,) = path(X, y * 1.0, [2.0], name, 1.0, weights=np.ones(60))
    assert ones.objective == pytest.approx(plain.objective, rel=1e-9)
