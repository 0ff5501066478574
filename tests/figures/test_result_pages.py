"""The pages of results, paper_figures/reproduced/<paper>/README.md, name every figure, and agree
with their records. Three of the papers have files of their own.
"""

import json
import re

from result_pages import PAGES, REPRODUCED, rows_of

from paper_figures.registry import load_papers


def named_figures():
    """Return the figures that the pages name.

    They write `paper.figure`, then `.figure` for the same paper, or `paper.figure4` to
    `paper.figure11`.
    """
    names = set()
    paper = None
    text = " ".join(PAGES.values())
    for first, last in re.findall(r"`((?:\w+)?\.\w+)`(?:\s+to\s+`((?:\w+)?\.\w+)`)?", text):
        paper = first.split(".")[0] or paper
        stem, number = re.fullmatch(r"(.*?)(\d*)", first.split(".")[1]).groups()
        numbers = (
            range(int(number), int(re.search(r"\d+$", last).group()) + 1) if last else [number]
        )
        names |= {f"{paper}.{stem}{n}" for n in numbers}
    return names


def test_every_figure_is_named():
    figures = {f"{paper.name}.{figure.name}" for paper in load_papers() for figure in paper.figures}
    missing = figures - named_figures()
    assert not missing, "name them in paper_figures/reproduced/<paper>/README.md"


def test_errors_of_boosted_distance_are_what_the_files_hold():
    wanted = {"NN, best of eight distances": 0, "AdaBoost, stumps": 1, "Boosted Distance": 2}
    rows = {}
    for row in rows_of("boosted_distance", "table2"):
        if row["method"] in wanted:
            ours = "not available" if row["ours"] is None else f"{row['ours']:.2f}"
            rows.setdefault(row["data_set"], ["", "", ""])[wanted[row["method"]]] = (
                f"{row['published']:.2f} / {ours}"
            )
    assert len(rows) == 15
    for name, cells in rows.items():
        assert f"| {name} | {' | '.join(cells)} |" in PAGES["boosted_distance"]


def test_what_depends_on_t_in_boosted_distance():
    file = REPRODUCED / "boosted_distance" / "claims.json"
    claims = {c["id"]: c for c in json.loads(file.read_text(encoding="utf-8"))["claims"]}
    text = " ".join(PAGES["boosted_distance"].split())
    mean, lowest = claims["mean-improvement"], claims["lowest-on-twelve"]
    assert [state for _, state in mean["cells"]] == ["fails", "holds", "holds"]  # T = 100, 200, 500
    assert f"is {-mean['numbers'][0]['ours']:.1f} points below the published one at 100" in text
    states = [state for _, state in lowest["cells"] if state != "not testable here"]
    first, second, third = (states[i : i + 13].count("holds") for i in (0, 13, 26))
    assert f"the lowest error on {first}, {second} and {third} of 13 sets" in text
    lead = {
        (row["rounds"], row["data_set"]): row
        for row in rows_of("boosted_distance", "rounds")
        if row.get("quantity") == "AdaBoost less Boosted Distance"
    }
    assert [lead[T, "credit"]["ours"] < 0 for T in (100, 200, 500)] == [True, True, False]


def test_every_picture_is_shown():
    pictures = {path.relative_to(REPRODUCED).as_posix() for path in REPRODUCED.rglob("*.png")}
    shown = [
        f"{paper}/{name}"
        for paper, page in PAGES.items()
        for name in re.findall(r"!\[.+?\]\((.*?)\)", page)
    ]
    assert sorted(shown) == sorted(pictures)


def test_no_mark_of_a_failure_lies_beside_the_results():
    assert not list(REPRODUCED.rglob("*.failed.json"))


def test_boostmap_ranks_are_what_the_files_hold():
    rows = rows_of("boostmap", "table1")
    lines = PAGES["boostmap"].splitlines()
    assert len(rows) == 24
    for row in rows:
        line = next(
            line for line in lines if line.startswith(f"| {row['k']} | {row['percentile']} |")
        )
        assert f" {row['published']:.0f} / {row['ours']} |" in line


def test_boostmap_distances_are_what_the_file_holds():
    totals = {
        row["method"]: f"{row['published']:,.0f} / {row['ours']:,.0f}"
        for row in rows_of("boostmap", "costs")
        if row["quantity"] == "total_distances"
    }
    text = " ".join(PAGES["boostmap"].split())
    random, selective = (totals[f"BoostMap-Fe-{triples}-QI"] for triples in ("Ra", "Se"))
    assert f"{totals['FastMap']} for FastMap, {random} and {selective} for BoostMap" in text
    clipped = totals["FastMap, clipped"].split(" / ")[1]
    assert f"squares below 0 set to 0, which the paper does not mention, needs {clipped}:" in text


def test_boostmap_comparisons_are_what_the_files_hold():
    def paired(difference, k="all"):
        keys = {"difference": difference, "k": k}
        (row,) = (row for row in rows_of("boostmap", "paired") if keys.items() <= row.items())
        return row

    text = " ".join(PAGES["boostmap"].split())
    both = ("QI", "QS")
    ranks = [f"{paired(f'ranks: Pa-Se-{q} over Fe-Se-{q}, %')['ours']:.0f}" for q in both]
    errors = [f"{-paired(f'Pa-Se-{q} minus Fe-Se-{q}')['ours']:.2f}" for q in both]
    assert f"classification have ranks {' and '.join(ranks)} % higher" in text
    assert f"k-nn errors {' and '.join(errors)} points lower" in text
    one = paired("Pa-Se-QS minus chamfer distance", 1)
    assert f"The 1-nn error is {-one['ours']:.2f} +- {one['error']:.2f} points below" in text
    lower = {"distance": 0, "triples": 0}
    rows = rows_of("boostmap", "table1")
    ours = {(r["distance"], r["triples"], r["k"], r["percentile"]): r["ours"] for r in rows}
    for distance, triples, *at in ours:
        lower["distance"] += distance == "QS" and (
            ours["QS", triples, *at] < ours["QI", triples, *at]
        )
        lower["triples"] += triples == "Se" and (
            ours[distance, "Se", *at] < ours[distance, "Ra", *at]
        )
    assert f"the lower rank in {lower['distance']} of 12 cells of Table 1" in text
    assert f"Selective triples have the lower rank in {lower['triples']} of 12" in text
