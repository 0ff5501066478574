"""Each corrected line of Boosted Distance, as its PAPER.md lists them: the printed one is wrong."""

import math

import numpy as np
import oracles_boosting as oracles

from refimpl.boosted_distance import algorithm

OMEGA = np.array([[0.0], [0.2], [1.0], [1.3]])
LABELS = np.array([0, 0, 1, 1])


def test_bd_1_printed_weights_are_negative():
    Phi = algorithm.boosted_distance(OMEGA, LABELS, 1)[0]
    beta = math.exp(-Phi.alpha[0])
    assert 1 / math.log(beta) < 0 < math.log(1 / beta)


def test_bd_1_printed_weights_choose_the_least_similar_vector():
    """With the printed weights Algorithm A.3 labels every training vector wrongly."""
    Phi = algorithm.boosted_distance(OMEGA, LABELS, 3)
    # log(beta) is -alpha
    for weight, right in ((lambda alpha: alpha, True), (lambda alpha: 1 / -alpha, False)):
        models = {
            C: list(zip(weight(P.alpha), P.feature, P.polarity, P.threshold, strict=True))
            for C, P in Phi.items()
        }
        for x, C in zip(OMEGA, LABELS, strict=True):
            assert (oracles.nearest(x, models, OMEGA, LABELS) == C) == right


def test_bd_2_the_printed_sum_leaves_the_unit_interval_and_decides_the_label():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 3))
    labels = np.arange(40) % 4 == 0
    Y = rng.normal(size=(60, 3))
    Phi = algorithm.boosted_distance(A, labels, 10)
    printed, corrected = (
        algorithm.similarity(Y, A[labels], Phi[True], normalize=normalize).max()
        for normalize in (False, True)
    )
    assert printed > 1 >= corrected
    literal, normal = (
        algorithm.nearest_neighbor_boosted_distance(Y, Phi, A, labels, normalize=normalize)
        for normalize in (False, True)
    )
    assert (literal != normal).any()


def test_bd_3_no_error_gives_a_finite_weight():
    Phi = algorithm.boosted_distance(np.array([[0.0], [0.0], [1.0], [1.0]]), LABELS, 3)
    assert all(np.isfinite(P.alpha).all() and P.alpha[0] > 36 for P in Phi.values())
