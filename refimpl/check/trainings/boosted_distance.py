"""Trainings of Boosted Distance: Algorithms A.1, A.2 and A.3.

The rounds are run by :mod:`refimpl.boosted_distance.algorithm`.
"""

from collections.abc import Iterable
from itertools import islice

import numpy as np

import refimpl.kernels
from refimpl.boosted_distance.algorithm import (
    Round,
    adaboost_rounds,
    difference_vectors,
    error_beyond_rounding,
    similarity,
)
from refimpl.boosted_distance.model import StumpEnsemble
from refimpl.check.drawing import Lcg
from refimpl.check.judging import by_worth, exact, stump, tie_if, whole
from refimpl.check.kernel import WRONG, Values, outputs_of
from refimpl.check.trainings.table import Case, States, Training, enter
from refimpl.kernels.stumps import GRID, on_grid
from refimpl.typing import FloatArray

__all__ = [
    "ROUND",
    "adaboost",
    "boosted_distance",
    "follow",
    "nearest_neighbor",
    "same_stump",
    "states",
    "sums_of_weights",
]

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


def _run(arguments: Values) -> States:
    P, N, T = (arguments[name] for name in ("P", "N", "T"))
    return states(P, N, islice(adaboost_rounds(P, N), T))


def same_stump(arguments: Values, want: Values, got: Values) -> str:
    """Judge the stump of a round under the weights of this round."""
    X = np.concatenate([arguments["P"], arguments["N"]])
    l = np.arange(len(X)) < len(arguments["P"])
    given = {"A": X, "B": None, "w": want["w"], "l": l}
    taken = {name: got.get(name) for name in ("f", "p", "theta")}
    return tie_if(exact(want["w"]), stump(given, want, taken))


def follow(arguments: Values, rounds: States) -> States:
    """Return what each round must be after the choices that somebody's earlier rounds made.

    A choice is taken over if it is as good as the best; else the best stump is.
    """
    P, N = (np.ascontiguousarray(arguments[name], dtype=np.float64) for name in ("P", "N"))
    X = np.concatenate([P, N])
    l = np.arange(len(X)) < len(P)
    features = refimpl.kernels.presort(X)
    w = np.where(l, 1 / (2 * len(P)), 1 / (2 * len(N)))
    listed: States = []
    for t in range(arguments["T"]):
        w = w / w.sum()
        epsilon, *h = refimpl.kernels.best_stump(features, w, l)
        (want,) = states(
            P, N, [Round(t + 1, error_beyond_rounding(epsilon, len(w)), 0.0, tuple(h), w)]
        )
        want["alpha"] = float(np.log(1 / want["beta"]))
        listed.append(want)
        if t < len(rounds) and same_stump(arguments, want, rounds[t]) != WRONG:
            want.update(_of_choice(want, rounds[t], X, l))
        w = want["updated"]
    return listed


def _of_choice(want: Values, taken: Values, X: FloatArray, l: np.ndarray) -> Values:
    """Return epsilon, beta, alpha and the next weights of a stump that is as good as the best."""
    f, p, theta = whole(taken["f"]), whole(taken["p"]), float(taken["theta"])
    right = (p * X[:, f] < p * theta) == l
    epsilon = error_beyond_rounding(float(on_grid(want["w"])[~right].sum()), len(right))
    beta = epsilon / (1 - epsilon)
    updated = np.where(right, beta, 1.0) * want["w"]
    return {"epsilon": epsilon, "beta": beta, "updated": updated, "alpha": float(np.log(1 / beta))}


def sums_of_weights(arguments: Values, want: Values) -> Values:
    """Return what another sum of the weights changes: epsilon, and so beta and alpha.

    The reference adds multiples of 2**-52; a sum of n floats may be off by n 2**-53 as well. A
    stump without error has none to add: epsilon is 2**-52 in any order. The error of alpha is
    allowed up to 2**-20: for a small epsilon it has no useful bound.
    """
    epsilon = want["epsilon"]
    if epsilon == GRID:
        return {"epsilon": 0.0, "beta": 0.0, "updated": 0.0, "alpha": 0.0}
    off = 2 * len(want["w"]) * 2.0**-52
    beta = off / (1 - epsilon) ** 2
    alpha = min(off / (epsilon * (1 - epsilon)), 2.0**-20)
    return {"epsilon": off, "beta": beta, "updated": want["w"] * beta, "alpha": alpha}


def _cases() -> list[Case]:
    s = Lcg(20)
    listed = []
    for comment, flag, n_P, n_N, d, T in (
        ("numbers of 52 random bits", "plain", 9, 8, 3, 8),
        ("small integers: stumps of the same error in most rounds", "ties", 8, 6, 2, 6),
        ("constant columns beside others", "constant columns", 7, 5, 3, 5),
        ("few positives: the first weights differ", "unbalanced", 2, 11, 2, 6),
        ("a stump without error: beta is 2**-52 / (1 - 2**-52)", "separable", 4, 4, 1, 3),
        ("in round 2 a constant stump is best, theta = -inf", "constant stump", 3, 6, 1, 5),
    ):
        if flag == "constant stump":
            s = Lcg(1)
            X = s.points(n_P + n_N, d, "ties")
            listed.append(Case(comment, (flag,), {"P": X[:n_P], "N": X[n_P:], "T": T}))
            continue
        X = s.points(n_P + n_N, d, "quarters" if flag == "unbalanced" else flag)
        X[:n_P, 0] -= {"separable": 9.0, "constant columns": 0.0}.get(flag, 0.25)
        listed.append(Case(comment, (flag,), {"P": X[:n_P], "N": X[n_P:], "T": T}))
    return listed


adaboost = enter(
    Training(
        name="adaboost",
        loop="BD:A.2:5",
        algorithm="A.2",
        about="Algorithm A.2 of Amores, Sebe & Radeva (2006): AdaBoost with stumps on P and N",
        outputs=outputs_of(ROUND),
        cases=_cases,
        run=_run,
        judge=same_stump,
        follow=follow,
        rounding=sums_of_weights,
    )
)

# -------------------------------------------------------------------------------------- A.1 and A.3


def _classes() -> list[Case]:
    s = Lcg(21)
    listed = []
    for comment, flag, n, d, T in (
        ("three classes, numbers of 52 random bits", "plain", 9, 2, 3),
        ("two classes, a point that stands there twice", "duplicates", 8, 2, 4),
    ):
        X = s.points(n, d, flag)
        l = np.arange(n) % (3 if flag == "plain" else 2)
        X[:, 0] += l
        listed.append(Case(comment, (flag,), {"Omega": X, "l": l, "T": T}))
    return listed


def _run_classes(arguments: Values) -> States:
    listed: States = []
    for C in np.unique(arguments["l"]).tolist():
        P, N = (np.asarray(_rows(part)) for part in _sets(arguments, C))
        rounds = states(P, N, islice(adaboost_rounds(P, N), arguments["T"]))
        sizes = {"C": C, "P": P, "N": N}
        listed += [sizes | state if t == 0 else {"C": C} | state for t, state in enumerate(rounds)]
    return listed


def _sets(arguments: Values, C: int) -> tuple[object, object]:
    return difference_vectors(arguments["Omega"], arguments["l"], C)


def _rows(part: object) -> FloatArray:
    """Return all vectors of a set of differences."""
    A, B = part.A, part.B  # type: ignore[attr-defined]
    return np.asarray((A[:, np.newaxis] - B).reshape(-1, A.shape[1]))


def _same_of_class(arguments: Values, want: Values, got: Values) -> str:
    P, N = (_rows(part) for part in _sets(arguments, want["C"]))
    return same_stump({"P": P, "N": N}, want, got)


boosted_distance = enter(
    Training(
        name="boosted_distance",
        loop="BD:A.1:1",
        algorithm="A.1",
        about="Algorithm A.1 of Amores, Sebe & Radeva (2006): the rounds of one class after the "
        "other",
        outputs=outputs_of(f"C BD:A.1:1 bits; P BD:A.1:2 bits; N BD:A.1:3 bits; {ROUND}"),
        cases=_classes,
        run=_run_classes,
        judge=_same_of_class,
        dependent=("updated",),
        rounding=sums_of_weights,
    )
)


def _queries() -> list[Case]:
    s = Lcg(22)
    listed = []
    for comment, flag in (
        ("numbers of 52 random bits", "plain"),
        ("small integers: points that are equally similar", "ties"),
    ):
        X = s.points(8, 2, flag)
        l = np.arange(8) % 2
        X[:, 0] += l
        models = {}
        for C in (0, 1):
            for name, values in (
                ("alpha", s.array((4,), 1, 8) / 4),
                ("feature", s.array((4,), 0, 1)),
                ("polarity", 1 - 2 * s.array((4,), 0, 1)),
                ("threshold", s.array((4,), -4, 4) / 2),
            ):
                models[f"{name}_{C}"] = values
        y = s.points(4, 2, flag)
        listed.append(Case(comment, (flag,), {"y": y, "Omega": X, "l": l, **models}))
    return listed


FIELDS = ("alpha", "feature", "polarity", "threshold")


def _run_queries(arguments: Values) -> States:
    y, X, l = (arguments[name] for name in ("y", "Omega", "l"))
    s = np.empty((len(y), len(X)))
    for C in np.unique(l).tolist():
        Phi = StumpEnsemble(*(arguments[f"{name}_{C}"] for name in FIELDS))
        s[:, l == C] = similarity(y, np.ascontiguousarray(X[l == C]), Phi)
    return [{"s": s, "l_y": l[s.argmax(axis=1)]}]


def _same_label(arguments: Values, want: Values, got: Values) -> str:
    """Judge labels by the largest similarity of a point of each label."""
    labels = np.asarray(got["l_y"])
    if labels.shape != want["l_y"].shape or not np.isin(labels, arguments["l"]).all():
        return WRONG
    same = labels[:, np.newaxis] == arguments["l"]
    worth = np.where(same, want["s"], -np.inf).max(axis=1)
    verdict = by_worth(want["s"].max(axis=1), worth, 2.0**-40)
    return tie_if(exact(want["s"]), verdict)


nearest_neighbor = enter(
    Training(
        name="nearest_neighbor_boosted_distance",
        algorithm="A.3",
        about="Algorithm A.3 of Amores, Sebe & Radeva (2006): s divided by the sum of the class's "
        "weights (ERRATUM BD-2), and the label of the most similar point, the first of several",
        outputs=outputs_of("s BD:A.3:4 digits; l_y BD:A.3:7 optimum"),
        cases=_queries,
        run=_run_queries,
        judge=_same_label,
    )
)
