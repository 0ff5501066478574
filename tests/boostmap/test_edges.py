"""Canny's detector: on images whose edges are known, and against scikit-image where it is
installed.
"""

import numpy as np
import pytest
from scipy import ndimage

from refimpl.boostmap.edges import canny


def blurred_digits(n=20):
    from sklearn.datasets import load_digits

    return np.pad(
        ndimage.zoom(load_digits().images[:n] / 16, (1, 4, 4), order=3).clip(0, 1),
        ((0, 0), (6, 6), (6, 6)),
    )


def test_a_step_gives_one_thin_line():
    images = np.zeros((2, 20, 30))
    images[0, :, 11:], images[1, 7:] = 1.0, 1.0
    E = canny(images, sigma=1.0)
    assert E.dtype == bool and E.shape == images.shape
    assert (E[0, 4:-4, 5:-5].sum(axis=1) == 1).all() and E[0, 4:-4, 10:12].sum() == 12
    assert (E[1, 4:-4, 5:-5].sum(axis=0) == 1).all() and E[1, 6:8, 5:-5].sum() == 20


def test_a_disc_gives_its_circle():
    y, x = np.mgrid[:41, :41] - 20
    E = canny([np.hypot(y, x) < 12])[0]
    radius = np.hypot(y, x)[E]
    assert 60 < len(radius) < 90 and abs(radius - 11.75).max() < 1.0
    assert ndimage.label(E, np.ones((3, 3)))[1] == 1


def test_weak_edges_count_only_beside_strong_ones():
    image = np.zeros((1, 30, 30))
    image[0, 5:12, 10:], image[0, 12:18, 10:], image[0, 22:27, 10:20] = 1.0, 0.5, 0.5
    low, both, high = (
        canny(image, sigma=0.0, low=l, high=h) for l, h in ((1.0, 1.0), (1.0, 3.0), (3.0, 3.0))
    )
    assert low[0, 22:27].any() and not both[0, 20:29].any()
    assert (high <= both).all() and (both <= low).all() and high.sum() < both.sum() < low.sum()


def test_images_do_not_touch_each_other():
    X = blurred_digits()
    E = canny(X)
    for i in (0, 7, 19):
        assert np.array_equal(canny(X[i : i + 1])[0], E[i])


def test_turned_and_scaled_images_have_turned_edges():
    X = np.rint(blurred_digits() * 255).astype(np.uint8)
    E = canny(X)
    assert np.array_equal(E, canny(X / 255))
    assert E.any(axis=(1, 2)).all()
    for k in (1, 2, 3):
        differ = np.rot90(E, k, (1, 2)) != canny(np.rot90(X, k, (1, 2)))
        assert differ.mean() < 1e-3  # rounding may decide a tie


def test_no_edges_in_even_images():
    assert not canny(np.zeros((2, 9, 9))).any()
    assert not canny(np.ones((1, 9, 9)), sigma=0.0, low=9.0, high=9.0).any()


def test_against_scikit_image():
    feature = pytest.importorskip("skimage.feature")
    X = blurred_digits()
    for sigma, low, high in ((1.4, 0.1, 0.2), (1.0, 0.3, 0.9), (2.0, 0.05, 0.5)):
        theirs = np.array([feature.canny(x, sigma, low, high) for x in X])
        ours = canny(X, sigma=sigma, low=low, high=high)
        assert (theirs != ours).mean() < 0.002 and ours.mean() > 0.03  # ties on plateaus differ


def test_what_it_refuses():
    X = np.zeros((1, 5, 5))
    for image, arguments, error, message in (
        (X[0], {}, ValueError, r"images\[None\]"),
        (
            X + np.nan,
            {},
            ValueError,
            "images must hold finite numbers; got NaN or infinity in image 0",
        ),
        (X.astype(complex), {}, TypeError, "dtype"),
        (X, {"low": 0.3, "high": 0.2}, ValueError, "low must be at most high, 0.2; got 0.3"),
    ):
        with pytest.raises(error, match=message):
            canny(image, **arguments)
