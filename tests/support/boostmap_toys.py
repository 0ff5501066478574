"""Small problems for BoostMap, and a short training."""

import dataclasses

import numpy as np

from refimpl.boostmap import BoostMapOptions, CandidateDistances, Triples, algorithm, boostmap
from refimpl.boostmap import triples as tt
from refimpl.boostmap.model import BoostMap


def toy(n=60, t=600, seed=0, asymmetric=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    if asymmetric:
        D = D * (1 + 0.3 * rng.random((n, n)))
        np.fill_diagonal(D, 0)
    triples = tt.random_triples(D, t, rng=rng)
    return D, triples.objects, triples.y, (X[:, 0] > 0) + 2 * (X[:, 1] > 0)


def separable():
    """Nearly all triples can be ordered right, so § 7.3 as printed changes weights a long time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    triples = tt.nearby_triples(D, 20, 1200, rng=rng)
    return D, triples.objects, triples.y


OPTIONS = {field.name for field in dataclasses.fields(BoostMapOptions)}
EMBEDDING = [field.name for field in dataclasses.fields(BoostMap)][:14]
"""Fields of a model that say what it is, not how to go on with its training."""


def train(D, triples, y, d=6, kernels=None, seed=1, **others):
    options = {"n_references": 12, "n_best": 5}
    options |= {name: others.pop(name) for name in OPTIONS.intersection(others)}
    return boostmap(
        CandidateDistances(D.T, D.T),
        Triples(triples, y),
        d,
        rng=np.random.default_rng(seed),
        options=BoostMapOptions(**options),
        kernels=kernels,
        **others,
    )


def second_phase(F, triples, y, choices, seed=0, **how):
    """The printed rounds of the second phase, from equal weights."""
    margin, rng = np.zeros(len(y)), np.random.default_rng(seed)
    return algorithm.query_sensitive_rounds(F, triples, y, margin, choices, rng=rng, **how)


def margin_of(w):
    """Margins that make these weights; that of a weight of 0 is far away."""
    return -np.log(w, out=np.full(len(w), -(2.0**1000)), where=w > 0)
