"""Small problems of the trainings, drawn from any source of integers.

Not handled here, because a correct implementation may differ: FastMap (after a tie its search goes
on to other pivots), the search tree and forest (a plane
through few points is not unique), the optimum of LMNN (its certificate takes seconds), FTUNE (the
tolerance of its solver moves w).
"""

from collections.abc import Callable

import numpy as np

from refimpl.check.drawing import Source
from refimpl.check.kernel import Values
from refimpl.typing import FloatArray, Int32Array, IntArray

__all__ = ["DRAWS"]

Draw = Callable[[Source], Values]
DRAWS: dict[str, Draw] = {}
"""By the name of the training: ``DRAWS[name](source)`` returns its arguments."""

KINDS = ("ties", "plain", "quarters", "duplicates")
ROUNDS = 8


def enter(draw: Draw) -> Draw:
    """Put a function into the table by its name."""
    DRAWS[draw.__name__] = draw
    return draw


def _permutation(s: Source, n: int) -> IntArray:
    return np.argsort(s.array((n,), 0, 99), kind="stable")


def _city_block(X: FloatArray) -> FloatArray:
    distances: FloatArray = np.abs(X[:, np.newaxis] - X).sum(axis=2)
    return distances


# --------------------------------------------------------------------------------- Boosted Distance


@enter
def adaboost(s: Source) -> Values:
    """Points of two classes."""
    n_P, n_N, d = s.integer(1, 5), s.integer(1, 5), s.integer(1, 2)
    X = s.points(n_P + n_N, d, s.pick(*KINDS))
    return {"P": X[:n_P], "N": X[n_P:], "T": s.integer(1, 4)}


@enter
def boosted_distance(s: Source) -> Values:
    """Points of two classes or three."""
    n, d = s.integer(4, 7), s.integer(1, 2)
    X = s.points(n, d, s.pick(*KINDS))
    return {"Omega": X, "l": np.arange(n) % s.integer(2, 3), "T": s.integer(1, 3)}


@enter
def nearest_neighbor_boosted_distance(s: Source) -> Values:
    """Queries, points and two ensembles."""
    d, kind = s.integer(1, 2), s.pick(*KINDS)
    n = s.integer(2, 5)
    given: Values = {"y": s.points(s.integer(1, 3), d, kind), "Omega": s.points(n, d, kind)}
    given["l"] = np.arange(n) % 2
    for C in (0, 1):
        T = s.integer(1, 3)
        given[f"alpha_{C}"] = s.array((T,), 1, 8) / 4
        given[f"feature_{C}"] = s.array((T,), 0, d - 1)
        given[f"polarity_{C}"] = 1 - 2 * s.array((T,), 0, 1)
        given[f"threshold_{C}"] = s.array((T,), -4, 4) / 2
    return given


# ----------------------------------------------------------------------------------------- BoostMap


def _triples(s: Source, D: FloatArray, t: int) -> Int32Array:
    rows = np.array([_permutation(s, len(D))[:3] for _ in range(t)])
    q, a, b = rows.T
    swapped = D[a, q] > D[b, q]
    rows[swapped] = rows[swapped][:, [0, 2, 1]]
    return rows.astype(np.int32)


def _orders(s: Source, t: int) -> FloatArray:
    return np.where(s.array((t,), 0, 4) == 4, -1.0, 1.0)


@enter
def boostmap(s: Source) -> Values:
    """Distances, triples, and the candidates of each round."""
    n, t = s.integer(4, 6), s.integer(3, 12)
    D = _city_block(s.points(n, 2, s.pick("ties", "plain")))
    first = s.array((ROUNDS, 3), 0, n - 1)
    other = (first + s.array((ROUNDS, 3), 1, n - 1)) % n
    return {
        "D": D,
        "between": D.copy(),
        "triples": _triples(s, D, t),
        "y": _orders(s, t),
        "d": s.integer(1, 3),
        "M_2": n + 3,  # all candidates: fewer depend on the order of equal errors
        "rounds": s.integer(1, 4),
        "references": np.array([_permutation(s, n) for _ in range(ROUNDS)]),
        "pivots": np.stack([first, other], axis=2),
    }


@enter
def query_sensitive(s: Source) -> Values:
    """Embeddings, triples, and the splitters and thresholds of each round."""
    n, t, d = s.integer(4, 6), s.integer(3, 12), s.integer(1, 2)
    rounds = s.integer(1, 3)
    X = s.points(n, d, s.pick("ties", "plain"))
    return {
        "F": np.ascontiguousarray(X.T),
        "triples": _triples(s, _city_block(X), t),
        "y": _orders(s, t),
        "gamma": s.array((rounds, d), 0, d - 1),
        "picks": s.array((rounds * d, 2), 0, t - 1),
    }


@enter
def enn_ranks(s: Source) -> Values:
    """Queries, points, weights and true neighbours."""
    m, n, d, kind = s.integer(1, 3), s.integer(3, 7), s.integer(1, 2), s.pick(*KINDS)
    return {
        "Q": s.points(m, d, kind),
        "X": s.points(n, d, kind),
        "A": s.reals((m, d), "quarters"),
        "neighbors": np.array([_permutation(s, n)[:3] for _ in range(m)]),
        "k_values": np.array([1, 3]),
    }


# ----------------------------------------------------------------------------------- FTUNE and LMNN


@enter
def dselect(s: Source) -> Values:
    """Similarities of points of two classes."""
    n = s.integer(3, 7)
    D = _city_block(s.points(n, 1, s.pick("ties", "plain")))
    d = s.integer(2, n)
    given = {"K": 1 - D / 8, "l": 1.0 - 2.0 * (np.arange(n) % 2), "d": d}
    return {**given, "first": s.integer(0, n - 1), "picks": s.array((d, 2), 0, 9)}


@enter
def lmnn_steps(s: Source) -> Values:
    """Points of two classes."""
    n, d = s.integer(6, 8), s.integer(1, 2)
    X = s.points(n, d, "plain")
    return {"X": X, "y": np.arange(n) % 2, "k": s.integer(1, 2), "mu": 1.0, "checks": 3}


# ------------------------------------------------------------------------------------------- rivals


@enter
def lipschitz(s: Source) -> Values:
    """Distances and sets of reference objects."""
    n, m = s.integer(2, 6), s.integer(1, 3)
    member = s.booleans((m, n))
    member[np.arange(m), s.array((m,), 0, n - 1)] = True
    return {"D": _city_block(s.points(n, 2, s.pick(*KINDS))), "member": member}
