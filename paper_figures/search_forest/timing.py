"""What Table 1 of Li et al. (2011) computes: seconds for a query among synthetic items.

:func:`times` is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import ndtri

from paper_figures.tasks import TaskJob
from refimpl.kernels import SearchForest
from refimpl.typing import Int32Array, UInt64Array


def times(job: TaskJob, *, bits: int, n: int, queries: int, d: int, depth: int) -> dict[str, Any]:
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
        scan = seconds_a_call(
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

        asked = seconds_a_call(ask, queries)
    return {"scan": scan, "index": asked, "candidates": trees * n / 2**depth}


def seconds_a_call(call: Callable[[int], Any], repeats: int) -> float:
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
    return (starts, items), complete_trees(trees, depth, d, rng)


def complete_trees(trees: int, depth: int, d: int, rng: np.random.Generator) -> SearchForest:
    """Return trees of random planes, each with 2^depth leaves."""
    leaves = 2**depth
    nodes = 2 * leaves - 1
    inner = np.tile(np.arange(nodes) < leaves - 1, trees)
    place = np.tile(np.arange(nodes), trees)
    tree = np.repeat(np.arange(trees), nodes)
    return SearchForest(
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
