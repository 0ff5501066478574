"""A small real example for each algorithm: ten to thirty points, the same on each build.

The module of a paper has ``EXAMPLES``: by the name that a section gives, what runs an algorithm as
printed with some kernels, and what draws the state at the end of a round as SVG, or None.
"""

import numpy as np

from refimpl.typing import FloatArray, IntArray


def flowers(*rows: int, columns: tuple[int, ...] = (2, 3)) -> tuple[FloatArray, IntArray]:
    """Return petals of irises in cm, or sepals (columns 0, 1), and their kinds: 50 of each."""
    from sklearn.datasets import load_iris

    iris = load_iris()
    X = np.ascontiguousarray(iris.data[list(rows)][:, list(columns)], dtype=np.float64)
    return X, np.asarray(iris.target[list(rows)], dtype=np.int64)
