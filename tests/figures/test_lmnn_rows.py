"""LMNN's rows by hand: Table 1, the active set, Figures 1 and 3 to 5, what trees gain."""

import math

import pytest

from paper_figures.lmnn import courses, gain, low_rank, shapes, table1
from paper_figures.lmnn.clusters import figure4
from paper_figures.study import Seen


def seen(items, scale="paper"):
    return Seen(items, [], scale)


def row(keys, ours, published=None, std=None, n=1):
    """A row of a mean of n samples with this standard deviation."""
    error = None if std is None else pytest.approx(std / n**0.5, abs=1e-4)
    return keys | {"published": published, "ours": ours, "error": error, "n": n}


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
    return {"part": "certified"} | params | value


def printed(n, sample, test, kind="normalised"):
    check = {"steps": 0, "seconds": 0.5, "objective": 200.0, "active": 1000, "test": wrong(33.0)}
    last = {"steps": 1, "seconds": 4.0, "objective": 100.0, "active": 800, "test": wrong(test)}
    end = {"test": wrong(test), "left_out": wrong(1.0), "own": wrong(0.0)}
    value = {"checks": [check, last], "end": end, "n": n, "total": 3240}
    params = {"preparation": kind, "n": n, "sample": sample}
    return {"part": "printed"} | params | value


def of(rows, **keys):
    (line,) = [row for row in rows if keys.items() <= row.items()]
    return line


def test_table_1_has_means_by_solver_beside_the_print():
    """28 and 31 have the mean 29.5 and the deviation sqrt(4.5) = 2.1213."""
    gathered = table1.table1(
        seen(
            [
                certified(60, 0, 41.0, unique=False),
                certified(60, 1, 43.0, unique=False),
                certified(60, 1, 43.0, unique=False, shuffled=True),
                printed(60, 0, 28.0),
                printed(60, 1, 31.0),
                printed(60_000, 0, 1.716),
                printed(60_000, 1, 9.9),  # the same digits again, of which the time alone counts
            ]
        )
    )
    rows = gathered.rows
    keys = {"N": 60, "images": "mean 0, length 1"}
    steps = keys | {"by": "printed steps", "measure": "test error (%)"}
    assert of(rows, **steps) == row(steps, 29.5, 29.37, 2.1213, n=2)
    optimum = keys | {"by": "proven optimum", "measure": "test error, ties to the nearest (%)"}
    assert of(rows, **optimum) == row(optimum, 41.0, None, 1.4142, n=2)
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
    assert of(rows, **whole)["ours"] == 1.72
    assert of(rows, N=60_000, measure="seconds", by="printed steps")["n"] == 2
    # one sample: its 10,000 test points alone are chance, of which 173 in 10,002 are wrong
    assert of(rows, **whole)["error"] == pytest.approx(0.1304, abs=1e-4)
    assert of(rows, N=60_000, measure="pairs of classes", by="printed steps")["error"] == 0.0
    assert any("In 2 trainings (N = 60) eq. 3 is 0" in note for note in gathered.notes)
    assert "The largest gap to the bound is 0.13 % of eq. 3." in gathered.notes


def test_another_order_is_a_note_and_no_sample():
    results = [certified(600, 0, 13.0), certified(600, 0, 13.25, shuffled=True)]
    results += [certified(60_000, 0, 1.77), certified(60_000, 0, 1.79, shuffled=True)]
    gathered = table1.table1(seen(results))
    errors = [of(gathered.rows, N=n, measure="test error (%)")["ours"] for n in (600, 60_000)]
    assert errors == [13.0, 1.77]
    moved = "It moves the test error by 0.25 points (N = 600), 0.02 points (N = 60,000)."
    assert gathered.notes[-1].endswith(moved)
    assert not any("many metrics" in note for note in gathered.notes)
    assert len(table1.table1(seen(results[:1])).notes) == len(gathered.notes) - 1


def test_table_1_at_the_small_scale_has_no_printed_numbers():
    rows = table1.table1(seen([certified(60, 0, 9.0), printed(60, 0, 8.0)], "small")).rows
    assert len(rows) == 8 + 8 + 2 and all(line["published"] is None for line in rows)


def test_the_active_set_beside_the_triples_ever_active():
    def counted(sample, start, ever, now):
        checks = [
            {"steps": 0, "active": start, "ever": start},
            {"steps": 191, "active": now, "ever": ever},
        ]
        params = {"preparation": "as they are", "n": 60, "sample": sample}
        return {"part": "ever active"} | params | {"checks": checks}

    rows = table1.active_set(seen([counted(0, 700, 800, 3), counted(1, 702, 804, 5)])).rows
    keys = {"N": 60, "images": "as they are"}
    assert rows == [
        row(keys | {"measure": "active at the start"}, 701.0, None, 1.4142, n=2),
        row(keys | {"measure": "ever active, 191 steps"}, 802.0, 844.0, 2.8284, n=2),
        row(keys | {"measure": "active after 191 steps"}, 4.0, None, 1.4142, n=2),
    ]
    rows = table1.active_set(seen([counted(0, 700, 900, 3), counted(1, 850, 900, 5)])).rows
    passed = "steps at the full check where the count passes the published one"  # 844
    assert of(rows, measure=passed) == row(keys | {"measure": passed}, 95.5, None, 135.0573, n=2)


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
    return params | value


def test_figure_5_by_where_the_training_ends():
    """ERRATUM LM-4: 3.08 % is a test error, 0 that of training."""
    stops = [end_of(4.0, 0.8, 0.4, 3.0), end_of(5.0, 1.0, 0.6, 3.5)]
    ends = [end_of(40.0, 20.0, 0.0, 50.0), end_of(42.0, 22.0, 0.0, 52.0)]
    whole = end_of(30.0, 0.0, 0.0)
    gathered = courses.figure5(
        seen(
            [
                course(0, stops[0], ends[0]),
                course(1, stops[1], ends[1]),
                course(None, None, whole),
                course(None, None, end_of(1.5, 0.1, 0.1), by_class=False),
            ]
        )
    )
    rows = gathered.rows
    several = {"data set": "isolet", "points": "as they are", "method": "several metrics", "d": 170}
    several |= {"k": 1}
    early = several | {"training": "ends early"}
    test = early | {"measure": "test"}
    # 0.5 over the splits, and 1,559 test points, 71.155 of 1,561 wrong: 0.528
    assert of(rows, **test)["error"] == pytest.approx(math.hypot(0.5, 0.5283), abs=1e-4)
    # degrees of freedom: 0.7274^4 / (0.5^4 / 1 + 0.5283^4 / 1558) = 4.48
    assert of(rows, **test) | {"error": 0.5} == row(test, 4.5, 3.08, 0.7071, n=2) | {"n": 5}
    train = several | {"measure": "train", "training": "all points, to the end"}
    assert of(rows, **train) | {"error": None} == row(train, 0.0, None) | {"n": 6238}
    held_out = several | {"measure": "test", "training": "held out, to the end"}
    assert of(rows, **held_out)["published"] is None
    past = several | {"training": "held out, to the end"}
    learnt = {"measure": "train, points learnt from"}
    assert [of(rows, **(where | learnt))["ours"] for where in (early, past)] == [0.5, 0.0]
    assert of(rows, **(past | {"measure": "test"}))["ours"] == 41.0
    assert of(rows, method="one metric", measure="test")["published"] is None  # no validation set
    assert len(rows) == 3 + 3 + 2 + 2
    assert gathered.notes[-1].endswith("isolet 1.00 % (check 1).")  # at k = 3


def test_the_least_training_error_on_the_way_is_a_note():
    watched = course(0, end_of(4.0, 0.8, 0.4, 3.0), end_of(4.0, 0.3, 0.0, 3.0))
    watched["checks"].append({"check": 7} | end_of(4.0, -0.9, 0.0))
    other = course(0, end_of(4.0, 0.8, 0.4, 3.0), end_of(4.0, 0.8, 0.4, 3.0), name="letters")
    del other["checks"][0]["train"]
    notes = courses.figure5(seen([watched, other])).notes
    assert notes[-1].endswith("held out or without: isolet 0.10 % (check 7).")
    assert courses.figure5(seen([other])).notes == notes[:1]


def test_several_metrics_less_one_split_by_split():
    """The differences are -1 and -3; the split that one metric does not have is left out."""
    ends = [(False, 0, 5.0), (True, 0, 4.0), (False, 1, 7.0), (True, 1, 4.0), (True, 2, 90.0)]
    items = [
        course(split, end_of(error, 0.0, 0.0, 3.0), end_of(1.0, 0.0, 0.0, 3.0), by_class)
        for by_class, split, error in ends
    ]
    rows = courses.figure5(seen(items)).rows
    line = of(rows, comparison="several metrics less one metric", measure="test")
    assert (line["ours"], line["error"], line["n"]) == (-2.0, pytest.approx(1.0), 2)


def test_each_split_has_its_own_k():
    """k is that of the least validation error; of equal ones the least, and the most frequent."""
    second = end_of(5.0, 1.0, 0.6, 3.5)
    second["validation"] = {"1": 9.0, "3": 2.0}
    stops = [end_of(4.0, 0.8, 0.4, 3.0), second]
    rows = courses.figure5(
        seen([course(split, stop, stop) for split, stop in enumerate(stops)], "small")
    ).rows
    line = of(rows, training="ends early", measure="test")
    assert line["ours"] == pytest.approx((4.0 + 6.0) / 2) and line["k"] == 1
    assert line["published"] is None


# ------------------------------------------------------------------------ changes of the active set


def changed():
    """Two samples of three step sizes; a step of 0.1 changes next to nothing, and is not near."""
    lows = {1.0: 100.0, 0.3: 109.0, 0.1: 112.0}
    return [
        {"part": "changes", "n": n, "sample": s, "factor": factor}
        | {"changed": 4.5 + s if factor > 0.1 else 0.1, "late": 3.0, "products": 20.0}
        | {"seconds": 90.0, "steps": 7, "objective": lows[factor]}
        for n in (600, 6000)
        for factor in lows
        for s in range(2)
    ]


def test_what_changes_in_a_step():
    found = table1.changes(seen(changed()))
    line = of(found.rows, N=600, measure=table1.CHANGED, step=0.3)
    assert line["ours"] == 5.0 and line["error"] == pytest.approx(0.5) and line["n"] == 2
    assert "7 of them" in found.notes[0]
    # small is the least step near the least objective
    small = [row for row in found.rows if row["step"] == table1.LEAST]
    same = [row for row in found.rows if row["step"] == 0.3]
    assert [row | {"step": 0.3} for row in small] == same and small


# -------------------------------------------------------------------------------- several metrics


def of_runs(name, p, *errors):
    return [
        {"data_set": name, "p": p, "run": run, "error": error, "all": error + 10}
        for run, error in enumerate(errors)
    ]


def test_figure_4_has_means_of_runs_and_differences_run_by_run():
    """1, 2 and 4 have the mean 7/3 and the deviation sqrt(7/3)."""
    items = [*of_runs("isolet", None, 1.0, 2.0, 4.0), *of_runs("isolet", 1, 3.0, 3.0, 3.0)]
    gathered = figure4(seen([*items, *of_runs("wine", 2, 3.0)]))
    rows = gathered.rows
    line = of(rows, metrics="one for each class", voters="points that trained")
    assert (line["ours"], line["n"]) == (2.333, 3)
    assert line["error"] == pytest.approx((7 / 9) ** 0.5)
    assert of(rows, metrics="one for each class", voters="all points")["ours"] == 12.333
    assert of(rows, metrics=2, voters="all points")["error"] is None
    less = of(rows, comparison="one for each class less 1 metric", voters="points that trained")
    assert less["ours"] == pytest.approx(-2 / 3) and less["error"] == pytest.approx((7 / 9) ** 0.5)
    assert gathered.notes[0].startswith("Means of 1 or 3 runs (the paper: 100)")


# ------------------------------------------------------------------------------- what trees gain

WAYS = ["products", "scan", "balls", "small balls", "boxes"]


def gains(*dimensions, n=60_000, scale="paper"):
    """Of 6 s without searches and 2 searches of 2 s by the scan, balls take 1 and 4 s."""
    value = {
        "rest": 6.0,
        "searches": 2,
        "steps": 10,
        "seconds_of": {key: [2.0, 2.0] for key in WAYS} | {"balls": [1.0, 4.0]},
        "built": {key: [0.0, 0.0] for key in WAYS} | {"balls": [0.5, 1.0]},
        "share": {key: [1.0, 1.0] for key in WAYS} | {"balls": [0.5, 0.25]},
    }
    items = [{"n": n, "d": d} | value for d in dimensions]
    gathered = gain.gains(seen(items, scale)).rows
    assert {row["N"] for row in gathered} == {n}
    return {(row["way"], row["measure"], row["dimensions"]): row for row in gathered}


def test_gains_of_the_search_and_of_the_training():
    found = gains(10, 20)
    balls = gain.NAMES["balls"]
    ours = {measure: found[balls, measure, 10]["ours"] for measure in gain.MEASURES}
    assert ours == {
        gain.COUNTED: 3.0,  # 2 and 4
        gain.SEARCH: 1.25,  # 2 and 1/2
        gain.TRAINING: pytest.approx((10 / 8 + 10 / 14) / 2, abs=1e-3),
        gain.OFTEN: pytest.approx((26 / 16 + 26 / 46) / 2, abs=1e-3),  # 10 steps search
        gain.SHARE: pytest.approx(100 * (2 / 8 + 8 / 14) / 2, abs=1e-3),
        gain.OFTEN_SHARE: pytest.approx(100 * (10 / 16 + 40 / 46) / 2, abs=1e-3),
        gain.BUILT: 37.5,  # 50 and 25
    }
    counted = found[balls, gain.COUNTED, 10]
    assert counted["error"] == pytest.approx(1.0) and counted["n"] == 2
    assert found["scan", gain.SHARE, 10]["ours"] == 40.0
    measures = {measure for way, measure, _ in found if way == "scan"}
    assert measures == {gain.SHARE, gain.OFTEN_SHARE}
    assert {measure for way, measure, _ in found if way == "products"} == set(gain.MEASURES[:6])


def test_printed_gains_are_those_of_trainings_by_balls():
    def printed(found):
        return {key: row["published"] for key, row in found.items() if row["published"]}

    balls = gain.NAMES["balls"]
    assert printed(gains(10, 20, 100)) == {
        (balls, gain.OFTEN, 10): 1.9,
        (balls, gain.OFTEN, 100): 1.2,
    }
    assert printed(gains(10, 100, scale="small")) == {} == printed(gains(10, 100, n=6000))


# --------------------------------------------------------------------------------- figures 1 and 3


def test_figure_1_gives_the_bound_and_both_distances():
    value = {"bound": 1.5, "least": 2.25, "neighbour_distance": 0.75, "radius": 3.0}
    gathered = shapes.figure1(Seen([value]))
    assert gathered.rows == [
        row({"quantity": "bound of eq. 7"}, 1.5, std=0),
        row({"quantity": "least distance to a point of the ball"}, 2.25, std=0),
        row({"quantity": "distance to the nearest point of all"}, 0.75, std=0),
    ]
    assert gathered.drawing == value


def test_figure_3_gives_three_errors_and_angles(monkeypatch):
    monkeypatch.setattr(shapes, "DIGITS", (0, 4))
    value = {"several": 1.234, "one": 5.0, "euclidean": 7.006, "points": [[[0.0, 1.0]]]}
    value |= {"centres": [[0.0, 0.0], [1.0, 1.0]]}
    value |= {"metrics": [[[3.0, 0.0], [0.0, 1.0]], [[2.0, -1.0], [-1.0, 2.0]]]}
    gathered = shapes.figure3(Seen([value]))
    assert gathered.rows == [
        row({"quantity": "leave-one-out error, one metric for each digit (%)"}, 1.23, std=0),
        row({"quantity": "leave-one-out error, one metric (%)"}, 5.0, std=0),
        row({"quantity": "leave-one-out error, Euclidean (%)"}, 7.01, std=0),
        row({"quantity": "digit 0, degrees from the line to the nearest centre"}, 45.0, std=0),
        row({"quantity": "digit 4, degrees from the line to the nearest centre"}, 90.0, std=0),
    ]
    assert gathered.drawing == value | {"digits": (0, 4)}


# ---------------------------------------------------------------------------------------- low ranks


def test_a_difference_counts_the_points_that_one_method_gets_wrong():
    """Of 100 points 3 are wrong in one only and 1 in the other: 2 %, with a variance of
    (3 + 1 + 2) / 100 - 0.02^2.
    """
    less, error = low_rank.difference({1, 2, 3, 9}, {9, 10}, 100)
    assert less == pytest.approx(2.0)
    assert error == pytest.approx(100 * (0.0596 / 100) ** 0.5)
    less, error = low_rank.difference({9, 10}, {1, 2, 3, 9}, 100)
    assert less == pytest.approx(-2.0) and error == pytest.approx(100 * (0.0596 / 100) ** 0.5)
    assert low_rank.difference({1}, {1}, 50)[1] > 0


def measured(*wrong, balls=0.5):
    return {
        "error": float(len(wrong)),  # of 100 points
        "wrong": list(wrong),
        "seconds_of": {"scan": [6.0, 8.0], "leaf": [3, 3], "balls": [2, 2], "boxes": [1, 1]},
        "terms": 0.25,
        "balls": balls,
        "boxes": 0.125,
        "leaves": {"16": [4.0, 0.25]},
    }


def of_toy():
    def item(name, rank, value, **more):
        return {"name": name, "rank": rank, "solver": ""} | value | more

    low = measured(1, 2, 3)
    items = [item(low_rank.EUCLIDEAN, 350, measured(1)), item("PCA", 15, low)]
    for solver, eq3 in (("printed", 120.0), ("optimum", 100.0)):
        said = low_rank.SOLVERS[solver]
        training = {"objective": eq3, "steps": 151, "solver": solver}
        items.append(item(f"LMNN, full rank, {said}", 350, measured(1, 2), **training))
        items.append(item(f"LMNN-SVD, {said}", 15, low))
    items.append(item("LMNN-RECT, printed steps", 15, measured(1, 4)))
    return Seen(items, [], "paper")


def rows_of(method, dimensions):
    rows = low_rank.figure2(of_toy()).rows
    keys = {"method": method, "dimensions": dimensions}
    return {row["measure"]: row for row in rows if keys.items() <= row.items()}


def test_errors_and_differences():
    rect = rows_of("LMNN-RECT, printed steps", 15)
    assert rect["test error (%)"]["ours"] == 2.0
    less = {name: rect[f"errors less those of {name} (%)"]["ours"] for name in low_rank.OTHERS}
    assert less == {"PCA": -1.0, "LMNN-SVD": -1.0, "all components": 1.0}
    assert rect["errors less those of PCA (%)"]["n"] == 100
    # of 100 points (2 + 1) / (100 + 2) are taken as wrong
    share = 3 / 102
    assert rect["test error (%)"]["error"] == pytest.approx(10 * (share * (1 - share)) ** 0.5)
    svd = rows_of("LMNN-SVD, optimum", 15)
    assert "errors less those of LMNN-SVD (%)" not in svd
    assert svd["errors less those of all components (%)"]["ours"] == 2.0
    assert not any("less" in measure for measure in rows_of("PCA", 15))
    (absent,) = low_rank.figure2(Seen([], [{"why": "stopped"}], "paper")).rows
    assert absent["why"] == "stopped"


def test_searches_are_ratios_of_one_run():
    """14 s of scan over 4 s of balls; the parts have 3 and 4, whose deviation is sqrt(1/2)."""
    rows = rows_of("Euclidean, all components", 350)
    balls = rows["balls, times as fast as the scan"]
    assert (balls["ours"], balls["n"]) == (3.5, 2)
    assert balls["error"] == pytest.approx(0.5)
    assert rows["boxes, times as fast as the scan"]["ours"] == 7.0
    assert rows["balls, times as fast as one leaf"]["ours"] == 1.5
    counts = {measure: rows[measure]["ours"] for measure, _ in low_rank.COUNTS}
    assert list(counts.values()) == [50.0, 12.5, 25.0]
    assert rows[low_rank.FEWER]["ours"] == 0.5
    assert rows["balls, leaves of 16, times fewer points than a scan"]["ours"] == 4.0
    assert rows["balls, leaves of 16, times as fast as the scan"]["ours"] == 3.5


def test_the_note_says_how_far_the_steps_come():
    notes = low_rank.figure2(of_toy()).notes
    assert notes[1] == "The 151 printed steps of the full metric end 20 % above its optimum."
    assert len(low_rank.figure2(Seen(of_toy().items[:2])).notes) == 1
