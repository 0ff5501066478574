"""For each kernel: the oracle's answer for the arguments of a vector, and the comparison.

The oracles know no NumPy: plain loops, exact fractions where sums are exact. Cases of 2**16 + 1
rows are compared by short sums of NumPy where the oracles' loops take minutes.
"""

import itertools
import math

import numpy as np
import oracles_boosting
import oracles_ftune
import oracles_hashing
import oracles_lmnn

ORACLES = {}
MANY = 2000


def oracle(function):
    """Enter a comparison under the kernel's name."""
    ORACLES[function.__name__] = function
    return function


def close(got, want, size=0.0):
    """Equal up to rounding; `size` is that of the terms of a sum."""
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    assert got.shape == want.shape, (got.shape, want.shape)
    bound = 1e-10 * np.abs(want) + 1e-11 * np.asarray(size)
    with np.errstate(invalid="ignore"):
        assert ((got == want) | (np.abs(got - want) <= bound)).all(), (got, want)


def exact(got, want):
    assert np.asarray(got).tolist() == want, (got, want)


def rows_of(a):
    A, B = a["A"], a["B"]
    return A if B is None else (A[:, np.newaxis] - B).reshape(-1, A.shape[1])


# ------------------------------------------------------------------------------- Boosted Distance


@oracle
def presort(a, out):
    """The rows of each feature by value, without those of its most frequent value."""
    X = rows_of(a)
    for f in range(X.shape[1]):
        x = X[:, f] + 0.0
        kept = out["rows"][out["row_ptr"][f] : out["row_ptr"][f + 1]]
        values, counts = np.unique(x, return_counts=True)
        assert len(kept) == len(x) - counts.max()
        order = np.argsort(x, kind="stable")
        common = x[out["common_row"][f]]
        exact(kept, [i for i in order.tolist() if x[i] != common])
        assert out["common"][f] == (values < common).sum()
        assert out["common_row"][f] == np.flatnonzero(x == common)[0]


@oracle
def best_stump(a, out):
    X = rows_of(a)
    if len(X) > MANY:
        units = np.rint(a["w"] * 2.0**52).astype(np.int64)
        best = None
        for f in range(X.shape[1]):
            values = np.unique(X[:, f])
            for p in (1, -1):
                for theta in [-np.inf, *((values[1:] + values[:-1]) / 2)]:
                    error = int(units[(p * X[:, f] < p * theta) != a["l"]].sum())
                    if best is None or error < best[0]:
                        best = error, f, p, theta
        error, f, p, theta = best[0] * 2.0**-52, *best[1:]
    else:
        # the oracle's midpoints of denormals round to one of the two
        power = 1000 if np.abs(X).max() < 1e-300 else 0
        error, f, p, theta = oracles_boosting.best_error(
            np.ldexp(X, power).tolist(), a["w"].tolist(), a["l"].tolist()
        )
        if power:
            theta = out["theta"]
            wrong = (p * X[:, f] < p * theta) != a["l"]
            own = zip(oracles_boosting.grid(a["w"].tolist()), wrong, strict=True)
            assert sum(w for w, is_wrong in own if is_wrong) == error
    assert (float(error), f, p) == (out["epsilon"], out["f"], out["p"])
    close(out["theta"], theta)


@oracle
def add_similarity(a, out):
    Phi = list(
        zip(*(a[n].tolist() for n in ("alpha", "feature", "polarity", "threshold")), strict=True)
    )
    want = [
        [oracles_boosting.similarity(q, x, Phi) for x in a["X"].tolist()] for q in a["Q"].tolist()
    ]
    close(out["S"], a["S"] + np.array(want), np.abs(a["S"]) + np.abs(a["alpha"]).sum())


# ---------------------------------------------------------------------------------------- BoostMap


def answers(F, a, S=None):
    """y h for every triple."""
    rows = zip(a["triples"].tolist(), a["y"].tolist(), strict=True)
    return [
        y * oracles_boosting.margin(F.tolist(), *t) * (1 if S is None else S[t[0]]) for t, y in rows
    ]


@oracle
def weighted_errors(a, out):
    if len(a["y"]) > MANY:
        q, near, far = a["triples"].T
        for F, value in zip(a["F"], out["Lambda"], strict=True):
            u = a["y"] * (np.abs(F[q] - F[far]) - np.abs(F[q] - F[near]))
            assert value == (a["w"] * np.where(u > 0, 0.0, np.where(u < 0, 1.0, 0.5))).sum()
        return
    rows = [
        oracles_boosting.weighted_error(F.tolist(), a["triples"].tolist(), a["y"], a["w"].tolist())
        for F in a["F"]
    ]
    exact(out["Lambda"], [float(row) for row in rows])


@oracle
def margin_sums(a, out):
    w = [float(v) for v in oracles_boosting.grid(a["w"].tolist())]
    for F, sums in zip(a["F"], out["sums"], strict=True):
        sides = [[], []]
        for u, v in zip(answers(F, a), w, strict=True):
            if u:
                sides[u < 0].append((v, abs(u)))
        want = [[math.fsum(v for v, _ in side) for side in sides]]
        want += [[math.fsum(v * u**p for v, u in side) for side in sides] for p in (1, 2)]
        want += [[max((u for _, u in side), default=0.0) for side in sides]]
        close(sums, np.ravel(want))


@oracle
def z_values(a, out):
    for j, F in enumerate(a["F"]):
        u = answers(F, a, None if a["S"] is None else a["S"][j])
        close(out["Z"][j], oracles_boosting.z_value(u, a["w"], a["alpha"][j]))


@oracle
def minimize_z(a, out):
    weights = [float(v) for v in oracles_boosting.grid(a["w"].tolist())]
    for j, F in enumerate(a["F"]):
        u = answers(F, a, None if a["S"] is None else a["S"][j])
        assert out["alpha"][j] >= a["least"][j]
        reached = oracles_boosting.z_value(u, weights, out["alpha"][j])
        close(out["Z"][j], reached)
        sides = [x for x, v in zip(u, weights, strict=True) if v > 0]
        if min(sides, default=0) < 0 < max(sides, default=0):
            most = max(1.0, 4 * abs(out["alpha"][j]))
            least = oracles_boosting.least_z(u, weights, a["least"][j], most)[0]
            assert out["Z"][j] <= least * (1 + 1e-9)


@oracle
def next_weights(a, out):
    u = answers(a["F"], a)
    z = oracles_boosting.z_value(u, a["w"], a["alpha"])
    close(out["z"], z)
    want = [v * math.exp(-a["alpha"] * x) / z for v, x in zip(a["w"], u, strict=True)]
    assert np.abs(out["w"] - want).max() < 1e-12


@oracle
def best_ranges(a, out):
    for j, F in enumerate(a["F"].tolist()):
        cells = np.searchsorted(a["thresholds"][j], a["values"][j], side="right").tolist()
        k = a["thresholds"].shape[1]
        errors = []
        for i, end in a["ranges"].tolist():
            inside = set(range(i, end)) if i < end else set(range(k + 1)) - set(range(end, i))
            errors.append(
                oracles_boosting.range_error(
                    cells, F, a["triples"].tolist(), a["y"], a["w"].tolist(), inside
                )
            )
        assert out["error"][j] == float(min(errors))
        assert out["best"][j] == errors.index(min(errors))


@oracle
def weighted_l1(a, out):
    want = [
        [sum(w * abs(u - v) for w, u, v in zip(A, q, x, strict=True)) for x in a["X"].tolist()]
        for A, q in zip(a["A"].tolist(), a["Q"].tolist(), strict=True)
    ]
    close(out["D"], np.reshape(want, out["D"].shape))


@oracle
def weighted_l1_nearest(a, out):
    D = [
        [sum(w * abs(u - v) for w, u, v in zip(A, q, x, strict=True)) for x in a["X"].tolist()]
        for A, q in zip(a["A"].tolist(), a["Q"].tolist(), strict=True)
    ]
    for row, distances, indices in zip(D, out["distances"], out["indices"], strict=True):
        want, _ = oracles_boosting.nearest_k(row, a["k"])
        close(distances, want)
        close([row[i] for i in indices], want)
        assert all(
            p < q or D_p < D_q
            for p, q, D_p, D_q in zip(
                indices[:-1], indices[1:], distances[:-1], distances[1:], strict=True
            )
        )


@oracle
def chamfer_distances(a, out):
    want = [[oracles_boosting.chamfer(A.tolist(), B.tolist()) for B in a["B"]] for A in a["A"]]
    assert np.abs(out["D"] - want).max(initial=0.0) < 1e-10


@oracle
def chamfer_nearest(a, out):
    for q, distances, indices in zip(a["Q"], out["distances"], out["indices"], strict=True):
        row = [round(oracles_boosting.chamfer(q.tolist(), x.tolist()), 10) for x in a["X"]]
        want, places = oracles_boosting.nearest_k(row, a["k"])
        assert np.abs(distances - want).max() < 1e-9
        exact(indices, places)


# ------------------------------------------------------------------------------------------- FTUNE


@oracle
def least_similar(a, out):
    exact(out["sums"], (a["sums"] + a["column"]).tolist())
    left = [(s, i) for i, s in enumerate(out["sums"].tolist()) if not a["taken"][i]]
    assert min(left)[1] == out["index"]


@oracle
def transferred_differences(a, out):
    want = oracles_ftune.transferred(a["K"].tolist(), a["plus"], a["minus"], a["slopes"].tolist())
    exact(out["Phi"], want)


@oracle
def matrix_vector(a, out):
    terms = [[x * v for x, v in zip(row, a["v"].tolist(), strict=True)] for row in a["A"].tolist()]
    size = [sum(map(abs, row)) for row in terms]
    close(out["Av"], [math.fsum(row) for row in terms], size)


@oracle
def vector_matrix(a, out):
    columns = [[u * x for u, x in zip(a["u"].tolist(), c, strict=True)] for c in a["A"].T.tolist()]
    close(out["uA"], [math.fsum(c) for c in columns], [sum(map(abs, c)) for c in columns])


# -------------------------------------------------------------------------------------------- LMNN


@oracle
def pair_distances(a, out):
    Z = a["Z"].tolist()
    pairs = zip(a["first"].tolist(), a["second"].tolist(), strict=True)
    close(out["squares"], [oracles_lmnn.squared(Z[i], Z[j]) for i, j in pairs])


@oracle
def impostors(a, out):
    want = [
        (i, l)
        for i, q in enumerate(a["Q"].tolist())
        for l, x in enumerate(a["X"].tolist())
        if a["classes_Q"][i] != a["classes_X"][l] and oracles_lmnn.squared(q, x) < a["radii"][i]
    ]
    exact(np.column_stack([out["first"], out["second"]]), [list(pair) for pair in want])


def hinge(z, h):
    """Return the smoothed hinge and its slope."""
    if h == 0:
        return max(z, 0.0), float(z > 0)
    if z >= h:
        return z - h / 2, 1.0
    return (z * z / (2 * h), z / h) if z > 0 else (0.0, 0.0)


@oracle
def hinge_terms(a, out):
    n, k = a["targets"].shape
    pair_weights, target_weights = np.zeros(len(a["pairs"])), np.zeros((n, k))
    for i in range(n):
        places = range(a["start"][i], a["start"][i + 1])
        slacks = [[1 + a["targets"][i, j] - a["pairs"][p] for j in range(k)] for p in places]
        flat = [z for row in slacks for z in row]
        size = sum(map(abs, flat)) + 10
        close(out["smooth"][i], sum(hinge(z, a["h"])[0] for z in flat), size)
        close(out["hinge"][i], sum(max(z, 0.0) for z in flat), size)
        assert out["active"][i] == sum(z > 0 for z in flat)
        for p, row in zip(places, slacks, strict=True):
            for j, z in enumerate(row):
                pair_weights[p] += hinge(z, a["h"])[1]
                target_weights[i, j] += hinge(z, a["h"])[1]
    close(out["pair_weights"], pair_weights, 1.0)
    close(out["target_weights"], target_weights, 1.0)


@oracle
def weighted_differences(a, out):
    Z = a["Z"].tolist()
    for i, row in enumerate(out["sums"]):
        for c in range(len(row)):
            terms = [
                a["weights"][a["edge"][e]] * (Z[i][c] - Z[a["other"][e]][c])
                for e in range(a["start"][i], a["start"][i + 1])
            ]
            close(row[c], math.fsum(terms), sum(map(abs, terms)))


@oracle
def build_tree(a, out):
    X = a["X"].tolist()
    exact(sorted(out["order"].tolist()), list(range(len(X))))
    m = len(out["starts"])
    for j in range(m):
        part = [X[i] for i in out["order"][out["starts"][j] : out["ends"][j]]]
        mean = [math.fsum(column) / len(part) for column in zip(*part, strict=True)]
        size = max(abs(v) for x in part for v in x)
        close(out["centres"][j], mean, size)
        reach = max(math.sqrt(oracles_lmnn.squared(x, mean)) for x in part)
        close(out["radii"][j], reach, size)
        exact(out["low"][j], [min(column) for column in zip(*part, strict=True)])
        exact(out["high"][j], [max(column) for column in zip(*part, strict=True)])
        if 2 * j + 2 < m:
            left = int(out["ends"][2 * j + 1] - out["starts"][2 * j + 1])
            assert left == (len(part) + 1) // 2
    assert (out["ends"] - out["starts"])[m // 2 :].max() <= a["leaf_size"]


def searched(a, out):
    for t, q in enumerate(a["Q"].tolist()):
        skip = -1 if a["skip"] is None else a["skip"][t]
        want = oracles_lmnn.nearest(a["X"].tolist(), q, a["k"], skip)
        exact(out["squares"][t], [d for d, _ in want])
        exact(out["indices"][t], [i for _, i in want])


@oracle
def tree_nearest(a, out):
    searched(a, out)
    assert (out["computed"] <= len(a["X"])).all()


@oracle
def scan_nearest(a, out):
    searched(a, out)
    if len(a["X"]) <= MANY:
        for t, q in enumerate(a["Q"].tolist()):
            skip = -1 if a["skip"] is None else a["skip"][t]
            terms = oracles_lmnn.scanned_terms(a["X"].tolist(), q, a["k"], skip)
            assert out["terms"][t] == terms


@oracle
def tree_within(a, out):
    for t, q in enumerate(a["Q"].tolist()):
        skip = -1 if a["skip"] is None else a["skip"][t]
        want = oracles_lmnn.within(a["X"].tolist(), q, a["limits"][t], a["strict"], skip)
        place = slice(out["starts"][t], out["starts"][t + 1])
        exact(out["indices"][place], [i for i, _ in want])
        exact(out["squares"][place], [d for _, d in want])


# ------------------------------------------------------------------------------------------ rivals


@oracle
def hamming_distances(a, out):
    want = [
        [oracles_hashing.differing_bits(q, x) for x in a["X"].tolist()] for q in a["Q"].tolist()
    ]
    exact(out["distances"], want)


@oracle
def hamming_nearest(a, out):
    for t, q in enumerate(a["Q"].tolist()):
        want = oracles_hashing.nearest_codes(a["X"].tolist(), q, a["k"])
        exact(out["distances"][t], [d for d, _ in want])
        exact(out["indices"][t], [i for _, i in want])


@oracle
def hamming_within(a, out):
    for t, q in enumerate(a["Q"].tolist()):
        want = oracles_hashing.codes_within(a["X"].tolist(), q, a["radii"][t])
        place = slice(out["starts"][t], out["starts"][t + 1])
        exact(out["distances"][place], [d for d, _ in want])
        exact(out["indices"][place], [i for _, i in want])


@oracle
def projections(a, out):
    columns = a["A"].T.tolist()
    want = [[oracles_hashing.projection(x, c) for c in columns] for x in a["X"].tolist()]
    exact(out["XA"], np.reshape(want, out["XA"].shape).tolist())


@oracle
def bucket_votes(a, out):
    for t, buckets in enumerate(a["buckets"].tolist()):
        lists = [
            set(a["members"][a["starts"][b] : a["ends"][b]].tolist()) for b in buckets if b >= 0
        ]
        want = oracles_hashing.votes(lists, a["most"])
        place = slice(out["first"][t], out["first"][t + 1])
        exact(out["indices"][place], [i for i, _ in want])
        exact(out["votes"][place], [v for _, v in want])


@oracle
def lloyd(a, out):
    points = a["X"][a["rows"]].tolist()
    centres, nearest = oracles_hashing.lloyd(points, a["centres"].tolist(), a["iterations"])
    close(out["centres"], centres)
    exact(out["nearest"], nearest)


def as_dict(trees):
    names = ("roots", "centres", "first", "last", "starts", "ends", "members")
    return {name: getattr(trees, name).tolist() for name in names}


@oracle
def tree_leaves(a, out):
    trees = as_dict(a["trees"])
    want = [
        [oracles_hashing.descend(trees, root, q, [])[0] for root in trees["roots"]]
        for q in a["Q"].tolist()
    ]
    exact(out["leaves"], want)


@oracle
def best_bin_first(a, out):
    trees = as_dict(a["trees"])
    for t, q in enumerate(a["Q"].tolist()):
        want, compared = oracles_hashing.best_bin_first(trees, q, a["most"])
        exact(out["indices"][t], [i for i, _ in want])
        exact(out["opened"][t], [o for _, o in want])
        assert out["computed"][t] == compared


# --------------------------------------------------------------------------------------- the forest


@oracle
def forest_words(a, out):
    forest = a["forest"]
    for x, words in zip(a["X"].tolist(), out["words"], strict=True):
        for root, word in zip(forest.roots.tolist(), words, strict=True):
            k = root
            while forest.left[k] >= 0:
                if forest.plane[k] >= 0:
                    p = forest.planes[forest.plane[k]].tolist()
                    value = sum(u * v for u, v in zip(p, x, strict=True))
                else:
                    value = x[forest.feature[k]]
                k = forest.left[k] if value + forest.offset[k] > 0 else forest.left[k] + 1
            assert forest.word[k] == word


@oracle
def plane_values(a, out):
    p = [float(v) for v in a["p"]]
    terms = [[float(u) * v for u, v in zip(x, p, strict=True)] for x in a["X"]]
    close(out["values"], [math.fsum(t) for t in terms], [sum(map(abs, t)) for t in terms])


@oracle
def gather_candidates(a, out):
    lists = [
        a["items"][i:j].tolist() for i, j in zip(a["starts"][:-1], a["starts"][1:], strict=True)
    ]
    for t, words in enumerate(a["words"].tolist()):
        T = {}
        for c, word in zip(a["c"].tolist(), words, strict=True):
            for x in lists[word]:
                T[x] = T.get(x, 0.0) + c
        alive = [(-value, x) for x, value in T.items() if a["alive"][x]]
        want = sorted(alive)[: a["most"]]
        place = slice(out["offsets"][t], out["offsets"][t + 1])
        exact(out["rows"][place], [x for _, x in want])
        close(out["scores"][place], [-value for value, _ in want])


@oracle
def rerank(a, out):
    for t, q in enumerate(a["Q"].tolist()):
        rows = a["rows"][a["offsets"][t] : a["offsets"][t + 1]].tolist()
        want = sorted((oracles_lmnn.squared(q, a["X"][i].tolist()), i) for i in rows)[: a["k"]]
        want += [(math.inf, -1)] * (a["k"] - len(want))
        close(out["squares"][t], [d for d, _ in want])
        exact(out["indices"][t], [i for _, i in want])


def dense(a, n):
    V = np.zeros((n, n))
    V[a["first"], a["second"]] = a["v"]
    return V + V.T


@oracle
def pair_product(a, out):
    V = dense(a, len(a["u"]))
    close(out["Vu"], V @ a["u"], np.abs(V) @ np.abs(a["u"]))


@oracle
def best_thresholds(a, out):
    n, f = a["A"].shape
    V = dense(a, n) + a["base"] * (1 - np.eye(n))
    for t in range(f):
        best = None
        values = sorted(set(a["A"][:, t].tolist()))
        for low, high in itertools.pairwise(values):
            above = a["A"][:, t] >= high
            cut = float(V[above][:, ~above].sum())
            if best is None or cut < best[0]:
                best = cut, low, high
        if best is None:
            assert out["crossing"][t] == math.inf
        else:
            assert out["crossing"][t] == best[0]
            assert best[1] <= out["threshold"][t] < best[2]


@oracle
def split_pairs(a, out):
    for side, names in (
        (True, ("first", "second", "v")),
        (False, ("first_right", "second_right", "v_right")),
    ):
        members = np.flatnonzero(a["left"] == side).tolist()
        want = [
            (members.index(i), members.index(j), v)
            for i, j, v in zip(
                a["first"].tolist(), a["second"].tolist(), a["v"].tolist(), strict=True
            )
            if i in members and j in members
        ]
        for place, name in enumerate(names):
            exact(out[name], [part[place] for part in want])


@oracle
def meet_pairs(a, out):
    listed = zip(*(a[n].tolist() for n in ("first", "second", "similar", "T")), strict=True)
    table = {(i, j): [s, T] for i, j, s, T in listed}
    leaf = a["leaf"].tolist()
    for i in range(len(leaf)):
        for j in range(i + 1, len(leaf)):
            if leaf[i] == leaf[j]:
                table.setdefault((i, j), [0, 0.0])[1] += a["c"]
    want = [(i, j, *table[i, j]) for i, j in sorted(table)]
    for place, name in enumerate(("first", "second", "similar", "T")):
        exact(out[name], [row[place] for row in want])


def eigen(x, a):
    M = (dense(a, len(x)) + a["base"] * (1 - np.eye(len(x)))) / 2
    return x.T @ M @ x


@oracle
def leading_direction(a, out):
    A = eigen(a["x"], a)
    p = out["p"]
    assert abs(np.linalg.norm(p) - 1) < 1e-12 and p[np.abs(p).argmax()] > 0
    assert p @ A @ p >= np.linalg.eigvalsh(A)[-1] - 1e-8 * np.abs(A).max() - 1e-12


@oracle
def best_plane(a, out):
    X = a["X"].astype(float)
    value = X @ out["p"].astype(float) + out["b"]
    assert ((value > 0) == out["left"])[np.abs(value) > 1e-6].all()
    if a["refine"] == 0:
        away = X - X.mean(axis=0)
        spread = math.sqrt((away**2).sum() / len(X)) or 1.0
        x = np.column_stack([away / spread, np.full(len(X), a["augment"])])
        A = eigen(x, a)
        p = out["p"].astype(float)
        last = (out["b"] + p @ X.mean(axis=0)) / (spread * a["augment"])
        full = np.append(p, last)
        assert abs(np.linalg.norm(full) - 1) < 1e-5
        assert full @ A @ full >= np.linalg.eigvalsh(A)[-1] - 1e-5 * np.abs(A).max() - 1e-12
