"""Data that the tests of several estimators share."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return train_test_split(
        StandardScaler().fit_transform(X), np.array(list("abc"))[y], random_state=0
    )
