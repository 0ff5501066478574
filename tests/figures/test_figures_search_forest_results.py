"""The rows and notes of the search forest's curves: recalls of both readings that are written down.

Not here: the tasks (test_figures_search_forest.py), times and classes
(test_search_forest_times_results.py), and the
drawings (test_figures_search_forest_plots.py).
"""

import numpy as np
import pytest

from paper_figures.search_forest import results, results_curves
from paper_figures.tasks import Context, Result

PAPER = Context(scale="paper")
SMALL = Context()
FOREST = "Boosted Search Forest"
WHOLE, RANKED = "whole sets", "ranked lists"
AT = {"data_set": "MNIST-10", "d": 64, "queries": 1000, "K": 100}
SEARCHED = (
    "The paper's images are not available: MNIST-10 on 64 components, "
    "1000 queries that are not in the database. Recall of the 100 nearest in per cent."
)
LAM = [[0.05, 0.512], [0.1, 0.25]]


def without_error(rows):
    """Rows without their standard error, which the tests of the claims hold."""
    return [{key: value for key, value in row.items() if key != "error"} for row in rows]


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


def curve(recall, setting, tried=(), **more):
    value = {"recall": recall, "setting": setting, "tried": list(tried), "candidates": 1234.5}
    value |= {"returned": [1.0] * len(recall), "error": [0.5] * len(recall), "model": {}}
    return value | more


def forest(counts, sets, ranked, tried=LAM, **params):
    """Return a forest's result: recalls of both readings; whole sets take 2, 4, ... trees."""
    model = {"trees": 17, "leaves": 4095.6, "seconds": 12.6}
    trees = [2.04 * (place + 1) for place in range(len(counts))]
    value = {
        "sets": curve(sets, 0.1, tried, trees=trees, model=model),
        "ranked": curve(ranked, 0.05, tried, compared=[204] * len(counts), model=model),
    }
    at = AT | {"counts": counts, "n_train": 20_000, "max_depth": 12, "draw": 0}
    return Result("forest", at | params, value)


def trees_of(counts, sets, ranked, regions, trial, compared=(10.4, 99.6), **params):
    """Return k-means trees of some regions; `trial` is the mean recall of their best setting."""
    tried = [[[regions, 31], trial], [[regions, 8], trial / 2]]
    chosen = [regions, 31]
    value = {
        "sets": curve(sets, chosen, tried, trees=[1.0] * len(counts)),
        "ranked": curve(ranked, chosen, tried, compared=list(compared)),
    }
    settings = [[regions, 31], [regions, 8]]
    at = AT | {"counts": counts, "settings": settings, "trees": 17, "draw": 0}
    return Result("kmeans", at | params, value)


def listed(name, counts, ranked, setting, **params):
    return Result(name, AT | {"counts": counts} | params, {"ranked": curve(ranked, setting)})


# ---------------------------------------------------------------------------------- figures 1 and 2


def lines(reading, method, setting, numbers, trees=(None, None), printed=None):
    """Two rows, with 100 and 500 returned; `numbers` are recalls, or rows' numbers."""
    made = []
    for count, number, of_count in zip((100, 500), numbers, trees, strict=True):
        number = number if isinstance(number, dict) else {"ours": number, "std": None}
        keys = {"reading": reading, "method": method, "setting": setting, "returned": count}
        published = printed if count == 500 else None
        made.append(keys | {"trees": of_count, "published": published} | number)
    return made


def test_figure_1_in_both_readings_beside_what_the_text_prints():
    """The text prints 70 % of the forest and 60 % of 200 bits at 500 items, and nothing else.

    Two draws of the forest with 40 and 44 %: 42, with a standard deviation of sqrt(8).
    """
    counts = (100, 500)
    tables = {"tables": 17, "functions": (8,)}
    gathered = results.curves("figure1")(
        PAPER,
        [
            forest(counts, [30.0, 40.0], [31.0, 50.678]),
            forest(counts, [30.0, 44.0], [31.0, 50.678], draw=1),
            trees_of(counts, [20.0, 35.0], [22.0, 36.0], 2, 0.4),
            trees_of(counts, [25.0, 50.0], [26.0, 51.0], 8, 0.6),
            trees_of(counts, [27.0, 55.0], [28.0, 56.0], 32, 0.5),
            listed("best_first", counts, [60.0, 61.0], [8, 16], settings=[[8, 16]], trees=17),
            listed("best_first", counts, [50.0, 51.0], [8, 16], settings=[[8, 16]], trees=1),
            listed("hashing", counts, [9.0, 8.0], [8, 0.5], **tables),
            listed("spectral", counts, [10.0, 20.0], 200, bits=200),
            forest(counts, [33.0, 45.0], [34.0, 55.0], n_train=60_000),
            forest(counts, [35.0, 47.0], [36.0, 57.0], refine=10, offset="best"),
            Result("spectral", AT | {"counts": counts, "bits": 32}, None, "stopped"),
        ],
    )
    two = [{"ours": 30.0, "std": 0.0, "repetitions": 2}]
    two.append({"ours": 42.0, "std": 2.828, "repetitions": 2})
    lists = [{"ours": 31.0, "std": 0.0, "repetitions": 2}]
    lists.append({"ours": 50.68, "std": 0.0, "repetitions": 2})
    few = (2.0, 4.1)
    by_8, by_2 = "8 regions, leaves of 31", "2 regions, leaves of 31"
    # a hash table is named by its tables; here it gives one list alone
    missing = {"reading": None, "method": "all", "setting": None, "returned": None, "trees": None}
    assert without_error(gathered.rows) == [
        absent(missing, "stopped"),
        *lines(WHOLE, FOREST, "lambda 0.1", two, few, 70.0),
        *lines(WHOLE, "k-means trees of 2 regions", by_2, [20.0, 35.0], (1.0, 1.0)),
        *lines(WHOLE, "k-means trees", by_8, [25.0, 50.0], (1.0, 1.0)),
        *lines(WHOLE, f"{FOREST}, all points", "lambda 0.1", [33.0, 45.0], few),
        *lines(WHOLE, f"{FOREST}, moved planes", "lambda 0.1", [35.0, 47.0], few),
        *lines(RANKED, FOREST, "lambda 0.05", lists, printed=70.0),
        *lines(RANKED, "k-means trees of 2 regions", by_2, [22.0, 36.0]),
        *lines(RANKED, "k-means trees", by_8, [26.0, 51.0]),
        *lines(RANKED, "k-means trees, best-bin-first", "8 regions, leaves of 16", [60.0, 61.0]),
        *lines(RANKED, "k-means tree, best-bin-first", "8 regions, leaves of 16", [50.0, 51.0]),
        *lines(RANKED, "LSH", "8 functions of width 0.5", [9.0, 8.0]),
        *lines(RANKED, "spectral hashing 200 bits", "200 bits", [10.0, 20.0], printed=60.0),
        *lines(RANKED, f"{FOREST}, all points", "lambda 0.05", [34.0, 55.0]),
        *lines(RANKED, f"{FOREST}, moved planes", "lambda 0.05", [36.0, 57.0]),
    ]
    assert gathered.drawing[0] == {
        "method": FOREST,
        "reading": WHOLE,
        "counts": [100, 500],
        "candidates": 1234.5,
        "recall": [30.0, 42.0],
        "error": [0.5, 0.5],
        "returned": [1.0, 1.0],
    }
    assert gathered.drawing[5]["compared"] == [204, 204] and len(gathered.drawing) == 14
    check_notes_of_figure_1(gathered.notes)


def check_notes_of_figure_1(notes):
    assert notes[:2] == [SEARCHED, results.READING]
    assert tuple(notes[2:4]) == results.NOTES_OF["figure1", "paper"]
    assert notes[4:6] == [results.RULE, results.DRAWN.format(2)]
    assert notes[6] == (
        "Boosted Search Forest, whole sets: 17 trees of at most 12 levels and of 4096 leaves on "
        "average, learnt from 20000 points in 13 s; a query has 1234 candidates. Mean recall in "
        "the choice of lambda: 0.05: 51.2, 0.1: 25.0."
    )
    assert [note.split(":")[0] for note in notes[6:12]] == [
        f"{FOREST}{which}, {reading}"
        for reading in (WHOLE, RANKED)
        for which in ("", ", all points", ", moved planes")
    ]
    assert "learnt from 60000 points" in notes[7]
    # forests on other points do not stand beside the forest
    assert notes[12].startswith("A query is compared") and "all points" not in notes[12]
    assert notes[13] == (
        "Whole sets: the paper has the forest ahead of all others. Here it is ahead all along the "
        "curve of: k-means trees of 2 regions, LSH, spectral hashing 200 bits. Of the others: "
        "k-means trees at 100; k-means trees, best-bin-first at no number; "
        "k-means tree, best-bin-first at no number."
    )
    assert notes[14].startswith("Ranked lists: the paper has") and len(notes) == 15


def test_figure_2_has_its_own_printed_numbers():
    counts = (500, 5000)
    gathered = results.curves("figure2")(
        PAPER,
        [
            forest(counts, [30.0, 45.0], [30.0, 45.0]),
            trees_of(counts, [25.0, 50.0], [25.0, 50.0], 8, 0.5),
            listed("best_first", counts, [1.0, 2.0], [8, 9], settings=[[8, 9]], trees=60),
        ],
    )
    printed = [line["published"] for line in gathered.rows]
    assert printed == [None, 55.0, None, 47.1] * 2 + [None, None]
    assert results.NOTES_OF["figure2", "paper"][0] in gathered.notes


def test_the_small_scale_has_neither_printed_numbers_nor_their_reasons():
    gathered = results.curves("figure1")(SMALL, [forest((500,), [45.0], [45.0])])
    assert [line["published"] for line in gathered.rows] == [None, None]
    assert gathered.notes[2] == results.RULE and results.DRAWN.format(2) not in gathered.notes


def test_a_lambda_that_is_given_has_no_choice():
    notes = results.curves("figure1")(SMALL, [forest((10,), [5.0], [5.0], tried=())]).notes
    assert notes[3].endswith("a query has 1234 candidates.")


@pytest.mark.parametrize(
    "setting, params, words",
    [
        (0.05, {"lams": (0.05,)}, "lambda 0.05"),
        (200, {"bits": 200}, "200 bits"),
        ([8, 31], {"settings": ()}, "8 regions, leaves of 31"),
        ([16, 2.0], {"tables": 17}, "16 functions of width 2"),
    ],
)
def test_settings_in_words(setting, params, words):
    assert results_curves.setting_words(setting, params) == words


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
    notes = results.curves("figure1")(SMALL, [listed("spectral", (1,), [2.0], 8, bits=8)]).notes
    assert notes == [SEARCHED, results.READING, results.RULE]
    notes = results.curves("figure1")(SMALL, [forest((1,), [2.0], [2.0])]).notes
    assert notes[-1].endswith("all along the curve of: none. Of the others: none.")


def test_recalls_may_be_arrays():
    """Rows are made of what a task returns, whether or not it has been stored and read back."""
    found = [listed("spectral", (1, 2), np.array([1.0, 2.0]), 8, bits=8)]
    rows = results.curves("figure1")(SMALL, found).rows
    assert all(isinstance(line["ours"], float) for line in rows)


# ------------------------------------------------------------------------------------ other figures


def test_dimensions():
    counts = (10, 20, 40, 80)
    numbers = [10.0, 20.0, 30.0, 40.0]
    many = {"tables": 17}
    gathered = results.dimensions(
        PAPER,
        [
            forest(counts, numbers, [11.0, 21.0, 31.0, 41.0], d=8),
            listed("hashing", counts, [12.0, 20.0, 25.0, 39.96], [2, 1.0], d=8, **many),
            trees_of(counts, [5.0] * 4, [5.0] * 4, 8, 0.5, d=32, data_set="texts"),
            forest(counts, numbers, [11.0, 21.0, 31.126, 41.0], d=32),
            listed("hashing", counts, [1.0, 1.0, 1.0, 1.0], [2, 1.0], d=32, **many),
            listed("hashing", counts, [3.0] * 4, [2, 1.0], d=8, data_set="texts", **many),
            Result("forest", AT | {"counts": counts, "d": 200}, None, "stopped"),
        ],
    )
    keys = ("points", "components", "reading", "method", "setting", "returned", "trees")
    assert gathered.rows[0] == absent(dict.fromkeys(keys) | {"method": "all"}, "stopped")
    first = {"points": "MNIST-10", "components": 8, "reading": WHOLE, "method": FOREST}
    assert without_error(gathered.rows)[1] == row(
        first | {"setting": "lambda 0.1", "returned": 10, "trees": 2.0}, 10.0
    )
    assert len(gathered.rows) == 1 + 9 * 4

    # the third of four numbers
    def line(points, reading, method, components, recall):
        keys = {"points": points, "reading": reading, "method": method}
        return keys | {"components": components, "recall": recall}

    assert gathered.drawing == [
        line("MNIST-10", WHOLE, FOREST, [8, 32], [30.0, 30.0]),
        line("MNIST-10", RANKED, FOREST, [8, 32], [31.0, 31.126]),
        line("MNIST-10", RANKED, "LSH", [8, 32], [25.0, 1.0]),
        line("texts", WHOLE, "k-means trees", [32], [5.0]),
        line("texts", RANKED, "k-means trees", [32], [5.0]),
        line("texts", RANKED, "LSH", [8], [3.0]),
    ]
    assert gathered.notes[0].startswith(
        "The paper's images are not available: MNIST-10 and texts on 8, 32, 200 components"
    )
    assert gathered.notes[1:] == [
        results.DIMENSIONS,
        results.READING,
        "The forest's recall less that of the others, among 10, 20, 40, 80 returned items. "
        "LSH, ranked lists: 8 components -1.0, +1.0, +6.0, +1.0; "
        "32 components +10.0, +20.0, +30.1, +40.0.",
        results.RULE,
    ]


def test_dimensions_without_the_forest_have_no_differences():
    gathered = results.dimensions(PAPER, [listed("hashing", (10,), [5.0], [2, 1.0], tables=3)])
    assert gathered.notes[1:] == [results.DIMENSIONS, results.READING, results.RULE]


def test_splits():
    """Planes of eq. 18 have an offset, moves and a last entry; those that are not learnt none."""
    drawn = [
        forest((10,), [1.0], [1.0]),
        forest((10,), [3.0], [1.0], draw=1),
        forest((10,), [2.126], [2.0], offset="best", refine=10),
        Result("other_planes", **forest_of_planes((10,), 5.0)),
        Result("forest", AT | {"counts": (10,)}, None, "stopped"),
    ]
    gathered = results.splits(PAPER, drawn)
    names = ("planes", "offset", "moves", "augment", "lambda", "leaves", "reading", "returned")
    assert gathered.rows[0] == absent(dict.fromkeys(names), "stopped")
    sets = [line for line in gathered.rows[1:] if line["reading"] == WHOLE]
    told = [tuple(line[key] for key in (*names[:6], "ours", "std")) for line in sets]
    assert told == [
        ("eq. 18", "eigenvector", 0, 0.1, 0.1, 4096, 2.0, 1.414),
        ("eq. 18", "best", 10, 0.1, 0.1, 4096, 2.13, None),
        ("2-means", None, None, None, 0.1, 4096, 5.0, None),
    ]
    assert sets[0]["repetitions"] == 2 and len(gathered.rows) == 7
    drawn = results.DRAWN.format(2)
    assert gathered.notes == [SEARCHED, results.SPLITS, results.READING, drawn, results.RULE]


def forest_of_planes(counts, recall):
    made = forest(counts, [recall], [recall], planes="two-means")
    return {"params": made.params, "value": made.value}
