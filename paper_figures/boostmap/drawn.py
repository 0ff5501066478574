"""Drawing Figures 5 to 11 of Athitsos et al. (2005): ranks and k-nn errors."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.store import Record
from paper_figures.themes import LIGHT, SMALLEST


def draw_dimensions(record: Record, figure: plots.Figure) -> None:
    """Draw figure 5: a panel for each k and percentile, ranks by the number of dimensions."""
    rows = [row for row in record["rows"] if row["ours"] is not None]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    handles: dict[str, Any] = {}
    for axis, (k, percent), mine in plots.panels_by(figure, rows, "k", "percentile"):
        x = itemgetter("dimensions")
        handles |= plots.lines_by(axis, mine, "method", methods, x, plots.mean_line)
        plots.logarithmic_at(axis, sorted({row["dimensions"] for row in rows})[::2])
        plots.logarithmic(axis.yaxis)
        axis.set(title=f"k = {k}, {percent}th percentile", xlabel="dimensions", ylabel="ENN-k rank")
    plots.key(figure, handles)


def draw_percentiles(record: Record, figure: plots.Figure) -> None:
    """Draw figures 6, 7 and 9: a panel for each k, ranks divided by those of the first method."""
    # The axis is logarithmic in 100 - p: the few hard queries, on which methods differ, have room.
    drawing = record["drawing"]
    ks, names = (list(dict.fromkeys(line[part] for line in drawing)) for part in ("k", "panel"))
    handles: dict[str, Any] = {}
    for axis, k in zip(plots.panels(figure, len(ks), 1), ks, strict=True):
        firsts = []
        for place, name in enumerate(names):
            first, *others = (line for line in drawing if (line["k"], line["panel"]) == (k, name))
            firsts.append(first)
            for line in others:
                style = plots.series_style(place) | {"markevery": 8}
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
    plots.key(figure, handles, "below 1: the method named first is better")


def _by_percentile(axis: plots.Axes) -> None:
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
    axis.xaxis.set_major_formatter(lambda left, _: plots.plain(100 - left))


def _short(method: str) -> str:
    """Return the part of a method's name that tells it from others: Fe-Ra-QI."""
    return method.removeprefix("BoostMap-")


def _ranks(line: Mapping[str, Any]) -> str:
    """Return the ranks that a method has, since the curves show ratios only."""
    at_95, at_99 = (plots.plain(line["values"][p - 1]) for p in (95, 99))
    return f"{_short(line['method'])}: rank {at_95} at p = 95, {at_99} at p = 99"


def draw_errors(record: Record, figure: plots.Figure) -> None:
    """Draw figures 8, 10 and 11: k-nn error by k."""
    axis = figure.subplots()
    ends = {}
    for place, line in enumerate(record["drawing"]):
        style = plots.series_style(place) | {"markevery": 9}
        values = line["values"]
        axis.plot(range(1, len(values) + 1), values, label=line["method"], **style)
        name = _short(line["method"]).replace(" ", "\n")
        ends[name] = (len(values), values[-1], style["color"])
    axis.set(xlabel="k, the number of neighbours", ylabel="k-nn error (%)")
    plots.label_ends(axis, ends)
    forms = [name for name in ends if "-" in name]
    what = "a form" if len(forms) == 1 else "forms"
    plots.footnote(figure, f"{', '.join(forms)}: {what} of BoostMap")
