"""The inverted index: against brute force, after additions, deletions and reloading; its kernels,
twin against twin.
"""

import copy
import pickle
import types

import numpy as np
import oracles_forest as oracle
import pytest
from agreement import KERNELS, require_twins
from forest_problems import listed, random_forest
from hypothesis import given, settings
from hypothesis import strategies as st
from teams import at_once

from refimpl import kernels as kernel_names
from refimpl.search_forest import InvertedIndex, selection, to_terms


@st.composite
def forests(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    d = draw(st.sampled_from([1, 3, 16, 17, 33]))
    forest = random_forest(rng, draw(st.integers(1, 5)), d, draw(st.integers(0, 5)), dtype)
    X = rng.normal(size=(draw(st.integers(1, 90)), d))
    X = (np.rint(X) if draw(st.booleans()) else X).astype(dtype)
    return forest, X, rng


def brute(forest, Q, X, ids, most=None):
    words_Q, words = (to_terms(forest, part).tolist() for part in (Q, X))
    found = [oracle.selected(q, words, forest.c.tolist())[:most] for q in words_Q]
    return [[(T, int(ids[x])) for T, x in one] for one in found]


@pytest.mark.parametrize("most", [1, 3, 4, 5, 6])
def test_no_more_candidates_than_asked_for(kernels, most):
    """One leaf holds five points: all have the same score, and the lowest rows are taken."""
    forest = random_forest(np.random.default_rng(0), 1, 3, 0, np.float64)
    index = InvertedIndex(forest, np.zeros((5, 3)), kernels=kernels)
    for queries in (1, 40):  # few are looked up otherwise
        chosen = index.candidates(np.ones((queries, 3)), n_candidates=most)
        assert chosen.ids.tolist() == [*range(min(most, 5))] * queries


@settings(max_examples=40, deadline=None)
@given(case=forests(), most=st.sampled_from([None, 1, 4]))
def test_candidates_are_the_points_with_a_leaf_in_common(kernels, case, most):
    forest, X, rng = case
    index = InvertedIndex(forest, X, kernels=kernels)
    Q = np.concatenate([X[:5], X[:5] + X.dtype.type(0.5)])
    assert listed(index.candidates(Q, n_candidates=most)) == brute(
        forest, Q, X, np.arange(len(X)), most
    )
    np.testing.assert_allclose(
        selection(forest, Q, X).sum(axis=1),
        [sum(T for T, _ in one) for one in brute(forest, Q, X, np.arange(len(X)))],
    )
    gone = rng.permutation(len(X))[: len(X) // 3]
    index.delete(gone)
    more = index.add(X[:7] + X.dtype.type(0.1))
    assert more.tolist() == list(range(len(X), len(X) + len(X[:7])))
    everything = np.concatenate([X, X[:7] + X.dtype.type(0.1)])
    ids = np.arange(len(X) + len(X[:7]))
    kept = ~np.isin(ids, gone)
    assert (index.ids == ids[kept]).all() and len(index) == kept.sum()
    for _ in range(2):
        assert listed(index.candidates(Q, n_candidates=most)) == brute(
            forest, Q, everything[kept], ids[kept], most
        )
        found, distances = index.query(Q, 3, n_candidates=most)
        for i, of_query in enumerate(brute(forest, Q, everything[kept], ids[kept], most)):
            mine = np.sort(np.array([x for _, x in of_query], dtype=int))
            exact = ((Q[i].astype(float) - everything[mine].astype(float)) ** 2).sum(axis=1) ** 0.5
            assert found[i, len(mine) :].tolist() == [-1] * max(0, 3 - len(mine))
            np.testing.assert_allclose(distances[i, : len(mine)], np.sort(exact)[:3], rtol=1e-12)
            assert (
                set(found[i, : len(mine)]) <= set(mine)
                and (distances[i, len(mine) :] == np.inf).all()
            )
        index.compact()


def test_any_distance_ranks(kernels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    index = InvertedIndex(random_forest(rng, 4, 3, 2), X, kernels=kernels)
    ids, distances = index.query(X[:5], 4, distance=lambda q, A: np.abs(A - q).sum(axis=1))
    assert (ids[:, 0] == np.arange(5)).all() and (np.diff(distances, axis=1) >= 0).all()
    euclidean, lengths = index.query(X[:5], 4)
    again = index.query(X[:5], 4, distance=lambda q, A: ((A - q) ** 2).sum(axis=1) ** 0.5)
    assert (again[0] == euclidean).all()
    np.testing.assert_allclose(again[1], lengths)
    with pytest.raises(ValueError, match="distance must return numbers"):
        index.query(X[:1], 4, distance=lambda q, A: np.zeros(1))
    with pytest.raises(TypeError, match="the return value of distance must hold real numbers"):
        index.query(X[:1], 4, distance=lambda q, A: ["1"] * len(A))
    with pytest.raises(TypeError, match=r"distance must be a function of a query .*; got 'L1'"):
        index.query(X[:1], 4, distance="L1")


def test_more_candidates_than_a_kernel_can_count_are_all(kernels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    index = InvertedIndex(random_forest(rng, 4, 3, 2), X, kernels=kernels)
    assert index.candidates(X, n_candidates=2**70) == index.candidates(X)


def test_no_other_thread_comes_into_the_sorting(monkeypatch):
    rng = np.random.default_rng(0)
    argsort = np.argsort
    entered = []
    index = InvertedIndex(random_forest(rng, 3, 4, 3), rng.normal(size=(30, 4)))

    def watched(*arguments, **options):
        entered.extend(at_once(lambda _: index._lock.acquire(blocking=False), [0]))
        return argsort(*arguments, **options)

    monkeypatch.setattr(np, "argsort", watched)
    assert len(index) == 30 and entered == [False] * 3


@pytest.mark.parametrize(
    "ask", [lambda index, Q: listed(index.candidates(Q)), lambda index, Q: index.query(Q, 5)]
)
def test_an_answer_is_of_one_moment(monkeypatch, ask):
    """The index changes while the queries pass the trees."""
    rng = np.random.default_rng(0)
    words = kernel_names.forest_words
    forest = random_forest(rng, 3, 4, 3)
    X = rng.normal(size=(60, 4))
    index = InvertedIndex(forest, X)
    expected = ask(index, X[:2])

    def meanwhile(*arguments, threads):
        monkeypatch.undo()
        index.delete(np.arange(40))
        index.add(X[:3])
        assert len(index) == 23
        return words(*arguments)

    monkeypatch.setattr(kernel_names, "forest_words", meanwhile)
    for a, b in zip(ask(index, X[:2]), expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert index.ids.tolist() == [*range(40, 63)]


def test_points_wait_on_if_they_cannot_be_sorted_in(monkeypatch):
    rng = np.random.default_rng(0)
    forest = random_forest(rng, 3, 4, 3)
    X = rng.normal(size=(30, 4))
    index = InvertedIndex(forest, X[:20])
    assert len(index) == 20
    index.add(X[20:])

    def fail(*_, **__):
        raise MemoryError

    with monkeypatch.context() as context, pytest.raises(MemoryError):
        context.setattr(np, "argsort", fail)
        index.candidates(X)
    assert listed(index.candidates(X)) == listed(InvertedIndex(forest, X).candidates(X))


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda index: pickle.loads(pickle.dumps(index))]
)
def test_copies_change_alone(kernels, copied):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    index = InvertedIndex(random_forest(rng, 3, 4, 3), X, kernels=kernels)
    other = copied(index)
    expected = listed(index.candidates(X))
    assert listed(other.candidates(X)) == expected and other.kernels is kernels
    other.delete([5])
    assert other.add(X[:2]).tolist() == [30, 31] and len(other) == 31
    assert len(index) == 30 and listed(index.candidates(X)) == expected
    assert at_once(lambda _: len(other), range(4)) == [31] * 4


class Kernels:
    """An object with the names of the reference kernels."""

    def __getattr__(self, name):
        return getattr(kernel_names, name)


def test_an_index_with_kernels_that_are_no_module_can_be_copied():
    rng = np.random.default_rng(0)
    index = InvertedIndex(random_forest(rng, 2, 2, 2), rng.normal(size=(9, 2)), kernels=Kernels())
    assert isinstance(pickle.loads(pickle.dumps(index)).kernels, Kernels)
    mine = types.ModuleType("mine")  # as in the guide to kernels: nobody can import it
    vars(mine).update({name: getattr(kernel_names, name) for name in kernel_names.__all__})
    index = InvertedIndex(index.forest, rng.normal(size=(9, 2)), kernels=mine)
    assert copy.copy(index).kernels is mine
    with pytest.raises(TypeError, match="module"):
        pickle.dumps(index)


def test_bad_arguments(tmp_path):
    rng = np.random.default_rng(0)
    index = InvertedIndex(random_forest(rng, 2, 3, 2), rng.normal(size=(5, 3)))
    index.delete([2])
    for call, message in (
        (lambda: index.delete([2]), "a deleted point"),
        (lambda: index.delete([9]), "ids must hold indices .*got 9"),
        (lambda: index.add(np.zeros((1, 2))), "3 columns.*got 2"),
        (lambda: index.candidates([[np.nan] * 3]), "NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    (tmp_path / "other").mkdir()
    with pytest.raises(FileExistsError, match="is no index"):
        index.save(tmp_path / "other")


def test_candidates_at_no_distance_that_is_a_number_come_last():
    """A comparison that forgets NaN is no order, and sorting by it reads beyond the end."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    X[rng.random(400) < 0.5, 1] = np.nan
    Q = X[~np.isnan(X[:, 1])][:2].copy()
    offsets = np.array([0, 300, 700])
    rows = rng.integers(400, size=700)
    values = {"Q": Q, "X": X, "offsets": offsets, "rows": rows}
    for k in (1, 100, 299, 500):
        require_twins("rerank", values | {"k": k}, (None,))
    found = KERNELS[-1].rerank(**values, k=500)
    assert np.isnan(found[0][0, 299]) and np.isinf(found[0][0, 300])


def test_an_index_of_mostly_deleted_points_is_made_anew(kernels):
    """The room of deleted points is kept until they are more than half."""
    rng = np.random.default_rng(0)
    index = InvertedIndex(random_forest(rng, 2, 3, 3), rng.normal(size=(10, 3)), kernels=kernels)
    index.delete([0, 1, 2, 3, 4])
    assert len(index) == 5 and len(index._lists.alive) == 10
    index.delete([9])
    assert len(index) == 4 and len(index._lists.alive) == 4 and index.ids.tolist() == [5, 6, 7, 8]
