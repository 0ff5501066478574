"""The task that asks libraries of approximate neighbours, beside the search forest: what it asks,
what it counts, and what it says of libraries that are not installed.

Stand-ins have the libraries' interfaces. Not here: the libraries themselves.
"""

from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import forest_toy
import numpy as np
import pytest
from fake_libraries import FAKES, LIBRARIES, METHODS, THREADS
from forest_toy import N, forest_of, ranked
from toy_sets import ticking

from paper_figures.search_forest import libraries, points
from refimpl.search_forest import selection


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    return forest_toy.points(monkeypatch)


@pytest.fixture
def one_job():
    return forest_toy.job()


def searched(job, monkeypatch, versions, clock=None):
    def fake(name):
        return FAKES[name]

    monkeypatch.setattr(libraries, "importlib", SimpleNamespace(import_module=fake))
    if clock is not None:
        monkeypatch.setattr(libraries, "perf_counter", ticking(*clock))
    return libraries.search(job, versions=versions, methods=METHODS, passes=2, **LIBRARIES)


def nearest_among(X, q, seen):
    squares = ((X.astype(float) - q) ** 2).sum(axis=1)
    return [i for i in np.argsort(squares, kind="stable") if i in seen][:12]


def test_libraries_are_asked_and_counted(one_job, monkeypatch):
    """Every index is built in 3 s; the passes of a setting take 4 and 2 s for 20 queries."""
    clock = []
    for settings in (2, 2, 2, 2, 1):
        clock += [0.0, 3.0] + [10.0, 14.0, 20.0, 22.0] * settings
    THREADS.clear()
    value = searched(one_job, monkeypatch, dict.fromkeys(libraries.MODULES, "1"), clock)
    assert value["built"] == dict.fromkeys(METHODS, 3.0) and THREADS == [1]
    X, Q, near = points.load_problem(one_job, LIBRARIES)
    T = selection(forest_of(one_job, X, 12, 0.05), Q, X)
    first = np.argsort(((X[:, None] - X[:5]) ** 2).sum(axis=2), axis=1, kind="stable")[:, 0]
    to_lists = np.argsort(((Q[:, None] - X[:5]) ** 2).sum(axis=2), axis=1, kind="stable")
    everything = range(N)
    seen = {
        ("ours", 8): [ids[:8] for ids in ranked(T)],
        ("ours", None): ranked(T),
        ("a", 40): [range(40)] * 20,
        ("a", N): [everything] * 20,
        ("f", 2): [np.flatnonzero(np.isin(first, lists[:2])) for lists in to_lists],
        ("f", 5): [everything] * 20,
        ("h", 40): [range(40)] * 20,
        ("h", N): [everything] * 20,
        ("scan", None): [everything] * 20,
    }
    assert [(line["method"], line["setting"]) for line in value["lines"]] == list(seen)
    for line, ids in zip(value["lines"], seen.values(), strict=True):
        answers = [nearest_among(X, q, {*own}) for q, own in zip(Q, ids, strict=True)]
        for key, k in (("recall", 12), ("recall@10", 10)):
            hits = [len({*a[:k]} & {*row[:k]}) / k for a, row in zip(answers, near, strict=True)]
            assert line[key] == pytest.approx(100 * np.mean(hits)), line["method"]
        compared = None if line["method"] == "h" else np.mean([len(own) for own in ids])
        assert line["compared"] == pytest.approx(compared)
        assert line["ms"] == pytest.approx(1000 * 2.0 / 20)
    assert 0 < value["lines"][0]["recall"] < value["lines"][1]["recall"]


def test_libraries_that_are_not_installed_are_left_out(one_job, monkeypatch):
    versions = {"annoy": "1", "faiss-cpu": None, "hnswlib": None}
    value = searched(one_job, monkeypatch, versions)
    assert list(value["built"]) == ["ours", "a", "scan"]
    assert {line["method"] for line in value["lines"]} == {"ours", "a", "scan"}
    assert [libraries.missing(kind, versions) for kind in ("forest", "annoy", "ivf", "hnsw")] == [
        None,
        None,
        "faiss-cpu",
        "hnswlib",
    ]


def test_versions_are_those_of_the_installed_packages(monkeypatch):
    def version(package):
        if package == "hnswlib":
            return "0.8.0"
        raise PackageNotFoundError(package)

    monkeypatch.setattr(libraries, "version", version)
    assert libraries.versions() == {"annoy": None, "faiss-cpu": None, "hnswlib": "0.8.0"}
