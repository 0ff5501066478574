"""Boosted Distance: the kernels of stumps and of sums of them; Algorithms A.1, A.2 and A.3.

The rounds are run by :mod:`refimpl.boosted_distance.algorithm`.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from refimpl.boosted_distance.algorithm import (
    Round,
    adaboost_rounds,
    difference_vectors,
    similarity,
)
from refimpl.boosted_distance.model import StumpEnsemble
from refimpl.boosted_distance.weak_learners import Stumps
from refimpl.check.drawing import KINDS, Source
from refimpl.check.judging import by_worth, differences, exact, stump, tie_if, whole
from refimpl.check.subject import Kind, States, Values, kernel, rounding, training
from refimpl.kernels.stumps import GRID, on_grid
from refimpl.typing import BoolArray, FloatArray, IntArray


@kernel(
    "rows BD:A.2:2 bits; row_ptr BD:A.2:2 bits; starts BD:A.2:2 bits; bin_ptr BD:A.2:2 bits; "
    "common BD:A.2:2 bits; common_row BD:A.2:2 bits",
    flags="ties, plain, constant columns, negative zero, denormals, duplicates, scales",
    record=True,
)
def presort(s: Source, flag: str) -> Values:
    d = s.length(4)
    A = s.points(s.length(9), d, flag)
    return {"A": A, "B": s.points(s.length(4), d, flag) if s.integer(0, 1) else None}


SMALL = ("tie between features", "tie between polarities", "one label", "extreme weights")


@kernel(
    "epsilon BD:A.2:7 bits; f BD:A.2:8 optimum; p BD:A.2:8 optimum; theta BD:A.2:8 optimum",
    flags="ties, plain, constant columns, negative zero, denormals, duplicates, extreme weights, "
    "tie between features, tie between polarities, one label, quarters",
    judge=stump,
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
    return {"A": A, "B": B, "w": s.weights(rows, flag), "l": l}


def _similarity_rounding(arguments: Values, expected: Values) -> Values:
    total = np.abs(arguments["S"]) + np.abs(arguments["alpha"]).sum()
    return {"S": rounding(total, len(arguments["alpha"]))}


@kernel(
    "S BD:A.3:4 digits",
    flags="ties, plain, negative zero, empty, threshold -inf",
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


# --------------------------------------------------------------------------------------- trainings

ROUND = (
    "w BD:A.2:6 digits; epsilon BD:A.2:7 digits; f BD:A.2:8 optimum; p BD:A.2:8 optimum; "
    "theta BD:A.2:8 optimum; beta BD:A.2:9 digits; updated BD:A.2:11 digits; "
    "alpha BD:A.2:12 digits"
)


def states(P: FloatArray, N: FloatArray, rounds: Iterable[Round]) -> States:
    """Return the state of each round."""
    X = np.concatenate([P, N])
    l = np.arange(len(X)) < len(P)
    listed = []
    for round in rounds:
        f, p, theta = round.h
        beta = round.epsilon / (1 - round.epsilon)
        right = (p * X[:, f] < p * theta) == l
        listed.append(
            {
                "w": round.w,
                "epsilon": float(round.epsilon),
                "f": f,
                "p": p,
                "theta": float(theta),
                "beta": float(beta),
                "updated": round.w * np.where(right, beta, 1.0),
                "alpha": float(round.alpha),
            }
        )
    return listed


def same_stump(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge the stump of a round under the weights of this round."""
    X = np.concatenate([arguments["P"], arguments["N"]])
    l = np.arange(len(X)) < len(arguments["P"])
    given = {"A": X, "B": None, "w": want["w"], "l": l}
    taken = {name: got.get(name) for name in ("f", "p", "theta")}
    return tie_if(exact(want["w"]), stump(given, want, taken))


class Followed(Stumps):
    """Takes over the stump of somebody's round where it is as good as the best one."""

    def __init__(self, arguments: Values, rounds: States) -> None:
        self.arguments, self.rounds = arguments, iter(rounds)
        self.best: list[Values] = []  # the best stump of each round

    def select(self, data: Any, w: FloatArray, l: BoolArray, **how: Any) -> tuple[float, Any]:
        """Return a stump and its error."""
        epsilon, best = super().select(data, w, l, **how)
        self.best.append(dict(zip(("f", "p", "theta"), best, strict=True)))
        got = next(self.rounds, {})
        if same_stump(self.arguments, {**self.best[-1], "w": w}, got) == Kind.WRONG:
            return epsilon, best
        h = whole(got["f"]), got["p"], got["theta"]
        return float(on_grid(w)[self.classify(data, h) != l].sum()), h


def follow(arguments: Values, rounds: States) -> States:
    """Return what each round must be after the choices that somebody's earlier rounds made."""
    P, N, T = (arguments[name] for name in ("P", "N", "T"))
    learner = Followed(arguments, rounds)
    trained = states(P, N, islice(adaboost_rounds(P, N, weak_learner=learner), T))
    return [state | best for state, best in zip(trained, learner.best, strict=True)]


def sums_of_weights(arguments: Values, want: Values) -> Values:
    """Return what another sum of the weights changes: epsilon, and so beta and alpha."""
    # The reference adds multiples of 2**-52; a sum of n floats may be off by n 2**-53 as well. A
    # stump without error has none to add: epsilon is 2**-52 in any order. The error of alpha is
    # allowed up to 2**-20: for a small epsilon it has no useful bound.
    epsilon = want["epsilon"]
    if epsilon == GRID:
        return {"epsilon": 0.0, "beta": 0.0, "updated": 0.0, "alpha": 0.0}
    off = 2 * len(want["w"]) * 2.0**-52
    beta = off / (1 - epsilon) ** 2
    alpha = min(off / (epsilon * (1 - epsilon)), 2.0**-20)
    return {"epsilon": off, "beta": beta, "updated": want["w"] * beta, "alpha": alpha}


def _two_classes(s: Source) -> Values:
    """Draw points of two classes."""
    n_P, n_N, d = s.integer(1, 5), s.integer(1, 5), s.integer(1, 2)
    X = s.points(n_P + n_N, d, s.pick(*KINDS))
    return {"P": X[:n_P], "N": X[n_P:], "T": s.integer(1, 4)}


@training(
    ROUND,
    algorithm="BD:A.2",
    loop="BD:A.2:5",
    about="Algorithm A.2 of Amores, Sebe & Radeva (2006): AdaBoost with stumps on P and N",
    draw=_two_classes,
    judge=same_stump,
    follow=follow,
    rounding=sums_of_weights,
)
def adaboost(P: FloatArray, N: FloatArray, T: int) -> States:
    return states(P, N, islice(adaboost_rounds(P, N), T))


# -------------------------------------------------------------------------------------- A.1 and A.3


def _sets(Omega: FloatArray, l: IntArray, C: int) -> list[FloatArray]:
    """Return P and N of a class."""
    return [differences(part.A, part.B) for part in difference_vectors(Omega, l, C)]


def _same_of_class(arguments: Values, want: Values, got: Values) -> Kind:
    P, N = _sets(arguments["Omega"], arguments["l"], want["C"])
    return same_stump({"P": P, "N": N}, want, got)


def _several_classes(s: Source) -> Values:
    """Draw points of two classes or three."""
    n, d = s.integer(4, 7), s.integer(1, 2)
    X = s.points(n, d, s.pick(*KINDS))
    return {"Omega": X, "l": np.arange(n) % s.integer(2, 3), "T": s.integer(1, 3)}


@training(
    f"C BD:A.1:1 bits; P BD:A.1:2 bits; N BD:A.1:3 bits; {ROUND}",
    algorithm="BD:A.1",
    loop="BD:A.1:1",
    about="""Algorithm A.1 of Amores, Sebe & Radeva (2006): the rounds of one class after the
    other""",
    draw=_several_classes,
    judge=_same_of_class,
    rounding=sums_of_weights,
    dependent=("updated",),
)
def boosted_distance(Omega: FloatArray, l: IntArray, T: int) -> States:
    listed: States = []
    for C in np.unique(l).tolist():
        P, N = _sets(Omega, l, C)
        rounds = states(P, N, islice(adaboost_rounds(P, N), T))
        sizes = {"C": C, "P": P, "N": N}
        listed += [sizes | state if t == 0 else {"C": C} | state for t, state in enumerate(rounds)]
    return listed


STUMPS = ("alpha", "feature", "polarity", "threshold")


def _same_label(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge labels by the largest similarity of a point of each label."""
    labels = np.asarray(got["l_y"])
    if labels.shape != want["l_y"].shape or not np.isin(labels, arguments["l"]).all():
        return Kind.WRONG
    same = labels[:, np.newaxis] == arguments["l"]
    worth = np.where(same, want["s"], -np.inf).max(axis=1)
    verdict = by_worth(want["s"].max(axis=1), worth, 2.0**-40)
    return tie_if(exact(want["s"]), verdict)


def _ensembles(s: Source) -> Values:
    """Draw queries, points and two ensembles."""
    d, kind = s.integer(1, 2), s.pick(*KINDS)
    n = s.integer(2, 5)
    given: Values = {"y": s.points(s.integer(1, 3), d, kind), "Omega": s.points(n, d, kind)}
    given["l"] = np.arange(n) % 2
    for C in (0, 1):
        T = s.integer(1, 3)
        given[f"alpha_{C}"] = s.array((T,), 0, 8) / 4
        given[f"feature_{C}"] = s.array((T,), 0, d - 1)
        given[f"polarity_{C}"] = 1 - 2 * s.array((T,), 0, 1)
        given[f"threshold_{C}"] = s.array((T,), -4, 4) / 2
    return given


@training(
    "s BD:A.3:4 digits; l_y BD:A.3:7 optimum",
    takes=("y", "Omega", "l", *(f"{name}_{C}" for C in (0, 1) for name in STUMPS)),
    algorithm="BD:A.3",
    about="""Algorithm A.3 of Amores, Sebe & Radeva (2006): s divided by the sum of the class's
    weights (ERRATUM BD-2), and the label of the most similar point, the first of several""",
    draw=_ensembles,
    judge=_same_label,
)
def nearest_neighbor_boosted_distance(
    y: FloatArray, Omega: FloatArray, l: IntArray, **ensembles: Any
) -> States:
    s = np.empty((len(y), len(Omega)))
    for C in np.unique(l).tolist():
        Phi = StumpEnsemble(*(ensembles[f"{name}_{C}"] for name in STUMPS))
        s[:, l == C] = similarity(y, np.ascontiguousarray(Omega[l == C]), Phi)
    return [{"s": s, "l_y": l[s.argmax(axis=1)]}]
