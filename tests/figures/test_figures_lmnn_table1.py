"""The rows of Table 1, the active set and Figure 5.

Results of tasks that are written down here, rows by hand. Not here: the tasks
(test_figures_lmnn_samples.py), the verdicts.
"""

import pytest

from paper_figures.lmnn import figure5_rows, table1_rows
from paper_figures.tasks import Context, Result

PAPER = Context(scale="paper")
SMALL = Context()


def row(keys, ours, published=None, std=None, **more):
    return keys | {"published": published, "ours": ours, "std": std} | more


def wrong(error, nearest=None):
    return {"first class": error, "nearest": error if nearest is None else nearest}


def certified(n, sample, test, *, shuffled=False, unique=True, kind="normalised"):
    params = {"preparation": kind, "n": n, "sample": sample, "shuffled": shuffled}
    value = {
        "seconds": 2.0,
        "objective": 90.0,
        "gap": 0.0013,
        "active": 500,
        "total": 3240,
        "unique": unique,
        "test": wrong(test, test - 1.0),
        "left_out": wrong(0.5),
        "own": wrong(0.25),
        "euclidean": {"test": wrong(30.0, 29.0)},
    }
    return Result("certified", params, value)


def printed(n, sample, test, kind="normalised"):
    check = {"steps": 0, "seconds": 0.5, "objective": 200.0, "active": 1000, "test": wrong(33.0)}
    last = {"steps": 1, "seconds": 4.0, "objective": 100.0, "active": 800, "test": wrong(test)}
    end = {"test": wrong(test), "left_out": wrong(1.0), "own": wrong(0.0)}
    value = {"checks": [check, last], "end": end, "n": n, "total": 3240}
    params = {"preparation": kind, "n": n, "sample": sample}
    return Result("printed", params, value)


def of(rows, **keys):
    (line,) = [row for row in rows if keys.items() <= row.items()]
    return line


def test_table_1_has_means_by_solver_beside_the_print():
    """28 and 31 have the mean 29.5 and the deviation sqrt(4.5) = 2.1213."""
    gathered = table1_rows.table1(
        PAPER,
        [
            certified(60, 0, 41.0, unique=False),
            certified(60, 1, 43.0, unique=False),
            certified(60, 1, 43.0, unique=False, shuffled=True),
            printed(60, 0, 28.0),
            printed(60, 1, 31.0),
            printed(60_000, 0, 1.716),
        ],
    )
    rows = gathered.rows
    keys = {"N": 60, "images": "mean 0, length 1"}
    steps = keys | {"by": "printed steps", "measure": "test error (%)"}
    assert of(rows, **steps) == row(steps, 29.5, 29.37, 2.1213, repetitions=2)
    optimum = keys | {"by": "proven optimum", "measure": "test error, ties to the nearest (%)"}
    assert of(rows, **optimum) == row(optimum, 41.0, None, 1.4142, repetitions=2)
    numbers = {
        (line["by"], line["measure"]): (line["ours"], line["published"])
        for line in rows
        if line["N"] == 60
    }
    assert numbers["printed steps", "seconds"] == (4.0, 9.0)
    assert numbers["printed steps", "active triples"] == (800.0, 844.0)
    assert numbers["printed steps", "eq. 3"] == (100.0, None)
    assert numbers["printed steps", "train error (%)"] == (1.0, 0.0)
    assert numbers["proven optimum", "train error, each point votes for itself (%)"] == (0.25, None)
    assert numbers["printed steps", "pairs of classes"] == (3240.0, 3200.0)
    assert numbers["proven optimum", "pairs of classes"] == (3240.0, None)
    assert numbers["no training", "Euclidean test error (%)"] == (30.0, None)
    assert numbers["no training", "Euclidean test error, ties to the nearest (%)"] == (29.0, None)
    whole = {"N": 60_000, "measure": "test error (%)"}
    assert of(rows, **whole)["ours"] == 1.72 and of(rows, **whole)["std"] is None
    assert any("In 2 trainings (N = 60) eq. 3 is 0" in note for note in gathered.notes)
    assert "The largest gap to the bound is 0.13 % of eq. 3." in gathered.notes


def test_another_order_is_a_note_and_no_sample():
    results = [certified(600, 0, 13.0), certified(600, 0, 13.25, shuffled=True)]
    results += [certified(60_000, 0, 1.77), certified(60_000, 0, 1.79, shuffled=True)]
    gathered = table1_rows.table1(PAPER, results)
    errors = [of(gathered.rows, N=n, measure="test error (%)")["ours"] for n in (600, 60_000)]
    assert errors == [13.0, 1.77]
    moved = "It moves the test error by 0.25 points (N = 600), 0.02 points (N = 60,000)."
    assert gathered.notes[-1].endswith(moved)
    assert not any("many metrics" in note for note in gathered.notes)
    assert len(table1_rows.table1(PAPER, results[:1]).notes) == len(gathered.notes) - 1


def test_table_1_at_the_small_scale_has_no_printed_numbers():
    rows = table1_rows.table1(SMALL, [certified(60, 0, 9.0), printed(60, 0, 8.0)]).rows
    assert len(rows) == 8 + 8 + 2 and all(line["published"] is None for line in rows)


def test_what_could_not_be_solved_stands_first():
    absent = Result("certified", {"n": 600, "preparation": "raw"}, None, "no such file")
    rows = table1_rows.table1(PAPER, [printed(60, 0, 28.0), absent]).rows
    assert rows[0]["why"] == "no such file" and rows[0]["N"] is None
    assert [line["N"] for line in rows[1:]] == [60] * 8


def test_the_active_set_beside_the_triples_ever_active():
    def counted(sample, start, ever, now):
        checks = [{"steps": 0, "active": start}, {"steps": 191, "active": now, "ever": ever}]
        params = {"preparation": "as they are", "n": 60, "sample": sample}
        return Result("ever_active", params, {"checks": checks})

    rows = table1_rows.active_set(PAPER, [counted(0, 700, 800, 3), counted(1, 702, 804, 5)]).rows
    keys = {"N": 60, "images": "as they are"}
    assert rows == [
        row(keys | {"measure": "active at the start"}, 701.0, None, 1.4142, repetitions=2),
        row(keys | {"measure": "ever active, 191 steps"}, 802.0, 844.0, 2.8284, repetitions=2),
        row(keys | {"measure": "active after 191 steps"}, 4.0, None, 1.4142, repetitions=2),
    ]


# ---------------------------------------------------------------------------------------- figure 5


def end_of(test, train, learnt, validation=None):
    """Errors at k = 1 and, one point more, at k = 3."""
    errors = {"test": test, "train": train, "learnt": learnt}
    errors |= {} if validation is None else {"validation": validation}
    return {name: {"1": error, "3": error + 1.0} for name, error in errors.items()}


def course(split, stopped, end, by_class=True, name="isolet"):
    params = {"data_set": name, "preparation": "as they are", "share": 0.95}
    params |= {"by_class": by_class, "split": split}
    check = {"check": 1, "objective": 5.0} | end
    value = {"d": 170, "stopped": stopped, "end": end, "checks": [check]}
    return Result("course", params, value)


def test_figure_5_by_where_the_training_ends():
    """ERRATUM LM-4: 3.08 % is a test error, 0 that of training."""
    stops = [end_of(4.0, 0.8, 0.4, 3.0), end_of(5.0, 1.0, 0.6, 3.5)]
    ends = [end_of(40.0, 20.0, 0.0, 50.0), end_of(42.0, 22.0, 0.0, 52.0)]
    whole = end_of(30.0, 0.0, 0.0)
    gathered = figure5_rows.figure5(
        PAPER,
        [
            course(0, stops[0], ends[0]),
            course(1, stops[1], ends[1]),
            course(None, None, whole),
            course(None, None, end_of(1.5, 0.1, 0.1), by_class=False),
        ],
    )
    rows = gathered.rows
    several = {"data set": "isolet", "points": "as they are", "method": "several metrics", "d": 170}
    several |= {"k": 1}
    early = several | {"training": "ends early"}
    test = early | {"measure": "test"}
    assert of(rows, **test) == row(test, 4.5, 3.08, 0.7071, repetitions=2)
    train = several | {"measure": "train", "training": "all points, to the end"}
    assert of(rows, **train) == row(train, 0.0, None)
    held_out = several | {"measure": "test", "training": "held out, to the end"}
    assert of(rows, **held_out)["published"] is None
    past = several | {"training": "held out, to the end"}
    learnt = {"measure": "train, points learnt from"}
    assert [of(rows, **(where | learnt))["ours"] for where in (early, past)] == [0.5, 0.0]
    assert of(rows, **(past | {"measure": "test"}))["ours"] == 41.0
    assert of(rows, method="one metric", measure="test")["published"] is None  # no validation set
    assert len(rows) == 3 + 3 + 2 + 2
    assert gathered.drawing[2]["checks"] == [
        {"check": 1, "test": 31.0, "train": 1.0, "learnt": 1.0}  # at k = 3
    ]


def test_the_least_training_error_on_the_way_is_a_note():
    watched = course(0, end_of(4.0, 0.8, 0.4, 3.0), end_of(4.0, 0.3, 0.0, 3.0))
    watched.value["checks"].append({"check": 7} | end_of(4.0, -0.9, 0.0))
    other = course(0, end_of(4.0, 0.8, 0.4, 3.0), end_of(4.0, 0.8, 0.4, 3.0), name="letters")
    del other.value["checks"][0]["train"]
    notes = figure5_rows.figure5(PAPER, [watched, other]).notes
    assert notes[-1].endswith("held out or without: isolet 0.10 % (check 7).")
    assert figure5_rows.figure5(PAPER, [other]).notes == notes[:1]


def test_each_split_has_its_own_k():
    """k is that of the least validation error; of equal ones the least, and the most frequent."""
    second = end_of(5.0, 1.0, 0.6, 3.5)
    second["validation"] = {"1": 9.0, "3": 2.0}
    stops = [end_of(4.0, 0.8, 0.4, 3.0), second]
    rows = figure5_rows.figure5(
        SMALL, [course(split, stop, stop) for split, stop in enumerate(stops)]
    ).rows
    line = of(rows, training="ends early", measure="test")
    assert line["ours"] == pytest.approx((4.0 + 6.0) / 2) and line["k"] == 1
    assert line["published"] is None


def test_figure_5_says_what_is_missing():
    rows = figure5_rows.figure5(PAPER, [Result("course", {}, None, "gone")]).rows
    assert rows[0]["why"] == "gone" and rows[0]["training"] is None
