"""The figures of Li, Ning, Cao, Zhang, Gong & Huang (2011), and the sizes of their tasks."""

from collections.abc import Callable, Sequence
from typing import Any

from paper_figures.search_forest import (
    classes,
    growth,
    layouts,
    lookup,
    plots,
    results,
    tasks,
    timing,
)
from paper_figures.search_forest import results_classes as by_class
from paper_figures.search_forest import results_times as times_of
from paper_figures.search_forest.sizes import (
    CLASSES,
    DIMENSIONS,
    DRAWS,
    GROWTH,
    MOVED,
    REGIONS,
    SETS,
    SIZES,
    SPLITS,
    TIMES,
)
from paper_figures.tasks import Context, Figure, Task, paper

KERNELS = (
    "eigen",
    "forest",
    "meetings",
    "planes",
    "pairs",
    "clustering",
    "hashing",
    "hamming",
    "trees",
    "growing",
)


def _task(name: str, at: dict[str, Any], **params: Any) -> Task:
    return Task(name, getattr(tasks, name), at | params, data=(at["data_set"],), kernels=KERNELS)


def _settings(figure: str, scale: str, regions: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return regions of a node and points of a leaf.

    A leaf has at least as many points as the trees' source divides.
    """
    leaves = REGIONS[figure, scale][1]
    return tuple((n, leaf) for n in regions for leaf in leaves if leaf >= n - 1)


def _forest_tasks(at: dict[str, Any], sizes: dict[str, Any], draws: int, **more: Any) -> list[Task]:
    """Return the forest's tasks, one for each draw."""
    shape = {
        "lams": sizes["lams"],
        "n_train": sizes["n_train"],
        "max_depth": sizes["depth"],
        "trees": sizes["trees"],
    }
    return [_task("forest", at, **shape | {"draw": draw} | more) for draw in range(draws)]


def _kmeans_tasks(
    figure: str, scale: str, at: dict[str, Any], regions: Sequence[int], draws: int
) -> list[Task]:
    """Return the tasks of k-means trees, for each number of regions and draw."""
    trees = SIZES[figure, scale]["trees"]
    return [
        _task("kmeans", at, draw=draw, settings=_settings(figure, scale, (n,)), trees=trees)
        for n in regions
        for draw in range(draws)
    ]


def curve_tasks(figure: str) -> Callable[[Context], list[Task]]:
    """Return the tasks of Figure 1 or 2, as a function of the scale."""

    def tasks_of(context: Context) -> list[Task]:
        scale = context.scale
        at = SETS[figure, scale]
        sizes = SIZES[figure, scale]
        draws = DRAWS[scale] if figure == "figure1" else min(3, DRAWS[scale])
        regions = REGIONS[figure, scale][0]
        listed = _forest_tasks(at, sizes, draws)
        listed += _kmeans_tasks(figure, scale, at, regions, draws)
        many = tuple(n for n in regions if n > 2)
        for trees in (sizes["trees"], 1):
            listed += [
                _task(
                    "best_first",
                    at,
                    draw=draw,
                    settings=_settings(figure, scale, many),
                    trees=trees,
                )
                for draw in range(draws)
            ]
        listed += [
            _task(
                "hashing",
                at,
                draw=draw,
                functions=sizes["functions"],
                widths=sizes["widths"],
                tables=sizes["trees"],
            )
            for draw in range(draws)
        ]
        listed += [_task("spectral", at, bits=bits) for bits in sizes["bits"]]
        if sizes["all"] is not None:
            listed += _forest_tasks(at, sizes, 1, n_train=sizes["all"])
        return listed + _forest_tasks(at, sizes, 1, **MOVED)

    return tasks_of


def splits_tasks(context: Context) -> list[Task]:
    """Return the tasks of forests by how their planes are chosen; lambda is chosen for each."""
    at = SETS["figure1", context.scale]
    chosen = SPLITS[context.scale]
    sizes = SIZES["figure1", context.scale] | {key: chosen[key] for key in ("n_train", "lams")}
    listed = _forest_tasks(at, sizes, chosen["draws"])
    for planes in ("random", "principal", "two-means"):
        listed += [
            _task(
                "other_planes",
                at,
                draw=draw,
                planes=planes,
                lams=sizes["lams"],
                n_train=sizes["n_train"],
                max_depth=sizes["depth"],
                trees=sizes["trees"],
            )
            for draw in range(chosen["draws"])
        ]
    for more in ({"augment": 1.0}, {"offset": "best"}, MOVED):
        listed += _forest_tasks(at, sizes, 1, **more)
    return listed


def dimensions_tasks(context: Context) -> list[Task]:
    """Return the tasks of all methods on few of the components, and on more.

    K-means trees are drawn several times, on other points as well.
    """
    sizes = DIMENSIONS[context.scale]
    trees = sizes["trees"]
    scale = context.scale
    draws = DRAWS[scale]
    settings = _settings("figure1", scale, [n for n in REGIONS["figure1", scale][0] if n > 2])
    listed = []
    for d in sizes["components"]:
        at = sizes["at"] | {"d": d}
        listed += _forest_tasks(at, sizes, 1)
        for points in (at, *(at | other for other in sizes["others"])):
            listed += [
                _task("kmeans", points, draw=draw, settings=settings, trees=trees)
                for draw in range(draws)
            ]
        listed.append(_task("best_first", at, draw=0, settings=settings, trees=trees))
        listed.append(
            _task(
                "hashing",
                at,
                draw=0,
                functions=sizes["functions"],
                widths=sizes["widths"],
                tables=trees,
            )
        )
        listed.append(_task("spectral", at, bits=sizes["bits"]))
    return listed


def table1_tasks(context: Context) -> list[Task]:
    """Return a task for each number of bits and of items."""
    at = TIMES[context.scale]
    return [
        Task(
            "times",
            timing.times,
            {"bits": bits, "n": n, "queries": at["queries"], "d": at["d"], "depth": 16},
            kernels=("forest", "hamming"),
        )
        for bits in at["bits"]
        for n in at["sizes"]
    ]


def growth_tasks(context: Context) -> list[Task]:
    """Return a task for each index, size, and way to divide: as at first, or more finely."""
    at = GROWTH[context.scale]
    sizes = at["sizes"]
    same = {"leaf": 16, "trees": 8, "d": 32} | {key: at[key] for key in ("queries", "passes")}
    return [
        Task(
            "growth",
            growth.growth,
            {"index": index, "n": n, "divided": divided} | same,
            kernels=("forest", "clustering", "growing", "trees", "hashing"),
        )
        for index in growth.LISTS
        for n in sizes
        for divided in dict.fromkeys((n, sizes[0]))
    ]


def classes_tasks(context: Context) -> list[Task]:
    """Return the tasks of similarity by class: for each set the forest and searches by distance."""
    of_scale = CLASSES[context.scale]
    version = classes.hnswlib_version()
    listed = []
    for data_set, d, n_train, trial in of_scale["sets"]:
        counts = of_scale["counts"]
        at = {
            "data_set": data_set,
            "d": d,
            "queries": of_scale["queries"],
            "K": max(counts),
            "counts": counts,
            "n_train": n_train,
        }
        draws = range(of_scale["draws"])
        forest = at | of_scale["shape"] | {"trial": trial}
        listed += [_class_task("forest_by_class", forest, draw=draw) for draw in draws]
        listed += [
            _class_task("neighbors_by_class", at, draw=0, search="exact"),
            _class_task("neighbors_by_class", at, draw=0, search="hnswlib", version=version),
        ]
        listed += [_class_task("neighbors_by_class", at, draw=d, search="LMNN") for d in draws]
    return listed


def _class_task(name: str, at: dict[str, Any], **more: Any) -> Task:
    return Task(name, getattr(classes, name), at | more, data=(at["data_set"],))


CURVES = (
    "Recall of the nearest neighbours by the number of returned items, in whole sets and in ranked "
    "lists: the forest beside k-means trees and hashing, and beside spectral hashing."
)
COUNTED = " Then with planes and centres counted as items."
PAPER = paper(
    "search_forest",
    "Learning to search efficiently in high dimensions",
    "Z. Li, H. Ning, L. Cao, T. Zhang, Y. Gong, T. S. Huang. NIPS 2011",
    (
        Figure(
            "figure1",
            "Recall by the number of returned items",
            curve_tasks("figure1"),
            results.curves("figure1"),
            plots.draw_curves,
            alt=CURVES + COUNTED,
            size=(5.2, 12.0),
        ),
        Figure(
            "figure2",
            "Recall by the number of returned items, GIST of images",
            curve_tasks("figure2"),
            results.curves("figure2"),
            plots.draw_curves,
            alt=CURVES + COUNTED,
            size=(5.2, 12.0),
        ),
        Figure(
            "dimensions",
            "The same points on more and more components",
            dimensions_tasks,
            results.dimensions,
            plots.draw_dimensions,
            alt="Recall by the number of components, in whole sets and in ranked lists, for the "
            "forest, k-means trees, LSH and spectral hashing.",
            size=(5.2, 6.4),
        ),
        Figure(
            "splits", "The forest's recall by how planes are chosen", splits_tasks, results.splits
        ),
        Figure(
            "table1",
            "Retrieval time",
            table1_tasks,
            times_of.table1,
            plots.draw_times,
            alt="A panel for the linear scan and one for the index: seconds a query by millions "
            "of items, measured and extrapolated; printed numbers are hollow marks.",
            size=(5.2, 6.4),
        ),
        Figure(
            "growth",
            "Search time of the three indices by the number of items",
            growth_tasks,
            times_of.growth,
            plots.draw_growth,
            alt="Microseconds a query by thousands of items for the forest, k-means trees and LSH: "
            "with as many leaves as before, and with leaves as small as before.",
            size=(5.2, 5.4),
        ),
        Figure(
            "lookup",
            "Beyond the paper: codes within one bit of the query's, found in a hash table",
            lookup.tasks,
            lookup.reduce,
        ),
        Figure(
            "classes",
            "Similarity by class",
            classes_tasks,
            by_class.classes,
            plots.draw_classes,
            alt="Share of the query's class among the first returned items, by data set, for the "
            "forest, exact Euclidean neighbours, hnswlib and LMNN's metric.",
            size=(5.2, 5.6),
        ),
    ),
    layouts.LAYOUTS,
)
