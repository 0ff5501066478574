"""What the rivals of the search forest return, and how their recall is measured.

Source: Z. Li, H. Ning, L. Cao, T. Zhang, Y. Gong & T. Huang, "Learning to search efficiently in
high dimensions", NIPS 2011, § 4, which compares methods at equal numbers of returned items. A
candidate is a point that a method returns for a query before any exact distance is computed. Every
method puts its candidates in an order, best first, and a shorter list is the beginning of a longer
one: one search gives a whole curve of recall by the number of returned items.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refimpl.arrays import as_array
from refimpl.checks import as_count, as_list
from refimpl.results import result
from refimpl.typing import ArrayLike, FloatArray, IntArray

__all__ = ["Candidates", "recall"]


@result
@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates of m queries: query i has ``indices[starts[i]:starts[i + 1]]``, the best first.

    Attributes
    ----------
    starts : ndarray, shape (m + 1,), int64
    indices : ndarray, int64
        Points, each once for a query. -1, which other libraries put where they have found nothing,
        is left out when the object is made, with its score.
    scores : ndarray, int64
        What they are ordered by. Best-bin-first search: the leaves opened before the point's own
        (ascending). Inverted lists and hash tables: the trees or tables that agree (falling).
        Hamming scan: the distance (ascending).

    Raises
    ------
    ValueError
        If the arrays do not fit together.

    See Also
    --------
    recall : Compare candidates with the true neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.candidates import Candidates
    >>> found = Candidates(np.array([0, 2, 3]), np.array([7, 4, 1]), np.array([0, 1, 0]))
    >>> found.of(0), found.counts
    (array([7, 4]), array([2, 1]))
    """

    starts: IntArray
    indices: IntArray
    scores: IntArray

    def __post_init__(self) -> None:
        starts = self.starts
        shape = self.indices.shape
        if len(shape) != 1 or self.scores.shape != shape or starts.ndim != 1 or len(starts) == 0:
            raise ValueError(
                "starts, indices and scores must be of shapes (m + 1,), (c,) and (c,); "
                f"got {starts.shape}, {shape} and {self.scores.shape}"
            )
        if starts[0] != 0 or starts[-1] != len(self.indices) or (np.diff(starts) < 0).any():
            raise ValueError(f"starts must rise from 0 to {len(self.indices)}; got {starts}")
        if self.indices.size and (self.indices.dtype.kind not in "iu" or self.indices.min() < -1):
            raise ValueError(
                "indices must be integers from 0, or -1 where nothing was found; "
                f"got {self.indices.dtype}, the least {self.indices.min()}"
            )
        nothing = self.indices == -1
        if nothing.any():
            object.__setattr__(self, "starts", starts - np.append(0, np.cumsum(nothing))[starts])
            object.__setattr__(self, "indices", self.indices[~nothing])
            object.__setattr__(self, "scores", self.scores[~nothing])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def counts(self) -> IntArray:
        """How many candidates each query has: an array of int64, shape (m,)."""
        return np.diff(self.starts)

    def of(self, i: int) -> IntArray:
        """Return the candidates of query `i`."""
        return self.indices[self.starts[i] : self.starts[i + 1]]

    def head(self, n_candidates: int) -> "Candidates":
        """Return the first `n_candidates` candidates of each query, all if it has fewer."""
        n_candidates = as_count(n_candidates, "n_candidates", minimum=0)
        kept = self.places() < n_candidates
        starts = np.concatenate([[0], np.cumsum(np.minimum(self.counts, n_candidates))])
        return Candidates(starts, self.indices[kept], self.scores[kept])

    def places(self) -> IntArray:
        """Return the position of each candidate in its query's list, from 0, like `indices`."""
        return np.arange(len(self.indices)) - np.repeat(self.starts[:-1], self.counts)


def recall(
    candidates: Candidates, neighbors: ArrayLike, counts: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the true neighbours among the first candidates.

    Figures 1 and 2 of Li et al. (2011).

    Parameters
    ----------
    candidates : Candidates
    neighbors : array_like of int, shape (m, K)
        The K true nearest neighbours of each query; -1 where it has fewer.
    counts : array_like of int, shape (r,)
        Numbers of returned items, each at least 0.

    Returns
    -------
    recalls : ndarray, shape (r,), float64
        The share of all queries' neighbours, between 0 and 1: the mean over the queries if each has
        K.
    returned : ndarray, shape (r,), float64
        The mean number of candidates, which is less than asked for where a query has fewer.

    Raises
    ------
    TypeError, ValueError
        If `candidates` are no :class:`Candidates`, there is not a row of neighbours for each query,
        a query has the same candidate or neighbour twice, or a count is no integer >= 0.

    See Also
    --------
    Candidates : The candidates whose recall it is.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.candidates import Candidates, recall
    >>> found = Candidates(np.array([0, 3]), np.array([7, 4, 1]), np.array([0, 1, 2]))
    >>> recalls, returned = recall(found, [[1, 7]], [1, 3])
    >>> recalls, returned
    (array([0.5, 1. ]), array([1., 3.]))
    """
    if not isinstance(candidates, Candidates):
        raise TypeError(
            f"candidates must be a refimpl.rivals.Candidates; got a {type(candidates).__name__}"
        )
    true = _as_neighbors(neighbors, len(candidates))
    numbers = [as_count(c, "counts", minimum=0) for c in as_list(counts, "counts", "integers")]
    right = np.zeros(len(candidates.indices), dtype=bool)
    for i, row in enumerate(true):
        mine = slice(candidates.starts[i], candidates.starts[i + 1])
        _require_distinct(candidates.indices[mine], "candidates", i)
        _require_distinct(row[row >= 0], "neighbors", i)
        right[mine] = np.isin(candidates.indices[mine], row)
    of_place = np.bincount(candidates.places()[right], minlength=1)
    hits = np.concatenate([[0], np.cumsum(of_place)])
    reached = np.minimum(np.array(numbers, dtype=np.int64), len(hits) - 1)
    recalls: FloatArray = hits[reached] / np.count_nonzero(true >= 0)
    return recalls, np.array([np.minimum(candidates.counts, count).mean() for count in numbers])


def _as_neighbors(neighbors: ArrayLike, m: int) -> NDArray[Any]:
    """Return the checked true neighbours of m queries."""
    true = as_array(neighbors, "neighbors", "indices")
    if true.ndim != 2 or len(true) != m or true.size == 0:
        raise ValueError(f"neighbors must be of shape ({m}, K), K >= 1; got {true.shape}")
    if true.dtype.kind not in "iu":
        raise TypeError(f"neighbors must hold integers; got dtype {true.dtype}")
    if true.min() < -1 or (true == -1).all():
        raise ValueError(
            "neighbors must hold integers from 0, or -1 where a query has no more; "
            f"got {'-1 alone' if true.min() == -1 else true.min()}"
        )
    return true


def _require_distinct(indices: NDArray[Any], name: str, i: int) -> None:
    ordered = np.sort(indices)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        raise ValueError(
            f"{name} must hold each point once for a query; got {twice[0]} twice for query {i}"
        )
