"""The forest's recall by how its planes are chosen, on the points of Figure 1.

Li et al. (2011) say that the forest is ahead because its trees are learnt for recall and for few
returned items at once. All forests here have Algorithm 1's weights, the stopping rule of eq. 17
and the same depth, so that the planes alone differ; lambda is chosen for each kind.
"""

from typing import Any

from paper_figures.search_forest.curves import MOVED, SETTINGS
from paper_figures.search_forest.recall import (
    BY_READING,
    READING,
    RULE,
    curves_of,
    drawn_note,
    forest_cell,
    recalls,
    set_note,
)
from paper_figures.study import Cell, Gathered, Grid, Seen, Study, View

EQ_18 = "eq. 18"
LEARNT: dict[str, dict[str, Any]] = {
    EQ_18: {},
    "eq. 18, x~ as printed": {"coordinates": "given"},
    "eq. 18, augment 1": {"augment": 1.0},
    "eq. 18, best offset": {"offset": "best"},
    "eq. 18, moved": MOVED,
}
OTHERS = {"random": "random", "principal directions": "principal", "2-means": "two-means"}
NOTE = (
    "All trees stop by eq. 17 and have at most the same depth; lambda is chosen for each kind of "
    "planes. Offset: b of the plane is the eigenvector's, as eq. 18 has it, or where eq. 17 itself "
    "is largest. Moves: how often the plane may go on to where eq. 17 is larger. Augment: the last "
    "entry of x~ (1 in the paper, which does not say in which coordinates x is); the others are "
    "centred and scaled to unit spread for each node, or are the points as they are (x~ as "
    "printed). Not learnt: a random direction, or one of a node's five principal directions, each "
    "at the median; the plane between the centres of 2-means. K shrinks with the training points."
)


def cells(
    data_set: str, n_train: int, lams: tuple[float, ...], draws: int, **at: Any
) -> list[Cell]:
    """Return a cell for each kind of planes, with all its draws; variants of eq. 18 have one."""
    sizes = SETTINGS[data_set] | {"n_train": n_train, "lams": lams}
    of = {"data_set": data_set, **sizes["at"], **at}
    learnt = [
        forest_cell(of, sizes, draws if place < 2 else 1, method=name, **options)
        for place, (name, options) in enumerate(LEARNT.items())
    ]
    others = [
        forest_cell(of, sizes, draws, method=name, planes=planes) for name, planes in OTHERS.items()
    ]
    return learnt + others


def gather(seen: Seen) -> Gathered:
    """Return recall by the kind of planes and the number of returned items."""
    names = ("planes", "offset", "moves", "augment", "lambda", "leaves", "reading", "returned")
    rows = seen.absent(dict.fromkeys(names))
    curves = curves_of(seen.items)
    for curve in curves:
        shape = curve.first["shape"]
        learnt = "planes" not in shape
        given = shape.get("coordinates") == "given"
        keys = {
            "planes": EQ_18 if learnt else curve.method,
            "offset": shape.get("offset", "eigenvector") if learnt else None,
            "moves": shape.get("refine", 0) if learnt else None,
            "augment": (1.0 if given else shape.get("augment", 0.1)) if learnt else None,
            "lambda": curve.first["setting"],
            "leaves": round(curve.first["leaves"]),
        }
        if given:
            keys["planes"] = curve.method
        dropped = ("method", "setting", "trees")
        rows += [
            keys | {key: row[key] for key in row if key not in dropped} for row in curve.rows()
        ]
    return Gathered(rows, [set_note(seen), NOTE, READING, drawn_note(curves), RULE])


STUDY = Study(
    "splits",
    recalls,
    {
        "small": cells("digits", 300, (0.05, 0.1), 2),
        # all test digits are the queries, so that three draws are known to half a point
        "paper": cells("MNIST-10", 10_000, (0.01, 0.02, 0.05, 0.1, 0.2), 3, queries=10_000),
    },
    (
        View(
            "splits",
            "The forest's recall by how planes are chosen",
            gather,
            layout=(
                Grid(("planes", "offset", "moves", "augment", "lambda", "leaves"), **BY_READING),
            ),
        ),
    ),
)
