"""Weights of training vectors: 2 is a vector given twice, 0 a vector left out.

Not tested here: the estimator's other parameters (tests/estimators).
"""

import numpy as np
import pytest
from agreement import KERNELS

from refimpl.boosted_distance import boosted_distance, estimate_memory
from refimpl.estimators import BoostedDistanceClassifier


def problem(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, d)).astype(np.float64)
    y = np.arange(n) % 2
    X[:, 0] += 2 * y
    return X, y


def same_stumps(one, other):
    for a, b in zip(one.ensembles, other.ensembles, strict=True):
        assert np.array_equal(a.feature, b.feature) and np.array_equal(a.polarity, b.polarity)
        assert np.array_equal(a.threshold, b.threshold)
        assert np.allclose(a.alpha, b.alpha, rtol=1e-9)


@pytest.mark.parametrize("module", KERNELS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("seed", range(8))
def test_a_weight_is_a_number_of_copies(seed, module):
    X, y = problem(14, 3, seed)
    copies = np.random.default_rng(seed).integers(0, 4, 14)
    copies[:4] = 1
    given = boosted_distance(X, y, 5, sample_weight=copies, kernels=module)
    repeated = boosted_distance(X.repeat(copies, axis=0), y.repeat(copies), 5, kernels=module)
    same_stumps(given, repeated)


def test_equal_weights_of_any_size_change_no_bit():
    X, y = problem(12, 2)
    plain = boosted_distance(X, y, 6)
    for weight in (1, 2.0, 2.0**-1000, 2.0**900):
        assert boosted_distance(X, y, 6, sample_weight=np.full(12, weight)) == plain


def test_a_class_of_weights_whose_products_vanish_keeps_them():
    """Each set has half of the weight, so a power of two for a whole class changes no bit."""
    X, y = problem(12, 2)
    light = np.where(y == 0, 2.0**-1000, 1.0)
    assert boosted_distance(X, y, 6, sample_weight=light) == boosted_distance(X, y, 6)


def test_the_estimator_takes_them():
    X, y = problem(16, 3)
    copies = np.arange(16) % 3
    model = BoostedDistanceClassifier(4).fit(X, y, sample_weight=copies)
    repeated = BoostedDistanceClassifier(4).fit(X.repeat(copies, axis=0), y.repeat(copies))
    assert np.array_equal(model.predict(X + 0.25), repeated.predict(X + 0.25))
    same_stumps(model.model_, repeated.model_)
    again = BoostedDistanceClassifier(2, warm_start=True).fit(X, y, sample_weight=copies)
    again.set_params(n_estimators=4).fit(X, y, sample_weight=copies)
    assert again.model_ == model.model_
    with pytest.raises(ValueError, match="sample_weight must be that of the last fit"):
        again.fit(X[copies > 0], y[copies > 0])


def test_training_goes_on_with_the_same_weights():
    X, y = problem(12, 2)
    v = 1.0 + np.arange(12)
    half = boosted_distance(X, y, 3, sample_weight=v)
    assert boosted_distance(X, y, 6, sample_weight=v, start=half) == boosted_distance(
        X, y, 6, sample_weight=v
    )
    assert estimate_memory(X, y, 6, sample_weight=v) > estimate_memory(X, y, 6)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.ones(3), "sample_weight must hold a finite number of at least 0 for each of the 12"),
        (np.append(np.ones(11), -1.0), r"at least 0 for each .*; got -1.0 for vector 11"),
        (np.full(12, np.nan), "sample_weight must hold a finite number of at least 0"),
        (np.arange(12) % 2, "sample_weight must be above 0 for vectors of two classes or more"),
        (np.where(np.arange(12) % 2, 1e300, 1e-300), "two classes .*; got weights that .* vanish"),
        (["a"] * 12, "sample_weight must hold real numbers"),
    ],
)
def test_other_weights_are_refused(weight, words):
    X, y = problem(12, 2)
    with pytest.raises((TypeError, ValueError), match=words):
        boosted_distance(X, y, 2, sample_weight=weight)
