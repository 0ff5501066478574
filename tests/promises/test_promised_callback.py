"""A callback sees each step of a training, and ends a phase of it by returning True."""

import inspect
import threading

import numpy as np
import pytest
from agreement import assert_same
from trainings import TRAININGS, each

import refimpl
from refimpl import boosted_distance, boostmap, ftune, lmnn, search_forest


def test_every_public_training_is_in_the_table():
    public = {
        function
        for room in (boosted_distance, boostmap, ftune, lmnn, search_forest)
        for name, function in vars(room).items()
        if name in room.__all__ and name != "estimate_memory" and inspect.isfunction(function)
        if {"start", "max_memory"} <= inspect.signature(function).parameters.keys()
    }
    assert {one.function for one in TRAININGS.values()} == public


@each()
def test_each_step_is_numbered_within_its_phase(training):
    result, steps = training.steps()
    results = result if isinstance(result, tuple) else (result,)
    assert isinstance(result, training.result) and all(isinstance(s, refimpl.Step) for s in steps)
    labels = list(dict.fromkeys(step.label for step in steps))
    assert tuple(labels) == training.labels
    if training.start.__name__ == "FTuneTraining":  # a phase is a step there
        phases = [steps]
    else:
        phases = [[step for step in steps if step.label == label] for label in labels]
    for phase in phases:
        assert [step.number for step in phase] == list(range(1, len(phase) + 1))
        assert len({step.total for step in phase}) == 1 and len(phase) <= phase[0].total
    assert all(isinstance(step.result, training.start) for step in steps)
    for step in steps:
        place = f"number={step.number}, total={step.total}, label={step.label!r}"
        assert repr(step) == f"Step({place}, {type(step.state).__name__})"
    if isinstance(results[0], training.start):
        assert_same(steps[-1].result, result)


@each()
def test_a_step_does_not_change_while_the_training_goes_on(training):
    """What is asked for at once and what is asked for at the end are the same."""
    at_once = []
    _, steps = training.steps()
    training(callback=lambda step: at_once.append(step.result))
    for step, result in zip(steps, at_once, strict=True):
        assert_same(step.result, result)


@each()
@pytest.mark.parametrize("truth", [True, np.True_, 1], ids=repr)
def test_true_ends_each_phase_after_its_first_step(training, truth):
    steps = []
    training(callback=lambda step: steps.append(step) or truth)
    ends_all = training.start.__name__ == "FTuneTraining"
    assert [step.label for step in steps] == list(training.labels[: 1 if ends_all else None])
    assert {step.number for step in steps} == {1}


@each()
def test_ending_a_training_gives_the_result_of_its_step(training):
    """For FTUNE, of the classes so far; its step has no classifier yet."""
    whole, steps = training.steps()
    last = [step for step in steps if step.label == training.labels[-1]]
    for step in (last[0], last[len(last) // 2], last[-1]):
        place = step.label, step.number
        ended = training(callback=lambda now, place=place: (now.label, now.number) == place)
        if training.start is training.result:
            assert_same(ended, step.result)
        else:
            assert_same(ended, whole)  # it is the last class


@each()
@pytest.mark.parametrize("returned", [None, False, np.False_, 0], ids=repr)
def test_what_a_callback_returns_else_does_not_matter(training, returned):
    assert_same(training(callback=lambda step: returned), training())


@each()
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, SystemExit])
def test_what_a_callback_raises_comes_through(training, error):
    raised = error("in the callback")
    training(threads=1)
    before = threading.active_count()

    def fails(step):
        raise raised

    with pytest.raises(error) as caught:
        training(callback=fails, threads=1)
    assert caught.value is raised and threading.active_count() == before


@each()
def test_what_is_no_function_is_refused(training):
    with pytest.raises(TypeError, match=r"^callback must be a function of a refimpl\.Step; got 3$"):
        training(callback=3)
