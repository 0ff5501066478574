"""LMNN: the kernels of sub-gradients, ball trees and their searches; the steps of § 3, and the
certified optimum of eq. 3.

The steps are run by :mod:`refimpl.lmnn.algorithm` in the coordinates of the points as they are.
"""

import numpy as np

from refimpl.check.drawing import Source
from refimpl.check.judging import at_limits, best, indices, listed, nearest, objective_of, squares
from refimpl.check.subject import Kind, States, Values, kernel, rounding, training
from refimpl.lmnn import LMNNOptions, algorithm, project
from refimpl.lmnn import lmnn as reference_lmnn
from refimpl.typing import FloatArray, IntArray

# -------------------------------------------------------------------------------------- subgradient


@kernel(
    "squares LM:eq1 digits",
    flags="ties, plain, negative zero, scales, duplicates, empty, far from the origin",
)
def pair_distances(s: Source, flag: str) -> Values:
    n = s.length(6)
    p = 0 if flag == "empty" else s.length(8)
    return {
        "Z": s.points(n, s.length(5), flag),
        "first": s.array((p,), 0, n - 1),
        "second": s.array((p,), 0, n - 1),
    }


def _at_the_radius(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge impostors: only a pair of two classes whose distance is its radius may differ."""
    D = squares(arguments["Q"], arguments["X"])
    D[arguments["classes_Q"][:, np.newaxis] == arguments["classes_X"]] = np.inf
    pairs = [
        (indices(first, len(D)), indices(second, D.shape[1], np.shape(first)))
        for first, second in ((answer["first"], answer["second"]) for answer in (want, got))
    ]
    return at_limits(D, arguments["radii"], *pairs)


@kernel(
    "first LM:4.2:3 optimum; second LM:4.2:3 optimum",
    flags="ties, plain, negative zero, duplicates, at the radius, one class",
    judge=_at_the_radius,
)
def impostors(s: Source, flag: str) -> Values:
    n_Q, n_X, r = s.length(5), s.length(6), s.length(4)
    kind = "ties" if flag in ("at the radius", "one class") else flag
    Q, X = s.points(n_Q, r, kind), s.points(n_X, r, kind)
    D = squares(Q, X)[np.arange(n_Q), s.array((n_Q,), 0, n_X - 1)]
    factors = np.array([1.0, 0.5, 2.0, 1 + 2.0**-52])[s.array((n_Q,), 0, 3 if s.wide else 2)]
    most = 0 if flag == "one class" else 2
    return {
        "Q": Q,
        "X": X,
        "radii": D if flag == "at the radius" else D * factors,
        "classes_Q": s.array((n_Q,), 0, most),
        "classes_X": s.array((n_X,), 0, most),
    }


def _hinge_rounding(arguments: Values, expected: Values) -> Values:
    targets, pairs, start = (arguments[name] for name in ("targets", "pairs", "start"))
    p, k = len(pairs), targets.shape[1]
    sums = np.array(
        [
            ((1 + row[:, np.newaxis]) + pairs[start[i] : start[i + 1]]).sum()
            for i, row in enumerate(targets)
        ]
    )
    largest = sums.max(initial=0.0) / arguments["h"] if arguments["h"] > 0 else 0.0
    sums = rounding(sums, p * k)
    return {
        "smooth": sums,
        "hinge": sums,
        **dict.fromkeys(("pair_weights", "target_weights"), rounding(largest, p * k)),
    }


@kernel(
    "smooth LM:3:1 digits; hinge LM:eq2 digits; active LM:3:4 bits; "
    "pair_weights LM:eq5 digits; target_weights LM:eq5 digits",
    flags="ties, plain, negative zero, empty, smoothed",
    rounding=_hinge_rounding,
)
def hinge_terms(s: Source, flag: str) -> Values:
    n = s.length(4)
    p = 0 if flag == "empty" else s.length(8)
    # a slack is exactly 0, or not near it
    kind = "plain" if flag == "plain" else "quarters"
    return {
        "targets": np.abs(s.reals((n, s.length(3)), kind)),
        "pairs": np.abs(s.reals((p,), kind)),
        "start": s.offsets(n, p),
        "h": s.pick(0.5, 0.125, 7.0) if flag == "smoothed" else 0.0,
    }


def _difference_rounding(arguments: Values, expected: Values) -> Values:
    start, other, edge = (arguments[name] for name in ("start", "other", "edge"))
    Z, w = np.abs(arguments["Z"]), np.abs(arguments["weights"])
    a = np.repeat(np.arange(len(Z)), np.diff(start))
    terms = np.zeros(Z.shape)
    np.add.at(terms, a, w[edge][:, np.newaxis] * (Z[a] + Z[other]))
    return {"sums": rounding(terms, len(edge))}


@kernel(
    "sums LM:eq6 digits",
    flags="ties, plain, negative zero, scales, duplicates, empty, weights of zero",
    rounding=_difference_rounding,
)
def weighted_differences(s: Source, flag: str) -> Values:
    n, p = s.length(5), s.length(6)
    e = 0 if flag == "empty" else s.length(8)
    weights = s.reals((p,), flag)
    if flag == "weights of zero":
        weights[s.booleans((p,))] = 0.0
    return {
        "Z": s.points(n, s.length(4), flag),
        "start": s.offsets(n, e),
        "other": s.array((e,), 0, n - 1),
        "edge": s.array((e,), 0, p - 1),
        "weights": weights,
    }


# -------------------------------------------------------------------------------------------- trees


def _tree_rounding(arguments: Values, expected: Values) -> Values:
    X = np.abs(arguments["X"])
    largest = rounding(X.max(), X.size)
    return {"centres": largest, "radii": 8 * largest}


def _spreads(arguments: Values, answer: Values) -> FloatArray:
    """Return how far the points of each node are from their mean, in order."""
    order = np.asarray(answer["order"])
    if sorted(order.tolist()) != list(range(len(arguments["X"]))):
        raise ValueError("order must hold each point once")
    parts = _parts(arguments, answer)
    return np.sort([((part - part.mean(axis=0)) ** 2).sum() for part in parts])


def _parts(arguments: Values, answer: Values) -> list[FloatArray]:
    """Return the points of each node."""
    points = arguments["X"][np.asarray(answer["order"])]
    return [points[a:b] for a, b in zip(answer["starts"], answer["ends"], strict=True)]


def _of_the_order(arguments: Values, got: Values) -> Values:
    """Return the balls and boxes of somebody's division of the points."""
    parts = _parts(arguments, got)
    centres = [part.mean(axis=0) for part in parts]
    far = [squares(c[np.newaxis], part).max() for c, part in zip(centres, parts, strict=True)]
    return {
        "centres": np.array(centres),
        "radii": np.sqrt(far),
        "low": np.array([part.min(axis=0) for part in parts]),
        "high": np.array([part.max(axis=0) for part in parts]),
    }


@kernel(
    "order LM:4.1:2 optimum; starts LM:4.1:2 bits; ends LM:4.1:2 bits; centres LM:4.1:3 digits; "
    "radii LM:4.1:3 digits; low LM:4.1:3 bits; high LM:4.1:3 bits",
    flags="ties, plain, constant columns, negative zero, duplicates",
    record=True,
    judge=best(_spreads, lambda arguments, worth: 1e-9 * float(np.max(worth))),
    rounding=_tree_rounding,
    dependent=("centres", "radii", "low", "high"),
    following=_of_the_order,
)
def build_tree(s: Source, flag: str) -> Values:
    return {
        "X": s.points(s.length(12), s.length(4), flag),
        "leaf_size": s.integer(2, 20 if s.wide else 4),
        "direction": s.pick("axis", "principal"),
    }


def _searched(s: Source, flag: str) -> Values:
    tree = build_tree(s, flag)
    n, d = tree["X"].shape
    m = s.length(4)
    Q = s.points(m, d, flag)
    if flag == "duplicates":
        Q[0] = tree["X"][0]
    skip = s.array((m,), -1, n - 1) if n > 1 and s.integer(0, 1) else None
    return {**tree, "Q": Q, "skip": skip, "bound": s.pick("box", "ball")}


def _distances(arguments: Values) -> FloatArray:
    return squares(arguments["Q"], arguments["X"])


SEARCHED = "ties, plain, constant columns, negative zero, duplicates, far from the origin"


@kernel(
    "squares LM:4.1:4 digits; indices LM:4.1:4 optimum; computed LM:eq7 count",
    flags=SEARCHED,
    judge=nearest(_distances),
    needs=("build_tree",),
)
def tree_nearest(s: Source, flag: str) -> Values:
    arguments = _searched(s, flag)
    most = len(arguments["X"]) - (arguments["skip"] is not None)
    return {**arguments, "k": s.integer(1, max(1, most))}


def _within_limits(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge points within a limit: `strict` says what is right for points exactly at it."""
    D, limits = _distances(arguments), arguments["limits"]
    D[D == limits[:, np.newaxis]] = np.inf
    if np.shape(got["starts"]) != np.shape(want["starts"]):
        return Kind.WRONG
    answers = ((answer["starts"], answer["indices"]) for answer in (want, got))
    return at_limits(D, limits, *(listed(*answer, D.shape[1]) for answer in answers))


def _of_the_indices(arguments: Values, got: Values) -> Values:
    """Return the squared distances of the points that somebody returns."""
    D = _distances(arguments)
    return {"squares": D[listed(got["starts"], got["indices"], D.shape[1])]}


@kernel(
    "starts LM:4.2:2 optimum; indices LM:4.2:2 optimum; squares LM:4.2:2 digits; "
    "computed LM:eq7 count",
    flags=f"{SEARCHED}, at the limit",
    judge=_within_limits,
    needs=("build_tree",),
    dependent=("squares", "computed"),
    following=_of_the_indices,
)
def tree_within(s: Source, flag: str) -> Values:
    arguments = _searched(s, "ties" if flag == "at the limit" else flag)
    m, n = len(arguments["Q"]), len(arguments["X"])
    D = _distances(arguments)[np.arange(m), s.array((m,), 0, n - 1)]
    factors = np.array([1.0, 2.0, -1.0])[s.array((m,), 0, 2)]
    limits = D if flag == "at the limit" else D * factors
    return {**arguments, "limits": limits, "strict": bool(s.integer(0, 1))}


@kernel(
    "squares LM:4.1:4 digits; indices LM:4.1:4 optimum; terms LM:4.2:2 count",
    flags=SEARCHED,
    judge=nearest(_distances),
)
def scan_nearest(s: Source, flag: str) -> Values:
    arguments = tree_nearest(s, flag)
    return {name: arguments[name] for name in ("Q", "X", "k", "skip")}


# --------------------------------------------------------------------------------------- trainings


def _ranges(arguments: Values, answer: Values) -> FloatArray:
    """Return the distances of target neighbours."""
    X, y = arguments["X"], arguments["y"]
    targets = indices(answer["targets"], len(X))
    own = np.arange(len(X))[:, np.newaxis]
    if (targets == own).any() or (y[targets] != y[own]).any():
        raise ValueError("a target neighbour is another point of the class")
    query, places = listed(targets.shape[1] * np.arange(len(X) + 1), targets.ravel(), len(X))
    return np.asarray(squares(X, X)[query, places])


_same_targets = best(_ranges)


def _points(s: Source) -> Values:
    """Draw points of two classes."""
    n, d = s.integer(6, 8), s.integer(1, 2)
    X = s.points(n, d, s.pick("plain", "quarters"))
    return {"X": X, "y": np.arange(n) % 2, "k": s.integer(1, 2), "mu": s.pick(1.0, 0.5, 4.0)}


@training(
    "targets LM:2:1 optimum; t LM:3:2 bits; M LM:3:3 digits~1e-6; "
    "objective LM:eq3 digits~1e-6; active LM:3:4 bits; G LM:eq5 digits~1e-6",
    algorithm="LM:3",
    loop="LM:3:8",
    about="""§ 3 of Weinberger & Saul (2008): at each full check (after 0, 1, 3, 7, 15 and 31
    steps, then every 20) M, eq. 3 over all triples, how many are active, and G of eq. 5. M
    starts as the identity. The t-th step is 0.3 m / (g sqrt(t)) G with m, g the Frobenius norms
    of M and G; where G is 0, M stays. Between two checks only pairs (i, l) count that a check
    found""",
    draw=lambda s: {**_points(s), "checks": s.integer(1, 7)},
    judge=_same_targets,
    dependent=("M", "objective", "active", "G"),
)
def lmnn_steps(X: FloatArray, y: IntArray, k: int, mu: float, checks: int) -> States:
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


# ------------------------------------------------------------------------------------------ optimum


def _as_low(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge a metric by eq. 3: it may be a thousandth above the proven bound."""
    if (np.asarray(got["targets"]) != want["targets"]).any():
        return _same_targets(arguments, want, got)
    M = np.asarray(got["M"], dtype=np.float64)
    if M.shape != want["M"].shape:
        return Kind.WRONG
    Z = arguments["X"] @ factor(M).T
    reached = objective_of(Z, arguments["y"], want["targets"]).at(arguments["mu"])
    return Kind.AGREES if reached <= want["bound"] * (1 + 1e-3) + 1e-12 else Kind.WRONG


def factor(M: FloatArray) -> FloatArray:
    """Return L with M = L^T L; raise ValueError for a matrix that has none."""
    if not np.allclose(M, M.T, rtol=1e-6, atol=1e-9 * np.abs(M).max(initial=0.0)):
        raise ValueError("must be symmetric")
    values = np.linalg.eigvalsh(M)
    if values[0] < -1e-6 * max(abs(values[-1]), 1e-300):
        raise ValueError(f"must be positive semidefinite; its least eigenvalue is {values[0]:g}")
    return project(M)


@training(
    "targets LM:2:1 optimum; M LM:eq3 optimum~1e-3; objective LM:eq3 digits~1e-3",
    algorithm="LM:2",
    about="""the least value of eq. 3 of Weinberger & Saul (2008) over positive semidefinite M;
    no metric is below `bound`. M itself need not be unique""",
    draw=_points,
    judge=_as_low,
    dependent=("M", "objective"),
)
def lmnn(X: FloatArray, y: IntArray, k: int, mu: float) -> States:
    result = reference_lmnn(X, y, k, mu, options=LMNNOptions(tol=1e-6))
    parts = {"targets": result.targets, "M": result.M[0]}
    return [{**parts, "objective": result.objective, "bound": result.bound}]
