"""What the report says of answers, by programs made up here: same, other convention, differs, not
available; environments that cannot be made; an adapter's lines.

Not tested here: real libraries, and the network.
"""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import refimpl.kernels
from refimpl.check import cli
from refimpl.check.encoding import decode
from refimpl.check.files import cases_of
from refimpl.check.programs import Answer, ProgramError
from refimpl.check.subject import Case, Kind
from refimpl.check.subjects import KERNELS, TRAININGS
from refimpl.lmnn import lmnn
from tests.others import __main__ as command
from tests.others import cases, environments, judging
from tests.others.table import LIBRARIES, SINGLE, Item

NEAREST = Item("made-up", "nearest", "scan_nearest")
LMNN = Item("made-up", "lmnn", "lmnn")
CASES = [case for case in cases.of("scan_nearest") if "large" not in case.flags]


class Reference:
    """A program that gives the reference's answers after a change."""

    def __init__(self, change):
        self.change = change

    def ask(self, asked):
        given = {name: decode(value) for name, value in asked["arguments"].items()}
        kernel = KERNELS[asked["kernel"]]
        result = self.change(asked["id"], given, kernel.run(refimpl.kernels, given))
        return None if result is None else Answer([result], [])


def found(change, convention=None, shows=""):
    answers = list(judging.ask(Reference(change), NEAREST, CASES))
    return judging.verdict(answers, convention, shows)


def test_the_reference_is_the_same():
    verdict = found(lambda id, given, result: result)
    assert (verdict.outcome, verdict.kinds, verdict.asked) == ("same", {}, len(CASES))


def test_ties_and_last_bits_are_the_same():
    """The whole order of points of equal distance, turned round."""

    def change(id, given, result):
        squares, indices = result["squares"], result["indices"].copy()
        for row, places in zip(squares, indices, strict=True):
            for value in np.unique(row):
                places[row == value] = places[row == value][::-1]
        return {"squares": squares * (1 + 2.0**-36), "indices": indices}

    verdict = found(change)
    assert verdict.outcome == "same"
    assert set(verdict.kinds) == {"a tie broken otherwise", "last bits"}


def single(id, given, result):
    """Neighbours as float32 gives them."""
    Q, X = (given[name].astype(np.float32) for name in ("Q", "X"))
    D = ((Q[:, None] - X) ** 2).sum(axis=2)
    if given["skip"] is not None:
        skip = np.asarray(given["skip"])
        D[np.flatnonzero(skip >= 0), skip[skip >= 0]] = np.inf
    indices = np.argsort(D, axis=1, kind="stable")[:, : given["k"]]
    return {"squares": np.take_along_axis(D, indices, axis=1), "indices": indices}


def test_another_convention_must_hold_for_every_difference():
    assert found(single).outcome == "differs"
    assert found(single, SINGLE).outcome == "other convention"
    early = dataclasses.replace(SINGLE, outcome="stops early")
    assert found(single, early).outcome == "stops early"

    def change(id, given, result):
        answer = single(id, given, result)
        if id == "scan_nearest/5":
            answer["indices"][0, -1] = (answer["indices"][0, -1] + 1) % len(given["X"])
        return answer

    verdict = found(change, SINGLE)
    assert (verdict.outcome, verdict.first.case.id) == ("differs", "scan_nearest/5")


def test_another_convention_must_hold_for_the_answers_that_agree():
    fails = dataclasses.replace(SINGLE, holds=lambda answer: answer.kind != "")
    verdict = found(single, fails)
    assert verdict.outcome == "differs" and verdict.first.words == judging.BY_CHANCE


def test_what_follows_another_choice_and_was_not_compared_is_not_the_same():
    answer = judging.Answer(CASES[0], {}, Kind.NOT_COMPARED)
    assert judging.verdict([answer], None).outcome == "differs"


def test_the_shortest_case_is_shown_or_the_one_that_is_asked_for():
    def change(id, given, result):
        return {**result, "squares": result["squares"] + 1}

    verdict = found(change)
    lengths = {case.id: len(str(case.encoded)) for case in CASES}
    assert verdict.first.case.id == min(lengths, key=lengths.get)
    assert found(change, shows="scan_nearest/7").first.case.id == "scan_nearest/7"


def test_a_crash_differs_and_a_library_without_answers_is_not_available():
    def crash(id, given, result):
        if id == "scan_nearest/2":
            raise ProgramError("the program ended with signal 11")
        return None if id == "scan_nearest/3" else result

    verdict = found(crash, SINGLE)
    assert (verdict.outcome, verdict.asked, verdict.skipped) == ("differs", len(CASES) - 1, 1)
    assert verdict.first.words == "the program ended with signal 11"
    assert found(lambda *_: None).outcome == "not available"


def test_sizes_of_wrong_neighbours():
    """Points 0, 1, 3 on a line, asked from 0 for two: 1 instead of 0 is 1 above 0."""
    D = {"Q": np.array([[0.5]]), "X": np.array([[0.0], [1.5], [4.5]]), "k": 1, "skip": None}
    want = {"squares": np.array([[0.25]]), "indices": np.array([[0]])}
    case = Case(KERNELS["scan_nearest"], "made-up/1", D, [want])
    got = {"squares": np.array([[1.0]]), "indices": np.array([[1]])}
    answer = judging.judged(NEAREST, case, [got])
    assert answer.kind == "wrong"
    assert answer.facts == {
        "true neighbours found": 0.0,
        "squared distance above the true, relative": 3.0,
        "error of a squared distance, relative": 3.0,
    }


def test_metrics_are_judged_by_eq_3():
    """The optimum is the same, its multiple is another margin, the identity is above the bound."""
    case = cases.of("lmnn")[0]
    M = case.expected[0]["M"]
    kinds = [judging.judged(LMNN, case, [{"M": metric}]) for metric in (M, 4 * M, np.eye(len(M)))]
    assert [answer.kind for answer in kinds] == ["", judging.NAMED, "wrong"]
    assert "a margin of 4 instead of 1" in kinds[1].words
    value, bound = (kinds[2].facts[name] for name in ("eq. 3", "no metric is below"))
    assert value > 1.1 * bound
    assert kinds[2].words == f"the proven bound is {100 - 100 * bound / value:.2g} % below eq. 3"
    facts = judging.verdict(kinds[2:], None).facts
    assert facts["eq. 3 at worst, times the proven bound"] == pytest.approx(value / bound)
    assert judging.verdict([kinds[0]], None).outcome == "same"
    assert judging.verdict(kinds[:2], None).outcome == "differs"  # a name for one answer alone
    assert judging.verdict(kinds[1:2], None).outcome == "other convention"
    assert judging.verdict([kinds[1], kinds[1]], None).outcome == "other convention"
    other = dataclasses.replace(kinds[1], words=f"{kinds[1].words} more")
    assert judging.verdict([kinds[1], other], None).outcome == "differs"
    assert judging.verdict(kinds, None).outcome == "differs"


def test_other_target_neighbours_of_equal_distance_are_a_tie():
    """Point 11 of this case has three points at the distance of its second neighbour."""
    (case,) = [case for case in cases.of("lmnn") if case.id == "lmnn/2"]
    targets = case.expected[0]["targets"].copy()
    targets[[4, 11]] = [[10, 2], [9, 7]]
    M = lmnn(**case.arguments, targets=targets).M[0]
    answer = judging.judged(LMNN, case, [{"M": M, "targets": targets}])
    assert answer.kind == "a tie broken otherwise" and answer.facts["gap"] > 1e-3
    assert judging.judged(LMNN, case, [{"M": M}]).kind == "wrong"
    assert judging.judged(LMNN, case, [{"M": np.eye(2), "targets": targets}]).kind == "wrong"


def test_every_vector_of_lmnn_is_asked():
    """With ties or without; those with ties also without them."""
    listed = [case.id for case in cases.of("lmnn")]
    vectors = [case.id for case in cases_of(TRAININGS["lmnn"])]
    kinds = {case.id: cases.one_choice(case.arguments) for case in cases.of("lmnn")}
    tied = [id for id, single in kinds.items() if not single]
    assert listed == [*vectors, *(f"{id} without ties" for id in tied), "lmnn/60"]
    assert {"lmnn/2", "lmnn/3"} <= set(tied)


def test_neighbours_of_the_large_set():
    item = Item("made-up", "nearest", "neighbors")
    (case,) = cases.of("neighbors")
    true = single("", case.arguments, None)["indices"]
    assert judging.judged(item, case, [{"indices": true}]).facts == {"true neighbours found": 1.0}
    true[:, -1] = -1
    answer = judging.judged(item, case, [{"indices": true}])
    assert (answer.kind, answer.facts["-1 as padding"]) == ("wrong", 100)


def test_the_direction_of_lda_has_no_sign_and_no_length():
    item = Item("made-up", "lda", "lda")
    (case,) = cases.of("lda")
    X, y = case.arguments["X"], case.arguments["y"]
    scatter = sum(np.cov(X[y == c].T) for c in (0, 1))
    direction = np.linalg.solve(scatter, X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
    assert judging.judged(item, case, [{"direction": -3 * direction}]).kind == ""
    other = [{"direction": direction + np.array([1e-3, 0, 0])}]
    assert judging.judged(item, case, other).kind == "wrong"


# ------------------------------------------------------------------------------ environments, lines


def test_an_environment_that_cannot_be_made_is_shown_with_pips_last_line(monkeypatch, tmp_path):
    def run(command):
        if "pip" in command:
            raise environments.Missing("ERROR: No matching distribution found for hnswlib==0.8.0")

    monkeypatch.setattr(environments, "run", run)
    library = next(library for library in LIBRARIES if library.name == "hnswlib")
    content = command.asked(library, tmp_path)
    assert content["items"] == [] and content["versions"] == {}
    assert content["why"] == "ERROR: No matching distribution found for hnswlib==0.8.0"


def test_some_libraries_do_not_write_the_committed_record(monkeypatch, tmp_path):
    said = {"name": "hnswlib", "versions": {}, "why": "not here", "items": []}
    monkeypatch.setattr(command, "asked", lambda library, envs: {**said, "name": library.name})
    monkeypatch.setattr(command, "RECORD", tmp_path / "record.json")
    assert command.main(["--only", "hnswlib"]) == 0 and not list(tmp_path.iterdir())
    with pytest.raises(SystemExit):
        command.main(["--only", "hnswlib", "--out", str(tmp_path / "record.json")])
    assert command.main(["--only", "hnswlib", "--out", str(tmp_path / "some.json")]) == 0
    assert command.main([]) == 0
    for name, count in (("some", 1), ("record", len(LIBRARIES))):
        record = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
        assert len(record["libraries"]) == count


def test_a_library_that_crashes_too_often_differs(monkeypatch, tmp_path):
    monkeypatch.setattr("refimpl.check.programs.MOST_STARTS", 2)
    monkeypatch.setattr(command, "command", lambda *given: [sys.executable, "-c", "exit(3)"])
    item = dataclasses.replace(NEAREST, variant="none")
    library = dataclasses.replace(LIBRARIES[0], items=(item,))
    content = command.answered(library, item, sys.executable)
    assert (content["outcome"], content["kinds"]) == ("differs", {"no answer": 2})


def test_a_library_that_cannot_be_imported_is_not_available():
    with pytest.raises(environments.Missing, match="No module named 'no_such_library'"):
        environments.run([sys.executable, "-c", "import no_such_library"])
    environments.run([sys.executable, "-c", "import sys; sys.stdin.read()"])


def test_every_library_has_pins_and_an_adapter():
    for library in LIBRARIES:
        assert library.name in environments.pinned(library.name) or library.name == "faiss"
        adapter = Path(command.command(library, library.items[0], sys.executable)[1])
        source = adapter.read_text(encoding="utf-8")
        for item in library.items:
            assert f'"{item.variant}":' in source, (library.name, item.variant)


ADAPTER = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from lines import serve
assert "scipy" not in sys.modules  # an environment may have NumPy alone

def nearest(Q, X, k, skip):
    print("a library that prints to the standard output")
    D = ((Q[:, None] - X) ** 2).sum(axis=2)
    if skip is not None:
        D[np.flatnonzero(skip >= 0), skip[skip >= 0]] = np.inf
    indices = np.argsort(D, axis=1, kind="stable")[:, :k]
    return {{"squares": np.take_along_axis(D, indices, axis=1), "indices": indices}}

serve({{"own": {{"scan_nearest": nearest}}}})
"""


def test_an_adapter_answers_the_command(tmp_path, capsys):
    """What counts the work, `terms`, may be left out; generated arrays are made."""
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER.format(folder=str(command.ADAPTERS)), encoding="utf-8")
    asked = ["--only", "scan_nearest,best_stump", "--", sys.executable, str(path), "own"]
    assert cli.main(asked) == 0
    assert f"cases asked: scan_nearest {len(cases.of('scan_nearest'))}" in capsys.readouterr().out
