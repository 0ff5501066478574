"""What LMNN says of its result holds: the bound, `converged` and the message, whatever the features
are like.
"""

import numpy as np
import pytest
from lmnn_toys import trained, trained_rect
from sklearn.datasets import load_iris
from test_lmnn import FASTEST, blobs, convex_optimum, problem_of

from refimpl.lmnn import lmnn, low_rank, solvers, target_neighbors

TOL = 1e-3
SINGLE = np.zeros(24, dtype=np.int64)


def exact_objective(X, y, targets, mu, L, partition):
    """Eq. 3 of factors, from points that are mapped with more digits."""
    Z = [
        np.asarray((X - X.mean(axis=0)).astype(np.longdouble) @ one.astype(np.longdouble).T, float)
        for one in L
    ]
    D = np.stack(
        [((Z[alpha] - Z[alpha][l]) ** 2).sum(axis=1) for l, alpha in enumerate(partition)], axis=1
    )
    pull = np.take_along_axis(D, targets, axis=1)
    slack = np.maximum(1 + pull[:, :, None] - D[:, None], 0.0) * (y[:, None] != y)[:, None]
    return pull.sum() + mu * slack.sum()


def assert_honest(found, X, y, optimum=None, tol=TOL):
    """The objective is the metric's, the bound is one, `converged` and the message follow."""
    sizes = np.unique(y, return_counts=True)[1]
    triples = found.targets.shape[1] * (len(y) ** 2 - (sizes**2).sum())
    little = 1e-3 * min(found.targets.size, found.mu * triples)
    near = 1e-6 * max(found.objective, little)
    exact = exact_objective(X, y, found.targets, found.mu, found.L, found.partition)
    assert found.objective == pytest.approx(exact, rel=1e-5, abs=near)
    assert 0 <= found.bound <= found.objective
    assert found.converged == (found.objective - found.bound <= tol * max(found.objective, little))
    assert ("not converged" in found.message) == (not found.converged)
    assert found.bound == 0 or "many metrics" not in found.message
    if optimum is not None:
        assert (
            found.bound <= optimum + near + 1e-5 * optimum
            and optimum <= found.objective + near + 1e-5 * optimum
        )


def forms_of(X, rng):
    """Points whose problem at the same targets is that of X, but for rounding."""
    n, d = X.shape
    mixed = np.eye(d)
    mixed[0, 1] = 1.0
    forms = {
        "shifted": X + 1e4,
        "small": 1e-6 * X,
        "large": 1e6 * X,
        "one small": X * np.r_[1e-6, np.ones(d - 1)],
        "one large": X * np.r_[1e6, np.ones(d - 1)],
        "scales": X * 10.0 ** rng.uniform(-6, 6, d),
        "constant": np.hstack([X, np.full((n, 1), 0.1)]),
        "duplicate": np.hstack([X, 3 * X[:, :1]]),
        "sum": np.hstack([X, X.sum(axis=1, keepdims=True)]),
    }
    for e in (1e-3, 1e-6, 1e-9):  # the second column becomes the first plus e times itself
        mixed[1, 1] = e
        forms[f"dependent {e}"] = X @ mixed
    return forms


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_scales_and_dependent_columns_change_nothing(several, kernels):
    X, y = blobs(3, n=24, d=3)
    targets = target_neighbors(X, y, 2)
    partition = y if several else SINGLE
    best = convex_optimum(X, y, targets, 1.0, partition)
    for name, form in forms_of(X, np.random.default_rng(0)).items():
        found = lmnn(form, y, 2, targets=targets, partition=partition, kernels=kernels)
        assert found.converged, (name, found.message)
        assert_honest(found, form, y, best)
        assert ("left out" in found.message) == (name in ("duplicate", "sum"))


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("jitter", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_a_direction_with_next_to_no_pull(jitter, several):
    """A feature that tells a class from the others, and inside the classes is jitter alone."""
    X, y = blobs(1, n=24, d=2)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(24, 1))
    third = (y == 2)[:, None] * 1.0
    targets = target_neighbors(X, y, 2)
    partition = y if several else SINGLE
    # the problem that small jitters come near
    limit = np.hstack([X, third, noise] if jitter else [X, third])
    best = convex_optimum(limit, y, targets, 1.0, partition)
    form = np.hstack([X, third + jitter * noise])
    found = trained(form, y, 2, targets=targets, partition=partition)
    assert_honest(found, form, y, best if jitter < 1e-3 else None)
    assert found.converged or jitter == 1e-12


def test_more_dimensions_than_points_reach_0_and_it_is_said():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 30))
    y = np.arange(20) % 2
    for partition in (np.zeros(20, dtype=np.int64), y):
        found = trained(X, y, 2, partition=partition)
        assert found.converged and found.objective < 1e-6 * 40
        assert "counts as 0" in found.message and "many metrics" in found.message
        assert_honest(found, X, y, 0.0)


@pytest.mark.parametrize("mu", [1e-100, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e8])
def test_converged_means_a_small_gap_at_any_mu(mu):
    """No objective is above that of M = 0, which has mu for each triple."""
    X, y = load_iris(return_X_y=True)
    found = trained(X, y, 3, mu)
    assert found.converged and found.gap <= TOL
    assert found.objective <= (1 + TOL) * mu * 150 * 3 * 100
    assert_honest(found, X, y)
    X, y = blobs(3, n=24, d=3)
    targets = target_neighbors(X, y, 2)
    best = convex_optimum(X, y, targets, mu, SINGLE) if 1e-3 < mu < 1e3 else None
    assert_honest(trained(X, y, 2, mu, targets=targets), X, y, best)


@pytest.mark.parametrize("duplicate", [False, True])
def test_a_column_left_out_for_its_few_digits_leaves_no_bound(duplicate):
    """Integers about 2**53 with exact differences tell the classes apart: a metric reaches 0."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.arange(20) % 2
    X = np.c_[X, 2.0**53 + 8 * y, X[:, 0]] if duplicate else np.c_[X, 2.0**53 + 8 * y]
    found = trained(X, y, 2)
    assert found.bound == 0 and (found.history[:, 1] == 0).all() and not found.converged
    assert "1 column of X" in found.message and "subtract" in found.message
    X[:, 2] -= 2.0**53
    found = trained(X, y, 2)
    assert found.converged and found.objective < 1e-3 and "column" not in found.message
    assert ("1 dimension is left out" in found.message) == duplicate


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e3])
@pytest.mark.parametrize("free", [False, True])
def test_the_papers_steps_have_a_bound_that_is_one(scale, free):
    X, y = blobs(2, n=24, d=2)
    X = np.hstack([X, (y == 2)[:, None] * 1.0]) if free else X
    targets = target_neighbors(X, y, 2)
    best = convex_optimum(X, y, targets, 1.0, SINGLE)
    form = X * np.r_[scale, np.ones(X.shape[1] - 1)]
    found = trained(form, y, 2, targets=targets, solver="printed", max_checks=12)
    assert_honest(found, form, y, best)
    if scale == 1.0:
        assert found.bound > 0.5 * best


def test_only_the_metric_that_is_returned_can_have_converged():
    """A validation set picks an early metric of a training that went on to its end."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 8))
    y = np.arange(60) // 2 % 2
    X[:, 0] += y
    train = (X[::2], y[::2])
    held = (X[1::2], y[1::2])
    found = trained(*train, 3, validation=held, patience=100)
    first = int(found.validation_errors.argmin())
    assert first < found.full_checks - 1 and "lowest validation error" in found.message
    assert_honest(found, *train)
    rect = trained_rect(*train, 2, 3, validation=held, patience=100, tol=1e-3)
    assert rect.validation_errors.argmin() < rect.full_checks - 1
    assert not rect.converged and "not converged" in rect.message and "within" not in rect.message


def test_an_end_without_a_proof_says_so():
    X, y = blobs(n=30)
    found = trained(X, y, 2, max_checks=1)
    assert not found.converged and found.message.startswith("max_checks")
    assert f"{found.gap:.1e}" in found.message


def test_a_bound_counts_the_rounding_of_the_sums():
    """The error that is told is no less than that of sums with more digits."""
    X, y = blobs(4, n=60, d=4)
    problem = problem_of(X * np.r_[1.0, 1e5, 1e-5, 1.0], y, 3, 1.0)
    at = problem.coordinates
    inner = problem.within(at.U)
    V = np.eye(4)[None]
    inner.add_pairs(*inner.impostors(inner.mapped(V)))
    certificate = solvers.Certificate(inner, at, 5)
    now = inner.evaluate(V)
    certificate.add(now.alpha, now.weights)
    weights, slopes = inner.evaluate(V).weights, certificate.slopes[0]
    U = (problem.X.astype(np.longdouble)) @ at.A[0].astype(np.longdouble)
    D = U[inner._a] - U[inner._b]
    exact = (D * weights[:, None]).T @ D
    assert (
        np.abs(np.linalg.eigvalsh((exact - slopes.G[0]).astype(float))).max() <= slopes.error < 1e-6
    )


def test_low_rank_factors_keep_their_rows():
    X, y = blobs(n=30)
    with pytest.raises(ValueError, match="start must have r = 2 rows; got 3"):
        trained_rect(X, y, 2, 2, start=np.eye(4)[:3])


@pytest.mark.parametrize("descend", [solvers.descend, low_rank.descend_low_rank])
def test_nothing_shrinks_while_pairs_are_missing(descend, monkeypatch):
    """Of a working set of which each pair is new, neither a small gain nor a bound says enough."""
    full_check = solvers.full_check

    def with_all_pairs_new(inner, *arguments):
        L, now, _, impostors = full_check(inner, *arguments)
        return L, now, len(inner.i), impostors

    for module in (solvers, low_rank):
        monkeypatch.setattr(module, "full_check", with_all_pairs_new)
    X, y = blobs(0, 24, 3, 3)
    problem = problem_of(X, y, 2, 1.0, kernels=FASTEST)
    checks = list(descend(problem, np.eye(3)[np.newaxis], 0.5, max_checks=12))
    assert len(checks) == 12 and checks[-1].pairs > 0
    assert len({(check.h, check.epsilon) for check in checks}) == 1


def test_the_working_set_of_rect_is_reset_early_where_it_is_crowded(monkeypatch):
    """A check that finds new pairs does not settle. Then only a check among the first four is
    followed by a reset, and only if there are more than three pairs for each impostor.
    """
    checks = []  # of each: were there new pairs, is the set crowded, did a reset follow
    check, reset = low_rank.full_check, low_rank.reset

    def noted_check(problem, *arguments):
        L, now, added, impostors = check(problem, *arguments)
        pairs = len(problem.i)
        checks.append([added > 1e-3 * pairs, pairs > 3 * impostors, False])
        return L, now, added, impostors

    def noted_reset(*arguments):
        checks[-1][2] = True
        reset(*arguments)

    monkeypatch.setattr(low_rank, "full_check", noted_check)
    monkeypatch.setattr(low_rank, "reset", noted_reset)
    X, y = blobs(0, 60, 4, 3)
    trained_rect(X, y, 2, 2)
    early = [(crowded, was_reset) for new, crowded, was_reset in checks[1:5] if new]
    assert (False, False) in early
    assert all(crowded == was_reset for crowded, was_reset in early)
    assert not any(was_reset for new, _, was_reset in checks[5:] if new)
