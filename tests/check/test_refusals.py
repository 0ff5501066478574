"""What the command refuses, and in which words: options that mean nothing, files that cannot be
read, arrays and logs of another form.

Not tested here: what a right and a wrong answer give (test_answers.py, test_logs.py).
"""

import io
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from refimpl.check import cli, reading
from refimpl.check.files import cases_of
from refimpl.check.logs import read_log
from refimpl.check.subjects import TRAININGS

X = np.arange(24.0).reshape(12, 2) ** 2
Y = np.arange(12) % 2
SETS = {"P": X[6:], "N": X[:6]}
TREE = {"order": np.arange(12), "starts": np.array([0, 0, 6]), "ends": np.array([12, 6, 12])}
LOG = '{"f": 0, "p": 1, "theta": 0.5}\n'
NEAR = np.array([[0, 1]])
EMBEDDING, LANDMARKS, METRIC, NEIGHBORS = (
    f"{name} a.npy --data data.npz" for name in ("embedding", "landmarks", "metric", "neighbors")
)
ROUNDS, TREES = "rounds log.jsonl --data data.npz", "tree tree.npz --data data.npz"


def with_entry(value):
    """Return points with another entry."""
    bad = X.copy()
    bad[1, 1] = value
    return bad


NOT_FINITE = [
    (command, {name: with_entry(value)[:rows], **given}, f"{name} must be finite; got {value}")
    for value in (np.nan, np.inf)
    for command, name, rows, given in (
        (NEIGHBORS, "X", 12, {"array": NEAR, "Q": X[:1]}),
        (EMBEDDING, "X", 12, {"array": X}),
        (EMBEDDING, "D", 2, {"array": np.eye(2)}),
        (LANDMARKS, "K", 2, {"array": NEAR[0]}),
        (ROUNDS, "P", 12, {"N": X}),
        (TREES, "X", 12, {}),
    )
]
OTHER_FORMS = [
    (METRIC, {"X": X, "y": np.where(Y > 0, np.nan, 0.0)}, "y must hold a label for every vector"),
    (ROUNDS, {"P": np.array([["a", "b"]]), "N": X}, "P must hold real numbers; got <U1"),
    (LANDMARKS, {"array": NEAR[0], "K": np.eye(2) * 1j}, "K must hold real numbers; got complex"),
    (LANDMARKS, {"array": NEAR[0], "K": np.zeros((2, 3))}, "K must have the length 2 along axis 1"),
    (LANDMARKS, {"array": NEAR[0], "K": np.zeros((0, 0))}, "K must not be empty; got shape (0, 0)"),
    (LANDMARKS, {"array": np.array([9]), "K": np.eye(2)}, "a.npy must hold indices from 0 to 1"),
    (ROUNDS, {"X": X[:0], "y": Y[:0]}, "X must not be empty; got shape (0, 2)"),
    (METRIC, {"X": X[:0], "y": Y[:0]}, "X must not be empty; got shape (0, 2)"),
    (METRIC, {"X": X, "y": Y[1:]}, "y must hold one label for each vector, shape (12,)"),
    (METRIC, {"X": X, "y": Y * 0}, "y must hold at least 2 classes; got 1"),
    (ROUNDS, {"X": X, "y": Y * 0}, "y must hold at least 2 classes; got 1"),
    (METRIC, {"X": X * 1e200, "y": Y}, "cannot be used: X must hold values from"),
    (NEIGHBORS, {"array": X / 2, "X": X, "Q": X[:2]}, "a.npy must hold integers; got float64"),
    (NEIGHBORS, {"array": np.empty((2, 0), int), "X": X, "Q": X[:2]}, "a.npy must not be empty"),
    (NEIGHBORS, {"array": NEAR, "X": X * 1e200, "Q": X[:1]}, "X must hold values from -1e+150"),
    (NEIGHBORS, {"array": NEAR, "X": X[:1], "Q": X[:1]}, "must have at least 2 points; got 1"),
    (NEIGHBORS, {"array": NEAR, "X": X, "Q": X[:2]}, "Q must have the length 1 along axis 0"),
    ("neighbors a.npy", {"array": NEAR}, "name the true neighbours with --truth, or X and Q with"),
    (f"{NEIGHBORS} --truth a.npy", {"array": NEAR, "X": X}, "name --truth or --data, not both"),
    (EMBEDDING, {"array": X * 1e160, "X": X}, "a.npy must hold values from -1e+150"),
    (EMBEDDING, {"array": np.eye(2), "D": -np.eye(2)}, "D must hold distances of at least 0"),
    (EMBEDDING, {"array": np.empty((0, 2)), "X": X[:0]}, "two rows or more; got 0"),
    (EMBEDDING, {"array": X[:3], "X": X}, "X must have the length 3 along axis 0"),
    *((f"{METRIC} {o}", {"X": X, "y": Y}, o.partition(" ")[0]) for o in (
        "--tol nan", "--tol 0", "--mu inf", "--mu nan", "--mu 0", "--k 0")),
    (f"{METRIC} --k 6", {"X": X, "y": Y}, "k must be at most 5, the smallest class (0) has 6"),
    (METRIC, {"array": np.eye(4), "X": X, "y": Y}, "a.npy must have the length 2 along axis 1"),
    (METRIC, {"array": np.ones(3), "X": X, "y": Y}, "a.npy must have 2 dimensions"),
    (METRIC, {"array": np.full((2, 2), np.nan), "X": X, "y": Y}, "a.npy must be finite"),
    *((f"{METRIC} --squared", {"array": M, "X": X, "y": Y}, words) for M, words in (
        (np.diag([1.0, -1.0]), "positive semidefinite; its least eigenvalue is -1"),
        (np.triu(np.ones((2, 2))), "a.npy must be symmetric"),
        (np.ones((1, 2)), "a.npy must have the length 2 along axis 0"))),
    *((TREES, {"tree": {**TREE, part: np.array(array)}, "X": X}, words) for part, array, words in (
        ("starts", [0.5, 0, 6], "starts must hold integers; got float64"),
        ("starts", [[0, 0, 6]], "starts must have 1 dimensions"),
        ("ends", [12], "ends must have the length 3 along axis 0"),
        ("centres", np.zeros((3, 1)), "centres must have the length 2 along axis 1"),
        ("radii", np.ones(2), "radii must have the length 3 along axis 0"),
        ("radii", np.full(3, np.nan), "radii must be finite"))),
    (TREES, {"tree": {**TREE, "starts": [0, 0], "ends": [12, 6]}, "X": X}, "1, 3, 7, ... nodes"),
    (TREES, {"tree": {"order": [0]}, "X": X}, "tree.npz must have starts, ends; it has ['order']"),
]  # fmt: skip
LOGS = [
    *((ROUNDS, {"log": log, **SETS}, words) for log, words in (
        ('{"f": null, "p": null, "theta": null}', "must be a number; got None"),
        ('{"f": 0, "p": 1, "theta": {"a": 1}}', "theta must be a number; got {'a': 1}"),
        ('{"f": 0, "p": 1, "theta": [1, "x"]}', "line 1: could not convert"),
        ('{"f": 0, "p": 1, "theta": "x"}', "theta must be a number; got 'x'"),
        (f'{{"f": 0, "p": 1, "theta": {10**400}}}', "log.jsonl, line 1: int too large"),
        (f'{{"f": 0, "p": 1, "theta": 2, "w": [{10**400}]}}', "log.jsonl, line 1: int too large"),
        ("f,p,theta\n0,1,0.5\n", "line 1: must be JSON, an object a line; got 'f,p,theta'"),
        ("[1, 2", "must be one JSON array, or a JSON object a line; got '[1, 2'"),
        ("{", "must be JSON"),
        ('{"f": 0}', "line 1: must have f, p, theta"),
        ("\n", "has no rounds"))),
    ("rounds /no/such/log --data data.npz", SETS, "cannot read /no/such/log"),
    (ROUNDS, {"Z": X}, "has X, Z; Algorithm A.2 takes P and N, or X and y"),
    ("rounds log.jsonl --data log.jsonl", {}, "must be an .npz file"),
    (f"{ROUNDS} --algorithm B.7", SETS, "--algorithm must be one of A.1, A.2"),
]  # fmt: skip
BOOSTMAP, SENSITIVE = (
    {name: cases_of(TRAININGS[training])[0].arguments[name] for name in (matrix, "triples", "y")}
    for training, matrix in (("boostmap", "D"), ("query_sensitive", "F"))
)
LINE = {"classifier": [0, 1], "alpha": 1.0}
OF_7_3 = [
    *(([LINE, {**LINE, "classifier": wrong}], {}, "log.jsonl, round 2: classifier must be")
      for wrong in ([], [0, 1, 2], [[0, 1]], 0.5, "nan")),
    ([{**LINE, "classifier": [0, 99]}], {}, "from 0 to 7; got [0, 99]"),
    ([{**LINE, "alpha": [1, 2]}], {}, "log.jsonl has a line of another form: only "),
    ([{**LINE, "alpha": {"a": 1}}], {}, "line 1: alpha must be a number; got {'a': 1}"),
    ([{"classifier": 0}], {}, "line 1: must have classifier, alpha"),
    ([LINE], {"y": BOOSTMAP["y"] * 2}, "y must hold 1.0 or -1.0; got"),
    ([LINE], {"triples": BOOSTMAP["triples"] + 8}, "triples must hold indices from 0 to 7; got"),
    ([LINE], {"D": BOOSTMAP["D"][:, :5]}, "between must have the length 8 along axis 1"),
]  # fmt: skip
SPLIT = {"c": 0, "g": 0, "low": 0.0, "high": 1.0, "inside": 1, "alpha": 0.5}
OF_8_1 = [
    ([{**SPLIT, **change}], {}, words)
    for change, words in (
        ({"c": 77}, "c and g must be integers from 0 to"),
        ({"g": 0.5}, "c and g must be integers from 0 to"),
        ({"inside": 2}, "inside must be 1 or 0"),
        ({"low": "nan"}, "low and high must be numbers"),
        ({"c": [1, 2]}, "log.jsonl cannot be compared on data.npz: "),
    )
]
LABELS = {"X": [[0.0], [10.0]], "y": [0, 1], "Q": [[-1.0], [12.0]]}
for C, p in ((0, 1), (1, -1)):
    LABELS |= {f"alpha_{C}": [2.0], f"feature_{C}": [0], f"polarity_{C}": [p]}
    LABELS |= {f"threshold_{C}": [float(p)]}
RIGHT = [{"label": 0, "s": [1.0, 0.0]}, {"label": 1, "s": [0.0, 1.0]}]
OF_A_3 = [
    (RIGHT[:1], {}, "Q must have the length 1 along axis 0"),
    (RIGHT, {"y": [b"0", b"\xff"]}, "y must hold text in UTF-8; "),
    ([RIGHT[0], {"label": 1}], {}, "s must be in all lines of the log or in none; 1 have it"),
    (RIGHT, {"feature_0": [-1]}, "feature_0 must hold indices from 0 to 0"),
    (RIGHT, {"feature_1": [0.4]}, "feature_1 must hold integers; got float64"),
    (RIGHT, {"polarity_1": [-2.0]}, "polarity_1 must hold 1 or -1; got -2"),
    (RIGHT, {"threshold_0": [np.nan]}, "threshold_0 must hold values from -inf to inf; got nan"),
    (RIGHT, {"alpha_0": [1.0, 2.0]}, "feature_0 must have the length 2 along axis 0"),
]
OF_ALGORITHMS = [
    (f"{ROUNDS} --algorithm {name}", {**data, "log": log, **change}, words)
    for name, data, rows in (
        ("7.3", BOOSTMAP, OF_7_3), ("8.1", SENSITIVE, OF_8_1), ("A.3", LABELS, OF_A_3),
        ("A.3", {key: LABELS[key] for key in LABELS if key != "alpha_1"},
         [(RIGHT, {}, "data.npz must have alpha_1; it has")]),
    )
    for log, change, words in rows
]  # fmt: skip
OPTIONS = [
    ("--only nosuch -- true", {}, "no kernels or trainings to check: nosuch"),
    ("--seconds nan -- true", {}, "--seconds: must be from 0.001 to 86400; got nan"),
    ("--seconds 0 -- true", {}, "--seconds: must be"),
    ("kernels refimpl_fast --examples -3", {}, "--examples: must be from 0 to"),
    ("kernels refimpl_fast --memory 1", {}, "--memory: must be from 64 to"),
    ("kernels refimpl_fast --seed x", {}, "argument --seed: invalid int value: 'x'"),
    ("kernels refimpl_fast --memory x", {}, "argument --memory: invalid int value: 'x'"),
    ("kernels .", {}, "name a module or a .py file; got the folder ."),
    ("kernels none.py", {}, "there is no file none.py"),
    ("kernels no_such_module", {}, "cannot import no_such_module"),
    ("trainings", {}, "name a module, or ask for --list or --skeleton"),
    ("trainings --skeleton nothing", {}, "no trainings to check: nothing; there are"),
    ("make --out data.npz/x", {}, "cannot write to"),
    ("make --out made --vectors nowhere", {}, "there is no folder nowhere"),
    ("-- /no/such/program", {}, "cannot start /no/such/program"),
    ("kernels -- true", {}, "only options may stand before --, lists with commas; got kernels"),
    *((command, {}, "an argument is empty, as of a variable that is not set") for command in (
        "kernels ''", "kernels json --html ''", "kernels json --html=", "make --out ''",
        "--vectors '' -- true", "-- '' true")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "files", "words"), [*NOT_FINITE, *OTHER_FORMS, *LOGS, *OF_ALGORITHMS, *OPTIONS]
)
def test_what_is_refused(check, command, files, words):
    code, said = check(command, **{"log": LOG, "array": np.eye(2), "tree": TREE, "X": X, **files})
    assert code == 2 and words in said, said


def test_a_failure_of_the_check_is_no_difference(monkeypatch, capsys):
    def fails(*given):
        raise ZeroDivisionError

    monkeypatch.setattr("refimpl.check.answers.read_array", fails)
    assert cli.main(["neighbors", "a.npy", "--truth", "a.npy"]) == 2
    assert "the check itself failed" in capsys.readouterr().err


# ------------------------------------------------------------------------------- files of all kinds


def test_a_csv_file_is_read_where_one_array_is_wanted(check, tmp_path):
    two = np.array([[0, 1], [1, 0]])
    np.savez(tmp_path / "one.npz", near=two)
    assert check("neighbors one.npz --data data.npz", X=X, Q=X[:2])[0] == 0
    for text in (
        "0,1\n1,0\n",
        "first;second\n0;1\n1;0\n",
        "0 1\n1  0\n",
        "0, 1\n1, 0\n",
        "# near\n0\t1\n1\t0\n",
    ):
        for encoding in ("utf-8", "utf-16"):
            (tmp_path / "near.csv").write_text(text, encoding=encoding)
            assert check("neighbors near.csv --data data.npz")[0] == 0
    for text, words in (
        ("0,1\n1,x\n", "near.csv, line 2: must hold numbers between commas; got '1,x'"),
        ("0,1\n1\n", "near.csv, line 2: must have 2 numbers, as the first line; got 1"),
        ("a,b\n", "near.csv must be an .npy or a CSV file; it has no line of numbers"),
        ("0,1\n1.5,0\n", "near.csv must hold integers; got float64"),
    ):
        (tmp_path / "near.csv").write_text(text, encoding="utf-8")
        assert words in check("neighbors near.csv --data data.npz")[1]
    said = check("neighbors one.npz --data near.csv")[1]
    assert "must be an .npz file, as numpy.savez(file, X=X, y=y) writes it; it seems" in said


def _claiming(shape):
    """An .npy file whose header claims more than it has."""
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + bytes(64)


def test_files_with_limits_before_they_are_read(check, tmp_path, monkeypatch):
    np.savez_compressed("bomb.npz", X=np.zeros((1000, 1000)), Q=np.zeros((2, 1000)))
    np.save("near.npy", np.array([[0, 1], [1, 0]]))
    np.savez("two.npz", a=np.zeros((2, 2)), b=X)
    np.save("objects.npy", np.array([["a", None]]), allow_pickle=True)
    np.save("table.npy", np.zeros(2, [(f"column {number}", "f8") for number in range(999)]))
    (tmp_path / "claims.npy").write_bytes(_claiming((2**30, 2**20)))
    with zipfile.ZipFile("claims.npz", "w") as archive:
        archive.writestr("X.npy", _claiming((2**30, 2**20)))
    with zipfile.ZipFile("table.npz", "w") as archive:
        archive.writestr("sheet.xml", "<sheet/>")
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
        ("table.npy --data bomb.npz", "table.npy is damaged: Header info length"),
        ("claims.npy --data bomb.npz", "claims.npy is damaged: "),
        ("near.npy --data claims.npz", "claims.npz is damaged: "),
        ("near.npy --data table.npz", "table.npz is damaged: it has files that are no arrays"),
        ("near.npy --data cut.npz", "cut.npz is damaged: "),
        ("pickle.npy --data bomb.npz", "must be an .npy or a CSV file; it is a pickle of Python"),
        ("near.npy --data near.npy", "must be an .npz file; it holds a single array, as numpy"),
    ):
        code, said = check(f"neighbors {arguments}")
        assert code == 2 and words in said and "allow_pickle" not in said, said
    assert "cannot read pipe" in check("rounds pipe --data bomb.npz")[1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("form", ["lines", "array"])
def test_logs_in_the_encodings_and_forms_that_people_have(tmp_path, encoding, form):
    log = tmp_path / "log.jsonl"
    log.write_text(LOG if form == "lines" else f"[\n {LOG}]", encoding=encoding)
    known = frozenset({"f", "p", "theta"})
    assert read_log(str(log), ("f",), known) == [{"f": 0, "p": 1, "theta": 0.5}]


def command(folder, *words, before=(), **more):
    """Run the command as a program in a folder with an embedding."""
    np.save(folder / "\xfc.npy", X)
    np.savez(folder / "data.npz", X=X)
    check = "-m refimpl.check embedding \xfc.npy --data data.npz".split()
    more = {"cwd": folder, "text": True, "timeout": 60, "stderr": subprocess.PIPE} | more
    return subprocess.run([*before, sys.executable, *check, *words], **more)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_report_that_cannot_be_written_is_no_difference(tmp_path):
    with open("/dev/full", "wb") as full:
        ended = command(tmp_path, stdout=full)
        assert ended.returncode == 2 and "Traceback" not in ended.stderr
        assert ended.stderr.endswith("cannot write the report: No space left on device\n")
        assert command(tmp_path, stdout=full, stderr=full).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the output")
def test_a_closed_output_is_no_difference(tmp_path):
    closing = ["sh", "-c", 'exec "$@" >&-', "sh"]
    ended = command(tmp_path, before=closing)
    assert ended.returncode == 0 and "Traceback" not in ended.stderr


def test_a_report_has_escapes_for_characters_that_the_output_lacks(tmp_path):
    ascii = os.environ | {"PYTHONIOENCODING": "ascii"}
    ended = command(tmp_path, stdout=subprocess.PIPE, env=ascii)
    assert ended.returncode == 0 and "\\xfc.npy as an embedding" in ended.stdout


def test_a_page_that_cannot_be_written_costs_no_report(tmp_path):
    ended = command(tmp_path, "--html", "nowhere/page.html", stdout=subprocess.PIPE)
    assert ended.returncode == 2 and "cannot write nowhere/page.html" in ended.stderr
    assert "as an embedding" in ended.stdout
