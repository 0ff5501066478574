"""The tasks of BoostMap's figures on small data: what is trained on what, and how it is measured.

Distances, ranks and errors are computed anew here, by loops. Trainings have tests of their own,
and so has the search in a graph (test_boostmap_graphs.py).
"""

from itertools import permutations
from math import ceil

import numpy as np
import pytest
from agreement import KERNELS
from scipy.spatial.distance import cdist

from paper_figures import data
from paper_figures.boostmap import detectors, graphs, problem, tasks, trials
from paper_figures.boostmap import figures as of_paper
from paper_figures.data import DataSet
from paper_figures.registry import Context, Job
from refimpl.boostmap.edges import chamfer
from refimpl.kernels import triples as kernels_of_triples

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
    return Job(seed, {"task": name}, NAME, None, ("few",))


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


def test_percentiles_of_ranks_for_each_k_that_is_known(few, monkeypatch):
    columns = np.array([[7 * i % 25 + 1, 100 + i] for i in range(25)])
    asked = []

    def enn_ranks(model, Q, X, nearest, ks, *, kernels):
        asked.append((model, Q, X, ks))
        return columns

    monkeypatch.setattr(problem, "enn_ranks", enn_ranks)
    value = problem.rank_percentiles(job(), "model", "Q", "X", few)
    assert asked == [("model", "Q", "X", [1, 10])]  # of 1, 10, 100 with 12 neighbours known
    # 1 ... 25 in another order: 4 per cent a query
    assert value["ranks"]["1"] == [ceil(p / 4) for p in range(1, 101)]
    assert value["ranks"]["10"] == [99 + ceil(p / 4) for p in range(1, 101)]


def test_errors_of_votes():
    labels = np.array([[1, 2, 2], [3, 3, 1], [2, 1, 1], [1, 1, 1]])
    distances = np.array([[0.1, 0.2, 0.3]] * 4)
    truth = np.array([2, 3, 2, 4])
    rng = np.random.default_rng(0)
    # k = 1: 1, 3, 2, 1; k = 2: a tie goes to the nearest; k = 3: 2, 3, 1, 1
    assert problem.knn_errors(labels, distances, truth, rng) == [50.0, 50.0, 50.0]
    truth = np.array([2, 3, 1, 1])
    assert problem.knn_errors(labels, distances, truth, rng) == [50.0, 50.0, 0.0]


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


# ----------------------------------------------------------------------------------- edge detectors


def test_a_detector_is_measured_by_its_errors_and_fastmap(monkeypatch):
    calls = {}
    fastmap, enn_ranks = trials.fastmap, trials.enn_ranks

    def noted_fastmap(space, d, *, rng):
        calls.update(objects=space.objects, d=d)
        return fastmap(space, d, rng=rng)

    def noted_ranks(model, Q, X, nearest, ks, *, kernels):
        calls.update(ranks=enn_ranks(model, Q, X, nearest, ks, kernels=kernels), ks=ks)
        return calls["ranks"]

    monkeypatch.setattr(trials, "fastmap", noted_fastmap)
    monkeypatch.setattr(trials, "enn_ranks", noted_ranks)
    detector = ("ink", 0.5)
    value = trials.edges(job(), **SPACE | {"enlarge": 1}, detector=detector, n_train=40)
    ink = DIGITS.X[:N].reshape(-1, 8, 8) > 0.5 * DIGITS.X[:N].max()
    D = chamfer_of(ink[100:], ink[:100])
    wrong = np.mean(DIGITS.y[:100][D.argmin(axis=1)] != DIGITS.y[100:N])
    assert value["lost"] == 0 and value["errors"][0] == 100 * wrong and len(value["errors"]) == 12
    assert value["edge_pixels"] == pytest.approx(ink[:100].sum() / 100)
    assert calls["d"] == 11 and calls["ks"] == [10] and calls["objects"].shape == (40, 8, 8)
    assert value["candidates"] == percentiles(calls["ranks"][:, 0])[97]  # of 98 % of the queries


def test_a_detector_that_loses_an_image_says_so():
    value = trials.edges(job(), **SPACE, detector=("ink", 1.0), n_train=40)
    assert value == {"lost": N, "errors": None, "candidates": None, "edge_pixels": None}


def test_outlines_and_gradients_of_a_square():
    image = np.zeros((1, 9, 9))
    image[0, 2:7, 2:7] = 16
    outline = detectors.detect(image, 16, ("outline", 0.5))[0]
    assert outline.sum() == 16 and not outline[3:6, 3:6].any()
    notched = image.copy()
    notched[0, 2, 2] = 0  # its diagonal neighbour touches no paper over a side
    notched = detectors.detect(notched, 16, ("outline", 0.5))[0]
    assert notched.sum() == 15 and not notched[3:6, 3:6].any()
    assert detectors.detect(image, 16, ("ink", 0.5)).sum() == 25
    assert detectors.detect(image, 16, ("ink", 1.0)).sum() == 0  # above, not at, the threshold
    sobel = detectors.detect(image, 16, ("sobel", 3.0))[0]
    assert sobel[4, 2] and sobel[4, 1] and not sobel[4, 4]
    turned = image.transpose(0, 2, 1)[:, ::-1]
    both = np.concatenate([image, turned * np.arange(9) / 9])
    for detector in (("canny", 1.4, 0.1, 0.2), ("sobel", 1.0), ("outline", 0.5), ("ink", 0.5)):
        alone = [detectors.detect(one[np.newaxis], 16, detector)[0] for one in both]
        assert np.array_equal(detectors.detect(both, 16, detector), alone), detector
    faint = detectors.detect(image, 16, ("canny", 1.4, 0.1, 0.2)).sum()
    assert detectors.detect(image, 16, ("canny", 1.4, 5.0, 9.0)).sum() == 0 < faint


# ---------------------------------------------------------------------------------- readings of § 7


READING = SPACE | {"sizes": SIZES | {"d": 4}, "queries": 20}


@pytest.mark.parametrize(
    "reading, expected",
    [
        ({}, {}),
        ({"m": 0}, {"n_pairs": 0}),
        ({"m": 7}, {"n_pairs": 7}),
        ({"M_2": 1}, {"n_best": 1}),
        ({"same": True}, {"same": True}),
        ({"objects": 12}, {"objects": 12}),
        ({"triples": 40}, {"triples": 40}),
        ({"draw": 1}, {"draw": 1}),
    ],
)
@pytest.mark.parametrize("triples", ["Ra", "Se"])
def test_a_reading_changes_what_it_names(exact_distances, monkeypatch, triples, reading, expected):
    drawn = []
    monkeypatch.setattr(trials, "random_triples", draw_of("Ra", drawn))
    monkeypatch.setattr(trials, "selective_triples", draw_of("Se", drawn))
    monkeypatch.setattr(trials, "boostmap", stop)
    with pytest.raises(Trained) as asked:
        trials.reading(job("whatever"), **READING, triples=triples, reading=reading)
    (distances, _, d), settings = asked.value.args
    sizes = {"n_pairs": 10, "n_best": 4, "objects": 50, "triples": 300, "same": False, "draw": 0}
    sizes |= expected
    # the draw belongs to the reading, whatever the task is called
    picked = job().rng_for("reading", triples, sizes["draw"]).permutation(100)
    C = picked[:30]
    T = C[: sizes["objects"]] if sizes["same"] else picked[30 : 30 + sizes["objects"]]
    _, of_database = exact_distances
    np.testing.assert_allclose(distances.D, of_database[np.ix_(C, T)])
    np.testing.assert_allclose(distances.between, of_database[np.ix_(C, C)])
    assert drawn[0][0] == triples and drawn[0][-2] == sizes["triples"] and d == 4
    np.testing.assert_allclose(drawn[0][1], of_database[np.ix_(T, T)])
    options = settings["options"]
    assert (options.n_references, options.n_pairs) == (10, sizes["n_pairs"])
    assert options.n_best == sizes["n_best"] and options.query_sensitive == 0
    assert options.least_gain == 0 and options.max_rounds == 10**9


def test_a_reading_of_weights_keeps_the_other_kernels(monkeypatch):
    monkeypatch.setattr(trials, "boostmap", stop)
    with pytest.raises(Trained) as asked:
        trials.reading(job(), **READING, triples="Ra", reading={"octaves": 3})
    kernels = asked.value.args[1]["kernels"]
    assert kernels.z_values is job().kernels.z_values
    F = np.random.default_rng(0).random((1, 5))
    triples = np.array([[0, 1, 2], [3, 4, 0], [1, 2, 3]], dtype=np.int32)
    y = np.array([1.0, -1.0, 1.0])
    alpha, _ = kernels.minimize_z(F, triples, y, np.full(3, 0.25), np.full(1, -9.0))
    assert alpha[0] != 0 and np.log2(abs(alpha[0])) % 3 == 0


def test_added_classifiers_have_the_length_of_their_pivots(exact_distances, monkeypatch):
    added = [((4, 0), 0.5), ((3, -1), 0.25), ((2, 1), 0.125), ((0, -1), 1.0)]
    built = []
    monkeypatch.setattr(trials, "addition", lambda *arguments: added[len(built)])
    embeddings = trials.bm.embeddings

    def noted(problem, classifiers):
        built.extend(classifiers)
        return embeddings(problem, classifiers)

    monkeypatch.setattr(trials.bm, "embeddings", noted)
    rounds = []
    from_rounds = trials.from_rounds
    monkeypatch.setattr(trials, "from_rounds", lambda r: rounds.extend(r) or from_rounds(r))
    value = trials.reading(job(), **READING, triples="Se", reading={"steps": "add"})
    C = job().rng_for("reading", "Se", 0).permutation(100)[:30]
    _, of_database = exact_distances
    lengths = [of_database[C[4], C[0]], 0.0, of_database[C[2], C[1]], 0.0]
    assert [r[:2] for r in rounds] == [h for h, _ in added] == built
    np.testing.assert_allclose([r[2] for r in rounds], lengths)
    assert [r[3] for r in rounds] == [alpha for _, alpha in added]
    assert (value["d"], value["rounds"], value["pairs"]) == (4, 4, 2)


def test_other_readings_of_the_steps(monkeypatch):
    built = []
    from_rounds = trials.from_rounds

    def noted(rounds):
        built.append(rounds)
        return from_rounds(rounds)

    monkeypatch.setattr(trials, "from_rounds", noted)
    params = READING | {"triples": "Se"}
    added = trials.reading(job(), **params, reading={"steps": "add"})
    assert added["rounds"] == added["d"] == len(built[0]) == 4  # each adds a coordinate
    assert len({pair[:2] for pair in built[0]}) == 4
    assert added["pairs"] == sum(second >= 0 for _, second, _, _ in built[0])
    assert all((length > 0) == (second >= 0) for _, second, length, _ in built[0])
    printed = trials.reading(job(), **params, reading={"steps": "printed"})
    assert len(built[1]) == printed["rounds"] <= 4 * 4 and printed["d"] <= 4
    first = [pair for pair, alpha in ((r[:2], r[3]) for r in built[1]) if alpha < 0]
    assert len(built[1]) > 4 or first  # removals make room, or all came in one sweep
    assert len(added["ranks"]["1"]) == 2 and added["ranks"]["1"][0] <= added["ranks"]["1"][1]


def test_a_reading_measures_the_first_queries(few, exact_distances, monkeypatch):
    models = []
    boostmap = trials.boostmap

    def noted(*arguments, **options):
        models.append(boostmap(*arguments, **options))
        return models[0]

    monkeypatch.setattr(trials, "boostmap", noted)
    value = trials.reading(job(), **READING, triples="Se", reading={"sigma": problem.SIGMA})
    model = models[0]
    D, of_database = exact_distances
    C = job().rng_for("reading", "Se", 0).permutation(100)[:30]
    embedded = np.zeros((20, 100))
    for x, y, alpha in zip(model.first, model.second, model.alpha, strict=True):
        F_q = coordinate(D[:20, C], of_database[np.ix_(C, C)], x, y)
        F_x = coordinate(of_database[:, C], of_database[np.ix_(C, C)], x, y)
        embedded += alpha * np.abs(F_q[:, np.newaxis] - F_x)
    for k in (1, 10):
        ranks = percentiles(ranks_of(embedded, D[:20], k))
        assert value["ranks"][str(k)] == [ranks[94], ranks[98]]
    assert value["d"] == model.d == 4 and value["rounds"] == len(model.round_alpha)
    assert value["pairs"] == sum(model.second >= 0)


def test_coarse_weights_are_powers_and_no_better_than_exact_ones():
    rng = np.random.default_rng(3)
    F = rng.random((7, 30))
    triples = rng.integers(30, size=(200, 3)).astype(np.int32)
    y = np.where(rng.random(200) < 0.4, -1.0, 1.0)
    w = np.full(200, 1 / 200)
    kernels = job().kernels
    least = np.array([-1.5, -1.5, -1.5, -1.5, -1.5, -0.001, 0.0])
    margin = np.zeros(200)
    alpha, z = kernels.minimize_z(F, triples, y, margin, least)
    coarse, z_coarse = trials.CoarseWeights(kernels, 2).minimize_z(F, triples, y, margin, least)
    for exact, rough, limit in zip(alpha, coarse, least, strict=True):
        if exact == 0:
            continue
        nearest = np.sign(exact) * 4.0 ** round(np.log2(abs(exact)) / 2)
        assert rough == max(nearest, limit)
    margins = y * kernels_of_triples.margins(F[0], triples)
    assert z_coarse[0] == pytest.approx(sum(w * np.exp(-coarse[0] * margins)))
    assert (z_coarse >= z - 1e-12).all() and (coarse >= least).all()
    assert trials.CoarseWeights(kernels, 2).z_values is kernels.z_values


# ------------------------------------------------------------------------------------ search graphs


def test_the_graph_task(few, exact_distances):
    arguments = {"queries": 20, "degree": 6, "starts": 8, "widths": (3, 10, 100)}
    value = graphs.graph(job(), **SPACE, **arguments)
    _, of_database = exact_distances
    others = of_database + np.diag(np.full(100, np.inf))
    nearest = np.argsort(others, axis=1, kind="stable")[:, :6]
    linked = {frozenset((i, int(j))) for i in range(100) for j in nearest[i]}
    assert value["links"] == pytest.approx(2 * len(linked) / 100)
    assert (value["queries"], value["objects"], value["build"]) == (20, 100, 4950)
    narrow, wider, whole = value["searches"]
    assert [s["setting"] for s in (narrow, wider, whole)] == [3, 10, 100]
    # all that can be reached from the starts: here each object, once
    assert whole["distances"] == whole["most"] == 100
    assert whole["success"] == whole["recall"] == 100.0
    assert narrow["distances"] < wider["distances"] < 100 and narrow["most"] < 100
    # three objects are found, so at most three of the ten nearest
    assert narrow["success"] == 0.0 and narrow["recall"] <= 30.0 <= wider["recall"]
    shares = [s * 20 / 100 for s in (narrow["success"], wider["success"])]
    assert shares == [round(share) for share in shares]


def test_pynndescent_counts_each_distance_and_finds_what_there_is():
    """A search without end is exact; a row of the vectors gives the chamfer distance, and calls are
    counted.
    """
    pytest.importorskip("pynndescent")
    images = np.random.default_rng(6).random((30, 7, 9)) < 0.2
    images[:, 3, 4] = True
    vectors = graphs.as_vectors(images)
    counter = np.zeros(1, dtype=np.int64)
    distance = graphs.counted_chamfer(vectors.shape[1], 63, counter)
    rows = [[distance(a, b) for b in vectors] for a in vectors]
    assert counter[0] == 900 and np.allclose(rows, chamfer(images), rtol=1e-6)
    params = SPACE | {"queries": 20, "neighbors": 10, "trees": False, "widths": (0.0, 2.0)}
    value = graphs.pynndescent(job("pynndescent"), **params)
    first, last = value["searches"]
    assert last["success"] == last["recall"] == 100
    assert first["distances"] < last["distances"] <= value["objects"]
