"""Athitsos et al. (2005): what §§ 7.5, 8.3 and 11 say in passing, gathered.

Not handled here: the tasks (:mod:`paper_figures.boostmap.remarks`).
"""

from collections.abc import Sequence
from typing import Any

from paper_figures.boostmap.protocol import SET, SIZES, SPACE
from paper_figures.boostmap.remarks import own_splitters, retrieval_times, triangle_inequality
from paper_figures.boostmap.results import mean_row
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, Task, absent_rows, number_row

DRAWS = {"small": 2, "paper": 5}
IMAGES = {"small": 200, "paper": 2000}
QUERIES = {"small": 50, "paper": 200}
SETTINGS = {
    "small": {"FastMap": (8, 100), "BoostMap": (16, 50)},
    # § 11.2, the printed d and p; FastMap's p is what both of its readings need here or more
    "paper": {"FastMap": (11, 5523), "BoostMap": (256, 1698)},
}
FEW = {
    "small": {"triples": 1000, "d": 8, "query_sensitive": 8},
    "paper": {"triples": 20_000, "d": 32, "query_sensitive": 32},
}
"""Sizes at which phase two may try all pairs of embeddings."""
BROKEN = "triples of images that break the triangle inequality, %"
DETOUR = "largest distance over its detour"
MILLISECONDS = "milliseconds a query: "
SAME = "second phase: the splitter has the same embedding, % of rounds"
BY_CHANCE = "second phase: the same by chance, %"


def remarks_tasks(context: Context) -> list[Task]:
    """Return the tasks of three remarks; the last one is trained several times."""
    scale = context.scale
    space = {"data_set": SET[scale], **SPACE[scale]}
    data = (SET[scale],)
    kernels = ("chamfer", "losses", "scan")
    times = {"sizes": SIZES[scale], "queries": QUERIES[scale], "settings": SETTINGS[scale]}
    few = SIZES[scale] | FEW[scale]
    return [
        Task(
            "triangle_inequality",
            triangle_inequality,
            space | {"images": IMAGES[scale]},
            data=data,
            kernels=("chamfer",),
        ),
        Task("retrieval_times", retrieval_times, space | times, data=data, kernels=kernels),
        *(
            Task(
                "own_splitters",
                own_splitters,
                space | {"sizes": few, "draw": draw},
                data=data,
                kernels=kernels,
            )
            for draw in range(DRAWS[scale])
        ),
    ]


def remarks(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the numbers that decide three remarks."""
    rows: list[Row] = absent_rows(results, {"quantity": "all"})
    values: dict[str, list[Any]] = {}
    for r in results:
        if r.value:
            values.setdefault(r.name, []).append(r.value)
    for value in values.get("triangle_inequality", []):
        rows.append(number_row({"quantity": BROKEN}, None, value["broken"]))
        rows.append(number_row({"quantity": DETOUR}, None, round(value["largest"], 4)))
    for value in values.get("retrieval_times", []):
        for name, spent in value["milliseconds"].items():
            rows.append(mean_row({"quantity": MILLISECONDS + name}, None, spent))
    trainings = values.get("own_splitters", [])
    if trainings:
        shares = [100 * value["same"] / value["rounds"] for value in trainings]
        rows.append(mean_row({"quantity": SAME}, None, shares))
        chance = [100 / value["d"] for value in trainings]
        rows.append(number_row({"quantity": BY_CHANCE}, None, round(sum(chance) / len(chance), 2)))
    few = FEW[context.scale]
    settings = SETTINGS[context.scale]
    note = (
        f"The triangle inequality: {IMAGES[context.scale]:,} edge images, triples drawn at random. "
        "Times: of the processor, with the d and p of both methods "
        + ", ".join(f"{d} and {p:,} ({name})" for name, (d, p) in settings.items())
        + ". Queries are embedded and refined one at a time, so that the distance transforms of "
        "the images that they are compared with are made anew for each; a program that keeps them "
        "pays about a hundredth for an exact distance, and its filter is the dearer step. "
        f"All pairs: {few['d']} dimensions, "
        f"{few['triples']:,} selective triples, {few['query_sensitive']} rounds."
    )
    return Gathered(rows, [note])
