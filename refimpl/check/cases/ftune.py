"""Cases for the kernels of FTUNE: landmarks, products of matrices."""

from typing import Any

import numpy as np

from refimpl.check.drawing import Source
from refimpl.check.encoding import Generated
from refimpl.check.judging import by_worth, whole
from refimpl.check.kernel import WRONG, Values, asked, enter, rounding

__all__ = ["least_similar", "matrix_vector", "transferred_differences", "vector_matrix"]


def _run_least(module: Any, arguments: Values) -> Values:
    index = asked(module, "least_similar", arguments)
    return {"index": index, "sums": arguments["sums"]}


def _same_sum(arguments: Values, want: Values, got: Values) -> str:
    index = whole(got["index"])
    if not 0 <= index < len(arguments["taken"]) or arguments["taken"][index]:
        return WRONG
    sums = want["sums"]
    return by_worth(sums[int(want["index"])], sums[index])


def _large_least() -> Values:
    n = 2**16 + 1
    return {
        "sums": Generated(dtype="float64", seed=8, shape=[n], low=0, high=2**30, exponent=-9),
        "column": Generated(dtype="float64", seed=9, shape=[n], low=0, high=2**30, exponent=-9),
        "taken": Generated(dtype="bool", seed=10, shape=[n], low=0, high=1),
    }


@enter(
    "index FT:1:3 optimum; sums FT:1:3 bits",
    flags="ties, plain, negative zero, denormals, scales",
    run=_run_least,
    judge=_same_sum,
    large=_large_least,
)
def least_similar(s: Source, flag: str) -> Values:
    n = s.length(9)
    taken = s.booleans((n,))
    taken[s.integer(0, n - 1)] = False
    return {"sums": s.reals((n,), flag), "column": s.reals((n,), flag), "taken": taken}


@enter("Phi FT:phi bits", flags="ties, plain, negative zero, denormals, scales, infinite slope")
def transferred_differences(s: Source, flag: str) -> Values:
    r, d = s.length(4), s.length(4)
    slopes = [s.pick(1.0, 0.5, 5.0, 1000.0) for _ in range(s.integer(1, 3))]
    if flag == "infinite slope":
        slopes[-1] = np.inf
    return {
        "K": s.reals((s.length(4), r), flag),
        "plus": s.array((d,), 0, r - 1),
        "minus": s.array((d,), 0, r - 1),
        "slopes": np.array(slopes),
    }


def _product_rounding(arguments: Values, expected: Values) -> Values:
    A = np.abs(arguments["A"])
    if "v" in arguments:
        return {"Av": rounding(A @ np.abs(arguments["v"]), A.shape[1])}
    return {"uA": rounding(np.abs(arguments["u"]) @ A, len(A))}


PRODUCTS = "ties, plain, negative zero, denormals, scales, empty, one column, many"


def _shape(s: Source, flag: str) -> tuple[int, int]:
    n, d = s.length(5), s.length(5)
    if s.wide and s.integer(0, 1):  # more rows than a block has
        n = s.length(1000)
    if flag == "empty":
        return (0, d) if s.integer(0, 1) else (n, 0)
    if flag == "one column":
        return n, 1
    return (3, 19) if flag == "many" else (n, d)


@enter("Av refimpl.kernels.products digits", flags=PRODUCTS, rounding=_product_rounding)
def matrix_vector(s: Source, flag: str) -> Values:
    n, d = _shape(s, flag)
    return {"A": s.reals((n, d), flag), "v": s.reals((d,), flag)}


@enter("uA refimpl.kernels.products digits", flags=PRODUCTS, rounding=_product_rounding)
def vector_matrix(s: Source, flag: str) -> Values:
    n, d = _shape(s, flag)
    return {"u": s.reals((n,), flag), "A": s.reals((n, d), flag)}
