"""The rows and notes of the search forest's figures: recalls and times that are written down.

Not here: the tasks (test_figures_search_forest.py) and the drawings
(test_figures_search_forest_plots.py).
"""

import numpy as np
import pytest

from paper_figures.registry import Context, Result
from paper_figures.search_forest import libraries_results, results

PAPER = Context(scale="paper")
SMALL = Context()
FOREST = "Boosted Search Forest"
AT = {"data_set": "MNIST-10", "d": 64, "queries": 1000, "K": 100}
SEARCHED = (
    "The paper's images are not available: MNIST-10 on 64 components, "
    "1000 queries that are not in the database. Recall of the 100 nearest in per cent"
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


def forest(counts, recall, compared=None, **more):
    """Return a forest's result; `more` are parameters."""
    value = {
        "recall": recall,
        "returned": [1.0] * len(recall),
        "candidates": 1234.5,
        "setting": 0.05,
        "tried": [[0.05, 0.512], [0.1, 0.25]],
        "trees": 17,
        "leaves": 4095.6,
        "seconds": 12.6,
    }
    value |= {} if compared is None else {"compared": compared}
    params = AT | {"counts": counts, "n_train": 60_000, "max_depth": 12} | more
    return Result("forest", params, value)


def rival(name, counts, recall, compared=None, setting=1, **params):
    value = {"recall": recall, "setting": setting}
    value |= {} if compared is None else {"compared": compared}
    return Result(name, AT | {"counts": counts} | params, value)


# ---------------------------------------------------------------------------------- figures 1 and 2


def test_figure_1_beside_what_the_text_prints():
    """The text prints 70 % of the forest and 60 % of 200 bits at 500 items, and nothing else."""
    counts = (100, 500)
    gathered = results.curves("figure1")(
        PAPER,
        [
            forest(counts, [30.0, 45.678], [204, 204]),
            rival(
                "kmeans", counts, [25.0, 50.0], [10.4, 99.6], [8, 16], first_best=False, trees=17
            ),
            rival("kmeans", counts, [20.0, 40.0], setting=[2, 3], first_best=True, trees=17),
            rival("kmeans", counts, [20.0, 40.0], setting=[2, 3], first_best=True, trees=1),
            rival("hashing", counts, [31.0, 45.678], setting=[8, 0.5]),
            rival("spectral", counts, [10.0, 20.0], setting=200, bits=200),
            rival("spectral", counts, [9.0, 19.0], setting=96, bits=96),
            Result("spectral", AT | {"counts": counts, "bits": 32}, None, "stopped"),
        ],
    )

    def lines(method, setting, first, last, printed=None):
        keys = {"method": method, "setting": setting}
        return [
            row({**keys, "returned": 100}, first),
            row({**keys, "returned": 500}, last, printed),
        ]

    trees = "k-means trees"
    assert gathered.rows == [
        absent({"method": "all", "returned": None, "setting": None}, "stopped"),
        *lines(FOREST, "0.05", 30.0, 45.68, 70.0),
        *lines(trees, "[8, 16]", 25.0, 50.0),
        *lines(f"{trees}, best-bin-first", "[2, 3]", 20.0, 40.0),
        *lines("k-means tree, best-bin-first", "[2, 3]", 20.0, 40.0),
        *lines("LSH", "[8, 0.5]", 31.0, 45.68),
        *lines("spectral hashing 200 bits", "200", 10.0, 20.0, 60.0),
        *lines("spectral hashing 96 bits", "96", 9.0, 19.0),
    ]
    assert gathered.drawing[0] == {
        "method": FOREST,
        "counts": [100, 500],
        "recall": [30.0, 45.678],
        "returned": [1.0, 1.0],
        "candidates": 1234.5,
        "compared": [204, 204],
    }
    assert gathered.drawing[4] == {"method": "LSH", "counts": [100, 500], "recall": [31.0, 45.678]}
    assert len(gathered.drawing) == 7
    notes = gathered.notes
    assert notes[0] == SEARCHED + "; every method returns its best first."
    assert tuple(notes[1:3]) == results.NOTES_OF["figure1", "paper"]
    assert notes[3] == results.RULE
    assert notes[4] == (
        "Forest: 17 trees of at most 12 levels and of 4096 leaves on average, learnt from 60000 "
        "points in 13 s; a query has 1234 candidates. Mean recall in the choice of lambda: "
        "0.05: 51.2, 0.1: 25.0."
    )
    # centres and items: 110.4 to 599.6; the forest's 304 and 704 planes and items
    assert notes[5] == (
        "A query is compared with planes, centres or projections before it is with items. "
        "Boosted Search Forest: at most 204 planes; k-means trees: 10 to 100. If these count as "
        "items, the forest is ahead, at its own numbers of returned items where both have a "
        "curve, of: k-means trees at no number (of 1)."
    )
    assert notes[6] == (
        "The paper has the forest ahead of all others. Here it is ahead all along the curve of: "
        "k-means trees, best-bin-first, k-means tree, best-bin-first, spectral hashing 200 bits, "
        "spectral hashing 96 bits. Of the others: k-means trees at 100; LSH at no number."
    )
    assert len(notes) == 7


def test_figure_2_has_its_own_printed_numbers():
    counts = (500, 5000)
    gathered = results.curves("figure2")(
        PAPER,
        [
            forest(counts, [30.0, 45.0]),
            rival("kmeans", counts, [25.0, 50.0], setting=1, first_best=False, trees=60),
            rival("kmeans", counts, [25.0, 50.0], setting=1, first_best=True, trees=60),
        ],
    )
    assert [line["published"] for line in gathered.rows] == [None, 55.0, None, 47.1, None, None]
    assert not any("why" in line for line in gathered.rows)
    assert gathered.notes[1] == results.NOTES_OF["figure2", "paper"][0]
    assert (
        "Of the others: k-means trees at 500; k-means trees, best-bin-first at 500."
        in (gathered.notes[-1])
    )


def test_the_small_scale_has_neither_printed_numbers_nor_their_reasons():
    gathered = results.curves("figure1")(SMALL, [forest((500,), [45.0])])
    assert gathered.rows == [row({"method": FOREST, "returned": 500, "setting": "0.05"}, 45.0)]
    assert gathered.notes[1] == results.RULE


def test_the_first_forest_alone_is_described():
    results_of = [
        Result("forest", AT | {"counts": (1,)}, None, "gone"),
        forest((10,), [5.0]),
        forest((10,), [6.0], n_train=7),
    ]
    notes = results.curves("figure1")(SMALL, results_of).notes
    assert [note for note in notes if note.startswith("Forest:")] == [notes[2]]
    assert "learnt from 60000 points" in notes[2]


def test_comparisons_count_as_items():
    """Of 2 planes: at 10 and 20 items the forest has 12 and 22. The trees' curve goes from 11 to 70
    and has 42 + 18 / 59 and 42 + 18 * 11 / 59 = 45.4 there; LSH's goes from 22 to 32.
    """
    curves = [
        {"method": FOREST, "counts": [10, 20], "recall": [40.0, 50.0], "compared": [2, 2]},
        {"method": "trees", "counts": [10, 20], "recall": [42.0, 60.0], "compared": [1.0, 50.0]},
        {"method": "LSH", "counts": [10, 20], "recall": [49.0, 60.0], "compared": [12, 12]},
        {"method": "ahead", "counts": [10, 20], "recall": [50.0, 70.0], "compared": [2, 2]},
        {"method": "codes", "counts": [10, 20], "recall": [99.0, 99.0]},
    ]
    (note,) = results.cost_notes(curves)
    assert "Boosted Search Forest: at most 2 planes; trees: 1 to 50; LSH: 12; ahead: 2. " in note
    assert note.endswith("of: trees at 20 (of 2); LSH at 20 (of 1); ahead at no number (of 2).")
    assert results.cost_notes(curves[1:]) == []
    assert results.cost_notes([curves[0], curves[-1]]) == []
    assert len(results.cost_notes(curves[:2])) == 1


def test_an_equal_recall_is_not_ahead():
    lines = [
        {"method": FOREST, "counts": [10, 20], "recall": [40.0, 50.0], "compared": [0, 0]},
        {"method": "same", "counts": [10, 20], "recall": [40.0, 49.0], "compared": [0, 0]},
    ]
    assert results.cost_notes(lines)[0].endswith("of: same at 20 (of 2).")


def test_no_order_without_the_forest():
    notes = results.curves("figure1")(SMALL, [rival("spectral", (1,), [2.0], bits=8)]).notes
    assert notes == [SEARCHED + "; every method returns its best first.", results.RULE]
    notes = results.curves("figure1")(SMALL, [forest((1,), [2.0])]).notes
    assert notes[-1].endswith("all along the curve of: none. Of the others: none.")


# ------------------------------------------------------------------------------------ other figures


def test_unions():
    def union(name, recall, settings, *curves):
        value = {"recall": recall, "settings": settings, "curves": list(curves)}
        return Result(name, AT | {"counts": (200, 500)}, value)

    gathered = results.unions(
        PAPER,
        [
            union(
                "union_forest",
                [20.0, 30.126],
                [0.05, 0.1],
                [0.05, [100.0, 480.4], [11.0, 29.96]],
                [0.1, [50.0, 90.0, 120.6], [5.0, 10.0, 15.0]],
            ),
            union("union_kmeans", [25.0, 25.0], [[2, 8], [2, 8]], [[2, 8], [7.0], [8.0]]),
            union("union_hashing", [10.0, 20.0], [[4, 0.5], [4, 1.0]]),
            rival("spectral", (200, 500), [9.0, 8.0], setting=200, bits=200),
            Result("spectral", AT | {"counts": (200, 500), "bits": 32}, None, "stopped"),
        ],
    )

    def line(method, returned, setting, ours, published=None):
        keys = {"method": method, "returned": returned, "setting": setting}
        return row(keys, ours, published)

    bits = "spectral hashing 200 bits"
    assert gathered.rows == [
        absent({"method": "all", "returned": None, "setting": None}, "stopped"),
        line(FOREST, 200, "0.05", 20.0),
        line(FOREST, 500, "0.1", 30.13, 70.0),
        line("k-means trees", 200, "[2, 8]", 25.0),
        line("k-means trees", 500, "[2, 8]", 25.0),
        line("LSH", 200, "[4, 0.5]", 10.0),
        line("LSH", 500, "[4, 1.0]", 20.0),
        line(bits, 200, "200", 9.0),
        line(bits, 500, "200", 8.0, 60.0),
    ]
    assert gathered.drawing == [
        {"method": FOREST, "counts": [200, 500], "recall": [20.0, 30.126]},
        {"method": "k-means trees", "counts": [200, 500], "recall": [25.0, 25.0]},
        {"method": "LSH", "counts": [200, 500], "recall": [10.0, 20.0]},
        {"method": bits, "counts": [200, 500], "recall": [9.0, 8.0]},
    ]
    assert gathered.notes == [
        SEARCHED + ".",
        results.UNION,
        "Boosted Search Forest, 2 trees or tables with the setting 0.05: all return 480 items on "
        "average, recall 30.0.",
        "Boosted Search Forest, 3 trees or tables with the setting 0.1: all return 121 items on "
        "average, recall 15.0.",
        "k-means trees, 1 trees or tables with the setting [2, 8]: all return 7 items on average, "
        "recall 8.0.",
        "The paper has the forest ahead of all others. Here it is ahead all along the curve of: "
        f"LSH, {bits}. Of the others: k-means trees at 500.",
    ]


def test_dimensions():
    counts = (10, 20, 40, 80)
    gathered = results.dimensions(
        PAPER,
        [
            forest(counts, [10.0, 20.0, 30.0, 40.0], d=8),
            rival("hashing", counts, [12.0, 20.0, 25.0, 39.96], setting=[2, 1.0], d=8),
            forest(counts, [11.0, 21.0, 31.126, 41.0], d=32),
            rival("hashing", counts, [1.0, 1.0, 1.0, 1.0], setting=[2, 1.0], d=32),
            rival("spectral", counts, [2.0, 2.0, 2.0, 2.0], bits=64, d=32),
            rival("hashing", counts, [3.0, 3.0, 3.0, 3.0], d=200),
            Result("forest", AT | {"counts": counts, "d": 200}, None, "stopped"),
        ],
    )
    assert gathered.rows[0] == absent(
        {"components": None, "method": "all", "returned": None, "setting": None}, "stopped"
    )
    assert gathered.rows[1] == row(
        {"components": 8, "method": FOREST, "returned": 10, "setting": "0.05"}, 10.0
    )
    assert gathered.rows[11] == row(
        {"components": 32, "method": FOREST, "returned": 40, "setting": "0.05"}, 31.13
    )
    assert len(gathered.rows) == 1 + 6 * 4
    # the third of four numbers
    assert gathered.drawing == [
        {"method": FOREST, "components": [8, 32], "recall": [30.0, 31.126]},
        {"method": "LSH", "components": [8, 32, 200], "recall": [25.0, 1.0, 3.0]},
        {"method": "spectral hashing 64 bits", "components": [32], "recall": [2.0]},
    ]
    assert gathered.notes[0].startswith(
        "The paper's images are not available: MNIST-10 on 8, 32, 200 components, 1000 queries"
    )
    assert gathered.notes[1:] == [
        results.DIMENSIONS,
        "The forest's recall less that of the others, among 10, 20, 40, 80 returned items. "
        "LSH: 8 components -2.0, +0.0, +5.0, +0.0; 32 components +10.0, +20.0, +30.1, +40.0. "
        "spectral hashing 64 bits: 32 components +9.0, +19.0, +29.1, +39.0.",
        results.RULE,
    ]


def test_the_components_are_named_in_order():
    lines = [rival("spectral", (1,), [2.0], bits=8, d=d) for d in (32, 8)]
    assert "MNIST-10 on 8, 32 components" in results.set_note(lines)


def test_dimensions_without_the_forest_have_no_differences():
    gathered = results.dimensions(PAPER, [rival("hashing", (10,), [5.0])])
    assert gathered.notes[1:] == [results.DIMENSIONS, results.RULE]


def test_regions_name_the_trees_by_their_regions():
    counts = (10, 20)
    gathered = results.regions(
        PAPER,
        [
            forest(counts, [40.0, 50.0], [2, 2]),
            rival(
                "kmeans",
                counts,
                [30.0, 50.0],
                [4.0, 4.0],
                setting=[2, 63],
                first_best=False,
                trees=17,
            ),
            Result("kmeans", AT | {"counts": counts}, None, "stopped"),
        ],
    )
    name = "k-means trees of 2 regions"
    assert gathered.rows == [
        absent({"method": "all", "returned": None, "setting": None}, "stopped"),
        row({"method": FOREST, "returned": 10, "setting": "0.05"}, 40.0),
        row({"method": FOREST, "returned": 20, "setting": "0.05"}, 50.0),
        row({"method": name, "returned": 10, "setting": "[2, 63]"}, 30.0),
        row({"method": name, "returned": 20, "setting": "[2, 63]"}, 50.0),
    ]
    assert [line["method"] for line in gathered.drawing] == [FOREST, name]
    assert gathered.drawing[1]["compared"] == [4.0, 4.0]
    assert gathered.notes[1] == results.REGIONS and gathered.notes[-1] == results.RULE
    # 12 and 22 against 14 to 24: at 22 items the trees have 46
    assert gathered.notes[2].endswith(f"of: {name} at 20 (of 1).")
    assert gathered.notes[3].endswith(f"Of the others: {name} at 10.")


def test_sensitivity_shows_the_middle_and_the_end_of_a_curve():
    counts = (10, 20, 40, 80)
    gathered = results.sensitivity(
        PAPER,
        [
            forest(counts, [1.0, 2.0, 3.126, 4.126], refine=1),
            Result("forest", AT | {"counts": counts}, None, "stopped"),
        ],
    )
    keys = {"lambda": 0.05, "training points": 60_000, "depth": 12, "moves": 1}
    none = dict.fromkeys([*keys, "returned", "candidates"])
    assert gathered.rows == [
        absent(none, "stopped"),
        row(keys | {"returned": 40, "candidates": 1234}, 3.13),
        row(keys | {"returned": 80, "candidates": 1234}, 4.13),
    ]
    assert gathered.notes == [SEARCHED + "; every method returns its best first.", results.MOVES]


def test_splits():
    more = {"offset": "best", "refine": 10, "augment": 0.1}
    gathered = results.splits(
        PAPER,
        [
            forest((10, 20), [1.0, 2.126], **more),
            Result("forest", AT | {"counts": (10,)}, None, "stopped"),
        ],
    )
    keys = {"offset": "best", "moves": 10, "augment": 0.1, "lambda": 0.05, "leaves": 4096}
    assert gathered.rows == [
        absent(dict.fromkeys([*keys, "returned"]), "stopped"),
        row(keys | {"returned": 10}, 1.0),
        row(keys | {"returned": 20}, 2.13),
    ]
    assert gathered.notes[1] == results.SPLITS


# ------------------------------------------------------------------------------------------ table 1


def timed(bits, n, scan, index, candidates):
    value = {"scan": scan, "index": index, "candidates": candidates}
    return Result("times", {"bits": bits, "n": n}, value)


def test_the_half_billion_is_extrapolated_from_the_largest_size():
    """10 million items take 0.02 s; 500 million are 50 times as many."""
    gathered = results.table1(
        PAPER,
        [
            timed(32, 10_000_000, 0.02, 0.0011, 305.4),
            timed(32, 1_000_000, 0.0023456, 0.001, 30.6),
            timed(64, 1_000_000, 0.004, 0.002, 61.0),
            timed(64, 10_000_000, 0.032, 0.00236, 610.0),
            timed(128, 1_000_000, 0.5, 0.25, 9.0),
            Result("times", {"bits": 256, "n": 7}, None, "disk full"),
        ],
    )

    def line(bits, items, search, ours, candidates=None, **more):
        keys = {"bits": bits, "items": items, "search": search, "candidates": candidates}
        return row(keys, ours, **more)

    scan, index = "linear scan", "forest"
    half = 500_000_000
    assert gathered.rows == [
        absent(dict.fromkeys(("bits", "items", "search", "candidates")), "disk full"),
        line(32, 1_000_000, scan, 0.00235),
        line(32, 10_000_000, scan, 0.02),
        line(32, half, f"{scan}, extrapolated", 1.0, published=1.55),
        line(32, 1_000_000, index, 0.001, 31),
        line(32, 10_000_000, index, 0.0011, 305),
        line(32, half, f"{index}, extrapolated", 0.055, published=0.006),
        line(64, 1_000_000, scan, 0.004),
        line(64, 10_000_000, scan, 0.032),
        line(64, half, f"{scan}, extrapolated", 1.6, published=2.74),
        line(64, 1_000_000, index, 0.002, 61),
        line(64, 10_000_000, index, 0.00236, 610),
        line(64, half, f"{index}, extrapolated", 0.118, published=0.009),
        line(128, 1_000_000, scan, 0.5),
        line(128, 1_000_000, index, 0.25, 9),
    ]
    sizes = [1_000_000, 10_000_000]
    assert gathered.drawing == [
        {"bits": 32, "search": scan, "items": sizes, "seconds": [0.0023456, 0.02]},
        {"bits": 32, "search": index, "items": sizes, "seconds": [0.001, 0.0011]},
        {"bits": 64, "search": scan, "items": sizes, "seconds": [0.004, 0.032]},
        {"bits": 64, "search": index, "items": sizes, "seconds": [0.002, 0.00236]},
        {"bits": 128, "search": scan, "items": sizes[:1], "seconds": [0.5]},
        {"bits": 128, "search": index, "items": sizes[:1], "seconds": [0.25]},
    ]
    assert gathered.notes[:2] == results.NOTES
    assert gathered.notes[2:] == [
        "Measured growth from 1,000,000 to 10,000,000 items, 10 times as many: linear scan 8 to "
        "8.5; forest 1.1 to 1.2 times."
    ]


def test_growth_is_between_the_two_largest_sizes():
    sizes = ((1_000, 1.0), (2_000, 3.0), (5_000, 6.0))
    notes = results.table1(SMALL, [timed(40, n, s, s, 1.0) for n, s in sizes]).notes
    assert notes[2].startswith("Measured growth from 2,000 to 5,000 items, 2.5 times as many: ")
    assert notes[2].endswith("linear scan 2 to 2; forest 2 to 2 times.")
    rows = results.table1(SMALL, [timed(40, n, s, 2 * s, 1.0) for n, s in sizes]).rows
    assert [line["ours"] for line in rows if line["items"] > 5000] == [600_000.0, 1_200_000.0]


def test_bits_that_are_not_printed_are_extrapolated_all_the_same():
    rows = results.table1(SMALL, [timed(40, n, n / 1e9, n / 1e9, 1.0) for n in (10, 20)]).rows
    assert [(line["published"], line["ours"]) for line in rows if line["items"] > 20] == [
        (None, 0.5)
    ] * 2
    assert results.table1(SMALL, [timed(40, 10, 1.0, 1.0, 1.0)]).notes == results.NOTES


# ---------------------------------------------------------------------------------------- libraries


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
        SEARCHED + "; every method returns its best first.",
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


@pytest.mark.parametrize("reduce", [results.curves("figure1"), results.unions, results.table1])
def test_recalls_may_be_arrays(reduce):
    """Rows are made of what a task returns, whether or not it has been stored and read back."""
    recall = np.array([1.0, 2.0])
    if reduce is results.table1:
        found = [timed(32, n, np.float64(1.0), np.float64(1.0), 1.0) for n in (1, 2)]
    else:
        found = [rival("spectral", (1, 2), recall, bits=8)]
    assert all(isinstance(line["ours"], float) for line in reduce(SMALL, found).rows)
