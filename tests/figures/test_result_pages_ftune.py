"""The page of results of FTUNE agrees with the records."""

from result_pages import PAGES, rounded, rows_of


def off(rows, **keys):
    """Return the mean distance of some rows from the printed accuracies, with three decimals."""
    gaps = [
        abs(row["ours"] - row["published"])
        for row in rows
        if all(row[key] == value for key, value in keys.items())
    ]
    assert gaps
    return f"{sum(gaps) / len(gaps):.3f}"


def test_dselect_beside_as_many_random_landmarks_is_what_the_file_holds():
    """The differences of more than two standard errors are those that the page names."""
    text = " ".join(PAGES["ftune"].split())
    large = {}
    rows = [row for row in rows_of("ftune", "equal") if row["minus"] != "-"]
    for row in rows:
        if abs(row["ours"]) > 2 * row["error"]:
            at = row["data_set"], row["landmarks"], row["method"]
            large[at] = rounded(abs(row["ours"]), 3), row["ours"] > 0
    gains = {at: number for at, (number, gains) in large.items() if gains}
    losses = {at: number for at, (number, gains) in large.items() if not gains}
    assert set(gains) == {("protein", d, "FTUNE+D-S") for d in (30, 50)}
    assert set(losses) == {("voting-similarity", 30, name) for name in ("BBS+D", "FTUNE+D-S")}
    (gain,), (loss,) = set(gains.values()), set(losses.values())
    assert f"DSELECT gains {gain} on Protein for FTUNE-S with 30 landmarks and with 50." in text
    assert f"With 30 it loses {loss} on Voting, for BBS and for FTUNE-S." in text
    assert len(rows) - len(large) == 8 and "The other eight differences are within" in text


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


def test_how_far_table_2_is_from_the_print():
    text = " ".join(PAGES["ftune"].split())
    ftune, bbs = (
        [off(rows_of("ftune", "table2"), method=method, landmarks=d) for d in (30, 300)]
        for method in ("FTUNE-S", "BBS")
    )
    assert (
        f"FTUNE-S differs from them by {ftune[0]} (30 landmarks) and {ftune[1]} (300) on average; "
        f"BBS is {bbs[0]} and {bbs[1]} above."
    ) in text


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
