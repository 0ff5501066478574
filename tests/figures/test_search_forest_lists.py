"""The tasks of each of the search forest's figures at both scales, and each figure from its tasks.

Not here: what the tasks compute (test_figures_search_forest.py).
"""

import json
import re
from pathlib import Path

import forest_toy
import pytest
from figure_runs import figure_of, require_missing_is_said
from whole_figures import make_every_figure

import paper_figures
from paper_figures.search_forest import classes, figures, growth, lookup, tasks, timing
from paper_figures.tasks import Context, Result

AT = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 6, "trial": 90, "counts": (4, 10, 30)}
FOREST = {"n_train": 60, "max_depth": 5, "trees": 3}


@pytest.fixture
def one_job(monkeypatch):
    forest_toy.points(monkeypatch)
    monkeypatch.setattr(tasks, "TRIALS", {})
    monkeypatch.setattr(classes, "HELD_OUT", 20)
    return forest_toy.job()


def test_every_figure_is_made_of_what_its_tasks_return(one_job, monkeypatch):
    def made(task, **params):
        return Result(task.__name__, params, task(one_job, **params))

    def forests(**more):
        return made(tasks.forest, **{"draw": 0, "lams": (0.05, 0.3)} | FOREST | AT | more)

    trees = [made(tasks.kmeans, draw=0, settings=((n, 9),), trees=3, **AT) for n in (2, 3)]
    first = [made(tasks.best_first, draw=0, settings=((3, 9),), trees=n, **AT) for n in (3, 1)]
    tables = made(tasks.hashing, draw=0, functions=(2,), widths=(1.5,), tables=3, **AT)
    codes = made(tasks.spectral, bits=10, **AT)
    moved = {"refine": 2, "offset": "best"}
    curves = [forests(), forests(draw=1), *trees, *first, tables, codes]
    curves += [forests(n_train=100), forests(**moved)]
    kinds = [
        made(tasks.other_planes, draw=0, planes=kind, lams=(0.05,), **FOREST, **AT)
        for kind in ("random", "principal", "two-means")
    ]
    times = [made(timing.times, bits=12, n=n, queries=2, d=3, depth=4) for n in (100, 200)]
    sizes = {"leaf": 4, "trees": 2, "d": 2, "queries": 5, "passes": 2}
    grown = [
        made(growth.growth, index=index, n=n, divided=divided, **sizes)
        for index in growth.LISTS
        for n, divided in ((32, 32), (64, 64), (64, 32))
    ]
    by_class = AT | {"counts": (4, 10), "n_train": 60}
    shape = {"lams": (0.2,), "max_depth": 3, "trees": 2}
    shares = [made(classes.forest_by_class, draw=draw, **shape, **by_class) for draw in (0, 1)]
    shares += [
        made(classes.neighbors_by_class, draw=0, search=search, **by_class)
        for search in ("exact", "hnswlib", "LMNN")
    ]
    results_of = {
        "figure1": curves,
        "figure2": curves,
        "dimensions": [forests(), *trees[1:], first[0], tables, codes],
        "splits": [forests(), *kinds, forests(**moved)],
        "table1": times,
        "growth": grown,
        "lookup": [made(lookup.lookup, bits=bits, **AT) for bits in (3, 9)],
        "classes": shares,
    }
    make_every_figure(figures.PAPER, results_of)


def test_what_is_missing_is_said():
    require_missing_is_said(figures.PAPER.figures)


def curve_names(draws, regions, first):
    """The tasks of Figure 1 or 2; `first` is how often best-bin-first search is tried."""
    drawn = ["forest", *["kmeans"] * regions, *["best_first"] * first, "hashing"]
    return [name for name in drawn for _ in range(draws)] + ["spectral"] * 3


SPLIT = ["forest", *["other_planes"] * 3]
ONE = ["forest", "best_first", "hashing", "spectral"]
CLASS = ["forest_by_class", "neighbors_by_class"]
TASKS = {
    "figure1": {
        "small": curve_names(2, 2, 2) + ["forest"] * 2,
        "paper": curve_names(5, 3, 2) + ["forest"] * 2,
    },
    "figure2": {
        "small": [*curve_names(2, 2, 2), "forest"],
        "paper": [*curve_names(3, 3, 2), "forest"],
    },
    "dimensions": {
        "small": [ONE[0], *["kmeans"] * 2, *ONE[1:]] * 3,
        "paper": [ONE[0], *["kmeans"] * 10, *ONE[1:]] * 3,
    },
    "splits": {
        "small": [name for name in SPLIT for _ in range(2)] + ["forest"] * 3,
        "paper": [name for name in SPLIT for _ in range(3)] + ["forest"] * 3,
    },
    "table1": {"small": ["times"] * 6, "paper": ["times"] * 20},
    "lookup": {"small": ["lookup"] * 6, "paper": ["lookup"] * 14},
    "growth": {"small": ["growth"] * 9, "paper": ["growth"] * 15},
    "classes": {
        "small": [CLASS[0]] * 2 + [CLASS[1]] * 4,
        "paper": ([CLASS[0]] * 3 + [CLASS[1]] * 5) * 3,
    },
}


def test_the_tasks_of_every_figure():
    for figure in map(figure_of, figures.PAPER.figures):
        for scale in ("small", "paper"):
            tasks_of = figure.tasks(Context(scale=scale))
            assert [task.name for task in tasks_of] == TASKS[figure.name][scale], figure.name
            assert len({f"{task.name} {dict(task.params)}" for task in tasks_of}) == len(tasks_of)
            for task in tasks_of:
                data = task.params.get("data_set")
                assert task.data == (() if data is None else (data,))


def of_paper(figure, name, **params):
    """The parameters of a figure's tasks of one name at the paper's scale that have these."""
    (entry,) = (f for f in map(figure_of, figures.PAPER.figures) if f.name == figure)
    listed = [t.params for t in entry.tasks(Context(scale="paper")) if t.name == name]
    return [of for of in listed if params.items() <= of.items()]


@pytest.mark.parametrize(
    "figure, draws, shape",
    [("figure1", 5, (17, 12, 20_000, 100)), ("figure2", 3, (60, 13, 20_000, 100))],
)
def test_the_forests_of_figures_1_and_2(figure, draws, shape):
    """The printed forest comes first, in several draws; moved planes have lambdas of their own."""
    printed = of_paper(figure, "forest")[:draws]
    for draw, params in enumerate(printed):
        assert tuple(params[key] for key in ("trees", "max_depth", "n_train", "K")) == shape
        assert params["draw"] == draw and not {"offset", "refine", "augment"} & params.keys()
    more = of_paper(figure, "forest")[draws:]
    lams = {params["lams"] for params in (*printed, *more)}
    assert len(lams) == 1 and len(*lams) > 4
    moved = {"offset": "best", "refine": 10, "n_train": 20_000}
    assert more[-1] == printed[0] | moved
    assert [params["n_train"] for params in more[:-1]] == [60_000] * (figure == "figure1")


def test_the_rivals_of_figures_1_and_2():
    first = of_paper("figure1", "kmeans")
    assert first[0]["counts"] == (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
    second = of_paper("figure2", "kmeans")
    assert second[0]["counts"][0] == 250 and second[0]["counts"][-1] == 5000
    for listed, trees in ((first, 17), (second, 60)):
        regions = [{n for n, _ in params["settings"]} for params in listed]
        assert [n for n in (2, 8, 32) for _ in range(len(listed) // 3)] == [n for (n,) in regions]
        assert {params["trees"] for params in listed} == {trees}
        # a tree's source divides no fewer points than there are regions
        assert all(leaf >= n - 1 for params in listed for n, leaf in params["settings"])
    assert [params["trees"] for params in of_paper("figure1", "best_first", draw=0)] == [17, 1]
    assert {params["tables"] for params in of_paper("figure1", "hashing")} == {17}
    assert [params["bits"] for params in of_paper("figure1", "spectral")] == [32, 96, 200]
    assert [params["bits"] for params in of_paper("figure2", "spectral")] == [100, 500, 800]


def chosen_in_the_record(figure):
    """The settings that the committed record chose, as numbers, by the method."""
    folder = Path(paper_figures.__file__).parent / "reproduced" / "search_forest"
    record = json.loads((folder / f"{figure}.json").read_text(encoding="utf-8"))
    chosen = {}
    for row in record["rows"]:
        numbers = tuple(float(part) for part in re.findall(r"[\d.]+", row["setting"]))
        chosen.setdefault(row["method"].split(",")[0], set()).add(numbers)
    return chosen


@pytest.mark.parametrize("figure", ["figure1", "figure2"])
def test_what_was_best_before_can_be_chosen_again(figure):
    """No method loses a setting that won; the least lambda tried is below those that won."""
    chosen = chosen_in_the_record(figure)
    settings = of_paper(figure, "best_first")[0]["settings"]
    twos = {setting for params in of_paper(figure, "kmeans") for setting in params["settings"]}
    tables = of_paper(figure, "hashing")[0]
    lams = of_paper(figure, "forest")[0]["lams"]
    assert chosen["k-means tree"] <= set(settings)
    assert chosen["k-means trees"] <= set(settings)
    assert chosen.get("k-means trees of 2 regions", set()) <= twos
    assert {k for k, _ in chosen["LSH"]} <= set(tables["functions"][1:])
    assert {w for _, w in chosen["LSH"]} <= set(tables["widths"][1:-1])
    assert {lam for (lam,) in chosen["Boosted Search Forest"]} <= set(lams[1:])


def test_planes_are_compared_at_the_same_sizes():
    (entry,) = (f for f in map(figure_of, figures.PAPER.figures) if f.name == "splits")
    listed = [task.params for task in entry.tasks(Context(scale="paper"))]
    for key in ("lams", "n_train", "max_depth", "trees", "counts"):
        assert len({str(params[key]) for params in listed}) == 1
    kinds = [params["planes"] for params in listed if "planes" in params]
    assert kinds == ["random"] * 3 + ["principal"] * 3 + ["two-means"] * 3
    assert [
        {key: params[key] for key in ("offset", "refine", "augment") if key in params}
        for params in listed[-3:]
    ] == [{"augment": 1.0}, {"offset": "best"}, {"offset": "best", "refine": 10}]


def test_points_and_components_of_the_dimensions():
    trees = of_paper("dimensions", "kmeans")
    places = dict.fromkeys((params["data_set"], params["d"]) for params in trees)
    assert list(places) == [(name, d) for d in (8, 32, 200) for name in ("20news", "MNIST-10")]
    assert [params["d"] for params in of_paper("dimensions", "forest")] == [8, 32, 200]


def test_an_index_grows_with_the_database_or_not():
    listed = of_paper("growth", "growth", index="LSH")
    sizes = (16_384, 65_536, 262_144)
    assert [(params["n"], params["divided"]) for params in listed] == [
        (sizes[0], sizes[0]),
        (sizes[1], sizes[1]),
        (sizes[1], sizes[0]),
        (sizes[2], sizes[2]),
        (sizes[2], sizes[0]),
    ]
    assert {(params["bits"], params["n"]) for params in of_paper("table1", "times")} == {
        (bits, n)
        for bits in (32, 64, 128, 256, 512)
        for n in (1_000_000, 5_000_000, 20_000_000, 50_000_000)
    }


def test_classes_are_searched_in_four_ways():
    sets = {params["data_set"] for params in of_paper("classes", "forest_by_class")}
    assert sets == {"MNIST-10", "tiny-images", "20news"}
    for name in sets:
        searches = [p["search"] for p in of_paper("classes", "neighbors_by_class", data_set=name)]
        assert searches == ["exact", "hnswlib", "LMNN", "LMNN", "LMNN"]
    both = of_paper("classes", "forest_by_class") + of_paper("classes", "neighbors_by_class")
    assert {(params["counts"], params["n_train"]) for params in both} == {((100, 1000), 10_000)}
