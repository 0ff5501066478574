"""Each corrected line of ERRATA.md: the printed one is wrong."""

import math

import numpy as np

from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance, similarity

X = np.array([[0.0], [0.2], [1.0], [1.3]])
LABELS = np.array([0, 0, 1, 1])


def test_bd_1_printed_weights_are_negative():
    model = boosted_distance(X, LABELS, 1)[0]
    beta = math.exp(-model.alpha[0])
    assert 1 / math.log(beta) < 0 < math.log(1 / beta)


def test_bd_2_the_printed_sum_leaves_the_unit_interval_and_decides_the_label():
    rng = np.random.default_rng(0)
    A, labels = rng.normal(size=(40, 3)), np.arange(40) % 4 == 0
    Y = rng.normal(size=(60, 3))
    models = boosted_distance(A, labels, 10)
    assert similarity(Y, models, A, labels).max() > 1
    literal, normal = (nearest_neighbor_boosted_distance(Y, models, A, labels, normalize=n) for n in (False, True))
    assert (literal != normal).any()


def test_bd_3_no_error_gives_a_finite_weight():
    models = boosted_distance(np.array([[0.0], [0.0], [1.0], [1.0]]), LABELS, 3)
    assert all(np.isfinite(m.alpha).all() and m.alpha[0] > 36 for m in models.values())
