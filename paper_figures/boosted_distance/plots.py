"""Drawing the figures of Amores, Sebe & Radeva (2006); a change here computes nothing anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from paper_figures.plots import panels, series_style
from paper_figures.store import Record, Row

if TYPE_CHECKING:
    from matplotlib import figure as mpl
    from matplotlib.axes import Axes

# a method has the same look in all figures
BARS = ("Boosted Distance", "AdaBoost, stumps", "AdaBoost, C4.5-like trees", "NN, best distance")
HATCHES = ("", "//", "..", "xx")


def draw_examples(record: Record, figure: mpl.Figure) -> None:
    """Draw a panel for each image set, with a row of images for each class.

    The panel of a set that is not available says so.
    """
    shown = record["drawing"]
    absent = [row for row in record["rows"] if row["ours"] is None]
    count = len(shown) + len(absent)
    axes = figure.subplots(count, 1, squeeze=False)[:, 0]
    for axis, panel, letter in zip(axes, shown, "ab", strict=False):
        side = panel["side"]
        rows = [
            np.hstack([np.reshape(image, (side, side)) for image in c["images"]])
            for c in panel["classes"]
        ]
        axis.imshow(255 - np.vstack(rows), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
        axis.set_title(f"({letter}) {panel['data_set']}")
        axis.set_axis_off()
    for axis, row in zip(axes[len(shown) :], absent, strict=True):
        axis.text(
            0.5,
            0.5,
            "not available:\nthe faces are licensed",
            ha="center",
            va="center",
            color="#444444",
        )
        axis.set_title(f"(b) {row['data_set']}")
        axis.set_axis_off()


def draw_rounds(record: Record, figure: mpl.Figure) -> None:
    """Draw a panel for each set: accuracy by the number of rounds, NN with L2 as a level line."""
    for axis, mine in _panels_by_set(record["rows"], figure):
        for place, method in enumerate(dict.fromkeys(row["method"] for row in mine)):
            line = [row for row in mine if row["method"] == method]
            if len(line) == 1:
                axis.axhline(line[0]["ours"], color="black", linestyle=":", label=method)
                continue
            x = [row["rounds"] for row in line]
            y = [row["ours"] for row in line]
            axis.plot(x, y, label=method, **series_style(place))
        axis.set(xscale="log", xlabel="rounds T", ylabel="accuracy (%)")
        legend = axis.get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=3)


def draw_projections(record: Record, figure: mpl.Figure) -> None:
    """Draw a panel for each set: accuracy by the number of dimensions.

    LDA, and NN without reduction, are level lines.
    """
    rows = [row for row in record["rows"] if row["training"] != "80% of the data"]
    for axis, mine in _panels_by_set(rows, figure):
        methods = dict.fromkeys(
            row["method"] for row in mine if not row["method"].startswith("LDA by")
        )
        for place, method in enumerate(methods):
            line = [row for row in mine if row["method"] == method]
            style = series_style(place)
            if len(line) == 1:
                axis.axhline(
                    line[0]["ours"],
                    color=style["color"],
                    linestyle=style["linestyle"],
                    label=method,
                )
                continue
            axis.plot(
                [row["dimensions"] for row in line],
                [row["ours"] for row in line],
                label=method,
                **style,
            )
        axis.set(xscale="log", xlabel="number of dimensions (at most)", ylabel="accuracy (%)")
        legend = axis.get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=5)


def _panels_by_set(rows: list[Row], figure: mpl.Figure) -> Iterator[tuple[Axes, list[Row]]]:
    """Yield the panel and the rows of each set that is available; the other panels say why."""
    sets = list(dict.fromkeys(row["data_set"] for row in rows))
    axes = panels(figure, len(sets), min(2, len(sets)))
    for axis, name, letter in zip(axes, sets, "abcd", strict=False):
        mine = [row for row in rows if row["data_set"] == name]
        axis.set_title(f"({letter}) {name}")
        if mine[0]["ours"] is None:
            axis.text(0.5, 0.5, "not available", ha="center", va="center", color="#444444")
            axis.set_axis_off()
        else:
            yield axis, mine


def draw_by_rounds(record: Record, figure: mpl.Figure) -> None:
    """Draw two panels by T: errors averaged over the sets, and the distance from the paper.

    A line marks the chosen T.
    """
    left, right = panels(figure, 2)
    quantities = list(dict.fromkeys(row["quantity"] for row in record["rows"]))
    for quantity in (q for q in quantities if "sets on" not in q):
        mine = [row for row in record["rows"] if row["quantity"] == quantity]
        style = series_style(0 if quantity.startswith("Boosted") else 1)
        style["linestyle"] = "--" if "cross-validated" in quantity else "-"
        axis = right if "printed" in quantity else left
        axis.plot(
            [row["rounds"] for row in mine], [row["ours"] for row in mine], label=quantity, **style
        )
    for axis, title, label in (
        (left, "(a) mean over the sets", "error (%)"),
        (right, "(b) distance from table 2", "mean |ours - printed| (points)"),
    ):
        axis.axvline(record["drawing"]["chosen"], color="#888888", linewidth=0.8)
        axis.set(title=title, xscale="log", xlabel="rounds T", ylabel=label)
        axis.legend(fontsize=7)


def draw_bars(record: Record, figure: mpl.Figure) -> None:
    """Draw a group of bars for each set, with 95 % intervals of the mean."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    sets = list(dict.fromkeys(row["data_set"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    axis = figure.subplots()
    width = 0.8 / len(methods)
    looks = {method: place for place, method in enumerate(BARS)}
    for place, method in enumerate(methods):
        mine = [row for row in rows if row["method"] == method]
        x = [sets.index(row["data_set"]) + (place - (len(methods) - 1) / 2) * width for row in mine]
        half = [1.96 * row["std"] / row["repetitions"] ** 0.5 for row in mine]
        axis.bar(
            x,
            [row["ours"] for row in mine],
            width,
            yerr=half,
            label=method,
            capsize=2,
            color=series_style(looks[method])["color"],
            edgecolor="white",
            hatch=HATCHES[looks[method]],
        )
    axis.set_xticks(range(len(sets)), sets, rotation=30, ha="right")
    axis.set(ylabel="error (%), mean of the two classes")
    figure.legend(loc="outside upper center", ncols=2)
