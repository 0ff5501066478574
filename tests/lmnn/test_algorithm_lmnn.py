"""The paper's algorithms as printed: against a general convex solver, loops over triples, and the
form for use.
"""

from types import SimpleNamespace

import numpy as np
import oracles_lmnn as oracle
import pytest
from agreement import KERNELS, assert_same
from lmnn_toys import blobs
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from test_lmnn import convex_optimum, problem_of
from test_lmnn_certificate import assert_honest
from threadpoolctl import threadpool_limits

from refimpl.lmnn import (
    LMNNOptions,
    algorithm,
    lmnn,
    lmnn_rect,
    metric_neighbors,
    project,
    target_neighbors,
)
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.lmnn.used import adjacency

FASTEST = KERNELS[-1]
FAST = {"kernels": FASTEST, "threads": 1}
SETS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """The problems are small: the threads of the BLAS would wait for each other in each of
    thousands of steps.
    """
    with threadpool_limits(1):
        yield


def sample(name, n, k, seed):
    """Random points of a data set with standardised columns, and one partition and one for each
    class.
    """
    X, y = SETS[name](return_X_y=True)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))[:n]
    while np.bincount(y[rows], minlength=y.max() + 1).min() <= k:
        rows = rng.permutation(len(X))[:n]
    X = X[rows]
    y = y[rows].astype(np.int64)
    X = X[:, X.std(axis=0) > 0]
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0)), y


# -------------------------------------------------------------------------------------- the optimum


@pytest.mark.parametrize(
    ("name", "n", "k", "seed", "mu", "several"),
    [
        ("iris", 24, 2, 0, 1.0, False),
        ("iris", 24, 2, 0, 1.0, True),
        ("iris", 30, 3, 1, 0.5, True),
        ("iris", 36, 1, 3, 2.0, False),
        ("wine", 30, 1, 5, 1.0, False),
    ],
)
def test_within_half_a_percent_of_a_general_solver(name, n, k, seed, mu, several):
    X, y = sample(name, n, k, seed)
    partition = y if several else np.zeros(n, dtype=np.int64)
    targets = target_neighbors(X, y, k)
    best = convex_optimum(X, y, targets, mu, partition)
    L = algorithm.lmnn(X, y, k, mu, partition, **FAST)
    M = (L.transpose(0, 2, 1) @ L).tolist()
    exact = oracle.objective(X.tolist(), y, targets, mu, M, partition)
    assert best * (1 - 1e-5) <= exact <= 1.005 * best
    found = lmnn(
        X,
        y,
        k,
        mu,
        partition=partition,
        options=LMNNOptions(solver="printed", max_checks=90),
        **FAST,
    )
    assert found.objective <= 1.005 * best
    assert_honest(found, X, y, best)


def test_does_not_collapse_at_a_kink():
    """Steps that may only fall ended at 42.14 on these points, whose optimum (by a general solver)
    is 34.4143.
    """
    rows = np.random.default_rng(0).permutation(150)[:24]
    X, y = (given[rows] for given in load_iris(return_X_y=True))
    found = lmnn(X, y, 2, options=LMNNOptions(solver="printed"), **FAST)
    assert 34.4143 <= found.objective <= 1.001 * 34.4143 and found.converged
    assert found.bound <= 34.4144


@pytest.mark.parametrize(
    ("name", "n", "k", "seed", "mu", "several"),
    [
        ("iris", 150, 3, 2, 1.0, True),
        ("wine", 150, 2, 5, 0.5, False),
        ("wine", 110, 3, 6, 0.5, True),
        ("breast cancer", 200, 3, 8, 1.0, False),
        ("breast cancer", 200, 3, 8, 0.5, True),
        ("digits", 150, 3, 9, 0.5, False),
    ],
)
def test_within_half_a_percent_of_the_proven_optimum(name, n, k, seed, mu, several):
    """Too large for a general solver: the bound of the default solver stands for the optimum."""
    X, y = sample(name, n, k, seed)
    partition = y if several else np.zeros(n, dtype=np.int64)
    proven = lmnn(X, y, k, mu, partition=partition, **FAST)
    assert proven.converged
    L = algorithm.lmnn(X, y, k, mu, partition, **FAST)
    found = problem_of(X, y, k, mu, partition, FASTEST)
    found.add_pairs(*found.impostors(L))
    assert proven.bound <= found.evaluate(L).objective <= 1.005 * proven.bound


@pytest.mark.parametrize("name", ["breast cancer", "wine"])
def test_raw_columns_may_stop_short_and_it_is_said(name):
    X, y = (given[:150] for given in SETS[name](return_X_y=True))
    proven = lmnn(X, y, **FAST)
    found = lmnn(X, y, options=LMNNOptions(solver="printed", max_checks=40), **FAST)
    assert found.objective >= proven.bound >= 0.998 * proven.objective >= 0.998 * found.bound
    assert_honest(found, X, y)
    scaled = lmnn(
        X * 10.0 ** np.linspace(-4, 4, X.shape[1]),
        y,
        options=LMNNOptions(solver="printed", max_checks=12),
        targets=proven.targets,
        **FAST,
    )
    assert scaled.objective > 1.005 * proven.objective and not scaled.converged
    assert "not converged" in scaled.message
    assert scaled.bound <= proven.objective


# ------------------------------------------------------------------------------------ lines of § 3


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_each_step_is_eqs_2_to_6(several, kernels):
    """The gradient that the steps carry along is a fresh one, by loops over all triples whose slack
    is positive.
    """
    X, y = blobs(4, n=21, d=3)
    problem = problem_of(X, y, 2, 0.7, y if several else None, kernels)
    start = algorithm.start(problem)
    problem.add_pairs(*problem.impostors(start, margin=1e9))  # all pairs of two classes
    seen = []

    def step(L, G, objective, t):
        seen.append((L, G, objective, t))
        return algorithm.metric_step(L, G, objective, t)

    checks = list(algorithm.steps(problem, start, step, checks=4))
    assert [t for t, *_ in checks] == [0, 1, 3, 7] and [t for *_, t in seen] == list(range(1, 8))
    for L, G, value, _ in seen:
        Ms = (L.transpose(0, 2, 1) @ L).tolist()
        arguments = X.tolist(), y, problem.targets, 0.7, Ms, problem.partition
        np.testing.assert_allclose(G, oracle.gradient(*arguments), rtol=1e-8, atol=1e-8)
        assert value == pytest.approx(oracle.objective(*arguments))
    for _, (objective, L), now in checks:
        Ms = (L.transpose(0, 2, 1) @ L).tolist()
        assert objective == pytest.approx(
            oracle.objective(X.tolist(), y, problem.targets, 0.7, Ms, problem.partition)
        )
        assert objective <= now.objective


def test_eq_6_gives_eq_5_along_a_whole_run():
    X, y = blobs()
    problem = problem_of(X, y, 2, 1.0)
    problem.add_pairs(*problem.impostors(np.eye(4)[None], margin=50.0))
    L = np.eye(4)[None]
    before = problem.evaluate(L)
    G = problem.gradient_M(before.weights)
    for t in range(1, 31):
        L = algorithm.metric_step(L, G, before.objective, t)
        now = problem.evaluate(L)
        changed = now.weights != before.weights
        assert 0 < changed.mean() < 1  # only triples that left the active ones or came to them
        G = G + problem.gradient_M(now.weights - before.weights)
        before = now
        np.testing.assert_allclose(G, problem.gradient_M(now.weights), rtol=1e-9, atol=1e-9)


def test_the_step_goes_against_the_gradient_and_back_onto_the_cone():
    rng = np.random.default_rng(0)
    L = rng.normal(size=(2, 3, 3))
    G = rng.normal(size=(2, 3, 3))
    G = G + G.transpose(0, 2, 1)
    M = L.transpose(0, 2, 1) @ L
    m = np.sqrt((M**2).sum())
    g = np.sqrt((G**2).sum())
    eta = np.sqrt(90.0 * m / g**3) / 4**0.65
    assert eta < 0.9 * m / g
    values, vectors = np.linalg.eigh(M - eta * G)
    assert values.min() < 0  # the projection does something
    want = (vectors * np.maximum(values, 0)[:, None]) @ vectors.transpose(0, 2, 1)
    found = algorithm.metric_step(L, G, 90.0, 4)
    np.testing.assert_allclose(found.transpose(0, 2, 1) @ found, want, atol=1e-12)
    assert algorithm.metric_step(L, M, 1e9, 1).any()  # no step is as long as M


def test_project_is_the_nearest_matrix_of_the_cone():
    M = np.random.default_rng(0).normal(size=(5, 5))
    M = M + M.T
    L = project(M)
    values, vectors = np.linalg.eigh(M)
    np.testing.assert_allclose(L.T @ L, (vectors * np.maximum(values, 0)) @ vectors.T, atol=1e-12)


class Surprising(LargeMarginProblem):
    """Its first 50 full checks find one more pair each."""

    checks = 0

    def impostors(self, L, margin=1.0):
        self.checks += 1
        i, l = super().impostors(L, margin)
        if self.checks > 50:
            return i, l
        other = np.flatnonzero(self.classes != self.classes[self.checks])[0]
        return np.append(i, self.checks), np.append(l, other)


def test_the_steps_go_on_while_a_full_check_finds_new_triples():
    X, y = sample("iris", 60, 2, 1)
    zeros = np.zeros(60, dtype=np.int64)
    ends = []
    for kind in (LargeMarginProblem, Surprising):
        problem = kind(X, y, target_neighbors(X, y, 2), 1.0, zeros, FASTEST)
        *checks, (_, best, now) = algorithm.steps(problem, algorithm.start(problem), tol=0.5)
        ends.append(len(checks))
        held = now.objective
        # all pairs of two classes
        problem.add_pairs(*problem.impostors(np.eye(4)[None], margin=1e9))
        assert held == pytest.approx(problem.evaluate_at(now.Z).objective) and held >= best[0]
    assert ends[0] < 50 <= ends[1]


class Scripted:
    """A problem whose full checks have given objectives, whatever the metric is."""

    def __init__(self, objectives):
        self.objectives = objectives
        self.checks = 0

    def impostors(self, L):
        return ()

    def add_pairs(self):
        self.checks += 1
        return False

    def evaluate(self, L):
        return SimpleNamespace(objective=self.objectives[self.checks - 1], weights=0.0)

    def gradient_M(self, weights):
        return 0.0


def test_the_steps_end_when_forty_checks_gain_less_than_tol_of_the_objective():
    """The first check has 1000, check c then 100 - c / 10, from check 60 on 94. A gain of 3 % of 94
    is 2.82: check c ends the steps if 100 - (c - 40) / 10 <= 96.82, so c = 72, the 73rd.
    """
    problem = Scripted([1000.0] + [100 - min(c, 60) / 10 for c in range(1, 200)])
    steps = algorithm.steps(problem, np.zeros((1, 1, 1)), lambda L, *_: L, tol=0.03)
    assert len(list(steps)) == 73


def test_the_steps_end_after_forty_checks_without_a_gain():
    steps = algorithm.steps(Scripted([1.0] * 200), np.zeros((1, 1, 1)), lambda L, *_: L)
    assert len(list(steps)) == 41


def test_maps_that_make_the_pull_the_identity_change_nothing_but_coordinates():
    X, y = blobs(2, n=30, d=4)
    for partition in (np.zeros(30, dtype=np.int64), y):
        problem = problem_of(X * [1, 10, 0.1, 1], y, 2, 1.0, partition)
        R = algorithm.coordinates(problem)
        moved = problem.within(problem.X @ R)
        identity = np.repeat(np.eye(4)[None], len(R), axis=0)
        np.testing.assert_allclose(moved.pull_gradient(), identity, atol=1e-2)
        V = np.random.default_rng(0).normal(size=(len(R), 3, 4))
        for one, factor in ((moved, V), (problem, V @ R.transpose(0, 2, 1))):
            one.add_pairs(*one.impostors(factor))
        want = problem.evaluate(V @ R.transpose(0, 2, 1)).objective
        assert moved.evaluate(V).objective == pytest.approx(want, rel=1e-9)
        start = algorithm.start(moved)
        assert moved.evaluate(start).pull == pytest.approx(60)  # 30 points with two targets each


# ---------------------------------------------------------------------- the form for use, and twins


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_the_form_for_use_takes_the_printed_steps(several, kernels):
    """The same factors bit for bit after each full check, with odd sizes and equal points."""
    X, y = blobs(3, n=37, d=5)
    X[7] = X[4]
    X = X - X.mean(axis=0)
    partition = y if several else np.zeros(len(X), dtype=np.int64)
    problem = problem_of(X - X.mean(axis=0), y, 3, 0.6, partition, kernels)
    R = algorithm.coordinates(problem)
    inner = problem.within(problem.X @ R)
    seen = []
    lmnn(
        X,
        y,
        3,
        0.6,
        partition=partition,
        options=LMNNOptions(solver="printed", tol=1e-5, max_checks=9),
        callback=lambda step: seen.append(step.state),
        kernels=kernels,
        threads=1,
    )
    assert len(seen) == 9
    printed = algorithm.steps(inner, algorithm.start(inner), tol=1e-6)
    pull = np.linalg.norm(inner.pull_gradient())
    for step, (t, (objective, L), now) in zip(seen, printed, strict=False):
        assert_same(step.L, L @ R.transpose(0, 2, 1))
        assert (step.objective, step.active) == (objective, now.active)
        assert (step.evaluations, step.pairs) == (1 + t + step.t, len(inner.i))  # and the start
        assert step.gradient_norm == pytest.approx(
            np.linalg.norm(inner.gradient_M(now.weights)) / pull
        )


def test_the_bound_holds_where_no_target_neighbours_differ_in_a_direction():
    X, y = sample("iris", 45, 2, 3)
    X[:, 0] = y == 2  # as far as one likes from the two others, at no cost
    proven = lmnn(X, y, 2, **FAST)
    found = lmnn(X, y, 2, options=LMNNOptions(solver="printed", max_checks=50), **FAST)
    assert proven.converged and found.bound <= proven.objective and proven.bound <= found.objective
    assert found.bound > 0.5 * proven.objective
    assert_honest(found, X, y)
    start = np.diag([0.0, 1.0, 1.0, 1.0])  # does not use the direction: its slopes are steep there
    early = lmnn(X, y, 2, start=start, options=LMNNOptions(solver="printed", max_checks=6), **FAST)
    assert early.bound <= proven.objective
    assert_honest(early, X, y)


def test_a_small_tol_lets_the_steps_go_on():
    X, y = sample("iris", 24, 2, 3)
    X = X - X.mean(axis=0)
    problem = problem_of(X, y, 2, 1.0, None, FASTEST)
    R = algorithm.coordinates(problem)
    checks = []
    for tol in (1e-4, 1e-8):
        inner = problem.within(problem.X @ R)
        checks.append(len(list(algorithm.steps(inner, algorithm.start(inner), tol=tol))))
    found = lmnn(X, y, 2, options=LMNNOptions(solver="printed", tol=1e-7), **FAST)
    assert found.full_checks == checks[1] > checks[0]
    assert "forty full checks" in found.message and not found.converged


def test_of_equally_near_points_of_several_partitions_the_lowest_comes_first():
    X = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    partition = np.array([1, 0, 1, 0])
    squares, indices = algorithm.nearest(X, np.zeros((1, 1)), 3, np.ones((2, 1, 1)), partition)
    assert squares.tolist() == [[1, 1, 1]] and indices.tolist() == [[0, 1, 2]]


def test_several_metrics_with_a_validation_set_take_the_printed_steps_from_one():
    X, y = sample("wine", 120, 3, 2)
    train = (X[::2], y[::2])
    held = (X[1::2], y[1::2])
    found = [
        lmnn(*train, partition=train[1], options=LMNNOptions(validation=held, solver=s), **FAST)
        for s in (None, "printed")
    ]
    assert_same(found[0].L, found[1].L)
    assert found[0].validation_errors.min() <= found[0].validation_errors[0]


def test_a_start_is_taken_in_the_coordinates_of_the_points():
    X, y = sample("iris", 40, 2, 0)
    L = np.random.default_rng(0).normal(size=(3, 4))
    seen = []
    found = lmnn(
        X,
        y,
        2,
        start=L,
        options=LMNNOptions(solver="printed", max_checks=1),
        callback=lambda step: seen.append(step.state),
        **FAST,
    )
    np.testing.assert_allclose(found.M[0], L.T @ L, atol=1e-9)
    assert seen[0].t == 1 and not found.converged


def test_a_start_of_zeros_is_the_start_of_the_printed_form():
    X, y = sample("iris", 40, 2, 0)
    found = [
        lmnn(X, y, 2, start=L, options=LMNNOptions(solver="printed", max_checks=5), **FAST)
        for L in (None, np.zeros((4, 4)))
    ]
    assert_same(found[0].L, found[1].L)


def test_points_that_equal_their_targets_are_refused():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    y = np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match="must have target neighbours that differ"):
        lmnn(X, y, 2, options=LMNNOptions(solver="printed"), **FAST)
    # the usual solver takes them
    found = lmnn(
        X, y, 2, partition=y, options=LMNNOptions(validation=(X + 0.1, y), max_checks=3), **FAST
    )
    assert np.isfinite(found.L).all() and found.validation_errors.min() == 0


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@pytest.mark.parametrize("search", ["product", "tree"])
def test_twins_give_the_same_metrics(search):
    X, y = sample("iris", 41, 2, 1)
    found = [
        algorithm.lmnn(X, y, 2, 0.5, y, search=search, kernels=one, threads=t)
        for t, one in enumerate(KERNELS, 1)
    ]
    assert_same(*found)


def test_targets_and_neighbours_are_those_of_the_form_for_use():
    rng = np.random.default_rng(0)
    X = np.rint(2 * rng.normal(size=(60, 3)))
    y = np.arange(60) % 3  # ties
    assert_same(algorithm.target_neighbors(X, y, 3), target_neighbors(X, y, 3))
    assert algorithm.target_neighbors(X, y, 3).tolist() == oracle.target_neighbours(
        X.tolist(), y, 3
    )
    X = rng.normal(size=(61, 3))
    Q = rng.normal(size=(9, 3))
    L = rng.normal(size=(3, 2, 3))
    partition = np.arange(61) % 3
    # a partition with fewer points than neighbours
    partition[partition == 2] = np.where(np.arange(20) < 3, 2, 0)
    for kernels in KERNELS:
        squares, indices = algorithm.nearest(X, Q, 5, L, partition, kernels=kernels)
        want = metric_neighbors(L, Q, X, 5, partition=partition, kernels=kernels)
        assert_same(indices, want[1])
        np.testing.assert_allclose(squares, want[0], rtol=1e-12)
        M = (L.transpose(0, 2, 1) @ L).tolist()
        by_hand = sorted((oracle.squared_under(M[partition[i]], Q[0], X[i]), i) for i in range(61))[
            :5
        ]
        assert indices[0].tolist() == [i for _, i in by_hand]


# -------------------------------------------------------------------------------------------- § 4.3


def test_svd_is_the_nearest_matrix_of_its_rank():
    A = np.random.default_rng(0).normal(size=(5, 5))
    M = A.T @ A
    values = np.linalg.eigvalsh(M)
    for r in (1, 3, 5):
        L = algorithm.lmnn_svd(M, r)
        assert L.shape == (r, 5)
        np.testing.assert_allclose((L * L).sum(axis=1), values[::-1][:r], rtol=1e-12)
        np.testing.assert_allclose(
            np.linalg.norm(M - L.T @ L), np.linalg.norm(values[: 5 - r]), atol=1e-9
        )


def test_the_gradient_by_the_factor_is_that_of_finite_differences():
    X, y = blobs(5, n=24, d=4)
    problem = problem_of(X, y, 2, 1.0)
    L = np.random.default_rng(0).normal(size=(1, 2, 4))
    problem.add_pairs(*problem.impostors(L, margin=1.5))
    G = problem.gradient_M(problem.evaluate(L).weights)
    moved = algorithm.factor_step(L, G, 9.0, 1)
    rng = np.random.default_rng(1)
    for _ in range(3):
        step = rng.normal(size=L.shape)
        step *= 1e-6 / np.linalg.norm(step)
        difference = problem.evaluate(L + step).objective - problem.evaluate(L - step).objective
        D = 2 * L @ G
        eta = np.sqrt(9.0 * np.linalg.norm(L) / np.linalg.norm(D) ** 3)
        assert difference / 2 == pytest.approx((((L - moved) / eta) * step).sum(), rel=1e-4)


def test_plain_steps_by_the_factor_come_near_the_form_for_use():
    X, y = sample("wine", 90, 3, 3)
    problem = LargeMarginProblem(
        X, y, target_neighbors(X, y, 3), 1.0, np.zeros(90, dtype=np.int64), FASTEST
    )
    for r in (2, 4):
        want = lmnn_rect(X, y, r, 3, **FAST).objective
        start = np.linalg.eigh(X.T @ X)[1][:, ::-1][:, :r].T[None]
        *_, (_, (objective, L), _) = algorithm.steps(
            problem, np.ascontiguousarray(start), algorithm.factor_step
        )
        assert L.shape == (1, r, 13) and objective <= 1.1 * want


def test_pairs_of_a_point_are_listed_in_their_order():
    """Sums over them are added in this order. 500 pairs of points 0 and 1, all (0, 1) or (1, 0)."""
    a = np.arange(500) % 2
    start, others, pairs = adjacency(a, 1 - a, 2)
    assert start.tolist() == [0, 500, 1000]
    of_0 = [*range(0, 500, 2), *range(1, 500, 2)]
    assert pairs.tolist() == [*of_0, *range(1, 500, 2), *range(0, 500, 2)]
    assert others.tolist() == [1] * 500 + [0] * 500
