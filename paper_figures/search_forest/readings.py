"""The two readings of Li et al. (2011), § 4: which items a method returns for a number of them.

*Whole sets*: the union of the leaves that a query reaches in the first trees, in no order. § 4.1
says that more returned items take more trees. This is the main reading.

*Ranked lists*: the candidates of all trees, ordered by T or by the trees that agree, and cut.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

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
    """Return mean sizes and recalls of the unions of a query's first 1, 2, ..., M lists.

    Parameters
    ----------
    starts, ends : ndarray of int, shape (L,)
        List l holds the points ``members[starts[l]:ends[l]]``.
    members : ndarray of int
    lists : ndarray of int, shape (m, M)
        The lists of each query; a negative one is empty.
    near : ndarray of int, shape (m, K)
        The neighbours of each query.
    n : int
        How many points there are.

    Returns
    -------
    sizes, recalls : ndarray, shape (M,), float64
        Recalls between 0 and 1.
    """
    M = lists.shape[1]
    sizes = np.zeros(M + 1)
    hits = np.zeros(M + 1)
    first = np.empty(n, dtype=np.int64)
    for of_query, neighbors in zip(lists, near, strict=True):
        first[:] = M  # the first list that holds a point; M if none does
        for m in range(M - 1, -1, -1):
            if of_query[m] >= 0:
                first[members[starts[of_query[m]] : ends[of_query[m]]]] = m
        sizes += np.bincount(first, minlength=M + 1)
        hits += np.bincount(first[neighbors], minlength=M + 1)
    return np.cumsum(sizes)[:M] / len(lists), np.cumsum(hits)[:M] / near.size


def whole_sets(
    curve: tuple[FloatArray, FloatArray], counts: Sequence[int], compared: float
) -> dict[str, Any]:
    """Return what a method returns in whole sets, by the numbers of returned items.

    Between two numbers of trees, recall and trees are interpolated. Beyond the items that all trees
    return, both are those of all trees.

    Parameters
    ----------
    curve : (sizes, recalls)
        As :func:`union_curve` returns them.
    counts : sequence of int
    compared : float
        Planes or centres that a query is compared with in a tree.
    """
    sizes, recalls = curve
    trees = np.interp(counts, [0, *sizes], np.arange(len(sizes) + 1))
    return {
        "recall": 100 * np.interp(counts, [0, *sizes], [0, *recalls]),
        "returned": np.minimum(counts, sizes[-1]),
        "candidates": float(sizes[-1]),
        "trees": trees,
        "compared": compared * trees,
        "sizes": sizes,
        "recalls": 100 * recalls,
    }


def ranked_list(
    chosen: Candidates, near: IntArray, counts: Sequence[int], compared: Any = None
) -> dict[str, Any]:
    """Return what a method returns of its ranked list, by the numbers of returned items.

    Parameters
    ----------
    chosen : Candidates
    near : ndarray of int, shape (m, K)
    counts : sequence of int
    compared : number or sequence, optional
        Planes or centres that a query is compared with, for each count or for all of them.
    """
    recalls, returned = recall(chosen, near, counts)
    mean = float(chosen.counts.mean())
    value: dict[str, Any] = {"recall": 100 * recalls, "returned": returned, "candidates": mean}
    if compared is not None:
        value["compared"] = np.broadcast_to(compared, recalls.shape)
    return value
