"""Whole trainings on small problems. Both twins must agree bit for bit, on any number of threads;
:data:`WITHOUT_BLAS` on any BLAS kernel, too.

A training may refuse a problem with a ValueError, a TypeError or a MemoryError: then all runs must
refuse it with the same words. Any other error, and any RuntimeWarning, is a find.
"""

import warnings

import joblib
import numpy as np

import refimpl.kernels
import refimpl_fast
from refimpl import boosted_distance as bd
from refimpl import boostmap as bm
from refimpl import ftune as ft
from refimpl import lmnn as lm
from refimpl import search_forest as sf
from refimpl.boosted_distance.weak_learners import DepthTwoTrees
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.dboost import dboost
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.rotated_scan import rotated_scan
from refimpl.rivals.spectral_hashing import spectral_hashing
from tests.support.agreement import Difference, assert_same

from .hard import Hard
from .problems import distances, joint_problem, labels, similarities, training_points

RUNS = tuple((kernels, n) for kernels in (refimpl.kernels, refimpl_fast) for n in (1, 2, 7))
REFUSALS = (ValueError, TypeError, MemoryError)

TRAININGS = {}
"""For each training a function that draws a problem from a :class:`~tests.fuzz.hard.Hard`. It
returns a function of a generator, `kernels` and `threads` that trains, uses the model, and returns
what must be the same.
"""
WITHOUT_BLAS = (
    "boosted_distance",
    "adaboost",
    "boostmap",
    "dselect",
    "dboost_",
    "kmeans_trees_",
    "lsh_",
)


def training(draw):
    """Enter the function under its own name."""
    TRAININGS[draw.__name__] = draw
    return draw


# --------------------------------------------------------------------------------- Boosted Distance


@training
def boosted_distance(s):
    X, Q = training_points(s, 16)
    y = labels(s, X)
    T = s.integer(1, 7)
    learner = DepthTwoTrees() if s.chance(0.3) else None
    normalize = s.chance(0.5)

    def train(rng, **how):
        model = bd.boosted_distance(X, y, T, weak_learner=learner, **how)
        near = bd.nearest_neighbor_boosted_distance(model, Q, X, y, normalize=normalize, **how)
        return model, near

    return train


@training
def adaboost(s):
    X, Q = training_points(s, 20)
    y = labels(s, X, 2)
    T = s.integer(1, 11)

    def train(rng, **how):
        model = adaboost_classifier(X, y, T, **how)
        return model, model.predict(Q)

    return train


# ----------------------------------------------------------------------------------------- BoostMap


@training
def boostmap(s):
    X, _ = training_points(s)
    D = distances(X, X)
    y = labels(s, X)
    t = s.integer(2, 119)
    k_most = s.integer(2, max(2, len(X) // 3 - 1))
    triples_of = s.pick(
        lambda rng: bm.random_triples(D, t, rng=rng),
        lambda rng: bm.nearby_triples(D, k_most, t, rng=rng),
        lambda rng: bm.selective_triples(D, y, k_most, t, rng=rng),
    )
    d = s.integer(1, 5)
    options = bm.BoostMapOptions(
        n_references=s.integer(1, 11),
        n_pairs=s.pick(None, 0, 5),
        n_best=s.pick(1, 3, 200),
        query_sensitive=s.integer(0, 3),
        n_thresholds=s.integer(1, 5),
        ranges_by=s.pick("error", "Z"),
        splitters=s.pick("one", "both"),
        max_rounds=40,
        least_gain=s.pick(0.0, 0.05, 0.5),
    )
    chosen = np.flatnonzero(s.booleans(len(X)))
    chosen = chosen if len(chosen) > 2 else np.arange(3)

    def train(rng, **how):
        candidates = bm.CandidateDistances(D[chosen], D[np.ix_(chosen, chosen)], chosen)
        return bm.boostmap(candidates, triples_of(rng), d, rng=rng, options=options, **how)

    return train


# ------------------------------------------------------------------------------------ search forest


@training
def search_forest(s):
    X, Q = training_points(s)
    if s.chance(0.3) and max(np.abs(X).max(), np.abs(Q).max()) < 1e30:
        X, Q = X.astype(np.float32), Q.astype(np.float32)
    y = labels(s, X)
    near = s.integer(0, min(6, len(X)) - 1)
    M = s.integer(1, 3)
    lam = s.pick(0.02, 0.1, 0.3, 0.6)
    options = sf.ForestOptions(
        max_depth=s.pick(1, 3, 16),
        max_leaves=s.pick(None, None, 3),
        stump_above=s.pick(None, None, 0, 8),
        n_stumps=s.integer(1, 4),
        offset=s.pick("eigenvector", "best"),
        refine=s.pick(0, 0, 1, 10),
        augment=s.pick(0.1, 1.0),
        pairs=s.pick("meeting", "dense"),
    )

    def train(rng, **how):
        S = sf.neighbor_similarity(X, near, **how) if near else sf.label_similarity(y)
        forest = sf.search_forest(X, S, M, lam, rng=rng, options=options, **how)
        index = sf.InvertedIndex(forest, X, **how)
        index.delete([0])
        index.add(Q)
        return S.indptr, S.indices, forest, index.query(Q, 2), index.query(X, 3, n_candidates=4)

    return train


# --------------------------------------------------------------------------------------------- LMNN


def _lmnn_options(s, X, y, Q, **more):
    validation = None
    if s.chance(0.2):
        validation = (Q, [y[i] for i in s.array(len(Q), 0, len(X) - 1)])
    return lm.LMNNOptions(
        search=s.pick("product", "tree"),
        tol=s.pick(None, 1e-2),
        max_checks=s.pick(3, 30, 200),
        validation=validation,
        **more,
    )


@training
def lmnn(s):
    X, Q = training_points(s, 20)
    y = labels(s, X, 3)
    k = s.integer(1, 2)
    mu = s.pick(1.0, 1.0, 0.1, 20.0)
    solver = s.pick(None, None, "printed")
    rounds = s.pick(1, 1, 2)
    options = _lmnn_options(s, X, y, Q, solver=solver, n_target_rounds=rounds)
    partition = s.pick(y, s.array(len(X), 0, 1)) if s.chance(0.3) else None

    def train(rng, **how):
        model = lm.lmnn(X, y, k, mu, partition=partition, options=options, **how)
        return model, lm.classify(model, Q, X, y, k, **how)

    return train


@training
def lmnn_of_parts(s):
    X, y, k, partition = joint_problem(s)
    mu = s.pick(1.0, 1.0, 0.1, 20.0)

    def train(rng, **how):
        model = lm.lmnn(X, y, k, mu, partition=partition, **how)
        if not model.converged:
            raise Difference(f"lmnn_of_parts: {model.message}")
        return model

    return train


@training
def lmnn_rect(s):
    X, Q = training_points(s, 20)
    y = labels(s, X, 3)
    k = s.integer(1, 2)
    r = s.integer(1, X.shape[1])
    options = _lmnn_options(s, X, y, Q)

    def train(rng, **how):
        model = lm.lmnn_rect(X, y, r, k, options=options, **how)
        return model, lm.classify(model, Q, X, y, k, **how)

    return train


# -------------------------------------------------------------------------------------------- FTUNE


def _ftune_problem(s):
    X, Q = training_points(s)
    y = labels(s, X)
    return y, *similarities(s, X, Q)


def _ftune_options(s, choose):
    return ft.FTuneOptions(
        family=s.pick((1.0,), (5.0, np.inf), (1.0, 10.0, 1000.0)),
        loss=s.pick("squared_hinge", "hinge", "logistic"),
        C=(s.pick(1.0, 100.0),) if choose == "training" else (1.0, 10.0, 1000.0),
        bias=s.pick(0.0, 1.0),
        choose=choose,
        per_class=s.chance(0.4),
    )


def _ftune_arguments(s):
    y, K, new = _ftune_problem(s)
    choose = s.pick("validation", "training")
    pairs = ft.random_landmarks(y, s.integer(1, 7), rng=s.rng, pool=s.chance(0.5))
    validation = (K, y) if choose == "validation" else None
    return K, y, new, pairs, {"validation": validation, "options": _ftune_options(s, choose)}


@training
def ftune(s):
    K, y, new, pairs, given = _ftune_arguments(s)

    def train(rng, **how):
        model = ft.ftune(K, y, pairs, **given, **how)
        return model, model.predict(K, new)

    return train


@training
def ftune_single_and_per_class(s):
    K, y, new, pairs, given = _ftune_arguments(s)

    def train(rng, **how):
        both = ft.ftune_single_and_per_class(K, y, pairs, **given, **how)
        return both, [model.predict(K, new) for model in both]

    return train


@training
def bbs(s):
    y, K, new = _ftune_problem(s)
    d = s.integer(1, 7)
    options = _ftune_options(s, "training")
    landmarks_of = s.pick(
        lambda rng, **how: ft.diverse_landmarks(K, d, rng=rng, **how),
        lambda rng, **how: ft.random_landmarks(y, d, rng=rng).L,
    )

    def train(rng, **how):
        landmarks = landmarks_of(rng, **how)
        model = ft.bbs(K, y, landmarks, options=options, **how)
        return model, landmarks, model.predict(K, new)

    return train


@training
def dselect(s):
    y, K, _ = _ftune_problem(s)
    d = s.integer(1, 11)
    given = {"by_class": s.pick(None, True, False), "per_problem": s.chance(0.3)}
    return lambda rng, **how: ft.dselect(K, y, d, rng=rng, **given, **how)


# --------------------------------------------------------------------------------------- the rivals


@training
def dboost_(s):
    y, K, new = _ftune_problem(s)
    T = s.integer(1, 7)
    given = {"m": s.integer(1, 3), "by_weight": s.chance(0.5)}

    def train(rng, **how):
        model = dboost(K, y, T, rng=rng, **given, **how)
        return model, model.predict(K, new)

    return train


@training
def kmeans_trees_(s):
    X, Q = training_points(s, 60)
    n_trees = s.integer(1, 3)
    branching = s.integer(2, 5)

    def train(rng, **how):
        trees = kmeans_trees(X, n_trees, rng=rng, branching=branching, leaf_size=5, **how)
        return trees, trees.candidates(Q, 5, **how), trees.colliding(Q, **how)

    return train


@training
def lsh_(s):
    X, Q = training_points(s, 60)
    p, k = s.integer(1, 2), s.integer(1, 3)
    w = s.pick(0.1, 1.0, 30.0)

    def train(rng, **how):
        tables = lsh(X, 3, k, w, rng=rng, p=p, **how)
        return tables, tables.candidates(Q, 5, **how)

    return train


@training
def spectral_hashing_(s):
    X, Q = training_points(s, 60)
    bits = s.integer(1, 19)

    def train(rng, **how):
        model = spectral_hashing(X, bits, **how)
        return model, model.encode(Q, **how)

    return train


@training
def rotated_scan_(s):
    X, Q = training_points(s, 60)
    return lambda rng, **how: rotated_scan(Q, X, 3, **how)


# ------------------------------------------------------------------------------------------ a case


def run(seed, number, only=None):
    """Run case `number` of a seed, of one training if `only` names it.

    Returns the training's name, the kind of case ("trained" or "refused"), and a digest of what
    came out.
    """
    source = Hard(np.random.default_rng([seed, number, 1]), tame=False)
    name = source.pick(*TRAININGS)
    name = only or name
    train = TRAININGS[name](source)
    seed = source.integer(0, 2**32 - 1)
    results, error = _outcome(train, seed, *RUNS[0])
    for kernels, threads in RUNS[1:]:
        others, other = _outcome(train, seed, kernels, threads)
        try:
            if repr(error) != repr(other):
                raise Difference(f"{other!r}; the first run {error!r}")
            assert_same(others, results)
        except Difference as difference:
            where = f"{kernels.__name__} with {threads} threads"
            raise Difference(
                f"{name}: {where} beside refimpl.kernels with 1: {difference}"
            ) from None
    if error is None:
        return name, "trained", joblib.hash(results)
    if not isinstance(error, REFUSALS):
        raise Difference(f"{name}: {type(error).__name__}: {error}")
    return name, "refused", f"{type(error).__name__}: {error}"


def _outcome(train, seed, kernels, threads):
    """Return the results, or None, and the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return train(np.random.default_rng(seed), kernels=kernels, threads=threads), None
        except Exception as error:
            return None, error
