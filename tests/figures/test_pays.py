"""Which method when: what a split measures."""

import numpy as np
import pytest
from agreement import NAMES
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from toy_sets import hnswlib_of

from paper_figures import data, pays
from paper_figures.study import Job


@pytest.fixture
def job():
    return Job(0, NAMES[-1], None, ("wine",))


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
