"""How the entries `when` are drawn; a change here computes nothing anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paper_figures.comparisons.when import LESS
from paper_figures.plots import footnote, key, left_out, series_style, standard_error
from paper_figures.themes import theme

if TYPE_CHECKING:
    from matplotlib import figure as mpl
    from matplotlib.axes import Axes

    from paper_figures.store import Record, Row

LINEAR = 5.0  # points beyond which the axis is logarithmic


def draw_errors(record: Record, figure: mpl.Figure) -> None:
    """Draw a row for each set: by how much each other learner errs more than the method."""
    rows = [row for row in record["rows"] if row["quantity"] == LESS and row["ours"] is not None]
    if not rows:
        footnote(figure, "None of the data is available.")
        return
    axis = figure.subplots()
    names = list(dict.fromkeys(row["learner"] for row in rows))
    handles = marks(axis, rows, "learner", names)
    axis.axvline(0.0, color=theme().ink, linewidth=1.2)
    axis.set_xscale("symlog", linthresh=LINEAR)
    axis.set_xticks([-20, -10, -5, 0, 5, 10, 20, 50], minor=False)
    axis.xaxis.set_major_formatter(
        lambda value, _: f"{value:+.0f}".replace("-", "−") if value else "0"
    )
    axis.xaxis.minorticks_off()
    low, high = axis.get_xlim()
    axis.set_xlim(min(low, -LINEAR), max(high, LINEAR))
    axis.set_xlabel("error less the method's (points); right of 0 the method errs less")
    absent = dict.fromkeys(row["data_set"] for row in record["rows"] if row["ours"] is None)
    said = ["Bars: 95 % intervals of the mean.", left_out(list(absent)).replace("\n", " ")]
    key(figure, handles, "\n".join(text for text in said if text))


def _signed(value: float) -> str:
    return f"{value:+.0f}".replace("-", "−") if value else "0"


def marks(axis: Axes, rows: Sequence[Row], who: str, names: Sequence[str]) -> dict[str, Any]:
    """Draw a row for each set with a mark for each method, and return the key's handles.

    Parameters
    ----------
    axis : Axes
    rows : sequence of dict
        Numbers, one for each set and method.
    who : str
        The field that names the method.
    names : sequence of str
        All methods of the picture; each has the same look in all panels.

    Returns
    -------
    dict of str to Artist
    """
    sets = list(dict.fromkeys(row["data_set"] for row in rows))
    apart = 0.8 / len(names)
    handles = {}
    for place, name in enumerate(names):
        mine = [row for row in rows if row[who] == name]
        if not mine:
            continue
        shift = (place - (len(names) - 1) / 2) * apart
        handles[name] = axis.errorbar(
            [row["ours"] for row in mine],
            [sets.index(row["data_set"]) + shift for row in mine],
            xerr=[1.96 * standard_error(row) for row in mine],
            capsize=2,
            **series_style(place) | {"linestyle": "none"},
        )
    axis.set_yticks(range(len(sets)), sets)
    axis.set_ylim(len(sets) - 0.5, -0.5)
    for between in range(1, len(sets)):
        axis.axhline(between - 0.5, color=theme().grid, linewidth=0.6)
    axis.grid(axis="y", visible=False)
    return handles
