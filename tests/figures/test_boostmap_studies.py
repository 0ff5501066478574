"""BoostMap's studies: small cells measured anew by loops, and rows of planted observations."""

from itertools import permutations
from math import ceil

import numpy as np
import pytest
from agreement import KERNELS
from scipy.spatial.distance import cdist

from paper_figures import data
from paper_figures.boostmap import PAPER, errors, examples, images, ranks, remarks, trainings
from paper_figures.data import DataSet
from paper_figures.study import Job, Seen

ALL_DIGITS = data.load("digits")
N_TRAIN, N = 100, 125
NAME = "fast" if len(KERNELS) > 1 else "reference"
SPACE = {"data_set": "few", "enlarge": 2, "most": 12, "sigma": 1.7, "distance": "mean"}
SIZES = {
    "candidates": 30,
    "objects": 50,
    "triples": 300,
    "k_most": 4,
    "d": 5,
    "M_1": 10,
    "M_2": 4,
    "query_sensitive": 6,
}
VIEWS = {view.name: view for view in PAPER.figures}


def job(seed=0):
    return Job(seed, NAME, None, ("few",))


@pytest.fixture(scope="module", autouse=True)
def few_digits():
    """Let data.load read the first digits of scikit-learn's, 25 of them the queries."""
    few = DataSet("few", ALL_DIGITS.X[:N], ALL_DIGITS.y[:N], ALL_DIGITS.classes, n_train=N_TRAIN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "load", lambda name, data_dir, **options: few)
        yield


@pytest.fixture(scope="module", params=["mean", "squared"])
def few(request, few_digits):
    return images.load(job(), **SPACE | {"distance": request.param})


def chamfer_of(A, B, power):
    """Return chamfer distances from the distances between all pairs of pixels."""
    pixels = np.argwhere(np.ones(A.shape[1:]))
    between = cdist(pixels, pixels) ** power

    def directed(A, B):
        """Return the mean, over the edge pixels of a, of the distance to the nearest of b."""
        to_nearest = np.array([between[:, b.ravel()].min(axis=1) for b in B])
        return np.array([to_nearest[:, a.ravel()].mean(axis=1) for a in A])

    return directed(A, B) + directed(B, A).T


def exact_of(few):
    """Return the distances from the queries, and from the database, to the database."""
    power = 2 if few.distance == "squared" else 1
    return (chamfer_of(A, few.database, power) for A in (few.queries, few.database))


def percentiles(found):
    """Return the p-th percentiles, p = 1 ... 100: the least rank that p per cent do not exceed."""
    in_order = sorted(found)
    return [in_order[ceil(p * len(in_order) / 100) - 1] for p in range(1, 101)]


def ranks_of(embedded, D, k):
    """Return for each query how deep the filter goes until it has the k nearest."""
    return [
        max(1 + sum(row < row[b] - 1e-9) for b in np.argsort(true, kind="stable")[:k])
        for row, true in zip(embedded, D, strict=True)
    ]


# ------------------------------------------------------------------------- the space, one cell each


def test_the_space_holds_edges_and_nearest_images(few):
    assert few.database.shape == (100, 16, 16) and few.queries.shape == (25, 16, 16)
    assert few.database.dtype == bool and few.database.any(axis=(1, 2)).all()
    assert np.array_equal(few.labels, ALL_DIGITS.y[:100])
    assert np.array_equal(few.truth, ALL_DIGITS.y[100:N])
    D, between = exact_of(few)
    np.testing.assert_allclose(few.distances, np.sort(D, axis=1)[:, :12])
    assert np.array_equal(few.nearest, np.argsort(D, axis=1, kind="stable")[:, :12])
    np.testing.assert_allclose(few.D_X(few.database), between, atol=1e-12)
    assert np.array_equal(few.D_X(few.queries, few.database), few.D_X(few.database, few.queries).T)


@pytest.mark.parametrize("of, triples", [("Fe", "Se"), ("Pa", "Se"), ("Pa", "Ra"), ("Fe", "Ra")])
def test_a_training_is_measured_by_its_model(few, monkeypatch, of, triples):
    """What the variant trains on, and ranks and errors of its embedding by plain sums."""
    asked = {}
    train = trainings.boostmap

    def noted(distances, chosen, d, **options):
        asked.update(distances=distances, chosen=chosen, **options)
        asked["model"] = train(distances, chosen, d, **options)
        return asked["model"]

    monkeypatch.setattr(trainings, "boostmap", noted)
    cell = {"of": of, "triples": triples, "sizes": SIZES, "dimensions": [1, 3, 5], "draw": 0}
    items = list(trainings.training(job(), few, **cell))
    D, of_database = exact_of(few)
    C, T = np.split(job().rng_for("objects", 0).permutation(100)[:80], [30])
    np.testing.assert_allclose(asked["distances"].D, of_database[np.ix_(C, T)])
    np.testing.assert_allclose(asked["distances"].between, of_database[np.ix_(C, C)], atol=1e-12)
    options = asked["options"]
    assert (options.n_references, options.n_best, options.query_sensitive) == (10, 4, 6)
    assert options.least_gain == 0 and options.max_rounds == 10**9
    q, a, b = asked["chosen"].objects.T
    D_X, y = of_database[np.ix_(T, T)], few.labels[T]
    order = np.sign(D_X[q, b] - D_X[q, a])
    if of == "Pa":
        order = (y[q] != y[b]).astype(float) - (y[q] != y[a])
    assert np.array_equal(order, asked["chosen"].y) and len(order) == 300
    assert (triples == "Ra") or ((y[q] == y[a]) & (y[q] != y[b])).all()
    shares = {i["quantity"]: i["share"] for i in items if "share" in i}
    if triples == "Ra":
        assert shares == {}
    elif of == "Fe":
        assert shares == {trainings.NEARER: pytest.approx(100 * (order > 0).mean())}
    else:
        assert list(shares) == [trainings.WEAK] and 80 <= shares[trainings.WEAK] <= 100
    measured = [i for i in items if "ranks" in i]
    name = f"BoostMap-{of}-{triples}"
    assert [(i["method"], i["dimensions"], i["whole"]) for i in measured] == [
        *((f"{name}-QI", d, d == 5) for d in (1, 3, 5)),
        (f"{name}-QS", 5, True),
    ]
    space = few.space(few.database[C])
    model = asked["model"]
    for item in measured:
        short = model if item["method"].endswith("QS") else model.truncated(item["dimensions"])
        F_q, F_x = short.embed(space, few.queries), short.embed(space, few.database)
        A = short.weights(F_q)
        embedded = (A[:, np.newaxis] * np.abs(F_q[:, np.newaxis] - F_x)).sum(axis=2)
        for k in (1, 10):
            assert list(item["ranks"][str(k)]) == percentiles(ranks_of(embedded, D, k))
        assert item["cost"] == short.cost
        assert ("errors" in item) == (triples == "Se" and item["whole"])
        if "errors" in item:
            nearest = few.labels[embedded.argmin(axis=1)]
            assert item["errors"][:2] == [100 * np.mean(nearest != few.truth)] * 2


def test_other_k_and_variants_share_a_draw(few):
    """A short training of k' = 4 is the beginning of the long one, so that k' = 16 is its pair."""
    cell = {"of": "Fe", "triples": "Se", "draw": 1}
    long = list(trainings.training(job(), few, sizes=SIZES, dimensions=[3, 5], **cell))
    short = SIZES | {"d": 3, "query_sensitive": 0}
    of_3 = list(trainings.training(job(), few, sizes=short, dimensions=[3], **cell))
    assert [i["method"] for i in of_3 if "ranks" in i] == ["BoostMap-Fe-Se-QI"]
    assert np.array_equal(of_3[1]["ranks"]["10"], long[1]["ranks"]["10"])
    other = list(
        trainings.training(job(), few, sizes=short | {"k_most": 16}, dimensions=[3], **cell)
    )
    assert other[1]["method"] == "BoostMap-Fe-Se-QI, k' = 16" and "errors" not in other[1]


def test_the_five_points_are_as_the_paper_says():
    (item,) = examples.five_points(job())
    X, names = item["points"], examples.NAMES
    line = [float(np.hypot(*(X[0] - x))) for x in X]
    np.testing.assert_allclose(item["line"], line)
    right = {
        (names[q], names[a], names[b])
        for q, a, b in permutations(range(5), 3)
        if (np.hypot(*(X[q] - X[a])) < np.hypot(*(X[q] - X[b])))
        == (abs(line[q] - line[a]) < abs(line[q] - line[b]))
    }
    assert not right & {tuple("bac"), tuple("cbd"), tuple("dbr")}
    (row,) = examples.figure1(Seen([item])).rows
    assert (row["ours"], row["published"], row["of"], row["error"]) == (len(right), 46, 60, 0)


def test_the_triangle_and_the_digits():
    (item,) = examples.triangle(job())
    (row,) = examples.figure2(Seen([item])).rows
    assert row["ours"] == pytest.approx(1.1, rel=1e-12) == row["published"]
    (item,) = examples.digits(job(), data_set="few", per_class=3)
    (row,) = examples.figure4(Seen([item])).rows
    assert item["side"] == 8 and row["ours"] == 30


# ---------------------------------------------------------------------------------- cells and views


def planted(method, draw=0, d=256, whole=True, cost=512, k_most=4, errors=None, **at):
    """Return an observation of ranks 1,000 k + p, but for those named: k10=(95, 98, 99)."""
    found = {str(k): [1000 * k + p for p in range(1, 101)] for k in (1, 10, 100)}
    for k, three in at.items():
        for p, rank in zip((95, 98, 99), three, strict=True):
            found[k[1:]][p - 1] = rank
    item = {"method": method, "draw": draw, "dimensions": d, "ranks": found, "cost": cost}
    item |= {"errors": errors} if errors else {}
    return item | ({} if "FastMap" in method else {"whole": whole, "sizes": {"k_most": k_most}})


def of(rows, **keys):
    (row,) = [row for row in rows if keys.items() <= row.items()]
    return row


def test_figure5_and_costs():
    items = [
        planted("FastMap", 0, 2, cost=4, k10=(500, 5000, 600)),
        planted("FastMap", 0, 3, cost=6, k10=(410, 4999, 440)),
        planted("BoostMap-Fe-Ra-QI", 0, 2, False, 4, k10=(700, 1800, 750)),
        planted("BoostMap-Fe-Ra-QI", 1, 2, False, 4, k10=(800, 2300, 850)),
        planted("BoostMap-Fe-Ra-QI", 0, 256, k10=(7, 1698, 6)),
        planted("BoostMap-Fe-Ra-QI", 1, 256, k10=(9, 1690, 6)),
    ]
    rows = ranks.figure5(Seen(items)).rows
    keys = {"method": "BoostMap-Fe-Ra-QI", "k": 10, "percentile": 95, "dimensions": 2}
    row = of(rows, **keys)
    assert row == keys | {"published": None, "ours": 750, "error": 50, "n": 2}
    assert {row["dimensions"] for row in rows} == {2, 256}  # FastMap's 3 is for its costs
    rows = ranks.costs(Seen(items, [], "paper")).rows
    found = {(r["method"], r["quantity"]): (r["ours"], r["published"]) for r in rows}
    # 4999 + 6 beside 5000 + 4; 1800 + 4 beside 1698 + 512, 2300 + 4 beside 1690 + 512
    assert found["FastMap", "total_distances"] == (5004, 5545)
    assert found["FastMap", "dimensions"] == (2, 11)
    assert found["BoostMap-Fe-Ra-QI", "dimensions"] == ((2 + 256) / 2, 256)
    assert found["BoostMap-Fe-Ra-QI", "candidates_p"] == ((1800 + 1690) / 2, 1698)
    assert found["BoostMap-Fe-Ra-QI", "embedding_distances"] == ((4 + 512) / 2, 512)
    rows = ranks.costs_by_k(Seen(items)).rows
    keys = {"k": 10, "of queries, %": 98, "method": "BoostMap-Fe-Ra-QI"}
    assert of(rows, **keys)["ours"] == (1804 + 2202) / 2


def test_ratios_are_taken_draw_by_draw():
    items = [
        *(planted("FastMap", r, 16, k10=(400, 1, 1)) for r in (0, 1)),
        *(planted("FastMap, clipped", r, d, k10=(400, 1, 1)) for r in (0, 1) for d in (16, 32)),
        *(planted("BoostMap-Fe-Ra-QI", r, d, d == 32, k10=(200 + 400 * r, 1, 1))
          for r in range(3) for d in (4, 16, 32)),
        *(planted("BoostMap-Fe-Se-QI", r, d, d == 32, k10=(300 + 600 * r, 1, 1))
          for r in range(3) for d in (4, 32)),
        *(planted("BoostMap-Fe-Se-QI, k' = 16", r, 4, k10=(150 + 300 * r, 1, 1)) for r in (0, 1)),
    ]  # fmt: skip
    rows = ranks.other_k(Seen(items)).rows
    found = {
        (r["ratio"], r["dimensions"]): r for r in rows if (r["k"], r["percentile"]) == (10, 95)
    }
    # 0.5 and 1.5 of two draws; clipped FastMap counts beyond FastMap's 16
    row = found["BoostMap-Fe-Ra-QI / FastMap", 16]
    assert (row["ours"], row["error"], row["n"]) == (1.0, pytest.approx(0.5), 2)
    assert list(found)[1:] == [
        ("BoostMap-Fe-Ra-QI / FastMap, clipped", 32),
        ("BoostMap-Fe-Se-QI / FastMap, clipped", 32),
        ("BoostMap-Fe-Se-QI / BoostMap-Fe-Ra-QI", 32),
    ]
    assert {r["k"] for r in rows} == {1, 10, 100}
    shares = [
        {"quantity": trainings.NEARER, "share": s, "sizes": {"k_most": m}}
        for s, m in ((98.0, 4), (99.0, 4), (50.0, 16))
    ]
    in_8 = [
        planted(f"BoostMap-Fe-{t}-QI", 7, 8, k10=(r, 1, 1)) for t, r in (("Ra", 50), ("Se", 60))
    ]
    rows = ranks.selective(Seen([*items, *in_8, *shares])).rows
    assert of(rows, quantity=trainings.NEARER)["ours"] == 98.5
    keys = {"k": 10, "percentile": 95, "dimensions": 4}
    ratio = "BoostMap-Fe-Se-QI / BoostMap-Fe-Ra-QI"
    row = of(rows, ratio=ratio, **keys)
    assert (row["ours"], row["error"], row["n"]) == (1.5, 0, 3)
    row = of(rows, ratio=ratio, **keys | {"dimensions": 8})  # the one draw that has 8
    assert (row["ours"], row["n"]) == (1.2, 1)
    row = of(rows, ratio="BoostMap-Fe-Se-QI, k' = 16 / BoostMap-Fe-Se-QI", **keys)
    assert (row["ours"], row["n"]) == (0.5, 2)


VARIANTS = [f"BoostMap-{v}-{s}" for v in ("Fe-Ra", "Fe-Se", "Pa-Se") for s in ("QI", "QS")]


def test_tables_1_and_2_and_the_curves():
    items = [
        planted(method, draw, k1=(10 * place + 2 * draw, 0, 7))
        for place, method in enumerate(VARIANTS)
        for draw in (0, 1)
    ]
    items += [planted(m, 0, 8, False, k1=(999, 0, 0)) for m in VARIANTS[::2]]  # not whole
    first, second = (f(Seen(items, [], "paper")).rows for f in (ranks.table1, ranks.table2))
    assert len(first) == len(second) == 24
    keys = {"k": 1, "percentile": 95}
    row = of(first, distance="QS", triples="Ra", **keys)
    assert (row["ours"], row["error"], row["published"]) == (11, 1, 38)
    assert [(r["distance"], r["triples"]) for r in first[::6]] == [
        ("QI", "Ra"), ("QI", "Se"), ("QS", "Ra"), ("QS", "Se")
    ]  # fmt: skip
    assert [list(rows[0])[:2] for rows in (first, second)] == [
        ["distance", "triples"], ["triples", "distance"]
    ]  # fmt: skip
    assert {r["published"] for r in ranks.table1(Seen(items)).rows} == {None}
    for name, panels in (("figure6", "QI QI QS QS"), ("figure7", "Ra Ra Se Se")):
        gathered = VIEWS[name].gather(Seen(items))
        lines = [line for line in gathered.drawing if line["k"] == 1]
        assert [line["panel"] for line in lines] == panels.split()
        assert lines[0]["method"] == "BoostMap-Fe-Ra-QI" and lines[0]["values"][94] == 1
        assert of(gathered.rows, method="BoostMap-Fe-Se-QS", **keys)["ours"] == 31
    methods = [line["method"][9:] for line in VIEWS["figure9"].gather(Seen(items)).drawing[::3]]
    assert methods == ["Fe-Se-QI", "Pa-Se-QI", "Fe-Se-QS", "Pa-Se-QS"]


def with_errors():
    """Two trainings; the chamfer distance has no chance in it."""
    tail = [4.8, 4.75, 4.7, 4.64]
    items = [{"method": "chamfer distance", "errors": [5.59, *tail]}]
    for place, method in enumerate(VARIANTS[2:]):
        for draw in (0, 1):
            wrong = [6.0 + place + draw, 4.0, 4.1, 4.684, 5.0 + 2 * draw]
            factor = 1 + (place > 1) + draw * (place > 1)  # the ranks of Pa: twice and 3 times
            high = [factor * 100] * 3
            item = planted(method, draw, errors=wrong, k1=high, k10=high, k100=high)
            for k in item["ranks"]:
                item["ranks"][k] = [factor * rank for rank in range(1, 101)]
            items.append(item)
    return Seen(items, [], "paper")


def test_error_curves_and_table_3():
    for name, methods in (
        ("figure8", ["BoostMap-Pa-Se-QI", "BoostMap-Pa-Se-QS"]),
        ("figure10", [VARIANTS[i] for i in (2, 4, 3, 5)]),
        ("figure11", ["chamfer distance", "BoostMap-Pa-Se-QS"]),
    ):
        gathered = VIEWS[name].gather(with_errors())
        assert [line["method"] for line in gathered.drawing] == methods
        assert [r["k"] for r in gathered.rows[:3]] == [1, 3, 5]
        assert len(gathered.rows) == 3 * len(methods) and gathered.rows[-3]["ours"] == 9.5
    rows = errors.table3(with_errors()).rows
    shown = [(r["method"], r["at k"], r["published"], r["ours"], r["error"]) for r in rows]
    assert shown == [
        ("chamfer distance", 1, 5.47, 5.59, 0.0),
        ("chamfer distance", 5, 4.63, 4.64, 0.0),
        ("BoostMap-Pa-Se-QS", 1, 5.35, 9.5, 0.5),
        ("BoostMap-Pa-Se-QS", 2, 4.68, 4.0, 0.0),
    ]


def test_paired_differences_are_those_of_each_training():
    gathered = errors.paired(with_errors())
    row = of(gathered.rows, difference="Pa-Se-QS minus Pa-Se-QI", k=1)
    assert (row["ours"], row["error"], row["n"]) == (1.0, 0.0, 2)
    row = of(gathered.rows, difference="Pa-Se-QS minus chamfer distance", k=5)
    assert (row["ours"], row["error"]) == (pytest.approx(6 - 4.64), pytest.approx(1))
    row = of(gathered.rows, difference="Pa-Se-QS minus Pa-Se-QI", k="all")
    assert row["ours"] == 0.25  # 1 of k = 1, 0 of 3, 4 and 5; 2 is left out
    assert "Pa-Se-QS minus Pa-Se-QI: negative at 0 of the 5 k from 1 on." in gathered.notes
    for k in (1, 10, 100, "all"):
        row = of(gathered.rows, difference="ranks: Pa-Se-QI over Fe-Se-QI, %", k=k)
        assert row["ours"] == pytest.approx(150) and row["n"] == 2  # 100 and 200 % higher


def test_rows_of_the_remarks():
    items = [
        {"part": "triangle", remarks.BROKEN: 0.25, remarks.DETOUR: 1.5},
        {"part": "times", "milliseconds": {"FastMap, embed": [1.0, 3.0]}},
        *(
            {"part": "splitters", "sizes": {"d": d}, "same": s, "chance": 100 / d}
            for d, s in ((4, 40.0), (4, 50.0), (32, 20.0), (32, 10.0))
        ),
    ]
    rows = remarks.remarks(Seen(items, [], "paper")).rows
    assert [(r["quantity"], r["ours"], r["n"]) for r in rows] == [
        (remarks.BROKEN, 0.25, 1),
        (remarks.DETOUR, 1.5, 1),
        ("milliseconds a query: FastMap, embed", 2.0, 2),
        (remarks.SAME, 15.0, 2),
        (remarks.BY_CHANCE, 3.125, 1),
        (f"{remarks.SAME}, of 4 embeddings", 45.0, 2),
        (f"{remarks.BY_CHANCE}, of 4 embeddings", 25.0, 1),
    ]
