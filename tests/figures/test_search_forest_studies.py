"""The search forest's studies on small sets, by sets and loops, and the rows of planted numbers."""

from types import SimpleNamespace

import forest_toy
import numpy as np
import pytest
from forest_toy import N, forest_of, ranked
from pictures import curves as lines_of
from pictures import picture, shown
from scipy.special import expit, logit
from toy_sets import components, hnswlib_of, ticking

from paper_figures.search_forest import (
    balance,
    classes,
    curves,
    dimensions,
    growth,
    lookup,
    methods,
    planes,
    points,
    readings,
    recall,
    splits,
    table1,
)
from paper_figures.study import Seen
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import selection, to_terms

WHOLE, RANKED = methods.SETS, methods.RANKED
SET = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 6}
COUNTS = (4, 10, 30)
SMALL = [2, 6, 18]  # 0.6 of them, for a trial of 90 of 150 points
FOREST = {"n_train": 100, "max_depth": 5, "trees": 3}


def drawn_by(plot, gathered):
    """Return the title and the lines of each panel."""
    figure = picture(plot, None, gathered.rows)
    return [(axis.get_title(), lines_of(axis)) for axis in shown(figure.axes) if axis.lines]


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setattr(classes, "HELD_OUT", 20)
    return forest_toy.points(monkeypatch)


@pytest.fixture(params=forest_toy.NAMES)
def job(request):
    return forest_toy.job(request.param)


@pytest.fixture
def one_job():
    return forest_toy.job()


@pytest.fixture
def problem(one_job):
    return points.whole(one_job, **SET, counts=COUNTS)


def read(job, part, settings, shape, draws=1):
    """The observations of a cell by reading and draw."""
    how = {"method": "any", "part": part, "draws": draws, "settings": settings, "shape": shape}
    seen = recall.recalls(job, sample=90, counts=COUNTS, **how, **SET)
    return {(item["reading"], item["draw"]): item for item in seen}


def check_recall(item, of_queries):
    mean = of_queries.mean(axis=0)
    assert 0 < mean[0] < mean[-1]
    np.testing.assert_allclose(item["recall"], mean)
    error = np.sqrt(((of_queries - mean) ** 2).sum(axis=0) / (len(of_queries) - 1))
    np.testing.assert_allclose(item["error"], error / np.sqrt(len(of_queries)))


def of_lists(near, lists, counts):
    """Recall of each query at each count, of lists in their order."""
    return 100 * np.array(
        [
            [len({*ids[:count]} & {*row}) / len(row) for count in counts]
            for ids, row in zip(lists, near, strict=True)
        ]
    )


def check_list(item, problem, lists):
    check_recall(item, of_lists(problem.near, lists, COUNTS))
    returned = [np.mean([len(ids[:count]) for ids in lists]) for count in COUNTS]
    np.testing.assert_allclose(item["returned"], returned)
    assert item["candidates"] == pytest.approx(np.mean([len(ids) for ids in lists]))


def of_sets(near, of_points, of_queries):
    """Mean sizes and each query's recalls of its first 0, 1, 2, ... leaves together."""
    sizes, recalls = [0.0], [np.zeros(len(near))]
    for m in range(1, of_points.shape[1] + 1):
        found = [np.flatnonzero((of_points[:, :m] == mine[:m]).any(axis=1)) for mine in of_queries]
        sizes.append(np.mean([len(ids) for ids in found]))
        hits = [len({*ids} & {*row}) for ids, row in zip(found, near, strict=True)]
        recalls.append(100 * np.array(hits) / near.shape[1])
    return sizes, np.array(recalls)


def check_sets(item, problem, of_points, of_queries, a_tree):
    """`a_tree` is what a query is compared with in a tree."""
    sizes, recalls = of_sets(problem.near, of_points, of_queries)
    check_recall(item, np.array([np.interp(COUNTS, sizes, of_query) for of_query in recalls.T]))
    trees = np.interp(COUNTS, sizes, np.arange(len(sizes)))
    np.testing.assert_allclose(item["trees"], trees)
    np.testing.assert_allclose(item["compared"], a_tree * trees)
    np.testing.assert_allclose(item["returned"], np.minimum(COUNTS, sizes[-1]))
    assert item["candidates"] == pytest.approx(sizes[-1])


# ------------------------------------------------------------------------------------------- points


def test_points_lie_on_components_of_the_database_at_unit_size(toy, problem):
    Z = components(toy, N, 3)
    Z /= np.sqrt((Z[:N] ** 2).sum() / N)
    signs = np.sign(problem.X[0] * Z[0])
    np.testing.assert_allclose(problem.X, Z[:N] * signs, atol=1e-5)
    np.testing.assert_allclose(problem.Q, Z[N:][:20] * signs, atol=1e-5)
    assert problem.X.dtype == problem.Q.dtype == np.float32 and problem.K == 6
    for q, row in zip(problem.Q.astype(float), problem.near, strict=True):
        squares = ((problem.X - q) ** 2).sum(axis=1)
        assert row.tolist() == np.argsort(squares, kind="stable")[:6].tolist()


def test_a_trial_is_a_part_of_the_database_and_smaller_alike(one_job, problem):
    """90 of 150 points: K and the counts shrink to 0.6 of 6 and of 4, 10, 30, and at least 1."""
    small = points.trial(one_job, 90, data_set="forest toy", d=3, K=6, counts=COUNTS)
    order = one_job.rng_for("trial", "forest toy").permutation(N)
    np.testing.assert_array_equal(small.Q, problem.X[order[:20]])
    np.testing.assert_array_equal(small.X, problem.X[order[20:110]])
    assert (small.K, small.share, small.counts) == (4, 0.6, SMALL)
    for q, row in zip(small.Q.astype(float), small.near, strict=True):
        squares = ((small.X - q) ** 2).sum(axis=1)
        assert row.tolist() == np.argsort(squares, kind="stable")[:4].tolist()
    tiny = points.trial(one_job, 15, data_set="forest toy", d=3, K=4, counts=(1, 4))
    assert (tiny.near.shape, tiny.counts) == ((20, 1), [1, 1])


# ------------------------------------------------------------------------------------- the forest


@pytest.mark.parametrize(("K", "expected"), [(1, 1), (2, 1), (5, 2), (6, 3)])
def test_the_neighbours_of_a_part_shrink_with_it_to_at_least_1(one_job, monkeypatch, K, expected):
    """5 of 10 points: half of K, to the nearest integer, halves to the even one."""

    class Asked(Exception):
        pass

    def similarity(X, k, **options):
        raise Asked(len(X), k)

    monkeypatch.setattr(methods, "neighbor_similarity", similarity)
    X = np.arange(20.0).reshape(10, 2)
    with pytest.raises(Asked) as asked:
        near = np.zeros((1, K), dtype=np.int64)
        of = points.Problem(X, X[:1], near, (1,))
        methods.build_forest(one_job, of, 0.1, 0, n_train=5, trees=1, max_depth=2)
    assert asked.value.args == (5, expected)


def check_forest(item, problem, forest):
    if item["reading"] == RANKED:
        check_list(item, problem, ranked(selection(forest, problem.Q, problem.X)))
        assert np.asarray(item["compared"]).tolist() == [len(forest.c) * 5] * 3
    else:
        leaves = (to_terms(forest, part) for part in problem[:2])
        check_sets(item, problem, *leaves, 5)


def test_the_forests_curves(job, problem, monkeypatch):
    """Two forests, each learnt once, in 2.5 and in 4 s, are read in both ways."""
    monkeypatch.setattr(recall, "perf_counter", ticking(5.0, 7.5, 10.0, 14.0))
    seen = read(job, "forest", [0.05], FOREST, draws=2)
    for (_, draw), item in seen.items():
        forest = forest_of(job, problem.X, 6, 0.05, draw)
        check_forest(item, problem, forest)
        trees = len(forest.c)
        assert (item["of_forest"], item["leaves"]) == (trees, forest.n_words / trees)
        assert (item["setting"], item["tried"]) == (0.05, [])
        assert item["seconds"] == (2.5, 4.0)[draw]
    assert len(seen) == 4


def test_a_forest_of_no_tree_returns_nothing(one_job):
    for item in read(one_job, "forest", [0.97], FOREST).values():
        assert item["recall"].tolist() == [0, 0, 0] and item["candidates"] == 0
        assert (item["of_forest"], item["leaves"]) == (0, 0.0)
        assert np.asarray(item["compared"]).tolist() == [0, 0, 0]


def test_other_errors_of_the_training_are_not_hidden():
    def broken():
        raise ValueError("something else")

    with pytest.raises(ValueError, match="something else"):
        methods.grown(5, broken)


def test_a_random_plane_halves_the_points(one_job):
    X = np.random.default_rng(1).normal(size=(10, 3))
    split = planes.random_plane(X, np.random.default_rng(0), one_job.kernels)
    assert split.left.sum() == 5 and np.linalg.norm(split.p) == pytest.approx(1)
    assert split.left.tolist() == (X @ split.p + split.b > 0).tolist()
    other = planes.random_plane(X, np.random.default_rng(1), one_job.kernels)
    assert not np.allclose(other.p, split.p)


def test_a_principal_plane_lies_across_a_direction_of_much_variance(one_job):
    """Of seven coordinates five vary by much, each by its own amount."""
    X = np.random.default_rng(1).normal(size=(4000, 7)) * [9, 0.1, 7, 5, 0.2, 3, 4]
    drawn = {
        int(np.abs(planes.principal_plane(X, np.random.default_rng(i), one_job.kernels).p).argmax())
        for i in range(40)
    }
    assert drawn == {0, 2, 3, 5, 6}
    split = planes.principal_plane(X, np.random.default_rng(0), one_job.kernels)
    assert split.left.sum() == 2000 and np.abs(split.p).max() > 0.99


def test_a_plane_of_2_means_parts_two_clusters(one_job):
    X = np.array([[0.0, 0], [0, 1], [1, 0], [10, 10], [10, 11]])
    for seed in range(5):
        split = planes.two_means_plane(X, np.random.default_rng(seed), one_job.kernels)
        assert split.left[0] == split.left[1] == split.left[2] != split.left[3] == split.left[4]
    # half-way between the means (1/3, 1/3) and (10, 10.5)
    middle = np.array([31 / 6, 65 / 12])
    assert split.p @ middle + split.b == pytest.approx(0, abs=1e-9)


# ---------------------------------------------------------------------------------------- readings


def test_unions_of_whole_lists_by_sets():
    """Tree by tree against sets, with empty lists among them."""
    rng = np.random.default_rng(0)
    of_points = rng.integers(4, size=(40, 5)) + 4 * np.arange(5)
    of_queries = rng.integers(4, size=(12, 5)) + 4 * np.arange(5)
    of_queries = np.where(rng.random((12, 5)) < 0.2, -1, of_queries)
    near = np.array([rng.choice(40, 6, replace=False) for _ in range(12)])
    lists = [np.flatnonzero((of_points == word).any(axis=1)) for word in range(20)]
    lengths = np.array([len(members) for members in lists])
    ends = np.cumsum(lengths)
    members = np.concatenate(lists)
    sizes, recalls = readings.union_curve(ends - lengths, ends, members, of_queries, near, 40)
    expected = of_sets(near, of_points, of_queries)
    np.testing.assert_allclose(sizes, expected[0][1:])
    np.testing.assert_allclose(100 * recalls.T, expected[1][1:])


def test_recall_between_two_numbers_of_trees_is_interpolated():
    """0 items have 0; 10 items .4 and .6 of two queries; 30 items .6 and .8; there are no more."""
    curve = (np.array([10.0, 30.0]), np.array([[0.4, 0.6], [0.6, 0.8]]))
    value = readings.whole_sets(curve, [0, 5, 10, 20, 30, 99], 7.0)
    assert value["recall"] == pytest.approx([0, 25, 50, 60, 70, 70])
    # the queries differ by 0, 10, 20, 20, 20, 20: half of it is the error of their mean
    assert value["error"] == pytest.approx([0, 5, 10, 10, 10, 10])
    assert value["trees"] == pytest.approx([0, 0.5, 1, 1.5, 2, 2])
    assert value["compared"] == pytest.approx([0, 3.5, 7, 10.5, 14, 14])
    assert value["returned"] == pytest.approx([0, 5, 10, 20, 30, 30]) and value["candidates"] == 30


def test_the_error_over_draws_and_queries():
    """Draws of 40 and 44: a variance of 8 / 2; the queries' errors are 3 on average, 9 together.

    13 of them in all have 13^2 / (4^2 / 1 + 9^2 / 99) = 10.05 degrees of freedom.
    """
    row = readings.over_draws([40.0, 44.0], [2.0, 4.0], 100)
    assert row == {"ours": 42.0, "error": pytest.approx(13**0.5), "n": 11}
    assert readings.over_draws([40.0], [2.0], 100) == {"ours": 40.0, "error": 2.0, "n": 100}
    assert readings.over_draws([40.0, 40.0], [2.0, 2.0], 100)["n"] == 100
    assert readings.over_draws([0.0], [0.0], 9) == {"ours": 0.0, "error": 0.0, "n": 9}
    # without an error of the queries the draws alone count
    assert readings.over_draws([1.0, 3.0, 5.0], [0.0] * 3, 100)["n"] == 3


# --------------------------------------------------------------------------------- similar classes

OF_CLASS = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 12, "counts": (4, 12)}
LEARNS = {"lams": (0.3, 0.9, 0.05), "max_depth": 3, "trees": 3, "sample": 90}


def searched(job, search, hnswlib=None, draws=1):
    how = {"search": search, "draws": draws, "n_train": 60, "forest": LEARNS, "hnswlib": hnswlib}
    return list(classes.classes(job, **how, **OF_CLASS))


def share(lists, y, z, counts):
    """Return the share of class z[i] in the first items of list i; what is missing is wrong."""
    pairs = list(zip(lists, z, strict=True))
    return [100 * np.mean([(y[ids[:n]] == mine).sum() / n for ids, mine in pairs]) for n in counts]


def nearest(X, Q, k):
    squares = ((Q[:, np.newaxis].astype(float) - X) ** 2).sum(axis=2)
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


def with_labels(job):
    labels = job.load("forest toy").y
    problem = points.whole(job, **OF_CLASS)
    return problem.X, problem.Q, labels[:N], labels[N:][:20]


def test_the_share_of_a_class_counts_what_is_not_returned():
    """Query 0 of class 7 gets 7, 8, 7; query 1 of class 8 gets one item, of class 8; 2 nothing."""
    starts, items = np.array([0, 3, 4, 4]), np.array([0, 1, 2, 1])
    found = classes.of_class(starts, items, np.array([7, 8, 7]), np.array([7, 8, 7]), (1, 2, 4))
    np.testing.assert_allclose(found, [[1, 1 / 2, 2 / 4], [1, 1 / 2, 1 / 4], [0, 0, 0]])


def test_hnswlib_is_asked_if_it_is_installed(job, monkeypatch):
    asked = hnswlib_of(monkeypatch, classes)
    X, Q, y, z = with_labels(job)
    (item,) = searched(job, "hnswlib", hnswlib="1")
    assert item["recall"] == pytest.approx(share(nearest(X[:24], Q, 12), y, z, (4, 12)))
    of_graph = {"max_elements": N, "M": 16, "ef_construction": 200, "random_seed": classes.SEED}
    assert asked == {"space": "l2", "dim": 3, "ef": 24} | of_graph
    assert searched(job, "hnswlib") == [{"draw": 0, "missing": "hnswlib"}]


# --------------------------------------------------------------------------------------- the lookup


@pytest.mark.parametrize("bits", [3, 9])
def test_a_lookup_by_a_loop(job, problem, bits):
    model = spectral_hashing(problem.X, bits)
    codes = model.eigenfunctions(problem.X) > 0
    found = [
        {i for i, code in enumerate(codes) if (code != query).sum() <= 1}
        for query in model.eigenfunctions(problem.Q) > 0
    ]
    order = job.rng_for("lookup", "forest toy").permutation(N)
    seen = list(lookup.lookup(job, bits=bits, smallest=40, **SET))
    assert [item["items"] for item in seen] == [40, 80, N]
    for item in seen:
        among = set(order[: item["items"]].tolist())
        failed = np.array([100.0 * (not ids & among) for ids in found])
        assert item[lookup.FAILED] == pytest.approx((failed.mean(), failed.std(ddof=1) / 20**0.5))
    hits = [len(ids & set(row.tolist())) / 6 for ids, row in zip(found, problem.near, strict=True)]
    assert seen[-1][lookup.RECALL][0] == pytest.approx(100 * np.mean(hits)) and np.mean(hits) > 0
    assert seen[-1][lookup.RETURNED][0] == pytest.approx(np.mean([len(ids) for ids in found]))
    assert lookup.RECALL not in seen[0]


def test_failures_are_extrapolated_along_a_line_of_their_logit():
    items = [1000, 2000, 4000, 8000]
    exact = 100 * expit(3 - 0.5 * np.log(np.array(items) / 1000))
    row = lookup.extrapolated(items, exact.tolist(), 10**6)
    assert row["ours"] == pytest.approx(100 * expit(3 - 0.5 * np.log(500_000)))
    assert row["error"] == pytest.approx(0, abs=1e-9) and row["n"] == 3
    # the error of the prediction, by NumPy's covariance of the line
    rough = (exact - [0, 3, 0, 3]).tolist()
    (slope, level), covariance = np.polyfit(
        np.log(items), logit(np.array(rough) / 100), 1, cov=True
    )
    at = np.array([np.log(500_000_000), 1.0])
    value = expit(slope * at[0] + level)
    row = lookup.extrapolated(items, rough, 10**6)
    assert row["ours"] == pytest.approx(100 * value)
    error = 100 * value * (1 - value) * (at @ covariance @ at) ** 0.5
    assert row["error"] == pytest.approx(error)
    # without two shares in between there is no line
    assert lookup.extrapolated(items, [100.0, 100.0, 100.0, 99.0], 1000) is None
    assert lookup.extrapolated(items[:2], [50.0, 40.0], 1000) is None


# ------------------------------------------------------------------------------------------- times


@pytest.mark.parametrize("bits", [12, 68])
def test_times_are_medians_of_single_queries(job, monkeypatch, bits):
    """Eleven queries: of nine scans the fifth longest is taken, of all eleven walks the sixth."""
    scans = [9.0, 1.0, 8.0, 2.0, 5.0, 3.0, 7.0, 4.0, 6.0]
    walks = [20.0, 10.0, 11.0, 12.0, 19.0, 18.0, 15.0, 13.0, 14.0, 17.0, 16.0]
    clock = [t for seconds in (*scans, *walks) for t in (100.0, 100.0 + seconds)]
    slower = [t for seconds in (*scans, *walks) for t in (100.0, 100.0 + 2 * seconds)]
    monkeypatch.setattr(table1, "perf_counter", ticking(*clock, *slower))
    scanned, gathered = [], []
    real = job.kernels

    def hamming_nearest(queries, codes, k, **how):
        scanned.append((queries.copy(), np.array(codes), k, how))
        return real.hamming_nearest(queries, codes, k, **how)

    def gather_candidates(*arguments, **how):
        found = real.gather_candidates(*arguments, **how)
        gathered.append((arguments[3].copy(), np.diff(found[0]), how))
        return found

    kernels = SimpleNamespace(
        hamming_nearest=hamming_nearest,
        gather_candidates=gather_candidates,
        forest_words=real.forest_words,
    )
    told = SimpleNamespace(rng_for=lambda *key: np.random.default_rng(0), kernels=kernels)
    seen = list(table1.times(told, bits=bits, n=200, queries=11, d=3, depth=4, passes=2))
    trees = bits // 4
    first = {"pass": 0, "scan": 5.0, "index": 15.0, "candidates": trees * 200 / 16}
    assert seen == [first, first | {"pass": 1, "scan": 10.0, "index": 30.0}]
    assert len(scanned) == 1 + 2 * 9 and len(gathered) == 1 + 2 * 11
    codes = scanned[0][1]
    assert codes.shape == (200, 1 if bits == 12 else 2)
    assert int(codes[:, -1].max()) < 2 ** (bits % 64) and len(np.unique(codes[:, 0])) > 190
    for query, _, k, how in scanned:
        assert query.shape == (1, codes.shape[1]) and (codes == query).all(axis=1).any()
        assert (k, how) == (100, {"threads": 1})
    for place, (word, found, how) in enumerate(gathered[1:10]):
        assert how["threads"] == 1 and word.shape == (1, trees)
        code = [int(part) for part in scanned[1 + place][0][0]]
        whole = sum(part << 64 * j for j, part in enumerate(code))
        assert word[0].tolist() == [m * 16 + (whole >> 4 * m & 15) for m in range(trees)]
        assert 0 < found.sum() <= 200


def test_the_index_of_the_timing_holds_every_code_in_complete_trees():
    rng = np.random.default_rng(0)
    codes = rng.integers(2**64, size=(90, 2), dtype=np.uint64)
    (starts, items), model = table1.synthetic_index(codes, 18, 4, 2, rng)
    words = table1.words_of_codes(codes, 18, 4)
    for i, of_code in enumerate(words):
        whole = int(codes[i, 0]) + (int(codes[i, 1]) << 64)
        for m, word in enumerate(of_code):
            assert word == 16 * m + (whole >> 4 * m & 15)
            assert i in items[starts[word] : starts[word + 1]]
    assert model.n_words == 18 * 16 and len(starts) == 18 * 16 + 1 and starts[-1] == 18 * 90
    assert (np.diff(starts) >= 0).all() and sorted(items[:90]) == list(range(90))

    def leaves(node, depth=0):
        if model.left[node] < 0:
            assert depth == 4
            return [int(model.word[node])]
        left = model.left[node]
        return leaves(left, depth + 1) + leaves(left + 1, depth + 1)

    assert [word for root in model.roots for word in leaves(root)] == list(range(18 * 16))
    inner = model.left >= 0
    assert sorted(model.plane[inner]) == list(range(18 * 15)) and (model.plane[~inner] == -1).all()
    assert model.planes.shape == (18 * 15, 2) and (model.c == 1).all()
    # of standard normal x a plane's w x + b is above 0 for 30 to 70 % of them, were |w| sqrt(d)
    assert np.abs(model.offset).max() <= 0.5245 * 2**0.5


def timed(bits, n, scan, index, candidates, passes=1):
    times = [{"scan": scan * f, "index": index * f} for f in (1, 1.5)[:passes]]
    return [{"bits": bits, "n": n, "candidates": candidates} | of for of in times]


def test_the_half_billion_is_extrapolated_from_the_largest_size():
    """10 million items take 0.02 and 0.03 s; 500 million are 50 times as many."""
    seen = [
        *timed(32, 10_000_000, 0.02, 0.0011, 305.4, 2),
        *timed(32, 1_000_000, 0.0023, 0.001, 30.6, 2),
        *timed(64, 1_000_000, 0.004, 0.002, 61.0),
        *timed(64, 10_000_000, 0.032, 0.002, 610.0),
        *timed(40, 1_000_000, 0.5, 0.25, 9.0),
    ]
    gathered = table1.gather(Seen(seen, scale="paper"))
    half = table1.HALF_BILLION
    rows = {(r["bits"], r["items"], r["search"]): r for r in gathered.rows}
    assert len(rows) == 14
    beyond = rows[32, half, "linear scan, extrapolated"]
    assert (beyond["ours"], beyond["published"], beyond["n"]) == (pytest.approx(1.25), 1.55, 2)
    assert beyond["error"] == pytest.approx(0.25)
    small = rows[32, 1_000_000, "forest"]
    assert (small["candidates"], small["published"]) == (31, None)
    assert small["ours"] == pytest.approx(0.00125)
    assert rows[64, half, "forest, extrapolated"]["ours"] == pytest.approx(0.1)
    assert rows[64, half, "forest, extrapolated"]["published"] == 0.009
    assert (40, half, "forest, extrapolated") not in rows
    (title, (measured, beyond, *_)), _ = drawn_by(table1.draw, gathered)
    assert title == "Linear scan" and measured == [(1, pytest.approx(0.002875)), (10, 0.025)]
    assert beyond == [(10, 0.025), (500, pytest.approx(1.25))]
    assert gathered.notes[-1] == (
        "Measured growth from 1,000,000 to 10,000,000 items, 10 times as many: linear scan 8 to "
        "8.7; forest 1 to 1.1 times."
    )


# ------------------------------------------------------------------------------------------- growth


@pytest.fixture
def grow(job, monkeypatch):
    """Two passes over ten queries, in 5 and in 2.5 seconds."""
    for name, value in {"LEAF": 4, "TREES": 3, "DIMENSION": 2}.items():
        monkeypatch.setattr(growth, name, value)

    def grown(index, n, divided):
        monkeypatch.setattr(growth, "thread_time", ticking(0.0, 5.0, 10.0, 12.5))
        (value,) = growth.growth(job, index=index, n=n, divided=divided, queries=10, passes=2)
        assert value["seconds"] == [0.5, 0.25]
        return value

    return grown


@pytest.mark.parametrize("index", growth.LISTS)
def test_leaves_grow_with_the_items_unless_they_are_divided_more_finely(grow, index):
    small, finer, larger = grow(index, 64, 64), grow(index, 512, 512), grow(index, 512, 64)
    assert larger["candidates"] > 3 * small["candidates"] > 0
    assert finer["candidates"] < larger["candidates"] / 2 or index == "LSH"
    assert finer["candidates"] < larger["candidates"]
    assert finer["compared"] > small["compared"]


@pytest.mark.parametrize("index", growth.LISTS)
def test_lists_hold_every_item_once_in_a_tree(job, index):
    X = np.random.default_rng(3).standard_normal((64, 2), dtype=np.float32)
    lists = growth.LISTS[index](job, X, 4, 3, np.random.default_rng(0))
    for tree in lists.items.reshape(3, 64):
        assert sorted(tree) == list(range(64))
    words = lists.words(X)
    assert words.shape == (64, 3) and lists.starts[-1] == 3 * 64
    if index != "forest":  # whose points' leaves are drawn
        for i, of_point in enumerate(words):
            assert all(i in lists.items[lists.starts[w] : lists.starts[w + 1]] for w in of_point)


def test_growth_of_leaves_and_of_their_number():
    """Two passes of 10 and 14 microseconds: 12, with an error of 2."""

    def grown(n, divided, seconds, compared, candidates):
        numbers = {"seconds": seconds, "compared": compared, "candidates": candidates}
        return {"index": "forest", "n": n, "divided": divided} | numbers

    seen = [
        grown(100, 100, [10e-6, 14e-6], 24.0, 9.6),
        grown(400, 400, [20e-6, 20e-6], 30.4, 10.0),
        grown(400, 100, [40e-6, 40e-6], 24.0, 39.0),
    ]
    gathered = growth.gather(Seen(seen))
    names = ("leaves", "items", "compared", "candidates", "ours", "error")
    assert [tuple(row[name] for name in names) for row in gathered.rows] == [
        (growth.FINER, 100, 24, 10, pytest.approx(12), pytest.approx(2)),
        (growth.LARGER, 100, 24, 10, pytest.approx(12), pytest.approx(2)),  # where both begin
        (growth.FINER, 400, 30, 10, pytest.approx(20), 0.0),
        (growth.LARGER, 400, 24, 39, pytest.approx(40), 0.0),
    ]
    drawn = drawn_by(growth.draw, gathered)
    assert [title for title, _ in drawn] == [f"Leaves: {growth.FINER}", f"Leaves: {growth.LARGER}"]
    for (_, lines), micro in zip(drawn, (20, 40), strict=True):
        assert lines == [[(0.1, pytest.approx(12)), (0.4, pytest.approx(micro))]]


# ------------------------------------------------------------------------------- rows of the curves

AT = {"data_set": "MNIST-10", "d": 64, "queries": 1000, "K": 100, "counts": (100, 500)}
LAM = [[0.05, 51.2], [0.1, 25.0]]


def curve(method, part, reading, numbers, setting, tried=(), draw=0, shape=None, **more):
    """An observation with an error of half a point over the queries."""
    place = {"method": method, "part": part, "reading": reading, "draw": draw}
    item = AT | place | {"setting": setting, "tried": list(tried), "shape": shape or {}}
    numbers = {"recall": numbers, "error": [0.5] * len(numbers), "candidates": 1234.5}
    return item | numbers | {"returned": list(AT["counts"]), "seconds": 12.6} | more


def a_forest(sets, listed, method=recall.FOREST, draw=0, tried=LAM, **shape):
    """A forest's observations: recalls of both readings; whole sets take 2 and 4 trees."""
    more = {
        "draw": draw,
        "tried": tried,
        "shape": FOREST | {"n_train": 20_000, "max_depth": 12} | shape,
        "of_forest": 17,
        "leaves": 4095.6,
    }
    return [
        curve(method, "forest", WHOLE, sets, 0.1, trees=[2.04, 4.08], **more),
        curve(method, "forest", RANKED, listed, 0.05, compared=[204, 204], **more),
    ]


def trees_with(regions, sets, listed, trial):
    """K-means trees of some regions; `trial` is the mean recall of their best setting."""
    name, part = f"k-means trees of {regions} regions", "k-means trees"
    tried = [[[regions, 31], trial], [[regions, 8], trial / 2]]
    return [
        curve(name, part, WHOLE, sets, [regions, 31], tried, trees=[1.0, 1.0]),
        curve(name, part, RANKED, listed, [regions, 31], tried, compared=[10.4, 99.6]),
    ]


def test_figure_1_in_both_readings_beside_what_the_text_prints():
    """The text prints 70 % of the forest and 60 % of 200 bits at 500 items, and nothing else."""
    codes = "spectral hashing 200 bits"
    short = curve(recall.LSH, "LSH", RANKED, [12.0, 20.0], [8, 2.0], compared=[1, 1])
    short["returned"] = [100, 474]  # of 500, less than 95 %
    seen = [
        *a_forest([40.0, 60.0], [50.0, 70.0]),
        *a_forest([44.0, 60.0], [50.0, 70.0], draw=1),
        *a_forest([30.0, 50.0], [40.0, 45.0], curves.AS_PRINTED, coordinates="given"),
        *trees_with(2, [20.0, 30.0], [22.0, 33.0], 0.3),
        *trees_with(8, [25.0, 61.0], [26.0, 36.0], 0.4),
        *trees_with(32, [1.0, 2.0], [1.0, 2.0], 0.35),
        curve(codes, "spectral hashing", RANKED, [30.0, 65.0], 200),
        short,
    ]
    gathered = curves.gather("figure1", Seen(seen, scale="paper"))
    rows = {(r["reading"], r["method"], r["returned"]): r for r in gathered.rows}
    names = [recall.FOREST, curves.AS_PRINTED, "k-means trees of 2 regions", "k-means trees"]
    assert list(dict.fromkeys(m for of, m, _ in rows if of == WHOLE)) == names
    assert list(dict.fromkeys(m for of, m, _ in rows if of == RANKED)) == [*names, codes, "LSH"]
    first = rows[WHOLE, recall.FOREST, 100]
    assert (first["ours"], first["trees"], first["published"]) == (42.0, 2.0, None)
    assert first["setting"] == "lambda 0.1"
    assert first["error"] == pytest.approx((8 / 2 + 0.25) ** 0.5)
    for name in names[:2]:  # either is the paper's
        assert rows[WHOLE, name, 500]["published"] == rows[RANKED, name, 500]["published"] == 70.0
    assert rows[RANKED, codes, 500]["published"] == 60.0
    assert rows[RANKED, codes, 500]["n"] == 1000
    chosen = rows[WHOLE, "k-means trees", 500]  # the regions that the trial prefers
    assert (chosen["ours"], chosen["setting"]) == (61.0, "8 regions, leaves of 31")
    assert rows[RANKED, "LSH", 500]["error"] is None and rows[RANKED, "LSH", 100]["error"] == 0.5
    assert rows[RANKED, "LSH", 100]["setting"] == "8 functions of width 2"
    assert rows[RANKED, codes, 100]["setting"] == "200 bits"
    assert gathered.drawing[0] == {
        "method": recall.FOREST,
        "reading": WHOLE,
        "counts": [100, 500],
        "recall": [42.0, 60.0],
    }
    notes = gathered.notes
    assert notes[0] == (
        "The paper's images are not available: MNIST-10 on 64 components, "
        "1000 queries that are not in the database. Recall of the 100 nearest in per cent."
    )
    assert notes[1:5] == [recall.READING, *curves.NOTES["MNIST-10"], recall.RULE]
    assert notes[5] == recall.DRAWN.format(2)
    assert notes[6] == (
        "Boosted Search Forest, whole sets: 17 trees of at most 12 levels and of 4096 leaves on "
        "average, learnt from 20000 points in 13 s; a query has 1234 candidates. Mean recall in "
        "the choice of lambda: 0.05: 51.2, 0.1: 25.0."
    )


def test_figure_2_has_its_own_printed_numbers(monkeypatch):
    monkeypatch.setitem(AT, "counts", (500, 5000))
    seen = [*a_forest([30.0, 45.0], [30.0, 45.0]), *trees_with(8, [2.0, 5.0], [2.0, 5.0], 0.5)]
    gathered = curves.gather("figure2", Seen(seen, scale="paper"))
    assert [row["published"] for row in gathered.rows] == [None, 55.0, None, 47.1] * 2
    assert curves.NOTES["tiny-images"][0] in gathered.notes
    gathered = curves.gather("figure2", Seen(seen))
    assert {row["published"] for row in gathered.rows} == {None}
    assert curves.NOTES["tiny-images"][0] not in gathered.notes


def test_a_lambda_that_is_given_has_no_choice():
    (item, _) = a_forest([1.0, 2.0], [1.0, 2.0], tried=())
    (one,) = recall.curves_of([item])
    assert curves.forest_note(one).endswith("a query has 1234 candidates.")


def test_comparisons_count_as_items():
    """Of 2 planes: at 10 and 20 items the forest has 12 and 22. The trees' curve goes from 11 to 70
    and has 42 + 18 / 59 and 42 + 18 * 11 / 59 = 45.4 there; LSH's goes from 22 to 32.
    """
    lines = [
        {"method": recall.FOREST, "counts": [10, 20], "recall": [40.0, 50.0], "compared": [2, 2]},
        {"method": "trees", "counts": [10, 20], "recall": [42.0, 60.0], "compared": [1.0, 50.0]},
        {"method": "LSH", "counts": [10, 20], "recall": [49.0, 60.0], "compared": [12, 12]},
        {"method": "ahead", "counts": [10, 20], "recall": [50.0, 70.0], "compared": [2, 2]},
        {"method": "codes", "counts": [10, 20], "recall": [99.0, 99.0]},
    ]
    (note,) = curves.cost_notes(lines)
    assert "Boosted Search Forest: at most 2 planes; trees: 1 to 50; LSH: 12; ahead: 2. " in note
    assert note.endswith("of: trees at 20 (of 2); LSH at 20 (of 1); ahead at no number (of 2).")
    assert curves.cost_notes(lines[1:]) == curves.cost_notes([lines[0], lines[-1]]) == []
    equal = [lines[0], lines[0] | {"method": "same", "recall": [40.0, 49.0]}]
    assert curves.cost_notes(equal)[0].endswith("of: same at 20 (of 2).")


def test_notes_without_the_forest():
    seen = [curve("spectral hashing 8 bits", "spectral hashing", RANKED, [1.0, 2.0], 8)]
    notes = curves.gather("figure1", Seen(seen)).notes
    assert notes[1:] == [recall.READING, recall.RULE, recall.DRAWN.format(1)]


def test_dimensions():
    def lists(d, data_set, *numbers):
        item = curve(recall.LSH, "LSH", RANKED, list(numbers), [2, 1.0], compared=[1, 1])
        return item | {"d": d, "data_set": data_set}

    few, many = a_forest([10.0, 30.0], [11.0, 31.0]), a_forest([10.0, 30.0], [11.0, 31.126])
    seen = [
        *(item | {"d": 8} for item in few),
        lists(8, "MNIST-10", 12.0, 25.0),
        *(item | {"d": 32} for item in many),
        lists(32, "MNIST-10", 1.0, 1.0),
        lists(8, "texts", 3.0, 3.0),
    ]
    gathered = dimensions.gather(Seen(seen))
    assert len(gathered.rows) == 2 * 7
    assert gathered.rows[0]["points"] == "MNIST-10" and gathered.rows[0]["components"] == 8

    assert drawn_by(dimensions.draw, gathered) == [  # the second of two numbers, the first points
        ("Whole sets: MNIST-10", [[(8, 30.0), (32, 30.0)]]),
        ("Ranked lists: MNIST-10", [[(8, 31.0), (32, 31.126)], [(8, 25.0), (32, 1.0)]]),
    ]
    assert "MNIST-10 and texts on 8, 32 components" in gathered.notes[0]
    assert gathered.notes[3] == (
        "The forest's recall less that of the others, among 100, 500 returned items. "
        "LSH, ranked lists: 8 components -1.0, +6.0; 32 components +10.0, +30.1."
    )
    assert len(dimensions.gather(Seen(seen[2:3])).notes) == 4  # no differences


def test_splits():
    """Planes of eq. 18 have an offset, moves and a last entry; those that are not learnt none."""
    seen = [
        *a_forest([1.0, 1.0], [1.0, 1.0], "eq. 18"),
        *a_forest([3.0, 1.0], [1.0, 1.0], "eq. 18", draw=1),
        *a_forest([4.0, 4.0], [4.0, 4.0], "eq. 18, x~ as printed", coordinates="given"),
        *a_forest([2.0, 2.0], [2.0, 2.0], "eq. 18, moved", offset="best", refine=10),
        *a_forest([5.0, 5.0], [5.0, 5.0], "2-means", planes="two-means"),
    ]
    gathered = splits.gather(Seen(seen))
    names = ("planes", "offset", "moves", "augment", "lambda", "leaves", "ours")
    first = [r for r in gathered.rows if (r["reading"], r["returned"]) == (WHOLE, 100)]
    assert [tuple(row[key] for key in names) for row in first] == [
        ("eq. 18", "eigenvector", 0, 0.1, 0.1, 4096, 2.0),
        ("eq. 18, x~ as printed", "eigenvector", 0, 1.0, 0.1, 4096, 4.0),
        ("eq. 18", "best", 10, 0.1, 0.1, 4096, 2.0),
        ("2-means", None, None, None, 0.1, 4096, 5.0),
    ]
    assert len(gathered.rows) == 16 and "method" not in gathered.rows[0]


def test_lookup_rows():
    at = SET | {"bits": 16}
    seen = [
        at | {"items": n, lookup.FAILED: (failed, 1.0)}
        for n, failed in ((1000, 90.0), (2000, 80.0), (4000, 70.0))
    ]
    seen.append(
        at
        | {"items": 8000, lookup.FAILED: (60.0, 1.0)}
        | {lookup.RECALL: (30.0, 2.0), lookup.RETURNED: (7.5, 0.5)}
    )
    gathered = lookup.gather(Seen(seen))
    rows = {(r["items"], r["quantity"]): r for r in gathered.rows}
    assert rows[8000, lookup.RECALL]["ours"] == 30.0 and rows[8000, lookup.RETURNED]["n"] == 20
    assert rows[1000, lookup.FAILED]["error"] == 1.0
    beyond = rows[table1.HALF_BILLION, lookup.EXTRAPOLATED]
    assert beyond["ours"] < 5 and len(rows) == 7
    assert "20 queries" in gathered.notes[0] and "the 6 nearest" in gathered.notes[0]


def test_shares_of_the_class():
    def shared(search, draw=0, *numbers, **more):
        of = OF_CLASS | {"data_set": "digits", "n_train": 600, "search": search, "draw": draw}
        return of | {"recall": list(numbers), "error": [0.5, 0.5]} | more

    model = {"of_forest": 8, "leaves": 40.4, "setting": 0.2, "tried": [[0.2, 81.26], [0.5, 70.0]]}
    seen = [
        shared("forest", 0, 90.0, 80.0, **model),
        shared("forest", 1, 94.0, 81.0, **model),
        shared("exact", 0, 91.0, 70.0),
        OF_CLASS
        | {"data_set": "digits", "search": "hnswlib", "draw": 0, "n_train": 600}
        | {"missing": "hnswlib"},
    ]
    gathered = classes.gather(Seen(seen))
    rows = {(row["method"], row["returned"]): row for row in gathered.rows}
    learnt = rows["Boosted Search Forest, learnt from classes", 4]
    assert (learnt["ours"], learnt["error"]) == (92.0, pytest.approx((8 / 2 + 0.25) ** 0.5))
    assert rows["exact Euclidean neighbours", 12]["n"] == 20
    why = "hnswlib is not installed: pip install 'refimpl[libraries]' installs it"
    assert rows["hnswlib", None]["why"] == why
    drawn = drawn_by(classes.draw, gathered)
    assert [[x for ((x, _),) in lines] for _, lines in drawn] == [[92.0, 91.0], [80.5, 70.0]]
    assert gathered.notes[0].startswith("digits on 3 components (forest and LMNN learn from 600 ")
    assert gathered.notes[2:] == [
        "digits: forest of 8 trees, 40 leaves on average, lambda 0.2 (mean share on the trial: "
        "0.2: 81.3, 0.5: 70.0)."
    ]


# ----------------------------------------------------------------------------------------- balance


def test_the_cost_of_a_tree_over_a_balanced_one():
    assert balance.over_balanced(np.array([0, 0, 1, 1])) == (1.0, 2)
    # leaves of 3, 1 and 2 of 6 items: 3 (9 + 1 + 4) / 36
    assert balance.over_balanced(np.array([5, 5, 5, 0, 7, 7])) == (pytest.approx(42 / 36), 3)


def test_rows_of_balance_are_means_and_differences_of_a_draw():
    items = [
        {"data_set": "a", "lam": 0.1, "planes": planes, "run": run, "cost": cost + run, "leaves": 8}
        for planes, cost in ((balance.LEARNT, 2.0), (balance.MEANS, 3.0))
        for run in (0, 1)
    ]
    rows = balance.gather(Seen(items, [], "paper")).rows
    assert [(row["planes"], row["quantity"], row["ours"]) for row in rows] == [
        (balance.LEARNT, balance.COST, 2.5),
        (balance.MEANS, balance.COST, 3.5),
        (balance.LEARNT, "leaves", 8.0),
        (balance.MEANS, "leaves", 8.0),
        (balance.LEARNT, balance.LESS, -1.0),
    ]
