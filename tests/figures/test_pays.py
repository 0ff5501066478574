"""Which method when: what a split measures."""

import numpy as np
import pytest
from agreement import NAMES
from toy_sets import hnswlib_of

from paper_figures import data, pays
from paper_figures.study import Job


@pytest.fixture
def job():
    return Job(0, NAMES[-1], None, ("wine",))


def measured(job, monkeypatch, *methods, kind="columns", hnswlib=False, most=60):
    monkeypatch.setattr(pays, "METHODS", methods)
    seen = pays.compare(job, data_set="wine", kind=kind, split=0, most=most, hnswlib=hnswlib)
    return {item.pop("method"): item for item in seen}


def test_a_fit_that_takes_too_long_has_no_numbers(job, monkeypatch):
    monkeypatch.setattr(pays, "LIMIT", 0.0)  # no limit of the system; the time is judged after it
    assert measured(job, monkeypatch, "k-NN")["k-NN"] == {"why": pays.TOO_LONG}
    with pytest.raises(pays.TooLong), pays.at_most(0.01):
        while True:
            pass


def test_hnswlib_is_asked_if_it_is_installed(job, monkeypatch):
    """It gives each query the first training points, whose vote is of one class."""
    asked = hnswlib_of(monkeypatch, pays)
    value = measured(job, monkeypatch, "hnswlib", hnswlib=True)["hnswlib"]
    assert (asked["space"], asked["dim"], asked["max_elements"]) == ("l2", 13, 60)
    order, y = job.rng_for("pays", "wine", 0).permutation(178), data.load("wine").y
    voted = np.bincount(y[order[: pays.K]]).argmax()
    assert value["error"] == pytest.approx(100 * (y[order[60:120]] != voted).mean())
    absent = measured(job, monkeypatch, "hnswlib")["hnswlib"]
    assert absent == {"why": "hnswlib is not installed"}
