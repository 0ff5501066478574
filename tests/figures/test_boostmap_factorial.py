"""Readings of BoostMap's two phases on small data, and the tables that are made of them.

What a reading changes is checked against the printed algorithm, sums against loops. Not tested
here: the printed trainings (tests/boostmap), readings at smaller sizes (test_boostmap_tasks.py).
"""

import numpy as np
import pytest
from agreement import KERNELS
from boostmap_measures import FIGURES, reduce, values

import refimpl.kernels
from paper_figures import data
from paper_figures.boostmap import PAPER as boostmap_paper
from paper_figures.boostmap import detectors, factorial, fastmaps, open_fastmap, open_readings
from paper_figures.boostmap.problem import AS_PRINTED
from paper_figures.data import DataSet
from paper_figures.gallery.tables import RESERVED
from paper_figures.registry import Context, Job, Result
from refimpl.boostmap import BoostMapOptions, CandidateDistances, boostmap, random_triples
from refimpl.boostmap import algorithm as bm
from refimpl.kernels.triples import margins

PAPER = Context(scale="paper")
NAME = "fast" if len(KERNELS) > 1 else "reference"
SIZES = {"d": 4, "M_1": 8, "m": 12, "M_2": 6, "threads": 1}


def job():
    return Job(0, {"task": "t"}, NAME, None, ("few",))


@pytest.fixture(scope="module")
def given():
    rng = np.random.default_rng(5)
    X = rng.random((40, 3))
    D = np.linalg.norm(X[:, np.newaxis] - X, axis=2)
    triples = random_triples(D, 400, rng=rng)
    return CandidateDistances(D[:20], D[:20, :20]), triples


def problem_of(given):
    distances, triples = given
    return bm.Problem(distances.D, distances.between, triples.objects, triples.y)


def trained(given, **reading):
    sizes = SIZES | reading
    return factorial.first_phase(job(), *given, sizes, np.random.default_rng(2))


# --------------------------------------------------------------------------------- the first phase


def test_without_a_reading_the_first_phase_is_the_printed_one(given):
    options = BoostMapOptions(n_references=8, n_pairs=12, n_best=6, **AS_PRINTED)
    expected = boostmap(*given, 4, rng=np.random.default_rng(2), options=options, threads=1)
    model = trained(given)
    for name in ("round_first", "round_second", "round_alpha"):
        assert np.array_equal(getattr(model, name), getattr(expected, name))


def test_additions_alone_add_a_coordinate_in_each_round(given):
    model = trained(given, steps="add")
    assert model.d == len(model.round_alpha) == 4 and (model.alpha > 0).all()
    distances, triples = given
    noise = type(triples)(triples.objects, np.random.default_rng(0).choice([-1.0, 1.0], 400))
    few = trained((distances, noise), steps="add", d=20, M_1=1, m=1, M_2=2)
    assert few.d < 20  # it ended where neither of two classifiers lowered Z
    same = trained(given)
    assert len(same.round_alpha) > same.d  # the printed steps change weights, too


def test_the_first_addition_is_the_best_of_what_is_drawn(given):
    problem = problem_of(given)
    model = trained(given, steps="add", d=1)
    names = bm.candidate_classifiers(problem, 8, 12, {}, np.random.default_rng(2))
    F = bm.embeddings(problem, names)
    w = np.full(len(problem.y), 1 / len(problem.y))
    errors = np.array([0.5 * w @ (1 - np.sign(problem.y * margins(f, problem.triples))) for f in F])
    best = np.argsort(errors, kind="stable")[:6]
    margin = np.zeros(len(problem.y))
    alpha, z = refimpl.kernels.minimize_z(F[best], problem.triples, problem.y, margin, np.zeros(6))
    assert (model.first[0], model.second[0]) == names[best[z.argmin()]]
    assert model.alpha[0] == pytest.approx(alpha[z.argmin()], rel=1e-9)


def test_a_round_without_gain_ends_the_first_phase(given, monkeypatch):
    asked = []
    monkeypatch.setattr(factorial, "best_addition", lambda *a: asked.append(a) or ((0, -1), 0.0))
    assert trained(given, steps="add").d == 0 and len(asked) == 1
    again = trained(given, steps="add", redraw=True)  # 20 rounds for each of 4 coordinates
    assert again.d == 0 and len(asked) == 1 + 80


def test_with_negative_weights_step_8_keeps_what_is_mostly_wrong(given):
    distances, triples = given
    wrong = type(triples)(triples.objects, -triples.y)
    problem = problem_of((distances, wrong))
    names = bm.candidate_classifiers(problem, 8, 12, {}, np.random.default_rng(2))
    F = bm.embeddings(problem, names)
    answers = np.sign([problem.y * margins(f, problem.triples) for f in F])
    model = trained((distances, wrong), steps="add", signed=True, d=1, M_2=1)
    assert (model.first[0], model.second[0]) == names[np.abs(answers.sum(axis=1)).argmax()]


def test_negative_weights_use_classifiers_that_are_wrong(given):
    distances, triples = given
    wrong = type(triples)(triples.objects, -triples.y)
    assert trained((distances, wrong), steps="add").d == 0  # none lowers Z with a weight above 0
    model = trained((distances, wrong), steps="add", signed=True)
    assert model.d == 4 and (model.alpha < 0).all()
    right = trained(given, steps="add", signed=True)
    np.testing.assert_allclose(model.alpha, -right.alpha, rtol=1e-6)
    every_step = trained((distances, wrong), signed=True)
    assert every_step.d <= 4 < len(every_step.round_alpha)


# -------------------------------------------------------------------------------- the second phase


def test_ranges_by_z_are_the_printed_ones_for_the_classifier_that_is_chosen(given):
    problem = problem_of(given)
    model = trained(given)
    F = bm.embeddings(problem, list(zip(model.first.tolist(), model.second.tolist(), strict=True)))
    rounds = [
        bm.query_sensitive_rounds(
            F,
            problem.triples,
            problem.y,
            np.zeros(len(problem.y)),
            bm.Choices(4, bm.splitters, ranges),
            rng=np.random.default_rng(7),
        )
        for ranges in (bm.ranges_of_least_z, factorial.ranges_of_least_z)
    ]
    for _ in range(5):
        printed, ours = (next(r) for r in rounds)
        assert (ours.c, ours.g, ours.low, ours.high, ours.inside) == (
            printed.c,
            printed.g,
            printed.low,
            printed.high,
            printed.inside,
        )
        assert ours.alpha == printed.alpha


def test_sums_of_ranges_are_those_of_their_triples():
    rng = np.random.default_rng(3)
    F, Gamma = rng.random((2, 30))
    triples = rng.integers(30, size=(200, 3)).astype(np.int32)
    y = np.where(rng.random(200) < 0.4, -1.0, 1.0)
    w = rng.random(200)
    t = np.sort(rng.random(3))
    ranges = bm.all_ranges(3)
    sums = factorial.sums_of_ranges(Gamma, F, triples, y, w, t, factorial.bins_of(ranges, 3))
    assert sums.shape == (len(ranges), 8)
    for place, row in zip(ranges, sums, strict=True):
        S = bm.accepts(Gamma, *bm.as_range(t, place))[triples[:, 0]]
        u = S * y * margins(F, triples)
        expected = []
        for power in (0, 1, 2):
            expected += [sum(w[u > 0] * u[u > 0] ** power), sum(w[u < 0] * (-u[u < 0]) ** power)]
        expected += [max(u.max(), 0), max(-u.min(), 0)]
        np.testing.assert_allclose(row, expected, rtol=1e-12)


def test_a_second_phase_adds_to_the_weights_of_its_queries(given):
    problem = problem_of(given)
    model = trained(given)
    choices = {"splitters": "both", "ranges_by": "error", "rounds": [2, 6]}
    kernels = job().kernels
    classifiers = list(
        factorial.second_phase(problem, model, choices, np.random.default_rng(1), kernels, 1)
    )
    assert len(classifiers) == 6  # the larger number of rounds
    short = factorial.with_classifiers(model, classifiers[:2])
    E = np.random.default_rng(0).random((5, model.d))
    expected = np.tile(model.alpha, (5, 1))
    for c, g, low, high, inside, alpha in classifiers[:2]:
        accepted = ((low <= E[:, g]) & (E[:, g] < high)) == bool(inside)
        expected[:, c] += alpha * accepted
    np.testing.assert_allclose(short.weights(E), expected)
    assert np.array_equal(factorial.with_classifiers(model, []).weights(E)[0], model.alpha)


def test_a_factor_measures_both_phases(monkeypatch):
    digits = data.load("digits")
    few = DataSet("few", digits.X[:125], digits.y[:125], digits.classes, n_train=100)
    monkeypatch.setattr(data, "load", lambda name, data_dir, **options: few)
    sizes = SIZES | {"candidates": 30, "objects": 40, "triples": 300, "k_most": 3}
    value = factorial.factor(
        job(),
        data_set="few",
        enlarge=2,
        most=12,
        detector=("canny", 1.7, 0.1, 0.2),
        triples="Se",
        sizes=sizes,
        reading={"steps": "add", "m": 5},
        second_phases=[{"splitters": "one", "ranges_by": "Z", "rounds": [1, 3]}],
        draw=0,
    )
    assert value["d"] <= 4 and value["pairs"] <= value["d"] and value["negative"] == 0
    assert [(q["place"], q["rounds"]) for q in value["QS"]] == [(0, 1), (0, 3)]
    for ranks in (value["QI"], value["QS"][0]["ranks"]):
        assert set(ranks) == {"1", "10"} and len(ranks["10"]) == 5
        assert ranks["1"] == sorted(ranks["1"])
    with pytest.raises(detectors.EdgesLost, match="125 images lose all their edges"):
        detectors.detected_problem(job(), "few", ("canny", 1.0, 90.0, 99.0), 1, 3)


# ------------------------------------------------------------------------------------------ FastMap


def test_ranks_by_dimension_are_those_of_each_embedding():
    rng = np.random.default_rng(4)
    Q, X = rng.random((11, 3)), rng.random((50, 3))
    nearest = rng.integers(50, size=(11, 4))
    ranks = fastmaps.ranks_by_dimension(Q, X, nearest)
    for d in (1, 2, 3):
        for q, near, rank in zip(Q, nearest, ranks[:, d - 1], strict=True):
            D = np.linalg.norm(X[:, :d] - q[:d], axis=1)
            assert rank == 1 + sum(D < max(D[near]) - 1e-12)


# ----------------------------------------------------------------------------------------- tables


def ranks_of(at_95, at_98, at_99):
    return {"1": [1, 1, at_95, 1, at_99], "10": [1, 1, at_95, at_98, at_99]}


def test_the_table_of_readings():
    value = {"d": 76, "pairs": 70, "negative": 3, "cost": 140}
    random = Result("factor", {"triples": "Ra"}, value | {"QI": ranks_of(154, 3396, 698)})
    selective = Result("factor", {"triples": "Se"}, value | {"QI": ranks_of(40, 1274, 146)})
    nothing = [Result("factor", {"triples": t}, None) for t in ("Ra", "Se")]
    pairs = [*nothing, random, selective] + nothing * (len(open_readings.READINGS) - 2)
    gathered = reduce("additions", PAPER, pairs)
    rows = gathered.rows
    name = open_readings.READINGS[1][0]
    assert {row["reading"] for row in rows} == {name}
    ranks = [row for row in rows if row["quantity"] == "rank"]
    assert values(ranks[2:9], "triples", "k", "percentile", "printed", "ours") == [
        ("Ra", 1, 95, 77, 154),
        ("Ra", 1, 98, None, 1),
        ("Ra", 1, 99, 349, 698),
        ("Ra", 10, 80, None, 1),
        ("Ra", 10, 90, None, 1),
        ("Ra", 10, 95, 949, 154),
        ("Ra", 10, 98, 1698, 3396),
    ]
    assert ranks[0]["reached"] == 76 and ranks[0]["negative"] == 3
    assert ranks[0]["distances to embed"] == 140
    ratios = [row for row in rows if row["quantity"] == open_readings.RATIO]
    assert values(ratios[2:5:2], "k", "percentile", "printed", "ours") == [
        (1, 95, 3.85, 3.85),  # 77 / 20 and 154 / 40
        (1, 99, 4.78, 4.781),  # 349 / 73 and 698 / 146
    ]
    chosen, checked = rows[-2:]
    assert (chosen["quantity"], checked["quantity"]) == (
        open_readings.CHOSEN_BY,
        open_readings.CHECKED_ON,
    )
    assert chosen["ours"] == 2.0  # all four ranks of k = 1 are twice the printed ones
    # k = 10: factors 949 / 154, 2, 2483 / 698, 330 / 40, 2, 1010 / 146
    factors = [949 / 154, 2, 2483 / 698, 330 / 40, 2, 1010 / 146]
    assert checked["ours"] == pytest.approx(np.prod(factors) ** (1 / 6), abs=5e-4)
    assert gathered.notes[-1].startswith(
        f'The cells with k = 1 and 100 choose "{name}": on average'
    )
    assert gathered.notes[-1].endswith("of the same one.")


def test_a_reading_is_chosen_by_some_cells_and_checked_on_the_others():
    value = {"d": 76, "pairs": 70, "negative": 3, "cost": 140}

    def pair(times_1, times_10):
        return [
            Result("factor", {"triples": t}, value | {"QI": ranks})
            for t, ranks in (
                ("Ra", {"1": [1, 1, 77 * times_1, 1, 349 * times_1], "10": [949 * times_10] * 5}),
                ("Se", {"1": [1, 1, 20 * times_1, 1, 73 * times_1], "10": [330 * times_10] * 5}),
            )
        ]

    few = len(open_readings.READINGS) - 2
    nothing = [Result("factor", {"triples": t}, None) for t in ("Ra", "Se")] * few
    gathered = reduce("additions", PAPER, [*pair(2, 9), *pair(3, 1), *nothing])
    names = [name for name, _ in open_readings.READINGS]
    said = gathered.notes[-1]
    assert f'choose "{names[0]}": on average its ranks are a factor 2 off' in said
    assert said.endswith(f'of "{names[1]}".') and "On k = 10 it is a factor " in said
    small = reduce("additions", Context(), [*pair(2, 9), *pair(3, 1), *nothing])
    assert not any(" choose " in note for note in small.notes)  # the paper has no such sizes


def test_the_table_of_second_phases():
    def result(triples, rank, phases):
        qs = [{"place": 0, "rounds": n, "ranks": ranks_of(at, at, at)} for n, at in phases]
        value = {"d": 76, "QI": ranks_of(rank, rank, rank), "QS": qs}
        return Result("factor", {"triples": triples}, value)

    results = [result("Ra", 80, [(128, 60), (256, 40)]), result("Se", 20, [(128, 25)])]
    results += [result("Ra", 80, [(256, 50)])] + [Result("factor", {"triples": "Se"}, None)] * 5
    first, _ = (name for name, *_ in open_readings.FIRST_PHASES)
    gathered = reduce("second_phase", PAPER, results)
    rows = gathered.rows
    at = [row for row in rows if (row.get("k"), row.get("percentile")) == (1, 95)]
    keys = ("second phase", "rounds", "quantity", "triples", "printed", "ours")
    name = open_readings.SECOND_PHASES[0][0]
    assert values(at, *keys) == [
        ("none", 0, "rank", "Ra", 77, 80),
        (name, 128, "rank", "Ra", 38, 60),
        (name, 128, open_readings.TIMES, "Ra", 0.49, 0.75),
        (name, 256, "rank", "Ra", 38, 40),
        (name, 256, open_readings.TIMES, "Ra", 0.49, 0.5),
        ("none", 0, "rank", "Se", 20, 20),
        (name, 128, "rank", "Se", 20, 25),
        (name, 128, open_readings.TIMES, "Se", 1.0, 1.25),
        # the same first phase: its own ranks stand there once
        (open_readings.SECOND_PHASES[2][0], 256, "rank", "Ra", 38, 50),
        (open_readings.SECOND_PHASES[2][0], 256, open_readings.TIMES, "Ra", 0.49, 0.625),
    ]
    assert {row["first phase"] for row in rows} == {first}
    nearest = [row for row in rows if row["quantity"] == open_readings.CHOSEN_BY]
    assert values(nearest, "second phase", "rounds") == [(name, 128), (name, 256)]
    # printed with query-sensitivity: 38 and 136, 20 and 62; after 256 rounds there is Ra alone
    factors = [60 / 38, 136 / 60, 25 / 20, 62 / 25]
    assert nearest[0]["ours"] == pytest.approx(np.prod(factors) ** (1 / 4), abs=5e-4)
    words = f'"first phase: {first}; second phase: {name}; rounds: '
    assert f"The cells with k = 1 and 100 choose {words}" in gathered.notes[-1]


def test_first_phases_are_candidates_of_the_first_table():
    assert {name for name, _ in open_readings.FIRST_PHASES} <= dict(open_readings.READINGS).keys()


def found(detector, clip, *draws):
    value = {"lost": 0, "draws": [{"p": p, "cost": cost} for p, cost in draws]}
    return Result("fastmap_by_dimension", {"detector": detector, "clip": clip}, value)


def errors(detector, *of_k):
    value = {"lost": 0, "errors": list(of_k), "candidates": 9, "edge_pixels": 80.0}
    return Result("edges", {"detector": detector}, value)


def test_the_table_of_fastmap():
    p = [900, 500, *[400] * 8, 390, 385, 384]
    cost = [2, 4, *range(6, 22, 2), 22, 24, 26]
    other = [900, 300, *[400] * 8, 410, 400, 400]
    canny, sobel = ("canny", 1.0, 0.1, 0.2), ("sobel", 1.0)
    lost = Result("f", {"detector": sobel, "clip": True}, {"lost": 7, "draws": []})
    results = [found(canny, False, (p, cost), (other, cost)), lost, errors(canny, 5.0, 4.5, 4.6)]
    gathered = reduce("fastmap", PAPER, results)
    rows = gathered.rows
    # totals: 400 + 6 at d = 3, 300 + 4 at d = 2
    assert values(rows[:6], "quantity", "squares below 0", "printed", "ours") == [
        ("1-nn error, %", None, 5.47, 5.0),
        ("best k-nn error, %", None, 4.63, 4.5),
        ("k of the best error", None, 5, 2),
        ("best d", "kept", 11, 2.5),
        ("p at the best d", "kept", 5523, 350.0),
        ("p at d = 11", "kept", 5523, 400.0),
    ]
    assert {row["detector"] for row in rows[:6]} == {"Canny, sigma 1, thresholds 0.1 and 0.2"}
    assert "7 images lose" in rows[6]["why"] and rows[6]["squares below 0"] is None
    off, factor = rows[7:]
    assert (off["quantity"], off["ours"]) == (open_fastmap.OFF_TABLE3, 0.3)  # 0.47 and 0.13
    assert factor["ours"] == pytest.approx((11 / 2.5 * 5523 / 350) ** 0.5, abs=5e-4)
    assert factor["quantity"] == open_fastmap.OFF_FASTMAP
    small = reduce("fastmap", Context(), results)
    assert len(small.notes) == 1 and {row["printed"] for row in small.rows} == {None}


def curve(best, p):
    """Return p by dimension and its cost; the fewest distances in all are at `best` dimensions."""
    return [10 * p] * (best - 1) + [p] + [10 * p] * 5, list(range(2, 2 * (best + 5) + 1, 2))


def test_a_detector_is_chosen_by_table_3_and_checked_on_fastmap():
    """Sigma 1.7 is nearest to Table 3, sigma 2 to FastMap, and only sigma 1.8 fits both."""
    names = [f"Canny, sigma {sigma:g}, thresholds 0.1 and 0.2" for sigma in (1.7, 1.8, 2.0)]
    detectors = [("canny", sigma, 0.1, 0.2) for sigma in (1.7, 1.8, 2.0)]
    results = []
    for detector, first, best in zip(detectors, (5.5, 5.8, 9.0), (4.6, 4.9, 9.0), strict=True):
        results.append(errors(detector, first, best))
    results += [found(detectors[0], False, curve(40, 1000), curve(42, 1010))]
    results += [found(detectors[1], True, curve(10, 5000), curve(14, 6500))]
    results += [found(detectors[1], False, curve(40, 1000), curve(42, 1010))]
    results += [found(detectors[2], True, curve(11, 5500), curve(11, 5523))]
    notes = reduce("fastmap", PAPER, results).notes
    assert notes[1].startswith(f"Table 3's two errors choose {names[0]}, 0.03 points off.")
    assert "FastMap then has d = 41.0 and p = 1,005, squares kept: a factor 4." in notes[1]
    assert "to the print (11 and 5,523)" in notes[1]
    assert f"FastMap is nearest with {names[2]} (d = 11.0 and p = 5,512" in notes[1]
    assert notes[2] == (
        f"Within two standard errors of both printed k-nn errors: {names[0]}; {names[1]}. Of "
        f"FastMap's d and p: {names[1]}; {names[2]}. At once: {names[1]}."
    )
    assert open_fastmap.near_a_draw([3.0], 3.0) and not open_fastmap.near_a_draw([3.0], 3.1)


def test_fastmap_and_edges_try_the_same_detectors():
    tasks = FIGURES["fastmap"].tasks(PAPER)
    of_edges = [t.params["detector"] for t in FIGURES["edges"].tasks(PAPER)]
    own = [t for t in tasks if t.name == "fastmap_by_dimension"]
    assert [t.params["detector"] for t in own] == [d for d in of_edges for _ in range(2)]
    assert [t.params["detector"] for t in tasks[len(own) :]] == of_edges
    assert len(of_edges) == 14 and {t.params["queries"] for t in own} == {2000}
    assert {t.params["dimensions"] for t in own} == {128}


def test_readings_are_shares_of_m_1():
    tasks = FIGURES["additions"].tasks(PAPER)
    assert len(tasks) == 2 * len(open_readings.READINGS)
    by_name = {
        (name, t.params["triples"]): t.params
        for (name, _), pair in zip(
            open_readings.READINGS, zip(tasks[::2], tasks[1::2], strict=True), strict=True
        )
        for t in pair
    }
    twenty = by_name["additions alone, m = M_1 / 50", "Ra"]
    assert twenty["reading"] == {"steps": "add", "m": 20}
    both = by_name["all steps, M_1 / 2 objects and M_1 / 2 pairs", "Se"]
    assert both["reading"] == {"m": 500, "M_1": 500} and both["sizes"]["M_2"] == 200
    rough = by_name["additions alone, m = M_1 / 10, edges not smoothed", "Se"]
    assert tuple(rough["detector"]) == ("canny", 0.0, 0.1, 0.2)
    second = FIGURES["second_phase"].tasks(PAPER)
    assert [t.params["second_phases"][0]["rounds"] for t in second[::2]] == [
        [128, 256, 512],
        [256],
        [128],
        [128, 256, 512],
    ]
    assert second[0].params["reading"] == {"steps": "add", "m": 100, "redraw": True}
    assert tuple(second[0].params["detector"]) == ("canny", 1.0, 0.1, 0.2)
    assert second[-1].params["reading"] == {"steps": "add", "m": 20}


# ----------------------------------------------------------------------------------------- layouts


def phases_of(rank):
    """Return the results of all pairs of phases: the same rank in each cell."""
    results = []
    for task in FIGURES["second_phase"].tasks(PAPER):
        rounds = task.params["second_phases"][0]["rounds"]
        qs = [{"place": 0, "rounds": n, "ranks": ranks_of(rank, rank, rank)} for n in rounds]
        value = {"d": 76, "QI": ranks_of(rank, rank, rank), "QS": qs}
        results.append(Result("factor", task.params, value))
    return results


def readings_of(rank):
    more = {"d": 76, "pairs": 70, "negative": 3, "cost": 140, "QI": ranks_of(rank, rank, rank)}
    return [Result("factor", task.params, more) for task in FIGURES["additions"].tasks(PAPER)]


def detectors_of(p):
    """Return FastMap with every detector; the last one's images have no edges."""
    results = []
    for task in FIGURES["fastmap"].tasks(PAPER):
        detector = task.params["detector"]
        if detector[0] == "ink":
            results.append(Result(task.name, task.params, {"lost": 3, "draws": []}))
        elif task.name == "edges":
            results.append(errors(detector, 5.0, 4.5))
        else:
            results.append(found(detector, task.params["clip"], curve(12, p), curve(14, p)))
    return results


@pytest.mark.parametrize(
    "name, results",
    [
        ("additions", readings_of(50)),
        ("second_phase", phases_of(50)),
        ("fastmap", detectors_of(900)),
    ],
)
def test_each_number_has_a_cell_of_its_own(name, results):
    layout = next(f.layout for f in boostmap_paper.figures if f.name == name)
    places = []
    for row in reduce(name, PAPER, results).rows:
        number, grid = next((n, g) for n, g in enumerate(layout) if g.takes(row))
        assert set(row) <= {*grid.keys, *grid.where, *RESERVED}
        if row["ours"] is not None:
            keys = (*grid.tables, *grid.rows, *grid.columns)
            places.append((number, *(str(row.get(key)) for key in keys)))
    assert places and len(places) == len(set(places))
    assert {place[0] for place in places} == set(range(len(layout)))
