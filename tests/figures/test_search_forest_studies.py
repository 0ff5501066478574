"""The search forest's studies where no small cell reaches: no tree, hnswlib, times, half a billion.

That cells give the numbers that they gave is held by test_probes.py.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from agreement import NAMES
from scipy.special import expit, logit
from toy_sets import hnswlib_of, provide, ticking

from paper_figures.search_forest import classes, growth, lookup, methods, points, recall, table1
from paper_figures.study import Job
from refimpl.rivals.spectral_hashing import spectral_hashing

N, M = 150, 24  # points and queries
AT = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 6, "counts": (2, 4, 6)}


@pytest.fixture(params=NAMES)
def job(request):
    return Job(0, request.param, None, ("forest toy",))


@pytest.fixture
def labels(monkeypatch):
    """The classes of the points of the data set "forest toy", and of its queries."""
    rng = np.random.default_rng(8)
    y = rng.integers(3, size=N + M)
    provide(monkeypatch, "forest toy", rng.normal(size=(N + M, 5)), y, N)
    return y[:N], y[N:][:20]


# ------------------------------------------------------------------------------------- the forest


def test_a_forest_of_no_tree_returns_nothing(job, labels, monkeypatch):
    """It is built once, in 2.5 seconds, and read in both ways."""
    monkeypatch.setattr(recall, "perf_counter", ticking(5.0, 7.5))
    shape = {"n_train": 100, "max_depth": 5, "trees": 3}
    how = {"part": "forest", "draws": 1, "settings": [0.97], "shape": shape, "sample": 90}
    for item in recall.recalls(job, method="any", **how, **AT):
        assert item["seconds"] == 2.5
        assert item["recall"].tolist() == [0, 0, 0] and item["candidates"] == 0
        assert (item["of_forest"], item["leaves"]) == (0, 0.0)
        assert np.asarray(item["compared"]).tolist() == [0, 0, 0]


def test_other_errors_of_the_training_are_not_hidden():
    def broken():
        raise ValueError("something else")

    with pytest.raises(ValueError, match="something else"):
        methods.grown(5, broken)


# --------------------------------------------------------------------------------- similar classes


def test_hnswlib_is_asked_if_it_is_installed(job, labels, monkeypatch):
    asked = hnswlib_of(monkeypatch, classes)
    how = {"search": "hnswlib", "draws": 1, "n_train": 60, "forest": {}}
    (item,) = classes.classes(job, hnswlib="1", **how, **AT)
    points, queries = labels  # each query is given the first points
    shares = [100 * np.mean([(points[:n] == z).mean() for z in queries]) for n in (2, 4, 6)]
    assert item["recall"] == pytest.approx(shares)
    of_graph = {"max_elements": N, "M": 16, "ef_construction": 200, "random_seed": classes.SEED}
    assert asked == {"space": "l2", "dim": 3, "ef": 12} | of_graph
    absent = classes.classes(job, hnswlib=None, **how, **AT)
    assert list(absent) == [{"draw": 0, "missing": "hnswlib"}]


# --------------------------------------------------------------------------------------- the lookup


def test_a_lookup_by_a_loop(job, labels):
    at = {key: AT[key] for key in ("data_set", "d", "queries", "K")}
    problem = points.whole(job, **at)
    model = spectral_hashing(problem.X, 9)
    codes, of_queries = (model.eigenfunctions(part) > 0 for part in problem[:2])
    found = [set(np.flatnonzero((codes != query).sum(axis=1) <= 1)) for query in of_queries]
    order = job.rng_for("lookup", "forest toy").permutation(N)
    seen = list(lookup.lookup(job, bits=9, smallest=40, **at))
    assert [item["items"] for item in seen] == [40, 80, N]
    for item in seen:
        failed = [100 * found_by.isdisjoint(order[: item["items"]]) for found_by in found]
        assert item[lookup.FAILED][0] == pytest.approx(np.mean(failed))


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


def test_the_index_of_the_timing_holds_every_code():
    rng = np.random.default_rng(0)
    codes = rng.integers(2**64, size=(90, 2), dtype=np.uint64)
    (starts, items), _ = table1.synthetic_index(codes, 18, 4, 2, rng)
    words = table1.words_of_codes(codes, 18, 4)
    for i, of_code in enumerate(words):
        whole = int(codes[i, 0]) + (int(codes[i, 1]) << 64)
        for m, word in enumerate(of_code):
            assert word == 16 * m + (whole >> 4 * m & 15)
            assert i in items[starts[word] : starts[word + 1]]
    assert len(starts) == 18 * 16 + 1 and starts[-1] == 18 * 90
    assert (np.diff(starts) >= 0).all() and sorted(items[:90]) == list(range(90))


# ------------------------------------------------------------------------------------------- growth


@pytest.mark.parametrize("index", growth.LISTS)
def test_leaves_grow_with_the_items_unless_they_are_divided_more_finely(job, index, monkeypatch):
    """Two passes over ten queries take 5 and 2.5 seconds."""
    for name, value in {"LEAF": 4, "TREES": 3, "DIMENSION": 2}.items():
        monkeypatch.setattr(growth, name, value)

    def candidates(n, divided):
        monkeypatch.setattr(growth, "thread_time", ticking(0.0, 5.0, 10.0, 12.5))
        (value,) = growth.growth(job, index=index, n=n, divided=divided, queries=10, passes=2)
        assert value["seconds"] == [0.5, 0.25]
        return value["candidates"]

    assert candidates(512, 64) > 3 * candidates(64, 64) > 0
    assert candidates(512, 64) > candidates(512, 512)
