"""What metric-learn 0.7 and pylmnn 1.6 check of their LMNN, asked of ours.

The data and the numbers are theirs. Left out is what is about their own parameters: sampled
impostors, verbose output, a class of one point, which pylmnn drops and `lmnn` refuses.
"""

import numpy as np
import oracles_lmnn as oracle
import pytest
from agreement import KERNELS, assert_same
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from refimpl.estimators import LMNN
from refimpl.lmnn import LMNNOptions, lmnn, target_neighbors
from refimpl.lmnn.problem import LargeMarginProblem

NAME = "fast" if len(KERNELS) > 1 else "reference"
FASTEST = KERNELS[-1]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def problem(X, y, k):
    return LargeMarginProblem(
        X, y, target_neighbors(X, y, k), 1.0, np.zeros(len(X), dtype=np.int64), FASTEST
    )


# ------------------------------------------------------------------------------------- metric-learn


@pytest.mark.parametrize(("y", "half"), [([1, 1, 0, 0], 3.0), ([1, 0, 0, 1], 26.0)])
def test_the_loss_of_four_points_on_a_line(y, half):
    """metric-learn weighs pull and push with 1/2 each."""
    X = np.arange(4.0)[:, None]
    L = np.ones((1, 1, 1))
    of = problem(X, np.array(y), 1)
    of.add_pairs(*of.impostors(of.mapped(L)))
    assert of.evaluate(L).objective == 2 * half


def test_iris_is_drawn_apart(iris):
    """Mean distance within a class over that to the others, for 5 neighbours: below 0.25."""
    X, y = iris
    Z = LMNN(5, kernels=NAME).fit(X, y).transform(X)
    shares = [
        cdist(Z[y == c], Z[y == c]).mean() / cdist(Z[y == c], Z[y != c]).mean() for c in range(3)
    ]
    assert np.mean(shares) < 0.25


def test_the_gradient_at_a_random_map_of_low_rank():
    rng = np.random.RandomState(42)
    X, y = make_classification(random_state=rng)
    L = rng.randn(1, rng.randint(1, X.shape[1] + 1), X.shape[1])
    of = problem(X, y, 3)
    of.add_pairs(*of.impostors(of.mapped(L), 2.0))
    found = of.gradient_L(of.evaluate(L)).ravel()
    want = approx_fprime(L.ravel(), lambda v: of.evaluate(v.reshape(L.shape)).objective, 1e-7)
    assert np.linalg.norm(found - want) < 1e-5 * np.linalg.norm(want)


def test_loops_over_triples_give_every_objective_on_the_way():
    X, y = make_classification(
        n_samples=10,
        n_classes=2,
        n_features=6,
        n_redundant=0,
        shuffle=True,
        scale=[1, 1, 20, 20, 20, 20],
        random_state=42,
    )
    seen = []
    found = lmnn(
        X,
        y,
        2,
        options=LMNNOptions(solver="printed", max_checks=30),
        start=np.eye(6),
        callback=lambda step: seen.append(step.state),
        kernels=FASTEST,
    )
    assert seen[0].active >= 2 and len(seen) > 2
    for check in seen:
        M = (check.L.transpose(0, 2, 1) @ check.L).tolist()
        exact = oracle.objective(X.tolist(), y, found.targets, 1.0, M, found.partition)
        assert check.objective == pytest.approx(exact, rel=1e-9)


def test_the_objective_falls_until_it_has_converged():
    X, y = make_classification(random_state=0)
    found = lmnn(X, y, kernels=FASTEST)
    steps = lmnn(X, y, options=LMNNOptions(solver="printed", max_checks=20), kernels=FASTEST)
    assert found.converged and found.objective < steps.objective
    for history in (found.history[:, 0], steps.history[:, 0]):
        assert (np.diff(history) <= 0).all() and history[-1] < history[0]
    # at first each check is lower; later a step may rise
    assert len(set(steps.history[:8, 0])) == 8


# ------------------------------------------------------------------------------------------- pylmnn


def test_neighbours_of_iris(iris):
    X, y = iris
    Z = LMNN(1, kernels=NAME).fit(X, y).transform(X)
    assert (KNeighborsClassifier(1).fit(Z, y).predict(Z) == y).all()
    assert KNeighborsClassifier(9).fit(Z, y).score(Z, y) > 0.95


def test_bytes_are_numbers():
    X, y = load_digits(return_X_y=True)
    train = slice(0, 400)
    test = slice(400, 600)
    few = LMNN(1, tol=0.1, kernels=NAME)
    as_bytes, as_floats = (
        few.fit(part[train], y[train]).transform(part[test]) for part in (X.astype(np.uint8), X)
    )
    assert_same(as_bytes, as_floats)


def test_parameters_that_do_not_fit():
    X = np.arange(12.0).reshape(4, 3)
    y = np.array([1, 1, 2, 2])
    for model, message in (
        (LMNN(1.3), "n_neighbors"),
        (LMNN(-1), "n_neighbors"),
        (LMNN(4), "at most 1"),
        (LMNN(2), "n_neighbors must be"),
        (LMNN(1, max_checks="21"), "max_checks"),
        (LMNN(1, max_checks=-1), "max_checks"),
        (LMNN(1, mu="0.3"), "mu"),
        (LMNN(1, mu=0.0), "mu"),
        (LMNN(1, n_components=10), "n_components must be at most 3"),
        (LMNN(1, n_components="all"), "n_components"),
        (LMNN(1, n_jobs="yes"), "n_jobs"),
        (LMNN(1, n_jobs=0), "n_jobs"),
        (LMNN(1, callback="mine"), "callback"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            model.set_params(kernels=NAME).fit(X, y)
    with pytest.raises(ValueError, match="class"):
        LMNN(1, kernels=NAME).fit(X, [1, 1, 1, 2])


@pytest.mark.parametrize(("rows", "columns"), [(5, 6), (6, 4)])
def test_a_start_must_fit_the_points(rows, columns):
    X, y = make_classification(n_samples=30, n_features=5, n_redundant=0, random_state=0)
    with pytest.raises(ValueError, match="start"):
        lmnn(X, y, start=np.ones((rows, columns)), kernels=FASTEST)


def test_starts_end_at_one_optimum():
    X, y = make_classification(n_samples=30, n_features=5, n_redundant=0, random_state=0)
    start = np.random.default_rng(0).random((5, 5))
    ends = [
        lmnn(X, y, start=one, options=LMNNOptions(tol=1e-4), kernels=FASTEST).objective
        for one in (None, np.eye(5), start)
    ]
    np.testing.assert_allclose(ends, ends[0], rtol=2e-4)


def test_a_warm_start_has_little_left_to_do():
    X, y = make_classification(n_samples=30, n_features=5, n_redundant=0, random_state=0)
    model = LMNN(kernels=NAME)
    changes = []
    for warm in (True, False):
        model.set_params(warm_start=warm, max_checks=200, tol=1e-3).fit(X, y)
        before = model.components_.T @ model.components_
        with pytest.warns(ConvergenceWarning, match="max_checks = 1 "):
            model.set_params(max_checks=1, tol=1e-9).fit(X, y)
        changes.append(np.abs(model.components_.T @ model.components_ - before).sum())
    assert changes[0] < 2.0 and changes[1] > changes[0]


def test_threads_and_a_pipeline_change_nothing(iris):
    X, X_test, y, y_test = train_test_split(*iris, test_size=0.3, random_state=0)
    model = LMNN(kernels=NAME).fit(X, y)
    assert_same(LMNN(kernels=NAME, n_jobs=3).fit(X, y).components_, model.components_)
    by_hand = KNeighborsClassifier(3).fit(model.transform(X), y)
    piped = make_pipeline(LMNN(kernels=NAME), KNeighborsClassifier(3)).fit(X, y)
    assert piped.score(X_test, y_test) == by_hand.score(model.transform(X_test), y_test) > 0.84


def test_an_end_before_convergence_is_said(iris):
    seen = []
    with pytest.warns(ConvergenceWarning, match="max_checks = 2 "):
        model = LMNN(max_checks=2, callback=seen.append, kernels=NAME).fit(*iris)
    assert not model.model_.converged and len(seen) == 2
