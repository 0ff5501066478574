"""The figures of Li, Ning, Cao, Zhang, Gong & Huang (2011), and the sizes of their tasks."""

from collections.abc import Callable, Sequence
from typing import Any

from paper_figures.registry import Context, Figure, Paper, Task
from paper_figures.search_forest import libraries as beside
from paper_figures.search_forest import libraries_results as beside_results
from paper_figures.search_forest import plots, results, tasks, timing

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
SETS: dict[tuple[str, str], dict[str, Any]] = {
    ("figure1", "small"): {
        "data_set": "digits",
        "d": 30,
        "queries": 300,
        "K": 20,
        "trial": 900,
        "counts": (20, 40, 60, 100, 150, 200),
    },
    ("figure1", "paper"): {
        "data_set": "MNIST-10",
        "d": 64,
        "queries": 1000,
        "K": 100,
        "trial": 20_000,
        "counts": tuple(range(100, 1001, 100)),
    },
    ("figure2", "small"): {
        "data_set": "digits-gist",
        "d": 96,
        "queries": 300,
        "K": 20,
        "trial": 900,
        "counts": (20, 40, 60, 100, 150, 200),
    },
    ("figure2", "paper"): {
        "data_set": "tiny-images",
        "d": 384,
        "queries": 1000,
        "K": 100,
        "trial": 12_500,
        "counts": (250, *range(500, 5001, 500)),
    },
}
FUNCTIONS = (2, 4, 8, 12, 16, 24, 32)
WIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0)
# Points of a leaf of k-means trees, by the regions of a node.
REGIONS: dict[tuple[str, str], tuple[tuple[int, ...], tuple[int, ...]]] = {
    ("figure1", "small"): ((2, 8), (8, 16, 32, 64, 128)),
    ("figure1", "paper"): ((2, 8, 32), (8, 16, 31, 63, 125, 250, 500, 1000)),
    ("figure2", "small"): ((2, 8), (8, 16, 32, 64, 128)),
    ("figure2", "paper"): ((2, 8, 32), (16, 63, 250, 1000)),
}
MORE_REGIONS = {"small": (2, 4, 8), "paper": (2, 4, 8, 16, 32)}
DRAWS = {"small": 2, "paper": 5}
# The paper's Figure 1: 17 trees of 12 layers. Figure 2: 60 trees, below 800 bits: 13 layers.
SIZES: dict[tuple[str, str], dict[str, Any]] = {
    ("figure1", "small"): {
        "trees": 8,
        "depth": 8,
        "n_train": 600,
        "all": 1297,
        "bits": (16, 32, 64),
        "lams": (0.02, 0.05, 0.1, 0.2, 0.4),
        "functions": (2, 4, 8),
        "widths": (0.5, 1.0, 2.0, 4.0),
    },
    ("figure1", "paper"): {
        "trees": 17,
        "depth": 12,
        "n_train": 20_000,
        "all": 60_000,
        "bits": (32, 96, 200),
        "lams": (0.01, 0.02, 0.05, 0.1, 0.2, 0.4),
        "functions": FUNCTIONS,
        "widths": WIDTHS,
    },
    ("figure2", "small"): {
        "trees": 12,
        "depth": 8,
        "n_train": 1297,
        "all": None,
        "bits": (16, 64, 128),
        "lams": (0.02, 0.05, 0.1, 0.2),
        "functions": (2, 4, 8),
        "widths": (0.5, 1.0, 2.0, 4.0),
    },
    ("figure2", "paper"): {
        "trees": 60,
        "depth": 13,
        "n_train": 20_000,
        "all": None,
        "bits": (100, 500, 800),
        "lams": (0.005, 0.01, 0.02, 0.05, 0.1),
        "functions": (4, 8, 12, 16, 24),
        "widths": (1.0, 2.0, 4.0),
    },
}
REFINE = 10
MOVED = {"offset": "best", "refine": REFINE}
CHANGED: dict[str, dict[str, Any]] = {
    "small": {
        "lam": (0.02, 0.05, 0.2),
        "n_train": (300, 1297),
        "depth": (4, 8),
        "refine": (0, 1, REFINE),
    },
    "paper": {
        "lam": (0.01, 0.02, 0.05, 0.1, 0.2, 0.4),
        "n_train": (5000, 10_000, 20_000, 40_000),
        "depth": (8, 12, 16),
        "refine": (0, 1, REFINE),
    },
}
MIDDLE = {"small": (0.05, 1297, 8), "paper": (0.05, 10_000, 12)}
# The forests whose planes are compared: training points, lambdas to choose from, draws.
SPLITS: dict[str, dict[str, Any]] = {
    "small": {"n_train": 600, "lams": (0.05, 0.1, 0.2), "draws": 2},
    "paper": {"n_train": 10_000, "lams": (0.01, 0.02, 0.05, 0.1, 0.2), "draws": 3},
}
# The same points on more and more of their components.
DIMENSIONS: dict[str, dict[str, Any]] = {
    "small": {
        "at": SETS["figure1", "small"],
        "others": (),
        "components": (4, 10, 30),
        "trees": 8,
        "depth": 8,
        "n_train": 600,
        "bits": 64,
        "lams": (0.02, 0.05, 0.1, 0.2),
        "functions": (2, 4, 8),
        "widths": (0.5, 1.0, 2.0, 4.0),
    },
    "paper": {
        "at": SETS["figure1", "small"] | {"data_set": "20news", "queries": 1000, "trial": 6000},
        "others": ({"data_set": "MNIST-10", "queries": 1000, "trial": 20_000},),
        "components": (8, 32, 200),
        "trees": 17,
        "depth": 12,
        "n_train": 13_192,
        "bits": 200,
        "lams": (0.02, 0.05, 0.1, 0.2),
        "functions": FUNCTIONS,
        "widths": WIDTHS,
    },
}
TIMES: dict[str, dict[str, Any]] = {
    "small": {"bits": (32, 64), "sizes": (20_000, 50_000, 100_000), "queries": 20, "d": 32},
    "paper": {
        "bits": (32, 64, 128, 256, 512),
        "sizes": (1_000_000, 5_000_000, 20_000_000, 50_000_000),
        "queries": 50,
        "d": 32,
    },
}
LIBRARIES: dict[str, dict[str, tuple[Any, ...]]] = {
    "small": {
        "forest (8 trees)": (
            "forest",
            {"lam": 0.05, "n_train": 1297, "max_depth": 8, "trees": 8},
            (50, 100, 200, None),
        ),
        "forest (24 trees)": (
            "forest",
            {"lam": 0.05, "n_train": 1297, "max_depth": 8, "trees": 24},
            (50, 100, 200, 400, None),
        ),
        "forest (24 trees, moved planes)": (
            "forest",
            {"lam": 0.05, "n_train": 1297, "max_depth": 8, "trees": 24} | MOVED,
            (50, 100, 200, 400, None),
        ),
        "annoy": ("annoy", {"trees": 24}, (50, 100, 200, 400, 800)),
        "FAISS IVF-flat": ("ivf", {"lists": 32}, (1, 2, 4, 8, 16)),
        "hnswlib": ("hnsw", {"links": 8, "effort": 50}, (20, 40, 80, 160)),
        "linear scan": ("scan", {}, (None,)),
    },
    "paper": {
        "forest (17 trees)": (
            "forest",
            {"lam": 0.05, "n_train": 20_000, "max_depth": 12, "trees": 17},
            (200, 500, 1000, 2000, None),
        ),
        "forest (50 trees)": (
            "forest",
            {"lam": 0.05, "n_train": 20_000, "max_depth": 12, "trees": 50},
            (200, 500, 1000, 2000, 4000, None),
        ),
        "forest (50 trees, moved planes)": (
            "forest",
            {"lam": 0.05, "n_train": 20_000, "max_depth": 12, "trees": 50} | MOVED,
            (200, 500, 1000, 2000, 4000, None),
        ),
        "annoy": ("annoy", {"trees": 50}, (500, 1000, 2000, 4000, 8000, 16_000, 32_000)),
        "FAISS IVF-flat": ("ivf", {"lists": 1024}, (1, 2, 4, 8, 16, 32, 64, 128)),
        "hnswlib": ("hnsw", {"links": 16, "effort": 200}, (100, 150, 200, 400, 800)),
        "linear scan": ("scan", {}, (None,)),
    },
}


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


def sensitivity_tasks(context: Context) -> list[Task]:
    """Return the tasks that change one setting of Figure 1's forest."""
    at = SETS["figure1", context.scale]
    sizes = SIZES["figure1", context.scale]
    changed = CHANGED[context.scale]
    lam, n_train, depth = MIDDLE[context.scale]
    middle = {"lams": (lam,), "n_train": n_train, "max_depth": depth, "refine": 0}
    settings = [middle | {"lams": (value,)} for value in changed["lam"]]
    settings += [
        middle | {name: value}
        for name, key in (("n_train", "n_train"), ("max_depth", "depth"), ("refine", "refine"))
        for value in changed[key]
    ]
    different = {tuple(setting.values()): setting for setting in settings}.values()
    return [_task("forest", at, draw=0, trees=sizes["trees"], **setting) for setting in different]


def regions_tasks(context: Context) -> list[Task]:
    """Return the tasks of Figure 1's forest, and of k-means trees with more and more regions."""
    at = SETS["figure1", context.scale]
    sizes = SIZES["figure1", context.scale]
    regions = MORE_REGIONS[context.scale]
    trees = _kmeans_tasks("figure1", context.scale, at, regions, 1)
    return _forest_tasks(at, sizes, 1) + trees


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


def libraries_tasks(context: Context) -> list[Task]:
    """Return one task: all methods are measured one after another, on the points of Figure 1."""
    at = {key: SETS["figure1", context.scale][key] for key in ("data_set", "d", "queries", "K")}
    methods = {
        name: {"kind": kind, "with": built, "settings": settings}
        for name, (kind, built, settings) in LIBRARIES[context.scale].items()
    }
    params = at | {"versions": beside.versions(), "methods": methods, "passes": 3}
    return [Task("libraries", beside.search, params, data=(at["data_set"],), kernels=KERNELS)]


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


CURVES = (
    "Recall of the nearest neighbours by the number of returned items: "
    "the forest beside k-means trees and hashing, and beside spectral hashing."
)
COUNTED = " Then with planes and centres counted as items."
PAPER = Paper(
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
            size=(5.2, 8.6),
        ),
        Figure(
            "figure2",
            "Recall by the number of returned items, GIST of images",
            curve_tasks("figure2"),
            results.curves("figure2"),
            plots.draw_curves,
            alt=CURVES + COUNTED,
            size=(5.2, 8.6),
        ),
        Figure(
            "dimensions",
            "The same points on more and more components",
            dimensions_tasks,
            results.dimensions,
            plots.draw_dimensions,
            alt="Recall by the number of components, for the forest, k-means trees, LSH and "
            "spectral hashing.",
            size=(5.2, 3.6),
        ),
        Figure(
            "regions",
            "K-means trees by the regions of a node",
            regions_tasks,
            results.regions,
            plots.draw_curves,
            alt="Recall by the number of returned items, and by all comparisons, for the forest "
            "and for k-means trees of 2 to 32 regions.",
            size=(5.2, 6.2),
        ),
        Figure(
            "sensitivity",
            "The forest's recall by lambda, training points, depth and splits",
            sensitivity_tasks,
            results.sensitivity,
        ),
        Figure(
            "splits", "The forest's recall by how planes are chosen", splits_tasks, results.splits
        ),
        Figure(
            "libraries",
            "The forest beside libraries of approximate neighbours",
            libraries_tasks,
            beside_results.libraries,
            plots.draw_libraries,
            alt="Recall of the nearest neighbours by milliseconds a query, "
            "and by the number of points compared: the forest, annoy, FAISS, hnswlib.",
            size=(5.2, 6.0),
        ),
        Figure(
            "table1",
            "Retrieval time",
            table1_tasks,
            results.table1,
            plots.draw_times,
            alt="A panel for the linear scan and one for the index: seconds a query by millions "
            "of items, measured and extrapolated; printed numbers are hollow marks.",
            size=(5.2, 6.4),
        ),
    ),
)
