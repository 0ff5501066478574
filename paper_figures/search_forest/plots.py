"""How the figures of Li et al. (2011) are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paper_figures.plots import (
    INTERVALS,
    band,
    hollow,
    key,
    label_ends,
    logarithmic,
    panels,
    series_style,
    standard_error,
)
from paper_figures.store import Record
from paper_figures.themes import theme

if TYPE_CHECKING:
    from matplotlib import figure as mpl
    from matplotlib.axes import Axes

FOREST = "Boosted Search Forest"
CODES = "spectral"
WHOLE = "whole sets"
LISTS = "ranked lists"
PRINTED = "printed (other images)"


def draw_curves(record: Record, figure: mpl.Figure) -> None:
    """Draw figures 1 and 2: recall by the number of returned items.

    Two panels have whole sets, of trees and tables and beside codes, and one has ranked lists. In
    the last the comparisons on the way to the items count as items, where they are known. A printed
    number is a hollow mark.
    """
    lines = record["drawing"]
    names = list(dict.fromkeys(line["method"] for line in lines))
    places = _places(names)
    handles: dict[str, Any] = {}
    parts = _parts(lines)
    least = min((min(line["recall"]) for line in lines), default=0)
    axes = panels(figure, len(parts), 1)
    for axis, (title, drawn) in zip(axes, parts.items(), strict=True):
        by_way = title.startswith("Comparisons")
        ends = {}
        for line in drawn:
            before = line["compared"] if by_way else 0
            x = np.add(line["counts"], before)
            style = series_style(places[line["method"]])
            (handle,) = axis.plot(x, line["recall"], **style)
            if line["method"].startswith(CODES):
                name = line["method"].removeprefix("spectral hashing ")
                ends[name] = (x[-1], line["recall"][-1], style["color"])
            else:
                handles.setdefault(line["method"], handle)
            band(axis, x, line["recall"], _errors(record, line), style["color"])
        axis.set(
            title=title,
            xlabel="returned items, and comparisons before" if by_way else "returned items",
            ylabel="recall of the nearest (%)",
            ylim=(max(0, 10 * (least // 10 - 1)), 102),
        )
        if by_way:
            logarithmic(axis.xaxis)
        else:
            axis.set_xlim(0, None)
            _printed(axis, record, drawn, places)
        if ends:
            label_ends(axis, ends, gap=0.09)
    if any(row.get("published") is not None for row in record["rows"]):
        handles[PRINTED] = _in_key()
    note = INTERVALS if any(row["error"] for row in record["rows"]) else ""
    key(figure, {name: handles[name] for name in (*names, PRINTED) if name in handles}, note)


def _places(names: list[str]) -> dict[str, int]:
    """Return a place for each series: codes stand in a panel of their own, and share places."""
    codes = [name for name in names if name.startswith(CODES)]
    others = [name for name in names if name not in codes]
    places = {name: place for place, name in enumerate(others)}
    return places | {name: 1 + place for place, name in enumerate(codes)}


def _errors(record: Record, line: dict[str, Any]) -> list[float]:
    """Return the standard errors of a line's recall, as far as its rows have them."""
    errors = {
        row["returned"]: standard_error(row)
        for row in record["rows"]
        if (row.get("method"), row.get("reading")) == (line["method"], line.get("reading"))
    }
    return [errors.get(count, 0.0) for count in line["counts"]]


def _parts(lines: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of each panel by the panel's title."""
    sets = [line for line in lines if line.get("reading") == WHOLE]
    lists = [line for line in lines if line.get("reading") != WHOLE]
    codes = [line for line in lists if line["method"].startswith(CODES)]
    trees = [line for line in lists if line not in codes]
    ways = [line for line in trees if "compared" in line]
    parts = {}
    if sets:
        parts["Whole sets"] = sets
    if codes:
        first = [line for line in (*sets, *trees) if line["method"] == FOREST]
        title = "Whole sets beside codes" if sets else "Codes"
        parts[f"{title} (spectral hashing)"] = [*first[:1], *codes]
    if trees:
        parts["Ranked lists"] = trees
    if ways:
        parts["Comparisons on the way counted as items"] = ways
    return parts


def _printed(
    axis: Axes, record: Record, drawn: list[dict[str, Any]], places: dict[str, int]
) -> None:
    shown = {(line["method"], line.get("reading")) for line in drawn}
    for row in record["rows"]:
        key_of_row = row["method"], row.get("reading")
        if row.get("published") is not None and key_of_row in shown:
            axis.plot(row["returned"], row["published"], **hollow(places[row["method"]]))


def _in_key(**look: Any) -> Any:
    """Return what the key shows for printed numbers, or for lines of any colour."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **hollow(0) | {"color": theme().ink} | look)


def draw_dimensions(record: Record, figure: mpl.Figure) -> None:
    """Draw recall by the number of components: a panel for whole sets, one for ranked lists."""
    from matplotlib.ticker import NullLocator

    points = [line.get("points") for line in record["drawing"]]
    lines = [line for line in record["drawing"] if line.get("points") == points[0]]
    names = list(dict.fromkeys(line["method"] for line in lines))
    readings = list(dict.fromkeys(line.get("reading", LISTS) for line in lines))
    handles: dict[str, Any] = {}
    for axis, reading in zip(panels(figure, len(readings), 1), readings, strict=True):
        for line in (line for line in lines if line.get("reading", LISTS) == reading):
            style = series_style(names.index(line["method"]))
            (handles[line["method"]],) = axis.plot(line["components"], line["recall"], **style)
        ticks = sorted({d for line in lines for d in line["components"]})
        axis.set(
            title=reading.capitalize(),
            xscale="log",
            xlabel="principal components",
            ylabel="recall of the nearest (%)",
            ylim=(0, 102),
        )
        axis.set_xticks(ticks, [str(d) for d in ticks])
        axis.xaxis.set_minor_locator(NullLocator())
    key(figure, handles)


def draw_times(record: Record, figure: mpl.Figure) -> None:
    """Draw table 1's growth: seconds for a query by the number of items, a panel for each search.

    Dotted lines go to what is extrapolated, beside which the printed number is a hollow mark.
    """
    lines = record["drawing"]
    searches = list(dict.fromkeys(line["search"] for line in lines))
    bits = sorted({line["bits"] for line in lines})
    handles: dict[str, Any] = {}
    for axis, search in zip(panels(figure, len(searches), 1), searches, strict=True):
        ends = {}
        for line in (line for line in lines if line["search"] == search):
            style = series_style(bits.index(line["bits"])) | {"linestyle": "-"}
            items, seconds = line["items"], line["seconds"]
            axis.plot(_millions(items), seconds, **style)
            handles["measured"] = _in_key(linestyle="-", marker=None)
            last = (items[-1], seconds[-1])
            for row in _beyond(record, line):
                last = (row["items"], row["ours"])
                handles["extrapolated in proportion"] = _in_key(linestyle=":", marker=None)
                axis.plot(
                    _millions([items[-1], last[0]]), [seconds[-1], last[1]],
                    **style | {"linestyle": ":", "markevery": [1]},
                )  # fmt: skip
                if row["published"] is not None:
                    axis.plot(
                        _millions([row["items"]]),
                        row["published"],
                        **hollow(bits.index(line["bits"])),
                    )
                    handles["printed (the authors' machine)"] = _in_key()
            ends[f"{line['bits']} bits"] = (_millions([last[0]])[0], last[1], style["color"])
        axis.set(title=search.capitalize(), xlabel="items (millions)", ylabel="seconds a query")
        axis.set_yscale("log")
        logarithmic(axis.xaxis)
        logarithmic(axis.yaxis)
        label_ends(axis, ends, gap=0.09)
    key(figure, handles)


def _millions(items: list[float]) -> list[float]:
    return [item / 1e6 for item in items]


def _beyond(record: Record, line: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that extrapolate a line."""
    return [
        row
        for row in record["rows"]
        if row.get("bits") == line["bits"]
        and row.get("search") == f"{line['search']}, extrapolated"
    ]


def draw_growth(record: Record, figure: mpl.Figure) -> None:
    """Draw microseconds a query by thousands of items, a panel for each way to divide."""
    lines = record["drawing"]
    names = list(dict.fromkeys(line["index"] for line in lines))
    kinds = list(dict.fromkeys(line["leaves"] for line in lines))
    handles: dict[str, Any] = {}
    for axis, kind in zip(panels(figure, len(kinds), 1), kinds, strict=True):
        for line in (line for line in lines if line["leaves"] == kind):
            x = [items / 1000 for items in line["items"]]
            (handles[line["index"]],) = axis.plot(
                x, line["micro"], **series_style(names.index(line["index"]))
            )
        axis.set(
            title=f"Leaves: {kind}",
            xlabel="items (thousands)",
            ylabel="microseconds a query",
            yscale="log",
        )
        logarithmic(axis.xaxis)
        logarithmic(axis.yaxis)
    key(figure, handles)


def draw_classes(record: Record, figure: mpl.Figure) -> None:
    """Draw the share of the query's class: a panel for each number of returned items."""
    marks = record["drawing"]
    sets = list(dict.fromkeys(mark["data set"] for mark in marks))
    names = list(dict.fromkeys(mark["method"] for mark in marks))
    counts = sorted({mark["returned"] for mark in marks})
    handles: dict[str, Any] = {}
    for axis, count in zip(panels(figure, len(counts), 1), counts, strict=True):
        for place, name in enumerate(names):
            mine = [mark for mark in marks if (mark["method"], mark["returned"]) == (name, count)]
            y = [sets.index(mark["data set"]) + 0.15 * (place - len(names) / 2) for mark in mine]
            style = series_style(place) | {"linestyle": "none"}
            (handles[name],) = axis.plot([mark["share"] for mark in mine], y, **style)
        axis.set(
            title=f"First {count:,} returned items",
            xlabel="items of the query's class (%)",
            xlim=(0, 102),
        )
        axis.set_yticks(range(len(sets)), sets)
        axis.set_ylim(len(sets) - 0.5, -0.6)
    key(figure, handles)
