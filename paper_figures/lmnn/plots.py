"""How the figures of Weinberger & Saul (2008) are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paper_figures.plots import key, labelled, series_style
from paper_figures.store import Record
from paper_figures.themes import theme

if TYPE_CHECKING:
    from matplotlib import figure as mpl


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
