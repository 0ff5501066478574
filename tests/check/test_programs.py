"""Programs on the standard streams: right and wrong answers, crashes, silence, lines that are no
answers; each is a finding, and the check goes on.

Not tested here: programs in other languages (test_readers.py).
"""

import json
import subprocess
import sys

import numpy as np
import pytest

from refimpl.check import cli, programs
from refimpl.check.asking import Asking
from refimpl.check.files import folder
from refimpl.check.programs import Program, as_states
from refimpl.check.subjects import KERNELS, TRAININGS

PROGRAM = """
import json, os, sys, time
from refimpl.check.encoding import decode
import refimpl.kernels
for line in sys.stdin:
    asked = json.loads(line)
    name, number = asked["id"].split("/")
    given = {part: decode(value) for part, value in asked["arguments"].items()}
    answer = {"id": asked["id"], "skip": True}
    BODY
    print(json.dumps(answer), flush=True)
"""
RIGHT = """if name == "vector_matrix":
        result = refimpl.kernels.vector_matrix(**given).tolist()
        answer = {"id": asked["id"], "result": {"uA": result}}
    if name != "vector_matrix": number = ""
"""


def asked_of(tmp_path, body, names, seconds=20.0):
    """Return what was asked of a program with this body."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("BODY", body), encoding="utf-8")
    asking = Asking(Program([sys.executable, str(path)], seconds), folder())
    asking.ask(names)
    asking.program.stop()
    return asking


def test_the_cases_after_one_that_is_skipped_are_asked(tmp_path):
    body = RIGHT + (
        "    if number in ('1', '5'): answer = {'id': asked['id'], 'skip': True}\n"
        "    if number == '9': answer['result']['uA'] = [v + 1 for v in result]"
    )
    asking = asked_of(tmp_path, body, ["vector_matrix"])
    assert asking.counts == {"vector_matrix": 22} and len(asking.differences) == 1
    assert asking.notes == ["vector_matrix: 2 cases were skipped"]


WRONG = {  # by the number of the case
    "1": ("sys.exit(7)", "the process ended with exit code 7"),
    "2": ("print('hello', flush=True); time.sleep(60)", "a line that is no JSON: b'hello"),
    "3": ("print('out of memory', flush=True)", "a line that is no JSON: b'out of memory\\n'"),
    "4": ("answer['id'] = 'another'", "has not the id 'vector_matrix/4'"),
    "6": (
        "answer['result'] = {'uA': {'dtype': 'float64'}}",
        "cannot be read: an array must have dtype, shape and values; got dtype",
    ),
    "7": ("answer['result']['uA'] = [v + 1 for v in result]", "expected; got"),
    "8": ("answer = {'id': asked['id'], 'error': 'too hard'}", "the program says too hard"),
    "9": ("answer['result'] = {'wrong name': 1}", "the result lacks uA"),
    "10": ("answer['result'] = [1]", "must be an object or a list of objects"),
    "11": ("answer['result'] = []", "the result must be an object; got a list of 0"),
    "12": ("answer['result'] = {'uA': {'record': 'BallTree', 'fields': [1]}}", "cannot be read: "),
    "13": ("answer['result'] = {'uA': {'generator': 'lcg'}}", "must have the whole array"),
    "14": ("print('[' * 100_000, flush=True)", "a line that is no JSON: b'[[[["),
}


def test_a_crash_a_wrong_answer_and_lines_that_are_no_answers_are_findings(tmp_path):
    body = "".join(f"    if number == '{case}': {does}\n" for case, (does, _) in WRONG.items())
    asking = asked_of(tmp_path, RIGHT + body, ["vector_matrix", "least_similar"])
    assert asking.counts == {"least_similar": 0, "vector_matrix": 24}
    assert not asking.notes  # of a kernel that it does not have
    found = {one.id.partition("/")[2]: one for one in asking.differences}
    assert found.keys() == WRONG.keys()
    for case, (_, words) in WRONG.items():
        assert words in found[case].words
        assert found[case].kind == ("wrong" if case in ("7", "11") else "no answer")


def test_an_endless_program_is_given_up_after_three_time_outs(tmp_path):
    asking = asked_of(tmp_path, "while True: pass", list(KERNELS), 0.2)
    assert asking.given_up and asking.program.starts == 3 and len(asking.differences) == 3
    assert {one.words for one in asking.differences} == {"no answer within 0.2 s (--seconds)"}


def test_a_kernel_that_is_endless_does_not_hide_the_others(tmp_path):
    body = "if name == 'best_bin_first': time.sleep(60)"
    asking = asked_of(tmp_path, body, [*KERNELS, *TRAININGS], 4.0)
    assert len(asking.differences) == 2 and not asking.given_up
    assert asking.unasked == ["best_bin_first"] and len(asking.counts) > 40


def test_the_help_says_how_a_program_is_asked_and_answers(capsys):
    with pytest.raises(SystemExit):
        cli.main(["program", "-h"])
    said = capsys.readouterr().out
    assert said.startswith("usage: python -m refimpl.check [OPTIONS] -- PROGRAM ARGS")
    assert '{"id": "fastmap/1", "training": "fastmap", "arguments": ' in said
    assert '{"id": "fastmap/1", "result": [{"pivots": ' in said and '"skip": true' in said


def test_what_was_found_is_told_of_a_program_that_is_given_up(monkeypatch, capsys):
    monkeypatch.setattr(programs, "MOST_STARTS", 3)
    command = [sys.executable, "-c", "import sys; sys.exit(4)"]
    assert cli.main(["--only", "best_stump,lloyd", "--json", "--", *command]) == 1
    report = json.loads(capsys.readouterr().out)
    words = [one["words"] for one in report["differences"]]
    assert words == ["the process ended with exit code 4"] * 3
    assert "given up: the program had to be started 3 times" in report["notes"]


@pytest.mark.skipif(not programs.limits_memory(), reason="no limit on memory here")
def test_the_memory_of_a_program_is_limited(capsys):
    body = "import json, sys\nfor line in sys.stdin:\n    held = bytearray(2**28)\n"
    body += "    print(json.dumps({'id': json.loads(line)['id'], 'skip': True}), flush=True)"
    command = ["--", sys.executable, "-c", body]
    assert cli.main(["--only", "projections", "--memory", "64", "--json", *command]) == 1
    said = capsys.readouterr()
    words = [one["words"] for one in json.loads(said.out)["differences"]]
    assert words == ["the process ended with exit code 1"] * 2
    assert "the program: 10 s for an answer (--seconds), 64 MiB of memory (--memory)" in said.err
    assert cli.main(["--only", "projections", *command]) == 2
    assert "the program skipped every case" in capsys.readouterr().err


def test_a_program_that_has_ended_is_told_by_its_output_alone():
    process = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE)
    process.stdin.close()
    programs.send(process, b"{}\n")
    assert process.wait() == 0


# ------------------------------------------------------------------------------- values of answers


def test_plain_numbers_and_texts_are_read():
    (state,) = as_states(
        {"a": "0x1.8p+1", "b": [[1, 2], [3, 4]], "c": ["inf", "0x1p+0"], "d": 5, "t": "-inf"}
    )
    assert (state["a"], state["b"].tolist(), state["d"]) == (3.0, [[1, 2], [3, 4]], 5)
    assert state["c"].tolist() == [np.inf, 1.0] and state["t"] == -np.inf
    (state,) = as_states({"D": [["1.5", "1e5", "0x1.8p+1"]], "step": "add"})
    assert state["D"].tolist() == [[1.5, 1e5, 3.0]]
    assert state["step"] == "add"  # a hexadecimal number for float.fromhex
    assert as_states({"D": [1.5, 10**20]})[0]["D"].dtype == np.float64
    for part in ("add", None, {}):
        with pytest.raises(ValueError, match=r"could not convert|must be a number"):
            as_states({"D": [[part]]})


def test_choices_that_are_no_numbers_are_findings(tmp_path):
    body = "f = float('inf') if int(number) % 2 else None\n"
    body += "    answer |= {'skip': False, 'result': {'epsilon': 0, 'f': f, 'p': 1, 'theta': 0}}"
    differences = asked_of(tmp_path, body, ["best_stump"]).differences
    assert len(differences) > 20 and {one.kind for one in differences} == {"wrong"}
