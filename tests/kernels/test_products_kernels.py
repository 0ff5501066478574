"""Products of a matrix and a vector in a stated order: against loops, ``np.einsum``, and twin
against twin.
"""

import platform
import runpy

import numpy as np
import pytest
from agreement import KERNELS, assert_same, require_twins
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refimpl.kernels import products as kernel_products
from refimpl.kernels.eigen import times, times_from_left
from tests.benchmarks.map.kernels import CASES

shapes = {"n": st.integers(0, 40), "d": st.integers(0, 150), "seed": st.integers(0, 2**32)}


def arrays(n, d, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d)


def row_sum(a, v):
    """Two lanes; of eight columns the last two first."""
    lanes = [0.0, 0.0]
    whole = len(a) - len(a) % 8
    for c in [c + k for c in range(0, whole, 8) for k in (6, 7, 4, 5, 2, 3, 0, 1)] + list(
        range(whole, len(a))
    ):
        lanes[c % 2] += a[c] * v[c]
    return lanes[0] + lanes[1]


@settings(max_examples=40, deadline=None)
@given(**shapes)
@example(n=129, d=1, seed=0)
def test_products_are_added_up_in_the_order_stated(kernels, n, d, seed):
    A, u, v = arrays(n, d, seed)
    assert_same(
        kernels.matrix_vector(A, v),
        np.array([row_sum(a, v.tolist()) for a in A.tolist()], dtype=float),
    )
    sums = np.zeros(d)
    for one, row in zip(u, A, strict=True):
        sums = sums + one * row
    assert_same(kernels.vector_matrix(u, A), sums)


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="elsewhere einsum adds in other orders"
)
@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 40), d=st.integers(2, 150), seed=st.integers(0, 2**32))
def test_products_are_those_of_einsum(kernels, n, d, seed):
    A, u, v = arrays(n, d, seed)
    assert_same(kernels.matrix_vector(A, v), np.einsum("ij,j->i", A, v))
    assert_same(kernels.vector_matrix(u, A), np.einsum("i,ij->j", u, A))


@pytest.mark.parametrize("n, d", [(15_000, 65), (300, 5000)])
def test_products_by_a_kernel_are_those_of_the_eigensolver(kernels, n, d):
    A, u, v = arrays(n, d, seed=0)
    assert_same(times(A, v, kernels.matrix_vector), times(A, v))
    assert_same(times_from_left(u, A, kernels.vector_matrix), times_from_left(u, A))


@pytest.mark.parametrize(
    "kernel, n",
    [("matrix_vector", 5), ("vector_matrix", 5), ("leading_direction", 1000), ("best_plane", 1000)],
)
def test_twins_agree_where_einsum_adds_otherwise(monkeypatch, kernel, n):
    """On other machines small products are sums without np.einsum, in both twins."""
    values = CASES[kernel].draw(np.random.default_rng(0), n)
    expected = getattr(KERNELS[0], kernel)(**values)
    monkeypatch.setattr(kernel_products, "EINSUM_ADDS_SO", False)
    require_twins(kernel, values, (1, 2))
    assert_same(getattr(KERNELS[-1], kernel)(**values), expected)


@pytest.mark.parametrize("other", [None, "ij,j->i", "i,i", "i,ij->j"])
def test_einsum_is_taken_only_if_all_its_sums_are_in_the_order_stated(monkeypatch, other):
    """An einsum that adds in the stated order, and one whose result differs by a rounding error for
    one kind of product.
    """

    def einsum(subscripts, a, b):
        if subscripts == "i,ij->j":
            exact = sum((u * row for u, row in zip(a, b, strict=True)), np.zeros(b.shape[1]))
        else:
            rows = np.atleast_2d(a).tolist()
            exact = np.array([row_sum(row, b.tolist()) for row in rows]).reshape(a.shape[:-1])
        return np.nextafter(exact, np.inf) if subscripts == other else exact

    monkeypatch.setattr(np, "einsum", einsum)
    anew = runpy.run_path(kernel_products.__file__)
    assert anew["EINSUM_ADDS_SO"] == (other is None)
