"""Nonparametric discriminant analysis: against loops, and on hard input."""

import numpy as np
import oracles_rivals as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_rivals import sample

from refimpl.rivals.nda import between_class_scatter, nonparametric_discriminant_analysis
from refimpl.rivals.whitening import centred_by_class, principal_deviations


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from([0.0, 0.5, 2.0]))
def test_nda_scatter_fuzzed_with_ties(seed, k, alpha):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rng.integers(4, 14), rng.integers(1, 5))).astype(float)
    labels = rng.integers(0, 3, len(X))
    classes, sizes = np.unique(labels, return_counts=True)
    if len(classes) < 2 or sizes.min() < max(k, 2):
        return
    got = between_class_scatter([X[labels == c] for c in classes], k, alpha)
    np.testing.assert_allclose(got, oracle.nda_scatter(X, labels, k, alpha), rtol=1e-9, atol=1e-12)


def test_nda_takes_the_lowest_index_among_equally_near_neighbours():
    rng = np.random.default_rng(32)  # more vectors than an unstable sort leaves in order by luck
    X = rng.integers(0, 4, (90, 2)).astype(float)
    labels = rng.integers(0, 2, 90)
    got = between_class_scatter([X[labels == c] for c in (0, 1)], 5, 2.0)
    np.testing.assert_allclose(got, oracle.nda_scatter(X, labels, 5, 2.0), rtol=1e-9)


def test_nda_whitens_the_within_class_scatter_and_diagonalises_the_other():
    X, labels, _ = sample(21, (19, 12, 8), 5)
    nda = nonparametric_discriminant_analysis(X, labels, k=2, alpha=1.5)
    Z = nda.transform(X)
    S_w = sum(np.sum(labels == c) * np.cov(Z[labels == c].T, bias=True) for c in (3, 4, 5)) / len(X)
    np.testing.assert_allclose(S_w, np.eye(5), atol=1e-9)
    S_b = oracle.nda_scatter(Z, labels, 2, 1.5)
    np.testing.assert_allclose(S_b, np.diag(nda.eigenvalues), atol=1e-9 * nda.eigenvalues[0])
    assert (np.diff(nda.eigenvalues) <= 0).all()
    np.testing.assert_array_equal(nda.transform(X, 2), Z[:, :2])


def test_rank_is_that_of_numpy():
    """A small singular value counts or not by the larger of the two sides."""
    for shape in ((200, 2), (2, 200)):
        for small, rank in ((150, 1), (250, 2)):
            D = np.zeros(shape)
            D[0, 0] = 1.0
            D[1, 1] = small * np.finfo(np.float64).eps
            assert len(principal_deviations(D, 5)[0]) == np.linalg.matrix_rank(D) == rank


def test_nda_keeps_an_eigenvalue_that_reaches_the_bound():
    X, labels, _ = sample(26, (10, 10), 2)
    least = principal_deviations(centred_by_class(X, labels), len(X))[0][-1] ** 2
    for bound, r in ((least, 2), (np.nextafter(least, np.inf), 1)):
        nda = nonparametric_discriminant_analysis(X, labels, k=1, min_eigenvalue=bound)
        assert nda.projection.shape == (2, r)
    with pytest.raises(ValueError, match=r"n_components must .*got 2"):
        nda.transform(X, 2)


def test_nda_leaves_out_small_eigenvalues():
    X, labels, _ = sample(24, (10, 10), 4)
    X[:, 1] = 0.1
    assert nonparametric_discriminant_analysis(X, labels).projection.shape == (4, 3)
    small = X * np.array([1, 1, 1, 1e-7])
    assert nonparametric_discriminant_analysis(small, labels).projection.shape == (4, 2)
    assert nonparametric_discriminant_analysis(
        small, labels, min_eigenvalue=0
    ).projection.shape == (4, 3)
    wide = np.random.default_rng(25).normal(size=(20, 50))
    assert nonparametric_discriminant_analysis(wide, labels).projection.shape == (50, 18)
    with pytest.raises(ValueError, match="min_eigenvalue"):
        nonparametric_discriminant_analysis(X * 1e-9, labels)
    with pytest.raises(ValueError, match="X must hold values within 1e140"):
        nonparametric_discriminant_analysis(X * 1e160, labels)
    with pytest.raises(ValueError, match="X must hold values within 1e140"):
        nonparametric_discriminant_analysis(X, labels).transform(X * 1e160)
    with pytest.raises(ValueError, match="X must vary within"):
        nonparametric_discriminant_analysis([[1.0], [1.0], [2.0], [2.0]], [0, 0, 1, 1], k=1)
