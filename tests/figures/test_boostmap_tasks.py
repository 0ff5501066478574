"""The tasks of BoostMap's figures on small data: what is trained on what, and how it is measured.

Distances, ranks and errors are computed anew here, by loops. Trainings have tests of their own.
"""

from itertools import permutations
from math import ceil

import numpy as np
import pytest
from agreement import KERNELS
from scipy.spatial.distance import cdist

from paper_figures import data
from paper_figures.boostmap import figures as of_paper
from paper_figures.boostmap import problem, tasks
from paper_figures.data import DataSet
from paper_figures.tasks import Context
from paper_figures.tasks import TaskJob as Job

DIGITS = data.load("digits")
N_TRAIN, N = 100, 125
NAME = "fast" if len(KERNELS) > 1 else "reference"
SPACE = {"data_set": "few", "enlarge": 2, "most": 12}
SIZES = {
    "candidates": 30,
    "objects": 50,
    "triples": 300,
    "k_most": 3,
    "d": 5,
    "M_1": 10,
    "M_2": 4,
    "query_sensitive": 6,
    "threads": 1,
}


def job(name="t", seed=0):
    return Job(seed, NAME, None, ("few",), {"task": name})


@pytest.fixture(scope="module", autouse=True)
def few_digits():
    """Let data.load read the first digits of scikit-learn's, 25 of them the queries."""
    few = DataSet("few", DIGITS.X[:N], DIGITS.y[:N], DIGITS.classes, n_train=N_TRAIN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "load", lambda name, data_dir, **options: few)
        yield


@pytest.fixture(scope="module")
def few(few_digits):
    return problem.load_problem(job(), "few", problem.SIGMA, 2, 12)


def chamfer_of(A, B):
    """Return chamfer distances from the distances between all pairs of pixels."""
    pixels = np.argwhere(np.ones(A.shape[1:]))
    between = cdist(pixels, pixels)

    def directed(A, B):
        """Return the mean, over the edge pixels of a, of the distance to the nearest of b."""
        to_nearest = np.array([between[:, b.ravel()].min(axis=1) for b in B])
        return np.array([to_nearest[:, a.ravel()].mean(axis=1) for a in A])

    return directed(A, B) + directed(B, A).T


@pytest.fixture(scope="module")
def exact_distances(few):
    """From the queries, and from the database, to the database."""
    return chamfer_of(few.queries, few.database), chamfer_of(few.database, few.database)


def percentiles(ranks):
    """Return the p-th percentiles, p = 1 ... 100: the least rank that p per cent do not exceed."""
    in_order = sorted(ranks)
    return [in_order[ceil(p * len(in_order) / 100) - 1] for p in range(1, 101)]


def ranks_of(embedded, D, k):
    """Return for each query how deep the filter goes until it has the k nearest."""
    ranks = []
    for distances, true in zip(embedded, D, strict=True):
        nearest = np.argsort(true, kind="stable")[:k]
        ranks.append(max(1 + sum(distances < distances[b] - 1e-9) for b in nearest))
    return ranks


# ------------------------------------------------------------------------------- problem, measures


def test_the_problem_holds_edges_and_nearest_objects(few, exact_distances):
    assert few.database.shape == (100, 16, 16) and few.queries.shape == (25, 16, 16)
    assert few.database.dtype == bool and few.database.any(axis=(1, 2)).all()
    assert np.array_equal(few.labels, DIGITS.y[:100]) and np.array_equal(few.truth, DIGITS.y[100:N])
    D, _ = exact_distances
    np.testing.assert_allclose(few.distances, np.sort(D, axis=1)[:, :12])
    assert np.array_equal(few.nearest, np.argsort(D, axis=1, kind="stable")[:, :12])
    assert problem.load_problem(job(), "few", 1.0, 2, 12).database.sum() != few.database.sum()
    small = problem.load_problem(job(), "few", problem.SIGMA, 1, 3)
    assert small.database.shape == (100, 8, 8) and small.distances.shape == (25, 3)


def test_exact_errors_are_those_of_the_nearest_objects(few, exact_distances):
    value = tasks.exact(job(), **SPACE, sigma=problem.SIGMA)
    D, _ = exact_distances
    wrong = np.mean(few.labels[D.argmin(axis=1)] != few.truth)
    assert value["errors"][:2] == [100 * wrong] * 2 and len(value["errors"]) == 12
    assert value["edge_pixels"] == pytest.approx(few.database.reshape(100, -1).sum(axis=1).mean())


# ------------------------------------------------------------------------------ trained embeddings


def coordinate(D_to_candidates, between, x, y):
    """Return a coordinate: the distance to a reference (y = -1), or the place between two."""
    if y < 0:
        return D_to_candidates[:, x]
    length = between[x, y]
    squares = D_to_candidates**2
    return (squares[:, x] + length**2 - squares[:, y]) / (2 * length)


def weights_after(rounds, d):
    """Return the weight of each classifier before the round that adds one too many."""
    weights = {}
    for x, y, alpha in rounds:
        if (x, y) not in weights and len(weights) == d:
            break
        weights[x, y] = weights.get((x, y), 0.0) + alpha
        if abs(weights[x, y]) < 1e-12:
            del weights[x, y]
    return weights


@pytest.mark.parametrize("distance, triples", [("Fe", "Se"), ("Pa", "Ra")])
def test_the_measures_of_a_variant_are_those_of_its_model(few, exact_distances, distance, triples):
    options = {"distance": distance, "triples": triples, "sizes": SIZES, "dimensions": (1, 3, 5, 9)}
    value = tasks.variant(job(), **SPACE, **options, votes=True, draw=0)
    model = value["model"]
    assert value["d"] == 5 and value["rounds"] == len(model["round_alpha"]) >= 5
    candidates = job().rng.permutation(100)[:30]
    D, of_database = exact_distances
    between = of_database[np.ix_(candidates, candidates)]
    rounds = list(
        zip(model["round_first"], model["round_second"], model["round_alpha"], strict=True)
    )
    insensitive = {d: value["dimensions"][str(d)] for d in (1, 3)} | {5: value["QI"]}
    assert sorted(value["dimensions"]) == ["1", "3"]  # five is the whole, nine are not there
    for d, measure in insensitive.items():
        weights = weights_after(rounds, d)
        embedded = np.zeros(D.shape)
        for (x, y), alpha in weights.items():
            F_q = coordinate(D[:, candidates], between, x, y)
            F_x = coordinate(of_database[:, candidates], between, x, y)
            embedded += alpha * np.abs(F_q[:, np.newaxis] - F_x)
        for k in (1, 10):
            assert measure["ranks"][str(k)] == percentiles(ranks_of(embedded, D, k)), (d, k)
        assert measure["cost"] == len({x for pair in weights for x in pair if x >= 0})
    nearest = few.labels[embedded.argmin(axis=1)]
    assert value["QI"]["errors"][:2] == [100 * np.mean(nearest != few.truth)] * 2
    assert "errors" not in insensitive[1]
    assert unpacked(value["QI"], 0) == (nearest != few.truth).tolist()
    classifiers = list(zip(model["first"], model["second"], strict=True))
    F_q = [coordinate(D[:, candidates], between, x, y) for x, y in classifiers]
    F_x = [coordinate(of_database[:, candidates], between, x, y) for x, y in classifiers]
    A = np.tile(model["alpha"], (25, 1))
    assert len(model["extra"]) > 0
    for c, g, low, high, inside, extra in zip(
        *(model[name] for name in ("coordinate", "by", "low", "high", "inside", "extra")),
        strict=True,
    ):
        above = F_q[g] >= (-np.inf if low is None else low)
        below = F_q[g] < (np.inf if high is None else high)
        A[:, c] += extra * ((above & below) == bool(inside))
    sensitive = sum(A[:, c, np.newaxis] * np.abs(F_q[c][:, np.newaxis] - F_x[c]) for c in range(5))
    for k in (1, 10):
        assert value["QS"]["ranks"][str(k)] == percentiles(ranks_of(sensitive, D, k))
    nearest = few.labels[sensitive.argmin(axis=1)]
    assert value["QS"]["errors"][:2] == [100 * np.mean(nearest != few.truth)] * 2
    assert value["QS"]["cost"] == value["QI"]["cost"]
    without = tasks.variant(job(), **SPACE, **options | {"dimensions": ()}, votes=False, draw=0)
    assert without["QS"] == {key: value["QS"][key] for key in ("ranks", "cost")}
    assert without["dimensions"] == {}


def unpacked(errors, place):
    """Return the packed bits of one k as booleans: eight queries in two hexadecimal digits."""
    bits = "".join(f"{int(digit, 16):04b}" for digit in errors["wrong"][place])
    return [bit == "1" for bit in bits[: errors["queries"]]]


def test_wrong_votes_are_kept_query_by_query():
    labels = np.array([[1, 2, 2], [3, 3, 1], [2, 1, 1], [1, 1, 1]])
    distances = np.array([[0.1, 0.2, 0.3]] * 4)
    truth = np.array([2, 3, 2, 4])
    # k = 1: 1, 3, 2, 1; k = 2: a tie goes to the nearest; k = 3: 2, 3, 1, 1
    wrong = tasks.wrong_votes(labels, distances, truth, np.random.default_rng(0))
    assert wrong.tolist() == [
        [True, False, False, True],
        [True, False, False, True],
        [False, False, True, True],
    ]
    errors = tasks.errors_of(wrong)
    assert errors["errors"] == [50.0, 50.0, 50.0]
    assert errors["wrong"] == ["90", "90", "30"]  # 1001, 1001, 0011, then four bits of nothing
    assert unpacked(errors, 2) == wrong[2].tolist()


class Trained(Exception):
    """What a training was asked for."""


def stop(*arguments, **options):
    raise Trained(arguments, options)


def draw_of(kind, drawn):
    """Return a drawing of triples that notes what it is given and draws at random."""
    random_triples = tasks.random_triples

    def draw(D, *arguments, rng, order_by=None):
        drawn.append((kind, D, *arguments, order_by))
        return random_triples(D, arguments[-1], rng=rng)

    return draw


@pytest.mark.parametrize("triples", ["Ra", "Se"])
@pytest.mark.parametrize("distance", ["Fe", "Pa"])
def test_a_variant_is_trained_as_section_11_says(
    few, exact_distances, monkeypatch, distance, triples
):
    drawn = []
    random = draw_of("Ra", drawn)
    selective = draw_of("Se", drawn)
    monkeypatch.setattr(tasks, "random_triples", random)
    monkeypatch.setattr(tasks, "selective_triples", selective)
    monkeypatch.setattr(tasks, "boostmap", stop)
    options = {"distance": distance, "triples": triples, "sizes": SIZES, "dimensions": ()}
    with pytest.raises(Trained) as asked:
        tasks.variant(job(), **SPACE, **options, votes=True, draw=0)
    (distances, given, d), settings = asked.value.args
    picked = job().rng.permutation(100)
    C, T = picked[:30], picked[30:80]  # apart from one another
    _, of_database = exact_distances
    np.testing.assert_allclose(distances.D, of_database[np.ix_(C, T)])
    np.testing.assert_allclose(distances.between, of_database[np.ix_(C, C)])
    D_X = of_database[np.ix_(T, T)]
    labels = few.labels[T]
    parameter_space = np.array([[float(a != b) for b in labels] for a in labels])
    order_by = D_X if distance == "Fe" else parameter_space
    if triples == "Ra":
        ((kind, D, count, _),) = drawn
        np.testing.assert_allclose(D, order_by)
    else:
        ((kind, D, y, k_most, count, by),) = drawn
        np.testing.assert_allclose(D, D_X)
        np.testing.assert_allclose(by, order_by)
        assert np.array_equal(y, labels) and k_most == 3
    assert (kind, count, d) == (triples, 300, 5) and len(given.y) > 0
    chosen = settings["options"]
    assert (chosen.n_references, chosen.n_best, chosen.query_sensitive) == (10, 4, 6)
    assert chosen.least_gain == 0 and chosen.max_rounds == 10**9 and settings["threads"] == 1


def test_fastmap_is_measured_at_each_number_of_dimensions(few, exact_distances, monkeypatch):
    given = {}
    fastmap = tasks.fastmap

    def noted(space, d, *, rng, clip):
        given.update(objects=space.objects, d=d, clip=clip)
        model = fastmap(space, d, rng=rng, clip=clip)
        given.update(model=model)
        return model

    monkeypatch.setattr(tasks, "fastmap", noted)
    arguments = {"n_train": 40, "dimensions": (1, 3, 6), "clip": True, "draw": 0}
    value = tasks.fastmap_ranks(job(), **SPACE, **arguments)
    picked = np.sort(job().rng.choice(100, 40, replace=False))
    assert np.array_equal(given["objects"], few.database[picked])
    assert given["d"] == 6 and given["clip"] and value["d"] == given["model"].d
    D, _ = exact_distances
    space = problem.space_of(job(), few.database[picked])
    Q, X = (given["model"].embed(space, images) for images in (few.queries, few.database))
    for d in (1, 3):
        embedded = cdist(Q[:, :d], X[:, :d])
        measure = value["dimensions"][str(d)]
        assert measure["ranks"]["1"] == percentiles(ranks_of(embedded, D, 1))
        assert measure["cost"] <= 2 * d
    many = tasks.fastmap_ranks(job(), **SPACE, **arguments | {"n_train": 3, "dimensions": (1, 50)})
    assert list(many["dimensions"]) == ["1"] and many["d"] < 50


# ------------------------------------------------------------------------------- figures 1, 2 and 4


def test_the_five_points_are_as_the_paper_says():
    value = tasks.five_points(job("five_points"))
    X = value["points"]
    names = value["names"]
    line = [float(np.hypot(*(X[0] - x))) for x in X]
    np.testing.assert_allclose(value["line"], line)
    right = {
        (names[q], names[a], names[b])
        for q, a, b in permutations(range(5), 3)
        if (np.hypot(*(X[q] - X[a])) < np.hypot(*(X[q] - X[b])))
        == (abs(line[q] - line[a]) < abs(line[q] - line[b]))
    }
    (printed,) = Context().published("boostmap/figure1.csv")
    assert len(right) == value["right"] == printed["value"] == 46
    assert value["triples"] == printed["of"] == 60
    assert not right & {tuple("bac"), tuple("cbd"), tuple("dbr")}


def test_the_triangle():
    value = tasks.triangle(job())
    A, B, C = value["corners"]
    # B is the origin and C lies on the axis: the foot of the height from A is A's first coordinate
    assert B.tolist() == [0, 0] and C[1] == 0
    assert value["foot"] == pytest.approx(A[0], rel=1e-12)
    assert value["projection"] == pytest.approx(A[0], rel=1e-12)


def test_examples_of_digits():
    value = tasks.example_digits(job(), data_set="few", per_class=3)
    assert value["side"] == 8 and len(value["images"]) == 10
    scale = 255 / DIGITS.X[:N].max()
    for label, images in enumerate(value["images"]):
        members = np.round(DIGITS.X[:N][DIGITS.y[:N] == label] * scale)
        places = [np.flatnonzero((members == image).all(axis=1)).tolist() for image in images]
        assert len(images) == 3 and all(places) and len({p[0] for p in places}) == 3
    assert of_paper.PER_CLASS == 4
