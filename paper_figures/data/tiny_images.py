"""The GIST of small images, for Li et al. (2011), § 4.2.

CIFAR-10 takes the place of a million tiny images; digits are the set of the small scale.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from paper_figures.data.bundled import read_digits
from paper_figures.data.gist import gist
from paper_figures.data.mnist import read_idx
from paper_figures.data.recipes import DataSet, Recipe

FILES = tuple(
    f"tinyimages/cifar10-jpeg-{part}-ubyte.gz"
    for part in ("train-luma-idx3", "train-labels-idx1", "test-luma-idx3", "test-labels-idx1")
)
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


def read_tiny_images(
    train_images: Path, train_labels: Path, test_images: Path, test_labels: Path
) -> DataSet:
    """Read 60000 images of 32 x 32 pixels as 384 numbers; the test part, sorted, is mixed."""
    mixed = np.random.default_rng(0).permutation(10_000)
    X = np.concatenate([read_idx(train_images), read_idx(test_images)[mixed]]).reshape(-1, 32, 32)
    y = np.concatenate([read_idx(train_labels), read_idx(test_labels)[mixed]])
    notes = (
        "CIFAR-10's images, which are some of the 80 million tiny ones, "
        "as grey values of JPEG copies; "
        "their GIST is computed here: 8 orientations at each of 3 scales, 4 x 4 blocks",
    )
    return DataSet(gist(X), y, dict(enumerate(CLASSES)), n_train=50_000, notes=notes)


def read_digits_gist() -> DataSet:
    """Read the GIST of scikit-learn's 8 x 8 digits, 384 numbers each; the last 500 test."""
    digits = read_digits()
    X = gist(digits.X.reshape(-1, 8, 8) * (255 / 16))
    return replace(digits, X=X, notes=("the GIST of images of 8 x 8 pixels, 2 x 2 a block",))


RECIPES = {"tiny-images": Recipe(read_tiny_images, FILES), "digits-gist": Recipe(read_digits_gist)}
