"""What the shared checks refuse, in words that no test of their callers looks at."""

import re

import numpy as np
import pytest

from refimpl import arrays, checks
from refimpl.ftune.linear_models import as_cost
from refimpl.ftune.similarities import as_slope
from refimpl.lmnn import stalled
from refimpl.spaces import references

REFUSED = [
    (arrays.as_matrix, ([1, 2], "X"), "X must be a matrix with a vector in each row, such as X[N"),
    (arrays.as_matrix, (np.empty((0, 2)), "X"), "X must have at least one row and one column; got"),
    (arrays.as_matrix, (np.empty((2, 0)), "X"), "X must have at least one row and one column; got"),
    (arrays.as_matrix, ([[10**400]], "X"), "X must hold real numbers; got other objects"),
    (arrays.as_vectors_like, ([[1.0]], np.zeros((5, 3)), "Q"), "Q must have 3 columns, as the tra"),
    (checks.as_indices, ([0, 4], 3, "rows"), "rows must hold indices of the 3 database objects,"),
    (checks.positive, (10**400, "tol"), f"tol must be a finite number above 0; got {10**400}"),
    (references.as_dimension, (5, 3), "d must be at most 3, the dimensions of the embedding; got"),
]


@pytest.mark.parametrize("check, arguments, words", REFUSED, ids=[row[2][:20] for row in REFUSED])
def test_the_words_of_a_refusal(check, arguments, words):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        check(*arguments)


@pytest.mark.parametrize("errors, patience", [("ab", 1), ([[0.1]], 1), (None, 1), ([0.1], "2")])
def test_errors_that_are_no_list_of_numbers(errors, patience):
    with pytest.raises((TypeError, ValueError), match=r"^(errors|patience) must "):
        stalled(errors, patience)


def test_the_words_of_a_range():
    with pytest.raises(ValueError, match=r"rtol must be a number of at least 0 and less than 1; "):
        checks.as_number(1.5, "rtol", below=1)


def test_integers_beyond_64_bits_are_numbers():
    assert checks.positive(10**20, "mu") == checks.as_number(10**20, "mu") == 1e20


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("single", [np.float16, np.float32, np.longdouble])
def test_limits_are_those_of_float64_for_numbers_of_other_types(single):
    """1e-100 is 0 in float32, and 1e100 is infinite; 1e-4000 is 0 in float64."""
    assert checks.as_number(single(0.5), "tol", minimum=1e-100, below=1e100) == 0.5
    for check in (
        lambda: checks.as_number(single(0), "lam", minimum=1e-100),
        lambda: checks.positive(np.longdouble("1e-4000"), "tol"),
        lambda: as_cost(single(0), "C"),
        lambda: as_slope(np.longdouble("1e-4000"), "slope"),
    ):
        with pytest.raises(ValueError, match="must be"):
            check()
    assert as_cost(single(0.5), "C") == 0.5
    assert as_slope(10**400, "slope") == np.inf
