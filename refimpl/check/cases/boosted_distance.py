"""Cases for the kernels of Boosted Distance: stumps and sums of them."""

from typing import Any

import numpy as np

from refimpl.check.drawing import Source
from refimpl.check.encoding import Generated
from refimpl.check.judging import stump
from refimpl.check.kernel import Values, asked, enter, rounding

__all__ = ["add_similarity", "best_stump", "presort"]

FIELDS = ("rows", "row_ptr", "starts", "bin_ptr", "common", "common_row")


def _run_presort(module: Any, arguments: Values) -> Values:
    """Give what the reference's own record holds; a record of another kind is nobody's business."""
    features = module.presort(arguments["A"], arguments["B"])
    return {name: getattr(features, name, None) for name in FIELDS}


def _large_presort() -> Values:
    A = Generated(dtype="float64", seed=1, shape=[2**16 + 1, 1], low=-9, high=9, exponent=-1)
    return {"A": A, "B": None}


@enter(
    ";".join(f"{name} BD:A.2:2 bits" for name in FIELDS),
    flags="ties, plain, constant columns, negative zero, denormals, duplicates, scales",
    run=_run_presort,
    record=True,
    large=_large_presort,
)
def presort(s: Source, flag: str) -> Values:
    d = s.length(4)
    A = s.points(s.length(9), d, flag)
    return {"A": A, "B": s.points(s.length(4), d, flag) if s.integer(0, 1) else None}


SMALL = ("tie between features", "tie between polarities", "one label", "extreme weights")


def _run_stump(module: Any, arguments: Values) -> Values:
    features = module.presort(arguments["A"], arguments["B"])
    epsilon, f, p, theta = module.best_stump(features, arguments["w"], arguments["l"])
    return {"epsilon": float(epsilon), "f": f, "p": p, "theta": float(theta)}


def _large_stump() -> Values:
    n = 2**16 + 1
    return {
        "A": Generated(dtype="float64", seed=2, shape=[n, 2], low=-40, high=40, exponent=-2),
        "B": None,
        "w": Generated(dtype="float64", seed=3, shape=[n], low=0, high=2**20, exponent=-37),
        "l": Generated(dtype="bool", seed=4, shape=[n], low=0, high=1),
    }


@enter(
    "epsilon BD:A.2:7 bits; f BD:A.2:8 optimum; p BD:A.2:8 optimum; theta BD:A.2:8 optimum",
    flags="ties, plain, constant columns, negative zero, denormals, duplicates, extreme weights, "
    "tie between features, tie between polarities, one label, quarters",
    run=_run_stump,
    judge=stump,
    large=_large_stump,
    needs=("presort",),
)
def best_stump(s: Source, flag: str) -> Values:
    d = s.length(3)
    n = s.length(9, 2)
    n_B = s.integer(0, 3)
    if flag == "tie between polarities":  # half of the weight on either label
        n, n_B = 4, 2 * s.integer(0, 1)
    kind = "ties" if flag in SMALL else flag
    A = s.points(n, d, kind)
    if flag == "tie between polarities":
        A[:] = A[0]
        l = np.arange(n * (n_B or 1)) % 2 == 1
        B = s.points(n_B, d, "ties") if n_B else None
        return {"A": A, "B": B, "w": s.weights(len(l), "ties"), "l": l}
    if flag == "tie between features":
        A = np.ascontiguousarray(np.column_stack([A, -A[:, ::-1]]))
    B = s.points(n_B, A.shape[1], kind) if n_B else None
    rows = n * (n_B or 1)
    l = np.full(rows, bool(s.integer(0, 1))) if flag == "one label" else s.booleans((rows,))
    kind = {"plain": "plain", "quarters": "plain"}.get(flag, flag)
    return {"A": A, "B": B, "w": s.weights(rows, kind), "l": l}


def _run_similarity(module: Any, arguments: Values) -> Values:
    returned = asked(module, "add_similarity", arguments)
    if returned is not None:
        raise TypeError(f"add_similarity must return None; got {type(returned).__name__}")
    return {"S": arguments["S"]}


def _similarity_rounding(arguments: Values, expected: Values) -> Values:
    total = np.abs(arguments["S"]) + np.abs(arguments["alpha"]).sum()
    return {"S": rounding(total, len(arguments["alpha"]))}


@enter(
    "S BD:A.3:4 digits",
    flags="ties, plain, negative zero, empty, threshold -inf",
    run=_run_similarity,
    rounding=_similarity_rounding,
)
def add_similarity(s: Source, flag: str) -> Values:
    d = s.length(3)
    n_Q, n_X = s.length(4), s.length(4)
    T = 0 if flag == "empty" else s.length(5)
    threshold = s.reals((T,), "plain" if flag == "plain" else "ties")
    if flag == "threshold -inf" and T:
        threshold[s.integer(0, T - 1)] = -np.inf
    S, Q, X = s.reals((n_Q, n_X), "plain"), s.reals((n_Q, d), flag), s.reals((n_X, d), flag)
    alpha, feature = s.reals((T,), "plain"), s.array((T,), 0, d - 1)
    if s.wide and s.integer(0, 1):  # differences that occur, and their neighbours
        q, x = s.array((T,), 0, n_Q - 1), s.array((T,), 0, n_X - 1)
        beside = np.array([-np.inf, 0.0, np.inf])[s.array((T,), 0, 2)]
        occurs = Q[q, feature] - X[x, feature]
        threshold = np.where(s.booleans((T,)), occurs, np.nextafter(occurs, beside))
    return {
        "S": S,
        "Q": Q,
        "X": X,
        "alpha": alpha,
        "feature": feature,
        "polarity": s.signs(T).astype(np.int64),
        "threshold": threshold,
    }
