"""The page of results of LMNN agrees with the records."""

from result_pages import PAGES, rounded, rows_of


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


def test_seconds_to_the_optimum_are_what_the_file_holds():
    rows = rows_of("lmnn", "growth")
    at = {(r["solver"], r["N"], r["within"]): r["ours"] for r in rows}
    text = " ".join(PAGES["lmnn"].split())

    def proved(n, places):
        return tuple(rounded(at["ours, proved", n, share], places) for share in ("1 %", "0.1 %"))

    assert "after {} and {} s with 250 images".format(*proved(250, 1)) in text
    assert "{} and {} with 1,000".format(*proved(1000, 1)) in text
    assert "{} and {} with 6,000".format(*proved(6000, 1)) in text
    assert "{} and {} with 20,000".format(*proved(20_000, 0)) in text
    assert "{} and {} with 60,000".format(*proved(60_000, 0)) in text
    others = ("pylmnn", "metric-learn", "mlpack")
    near = [key for key, seconds in at.items() if key[0] in others and seconds is not None]
    assert near == [("metric-learn", 6000, "1 %")]
    assert f"with 6,000 images after {rounded(at[near[0]], 0)} s" in text
    far = {
        name: [float(r["why"].split(" %")[0]) for r in rows if r["solver"] == name and _ended(r)]
        for name in ("pylmnn", "mlpack")
    }
    assert f"pylmnn is {min(far['pylmnn']):g} to {max(far['pylmnn']):g} % above" in text
    assert f"mlpack {min(far['mlpack']):g} to {max(far['mlpack']):g} %" in text
    own = [at["pylmnn, of its own end", n, "1 %"] for n in (250, 6000, 20_000)]
    own = rounded(own[0], 1), rounded(own[1], 1), rounded(own[2], 0)
    assert "takes {} s with 250 images, {} with 6,000 and {} with 20,000".format(*own) in text


def _ended(row):
    return "above the optimum" in (row.get("why") or "")


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
