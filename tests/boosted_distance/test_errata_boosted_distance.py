"""Each corrected line of Boosted Distance, as its PAPER.md lists them: the printed one is wrong."""

import numpy as np
import oracles_boosting as oracles
import pytest

from refimpl.boosted_distance import algorithm

OMEGA = np.array([[0.0], [0.2], [1.0], [1.3]])
LABELS = np.array([0, 0, 1, 1])


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


CORNERS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize("T", [1, 5])
def test_bd_4_where_nothing_can_be_learnt_all_similarities_are_0(T, kernels):
    """Equal vectors in classes of 1 to 29, and copies of XOR: every stump errs on half."""
    sizes = [(a, b) for a in range(1, 30, 4) for b in range(2, 30, 3)] + [(1, 2, 3), (7, 7, 5, 2)]
    problems = [(np.ones((sum(s), 2)), np.repeat(np.arange(len(s)), s)) for s in sizes]
    problems += [(np.tile(CORNERS, (k, 1)), np.tile([0, 0, 1, 1], k)) for k in range(1, 8)]
    for Omega, l in problems:
        Phi = algorithm.boosted_distance(Omega, l, T, kernels=kernels)
        for C, Phi_C in Phi.items():
            assert Phi_C.alpha.tolist() == [0.0] * T
            S = algorithm.similarity(Omega[:3] + 0.3, Omega[l == C], Phi_C, kernels=kernels)
            assert not S.any()
        first = algorithm.nearest_neighbor_boosted_distance(Omega, Phi, Omega, l)
        assert (first == l[0]).all()


def test_bd_4_takes_nothing_from_an_error_that_counts():
    for n in (2, 100, 10**6):
        assert algorithm.error_beyond_rounding(0.5 - (n + 1) * 2.0**-52, n) < 0.5
        assert algorithm.error_beyond_rounding(0.5 + n * 2.0**-53, n) == 0.5
    assert algorithm.error_beyond_rounding(0.0, 4) == 2.0**-52
