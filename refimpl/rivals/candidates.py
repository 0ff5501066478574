"""What the rivals of the search forest return, and how Li et al. (2011), § 4, compare them: at equal numbers of items.

Source: Z. Li, H. Ning, L. Cao, T. Zhang, Y. Gong & T. Huang, "Learning to search efficiently in high dimensions", NIPS
2011. Every method puts its candidates in an order, best first, and of a longer list the shorter one is the beginning:
one search gives a whole curve of recall by the number of returned items.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.ball_trees import LARGEST
from refimpl.checks import as_count, as_matrix, as_vectors_like
from refimpl.results import result

__all__ = ["Candidates", "recall"]


@result
@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates of m queries: those of query i are ``indices[starts[i]:starts[i + 1]]``, the best first.

    Attributes
    ----------
    starts : ndarray, shape (m + 1,), int64
    indices : ndarray, int64
        Points, each once for a query. -1, which other libraries put where they have found nothing, is left out when the
        object is made, with its score.
    scores : ndarray, int64
        What they are ordered by. Best-bin-first search: the leaves opened before the point's own (ascending). Inverted
        lists and hash tables: the trees or tables that agree (falling). Hamming scan: the distance (ascending).
    """

    starts: np.ndarray
    indices: np.ndarray
    scores: np.ndarray

    def __post_init__(self):
        starts, found = self.starts, self.indices.shape
        if self.indices.ndim != 1 or self.scores.shape != found or starts.ndim != 1 or len(starts) == 0:
            raise ValueError(
                f"starts, indices, scores: shapes {starts.shape}, {found}, {self.scores.shape} do not fit together"
            )
        if starts[0] != 0 or starts[-1] != len(self.indices) or (np.diff(starts) < 0).any():
            raise ValueError(f"starts must rise from 0 to the {len(self.indices)} indices")
        if self.indices.size and (self.indices.dtype.kind not in "iu" or self.indices.min() < -1):
            raise ValueError("indices must be integers from 0, or -1 where nothing was found")
        nothing = self.indices == -1
        if nothing.any():
            object.__setattr__(self, "starts", starts - np.append(0, np.cumsum(nothing))[starts])
            object.__setattr__(self, "indices", self.indices[~nothing])
            object.__setattr__(self, "scores", self.scores[~nothing])

    def __len__(self):
        return len(self.starts) - 1

    @property
    def counts(self):
        """How many candidates each query has: an array of int64, shape (m,)."""
        return np.diff(self.starts)

    def of(self, i):
        """The candidates of query `i`."""
        return self.indices[self.starts[i] : self.starts[i + 1]]

    def head(self, most):
        """The first `most` candidates of each query, all of those that have fewer."""
        most = as_count(most, "most", minimum=0)
        kept = self.places() < most
        starts = np.concatenate([[0], np.cumsum(np.minimum(self.counts, most))])
        return Candidates(starts, self.indices[kept], self.scores[kept])

    def places(self):
        """The place of each candidate in its query's list, from 0: an array of int64 like `indices`."""
        return np.arange(len(self.indices)) - np.repeat(self.starts[:-1], self.counts)


def recall(candidates, neighbors, counts):
    """The share of the true neighbours among the first candidates: Figures 1 and 2 of Li et al. (2011).

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
        The share of all queries' neighbours, between 0 and 1: the mean over the queries if each has K.
    returned : ndarray, shape (r,), float64
        The mean number of candidates, which is less than asked for where a query has fewer.

    Raises
    ------
    TypeError, ValueError
        If `candidates` are none, there is not a row of neighbours for each query, a query has one candidate or one
        neighbour twice, or a count is no integer >= 0.
    """
    if not isinstance(candidates, Candidates):
        raise TypeError(f"candidates is a {type(candidates).__name__}; pass a refimpl.rivals.candidates.Candidates")
    neighbors = np.asarray(neighbors)
    if neighbors.ndim != 2 or len(neighbors) != len(candidates) or neighbors.size == 0:
        raise ValueError(f"neighbors has shape {neighbors.shape}; it must be ({len(candidates)}, K), K >= 1")
    if neighbors.dtype.kind not in "iu":
        raise TypeError(f"neighbors has dtype {neighbors.dtype}; it must hold indices")
    if neighbors.min() < -1 or (neighbors == -1).all():
        raise ValueError("neighbors must hold integers from 0, or -1 where a query has no more, and not -1 alone")
    counts = np.array([as_count(count, "counts", minimum=0) for count in counts], dtype=np.int64)
    right = np.zeros(len(candidates.indices), dtype=bool)
    for i, row in enumerate(neighbors):
        mine = slice(candidates.starts[i], candidates.starts[i + 1])
        _require_distinct(candidates.indices[mine], "candidates", i)
        _require_distinct(row[row >= 0], "neighbors", i)
        right[mine] = np.isin(candidates.indices[mine], row)
    of_place = np.bincount(candidates.places()[right], minlength=1)
    hits = np.concatenate([[0], np.cumsum(of_place)])
    recalls = hits[np.minimum(counts, len(hits) - 1)] / np.count_nonzero(neighbors >= 0)
    return recalls, np.array([np.minimum(candidates.counts, count).mean() for count in counts])


def _require_distinct(indices, name, i):
    ordered = np.sort(indices)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        raise ValueError(f"{name} must hold each point once for a query; query {i} has {twice[0]} more than once")


def as_points(X, name, like=None):
    """The vectors `X`, checked, of the dimension of `like`; their squares can be summed."""
    X = as_matrix(X, name) if like is None else as_vectors_like(X, like, name)
    if not np.abs(X).max() <= LARGEST:
        raise ValueError(f"{name} has values beyond 1e140, whose squares cannot be summed; scale the data down")
    return X
