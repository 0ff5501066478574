"""How the figures of Athitsos et al. (2005) are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paper_figures.plots import panels, series_style
from paper_figures.store import Record

if TYPE_CHECKING:
    from matplotlib import figure as mpl


def draw_points(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 1: five points of the plane, and where F^r puts them on the line."""
    drawing = record["drawing"]
    plane, line = figure.subplots(1, 2, width_ratios=(1.2, 1))
    points = np.array(drawing["points"])
    values = np.array(drawing["line"])
    plane.scatter(*points.T, **_dots())
    line.scatter(values, np.zeros(5), **_dots())
    for i, name in enumerate(drawing["names"]):
        plane.annotate(name, points[i], xytext=(5, 5), textcoords="offset points")
        line.annotate(
            name,
            (values[i], 0),
            xytext=(0, 8 + 9 * (i % 2)),
            textcoords="offset points",
            ha="center",
        )
    plane.set(title="original space", xlabel="x", ylabel="y", aspect="equal")
    line.set(title="$F^r$: distance to r", xlabel="$F^r$", yticks=[], ylim=(-0.5, 1.0))


def draw_triangle(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 2: the height of a triangle, whose foot is the value of the 1D embedding."""
    A, B, C = (np.array(corner) for corner in record["drawing"]["corners"])
    foot = np.array([record["drawing"]["foot"], 0.0])
    axis = figure.subplots()
    axis.plot(*np.array([A, B, C, A]).T, color="black")
    axis.plot(*np.array([A, foot]).T, color=series_style(1)["color"], linestyle="--")
    axis.plot(
        *np.array([B, foot]).T,
        color=series_style(0)["color"],
        linewidth=4,
        label="$F^{x_1,x_2}(x)$ = BD",
    )
    for name, place, shift in (
        ("A: x", A, (0, 6)),
        ("B: $x_1$", B, (-8, -14)),
        ("C: $x_2$", C, (0, -14)),
        ("D", foot, (0, -14)),
    ):
        axis.annotate(name, tuple(place), xytext=shift, textcoords="offset points", ha="center")
    axis.set(aspect="equal", ylim=(-0.4, 1.8))
    axis.set_axis_off()
    axis.legend(loc="upper right")


def draw_digits(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 4: a column of images for each digit."""
    drawing = record["drawing"]
    side = drawing["side"]
    gap = max(1, side // 8)
    columns = [
        np.vstack([np.pad(np.reshape(image, (side, side)), gap) for image in images])
        for images in drawing["images"]
    ]
    axis = figure.subplots()
    axis.imshow(255 - np.hstack(columns), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    axis.set_axis_off()


def draw_dimensions(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 5: a panel for each k and percentile, ranks by the number of dimensions."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    kinds = list(dict.fromkeys((row["k"], row["percentile"]) for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    legend: tuple[list[Any], list[str]] = ([], [])
    for axis, (k, percent) in zip(panels(figure, len(kinds)), kinds, strict=True):
        for place, method in enumerate(methods):
            line = [
                row
                for row in rows
                if (row["method"], row["k"], row["percentile"]) == (method, k, percent)
            ]
            axis.plot(
                [row["dimensions"] for row in line],
                [row["ours"] for row in line],
                label=method,
                **series_style(place),
            )
        axis.set(
            title=f"k = {k}, {percent}th percentile",
            xscale="log",
            yscale="log",
            xlabel="dimensions",
            ylabel="ENN-k rank",
        )
        axis.set_xscale("log", base=2)
        legend = axis.get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=2)


def draw_percentiles(record: Record, figure: mpl.Figure) -> None:
    """Draw figures 6, 7 and 9: ENN-k ranks by percentile, a row of panels for each k."""
    drawing = record["drawing"]
    ks, names = (list(dict.fromkeys(line[key] for line in drawing)) for key in ("k", "panel"))
    methods = list(dict.fromkeys(line["method"] for line in drawing))
    grid = figure.subplots(len(ks), len(names), squeeze=False, sharey="row")
    handles = {}
    for line in drawing:
        axis = grid[ks.index(line["k"]), names.index(line["panel"])]
        style = series_style(methods.index(line["method"])) | {"marker": None}
        handles[line["method"]] = axis.plot(range(1, 101), line["values"], **style)[0]
        axis.set(
            title=f"{line['panel']}, k = {line['k']}",
            yscale="log",
            xlabel="percentile",
            ylabel="ENN-k rank",
        )
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=2)


def draw_errors(record: Record, figure: mpl.Figure) -> None:
    """Draw figures 8, 10 and 11: k-nn error by k."""
    axis = figure.subplots()
    for place, line in enumerate(record["drawing"]):
        style = series_style(place) | {"markevery": 9}
        axis.plot(range(1, len(line["values"]) + 1), line["values"], label=line["method"], **style)
    axis.set(xlabel="k", ylabel="k-nn error (%)")
    axis.legend()


def draw_graph(record: Record, figure: mpl.Figure) -> None:
    """Draw the share of successful queries by the number of exact distances.

    The embeddings stand beside it, at 98 %.
    """
    axis = figure.subplots()
    for place, line in enumerate(record["drawing"]["searches"]):
        searches = line["searches"]
        axis.plot(
            [at["distances"] for at in searches],
            [at["success"] for at in searches],
            label=line["method"],
            **series_style(place),
        )
    methods = [item for item in record["drawing"]["embeddings"].items() if "clipped" not in item[0]]
    for place, (method, distances) in enumerate(methods, start=len(record["drawing"]["searches"])):
        axis.plot(
            distances, 98, **series_style(place) | {"linestyle": "none"}, label=f"{method} (§ 11.2)"
        )
    axis.axhline(98, color="black", linewidth=1, linestyle=":", label="98 %")
    axis.set(
        xlabel="exact distances a query, mean",
        ylabel="queries with the true 10 nearest found (%)",
        xscale="log",
    )
    axis.legend(loc="lower right")


def _dots() -> dict[str, Any]:
    return {"color": series_style(0)["color"], "zorder": 3}
