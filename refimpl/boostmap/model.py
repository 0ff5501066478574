"""The embeddings of BoostMap: Athitsos, Alon, Sclaroff & Kollios (2005), §§ 4, 7.4 and 8.2.

One-dimensional embeddings, and the output of the training in :mod:`refimpl.boostmap`.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.checks import as_count, as_kernels
from refimpl.results import result
from refimpl.spaces.references import Embedding, as_embedded

MOST = 1e150  # of a distance: its square is a number

# --------------------------------------------------------------------------------------------------- § 4


def reference_embedding(D_r):
    """F^r(x) = D_X(x, r) for every x: eq. 6 with R = {r}."""
    return D_r


def pivot_embedding(D_x1, D_x2, D_x1_x2):
    """F^{x1,x2}(x) for every x, the projection on the line through two pivots: eq. 8; 0 if they coincide."""
    if D_x1_x2 == 0:
        return np.zeros_like(D_x1)
    return (D_x1 * D_x1 + D_x1_x2 * D_x1_x2 - D_x2 * D_x2) / (2 * D_x1_x2)


def embedding(D, first, second, length):
    """One 1D embedding out of the candidates' distances D, shape (n_C, n): eq. 6 if `second` is -1, else eq. 8."""
    return reference_embedding(D[first]) if second < 0 else pivot_embedding(D[first], D[second], length)


# ------------------------------------------------------------------------------------------------- § 7.4


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
        """The number of dimensions."""
        return len(self.alpha)

    @property
    def references(self):
        """The database objects to which distances are measured, at most 2 d: int64 array, ascending."""
        return np.unique(np.concatenate([self.first, self.second[self.second >= 0]]))

    def _coordinates(self, D):
        """F_out(x) of eq. 15."""
        if D.size and D.max() > MOST:
            raise ValueError(f"a query's distance is {D.max():.3g}; distances must be at most {MOST:.0e}")
        references, D = self.references, D.T
        one, two = np.searchsorted(references, self.first), np.searchsorted(references, self.second)
        two[self.second < 0] = -1
        columns = [embedding(D, *h) for h in zip(one, two, self.length, strict=True)]
        return np.ascontiguousarray(np.array(columns).reshape(self.d, D.shape[1]).T)

    def weights(self, E):
        """A_c(q) of eq. 21 for embedded queries E, shape (n, d): ndarray, shape (n, d)."""
        A = np.tile(self.alpha, (len(E), 1))
        for c, g, low, high, inside, extra in zip(
            self.coordinate, self.by, self.low, self.high, self.inside, self.extra, strict=True
        ):
            A[:, c] += extra * accepts(E[:, g], low, high, inside)
        return A

    def pairwise(self, Q, X, *, kernels=None, threads=None):
        """D_q of eq. 22 (eq. 16 without a query-sensitive part) from embedded queries to embedded objects.

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
        return as_kernels(kernels).weighted_l1(Q, self.weights(Q), X, threads=threads)

    def truncated(self, d):
        """The embedding as it was before the first phase added a coordinate to d of them, without phase two."""
        d = as_count(d, "d")
        rounds = zip(self.round_first.tolist(), self.round_second.tolist(), self.round_length.tolist(),
                     self.round_alpha.tolist(), strict=True)
        return from_rounds(list(rounds), d)


def from_rounds(rounds, d=None):
    """F_out and its weights out of (x_1, x_2, D_X(x_1, x_2), alpha_j) for each round: eqs. 15-16.

    With `d`, the rounds count up to the first that would add a coordinate to d.
    """
    H = {}
    for place, (*h, alpha) in enumerate(rounds):
        h = tuple(h)
        if d is not None and h not in H and len(H) == d:
            rounds = rounds[:place]
            break
        H[h] = H.get(h, 0.0) + alpha
        if H[h] == 0:
            del H[h]
    first, second, length = columns_of(list(H), (np.int64, np.int64, np.float64))
    log = columns_of(rounds, (np.int64, np.int64, np.float64, np.float64))
    none = columns_of([], (np.int64, np.int64, np.float64, np.float64, np.int64, np.float64))
    return BoostMap(first, second, length, np.array(list(H.values()), dtype=np.float64), *none, *log)


def columns_of(rows, dtypes):
    columns = zip(*rows, strict=True) if rows else [()] * len(dtypes)
    return [np.array(column, dtype=dtype) for column, dtype in zip(columns, dtypes, strict=True)]


def accepts(values, low, high, inside):
    """The splitter S_{F,V} of eq. 18 on values F(q): float array of 0 and 1."""
    return (((low <= values) & (values < high)) == bool(inside)).astype(np.float64)
