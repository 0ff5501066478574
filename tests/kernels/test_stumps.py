"""The stump kernels: against brute force, and twin against twin bit for bit."""

import importlib.util
import math
import shutil
import subprocess
import sys

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import assert_same


def least_error(X, w, l):
    """Return the least error over all stumps in whole units of 2**-52, and the first such stump."""
    units = np.rint(w * 2.0**52).astype(np.int64)
    least = None
    for f, x in enumerate(X.T):
        values = np.unique(x)
        thetas = np.append(-np.inf, values[:-1] / 2 + values[1:] / 2)
        for p in (1, -1):
            errors = ((p * x < p * thetas[:, np.newaxis]) != l) @ units
            k = int(errors.argmin())
            if least is None or errors[k] < least[0]:
                least = errors[k], f, p, thetas[k]
    return least[0] * 2.0**-52, *least[1:]


@pytest.mark.parametrize("n_B", [9, 33])
def test_later_rounds_on_the_same_differences(kernels, n_B):
    """The fast twin adds columns with few values (0), with short runs of equal differences (1, 2)
    and with one value (3) up in different ways, the second one from the second call on.
    """
    rng = np.random.default_rng(n_B)
    A = rng.normal(size=(12, 4))
    B = rng.normal(size=(n_B, 4))
    for X in (A, B):
        X[:, 0] = rng.integers(0, 2, len(X))
        X[:, 1] = np.rint(8 * X[:, 1]) / 8  # so that differences are exact
        X[:, 3] = 5.0
    features = kernels.presort(A, B)
    rows = (A[:, np.newaxis] - B).reshape(-1, 4)
    chosen = []
    for column in (0, 1, 2, 1, 2, 0):
        # labels that one column explains best, but for some rows
        wrong = rng.random(len(rows)) < 0.2
        l = (rows[:, column] > 0.3) ^ wrong
        w = rng.random(len(rows)) ** 8
        w /= w.sum()
        epsilon, f, p, theta = kernels.best_stump(features, w, l)
        assert (epsilon, f, p, theta) == least_error(rows, w, l)
        chosen.append(f)
    assert set(chosen) == {0, 1, 2}


@pytest.mark.parametrize("common", ["least", "middle", "most", "none"])
@pytest.mark.parametrize("n", [3, 40, 300])
def test_the_last_column_has_short_bins(kernels, common, n):
    """No bin follows the last one of the last column: the fast twin once looked for it."""
    rng = np.random.default_rng(n)
    x = rng.permutation(n) - {"least": 0, "middle": n // 2, "most": n - 1, "none": 0}[common]
    if common != "none":
        x[: n // 3] = 0  # the bin of 0 is the common one
    X = np.column_stack([rng.integers(0, 2, n), x]).astype(float)
    features = kernels.presort(X)
    l = (x > np.median(x)) ^ (rng.random(n) < 0.1)
    for _ in range(3):
        w = rng.random(n)
        w /= w.sum()
        assert kernels.best_stump(features, w, l) == least_error(X, w, l)


def test_sixteen_bits_hold_as_many_rows_as_they_can(kernels):
    A = np.arange(256.0)[:, None]
    features = kernels.presort(A, A[::-1].copy())
    assert features.rows.dtype == np.uint16 and features.rows.max() == 2**16 - 1
    assert kernels.presort(A, np.arange(257.0)[:, None]).rows.dtype == np.uint32


def test_thresholds_at_the_ends_of_the_floats(kernels):
    low, high = 1.6e308, 1.7e308  # their sum is infinite
    features = kernels.presort(np.array([[high], [low]]))
    assert low < features.threshold(0, 1, 1) < high
    tiny = np.nextafter(0.0, 1.0)  # half of it is zero
    features = kernels.presort(np.array([[0.0], [tiny]]))
    assert (features.threshold(0, 1, 1), features.threshold(0, 1, -1)) == (tiny, 0.0)


def test_zero_has_one_sign(kernels):
    tiny = np.nextafter(0.0, 1.0)
    one = np.array([[-0.0], [tiny]])
    other = np.array([[0.0]])
    for features in (
        kernels.presort(one),
        kernels.presort(one, other),
        kernels.presort(np.tile(one, (2, 1)), other),
    ):
        assert_same(features.threshold(0, 1, -1), 0.0)
        assert_same(features.column(0)[:2], np.array([0.0, tiny]))


def neighbours(x):
    """x and the three numbers on either side of it."""
    above, below = [x], [x]
    for _ in range(3):
        above.append(math.nextafter(above[-1], math.inf))
        below.append(math.nextafter(below[-1], -math.inf))
    return above + below


# zeros, subnormal numbers, ends of a binade, the largest numbers, infinities, none at all
ENDS = (0.0, 5e-324, 1e-310, 2.0**-1022, 0.1, 0.3, 1.0, 3.0, 2.0**53, 1e300)
ENDS += (2.0**970, 2.0**1023, math.nextafter(math.inf, 0.0), math.inf, math.nan)


@pytest.mark.parametrize("p", [1, -1])
def test_a_stump_turns_at_the_same_float(kernels, p):
    """At every boundary a stump answers as the subtraction and the comparison do."""
    numbers = [sign * x for x in ENDS for sign in (1, -1)]
    Q = np.array(numbers)[:, None]
    for theta in numbers:
        x = [x for q in numbers for x in neighbours(q - theta)]
        x += [x for q in numbers for x in neighbours(q - theta + theta * 2.0**-54)]
        X = np.unique(x)[:, None]
        S = np.zeros((len(Q), len(X)))
        stumps = np.array([1.0]), np.array([0]), np.array([p]), np.array([theta])
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.add_similarity(S, Q, X, *stumps)
        expected = [[oracles.stump(q - x, p, theta) for x in X[:, 0].tolist()] for q in numbers]
        assert_same(S, np.array(expected, dtype=float))


@pytest.mark.parametrize(
    ("alpha", "threshold", "expected"),
    [
        ([-0.0, -0.0], [1.0, 1.0], [-0.0, 0.0]),  # -0 + -0
        ([-0.0, -0.0], [1.0, -1.0], [0.0, 0.0]),  # -0 + -0 + 0
        ([-0.0, -0.0], [1.0, 0.0], [0.0, 0.0]),  # 0 < 0 is false
        ([-0.0, -0.0], [-math.inf, 1.0], [0.0, 0.0]),
        ([-0.0, 0.0], [1.0, 1.0], [0.0, 0.0]),
        ([-0.0, 1.0], [1.0, -1.0], [0.0, 0.0]),  # a weight that is not added
        ([1.0, -1.0], [1.0, 1.0], [0.0, 0.0]),
        ([math.inf, -0.0], [-1.0, 1.0], [0.0, 0.0]),
        ([math.nan, -0.0], [-1.0, 1.0], [0.0, 0.0]),
    ],
)
def test_what_is_added_to_zeros(kernels, alpha, threshold, expected):
    """A stump that answers 0 adds 0.0, whatever its weight: so a sum of -0 becomes 0."""
    S = np.array([[-0.0, 0.0]])
    zeros = np.zeros(2, dtype=np.int64)
    stumps = np.array(alpha), zeros, np.ones(2, dtype=np.int64), np.array(threshold)
    kernels.add_similarity(S, np.zeros((1, 1)), np.zeros((2, 1)), *stumps)
    assert_same(S, np.array([expected]))


def test_an_unbuilt_twin_fails_loudly(tmp_path):
    (tmp_path / "refimpl_fast").mkdir()
    # not imported: it may be unbuilt
    shutil.copy(importlib.util.find_spec("refimpl_fast").origin, tmp_path / "refimpl_fast")
    without_editable = (
        "sys.meta_path = [f for f in sys.meta_path if not f.__module__.startswith('__editable__')]"
    )
    code = f"import sys; {without_editable}; import refimpl_fast"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode != 0 and "is not built" in run.stderr and "pip install -e ." in run.stderr


@pytest.mark.parametrize("differences", [False, True])
def test_what_is_sorted_does_not_change_with_the_callers_arrays(kernels, differences):
    A = np.arange(6.0).reshape(3, 2)
    B = np.arange(4.0).reshape(2, 2) if differences else None
    features = kernels.presort(A, B)
    before = features.A.copy()
    n = features.n_rows
    asked = np.full(n, 1 / n), np.arange(n) < n // 2
    stump = kernels.best_stump(features, *asked)
    for array in (A, B)[: 1 + differences]:
        array[:] = np.nan
    assert_same(before, features.A)
    assert kernels.best_stump(features, *asked) == stump
