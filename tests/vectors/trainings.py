"""What the oracles say of each training's rounds.

No oracle runs the steps of LMNN, the pairs of DSELECT, the linear models of FTUNE to all digits or
RCA's whole sum; here is what oracles there are.
"""

import math

import numpy as np
import oracles_boosting as boosting
import oracles_embeddings
import oracles_forest
import oracles_ftune
import oracles_lmnn
import oracles_rivals

from .comparisons import oracle


def stumps(P, N, T):
    """Return the rounds of Algorithm A.2."""
    return [
        {"f": f, "p": p, "theta": theta, "alpha": alpha}
        for alpha, f, p, theta in boosting.adaboost(P, N, T)
    ]


@oracle
def adaboost(P, N, T):
    return stumps(P, N, T)


@oracle
def boosted_distance(out, Omega, l, T):
    rounds = []
    for C in sorted(set(l)):
        first = next(state for state in out if state["C"] == C)
        sets = boosting.pairs(Omega, l, C)
        assert [sorted(first["P"]), sorted(first["N"])] == [sorted(part) for part in sets]
        rounds += [{"C": C, **stump} for stump in stumps(first["P"], first["N"], T)]
    return rounds


@oracle
def nearest_neighbor_boosted_distance(y, Omega, l, **ensembles):
    models = {}
    for C in (0, 1):
        names = (f"{name}_{C}" for name in ("alpha", "feature", "polarity", "threshold"))
        Phi = list(zip(*(ensembles[name] for name in names), strict=True))
        total = sum(row[0] for row in Phi) or 1.0
        models[C] = [(row[0] / total, *row[1:]) for row in Phi]
    s = [[boosting.similarity(q, x, models[C]) for x, C in zip(Omega, l, strict=True)] for q in y]
    return [{"s": s, "l_y": [l[i] for i in np.round(s, 12).argmax(axis=1)]}]


@oracle
def boostmap(out, D, between, triples, y, d, M_2, rounds, references, pivots):
    draws = iter(zip(references, pivots, strict=True))

    def draw(H):
        objects, pairs = next(draws)
        names = [(r, -1) for r in objects]
        for x_1, x_2 in pairs:
            alike = (x_2, x_1) in H and between[x_1][x_2] == between[x_2][x_1]
            names.append((x_2, x_1) if alike else (x_1, x_2))
        return names

    log = boosting.training_rounds(D, between, triples, y, d, M_2, draw, rounds)
    if len(log) > len(out):
        assert log[len(out)][3] > 1 - 1e-9, "a round that lowers the loss is missing"
        del log[len(out) :]
    for state, (_, _, alpha, z) in zip(out, log, strict=True):
        assert abs(state["z"] - z) < 1e-8
        flat = z > 0.999  # many weights are as good
        assert flat or abs(state["alpha"] - alpha) < 1e-5 * abs(alpha) + 1e-6
    return [{"step": step, "classifier": list(h)} for step, h, *_ in log]


@oracle
def query_sensitive(out, F, triples, y, gamma, picks):
    want = []
    w, picked = [1 / len(y)] * len(y), iter(picks)
    for j, splitters in enumerate(gamma):
        ranges = []
        for g in splitters:
            values = sorted({F[g][q] for q, _, _ in triples})
            drawn = sorted(F[g][triples[i][0]] for i in next(picked))
            places = [min(values.index(v), len(values) - 2) for v in drawn]
            t = [values[i] / 2 + values[i + 1] / 2 for i in places]
            edges = [-math.inf, *t, math.inf]
            ends = [(low, high) for i, low in enumerate(edges) for high in edges[i + 1 :]]
            ranges.append([(*pair, inside) for inside in (1, 0) for pair in ends])
        pairs = list(enumerate(splitters))
        z, c, _ = boosting.query_sensitive_round(F, triples, y, w, pairs, ranges)
        if j == len(out):  # no range lowers the loss
            assert z > 1 - 1e-7
            break
        state = out[j]
        assert abs(state["z"] - z) < 1e-7
        low, high, alpha = state["low"], state["high"], state["alpha"]
        inside = [(low <= F[state["g"]][q] < high) == bool(state["inside"]) for q, _, _ in triples]
        u = [l * boosting.margin(F[c], *o) for l, o in zip(y, triples, strict=True)]
        w = [v * math.exp(-alpha * x * k) for v, x, k in zip(w, u, inside, strict=True)]
        w = [v / sum(w) for v in w]
        want.append({"c": c, "updated": w})
    return want


@oracle
def enn_ranks(Q, X, A, neighbors, k_values):
    ranks = []
    for q, a, row in zip(Q, A, neighbors, strict=True):
        D = [sum(w * abs(u - v) for w, u, v in zip(a, q, x, strict=True)) for x in X]
        ranks.append([max(1 + sum(d < D[b] for d in D) for b in row[:k]) for k in k_values])
    return [{"ranks": ranks}]


def groups(leaves):
    return sorted(sorted(i for i, b in enumerate(leaves) if b == a) for a in set(leaves))


def leaves_of(tree, n):
    of_points = oracles_forest.leaves_of(tree, n)
    return [of_points[i] for i in range(n)]


@oracle
def search_forest(out, X, S, M, lam, max_depth):
    n = len(S)
    S = [[int(s) for s in row] for row in S]
    T, want = [[0.0] * n for _ in S], []
    for state, (tree, c) in zip(out, oracles_forest.boosted(X, S, M, lam, max_depth), strict=True):
        leaves = leaves_of(tree, n)
        assert groups(leaves) == groups(state["leaf"])
        J = oracles_forest.tree_objective(leaves, T, S, lam)
        similar, dissimilar = oracles_forest.masses(leaves, T, S, lam)
        before = [row[:] for row in T]
        want.append({"T": before, "c": c, "J": J, "similar": similar, "dissimilar": dissimilar})
        for i, j in oracles_forest.pairs(n):
            T[i][j] += c * (leaves[i] == leaves[j])
    return want


@oracle
def search_tree(out, X, S, lam, max_depth):
    M = (np.array(S) - lam).tolist()
    tree = oracles_forest.grown(X, M, list(range(len(S))), max_depth, 1e-9 * lam)
    assert groups(leaves_of(tree, len(S))) == groups(out[0]["leaf"])
    return [{}]


@oracle
def lmnn_steps(out, X, y, k, mu, checks):
    targets = oracles_lmnn.target_neighbours(X, y, k)
    want = []
    for state in out:
        problem = X, y, targets, mu, [state["M"]], [0] * len(X)
        value = oracles_lmnn.objective(*problem)
        (G,) = oracles_lmnn.gradient(*problem)
        active = sum(z > 0 for *_, z in oracles_lmnn.triples(X, y, targets, *problem[4:]))
        want.append({"objective": value, "G": G, "active": active})
    want[0]["targets"] = targets
    return want


@oracle
def lmnn(out, X, y, k, mu):
    (state,) = out
    targets = oracles_lmnn.target_neighbours(X, y, k)
    value = oracles_lmnn.objective(X, y, targets, mu, [state["M"]], [0] * len(X))
    assert math.isclose(value, state["objective"], rel_tol=1e-9)
    assert state["bound"] <= value <= state["bound"] * (1 + 1e-5)
    return [{"targets": targets}]


@oracle
def dselect(K, l, d, first, picks):
    L = oracles_ftune.greedy(K, first, d)
    plus, minus = ([z for z in L if l[z] == label] for label in (1, -1))
    pairs = [[plus[p % len(plus)], minus[q % len(minus)]] for p, q in picks]
    return [*({"z": z} for z in L), {"P": pairs}]


@oracle
def ftune(out, F, K, L, l, P):
    spaces = oracles_ftune.transferred(K, *zip(*P, strict=True), F)
    for state, space in zip(out[:-1], spaces, strict=True):
        X = np.column_stack([space, np.ones(len(space))])
        _, least = oracles_ftune.train(L, space, l, 1.0, 1.0)
        own = oracles_ftune.objective(L, X, l, 1.0, [*state["w"], state["b"]])
        assert own <= least * (1 + 1e-6)
    losses = out[-1]["losses"]
    return [*({"Phi": space} for space in spaces), {"f": F[losses.index(min(losses))]}]


@oracle
def fastmap(out, D, **given):
    pivots = [tuple(state["pivots"]) for state in out]
    recursion = oracles_embeddings.FastMap(D, pivots, False)
    levels = range(len(out))
    return [{"F": [recursion.coordinate(x, level) for x in range(len(D))]} for level in levels]


@oracle
def lipschitz(D, member):
    sets = [np.flatnonzero(row).tolist() for row in member]
    return [{"F": [oracles_embeddings.lipschitz(row, sets) for row in D]}]


@oracle
def relevant_component_analysis(X, y):
    W = next(iter(oracles_rivals.weight_matrices("RCA", np.array(X), np.array(y)).values()))
    return [{"W": W}]
