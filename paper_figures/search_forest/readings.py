"""The two readings of Li et al. (2011), § 4: which items a method returns for a number of them.

*Whole sets*: the union of the leaves that a query reaches in the first trees, in no order. § 4.1
says that more returned items take more trees. This is the main reading.

*Ranked lists*: the candidates of all trees, ordered by T or by the trees that agree, and cut.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.rows import together
from refimpl.rivals.candidates import Candidates, recall
from refimpl.typing import FloatArray, Int32Array, IntArray


def union_curve(
    starts: IntArray,
    ends: IntArray,
    members: Int32Array | IntArray,
    lists: IntArray | Int32Array,
    near: IntArray,
    n: int,
) -> tuple[FloatArray, FloatArray]:
    """Return mean sizes and recalls of the unions of a query's first 1, 2, ..., M lists."""
    # list l holds members[starts[l]:ends[l]]; a negative one of a query's `lists` is empty
    M = lists.shape[1]
    sizes = np.zeros(M + 1)
    hits = np.zeros((len(lists), M + 1))
    first = np.empty(n, dtype=np.int64)
    for i, (of_query, neighbors) in enumerate(zip(lists, near, strict=True)):
        first[:] = M  # the first list that holds a point; M if none does
        for m in range(M - 1, -1, -1):
            if of_query[m] >= 0:
                first[members[starts[of_query[m]] : ends[of_query[m]]]] = m
        sizes += np.bincount(first, minlength=M + 1)
        hits[i] = np.bincount(first[neighbors], minlength=M + 1)
    return np.cumsum(sizes)[:M] / len(lists), np.cumsum(hits, axis=1)[:, :M] / near.shape[1]


def whole_sets(
    curve: tuple[FloatArray, FloatArray], counts: Sequence[int], compared: float
) -> dict[str, Any]:
    """Return what a method returns in whole sets, by count; `compared` is that of one tree."""
    # between two numbers of trees, recall and trees are interpolated; beyond all items, all trees'
    sizes, recalls = curve
    trees = np.interp(counts, [0, *sizes], np.arange(len(sizes) + 1))
    steps = np.concatenate([np.zeros((len(recalls), 1)), recalls], axis=1)
    below = np.floor(trees).astype(np.int64)
    above = np.minimum(below + 1, len(sizes))
    of_queries = steps[:, below] + (trees - below) * (steps[:, above] - steps[:, below])
    return shares(of_queries) | {
        "returned": np.minimum(counts, sizes[-1]),
        "candidates": float(sizes[-1]),
        "trees": trees,
        "compared": compared * trees,
    }


def ranked_list(
    chosen: Candidates, near: IntArray, counts: Sequence[int], compared: Any = None
) -> dict[str, Any]:
    """Return what a method returns of its ranked list, by the numbers of returned items."""
    # `compared`: planes or centres that a query is compared with, for each count or for all
    _, returned = recall(chosen, near, counts)
    of_queries = np.empty((len(near), len(counts)))
    for i, neighbors in enumerate(near):
        hits = np.append(0, np.cumsum(np.isin(chosen.of(i), neighbors)))
        of_queries[i] = hits[np.minimum(counts, len(hits) - 1)] / len(neighbors)
    value = shares(of_queries) | {"returned": returned, "candidates": float(chosen.counts.mean())}
    if compared is not None:
        value["compared"] = np.broadcast_to(compared, returned.shape)
    return value


def shares(of_queries: FloatArray) -> dict[str, Any]:
    """Return the mean over the queries in per cent, and its standard error."""
    error = of_queries.std(axis=0, ddof=1) / np.sqrt(len(of_queries))
    return {"recall": 100 * of_queries.mean(axis=0), "error": 100 * error}


def over_draws(recalls: Sequence[float], errors: Sequence[float], queries: int) -> dict[str, Any]:
    """Return a mean recall with its standard error over the draws and over the queries."""
    draws = len(recalls)
    of_draws = float(np.std(recalls, ddof=1)) / draws**0.5 if draws > 1 else 0.0
    of_queries = float(np.mean(errors))
    return {"ours": float(np.mean(recalls))} | together(of_draws, draws, of_queries, queries)
