"""A study that gives other numbers has another version: probes.json holds one against the other."""

import copy
import json
import platform

import pytest
from processes import output

from paper_figures.study import Gathered, Study, View
from tests import probes

CELL = {"part": "test", "run": 0}
PROBE = {"version": 1, "cells": [{"cell": CELL, "numbers": {"error": [2.5]}, "times": ["seconds"]}]}


def draws(job, *, part, run):
    yield {"error": 2.5 if part == "test" else 1.5, "method": "a"}


def study(version=1, parts=("test",)):
    cells = [{"part": part, "run": run} for run in (0, 1) for part in parts]
    view = View("table1", "Draws", lambda seen: Gathered([]))
    return Study("draws", draws, {"small": cells, "paper": cells}, (view,), version)


def said(version=1, parts=("test",), **numbers):
    now = probes.computed(study(version, parts))
    now["cells"][0]["numbers"] |= numbers
    return probes.wrong("toy.draws", study(version), copy.deepcopy(PROBE), now)


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="other linear algebra moves last bits"
)
def test_each_study_gives_the_numbers_of_its_version():
    """In a cell of each combination of texts and switches."""
    output("-W", "ignore", "-m", "tests.probes")


def test_other_numbers_need_another_version():
    assert said() == said(seconds=[1.0]) == said(error=[2.500001]) == ""
    assert "toy.draws gives other numbers: raise its version (1)" in said(error=[2.51])
    assert "toy.table1 --scale paper" in said(error=[2.51])
    assert said(2, error=[2.51]) == "study toy.draws has version 2: make probes ARGS=--write"
    assert "gives the numbers of the last one" in said(2)
    assert "has other cells" in said(parts=("test", "validation"))


def test_writing_leaves_a_study_that_needs_a_version(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(probes, "EXPECTED", tmp_path / "probes.json")
    monkeypatch.setattr(probes, "studies", lambda: {"toy.draws": study()})
    assert probes.main([]) == 1 and probes.main(["--write"]) == 0 and probes.main([]) == 0
    wrong = json.loads(probes.EXPECTED.read_text())
    wrong["toy.draws"]["cells"][0]["numbers"]["error"] = [3.5]
    probes.EXPECTED.write_text(json.dumps(wrong))
    assert probes.main(["--write"]) == 1 and json.loads(probes.EXPECTED.read_text()) == wrong
    monkeypatch.setattr(probes, "studies", lambda: {"toy.draws": study(2)})
    assert probes.main(["--write"]) == 0 and probes.main([]) == 0
    monkeypatch.setattr(probes, "studies", lambda: {})
    assert probes.main([]) == 1 and probes.main(["--write"]) == 0
    assert "there is no study toy.draws" in capsys.readouterr().out
