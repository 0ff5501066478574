"""Chamfer distances: against brute force, and twin against twin bit for bit."""

import math

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

from refimpl.boostmap import edges
from refimpl.kernels.chamfer import grid

each_kernel = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
fast_only = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")


def random_edges(rng, n, shape, density=0.2):
    A = rng.random((n, *shape)) < density
    A[np.arange(n), rng.integers(0, shape[0], n), rng.integers(0, shape[1], n)] = True
    return A


@st.composite
def edge_sets(draw, max_images=9):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    density = draw(st.sampled_from([0.0, 0.05, 0.3, 1.0]))
    A = random_edges(rng, draw(st.integers(1, max_images)), shape, density)
    B = random_edges(rng, draw(st.integers(1, max_images)), shape, density)
    B[: len(B) // 2] = A[rng.integers(0, len(A), len(B) // 2)]  # equal images, at distance 0
    return A, B


@each_kernel
@settings(max_examples=40, deadline=None)
@given(case=edge_sets())
def test_distances_against_the_point_pairs(kernels, case):
    A, B = case
    D = kernels.chamfer_distances(A, B)
    expected = [[oracles.chamfer(a, b) for b in B.tolist()] for a in A.tolist()]
    assert D.shape == (len(A), len(B)) and D.dtype == np.float64
    np.testing.assert_allclose(D, expected, rtol=1e-12, atol=2 * grid(A.shape[1:]))
    assert ((D == 0) == (A[:, np.newaxis] == B).all(axis=(2, 3))).all()
    assert_same(D, np.ascontiguousarray(kernels.chamfer_distances(B, A).T))


@each_kernel
@settings(max_examples=40, deadline=None)
@given(case=edge_sets(), k=st.integers(1, 9))
def test_the_nearest_are_those_of_the_whole_matrix(kernels, case, k):
    Q, X = case
    k = min(k, len(X))
    distance, index = kernels.chamfer_nearest(Q, X, k)
    assert distance.dtype == np.float64 and index.dtype == np.int64
    for row, d, i in zip(
        kernels.chamfer_distances(Q, X).tolist(), distance.tolist(), index.tolist(), strict=True
    ):
        assert (d, i) == oracles.nearest_k(row, k)


@each_kernel
@pytest.mark.parametrize("copies", [2, 40, 700])
def test_of_equally_distant_images_the_lowest_indices_win(kernels, copies):
    rng = np.random.default_rng(copies)
    X = np.tile(random_edges(rng, 3, (5, 6)), (copies, 1, 1))
    k = 2 * copies + 1
    distance, index = kernels.chamfer_nearest(X[:2], X, k)
    order = np.argsort(kernels.chamfer_distances(X[:2], X[:3]), kind="stable")
    for q in range(2):
        assert index[q].tolist() == [o + 3 * c for o in order[q] for c in range(copies)][:k]
        assert (distance[q, :copies] == 0).all() and (np.diff(distance[q]) >= 0).all()


@each_kernel
def test_neighbours_that_come_ever_nearer(kernels):
    """Every image displaces one of the k nearest so far, and many tie with the k-th."""
    X = np.zeros((600, 1, 301), dtype=bool)
    X[np.arange(600), 0, 300 - np.arange(600) // 2] = True
    Q = np.zeros((1, 1, 301), dtype=bool)
    Q[0, 0, 0] = True
    distance, index = kernels.chamfer_nearest(Q, X, 5)
    assert index.tolist() == [[598, 599, 596, 597, 594]] and distance.tolist() == [[2, 2, 4, 4, 6]]


@each_kernel
def test_one_pixel_each(kernels):
    A = np.eye(12, dtype=bool).reshape(12, 3, 4)
    D = kernels.chamfer_distances(A, A)
    for i in range(12):
        for j in range(12):
            assert D[i, j] == pytest.approx(2 * math.dist(divmod(i, 4), divmod(j, 4)), abs=1e-12)


@each_kernel
@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (28, 28), (3, 200), (260, 260)])
def test_shapes(kernels, shape):
    rng = np.random.default_rng(1)
    A = random_edges(rng, 3, shape, 0.02)
    D = kernels.chamfer_distances(A, A)
    assert_same(D, D.T.copy())
    for i in range(2):
        expected = oracles.chamfer(A[i].tolist(), A[i + 1].tolist()) if A[0].size < 2000 else None
        if expected is not None:
            assert D[i, i + 1] == pytest.approx(expected, rel=1e-11)
    if len(KERNELS) > 1:
        assert_same(KERNELS[0].chamfer_distances(A, A), D)


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (28, 28), (100, 7), (2000, 3000)])
def test_sums_on_the_grid_are_exact(shape):
    height, width = shape
    assert height * width * (math.hypot(height - 1, width - 1) + grid(shape)) / grid(shape) <= 2**53
    assert math.frexp(grid(shape))[0] == 0.5
    if height * width < 1000:
        rng = np.random.default_rng(0)
        distance = np.rint(np.sqrt(np.arange(height**2 + width**2)) / grid(shape)) * grid(shape)
        picked = rng.choice(distance[: (height - 1) ** 2 + (width - 1) ** 2 + 1], height * width)
        assert picked.sum() == math.fsum(picked) == np.cumsum(picked)[-1]


@each_kernel
def test_an_empty_edge_image_is_named(kernels):
    A = random_edges(np.random.default_rng(0), 4, (5, 5))
    B = A.copy()
    B[2] = False
    with pytest.raises(ValueError, match=r"B\[2\] has no edge pixel;"):
        kernels.chamfer_distances(A, B)
    B[3] = False
    with pytest.raises(ValueError, match=r"A\[2\] has no edge pixel \(and 1 more\)"):
        kernels.chamfer_distances(B, A)
    with pytest.raises(ValueError, match=r"Q\[2\] has no edge"):
        kernels.chamfer_nearest(B, A, 1)
    with pytest.raises(ValueError, match=r"X\[2\] has no edge"):
        kernels.chamfer_nearest(A, B, 1)


@each_kernel
def test_the_public_functions(kernels):
    A = random_edges(np.random.default_rng(0), 4, (5, 5))
    D = edges.chamfer(A, kernels=kernels)
    assert_same(D, kernels.chamfer_distances(A, A))
    assert_same(
        edges.chamfer(A.astype(int).tolist(), A[:2], mean=True, kernels=kernels),
        D[:, :2].copy() / 2,
    )
    distance, index = edges.chamfer_nearest(A, A[::-1], 2, mean=True, kernels=kernels, threads=1)
    assert index[:, 0].tolist() == [3, 2, 1, 0] and (distance[:, 0] == 0).all()


def test_what_the_public_functions_refuse():
    A = random_edges(np.random.default_rng(0), 4, (5, 5))
    empty = A.copy()
    empty[1] = False
    for arguments, error, message in (
        ((A[0],), ValueError, r"A must have shape .*; got \(5, 5\) .*A\[None\]"),
        (
            (A, A[:, :4]),
            ValueError,
            r"B must have images of .* pixels, like the others; got \(4, 5\)",
        ),
        ((A, A * 2), ValueError, "B must hold 0 and 1, as .*canny returns; got grey values"),
        ((A * np.nan,), ValueError, "A must hold 0 and 1, .*; got grey values"),
        ((A.astype(str),), TypeError, "A must hold real numbers; got dtype"),
        ((A[:0],), ValueError, r"A must have shape .*; got \(0, 5, 5\)"),
        ((A, empty), ValueError, r"B\[1\] has no edge pixel"),
        (([[[1]], [[1, 0]]],), ValueError, "A must be images with rows of equal length"),
    ):
        with pytest.raises(error, match=message):
            edges.chamfer(*arguments)
    with pytest.raises(ValueError, match="k must be at most 4, the number of images of X; got 5"):
        edges.chamfer_nearest(A, A, 5)
    with pytest.raises(ValueError, match=r"k must be .*got 0"):
        edges.chamfer_nearest(A, A, 0)
    with pytest.raises(ValueError, match=r"Q\[1\] has no edge"):
        edges.chamfer_nearest(empty, A, 1)


@each_kernel
def test_no_images(kernels):
    A = random_edges(np.random.default_rng(0), 4, (5, 6))
    assert kernels.chamfer_distances(A[:0], A).shape == (0, 4)
    assert kernels.chamfer_distances(A, A[:0]).shape == (4, 0)
    assert [found.shape for found in kernels.chamfer_nearest(A[:0], A, 3)] == [(0, 3), (0, 3)]


@fast_only
def test_more_images_than_are_held_at_a_time():
    """Images of 300 x 200 pixels: the fast kernel takes 272 of A and 16 of B at a time."""
    rng = np.random.default_rng(0)
    A = np.zeros((280, 300, 200), dtype=bool)
    for _ in range(20):
        A[np.arange(280), rng.integers(0, 300, 280), rng.integers(0, 200, 280)] = True
    B = A[270:] | A[:10]
    B = np.concatenate([B, A[:8], B])
    assert_same(*(kernels.chamfer_distances(A, B) for kernels in KERNELS))
    for reference, fast in zip(
        *(kernels.chamfer_nearest(A, B, 15) for kernels in KERNELS), strict=True
    ):
        assert_same(reference, fast)


@fast_only
def test_the_number_of_threads_changes_nothing():
    """Enough work for the fast kernel to use all three threads."""
    A = random_edges(np.random.default_rng(0), 900, (6, 7), 0.1)
    distances = [KERNELS[1].chamfer_distances(A[:600], A, threads=threads) for threads in (1, 2, 3)]
    nearest = [KERNELS[1].chamfer_nearest(A[:600], A, 20, threads=threads) for threads in (1, 2, 3)]
    order = np.argsort(distances[0], axis=1, kind="stable")[:, :20]
    for D, (distance, index) in zip(distances, nearest, strict=True):
        assert_same(D, distances[0])
        assert_same(index, order)
        assert_same(distance, np.take_along_axis(D, order, axis=1))
    assert_same(distances[0][590:], KERNELS[0].chamfer_distances(A[590:600], A))
