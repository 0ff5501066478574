"""Trainings of the rivals: FastMap, Lipschitz embeddings, and RCA.

Not handled here: the other rivals.
"""

import numpy as np

from refimpl.check.drawing import Lcg
from refimpl.check.judging import CLOSE, FORM_ERRORS, tie_if, whole
from refimpl.check.kernel import TIE, WRONG, Values, outputs_of
from refimpl.check.trainings.given import as_rng
from refimpl.check.trainings.table import Case, States, Training, enter
from refimpl.rivals.fastmap import choose_distant_objects, line_projection, residual_squares
from refimpl.rivals.fastmap import fastmap as reference_fastmap
from refimpl.rivals.lipschitz import lipschitz as reference_lipschitz
from refimpl.rivals.nearest_neighbor import fit_distance
from refimpl.spaces import PrecomputedSpace
from refimpl.typing import FloatArray, IntArray

__all__ = ["fastmap", "lipschitz", "relevant_components"]

Pair = tuple[int, int]


class _Begin:
    """Objects from which the search for pivots starts, a row for each dimension."""

    def __init__(self, starts: IntArray) -> None:
        self.starts = iter(starts)

    def choice(self, n: int, size: int, replace: bool) -> IntArray:
        """Return the next row."""
        return next(self.starts)


class _Rng(np.random.Generator):
    """A generator that gives these objects."""

    def __init__(self, starts: IntArray) -> None:
        super().__init__(np.random.PCG64(0))
        self.begin = _Begin(starts)

    def choice(self, *arguments, **options):  # type: ignore[no-untyped-def]
        """Return the next row."""
        return next(self.begin.starts)


def _cases() -> list[Case]:
    s = Lcg(70)
    listed = []
    for comment, flag, n, d in (
        ("distances of points in the plane", "plain", 8, 2),
        ("integer distances: several farthest objects", "ties", 8, 2),
        ("distances that no Euclidean space has", "not metric", 7, 3),
    ):
        if flag == "not metric":
            D = s.array((n, n), 1, 64) / 8
            D = D + D.T
            np.fill_diagonal(D, 0.0)
        else:
            X = s.points(n, 2, flag)
            D = np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=2))
        starts = np.array([np.argsort(s.array((n,), 0, 2**30)) for _ in range(d)])
        given = {"D": D, "d": d, "starts": starts, "iterations": 5}
        listed.append(Case(comment, (flag,), given))
    return listed


def _run(arguments: Values) -> States:
    D, d, starts = (arguments[name] for name in ("D", "d", "starts"))
    space = PrecomputedSpace(D)
    rng = as_rng(_Rng(starts))
    iterations = arguments["iterations"]
    embedding = reference_fastmap(space, d, rng=rng, iterations=iterations, starts=starts.shape[1])
    F = embedding.embed(space)
    return [{"pivots": embedding.pivots[j], "F": F[:, j]} for j in range(embedding.d)]


def _ends(S: FloatArray, starts: IntArray, iterations: int, zero: float, off: float) -> set[Pair]:
    """Return the pairs at which choose-distant-objects may end if it takes any farthest object.

    S[p, x] is the square from p to x; it may be `off` by rounding.
    """
    far = [np.flatnonzero(row >= row.max() - off).tolist() for row in S]
    ends: set[Pair] = set()
    for start in starts.tolist():
        looking: set[Pair] = {(-1, start)}
        ended: set[Pair] = set()
        for _ in range(iterations):
            after = {pair: {(a, b) for a in far[pair[1]] for b in far[a]} for pair in looking}
            ended |= {pair for pair, later in after.items() if pair in later}
            looking = set().union(*(later - {pair} for pair, later in after.items()))
        ended |= looking
        ends |= {pair for pair in ended if S[pair] > zero}
        if all(S[pair] > zero for pair in ended):
            break
    return ends


def _follow(arguments: Values, rounds: States) -> States:
    """Return what each round must be after the pivots of somebody's earlier rounds."""
    D, d, starts, iterations = (arguments[part] for part in ("D", "d", "starts", "iterations"))
    F = np.zeros((len(D), d))
    largest = float(D.max()) ** 2
    zero = 1e-12 * largest
    listed: States = []
    for j in range(d):
        S = np.array([residual_squares(D[:, p], F[:, :j], F[p, :j], False) for p in range(len(D))])
        a, b = choose_distant_objects(S.__getitem__, starts[j], iterations, lambda: zero)
        if S[a, b] <= zero:
            break
        off = CLOSE * largest if j else 0.0  # the first squares are the same numbers for everybody
        want: Values = {"pivots": np.array([a, b]), "exact": j == 0}
        want["ends"] = _ends(S, starts[j], iterations, zero, off)
        if j < len(rounds) and _a_possible_end(arguments, want, rounds[j]) != WRONG:
            a, b = (whole(part) for part in rounds[j]["pivots"])
        F[:, j] = line_projection(S[a], float(S[a, b]), S[b])
        listed.append({**want, "F": F[:, j].copy()})
    return listed


def _a_possible_end(arguments: Values, want: Values, got: Values) -> str:
    """Judge pivots: the search may end there if it takes another one of equally far objects."""
    try:
        a, b = (whole(part) for part in got["pivots"])
    except FORM_ERRORS:
        return WRONG
    return tie_if(want["exact"], TIE if (a, b) in want["ends"] else WRONG)


fastmap = enter(
    Training(
        name="fastmap",
        algorithm="FastMap",
        about="FastMap of Faloutsos & Lin (1995): the pivots and the coordinates of one dimension "
        "after the other. choose-distant-objects begins with starts[j, 0] as b, looks for the "
        "farthest object from b, a, then from a, the new b, `iterations` times or until both stay; "
        "of equally far ones the lowest. Squared distances in a hyperplane that are below 0 stay "
        "as they are. Squares up to 1e-12 of the largest squared distance are 0: then it looks "
        "from the next start, and ends if no start has a pair",
        outputs=outputs_of(
            "pivots Faloutsos & Lin (1995), choose-distant-objects optimum; "
            "F Faloutsos & Lin (1995), eq. 3 digits~1e-9"
        ),
        cases=_cases,
        run=_run,
        judge=_a_possible_end,
        follow=_follow,
    )
)


def _metric_cases() -> list[Case]:
    s = Lcg(71)
    listed = []
    for comment, flag, n in (("numbers of 52 random bits", "plain", 9), ("ties", "ties", 10)):
        X = s.points(n, 2, flag)
        listed.append(Case(comment, (flag,), {"X": X, "y": np.arange(n) % 3}))
    return listed


def _run_metric(arguments: Values) -> States:
    L = fit_distance("RCA", arguments["X"], arguments["y"]).factor
    return [{"W": L.T @ L}]


relevant_components = enter(
    Training(
        name="relevant_component_analysis",
        algorithm="RCA",
        about="RCA of Bar-Hillel et al. (2003) with the classes as chunklets: the inverse of the "
        "mean outer product of the points less the means of their classes",
        outputs=outputs_of("W Bar-Hillel et al. (2003), § 2 digits~1e-9"),
        cases=_metric_cases,
        run=_run_metric,
    )
)


# ------------------------------------------------------------------------- distances to references


def _lipschitz_cases() -> list[Case]:
    s = Lcg(72)
    listed = []
    for comment, flag, n in (("numbers of 52 random bits", "plain", 7), ("ties", "ties", 8)):
        X = s.points(n, 2, flag)
        D = np.abs(X[:, np.newaxis] - X).sum(axis=2)
        member = s.array((3, n), 0, 2) == 0
        member[np.arange(3), s.array((3,), 0, n - 1)] = True
        listed.append(Case(comment, (flag,), {"D": D, "member": member}))
    return listed


def _run_lipschitz(arguments: Values) -> States:
    D, member = (arguments[name] for name in ("D", "member"))
    space = PrecomputedSpace(D)
    embedding = reference_lipschitz(space, [np.flatnonzero(row) for row in member])
    return [{"F": embedding.embed(space)}]


lipschitz = enter(
    Training(
        name="lipschitz",
        algorithm="Lipschitz",
        about="eqs. 5-7 of Athitsos et al. (2005), § 4.1: the least distance to each set of "
        "reference objects, a row of `member` for each",
        outputs=outputs_of("F BM:eq7 digits"),
        cases=_lipschitz_cases,
        run=_run_lipschitz,
    )
)
