"""The tasks and reductions of BoostMap's figures, at sizes that take seconds."""

import pytest

from paper_figures import boostmap as figures
from paper_figures import boostmap_protocol as protocol
from paper_figures import boostmap_tasks as tasks
from paper_figures.registry import Context, Job, Result

pytest.importorskip("refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError)

SIZES = {"candidates": 40, "objects": 60, "triples": 400, "k_most": 3, "d": 5, "M_1": 10, "M_2": 4,
         "query_sensitive": 4, "threads": 1}
SPACE = {"data_set": "digits", "enlarge": 3, "most": 20}


def job(name):
    return Job(0, {"task": name}, "fast", None, ("digits",))


@pytest.fixture(scope="module")
def results():
    found = []
    for distance, triples in protocol.VARIANTS:
        params = SPACE | {"distance": distance, "triples": triples, "sizes": SIZES, "dimensions": (1, 2)}
        found.append(Result("variant", params, tasks.variant(job("variant"), **params)))
    for clip in (False, True):
        params = SPACE | {"n_train": 60, "dimensions": (1, 2, 5), "clip": clip}
        found.append(Result("fastmap", params, tasks.fastmap_ranks(job("fastmap"), **params)))
    params = SPACE | {"sigma": 1.4}
    return [*found, Result("exact", params, tasks.exact(job("exact"), **params))]


def test_a_variant_repeats_and_its_measures_hang_together(results):
    value = results[0].value
    assert tasks.variant(job("variant"), **results[0].params) == value
    assert value["d"] == 5 and sorted(value["dimensions"], key=int) == ["1", "2"]
    for measure in (*value["dimensions"].values(), value["QI"], value["QS"]):
        for ranks in measure["ranks"].values():
            assert len(ranks) == 100 and ranks == sorted(ranks) and 1 <= ranks[0] and ranks[-1] <= 1297
        assert measure["cost"] <= 2 * 5
    assert len(value["QI"]["errors"]) == 20 and max(value["QI"]["errors"]) < 90


def test_every_figure_gathers_rows(results):
    context = Context(kernels="fast")
    for figure in figures.PAPER.figures:
        if figure.name in ("figure1", "figure2", "figure4"):
            continue
        wanted = {task.name for task in figure.tasks(context)}
        gathered = figure.reduce(context, [r for r in results if r.name in wanted])
        assert gathered.rows and all(row["ours"] is not None for row in gathered.rows), figure.name


def test_what_is_missing_is_said():
    context = Context(kernels="fast")
    for figure in figures.PAPER.figures[3:]:
        absent = [Result(task.name, task.params, None, "no such file") for task in figure.tasks(context)]
        rows = figure.reduce(context, absent).rows
        assert rows[0]["status"] == "not available" and rows[0]["why"] == "no such file", figure.name


def test_the_points_of_figure_1_are_as_the_paper_says():
    value = figures.figure1(None, [Result("five_points", {}, tasks.five_points(job("five_points")))])
    assert value.rows[0]["ours"] == 46 and value.rows[0]["of"] == 60
