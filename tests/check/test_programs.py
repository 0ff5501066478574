"""Programs on the standard streams: right and wrong answers, crashes, silence, lines that are no
answers; each is a finding, and the check goes on.

Not tested here: programs in other languages (test_readers.py).
"""

import sys

import pytest

from refimpl.check.asking import Asking
from refimpl.check.files import UnusableError, folder
from refimpl.check.programs import Program, as_states

PROGRAM = """
import json, os, sys, time
import numpy as np
from refimpl.check.encoding import decode, encode
import refimpl.kernels
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("kernel") != "vector_matrix":
        print(json.dumps({"id": asked["id"], "skip": True}), flush=True)
        continue
    a = {name: decode(value) for name, value in asked["arguments"].items()}
    result = refimpl.kernels.vector_matrix(a["u"], a["A"]).tolist()
    answer = {"id": asked["id"], "result": {"uA": result}}
    number = int(asked["id"].partition("/")[2])
    BODY
    print(json.dumps(answer), flush=True)
"""


def found(tmp_path, body, seconds=20.0):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("BODY", body), encoding="utf-8")
    asking = Asking(Program([sys.executable, str(path)], seconds), folder())
    differences = asking.ask(["vector_matrix", "least_similar"])
    asking.program.stop()
    assert asking.counts == {"least_similar": 0, "vector_matrix": 24}
    return differences


def test_right_answers_agree(tmp_path):
    assert not found(tmp_path, "pass")


def test_a_crash_a_signal_and_a_wrong_answer_are_findings(tmp_path):
    body = (
        "if number == 3: sys.exit(7)\n"
        "    if number == 5: os.kill(os.getpid(), 11)\n"
        "    if number == 7: answer['result']['uA'] = [v + 1 for v in result]\n"
        "    if number == 8: answer = {'id': asked['id'], 'error': 'too hard'}"
    )
    words = {one.id: (one.kind, one.words) for one in found(tmp_path, body)}
    assert words["vector_matrix/3"] == ("no answer", "the process ended with exit code 7")
    assert words["vector_matrix/5"] == ("no answer", "the process ended with signal 11, SIGSEGV")
    assert words["vector_matrix/7"][0] == "wrong"
    assert words["vector_matrix/8"] == ("no answer", "the program says too hard")
    assert len(words) == 4


def test_lines_that_are_no_answers(tmp_path):
    body = (
        "if number == 2: print('hello', flush=True); time.sleep(60)\n"
        "    if number == 4: answer['id'] = 'another'\n"
        "    if number == 6: answer['result'] = {'uA': {'dtype': 'float64'}}\n"
        "    if number == 9: answer['result'] = {'wrong name': 1}\n"
        "    if number == 10: answer['result'] = [1]"
    )
    words = {one.id: one.words for one in found(tmp_path, body)}
    assert "a line that is no JSON: b'hello" in words["vector_matrix/2"]
    assert "has not the id 'vector_matrix/4'" in words["vector_matrix/4"]
    assert "cannot be read" in words["vector_matrix/6"]
    assert words["vector_matrix/9"] == "the result lacks uA"
    assert "must be an object or a list of objects" in words["vector_matrix/10"]
    assert len(words) == 5


def test_silence_is_a_finding(tmp_path):
    body = "if number == 3 and not time.sleep(600): pass"
    differences = found(tmp_path, body, seconds=6.0)
    assert [one.words for one in differences] == ["no answer within 6 s (--seconds)"]


def test_a_program_that_cannot_be_started():
    program = Program(["/no/such/program"], 1.0)
    with pytest.raises(UnusableError, match="cannot start /no/such/program"):
        program.ask({"id": "a/1"})


def test_a_program_answers_a_training(tmp_path):
    """Every round's state, with one landmark exchanged."""
    path = tmp_path / "program.py"
    path.write_text(
        "import json, sys\n"
        "from refimpl.check.encoding import decode, encode\n"
        "from refimpl.check.subjects import TRAININGS\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    given = {name: decode(value) for name, value in asked['arguments'].items()}\n"
        "    states = TRAININGS[asked['training']].run(given)\n"
        "    if asked['id'] == 'dselect/2':\n"
        "        states[2]['z'], states[3]['z'] = states[3]['z'], states[2]['z']\n"
        "    answer = {'id': asked['id'], 'result': [encode(state) for state in states]}\n"
        "    print(json.dumps(answer), flush=True)\n",
        encoding="utf-8",
    )
    asking = Asking(Program([sys.executable, str(path)], 30.0), folder())
    (found,) = asking.ask(["dselect"])
    asking.program.stop()
    assert asking.counts == {"dselect": 9}
    assert (found.id, found.source) == ("dselect/2", "FT:1:3")
    assert found.words.startswith("round 3: z")


def test_plain_numbers_are_read():
    (values,) = as_states({"a": "0x1.8p+1", "b": [[1, 2], [3, 4]], "c": ["inf", "0x1p+0"], "d": 5})
    assert values["a"] == 3.0 and values["b"].shape == (2, 2)
    assert values["c"].tolist() == [float("inf"), 1.0] and values["d"] == 5
