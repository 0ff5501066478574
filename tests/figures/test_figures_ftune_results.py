"""The rows and notes of FTUNE's figures: accuracies that are written down, rows by hand.

Not here: the tasks (test_figures_ftune.py) and the pictures (test_ftune_pictures.py).
"""

import pytest

from paper_figures.ftune import figures, results
from paper_figures.registry import Context, Result

PAPER = Context(scale="paper")
SMALL = Context()


def row(keys, ours, published=None, std=None, repetitions=None):
    """Return a row with rounded numbers; a published one has the tolerance of two decimals."""
    line = keys | {"published": published, "ours": ours, "std": std}
    line |= {} if published is None else {"tolerance": 0.005}
    return line | ({} if repetitions is None else {"repetitions": repetitions})


def absent(keys, why, published=None):
    return keys | {
        "published": published,
        "ours": None,
        "std": None,
        "status": "not available",
        "why": why,
    }


def accuracies(name, d, *runs, **compared):
    """Return a result for each run, a dict of accuracies by method."""
    return [
        Result(
            "accuracies",
            {"data_set": name, "d": d, "run": place},
            {"accuracies": of_run} | ({"compared": compared} if compared else {}),
        )
        for place, of_run in enumerate(runs)
    ]


def near(value):
    return pytest.approx(value, rel=1e-12)


# ------------------------------------------------------------------------------ the best, by t-test


def test_the_best_methods_are_those_that_a_t_test_does_not_tell_from_the_first():
    """Two samples of two numbers with differences of 2: t is the difference of means / sqrt(2).

    With two degrees of freedom the test rejects at 95 % from t = 4.3027, a difference of 6.0849.
    """
    values = {
        ("set", 30, "first"): [9.0, 11.0],
        ("set", 30, "near"): [2.92, 4.92],
        ("set", 30, "far"): [2.91, 4.91],
        ("set", 300, "else"): [90.0, 91.0],
        ("other", 30, "else"): [90.0, 91.0],
    }
    assert results.best_methods(values, "set", 30) == {"first", "near"}


def test_one_run_tells_nothing_apart():
    values = {("set", 30, "a"): [0.9], ("set", 30, "b"): [0.1]}
    assert results.best_methods(values, "set", 30) == {"a", "b"}


def test_constant_accuracies_are_told_apart_by_their_values():
    values = {("set", 30, "a"): [1.0, 1.0], ("set", 30, "b"): [1.0, 1.0]}
    values |= {("set", 30, "c"): [0.5, 0.5], ("set", 30, "d"): [0.6, 0.9]}
    assert results.best_methods(values, "set", 30) == {"a", "b", "d"}
    once = {("set", 30, "a"): [1.0], ("set", 30, "b"): [1.0, 1.0], ("set", 30, "c"): [0.5, 0.5]}
    assert results.best_methods(once, "set", 30) == {"a", "b"}
    many = {("set", 30, "a"): [1.0] * 9, ("set", 30, "d"): [0.7, 0.8] * 4 + [0.7]}
    assert results.best_methods(many, "set", 30) == {"a"}


# ----------------------------------------------------------------------------------- tables 1 and 2


def test_table_2_beside_the_print():
    """BBS: 0.7, 0.8, 0.9 have the deviation 0.1. A mean of three runs differs by chance up to
    2 * 0.1 * sqrt(2/3) + 0.005 = 0.1683 from the print.
    """
    runs = [
        {"BBS": mean, "DBOOST": 0.5, "FTUNE-S": 0.8, "FTUNE-M": 0.8, "BBS+D": 1.0}
        for mean in (0.7, 0.8, 0.9)
    ]
    gathered = results.table2(
        PAPER,
        [
            *accuracies("letters", 30, *runs, BBS=30),
            *accuracies(
                "isolet", 300, {"FTUNE-M": 0.5, "BBS": 0.123456}, BBS=300, **{"FTUNE-S": 7}
            ),
        ],
    )

    def at(name, d, method, best):
        return {"data_set": name, "landmarks": d, "method": method, "best": best}

    assert gathered.rows == [
        row(at("letters", 30, "BBS", "yes"), 0.8, 0.67, near(0.1), 3),
        row(at("letters", 30, "DBOOST", ""), 0.5, 0.58, 0.0, 3),
        row(at("letters", 30, "FTUNE-S", "yes"), 0.8, 0.69, near(0.0), 3),
        row(at("letters", 30, "FTUNE-M", "yes"), 0.8, 0.68, near(0.0), 3),
        row(at("isolet", 300, "BBS", "yes"), 0.1235, 0.91),
        row(at("isolet", 300, "FTUNE-M", "yes"), 0.5, 0.93),
    ]
    assert gathered.notes[0].startswith("Means of 3 random splits: 50 % for training, 20 % for")
    assert gathered.notes[1] == results.BEST
    assert gathered.notes[2:] == [
        "With 30 landmarks FTUNE is among the best on 1 of 1 sets, BBS on 1, DBOOST on 0.",
        "With 300 landmarks FTUNE is among the best on 1 of 1 sets, BBS on 1, DBOOST on 0.",
        "Similarities for a new object, BBS with 30 landmarks: 30.",
        "Similarities for a new object, BBS with 300 landmarks: 300.",
        "Similarities for a new object, FTUNE-S with 300 landmarks: 7.",
    ]


def test_table_1_at_the_papers_scale_names_every_printed_set():
    """What could not be computed, and what is nowhere to be had, has its printed numbers."""
    lost = Result("accuracies", {"data_set": "protein", "d": 30}, None, "no such file")
    found = accuracies("voting-similarity", 300, {"BBS": 0.9, "FTUNE+D-S": 0.96, "BBS+D": 0.99})
    gathered = results.table1(PAPER, [lost, *found])
    rows = gathered.rows

    def at(name, d, method, best=""):
        return {"data_set": name, "landmarks": d, "method": method, "best": best}

    assert rows[:2] == [
        row(at("voting-similarity", 300, "BBS", "yes"), 0.9, 0.97),
        row(at("voting-similarity", 300, "FTUNE+D-S", "yes"), 0.96, 0.97),
    ]
    protein = [(30, "BBS", 0.98), (30, "DBOOST", 1.0), (30, "FTUNE+D-S", 0.98)]
    protein += [(300, "BBS", 0.98), (300, "DBOOST", 0.99), (300, "FTUNE+D-S", 0.98)]
    assert rows[2:8] == [
        absent(at("protein", d, method), "no such file", printed) for d, method, printed in protein
    ]
    names = ["AmazonBinary", "Patrol", "Mirex07", "Amazon47", "FaceRec"]
    assert [line["data_set"] for line in rows[8:]] == [name for name in names for _ in range(6)]
    assert all(line["why"] == results.NOWHERE for line in rows[8:])
    patrol = [line["published"] for line in rows if line["data_set"] == "Patrol"]
    assert patrol == [0.51, 0.34, 0.58, 0.79, 0.55, 0.79]
    assert gathered.notes[0].startswith("Means of 1 random splits: 70 % for training, 10 % for")
    assert gathered.notes[1:] == [results.BEST]


def test_a_set_that_is_there_in_part_is_not_called_lost():
    lost = Result("accuracies", {"data_set": "voting-similarity", "d": 30}, None, "killed")
    found = accuracies("voting-similarity", 300, {"BBS": 0.9})
    rows = results.table1(PAPER, [lost, *found]).rows
    assert [line["ours"] for line in rows if line["data_set"] == "voting-similarity"] == [0.9]


def test_tables_at_the_small_scale_have_no_printed_numbers():
    found = accuracies("isolet", 30, {"BBS": 0.9})
    for reduce in (results.table1, results.table2):
        assert reduce(SMALL, found).rows == [
            row({"data_set": "isolet", "landmarks": 30, "method": "BBS", "best": "yes"}, 0.9)
        ]


def test_methods_among_the_best_are_counted_by_set():
    """FTUNE counts once if S or M is among the best."""

    def runs(**means):
        return [
            {method.replace("_", "-"): mean + x for method, mean in means.items()}
            for x in (-0.001, 0.0, 0.001)
        ]

    found = [
        *accuracies("a", 30, *runs(FTUNE_S=0.9, FTUNE_M=0.9, BBS=0.5, DBOOST=0.5)),
        *accuracies("b", 30, *runs(FTUNE_S=0.5, FTUNE_M=0.9, BBS=0.9, DBOOST=0.5)),
        *accuracies("c", 30, *runs(FTUNE_S=0.5, FTUNE_M=0.5, BBS=0.5, DBOOST=0.9)),
        *accuracies("a", 10, *runs(FTUNE_S=0.9, BBS=0.5)),
    ]
    notes = results.table2(SMALL, found).notes
    assert notes[2:] == [
        "With 10 landmarks FTUNE is among the best on 1 of 1 sets, BBS on 0, DBOOST on 0.",
        "With 30 landmarks FTUNE is among the best on 2 of 3 sets, BBS on 1, DBOOST on 1.",
    ]


def test_costs_are_given_from_least_to_most():
    found = [
        *accuracies("a", 30, {"BBS": 0.5}, **{"BBS": 30, "FTUNE-S": 59}),
        *accuracies("b", 30, {"BBS": 0.5}, **{"BBS": 30, "FTUNE-S": 52}),
        Result("accuracies", {"data_set": "c", "d": 30}, None, "gone"),
    ]
    assert results.table2(SMALL, found).notes[-2:] == [
        "Similarities for a new object, BBS with 30 landmarks: 30.",
        "Similarities for a new object, FTUNE-S with 30 landmarks: 52 to 59.",
    ]


def test_names_of_sets_are_those_of_the_printed_tables():
    """Every set of the paper's scale has a line in its table, and no two have the same."""
    for number, sets in ((1, figures.MATRICES["paper"]), (2, [(x, 0) for x in figures.UCI])):
        lines = {line["data_set"] for line in PAPER.published(f"ftune/table{number}.csv")}
        printed = [results.PRINTED[name] for name, _ in sets]
        assert set(printed) <= lines and len(set(printed)) == len(printed)
        assert all(
            name.split("-")[0] in mapped.lower().replace("auralsonar", "aural")
            for (name, _), mapped in zip(sets, printed, strict=True)
        )


@pytest.mark.parametrize(
    ("reduce", "keys"),
    [
        (results.table1, ("data_set", "landmarks", "method", "best")),
        (results.table2, ("data_set", "landmarks", "method", "best")),
        (results.curves, ("data_set", "landmarks", "method")),
        (results.pairs, ("data_set", "landmarks", "method", "pairs", "divided by")),
    ],
)
def test_without_any_result_the_first_row_says_why(reduce, keys):
    gathered = reduce(SMALL, [Result("t", {"data_set": "x", "d": 3}, None, "no such file")])
    assert gathered.rows == [absent(dict.fromkeys(keys) | {"data_set": "all"}, "no such file")]
    assert all("nan" not in note for note in gathered.notes)


# ------------------------------------------------------------------------------------ other figures


def test_curves_are_means_and_deviations():
    """0.5 and 0.7 have the deviation sqrt(0.02)."""
    found = [
        *accuracies("wine", 10, {"BBS": 0.5, "DBOOST": 0.25}, {"BBS": 0.7}),
        *accuracies("wine", 20, {"BBS": 1 / 3}),
    ]
    gathered = results.curves(PAPER, found)

    def at(d, method):
        return {"data_set": "wine", "landmarks": d, "method": method}

    deviation = near(0.02**0.5)
    assert gathered.rows == [
        row(at(10, "BBS"), 0.6, std=deviation, repetitions=2),
        row(at(10, "DBOOST"), 0.25),
        row(at(20, "BBS"), 0.3333),
    ]
    assert gathered.drawing == [
        {"set": "wine", "d": 10, "method": "BBS", "mean": near(0.6), "std": deviation},
        {"set": "wine", "d": 10, "method": "DBOOST", "mean": 0.25, "std": 0.0},
        {"set": "wine", "d": 20, "method": "BBS", "mean": near(1 / 3), "std": 0.0},
    ]
    assert gathered.notes[0].startswith("Means of 2 random splits.")


def listed(task, name, d, *lines, **more):
    value = {"accuracies": [list(line) for line in lines]} | more
    return Result(task, {"data_set": name, "d": d}, value)


def test_pairs_compare_the_three_of_one_scale():
    """The printed accuracies of isolet: BBS 0.81, FTUNE-S 0.84; of magic: 0.82 and 0.84."""
    few, fresh = "of d landmarks", "fresh for each class"

    def found(name, x, costs, *means):
        lines = zip(
            (("BBS", "-", "1"), ("FTUNE-S", few, "1"), ("FTUNE-S", fresh, "1"), ("BBS", "-", "d")),
            means,
            strict=True,
        )
        compared = dict(zip((few, fresh), costs, strict=True))
        lines = [(*key, mean + x) for key, mean in lines]
        return listed("pairs", name, 30, *lines, compared=compared)

    gathered = results.pairs(
        PAPER,
        [
            found("magic", -0.001, (29, 60), 0.9, 0.9, 0.9, 0.9),
            found("magic", 0.001, (30, 60), 0.9, 0.9, 0.9, 0.9),
            found("isolet", -0.001, (30, 58), 0.5, 0.6, 0.7, 0.8),
            found("isolet", 0.001, (30, 55), 0.5, 0.6, 0.7, 0.8),
        ],
    )

    def at(name, method, of, divided, best):
        return {
            "data_set": name,
            "landmarks": 30,
            "method": method,
            "pairs": of,
            "divided by": divided,
            "best": best,
        }

    def line(keys, ours, printed):
        return row(keys, ours, printed, near(0.001 * 2**0.5), 2)

    near_001 = [
        line(at("isolet", "BBS", "-", "1", ""), 0.5, 0.81),
        line(at("isolet", "FTUNE-S", few, "1", ""), 0.6, 0.84),
        line(at("isolet", "FTUNE-S", fresh, "1", "yes"), 0.7, 0.84),
        line(at("isolet", "BBS", "-", "d", "yes"), 0.8, 0.81),
        line(at("magic", "BBS", "-", "1", "yes"), 0.9, 0.82),
        line(at("magic", "FTUNE-S", few, "1", "yes"), 0.9, 0.84),
        line(at("magic", "FTUNE-S", fresh, "1", "yes"), 0.9, 0.84),
        line(at("magic", "BBS", "-", "d", "yes"), 0.9, 0.82),
    ]
    for ours, wanted in zip(gathered.rows, near_001, strict=True):
        assert ours == wanted | {"std": pytest.approx(wanted["std"].expected, rel=1e-9)}
    assert gathered.notes[1:] == [
        "Similarities for a new object, pairs of d landmarks, 30 landmarks: 29 to 30.",
        "Similarities for a new object, pairs fresh for each class, 30 landmarks: 55 to 60.",
        "BBS with 30 landmarks, pairs -, divided by 1: among the best on 1 of 2 sets, "
        "0.195 from the printed accuracies on average.",  # 0.31 and 0.08
        "BBS with 30 landmarks, pairs -, divided by d: among the best on 2 of 2 sets, "
        "0.045 from the printed accuracies on average.",  # 0.01 and 0.08
        "FTUNE-S with 30 landmarks, pairs fresh for each class, divided by 1: among the best on "
        "2 of 2 sets, 0.100 from the printed accuracies on average.",  # 0.14 and 0.06
        "FTUNE-S with 30 landmarks, pairs of d landmarks, divided by 1: among the best on 1 of 2 "
        "sets, 0.150 from the printed accuracies on average.",  # 0.24 and 0.06
    ]
    small = results.pairs(SMALL, [found("isolet", 0.0, (30, 58), 0.5, 0.6, 0.7, 0.8)])
    assert all(line["published"] is None for line in small.rows)
    assert small.notes[-4] == (
        "BBS with 30 landmarks, pairs -, divided by 1: among the best on 1 of 1 sets."
    )


def test_pairs_with_few_and_many_landmarks_are_told_apart():
    """The printed accuracies of BBS on magic: 0.82 with 30 landmarks, 0.84 with 300."""
    found = [
        listed("pairs", "magic", d, ("BBS", "-", "1", mean), compared={"of d landmarks": d})
        for d, mean in ((300, 0.83), (30, 0.80))
    ]
    gathered = results.pairs(PAPER, found)
    assert [(line["landmarks"], line["published"]) for line in gathered.rows] == [
        (30, 0.82), (300, 0.84),
    ]  # fmt: skip
    assert gathered.notes[1:] == [
        "Similarities for a new object, pairs of d landmarks, 30 landmarks: 30 to 30.",
        "Similarities for a new object, pairs of d landmarks, 300 landmarks: 300 to 300.",
        "BBS with 30 landmarks, pairs -, divided by 1: among the best on 1 of 1 sets, "
        "0.020 from the printed accuracies on average.",
        "BBS with 300 landmarks, pairs -, divided by 1: among the best on 1 of 1 sets, "
        "0.010 from the printed accuracies on average.",
    ]
