"""When LMNN pays: the learners, their choices by one rule, the tasks and the rows.

Points are made up. Not tested: how much time and memory a learner takes, and the shared rows
(`test_when.py`).
"""

import numpy as np
import pytest

from paper_figures import data
from paper_figures.comparisons import learners
from paper_figures.data import DataSet
from paper_figures.lmnn import PAPER, when, when_results
from paper_figures.lmnn.scaled import Scaled, normalised
from paper_figures.registry import Context, Job, Result

FIGURE = next(figure for figure in PAPER.figures if figure.name == "when")


def blobs(n=60, columns=3):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, columns)) + 4.0 * y[:, np.newaxis], y


@pytest.mark.parametrize("name", when.LEARNERS)
def test_learners_learn(name):
    X, y = blobs()
    steps = [] if name == when.BOOSTING else when.preparation("as they are", False)
    model = when.LEARNERS[name]("reference", steps, 1)
    assert (model.fit(X, y).predict(X) == y).mean() > 0.9


def test_what_each_learner_chooses_among():
    grids = {}
    for name, make in when.LEARNERS.items():
        model = make("reference", when.preparation("as they are", True), 0)
        grids[name] = getattr(model, "param_grid", None)
        if grids[name]:
            assert model.cv.test_size == 0.25 and model.cv.n_splits == 1
    both = ("lmnn__n_neighbors", "kneighborsclassifier__n_neighbors")
    assert grids[when.METHOD] == [{key: [k] for key in both} for k in (1, 3, 5)]
    assert grids[when.SEVERAL] == {"multimetriclmnn__n_neighbors": (1, 3, 5)}
    assert grids["k-NN"] == grids["LDA, k-NN"] == {"kneighborsclassifier__n_neighbors": (1, 3, 5)}
    assert len(grids["NCA, k-NN"]) == 5
    assert grids["SVC"] == {"svc__C": (0.1, 1.0, 10.0, 100.0)}


def test_the_held_out_quarter_decides():
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 1))
    y = (X[:, 0] > 0).astype(int)
    y[rng.permutation(1000)[:200]] ^= 1  # one vote errs more than many
    model = when.chosen(KNeighborsClassifier(), {"n_neighbors": (1, 31)}, 0).fit(X, y)
    assert model.best_params_ == {"n_neighbors": 31}
    assert len(model.cv_results_["params"]) == 2


def test_images_and_units_by_hand():
    X = np.array([[1.0, 3.0], [5.0, 5.5]])
    np.testing.assert_allclose(normalised(X), [[-(0.5**0.5), 0.5**0.5]] * 2)
    points = np.array([[3.0, 4.0], [0.0, 5.0]])  # both of length 5
    np.testing.assert_allclose(Scaled(10.0).fit(points).transform(points), 2 * points)
    assert len(when.preparation("normalised", True)) == 3
    assert len(when.preparation("as they are", True)) == 2


def test_a_task_measures_the_learners_on_its_splits(monkeypatch):
    seen = []

    def compare(job, loaded, repetition, makers, *, n_train, n_test):
        steps = {name: make(0) for name, make in makers.items()}
        trees = steps[when.BOOSTING].estimator
        seen.append((loaded.name, repetition, n_train, n_test, len(trees.steps)))
        return {"run": repetition}

    X, y = blobs(90, 201)
    sets = {
        "wide": DataSet("wide", X, y, {0: "a", 1: "b"}),
        "few": DataSet("few", X[:, :5], y, {0: "a", 1: "b"}),
    }
    monkeypatch.setattr(data, "load", lambda name, data_dir: sets[name])
    monkeypatch.setattr(learners, "compare", compare)
    for name in sets:
        value = when.compare(
            Job(0, {}, "reference", None, (name,)),
            data_set=name,
            images="as they are",
            on_components=True,
            repetitions=[3, 4],
            n_train=1000,
            n_test=7,
            learners=[when.METHOD, when.BOOSTING],
        )
        assert value["runs"] == [{"run": 3}, {"run": 4}]
    assert value["about"] == {"classes": 2, "columns": 5, "training points": 60}
    # two thirds train; boosting gets components of many columns, and few columns as they are
    assert seen[0] == ("wide", 3, 60, 7, 3) and seen[2] == ("few", 3, 60, 7, 1)


def test_tasks():
    tasks = when.tasks(Context(scale="paper"))
    assert len(tasks) == 11 * 4
    of_paper = {"MNIST-10", "letters", "isolet", "yalefaces", "20news"}
    assert of_paper <= {task.params["data_set"] for task in tasks}
    drawn = [r for t in tasks if t.params["data_set"] == "isolet" for r in t.params["repetitions"]]
    assert drawn == list(range(20))


def test_rows():
    run = {"balanced": 1.0, "fit": 2.0, "ask": 3.0, "model": 4.0, "peak": 5.0}
    errors = {when.METHOD: 4.0, when.SEVERAL: 3.0, "SVC": 2.0}
    runs = [
        {name: run | {"error": error + shift} for name, error in errors.items()} for shift in (0, 1)
    ]
    found = when_results.reduce(
        Context(scale="paper"), [Result("when", {"data_set": "letters"}, {"runs": runs})]
    )
    assert found.notes[1].startswith(
        "Take LMNN on none of these sets. Take another on letters: SVC"
    )
    assert found.notes[3].startswith("Take LMNN, a metric for each class on none of these sets.")
    assert found.notes[4].startswith("20 splits; 1,000 points to train on")
    assert FIGURE.reduce is when_results.reduce and FIGURE.tasks is when.tasks
