"""The check notices each tie rule and each constant of its table: a copy of the reference without
one rule differs on the rule's case, and agrees again when the rule is back.

Not tested here: faults that break several rules (test_trainings.py).
"""

from types import SimpleNamespace

import pytest
from rule_mutants import MUTANTS, mutated

from refimpl.check.comparing import difference_of
from refimpl.check.files import decoded_cases, folder
from refimpl.check.programs import Here, ProgramError
from refimpl.check.subjects import TRAININGS

KINDS = set(
    "plain, ties, constant columns, unbalanced, separable, constant stump, duplicates, asymmetric, "
    "modify, apart, shallow, one class, not metric, all".split(", ")
)
"""Flags of vectors that are no rules: kinds of problems."""


def test_each_training_has_rules_and_each_rule_a_mutant():
    flags = {
        (name, flag)
        for name, subject in TRAININGS.items()
        for case, *_ in decoded_cases(folder(), subject)
        for flag in case["flags"]
        if flag not in KINDS
    }
    assert flags == MUTANTS.keys() and {name for name, _ in flags} == set(TRAININGS)


@pytest.mark.parametrize(("training", "rule"), MUTANTS)
def test_a_copy_without_the_rule_differs_on_the_rule_s_case(training, rule):
    subject = TRAININGS[training]
    (given,) = [part for part in decoded_cases(folder(), subject) if rule in part[0]["flags"]]
    case = given[0]
    program = Here(SimpleNamespace(**{training: lambda **arguments: subject.run(arguments)}))
    question = {"id": case["id"], "training": training, "arguments": case["arguments"]}
    assert difference_of(subject, *given, *program.ask(question)) is None
    *change, line = MUTANTS[training, rule]
    with mutated(*change):  # the check itself keeps the rule
        if line is None:
            with pytest.raises(ProgramError):
                program.ask(question)
            return
        broken = program.ask(question)
    difference = difference_of(subject, *given, *broken)
    assert difference is not None and difference.kind != "last bits"
    assert difference.source == line
