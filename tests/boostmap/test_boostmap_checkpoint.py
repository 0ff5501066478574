"""A training of BoostMap that was interrupted ends as one that was not."""

import io
import re

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from test_boostmap import separable, toy, train

import refimpl
from refimpl.boostmap.checkpoint import BoostMapCheckpoint, Progress

ARRAYS = ("first", "second", "alpha", "coordinate", "by", "low", "high", "inside", "extra", "round_alpha")


class Interrupted(Exception):
    """Raised after some rounds, as by a user's Ctrl-C."""


def interrupt_after(n):
    rounds = []

    def callback(round):
        rounds.append(round)
        if len(rounds) == n:
            raise Interrupted

    return callback


def same(one, two):
    for name in ARRAYS:
        assert_same(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("stops", [(1,), (7,), (3, 3, 3), (5, 200), (10_000,)])
def test_an_interrupted_training_ends_as_an_uninterrupted_one(kernels, stops, tmp_path):
    D, triples, y, _ = toy()
    whole = train(D, triples, y, query_sensitive=5, kernels=kernels)
    path = tmp_path / "training.npz"
    for n in stops:
        try:
            train(D, triples, y, query_sensitive=5, kernels=kernels, checkpoint=path, callback=interrupt_after(n))
        except Interrupted:
            assert isinstance(refimpl.load(path), BoostMapCheckpoint)
    rng = np.random.default_rng(99)  # the file knows the generator's state
    from refimpl.boostmap import training as bm

    same(whole, bm.boostmap(D.T, D.T, triples, y, 6, rng=rng, M_1=12, M_2=5, query_sensitive=5, kernels=kernels,
                            checkpoint=path))  # fmt: skip
    same(whole, train(D, triples, y, query_sensitive=5, kernels=kernels, checkpoint=path))  # nothing left to do


def test_an_interruption_in_the_second_phase(tmp_path):
    D, triples, y, _ = toy()
    rounds = []
    whole = train(D, triples, y, query_sensitive=6, callback=lambda r: rounds.append(r) and False)
    first = sum(hasattr(r, "classifier") for r in rounds)
    path = tmp_path / "training.npz"
    with pytest.raises(Interrupted):
        train(D, triples, y, query_sensitive=6, checkpoint=path, callback=interrupt_after(first + 2))
    assert refimpl.load(path).phase == 2 and len(refimpl.load(path).extra) == 2
    same(whole, train(D, triples, y, query_sensitive=6, checkpoint=path))


def stop_at(n):
    rounds = []
    return lambda round: rounds.append(round) or len(rounds) == n


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("n", [1, 3, 17])
def test_a_training_that_a_callback_stopped_can_go_on(kernels, n, tmp_path):
    """Stopped in the first phase, in the second, or in both, it ends as one that was not."""
    D, triples, y, _ = toy()
    log = []
    whole = train(D, triples, y, query_sensitive=6, kernels=kernels, callback=lambda r: log.append(r) and False)
    first = sum(hasattr(r, "classifier") for r in log)
    assert n < first
    for stops in ((n,), (first + 2,), (n, first - n + 1), (first,)):
        path = tmp_path / f"{stops}.npz"
        for stop in stops:
            part = train(D, triples, y, query_sensitive=6, kernels=kernels, checkpoint=path, callback=stop_at(stop))
            assert len(part.round_alpha) <= first
        same(whole, train(D, triples, y, query_sensitive=6, kernels=kernels, checkpoint=path))


@pytest.mark.parametrize("least_gain", [0.0, 0.05])
def test_an_interruption_in_any_round_of_a_stalled_training(least_gain, tmp_path):
    """The changes of weight in a row are counted on; the last round is the last."""
    D, triples, y = separable()
    options = {"d": 5, "M_1": 30, "kernels": KERNELS[-1], "max_rounds": 400, "least_gain": least_gain}
    whole = train(D, triples, y, **options)
    J = len(whole.round_alpha)
    for n in (30, 60, 75, 110, J - 1, J):
        path = tmp_path / f"{n}.npz"
        with pytest.raises(Interrupted):
            train(D, triples, y, **options, checkpoint=path, callback=interrupt_after(n))
        same(whole, train(D, triples, y, **options, checkpoint=path))


def test_a_training_that_is_interrupted_in_its_last_round_has_no_further_one(tmp_path):
    D = np.abs(np.subtract.outer([0.0, 1.0, 5.0, 6.0], [0.0, 1.0, 5.0, 6.0]))
    triples, y = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], dtype=np.int32), np.ones(4)
    whole = train(D, triples, y, d=3)
    path = tmp_path / "training.npz"
    with pytest.raises(Interrupted):
        train(D, triples, y, d=3, checkpoint=path, callback=interrupt_after(len(whole.round_alpha)))
    same(whole, train(D, triples, y, d=3, checkpoint=path))


def test_a_file_of_another_training_is_refused(tmp_path):
    D, triples, y, _ = toy()
    path = tmp_path / "training.npz"
    train(D, triples, y, checkpoint=path)
    with pytest.raises(ValueError, match="belongs to another training"):
        train(D, triples, -y, checkpoint=path)
    with pytest.raises(ValueError, match="belongs to another training"):
        train(D, triples, y, d=5, checkpoint=path)
    refimpl.save(path, train(D, triples, y))
    with pytest.raises(ValueError, match="belongs to another training"):
        train(D, triples, y, checkpoint=path)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="training"):
        train(D, triples, y, checkpoint=path)


def test_progress_tells_both_phases():
    D, triples, y, _ = toy()
    stream = io.StringIO()
    train(D, triples, y, query_sensitive=3, callback=Progress(6, 3, every=0.0, stream=stream))
    lines = stream.getvalue().splitlines()
    assert re.fullmatch(r"round 1: 1 of 6 coordinates, loss 0\.\d+, \d+ s left", lines[0])
    assert re.fullmatch(r"round \d+: 3 of 3 query-sensitive rounds, loss [\d.e-]+, 0 s left", lines[-1])
    losses = [float(re.search(r"loss ([\d.e-]+)", line)[1]) for line in lines]
    assert losses == sorted(losses, reverse=True)
