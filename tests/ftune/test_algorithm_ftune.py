"""The printed algorithms of Kar & Jain: against the oracle's loops, and bit for bit against the
form for use.
"""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

import refimpl.ftune as for_use
from refimpl.ftune import SLOPES, FTuneOptions, Landmarks, algorithm, landmark_pairs
from refimpl.ftune.linear_models import LOSSES
from refimpl.ftune.similarities import Similarity

FUNCTIONS = (2.0, np.inf, np.tanh, 50.0)
# what TRAIN and line 3 have in algorithm.py
PRINTED = FTuneOptions(C=1.0, bias=1.0, choose="training")


@st.composite
def tasks(draw, classes=2):
    """K neither symmetric nor semidefinite, often with ties, for an odd n; |K| is 1 at most."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = 2 * draw(st.integers(classes, 12)) + 1
    K = rng.uniform(-1, 1, (n, n))
    labels = np.append(np.repeat(np.arange(classes), 2), rng.integers(0, classes, n - 2 * classes))
    K = np.rint(3 * K) / 3 if draw(st.booleans()) else K
    return Similarity(K), rng.permutation(labels), rng


def signs(labels):
    return np.where(labels == 1, 1.0, -1.0)


def given_pairs(P):
    """``select`` that hands out these pairs, problem after problem."""
    left = iter(np.stack([P.plus, P.minus], axis=2))
    return lambda K, l, d, rng: next(left)


# -------------------------------------------------------------------------------------- Algorithm 1


def test_any_object_is_the_first_landmark(kernels):
    K = Similarity(np.eye(9))
    T = np.array([1, 4, 6, 8])
    first = [
        int(algorithm.diverse(K, T, 2, np.random.default_rng(seed), kernels=kernels)[0])
        for seed in range(200)
    ]
    names, counts = np.unique(first, return_counts=True)
    assert names.tolist() == T.tolist() and counts.min() > 25


def test_pairs_are_drawn_with_replacement_and_evenly():
    labels = signs(np.arange(9) % 3 == 0)
    P = algorithm.pairs(np.array([0, 3, 4, 7]), labels, 4000, np.random.default_rng(0))
    names, counts = np.unique(P, axis=0, return_counts=True)
    assert names.tolist() == [[0, 4], [0, 7], [3, 4], [3, 7]] and counts.min() > 850
    alone = [
        algorithm.pairs(np.array([0, 3, 4, 7]), labels, 1, np.random.default_rng(seed))
        for seed in range(100)
    ]
    assert len(np.unique(np.concatenate(alone), axis=0)) == 4  # the first pair is as random as all
    P = algorithm.random_pairs(None, labels, 4000, np.random.default_rng(0))
    names, counts = np.unique(P, axis=0, return_counts=True)
    assert len(names) == 3 * 6 and counts.min() > 150


def test_random_pairs_are_those_for_use():
    labels = np.random.default_rng(0).integers(0, 3, 30)
    P = landmark_pairs(labels, np.arange(30), 8, rng=np.random.default_rng(5))
    rng = np.random.default_rng(5)
    for p, l in enumerate(algorithm.one_vs_all(labels)):
        found = algorithm.random_pairs(None, l, 8, rng)
        assert_same(found, np.column_stack([P.plus[p], P.minus[p]]))


# -------------------------------------------------------------------------------------- Algorithm 2


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("F", [SLOPES, FUNCTIONS], ids=["ramps", "functions"])
@settings(max_examples=8, deadline=None)
@given(case=tasks(), d=st.integers(1, 9))
def test_ftune_is_bit_for_bit_that_for_use(kernels, loss, F, case, d):
    K, labels, rng = case
    P = for_use.random_landmarks(labels, d, rng=rng)
    f, w, _ = algorithm.ftune(
        F, K, loss, signs(labels), d, rng, select=given_pairs(P), kernels=kernels
    )
    model = for_use.ftune(
        K, labels, P, options=replace(PRINTED, family=F, loss=loss), kernels=kernels
    )
    assert F[model.f[0]] == f
    assert_same(model.w[0], w.w)
    assert model.b[0] == w.b
    g = algorithm.g(K.within(None, np.concatenate([P.plus[0], P.minus[0]])), f, w, kernels=kernels)
    assert_same(model.decision(K.within(None, model.landmarks), kernels=kernels)[:, 0], g)


@settings(max_examples=15, deadline=None)
@given(case=tasks(classes=4), d=st.integers(1, 9))
def test_many_classes_are_bit_for_bit_those_for_use(kernels, case, d):
    """-M chooses f* for each class, -S by the mean of the classes' losses."""
    K, labels, rng = case
    P = for_use.random_landmarks(labels, d, rng=rng)
    own = algorithm.ftune_m(
        SLOPES, K, "squared_hinge", labels, d, rng, select=given_pairs(P), kernels=kernels
    )
    f, w, _ = algorithm.ftune_s(
        SLOPES, K, "squared_hinge", labels, d, rng, select=given_pairs(P), kernels=kernels
    )
    single, multiple = for_use.ftune_single_and_per_class(
        K, labels, P, options=PRINTED, kernels=kernels
    )
    assert [SLOPES[place] for place in multiple.f] == [f_c for f_c, _, _ in own]
    assert {SLOPES[place] for place in single.f} == {f}
    for p in range(4):
        assert_same(multiple.w[p], own[p][1].w)
        assert_same(single.w[p], w[p].w)
        assert (multiple.b[p], single.b[p]) == (own[p][1].b, w[p].b)


@settings(max_examples=20, deadline=None)
@given(case=tasks(), d=st.integers(1, 5))
def test_bbs_is_bit_for_bit_that_for_use(kernels, case, d):
    K, labels, rng = case
    landmarks = rng.choice(len(labels), d, replace=False)
    w = algorithm.bbs(K, "logistic", signs(labels), landmarks)
    P = Landmarks(landmarks, landmarks[None], landmarks[None])
    model = for_use.bbs(
        K, labels, P, options=FTuneOptions(loss="logistic", C=1.0, bias=1.0), kernels=kernels
    )
    assert_same(model.w[0], w.w)
