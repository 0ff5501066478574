"""Modules in a process of their own: a crash, an end, an endless loop, too much memory and noise
are findings or nothing, and the other kernels are checked. No process is left.

Not tested here: programs in other languages (test_programs.py).
"""

import importlib.machinery
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asked import differences

from refimpl.check import cli, programs, serving
from refimpl.check.subjects import TRAININGS

ROOT = Path(__file__).parents[2]
MODULE = """
import os, sys, time
from pathlib import Path
import numpy as np
import refimpl.kernels
print("noise of the import")
calls = 0

def hang():
    while True: time.sleep(1)

def counted():
    global calls
    calls += 1
    return calls

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
        code = cli.main([*arguments, "--json"])
        said = capfd.readouterr()
        return code, json.loads(said.out) if said.out else said.err

    return run


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os._exit(0)", "the process ended with exit code 0"),
        ("os._exit(86)", "the process ended with exit code 86"),
        ("os.kill(os.getpid(), 9)", "the process ended with signal 9, SIGKILL"),
        ("while True: pass", "no answer within 4 s (--seconds)"),
    ],
)
def test_the_end_of_a_process_is_a_finding(checked, body, words):
    code, report = checked(body, seconds=4)
    assert code == 1 and report["result"] == "differs"
    assert [one["id"] for one in report["differences"]] == ["plane_values/1", "plane_values/2"]
    for difference in report["differences"]:
        assert difference["name"] == "plane_values" and difference["kind"] == "no answer"
        assert difference["words"] == words and difference["arguments"]["X"]
    assert report["facts"]["vectors"] == 18 + 2  # those of projections, and the two
    assert report["notes"][-1].endswith(
        "cases in a row without an answer no more were asked of: plane_values"
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if os.fork(): hang()\n    return np.zeros(1)", "no answer within 2 s (--seconds)"),
        ("if not os.fork(): hang()\n    os._exit(3)", "the process ended with exit code 3"),
        (
            "if not os.fork(): os.setsid(); Path(__file__).with_suffix('.pid').write_text("
            "str(os.getpid())); time.sleep(600)\n    time.sleep(0.5); os._exit(4)",
            "the process ended with exit code 4",
        ),
    ],
)
def test_a_module_that_forks(checked, tmp_path, body, words):
    """The copy goes on with the check, hangs, or keeps the output open in a session of its own."""
    code, report = checked(body, seconds=2)
    if (tmp_path / "mine.pid").exists():
        os.kill(int((tmp_path / "mine.pid").read_text()), signal.SIGKILL)
    assert code == 1 and {one["words"] for one in report["differences"]} == {words}
    assert report["facts"]["vectors"] == 18 + 2


PRESORT = """
def presort(A, B=None, *, threads=None):
    if len(A) == 4: os._exit(1)
    return refimpl.kernels.presort(A, B)
"""


BEST_STUMP = """
def best_stump(features, w, l, *, threads=None):
    return refimpl.kernels.best_stump(features, w, l)
"""


@pytest.mark.parametrize("more", ["", BEST_STUMP])
def test_a_crash_belongs_to_the_kernel_that_was_called(checked, more):
    """presort ends the process at some of the vectors of best_stump."""
    body = f"return X @ planes.T\n{PRESORT}{more}"
    code, report = checked(body, "--only", "best_stump")
    assert code == 1 and {one["name"] for one in report["differences"]} == {"presort"}
    assert all(one["id"].startswith("best_stump/") for one in report["differences"])
    assert "shown by best_stump: the process ended" in report["differences"][0]["words"]


@pytest.mark.skipif(not programs.limits_memory(), reason="no limit on memory here")
def test_memory_is_limited(checked):
    code, report = checked("np.empty(2**26)", "--memory", "256")
    assert code == 1 and report["facts"]["vectors"] > 18
    assert all("raised MemoryError" in one["words"] for one in report["differences"])
    assert checked("np.empty(2**26); return refimpl.kernels.plane_values(X, planes)")[0] == 0


EATEN = """
held = []

def eat():
    for size in (2**20, 2**12, 2**6):
        try:
            while True: held.append(bytearray(size))
        except MemoryError: pass
"""


@pytest.mark.skipif(not programs.limits_memory(), reason="no limit on memory here")
def test_a_module_that_uses_up_the_memory_is_a_finding(checked):
    """It fills the memory, and does not raise: the check itself has none left."""
    body = f"if counted() == 4: eat()\n    return np.zeros(1)\n{EATEN}"
    code, report = checked(body, "--memory", "64")
    assert code == 1
    said = {one["id"]: one["words"] for one in report["differences"]}
    assert list(said)[:4] == [f"plane_values/{n}" for n in (1, 2, 3, 4)]
    assert said["plane_values/4"] == "it has used up its 64 MiB of memory (--memory)"
    assert said["plane_values/5"].startswith("values must be of shape")


@pytest.mark.skipif(not programs.limits_memory(), reason="no limit on memory here")
def test_an_import_that_uses_up_the_memory_is_told(tmp_path, capfd):
    (tmp_path / "eats.py").write_text(f"{EATEN}\neat()\nheld.append(bytearray(2**21))")
    assert cli.main(["kernels", str(tmp_path / "eats.py"), "--memory", "64"]) == 2
    said = capfd.readouterr().err
    assert "cannot be imported: it has used up its 64 MiB" in said or "raised MemoryError" in said


def test_a_module_cannot_change_the_judge(checked):
    body = (
        "import refimpl.check.comparing as s; s.compare = lambda *given: None; return np.zeros(1)"
    )
    code, report = checked(body)
    assert code == 1 and {one["kind"] for one in report["differences"]} == {"wrong"}


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process(tmp_path, end):
    path, pid = tmp_path / "mine.py", tmp_path / "mine.pid"
    body = f"Path({str(pid)!r}).write_text(f'{{os.getpid()}}.'); hang()"
    path.write_text(MODULE.replace("BODY", body), encoding="utf-8")
    command = [sys.executable, "-m", "refimpl.check", "kernels", str(path)]
    with subprocess.Popen(
        [*command, "--only", "plane_values"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may ignore it
    ) as process:
        while not pid.exists() or not pid.read_text().endswith("."):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(end)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 2 and said.endswith("interrupted; nothing is decided\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()[:-1]), 0)


def test_modules_that_cannot_be_used(checked, tmp_path, capfd):
    assert checked("pass", "--only", "nothing")[0] == 2
    (tmp_path / "ends.py").write_text("import os; os._exit(0)", encoding="utf-8")
    assert cli.main(["kernels", str(tmp_path / "ends.py")]) == 2
    said = capfd.readouterr().err
    (tmp_path / "other.py").write_text("fastmap = print", encoding="utf-8")
    assert cli.main(["kernels", str(tmp_path / "other.py")]) == 2
    assert "other.py has no kernels, but fastmap: python -m " in capfd.readouterr().err
    assert "the module: 60 s for an answer (--seconds), 4096 MiB" in said  # beforehand
    assert "cannot be imported: the process ended with exit code 0" in said


def test_other_commands_need_no_process(capfd):
    assert cli.main(["trainings", "--list"]) == 0
    said = capfd.readouterr().out
    (line,) = [line.split() for line in said.splitlines() if "fastmap(" in line]
    assert " ".join(line).startswith("fastmap(D, d, starts, iterations) FastMap ")
    assert int(line[-1]) > 3 and line[-2] == "(1995)"
    assert max(map(len, said.splitlines())) <= 130
    assert " FT:1 " in said and "their PAPER.md: BD boosted_distance, BM boostmap, " in said
    assert cli.main(["trainings", "--list", "--only", "fastmap"]) == 0
    said = capfd.readouterr().out
    assert "choose-distant-objects begins with starts[j, 0]" in said
    assert max(map(len, said.splitlines())) <= 100


@pytest.mark.parametrize("name", TRAININGS)
def test_a_skeleton_runs_and_its_training_has_no_rounds_yet(name, capsys):
    assert cli.main(["trainings", "--skeleton", name]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 100
    module = {}
    exec(text, module)
    for output in TRAININGS[name].outputs:
        assert f'"{output.name}": ...,  # {output.source}: ' in text
    # what a dict of its own has, after those of the rounds
    last = {"dselect": ["P"], "ftune": ["losses", "f"]}.get(name, [])
    assert text.count("in one more dict at the end") == len(last)
    for part in last:
        assert re.search(f'"{part}": .*: in one more dict at the end, ', text)
    found = differences(name, module[name])
    assert found and all(one.kind == "wrong" and one.output == "rounds" for one in found)


def test_a_file_with_the_name_of_another_module(tmp_path):
    (tmp_path / "json.py").write_text("weighted_l1 = 'own'\n", encoding="utf-8")
    assert serving.imported(str(tmp_path / "json.py")).weighted_l1 == "own"
    spec = importlib.machinery.PathFinder.find_spec("json")
    assert spec.origin == json.__file__  # what a new process finds on this path
