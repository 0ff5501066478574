"""The rows and notes of the figure beside libraries of approximate neighbours.

Not here: what is measured (test_search_forest_libraries.py).
"""

from paper_figures.registry import Context, Result
from paper_figures.search_forest import libraries_results

PAPER = Context(scale="paper")
AT = {"data_set": "MNIST-10", "d": 64, "queries": 1000, "K": 100}
SEARCHED = (
    "The paper's images are not available: MNIST-10 on 64 components, "
    "1000 queries that are not in the database. Recall of the 100 nearest in per cent."
)


def row(keys, ours, published=None):
    return keys | {"published": published, "ours": ours, "std": None}


def absent(keys, why):
    return dict(keys) | {
        "published": None,
        "ours": None,
        "std": None,
        "status": "not available",
        "why": why,
    }


def lines_of(method, recall, ms, compared, settings=None):
    return [
        {
            "method": method,
            "setting": setting,
            "recall": r,
            "recall@10": r / 2,
            "ms": t,
            "compared": c,
        }
        for setting, r, t, c in zip(settings or [None] * len(ms), recall, ms, compared, strict=True)
    ]


KINDS = {
    "forest": "forest",
    "annoy": "annoy",
    "FAISS": "ivf",
    "hnswlib": "hnsw",
    "linear scan": "scan",
}
PARAMS = AT | {
    "versions": {"annoy": None, "faiss-cpu": None, "hnswlib": "0.8.0"},
    "passes": 3,
    "methods": {
        name: {
            "kind": kind,
            "with": {"links": 8, "effort": 50} if kind == "hnsw" else {},
            "settings": (1,),
        }
        for name, kind in KINDS.items()
    },
}
VALUE = {
    "built": {"hnswlib": 2.346, "forest": 9.0, "linear scan": 0.0},
    "lines": [
        *lines_of("forest", (91.126, 99.5), (3.0, 8.0006), (50.6, 400.0), (100, None)),
        *lines_of("hnswlib", (90.0, 95.0), (1.0, 2.0), (None, None), (20, 40)),
        *lines_of("linear scan", (100.0,), (5.0,), (1297,)),
    ],
}


def test_libraries_beside_the_forest():
    gathered = libraries_results.libraries(PAPER, [Result("libraries", PARAMS, VALUE)])
    none = dict.fromkeys(("setting", "compared", "recall@10", "ms a query"))
    why = "{} is not installed: pip install 'refimpl[libraries]' installs it"

    def line(method, setting, compared, at_10, ms, ours):
        keys = {"method": method, "setting": setting, "compared": compared}
        return row(keys | {"recall@10": at_10, "ms a query": ms}, ours)

    assert gathered.rows == [
        absent({"method": "annoy"} | none, why.format("annoy")),
        absent({"method": "FAISS"} | none, why.format("faiss-cpu")),
        line("forest", "100", 51, 45.56, 3.0, 91.13),
        line("forest", "all", 400, 49.75, 8.0, 99.5),
        line("hnswlib", "20", None, 45.0, 1.0, 90.0),
        line("hnswlib", "40", None, 47.5, 2.0, 95.0),
        line("linear scan", "all", 1297, 50.0, 5.0, 100.0),
    ]
    assert gathered.drawing == [
        {
            "method": "forest",
            "recall": [91.126, 99.5],
            "compared": [50.6, 400.0],
            "ms": [3.0, 8.0006],
        },
        {"method": "hnswlib", "recall": [90.0, 95.0], "compared": [None] * 2, "ms": [1.0, 2.0]},
        {"method": "linear scan", "recall": [100.0], "compared": [1297], "ms": [5.0]},
    ]
    assert gathered.notes == [
        SEARCHED,
        "Installed: hnswlib 0.8.0. Built with: hnswlib: links 8, effort 50.",
        libraries_results.NOT_COUNTED,
        "At least 90 per cent of the nearest: hnswlib 1 ms, forest 3 ms, linear scan 5 ms a query; "
        "points compared: forest 51, linear scan 1297.",
        "At least 99 per cent of the nearest: linear scan 5 ms, forest 8 ms a query; "
        "points compared: forest 400, linear scan 1297. Not reached by hnswlib with these "
        "settings.",
        "Built in: hnswlib 2.35 s; forest 9 s.",
        "By these numbers, where a query's time counts: hnswlib (at 90 per cent), linear scan (at "
        "99 per cent); where a comparison is what costs: forest (at 90 per cent), forest (at 99 "
        "per cent); where an index is often built anew: hnswlib. Slower than the linear scan at "
        "99 per cent: forest.",
    ]


def test_libraries_that_are_all_faster_than_the_scan():
    value = {
        "built": {"forest": 1.0},
        "lines": lines_of("forest", (89.99, 95.0, 99.0), (9.0, 2.0, 2.5), (9, 70, 80)),
    }
    params = PARAMS | {"versions": {"annoy": None, "faiss-cpu": None, "hnswlib": None}}
    notes = libraries_results.libraries(PAPER, [Result("libraries", params, value)]).notes
    assert notes[1].startswith("Installed: none of the libraries. Built with: hnswlib: links")
    assert notes[3] == (
        "At least 90 per cent of the nearest: forest 2 ms a query; points compared: forest 70."
    )
    assert notes[4] == (
        "At least 99 per cent of the nearest: forest 2.5 ms a query; points compared: forest 80."
    )
    assert notes[6].endswith("where an index is often built anew: forest.")


def test_a_level_that_nothing_reaches_has_no_best():
    value = {"built": {"forest": 1.0}, "lines": lines_of("forest", (95.0,), (2.0,), (70,))}
    notes = libraries_results.libraries(PAPER, [Result("libraries", PARAMS, value)]).notes
    assert "where a query's time counts: forest (at 90 per cent); where" in notes[6]


def test_without_the_points_there_are_no_libraries():
    gathered = libraries_results.libraries(PAPER, [Result("libraries", PARAMS, None, "no file")])
    none = dict.fromkeys(("setting", "compared", "recall@10", "ms a query"))
    assert gathered.rows == [absent({"method": "all"} | none, "no file")]
    assert gathered.drawing == [] and len(gathered.notes) == 1
