"""What must not change an answer: order, translation, powers of two, batches, memory layout,
threads.
"""

import numpy as np
import pytest
from agreement import assert_same

import refimpl
from refimpl.boosted_distance import (
    Differences,
    adaboost,
    boosted_distance,
    class_similarities,
    nearest_neighbor_boosted_distance,
    similarity,
)
from refimpl.boosted_distance.weak_learners import DepthTwoTrees, Stumps

LEARNERS = [Stumps(), DepthTwoTrees()]
both_learners = pytest.mark.parametrize("learner", LEARNERS, ids=lambda x: type(x).__name__)


def training_set(seed=0):
    """Eighths, so that sums and differences are exact, with ties and duplicates; three classes."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([3, 5, 9], [9, 7, 4]))
    X = rng.integers(-20, 20, (20, 4)) / 8 + labels[:, None] * [0.25, 0.0, -0.125, 0.5]
    X[7] = X[2]
    return X, labels, rng.integers(-40, 40, (33, 4)) / 8


@both_learners
def test_order_of_the_training_vectors(kernels, learner):
    X, labels, Q = training_set()
    model = boosted_distance(X, labels, 9, kernels=kernels, weak_learner=learner)
    order = np.random.default_rng(1).permutation(len(X))
    S = similarity(model, Q, X, labels, kernels=kernels)
    assert_same(similarity(model, Q, X[order], labels[order], kernels=kernels), S[:, order])
    clear = np.count_nonzero(S.max(axis=1)[:, None] == S, axis=1) == 1
    assert clear.any()
    permuted, plain = (
        nearest_neighbor_boosted_distance(model, Q[clear], X[o], labels[o], kernels=kernels)
        for o in (order, slice(None))
    )
    assert_same(permuted, plain)
    again = boosted_distance(X[order], labels[order], 9, kernels=kernels, weak_learner=learner)
    for C in model:  # the weights are summed in another order before they are normalised
        np.testing.assert_allclose(again[C].alpha, model[C].alpha, rtol=1e-9)


@both_learners
def test_translation(kernels, learner):
    X, labels, Q = training_set()
    options = {"kernels": kernels, "weak_learner": learner, "threads": 1}
    model = boosted_distance(X, labels, 9, **options)
    shift = np.array([512.0, -3.0, 0.125, 0.0])
    assert boosted_distance(X + shift, labels, 9, **options) == model
    S = similarity(model, Q, X, labels, kernels=kernels)
    assert_same(similarity(model, Q + shift, X + shift, labels, kernels=kernels), S)


@both_learners
def test_powers_of_two(kernels, learner):
    X, labels, Q = training_set()
    options = {"kernels": kernels, "weak_learner": learner, "threads": 1}
    model = boosted_distance(X, labels, 9, **options)
    scale = np.array([2.0**40, 1.0, 0.25, 2.0**-30])
    scaled = boosted_distance(X * scale, labels, 9, **options)
    for C, ensemble in model.items():
        for name in ("alpha", "feature", "polarity"):
            assert_same(getattr(scaled[C], name), getattr(ensemble, name))
        assert_same(scaled[C].threshold, ensemble.threshold * scale[ensemble.feature])
    S = similarity(model, Q, X, labels, kernels=kernels)
    assert_same(similarity(scaled, Q * scale, X * scale, labels, kernels=kernels), S)


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
    asked.clear()
    found = nearest_neighbor_boosted_distance(model, Q, X, labels, threads=1)
    assert found.tolist() == alone and len(set(alone)) == 2
    blocks = [rows] * (7 // rows) + ([7 % rows] if 7 % rows else [])
    assert asked == list(np.repeat(blocks, 2))


def test_differences_are_the_array_of_differences(kernels):
    X, labels, _ = training_set()
    A = X[labels == 5]
    B = X[labels == 9]
    D = Differences(A, B)
    literal = np.array([a - b for a in A for b in B])
    assert_same(np.asarray(D), literal)
    assert_same(np.asarray(D, dtype=np.float32), literal.astype(np.float32))
    assert (len(D), D.shape) == (28, (28, 4))
    for f in range(4):
        assert_same(D.column(f), literal[:, f].copy())
    P = Differences(B, B)
    N = Differences(A, B)
    assert adaboost(P, N, 7, kernels=kernels) == adaboost(
        np.asarray(P), np.asarray(N), 7, kernels=kernels
    )
