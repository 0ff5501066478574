"""The page of results of LMNN agrees with the records."""

from result_pages import PAGES, rounded, rows_of


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


def test_gains_in_training_are_what_the_file_holds():
    rows = [row for row in rows_of("lmnn", "training_gain") if row["N"] == 60_000]
    at = {(row["measure"][:6], row["way"], row["dimensions"]): row for row in rows}
    balls, scan, boxes, products = "balls (eq. 7)", "scan", "boxes", "products"
    text = " ".join(PAGES["lmnn"].split())

    def gain(way, d):
        return rounded(at["traini", way, d]["ours"], 2)

    printed = [at["traini", balls, d]["published"] for d in (10, 100)]
    assert printed == [1.9, 1.2]
    assert f"1.9 / {gain(balls, 10)} in 10 dimensions, 1.2 / {gain(balls, 100)} in 100" in text
    fewer = [rounded(at["distan", balls, d]["ours"], 1) for d in (10, 100)]
    assert "computes {} and {} times fewer distances".format(*fewer) in text
    shares = [at["search", scan, d]["ours"] for d in (10, 100)]  # the scan has no other row
    most = [rounded(1 / (1 - share / 100), 1) for share in shares]
    shares = [rounded(share, 0) for share in shares]
    assert "takes only {} and {} % of our training".format(*shares) in text
    assert "no time at all gains {} and {}.".format(*most) in text
    assert f"Boxes gain {gain(boxes, 10)} and {gain(boxes, 100)}" in text
    assert f"products {gain(products, 10)} and {gain(products, 100)}" in text
    ways = (balls, "balls (eq. 7), leaves of 16", boxes, products)
    first = [max(ways, key=lambda way: at["traini", way, d]["ours"]) for d in (20, 30, 50)]
    assert first == [products] * 3
    assert f"({gain(products, 20)} in 20)" in text


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
