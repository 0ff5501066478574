"""Made-up measures of BoostMap's tasks, so that the rows of its figures can be told by hand."""

from figure_runs import figure_of

from paper_figures.boostmap import figures
from paper_figures.tasks import Result

FIGURES = {view.name: figure_of(view) for view in figures.PAPER.figures}
RANKS = ("QI", "QS")


def curve(at_95, at_98=0, at_99=0):
    """Return ranks at percentiles 1 to 100; all but three differ from what is asked for."""
    ranks = [100_000 + percent for percent in range(1, 101)]
    ranks[94], ranks[97], ranks[98] = at_95, at_98, at_99
    return ranks


def measure(cost, **by_k):
    """Return the measure of an embedding: its cost and, for k1, k10, k100, the ranks."""
    return {"ranks": {k[1:]: curve(*ranks) for k, ranks in by_k.items()}, "cost": cost}


def variant(distance, triples, value):
    params = {"distance": distance, "triples": triples}
    return Result("variant", params, value)


def reduce(name, context, results):
    return FIGURES[name].reduce(context, results)


def values(rows, *keys):
    """Return the values of some keys; only the reason may be absent, and is then None."""
    return [tuple(row.get(k) if k == "why" else row[k] for k in keys) for row in rows]


def by_dimensions():
    """Return FastMap with and without clipping, and two variants; at k = 1 and k = 10."""
    fastmap = {
        "2": measure(4, k1=(50, 0, 60), k10=(500, 5000, 600)),
        "16": measure(30, k1=(40, 0, 45), k10=(400, 5100, 450)),
        "4": measure(8, k1=(41, 0, 44), k10=(410, 5003, 440)),
    }
    clipped = {"2": measure(4, k1=(90, 0, 95), k10=(900, 9000, 950))}
    random = {"2": measure(4, k1=(70, 0, 75), k10=(700, 1800, 750))}
    selective = {
        "2": measure(4, k1=(55, 0, 60), k10=(500, 1000, 610)),
        "16": measure(32, k1=(42, 0, 43), k10=(390, 600, 460)),
    }
    return [
        Result("fastmap", {"clip": False}, {"dimensions": fastmap}),
        Result("fastmap", {"clip": True}, {"dimensions": clipped}),
        variant(
            "Fe",
            "Ra",
            {"dimensions": random, "d": 256, "QI": measure(512, k1=(9, 0, 8), k10=(7, 1698, 6))},
        ),
        variant(
            "Fe",
            "Se",
            {"dimensions": selective, "d": 64, "QI": measure(100, k1=(1, 0, 2), k10=(3, 533, 4))},
        ),
    ]
