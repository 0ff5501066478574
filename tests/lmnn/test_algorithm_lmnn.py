"""The paper's algorithms as printed: against a general convex solver, loops over triples, and the
form for use.
"""

from itertools import islice

import numpy as np
import oracles_lmnn as oracle
import pytest
from agreement import KERNELS, assert_same
from lmnn_toys import blobs, trained
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from test_lmnn import convex_optimum, problem_of
from test_lmnn_certificate import assert_honest
from threadpoolctl import threadpool_limits

from refimpl.lmnn import algorithm, metric_neighbors, project, solvers, target_neighbors
from refimpl.lmnn.algorithm import adjacency

FASTEST = KERNELS[-1]
FAST = {"kernels": FASTEST, "threads": 1}
SETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """In thousands of small steps the threads of the BLAS would wait for each other."""
    with threadpool_limits(1):
        yield


def sample(name, n, k, seed):
    """Random points of a data set with standardised columns, more than k of each class."""
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


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("name", "n", "k", "seed", "mu", "several"),
    [
        ("iris", 24, 2, 0, 1.0, False),
        ("iris", 24, 2, 0, 1.0, True),
        ("iris", 36, 1, 3, 2.0, False),
        ("wine", 30, 1, 5, 1.0, False),
        ("iris", 30, 3, 1, 0.5, True),
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
    # the columns of wine depend on each other: on the points as given the steps take longer
    assert best * (1 - 1e-5) <= exact <= (1.02 if name == "wine" else 1.005) * best
    found = trained(X, y, k, mu, partition=partition, solver="printed", max_checks=90)
    assert found.objective <= 1.005 * best
    assert_honest(found, X, y, best)


def test_does_not_collapse_at_a_kink():
    """Steps that may only fall ended at 42.14; a general solver finds 34.4143."""
    rows = np.random.default_rng(0).permutation(150)[:24]
    X, y = (given[rows] for given in load_iris(return_X_y=True))
    found = trained(X, y, 2, solver="printed")
    assert 34.4143 <= found.objective <= 1.001 * 34.4143 and found.converged
    assert found.bound <= 34.4144


@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e100])
def test_where_all_target_neighbours_are_duplicates_the_optimum_is_reached(unit):
    X = unit * np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 2, axis=0)
    y = np.repeat([0, 1, 0, 1, 0, 1], 2)
    L = algorithm.lmnn(X, y, 1)[0]
    between = ((X[:, None] - X[None]) @ L.T)[y[:, None] != y]
    assert ((between**2).sum(axis=-1) >= 1 - 1e-9).all()  # eq. 3 is 0


def test_a_metric_without_target_neighbours_changes_nothing_for_the_others():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)), [[50.0, 50.0]]])
    y = np.array([0] * 10 + [1] * 10 + [0])
    partition = np.array([0] * 20 + [1])
    L = algorithm.lmnn(X, y, 3, partition=partition)
    assert np.isfinite(L).all() and L.any(axis=(1, 2)).all()


@pytest.mark.one_case
@pytest.mark.parametrize("name", ["breast cancer", "wine"])
def test_on_raw_columns_the_steps_come_to_the_optimum_and_few_say_that_they_did_not(name):
    X, y = (given[:150] for given in SETS[name](return_X_y=True))
    proven = trained(X, y)
    found = trained(X, y, solver="printed", max_checks=40)
    assert found.objective >= proven.bound >= 0.998 * proven.objective >= 0.998 * found.bound
    assert found.objective <= 1.001 * proven.objective
    assert_honest(found, X, y)
    others = X * 10.0 ** np.linspace(-4, 4, X.shape[1])  # the scales of columns do not matter
    scaled = trained(others, y, targets=proven.targets, solver="printed", max_checks=40)
    assert scaled.objective == pytest.approx(found.objective, rel=1e-4)
    short = trained(others, y, targets=proven.targets, solver="printed", max_checks=6)
    assert short.bound <= proven.objective <= short.objective and not short.converged
    assert "not converged" in short.message


# ------------------------------------------------------------------------------------ lines of § 3


def examples_of(X, y, k, partition=None):
    """The examples with their target neighbours, and the Euclidean metric."""
    partition = np.zeros(len(X), dtype=np.int64) if partition is None else partition
    examples = algorithm.Examples(X, y, algorithm.target_neighbors(X, y, k), partition)
    return examples, np.repeat(np.eye(X.shape[1])[None], partition.max() + 1, axis=0)


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_each_state_is_eqs_2_to_6(several, kernels):
    """With a full check before every step, against loops over all triples."""
    X, y = blobs(4, n=21, d=3)
    examples, L = examples_of(X, y, 2, y if several else None)
    states = algorithm.steps(examples, 0.7, L, between=1, kernels=kernels)
    for t, now in enumerate(islice(states, 8)):
        assert now.t == t and now.found is not None
        Ms = (now.L.transpose(0, 2, 1) @ now.L).tolist()
        arguments = X.tolist(), y, examples.targets, 0.7, Ms, examples.partition
        np.testing.assert_allclose(now.G, oracle.gradient(*arguments), rtol=1e-8, atol=1e-8)
        assert now.objective == pytest.approx(oracle.objective(*arguments))


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_eq_6_gives_eq_5_along_a_whole_run(several):
    X, y = blobs()
    examples, L = examples_of(X, y, 2, y if several else None)
    changed = 0
    before = None
    for now in islice(algorithm.steps(examples, 1.0, L, between=60), 60):
        want = algorithm.gradient(examples, now.i, now.l, now.N, 1.0)
        np.testing.assert_allclose(now.G, want, rtol=1e-9, atol=1e-9)
        if now.found is None:
            changed += (now.N != before.N).any()
        before = now
    assert changed > 20


def test_the_active_set_holds_all_triples_that_ever_violated():
    X, y = blobs()
    examples, L = examples_of(X, y, 2)
    ever = set()
    found = 0
    for now in islice(algorithm.steps(examples, 1.0, L, between=1), 30):
        pairs = {*zip(now.i.tolist(), now.l.tolist(), strict=True)}
        violated = now.N.any(axis=1)
        ever |= {*zip(now.i[violated].tolist(), now.l[violated].tolist(), strict=True)}
        assert pairs == ever and now.found == len(pairs) - found
        found = len(pairs)


def test_full_checks_come_after_1_2_4_8_16_and_then_20_steps():
    X, y = blobs()
    examples, L = examples_of(X, y, 2)
    checks = [
        now.t for now in islice(algorithm.steps(examples, 1.0, L), 95) if now.found is not None
    ]
    assert checks == [0, 1, 3, 7, 15, 31, 51, 71, 91]


def test_the_step_goes_against_the_gradient_and_back_onto_the_cone():
    rng = np.random.default_rng(0)
    L = rng.normal(size=(2, 3, 3)) * [[1.0], [1.0], [0.01]]
    G = rng.normal(size=(2, 3, 3))
    G = G + G.transpose(0, 2, 1)
    M = L.transpose(0, 2, 1) @ L
    eta = 0.3 * np.sqrt((M**2).sum() / (G**2).sum()) / 2
    values, vectors = np.linalg.eigh(M - eta * G)
    assert values.min() < 0  # the projection does something
    want = (vectors * np.maximum(values, 0)[:, None]) @ vectors.transpose(0, 2, 1)
    found = algorithm.metric_step(L, G, 4)
    np.testing.assert_allclose(found.transpose(0, 2, 1) @ found, want, atol=1e-12)
    np.testing.assert_allclose(np.abs(algorithm.metric_step(L, 0 * G, 1)), np.abs(project(M)))


def test_project_is_the_nearest_matrix_of_the_cone():
    M = np.random.default_rng(0).normal(size=(5, 5))
    M = M + M.T
    L = project(M)
    values, vectors = np.linalg.eigh(M)
    np.testing.assert_allclose(L.T @ L, (vectors * np.maximum(values, 0)) @ vectors.T, atol=1e-12)
    turned = np.triu(M, 1) - np.triu(M, 1).T  # as far from all symmetric matrices
    np.testing.assert_allclose(project(M + turned), L, atol=1e-12)


@pytest.mark.parametrize("size", [5e-324, 1.7e308])
def test_project_neither_vanishes_nor_overflows(size):
    M = np.array([[size, size / 2], [-size / 2, size]])  # halves of 5e-324 are 0
    L = project(M)
    np.testing.assert_allclose(L.T @ L, np.eye(2) * size, rtol=1e-12)


def scripted(objectives, found=()):
    """States of full checks with these objectives; those in `found` find a pair."""
    for c, objective in enumerate(objectives):
        yield algorithm.State(c, np.zeros(1), objective, None, None, None, None, int(c in found))


def test_the_steps_end_when_forty_checks_gain_less_than_tol_of_the_objective():
    """The first check has 1000, check c then 100 - c / 10, from check 60 on 94. A gain of 3 % of 94
    is 2.82: check c ends the steps if 100 - (c - 40) / 10 <= 96.82, so c = 72, the 73rd.
    """
    states = scripted([1000.0] + [100 - min(c, 60) / 10 for c in range(1, 200)])
    assert len(list(algorithm.until_converged(states, tol=0.03))) == 73


@pytest.mark.parametrize(("found", "checks"), [((), 41), (range(50), 51), (range(999), 200)])
def test_the_steps_go_on_while_a_full_check_finds_new_triples(found, checks):
    assert len(list(algorithm.until_converged(scripted([1.0] * 999, found)))) == checks


def test_the_least_objective_of_the_full_checks_is_kept(monkeypatch):
    *_, (now, best) = algorithm.until_converged(scripted([3.0, 1.0, 2.0]))
    assert now.objective == 2.0 and best[0] == 1.0
    end = now, (1.0, np.array([[[5.0]]]))
    monkeypatch.setattr(algorithm, "until_converged", lambda states: [end])
    assert algorithm.lmnn(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), 1).tolist() == [[[5.0]]]


def test_maps_that_make_the_pull_the_identity_change_nothing_but_coordinates():
    X, y = blobs(2, n=30, d=4)
    for partition in (np.zeros(30, dtype=np.int64), y):
        problem = problem_of(X * [1, 10, 0.1, 1], y, 2, 1.0, partition)
        coordinates = problem.coordinates_with(solvers.LEAST_PULL)
        R = coordinates.A
        moved = problem.within(problem.X @ R)
        identity = np.repeat(np.eye(4)[None], len(R), axis=0)
        np.testing.assert_allclose(moved.pull_gradient(), identity, atol=1e-2)
        V = np.random.default_rng(0).normal(size=(len(R), 3, 4))
        for one, factor in ((moved, V), (problem, V @ R.transpose(0, 2, 1))):
            one.add_pairs(*one.impostors(one.mapped(factor)))
        want = problem.evaluate(V @ R.transpose(0, 2, 1)).objective
        assert moved.evaluate(V).objective == pytest.approx(want, rel=1e-9)
        L = solvers.Inward(coordinates, R.transpose(0, 2, 1))
        np.testing.assert_allclose(L.inner, identity, atol=1e-9)


# ---------------------------------------------------------------------- the form for use, and twins


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_the_form_for_use_takes_the_printed_steps(several, kernels):
    """The same factors bit for bit after each full check, with odd sizes and equal points."""
    X, y = blobs(3, n=37, d=5)
    X[7] = X[4]
    partition = y if several else np.zeros(len(X), dtype=np.int64)
    given = problem_of(X, y, 3, 0.6, partition, kernels)
    coordinates = given.coordinates_with(solvers.LEAST_PULL)
    problem = given.within(X - X.mean(axis=0))
    back = coordinates.A.transpose(0, 2, 1)
    start = back * np.sqrt(problem.targets.size / problem.evaluate(back).pull)
    inward = solvers.Inward(coordinates, start)
    seen = []
    options = {"solver": "printed", "tol": 1e-5, "max_checks": 9}
    how = {"kernels": kernels, "threads": 1, "callback": lambda step: seen.append(step.state)}
    trained(X, y, 3, 0.6, partition=partition, **options, **how)
    assert len(seen) == 9 and seen[0].L.any()
    examples = algorithm.Examples(problem.X, y, problem.targets, partition)
    states = algorithm.steps(examples, 0.6, seen[0].L, step=inward, kernels=kernels)
    pull = np.linalg.norm(inward.gradient(problem.pull_gradient()))
    for step, (now, (objective, L)) in zip(seen, algorithm.until_converged(states), strict=False):
        assert_same(step.L, L)
        assert (step.objective, step.active) == (objective, now.N.sum())
        assert (step.evaluations, step.pairs) == (1 + now.t, len(now.i))
        assert step.gradient_norm == pytest.approx(np.linalg.norm(inward.gradient(now.G)) / pull)


@pytest.mark.parametrize("more", [lambda X: np.ones(30), lambda X: X[:, 0] - 3 * X[:, 1]])
def test_a_start_without_a_direction_in_which_points_differ_is_none(more):
    """Each step is of the size of the metric, and no part of this one is left to grow."""
    X, y = blobs(2, n=30, d=4)
    X = np.column_stack([X, more(X)])
    unused = np.linalg.svd(X - X.mean(axis=0))[2][-1:]
    expected = trained(X, y, 2, solver="printed", max_checks=9)
    found = trained(X, y, 2, start=unused, solver="printed", max_checks=9)
    assert found.objective == expected.objective
    large = trained(X, y, 2, start=1e100 * np.eye(5), solver="printed", max_checks=1)
    assert large.objective != expected.objective  # it is taken, whatever its size


def test_the_bound_holds_where_no_target_neighbours_differ_in_a_direction():
    X, y = sample("iris", 45, 2, 3)
    X[:, 0] = y == 2  # as far as one likes from the two others, at no cost
    proven = trained(X, y, 2)
    found = trained(X, y, 2, solver="printed", max_checks=50)
    assert proven.converged and found.bound <= proven.objective and proven.bound <= found.objective
    assert found.bound > 0.5 * proven.objective
    assert_honest(found, X, y)
    start = np.diag([0.0, 1.0, 1.0, 1.0])  # does not use the direction: its slopes are steep there
    early = trained(X, y, 2, start=start, solver="printed", max_checks=6)
    assert early.bound <= proven.objective
    assert_honest(early, X, y)


def test_a_small_tol_lets_the_steps_go_on():
    X, y = sample("iris", 15, 1, 3)
    found = [trained(X[:, :2], y, 1, solver="printed", tol=tol) for tol in (1e-4, 1e-7)]
    assert found[1].full_checks > found[0].full_checks
    assert "forty full checks" in found[1].message and not found[1].converged


def test_of_equally_near_points_of_several_partitions_the_lowest_comes_first():
    X = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    partition = np.array([1, 0, 1, 0])
    squares, indices = algorithm.nearest(X, np.zeros((1, 1)), 3, np.ones((2, 1, 1)), partition)
    assert squares.tolist() == [[1, 1, 1]] and indices.tolist() == [[0, 1, 2]]


def test_a_start_is_taken_in_the_coordinates_of_the_points():
    X, y = sample("iris", 40, 2, 0)
    L = np.random.default_rng(0).normal(size=(3, 4))
    seen = []
    how = {"solver": "printed", "max_checks": 1}
    found = trained(X, y, 2, start=L, callback=lambda step: seen.append(step.state), **how)
    np.testing.assert_allclose(found.M[0], L.T @ L, atol=1e-9)
    assert seen[0].t == 1 and not found.converged


def test_points_that_equal_their_targets_are_refused():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    y = np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match="must have target neighbours that differ"):
        trained(X, y, 2, solver="printed")
    # the usual solver takes them
    found = trained(X, y, 2, partition=y, validation=(X + 0.1, y), max_checks=3)
    assert np.isfinite(found.L).all() and found.validation_errors.min() == 0


def test_targets_and_neighbours_are_those_of_the_form_for_use():
    rng = np.random.default_rng(0)
    X = np.rint(2 * rng.normal(size=(60, 3)))
    y = np.arange(60) % 3  # ties
    assert_same(algorithm.target_neighbors(X, y, 3), target_neighbors(X, y, 3))
    found = algorithm.target_neighbors(X, y, 3).tolist()
    assert found == oracle.target_neighbours(X.tolist(), y, 3)
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


# -------------------------------------------------------------------------------------------- § 4.3


def test_the_gradient_by_the_factor_is_that_of_finite_differences():
    X, y = blobs(5, n=24, d=4)
    problem = problem_of(X, y, 2, 1.0)
    L = np.random.default_rng(0).normal(size=(1, 2, 4))
    problem.add_pairs(*problem.impostors(problem.mapped(L), margin=1.5))
    G = problem.gradient_M(problem.evaluate(L).weights)
    moved = algorithm.factor_step(L, G, 1)
    D = 2 * L @ G
    eta = 0.3 * np.linalg.norm(L) / np.linalg.norm(D)
    rng = np.random.default_rng(1)
    for _ in range(3):
        step = rng.normal(size=L.shape)
        step *= 1e-6 / np.linalg.norm(step)
        difference = problem.evaluate(L + step).objective - problem.evaluate(L - step).objective
        assert difference / 2 == pytest.approx((((L - moved) / eta) * step).sum(), rel=1e-4)


def test_the_printed_form_takes_lists():
    X, y = sample("iris", 24, 2, 3)
    partition = np.arange(24) % 2
    given = algorithm.lmnn(X.tolist(), y.tolist(), 2, partition=partition.tolist(), **FAST)
    assert_same(given, algorithm.lmnn(X, y, 2, partition=partition, **FAST))


def test_pairs_of_a_point_are_listed_in_their_order():
    """Sums over them are added in this order. 500 pairs of points 0 and 1, all (0, 1) or (1, 0)."""
    a = np.arange(500) % 2
    start, others, pairs = adjacency(a, 1 - a, 2)
    assert start.tolist() == [0, 500, 1000]
    of_0 = [*range(0, 500, 2), *range(1, 500, 2)]
    assert pairs.tolist() == [*of_0, *range(1, 500, 2), *range(0, 500, 2)]
    assert others.tolist() == [1] * 500 + [0] * 500
