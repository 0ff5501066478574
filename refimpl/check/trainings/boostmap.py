"""Trainings of BoostMap: § 7.3, and the ranks of retrieval, § 11.1.

The rounds are run by :mod:`refimpl.boostmap.algorithm`; the objects that steps 5 and 6 draw are
given.
"""

from types import SimpleNamespace

import numpy as np

import refimpl.kernels
from refimpl.boostmap.algorithm import Problem, embeddings, training_rounds
from refimpl.check.drawing import Lcg
from refimpl.check.judging import by_worth
from refimpl.check.kernel import AGREES, WRONG, Values, outputs_of
from refimpl.check.trainings.given import Candidates, as_rng
from refimpl.check.trainings.table import Case, States, Training, enter
from refimpl.kernels.stumps import on_grid
from refimpl.spaces import enn_ranks

__all__ = ["boostmap", "ranks"]

DRAWS = 8


def _problem(arguments: Values) -> Problem:
    return Problem(*(arguments[name] for name in ("D", "between", "triples", "y")))


def _run(arguments: Values) -> States:
    rounds = training_rounds(
        _problem(arguments),
        arguments["d"],
        arguments["references"].shape[1],
        arguments["pivots"].shape[1],
        arguments["M_2"],
        rng=as_rng(Candidates(arguments["references"], arguments["pivots"])),
    )
    w = on_grid(np.full(len(arguments["y"]), 1 / len(arguments["y"])))
    listed: States = []
    for round in rounds:
        state = {
            "w": w,
            "step": round.step,
            "classifier": np.array(round.classifier, dtype=np.int64),
            "alpha": round.alpha,
            "z": round.z,
            "updated": round.w,
        }
        listed.append(state)
        w = round.w
        if len(listed) == arguments["rounds"]:
            break
    return listed


def _same_z(arguments: Values, want: Values, got: Values) -> str:
    """Judge another classifier, or another alpha, by the Z that it gives."""
    problem = _problem(arguments)
    names = [tuple(int(part) for part in got["classifier"])]
    n = len(problem.D)
    if len(names[0]) != 2 or not 0 <= names[0][0] < n or not -1 <= names[0][1] < n:
        return WRONG
    if str(got["step"]) != want["step"]:
        return WRONG
    F = embeddings(problem, [(names[0][0], names[0][1])])
    alpha = np.array([float(got["alpha"])])
    Z = refimpl.kernels.z_values(F, problem.triples, problem.y, want["w"], alpha)
    verdict = by_worth(want["z"], Z[0], 1e-9 * want["z"])
    same = list(names[0]) == want["classifier"].tolist()
    near = same and abs(alpha[0] - want["alpha"]) <= 1e-5 * abs(want["alpha"])
    return AGREES if near and verdict != WRONG else verdict


def _cases() -> list[Case]:
    s = Lcg(30)
    listed = []
    for comment, flag, n, t, d, rounds in (
        ("points on a plane, distances of 52 random bits", "plain", 8, 24, 4, 6),
        ("integer distances: many ties", "ties", 7, 20, 3, 5),
        ("distances that differ by direction", "asymmetric", 7, 20, 4, 6),
        ("all three steps: add, modify, remove", "modify", 6, 16, 3, 8),
    ):
        if flag == "modify":
            s = Lcg(1)
        X = s.points(n, 2, "ties" if flag == "ties" else "plain")
        D = np.abs(X[:, np.newaxis] - X).sum(axis=2)
        if flag == "asymmetric":
            D = D * (1 + s.array((n, n), 0, 8) / 16)
        triples = _triples(s, D, t)
        given = {
            "D": D,
            "between": D.copy(),
            "triples": triples,
            "y": np.where(s.array((t,), 0, 5) == 0, -1.0, 1.0),
            "d": d,
            "M_2": 5,
            "rounds": rounds,
            "references": np.array([_permutation(s, n) for _ in range(DRAWS)]),
            "pivots": np.array([_pairs(s, n, 4) for _ in range(DRAWS)]),
        }
        listed.append(Case(comment, (flag,), given))
    return listed


def _permutation(s: Lcg, n: int) -> np.ndarray:
    return np.argsort(s.array((n,), 0, 2**30), kind="stable")


def _pairs(s: Lcg, n: int, m: int) -> np.ndarray:
    first = s.array((m,), 0, n - 1)
    return np.column_stack([first, (first + s.array((m,), 1, n - 1)) % n])


def _triples(s: Lcg, D: np.ndarray, t: int) -> np.ndarray:
    """Draw triples of three objects, a nearer to q than b unless they are equally far."""
    rows = np.array([_permutation(s, len(D))[:3] for _ in range(t)])
    q, a, b = rows.T
    swapped = D[a, q] > D[b, q]
    rows[swapped] = rows[swapped][:, [0, 2, 1]]
    return rows.astype(np.int32)


boostmap = enter(
    Training(
        name="boostmap",
        algorithm="7.3",
        about="§ 7.3 of Athitsos et al. (2005): the steps add, modify and remove. A classifier is "
        "(r, -1) for a reference object, (x_1, x_2) for pivots; the k-th time that steps 5 and 6 "
        "are taken they draw references[k] and pivots[k]",
        outputs=outputs_of(
            "w BM:7.3:12 digits~1e-6; step BM:7.3:4 optimum; classifier BM:7.3:9 optimum; "
            "alpha BM:7.3:10 optimum; z BM:7.3:11 digits~1e-9; updated BM:7.3:12 digits~1e-6"
        ),
        cases=_cases,
        run=_run,
        judge=_same_z,
    )
)

# -------------------------------------------------------------------------------------------- ranks


def _run_ranks(arguments: Values) -> States:
    embedding = SimpleNamespace(weights=lambda Q: arguments["A"])
    Q, X, neighbors = (arguments[name] for name in ("Q", "X", "neighbors"))
    return [{"ranks": enn_ranks(embedding, Q, X, neighbors, arguments["k_values"].tolist())}]


def _rank_cases() -> list[Case]:
    s = Lcg(31)
    listed = []
    for comment, flag in (("numbers of 52 random bits", "plain"), ("equal distances", "ties")):
        m, n, d = 4, 9, 2
        given = {
            "Q": s.points(m, d, flag),
            "X": s.points(n, d, flag),
            "A": np.abs(s.reals((m, d), "quarters")),
            "neighbors": np.array([_permutation(s, n)[:4] for _ in range(m)]),
            "k_values": np.array([1, 2, 4]),
        }
        listed.append(Case(comment, (flag,), given))
    return listed


ranks = enter(
    Training(
        name="enn_ranks",
        algorithm="11.1",
        about="§ 11.1 of Athitsos et al. (2005): how many objects the filter must take, by "
        "weighted L1 distances, to find the k nearest neighbours; one plus those strictly closer",
        outputs=outputs_of("ranks Athitsos et al. (2005), § 11.1 bits"),
        cases=_rank_cases,
        run=_run_ranks,
    )
)
