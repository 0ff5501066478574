"""Which method when: what a split measures, rows and notes by hand."""

import numpy as np
import pytest
from agreement import KERNELS
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from toy_sets import hnswlib_of

from paper_figures import data, pays
from paper_figures.study import Job, Seen

CELL = {"data_set": "wine", "kind": "columns"}
NAME = "fast" if len(KERNELS) > 1 else "reference"


@pytest.fixture
def job():
    return Job(0, NAME, None, ("wine",))


def wine():
    loaded = data.load("wine")
    return loaded.X, loaded.y


def measured(job, monkeypatch, *methods, kind="columns", hnswlib=False, most=60):
    monkeypatch.setattr(pays, "METHODS", methods)
    seen = pays.compare(job, data_set="wine", kind=kind, split=0, most=most, hnswlib=hnswlib)
    return {item.pop("method"): item for item in seen}


def parts(job, most=60):
    order = job.rng_for("pays", "wine", 0).permutation(178)
    return order[:most], order[most : 2 * most]


def test_a_rival_chooses_its_settings_on_standardised_columns(job, monkeypatch):
    value = measured(job, monkeypatch, "k-NN")["k-NN"]
    X, y = wine()
    train, test = parts(job)
    scale = StandardScaler().fit(X[train])
    grid = {"n_neighbors": (1, 3, 5, 9), "p": (1, 2)}
    model = GridSearchCV(KNeighborsClassifier(), grid, cv=3).fit(
        scale.transform(X[train]), y[train]
    )
    wrong = model.predict(scale.transform(X[test])) != y[test]
    assert value["error"] == pytest.approx(100 * wrong.mean())
    assert value["fit"] > 0 and value["ask"] > 0


def test_many_columns_become_components():
    X = np.random.default_rng(0).normal(size=(80, 60))
    assert pays.prepared(X, 0).transform(X).shape == (80, pays.COLUMNS)
    assert pays.prepared(X[:, :5], 0).transform(X[:, :5]) == pytest.approx(
        StandardScaler().fit_transform(X[:, :5])
    )


def test_a_fit_that_takes_too_long_has_no_numbers(job, monkeypatch):
    monkeypatch.setattr(pays, "LIMIT", 0.0)  # no limit of the system; the time is judged after it
    assert measured(job, monkeypatch, "k-NN")["k-NN"] == {"why": pays.TOO_LONG}
    with pytest.raises(pays.TooLong), pays.at_most(0.01):
        while True:
            pass


def test_hnswlib_is_asked_if_it_is_installed(job, monkeypatch):
    asked = hnswlib_of(monkeypatch, pays)
    value = measured(job, monkeypatch, "hnswlib", hnswlib=True)["hnswlib"]
    assert (asked["space"], asked["dim"], asked["max_elements"]) == ("l2", 13, 60)
    X, y = wine()
    train, test = parts(job)
    scale = StandardScaler().fit(X[train])
    seen = train[: asked["ef"]]
    model = KNeighborsClassifier(pays.K).fit(scale.transform(X[seen]), y[seen])
    wrong = model.predict(scale.transform(X[test])) != y[test]
    assert value["error"] == pytest.approx(100 * wrong.mean())
    absent = measured(job, monkeypatch, "hnswlib")["hnswlib"]
    assert absent == {"why": "hnswlib is not installed"}


def test_a_method_is_among_the_best_unless_another_is_surely_ahead():
    """c is 1 behind a with an error of 0.01; b is 1 behind a with an error of 0.1: t is 12.7."""
    a = np.array([4.0, 5.0])
    errors = {"a": a, "b": a + np.array([0.9, 1.1]), "c": a + np.array([0.99, 1.01])}
    assert pays.among_the_best(errors) == ["a", "b"]


def result(kind, split, **errors):
    cell = CELL | {"kind": kind, "split": split}
    return [
        cell
        | {"method": name}
        | ({"why": "w"} if error is None else {"error": error, "fit": 2.0, "ask": 0.5})
        for name, error in errors.items()
    ]


@pytest.fixture
def two(monkeypatch):
    monkeypatch.setattr(pays, "METHODS", ("BoostMap", "SVC"))
    cells = [CELL, CELL | {"kind": "similarities"}]
    monkeypatch.setattr(pays, "SETS", {"small": cells, "paper": cells})


def test_rows_and_notes_by_hand(two):
    seen = [
        *result("columns", 0, BoostMap=4.0, SVC=2.0),
        *result("columns", 1, BoostMap=5.0, SVC=3.02),
        *result("similarities", 0, BoostMap=1.0, SVC=1.0),
        *result("similarities", 1, BoostMap=1.0, SVC=None),
    ]
    gathered = pays.table(Seen(seen))
    of = {(r["data_set"], r["method"], r["measure"]): r for r in gathered.rows}
    error = of["wine", "BoostMap", pays.ERROR]
    assert (error["ours"], error["best"], error["n"]) == (4.5, "", 2)
    assert error["error"] == pytest.approx(0.5)
    assert of["wine", "SVC", pays.ERROR]["best"] == "yes"
    assert of["wine", "SVC", pays.FIT]["ours"] == 2.0 and of["wine", "SVC", pays.ASK]["ours"] == 0.5
    assert of["wine (similarities)", "SVC", pays.ERROR]["why"] == "w"
    assert len(of) == 3 + 3 + 3 + 1
    assert gathered.notes[1:] == [
        "BoostMap: among the best on wine (similarities). Over the sets it takes 2 seconds to fit "
        "and 0.5 milliseconds a query (medians).",
        "SVC: among the best on wine. Over the sets it takes 2 seconds to fit and 0.5 milliseconds "
        "a query (medians).",
    ]


def test_a_set_that_is_missing_says_why(two):
    gathered = pays.table(Seen([], [CELL | {"why": "no such file"}]))
    assert [row["why"] for row in gathered.rows] == ["no such file"]
    assert len(gathered.notes) == 1
