"""FTUNE with one slope, and DSELECT beside random landmarks: the tasks, and differences in rows.

Not here: the claims (test_judge.py), and how many tasks a figure has
(test_figures_ftune.py).
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from toy_sets import provide

from paper_figures.ftune import tasks, trials
from paper_figures.tasks import Context, Result
from paper_figures.tasks import TaskJob as Job
from refimpl.ftune import SLOPES, FTuneOptions, dselect, ftune, random_landmarks

N, D = 90, 5
PAPER = Context(scale="paper")
CLASSES = {"ftune toy": 3, "ftune two": 2}


def points(classes):
    rng = np.random.default_rng(classes)
    y = np.arange(N) % classes
    return rng.normal(size=(N, 3)) + 0.9 * (y[:, None] == [0, 1, 2]), y


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    for name, classes in CLASSES.items():
        provide(monkeypatch, name, *points(classes))


@pytest.fixture
def job():
    return Job(0, "reference", None, tuple(CLASSES))


def params_of(name):
    return {"data_set": name, "preparation": "raw", "d": D, "run": 1}


class Split:
    """The similarities of a run from training, validation and test objects to training objects."""

    def __init__(self, job, name):
        X, y = points(CLASSES[name])
        order = job.rng_for("split", name, 1).permutation(N)
        parts = np.split(order, [45, 63])
        width = pdist(X[parts[0]]).mean()
        S = np.exp(-(cdist(X, X) ** 2) / width**2)
        self.K, self.V, self.Q = (S[np.ix_(part, parts[0])] for part in parts)
        self.y, self.v, self.q = (y[part] for part in parts)
        self.rng = lambda what: job.rng_for(what, name, D, 1)

    def fresh(self):
        return random_landmarks(self.y, D, rng=self.rng("pairs"))

    def common(self):
        return random_landmarks(self.y, D, rng=self.rng("landmarks"), pool=True)

    def right(self, train, landmarks, **options):
        how = {"validation": (self.V, self.v), "options": FTuneOptions(**options)}
        return np.mean(train(self.K, self.y, landmarks, **how).predict(self.K, self.Q) == self.q)


# ------------------------------------------------------------------------------------------ tasks


def test_one_slope_alone_and_dselect_have_the_pairs_of_table_2(job):
    value = tasks.transfer(job, **params_of("ftune toy"))
    split = Split(job, "ftune toy")
    fresh = split.fresh()
    diverse = dselect(split.K, split.y, D, rng=split.rng("dselect"))
    each = dselect(split.K, split.y, D, rng=split.rng("dselect"), per_problem=True)
    assert value["accuracies"] == {
        "FTUNE-S, slope 1 alone": split.right(ftune, fresh, family=1.0),
        "FTUNE-S, slope 1,000 alone": split.right(ftune, fresh, family=1000.0),
        "FTUNE+D-S": split.right(ftune, diverse),
        "FTUNE+DP-S": split.right(ftune, each),
    }
    assert value["chosen"].keys() == {"FTUNE+D-S", "FTUNE+DP-S"}
    assert all(set(slopes) <= set(SLOPES) for slopes in value["chosen"].values())


def test_two_classes_make_one_problem_for_dselect(job):
    value = tasks.transfer(job, **params_of("ftune two"))
    assert value["accuracies"].keys() == {
        "FTUNE-S, slope 1 alone", "FTUNE-S, slope 1,000 alone", "FTUNE+D-S",
    }  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_pairs_of_random_landmarks_are_those_of_bbs(job, name):
    split = Split(job, name)
    value = tasks.with_random_landmarks(job, **params_of(name))
    assert value["accuracies"] == {tasks.OF_RANDOM: split.right(ftune, split.common())}


# ------------------------------------------------------------------------------------------- rows


def test_differences_are_taken_split_by_split():
    """0.2 and 0.4 have the mean 0.3 and the deviation sqrt(0.02); a run without one is left out."""
    runs = [{"BBS+D": 0.7, "BBS": 0.5}, {"BBS+D": 0.9, "BBS": 0.5}, {"BBS": 0.1}]
    found = [
        Result("accuracies", {"data_set": "wine", "d": 30, "run": run}, {"accuracies": of})
        for run, of in enumerate(runs)
    ]
    (line,) = trials.differences(PAPER, found).rows
    assert line == {
        "data_set": "wine",
        "landmarks": 30,
        "method": "BBS+D",
        "minus": "BBS",
        "published": None,
        "ours": 0.3,
        "std": pytest.approx(0.02**0.5),
        "repetitions": 2,
    }


def test_differences_are_taken_within_a_preparation():
    """A set is in figure 1 as a matrix and in table 2 with standardised columns."""
    found = [
        Result("accuracies", {"data_set": "wine", "preparation": p, "d": 30, "run": run}, of)
        for p, runs in {
            "rows": [{"FTUNE-S": 0.9, "BBS": 0.8}, {"FTUNE-S": 0.9, "BBS": 0.7}],
            "standardised": [{"FTUNE-S": 0.5, "BBS": 0.9}],
        }.items()
        for run, of in enumerate({"accuracies": a} for a in runs)
    ]
    lines = trials.differences(PAPER, found).rows
    assert [(line["data_set"], line["method"], line["minus"]) for line in lines] == [
        ("wine (rows)", "FTUNE-S", "BBS"),
        ("wine (standardised)", "FTUNE-S", "BBS"),
    ]
    assert [line["ours"] for line in lines] == pytest.approx([0.15, -0.4])
    assert lines[0]["repetitions"] == 2 and "repetitions" not in lines[1]


def test_transfer_joins_both_tasks_of_a_run():
    def found(task, run, chosen, **accuracies):
        params = {"data_set": "wine", "d": 30, "run": run}
        named = {name.replace("_", "-"): value for name, value in accuracies.items()}
        return Result(task, params, {"accuracies": named, "chosen": chosen})

    one = found("accuracies", 0, {"FTUNE-S": [5.0, 5.0]}, FTUNE_S=0.75)
    alone = {"FTUNE-S, slope 1 alone": 0.5}
    two = Result("transfer", one.params, {"accuracies": alone, "chosen": {}})
    gathered = trials.transfer(PAPER, [one, two, found("accuracies", 1, {"FTUNE-S": [1.0]})])
    lines = [(line["method"], line["minus"], line["ours"]) for line in gathered.rows]
    assert lines == [
        ("FTUNE-S", "-", 0.75),
        ("FTUNE-S, slope 1 alone", "-", 0.5),
        ("FTUNE-S", "FTUNE-S, slope 1 alone", 0.25),
    ]
    assert gathered.notes[1:] == [
        "FTUNE-S with 30 landmarks chooses the slope 1 in 1, the slope 5 in 1 of 2 runs."
    ]


def test_dselect_stands_beside_as_many_random_landmarks():
    """0.75 - 0.5 and 0.5 - 0.5 have the mean 0.125; FTUNE-S with other pairs is left out."""

    def found(task, run, **accuracies):
        params = {"data_set": "wine", "d": 30, "run": run}
        names = {"D": "FTUNE+D-S", "S": "FTUNE-S", "R": tasks.OF_RANDOM}
        of = {names.get(name, name): value for name, value in accuracies.items()}
        return Result(task, params, {"accuracies": of})

    gathered = trials.equal(
        PAPER,
        [
            found("accuracies", 0, BBS=0.5, D=0.75, S=1.0),
            found("accuracies", 1, BBS=0.5, D=0.5, S=1.0),
            found("random_landmarks", 0, R=0.5),
            found("random_landmarks", 1, R=0.5),
        ],
    )
    lines = [(line["method"], line["minus"], line["ours"]) for line in gathered.rows]
    assert lines == [
        ("BBS", "-", 0.5),
        ("FTUNE+D-S", "-", 0.625),
        (tasks.OF_RANDOM, "-", 0.5),
        ("FTUNE+D-S", tasks.OF_RANDOM, 0.125),
    ]
    assert gathered.rows[-1]["repetitions"] == 2


@pytest.mark.parametrize(
    ("reduce", "keys"),
    [
        (trials.equal, ("data_set", "landmarks", "method", "minus")),
        (trials.transfer, ("data_set", "landmarks", "method", "minus")),
        (trials.differences, ("data_set", "landmarks", "method", "minus")),
    ],
)
def test_without_any_result_the_first_row_says_why(reduce, keys):
    (line,) = reduce(PAPER, [Result("t", {"data_set": "x", "d": 3}, None, "no such file")]).rows
    assert {key: line[key] for key in keys} == dict.fromkeys(keys) | {"data_set": "all"}
    assert line["why"] == "no such file" and line["ours"] is None
