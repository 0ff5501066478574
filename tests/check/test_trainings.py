"""The reference and a plain correct A.2 agree on the vectors of whole trainings; what follows a
choice, and a wrong number of rounds.

Not tested here: planted faults (test_faults.py), that the vectors are right (tests/vectors).
"""

import numpy as np
from asked import differences
from plain import rounds

from refimpl.check import cli
from refimpl.check.subjects import TRAININGS


def test_a_plain_a_2_agrees():
    """Its errors are sums of floats, not on the grid; no round of these cases hangs on that."""
    assert not differences("adaboost", rounds)


def test_thresholds_elsewhere_are_another_choice_and_the_later_rounds_go_on():
    def adaboost(P, N, T):
        X = np.concatenate([P, N])
        states = rounds(P, N, T)
        for state in states:
            x = X[:, state["f"]]
            above = x[x > state["theta"]]
            if state["p"] == 1 and np.isfinite(state["theta"]) and len(above):
                state["theta"] = above.min()  # h is [x < theta]: the same division
        return states

    kinds = {difference.kind for difference in differences("adaboost", adaboost)}
    assert kinds == {"another choice of equal worth"}


def test_what_cancels_is_no_digit_but_a_small_error_is_one():
    """An entry that should be 0 may be 1e-15 of the largest; an error of 1e-5 of it is found."""

    def changed(size):
        def lmnn_steps(**arguments):
            states = TRAININGS["lmnn_steps"].run(arguments)
            for state in states:
                state["G"] = state["G"] + size * np.abs(state["G"]).max()
            return states

        return lmnn_steps

    assert not differences("lmnn_steps", changed(1e-15))
    assert {one.source for one in differences("lmnn_steps", changed(1e-5))} == {"LM:eq5"}


def test_a_tie_ends_the_comparison_where_choices_are_not_followed():
    """Later landmarks differ because of the tie: they are not called wrong."""

    def dselect(K, l, d, first, picks):
        L = [first]
        while len(L) < d:
            sums = sum(K[:, z] for z in L)
            left = [z for z in range(len(K)) if z not in L]
            L.append(min(left, key=lambda z: (sums[z], -z)))  # the last of equal sums
        return [{"z": z} for z in L] + [{"P": np.zeros((d, 2))}]

    (first,) = (one for one in differences("dselect", dselect) if "ties" in one.flags)
    assert first.kind == "another choice; what follows it was not compared"
    number = int(first.words.removeprefix("round ").split(":")[0])
    assert f"not compared: rounds {number + 1} to " in first.words


def test_a_wrong_number_of_rounds_is_not_hidden_by_last_bits():
    """One round too many, and too few, after a w that is off by 4e-6."""

    def changed(end):
        def boostmap(**arguments):
            states = TRAININGS["boostmap"].run(arguments)
            states[0]["w"] = states[0]["w"] * (1 + 4e-6)
            return end(states)

        return boostmap

    kinds = {one.kind for one in differences("boostmap", changed(lambda states: states))}
    assert kinds == {"last bits"}
    for end in (lambda states: states[:-1], lambda states: [*states, states[-1]]):
        for one in differences("boostmap", changed(end)):
            assert one.kind == "wrong" and one.output == "rounds", one


def test_rounds_after_last_bits_are_compared_without_following():
    def boostmap(**arguments):
        states = TRAININGS["boostmap"].run(arguments)
        states[0]["w"] = states[0]["w"] * (1 + 4e-6)
        if len(states) > 1:
            states[1]["z"] = states[1]["z"] ** 2
        return states

    for one in differences("boostmap", boostmap):
        assert one.kind == "last bits" or one.words.startswith("round 2: z"), one


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


def test_the_command(tmp_path, capsys):
    path = tmp_path / "mine.py"
    folder = rounds.__code__.co_filename.rpartition("/")[0]
    lines = f"import sys; sys.path.append({folder!r})\nfrom plain import rounds"
    path.write_text(f"{lines} as adaboost", encoding="utf-8")
    assert cli.main(["trainings", str(path)]) == 0
    assert "adaboost" in capsys.readouterr().out
    path.write_text(f"{lines} as other", encoding="utf-8")
    assert cli.main(["trainings", str(path)]) == 2
    assert "none of the trainings" in capsys.readouterr().err


def test_two_objects_at_distance_zero_are_no_pivots():
    """The search goes on from the next start there, so the pair is wrong, and no tie."""

    def second_pair_is_one_object(D, d, starts, iterations):
        given = {"D": D, "d": d, "starts": starts, "iterations": iterations}
        first, *others = TRAININGS["fastmap"].run(given)
        return [first, *({**state, "pivots": starts[1, [0, 0]]} for state in others)]

    found = differences("fastmap", second_pair_is_one_object)
    assert {one.output for one in found} == {"pivots"} and {one.kind for one in found} == {"wrong"}
    assert not any("nan" in one.words for one in found)
