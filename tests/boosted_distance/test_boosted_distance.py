"""Algorithms A.1-A.3: what they refuse, blocks of queries, sets of differences."""

import numpy as np
import pytest
from agreement import assert_same
from sklearn.datasets import load_breast_cancer

import refimpl
import refimpl.kernels
from refimpl.boosted_distance import (
    Differences,
    adaboost,
    adaboost_rounds,
    boosted_distance,
    class_similarities,
    nearest_neighbor_boosted_distance,
    selected_dimensions,
    similarity,
    staged_nearest_neighbor,
)
from refimpl.boosted_distance.weak_learners import Stumps


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(3).permutation(len(y))[:120]
    return X[order[:40]], y[order[:40]], X[order[40:]], y[order[40:]]


def test_queries_must_fit_the_models(cancer):
    X, y, X_test, _ = cancer
    X = X[:, :3]
    X_test = X_test[:, :3]
    model = boosted_distance(X, y, 9)
    assert max(selected_dimensions(model)) == 2
    with pytest.raises(ValueError, match=r"X must have at least 3 columns, .* column 2; got 2"):
        nearest_neighbor_boosted_distance(model, X_test[:, :2], X[:, :2], y)
    with pytest.raises(
        ValueError, match=r"y must hold classes of the model, \[0, 1\]; got \[2\] as well"
    ):
        similarity(model, X_test, X, np.where(y == 1, 2, y))
    for far in (1.7e308, -1.7e308):
        with pytest.raises(ValueError, match="Q: the differences of column 1 must be finite"):
            similarity(model, [[0.0, far, 0.0]], [[0.0, -far, 0.0]], [0])
    for rounds, error, message in (
        ([3, 2], ValueError, "rounds must be in ascending order; got 2 after 3"),
        (5, TypeError, "rounds must be a list of numbers of rounds; got 5"),
    ):
        with pytest.raises(error, match=message):
            list(staged_nearest_neighbor(model, X_test, X, y, rounds))


def test_weights_stay_weights_when_they_underflow():
    rounds = adaboost_rounds(
        np.zeros((3, 1)), np.array([[1.0], [2.0]]), kernels=refimpl.kernels, weak_learner=Stumps()
    )
    for _, r in zip(range(60), rounds, strict=False):
        assert np.isfinite(r.w).all() and r.w.sum() == pytest.approx(1) and np.isfinite(r.alpha)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"P": [[np.nan]]}, "P must hold finite numbers"),
        ({"N": [[1.0, 2.0]]}, "N must have 1 columns, as P has; got 2"),
        ({"first": [1.0, 2.0]}, r"first must hold .* for each of the 3 vectors; got shape \(2,\)"),
        ({"first": [1.0, -1.0, 1.0]}, "first must hold a finite number of at least 0 for each"),
        ({"first": [0, 0, 0]}, "first must hold .*, with a sum above 0; got 0.0 to 0.0"),
        ({"weak_learner": 3}, "weak_learner must be an object"),
    ],
)
def test_rounds_are_refused_when_they_are_asked_for(change, message):
    """The first weights may be of any size."""
    sets = {"P": [[0.0]], "N": [[1.0], [2.0]]}
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        adaboost_rounds(**(sets | change))
    first = np.array([1.0, 2.0, 1.0])
    one, other = (next(adaboost_rounds(**sets, first=w)) for w in (first, 8e307 * first))
    assert one.w.tolist() == other.w.tolist() == [0.25, 0.5, 0.25] and one.h == other.h


def test_points_whose_differences_overflow_are_refused():
    with pytest.raises(ValueError, match="must be finite"):
        boosted_distance([[-1.7e308], [1.7e308]], [0, 1], 3)


@pytest.mark.parametrize(
    "labels", [[0, np.int64(1), 1], ["a", np.str_("b"), "b"], [True, False, np.False_]]
)
def test_numpy_scalars_are_of_python_s_types(labels):
    model = boosted_distance([[0.0], [1.0], [2.0]], labels, 1)
    assert [type(C) for C in model] == [type(labels[0])] * 2


def test_the_two_sets_must_be_alike():
    A = np.zeros((2, 2))
    B = np.ones((3, 3))
    for P, N in ((A, B), (B, A), (Differences(A, A), Differences(B, B))):
        with pytest.raises(
            ValueError, match=f"N must have {P.shape[1]} columns, as P has; got {N.shape[1]}"
        ):
            adaboost(P, N, 1)
    far = np.full((1, A.shape[1]), 1.7e308)
    for wrong, message in (
        (Differences(A, A[:, :1]), r"P\.B must have \d columns, as P\.A has; got 1"),
        (Differences(np.full_like(A, np.nan), A), r"P\.A must hold finite numbers"),
        (Differences(far, -far), r"P: the differences of column 0 must be finite"),
    ):
        with pytest.raises(ValueError, match=message):
            adaboost(wrong, Differences(A + 1, A), 1)
    as_lists = [Differences(S.tolist(), A.tolist()) for S in (A, A + 1)]
    assert adaboost(*as_lists, 1) == adaboost(Differences(A, A), Differences(A + 1, A), 1)
    for P, N in ((A, Differences(A, A)), (Differences(A, A), A)):
        with pytest.raises(TypeError, match="P and N must be two arrays or two Differences"):
            adaboost(P, N, 1)


# ---------------------------------------------------------------------------- blocks, differences


@pytest.mark.parametrize(("block", "rows"), [(10, 2), (14, 2), (15, 3), (4, 1), (100, 7)])
def test_a_block_of_queries_holds_so_many_similarities(block, rows, monkeypatch):
    """5 training vectors, 7 queries; each block is compared with two classes."""
    prediction = refimpl.boosted_distance.prediction
    similarity_of_block = prediction.algorithm.similarity
    asked = []

    def counting(Q, *arguments, **options):
        asked.append(len(Q))
        return similarity_of_block(Q, *arguments, **options)

    monkeypatch.setattr(prediction, "_BLOCK", block)
    monkeypatch.setattr(prediction.algorithm, "similarity", counting)
    X, labels = np.arange(10.0).reshape(5, 2), np.array([0, 0, 1, 1, 1])
    model = boosted_distance(X, labels, 1)
    Q = np.arange(14.0).reshape(7, 2)
    alone = [nearest_neighbor_boosted_distance(model, Q[[i]], X, labels)[0] for i in range(7)]
    scores = np.concatenate([class_similarities(model, Q[[i]], X, labels) for i in range(7)])
    assert_same(class_similarities(model, Q, X, labels), scores)
    S = similarity(model, Q, X, labels)
    assert_same(scores, np.column_stack([S[:, labels == C].max(axis=1) for C in (0, 1)]))
    asked.clear()
    found = nearest_neighbor_boosted_distance(model, Q, X, labels, threads=1)
    assert found.tolist() == alone and len(set(alone)) == 2
    blocks = [rows] * (7 // rows) + ([7 % rows] if 7 % rows else [])
    assert asked == list(np.repeat(blocks, 2))


def test_differences_are_the_array_of_differences(kernels):
    A, B = (np.random.default_rng(0).integers(-20, 20, (n, 4)) / 8 for n in (7, 5))
    A[3] = B[3] = B[1]
    D = Differences(A, B)
    literal = np.array([a - b for a in A for b in B])
    assert_same(np.asarray(D), literal)
    assert_same(np.asarray(D, dtype=np.float32), literal.astype(np.float32))
    assert (len(D), D.shape) == (35, (35, 4))
    for f in range(4):
        assert_same(D.column(f), literal[:, f].copy())
    P = Differences(B, B)
    N = Differences(A, B)
    assert adaboost(P, N, 7, kernels=kernels) == adaboost(
        np.asarray(P), np.asarray(N), 7, kernels=kernels
    )
