"""Drawing Figures 5 to 11 of Athitsos et al. (2005): ranks and k-nn errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from paper_figures.plots import (
    footnote,
    key,
    label_ends,
    logarithmic,
    mean_line,
    panels,
    panels_by,
    plain,
    series_style,
)
from paper_figures.rows import by
from paper_figures.store import Record
from paper_figures.themes import LIGHT, SMALLEST

if TYPE_CHECKING:
    from matplotlib import figure as mpl
    from matplotlib.axes import Axes


def draw_dimensions(record: Record, figure: mpl.Figure) -> None:
    """Draw figure 5: a panel for each k and percentile, ranks by the number of dimensions."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    handles: dict[str, Any] = {}
    for axis, (k, percent), mine in panels_by(figure, rows, "k", "percentile"):
        for (method,), line in by(mine, "method").items():
            dimensions = [row["dimensions"] for row in line]
            look = series_style(methods.index(method))
            handles[method] = mean_line(axis, dimensions, line, label=method, **look)
        every = sorted({row["dimensions"] for row in rows})
        axis.set_xscale("log", base=2)
        axis.set_xticks(every[::2], [plain(d) for d in every[::2]], minor=False)
        axis.xaxis.minorticks_off()
        logarithmic(axis.yaxis)
        axis.set(title=f"k = {k}, {percent}th percentile", xlabel="dimensions", ylabel="ENN-k rank")
    key(figure, handles)


def draw_percentiles(record: Record, figure: mpl.Figure) -> None:
    """Draw figures 6, 7 and 9: a panel for each k, ranks divided by those of the first method."""
    # The axis is logarithmic in 100 - p: the few hard queries, on which methods differ, have room.
    drawing = record["drawing"]
    ks, names = (list(dict.fromkeys(line[part] for line in drawing)) for part in ("k", "panel"))
    handles: dict[str, Any] = {}
    for axis, k in zip(panels(figure, len(ks), 1), ks, strict=True):
        firsts = []
        for place, name in enumerate(names):
            first, *others = (line for line in drawing if (line["k"], line["panel"]) == (k, name))
            firsts.append(first)
            for line in others:
                style = series_style(place) | {"markevery": 8}
                label = f"{line['method']} / {_short(first['method'])}"
                (handles[label],) = axis.plot(
                    range(99, 0, -1),
                    np.array(line["values"][:99]) / np.array(first["values"][:99]),
                    label=label,
                    **style,
                )
        axis.axhline(1, color=LIGHT.soft, linewidth=1)
        axis.set(title=f"k = {k}", ylabel="ratio of\nENN-k ranks")
        _by_percentile(axis)
        axis.annotate(
            "\n".join(_ranks(line) for line in firsts),
            (0.02, 0.04),
            xycoords="axes fraction",
            fontsize=SMALLEST,
            color=LIGHT.soft,
        )
    key(figure, handles, "below 1: the method named first is better")


def _by_percentile(axis: Axes) -> None:
    """Number an axis of 100 - p by p, and leave room for a text below the curves."""
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    low, high = axis.get_ylim()
    axis.set(
        xlabel="percentile p of the queries (log scale of 100 − p)",
        xscale="log",
        xlim=(100, 0.9),
        ylim=(low - 0.3 * (high - low), high),
    )
    axis.xaxis.set_major_locator(FixedLocator([100 - p for p in (0, 50, 80, 90, 95, 98, 99)]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))  # whatever the height
    axis.xaxis.set_major_formatter(lambda left, _: plain(100 - left))


def _short(method: str) -> str:
    """Return the part of a method's name that tells it from others: Fe-Ra-QI."""
    return method.removeprefix("BoostMap-")


def _ranks(line: Mapping[str, Any]) -> str:
    """Return the ranks that a method has, since the curves show ratios only."""
    at_95, at_99 = (plain(line["values"][p - 1]) for p in (95, 99))
    return f"{_short(line['method'])}: rank {at_95} at p = 95, {at_99} at p = 99"


def draw_errors(record: Record, figure: mpl.Figure) -> None:
    """Draw figures 8, 10 and 11: k-nn error by k."""
    axis = figure.subplots()
    ends = {}
    for place, line in enumerate(record["drawing"]):
        style = series_style(place) | {"markevery": 9}
        values = line["values"]
        axis.plot(range(1, len(values) + 1), values, label=line["method"], **style)
        name = _short(line["method"]).replace(" ", "\n")
        ends[name] = (len(values), values[-1], style["color"])
    axis.set(xlabel="k, the number of neighbours", ylabel="k-nn error (%)")
    label_ends(axis, ends)
    forms = [name for name in ends if "-" in name]
    what = "a form" if len(forms) == 1 else "forms"
    footnote(figure, f"{', '.join(forms)}: {what} of BoostMap")
