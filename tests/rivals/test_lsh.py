"""p-stable hashing, votes and recall: against brute force, and twin against twin bit for bit."""

import math
from itertools import pairwise

import numpy as np
import oracles_hashing as oracle
import pytest
from agreement import assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from refimpl.rivals.candidates import Candidates, recall
from refimpl.rivals.lsh import lsh, sortable


@st.composite
def hashings(draw, most=60):
    """Points, queries (some of them points), and how to hash them: from single buckets to buckets
    of single points.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, most))
    d = draw(st.integers(1, 12))
    X = rng.normal(size=(n, d))
    X *= draw(st.sampled_from([1.0, 1e-100, 1e100]))
    scale = np.abs(X).max()
    if draw(st.booleans()):  # duplicates, a constant feature
        X[rng.integers(0, n, n // 2)] = X[0]
        X[:, 0] = scale
    Q = np.concatenate(
        [X[rng.integers(0, n, 2)], X[rng.integers(0, n, 2)] + 0.1 * scale * rng.normal(size=d)]
    )
    width = scale * draw(st.sampled_from([0.001, 0.3, 2.0, 1e6]))
    how = {"n_tables": draw(st.integers(1, 5)), "k": draw(st.integers(1, 4)), "w": float(width)}
    return X, Q, how, draw(st.sampled_from([1, 2])), draw(st.integers(0, 2**32))


def hashed(case, kernels, **options):
    X, _, how, p, seed = case
    return lsh(X, **how, p=p, rng=np.random.default_rng(seed), kernels=kernels, **options)


def pairs(candidates, i):
    mine = slice(candidates.starts[i], candidates.starts[i + 1])
    return list(
        zip(candidates.indices[mine].tolist(), candidates.scores[mine].tolist(), strict=True)
    )


@settings(max_examples=80, deadline=None)
@given(case=hashings(), most=st.sampled_from([None, 1, 3, 1000]))
def test_candidates_are_those_with_equal_keys(kernels, case, most):
    X, Q, how, *_ = case
    tables = hashed(case, kernels)
    assert tables.w == how["w"] and tables.k == how["k"] and tables.n == len(X)
    assert (tables.b >= 0).all() and (tables.b <= tables.w).all()
    functions = list(zip(tables.a.T.tolist(), tables.b.tolist(), strict=True))
    found = tables.candidates(Q, most, kernels=kernels)
    for i, q in enumerate(Q.tolist()):
        expected = oracle.lsh_candidates(
            X.tolist(), q, functions, tables.k, tables.w, most or len(X)
        )
        assert pairs(found, i) == expected


@pytest.mark.parametrize(
    "p, density",
    [
        (1, lambda t: 2 / (math.pi * (1 + t * t))),
        (2, lambda t: 2 * math.exp(-t * t / 2) / math.sqrt(2 * math.pi)),
    ],
)
def test_the_probability_of_a_collision(p, density):
    """The integral of § 3.2 of Datar et al. (2004) against 4,000 hash functions."""
    one = np.array([0.5, -1.0, 2.0])
    other = one + np.array([0.6, -0.8, 0.0])
    c = 1.4 if p == 1 else 1.0
    tables = lsh([one], 4000, 1, 2.0, p=p, rng=np.random.default_rng(p))
    share = tables.candidates([other]).scores[0] / 4000
    integral = quad(lambda t: density(t / c) / c * (1 - t / 2.0), 0, 2.0)[0]
    assert share == pytest.approx(integral, abs=4 * math.sqrt(0.25 / 4000))


def test_projections_beyond_all_numbers_are_refused(kernels):
    with pytest.raises(ValueError, match=r"^X must have projections within 2\^53 w; got larger"):
        lsh([[0.0], [1e100]], 4, 2, 1e-250, rng=np.random.default_rng(0), kernels=kernels)


def test_first_tables_are_those_of_fewer(kernels):
    X = np.random.default_rng(0).normal(size=(500, 6))
    many, few = (lsh(X, t, 3, 2.0, rng=np.random.default_rng(3), kernels=kernels) for t in (20, 4))
    assert_same(many.truncated(4), few)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_keys_sort_as_rows_do(seed):
    rng = np.random.default_rng(seed)
    keys = rng.choice([-(2**53), -257, -256, -1, 0, 1, 255, 256, 2**53], (30, rng.integers(1, 4)))
    order = np.argsort(sortable(keys), kind="stable")
    assert keys[order].tolist() == sorted(keys.tolist())
    for a, b in pairwise(keys):
        same = sortable(np.stack([a, b]))
        assert (same[0] == same[1]) == (a == b).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_recall(seed):
    rng = np.random.default_rng(seed)
    lists = [rng.permutation(30)[: rng.integers(0, 31)].tolist() for _ in range(rng.integers(1, 6))]
    neighbors = np.array([rng.permutation(30)[:4] for _ in lists])
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    flat = np.array([i for one in lists for i in one], dtype=np.int64)
    found = Candidates(starts, flat, np.zeros_like(flat))
    counts = [0, 1, 5, 30, 99]
    recalls, returned = recall(found, neighbors, counts)
    assert recalls == pytest.approx(
        [oracle.recall(lists, neighbors.tolist(), count) for count in counts]
    )
    assert returned == pytest.approx(
        [np.mean([min(len(one), count) for one in lists]) for count in counts]
    )
    for i, one in enumerate(lists):
        assert found.of(i).tolist() == one and found.head(5).of(i).tolist() == one[:5]


def test_nothing_found_is_no_error():
    tables = lsh([[0.0], [100.0]], 2, 2, 0.5, rng=np.random.default_rng(0))
    found = tables.candidates([[50.0], [100.0]])
    assert found.counts[0] == 0 and found.of(1).tolist() == [1]
    assert tables.buckets([[50.0]]).tolist() == [[-1, -1]]
    assert recall(found, [[0], [1]], [1])[0].tolist() == [0.5]


def test_recall_counts_each_point_once_and_takes_minus_one_for_nothing_found():
    """A result of FAISS, say, is padded with -1."""
    rows = np.array([[5, 6, -1, -1], [7, -1, 8, 9], [-1, -1, -1, -1]])
    found = Candidates(np.array([0, 4, 8, 12]), rows.ravel(), np.arange(12))
    bare = Candidates(np.array([0, 2, 5, 5]), np.array([5, 6, 7, 8, 9]), np.array([0, 1, 4, 6, 7]))
    assert (
        found == bare and found.counts.tolist() == [2, 3, 0] and found.of(1).tolist() == [7, 8, 9]
    )
    assert found.places().tolist() == [0, 1, 0, 1, 2] and found.head(2) == bare.head(2)
    recalls, returned = recall(found, [[5, 1], [8, 9], [-1, -1]], [0, 1, 2, 9])
    assert recalls.tolist() == [0, 0.25, 0.5, 0.75]
    assert returned.tolist() == [0, 2 / 3, 4 / 3, 5 / 3]
