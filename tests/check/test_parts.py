"""Parts of rounds with unknown names are differences, other names of the logs are read, parts that
no round has are named, and arguments must stay as they are.

Not tested here: the values of the parts (test_trainings.py), logs (test_logs.py).
"""

import json
import sys
import types
from pathlib import Path

import asked
import pytest
from plain import rounds

import refimpl.kernels
from refimpl.check import cli, test_conformance
from refimpl.check.files import decoded_cases, folder
from refimpl.check.serving import Server
from refimpl.check.subjects import KERNELS, TRAININGS

FOLDER = str(Path(__file__).parent)


def differences(function):
    return asked.differences("adaboost", function)


def only(names):
    """Return plain A.2 with these parts, from a dict of the new names."""

    def adaboost(P, N, T):
        return [{new: state[old] for new, old in names.items()} for state in rounds(P, N, T)]

    return adaboost


STUMP = {"f": "f", "p": "p", "theta": "theta"}


def test_an_unknown_part_is_wrong():
    for one in differences(only({**STUMP, "Alpha": "alpha", "weight": "w"})):
        assert one.kind == "wrong" and one.output == "Alpha", one
        assert one.words.startswith("round 1: unknown part 'Alpha', 'weight'; the parts are w, ")
    assert differences(only({**STUMP, "Alpha": "alpha"}))


def test_an_unknown_part_stands_beside_a_wrong_one():
    (first, *_) = differences(only({**STUMP, "alpha": "f", "Alpha": "alpha"}))
    assert first.output == "alpha" and "; round 1: unknown part 'Alpha'" in first.words


def test_other_names_of_the_logs_are_read():
    names = {"feature": "f", "polarity": "p", "threshold": "theta", "weights": "w"}
    assert not differences(only(names))
    for one in differences(only({**STUMP, "weights": "alpha"})):
        assert one.output == "w" and one.kind == "wrong"
    for one in differences(only({**STUMP, "threshold": "theta"})):  # two of a name
        assert one.output == "threshold" and one.kind == "wrong"


def test_the_command_names_parts_that_no_round_has(tmp_path, monkeypatch, capsys):
    path = tmp_path / "mine.py"
    path.write_text(
        f"import sys; sys.path.append({FOLDER!r})\n"
        "from plain import rounds\n"
        "def adaboost(P, N, T):\n"
        "    return [{name: state[name] for name in ('f', 'p', 'theta')} for state in "
        "rounds(P, N, T)]\n",
        encoding="utf-8",
    )
    assert cli.main(["trainings", str(path), "--examples", "0"]) == 0
    note = "adaboost: not compared, no round has them: w, epsilon, beta, updated, alpha"
    assert note in capsys.readouterr().out
    mine = Server(types.SimpleNamespace(adaboost=only(STUMP)))
    monkeypatch.setattr(test_conformance, "own_module", lambda: mine)
    with pytest.warns(UserWarning, match=note):
        test_conformance.test_agrees("adaboost")


PROGRAM = """
import json, sys
from refimpl.check.encoding import decode
sys.path.insert(0, FOLDER)
from plain import rounds
for line in sys.stdin:
    case = json.loads(line)
    given = {name: decode(part) for name, part in case["arguments"].items()}
    states = [{name: float(state[name]) for name in ("f", "p")} for state in rounds(**given)]
    print(json.dumps({"id": case["id"], "result": states}), flush=True)
"""


def test_a_program_s_missing_parts_are_named(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("FOLDER", repr(FOLDER)), encoding="utf-8")
    arguments = ["--only", "adaboost", "--json", "--", sys.executable, str(path)]
    assert cli.main(arguments) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    missing = "w, epsilon, theta, beta, updated, alpha"
    assert notes == [f"adaboost: not compared, no round has them: {missing}"]


def test_a_training_that_writes_to_its_arguments_is_wrong():
    def adaboost(P, N, T):
        states = rounds(P, N, T)
        N[:] = 7
        return states

    found = differences(adaboost)
    assert len(found) == len(decoded_cases(folder(), TRAININGS["adaboost"]))
    assert {(one.kind, one.output) for one in found} == {("wrong", "N")}
    assert found[0].words == "the training wrote to its argument N"


def test_a_kernel_that_writes_is_wrong_beside_a_choice():
    """The other choice alone may be accepted; the written argument may not."""

    def best_stump(features, w, l, *, threads=None):
        epsilon, f, p, theta = refimpl.kernels.best_stump(features, w, l)
        w[:] = 0
        return epsilon, f, p, theta + 1e-3

    found = asked.differences("best_stump", best_stump)
    assert len(found) == len(decoded_cases(folder(), KERNELS["best_stump"]))
    assert {one.kind for one in found} == {"wrong"}
    assert any("wrote to its argument w" in one.words for one in found)
