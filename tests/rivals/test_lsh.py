"""p-stable hashing, votes and recall: against brute force, and twin against twin bit for bit."""

import dataclasses
import math
from itertools import pairwise

import numpy as np
import oracles_hashing as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from refimpl.rivals.candidates import Candidates, recall
from refimpl.rivals.lsh import HashTables, lsh, sortable

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
fast_only = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")


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


@each
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


@each
@settings(max_examples=40, deadline=None)
@given(case=hashings())
def test_buckets_hold_the_points_with_their_key(kernels, case):
    X, *_ = case
    tables = hashed(case, kernels)
    functions = list(zip(tables.a.T.tolist(), tables.b.tolist(), strict=True))
    for t, (first, last) in enumerate(zip(tables.tables[:-1], tables.tables[1:], strict=True)):
        mine = functions[t * tables.k : (t + 1) * tables.k]
        keys = tables.keys[first:last].tolist()
        assert keys == sorted(keys) and len(set(map(tuple, keys))) == len(keys)
        for j, key in zip(range(first, last), keys, strict=True):
            members = tables.members[tables.starts[j] : tables.starts[j + 1]].tolist()
            expected = [
                i
                for i, x in enumerate(X.tolist())
                if [oracle.stable_hash(x, a, b, tables.w) for a, b in mine] == key
            ]
            assert members == expected


@each
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), most=st.integers(0, 30))
def test_votes(kernels, seed, most):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 40)
    b = rng.integers(1, 12)
    m = rng.integers(0, 6)
    tables = rng.integers(1, 9)
    held = [rng.permutation(n)[: rng.integers(0, n + 1)] for _ in range(b)]
    ends = np.cumsum([len(one) for one in held])
    starts = ends - [len(one) for one in held]
    members = np.concatenate(held)
    buckets = rng.integers(-1, b, (m, tables))
    first, indices, votes = kernels.bucket_votes(starts, ends, members, buckets, n, most)
    assert first[0] == 0 and first[-1] == len(indices) == len(votes)
    for i in range(m):
        mine = slice(first[i], first[i + 1])
        expected = oracle.votes([held[j].tolist() for j in buckets[i] if j >= 0], most)
        assert list(zip(indices[mine].tolist(), votes[mine].tolist(), strict=True)) == expected


@each
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_projections(kernels, seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 6)
    d = rng.integers(1, 12)
    h = rng.choice([1, 2, 63, 64, 65, 130])
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-20, 20, (n, d))
    A = rng.normal(size=(d, h))
    P = kernels.projections(X, A)
    assert P.tolist() == [[oracle.projection(x, a) for a in A.T.tolist()] for x in X.tolist()]
    for other in KERNELS:
        assert_same(P, other.projections(X, A, threads=2))


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


@each
def test_first_tables_are_those_of_fewer_and_near_points_agree_more(kernels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6))
    Q = X[:20] + 0.01
    near = np.argsort(((X[:, np.newaxis] - Q) ** 2).sum(axis=2), axis=0)[:10].T
    many, few = (lsh(X, t, 3, 2.0, rng=np.random.default_rng(3), kernels=kernels) for t in (20, 4))
    for field in dataclasses.fields(HashTables):
        assert_same(getattr(many.truncated(4), field.name), getattr(few, field.name))
    recalls = [
        recall(tables.candidates(Q, kernels=kernels), near, [50])[0][0] for tables in (few, many)
    ]
    assert recalls[0] + 0.1 < recalls[1] and recalls[1] > 0.7


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
    assert recalls.tolist() == [0, 0.25, 0.5, 0.75] and returned.tolist() == [
        0,
        2 / 3,
        4 / 3,
        5 / 3,
    ]
    twice = Candidates(np.array([0, 3]), np.array([5, 5, 5]), np.zeros(3, dtype=int))
    for call, message in (
        (
            lambda: recall(twice, [[5, 6, 7]], [3]),
            "candidates must hold each point once.*got 5 twice for query 0",
        ),
        (
            lambda: recall(twice.head(1), [[6, 5, 5]], [3]),
            "neighbors must hold each point once.*got 5 twice for query 0",
        ),
        (lambda: recall(twice.head(1), [[-1, -1]], [3]), "neighbors must hold"),
        (
            lambda: recall(twice.head(1), [[5, -2]], [3]),
            "neighbors must hold integers from 0, or -1",
        ),
        (
            lambda: Candidates(np.array([0, 1]), np.array([-2]), np.zeros(1, dtype=int)),
            "indices must be integers",
        ),
        (
            lambda: Candidates(np.array([0, 1]), np.array([1.0]), np.zeros(1, dtype=int)),
            "indices must be integers",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    "name, change",
    [
        ("a", lambda a: a[:, 1:]),
        ("b", lambda a: a[1:]),
        ("w", lambda a: 0.0),
        ("w", lambda a: np.nan),
        ("tables", lambda a: a[:-1]),
        ("tables", lambda a: a + 1),
        ("keys", lambda a: a[:-1]),
        ("keys", lambda a: a[:, 1:]),
        ("keys", lambda a: a[:, 0]),
        ("starts", lambda a: a[:-1]),
        ("starts", lambda a: np.zeros_like(a)),
        ("members", lambda a: a[:-3]),
        ("members", lambda a: np.zeros_like(a)),
    ],
)
def test_damaged_tables_are_refused(name, change):
    tables = lsh(np.arange(12.0).reshape(6, 2), 3, 2, 5.0, rng=np.random.default_rng(0))
    with pytest.raises(ValueError):
        dataclasses.replace(tables, **{name: change(getattr(tables, name))})


def test_bad_arguments():
    rng = np.random.default_rng(0)
    X = np.zeros((3, 2))
    for arguments, message in (
        ((X, 0, 1, 1.0), "n_tables must .*got 0"),
        ((X, 1, 0, 1.0), "k must .*got 0"),
        ((X, 1, 1, 0), "w must be a number above 0; got 0"),
        ((X, 1, 1, -1.0), "w must .*got -1.0"),
        ((X, 1, 1, np.inf), "w must .*got inf"),
        (([[np.inf]], 1, 1, 1.0), "X must .*got 1"),
        (([[1e141]], 1, 1, 1.0), "X must hold values within 1e140"),
        (([[1e30]], 1, 1, 1.0), "X must have projections"),
    ):
        with pytest.raises(ValueError, match=message):
            lsh(*arguments, rng=rng)
    with pytest.raises(ValueError, match=r"p must .*got 3"):
        lsh(X, 1, 1, 1.0, rng=rng, p=3)
    with pytest.raises(TypeError, match=r"rng must .*got None"):
        lsh(X, 1, 1, 1.0, rng=None)
    tables = lsh(X, 1, 1, 1.0, rng=rng)
    with pytest.raises(ValueError, match=r"Q must .*got 3"):
        tables.candidates(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="Q must have projections"):
        tables.candidates([[1e30, 0.0]])
    with pytest.raises(ValueError, match=r"n_candidates must .*got 0"):
        tables.candidates(X, 0)
    with pytest.raises(ValueError, match=r"n_tables must .*got 2"):
        tables.truncated(2)
    found = tables.candidates(X)
    for call, message in (
        (lambda: recall(found, [[0]], [1]), "neighbors must .*; got"),
        (lambda: recall(found, np.zeros((3, 0), dtype=int), [1]), "neighbors must .*; got"),
        (lambda: recall(found, [[0], [0], [0]], [-1]), "counts must .*got -1"),
        (lambda: found.head(-1), "n_candidates must .*got -1"),
        (
            lambda: Candidates(np.array([0, 2]), np.zeros(1, dtype=int), np.zeros(1, dtype=int)),
            "starts must rise",
        ),
        (
            lambda: Candidates(np.array([0, 1]), np.zeros(1, dtype=int), np.zeros(2, dtype=int)),
            "starts, indices and scores must be of shapes",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match=r"neighbors must .*got dtype float64"):
        recall(found, [[0.0]] * 3, [1])
    with pytest.raises(TypeError, match=r"candidates must .*got a list"):
        recall([1], [[0]], [1])


@each
def test_a_point_that_stands_in_a_bucket_twice_counts_once(kernels):
    starts = np.array([0, 4])
    ends = np.array([4, 5])
    members = np.array([2, 0, 2, 2, 2])
    found = kernels.bucket_votes(
        starts, ends, members, np.array([[0, 1], [0, 0], [1, -1]]), 3, 2**62
    )
    assert [one.tolist() for one in found] == [[0, 2, 4, 5], [2, 0, 0, 2, 2], [2, 1, 2, 2, 1]]
    long = (
        np.array([0]),
        np.array([10**6]),
        np.zeros(10**6, dtype=np.int64),
        np.zeros((1, 1), dtype=np.int64),
    )
    assert [one.tolist() for one in kernels.bucket_votes(*long, 1, 1)] == [[0, 1], [0], [1]]


@each
def test_of_an_index_only_the_buckets_of_the_queries_count(kernels):
    """What is wrong elsewhere is not looked at; of several wrong queries the first is named."""
    starts = np.array([0, 2, 9])
    ends = np.array([2, 4, 5])
    members = np.array([0, 1, 7, -7])
    found = kernels.bucket_votes(starts, ends, members, np.array([[0, -1]]), 2, 5)
    assert [one.tolist() for one in found] == [[0, 2], [0, 1], [1, 1]]
    buckets = np.array([[0, 0]] * 70 + [[0, 2], [1, 0]])
    with pytest.raises(
        ValueError, match=r"starts\[2\] and ends\[2\] must be positions in members.*got 9 and 5"
    ):
        kernels.bucket_votes(starts, ends, members, buckets, 2, 5)
    with pytest.raises(ValueError, match=r"members\[2\] must be a point from 0 to 1; got 7"):
        kernels.bucket_votes(starts, ends, members, buckets[::-1].copy(), 2, 5)


@each
def test_no_tables_no_buckets_no_points(kernels):
    none = np.empty(0, dtype=np.int64)
    for buckets in (np.empty((2, 0), dtype=np.int64), np.full((2, 3), -1)):
        assert [one.tolist() for one in kernels.bucket_votes(none, none, none, buckets, 0, 4)] == [
            [0, 0, 0],
            [],
            [],
        ]
    many = kernels.bucket_votes(
        np.array([0]), np.array([2]), np.array([5, 9]), np.array([[0]]), 2**31 - 1, 4
    )
    # memory for two points, not for 2**31
    assert [one.tolist() for one in many] == [[0, 2], [5, 9], [1, 1]]
    assert kernels.projections(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0] * 3] * 2
    assert kernels.projections(np.zeros((2, 3)), np.zeros((3, 0))).shape == (2, 0)
