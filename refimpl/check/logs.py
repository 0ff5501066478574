"""Logs of trainings of BoostMap (§§ 7.3 and 8.1) and of the Search Forest (Algorithm 1), and the
labels of Algorithm A.3.

A log holds what its training drew at random: the classifier of a round that adds one, splitters
and ranges, the leaves of a tree. These are taken as they are. Everything that follows from them is
compared: BoostMap's steps 1 to 4, alpha, z and the weights; J, the masses and c of the forest.

Not handled here: whether a better random choice was among those that were drawn; LMNN, whose
solvers have steps of their own (``metric`` judges the result); FTUNE, whose classifiers are those
of another library (``landmarks`` judges Algorithm 1).
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

import refimpl.kernels
from refimpl.boostmap.algorithm import Problem, accepts, add_to, embeddings
from refimpl.boostmap.rounds import MODIFY_BELOW, NO_GAIN
from refimpl.check.files import UnusableError
from refimpl.check.kernel import EQUAL_WORTH, TIE, WRONG, Values, outputs_of
from refimpl.check.reading import numbers
from refimpl.check.trainings import TRAININGS, Training
from refimpl.check.trainings.boostmap import margins_of
from refimpl.check.trainings.search_forest import by_first_point, worth
from refimpl.kernels.losses import reweighted, weights_of
from refimpl.kernels.triples import margins
from refimpl.search_forest.algorithm import best_c
from refimpl.search_forest.pairs import DensePairs
from refimpl.typing import FloatArray

__all__ = ["LOGS", "Log"]

Arrays = dict[str, Any]


@dataclass(frozen=True)
class Log:
    """A kind of log.

    Attributes
    ----------
    training : Training
        With a `follow`, or with `expected` for all lines at once.
    needed : tuple of str
        What each line must have.
    arguments : callable
        ``arguments(arrays, data)`` returns the arguments of the training from the data.
    cost : callable
        ``cost(arguments, rounds)`` returns operations and bytes.
    """

    training: Training
    needed: tuple[str, ...]
    arguments: Callable[[Arrays, str], Values]
    cost: Callable[[Values, int], tuple[float, float]]


def _integers(arrays: Arrays, name: str, data: str, shape: str) -> Any:
    array = arrays.get(name)
    if array is None or array.dtype.kind not in "iu" or array.ndim != shape.count(",") + 1:
        found = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
        raise UnusableError(f"{data} must have {name}, integers of shape ({shape}); got {found}")
    return array


def _triples(arrays: Arrays, data: str, n: int) -> Values:
    triples = _integers(arrays, "triples", data, "t, 3")
    y = numbers(arrays, "y", data, 1)
    if triples.shape[1] != 3 or len(y) != len(triples) or not len(y):
        raise UnusableError(
            f"{data}: triples and y must be of shapes (t, 3) and (t,); got {triples.shape} and "
            f"{y.shape}"
        )
    if triples.min() < 0 or triples.max() >= n:
        raise UnusableError(f"{data}: triples must be objects from 0 to {n - 1}")
    if not np.isin(y, (-1.0, 1.0)).all():
        raise UnusableError(f"{data}: y must hold 1 and -1, the proximity orders of the triples")
    return {"triples": np.ascontiguousarray(triples, dtype=np.int32), "y": y}


# ---------------------------------------------------------------------------------- BoostMap, § 7.3


def _boostmap_arguments(arrays: Arrays, data: str) -> Values:
    D = numbers(arrays, "D", data, 2)
    between = numbers(arrays, "between", data, 2) if "between" in arrays else D[:, : len(D)]
    if between.shape != (len(D), len(D)):
        raise UnusableError(
            f"{data} must have between, the distances of candidates to each other, of shape "
            f"({len(D)}, {len(D)}); got {between.shape}"
        )
    between = np.ascontiguousarray(between)
    return {"D": D, "between": between, **_triples(arrays, data, D.shape[1])}


def _boostmap_follow(arguments: Values, rounds: list[Values]) -> list[Values]:
    """Return what each round must be; a new classifier is the log's own."""
    problem = Problem(*(arguments[name] for name in ("D", "between", "triples", "y")))
    judge = TRAININGS["boostmap"].judge
    assert judge is not None
    m = np.zeros(len(problem.y))
    w = weights_of(m)[0]
    H: dict[Any, float] = {}
    listed: list[Values] = []
    for number, got in enumerate(rounds, start=1):
        name = _classifier(got, len(problem.D), number)
        step, chosen, alpha = _steps_1_to_4(problem, m, H) or ("add", name, 0.0)
        F = embeddings(problem, [chosen])
        if step == "add":
            zero = np.zeros(1)
            alpha = float(refimpl.kernels.minimize_z(F, problem.triples, problem.y, m, zero)[0][0])
        given = np.array([alpha])
        z = float(refimpl.kernels.z_values(F, problem.triples, problem.y, m, given)[0])
        if z >= NO_GAIN:
            return listed
        want = {"w": w, "step": step, "classifier": np.array(chosen), "alpha": alpha, "z": z}
        if judge(arguments, want, {**want, **got}) != WRONG:
            chosen, alpha = name, float(got["alpha"])
            F = embeddings(problem, [chosen])
        u = problem.y * margins(F[0], problem.triples)
        m, w, z = reweighted(m, u, alpha)
        add_to(H, chosen, alpha)
        listed.append({**want, "least": want["z"], "z": z, "updated": w})
    return listed


def _by_the_least_z(arguments: Values, want: Values, got: Values) -> str:
    """Judge a choice by the reference's z; the z of a round is that of the log's own choice."""
    judge = TRAININGS["boostmap"].judge
    assert judge is not None
    return judge(arguments, {**want, "z": want["least"]}, got)


def _boostmap_cost(arguments: Values, rounds: int) -> tuple[float, float]:
    t = len(arguments["y"])
    return 8.0 * t * rounds**2, 2.0 * arguments["D"].nbytes + 8.0 * t * (rounds + 10)


def _classifier(got: Values, n: int, number: int) -> tuple[int, int]:
    """Return the name of a round's classifier: (r, -1) for r alone."""
    parts = np.atleast_1d(np.asarray(got["classifier"], dtype=np.float64))
    first, second = (*parts.ravel(), -1.0, -1.0)[:2]
    inside = 0 <= first < n and -1 <= second < n and parts.shape in ((1,), (2,))
    if not inside or first != int(first) or second != int(second):
        raise UnusableError(
            f"round {number}: classifier must be a reference object r, or two pivots [x_1, x_2], "
            f"from 0 to {n - 1}; got {parts.tolist()}"
        )
    got["classifier"] = np.array([int(first), int(second)])
    return int(first), int(second)


def _steps_1_to_4(
    problem: Problem, m: FloatArray, H: dict[Any, float]
) -> tuple[str, Any, float] | None:
    """Return the removal or the change that steps 1 to 4 demand, None if a classifier is added."""
    if not H:
        return None
    names, alpha = list(H), np.array(list(H.values()))
    F = embeddings(problem, names)
    given = problem.triples, problem.y, m, -alpha
    z = refimpl.kernels.z_values(F, *given)
    if z.min() < NO_GAIN:
        g = int(z.argmin())
        return "remove", names[g], float(-alpha[g])
    A, Z = refimpl.kernels.minimize_z(F, *given)
    if Z.min() < MODIFY_BELOW:
        g = int(Z.argmin())
        return "modify", names[g], float(A[g])
    return None


# ---------------------------------------------------------------------------------- BoostMap, § 8.1


def _sensitive_arguments(arrays: Arrays, data: str) -> Values:
    F = numbers(arrays, "F", data, 2)
    given = {"F": F, **_triples(arrays, data, F.shape[1])}
    t = len(given["y"])
    given["w"] = numbers(arrays, "w", data, 1) if "w" in arrays else np.full(t, 1 / t)
    if given["w"].shape != (t,) or given["w"].min() < 0 or not 0.5 < given["w"].sum() < 2:
        raise UnusableError(f"{data}: w must hold {t} weights that add up to 1")
    return given


def _sensitive_follow(arguments: Values, rounds: list[Values]) -> list[Values]:
    """Return what each round must be for the log's own splitter and range."""
    F, triples, y = (arguments[name] for name in ("F", "triples", "y"))
    m = margins_of(arguments["w"])
    w = weights_of(m)[0]
    listed: list[Values] = []
    for number, got in enumerate(rounds, start=1):
        c, g, inside = _splitter(got, len(F), f"round {number}: ")
        S = accepts(F[g], float(got["low"]), float(got["high"]), inside)
        A, Z = refimpl.kernels.minimize_z(F[[c]], triples, y, m, np.zeros(1), S[np.newaxis])
        if Z[0] >= NO_GAIN:
            return listed
        want = {"w": w, "c": c, "g": g, "low": got["low"], "high": got["high"]}
        want |= {"inside": inside, "alpha": float(A[0]), "z": float(Z[0])}
        if _close_alpha(arguments, want, got) in (TIE, EQUAL_WORTH):
            alpha = np.array([float(got["alpha"])])
        else:
            alpha = A
        u = y * S[triples[:, 0]] * margins(F[c], triples)
        m, w, _ = reweighted(m, u, float(alpha[0]))
        listed.append({**want, "updated": w})
    return listed


def _sensitive_cost(arguments: Values, rounds: int) -> tuple[float, float]:
    t = len(arguments["y"])
    return 12.0 * t * rounds, 110.0 * t + arguments["F"].nbytes


def _splitter(got: Values, d: int, where: str) -> tuple[int, int, int]:
    """Return c, g and inside of a round."""
    c, g, inside, low, high = (got[name] for name in ("c", "g", "inside", "low", "high"))
    if not all(0 <= part < d and part == int(part) for part in (c, g)):
        raise UnusableError(f"{where}c and g must be integers from 0 to {d - 1}; got {c} and {g}")
    if inside not in (0, 1):
        raise UnusableError(f"{where}inside must be 1 or 0, true or false; got {inside}")
    if low != low or high != high:
        raise UnusableError(f"{where}low and high must be numbers; got {low} and {high}")
    return int(c), int(g), int(inside)


def _close_alpha(arguments: Values, want: Values, got: Values) -> str:
    """Judge another alpha of the same range by the Z that it gives."""
    judge = TRAININGS["query_sensitive"].judge
    assert judge is not None
    plain = {**want, "low": float(want["low"]), "high": float(want["high"])}
    return judge(arguments, plain, {**plain, **got})


# ----------------------------------------------------------------------- Search Forest, Algorithm 1


def _forest_arguments(arrays: Arrays, data: str) -> Values:
    S = arrays.get("S")
    if S is None or S.ndim != 2 or S.shape[0] != S.shape[1] or S.dtype.kind not in "biuf":
        raise UnusableError(f"{data} must have S, a square matrix of 0 and 1, and lam")
    S = np.asarray(S, dtype=np.float64)
    if not np.isin(S, (0.0, 1.0)).all() or S.diagonal().any() or not S.any():
        raise UnusableError(f"{data}: S must hold 0 and 1, some 1, and 0 on its diagonal")
    lam = float(numbers(arrays, "lam", data, 0))
    if not 0 < lam < 1:
        raise UnusableError(f"{data}: lam must be between 0 and 1; got {lam}")
    return {"S": S, "lam": lam}


def _forest_cost(arguments: Values, rounds: int) -> tuple[float, float]:
    n = len(arguments["S"])
    return 8.0 * n * n * rounds, 8.0 * n * n * (rounds + 20)


def _forest_follow(arguments: Values, rounds: list[Values]) -> list[Values]:
    """Return what each round must be for the log's own leaves."""
    n = len(arguments["S"])
    pairs = DensePairs(scipy.sparse.csr_matrix(arguments["S"]), arguments["lam"])
    listed: list[Values] = []
    for number, got in enumerate(rounds, start=1):
        leaf = np.asarray(got["leaf"])
        if leaf.shape != (n,):
            raise UnusableError(
                f"round {number}: leaf must have the leaf of each of {n} points; got {leaf.shape}"
            )
        got["leaf"] = leaf = by_first_point(leaf)
        T = pairs.T.copy()
        np.fill_diagonal(T, 0.0)
        want = {"T": T, "leaf": leaf, "J": worth(leaf, arguments, T)}
        similar, dissimilar = pairs.masses(leaf)
        c = best_c(similar, dissimilar, pairs.lam)
        if c <= 0:
            return listed
        pairs.meet(leaf, c)
        want |= {"similar": float(similar), "dissimilar": float(dissimilar), "c": float(c)}
        listed.append(want)
    return listed


# ------------------------------------------------------------------------------------------- table


def _copy(name: str, **changes: Any) -> Training:
    """Return a training of the vectors with other ways to judge a log."""
    return dataclasses.replace(TRAININGS[name], **changes)


LOGS = {
    "7.3": Log(
        _copy("boostmap", follow=_boostmap_follow, judge=_by_the_least_z, loop="BM:7.3:11"),
        ("classifier", "alpha"),
        _boostmap_arguments,
        _boostmap_cost,
    ),
    "8.1": Log(
        _copy("query_sensitive", follow=_sensitive_follow, judge=_close_alpha, loop="BM:8.1:7"),
        ("c", "g", "low", "high", "inside", "alpha"),
        _sensitive_arguments,
        _sensitive_cost,
    ),
    "SF:1": Log(
        _copy(
            "search_forest",
            follow=_forest_follow,
            judge=None,
            loop="SF:eq15",
            outputs=outputs_of(
                "T SF:1:3 digits~1e-6; J SF:eq17 digits~1e-6; similar SF:eq14 digits~1e-6; "
                "dissimilar SF:eq14 digits~1e-6; c SF:eq15 digits~1e-6; leaf SF:2:6 bits"
            ),
        ),
        ("leaf", "c"),
        _forest_arguments,
        _forest_cost,
    ),
}
"""The logs by the name of their algorithm on the command line."""
