"""Algorithms A.1-A.3: against brute force, twin against twin round by round, and their edges."""

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from sklearn.datasets import load_breast_cancer, load_wine

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


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
def test_stages_are_normalised_by_the_rounds_they_have(cancer, kernels):
    X, y, X_test, _ = cancer
    model = boosted_distance(
        X, y, 12, kernels=kernels, callback=lambda step: (step.label, step.number) == (0, 4)
    )
    assert [len(ensemble) for ensemble in model.ensembles] == [4, 12]
    stages = staged_nearest_neighbor(
        model, X_test, X, y, range(1, 14), kernels=kernels, normalize=True
    )
    answers = []
    for t, guess in stages:
        part = model.rounds(0, t)
        expected = nearest_neighbor_boosted_distance(
            part, X_test, X, y, kernels=kernels, normalize=True
        )
        np.testing.assert_array_equal(guess, expected)
        answers.append(tuple(guess))
    assert len(set(answers)) > 5
    with pytest.raises(ValueError, match="rounds must be in ascending order; got 2 after 3"):
        list(staged_nearest_neighbor(model, X_test, X, y, [3, 2], kernels=kernels))
    with pytest.raises(TypeError, match="rounds must be a list of numbers of rounds; got 5"):
        list(staged_nearest_neighbor(model, X_test, X, y, 5, kernels=kernels))


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
    with pytest.raises(
        ValueError, match=r"start must have the classes of y, \[1, 2\]; got \[0, 1\]"
    ):
        boosted_distance(X, y + 1, 9, start=model)


def test_weights_stay_weights_when_they_underflow():
    rounds = adaboost_rounds(
        np.zeros((3, 1)), np.array([[1.0], [2.0]]), kernels=refimpl.kernels, weak_learner=Stumps()
    )
    for _, r in zip(range(60), rounds, strict=False):
        assert np.isfinite(r.w).all() and r.w.sum() == pytest.approx(1) and np.isfinite(r.alpha)


def test_constant_features_and_lonely_vectors():
    model = boosted_distance(np.ones((3, 2)), [0, 0, 1], 4)
    assert selected_dimensions(model).size == 0
    assert nearest_neighbor_boosted_distance(
        model, np.ones((2, 2)), np.ones((3, 2)), [0, 0, 1]
    ).shape == (2,)


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
def test_similarity_lies_in_the_unit_interval_by_default(cancer, kernels):
    """Up to 1 exactly, however many stumps are added."""
    X, y, _, _ = cancer
    model = boosted_distance(X, y, 40, kernels=kernels)
    for rounds in range(1, 41):
        part = model.rounds(0, rounds)
        S = similarity(part, X, X, y, kernels=kernels)
        assert S.min() >= 0 and S.max() <= 1
    assert S.max() > 0.9
    assert_same(S, similarity(model, X, X, y, kernels=kernels, normalize=True))


def test_the_default_is_the_normalised_similarity():
    """The sum as printed favours the class whose stumps weigh most; every function has the same
    default.
    """
    X, y = load_wine(return_X_y=True)
    X, y, Q, truth = X[::2], y[::2], X[1::2], y[1::2]
    model = boosted_distance(X, y, 20, kernels=KERNELS[-1])
    options = {"kernels": KERNELS[-1]}
    default, normal, literal = (
        nearest_neighbor_boosted_distance(model, Q, X, y, **options, **how)
        for how in ({}, {"normalize": True}, {"normalize": False})
    )
    assert (default == normal).all() and (literal == truth).mean() < (
        default == truth
    ).mean() - 0.05
    assert (dict(staged_nearest_neighbor(model, Q, X, y, [20], **options))[20] == normal).all()
    assert (class_similarities(model, Q, X, y, **options).argmax(axis=1) == normal).all()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (([[np.nan], [1]], [0, 1], 3), "X"),
        (([[0.0], [1]], [0, 0], 3), "y"),
        (([[0.0], [1]], [0, 1, 1], 3), "y"),
        (([[0.0], [1]], [0, 1], 0), "T"),
        (([[-1.7e308], [1.7e308]], [0, 1], 3), "X"),
    ],
)
def test_bad_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=f"^{name}"):
        boosted_distance(*arguments)


@pytest.mark.parametrize(
    "labels",
    [
        [0, "0", 1],
        [0, 1, True],
        [0, 1, 1.0],
        ["a", b"b", "b"],
        [0, 1, None],
        [None] * 3,
        [np.int64(1), np.True_, 0],
    ],
)
def test_labels_of_several_types_are_refused(labels):
    for one in (labels, tuple(labels), np.array(labels, dtype=object)):
        with pytest.raises(TypeError, match=r"^y "):
            boosted_distance([[0.0], [1.0], [2.0]], one, 1)


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


def test_max_memory_counts_the_rounds_of_adaboost():
    """A round takes a kilobyte; the callback ends a training that is not refused."""
    P = np.array([[0.0], [1.0]])
    N = np.array([[2.0], [3.0]])
    how = {"callback": lambda step: True, "max_memory": 2**29}
    with pytest.raises(MemoryError, match=r"max_memory .* up to"):
        adaboost(P, N, 10**6, **how)
    assert len(adaboost(P, N, 10, **how)) == 1
