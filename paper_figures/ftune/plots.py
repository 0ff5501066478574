"""How the figures of Kar & Jain (2011) are drawn; a change here computes nothing anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paper_figures.plots import key, panels, plain, series_style, standard_error
from paper_figures.store import Record

if TYPE_CHECKING:
    from matplotlib import figure as mpl

ORDER = ("FTUNE+D-S", "FTUNE-S", "FTUNE-M", "BBS+D", "BBS", "DBOOST")
APART = 1.055  # factor between the places of neighbours, so that their bars do not overlap


def draw_curves(record: Record, figure: mpl.Figure) -> None:
    """Draw figures 1 and 2: accuracy by the number of landmarks, a panel for each data set.

    The methods stand beside one another at each number of landmarks; bars are standard errors of
    the mean.
    """
    from matplotlib.ticker import NullLocator

    rows = [row for row in record["rows"] if row["ours"] is not None]
    sets = list(dict.fromkeys(row["data_set"] for row in rows))
    computed = {row["method"] for row in rows}
    if "BBS+D" in computed:
        computed -= {"FTUNE-M"}  # figure 1 has none; on two classes it is FTUNE-S
    methods = [method for method in ORDER if method in computed]
    handles: dict[str, Any] = {}
    for axis, name in zip(panels(figure, len(sets), 1 if len(sets) < 4 else 2), sets, strict=True):
        mine = [row for row in rows if row["data_set"] == name]
        for place, method in enumerate(methods):
            line = [row for row in mine if row["method"] == method]
            line.sort(key=lambda row: int(row["landmarks"]))
            if line:
                shift = APART ** (place - (len(methods) - 1) / 2)
                handles[method] = axis.errorbar(
                    [row["landmarks"] * shift for row in line],
                    [row["ours"] for row in line],
                    yerr=[standard_error(row) for row in line],
                    capsize=2,
                    **series_style(ORDER.index(method)) | {"linewidth": 1.2},
                )
        axis.set_xscale("log")
        ticks = sorted({row["landmarks"] for row in mine})
        axis.set_xticks(ticks, [plain(tick) for tick in ticks])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.set(title=name, xlabel="landmarks", ylabel="accuracy (share)")
        axis.set_ylim(top=min(1, axis.get_ylim()[1]))
    key(figure, handles, _bars(rows))


def _bars(rows: list[dict[str, Any]]) -> str:
    """Return what the bars are."""
    counts = sorted({row["n"] for row in rows if row["error"] is not None})
    splits = " or ".join(str(count) for count in counts)
    return f"bars: standard errors of means of {splits} splits" if counts else ""
