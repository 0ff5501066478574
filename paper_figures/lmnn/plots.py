"""How the figures of Weinberger & Saul (2008) are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paper_figures.plots import key, labelled, left_out, logarithmic, panels, plain, series_style
from paper_figures.store import Record
from paper_figures.themes import theme

if TYPE_CHECKING:
    from matplotlib import figure as mpl


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
                line["optimum"], color=theme().ink, linestyle=":"
            )
            if line["printed"] is not None:
                handles["printed (Table 1)"] = axis.axhline(
                    line["printed"], color=series_style(2)["color"], linestyle="--"
                )
        axis.set(title=f"N = {plain(n)}", xlabel="sub-gradient steps", ylabel="test error (%)")
    key(figure, handles)


def draw_rivals(record: Record, figure: mpl.Figure) -> None:
    """Draw eq. 3 by seconds for each solver from its start, and our bound."""
    axis = figure.subplots()
    for place, (name, curve) in enumerate(record["drawing"].items()):
        if "seconds" in curve:  # the Euclidean metric has none
            style = series_style(place) | {"markevery": max(1, len(curve["seconds"]) // 20)}
            axis.plot(curve["seconds"], curve["objective"], label=name, **style)
    ours = record["drawing"]["ours"]
    bounds = [
        (s, b) for s, b in zip(ours["seconds"], ours["bound"], strict=True) if b > 0.5 * ours["end"]
    ]
    axis.plot(
        *zip(*bounds, strict=True),
        color=theme().ink,
        linestyle=":",
        label="bound: no metric is lower",
    )
    axis.set(xscale="log", yscale="log", xlabel="seconds", ylabel="objective (eq. 3)")
    logarithmic(axis.xaxis)
    logarithmic(axis.yaxis)
    absent = [name for name, curve in record["drawing"].items() if "why" in curve]
    key(figure, labelled(axis), left_out(absent).replace("\n", " "))


def draw_growth(record: Record, figure: mpl.Figure) -> None:
    """Draw seconds by the number of points, a panel for each share of the optimum."""
    from matplotlib.ticker import FixedLocator, NullLocator

    lines = record["drawing"]
    names = list(dict.fromkeys(name for of_share in lines.values() for name in of_share))
    handles: dict[str, Any] = {}
    for axis, (within, of_share) in zip(
        panels(figure, len(lines), columns=1), lines.items(), strict=True
    ):
        for name, points in of_share.items():
            axis.plot(*zip(*points, strict=True), label=name, **series_style(names.index(name)))
        axis.set(xscale="log", yscale="log", xlabel="training points", ylabel="seconds")
        axis.set_title(f"eq. 3 within {within} of the optimum")
        logarithmic(axis.xaxis)
        logarithmic(axis.yaxis)
        sizes = sorted({n for points in of_share.values() for n, _ in points})
        axis.xaxis.set_major_locator(FixedLocator(sizes))
        axis.xaxis.set_minor_locator(NullLocator())
        axis.tick_params(axis="x", labelrotation=45)
        handles |= labelled(axis)
    key(figure, handles)


def draw_ball(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 1: a ball, a query outside, and the bound of eq. 7."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle

    drawing = record["drawing"]
    axis = figure.subplots()
    centre, query = (np.array(drawing[name]) for name in ("centre", "query"))
    radius = drawing["radius"]
    axis.add_patch(Circle(tuple(centre), radius, fill=False, color=theme().ink))
    for place, (points, label, size) in enumerate(
        (
            (drawing["inside"], "points of S", 14),
            ([query], "query $x_t$", 36),
            ([drawing["neighbour"]], "nearest of all points", 36),
        )
    ):
        look = series_style(place)
        first, second = np.array(points).T
        axis.scatter(
            first, second, color=look["color"], marker=look["marker"], s=size, zorder=3, label=label
        )
    edge = centre + radius * (query - centre) / np.linalg.norm(query - centre)
    bound = f"bound of eq. 7: {drawing['bound']:.2f}"
    axis.plot(
        *np.array([query, edge]).T, color=series_style(1)["color"], linestyle="--", label=bound
    )
    axis.plot(
        *np.array([edge, centre]).T, color=theme().ink, linestyle=":", label=f"r = {radius:.2f}"
    )
    axis.set(
        aspect="equal", xlabel="first principal component", ylabel="second principal component"
    )
    ball = Line2D(
        [], [], color=theme().ink, marker="o", markersize=10, fillstyle="none", linestyle="none"
    )
    key(figure, labelled(axis) | {"ball S of radius r": ball})


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
        )
        axes = 0.5 * spread / longest / np.sqrt(np.maximum(values, 1e-300))
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        for colour, width in ((theme().paper, 4), (style["color"], 2)):
            axis.add_patch(
                Ellipse(centre, *axes, angle=angle, fill=False, edgecolor=colour, linewidth=width)
            )
        axis.annotate(
            f"digit {digit}",
            centre,
            ha="center",
            va="center",
            color=style["color"],
            bbox={"boxstyle": "round,pad=0.15", "color": theme().paper, "alpha": 0.85},
        )
    axis.set(xlabel="first principal component", ylabel="second principal component")
