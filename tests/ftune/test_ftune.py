"""FTUNE and BBS: their choice of f and C, and on data that leave them little; landmarks:
test_ftune_landmarks.py.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import refimpl
from refimpl.ftune import (
    FTuneOptions,
    Landmarks,
    NormalizationWarning,
    Ramp,
    bbs,
    dselect,
    ftune,
    ftune_single_and_per_class,
    landmark_pairs,
    landmarked,
    random_landmarks,
)
from refimpl.ftune.model import classes_of
from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance

FEW = FTuneOptions(family=(1.0, 10.0), C=(1.0, 100.0))


def split(load, seed=0, binary=False):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = np.array(list("abc"))[y]
    if binary:
        y = np.where(y == "b", "b", "a")
    order = np.random.default_rng(seed).permutation(len(X))
    parts = np.split(order, [len(X) // 2, 3 * len(X) // 4])
    K = Similarity(Gaussian(mean_distance(X[parts[0]])), X[parts[0]], pairwise=True)
    return K, [(X[part], y[part]) for part in parts]


@pytest.fixture(scope="module", params=[True, False], ids=["two classes", "three classes"])
def wine(request):
    return split(load_wine, binary=request.param)


# -------------------------------------------------------------------------------------- Algorithm 2


def test_new_objects_cost_look_ups_of_the_landmarks_alone(wine):
    K, ((_, y), (V, v), (Q, _)) = wine
    P = dselect(K, y, 9, rng=np.random.default_rng(0))
    before = K.computed
    model = ftune(K, y, P, validation=(V, v), options=FEW)
    trained = K.computed
    model.predict(K, Q)
    r = len(model.landmarks)
    assert (
        r <= 9 and trained - before == r * (len(y) + len(V)) and K.computed - trained == r * len(Q)
    )


def test_every_f_and_c_is_trained_and_scored_by_itself(wine):
    """And the first best of them is taken."""
    K, ((_, y), (V, v), _) = wine
    P = dselect(K, y, 12, rng=np.random.default_rng(1))
    model = ftune(K, y, P, validation=(V, v), options=FEW)
    for i, s in enumerate(FEW.family):
        for j, C in enumerate(FEW.C):
            one = ftune(K, y, P, options=FTuneOptions(family=s, C=C, choose="training"))
            np.testing.assert_allclose(one.losses[:, 0, 0], model.losses[:, i, j], rtol=1e-9)
            right = (one.predict(K, V) == v).mean()
            assert model.accuracies[0, i, j] == pytest.approx(right, abs=1e-12)
    i, j = divmod(model.accuracies[0].argmax(), len(FEW.C))
    assert set(model.f) == {i} and set(model.C) == {FEW.C[j]}


def test_one_function_for_all_or_one_for_each_class():
    K, ((_, y), held, (Q, q)) = split(load_iris)
    P = random_landmarks(y, 8, rng=np.random.default_rng(4))
    single, multiple = (
        ftune(K, y, P, validation=held, options=FTuneOptions(per_class=p)) for p in (False, True)
    )
    for one, other in zip(
        (single, multiple), ftune_single_and_per_class(K, y, P, validation=held), strict=True
    ):
        assert one == other
    assert len(set(single.f)) == len(set(single.C)) == 1 and single.accuracies.shape == (1, 6, 4)
    assert multiple.accuracies.shape == (3, 6, 4)
    for p in range(3):
        where = multiple.accuracies[p].argmax()
        assert (multiple.f[p], multiple.C[p]) == (where // 4, (1.0, 10.0, 100.0, 1000.0)[where % 4])
    V, v = held
    right = (multiple.decision(K.between(V, multiple.landmarks)) > 0) == (
        v[:, None] == np.unique(y)
    )
    np.testing.assert_allclose(multiple.accuracies.max(axis=(1, 2)), right.mean(axis=0))
    for model in (single, multiple):
        assert (model.predict(K, Q) == q).mean() > 0.8 and (model.gaps <= 1e-7).all()


def test_the_choice_by_training_loss():
    """Algorithm 2 as printed: L_f decides; of several C for an f, validation takes one."""
    K, ((_, y), held, _) = split(load_wine, binary=True)
    P = random_landmarks(y, 10, rng=np.random.default_rng(2))
    model = ftune(K, y, P, options=FTuneOptions(C=10.0, choose="training"))
    assert model.f[0] == model.losses[0, :, 0].argmin() and model.accuracies.shape == (0,)
    model = ftune(K, y, P, options=FTuneOptions(choose="training"), validation=held)
    c = model.accuracies[0].argmax(axis=1)
    assert model.f[0] == model.losses[0, np.arange(6), c].argmin()
    each_its_own = ftune(*_three(), options=FTuneOptions(C=10.0, choose="training", per_class=True))
    assert (each_its_own.f == each_its_own.losses[:, :, 0].argmin(axis=1)).all()


def _three():
    K, ((_, y), _, _) = split(load_iris)
    return K, y, random_landmarks(y, 6, rng=np.random.default_rng(0))


def test_identity_and_sign_are_ramps():
    """Balcan & Blum's and Wang's transfer functions as members of the family."""
    rng = np.random.default_rng(0)
    S = rng.uniform(0, 1, (30, 8))
    plus = rng.integers(0, 8, 12)
    minus = rng.integers(0, 8, 12)
    difference = S[:, plus] - S[:, minus]
    out = landmarked(S, plus, minus, (1.0, np.inf, lambda x: x, np.sign, 1000.0, Ramp(5.0)))
    assert (out[0] == difference).all() and (out[0] == out[2]).all()
    assert (out[1] == np.sign(difference)).all() and (out[1] == out[3]).all()
    assert (out[4] != out[1]).mean() < 0.2 and (np.abs(out[4] - out[1]) > 0).sum() == (
        (np.abs(difference) < 1e-3) & (difference != 0)
    ).sum()
    assert (out[5] == np.clip(5 * difference, -1, 1)).all()
    x = np.linspace(-2, 2, 41)
    assert (Ramp(np.inf)(x) == np.sign(x)).all() and (Ramp(3)(x) == np.clip(3 * x, -1, 1)).all()


# ------------------------------------------------------------------------------------ normalisation


def test_similarities_beyond_one_are_scaled_and_it_is_said():
    _, ((X, y), (V, v), (Q, _)) = split(load_iris)
    P = random_landmarks(y, 8, rng=np.random.default_rng(0))
    large = Similarity(lambda A, B: 40.0 * Gaussian(3.0)(A, B), X, pairwise=True)
    unit = Similarity(Gaussian(3.0), X, pairwise=True)
    with pytest.warns(NormalizationWarning, match=r"\|K\| reaches 40"):
        scaled = ftune(large, y, P, validation=(V, v), options=FEW)
    assert scaled.scale == pytest.approx(40.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = ftune(unit, y, P, validation=(V, v), options=FEW)
        told = ftune(large, y, P, validation=(V, v), options=replace(FEW, bound=40.0 + 1e-9))
    assert plain.scale == 1.0 and told.scale == 40.0 + 1e-9
    np.testing.assert_allclose(scaled.w, plain.w, rtol=1e-6, atol=1e-9)
    assert (scaled.predict(large, Q) == plain.predict(unit, Q)).all()
    with pytest.raises(ValueError, match=r"bound must be at least 40, .*; got 30"):
        ftune(large, y, P, validation=(V, v), options=replace(FEW, bound=30.0))
    tiny = ftune(unit, y, P, validation=(V, v), options=replace(FEW, bound=10.0))
    assert tiny.scale == 10.0
    negative = Similarity(lambda A, B: -40.0 * Gaussian(3.0)(A, B), X, pairwise=True)
    with pytest.warns(NormalizationWarning, match=r"\|K\| reaches 40"):
        assert ftune(negative, y, P, validation=(V, v), options=FEW).scale == 40.0
    with pytest.raises(ValueError, match=r"bound must be at least 40, .*; got 30"):
        ftune(negative, y, P, validation=(V, v), options=replace(FEW, bound=30.0))


# --------------------------------------------------------------------------------------- degenerate


def test_a_classifier_with_functions_of_its_own_is_saved_and_loaded(tmp_path):
    K, ((_, y), _, (Q, _)) = split(load_iris)
    P = dselect(K, y, 8, rng=np.random.default_rng(0))
    cubes = (lambda x: x**3,)
    model = ftune(K, y, P, options=FTuneOptions(family=cubes, C=1.0, choose="training"))
    refimpl.save(tmp_path / "cubes.npz", model)
    loaded = refimpl.load(tmp_path / "cubes.npz")
    with pytest.raises(ValueError, match="set_functions"):
        loaded.predict(K, Q)
    loaded.set_functions(cubes)
    assert (loaded.predict(K, Q) == model.predict(K, Q)).all()
    with pytest.raises(ValueError, match=r"family must have 1 functions, .* got 2"):
        loaded.set_functions((1.0, 5.0))


def test_similarities_to_all_objects_are_not_taken_for_those_to_the_landmarks():
    K, y = np.random.default_rng(0).uniform(-1, 1, (12, 12)), np.arange(12) % 2
    P = Landmarks(np.array([3, 8]), np.array([[3]]), np.array([[8]]))
    model = ftune(K, y, P, options=FTuneOptions(choose="training", C=1.0))
    assert model.decision(K[:, model.landmarks]).shape == (12, 1)
    for S in (K, K[:, :1], K[0]):
        with pytest.raises(ValueError, match=r"S must have shape \(k, 2\), a column for each of"):
            model.decision(S)
    with pytest.raises(ValueError, match="S must hold finite numbers"):
        model.decision(np.full((1, 2), np.nan))


NAN = np.array(
    [[1.0, 0.2, np.nan, 0.1], [0.1, 1.0, 0.3, 0.2], [0.1, 0.1, 1.0, 0.1], [0.1, 0.1, 0.1, 1.0]]
)


def seeded():
    return {"rng": np.random.default_rng(0)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda K, y, P, v: dselect(NAN, [0, 1, 0, 1], 2, **seeded()), r"got nan in K\[0, 2\]"),
        (lambda K, y, P, v: dselect(K, np.zeros(len(y)), 2, **seeded()), "y "),
        (lambda K, y, P, v: dselect(K, 5, 2, **seeded()), r"y must hold .* got shape \(\)"),
        (lambda K, y, P, v: dselect(K, y[:-1], 2, **seeded()), "as many training objects as y, 74"),
        (lambda K, y, P, v: dselect(Gaussian(1.0), y, 2, **seeded()), r"pass Similarity\(K"),
        (lambda K, y, P, v: Landmarks([0], [[1], [2, 3]], [[0]]), "plus must be indices with rows"),
        (lambda K, y, P, v: landmark_pairs(y, [0], 2, **seeded()), "L must have a landmark"),
        (lambda K, y, P, v: landmark_pairs(y, [999], 2, **seeded()), "from 0 to 74; got 999"),
        (lambda K, y, P, v: landmark_pairs(y, 1.0, 2, **seeded()), "L must be a list of indices"),
        (lambda K, y, P, v: ftune(K, y, P.L, validation=v), "landmarks must be .*got a ndarray"),
        (lambda K, y, P, v: ftune(K, y == y[0], P, validation=v), "for 1 problem.*; got 3"),
        (
            lambda K, y, P, v: ftune(K, y, Landmarks(P.L, P.minus, P.plus), validation=v),
            r"landmarks\.plus must hold objects of class 'a' of y in its problem; got object",
        ),
        (
            lambda K, y, P, v: ftune(K, y, Landmarks(P.L, P.plus, P.plus), validation=v),
            r"landmarks\.minus must hold objects outside class 'a' of y in its problem; got object",
        ),
        (
            lambda K, y, P, v: ftune(K, y == "a", random_landmarks(y == "b", 4, **seeded())),
            r"landmarks\.plus must hold objects of class True of y in its problem; got object",
        ),
        (lambda K, y, P, v: ftune(K, y, P), "validation must be .* got None"),
        (
            lambda K, y, P, v: ftune(K, y, P, options=FTuneOptions(choose="training", C=(1, 10))),
            "validation must be .*choose='training' and 2 value",
        ),
        (lambda K, y, P, v: ftune(K, y, P, validation=v[0]), "validation must be .objects, lab"),
        (lambda K, y, P, v: ftune(K, y, P, validation=(v[0][:0], v[1][:0])), "validation "),
        (lambda K, y, P, v: ftune(K, y, P, validation=(v[0], v[1][:-1])), "validation "),
        (
            lambda K, y, P, v: ftune(np.eye(75), y, P, validation=(np.eye(9), y[:9])),
            r"validation must have shape \(m, 75\), .*; got \(9, 9\)",
        ),
        (lambda K, y, P, v: ftune(K, y, P, validation=(None, v[1])), "validation must be a list"),
        (lambda K, y, P, v: bbs(K, y, [0, 999], validation=v), "landmarks must hold .* got 999"),
        (lambda K, y, P, v: bbs(K, y, [0, 1]), "validation must be .* got None"),
    ],
)
def test_bad_arguments(call, message):
    K, ((_, y), held, _) = split(load_iris)
    P = random_landmarks(y, 4, rng=np.random.default_rng(0))
    with pytest.raises((TypeError, ValueError), match=message):
        call(K, y, P, held)


def test_of_classes_with_equal_g_the_first_is_taken():
    assert classes_of(np.array([[-1.0], [0.0], [1.0]])).tolist() == [0, 0, 1]
    assert classes_of(np.array([[0.0, 2.0, 2.0], [1.0, 1.0, 0.0]])).tolist() == [1, 0]


def test_a_held_out_class_that_the_training_lacks_counts_as_one():
    """Of the weights 1 and 5 that the classes of the training have, it has neither."""
    S = np.kron(np.eye(2), np.ones((3, 3)))
    labels = np.array([0, 0, 0, 1, 1, 1])
    P = random_landmarks(labels, 4, rng=np.random.default_rng(0))
    validation = S[[0, 3, 3]], np.array([0, 1, 2])  # two are told right, the third cannot be
    options = FTuneOptions(C=1.0, class_weight={0: 1.0, 1: 5.0})
    model = ftune(S, labels, P, options=options, validation=validation)
    np.testing.assert_allclose(model.accuracies, 6 / 7)
