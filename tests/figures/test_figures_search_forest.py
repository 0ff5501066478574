"""The tasks of the search forest's figures on small sets: curves of recall by sets and loops.

Forests, trees, tables and codes are those of `refimpl`, tested elsewhere; here is what the figures
make of them, under both kernels. Libraries are in test_search_forest_libraries.py, the rows in
test_figures_search_forest_results.py, the drawings in test_figures_search_forest_plots.py.
"""

from types import SimpleNamespace

import forest_toy
import numpy as np
import pytest
from fake_libraries import FAKES, LIBRARIES, METHODS
from figure_runs import require_missing_is_said
from forest_toy import N, forest_of, ranked
from toy_sets import components, ticking
from whole_figures import make_every_figure

from paper_figures.registry import Context, Result
from paper_figures.search_forest import figures, libraries, tasks, unions
from refimpl.kernels import tree_leaves
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import selection, to_terms

AT = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 6, "trial": 90, "counts": (4, 10, 30)}
FOREST = {"n_train": 100, "max_depth": 5, "trees": 3}


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    return forest_toy.points(monkeypatch)


@pytest.fixture(params=forest_toy.NAMES)
def job(request):
    return forest_toy.job(request.param)


@pytest.fixture
def one_job():
    return forest_toy.job()


def by_order(near, lists, counts):
    """Return recall in per cent and returned items at each count, and the mean number of items."""
    hits = [
        np.mean(
            [len({*ids[:count]} & {*row}) / len(row) for ids, row in zip(lists, near, strict=True)]
        )
        for count in counts
    ]
    returned = [np.mean([len(ids[:count]) for ids in lists]) for count in counts]
    return 100 * np.array(hits), returned, np.mean([len(ids) for ids in lists])


def check_curve(value, near, lists, counts=AT["counts"]):
    recall, returned, candidates = by_order(near, lists, counts)
    assert 0 < recall[0] < recall[-1]
    np.testing.assert_allclose(value["recall"], recall)
    np.testing.assert_allclose(value["returned"], returned)
    assert value["candidates"] == pytest.approx(candidates)


def check_choice(value, job, settings, lists_of):
    """The setting of the largest mean recall of the trial is taken, and all are listed."""
    X, Q, near, small = tasks.load_trial(job, AT)
    means = [
        by_order(near, lists_of(X, Q, s, small["share"]), small["counts"])[0].mean() / 100
        for s in settings
    ]
    assert len({round(mean, 9) for mean in means}) > 1
    assert [s for s, _ in value["tried"]] == list(settings)
    assert [mean for _, mean in value["tried"]] == pytest.approx(means)
    assert value["setting"] == settings[int(np.argmax(means))] != settings[int(np.argmin(means))]


# ------------------------------------------------------------------------------------------- points


def test_points_lie_on_components_of_the_database_at_unit_size(toy, one_job):
    X, Q, near = tasks.load_problem(one_job, AT)
    Z = components(toy, N, 3)
    Z /= np.sqrt((Z[:N] ** 2).sum() / N)
    signs = np.sign(X[0] * Z[0])
    np.testing.assert_allclose(X, Z[:N] * signs, atol=1e-5)
    np.testing.assert_allclose(Q, Z[N:][:20] * signs, atol=1e-5)
    assert X.dtype == Q.dtype == np.float32 and near.shape == (20, 6)
    for q, row in zip(Q.astype(float), near, strict=True):
        assert row.tolist() == np.argsort(((X - q) ** 2).sum(axis=1), kind="stable")[:6].tolist()


def test_a_trial_is_a_part_of_the_database_and_smaller_alike(one_job):
    """90 of 150 points: K and the counts shrink to 0.6 of 6 and of 4, 10, 30, and at least 1."""
    X, Q, near, small = tasks.load_trial(one_job, AT)
    every, _, _ = tasks.load_problem(one_job, AT)
    order = one_job.rng_for("trial", "forest toy").permutation(N)
    np.testing.assert_array_equal(Q, every[order[:20]])
    np.testing.assert_array_equal(X, every[order[20:110]])
    assert small == AT | {"K": 4, "share": 0.6, "counts": [2, 6, 18]}
    for q, row in zip(Q.astype(float), near, strict=True):
        assert row.tolist() == np.argsort(((X - q) ** 2).sum(axis=1), kind="stable")[:4].tolist()
    *_, near, small = tasks.load_trial(one_job, AT | {"trial": 15, "K": 4, "counts": (1, 4)})
    assert (near.shape, small["K"], small["counts"]) == ((20, 1), 1, [1, 1])


# ---------------------------------------------------------------------------------- figures 1 and 2


@pytest.mark.parametrize(("K", "expected"), [(1, 1), (2, 1), (5, 2), (6, 3)])
def test_the_neighbours_of_a_part_shrink_with_it_to_at_least_1(one_job, monkeypatch, K, expected):
    """5 of 10 points: half of K, to the nearest integer, halves to the even one."""

    class Asked(Exception):
        pass

    def similarity(X, k, **options):
        raise Asked(len(X), k)

    monkeypatch.setattr(tasks, "neighbor_similarity", similarity)
    X = np.arange(20.0).reshape(10, 2)
    with pytest.raises(Asked) as asked:
        tasks.learn_forest(one_job, X, K, lam=0.1, n_train=5, trees=1)
    assert asked.value.args == (5, expected)


def test_the_forests_curve(job, monkeypatch):
    monkeypatch.setattr(tasks, "perf_counter", ticking(5.0, 7.5))
    value = tasks.forest(job, lams=(0.05,), **FOREST, **AT)
    X, Q, near = tasks.load_problem(job, AT)
    forest = forest_of(job, X, 6, 0.05)
    check_curve(value, near, ranked(selection(forest, Q, X)))
    trees = len(forest.c)
    leaves = forest.n_words / trees
    assert (value["setting"], value["tried"], value["seconds"]) == (0.05, [], 2.5)
    assert (value["trees"], value["leaves"]) == (trees, leaves) and leaves > 2
    assert value["compared"] == [trees * 5] * 3


def test_other_splits_are_passed_on(one_job):
    options = {"refine": 2, "offset": "best", "augment": 1.0}
    value = tasks.forest(one_job, lams=(0.05,), **options, **FOREST, **AT)
    X, Q, near = tasks.load_problem(one_job, AT)
    check_curve(value, near, ranked(selection(forest_of(one_job, X, 6, 0.05, **options), Q, X)))


def test_lambda_is_chosen_on_the_trial_and_may_be_too_large(one_job):
    lams = (0.97, 0.4, 0.05)

    def lists_of(X, Q, lam, share):
        if lam == 0.97:
            return [np.empty(0, dtype=int)] * len(Q)
        return ranked(selection(forest_of(one_job, X, 4, lam), Q, X))

    value = tasks.forest(one_job, lams=lams, **FOREST, **AT)
    check_choice(value, one_job, lams, lists_of)
    assert value["tried"][0][1] == 0.0


def test_a_forest_of_no_tree_returns_nothing(one_job):
    value = tasks.forest(one_job, lams=(0.97,), **FOREST, **AT)
    assert value["recall"].tolist() == [0, 0, 0] and value["candidates"] == 0
    assert (value["trees"], value["leaves"], value["compared"]) == (0, 0.0, [0, 0, 0])
    value = unions.union_forest(one_job, lams=(0.97,), **FOREST, **AT)
    assert value["recall"].tolist() == [0, 0, 0]
    assert [list(map(np.ravel, curve[1:])) for curve in value["curves"]] == [[[0], [0]]]


@pytest.mark.parametrize("task", [tasks.forest, unions.union_forest])
def test_other_errors_of_the_training_are_not_hidden(one_job, monkeypatch, task):
    def broken(*arguments, **options):
        raise ValueError("something else")

    for module in (tasks, unions):
        monkeypatch.setattr(module, "learn_forest", broken)
    with pytest.raises(ValueError, match="something else"):
        task(one_job, lams=(0.05,), **FOREST, **AT)


def trees_of(job, X, setting, trees, share):
    branching, leaf = setting
    leaf = max(1, round(share * leaf))
    return kmeans_trees(X, trees, rng=job.rng_for("kmeans"), branching=branching, leaf_size=leaf)


def by_votes(model, Q):
    """Return the members of a query's leaves, those of most leaves first, then the lowest index."""
    lists = []
    for leaves in tree_leaves(model, Q.astype(float)):
        votes = np.zeros(model.n, dtype=int)
        for leaf in leaves:
            votes[model.members[model.starts[leaf] : model.ends[leaf]]] += 1
        lists.append(np.argsort(-votes, kind="stable")[: (votes > 0).sum()])
    return lists


def test_the_leaves_of_kmeans_trees(job):
    settings = [[3, 30], [4, 9]]
    value = tasks.kmeans(job, settings=settings, trees=2, first_best=False, **AT)
    X, Q, near = tasks.load_problem(job, AT)
    check_choice(
        value, job, settings, lambda X, Q, s, share: by_votes(trees_of(job, X, s, 2, share), Q)
    )
    model = trees_of(job, X, value["setting"], 2, 1)
    check_curve(value, near, by_votes(model, Q))
    # on its way a query is compared with the children of every node that it passes
    compared = []
    for q in Q.astype(float):
        count = 0
        for node in model.roots:
            while model.first[node] < model.last[node]:
                children = range(model.first[node], model.last[node])
                count += len(children)
                node = min(children, key=lambda j: ((model.centres[j] - q) ** 2).sum())
        compared.append(count)
    assert value["compared"] == pytest.approx([np.mean(compared)] * 3) and len(set(compared)) > 1


def test_best_bin_first_search(one_job):
    settings = [[3, 30], [4, 9]]

    def lists_of(X, Q, s, share, count=18):
        found = trees_of(one_job, X, s, 2, share).candidates(Q, count)
        return [found.of(i) for i in range(len(Q))]

    value = tasks.kmeans(one_job, settings=settings, trees=2, first_best=True, **AT)
    check_choice(value, one_job, settings, lists_of)
    X, Q, near = tasks.load_problem(one_job, AT)
    check_curve(value, near, lists_of(X, Q, value["setting"], 1, 30))
    model = trees_of(one_job, X, value["setting"], 2, 1)
    compared = [one_job.kernels.best_bin_first(model, Q.astype(float), n)[2] for n in (4, 10, 30)]
    assert value["compared"] == pytest.approx([of_count.mean() for of_count in compared])
    assert value["compared"][0] < value["compared"][2]


def test_hash_tables(job):
    def lists_of(X, Q, setting, share):
        found = lsh(X, 3, *setting, rng=job.rng_for("lsh")).candidates(Q)
        return [found.of(i) for i in range(len(Q))]

    value = tasks.hashing(job, functions=(2, 5), widths=(0.5, 1.5), tables=3, **AT)
    settings = [[2, 0.5], [2, 1.5], [5, 0.5], [5, 1.5]]
    check_choice(value, job, settings, lists_of)
    X, Q, near = tasks.load_problem(job, AT)
    check_curve(value, near, lists_of(X, Q, value["setting"], 1))
    assert value["compared"] == [value["setting"][0] * 3] * 3


def test_codes(job):
    value = tasks.spectral(job, bits=10, **AT)
    X, Q, near = tasks.load_problem(job, AT)
    model = spectral_hashing(X, 10)
    codes, of_queries = (model.encode(part)[:, 0].tolist() for part in (X, Q))
    distances = [[(a ^ b).bit_count() for a in codes] for b in of_queries]
    check_curve(value, near, [np.argsort(row, kind="stable")[:30] for row in distances])
    assert (value["setting"], value["tried"]) == (10, []) and "compared" not in value


# ------------------------------------------------------------------------------------------- unions


def unions_of(groups, of_points, of_queries, near):
    """Return sizes and recalls (in per cent) of the unions over the first 1, 2, ... groups."""
    sizes, recalls = [], []
    for m in range(1, groups + 1):
        found = [np.flatnonzero((of_points[:, :m] == mine[:m]).any(axis=1)) for mine in of_queries]
        sizes.append(np.mean([len(ids) for ids in found]))
        hits = [len({*ids} & {*row}) for ids, row in zip(found, near, strict=True)]
        recalls.append(100 * np.mean(hits) / near.shape[1])
    return sizes, recalls


def check_unions(job, value, settings, groups, parts_of):
    """`parts_of(X, Q, setting, share, K)` gives the parts of points and queries, one a group."""

    def curve(setting, X, Q, near, share, K):
        return unions_of(groups, *parts_of(X, Q, setting, share, K), near)

    def interpolated(sizes, recalls, counts):
        return np.interp(counts, [0, *sizes], [0, *recalls])

    X, Q, near, small = tasks.load_trial(job, AT)
    tried = [
        interpolated(*curve(s, X, Q, near, small["share"], small["K"]), small["counts"])
        for s in settings
    ]
    chosen = [settings[place] for place in np.argmax(tried, axis=0)]
    assert value["settings"] == chosen
    X, Q, near = tasks.load_problem(job, AT)
    in_use = [s for s in settings if s in chosen]
    assert [line[0] for line in value["curves"]] == in_use
    curves = {str(s): curve(s, X, Q, near, 1, 6) for s in in_use}
    for setting, sizes, recalls in value["curves"]:
        np.testing.assert_allclose(sizes, curves[str(setting)][0])
        np.testing.assert_allclose(recalls, curves[str(setting)][1])
    recall = [
        interpolated(*curves[str(s)], [count])[0]
        for s, count in zip(chosen, AT["counts"], strict=True)
    ]
    np.testing.assert_allclose(value["recall"], recall)
    assert 0 < value["recall"][0] < value["recall"][-1]


def test_unions_of_the_forests_leaves(one_job):
    def parts_of(X, Q, lam, share, K):
        forest = forest_of(one_job, X, K, lam)
        return to_terms(forest, X), to_terms(forest, Q)

    lams = (0.05, 0.3)
    value = unions.union_forest(one_job, lams=lams, **FOREST, **AT)
    check_unions(one_job, value, lams, 3, parts_of)


def test_unions_of_kmeans_leaves(one_job):
    def parts_of(X, Q, setting, share, K):
        model = trees_of(one_job, X, setting, 3, share)
        return tree_leaves(model, X.astype(float)), tree_leaves(model, Q.astype(float))

    settings = [[3, 40], [4, 9]]
    value = unions.union_kmeans(one_job, settings=settings, trees=3, **AT)
    check_unions(one_job, value, settings, 3, parts_of)


def test_unions_of_buckets(one_job):
    def parts_of(X, Q, setting, share, K):
        model = lsh(X, 3, *setting, rng=one_job.rng_for("lsh"))
        return model.buckets(X), model.buckets(Q)

    value = unions.union_hashing(one_job, functions=(2, 4), widths=(0.5, 1.5), tables=3, **AT)
    settings = [[2, 0.5], [2, 1.5], [4, 0.5], [4, 1.5]]
    check_unions(one_job, value, settings, 3, parts_of)


def test_unions_of_whole_lists_by_sets():
    """Tree by tree against sets, with empty lists among them."""
    rng = np.random.default_rng(0)
    n = 40
    groups = 5
    queries = 12
    of_points = rng.integers(4, size=(n, groups)) + 4 * np.arange(groups)
    of_queries = rng.integers(4, size=(queries, groups)) + 4 * np.arange(groups)
    of_queries = np.where(rng.random((queries, groups)) < 0.2, -1, of_queries)
    near = np.array([rng.choice(n, 6, replace=False) for _ in range(queries)])
    lists = [np.flatnonzero((of_points == word).any(axis=1)) for word in range(4 * groups)]
    lengths = np.array([len(members) for members in lists])
    ends = np.cumsum(lengths)
    sizes, recalls = unions.union_curve(
        ends - lengths, ends, np.concatenate(lists), of_queries, near, n
    )
    expected = unions_of(groups, of_points, of_queries, near)
    np.testing.assert_allclose(sizes, expected[0])
    np.testing.assert_allclose(100 * recalls, expected[1])


def test_recall_between_two_numbers_of_trees_is_interpolated():
    """0 items have 0, 10 items .5, 30 items .7; beyond 30 items there are no more."""
    curve = (np.array([10.0, 30.0]), np.array([0.5, 0.7]))
    assert unions.at_counts(curve, [0, 5, 10, 20, 30, 99]) == pytest.approx(
        [0, 0.25, 0.5, 0.6, 0.7, 0.7]
    )


# ------------------------------------------------------------------------------------------ table 1


@pytest.mark.parametrize("bits", [12, 68])
def test_times_are_medians_of_single_queries(job, monkeypatch, bits):
    """Eleven queries: of nine scans the fifth longest is taken, of all eleven walks the sixth."""
    scans = [9.0, 1.0, 8.0, 2.0, 5.0, 3.0, 7.0, 4.0, 6.0]
    walks = [20.0, 10.0, 11.0, 12.0, 19.0, 18.0, 15.0, 13.0, 14.0, 17.0, 16.0]
    clock = [t for seconds in (*scans, *walks) for t in (100.0, 100.0 + seconds)]
    monkeypatch.setattr(tasks, "perf_counter", ticking(*clock))
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
    value = tasks.times(told, bits=bits, n=200, queries=11, d=3, depth=4)
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
    (starts, items), model = tasks.synthetic_index(codes, 18, 4, 2, rng)
    words = tasks.words_of_codes(codes, 18, 4)
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


# ---------------------------------------------------------------------------------------- the whole


def test_every_figure_is_made_of_what_its_tasks_return(one_job, monkeypatch):
    def made(task, **params):
        return Result(task.__name__, params, task(one_job, **params))

    forest = made(tasks.forest, lams=(0.05, 0.3), **FOREST, **AT)
    trees = made(tasks.kmeans, settings=((3, 9),), trees=3, first_best=False, **AT)
    first = made(tasks.kmeans, settings=((3, 9),), trees=1, first_best=True, **AT)
    tables = made(tasks.hashing, functions=(2,), widths=(1.5,), tables=3, **AT)
    codes = made(tasks.spectral, bits=10, **AT)
    split = {"refine": 0, "offset": "best", "augment": 0.1}
    changed = made(tasks.forest, lams=(0.05,), **split, **FOREST, **AT)
    curves = [forest, trees, first, tables, codes]
    unions_made = [
        made(unions.union_forest, lams=(0.05,), **FOREST, **AT),
        made(unions.union_kmeans, settings=((3, 9),), trees=3, **AT),
        made(unions.union_hashing, functions=(2,), widths=(1.5,), tables=3, **AT),
        codes,
    ]
    monkeypatch.setattr(libraries, "importlib", SimpleNamespace(import_module=FAKES.get))
    versions = {"annoy": "1", "faiss-cpu": "1", "hnswlib": None}
    params = LIBRARIES | {"versions": versions, "methods": METHODS, "passes": 1}
    value = libraries.search(one_job, **params)
    times = [made(tasks.times, bits=12, n=n, queries=2, d=3, depth=4) for n in (100, 200)]
    results_of = {
        "figure1": curves,
        "figure2": curves,
        "unions1": unions_made,
        "dimensions": curves,
        "regions": [forest, trees],
        "sensitivity": [changed],
        "splits": [changed],
        "libraries": [Result("libraries", params, value)],
        "table1": times,
    }
    make_every_figure(figures.PAPER, results_of)


# ---------------------------------------------------------------------------------------- the lists


def test_what_is_missing_is_said():
    require_missing_is_said(figures.PAPER.figures)


CURVE = ["forest", *["kmeans"] * 3, "hashing", *["spectral"] * 3]
UNION = ["union_forest", "union_kmeans", "union_hashing", *["spectral"] * 3]
TASKS = {
    "figure1": {"small": CURVE, "paper": CURVE},
    "figure2": {"small": CURVE, "paper": CURVE},
    "unions1": {"small": UNION, "paper": UNION},
    "dimensions": dict.fromkeys(
        ("small", "paper"), ["forest", "kmeans", "kmeans", "hashing", "spectral"] * 3
    ),
    "regions": {"small": ["forest"] + ["kmeans"] * 2, "paper": ["forest"] + ["kmeans"] * 5},
    "sensitivity": {"small": ["forest"] * 7, "paper": ["forest"] * 10},
    "splits": {"small": ["forest"] * 5, "paper": ["forest"] * 5},
    "libraries": {"small": ["libraries"], "paper": ["libraries"]},
    "table1": {"small": ["times"] * 6, "paper": ["times"] * 20},
}


def test_the_tasks_of_every_figure():
    for figure in figures.PAPER.figures:
        for scale in ("small", "paper"):
            tasks_of = figure.tasks(Context(scale=scale))
            assert [task.name for task in tasks_of] == TASKS[figure.name][scale], figure.name
            assert len({str(dict(task.params)) for task in tasks_of}) == len(tasks_of)
            for task in tasks_of:
                data = task.params.get("data_set")
                assert task.data == (() if data is None else (data,))


def test_the_papers_sizes():
    of = {f.name: f.tasks(Context(scale="paper")) for f in figures.PAPER.figures}
    first, second = of["figure1"], of["figure2"]
    assert [first[0].params[key] for key in ("trees", "max_depth", "n_train", "K")] == [
        17,
        12,
        60_000,
        100,
    ]
    assert [second[0].params[key] for key in ("trees", "max_depth", "n_train", "K")] == [
        60,
        13,
        20_000,
        100,
    ]
    assert first[0].params["counts"] == (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
    assert second[0].params["counts"][0] == 250 and second[0].params["counts"][-1] == 5000
    assert [(t.params["first_best"], t.params["trees"]) for t in first[1:4]] == [
        (False, 17),
        (True, 17),
        (True, 1),
    ]
    assert first[4].params["tables"] == 17
    assert [t.params["bits"] for t in first[5:]] == [32, 96, 200]
    # a tree's source divides no fewer points than there are regions
    settings = first[1].params["settings"]
    assert all(leaf >= regions - 1 for regions, leaf in settings) and len(settings) == 14
    splits = [
        tuple(t.params[key] for key in ("lams", "offset", "augment", "refine"))
        for t in of["splits"]
    ]
    assert splits == [
        ((0.02,), "eigenvector", 0.1, 0),
        ((0.05,), "eigenvector", 0.1, 0),
        ((0.05,), "eigenvector", 1.0, 0),
        ((0.05,), "best", 0.1, 0),
        ((0.05,), "best", 0.1, 10),
    ]
    changed = [
        tuple(t.params[key] for key in ("lams", "n_train", "max_depth", "refine"))
        for t in of["sensitivity"]
    ]
    middle = ((0.05,), 10_000, 12, 0)
    assert middle in changed
    assert all(sum(a != b for a, b in zip(line, middle, strict=True)) <= 1 for line in changed)
    assert [t.params["d"] for t in of["dimensions"][::5]] == [8, 32, 200]
    assert {(t.params["bits"], t.params["n"]) for t in of["table1"]} == {
        (bits, n)
        for bits in (32, 64, 128, 256, 512)
        for n in (1_000_000, 5_000_000, 20_000_000, 50_000_000)
    }
