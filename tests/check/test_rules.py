"""The check notices each tie rule and each constant of its table: a copy of the reference without
one rule differs on the rule's case, and agrees again when the rule is back.

Not tested here: faults that break several rules (test_trainings.py).
"""

from types import SimpleNamespace

import pytest
from rule_mutants import MUTANTS, mutated

from refimpl.check.files import decoded_cases, folder
from refimpl.check.programs import Here, ProgramError
from refimpl.check.stages import difference_of
from refimpl.check.trainings import TRAININGS
from refimpl.check.trainings.drawn import DRAWS
from refimpl.check.trainings.rules import RULES

RULE_NAMES = [(rule.training, rule.name) for rule in RULES]


def test_each_training_has_rules_random_examples_and_each_rule_a_mutant():
    assert {rule.training for rule in RULES} == set(TRAININGS) == set(DRAWS)
    assert sorted(RULE_NAMES) == sorted(MUTANTS)


@pytest.mark.parametrize(("training", "rule"), RULE_NAMES)
def test_a_copy_without_the_rule_differs_on_the_rule_s_case(training, rule):
    subject = TRAININGS[training]
    (given,) = [part for part in decoded_cases(folder(), subject) if rule in part[0]["flags"]]
    case = given[0]
    program = Here(SimpleNamespace(**{training: lambda **arguments: subject.run(arguments)}))
    question = {"id": case["id"], "training": training, "arguments": case["arguments"]}
    assert difference_of(subject, *given, *program.ask(question)) is None
    with mutated(*MUTANTS[training, rule]):  # the check itself keeps the rule
        try:
            broken = program.ask(question)
        except ProgramError:  # the copy raises, which is a difference
            return
    difference = difference_of(subject, *given, *broken)
    assert difference is not None and difference.kind != "last bits"
