"""BoostMap's second phase as printed, §§ 8.1 and 8.3: each step against loops that follow the text.

Not tested here: whole trainings, and the form for use (`test_algorithm_boostmap.py`).
"""

import itertools

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import KERNELS, other_kernels
from boostmap_toys import margin_of, second_phase, toy

from refimpl.boostmap import algorithm
from refimpl.kernels.stumps import on_grid


@pytest.mark.parametrize(
    "share, gains", [(1 - 1e-9, True), (1 - 1e-11, True), (1 - 1e-13, False), (1.0, False)]
)
def test_the_second_phase_ends_without_a_gain_that_is_more_than_rounding(share, gains):
    D, triples, y, _ = toy(n=12, t=80)

    def minimize_z(F, *arguments, threads):
        return np.ones(len(F)), np.full(len(F), share)

    choices = algorithm.Choices(3, ranges=algorithm.ranges_of_least_error)
    kernels = other_kernels(minimize_z=minimize_z)
    rounds = second_phase(D[:3], triples, y, choices, kernels=kernels)
    assert len(list(itertools.islice(rounds, 1))) == gains


def test_weights_begin_at_0_for_each_range():
    """Steps 9-10 have l = 0."""
    D, triples, y, _ = toy(n=15, t=80, seed=3)
    least = []

    def minimize_z(*arguments, threads):
        least.extend(arguments[4].tolist())
        return KERNELS[-1].minimize_z(*arguments, threads=threads)

    choices = algorithm.Choices(3, ranges=algorithm.ranges_of_least_z)
    kernels = other_kernels(minimize_z=minimize_z)
    next(second_phase(D[:3], triples, y, choices, seed=1, kernels=kernels))
    assert set(least) == {0.0}


def test_a_range_holds_its_lower_end_and_its_complement_the_upper_one():
    values = np.array([0.0, 1.0, 2.0, 3.0])
    assert algorithm.accepts(values, 1.0, 3.0, 1).tolist() == [0, 1, 1, 0]
    assert algorithm.accepts(values, 1.0, 3.0, 0).tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("ranges", [algorithm.ranges_of_least_z, algorithm.ranges_of_least_error])
def test_of_equal_ranges_and_coordinates_the_first_is_taken(ranges):
    """One query for all triples: any range that accepts it is as good; coordinates are alike."""
    D, triples, y, _ = toy(n=15, t=80, seed=3)
    triples = np.column_stack([np.zeros_like(y), triples[:, 1:]]).astype(np.int32)
    y = np.where(D[0, triples[:, 2]] >= D[0, triples[:, 1]], 1.0, -1.0)
    found = next(
        second_phase(D[[0, 0, 0]], triples, y, algorithm.Choices(3, ranges=ranges), seed=1)
    )
    assert (found.c, found.low, found.high, found.inside) == (0, -np.inf, np.inf, 1)


def test_thresholds_lie_half_way_between_the_queries_values():
    """Each as often as its query stands in a triple; none above the greatest value."""
    F = np.array([5.0, 1.0, 9.0, 3.0, 7.0, 4.0])
    q = np.array([1] * 6 + [3] * 2 + [0, 2])
    rng = np.random.default_rng(0)
    drawn = np.array([algorithm.thresholds(F, q, np.unique(q), 4, rng) for _ in range(2000)])
    assert (np.diff(drawn, axis=1) >= 0).all()
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [2, 4, 7]
    assert counts / drawn.size == pytest.approx([0.6, 0.2, 0.2], abs=0.03)
    assert algorithm.thresholds(F, np.array([1, 1]), np.array([1]), 3, rng).tolist() == [np.inf] * 3


def test_section_8_3_takes_the_range_of_least_error():
    D, triples, y, _ = toy(n=15, t=80, seed=5)
    w = on_grid(np.random.default_rng(0).dirichlet(np.ones(len(y))))
    rng = np.random.default_rng(2)
    q = triples[:, 0]
    t = np.array([algorithm.thresholds(F_g, q, np.unique(q), 3, rng) for F_g in D[:3]])
    found = algorithm.ranges_of_least_error(
        D[:3], D[3:6], triples, y, margin_of(w), t, kernels=KERNELS[-1]
    )
    for F_g, F_c, t_c, V in zip(D[:3], D[3:6], t, found, strict=True):
        errors = []
        for one in algorithm.ranges(t_c.tolist()):
            inside = algorithm.accepts(F_g, *one)
            errors.append(oracles.range_error(inside.tolist(), F_c, triples.tolist(), y, w, {1.0}))
        assert V == algorithm.ranges(t_c.tolist())[errors.index(min(errors))]


def test_both_splitters_are_2_d_classifiers():
    rng = np.random.default_rng(0)
    for _ in range(50):
        c, g = algorithm.both_splitters(5, rng)
        assert c.tolist() == [*range(5)] * 2 and g[:5].tolist() == [*range(5)]
        assert (g[5:] != c[5:]).all()
    assert [x.tolist() for x in algorithm.both_splitters(1, rng)] == [[0], [0]]
