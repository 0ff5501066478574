"""The page of results of LMNN agrees with the records."""

from result_pages import PAGES, rows_of

TEXT = " ".join(PAGES["lmnn"].split())
STEPS = "printed steps"


def test_table_1():
    rows = {
        (row["N"], row["measure"]): row
        for row in rows_of("lmnn", "table1")
        if row["images"] == "mean 0, length 1" and row["by"] == STEPS
    }
    errors = [
        f"{rows[n, 'test error (%)']['published']:.2f} / {rows[n, 'test error (%)']['ours']:.2f}"
        for n in (60, 600, 6000, 60_000)
    ]
    assert f"{errors[0]}, {errors[1]}, {errors[2]} and {errors[3]} %" in TEXT
    assert f"train in {rows[60_000, 'seconds']['ours']:.0f} seconds" in TEXT
    left = rows[60_000, "train error (%)"]["ours"]
    assert f"With 60,000 digits {left:.2f} % of training errors stay" in TEXT


def test_low_ranks():
    error = {
        (row["method"], row["dimensions"]): row["ours"]
        for row in rows_of("lmnn", "figure2")
        if row["measure"] == "test error (%)"
    }
    for method, words in (("LMNN-RECT, printed steps", "dimensions"), ("PCA", "PCA")):
        line = " / ".join(f"{error[method, d]:.2f}" for d in (15, 25, 40))
        assert f"{words} {line} %" in TEXT


def test_several_metrics():
    (apart,) = (
        row
        for row in rows_of("lmnn", "decoupled")
        if (row["data_set"], row["way"], row.get("minus"))
        == ("isolet", "learnt one by one, then scaled", "one metric")
    )
    assert f"they have {apart['ours']:.2f} +- {apart['error']:.2f} points more" in TEXT
    less = {
        row["voters"]: f"{abs(row['ours']):.2f} +- {row['error']:.2f}"
        for row in rows_of("lmnn", "figure4")
        if (row["data set"], row.get("comparison")) == ("isolet", "30 metrics less 1 metric")
    }
    trained, all_points = less["points that trained"], less["all points"]
    assert f"30 metrics have {trained} points less, else {all_points} more" in TEXT


def test_gains_in_training():
    measure = "training with a search in every step, times as fast as with the scan"
    gains = {
        row["dimensions"]: row
        for row in rows_of("lmnn", "training_gain")
        if (row["N"], row["way"], row["measure"]) == (60_000, "balls (eq. 7)", measure)
    }
    few, many = gains[10], gains[100]
    assert f"{few['ours']:.2f} times as fast in 10 dimensions (published 1.9)" in TEXT
    assert f"{many['ours']:.2f} in 100 (1.2)" in TEXT
    assert (few["published"], many["published"]) == (1.9, 1.2)


def test_errors_of_figure_5():
    """Letters by the number of components: the claim is of those with 95 % of the variance."""
    at = {
        (row["data set"], row["method"], row["d"]): f"{row['published']:.2f} / {row['ours']:.2f}"
        for row in rows_of("lmnn", "figure5")
        if (row["measure"], row.get("training", "ends early")) == ("test", "ends early")
        and row["published"]
    }
    for words, name, d in (
        ("MNIST", "MNIST-10", 161),
        ("20 newsgroups", "20news", 200),
        ("Isolet", "isolet", 170),
        ("faces", "yalefaces", 60),
        ("letters", "letters", 12),
    ):
        one, several = (at[name, method, d] for method in ("one metric", "several metrics"))
        assert f"{words} {one} and {several}" in TEXT
    to_the_end = {
        row["data set"]: f"{row['ours']:.2f}"
        for row in rows_of("lmnn", "figure5")
        if (row["measure"], row.get("training")) == ("test", "all points, to the end")
        and row["method"] == "several metrics"
    }
    assert (
        f"several metrics have {to_the_end['20news']} % on 20 newsgroups, and "
        f"{to_the_end['isolet']} and {to_the_end['yalefaces']} % on the other two."
    ) in TEXT
