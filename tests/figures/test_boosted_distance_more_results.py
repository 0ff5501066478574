"""The rows and notes of Boosted Distance's figure 3, and of what goes beyond the paper, from
made-up errors, against rows told by hand.

The other figures are in test_boosted_distance_results.py.
"""

import boosted_distance_errors as made_up
import numpy as np
import pytest
from boosted_distance_errors import FIGURES, gather, numbers

from paper_figures.boosted_distance import projections
from paper_figures.tasks import Context

SMALL = Context()
PAPER = Context(scale="paper")
AVAILABLE = ("ad", "sonar", "liver")


@pytest.fixture(autouse=True)
def few(monkeypatch):
    made_up.few_rounds(monkeypatch)


# ----------------------------------------------------------------------------------------- figure 3


def projected(params):
    """Return a value of the task `projections`: NDA has three dimensions, in one repetition two."""
    shift = params["repetition"] - 1
    many = params["share"] is not None
    base = 20.0 if many else 10.0
    dimensions = params["dimensions"]
    missing = 2 if params["repetition"] == 2 else 3
    errors = {
        "none": [(base + shift)],
        "PCA": [(base + 5 - place + shift) for place in range(len(dimensions))],
        "NDA": [
            (base + 2 * place + shift) if place < missing else None
            for place in range(len(dimensions))
        ],
        "LDA": [(base - 1 + 2 * shift)],
    }
    if params["singular"]:
        errors["LDA, singular"] = [(47.0 + shift)]
    return {"errors": errors, "dimensions": {}}


@pytest.fixture
def few_dimensions(monkeypatch):
    for scale in ("small", "paper"):
        monkeypatch.setitem(projections.DIMENSIONS, scale, (1, 2, 5, 10))
        monkeypatch.setitem(projections.MANY, scale, (1, 3))
        monkeypatch.setitem(projections.MANY_REPETITIONS, scale, 2)


def test_tasks_of_figure3(few_dimensions):
    tasks = FIGURES["figure3"].tasks(PAPER)
    own = [t for t in tasks if t.name == "projections"]
    assert [t.name for t in tasks[:12]] == ["repetition"] * 12 and len(own) == 4 * (3 + 2)
    settings = [
        (t.params["share"], t.params["dimensions"], t.params["repetition"], t.params["singular"])
        for t in own
        if t.params["data_set"] == "MNIST"
    ]
    assert settings == [
        *[(None, (1, 2, 5, 10), i, True) for i in range(3)],
        *[(0.8, (1, 3), i, False) for i in range(2)],
    ]
    assert own[0].params == {
        "data_set": "ad",
        "options": {},
        "repetition": 0,
        "dimensions": (1, 2, 5, 10),
        "share": None,
        "singular": False,
    }
    singular = {t.params["data_set"] for t in own if t.params["singular"]}
    assert singular == {"gender", "MNIST"}
    assert all(t.data == (t.params["data_set"],) and t.kernels == () for t in own)


@pytest.mark.parametrize(
    "scale, name, printed", [("small", "digits17", None), ("paper", "MNIST", 49.96)]
)
def test_figure3(few_dimensions, monkeypatch, scale, name, printed):
    monkeypatch.setitem(made_up.SETS, "MNIST", made_up.SETS["digits17"])
    gathered = gather("figure3", Context(scale=scale), [name], projections=projected)
    rows = [row for row in gathered.rows if row["data_set"] == name]
    few, many = "as in table 2", "80% of the data"
    assert numbers(rows, "method", "training", "dimensions", "used") == [
        ("Boosted Distance", few, 2, 1.0, None, 95.0, 1.0),
        ("Boosted Distance", few, 6, 2.0, None, 96.0, 1.0),
        ("Boosted Distance", few, 20, 5.0, None, 98.75, 1.0),
        ("NN (L2)", few, None, None, None, 90.0, 1.0),
        ("PCA", few, 1, None, None, 85.0, 1.0),
        ("PCA", few, 2, None, None, 86.0, 1.0),
        ("PCA", few, 5, None, None, 87.0, 1.0),
        ("PCA", few, 10, None, None, 88.0, 1.0),
        ("NDA", few, 1, None, None, 90.0, 1.0),
        ("NDA", few, 2, None, None, 88.0, 1.0),
        ("LDA", few, 1, None, None, 91.0, 2.0),
        ("LDA by S_b v = lambda S_w v", few, 1, None, printed, 53.0, 1.0),
        # two repetitions, one and no spread below the mean: 80.5 and sqrt(1 / 2)
        ("NN (L2)", many, None, None, None, 80.5, 0.7071),
        ("PCA", many, 1, None, None, 75.5, 0.7071),
        ("PCA", many, 3, None, None, 76.5, 0.7071),
        ("NDA", many, 1, None, None, 80.5, 0.7071),
        ("NDA", many, 3, None, None, 78.5, 0.7071),
        ("LDA", many, 1, None, None, 82.0, 1.4142),
    ]
    assert not any("why" in row for row in rows)
    assert gathered.notes[-1] == (
        f"{name}, best accuracy over the numbers of dimensions. as in table 2: Boosted Distance "
        "98.75, NN (L2) 90.00, PCA 88.00, LDA 91.00, NDA 90.00; 80% of the data: NN (L2) 80.50, "
        "PCA 76.50, LDA 82.00, NDA 80.50."
    )
    assert gathered.notes[:3] == list(projections.NOTES) and len(gathered.notes) == 4


def test_figure3_of_absent_sets(few_dimensions):
    gathered = gather("figure3", PAPER, ["ad"], projections=projected)
    absent = [row for row in gathered.rows if row["data_set"] != "ad"]
    keys = ("data_set", "method", "training", "dimensions", "used", "why")
    assert numbers(absent, *keys) == [
        (name, "LDA", "200 vectors", 1, None, f"no file of {name}", printed, None, None)
        for name, printed in (("gender", 50.08), ("MNIST", 49.96), ("arrhythmia", None))
    ]
    of_ad = [row for row in gathered.rows if row["data_set"] == "ad"]
    assert not any(row["published"] for row in of_ad) and of_ad[1]["used"] == 2.0


# --------------------------------------------------------------------------------- beyond the paper


def test_rounds():
    gathered = gather("rounds", PAPER, AVAILABLE)
    quantities = (
        "Boosted Distance: mean test error",
        "Boosted Distance: mean cross-validated error",
        "Boosted Distance: mean |ours - printed|",
        "AdaBoost, stumps: mean test error",
        "AdaBoost, stumps: mean cross-validated error",
        "AdaBoost, stumps: mean |ours - printed|",
        "sets on which Boosted Distance has the lower error",
    )
    assert [(row["rounds"], row["quantity"]) for row in gathered.rows] == [
        (t, quantity) for t in (1, 3, 10) for quantity in quantities
    ]
    assert {(row["published"], row["std"]) for row in gathered.rows} == {(None, None)}
    ours = np.array([row["ours"] for row in gathered.rows]).reshape(3, 7).tolist()
    expected = [
        # means of ad, sonar, liver; of the two samples; |ours - printed| of sonar and liver
        [135 / 3, 30, (9.33 + 16.42) / 2, 140 / 3, 30, (14.05 + 14.49) / 2, 1],
        [73.88 / 3, 23, (2.33 + 3.42) / 2, 77 / 3, 20, (3.05 + 0.49) / 2, 2],
        [149.1 / 3, 20, (0.17 + 0.02) / 2, 151.5 / 3, 24, (0.05 + 0.01) / 2, 2],
    ]
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
    assert gathered.drawing == {"chosen": 3}
    assert gathered.notes[0].startswith("T = 3 is chosen, by the cross-validated errors alone")
    assert "averaged over 3 sets (the distance from the printed ones: 2)" in gathered.notes[0]


def test_distances_compares_the_distance_that_the_paper_names():
    gathered = gather("distances", PAPER, ["sonar"])
    rows = [row for row in gathered.rows if row["data_set"] in ("sonar", "liver")]
    assert numbers(rows, "data_set", "distance") == [
        ("sonar", "L1", None, 24.0, 1.0),
        ("sonar", "L2", None, 27.0, 1.0),
        ("sonar", "RCA", None, 30.0, 1.0),
        ("sonar", "Mah", None, 30.0, 1.0),
        ("sonar", "Mah-C", None, 30.0, 1.0),
        ("sonar", "RCA-D", None, 30.0, 1.0),
        ("sonar", "Mah-D", 26.1, 26.0, 1.0),
        ("sonar", "Mah-CD", None, 30.0, 1.0),
        ("liver", "all", 41.11, None, None),
    ]
    assert len(gathered.rows) == 8 + 14
