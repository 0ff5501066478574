"""How figures 2 and 4 and the small sets are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paper_figures.lmnn.clusters_results import BY_CLASS
from paper_figures.lmnn.low_rank_results import ERROR
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
    names = [*METHODS, *(name for name in methods if name not in METHODS)]  # of earlier records
    ranks = {int(rank) for name in names if name != SEARCHED for rank in methods.get(name, {})}
    gained = _gained(methods.get(SEARCHED, {}), ranks)
    if any(gained.values()):
        top, axis = figure.subplots(2, 1, sharex=True, height_ratios=(1.2, 2.4))
        free = [place for place, name in enumerate(names) if not methods.get(name)]
        places = (*range(len(names), 8), *free)
        for place, (words, points) in zip(places, gained.items(), strict=False):
            if points:
                top.plot(*zip(*points, strict=True), label=words, **series_style(place))
        top.axhline(1.0, color=theme().ink, linestyle=":")
        top.set(ylabel="times as fast\nas a scan", title=f"Ball trees over the scan ({SEARCHED})")
        top.set_ylim(0, None)
    else:
        axis = figure.subplots()
    for place, method in enumerate(names):
        by_rank = methods.get(method, {})
        points = sorted((int(r), by_rank[r]["error"]) for r in by_rank if int(r) in ranks)
        if points:
            axis.plot(*zip(*points, strict=True), label=method, **series_style(place))
    if "baseline" in record["drawing"]:
        level = record["drawing"]["baseline"]
        axis.axhline(level, color=theme().ink, linestyle=":", label="all components, Euclidean")
    axis.set(xlabel="dimensions", ylabel=ERROR)
    key(figure, labelled(axis) | (labelled(top) if any(gained.values()) else {}))


def _gained(by_rank: dict[str, Any], ranks: set[int]) -> dict[str, list[tuple[int, float]]]:
    """Return what each way to search gains over the scan, by rank; of earlier records boxes'."""
    shown = {int(r): {"boxes": at.get("speedup")} | at for r, at in by_rank.items()}
    return {
        words: [(r, shown[r][way]) for r in sorted(shown) if r in ranks and shown[r].get(way)]
        for way, words in GAINED.items()
    }


def draw_clusters(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 4: test error by the number of metrics, and by class, with standard errors."""
    from matplotlib.ticker import MaxNLocator

    rows = [row for row in record["rows"] if row["ours"] is not None]
    sets = list(dict.fromkeys(row["data set"] for row in rows))
    handles: dict[str, Any] = {}
    for axis, name in zip(panels(figure, len(sets)), sets, strict=True):
        readings = list(dict.fromkeys(row.get("voters") for row in rows))  # None: not said
        for place, voters in enumerate(readings):
            mine = [r for r in rows if (r["data set"], r.get("voters")) == (name, voters)]
            handles |= _clusters(axis, mine, voters, place)
        axis.set(title=name, xlabel="number of metrics", ylabel=ERROR)
        axis.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    key(figure, handles, _repeated(rows, "bars and bands", "run"))


def _clusters(axis: Any, rows: list[Row], voters: str | None, place: int) -> dict[str, Any]:
    """Draw the numbers where some points vote; return what there is to explain."""
    clusters = [row for row in rows if row["metrics"] != BY_CLASS]
    clusters.sort(key=lambda row: int(row["metrics"]))
    style = series_style(place)
    said = f", {voters} vote" if voters else ""
    handles = {
        f"clusters by k-means{said}": axis.errorbar(
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
        handles[f"one for each class{said}"] = axis.axhline(
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
