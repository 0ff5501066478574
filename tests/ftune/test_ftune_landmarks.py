"""Landmarks: DSELECT against the exhaustive greedy choice, random pairs, and what each reading
costs.
"""

import numpy as np
import oracles_ftune as oracle
import pytest
from agreement import assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from refimpl.ftune import FTuneOptions, dselect, ftune, random_landmarks
from refimpl.ftune.similarities import Gaussian, Similarity


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(4, 25), d=st.integers(1, 30), c=st.integers(2, 4))
def test_dselect_is_the_exhaustive_greedy_choice(kernels, seed, n, d, c):
    rng = np.random.default_rng(seed)
    K = np.rint(3 * rng.normal(size=(n, n)))  # not symmetric, with ties
    labels = np.append(np.arange(c), rng.integers(0, c, n - c))
    P = dselect(K, labels, d, rng=np.random.default_rng(seed), kernels=kernels)
    if c == 2 and len(np.unique(labels[P.L])) == 2 and d > 1 and len(P.L) == min(d, n):
        first = P.L[0]
        literal = oracle.greedy(K.tolist(), first, min(d, n))
        within = np.concatenate([_greedy_of_class(K, labels, P, k) for k in range(c)])
        assert P.L.tolist() in (literal, within.tolist())
    if c > 2:
        assert (
            P.L.tolist()
            == np.concatenate([_greedy_of_class(K, labels, P, k) for k in range(c)]).tolist()
        )
    assert len(set(P.L.tolist())) == len(P.L) == max(min(d, n), c)
    sizes = np.bincount(labels)
    counts = np.bincount(labels[P.L])
    if c > 2:
        assert (counts <= sizes).all() and (counts[counts < sizes] >= counts.max() - 1).all()
    _require_pairs(P, labels, d)


def _greedy_of_class(K, labels, P, k):
    T = np.flatnonzero(labels == k)
    mine = P.L[labels[P.L] == k]
    places = oracle.greedy(K[np.ix_(T, T)].tolist(), int(np.searchsorted(T, mine[0])), len(mine))
    return T[places]


def _require_pairs(P, labels, d, fresh=False):
    classes = np.unique(labels)
    problems = classes[1:] if len(classes) == 2 else classes
    assert P.plus.shape == P.minus.shape == (len(problems), d)
    assert (labels[P.plus] == problems[:, None]).all() and (
        labels[P.minus] != problems[:, None]
    ).all()
    assert fresh or (np.isin(P.plus, P.L).all() and np.isin(P.minus, P.L).all())


def test_dselect_asks_a_function_for_n_d_similarities_and_never_for_all(kernels):
    """A column at a time; a matrix and its function give the same landmarks."""
    X, y = load_iris(return_X_y=True)
    asked = []

    def K(A, B):
        asked.append((len(A), len(B)))
        return Gaussian(2.0)(A, B)

    similarity = Similarity(K, X, pairwise=True)
    P = dselect(similarity, y == 1, 20, rng=np.random.default_rng(3), kernels=kernels)
    assert asked == [(150, 1)] * 19 and similarity.computed == 19 * 150
    other = dselect(Gaussian(2.0)(X, X), y == 1, 20, rng=np.random.default_rng(3), kernels=kernels)
    assert_same(P.L, other.L)
    similarity = Similarity(K, X, pairwise=True)
    dselect(similarity, y, 21, rng=np.random.default_rng(3), kernels=kernels)
    assert similarity.computed == 3 * 6 * 50


def test_fewer_objects_than_landmarks():
    labels = np.array([0, 0, 1, 1, 1, 2])
    S = np.eye(6)
    for P in (
        dselect(S, labels, 9, rng=np.random.default_rng(0)),
        random_landmarks(labels, 9, rng=np.random.default_rng(0)),
    ):
        assert sorted(P.L.tolist()) == list(range(6)) and P.plus.shape == (3, 9)
        assert ftune(S, labels, P, options=FTuneOptions(C=1.0, choose="training")).w.shape == (3, 9)


@pytest.mark.parametrize("pool", [True, False])
def test_random_landmarks(pool):
    labels = np.array(list("aaaaaaaaaabbbbbbbbbbc"))
    for seed in range(10):
        P = random_landmarks(labels, 4, rng=np.random.default_rng(seed), pool=pool)
        _require_pairs(P, labels, 4, fresh=not pool)
        assert len(set(P.L.tolist())) == 4  # what bbs takes
    again = random_landmarks(labels, 4, rng=np.random.default_rng(9), pool=pool)
    assert_same(P.plus, again.plus)


def test_common_landmarks_hold_one_of_each_class_even_if_d_is_smaller():
    labels = np.array(list("abbbcccc"))
    for seed in range(10):
        P = random_landmarks(labels, 2, rng=np.random.default_rng(seed), pool=True)
        assert sorted(labels[P.L]) == list("abc") and P.plus.shape == (3, 2)


def test_by_default_each_problem_draws_fresh_pairs_from_all_objects():
    """Theorem 2's pairs; with `pool` they are of d landmarks."""
    few, common = (
        random_landmarks(np.arange(60) % 3, 6, rng=np.random.default_rng(0), pool=pool)
        for pool in (False, True)
    )
    assert len(np.unique([common.plus, common.minus])) <= 6
    assert len(np.unique([few.plus, few.minus])) > 18


# ------------------------------------------------------------------------- DSELECT for each problem


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(8, 25), d=st.integers(2, 12), c=st.integers(3, 5))
def test_dselect_for_each_problem_is_algorithm_1_for_each(kernels, seed, n, d, c):
    rng = np.random.default_rng(seed)
    K = np.rint(3 * rng.normal(size=(n, n)))
    labels = np.append(np.arange(c), rng.integers(0, c, n - c))
    P = dselect(K, labels, d, rng=np.random.default_rng(seed), per_problem=True, kernels=kernels)
    _require_pairs(P, labels, d)
    assert len(set(P.L.tolist())) == len(P.L)
    alone = np.random.default_rng(seed)
    again = []
    for k in range(c):
        one = dselect(K, labels == k, d, rng=alone, kernels=kernels)
        again += one.L.tolist()
        assert_same(one.plus[0], P.plus[k])
        assert_same(one.minus[0], P.minus[k])
    assert P.L.tolist() == list(dict.fromkeys(again))


def test_what_dselect_for_each_problem_costs_and_gives():
    """Each of many classes has d landmarks of its own, for n d look-ups more or twice that."""
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 20
    X = rng.normal(size=(20, 3))[labels] + 0.25 * rng.normal(size=(200, 3))
    shared = Similarity(Gaussian(2.0), X, pairwise=True)
    own = Similarity(Gaussian(2.0), X, pairwise=True)
    P = dselect(shared, labels, 20, rng=rng)
    R = dselect(own, labels, 20, rng=rng, per_problem=True)
    assert (
        len(P.L) == 20 < len(R.L) and shared.computed < 20 * 200 < own.computed < 20 * 2 * 20 * 200
    )
    assert all(len(np.unique(one)) == 1 for one in P.plus) and any(
        len(np.unique(one)) > 1 for one in R.plus
    )


def test_two_classes_are_one_problem():
    K = np.random.default_rng(0).normal(size=(15, 15))
    labels = np.arange(15) % 2
    one, two = (
        dselect(K, labels, 6, rng=np.random.default_rng(1), per_problem=p) for p in (False, True)
    )
    assert one == two


def test_by_class_of_a_problem_are_its_two_sides():
    K = np.random.default_rng(0).normal(size=(30, 30))
    labels = np.arange(30) % 3
    P = dselect(K, labels, 6, rng=np.random.default_rng(1), per_problem=True, by_class=True)
    for p in range(3):
        assert len(np.unique(P.plus[p])) <= 3 and len(np.unique(P.minus[p])) <= 3
    with pytest.raises(ValueError, match="L must have a landmark of class 1"):
        dselect(K, labels, 1, rng=np.random.default_rng(1), per_problem=True, by_class=False)
