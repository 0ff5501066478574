"""Hypothesis finds what no vector shows, and makes it small, in kernels and in trainings.

Not tested here: the vectors (test_kernels.py).
"""

import dataclasses
import types

import numpy as np
import pytest
from training_mutants import rounds

import refimpl.kernels
from refimpl.check import exploring
from refimpl.check.encoding import decode
from refimpl.check.running import Module
from refimpl.check.trainings import TRAININGS
from refimpl.check.trainings.drawn import DRAWS

pytest.importorskip("hypothesis")


def sum_of_three(u, A, *, threads=None):
    """Wrong only where u holds a 2 and a -2 and A has three rows or more."""
    product = refimpl.kernels.vector_matrix(u, A)
    return product + 1 if len(u) >= 3 and 2 in u and -2 in u else product


def test_a_rare_fault_is_found_and_made_small():
    module = Module(types.SimpleNamespace(vector_matrix=sum_of_three))
    found = exploring.explored(module, "vector_matrix", 400, seed=0)
    assert found is not None and found.kind == "wrong" and found.id == "found by Hypothesis"
    u = decode(found.arguments["u"])
    A = decode(found.arguments["A"])
    assert sorted(u.tolist()) == [-2, 0, 2] and A.shape == (3, 1) and not A.any()


def test_the_reference_by_another_name_agrees():
    def vector_matrix(u, A, *, threads=None):
        return refimpl.kernels.vector_matrix(u, A)

    module = Module(types.SimpleNamespace(vector_matrix=vector_matrix))
    assert exploring.explored(module, "vector_matrix", 50, seed=0) is None


def test_the_same_seed_finds_the_same_case():
    module = Module(types.SimpleNamespace(vector_matrix=lambda u, A, threads=None: np.zeros(9)))
    first, second = (exploring.explored(module, "vector_matrix", 50, seed=3) for _ in range(2))
    assert first == second and first is not None


# ---------------------------------------------------------------------------------------- trainings


def run(training):
    return lambda name, arguments: TRAININGS[training].run(arguments)


@pytest.mark.parametrize("name", DRAWS)
def test_the_reference_s_own_rounds_agree(name):
    assert exploring.explored_training(run(name), name, 20, seed=0) == (None, [])


def test_a_plain_a_2_agrees_where_its_sums_of_floats_break_ties():
    def answer(name, arguments):
        return rounds(**arguments)

    found, notes = exploring.explored_training(answer, "adaboost", 60, seed=0)
    assert found is None and all("rounding may be the reason" in note for note in notes)


def test_a_tie_rule_is_a_difference_where_sums_are_exact_and_a_note_where_rounding_breaks_ties():
    """Of features of the same error the last one wins, by exact sums and by rounded ones."""

    def answer(name, arguments):
        return rounds(**arguments, last=True)

    found, notes = exploring.explored_training(answer, "adaboost", 100, seed=0)
    assert found is not None and found.kind == "a tie broken otherwise"
    assert found.source == "BD:A.2:8"
    assert len(found.arguments["P"]["values"]) + len(found.arguments["N"]["values"]) == 4

    def thirds(name, arguments):
        sizes = {len(arguments["P"]), len(arguments["N"])}
        return (answer if sizes & {3, 5} else run(name))(name, arguments)

    found, notes = exploring.explored_training(thirds, "adaboost", 100, seed=0)
    assert found is None
    assert any("another choice of equal worth in " in note for note in notes)


def test_a_fault_of_a_training_is_made_small():
    """Wrong only if two positives are alike: the smallest problem has the point (0) three times."""

    def answer(name, arguments):
        P = arguments["P"]
        states = TRAININGS["adaboost"].run(arguments)
        if len(np.unique(P, axis=0)) < len(P):
            states[0]["alpha"] += 1
        return states

    found, _ = exploring.explored_training(answer, "adaboost", 100, seed=0)
    assert found is not None and found.source == "BD:A.2:12" and found.kind == "wrong"
    P, N = (decode(found.arguments[name]) for name in ("P", "N"))
    assert P.tolist() == [[0.0], [0.0]] and N.tolist() == [[0.0]]
    assert found.arguments["T"] == 1


def test_a_module_s_numpy_errors_are_not_the_reference_s(monkeypatch):
    """Where a module sets "raise", neither the reference nor the comparison may fail."""
    states = []
    training = TRAININGS["adaboost"]

    def run(arguments):
        states.append(np.geterr()["divide"])
        return training.run(arguments)

    def follow(*rounds):
        states.append(np.geterr()["divide"])
        return training.follow(*rounds)

    def answer(name, arguments):
        return training.run(arguments)

    changed = dataclasses.replace(training, run=run, follow=follow)
    monkeypatch.setitem(exploring.TRAININGS, "adaboost", changed)
    with np.errstate(divide="raise"):
        assert exploring.explored_training(answer, "adaboost", 5, seed=0) == (None, [])
    assert len(states) >= 10 and set(states) == {"ignore"}


def test_a_reference_without_memory_is_no_example(monkeypatch):
    def run(arguments):
        raise MemoryError

    without = dataclasses.replace(TRAININGS["adaboost"], run=run)
    monkeypatch.setitem(exploring.TRAININGS, "adaboost", without)
    with pytest.raises(MemoryError):
        exploring.explored_training(lambda name, arguments: [], "adaboost", 5, seed=0)


def test_a_training_that_raises_is_no_answer():
    def answer(name, arguments):
        raise ZeroDivisionError("by hand")

    found, _ = exploring.explored_training(answer, "lipschitz", 5, seed=0)
    assert found is not None and found.kind == "no answer" and "by hand" in found.words
