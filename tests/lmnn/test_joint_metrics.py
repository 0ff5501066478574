"""Several metrics, some of them degenerate (§ 5.1): the optimum of the joint problem, by eq. 3 of
its own and by a general convex solver; where none can be trusted, by the steps of the paper.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from agreement import KERNELS
from lmnn_toys import trained
from test_lmnn import convex_optimum
from test_lmnn_certificate import exact_objective

from refimpl.lmnn import ConvergenceWarning, LMNNOptions, lmnn, lmnn_rect

ROOT = str(Path(__file__).resolve().parents[2])
FASTEST = KERNELS[-1]
TOL = 1e-3
PRINTED = LMNNOptions(solver="printed")


def joint_problem(seed):
    """Draw a problem as the fuzzer does."""
    sys.path.insert(0, ROOT)
    try:
        from tests.fuzz.hard import Hard
        from tests.fuzz.problems import joint_problem
    finally:
        sys.path.remove(ROOT)
    return joint_problem(Hard(np.random.default_rng([seed, 8])))


def eq_3(found, X, y, mu):
    return exact_objective(X, y, found.targets, mu, found.L, found.partition)


def least_by_steps(found, X, y, k, mu):
    """Return eq. 3 where the paper's steps end; infinity where they take none."""
    if all((X[j] == X).all() for j in found.targets.T):
        return np.inf
    given = {"partition": found.partition, "options": PRINTED, "kernels": FASTEST, "threads": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return eq_3(lmnn(X, y, k, mu, **given), X, y, mu)


def assert_optimal(X, y, k, partition, mu=1.0):
    """The training converges. Its objective is eq. 3, its bound is one, and no other way finds
    less: a general solver's, else the paper's steps.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        found = trained(X, y, k, mu, partition=partition)
    triples = found.targets.shape[1] * (y[:, None] != y).sum()
    little = 1e-3 * min(found.targets.size, mu * triples)
    near = TOL * max(found.objective, little)
    assert found.converged
    assert found.objective == pytest.approx(eq_3(found, X, y, mu), rel=1e-5, abs=1e-3 * near)
    if is_mild(X):
        best = convex_optimum(X, y, found.targets, mu, found.partition)
        assert found.bound <= best * (1 + 1e-5) + 1e-3 * near
    else:
        best = least_by_steps(found, X, y, k, mu)
        assert found.bound <= best * (1 + 1e-9) + 1e-6 * near
    assert found.objective <= best + near


def is_mild(X):
    """Whether a general solver can be trusted with products of these points."""
    size = np.abs(X[X != 0])
    return size.size == 0 or (size.max() < 30 and np.median(size) > 0.1)


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=pytest.mark.further if s < 12 else ()) for s in range(16)]
)
def test_degenerate_metrics_are_trained_to_the_optimum(seed):
    X, y, k, partition = joint_problem(seed)
    if (X == X[0]).all():
        with pytest.raises(ValueError, match="got equal points only"):
            lmnn(X, y, k, partition=partition)
        return
    mu = (1.0, 0.1, 20.0)[seed % 3]
    assert_optimal(X, y, k, partition, mu)


def test_a_training_without_a_proof_warns_and_says_how_far_its_bound_is():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 2
    early = LMNNOptions(max_checks=2)
    with pytest.warns(ConvergenceWarning, match="its lower bound .* Raise max_checks = 2") as seen:
        found = lmnn(X, y, 2, partition=y, options=early, kernels=FASTEST)
    assert [one.filename for one in seen] == [__file__]
    assert f"{found.objective:.6g}, its lower bound {found.bound:.6g}" in str(seen[0].message)
    with pytest.warns(ConvergenceWarning, match="not known"):
        lmnn_rect(X, y, 2, 2, options=early, kernels=FASTEST)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        lmnn(X, y, 2, options=early, kernels=FASTEST, callback=lambda step: True)
        held = LMNNOptions(validation=(X, y), patience=1)
        assert not lmnn(X, y, 2, options=held, kernels=FASTEST).converged
