"""The times of a query that Table 1 and `growth` measure: which calls are timed, and on what index.

Clocks are stand-ins, so that no time is asserted. Not here: the rows
(test_figures_search_forest_results.py).
"""

from types import SimpleNamespace

import forest_toy
import numpy as np
import pytest
from toy_sets import ticking

from paper_figures.search_forest import growth, timing
from refimpl.kernels import tree_leaves


@pytest.fixture(params=forest_toy.NAMES)
def job(request):
    return forest_toy.job(request.param)


@pytest.mark.parametrize("bits", [12, 68])
def test_times_are_medians_of_single_queries(job, monkeypatch, bits):
    """Eleven queries: of nine scans the fifth longest is taken, of all eleven walks the sixth."""
    scans = [9.0, 1.0, 8.0, 2.0, 5.0, 3.0, 7.0, 4.0, 6.0]
    walks = [20.0, 10.0, 11.0, 12.0, 19.0, 18.0, 15.0, 13.0, 14.0, 17.0, 16.0]
    clock = [t for seconds in (*scans, *walks) for t in (100.0, 100.0 + seconds)]
    monkeypatch.setattr(timing, "perf_counter", ticking(*clock))
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
    told = SimpleNamespace(rng=np.random.default_rng(0), kernels=kernels)
    value = timing.times(told, bits=bits, n=200, queries=11, d=3, depth=4)
    trees = bits // 4
    assert value == {"scan": 5.0, "index": 15.0, "candidates": trees * 200 / 16}
    assert len(scanned) == 9 and len(gathered) == 12
    codes = scanned[0][1]
    assert codes.shape == (200, 1 if bits == 12 else 2)
    assert int(codes[:, -1].max()) < 2 ** (bits % 64) and len(np.unique(codes[:, 0])) > 190
    for query, _, k, how in scanned:
        assert query.shape == (1, codes.shape[1]) and (codes == query).all(axis=1).any()
        assert (k, how) == (100, {"threads": 1})
    first = gathered[0][0]
    assert first.shape == (11, trees)
    for place, (word, found, how) in enumerate(gathered[1:]):
        assert word.tolist() == [first[place].tolist()] and how["threads"] == 1
        code = [int(part) for part in scanned[min(place, 8)][0][0]]
        if place < 9:
            whole = sum(part << 64 * j for j, part in enumerate(code))
            leaves = [m * 16 + (whole >> 4 * m & 15) for m in range(trees)]
            assert word[0].tolist() == leaves
        assert 0 < found.sum() <= 200


def test_the_index_of_the_timing_holds_every_code_in_complete_trees():
    rng = np.random.default_rng(0)
    codes = rng.integers(2**64, size=(90, 2), dtype=np.uint64)
    (starts, items), model = timing.synthetic_index(codes, 18, 4, 2, rng)
    words = timing.words_of_codes(codes, 18, 4)
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

SIZES = {"leaf": 4, "trees": 3, "d": 2, "queries": 10, "passes": 2}


def grown(job, monkeypatch, index, n, divided):
    monkeypatch.setattr(growth, "thread_time", ticking(0.0, 5.0, 10.0, 12.5))
    return growth.growth(job, index=index, n=n, divided=divided, **SIZES)


@pytest.mark.parametrize("index", growth.LISTS)
def test_a_query_takes_a_share_of_the_time_of_all(job, monkeypatch, index):
    """Ten queries in 5 and in 2.5 seconds."""
    assert grown(job, monkeypatch, index, 64, 64)["seconds"] == [0.5, 0.25]


@pytest.mark.parametrize("index", growth.LISTS)
def test_leaves_grow_with_the_items_unless_they_are_divided_more_finely(job, monkeypatch, index):
    small = grown(job, monkeypatch, index, 64, 64)
    finer = grown(job, monkeypatch, index, 512, 512)
    larger = grown(job, monkeypatch, index, 512, 64)
    assert larger["candidates"] > 3 * small["candidates"] > 0
    assert finer["candidates"] < larger["candidates"] / 2 or index == "LSH"
    assert finer["candidates"] < larger["candidates"]
    assert finer["compared"] > small["compared"]


def test_the_forest_is_walked_to_as_many_leaves_as_there_are_parts(job, monkeypatch):
    """64 items in leaves of 4: 16 leaves, 4 planes in each of 3 trees."""
    value = grown(job, monkeypatch, "forest", 64, 64)
    assert value["compared"] == 12.0
    assert grown(job, monkeypatch, "forest", 512, 64)["compared"] == 12.0
    assert grown(job, monkeypatch, "forest", 512, 512)["compared"] == 21.0


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


def test_the_leaves_of_kmeans_trees_are_the_words(job):
    X = np.random.default_rng(3).standard_normal((64, 2), dtype=np.float32)
    lists = growth.LISTS["k-means trees"](job, X, 4, 3, np.random.default_rng(0))
    model = growth.kmeans_trees(
        X, 3, rng=np.random.default_rng(0), branching=growth.BRANCHING, leaf_size=4
    )
    for of_point, leaves in zip(lists.words(X), tree_leaves(model, X.astype(float)), strict=True):
        for word, leaf in zip(of_point, leaves, strict=True):
            mine = lists.items[lists.starts[word] : lists.starts[word + 1]]
            assert mine.tolist() == model.members[model.starts[leaf] : model.ends[leaf]].tolist()
