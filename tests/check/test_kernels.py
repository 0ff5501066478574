"""Modules of kernels: which kernel is to blame, what writes, raises or returns something else;
vectors of one's own.

Not tested here: planted faults (test_planted_faults.py), algorithms (test_trainings.py).
"""

import json
import os
import sys

import numpy as np
import pytest
from asked import asking, differences
from processes import ROOT, python

import refimpl.kernels
from refimpl.check import cli, files
from refimpl.check.encoding import decode, encode
from refimpl.check.files import load


def test_a_kernel_without_answers_is_not_explored_whoever_is_to_blame():
    asked = asking(presort=lambda A, B=None: None)
    assert {one.name for one in asked.ask(["best_stump"])} == {"presort"}
    assert asked.counts["best_stump"] and not asked.agreeing()


def test_a_kernel_that_raises_ends_python_or_returns_nothing():
    def raises(u, A, *, threads=None):
        raise ZeroDivisionError("by hand")

    for function, kind, words in (
        (raises, "no answer", "raised ZeroDivisionError: by hand"),
        (lambda u, A, threads=None: sys.exit(3), "no answer", "raised SystemExit: 3"),
        (lambda u, A, threads=None: None, "wrong", "uA must be a result; got None"),
    ):
        found = differences("vector_matrix", function)
        assert found and all(one.kind == kind and words in one.words for one in found)


def test_a_record_of_ones_own_is_not_compared_but_its_use_is():
    """A module with its own sorted features: best_stump is its own, too."""

    def presort(A, B=None, *, threads=None):
        return {"mine": refimpl.kernels.presort(A, B)}

    def best_stump(features, w, l, *, threads=None):
        return refimpl.kernels.best_stump(features["mine"], w, ~l)

    found = asking(presort=presort, best_stump=best_stump).ask(["presort", "best_stump"])
    assert {one.name for one in found} == {"best_stump"}


@pytest.mark.parametrize("line", ["answer = 42", "from refimpl.kernels import *"])
def test_a_module_without_kernels_is_refused(tmp_path, capsys, line):
    (tmp_path / "mine.py").write_text(line, encoding="utf-8")
    assert cli.main(["kernels", str(tmp_path / "mine.py")]) == 2
    assert "has no kernel of its own" in capsys.readouterr().err


def test_the_command_says_module_line_and_case(tmp_path, capsys):
    (tmp_path / "my_kernels.py").write_text(
        "def weighted_errors(F, triples, y, w, *, threads=None):\n"
        "    from refimpl.kernels import weighted_errors\n"
        "    return 1 - weighted_errors(F, triples, y, w)\n",
        encoding="utf-8",
    )
    page = tmp_path / "page.html"
    arguments = ["kernels", str(tmp_path / "my_kernels.py"), "--examples", "5"]
    assert cli.main([*arguments, "--html", str(page)]) == 1
    said = capsys.readouterr()
    assert "weighted_errors, BM:7.3:8: wrong" in said.out and "weighted_errors/" in said.out
    assert "200 MB" in said.err  # said beforehand
    assert "BM:7.3:8" in page.read_text(encoding="utf-8")


# ----------------------------------------------------------- pytest with REFIMPL_CHECK, vectors

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


def test_a_module_through_pytest(tmp_path):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "refimpl.check")
    paths = f"{ROOT}{os.pathsep}{tmp_path}"
    done = python(*arguments, cwd=tmp_path, PYTHONPATH=paths, REFIMPL_CHECK="mine")
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
    without = {name: value for name, value in case.items() if name != "flags"}
    for wrong, words in (
        (without, "projections/1 must have comment, flags, arguments"),
        ({**case, "arguments": {"X": {"dtype": "text"}}}, "projections/1 cannot be read: an array"),
    ):
        (mine / "projections.json").write_text(json.dumps({"cases": [wrong]}))
        assert cli.main(made) == 2 and words in capsys.readouterr().err
