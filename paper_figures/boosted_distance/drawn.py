"""Drawing the figures of Amores, Sebe & Radeva (2006); a change here computes nothing anew."""

from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.answers import tell
from paper_figures.rows import by
from paper_figures.store import Record, Row
from paper_figures.themes import LIGHT

# a method has the same look in all figures
METHODS = ("Boosted Distance", "AdaBoost, stumps", "AdaBoost, C4.5-like trees", "NN, best distance")


def draw_examples(record: Record, figure: plots.Figure) -> None:
    """Draw the images of each class of each set; a line says which set is not available."""
    shown = record["drawing"]
    absent = [row["data_set"] for row in record["rows"] if row["ours"] is None]
    for axis, panel in zip(plots.panels(figure, len(shown), 1), shown, strict=True):
        side = panel["side"]
        rows = [
            np.hstack([np.reshape(image, (side, side)) for image in c["images"]])
            for c in panel["classes"]
        ]
        plots.scanned(axis, np.vstack(rows))
        names = [c["class"] for c in panel["classes"]]
        axis.set_yticks([(place + 0.5) * side - 0.5 for place in range(len(names))], names)
        axis.set(title=panel["data_set"], xticks=[], ylabel="class")
        axis.grid(False)
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
    plots.footnote(figure, plots.left_out(list(dict.fromkeys(absent))).replace("\n", " "))


def draw_rounds(record: Record, figure: plots.Figure) -> None:
    """Draw a panel for each set: accuracy by the number of rounds, NN with L2 as a level line."""
    soft = {"color": LIGHT.soft, "linestyle": ":"}
    _accuracies(figure, record["rows"], "rounds", "rounds T", **soft)


def draw_projections(record: Record, figure: plots.Figure) -> None:
    """Draw accuracy by the number of dimensions, a panel for each set; LDA and NN are level."""
    rows = [row for row in record["rows"] if row["training"] != "80% of the data"]
    named = [row for row in rows if not row["method"].startswith("LDA by")]
    _accuracies(figure, named, "dimensions", "dimensions (at most)")


def _accuracies(figure: plots.Figure, rows: list[Row], x: str, label: str, **level: str) -> None:
    """Draw a line for each method, a level one for a single number."""
    handles: dict[str, Any] = {}
    for axis, (name,), mine in plots.panels_by(figure, rows, "data_set"):
        for place, ((method,), line) in enumerate(by(mine, "method").items()):
            style = plots.series_style(place)
            if len(line) == 1:
                del style["marker"]
                handles[method] = _level(axis, line[0], **style | level)
                continue
            handles[method] = plots.mean_line(axis, [row[x] for row in line], line, **style)
        plots.logarithmic(axis.xaxis)
        axis.set(title=name, xlabel=label, ylabel="accuracy (%)")
    plots.key(figure, handles, _note(rows))


def _level(axis: plots.Axes, row: Row, **look: Any) -> Any:
    """Draw a number that does not depend on x, with a band of 1.96 standard errors."""
    half = 1.96 * plots.standard_error(row)
    if half:
        axis.axhspan(
            row["ours"] - half, row["ours"] + half, color=look["color"], alpha=0.15, linewidth=0
        )
    return axis.axhline(row["ours"], label=row["method"], **look)


def _note(rows: list[Row]) -> str:
    """Return what the key says of bands, and of the sets that have no panel."""
    absent = list(dict.fromkeys(row["data_set"] for row in rows if row["ours"] is None))
    bands = plots.INTERVALS.replace(": ", ":\n") if any(row["error"] for row in rows) else ""
    return "\n".join(text for text in (plots.left_out(absent), bands) if text)


def draw_by_rounds(record: Record, figure: plots.Figure) -> None:
    """Draw two panels by T: errors averaged over the sets, and the distance from the paper."""
    upper, lower = plots.panels(figure, 2, 1)
    rows = [row for row in record["rows"] if "data_set" not in row]
    quantities = list(dict.fromkeys(row["quantity"] for row in rows))
    handles: dict[str, Any] = {}
    for quantity in (q for q in quantities if "sets on" not in q):
        mine = [row for row in rows if row["quantity"] == quantity]
        style = plots.series_style(0 if quantity.startswith("Boosted") else 1)
        style["linestyle"] = "--" if "cross-validated" in quantity else "-"
        axis = lower if "printed" in quantity else upper
        rounds = [row["rounds"] for row in mine]
        line = plots.line_of(axis, rounds, mine, label=quantity, **style)
        if axis is upper:
            handles[quantity.replace(": mean", ",")] = line
    chosen = record["drawing"]["chosen"]
    for axis, title, label in (
        (upper, "Mean over the sets", "error (%)"),
        (lower, "Distance from the published Table 2", "mean |reproduced − published|\n(points)"),
    ):
        mark = axis.axvline(chosen, color=LIGHT.soft, linewidth=0.8)
        plots.logarithmic(axis.xaxis)
        axis.set(title=title, xlabel="rounds T", ylabel=label)
    lower.set_ylim(0, None)
    plots.key(figure, handles | {f"the chosen T = {chosen}": mark})


def draw_intervals(record: Record, figure: plots.Figure) -> None:
    """Draw a row for each set: a mark for each method, with the 95 % interval of its mean."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    sets = list(dict.fromkeys(row["data_set"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    axis = figure.subplots()
    handles = {}
    apart = 0.72 / len(methods)
    for place, method in enumerate(methods):
        mine = [row for row in rows if row["method"] == method]
        shift = (place - (len(methods) - 1) / 2) * apart
        handles[method] = axis.errorbar(
            [row["ours"] for row in mine],
            [sets.index(row["data_set"]) + shift for row in mine],
            xerr=[1.96 * plots.standard_error(row) for row in mine],
            label=method,
            capsize=2,
            **plots.series_style(METHODS.index(method)) | {"linestyle": "none"},
        )
        tell(handles[method], mine)
    axis.set_yticks(range(len(sets)), sets)
    axis.set_ylim(len(sets) - 0.5, -0.5)
    axis.set_xlim(0, None)
    for border in range(1, len(sets)):
        axis.axhline(border - 0.5, color=LIGHT.grid, linewidth=0.6)
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("error (%), mean of the two classes")
    absent = list(dict.fromkeys(row["data_set"] for row in record["rows"] if row["ours"] is None))
    said = [plots.INTERVALS.replace("Bands", "Bars"), plots.left_out(absent).replace("\n", " ")]
    plots.key(figure, handles, "\n".join(text for text in said if text))
