"""The gain of ball trees in training: its task on a small set, and its rows from values by hand.

Impostors are counted by brute force. Not here: the searches themselves (tests/kernels).
"""

import itertools

import lmnn_toy
import numpy as np
import pytest
from agreement import KERNELS
from figure_runs import run
from lmnn_toy import fast_or_reference

from paper_figures.lmnn import gain
from paper_figures.lmnn import gain_results as results
from paper_figures.tasks import Context, Result

PAPER = Context(scale="paper")
WAYS = ["products", "scan", "balls", "small balls", "boxes"]


@pytest.mark.parametrize("bound", ["ball", "box", "leaf"])
def test_points_of_other_classes_within_a_radius(bound):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 3))
    classes = np.repeat([0, 1, 2], [30, 20, 10])
    radii = rng.uniform(0.2, 2.0, size=60)
    squares = ((Z[:, None] - Z) ** 2).sum(axis=2)
    other = classes[:, None] != classes
    value = gain.in_classes(KERNELS[-1], Z, classes, radii, bound, leaf_size=4)
    assert value["impostors"] == (other & (squares < radii[:, None])).sum()
    assert (
        value["share"] == 1.0
        if bound == "leaf"
        else value["impostors"] / other.sum() < value["share"] < 1.0
    )
    assert 0 <= value["built"] <= value["seconds"]


def test_all_ways_find_the_same_under_metrics_of_the_training(monkeypatch):
    """The clock moves by 1 each time it is asked: four full checks take 1 each, and the whole
    training twice four times plus one.
    """
    lmnn_toy.points(monkeypatch)
    monkeypatch.setattr(gain, "process_time", itertools.count().__next__)
    params = {"data_set": "lmnn toy", "preparation": "as they are", "n": 50, "d": 4, "k": 3}
    value = run(gain, "training_gain", params | {"checks": 4, "every": 2}, fast_or_reference).value
    assert (value["searches"], value["steps"], value["rest"]) == (4, 7, 9 - 4)
    assert list(value["impostors"]) == WAYS
    counts = list(value["impostors"].values())
    assert all(count == counts[0] for count in counts) and len(counts[0]) == 2
    assert counts[0][0] > 0 and value["share"]["scan"] == [1.0, 1.0]
    assert value["seconds_of"]["products"] == [1, 1] and value["seconds_of"]["balls"] == [6, 6]
    assert value["built"]["balls"] == [3, 3] and value["built"]["products"] == [0.0, 0.0]


def rows(*dimensions, n=60_000, scale="paper"):
    """Of 6 s without searches and 2 searches of 2 s by the scan, balls take 1 and 4 s."""
    value = {
        "rest": 6.0,
        "searches": 2,
        "steps": 10,
        "seconds_of": {key: [2.0, 2.0] for key in WAYS} | {"balls": [1.0, 4.0]},
        "built": {key: [0.0, 0.0] for key in WAYS} | {"balls": [0.5, 1.0]},
        "share": {key: [1.0, 1.0] for key in WAYS} | {"balls": [0.5, 0.25]},
    }
    of = [Result("training_gain", {"n": n, "d": d}, value) for d in dimensions]
    gathered = results.training_gain(Context(scale=scale), of).rows
    assert {row["N"] for row in gathered} == {n}
    return {(row["way"], row["measure"], row["dimensions"]): row for row in gathered}


def test_gains_of_the_search_and_of_the_training():
    found = rows(10, 20)
    balls = results.NAMES["balls"]
    ours = {measure: found[balls, measure, 10]["ours"] for measure in results.MEASURES}
    assert ours == {
        results.COUNTED: 3.0,  # 2 and 4
        results.SEARCH: 1.25,  # 2 and 1/2
        results.TRAINING: pytest.approx((10 / 8 + 10 / 14) / 2, abs=1e-3),
        results.SHARE: pytest.approx(100 * (2 / 8 + 8 / 14) / 2, abs=1e-3),
        results.BUILT: 37.5,  # 50 and 25
    }
    counted = found[balls, results.COUNTED, 10]
    assert counted["std"] == pytest.approx(2**0.5) and counted["repetitions"] == 2
    assert found["scan", results.SHARE, 10]["ours"] == 40.0
    measures = {measure for way, measure, _ in found if way == "scan"}
    assert measures == {results.SHARE}
    assert {measure for way, measure, _ in found if way == "products"} == set(results.MEASURES[:4])


def test_printed_gains_are_those_of_trainings_by_balls():
    def printed(found):
        return {key: row["published"] for key, row in found.items() if row["published"]}

    balls = results.NAMES["balls"]
    assert printed(rows(10, 20, 100)) == {
        (balls, results.TRAINING, 10): 1.9,
        (balls, results.TRAINING, 100): 1.2,
    }
    assert printed(rows(10, 100, scale="small")) == {} == printed(rows(10, 100, n=6000))


def test_what_could_not_be_trained_stands_first():
    gathered = results.training_gain(
        PAPER, [Result("training_gain", {"n": 9, "d": 10}, None, "gone")]
    )
    assert [(row["ours"], row["why"]) for row in gathered.rows] == [(None, "gone")]
