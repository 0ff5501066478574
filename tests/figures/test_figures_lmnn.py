"""The tasks of LMNN's figures on small sets: what they measure, by brute force and by loops.

Trainings are those of `refimpl.lmnn`, which tests/lmnn tests; here is what the figures make of
them. Not here: figures 2 and 4, the gain in training, small sets and rivals, which have modules of
their own. The rows are in test_figures_lmnn_results.py, the drawings in test_figures_lmnn_plots.py.
"""

import inspect

import lmnn_toy
import numpy as np
import pytest
from figure_runs import require_missing_is_said, run
from lmnn_toy import N_TRAIN, fast_or_reference
from toy_sets import components, nn_error, provide
from whole_figures import make_every_figure

from paper_figures.lmnn import (
    changes,
    clusters,
    courses,
    ever,
    figures,
    gain,
    low_rank,
    samples,
    tasks,
)
from paper_figures.tasks import Context, Result
from refimpl.ball_trees import as_tree
from refimpl.lmnn import LMNNOptions, lmnn

LOOSE = LMNNOptions(tol=0.1)
TOY = {"data_set": "lmnn toy", "preparation": "as they are", "k": 3}


@pytest.fixture
def toy(monkeypatch):
    return lmnn_toy.points(monkeypatch)


def on_components(X, y, d, n=None):
    """Return training points, their classes, test points and theirs, on d components."""
    Z = components(X, N_TRAIN, d)
    return Z[:N_TRAIN][:n], y[:N_TRAIN][:n], Z[N_TRAIN:], y[N_TRAIN:]


def ask(name, **params):
    return run(tasks, name, TOY | params, fast_or_reference).value


# ----------------------------------------------------------------------------------- figures 1 to 3


def test_the_ball_is_the_widest_node_of_5_to_24_points(monkeypatch):
    """The first 400 points are in the tree, the first 200 test points are candidates."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(660, 3)) * [4.0, 2.0, 0.5]
    provide(monkeypatch, "lmnn plane", X, np.arange(660) % 2, 430)
    value = run(tasks, "ball", TOY | {"data_set": "lmnn plane"}, fast_or_reference).value
    # an axis of principal components has no sign: take those of the task
    plane = components(X, 430, 2)
    signs = [
        (u, v)
        for u in (1, -1)
        for v in (1, -1)
        if np.abs(plane[430:630] * [u, v] - value["query"]).sum(axis=1).min() < 1e-9
    ]
    (sign,) = signs
    A, Q = plane[:400] * sign, plane[430:630] * sign
    centre, radius, query = value["centre"], value["radius"], value["query"]
    tree = as_tree(A, leaf_size=12, direction="principal")
    sizes = tree.ends - tree.starts
    assert radius == pytest.approx(tree.radii[(sizes >= 5) & (sizes <= 24)].max())
    inside = np.array(value["inside"])
    assert 5 <= len(inside) <= 24
    assert np.sqrt(((inside - centre) ** 2).sum(axis=1)).max() <= radius * (1 + 1e-9)
    apart = np.sqrt(((Q - centre) ** 2).sum(axis=1))
    np.testing.assert_allclose(query, Q[np.abs(apart - 3 * radius).argmin()])
    lengths = np.sqrt(((A - query) ** 2).sum(axis=1))
    np.testing.assert_allclose(value["neighbour"], A[lengths.argmin()])
    assert value["neighbour_distance"] == pytest.approx(lengths.min())
    assert value["bound"] == pytest.approx(np.sqrt(((query - centre) ** 2).sum()) - radius)
    assert value["least"] == pytest.approx(np.sqrt(((inside - query) ** 2).sum(axis=1)).min())
    assert 0 < value["bound"] <= value["least"]


def test_local_metrics_of_two_digits(toy):
    """The first 30 training points of the digits, centred, on two components of their own."""
    X, y = toy
    value = ask("ellipsoids", digits=(7, 2), n=30, shown=4)
    kept = [i for i in range(N_TRAIN) if y[i] in (2, 7)][:30]
    Z, labels = components(X[kept], 30, 2), y[kept]
    signs = np.sign((np.array(value["centres"]) * [Z[labels == c].mean(axis=0) for c in (7, 2)])[0])
    Z = Z * signs
    for c, points, centre in zip((7, 2), value["points"], value["centres"], strict=True):
        np.testing.assert_allclose(points, Z[labels == c][:4], atol=1e-9)
        np.testing.assert_allclose(centre, Z[labels == c].mean(axis=0), atol=1e-9)
    model = lmnn(Z, labels, 3, partition=labels)
    one = lmnn(Z, labels, 3)
    parts = (labels == 7).astype(int)
    assert value["objective"] == pytest.approx(model.objective, rel=1e-3)
    assert 0 <= value["gap"] < 0.1 and np.shape(value["metrics"]) == (2, 2, 2)
    np.testing.assert_allclose(value["metrics"], model.M, rtol=0.05, atol=1e-3)
    metrics = np.array(value["metrics"])
    assert value["several"] == pytest.approx(
        nn_error(Z, labels, Z, labels, 3, metrics, parts, leave_out=True)
    )
    assert value["one"] == pytest.approx(
        nn_error(Z, labels, Z, labels, 3, [one.L[0].T @ one.L[0]], leave_out=True)
    )
    assert value["euclidean"] == pytest.approx(nn_error(Z, labels, Z, labels, 3, leave_out=True))


# ---------------------------------------------------------------------------------------- the whole


ELSEWHERE = {  # tasks that are not in tasks.py: module and function
    "low_rank_euclidean": (low_rank, "euclidean"),
    "low_rank_full": (low_rank, "full_metric"),
    "low_rank_rect": (low_rank, "rect"),
    "training_gain": (gain, "training_gain"),
    "several_metrics": (clusters, "several"),
    "certified": (samples, "certified"),
    "printed": (samples, "printed"),
    "ever_active": (ever, "ever_active"),
    "course": (courses, "course"),
    "changes": (changes, "changes"),
}


def run_as(name, module, function, params):
    result = run(module, function, params, fast_or_reference)
    return Result(name, result.params, result.value)


def test_every_figure_is_made_of_what_its_tasks_return(toy):
    sizes = {"n": 30, "d": 4}
    trained = sizes | {"solver": "printed", "tol": 0.1, "checks": 2}
    of_set = {"data_set": "lmnn toy", "preparation": "as they are", "max_checks": 2}
    sampled = TOY | sizes | {"sample": 0}
    course = {"data_set": "lmnn toy", "preparation": "as they are", "share": 0.9}
    course |= {"ks": (1, 3), "checks": 2, "watched": True}
    wanted = {
        "table1": [
            ("certified", sampled | {"tol": 0.1, "shuffled": False}),
            ("printed", sampled | {"checks": 2}),
        ],
        "active_set": [("ever_active", sampled | {"checks": 2})],
        "changes": [("changes", sampled | {"checks": 3, "factor": 0.5})],
        "figure1": [("ball", TOY)],
        "figure2": [
            ("low_rank_euclidean", TOY | sizes | {"ranks": (1, 2)}),
            ("low_rank_full", TOY | trained | {"ranks": (1, 2)}),
            ("low_rank_rect", TOY | trained | {"r": 2}),
        ],
        "training_gain": [("training_gain", TOY | sizes | {"checks": 4, "every": 2})],
        "figure3": [("ellipsoids", TOY | {"digits": (2, 7), "n": 30, "shown": 5})],
        "figure4": [
            ("several_metrics", of_set | {"n": 50, "d": 4, "k": 3, "p": p, "run": r})
            for p in (None, 1)
            for r in (0, 1)
        ],
        "figure5": [
            ("course", course | {"by_class": by_class, "split": split})
            for by_class in (False, True)
            for split in (0, None)
        ],
    }
    made = {
        figure: [
            run_as(name, *ELSEWHERE.get(name, (tasks, name)), params) for name, params in of_figure
        ]
        for figure, of_figure in wanted.items()
    }
    make_every_figure(figures.PAPER, made)


# ---------------------------------------------------------------------------------------- the lists


def test_what_is_missing_is_said():
    require_missing_is_said(figures.PAPER.figures)


FULL = ["low_rank_euclidean", "low_rank_full", "low_rank_full"]
TASKS = {
    ("table1", "small"): ["certified"] * 9 + ["printed"] * 6,
    ("table1", "paper"): ["certified"] * 97 + ["printed"] * 93,
    ("active_set", "small"): ["ever_active"] * 6,
    ("active_set", "paper"): ["ever_active"] * 71,
    ("changes", "small"): ["changes"] * 18,
    ("changes", "paper"): ["changes"] * 30,
    ("figure1", "small"): ["ball"],
    ("figure1", "paper"): ["ball"],
    ("figure2", "small"): [*FULL, *["low_rank_rect"] * 6],
    ("figure2", "paper"): [*FULL, *["low_rank_rect"] * 12],
    ("training_gain", "small"): ["training_gain"] * 2,
    ("training_gain", "paper"): ["training_gain"] * 15,
    ("figure3", "small"): ["ellipsoids"],
    ("figure3", "paper"): ["ellipsoids"],
    ("figure4", "small"): ["several_metrics"] * 16,
    ("figure4", "paper"): ["several_metrics"] * 360,
    ("figure5", "small"): ["course"] * 10,
    ("figure5", "paper"): ["course"] * 72,
}


def test_the_tasks_of_every_figure():
    """Their names and how many there are, and that each names its data and is there once."""
    for figure in figures.PAPER.figures:
        for scale in ("small", "paper"):
            tasks_of = figure.tasks(Context(scale=scale))
            assert [task.name for task in tasks_of] == TASKS[figure.name, scale]
            assert all(task.data == (task.params["data_set"],) for task in tasks_of)
            for task in tasks_of:  # every parameter is one of the function's
                inspect.signature(task.function).bind("job", **task.params)
            assert len({str(dict(task.params)) for task in tasks_of}) == len(tasks_of)


def test_the_papers_sizes():
    of = {f.name: f.tasks(Context(scale="paper")) for f in figures.PAPER.figures}
    assert {(t.params["n"], t.params["d"], t.params["k"]) for t in of["table1"]} == {
        (n, 169, 3) for n in (60, 600, 6000, 60_000)
    }
    assert {t.params["sample"] for t in of["table1"] if t.params["n"] < 60_000} == set(range(10))
    orders = [t.params["n"] for t in of["table1"] if t.params.get("shuffled")]
    assert orders == [60, 600, 6000, 60_000]
    assert [t.params["r"] for t in of["figure2"][3:]] == [15, 20, 25, 30, 35, 40] * 2
    assert [t.params["solver"] for t in of["figure2"][1::6]] == ["printed", "printed", "optimum"]
    assert {(t.params["n"], t.params["d"]) for t in of["figure2"]} == {(60_000, 350)}
    assert of["figure3"][0].params["digits"] == (0, 1, 2, 4)
    assert {t.params["split"] for t in of["figure5"]} == {0, 1, 2, 3, 4, None}
    watched = {
        (t.params["data_set"], t.params["by_class"]) for t in of["figure5"] if t.params["watched"]
    }
    assert watched == {(name, True) for name in ("isolet", "yalefaces", "MNIST-10")}
    splits = {
        t.params["data_set"]: t.params["split"] + 1
        for t in of["figure5"]
        if t.params["split"] is not None
    }
    # claims.toml names these numbers
    assert splits == {"letters": 5, "isolet": 5, "yalefaces": 5, "20news": 3, "MNIST-10": 1}
    faces = {t.params["preparation"] for t in of["figure5"] if t.params["data_set"] == "yalefaces"}
    assert faces == {"as they are", "unit length"}  # a verdict rule rests on the trial
    assert [t.params["p"] for t in of["figure4"][:9]] == [None, 1, 2, 3, 5, 10, 15, 20, 30]
    assert {t.params["run"] for t in of["figure4"]} == set(range(20))
    assert [(t.params["n"], t.params["d"]) for t in of["training_gain"]] == [
        (n, d) for n in (600, 6000, 60_000) for d in (10, 20, 30, 50, 100)
    ]
