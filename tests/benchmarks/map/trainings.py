"""For each public training its call at three sizes, and the peers that a reader would try."""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np

from paper_figures.data import load
from refimpl import boosted_distance, boostmap, ftune, lmnn, search_forest
from refimpl.boostmap import BoostMapOptions, CandidateDistances
from refimpl.ftune.model import CS, SLOPES
from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance
from tests.others.environments import Missing, default_folder, environment

from .drawing import TRAININGS, training
from .measure import Elsewhere, MissingError, TooSlowError
from .peers import installed

__all__ = ["TRAININGS"]
SEED = 0
LIMIT = 600.0  # seconds of a training


def rng():
    """Return a generator that starts anew, so that each training draws the same."""
    return np.random.default_rng(SEED)


@cache
def sample(name, n):
    """Return n random training points of a data set (moved ones, too, if it has fewer), and y."""
    loaded = load(name)
    points = loaded.n_train or len(loaded.X)
    copies = -(-n // points)
    copy, rows = np.divmod(rng().choice(copies * points, n, replace=False), points)
    X = np.ascontiguousarray(loaded.X[rows], dtype=np.float64)
    for i in range(1, copies):
        X[copy == i] = MOVED[name](X[copy == i], i)
    return X, loaded.y[rows]


def _shifted(X, i):
    """Return digits moved by a pixel or two."""
    down, right = divmod(i + 12, 5)  # the steps of a 5 x 5 grid; 0 is its middle
    return np.roll(X.reshape(-1, 28, 28), (down % 5 - 2, right - 2), axis=(1, 2)).reshape(X.shape)


def _blurred(X, i):
    """Return whole numbers with noise of half a unit."""
    return X + np.random.default_rng(i).uniform(-0.5, 0.5, X.shape)


MOVED = {"MNIST-10": _shifted, "letters": _blurred}


@cache
def components(n, d):
    """Return n MNIST digits, scaled to [0, 1], on their d principal axes, and their labels."""
    X, y = sample("MNIST-10", n)
    X = X / 255 - (X / 255).mean(axis=0)
    return np.ascontiguousarray(X @ np.linalg.eigh(X.T @ X)[1][:, : -d - 1 : -1]), y


# --------------------------------------------------------------------------------- Boosted Distance

ROUNDS = 20


def _ones_and_sevens(n):
    X, y = sample("MNIST", n)
    return X, y == np.unique(y)[0]


@training((40, 120, 400), "AdaBoost on the differences of {n} digits 1 and 7, 20 rounds", "MNIST")
def adaboost(n):
    X, is_one = _ones_and_sevens(n)
    B = X[is_one][: n // 4]
    P, N = boosted_distance.Differences(X[is_one], B), boosted_distance.Differences(X[~is_one], B)
    rows = np.concatenate([np.asarray(P), np.asarray(N)])
    labels = np.arange(len(rows)) < len(P)
    peers = {name: partial(_all_rounds, model, rows, labels) for name, model in _boosters().items()}
    return partial(boosted_distance.adaboost, P, N, ROUNDS), peers


def _boosters():
    from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier

    models = {
        "scikit-learn AdaBoost": AdaBoostClassifier(
            DecisionTreeClassifier(max_depth=1), n_estimators=ROUNDS
        ),
        "scikit-learn HistGradientBoosting*": HistGradientBoostingClassifier(
            max_iter=ROUNDS, max_leaf_nodes=2, early_stopping=False
        ),
    }
    if installed("lightgbm"):
        from lightgbm import LGBMClassifier

        models["LightGBM*"] = LGBMClassifier(
            n_estimators=ROUNDS, num_leaves=2, n_jobs=2, verbose=-1
        )
    return models


def _all_rounds(model, X, y):
    fitted = _fit(model, X, y)
    rounds = len(getattr(fitted, "estimators_", range(ROUNDS)))
    if rounds < ROUNDS:
        raise MissingError(f"it ended after {rounds} of {ROUNDS} rounds")
    return fitted


def _fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge within its own limit
        return model.fit(X, y)


@training((30, 100, 200), "Algorithm A.1 on {n} digits 1 and 7, 20 rounds", "MNIST")
def boosted_distances(n):
    X, y = _ones_and_sevens(n)
    return partial(boosted_distance.boosted_distance, X, y, ROUNDS), {}


# ----------------------------------------------------------------------------------------- BoostMap


@training(
    (300, 5000, 200_000),
    "{n} triples of 100, 500 or 5,000 digits, chamfer distances, 4 dimensions",
    "MNIST-10",
    grows=False,
)
def boostmaps(n):
    import refimpl_fast
    from refimpl.boostmap.edges import canny, chamfer

    objects = {300: 100, 5000: 500}.get(n, 5000)
    X, y = sample("MNIST-10", 2 * objects)
    edges = canny(X.reshape(-1, 28, 28).astype(np.uint8))
    C, T = edges[:objects], edges[objects:]
    among = chamfer(T, T, kernels=refimpl_fast)
    distances = CandidateDistances(
        chamfer(C, T, kernels=refimpl_fast), chamfer(C, C, kernels=refimpl_fast)
    )
    triples = boostmap.selective_triples(among, y[objects:], 4, n, rng=rng())
    options = BoostMapOptions(query_sensitive=4)
    train = partial(boostmap.boostmap, distances, triples, 4, options=options)
    return lambda **how: train(rng=rng(), **how), {}


# ------------------------------------------------------------------------------------ Search Forest


def _tree(n, **options):
    """Return the points and the training of a tree."""
    import refimpl_fast

    X = components(n, 64)[0].astype(np.float32)
    S = search_forest.neighbor_similarity(X, min(100, n // 20), kernels=refimpl_fast)
    options = search_forest.ForestOptions(**options)
    train = partial(search_forest.search_forest, X, S, 1, 0.05, options=options)
    return X, lambda **how: train(rng=rng(), **how)


@training((500, 5000, 50_000), "a tree of {n} digits, 64 dimensions", "MNIST-10")
def search_trees(n):
    X, train = _tree(n)
    return train, {f"{name}, its index*": call for name, call in _indexes(X).items()}


@training((500, 5000, 50_000), "a tree of {n} digits, 64 dimensions, planes moved", "MNIST-10")
def moved_trees(n):
    return _tree(n, refine=10, offset="best")[1], {}


def _indexes(X):
    """Builders of other indexes of the same points."""
    calls = {}
    if installed("hnswlib"):
        import hnswlib

        def hnsw():
            index = hnswlib.Index("l2", X.shape[1])
            index.init_index(len(X))
            index.add_items(X, num_threads=2)

        calls["hnswlib"] = hnsw
    if installed("annoy"):
        import annoy

        def trees():
            index = annoy.AnnoyIndex(X.shape[1], "euclidean")
            for i, x in enumerate(X):
                index.add_item(i, x)
            index.build(10, n_jobs=2)

        calls["annoy, 10 trees"] = trees
    return calls


@training((500, 5000, 50_000), "20 neighbours of each of {n} digits, 64 dimensions", "MNIST-10")
def similar_pairs(n):
    from sklearn.neighbors import NearestNeighbors

    X = components(n, 64)[0].astype(np.float32)
    brute = NearestNeighbors(n_neighbors=20, algorithm="brute")
    peers = {"scikit-learn brute": lambda: brute.fit(X).kneighbors()}
    if installed("faiss"):
        import faiss

        def flat():
            index = faiss.IndexFlatL2(X.shape[1])
            index.add(X)
            return index.search(X, 21)

        peers["FAISS"] = flat

    def pairs(**how):
        S = search_forest.neighbor_similarity(X, 20, **how)
        return S.shape, S.indptr, S.indices, S.data

    return pairs, peers


# --------------------------------------------------------------------------------------------- LMNN


@training((250, 2000, 60_000), "LMNN of {n} digits, 169 dimensions", "MNIST-10")
def lmnns(n):
    X, y = components(n, 169)
    peers = {f"{name}*": partial(_other_lmnn, name, X, y) for name in TRAIN}
    return partial(lmnn.lmnn, X, y, 3), peers


TRAIN = {  # PyLMNN imports GPyOpt for a helper that is not used here
    "pylmnn": """
methods = types.ModuleType("GPyOpt.methods")
methods.BayesianOptimization = object
sys.modules |= {"GPyOpt": types.ModuleType("GPyOpt"), "GPyOpt.methods": methods}
sys.modules["GPyOpt"].methods = methods
from pylmnn import LargeMarginNearestNeighbor
fit = LargeMarginNearestNeighbor(n_neighbors=3, max_iter=1000).fit
""",
    "metric-learn": """
from metric_learn import LMNN
fit = LMNN(n_neighbors=3, max_iter=100_000, convergence_tol=1e-5).fit
""",
    "mlpack": """
import mlpack
fit = lambda X, y: mlpack.lmnn(input_=X, labels=y, k=3)
""",
}
TIMED = """
import sys, time, types
import numpy
{train}
given = numpy.load(sys.argv[1])
start = time.perf_counter()
fit(given["X"], given["y"])
print(time.perf_counter() - start)
"""


def _other_lmnn(name, X, y):
    """Train another library's LMNN in an environment of its own; return its own seconds."""
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given.npz"
        np.savez(given, X=X, y=np.unique(y, return_inverse=True)[1])
        try:
            python = environment(name, default_folder())
            command = [python, "-c", TIMED.format(train=TRAIN[name]), given]
            run = subprocess.run(command, check=True, timeout=LIMIT, capture_output=True, text=True)
        except Missing as error:
            raise MissingError(f"{name} was not installed: {error}") from None
        except subprocess.TimeoutExpired as error:
            raise TooSlowError(str(error)) from None
        except subprocess.CalledProcessError as error:
            raise MissingError(error.stderr[-200:]) from None
    return Elsewhere(float(run.stdout.split()[-1]))


@training((250, 2000, 6000), "LMNN of {n} digits, 4 metrics, 40 dimensions", "MNIST-10")
def lmnn_metrics(n):
    X, y = components(n, 40)
    return partial(lmnn.lmnn, X, y, 3, partition=lmnn.kmeans_partition(X, 4, rng=rng())), {}


@training((250, 2000, 6000), "LMNN-RECT of {n} digits, 169 to 15 dimensions", "MNIST-10")
def lmnn_rects(n):
    X, y = components(n, 169)
    return partial(lmnn.lmnn_rect, X, y, 15, 3), {}


# -------------------------------------------------------------------------------------------- FTUNE


def _letters(n):
    """Letters of the first and of the second half of the alphabet."""
    X, y = sample("letters", n + 1000)
    halves = y >= np.unique(y)[13]
    scale = mean_distance(X[:n], rng=rng())
    K = Similarity(Gaussian(scale), X[:n], pairwise=True)
    return K, halves[:n], (X[n:], halves[n:])


@training((300, 3000, 10_000), "FTUNE, {n} letters, 300 pairs, 6 slopes, 4 C", "letters")
def ftunes(n):
    import refimpl_fast

    K, y, held = _letters(n)
    P = ftune.random_landmarks(y, 300, rng=rng())
    paired, places = np.unique((P.plus[0], P.minus[0]), return_inverse=True)
    plus, minus = places.reshape(2, -1)
    slopes = np.array(SLOPES)
    spaces = refimpl_fast.transferred_differences(K.within(None, paired), plus, minus, slopes)
    peers = {f"LIBLINEAR, {len(slopes) * len(CS)} machines": partial(_liblinear, spaces, y)}
    return partial(ftune.ftune, K, y, P, validation=held), peers


def _liblinear(spaces, y):
    from sklearn.svm import LinearSVC

    for Phi in spaces:
        for C in CS:
            _fit(LinearSVC(dual=False, C=C, max_iter=1000), Phi, y)


@training((300, 3000, 10_000), "BBS, {n} letters, 300 landmarks, 4 C", "letters")
def bbss(n):
    K, y, held = _letters(n)
    P = ftune.random_landmarks(y, 300, rng=rng())
    L = P.L[:300]
    peers = {f"LIBLINEAR, {len(CS)} machines": partial(_liblinear, [K.within(None, L)], y)}
    return partial(ftune.bbs, K, y, L, validation=held), peers


@training((600, 6000, 60_000), "DSELECT, 100 of {n} digits", "MNIST-10")
def dselects(n):
    X, y = sample("MNIST-10", n)
    X = X / 255
    scale = mean_distance(X, rng=rng())

    def select(**how):
        K = Similarity(Gaussian(scale), X, pairwise=True)
        return ftune.dselect(K, y >= 5, 100, rng=rng(), **how)

    return select, {}
