"""Boosted Distance's studies: what a split's classifiers are given, and the rows by hand."""

import numpy as np
import pytest
from toy_sets import provide

from paper_figures.boosted_distance import data, errors, methods
from paper_figures.study import Job, Seen
from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.nearest_neighbor import NAMES


def two_classes(n, d, seed=0):
    """Return n vectors of two overlapping classes, of which a third are of class 1."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(np.int64)
    return rng.normal(size=(n, d)) + y[:, np.newaxis] * np.linspace(1.5, 0.0, d), y


def job(name):
    return Job(0, "reference", None, (name,))


def parts(name, run, n, size):
    """Return the rows of the training and of the test part, by the rule of § 4.1."""
    order = job(name).rng_for("split", name, run).permutation(n)
    return order[:size], order[size:]


def error(guess, truth):
    """Return the mean of the two classes' error rates, in per cent."""
    return 50 * sum(np.mean(guess[truth == c] != c) for c in (0, 1))


def nearest(Q, X, y, power):
    distances = (np.abs(Q[:, np.newaxis] - X) ** power).sum(axis=2)
    return y[distances.argmin(axis=1)]


def by_method(seen, *keys):
    return {(item["method"], *(item[key] for key in keys)): item["error"] for item in seen}


# ------------------------------------------------------------------------------------ the methods


def test_classifiers_train_on_a_fifth_and_are_tested_on_the_rest(monkeypatch):
    X, y = two_classes(150, 4)
    provide(monkeypatch, "a", X, y)
    seen = by_method(methods.classifiers(job("a"), "a", 3, 5), "rounds")
    train, test = parts("a", 3, 150, 30)
    for name, power in (("L1", 1), ("L2", 2)):
        expected = error(nearest(X[test], X[train], y[train], power), y[test])
        assert seen[name, 0] == pytest.approx(expected)
    model = boosted_distance(X[train], y[train], 5)
    stumps = adaboost_classifier(X[train], y[train], 5)
    assert {t for method, t in seen if method == "boosted"} == {1, 2, 3, 5}
    for t in (1, 5):
        labels = nearest_neighbor_boosted_distance(model.rounds(0, t), X[test], X[train], y[train])
        assert seen["boosted", t] == pytest.approx(error(labels, y[test]))
        labels = next(iter(stumps.staged_predict(X[test], [t])))
        assert seen["stumps", t] == pytest.approx(error(labels, y[test]))
    expected = {*NAMES, "RCA, root", "RCA-D, root", "boosted", "stumps", "trees"}
    assert {method for method, _ in seen} == expected


@pytest.mark.parametrize("name, size", [("sonar", 60), ("arrhythmia", 200), ("MNIST", 200)])
def test_the_large_sets_have_200_training_vectors(monkeypatch, name, size):
    X, y = two_classes(301, 2)
    provide(monkeypatch, name, X, y)
    _, _, train, test = methods.split(job(name), name, 1)
    expected = parts(name, 1, 301, size)  # 0.2 of 301 is 60.2
    assert all(map(np.array_equal, (train, test), expected))


def test_a_set_with_its_own_test_part_keeps_it(monkeypatch):
    X, y = two_classes(90, 3)
    provide(monkeypatch, "digits", X, y, n_train=50)
    _, _, train, test = methods.split(job("digits"), "digits", 0)
    drawn = job("digits").rng_for("split", "digits", 0).permutation(50)[:18]  # a fifth of all 90
    assert np.array_equal(train, drawn) and np.array_equal(test, np.arange(50, 90))


def test_validation_answers_for_each_training_vector_once(monkeypatch):
    """Two methods that know the truth: one errs in class 1, then never, the other always."""
    X, y = two_classes(200, 2)
    X[:, 0] = np.arange(200)  # a vector's row
    provide(monkeypatch, "a", X, y)
    tested = []

    def boosted(job, X, y_inside, Q, rounds):
        held_out = Q[:, 0].astype(int)
        tested.append((X[:, 0].astype(int), held_out))
        assert np.array_equal(y_inside, y[X[:, 0].astype(int)]) and rounds == [1, 2]
        yield "boosted", 1, np.zeros(len(Q), int), 1
        yield "boosted", 2, y[held_out], 1
        yield "stumps", 1, 1 - y[held_out], None

    monkeypatch.setattr(methods, "boosted_stages", boosted)
    seen = by_method(methods.validation(job("a"), "a", 1, 2), "rounds")
    assert seen == {("boosted", 1): 50.0, ("boosted", 2): 0.0, ("stumps", 1): 100.0}
    sample, _ = parts("a", 1, 200, 40)
    assert sorted(np.concatenate([held for _, held in tested])) == sorted(sample)
    assert len(tested) == methods.FOLDS
    for inside, held in tested:
        assert sorted([*inside, *held]) == sorted(sample)
        assert abs(sum(y[held]) - sum(y[sample]) / 5) < 1  # each fold has its share of class 1


# --------------------------------------------------------------------------------------- the rows

ROUNDS = (1, 3, 10)
TREES = dict(zip(methods.TREE_ROUNDS, (60.0, 31.0, 27.0, 90.0, 95.0), strict=True))
# NN under each distance (30 where none is given); by rounds: the mean, and the spread of three runs
MADE_UP = {
    "ad": ({"L1": 20.0}, ((50.0, 12.0, 90.0), 2.0), ((50.0, 8.88, 90.0), 1.0)),
    "sonar": (
        {"L1": 24.0, "Mah-D": 26.0, "L2": 27.0},
        ((40.0, 29.0, 26.0), 2.0),
        ((35.0, 28.0, 25.5), 1.0),
    ),
    "liver": ({"Mah": 29.0}, ((50.0, 36.0, 35.5), 1.0), ((50.0, 37.0, 33.6), 2.0)),
    "wdbc-small": ({"Mah-D": 6.5, "L2": 8.0}, ((12.0, 6.0, 5.0), 2.0), ((9.0, 5.5, 4.0), 1.0)),
    "digits17": ({"L2": 1.5}, ((7.0, 3.0, 2.5), 2.0), ((5.0, 4.0, 1.25), 1.0)),
}
# errors by rounds within two training samples: together T = 3 is best, boosted would choose 10
VALIDATED = {
    "boosted": ((31.0, 24.0, 20.0), (29.0, 22.0, 20.0)),
    "stumps": ((30.0, 20.0, 24.0),) * 2,
}


def runs_of(name, run):
    """Yield the errors of a run: a mean, and minus one spread, zero or one spread."""
    nn, stumps, boosted = MADE_UP[name]
    shift = run - 1
    for distance in (*NAMES, "RCA, root", "RCA-D, root"):
        yield {"method": distance, "rounds": 0, "error": nn.get(distance, 30.0) + shift}
    for method, (means, spread) in (("boosted", boosted), ("stumps", stumps)):
        for t, mean in zip(ROUNDS, means, strict=True):
            used = {"used": t + shift} if method == "boosted" else {}
            yield {"method": method, "rounds": t, "error": mean + spread * shift} | used
    for t, mean in TREES.items():
        yield {"method": "trees", "rounds": t, "error": mean + 3 * shift}


def seen_of(scale, *names):
    """The observations of three runs and two samples of some sets; all others are missing."""
    items = []
    for name in names:
        for run in range(3):
            cell = {"part": "test", "data_set": name, "run": run}
            items += [cell | item for item in runs_of(name, run)]
        for run in range(2):
            cell = {"part": "validation", "data_set": name, "run": run}
            items += [
                cell | {"method": m, "rounds": t, "error": e}
                for m, samples in VALIDATED.items()
                for t, e in zip(ROUNDS, samples[run], strict=True)
            ]
    left = errors.SETS if scale == "paper" else errors.SMALL_SETS
    missing = [
        {"part": "test", "data_set": name, "why": f"no file of {name}"}
        for name in left
        if name not in names
    ]
    return Seen(items, missing, scale)


def numbers(rows, *keys):
    """The rows as tuples: the values of some keys, published, ours, the deviation of a run."""
    found = []
    for row in rows:
        spread = None if row["error"] is None else round(row["error"] * row["n"] ** 0.5, 4)
        ours = None if row["ours"] is None else round(row["ours"], 4)
        found.append((*(row.get(key) for key in keys), row["published"], ours, spread))
    return found


def test_t_has_the_least_cross_validated_error_of_both_methods(monkeypatch):
    assert errors.chosen_rounds(seen_of("small", "digits17")) == 3
    monkeypatch.setitem(VALIDATED, "stumps", VALIDATED["boosted"])
    assert errors.chosen_rounds(seen_of("small", "digits17")) == 10


def test_table2_at_the_papers_scale():
    """At T = 3: ad 12 against 8.88, sonar 29 against 28, liver 36 against 37."""
    gathered = errors.table2(seen_of("paper", "ad", "sonar", "liver"))
    rows = {name: [r for r in gathered.rows if r["data_set"] == name] for name in errors.SETS}
    columns = list(errors.COLUMNS.values())
    assert numbers(rows["sonar"], "method", "distance") == [
        (columns[0], "L1 (printed Mah-D)", 26.1, 24.0, 1.0),
        (columns[1], "", 25.95, 29.0, 2.0),
        (columns[2], "", 25.67, 28.0, 1.0),
        (columns[3], "", 0.28, 1.0, 1.0),
    ]
    assert numbers(rows["liver"])[3] == (1.93, -1.0, 1.0)
    assert numbers(rows["wbc"], "method", "why") == [
        (method, "no file of wbc", published, None, None)
        for method, published in zip(columns, (5.25, 5.7, 3.79, 1.91), strict=True)
    ]
    wins, gain = gathered.rows[-2:]
    assert (wins["data_set"], wins["method"]) == ("3 sets", errors.WINS)
    assert (wins["published"], wins["ours"], wins["error"]) == (13, 2, 0.0)
    # (100 * 3.12 / 12 + 100 / 29 - 100 / 36) / 3
    assert (gain["published"], gain["error"]) == (12.87, None)
    assert gain["ours"] == pytest.approx(8.8902, abs=1e-4)
    assert gathered.notes[0].startswith("T = 3, the one of least cross-validated error")
    assert list(rows) == list(errors.SETS)


def test_table2_at_the_small_scale():
    rows = errors.table2(seen_of("small", "digits17", "wdbc-small")).rows
    assert numbers(rows, "data_set", "distance")[:5] == [
        ("wdbc-small", "Mah-D (printed Mah-D)", 6.83, 6.5, 1.0),
        ("wdbc-small", "", 5.81, 6.0, 2.0),
        ("wdbc-small", "", 4.67, 5.5, 1.0),
        ("wdbc-small", "", 1.14, 0.5, 1.0),
        ("digits17", "L2 (printed -)", None, 1.5, 1.0),
    ]
    assert [row["ours"] for row in rows[-2:]] == [1, pytest.approx(-12.5)]
    assert [row["published"] for row in rows[-2:]] == [None, None]


def test_equal_errors_are_no_win(monkeypatch):
    nn, stumps, _ = MADE_UP["sonar"]
    monkeypatch.setitem(MADE_UP, "sonar", (nn, stumps, stumps))
    assert errors.table2(seen_of("paper", "sonar")).rows[-2]["ours"] == 0
    assert errors.rounds(seen_of("paper", "sonar")).rows[6]["ours"] == 0


def test_figure2_holds_accuracies_by_rounds():
    rows = errors.figure2(seen_of("paper", "ad")).rows
    assert numbers(rows, "data_set", "method", "rounds") == [
        ("ad", "Boosted Distance", 1, None, 50.0, 1.0),
        ("ad", "Boosted Distance", 3, None, 91.12, 1.0),
        ("ad", "Boosted Distance", 10, None, 10.0, 1.0),
        ("ad", "AdaBoost, stumps", 1, None, 50.0, 2.0),
        ("ad", "AdaBoost, stumps", 3, None, 88.0, 2.0),
        ("ad", "AdaBoost, stumps", 10, None, 10.0, 2.0),
        ("ad", "NN (L2)", 0, None, 70.0, 1.0),
        *[(name, "all", 0, None, None, None) for name in ("gender", "MNIST", "arrhythmia")],
    ]
    assert [row["why"] for row in rows[-3:]] == [
        f"no file of {name}" for name in ("gender", "MNIST", "arrhythmia")
    ]


def test_figures_4_and_5_at_the_chosen_t():
    views = {view.name: view for view in errors.STUDY.views}
    gathered = views["figure4"].gather(seen_of("small", "digits17", "wdbc-small"))
    assert numbers(gathered.rows, "data_set", "method")[:3] == [
        ("wdbc-small", "AdaBoost, stumps", None, 6.0, 2.0),
        ("wdbc-small", "AdaBoost, C4.5-like trees", None, 31.0, 3.0),
        ("wdbc-small", "Boosted Distance", None, 5.5, 1.0),
    ]
    assert gathered.notes[0] == "T = 3 (trees: at most 100)."
    assert gathered.notes[1].startswith("Boosted Distance beats AdaBoost with trees on 2 of 2 sets")
    gathered = views["figure5"].gather(seen_of("paper", "liver", "sonar"))
    rows = [row for row in gathered.rows if row["data_set"] in ("sonar", "pima")]
    assert numbers(rows, "method", "why")[::4] == [
        ("NN, best distance", None, None, 24.0, 1.0),
        ("all", "no file of pima", None, None, None),
    ]
    # 28 is less than the trees' 31, 37 is not
    assert gathered.notes[1].startswith("Boosted Distance beats AdaBoost with trees on 1 of 2 sets")


@pytest.mark.parametrize("T, place", [(1, 1), (2, 1), (3, 3), (29, 10), (100, 100), (500, 100)])
def test_trees_are_shown_at_the_largest_number_of_rounds_not_above_t(T, place):
    found = {("trees", t): np.array([float(t)]) for t in methods.TREE_ROUNDS}
    assert errors.errors_at(found, "trees", T).tolist() == [place]


def reduced(name, singular):
    """Yield reductions of three runs, two with a share: NDA has 3 dimensions, in one run 2."""
    for share, dimensions, runs in ((None, (1, 2, 5, 10), 3), (0.8, (1, 3), 2)):
        base = 10.0 if share is None else 20.0
        for run in range(runs):
            cell = {"part": "reductions", "data_set": name, "share": share, "run": run}
            values = [("none", 64, base + run - 1), ("LDA", 1, base - 1 + 2 * (run - 1))]
            values += [("PCA", k, base + 4 - i + run) for i, k in enumerate(dimensions)]
            last = 2 if run == 2 else 3
            values += [("NDA", k, base + 2 * i + run - 1) for i, k in enumerate(dimensions[:last])]
            if singular and share is None:
                values.append(("LDA, singular", 1, 46.0 + run))
            for method, k, e in values:
                yield cell | {"method": method, "dimensions": k, "error": e}


@pytest.mark.parametrize(
    "scale, name, printed", [("small", "digits17", None), ("paper", "MNIST", 49.96)]
)
def test_figure3(monkeypatch, scale, name, printed):
    monkeypatch.setitem(MADE_UP, "MNIST", MADE_UP["digits17"])
    seen = seen_of(scale, name)
    seen.items.extend(reduced(name, True))
    gathered = errors.figure3(seen)
    few, many = "as in table 2", "80% of the data"
    rows = [row for row in gathered.rows if row["data_set"] == name]
    assert numbers(rows, "method", "training", "dimensions", "used") == [
        ("Boosted Distance", few, 2, 1.0, None, 95.0, 1.0),
        ("Boosted Distance", few, 6, 3.0, None, 96.0, 1.0),
        ("Boosted Distance", few, 20, 10.0, None, 98.75, 1.0),
        ("NN (L2)", few, None, None, None, 90.0, 1.0),
        ("PCA", few, 1, None, None, 85.0, 1.0),
        ("PCA", few, 2, None, None, 86.0, 1.0),
        ("PCA", few, 5, None, None, 87.0, 1.0),
        ("PCA", few, 10, None, None, 88.0, 1.0),
        ("NDA", few, 1, None, None, 90.0, 1.0),
        ("NDA", few, 2, None, None, 88.0, 1.0),
        ("LDA", few, 1, None, None, 91.0, 2.0),
        ("LDA by S_b v = lambda S_w v", few, 1, None, printed, 53.0, 1.0),
        # two runs, one and no spread below the mean: 80.5 and sqrt(1 / 2)
        ("NN (L2)", many, None, None, None, 80.5, 0.7071),
        ("PCA", many, 1, None, None, 75.5, 0.7071),
        ("PCA", many, 3, None, None, 76.5, 0.7071),
        ("NDA", many, 1, None, None, 80.5, 0.7071),
        ("NDA", many, 3, None, None, 78.5, 0.7071),
        ("LDA", many, 1, None, None, 82.0, 1.4142),
    ]
    assert gathered.notes[-1] == (
        f"{name}, best accuracy over the numbers of dimensions. as in table 2: Boosted Distance "
        "98.75, NN (L2) 90.00, PCA 88.00, NDA 90.00, LDA 91.00; 80% of the data: NN (L2) 80.50, "
        "PCA 76.50, NDA 80.50, LDA 82.00."
    )


def test_figure3_of_absent_sets():
    seen = seen_of("paper", "ad")
    seen.items.extend(reduced("ad", False))
    absent = [row for row in errors.figure3(seen).rows if row["data_set"] != "ad"]
    assert numbers(absent, "data_set", "method", "dimensions", "why") == [
        (name, "LDA", 1, f"no file of {name}", printed, None, None)
        for name, printed in (("gender", 50.08), ("MNIST", 49.96), ("arrhythmia", None))
    ]


def test_what_depends_on_t():
    gathered = errors.rounds(seen_of("paper", "ad", "sonar", "liver"))
    rows = [row for row in gathered.rows if "data_set" not in row]
    ours = np.array([row["ours"] for row in rows]).reshape(3, 7).tolist()
    expected = [
        # means of ad, sonar, liver; of the two samples; |ours - printed| of sonar and liver
        [135 / 3, 30, (9.33 + 16.42) / 2, 140 / 3, 30, (14.05 + 14.49) / 2, 1],
        [73.88 / 3, 23, (2.33 + 3.42) / 2, 77 / 3, 20, (3.05 + 0.49) / 2, 2],
        [149.1 / 3, 20, (0.17 + 0.02) / 2, 151.5 / 3, 24, (0.05 + 0.01) / 2, 2],
    ]
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
    assert gathered.drawing == {"chosen": 3}
    assert "averaged over 3 sets (the distance from the printed ones: 2)" in gathered.notes[0]
    leads = [row for row in gathered.rows if row.get("quantity") == errors.LEAD]
    assert numbers(leads, "rounds", "data_set") == [
        (10, "ad", None, 0.0, 1.0),
        (10, "sonar", None, 0.5, 1.0),
        (10, "liver", None, 1.9, 1.0),
    ]


def test_table_2_of_other_t(monkeypatch):
    """The rows of Table 2 at each T that has been computed, beside the same published numbers."""
    monkeypatch.setattr(errors, "OTHER_T", (10, 500))
    rows = [r for r in errors.rounds(seen_of("paper", "sonar")).rows if "method" in r]
    assert numbers(rows, "rounds", "method")[1:] == [
        (10, "AdaBoost, stumps", 25.95, 26.0, 2.0),
        (10, "Boosted Distance", 25.67, 25.5, 1.0),
        (10, "difference", 0.28, 0.5, 1.0),
    ]


def test_what_rises_after_100_rounds():
    """AdaBoost's errors rise by 2 and 1, those of Boosted Distance by 1 and 3."""
    runs = np.array([-1.0, 0.0, 1.0])
    found = {
        "a": {("stumps", 100): 0 * runs, ("stumps", 500): 2 + 0 * runs},
        "b": {("stumps", 100): 0 * runs, ("stumps", 500): 1 + 0 * runs},
    }
    found["a"] |= {("boosted", 100): 0 * runs, ("boosted", 500): 1 + runs}
    found["b"] |= {("boosted", 100): 0 * runs, ("boosted", 500): 3 + runs}
    rows = [row for row in errors.by_set(500, found) if row["quantity"] == errors.RISE]
    assert numbers(rows, "data_set")[:2] == [("a", None, -1.0, 1.0), ("b", None, 2.0, 1.0)]
    assert rows[2]["data_set"] == "mean of 2 sets" and rows[2]["ours"] == 0.5
    assert rows[2]["error"] == pytest.approx((2 / 3) ** 0.5 / 2)


def test_distances_compares_the_one_that_the_paper_names():
    rows = errors.distances(seen_of("paper", "sonar")).rows
    of = {(row["data_set"], row["distance"]): row["published"] for row in rows}
    assert {key for key, printed in of.items() if printed and key[0] == "sonar"} == {
        ("sonar", "Mah-D")
    }
    assert of["liver", "all"] == 41.11 and len(rows) == 10 + 14


# ---------------------------------------------------------------------------------------- the data


def test_table1():
    items = [{"data_set": n, "observations": 7, "dimensions": 3, "notes": ["x"]} for n in data.SETS]
    pima = next(i for i in items if i["data_set"] == "pima")
    items.remove(pima)
    seen = Seen(items, [{"data_set": "pima", "why": "no file"}], "paper")
    gathered = data.table1(seen)
    rows = [row for row in gathered.rows if row["data_set"] in ("sonar", "pima")]
    assert numbers(rows, "data_set", "quantity", "why") == [
        ("sonar", "observations", None, 208.0, 7, 0.0),
        ("sonar", "dimensions", None, 60.0, 3, 0.0),
        ("pima", "observations", "no file", 768.0, None, None),
        ("pima", "dimensions", "no file", 8.0, None, None),
    ]
    assert len(gathered.rows) == 30 and gathered.notes[0] == "ad: x"
    items = [i | {"data_set": n} for i, n in zip(items, ("digits17", "wdbc-small"), strict=False)]
    assert [row["published"] for row in data.table1(Seen(items)).rows] == [None, None, 569.0, 30.0]


def test_figure1_counts_the_images():
    items = [
        {"data_set": "digits17", "side": 2, "class": c, "images": [[0, 1, 2, 3]] * n}
        for c, n in (("1", 2), ("7", 3))
    ]
    gathered = data.figure1(Seen(items))
    assert numbers(gathered.rows, "data_set", "class", "why") == [
        ("digits17", "1", None, None, 2, 0.0),
        ("digits17", "7", None, None, 3, 0.0),
        ("gender", "both", data.NO_FACES, None, None, None),
    ]
    assert gathered.drawing[0]["side"] == 2 and len(gathered.drawing[0]["classes"]) == 2
    missing = [{"data_set": "gender", "why": "a licence"}]
    assert data.figure1(Seen(items, missing)).rows[-1]["why"] == "a licence"
