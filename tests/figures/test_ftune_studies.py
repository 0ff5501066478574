"""FTUNE's studies: which split, similarities, landmarks and options a cell has."""

import numpy as np
import pytest
from agreement import NAMES
from scipy.spatial.distance import cdist, pdist
from toy_sets import provide

from paper_figures.ftune import matrices, splits, spread, transfer
from paper_figures.study import Job
from refimpl.ftune import SLOPES, FTuneOptions, bbs, dselect, ftune, random_landmarks
from refimpl.rivals.dboost import dboost

N, D = 90, 5
VECTORS = {"data_set": "ftune toy", "how": "standardised", "landmarks": D, "run": 1}
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


@pytest.fixture
def job():
    return Job(0, NAMES[-1], None, tuple(POINTS))


class Split:
    """The similarities of a run, as matrices: K, V and Q from training, validation and test objects
    to training objects.
    """

    def __init__(self, job, params):
        X, y = POINTS[params["data_set"]]
        how = params["how"]
        order = job.rng_for("split", params["data_set"], params["run"]).permutation(N)
        first, second = (63, 72) if how in ("matrix", "cityblock") else (45, 63)
        train, validation, test = order[:first], order[first:second], order[second:]
        if how == "standardised":
            X = np.delete((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9), 4, axis=1)
        if how == "matrix":
            S = X
        elif how == "cityblock":
            S = 1 - cdist(X, X, "cityblock") / pdist(X, "cityblock").max()
        else:
            S = np.exp(-(cdist(X, X) ** 2) / pdist(X[train]).mean() ** 2)
        self.K, self.V, self.Q = (S[np.ix_(part, train)] for part in (train, validation, test))
        self.y, self.v, self.q = y[train], y[validation], y[test]
        self.key = params["data_set"], params["landmarks"], params["run"]
        self.d = params["landmarks"]
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

    def bbs(self, L):
        return self.right(bbs(self.K, self.y, L[: self.d], validation=(self.V, self.v)))

    def ftune(self, landmarks, **options):
        options = FTuneOptions(**options)
        check = (self.V, self.v)
        return self.right(ftune(self.K, self.y, landmarks, validation=check, options=options))

    def dboost(self):
        return self.right(dboost(self.K, self.y, self.d, rng=self.rng("dboost")))


def accuracies(seen):
    return {item["method"]: item["accuracy"] for item in seen}


# ------------------------------------------------------------------------------------- the cells


@pytest.mark.parametrize(
    "params",
    [
        VECTORS,
        VECTORS | {"how": "cityblock"},
        VECTORS | {"data_set": "ftune matrix", "how": "matrix"},
    ],
    ids=lambda params: params["how"],
)
def test_accuracies_of_all_methods(job, params):
    seen = list(splits.accuracies(job, methods=matrices.METHODS, **params))
    split = Split(job, params)
    fresh, diverse, each = split.fresh(), split.diverse(), split.diverse(per_problem=True)
    assert accuracies(seen) == {
        "BBS": split.bbs(split.pool().L),
        "BBS+D": split.bbs(diverse.L),
        "FTUNE-S": split.ftune(fresh),
        "FTUNE-M": split.ftune(fresh, per_class=True),
        "FTUNE+D-S": split.ftune(diverse),
        "FTUNE+D-M": split.ftune(diverse, per_class=True),
        "FTUNE+DP-S": split.ftune(each),
        "DBOOST": split.dboost(),
        splits.OF_RANDOM: split.ftune(split.pool()),
    }
    compared = {item["method"]: item["compared"] for item in seen if "compared" in item}
    for name, landmarks in (("FTUNE-S", fresh), ("FTUNE+D-S", diverse), ("FTUNE+DP-S", each)):
        assert compared[name] == len(np.unique([landmarks.plus, landmarks.minus]))


def test_only_the_methods_that_are_asked_for_are_trained(job, monkeypatch):
    split = Split(job, TWO)
    seen = splits.accuracies(job, methods=("FTUNE-M",), **TWO)
    assert accuracies(seen) == {"FTUNE-M": split.ftune(split.fresh(), per_class=True)}
    # two classes make one problem: that is FTUNE+D-S
    assert accuracies(splits.accuracies(job, methods=("FTUNE+DP-S",), **TWO)) == {}

    def unwanted(*arguments, **options):
        raise AssertionError("no method needs diverse landmarks")

    monkeypatch.setattr(splits, "dselect", unwanted)
    seen = splits.accuracies(job, methods=("BBS", "DBOOST"), **TWO)
    assert accuracies(seen) == {"BBS": split.bbs(split.pool().L), "DBOOST": split.dboost()}


def test_one_slope_alone_and_dselect(job):
    params = {key: value for key, value in VECTORS.items() if key != "how"}
    seen = list(transfer.compute(job, **params))
    split = Split(job, VECTORS)
    fresh = split.fresh()
    assert accuracies(seen) == {
        "FTUNE-S": split.ftune(fresh),
        transfer.LEAST: split.ftune(fresh, family=(SLOPES[0],)),
        transfer.LARGEST: split.ftune(fresh, family=(SLOPES[-1],)),
        "FTUNE+D-S": split.ftune(split.diverse()),
        "FTUNE+DP-S": split.ftune(split.diverse(per_problem=True)),
    }
    assert (SLOPES[0], SLOPES[-1]) == (1.0, 1000.0) and seen[0]["slope"] in SLOPES
    two = transfer.compute(job, **(params | {"data_set": "ftune two"}))
    assert "FTUNE+DP-S" not in accuracies(two)


# ----------------------------------------------------------------------------- spread of landmarks


def test_objects_with_equal_similarities_have_no_dimension():
    flat = np.full((4, 2), 0.3)
    assert spread.spread(np.array([[1.0, 0.2], [0.4, 1.0]]), flat) == {
        spread.AMONG: pytest.approx(0.3),
        spread.NEAREST: pytest.approx(0.3),
        spread.DIMENSIONS: 0.0,
    }
    apart = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert spread.spread(np.eye(2), apart)[spread.DIMENSIONS] == pytest.approx(2.0)
