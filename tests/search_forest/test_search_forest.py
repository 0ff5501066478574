"""Boosted Search Forest: against the oracles, the dense form against the meeting one, and twin against twin."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import oracles_forest as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

import refimpl
from refimpl.products import length, times_vector, vector_times
from refimpl.search_forest import (
    SearchForest,
    as_similarity,
    best_c,
    label_similarity,
    neighbor_similarity,
    search_forest,
    selection,
    to_terms,
    top_eigenvector,
)
from refimpl.search_forest import splits as forest_splits
from refimpl.search_forest.pairs import DensePairs, MeetingPairs, grid_step

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
ROOT = Path(__file__).resolve().parents[2]
FIELDS = [field.name for field in dataclasses.fields(SearchForest)]


def points(n=60, d=4, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) + 3 * rng.integers(0, 2, (n, 1))).astype(dtype)


def nested(forest, m, k=None):
    """A tree as the oracle takes it."""
    k = int(forest.roots[m]) if k is None else k
    if forest.left[k] < 0:
        return ("leaf", int(forest.word[k]))
    if forest.plane[k] >= 0:
        p = forest.planes[forest.plane[k]].astype(float).tolist()
    else:
        p = np.eye(forest.planes.shape[1])[forest.feature[k]].tolist()
    left = int(forest.left[k])
    return (p, float(forest.offset[k]), nested(forest, m, left), nested(forest, m, left + 1))


@st.composite
def problems(draw, most=25, ties=True):
    """Points (duplicates among them), a similarity that may be asymmetric, and how to learn from them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, most)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, d))
    if ties and draw(st.booleans()):
        X = np.rint(X)
    if draw(st.booleans()):
        X = X.astype(np.float32)
    S = rng.random((n, n)) < draw(st.sampled_from([0.1, 0.4]))
    S[0, 1] = True
    how = {
        "lam": draw(st.sampled_from([0.05, 0.3, 0.6])), "offset": draw(st.sampled_from(["best", "eigenvector"])),
        "refine": draw(st.sampled_from([0, 1, 10])),
        "stump_above": draw(st.sampled_from([None, 0, 8])), "max_depth": draw(st.sampled_from([1, 3, 16])),
        "max_leaves": draw(st.sampled_from([None, 3])), "stumps": 3,
    }  # fmt: skip
    return X, S, how


def learn(X, S, M, lam, **options):
    try:
        return search_forest(X, sparse.csr_matrix(S), M, lam, rng=np.random.default_rng(0), **options)
    except ValueError as error:
        assert "no tree is worth its cost" in str(error)
        return None


def on_a_plane():
    """Two of three points that end in one node have the same M s there, and a plane that fits M s goes through both."""
    X = np.array([[-0.88, -1.46, -0.27, 0.46, 1.25], [0.12, -0.61, -0.86, 0.82, 1.8], [0.3, -1.36, -1.05, 1.76, 0.22],
                  [-1.91, -0.09, -1.28, -0.69, -0.54], [-0.78, 0.61, -0.07, -0.65, 0.45],
                  [0.91, -1.81, -0.28, -1.08, -0.19], [-1.42, 0.02, -0.04, -0.33, -1.15]])  # fmt: skip
    S = np.zeros((7, 7), dtype=bool)
    S[[0, 1, 2], [1, 6, 1]] = True
    how = {"lam": 0.05, "offset": "eigenvector", "refine": 1, "stump_above": None, "max_depth": 3,
           "max_leaves": None, "stumps": 3}  # fmt: skip
    return X, S, how


def stands_clear(tree, x):
    """Whether no plane on the point's way goes through it but for the rounding of p^T x + b.

    Points of a small node that have the same (M s)_i get the same p^T x but for rounding, as a moved plane fits M s
    there exactly; where the best threshold parts them, their sides depend on the order in which p^T x is added up.
    """
    while tree[0] != "leaf":
        p, b, left, right = tree
        terms = [b, *(u * v for u, v in zip(p, x, strict=True))]
        if abs(sum(terms)) <= 1e-13 * sum(map(abs, terms)):
            return False
        tree = left if sum(terms) > 0 else right
    return True


@settings(max_examples=40, deadline=None)
@given(problem=problems())
@example(problem=on_a_plane())
def test_the_history_is_what_the_loops_give(problem):
    X, S, how = problem
    forest, lam = learn(X, S, 4, **how), how["lam"]
    np.fill_diagonal(S, False)
    s = S.astype(int).tolist()
    if forest is None:
        return
    leaves = to_terms(forest, X).T.tolist()
    for m in range(len(forest.c)):
        tree = nested(forest, m)
        for x, leaf in zip(X.tolist(), leaves[m], strict=True):
            assert oracle.leaf(tree, x) == leaf or not stands_clear(tree, x)
    T = np.zeros(S.shape).tolist()
    for m, (J, similar, dissimilar, loss, value) in enumerate(forest.history.tolist()):
        assert J == pytest.approx(oracle.tree_objective(leaves[m], T, s, lam), abs=1e-9)
        assert (similar, dissimilar) == pytest.approx(oracle.masses(leaves[m], T, s, lam), abs=1e-9)
        if dissimilar >= 1:
            assert forest.c[m] == pytest.approx(oracle.best_c(similar, dissimilar, lam), abs=1e-6)
        T = oracle.ensemble(leaves[: m + 1], forest.c[: m + 1].tolist())
        assert loss == pytest.approx(oracle.loss(T, s, lam), rel=1e-12)
        assert value == pytest.approx(oracle.objective(T, s, lam), abs=1e-9)
    np.testing.assert_allclose(np.where(np.eye(len(X)), 0, selection(forest, X, X)), T, rtol=1e-12)


@each
@settings(max_examples=40, deadline=None)
@given(problem=problems(60, ties=False))
def test_both_forms_of_the_pairs_learn_the_same_trees(kernels, problem):
    """Tree for tree; hyperplanes to the eigensolver's rounding, everything else to the last bit.

    Points on a lattice are left out: several of their eigenvectors belong to one eigenvalue, so that rounding chooses.
    """
    X, S, how = problem
    dense, meeting = (learn(X, S, 3, kernels=kernels, pairs=pairs, **how) for pairs in ("dense", "meeting"))
    assert (dense is None) == (meeting is None)
    for name in FIELDS if dense is not None else ():
        a, b = getattr(dense, name), getattr(meeting, name)
        if name == "planes" or name == "offset":
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-6)
        else:
            assert_same(a, b)


@each
def test_a_rise_that_is_rounding_is_no_split(kernels):
    """c* can balance a leaf that later comes back as a node: M is 0 up to rounding then, and so is every rise."""
    X = np.array([[1.1, -0.7], [1.7, -0.7], [-0.3, 1.3], [-0.5, 0.6], [-1.0, -1.9], [-0.6, -0.2]])
    S = np.zeros((6, 6), dtype=bool)
    S[[0, 2, 3], [1, 0, 5]] = True
    forests = [learn(X, S, 3, 0.05, kernels=kernels, refine=0, pairs=pairs) for pairs in ("dense", "meeting")]
    np.testing.assert_allclose(forests[0].planes, forests[1].planes, rtol=0, atol=1e-12)
    S = as_similarity(sparse.csr_matrix(S), 6)
    for form in DensePairs, MeetingPairs:
        for node in form(S, 0.05, kernels).root().split(X[:, 0] > 0):
            assert node.negligible() == pytest.approx(node.n * (node.n - 1) * 0.05 * 1e-9)


def test_a_total_beside_a_power_of_two_has_its_grid():
    """Weights of a few pairs may add up to 8 or, in another order, to the double before it."""
    for total in 8.0, 16.0, 2.0**40:
        assert grid_step(total) == grid_step(np.nextafter(total, 0)) == grid_step(total * (1 + 1e-12))
        assert (total / grid_step(total)).is_integer() and total / grid_step(total) < 2**52


@each
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_both_forms_on_a_larger_set(kernels, dtype):
    X = points(250, 10, dtype=dtype)
    S = neighbor_similarity(X, 12)
    forests = [
        search_forest(X, S, 4, 0.1, rng=np.random.default_rng(3), stump_above=100, kernels=kernels, pairs=pairs)
        for pairs in ("dense", "meeting")
    ]
    assert forests[0].n_words > 60 and (forests[0].feature >= 0).any() and forests[0].planes.dtype == dtype
    for name in set(FIELDS) - {"planes", "offset"}:
        assert_same(getattr(forests[0], name), getattr(forests[1], name))
    np.testing.assert_allclose(forests[0].planes, forests[1].planes, atol=1e-6)
    assert (forests[0].history[:, 3] < np.append(249 * 250, forests[0].history[:-1, 3])).all()  # eq. 7 falls


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@settings(max_examples=40, deadline=None)
@given(problem=problems(60), threads=st.sampled_from([1, 2]))
def test_twins_learn_the_same_forest(problem, threads):
    X, S, how = problem
    one, two = (learn(X, S, 4, kernels=kernels, threads=threads, **how) for kernels in KERNELS)
    assert (one is None) == (two is None)
    for name in FIELDS if one is not None else ():
        assert_same(getattr(one, name), getattr(two, name))


@each
def test_no_tree_depends_on_the_number_of_threads(kernels, monkeypatch):
    """Of a size at which threads share the nodes' products, and the pairs' weights in blocks."""
    monkeypatch.setattr("refimpl.resources.processors", lambda: 7)
    monkeypatch.setattr("refimpl.search_forest.pairs.BLOCK", 1000)
    X = points(1200, 30, dtype=np.float32)
    S = neighbor_similarity(X, 10)
    forests = [search_forest(X, S, 2, 0.005, rng=np.random.default_rng(0), max_depth=4, kernels=kernels,
                             threads=threads) for threads in (1, 2, 7)]  # fmt: skip
    for other in forests[1:]:
        for name in FIELDS:
            assert_same(getattr(forests[0], name), getattr(other, name))


@pytest.mark.parametrize("form", [DensePairs, MeetingPairs])
def test_pairs_are_weighted_and_split_as_the_loops_do(form):
    """Eqs. 10, 14, 17 and 18 after some meetings, in both forms."""
    rng, lam = np.random.default_rng(0), 0.3
    X, S = rng.normal(size=(20, 3)), rng.random((20, 20)) < 0.3
    pairs, leaves, c = form(as_similarity(sparse.csr_matrix(S), 20), lam, KERNELS[0]), [], [0.7, 0.4, 1.3]
    np.fill_diagonal(S, False)
    for c_m in c:
        leaves.append(rng.integers(0, 4, 20))
        pairs.meet(leaves[-1], c_m)
    T, s = oracle.ensemble([l.tolist() for l in leaves], c), S.astype(int).tolist()
    M = np.array([[oracle.weight(T[i][j], s[i][j], lam) * (s[i][j] - lam) * (i != j) for j in range(20)]
                  for i in range(20)])  # fmt: skip
    root, mine = pairs.root(), np.arange(20) % 3 > 0
    assert root.J == pytest.approx(M.sum())
    u = rng.normal(size=20)
    np.testing.assert_allclose(root.product(u), (M + M.T) @ u / 2, rtol=1e-10)
    left, right = root.split(mine)
    assert (left.J, right.J) == pytest.approx((M[mine][:, mine].sum(), M[~mine][:, ~mine].sum()))
    np.testing.assert_allclose(right.product(u[~mine]), (M + M.T)[~mine][:, ~mine] @ u[~mine] / 2, rtol=1e-9)
    crossing, threshold = root.best_thresholds(X)
    for t in range(3):
        J, k = oracle.best_cut(X[:, t].tolist(), M.tolist())
        assert root.J - crossing[t] == pytest.approx(J) and (X[:, t] <= threshold[t]).sum() == k
    leaf = rng.integers(0, 5, 20)
    assert pairs.masses(leaf) == pytest.approx(oracle.masses(leaf.tolist(), T, s, lam))
    assert pairs.loss_and_objective() == pytest.approx((oracle.loss(T, s, lam), oracle.objective(T, s, lam)))
    augmented = np.hstack([X, np.ones((20, 1))])
    found = top_eigenvector(lambda p: augmented.T @ root.product(augmented @ p), rng.normal(size=4), tol=1e-9)
    assert abs(found @ np.linalg.eigh(oracle.criterion(X, M))[1][:, -1]) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("d", [1, 2, 30, 150])
@pytest.mark.parametrize("rank", [1, 7, 200])
def test_the_eigenvector_is_the_one_of_eigh(d, rank):
    rng = np.random.default_rng(d + rank)
    B = rng.normal(size=(d, rank))
    A = (B * rng.normal(size=rank)) @ B.T
    v = top_eigenvector(lambda v: A @ v, rng.normal(size=d), tol=1e-10)
    theta = np.linalg.eigvalsh(A)[-1]
    assert v @ A @ v == pytest.approx(theta, abs=1e-8 * np.abs(A).max())
    assert np.linalg.norm(v) == pytest.approx(1) and v[np.abs(v).argmax()] > 0
    np.testing.assert_allclose(A @ v, theta * v, atol=1e-6 * np.abs(A).max() * d)


HASHED = """
import hashlib, numpy as np
from refimpl.search_forest import label_similarity, search_forest
rng = np.random.default_rng(0)
X, S = rng.normal(size=(1500, 384)), label_similarity(np.arange(1500) % 50)
forest = search_forest(X, S, 1, 0.02, rng=rng, max_depth=2)
print(hashlib.sha256(forest.planes.tobytes() + forest.offset.tobytes()).hexdigest())
"""


def test_the_number_of_blas_threads_does_not_count():
    """At this size BLAS divides the products of the eigensolver, if it may."""
    found = set()
    for threads in "12":
        names = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), threads)
        run = subprocess.run([sys.executable, "-c", HASHED], capture_output=True, text=True, cwd=ROOT,
                             env=os.environ | names)  # fmt: skip
        assert run.returncode == 0, run.stderr
        found.add(run.stdout)
    assert len(found) == 1


def test_products():
    rng = np.random.default_rng(0)
    A, u, v = rng.normal(size=(40, 7)), rng.normal(size=40), rng.normal(size=7)
    np.testing.assert_allclose(times_vector(A, v), A @ v, rtol=1e-12)
    np.testing.assert_allclose(vector_times(u, A), u @ A, rtol=1e-12)
    assert length(np.array([3.0, 4.0])) == 5.0


@pytest.mark.parametrize("seed", range(8))
@each
def test_a_moved_plane_selects_more_by_equation_17(kernels, seed):
    """One split: eq. 17 by its definition, which no move lowers and some moves raise."""
    X, rng = points(n=120, d=6, seed=seed), np.random.default_rng(seed)
    S, lam, found = neighbor_similarity(X, 20), 0.05, []
    for refine in (0, 1, 10):
        forest = search_forest(X, S, 1, lam, rng=np.random.default_rng(1), max_depth=1, refine=refine, kernels=kernels)
        t = to_terms(forest, X, kernels=kernels)
        together = (t == t.T) & ~np.eye(len(X), dtype=bool)
        J = ((S.toarray() - lam) * together).sum()
        assert J == pytest.approx(forest.history[0, 0], rel=1e-9)
        found.append(J)
    assert found == sorted(found)
    A, u = rng.normal(size=(30, 4)), rng.normal(size=30)
    assert np.allclose(forest_splits.fitted_by(A, u), np.linalg.lstsq(A, u)[0])
    assert not forest_splits.fitted_by(A, np.zeros(30)).any() and not forest_splits.fitted_by(0 * A, u).any()


def test_moves_are_worth_it():
    X = np.random.default_rng(3).normal(size=(400, 12))
    S = neighbor_similarity(X, 20)
    J = [search_forest(X, S, 1, 0.05, rng=np.random.default_rng(1), refine=refine).history[0, 0] for refine in (0, 10)]
    assert J[1] > 1.02 * J[0]


@pytest.mark.parametrize(("similar", "dissimilar"), [(9.0, 2.0), (100.0, 1.0), (5.0, 80.0), (1e-3, 50.0), (0.0, 4.0)])
@pytest.mark.parametrize("lam", [0.05, 0.4])
def test_best_c_minimises_equation_14(similar, dissimilar, lam):
    assert best_c(similar, dissimilar, lam) == pytest.approx(oracle.best_c(similar, dissimilar, lam), abs=1e-6)


# ------------------------------------------------------------------------------------------------ degenerate nodes


@pytest.mark.parametrize("pairs", ["dense", "meeting"])
@each
def test_equal_points_stay_in_one_leaf(kernels, pairs):
    S = np.ones((6, 6))
    forest = search_forest(np.ones((6, 3)), S, 2, 0.5, rng=np.random.default_rng(0), kernels=kernels, pairs=pairs)
    assert forest.n_words == len(forest.c) == len(forest.left)
    with pytest.raises(ValueError, match="no tree is worth its cost"):  # they cannot be told apart, and few are similar
        S[2:], S[:, 2:] = 0, 0
        search_forest(np.ones((6, 3)), S, 2, 0.5, rng=np.random.default_rng(0), kernels=kernels, pairs=pairs)


@pytest.mark.parametrize("pairs", ["dense", "meeting"])
@each
def test_a_node_without_a_similar_pair_is_split_to_single_points(kernels, pairs):
    """Ten points far from two similar ones: nothing but cost among them."""
    X = np.concatenate([np.random.default_rng(0).normal(size=(10, 3)), np.full((2, 3), 50.0)])
    S = np.zeros((12, 12))
    S[10, 11] = S[11, 10] = 1
    forest = search_forest(X, S, 1, 0.2, rng=np.random.default_rng(0), kernels=kernels, pairs=pairs)
    words = to_terms(forest, X, kernels=kernels)[:, 0]
    assert len(set(words[:10])) == 10 and words[10] == words[11] and words[10] not in words[:10]
    assert forest.c[0] == pytest.approx(np.log(0.8 * 2 / 0.2))  # as if one dissimilar pair had been there


@each
def test_one_similar_pair_of_two_points(kernels):
    forest = search_forest([[0.0], [1.0]], [[0, 1], [1, 0]], 3, 0.5, rng=np.random.default_rng(0), kernels=kernels)
    assert (selection(forest, [[0.3]], [[0.0], [9.0]], kernels=kernels) > 0).all()


@each
def test_the_limits_hold(kernels):
    X = points(200, 3)
    S = neighbor_similarity(X, 5)
    for options, check in (
        ({"max_depth": 3}, lambda f: f.n_words <= 8 * len(f.c)),
        ({"max_leaves": 5}, lambda f: f.word[: f.roots[1]].max() < 5 and f.n_words <= 10),
        ({"stump_above": 0}, lambda f: len(f.planes) == 0 and (f.feature >= 0).any()),
    ):
        forest = search_forest(X, S, 2, 0.02, rng=np.random.default_rng(0), kernels=kernels, **options)
        assert check(forest), options


# ------------------------------------------------------------------------------------------------ input, output


def test_similarities():
    X, labels = points(30, 2), np.arange(30) % 3
    S = neighbor_similarity(X, 4).toarray()
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    assert (S == (D <= np.sort(D, axis=1)[:, 3:4])).all()
    assert (label_similarity(labels).toarray() == (labels[:, None] == labels)).all()
    for message, S in (
        ("shape", np.ones((3, 4))), ("other than 0 and 1", sparse.csr_matrix(np.full((4, 4), 0.5))),
        ("no similar pair", np.eye(4)), ("no similar pair", sparse.csr_matrix((4, 4))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            as_similarity(S, 4)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": [[np.nan]] * 4}, ValueError, "NaN"),
        ({"X": np.ones((5, 1))}, ValueError, "S has shape"),
        ({"M": 0}, ValueError, "M is 0"),
        ({"lam": 1.0}, ValueError, "lam is 1"),
        ({"lam": 0.0}, ValueError, "lam is 0"),
        ({"lam": "much"}, TypeError, "lam is 'much'"),
        ({"rng": 0}, TypeError, "default_rng"),
        ({"offset": "median"}, ValueError, "offset must be 'best' or 'eigenvector'; got 'median'"),
        ({"refine": -1}, ValueError, "refine is -1"),
        ({"pairs": "none"}, ValueError, "pairs must be .*; got 'none'"),
        ({"max_leaves": 1}, ValueError, "max_leaves is 1"),
        ({"kernels": "fast"}, TypeError, "kernels is the string"),
        ({"X": np.full((4, 1), 1e141)}, ValueError, "X has values beyond 1e140"),
        ({"callback": 3}, TypeError, "callback is 3; pass a function"),
        ({"max_memory": "a"}, TypeError, "max_memory is 'a'"),
        ({"threads": 0}, ValueError, "threads must be at least 1, or None; got 0"),
        ({"threads": -1, "kernels": KERNELS[-1]}, ValueError, "threads must be at least 1, or None; got -1"),
    ],
)
def test_bad_arguments(change, error, message):
    rng = np.random.default_rng(0)
    arguments = {"X": np.arange(4.0)[:, None], "S": np.ones((4, 4)), "M": 2, "lam": 0.2, "rng": rng}
    with pytest.raises(error, match=message):
        search_forest(**{**arguments, **change})


def test_other_bad_arguments():
    X = points(30, 3)
    forest = search_forest(X, neighbor_similarity(X, 4), 2, 0.1, rng=np.random.default_rng(0))
    for labels in (5, None, np.array(5), {1, 2}, sparse.eye(3), []):
        with pytest.raises(ValueError, match=r"labels has shape .* one label for each vector"):
            label_similarity(labels)
    for ask in (to_terms, lambda *a, **k: selection(*a, X, **k)):
        with pytest.raises(TypeError, match="forest is a int; pass a SearchForest"):
            ask(3, X)
        with pytest.raises(ValueError, match="threads must be at least 1, or None; got 0"):
            ask(forest, X, threads=0)
    with pytest.raises(ValueError, match="threads must be at least 1, or None; got 0"):
        neighbor_similarity(X, 4, threads=0)


@each
def test_large_values_serve_up_to_the_limit(kernels):
    """Scaled by a power of two, points and their x~ have the same trees; at 2^400 the products of eq. 18 overflow."""
    X = points(60, 4)
    S, forests = neighbor_similarity(X, 6), []
    for scale in (1.0, 2.0**250, 2.0**400, 2.0**460):
        forests.append(search_forest(X * scale, S, 3, 0.05, rng=np.random.default_rng(0), augment=scale,
                                     stump_above=40, kernels=kernels))  # fmt: skip
        for name in set(FIELDS) - {"offset"}:
            assert_same(getattr(forests[0], name), getattr(forests[-1], name))
        assert_same(forests[0].offset * scale, forests[-1].offset)
    with pytest.raises(ValueError, match="X has values beyond 1e140"):
        to_terms(forests[0], X * 1e200, kernels=kernels)


@each
def test_a_query_that_float32_does_not_hold_is_refused(kernels):
    X = points(60, 4, dtype=np.float32)
    forest = search_forest(X, neighbor_similarity(X, 6), 1, 0.05, rng=np.random.default_rng(0), kernels=kernels)
    for Q in (np.full((1, 4), 1e300), np.array([[0.0, 0.0, -1e39, 0.0]])):
        with pytest.raises(ValueError, match="X has values beyond what float32 holds"):
            to_terms(forest, Q, kernels=kernels)
    assert to_terms(forest, np.full((1, 4), 3e38), kernels=kernels).shape == (1, 1)


def test_a_dense_problem_may_not_be_too_large():
    n = 5001
    S = sparse.csr_matrix(([True], ([0], [1])), shape=(n, n))
    with pytest.raises(ValueError, match="'meeting'"):
        search_forest(np.zeros((n, 1)), S, 1, 0.1, rng=np.random.default_rng(0), pairs="dense")


def test_save_and_load(tmp_path):
    X = points(80, 3)
    forest = search_forest(X, neighbor_similarity(X, 6), 3, 0.1, rng=np.random.default_rng(0))
    refimpl.save(tmp_path / "forest.npz", forest)
    again = refimpl.load(tmp_path / "forest.npz")
    for name in FIELDS:
        assert_same(getattr(forest, name), getattr(again, name))
    assert_same(to_terms(forest, X), to_terms(again, X))


@each
@pytest.mark.parametrize("pairs", ["dense", "meeting"])
def test_an_interrupted_training_goes_on(kernels, pairs, tmp_path):
    """From the last tree that was saved, with the result of an uninterrupted training, to the bit."""
    X = points(120, 4)
    S = neighbor_similarity(X, 8)

    def train(M=5, **options):
        rng = np.random.default_rng(7)
        return search_forest(X, S, M, 0.05, rng=rng, stump_above=50, kernels=kernels, pairs=pairs, **options)

    def interrupted(forest):
        refimpl.save(tmp_path / "forest.npz", forest)
        if len(forest.c) == 3:
            raise KeyboardInterrupt

    whole = train()
    with pytest.raises(KeyboardInterrupt):
        train(callback=interrupted)
    for again in (train(start=refimpl.load(tmp_path / "forest.npz")), train(start=train(2)), train(start=whole)):
        for name in FIELDS:
            assert_same(getattr(again, name), getattr(whole, name))
    with pytest.raises(ValueError, match="start was learnt from"):
        search_forest(X, S, 5, 0.1, rng=np.random.default_rng(7), start=whole)
    with pytest.raises(ValueError, match="start has 5 trees already"):
        search_forest(X, S, 4, 0.05, rng=np.random.default_rng(7), start=whole)
    for other in ((X + np.arange(120)[:, np.newaxis] % 7, S), (X[:60], neighbor_similarity(X[:60], 8)), (X, S + S.T)):
        with pytest.raises(ValueError, match="start: tree 1 was learnt from other points or another S"):
            search_forest(*other, 5, 0.05, rng=np.random.default_rng(7), start=whole, kernels=kernels, pairs=pairs)
    with pytest.raises(TypeError, match="start is a int"):
        search_forest(X, S, 5, 0.1, rng=np.random.default_rng(7), start=3)


@pytest.mark.parametrize(
    "change",
    [
        {"left": np.array([5, -1, -1], dtype=np.int32)}, {"left": np.array([0, -1, -1], dtype=np.int32)},
        {"left": np.array([1, -1, -1])}, {"roots": np.array([3])}, {"c": np.array([0.0])},
        {"plane": np.array([1, -1, -1], dtype=np.int32)}, {"feature": np.array([0, -1, -1], dtype=np.int32)},
        {"word": np.array([-1, 0, 0], dtype=np.int32)}, {"word": np.array([0, 0, 1], dtype=np.int32)},
        {"planes": np.ones((1, 2), dtype=int)}, {"offset": np.zeros(2)},
    ],
)  # fmt: skip
def test_a_damaged_forest_is_refused(change):
    whole = {
        "c": np.ones(1), "roots": np.zeros(1, dtype=np.int64), "left": np.array([1, -1, -1], dtype=np.int32),
        "word": np.array([-1, 0, 1], dtype=np.int32), "plane": np.array([0, -1, -1], dtype=np.int32),
        "feature": np.full(3, -1, dtype=np.int32), "offset": np.zeros(3), "planes": np.ones((1, 2)), "lam": 0.1,
        "history": np.zeros((1, 5)), "message": "",
    }  # fmt: skip
    assert SearchForest(**whole).n_words == 2
    with pytest.raises(ValueError):
        SearchForest(**{**whole, **change})
