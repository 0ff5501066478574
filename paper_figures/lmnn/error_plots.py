"""How figures 2 and 4 and the small sets are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paper_figures.lmnn.clusters_results import BY_CLASS, VOTERS
from paper_figures.lmnn.low_rank_results import ERROR
from paper_figures.lmnn.small_sets_results import MEASURES
from paper_figures.plots import key, labelled, panels, series_style, standard_error
from paper_figures.themes import theme

if TYPE_CHECKING:
    from matplotlib import figure as mpl

    from paper_figures.store import Record, Row

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


def draw_ranks(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 2: errors by dimension; above them what ball trees gain over the scan."""
    methods = record["drawing"]["methods"]
    top, axis = figure.subplots(2, 1, sharex=True, height_ratios=(1.2, 2.4))
    ranks = {int(rank) for name in METHODS[1:] for rank in methods.get(name, {})}
    for place, (name, words) in enumerate(GAINED.items()):
        gains = [
            (int(rank), at[name])
            for rank, at in sorted(methods.get(SEARCHED, {}).items(), key=lambda item: int(item[0]))
            if at[name] is not None and (int(rank) in ranks or not ranks)
        ]
        style = series_style(len(METHODS) + place)
        top.plot(*zip(*gains, strict=True), label=words, **style)
    top.axhline(1.0, color=theme().ink, linestyle=":")
    top.set(ylabel="times", title=f"Ball trees over the scan ({SEARCHED})")
    top.set_ylim(0, None)
    for place, method in enumerate(METHODS):
        by_rank = methods.get(method, {})
        points = sorted((int(r), by_rank[r]["error"]) for r in by_rank if int(r) in ranks)
        if points:
            axis.plot(*zip(*points, strict=True), label=method, **series_style(place))
    if "baseline" in record["drawing"]:
        level = record["drawing"]["baseline"]
        axis.axhline(level, color=theme().ink, linestyle=":", label="all components, Euclidean")
    axis.set(xlabel="dimensions", ylabel=ERROR)
    key(figure, labelled(axis) | labelled(top))


def draw_clusters(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 4: test error by the number of metrics, and by class, with standard errors."""
    from matplotlib.ticker import MaxNLocator

    rows = [row for row in record["rows"] if row["ours"] is not None]
    sets = list(dict.fromkeys(row["data set"] for row in rows))
    handles: dict[str, Any] = {}
    for axis, name in zip(panels(figure, len(sets)), sets, strict=True):
        for place, voters in enumerate(VOTERS.values()):
            mine = [row for row in rows if (row["data set"], row["voters"]) == (name, voters)]
            handles |= _clusters(axis, mine, voters, place)
        axis.set(title=name, xlabel="number of metrics", ylabel=ERROR)
        axis.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    key(figure, handles, _repeated(rows, "bars and bands", "run"))


def _clusters(axis: Any, rows: list[Row], voters: str, place: int) -> dict[str, Any]:
    """Draw the numbers where some points vote; return what there is to explain."""
    clusters = [row for row in rows if row["metrics"] != BY_CLASS]
    clusters.sort(key=lambda row: int(row["metrics"]))
    style = series_style(place)
    handles = {
        f"clusters by k-means, {voters} vote": axis.errorbar(
            [row["metrics"] for row in clusters],
            [row["ours"] for row in clusters],
            yerr=[standard_error(row) for row in clusters],
            capsize=2,
            **style,
        )
    }
    for row in (row for row in rows if row["metrics"] == BY_CLASS):
        error = standard_error(row)
        low, high = row["ours"] - error, row["ours"] + error
        axis.axhspan(low, high, color=style["color"], alpha=0.15, linewidth=0)
        handles[f"one for each class, {voters} vote"] = axis.axhline(
            row["ours"], color=style["color"], linestyle="--"
        )
    return handles


def _repeated(rows: list[Row], marks: str, name: str) -> str:
    """Return what bars and bands show, or that they cannot be there."""
    counts = sorted({row.get("repetitions", 1) for row in rows})
    if counts == [1]:
        return f"one {name} each, without standard errors"
    said = " or ".join(map(str, counts))
    return f"{marks}: standard errors of means of {said} {name}s"


def draw_small_sets(record: Record, figure: mpl.Figure) -> None:
    """Draw a panel for each set: a line for each method, test and training error on it."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    sets = list(dict.fromkeys(row["data set"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    handles: dict[str, Any] = {}
    for place, (axis, name) in enumerate(zip(panels(figure, len(sets)), sets, strict=True)):
        for series, measure in enumerate(MEASURES.values()):
            mine = [r for r in rows if (r["data set"], r["measure"]) == (name, measure)]
            handles[measure] = axis.errorbar(
                [row["ours"] for row in mine],
                [methods.index(row["method"]) for row in mine],
                xerr=[standard_error(row) for row in mine],
                capsize=2,
                **series_style(series) | {"linestyle": "none"},
            )
        axis.set_yticks(range(len(methods)), methods if place % 2 == 0 else [""] * len(methods))
        axis.invert_yaxis()
        axis.set(title=name, xlabel="error (%)")
    key(figure, handles, _repeated(rows, "bars", "split"))
