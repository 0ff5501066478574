"""The page of results of the search forest agrees with the records."""

from result_pages import PAGES, REPRODUCED, drawing_of, rows_of


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
        f"(eq. 18 in the node's coordinates) has {eq18['eigenvector', 0, 0.1]} %, "
        f"and {eq18['eigenvector', 0, 1.0]} % "
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
