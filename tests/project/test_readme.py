"""What the README says is so: its headlines, names and links."""

import importlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
REPRODUCED = ROOT / "paper_figures" / "reproduced"
PAPERS = ("boosted_distance", "boostmap", "search_forest", "lmnn", "ftune")
PAGES = [
    README,
    ROOT / "tests" / "benchmarks" / "README.md",
    *sorted(REPRODUCED.glob("*/README.md")),
]
TEXT = README.read_text(encoding="utf-8")
ROWS = [line for line in TEXT.splitlines() if re.search(r"20\d\d\) \| `refimpl\.", line)]


def rows_of(paper, figure):
    return json.loads((REPRODUCED / paper / f"{figure}.json").read_text(encoding="utf-8"))["rows"]


def test_the_readme_is_short():
    assert len(TEXT.encode()) <= 8000


def test_functions_and_estimators_of_the_table_exist():
    estimators = importlib.import_module("refimpl.estimators")
    assert len(ROWS) == 5
    for row in ROWS:
        _, _, function, classes, _, _ = row.split("|")
        module, name = function.strip(" `").rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), name))
        for estimator in re.findall(r"`(\w+)`", classes):
            assert hasattr(estimators, estimator)


def test_headlines_are_what_the_files_hold():
    boosted, boostmap, forest, lmnn, ftune = (row.split("|")[4] for row in ROWS)
    errors = {
        (row["method"], row["data_set"]): row for row in rows_of("boosted_distance", "table2")
    }
    mnist = errors["Boosted Distance", "MNIST"]
    assert f"{mnist['published']:.2f} / {mnist['ours']:.2f} %" in boosted
    costs = {(row["method"], row["quantity"]): row for row in rows_of("boostmap", "costs")}
    cost = costs["BoostMap-Fe-Se-QI", "total_distances"]
    assert f"{cost['published']:,.0f} / {cost['ours']:,.0f}" in boostmap
    recall = next(
        row["ours"]
        for row in rows_of("search_forest", "figure1")
        if row["method"] == "Boosted Search Forest" and row["returned"] == 500
    )
    assert f"70 / {recall:.1f} %" in forest
    error = next(
        row
        for row in rows_of("lmnn", "table1")
        if (row["N"], row["images"], row["measure"])
        == (60_000, "mean 0, length 1", "test error (%)")
    )
    assert f"{error['published']} / {error['ours']} %" in lmnn
    rows = [
        row
        for row in rows_of("ftune", "table2")
        if row["published"] is not None and row["ours"] is not None
    ]
    near = sum(abs(row["published"] - row["ours"]) < 0.03 + 1e-9 for row in rows)
    assert f"{near} of {len(rows)} accuracies" in ftune


def test_the_claims_that_hold_are_counted():
    for paper, row in zip(PAPERS, ROWS, strict=True):
        path = REPRODUCED / paper / "claims.json"
        states = [claim["state"] for claim in json.loads(path.read_text("utf-8"))["claims"]]
        assert row.split("|")[4].startswith(f" {states.count('holds')} of {len(states)}")


def test_the_states_of_the_forests_claims_are_counted():
    path = REPRODUCED / "search_forest" / "claims.json"
    claims = json.loads(path.read_text("utf-8"))["claims"]
    states = [claim["state"] for claim in claims]
    of_data = [
        claim
        for claim in claims
        if claim["state"] == "not testable here"
        and re.search(r"were never published|has been withdrawn", claim["because"])
    ]
    said = (
        f"{states.count('fails')} fail, {states.count('open')} are open, "
        f"{states.count('not testable here')} cannot be tested, {len(of_data)} of these for want "
        "of data"
    )
    assert said in ROWS[2]


def test_the_better_of_the_two_boosted_methods_is_the_printed_one():
    wanted = "AdaBoost, stumps", "Boosted Distance"
    errors = {}
    for row in rows_of("boosted_distance", "table2"):
        if row["method"] in wanted and row["ours"] is not None:
            errors.setdefault(row["data_set"], []).append(
                (row["published"], row["ours"], row["method"])
            )
    same = [min(rows)[2] == min(rows, key=lambda row: row[1])[2] for rows in errors.values()]
    assert f"{sum(same)} of {len(same)} sets" in ROWS[0]


def test_pictures_and_files_that_the_pages_name_exist():
    for page in PAGES:
        for target in re.findall(r"\]\(([\w./-]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page, target)
