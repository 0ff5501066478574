"""For each kernel of LMNN, the Search Forest and its rivals: what the oracles say of a vector.

The oracles know no NumPy: plain loops, exact fractions where sums are exact. Cases of 2**16 + 1
rows are compared by short sums of NumPy where the oracles' loops take minutes.
"""

import itertools
import math

import numpy as np
import oracles_hashing
import oracles_lmnn

from .comparisons import MANY, close, exact, oracle

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
