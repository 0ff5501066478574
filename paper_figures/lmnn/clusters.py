"""Figure 4 of Weinberger & Saul (2008): test error by the number of metrics (§ 5.1, 5.2).

The paper averages 100 runs of up to 30 clusters. We run 4, which hold out the same points for every
number of clusters, and also show the differences run by run. One metric, 30 and one for each class
are run 24 times on Isolet and 8 times on MNIST.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.lmnn.points import in_training, per_cent, points
from paper_figures.rows import by, differences, number
from paper_figures.store import Record, Row
from paper_figures.study import Cell, Gathered, Grid, Job, Observation, Seen, Study, View, grid
from refimpl.lmnn import LMNNOptions, classify, kmeans_partition, lmnn

K = 3
ERROR = "test error (%)"
VOTERS = {"error": "points that trained", "all": "all points"}
BY_CLASS = "one for each class"


def several(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    n: int,
    d: int,
    p: int | None,
    run: int,
    checks: int,
) -> Iterator[Observation]:
    """Train p metrics for clusters of k-means, or one for each class if p is None."""
    # The printed steps; the points held out end them. Runs differ in these and in the start of
    # k-means. Test errors in per cent: "error" where the points that trained vote, "all" where
    # those held out do, too.
    X, y, Q, z = points(job, data_set, preparation, d, n)
    trains = in_training(y, job.rng_for("held out", data_set, run))
    rng = job.rng_for("clusters", data_set, run, p)
    partition = y if p is None else kmeans_partition(X, p, rng=rng)
    metrics, inside = np.unique(partition[trains], return_inverse=True)
    options = LMNNOptions(solver="printed", validation=(X[~trains], y[~trains]), max_checks=checks)
    result = lmnn(X[trains], y[trains], K, partition=inside, options=options, kernels=job.kernels)
    # a cluster whose points are all held out takes the next metric
    places = np.searchsorted(metrics, partition).clip(max=len(metrics) - 1)
    by_trained = classify(result, Q, X[trains], y[trains], K, kernels=job.kernels)
    by_all = classify(result, Q, X, y, K, partition=places, kernels=job.kernels)
    yield {"error": per_cent(by_trained, z), "all": per_cent(by_all, z)}


def figure4(seen: Seen) -> Gathered:
    """Return means over runs, and differences of two numbers of metrics, run by run."""
    rows = seen.absent({"data set": "all", "metrics": None, "voters": None})
    counts = set()
    for (name, p), runs in by(seen.items, "data_set", "p").items():
        counts.add(len(runs))
        for field, voters in VOTERS.items():
            keys = {"data set": name, "metrics": BY_CLASS if p is None else p, "voters": voters}
            rows.append(number(keys, [run[field] for run in runs], digits=3))
    rows += _differences(seen.items)
    said = " or ".join(map(str, sorted(counts)))
    note = (
        f"Means of {said} runs (the paper: 100). Each holds out other 30 % of the training points, "
        "which end the printed steps early, and starts k-means elsewhere. The paper does not say "
        "whether the points held out vote in the test. Differences are taken run by run."
    )
    return Gathered(rows, [note])


def _differences(items: Sequence[Observation]) -> Iterator[Row]:
    """Yield errors less those of one metric, and those of one for each class less clusters'."""
    named = [item | {"metrics": BY_CLASS if item["p"] is None else item["p"]} for item in items]
    several = list(dict.fromkeys(item["metrics"] for item in named if item["metrics"] != 1))
    pairs = [(metrics, 1) for metrics in several]
    pairs += [(BY_CLASS, metrics) for metrics in several if metrics != BY_CLASS]
    for field, voters in VOTERS.items():
        for row in differences(named, ("data_set",), field, pairs, over="metrics"):
            keys = {"data set": row.pop("data_set"), "voters": voters}
            said = f"{_words(row.pop('metrics'))} less {_words(row.pop('minus'))}"
            yield keys | {"comparison": said} | row


def _words(metrics: Any) -> str:
    return metrics if metrics == BY_CLASS else f"{metrics} metric{'s' if metrics > 1 else ''}"


def draw_clusters(record: Record, figure: plots.Figure) -> None:
    """Draw figure 4: test error by the number of metrics, and by class, with standard errors."""
    from matplotlib.ticker import MaxNLocator

    rows = [r for r in record["rows"] if r["ours"] is not None and "metrics" in r]
    handles: dict[str, Any] = {}
    for axis, (name,), mine in plots.panels_by(figure, rows, "data set"):
        for place, ((voters,), of_voters) in enumerate(by(mine, "voters").items()):
            handles |= _clusters(axis, of_voters, voters, place)
        axis.set(title=name, xlabel="number of metrics", ylabel=ERROR)
        axis.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    counts = sorted({row["n"] for row in rows})
    note = f"bars and bands: standard errors of means of {' or '.join(map(str, counts))} runs"
    plots.key(figure, handles, "one run each, without standard errors" if counts == [1] else note)


def _clusters(axis: Any, rows: list[Row], voters: str, place: int) -> dict[str, Any]:
    """Draw the numbers where some points vote; return what there is to explain."""
    clusters = [row for row in rows if row["metrics"] != BY_CLASS]
    clusters.sort(key=lambda row: int(row["metrics"]))
    style = plots.series_style(place)
    said = f", {voters} vote"
    metrics = [row["metrics"] for row in clusters]
    handles = {f"clusters by k-means{said}": plots.error_bars(axis, metrics, clusters, **style)}
    for row in (row for row in rows if row["metrics"] == BY_CLASS):
        error = plots.standard_error(row)
        low, high = row["ours"] - error, row["ours"] + error
        axis.axhspan(low, high, color=style["color"], alpha=0.15, linewidth=0)
        handles[f"one for each class{said}"] = axis.axhline(
            row["ours"], color=style["color"], linestyle="--"
        )
    return handles


SMALL = (("digits", "as they are", 300, 20), ("wine", "as they are", 119, 13))
PAPER = (("isolet", "as they are", 6238, 50), ("MNIST-10", "normalised", 10_000, 50))


RUNS = 4
MORE_RUNS = (24, 8)  # of Isolet and of MNIST, with the numbers of metrics that are compared


def cells(
    sets: Sequence[tuple[str, str, int, int]],
    numbers: Sequence[int],
    runs: Sequence[int],
    checks: int,
) -> list[Cell]:
    """Return the runs with p metrics, and with a metric for each class."""
    return grid(data_set__preparation__n__d=sets, run=runs, p=(None, *numbers), checks=(checks,))


def paper_cells() -> list[Cell]:
    """Return the cells of the paper's scale."""
    listed = cells(PAPER, (1, 5, 10, 30), range(RUNS), 30)
    for one, runs in zip(PAPER, MORE_RUNS, strict=True):
        listed += cells((one,), (1, 30), range(RUNS, runs), 30)
    return listed


STUDY = Study(
    "clusters",
    several,
    {"small": cells(SMALL, (1, 2, 4), range(2), 8), "paper": paper_cells()},
    (
        View(
            "figure4",
            "Test error by the number of metrics",
            figure4,
            draw_clusters,
            alt="A panel for each set: test error by the number of clusters, and with one metric "
            "for each class, with standard errors; all points vote or those that trained.",
            size=(5.2, 3.8),
            layout=(
                Grid(
                    ("data set", "voters"),
                    ("metrics",),
                    where={"comparison": (None,)},
                    headings={"voters": "who votes"},
                ),
                Grid(
                    ("data set", "comparison"),
                    ("voters",),
                    headings={"voters": "who votes"},
                    title="differences, run by run",
                ),
            ),
        ),
    ),
    version=2,  # the printed solver takes the certificate's coordinates
)
