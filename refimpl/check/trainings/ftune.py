"""Trainings of FTUNE: Algorithm 1, DSELECT, and Algorithm 2, FTUNE.

They are run by :mod:`refimpl.ftune.algorithm`; what is drawn at random is given.
"""

import numpy as np

from refimpl.check.drawing import Lcg, floats
from refimpl.check.judging import by_worth, exact, tie_if, whole
from refimpl.check.kernel import EQUAL_WORTH, WRONG, Values, outputs_of
from refimpl.check.trainings.given import Picks, as_rng
from refimpl.check.trainings.table import Case, States, Training, enter
from refimpl.ftune import algorithm
from refimpl.ftune.linear_models import loss
from refimpl.ftune.similarities import Similarity
from refimpl.kernels import transferred_differences
from refimpl.typing import FloatArray

__all__ = ["dselect", "ftune"]


def _similarities(s: Lcg, flag: str, n: int) -> tuple[FloatArray, FloatArray]:
    X = s.points(n, 2, "ties" if flag == "ties" else "plain")
    l = floats(1 - 2 * (np.arange(n) % 2))
    X[:, 0] += l
    D = np.abs(X[:, np.newaxis] - X).sum(axis=2)
    K = 1 - 2 * D / D.max()
    if flag == "ties":
        K = 1 - np.minimum(D, 4.0) / 2  # their sums are exact
    if flag == "asymmetric":
        K = K * (1 - s.array((n, n), 0, 3) / 16)
    return K, l


def _select_cases() -> list[Case]:
    s = Lcg(60)
    listed = []
    for comment, flag, n, d in (
        ("similarities of 52 random bits", "plain", 9, 5),
        ("equal similarities", "ties", 8, 6),
        ("similarities that differ by direction", "asymmetric", 8, 5),
        ("every object is a landmark", "all", 6, 6),
    ):
        K, l = _similarities(s, flag, n)
        given = {"K": K, "l": l, "d": d, "first": s.integer(0, n - 1)}
        listed.append(Case(comment, (flag,), given | {"picks": s.array((d, 2), 0, 99)}))
    return listed


def _run_select(arguments: Values) -> States:
    K, l, d = (arguments[name] for name in ("K", "l", "d"))
    rng = as_rng(Picks(arguments["first"], arguments["picks"]))
    L, P = algorithm.dselect(Similarity(K), np.arange(len(K)), l, d, rng)
    listed: States = [{"z": z} for z in L.tolist()]
    return [*listed, {"P": P}]


def _least(arguments: Values, want: Values, got: Values) -> str:
    """Judge a landmark by the sum of its similarities to those before it."""
    expected = [state["z"] for state in _run_select(arguments) if "z" in state]
    before = expected[: expected.index(want["z"])]
    z = whole(got["z"])
    if not 0 <= z < len(arguments["K"]) or z in before or not before:
        return WRONG
    sums = np.zeros(len(arguments["K"]))
    for landmark in before:
        sums += arguments["K"][:, landmark]
    return tie_if(exact(arguments["K"]), by_worth(sums[want["z"]], sums[z], 1e-12))


dselect = enter(
    Training(
        name="dselect",
        loop="FT:1:2",
        algorithm="1",
        about="Algorithm 1 of Kar & Jain (2011): a landmark a round, the first one given, of equal "
        "sums the lowest; then the pairs. The i-th pair has number picks[i, 0] modulo their count "
        "of the landmarks labelled 1, in the order of their choice, and number picks[i, 1] of "
        "those labelled -1",
        outputs=outputs_of("z FT:1:3 optimum; P FT:1:8 bits"),
        cases=_select_cases,
        run=_run_select,
        judge=_least,
    )
)

# -------------------------------------------------------------------------------------------- FTUNE


def _tune_cases() -> list[Case]:
    s = Lcg(61)
    listed = []
    for comment, flag, name, n in (
        ("the squared hinge", "plain", "squared_hinge", 10),
        ("the logistic loss", "plain", "logistic", 10),
        ("equal similarities", "ties", "squared_hinge", 8),
        ("similarities that differ by direction", "asymmetric", "logistic", 9),
    ):
        K, l = _similarities(s, flag, n)
        ways = s.array((3, 2), 0, n // 2 - 1)
        P = np.column_stack([2 * ways[:, 0], 2 * ways[:, 1] + 1])
        given = {"F": np.array([0.5, 1.0, 5.0, np.inf]), "K": K, "L": name, "l": l, "P": P}
        listed.append(Case(comment, (flag,), given))
    return listed


def _run_tune(arguments: Values) -> States:
    F, K, L, l, P = (arguments[name] for name in ("F", "K", "L", "l", "P"))
    listed: States = []
    losses = []
    for f in F:
        slope = np.array([f])
        (Phi,) = transferred_differences(K, P[:, 0].copy(), P[:, 1].copy(), slope)
        model = algorithm.TRAIN(Phi, l, L)
        value = float(loss(L, l * (Phi @ model.w + model.b)).mean())
        losses.append(value)
        listed.append({"Phi": Phi, "w": model.w, "b": float(model.b), "loss": value})
    f_best = algorithm.ftune(
        F.tolist(), Similarity(K), L, l, len(P), as_rng(None), select=lambda K, l, d, rng: P
    )[0]
    return [*listed, {"losses": np.array(losses), "f": f_best}]


def _as_low(arguments: Values, want: Values, got: Values) -> str:
    """Judge f* by its loss."""
    places = np.flatnonzero(arguments["F"] == float(got["f"]))
    if not len(places):
        return WRONG
    least = float(want["losses"].min())
    value = float(want["losses"][places[0]])
    return EQUAL_WORTH if value <= least * (1 + 1e-5) + 1e-9 else WRONG


ftune = enter(
    Training(
        name="ftune",
        loop="FT:2:2",
        algorithm="2",
        about="Algorithm 2 of Kar & Jain (2011) with given pairs: for each slope f the landmarked "
        "space, w and b that minimise (|w|^2 + b^2) / 2 + sum L(l (w . Phi + b)), and the mean "
        "loss; then f*, the first of least loss",
        outputs=outputs_of(
            "Phi FT:phi digits; w FT:2:3 digits~1e-3; b FT:2:3 digits~1e-3; "
            "loss FT:2:3 digits~1e-4; losses FT:2:3 digits~1e-4; f FT:2:5 optimum"
        ),
        cases=_tune_cases,
        run=_run_tune,
        judge=_as_low,
    )
)
