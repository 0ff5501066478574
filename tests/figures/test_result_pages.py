"""The pages of results, paper_figures/reproduced/<paper>/README.md, agree with their files."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from paper_figures.registry import load_papers

REPRODUCED = Path(__file__).resolve().parents[2] / "paper_figures" / "reproduced"
PAGES = {
    paper: (REPRODUCED / paper / "README.md").read_text(encoding="utf-8")
    for paper in ("boosted_distance", "boostmap", "search_forest", "lmnn", "ftune")
}


def rows_of(paper, figure):
    return json.loads((REPRODUCED / paper / f"{figure}.json").read_text(encoding="utf-8"))["rows"]


def drawing_of(paper, figure):
    return json.loads((REPRODUCED / paper / f"{figure}.json").read_text("utf-8"))["drawing"]


def rounded(number, places):
    """Return a number as the pages write it, 5 rounded up."""
    return str(Decimal(str(number)).quantize(Decimal(10) ** -places, ROUND_HALF_UP))


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


def test_recalls_of_the_search_forest_are_what_the_files_hold():
    def recalls(figure, key, at):
        return {
            row["method"]: f"{row['ours']:.1f}"
            for row in rows_of("search_forest", figure)
            if row[key] == at
        }

    text = " ".join(PAGES["search_forest"].split())
    forest = "Boosted Search Forest"
    trees = "k-means trees"
    bins = "k-means trees, best-bin-first"
    tree = "k-means tree, best-bin-first"
    two = "k-means trees of 2 regions"
    whole, ranked = (
        {
            row["method"]: f"{row['ours']:.1f}"
            for row in rows_of("search_forest", "figure1")
            if row["returned"] == 500 and row["reading"] == reading
        }
        for reading in ("whole sets", "ranked lists")
    )
    codes = [ranked[f"spectral hashing {bits} bits"] for bits in (32, 96, 200)]
    assert f"forest of 17 trees 70 / {whole[forest]} %" in text
    assert f"bits 60 / {codes[2]} %" in text
    assert f"LSH ({whole['LSH']} %) and level with codes of 32 bits ({codes[0]} %;" in text
    assert f"ahead of 96 bits ({codes[1]} %), 200 bits or k-means trees" in text
    assert f"trees ({whole[two]} % with" in text
    assert f"regions, {whole[trees]} % with more). A forest that" in text
    assert f"20,000 has {whole[forest + ', all points']} %. Moved" in text
    assert f"have, give {whole[forest + ', moved planes']} %." in text
    assert (
        f"it has {ranked[forest]} %, LSH {ranked['LSH']}, k-means trees {ranked[two]} and "
        f"{ranked[trees]}, best-bin-first search {ranked[bins]} in 17 trees and {ranked[tree]} in"
    ) in text
    methods = (forest, trees, bins, tree, "LSH", "spectral hashing 500 bits")
    few, some, many = (
        [recalls("figure2", "returned", n)[m] for m in methods] for n in (250, 2500, 5000)
    )
    assert (
        "has {} %, the leaves of k-means trees {}, best-bin-first search {}, in one tree {}, "
        "LSH {} and 500 bits {} %"
    ).format(*few) in text
    listed = "{}, {}, {}, {}, {} and {} %"
    assert f"these are {listed}, among 5,000 {listed}".format(*some, *many) in text
    regions = recalls("regions", "returned", 500)
    assert f"({regions['k-means trees of 2 regions']} % at 500; `search_forest.regions`)" in text
    rows = rows_of("search_forest", "dimensions")
    both = [
        [f"{row['ours']:.1f}" for row in rows if row["method"] == name and row["returned"] == 100]
        for name in (forest, trees)
    ]
    assert (
        "forest with moved planes has {}, {} and {} %, k-means trees {}, {} and {} %".format(
            *both[0], *both[1]
        )
        in text
    )
    by = {
        (row["planes"], row["offset"], row["moves"], row["augment"]): f"{row['ours']:.1f}"
        for row in rows_of("search_forest", "splits")
        if (row["returned"], row["reading"]) == (600, "whole sets")
    }
    eq18 = {key[1:]: number for key, number in by.items() if key[0] == "eq. 18"}
    others = {key[0]: number for key, number in by.items() if key[0] != "eq. 18"}
    assert (
        f"printed form has {eq18['eigenvector', 0, 0.1]} %, and {eq18['eigenvector', 0, 1.0]} % "
        "where the last entry of x~ is 1 instead of 0.1. With the offsets that are best for eq. 17 "
        f"it has {eq18['best', 0, 0.1]} %, with planes moved on {eq18['best', 10, 0.1]} %."
    ) in text
    assert (
        f"have {others['2-means']} % with planes between two means, "
        f"{others['principal directions']} % with principal directions, {others['random']} % with"
    ) in text


def test_lookups_of_the_search_forest_are_what_the_file_holds():
    text = " ".join(PAGES["search_forest"].split())
    at = {
        (row["data_set"], row["bits"], row["quantity"]): f"{row['ours']:.1f}"
        for row in rows_of("search_forest", "lookup")
    }
    digits, images = (
        {key[1:]: number for key, number in at.items() if key[0] == name}
        for name in ("MNIST-10", "tiny-images")
    )
    nothing, recall = "queries that find nothing (%)", "recall (%)"
    assert f"{digits[16, nothing]} % of 1,000 queries find nothing" in text
    assert f"{digits[32, nothing]} % with 32 and {digits[48, nothing]} % with 48" in text
    three = [images[bits, nothing] for bits in (16, 32, 48)]
    assert f"it is {three[0]}, {three[1]} and {three[2]} %" in text
    assert f"is {digits[16, recall]} and {images[16, recall]} %" in text


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


def test_components_of_each_preparation_are_what_the_file_holds():
    has = {
        row["images"]: row["ours"]
        for row in rows_of("lmnn", "preparation")
        if row["measure"] == "components with 95 % of the variance"
    }
    words = (
        "{raw pixels} have it of raw pixels, {mean 0, length 1} of images of mean 0 and length 1, "
    )
    words += "{deskewed images} of deskewed ones"
    assert words.format(**has) in " ".join(PAGES["lmnn"].split())
    assert 169 not in has.values()


def test_lmnn_numbers_are_what_the_files_hold():
    rows = {(row["N"], row["images"], row["measure"]): row for row in rows_of("lmnn", "table1")}
    text = PAGES["lmnn"]
    for images, places in (
        ("mean 0, length 1", "{published} / {ours} %"),
        ("raw pixels", "{ours}"),
    ):
        for measure in ("test error (%)", "Euclidean test error (%)"):
            assert places.format(**rows[60_000, images, measure]) in text
    row = rows[60_000, "mean 0, length 1", "active triples"]
    assert f"{row['published']:,.0f} / {row['ours']:,}" in text


def test_shares_of_169_components_and_both_rules_for_ties():
    at = {(row["images"], row["measure"]): row["ours"] for row in rows_of("lmnn", "preparation")}
    text = " ".join(PAGES["lmnn"].split())
    kinds = ("mean 0, length 1", "raw pixels", "deskewed images")
    plain, raw, sheared = (rounded(at[k, "variance in 169 components (%)"], 1) for k in kinds)
    assert (
        f"169 components hold {raw} % of the variance of raw pixels, {plain} % of images of mean 0 "
        f"and length 1, and {sheared} % of deskewed ones"
    ) in text
    first = [rounded(at[k, "Euclidean test error (%)"], 2) for k in kinds]
    assert "the Euclidean errors are {}, {} and {} % (`lmnn.preparation`)".format(*first) in text
    printed = {
        row["images"]: row["ours"]
        for row in rows_of("lmnn", "table1")
        if (row["N"], row["measure"]) == (60_000, "Euclidean test error (%)")
    }
    to_nearest = "Euclidean test error, ties to the nearest (%)"
    assert {k: at[k, to_nearest] for k in kinds} == printed


def test_steps_of_lmnn_are_what_the_file_holds():
    """Between two checks as many triples are active as printed; the errors there, and the end's."""
    active = {60: 844, 600: 6169, 6000: 50_345, 60_000: 540_037}
    ends = []
    text = " ".join(PAGES["lmnn"].split())
    for n, printed in active.items():
        line = [
            row
            for row in rows_of("lmnn", "steps")
            if (row["N"], row["start"]) == (n, "Euclidean, scaled")
        ]
        above = max((r for r in line[:-1] if r["active"] >= printed), key=lambda r: r["steps"])
        after = line[line.index(above) + 1]
        assert 7 <= above["steps"] < after["steps"] <= 31
        places = 2 if n == 60_000 else 1
        low, high = sorted(float(row["ours"]) for row in (above, after))
        words = f"{rounded(low, places)} to {rounded(high, places)} % ({n:,}"
        assert words in text.replace("(60 digits", "(60"), words
        assert line[-1]["steps"] == "optimum"
        ends.append(rounded(line[-1]["ours"], places))
    assert "The optimum has {}, {}, {} and {} %".format(*ends) in text


def test_low_ranks_of_lmnn_are_what_the_file_holds():
    error = {(r["method"], r["dimensions"]): r["ours"] for r in rows_of("lmnn", "figure2")}
    text = " ".join(PAGES["lmnn"].split())
    rect, pca, svd, early = ("LMNN-RECT", "PCA", "LMNN-SVD", "LMNN-SVD, steps that end early")
    for words, method in (
        ("LMNN-RECT", rect),
        ("PCA", pca),
        ("LMNN-SVD of the certified optimum", svd),
        ("early steps from the Euclidean metric", early),
    ):
        line = " / ".join(f"{error[method, d]:.2f}" for d in (15, 25, 40))
        assert f"{words} {line} %" in text
    ranks = (15, 20, 25, 30, 35, 40)
    as_printed = [d for d in ranks if error[rect, d] < error[early, d] < error[pca, d]]
    assert as_printed == [20, 25, 30, 35] and "same order from 20 dimensions to 35" in text
    assert f"({error[rect, 30]:.2f} and {error[early, 30]:.2f} % in 30)" in text
    behind = [d for d in ranks if error[svd, d] > error[pca, d]]
    assert behind == [15, 20, 25, 30, 35]
    assert f"up to 35 dimensions ({error[svd, 35]:.2f} and {error[pca, 35]:.2f} %)" in text


def test_errors_of_figure_5_are_what_the_file_holds():
    """Letters by the number of components: the claim is of those with 95 % of the variance."""
    at = {
        (row["data set"], row["measure"], row["method"], row["d"]): row
        for row in rows_of("lmnn", "figure5")
    }
    methods = ("one metric", "several metrics")

    def pair(row):
        return f"{row['published']:.2f} / {row['ours']:.2f}"

    text = " ".join(PAGES["lmnn"].split())
    for words, name, d in (
        ("MNIST", "MNIST-10", 161),
        ("20 newsgroups", "20news", 200),
        ("Isolet", "isolet", 170),
        ("faces", "yalefaces", 60),
        ("letters", "letters", 12),
    ):
        one, several = (pair(at[name, "test", method, d]) for method in methods)
        assert f"{words} {one} and {several} %" in text
    all_16 = [f"{at['letters', 'test', method, 16]['ours']:.2f}" for method in methods]
    assert "On all 16 components letters have {} and {} %".format(*all_16) in text
    digits, spoken = (
        pair(at[name, "train", methods[1], d]) for name, d in (("MNIST-10", 161), ("isolet", 170))
    )
    assert f"MNIST {digits} %, Isolet {spoken} %" in text


def test_errors_of_figure_4_are_what_the_file_holds():
    at = {(r["data set"], r["metrics"]): rounded(r["ours"], 2) for r in rows_of("lmnn", "figure4")}
    text = " ".join(PAGES["lmnn"].split())
    one, many, classes = (at["MNIST-10", p] for p in (1, 30, "one for each class"))
    said = f"{one} % with one metric, {many} with 30 by k-means and {classes} with one for each"
    assert said in text
    one, *clusters, most = (at["isolet", p] for p in (1, 2, 3, 5, 10, 15, 20, 30))
    assert f"open: {one} % with one metric, {', '.join(clusters)} and {most} with" in text
    assert f"and {at['isolet', 'one for each class']} with one for each class" in text


def test_small_sets_of_lmnn_are_what_the_file_holds():
    at = {
        (row["data set"], row["method"]): f"{row['ours']:.1f}"
        for row in rows_of("lmnn", "small_sets")
        if row["measure"] == "test error (%)"
    }
    text = " ".join(PAGES["lmnn"].split())
    one, several, to_end = "one metric", "several metrics", "several metrics, no validation"
    zernike, sonar, segment, wdbc = "mfeat-zernike", "sonar", "segment", "wdbc"
    for said in (
        f"(Zernike moments {at[zernike, several]} instead of {at[zernike, to_end]} % test error, "
        f"sonar {at[sonar, several]} and {at[sonar, to_end]}, "
        f"segment {at[segment, several]} and {at[segment, to_end]})",
        f"on wdbc ({at[wdbc, several]} and {at[wdbc, to_end]})",
        f"on ionosphere ({at['ionosphere', several]} and {at['ionosphere', one]} %)",
        f"worse on sonar ({at[sonar, several]} and {at[sonar, one]})",
        f"the Zernike moments ({at[zernike, several]} and {at[zernike, one]})",
        f"plain neighbours ({at[sonar, '1-NN']})",
        f"on segment one metric is better ({at[segment, one]} and {at[segment, 'SVC']})",
    ):
        assert said in text, said


def test_what_the_forest_and_its_rivals_are_compared_with_is_what_the_files_hold():
    text = " ".join(PAGES["search_forest"].split())
    curves = {(c["method"], c["reading"]): c for c in drawing_of("search_forest", "figure1")}
    two = "k-means trees of 2 regions"
    forest, moved, everything = (
        f"Boosted Search Forest{more}" for more in ("", ", moved planes", ", all points")
    )
    returned = [curves[m, "whole sets"]["candidates"] for m in (everything, moved, two)]
    assert all(420 - 0.5 < number < 480 for number in returned)
    assert "return 420 to 480 items with 17 trees" in text
    planes, few, many, bins, tree = (
        max(curves[method, "ranked lists"]["compared"])
        for method in (
            forest,
            two,
            "k-means trees",
            "k-means trees, best-bin-first",
            "k-means tree, best-bin-first",
        )
    )
    assert (
        f"{planes:.0f} planes for the forest, {few:.0f} and {many:,.0f} centres for the 17 trees, "
        f"up to {bins:,.0f} and {tree:,.0f} for best-bin-first search"
    ) in text


def test_more_training_points_help_moved_planes_as_the_file_says():
    text = " ".join(PAGES["search_forest"].split())
    middle = {"lambda": 0.05, "depth": 12, "moves": 10, "returned": 600}
    found = {
        row["training points"]: rounded(row["ours"], 1)
        for row in rows_of("search_forest", "sensitivity")
        if middle.items() <= row.items()
    }
    three = [found[n] for n in (5000, 10_000, 20_000)]
    assert "5,000, 10,000 and 20,000 give {}, {} and {} %".format(*three) in text


def test_times_of_the_search_forest_are_what_the_files_hold():
    text = " ".join(PAGES["search_forest"].split())
    times = {
        (row["search"], row["items"]): row
        for row in rows_of("search_forest", "table1")
        if row["bits"] == 512
    }
    scan, forest = (times[name, 50_000_000] for name in ("linear scan", "forest"))
    assert f"{1000 * scan['ours']:.0f} ms a query for the scan" in text
    index = f"{1000 * forest['ours']:.1f} ms for the index with {forest['candidates']:,} candidates"
    assert index in text
    half = [times[f"{name}, extrapolated", 500_000_000] for name in ("linear scan", "forest")]
    assert (
        f"{half[0]['published']} / {half[0]['ours']} s and {half[1]['published']} / "
        f"{half[1]['ours']:.3f} s"
    ) in text


def test_libraries_beside_the_forest_are_what_the_file_holds():
    text = " ".join(PAGES["search_forest"].split())
    by = {(row["method"], row["setting"]): row for row in rows_of("search_forest", "libraries")}
    forest, ivf = "forest (50 trees)", "FAISS IVF-flat"

    def timed(method, setting, unit=" %"):
        row = by[method, setting]
        return f"{rounded(row['ours'], 1)}{unit} in {rounded(row['ms a query'], 3)}"

    assert f"take hnswlib ({timed('hnswlib', '100')} ms)" in text
    assert f"index ({timed(ivf, '16')} ms, {timed(ivf, '64', '')})" in text
    assert f"50 trees has {timed(forest, '1000')} ms".replace("0.230", "0.23") in text
    scan = by["linear scan", "all"]["ms a query"]
    assert f"annoy {timed('annoy', '2000', '')}, a scan all in {scan} ms" in text

    def compared(method, setting, unit=""):
        row = by[method, setting]
        return f"{rounded(row['ours'], 1)}{unit} with {row['compared']:,}"

    few, more, many = (
        f"IVF {compared(ivf, '4')}, annoy {compared('annoy', '500')}",
        f"{compared(ivf, '8')}, {compared('annoy', '1000')}",
        f"{compared(ivf, '16')}, {compared('annoy', '2000')}",
    )
    assert (
        f"{compared(forest, '200', ' %')} compared points ({few}), {compared(forest, '500')} "
        f"({more}), {compared(forest, '1000')} ({many})"
    ) in text


def test_the_papers_index_of_the_forest_quotes_the_splits():
    """refimpl/search_forest/PAPER.md: the printed form, best thresholds, moved planes."""
    path = REPRODUCED.parents[1] / "refimpl" / "search_forest" / "PAPER.md"
    text = path.read_text(encoding="utf-8")
    by = {
        (row["offset"], row["moves"], row["augment"], row["reading"]): row
        for row in rows_of("search_forest", "splits")
        if row["returned"] == 600 and row["planes"] == "eq. 18"
    }

    def found(offset, moves, reading):
        row = by[offset, moves, 0.1, reading]
        return f"{row['ours']:.1f}", f"({row['lambda']})"

    whole, ranked = "whole sets", "ranked lists"
    printed, best, moved = (
        (*found(offset, moves, whole), *found(offset, moves, ranked))
        for offset, moves in (("eigenvector", 0), ("best", 0), ("best", 10))
    )
    assert (
        "{} % of the neighbours among 600 returned in whole sets, the main reading (lambda {}), "
        "and {} % in ranked lists {};"
    ).format(printed[0], printed[1].strip("()"), *printed[2:]) in text
    assert "best thresholds it is {} {} and {} % {}".format(*best) in text
    assert "10 moves as well {} {} and {} % {}".format(*moved) in text
    other = by["eigenvector", 0, 1.0, whole]["ours"]
    assert f"whole sets {other:.1f} % of the neighbours, and {printed[0]} % with 0.1" in text


def off(rows, **keys):
    """Return the mean distance of some rows from the printed accuracies, with three decimals."""
    gaps = [
        abs(row["ours"] - row["published"])
        for row in rows
        if all(row[key] == value for key, value in keys.items())
    ]
    assert gaps
    return f"{sum(gaps) / len(gaps):.3f}"


def test_who_is_ahead_in_ftunes_table_2_is_what_the_file_holds():
    """By the t-test of the record, and by means of FTUNE-S and BBS; both forms are counted once."""
    text = " ".join(PAGES["ftune"].split())
    best, ahead, printed = [], [], []
    for d in (30, 300):
        rows = [row for row in rows_of("ftune", "table2") if row["landmarks"] == d]
        winners = [
            {row["data_set"] for row in rows if row["method"] in methods and row["best"] == "yes"}
            for methods in (("FTUNE-S", "FTUNE-M"), ("BBS",))
        ]
        best.append([len(names) for names in winners])
        of = {(row["data_set"], row["method"]): row for row in rows}
        for field, counts in (("ours", ahead), ("published", printed)):
            lead = [
                of[name, "FTUNE-S"][field] > of[name, "BBS"][field]
                for name in {row["data_set"] for row in rows}
            ]
            counts.append(sum(lead))
    (ftune_few, bbs_few), (ftune_many, bbs_many) = best
    assert (
        f"among the best on {ftune_few} and {ftune_many} of the 12 sets, and BBS on {bbs_few} and "
        f"{bbs_many}. By the means alone FTUNE-S is ahead of BBS on {ahead[0]} and {ahead[1]} "
        f"sets, and in the paper on {printed[0]} and {printed[1]}."
    ) in text


def test_readings_of_ftunes_penalty_are_what_the_files_hold():
    text = " ".join(PAGES["ftune"].split())
    table2, rows = rows_of("ftune", "table2"), rows_of("ftune", "penalty")
    bbs, ftune = (
        [off(rows, method=method, landmarks=d, **{"divided by": "d"}) for d in (30, 300)]
        for method in ("BBS", "FTUNE-S")
    )
    plain = [off(table2, method="FTUNE-S", landmarks=d) for d in (30, 300)]
    above = [off(table2, method="BBS", landmarks=d) for d in (30, 300)]
    assert (
        f"FTUNE-S differs from them by {plain[0]} (30 landmarks) and {plain[1]} (300) on average; "
        f"BBS is {above[0]} and {above[1]} above."
    ) in text
    assert (
        f"by {bbs[0]} with 30 landmarks, but by {bbs[1]} with 300. FTUNE-S differs by {ftune[0]} "
        f"with 30, more than undivided ({plain[0]}), and by {ftune[1]} with 300."
    ) in text
    of = {
        (row["data_set"], row["landmarks"], row["method"], row["divided by"]): row for row in rows
    }
    wins = [
        sum(
            row["ours"] > of[name, d, "BBS", "d"]["ours"]
            for (name, size, method, divided), row in of.items()
            if (size, method, divided) == (d, "FTUNE-S", "d")
        )
        for d in (30, 300)
    ]
    assert f"on {wins[0]} of 12 sets with 30 landmarks, and on {wins[1]} of 12 with 300." in text


def test_readings_of_ftunes_pairs_are_what_the_file_holds():
    text = " ".join(PAGES["ftune"].split())
    rows = rows_of("ftune", "pairs")
    fresh, few = {"pairs": "fresh for each class"}, {"pairs": "of d landmarks"}
    best = [
        sum(row["best"] == "yes" for row in rows if (row["method"], row["divided by"]) == key)
        for key in (("BBS", "1"), ("BBS", "d"))
    ]
    assert f"and BBS on {best[0]}, or on {best[1]} if features are divided by d." in text
    of_fresh, of_few = (
        [off(rows, **pairs, **{"divided by": divided}) for divided in ("1", "d")]
        for pairs in (fresh, few)
    )
    assert (
        f"by {of_fresh[0]}, divided by {of_fresh[1]}; pairs out of 30 landmarks differ by "
        f"{of_few[0]} and {of_few[1]}."
    ) in text
    divided = [row for row in rows if row["pairs"] == fresh["pairs"] and row["divided by"] == "d"]
    of = {row["data_set"]: f"{row['ours']:.2f} for {row['published']:.2f}" for row in divided}
    others = [row for row in divided if row["data_set"] not in ("letters", "isolet")]
    assert len(others) == 10
    assert (
        f"letters ({of['letters']}) and isolet ({of['isolet']}); on the other ten sets they differ "
        f"by {off(others)}."
    ) in text


def test_dboosts_pairs_on_nursery_are_what_the_file_holds():
    text = " ".join(PAGES["ftune"].split())
    of = {
        (row["landmarks"], row["reading"]): f"{row['ours']:.3f}"
        for row in rows_of("ftune", "readings")
        if (row["data_set"], row["method"]) == ("nursery", "DBOOST")
    }
    ten = "10 pairs a round, "
    one, weighted, even = (
        f"{of[30, way]} and {of[300, way]}"
        for way in ("1 pair a round, by weight", f"{ten}by weight", f"{ten}uniformly")
    )
    assert (
        f"it has {weighted} if the pairs are drawn by weight, as in the other tables, and {even} "
        f"if they are drawn uniformly; one pair by weight has {one} "
    ) in text
