"""Algorithms with a fault each: by hand for A.1 to A.3, else the reference with one part replaced.

What breaks a single rule is in rule_mutants.py.

MUTANTS maps a name to (training, function, kinds that may be named, sources that may be named).
"""

from itertools import pairwise

import numpy as np
from rule_mutants import mutated

import refimpl.boostmap.algorithm
import refimpl.ftune.algorithm
import refimpl.lmnn.algorithm
import refimpl.search_forest.algorithm
from refimpl.check.subject import EQUAL_WORTH, WRONG
from refimpl.check.subjects import TRAININGS

MUTANTS = {}


def mutant(training, kind, *sources):
    """Enter a faulty algorithm."""

    def enter(function):
        MUTANTS[function.__name__] = (training, function, kind, sources)
        return function

    return enter


# --------------------------------------------------------------------------------- A.1, A.2 and A.3


def middle(a, b, p):
    """Midway between two values, or the value that divides them where no float is between."""
    m = a / 2 + b / 2
    return m if a < m < b else (b if p == 1 else a)


def rounds(P, N, T, *, wrong_ones=False, printed=False, last=False):
    """Algorithm A.2 by plain loops."""
    X = np.concatenate([P, N])
    l = np.arange(len(X)) < len(P)
    w = np.where(l, 0.5 / len(P), 0.5 / len(N))
    states = []
    for _ in range(T):
        w = w / w.sum()
        best = None
        for f in range(X.shape[1])[:: -1 if last else 1]:
            values = np.unique(X[:, f])
            for p in (1, -1):
                between = [middle(a, b, p) for a, b in pairwise(values)]
                for theta in (-np.inf, *between):
                    error = w[(p * X[:, f] < p * theta) != l].sum()
                    if best is None or error < best[0] - 1e-14:
                        best = error, f, p, theta
        epsilon, f, p, theta = best
        beta = max(epsilon, 2.0**-52) / (1 - max(epsilon, 2.0**-52))
        right = (p * X[:, f] < p * theta) == l
        alpha = 1 / np.log(beta) if printed else np.log(1 / beta)
        updated = w * np.where(~right if wrong_ones else right, beta, 1.0)
        state = {"w": w, "f": f, "p": p, "theta": float(theta), "alpha": alpha}
        states.append({**state, "beta": beta, "updated": updated})
        w = updated
    return states


@mutant("adaboost", WRONG, "BD:A.2:11")
def beta_for_the_wrong_ones(P, N, T):
    return rounds(P, N, T, wrong_ones=True)


@mutant("adaboost", WRONG, "BD:A.2:12")
def alpha_as_printed(P, N, T):
    return rounds(P, N, T, printed=True)


@mutant("boosted_distance", WRONG, "BD:A.1:3")
def negatives_the_other_way(Omega, l, T):
    states = TRAININGS["boosted_distance"].run({"Omega": Omega, "l": l, "T": T})
    return [{**state, "N": -state["N"]} if "N" in state else state for state in states]


# ------------------------------------------------------- the reference with one part of it replaced


def replaced(training, module, name, part):
    """Return a function that runs the reference with `part` in place of a function of `module`."""

    def run(**arguments):
        kept = getattr(module, name)
        setattr(module, name, part)
        try:
            return TRAININGS[training].run(arguments)
        finally:
            setattr(module, name, kept)

    return run


next_weights = refimpl.kernels.next_weights


def weights_not_divided_by_z(F, triples, y, margin, alpha, *, threads=None):
    after, w, z = next_weights(F, triples, y, margin, alpha)
    return after, w * z, z


def c_without_lambda(similar, dissimilar, lam):
    return float(np.log(similar / max(dissimilar, 1.0)))


def every_split(X, M, max_depth=16):
    """Algorithm 2 that never splits."""
    return refimpl.search_forest.algorithm.Tree(
        [-1], [None], [0.0], np.zeros(len(X), dtype=np.int64), M.sum()
    )


def farthest_of_class(X, y, k, *, kernels=None, threads=None):
    D = ((X[:, np.newaxis] - X) ** 2).sum(axis=2)
    D[y[:, np.newaxis] != y] = -1.0
    np.fill_diagonal(D, -1.0)
    return np.argsort(-D, axis=1, kind="stable")[:, :k]


def pairs_swapped(L, l, d, rng):
    return refimpl_pairs(L, l, d, rng)[:, ::-1]


refimpl_pairs = refimpl.ftune.algorithm.pairs

for name, training, module, part, new, kind, sources in (
    ("boostmap_weights_not_divided", "boostmap", refimpl.kernels, "next_weights",
     weights_not_divided_by_z, WRONG, ("BM:7.3:12",)),
    ("forest_c_without_lambda", "search_forest", refimpl.search_forest.algorithm, "best_c",
     c_without_lambda, WRONG, ("SF:eq15", "SF:1:1")),
    ("forest_trees_of_one_leaf", "search_forest", refimpl.search_forest.algorithm, "search_tree",
     every_split, WRONG, ("SF:2:6", "SF:1:1")),
    ("lmnn_farthest_targets", "lmnn_steps", refimpl.lmnn.algorithm, "target_neighbors",
     farthest_of_class, WRONG, ("LM:2:1",)),
    ("dselect_pairs_swapped", "dselect", refimpl.ftune.algorithm, "pairs", pairs_swapped, WRONG,
     ("FT:1:8",)),
):  # fmt: skip
    MUTANTS[name] = (training, replaced(training, module, part, new), kind, sources)


@mutant("boostmap", WRONG, "BM:7.3:4", "BM:7.3:12")
def boostmap_never_modifies(**arguments):
    with mutated(refimpl.boostmap.algorithm.training_rounds, "z < 0.9999", "z < -1"):
        return TRAININGS["boostmap"].run(arguments)


# ---------------------------------------------------------------------------------- FTUNE and ranks


@mutant("dselect", WRONG, "FT:1:3", "FT:1:8")
def landmarks_most_similar(K, l, d, first, picks):
    L = [first]
    while len(L) < d:
        sums = K[:, L].sum(axis=1)
        sums[L] = -np.inf
        L.append(int(sums.argmax()))
    return [{"z": z} for z in L] + [{"P": np.zeros((d, 2), dtype=np.int64)}]


@mutant("ftune", (WRONG, EQUAL_WORTH), "FT:2:5")
def the_first_function(F, K, L, l, P):
    states = TRAININGS["ftune"].run({"F": F, "K": K, "L": L, "l": l, "P": P})
    return [*states[:-1], {**states[-1], "f": float(F[0])}]


@mutant("fastmap", WRONG, "Faloutsos & Lin (1995), eq. 3")
def divided_once(D, d, starts, iterations):
    states = TRAININGS["fastmap"].run({"D": D, "d": d, "starts": starts, "iterations": iterations})
    return [{**state, "F": 2 * state["F"]} for state in states]


@mutant("lmnn", WRONG, "LM:eq3")
def euclidean_metric(X, y, k, mu):
    return [{"M": np.eye(X.shape[1])}]
