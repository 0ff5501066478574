"""The search forest's estimator passes scikit-learn's own checks and fits its tools."""

import pickle

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from refimpl.estimators import SearchForestNeighbors
from refimpl.search_forest import selection

NAMES = ["reference", "fast"][: len(KERNELS)]
SMALL = {"n_trees": 5, "n_similar": 20, "lam": 0.03, "random_state": 0, "kernels": NAMES[-1], "threads": 1}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400], X[400:500], y[400:500]


@pytest.fixture(scope="module")
def fitted(digits):
    return SearchForestNeighbors(4, **SMALL).fit(digits[0])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_check_estimator(name):
    check_estimator(SearchForestNeighbors(3, n_trees=2, kernels=name, threads=1))


@pytest.mark.filterwarnings("ignore")
def test_check_estimator_with_classes():
    check_estimator(SearchForestNeighbors(3, n_trees=2, similarity="classes", mode="connectivity", threads=1))


def test_neighbours_are_the_nearest_candidates(digits, fitted):
    X, _, Q, _ = digits
    found, (distances, indices) = fitted.candidates(Q), fitted.kneighbors(Q)
    D = ((Q[:, None] - X) ** 2).sum(axis=2)
    for i in range(len(Q)):
        mine = np.sort(found.ids[found.offsets[i] : found.offsets[i + 1]])
        mine = mine if len(mine) >= 4 else np.arange(len(X))
        assert (indices[i] == mine[np.argsort(D[i, mine], kind="stable")[:4]]).all()
    np.testing.assert_allclose(distances, np.take_along_axis(D, indices, axis=1) ** 0.5)
    T = selection(fitted.forest_, fitted._mapped(Q), fitted._mapped(X))
    assert (np.diff(found.offsets) == (T > 0).sum(axis=1)).all()
    few = SearchForestNeighbors(4, n_candidates=6, **SMALL).fit(X)
    assert (few.kneighbors(Q)[0][:, -1] >= distances[:, -1]).all()
    exact = NearestNeighbors(n_neighbors=4).fit(X).kneighbors(Q, return_distance=False)
    assert np.mean([len(set(a) & set(b)) / 4 for a, b in zip(indices, exact, strict=True)]) > 0.9


def test_queries_with_few_candidates_are_compared_with_all(digits):
    X, _, Q, _ = digits
    model = SearchForestNeighbors(150, **{**SMALL, "lam": 0.5, "n_trees": 1}).fit(X)
    assert (np.diff(model.candidates(Q).offsets) < 150).any()
    found, exact = (m.kneighbors(Q) for m in (model, NearestNeighbors(n_neighbors=150).fit(X)))
    few = np.diff(model.candidates(Q).offsets) < 150
    np.testing.assert_allclose(found[0][few], exact[0][few])
    own = model.kneighbors(return_distance=False)
    assert own.shape == (400, 150) and (own != np.arange(400)[:, None]).all()
    with pytest.raises(ValueError, match="n_neighbors is 400; there are 399"):
        model.kneighbors(n_neighbors=400)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_the_graph_is_like_that_of_the_transformer(digits, mode):
    """With one leaf for all the forest selects everything, and both graphs are the same."""
    X, _, Q, _ = digits
    ours = SearchForestNeighbors(5, mode=mode, **{**SMALL, "n_trees": 1, "max_depth": 1, "lam": 1e-6}).fit(X)
    theirs = KNeighborsTransformer(n_neighbors=5, mode=mode).fit(X)
    for part in (X, Q):
        a, b = ours.transform(part), theirs.transform(part)
        assert a.shape == b.shape and a.nnz == b.nnz and type(a).__name__ == "csr_matrix"
        np.testing.assert_allclose(np.sort(a.data), np.sort(b.data), atol=1e-6)
    assert ours.get_feature_names_out().shape == (400,)


def test_in_a_pipeline(digits):
    X, y, Q, y_Q = digits
    forest = SearchForestNeighbors(5, **SMALL)
    model = make_pipeline(forest, KNeighborsClassifier(n_neighbors=5, metric="precomputed")).fit(X, y)
    assert model.score(Q, y_Q) > 0.8
    search = GridSearchCV(model, {"searchforestneighbors__lam": [0.02, 0.1]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.8


def test_classes_make_the_forest(digits):
    X, y, Q, y_Q = digits
    model = SearchForestNeighbors(5, similarity="classes", **SMALL).fit(X, y)
    found = model.candidates(Q, 20)
    right = [(y[found.ids[a:b]] == label).mean() for a, b, label in
             zip(found.offsets[:-1], found.offsets[1:], y_Q, strict=True) if b > a]  # fmt: skip
    assert np.mean(right) > 0.7


def test_kernels_agree_and_estimators_travel(digits):
    X, _, Q, _ = digits
    models = [SearchForestNeighbors(4, **{**SMALL, "kernels": name}).fit(X.astype(np.float32)) for name in NAMES]
    models.append(pickle.loads(pickle.dumps(models[0])))
    models.append(clone(models[0]).fit(X.astype(np.float32)))
    for model in models[1:]:
        for a, b in zip(models[0].kneighbors(Q), model.kneighbors(Q), strict=True):
            assert_same(a, b)
    assert models[0].forest_.planes.dtype == np.float32


def test_a_sample_is_enough_to_learn_from(digits):
    X, _, Q, _ = digits
    model = SearchForestNeighbors(4, n_training_points=150, **SMALL).fit(X)
    assert len(model.index_) == 400 and model.kneighbors(Q)[1].max() > 150


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mode": "graph"}, "mode"), ({"similarity": "cosine"}, "similarity"), ({"n_trees": 0}, "M is 0"),
        ({"n_similar": 0}, "n_similar"), ({"lam": 2.0}, "lam is 2"), ({"kernels": "quick"}, "kernels"),
        ({"n_training_points": 1}, "n_training_points"), ({"random_state": -1}, "random_state"),
    ],
)  # fmt: skip
def test_bad_parameters(digits, change, message):
    with pytest.raises(ValueError, match=message):
        SearchForestNeighbors(**change).fit(digits[0])
