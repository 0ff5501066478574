"""Matrices without rows or columns, or with integers beyond float64, are refused."""

import numpy as np
import pytest

from refimpl.arrays import as_matrix


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0)])
@pytest.mark.parametrize("single", [False, True])
def test_a_matrix_without_numbers_is_refused(shape, single):
    with pytest.raises(ValueError, match="X must have at least one row and one column; got shape"):
        as_matrix(np.empty(shape, dtype=np.float32), "X", single=single)


def test_integers_beyond_float64_are_refused():
    with pytest.raises(TypeError, match="X must hold real numbers; got other objects"):
        as_matrix([[10**400]], "X")
