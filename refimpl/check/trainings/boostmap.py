"""Trainings of BoostMap: §§ 7.3 and 8.1, and the ranks of retrieval, § 11.1.

The rounds are run by :mod:`refimpl.boostmap.algorithm`; the objects that steps 5 and 6 draw are
given.
"""

from itertools import islice
from types import SimpleNamespace

import numpy as np

import refimpl.kernels
from refimpl.boostmap.algorithm import (
    Choices,
    Problem,
    accepts,
    embeddings,
    query_sensitive_rounds,
    training_rounds,
)
from refimpl.check.drawing import Lcg
from refimpl.check.judging import by_worth, tie_if, whole
from refimpl.check.kernel import AGREES, WRONG, Values, outputs_of
from refimpl.check.trainings.given import Candidates, as_rng
from refimpl.check.trainings.table import Case, States, Training, enter
from refimpl.kernels.triples import margins
from refimpl.spaces import enn_ranks
from refimpl.typing import FloatArray, IntArray

__all__ = ["boostmap", "margins_of", "query_sensitive", "ranks"]

DRAWS = 8


def margins_of(w: FloatArray) -> FloatArray:
    """Return margins that make these weights; a weight of 0 counts as e**-700."""
    return -np.log(np.maximum(w, np.exp(-700.0)))


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
    w = np.full(len(arguments["y"]), 1 / len(arguments["y"]))
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
    names = [tuple(whole(part) for part in got["classifier"])]
    n = len(problem.D)
    if len(names[0]) != 2 or not 0 <= names[0][0] < n or not -1 <= names[0][1] < n:
        return WRONG
    if str(got["step"]) != want["step"]:
        return WRONG
    F = embeddings(problem, [(names[0][0], names[0][1]), tuple(want["classifier"].tolist())])
    alpha = np.array([float(got["alpha"])])
    Z = refimpl.kernels.z_values(F[:1], problem.triples, problem.y, margins_of(want["w"]), alpha)
    u, other = (margins(values, problem.triples) for values in F)
    verdict = tie_if((u == other).all(), by_worth(want["z"], Z[0], 1e-9 * want["z"]))
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
        "(r, -1) for a reference object, (x_1, x_2) for pivots. Where no weighted triple is wrong, "
        "Z has no least value; alpha is 52 ln 2 / sum w |margin| above the least allowed. The k-th "
        "time that steps 5 and 6 are taken they draw references[k] and pivots[k]",
        outputs=outputs_of(
            "w BM:7.3:12 digits~1e-6; step BM:7.3:4 optimum; classifier BM:7.3:9 optimum; "
            "alpha BM:7.3:10 optimum; z BM:7.3:11 digits~1e-9; updated BM:7.3:12 digits~1e-6"
        ),
        cases=_cases,
        run=_run,
        judge=_same_z,
        dependent=("updated",),
    )
)

# --------------------------------------------------------------------------------- query-sensitive


class _Ways:
    """Splitters and thresholds that a vector gives: § 8.1 steps 1 and 2."""

    def __init__(self, arguments: Values) -> None:
        self.gamma = iter(arguments["gamma"])
        self.picks = iter(arguments["picks"])

    def splitters(self, d: int, rng: object) -> tuple[IntArray, IntArray]:
        """Return c = 0, ..., d - 1 and the splitting coordinates of the round."""
        return np.arange(d), next(self.gamma)

    def choice(self, q: IntArray, size: int) -> IntArray:
        """Return the queries of the triples at the next places."""
        return np.asarray(q[next(self.picks)])


def _run_sensitive(arguments: Values) -> States:
    F, triples, y = (arguments[name] for name in ("F", "triples", "y"))
    w = np.full(len(y), 1 / len(y))
    ways = _Ways(arguments)
    choices = Choices(arguments["picks"].shape[1], ways.splitters)
    listed: States = []
    rounds = query_sensitive_rounds(F, triples, y, np.zeros(len(y)), choices, rng=as_rng(ways))
    for round in islice(rounds, len(arguments["gamma"])):
        state = {"w": w, "c": round.c, "g": round.g, "low": round.low, "high": round.high}
        state |= {"inside": round.inside, "alpha": round.alpha, "z": round.z, "updated": round.w}
        listed.append(state)
        w = round.w
    return listed


def _same_range(arguments: Values, want: Values, got: Values) -> str:
    """Judge another classifier, splitter or range by the Z that it gives."""
    F, triples, y = (arguments[name] for name in ("F", "triples", "y"))
    c, g = whole(got["c"]), whole(got["g"])
    if not 0 <= c < len(F) or not 0 <= g < len(F) or whole(got["inside"]) not in (0, 1):
        return WRONG
    S = accepts(F[g], float(got["low"]), float(got["high"]), whole(got["inside"]))
    alpha = np.array([float(got["alpha"])])
    Z = refimpl.kernels.z_values(F[[c]], triples, y, margins_of(want["w"]), alpha, S[np.newaxis])
    expected = accepts(F[want["g"]], want["low"], want["high"], want["inside"])
    q = triples[:, 0]
    same = c == want["c"] and (S == expected)[q].all()
    near = same and abs(alpha[0] - want["alpha"]) <= 1e-5 * abs(want["alpha"])
    alike = S[q] * margins(F[c], triples) == expected[q] * margins(F[want["c"]], triples)
    verdict = tie_if(alike.all(), by_worth(want["z"], Z[0], 1e-9 * want["z"]))
    ends = (float(got["low"]), float(got["high"])) == (want["low"], want["high"])
    return AGREES if near and ends and verdict != WRONG else verdict


def _sensitive_cases() -> list[Case]:
    s = Lcg(32)
    listed = []
    for comment, flag, n, t, d in (
        ("numbers of 52 random bits", "plain", 6, 40, 3),
        ("integers: equal values of queries", "ties", 6, 40, 2),
    ):
        X = s.points(n, d, flag)
        D = np.abs(X[:, np.newaxis] - X).sum(axis=2)
        rounds, k = 4, 2
        given = {
            "F": np.ascontiguousarray(X.T),
            "triples": _triples(s, D, t),
            "y": np.where(s.array((t,), 0, 2) == 0, -1.0, 1.0),
            "gamma": s.array((rounds, d), 0, d - 1),
            "picks": s.array((rounds * d, k), 0, t - 1),
        }
        listed.append(Case(comment, (flag,), given))
    return listed


query_sensitive = enter(
    Training(
        name="query_sensitive",
        loop="BM:8.1:7",
        algorithm="8.1",
        about="§ 8.1 of Athitsos et al. (2005) from equal weights: in round j classifier c is "
        "split by coordinate gamma[j, c]; its thresholds are drawn from the queries of the triples "
        "picks[j d + c], each moved half way to the next greater value. The range of least Z wins, "
        "low <= F_g(q) < high if inside, else the rest",
        outputs=outputs_of(
            "w BM:8.1:8 digits~1e-6; c BM:8.1:4 optimum; g BM:8.1:1 optimum; low BM:8.1:3 optimum; "
            "high BM:8.1:3 optimum; inside BM:8.1:3 optimum; alpha BM:8.1:6 optimum; "
            "z BM:8.1:7 digits~1e-9; updated BM:8.1:8 digits~1e-6"
        ),
        cases=_sensitive_cases,
        run=_run_sensitive,
        judge=_same_range,
        dependent=("updated",),
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
