"""The pages of results, paper_figures/reproduced/<paper>/README.md, name every figure, and agree
with their records. Three of the papers have files of their own.
"""

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
    assert figures <= named_figures()


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


def test_boostmap_readings_are_what_the_file_holds():
    """Two readings bracket the selective ranks; the random ones stay below the printed ones."""
    text = " ".join(PAGES["boostmap"].split())
    ranks, printed = {}, {}
    for row in rows_of("boostmap", "readings"):
        if row["printed"] is not None and row["reading"].startswith("additions alone, and m"):
            ranks.setdefault((row["triples"], row["k"]), []).append(row["ours"])
            printed[row["triples"], row["k"]] = row["printed"]
    both = {cell: f"{first:,} and {second:,}" for cell, (first, second) in ranks.items()}
    shown = {cell: f"{number:,.0f}" for cell, number in printed.items()}
    of = {triples: [(triples, k) for k in (1, 10, 100)] for triples in ("Ra", "Se")}
    selective = ", ".join(both[cell] for cell in of["Se"])
    of_print = ", ".join(shown[cell] for cell in of["Se"])
    assert f"{selective} at the 95th percentile (printed {of_print})" in text
    random = ", ".join(both[cell] for cell in of["Ra"])
    first, second, third = (shown[cell] for cell in of["Ra"])
    assert f"have {random}, far below the printed {first}, {second} and {third}." in text
    assert all(min(ranks[cell]) < printed[cell] < max(ranks[cell]) for cell in of["Se"])
    assert all(max(ranks[cell]) < printed[cell] for cell in of["Ra"])


def test_boostmaps_detector_is_what_the_file_holds():
    """Sigma 1.7 and 1.8 are nearest to the printed k-nn errors; 1.7 is best at the printed k."""
    errors = {}
    for row in rows_of("boostmap", "edges"):
        if row["ours"] is not None and "error" in row["quantity"]:
            errors.setdefault(row["detector"], []).append(row)
    off = {name: sum(abs(r["ours"] - r["printed"]) for r in of) for name, of in errors.items()}
    names = [f"Canny, sigma {sigma}, thresholds 0.1 and 0.2" for sigma in (1.8, 1.7)]
    assert sorted(off, key=off.get)[:2] == names
    at = [errors[name][1]["quantity"] for name in names]
    assert "k = 5" in at[1] and "k = 5" not in at[0]
    first, best = (f"{r['printed']:.2f} / {r['ours']:.2f} %" for r in errors[names[1]])
    text = " ".join(PAGES["boostmap"].split())
    assert f"k-nn errors: {first} for k = 1, {best} for k = 5 (`boostmap.edges`)" in text
