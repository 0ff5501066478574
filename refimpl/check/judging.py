"""Whether another choice is as good as the expected one.

A judge gets a kernel's arguments, the expected results and the results, and says one of "a tie
broken otherwise" (the same worth to the last bit), "another choice of equal worth" (the same up to
rounding, or the same choice in another form) and "wrong".
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from refimpl.check.subject import Kind, Values
from refimpl.kernels.stumps import on_grid
from refimpl.typing import FloatArray, IntArray

CLOSE = 2.0**-40
TRIPLES, WORST = 2**22, 5
"""Triples that are looked at together, and the largest slacks that are kept."""
FORM_ERRORS = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError)
"""What a judge raises at results of another form."""


def whole(value: Any) -> int:
    """Return a whole number as int; raise ValueError for any other, which `int` truncates."""
    if np.ndim(value) or int(value) != value:
        raise ValueError(f"must be a whole number; got {value}")
    return int(value)


def indices(value: Any, n: int, shape: Any = None, least: int = 0) -> IntArray:
    """Return indices from `least` to n - 1, of a shape if it is given; else raise ValueError."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" or (shape is not None and array.shape != shape):
        raise ValueError(f"must be integers of shape {shape}; got {array.dtype}, {array.shape}")
    if (array < least).any() or (array >= n).any():
        raise ValueError(f"must be from {least} to {n - 1}; got {array}")
    return array


def by_worth(want: Any, got: Any, size: Any = 0.0) -> Kind:
    """Judge by two worths; `size` is what rounding may change beside 2**-40 of them."""
    want = np.asarray(want, dtype=np.float64)
    got = np.asarray(got, dtype=np.float64)
    if want.shape != got.shape:
        return Kind.WRONG
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    if same.all():
        return Kind.TIE
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(want - got) <= CLOSE * np.abs(want) + size
    return Kind.EQUAL_WORTH if (same | near).all() else Kind.WRONG


def exact(*parts: Any) -> bool:
    """Whether all numbers are multiples of 2**-20 below 2**20: any order of summation is exact."""
    numbers = np.concatenate([np.ravel(part) for part in parts]) * 2.0**20
    return bool((np.abs(numbers) < 2.0**40).all() and (numbers == np.rint(numbers)).all())


def tie_if(is_exact: bool, verdict: Kind) -> Kind:
    """Return the verdict; a tie that another order of summation breaks is one of equal worth."""
    return Kind.EQUAL_WORTH if verdict == Kind.TIE and not is_exact else verdict


def squares(Q: FloatArray, X: FloatArray) -> FloatArray:
    """Return all squared distances, added in the order of the coordinates."""
    Q = np.asarray(Q, dtype=np.float64)
    X = np.asarray(X, dtype=np.float64)
    total = np.zeros((len(Q), len(X)))
    with np.errstate(over="ignore"):
        for c in range(X.shape[1]):
            total += (Q[:, [c]] - X[:, c]) ** 2
    return total


def best(
    worth: Callable[[Values, Values], Any], size: Callable[[Values, Any], Any] = lambda *_: 0.0
) -> Callable[[Values, Values, Values], Kind]:
    """Return the judge of a choice by its `worth`, a function of the arguments and an answer."""
    # It raises an error for what is no choice. `size`, of the arguments and the expected worth, is
    # what rounding may change.

    def judge(arguments: Values, want: Values, got: Values) -> Kind:
        expected = worth(arguments, want)
        return by_worth(expected, worth(arguments, got), size(arguments, expected))

    return judge


def nearest(
    distances: Callable[[Values], FloatArray], name: str = "indices"
) -> Callable[[Values, Values, Values], Kind]:
    """Return the judge of a search: `distances` gives all distances from its arguments."""

    def worth(arguments: Values, answer: Values) -> FloatArray:
        D = distances(arguments)
        places = indices(answer[name], D.shape[1], least=-1)
        skip = arguments.get("skip")
        for row, chosen in enumerate(places):
            real = chosen[chosen >= 0]
            if len(np.unique(real)) < len(real) or (skip is not None and skip[row] in real):
                raise ValueError(f"must be different points that are not skipped; got {real}")
        return _taken(D, places)

    return best(worth)


def listed(starts: Any, places: Any, n: int) -> tuple[IntArray, IntArray]:
    """Return the query and the place of each entry of lists one behind the other."""
    # A query lists different places below n, else ValueError is raised.
    places = indices(places, n)
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if starts[0] != 0 or len(query) != len(places):
        raise ValueError(f"must be lists one behind the other; got {starts}")
    if len(np.unique(query * n + places)) < len(places):
        raise ValueError(f"must list different places; got {places}")
    return query, places


def at_limits(D: FloatArray, limits: FloatArray, *pairs: tuple[IntArray, IntArray]) -> Kind:
    """Judge which points are nearer than a limit, (query, point) in ascending order."""
    # Two answers may differ in points at the limit: a tie, or up to rounding of equal worth.
    places = [query * D.shape[1] + point for query, point in pairs]
    if any((np.diff(one) <= 0).any() for one in places):
        return Kind.WRONG
    differ = np.setxor1d(*places)
    off = np.abs(D.ravel()[differ] - limits[differ // D.shape[1]])
    if not (off <= CLOSE * np.abs(limits[differ // D.shape[1]])).all():
        return Kind.WRONG
    return Kind.EQUAL_WORTH if off.any() else Kind.TIE


def _taken(D: FloatArray, places: Any) -> FloatArray:
    """Return the distances at the places of each row; infinite at -1."""
    places = np.asarray(places)
    taken = np.take_along_axis(D, np.maximum(places, 0), axis=1) if D.size else D[:, :0]
    return np.where(places >= 0, taken, np.inf)


def way_up(above: dict[int, int], node: int, root: int) -> Iterator[tuple[int, int]]:
    """Yield each node on the way to the root with its child; `above` has the parent of a node."""
    while node != root:
        yield above[node], node
        node = above[node]


def differences(A: FloatArray, B: FloatArray | None) -> FloatArray:
    """Return the rows of a data set: A, or all differences A[i] - B[j]."""
    return A if B is None else np.asarray((A[:, np.newaxis] - B).reshape(-1, A.shape[1]))


def stump(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge a decision stump by its weighted error and by the rows that it divides."""
    X = differences(arguments["A"], arguments["B"])
    w = on_grid(arguments["w"])
    sides = []
    errors = []
    for answer in (want, got):
        try:
            f, p, theta = whole(answer["f"]), whole(answer["p"]), float(answer["theta"])
        except (TypeError, ValueError, OverflowError):
            return Kind.WRONG
        if not 0 <= f < X.shape[1] or p not in (1, -1) or theta != theta:
            return Kind.WRONG
        h = p * X[:, f] < p * theta
        sides.append(h)
        errors.append(float(w[h != arguments["l"]].sum()))
    if (sides[0] == sides[1]).all() and want["f"] == got["f"]:
        return Kind.EQUAL_WORTH
    return by_worth(errors[0], errors[1], len(w) * 2.0**-53)


class Objective(NamedTuple):
    """Eq. 3 at a metric, its parts, and the triples of largest slack."""

    pull: float  # the sum of squared distances to target neighbours
    push: float  # the sum of the slacks
    active: int
    worst: list[tuple[float, int, int, int]]  # slacks with their i, j and l

    def at(self, mu: float) -> float:
        """Return eq. 3."""
        return self.pull + mu * self.push


def objective_of(Z: FloatArray, y: Any, targets: IntArray) -> Objective:
    """Return eq. 3 of Weinberger & Saul (2008) at mapped points, over all triples."""
    n, k = targets.shape
    near = np.array([((Z - Z[targets[:, j]]) ** 2).sum(axis=1) for j in range(k)]).T
    push, active = 0.0, 0
    worst: list[tuple[float, int, int, int]] = []
    rows = max(1, TRIPLES // (n * k + n * Z.shape[1]))
    for start in range(0, n, rows):
        block = slice(start, min(n, start + rows))
        D = ((Z[block, np.newaxis] - Z) ** 2).sum(axis=2)
        slack = np.maximum(1 + near[block, :, np.newaxis] - D[:, np.newaxis, :], 0.0)
        slack[np.broadcast_to((y[block, np.newaxis] == y)[:, np.newaxis], slack.shape)] = 0.0
        push += float(slack.sum())
        active += int((slack > 0).sum())
        for place in np.argsort(-slack, axis=None, kind="stable")[:WORST]:
            i, j, l = (int(part) for part in np.unravel_index(place, slack.shape))
            worst.append((float(slack[i, j, l]), start + i, int(targets[start + i, j]), l))
    return Objective(float(near.sum()), push, active, sorted(worst, reverse=True)[:WORST])
