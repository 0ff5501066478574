"""When BoostMap pays: the six distances, the counts of the searches, and their table.

Distances are compared with loops and SciPy, searches with a scan of all distances. Not tested here:
trainings, and PyNNDescent where it is not installed.
"""

import itertools
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
from boostmap_measures import FIGURES, reduce, values
from scipy.spatial.distance import directed_hausdorff
from scipy.special import rel_entr

import refimpl.kernels
from paper_figures import data
from paper_figures.boostmap import any_distance, exact_counts, more_results, pays
from paper_figures.boostmap.tasks import errors_of
from paper_figures.data import DataSet
from paper_figures.registry import Context, Job, Result

SMALL = Context()
PAPER = Context(scale="paper")


# ------------------------------------------------------------------------------------- distances


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


@pytest.mark.parametrize("length", [1, 7, 60, 63])
def test_edit_distances(length):
    rng = np.random.default_rng(length)
    A = rng.integers(4, size=(40, length))
    B = rng.integers(4, size=(40, length))
    B[:10] = A[:10]
    B[5:20, 2:] = A[5:20, : max(length - 2, 0)]  # moved by two letters
    expected = [levenshtein(a, b) for a, b in zip(A.tolist(), B.tolist(), strict=True)]
    assert any_distance.edit_distances(A, B).tolist() == expected
    D = any_distance.distances_between("edit", A[:3], B, None)
    assert D.shape == (3, 40) and D[2].tolist() == [levenshtein(A[2], b) for b in B]


def test_warped_distances():
    rng = np.random.default_rng(1)
    A, B = rng.random((2, 6, 5, 2))

    def warped(a, b):
        """Return the least sum over all ways that move on in one curve or in both."""
        if len(a) == 1 and len(b) == 1:
            return np.linalg.norm(a[0] - b[0])
        ways = [
            warped(a[i:], b[j:]) for i, j in ((1, 0), (0, 1), (1, 1)) if len(a) > i and len(b) > j
        ]
        return np.linalg.norm(a[0] - b[0]) + min(ways)

    D = any_distance.distances_between("DTW", A, B, None)
    for i, j in itertools.product(range(6), range(6)):
        assert D[i, j] == pytest.approx(warped(A[i], B[j]))


def test_divergences_cosines_and_hausdorff():
    rng = np.random.default_rng(2)
    P, Q = (M / M.sum(axis=1, keepdims=True) for M in rng.random((2, 5, 8)) + 0.1)
    D = any_distance.distances_between("KL", P, Q, None)
    np.testing.assert_allclose(D, [[rel_entr(p, q).sum() for q in Q] for p in P])
    angle = any_distance.distances_between("cosine", P, Q, None)
    assert angle[1, 3] == pytest.approx(
        1 - P[1] @ Q[3] / np.sqrt(P[1] @ P[1]) / np.sqrt(Q[3] @ Q[3])
    )
    A, B = rng.random((2, 4, 6, 6)) < 0.2
    D = any_distance.distances_between("Hausdorff", A, B, None)
    for i, j in itertools.product(range(4), range(4)):
        a, b = np.argwhere(A[i]), np.argwhere(B[j])
        assert D[i, j] == max(directed_hausdorff(a, b)[0], directed_hausdorff(b, a)[0])


@pytest.mark.parametrize("kind", pays.kinds_of(SMALL))
def test_objects_of_each_kind_have_distances(kind):
    job = Job(0, {}, "reference", None, ("digits",))
    X, y = any_distance.objects_of(job, kind, "digits", 12, np.random.default_rng(0))
    D = any_distance.distances_between(kind, X, X, refimpl.kernels)
    assert y.shape == (12,) and D.shape == (12, 12) and (D >= 0).all() and np.isfinite(D).all()
    assert np.diag(D) == pytest.approx(np.zeros(12), abs=1e-9) and D.max() > 0


# ---------------------------------------------------------------------------------------- counts


@pytest.fixture
def plane():
    rng = np.random.default_rng(3)
    X, Q = rng.random((90, 2)), rng.random((30, 2))
    return (
        np.linalg.norm(X[:, np.newaxis] - X, axis=2),
        np.linalg.norm(Q[:, np.newaxis] - X, axis=2),
    )


def test_a_tree_is_exact_in_a_metric_space_and_looks_at_less(plane):
    D_X, D_Q = plane
    counted = [0]
    tree = exact_counts.vantage_point_tree(D_X, np.arange(90), np.random.default_rng(0), counted)
    # 89 distances for the first point, and at most 89 on each of the levels below
    assert 89 < counted[0] < 89 * 7
    looked = []
    for row in D_Q:
        best, count = exact_counts.search_tree(tree, row, 1.0)
        assert best == np.argsort(row, kind="stable")[:10].tolist()
        everything, all_of_them = exact_counts.search_tree(tree, row, 0.0)
        assert everything == best and all_of_them == 90
        looked.append(count)
    assert max(looked) <= 90 and np.mean(looked) < 75


def test_objects_as_near_as_the_tenth_are_right():
    row = np.array([[5.0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 4]])
    right = exact_counts.as_near(row)
    assert right[0].tolist() == [False] + [True] * 11 + [False]  # two of distance 3
    assert exact_counts.candidates_for(np.array([[1, 2, 3, 4], [1, 2, 3, 90]]), 75) == 3
    assert exact_counts.candidates_for(np.array([[1, 2, 3, 4], [1, 2, 3, 90]]), 76) == 4
    assert exact_counts.candidates_for(np.array([[1, 2, 3, 4], [1, 2, 3, 90]]), 100) == 90


def test_d_and_p_are_chosen_by_one_half_and_measured_on_the_other():
    few = np.array([[20] * 10, [40] * 10])  # p = 20 for the first query
    many = np.array([[12] * 10, [12] * 5 + [13] * 5])
    best = exact_counts.best_setting([few, many], [2, 9], 77)
    # 20 + 2 is more than 12 + 9; of the second query's ten nearest five have a rank of 12 or less
    expected = {"distances": 21.0, "recall": 50.0}
    assert best == {"build": 77, "at": dict.fromkeys(("90", "95", "99"), expected)}
    counts = (np.array([30.0, 50.0]), np.array([9.0, 8.0]))
    wider = (np.array([60.0, 70.0]), np.array([10.0, 9.0]))
    found = exact_counts.best_width([counts, wider], 5)["at"]
    assert found["90"] == {"distances": 50.0, "recall": 80.0}
    # first query: 90 % and 100 %, so half of the queries get the wider search for 95 %
    assert found["95"] == {"distances": 60.0, "recall": 85.0}
    assert found["99"] == pytest.approx({"distances": 68.0, "recall": 89.0})
    assert exact_counts.best_width([counts], 5)["at"].keys() == {"90"}


def test_every_method_is_counted():
    job = Job(0, {"t": 1}, "reference", None, ("digits",))
    sizes = pays.SIZES["small"] | {"triples": 200, "candidates": 20, "objects": 30, "d": 4}
    sizes |= {"dimensions": (2, 4), "query_sensitive": 2, "M_1": 10}
    given = {"kind": "cosine", "data_set": "digits", "objects": 80, "queries": 20, "draw": 0}
    value = exact_counts.exact_counts(job, **given, sizes=sizes, versions={})
    methods = value["methods"]
    assert list(methods) == [
        "all distances",
        "BoostMap, random triples",
        "BoostMap, random triples, query-sensitive",
        "BoostMap, near triples",
        "BoostMap, near triples, query-sensitive",
        "BoostMap, selective triples",
        "BoostMap, selective triples, query-sensitive",
        "FastMap",
        "FastMap, clipped",
        "random references",
        "vantage-point tree",
    ]
    for name, method in methods.items():
        for recall, at in method["at"].items():
            assert 10 <= at["distances"] <= 80 + 4 * 2, (name, recall)
            assert 0 < at["recall"] <= 100
        assert min(method["train"], method["ask"], method["kept"]) >= 0
        assert (method["kept"] > 0) == (name != "all distances")
    assert methods["random references"]["build"] == 80 * 4
    assert methods["BoostMap, near triples"]["build"] > 20 * 50 + 30 * 30
    assert 0 <= value["broken"] < 100 and value["microseconds"] > 0


def test_broken_triangles():
    line = np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))
    rng = np.random.default_rng(0)
    assert exact_counts.broken_triangles(line, rng) == 0.0
    # squares on a line: a detour over a point between is always shorter, 168 of 729 triples
    broken = exact_counts.broken_triangles(line**2, rng)
    assert broken == pytest.approx(100 * 168 / 729, abs=0.5)


# ----------------------------------------------------------------------------------------- tables


def counted(kind, **methods):
    at = {
        name.replace("_", " "): {
            "build": 7,
            "at": {str(r): {"distances": d + r, "recall": 90.0} for r in (90, 95, 99)},
        }
        for name, d in methods.items()
    }
    params = {"kind": kind, "data_set": pays.SMALL_SET}
    return Result("exact_counts", params, {"methods": at, "broken": 0.0})


def test_the_table_of_counts_and_who_wins():
    results = [
        counted("edit", BoostMap=10, FastMap=100),
        counted("edit", BoostMap=14, FastMap=110),
        counted("KL", BoostMap=100, FastMap=10),
        counted("KL", BoostMap=104, FastMap=10),
        counted("DTW", BoostMap=10, FastMap=10),
        counted("DTW", BoostMap=30, FastMap=11),
    ]
    gathered = reduce("pays", SMALL, results)
    rows = [row for row in gathered.rows if row["recall"] == 95 and row["distance"] == "edit"]
    assert values(rows, "method", "ours", "reached", "build", "fewest") == [
        ("BoostMap", 107.0, 90.0, 7, "yes"),
        ("FastMap", 200.0, 90.0, 7, "no"),
    ]
    assert rows[0]["repetitions"] == 2 and len(gathered.rows) == 18
    fewer, more, unsure, taken = gathered.notes[3:]
    assert fewer.startswith("BoostMap takes fewer exact distances than every rival at 95 % recall")
    assert fewer.endswith("edit (BoostMap 107, FastMap 200).")
    assert more.endswith("KL (BoostMap 197, FastMap 105).")
    assert unsure.endswith("DTW (BoostMap 115, FastMap 106).")  # 0 and 19: the error is 9.5
    assert taken.startswith("Take BoostMap on none of these sets.")  # one draw is left to judge by


def with_costs(kind, counts, **costs):
    result = counted(kind, **counts)
    for name, method in result.value["methods"].items():
        method.update({key: value[name] for key, value in costs.items()})
    result.value["microseconds"] = 40.0
    return result


def test_a_form_is_chosen_by_the_first_draw_and_judged_by_the_others():
    costs = {
        "train": {"BoostMap, a": 9.0, "BoostMap, b": 9.0, "FastMap": 1.0},
        "ask": {"BoostMap, a": 1.0, "BoostMap, b": 1.0, "FastMap": 2.0},
        "kept": {"BoostMap, a": 5.0, "BoostMap, b": 5.0, "FastMap": 5.0},
    }

    def draws(kind, *counts):
        names = ("BoostMap, a", "BoostMap, b", "FastMap")
        return [with_costs(kind, dict(zip(names, row, strict=True)), **costs) for row in counts]

    results = [
        *draws("edit", (10, 20, 1), (10, 1, 30), (10, 1, 31)),  # a is chosen, b would be better
        *draws("KL", (10, 20, 90), (50, 1, 30), (50, 1, 31)),
        *draws("DTW", (10, 20, 90), (50, 1, 40), (50, 1, 60)),
    ]
    gathered = reduce("pays", SMALL, results)
    assert gathered.notes[-1] == (
        "Take BoostMap when the data are like edit: it takes the fewest exact distances; or when "
        "the data are like DTW: others take as few, but it adds the least time to a query. Take "
        "another on KL: FastMap takes fewer on 1 of 1. At 95 % recall, by the form that takes "
        "fewest on the first draw, judged on the others (edit: BoostMap, a; DTW: BoostMap, a; "
        "KL: BoostMap, a)."
    )
    rows = [row for row in gathered.rows if row.get("cost") == pays.DISTANCE]
    assert [(row["distance"], row["ours"]) for row in rows] == [
        ("edit", 40.0),
        ("DTW", 40.0),
        ("KL", 40.0),
    ]
    asked = [row for row in gathered.rows if row.get("cost") == pays.COSTS["ask"]]
    assert values(asked[:3], "method", "ours") == [
        ("BoostMap, a", 1.0),
        ("BoostMap, b", 1.0),
        ("FastMap", 2.0),
    ]


def test_a_method_that_misses_the_recall_says_so():
    results = [counted("edit", BoostMap=10, tree=20)]
    del results[0].value["methods"]["tree"]["at"]["99"]
    rows = reduce("pays", SMALL, results).rows
    assert rows[-1]["why"] == pays.NOT_REACHED and rows[-1]["method"] == "tree"


def test_a_version_tells_stored_draws_apart(monkeypatch):
    def params():
        return FIGURES["pays"].tasks(PAPER)[0].params["versions"]

    monkeypatch.setattr(pays, "version", lambda name: "0.5.13")
    assert params() == {"pynndescent": "0.5.13"} and exact_counts.all_of(params())

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(pays, "version", missing)
    assert params() == {"pynndescent": None} and not exact_counts.all_of(params())
    rows = reduce("pays", PAPER, []).rows
    assert [(row["method"], row["why"]) for row in rows] == [("PyNNDescent", pays.LIBRARY)]
    assert {t.params["versions"] == {} for t in FIGURES["pays"].tasks(SMALL)} == {True}


def test_six_other_sets_beside_the_papers():
    sets = {task.params["data_set"] for task in FIGURES["pays"].tasks(PAPER)}
    assert len(sets - {"MNIST-10"}) == 6 and "MNIST-10" in sets
    names = list(pays.KINDS)
    results = [
        Result(r.name, {"kind": pays.KINDS[name][0], "data_set": pays.KINDS[name][1]}, r.value)
        for name in names
        for r in [counted("any", BoostMap=10, FastMap=20)]
    ]
    rows = reduce("pays", PAPER, results).rows
    assert list(dict.fromkeys(row["distance"] for row in rows if row["ours"])) == names


def test_objects_alone_in_their_class_are_no_objects_of_triples():
    labels = np.array([0, 1, 1, 2, 2, 2, 3])
    assert exact_counts.of_shared_classes(np.array([0, 6, 3, 5, 1]), labels).tolist() == [3, 5]


@pytest.mark.parametrize("kind, n, kept", [("cosine", 2, [1, 3]), ("chamfer", 1, [3])])
def test_objects_without_a_distance_are_left_out(monkeypatch, kind, n, kept):
    """Two vectors of zeros; and of images of one grey value all but the last."""
    X = np.zeros((4, 400))
    X[1], X[3, 200:] = (0.0 if kind == "chamfer" else 2.0), 1.0
    few = DataSet("few", X, np.arange(4), {})
    monkeypatch.setattr(data, "load", lambda name, data_dir, **options: few)
    job = Job(0, {}, "reference", None, ("few",))
    objects, labels = any_distance.objects_of(job, kind, "few", n, np.random.default_rng(0))
    assert sorted(labels.tolist()) == kept and len(objects) == len(kept)
    with pytest.raises(ValueError, match=f"{n + 1} objects of few must have a distance; {n} have"):
        any_distance.objects_of(job, kind, "few", n + 1, np.random.default_rng(0))


def test_paired_differences_by_hand():
    """Two trainings, four queries, one k: the first errs on 1 and 2 of them, the second on 2."""

    def variant(distance, wrong):
        errors = errors_of(np.array([wrong]))
        params = {"distance": distance, "triples": "Se"}
        return Result("variant", params, {"QI": errors, "QS": errors})

    results = [
        variant("Fe", [True, True, False, False]),
        variant("Pa", [True, False, False, False]),
        variant("Fe", [True, True, False, False]),
        variant("Pa", [True, True, False, False]),
    ]
    rows = reduce("paired", PAPER, results).rows
    by_name = {row["difference"]: row for row in rows}
    row = by_name["Pa-Se-QI minus Fe-Se-QI"]
    assert (row["ours"], row["k"], row["repetitions"]) == (-12.5, 1, 2)  # -25 and 0 points
    assert row["std"] == pytest.approx(25 / 2**0.5, abs=1e-6)
    # query by query: 0, -1/2, 0, 0, whose deviation is 1/4
    assert row["error over queries"] == 12.5
    assert by_name["Pa-Se-QS minus Pa-Se-QI"]["ours"] == 0.0
    assert "Pa-Se-QS minus chamfer distance" not in by_name
    assert more_results.unpacked([errors_of(np.array([[True, False, True]]))]).tolist() == [
        [[1.0, 0.0, 1.0]]
    ]


def test_further_k_and_costs(monkeypatch):
    def run(ranks, cost):
        of_all = {str(k): [ranks * k] * 100 for k in more_results.RANKS_AT}
        return {"ranks": of_all, "cost": cost}

    results = [
        Result("fastmap", {"clip": False}, {"dimensions": {"8": run(9, 8), "16": run(6, 16)}}),
        Result("fastmap", {"clip": True}, {"dimensions": {"16": run(5, 16), "32": run(6, 32)}}),
        Result(
            "variant",
            {"distance": "Fe", "triples": "Ra"},
            {"dimensions": {"8": run(9, 8), "16": run(3, 30)}, "d": 32, "QI": run(3, 30)},
        ),
        Result(
            "variant",
            {"distance": "Fe", "triples": "Se"},
            {"dimensions": {"8": run(9, 8), "16": run(3, 30)}, "d": 32, "QI": run(2, 30)},
        ),
    ]
    rows = reduce("other_k", PAPER, results).rows
    found = {(row["ratio"], row["dimensions"], row["ours"]) for row in rows}
    assert found == {
        ("BoostMap-Fe-Ra-QI / FastMap", 16, 0.5),
        ("BoostMap-Fe-Ra-QI / FastMap, clipped", 32, 0.5),  # FastMap has 16 dimensions
        ("BoostMap-Fe-Se-QI / FastMap, clipped", 32, 0.333333),
        ("BoostMap-Fe-Se-QI / BoostMap-Fe-Ra-QI", 32, 0.666667),
    }
    assert len(rows) == 4 * 7 * 5
    costs = {
        (row["method"], row["k"]): row["ours"]
        for row in reduce("costs_by_k", PAPER, results).rows
        if row["of queries, %"] == 95
    }
    assert costs["BoostMap-Fe-Ra-QI", 1] == 17  # 9 + 8 is less than 3 + 30
    assert costs["BoostMap-Fe-Ra-QI", 100] == 330  # 300 + 30 is less than 900 + 8
    assert costs["FastMap", 10] == 76  # 60 + 16


def test_remarks():
    results = [
        Result("triangle_inequality", {}, {"broken": 0.5, "largest": 1.25, "images": 9}),
        Result("retrieval_times", {}, {"milliseconds": {"FastMap, filter": [1.0, 3.0]}}),
        Result("own_splitters", {}, {"same": 6, "rounds": 8, "d": 4}),
        Result("own_splitters", {}, {"same": 8, "rounds": 8, "d": 4}),
    ]
    rows = reduce("remarks", PAPER, results).rows
    assert [row["ours"] for row in rows] == [0.5, 1.25, 2.0, 87.5, 25.0]
    assert rows[2]["quantity"] == "milliseconds a query: FastMap, filter"
    assert rows[2]["std"] == pytest.approx(2**0.5, abs=1e-6)
