"""BoostMap's printed steps: against the for-use form to the bit, and their edges.

Not tested here: the single steps of the second phase (`test_algorithm_query_sensitive.py`).
"""

import itertools
from functools import partial

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import KERNELS, assert_same, other_kernels
from boostmap_toys import separable, toy

from refimpl.boostmap import BoostMapOptions, CandidateDistances, Triples, algorithm, boostmap
from refimpl.boostmap import triples as tt
from refimpl.boostmap.rounds import training_rounds

RNG = np.random.default_rng


def ties():
    """Points of a small grid, some of them twice: equal distances, pivots at distance 0."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (40, 2)).astype(float)
    D = np.abs(X[:, None] - X).sum(axis=-1)
    triples = tt.random_triples(D, 350, rng=rng)
    return D, triples.objects, triples.y


def selective(asymmetric):
    D, _, _, labels = toy(n=50, asymmetric=asymmetric, seed=4)
    triples = tt.selective_triples(D, labels, 3, 700, rng=np.random.default_rng(2))
    return D, triples.objects, triples.y


def by_classes():
    D, _, _, labels = toy(n=45, seed=6)
    Phi = (labels[:, None] != labels) * 1.0
    rng = np.random.default_rng(3)
    triples = tt.selective_triples(D, labels, 4, 500, rng=rng, order_by=Phi)
    return D, triples.objects, triples.y


PROBLEMS = {  # D, triples, y; d, M_1, m, M_2; seed of the training
    "random": (toy, (7, 12, 12, 6), 0),
    "asymmetric": (partial(toy, seed=2, asymmetric=True), (6, 9, 20, 7), 0),
    "selective": (partial(selective, False), (8, 20, 5, 25), 0),
    "selective, asymmetric": (partial(selective, True), (8, 11, 33, 3), 0),
    "parameter space": (by_classes, (5, 45, 10, 4), 0),
    "ties": (ties, (6, 15, 15, 9), 0),
    "reference objects alone": (partial(toy, 20, 301, 8), (5, 20, 0, 20), 0),
    "nearly all in order": (separable, (5, 30, 30, 60), 0),
    "one coordinate": (partial(toy, 10, 64, 9), (1, 3, 2, 1), 0),
    "few tried": (partial(toy, 10, 40, 117, True), (12, 4, 3, 4), 117),
    "removals": (partial(toy, 12, 100, 8), (12, 6, 12, 1), 8),
    "removals, asymmetric": (partial(toy, 20, 60, 10, True), (12, 10, 20, 1), 10),
    "removals, the first of two": (partial(toy, 10, 34, 4180, True), (12, 2, 4, 4), 4180),
    "removals, the second of two": (partial(toy, 11, 27, 3880, True), (12, 3, 2, 2), 3880),
}
MOST = 700  # rounds of a first phase that may go on for ever


def posed(name, most=None):
    """The problem, of the first `most` triples, its sizes and a generator."""
    make, sizes, seed = PROBLEMS[name]
    D, triples, y = make()[:3]
    problem = algorithm.Problem(D.T.copy(), D.T.copy(), triples[:most], y[:most])
    return problem, dict(zip(("d", "M_1", "m", "M_2"), sizes, strict=True)), RNG(seed)


def printed(name, kernels, query_sensitive=0, choices=None):
    """All rounds of both phases by algorithm.py alone, and H."""
    problem, sizes, rng = posed(name)
    rounds = algorithm.training_rounds(problem, **sizes, rng=rng, kernels=kernels)
    first = list(itertools.islice(rounds, MOST))
    H = algorithm.strong_classifier(first)
    F, how = algorithm.embeddings(problem, list(H)), {"rng": rng, "kernels": kernels}
    second = algorithm.query_sensitive_rounds(
        F, problem.triples, problem.y, first[-1].m, choices, **how
    )
    return first, H, list(itertools.islice(second, query_sensitive))


def for_use(name, kernels, **options):
    """The model and all rounds of ``boostmap`` with the printed endings."""
    problem, sizes, rng = posed(name)
    distances = CandidateDistances(problem.D, problem.between)
    names = {"n_references": sizes["M_1"], "n_pairs": sizes["m"], "n_best": sizes["M_2"]}
    options = BoostMapOptions(**names, least_gain=0, max_rounds=MOST, **options)
    triples, log = Triples(problem.triples, problem.y), []
    how = {"rng": rng, "options": options, "kernels": kernels, "callback": log.append}
    return boostmap(distances, triples, sizes["d"], **how), [step.state for step in log]


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_for_use_form_gives_the_printed_rounds_to_the_bit(name, kernels):
    """`least_gain=0` and many rounds are §§ 7.3 and 8.1 as printed; bounds change nothing."""
    by_error = algorithm.Choices(6, ranges=algorithm.ranges_of_least_error)
    first, H, second = printed(name, kernels, query_sensitive=5, choices=by_error)
    model, log = for_use(name, kernels, query_sensitive=5, n_thresholds=6)
    assert_same(log, first + second)
    assert list(H) == list(zip(model.first.tolist(), model.second.tolist(), strict=True))
    assert_same(model.alpha, np.array(list(H.values())))
    removes = name.startswith(("few tried", "removals"))
    assert ("remove" in {round.step for round in first}) == removes
    assert "modify" in {round.step for round in first} or name == "one coordinate"
    # most first phases end by themselves
    assert len(first) < MOST or name in ("ties", "nearly all in order")


@pytest.mark.parametrize("splitters, ranges_by", [("one", "Z"), ("both", "error"), ("both", "Z")])
def test_readings_of_the_second_phase_are_the_printed_forms(splitters, ranges_by, kernels):
    by = algorithm.both_splitters if splitters == "both" else algorithm.splitters
    of = algorithm.ranges_of_least_z if ranges_by == "Z" else algorithm.ranges_of_least_error
    _, _, second = printed("random", kernels, 3, algorithm.Choices(4, by, of))
    given = {"query_sensitive": 3, "n_thresholds": 4}
    _, log = for_use("random", kernels, **given, splitters=splitters, ranges_by=ranges_by)
    assert_same(log[-3:], second)


def told(*shares):
    """Kernels whose ``z_values`` and ``next_weights`` give the Z that they are told."""
    left = list(shares)

    def z_values(F, *arguments, threads):
        return np.array([left.pop(0) for _ in F])

    def next_weights(*arguments, threads):
        after, w, _ = KERNELS[-1].next_weights(*arguments)
        return after, w, left.pop(0)

    return other_kernels(z_values=z_values, next_weights=next_weights)


@pytest.mark.parametrize(
    "share, gains", [(1 - 1e-9, True), (1 - 1e-11, True), (1 - 1e-13, False), (1.0, False)]
)
def test_a_gain_that_rounding_may_make_is_none(share, gains):
    """Steps 2 and 11 compare with 1, less one part in 10**12."""
    D, triples, y, _ = toy(n=12, t=80)
    problem = algorithm.Problem(D, D, triples, y)
    sizes = {"d": 3, "M_1": 12, "m": 0, "M_2": 12}

    for form in (algorithm.training_rounds, training_rounds):
        rounds = form(problem, **sizes, rng=RNG(0), kernels=told(share))
        assert len(list(itertools.islice(rounds, 1))) == gains
    kernels = told(0.99, share, 0.99)  # steps 11, 1 and 11
    rounds = algorithm.training_rounds(problem, **sizes, rng=RNG(0), kernels=kernels)
    second = list(itertools.islice(rounds, 2))[1]
    assert (second.step == "remove") == gains


def test_the_first_phase_ends_below_1_of_t_and_not_before():
    D, triples, y, _ = toy(n=12, t=64)
    problem = algorithm.Problem(D, D, triples, y)
    sizes = {"d": 3, "M_1": 12, "m": 0, "M_2": 12}
    for share, more in ((1 / 64, True), (1 / 65, False)):
        for rounds in (algorithm.training_rounds, training_rounds):
            found = rounds(problem, **sizes, rng=RNG(0), kernels=told(share, *[0.5] * 20))
            assert len(list(itertools.islice(found, 2))) == 1 + more


def test_steps_5_to_7_draw_from_all_candidates():
    D = toy(n=9, t=30)[0]
    problem = algorithm.Problem(D.T.copy(), D.T.copy(), None, None)
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        names = algorithm.candidate_classifiers(problem, 4, 3, {}, rng)
        r = names[:4]
        pairs = names[4:]
        assert len(set(r)) == 4 and all(h[1] == -1 for h in r) and all(a != b for a, b in pairs)
        seen |= set(names)
    assert len(seen) == 9 + 9 * 8
    F = algorithm.embeddings(problem, [(2, -1), (1, 3), (3, 1)])
    assert_same(F[0], problem.D[2])
    expected = oracles.reference_or_pivots(problem.D.tolist(), problem.between.tolist(), (1, 3))
    assert F[1] == pytest.approx(expected)
    assert np.ptp(F[1] + F[2]) == pytest.approx(0, abs=1e-12)  # reversed pivots: one classifier


@pytest.mark.parametrize("asymmetric", [False, True])
def test_reversed_pivots_keep_the_name_that_they_have(asymmetric):
    D = toy(n=6, t=30, asymmetric=asymmetric)[0]
    problem = algorithm.Problem(D.T.copy(), D.T.copy(), None, None)
    rng = np.random.default_rng(0)
    seen = set(algorithm.candidate_classifiers(problem, 1, 500, {(1, 3): 0.5, (4, -1): 0.5}, rng))
    assert {(1, 3), (2, 3), (3, 2), (4, 1), (1, 4)} <= seen and ((3, 1) in seen) == asymmetric
