"""BoostMap: the kernels of triples, losses, the weighted L1 scan and chamfer distances; §§ 7.3 and
8.1, and the ranks of retrieval, § 11.1.

The rounds are run by :mod:`refimpl.boostmap.algorithm`; the objects that steps 5 and 6 draw are
given.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from types import SimpleNamespace
from typing import Any

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
from refimpl.check.drawing import KINDS, Given, Source, city_block, floats
from refimpl.check.judging import best, by_worth, indices, nearest, tie_if, whole
from refimpl.check.subject import Kind, States, Values, kernel, training
from refimpl.kernels import best_ranges as reference_ranges
from refimpl.kernels import chamfer_distances as reference_chamfer
from refimpl.kernels import weighted_l1 as reference_l1
from refimpl.kernels import z_values as reference_z
from refimpl.kernels.chamfer import grid
from refimpl.kernels.triples import margins
from refimpl.spaces import enn_ranks as reference_ranks
from refimpl.typing import FloatArray, Int32Array, IntArray

FLAGS = "ties, plain, negative zero, denormals, extreme weights, duplicates"


def _triples(s: Source, flag: str) -> Values:
    n, t, m = s.length(6, 2), s.length(9), s.length(3)
    return {
        "F": s.points(m, n, flag),
        "triples": s.array((t, 3), 0, n - 1).astype(np.int32),
        "y": s.signs(t),
        "w": s.weights(t, flag),
    }


def _splitters(s: Source, F: FloatArray) -> FloatArray | None:
    return floats(s.array(F.shape, 0, 1)) if s.integer(0, 1) else None


@kernel("Lambda BM:7.3:8 bits", flags=FLAGS)
def weighted_errors(s: Source, flag: str) -> Values:
    return _triples(s, flag)


@kernel(
    "sums BM:eq12 digits",
    flags="ties, plain, negative zero, extreme weights, duplicates, silent queries",
)
def margin_sums(s: Source, flag: str) -> Values:
    values = _triples(s, flag)
    F = values["F"]
    S = floats(s.array(F.shape, 0, 1)) if flag == "silent queries" else _splitters(s, F)
    return {**values, "S": S}


def _with_margins(s: Source, flag: str) -> Values:
    """Return triples with margins instead of weights; the least margin is not 0."""
    values = _triples(s, flag)
    w = values.pop("w")
    kind = "quarters" if flag == "ties" else "plain"
    spread = 200.0 if flag == "extreme weights" else 1.0
    return {**values, "margin": spread * s.reals((len(w),), kind)}


@kernel("Z BM:7.3:11 digits", flags=FLAGS)
def z_values(s: Source, flag: str) -> Values:
    values = _with_margins(s, flag)
    F = values["F"]
    return {**values, "alpha": s.reals((len(F),), "quarters"), "S": _splitters(s, F)}


def _same_z(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge alphas by the Z that they give: the minimum of Z is flat."""
    # of a constant classifier every alpha is as good, but the contract names one
    alpha = np.asarray(got["alpha"], dtype=np.float64)
    if alpha.shape != np.shape(want["alpha"]) or not (alpha >= arguments["least"]).all():
        return Kind.WRONG
    names = ("F", "triples", "y", "margin")
    with np.errstate(over="ignore", invalid="ignore"):
        Z = reference_z(**{name: arguments[name] for name in names}, alpha=alpha, S=arguments["S"])
    if by_worth(want["Z"], Z) == Kind.WRONG:
        return Kind.WRONG
    near = np.allclose(alpha, want["alpha"], rtol=1e-5, atol=1e-300)
    return Kind.AGREES if near else Kind.EQUAL_WORTH


@kernel(
    "alpha BM:7.3:10 optimum; Z BM:7.3:9 digits",
    flags="ties, plain, negative zero, extreme weights, duplicates, negative least",
    judge=_same_z,
)
def minimize_z(s: Source, flag: str) -> Values:
    values = _with_margins(s, flag)
    F = values["F"]
    least = -s.reals((len(F),), "quarters") if flag == "negative least" else np.zeros(len(F))
    return {**values, "least": least, "S": _splitters(s, F)}


@kernel("margin BM:eq10 digits; w BM:7.3:12 digits; z BM:7.3:11 digits", flags=FLAGS)
def next_weights(s: Source, flag: str) -> Values:
    values = _with_margins(s, flag)
    alpha = float(s.integer(-8, 8) / 4)
    return {**values, "F": values["F"][0].copy(), "alpha": alpha}


def _errors(arguments: Values, answer: Values) -> list[float]:
    """Return the error of each range: the reference gives it if it may try no other."""
    errors = []
    for row, place in enumerate(indices(answer["best"], len(arguments["ranges"]))):
        one = {name: arguments[name][[row]] for name in ("values", "F", "thresholds")}
        ranges = arguments["ranges"][[place]]
        errors.append(reference_ranges(**{**arguments, **one, "ranges": ranges})[0][0])
    return errors


@kernel(
    "error BM:8.3:2 bits; best BM:8.3:2 optimum",
    flags=FLAGS,
    judge=best(_errors, lambda arguments, worth: len(arguments["w"]) * 2.0**-53),
)
def best_ranges(s: Source, flag: str) -> Values:
    values = _triples(s, flag)
    k = s.integer(0, 3)
    thresholds = np.sort(s.reals((len(values["F"]), k), flag), axis=1)
    ranges = [(i, j) for i in range(k + 2) for j in range(k + 2) if i != j]
    return {
        "values": s.reals(values["F"].shape, flag),
        **values,
        "thresholds": thresholds,
        "ranges": np.array(ranges, dtype=np.int64),
    }


# --------------------------------------------------------------------------------------------- scan


@kernel(
    "D BM:eq22 digits", flags="ties, plain, negative zero, denormals, scales, duplicates, empty"
)
def weighted_l1(s: Source, flag: str) -> Values:
    n, d = s.length(4), s.length(4)
    n_X = 0 if flag == "empty" else s.length(6)
    A = np.abs(s.reals((n, d), "ties" if flag == "denormals" else flag))
    return {"Q": s.points(n, d, flag), "A": A, "X": s.points(n_X, d, flag)}


@kernel(
    "distances BM:4.3:2 digits; indices BM:4.3:2 optimum",
    flags="ties, plain, negative zero, scales, duplicates",
    judge=nearest(lambda arguments: reference_l1(*(arguments[name] for name in ("Q", "A", "X")))),
)
def weighted_l1_nearest(s: Source, flag: str) -> Values:
    values = weighted_l1(s, flag)
    return {**values, "k": s.integer(0, len(values["X"]))}


# ------------------------------------------------------------------------------------------ chamfer


def _images(s: Source, flag: str, n: int, height: int, width: int) -> np.ndarray:
    images = s.booleans((n, height, width))
    images[:, s.integer(0, height - 1), s.integer(0, width - 1)] = True
    if flag == "duplicates":
        images[-1] = images[0]
    return images


def _chamfer_rounding(arguments: Values, expected: Values) -> Values:
    """Return what the contract allows: twice the grid of the pixel distances, on both sides."""
    name = "A" if "A" in arguments else "X"
    return dict.fromkeys(expected.keys() - {"indices"}, 4 * grid(arguments[name].shape[1:]))


@kernel(
    "D Athitsos et al. (2005), § 11 digits",
    flags="plain, duplicates, one pixel",
    rounding=_chamfer_rounding,
)
def chamfer_distances(s: Source, flag: str) -> Values:
    height, width = (1, 1) if flag == "one pixel" else (s.length(4), s.length(5, 2))
    width = min(width, max(2, 2000 // height))  # more pixels take the reference minutes
    A = _images(s, flag, s.length(3), height, width)
    return {"A": A, "B": _images(s, flag, s.length(3), height, width)}


@kernel(
    "distances Athitsos et al. (2005), § 11 digits; indices Athitsos et al. (2005), § 11 optimum",
    flags="plain, duplicates, one pixel",
    judge=nearest(lambda arguments: reference_chamfer(arguments["Q"], arguments["X"])),
    rounding=_chamfer_rounding,
)
def chamfer_nearest(s: Source, flag: str) -> Values:
    values = chamfer_distances(s, flag)
    X = values["B"]
    return {"Q": values["A"], "X": X, "k": s.integer(1, len(X))}


# --------------------------------------------------------------------------------------- trainings

ROUNDS = 8


def margins_of(w: FloatArray) -> FloatArray:
    """Return margins that make these weights; a weight of 0 counts as e**-700."""
    return -np.log(np.maximum(w, np.exp(-700.0)))


def problem_of(arguments: Values) -> Problem:
    return Problem(*(arguments[name] for name in ("D", "between", "triples", "y")))


def _both(pivots: IntArray) -> Iterator[IntArray]:
    """Yield the first pivots of a round, then the second ones among all objects but the first."""
    for first, second in pivots.transpose(0, 2, 1):
        yield first
        yield second - (second > first)


def _states(rounds: Iterable[Any], t: int, *names: str) -> States:
    """Return the state of each round on t triples: the weights before and after it, and parts."""
    w = np.full(t, 1 / t)  # the first ones are equal
    listed: States = []
    for round in rounds:
        parts = {name: getattr(round, name) for name in names}
        listed.append({"w": w, **parts, "updated": round.w})
        w = round.w
    return listed


def same_classifier(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge another classifier, or another alpha, by the Z that it gives."""
    problem = problem_of(arguments)
    names = [tuple(whole(part) for part in got["classifier"])]
    n = len(problem.D)
    if len(names[0]) != 2 or not 0 <= names[0][0] < n or not -1 <= names[0][1] < n:
        return Kind.WRONG
    if str(got["step"]) != want["step"]:
        return Kind.WRONG
    F = embeddings(problem, [(names[0][0], names[0][1]), tuple(want["classifier"].tolist())])
    alpha = np.array([float(got["alpha"])])
    Z = refimpl.kernels.z_values(F[:1], problem.triples, problem.y, margins_of(want["w"]), alpha)
    u, other = (margins(values, problem.triples) for values in F)
    same = list(names[0]) == want["classifier"].tolist()
    return _by_z(want, got, float(Z[0]), bool((u == other).all()), same)


def _by_z(want: Values, got: Values, z: float, alike: bool, same: bool) -> Kind:
    """Judge another classifier by its Z; `alike`: it has the same margins, `same`: the name."""
    least = want["least"] if "least" in want else want["z"]  # a log's z is that of its own choice
    verdict = tie_if(alike, by_worth(least, z, 1e-9 * least))
    near = same and abs(float(got["alpha"]) - want["alpha"]) <= 1e-5 * abs(want["alpha"])
    return Kind.AGREES if near and verdict != Kind.WRONG else verdict


def _triples_of(s: Source, D: FloatArray, t: int) -> Int32Array:
    """Draw triples of three objects, a nearer to q than b unless they are equally far."""
    rows = np.array([s.permutation(len(D))[:3] for _ in range(t)])
    q, a, b = rows.T
    swapped = D[a, q] > D[b, q]
    rows[swapped] = rows[swapped][:, [0, 2, 1]]
    return rows.astype(np.int32)


def _orders(s: Source, t: int) -> FloatArray:
    return np.where(s.array((t,), 0, 4) == 4, -1.0, 1.0)


def _candidates(s: Source) -> Values:
    """Draw distances, triples, and the candidates of each round."""
    n, t = s.integer(4, 6), s.integer(3, 12)
    D = city_block(s.points(n, 2, s.pick(*KINDS)))
    if s.integer(0, 2) == 2:
        D = D * (1 + s.array((n, n), 0, 8) / 16)  # it differs by direction
    first = s.array((ROUNDS, 3), 0, n - 1)
    other = (first + s.array((ROUNDS, 3), 1, n - 1)) % n
    return {
        "D": D,
        "between": D.copy(),
        "triples": _triples_of(s, D, t),
        "y": _orders(s, t),
        "d": s.integer(1, 3),
        "M_2": n + 3,  # all candidates: fewer depend on the order of equal errors
        "rounds": s.integer(1, 6),
        "references": np.array([s.permutation(n) for _ in range(ROUNDS)]),
        "pivots": np.stack([first, other], axis=2),
    }


@training(
    "w BM:7.3:12 digits~1e-6; step BM:7.3:4 optimum; classifier BM:7.3:9 optimum; "
    "alpha BM:7.3:10 optimum; z BM:7.3:11 digits~1e-9; updated BM:7.3:12 digits~1e-6",
    algorithm="BM:7.3",
    about="""§ 7.3 of Athitsos et al. (2005): the steps add, modify and remove. A classifier is
    (r, -1) for a reference object, (x_1, x_2) for pivots. Where no weighted triple is wrong, Z
    has no least value; alpha is 52 ln 2 / sum w |margin| above the least allowed. The k-th time
    that steps 5 and 6 are taken they draw references[k] and pivots[k]""",
    takes=("D", "between", "triples", "y", "d", "M_2", "rounds", "references", "pivots"),
    draw=_candidates,
    judge=same_classifier,
    dependent=("updated",),
)
def boostmap(
    d: int, M_2: int, rounds: int, references: IntArray, pivots: IntArray, **problem: Any
) -> States:
    rng = Given(references, _both(pivots))
    M_1, m = references.shape[1], pivots.shape[1]
    taken = islice(training_rounds(Problem(**problem), d, M_1, m, M_2, rng=rng), rounds)
    listed = _states(taken, len(problem["y"]), "step", "classifier", "alpha", "z")
    return [{**state, "classifier": np.array(state["classifier"], np.int64)} for state in listed]


# --------------------------------------------------------------------------------- query-sensitive


def same_range(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge another classifier, splitter or range by the Z that it gives."""
    F, triples, y = (arguments[name] for name in ("F", "triples", "y"))
    c, g = whole(got["c"]), whole(got["g"])
    if not 0 <= c < len(F) or not 0 <= g < len(F) or whole(got["inside"]) not in (0, 1):
        return Kind.WRONG
    S = accepts(F[g], float(got["low"]), float(got["high"]), whole(got["inside"]))
    alpha = np.array([float(got["alpha"])])
    Z = refimpl.kernels.z_values(F[[c]], triples, y, margins_of(want["w"]), alpha, S[np.newaxis])
    expected = accepts(F[want["g"]], want["low"], want["high"], want["inside"])
    q = triples[:, 0]
    alike = S[q] * margins(F[c], triples) == expected[q] * margins(F[want["c"]], triples)
    ends = (float(got["low"]), float(got["high"])) == (want["low"], want["high"])
    same = c == want["c"] and (S == expected)[q].all() and ends
    return _by_z(want, got, float(Z[0]), bool(alike.all()), same)


def _splits(s: Source) -> Values:
    """Draw embeddings, triples, and the splitters and thresholds of each round."""
    n, t, d = s.integer(4, 6), s.integer(3, 12), s.integer(1, 2)
    rounds = s.integer(1, 3)
    X = s.points(n, d, s.pick("ties", "plain", "constant columns"))
    return {
        "F": np.ascontiguousarray(X.T),
        "triples": _triples_of(s, city_block(X), t),
        "y": _orders(s, t),
        "gamma": s.array((rounds, d), 0, d - 1),
        "picks": s.array((rounds * d, 2), 0, t - 1),
    }


@training(
    "w BM:8.1:8 digits~1e-6; c BM:8.1:4 optimum; g BM:8.1:1 optimum; low BM:8.1:3 optimum; "
    "high BM:8.1:3 optimum; inside BM:8.1:3 optimum; alpha BM:8.1:6 optimum; "
    "z BM:8.1:7 digits~1e-9; updated BM:8.1:8 digits~1e-6",
    algorithm="BM:8.1",
    loop="BM:8.1:7",
    about="""§ 8.1 of Athitsos et al. (2005) from equal weights: in round j classifier c is
    split by coordinate gamma[j, c]; its thresholds are drawn from the queries of the triples
    picks[j d + c], each moved half way to the next greater value. The range of least Z wins,
    low <= F_g(q) < high if inside, else the rest""",
    draw=_splits,
    judge=same_range,
    dependent=("updated",),
)
def query_sensitive(
    F: FloatArray, triples: Int32Array, y: FloatArray, gamma: IntArray, picks: IntArray
) -> States:
    splitters = iter(gamma)
    choices = Choices(picks.shape[1], lambda d, rng: (np.arange(d), next(splitters)))
    rounds = query_sensitive_rounds(F, triples, y, np.zeros(len(y)), choices, rng=Given(picks))
    taken = islice(rounds, len(gamma))
    return _states(taken, len(y), "c", "g", "low", "high", "inside", "alpha", "z")


# -------------------------------------------------------------------------------------------- ranks


def _retrieval(s: Source) -> Values:
    """Draw queries, points, weights and true neighbours."""
    m, n, d, kind = s.integer(1, 3), s.integer(3, 7), s.integer(1, 2), s.pick(*KINDS)
    return {
        "Q": s.points(m, d, kind),
        "X": s.points(n, d, kind),
        "A": s.reals((m, d), "quarters"),
        "neighbors": np.array([s.permutation(n)[:3] for _ in range(m)]),
        "k_values": np.array([1, 3]),
    }


@training(
    "ranks Athitsos et al. (2005), § 11.1 bits",
    algorithm="BM:11.1",
    about="""§ 11.1 of Athitsos et al. (2005): how many objects the filter must take, by
    weighted L1 distances, to find the k nearest neighbours; one plus those strictly closer""",
    draw=_retrieval,
)
def enn_ranks(
    Q: FloatArray, X: FloatArray, A: FloatArray, neighbors: IntArray, k_values: IntArray
) -> States:
    embedding = SimpleNamespace(weights=lambda Q: A)
    return [{"ranks": reference_ranks(embedding, Q, X, neighbors, k_values.tolist())}]
