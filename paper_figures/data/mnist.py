"""MNIST, read from its four idx files; the training part comes first."""

import gzip
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paper_figures.data.recipes import DataSet, Recipe

FILES = tuple(
    f"mnist/{part}-{kind}-ubyte.gz"
    for part in ("train", "t10k")
    for kind in ("images-idx3", "labels-idx1")
)
_HEADER = {0x00000801: 8, 0x00000803: 16}


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Read a gzip-compressed idx1 or idx3 file of unsigned bytes: (n,) or (n, rows * columns)."""
    with gzip.open(path) as stream:
        content = stream.read()
    header = _HEADER.get(int.from_bytes(content[:4], "big"))
    if header is None:
        raise ValueError(f"{path}: not an idx1 or idx3 file of unsigned bytes")
    n = int.from_bytes(content[4:8], "big")
    values = np.frombuffer(content, dtype=np.uint8, offset=header)
    return values if header == 8 else values.reshape(n, -1)


def read_mnist(
    train_images: Path,
    train_labels: Path,
    test_images: Path,
    test_labels: Path,
    *,
    digits: Iterable[int] = range(10),
) -> DataSet:
    """Read some digits of MNIST, the training part first; the labels are the digits."""
    digits = tuple(digits)
    parts = []
    for images, labels in ((train_images, train_labels), (test_images, test_labels)):
        y = read_idx(labels)
        keep = np.isin(y, digits)
        parts.append((read_idx(images)[keep], y[keep]))
    X = np.concatenate([part[0] for part in parts])
    y = np.concatenate([part[1] for part in parts])
    return DataSet(X, y, {digit: str(digit) for digit in digits}, n_train=len(parts[0][1]))


RECIPES = {
    "MNIST": Recipe(lambda *paths: read_mnist(*paths, digits=(1, 7)), FILES),
    "MNIST-10": Recipe(read_mnist, FILES),
}
