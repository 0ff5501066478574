"""The algorithms as printed: against the oracle, the form for use, and twin against twin."""

import itertools

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import assert_same

import refimpl.boosted_distance as for_use
from refimpl.boosted_distance import BoostedDistance, algorithm
from refimpl.boosted_distance.weak_learners import STUMPS, DepthTwoTrees

both_learners = pytest.mark.parametrize(
    "learner", [STUMPS, DepthTwoTrees()], ids=lambda x: type(x).__name__
)
both_sums = pytest.mark.parametrize("normalize", [True, False])

LABELS = np.array([4, 7, 7, 2, 4, 7, 2, 4, 7, 2, 7])
T = 6


@pytest.fixture(scope="module", params=range(3))
def problem(request):
    """Classes of 3, 3 and 5 vectors with many equal differences, errors and vectors."""
    rng = np.random.default_rng(request.param)
    Omega = rng.integers(0, 5, (11, 3)) * 1.0
    Omega[8] = Omega[1]  # of one class
    Omega[9] = Omega[0]  # of two
    return Omega, LABELS, np.concatenate([Omega, rng.random((7, 3)) * 5])


def total(Phi):
    """The sum of the weights, added up round by round."""
    return list(itertools.accumulate(Phi.alpha.tolist()))[-1]


def model_of(Phi):
    """The result of the form for use with the printed form's ensembles."""
    return BoostedDistance(np.array(list(Phi)), tuple(Phi.values()))


def stumps_of(Phi):
    """What the oracle takes: a list of (alpha, f, p, theta)."""
    return list(zip(Phi.alpha, Phi.feature, Phi.polarity, Phi.threshold, strict=True))


# ---------------------------------------------------------------------------------------------- § 3


@pytest.mark.parametrize("p", [1, -1])
@pytest.mark.parametrize("theta", [-1.0, 0.0, 0.5, -np.inf])
def test_a_stump_is_strict_on_either_side(p, theta):
    x = np.array([[9.0, -1.0], [9.0, 0.0], [9.0, 0.5], [9.0, 2.0]])
    assert algorithm.h(x, 1, p, theta).tolist() == [oracles.stump(v, p, theta) for v in x[:, 1]]


def test_similarity_is_the_ensemble_at_the_differences(problem, kernels):
    """Eqs. 2 to 4 say the same of a pair; the ensemble that A.2 returns can be called as H."""
    Omega, l, Y = problem
    Phi = algorithm.boosted_distance(Omega, l, T, kernels=kernels)
    for C in Phi:
        S = algorithm.similarity(Y, Omega[l == C], Phi[C], normalize=False, kernels=kernels)
        for i, y in enumerate(Omega[l == C]):
            assert_same(S[:, i].copy(), algorithm.H(Y - y, Phi[C]))
            assert_same(S[:, i].copy(), Phi[C](Y - y))
            assert S[:, i].tolist() == [oracles.similarity(x, y, stumps_of(Phi[C])) for x in Y]
        normal = algorithm.similarity(Y, Omega[l == C], Phi[C], kernels=kernels)
        assert_same(normal, S / total(Phi[C]))


# --------------------------------------------------------------------------- Algorithms A.1 and A.2


@both_learners
def test_the_form_for_use_trains_the_same_ensembles(problem, kernels, learner):
    """At once, and continued after two rounds; the plain sets likewise."""
    Omega, l, _ = problem
    options = {"weak_learner": learner, "kernels": kernels}
    printed = algorithm.boosted_distance(Omega, l, T, **options)
    used = for_use.boosted_distance(Omega, l, T, **options)
    assert used == model_of(printed) and list(used) == list(printed)
    two = algorithm.boosted_distance(Omega, l, 2, **options)
    assert for_use.boosted_distance(Omega, l, T, start=model_of(two), **options) == used
    P = Omega[l == 7]
    N = Omega[l != 7]
    assert for_use.adaboost(P, N, T, **options) == algorithm.adaboost(P, N, T, **options)


# ------------------------------------------------------------------------------------ Algorithm A.3


@both_learners
@both_sums
def test_the_form_for_use_gives_the_same_labels(problem, kernels, learner, normalize):
    Omega, l, Y = problem
    Phi = algorithm.boosted_distance(Omega, l, T, weak_learner=learner, kernels=kernels)
    model = model_of(Phi)
    options = {"normalize": normalize, "kernels": kernels}
    printed = algorithm.nearest_neighbor_boosted_distance(Y, Phi, Omega, l, normalize=normalize)
    assert_same(for_use.nearest_neighbor_boosted_distance(model, Y, Omega, l, **options), printed)
    stages = dict(for_use.staged_nearest_neighbor(model, Y, Omega, l, [2, T], **options))
    assert_same(stages[T], printed)
    two = {C: P.rounds(0, 2) for C, P in Phi.items()}
    assert_same(
        stages[2],
        algorithm.nearest_neighbor_boosted_distance(Y, two, Omega, l, normalize=normalize),
    )
    S = for_use.similarity(model, Y, Omega, l, **options)
    for C in Phi:
        assert_same(S[:, l == C], algorithm.similarity(Y, Omega[l == C], Phi[C], **options))


def test_equal_similarities_give_the_first_label():
    """Two classes of equal vectors: the first training vector decides."""
    Omega = np.zeros((3, 1))
    l = np.array([1, 0, 0])
    Phi = algorithm.boosted_distance(Omega, l, 2)
    for labels, expected in (([1, 0, 0], 1), ([0, 0, 1], 0)):
        got = algorithm.nearest_neighbor_boosted_distance(Omega, Phi, Omega, np.array(labels))
        assert got.tolist() == [expected] * 3


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_is_the_best_stump_and_the_best_of_each_side(seed, kernels):
    """Small integers: many equal values, and sides of one class."""
    rng = np.random.default_rng(seed)
    P, N = rng.integers(0, 4, (7, 3)) * 1.0, rng.integers(1, 5, (9, 3)) * 1.0
    X, l = np.concatenate([P, N]).tolist(), [1] * len(P) + [0] * len(N)
    w = rng.integers(1, 9, len(l)) / 128
    learner = DepthTwoTrees()
    data = learner.prepare(P, N, kernels=kernels, threads=None)
    epsilon, h = learner.select(data, w, np.array(l, dtype=bool), kernels=kernels, threads=None)
    _, f, p, theta = oracles.best_error(X, w.tolist(), l)
    stumps, error, said = [(f, p, theta)], 0, np.zeros(len(l), dtype=int)
    side = np.array([oracles.stump(x[f], p, theta) for x in X])
    for of in (side == 1, side == 0):
        least, f, p, theta = oracles.best_error(X, (w * of).tolist(), l)
        stumps.append((f, p, theta))
        error += least
        said[of] = [oracles.stump(x[f], p, theta) for x, is_of in zip(X, of, strict=True) if is_of]
    assert list(zip(*h, strict=True)) == stumps and epsilon == error
    assert np.array_equal(learner.classify(data, h), said == 1)
    assert w[said != l].sum() == error
