"""Trainings of the Search Forest: Algorithm 1 with the trees of Algorithm 2.

The rounds are run by :mod:`refimpl.search_forest.algorithm` on the paper's matrices. Leaves are
told by their points: each point has the number of the first point of its leaf.
"""

from typing import Any

import numpy as np

from refimpl.check.drawing import Lcg
from refimpl.check.judging import by_worth
from refimpl.check.kernel import AGREES, WRONG, Values, outputs_of
from refimpl.check.trainings.table import Case, States, Training, enter
from refimpl.search_forest.algorithm import search_forest
from refimpl.typing import FloatArray, IntArray

__all__ = ["by_first_point", "forest", "settled", "tree", "worth"]


def by_first_point(leaf: Any) -> IntArray:
    """Return for each point the first point of its leaf."""
    _, first, places = np.unique(leaf, return_index=True, return_inverse=True)
    return np.asarray(first[places.ravel()])


def _run(arguments: Values) -> States:
    X, S, lam, M = (arguments[name] for name in ("X", "S", "lam", "M"))
    T = np.zeros(S.shape)
    listed: States = []
    for round in search_forest(X, S == 1, lam, M, arguments["max_depth"]):
        leaf = by_first_point(round.tree.leaf)
        listed.append(
            {
                "T": T,
                "leaf": leaf,
                "J": float(round.tree.J),
                "similar": float(round.similar),
                "dissimilar": float(round.dissimilar),
                "c": float(round.c),
            }
        )
        together = leaf[:, np.newaxis] == leaf
        np.fill_diagonal(together, False)
        T = T + round.c * together
    return listed


def same_leaves(arguments: Values, want: Values, got: Values) -> str:
    """Judge the leaves of a tree: other names are the same tree; else J of eq. 17 decides."""
    leaf = np.asarray(got["leaf"])
    if leaf.shape != want["leaf"].shape:
        return WRONG
    if (by_first_point(leaf) == want["leaf"]).all():
        return AGREES
    J = worth(leaf, arguments, want["T"])
    return by_worth(want["J"], J, 1e-6 * abs(want["J"]))


def worth(leaf: IntArray, arguments: Values, T: FloatArray) -> float:
    """Return J of eq. 17 of a tree's leaves, where T was before it."""
    z = arguments["S"] - arguments["lam"]
    together = leaf[:, np.newaxis] == leaf
    np.fill_diagonal(together, False)
    return float((np.exp(-z * T) * z)[together].sum())


def settled(arguments: Values) -> bool:
    """Whether the leaves stay the same if the points move by a thousandth: no plane turns."""
    X = arguments["X"]
    leaves = [state["leaf"].tolist() for state in _run(arguments)]
    for k in (1, 2, 3):
        moved = X + 1e-3 * X.std() * np.cos(k * np.arange(X.size)).reshape(X.shape)
        if [state["leaf"].tolist() for state in _run({**arguments, "X": moved})] != leaves:
            return False
    return True


OUTPUTS = "leaf SF:2:6 optimum; J SF:eq17 digits~1e-6"


def _problem(s: Lcg, flag: str, n: int, d: int, classes: int, apart: float = 12.0) -> Values:
    X = s.points(n, d, "plain")
    y = np.arange(n) % classes
    X += apart * (y[:, np.newaxis] == np.arange(d))
    S = (y[:, np.newaxis] == y).astype(np.float64)
    if flag == "asymmetric":
        S[np.tril_indices(n, -2)] = 0.0
    if flag == "duplicates":
        X[-1] = X[0]
    np.fill_diagonal(S, 0.0)
    return {"X": X, "S": S}


def _cases() -> list[Case]:
    s = Lcg(40)
    listed = []
    for comment, flag, M, n, d, classes, lam, depth in (
        ("three classes, well apart", "apart", 1, 12, 3, 3, 0.1, 16),
        ("three classes that overlap", "plain", 3, 12, 3, 3, 0.3, 16),
        (
            "one point similar to another, but not the other to it",
            "asymmetric",
            1,
            10,
            3,
            2,
            0.05,
            16,
        ),
        ("a point that stands there twice, in two classes", "duplicates", 2, 9, 3, 2, 0.1, 16),
        ("trees of one split", "shallow", 2, 12, 3, 3, 0.1, 1),
    ):
        given = _problem(s, flag, n, d, classes, 4.0 if flag == "plain" else 12.0)
        given |= {"M": M, "lam": lam, "max_depth": depth}
        listed.append(Case(comment, (flag,), given))
    return listed


forest = enter(
    Training(
        name="search_forest",
        loop="SF:1:1",
        algorithm="1",
        about="Algorithm 1 of Li et al. (2011) with Algorithm 2: at each round T before it, the "
        "leaves (any names), J of eq. 17, the masses of eq. 14 and c of eq. 15. A pair is two "
        "different points. Planes are those of eq. 18, with x~ = [x, 1] and the symmetric part of "
        "X~ M X~^T; a node is split if J rises",
        outputs=outputs_of(
            f"T SF:1:3 digits~1e-6; {OUTPUTS}; similar SF:eq14 digits~1e-6; "
            "dissimilar SF:eq14 digits~1e-6; c SF:eq15 digits~1e-6"
        ),
        cases=_cases,
        run=_run,
        judge=same_leaves,
        dependent=("similar", "dissimilar", "c"),
    )
)


def _run_tree(arguments: Values) -> States:
    (state,) = _run({**arguments, "M": 1})
    return [{name: state[name] for name in ("leaf", "J")}]


def _same_tree(arguments: Values, want: Values, got: Values) -> str:
    return same_leaves(arguments, {**want, "T": np.zeros(arguments["S"].shape)}, got)


def _tree_cases() -> list[Case]:
    s = Lcg(41)
    listed = []
    for comment, flag, n, classes, depth in (
        ("four classes, well apart", "plain", 12, 4, 16),
        ("no more than two splits in a row", "shallow", 12, 4, 2),
        ("all points similar: no split", "one class", 6, 1, 16),
    ):
        given = _problem(s, flag, n, 4, classes)
        listed.append(Case(comment, (flag,), given | {"lam": 0.1, "max_depth": depth}))
    return listed


tree = enter(
    Training(
        name="search_tree",
        algorithm="2",
        about="Algorithm 2 of Li et al. (2011): the leaves (any names) and J of eq. 17 of one "
        "tree, all weights 1",
        outputs=outputs_of(OUTPUTS),
        cases=_tree_cases,
        run=_run_tree,
        judge=_same_tree,
    )
)
