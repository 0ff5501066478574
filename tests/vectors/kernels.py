"""What the oracles say of each kernel's results.

The oracles know no NumPy: plain loops, exact fractions where sums are exact. Cases of 2**16 + 1
rows are compared by short sums of NumPy where the oracles' loops take minutes.
"""

import itertools
import math

import numpy as np
import oracles_boosting as boosting
import oracles_ftune
import oracles_hashing as hashing
import oracles_lmnn

from .comparisons import MANY, columns, joined, oracle, summed, tables

# -------------------------------------------------------------------------------- Boosted Distance


def rows_of(A, B):
    """Return the rows of A, or all its differences from those of B."""
    A = np.array(A)
    return A if B is None else (A[:, np.newaxis] - np.array(B)).reshape(-1, A.shape[1])


@oracle
def presort(out, A, B):
    """The rows of each feature by value, without those of its most frequent value."""
    for f, x in enumerate(rows_of(A, B).T + 0.0):
        kept = out["rows"][out["row_ptr"][f] : out["row_ptr"][f + 1]]
        values, counts = np.unique(x, return_counts=True)
        common = x[out["common_row"][f]]
        assert len(kept) == len(x) - counts.max()
        assert kept == [i for i in np.argsort(x, kind="stable").tolist() if x[i] != common]
        assert out["common"][f] == (values < common).sum()
        assert out["common_row"][f] == np.flatnonzero(x == common)[0]
    return {}


@oracle
def best_stump(out, A, B, w, l):
    X = rows_of(A, B)
    if len(X) > MANY:
        units = np.rint(np.array(w) * 2.0**52).astype(np.int64)
        stumps = (
            (int(units[(p * X[:, f] < p * theta) != l].sum()), f, p, theta)
            for f in range(X.shape[1])
            for p in (1, -1)
            for theta in [-np.inf, *((np.unique(X[:, f])[1:] + np.unique(X[:, f])[:-1]) / 2)]
        )
        error, f, p, theta = min(stumps, key=lambda stump: stump[0])
        error *= 2.0**-52
    elif np.abs(X).max() < 1e-300:  # the oracle's midpoints of denormals round to one of the two
        error, f, p, _ = boosting.best_error(np.ldexp(X, 1000).tolist(), w, l)
        theta = out["theta"]
        wrong = (p * X[:, f] < p * theta) != l
        assert sum(itertools.compress(boosting.grid(w), wrong)) == error
    else:
        error, f, p, theta = boosting.best_error(X.tolist(), w, l)
    return {"epsilon": float(error), "f": f, "p": p, "theta": theta}


@oracle
def add_similarity(S, Q, X, alpha, **stumps):
    Phi = list(zip(alpha, *stumps.values(), strict=True))
    added = [[boosting.similarity(q, x, Phi) for x in X] for q in Q]
    return {"S": S + np.array(added)}


# ---------------------------------------------------------------------------------------- BoostMap


def answers(F, triples, y, S=None):
    """Return y h of every triple."""
    accepts = (lambda q: 1) if S is None else S.__getitem__
    return [l * boosting.margin(F, *t) * accepts(t[0]) for t, l in zip(triples, y, strict=True)]


def answered(F, triples, y, S):
    """Return y h of every triple, a row for each classifier."""
    splitters = [None] * len(F) if S is None else S
    return [answers(row, triples, y, s) for row, s in zip(F, splitters, strict=True)]


@oracle
def weighted_errors(F, triples, y, w):
    if len(y) > MANY:
        q, a, b = np.array(triples).T
        U = [y * (np.abs(row[q] - row[b]) - np.abs(row[q] - row[a])) for row in np.array(F)]
        wrong = [np.where(u > 0, 0.0, np.where(u < 0, 1.0, 0.5)) for u in U]
        return {"Lambda": [(w * share).sum() for share in wrong]}
    return {"Lambda": [float(boosting.weighted_error(row, triples, y, w)) for row in F]}


@oracle
def margin_sums(F, triples, y, w, S=None):
    w = [float(v) for v in boosting.grid(w)]
    rows = []
    for U in answered(F, triples, y, S):
        sides = [[], []]
        for u, v in zip(U, w, strict=True):
            if u:
                sides[u < 0].append((v, abs(u)))
        sums = [math.fsum(v * u**p for v, u in side) for p in range(3) for side in sides]
        rows.append([*sums, *(max((u for _, u in side), default=0.0) for side in sides)])
    return {"sums": rows}


def weights(margin):
    """Eq. 9 from the first round on, in plain numbers."""
    e = [math.exp(min(margin) - m) for m in margin]
    return [v / math.fsum(e) for v in e]


@oracle
def z_values(F, triples, y, margin, alpha, S):
    U, w = answered(F, triples, y, S), weights(margin)
    return {"Z": [boosting.z_value(u, w, a) for u, a in zip(U, alpha, strict=True)]}


@oracle
def minimize_z(out, F, triples, y, margin, least, S):
    U, w = answered(F, triples, y, S), weights(margin)
    for u, alpha, Z, lowest in zip(U, out["alpha"], out["Z"], least, strict=True):
        assert alpha >= lowest
        sides = [x for x, v in zip(u, w, strict=True) if v > 2.0**-53]
        if min(sides, default=0) < 0 < max(sides, default=0):
            most = max(1.0, 4 * abs(alpha))
            assert Z <= boosting.least_z(u, w, lowest, most)[0] * (1 + 1e-9)
    return {"Z": [boosting.z_value(u, w, a) for u, a in zip(U, out["alpha"], strict=True)]}


@oracle
def next_weights(out, F, triples, y, margin, alpha):
    u = answers(F, triples, y)
    after = [m + alpha * x for m, x in zip(margin, u, strict=True)]
    assert np.abs(np.subtract(out["w"], weights(after))).max() < 1e-12
    return {"z": boosting.z_value(u, weights(margin), alpha), "margin": after}


@oracle
def best_ranges(values, F, triples, y, w, thresholds, ranges):
    found = []
    for row, of_object, edges in zip(F, values, thresholds, strict=True):
        cells = np.searchsorted(edges, of_object, side="right").tolist()
        errors = []
        for i, end in ranges:
            outside = set(range(len(edges) + 1)) - set(range(end, i))
            inside = set(range(i, end)) if i < end else outside
            errors.append(boosting.range_error(cells, row, triples, y, w, inside))
        found.append((float(min(errors)), errors.index(min(errors))))
    return columns(found, "error", "best")


def l1(Q, A, X):
    """Return the weighted distances of each query."""
    return [
        [sum(w * abs(u - v) for w, u, v in zip(a, q, x, strict=True)) for x in X]
        for a, q in zip(A, Q, strict=True)
    ]


@oracle
def weighted_l1(Q, A, X):
    return {"D": l1(Q, A, X)}


def nearest(D, k, out):
    """Return the least distances of each query; the places in `out` have them, in their order."""
    for row, *found in zip(D, out["distances"], out["indices"], strict=True):
        places = list(zip(*found, strict=True))
        assert places == sorted(places)  # of equal ones the lowest first
        assert len({i for _, i in places}) == len(places)
        np.testing.assert_allclose([row[i] for _, i in places], found[0], rtol=1e-10)
    return {"distances": [sorted(row)[:k] for row in D]}


@oracle
def weighted_l1_nearest(out, Q, A, X, k):
    return nearest(l1(Q, A, X), k, out)


@oracle
def chamfer_distances(A, B):
    return {"D": [[boosting.chamfer(a, b) for b in B] for a in A]}


@oracle
def chamfer_nearest(out, Q, X, k):
    return nearest([[boosting.chamfer(q, x) for x in X] for q in Q], k, out)


# ------------------------------------------------------------------------------------------- FTUNE


@oracle
def least_similar(sums, column, taken):
    added = [a + b for a, b in zip(sums, column, strict=True)]
    left = [(s, i) for i, s in enumerate(added) if not taken[i]]
    return {"sums": added, "index": min(left)[1]}


@oracle
def transferred_differences(K, plus, minus, slopes):
    return {"Phi": oracles_ftune.transferred(K, plus, minus, slopes)}


@oracle
def matrix_vector(A, v):
    return {"Av": summed([tuple(x * y for x, y in zip(row, v, strict=True)) for row in A])}


@oracle
def vector_matrix(out, u, A):
    rows = range(len(u))
    return {"uA": summed([tuple(u[i] * A[i][j] for i in rows) for j in range(len(out["uA"]))])}


# -------------------------------------------------------------------------------------------- LMNN


@oracle
def pair_distances(Z, first, second):
    pairs = zip(first, second, strict=True)
    return {"squares": [oracles_lmnn.squared(Z[i], Z[j]) for i, j in pairs]}


@oracle
def impostors(out, Q, X, radii, classes_Q, classes_X):
    squares = {
        (i, l): oracles_lmnn.squared(q, x)
        for i, q in enumerate(Q)
        for l, x in enumerate(X)
        if classes_Q[i] != classes_X[l]
    }
    found = list(zip(out["first"], out["second"], strict=True))
    rounded = 0.0 if all((64 * v).is_integer() for row in Q + X for v in row) else 1e-12
    surely, perhaps = (
        {pair for pair, square in squares.items() if square < (1 + by) * radii[pair[0]]}
        for by in (-rounded, rounded)
    )
    assert found == sorted(found) and surely <= set(found) <= perhaps
    return {}


def hinge(z, h):
    """Return the smoothed hinge and its slope."""
    if h == 0:
        return max(z, 0.0), float(z > 0)
    if z >= h:
        return z - h / 2, 1.0
    return (z * z / (2 * h), z / h) if z > 0 else (0.0, 0.0)


@oracle
def hinge_terms(targets, pairs, start, h):
    own = [pairs[a:b] for a, b in itertools.pairwise(start)]
    slacks = [[[1 + t - p for t in row] for p in of] for row, of in zip(targets, own, strict=True)]
    flat = [[z for row in of for z in row] for of in slacks]
    slopes = [[[hinge(z, h)[1] for z in row] for row in of] for of in slacks]
    of_targets = [[sum(row[j] for row in of) for j in range(len(targets[0]))] for of in slopes]
    return {
        "smooth": [sum(hinge(z, h)[0] for z in of) for of in flat],
        "hinge": [sum(max(z, 0.0) for z in of) for of in flat],
        "active": [sum(z > 0 for z in of) for of in flat],
        "pair_weights": [sum(row) for of in slopes for row in of],
        "target_weights": of_targets,
    }


@oracle
def weighted_differences(Z, start, other, edge, weights):
    def terms(i, c):
        own = range(start[i], start[i + 1])
        return tuple(weights[edge[e]] * (Z[i][c] - Z[other[e]][c]) for e in own)

    return {"sums": summed([[terms(i, c) for c in range(len(Z[i]))] for i in range(len(Z))])}


def is_cut_at_the_median(left, right):
    """Whether an axis of the largest variance, but for rounding, divides the points."""
    A, B = np.array(left), np.array(right)
    spread = np.concatenate([A, B]).var(axis=0)
    best = spread >= spread.max() * (1 - 1e-9)
    return bool((A.max(axis=0) <= B.min(axis=0))[best].any())


@oracle
def build_tree(out, X, leaf_size, direction):
    assert sorted(out["order"]) == list(range(len(X)))
    parts = [
        [X[i] for i in out["order"][start:end]]
        for start, end in zip(out["starts"], out["ends"], strict=True)
    ]
    leaves = len(parts) // 2
    assert max(map(len, parts[leaves:])) <= leaf_size
    for start, end in zip(out["starts"][leaves:], out["ends"][leaves:], strict=True):
        assert out["order"][start:end] == sorted(out["order"][start:end])
    for part, left, right in zip(parts, parts[1::2], parts[2::2], strict=False):
        assert len(left) == (len(part) + 1) // 2 and left + right == part
        assert direction != "axis" or is_cut_at_the_median(left, right)
    means = [
        [math.fsum(column) / len(part) for column in zip(*part, strict=True)] for part in parts
    ]
    squares = [
        max(oracles_lmnn.squared(x, mean) for x in part)
        for part, mean in zip(parts, means, strict=True)
    ]
    return {
        "centres": means,
        "radii": np.sqrt(squares),
        "low": [[min(column) for column in zip(*part, strict=True)] for part in parts],
        "high": [[max(column) for column in zip(*part, strict=True)] for part in parts],
    }


def left_out(Q, skip):
    """Return each query with the point that it must skip, -1 for none."""
    return zip(Q, [-1] * len(Q) if skip is None else skip, strict=True)


def searched(Q, X, k, skip):
    rows = [oracles_lmnn.nearest(X, q, k, i) for q, i in left_out(Q, skip)]
    return tables(rows, "squares", "indices")


@oracle
def tree_nearest(out, Q, X, k, skip, **tree):
    assert max(out["computed"], default=0) <= len(X)
    return searched(Q, X, k, skip)


@oracle
def scan_nearest(Q, X, k, skip):
    want = searched(Q, X, k, skip)
    if len(X) <= MANY:
        terms = [oracles_lmnn.scanned_terms(X, q, k, i) for q, i in left_out(Q, skip)]
        want["terms"] = terms
    return want


@oracle
def tree_within(Q, X, limits, strict, skip, **tree):
    rows = [
        oracles_lmnn.within(X, q, limit, strict, i)
        for (q, i), limit in zip(left_out(Q, skip), limits, strict=True)
    ]
    return joined(rows, "starts", "indices", "squares")


# ------------------------------------------------------------------------------------------ rivals


@oracle
def hamming_distances(Q, X):
    return {"distances": [[hashing.differing_bits(q, x) for x in X] for q in Q]}


@oracle
def hamming_nearest(Q, X, k):
    return tables([hashing.nearest_codes(X, q, k) for q in Q], "distances", "indices")


@oracle
def hamming_within(Q, X, radii):
    rows = [hashing.codes_within(X, q, radius) for q, radius in zip(Q, radii, strict=True)]
    return joined(rows, "starts", "distances", "indices")


@oracle
def projections(X, A):
    return {"XA": [[hashing.projection(x, c) for c in zip(*A, strict=True)] for x in X]}


@oracle
def bucket_votes(starts, ends, members, buckets, n, most):
    lists = [set(members[a:b]) for a, b in zip(starts, ends, strict=True)]
    rows = [hashing.votes([lists[b] for b in row if b >= 0], most) for row in buckets]
    return joined(rows, "first", "indices", "votes")


@oracle
def lloyd(X, rows, centres, iterations):
    found, nearest = hashing.lloyd([X[i] for i in rows], centres, iterations)
    return {"centres": found, "nearest": nearest}


@oracle
def tree_leaves(trees, Q):
    roots = trees["roots"]
    return {"leaves": [[hashing.descend(trees, root, q, [])[0] for root in roots] for q in Q]}


@oracle
def best_bin_first(trees, Q, most):
    found = [hashing.best_bin_first(trees, q, most) for q in Q]
    rows = tables([row for row, _ in found], "indices", "opened")
    return {**rows, "computed": [compared for _, compared in found]}


# --------------------------------------------------------------------------------------- the forest


@oracle
def forest_words(forest, X):
    def word(x, k):
        while forest["left"][k] >= 0:
            plane, feature = forest["plane"][k], forest["feature"][k]
            value = hashing.projection(x, forest["planes"][plane]) if plane >= 0 else x[feature]
            k = forest["left"][k] + (value + forest["offset"][k] <= 0)
        return forest["word"][k]

    return {"words": [[word(x, root) for root in forest["roots"]] for x in X]}


@oracle
def plane_values(X, p):
    return {"values": summed([tuple(u * v for u, v in zip(x, p, strict=True)) for x in X])}


@oracle
def gather_candidates(starts, items, alive, words, c, most):
    lists = [items[i:j] for i, j in itertools.pairwise(starts)]
    rows = []
    for query in words:
        T = {}
        for weight, word in zip(c, query, strict=True):
            for x in lists[word]:
                T[x] = T.get(x, 0.0) + weight
        rows.append(sorted((-value, x) for x, value in T.items() if alive[x])[:most])
    want = joined(rows, "offsets", "scores", "rows")
    return {**want, "scores": [-value for value in want["scores"]]}


@oracle
def rerank(Q, X, offsets, rows, k):
    found = []
    for q, (start, end) in zip(Q, itertools.pairwise(offsets), strict=True):
        nearest = sorted((oracles_lmnn.squared(q, X[i]), i) for i in rows[start:end])[:k]
        found.append(nearest + [(math.inf, -1)] * (k - len(nearest)))
    return tables(found, "squares", "indices")


def dense(n, first, second, v, base=0.0):
    V = np.zeros((n, n))
    V[first, second] = v
    return V + V.T + base * (1 - np.eye(n))


@oracle
def pair_product(first, second, v, u):
    V = dense(len(u), first, second, v)
    return {"Vu": V @ u}


@oracle
def best_thresholds(out, A, **pairs):
    V = dense(len(A), **pairs)
    crossing = []
    for values, threshold in zip(zip(*A, strict=True), out["threshold"], strict=True):
        cuts = []
        for low, high in itertools.pairwise(sorted(set(values))):
            above = np.array(values) >= high
            cuts.append((float(V[above][:, ~above].sum()), low, high))
        least, low, high = min(cuts, key=lambda cut: cut[0], default=(math.inf, None, None))
        assert low is None or low <= threshold < high
        crossing.append(least)
    return {"crossing": crossing}


@oracle
def split_pairs(left, first, second, v):
    want = {}
    for side, end in ((True, ""), (False, "_right")):
        members = [i for i, is_left in enumerate(left) if is_left == side]
        rows = [
            (members.index(i), members.index(j), weight)
            for i, j, weight in zip(first, second, v, strict=True)
            if i in members and j in members
        ]
        want |= columns(rows, f"first{end}", f"second{end}", f"v{end}")
    return want


@oracle
def meet_pairs(leaf, first, second, similar, T, c):
    listed = zip(first, second, similar, T, strict=True)
    table = {(i, j): [s, t] for i, j, s, t in listed}
    for i, j in itertools.combinations(range(len(leaf)), 2):
        if leaf[i] == leaf[j]:
            table.setdefault((i, j), [0, 0.0])[1] += c
    rows = [(i, j, *table[i, j]) for i, j in sorted(table)]
    return columns(rows, "first", "second", "similar", "T")


def require_leading(p, x, tol, **pairs):
    """Raise AssertionError unless a direction has the leading eigenvalue of eq. 18, up to `tol`."""
    A = x.T @ dense(len(x), **pairs) @ x / 2
    assert p @ A @ p >= np.linalg.eigvalsh(A)[-1] - tol * np.abs(A).max() - 1e-12


@oracle
def leading_direction(out, x, start, tol, **pairs):
    p = np.array(out["p"])
    assert abs(np.linalg.norm(p) - 1) < 1e-12 and p[np.abs(p).argmax()] > 0
    require_leading(p, np.array(x), 1e-8, **pairs)
    return {}


@oracle
def best_plane(out, X, start, augment, tol, offset, refine, **pairs):
    X, p, b = np.array(X), np.array(out["p"]), out["b"]
    value = X @ p + b
    assert ((value > 0) == out["left"])[np.abs(value) > 1e-6].all()
    if refine == 0:
        away = X - X.mean(axis=0)
        spread = math.sqrt((away**2).sum() / len(X)) or 1.0
        full = np.append(p, (b + p @ X.mean(axis=0)) / (spread * augment))
        assert abs(np.linalg.norm(full) - 1) < 1e-5
        x = np.column_stack([away / spread, np.full(len(X), augment)])
        require_leading(full, x, 1e-5, **pairs)
    return {}
