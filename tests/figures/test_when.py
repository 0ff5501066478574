"""The comparison that every paper's entry `when` uses, and that of Boosted Distance.

Estimators and answers are made up. Not tested: how much time and memory a learner takes.
"""

import numpy as np
import pytest
from boosted_distance_errors import FIGURES

from paper_figures import data, when
from paper_figures.boosted_distance import when as of_boosted_distance
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
        "M errs less than every other learner, beyond chance, on won; no other errs less on even; "
        "at least one errs less on lost."
    ]


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
    monkeypatch.setattr(when, "compare", compare)
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
