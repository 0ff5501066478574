"""How the figures of Weinberger & Saul (2008) are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paper_figures.plots import panels, series_style
from paper_figures.store import Record

if TYPE_CHECKING:
    from matplotlib import figure as mpl

METHODS = ("LMNN-RECT", "LMNN-SVD", "PCA", "LMNN-SVD, steps that end early")


def draw_steps(record: Record, figure: mpl.Figure) -> None:
    """Draw test error along the paper's steps, one panel for each number of points."""
    lines = record["drawing"]
    sizes = list(dict.fromkeys(line["n"] for line in lines))
    handles: dict[str, Any] = {}
    for axis, n in zip(panels(figure, len(sizes)), sizes, strict=True):
        for line in (line for line in lines if line["n"] == n):
            style = series_style(0 if line["start"].startswith("Euclid") else 1)
            (handles[f"start: {line['start']}"],) = axis.plot(
                [c["steps"] for c in line["checks"]],
                [c["error"] for c in line["checks"]],
                markersize=4,
                **style,
            )
            handles["optimum of eq. 3"] = axis.axhline(
                line["optimum"], color="black", linestyle=":"
            )
            if line["printed"] is not None:
                handles["printed"] = axis.axhline(
                    line["printed"], color=series_style(2)["color"], linestyle="--"
                )
        axis.set(title=f"N = {n}", xlabel="sub-gradient steps", ylabel="test error (%)")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)


def draw_rivals(record: Record, figure: mpl.Figure) -> None:
    """Draw eq. 3 by seconds for each solver, and our bound."""
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    axis = figure.subplots()
    for place, (name, curve) in enumerate(record["drawing"].items()):
        if "seconds" in curve:
            axis.plot(
                curve["seconds"],
                curve["objective"],
                label=name,
                markersize=4,
                **series_style(place),
            )
    ours = record["drawing"]["ours"]
    bounds = [
        (s, b) for s, b in zip(ours["seconds"], ours["bound"], strict=True) if b > 0.5 * ours["end"]
    ]
    axis.plot(
        *zip(*bounds, strict=True), color="black", linestyle=":", label="bound: no metric is lower"
    )
    axis.set(xscale="log", yscale="log", xlabel="seconds", ylabel="eq. 3")
    axis.set_ylim(0.9 * ours["end"], 4 * ours["end"])
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.yaxis.set_minor_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    figure.legend(loc="outside lower center", ncols=2)


def draw_ball(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 1: a ball, a query outside, and the bound of eq. 7."""
    from matplotlib.patches import Circle

    drawing = record["drawing"]
    axis = figure.subplots()
    centre = np.array(drawing["centre"])
    query = np.array(drawing["query"])
    radius = drawing["radius"]
    axis.add_patch(
        Circle(tuple(centre), radius, fill=False, color="black", label="ball S of radius r")
    )
    colors = [series_style(place)["color"] for place in range(3)]
    inside = np.array(drawing["inside"])
    axis.scatter(inside[:, 0], inside[:, 1], color=colors[0], marker="o", s=14, label="points of S")
    axis.scatter(
        query[0], query[1], color=colors[1], marker="s", s=36, zorder=3, label="query $x_t$"
    )
    neighbour = np.array(drawing["neighbour"])
    axis.scatter(
        neighbour[0],
        neighbour[1],
        color=colors[2],
        marker="^",
        s=36,
        zorder=3,
        label="nearest of all points",
    )
    edge = centre + radius * (query - centre) / np.linalg.norm(query - centre)
    axis.plot(
        *np.array([query, edge]).T,
        color=colors[1],
        linestyle="--",
        label=f"bound of eq. 7: {drawing['bound']:.2f}",
    )
    axis.plot(*np.array([edge, centre]).T, color="black", linestyle=":", label=f"r = {radius:.2f}")
    axis.set(
        aspect="equal", xlabel="first principal component", ylabel="second principal component"
    )
    figure.legend(loc="outside lower center", ncols=2)


def draw_ranks(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 2: errors by dimension, speedups above."""
    drawing = record["drawing"]
    top, axis = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2.4))
    for place, method in enumerate(METHODS):
        by_rank = drawing["methods"].get(method, {})
        ranks = sorted(map(int, by_rank))
        axis.plot(
            ranks, [by_rank[str(r)]["error"] for r in ranks], label=method, **series_style(place)
        )
        if ranks and "speedup" in by_rank[str(ranks[0])]:
            top.plot(ranks, [by_rank[str(r)]["speedup"] for r in ranks], **series_style(place))
    if "baseline" in drawing:
        axis.axhline(
            drawing["baseline"], color="black", linestyle=":", label="all components, Euclidean"
        )
    top.set(ylabel="speedup", ylim=(0, None))
    if not top.lines:
        top.text(
            0.5,
            0.5,
            "speedups are timed at the paper's scale only",
            transform=top.transAxes,
            ha="center",
        )
    axis.set(xlabel="dimensions", ylabel="k-NN error (%), k = 3")
    figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=2)


def draw_ellipsoids(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 3: the digits, and the unit ball of each digit's metric, enlarged."""
    from matplotlib.patches import Ellipse

    drawing = record["drawing"]
    axis = figure.subplots()
    everything = np.concatenate([np.array(points) for points in drawing["points"]])
    spread = np.ptp(everything, axis=0).min()
    balls = [np.linalg.eigh(np.array(M)) for M in drawing["metrics"]]
    longest = max(1 / np.sqrt(max(values[0], 1e-300)) for values, _ in balls)
    for place, (digit, points, centre, (values, vectors)) in enumerate(
        zip(drawing["digits"], drawing["points"], drawing["centres"], balls, strict=True)
    ):
        style = series_style(place)
        axis.scatter(
            np.array(points)[:, 0],
            np.array(points)[:, 1],
            s=7,
            alpha=0.45,
            color=style["color"],
            marker=style["marker"],
            label=f"digit {digit}",
        )
        axes = 0.5 * spread / longest / np.sqrt(np.maximum(values, 1e-300))
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        for colour, width in (("white", 4), (style["color"], 2)):
            axis.add_patch(
                Ellipse(centre, *axes, angle=angle, fill=False, edgecolor=colour, linewidth=width)
            )
    axis.set(xlabel="first principal component", ylabel="second principal component")
    figure.legend(loc="outside lower center", ncols=4)


def draw_clusters(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 4: test error by the number of metrics, and by class."""
    from matplotlib.ticker import MaxNLocator

    lines = record["drawing"]
    sets = list(dict.fromkeys(line["set"] for line in lines))
    handles: dict[str, Any] = {}
    for axis, name in zip(panels(figure, len(sets)), sets, strict=True):
        here = sorted(
            (line for line in lines if line["set"] == name and line["p"]),
            key=lambda line: line["p"],
        )
        style = series_style(1)
        handles["k-means, mean and deviation of runs"] = axis.errorbar(
            [line["p"] for line in here],
            [line["mean"] for line in here],
            yerr=[line["std"] for line in here],
            capsize=2,
            **style,
        )
        for line in (line for line in lines if line["set"] == name and not line["p"]):
            style = series_style(0)
            handles["one metric for each class"] = axis.axhline(
                line["mean"], color=style["color"], linestyle="--"
            )
        axis.set(title=name, xlabel="metrics", ylabel="test error (%)")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=2)
