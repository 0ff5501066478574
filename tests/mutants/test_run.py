"""What counts as noticed: a failed test, or a time that the unchanged tests are far from; and when
what was measured belongs to a checkout.

Which tests notice which mutants is what `make mutants` shows, not this module.
"""

import json
import multiprocessing
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import pytest

pytest.importorskip("resource", reason="the tools need a system that forks")

from . import reach, run
from .__main__ import work
from .reach import is_measured
from .run import ERROR, KILLED, SURVIVED, TIMED_OUT, changed, digest_of, failing_unchanged, verdict

TESTS = """
import number

def test_that_holds():
    assert number

def test_value():
    assert number.VALUE == 3
"""


@pytest.fixture
def copy(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    copy = tmp_path / "copy"
    (copy / "tests").mkdir(parents=True)
    (copy / "number.py").write_text("VALUE = 3\n")
    (copy / "conftest.py").write_text("import number\n")
    (copy / "tests/test_value.py").write_text(TESTS)
    return copy


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("VALUE = 3.0\n", (SURVIVED, "")),
        ("VALUE = 4\n", (KILLED, "tests/test_value.py::test_value")),
        ("1 / 0\n", (KILLED, "pytest cannot run")),  # nor read its conftest.py
    ],
)
def test_a_change_is_noticed_by_a_failed_test(copy, tmp_path, source, expected):
    change = changed(copy / "number.py", source)
    assert verdict(copy, change, tmp_path / "it.log", 60, ["tests"]) == expected
    assert (copy / "number.py").read_text() == "VALUE = 3\n"


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([SURVIVED], SURVIVED),
        ([TIMED_OUT, SURVIVED], TIMED_OUT),
        ([TIMED_OUT, TIMED_OUT], ERROR),
        ([TIMED_OUT, KILLED], ERROR),
        ([ERROR, SURVIVED], KILLED),
        ([ERROR, ERROR], ERROR),
    ],
)
def test_without_a_failure_the_unchanged_tests_decide(monkeypatch, tmp_path, ends, expected):
    """They have a quarter of the time."""
    allowed = []

    def run_tests(copy, arguments, log, seconds, names=None):
        allowed.append(seconds)
        return ends[len(allowed) - 1]

    monkeypatch.setattr(run, "run_tests", run_tests)
    assert verdict(tmp_path, nullcontext(), tmp_path / "it.log", 80, ["tests"])[0] == expected
    assert allowed == [80, 20][: len(ends)]


def test_tests_that_fail_without_a_change_are_found(copy, tmp_path):
    with open(copy / "tests/test_value.py", "a") as tests:
        tests.write("\n\ndef test_broken():\n    assert number.VALUE == 5\n")
    names = [f"tests/test_value.py::test_{name}" for name in ("value", "broken")]
    assert failing_unchanged(copy, names, tmp_path / "it.log", 60) == {names[1]}
    assert failing_unchanged(copy, names[:1], tmp_path / "it.log", 60) == set()
    assert failing_unchanged(copy, ["tests/test_value.py"], tmp_path / "it.log", 60) == set()


def test_measurements_belong_to_the_code_and_its_tests(tmp_path):
    checkout, folder = tmp_path / "checkout", tmp_path / "folder"
    for name in ("refimpl/a.py", "tests/test_a.py", "tests/mutants/run.py"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text("1\n")
    folder.mkdir()
    assert not is_measured(checkout, folder)
    (folder / "digest").write_text(digest_of(checkout))
    (checkout / "refimpl/a.so").write_text("built")
    assert is_measured(checkout, folder)
    for name, fits in (
        ("tests/mutants/run.py", True),
        ("tests/test_a.py", False),
        ("refimpl/a.py", False),
    ):
        with changed(checkout / name, "2\n"):
            assert is_measured(checkout, folder) is fits
    (checkout / "refimpl/b.py").write_text("")
    assert not is_measured(checkout, folder)


@dataclass
class Place:
    """Where a mutant is; `draw.Place` needs the mutation tool."""

    path: str
    start: tuple


class FakeReach:
    """Two tests reach every line; the first notices nothing."""

    seconds: ClassVar = {
        "tests/test_value.py::test_that_holds": 1.0,
        "tests/test_value.py::test_value": 2.0,
    }

    def __init__(self, folder):
        pass

    def tests_of(self, path, lines, at_import):
        return list(self.seconds)


def test_a_survivor_meets_further_tests_with_more_time(copy, tmp_path, monkeypatch):
    monkeypatch.setattr(reach, "Reach", FakeReach)
    monkeypatch.setattr(run, "preload", lambda: None)
    copy.rename(tmp_path / "measured")
    monkeypatch.setattr(
        run, "copied", lambda checkout: [p for p in checkout.rglob("*") if p.is_file()]
    )
    place = Place("number.py", (1, 8))
    mutants = [(place, "VALUE = 3\n", "VALUE = 4\n")]
    ends = []
    for most in (1.5, 5.0, 5.0):
        options = SimpleNamespace(folder=tmp_path, seed=1, under=("number",), most=most)
        queue = multiprocessing.Value("i", 0)
        work(options, mutants, [0], tmp_path, queue)
        ends.append(json.loads((tmp_path / "0.json").read_text()))
    assert [record["end"] for record in ends] == [SURVIVED, KILLED, KILLED]
    assert ends[1]["by"] == "tests/test_value.py::test_value"
    assert ends[1]["diff"] == ["-VALUE = 3", "+VALUE = 4"]
    assert ends[2] == ends[1]  # what was noticed is not tried again
