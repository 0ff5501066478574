"""The check notices each tie rule and each constant of its table: a copy of the reference without
one rule differs on the rule's case, and agrees again when the rule is back.

Not tested here: faults that break several rules (test_trainings.py).
"""

import pytest
from rule_mutants import MUTANTS, mutated

from refimpl.check.files import folder
from refimpl.check.stages import decoded_trainings, difference_in
from refimpl.check.trainings import TRAININGS
from refimpl.check.trainings.drawn import DRAWS
from refimpl.check.trainings.rules import RULES

RULE_NAMES = [(rule.training, rule.name) for rule in RULES]


def test_each_training_has_rules_random_examples_and_each_rule_a_mutant():
    assert {rule.training for rule in RULES} == set(TRAININGS) == set(DRAWS)
    assert sorted(RULE_NAMES) == sorted(MUTANTS)


@pytest.mark.parametrize(("training", "rule"), RULE_NAMES)
def test_a_copy_without_the_rule_differs_on_the_rule_s_case(training, rule):
    (found,) = [part for part in decoded_trainings(folder(), training) if rule in part[0]["flags"]]
    case, arguments, expected = found

    def right(name, given):
        return TRAININGS[training].run(given)

    def broken(name, given):
        with mutated(*MUTANTS[training, rule]):  # the check itself keeps the rule
            return TRAININGS[training].run(given)

    with mutated(*MUTANTS[training, rule]):
        pass  # the text of the rule is there
    assert difference_in(TRAININGS[training], case, arguments, expected, right) is None
    difference = difference_in(TRAININGS[training], case, arguments, expected, broken)
    assert difference is not None and difference.kind != "last bits"
