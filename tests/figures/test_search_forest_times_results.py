"""The rows of Table 1, of the growth of a query's time, and of similarity by class.

Not here: what is measured (test_search_forest_timing.py, test_search_forest_classes.py).
"""

import numpy as np
import pytest

from paper_figures.search_forest import results_classes, results_times
from paper_figures.tasks import Context, Result

PAPER = Context(scale="paper")
SMALL = Context()


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


def timed(bits, n, scan, index, candidates):
    value = {"scan": scan, "index": index, "candidates": candidates}
    return Result("times", {"bits": bits, "n": n}, value)


def test_the_half_billion_is_extrapolated_from_the_largest_size():
    """10 million items take 0.02 s; 500 million are 50 times as many."""
    gathered = results_times.table1(
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
    assert gathered.notes[:2] == results_times.NOTES
    assert gathered.notes[2:] == [
        "Measured growth from 1,000,000 to 10,000,000 items, 10 times as many: linear scan 8 to "
        "8.5; forest 1.1 to 1.2 times."
    ]


def test_growth_is_between_the_two_largest_sizes():
    sizes = ((1_000, 1.0), (2_000, 3.0), (5_000, 6.0))
    notes = results_times.table1(SMALL, [timed(40, n, s, s, 1.0) for n, s in sizes]).notes
    assert notes[2].startswith("Measured growth from 2,000 to 5,000 items, 2.5 times as many: ")
    assert notes[2].endswith("linear scan 2 to 2; forest 2 to 2 times.")
    rows = results_times.table1(SMALL, [timed(40, n, s, 2 * s, 1.0) for n, s in sizes]).rows
    assert [line["ours"] for line in rows if line["items"] > 5000] == [600_000.0, 1_200_000.0]


def test_bits_that_are_not_printed_are_extrapolated_all_the_same():
    rows = results_times.table1(SMALL, [timed(40, n, n / 1e9, n / 1e9, 1.0) for n in (10, 20)]).rows
    assert [(line["published"], line["ours"]) for line in rows if line["items"] > 20] == [
        (None, 0.5)
    ] * 2
    assert results_times.table1(SMALL, [timed(40, 10, 1.0, 1.0, 1.0)]).notes == results_times.NOTES


def test_seconds_may_be_numpy_numbers():
    found = [timed(32, n, np.float64(1.0), np.float64(1.0), 1.0) for n in (1, 2)]
    assert all(isinstance(line["ours"], float) for line in results_times.table1(SMALL, found).rows)


# ------------------------------------------------------------------------------------------- growth


def grown(index, n, divided, seconds, compared, candidates):
    value = {"seconds": seconds, "compared": compared, "candidates": candidates}
    return Result("growth", {"index": index, "n": n, "divided": divided}, value)


def test_growth_of_leaves_and_of_their_number():
    """Two passes of 10 and 14 microseconds: 12, with a standard deviation of sqrt(8)."""
    gathered = results_times.growth(
        PAPER,
        [
            grown("forest", 100, 100, [10e-6, 14e-6], 24.0, 9.6),
            grown("forest", 400, 400, [20e-6, 20e-6], 30.4, 10.0),
            grown("forest", 400, 100, [40e-6, 40e-6], 24.0, 39.0),
            Result("growth", {"index": "LSH", "n": 100, "divided": 100}, None, "stopped"),
        ],
    )

    def line(leaves, items, compared, candidates, ours, std):
        keys = {"index": "forest", "leaves": leaves, "items": items, "compared": compared}
        numbers = {"published": None, "ours": ours, "std": pytest.approx(std), "repetitions": 2}
        return keys | {"candidates": candidates} | numbers

    finer, larger = "as small, more of them", "as many, larger"
    none = dict.fromkeys(("index", "leaves", "items", "compared", "candidates"))
    assert gathered.rows == [
        absent(none, "stopped"),
        line(finer, 100, 24, 10, 12.0, 2.83),
        line(larger, 100, 24, 10, 12.0, 2.83),  # where both begin
        line(finer, 400, 30, 10, 20.0, 0.0),
        line(larger, 400, 24, 39, 40.0, 0.0),
    ]
    assert gathered.drawing == [
        {"index": "forest", "leaves": leaves, "items": [100, 400], "micro": pytest.approx(micro)}
        for leaves, micro in ((finer, [12, 20]), (larger, [12, 40]))
    ]
    assert gathered.notes == [results_times.GROWTH]


# ------------------------------------------------------------------------------------------ classes

AT = {"data_set": "digits", "d": 30, "queries": 300, "n_train": 600, "counts": (20, 100)}


def shared(name, shares, data_set="digits", **params):
    value = {"shares": shares}
    if name == "forest_by_class":
        value |= {"trees": 8, "leaves": 40.4, "setting": 0.2, "tried": [[0.2, 81.26], [0.5, 70.0]]}
    return Result(name, AT | {"data_set": data_set} | params, value)


def test_shares_of_the_class():
    missing = Result("neighbors_by_class", AT | {"search": "hnswlib"}, {"missing": "hnswlib"})
    gathered = results_classes.classes(
        PAPER,
        [
            shared("forest_by_class", [90.0, 80.0], draw=0),
            shared("forest_by_class", [94.0, 81.0], draw=1),
            shared("neighbors_by_class", [91.126, 70.0], search="exact", draw=0),
            missing,
            shared("neighbors_by_class", [92.0, 75.0], search="LMNN", draw=0),
            shared("neighbors_by_class", [50.0, 40.0], "texts", search="exact", draw=0),
            Result("neighbors_by_class", AT | {"search": "exact"}, None, "no file"),
        ],
    )
    forest = {"data set": "digits", "method": "Boosted Search Forest, learnt from classes"}
    exact = {"data set": "digits", "method": "exact Euclidean neighbours"}
    metric = {"data set": "digits", "method": "exact neighbours in LMNN's metric"}
    graph = {"data set": "digits", "method": "hnswlib", "returned": None}
    none = {"data set": None, "method": "all", "returned": None}
    two = {"published": None, "repetitions": 2}
    assert gathered.rows == [
        absent(none, "no file"),
        forest | {"returned": 20, "ours": 92.0, "std": 2.828} | two,
        forest | {"returned": 100, "ours": 80.5, "std": 0.707} | two,
        row(exact | {"returned": 20}, 91.13),
        row(exact | {"returned": 100}, 70.0),
        absent(graph, "hnswlib is not installed: pip install 'refimpl[libraries]' installs it"),
        row(metric | {"returned": 20}, 92.0),
        row(metric | {"returned": 100}, 75.0),
        row(exact | {"data set": "texts", "returned": 20}, 50.0),
        row(exact | {"data set": "texts", "returned": 100}, 40.0),
    ]
    assert gathered.drawing[0] == forest | {"returned": 20, "share": 92.0}
    assert len(gathered.drawing) == 8
    assert gathered.notes == [
        "digits on 30 components (forest and LMNN learn from 600 points); texts on 30 components "
        "(forest and LMNN learn from 600 points). 300 queries that are not in the database.",
        results_classes.CLASSES,
        "digits: forest of 8 trees, 40 leaves on average, lambda 0.2 (mean share on the trial: "
        "0.2: 81.3, 0.5: 70.0).",
    ]
