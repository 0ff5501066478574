"""For the trainings that an oracle runs, too: the oracle's rounds, and the comparison.

No oracle runs the steps of LMNN, the pairs of DSELECT, the linear models of FTUNE to all digits or
RCA's whole sum; here stand what oracles there are.
"""

import math

import numpy as np
import oracles_boosting
import oracles_embeddings
import oracles_forest
import oracles_ftune
import oracles_lmnn
import oracles_rivals

from .comparisons import close, exact

ORACLES = {}


def oracle(function):
    """Enter a comparison under the training's name."""
    ORACLES[function.__name__] = function
    return function


def stumps(states, Phi):
    for state, (alpha, f, p, theta) in zip(states, Phi, strict=True):
        assert (state["f"], state["p"]) == (f, p)
        close(state["theta"], theta)
        close(state["alpha"], alpha)


@oracle
def adaboost(a, states):
    stumps(states, oracles_boosting.adaboost(a["P"].tolist(), a["N"].tolist(), a["T"]))


@oracle
def boosted_distance(a, states):
    labels = a["l"].tolist()
    for C in sorted(set(labels)):
        P, N = oracles_boosting.pairs(a["Omega"].tolist(), labels, C)
        own = [state for state in states if state["C"] == C]
        exact(sorted(own[0]["P"].tolist()), sorted(P))
        exact(sorted(own[0]["N"].tolist()), sorted(N))
        Phi = oracles_boosting.adaboost(own[0]["P"].tolist(), own[0]["N"].tolist(), a["T"])
        stumps(own, Phi)


@oracle
def nearest_neighbor_boosted_distance(a, states):
    models = {}
    for C in (0, 1):
        names = (f"{name}_{C}" for name in ("alpha", "feature", "polarity", "threshold"))
        Phi = list(zip(*(a[name].tolist() for name in names), strict=True))
        total = sum(row[0] for row in Phi) or 1.0
        models[C] = [(row[0] / total, *row[1:]) for row in Phi]
    X, l = a["Omega"].tolist(), a["l"].tolist()
    want = [
        [oracles_boosting.similarity(y, x, models[C]) for x, C in zip(X, l, strict=True)]
        for y in a["y"].tolist()
    ]
    close(states[0]["s"], want)
    rounded = np.round(want, 12).argmax(axis=1)
    exact(states[0]["l_y"], [l[i] for i in rounded])


@oracle
def boostmap(a, states):
    draws = iter(range(len(a["references"])))

    def draw(H):
        k = next(draws)
        names = [(r, -1) for r in a["references"][k].tolist()]
        for x_1, x_2 in a["pivots"][k].tolist():
            alike = (x_2, x_1) in H and a["between"][x_1, x_2] == a["between"][x_2, x_1]
            names.append((x_2, x_1) if alike else (x_1, x_2))
        return names

    log = oracles_boosting.training_rounds(
        a["D"].tolist(),
        a["between"].tolist(),
        a["triples"].tolist(),
        a["y"].tolist(),
        a["d"],
        a["M_2"],
        draw,
        len(states),
    )
    assert len(log) == len(states)
    for state, (step, h, alpha, z) in zip(states, log, strict=True):
        assert state["step"] == step and tuple(state["classifier"].tolist()) == h
        assert abs(state["z"] - z) < 1e-8 and abs(state["alpha"] - alpha) < 1e-5 * abs(alpha) + 1e-6


@oracle
def query_sensitive(a, states):
    triples, y = a["triples"].tolist(), a["y"].tolist()
    d, k = len(a["F"]), a["picks"].shape[1]
    w = [1 / len(y)] * len(y)
    for j, state in enumerate(states):
        pairs, ranges = [], []
        for c in range(d):
            g = int(a["gamma"][j, c])
            values = sorted({a["F"][g, q] for q, _, _ in triples})
            drawn = sorted(a["F"][g, triples[i][0]] for i in a["picks"][j * d + c])
            places = [min(values.index(v), len(values) - 2) for v in drawn]
            t = [values[i] / 2 + values[i + 1] / 2 for i in places]
            edges = [-math.inf, *t, math.inf]
            pairs.append((c, g))
            ends = [(low, high) for i, low in enumerate(edges) for high in edges[i + 1 :]]
            ranges.append([(*pair, 1) for pair in ends] + [(*pair, 0) for pair in ends])
        assert k + 2 == len(edges)
        F = a["F"].tolist()
        z, c, _ = oracles_boosting.query_sensitive_round(F, triples, y, w, pairs, ranges)
        assert abs(state["z"] - z) < 1e-7
        assert state["c"] == c
        w = state["updated"].tolist()


@oracle
def enn_ranks(a, states):
    for q, row in enumerate(a["neighbors"].tolist()):
        D = [
            sum(w * abs(u - v) for w, u, v in zip(a["A"][q], a["Q"][q], x, strict=True))
            for x in a["X"]
        ]
        for column, k in enumerate(a["k_values"].tolist()):
            ranks = [1 + sum(d < D[b] for d in D) for b in row[:k]]
            assert states[0]["ranks"][q, column] == max(ranks)


def groups(leaves):
    return sorted(sorted(i for i, b in enumerate(leaves) if b == a) for a in set(leaves))


@oracle
def search_forest(a, states):
    S = a["S"].astype(int).tolist()
    forest = oracles_forest.boosted(a["X"].tolist(), S, a["M"], a["lam"], a["max_depth"])
    T = [[0.0] * len(S) for _ in S]
    for state, (tree, c) in zip(states, forest, strict=False):
        of_points = oracles_forest.leaves_of(tree, len(S))
        leaves = [of_points[i] for i in range(len(S))]
        assert groups(leaves) == groups(state["leaf"].tolist())
        close(state["c"], c, 1e3)
        J = oracles_forest.tree_objective(leaves, T, S, a["lam"])
        close(state["J"], J, 1e4)
        masses = oracles_forest.masses(leaves, T, S, a["lam"])
        close([state["similar"], state["dissimilar"]], masses, 1e4)
        close(state["T"], T, 1e3)
        for i, j in oracles_forest.pairs(len(S)):
            T[i][j] += c * (leaves[i] == leaves[j])


@oracle
def search_tree(a, states):
    S = a["S"].astype(int).tolist()
    M = (a["S"] - a["lam"]).tolist()
    tree = oracles_forest.grown(
        a["X"].tolist(), M, list(range(len(S))), a["max_depth"], 1e-9 * a["lam"]
    )
    of_points = oracles_forest.leaves_of(tree, len(S))
    assert groups([of_points[i] for i in range(len(S))]) == groups(states[0]["leaf"].tolist())


@oracle
def lmnn_steps(a, states):
    X, y = a["X"].tolist(), a["y"].tolist()
    targets = oracles_lmnn.target_neighbours(X, y, a["k"])
    exact(states[0]["targets"], targets)
    partition = [0] * len(X)
    for state in states:
        Ms = [state["M"].tolist()]
        value = oracles_lmnn.objective(X, y, targets, a["mu"], Ms, partition)
        close(state["objective"], value, value)
        G = oracles_lmnn.gradient(X, y, targets, a["mu"], Ms, partition)
        close(state["G"], G[0], 1e3 * np.abs(G[0]).max())
        active = sum(z > 0 for *_, z in oracles_lmnn.triples(X, y, targets, Ms, partition))
        assert state["active"] == active


@oracle
def lmnn(a, states):
    X, y = a["X"].tolist(), a["y"].tolist()
    (state,) = states
    targets = oracles_lmnn.target_neighbours(X, y, a["k"])
    exact(state["targets"], targets)
    Ms = [state["M"].tolist()]
    value = oracles_lmnn.objective(X, y, targets, a["mu"], Ms, [0] * len(X))
    assert math.isclose(value, state["objective"], rel_tol=1e-9)
    assert state["bound"] <= value <= state["bound"] * (1 + 1e-5)


@oracle
def dselect(a, states):
    d = a["d"]
    exact(
        [state["z"] for state in states[:-1]], oracles_ftune.greedy(a["K"].tolist(), a["first"], d)
    )
    L = [state["z"] for state in states[:-1]]
    plus = [z for z in L if a["l"][z] == 1]
    minus = [z for z in L if a["l"][z] == -1]
    want = [[plus[p % len(plus)], minus[q % len(minus)]] for p, q in a["picks"].tolist()]
    exact(states[-1]["P"], want)


@oracle
def ftune(a, states):
    plus, minus = a["P"].T.tolist()
    l, slopes = a["l"].tolist(), a["F"].tolist()
    spaces = oracles_ftune.transferred(a["K"].tolist(), plus, minus, slopes)
    for state, space in zip(states[:-1], spaces, strict=True):
        exact(state["Phi"], space)
        w = [*state["w"].tolist(), state["b"]]
        X = np.column_stack([space, np.ones(len(space))])
        _, least = oracles_ftune.train(a["L"], space, l, 1.0, 1.0)
        own = oracles_ftune.objective(a["L"], X, l, 1.0, w)
        assert own <= least * (1 + 1e-6)
    losses = states[-1]["losses"].tolist()
    assert states[-1]["f"] == slopes[losses.index(min(losses))]


@oracle
def fastmap(a, states):
    pivots = [tuple(state["pivots"].tolist()) for state in states]
    recursion = oracles_embeddings.FastMap(a["D"].tolist(), pivots, False)
    for level, state in enumerate(states):
        want = [recursion.coordinate(x, level) for x in range(len(a["D"]))]
        close(state["F"], want, 1e2 * np.abs(a["D"]).max())


@oracle
def lipschitz(a, states):
    sets = [np.flatnonzero(row).tolist() for row in a["member"]]
    exact(states[0]["F"], [oracles_embeddings.lipschitz(row, sets) for row in a["D"]])


@oracle
def relevant_component_analysis(a, states):
    weights = oracles_rivals.weight_matrices("RCA", a["X"], a["y"])
    (W,) = list(weights.values())[:1]
    close(states[0]["W"], W, 1e2 * np.abs(W).max())
