"""FTUNE: the kernels of landmarks and of products of matrices; Algorithm 1, DSELECT, and
Algorithm 2, FTUNE.

The trainings are run by :mod:`refimpl.ftune.algorithm`; what is drawn at random is given.
"""

import numpy as np

from refimpl.check.drawing import Given, NoProblemError, Source, city_block
from refimpl.check.judging import best, by_worth, exact, tie_if, whole
from refimpl.check.subject import Kind, States, Values, kernel, training
from refimpl.ftune import algorithm
from refimpl.ftune.linear_models import LossName, loss
from refimpl.ftune.similarities import Similarity
from refimpl.kernels import transferred_differences as reference_differences
from refimpl.typing import FloatArray, IntArray


def _sum_of(arguments: Values, answer: Values) -> float:
    index = whole(answer["index"])
    left = np.flatnonzero(~arguments["taken"])
    return float((arguments["sums"] + arguments["column"])[left[left == index][0]])


@kernel(
    "index FT:1:3 optimum; sums FT:1:3 bits",
    flags="ties, plain, negative zero, denormals, scales",
    judge=best(_sum_of),
)
def least_similar(s: Source, flag: str) -> Values:
    n = s.length(9)
    taken = s.booleans((n,))
    taken[s.integer(0, n - 1)] = False
    return {"sums": s.reals((n,), flag), "column": s.reals((n,), flag), "taken": taken}


@kernel("Phi FT:phi bits", flags="ties, plain, negative zero, denormals, scales, infinite slope")
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


@kernel("Av refimpl.kernels.products digits", flags=PRODUCTS, over="v")
def matrix_vector(s: Source, flag: str) -> Values:
    n, d = _shape(s, flag)
    return {"A": s.reals((n, d), flag), "v": s.reals((d,), flag)}


@kernel("uA refimpl.kernels.products digits", flags=PRODUCTS, over="u")
def vector_matrix(s: Source, flag: str) -> Values:
    n, d = _shape(s, flag)
    return {"u": s.reals((n,), flag), "A": s.reals((n, d), flag)}


# --------------------------------------------------------------------------------------- trainings


def as_similar(K: FloatArray, before: list[int], best: int, z: int) -> Kind:
    """Judge landmark z beside the best by the sums of their similarities to those before."""
    parts = K[np.ix_([best, z], before)]
    rounding = 2.0**-52 * (len(before) + 1) * float(np.abs(parts).sum())
    want, got = parts.cumsum(axis=1)[:, -1]
    return by_worth(want, got, rounding)


def _least(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge a landmark after the expected ones."""
    K = arguments["K"]
    expected = [state["z"] for state in dselect(**arguments) if "z" in state]
    before = expected[: expected.index(want["z"])]
    z = whole(got["z"])
    if not 0 <= z < len(K) or z in before or not before:
        return Kind.WRONG
    return tie_if(exact(K), as_similar(K, before, want["z"], z))


def _similarities(s: Source) -> Values:
    """Draw similarities of points of two classes."""
    n = s.integer(3, 7)
    D = city_block(s.points(n, 1, s.pick("ties", "plain")))
    d = s.integer(2, n)
    K = 1 - D / 8
    if s.integer(0, 2) == 2:
        K = K * (1 - s.array((n, n), 0, 3) / 16)  # it differs by direction
    l = 1.0 - 2.0 * (np.arange(n) % 2)
    first, picks = s.integer(0, n - 1), s.array((d, 2), 0, 9)
    L = algorithm.diverse(Similarity(K), np.arange(n), d, Given(integers=[first]))
    if abs(l[L].sum()) == d:
        raise NoProblemError("the landmarks are of one class")
    return {"K": K, "l": l, "d": d, "first": first, "picks": picks}


@training(
    "z FT:1:3 optimum; P FT:1:8 bits",
    algorithm="FT:1",
    loop="FT:1:2",
    about="""Algorithm 1 of Kar & Jain (2011): a landmark a round, the first one given, of equal
    sums the lowest; then the pairs. The i-th pair has number picks[i, 0] modulo their count of
    the landmarks labelled 1, in the order of their choice, and number picks[i, 1] of those
    labelled -1""",
    draw=_similarities,
    judge=_least,
)
def dselect(K: FloatArray, l: FloatArray, d: int, first: int, picks: IntArray) -> States:
    rng = Given(integers=[first, *picks.T])
    L, P = algorithm.dselect(Similarity(K), np.arange(len(K)), l, d, rng)
    return [*({"z": z} for z in L.tolist()), {"P": P}]


# -------------------------------------------------------------------------------------------- FTUNE


def _as_low(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge f* by its loss."""
    places = np.flatnonzero(arguments["F"] == float(got["f"]))
    if not len(places):
        return Kind.WRONG
    least = float(want["losses"].min())
    value = float(want["losses"][places[0]])
    return Kind.EQUAL_WORTH if value <= least * (1 + 1e-5) + 1e-9 else Kind.WRONG


def _from_the_optimum(arguments: Values, want: Values) -> Values:
    """Return how far the expected w and b may be from the optimum, where TRAIN ended."""
    if "w" not in want or arguments["L"] == "hinge":
        return {}
    l = arguments["l"]
    m = l * (want["Phi"] @ want["w"] + want["b"])
    slope = -2 * np.maximum(0.0, 1 - m)
    if arguments["L"] == "logistic":
        slope = -np.exp(-np.logaddexp(0.0, m))
    # the objective is 1-strongly convex, so the optimum is within the length of the gradient
    by_w = want["w"] + want["Phi"].T @ (l * slope)
    by_b = want["b"] + float(l @ slope)
    far = float(np.sqrt(by_w @ by_w + by_b**2))
    return {"w": far + 1e-6 * np.abs(want["w"]).max(initial=0.0), "b": far}


def _paired(s: Source) -> Values:
    """Draw similarities of points of two classes, and pairs of both."""
    n, d = s.integer(4, 8), s.integer(1, 3)
    K = 1 - city_block(s.points(n, 1, s.pick("ties", "plain"))) / 8
    ways = s.array((d, 2), 0, n // 2 - 1)
    return {
        "F": np.array(s.pick([1.0], [0.5, 5.0], [1.0, np.inf], [0.5, 1.0, np.inf])),
        "K": K,
        "L": s.pick("squared_hinge", "logistic"),
        "l": 1.0 - 2.0 * (np.arange(n) % 2),
        "P": np.column_stack([2 * ways[:, 0], 2 * ways[:, 1] + 1]),
    }


@training(
    "Phi FT:phi digits; w FT:2:3 digits~1e-3; b FT:2:3 digits~1e-3; "
    "loss FT:2:3 digits~1e-4; losses FT:2:3 digits~1e-4; f FT:2:5 optimum",
    algorithm="FT:2",
    loop="FT:2:2",
    about="""Algorithm 2 of Kar & Jain (2011) with given pairs: for each slope f the landmarked
    space, w and b that minimise (|w|^2 + b^2) / 2 + sum L(l (w . Phi + b)), and the mean loss;
    then f*, the first of least loss""",
    draw=_paired,
    judge=_as_low,
    rounding=_from_the_optimum,
)
def ftune(F: FloatArray, K: FloatArray, L: LossName, l: FloatArray, P: IntArray) -> States:
    listed: States = []
    for f in F:
        slope = np.array([f])
        (Phi,) = reference_differences(K, P[:, 0].copy(), P[:, 1].copy(), slope)
        model = algorithm.TRAIN(Phi, l, L)
        value = float(loss(L, l * (Phi @ model.w + model.b)).mean())
        listed.append({"Phi": Phi, "w": model.w, "b": float(model.b), "loss": value})
    losses = np.array([state["loss"] for state in listed])
    f_best = algorithm.ftune(
        F.tolist(), Similarity(K), L, l, len(P), Given(), select=lambda K, l, d, rng: P
    )[0]
    return [*listed, {"losses": losses, "f": f_best}]
