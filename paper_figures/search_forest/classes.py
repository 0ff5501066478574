"""Similarity by class: what a forest learnt from labels returns, beside searches by distance.

Li et al. (2011) claim in § 1 that the forest suits any similarity of pairs, and try it with
Euclidean neighbours alone. Here two points are similar if they have the same label.
"""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.answers import tell
from paper_figures.rows import absent, by
from paper_figures.search_forest.methods import Grown, grown, selected, size_of
from paper_figures.search_forest.points import HELD_OUT, trial, whole
from paper_figures.search_forest.readings import over_draws, shares
from paper_figures.search_forest.recall import FOREST
from paper_figures.store import Record
from paper_figures.study import Cell, Gathered, Grid, Job, Observation, Seen, Study, View
from refimpl.ball_trees import nearest_neighbors
from refimpl.lmnn import lmnn
from refimpl.search_forest import ForestOptions, label_similarity, search_forest
from refimpl.typing import FloatArray, IntArray, Labels

SEED = 1  # of hnswlib's own generator
SEARCHES = {
    "forest": f"{FOREST}, learnt from classes",
    "exact": "exact Euclidean neighbours",
    "hnswlib": "hnswlib",
    "LMNN": "exact neighbours in LMNN's metric",
}
NOTE = (
    "Per cent of the query's class among the first returned items; an item that is not returned "
    "counts as one of another class. Two points are similar if they have the same label. The "
    "forest returns its candidates by T, the best first; no distance is computed. LMNN learns one "
    "metric with three target neighbours from the same labels. Euclidean neighbours know no labels."
)


def classes(
    job: Job,
    *,
    search: str,
    draws: int,
    n_train: int,
    forest: Mapping[str, Any],
    hnswlib: str | None,
    **at: Any,
) -> Iterator[Observation]:
    """Yield the shares of the query's class that a search returns, for each draw."""
    # forest and LMNN learn from the same n_train labels; without hnswlib nothing is computed
    if search == "hnswlib" and hnswlib is None:
        yield {"draw": 0, "missing": "hnswlib"}
        return
    problem = whole(job, **at)
    X, Q, near, counts, _ = problem
    labels = job.load(at["data_set"]).y
    y, z = labels[: len(X)], labels[len(X) :][: len(Q)]
    lam: float | None = None
    tried: list[list[float]] = []
    if search == "forest":
        lam, tried = _lambda(job, y, n_train, forest, at)
    for draw in range(draws):
        rng = job.rng_for("classes", draw)
        rows = _training_part(len(X), n_train, rng)
        more: Observation = {}
        if search == "forest":
            model = _learnt(job, X[rows], y[rows], lam, rng, forest)
            found = selected(job, model.forest, X, Q)
            starts, items = found.starts, found.indices
            more = {"setting": lam, "tried": tried, **size_of(model)}
        else:
            if search == "LMNN":
                L = lmnn(X[rows], y[rows], 3, kernels=job.kernels).L[0]
                points, queries = (np.ascontiguousarray(part @ L.T) for part in (X, Q))
                near = nearest_neighbors(queries, points, problem.K, kernels=job.kernels).indices
            elif search == "hnswlib":
                near = _graph_neighbors(X, Q, problem.K)
            starts, items = np.arange(len(Q) + 1) * problem.K, near.ravel()
        yield {"draw": draw, **shares(of_class(starts, items, y, z, counts)), **more}


def _training_part(n: int, n_train: int, rng: np.random.Generator) -> IntArray:
    return np.sort(rng.choice(n, min(n_train, n), replace=False))


def _learnt(
    job: Job,
    X: FloatArray,
    y: Labels,
    lam: float | None,
    rng: np.random.Generator,
    forest: Mapping[str, Any],
) -> Grown:
    depth, trees = forest["max_depth"], forest["trees"]
    options = {"rng": rng, "options": ForestOptions(depth), "kernels": job.kernels}
    return grown(depth, search_forest, X, label_similarity(y), trees, lam, **options)


def _lambda(
    job: Job, y: Labels, n_train: int, forest: Mapping[str, Any], at: Mapping[str, Any]
) -> tuple[float, list[list[float]]]:
    """Return the lambda of the largest mean share, and the share of each, on a trial."""
    size = forest["sample"]
    small = trial(job, size, **{key: at[key] for key in ("data_set", "d", "K", "counts")})
    order = job.rng_for("trial", at["data_set"]).permutation(len(y))
    asked, rest = y[order[:HELD_OUT]], y[order[HELD_OUT : HELD_OUT + size]]
    tried = []
    for lam in forest["lams"]:
        rng = job.rng_for("classes", 0)
        rows = _training_part(len(rest), n_train, rng)
        model = _learnt(job, small.X[rows], rest[rows], lam, rng, forest)
        found = selected(job, model.forest, small.X, small.Q)
        of_queries = of_class(found.starts, found.indices, rest, asked, small.counts)
        tried.append([lam, 100 * float(of_queries.mean())])
    return max(tried, key=lambda of_lam: of_lam[1])[0], tried


def of_class(
    starts: IntArray, items: IntArray, y: Labels, of_queries: Labels, counts: Sequence[int]
) -> FloatArray:
    """Return the share of each query's class among its first items, by count."""
    # query i is returned items[starts[i]:starts[i + 1]], the best first
    sizes = np.diff(starts)
    right = np.append(0, np.cumsum(y[items] == np.repeat(of_queries, sizes)))
    ends = starts[:-1, np.newaxis] + np.minimum(sizes[:, np.newaxis], counts)
    share: FloatArray = (right[ends] - right[starts[:-1, np.newaxis]]) / np.array(counts)
    return share


def _graph_neighbors(X: FloatArray, Q: FloatArray, K: int) -> IntArray:
    index = importlib.import_module("hnswlib").Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), M=16, ef_construction=200, random_seed=SEED)
    index.add_items(X, num_threads=1)
    index.set_ef(2 * K)
    found: IntArray = index.knn_query(Q, K, num_threads=1)[0].astype(np.int64)
    return found


# --------------------------------------------------------------------------- rows and picture


def gather(seen: Seen) -> Gathered:
    """Return the share of the query's class by data set, method and number of returned items."""
    rows = seen.absent({"data set": None, "method": "all", "returned": None})
    for (data_set, search), draws in by(seen.items, "data_set", "search").items():
        keys = {"data set": data_set, "method": SEARCHES[search]}
        first = draws[0]
        if "missing" in first:
            package = first["missing"]
            why = f"{package} is not installed: pip install 'refimpl[libraries]' installs it"
            rows.append(absent(keys | {"returned": None}, why))
            continue
        for place, count in enumerate(first["counts"]):
            means, errors = ([draw[key][place] for draw in draws] for key in ("recall", "error"))
            numbers = over_draws(means, errors, first["queries"])
            rows.append(keys | {"returned": count, "published": None} | numbers)
    return Gathered(rows, [_set_note(seen), NOTE, *_forest_notes(seen)])


def _set_note(seen: Seen) -> str:
    items = [*seen.items, *seen.missing]
    sets = dict.fromkeys(
        f"{item['data_set']} on {item['d']} components (forest and LMNN learn from "
        f"{item['n_train']} points)"
        for item in items
    )
    return f"{'; '.join(sets)}. {items[0]['queries']} queries that are not in the database."


def _forest_notes(seen: Seen) -> list[str]:
    return [
        f"{item['data_set']}: forest of {item['of_forest']} trees, {item['leaves']:.0f} "
        f"leaves on average, lambda {item['setting']:g} (mean share on the trial: "
        + ", ".join(f"{lam:g}: {mean:.1f}" for lam, mean in item["tried"])
        + ")."
        for item in seen.items
        if item["search"] == "forest" and item["draw"] == 0
    ]


def draw(record: Record, figure: plots.Figure) -> None:
    """Draw the share of the query's class: a panel for each number of returned items."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    rows.sort(key=lambda row: row["returned"])
    sets, names = (list(dict.fromkeys(row[key] for row in rows)) for key in ("data set", "method"))
    handles: dict[str, Any] = {}
    for axis, (count,), mine in plots.panels_by(figure, rows, "returned", columns=1):
        for (name,), marks in by(mine, "method").items():
            place = names.index(name)
            y = [sets.index(row["data set"]) + 0.15 * (place - len(names) / 2) for row in marks]
            style = plots.series_style(place) | {"linestyle": "none"}
            (handles[name],) = axis.plot([row["ours"] for row in marks], y, **style)
            tell(handles[name], marks)
        axis.set(
            title=f"First {count:,} returned items",
            xlabel="items of the query's class (%)",
            xlim=(0, 102),
        )
        axis.set_yticks(range(len(sets)), sets)
        axis.set_ylim(len(sets) - 0.5, -0.6)
    plots.key(figure, handles)


# --------------------------------------------------------------------------- the study


def cells(draws: int, forest: dict[str, Any], **at: Any) -> list[Cell]:
    """Return a cell for each search; those without chance have one draw."""
    installed = version("hnswlib") if find_spec("hnswlib") else None
    return [
        at
        | {"search": search, "draws": draws if search in ("forest", "LMNN") else 1}
        | {"forest": forest, "hnswlib": installed if search == "hnswlib" else None}
        for search in SEARCHES
    ]


STUDY = Study(
    "classes",
    classes,
    {
        "small": cells(
            2,
            {"lams": (0.2, 0.5), "max_depth": 8, "trees": 8, "sample": 900},
            data_set="digits",
            d=30,
            n_train=600,
            queries=300,
            K=100,
            counts=(20, 100),
        ),
        "paper": cells(
            3,
            {"lams": (0.1, 0.2, 0.5), "max_depth": 12, "trees": 17, "sample": 20_000},
            data_set="MNIST-10",
            d=64,
            n_train=10_000,
            queries=10_000,
            K=1000,
            counts=(100, 1000),
        ),
    },
    (
        View(
            "classes",
            "Similarity by class",
            gather,
            draw,
            "Share of the query's class among the first returned items, by data set, for the "
            "forest, exact Euclidean neighbours, hnswlib and LMNN's metric.",
            (5.2, 5.6),
            (Grid(("data set", "method"), ("returned",)),),
        ),
    ),
)
