"""FTUNE's studies: what no small cell of tests/probes.json shows."""

import numpy as np
import pytest
from agreement import KERNELS
from scipy.spatial.distance import cdist, pdist
from toy_sets import provide

from paper_figures.ftune import matrices, shown, splits, spread, transfer
from paper_figures.plots import series_style
from paper_figures.study import Job
from refimpl.ftune import SLOPES

CELL = {"data_set": "ftune two", "landmarks": 5, "run": 1}


y = np.arange(90) % 2
X = np.random.default_rng(2).normal(size=(90, 4)) * [1.0, 9.0, 0.1, 0.0] + y[:, np.newaxis]


@pytest.fixture
def job(monkeypatch):
    """A job with points of two classes that overlap, in columns of unequal spread."""
    provide(monkeypatch, "ftune two", X, y)
    return Job(0, "fast" if len(KERNELS) > 1 else "reference", None, ("ftune two",))


@pytest.fixture
def asked(monkeypatch):
    """What the trainings of a cell are given: name, landmarks, options."""
    given = []

    def spied(name, train):
        def call(K, y, landmarks, **how):
            given.append((name, landmarks, how.get("options")))
            return train(K, y, landmarks, **how)

        monkeypatch.setattr(splits, name, call)

    for name in ("bbs", "ftune"):
        spied(name, getattr(splits, name))
    return given


def standardised():
    Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    return lambda train: np.exp(-(cdist(Z, Z) ** 2) / pdist(Z[train]).mean() ** 2)


def cityblock():
    D = cdist(X, X, "cityblock")
    return lambda train: 1 - D / D.max()


@pytest.mark.parametrize("of, shares", [(standardised, (45, 63)), (cityblock, (63, 72))])
def test_the_similarities_of_a_split(job, of, shares):
    split = splits.Split(job, how=of.__name__, **CELL)
    train, held, test = np.split(job.rng_for("split", "ftune two", 1).permutation(90), shares)
    S, members = of()(train), range(len(train))
    np.testing.assert_allclose(split.K.within(None, members), S[np.ix_(train, train)], rtol=1e-6)
    for rows, part in ((test, split.Q), (held, split.options["validation"][0])):
        np.testing.assert_allclose(
            split.K.between(part, members), S[np.ix_(rows, train)], rtol=1e-6, atol=1e-12
        )


def test_what_the_trainings_are_given(job, asked):
    list(transfer.compute(job, **CELL))
    assert [options.family for _, _, options in asked] == [SLOPES, SLOPES[:1], SLOPES[-1:], SLOPES]
    asked.clear()
    list(splits.accuracies(job, how="standardised", methods=("FTUNE+D-S", "BBS+D"), **CELL))
    ((name, landmarks, _),) = asked
    assert name == "bbs" and len(landmarks) == CELL["landmarks"]


def test_two_classes_make_one_problem(job):
    """Landmarks for each problem are then those in all, and not trained again."""
    methods = {item["method"] for item in transfer.compute(job, **CELL)}
    assert methods == {"FTUNE-S", transfer.LEAST, transfer.LARGEST, "FTUNE+D-S"}
    how = {"how": "standardised", "methods": ("FTUNE+DP-S", "FTUNE-M")}
    (item,) = splits.accuracies(job, **how, **CELL)
    assert item["method"] == "FTUNE-M"


def test_only_the_methods_that_are_asked_for_are_trained(job, monkeypatch):
    def unwanted(*arguments, **options):
        raise AssertionError("no method needs diverse landmarks, or FTUNE")

    monkeypatch.setattr(splits, "dselect", unwanted)
    monkeypatch.setattr(splits, "ftune_single_and_per_class", unwanted)
    how = {"how": "standardised", "methods": ("BBS", "DBOOST")}
    assert [item["method"] for item in splits.accuracies(job, **how, **CELL)] == ["BBS", "DBOOST"]


def test_objects_with_equal_similarities_have_no_dimension():
    flat = np.full((4, 2), 0.3)
    assert spread.spread(np.array([[1.0, 0.2], [0.4, 1.0]]), flat) == {
        spread.AMONG: pytest.approx(0.3),
        spread.NEAREST: pytest.approx(0.3),
        spread.DIMENSIONS: 0.0,
    }
    apart = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert spread.spread(np.eye(2), apart)[spread.DIMENSIONS] == pytest.approx(2.0)


def test_every_method_of_the_figures_is_drawn():
    left = {"FTUNE+D-M", "FTUNE+DP-S", splits.OF_RANDOM}
    assert set(shown.DRAWN) == {*matrices.METHODS} - left
    assert len({series_style(place)["color"] for place in range(len(shown.DRAWN))}) == 6
