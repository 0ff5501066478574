"""``metric``, ``neighbors``, ``embedding``, ``landmarks`` and ``tree``: answers that somebody
stored in files.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import scipy.optimize
from scipy.spatial.distance import cdist

from refimpl.check.comparing import Difference
from refimpl.check.files import UnusableError
from refimpl.check.judging import by_worth, objective_of, squares
from refimpl.check.reading import announce, checked, counted, points, read_array, read_data
from refimpl.check.reports import Report
from refimpl.check.subject import Kind
from refimpl.check.subjects.ftune import as_similar
from refimpl.check.subjects.lmnn import factor
from refimpl.kernels.arguments import floats, int64s
from refimpl.lmnn import LMNNOptions, estimate_memory, lmnn, target_neighbors
from refimpl.spaces.ranks import worst_ranks
from refimpl.typing import FloatArray, IntArray

POINTS = partial(floats, finite=True, largest=1e150)
"""Points whose squares are finite."""

MOST_POINTS = 3000
"""Up to so many points, other weights are tried."""

# ------------------------------------------------------------------------------------------- metric
#
# Two conventions of other libraries are tried where a metric is far from the optimum. A margin m
# instead of 1 gives the metric times m: the scale under which eq. 3 is least tells it. Another
# weight of the violated margins gives the optimum for another mu; metric-learn's regularization c
# is mu = (1 - c) / c. The convention is named; the metric is wrong in any case.


def check_metric(path: str, data: str, k: int, mu: float, squared: bool, tol: float) -> Report:
    """Compare a metric with the least value of eq. 3."""
    X, y = points(read_data(data), data, "it must have")
    kind = floats("d" if squared else "r", "d", finite=True)
    given = read_array(path, kind, d=X.shape[1])
    try:
        L = factor(given) if squared else given
    except ValueError as error:
        raise UnusableError(f"{path} {error}") from error
    report = Report(f"{path} as the metric of LMNN on {data}, k = {k}, mu = {mu:g}")
    try:
        print(
            f"the reference trains on {len(X)} points of {X.shape[1]} coordinates: at most "
            f"{estimate_memory(X, y, k, mu) / 2**20:.0f} MiB, and seconds for hundreds of points, "
            "minutes for thousands",
            file=sys.stderr,
        )
        judge_metric(report, L, X, y, k, mu, tol, squared)
    except (ValueError, MemoryError) as error:
        raise UnusableError(f"{data} cannot be used: {error}") from error
    return report


def judge_metric(
    report: Report,
    L: FloatArray,
    X: FloatArray,
    y: Any,
    k: int,
    mu: float,
    tol: float,
    squared: bool,
) -> None:
    """Say how far L is from the least value of eq. 3; `squared` if it was given as M."""
    targets = target_neighbors(X, y, k)
    with np.errstate(over="ignore", invalid="ignore"):
        now = objective_of(X @ L.T, y, targets)
    if not np.isfinite(now.at(mu)):
        raise ValueError(f"eq. 3 is beyond float64 at {report.title}")
    best = lmnn(X, y, k, mu, options=LMNNOptions(tol=min(1e-4, tol / 10)))
    gap = _gap(now.at(mu), best.bound)
    report.facts += [
        ("eq. 3", now.at(mu)),
        ("of it the pull", now.pull),
        ("active triples", now.active),
        ("least value found by the reference", best.objective),
        ("no metric is below", best.bound),
        ("gap", gap),
    ]
    for slack, i, j, l in now.worst:
        if slack > 0:
            report.facts.append((f"slack of i = {i}, j = {j}, l = {l}", slack))
    if gap > tol:
        words = f"the proven bound is {100 * gap:.2g} % below eq. 3"
        words += _convention(X, y, targets, mu, L, best.bound, tol, squared)
        report.differences.append(Difference("lmnn", Kind.WRONG, "M", "LM:eq3", words))


def _gap(objective: float, bound: float) -> float:
    return (objective - bound) / objective if objective > 0 else 0.0


def _convention(
    X: FloatArray,
    y: Any,
    targets: IntArray,
    mu: float,
    L: FloatArray,
    bound: float,
    tol: float,
    squared: bool,
) -> str:
    """Return words that name another convention under which the metric is optimal, or none."""
    with suppress(ValueError):  # it is no metric M
        at = objective_of(X @ factor(L).T, y, targets).at(mu)
        if not squared and _gap(at, bound) <= tol:
            return "; as M the matrix is optimal: --squared?"
    scale, objective = _best_scale(X @ L.T, y, targets, mu)
    if _gap(objective, bound) <= tol:
        return f"; {scale:.3g} M is optimal: a margin of {1 / scale:.3g} instead of 1"
    now = objective_of(X @ L.T, y, targets)
    for m in (mu / 4, mu / 2, 2 * mu, 4 * mu) if len(X) <= MOST_POINTS else ():
        least = lmnn(X, y, targets.shape[1], m, options=LMNNOptions(tol=tol / 10)).bound
        if _gap(now.at(m), least) <= tol:
            return (
                f"; it is optimal for mu = {m:g}, metric-learn's regularization {1 / (1 + m):.4g}"
            )
    return ""


def _best_scale(Z: FloatArray, y: Any, targets: IntArray, mu: float) -> tuple[float, float]:
    """Return the s for which s M has the least eq. 3, and this value; eq. 3 is convex in s."""

    def at(exponent: float) -> float:
        return objective_of(Z * 2.0 ** (exponent / 2), y, targets).at(mu)

    found = scipy.optimize.minimize_scalar(at, bounds=(-12.0, 12.0), options={"xatol": 1e-4})
    return 2.0**found.x, found.fun


# --------------------------------------------------------------------------------------- neighbours


def check_neighbors(path: str, truth: str | None, data: str | None) -> Report:
    """Compare neighbours with the true ones, or with those computed from X and Q."""
    # -1 fills a row for which fewer neighbours were found.
    if data is not None and truth is not None:
        raise UnusableError("name --truth or --data, not both: one of them says what is right")
    I = read_array(path, int64s("queries", "k", nonempty=True))
    report = Report(f"{path} as nearest neighbours")
    report.facts += [("queries", len(I)), ("neighbours", I.shape[1])]
    if data is not None:
        kinds = {"Q": POINTS("queries", "d"), "X": POINTS("n", "d")}
        Q, X = checked(read_data(data), kinds, data, queries=len(I)).values()
        if len(X) < I.shape[1]:
            raise UnusableError(f"{data} must have at least {I.shape[1]} points; got {len(X)}")
        work = len(Q) * len(X) * (X.shape[1] + 20)
        queries = counted(len(Q), "query", "queries")
        what = f"the true neighbours of {queries} among {counted(len(X), 'point')}"
        announce(what, work, 40 * len(X) + X.nbytes + Q.nbytes, "points")
        name_faults(report, I, true_neighbors(Q, X, I.shape[1]))
        return report
    if truth is None:
        raise UnusableError("name the true neighbours with --truth, or X and Q with --data")
    T = read_array(truth, int64s("queries", "neighbours"), queries=len(I))
    if T.shape[1] < I.shape[1]:
        raise UnusableError(
            f"{truth} must have rows of at least {I.shape[1]} neighbours; got {T.shape}"
        )
    what = f"{counted(len(I), 'row')} of {counted(I.shape[1], 'neighbour')}"
    announce(what, 50 * I.size, 100 * I.size + T.nbytes, "rows")
    name_faults(report, I, ((row, None) for row in T[:, : I.shape[1]].tolist()))
    return report


def true_neighbors(
    Q: FloatArray, X: FloatArray, k: int
) -> Iterator[tuple[list[int], FloatArray | None]]:
    """Yield the true neighbours of each query, and its squared distances to all points."""
    for q in Q:
        (D,) = squares(q[np.newaxis], X)
        yield np.argsort(D, kind="stable")[:k].tolist(), D


def name_faults(
    report: Report, I: IntArray, truth: Iterable[tuple[list[int], FloatArray | None]]
) -> None:
    """Count what is wrong with the rows, and name the first row of each kind of difference."""
    counts = dict.fromkeys(("duplicates", "-1 as padding", "short rows", "no neighbours"), 0)
    right = 0
    first: dict[Kind, str] = {}
    for row, (found, (true, D)) in enumerate(zip(I.tolist(), truth, strict=True)):
        real = [i for i in found if i >= 0]
        counts["duplicates"] += len(real) - len(set(real))
        counts["-1 as padding"] += found.count(-1)
        counts["short rows"] += len(real) < len(found)
        counts["no neighbours"] += sum(i < -1 or (D is not None and i >= len(D)) for i in found)
        right += len(set(real) & set(true))
        kind = _row_kind(found, true, D)
        if kind is not None:
            words = f"row {row}: {true} expected; got {found}"
            if kind == Kind.NOT_COMPARED:
                words += ", the same in another order: --data tells whether these are ties"
            first.setdefault(kind, words)
    report.facts += list(counts.items())
    report.facts += [("true neighbours found", right), ("of", I.size)]
    report.facts.append(("share", right / max(1, I.size)))
    for kind, words in first.items():
        report.differences.append(Difference("neighbours", kind, "indices", "LM:4.1:4", words))


def _row_kind(found: list[int], true: list[int], D: Any) -> Kind | None:
    """Return how a row differs, or None."""
    if found == true:
        return None
    real = [i for i in found if i >= 0]
    if len(real) < len(found) or len(set(real)) < len(real):
        return Kind.WRONG
    if D is None:
        return Kind.NOT_COMPARED if sorted(found) == sorted(true) else Kind.WRONG
    return by_worth(D[true], D[found]) if max(found) < len(D) else Kind.WRONG


# ---------------------------------------------------------------------------------------- embedding


def check_embedding(path: str, data: str, k: int) -> Report:
    """Say how well embedded objects keep the nearest neighbours; there is no right answer."""
    F = read_array(path, POINTS("n", "d"))
    arrays = read_data(data)
    n = len(F)
    announce(f"all distances of {n} objects", n * n * (2 * F.shape[1] + 100), 64 * n * n, "rows")
    if "D" in arrays:
        D = checked(arrays, {"D": POINTS("n", "n")}, data, n=n)["D"]
    elif "X" in arrays:
        X = checked(arrays, {"X": POINTS("n", "d")}, data, n=n)["X"]
        D = cdist(X, X)
    else:
        raise UnusableError(f"{data} must have D or X; it has {sorted(arrays)}")
    if D.min(initial=0.0) < 0:
        raise UnusableError(f"{data}: D must hold distances of at least 0; got {D.min()}")
    if n < 2:
        raise UnusableError(f"{path} must have two rows or more; got {n}")
    if k >= n:
        raise UnusableError(f"--k must be from 1 to {n - 1}; got {k}")
    report = Report(f"{path} as an embedding", decides=False)
    report.notes.append("an embedding has no right answer: these numbers decide nothing")
    no_object = np.diag(np.full(n, np.inf))  # to itself
    true = np.argsort(D + no_object, axis=1, kind="stable")[:, :k]
    own = cdist(F, F, "cityblock")
    for name, embedded in (("L1", own), ("L2", cdist(F, F))):
        ranks = worst_ranks(embedded + no_object, true, [k])
        report.facts.append((f"{name}: median rank, k = {k}", float(np.median(ranks))))
        report.facts.append((f"{name}: 95th percentile", float(np.percentile(ranks, 95))))
        report.facts.append((f"{name}: stress", _stress(D, embedded)))
    zero = (own == 0) & (D > 0)
    np.fill_diagonal(zero, False)
    if zero.any():
        i, j = np.argwhere(zero)[0].tolist()
        report.notes.append(
            f"pairs of different objects that are mapped to one place: {int(zero.sum() // 2)}, as "
            f"{i} and {j}"
        )
    return report


def _stress(D: FloatArray, embedded: FloatArray) -> float:
    """Return the root of sum (c f - D)^2 / sum D^2 with the best c."""
    c = (D * embedded).sum() / max((embedded**2).sum(), 1e-300)
    return float(np.sqrt(((c * embedded - D) ** 2).sum() / max((D**2).sum(), 1e-300)))


# ---------------------------------------------------------------------------------------- landmarks


def check_landmarks(path: str, data: str) -> Report:
    """Compare landmarks with Algorithm 1 of FTUNE from the same first landmark, step by step."""
    K = checked(read_data(data), {"K": floats("n", "n", finite=True, nonempty=True)}, data)["K"]
    n = len(K)
    L = read_array(path, int64s("landmarks", below="n", nonempty=True), n=n).tolist()
    announce(f"{len(L)} steps over {n} objects", 4 * len(L) * n, K.nbytes, "objects")
    report = Report(f"{path} as landmarks of DSELECT on {data}")
    report.facts += [("landmarks", len(L)), ("objects", n)]
    sums = np.zeros(n)
    for step, z in enumerate(L):
        best = int(sums.argmin())
        if z in L[:step]:
            words = f"landmark {step + 1} is {z}, which is taken already (ERRATUM FT-1)"
            report.differences.append(Difference("dselect", Kind.WRONG, "L", "FT:1:4", words))
            break
        if step and z != best:
            words = f"landmark {step + 1}: {best} expected, of sum {sums[best]:.17g}; got {z} of "
            kind, words = as_similar(K, L[:step], best, z), words + f"{sums[z]:.17g}"
            report.differences.append(Difference("dselect", kind, "L", "FT:1:3", words))
            if kind == Kind.WRONG:
                break
        sums += K[:, z]
        sums[z] = np.inf  # it is taken
    return report


# --------------------------------------------------------------------------------------------- tree


def check_tree(path: str, data: str) -> Report:
    """Compare a ball tree with § 4.1: complete, each node divided, balls around their points."""
    # Node j has the children 2 j + 1 and 2 j + 2 and the points ``order[starts[j]:ends[j]]``.
    X = checked(read_data(data), {"X": floats("n", "d", finite=True)}, data)["X"]
    kinds = {
        "order": int64s("points"),
        "starts": int64s("m"),
        "ends": int64s("m"),
        "centres": floats("m", "d", finite=True, optional=True),
        "radii": floats("m", finite=True, optional=True),
    }
    tree = checked(read_data(path), kinds, path, d=X.shape[1])
    order, starts, ends = (tree[name] for name in ("order", "starts", "ends"))
    if not len(starts) or len(starts) & (len(starts) + 1):
        raise UnusableError(f"{path}: a complete tree has 1, 3, 7, ... nodes; got {len(starts)}")
    m = len(starts)
    depth = m.bit_length()
    announce(f"{m} balls of {len(X)} points", 6 * depth * X.size, 3 * X.nbytes, "points")
    report = Report(f"{path} as a ball tree of {data}")
    report.notes.append("not looked at: along which direction a node is divided, and where")
    report.facts += [("points", len(X)), ("nodes", m)]
    words = _division_fault(order, starts, ends, len(X))
    if words is not None:
        report.differences.append(Difference("tree", Kind.WRONG, "order", "LM:4.1:2", words))
        return report
    sizes = ends - starts
    uneven = int((np.abs(sizes[1::2] - sizes[2::2]) > 1).sum())
    report.facts.append(("nodes that are not divided at the median", uneven))
    worst = 0.0
    for j, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = X[order[start:end]]
        if tree["radii"] is None or not len(part):
            continue
        centre = part.mean(axis=0) if tree["centres"] is None else tree["centres"][j]
        reach = float(np.hypot.reduce(part - centre, axis=1).max())  # no square overflows
        radius = float(tree["radii"][j])
        if radius < reach * (1 - 1e-12) and not report.differences:
            words = f"node {j}: the ball of radius {radius:.17g} misses a point at {reach:.17g}"
            report.differences.append(Difference("tree", Kind.WRONG, "radii", "LM:4.1:3", words))
        worst = max(worst, radius - reach)
    report.facts.append(("largest radius that is not needed", worst))
    return report


def _division_fault(order: Any, starts: Any, ends: Any, n: int) -> str | None:
    if sorted(order.tolist()) != list(range(n)):
        return f"order must hold each of {n} points once"
    if starts[0] != 0 or ends[0] != n:
        return f"the root must hold all {n} points; it holds {starts[0]} to {ends[0]}"
    for j in range(len(starts) // 2):
        left, right = 2 * j + 1, 2 * j + 2
        joined = starts[left] == starts[j] and ends[left] == starts[right]
        if not joined or ends[right] != ends[j]:
            return f"the children of node {j} must divide its points"
    return None
