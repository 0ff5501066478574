"""What the figures of Li et al. (2011) compute; a change here computes them anew.

A task gets a :class:`paper_figures.registry.Job` and its parameters. The protocol is that of § 4:
the database is searched for each query, and recall is the share of the query's K nearest among the
returned items.

What the paper leaves open is chosen by one rule for all methods: the setting of the largest mean
recall along the curve is taken, on a part of the database, with other points of it for queries. The
true queries play no part in the choice.
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import ndtri

from paper_figures.registry import Job, load_kernels
from refimpl.ball_trees import nearest_neighbors
from refimpl.kernels import SearchForest
from refimpl.rivals.candidates import Candidates, recall
from refimpl.rivals.hamming_scan import hamming_scan
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import ForestOptions, InvertedIndex, neighbor_similarity, search_forest
from refimpl.typing import FloatArray, Int32Array, IntArray, UInt64Array

HELD_OUT = 300  # points of the database that are the queries when settings are chosen


# ------------------------------------------------------------------------------------------- points


@lru_cache(maxsize=2)
def _components(data_set: str, data_dir: str | None, d: int) -> tuple[Any, Any]:
    """Return database and queries on the leading principal components of the database.

    The mean squared length of the database is 1.
    """
    loaded = Job(0, {}, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X - loaded.X[: loaded.n_train].mean(axis=0)
    vectors = np.linalg.eigh(X[: loaded.n_train].T @ X[: loaded.n_train])[1][:, ::-1]
    Z = X @ vectors[:, :d]
    Z /= np.sqrt((Z[: loaded.n_train] ** 2).sum(axis=1).mean())
    return Z[: loaded.n_train].astype(np.float32), Z[loaded.n_train :].astype(np.float32)


@lru_cache(maxsize=4)
def _truth(
    data_set: str, data_dir: str | None, d: int, queries: int, K: int, kernels_name: str
) -> IntArray:
    """Return the true neighbours of the queries."""
    X, Q = _components(data_set, data_dir, d)
    return nearest_neighbors(Q[:queries], X, K, kernels=load_kernels(kernels_name)).indices


def load_problem(job: Job, at: dict[str, Any]) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return database, queries, their true neighbours."""
    X, Q = _components(at["data_set"], job.data_dir, at["d"])
    near = _truth(at["data_set"], job.data_dir, at["d"], at["queries"], at["K"], job.kernels_name)
    return X, Q[: at["queries"]], near


def load_trial(
    job: Job, at: dict[str, Any]
) -> tuple[FloatArray, FloatArray, IntArray, dict[str, Any]]:
    """Return the same for the choice of settings on a part of the database, and its parameters.

    K and the counts shrink with the database, so that the neighbours lie as near as among all
    points.
    """
    X, _ = _components(at["data_set"], job.data_dir, at["d"])
    order = job.rng_for("trial", at["data_set"]).permutation(len(X))
    share = at["trial"] / len(X)
    small = at | {
        "K": max(1, round(share * at["K"])),
        "share": share,
        "counts": [max(1, round(share * count)) for count in at["counts"]],
    }
    Q = X[order[:HELD_OUT]]
    X = X[order[HELD_OUT : HELD_OUT + at["trial"]]]
    return X, Q, nearest_neighbors(Q, X, small["K"], kernels=job.kernels).indices, small


def _best(
    job: Job, at: dict[str, Any], settings: Sequence[Any], search: Callable[..., Any]
) -> tuple[Any, list[list[Any]]]:
    """Return the setting of the largest mean recall along the curve, and every setting's."""
    if len(settings) == 1:
        return settings[0], []
    X, Q, near, small = load_trial(job, at)
    tried = [
        float(recall(search(X, Q, s, small), near, small["counts"])[0].mean()) for s in settings
    ]
    return settings[int(np.argmax(tried))], [[s, r] for s, r in zip(settings, tried, strict=True)]


def _curve(chosen: Any, near: IntArray, counts: Sequence[int]) -> dict[str, Any]:
    """Return recall and returned items at the counts."""
    recalls, returned = recall(chosen, near, counts)
    mean = float(chosen.counts.mean())
    return {"recall": 100 * recalls, "returned": returned, "candidates": mean}


# ---------------------------------------------------------------------------------- Figures 1 and 2


def forest(
    job: Job,
    *,
    lams: Sequence[float],
    n_train: int,
    max_depth: int,
    trees: int,
    refine: int = 0,
    offset: str = "eigenvector",
    augment: float = 0.1,
    **at: Any,
) -> dict[str, Any]:
    """Return the forest's curve: lambda chosen, learnt from `n_train` points, all of them indexed.

    By default the trees are those of the printed form.
    """
    options: dict[str, Any] = {
        "max_depth": max_depth,
        "trees": trees,
        "refine": refine,
        "offset": offset,
        "augment": augment,
    }

    def learnt(X: FloatArray, lam: float, at: dict[str, Any]) -> Any:
        try:
            return learn_forest(job, X, at["K"], lam=lam, n_train=n_train, **options)
        except ValueError as error:
            if "no tree is worth its cost" not in str(error):
                raise
            return None  # lambda is too large for the depth

    def search(X: FloatArray, Q: FloatArray, lam: float, at: dict[str, Any]) -> Any:
        return _selected(job, learnt(X, lam, at), X, Q)

    lam, tried = _best(job, at, lams, search)
    X, Q, near = load_problem(job, at)
    start = perf_counter()
    model = learnt(X, lam, at)
    seconds = perf_counter() - start
    curve = _curve(_selected(job, model, X, Q), near, at["counts"])
    trees = 0 if model is None else len(model.c)
    leaves = 0.0 if model is None else model.n_words / trees
    return curve | {
        "setting": lam,
        "tried": tried,
        "trees": trees,
        "leaves": leaves,
        "seconds": seconds,
        "compared": [trees * max_depth] * len(curve["recall"]),
    }


def learn_forest(
    job: Job,
    X: FloatArray,
    K: int,
    *,
    lam: float,
    n_train: int,
    trees: int,
    threads: int | None = None,
    **options: Any,
) -> Any:
    """Learn the forest of `n_train` points; K is the number of neighbours among all of X."""
    rng = job.rng_for("forest")
    rows = np.arange(len(X))
    if n_train < len(X):
        rows = np.sort(rng.choice(len(X), n_train, replace=False))
    K = max(1, round(K * len(rows) / len(X)))
    S = neighbor_similarity(X[rows], K, kernels=job.kernels, threads=threads)
    return search_forest(
        X[rows],
        S,
        trees,
        lam,
        rng=rng,
        options=ForestOptions(**options),
        kernels=job.kernels,
        threads=threads,
    )


def _selected(job: Job, learnt: Any, X: FloatArray, Q: FloatArray) -> Any:
    """Return what a forest selects of X, best first; nothing without a forest."""
    if learnt is None:
        nothing = np.empty(0, dtype=np.int64)
        return Candidates(np.zeros(len(Q) + 1, dtype=np.int64), nothing, nothing)
    index = InvertedIndex(learnt, X, keep_vectors=False, kernels=job.kernels)
    chosen = index.candidates(Q)
    return Candidates(chosen.offsets, chosen.ids, np.zeros(len(chosen.ids), dtype=np.int64))


def kmeans(
    job: Job, *, settings: Sequence[Any], trees: int, first_best: bool, **at: Any
) -> dict[str, Any]:
    """Return the curve of k-means trees.

    They return the union of leaves by votes, as in the paper, or search best-bin-first.
    """

    def built(X: FloatArray, setting: Any, at: dict[str, Any]) -> Any:
        return kmeans_forest(job, X, setting, trees, at.get("share", 1))

    def chosen(model: Any, Q: FloatArray, at: dict[str, Any]) -> Any:
        if first_best:
            return model.candidates(Q, max(at["counts"]), kernels=job.kernels)
        return model.colliding(Q, kernels=job.kernels)

    settings = [list(setting) for setting in settings]
    setting, tried = _best(
        job, at, settings, lambda X, Q, setting, at: chosen(built(X, setting, at), Q, at)
    )
    X, Q, near = load_problem(job, at)
    model = built(X, setting, at)
    compared = centres_compared(job, model, Q, at["counts"], first_best)
    return _curve(chosen(model, Q, at), near, at["counts"]) | {
        "setting": setting,
        "tried": tried,
        "compared": compared,
    }


def kmeans_forest(job: Job, X: FloatArray, setting: Any, trees: int, share: float) -> Any:
    """Return k-means trees of a setting: the regions of a node, and the points of a leaf.

    The points of a leaf shrink with the `share` of the whole database that X is.
    """
    branching, leaf_size = setting
    return kmeans_trees(
        X,
        trees,
        rng=job.rng_for("kmeans"),
        branching=branching,
        leaf_size=max(1, round(share * leaf_size)),
        kernels=job.kernels,
    )


def centres_compared(
    job: Job, model: Any, Q: FloatArray, counts: Sequence[int], first_best: bool
) -> Any:
    """Return how many centres a query is compared with, for each number of returned items."""
    Q = Q.astype(np.float64)
    if first_best:
        return [float(job.kernels.best_bin_first(model, Q, count)[2].mean()) for count in counts]
    on_the_way = np.zeros(len(model.first), dtype=np.int64)
    for j in range(len(model.first)):  # a node's children come after it
        on_the_way[model.first[j] : model.last[j]] = on_the_way[j] + model.last[j] - model.first[j]
    return [float(on_the_way[job.kernels.tree_leaves(model, Q)].sum(axis=1).mean())] * len(counts)


def hashing(
    job: Job, *, functions: Sequence[int], widths: Sequence[float], tables: int, **at: Any
) -> dict[str, Any]:
    """Return the curve of hash tables.

    A table has k functions of width w, in units of the root mean squared length.
    """

    def search(X: FloatArray, Q: FloatArray, setting: Any, at: dict[str, Any]) -> Any:
        k, w = setting
        return lsh(X, tables, k, w, rng=job.rng_for("lsh"), kernels=job.kernels).candidates(
            Q, kernels=job.kernels
        )

    settings = [[k, w] for k in functions for w in widths]
    setting, tried = _best(job, at, settings, search)
    X, Q, near = load_problem(job, at)
    return _curve(search(X, Q, setting, at), near, at["counts"]) | {
        "setting": setting,
        "tried": tried,
        "compared": [setting[0] * tables] * len(at["counts"]),
    }


def spectral(job: Job, *, bits: int, **at: Any) -> dict[str, Any]:
    """Return the curve of spectral hashing with a linear scan of its codes."""
    X, Q, near = load_problem(job, at)
    model = spectral_hashing(X, bits, kernels=job.kernels)
    codes, of_queries = (model.encode(part, kernels=job.kernels) for part in (X, Q))
    nearest = hamming_scan(of_queries, codes, max(at["counts"]), kernels=job.kernels)
    return _curve(nearest, near, at["counts"]) | {"setting": bits, "tried": []}


# ------------------------------------------------------------------------------------------ Table 1


def times(job: Job, *, bits: int, n: int, queries: int, d: int, depth: int) -> dict[str, Any]:
    """Return seconds for a query among n synthetic items: of a scan of codes, and of an index.

    The index has 2^depth leaves in each tree, as a tree stands for `depth` bits in the paper. The
    codes are random and lie in a file that is mapped into memory.
    """
    rng = job.rng
    trees = bits // depth
    words = -(-bits // 64)
    with tempfile.TemporaryDirectory() as folder:
        codes = np.lib.format.open_memmap(Path(folder) / "codes.npy", "w+", np.uint64, (n, words))
        for start in range(0, n, 1 << 20):
            part = codes[start : start + (1 << 20)]
            part[:] = rng.integers(2**64, size=part.shape, dtype=np.uint64)
            if bits % 64:
                part[:, -1] &= np.uint64(2 ** (bits % 64) - 1)
        codes.flush()
        of_queries = np.array(codes[rng.integers(n, size=queries)])
        scan = _seconds(
            lambda i: job.kernels.hamming_nearest(of_queries[i : i + 1], codes, 100, threads=1),
            min(9, queries),
        )
        (starts, items), model = synthetic_index(codes, trees, depth, d, rng)
        Q = rng.standard_normal((queries, d), dtype=np.float32)
        alive = np.ones(n, dtype=bool)
        counters = np.zeros((1, n))
        word = words_of_codes(of_queries, trees, depth)
        job.kernels.gather_candidates(starts, items, alive, word, model.c, n, counters=counters)

        def ask(i: int) -> None:
            job.kernels.forest_words(model, Q[i : i + 1], threads=1)
            word = words_of_codes(of_queries[i : i + 1], trees, depth)
            job.kernels.gather_candidates(
                starts, items, alive, word, model.c, n, counters=counters, threads=1
            )

        asked = _seconds(ask, queries)
    return {"scan": scan, "index": asked, "candidates": trees * n / 2**depth}


def _seconds(call: Callable[[int], Any], repeats: int) -> float:
    """Return the median time of call(0), call(1), ..."""
    seconds = []
    for i in range(repeats):
        start = perf_counter()
        call(i)
        seconds.append(perf_counter() - start)
    return float(np.median(seconds))


def words_of_codes(codes: UInt64Array, trees: int, depth: int) -> Int32Array:
    """Return, for tree m, the leaf that stands for bits m depth, ..., (m + 1) depth - 1."""
    at = np.arange(trees) * depth
    parts = (codes[:, at // 64] >> (at % 64).astype(np.uint64)) & np.uint64(2**depth - 1)
    return np.ascontiguousarray(
        parts.astype(np.int64) + np.arange(trees) * 2**depth, dtype=np.int32
    )


def synthetic_index(
    codes: UInt64Array, trees: int, depth: int, d: int, rng: np.random.Generator
) -> Any:
    """Return an index whose leaves are parts of the codes, and complete trees to be walked."""
    n = len(codes)
    leaves = 2**depth
    starts = np.empty(trees * leaves + 1, dtype=np.int64)
    items = np.empty(trees * n, dtype=np.int32)
    starts[-1] = trees * n
    for m in range(trees):
        word = (codes[:, m * depth // 64] >> np.uint64(m * depth % 64)) & np.uint64(leaves - 1)
        word = word.astype(np.uint16 if depth <= 16 else np.uint32)
        items[m * n : (m + 1) * n] = np.argsort(word, kind="stable")
        sizes = np.bincount(word, minlength=leaves)
        starts[m * leaves : (m + 1) * leaves] = m * n + np.cumsum(sizes) - sizes
    nodes = 2 * leaves - 1
    inner = np.tile(np.arange(nodes) < leaves - 1, trees)
    place = np.tile(np.arange(nodes), trees)
    tree = np.repeat(np.arange(trees), nodes)
    model = SearchForest(
        c=np.ones(trees),
        roots=np.arange(trees) * nodes,
        left=np.where(inner, 2 * place + 1 + tree * nodes, -1).astype(np.int32),
        word=np.where(inner, -1, place - (leaves - 1) + tree * leaves).astype(np.int32),
        plane=np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32),
        feature=np.full(trees * nodes, -1, dtype=np.int32),
        offset=ndtri(rng.uniform(0.3, 0.7, trees * nodes)) * np.sqrt(d),
        planes=rng.standard_normal((int(inner.sum()), d), dtype=np.float32),
        lam=0.5,
        history=np.zeros((trees, 5)),
        message="synthetic",
    )
    return (starts, items), model
