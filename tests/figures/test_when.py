"""The comparison that every paper's entry `when` uses, and that of Boosted Distance.

Estimators and answers are made up. Not tested: how much time and memory a learner takes.
"""

import numpy as np
import pytest
from boosted_distance_errors import FIGURES

from paper_figures import data
from paper_figures.boosted_distance import when as of_boosted_distance
from paper_figures.comparisons import learners, plots, when
from paper_figures.data import DataSet
from paper_figures.registry import Context, Job, Result

JOB = Job(0, {"task": "t"}, "reference", None, ("a",))
LABELS = np.array([0] * 20 + [1] * 8 + [2] * 2)
LOADED = DataSet("a", np.arange(60.0).reshape(30, 2), LABELS, {0: "x", 1: "y", 2: "z"})


class Always:
    """An estimator that gives every query the same label."""

    def __init__(self, label):
        self.label = label

    def fit(self, X, y):
        self.n = len(X)

    def predict(self, Q):
        return np.full(len(Q), self.label)


def test_split_has_two_of_each_class_and_no_vector_twice():
    train, test = when.split(JOB, LOADED, 3, 10, 8)
    assert len(train) == 10 and len(test) == 8
    assert len(set(train) | set(test)) == 18
    assert (LABELS[train] == 2).sum() == 2 and (LABELS[train] == 1).sum() >= 2
    again, _ = when.split(JOB, LOADED, 3, 10, 8)
    other, _ = when.split(JOB, LOADED, 4, 10, 8)
    assert train.tolist() == again.tolist() != other.tolist()


def test_a_small_set_is_tested_on_what_is_left():
    train, test = when.split(JOB, LOADED, 0, 12, 1000)
    assert sorted([*train, *test]) == list(range(30))
    least, _ = when.split(JOB, LOADED, 0, 1, 5)
    assert len(least) == 6  # two of each of three classes


def test_measured_errors_by_hand():
    truth = np.array([0, 0, 0, 1])
    said = when.measure(Always(0), np.ones((3, 1)), np.zeros(3), np.ones((4, 1)), truth)
    assert said["error"] == 25.0 and said["balanced"] == 50.0
    assert said["fit"] >= 0.0 and said["ask"] >= 0.0 and said["model"] > 0.0
    assert said["peak"] is None or said["peak"] >= 0.0


def test_all_learners_get_the_same_split_and_seed():
    seeds = []

    def maker(label):
        def make(seed):
            seeds.append(seed)
            return Always(label)

        return make

    learners = {"zero": maker(0), "one": maker(1)}
    said = when.compare(JOB, LOADED, 0, learners, n_train=10, n_test=20)
    _, test = when.split(JOB, LOADED, 0, 10, 20)
    shares = [100 * (LABELS[test] != label).mean() for label in (0, 1)]
    assert [said[name]["error"] for name in learners] == shares
    assert seeds[0] == seeds[1]


@pytest.mark.parametrize("name", when.LEARNERS)
def test_learners_learn(name):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 3)) + 4.0 * y[:, np.newaxis]
    model = when.LEARNERS[name](1)
    assert (model.fit(X, y).predict(X) == y).mean() > 0.9


def run(method, other):
    """Return what compare gives, with these errors."""
    fields = {"balanced": 1.0, "fit": 2.0, "ask": 3.0, "model": 4.0, "peak": None}
    return {"M": {"error": method} | fields, "O": {"error": other} | fields}


def test_rows_by_hand():
    runs = {
        "won": [run(1.0, 3.0), run(1.0, 4.0)],
        "lost": [run(6.0, 3.0), run(5.0, 4.0), run(6.0, 4.0)],
        "even": [run(1.0, 2.0), run(2.0, 1.0)],
    }
    results = [Result("when", {"data_set": n}, {"runs": of_set}) for n, of_set in runs.items()]
    results.append(Result("when", {"data_set": "gone"}, None, "no file"))
    found = when.gathered(results, "M")

    def row(**keys):
        (only,) = [r for r in found.rows if all(r[k] == v for k, v in keys.items())]
        return only

    won = row(data_set="won", learner="O", quantity=when.LESS)
    assert won["ours"] == 2.5 and won["std"] == pytest.approx(0.5**0.5) and won["repetitions"] == 2
    assert row(data_set="lost", learner="M", quantity=when.ERROR)["ours"] == pytest.approx(17 / 3)
    assert row(data_set="won", learner="O", quantity=when.FIT)["ours"] == 2.0
    assert not [r for r in found.rows if r["quantity"] == when.PEAK]  # the system did not tell
    assert row(data_set="all sets", learner="O", quantity=when.WINS)["ours"] == 1
    assert row(data_set="all sets", learner="O", quantity=when.LOSSES)["ours"] == 1
    assert row(data_set="gone")["why"] == "no file"
    assert found.notes == [
        "M errs less than every rival, beyond chance, on won; no rival errs less on even; at least "
        "one errs less on lost.",
        "Take M when the data are like won: it errs less than every rival. On even others err as "
        "little, and none of its costs is the least. Take another on lost: O errs less on 1 of 1.",
    ]


def test_another_form_of_the_method_is_no_rival():
    run = {"error": 0.0, "balanced": 1.0, "fit": 2.0, "ask": 3.0, "model": 4.0, "peak": None}
    errors = {"M": (5.0, 5.5), "F": (1.0, 1.0), "O": (3.0, 4.0)}
    runs = [{name: run | {"error": pair[i]} for name, pair in errors.items()} for i in (0, 1)]
    found = when.gathered([Result("when", {"data_set": "a"}, {"runs": runs})], "M", ("F",))
    of_form = [r for r in found.rows if r["quantity"] == when.less_than("F", "M")]
    assert {r["learner"]: r["ours"] for r in of_form} == {"M": 4.25, "O": 2.5}
    of_method = [r for r in found.rows if r["quantity"] == when.LESS]
    assert {r["learner"]: r["ours"] for r in of_method} == {"F": -4.25, "O": -1.75}
    counts = {(r["quantity"], r["learner"]): r["ours"] for r in found.rows if r["data_set"] != "a"}
    assert counts == {
        (when.WINS, "O"): 0,
        (when.LOSSES, "O"): 1,
        (when.WINS.replace("the method", "F"), "O"): 1,
        (when.LOSSES.replace("the method", "F"), "O"): 0,
    }
    assert found.notes[1] == (
        "Take M on none of these sets. Take another on a: O errs less on 1 of 1. Its other form "
        "(F) errs less on a."
    )
    assert found.notes[3] == "Take F when the data are like a: it errs less than every rival."


def test_a_method_that_is_as_good_is_taken_for_what_it_costs_least():
    fields = {"error": 1.0, "balanced": 1.0, "peak": None}
    runs = [
        {
            "M": fields | {"fit": 2.0, "ask": 1.0, "model": 1.0},
            "slow": fields | {"fit": 1.0, "ask": 2.0, "model": 2.0},
            "worse": fields | {"error": worse, "fit": 1.0, "ask": 0.5, "model": 3.0},
        }
        for worse in (9.0, 9.5)
    ]
    notes = when.gathered([Result("when", {"data_set": "a"}, {"runs": runs})], "M").notes
    assert notes[1] == (
        "Take M when the data are like a: others err as little, but it answers fastest and has the "
        "smallest model."
    )


def test_the_sentence_says_which_property_parts_the_sets():
    def standing(sign, classes, columns):
        return when.Standing({"O": sign}, (), {"classes": classes, "columns": columns})

    standings = {
        "a": standing(1, 20, 5),
        "b": standing(1, 12, 7),
        "c": standing(-1, 3, 7),
        "d": standing(-1, 11, 90),
    }
    assert when.take_it_when(standings, "M") == (
        "Take M when the data are like a, b: it errs less than every rival. Take another on c, d: "
        "O errs less on 2 of 2. Of these sets, those where no other is ahead have 12 classes or "
        "more; the others do not."
    )
    parts = when.border(standings, ["a", "c"], ["b", "d"])  # neither property parts these
    assert parts == []
    fewer = when.border({"a": standings["a"], "b": standings["c"]} | standings, ["a", "b"], ["d"])
    assert fewer == []  # one set is no side
    across = standings | {"e": standing(-1, 15, 7)}
    assert when.border(across, ["a", "b"], ["c", "e"]) == []  # 12 and 20 beside 3 and 15
    assert when.take_it_when({}, "M").startswith("Nothing is measured")


def test_the_picture_has_a_mark_for_each_learner_and_set():
    from matplotlib.figure import Figure

    rows = [
        {"data_set": name, "learner": learner, "quantity": when.LESS, "ours": ours, "std": None}
        for name, learner, ours in (("a", "O", 1.0), ("a", "P", -2.0), ("b", "P", 30.0))
    ]
    rows.append({"data_set": "gone", "learner": "all", "quantity": when.ERROR, "ours": None})
    figure = Figure()
    plots.draw_errors({"rows": rows}, figure)
    (axis,) = figure.axes
    marks = [line.get_xdata().tolist() for line in axis.lines if line.get_marker() in "os"]
    assert marks == [[1.0], [-2.0, 30.0]]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["a", "b"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["O", "P"]
    assert "gone is left out" in legend.get_title().get_text()
    empty = Figure()
    plots.draw_errors({"rows": rows[3:]}, empty)
    assert not empty.axes


def test_a_call_is_measured():
    spent = learners.spent(lambda: sum(range(1000)))
    assert spent.value == 499500 and spent.seconds >= 0.0
    assert spent.peak is None or spent.peak >= 0.0
    assert learners.described(LOADED, 12) == {"classes": 3, "columns": 2, "training points": 12}


def test_two_standard_errors_are_beyond_chance():
    # 2.05 beside an error of 1.05, 1.95 beside 0.95, -2.5 beside 0.5
    pairs = ([1.0, 3.1], [1.0, 2.9], [-3.0, -2.0])
    assert [when.beyond_chance(np.array(pair)) for pair in pairs] == [0, 1, -1]
    assert when.beyond_chance(np.array([1.0, 3.0, 2.0, 2.0])) == 1
    assert when.beyond_chance(np.array([9.0])) == 0


def test_boosted_distance_is_compared_with_its_own_training_sizes(monkeypatch):
    seen = []

    def compare(job, loaded, repetition, learners, *, n_train, n_test):
        seen.append((loaded.name, repetition, list(learners), n_train, n_test))
        return {}

    names = ("sonar", "letters", "MNIST")
    sets = {name: DataSet(name, LOADED.X, LABELS, LOADED.classes) for name in names}
    monkeypatch.setattr(data, "load", lambda name, data_dir, **options: sets[name])
    monkeypatch.setattr(learners, "compare", compare)
    for name in names:
        of_boosted_distance.compare(
            Job(0, {}, "reference", None, (name,)),
            data_set=name,
            options={},
            repetitions=[4],
            rounds=10,
            learners=["SVC"],
        )
    own = ["Boosted Distance", "SVC"]
    assert seen == [
        ("sonar", 4, own, 6, 1000),
        ("letters", 4, own, 300, 1000),
        ("MNIST", 4, own, 200, 1000),
    ]


def test_tasks_of_boosted_distance():
    tasks = FIGURES["when"].tasks(Context(scale="paper"))
    assert len(tasks) == (13 + 6) * 4
    assert {t.params["data_set"] for t in tasks} >= {"MNIST", "sonar", *when.OTHERS}
    assert not {t.params["data_set"] for t in tasks} & {"ad", "gender"}
