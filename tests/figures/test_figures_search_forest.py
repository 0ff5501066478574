"""The tasks and reductions of the search forest's figures, at sizes that take seconds."""

from types import SimpleNamespace

import numpy as np
import pytest
from figure_runs import require_missing_is_said, require_rows, run, run_all

from paper_figures.registry import Context, Result
from paper_figures.search_forest import figures, results, tasks, unions
from paper_figures.search_forest import libraries as beside
from refimpl.rivals.kmeans_trees import kmeans_trees

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)
AT = {"data_set": "digits", "d": 8, "queries": 60, "K": 10, "trial": 900, "counts": (10, 40)}
GIST = AT | {"data_set": "digits-gist", "d": 24}
FOREST = {"lams": (0.02, 0.6), "n_train": 600, "max_depth": 7, "trees": 3}
LIBRARIES = {key: AT[key] for key in ("data_set", "d", "queries", "K")} | {
    "versions": beside.versions(),
    "passes": 1,
    "methods": {
        "forest": {
            "kind": "forest",
            "with": {"lam": 0.02, "n_train": 600, "max_depth": 7, "trees": 3},
            "settings": (20, 80, None),
        },
        "annoy": {"kind": "annoy", "with": {"trees": 4}, "settings": (20, 200, 10**6)},
        "FAISS IVF-flat": {"kind": "ivf", "with": {"lists": 16}, "settings": (1, 4, 16)},
        "hnswlib": {"kind": "hnsw", "with": {"links": 4, "effort": 20}, "settings": (10, 100)},
        "linear scan": {"kind": "scan", "with": {}, "settings": (None,)},
    },
}
TASKS = SimpleNamespace(**vars(tasks) | vars(unions) | {"libraries": beside.search})
UNIONS = [
    ("union_forest", FOREST | {"lams": (0.02,)}),
    ("union_kmeans", {"settings": ((4, 5), (4, 20)), "trees": 3}),
    ("union_hashing", {"functions": (4,), "widths": (0.5, 1.0), "tables": 3}),
    ("spectral", {"bits": 16}),
]
PARAMS = {
    "figure1": [
        ("forest", AT | FOREST),
        ("kmeans", AT | {"settings": ((4, 20), (8, 40)), "trees": 2, "first_best": False}),
        ("kmeans", AT | {"settings": ((4, 20),), "trees": 1, "first_best": True}),
        ("hashing", AT | {"functions": (2,), "widths": (0.5, 1.0), "tables": 2}),
        ("spectral", AT | {"bits": 16}),
    ],
    "figure2": [
        ("forest", GIST | FOREST),
        ("kmeans", GIST | {"settings": ((4, 20),), "trees": 2, "first_best": False}),
        ("kmeans", GIST | {"settings": ((4, 20),), "trees": 1, "first_best": True}),
        ("hashing", GIST | {"functions": (2,), "widths": (1.0,), "tables": 2}),
        ("spectral", GIST | {"bits": 16}),
        ("spectral", GIST | {"bits": 40}),  # more than there are components
    ],
    "unions1": [(name, AT | params) for name, params in UNIONS],
    "dimensions": [
        (name, AT | {"d": d} | params)
        for d in (3, 8)
        for name, params in (
            ("forest", FOREST),
            ("kmeans", {"settings": ((4, 20),), "trees": 2, "first_best": False}),
            ("hashing", {"functions": (2,), "widths": (1.0,), "tables": 2}),
            ("spectral", {"bits": 16}),
        )
    ],
    "regions": [("forest", AT | FOREST)]
    + [
        ("kmeans", AT | {"settings": ((n, 20), (n, 40)), "trees": 2, "first_best": False})
        for n in (2, 4)
    ],
    "splits": [
        ("forest", AT | FOREST | {"lams": (0.02,), "refine": 0, "offset": offset, "augment": 0.1})
        for offset in ("best", "eigenvector")
    ],
    "libraries": [("libraries", LIBRARIES)],
    "sensitivity": [("forest", AT | FOREST | {"lams": (lam,), "refine": 0}) for lam in (0.02, 0.6)],
    "table1": [
        ("times", {"bits": bits, "n": n, "queries": 3, "d": 4, "depth": 4})
        for bits in (8, 32)
        for n in (200, 400)
    ],
}


@pytest.fixture(scope="module")
def found():
    return run_all(TASKS, PARAMS)


def test_every_figure_gathers_rows(found):
    require_rows(figures.PAPER, found)


def test_what_is_missing_is_said():
    require_missing_is_said(figures.PAPER.figures)


def test_the_numbers_hang_together(found):
    for r in found["figure1"] + found["figure2"]:
        recall = np.array(r.value["recall"])
        returned = np.array(r.value["returned"])
        assert (
            (np.diff(recall) >= 0).all()
            and (0 <= recall).all()
            and recall[-1] > 10
            and (recall <= 100).all()
        )
        assert (returned <= r.params["counts"]).all() and r.value["candidates"] >= returned[-1]
        tried = r.value["tried"]
        assert not tried or r.value["setting"] == max(tried, key=lambda one: one[1])[0]
    for r in found["table1"]:
        assert 0 < r.value["scan"] < 1 and 0 < r.value["index"] < 1


def test_centres_on_the_way_to_a_leaf_are_those_that_the_first_point_takes():
    rng = np.random.default_rng(0)
    job = SimpleNamespace(kernels=refimpl_fast)
    model = kmeans_trees(rng.normal(size=(300, 3)), rng=rng, branching=4)
    Q = rng.normal(size=(20, 3))
    way, first = (
        tasks.centres_compared(job, model, Q, [1, 1], first_best) for first_best in (False, True)
    )
    assert way == first and way[0] > 4 and way[0] == way[1]


def test_comparisons_count_as_items():
    """The forest of 2 planes and 10 + 2 comparisons is ahead at 20 items only once the centres are
    counted.
    """
    curves = [
        {
            "method": "Boosted Search Forest",
            "counts": [10, 20],
            "recall": [40.0, 50.0],
            "compared": [2, 2],
        },
        {"method": "trees", "counts": [10, 20], "recall": [42.0, 60.0], "compared": [1.0, 50.0]},
        {"method": "codes", "counts": [10, 20], "recall": [99.0, 99.0]},
    ]
    (note,) = results.cost_notes(curves)
    assert "Boosted Search Forest: at most 2 planes; trees: 1 to 50. " in note
    assert "where both have a curve, of: trees at 20 (of 2)." in note
    assert results.cost_notes(curves[1:]) == []


def test_unions_of_whole_lists_by_sets():
    """Tree by tree against sets, with empty lists among them."""
    rng = np.random.default_rng(0)
    n = 40
    M = 5
    queries = 12
    K = 6
    of_points = rng.integers(4, size=(n, M)) + 4 * np.arange(M)
    of_queries = np.where(
        rng.random((queries, M)) < 0.2, -1, rng.integers(4, size=(queries, M)) + 4 * np.arange(M)
    )
    near = np.array([rng.choice(n, K, replace=False) for _ in range(queries)])
    lists = [np.flatnonzero((of_points == word).any(axis=1)) for word in range(4 * M)]
    lengths = np.array([len(one) for one in lists])
    ends = np.cumsum(lengths)
    members = np.concatenate(lists)
    sizes, recalls = unions.union_curve(ends - lengths, ends, members, of_queries, near, n)
    for m in range(M):
        found = [
            set().union(*(lists[word] for word in mine[: m + 1] if word >= 0))
            for mine in of_queries
        ]
        assert np.isclose(sizes[m], np.mean([len(one) for one in found]))
        assert np.isclose(
            recalls[m], np.mean([len(one & set(x)) / K for one, x in zip(found, near, strict=True)])
        )
    assert (
        unions.at_counts((sizes, recalls), [0, sizes[1], 10 * n]) == [0, recalls[1], recalls[-1]]
    ).all()


def test_a_union_of_all_trees_holds_what_the_index_returns(found):
    forest = next(r for r in found["figure1"] if r.name == "forest")
    curves = {r.name: r.value["curves"] for r in found["unions1"] if r.name != "spectral"}
    ((setting, sizes, _),) = curves["union_forest"]
    assert forest.value["setting"] == setting and np.isclose(forest.value["candidates"], sizes[-1])
    for r in found["unions1"]:
        recall = np.array(r.value["recall"])
        assert recall.shape == (2,) and (0 < recall).all() and (recall <= 100).all()
        for _, sizes, recalls in r.value.get("curves", ()):
            assert (np.diff(sizes) >= 0).all() and (np.diff(recalls) >= 0).all() and sizes[-1] > 0


def test_libraries_are_asked_and_counted(found):
    (r,) = found["libraries"]
    for name, given in LIBRARIES["methods"].items():
        lines = [line for line in r.value["lines"] if line["method"] == name]
        if beside.missing(given["kind"], LIBRARIES["versions"]):
            assert not lines
            continue
        recall = [line["recall"] for line in lines]
        assert [line["setting"] for line in lines] == list(given["settings"])
        assert (
            recall == sorted(recall) and recall[-1] > 70 and all(line["ms"] > 0 for line in lines)
        ), name
        compared = [line["compared"] for line in lines]
        if name == "hnswlib":
            assert compared == [None, None] and recall[-1] > 99
            continue
        assert compared == sorted(compared) and compared[-1] <= 1297
        if name != "forest":  # then every point is compared
            assert compared[-1] == 1297 and recall[-1] == 100.0 and lines[-1]["recall@10"] == 100.0
    assert r.value["built"].keys() == {line["method"] for line in r.value["lines"]}


def test_which_library_is_read_off_the_numbers():
    def lines(name, recall, ms, compared):
        return [
            {"method": name, "setting": 1, "recall": a, "recall@10": a, "ms": b, "compared": c}
            for a, b, c in zip(recall, ms, compared, strict=True)
        ]

    value = {
        "built": {"forest": 9.0, "hnswlib": 2.0, "linear scan": 0.0},
        "lines": [
            *lines("forest", (91.0, 99.5), (3.0, 8.0), (50.0, 400.0)),
            *lines("hnswlib", (90.0, 95.0), (1.0, 2.0), (None,) * 2),
            *lines("linear scan", (100.0,), (5.0,), (1297,)),
        ],
    }
    params = LIBRARIES | {"versions": {"annoy": None, "faiss-cpu": None, "hnswlib": "1"}}
    figure = next(f for f in figures.PAPER.figures if f.name == "libraries")
    gathered = figure.reduce(Context(), [Result("libraries", params, value)])
    absent = [row for row in gathered.rows if row["ours"] is None]
    assert [row["method"] for row in absent] == ["annoy", "FAISS IVF-flat"]
    assert all(
        row["status"] == "not available" and "refimpl[libraries]" in row["why"] for row in absent
    )
    at_90, at_99, built, choice = gathered.notes[-4:]
    assert (
        "hnswlib 1 ms, forest 3 ms, linear scan 5 ms a query; points compared: forest 50, "
        "linear scan 1297" in at_90
    )
    assert "linear scan 5 ms, forest 8 ms a query" in at_99 and "Not reached by hnswlib" in at_99
    assert "hnswlib 2 s; forest 9 s" in built
    assert "time counts: hnswlib (at 90 per cent), linear scan (at 99 per cent)" in choice
    assert "what costs: forest (at 90 per cent), forest (at 99 per cent)" in choice
    assert "built anew: hnswlib. Slower than the linear scan at 99 per cent: forest." in choice


def test_the_index_of_the_timing_holds_every_code():
    rng = np.random.default_rng(0)
    codes = rng.integers(2**64, size=(90, 1), dtype=np.uint64)
    (starts, items), model = tasks.synthetic_index(codes, 3, 4, 2, rng)
    words = tasks.words_of_codes(codes, 3, 4)
    for i, of_code in enumerate(words):
        for m, word in enumerate(of_code):
            assert word // 16 == m and word % 16 == (int(codes[i, 0]) >> 4 * m) & 15
            assert i in items[starts[word] : starts[word + 1]]
    assert model.n_words == 48 and starts[-1] == 270


def test_kernels_give_the_same_figures():
    for name, params in PARAMS["figure1"]:
        slow = run(tasks, name, params, "reference").value
        fast = run(tasks, name, params, "fast").value
        for key in slow.keys() - {"seconds"}:
            np.testing.assert_array_equal(
                np.array(slow[key], dtype=object), np.array(fast[key], dtype=object), key
            )


def test_printed_recalls_stand_in_their_own_figure():
    for name, recalls in (("figure1", {70.0, 60.0}), ("figure2", {55.0, 47.1})):
        figure = next(f for f in figures.PAPER.figures if f.name == name)
        context = Context(scale="paper")
        results = [
            Result(
                t.name,
                dict(t.params),
                {
                    "recall": [50.0] * len(t.params["counts"]),
                    "returned": [],
                    "candidates": 1.0,
                    "setting": 1,
                    "trees": 2,
                    "leaves": 2.0,
                    "seconds": 1.0,
                    "tried": [[0.02, 0.5], [0.05, 0.4]],
                },
            )
            for t in figure.tasks(context)
        ]
        gathered = figure.reduce(context, results)
        assert {row["published"] for row in gathered.rows} == {None} | recalls
        assert "0.02: 50.0, 0.05: 40.0." in gathered.notes[-2]
        assert (
            "all along the curve of: none." in gathered.notes[-1]
            and "LSH at no number" in gathered.notes[-1]
        )


def test_the_half_billion_is_extrapolated_in_proportion():
    results = [
        Result(
            "times",
            {"bits": 32, "n": n},
            {"scan": 2e-9 * n, "index": 1e-3 + 1e-11 * n, "candidates": n / 2},
        )
        for n in (10**6, 10**7)
    ]
    found = figures.PAPER.figures[-1].reduce(Context(scale="paper"), results)
    sizes = "from 1,000,000 to 10,000,000 items, 10 times as many"
    grown = f"{sizes}: linear scan 10 to 10; forest 1.1 to 1.1"
    assert grown in found.notes[-1]
    last = {row["search"]: row for row in found.rows if row["items"] == 500_000_000}
    assert last["linear scan, extrapolated"]["ours"] == pytest.approx(1.0)
    assert last["forest, extrapolated"]["ours"] == pytest.approx(55e-3)
    assert last["linear scan, extrapolated"]["published"] == 1.55
