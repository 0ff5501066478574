"""Boosted Distance for use: eq. 4 and Algorithm A.3 of Amores, Sebe & Radeva (2006), with checks of
the arguments.

Similarities are those of :mod:`.algorithm`. All training vectors of a class are compared at once
and queries in blocks; the labels are those of the printed loop over the training vectors.

Not handled here: K > 1 neighbours (the paper uses K = 1 throughout).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from refimpl.arrays import as_matrix, as_vectors_like, blocks
from refimpl.boosted_distance import algorithm
from refimpl.boosted_distance.model import BoostedDistance, Ensemble
from refimpl.boosted_distance.weak_learners import require_finite_differences
from refimpl.checks import as_count, as_flag, as_kernels, as_labels, positive
from refimpl.resources import check_free_memory
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

_BLOCK = 2**23  # similarities held at a time: 64 MiB
PIECE = 2**21  # similarities computed at a time where a whole matrix of them is held: 16 MiB
_LANES = 16  # training vectors that refimpl_fast compares at a time
_SCRATCH = 26  # bytes for each of a piece: a sum, a difference, a comparison, a stump's share


def similarity(
    model: BoostedDistance,
    Q: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    *,
    normalize: bool = True,
    class_weight: Mapping[Any, float] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> FloatArray:
    """Return the boosted similarity S_C(q, x), where C is the class of x.

    Eqs. 2-4 of Amores, Sebe & Radeva (2006), p. 203: sum_t alpha_t h_t(q - x), by default divided
    by sum_t alpha_t, so that it lies between 0 and 1.

    Parameters
    ----------
    model : BoostedDistance
        What :func:`boosted_distance` returned.
    Q : array_like, shape (n_Q, d)
        Queries.
    X : array_like, shape (n_X, d)
        Vectors with known labels, Omega.
    y : array_like, shape (n_X,)
        Their labels; each must be a class of `model`.
    normalize : bool, default True
        Divide by sum_t alpha_t of the class, so that S_C lies in [0, 1], as the text before eq. 2
        has it (ERRATUM BD-2). False is the sum as Algorithm A.3 prints it, which reaches sum_t
        alpha_t: a class whose stumps weigh more is then more similar to every query.
    class_weight : mapping of label -> float, optional
        Factors of the similarities, such as ``{"rare": 1.1}``: a class with a larger factor is
        answered more often. Classes that are not named have the factor 1. The paper has no such
        factors.
    kernels, threads
        As for :func:`boosted_distance`.

    Returns
    -------
    ndarray, shape (n_Q, n_X), float64

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.

    See Also
    --------
    class_similarities : The largest similarity to each class.
    nearest_neighbor_boosted_distance : The label of the most similar vector.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance, similarity
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    >>> model = boosted_distance(X, y, 2)
    >>> similarity(model, [[0.5], [5.5]], X, y).round(2)
    array([[1., 1., 0., 0.],
           [0., 0., 1., 1.]])
    """
    comparison = _compare(model, Q, X, y, normalize, class_weight, kernels, threads)
    pieces = comparison.pieces()
    comparison.require_memory(pieces)
    S = np.empty((len(comparison.Q), len(comparison.X)))
    for piece in pieces:
        S[:, piece.members] = comparison.similarities_to(piece, comparison.Q)
    return S


def nearest_neighbor_boosted_distance(
    model: BoostedDistance,
    Q: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    *,
    normalize: bool = True,
    class_weight: Mapping[Any, float] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Labels:
    """Label each query like the training vector that is most similar to it.

    Algorithm A.3 of Amores, Sebe & Radeva (2006), p. 208, NearestNeighborBoostedDistance(y,
    {Phi_C}, Omega), and eq. 1. Of equal similarities the first training vector decides.
    Similarities are normalised by default; ``normalize=False`` takes the sum as it is printed. The
    labels are those of :func:`.algorithm.nearest_neighbor_boosted_distance`.

    Parameters
    ----------
    model, Q, X, y, normalize, class_weight, kernels, threads
        As for :func:`similarity`.

    Returns
    -------
    ndarray, shape (n_Q,)
        Labels l_y, of the dtype of `y`.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.

    See Also
    --------
    boosted_distance : Train the model.
    staged_nearest_neighbor : Labels after each number of rounds.
    class_similarities : Scores of the classes.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["low", "low", "high", "high"]
    >>> model = boosted_distance(X, y, 2)
    >>> nearest_neighbor_boosted_distance(model, [[0.5], [7.0]], X, y).tolist()
    ['low', 'high']
    """
    comparison = _compare(model, Q, X, y, normalize, class_weight, kernels, threads)
    l_y = np.empty(len(comparison.Q), dtype=comparison.y.dtype)
    for block in comparison.blocks():
        # BD:A.3:2, BD:A.3:3, BD:A.3:4
        s = comparison.similarities(comparison.Q[block])
        # BD:A.3:5, BD:A.3:6, BD:A.3:7, BD:eq1  the first of equals
        l_y[block] = comparison.y[np.argmax(s, axis=1)]
    return l_y  # BD:A.3:10


def class_similarities(
    model: BoostedDistance,
    Q: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    *,
    normalize: bool = True,
    class_weight: Mapping[Any, float] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> FloatArray:
    """Return how similar each query is to the most similar training vector of each class.

    These are the scores of the classes: Algorithm A.3 of Amores, Sebe & Radeva (2006) answers with
    the class of the largest one.

    Parameters
    ----------
    model, Q, X, y, normalize, class_weight, kernels, threads
        As for :func:`similarity`.

    Returns
    -------
    ndarray, shape (n_Q, n_classes), float64
        A column for each label in `y`, ascending. The largest entry of a row belongs to the answer
        of Algorithm A.3.

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.

    See Also
    --------
    similarity : The similarity to each training vector.
    nearest_neighbor_boosted_distance : The label of the most similar vector.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance, class_similarities
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    >>> model = boosted_distance(X, y, 2)
    >>> class_similarities(model, [[0.5], [5.5]], X, y).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    comparison = _compare(model, Q, X, y, normalize, class_weight, kernels, threads)
    parts = [part for part in comparison.parts if len(part.X)]
    best = np.empty((len(comparison.Q), len(parts)))
    for block in comparison.blocks():
        for c, part in enumerate(parts):
            best[block, c] = comparison.similarities_to(part, comparison.Q[block]).max(axis=1)
    return best


def staged_nearest_neighbor(
    model: BoostedDistance,
    Q: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    rounds: Iterable[int],
    *,
    normalize: bool = True,
    class_weight: Mapping[Any, float] | None = None,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Iterator[tuple[int, Labels]]:
    """Label queries with only the first t rounds, for growing t.

    Algorithm A.3 of Amores, Sebe & Radeva (2006), p. 208, with ensembles that are cut short.

    Parameters
    ----------
    model, Q, X, y, normalize, class_weight, kernels, threads
        As for :func:`similarity`. Q and X are compared whole: n_Q * n_X similarities are held.
    rounds : iterable of int
        Ascending numbers of rounds t >= 1; of an ensemble with fewer rounds all rounds count.

    Yields
    ------
    t : int
    l_y : ndarray, shape (n_Q,)

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit; the message names it.

    See Also
    --------
    nearest_neighbor_boosted_distance : The labels after all rounds.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance, staged_nearest_neighbor
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    >>> model = boosted_distance(X, y, 4)
    >>> for t, labels in staged_nearest_neighbor(model, [[0.5], [7.0]], X, y, [1, 4]):
    ...     print(t, labels)
    1 [0 1]
    4 [0 1]
    """
    if not np.iterable(rounds):
        raise TypeError(f"rounds must be a list of numbers of rounds; got {rounds!r}")
    comparison = _compare(model, Q, X, y, normalize, class_weight, kernels, threads)
    pieces, blocks = comparison.pieces(), comparison.blocks(PIECE)
    comparison.require_memory(pieces, blocks)
    sums = [np.zeros((len(comparison.Q), len(piece.X))) for piece in pieces]
    before = 0
    for t in rounds:
        t = as_count(t, "rounds")
        if t < before:
            raise ValueError(f"rounds must be in ascending order; got {t} after {before}")
        totals = []
        for piece, S in zip(pieces, sums, strict=True):
            new = piece.ensemble.rounds(before, t)
            new.add_similarity(
                S, comparison.Q, piece.X, kernels=comparison.kernels, threads=threads
            )
            so_far = piece.ensemble.rounds(0, t)
            totals.append(algorithm.total_weight(so_far) if normalize else 1.0)
        before = t
        l_y = np.empty(len(comparison.Q), dtype=comparison.y.dtype)
        for block in blocks:
            s = np.empty((len(comparison.Q[block]), len(comparison.X)))
            for piece, S, total in zip(pieces, sums, totals, strict=True):
                s[:, piece.members] = piece.weighted(S[block] / total)
            l_y[block] = comparison.y[np.argmax(s, axis=1)]
        yield t, l_y


def selected_dimensions(model: BoostedDistance) -> IntArray:
    """Return the dimensions that the boosted distance looks at.

    There are at most T of them for each class. This is the reduction of dimensionality of Amores,
    Sebe & Radeva (2006), § 3, after eq. 4, and § 4.2.

    Parameters
    ----------
    model : BoostedDistance

    Returns
    -------
    ndarray of int64, ascending

    Raises
    ------
    TypeError
        If `model` is no BoostedDistance.

    See Also
    --------
    boosted_distance : Train the model.

    Examples
    --------
    >>> from refimpl.boosted_distance import boosted_distance, selected_dimensions
    >>> X, y = [[7.0, 0.0], [7.0, 1.0], [7.0, 5.0], [7.0, 6.0]], [0, 0, 1, 1]
    >>> selected_dimensions(boosted_distance(X, y, 3)).tolist()
    [1]
    """
    _require_model(model)
    return np.unique(np.concatenate([ensemble.features() for ensemble in model.ensembles]))


# -------------------------------------------------------------------------------- one comparison


@dataclass(frozen=True, eq=False)
class _Part:
    """The training vectors of a class, or some of them."""

    ensemble: Ensemble
    members: IntArray  # their indices in X
    X: FloatArray
    factor: float

    def weighted(self, S: FloatArray) -> FloatArray:
        """Return the similarities S times the factor of the class."""
        return S if self.factor == 1.0 else self.factor * S


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Queries and the training vectors that they are compared with, all checked."""

    Q: FloatArray
    X: FloatArray
    y: Labels
    parts: list[_Part]
    normalize: bool
    kernels: Kernels
    threads: int | None

    def require_memory(self, pieces: list[_Part], blocks: Sequence[slice] = ()) -> None:
        """Raise MemoryError if the matrix of all similarities does not fit."""
        # it is computed in pieces, and looked at in blocks of queries
        most = max(len(piece.X) for piece in pieces)
        rounds = max(len(piece.ensemble) for piece in pieces)
        scratch = _SCRATCH * len(self.Q) * most + 8 * rounds * (most + _LANES)
        looked_at = max((len(self.Q[block]) for block in blocks), default=0) * len(self.X)
        needed = 8 * len(self.Q) * len(self.X) + scratch + 8 * looked_at
        check_free_memory(needed, "the matrix of similarities", "queries or training vectors")

    def pieces(self) -> list[_Part]:
        """Return the parts, each divided so that few similarities are computed at a time."""
        size = max(_LANES, PIECE // len(self.Q))
        return [
            replace(part, members=part.members[some], X=part.X[some])
            for part in self.parts
            for some in blocks(len(part.X), size)
        ]

    def similarities(self, Q: FloatArray) -> FloatArray:
        """Return the similarity of some queries to all training vectors, shape (len(Q), n_X)."""
        S = np.empty((len(Q), len(self.X)))
        for part in self.parts:
            S[:, part.members] = self.similarities_to(part, Q)
        return S

    def similarities_to(self, part: _Part, Q: FloatArray) -> FloatArray:
        """Return the similarity of some queries to the vectors of a class."""
        S_C = algorithm.similarity(  # BD:A.3:3, BD:A.3:4
            Q,
            part.X,
            part.ensemble,
            normalize=self.normalize,
            kernels=self.kernels,
            threads=self.threads,
        )
        return part.weighted(S_C)

    def blocks(self, similarities: int | None = None) -> list[slice]:
        """Return slices of the queries that have so many similarities at most, or of one query."""
        return blocks(len(self.Q), (similarities or _BLOCK) // len(self.X))


def _require_model(model: object) -> None:
    if not isinstance(model, BoostedDistance):
        raise TypeError(f"model must be a BoostedDistance; got a {type(model).__name__}")


def _compare(
    model: BoostedDistance,
    Q: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    normalize: bool,
    class_weight: Mapping[Any, float] | None,
    kernels: Kernels | None,
    threads: int | None,
) -> _Comparison:
    """Check the arguments of a comparison."""
    kernels = as_kernels(kernels)
    normalize = as_flag(normalize, "normalize")
    _require_model(model)
    points: FloatArray = as_matrix(X, "X")
    queries: FloatArray = as_vectors_like(Q, points, "Q")
    labels: Labels = as_labels(y, len(points), "y")
    missing = sorted(set(np.unique(labels).tolist()) - set(model))
    if missing:
        raise ValueError(f"y must hold classes of the model, {list(model)}; got {missing} as well")
    largest = max(ensemble.features().max(initial=0) for ensemble in model.ensembles)
    if largest >= points.shape[1]:
        raise ValueError(
            f"X must have at least {largest + 1} columns, since the model looks at column "
            f"{largest}; got {points.shape[1]}"
        )
    require_finite_differences(queries, points, "Q")
    factors = _factors(model, class_weight)
    parts = []
    for label, ensemble in model.items():
        members = np.flatnonzero(labels == label)
        parts.append(_Part(ensemble, members, points[members], factors[label]))
    return _Comparison(queries, points, labels, parts, normalize, kernels, threads)


def _factors(model: BoostedDistance, class_weight: object) -> dict[Any, float]:
    """Return the factor of each class."""
    factors: dict[Any, float] = dict.fromkeys(model, 1.0)
    if class_weight is None:
        return factors
    if not isinstance(class_weight, Mapping):
        raise TypeError(
            "class_weight must be a mapping from classes to factors, or None (training weighs all "
            f"classes alike); got {class_weight!r}"
        )
    for label, factor in class_weight.items():
        if label not in factors:
            raise ValueError(
                f"class_weight must name classes of the model, {list(model)}; got {label!r}"
            )
        factors[label] = positive(factor, f"class_weight[{label!r}]")
    return factors
