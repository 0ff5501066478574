"""Arrays whose values kernels check only once: what is still refused, and that they are forgotten.

Not tested here: the checks themselves (test_agreement.py and the tests of each kernel).
"""

import gc

import numpy as np
import pytest
from agreement import KERNELS

from refimpl.kernels import arguments
from refimpl.kernels.arguments import checked_once


def errors(kernels, triples, n=3, y=None):
    F = np.arange(float(n))[np.newaxis]
    return kernels.weighted_errors(F, triples, np.ones(2) if y is None else y, np.full(2, 0.5))


def test_wrong_values_are_refused_each_time(kernels):
    wrong = checked_once(np.array([[0, 1, 2], [0, 1, 3]], dtype=np.int32))
    y = checked_once(np.array([1.0, 0.5]))
    for _ in range(2):
        with pytest.raises(ValueError, match="triples must hold indices from 0 to 2; got 3"):
            errors(kernels, wrong)
        with pytest.raises(ValueError, match=r"y must hold 1 or -1; got 0\.5"):
            errors(kernels, wrong, 4, y)


def test_values_are_checked_again_against_another_length(kernels):
    """They may be indices below 4, and not below 3."""
    triples = checked_once(np.array([[0, 1, 2], [0, 1, 3]], dtype=np.int32))
    for _ in range(2):
        errors(kernels, triples, 4)
        with pytest.raises(ValueError, match="indices from 0 to 2; got 3"):
            errors(kernels, triples, 3)


def test_shape_and_dtype_are_checked_each_time(kernels):
    triples = checked_once(np.array([[0, 1, 2], [0, 1, 2]], dtype=np.int32))
    errors(kernels, triples)
    with pytest.raises(ValueError, match="y must have the length 2"):
        errors(kernels, triples, y=np.ones(3))
    with pytest.raises(TypeError, match="triples must hold int32"):
        errors(kernels, checked_once(np.zeros((2, 3))))


def test_a_check_is_made_once_for_an_array_and_each_time_for_another(monkeypatch):
    checks = []
    check = arguments.Array._check_values

    def counted(self, name, value, lengths):
        checks.append(name)
        check(self, name, value, lengths)

    monkeypatch.setattr(arguments.Array, "_check_values", counted)
    triples = np.array([[0, 1, 2], [0, 2, 1]], dtype=np.int32)
    for array, expected in ((checked_once(triples), 1), (triples, 3), (triples.copy(), 3)):
        checks.clear()
        for _ in range(3):
            errors(KERNELS[-1], array)
        assert checks.count("triples") == expected and checks.count("w") == 3


def test_nobody_can_write_to_the_array():
    mine = np.array([1.0, -1.0])
    array = checked_once(mine)
    mine[0] = 7
    assert array.tolist() == [1.0, -1.0] and checked_once(array) is array
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.setflags(write=True)


def test_a_deleted_array_is_forgotten():
    array = checked_once(np.zeros(3))
    known = len(arguments.ONCE)
    key = id(array)
    assert key in arguments.ONCE
    del array
    gc.collect()
    assert key not in arguments.ONCE and len(arguments.ONCE) < known
