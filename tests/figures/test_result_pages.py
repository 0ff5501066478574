"""What pages of results and the papers' indexes say of the records, where no template writes it.

What templates write is held by tests/project/test_readme.py."""

import pytest
from readme import REPRODUCED, Quoted

WHOLE, RANKED = "whole sets", "ranked lists"
FOREST = "Boosted Search Forest"
PRINTED = f"{FOREST}, x~ as printed"
BOOSTED, BOOSTMAP, SEARCH, FTUNE = map(
    Quoted, ("boosted_distance", "boostmap", "search_forest", "ftune")
)


def index(room):
    path = REPRODUCED.parents[1] / "refimpl" / room / "PAPER.md"
    return " ".join(path.read_text(encoding="utf-8").split())


def test_no_mark_of_a_failure_lies_beside_the_results():
    assert not list(REPRODUCED.rglob("*.failed.json"))


# --------------------------------------------------------------------------------- Boosted Distance


def test_how_far_boosted_distance_is_from_print():
    """The index and the notes of verdicts.toml have the mean distance over the 13 sets."""
    notes = REPRODUCED.parent / "published" / "boosted_distance" / "verdicts.toml"
    far, of_stumps = (
        BOOSTED.ours("rounds", 2, quantity=f"{name}: mean |ours - printed|", rounds=100)
        for name in ("Boosted Distance", "AdaBoost, stumps")
    )
    noted = " ".join(notes.read_text(encoding="utf-8").split())
    for text in (index("boosted_distance"), noted):
        assert f"in the place of {far}" in text
    assert f"Distance are {far} points from the printed ones" in noted
    assert f"AdaBoost's {of_stumps} and" in noted


def test_what_changes_with_the_rounds_of_boosted_distance():
    """At T = 100, 200 and 500."""
    cells = BOOSTED.claim("mean-improvement").cells
    assert [state for _, state in cells] == ["fails", "holds", "holds"]
    quantity = "AdaBoost less Boosted Distance"
    leads = (
        BOOSTED.one("rounds", quantity=quantity, data_set="credit", rounds=T)["ours"] < 0
        for T in (100, 200, 500)
    )
    assert list(leads) == [True, True, False]


# ----------------------------------------------------------------------------------------- BoostMap


def test_the_papers_index_of_boostmap_quotes_the_ranks():
    """refimpl/boostmap/PAPER.md: the chamfer distance by the mean, beside squares."""
    text = index("boostmap")
    for distance in ("QI", "QS"):
        for triples in ("Ra", "Se"):
            keys = {"distance": distance, "triples": triples, "percentile": 95}
            ranks = [BOOSTMAP.one("table1", k=k, **keys) for k in (1, 10, 100)]
            published, mine = (
                ", ".join(f"{row[side]:,.0f}" for row in ranks) for side in ("published", "ours")
            )
            assert f"Fe-{triples}-{distance} {published} {mine} " in text
    best, p = (
        BOOSTMAP.one("costs", method="FastMap", quantity=quantity)["ours"]
        for quantity in ("dimensions", "candidates_p")
    )
    assert f"11 {best:.1f} (mean)" in text and f"5,523 {p:,.0f} (mean)" in text


# ------------------------------------------------------------------------------------ Search Forest


def recall(figure, method, reading, returned):
    """Return the per cent found, as the pages round it."""
    row = SEARCH.one(figure, method=method, reading=reading, returned=returned)
    return round(row["ours"], 1)


@pytest.mark.parametrize("figure", ["figure1", "figure2"])
def test_the_forest_as_printed_finds_fewer_at_every_number(figure):
    """The claims of the forest and its rivals say so in a note."""
    counts = {row["returned"] for row in SEARCH.rows(figure, method=FOREST)}
    assert len(counts) > 9
    for returned in counts:
        for at in ((WHOLE, returned), (RANKED, returned)):
            assert recall(figure, PRINTED, *at) < recall(figure, FOREST, *at)


def test_where_forests_find_less_than_lsh():
    assert recall("figure1", PRINTED, WHOLE, 500) < recall("figure1", "LSH", WHOLE, 500)
    for returned in (3500, 4000, 4500, 5000):
        at = (RANKED, returned)
        assert recall("figure2", FOREST, *at) < recall("figure2", "LSH", *at)


def split(planes="eq. 18", reading=WHOLE, returned=600, **keys):
    if planes == "eq. 18":
        keys = {"offset": "eigenvector", "moves": 0, "augment": 0.1} | keys
    return SEARCH.one("splits", planes=planes, reading=reading, returned=returned, **keys)


def test_planes_between_two_means_beside_learnt_ones():
    for n in (100, 200, 300, 400, 500):
        assert split("2-means", returned=n)["ours"] > split(returned=n)["ours"]
        for planes in ("random", "principal directions", "2-means"):
            assert split(planes, RANKED, n)["ours"] < split(reading=RANKED, returned=n)["ours"]


def test_the_papers_index_of_the_forest_quotes_the_splits():
    """refimpl/search_forest/PAPER.md: the default form, best thresholds, moved planes."""
    text = index("search_forest")

    def found(**keys):
        both_readings = (split(reading=reading, **keys) for reading in (WHOLE, RANKED))
        return [part for row in both_readings for part in (f"{row['ours']:.1f}", row["lambda"])]

    printed = found()
    assert (
        "{} % of the neighbours among 600 returned in whole sets, the main reading (lambda {}), "
        "and {} % in ranked lists ({});"
    ).format(*printed) in text
    best, moved = found(offset="best"), found(offset="best", moves=10)
    assert "best thresholds it is {} ({}) and {} % ({})".format(*best) in text
    assert "10 moves as well {} ({}) and {} % ({})".format(*moved) in text
    other = f"{split(augment=1.0)['ours']:.1f}"
    assert f"whole sets {other} % of the neighbours, and {printed[0]} % with 0.1" in text


# -------------------------------------------------------------------------------------------- FTUNE


def test_runs_of_ftune():
    assert {row["n"] for row in FTUNE.rows("figure1")} == {150}
    assert {row["n"] for row in FTUNE.rows("table2")} == {5, 20, 120}


def test_how_often_ftune_chooses_the_identity():
    """The reason of the claim quotes the record's note."""
    noted = " ".join(FTUNE.stored("transfer")["notes"])
    few, many = (
        noted.split(f"{landmarks} landmarks chooses the slope 1 in ")[1].split(",")[0]
        for landmarks in (30, 300)
    )
    because = FTUNE.claim("better-transfer-function").because
    assert f"{few} of 78 runs with 30 landmarks and in {many} with 300" in because
