"""The search forest's estimator passes scikit-learn's own checks and fits its tools."""

import numpy as np
import pytest
from agreement import KERNELS, NAMES, assert_same
from sklearn.datasets import load_digits, make_blobs
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors

from refimpl.estimators import SearchForestNeighbors
from refimpl.search_forest import ForestOptions, neighbor_similarity, search_forest, selection

SMALL = {
    "n_estimators": 5,
    "n_similar": 20,
    "lam": 0.03,
    "random_state": 0,
    "kernels": NAMES[-1],
    "n_jobs": 1,
}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400], X[400:500], y[400:500]


@pytest.fixture(scope="module")
def fitted(digits):
    return SearchForestNeighbors(4, **SMALL).fit(digits[0])


def test_neighbours_are_the_nearest_candidates(digits):
    X, _, Q, _ = digits
    fitted = SearchForestNeighbors(4, n_candidates=400, **SMALL).fit(X)
    found = fitted.candidates(Q)
    (distances, indices) = fitted.kneighbors(Q)
    D = ((Q[:, None] - X) ** 2).sum(axis=2)
    for i in range(len(Q)):
        mine = np.sort(found.ids[found.offsets[i] : found.offsets[i + 1]])
        mine = mine if len(mine) >= 4 else np.arange(len(X))
        assert (indices[i] == mine[np.argsort(D[i, mine], kind="stable")[:4]]).all()
    np.testing.assert_allclose(distances, np.take_along_axis(D, indices, axis=1) ** 0.5)
    T = selection(fitted.model_, fitted._mapped(Q), fitted._mapped(X))
    assert (np.diff(found.offsets) == (T > 0).sum(axis=1)).all()
    few = SearchForestNeighbors(4, n_candidates=6, **SMALL).fit(X)
    assert (few.kneighbors(Q)[0][:, -1] >= distances[:, -1]).all()
    exact = NearestNeighbors(n_neighbors=4).fit(X).kneighbors(Q, return_distance=False)
    assert np.mean([len(set(a) & set(b)) / 4 for a, b in zip(indices, exact, strict=True)]) > 0.9


def test_queries_with_few_candidates_are_compared_with_all(digits):
    X, _, Q, _ = digits
    model = SearchForestNeighbors(150, **{**SMALL, "lam": 0.5, "n_estimators": 1}).fit(X)
    assert (np.diff(model.candidates(Q).offsets) < 150).any()
    found, exact = (m.kneighbors(Q) for m in (model, NearestNeighbors(n_neighbors=150).fit(X)))
    few = np.diff(model.candidates(Q).offsets) < 150
    np.testing.assert_allclose(found[0][few], exact[0][few])
    own = model.kneighbors(return_distance=False)
    assert own.shape == (400, 150) and (own != np.arange(400)[:, None]).all()
    with pytest.raises(ValueError, match=r"n_neighbors must be at most 399, .*; got 400"):
        model.kneighbors(n_neighbors=400)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_the_graph_is_like_that_of_the_transformer(digits, mode):
    """With one leaf for all the forest selects everything, and both graphs are the same."""
    X, _, Q, _ = digits
    one = {**SMALL, "n_estimators": 1, "max_depth": 1, "lam": 1e-6, "n_candidates": 400}
    ours = SearchForestNeighbors(5, mode=mode, **one).fit(X)
    theirs = KNeighborsTransformer(n_neighbors=5, mode=mode).fit(X)
    for part in (X, Q):
        a = ours.transform(part)
        b = theirs.transform(part)
        assert a.shape == b.shape and a.nnz == b.nnz and type(a).__name__ == "csr_matrix"
        np.testing.assert_allclose(np.sort(a.data), np.sort(b.data), atol=1e-6)
    assert ours.get_feature_names_out().shape == (400,)


def test_classes_make_the_forest(digits):
    X, y, Q, y_Q = digits
    model = SearchForestNeighbors(5, similarity="classes", **SMALL).fit(X, y)
    found = model.candidates(Q, n_candidates=20)
    right = [
        (y[found.ids[a:b]] == label).mean()
        for a, b, label in zip(found.offsets[:-1], found.offsets[1:], y_Q, strict=True)
        if b > a
    ]
    assert np.mean(right) > 0.7


def test_the_default_moves_planes_and_without_moves_it_is_the_printed_form(digits):
    X, _, Q, _ = digits
    exact = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(Q, return_distance=False)
    found = {}
    for refine, options in ((10, {"offset": "best", "refine": 10}), (0, {})):
        how = {"n_candidates": 30, "refine": refine, "n_training_points": None}
        model = SearchForestNeighbors(5, **how, **SMALL).fit(X)
        rng = np.random.default_rng(0)
        rows = np.sort(rng.permutation(len(X))[40:])
        assert model.get_params()["refine"] == refine and SearchForestNeighbors().refine == 10
        Z = model._mapped(X)[rows]
        S = neighbor_similarity(Z, model.n_similar_)
        how = {"rng": rng, "kernels": KERNELS[-1], "threads": 1}
        options = ForestOptions(max_leaves=128, **options)
        expected = search_forest(Z, S, 5, 0.03, **how, options=options)
        assert model.model_.n_words == expected.n_words
        assert np.array_equal(model.model_.planes, expected.planes)
        near = model.kneighbors(Q, return_distance=False)
        found[refine] = np.mean([np.isin(a, b).mean() for a, b in zip(exact, near, strict=True)])
    assert found[10] > found[0] > 0.7


def test_a_sample_is_enough_to_learn_from(digits):
    X, _, Q, _ = digits
    model = SearchForestNeighbors(4, n_training_points=150, **SMALL).fit(X)
    assert len(model.index_) == 400 and model.kneighbors(Q)[1].max() > 150


def test_what_is_similar_follows_the_sample():
    """A hundredth of the points by default, and as large a share of those that the forest is learnt
    from, if not 10.
    """
    X = np.random.default_rng(0).normal(size=(3000, 3))
    how = {"n_estimators": 1, "max_leaves": 4, "lam": 1e-4, "random_state": 0, "kernels": NAMES[-1]}
    assert SearchForestNeighbors(n_training_points=None, **how).fit(X).n_similar_ == 28
    assert SearchForestNeighbors(n_training_points=300, **how).fit(X).n_similar_ == 10
    assert SearchForestNeighbors(n_training_points=1500, **how).fit(X).n_similar_ == 15
    for most, n_similar in ((100, 10), (1, 1)):
        model = SearchForestNeighbors(n_training_points=300, n_similar=most, **how)
        assert model.fit(X).n_similar_ == n_similar
    for many in (100, 10**400):
        assert SearchForestNeighbors(n_similar=many, **how).fit(X[:30]).n_similar_ == 15
    assert SearchForestNeighbors(**how).fit(X[:300]).n_similar_ == 18


@pytest.mark.parametrize("n", [20, 100, 300, 2000, 4000])
def test_by_default_few_points_are_compared(n, monkeypatch):
    """5 % from 2,000 points on, else 100; as many as neighbours are asked for, at least; more if
    one says so.
    """
    X, _ = make_blobs(n + 50, 5, centers=8, cluster_std=3.0, random_state=0)
    X, Q = X[:n], X[n:]
    how = {"n_estimators": 4, "max_leaves": 16, "random_state": 0, "kernels": NAMES[-1]}
    model = SearchForestNeighbors(3, **how).fit(X)
    compared = []
    rerank = model.index_.kernels.rerank

    def counting(Q, X, offsets, *more, **options):
        compared.append(np.diff(offsets).max())
        return rerank(Q, X, offsets, *more, **options)

    monkeypatch.setattr(KERNELS[-1], "rerank", counting)
    model.kneighbors(Q)
    model.kneighbors()
    assert compared[0] <= max(100, n // 20) and compared[1] <= max(100, n // 20) + 1
    assert compared[0] <= 0.05 * n or n < 2000
    if n == 300:
        model.kneighbors(Q, 150)
        assert compared[2] <= 150
        model.set_params(n_candidates=300).kneighbors(Q)
        assert compared[3] > 100


@pytest.mark.parametrize("similarity", ["neighbors", "classes"])
def test_the_fit_says_what_recall_to_expect(similarity):
    """Of points that the forest has not been learnt from, so it holds for new ones."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, Q, y = X[order[:1500]], X[order[1500:]], y[order[:1500]]
    how = {"n_estimators": 4, "max_leaves": 32, "n_candidates": 30}
    how |= {"random_state": 0, "kernels": NAMES[-1]}
    model = SearchForestNeighbors(5, similarity=similarity, **how).fit(X, y)
    exact = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(Q, return_distance=False)
    found = model.kneighbors(Q, return_distance=False)
    recall = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(found, exact, strict=True)])
    assert 0.1 < model.expected_recall_ < 0.99 and abs(model.expected_recall_ - recall) < 0.08
    share = np.diff(model.candidates(Q, n_candidates=30).offsets).mean() / 1500
    assert abs(model.expected_candidates_ - share) < 0.2 * share
    assert type(model.expected_recall_) is type(model.expected_candidates_) is float


def test_queries_without_enough_candidates_are_expected_to_meet_all_points():
    """One tree parts two groups of four points: three candidates each, of the seven neighbours."""
    X = np.concatenate([np.zeros((4, 2)), np.full((4, 2), 9.0)])
    X += 0.1 * np.random.default_rng(0).normal(size=X.shape)
    how = {"n_estimators": 1, "max_leaves": 2, "n_similar": 3, "random_state": 0}
    model = SearchForestNeighbors(7, kernels=NAMES[-1], **how).fit(X)
    assert np.diff(model.candidates(X).offsets).tolist() == [4] * 8
    assert model.expected_recall_ == 1.0 and model.expected_candidates_ == 1.0


# ------------------------------------------------------------------------------------- n_candidates


def test_as_few_candidates_as_neighbours_are_compared_with_no_other_points(digits):
    """A point of fit finds itself, for which there is a place more. No query is compared with all
    points.
    """
    X, _, Q, _ = digits
    how = {**SMALL, "lam": 0.01, "n_estimators": 1}
    model = SearchForestNeighbors(4, n_candidates=4, **how).fit(X)
    few = model.candidates(Q, n_candidates=4).ids.reshape(-1, 4)
    assert_same(np.sort(model.kneighbors(Q)[1]), np.sort(few))
    own = model.kneighbors(return_distance=False)
    graph = model.transform(X)
    more = model.candidates(X, n_candidates=5).ids.reshape(-1, 5)
    assert own.shape == (400, 4) and graph.nnz == 5 * 400
    for i in range(len(X)):
        assert set(own[i]) <= set(more[i]) and i not in own[i]
        assert set(graph[i].indices) == set(more[i])
    ones = SearchForestNeighbors(4, mode="connectivity", n_candidates=4, **how).fit(X).transform(Q)
    assert_same(np.sort(ones.indices.reshape(-1, 4)).astype(np.int64), np.sort(few))
    for ask in (model.kneighbors, model.kneighbors_graph):
        for part in (None, Q):
            with pytest.raises(
                ValueError,
                match="n_candidates must be at least 5, the number of neighbours asked for",
            ):
                ask(part, 5)


# ------------------------------------------------------------------------------------------ numbers


def test_single_precision_is_averaged_in_double():
    """A running sum of 2^15 values near 30,000 in float32 is off by more than their deviation from
    it.
    """
    X = (30000 + np.random.default_rng(0).normal(size=(2**15, 2))).astype(np.float32)
    middle = X.mean(axis=0, dtype=np.float64)
    assert (np.abs(X.mean(axis=0) - middle) > 1).all()
    model = SearchForestNeighbors(4, n_training_points=100, max_depth=3, **SMALL).fit(X)
    np.testing.assert_allclose(model._middle, middle, rtol=1e-12)
    assert model._scale == pytest.approx(np.sqrt(((X - middle) ** 2).sum(axis=1).mean()), rel=1e-12)
    assert model._mapped(X[:3]).dtype == model.model_.planes.dtype == np.float32


def test_values_whose_squares_cannot_be_summed_are_refused(digits, fitted):
    X, _, Q, _ = digits
    for ask in (fitted.kneighbors, fitted.candidates, fitted.transform):
        with pytest.raises(ValueError, match="X must hold values within 1e140"):
            ask(Q * 1e200)
    small = SearchForestNeighbors(4, **SMALL).fit((X * 1e-30).astype(np.float32))
    with pytest.raises(ValueError, match=r"X, centred and scaled.*within what float32"):
        small.kneighbors(np.full((1, 64), 1e30, dtype=np.float32))
