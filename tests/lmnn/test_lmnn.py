"""LMNN: against loops over all triples, a general convex solver, finite differences, and twin
against twin.
"""

from dataclasses import replace

import numpy as np
import oracles_lmnn as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from lmnn_toys import blobs, trained, trained_rect

import refimpl
import refimpl.kernels
from refimpl.lmnn import (
    LMNNOptions,
    classify,
    kmeans_partition,
    leave_one_out_error,
    lmnn,
    lmnn_rect,
    lmnn_svd,
    metric_neighbors,
    target_neighbors,
)
from refimpl.lmnn.certificate import Slopes, dual_bound
from refimpl.lmnn.model import votes
from refimpl.lmnn.problem import LargeMarginProblem, few, in_order, scaled
from refimpl.lmnn.solvers import Multiplied

FASTEST = KERNELS[-1]


def problem_of(X, y, k, mu, partition=None, kernels=refimpl.kernels):
    partition = np.zeros(len(X), dtype=np.int64) if partition is None else partition
    return LargeMarginProblem(
        X, y.astype(np.int64), target_neighbors(X, y, k), mu, partition, kernels
    )


@st.composite
def problems(draw):
    X, y = blobs(draw(st.integers(0, 1000)), draw(st.integers(12, 30)), draw(st.integers(1, 4)), 3)
    partitions = draw(st.integers(1, 3))
    partition = np.arange(len(X)) * 7 % 5 % partitions
    rng = np.random.default_rng(0)
    L = rng.normal(size=(partitions, draw(st.integers(1, 4)), X.shape[1]))
    return problem_of(
        X, y, draw(st.integers(1, 3)), draw(st.sampled_from([0.3, 1.0, 3.0])), partition
    ), L


# ---------------------------------------------------------------------------- eqs. 2, 3, 5, 6 and 8


@settings(max_examples=25, deadline=None)
@given(case=problems())
def test_the_objective_and_its_gradient_are_those_of_all_triples(case):
    problem, L = case
    problem.add_pairs(*problem.impostors(problem.mapped(L)))
    now = problem.evaluate(L)
    Ms = (L.transpose(0, 2, 1) @ L).tolist()
    X, y, targets = problem.X.tolist(), problem.classes, problem.targets
    arguments = X, y, targets, problem.mu, Ms, problem.partition
    assert now.objective == pytest.approx(oracle.objective(*arguments), rel=1e-10)
    assert now.active == sum(z > 0 for *_, z in oracle.triples(*arguments[:3], *arguments[4:]))
    np.testing.assert_allclose(
        problem.gradient_M(now.weights), oracle.gradient(*arguments), rtol=1e-8, atol=1e-8
    )
    assert problem.evaluate(L, 0.5).smooth <= now.objective


@settings(max_examples=25, deadline=None)
@given(case=problems(), h=st.sampled_from([0.1, 1.0]))
def test_the_gradient_by_L_at_finite_differences(case, h):
    problem, L = case
    problem.add_pairs(*problem.impostors(problem.mapped(L), margin=1.5))
    gradient = problem.gradient_L(problem.evaluate(L, h))
    rng = np.random.default_rng(1)
    for _ in range(3):
        step = rng.normal(size=L.shape)
        step *= 1e-6 / np.linalg.norm(step)
        difference = problem.evaluate(L + step, h).smooth - problem.evaluate(L - step, h).smooth
        assert difference / 2 == pytest.approx((gradient * step).sum(), rel=1e-4, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(case=problems(), h=st.sampled_from([0.1, 1.0]))
def test_hinges_smoothed_around_slopes_are_the_largest_of_their_tangents(case, h):
    """The largest s z - (h / 2) (s - a)^2 over s in [0, 1], and the s that reaches it."""
    problem, L = case
    problem.add_pairs(*problem.impostors(problem.mapped(L), margin=1.5))
    slopes = np.random.default_rng(0).random((len(problem.i), problem.k))
    Z = problem.mapped(L)
    now = problem.evaluate_around(Z, h, slopes)
    slacks = problem.slacks_at(Z, problem.i, problem.l)
    s = np.clip(slopes + slacks / h, 0.0, 1.0)
    hinges = s * slacks - h / 2 * (s - slopes) ** 2 + h / 2 * slopes**2
    want = now.pull + problem.mu * hinges.sum()
    assert now.smooth == pytest.approx(want, rel=1e-10)
    assert now.alpha == pytest.approx(problem.mu * s.sum(), rel=1e-10, abs=1e-12)
    targets = np.zeros(problem.targets.shape)
    np.add.at(targets, problem.i, s)
    want = np.concatenate([1 + problem.mu * targets.ravel(), -problem.mu * s.sum(axis=1)])
    np.testing.assert_allclose(now.weights, want, rtol=1e-10, atol=1e-12)


def test_the_slopes_of_a_working_set_follow_its_pairs():
    X, y = blobs(n=24)
    problem = problem_of(X, y, 2, 1.0)
    problem.set_pairs(np.array([0, 0, 3]), np.array([1, 2, 4]))
    smoothed = Multiplied(problem, problem.coordinates)
    smoothed.slopes = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    problem.set_pairs(np.array([0, 1, 3]), np.array([2, 3, 4]))
    smoothed.follow()
    assert smoothed.slopes.tolist() == [[0.3, 0.4], [0.0, 0.0], [0.5, 0.6]]


# -------------------------------------------------------------------------------------- the optimum


def convex_optimum(X, y, targets, mu, partition):
    """Eq. 3 by a general solver."""
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    Ms = [cp.Variable((X.shape[1], X.shape[1]), PSD=True) for _ in range(partition.max() + 1)]

    def distances(a, b):
        outer = np.einsum("pi,pj->pij", X[a] - X[b], X[a] - X[b]).reshape(len(a), -1)
        return sum(
            (outer * (partition[b] == alpha)[:, None]) @ cp.vec(M, order="C")
            for alpha, M in enumerate(Ms)
        )

    i = np.repeat(np.arange(len(X)), targets.shape[1])
    j = targets.ravel()
    triples = np.array(
        [(a, b, l) for a, b in zip(i, j, strict=True) for l in range(len(X)) if y[l] != y[a]]
    ).T
    slacks = cp.pos(1 + distances(*triples[:2]) - distances(triples[0], triples[2]))
    return cp.Problem(cp.Minimize(cp.sum(distances(i, j)) + mu * cp.sum(slacks))).solve(
        solver=cp.CLARABEL
    )


def test_several_metrics_reach_the_optimum_of_their_joint_problem():
    X, y = blobs(3, n=24, d=2)
    best = convex_optimum(X, y, target_neighbors(X, y, 2), 1.0, y)
    found = trained(X, y, 2, partition=y, tol=3e-5)
    assert found.converged and found.objective == pytest.approx(best, rel=1e-4)
    assert found.objective < trained(X, y, 2).objective
    one = trained(X, y, 2, partition=np.full(len(y), "all"), tol=1e-5)
    assert one.objective == pytest.approx(trained(X, y, 2, tol=1e-5).objective, rel=2e-5)


def test_the_objective_never_rises_and_is_that_of_all_triples():
    X, y = blobs(5)
    steps = []
    found = trained(X, y, 3, 0.3, callback=lambda step: steps.append(step.state), tol=1e-4)
    assert len(steps) == found.full_checks and steps[-1].bound == found.bound
    assert (np.diff(found.history[:, 0]) <= 0).all() and (np.diff(found.history[:, 1]) >= 0).all()
    exact = oracle.objective(X.tolist(), y, found.targets, 0.3, found.M.tolist(), found.partition)
    assert found.objective == pytest.approx(exact, rel=1e-10)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000))
def test_any_slopes_give_a_bound(seed):
    rng = np.random.default_rng(seed)
    X, y = blobs(seed % 7, n=18, d=3)
    problem = problem_of(X, y, 2, 1.0)
    problem.add_pairs(*problem.impostors(problem.mapped(np.eye(3)[None]), margin=20.0))
    C = problem.pull_gradient()
    R = np.linalg.inv(np.linalg.cholesky(C[0])).T
    duals = []
    for _ in range(4):
        pair = rng.random(len(problem.i)) * 0.02
        weights = np.concatenate([np.ones(problem.targets.size), -pair])
        np.add.at(weights, problem.i * 2, pair)  # of the triples with the first target neighbour
        duals.append(Slopes(pair.sum(), R.T @ problem.gradient_M(weights) @ R))
    bound = dual_bound(duals, Slopes(0.0, np.eye(3)[None]))
    assert 0 < bound <= trained(X, y, 2).objective * (1 + 1e-9)


# --------------------------------------------------------------------------- twins, resuming, files


@pytest.mark.parametrize("several", [False, True])
def test_trees_find_the_same_impostors(kernels, several):
    X, y = blobs(6, n=80)
    X[40:60] = X[:20]  # duplicates of other classes
    partition = np.arange(80) % 3 if several else None
    how = {"max_checks": 6, "partition": partition, "kernels": kernels}
    runs = [trained(X, y, 2, search=search, **how) for search in ("product", "tree")]
    assert_same(runs[0].history, runs[1].history)
    assert_same(runs[0].L, runs[1].L)


def test_targets_are_rechosen_under_the_learnt_metric():
    X, y = blobs(1, n=60)
    first = trained(X, y, 2)
    second = trained(X, y, 2, n_target_rounds=2)
    assert (first.targets != second.targets).any()
    for c in range(3):
        members = np.flatnonzero(y == c)
        near = members[metric_neighbors(first, None, X[members], 2)[1]]
        assert (second.targets[members] == near).all()


def test_validation_of_several_metrics_takes_printed_steps_from_one_and_keeps_the_best():
    rng = np.random.default_rng(5)
    # 20 points a class in 12 dimensions: easily fitted too well
    X = rng.normal(size=(60, 12))
    y = np.arange(60) % 3
    X[:, 0] += y
    train = (X[::2], y[::2])
    held = (X[1::2], y[1::2])
    one = trained(*train, 3, validation=held, tol=1e-2)
    found = trained(*train, 3, partition=train[1], validation=held)
    errors = found.validation_errors
    assert errors[0] == one.validation_errors.min() and errors.min() <= errors[0]
    assert (classify(found, held[0], *train, 3, kernels=FASTEST) != held[1]).mean() == errors.min()
    printed = trained(*train, 3, partition=train[1], validation=held, solver="printed")
    assert_same(printed.L, found.L)


def test_a_pull_that_is_singular_bounds_nothing():
    C = np.diag([1.0, 0.0])[None]
    S = np.diag([0.0, -1.0])[None]
    assert dual_bound([Slopes(1.0, C + S)], Slopes(0.0, C)) == 0.0


def test_a_bound_counts_the_errors_of_its_mixture():
    """The pull is 1, two slopes leave -1 and 0; the sums are 10 and 1, the errors 0.5 and 0.1, and
    0.1 of the pull. A share m of the first has the error 0.5 m + 0.1 (1 - m), so 1 - 2 m must be
    0.1 + 0.4 m at least: m is at most 0.375, and the bound 3.75. The search finds 3.6 of it: its
    first cut has the error of the second slope, 1 - 2 m >= 0.1, and m = 0.45 has an error of 0.28.
    """
    pull = Slopes(0.0, np.eye(1)[np.newaxis], 0.1)
    slopes = [Slopes(10.0, -np.eye(1)[np.newaxis], 0.5), Slopes(1.0, np.zeros((1, 1, 1)), 0.1)]
    assert dual_bound(slopes, pull) == pytest.approx(3.6, rel=1e-6)


def test_validation_stops_the_training_at_the_lowest_error():
    X, y = blobs(4, n=90)
    found = trained(X[::2], y[::2], 3, validation=(X[1::2], y[1::2]), patience=2, tol=1e-9)
    assert "validation" in found.message and not found.converged
    assert len(found.validation_errors) == found.full_checks == found.validation_errors.argmin() + 3
    error = (classify(found, X[1::2], X[::2], y[::2], 3) != y[1::2]).mean()
    assert error == found.validation_errors.min()


@pytest.mark.parametrize("several", [False, True])
def test_a_large_set_starts_from_a_tenth_of_it_and_is_trained_in_another_order(
    monkeypatch, several
):
    X, y = blobs(0, n=1500, d=2)
    given = {"partition": y} if several else {}
    whole = trained(X, y, 1, tol=1e-3, **given)
    assert in_order(whole.targets) is None
    steps = []
    monkeypatch.setattr("refimpl.lmnn.problem.COARSE", 1000)
    found = trained(X, y, 1, callback=steps.append, tol=1e-3, **given)
    assert found.converged and found.objective == pytest.approx(whole.objective, rel=2e-3)
    # the tenth's are not told
    assert steps[0].state.objective != whole.history[0, 0] and len(steps) == found.full_checks
    order = in_order(whole.targets)
    assert not (order == np.arange(1500)).all()
    assert_same(np.sort(order), np.arange(1500))
    for result in (found, steps[0].result):
        assert_same(result.targets, whole.targets)
        assert_same(result.partition, whole.partition)
    # eq. 3 over all triples, in the caller's order
    problem = problem_of(X, y, 1, 1.0, **given)
    problem.add_pairs(*problem.impostors(problem.mapped(found.L)))
    assert problem.evaluate(found.L).objective == pytest.approx(found.objective, rel=1e-9)


def test_a_tenth_has_each_class_and_is_named_as_the_caller_numbers_points(monkeypatch):
    monkeypatch.setattr("refimpl.lmnn.problem.COARSE", 100)
    X, _ = blobs(0, n=200, d=2)
    y = np.repeat(np.arange(10), 20)
    given = problem_of(X, y, 1, 1.0)
    order = in_order(given.targets)
    rows = few(replace(given, X=X[order], classes=y[order], order=order))
    assert_same(np.bincount(y[rows]), np.full(10, 2))


@pytest.mark.filterwarnings("ignore:LMNN did not converge")
def test_the_order_of_the_training_decides_no_tie_of_a_validation_set(monkeypatch):
    monkeypatch.setattr("refimpl.lmnn.problem.COARSE", 20)
    rng = np.random.default_rng(0)
    X, Q = rng.integers(0, 3, (2, 60, 2)).astype(float)
    y, labels = rng.integers(0, 3, (2, 60))
    found = trained(X, y, 1, validation=(Q, labels), max_checks=5)
    error = (classify(found, Q, X, y, 1) != labels).mean()
    assert error == found.validation_errors.min()


@pytest.mark.parametrize("coarse", [20, 10_000])
def test_several_metrics_of_duplicates_take_the_default_solver_in_any_order(monkeypatch, coarse):
    monkeypatch.setattr("refimpl.lmnn.problem.COARSE", coarse)
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.normal(size=(20, 2)), (2, 1)), np.arange(40) % 2
    found = trained(X, y, 1, partition=y, validation=(X, y))
    assert found.objective == 0 and found.converged


# ------------------------------------------------------------------------------------- §§ 4.3 and 5


def test_svd_keeps_the_leading_eigenvectors():
    X, y = blobs()
    found = trained(X, y, 2)
    values, vectors = np.linalg.eigh(found.M[0])
    for r in (1, 2, 4):
        L = lmnn_svd(found, r)
        want = (vectors[:, -r:] * values[-r:]) @ vectors[:, -r:].T
        np.testing.assert_allclose(L.T @ L, want, atol=1e-9 * values[-1])
        assert L.shape == (r, 4)
    assert_same(lmnn_svd(found.L[0], 2), lmnn_svd(found, 2))
    assert_same(found.L[0].T @ found.L[0], found.M[0])


def test_rect_beats_the_truncated_metric_and_reaches_the_full_one():
    X, y = blobs(2, n=60)
    full = trained(X, y, 2, tol=1e-4)
    problem = problem_of(X, y, 2, 1.0)
    for r in (1, 2):
        found = trained_rect(X, y, r, 2)
        L = scaled(problem, lmnn_svd(full, r)[None])
        problem.add_pairs(*problem.impostors(problem.mapped(L)))
        assert found.L.shape == (1, r, 4) and found.objective <= problem.evaluate(L).objective * (
            1 + 1e-9
        )
    assert trained_rect(X, y, 4, 2).objective == pytest.approx(full.objective, rel=1e-2)
    # no step leads away from a row of zeros
    plain = lmnn_rect(X, y, 2, 2)
    assert lmnn_rect(X, y, 2, 2, start=np.zeros((2, 4))) == plain
    one = lmnn_rect(X, y, 1, 2)
    assert one.objective > 1.1 * plain.objective
    larger = lmnn_rect(X, y, 2, 2, start=np.concatenate([one.L[0], np.zeros((1, 4))]))
    assert larger.objective == pytest.approx(plain.objective, rel=0.02)


def test_eq_8_takes_the_metric_of_the_training_point():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    queries = rng.normal(size=(7, 3))
    partition = np.arange(40) % 3
    L = rng.normal(size=(3, 2, 3))
    squares, indices = metric_neighbors(L, queries, X, 5, partition=partition)
    M = (L.transpose(0, 2, 1) @ L).tolist()
    for q, row, distances in zip(queries, indices, squares, strict=True):
        want = sorted((oracle.squared_under(M[partition[i]], q, X[i]), i) for i in range(40))[:5]
        assert row.tolist() == [i for _, i in want]
        np.testing.assert_allclose(distances, [d for d, _ in want])
    loo = metric_neighbors(L, None, X, 5, partition=partition)[1]
    assert (loo != np.arange(40)[:, None]).all()
    y = np.arange(40) % 2
    wrong = [
        np.bincount(y[row], minlength=2).argmax() != y[i] for i, row in enumerate(loo)
    ]  # an odd k: no ties of two classes
    assert leave_one_out_error(L, X, y, 5, partition=partition) == np.mean(wrong)


def test_a_metric_of_a_single_point():
    X = np.array([[0.0], [1.0], [5.0]])
    partition = np.array([0, 0, 1])
    squares, indices = metric_neighbors(np.ones((2, 1, 1)), None, X, 2, partition=partition)
    assert indices.tolist() == [[1, 2], [0, 2], [1, 0]] and squares[2].tolist() == [16.0, 25.0]


def test_votes_that_are_equal_go_to_the_first_class():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array(["b", "a", "b", "a"])
    assert classify(np.eye(1), [[0.9], [-1.0]], X, y, 2).tolist() == ["a", "a"]
    assert classify(np.eye(1), [[0.1]], X, y, 1).tolist() == ["b"]
    assert_same(votes(np.array([[1, 0, 2], [2, 2, 1]]), 3), np.array([[1, 1, 1], [0, 1, 2]]))


def test_clusters_with_every_name_that_scipy_gives_the_generator(monkeypatch):
    """It is `seed` before SciPy 1.15, then `rng`."""
    generator = np.random.default_rng(0)

    def before(data, k, minit, *, seed=None):
        assert k == 2 and minit == "++" and seed is generator
        return None, np.array([1, 1, 0])

    def after(data, k, minit, *, rng=None):
        assert rng is generator
        return None, np.array([0, 2, 0])

    X = np.arange(3.0)[:, None]
    monkeypatch.setattr("scipy.cluster.vq.kmeans2", before)
    assert kmeans_partition(X, 2, rng=generator).tolist() == [1, 1, 0]
    monkeypatch.setattr("scipy.cluster.vq.kmeans2", after)
    assert kmeans_partition(X, 2, rng=generator).tolist() == [0, 1, 0]


@pytest.mark.parametrize("train", [lmnn, lambda X, y, **how: lmnn_rect(X, y, 2, **how)])
def test_where_the_points_lie_does_not_matter(train):
    """64 points of small integers have a mean without rounding, also 2**36 away from the origin."""
    rng = np.random.default_rng(0)
    y = np.arange(64) % 2
    X = rng.integers(0, 9, (64, 3)) + 2.0 * y[:, np.newaxis]
    how = {"k": 2, "kernels": FASTEST, "options": LMNNOptions(max_checks=5)}
    found = train(X, y, **how)
    assert_same(train(X + 2.0**36, y, **how).L, found.L)


HARD = np.array(
    [
        [-1, -1, -1, -2], [-2, 0, -1, -1], [0, 0, -1, 0], [2, 0, 1, 1], [1, -1, 2, 0],
        [-1, -1, 1, 0], [-1, 2, -1, -1], [0, 1, 1, -1], [1, 0, 1, -2], [0, 0, -2, -1],
        [1, -1, -2, 1], [0, 1, -2, 0], [1, -1, -2, 0], [1, -1, -3, -2], [-2, 0, 0, -1],
        [-1, 0, -2, 0], [-1, 3, 1, -1],
    ]
).astype(float)  # fmt: skip
HARD_LABELS = np.array([0, 0, 1, 1, 2, 2, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1])


@pytest.mark.parametrize("mu", [100.0, 1e4])
def test_several_metrics_that_nearly_separate_the_classes_are_proved(mu):
    """Far from the minimum of a stage its slopes are worth nothing. The optimum: about 20.79."""
    result = trained(HARD, HARD_LABELS, 1, mu, partition=HARD_LABELS)
    assert result.converged and result.gap <= 1e-3
    assert 20.78 < result.objective < 20.81
