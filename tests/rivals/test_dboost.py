"""DBOOST: each round against literal loops, twins, and data that leave it little."""

import math

import numpy as np
import oracles_ftune as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_boosting import best_error
from sklearn.datasets import load_wine

from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance
from refimpl.rivals.dboost import dboost


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32), n=st.integers(4, 12), m=st.integers(1, 3), by_weight=st.booleans()
)
def test_every_round_is_the_best_stump_on_its_pairs(kernels, seed, n, m, by_weight):
    """The error is the least over both polarities and all thresholds, alpha and the weights are
    AdaBoost's.
    """
    rng = np.random.default_rng(seed)
    S = np.rint(3 * rng.normal(size=(n, n)))
    T = 5
    labels = np.append([0, 0, 1, 1], rng.integers(0, 2, n - 4))
    model = dboost(
        S, labels, T, rng=np.random.default_rng(seed), m=m, by_weight=by_weight, kernels=kernels
    )
    plus, minus = model.landmarks[model.plus[0]], model.landmarks[model.minus[0]]
    assert (labels[plus] == 1).all() and (labels[minus] == 0).all()
    positive = (labels == 1).tolist()
    votes = []
    for t in range(T):
        p = model.polarity[0, t]
        theta = model.threshold[0, t]
        votes.append(
            [1 if p * (S[x, plus[t]] - S[x, minus[t]]) < p * theta else -1 for x in range(n)]
        )
    weights = oracle.adaboost_weights(votes, positive, model.alpha[0].tolist())
    for t in range(T):
        error = sum(
            w for w, h, l in zip(weights[t], votes[t], positive, strict=True) if (h > 0) != l
        )
        assert model.epsilon[0, t] == pytest.approx(error, abs=1e-9)
        features = [[S[x, plus[t]] - S[x, minus[t]]] for x in range(n)]
        least = float(best_error(features, weights[t], positive)[0])
        assert model.epsilon[0, t] == pytest.approx(least, abs=1e-9)
        bounded = max(model.epsilon[0, t], 2.0**-52)
        alpha = 0.5 * math.log((1 - model.epsilon[0, t]) / bounded)
        assert model.alpha[0, t] == pytest.approx(alpha, abs=1e-12)
    total = model.alpha[0].sum()
    expected = np.array(votes).T @ model.alpha[0] / (total if total > 0 else 1.0)
    np.testing.assert_allclose(model.decision(S[:, model.landmarks])[:, 0], expected, atol=1e-12)


def wine():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = np.array(list("abc"))[y]
    order = np.random.default_rng(0).permutation(len(X))
    a = order[:100]
    b = order[100:]
    return Similarity(Gaussian(mean_distance(X[a])), X[a], pairwise=True), y[a], X[b], y[b]


def test_several_classes(kernels):
    K, y, Q, q = wine()
    model = dboost(K, y, 30, rng=np.random.default_rng(0), m=3, kernels=kernels)
    assert model.alpha.shape == (3, 30) and (model.predict(K, Q) == q).mean() > 0.85
    few = model.predict(K, Q, rounds=1)
    assert (few == q).mean() < (model.predict(K, Q) == q).mean()
    before = K.computed
    model.predict(K, Q)
    assert K.computed - before == len(model.landmarks) * len(Q)


def test_no_information_and_no_error():
    flat = dboost(np.ones((4, 4)), [0, 0, 1, 1], 3, rng=np.random.default_rng(0))
    assert np.isfinite(flat.alpha).all() and flat.decision(
        np.ones((1, len(flat.landmarks)))
    ).shape == (1, 1)
    block = np.kron(np.eye(2), np.ones((2, 2)))
    perfect = dboost(block, [0, 0, 1, 1], 3, rng=np.random.default_rng(0))
    assert (perfect.epsilon == 0).all() and np.isfinite(perfect.alpha).all()
    assert perfect.predict(block, block).tolist() == [0, 0, 1, 1]
