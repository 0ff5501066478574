"""Trainings of LMNN: the steps of § 3, and the certified optimum of eq. 3.

The steps are run by :mod:`refimpl.lmnn.algorithm` in the coordinates of the points as they are.
"""

import numpy as np

from refimpl.check.drawing import Lcg
from refimpl.check.judging import by_worth, squares
from refimpl.check.kernel import AGREES, WRONG, Values, outputs_of
from refimpl.check.large_margin import objective_of
from refimpl.check.trainings.table import Case, States, Training, enter
from refimpl.lmnn import LMNNOptions, algorithm, lmnn

__all__ = ["optimum", "steps"]


def _cases() -> list[Case]:
    s = Lcg(50)
    listed = []
    for comment, flag, n, d, k, mu in (
        ("numbers of 52 random bits", "plain", 12, 3, 2, 1.0),
        ("small integers: equally near neighbours", "ties", 12, 2, 2, 1.0),
        ("a point that stands there twice", "duplicates", 10, 2, 1, 0.5),
        ("a constant column", "constant columns", 10, 2, 1, 4.0),
    ):
        X = s.points(n, d, flag)
        y = np.arange(n) % 2
        X[:, 1] += y
        if flag == "constant columns":
            X = np.column_stack([X[:, 1], s.reals((n,), "plain"), np.full(n, 2.0)])
        listed.append(Case(comment, (flag,), {"X": X, "y": y, "k": k, "mu": mu}))
    return listed


def _with_checks() -> list[Case]:
    return [Case(c.comment, c.flags, c.arguments | {"checks": 4}) for c in _cases()]


def _run(arguments: Values) -> States:
    X, y, k, mu, checks = (arguments[name] for name in ("X", "y", "k", "mu", "checks"))
    targets = algorithm.target_neighbors(X, y, k)
    examples = algorithm.Examples(X, y, targets, np.zeros(len(X), dtype=np.int64))
    states = algorithm.steps(examples, mu, np.eye(X.shape[1])[None])
    listed: States = []
    for now, _ in algorithm.until_converged(states, checks=checks):
        M = now.L[0].T @ now.L[0]
        state = {"t": now.t, "M": M, "objective": now.objective, "active": int(now.N.sum())}
        state["G"] = now.G[0]
        listed.append(state if listed else {"targets": targets, **state})
    return listed


def _same_targets(arguments: Values, want: Values, got: Values) -> str:
    """Judge target neighbours by their distances."""
    X, y = arguments["X"], arguments["y"]
    targets = np.asarray(got["targets"])
    if targets.shape != want["targets"].shape or targets.dtype.kind not in "iu":
        return WRONG
    if (targets < 0).any() or (targets >= len(X)).any():
        return WRONG
    own = np.arange(len(X))[:, np.newaxis]
    if (targets == own).any() or (y[targets] != y[own]).any():
        return WRONG
    if any(len(set(row)) < len(row) for row in targets.tolist()):
        return WRONG
    D = squares(X, X)
    ranges = [np.take_along_axis(D, places, axis=1) for places in (want["targets"], targets)]
    return by_worth(ranges[0], ranges[1])


steps = enter(
    Training(
        name="lmnn_steps",
        loop="LM:3:8",
        algorithm="3",
        about="§ 3 of Weinberger & Saul (2008): at each full check (after 0, 1, 3, 7, 15 and 31 "
        "steps, then every 20) M, eq. 3 over all triples, how many are active, and G of eq. 5. M "
        "starts as the identity. The t-th step is 0.3 m / (g sqrt(t)) G with m, g the Frobenius "
        "norms of M and G; where G is 0, M stays. Between two checks only pairs (i, l) count that "
        "a check found",
        outputs=outputs_of(
            "targets LM:2:1 optimum; t LM:3:2 bits; M LM:3:3 digits~1e-6; "
            "objective LM:eq3 digits~1e-6; active LM:3:4 bits; G LM:eq5 digits~1e-6"
        ),
        cases=_with_checks,
        run=_run,
        judge=_same_targets,
        dependent=("M", "objective", "active", "G"),
    )
)

# ------------------------------------------------------------------------------------------ optimum


def _run_optimum(arguments: Values) -> States:
    options = LMNNOptions(tol=1e-6)
    result = lmnn(**arguments, options=options)
    return [
        {
            "targets": result.targets,
            "M": result.M[0],
            "objective": result.objective,
            "bound": result.bound,
        }
    ]


def _as_low(arguments: Values, want: Values, got: Values) -> str:
    """Judge a metric by eq. 3: it may be a thousandth above the proven bound."""
    if (np.asarray(got["targets"]) != want["targets"]).any():
        return _same_targets(arguments, want, got)
    M = np.asarray(got["M"], dtype=np.float64)
    if M.shape != want["M"].shape or not np.allclose(M, M.T, atol=1e-6 * np.abs(M).max()):
        return WRONG
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    if values[0] < -1e-6 * values[-1]:
        return WRONG
    Z = arguments["X"] @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    reached = objective_of(Z, arguments["y"], want["targets"]).at(arguments["mu"])
    return AGREES if reached <= want["bound"] * (1 + 1e-3) + 1e-12 else WRONG


optimum = enter(
    Training(
        name="lmnn",
        algorithm="2",
        about="the least value of eq. 3 of Weinberger & Saul (2008) over positive semidefinite M; "
        "no metric is below `bound`. M itself need not be unique",
        outputs=outputs_of(
            "targets LM:2:1 optimum; M LM:eq3 optimum~1e-3; objective LM:eq3 digits~1e-3"
        ),
        cases=_cases,
        run=_run_optimum,
        judge=_as_low,
        dependent=("M", "objective"),
    )
)
