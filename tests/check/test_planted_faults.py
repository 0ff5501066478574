"""Planted faults are found on the vectors and named at their line, correct kernels that add in
another order are not; a copy of the reference without one tie rule or constant differs on the
rule's case, and agrees again when the rule is back.

Not tested here: further cases of Hypothesis (test_exploring.py).
"""

from types import SimpleNamespace

import pytest
from asked import asking, differences
from faults import FAULTS, RULES, VARIANTS, faulty, mutated

from refimpl.check.asking import available
from refimpl.check.comparing import difference_of
from refimpl.check.files import cases_of
from refimpl.check.programs import ProgramError
from refimpl.check.serving import Server
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
        for case in cases_of(subject)
        for flag in case.flags
        if flag not in KINDS
    }
    assert flags == RULES.keys() and {name for name, _ in flags} == set(TRAININGS)


@pytest.mark.parametrize(("training", "rule"), RULES)
def test_a_copy_without_the_rule_differs_on_the_rule_s_case(training, rule):
    subject = TRAININGS[training]
    (case,) = [case for case in cases_of(subject) if rule in case.flags]
    program = Server(SimpleNamespace(**{training: lambda **arguments: subject.run(arguments)}))
    assert difference_of(case, *program.ask(case.question())) is None
    *change, line = RULES[training, rule]
    with mutated(*change):  # the check itself keeps the rule
        if line is None:
            with pytest.raises(ProgramError):
                program.ask(case.question())
            return
        broken = program.ask(case.question())
    difference = difference_of(case, *broken)
    assert difference is not None and difference.kind != "last bits"
    assert difference.source == line


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_at_its_line(name):
    subject, *change, kinds, source = FAULTS[name][:6]
    found = differences(subject, faulty(subject, *change))
    assert found, "no difference"
    for difference in found:
        assert difference.name == subject and difference.id.startswith(f"{subject}/")
        assert difference.kind == kinds or difference.kind in kinds, difference
        assert difference.source in (source, *FAULTS[name][6:]), difference
        assert difference.arguments and difference.words


@pytest.mark.parametrize("name", VARIANTS)
def test_another_order_of_summation_is_no_difference(name):
    kernel, *change = VARIANTS[name]
    asked = asking(**{kernel: faulty(kernel, *change)})
    assert not asked.ask([kernel])
    if available():
        assert asked.explore(kernel, 10, seed=1) is None
