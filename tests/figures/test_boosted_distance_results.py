"""The rows and notes of Boosted Distance's figures from made-up errors, against rows told by hand.

Figure 3 and what goes beyond the paper are in test_boosted_distance_more_results.py, the tasks that
compute errors in test_boosted_distance_tasks.py, the pictures in test_boosted_distance_pictures.py.
"""

import boosted_distance_errors as made_up
import numpy as np
import pytest
from boosted_distance_errors import FIGURES, VALUES, gather, numbers

from paper_figures.boosted_distance import figures, protocol
from paper_figures.tasks import Context, Result

SMALL = Context()
PAPER = Context(scale="paper")
AVAILABLE = ("ad", "sonar", "liver")


@pytest.fixture(autouse=True)
def few(monkeypatch):
    made_up.few_rounds(monkeypatch)


# ----------------------------------------------------------------------------------------- protocol


def test_sets_of_the_scales():
    assert protocol.sets_of(SMALL) == {"wdbc-small": "wdbc", "digits17": "MNIST"}
    names = "ad gender MNIST arrhythmia splice sonar spectf ionosphere wdbc german vote1 credit wbc"
    names = [*names.split(), "pima", "liver"]
    assert protocol.sets_of(PAPER) == dict(zip(names, names, strict=True))


def test_printed_lines_are_those_of_the_named_sets():
    lines = protocol.printed_lines(SMALL)
    assert lines["digits17"] == {}  # it stands in for MNIST, so nothing is printed of it
    assert lines["wdbc-small"] == {
        "data_set": "wdbc",
        "best_nn_distance": "Mah-D",
        "nn": 6.83,
        "adaboost": 5.81,
        "boosted_distance": 4.67,
        "diff": 1.14,
        "relative_improvement": 19.62,
    }
    assert protocol.printed_lines(PAPER)["MNIST"]["nn"] == 2.34


def test_numbers_of_the_text():
    assert protocol.printed_in_text(PAPER, "accuracy of LDA (%)") == {
        "gender": 50.08,
        "MNIST": 49.96,
    }
    assert protocol.printed_in_text(PAPER, "mean relative improvement (%)") == {"15 sets": 12.87}


def test_tasks_of_the_protocol(monkeypatch):
    tasks = protocol.tasks(SMALL)
    assert [(t.name, t.params["data_set"], t.params["repetition"]) for t in tasks] == [
        *[("repetition", "wdbc-small", i) for i in range(3)],
        *[("repetition", "digits17", i) for i in range(3)],
        *[("cross_validation", "wdbc-small", i) for i in range(2)],
        *[("cross_validation", "digits17", i) for i in range(2)],
    ]
    assert {t.data for t in tasks} == {("wdbc-small",), ("digits17",)}
    assert all(
        t.data == (t.params["data_set"],) and t.kernels == ("similarity", "stumps") for t in tasks
    )
    assert all(t.params["rounds"] == (1, 3, 10) and t.params["options"] == {} for t in tasks)
    assert tasks[0].params["tree_rounds"] == (1, 3, 10, 30, 100)
    assert tasks[-1].params["folds"] == 5
    options = {t.params["data_set"]: t.params["options"] for t in protocol.tasks(PAPER)}
    assert {name: of_set for name, of_set in options.items() if of_set} == {
        "splice": {"order": "frequency"},
        "credit": {"order": "appearance"},
    }


def test_figures_have_the_tasks_of_their_sets():
    def sets(name, context):
        return list(dict.fromkeys(t.params["data_set"] for t in FIGURES[name].tasks(context)))

    assert sets("figure2", SMALL) == ["digits17"]
    assert sets("figure2", PAPER) == ["ad", "gender", "MNIST", "arrhythmia"]
    assert len(FIGURES["figure2"].tasks(PAPER)) == 4 * 3
    for name in ("table2", "figure4", "figure5", "rounds", "distances"):
        assert FIGURES[name].tasks is protocol.tasks


def test_t_has_the_least_cross_validated_error_of_both_methods():
    results = made_up.results(FIGURES["table2"], SMALL, ["digits17", "wdbc-small"], VALUES)
    assert protocol.chosen_rounds(SMALL, results) == 1
    flipped = [
        Result(r.name, r.params, {m: v[::-1] for m, v in r.value.items()})
        for r in results
        if r.name == "cross_validation"
    ]
    assert protocol.chosen_rounds(SMALL, flipped) == 1  # place 1 of 3, from either end
    one_method = [
        Result(r.name, r.params, r.value | {"stumps": r.value["boosted"]}) for r in flipped
    ]
    assert protocol.chosen_rounds(SMALL, one_method) == 0


def test_errors_by_set():
    results = made_up.results(FIGURES["table2"], SMALL, ["digits17"], VALUES)
    errors = protocol.errors_by_set(SMALL, results)
    assert list(errors) == ["digits17"]
    assert errors["digits17"]["L2"].tolist() == [0.5, 1.5, 2.5]
    assert errors["digits17"]["stumps"].tolist() == [[5, 1, 0.5], [7, 3, 2.5], [9, 5, 4.5]]
    assert protocol.errors_by_set(SMALL, []) == {}


@pytest.mark.parametrize(
    "t, place",
    [
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 1),
        (9, 1),
        (10, 2),
        (29, 2),
        (30, 3),
        (99, 3),
        (100, 4),
        (500, 4),
    ],
)
def test_trees_are_shown_at_the_largest_number_of_rounds_not_above_t(t, place):
    assert protocol.tree_place(t) == place


@pytest.mark.parametrize("published", [None, 12.0, 40.0])
def test_a_row_holds_numbers_alone(published):
    row = protocol.row_of({"a": 1}, published, np.array([11.0, 12.0, 13.0]))
    assert row == {"a": 1, "published": published, "ours": 12.0, "std": 1.0, "repetitions": 3}


def test_the_row_of_an_absent_set_gives_the_reason_of_its_own_task():
    results = [
        Result("t", {"data_set": "a"}, None, "no file of a"),
        Result("t", {"data_set": "b"}, None, "no file of b"),
    ]
    row = {"published": 2.0, "ours": None, "std": None, "status": "not available"}
    assert protocol.absent({"k": 1}, 2.0, results, "b") == {"k": 1} | row | {"why": "no file of b"}
    assert protocol.absent({}, 2.0, results, "c") == row | {"why": "not available"}


# ------------------------------------------------------------------------------------------ table 2


def test_table2_at_the_papers_scale():
    gathered = gather("table2", PAPER, AVAILABLE)
    rows = {
        name: [r for r in gathered.rows if r["data_set"] == name] for name in (*AVAILABLE, "wbc")
    }
    methods = ["NN, best of eight distances", "AdaBoost, stumps", "Boosted Distance", "difference"]
    assert numbers(rows["sonar"], "method", "distance") == [
        (methods[0], "L1 (printed Mah-D)", 26.1, 24.0, 1.0),
        (methods[1], "", 25.95, 29.0, 2.0),
        (methods[2], "", 25.67, 28.0, 1.0),
        (methods[3], "", 0.28, 1.0, 1.0),
    ]
    assert numbers(rows["liver"], "distance") == [
        ("Mah (printed Mah)", 41.11, 29.0, 1.0),
        ("", 35.51, 36.0, 1.0),
        ("", 33.58, 37.0, 2.0),
        ("", 1.93, -1.0, 1.0),
    ]
    assert numbers(rows["ad"], "distance") == [
        ("L1 (printed L1)", 17.31, 20.0, 1.0),
        ("", 12.0, 12.0, 2.0),
        ("", 8.88, 8.88, 1.0),
        ("", 3.12, 3.12, 1.0),
    ]
    assert not any("why" in row for name in AVAILABLE for row in rows[name])
    assert numbers(rows["wbc"], "method", "status", "why") == [
        (method, "not available", "no file of wbc", published, None, None)
        for method, published in zip(methods, (5.25, 5.7, 3.79, 1.91), strict=True)
    ]
    assert all(row["repetitions"] == 3 for row in rows["sonar"] + rows["liver"] + rows["ad"])


def test_the_claims_below_table2():
    """At T = 3: ad 12 against 8.88, sonar 29 against 28, liver 36 against 37."""
    wins, improvement = gather("table2", PAPER, AVAILABLE).rows[-2:]
    assert wins == {
        "data_set": "3 sets",
        "distance": "",
        "method": "sets on which Boosted Distance beats AdaBoost",
        "published": 13,
        "ours": 2,
        "std": None,
    }
    assert isinstance(wins["ours"], int) and isinstance(wins["published"], int)
    # (100 * 3.12 / 12 + 100 / 29 - 100 / 36) / 3
    assert improvement.pop("ours") == pytest.approx(8.8902, abs=1e-4)
    assert improvement == {
        "data_set": "3 sets",
        "distance": "",
        "method": "mean relative improvement (%)",
        "published": 12.87,
        "std": None,
    }


def test_equal_errors_are_no_win(monkeypatch):
    even = made_up.SETS["sonar"] | {"boosted": made_up.SETS["sonar"]["stumps"]}
    monkeypatch.setitem(made_up.SETS, "sonar", even)
    assert gather("table2", PAPER, ["sonar"]).rows[-2]["ours"] == 0
    assert gather("rounds", PAPER, ["sonar"]).rows[6]["ours"] == 0


def test_table2_at_the_small_scale():
    gathered = gather("table2", SMALL, ["digits17", "wdbc-small"])
    assert numbers(gathered.rows, "data_set", "distance", "why") == [
        ("wdbc-small", "Mah-D (printed Mah-D)", None, 6.83, 6.5, 1.0),
        ("wdbc-small", "", None, 5.81, 6.0, 2.0),
        ("wdbc-small", "", None, 4.67, 5.5, 1.0),
        ("wdbc-small", "", None, 1.14, 0.5, 1.0),
        ("digits17", "L2 (printed -)", None, None, 1.5, 1.0),
        ("digits17", "", None, None, 3.0, 2.0),
        ("digits17", "", None, None, 4.0, 1.0),
        ("digits17", "", None, None, -1.0, 1.0),
        ("2 sets", "", None, None, 1, None),
        ("2 sets", "", None, None, -12.5, None),  # (0.5 / 6 - 1 / 3) / 2
    ]
    assert gathered.notes[0].startswith("T = 3, the one of least cross-validated error")
    assert gathered.notes[1:] == [protocol.MEASURE, protocol.NORMALISED]


# ---------------------------------------------------------------------------------- figures 2, 4, 5


def test_figure2_holds_accuracies_by_rounds():
    gathered = gather("figure2", PAPER, ["ad"])
    assert numbers(gathered.rows, "data_set", "method", "rounds") == [
        ("ad", "Boosted Distance", 1, None, 50.0, 1.0),
        ("ad", "Boosted Distance", 3, None, 91.12, 1.0),
        ("ad", "Boosted Distance", 10, None, 10.0, 1.0),
        ("ad", "AdaBoost, stumps", 1, None, 50.0, 2.0),
        ("ad", "AdaBoost, stumps", 3, None, 88.0, 2.0),
        ("ad", "AdaBoost, stumps", 10, None, 10.0, 2.0),
        ("ad", "NN (L2)", 0, None, 70.0, 1.0),
        *[(name, "all", 0, None, None, None) for name in ("gender", "MNIST", "arrhythmia")],
    ]
    assert [row["why"] for row in gathered.rows[-3:]] == [
        f"no file of {name}" for name in ("gender", "MNIST", "arrhythmia")
    ]
    assert "100 minus the mean of the two classes' error rates" in gathered.notes[0]


def test_figure4_holds_three_methods_at_the_chosen_t():
    gathered = gather("figure4", SMALL, ["digits17", "wdbc-small"])
    assert numbers(gathered.rows, "data_set", "method") == [
        ("wdbc-small", "AdaBoost, stumps", None, 6.0, 2.0),
        ("wdbc-small", "AdaBoost, C4.5-like trees", None, 31.0, 3.0),
        ("wdbc-small", "Boosted Distance", None, 5.5, 1.0),
        ("digits17", "AdaBoost, stumps", None, 3.0, 2.0),
        ("digits17", "AdaBoost, C4.5-like trees", None, 31.0, 3.0),
        ("digits17", "Boosted Distance", None, 4.0, 1.0),
    ]
    assert gathered.notes[0] == "T = 3 (trees: at most 100)."
    assert gathered.notes[1].startswith("Boosted Distance beats AdaBoost with trees on 2 of 2 sets")


def test_trees_are_shown_at_their_own_place_among_the_rounds(monkeypatch):
    monkeypatch.setitem(protocol.ROUNDS, "small", (1, 12, 30))
    gathered = gather("figure4", SMALL, ["digits17"])
    rows = numbers(gathered.rows[1:], "method")  # at T = 12: trees after 10 rounds
    assert [(row[0], row[2]) for row in rows] == [
        ("AdaBoost, stumps", 3.0),
        ("AdaBoost, C4.5-like trees", 27.0),
        ("Boosted Distance", 4.0),
    ]


def test_figure5_adds_nearest_neighbor_with_its_best_distance():
    gathered = gather("figure5", PAPER, ["liver", "sonar"])
    rows = [row for row in gathered.rows if row["data_set"] in ("sonar", "liver", "pima")]
    assert numbers(rows, "data_set", "method") == [
        ("sonar", "NN, best distance", None, 24.0, 1.0),
        ("sonar", "AdaBoost, stumps", None, 29.0, 2.0),
        ("sonar", "AdaBoost, C4.5-like trees", None, 31.0, 3.0),
        ("sonar", "Boosted Distance", None, 28.0, 1.0),
        ("pima", "all", None, None, None),
        ("liver", "NN, best distance", None, 29.0, 1.0),
        ("liver", "AdaBoost, stumps", None, 36.0, 1.0),
        ("liver", "AdaBoost, C4.5-like trees", None, 31.0, 3.0),
        ("liver", "Boosted Distance", None, 37.0, 2.0),
    ]
    # 28 is less than the trees' 31, 37 is not
    assert gathered.notes[1].startswith("Boosted Distance beats AdaBoost with trees on 1 of 2 sets")
    assert next(r for r in rows if r["data_set"] == "pima")["why"] == "no file of pima"


# -------------------------------------------------------------------------------- figure 1, table 1


def test_table1():
    tasks = FIGURES["table1"].tasks(PAPER)
    assert [t.params for t in tasks[:2]] == [{"data_set": "ad"}, {"data_set": "gender"}]
    assert {(t.name, t.kernels) for t in tasks} == {("shape", ())}
    assert len(tasks) == 15 and all(t.data == (t.params["data_set"],) for t in tasks)
    sizes = {"sonar": (208, 60), "splice": (1535, 60)}
    results = [
        Result(t.name, t.params, {"observations": n, "dimensions": d, "notes": [f"read as {n}"]})
        for t in tasks
        for n, d in [sizes.get(t.params["data_set"], (0, 0))]
        if n
    ]
    results.append(Result("shape", {"data_set": "pima"}, None, "no file"))
    gathered = FIGURES["table1"].reduce(PAPER, results)
    assert numbers(gathered.rows, "data_set", "quantity", "why") == [
        ("splice", "observations", None, 1500.0, 1535, None),
        ("splice", "dimensions", None, 60.0, 60, None),
        ("sonar", "observations", None, 208.0, 208, None),
        ("sonar", "dimensions", None, 60.0, 60, None),
        ("pima", "observations", "no file", 768.0, None, None),
        ("pima", "dimensions", "no file", 8.0, None, None),
    ]
    assert gathered.notes == ["splice: read as 1535", "sonar: read as 208"]


def test_table1_at_the_small_scale():
    tasks = FIGURES["table1"].tasks(SMALL)
    assert [t.params["data_set"] for t in tasks] == ["digits17", "wdbc-small"]
    results = [
        Result(t.name, t.params, {"observations": n, "dimensions": d, "notes": []})
        for t, (n, d) in zip(tasks, ((361, 64), (570, 30)), strict=True)
    ]
    gathered = FIGURES["table1"].reduce(SMALL, results)
    assert numbers(gathered.rows, "data_set", "quantity", "why") == [
        ("digits17", "observations", None, None, 361, None),
        ("digits17", "dimensions", None, None, 64, None),
        ("wdbc-small", "observations", None, 569.0, 570, None),
        ("wdbc-small", "dimensions", None, 30.0, 30, None),
    ]
    assert gathered.notes == [
        "small scale: digits17 (8 x 8 digits) stands in for MNIST, so it has no published size"
    ]


def test_figure1_counts_the_images():
    assert [(t.params, t.data) for t in FIGURES["figure1"].tasks(PAPER)] == [
        ({"data_set": "MNIST", "per_class": 10}, ("MNIST",)),
        ({"data_set": "gender", "per_class": 10}, ("gender",)),
    ]
    (small,) = FIGURES["figure1"].tasks(SMALL)
    assert small.params["data_set"] == "digits17"
    value = {
        "side": 2,
        "classes": [
            {"class": "1", "images": [[0, 1, 2, 3]] * 2},
            {"class": "7", "images": [[9, 9, 9, 9]] * 3},
        ],
    }
    gathered = FIGURES["figure1"].reduce(SMALL, [Result("examples", small.params, value)])
    assert numbers(gathered.rows, "data_set", "class", "quantity", "why") == [
        ("digits17", "1", "images", None, None, 2, None),
        ("digits17", "7", "images", None, None, 3, None),
        ("gender", "both", "images", figures.NO_FACES, None, None, None),
    ]
    assert gathered.drawing == [{"data_set": "digits17"} | value]
    faces = Result("examples", {"data_set": "gender"}, value)
    no_digits = Result("examples", {"data_set": "MNIST"}, None, "no file")
    rows = FIGURES["figure1"].reduce(PAPER, [no_digits, faces]).rows
    assert [(row["data_set"], row["ours"]) for row in rows] == [("gender", 2), ("gender", 3)]
    digits = Result("examples", {"data_set": "MNIST"}, value)
    no_faces = Result("examples", {"data_set": "gender"}, None, "a licence")
    rows = FIGURES["figure1"].reduce(PAPER, [digits, no_faces]).rows
    assert [row.get("why") for row in rows] == [None, None, "a licence"]
    rows = FIGURES["figure1"].reduce(PAPER, [no_digits]).rows
    assert [(row["data_set"], row["why"]) for row in rows] == [("gender", "no file")]
