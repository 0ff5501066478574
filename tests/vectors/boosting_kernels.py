"""For each kernel of Boosted Distance, BoostMap and FTUNE: what the oracles say of a vector.

The oracles know no NumPy: plain loops, exact fractions where sums are exact. Cases of 2**16 + 1
rows are compared by short sums of NumPy where the oracles' loops take minutes.
"""

import math

import numpy as np
import oracles_boosting
import oracles_ftune

from .comparisons import MANY, close, exact, oracle


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


def weights(a):
    """Eq. 9 from the first round on, in plain numbers."""
    e = [math.exp(min(a["margin"].tolist()) - m) for m in a["margin"].tolist()]
    return [v / math.fsum(e) for v in e]


@oracle
def z_values(a, out):
    for j, F in enumerate(a["F"]):
        u = answers(F, a, None if a["S"] is None else a["S"][j])
        close(out["Z"][j], oracles_boosting.z_value(u, weights(a), a["alpha"][j]))


@oracle
def minimize_z(a, out):
    w = weights(a)
    for j, F in enumerate(a["F"]):
        u = answers(F, a, None if a["S"] is None else a["S"][j])
        assert out["alpha"][j] >= a["least"][j]
        reached = oracles_boosting.z_value(u, w, out["alpha"][j])
        close(out["Z"][j], reached)
        sides = [x for x, v in zip(u, w, strict=True) if v > 2.0**-53]
        if min(sides, default=0) < 0 < max(sides, default=0):
            most = max(1.0, 4 * abs(out["alpha"][j]))
            least = oracles_boosting.least_z(u, w, a["least"][j], most)[0]
            assert out["Z"][j] <= least * (1 + 1e-9)


@oracle
def next_weights(a, out):
    u = answers(a["F"], a)
    close(out["z"], oracles_boosting.z_value(u, weights(a), a["alpha"]))
    after = {"margin": a["margin"] + a["alpha"] * np.array(u)}
    close(out["margin"], after["margin"])
    assert np.abs(out["w"] - weights(after)).max() < 1e-12


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
