"""How the figures of Kar & Jain (2011) are drawn; a change here computes nothing anew."""

from paper_figures.plots import panels, series_style

ORDER = ("FTUNE+D-S", "FTUNE-S", "FTUNE-M", "BBS+D", "BBS", "DBOOST")


def draw_curves(record, figure):
    """Draw figures 1 and 2: accuracy by the number of landmarks, a panel for each data set."""
    lines = record["drawing"]
    sets, handles = list(dict.fromkeys(line["set"] for line in lines)), {}
    for axis, name in zip(panels(figure, len(sets)), sets, strict=True):
        for place, method in enumerate(ORDER):
            here = sorted((one for one in lines if (one["set"], one["method"]) == (name, method)),
                          key=lambda one: one["d"])  # fmt: skip
            if here:
                handles[method] = axis.errorbar(
                    [one["d"] for one in here], [one["mean"] for one in here], yerr=[one["std"] for one in here],
                    capsize=2, **series_style(place),
                )  # fmt: skip
        axis.set(title=name, xlabel="landmarks", ylabel="accuracy")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=3)
