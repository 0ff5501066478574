"""A step of a pipeline that chooses the unit of length, on which NCA depends."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from refimpl.typing import FloatArray


class Scaled(TransformerMixin, BaseEstimator):
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
