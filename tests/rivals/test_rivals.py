"""Nearest neighbour under the paper's other distances."""

import numpy as np
import oracles_rivals as oracle
import pytest
from scipy.spatial.distance import cdist

from refimpl.rivals import nearest_neighbor as nn

FULL = ("RCA", "Mah", "Mah-C")
DIAGONAL = ("RCA-D", "Mah-D", "Mah-CD")


def sample(seed=0, sizes=(17, 29), d=4, m=60):
    """Training set with unequal classes, scales and correlations; queries."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(len(sizes), d, d)) * np.geomspace(0.1, 20, d)
    X = np.concatenate([rng.normal(c, 1, (n, d)) @ mix[c] for c, n in enumerate(sizes)])
    labels = np.repeat(np.arange(len(sizes)) + 3, sizes)
    order = rng.permutation(len(X))
    Y = rng.normal(0.5, 1.5, (m, d)) @ mix[rng.integers(len(sizes))]
    return X[order], labels[order], Y


def predict(name, Y, X, labels, **options):
    return nn.nearest_neighbor(nn.fit_distance(name, X, labels, **options), Y, X, labels)


# --- distances against their definitions


SIZES = [((17, 29), 4), ((6, 4, 11), 3), ((5, 3), 9), ((12,), 3)]
CASES = [(name, *size) for name in nn.NAMES for size in SIZES]
CASES += [(name, (1, 8, 2), 5) for name in nn.NAMES if not name.startswith("Mah-C")]


@pytest.mark.parametrize("name, sizes, d", CASES)
def test_distances_follow_the_definitions(name, sizes, d):
    X, labels, Y = sample(1, sizes, d)
    got = nn.pairwise(nn.fit_distance(name, X, labels), Y, X, labels)
    expected = oracle.distances(name, Y, X, labels)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8 * expected.max())
    np.testing.assert_array_equal(predict(name, Y, X, labels), labels[got.argmin(axis=1)])


# --- invariance


@pytest.mark.parametrize("name", DIAGONAL)
def test_diagonal_distances_ignore_the_units_of_the_features(name):
    X, labels, Y = sample(7)
    # far beyond the relative cut of the full matrices, and beyond what can be squared
    units = np.array([1e-9, 1e-200, 1e7, 1e130])
    before = nn.pairwise(nn.fit_distance(name, X, labels), Y, X, labels)
    after = nn.pairwise(nn.fit_distance(name, X * units, labels), Y * units, X * units, labels)
    np.testing.assert_allclose(after, before, rtol=1e-9)


# --- singular covariances


@pytest.mark.parametrize("name", FULL + DIAGONAL)
def test_direction_without_variance_has_weight_zero(name):
    X, labels, Y = sample(9)
    X[:, 2] = 0.1  # not representable, its mean is not exactly 0.1
    moved = Y.copy()
    moved[:, 2] += 1000.0
    distance = nn.fit_distance(name, X, labels)
    np.testing.assert_array_equal(distance.factor[:, 2], 0.0)
    before = nn.pairwise(distance, Y, X, labels)
    after = nn.pairwise(distance, moved, X, labels)
    np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("name", ["Mah-C", "Mah-CD"])
@pytest.mark.parametrize("copies", [1, 3])
def test_class_without_variance_is_an_error(name, copies):
    X, labels, _ = sample(11)
    X = np.concatenate([X, np.full((copies, 4), 0.1)])
    labels = np.concatenate([labels, [9] * copies])
    with pytest.raises(ValueError, match=r"class .*9.* ridge > 0, or use Mah"):
        nn.fit_distance(name, X, labels)
    nn.fit_distance(name, X, labels, ridge=0.5)
    for common in ("RCA", "Mah", "RCA-D", "Mah-D"):
        nn.fit_distance(common, X, labels)


@pytest.mark.parametrize("name", FULL + DIAGONAL)
def test_no_variance_at_all_is_an_error(name):
    with pytest.raises(ValueError, match="var"):
        nn.fit_distance(name, [[0.1, 0.3]] * 3, ["a", "b", "a"])


def test_rcond_cuts_relative_to_the_largest_singular_value():
    X, labels, _ = sample(13)
    S = np.linalg.svd(X - X.mean(0), compute_uv=False)
    for r in range(1, 5):
        cut = 0.99 * S[r - 1] / S[0]
        assert len(nn.fit_distance("Mah", X, labels, rcond=cut).factor) == r


# --- options


@pytest.mark.parametrize("name", FULL + DIAGONAL)
def test_ridge_adds_to_every_variance(name):
    X, labels, Y = sample(14, (6, 4), 7, 9)
    got = nn.pairwise(nn.fit_distance(name, X, labels, ridge=0.3), Y, X, labels)
    for c in (3, 4):
        G = X[labels == c]
        if name.startswith("RCA"):
            C = (5 * np.cov(X[labels == 3].T) + 3 * np.cov(X[labels == 4].T)) / 10
        else:
            C = np.cov(G.T) if "-C" in name else np.cov(X.T)
        if name.endswith("D"):
            C = np.diag(np.diag(C))
        expected = cdist(Y, G, "mahalanobis", VI=np.linalg.inv(C + 0.3 * np.eye(7))) ** 2
        np.testing.assert_allclose(got[:, labels == c], expected, rtol=1e-6)


def test_log_det_is_that_of_the_gaussian():
    X, labels, Y = sample(15)
    for name in ("Mah-C", "Mah-CD"):
        plain = nn.pairwise(nn.fit_distance(name, X, labels), Y, X, labels)
        got = nn.pairwise(nn.fit_distance(name, X, labels, log_det=True), Y, X, labels) - plain
        for c in (3, 4):
            C = np.cov(X[labels == c].T)
            C = np.diag(np.diag(C)) if name == "Mah-CD" else C
            np.testing.assert_allclose(got[:, labels == c], np.linalg.slogdet(C)[1], rtol=1e-6)


# --- ties, blocks, labels


@pytest.mark.parametrize("name", nn.NAMES)
def test_lowest_index_wins_ties(name):
    X, labels, Y = sample(16, (15, 15), 4)
    X = np.concatenate([X, X])  # every vector twice, the second time with the other label
    labels = np.concatenate([labels, 7 - labels])
    got = predict(name, Y, X, labels)
    d = nn.pairwise(nn.fit_distance(name, X, labels), Y, X, labels)
    np.testing.assert_array_equal(got, labels[d.argmin(axis=1)])
    if not name.startswith("Mah-C"):  # there, copies have the weights of another class
        assert (d.argmin(axis=1) < len(X) // 2).all()
        np.testing.assert_array_equal(d[:, : len(X) // 2], d[:, len(X) // 2 :])


@pytest.mark.parametrize("name", ["L1", "RCA", "Mah-C", "Mah-CD"])
def test_blocks_do_not_change_the_answer(name, monkeypatch):
    X, labels, Y = sample(17)
    whole = predict(name, Y, X, labels)
    for entries in (7 * len(X), 1):
        monkeypatch.setattr(nn, "BLOCK_ENTRIES", entries)
        np.testing.assert_array_equal(predict(name, Y, X, labels), whole)


def test_equal_vectors_are_equally_far_whatever_the_rounding():
    """A matrix product may round a row by its place; here it is sure to."""

    class Uneven(nn.Distance):
        def transform(self, V, c=0):
            return super().transform(V, c) * (1 + 1e-9 * np.arange(len(V)))[:, None]

    X, labels, Y = sample(18)
    X = np.concatenate([X, X])
    labels = np.concatenate([labels, labels])
    d = nn.pairwise(Uneven(**vars(nn.fit_distance("RCA", X, labels))), Y, X, labels)
    np.testing.assert_array_equal(d[:, : len(X) // 2], d[:, len(X) // 2 :])


# --- errors before any work


def test_a_decomposition_that_does_not_converge_is_done_another_way(monkeypatch):
    X = np.random.default_rng(0).normal(size=(12, 4))
    labels = np.arange(12) % 2
    expected = nn.fit_distance("RCA", X, labels)

    def fails(*args, **kwargs):
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(np.linalg, "svd", fails)
    found = nn.fit_distance("RCA", X, labels)
    assert np.allclose(np.abs(found.factor), np.abs(expected.factor))
