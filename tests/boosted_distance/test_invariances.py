"""What must not change an answer: order, translation, powers of two, batches, memory layout,
threads.
"""

import numpy as np
import pytest
from agreement import KERNELS, assert_same, assert_same_rounds
from hypothesis import given, settings
from hypothesis import strategies as st

import refimpl
from refimpl.boosted_distance import (
    Differences,
    adaboost,
    adaboost_rounds,
    boosted_distance,
    nearest_neighbor_boosted_distance,
    selected_dimensions,
    similarity,
    staged_nearest_neighbor,
)
from refimpl.boosted_distance.weak_learners import DepthTwoTrees, Stumps

LEARNERS = [Stumps(), DepthTwoTrees()]
both_kernels = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
both_learners = pytest.mark.parametrize("learner", LEARNERS, ids=lambda x: type(x).__name__)
fast_only = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")


def training_set(seed=0):
    """Eighths, so that sums and differences are exact, with ties and duplicates; three classes."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([3, 5, 9], [9, 7, 4]))
    X = rng.integers(-20, 20, (20, 4)) / 8 + labels[:, None] * [0.25, 0.0, -0.125, 0.5]
    X[7] = X[2]
    return X, labels, rng.integers(-40, 40, (33, 4)) / 8


@both_kernels
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


@both_kernels
def test_of_equals_the_first_training_vector_wins(kernels):
    X = np.zeros((4, 1))
    labels = np.array([1, 0, 0, 0])
    model = boosted_distance(X, labels, 2, kernels=kernels)
    for order in ([0, 1, 2, 3], [1, 2, 3, 0]):
        label = nearest_neighbor_boosted_distance(model, [[5.0]], X, labels[order], kernels=kernels)
        assert label.tolist() == [labels[order][0]]


@both_kernels
@both_learners
def test_translation(kernels, learner):
    X, labels, Q = training_set()
    options = {"kernels": kernels, "weak_learner": learner, "threads": 1}
    model = boosted_distance(X, labels, 9, **options)
    shift = np.array([512.0, -3.0, 0.125, 0.0])
    assert boosted_distance(X + shift, labels, 9, **options) == model
    S = similarity(model, Q, X, labels, kernels=kernels)
    assert_same(similarity(model, Q + shift, X + shift, labels, kernels=kernels), S)


@both_kernels
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


@both_kernels
@both_learners
def test_one_query_or_many_and_repeated_ones(kernels, learner, monkeypatch):
    X, labels, Q = training_set()
    model = boosted_distance(X, labels, 9, kernels=kernels, weak_learner=learner)
    options = {"kernels": kernels, "threads": 1}
    whole = nearest_neighbor_boosted_distance(model, Q, X, labels, kernels=kernels, threads=2)
    S = similarity(model, Q, X, labels, **options)
    for i in range(len(Q)):
        assert_same(
            nearest_neighbor_boosted_distance(model, Q[i : i + 1], X, labels, **options),
            whole[i : i + 1],
        )
        assert_same(similarity(model, Q[i : i + 1], X, labels, **options), S[i : i + 1])
    twice = np.concatenate([Q, Q[::-1]])
    assert_same(
        nearest_neighbor_boosted_distance(model, twice, X, labels, **options),
        np.append(whole, whole[::-1]),
    )
    for block in (1, 50, 60, 33 * 20 - 1):
        monkeypatch.setattr(refimpl.boosted_distance.prediction, "_BLOCK", block)
        assert_same(nearest_neighbor_boosted_distance(model, Q, X, labels, **options), whole)


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
    asked.clear()
    nearest_neighbor_boosted_distance(model, np.ones((7, 2)), X, labels, threads=1)
    blocks = [rows] * (7 // rows) + ([7 % rows] if 7 % rows else [])
    assert asked == list(np.repeat(blocks, 2))


def layouts(A):
    """The same numbers, held otherwise."""
    readonly = A.copy()
    readonly.setflags(write=False)
    wide = np.zeros((2 * len(A), 3 * A.shape[1]))
    wide[::2, 1::3] = A
    yield "read-only", readonly
    yield "Fortran", np.asfortranarray(A)
    yield "strided", wide[::2, 1::3]
    yield "reversed", A[::-1, ::-1].copy()[::-1, ::-1]
    yield "transposed", A.T.copy().T
    yield "big-endian", A.astype(">f8")
    yield "single", A.astype(np.float32)
    yield "int32", A.astype(np.int32)
    yield "uint8", A.astype(np.uint8)
    yield "objects", A.astype(object)
    yield "list", A.tolist()


@both_kernels
@both_learners
def test_memory_layouts(kernels, learner):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 30, (14, 3)) * 1.0
    Q = rng.integers(0, 30, (11, 3)) * 1.0
    labels = np.arange(14) % 3 == 0
    options = {"kernels": kernels, "weak_learner": learner, "threads": 1}
    similar = {"kernels": kernels, "threads": 1}
    model = boosted_distance(X, labels, 6, **options)
    S = similarity(model, Q, X, labels, kernels=kernels)
    guess = nearest_neighbor_boosted_distance(model, Q, X, labels, kernels=kernels)
    plain = adaboost(X[labels], X[~labels], 6, **options)
    strided = np.repeat(labels, 2)[::2]
    strided.setflags(write=False)
    for (name, X_2), (_, Q_2) in zip(layouts(X), layouts(Q), strict=True):
        before = np.array(X_2)
        for labels_2 in (strided, labels.tolist()):
            assert boosted_distance(X_2, labels_2, 6, **options) == model, name
            assert_same(similarity(model, Q_2, X_2, labels_2, **similar), S)
            assert_same(
                nearest_neighbor_boosted_distance(model, Q_2, X_2, labels_2, **similar), guess
            )
            stages = dict(staged_nearest_neighbor(model, Q_2, X_2, labels_2, [6], **similar))
            assert_same(stages[6], guess)
        np.testing.assert_array_equal(before, X_2)
    for (name, P), (_, N) in zip(layouts(X[labels]), layouts(X[~labels]), strict=True):
        assert adaboost(P, N, 6, **options) == plain, name


@both_kernels
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


POOLS = {
    "one value": [0.0],
    "small integers": [0.0, 1.0, 2.0],
    "signed zeros": [0.0, -0.0, 1.0, -1.0],
    "no dyadic numbers": [0.1, 0.2, 0.3, 0.7, 1 / 3],
    "neighbours": [1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0), np.nextafter(2.0, 0.0)],
    "huge and tiny": [1e300, -1e300, 5e-324, -5e-324, 1e-300, 0.0, 3.0],
}


@st.composite
def small_sets(draw):
    """Few vectors with few values: duplicates, constant columns, one vector a class, nothing but
    equal ones.
    """
    n_P = draw(st.integers(1, 5))
    n_N = draw(st.integers(1, 5))
    d = draw(st.integers(1, 4))
    pools = draw(st.lists(st.sampled_from(sorted(POOLS)), min_size=d, max_size=d))
    columns = [
        draw(st.lists(st.sampled_from(POOLS[p]), min_size=n_P + n_N, max_size=n_P + n_N))
        for p in pools
    ]
    X = np.array(columns).T
    return X[:n_P].copy(), X[n_P:].copy()


@fast_only
@both_learners
@settings(max_examples=40, deadline=None)
@given(sets=small_sets(), T=st.sampled_from([1, 2, 7, 45]), threads=st.integers(1, 2))
def test_whole_trainings_agree(learner, sets, T, threads):
    """Round by round; 45 rounds without an error make weights of 2**-2340, below all floats."""
    P, N = sets
    for P_2, N_2 in ((P, N), (Differences(P, P), Differences(N, P))):
        reference, fast = (
            adaboost_rounds(P_2, N_2, kernels=k, weak_learner=learner, threads=threads)
            for k in KERNELS
        )
        assert_same_rounds(reference, fast, T)


@fast_only
@both_learners
@settings(max_examples=25, deadline=None)
@given(sets=small_sets(), queries=small_sets(), T=st.sampled_from([1, 6]))
def test_whole_classifications_agree(learner, sets, queries, T):
    X = np.concatenate(sets)
    labels = np.repeat(["P", "N"], [len(one) for one in sets])
    Q = np.concatenate(queries)
    Q = Q[:, np.arange(X.shape[1]) % Q.shape[1]]
    answers = []
    for kernels in KERNELS:
        model = boosted_distance(X, labels, T, kernels=kernels, weak_learner=learner, threads=1)
        answers.append((model, similarity(model, Q, X, labels, kernels=kernels)))
        for normalize in (False, True):
            options = {"kernels": kernels, "normalize": normalize, "threads": 1}
            guess = nearest_neighbor_boosted_distance(model, Q, X, labels, **options)
            stages = dict(staged_nearest_neighbor(model, Q, X, labels, [1, T], **options))
            assert_same(stages[T], guess)
            assert_same(
                guess, labels[np.argmax(similarity(model, Q, X, labels, **options), axis=1)]
            )
        assert set(selected_dimensions(model)) <= set(range(X.shape[1]))
    assert answers[0][0] == answers[1][0]
    assert_same(answers[0][1], answers[1][1])
