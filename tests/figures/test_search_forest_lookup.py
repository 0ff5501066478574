"""Lookups within one bit of a code: by a loop over pairs of codes, rows by hand.

Not tested here: spectral hashing itself (tests/rivals).
"""

import forest_toy
import numpy as np
import pytest
from figure_runs import figure_of

from paper_figures.search_forest import PAPER, lookup, points
from paper_figures.tasks import Context, Result
from refimpl.rivals.spectral_hashing import spectral_hashing

AT = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 12}


@pytest.fixture(params=forest_toy.NAMES)
def job(request, monkeypatch):
    forest_toy.points(monkeypatch)
    return forest_toy.job(request.param)


@pytest.mark.parametrize("bits", [3, 9])
def test_a_lookup_by_a_loop(job, bits):
    X, Q, near = points.load_problem(job, AT)
    model = spectral_hashing(X, bits)
    codes = model.eigenfunctions(X) > 0
    of_queries = model.eigenfunctions(Q) > 0
    sizes, hits = [], []
    for query, true in zip(of_queries, near, strict=True):
        ids = {i for i, code in enumerate(codes) if (code != query).sum() <= 1}
        sizes.append(len(ids))
        hits.append(len(ids & set(true.tolist())) / 12)
    expected = {
        "failed": 100 * np.mean([size == 0 for size in sizes]),
        "recall": 100 * np.mean(hits),
        "returned": np.mean(sizes),
    }
    assert lookup.lookup(job, bits=bits, **AT) == pytest.approx(expected)
    assert 0 < expected["recall"]


def results(short=10.0, long=80.0):
    """Return the results of two sets; of the second the long codes fail as often as `long`."""
    return [
        Result("lookup", AT | {"data_set": name, "bits": bits}, dict(value, failed=failed))
        for name, of_long in (("a", 90.0), ("b", long))
        for bits, failed in ((16, short), (48, of_long))
        for value in [{"recall": 30.0, "returned": 7.5}]
    ]


def test_rows_by_hand():
    found = lookup.reduce(Context(), [*results(), Result("lookup", AT | {"bits": 8}, None, "gone")])
    rows = {(r["data_set"], r["bits"], r["quantity"]): r for r in found.rows}
    assert rows["b", 48, lookup.FAILED]["ours"] == 80.0
    assert rows["a", 16, lookup.RECALL]["ours"] == 30.0
    assert rows["a", 48, lookup.RETURNED]["ours"] == 7.5
    assert len(rows) == 13 and [r["why"] for r in found.rows if r["ours"] is None] == ["gone"]
    assert "20 queries" in found.notes[0] and "the 12 nearest" in found.notes[0]


def test_tasks_are_on_the_points_of_both_figures():
    tasks = lookup.tasks(Context(scale="paper"))
    assert [t.params["bits"] for t in tasks] == [8, 16, 24, 32, 48, 64, 96] * 2
    assert {t.data for t in tasks} == {("MNIST-10",), ("tiny-images",)}
    assert {t.params["K"] for t in tasks} == {100} and {t.params["queries"] for t in tasks} == {
        1000
    }
    (figure,) = [figure for figure in map(figure_of, PAPER.figures) if figure.name == "lookup"]
    assert figure.reduce is lookup.reduce
