"""Figure 2 of Weinberger & Saul (2008): k-nn error on low dimensional representations (§ 4.3).

PCA, LMNN-SVD and LMNN-RECT on all digits, whose 350 components hold nearly all of the variance. The
paper names neither the step of its solver nor its end: ours are the printed steps, from the
Euclidean metric on the points as given, and at the small scale also the solvers for use, which go
on to the optimum. Ball trees are counted and timed with leaves of 2 to 128 points: the paper does
not print the size, which decides how many points they compare.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from time import process_time
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.answers import tell
from paper_figures.lmnn.points import Points, per_cent, points, printed_steps, scaled
from paper_figures.rows import exact, number, of_points
from paper_figures.store import Record, Row
from paper_figures.study import Cell, Gathered, Grid, Job, Observation, Seen, Study, View
from paper_figures.themes import LIGHT
from refimpl.lmnn import (
    LMNNOptions,
    algorithm,
    classify,
    lmnn,
    lmnn_rect,
    lmnn_svd,
    target_neighbors,
)
from refimpl.rivals.rotated_scan import principal_axes
from refimpl.typing import FloatArray

K = 3
TOL = {"full": 2e-3, "rect": 1e-3}  # of the solvers for use
QUERIES = 1000  # test points whose search is timed
BLOCKS = 10  # so many parts of them; the ways to search take turns on each part


def compute(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    n: int,
    d: int,
    method: str,
    ranks: Sequence[int],
    solver: str = "",
    checks: int = 0,
) -> Iterator[Observation]:
    """Yield what is measured under a metric in some numbers of dimensions."""
    # "full" is also cut to its leading eigenvectors (LMNN-SVD); "rect" trains ranks[0] rows; the
    # printed steps end after so many full checks
    P = points(job, data_set, preparation, d, n)
    if method == "Euclidean":
        identity = np.eye(d)
        yield {"name": EUCLIDEAN, "rank": d} | measured(job, P, identity)
        for r in ranks:
            yield {"name": "PCA", "rank": r} | measured(job, P, identity[:r])
        return
    training = _trained(job, P, ranks[0] if method == "rect" else None, solver, checks)
    L = training.pop("L")
    said = SOLVERS[solver]
    if method == "rect":
        yield {"name": f"LMNN-RECT, {said}", "rank": ranks[0]} | training | measured(job, P, L)
        return
    yield {"name": f"LMNN, full rank, {said}", "rank": d} | training | measured(job, P, L)
    for r in ranks:
        yield {"name": f"LMNN-SVD, {said}", "rank": r} | measured(job, P, lmnn_svd(L, r))


def _trained(job: Job, P: Points, r: int | None, solver: str, checks: int) -> dict[str, Any]:
    """Train a metric of full rank, or a factor of r rows, whose "optimum" has no bound."""
    if solver == "printed":  # from the multiple of L of mean squared target distance 1
        targets = target_neighbors(P.X, P.y, K)
        X = np.ascontiguousarray(P.X)
        L = scaled(np.eye(r or X.shape[1], X.shape[1]), X, targets)
        step = algorithm.metric_step if r is None else algorithm.factor_step
        states = printed_steps(X, P.y, targets, job.kernels, L, step=step)
        *_, (now, (objective, best)) = algorithm.until_converged(states, tol=1e-6, checks=checks)
        return {"L": best[0], "objective": objective, "steps": now.t}
    options = LMNNOptions(tol=TOL["full" if r is None else "rect"])
    if r is None:
        result = lmnn(P.X, P.y, K, options=options, kernels=job.kernels)
    else:
        result = lmnn_rect(P.X, P.y, r, K, options=options, kernels=job.kernels)
    return {"L": result.L[0], "objective": result.objective}


def measured(job: Job, P: Points, L: FloatArray) -> dict[str, Any]:
    """Return the test error under a factor L, the test points that are wrong, and the searches."""
    classes = classify(L, P.Q, P.X, P.y, K, kernels=job.kernels)
    wrong = np.flatnonzero(classes != P.z)
    return {"error": per_cent(classes, P.z), "wrong": wrong} | searched(job, P, L)


def searched(job: Job, P: Points, L: FloatArray) -> dict[str, Any]:
    """Search in four ways, which take turns on parts of the queries, on one thread."""
    # All get the points rotated to their principal components (§ 4.2). "leaf" is the trees' own
    # loop over all points. "terms" is the share of all coordinates that the scan adds up, "balls"
    # and "boxes" the share of all points; "leaves" has balls' seconds and share by leaf size.
    axes = principal_axes(P.X @ L.T)
    X = np.ascontiguousarray(P.X @ L.T @ axes.T)
    chosen = job.rng_for("timed queries", len(P.Q)).permutation(len(P.Q))[:QUERIES]
    Q = np.ascontiguousarray(P.Q[chosen] @ L.T @ axes.T)
    kernels = job.kernels
    leaf = kernels.build_tree(X, leaf_size=max(2, len(X)), threads=1)
    balls = kernels.build_tree(X, direction="principal", threads=1)
    boxes = kernels.build_tree(X, direction="axis", threads=1)
    ways: dict[str, Callable[[FloatArray], Any]] = {
        "scan": lambda part: kernels.scan_nearest(part, X, K, threads=1),
        "leaf": lambda part: kernels.tree_nearest(leaf, part, K, threads=1),
        "balls": lambda part: kernels.tree_nearest(balls, part, K, bound="ball", threads=1),
        "boxes": lambda part: kernels.tree_nearest(boxes, part, K, bound="box", threads=1),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    looks: dict[str, float] = dict.fromkeys(ways, 0.0)
    for part in np.array_split(Q, BLOCKS):
        for way, search in ways.items():
            before = process_time()
            answer = search(part)
            seconds[way].append(process_time() - before)
            looks[way] += float(answer[2].sum()) / len(Q)
    leaves = {}
    for size in LEAVES:
        tree = kernels.build_tree(X, leaf_size=size, direction="principal", threads=1)
        before = process_time()
        counts = kernels.tree_nearest(tree, Q, K, bound="ball", threads=1)[2]
        leaves[str(size)] = [process_time() - before, float(counts.mean()) / len(X)]
    return {
        "leaves": leaves,
        "seconds_of": seconds,
        "terms": looks["scan"] / X.size,
        "balls": looks["balls"] / len(X),
        "boxes": looks["boxes"] / len(X),
    }


SOLVERS = {"printed": "printed steps", "optimum": "optimum"}
EUCLIDEAN = "Euclidean, all components"
ERROR = "test error (%)"
COMPARED = "errors less those of {} (%)"
SEARCHES = (  # measure, way, baseline
    ("balls, times as fast as the scan", "balls", "scan"),
    ("boxes, times as fast as the scan", "boxes", "scan"),
    ("balls, times as fast as one leaf", "balls", "leaf"),
)
COUNTS = (
    ("points compared, balls (%)", "balls"),
    ("points compared, boxes (%)", "boxes"),
    ("coordinates added up, scan (%)", "terms"),
)
FEWER = "balls, times fewer coordinates than the scan"
OTHERS = ("PCA", "LMNN-SVD", "all components")  # what errors are compared with

LEAF_FEWER = "balls, leaves of {}, times fewer points than a scan"
LEAF_FASTER = "balls, leaves of {}, times as fast as the scan"

Measured = Mapping[str, Any]


def figure2(seen: Seen) -> Gathered:
    """Return test errors, their differences, and what searches cost, by method and rank."""
    rows = seen.absent({"method": "all", "dimensions": None, "measure": None})
    found = {(item["name"], item["rank"]): item for item in seen.items}
    for (method, dimensions), value in found.items():
        keys = {"method": method, "dimensions": dimensions}
        rows += [_error(keys, value), *_differences(keys, value, found), *_searches(keys, value)]
    return Gathered(rows, list(_notes(seen.items)), _drawing(found))


def _error(keys: Row, value: Measured) -> Row:
    """Return the test error, with the standard error of a share of so many points."""
    row = exact(keys | {"measure": ERROR}, round(value["error"], 2))
    return of_points(row, _test_points(value))


def _differences(
    keys: Row, value: Measured, measured: Mapping[tuple[str, int], Measured]
) -> Iterator[Row]:
    """Yield the errors less those of PCA, of LMNN-SVD and of all components, on the same points."""
    method, dimensions = keys["method"], keys["dimensions"]
    if "RECT" not in method and "SVD" not in method:
        return
    others = {"PCA": ("PCA", dimensions)}
    if "RECT" in method:
        others["LMNN-SVD"] = (method.replace("RECT", "SVD"), dimensions)
    others["all components"] = next((at for at in measured if at[0] == EUCLIDEAN), ("", 0))
    for name, at in others.items():
        if at not in measured:
            continue
        points = _test_points(value)
        less, error = difference(set(value["wrong"]), set(measured[at]["wrong"]), points)
        row = exact(keys | {"measure": COMPARED.format(name)}, round(less, 3))
        yield row | {"error": error, "n": points}


def _test_points(value: Measured) -> int:
    """Return the number of test points, from the errors and their share; 1 without errors."""
    wrong = len(value["wrong"])
    return round(100 * wrong / value["error"]) if wrong else 1


def difference(mine: Set[int], others: Set[int], points: int) -> tuple[float, float]:
    """Return errors less those of others, by the points each gets wrong (%), and its error."""
    alone = len(mine - others), len(others - mine)
    share = (alone[0] - alone[1]) / points
    # one more on each side, so that two equal methods have an error too
    variance = (sum(alone) + 2) / points - share**2
    return 100 * share, 100 * math.sqrt(max(variance, 0.0) / points)


def _searches(keys: Row, value: Measured) -> Iterator[Row]:
    """Yield ratios of seconds, over parts of the queries, and the counts."""
    for measure, way, baseline in SEARCHES:
        parts = np.array(value["seconds_of"][way])
        whole = np.array(value["seconds_of"][baseline])
        if not (parts > 0).all():  # too short for the clock
            continue
        ratios = whole / parts
        row = number(keys | {"measure": measure}, ratios)
        yield row | {"ours": round(float(whole.sum() / parts.sum()), 2)}
    for measure, name in COUNTS:
        yield exact(keys | {"measure": measure}, round(100 * value[name], 2))
    fewer = value["terms"] / value["balls"]
    yield exact(keys | {"measure": FEWER}, round(fewer, 2))
    scan = sum(value["seconds_of"]["scan"])
    for size, (seconds, share) in value["leaves"].items():
        yield exact(keys | {"measure": LEAF_FEWER.format(size)}, round(1 / share, 2))
        if seconds > 0:
            row = exact(keys | {"measure": LEAF_FASTER.format(size)}, round(scan / seconds, 2))
            yield row | {"error": None}


def _notes(items: Sequence[Observation]) -> Iterator[str]:
    yield (
        "k = 3. The printed steps go from the Euclidean metric on the points as given; the optimum "
        "is that of eq. 3, for RECT a local one. The scan is that of § 4.2. Each way to search "
        "gets the same queries in the same run, part by part; its ratio is one of processor "
        "seconds, and its error that over the parts."
    )
    full = {i["solver"]: i["objective"] for i in items if i["name"].startswith("LMNN, full rank")}
    if len(full) == 2:
        above = 100 * (full["printed"] / full["optimum"] - 1)
        steps = max(item.get("steps", 0) for item in items)
        yield f"The {steps} printed steps of the full metric end {above:.0f} % above its optimum."


def _drawing(measured: Mapping[tuple[str, int], Measured]) -> dict[str, Any]:
    """Return by method and rank the error and the gains, and the error of all components."""
    drawing: dict[str, Any] = {"methods": {}}
    for (method, dimensions), value in measured.items():
        if method == EUCLIDEAN:
            drawing["baseline"] = value["error"]
        elif "full rank" not in method:
            seconds = {way: sum(times) for way, times in value["seconds_of"].items()}
            drawing["methods"].setdefault(method, {})[str(dimensions)] = {
                "error": value["error"],
                "balls": seconds["scan"] / seconds["balls"] if seconds["balls"] else None,
                "boxes": seconds["scan"] / seconds["boxes"] if seconds["boxes"] else None,
                "fewer": value["terms"] / value["balls"],
            }
    return drawing


METHODS = (
    "PCA",
    "LMNN-SVD, printed steps",
    "LMNN-RECT, printed steps",
    "LMNN-SVD, optimum",
    "LMNN-RECT, optimum",
)
GAINED = {
    "balls": "balls (eq. 7), by seconds",
    "boxes": "boxes, by seconds",
    "fewer": "balls, by coordinates counted",
}
SEARCHED = "PCA"  # whose searches stand above


def draw_ranks(record: Record, figure: plots.Figure) -> None:
    """Draw figure 2: errors by dimension; above them what ball trees gain over the scan."""
    methods = record["drawing"]["methods"]
    ranks = {int(rank) for name in METHODS if name != SEARCHED for rank in methods.get(name, {})}
    gained = _gained(methods.get(SEARCHED, {}), ranks)
    if any(gained.values()):
        top, axis = figure.subplots(2, 1, sharex=True, height_ratios=(1.2, 2.4))
        free = [place for place, name in enumerate(METHODS) if not methods.get(name)]
        places = (*range(len(METHODS), 8), *free)
        for place, (words, points) in zip(places, gained.items(), strict=False):
            if points:
                top.plot(*zip(*points, strict=True), label=words, **plots.series_style(place))
        top.axhline(1.0, color=LIGHT.ink, linestyle=":")
        top.set(ylabel="times as fast\nas a scan", title=f"Ball trees over the scan ({SEARCHED})")
        top.set_ylim(0, None)
    else:
        axis = figure.subplots()
    of_error = (row for row in record["rows"] if row["measure"] == ERROR)
    errors = {(row["method"], row["dimensions"]): row for row in of_error}
    for place, method in enumerate(METHODS):
        by_rank = methods.get(method, {})
        points = sorted((int(r), by_rank[r]["error"]) for r in by_rank if int(r) in ranks)
        if points:
            (line,) = axis.plot(
                *zip(*points, strict=True), label=method, **plots.series_style(place)
            )
            tell(line, [errors.get((method, rank)) for rank, _ in points])
    if "baseline" in record["drawing"]:
        level = record["drawing"]["baseline"]
        axis.axhline(level, color=LIGHT.ink, linestyle=":", label="all components, Euclidean")
    axis.set(xlabel="dimensions", ylabel=ERROR)
    plots.key(figure, plots.labelled(axis) | (plots.labelled(top) if any(gained.values()) else {}))


def _gained(by_rank: dict[str, Any], ranks: set[int]) -> dict[str, list[tuple[int, float]]]:
    """Return what each way to search gains over the scan, by rank."""
    shown = sorted((int(r), at) for r, at in by_rank.items() if int(r) in ranks)
    return {words: [(r, at[way]) for r, at in shown if at[way]] for way, words in GAINED.items()}


LEAVES = (2, 4, 8, 16, 32, 64, 128)


def cells(
    at: Cell, ranks: Sequence[int], pca: Sequence[int], checks: int, solvers: Sequence[str]
) -> Iterator[Cell]:
    """Yield the Euclidean metric, and the solvers of the full metric and of each rank."""
    yield at | {"method": "Euclidean", "ranks": list(pca)}
    for solver in solvers:
        same = at | {"solver": solver, "checks": checks}
        yield same | {"method": "full", "ranks": list(ranks)}
        yield from (same | {"method": "rect", "ranks": [r]} for r in ranks)


DIGITS = {"data_set": "digits", "preparation": "as they are", "n": 600, "d": 30}
MNIST = {"data_set": "MNIST-10", "preparation": "normalised", "n": 60_000, "d": 350}
RANKS = (15, 20, 25, 30, 35, 40)
STUDY = Study(
    "low_rank",
    compute,
    {
        "small": list(cells(DIGITS, (5, 10, 15), (5, 10, 15, 20), 8, ("printed", "optimum"))),
        "paper": list(
            cells(MNIST, RANKS, (10, *RANKS, 60, 100), 12, ("printed",))  # 151 steps
        ),
    },
    (
        View(
            "figure2",
            "k-NN error on low dimensional representations",
            figure2,
            draw_ranks,
            alt="Errors of PCA, and of LMNN-SVD and LMNN-RECT by both solvers, by dimension; above "
            "them how many times faster a search in ball trees is than a scan.",
            size=(5.2, 6.4),
            layout=(Grid(("method",), ("dimensions",), tables=("measure",)),),
        ),
    ),
    version=2,  # the scan compares sixteen points at once
)
