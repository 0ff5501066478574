"""How the figures of Kar & Jain (2011) are drawn; a change here computes nothing anew."""

from typing import Any

from paper_figures.plots import panels, series_style

ORDER = ("FTUNE+D-S", "FTUNE-S", "FTUNE-M", "BBS+D", "BBS", "DBOOST")


def draw_curves(record: dict[str, Any], figure: Any) -> None:
    """Draw figures 1 and 2: accuracy by the number of landmarks, a panel for each data set."""
    lines = record["drawing"]
    sets = list(dict.fromkeys(line["set"] for line in lines))
    handles = {}
    for axis, name in zip(panels(figure, len(sets)), sets, strict=True):
        for place, method in enumerate(ORDER):
            here = sorted(
                (line for line in lines if (line["set"], line["method"]) == (name, method)),
                key=lambda line: line["d"],
            )
            if here:
                handles[method] = axis.errorbar(
                    [line["d"] for line in here],
                    [line["mean"] for line in here],
                    yerr=[line["std"] for line in here],
                    capsize=2,
                    **series_style(place),
                )
        axis.set(title=name, xlabel="landmarks", ylabel="accuracy")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=3)
