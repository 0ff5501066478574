"""A training has the same bits with both kernel modules and on any number of threads.

Sizes at which the threads share work are tested in the papers' rooms and by the fuzzer.
"""

import numpy as np
from agreement import KERNELS, assert_same
from trainings import each


@each()
def test_every_step_has_the_same_bits_on_both_kernels_and_any_threads(training):
    result, steps = training.steps(kernels=KERNELS[0], threads=1)
    for kernels in KERNELS:
        for threads in (1, 2, 7, None):
            again, others = training.steps(kernels=kernels, threads=threads)
            assert_same(again, result)
            assert [(s.label, s.number, s.total) for s in others] == [
                (s.label, s.number, s.total) for s in steps
            ]
            for one, other in zip(steps, others, strict=True):
                assert_same(other.state, one.state)


@each(lambda one: one.ask)
def test_what_a_result_answers_has_the_same_bits_too(training):
    result = training()
    answers = training.ask(result, kernels=KERNELS[0], threads=1)
    for kernels in KERNELS:
        for threads in (1, 2, 7, None):
            assert_same(training.ask(result, kernels=kernels, threads=threads), answers)


@each()
def test_the_same_arguments_give_the_same_result_and_are_not_changed(training):
    before, arguments = training.arguments(), training.arguments()
    results = [training(**{**training.arguments(), **arguments}), training()]
    assert_same(*results)
    for name, value in before.items():
        if isinstance(value, np.ndarray):
            assert value.tobytes() == arguments[name].tobytes()
