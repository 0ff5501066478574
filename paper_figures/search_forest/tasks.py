"""What the figures of Li et al. (2011) compute; a change here computes them anew.

A task gets a :class:`paper_figures.registry.Job` and its parameters. The protocol is that of § 4: the database is
searched for each query, the returned items are counted that are among the query's K nearest.

What the paper leaves open is chosen by one rule for all methods: on a part of the database, with other points of it
for queries, the setting of the largest mean recall along the curve. The true queries have no say.
"""

import tempfile
from functools import lru_cache
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.special import ndtri

from refimpl.ball_trees import nearest_neighbors
from refimpl.kernels import SearchForest
from refimpl.rivals.candidates import Candidates, recall
from refimpl.rivals.hamming_scan import hamming_scan
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import neighbor_similarity, search_forest
from refimpl.search_forest.index import InvertedIndex

HELD_OUT = 300  # points of the database that are the queries when settings are chosen


# ------------------------------------------------------------------------------------------------ points


@lru_cache(maxsize=2)
def _components(data_set, data_dir, d):
    """Database and queries on the leading principal components of the database, at a mean squared length of 1."""
    from paper_figures.registry import Job

    loaded = Job(0, {}, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X - loaded.X[: loaded.n_train].mean(axis=0)
    vectors = np.linalg.eigh(X[: loaded.n_train].T @ X[: loaded.n_train])[1][:, ::-1]
    Z = X @ vectors[:, :d]
    Z /= np.sqrt((Z[: loaded.n_train] ** 2).sum(axis=1).mean())
    return Z[: loaded.n_train].astype(np.float32), Z[loaded.n_train :].astype(np.float32)


@lru_cache(maxsize=4)
def _truth(data_set, data_dir, d, queries, K, kernels):
    X, Q = _components(data_set, data_dir, d)
    return nearest_neighbors(X, Q[:queries], K, kernels=kernels).indices


def load_problem(job, at):
    """Database, queries, their true neighbours."""
    X, Q = _components(at["data_set"], job.data_dir, at["d"])
    near = _truth(at["data_set"], job.data_dir, at["d"], at["queries"], at["K"], job.kernels)
    return X, Q[: at["queries"]], near


def load_trial(job, at):
    """The same for the choice of settings on a part of the database, and what K and the counts are for that part.

    Both shrink with the database, so that the neighbours lie as near as among all points.
    """
    X, _ = _components(at["data_set"], job.data_dir, at["d"])
    order = job.rng_for("trial", at["data_set"]).permutation(len(X))
    share = at["trial"] / len(X)
    small = at | {"K": max(1, round(share * at["K"])), "share": share,
                  "counts": [max(1, round(share * count)) for count in at["counts"]]}
    Q, X = X[order[:HELD_OUT]], X[order[HELD_OUT : HELD_OUT + at["trial"]]]
    return X, Q, nearest_neighbors(X, Q, small["K"], kernels=job.kernels).indices, small


def _best(job, at, settings, search):
    """The setting of the largest mean recall along the curve, and every setting's."""
    if len(settings) == 1:
        return settings[0], []
    X, Q, near, small = load_trial(job, at)
    tried = [float(recall(search(X, Q, s, small), near, small["counts"])[0].mean()) for s in settings]
    return settings[int(np.argmax(tried))], [[s, r] for s, r in zip(settings, tried, strict=True)]


def _curve(found, near, counts):
    recalls, returned = recall(found, near, counts)
    return {"recall": 100 * recalls, "returned": returned, "candidates": float(found.counts.mean())}


# ------------------------------------------------------------------------------------- Figures 1 and 2


def forest(job, *, lams, n_train, max_depth, trees, refine=0, offset="eigenvector", augment=0.1, **at):
    """The forest's curve: lambda chosen, learnt from `n_train` points, all of them indexed.

    By default the trees are those of the printed form.
    """
    options = {"max_depth": max_depth, "trees": trees, "refine": refine, "offset": offset, "augment": augment}

    def learnt(X, lam, at):
        try:
            return learn_forest(job, X, at["K"], lam=lam, n_train=n_train, **options)
        except ValueError as error:
            if "no tree is worth its cost" not in str(error):
                raise
            return None  # lambda is too large for the depth

    def search(X, Q, lam, at):
        return _selected(job, learnt(X, lam, at), X, Q)

    lam, tried = _best(job, at, lams, search)
    X, Q, near = load_problem(job, at)
    start = perf_counter()
    found = learnt(X, lam, at)
    seconds = perf_counter() - start
    curve = _curve(_selected(job, found, X, Q), near, at["counts"])
    trees, leaves = (0, 0.0) if found is None else (len(found.c), found.n_words / len(found.c))
    return curve | {"setting": lam, "tried": tried, "trees": trees, "leaves": leaves, "seconds": seconds,
                    "compared": [trees * max_depth] * len(curve["recall"])}  # fmt: skip


def learn_forest(job, X, K, *, lam, n_train, trees, threads=None, **options):
    """The forest of `n_train` points, K being the neighbours among all of X."""
    rng, rows = job.rng_for("forest"), np.arange(len(X))
    if n_train < len(X):
        rows = np.sort(rng.choice(len(X), n_train, replace=False))
    K = max(1, round(K * len(rows) / len(X)))
    S = neighbor_similarity(X[rows], K, kernels=job.kernels, threads=threads)
    return search_forest(X[rows], S, trees, lam, rng=rng, kernels=job.kernels, threads=threads, **options)


def _selected(job, learnt, X, Q):
    """What a forest selects of X, best first; nothing without a forest."""
    if learnt is None:
        return Candidates(np.zeros(len(Q) + 1, dtype=np.int64), *np.empty((2, 0), dtype=np.int64))
    found = InvertedIndex(learnt, X, keep_vectors=False, kernels=job.kernels).candidates(Q)
    return Candidates(found.offsets, found.ids, np.zeros(len(found.ids), dtype=np.int64))


def kmeans(job, *, settings, trees, first_best, **at):
    """k-means trees: the union of leaves by votes as in the paper, or best-bin-first search."""

    def built(X, setting, at):
        return kmeans_forest(job, X, setting, trees, at.get("share", 1))

    def found(model, Q, at):
        if first_best:
            return model.candidates(Q, max(at["counts"]), kernels=job.kernels)
        return model.colliding(Q, kernels=job.kernels)

    settings = [list(setting) for setting in settings]
    setting, tried = _best(job, at, settings, lambda X, Q, setting, at: found(built(X, setting, at), Q, at))
    X, Q, near = load_problem(job, at)
    model = built(X, setting, at)
    compared = centres_compared(job, model, Q, at["counts"], first_best)
    return _curve(found(model, Q, at), near, at["counts"]) | {"setting": setting, "tried": tried, "compared": compared}


def kmeans_forest(job, X, setting, trees, share):
    """k-means trees with so many regions of a node, and points of a leaf in a database that is a part of the whole."""
    branching, leaf_size = setting
    return kmeans_trees(X, trees, rng=job.rng_for("kmeans"), branching=branching,
                        leaf_size=max(1, round(share * leaf_size)), kernels=job.kernels)  # fmt: skip


def centres_compared(job, model, Q, counts, first_best):
    """With how many centres a query is compared on average, for each number of returned items."""
    Q = Q.astype(np.float64)
    if first_best:
        return [float(job.kernels.best_bin_first(model, Q, count)[2].mean()) for count in counts]
    on_the_way = np.zeros(len(model.first), dtype=np.int64)
    for j in range(len(model.first)):  # a node's children come after it
        on_the_way[model.first[j] : model.last[j]] = on_the_way[j] + model.last[j] - model.first[j]
    return [float(on_the_way[job.kernels.tree_leaves(model, Q)].sum(axis=1).mean())] * len(counts)


def hashing(job, *, functions, widths, tables, **at):
    """Hash tables: k functions of width w, in units of the root mean squared length."""

    def search(X, Q, setting, at):
        k, w = setting
        return lsh(X, tables, k, w, rng=job.rng_for("lsh"), kernels=job.kernels).candidates(Q, kernels=job.kernels)

    settings = [[k, w] for k in functions for w in widths]
    setting, tried = _best(job, at, settings, search)
    X, Q, near = load_problem(job, at)
    return _curve(search(X, Q, setting, at), near, at["counts"]) | {
        "setting": setting, "tried": tried, "compared": [setting[0] * tables] * len(at["counts"])}  # fmt: skip


def spectral(job, *, bits, **at):
    """Spectral hashing with a linear scan of its codes."""
    X, Q, near = load_problem(job, at)
    model = spectral_hashing(X, bits, kernels=job.kernels)
    codes, of_queries = (model.encode(part, kernels=job.kernels) for part in (X, Q))
    found = hamming_scan(codes, of_queries, max(at["counts"]), kernels=job.kernels)
    return _curve(found, near, at["counts"]) | {"setting": bits, "tried": []}


# ------------------------------------------------------------------------------------------------ Table 1


def times(job, *, bits, n, queries, d, depth):
    """Seconds for a query among n synthetic items: a scan of codes, and an index with 2^depth leaves in each tree.

    A tree stands for `depth` bits, as in the paper. The codes are random and lie in a file that is mapped into memory.
    """
    rng, trees, words = job.rng, bits // depth, -(-bits // 64)
    with tempfile.TemporaryDirectory() as folder:
        codes = np.lib.format.open_memmap(Path(folder) / "codes.npy", "w+", np.uint64, (n, words))
        for start in range(0, n, 1 << 20):
            part = codes[start : start + (1 << 20)]
            part[:] = rng.integers(2**64, size=part.shape, dtype=np.uint64)
            if bits % 64:
                part &= np.uint64(2 ** (bits % 64) - 1)
        codes.flush()
        of_queries = np.array(codes[rng.integers(n, size=queries)])
        scan = _seconds(lambda i: job.kernels.hamming_nearest(codes, of_queries[i : i + 1], 100, threads=1),
                        min(9, queries))  # fmt: skip
        index, model = synthetic_index(codes, trees, depth, d, rng)
        Q = rng.standard_normal((queries, d), dtype=np.float32)
        alive, counters = np.ones(n, dtype=bool), np.zeros((1, n))
        word = words_of_codes(of_queries, trees, depth)
        job.kernels.gather_candidates(*index, alive, word, model.c, n, counters=counters)

        def ask(i):
            job.kernels.forest_words(model, Q[i : i + 1], threads=1)
            word = words_of_codes(of_queries[i : i + 1], trees, depth)
            job.kernels.gather_candidates(*index, alive, word, model.c, n, counters=counters, threads=1)

        asked = _seconds(ask, queries)
    return {"scan": scan, "index": asked, "candidates": trees * n / 2**depth}


def _seconds(call, repeats):
    found = []
    for i in range(repeats):
        start = perf_counter()
        call(i)
        found.append(perf_counter() - start)
    return float(np.median(found))


def words_of_codes(codes, trees, depth):
    """The leaf that stands for bits m depth, ..., (m + 1) depth - 1 of each code, in tree m."""
    at = np.arange(trees) * depth
    parts = (codes[:, at // 64] >> (at % 64).astype(np.uint64)) & np.uint64(2**depth - 1)
    return np.ascontiguousarray(parts.astype(np.int64) + np.arange(trees) * 2**depth, dtype=np.int32)


def synthetic_index(codes, trees, depth, d, rng):
    """The lists of an index whose leaves are parts of the codes, and complete trees to be walked."""
    n, leaves = len(codes), 2**depth
    starts, items = np.empty(trees * leaves + 1, dtype=np.int64), np.empty(trees * n, dtype=np.int32)
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
        c=np.ones(trees), roots=np.arange(trees) * nodes,
        left=np.where(inner, 2 * place + 1 + tree * nodes, -1).astype(np.int32),
        word=np.where(inner, -1, place - (leaves - 1) + tree * leaves).astype(np.int32),
        plane=np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32),
        feature=np.full(trees * nodes, -1, dtype=np.int32),
        offset=ndtri(rng.uniform(0.3, 0.7, trees * nodes)) * np.sqrt(d),
        planes=rng.standard_normal((int(inner.sum()), d), dtype=np.float32), lam=0.5, history=np.zeros((trees, 5)),
        message="synthetic",
    )  # fmt: skip
    return (starts, items), model
