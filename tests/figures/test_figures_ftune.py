"""The tasks of FTUNE's figures on small sets: which split, similarities, landmarks and options.

Trainings are those of `refimpl.ftune`, on matrices of similarities that are computed here. The rows
and drawings are in test_figures_ftune_results.py.
"""

import numpy as np
import pytest
from agreement import KERNELS
from figure_runs import require_missing_is_said
from scipy.spatial.distance import cdist, pdist
from toy_sets import provide
from whole_figures import make_every_figure

from paper_figures.ftune import figures, pairs, tasks
from paper_figures.tasks import Context, Result
from paper_figures.tasks import TaskJob as Job
from refimpl.ftune import CS, FTuneOptions, bbs, dselect, ftune, random_landmarks
from refimpl.rivals.dboost import dboost

N, D = 90, 5
VECTORS = {"data_set": "ftune toy", "preparation": "standardised", "d": D, "run": 1}
MATRIX = VECTORS | {"data_set": "ftune matrix", "preparation": "matrix"}
TWO = VECTORS | {"data_set": "ftune two"}


def toy_points(classes):
    """Return points of overlapping classes in columns of unequal spread, one of them constant."""
    rng = np.random.default_rng(classes)
    y = rng.permutation(np.arange(N) % classes) * 10
    X = rng.normal(size=(N, 5)) * [1.0, 10.0, 0.1, 1.0, 0.0] + 3.0
    X[:, 0] += 1.2 * (y > 0)
    X[:, 2] += 0.12 * (y > 10)
    return X, y


def toy_matrix():
    """Return similarities with a negative spectrum, between 0 and 1, and the classes."""
    X, y = toy_points(3)
    distances = cdist(X, X, "cityblock")
    return 1 - (distances / distances.max()) ** 3, y


POINTS = {"ftune toy": toy_points(3), "ftune two": toy_points(2), "ftune matrix": toy_matrix()}


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    for name, (X, y) in POINTS.items():
        provide(monkeypatch, name, X, y)


@pytest.fixture(params=["reference", "fast"][: len(KERNELS)])
def job(request):
    return Job(0, request.param, None, tuple(POINTS))


@pytest.fixture
def fastest():
    return Job(0, "fast" if len(KERNELS) > 1 else "reference", None, tuple(POINTS))


class Split:
    """The similarities of a run, as matrices: K, V and Q from training, validation and test objects
    to training objects.
    """

    def __init__(self, job, params):
        X, y = POINTS[params["data_set"]]
        preparation = params["preparation"]
        order = job.rng_for("split", params["data_set"], params["run"]).permutation(N)
        first, second = (63, 72) if preparation in ("matrix", "cityblock") else (45, 63)
        train, validation, test = order[:first], order[first:second], order[second:]
        if preparation == "standardised":
            X = np.delete((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9), 4, axis=1)
        if preparation == "matrix":
            S = X
        elif preparation == "cityblock":
            S = 1 - cdist(X, X, "cityblock") / pdist(X, "cityblock").max()
        else:
            mean = pdist(X[train]).mean()
            S = np.exp(-(cdist(X, X) ** 2) / mean**2)
        self.K, self.V, self.Q = (S[np.ix_(part, train)] for part in (train, validation, test))
        self.y, self.v, self.q = y[train], y[validation], y[test]
        self.key = params["data_set"], params["d"], params["run"]
        self.d = params["d"]
        self.job = job

    def rng(self, name):
        return self.job.rng_for(name, *self.key)

    def pool(self):
        return random_landmarks(self.y, self.d, rng=self.rng("landmarks"), pool=True)

    def fresh(self):
        return random_landmarks(self.y, self.d, rng=self.rng("pairs"))

    def diverse(self, **how):
        return dselect(self.K, self.y, self.d, rng=self.rng("dselect"), **how)

    def right(self, model):
        return np.mean(model.predict(self.K, self.Q) == self.q)

    def bbs(self, L=None, **options):
        L = self.pool().L[: self.d] if L is None else L
        options = FTuneOptions(**options)
        return self.right(bbs(self.K, self.y, L, validation=(self.V, self.v), options=options))

    def trained(self, landmarks, **options):
        return ftune(
            self.K, self.y, landmarks, validation=(self.V, self.v), options=FTuneOptions(**options)
        )

    def ftune(self, landmarks, **options):
        return self.right(self.trained(landmarks, **options))

    def dboost(self, **how):
        return self.right(dboost(self.K, self.y, self.d, rng=self.rng("dboost"), **how))


def different(landmarks):
    return len({*np.ravel(landmarks.plus)} | {*np.ravel(landmarks.minus)})


# --------------------------------------------------------------------------------- tables 1 and 2


@pytest.mark.parametrize("preparation", ["standardised", "raw", "cityblock"])
def test_accuracies_of_all_methods(fastest, preparation):
    params = VECTORS | {"preparation": preparation}
    value = tasks.accuracies(fastest, **params, methods=figures.MATRIX_METHODS)
    split = Split(fastest, params)
    fresh, diverse, each = split.fresh(), split.diverse(), split.diverse(per_problem=True)
    assert value["accuracies"] == {
        "BBS": split.bbs(),
        "BBS+D": split.bbs(diverse.L[:D]),
        "FTUNE-S": split.ftune(fresh),
        "FTUNE-M": split.ftune(fresh, per_class=True),
        "FTUNE+D-S": split.ftune(diverse),
        "FTUNE+D-M": split.ftune(diverse, per_class=True),
        "FTUNE+DP-S": split.ftune(each),
        "DBOOST": split.dboost(),
    }
    for name, landmarks, per_class in (
        ("FTUNE-S", fresh, False),
        ("FTUNE-M", fresh, True),
        ("FTUNE+D-S", diverse, False),
        ("FTUNE+DP-S", each, False),
    ):
        model = split.trained(landmarks, per_class=per_class)
        assert list(value["chosen"][name]) == [model.slopes[f] for f in model.f]
        assert value["compared"][name] == different(landmarks)
    assert value["compared"]["BBS"] == D and value["compared"]["BBS+D"] == min(D, len(diverse.L))
    assert (value["n"], value["classes"]) == (63 if preparation == "cityblock" else 45, 3)


def test_only_the_methods_that_are_asked_for_are_trained(fastest, monkeypatch):
    value = tasks.accuracies(fastest, **TWO, methods=("FTUNE-M",))
    split = Split(fastest, TWO)
    assert value["accuracies"] == {"FTUNE-M": split.ftune(split.fresh(), per_class=True)}
    assert value["chosen"].keys() == value["compared"].keys() == {"FTUNE-M"}
    assert value["classes"] == 2
    value = tasks.accuracies(fastest, **TWO, methods=("BBS+D",))
    assert value["accuracies"] == {"BBS+D": split.bbs(split.diverse().L[:D])}

    value = tasks.accuracies(fastest, **TWO, methods=("FTUNE+DP-S",))
    assert value["accuracies"] == {}  # two classes make one problem: that is FTUNE+D-S

    def unwanted(*arguments, **options):
        raise AssertionError("no method needs diverse landmarks")

    monkeypatch.setattr(tasks, "dselect", unwanted)
    value = tasks.accuracies(fastest, **TWO, methods=("BBS", "DBOOST"))
    assert value["accuracies"] == {"BBS": split.bbs(), "DBOOST": split.dboost()}


def test_there_are_no_more_landmarks_than_training_objects(fastest):
    params = TWO | {"d": 60}
    value = tasks.accuracies(fastest, **params, methods=("BBS", "BBS+D"))
    split = Split(fastest, params)
    assert value["compared"] == {"BBS": 45, "BBS+D": len(split.diverse().L[:60])}


def test_pairs_of_both_kinds_and_scales(fastest):
    value = pairs.pairs(fastest, **VECTORS)
    split = Split(fastest, VECTORS)
    few, fresh = split.pool(), split.fresh()
    divided = {"bias": float(D), "C": [C / D**2 for C in CS]}
    assert {tuple(line[:-1]): line[-1] for line in value["accuracies"]} == {
        ("BBS", "-", "1"): split.bbs(),
        ("FTUNE-S", "of d landmarks", "1"): split.ftune(few),
        ("FTUNE-S", "fresh for each class", "1"): split.ftune(fresh),
        ("BBS", "-", "d"): split.bbs(**divided),
        ("FTUNE-S", "of d landmarks", "d"): split.ftune(few, **divided),
        ("FTUNE-S", "fresh for each class", "d"): split.ftune(fresh, **divided),
    }
    assert len(value["accuracies"]) == 6
    assert value["compared"] == {"of d landmarks": D, "fresh for each class": different(fresh)}


# ---------------------------------------------------------------------------------------- the whole


def test_every_figure_is_made_of_what_its_tasks_return(fastest):
    def made(task, params, **more):
        params = params | more
        return Result(task.__name__, params, task(fastest, **params))

    table1 = [made(tasks.accuracies, MATRIX, methods=figures.MATRIX_METHODS, run=r) for r in (0, 1)]
    table2 = [made(tasks.accuracies, TWO, methods=figures.FOUR, run=r) for r in (0, 1)]
    random = made(tasks.with_random_landmarks, MATRIX)
    results_of = {
        "table1": table1,
        "figure1": table1,
        "table2": table2,
        "figure2": table2,
        "pairs": [made(pairs.pairs, TWO)],
        "splits": table1 + table2,
        "transfer": [*table2, made(tasks.transfer, TWO)],
        "equal": [*table1, Result("random_landmarks", random.params, random.value)],
    }
    make_every_figure(figures.PAPER, results_of)


# ---------------------------------------------------------------------------------------- the lists


def test_what_is_missing_is_said():
    require_missing_is_said(figures.PAPER.figures)


COUNTS = {  # at the small scale: 3 runs, 2 sizes; at the paper's: 200 or 20 runs, 2 sizes
    "table1": (2 * 2 * 3, 3 * 2 * 200),
    "figure1": (2 * 3 * 3, 3 * 5 * 200),
    "table2": (2 * 2 * 3, 12 * 2 * 20),
    "figure2": (2 * 3 * 3, 4 * 5 * 20),
    "splits": (2 * 3 * 3 + 2 * 2 * 3, 3 * 5 * 200 + 12 * 2 * 20),
    "transfer": (2 * 2 * 2, 12 * 2 * 5 * 2),
    "equal": (2 * 2 * 3 * 2, 3 * 2 * 200 * 2),
    "pairs": (2 * 2 * 3, 12 * 2 * 20),
}


def test_the_tasks_of_every_figure():
    for figure in figures.PAPER.figures:
        for scale, count in zip(("small", "paper"), COUNTS[figure.name], strict=True):
            tasks_of = figure.tasks(Context(scale=scale))
            assert len(tasks_of) == count, (figure.name, scale)
            assert len({(task.name, str(dict(task.params))) for task in tasks_of}) == count
            assert all(task.data == (task.params["data_set"],) for task in tasks_of)


def test_the_papers_methods_and_sizes():
    of = {f.name: f.tasks(Context(scale="paper")) for f in figures.PAPER.figures}
    every = {name: [dict(task.params) for task in of[name]] for name in of}
    assert {params["d"] for params in every["table1"] + every["table2"]} == {30, 300}
    assert {params["d"] for params in every["figure1"]} == {30, 50, 100, 200, 300}
    assert {params["d"] for params in every["pairs"]} == {30, 300}
    assert {params["d"] for params in every["equal"]} == {30, 50}
    assert {params["methods"] for params in every["table1"]} == {figures.MATRIX_METHODS}
    assert {params["methods"] for params in every["table2"]} == {figures.FOUR}
    assert {params["preparation"] for params in every["table2"]} == {"standardised"}
    assert sorted({params["run"] for params in every["table1"]}) == list(range(200))
    assert sorted({params["run"] for params in every["table2"]}) == list(range(20))
