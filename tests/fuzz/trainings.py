"""Whole trainings on small problems. Both twins must agree bit for bit, on any number of threads;
`blas.py` compares what different BLAS kernels give.

A training may refuse a problem with a ValueError, a TypeError or a MemoryError: then all runs must
refuse it with the same words. Any other error, and any RuntimeWarning, is a find.
"""

import hashlib
import warnings
from dataclasses import fields, is_dataclass

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

from .compare import Difference, require_same
from .problems import distances, joint_problem, labels, one_of, similarities, training_points

RUNS = tuple((kernels, n) for kernels in (refimpl.kernels, refimpl_fast) for n in (1, 2, 7))
REFUSALS = (ValueError, TypeError, MemoryError)

TRAININGS = {}
"""For each training a function that draws a problem and returns a function of a generator,
`kernels` and `threads` that trains and uses the model: (what must be the same, facts for
`blas.py`).
"""


def training(draw):
    """Enter the function under its own name."""
    TRAININGS[draw.__name__] = draw
    return draw


# --------------------------------------------------------------------------------- Boosted Distance


@training
def boosted_distance(rng):
    X, Q = training_points(rng, 16)
    y = labels(rng, X)
    T = int(rng.integers(1, 8))
    learner = DepthTwoTrees() if rng.random() < 0.3 else None
    normalize = bool(rng.random() < 0.5)

    def train(stream, **how):
        model = bd.boosted_distance(X, y, T, weak_learner=learner, **how)
        near = bd.nearest_neighbor_boosted_distance(model, Q, X, y, normalize=normalize, **how)
        return (model, near), {}

    return train


@training
def adaboost(rng):
    X, Q = training_points(rng, 20)
    y = labels(rng, X, 2)
    T = int(rng.integers(1, 12))

    def train(stream, **how):
        model = adaboost_classifier(X, y, T, **how)
        return (model, model.predict(Q)), {}

    return train


# ----------------------------------------------------------------------------------------- BoostMap


@training
def boostmap(rng):
    X, _ = training_points(rng)
    D = distances(X, X)
    t = int(rng.integers(2, 120))
    k_most = int(rng.integers(2, max(3, len(X) // 3)))
    triples_of = one_of(
        rng,
        lambda stream: bm.random_triples(D, t, rng=stream),
        lambda stream: bm.nearby_triples(D, k_most, t, rng=stream),
        lambda stream: bm.selective_triples(D, y, k_most, t, rng=stream),
    )
    y = labels(rng, X)
    d = int(rng.integers(1, 6))
    options = bm.BoostMapOptions(
        n_references=int(rng.integers(1, 12)),
        n_pairs=one_of(rng, None, 0, 5),
        n_best=one_of(rng, 1, 3, 200),
        query_sensitive=int(rng.integers(0, 4)),
        n_thresholds=int(rng.integers(1, 6)),
        ranges_by=one_of(rng, "error", "Z"),
        splitters=one_of(rng, "one", "both"),
        max_rounds=40,
        least_gain=one_of(rng, 0.0, 0.05, 0.5),
    )
    chosen = np.sort(rng.choice(len(X), rng.integers(3, len(X) + 1), replace=False))

    def train(stream, **how):
        candidates = bm.CandidateDistances(D[chosen], D[np.ix_(chosen, chosen)], chosen)
        return bm.boostmap(
            candidates, triples_of(stream), d, rng=stream, options=options, **how
        ), {}

    return train


# ------------------------------------------------------------------------------------ search forest


@training
def search_forest(rng):
    X, Q = training_points(rng)
    if rng.random() < 0.3 and max(np.abs(X).max(), np.abs(Q).max()) < 1e30:
        X = X.astype(np.float32)
        Q = Q.astype(np.float32)
    y = labels(rng, X)
    near = int(rng.integers(0, min(6, len(X))))
    M = int(rng.integers(1, 4))
    lam = one_of(rng, 0.02, 0.1, 0.3, 0.6)
    options = sf.ForestOptions(
        max_depth=one_of(rng, 1, 3, 16),
        max_leaves=one_of(rng, None, None, 3),
        stump_above=one_of(rng, None, None, 0, 8),
        n_stumps=int(rng.integers(1, 5)),
        offset=one_of(rng, "eigenvector", "best"),
        refine=one_of(rng, 0, 0, 1, 10),
        augment=one_of(rng, 0.1, 1.0),
        pairs=one_of(rng, "meeting", "dense"),
    )

    def train(stream, **how):
        S = sf.neighbor_similarity(X, near, **how) if near else sf.label_similarity(y)
        forest = sf.search_forest(X, S, M, lam, rng=stream, options=options, **how)
        index = sf.InvertedIndex(forest, X, **how)
        index.delete([0])
        index.add(Q)
        found = index.query(Q, 2), index.query(X, 3, n_candidates=4)
        return (S.indptr, S.indices, forest, found), {}

    return train


# --------------------------------------------------------------------------------------------- LMNN


def _lmnn_facts(model, options, k):
    return {
        "objective": model.objective,
        "bound": model.bound,
        "converged": model.converged,
        # below this an objective counts as 0; `lmnn` compares with less where mu is small
        "small": 1e-3 * len(model.partition) * k,
        "tol": 1e-3 if options.tol is None else options.tol,
    }


def _lmnn_options(rng, X, y, Q):
    validation = None
    if rng.random() < 0.2:
        validation = (Q, [y[i] for i in rng.integers(0, len(X), len(Q))])
    return {
        "search": one_of(rng, "product", "tree"),
        "tol": one_of(rng, None, 1e-2),
        "max_checks": one_of(rng, 3, 30, 200),
        "validation": validation,
    }


@training
def lmnn(rng):
    X, Q = training_points(rng, 20)
    y = labels(rng, X, 3)
    k = int(rng.integers(1, 3))
    mu = one_of(rng, 1.0, 1.0, 0.1, 20.0)
    solver = one_of(rng, None, None, "printed")
    rounds = one_of(rng, 1, 1, 2)
    options = lm.LMNNOptions(solver=solver, n_target_rounds=rounds, **_lmnn_options(rng, X, y, Q))
    partition = None
    if rng.random() < 0.3:
        partition = y if rng.random() < 0.5 else rng.integers(0, 2, len(X))

    def train(stream, **how):
        model = lm.lmnn(X, y, k, mu, partition=partition, options=options, **how)
        labelled = lm.classify(model, Q, X, y, k, **how)
        facts = _lmnn_facts(model, options, k)
        # with other targets, or ended by a validation error, another problem may be solved
        facts["comparable"] = options.validation is None and rounds == 1
        return (model, labelled), facts

    return train


@training
def lmnn_of_parts(rng):
    X, y, k, partition = joint_problem(rng)
    mu = one_of(rng, 1.0, 1.0, 0.1, 20.0)
    options = lm.LMNNOptions()

    def train(stream, **how):
        model = lm.lmnn(X, y, k, mu, partition=partition, options=options, **how)
        if not model.converged:
            raise Difference(f"lmnn_of_parts: {model.message}")
        return model, _lmnn_facts(model, options, k) | {"comparable": True}

    return train


@training
def lmnn_rect(rng):
    X, Q = training_points(rng, 20)
    y = labels(rng, X, 3)
    k = int(rng.integers(1, 3))
    r = int(rng.integers(1, X.shape[1] + 1))
    options = lm.LMNNOptions(**_lmnn_options(rng, X, y, Q))

    def train(stream, **how):
        model = lm.lmnn_rect(X, y, r, k, options=options, **how)
        return (model, lm.classify(model, Q, X, y, k, **how)), {}

    return train


# -------------------------------------------------------------------------------------------- FTUNE


def _ftune_problem(rng):
    X, Q = training_points(rng)
    y = labels(rng, X)
    K, new = similarities(rng, X, Q)
    return y, K, new


def _ftune_options(rng, choose):
    family = one_of(rng, (1.0,), (5.0, np.inf), (1.0, 10.0, 1000.0))
    C = (one_of(rng, 1.0, 100.0),) if choose == "training" else (1.0, 10.0, 1000.0)
    return ft.FTuneOptions(
        family=family,
        loss=one_of(rng, "squared_hinge", "hinge", "logistic"),
        C=C,
        bias=one_of(rng, 0.0, 1.0),
        choose=choose,
        per_class=bool(rng.random() < 0.4),
    )


def _ftune_facts(model, bias, n):
    """The classifiers, and how far from the best each of them can be: TRAIN's objective is
    1-strongly convex, so a gap of g allows a distance of sqrt(2 g).
    """
    n_f = len(model.slopes)
    gaps = model.gaps.reshape(len(model.w), n_f, -1)
    losses = model.losses.reshape(gaps.shape)
    radii = []
    for p, (f, C) in enumerate(zip(model.f, model.C, strict=True)):
        squares = (model.w[p] ** 2).sum() + ((model.b[p] / bias) ** 2 if bias else 0.0)
        objective = squares / 2 + C * n * losses[p, f].max()
        radii.append(float(np.sqrt(2 * gaps[p, f].max() * objective) + 1e-9 * np.sqrt(squares)))
    return {
        "f": model.f.tolist(),
        "C": model.C.tolist(),
        "w": np.column_stack([model.w, model.b / (bias or 1.0)]).tolist(),
        "radii": radii,
    }


def _ftune_arguments(rng):
    y, K, new = _ftune_problem(rng)
    choose = one_of(rng, "validation", "training")
    options = _ftune_options(rng, choose)
    d = int(rng.integers(1, 8))
    pool = bool(rng.random() < 0.5)
    pairs = ft.random_landmarks(y, d, rng=rng, pool=pool)
    validation = (K, y) if choose == "validation" else None
    return K, y, new, pairs, {"validation": validation, "options": options}


@training
def ftune(rng):
    K, y, new, pairs, options = _ftune_arguments(rng)
    bias = options["options"].bias

    def train(stream, **how):
        model = ft.ftune(K, y, pairs, **options, **how)
        return (model, model.predict(K, new)), _ftune_facts(model, bias, len(K))

    return train


@training
def ftune_single_and_per_class(rng):
    K, y, new, pairs, options = _ftune_arguments(rng)
    bias = options["options"].bias

    def train(stream, **how):
        both = ft.ftune_single_and_per_class(K, y, pairs, **options, **how)
        labelled = [model.predict(K, new) for model in both]
        return (both, labelled), _ftune_facts(both[1], bias, len(K))

    return train


@training
def bbs(rng):
    y, K, new = _ftune_problem(rng)
    d = int(rng.integers(1, 8))
    options = _ftune_options(rng, "training")
    diverse = bool(rng.random() < 0.5)

    def train(stream, **how):
        if diverse:
            landmarks = ft.diverse_landmarks(K, d, rng=stream, **how)
        else:
            landmarks = ft.random_landmarks(y, d, rng=stream).L
        model = ft.bbs(K, y, landmarks, options=options, **how)
        return (landmarks, model, model.predict(K, new)), _ftune_facts(model, options.bias, len(K))

    return train


@training
def dselect(rng):
    y, K, _ = _ftune_problem(rng)
    d = int(rng.integers(1, 12))
    by_class = one_of(rng, None, True, False)
    per_problem = bool(rng.random() < 0.3)

    def train(stream, **how):
        return ft.dselect(
            K, y, d, rng=stream, by_class=by_class, per_problem=per_problem, **how
        ), {}

    return train


# --------------------------------------------------------------------------------------- the rivals


@training
def dboost_(rng):
    y, K, new = _ftune_problem(rng)
    T = int(rng.integers(1, 8))
    m = int(rng.integers(1, 4))
    by_weight = bool(rng.random() < 0.5)

    def train(stream, **how):
        model = dboost(K, y, T, rng=stream, m=m, by_weight=by_weight, **how)
        return (model, model.predict(K, new)), {}

    return train


@training
def kmeans_trees_(rng):
    X, Q = training_points(rng, 60)
    n_trees = int(rng.integers(1, 4))
    branching = int(rng.integers(2, 6))

    def train(stream, **how):
        trees = kmeans_trees(X, n_trees, rng=stream, branching=branching, leaf_size=5, **how)
        return (trees, trees.candidates(Q, 5, **how), trees.colliding(Q, **how)), {}

    return train


@training
def lsh_(rng):
    X, Q = training_points(rng, 60)
    p = int(rng.integers(1, 3))
    k = int(rng.integers(1, 4))
    w = one_of(rng, 0.1, 1.0, 30.0)

    def train(stream, **how):
        tables = lsh(X, 3, k, w, rng=stream, p=p, **how)
        return (tables, tables.candidates(Q, 5, **how)), {}

    return train


@training
def spectral_hashing_(rng):
    X, Q = training_points(rng, 60)
    bits = int(rng.integers(1, 20))

    def train(stream, **how):
        model = spectral_hashing(X, bits, **how)
        return (model, model.encode(Q, **how)), {}

    return train


@training
def rotated_scan_(rng):
    X, Q = training_points(rng, 60)

    def train(stream, **how):
        return rotated_scan(Q, X, 3, **how), {}

    return train


# ------------------------------------------------------------------------------------------ a case


def run(seed, number, only=None):
    """Run case `number` of a seed, of one training if `only` names it.

    Returns the training's name, the kind of case ("trained" or "refused"), and its answer: a digest
    of what came out, and facts about it.
    """
    rng = np.random.default_rng([seed, number, 1])
    names = list(TRAININGS)
    name = only or names[rng.integers(len(names))]
    train = TRAININGS[name](rng)
    seed = rng.integers(2**32)
    first = None
    for kernels, threads in RUNS:
        answer = _outcome(train, seed, kernels, threads)
        if first is None:
            first = answer
            continue
        try:
            _require_same_outcome(first, answer)
        except Difference as difference:
            where = f"{kernels.__name__} with {threads} threads"
            raise Difference(
                f"{name}: {where} beside refimpl.kernels with 1: {difference}"
            ) from None
    results, facts, error = first
    if error is not None:
        if not isinstance(error, REFUSALS):
            raise Difference(f"{name}: {type(error).__name__}: {error}")
        return name, "refused", {"digest": f"{type(error).__name__}: {error}", "facts": {}}
    return name, "trained", {"digest": digest(results), "facts": facts}


def _outcome(train, seed, kernels, threads):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return *train(np.random.default_rng(seed), kernels=kernels, threads=threads), None
        except Exception as error:
            return None, None, error


def _require_same_outcome(first, other):
    if (first[2] is None) != (other[2] is None) or repr(first[2]) != repr(other[2]):
        raise Difference(f"{other[2]!r}; the first run {first[2]!r}")
    if first[2] is None:
        require_same("result", other[0], first[0])


def digest(result):
    """A hash of all arrays and numbers of a result."""
    hashed = hashlib.sha256()
    for name, array in _arrays("result", result):
        hashed.update(f"{name} {array.dtype} {array.shape}".encode())
        hashed.update(repr(array.tolist()).encode() if array.dtype == object else array.tobytes())
    return hashed.hexdigest()[:16]


def _arrays(name, value):
    if is_dataclass(value):
        for field in fields(value):
            yield from _arrays(f"{name}.{field.name}", getattr(value, field.name))
    elif isinstance(value, tuple | list) and not all(np.isscalar(part) for part in value):
        for place, part in enumerate(value):
            yield from _arrays(f"{name}[{place}]", part)
    else:
        yield name, np.asarray(value)
