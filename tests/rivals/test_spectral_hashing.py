"""Spectral hashing and the scan of its codes, against brute force, on both kernels."""

import numpy as np
import oracles_hashing as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

from refimpl.rivals.hamming_scan import hamming_scan, pack_bits
from refimpl.rivals.spectral_hashing import directed, spectral_hashing


@st.composite
def sets(draw):
    """Points, queries beyond their box among them, and a number of bits."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, 60))
    d = draw(st.integers(1, 8))
    rank = draw(st.integers(1, 8))
    X = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))  # some directions without variance
    X *= draw(st.sampled_from([1.0, 1e-100, 1e100]))
    X[:, rng.random(d) < 0.2] = 1.0 if draw(st.booleans()) else 0.0
    X[0, 0] += np.abs(X).max() + 1e-300
    X[rng.integers(0, n, n // 3)] = X[-1]
    if (X == X[0]).all():
        X[0] += 1.0
    return X, np.concatenate([X[:3], 3 * X[:2]]), draw(st.integers(1, 150))


def bits_of(codes, b):
    """The first b bits of packed codes, the lowest bit of a word first."""
    low_bytes = np.ascontiguousarray(codes.astype("<u8")).view(np.uint8)
    return np.unpackbits(low_bytes, axis=1, count=b, bitorder="little").astype(bool)


@settings(max_examples=60, deadline=None)
@given(case=sets(), components=st.sampled_from([None, 1, 3]))
def test_codes_are_the_signs_of_the_eigenfunctions(kernels, case, components):
    X, Q, bits = case
    model = spectral_hashing(X, bits, n_components=components, kernels=kernels)
    most = bits if components is None else components
    assert model.bits == bits and len(model.low) <= min(most, X.shape[1])
    scale = np.abs(X).max()
    np.testing.assert_allclose(model.axes.T @ model.axes, np.eye(len(model.low)), atol=1e-8)
    x = (X - model.mean) / scale @ model.axes
    covariance = x.T @ x
    assert (
        np.abs(covariance - np.diag(np.diag(covariance))).max() <= 1e-8 * np.abs(covariance).max()
    )
    assert (np.diff(np.diag(covariance)) <= 1e-8 * np.abs(covariance).max()).all()
    low = model.low.tolist()
    high = (model.low + model.width).tolist()
    np.testing.assert_allclose(x.min(axis=0), model.low / scale, atol=1e-12)
    np.testing.assert_allclose(x.max(axis=0), (model.low + model.width) / scale, atol=1e-12)
    assert_same_eigenfunctions(model, low, high)
    columns = model.axes.T.tolist()
    codes = bits_of(model.encode(Q, kernels=kernels), bits)
    for q, code in zip((Q - model.mean).tolist(), codes, strict=True):
        projected = [oracle.projection(q, column) for column in columns]
        for i, (c, k) in enumerate(zip(model.component.tolist(), model.k.tolist(), strict=True)):
            value = oracle.eigenfunction(projected[c], low[c], high[c], k)
            assert code[i] == (value > 0) or abs(value) < 1e-9 * k


def assert_same_eigenfunctions(model, low, high):
    """The smallest eigenvalues, in order; rounding decides among those that are nearly equal."""
    expected = oracle.rectangular_eigenfunctions(low, high, model.bits)
    rate = [k / (high[c] - low[c]) for c, k in expected]
    np.testing.assert_allclose(model.k / model.width[model.component], rate, rtol=1e-6)
    pairs = set(zip(model.component.tolist(), model.k.tolist(), strict=True))
    assert len(pairs) == model.bits and (model.k >= 1).all()


def test_the_eigenvalues_of_a_known_box():
    """Sides 4 and 1: the first four bits halve, then quarter, ... the long side; the fourth ties
    with the short one.
    """
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 11), np.linspace(0, 4, 41)), axis=-1).reshape(
        -1, 2
    )
    model = spectral_hashing(grid, 6)
    np.testing.assert_allclose(model.axes, [[0, 1], [1, 0]], atol=1e-12)
    np.testing.assert_allclose(model.width, [4, 1], rtol=1e-12)
    rate = (model.k / model.width[model.component]).tolist()
    assert rate == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0, 1.25])
    first, second = bits_of(model.encode([[0.2, 0.9], [0.2, 1.1], [0.7, 2.1], [0.7, 3.9]]), 6).T[:2]
    assert first.tolist() == [True, True, False, False]
    assert second.tolist() == [True, False, False, True]


def test_equal_vectors_have_equal_codes_in_any_company(kernels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30))
    model = spectral_hashing(X, 200, kernels=kernels)
    codes = model.encode(X, kernels=kernels)
    assert codes.shape == (200, 4) and (codes[:, 3] >> np.uint64(8) == 0).all()
    for i in (0, 77, 199):
        assert_same(model.encode(X[i : i + 1], kernels=kernels), codes[i : i + 1])
    for other in KERNELS:
        assert_same(model, spectral_hashing(X, 200, kernels=other))
        assert_same(codes, model.encode(X, kernels=other, threads=2))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), b=st.integers(1, 150))
def test_scans_of_packed_bits(kernels, seed, b):
    rng = np.random.default_rng(seed)
    bits = rng.random((40, b)) < 0.3
    codes = pack_bits(bits)
    assert codes.shape == (40, -(-b // 64)) and codes.dtype == np.uint64
    assert (bits_of(codes, b) == bits).all()
    for i in range(b):
        assert ((codes[:, i // 64] >> np.uint64(i % 64)) & np.uint64(1) == bits[:, i]).all()
    nearest = hamming_scan(codes[:3], codes, 7, kernels=kernels)
    order = np.argsort((bits[:3, np.newaxis] != bits).sum(axis=2), axis=1, kind="stable")
    assert nearest.indices.reshape(3, 7).tolist() == order[:, :7].tolist()
    assert hamming_scan(codes[:3], codes, 99, kernels=kernels).counts.tolist() == [40] * 3


def test_directions_point_where_their_first_largest_entry_is_positive():
    V = np.array([[1.0, -3.0, 2.0], [-2.0, 2.0, 1.0], [0.0, -1.0, -1.0], [0.5, 3.0, -2.0]])
    expected = [[-1.0, 3.0, -2.0], [2.0, -2.0, -1.0], [0.0, 1.0, 1.0], [0.5, 3.0, -2.0]]
    assert directed(V).tolist() == expected
