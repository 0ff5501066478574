"""Hypothesis finds what no vector shows, and makes it small, in kernels and in trainings.

Not tested here: the vectors (test_kernels.py).
"""

import dataclasses

import numpy as np
import pytest
from asked import asking
from plain import rounds

import refimpl.kernels
from refimpl.check import asking as module_of_asking
from refimpl.check.asking import Asking
from refimpl.check.encoding import decode, encode
from refimpl.check.files import folder
from refimpl.check.programs import Asked
from refimpl.check.subjects import TRAININGS

pytest.importorskip("hypothesis")


def explored(name, function, examples, seed=0):
    """Return what is found of a function on random examples, and the notes."""
    asked = asking(**{name: function})
    return asked.explore(name, examples, seed), asked.notes


def sum_of_three(u, A, *, threads=None):
    """Wrong only where u holds a 2 and a -2 and A has three rows or more."""
    product = refimpl.kernels.vector_matrix(u, A)
    return product + 1 if len(u) >= 3 and 2 in u and -2 in u else product


def test_a_rare_fault_is_found_and_made_small():
    found = explored("vector_matrix", sum_of_three, 400)[0]
    assert found is not None and found.kind == "wrong" and found.id == "found by Hypothesis"
    u = decode(found.arguments["u"])
    A = decode(found.arguments["A"])
    assert sorted(u.tolist()) == [-2, 0, 2] and A.shape == (3, 1) and not A.any()


def test_the_same_seed_finds_the_same_case():
    first, second = (
        explored("vector_matrix", lambda u, A, threads=None: np.zeros(9), 50, seed=3)[0]
        for _ in range(2)
    )
    assert first == second and first is not None


@pytest.mark.parametrize("wrong", [0, 1])
def test_the_examples_after_one_that_is_skipped_are_asked(wrong):
    """The program refuses two rows, and is right or wrong where three are given."""

    class Program(Asked):
        def answer(self, question):
            given = {name: decode(part) for name, part in question["arguments"].items()}
            n = len(given["u"])
            product = refimpl.kernels.vector_matrix(**given) + wrong * (n == 3)
            answer = {"skip": True} if n == 2 else {"result": {"uA": encode(product)}}
            return {"id": question["id"], **answer}

    asked = Asking(Program(), folder())
    found = asked.explore("vector_matrix", 50, seed=0)
    if wrong:
        assert found is not None and len(decode(found.arguments["u"])) == 3
    else:
        assert found is None
        assert [note.endswith("of 50 random examples were skipped") for note in asked.notes] == [
            True
        ]


# ---------------------------------------------------------------------------------------- trainings


def run(training):
    return lambda **arguments: TRAININGS[training].run(arguments)


@pytest.mark.parametrize("name", TRAININGS)
def test_the_reference_s_own_rounds_agree(name):
    assert explored(name, run(name), 20) == (None, [])


def test_a_tie_rule_is_a_difference_where_sums_are_exact_and_a_note_where_rounding_breaks_ties():
    """Of features of the same error the last one wins, by exact sums and by rounded ones."""

    def answer(P, N, T):
        return rounds(P, N, T, last=True)

    found, notes = explored("adaboost", answer, 100)
    assert found is not None and found.kind == "a tie broken otherwise"
    assert found.source == "BD:A.2:8"
    assert len(found.arguments["P"]["values"]) + len(found.arguments["N"]["values"]) == 4

    def thirds(P, N, T):
        return (answer if {len(P), len(N)} & {3, 5} else run("adaboost"))(P=P, N=N, T=T)

    found, notes = explored("adaboost", thirds, 100)
    assert found is None
    assert any("another choice of equal worth in " in note for note in notes)


def test_an_accepted_kind_does_not_end_the_search():
    def answer(P, N, T):
        states = rounds(P, N, T, last=True)
        states[0]["alpha"] += len(P) == 4
        return states

    asked = asking(adaboost=answer)
    asked.accepted = {"a tie broken otherwise"}
    found = asked.explore("adaboost", 100, 0)
    assert found is not None and found.kind == "wrong" and found.source == "BD:A.2:12"


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

    changed = dataclasses.replace(training, run=run, follow=follow)
    monkeypatch.setitem(module_of_asking.TRAININGS, "adaboost", changed)
    with np.errstate(divide="raise"):
        assert explored("adaboost", lambda **given: training.run(given), 5) == (None, [])
    assert len(states) >= 10 and set(states) == {"ignore"}


def test_a_reference_without_memory_is_no_example(monkeypatch):
    def run(arguments):
        raise MemoryError

    without = dataclasses.replace(TRAININGS["adaboost"], run=run)
    monkeypatch.setitem(module_of_asking.TRAININGS, "adaboost", without)
    with pytest.raises(MemoryError):
        explored("adaboost", lambda P, N, T: [], 5)
