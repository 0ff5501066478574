"""Small problems of the trainings, drawn from any source of integers.

A problem on which a correct implementation may differ raises ValueError and is not asked: a search
tree whose planes turn when the points move a little, a singular covariance.

The cases of :mod:`refimpl.check.trainings.rules` come from these functions, too: a change here
changes the vectors.
"""

from collections.abc import Callable

import numpy as np

from refimpl.check.drawing import Source
from refimpl.check.kernel import Values
from refimpl.check.trainings.search_forest import settled
from refimpl.check.trainings.table import DRAWS
from refimpl.typing import FloatArray, Int32Array, IntArray

__all__ = ["DRAWS"]

Draw = Callable[[Source], Values]
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
        given[f"alpha_{C}"] = s.array((T,), 0, 8) / 4
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
    D = _city_block(s.points(n, 2, s.pick(*KINDS)))
    if s.integer(0, 2) == 2:
        D = D * (1 + s.array((n, n), 0, 8) / 16)  # it differs by direction
    first = s.array((ROUNDS, 3), 0, n - 1)
    other = (first + s.array((ROUNDS, 3), 1, n - 1)) % n
    return {
        "D": D,
        "between": D.copy(),
        "triples": _triples(s, D, t),
        "y": _orders(s, t),
        "d": s.integer(1, 3),
        "M_2": n + 3,  # all candidates: fewer depend on the order of equal errors
        "rounds": s.integer(1, 6),
        "references": np.array([_permutation(s, n) for _ in range(ROUNDS)]),
        "pivots": np.stack([first, other], axis=2),
    }


@enter
def query_sensitive(s: Source) -> Values:
    """Embeddings, triples, and the splitters and thresholds of each round."""
    n, t, d = s.integer(4, 6), s.integer(3, 12), s.integer(1, 2)
    rounds = s.integer(1, 3)
    X = s.points(n, d, s.pick("ties", "plain", "constant columns"))
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
    K = 1 - D / 8
    if s.integer(0, 2) == 2:
        K = K * (1 - s.array((n, n), 0, 3) / 16)  # it differs by direction
    given = {"K": K, "l": 1.0 - 2.0 * (np.arange(n) % 2), "d": d}
    return {**given, "first": s.integer(0, n - 1), "picks": s.array((d, 2), 0, 9)}


@enter
def lmnn_steps(s: Source) -> Values:
    """Points of two classes."""
    n, d = s.integer(6, 8), s.integer(1, 2)
    X = s.points(n, d, s.pick("plain", "quarters"))
    given = {"X": X, "y": np.arange(n) % 2, "k": s.integer(1, 2), "mu": s.pick(1.0, 0.5, 4.0)}
    return {**given, "checks": s.integer(1, 7)}


@enter
def lmnn(s: Source) -> Values:
    """Points of two classes."""
    given = lmnn_steps(s)
    del given["checks"]
    return given


@enter
def ftune(s: Source) -> Values:
    """Similarities of points of two classes, and pairs of both."""
    n, d = s.integer(4, 8), s.integer(1, 3)
    K = 1 - _city_block(s.points(n, 1, s.pick("ties", "plain"))) / 8
    ways = s.array((d, 2), 0, n // 2 - 1)
    return {
        "F": np.array(s.pick([1.0], [0.5, 5.0], [1.0, np.inf], [0.5, 1.0, np.inf])),
        "K": K,
        "L": s.pick("squared_hinge", "logistic"),
        "l": 1.0 - 2.0 * (np.arange(n) % 2),
        "P": np.column_stack([2 * ways[:, 0], 2 * ways[:, 1] + 1]),
    }


# ------------------------------------------------------------------------------------ Search Forest


@enter
def search_forest(s: Source) -> Values:
    """Points of two classes or three, near to each other or apart."""
    return _settled({**_forest(s), "M": s.integer(1, 3), "max_depth": s.integer(1, 4)})


@enter
def search_tree(s: Source) -> Values:
    """The same for one tree."""
    given = _settled({**_forest(s), "M": 1, "max_depth": s.integer(1, 4)})
    del given["M"]
    return given


def _settled(given: Values) -> Values:
    if not settled(given):
        raise ValueError("the leaves hang on rounding")
    return given


def _forest(s: Source) -> Values:
    n, d, classes = s.integer(4, 9), s.integer(2, 3), s.integer(2, 3)
    y = np.arange(n) % classes
    X = s.points(n, d, s.pick("plain", "quarters", "duplicates"))
    X = X + s.pick(0.0, 2.0, 9.0) * (y[:, np.newaxis] == np.arange(d))
    S = (y[:, np.newaxis] == y).astype(np.float64)
    if s.integer(0, 3) == 3:
        S[np.tril_indices(n, -2)] = 0.0
    np.fill_diagonal(S, 0.0)
    return {"X": X, "S": S, "lam": s.pick(0.25, 0.05, 0.5)}


# ------------------------------------------------------------------------------------------- rivals


@enter
def fastmap(s: Source) -> Values:
    """Distances of points of the plane, and all objects as starts."""
    n, d = s.integer(2, 9), s.integer(1, 3)
    X = s.points(n, 2, s.pick(*KINDS))
    D = _city_block(X)
    if s.integer(0, 1):
        D = np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    if not D.any():
        raise ValueError("all distances are zero")
    starts = np.array([_permutation(s, n) for _ in range(d)])
    return {"D": D, "d": d, "starts": starts, "iterations": s.integer(1, 5)}


@enter
def relevant_component_analysis(s: Source) -> Values:
    """Points of two classes or three, their covariance not near to singular."""
    classes, d = s.integer(2, 3), s.integer(1, 2)
    n = s.integer(classes + d + 1, classes + d + 4)
    X, y = s.points(n, d, s.pick("plain", "quarters")), np.arange(n) % classes
    away = X - np.array([X[y == c].mean(axis=0) for c in y])
    if np.linalg.cond(away) > 1e3:
        raise ValueError("the covariance is near to singular")
    return {"X": X, "y": y}


@enter
def lipschitz(s: Source) -> Values:
    """Distances and sets of reference objects."""
    n, m = s.integer(2, 6), s.integer(1, 3)
    member = s.booleans((m, n))
    member[np.arange(m), s.array((m,), 0, n - 1)] = True
    return {"D": _city_block(s.points(n, 2, s.pick(*KINDS))), "member": member}
