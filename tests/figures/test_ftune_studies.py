"""FTUNE's studies: which split, similarities, landmarks and options a cell has; rows by hand."""

import numpy as np
import pytest
from agreement import KERNELS
from scipy.spatial.distance import cdist, pdist
from toy_sets import provide

from paper_figures.ftune import gaussian, matrices, splits, spread, transfer
from paper_figures.ftune import shown as views
from paper_figures.study import Job, Seen
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
    return Job(0, "fast" if len(KERNELS) > 1 else "reference", None, tuple(POINTS))


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


# -------------------------------------------------------------------------------------- the rows


def seen_of(name, d, *runs, scale="paper", missing=()):
    items = [
        {"data_set": name, "landmarks": d, "run": run, "method": method, "accuracy": accuracy}
        for run, of_run in enumerate(runs)
        for method, accuracy in of_run.items()
    ]
    return Seen(items, list(missing), scale)


def best_of(values):
    """The methods that are marked as the best, of accuracies by method."""
    runs = [dict(zip(values, each, strict=True)) for each in zip(*values.values(), strict=True)]
    seen = seen_of("set", 30, *runs)
    rows = views.table(seen, "table2.csv", tuple(values), (30,))
    return {row["method"] for row in rows if row["data_set"] == "set" and row["best"]}


def test_the_best_methods_are_those_that_a_t_test_does_not_tell_from_the_first():
    """Two samples of two numbers with differences of 2: t is the difference of means / sqrt(2).

    With two degrees of freedom the test rejects at 95 % from t = 4.3027, a difference of 6.0849.
    """
    values = {"first": [9.0, 11.0], "near": [2.92, 4.92], "far": [2.91, 4.91]}
    assert best_of(values) == {"first", "near"}
    assert best_of({"a": [0.9], "b": [0.1]}) == {"a", "b"}  # one run tells nothing apart
    constant = {"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [0.5, 0.5], "d": [0.6, 0.9]}
    assert best_of(constant) == {"a", "b", "d"}
    assert best_of({"a": [1.0] * 9, "d": [0.7, 0.8] * 4 + [0.7]}) == {"a"}


def test_table_2_beside_the_print():
    runs = [
        {"BBS": mean, "DBOOST": 0.5, "FTUNE-S": 0.8, "FTUNE-M": 0.8} for mean in (0.7, 0.8, 0.9)
    ]
    why = {"data_set": "isolet", "landmarks": 30, "run": 0, "why": "no file"}
    gathered = gaussian.table2(seen_of("letters", 30, *runs, missing=[why]))
    mine = [row for row in gathered.rows if row["data_set"] == "letters" and "method" in row]
    assert [(r["method"], r["best"], r["published"], round(r["ours"], 9)) for r in mine] == [
        ("BBS", "yes", 0.67, 0.8),
        ("DBOOST", "", 0.58, 0.5),
        ("FTUNE-S", "yes", 0.69, 0.8),
        ("FTUNE-M", "yes", 0.68, 0.8),
    ]
    assert mine[0]["error"] == pytest.approx(0.1 / 3**0.5) and mine[0]["n"] == 3
    assert {row["tolerance"] for row in mine} == {0.005}
    less = {r["comparison"]: r for r in gathered.rows if "comparison" in r}
    assert list(less) == [f"{a} less {b}" for a, b in gaussian.PAIRS]
    assert less["FTUNE-S less BBS"]["ours"] == pytest.approx(0.0)
    assert less["FTUNE-S less BBS"]["error"] == pytest.approx(0.1 / 3**0.5)
    absent = [row for row in gathered.rows if row["data_set"] == "Isolet"]
    assert len(absent) == 8 and {row["why"] for row in absent} == {"no file"}
    assert gathered.notes[0].startswith("Means of 3 random splits: 50 % for training, 20 % for")
    assert gathered.notes[1] == views.BEST
    said = "With 30 landmarks FTUNE is among the best on 1 of 1 sets, BBS on 1, DBOOST on 0."
    assert gathered.notes[2] == said


def test_the_small_scale_has_other_data_and_no_published_numbers():
    runs = [{"BBS": 0.9, "DBOOST": 0.8, "FTUNE+D-S": 0.7}]
    gathered = matrices.table1(seen_of("wine", 10, *runs, scale="small"))
    assert [row["published"] for row in gathered.rows] == [None] * 3


def test_matrices_that_cannot_be_had_stand_in_table_1():
    runs = [{"BBS": 0.9, "DBOOST": 0.8, "FTUNE+D-S": 0.7}] * 2
    gathered = matrices.table1(seen_of("aural-sonar", 30, *runs))
    absent = [row for row in gathered.rows if row["ours"] is None]
    assert len(absent) == 7 * 2 * 3
    assert {row["why"] for row in absent if row["data_set"] == "FaceRec"} == {views.NOWHERE}


def test_curves_and_differences_of_all_numbers_of_landmarks():
    runs = [{"FTUNE+D-S": 0.7, "FTUNE-S": 0.5, "BBS": 0.6}, {"FTUNE+D-S": 0.9, "FTUNE-S": 0.9}]
    rows = matrices.figure1(seen_of("wine", 20, *runs, scale="small")).rows
    assert [row["method"] for row in rows if "method" in row] == ["FTUNE+D-S", "FTUNE-S", "BBS"]
    less = {row["comparison"]: (row["ours"], row["n"]) for row in rows if "comparison" in row}
    assert less["FTUNE+D-S less FTUNE-S"] == (pytest.approx(0.1), 2)
    assert less["FTUNE+D-S less BBS"] == (pytest.approx(0.1), 1)


def test_slopes_are_counted():
    seen = seen_of("wine", 10, {"FTUNE-S": 0.5}, {"FTUNE-S": 0.7})
    for item, slope in zip(seen.items, (1.0, 1000.0), strict=True):
        item["slope"] = slope
    note = transfer.rows(seen).notes[1]
    assert note.endswith("chooses the slope 1 in 1, the slope 1000 in 1 of 2 runs.")


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


def test_rows_of_the_spread_are_means_and_differences_of_a_split():
    items = [
        {"data_set": "wine", "landmarks": 30, "run": run, "choice": choice}
        | dict.fromkeys(spread.QUANTITIES, value + run)
        for choice, value in (("DSELECT", 0.5), ("random", 0.25))
        for run in (0, 1)
    ]
    rows = spread.gather(Seen(items, [], "paper")).rows
    mine = [row for row in rows if row["quantity"] == spread.NEAREST]
    assert [(row["choice"], row.get("minus"), row["ours"]) for row in mine] == [
        ("DSELECT", None, 1.0),
        ("random", None, 0.75),
        ("DSELECT", "random", 0.25),
    ]
