"""LMNN's estimators pass scikit-learn's own checks and fit its tools."""

import warnings

import numpy as np
import pytest
from agreement import KERNELS, NAMES, assert_same
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from refimpl.estimators import LMNN, MultiMetricLMNN
from refimpl.estimators.arguments import as_random_generator
from refimpl.estimators.lmnn import held_in
from refimpl.lmnn import LMNNOptions, classify, lmnn, lmnn_rect, lmnn_svd


def test_transform_is_the_learnt_factor(wine):
    X, X_test, y, _ = wine
    model = LMNN(kernels=NAMES[-1]).fit(X, y)
    want = lmnn(X, y, kernels=KERNELS[-1])
    assert_same(model.components_, want.L[0])
    assert_same(model.transform(X_test), X_test @ want.L[0].T)
    assert model.model_.converged
    assert list(model.get_feature_names_out()[:2]) == ["lmnn0", "lmnn1"]
    rect = LMNN(n_components=2, kernels=NAMES[-1]).fit(X, y)
    assert_same(
        rect.components_,
        lmnn_rect(X, y, 2, options=LMNNOptions(tol=1e-3), kernels=KERNELS[-1]).L[0],
    )
    svd = LMNN(n_components=2, low_rank="svd", kernels=NAMES[-1]).fit(X, y)
    assert_same(svd.components_, lmnn_svd(want, 2))


def test_several_metrics(wine):
    X, X_test, y, y_test = wine
    model = MultiMetricLMNN(kernels=NAMES[-1], validation=0.3, random_state=1).fit(X, y)
    assert model.components_.shape[0] == 3 and (model.classes_[model.partition_] == y).all()
    assert model.score(X_test, y_test) > 0.9
    distances, indices = model.kneighbors(X_test, 5)
    assert (
        distances.shape == indices.shape == (len(X_test), 5)
        and (np.diff(distances, axis=1) >= 0).all()
    )
    difference = (X_test[0] - X[indices[0, 0]]) @ model.components_[
        model.partition_[indices[0, 0]]
    ].T
    assert distances[0, 0] == pytest.approx(np.linalg.norm(difference))


@pytest.mark.parametrize(
    "model", [LMNN(), MultiMetricLMNN(), MultiMetricLMNN(validation=None)], ids=str
)
@pytest.mark.parametrize("rare", ["rare", 7])
def test_a_small_class_is_named_by_its_label(model, rare):
    X = np.random.default_rng(0).normal(size=(23, 2))
    y = np.array([rare] * 3 + [type(rare)(8)] * 20)
    with pytest.raises(ValueError) as raised:
        model.fit(X, y)
    assert str(raised.value) == (
        f"n_neighbors must be at most 2, the smallest class ({rare!r}) has 3 points; got 3 "
        "(n_samples = 23, n_features = 2)"
    )
    with pytest.raises(ValueError, match=rf"got 1 of class {rare!r}"):
        model.fit(X[2:], y[2:])


@pytest.mark.parametrize(
    "options",
    [{}, {"n_components": 4}, {"n_components": 2}, {"n_components": 2, "low_rank": "svd"}],
)
def test_the_width_of_the_images_does_not_depend_on_the_data(options):
    """With a constant column, or fewer points than features, the metric has a lower rank."""
    X = np.random.default_rng(0).normal(size=(30, 4))
    y = np.arange(30) % 2
    constant = X.copy()
    constant[:, 1] = 0.3
    width = options.get("n_components", 4)
    for Z, labels in ((X, y), (constant, y), (constant[:4], y[:4])):
        model = LMNN(1, kernels=NAMES[-1], **options).fit(Z, labels)
        assert model.components_.shape == (width, 4) and model.transform(X).shape == (30, width)
        assert len(model.get_feature_names_out()) == width


def test_a_warm_start_of_another_rank_begins_anew(wine):
    X, _, y, _ = wine
    model = LMNN(n_components=3, warm_start=True, kernels=NAMES[-1]).fit(X, y)
    assert model.set_params(n_components=2).fit(X, y).transform(X).shape == (len(X), 2)


def test_a_warm_start_has_little_left_to_do():
    X, y = make_classification(n_samples=30, n_features=5, n_redundant=0, random_state=0)
    model = LMNN(kernels=NAMES[-1])
    changes = []
    for warm in (True, False):
        model.set_params(warm_start=warm, max_checks=200, tol=1e-3).fit(X, y)
        before = model.components_.T @ model.components_
        with pytest.warns(ConvergenceWarning, match="max_checks = 1 "):
            model.set_params(max_checks=1, tol=1e-9).fit(X, y)
        changes.append(np.abs(model.components_.T @ model.components_ - before).sum())
    assert changes[0] < 2.0 and changes[1] > changes[0]


def test_neighbours_of_the_training_points_leave_them_out(wine):
    X, X_test, y, _ = wine
    model = MultiMetricLMNN(kernels=NAMES[-1]).fit(X, y)
    distances, indices = model.kneighbors()
    assert indices.shape == (len(X), 3) and (indices != np.arange(len(X))[:, None]).all()
    with_themselves, places = model.kneighbors(X, 4)
    assert (places[:, 0] == np.arange(len(X))).all() and (with_themselves[:, 0] == 0).all()
    assert_same(indices, places[:, 1:])
    np.testing.assert_allclose(distances, with_themselves[:, 1:])
    assert_same(model.kneighbors(X_test, return_distance=False), model.kneighbors(X_test)[1])


def test_a_fit_that_is_not_proven_warns():
    """A feature that tells a class from the others, and inside the classes differs by 1e-12 of
    that.
    """
    rng = np.random.default_rng(6)
    X = rng.normal(size=(27, 3))
    y = np.arange(27) % 3
    X[:, 2] = (y == 2) + 1e-12 * X[:, 2]
    model = LMNN(1, mu=3.0, kernels=NAMES[-1])
    with pytest.warns(ConvergenceWarning, match="not converged"):
        model.fit(X, y)
    assert not model.model_.converged


def test_a_share_of_each_class_is_held_out_but_for_k_and_one_points():
    places = np.repeat([0, 1, 2, 3], [20, 8, 5, 4])
    kept = held_in(0.25, places, 3, np.random.default_rng(0))
    assert np.bincount(places[~kept], minlength=4).tolist() == [5, 2, 1, 0]
    kept = held_in(0.9, places, 3, np.random.default_rng(0))
    assert np.bincount(places[kept]).tolist() == [4, 4, 4, 4]
    assert held_in(None, places, 3, np.random.default_rng(0)).all()


@pytest.mark.parametrize(
    "options",
    [{"max_checks": 2}, {"partition": 1, "tol": 0.02}],
    ids=["max_checks", "a later metric is proven"],
)
def test_a_fit_with_a_validation_set_that_did_not_end_it_warns(options):
    X, y = load_wine(return_X_y=True)
    model = MultiMetricLMNN(kernels=NAMES[-1], validation=0.3, random_state=0, tol=1e-6).set_params(
        **options
    )
    with pytest.warns(ConvergenceWarning, match="not converged"):
        model.fit(X, y)
    errors = model.model_.validation_errors
    assert len(errors) - 1 - errors.argmin() < 5 and not model.model_.converged


def test_early_stopping_measures_the_classifier_that_predicts():
    """Four classes and two neighbours: about every other vote is a tie."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.arange(120) % 4
    X[:, 0] += y
    model = MultiMetricLMNN(2, validation=0.3, random_state=0, kernels=NAMES[-1], max_checks=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    kept = held_in(0.3, y, 2, as_random_generator(0))
    # who voted in training
    model._X, model._places, model.partition_ = X[kept], y[kept], model.partition_[kept]
    errors = (model.predict(X[~kept]) != y[~kept]).mean()
    assert errors == model.model_.validation_errors.min()
    assert (model.predict(X) == model.predict_proba(X).argmax(axis=1)).all()


# ------------------------------------------------------------------ what they share with the others


def test_options_reach_the_training(wine):
    X, _, y, _ = wine
    given = {"solver": "printed", "search": "tree", "max_checks": 4, "n_target_rounds": 2}
    options = LMNNOptions(tol=1e-3, **given)
    for model, partition in ((LMNN(), None), (MultiMetricLMNN(validation=None), y)):
        model.set_params(kernels=NAMES[-1], **given)
        with pytest.warns(ConvergenceWarning, match="max_checks = 4"):
            model.fit(X, y)
        want = lmnn(X, y, partition=partition, options=options, kernels=KERNELS[-1])
        assert model.model_ == want and model.n_features_in_ == X.shape[1]


@pytest.mark.parametrize(
    "options", [{}, {"n_components": 2}, {"n_components": 2, "low_rank": "svd"}]
)
def test_points_held_out_end_the_training_of_one_metric(wine, options):
    X, _, y, _ = wine
    model = LMNN(validation=0.3, patience=2, tol=1e-9, random_state=0, kernels=NAMES[-1], **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(X, y)
    errors = model.model_.validation_errors
    assert len(errors) - 1 - errors.argmin() == 2 and not model.model_.converged
    places = np.unique(y, return_inverse=True)[1]
    kept = held_in(0.3, places, 3, as_random_generator(0))
    assert len(model.model_.partition) == kept.sum() < len(X)
    assert_same(clone(model).fit(X, y).components_, model.components_)
    if options.get("low_rank") != "svd":
        near = classify(model.components_, X[~kept], X[kept], places[kept], 3)
        assert (near != places[~kept]).mean() == errors.min()


def test_distances_of_pairs_are_those_of_the_images(wine):
    X, X_test, y, _ = wine
    model = LMNN(n_components=3, kernels=NAMES[-1]).fit(X, y)
    pairs = np.stack([X_test[:10], X_test[10:20]], axis=1)
    Z = model.transform(X_test[:20])
    distances = model.pair_distance(pairs)
    np.testing.assert_allclose(distances, np.linalg.norm(Z[:10] - Z[10:], axis=1), rtol=1e-9)
    assert_same(model.pair_score(pairs), -distances)
    assert_same(model.pair_distance(pairs.astype(object)), distances)
    M = model.get_mahalanobis_matrix()
    apart = pairs[:, 0] - pairs[:, 1]
    np.testing.assert_allclose(distances**2, np.einsum("ij,jk,ik->i", apart, M, apart), rtol=1e-9)
    metric = model.get_metric()
    by_metric = [metric(u, v) for u, v in pairs]
    squares = [metric(u, v, squared=True) for u, v in pairs]
    model.fit(X[::-1] * 2, y[::-1])  # a later fit leaves the function alone
    np.testing.assert_allclose(by_metric, distances, rtol=1e-12)
    np.testing.assert_allclose(squares, distances**2, rtol=1e-12)
    assert [metric(u, v) for u, v in pairs] == by_metric
    near = KNeighborsClassifier(3, metric=metric).fit(X, y).kneighbors(X_test[:3])[1]
    Z = X @ np.linalg.cholesky(M + 1e-12 * np.eye(13))
    Q = X_test[:3]
    want = np.linalg.norm(Z[:, None] - Q @ np.linalg.cholesky(M + 1e-12 * np.eye(13)), axis=2)
    assert_same(near, want.argsort(axis=0)[:3].T)
    far = np.ldexp(pairs, 700)  # beyond the root of the largest float
    np.testing.assert_allclose(model.pair_distance(far), np.ldexp(model.pair_distance(pairs), 700))
    assert model.get_metric()(*far[0]) == model.pair_distance(far[:1])
    for wrong in (pairs[0], pairs[:, :, :2], pairs * np.nan):
        with pytest.raises(ValueError, match=r"pairs must hold finite numbers, shape \(m, 2, 13\)"):
            model.pair_distance(wrong)
    for point in (X[0], X[0].tolist(), X[0].astype(">f4")):
        assert metric(point, X[1]) == metric(np.array(point, np.float64), X[1])
    for wrong in (X[0, :1], X[:1], X[0, :1].tolist()):  # they would be broadcast
        for name, points in (("u", (wrong, X[1])), ("v", (X[1], wrong))):
            with pytest.raises(ValueError, match=rf"{name} must be a point, shape \(13,\); got"):
                metric(*points)
    with pytest.raises(TypeError, match="pairs must hold real numbers; got dtype <U1"):
        model.pair_distance([["a", "b"]])
    with pytest.raises(ValueError, match="pairs must be pairs of points with rows of equal"):
        model.pair_distance([[1.0], [1.0, 2.0]])


def test_more_neighbours_than_points_are_refused_by_the_estimator_s_word(wine):
    X, X_test, y, _ = wine
    model = MultiMetricLMNN(max_checks=1, random_state=0, kernels=NAMES[-1])
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    for queries, most in ((X_test, len(X)), (None, len(X) - 1)):
        with pytest.raises(ValueError, match=f"n_neighbors must be at most {most}, the points to"):
            model.kneighbors(queries, most + 1)


@pytest.mark.parametrize("model", [LMNN(), LMNN(n_components=2), MultiMetricLMNN()], ids=str)
def test_a_fit_that_a_callback_ended_warns(wine, model):
    X, _, y, _ = wine
    model = clone(model).set_params(callback=lambda step: True, kernels=NAMES[-1])
    with pytest.warns(ConvergenceWarning, match="the callback or an interruption ended"):
        model.fit(X, y)
