"""A training of BoostMap that was interrupted ends as one that was not."""

import dataclasses

import numpy as np
import pytest
from agreement import KERNELS
from boostmap_toys import EMBEDDING, separable, toy, train

import refimpl
from refimpl.boostmap import BoostMap, BoostMapOptions, CandidateDistances, Triples, boostmap


@pytest.mark.parametrize("least_gain", [0.0, 0.05])
def test_an_interruption_in_any_round_of_a_stalled_training(least_gain):
    """The changes of weight in a row are counted on; the last round is the last."""
    D, triples, y = separable()
    options = {"d": 5, "n_references": 30, "max_rounds": 400, "least_gain": least_gain}
    options["kernels"] = KERNELS[-1]
    steps = []
    whole = train(D, triples, y, **options, callback=steps.append)
    J = len(whole.round_alpha)
    for n in (30, 60, 75, 110, J - 1, J):
        assert train(D, triples, y, **options, start=steps[n - 1].result) == whole


def test_candidates_of_other_names_go_on_too(kernels):
    D, triples, y, _ = toy(n=30, t=200)
    names = np.random.default_rng(3).permutation(1000)[:30]
    distances = CandidateDistances(D, D, candidates=names)
    triples = Triples(triples, y)
    options = BoostMapOptions(n_references=12, n_best=5, query_sensitive=3)

    def trained(distances=distances, **others):
        rng = np.random.default_rng(0)
        return boostmap(distances, triples, 4, rng=rng, options=options, **others)

    steps = []
    whole = trained(callback=steps.append)
    assert set(whole.references.tolist()) <= set(names.tolist())
    for step in steps[:: len(steps) // 5]:
        assert trained(start=step.result) == whole
    unnamed = trained(CandidateDistances(D, D))
    assert names[unnamed.first].tolist() == whole.first.tolist()
    with pytest.raises(ValueError, match="start must come from a training with the same"):
        trained(start=unnamed)


def test_a_file_of_an_earlier_release_is_read_and_cannot_be_gone_on_from(tmp_path):
    """It lacks what came later: the z_j and the state of the training."""
    D, triples, y, _ = toy()
    model = train(D, triples, y, query_sensitive=3)
    old = BoostMap(**{name: getattr(model, name) for name in EMBEDDING})
    refimpl.save(tmp_path / "model.npz", old)
    with np.load(tmp_path / "model.npz") as file:
        arrays = {name: file[name] for name in EMBEDDING}
    again = BoostMap(**arrays)
    assert again == old and again.truncated(2) == dataclasses.replace(
        model.truncated(2), round_z=np.empty(0)
    )
    with pytest.raises(ValueError, match="without the state of a training"):
        train(D, triples, y, query_sensitive=3, start=again)


def test_what_is_no_part_of_a_problem_is_refused():
    D = toy(n=10, t=20)[0]
    for candidates, message in (
        ([0, 1, 2], "candidates must have 10 entries, one for each row of D; got 3"),
        ([0] * 10, "candidates must be different objects; got 0 more than once"),
    ):
        with pytest.raises(ValueError, match=message):
            CandidateDistances(D, D, candidates)
    with pytest.raises(ValueError, match=r"between must have shape \(10, 10\).*; got \(9, 9\)"):
        CandidateDistances(D, D[:9, :9])


def test_what_a_problem_shows_of_itself():
    D, triples, y, _ = toy(n=10, t=20)
    assert (
        repr(CandidateDistances(D[:4], D[:4, :4])) == "CandidateDistances(4 candidates, 10 objects)"
    )
    assert repr(Triples(triples, y)) == "Triples(20 triples)"
    assert Triples(triples.tolist(), y.tolist()) == Triples(triples, y)
    assert Triples(triples, y) != Triples(triples, -y)
