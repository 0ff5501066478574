"""How the figures of Li et al. (2011) are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paper_figures.plots import panels, series_style
from paper_figures.store import Record

if TYPE_CHECKING:
    from matplotlib import figure as mpl
    from matplotlib.axes import Axes

FOREST = "Boosted Search Forest"


def draw_curves(record: Record, figure: mpl.Figure) -> None:
    """Draw figures 1 and 2: recall by the number of returned items.

    One part has trees and tables, another codes. In a third part the comparisons on the way to the
    items count as items, where they are known.
    """
    lines = record["drawing"]
    parts = [
        ([line for line in lines if not line["method"].startswith("spectral")], "returned items")
    ]
    if any(line["method"].startswith("spectral") for line in lines):
        parts.append(
            (
                [line for line in lines if line["method"].startswith(("spectral", FOREST))],
                "returned items",
            )
        )
    if ways := [line for line in lines if "compared" in line]:
        parts.append((ways, "returned items and comparisons before"))
    places = {
        line["method"]: place
        for place, line in enumerate(sorted(lines, key=lambda x: x["method"] != FOREST))
    }
    nearest = record["rows"][0]["returned"]
    handles = {}
    axes = panels(figure, len(parts), columns=len(parts))
    for letter, axis, (drawn, label) in zip("abc"[: len(parts)], axes, parts, strict=True):
        for line in sorted(drawn, key=lambda x: places[x["method"]]):
            x = (
                line["counts"]
                if label == "returned items"
                else np.add(line["counts"], line["compared"])
            )
            (handles[line["method"]],) = axis.plot(
                x, line["recall"], **series_style(places[line["method"]])
            )
        axis.set(title=f"({letter})", xlabel=label, ylim=(0, 100))
        if label == "returned items":
            axis.set(xlim=(0, None))
        else:
            _logarithmic(axis, 50)
        axis.set_ylabel("recall of the nearest (%)" if nearest else "recall (%)")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=len(parts) + 1)


def _logarithmic(axis: Axes, wide: float = 300) -> None:
    """Put plain numbers on a logarithmic axis; fewer on a wide one, so that they do not overlap."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_xscale("log")
    low, high = axis.get_xlim()
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < wide * low else (1, 3)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.xaxis.set_minor_locator(NullLocator())


def draw_dimensions(record: Record, figure: mpl.Figure) -> None:
    """Draw recall by the number of components."""
    from matplotlib.ticker import NullLocator

    axis = figure.subplots()
    for place, line in enumerate(record["drawing"]):
        axis.plot(line["components"], line["recall"], label=line["method"], **series_style(place))
    ticks = sorted({d for line in record["drawing"] for d in line["components"]})
    axis.set(
        xscale="log",
        xlabel="principal components",
        ylabel="recall of the nearest (%)",
        ylim=(0, 100),
    )
    axis.set_xticks(ticks, [str(d) for d in ticks])
    axis.xaxis.set_minor_locator(NullLocator())
    figure.legend(loc="outside right upper")


def draw_libraries(record: Record, figure: mpl.Figure) -> None:
    """Draw recall by milliseconds a query, and by the number of points compared with a query."""
    handles = {}
    for axis, key, label in zip(
        panels(figure, 2),
        ("ms", "compared"),
        ("milliseconds a query", "points compared"),
        strict=True,
    ):
        for place, line in enumerate(record["drawing"]):
            if None not in line[key]:
                (handles[line["method"]],) = axis.plot(
                    line[key], line["recall"], **series_style(place)
                )
        axis.set(xlabel=label, title="(a)" if key == "ms" else "(b)")
        _logarithmic(axis)
        axis.set_ylabel("recall of the nearest (%)")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=3)


def draw_times(record: Record, figure: mpl.Figure) -> None:
    """Draw table 1's growth: seconds for a query by the number of items."""
    axis = figure.subplots()
    for line in record["drawing"]:
        style = series_style(0 if line["search"] == "forest" else 1)
        bits = sorted({other["bits"] for other in record["drawing"]})
        style["alpha"] = 0.3 + 0.7 * (bits.index(line["bits"]) + 1) / len(bits)
        axis.plot(
            line["items"], line["seconds"], label=f"{line['search']}, {line['bits']} bits", **style
        )
    axis.set(xscale="log", yscale="log", xlabel="items", ylabel="seconds a query")
    figure.legend(loc="outside right upper", fontsize=7)
