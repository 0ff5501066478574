"""BoostMap's estimators pass scikit-learn's own checks and fit its tools."""

import pickle

import numpy as np
import pytest
from agreement import KERNELS, NAMES, assert_same
from oracles_embeddings import edit_distance
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.utils import get_tags

from refimpl.estimators import BoostMap, BoostMapClassifier
from refimpl.spaces import CallableSpace
from refimpl.spaces.retrieval import FilterAndRefine

SMALL = {
    "n_components": 6,
    "n_triples": 400,
    "n_references": 20,
    "n_best": 8,
    "random_state": 0,
    "n_jobs": 1,
}
TINY = SMALL | {"n_components": 3, "n_triples": 60, "n_references": 6, "n_best": 3}
WORDS = (
    "boost boosts boosted boast coast coats goats goat map maps mapped lap laps lapse forest rest "
    "nest"
).split()


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    names = np.array("zero one two three four five six seven eight nine".split())[y]
    return X[:150], names[:150], X[150:200], names[150:200]


@pytest.mark.parametrize("target", ["distances", "classes"])
@pytest.mark.parametrize("triples", ["random", "nearby", "selective"])
def test_both_estimators_learn_from_the_same_triples(digits, triples, target):
    how = TINY | {"triples": triples, "target": target, "query_sensitive": 0}
    models = [of(**how).fit(*digits[:2]).model_ for of in (BoostMap, BoostMapClassifier)]
    assert models[0] == models[1]


@pytest.mark.parametrize("of", [BoostMap, BoostMapClassifier])
def test_a_single_candidate_is_the_only_reference(digits, of):
    model = of(**TINY, n_candidates=1, n_pairs=5).fit(*digits[:2])
    assert len(model.references_) == 1 and (model.model_.second == -1).all()


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_defaults_end_and_classify(load):
    X, y = load(return_X_y=True)
    y = np.array(["one", "two", "three"])[y]
    model = BoostMapClassifier(random_state=0, kernels=NAMES[-1]).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > (0.9 if load is load_iris else 0.6)
    assert len(model.model_.round_alpha) <= 20 * 8
    assert BoostMap(random_state=0, kernels=NAMES[-1]).fit(X).model_.d <= 8


def test_transform_is_the_embedding_and_costs_what_it_says(digits):
    X, _, Q, _ = digits
    asked = []

    def euclid(x, z):
        asked.append(1)
        return float(np.sqrt(((x - z) ** 2).sum()))

    model = BoostMap(
        **SMALL, metric=euclid, n_candidates=40, n_training_objects=30, kernels=NAMES[-1]
    )
    whole = model.fit_transform(X)
    assert len(asked) == model.n_distances_ == 40 * 40 + 110 * model.model_.cost
    asked.clear()
    F = model.transform(Q)
    assert len(asked) == len(Q) * len(model.references_) == len(Q) * model.model_.cost
    named = BoostMap(**SMALL, n_candidates=40, n_training_objects=30, kernels=NAMES[-1]).fit(X)
    assert named.n_distances_ == 40 * 40
    np.testing.assert_allclose(named.transform(Q), F, rtol=1e-12)
    np.testing.assert_allclose(named.transform(X), whole, rtol=1e-12)
    D = np.abs(F[0] - whole) @ named.model_.weights(F[:1])[0]
    np.testing.assert_allclose(named.model_.pairwise(F[:1], whole)[0], D)
    assert list(named.get_feature_names_out()) == [f"boostmap{i}" for i in range(F.shape[1])]
    assert named.set_output(transform="default").transform(Q).shape == F.shape


def test_a_matrix_of_distances_is_cut_by_rows_and_columns(digits):
    X, y, Q, _ = digits
    model = BoostMapClassifier(3, **SMALL, metric="precomputed", kernels=NAMES[-1])
    assert get_tags(model).input_tags.pairwise
    assert not get_tags(BoostMapClassifier()).input_tags.pairwise
    D = cdist(X, X)
    scores = cross_val_score(model, D, y, cv=3)
    assert_same(scores, cross_val_score(clone(model).set_params(metric="euclidean"), X, y, cv=3))
    fitted = model.fit(D, y)
    of_vectors = clone(model).set_params(metric="euclidean").fit(X, y)
    assert_same(fitted.predict(cdist(Q, X)), of_vectors.predict(Q))
    with pytest.raises(ValueError, match="features"):
        fitted.predict(cdist(Q, X[:-1]))


def test_the_matrix_is_not_kept_after_the_training(digits):
    X = digits[0]
    D = cdist(X, X)
    model = BoostMap(metric="precomputed", **TINY)
    fitted = pickle.dumps(model.fit(D))
    vectors = model.fit_transform(D)
    assert len(pickle.dumps(model)) == len(fitted) < D.nbytes
    assert_same(vectors, model.transform(D))


def test_words_under_the_edit_distance():
    how = {"n_triples": 200, "n_references": 10, "n_best": 5, "k_most": 5, "random_state": 0}
    model = BoostMap(4, **how, metric=edit_distance, kernels=NAMES[-1])
    F = model.fit_transform(WORDS)
    assert F.shape == (len(WORDS), model.model_.d)
    near = model.model_.pairwise(model.transform(["boosting"]), F)[0].argsort()[:5]
    assert any(WORDS[i].startswith("boost") for i in near)


def test_an_asymmetric_distance_is_measured_from_the_query(digits):
    X, _, Q, _ = digits

    def above(x, z):
        return float(np.maximum(x - z, 0).sum() + 0.1 * np.maximum(z - x, 0).sum())

    model = BoostMap(
        **SMALL, n_candidates=30, n_training_objects=30, metric=above, kernels=NAMES[-1]
    ).fit(X)
    space = CallableSpace(above, X)
    assert_same(model.transform(Q[:3]), model.model_.embed(space, Q[:3]))


def test_refinement_is_filter_and_refine(digits):
    X, y, Q, _ = digits
    model = BoostMapClassifier(3, n_refine=20, **SMALL, kernels=NAMES[-1]).fit(X, y)
    distances, indices = model.kneighbors(Q)
    index = FilterAndRefine(
        model.model_, CallableSpace(cdist, X, pairwise=True), kernels=KERNELS[-1]
    )
    want = index.query(Q, 3, 20)
    assert_same(indices, want[0])
    np.testing.assert_allclose(distances, want[1])
    everything = BoostMapClassifier(3, n_refine=len(X), **SMALL, kernels=NAMES[-1]).fit(X, y)
    np.testing.assert_allclose(everything.kneighbors(Q)[0], np.sort(cdist(Q, X), axis=1)[:, :3])
    assert model.kneighbors(Q, 5)[1].shape == (len(Q), 5)
