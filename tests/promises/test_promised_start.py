"""A training that was interrupted, ended or saved goes on to where it would have ended.

Not tested here: kills, full disks and damaged files (tests/shared: test_faults.py,
test_results.py).
"""

import numpy as np
import pytest
from agreement import assert_same
from trainings import TRAININGS, each

import refimpl
from refimpl.boostmap import BoostMap

REFUSED = [(name, change) for name, one in TRAININGS.items() for change in one.refused]


def places(steps):
    """Up to six steps to go on from: the first, the last, and some between."""
    return sorted({0, 1, len(steps) // 3, len(steps) // 2, len(steps) - 2, len(steps) - 1})


def through_a_file(value, folder):
    """Save and load."""
    refimpl.save(folder / "file.npz", value)
    return refimpl.load(folder / "file.npz")


@each(lambda one: one.exact)
def test_it_goes_on_from_every_step_to_the_same_end(training, kernels, tmp_path):
    """Also where the kernels change on the way: the numbers, results and bits are the same."""
    whole, steps = training.steps()
    for place in places(steps):
        start = through_a_file(steps[place].result, tmp_path)
        again, rest = training.steps(start=start, kernels=kernels)
        assert_same(again, whole)
        assert [(s.label, s.number) for s in rest] == [
            (s.label, s.number) for s in steps[place + 1 :]
        ]
        for one, other in zip(rest, steps[place + 1 :], strict=True):
            assert_same(one.state, other.state)
            assert_same(one.result, other.result)


@each(lambda one: not one.exact)
def test_another_start_ends_at_the_same_optimum(training, tmp_path):
    whole, steps = training.steps()
    for place in places(steps):
        start = through_a_file(steps[place].result, tmp_path)
        again = training(start=start)
        assert again == training(start=start.L)
        assert again.converged and again.objective <= start.objective * (1 + 1e-12)
        assert again.objective == pytest.approx(whole.objective, rel=2e-3)


@each()
def test_an_interruption_leaves_its_last_step_in_the_checkpoint(training, tmp_path):
    """As Ctrl-C does, or an error, in the middle of any phase."""
    whole, steps = training.steps()
    for last in places(steps):
        seen = []
        error = (KeyboardInterrupt, MemoryError, RuntimeError)[last % 3]

        def interrupted(step, last=last, seen=seen, error=error):
            checkpoint(step)
            seen.append(step)
            if len(seen) == last + 1:
                raise error

        path = tmp_path / f"{last}.npz"
        with pytest.raises(error), refimpl.Checkpoint(path, every=1e9) as checkpoint:
            training(callback=interrupted)
        start = refimpl.load(path)
        assert isinstance(start, training.start) and len(seen) == last + 1
        assert_same(start, steps[last].result)
        if training.exact:
            assert_same(training(start=start), whole)


@each(lambda one: one.longer)
def test_a_longer_training_goes_on_from_a_shorter_one(training):
    _, steps = training.steps()
    whole, longer = training.steps(**training.longer)
    for start in (steps[0].result, steps[-1].result):
        again, rest = training.steps(start=start, **training.longer)
        assert_same(again, whole)
        assert (rest[-1].label, rest[-1].number) == (longer[-1].label, longer[-1].number)
        # and its first step keeps all that it started from
        again, further = training.steps(start=rest[0].result, **training.longer)
        assert_same(again, whole)
        assert [(s.label, s.number) for s in further] == [(s.label, s.number) for s in rest[1:]]


@pytest.mark.parametrize(("name", "change"), REFUSED, ids=[": ".join(one) for one in REFUSED])
def test_a_result_of_another_training_is_refused(name, change):
    training = TRAININGS[name]
    changes, message = training.refused[change]
    start = training.steps()[1][-1].result
    with pytest.raises((TypeError, ValueError), match=message):
        training(start=start, **changes)


@each()
@pytest.mark.parametrize("start", [{"a": 1}, "file.npz", object()], ids=["dict", "path", "object"])
def test_a_start_of_another_type_is_named(training, start):
    kind = type(start).__name__
    with pytest.raises(
        (TypeError, ValueError), match=rf"^start must .* got (an? |shape)?.*{kind}$"
    ):
        training(start=start)


@each(lambda one: one.start is BoostMap)
@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937])
def test_the_generator_goes_on_as_if_nothing_had_happened(training, kind):
    """Another one of its kind and of any state serves; it is drawn from after the training, too."""
    rng = np.random.Generator(kind(4))
    whole, steps = training.steps(rng=rng)
    drawn = rng.random()
    for place in places(steps):
        other = np.random.Generator(kind(5))
        assert_same(training(rng=other, start=steps[place].result), whole)
        assert other.random() == drawn
