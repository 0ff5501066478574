"""How far the landmarks of DSELECT are spread, beside random ones (§ 2.3).

The paper calls landmarks diverse if their mean similarity is small, and says that such landmarks
cover the domain well and find more of its patterns, whereas others give all objects the same
embedding. Well spread is measured by how alike a new object is to the landmark nearest to it;
patterns by in how many dimensions the new objects' similarities to the landmarks vary.

Not handled here: what landmarks do for the accuracy (`matrices`, `transfer`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from paper_figures.ftune.gaussian import LARGE
from paper_figures.ftune.matrices import PAPER
from paper_figures.ftune.shown import SETS, SPOKEN, VECTORS
from paper_figures.ftune.splits import Split
from paper_figures.rows import by, differences, means
from paper_figures.study import Gathered, Grid, Job, Observation, Seen, Study, View, grid
from refimpl.typing import FloatArray

DSELECT, RANDOM = "DSELECT", "random"
AMONG = "mean similarity of two landmarks"
NEAREST = "similarity to the nearest landmark"
DIMENSIONS = "dimensions of the embedding"
QUANTITIES = (AMONG, NEAREST, DIMENSIONS)
SMALL = [("digits", "cityblock"), ("wine", "standardised")]
HERE = [*PAPER, *((name, "standardised") for name in VECTORS if name not in LARGE)]


def compute(
    job: Job, *, data_set: str, how: str, landmarks: int, run: int
) -> Iterator[Observation]:
    """Yield the three quantities of as many landmarks of DSELECT and of random ones."""
    split = Split(job, data_set, how, landmarks, run)
    diverse, common = split.diverse(), split.common()
    assert diverse is not None  # one choice in all is there for two classes, too
    for choice, chosen in ((DSELECT, diverse), (RANDOM, common)):
        L = chosen.L[:landmarks]
        yield {"choice": choice, **spread(split.K.within(L, L), split.K.between(split.Q, L))}


def spread(among: FloatArray, to: FloatArray) -> dict[str, Any]:
    """Return the quantities from similarities among landmarks, and of new objects to them."""
    # dimensions: (sum v)^2 / sum v^2 of the variances v along the principal components, which is r
    # if r of them are equal and the others 0
    r = len(among)
    centred = to - to.mean(axis=0)
    C = centred.T @ centred
    total = float(np.trace(C))
    return {
        AMONG: float((among.sum() - np.trace(among)) / (r * (r - 1))),
        NEAREST: float(to.max(axis=1).mean()),
        DIMENSIONS: total**2 / float((C * C).sum()) if total > 0.0 else 0.0,
    }


def gather(seen: Seen) -> Gathered:
    """Return the quantities, and DSELECT's less those of random landmarks, split by split."""
    rows = seen.absent({"data_set": "all", "landmarks": None, "quantity": None})
    for quantity in QUANTITIES:
        named = [item | {"quantity": quantity} for item in seen.items]
        keys = (*SETS, "quantity")
        rows += means(named, (*keys, "choice"), quantity)
        rows += differences(named, keys, quantity, [(DSELECT, RANDOM)], over="choice")
    runs = sorted({len(mine) for mine in by(seen.items, *SETS, "choice").values()})
    note = (
        f"Means of {' or '.join(map(str, runs))} random splits. Both choices have as many "
        "landmarks out of the same training objects. The nearest landmark, and the dimensions, "
        "are those of the test objects. Dimensions: (sum of variances)^2 / sum of their squares, "
        "along the principal components of the similarities to the landmarks. Differences are "
        "taken split by split."
    )
    return Gathered(rows, [note])


STUDY = Study(
    "spread",
    compute,
    {
        "small": grid(data_set__how=SMALL, landmarks=(10,), run=range(2)),
        "paper": grid(data_set__how=HERE, landmarks=(30, 50), run=range(20)),
    },
    (
        View(
            "spread",
            "How far the landmarks of DSELECT are spread",
            gather,
            layout=(
                Grid(
                    ("data_set", "choice"),
                    ("landmarks",),
                    tables=("quantity",),
                    where={"minus": (None,)},
                    headings={"choice": "landmarks by"},
                    names={"data_set": SPOKEN},
                    alike=("quantity",),
                ),
                Grid(
                    ("data_set",),
                    ("quantity", "landmarks"),
                    where={"choice": ("DSELECT",), "minus": ("random",)},
                    names={"data_set": SPOKEN},
                    alike=("quantity",),
                    title="DSELECT less random, split by split",
                ),
            ),
        ),
    ),
)
