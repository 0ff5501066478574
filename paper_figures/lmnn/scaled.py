"""Steps of pipelines: images of mean 0 and length 1, and the unit of length that NCA depends on."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from refimpl.typing import FloatArray


def normalised(X: FloatArray) -> FloatArray:
    """Return images less their mean, divided by their length."""
    X = X - X.mean(axis=1, keepdims=True)
    unit: FloatArray = X / np.linalg.norm(X, axis=1, keepdims=True)
    return unit


class Scaled(TransformerMixin, BaseEstimator):  # type: ignore[misc] # classes without hints
    """Divide points by one number, so that the root of their mean squared length is `length`."""

    def __init__(self, length: float = 1.0) -> None:
        self.length = length

    def fit(self, X: FloatArray, y: Any = None) -> Self:
        """Measure the points."""
        self.factor_ = self.length / np.sqrt((X**2).sum(axis=1).mean())
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the points in the new unit."""
        scaled: FloatArray = X * self.factor_
        return scaled
