"""An upper estimate of the memory that the training of a search forest takes."""

from typing import Any

import numpy as np

from refimpl.arrays import as_matrix
from refimpl.checks import as_count, as_options
from refimpl.kernels import SearchForest
from refimpl.kernels.contract import check_threads
from refimpl.kernels.eigen import STEPS
from refimpl.progress import Callback
from refimpl.search_forest.options import DEFAULTS, ForestOptions
from refimpl.search_forest.pairs import DensePairs, MeetingPairs
from refimpl.search_forest.similarity import as_lam, as_similarity
from refimpl.typing import ArrayLike, Kernels, Points

__all__ = ["estimate_memory"]

NODE_BYTES = 600  # for a leaf and its parent
TREE_BYTES = 2**12  # for a tree
FIXED_BYTES = 2**17  # whatever the input
WAITING_BYTES = 800  # for a leaf that may still be split
DEEP = 64  # levels with more leaves than there can be points


def estimate_memory(
    X: ArrayLike,
    S: Any,
    M: int,
    lam: float,
    *,
    rng: np.random.Generator | None = None,
    options: ForestOptions = DEFAULTS,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    start: SearchForest | None = None,
    max_memory: int | None = None,
) -> int:
    """Return the bytes that :func:`search_forest` takes at most beyond `X` and `S`.

    Before the training it is not known which pairs meet in a leaf. The estimate assumes that the
    leaves hold as many dissimilar pairs as eq. 15 of Li et al. (2011) allows. This is the case if S
    consists of clusters or has no structure. If S links each point to its nearest neighbours, the
    training takes a third to a tenth of the estimate.

    Parameters
    ----------
    X, S, M, lam, options
        As for :func:`search_forest`.
    rng, kernels, threads, callback, start, max_memory
        Not used. They are accepted so that the arguments of a training can be passed.

    Returns
    -------
    int
        Bytes, on either kernel.

    Raises
    ------
    TypeError, ValueError
        If the training would refuse the arguments.

    See Also
    --------
    search_forest : Learn a forest, if the estimate does not exceed `max_memory`.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.search_forest import estimate_memory, label_similarity
    >>> X, S = np.zeros((1000, 10)), label_similarity(np.arange(1000) % 10)
    >>> estimate_memory(X, S, 4, 0.1) < 60_000_000
    True
    """
    points: Points = as_matrix(X, "X", single=True)
    M = as_count(M, "M")
    lam = as_lam(lam)
    check_threads(threads)
    options = as_options(options, ForestOptions)
    return memory_bytes(points, as_similarity(S, len(points)).nnz, M, lam, options)


def least_bytes(points: Points, similar: int, options: ForestOptions) -> int:
    """Return the bytes that a training certainly takes, whatever its trees are."""
    n, d = points.shape
    dense = options.pairs == "dense"
    weights = DensePairs.memory(n) if dense else MeetingPairs.least_memory(similar)
    return int(weights + 8 * n * (d + 1))


def memory_bytes(points: Points, similar: int, M: int, lam: float, options: ForestOptions) -> int:
    """Return :func:`estimate_memory` for checked arguments and the number of similar pairs."""
    n, d = points.shape
    most = 2 ** min(options.max_depth, DEEP)
    leaves = min(most, n, most if options.max_leaves is None else options.max_leaves)
    of_a_tree = leaves * (2 * d * points.itemsize + NODE_BYTES) + TREE_BYTES + 8 * n
    trees = M * of_a_tree + WAITING_BYTES * leaves
    if options.pairs == "dense":
        weights = DensePairs.memory(n)
    else:
        weights = MeetingPairs.memory(n, similar, M, lam)
    of_a_node = 48 * n * (d + 1) + 64 * n  # augmented and centred points; rows and sides
    basis = 8 * (min(STEPS, d + 1) + 8) * (d + 1)
    return int(weights + trees + of_a_node + basis + FIXED_BYTES)
