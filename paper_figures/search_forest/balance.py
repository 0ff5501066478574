"""How balanced the trees of a forest are, by the weight of the cost (§ 3.3).

The paper does not enforce balance, as the term C of eq. 4 favours it: among trees with as many
leaves a balanced one returns the fewest items. Here that cost is counted, the share of the database
that shares a leaf with an item, times the number of leaves: 1 for a balanced tree. Lambda is the
weight of C. Planes half-way between two means, chosen without C, show what trees are like whose
stopping rule alone knows of it.

Not handled here: what the forests find (`splits`).
"""

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.rows import by, differences, means
from paper_figures.search_forest.methods import build_forest
from paper_figures.search_forest.points import whole
from paper_figures.store import Record
from paper_figures.study import Gathered, Grid, Job, Observation, Seen, Study, View, grid
from paper_figures.themes import LIGHT
from refimpl.search_forest import to_terms
from refimpl.typing import Int32Array

LEARNT, PRINTED, MEANS = "eq. 18", "eq. 18, x~ as printed", "2-means"
LESS = "cost less that of 2-means"
PLANES: dict[str, dict[str, Any]] = {
    LEARNT: {},
    PRINTED: {"coordinates": "given"},
    MEANS: {"planes": "two-means"},
}
COST = "cost, times that of a balanced tree with as many leaves"
KEYS = ("data_set", "planes", "lambda")


def compute(
    job: Job, *, data_set: str, d: int, K: int, n_train: int, shape: dict[str, int], lam: float
) -> Iterator[Observation]:
    """Yield the cost of the trees by each kind of planes and draw, over that of balanced trees."""
    problem = whole(job, data_set=data_set, d=d, queries=1, K=K)
    for planes, how in PLANES.items():
        for draw in range(shape["draws"]):
            sizes = {"trees": shape["trees"], "max_depth": shape["depth"], **how}
            forest = build_forest(job, problem, lam, draw, n_train=n_train, **sizes).forest
            if forest is None:
                continue
            words = to_terms(forest, problem.X, kernels=job.kernels)
            costs, leaves = zip(*map(over_balanced, words.T), strict=True)
            yield {
                "planes": planes,
                "run": draw,
                "cost": float(np.mean(costs)),
                "leaves": float(np.mean(leaves)),
            }


def over_balanced(words: Int32Array) -> tuple[float, int]:
    """Return a tree's cost over that of a balanced one with as many leaves, and their number."""
    # `words` are the leaves that the items reach. The cost is the mean share of the items that are
    # in an item's leaf, sum_k (n_k / n)^2, which is 1 / L in a balanced tree.
    sizes = np.unique(words, return_counts=True)[1]
    return float(len(sizes) * ((sizes / len(words)) ** 2).sum()), len(sizes)


def gather(seen: Seen) -> Gathered:
    """Return costs and leaves by planes and lambda, and costs less those of 2-means."""
    rows = seen.absent(dict.fromkeys(KEYS) | {"data_set": "all"})
    items = [item | {"lambda": item["lam"]} for item in seen.items]
    for quantity, field in ((COST, "cost"), ("leaves", "leaves")):
        named = [item | {"quantity": quantity} for item in items]
        rows += means(named, (*KEYS, "quantity"), field)
    pairs = [(learnt, MEANS) for learnt in (LEARNT, PRINTED)]
    named = [item | {"quantity": LESS} for item in items]
    rows += differences(named, ("data_set", "lambda", "quantity"), "cost", pairs, over="planes")
    draws = max((len(mine) for mine in by(items, *KEYS).values()), default=0)
    note = (
        f"Means over {draws} draws, each of all trees of a forest. The leaves are counted over the "
        "whole database. Lambda is the weight of the cost C. All trees stop by eq. 17; the planes "
        "of eq. 18 are chosen with C, those half-way between two means without it. Differences are "
        "taken draw by draw, on the same training points."
    )
    return Gathered(rows, [note])


def draw(record: Record, figure: plots.Figure) -> None:
    """Draw the cost over that of a balanced tree by lambda, a panel for each set."""
    rows = [row for row in record["rows"] if row["quantity"] == COST]
    handles: dict[str, Any] = {}
    for axis, (name,), mine in plots.panels_by(figure, rows, "data_set"):
        by_lambda, x = sorted(mine, key=itemgetter("lambda")), itemgetter("lambda")
        handles |= plots.lines_by(axis, by_lambda, "planes", [*PLANES], x, plots.error_bars)
        axis.axhline(1.0, color=LIGHT.soft, linewidth=0.8)
        axis.set(title=name, xlabel="lambda", ylabel="cost, times a balanced tree's")
        plots.logarithmic_at(axis, sorted({row["lambda"] for row in mine}))
    plots.key(figure, handles, "bars: standard errors over draws")


SHAPE = {"trees": 5, "depth": 12, "draws": 5}
STUDY = Study(
    "balance",
    compute,
    {
        "small": grid(
            data_set__d=(("digits", 30),),
            K=(20,),
            n_train=(300,),
            shape=({"trees": 2, "depth": 6, "draws": 2},),
            lam=(0.05, 0.2),
        ),
        "paper": grid(
            data_set__d=(("MNIST-10", 64), ("20news", 32)),
            K=(100,),
            n_train=(10_000,),
            shape=(SHAPE,),
            lam=(0.02, 0.05, 0.1, 0.2),
        ),
    },
    (
        View(
            "balance",
            "How balanced the trees of a forest are",
            gather,
            draw,
            "A panel for each set: the cost of the trees over that of balanced ones by lambda, for "
            "three kinds of planes, with standard errors.",
            (5.2, 3.8),
            (
                Grid(
                    ("data_set", "planes"),
                    ("lambda",),
                    tables=("quantity",),
                    where={"minus": (None,)},
                    alike=("quantity",),
                ),
                Grid(
                    ("data_set", "planes", "minus"),
                    ("lambda",),
                    where={"quantity": (LESS,)},
                    title="cost less that of 2-means, draw by draw",
                ),
            ),
        ),
    ),
)
