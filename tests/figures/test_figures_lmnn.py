"""The tasks of LMNN's figures on small sets: what they measure, by brute force and by loops.

Trainings are those of `refimpl.lmnn`, which tests/lmnn tests; here is what the figures make of
them. Not here: figures 2 and 4, the gain in training, small sets and rivals, which have modules of
their own. The rows are in test_figures_lmnn_results.py, the drawings in test_figures_lmnn_plots.py.
"""

import lmnn_toy
import numpy as np
import pytest
from figure_runs import require_missing_is_said, run
from lmnn_toy import N_TRAIN, N, fast_or_reference
from oracles_lmnn import objective, target_neighbours, triples
from toy_sets import components, nn_error, provide, ticking
from whole_figures import make_every_figure

import refimpl.kernels
from paper_figures.lmnn import clusters, figures, gain, growth, low_rank, rivals, small_sets, tasks
from paper_figures.registry import Context, Job, Result
from refimpl.ball_trees import as_tree
from refimpl.lmnn import LMNNOptions, algorithm, lmnn
from refimpl.lmnn.problem import LargeMarginProblem

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


# ------------------------------------------------------------------------------------------- points


def test_preparations_are_measured(toy):
    X, y = toy
    bright = X / X.max()
    normal = bright - bright.mean(axis=1)[:, None]
    prepared = {
        "as they are": X,
        "raw": bright,
        "unit length": X / np.sqrt((X**2).sum(axis=1))[:, None],
        "normalised": normal / np.sqrt((normal**2).sum(axis=1))[:, None],
        "deskewed": tasks.deskewed(bright.reshape(N, 4, 4)).reshape(N, 16),
    }
    params = {"data_set": "lmnn toy", "kinds": tuple(prepared), "d": 5, "k": 3}
    errors = run(tasks, "preparations", params, fast_or_reference).value["errors"]
    expected = {}
    for kind, points in prepared.items():
        Z, labels, Q, z = on_components(points, y, 5)
        expected[kind] = pytest.approx(nn_error(Q, z, Z, labels, 3))
    assert errors == expected
    assert len({error for kind, error in errors.items() if kind != "raw"}) >= 3


def test_deskewing_puts_a_slanted_bar_upright_and_in_the_middle():
    image = np.zeros((1, 28, 28))
    for row in range(4, 22):
        image[0, row, 24 - row // 2 - 8 : 24 - row // 2 - 5] = 1.0
    straight = tasks.deskewed(image)[0]
    columns = np.arange(28)
    before, after = (
        np.ptp([(picture[row] * columns).sum() / picture[row].sum() for row in range(8, 19)])
        for picture in (image[0], straight)
    )
    assert after < 0.5 < before
    assert straight.sum() == pytest.approx(image.sum(), rel=0.1)
    mass = straight / straight.sum()
    assert (mass.sum(axis=0) @ columns, mass.sum(axis=1) @ columns) == pytest.approx(
        (14, 14), abs=0.2
    )


def test_an_empty_image_stays_empty():
    assert (tasks.deskewed(np.zeros((1, 6, 6))) == 0).all()


def test_a_share_of_the_variance_is_the_number_of_components_that_have_it(toy):
    X, _ = toy
    centred = X[:N_TRAIN] - X[:N_TRAIN].mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    held = np.cumsum(values) / values.sum()
    share = (held[2] + held[3]) / 2  # three components have less, four have more
    params = {"share": share, "by_class": False, "ks": (3,), "max_checks": 1}
    del (given := TOY | params)["k"]
    assert run(tasks, "set_errors", given, fast_or_reference).value["d"] == 4


def test_one_component_is_a_number_and_no_share(toy):
    X, y = toy
    Z, labels, Q, z = on_components(X, y, 1)
    params = {"data_set": "lmnn toy", "kinds": ("as they are",), "d": 1, "k": 3}
    errors = run(tasks, "preparations", params, fast_or_reference).value["errors"]
    assert errors["as they are"] == pytest.approx(nn_error(Q, z, Z, labels, 3))
    Z, labels, Q, z = on_components(X, y, 16)
    assert errors["as they are"] != pytest.approx(nn_error(Q, z, Z, labels, 3))


# ------------------------------------------------------------------------------------------ table 1


@pytest.mark.parametrize("n", [20, 500])
def test_a_row_of_table_1(toy, monkeypatch, n):
    """Of 20 points each of the three classes gets 20 // 3, the first of each; 500 are all."""
    X, y = toy
    Z, labels, Q, z = on_components(X, y, 4)
    used = range(N_TRAIN)
    if n == 20:
        used = sorted(i for c in (2, 5, 7) for i in np.flatnonzero(labels == c)[:6])
    A, a = Z[list(used)], labels[list(used)]
    monkeypatch.setattr(tasks, "perf_counter", ticking(3.0, 10.0))
    value = ask("solved", n=n, d=4, tol=0.1)
    model = lmnn(A, a, 3, options=LOOSE)
    M = [model.L[0].T @ model.L[0]]
    slacks = [s for *_, s in triples(A, a, target_neighbours(A, a, 3), M, [0] * len(A))]
    sizes = [(a == c).sum() for c in (2, 5, 7)]
    assert value["seconds"] == 7.0
    assert value["n"] == sum(sizes) == (18 if n == 20 else 54)
    assert value["total"] == sum(size * (sum(sizes) - size) for size in sizes)
    assert value["active"] == sum(slack > 0 for slack in slacks)
    assert value["pairs"] == model.history[-1, 3] > 0
    assert value["objective"] == pytest.approx(model.objective, rel=1e-9)
    assert 0 <= value["gap"] <= 0.1 and value["full_checks"] == model.full_checks >= 1
    errors = {
        "train_error": nn_error(A, a, A, a, 3, M, leave_out=True),
        "test_error": nn_error(Q, z, A, a, 3, M),
        "test_error_all": nn_error(Q, z, Z, labels, 3, M),
        "euclidean": nn_error(Q, z, A, a, 3),
        "euclidean_all": nn_error(Q, z, Z, labels, 3),
    }
    assert {key: value[key] for key in errors} == pytest.approx(errors)


def test_500_points_are_the_first_ones(monkeypatch):
    """With one point less each class gets equally many; 499 // 2 of the second are not there."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0, 1], [20, 3, 582])
    X = np.column_stack([5.0 * y, 0.1 * rng.normal(size=605)])
    provide(monkeypatch, "lmnn long", X, y, 600)
    params = TOY | {"data_set": "lmnn long", "d": 2, "k": 1, "tol": 0.5}
    more, fewer = (
        run(tasks, "solved", params | {"n": n}, fast_or_reference).value for n in (500, 499)
    )
    assert (more["n"], more["total"]) == (500, 2 * 3 * 497)
    assert (fewer["n"], fewer["total"]) == (3 + 249, 2 * 3 * 249)


# -------------------------------------------------------------------------------------------- steps


@pytest.mark.parametrize("scaled", [True, False])
def test_steps_are_the_papers(toy, scaled):
    X, y = toy
    Z, labels, Q, z = on_components(X, y, 4)
    used = sorted(i for c in (2, 5, 7) for i in np.flatnonzero(labels == c)[:9])
    A, a = Z[used], labels[used]
    value = ask("steps", n=29, d=4, scaled=scaled, checks=4)
    targets = target_neighbours(A, a, 3)
    c = np.mean([((A[i] - A[j]) ** 2).sum() for i in range(27) for j in targets[i]])
    start = np.eye(4) / np.sqrt(c) if scaled else np.eye(4)
    first = value["checks"][0]
    M = [start.T @ start]
    assert first["objective"] == pytest.approx(objective(A, a, targets, 1.0, M, [0] * 27))
    assert first["active"] == sum(slack > 0 for *_, slack in triples(A, a, targets, M, [0] * 27))
    classes = np.searchsorted([2, 5, 7], a)
    problem = LargeMarginProblem(
        A, classes, np.array(targets), 1.0, np.zeros(27, dtype=int), refimpl.kernels
    )
    expected = [
        {
            "steps": t,
            "objective": pytest.approx(best, rel=1e-9),
            "active": now.active,
            "error": pytest.approx(nn_error(Q, z, A, a, 3, [L[0].T @ L[0]])),
        }
        for t, (best, L), now in algorithm.steps(problem, start[None], tol=1e-6, checks=4)
    ]
    assert value["checks"] == expected and [line["steps"] for line in expected] == [0, 1, 3, 7]
    model = lmnn(A, a, 3, options=LMNNOptions(tol=2e-3))
    M = [model.L[0].T @ model.L[0]]
    optimum = value["optimum"]
    assert optimum["objective"] == pytest.approx(model.objective, rel=1e-9)
    assert optimum["objective"] < value["checks"][-1]["objective"]
    assert optimum["active"] == sum(slack > 0 for *_, slack in triples(A, a, targets, M, [0] * 27))
    assert optimum["error"] == pytest.approx(nn_error(Q, z, A, a, 3, M))


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


# ---------------------------------------------------------------------------------- figures 4 and 5


def held_out(y, rng):
    """Return the points that train: of each class the first 30 % of a random order do not."""
    out = []
    for c in (2, 5, 7):
        members = rng.permutation(np.flatnonzero(y == c))
        out += members[: int(0.3 * len(members))].tolist()
    return np.isin(np.arange(len(y)), out, invert=True)


@pytest.mark.parametrize("by_class", [True, False])
def test_errors_of_a_set(toy, monkeypatch, by_class):
    X, y = toy
    monkeypatch.setattr(tasks, "perf_counter", ticking(1.0, 4.5))
    params = {"share": 0.9, "by_class": by_class, "ks": (9, 1, 3, 5), "max_checks": 3}
    del (given := TOY | params)["k"]
    value = run(tasks, "set_errors", given, fast_or_reference).value
    Z, labels, Q, z = on_components(X, y, value["d"])
    trains = held_out(labels, Job(0, {}, "reference").rng_for("held out", "lmnn toy"))
    A, a, V, v = Z[trains], labels[trains], Z[~trains], labels[~trains]
    model = lmnn(
        A,
        a,
        3,
        partition=a if by_class else None,
        options=LMNNOptions(validation=(V, v), max_checks=3),
    )
    metrics = [L.T @ L for L in model.L]
    assert len(metrics) == (3 if by_class else 1)
    places = np.searchsorted([2, 5, 7], labels) if by_class else np.zeros(N_TRAIN, dtype=int)
    errors = {k: nn_error(V, v, A, a, k, metrics, places[trains]) for k in (1, 3, 5, 9)}
    k = min((error, k) for k, error in errors.items())[1]
    assert value["k"] == k and value["seconds"] == 3.5
    assert value["test"] == pytest.approx(nn_error(Q, z, Z, labels, k, metrics, places))
    assert value["train"] == pytest.approx(
        nn_error(Z, labels, Z, labels, k, metrics, places, leave_out=True)
    )
    assert value["euclidean"] == pytest.approx(nn_error(Q, z, Z, labels, k))
    assert value["checks"] == model.full_checks and value["message"] == model.message


def test_of_equal_errors_the_least_k_is_taken(monkeypatch):
    """Far apart classes: every k is right, so that the choice is the least of the ks."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    provide(monkeypatch, "lmnn apart", rng.normal(size=(60, 2)) + 50.0 * y[:, None], y, 50)
    params = {"data_set": "lmnn apart", "preparation": "as they are", "share": 0.99}
    params |= {"by_class": False, "ks": (5, 3, 7), "max_checks": 1}
    assert run(tasks, "set_errors", params, fast_or_reference).value["k"] == 3


# ---------------------------------------------------------------------------------------- the whole


ELSEWHERE = {  # tasks that are not in tasks.py: module and function
    "rivals": (rivals, "rivals"),
    "growth": (growth, "growth"),
    "low_rank_euclidean": (low_rank, "euclidean"),
    "low_rank_full": (low_rank, "full_metric"),
    "low_rank_rect": (low_rank, "rect"),
    "training_gain": (gain, "training_gain"),
    "several_metrics": (clusters, "several"),
    "small_set": (small_sets, "small_set"),
}


def run_as(name, module, function, params):
    result = run(module, function, params, fast_or_reference)
    return Result(name, result.params, result.value)


def test_every_figure_is_made_of_what_its_tasks_return(toy):
    sizes = {"n": 30, "d": 4}
    trained = sizes | {"solver": "printed", "tol": 0.1, "checks": 2}
    of_set = {"data_set": "lmnn toy", "preparation": "as they are", "max_checks": 2}
    bare = {"data_set": "lmnn toy", "d": 4, "k": 3}
    wanted = {
        "table1": [("solved", TOY | sizes | {"tol": 0.1})],
        "preparation": [("preparations", bare | {"kinds": ("as they are", "raw")})],
        "steps": [("steps", TOY | sizes | {"scaled": scaled, "checks": 2}) for scaled in (1, 0)],
        "rivals": [("rivals", bare | {"n": 30, "names": (), "limit": 1.0})],
        "growth": [("growth", bare | {"n": n, "names": (), "limit": 1.0}) for n in (30, 50)],
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
        "small_sets": [
            ("small_set", {"data_set": "lmnn toy", "most": 50, "k": 3, "split": split})
            for split in (0, 1)
        ],
        "figure5": [
            ("set_errors", of_set | {"share": 0.9, "ks": (1, 3), "by_class": by_class})
            for by_class in (False, True)
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
    ("table1", "small"): ["solved"] * 3,
    ("table1", "paper"): ["solved"] * 12,
    ("preparation", "small"): ["preparations"],
    ("preparation", "paper"): ["preparations"],
    ("steps", "small"): ["steps"] * 4,
    ("steps", "paper"): ["steps"] * 6,
    ("rivals", "small"): ["rivals"],
    ("rivals", "paper"): ["rivals"] * 2,
    ("growth", "small"): ["growth"] * 3,
    ("growth", "paper"): ["growth"] * 7,
    ("figure1", "small"): ["ball"],
    ("figure1", "paper"): ["ball"],
    ("figure2", "small"): [*FULL, *["low_rank_rect"] * 6],
    ("figure2", "paper"): [*FULL, *["low_rank_rect"] * 12],
    ("training_gain", "small"): ["training_gain"] * 2,
    ("training_gain", "paper"): ["training_gain"] * 5,
    ("figure3", "small"): ["ellipsoids"],
    ("figure3", "paper"): ["ellipsoids"],
    ("figure4", "small"): ["several_metrics"] * 16,
    ("figure4", "paper"): ["several_metrics"] * 360,
    ("small_sets", "small"): ["small_set"] * 6,
    ("small_sets", "paper"): ["small_set"] * 120,
    ("figure5", "small"): ["set_errors"] * 4,
    ("figure5", "paper"): ["set_errors"] * 14,
}


def test_the_tasks_of_every_figure():
    """Their names and how many there are, and that each names its data and is there once."""
    for figure in figures.PAPER.figures:
        for scale in ("small", "paper"):
            tasks_of = figure.tasks(Context(scale=scale))
            assert [task.name for task in tasks_of] == TASKS[figure.name, scale]
            assert all(task.data == (task.params["data_set"],) for task in tasks_of)
            assert len({str(dict(task.params)) for task in tasks_of}) == len(tasks_of)


def test_the_papers_sizes():
    of = {f.name: f.tasks(Context(scale="paper")) for f in figures.PAPER.figures}
    assert [(t.params["n"], t.params["d"], t.params["k"]) for t in of["table1"][:4]] == [
        (n, 169, 3) for n in (60, 600, 6000, 60_000)
    ]
    assert [(t.params["n"], t.params["scaled"]) for t in of["steps"]] == [
        (60, True),
        (60, False),
        (600, True),
        (600, False),
        (6000, True),
        (60_000, True),
    ]
    assert [t.params["r"] for t in of["figure2"][3:]] == [15, 20, 25, 30, 35, 40] * 2
    assert [t.params["solver"] for t in of["figure2"][1::6]] == ["printed", "printed", "optimum"]
    assert {(t.params["n"], t.params["d"]) for t in of["figure2"]} == {(60_000, 350)}
    assert of["figure3"][0].params["digits"] == (0, 1, 2, 4)
    assert [t.params["by_class"] for t in of["figure5"]] == [False, True] * 7
    assert [t.params["p"] for t in of["figure4"][:9]] == [None, 1, 2, 3, 5, 10, 15, 20, 30]
    assert {t.params["run"] for t in of["figure4"]} == set(range(20))
    assert {t.params["split"] for t in of["small_sets"]} == set(range(20))
    assert [t.params["d"] for t in of["training_gain"]] == [10, 20, 30, 50, 100]
