"""pytest with REFIMPL_CHECK and the command ``python -m refimpl.check``, in processes of their own.

Not tested here: what they find (test_kernels.py, test_trainings.py).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from refimpl.check import cli, files
from refimpl.check.encoding import decode, encode
from refimpl.check.files import load

ROOT = Path(__file__).resolve().parents[2]

MINE = """
import numpy as np

def projections(X, A, *, threads=None):
    return X @ A

def least_similar(sums, column, taken, *, threads=None):
    sums += column
    return int(sums.argmin())

def enn_ranks(Q, X, A, neighbors, k_values):
    return [{"ranks": np.zeros((len(Q), len(k_values)), dtype=int)}]
"""


def process(folder, *arguments, **variables):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **variables}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip


def test_a_module_through_pytest(tmp_path):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "refimpl.check")
    done = process(tmp_path, *arguments, REFIMPL_CHECK="mine")
    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "least_similar, FT:1:3: wrong" in done.stdout
    assert "enn_ranks, Athitsos et al. (2005), § 11.1: wrong" in done.stdout


def test_other_names_of_arguments_are_told(tmp_path, capsys):
    """Positives and negatives exchanged by name would be another training; the order decides."""
    path = tmp_path / "other_names.py"
    body = "    return refimpl.check.subjects.TRAININGS['lipschitz'].run({'D': a, 'member': b})\n"
    path.write_text(f"import refimpl.check.subjects\ndef lipschitz(a, b):\n{body}")
    assert cli.main(["trainings", str(path), "--examples", "0"]) == 0
    assert "lipschitz has other names: it gets D, member in this order" in capsys.readouterr().out
    path.write_text("def projections(a, b, *, threads=None):\n    return a @ b\n")
    assert cli.main(["kernels", str(path), "--examples", "0", "--only", "projections"]) == 0
    assert "projections has other names: it gets X, A in this order" in capsys.readouterr().out


def test_vectors_of_ones_own_folder(tmp_path, monkeypatch, capsys):
    """Made by the command, for a kernel and a training, and used."""
    for table in ("KERNELS", "TRAININGS"):
        few = {"projections", "dselect"}
        entries = {name: entry for name, entry in getattr(files, table).items() if name in few}
        monkeypatch.setattr(files, table, entries)
    mine = tmp_path / "arguments" / "kernels"
    mine.mkdir(parents=True)
    case = {"comment": "by hand", "flags": ["plain"], "arguments": {}}
    case["arguments"] = {name: encode(np.full((1, 1), 3.0)) for name in ("X", "A")}
    (mine / "projections.json").write_text(json.dumps({"cases": [case]}))
    made = ["make", "--out", str(tmp_path / "vectors"), "--vectors", str(mine.parent)]
    assert cli.main(made) == 0
    first, *drawn = load(tmp_path / "vectors", "kernels", "projections")["cases"]
    assert first["comment"] == "by hand" and decode(first["expected"]["XA"]).tolist() == [[9.0]]
    assert [one["comment"] for one in drawn[:2]] == ["ties", "ties"] and len(drawn) == 10
    assert len(load(tmp_path / "vectors", "trainings", "dselect")["cases"]) == 2
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    arguments = ["kernels", str(tmp_path / "mine.py"), "--only", "projections", "--examples", "0"]
    assert cli.main([*arguments, "--vectors", str(tmp_path / "vectors")]) == 0
    for part, words in (("flags", "projections/1 must have 'flags'"), ("arguments", "must have")):
        wrong = {name: value for name, value in case.items() if name != part}
        (mine / "projections.json").write_text(json.dumps({"cases": [wrong]}))
        assert cli.main(made) == 2 and words in capsys.readouterr().err
