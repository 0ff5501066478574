"""Boosted Search Forest: against the oracles, the dense form against the meeting one, and twin
against twin.
"""

import numpy as np
import oracles_forest as oracle
import pytest
from agreement import assert_same
from forest_problems import FIELDS, dense, learn, points, problems
from hypothesis import given, settings
from processes import output
from scipy import sparse

from refimpl.search_forest import neighbor_similarity, selection, to_terms
from refimpl.search_forest.model import as_similarity
from refimpl.search_forest.pairs import MeetingPairs, grid_step


@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_the_history_is_what_the_loops_give(problem):
    X, S, how = problem
    forest = learn(X, S, 4, **how)
    lam = how["lam"]
    np.fill_diagonal(S, False)
    s = S.astype(int).tolist()
    if forest is None:
        return
    leaves = to_terms(forest, X).T.tolist()
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


@settings(max_examples=40, deadline=None)
@given(problem=problems(60, ties=False))
def test_both_forms_of_the_pairs_learn_the_same_trees(kernels, problem):
    """Tree for tree; hyperplanes to the eigensolver's rounding, everything else to the last bit.

    Points on a lattice are left out: several of their eigenvectors belong to one eigenvalue, so
    that rounding chooses.
    """
    X, S, how = problem
    dense, meeting = (
        learn(X, S, 3, kernels=kernels, pairs=pairs, **how) for pairs in ("dense", "meeting")
    )
    assert (dense is None) == (meeting is None)
    for name in FIELDS if dense is not None else ():
        a = getattr(dense, name)
        b = getattr(meeting, name)
        if name == "planes" or name == "offset":
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-6)
        else:
            assert_same(a, b)


def test_a_normal_that_is_rounding_is_no_plane(kernels):
    """The eigenvector of eq. 18 may be (0, 1): then no rounding chooses a way along the line."""
    X = np.array([[0.9], [0.0], [-0.1], [-1.0]])
    S = np.zeros((4, 4), dtype=bool)
    S[[0, 0, 1, 2], [1, 3, 2, 3]] = True
    for pairs in "dense", "meeting":
        forest = learn(X, S | S.T, 3, 0.5, kernels=kernels, refine=0, pairs=pairs)
        assert len(forest.left) == 1


def test_a_rise_that_is_rounding_is_no_split(kernels):
    """c* can balance a leaf that comes back as a node: then M, and every rise, is rounding."""
    X = np.array([[1.1, -0.7], [1.7, -0.7], [-0.3, 1.3], [-0.5, 0.6], [-1.0, -1.9], [-0.6, -0.2]])
    S = np.zeros((6, 6), dtype=bool)
    S[[0, 2, 3], [1, 0, 5]] = True
    forests = [
        learn(X, S, 3, 0.05, kernels=kernels, refine=0, pairs=pairs)
        for pairs in ("dense", "meeting")
    ]
    np.testing.assert_allclose(forests[0].planes, forests[1].planes, rtol=0, atol=1e-12)
    S = as_similarity(sparse.csr_matrix(S), 6)
    for form in dense, MeetingPairs:
        for node in form(S, 0.05, kernels).root().split(X[:, 0] > 0):
            assert node.negligible() == pytest.approx(node.n * (node.n - 1) * 0.05 * 1e-9)


def test_a_total_beside_a_power_of_two_has_its_grid():
    """Weights of a few pairs may add up to 8 or, in another order, to the double before it."""
    for total in 8.0, 16.0, 2.0**40:
        assert (
            grid_step(total) == grid_step(np.nextafter(total, 0)) == grid_step(total * (1 + 1e-12))
        )
        assert (total / grid_step(total)).is_integer() and total / grid_step(total) < 2**52


def test_no_tree_depends_on_the_number_of_threads(kernels, monkeypatch):
    """Of a size at which threads share the nodes' products, and the pairs' weights in blocks."""
    monkeypatch.setattr("refimpl.resources.processors", lambda: 7)
    monkeypatch.setattr("refimpl.search_forest.pairs.BLOCK", 1000)
    X = points(1200, 30, dtype=np.float32)
    S = neighbor_similarity(X, 10)
    forests = [
        learn(X, S, 2, 0.005, kernels=kernels, threads=threads, max_depth=4)
        for threads in (1, 2, 7)
    ]
    for other in forests[1:]:
        assert_same(forests[0], other)


HASHED = """
import hashlib, numpy as np
from refimpl.search_forest import ForestOptions, label_similarity, search_forest
rng = np.random.default_rng(0)
X, S = rng.normal(size=(1500, 384)), label_similarity(np.arange(1500) % 50)
forest = search_forest(X, S, 1, 0.02, rng=rng, options=ForestOptions(max_depth=2))
print(hashlib.sha256(forest.planes.tobytes() + forest.offset.tobytes()).hexdigest())
"""


def test_the_number_of_blas_threads_does_not_count():
    """At this size BLAS divides the products of the eigensolver, if it may."""
    found = set()
    for threads in "12":
        names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
        found.add(output("-c", HASHED, **dict.fromkeys(names, threads)))
    assert len(found) == 1
