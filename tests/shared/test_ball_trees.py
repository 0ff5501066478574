"""Nearest neighbours and impostors under a metric: the same answer whichever way it is found."""

import numpy as np
import oracles_lmnn as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from peaks import traced_peak

from refimpl import products
from refimpl.arrays import mapped_by
from refimpl.ball_trees import as_tree, class_trees, impostors, nearest_neighbors, search
from refimpl.rivals.rotated_scan import principal_axes, rotated_scan


@st.composite
def sets(draw, n_most=200):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, n_most))
    d = draw(st.integers(1, 12))
    scale = draw(st.sampled_from([1.0, 1e-60, 1e60]))
    # far off: float32 alone would fail
    X = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 1e7]))
    Q = rng.normal(size=(draw(st.integers(1, 9)), d))
    if draw(st.booleans()):
        X = np.rint(X)
        Q = np.rint(Q)
    Q[0] = X[draw(st.integers(0, n - 1))]
    return X * scale, Q * scale, draw(st.sampled_from([1, min(3, n - 1), n - 1])), rng


def pairs(squares, indices):
    """Return the pairs that an oracle returns."""
    return list(zip(squares.tolist(), indices.tolist(), strict=True))


@settings(max_examples=40, deadline=None)
@given(case=sets(), bound=st.sampled_from(["box", "ball"]), rank=st.sampled_from([None, 1, 3]))
def test_methods_agree_with_brute_force(kernels, case, bound, rank):
    X, Q, k, rng = case
    L = None if rank is None else rng.normal(size=(rank, X.shape[1]))
    found = [
        nearest_neighbors(Q, X, k, L, method=method, bound=bound, kernels=kernels)
        for method in ("tree", "scan", "brute", "auto")
    ]
    X, Q = mapped_by(L, X, Q)
    expected = [oracle.nearest(X.tolist(), q, k) for q in Q.tolist()]
    for one in found:
        assert [*map(pairs, one.squares, one.indices)] == expected
        assert one.method in ("tree", "scan", "brute")
        assert (one.distances == np.sqrt(one.squares)).all()


@pytest.mark.parametrize("method", ["tree", "scan", "brute", "auto"])
@settings(max_examples=20, deadline=None)
@given(case=sets(n_most=60))
def test_leave_one_out(kernels, method, case):
    """No point is its own neighbour, but its duplicate is."""
    X, _, k, _ = case
    X = np.concatenate([X, X[:1]])
    found = nearest_neighbors(None, X, k, method=method, kernels=kernels)
    for t, x in enumerate(X.tolist()):
        expected = oracle.nearest(X.tolist(), x, k, skip=t)
        assert pairs(found.squares[t], found.indices[t]) == expected
    assert found.indices[-1, 0] == 0 and found.squares[-1, 0] == 0
    same = nearest_neighbors(X, X, k, method=method, skip=np.arange(len(X)), kernels=kernels)
    assert_same(found.indices, same.indices)


@settings(max_examples=60, deadline=None)
@given(case=sets(), seed=st.integers(0, 2**32))
def test_equal_vectors_are_mapped_to_equal_ones(case, seed):
    X, _, _, rng = case
    L = np.random.default_rng(seed).normal(size=(3, X.shape[1]))
    X, Q = X[rng.integers(0, len(X), 2 * len(X))], X[rng.permutation(len(X))]
    Z, R = mapped_by(L, X, Q)
    np.testing.assert_allclose(Z, X @ L.T, rtol=1e-12, atol=1e-12 * np.abs(Z).max())
    np.testing.assert_allclose(R, Q @ L.T, rtol=1e-12, atol=1e-12 * np.abs(Z).max())
    both = np.concatenate([X, Q]).tolist(), np.concatenate([Z, R]).tolist()
    seen = {}
    for x, z in zip(*both, strict=True):
        assert seen.setdefault(tuple(x), z) == z


@pytest.mark.parametrize(("n", "d", "r"), [(9, 50, 7), (33, 12, 40), (7, 784, 1), (5, 784, 40)])
def test_equal_vectors_stay_equal_in_any_place(n, d, r):
    """Left to itself, BLAS rounds the last rows in another way."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=d)
    L = rng.normal(size=(r, d))
    X = np.tile(x, (n, 1))
    X[1] = -x
    found = nearest_neighbors(np.tile(x, (n + 2, 1)), X, n - 1, L, method="brute")
    assert not found.squares.any() and (found.indices == [0, *range(2, n)]).all()


def test_equal_vectors_stay_equal_beside_a_large_column():
    """The large column hides the others in a sum; a metric can leave it out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 50))
    X[1:] = X[1]
    X[:, 0] = 1e17
    L = rng.normal(size=(7, 50))
    L[:, 0] = 0
    found = nearest_neighbors(X[1:], X, 8, L, method="brute")
    assert not found.squares.any() and (found.indices == range(1, 9)).all()


def test_many_almost_equal_points_are_told_apart():
    """Float32 products cannot separate them, nor does float64 where they are far off: all are
    compared exactly, in two blocks of queries.
    """
    rng = np.random.default_rng(0)
    for X in (
        1.0 + rng.normal(size=(3000, 4)) * 1e-9,
        np.concatenate([rng.normal(size=(3000, 4)), [[1e12] * 4]]),
    ):
        Q, skip = X[:300] + 1e-10, np.arange(300)
        brute, tree = (
            nearest_neighbors(Q, X, 5, skip=skip, method=method) for method in ("brute", "tree")
        )
        assert_same(brute.squares, tree.squares)
        assert_same(brute.indices, tree.indices)


@pytest.mark.parametrize("far", [1e4, 1e12])
def test_one_outlier_takes_no_more_memory(far):
    """Few queries at a time where float32 does not tell the points apart."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30_000, 2)), [[far, far]]])
    peak = traced_peak(lambda: nearest_neighbors(X[:300], X, 5, method="brute"))
    assert peak < 72 * products.LISTED  # nine numbers for each that is listed
    assert_same(
        nearest_neighbors(X[:300], X, 5, method="brute").indices,
        nearest_neighbors(X[:300], X, 5, method="tree", kernels=KERNELS[-1]).indices,
    )


@settings(max_examples=30, deadline=None)
@given(case=sets(n_most=80), classes=st.integers(1, 4), bound=st.sampled_from(["box", "ball"]))
def test_impostors(kernels, case, classes, bound):
    X, _, _, rng = case
    y = rng.integers(0, classes, len(X))
    limits = np.array(
        [oracle.squared(x, X[j]) for x, j in zip(X, rng.integers(0, len(X), len(X)), strict=True)]
    )
    found = impostors(
        X, y, limits, bound=bound, leaf_size=int(rng.integers(2, 99)), kernels=kernels
    )
    for i, expected in enumerate(oracle.impostors(X.tolist(), y.tolist(), limits.tolist())):
        mine = slice(found.starts[i], found.starts[i + 1])
        assert pairs(found.indices[mine], found.squares[mine]) == expected
    assert (found.computed <= (y[:, np.newaxis] != y).sum(axis=1)).all()


def test_impostors_under_a_metric(kernels):
    """L shrinks the second coordinate: x_0 has its impostor there."""
    X = np.array([[0.0, 0.0], [0.0, 5.0], [3.0, 0.0], [1.0, 0.0]])
    y = np.array(["a", "b", "b", "a"])
    L = np.diag([1.0, 0.1])
    found = impostors(X, y, np.full(4, 2.0), L, kernels=kernels)
    assert found.indices[found.starts[0] : found.starts[1]].tolist() == [1]
    trees = class_trees(X, y, L=L, kernels=kernels)
    assert [(label, places.tolist()) for label, (_, places) in trees.items()] == [
        ("a", [0, 3]),
        ("b", [1, 2]),
    ]


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
def test_auto_takes_what_should_be_fastest():
    fast = KERNELS[1]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 3))
    Q = rng.normal(size=(2000, 3))
    assert nearest_neighbors(Q, X, 3, kernels=fast).method == "tree"
    assert nearest_neighbors(Q[:1], X, 3, kernels=fast).method == "scan"  # a tree would not pay
    assert nearest_neighbors(Q[:50], X, 3).method == "brute"  # the reference's tree is slow
    X = rng.normal(size=(5000, 60))
    Q = rng.normal(size=(2000, 60))
    assert nearest_neighbors(Q, X, 3, kernels=fast).method == "scan"  # nothing can be pruned
    X = rng.normal(size=(9000, 500))
    Q = rng.normal(size=(9, 500))
    assert nearest_neighbors(Q, X, 3, kernels=fast).method == "brute"  # 18 MB for each query


@settings(max_examples=20, deadline=None)
@given(case=sets(n_most=80))
def test_the_rotated_scan_finds_the_same(kernels, case):
    X, Q, k, rng = case
    L = rng.normal(size=(2, X.shape[1]))
    for factor in (None, L):
        found = rotated_scan(Q, X, k, factor, kernels=kernels)
        expected = nearest_neighbors(Q, X, k, factor)
        scale = expected.squares.max() + np.abs(X).max() ** 2
        np.testing.assert_allclose(found.squares, expected.squares, rtol=1e-9, atol=1e-9 * scale)
        assert (found.terms >= len(X)).all()


def test_the_axes_are_principal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4)) @ rng.normal(size=(4, 4))
    V = principal_axes(X)
    np.testing.assert_allclose(V @ V.T, np.eye(4), atol=1e-12)
    C = np.cov((X @ V.T).T)
    np.testing.assert_allclose(C, np.diag(np.diag(C)), atol=1e-10)
    assert (np.diff(np.diag(C)) <= 0).all()


X = np.arange(10.0).reshape(5, 2)
HUGE = np.eye(2) * 1e100
NONE = np.zeros(5, dtype=int)
REFUSED = {
    ValueError: [
        (lambda: nearest_neighbors(X, X, 6), "k must be at most 5, .*got 6"),
        (lambda: nearest_neighbors(None, X, 5), "k must be at most 4, .*got 5"),
        (lambda: nearest_neighbors(X, X, 5, skip=NONE), "k must be at most 4, .*got 5"),
        (lambda: nearest_neighbors(X[:, :1], X, 1), "Q must .*got 1"),
        (lambda: nearest_neighbors(X, X * 1e140, 1), "X must hold values within 1e140"),
        (lambda: nearest_neighbors(X, X * 1e100, 1, HUGE), "L x must hold values within 1e140"),
        (lambda: nearest_neighbors(X, X, 1, np.eye(3)), "L must .*got 3"),
        (lambda: nearest_neighbors(X, X[:0], 1), "X must .*; got"),
        (lambda: nearest_neighbors(None, X, 1, skip=NONE), "skip must be None with Q=None"),
        (lambda: nearest_neighbors(X, X, 1, skip=[0]), "skip must .*; got"),
        (lambda: nearest_neighbors(X, X, 1, skip=[0, 0, 0, 0, 5]), "skip must .*got 5"),
        (lambda: as_tree(X, leaf_size=1), "leaf_size must .*got 1"),
        (lambda: impostors(X, [0, 1], np.ones(5)), "y must .*; got"),
        (lambda: impostors(X, np.arange(5), np.ones(4)), "limits must .*; got"),
        (lambda: impostors(X, np.arange(5), np.full(5, np.nan)), "NaN"),
        (lambda: rotated_scan(X, X, 6), "k must .*got 6"),
    ],
    TypeError: [
        (lambda: nearest_neighbors(X, X, 1, skip=NONE + 0.5), "skip must .*got dtype float64")
    ],
}


@pytest.mark.parametrize("error", REFUSED)
def test_bad_input(error):
    for call, message in REFUSED[error]:
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("k", [0, "1", 6])
def test_a_wrong_k_is_refused_before_points_are_mapped(monkeypatch, k):
    monkeypatch.setattr(search, "mapped_by", None)
    with pytest.raises((TypeError, ValueError), match="k must be"):
        nearest_neighbors(None, np.eye(5), k, L=np.eye(5))
