"""Input that says nothing: NaN, infinity, text, other shapes, null, lines that no reader takes.
None of it is called equal; none ends the command with Python's own exit code 1, which means
"differs".

Not tested here: what a right and a wrong answer give (test_answers.py, test_programs.py).
"""

import importlib.machinery
import io
import json
import os
import pickle
import sys
import zipfile

import numpy as np
import pytest

from refimpl.check import cli, reading
from refimpl.check.asking import Asking
from refimpl.check.comparing import compare, first_fault, value_fault
from refimpl.check.encoding import Digest
from refimpl.check.files import folder
from refimpl.check.logs import read_log
from refimpl.check.programs import MOST_STARTS, Program, as_states
from refimpl.check.reports import Report
from refimpl.check.serving import imported
from refimpl.check.subject import TIE, Kernel, Output
from refimpl.check.subjects import KERNELS, TRAININGS

X = np.arange(24.0).reshape(12, 2) ** 2
Y = np.arange(12) % 2
TREE = {"order": np.arange(12), "starts": np.array([0, 0, 6]), "ends": np.array([12, 6, 12])}
LOG = '{"f": 0, "p": 1, "theta": 0.5}\n'


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Run the command in a folder with these files; return why it refuses them."""
    monkeypatch.chdir(tmp_path)

    def run(arguments, array=None, text=None, tree=None, **data):
        np.save("a.npy", np.eye(2) if array is None else array)
        (tmp_path / "a.jsonl").write_text(text or LOG, encoding="utf-8")
        np.savez("tree.npz", **(tree or TREE))
        np.savez("d.npz", **data)
        code = cli.main([*arguments.split(), "--data", "d.npz"])
        said = capsys.readouterr()
        assert code == 2, said.out
        assert "Traceback" not in said.err
        return said.err

    return run


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_data_that_are_not_finite(refused, value):
    bad = X.copy()
    bad[1, 1] = value
    near = np.array([[0, 1]])
    assert "X must be finite" in refused("neighbors a.npy", near, X=bad, Q=X[:1])
    assert "X must be finite" in refused("embedding a.npy", X, X=bad)
    assert "D must be finite" in refused("embedding a.npy", np.eye(2), D=bad[:2])
    assert "K must be finite" in refused("landmarks a.npy", near[0], K=bad[:2])
    assert "P must be finite" in refused("rounds a.jsonl", P=bad, N=X)
    assert "X must be finite" in refused("tree tree.npz", X=bad)
    assert "y must be classes" in refused("metric a.npy", X=X, y=np.where(Y > 0, value, 0.0))


def test_data_of_another_type_or_form(refused):
    text = np.array([["a", "b"]])
    assert "P must hold real numbers; got <U1" in refused("rounds a.jsonl", P=text, N=X)
    assert "K must hold real numbers; got complex128" in refused(
        "landmarks a.npy", np.array([0]), K=np.eye(2) * 1j
    )
    assert "n >= 1; got (0, 2)" in refused("rounds a.jsonl", X=X[:0], y=Y[:0])
    assert "n >= 1; got (0, 2)" in refused("metric a.npy", X=X[:0], y=Y[:0])
    assert "must hold integers; got float64" in refused("neighbors a.npy", np.eye(2), X=X, Q=X[:2])
    assert "must hold neighbours" in refused("neighbors a.npy", np.empty((2, 0), int), X=X, Q=X[:2])
    assert "whose squares are finite" in refused(
        "neighbors a.npy", np.array([[0]]), X=X * 1e200, Q=X[:1]
    )
    assert "a.npy must hold numbers up to 1e+150" in refused("embedding a.npy", X * 1e160, X=X)
    assert "d.npz: distances must be from 0" in refused("embedding a.npy", np.eye(2), D=-np.eye(2))
    assert "two rows or more; got 0" in refused("embedding a.npy", np.empty((0, 2)), X=X[:0])
    assert "cannot be used: X must hold values from" in refused("metric a.npy", X=X * 1e200, y=Y)


@pytest.mark.parametrize("option", ["--tol nan", "--tol 0", "--mu inf", "--mu nan"])
def test_a_number_that_would_accept_every_metric(refused, option):
    assert option.partition(" ")[0] in refused(f"metric a.npy {option}", X=X, y=Y)


@pytest.mark.parametrize(
    ("part", "array", "words"),
    [
        ("starts", np.array([0.0, 0, 6]), "starts must be a row of integers"),
        ("starts", np.array([[0, 0, 6]]), "starts must be a row of integers"),
        ("starts", np.array([], dtype=int), "1, 3, 7, ... nodes"),
        ("ends", np.array([12]), "as many starts as ends; got 3 and 1"),
        ("centres", np.zeros((3, 1)), "centres must be of shape (3, 2); got (3, 1)"),
        ("radii", np.ones(2), "radii must be of shape (3,); got (2,)"),
        ("radii", np.full(3, np.nan), "radii must be finite"),
    ],
)
def test_trees_of_another_form(refused, part, array, words):
    assert words in refused("tree tree.npz", tree={**TREE, part: array}, X=X)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"f": null, "p": null, "theta": null}', "must be a number; got None"),
        ('{"f": 0, "p": 1, "theta": {"a": 1}}', "theta must be a number; got {'a': 1}"),
        ('{"f": 0, "p": 1, "theta": [1, "x"]}', "line 1: could not convert"),
        ('{"f": 0, "p": 1, "theta": "x"}', "theta must be a number; got 'x'"),
        ('{"f": [0], "p": 1, "theta": 1}', "line 1: f must be a number; got array([0])"),
        ('{"f": true, "p": 1, "theta": 1}', "line 1: f must be a number; got True"),
    ],
)
def test_logs_of_no_numbers(refused, line, words):
    assert words in refused("rounds a.jsonl", text=line, P=X[6:], N=X[:6])


def test_a_failure_of_the_check_is_no_difference(monkeypatch, capsys):
    def fails(*options):
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "check_neighbors", fails)
    assert cli.main(["neighbors", "a.npy"]) == 2
    assert "the check itself failed" in capsys.readouterr().err


def test_a_state_of_nulls_is_no_agreement():
    training = TRAININGS["adaboost"]
    arguments = {"P": X[6:], "N": X[:6], "T": 1}
    want = training.run(arguments)
    assert first_fault(training, arguments, want, want) is None
    number, fault = first_fault(training, arguments, want, [dict.fromkeys(want[0])])
    assert (number, fault.kind) == (1, "wrong")
    assert "must be a result; got None" in fault.words


def test_a_digest_is_of_the_numbers_themselves():
    whole = np.arange(3)
    output = Output("sums", "a source")
    assert value_fault(output, Digest.of(whole), whole, 0.0) is None
    assert value_fault(output, Digest.of(whole), whole.astype(float), 0.0) is None
    for other in (whole + 0.5, whole * 1j, np.array(["0", "1", "2"])):
        assert value_fault(output, Digest.of(whole), other, 0.0).kind == "wrong"


def test_no_judge_makes_a_fraction_a_choice():
    outputs = (Output("index", "a source", "optimum"), Output("rest", "a source"))
    kernel = Kernel(
        name="made_up", outputs=outputs, draw=None, flags=(), run=None,
        judge=lambda *answers: TIE, dependent=("index",),
    )  # fmt: skip
    want = {"index": 1, "rest": np.ones(1)}
    assert compare(kernel, {}, want, {**want, "index": 2}).kind == TIE
    for index in (1.5, np.nan):
        assert compare(kernel, {}, want, {**want, "index": index}).kind == "wrong"


def test_strings_of_a_program():
    assert as_states({"step": "add", "z": "0x1.8p+1", "t": "-inf"}) == [
        {
            "step": "add",  # a hexadecimal number for float.fromhex
            "z": 3.0,
            "t": -np.inf,
        }
    ]
    (state,) = as_states({"D": [["1.5", "1e5", "0x1.8p+1"]]})
    assert state["D"].tolist() == [[1.5, 1e5, 3.0]]
    for part in ("add", None, {}):
        with pytest.raises(ValueError, match=r"could not convert|must be a number"):
            as_states({"D": [[part]]})


LINES = {
    "infinite": json.dumps({"epsilon": 0, "f": float("inf"), "p": 1, "theta": 0}),
    "null": json.dumps({"epsilon": 0, "f": None, "p": 1, "theta": 0}),
    "a record of another form": '{"epsilon": {"record": "BallTree", "fields": [1]}}',
    "a generator": '{"epsilon": {"generator": "lcg", "dtype": "bool", "seed": 1, '
    '"shape": [10000000000000], "low": 0, "high": 1}}',
    "nested": "[" * 100_000,
}
PROGRAM = """
import json, sys
for line in sys.stdin:
    sys.stdout.write('{"id": "%s", "result": ' % json.loads(line)["id"])
    print(RESULT, end="}\\n", flush=True)
"""


def _answers(tmp_path, code, kernel="best_stump"):
    path = tmp_path / "program.py"
    path.write_text(code, encoding="utf-8")
    asking = Asking(Program([sys.executable, str(path)], 20.0), folder())
    asking.ask([kernel])
    asking.program.stop()
    return asking


@pytest.mark.parametrize("name", LINES)
def test_answers_that_cannot_be_judged_are_findings(name, tmp_path):
    code = PROGRAM.replace("RESULT", repr(LINES[name]))
    differences = _answers(tmp_path, code).differences
    assert len(differences) > 20
    assert {difference.kind for difference in differences} <= {"wrong", "no answer"}


def test_a_record_of_nulls_is_no_answer(tmp_path):
    parts = dict.fromkeys(("rows", "row_ptr", "starts", "bin_ptr", "common", "common_row"))
    code = PROGRAM.replace("RESULT", repr(json.dumps(parts)))
    assert len(_answers(tmp_path, code, "presort").differences) == 22


def test_what_was_found_is_told_of_a_program_that_is_given_up(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("refimpl.check.programs.MOST_STARTS", 3)
    (tmp_path / "program.py").write_text("import sys; sys.exit(4)", encoding="utf-8")
    path = str(tmp_path / "program.py")
    only = "best_stump,lloyd"
    assert cli.main(["--only", only, "--json", "--", sys.executable, path]) == 1
    report = json.loads(capsys.readouterr().out)
    words = [one["words"] for one in report["differences"]]
    assert words == ["the process ended with exit code 4"] * 3
    assert "given up: the program had to be started 3 times" in report["notes"]
    assert MOST_STARTS > 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "nosuch", "--", "true"], "no kernels or trainings to check: nosuch"),
        (["--seconds", "nan", "--", "true"], "--seconds must be"),
        (["--seconds", "0", "--", "true"], "--seconds must be"),
        (["kernels", "refimpl_fast", "--examples", "-3"], "--examples must be 0 or more"),
        (["make", "--out", "FILE/x"], "cannot write to"),
    ],
)
def test_options_that_mean_nothing(arguments, words, tmp_path, capsys):
    (tmp_path / "file").touch()
    arguments = [part.replace("FILE", str(tmp_path / "file")) for part in arguments]
    assert cli.main(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_command_before_a_program_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["kernels", "--", "true"])
    assert ended.value.code == 2
    assert (
        "only options may stand before --, lists with commas; got kernels"
        in capsys.readouterr().err
    )


def test_a_file_with_the_name_of_another_module(tmp_path):
    (tmp_path / "json.py").write_text("weighted_l1 = 'own'\n", encoding="utf-8")
    assert imported(str(tmp_path / "json.py")).weighted_l1 == "own"
    spec = importlib.machinery.PathFinder.find_spec("json")
    assert spec.origin == json.__file__  # what a new process finds on this path


def test_a_report_is_json_whatever_its_numbers():
    text = Report("t", facts=[("gap", float("nan")), ("size", float("inf"))]).as_json()
    assert json.loads(text, parse_constant=pytest.fail)["facts"] == {"gap": "nan", "size": "inf"}


# ------------------------------------------------------------------------------- files of all kinds


def test_a_csv_file_is_read_where_one_array_is_wanted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savez("d.npz", X=X, Q=X[:2])
    for text in ("0,1\n1,0\n", "first;second\n0;1\n1;0\n", "0 1\n1  0\n", "# near\n0\t1\n1\t0\n"):
        (tmp_path / "near.csv").write_text(text, encoding="utf-8")
        assert cli.main(["neighbors", "near.csv", "--data", "d.npz"]) == 0
        (tmp_path / "near.csv").write_text(text, encoding="utf-16")
        assert cli.main(["neighbors", "near.csv", "--data", "d.npz"]) == 0
    np.savez("one.npz", near=np.array([[0, 1], [1, 0]]))
    assert cli.main(["neighbors", "one.npz", "--data", "d.npz"]) == 0
    capsys.readouterr()
    for text, words in (
        ("0,1\n1,x\n", "near.csv, line 2: must hold integers between commas; got '1,x'"),
        ("0,1\n1\n", "near.csv, line 2: must have 2 numbers, as the first line; got 1"),
        ("a,b\n", "near.csv must be an .npy or a CSV file; it has no line of numbers"),
        ("0,1\n1.5,0\n", "line 2: must hold integers"),
    ):
        (tmp_path / "near.csv").write_text(text, encoding="utf-8")
        assert cli.main(["neighbors", "near.csv", "--data", "d.npz"]) == 2
        assert words in capsys.readouterr().err
    assert cli.main(["neighbors", "one.npz", "--data", "near.csv"]) == 2
    said = capsys.readouterr().err
    assert "must be an .npz file, as numpy.savez(file, X=X, y=y) writes it; it seems" in said


def _claiming(shape):
    """An .npy file whose header claims more than it has."""
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + bytes(64)


def test_files_with_limits_before_they_are_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savez_compressed("bomb.npz", X=np.zeros((1000, 1000)), Q=np.zeros((2, 1000)))
    np.save("near.npy", np.array([[0, 1], [1, 0]]))
    np.savez("two.npz", a=np.zeros((2, 2)), b=X)
    np.save("objects.npy", np.array([["a", None]]), allow_pickle=True)
    (tmp_path / "claims.npy").write_bytes(_claiming((2**30, 2**20)))
    with zipfile.ZipFile("claims.npz", "w") as archive:
        archive.writestr("X.npy", _claiming((2**30, 2**20)))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "two.npz").read_bytes()[:200])
    (tmp_path / "pickle.npy").write_bytes(pickle.dumps([1]))
    os.mkfifo("pipe")
    monkeypatch.setattr(reading, "MOST_BYTES", 2**21)
    for arguments, words in (
        ("near.npy --data bomb.npz", "bomb.npz is too large: unpacked it has 8 MiB, at most 2"),
        ("near.npy --data pipe", "cannot read pipe: it is no regular file"),
        ("pipe --data bomb.npz", "cannot read pipe: it is no regular file"),
        (". --data bomb.npz", "cannot read .: it is no regular file"),
        ("two.npz --data bomb.npz", "two.npz must hold one array; it holds 2: a, b"),
        ("objects.npy --data bomb.npz", "must hold numbers or text; it holds Python objects"),
        ("claims.npy --data bomb.npz", "claims.npy is damaged: it ends before an array of shape"),
        ("near.npy --data claims.npz", "claims.npz, X.npy is damaged: it ends before an array"),
        ("near.npy --data cut.npz", "cut.npz is damaged: its parts cannot be unpacked"),
        ("pickle.npy --data bomb.npz", "must be an .npy or a CSV file; it is a pickle of Python"),
        ("near.npy --data near.npy", "must be an .npz file; it holds a single array, as numpy"),
    ):
        assert cli.main(["neighbors", *arguments.split()]) == 2, arguments
        said = capsys.readouterr().err
        assert words in said and "allow_pickle" not in said, said
    assert cli.main(["rounds", "pipe", "--data", "bomb.npz"]) == 2
    assert "cannot read pipe" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("form", ["lines", "array"])
def test_logs_in_the_encodings_and_forms_that_people_have(tmp_path, encoding, form, capsys):
    log = tmp_path / "log.jsonl"
    text = LOG if form == "lines" else f"[\n {LOG}]"
    log.write_text(text, encoding=encoding)
    assert read_log(str(log)) == [{"f": 0, "p": 1, "theta": 0.5}]


def test_a_log_of_another_form_is_told_in_our_words(refused):
    said = refused("rounds a.jsonl", text="f,p,theta\n0,1,0.5\n", P=X[6:], N=X[:6])
    assert "a.jsonl, line 1: must be JSON, an object a line; got 'f,p,theta'" in said
    said = refused("rounds a.jsonl", text="[1, 2", P=X[6:], N=X[:6])
    assert "must be one JSON array, or a JSON object a line; got '[1, 2'" in said


def test_an_endless_program_is_given_up_after_three_time_outs(tmp_path, capsys):
    (tmp_path / "endless.py").write_text("while True: pass", encoding="utf-8")
    asking = Asking(Program([sys.executable, str(tmp_path / "endless.py")], 0.2), folder())
    differences = asking.ask(list(KERNELS))
    assert asking.given_up and asking.program.starts == 3 and len(differences) == 3
    assert {one.words for one in differences} == {"no answer within 0.2 s (--seconds)"}


def test_a_kernel_that_is_endless_does_not_hide_the_others(tmp_path):
    body = (
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked.get('kernel') == 'best_bin_first':\n"
        "        time.sleep(60)\n"
        "    print(json.dumps({'id': asked['id'], 'skip': True}), flush=True)\n"
    )
    (tmp_path / "slow.py").write_text(body, encoding="utf-8")
    asking = Asking(Program([sys.executable, str(tmp_path / "slow.py")], 2.0), folder())
    differences = asking.ask([*KERNELS, *TRAININGS])
    asking.program.stop()
    assert len(differences) == 2 and not asking.given_up
    assert asking.unasked == ["best_bin_first"] and len(asking.counts) > 40
