"""The search forest's studies on small sets, by sets and loops."""

from types import SimpleNamespace

import numpy as np
import pytest
from agreement import NAMES
from scipy.special import expit, logit
from toy_sets import hnswlib_of, provide, ticking

from paper_figures.search_forest import (
    classes,
    growth,
    lookup,
    methods,
    planes,
    points,
    readings,
    recall,
    table1,
)
from paper_figures.study import Job
from refimpl.rivals.spectral_hashing import spectral_hashing

N, M = 150, 24  # points and queries
SET = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 6}
COUNTS = (4, 10, 30)
FOREST = {"n_train": 100, "max_depth": 5, "trees": 3}


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """Let the studies load the data set "forest toy"."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(N + M, 5)) * [5.0, 3.0, 2.0, 1.0, 0.1] + 7.0
    y = rng.integers(3, size=N + M)
    X[:, 2] += y
    provide(monkeypatch, "forest toy", X, y, N)
    for module in (classes, points):
        monkeypatch.setattr(module, "HELD_OUT", 20)


@pytest.fixture(params=NAMES)
def job(request):
    return Job(0, request.param, None, ("forest toy",))


@pytest.fixture
def one_job():
    return Job(0, NAMES[-1], None, ("forest toy",))


@pytest.fixture
def problem(one_job):
    return points.whole(one_job, **SET, counts=COUNTS)


def read(job, part, settings, shape, draws=1):
    """The observations of a cell by reading and draw."""
    how = {"method": "any", "part": part, "draws": draws, "settings": settings, "shape": shape}
    seen = recall.recalls(job, sample=90, counts=COUNTS, **how, **SET)
    return {(item["reading"], item["draw"]): item for item in seen}


def of_sets(near, of_points, of_queries):
    """Mean sizes and each query's recalls of its first 0, 1, 2, ... leaves together."""
    sizes, recalls = [0.0], [np.zeros(len(near))]
    for m in range(1, of_points.shape[1] + 1):
        found = [np.flatnonzero((of_points[:, :m] == mine[:m]).any(axis=1)) for mine in of_queries]
        sizes.append(np.mean([len(ids) for ids in found]))
        hits = [len({*ids} & {*row}) for ids, row in zip(found, near, strict=True)]
        recalls.append(100 * np.array(hits) / near.shape[1])
    return sizes, np.array(recalls)


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


def test_a_forest_of_no_tree_returns_nothing(one_job, monkeypatch):
    """It is built once, in 2.5 seconds, and read in both ways."""
    monkeypatch.setattr(recall, "perf_counter", ticking(5.0, 7.5))
    for item in read(one_job, "forest", [0.97], FOREST).values():
        assert item["seconds"] == 2.5
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
