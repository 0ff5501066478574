"""The printed form and the form for use: each other's trees."""

import numpy as np
import pytest
from agreement import KERNELS
from forest_problems import learn, points, problems
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from refimpl.search_forest import ForestOptions, algorithm, neighbor_similarity
from refimpl.search_forest.model import as_similarity
from refimpl.search_forest.pairs import DensePairs, MeetingPairs
from refimpl.search_forest.training import best_split, grow_tree, stump


def used(X, S, M, lam, **options):
    """The rounds of the form for use; none if no tree is worth its cost."""
    rounds = []
    learn(X, S, M, lam, callback=lambda step: rounds.append(step.state), **options)
    return rounds


def same_forests(one, other):
    """Whether two lists of rounds have the same trees and weights, but for rounding."""
    # eq. 15 may give the last tree a weight that is rounding, or none
    one, other = ([r for r in rounds if r.c > 1e-8] for rounds in (one, other))
    return len(one) == len(other) and all(
        algorithm.same_partition(a.tree.leaf, b.tree.leaf) and a.c == pytest.approx(b.c, rel=1e-6)
        for a, b in zip(one, other, strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(problem=problems(60, ties=False), form=st.sampled_from(["meeting", "dense"]))
def test_the_form_for_use_has_the_printed_planes(kernels, problem, form):
    X, S, how = problem
    X = X.astype(np.float64)
    np.fill_diagonal(S, False)
    lam, depth = how["lam"], how["max_depth"]
    rounds = algorithm.search_forest(X, S, lam, 4, depth)
    options = {"coordinates": "given", "max_depth": depth, "tol": 1e-12, "pairs": form}
    assert same_forests(rounds, used(X, S, 4, lam, kernels=kernels, **options))


def test_the_form_for_use_has_the_printed_planes_on_a_larger_set(kernels):
    X = np.random.default_rng(3).normal(size=(301, 7))
    S = neighbor_similarity(X, 17)
    rounds = algorithm.search_forest(X, S.toarray() > 0, 0.3, 3)
    options = {"coordinates": "given", "tol": 1e-12, "kernels": kernels}
    assert len(rounds) == 3 and rounds[0].tree.n_leaves > 10
    assert same_forests(rounds, used(X, S, 3, 0.3, **options))


def test_a_leaf_of_a_tree_with_printed_planes_is_the_planes_side():
    X = points(40, 3)
    S = neighbor_similarity(X, 5)
    printed = algorithm.search_forest(X, S.toarray() > 0, 0.2, 1)
    for (r,) in (printed, used(X, S, 1, 0.2, coordinates="given", tol=1e-12)):
        assert r.tree.n_leaves > 3
        for x, leaf in zip(X, r.tree.leaf, strict=True):
            k = 0
            while r.tree.left[k] >= 0:
                k = r.tree.left[k] + (0 if r.tree.p[k] @ x + r.tree.b[k] > 0 else 1)
            assert k == leaf


def node_of(n, seed):
    rng = np.random.default_rng(seed)
    S = sparse.csr_matrix(rng.random((n, n)) < 0.3)
    return DensePairs(as_similarity(S, n), 0.1).root(), rng


def test_a_point_on_the_threshold_goes_right():
    """p^T x + b > 0 goes left: 0 does not. Nothing is midway between two neighbouring floats."""
    node, rng = node_of(15, 0)
    X = np.repeat([1.0, np.nextafter(1.0, 2.0)], [8, 7])[:, np.newaxis]
    split = stump(X, node, 1, rng)
    assert split.b == -1.0 and split.left.tolist() == [False] * 8 + [True] * 7


def test_a_tree_grows_split_by_split():
    """With a limit on the leaves J rises with each split; the leaf of least J^k comes first."""
    X = points(90, 4)
    found = []
    S = neighbor_similarity(X, 8)
    root = MeetingPairs(S, 0.3, KERNELS[0]).root()

    def grown(max_leaves):
        rng = np.random.default_rng(0)
        waiting = [root.J]

        def watched(points, node):
            assert node.J == min(waiting)
            waiting.remove(node.J)
            split = best_split(points, node, ForestOptions(), rng)
            parts = node.split(split.left)
            if parts[0].J + parts[1].J - node.J > node.negligible():
                waiting.extend(part.J for part in parts if part.n > 1)
            return split

        return grow_tree(X, root, watched, max_depth=90, max_leaves=max_leaves), waiting

    whole, waiting = grown(np.inf)
    assert not waiting and whole.n_leaves > 10
    for most in range(1, whole.n_leaves + 2):
        tree = grown(most)[0]
        found.append(tree.J)
        assert tree.n_leaves == min(most, whole.n_leaves)
        assert len(set(tree.leaf.tolist())) == tree.n_leaves and max(tree.leaf) < len(tree.left)
    assert (np.diff(found[:-1]) > 0).all() and found[-2] == found[-1] == whole.J
    together = algorithm.tree_selection(whole.leaf, whole.leaf) & ~np.eye(90, dtype=bool)
    assert whole.J == pytest.approx((S.toarray()[together] - 0.3).sum())  # eq. 17


@pytest.mark.parametrize("options", [{"offset": "best"}, {"refine": 1}])
def test_the_printed_coordinates_have_the_offset_of_the_eigenvector(options):
    with pytest.raises(ValueError, match="offset must be 'eigenvector' and refine 0 with coord"):
        ForestOptions(coordinates="given", **options)


@pytest.mark.parametrize("lam, words", [(0, "lam must be a number of at"), (1.0, "lam must be")])
def test_a_lambda_under_which_no_weight_is_finite_is_refused(lam, words):
    X, s = np.arange(4.0)[:, None], np.eye(4, dtype=bool)[[0, 0, 3, 3]]
    with pytest.raises(ValueError, match=words):
        algorithm.search_forest(X, s, lam, 2)
