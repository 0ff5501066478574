"""The rows of LMNN's figures: results of tasks that are written down here, rows computed by hand.

Not here: the tasks (test_figures_lmnn.py) and the drawings (test_figures_lmnn_plots.py).
"""

import pytest

from paper_figures.lmnn import results
from paper_figures.registry import Context, Result

PAPER = Context(scale="paper")
SMALL = Context()


def row(keys, ours, published=None, why=None, std=None, **more):
    reason = {} if why is None else {"why": why}
    return keys | {"published": published, "ours": ours, "std": std} | more | reason


def solved(n, preparation, **value):
    return Result("solved", {"n": n, "preparation": preparation}, value)


FULL = {
    "seconds": 321.456,
    "gap": 0.0013,
    "active": 500_000,
    "total": 3_240_000_000,
    "train_error": 1.234,
    "test_error": 1.706,
    "test_error_all": 1.704,
    "euclidean": 2.325,
}
FEW = {
    "seconds": 1.0,
    "gap": 0.5,
    "active": 0,
    "total": 3240,
    "train_error": 0.0,
    "test_error": 26.567,
    "test_error_all": 9.001,
    "euclidean": 31.126,
}


def test_table_1_beside_the_print():
    gathered = results.table1(
        PAPER, [solved(60_000, "normalised", **FULL), solved(60, "raw", **FEW)]
    )

    def full(measure):
        return {"N": 60_000, "images": "mean 0, length 1", "measure": measure}

    def few(measure):
        return {"N": 60, "images": "raw pixels", "measure": measure}

    assert gathered.rows == [
        row(full("seconds"), 321.46, 12_300.0),
        row(full("active triples"), 500_000, 540_037.0),
        row(full("pairs of classes"), 3_240_000_000, 3.2e9),
        row(full("train error (%)"), 1.23, 0.0),
        row(full("test error (%)"), 1.71, 1.72),
        row(full("test error, all training points vote (%)"), 1.7),
        row(full("Euclidean test error (%)"), 2.33, 2.33),
        row(few("seconds"), 1.0, 9.0),
        row(few("active triples"), 0, 844.0),
        row(few("pairs of classes"), 3240, 3200.0),
        row(few("train error (%)"), 0.0, 0.0),
        row(few("test error (%)"), 26.57, 29.37),
        row(few("test error, all training points vote (%)"), 9.0),
        row(few("Euclidean test error (%)"), 31.13),
    ]
    # the gap of 0.5 belongs to an objective of 0
    assert gathered.notes[0].startswith("Trained to a certified gap of at most 0.2 %")
    assert gathered.notes[1:] == ["The largest gap of these trainings is 0.13 %."]


def test_table_1_takes_the_largest_gap():
    gathered = results.table1(
        PAPER, [solved(n, "raw", **(FULL | {"gap": gap})) for n, gap in ((60, 0.02), (600, 0.01))]
    )
    assert gathered.notes[1] == "The largest gap of these trainings is 2.00 %."


def test_table_1_at_the_small_scale_has_no_printed_numbers():
    gathered = results.table1(SMALL, [solved(60, "as they are", **FEW)])
    assert len(gathered.rows) == 7
    assert all(line["published"] is None and "why" not in line for line in gathered.rows)
    assert {line["images"] for line in gathered.rows} == {"as they are"}
    assert len(gathered.notes) == 1  # no training has a gap that means anything
    rows = results.table1(PAPER, [solved(60, "deskewed", **FEW)]).rows
    assert {line["images"] for line in rows} == {"deskewed images"}


def test_what_could_not_be_solved_stands_first():
    absent = Result("solved", {"n": 600, "preparation": "raw"}, None, "no such file")
    solutions = [solved(60, "raw", **FEW), absent, solved(6000, "raw", **FEW)]
    gathered = results.table1(PAPER, solutions)
    keys = {"N": None, "images": "all", "measure": None}
    assert gathered.rows[0] == row(keys, None, status="not available", why="no such file")
    assert [line["N"] for line in gathered.rows] == [None] + [60] * 7 + [6000] * 7


def test_the_printed_euclidean_error_stands_beside_every_preparation():
    value = {"errors": {"normalised": 2.318, "deskewed": 1.402}}
    results_of = [Result("preparations", {}, value)]
    assert results.preparation(PAPER, results_of).rows == [
        row({"images": "normalised"}, 2.32, 2.33),
        row({"images": "deskewed"}, 1.4, 2.33),
    ]
    assert results.preparation(SMALL, results_of).rows == [
        row({"images": "normalised"}, 2.32),
        row({"images": "deskewed"}, 1.4),
    ]


def test_figure_1_gives_the_bound_and_both_distances():
    value = {"bound": 1.5, "least": 2.25, "neighbour_distance": 0.75, "radius": 3.0}
    gathered = results.figure1(PAPER, [Result("ball", {}, value)])
    assert gathered.rows == [
        row({"quantity": "bound of eq. 7"}, 1.5),
        row({"quantity": "least distance to a point of the ball"}, 2.25),
        row({"quantity": "distance to the nearest point of all"}, 0.75),
    ]
    assert gathered.drawing == value


# -------------------------------------------------------------------------------------------- steps

CHECKS = [
    {"steps": 0, "objective": 90.04, "active": 9000, "error": 12.344},
    {"steps": 1, "objective": 60.0, "active": 7000, "error": 11.0},
    {"steps": 3, "objective": 50.0, "active": 6000, "error": 10.8},
    {"steps": 7, "objective": 45.0, "active": 1200, "error": 10.5},
]
BEST = {"objective": 40.06, "error": 9.999, "active": 1000}


def with_active(*counts):
    return [line | {"active": n} for line, n in zip(CHECKS, counts, strict=True)]


def steps_of(n, scaled, checks=CHECKS):
    return Result("steps", {"n": n, "scaled": scaled}, {"checks": checks, "optimum": BEST})


def test_steps_end_with_the_optimum():
    gathered = results.steps(PAPER, [steps_of(600, True), steps_of(600, False, CHECKS[:1])])

    def at(start, steps, objective, active):
        line = {"N": 600, "start": start, "steps": steps, "eq. 3": objective, "active": active}
        return line | {"printed": 10.79}

    scaled = "Euclidean, scaled"
    assert gathered.rows == [
        row(at(scaled, 0, 90.0, 9000), 12.34),
        row(at(scaled, 1, 60.0, 7000), 11.0),
        row(at(scaled, 3, 50.0, 6000), 10.8),
        row(at(scaled, 7, 45.0, 1200), 10.5),
        row(at(scaled, "optimum", 40.1, 1000), 10.0),
        row(at("identity", 0, 90.0, 9000), 12.34),
        row(at("identity", "optimum", 40.1, 1000), 10.0),
    ]
    assert gathered.drawing == [
        {"n": 600, "start": scaled, "printed": 10.79, "checks": CHECKS, "optimum": 9.999},
        {"n": 600, "start": "identity", "printed": 10.79, "checks": CHECKS[:1], "optimum": 9.999},
    ]
    assert len(gathered.notes) == 3
    assert gathered.notes[1] == (
        "N = 600: the paper's 6,169 active triples lie between ours after 1 and 3 steps "
        "(7,000 and 6,000), where the error is 11.00 and 10.80 %."
    )


def test_the_first_steps_between_which_the_printed_count_lies_are_named_once():
    """The printed count of 60 points is 844; a count that is equal to it lies on the border."""
    rising = with_active(900, 844, 844, 100)
    others = [Result("steps", {"n": 60, "scaled": True}, None, "gone"), steps_of(60, False)]
    notes = results.steps(PAPER, [*others, steps_of(60, True, rising)]).notes
    assert len(notes) == 3 and "844 active triples lie between ours after 0 and 1 steps" in notes[1]
    rising = with_active(800, 850, 844, 100)
    notes = results.steps(PAPER, [steps_of(60, True, rising)]).notes
    assert len(notes) == 3 and "lie between ours after 1 and 3 steps (850 and 844)" in notes[1]
    below = with_active(800, 700, 900, 850)
    assert len(results.steps(PAPER, [steps_of(60, True, below)]).notes) == 2


def test_steps_of_other_sizes_starts_and_scales_are_not_compared():
    absent = Result("steps", {"n": 600, "scaled": True}, None, "gone")
    gathered = results.steps(PAPER, [steps_of(601, True), steps_of(600, False), absent])
    assert len(gathered.notes) == 2
    assert gathered.rows[0] == row(
        {"N": None, "start": "all", "steps": None, "printed": None},
        None,
        status="not available",
        why="gone",
    )
    assert [line["printed"] for line in gathered.rows[1:]] == [None] * 5 + [10.79] * 5
    gathered = results.steps(SMALL, [steps_of(600, True)])
    assert len(gathered.notes) == 1
    assert all(line["printed"] is None for line in [*gathered.rows, *gathered.drawing])


# ---------------------------------------------------------------------------------- figures 3 and 5


def test_figure_3_gives_three_errors():
    value = {"several": 1.234, "one": 5.0, "euclidean": 7.006, "points": [[[0.0, 1.0]]]}
    gathered = results.figure3(PAPER, [Result("ellipsoids", {"digits": (0, 4)}, value)])
    assert gathered.rows == [
        row({"quantity": "leave-one-out error, one metric for each digit (%)"}, 1.23),
        row({"quantity": "leave-one-out error, one metric (%)"}, 5.0),
        row({"quantity": "leave-one-out error, Euclidean (%)"}, 7.01),
    ]
    assert gathered.drawing == value | {"digits": (0, 4)}


def errors(name, preparation, by_class, share=0.95, test=3.456, train=0.514):
    params = {"data_set": name, "preparation": preparation, "by_class": by_class, "share": share}
    return Result("set_errors", params, {"test": test, "train": train, "k": 5, "d": 12})


def test_figure_5_beside_the_print_as_corrected():
    """ERRATUM LM-4: 1.72 % is a test error, 1.19 % one of training."""
    gathered = results.figure5(
        PAPER,
        [
            errors("MNIST-10", "normalised", False),
            errors("MNIST-10", "normalised", True),
            errors("letters", "as they are", False, share=0.95),
            errors("letters", "as they are", True, share=0.9999),
            errors("yalefaces", "unit length", False),
            errors("yalefaces", "as they are", True),
            Result("set_errors", {}, None, "gone"),
            errors("wine", "as they are", False),
        ],
    )
    one = "one metric"
    more = "several metrics"
    as_is = "as they are"
    expected = [
        ("MNIST-10", "mean 0, length 1", one, 1.72, 1.19),
        ("MNIST-10", "mean 0, length 1", more, 1.18, 0.04),
        ("letters", as_is, one, 3.62, 3.54),
        ("letters", as_is, more, 3.2, 1.55),
        ("yalefaces", "length 1", one, 6.48, 3.54),
        ("yalefaces", as_is, more, 6.4, 3.57),
        ("wine", as_is, one, None, None),
    ]
    assert gathered.rows[1:] == [
        row(
            {
                "data set": name,
                "points": points,
                "measure": measure,
                "method": method,
                "k": 5,
                "d": 12,
            },
            ours,
            published,
        )
        for name, points, method, test, train in expected
        for measure, published, ours in (("test", test, 3.46), ("train", train, 0.51))
    ]
    keys = {"data set": "all", "points": None, "measure": None, "method": None}
    assert gathered.rows[0] == row(keys, None, status="not available", why="gone")


def test_figure_5_at_the_small_scale_has_no_printed_numbers():
    rows = results.figure5(SMALL, [errors("isolet", "as they are", False)]).rows
    assert [(line["published"], "why" in line) for line in rows] == [(None, False)] * 2


@pytest.mark.parametrize(
    ("reduce", "keys"),
    [
        (results.figure1, {"quantity": "all"}),
        (results.figure3, {"quantity": "all"}),
        (results.preparation, {"images": "all"}),
    ],
)
def test_a_figure_of_one_task_says_why_it_is_empty(reduce, keys):
    gathered = reduce(PAPER, [Result("t", {}, None, "no such file")])
    assert gathered.rows == [row(keys, None, status="not available", why="no such file")]
