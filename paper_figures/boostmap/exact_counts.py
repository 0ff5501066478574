"""How many exact distances a search takes for the same recall, by eight ways to search.

Half of the queries choose d and p, or the width of a search; the other half is measured. Beside the
counts stands what a method costs without its exact distances, which are looked up in a matrix: time
to train and to ask, and what it keeps.

Not handled here: the distances (:mod:`paper_figures.boostmap.any_distance`).
"""

import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from paper_figures.boostmap.any_distance import distances_between, objects_of
from paper_figures.boostmap.graphs import address_of
from paper_figures.comparisons.learners import spent
from paper_figures.registry import Job
from refimpl.boostmap import (
    BoostMapOptions,
    CandidateDistances,
    Triples,
    boostmap,
    nearby_triples,
    random_triples,
    selective_triples,
)
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.lipschitz import random_singletons
from refimpl.spaces import PrecomputedSpace
from refimpl.spaces.ranks import distances as embedded_distances
from refimpl.typing import BoolArray, FloatArray, IntArray, Labels

K = 10
RECALLS = (90, 95, 99)
STRETCHES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 4.0)
"""Shares of the triangle inequality's bound by which the vantage-point tree passes parts over."""
EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2)
LEAF = 8
Searches = list[tuple[FloatArray, FloatArray]]
"""For each width of a search the distances and the hits of each query."""


def exact_counts(
    job: Job,
    *,
    kind: str,
    data_set: str,
    objects: int,
    queries: int,
    sizes: dict[str, Any],
    versions: Mapping[str, str | None],
    draw: int,
) -> dict[str, Any]:
    """Return exact distances a query for a recall of 90, 95 and 99 % of the 10 nearest.

    A method's value has "build", the distances before the first query, and for each recall the
    mean "distances" of a query and the "recall" on the queries that were not used to choose. It has
    "train", processor seconds, "ask", milliseconds a query, both without exact distances, and
    "kept", the MB of what a query needs beside the objects. "microseconds" are those of an exact
    distance. The draws of objects and queries are counted by `draw`. `versions` has PyNNDescent's,
    or None where it is not installed and so left out.
    """
    rng = job.rng
    everything, labels = objects_of(job, kind, data_set, objects + queries, rng)
    X = everything[:objects]
    D_X = distances_between(kind, X, X, job.kernels)
    np.fill_diagonal(D_X, 0.0)
    between = spent(lambda: distances_between(kind, everything[objects:], X, job.kernels))
    D_Q = between.value
    return {
        "methods": {
            "all distances": {
                "build": 0,
                "at": {str(r): {"distances": float(objects), "recall": 100.0} for r in RECALLS},
            }
            | _costs(0.0, 0.0, None)
        }
        | _embeddings(job, D_X, D_Q, labels[:objects], sizes)
        | _trees(job, D_X, D_Q)
        | (_pynndescent(job, D_X, D_Q, sizes) if sizes["neighbors"] and all_of(versions) else {}),
        "broken": broken_triangles(D_X, rng),
        "microseconds": 1e6 * between.seconds / D_Q.size,
    }


def all_of(versions: Mapping[str, str | None]) -> bool:
    """Return whether every package is installed."""
    return None not in versions.values()


def _costs(train: float, ask: float, kept: Any) -> dict[str, float]:
    """Return what a method costs: seconds to train, seconds of a query, what is kept."""
    size = 0.0 if kept is None else len(pickle.dumps(kept)) / 1e6
    return {"train": train, "ask": 1000.0 * ask, "kept": size}


def broken_triangles(D: FloatArray, rng: np.random.Generator, drawn: int = 100_000) -> float:
    """Return the share, in per cent, of triples whose longest way is longer than the other two."""
    x, y, z = rng.integers(len(D), size=(3, drawn))
    slack = 1e-9 * D.max()
    return float(100 * np.mean(D[x, z] > D[x, y] + D[y, z] + slack))


# --------------------------------------------------------------------------------------- embeddings


def _embeddings(
    job: Job, D_X: FloatArray, D_Q: FloatArray, labels: Labels, sizes: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    n = len(D_X)
    rng = job.rng_for("embeddings")
    right = as_near(D_Q)
    picked = rng.permutation(n)[: sizes["candidates"] + sizes["objects"]]
    C = picked[: sizes["candidates"]]
    T = of_shared_classes(picked[sizes["candidates"] :], labels)
    given = CandidateDistances(D_X[np.ix_(T, C)].T.copy(), D_X[np.ix_(C, C)].T.copy())
    of_training = len(C) * (len(C) + len(T)) + len(T) ** 2
    part = PrecomputedSpace(D_X[np.ix_(C, C)])
    D_T = D_X[np.ix_(T, T)]
    options = BoostMapOptions(
        n_references=sizes["M_1"], n_best=sizes["M_2"], query_sensitive=sizes["query_sensitive"]
    )
    methods = {}
    for name, triples in (
        ("random triples", random_triples(D_T, sizes["triples"], rng=rng)),
        ("near triples", nearby_triples(D_T, sizes["k_most"], sizes["triples"], rng=rng)),
        ("selective triples", _selective(D_T, labels[T], sizes, rng)),
    ):
        of_triples = partial(boostmap, given, triples, sizes["d"], rng=rng, options=options)
        trained = spent(partial(of_triples, kernels=job.kernels, threads=1))
        model = trained.value
        short = [model.truncated(d) for d in sizes["dimensions"] if d <= model.d]
        for form, models in (("", short), (", query-sensitive", [model])):
            embedded = [(m, m.embed(part, D_Q[:, C]), m.embed(part, D_X[:, C])) for m in models]
            tried = [_ranks(job, *of_model, right) for of_model in embedded]
            build = of_training + n * models[-1].cost
            counts = [m.cost for m in models]
            costs = _costs(trained.seconds, _asking(job, *embedded[-1]), _kept(embedded[-1]))
            methods[f"BoostMap, {name}{form}"] = best_setting(tried, counts, build) | costs
    return methods | _rival_embeddings(job, D_X, D_Q, sizes, rng)


def of_shared_classes(T: IntArray, labels: Labels) -> IntArray:
    """Return the objects of T that share their class with another one, as § 10 needs them."""
    _, members, sizes = np.unique(labels[T], return_inverse=True, return_counts=True)
    shared: IntArray = T[sizes[members] > 1]
    return shared


def _selective(
    D: FloatArray, labels: Labels, sizes: dict[str, Any], rng: np.random.Generator
) -> Triples:
    return selective_triples(D, labels, sizes["k_selective"], sizes["triples"], rng=rng)


def _rival_embeddings(
    job: Job, D_X: FloatArray, D_Q: FloatArray, sizes: dict[str, Any], rng: np.random.Generator
) -> dict[str, dict[str, Any]]:
    space = PrecomputedSpace(D_X)
    n = len(D_X)
    right = as_near(D_Q)
    methods = {}
    rivals: dict[str, Callable[[], Any]] = {
        "FastMap": partial(fastmap, space, sizes["d"], rng=rng),
        "FastMap, clipped": partial(fastmap, space, sizes["d"], rng=rng, clip=True),
        "random references": partial(random_singletons, space, min(sizes["d"], n), rng=rng),
    }
    for name, train in rivals.items():
        trained = spent(train)
        short = [trained.value.truncated(d) for d in sizes["dimensions"] if d <= trained.value.d]
        embedded = [(m, m.embed(space, D_Q), m.embed(space, D_X)) for m in short]
        tried = [_ranks(job, *of_model, right) for of_model in embedded]
        build = n * short[-1].cost
        costs = _costs(trained.seconds, _asking(job, *embedded[-1]), _kept(embedded[-1]))
        methods[name] = best_setting(tried, [m.cost for m in short], build) | costs
    return methods


def _asking(job: Job, model: Any, Q: FloatArray, X: FloatArray) -> float:
    """Return the seconds in which a query, once embedded, is compared with all objects."""
    database = np.ascontiguousarray(X)
    asked = spent(partial(embedded_distances, model, Q, database, job.kernels, 1))
    return asked.seconds / len(Q)


def _kept(of_model: tuple[Any, FloatArray, FloatArray]) -> Any:
    """Return what a query needs: the model and the embedded database."""
    model, _, X = of_model
    return model, X


def as_near(D_Q: FloatArray) -> BoolArray:
    """Return which objects are as near to a query as its K-th nearest: at least K of each row."""
    limit = np.partition(D_Q, K - 1, axis=1)[:, K - 1 : K]
    near: BoolArray = limit >= D_Q
    return near


def _ranks(job: Job, model: Any, Q: FloatArray, X: FloatArray, right: BoolArray) -> IntArray:
    """Return the K lowest ranks, by the embedding, of the objects that are right for a query.

    With p candidates the search finds as many of them as have a rank of at most p.
    """
    D = embedded_distances(model, Q, np.ascontiguousarray(X), job.kernels, 1)
    lowest = np.sort(np.where(right, D, np.inf), axis=1)[:, :K]
    return np.array(
        [
            1 + np.searchsorted(np.sort(row), best, side="left")
            for row, best in zip(D, lowest, strict=True)
        ]
    )


def best_setting(tried: Sequence[IntArray], costs: Sequence[int], build: int) -> dict[str, Any]:
    """Choose d and p by the first half of the queries, and measure them on the second half."""
    at = {}
    half = len(tried[0]) // 2
    for recall in RECALLS:
        choices = []
        for place, ranks in enumerate(tried):
            p = max(K, candidates_for(ranks[:half], recall))
            choices.append((costs[place] + p, place, p))
        total, place, p = min(choices)
        found = float(100 * np.mean(tried[place][half:] <= p))
        at[str(recall)] = {"distances": float(total), "recall": found}
    return {"build": build, "at": at}


def candidates_for(ranks: IntArray, recall: float) -> int:
    """Return the least p at which so many per cent of the true nearest have a rank of at most p."""
    ordered = np.sort(ranks, axis=None)
    return int(ordered[math.ceil(recall / 100 * len(ordered) - 1e-9) - 1])


# ----------------------------------------------------------------------------- vantage-point tree


def _trees(job: Job, D_X: FloatArray, D_Q: FloatArray) -> dict[str, dict[str, Any]]:
    counted = [0]
    grow = partial(vantage_point_tree, D_X, np.arange(len(D_X)), job.rng_for("tree"), counted)
    grown = spent(grow)
    tree = grown.value
    right = as_near(D_Q)
    searches = []
    seconds = 0.0
    for stretch in STRETCHES:
        asked = spent(partial(_searched, tree, D_Q, stretch))
        seconds += asked.seconds / (len(STRETCHES) * len(D_Q))
        results = asked.value
        hits = [row[best].sum() for row, (best, _) in zip(right, results, strict=True)]
        searches.append((np.array([float(c) for _, c in results]), np.array(hits, dtype=float)))
    costs = _costs(grown.seconds, seconds, tree)
    return {"vantage-point tree": best_width(searches, counted[0]) | costs}


def _searched(tree: Any, D_Q: FloatArray, stretch: float) -> list[tuple[list[int], int]]:
    return [search_tree(tree, row, stretch) for row in D_Q]


def vantage_point_tree(
    D: FloatArray, ids: IntArray, rng: np.random.Generator, counted: list[int]
) -> Any:
    """Return a vantage-point tree: an array of objects, or (point, radius, inside, outside).

    P. N. Yianilos, Data structures and algorithms for nearest neighbor search in general metric
    spaces, SODA 1993. `counted` grows by the distances that it takes.
    """
    if len(ids) <= LEAF:
        return ids.tolist()
    place = int(rng.integers(len(ids)))
    point = int(ids[place])
    others = np.delete(ids, place)
    distances = D[point, others]
    counted[0] += len(others)
    radius = float(np.median(distances))
    inside = distances <= radius
    if inside.all():
        return ids.tolist()
    parts = (vantage_point_tree(D, others[half], rng, counted) for half in (inside, ~inside))
    return (point, radius, *parts)


def search_tree(tree: Any, row: FloatArray, stretch: float) -> tuple[list[int], int]:
    """Return the K nearest that a search finds, and how many distances of `row` it looked at.

    A part is passed over if its bound by the triangle inequality times `stretch` is beyond the K-th
    nearest so far: with 1 the search is exact in a metric space, with 0 it passes nothing over.
    """
    best: list[tuple[float, int]] = []
    looked = 0
    waiting = [(0.0, tree)]
    while waiting:
        bound, node = waiting.pop()
        if len(best) == K and bound * stretch > best[-1][0]:
            continue
        here = node if isinstance(node, list) else [node[0]]
        looked += len(here)
        best = sorted(best + [(float(row[x]), x) for x in here])[:K]
        if not isinstance(node, list):
            point, radius, inside, outside = node
            gap = float(row[point]) - radius
            nearer, farther = (outside, inside) if gap > 0 else (inside, outside)
            waiting.append((max(bound, abs(gap)), farther))
            waiting.append((bound, nearer))
    return [x for _, x in best], looked


def best_width(searches: Searches, build: int) -> dict[str, Any]:
    """Choose the width by the first half of the queries, and measure it on the second half.

    Where a width finds too few and another more than is asked, a share of the queries gets the one
    and the others the other, so that nobody pays for recall beyond the one that is asked. An
    embedding needs none of this: its p is any number.
    """
    at: dict[str, Any] = {}
    half = len(searches[0][0]) // 2
    first = [(float(d[:half].mean()), float(100 / K * h[:half].mean())) for d, h in searches]
    second = [(float(d[half:].mean()), float(100 / K * h[half:].mean())) for d, h in searches]
    for recall in RECALLS:
        choices = []
        for wide, (distances, hits) in enumerate(first):
            if hits < recall:
                continue
            choices.append((distances, wide, wide, 1.0))
            for narrow, (fewer, short) in enumerate(first):
                if short < recall:
                    share = (recall - short) / (hits - short)
                    choices.append(((1 - share) * fewer + share * distances, narrow, wide, share))
        if choices:
            _, narrow, wide, share = min(choices)
            distances, hits = (
                (1 - share) * a + share * b
                for a, b in zip(second[narrow], second[wide], strict=True)
            )
            at[str(recall)] = {"distances": distances, "recall": hits}
    return {"build": build, "at": at}


# -------------------------------------------------------------------------------------- PyNNDescent


def _pynndescent(
    job: Job, D_X: FloatArray, D_Q: FloatArray, sizes: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Search by PyNNDescent, which gets each object as its number, and a distance of numbers."""
    from pynndescent import NNDescent  # an extra

    n = len(D_X)
    counter = np.zeros(1, dtype=np.int64)
    table = np.ascontiguousarray(np.concatenate([D_X, D_Q]), dtype=np.float64)
    numbers = np.arange(len(table), dtype=np.float32)[:, np.newaxis]

    def grow() -> Any:
        options = {"n_neighbors": sizes["neighbors"], "tree_init": False, "n_jobs": 1}
        metric = _looked_up(table, counter)
        index = NNDescent(numbers[:n], metric=metric, random_state=job.seed, **options)
        index.prepare()
        return index

    right = as_near(D_Q)
    grown = spent(grow)
    build = int(counter[0])

    def search(epsilon: float) -> tuple[FloatArray, FloatArray]:
        counts = np.empty(len(D_Q))
        hits = np.empty(len(D_Q))
        for i in range(len(D_Q)):
            counter[0] = 0
            ids, _ = grown.value.query(numbers[n + i : n + i + 1], k=K, epsilon=epsilon)
            counts[i] = counter[0]
            hits[i] = right[i, ids[0]].sum()
        return counts, hits

    search(EPSILONS[0])  # compiles
    asked = [spent(partial(search, epsilon)) for epsilon in EPSILONS]
    seconds = sum(a.seconds for a in asked) / (len(asked) * len(D_Q))
    costs = _costs(grown.seconds, seconds, grown.value.neighbor_graph)
    return {"PyNNDescent": best_width([a.value for a in asked], build) | costs}


def _looked_up(table: FloatArray, counter: IntArray) -> Callable[[Any, Any], Any]:
    """Return a compiled distance of two numbers of objects, which counts its calls.

    The first n rows and all columns of `table` are the database's, further rows queries; a query's
    distance goes from the query to the object, whichever comes first.
    """
    import numba  # an extra, PyNNDescent's

    n = table.shape[1]
    size = table.size
    of_table = table.ctypes.data
    of_counter = counter.ctypes.data
    floats = address_of("float64")
    integers = address_of("int64")

    @numba.njit  # type: ignore[untyped-decorator] # numba has no hints
    def distance(a: Any, b: Any) -> Any:
        numba.carray(integers(of_counter), (1,))[0] += 1
        i = int(a[0])
        j = int(b[0])
        if j >= n:
            i, j = j, i
        return np.float32(numba.carray(floats(of_table), (size,))[i * n + j])

    compiled: Callable[[Any, Any], Any] = distance
    return compiled
