"""The memory estimates are upper bounds, and not loose ones, on both kernels."""

import sys
import warnings
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from peaks import traced_peak
from processes import ROOT, output
from scipy import sparse
from scipy.spatial.distance import cdist

import refimpl.kernels
from refimpl import boostmap, ftune, products
from refimpl.ball_trees import nearest_neighbors
from refimpl.boosted_distance import (
    adaboost,
    boosted_distance,
    estimate_memory,
    prediction,
    similarity,
    staged_nearest_neighbor,
)
from refimpl.boosted_distance.weak_learners import DepthTwoTrees, Stumps
from refimpl.ftune.similarities import Gaussian, Similarity
from refimpl.lmnn import LMNNOptions, lmnn, lmnn_rect
from refimpl.lmnn import estimate_memory as estimate_lmnn
from refimpl.lmnn.arguments import bytes_for
from refimpl.lmnn.problem import LargeMarginProblem, Room
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.lipschitz import lipschitz
from refimpl.rivals.metricmap import metricmap
from refimpl.search_forest import (
    ForestOptions,
    label_similarity,
    neighbor_similarity,
    search_forest,
)
from refimpl.search_forest import estimate_memory as estimate_forest
from refimpl.search_forest.pairs import MeetingPairs
from refimpl.spaces import PrecomputedSpace, references

pytestmark = pytest.mark.one_case
SHAPES = {
    "continuous": (200, 12, lambda rng, shape: rng.normal(size=shape)),
    "one feature": (400, 1, lambda rng, shape: rng.normal(size=shape)),
    "few values": (200, 12, lambda rng, shape: rng.integers(0, 4, shape)),
    "trees": (200, 12, lambda rng, shape: rng.normal(size=shape)),
    "zeros": (160, 40, lambda rng, shape: rng.normal(size=shape) * (rng.random(shape) < 0.1)),
    "few values, many features": (250, 150, lambda rng, shape: rng.integers(0, 16, shape)),
    "constant": (500, 16, lambda rng, shape: np.ones(shape)),
    "wide": (12, 600, lambda rng, shape: rng.normal(size=shape)),
    "more rows than 16 bits hold": (400, 20, lambda rng, shape: rng.integers(0, 256, shape)),
    "single precision": (40, 120, lambda rng, shape: rng.normal(size=shape).astype(np.float32)),
}


def training_set(shape):
    n, d, draw = SHAPES[shape]
    return draw(np.random.default_rng(0), (n, d)), np.arange(n) % 3 == 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_differences(shape, kernels, threads):
    X, labels = training_set(shape)
    how = {"threads": threads, "weak_learner": DepthTwoTrees() if shape == "trees" else Stumps()}
    peak = traced_peak(lambda: boosted_distance(X, labels, 2, kernels=kernels, **how))
    assert peak <= estimate_memory(X, labels, 2, **how) <= 4 * peak + 2**21


@pytest.mark.parametrize(("n", "d"), [(20000, 2), (2000, 40), (10, 800)])
def test_plain_sets(n, d, kernels):
    X = np.random.default_rng(1).normal(size=(n, d))
    P = X[: n // 3]
    N = X[n // 3 :]
    peak = traced_peak(lambda: adaboost(P, N, 2, kernels=kernels, threads=1))
    assert peak <= Stumps().memory(P, N, threads=1) <= 4 * peak + 2**21
    # n different values in each column: what could be saved by looking at them is one of them
    assert Stumps().memory_at_most(P, N, threads=1) == Stumps().memory(P, N, threads=1)


def test_the_values_of_plain_sets_are_counted_only_where_it_matters(monkeypatch):
    P = np.zeros((900, 3))
    N = np.ones((900, 3))
    few = Stumps().memory(P, N, threads=1) + 2**10
    many = Stumps().memory_at_most(P, N, threads=1) + 2**10
    assert few < many
    assert len(adaboost(P, N, 1, threads=1, max_memory=few)) == 1
    with pytest.raises(MemoryError, match=rf"the training needs up to {few:,}\. "):
        adaboost(P, N, 1, threads=1, max_memory=few - 1)

    def unwanted(*given, **more):
        raise AssertionError("values were counted")

    monkeypatch.setattr(Stumps, "memory", unwanted)
    assert len(adaboost(P, N, 1, threads=1, max_memory=many)) == 1


@pytest.mark.parametrize("classes", [2, 5, "one of a tenth"])
@pytest.mark.parametrize("learner", [Stumps(), DepthTwoTrees()], ids=lambda x: type(x).__name__)
def test_matrices_of_similarities(classes, learner, kernels, monkeypatch):
    """Hardly more than one matrix is held, and asked for, when it is made of many pieces."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(800, 3))
    y = np.arange(800) // 80 == 0 if classes == "one of a tenth" else np.arange(800) % classes
    Q = rng.normal(size=(1000, 3))
    model = boosted_distance(X[::9], y[::9], 3, weak_learner=learner)
    given = {"kernels": kernels, "threads": 1, "class_weight": dict.fromkeys(model, 1.5)}
    asked = []
    monkeypatch.setattr(prediction, "check_free_memory", lambda needed, *more: asked.append(needed))
    whole = similarity(model, Q, X, y, **given)
    labels = dict(staged_nearest_neighbor(model, Q, X, y, [1, 3], **given))
    monkeypatch.setattr(prediction, "PIECE", 16 * 1000)
    asked.clear()
    peaks = [
        traced_peak(lambda: similarity(model, Q, X, y, **given)),
        traced_peak(lambda: list(staged_nearest_neighbor(model, Q, X, y, [1, 3], **given))),
    ]
    for peak, needed in zip(peaks, asked, strict=True):
        assert whole.nbytes < peak <= needed + 2**18 <= 1.2 * whole.nbytes
    assert (similarity(model, Q, X, y, **given) == whole).all()
    for t, in_pieces in staged_nearest_neighbor(model, Q, X, y, [1, 3], **given):
        assert (in_pieces == labels[t]).all()


@pytest.mark.parametrize("learner", [Stumps(), DepthTwoTrees()], ids=lambda x: type(x).__name__)
def test_many_rounds_and_a_warm_start(learner):
    X = np.random.default_rng(2).normal(size=(5, 2))
    labels = [0, 0, 1, 1, 1]
    first = boosted_distance(X, labels, 2000, weak_learner=learner)
    peak = traced_peak(lambda: boosted_distance(X, labels, 2001, weak_learner=learner, start=first))
    rounds = estimate_memory(X, labels, 2001, threads=1) - estimate_memory(X, labels, 1, threads=1)
    assert peak <= rounds <= 8 * peak


def high_water():
    """Return the largest resident set so far; ru_maxrss is at least that of the parent."""
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])


def resident(task, kernels):
    """Print by how much a training raises it, and the estimate, in a process of its own."""
    if task == "FTUNE":
        ftune_task(100, 5, 3, 200, threads=2, kernels=kernels)[0]()
        train, estimate = ftune_task(4000, 100, 3, 200, threads=2, kernels=kernels)
    else:
        boosted_distance([[0.0], [1.0], [2.0]], [0, 1, 1], 2, kernels=kernels)
        given, how = (*training_set(task), 2), {"threads": 2}
        train = partial(boosted_distance, *given, kernels=kernels, **how)
        estimate = None
    before = high_water()
    train()
    print(high_water() - before, estimate or estimate_memory(*given, **how))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/status")
@pytest.mark.parametrize("task", ["continuous", "more rows than 16 bits hold", "FTUNE"])
def test_resident_set(task, kernels):
    """Beside NumPy's arrays: what C++ and BLAS allocate.

    Gaps between blocks are not measured: how many there are depends on what was allocated before,
    unless C's library maps large blocks apart from each other.
    """
    rooms = (".", "tests/shared", "tests/support", "tests/oracles")
    paths = [str(ROOT / folder) for folder in rooms]
    script = f"import sys; sys.path[:0] = {paths}; import {kernels.__name__}, test_memory; "
    script += f"test_memory.resident({task!r}, {kernels.__name__})"
    apart = {"MALLOC_MMAP_THRESHOLD_": str(2**17)}
    peak, estimated = map(int, output("-c", script, **apart).split())
    assert peak <= estimated


# -------------------------------------------------------------------------------------------- FTUNE


def ftune_task(n, d, classes, held, threads=1, both=False, **options):
    """A training without arguments, and the estimate of its memory."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4))
    V = rng.normal(size=(held, 4))
    y = np.arange(n) % classes
    K = options.pop("K", Gaussian(2.0))
    K = Similarity(K, X, pairwise=isinstance(K, Gaussian))
    P = ftune.random_landmarks(y, d, rng=rng)
    keywords = {
        "kernels": options.pop("kernels"),
        "threads": threads,
        "validation": (V, np.arange(held) % classes),
        "options": ftune.FTuneOptions(**{"family": (1.0, 5.0, 10.0), "C": (1.0, 10.0)} | options),
    }
    train = ftune.ftune_single_and_per_class if both else ftune.ftune
    return lambda: train(K, y, P, **keywords), ftune.estimate_memory(K, y, P, **keywords)


FTUNE = {  # n, d, classes, held out; whether the estimate is near, too
    "many rows": ((2000, 30, 3, 200), {}, True),
    "two classes": ((2000, 30, 2, 200), {"both": True}, True),
    "many classes": ((300, 60, 10, 100), {"loss": "logistic"}, True),
    "hinge": ((1000, 30, 3, 100), {"loss": "hinge", "C": 1.0}, True),
    "a function": ((2000, 30, 3, 2000), {"family": (1.0, lambda x: x**3)}, True),
    "validation": ((300, 20, 20, 5000), {"C": (1.0, 10.0, 100.0, 1000.0)}, True),
    "look-ups": (
        (300, 60, 2, 100),
        {"K": lambda a, b: float(a[0] < b[0]), "family": (1.0,), "C": 1.0},
        True,
    ),
    "many pairs": ((50, 200, 2, 10), {}, True),
    "few, logistic": ((6, 1, 2, 5), {"loss": "logistic"}, False),
    "few, hinge": ((9, 2, 2, 5), {"loss": "hinge", "C": 1.0}, False),
    "few of a class": ((16, 3, 8, 6), {"loss": "hinge", "family": (1.0,)}, False),
    "one pair": ((100, 1, 50, 100), {}, False),
    "large, hinge": ((980, 50, 2, 2900), {"loss": "hinge", "C": 1.0}, False),
    "large, logistic": ((220, 170, 2, 670), {"loss": "logistic", "family": (1.0,)}, False),
    "large, a function": ((400, 6, 60, 1200), {"family": (1.0, lambda x: x**3)}, False),
    "six slopes": (
        (40, 35, 2, 120),
        {"family": (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0), "both": True},
        False,
    ),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", FTUNE)
def test_ftune(case, kernels, threads):
    shape, options, near = FTUNE[case]
    train, estimate = ftune_task(*shape, threads, kernels=kernels, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peak = traced_peak(train)
    # the estimate has room for threads that all train at once; on a busy machine they may take
    # turns
    assert peak <= estimate
    assert not near or estimate <= 2 * threads * peak + 2**20


def test_ftune_looks_nothing_up_if_it_would_be_too_large():
    S = np.eye(40)
    y = np.arange(40) % 3
    K = Similarity(S)
    P = ftune.random_landmarks(y, 6, rng=np.random.default_rng(0))
    options = {"options": ftune.FTuneOptions(C=1.0, choose="training"), "threads": 2}
    for train, landmarks in ((ftune.ftune, P), (ftune.bbs, P.L[:6])):
        before = K.computed
        needed = ftune.estimate_memory(K, y, landmarks, **options)
        refused = rf"max_memory is {needed - 1:,} bytes; .* up to {needed:,}\. Pass more"
        with pytest.raises(MemoryError, match=refused):
            train(K, y, landmarks, max_memory=needed - 1, **options)
        assert K.computed == before
        assert train(K, y, landmarks, max_memory=needed, **options).w.shape == (3, 6)


# ------------------------------------------------------------------------------ embedded distances


def embedded_distances():
    """Return what compares embedded vectors: name -> a function of two arrays of d columns, d."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3))
    D = cdist(X, X)
    space = PrecomputedSpace(D)
    triples = boostmap.nearby_triples(D, 9, 90, rng=rng)
    distances = boostmap.CandidateDistances(D, D)
    trained = boostmap.boostmap(distances, triples, 3, rng=rng)
    lines = lipschitz(space, [0, 3, 7])
    functions = {
        f"BoostMap, {kernels.__name__}": (partial(trained.pairwise, kernels=kernels), trained.d)
        for kernels in KERNELS
    }
    functions["Lipschitz"] = (lines.pairwise, 3)
    functions["Lipschitz, p = 3"] = (partial(lines.pairwise, p=3), 3)
    functions["FastMap"] = (fastmap(space, 3, rng=rng).pairwise, 3)
    functions["MetricMap"] = (metricmap(space, 3, rng=rng).pairwise, 3)
    return functions


def test_matrices_of_embedded_distances(monkeypatch):
    asked = []
    monkeypatch.setattr(references, "check_free_memory", lambda needed, *more: asked.append(needed))
    for name, (pairwise, d) in embedded_distances().items():
        Q = np.random.default_rng(4).normal(size=(2000, d))
        X = np.random.default_rng(5).normal(size=(500, d))
        peak = traced_peak(lambda pairwise=pairwise, Q=Q, X=X: pairwise(Q, X))
        assert 0.9 * peak <= asked[-1] <= peak, name


# ----------------------------------------------------------------------------------- search forests


def test_the_listed_pairs_of_large_search_forests():
    """50,000 digits, K = 100, lambda = 0.05: a process took 1.09 GB for 4 trees; with clusters it
    could take it all.
    """
    four, more = (MeetingPairs.memory(50_000, 5_000_000, M, 0.05) for M in (4, 17))
    assert 1.09e9 < four <= more < 8.2e9
    X = np.random.default_rng(4).normal(size=(50, 3))
    S = neighbor_similarity(X, 5)
    assert estimate_forest(X, S, 4, 0.05) < estimate_forest(X, S, 17, 0.05)


def forest_points(kind, n, d):
    rng = np.random.default_rng(5)
    if kind == "clusters":
        return 10 * rng.normal(size=(5, d))[rng.integers(0, 5, n)] + 0.01 * rng.normal(size=(n, d))
    if kind == "constant":
        return np.ones((n, d)) + (np.arange(n) < 2)[:, None]
    return rng.normal(size=(n, d)).astype(np.float32 if kind == "single precision" else np.float64)


def forest_pairs(kind, X):
    """Similar pairs: of so many nearest neighbours, of random labels, of many classes, of one class
    of a tenth of the points, or any.
    """
    n, rng = len(X), np.random.default_rng(6)
    if isinstance(kind, int):
        return neighbor_similarity(X, kind)
    if kind == "any":
        return sparse.csr_matrix((np.ones(5 * n), rng.integers(0, n, (2, 5 * n))), shape=(n, n)) > 0
    labels = {
        "random labels": rng.integers(0, 9, n),
        "many classes": np.arange(n) % (n // 3),
        "one class": np.maximum(np.arange(n) - n // 10, 0),
    }
    return label_similarity(labels[kind])


@pytest.mark.parametrize(
    ("points", "similar", "n", "d", "M", "lam", "options"),
    [
        *(
            ("normal", *sizes, 0.03, {"pairs": pairs, **limits})
            for pairs in ("meeting", "dense")
            for *sizes, limits in (
                (10, 1200, 8, 2, {"max_depth": 7}),
                (20, 1200, 8, 1, {"max_leaves": 12}),
                (5, 60, 8, 20, {"max_depth": 3}),
            )
        ),
        ("clusters", "random labels", 300, 18, 2, 0.001, {"max_depth": 1}),
        ("clusters", "random labels", 184, 1, 1, 0.05, {"max_leaves": 100}),
        ("clusters", "any", 361, 2, 5, 0.001, {"max_leaves": 12}),
        ("clusters", "any", 65, 2, 5, 0.3, {"max_depth": 7}),
        ("clusters", "one class", 215, 4, 5, 0.3, {"refine": 0}),
        ("constant", "any", 407, 68, 2, 0.01, {"max_depth": 3, "refine": 0}),
        ("constant", "one class", 256, 2, 1, 0.005, {"max_depth": 7, "refine": 0}),
        ("normal", "random labels", 400, 6, 2, 0.05, {}),
        ("normal", "one class", 700, 6, 2, 0.01, {"max_depth": 3, "refine": 0}),
        ("normal", "many classes", 210, 10, 10, 0.001, {"max_leaves": 2}),
        ("single precision", "many classes", 60, 80, 5, 0.05, {}),
        ("constant", "random labels", 300, 2, 5, 0.01, {"pairs": "dense", "max_leaves": 100}),
        ("normal", "any", 170, 1, 10, 0.01, {"pairs": "dense", "max_leaves": 12}),
    ],
)
def test_search_forests(points, similar, n, d, M, lam, options, kernels):
    """Of nearest neighbours leaves have many similar pairs, so fewer dissimilar ones than eq. 15
    allows, and the estimate is near.
    """
    X = forest_points(points, n, d)
    S = forest_pairs(similar, X)
    near = isinstance(similar, int)
    limits = {name: value for name, value in options.items() if name != "refine"}
    splits = {} if near or "refine" in options else {"offset": "best", "refine": 10}
    how = {"kernels": kernels, "threads": 2, "options": ForestOptions(**options, **splits)}

    def train():
        search_forest(X, S, M, lam, rng=np.random.default_rng(0), **how)

    train()  # what is made once, such as scratch space, is there
    peak = traced_peak(train)
    estimate = estimate_forest(X, S, M, lam, options=ForestOptions(**limits))
    assert peak <= estimate and (not near or estimate <= 12 * peak + 2**21)


# --------------------------------------------------------------------------------------------- LMNN


@pytest.mark.parametrize("labels", ["apart", "random"])
@pytest.mark.parametrize(
    ("n", "d", "classes", "k"),
    [(60, 100, 3, 1), (160, 10, 3, 3), (400, 3, 3, 1), (120, 2, 2, 12), (120, 12, 6, 3)],
)
def test_lmnn(n, d, classes, k, labels, kernels):
    """One metric, several, and LMNN-RECT: with the pairs that it had, and with the most that it
    could have had.
    """
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, d))
    X += 3 * rng.normal(size=(classes, d))[y] if labels == "apart" else 0.0
    options = {"kernels": kernels, "threads": 1, "options": LMNNOptions(max_checks=2)}
    for train, partitions in (
        (lambda options: lmnn(X, y, k, **options), 1),
        (lambda options: lmnn(X, y, k, partition=y, **options), classes),
        (lambda options: lmnn_rect(X, y, max(1, d // 3), k, **options), 1),
    ):
        found = []
        peak = traced_peak(lambda train=train, found=found: found.append(train(options)))
        if partitions > 1:  # they start from one metric, which has more
            found.append(lmnn(X, y, k, **options | {"options": LMNNOptions(tol=1e-2)}))
        pairs = max(int(model.history[:, 3].max()) for model in found)
        most = estimate_lmnn(X, y, k, partition=y if partitions > 1 else None, **options)
        assert peak <= bytes_for(n, d, k, partitions, pairs) <= most


@pytest.mark.parametrize(("m", "d", "several"), [(20_000, 20, False), (20_000, 100, True)])
def test_lmnn_with_a_validation_set(m, d, several, kernels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, d))
    y = np.arange(60) % 3
    held = rng.normal(size=(m, d)), np.arange(m) % 3
    options = LMNNOptions(validation=held, max_checks=2)
    given = {"options": options, "kernels": kernels, "threads": 1}
    given["partition"] = y if several else None
    peak = traced_peak(lambda: lmnn(X, y, 2, **given))
    enough = estimate_lmnn(X, y, 2, **given)
    assert estimate_lmnn(X, y, 2, **{**given, "options": LMNNOptions()}) < peak <= enough
    with pytest.raises(MemoryError, match="max_memory"):
        lmnn(X, y, 2, **given, max_memory=enough // 3)


def test_the_classification_of_a_validation_set_among_many_points():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(products.HELD // products.ROWS, 2))
    y = np.arange(len(X)) % 3
    held = LMNNOptions(validation=(rng.normal(size=(300, 2)), np.arange(300) % 3))
    peak = traced_peak(lambda: nearest_neighbors(held.validation[0], X, 1, method="brute"))
    estimated = estimate_lmnn(X, y, 1, options=held) - estimate_lmnn(X, y, 1)
    assert peak - 12 * X.nbytes < estimated < 2 * peak  # the points count for the training


@pytest.mark.parametrize("search", ["product", "tree"])
def test_impostors_are_counted_before_all_are_listed(search, monkeypatch):
    """Forty points, all of them impostors of those of the other class, and room for 100 pairs."""
    n = 40
    X = np.random.default_rng(0).normal(size=(n, 2)) * 1e-3
    y = np.arange(n, dtype=np.int64) % 2
    targets = ((np.arange(n) + 2) % n)[:, None]

    kernel = "impostors" if search == "product" else "tree_within"
    spy = Mock(wraps=getattr(refimpl.kernels, kernel))
    monkeypatch.setattr(refimpl.kernels, kernel, spy)

    def problem(room):
        where = np.zeros(n, dtype=np.int64)
        return LargeMarginProblem(X, y, targets, 1.0, where, refimpl.kernels, 1, search, room=room)

    L = np.eye(2)[None]
    whole = problem(None).impostors(problem(None).mapped(L))
    assert len(whole[0]) == n * n // 2
    room = problem(Room(800, "here", "", 5 * n))
    divided = room.impostors(room.mapped(L))
    assert_same(whole, divided)
    spy.reset_mock()
    # five points a search, which have a hundred impostors
    with pytest.raises(MemoryError, match=r"at most 100 pairs .* got at least 200"):
        problem(Room(100, "here", "", 5 * n)).impostors(room.mapped(L))
    assert spy.call_count == (2 if search == "product" else 4)  # a tree for each class
    # where few impostors are found, a search goes on with more points at a time
    spy.reset_mock()
    far = X + 100 * y[:, None]
    assert not len(problem(Room(800, "here", "", 5 * n)).impostors(far)[0])
    assert spy.call_count == (3 if search == "product" else 6)  # of 5, 20 and 15 points


def test_a_search_does_not_take_the_first_points_for_all(monkeypatch):
    """The first points have no impostors, and the last ones have all of the other class."""
    n = 400
    y = np.arange(n, dtype=np.int64) % 2
    X = np.where(np.arange(n) < n // 2, 100.0 + 100 * y, 0.0)[:, None]
    targets = (np.arange(n) ^ 2)[:, None]
    found = []

    def impostors(*given, **how):
        found.append(kernel(*given, **how))
        return found[-1]

    kernel = refimpl.kernels.impostors
    monkeypatch.setattr(refimpl.kernels, "impostors", impostors)
    where = np.zeros(n, dtype=np.int64)
    room = Room(n * n, "here", "", 20 * n)
    problem = LargeMarginProblem(X, y, targets, 1.0, where, refimpl.kernels, room=room)
    problem.impostors(X)
    assert len(found) > 2 and max(len(i) for i, _ in found) <= room.looks
