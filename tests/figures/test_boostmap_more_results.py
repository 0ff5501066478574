"""The rows and notes of what goes beyond BoostMap's paper, from made-up measures, against rows told
by hand: edge detectors, readings of § 7, search graphs.

The figures of the paper are in test_boostmap_results.py.
"""

import pytest
from boostmap_measures import FIGURES, by_dimensions, reduce, values

from paper_figures.boostmap import graphs, readings
from paper_figures.registry import Context, Result

SMALL = Context()
PAPER = Context(scale="paper")


@pytest.fixture
def by_dimension():
    return by_dimensions()


def detected(detector, value):
    return Result("edges", {"detector": detector}, value)


def test_edges():
    value = {"lost": 0, "errors": [6.0, 5.5, 5.25, 5.3], "candidates": 4321, "edge_pixels": 61.26}
    lost = {"lost": 7, "errors": None, "candidates": None, "edge_pixels": None}
    given = [
        detected(("canny", 1.4, 0.1, 0.2), value),
        detected(("ink", 0.5), lost),
        detected(("sobel", 1.0), None),
    ]
    given[2] = Result("edges", given[2].params, None, "no file")
    gathered = reduce("edges", PAPER, given)
    keys = ("detector", "quantity", "edge pixels", "printed", "published", "ours")
    canny = "Canny, sigma 1.4, thresholds 0.1 and 0.2"
    assert values(gathered.rows, *keys) == [
        ("all", None, None, None, None, None),
        (canny, "1-nn error, %", 61.3, 5.47, None, 6.0),
        (canny, "best k-nn error, % (ours at k = 3)", 61.3, 4.63, None, 5.25),
        (canny, "FastMap's candidates p, 11 dimensions", 61.3, 5523, None, 4321),
        ("no detector: the ink above 0.5", "all", None, None, None, None),
    ]
    assert gathered.rows[0]["why"] == "no file"
    why = gathered.rows[-1]["why"]
    assert why == "7 images lose all their edges, and have no chamfer distance"
    small = reduce("edges", SMALL, given[:1]).rows
    assert [row["printed"] for row in small] == [None] * 3
    assert "FastMap needs no training: its candidates (true 10 nearest of 98 %" in gathered.notes[1]


def test_tasks_of_edges():
    tasks = FIGURES["edges"].tasks(PAPER)
    assert [t.params["detector"] for t in tasks] == list(readings.DETECTORS["paper"])
    assert {t.params["n_train"] for t in tasks} == {10_000} and tasks[0].kernels == ("chamfer",)
    kinds = {t.params["detector"][0]: t.params["detector"] for t in tasks}
    named = {kind: readings.WORDS[kind].format(*numbers) for kind, (_, *numbers) in kinds.items()}
    assert named == {
        "canny": "Canny, sigma 2, thresholds 0.4 and 0.8",
        "sobel": "Sobel's gradient above 1",
        "outline": "outline of the ink above 0.5",
        "ink": "no detector: the ink above 0.5",
    }


def test_tasks_of_readings():
    tasks = FIGURES["readings"].tasks(PAPER)
    assert len(tasks) == 2 * (15 + 7)
    assert [t.params["triples"] for t in tasks] == ["Ra", "Se"] * 22
    by_name = dict(
        zip([name for name, _ in readings.READINGS], (t.params for t in tasks[::2]), strict=False)
    )
    tried = {name: params["reading"] for name, params in by_name.items()}
    assert tried["as in table 1"] == {}
    assert tried["m = 0: reference objects alone"] == {"m": 0}
    assert tried["m = M_1 / 200"] == {"m": 5} and tried["m = M_1 / 10"] == {"m": 100}
    assert tried["a tenth of the training objects"] == {"objects": 500}
    assert tried["a fifth of the triples"] == {"triples": 10_000}
    assert tried["weights at powers of 4 only"] == {"octaves": 2}
    assert {t.kernels for t in tasks} == {("chamfer", "losses", "scan")}
    params = by_name["as in table 1"]
    assert params["queries"] == 2000 and params["sizes"]["d"] == 64
    assert params["sizes"]["k_most"] == 4 and "query_sensitive" not in params["sizes"]
    whole = [t.params for t in tasks[-14:]]
    assert [p["reading"] for p in whole[::2]] == [
        {"steps": "add", "m": 100},
        {"steps": "add", "m": 20},
        {"steps": "add", "m": 100, "sigma": 1.0},
        {"steps": "add", "m": 20, "sigma": 1.0},
        {"steps": "add", "m": 100, "sigma": 0.0},
        {"sigma": 1.0},
        {"steps": "add", "sigma": 1.0},
    ]
    assert {p["queries"] for p in whole} == {10_000} and {p["sizes"]["d"] for p in whole} == {256}
    small = FIGURES["readings"].tasks(SMALL)
    assert len(small) == 2 * 15 and small[6].params["reading"] == {"m": 1}  # 60 / 200, rounded up


def test_readings():
    tasks = FIGURES["readings"].tasks(PAPER)
    numbers = {
        # the task's place: ranks at 95 and 99 for k = 1 and k = 10
        0: ((20, 1), (300, 2)),  # as in table 1, Ra
        1: ((10, 3), (200, 4)),  # as in table 1, Se
        3: ((11, 5), (250, 6)),  # another draw, Se
        30: ((23, 7), (399, 8)),  # additions alone and m = M_1 / 10, at the sizes of table 1, Ra
    }
    given = [
        Result(
            t.name,
            t.params,
            {
                "ranks": {"1": list(numbers[i][0]), "10": list(numbers[i][1])},
                "d": 60 + i,
                "pairs": i,
            },
        )
        if i in numbers
        else Result(t.name, t.params, None, "no file")
        for i, t in enumerate(tasks)
    ]
    gathered = reduce("readings", PAPER, given)
    keys = (
        "reading",
        "triples",
        "k",
        "of dimensions",
        "reached",
        "with pivot pairs",
        "times as in table 1",
        "printed",
        "published",
        "ours",
    )
    base, other = "as in table 1", "another draw of objects, triples and classifiers"
    whole = "additions alone, and m = M_1 / 10"
    assert gathered.rows[0] == {
        "reading": "all",
        "triples": "all",
        "k": None,
        "published": None,
        "ours": None,
        "std": None,
        "status": "not available",
        "why": "no file",
    }
    assert values(gathered.rows[1:], *keys) == [
        (base, "Ra", 1, 64, 60, 0, 1.0, None, None, 20),
        (base, "Ra", 10, 64, 60, 0, 1.0, None, None, 300),
        (base, "Se", 1, 64, 61, 1, 1.0, None, None, 10),
        (base, "Se", 10, 64, 61, 1, 1.0, None, None, 200),
        (other, "Se", 1, 64, 63, 3, 1.1, None, None, 11),
        (other, "Se", 10, 64, 63, 3, 1.25, None, None, 250),
        (whole, "Ra", 1, 256, 90, 30, None, 77, None, 23),
        (whole, "Ra", 10, 256, 90, 30, None, 949, None, 399),
    ]
    assert "64 dimensions: 50000 triples, the first 2000 queries" in gathered.notes[0]


def search(setting, distances, success, recall):
    return {"setting": setting, "distances": distances, "success": success, "recall": recall}


@pytest.fixture
def searched(by_dimension):
    exact = {
        "searches": [search(10, 150.26, 97.96, 99.444), search(40, 420.04, 98.0, 99.996)],
        "links": 7.25,
        "queries": 1000,
        "objects": 60_000,
        "build": 1_799_970_000,
    }
    library = {
        "searches": [search(0.1, 90.0, 80.0, 95.0)],
        "build": 12_345,
        "version": "PyNNDescent 0.5",
        "queries": 1000,
        "objects": 60_000,
    }
    return [
        *by_dimension,
        Result("graph", {"degree": 16, "starts": 10}, exact),
        Result("pynndescent", {"neighbors": 30, "trees": True}, library),
        Result("pynndescent", {"neighbors": 30, "trees": False}, library),
    ]


@pytest.mark.parametrize("installed", [True, False])
def test_graph(searched, monkeypatch, installed):
    monkeypatch.setattr(graphs, "has_pynndescent", lambda: installed)
    gathered = reduce("graph", PAPER, searched if installed else searched[:-2])
    keys = ("method", "setting", "success, %", "recall, %", "ours")
    first = "best-first search of the exact graph"
    library = [
        ("PyNNDescent", 0.1, 80.0, 95.0, 90.0),
        ("PyNNDescent, no trees", 0.1, 80.0, 95.0, 90.0),
    ]
    absent = [("PyNNDescent", None, None, None, None)]
    assert values(gathered.rows, *keys) == [
        (first, 10, 98.0, 99.44, 150.3),
        (first, 40, 98.0, 100.0, 420.0),
        *(library if installed else absent),
        ("FastMap (`costs`)", "98 %", None, None, 5004),
        ("FastMap, clipped (`costs`)", "98 %", None, None, 9004),
        ("BoostMap-Fe-Ra-QI (`costs`)", "98 %", None, None, 1804),
        ("BoostMap-Fe-Se-QI (`costs`)", "98 %", None, None, 632),
    ]
    assert gathered.drawing["embeddings"] == {
        "FastMap": 5004,
        "FastMap, clipped": 9004,
        "BoostMap-Fe-Ra-QI": 1804,
        "BoostMap-Fe-Se-QI": 632,
    }
    assert [line["method"] for line in gathered.drawing["searches"]] == [
        first,
        *(["PyNNDescent", "PyNNDescent, no trees"] if installed else []),
    ]
    assert gathered.drawing["searches"][0]["searches"] == searched[4].value["searches"]
    notes = gathered.notes
    assert notes[0].startswith("Exact distances a query, mean over the first 1,000, of 60,000 obj")
    # (5000 + 5000)^2 / 2 for the training, 2 * 256 * 60,000 for the embedding; 97.96 % is not 98 %
    assert notes[1] == (
        "Best-first search of the exact graph: each object has links to its 16 nearest both ways, "
        "7.2 on average; a search begins at 10 objects drawn at random, which count. The graph "
        "takes 1,799,970,000 distances, all pairs of the database once; BoostMap takes about "
        "50,000,000 for its training and at most 30,720,000 to embed the database. 98 % of the "
        "queries succeed with 420 distances on average."
    )
    assert notes[2:] == (
        [
            "PyNNDescent: PyNNDescent 0.5, 30 neighbours; the graph takes 12,345 distances, and "
            "planes in the space of the distance transforms say where a search begins.",
            "PyNNDescent, no trees: PyNNDescent 0.5, 30 neighbours; the graph takes 12,345 "
            "distances; searches begin at random objects.",
        ]
        if installed
        else []
    )


def test_graph_without_its_results(searched):
    absent = Result("graph", {}, None, "no file")
    gathered = reduce("graph", PAPER, [*searched[:4], absent])
    keys = {"method": "all", "setting": None, "success, %": None, "recall, %": None}
    numbers = {"published": None, "ours": None, "std": None}
    assert gathered.rows == [keys | numbers | {"status": "not available", "why": "no file"}]
    assert gathered.notes == [] and gathered.drawing is None


@pytest.mark.parametrize("installed", [True, False])
def test_tasks_of_graph(monkeypatch, installed):
    monkeypatch.setattr(graphs, "has_pynndescent", lambda: installed)
    tasks = FIGURES["graph"].tasks(PAPER)
    assert [t.name for t in tasks] == ["fastmap"] * 10 + ["variant"] * 10 + ["graph"] + [
        "pynndescent"
    ] * (2 * installed)
    assert tasks[20].params["degree"] == 16 and tasks[20].params["queries"] == 1000
    if installed:
        assert [t.params["trees"] for t in tasks[21:]] == [True, False]
        assert tasks[21].params["neighbors"] == 30 and 0.22 in tasks[21].params["widths"]
