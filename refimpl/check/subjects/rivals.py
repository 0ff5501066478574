"""The rivals: the kernels of binary codes, buckets and k-means trees; FastMap, RCA and Lipschitz
embeddings.

Not handled here: the other rivals.
"""

import numpy as np

from refimpl.check.drawing import KINDS, Given, NoProblemError, Source, city_block
from refimpl.check.judging import (
    CLOSE,
    FORM_ERRORS,
    best,
    indices,
    listed,
    nearest,
    squares,
    tie_if,
    way_up,
    whole,
)
from refimpl.check.subject import Kind, States, Values, kernel, rounding, training
from refimpl.kernels import hamming_distances as reference_hamming
from refimpl.rivals.fastmap import choose_distant_objects, line_projection, residual_squares
from refimpl.rivals.fastmap import fastmap as reference_fastmap
from refimpl.rivals.kmeans_trees import KMeansTrees, kmeans_trees
from refimpl.rivals.lipschitz import lipschitz as reference_lipschitz
from refimpl.rivals.nearest_neighbor import fit_distance
from refimpl.spaces import PrecomputedSpace
from refimpl.typing import BoolArray, FloatArray, IntArray, UInt64Array

# ------------------------------------------------------------------------------------ binary codes


def _codes(s: Source, flag: str, n: int, words: int) -> UInt64Array:
    if flag == "ties":
        return s.array((n, words), 0, 3).astype(np.uint64)
    parts = [s.array((n, words), 0, 2**31 - 1).astype(np.uint64) for _ in range(3)]
    codes: UInt64Array = parts[0] | parts[1] << np.uint64(31) | parts[2] << np.uint64(62)
    if flag == "duplicates" and n > 1:
        codes[-1] = codes[0]
    return codes


def _scanned(s: Source, flag: str) -> Values:
    words = s.length(3)
    n = 0 if flag == "empty" else s.length(6)
    return {"Q": _codes(s, flag, s.length(3), words), "X": _codes(s, flag, n, words)}


CODES = "ties, plain, duplicates, empty"
SCAN = "Li et al. (2011), Table 1"


@kernel(f"distances {SCAN} bits", flags=CODES)
def hamming_distances(s: Source, flag: str) -> Values:
    return _scanned(s, flag)


def _hamming(arguments: Values) -> FloatArray:
    return reference_hamming(arguments["Q"], arguments["X"]).astype(np.float64)


@kernel(f"distances {SCAN} bits; indices {SCAN} optimum", flags=CODES, judge=nearest(_hamming))
def hamming_nearest(s: Source, flag: str) -> Values:
    values = _scanned(s, flag)
    return {**values, "k": s.integer(0, len(values["X"]))}


def _of_their_queries(arguments: Values, answer: Values) -> FloatArray:
    """Return the distances of the codes of each query; the same codes may be ordered otherwise."""
    D = _hamming(arguments)
    return np.asarray(D[listed(answer["starts"], answer["indices"], D.shape[1])])


@kernel(
    f"starts {SCAN} bits; indices {SCAN} optimum; distances {SCAN} bits",
    flags=f"{CODES}, at the radius",
    judge=best(_of_their_queries),
)
def hamming_within(s: Source, flag: str) -> Values:
    values = _scanned(s, "ties" if flag == "at the radius" else flag)
    m = len(values["Q"])
    most = 3 if flag in ("ties", "at the radius") else 64 * values["Q"].shape[1]
    return {**values, "radii": s.array((m,), -1, most)}


# ------------------------------------------------------------------------------------------ buckets


@kernel(
    "XA Datar et al. (2004), § 3.2 digits",
    flags="ties, plain, negative zero, denormals, scales, empty",
    over="A",
)
def projections(s: Source, flag: str) -> Values:
    d = s.length(6)
    n = 0 if flag == "empty" else s.length(5)
    return {"X": s.points(n, d, flag), "A": s.reals((d, s.length(4)), flag)}


def _votes(arguments: Values, answer: Values) -> IntArray:
    """Return the votes of the points of each query."""
    starts, ends, members, n = (arguments[part] for part in ("starts", "ends", "members", "n"))
    counts = np.zeros((len(arguments["buckets"]), n), dtype=np.int64)
    for i, buckets in enumerate(arguments["buckets"]):
        for bucket in buckets[buckets >= 0]:
            counts[i, np.unique(members[starts[bucket] : ends[bucket]])] += 1
    return np.asarray(counts[listed(answer["first"], answer["indices"], n)])


LSH = "Datar et al. (2004), § 3.2"


@kernel(
    f"first {LSH} bits; indices {LSH} optimum; votes {LSH} bits",
    flags="plain, duplicates, empty, no bucket",
    judge=best(_votes),
)
def bucket_votes(s: Source, flag: str) -> Values:
    b, n = s.length(5), s.length(7)
    lists = [np.flatnonzero(s.booleans((n,))) for _ in range(b)]
    if flag == "duplicates":
        lists = [np.repeat(members, 2) for members in lists]
    ends = np.cumsum([len(members) for members in lists])
    m = 0 if flag == "empty" else s.length(3)
    return {
        "starts": ends - [len(members) for members in lists],
        "ends": ends,
        "members": np.concatenate(lists).astype(np.int64),
        "buckets": s.array((m, s.length(3)), -1 if flag == "no bucket" else 0, b - 1),
        "n": n,
        "most": s.integer(0, n + 1),
    }


# -------------------------------------------------------------------------------------- clustering


def _centre_rounding(arguments: Values, expected: Values) -> Values:
    X = np.abs(arguments["X"])
    return {"centres": 4 * rounding(X.max(initial=0.0), len(arguments["rows"]))}


def _near_centres(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge a clustering: each point must be with one of its nearest centres."""
    centres, places = np.asarray(got["centres"]), np.asarray(got["nearest"])
    if centres.shape != np.shape(want["centres"]) or places.shape != np.shape(want["nearest"]):
        return Kind.WRONG
    if not np.allclose(centres, want["centres"], rtol=1e-9, atol=1e-12):
        return Kind.WRONG
    judge = nearest(lambda values: squares(values["S"], centres), "nearest")
    S = {"S": arguments["X"][arguments["rows"]]}
    rows = [{"nearest": np.asarray(places)[:, np.newaxis]} for places in (want["nearest"], places)]
    return judge(S, rows[0], rows[1])


@kernel(
    "centres Lloyd (1982) digits; nearest Lloyd (1982) optimum",
    flags="ties, plain, constant columns, negative zero, duplicates, empty",
    judge=_near_centres,
    rounding=_centre_rounding,
)
def lloyd(s: Source, flag: str) -> Values:
    n, d, k = s.length(7), s.length(3), s.length(4)
    p = 0 if flag == "empty" else s.length(8)
    return {
        "X": s.points(n, d, flag),
        "rows": s.array((p,), 0, n - 1),
        "centres": s.points(k, d, flag),
        "iterations": s.integer(0, 3),
    }


def _trees(s: Source, d: int) -> KMeansTrees:
    """Draw small trees of different points."""
    X = s.array((s.length(20, 6), d), -99, 99) / 4
    X[0, 0] += 1.0  # equal points are refused
    seed = np.random.default_rng(s.integer(0, 2**31))
    return kmeans_trees(
        X, s.length(2), rng=seed, branching=s.integer(2, 5), leaf_size=5, iterations=2
    )


def _same_way(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge leaves: at each node the way must go to one of the nearest centres."""
    trees = arguments["trees"]
    children = list(zip(trees.first.tolist(), trees.last.tolist(), strict=True))
    above = {child: k for k, ends in enumerate(children) for child in range(*ends)}
    leaves = indices(got["leaves"], len(children), np.shape(want["leaves"])).tolist()
    for D, row in zip(squares(arguments["Q"], trees.centres), leaves, strict=True):
        for root, leaf in zip(trees.roots.tolist(), row, strict=True):
            if children[leaf][0] < children[leaf][1]:
                return Kind.WRONG
            for k, node in way_up(above, leaf, root):
                if D[node] > D[slice(*children[k])].min() * (1 + CLOSE):
                    return Kind.WRONG
    return Kind.TIE


WAY = "Nister & Stewenius (2006)"
BINS = "Muja & Lowe (2009), § 3.2"


@kernel(f"leaves {WAY} optimum", flags="ties, plain, negative zero", judge=_same_way)
def tree_leaves(s: Source, flag: str) -> Values:
    d = s.length(3)
    return {"trees": _trees(s, d), "Q": s.points(s.length(5), d, flag)}


def _same_points(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge a best-bin-first search: the same points ordered otherwise, leaf after leaf."""
    trees, shape = arguments["trees"], np.shape(want["indices"])
    places = indices(got["indices"], trees.n, shape)
    opened = indices(got["opened"], len(trees.first), shape)
    if (np.diff(opened) < 0).any():
        return Kind.WRONG
    is_leaf = trees.first == trees.last
    bounds = zip(trees.starts[is_leaf], trees.ends[is_leaf], strict=True)
    leaves = [set(trees.members[a:b]) for a, b in bounds]
    for points, numbers in zip(places, opened, strict=True):
        for number in np.unique(numbers):
            together = set(points[numbers == number])
            if not any(together <= leaf for leaf in leaves):
                return Kind.WRONG
    same = (np.sort(places, axis=1) == np.sort(want["indices"], axis=1)).all()
    return Kind.EQUAL_WORTH if same else Kind.WRONG


@kernel(
    f"indices {BINS} optimum; opened {BINS} bits; computed {BINS} count",
    flags="ties, plain, negative zero",
    judge=_same_points,
    dependent=("opened", "computed"),
)
def best_bin_first(s: Source, flag: str) -> Values:
    d = s.length(3)
    trees = _trees(s, d)
    return {"trees": trees, "Q": s.points(s.length(4), d, flag), "most": s.integer(0, trees.n)}


# --------------------------------------------------------------------------------------- trainings


Pair = tuple[int, int]


def _ends(S: FloatArray, starts: IntArray, iterations: int, zero: float, off: float) -> set[Pair]:
    """Return the pairs at which choose-distant-objects may end if it takes any farthest object."""
    # S[p, x] is the square from p to x; it may be `off` by rounding
    far = [np.flatnonzero(row >= row.max() - off).tolist() for row in S]
    ends: set[Pair] = set()
    for start in starts.tolist():
        looking: set[Pair] = {(-1, start)}
        ended: set[Pair] = set()
        for _ in range(iterations):
            after = {pair: {(a, b) for a in far[pair[1]] for b in far[a]} for pair in looking}
            ended |= {pair for pair, later in after.items() if pair in later}
            looking = set().union(*(later - {pair} for pair, later in after.items()))
        ended |= looking
        ends |= {pair for pair in ended if S[pair] > zero}
        if all(S[pair] > zero for pair in ended):
            break
    return ends


def _follow(arguments: Values, rounds: States) -> States:
    """Return what each round must be after the pivots of somebody's earlier rounds."""
    D, d, starts, iterations = (arguments[part] for part in ("D", "d", "starts", "iterations"))
    F = np.zeros((len(D), d))
    largest = float(D.max()) ** 2
    zero = 1e-12 * largest
    listed: States = []
    for j in range(d):
        S = np.array([residual_squares(D[:, p], F[:, :j], F[p, :j], False) for p in range(len(D))])
        a, b = choose_distant_objects(S.__getitem__, starts[j], iterations, lambda: zero)
        if S[a, b] <= zero:
            break
        off = CLOSE * largest if j else 0.0  # the first squares are the same numbers for everybody
        want: Values = {"pivots": np.array([a, b]), "exact": j == 0}
        want["ends"] = _ends(S, starts[j], iterations, zero, off)
        if j < len(rounds) and _a_possible_end(arguments, want, rounds[j]) != Kind.WRONG:
            a, b = (whole(part) for part in rounds[j]["pivots"])
        F[:, j] = line_projection(S[a], float(S[a, b]), S[b])
        listed.append({**want, "F": F[:, j].copy()})
    return listed


def _a_possible_end(arguments: Values, want: Values, got: Values) -> Kind:
    """Judge pivots: the search may end there if it takes another one of equally far objects."""
    try:
        a, b = (whole(part) for part in got["pivots"])
    except FORM_ERRORS:
        return Kind.WRONG
    return tie_if(want["exact"], Kind.TIE if (a, b) in want["ends"] else Kind.WRONG)


def _starts(s: Source) -> Values:
    """Draw distances of points of the plane, and all objects as starts."""
    n, d = s.integer(2, 9), s.integer(1, 3)
    X = s.points(n, 2, s.pick(*KINDS))
    D = city_block(X)
    if s.integer(0, 1):
        D = np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    if not D.any():
        raise NoProblemError("all distances are zero")
    starts = np.array([s.permutation(n) for _ in range(d)])
    return {"D": D, "d": d, "starts": starts, "iterations": s.integer(1, 5)}


@training(
    "pivots Faloutsos & Lin (1995), choose-distant-objects optimum; "
    "F Faloutsos & Lin (1995), eq. 3 digits~1e-9",
    algorithm="FastMap",
    about="""FastMap of Faloutsos & Lin (1995): the pivots and the coordinates of one dimension
    after the other. choose-distant-objects begins with starts[j, 0] as b, looks for the
    farthest object from b, a, then from a, the new b, `iterations` times or until both stay; of
    equally far ones the lowest. Squared distances in a hyperplane that are below 0 stay as they
    are. Squares up to 1e-12 of the largest squared distance are 0: then it looks from the next
    start, and ends if no start has a pair""",
    draw=_starts,
    judge=_a_possible_end,
    follow=_follow,
)
def fastmap(D: FloatArray, d: int, starts: IntArray, iterations: int) -> States:
    space, each = PrecomputedSpace(D), starts.shape[1]
    embedding = reference_fastmap(space, d, rng=Given(starts), iterations=iterations, starts=each)
    F = embedding.embed(space)
    return [{"pivots": embedding.pivots[j], "F": F[:, j]} for j in range(embedding.d)]


def _chunklets(s: Source) -> Values:
    """Draw points of two classes or three, their covariance not near to singular."""
    classes, d = s.integer(2, 3), s.integer(1, 2)
    n = s.integer(classes + d + 1, classes + d + 4)
    X, y = s.points(n, d, s.pick("plain", "quarters")), np.arange(n) % classes
    away = X - np.array([X[y == c].mean(axis=0) for c in y])
    if np.linalg.cond(away) > 1e3:
        raise NoProblemError("the covariance is near to singular")
    return {"X": X, "y": y}


@training(
    "W Bar-Hillel et al. (2003), § 2 digits~1e-9",
    algorithm="RCA",
    about="""RCA of Bar-Hillel et al. (2003) with the classes as chunklets: the inverse of the
    mean outer product of the points less the means of their classes""",
    draw=_chunklets,
)
def relevant_component_analysis(X: FloatArray, y: IntArray) -> States:
    L = fit_distance("RCA", X, y).factor
    return [{"W": L.T @ L}]


# ------------------------------------------------------------------------- distances to references


def _reference_sets(s: Source) -> Values:
    """Draw distances and sets of reference objects."""
    n, m = s.integer(2, 6), s.integer(1, 3)
    member = s.booleans((m, n))
    member[np.arange(m), s.array((m,), 0, n - 1)] = True
    return {"D": city_block(s.points(n, 2, s.pick(*KINDS))), "member": member}


@training(
    "F BM:eq7 digits",
    algorithm="Lipschitz",
    about="""eqs. 5-7 of Athitsos et al. (2005), § 4.1: the least distance to each set of
    reference objects, a row of `member` for each""",
    draw=_reference_sets,
)
def lipschitz(D: FloatArray, member: BoolArray) -> States:
    space = PrecomputedSpace(D)
    embedding = reference_lipschitz(space, [np.flatnonzero(row) for row in member])
    return [{"F": embedding.embed(space)}]
