"""Chamfer distances: against brute force, and twin against twin bit for bit."""

import math

import numpy as np
import pytest
from agreement import assert_same, require_twins

from refimpl.boostmap import edges
from refimpl.kernels.chamfer import grid


def random_edges(rng, n, shape, density=0.2):
    A = rng.random((n, *shape)) < density
    A[np.arange(n), rng.integers(0, shape[0], n), rng.integers(0, shape[1], n)] = True
    return A


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


def test_neighbours_that_come_ever_nearer(kernels):
    """Every image displaces one of the k nearest so far, and many tie with the k-th."""
    X = np.zeros((600, 1, 301), dtype=bool)
    X[np.arange(600), 0, 300 - np.arange(600) // 2] = True
    Q = np.zeros((1, 1, 301), dtype=bool)
    Q[0, 0, 0] = True
    distance, index = kernels.chamfer_nearest(Q, X, 5)
    assert index.tolist() == [[598, 599, 596, 597, 594]] and distance.tolist() == [[2, 2, 4, 4, 6]]


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


def test_the_public_functions(kernels):
    A = random_edges(np.random.default_rng(0), 4, (5, 5))
    D = edges.chamfer(A, kernels=kernels)
    assert_same(D, kernels.chamfer_distances(A, A))
    halves = edges.chamfer(A.astype(int).tolist(), A[:2], mean=True, kernels=kernels)
    assert_same(halves, D[:, :2].copy() / 2)
    distance, index = edges.chamfer_nearest(A, A[::-1], 2, mean=True, kernels=kernels, threads=1)
    assert index[:, 0].tolist() == [3, 2, 1, 0] and (distance[:, 0] == 0).all()
    assert_same(distance, np.sort(D[:, ::-1] / 2, axis=1)[:, :2].copy())


def test_what_the_public_functions_refuse():
    A = random_edges(np.random.default_rng(0), 4, (5, 5))
    empty = A.copy()
    empty[1] = False
    for arguments, error, message in (
        ((A[0],), ValueError, r"A must have shape .*; got \(5, 5\) .*A\[None\]"),
        ((A, A[:, :4]), ValueError, r"B must have images of .* like the others; got \(4, 5\)"),
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
    with pytest.raises(ValueError, match=r"Q\[1\] has no edge"):
        edges.chamfer_nearest(empty, A, 1)


def test_more_images_than_are_held_at_a_time():
    """Of images of 300 x 200 pixels the fast kernel holds some 270 of A, and 8 of B for a thread:
    one thread takes the 28 of B in four parts, two threads in two.
    """
    rng = np.random.default_rng(0)
    A = np.zeros((280, 300, 200), dtype=bool)
    for _ in range(20):
        A[np.arange(280), rng.integers(0, 300, 280), rng.integers(0, 200, 280)] = True
    B = A[270:] | A[:10]
    B = np.concatenate([B, A[:8], B])
    require_twins("chamfer_distances", {"A": A, "B": B}, (1, 2, None))
    require_twins("chamfer_nearest", {"Q": A, "X": B, "k": 15}, (1, 2, None))
