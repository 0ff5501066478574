"""What a training of BoostMap says of its loss is what its model has: by eqs. 9 and 12 the product
of all z_j is the mean of exp(-y H) over the triples.
"""

import math

import numpy as np
import pytest
from agreement import KERNELS
from boostmap_toys import separable, train

from refimpl.boostmap import Triples, algorithm, random_triples
from refimpl.kernels import triples as kernel

SPREADS = {
    "normal": lambda rng, n: rng.normal(size=(n, 2)),
    "lognormal": lambda rng, n: np.exp(3 * rng.normal(size=(n, 2))),
    "Cauchy": lambda rng, n: rng.standard_t(1, size=(n, 2)),
    "integer": lambda rng, n: rng.integers(0, 4, (n, 2)).astype(float),
}
FORMS = {
    "plain": lambda rng, D: D,
    "squared": lambda rng, D: D**2,
    "asymmetric": lambda rng, D: D * np.exp(rng.normal(size=D.shape)),
}


def problem(spread, form, seed, n=30, t=300):
    rng = np.random.default_rng([seed, 3])
    X = SPREADS[spread](rng, n)
    D = FORMS[form](rng, np.linalg.norm(X[:, np.newaxis] - X, axis=2))
    return D, random_triples(D, t, rng=rng)


def trained(D, triples, seed, **options):
    usual = {"n_references": 15, "n_pairs": 15, "n_best": 15, "max_rounds": 150}
    return train(D, triples.objects, triples.y, 6, KERNELS[-1], seed, **usual | options)


def margins(model, D, triples):
    """y H(q, a, b) of each triple, from distances alone: eqs. 6, 8, 10, 17 and 21."""
    names = zip(model.first, model.second, model.length, strict=True)
    F = np.array([algorithm.embedding(D.T, *name) for name in names])
    u = np.array([kernel.margins(f, triples.objects) for f in F])
    A = algorithm.query_weights(F.T, model.alpha, model.query_sensitive_classifiers())
    return triples.y * (A[triples.objects[:, 0]].T * u).sum(axis=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spread", SPREADS)
def test_the_product_of_z_is_the_loss_of_the_model(spread, form):
    for seed in range(4):
        D, triples = problem(spread, form, seed)
        model = trained(D, triples, seed, query_sensitive=(0, 4)[seed % 2])
        said = math.prod(model.round_z) * math.prod(model.extra_z)
        yH = margins(model, D, triples)
        # a margin of 10**12 has been added up from terms of its size
        rounding = 1e-14 * max(1.0, np.abs(yH).max()) * len(model.round_z)
        loss = np.mean(np.exp(-yH))
        assert said == pytest.approx(loss, rel=1e-9 + rounding) and loss < 1


@pytest.mark.parametrize("spread", ["lognormal", "Cauchy"])
def test_heavy_tails_leave_no_triple_behind(spread):
    """Some margins make weights below 2**-53, half of the step at which errors are summed."""
    D, triples = problem(spread, "plain", 5, n=40, t=2000)
    model = trained(D, triples, 0, max_rounds=400)
    yH = margins(model, D, triples)
    assert yH.max() > 100 and np.mean(np.exp(-yH)) == pytest.approx(math.prod(model.round_z))
    assert (yH <= 0).mean() <= np.mean(np.exp(-yH)) < 0.3


def test_a_perfect_classifier_has_the_loss_that_it_says():
    D, triples, y = separable()
    model = trained(D, Triples(triples, y), 0, query_sensitive=2)
    said = math.prod(model.round_z) * math.prod(model.extra_z)
    yH = margins(model, D, Triples(triples, y))
    assert said == pytest.approx(np.mean(np.exp(-yH)), rel=1e-9)
