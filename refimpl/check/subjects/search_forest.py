"""The Search Forest: the kernels of words and lists, pairs and planes; Algorithm 1 with the trees
of Algorithm 2.

The rounds are run by :mod:`refimpl.search_forest.algorithm` on the paper's matrices. Leaves are
told by their points: each point has the number of the first point of its leaf.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from refimpl.check.drawing import NoProblemError, Source
from refimpl.check.judging import best, by_worth, indices, listed, squares, way_up
from refimpl.check.subject import Kind, States, Values, kernel, rounding, training
from refimpl.kernels import SearchForest
from refimpl.kernels import split_pairs as reference_split
from refimpl.search_forest.algorithm import Round
from refimpl.search_forest.algorithm import search_forest as reference_forest
from refimpl.typing import FloatArray, Int32Array, IntArray

# ------------------------------------------------------------------------------------------- forest


def _int32(*values: int) -> Int32Array:
    return np.array(values, dtype=np.int32)


def _forest(s: Source, d: int, dtype: str) -> SearchForest:
    """Return trees of planes and coordinates, in which any node may be a leaf."""
    M, depth = s.length(2), s.integer(0, 5)
    roots: list[int] = []
    left: list[int] = []
    plane: list[int] = []
    feature: list[int] = []
    for _ in range(M):
        roots.append(len(left))
        waiting = [0]  # levels of the nodes that follow
        while waiting:
            level = waiting.pop(0)
            kind = "leaf" if level == depth else s.pick("plane", "plane", "coordinate", "leaf")
            left.append(-1 if kind == "leaf" else len(left) + len(waiting) + 1)
            plane.append(len([k for k in plane if k >= 0]) if kind == "plane" else -1)
            feature.append(s.integer(0, d - 1) if kind == "coordinate" else -1)
            waiting += [] if kind == "leaf" else [level + 1] * 2
    is_leaf = np.array(left) < 0
    count = sum(k >= 0 for k in plane)
    return SearchForest(
        c=1 + s.array((M,), 0, 3) / 4,
        roots=np.array(roots),
        left=_int32(*left),
        word=np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
        plane=_int32(*plane),
        feature=_int32(*feature),
        offset=s.reals((len(left),), "quarters"),
        planes=s.reals((count, d), "ties").astype(dtype),
        lam=0.5,
        history=np.zeros((M, 5)),
        message="",
    )


def _beside_a_plane(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge words: a point may be on the other side only of a plane that it lies on, rounded."""
    forest, left = arguments["forest"], arguments["forest"].left.tolist()
    words = indices(got["words"], len(left), np.shape(want["words"])).tolist()
    leaf = {word: node for node, word in enumerate(forest.word.tolist()) if word >= 0}
    above = {k: node for node, child in enumerate(left) for k in (child, child + 1) if child >= 0}
    for x, row in zip(arguments["X"].astype(np.float64), words, strict=True):
        for root, word in zip(forest.roots.tolist(), row, strict=True):
            for k, node in way_up(above, leaf[word], root):
                p = forest.planes[forest.plane[k]] if forest.plane[k] >= 0 else None
                value = (x[forest.feature[k]] if p is None else x @ p) + forest.offset[k]
                near = 0.0 if p is None else 2.0**-40 * (np.abs(x) @ np.abs(p) + 2)
                if (value > 0) != (node == left[k]) and not 0 < abs(value) <= near:
                    return Kind.WRONG
    return Kind.EQUAL_WORTH


@kernel(
    "words SF:eq16 optimum",
    flags="ties, plain, negative zero, on a plane, empty, float32",
    judge=_beside_a_plane,
)
def forest_words(s: Source, flag: str) -> Values:
    d = s.length(3)
    dtype = "float32" if flag == "float32" else "float64"
    n = 0 if flag == "empty" else s.length(7)
    kind = "quarters" if flag == "float32" else "ties" if flag == "on a plane" else flag
    return {"forest": _forest(s, d, dtype), "X": s.points(n, d, kind).astype(dtype)}


@kernel("values SF:eq18 digits", flags="ties, plain, negative zero, float32", over="p")
def plane_values(s: Source, flag: str) -> Values:
    d = s.length(6)
    dtype = "float32" if flag == "float32" else "float64"
    X = s.points(s.length(6), d, flag).astype(dtype)
    return {"X": X, "p": s.reals((d,), flag).astype(dtype)}


def _scores(arguments: Values, answer: Values) -> FloatArray:
    """Return T of the candidates of each query."""
    starts, items, c = (arguments[name] for name in ("starts", "items", "c"))
    T = np.zeros((len(arguments["words"]), len(arguments["alive"])))
    for i, words in enumerate(arguments["words"]):
        for m, word in enumerate(words):
            T[i, items[starts[word] : starts[word + 1]]] += c[m]
    T[:, ~arguments["alive"]] = 0
    return np.asarray(T[listed(answer["offsets"], answer["rows"], T.shape[1])])


@kernel(
    "offsets SF:eq8 bits; rows SF:eq8 optimum; scores SF:eq8 digits",
    flags="ties, plain, empty, all of a list",
    judge=best(_scores),
)
def gather_candidates(s: Source, flag: str) -> Values:
    V, M, n = s.length(5), s.length(3), s.length(7)
    lists = [np.flatnonzero(s.booleans((n,))) for _ in range(V)]
    starts = np.cumsum([0, *map(len, lists)])
    c = s.array((M,), 1, 3) / 4 if flag == "ties" else np.abs(s.reals((M,), "plain")) + 0.125
    m = 0 if flag == "empty" else s.length(3)
    return {
        "starts": starts,
        "items": np.concatenate(lists).astype(np.int32),
        "alive": s.booleans((n,)) | (flag == "all of a list"),
        "words": s.array((m, M), 0, V - 1).astype(np.int32),
        "c": c,
        "most": n if flag == "all of a list" else s.integer(0, n + s.wide),
    }


def _distances(arguments: Values, answer: Values) -> FloatArray:
    """Return the distances of the places, then how many are listed more than once."""
    D = squares(arguments["Q"], arguments["X"])
    offsets, rows = arguments["offsets"], arguments["rows"]
    places = indices(answer["indices"], D.shape[1], least=-1)
    worth = np.full((len(D), places.shape[1] + 1), np.inf)
    for i, chosen in enumerate(places):
        candidates = np.isin(chosen, rows[offsets[i] : offsets[i + 1]])
        worth[i, :-1][candidates] = D[i, chosen[candidates]]
        worth[i, -1] = len(chosen) - len(np.unique(chosen))
    return worth


@kernel(
    "squares Li et al. (2011), § 2 digits; indices Li et al. (2011), § 2 optimum",
    flags="ties, plain, negative zero, duplicates, empty, float32, fewer than k",
    judge=best(_distances),
)
def rerank(s: Source, flag: str) -> Values:
    d, n, m = s.length(4), s.length(6), s.length(3)
    dtype = "float32" if flag == "float32" else "float64"
    p = 0 if flag == "empty" else s.length(8)
    kind = "quarters" if flag == "float32" else flag
    return {
        "Q": s.points(m, d, kind).astype(dtype),
        "X": s.points(n, d, kind).astype(dtype),
        "offsets": s.offsets(m, p),
        "rows": s.array((p,), 0, n - 1),
        "k": 9 if flag == "fewer than k" else s.integer(0, 4),
    }


# -------------------------------------------------------------------------------------------- pairs


def _pairs(s: Source, n: int, flag: str = "") -> tuple[Values, int]:
    """Return pairs of n points in ascending order, and how many they are."""
    pairs = np.triu_indices(n, k=1)
    kept = s.booleans((len(pairs[0]),)) & (flag != "empty")
    first, second = (part[kept].astype(np.int32) for part in pairs)
    return {"first": first, "second": second}, len(first)


def _weighted_pairs(s: Source, n: int, flag: str = "") -> Values:
    """Return pairs of n points with weights whose sums are exact."""
    pairs, p = _pairs(s, n, flag)
    return {**pairs, "v": s.array((p,), -9, 9) / 8}


@kernel("Vu SF:eq18 digits", flags="ties, plain, negative zero, scales, empty", over="v")
def pair_product(s: Source, flag: str) -> Values:
    n = s.length(6)
    pairs, p = _pairs(s, n, flag)
    return {**pairs, "v": s.reals((p,), flag), "u": s.reals((n,), flag)}


def _same_cut(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge thresholds by the weight that they cut."""
    A = arguments["A"]
    thresholds = np.asarray(got["threshold"], dtype=np.float64)
    if thresholds.shape != (A.shape[1],):
        return Kind.WRONG
    first, second, v = (arguments[name] for name in ("first", "second", "v"))
    same = True
    cut = np.full(A.shape[1], np.inf)
    for t, threshold in enumerate(thresholds):
        above = A[:, t] > threshold
        same &= bool((above == (A[:, t] > want["threshold"][t])).all())
        if 0 < above.sum() < len(above):
            crossing = v[above[first] != above[second]].sum()
            cut[t] = crossing + arguments["base"] * above.sum() * (~above).sum()
    size = rounding(np.abs(v).sum() + abs(arguments["base"]) * len(A) ** 2, len(v))
    verdict = by_worth(want["crossing"], cut, size)
    return Kind.EQUAL_WORTH if same and verdict == Kind.TIE else verdict


@kernel(
    "crossing SF:eq17 digits; threshold SF:eq17 optimum",
    flags="ties, plain, constant columns, negative zero, duplicates, empty",
    judge=_same_cut,
)
def best_thresholds(s: Source, flag: str) -> Values:
    n = s.length(7, 2)
    pairs = _weighted_pairs(s, n, flag)
    return {"A": s.points(n, s.length(3), flag), **pairs, "base": s.integer(-3, 3) / 8}


@kernel(
    "first SF:2:6 bits; second SF:2:6 bits; v SF:2:6 bits; "
    "first_right SF:2:6 bits; second_right SF:2:6 bits; v_right SF:2:6 bits",
    flags="plain, empty, one side",
)
def split_pairs(s: Source, flag: str) -> Values:
    n = s.length(7)
    pairs, p = _pairs(s, n, flag)
    left = s.booleans((n,)) | (flag == "one side")
    return {"left": left, **pairs, "v": s.reals((p,), "plain")}


@kernel(
    "first SF:1:3 bits; second SF:1:3 bits; similar SF:1:3 bits; T SF:1:3 bits",
    flags="ties, plain, empty, one leaf",
)
def meet_pairs(s: Source, flag: str) -> Values:
    n = s.length(6)
    pairs, p = _pairs(s, n, flag)
    return {
        "leaf": s.array((n,), 0, 0 if flag == "one leaf" else 3),
        **pairs,
        "similar": s.array((p,), 0, 1).astype(np.uint8),
        "T": np.abs(s.reals((p,), "plain" if flag == "plain" else "quarters")),
        "c": s.integer(1, 9) / 8,
    }


# ------------------------------------------------------------------------------------ eigenvectors


def matrix(x: FloatArray, arguments: Values) -> FloatArray:
    """Return X~ M X~^T of eq. 18; the rows of x are the columns of X~."""
    M = np.full((len(x), len(x)), arguments["base"] / 2)
    np.fill_diagonal(M, 0.0)
    M[arguments["first"], arguments["second"]] += arguments["v"] / 2
    M[arguments["second"], arguments["first"]] += arguments["v"] / 2
    return np.asarray(x.T @ M @ x)


def _same_quotient(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge a direction: length 1, its largest entry positive, the leading eigenvalue."""
    p = np.asarray(got["p"], dtype=np.float64)
    if p.shape != np.shape(want["p"]) or not abs(np.linalg.norm(p) - 1) < 1e-9:
        return Kind.WRONG
    A = matrix(arguments["x"], arguments)
    size = 1e-7 * float(np.abs(A).max(initial=0.0)) + 1e-12
    positive = p[np.abs(p) >= np.abs(p).max() * (1 - 1e-6)].max() > 0
    largest = np.linalg.eigvalsh(A)[-1]
    return Kind.AGREES if positive and p @ A @ p >= largest - size else Kind.WRONG


def _same_direction(arguments: Values, expected: Values) -> Values:
    """Return how far a direction may be from the expected: sqrt(tol) of the residual."""
    return {"p": 2.0**-20}


@kernel(
    "p SF:eq18 optimum",
    flags="ties, plain, duplicates, empty",
    judge=_same_quotient,
    rounding=_same_direction,
)
def leading_direction(s: Source, flag: str) -> Values:
    n, d = s.length(6, 2), s.length(4)
    pairs = _weighted_pairs(s, n, flag)
    return {
        "x": s.points(n, d, flag),
        **pairs,
        "base": s.integer(-3, 3) / 8,
        "start": 1 + np.abs(s.reals((d,), "plain")),
        "tol": s.pick(1e-9, 1e-4, 1e-1) if s.wide else 1e-9,
    }


def _rise(arguments: Values, left: Any) -> float:
    """Return J of both parts less J of the node: eq. 17."""
    pairs = [arguments[name] for name in ("first", "second", "v")]
    total = 0.0
    for part, size in zip(reference_split(left, *pairs), (left.sum(), (~left).sum()), strict=True):
        total += part[2].sum() + arguments["base"] * size * (size - 1) / 2
    return float(total)


def _same_split(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge a plane: it must say its own sides, and divide as well as the expected plane."""
    left = np.asarray(got["left"])
    p = np.asarray(got["p"], dtype=np.float64)
    if left.dtype != bool or left.shape != want["left"].shape or p.shape != want["p"].shape:
        return Kind.WRONG
    b = float(got["b"])
    if not np.isfinite([*p, b]).all() or not p.any():
        return Kind.WRONG
    X = arguments["X"].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        values = X @ p + b
    if not np.isfinite(values).all():
        return Kind.WRONG
    size = 2.0**-40 * (np.abs(X) @ np.abs(p) + abs(b))
    if ((values > size) & ~left).any() or ((values < -size) & left).any():
        return Kind.WRONG
    if (left == want["left"]).all():
        return Kind.EQUAL_WORTH
    return by_worth(_rise(arguments, want["left"]), _rise(arguments, left), 1e-12)


def _near_plane(arguments: Values, expected: Values) -> Values:
    """Return how far a plane may be from the expected: the root of tol, and what it does to b."""
    X = np.abs(arguments["X"]).astype(np.float64)
    step = 2.0**-20
    reach = np.asarray(step * (1 + X.sum(axis=1).max()))
    return {"p": step, "b": np.ldexp(1.0, np.frexp(reach)[1])}


@kernel(
    "p SF:eq18 optimum; b SF:eq18 optimum; left SF:2:4 optimum",
    flags="plain, quarters, float32, refined",
    judge=_same_split,
    rounding=_near_plane,
)
def best_plane(s: Source, flag: str) -> Values:
    n, d = s.length(7, 3), s.length(3)
    pairs = _weighted_pairs(s, n)
    X = s.points(n, d, "quarters" if flag == "quarters" else "plain")
    return {
        "X": X.astype("float32" if flag == "float32" else "float64"),
        **pairs,
        "base": -s.integer(0, 3) / 8,
        "start": 1 + np.abs(s.reals((d + 1,), "plain")),
        "augment": s.pick(0.1, 1.0, 0.0, 1e3) if s.wide else s.pick(0.1, 1.0),
        "tol": s.pick(1e-9, 1e-4, 1e-1) if s.wide else 1e-9,
        "offset": "best" if flag == "refined" else "eigenvector",
        "refine": 3 if flag == "refined" else 0,
    }


# --------------------------------------------------------------------------------------- trainings


def by_first_point(leaf: Any) -> IntArray:
    """Return for each point the first point of its leaf."""
    _, first, places = np.unique(leaf, return_index=True, return_inverse=True)
    return np.asarray(first[places.ravel()])


def states(rounds: Iterable[Round], n: int) -> States:
    """Return the state of each round on n points."""
    T = np.zeros((n, n))
    listed: States = []
    for round in rounds:
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


def same_leaves(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge the leaves of a tree: other names are the same tree; else J of eq. 17 decides."""
    leaf = np.asarray(got["leaf"])
    if leaf.shape != want["leaf"].shape:
        return Kind.WRONG
    if (by_first_point(leaf) == want["leaf"]).all():
        return Kind.AGREES
    J = worth(leaf, arguments, want["T"])
    return by_worth(want["J"], J, 1e-6 * abs(want["J"]))


def worth(leaf: IntArray, arguments: Values, T: FloatArray) -> float:
    """Return J of eq. 17 of a tree's leaves, where T was before it."""
    z = arguments["S"] - arguments["lam"]
    together = leaf[:, np.newaxis] == leaf
    np.fill_diagonal(together, False)
    return float((np.exp(-z * T) * z)[together].sum())


OUTPUTS = "leaf SF:2:6 optimum; J SF:eq17 digits~1e-6"


def _settled(given: Values) -> Values:
    """Return a problem; NoProblemError: its leaves change if points move by a thousandth."""
    X = given["X"]
    leaves = [state["leaf"].tolist() for state in search_forest(**given)]
    for k in (1, 2, 3):
        moved = X + 1e-3 * X.std() * np.cos(k * np.arange(X.size)).reshape(X.shape)
        if [state["leaf"].tolist() for state in search_forest(**{**given, "X": moved})] != leaves:
            raise NoProblemError("the leaves hang on rounding")
    return given


def _pairs_of_classes(s: Source) -> Values:
    n, d, classes = s.integer(4, 9), s.integer(2, 3), s.integer(2, 3)
    y = np.arange(n) % classes
    X = s.points(n, d, s.pick("plain", "quarters", "duplicates"))
    X = X + s.pick(0.0, 2.0, 9.0) * (y[:, np.newaxis] == np.arange(d))
    S = (y[:, np.newaxis] == y).astype(np.float64)
    if s.integer(0, 3) == 3:
        S[np.tril_indices(n, -2)] = 0.0
    np.fill_diagonal(S, 0.0)
    return {"X": X, "S": S, "lam": s.pick(0.25, 0.05, 0.5)}


def _forest_problem(s: Source) -> Values:
    """Draw points of two classes or three, near to each other or apart."""
    return _settled({**_pairs_of_classes(s), "M": s.integer(1, 3), "max_depth": s.integer(1, 4)})


@training(
    f"T SF:1:3 digits~1e-6; {OUTPUTS}; similar SF:eq14 digits~1e-6; "
    "dissimilar SF:eq14 digits~1e-6; c SF:eq15 digits~1e-6",
    algorithm="SF:1",
    loop="SF:1:1",
    about="""Algorithm 1 of Li et al. (2011) with Algorithm 2: at each round T before it, the
    leaves (any names), J of eq. 17, the masses of eq. 14 and c of eq. 15. A pair is two
    different points. Planes are those of eq. 18, with x~ = [x, 1] and the symmetric part of X~
    M X~^T; a node is split if J rises""",
    draw=_forest_problem,
    judge=same_leaves,
    dependent=("similar", "dissimilar", "c"),
)
def search_forest(X: FloatArray, S: FloatArray, M: int, lam: float, max_depth: int) -> States:
    return states(reference_forest(X, S == 1, lam, M, max_depth), len(S))


def _same_tree(arguments: Values, want: Values, got: Values) -> Kind:
    return same_leaves(arguments, {**want, "T": np.zeros(arguments["S"].shape)}, got)


def _tree_problem(s: Source) -> Values:
    """Draw the same for one tree."""
    given = _settled({**_pairs_of_classes(s), "M": 1, "max_depth": s.integer(1, 4)})
    if not search_forest(**given):
        raise NoProblemError("no tree is worth its cost")
    del given["M"]
    return given


@training(
    OUTPUTS,
    algorithm="SF:2",
    about="""Algorithm 2 of Li et al. (2011): the leaves (any names) and J of eq. 17 of one
    tree, all weights 1""",
    draw=_tree_problem,
    judge=_same_tree,
)
def search_tree(X: FloatArray, S: FloatArray, lam: float, max_depth: int) -> States:
    (state,) = search_forest(X, S, 1, lam, max_depth)
    return [{name: state[name] for name in ("leaf", "J")}]
