"""Athitsos et al. (2005), §§ 7 and 8: where trainings end, and units that are refused."""

import itertools

import numpy as np
import pytest
from agreement import KERNELS
from boostmap_toys import separable, toy, train

from refimpl.boostmap import algorithm
from refimpl.boostmap import rounds as bm
from refimpl.spaces import PrecomputedSpace


def test_the_rounds_have_an_end():
    D, triples, y = separable()
    log = []
    how = {"n_references": 30, "kernels": KERNELS[-1]}
    model = train(D, triples, y, d=8, **how, max_rounds=40, callback=log.append)
    assert len(log) == len(model.round_alpha) == 40
    assert len(train(D, triples, y, d=2, **how, least_gain=0).round_alpha) <= 200


def test_changes_of_weight_that_gain_little_are_followed_by_an_addition():
    D, triples, y = separable()
    problem = algorithm.Problem(D, D, triples, y)
    sizes = (12, 30, 30, 60)
    logs = []
    for least_gain in (0.0, 0.05):
        rng = np.random.default_rng(1)
        how = {"kernels": KERNELS[-1], "least_gain": least_gain}
        rounds = bm.training_rounds(problem, *sizes, rng=rng, **how)
        logs.append([(r.step, r.classifier, r.z) for r in itertools.islice(rounds, 4000)])
    printed, ours = logs
    stalled = longest = 0
    run = []
    H = set()
    for place, (step, h, z) in enumerate(ours):
        if len(run) >= 50 and np.prod(run[-50:]) > 0.95:
            assert step != "modify"
            stalled += 1
            # until then it is § 7.3 as printed
            assert stalled > 1 or ours[:place] == printed[:place] != ours
        run = [*run, z] if h in H and step != "remove" else []
        H = H - {h} if step == "remove" else H | {h}
        longest = max(longest, len(run))
    assert stalled > 0 and len(ours) < len(printed)


def test_half_of_the_splitters_are_the_coordinate_itself():
    rng = np.random.default_rng(0)
    drawn = np.array([algorithm.splitters(3, rng)[1] for _ in range(4000)])
    for c in range(3):
        counts = np.bincount(drawn[:, c], minlength=3)
        assert abs(counts[c] / 4000 - 0.5) < 0.03
        assert (abs(np.delete(counts, c) / 4000 - 0.25) < 0.03).all()
    for d in (1, 2):
        assert max(algorithm.splitters(d, rng)[1].max() for _ in range(40)) == d - 1


@pytest.mark.parametrize("unit", [1e-140, 1e155])
def test_distances_whose_squares_leave_the_range_are_refused(kernels, unit):
    D, triples, y, _ = toy(n=12, t=50)
    refused = r"D: distances above 0 must lie between 1e-100 and 1e[+]100; got"
    with pytest.raises(ValueError, match=refused):
        train(D * unit, triples, y, kernels=kernels)
    model = train(D, triples, y, kernels=kernels)
    if unit > 1:
        with pytest.raises(ValueError, match=r"distances must be at most 1e[+]150"):
            model.embed(PrecomputedSpace(D * unit))
