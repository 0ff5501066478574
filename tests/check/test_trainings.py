"""Whole trainings: a plain A.2 agrees, what follows a choice, a wrong number of rounds, parts of
rounds that are unknown, renamed, missing, and arguments that must stay as they are.

Not tested here: planted faults (test_planted_faults.py), logs (test_logs.py), that the vectors are
right (tests/vectors).
"""

import json
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from asked import differences
from faults import RULES, faulty
from plain import rounds

import refimpl.kernels
from refimpl.check import cli, test_conformance
from refimpl.check.files import cases_of
from refimpl.check.reports import remarks
from refimpl.check.serving import Server
from refimpl.check.subjects import KERNELS, TRAININGS

OF_PLAIN = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom plain import rounds"
)


def found_of(name, change):
    """Return what differs if a function changes the rounds of the reference."""

    def training(**arguments):
        states = TRAININGS[name].run(arguments)
        changed = change(states)
        return states if changed is None else changed

    return differences(name, training)


def test_a_plain_a_2_agrees(tmp_path, capsys):
    """Its errors are sums of floats, not on the grid; no round of these cases hangs on that."""
    (tmp_path / "mine.py").write_text(f"{OF_PLAIN} as adaboost", encoding="utf-8")
    assert cli.main(["trainings", str(tmp_path / "mine.py")]) == 0
    said = capsys.readouterr()
    assert "adaboost" in said.out and "the vectors are done; the examples take" in said.err
    (tmp_path / "mine.py").write_text("def adaboost(P, N, T):\n    raise ValueError")
    assert cli.main(["trainings", str(tmp_path / "mine.py")]) == 1
    note = "no random examples before the vectors agree: adaboost"
    assert note in capsys.readouterr().out
    (tmp_path / "mine.py").write_text(f"{OF_PLAIN} as other", encoding="utf-8")
    assert cli.main(["trainings", str(tmp_path / "mine.py")]) == 2
    assert "none of the trainings" in capsys.readouterr().err


# ------------------------------------------------------------------------------ choices and numbers


def test_a_tie_ends_the_comparison_where_choices_are_not_followed():
    """Later landmarks differ because of the tie: they are not called wrong."""

    dselect = faulty("dselect", *RULES["dselect", "lowest-of-equal-sums"][:3])
    (first,) = (one for one in differences("dselect", dselect) if "ties" in one.flags)
    assert first.kind == "another choice; what follows it was not compared"
    number = int(first.words.removeprefix("round ").split(":")[0])
    assert f"not compared: rounds {number + 1} to " in first.words


def test_what_cancels_is_no_digit_but_a_small_error_is_one():
    """An entry that should be 0 may be 1e-15 of the largest; an error of 1e-5 of it is found."""
    for size, sources in ((1e-15, set()), (1e-5, {"LM:eq5"})):

        def change(states, size=size):
            for state in states:
                state["G"] = state["G"] + size * np.abs(state["G"]).max()

        assert {one.source for one in found_of("lmnn_steps", change)} == sources


def test_a_wrong_number_of_rounds_is_not_hidden_by_last_bits():
    """One round too many, and too few, after a w that is off by 4e-6."""

    def off(states):
        states[0]["w"] = states[0]["w"] * (1 + 4e-6)
        return states

    assert {one.kind for one in found_of("boostmap", off)} == {"last bits"}
    for end in (lambda states: off(states)[:-1], lambda states: [*off(states), states[-1]]):
        for one in found_of("boostmap", end):
            assert one.kind == "wrong" and one.output == "rounds", one

    def change(states):
        for state in off(states)[1:2]:
            state["z"] = state["z"] ** 2

    for one in found_of("boostmap", change):
        assert one.kind == "last bits" or one.words.startswith("round 2: z"), one


def test_two_objects_at_distance_zero_are_no_pivots():
    """The search goes on from the next start there, so the pair is wrong, and no tie."""

    def second_pair_is_one_object(D, d, starts, iterations):
        given = {"D": D, "d": d, "starts": starts, "iterations": iterations}
        first, *others = TRAININGS["fastmap"].run(given)
        return [first, *({**state, "pivots": starts[1, [0, 0]]} for state in others)]

    found = differences("fastmap", second_pair_is_one_object)
    assert {one.output for one in found} == {"pivots"} and {one.kind for one in found} == {"wrong"}
    assert not any("nan" in one.words for one in found)


def test_too_few_rounds_and_no_rounds():
    (first, *_) = differences("adaboost", lambda P, N, T: rounds(P, N, T - 1))
    assert "ended after" in first.words
    for wrong, named in (([3], "list of int"), (3, "int"), ("ab", "str")):
        (first, *_) = differences("adaboost", lambda P, N, T, wrong=wrong: wrong)
        assert first.kind == "no answer" and first.words == (
            "adaboost must return a list, for each round a dict with some of w, epsilon, f, p, "
            f"theta, beta, updated, alpha; got {named}. --skeleton adaboost prints a file to start "
            "from"
        )
    (first, *_) = differences("adaboost", lambda P, N, T: [{"colour": 1}] * T)
    assert "a round must have one of" in first.words


# ------------------------------------------------------------------------------- parts of a round

STUMP = {"f": "f", "p": "p", "theta": "theta"}


def only(**names):
    """Return plain A.2 with these parts, from a dict of the new names."""

    def adaboost(P, N, T):
        return [{new: state[old] for new, old in names.items()} for state in rounds(P, N, T)]

    return adaboost


def test_parts_of_other_names():
    unknown = differences("adaboost", only(**STUMP, Alpha="alpha", weight="w"))
    for one in unknown:
        assert one.kind == "wrong" and one.output == "Alpha", one
        assert one.words.startswith("round 1: unknown part 'Alpha', 'weight'; the parts are w, ")
    assert unknown
    (first, *_) = differences("adaboost", only(**STUMP, alpha="f", Alpha="alpha"))
    assert first.output == "alpha" and "; round 1: unknown part 'Alpha'" in first.words
    known = only(feature="f", polarity="p", threshold="theta", weights="w")  # those of the logs
    assert not differences("adaboost", known)
    for one in differences("adaboost", only(**STUMP, weights="alpha")):
        assert one.output == "w" and one.kind == "wrong"
    for one in differences("adaboost", only(**STUMP, threshold="theta")):  # two of a name
        assert one.output == "threshold" and one.kind == "wrong"


def test_parts_that_no_round_has_are_named(tmp_path, monkeypatch, capsys):
    """By the commands of a module and of a program, and by pytest."""
    body = "[{name: float(state[name]) for name in ('f', 'p')} for state in rounds(**given)]"
    module, program = tmp_path / "mine.py", tmp_path / "program.py"
    module.write_text(f"{OF_PLAIN}\ndef adaboost(**given):\n    return {body}\n", encoding="utf-8")
    program.write_text(
        f"{OF_PLAIN}\nimport json\nfrom refimpl.check.encoding import decode\n"
        "for line in sys.stdin:\n"
        "    case = json.loads(line)\n"
        "    given = {name: decode(part) for name, part in case['arguments'].items()}\n"
        f"    print(json.dumps({{'id': case['id'], 'result': {body}}}), flush=True)\n",
        encoding="utf-8",
    )
    note = "adaboost: not compared, no round has them: w, epsilon, theta, beta, updated, alpha"
    for arguments in (
        ["trainings", str(module), "--examples", "0", "--json"],
        ["--only", "adaboost", "--json", "--", sys.executable, str(program)],
    ):
        assert cli.main(arguments) == 0
        assert json.loads(capsys.readouterr().out)["notes"] == [note]
    mine = Server(types.SimpleNamespace(adaboost=only(f="f", p="p")))
    monkeypatch.setattr(test_conformance, "own_module", lambda: mine)
    with pytest.warns(UserWarning, match=note):
        test_conformance.test_agrees("adaboost")


def test_a_training_that_writes_to_its_arguments_is_wrong():
    def adaboost(P, N, T):
        states = rounds(P, N, T)
        N[:] = 7
        return states

    found = differences("adaboost", adaboost)
    assert len(found) == len(cases_of(TRAININGS["adaboost"]))
    assert {(one.kind, one.output) for one in found} == {("wrong", "N")}
    assert found[0].words == "the training wrote to its argument N"


def test_a_kernel_that_writes_is_wrong_beside_a_choice():
    """The other choice alone may be accepted; the written argument may not."""

    def best_stump(features, w, l, *, threads=None):
        epsilon, f, p, theta = refimpl.kernels.best_stump(features, w, l)
        w[:] = 0
        return epsilon, f, p, theta + 1e-3

    found = differences("best_stump", best_stump)
    assert len(found) == len(cases_of(KERNELS["best_stump"]))
    assert {one.kind for one in found} == {"wrong"}
    (written, *_) = (one for one in found if "wrote to its argument w" in one.words)
    assert written.output == "w" and not remarks(written.source, written.kind)
