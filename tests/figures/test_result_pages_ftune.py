"""The page of results of FTUNE agrees with the records."""

import json

from result_pages import PAGES, REPRODUCED, rounded, rows_of

TEXT = " ".join(PAGES["ftune"].split())


def table2(landmarks, *methods):
    """The rows of methods in Table 2."""
    return [
        row
        for row in rows_of("ftune", "table2")
        if row["landmarks"] == landmarks and row.get("method") in methods
    ]


def best_on(landmarks, *methods):
    """On how many sets one of the methods is among the best."""
    return len({row["data_set"] for row in table2(landmarks, *methods) if row["best"] == "yes"})


def off(landmarks, method):
    """The mean distance of a method from the published accuracies."""
    gaps = [abs(row["ours"] - row["published"]) for row in table2(landmarks, method)]
    assert len(gaps) == 12
    return rounded(sum(gaps) / 12, 3)


def test_who_is_among_the_best():
    ours = [best_on(d, "FTUNE-S", "FTUNE-M") for d in (30, 300)]
    said = f"among the best on {ours[0]} of 12 sets with 30 landmarks and on {ours[1]} with 300."
    assert f"FTUNE-S or FTUNE-M is {said}" in TEXT
    rival = [best_on(d, "BBS") for d in (30, 300)]
    assert f"BBS is among the best on {rival[0]} and {rival[1]} sets." in TEXT


def test_how_far_table_2_is_from_the_print():
    few, many = (off(d, "FTUNE-S") for d in (30, 300))
    assert f"FTUNE-S is {few} from the published accuracies on average with 30" in TEXT
    assert f"with 30 landmarks, {many} with 300." in TEXT
    few, many = (off(d, "BBS") for d in (30, 300))
    assert f"Our BBS is {few} and {many} above the published one" in TEXT


def test_one_slope_alone():
    def ahead(slope):
        name = f"FTUNE-S less FTUNE-S, slope {slope} alone"
        rows = [row for row in rows_of("ftune", "transfer") if row["landmarks"] == 30]
        mine = [row for row in rows if row.get("comparison") == name]
        assert len(mine) == 12
        return sum(row["ours"] > 2 * row["error"] for row in mine)

    said = f"slope 1,000 alone on {ahead('1,000')} of 12 sets, and of the slope 1 alone on "
    assert f"{said}{ahead(1)}." in TEXT


def test_runs_and_cost():
    assert {row["n"] for row in rows_of("ftune", "figure1")} == {150}
    runs = {row["n"] for row in rows_of("ftune", "table2")}
    assert runs == {5, 20}
    records = {
        name: json.loads((REPRODUCED / "ftune" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("figure1", "table2", "figure2", "transfer")
    }
    # Table 1's cells are Figure 1's; Figure 2 shares those of its sets with Table 2
    seconds = sum(records[name]["cpu_seconds"] for name in ("figure1", "table2", "transfer"))
    assert seconds < 41 * 60 < seconds + records["figure2"]["cpu_seconds"]
