"""What the training of BoostMap gives: Athitsos, Alon, Sclaroff & Kollios (2005), §§ 7.4 and 8.2.

Not handled here: 1D embeddings and the weights of eq. 21 (:mod:`refimpl.boostmap.algorithm`).
"""

from dataclasses import dataclass

import numpy as np

from refimpl.boostmap.algorithm import add_to, embedding, query_weights
from refimpl.checks import as_count, as_kernels
from refimpl.results import result
from refimpl.spaces.references import Embedding, as_embedded

MOST = 1e150  # of a distance: its square is a number

@result
@dataclass(frozen=True, eq=False)
class BoostMap(Embedding):
    """The embedding F_out of § 7.4 with its weights, and the query-sensitive part of § 8.2 if there is one.

    Attributes
    ----------
    first, second : ndarray, shape (d,), int64
        The database objects that define each coordinate: (r, -1) for a reference object, (x_1, x_2) for pivots.
    length : ndarray, shape (d,), float64
        D_X(x_1, x_2), 0 for a reference object.
    alpha : ndarray, shape (d,), float64
        Weights alpha_c > 0 of eq. 16.
    coordinate, by : ndarray, shape (s,), int64
        c and g of the query-sensitive classifiers: coordinate c counts more where coordinate g of the query lies in
        the range.
    low, high : ndarray, shape (s,), float64
        The range, low <= value < high.
    inside : ndarray, shape (s,), int64
        1 for the range, 0 for what is outside it.
    extra : ndarray, shape (s,), float64
        Weights alpha_j, j > J, of eq. 20.
    round_first, round_second : ndarray, shape (J,), int64
    round_length, round_alpha : ndarray, shape (J,), float64
        Classifier (as above) and alpha_j of each round of the first phase.
    """

    first: np.ndarray
    second: np.ndarray
    length: np.ndarray
    alpha: np.ndarray
    coordinate: np.ndarray
    by: np.ndarray
    low: np.ndarray
    high: np.ndarray
    inside: np.ndarray
    extra: np.ndarray
    round_first: np.ndarray
    round_second: np.ndarray
    round_length: np.ndarray
    round_alpha: np.ndarray

    @property
    def d(self):
        """Return the number of dimensions."""
        return len(self.alpha)

    @property
    def references(self):
        """Return the database objects to which distances are measured, at most 2 d: int64 array, ascending."""
        return np.unique(np.concatenate([self.first, self.second[self.second >= 0]]))

    def _coordinates(self, D):
        """Return F_out(x) of eq. 15."""
        if D.size and D.max() > MOST:
            raise ValueError(f"a query's distance is {D.max():.3g}; distances must be at most {MOST:.0e}")
        references, D = self.references, D.T
        one, two = np.searchsorted(references, self.first), np.searchsorted(references, self.second)
        two[self.second < 0] = -1
        columns = [embedding(D, *h) for h in zip(one, two, self.length, strict=True)]
        return np.ascontiguousarray(np.array(columns).reshape(self.d, D.shape[1]).T)  # BM:eq15

    def weights(self, E):
        """Return A_c(q) of eq. 21 for embedded queries E, shape (n, d): ndarray, shape (n, d)."""
        second = zip(self.coordinate, self.by, self.low, self.high, self.inside, self.extra, strict=True)
        return query_weights(E, self.alpha, second)

    def pairwise(self, Q, X, *, kernels=None, threads=None):
        """Return D_q of eq. 22 (eq. 16 without a query-sensitive part) from embedded queries to embedded objects.

        Parameters
        ----------
        Q : array_like, shape (n_Q, d)
        X : array_like, shape (n_X, d)
        kernels : module, optional
        threads : int, optional

        Returns
        -------
        ndarray, shape (n_Q, n_X), float64
        """
        Q, X = as_embedded(Q, X, self.d)
        return as_kernels(kernels).weighted_l1(Q, self.weights(Q), X, threads=threads)  # BM:eq16, BM:eq22

    def truncated(self, d):
        """Return the embedding as it was before the first phase added a coordinate to d of them, without phase two."""
        d = as_count(d, "d")
        rounds = zip(self.round_first.tolist(), self.round_second.tolist(), self.round_length.tolist(),
                     self.round_alpha.tolist(), strict=True)
        return from_rounds(list(rounds), d)


def from_rounds(rounds, d=None):
    """Return F_out and its weights out of (x_1, x_2, D_X(x_1, x_2), alpha_j) for each round: eqs. 15-16.

    With `d`, the rounds count up to the first that would add a coordinate to d.
    """
    H = {}
    for place, (*h, alpha) in enumerate(rounds):
        h = tuple(h)
        if d is not None and h not in H and len(H) == d:
            rounds = rounds[:place]
            break
        add_to(H, h, alpha)
    first, second, length = columns_of(list(H), (np.int64, np.int64, np.float64))
    log = columns_of(rounds, (np.int64, np.int64, np.float64, np.float64))
    none = columns_of([], (np.int64, np.int64, np.float64, np.float64, np.int64, np.float64))
    return BoostMap(first, second, length, np.array(list(H.values()), dtype=np.float64), *none, *log)


def columns_of(rows, dtypes):
    """Return the columns of rows of numbers as arrays of these dtypes."""
    columns = zip(*rows, strict=True) if rows else [()] * len(dtypes)
    return [np.array(column, dtype=dtype) for column, dtype in zip(columns, dtypes, strict=True)]
