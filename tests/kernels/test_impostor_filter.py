"""The filter of the impostor search among many points, which looks at their first principal
coordinates and leaves what is too far apart: no impostor is lost, whatever the data.

Not tested here: few points, whose filter looks at all coordinates at once (test_subgradient.py).
"""

import numpy as np
import pytest
from agreement import KERNELS
from test_subgradient import assert_all_are_found

SIZES = [(300, 9), (300, 12), (500, 20)]  # points and coordinates


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Filter few points by their first coordinates, too."""
    if len(KERNELS) == 2:
        monkeypatch.setattr("refimpl_fast.subgradient.PAYS", 0)


KINDS = {
    "normal": lambda Z, rng: Z,
    "on a grid": lambda Z, rng: np.rint(Z),
    "far from 0": lambda Z, rng: Z + 1e7,
    "on a line": lambda Z, rng: Z[:, :1] * rng.normal(size=Z.shape[1]),
    "all equal": lambda Z, rng: np.broadcast_to(Z[0], Z.shape).copy(),
    "two groups": lambda Z, rng: Z + 1e5 * (np.arange(len(Z)) % 2)[:, np.newaxis],
    "an outlier": lambda Z, rng: np.concatenate([Z[1:], np.full_like(Z[:1], 1e150)]),
    "huge": lambda Z, rng: Z * 1e152,
    "tiny": lambda Z, rng: Z * 1e-155,
    "of all sizes": lambda Z, rng: Z * 10.0 ** rng.integers(-20, 20, (len(Z), 1)),
}


def points(kind, n, r, rng):
    """Return points of a kind, with enough near ones among them."""
    Z = rng.normal(size=(n, r)) * 0.8 ** np.arange(r) @ np.linalg.qr(rng.normal(size=(r, r)))[0]
    return np.ascontiguousarray(KINDS[kind](Z, rng))


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@pytest.mark.parametrize("n, r", SIZES)
def test_the_first_coordinates_are_looked_at_first(n, r):
    from refimpl_fast import subgradient

    Z = np.random.default_rng(0).normal(size=(n, r))
    ends = subgradient._Place(Z, Z).ends().tolist()
    assert ends[0] == 8 and ends[-1] == r and ends == sorted(set(ends))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n, r", SIZES)
def test_no_impostor_is_lost(kernels, kind, n, r):
    """The inequality is strict, and many radii are distances or the next numbers."""
    rng = np.random.default_rng(n + r)
    Z = points(kind, n, r, rng)
    classes = rng.integers(0, 3, n)
    i, l = np.divmod(np.arange(n * n), n)
    D = kernels.pair_distances(Z, i, l)
    near = np.sort(D.reshape(n, n), axis=1)[np.arange(n), rng.integers(0, 40, n)]
    radii = np.clip(near * rng.choice([1.0, 1 + 2**-52, 2.0], n), 0.0, 1.7e308)
    radii[:3] = [0.0, -1.0, 1e308]
    for threads in (1, 2):
        found = assert_all_are_found(kernels, Z, Z, radii, classes, classes, threads=threads)
    assert found > n / 2  # the point with the largest radius alone has some 2 n / 3


def test_queries_and_points_may_differ(kernels):
    rng = np.random.default_rng(1)
    Q, X = points("normal", 700, 12, rng), points("normal", 400, 12, rng) + 0.1
    classes_Q, classes_X = rng.integers(0, 4, 700), rng.integers(2, 5, 400)
    D = kernels.pair_distances(
        np.concatenate([Q, X]), np.repeat(np.arange(700), 400), np.tile(np.arange(700, 1100), 700)
    ).reshape(700, 400)
    radii = np.sort(D, axis=1)[:, 5].copy()
    assert assert_all_are_found(kernels, Q, X, radii, classes_Q, classes_X) > 2000
