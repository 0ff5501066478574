"""The estimate of a training's memory is an upper bound, on both kernels."""

import dataclasses

import numpy as np
import pytest
from peaks import traced_peak

import refimpl
from refimpl.boostmap import BoostMapOptions, CandidateDistances, Triples, boostmap, estimate_memory

pytestmark = pytest.mark.one_case

# candidates, objects, triples, d, M_1, m, rounds of the second phase, ranges by, in another form
SHAPES = {
    "candidates, to be copied": (200, 300, 2000, 10, 1000, None, 5, "error", True),
    "triples": (30, 40, 40_000, 6, 30, 10, 3, "error", False),
    "triples, one phase": (30, 40, 120_000, 6, 30, 10, 0, "error", False),
    "objects": (100, 2000, 300, 40, 20, 5, 20, "error", True),
    "ranges by Z": (30, 3000, 60, 3, 10, 4, 3, "Z", False),
    "many ranges": (4, 6, 40, 3, 4, 2, 2, "Z", False),
    "dimensions": (40, 2000, 2000, 60, 10, 10, 60, "error", False),
}


def problem(n_C, n, t, otherwise):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    C = rng.normal(size=(n_C, 3))
    D, between = (np.sqrt(((C[:, None] - Y) ** 2).sum(axis=-1)) for Y in (X, C))
    if otherwise:
        D = np.asfortranarray(D)
        between = between.astype(np.float32)
    triples = Triples(rng.integers(0, n, (t, 3)), rng.choice([-1, 1], t))
    return CandidateDistances(D, between), triples


@pytest.mark.parametrize("shape", SHAPES)
def test_the_estimate_is_not_exceeded(shape, kernels, tmp_path):
    n_C, n, t, d, M_1, m, extra, by, otherwise = SHAPES[shape]
    arguments = (*problem(n_C, n, t, otherwise), d)
    options = BoostMapOptions(
        n_references=M_1,
        n_pairs=m,
        query_sensitive=extra,
        ranges_by=by,
        n_thresholds=200 if shape == "many ranges" else 20,
        max_rounds=2 * d,
        splitters="both" if shape in ("objects", "ranges by Z") else "one",
    )
    others = {"options": options, "kernels": kernels, "threads": 2}
    # what is made once
    boostmap(*problem(4, 6, 9, False), 1, rng=np.random.default_rng(0), kernels=kernels)

    def train():
        with refimpl.Checkpoint(tmp_path / "file") as checkpoint:
            boostmap(*arguments, rng=np.random.default_rng(1), callback=checkpoint, **others)

    peak = traced_peak(train)
    estimate = estimate_memory(*arguments, rng=np.random.default_rng(1), **others)
    # the second phase is estimated for d classifiers; these trainings choose fewer
    assert peak <= estimate <= 8 * peak + 2**21
    with pytest.raises(MemoryError, match="max_memory is"):
        boostmap(*arguments, rng=np.random.default_rng(1), max_memory=estimate - 1, **others)


def test_a_triple_takes_more_with_a_second_phase():
    """Three numbers of each triple, where a few objects take next to nothing."""

    def estimate(t, query_sensitive):
        options = BoostMapOptions(n_references=3, query_sensitive=query_sensitive)
        return estimate_memory(*problem(3, 5, t, False), 2, options=options)

    of_triples = [estimate(20_000, phase) - estimate(10_000, phase) for phase in (0, 2)]
    assert of_triples[1] - of_triples[0] >= 10_000 * 24


def test_a_dimension_takes_a_number_of_each_object():
    """Where the objects are many, the coordinates that a training keeps grow with d."""
    distances = problem(3, 2000, 10, False)
    options = BoostMapOptions(n_references=3, n_best=2, max_rounds=50)
    of_10, of_50 = (estimate_memory(*distances, d, options=options) for d in (10, 50))
    assert of_50 - of_10 >= 40 * 8 * 2000


def test_more_classifiers_than_a_round_tries_take_no_more():
    options = BoostMapOptions(n_references=3, n_best=6, max_rounds=50)
    all_of_them = dataclasses.replace(options, n_best=10**18)
    distances = problem(3, 20, 10, False)
    enough = estimate_memory(*distances, 2, options=options)
    assert estimate_memory(*distances, 2, options=all_of_them) == enough
