"""Athitsos, Alon, Sclaroff & Kollios (2005): sizes of § 11 and the tasks that its figures share."""

from collections.abc import Iterable, Sequence
from typing import Any

from paper_figures.boostmap.problem import SIGMA
from paper_figures.boostmap.tasks import exact, fastmap_ranks, variant
from paper_figures.tasks import Context, Result, Task

SET = {"small": "digits", "paper": "MNIST-10"}
SPACE = {"small": {"enlarge": 3, "most": 50}, "paper": {"enlarge": 1, "most": 100}}
SIZES = {
    "small": {
        "candidates": 200,
        "objects": 400,
        "triples": 5000,
        "k_most": 4,
        "d": 32,
        "M_1": 60,
        "M_2": 20,
        "query_sensitive": 32,
        "threads": 1,
    },
    "paper": {
        "candidates": 5000,
        "objects": 5000,
        "triples": 200_000,
        "k_most": 4,
        "d": 256,
        "M_1": 1000,
        "M_2": 200,
        "query_sensitive": 256,
        "threads": 2,
    },
}
DIMENSIONS = {"small": (1, 2, 4, 8, 16), "paper": (1, 2, 4, 8, 16, 32, 64, 128)}
FASTMAP = {"small": 400, "paper": 10_000}
DRAWS = {"small": 2, "paper": 5}
"""How many times each variant is trained, and FastMap drawn."""
VARIANTS = (("Fe", "Ra"), ("Fe", "Se"), ("Pa", "Se"))
NOTES = (  # of the first figure that has edges, and of tables 1 and 3: a page shows them thrice
    "Edge images by Canny's detector, sigma 1.7 (the paper names none); "
    "chamfer distances are sums of the two directions; candidates and training objects are drawn "
    "apart from one another; m = M_1 pivot pairs are tried in a round; "
    "the second phase has as many rounds as there are dimensions.",
)


def _params(context: Context) -> dict[str, Any]:
    return {"data_set": SET[context.scale], **SPACE[context.scale]}


def exact_tasks(context: Context) -> list[Task]:
    """Return the task of the chamfer distance itself."""
    return [
        Task(
            "exact",
            exact,
            _params(context) | {"sigma": SIGMA},
            data=(SET[context.scale],),
            kernels=("chamfer",),
        )
    ]


def fastmap_tasks(context: Context) -> list[Task]:
    """Return the tasks of FastMap, with negative squared distances kept or set to zero."""
    dimensions = (*DIMENSIONS[context.scale], SIZES[context.scale]["d"])
    return [
        Task(
            "fastmap",
            fastmap_ranks,
            _params(context)
            | {
                "n_train": FASTMAP[context.scale],
                "dimensions": dimensions,
                "clip": clip,
                "draw": draw,
            },
            data=(SET[context.scale],),
            kernels=("chamfer",),
        )
        for draw in range(DRAWS[context.scale])
        for clip in (False, True)
    ]


def variant_tasks(context: Context, wanted: Iterable[tuple[str, str]] = VARIANTS) -> list[Task]:
    """Return the tasks of the variants, each with and without a query-sensitive part.

    Every variant is trained :data:`DRAWS` times.
    """
    return [
        Task(
            "variant",
            variant,
            _params(context)
            | {
                "distance": distance,
                "triples": triples,
                "sizes": SIZES[context.scale],
                "dimensions": DIMENSIONS[context.scale] if distance == "Fe" else (),
                "votes": triples == "Se",
                "draw": draw,
            },
            data=(SET[context.scale],),
            kernels=("chamfer", "losses", "scan"),
        )
        for draw in range(DRAWS[context.scale])
        for distance, triples in wanted
    ]


def trained(results: Sequence[Result]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the trainings of the variants: dict of (distance, triples) -> the tasks' values."""
    values: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for r in results:
        if r.name == "variant" and r.value:
            values.setdefault((r.params["distance"], r.params["triples"]), []).append(r.value)
    return values
