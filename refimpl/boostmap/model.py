"""The result of a training of BoostMap: Athitsos et al. (2005), §§ 7.4 and 8.2."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from refimpl.boostmap.algorithm import add_to, embedding, query_weights
from refimpl.checks import as_count, as_kernels
from refimpl.results import result
from refimpl.spaces.references import Embedding, as_embedded
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

MOST = 1e150  # largest distance, so that its square is finite
FirstRound: TypeAlias = tuple[int, int, float, float]
"""x_1, x_2, D_X(x_1, x_2) and alpha_j of a round of § 7.3."""


def _no_floats() -> FloatArray:
    return np.empty(0)


@result
@dataclass(frozen=True, eq=False)
class BoostMap(Embedding):
    """The embedding F_out of § 7.4 with its weights, and any query-sensitive part (§ 8.2).

    Attributes
    ----------
    first, second : ndarray, shape (d,), int64
        The database objects that define each coordinate: (r, -1) for a reference object, (x_1, x_2)
        for pivots.
    length : ndarray, shape (d,), float64
        D_X(x_1, x_2), 0 for a reference object.
    alpha : ndarray, shape (d,), float64
        Weights alpha_c > 0 of eq. 16.
    coordinate, by : ndarray, shape (s,), int64
        c and g of the query-sensitive classifiers: coordinate c counts more where coordinate g of
        the query lies in the range.
    low, high : ndarray, shape (s,), float64
        The range, low <= value < high.
    inside : ndarray, shape (s,), int64
        1 for values in the range, 0 for values outside.
    extra : ndarray, shape (s,), float64
        Weights alpha_j, j > J, of eq. 20.
    round_first, round_second : ndarray, shape (J,), int64
    round_length, round_alpha : ndarray, shape (J,), float64
        Classifier (as above) and alpha_j of each round of the first phase.
    round_z, extra_z : ndarray, shape (J,) and (s,), float64
        z_j of each round of the first phase, and of the query-sensitive phase.
    phase : int
        1 if the training ended in its first phase, 2 if it began the query-sensitive one.
    generator : str
        State of the random generator after the last round, as JSON.
    problem : str
        sha256 of the distances, triples and options of the training. ``start=`` of
        :func:`refimpl.boostmap.boostmap` needs `phase`, `generator` and `problem`. All three are
        empty in an embedding that is not the whole result of a training.

    Raises
    ------
    TypeError, ValueError
        From its methods, if objects, vectors or a number of coordinates do not fit the embedding,
        or a distance of a query is too large.

    See Also
    --------
    refimpl.boostmap.boostmap : Train an embedding.
    refimpl.spaces.retrieval.FilterAndRefine : Search a database with an embedding.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap import CandidateDistances, boostmap, nearby_triples
    >>> from refimpl.spaces import PrecomputedSpace
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> D = np.linalg.norm(X[:, np.newaxis] - X, axis=2)
    >>> triples = nearby_triples(D, 20, 500, rng=np.random.default_rng(1))
    >>> model = boostmap(CandidateDistances(D, D), triples, 4, rng=np.random.default_rng(2))
    >>> E = model.embed(PrecomputedSpace(D))
    >>> E.shape, model.pairwise(E[:2], E).shape
    ((30, 4), (2, 30))
    >>> model.truncated(2).d
    2
    """

    first: IntArray
    second: IntArray
    length: FloatArray
    alpha: FloatArray
    coordinate: IntArray
    by: IntArray
    low: FloatArray
    high: FloatArray
    inside: IntArray
    extra: FloatArray
    round_first: IntArray
    round_second: IntArray
    round_length: FloatArray
    round_alpha: FloatArray
    round_z: FloatArray = field(default_factory=_no_floats)
    extra_z: FloatArray = field(default_factory=_no_floats)
    phase: int = 0
    generator: str = ""
    problem: str = ""

    @property
    def d(self) -> int:
        """Return the number of dimensions."""
        return len(self.alpha)

    @property
    def references(self) -> IntArray:
        """The database objects to which distances are measured, at most 2 d: int64, ascending."""
        return np.unique(np.concatenate([self.first, self.second[self.second >= 0]]))

    def _coordinates(self, D: FloatArray) -> FloatArray:
        """Return F_out(x) of eq. 15."""
        if D.size and D.max() > MOST:
            raise ValueError(f"a query's distances must be at most {MOST:.0e}; got {D.max():.3g}")
        references = self.references
        x_1 = np.searchsorted(references, self.first)
        x_2 = np.searchsorted(references, self.second)
        x_2[self.second < 0] = -1
        columns = [embedding(D.T, *h) for h in zip(x_1, x_2, self.length, strict=True)]
        values = np.array(columns).reshape(self.d, len(D))
        return np.ascontiguousarray(values.T)  # BM:eq15

    def weights(self, E: FloatArray) -> FloatArray:
        """Return A_c(q) of eq. 21 for embedded queries E, shape (n, d): ndarray, shape (n, d)."""
        return query_weights(E, self.alpha, self.query_sensitive_classifiers())

    def query_sensitive_classifiers(self) -> Iterator[tuple[int, int, float, float, int, float]]:
        """Return (c, g, low, high, inside, alpha_j) of each round of the query-sensitive phase."""
        return zip(
            self.coordinate.tolist(),
            self.by.tolist(),
            self.low.tolist(),
            self.high.tolist(),
            self.inside.tolist(),
            self.extra.tolist(),
            strict=True,
        )

    def pairwise(
        self,
        Q: ArrayLike,
        X: ArrayLike,
        *,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> FloatArray:
        """Return D_q of eq. 22 from embedded queries to embedded objects: (n_Q, n_X), float64.

        Q has shape (n_Q, d), X (n_X, d). Without a query-sensitive part the distance is that of eq.
        16. TypeError or ValueError says that the vectors are no finite numbers, or have another
        number of columns than d.
        """
        queries, points = as_embedded(Q, X, self.d)
        weights = self.weights(queries)
        # BM:eq16, BM:eq22
        return as_kernels(kernels).weighted_l1(queries, weights, points, threads=threads)

    def truncated(self, d: int) -> "BoostMap":
        """Return the embedding that a training with `d` coordinates gives, without phase two.

        It is the embedding as it was before the first phase added a coordinate to `d` of them. It
        cannot be the ``start=`` of a training.
        """
        d = as_count(d, "d")
        rounds = zip(
            self.round_first.tolist(),
            self.round_second.tolist(),
            self.round_length.tolist(),
            self.round_alpha.tolist(),
            strict=True,
        )
        short = from_rounds(list(rounds), d)
        return replace(short, round_z=self.round_z[: len(short.round_alpha)])


def from_rounds(rounds: Sequence[FirstRound], d: int | None = None) -> BoostMap:
    """Return F_out and its weights from the rounds of § 7.3: eqs. 15-16."""
    # with `d`, the rounds count up to the first that would add a coordinate to d
    H: dict[tuple[int, int, float], float] = {}
    for place, (x_1, x_2, length, alpha) in enumerate(rounds):
        h = (x_1, x_2, length)
        if d is not None and h not in H and len(H) == d:
            rounds = rounds[:place]
            break
        add_to(H, h, alpha)
    first, second, length_of = columns_of(H, (np.int64, np.int64, np.float64))
    alpha_of = np.array(list(H.values()), dtype=np.float64)
    classifiers = columns_of([], (np.int64, np.int64, np.float64, np.float64, np.int64, np.float64))
    log = columns_of(rounds, (np.int64, np.int64, np.float64, np.float64))
    return BoostMap(first, second, length_of, alpha_of, *classifiers, *log)


def columns_of(rows: Iterable[Sequence[float]], dtypes: Sequence[type]) -> list[Any]:
    """Return the columns of rows of numbers as arrays of these dtypes."""
    rows = list(rows)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(dtypes)
    return [np.array(column, dtype=dtype) for column, dtype in zip(columns, dtypes, strict=True)]
