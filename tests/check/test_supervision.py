"""Modules in a process of their own: a crash, an end, an endless loop and noise are findings or
nothing, and the other kernels are checked.

Not tested here: programs in other languages (test_programs.py).
"""

import json

import pytest

from refimpl.check import supervision

MODULE = """
import os
print("noise of the import")

def projections(X, A, *, threads=None):
    os.write(1, b"noise of C")
    print("noise")
    return X @ A

def plane_values(X, planes, *, threads=None):
    BODY
"""


@pytest.fixture
def checked(tmp_path, capfd):
    """Run ``kernels`` on two kernels, the second with this body; return code and report."""

    def run(body, *more, seconds=30):
        path = tmp_path / "mine.py"
        path.write_text(MODULE.replace("BODY", body), encoding="utf-8")
        arguments = ["kernels", str(path), "--examples", "0", "--seconds", str(seconds), *more]
        code = supervision.main([*arguments, "--json"])
        said = capfd.readouterr()
        return code, json.loads(said.out) if said.out else said.err

    return run


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os._exit(0)", "the process ended with exit code 0"),
        ("os.kill(os.getpid(), 9)", "the process ended with signal 9, SIGKILL"),
        ("while True: pass", "no answer within 4 s (--seconds)"),
    ],
)
def test_the_end_of_a_process_is_a_finding(checked, body, words):
    code, report = checked(body, seconds=4)
    assert code == 1 and report["result"] == "differs"
    (difference,) = report["differences"]
    assert difference["name"] == "plane_values" and difference["kind"] == "no answer"
    assert difference["words"] == words and difference["id"].startswith("plane_values/")
    assert difference["arguments"]["X"]
    assert report["facts"]["vectors"] == 18  # those of projections


def test_noise_is_not_in_the_report(checked):
    code, report = checked("pass", "--only", "projections")
    assert code == 0 and report["result"] == "agrees"


def test_modules_that_cannot_be_used(checked, tmp_path, capfd):
    assert checked("pass", "--only", "nothing")[0] == 2
    code, said = checked("pass", seconds=0)
    assert code == 2 and "--seconds must be above 0" in said
    (tmp_path / "ends.py").write_text("import os; os._exit(0)", encoding="utf-8")
    assert supervision.main(["kernels", str(tmp_path / "ends.py")]) == 2
    assert "cannot be imported: the process ended with exit code 0" in capfd.readouterr().err


def test_other_commands_need_no_process(capfd):
    assert supervision.main(["trainings", "--list"]) == 0
    said = capfd.readouterr().out
    assert "fastmap(D, d, starts, iterations)" in said and said.endswith("no verdict\n")
    assert supervision.main(["neighbors", "none.npy", "--truth", "none.npy"]) == 2
