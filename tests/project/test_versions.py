"""What tests/versions chooses, counts and prints. The versions are tried by ``make versions``."""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.versions import __main__ as versions

ROOT = Path(__file__).resolve().parents[2]


def row(python, age, **others):
    plain = {"installed": {"numpy": "2.0"}, "lock": True, "note": ""}
    numbers = {"passed": 3, "failed": 0, "skipped": 1, "seconds": 9}
    return {"python": python, "set": age} | plain | numbers | others


def test_the_highest_bound_of_a_library_counts(tmp_path):
    file = tmp_path / "pyproject.toml"
    file.write_text(
        "[project]\n"
        'dependencies = ["numpy>=1.9", "joblib>=1.10"]\n'
        'optional-dependencies = { figures = ["joblib>=1.9", "scikit-learn>=1.6"], test = ["a>1"] }'
    )
    least = {"numpy": "1.9", "joblib": "1.10", "scikit-learn": "1.6"}
    assert versions.bounds(file) == least


def test_a_bound_without_a_wheel_gives_way_to_the_first_that_has():
    least = {"numpy": "1.26", "scipy": "1.17", "joblib": "1.4"}
    assert versions.oldest(least, "3.11") == least
    assert versions.oldest(least, "3.13") == {"numpy": "2.1.0", "scipy": "1.17", "joblib": "1.4"}


def test_results_are_counted_over_all_suites():
    report = ElementTree.fromstring(
        '<testsuites><testsuite tests="9" skipped="2" failures="1" errors="3"/>'
        '<testsuite tests="4" skipped="0" failures="0" errors="0"/></testsuites>'
    )
    assert versions.counts(report) == {"passed": 7, "failed": 4, "skipped": 2}


def test_the_table_is_in_the_order_of_versions():
    rows = [
        row("3.14.0", "newest"),
        row("3.13.5 free-threaded", "newest", lock=True),
        row("3.13.0 free-threaded", "newest", lock=False, note="crashed"),
        row("3.9.20", "newest"),
        row("3.9.20", "oldest"),
    ]
    assert versions.table(rows).splitlines()[2:] == [
        "| 3.9.20 | oldest | 2.0 |  |  | 3 | 0 | 1 | 9 |",
        "| 3.9.20 | newest | 2.0 |  |  | 3 | 0 | 1 | 9 |",
        "| 3.13.0 free-threaded | newest | 2.0 |  |  | 3 | 0 | 1 | 9 | crashed",
        "| 3.13.5 free-threaded, lock on | newest | 2.0 |  |  | 3 | 0 | 1 | 9 |",
        "| 3.14.0 | newest | 2.0 |  |  | 3 | 0 | 1 | 9 |",
    ]


def test_an_interpreter_says_what_it_is_and_none_is_no_crash(tmp_path):
    about = versions.ask(sys.executable)
    assert tuple(map(int, about["short"].split("."))) == sys.version_info[:2]
    assert versions.ask(tmp_path / "python3.99") is None


def test_a_run_without_interpreters_fails(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(versions.os, "nice", lambda n: None)
    monkeypatch.setattr(versions, "copy_checkout", lambda source: source)
    assert versions.main(["python3.99", "--folder", str(tmp_path)]) == 1
    assert "python3.99: not found" in capsys.readouterr().out


@pytest.mark.parametrize("version", ["3.9", None], ids=["too old", "missing"])
@pytest.mark.parametrize("by_name", [True, False])
def test_an_interpreter_that_was_asked_for_must_be_tried(
    version, by_name, tmp_path, capsys, monkeypatch
):
    this = versions.ask(sys.executable)
    other = None if version is None else this | {"version": f"{version}.2", "short": version}
    monkeypatch.setattr(versions, "ask", {"this": this, "other": other}.get)
    monkeypatch.setattr(versions.shutil, "which", lambda name: name)
    monkeypatch.setattr(versions.os, "nice", lambda n: None)
    monkeypatch.setattr(versions, "PYTHONS", ["this", "other"])
    monkeypatch.setattr(versions, "copy_checkout", lambda source: source)
    row = {"python": "3.11.0", "installed": {}, "lock": True, "set": "newest", "note": ""}
    row |= {"passed": 2, "failed": 0, "skipped": 0, "seconds": 1}
    tried = []
    monkeypatch.setattr(versions, "try_one", lambda path, *_: tried.append(path) or row)
    names = ["this", "other"] if by_name else []
    assert versions.main([*names, "--sets", "newest", "--folder", str(tmp_path)]) == by_name
    said = "other: Python 3.9.2 is too old\n" if version else "other: not found\n"
    assert tried == ["this"] and said in capsys.readouterr().out


def test_a_step_that_fails_is_a_row_with_its_reason(tmp_path, monkeypatch):
    def fails(*_):
        raise versions.Failed("long output\nexit code 1: pip\n")

    monkeypatch.setattr(versions, "build", fails)
    tried = versions.try_one("python", versions.ask(sys.executable), "newest", *[tmp_path] * 3)
    assert tried["passed"] == 0 and tried["note"] == "exit code 1: pip"
    assert json.loads(json.dumps(tried)) == tried


@pytest.mark.parametrize("path", [*versions.CORE, *versions.QUICK])
def test_the_core_is_there(path):
    assert (ROOT / path).exists()
