"""The tasks of the search forest's figures on small sets: curves of recall by sets and loops.

Forests, trees, tables and codes are those of `refimpl`, tested elsewhere; here is what the figures
make of them in both readings, under both kernels. Elsewhere: which tasks a figure has
(test_search_forest_lists.py), times (test_search_forest_timing.py), classes
(test_search_forest_classes.py), rows
(test_figures_search_forest_results.py), drawings (test_figures_search_forest_plots.py).
"""

import forest_toy
import numpy as np
import pytest
from forest_toy import N, forest_of, ranked
from toy_sets import components, ticking

from paper_figures.search_forest import methods, planes, points, readings, tasks
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


@pytest.fixture(autouse=True)
def no_trials(monkeypatch):
    """Trials of other tests, which have the same names, are forgotten."""
    monkeypatch.setattr(tasks, "TRIALS", {})


def by_order(near, lists, counts):
    """Return the recalls of each query at each count, the returned items, and the mean number."""
    of_queries = np.array(
        [
            [len({*ids[:count]} & {*row}) / len(row) for count in counts]
            for ids, row in zip(lists, near, strict=True)
        ]
    )
    returned = [np.mean([len(ids[:count]) for ids in lists]) for count in counts]
    return 100 * of_queries, returned, np.mean([len(ids) for ids in lists])


def check_recall(curve, of_queries):
    mean = of_queries.mean(axis=0)
    assert 0 < mean[0] < mean[-1]
    np.testing.assert_allclose(curve["recall"], mean)
    error = np.sqrt(((of_queries - mean) ** 2).sum(axis=0) / (len(of_queries) - 1))
    np.testing.assert_allclose(curve["error"], error / np.sqrt(len(of_queries)))


def check_list(value, near, lists, counts=AT["counts"]):
    curve = value["ranked"]
    of_queries, returned, candidates = by_order(near, lists, counts)
    check_recall(curve, of_queries)
    np.testing.assert_allclose(curve["returned"], returned)
    assert curve["candidates"] == pytest.approx(candidates)


def unions_of(of_points, of_queries, near):
    """Return mean sizes and each query's recalls of its first 0, 1, 2, ... leaves together."""
    groups = of_points.shape[1]
    sizes, recalls = [0.0], [np.zeros(len(near))]
    for m in range(1, groups + 1):
        found = [np.flatnonzero((of_points[:, :m] == mine[:m]).any(axis=1)) for mine in of_queries]
        sizes.append(np.mean([len(ids) for ids in found]))
        hits = [len({*ids} & {*row}) for ids, row in zip(found, near, strict=True)]
        recalls.append(100 * np.array(hits) / near.shape[1])
    return sizes, np.array(recalls)


def check_sets(value, near, of_points, of_queries, a_tree, counts=AT["counts"]):
    """`a_tree` is what a query is compared with in a tree."""
    curve = value["sets"]
    sizes, recalls = unions_of(of_points, of_queries, near)
    check_recall(curve, np.array([np.interp(counts, sizes, of_query) for of_query in recalls.T]))
    trees = np.interp(counts, sizes, np.arange(len(sizes)))
    np.testing.assert_allclose(curve["trees"], trees)
    np.testing.assert_allclose(curve["compared"], a_tree * trees)
    np.testing.assert_allclose(curve["sizes"], sizes[1:])
    np.testing.assert_allclose(curve["recalls"], recalls[1:].mean(axis=1))
    np.testing.assert_allclose(curve["returned"], np.minimum(counts, sizes[-1]))
    assert curve["candidates"] == pytest.approx(sizes[-1])


def check_choice(value, job, settings, read):
    """Each reading takes the setting of its largest mean recall of the trial, and lists all.

    `read[reading](X, Q, near, setting, small)` gives the mean recall along the curve.
    """
    X, Q, near, small = points.load_trial(job, AT)
    assert value.keys() == read.keys()
    for reading, mean_of in read.items():
        means = [mean_of(X, Q, near, setting, small) for setting in settings]
        assert len({round(mean, 9) for mean in means}) > 1
        assert [s for s, _ in value[reading]["tried"]] == list(settings)
        assert [mean for _, mean in value[reading]["tried"]] == pytest.approx(means)
        assert value[reading]["setting"] == settings[int(np.argmax(means))]


def mean_of_list(near, lists, small):
    return by_order(near, lists, small["counts"])[0].mean() / 100


def mean_of_sets(near, of_points, of_queries, small):
    sizes, recalls = unions_of(of_points, of_queries, near)
    return np.interp(small["counts"], sizes, recalls.mean(axis=1)).mean() / 100


# ------------------------------------------------------------------------------------------- points


def test_points_lie_on_components_of_the_database_at_unit_size(toy, one_job):
    X, Q, near = points.load_problem(one_job, AT)
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
    X, Q, near, small = points.load_trial(one_job, AT)
    every, _, _ = points.load_problem(one_job, AT)
    order = one_job.rng_for("trial", "forest toy").permutation(N)
    np.testing.assert_array_equal(Q, every[order[:20]])
    np.testing.assert_array_equal(X, every[order[20:110]])
    assert small == AT | {"K": 4, "share": 0.6, "counts": [2, 6, 18]}
    for q, row in zip(Q.astype(float), near, strict=True):
        assert row.tolist() == np.argsort(((X - q) ** 2).sum(axis=1), kind="stable")[:4].tolist()
    *_, near, small = points.load_trial(one_job, AT | {"trial": 15, "K": 4, "counts": (1, 4)})
    assert (near.shape, small["K"], small["counts"]) == ((20, 1), 1, [1, 1])


# ---------------------------------------------------------------------------------- the forest


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
        methods.learn_forest(one_job, X, K, lam=0.1, n_train=5, trees=1)
    assert asked.value.args == (5, expected)


def check_forest(value, job, forest):
    X, Q, near = points.load_problem(job, AT)
    check_list(value, near, ranked(selection(forest, Q, X)))
    check_sets(value, near, to_terms(forest, X), to_terms(forest, Q), 5)


@pytest.mark.parametrize("draw", [0, 1])
def test_the_forests_curves(job, monkeypatch, draw):
    """One forest, learnt in 2.5 s, is read in both ways."""
    monkeypatch.setattr(tasks, "perf_counter", ticking(5.0, 7.5))
    value = tasks.forest(job, draw=draw, lams=(0.05,), **FOREST, **AT)
    X, _, _ = points.load_problem(job, AT)
    forest = forest_of(job, X, 6, 0.05, draw)
    check_forest(value, job, forest)
    trees = len(forest.c)
    leaves = forest.n_words / trees
    for reading in ("sets", "ranked"):
        curve = value[reading]
        assert (curve["setting"], curve["tried"]) == (0.05, [])
        assert curve["model"] == {"trees": trees, "leaves": leaves, "seconds": 2.5} and leaves > 2
    assert value["ranked"]["compared"].tolist() == [trees * 5] * 3


def test_other_splits_are_passed_on(one_job):
    options = {"refine": 2, "offset": "best", "augment": 1.0}
    value = tasks.forest(one_job, draw=0, lams=(0.05,), **options, **FOREST, **AT)
    X, _, _ = points.load_problem(one_job, AT)
    check_forest(value, one_job, forest_of(one_job, X, 6, 0.05, **options))


@pytest.mark.parametrize("draw", [0, 1])
def test_lambda_is_chosen_on_the_trial_by_draw_0_and_may_be_too_large(one_job, draw):
    lams = (0.97, 0.4, 0.05)

    def forests(X, lam):
        return None if lam == 0.97 else forest_of(one_job, X, 4, lam)

    def of_list(X, Q, near, lam, small):
        forest = forests(X, lam)
        nothing = [np.empty(0, dtype=int)] * len(Q)
        lists = nothing if forest is None else ranked(selection(forest, Q, X))
        return mean_of_list(near, lists, small)

    def of_sets(X, Q, near, lam, small):
        forest = forests(X, lam)
        if forest is None:
            return 0.0
        return mean_of_sets(near, to_terms(forest, X), to_terms(forest, Q), small)

    value = tasks.forest(one_job, draw=draw, lams=lams, **FOREST, **AT)
    check_choice(value, one_job, lams, {"sets": of_sets, "ranked": of_list})
    assert value["ranked"]["tried"][0][1] == 0.0
    assert value["sets"]["setting"] != value["ranked"]["setting"]  # each reading has its own
    X, Q, near = points.load_problem(one_job, AT)
    forest = forest_of(one_job, X, 6, value["sets"]["setting"], draw)
    check_sets(value, near, to_terms(forest, X), to_terms(forest, Q), 5)
    forest = forest_of(one_job, X, 6, value["ranked"]["setting"], draw)
    check_list(value, near, ranked(selection(forest, Q, X)))


def test_draws_share_a_trial(one_job, monkeypatch):
    trials = []
    load_trial = points.load_trial
    monkeypatch.setattr(tasks, "load_trial", lambda *of: trials.append(of) or load_trial(*of))
    for draw in (0, 1):
        tasks.forest(one_job, draw=draw, lams=(0.4, 0.05), **FOREST, **AT)
    assert len(trials) == 1
    # a trial has 90 points, so a forest of more has the same trial
    tasks.forest(one_job, draw=0, lams=(0.4, 0.05), **FOREST | {"n_train": 120}, **AT)
    assert len(trials) == 1
    tasks.forest(one_job, draw=0, lams=(0.4, 0.05), **FOREST | {"n_train": 60}, **AT)
    assert len(trials) == 2


def test_a_forest_of_no_tree_returns_nothing(one_job):
    value = tasks.forest(one_job, draw=0, lams=(0.97,), **FOREST, **AT)
    for reading in ("sets", "ranked"):
        curve = value[reading]
        assert curve["recall"].tolist() == [0, 0, 0] and curve["candidates"] == 0
        assert curve["model"] | {"seconds": 0} == {"trees": 0, "leaves": 0.0, "seconds": 0}
        assert np.asarray(curve["compared"]).tolist() == [0, 0, 0]


def test_other_errors_of_the_training_are_not_hidden(one_job, monkeypatch):
    def broken(*arguments, **options):
        raise ValueError("something else")

    monkeypatch.setattr(methods, "learn_forest", broken)
    with pytest.raises(ValueError, match="something else"):
        tasks.forest(one_job, draw=0, lams=(0.05,), **FOREST, **AT)


# ---------------------------------------------------------------------------------- other planes


@pytest.mark.parametrize("kind", planes.SPLITS)
def test_planes_that_are_not_learnt(one_job, kind):
    value = tasks.other_planes(one_job, draw=1, planes=kind, lams=(0.05,), **FOREST, **AT)
    X, _, _ = points.load_problem(one_job, AT)
    shape = {"n_train": 100, "max_depth": 5, "trees": 3, "draw": 1}
    forest = planes.learn_other(one_job, X, 6, kind, lam=0.05, **shape)
    check_forest(value, one_job, forest)
    assert len(forest.c) == 3 and (forest.c > 0).all() and forest.n_words > 6


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


# ---------------------------------------------------------------------------------- rivals


def trees_of(job, X, setting, trees, share, draw=0):
    branching, leaf = setting
    leaf = max(1, round(share * leaf))
    rng = job.rng_for("kmeans", draw)
    return kmeans_trees(X, trees, rng=rng, branching=branching, leaf_size=leaf)


def by_votes(model, Q):
    """Return the members of a query's leaves, those of most leaves first, then the lowest index."""
    lists = []
    for leaves in tree_leaves(model, Q.astype(float)):
        votes = np.zeros(model.n, dtype=int)
        for leaf in leaves:
            votes[model.members[model.starts[leaf] : model.ends[leaf]]] += 1
        lists.append(np.argsort(-votes, kind="stable")[: (votes > 0).sum()])
    return lists


def leaves_of(model, X, Q):
    return tree_leaves(model, X.astype(float)), tree_leaves(model, Q.astype(float))


@pytest.mark.parametrize("draw", [0, 1])
def test_the_leaves_of_kmeans_trees(job, draw):
    settings = [[3, 30], [4, 9]]
    value = tasks.kmeans(job, draw=draw, settings=settings, trees=2, **AT)

    def of_list(X, Q, near, setting, small):
        return mean_of_list(near, by_votes(trees_of(job, X, setting, 2, 0.6), Q), small)

    def of_sets(X, Q, near, setting, small):
        return mean_of_sets(near, *leaves_of(trees_of(job, X, setting, 2, 0.6), X, Q), small)

    check_choice(value, job, settings, {"sets": of_sets, "ranked": of_list})
    X, Q, near = points.load_problem(job, AT)
    # on its way a query is compared with the children of every node that it passes
    compared = []
    model = trees_of(job, X, value["ranked"]["setting"], 2, 1, draw)
    check_list(value, near, by_votes(model, Q))
    for q in Q.astype(float):
        count = 0
        for node in model.roots:
            while model.first[node] < model.last[node]:
                children = range(model.first[node], model.last[node])
                count += len(children)
                node = min(children, key=lambda j: ((model.centres[j] - q) ** 2).sum())
        compared.append(count)
    assert len(set(compared)) > 1
    assert value["ranked"]["compared"] == pytest.approx([np.mean(compared)] * 3)
    model = trees_of(job, X, value["sets"]["setting"], 2, 1, draw)
    a_tree = methods.centres_on_the_way(job, model, Q) / 2
    check_sets(value, near, *leaves_of(model, X, Q), a_tree)


def test_best_bin_first_search(one_job):
    settings = [[3, 30], [4, 9]]

    def lists_of(X, Q, setting, share, count):
        found = trees_of(one_job, X, setting, 2, share).candidates(Q, count)
        return [found.of(i) for i in range(len(Q))]

    def of_list(X, Q, near, setting, small):
        return mean_of_list(near, lists_of(X, Q, setting, 0.6, 18), small)

    value = tasks.best_first(one_job, draw=0, settings=settings, trees=2, **AT)
    check_choice(value, one_job, settings, {"ranked": of_list})
    X, Q, near = points.load_problem(one_job, AT)
    curve = value["ranked"]
    check_list(value, near, lists_of(X, Q, curve["setting"], 1, 30))
    model = trees_of(one_job, X, curve["setting"], 2, 1)
    compared = [one_job.kernels.best_bin_first(model, Q.astype(float), n)[2] for n in (4, 10, 30)]
    assert curve["compared"] == pytest.approx([of_count.mean() for of_count in compared])
    assert curve["compared"][0] < curve["compared"][2]


@pytest.mark.parametrize("draw", [0, 1])
def test_hash_tables(job, draw):
    def tables_of(X, setting, draw):
        return lsh(X, 3, *setting, rng=job.rng_for("lsh", draw))

    def lists_of(X, Q, setting, draw):
        found = tables_of(X, setting, draw).candidates(Q)
        return [found.of(i) for i in range(len(Q))]

    def buckets_of(X, Q, setting, draw):
        model = tables_of(X, setting, draw)
        return model.buckets(X), model.buckets(Q)

    value = tasks.hashing(job, draw=draw, functions=(2, 5), widths=(0.5, 1.5), tables=3, **AT)
    settings = [[2, 0.5], [2, 1.5], [5, 0.5], [5, 1.5]]
    read = {
        "sets": lambda X, Q, near, s, small: mean_of_sets(near, *buckets_of(X, Q, s, 0), small),
        "ranked": lambda X, Q, near, s, small: mean_of_list(near, lists_of(X, Q, s, 0), small),
    }
    check_choice(value, job, settings, read)
    X, Q, near = points.load_problem(job, AT)
    check_list(value, near, lists_of(X, Q, value["ranked"]["setting"], draw))
    assert value["ranked"]["compared"].tolist() == [value["ranked"]["setting"][0] * 3] * 3
    k = value["sets"]["setting"][0]
    check_sets(value, near, *buckets_of(X, Q, value["sets"]["setting"], draw), k)


def test_codes(job):
    value = tasks.spectral(job, bits=10, **AT)
    X, Q, near = points.load_problem(job, AT)
    model = spectral_hashing(X, 10)
    codes, of_queries = (model.encode(part)[:, 0].tolist() for part in (X, Q))
    distances = [[(a ^ b).bit_count() for a in codes] for b in of_queries]
    check_list(value, near, [np.argsort(row, kind="stable")[:30] for row in distances])
    curve = value["ranked"]
    assert (curve["setting"], curve["tried"]) == (10, []) and "compared" not in curve


# ---------------------------------------------------------------------------------- readings


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
    expected = unions_of(of_points, of_queries, near)
    np.testing.assert_allclose(sizes, expected[0][1:])
    np.testing.assert_allclose(100 * recalls.T, expected[1][1:])


def test_recall_between_two_numbers_of_trees_is_interpolated():
    """0 items have 0; 10 items .4 and .6 of two queries; 30 items .6 and .8; there are no more."""
    curve = (np.array([10.0, 30.0]), np.array([[0.4, 0.6], [0.6, 0.8]]))
    read = readings.whole_sets(curve, [0, 5, 10, 20, 30, 99], 7.0)
    assert read["recall"] == pytest.approx([0, 25, 50, 60, 70, 70])
    # the queries differ by 0, 10, 20, 20, 20, 20: half of it is the error of their mean
    assert read["error"] == pytest.approx([0, 5, 10, 10, 10, 10])
    assert read["trees"] == pytest.approx([0, 0.5, 1, 1.5, 2, 2])
    assert read["compared"] == pytest.approx([0, 3.5, 7, 10.5, 14, 14])
    assert read["returned"] == pytest.approx([0, 5, 10, 20, 30, 30])
    assert read["candidates"] == 30 and read["recalls"] == pytest.approx([50, 70])
