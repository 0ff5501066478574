"""The files of a run: schema, damage, atomic writing; pictures."""

import json
import os

import numpy as np
import pytest
from fake_paper import record_of

from paper_figures.store import InvalidRecord, Store, digest, plain, validate, write_atomic

COSTS = {"seconds": 0.1, "cpu_seconds": 0.2, "machine": "m"}


def write_part(store, seen):
    store.write_part("p", "study", "k" * 64, {}, {"seen": seen, **COSTS})


def make_record(**changes):
    rows = [{"set": "a", "published": 1.5, "ours": 1.4, "error": 0.1, "n": 4}]
    return record_of("p", "table1", rows) | changes


def row(**values):
    return {"published": None, "ours": 1.0, "error": None, "n": 1} | values


def test_record_comes_back_as_written(tmp_path):
    store = Store(tmp_path)
    store.write(make_record())
    assert store.read("p", "table1") == make_record()
    assert store.read("p", "table2") is None


def test_numpy_values_become_plain_numbers():
    value = plain(
        {"a": np.arange(2), "b": np.float64(0.1), "c": np.int64(3), "d": (True, None, "x")}
    )
    assert value == {"a": [0, 1], "b": 0.1, "c": 3, "d": [True, None, "x"]}
    assert json.loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    "bad", [np.nan, float("inf"), np.array([1.0, np.nan]), {1: 2}, object(), {"a": {1, 2}}]
)
def test_what_json_cannot_hold_is_refused(bad):
    with pytest.raises(InvalidRecord):
        plain({"x": bad})


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"seed": "0"}, "seed"),
        ({"seed": True}, "seed"),
        ({"data": [{"name": "d"}]}, "data"),
        ({"notes": [1]}, "notes"),
        ({"version": "1"}, "version"),
        ({"machines": {}}, "machines"),
        ({"rows": [1]}, "rows"),
        ({"rows": [{"published": None, "ours": 1.0, "n": 1}]}, "error"),
        ({"rows": [row(ours=None)]}, "ours"),
        ({"rows": [row(ours="1")]}, "ours"),
        ({"rows": [row(published="1")]}, "published"),
        ({"rows": [row(error="1")]}, "error"),
        ({"rows": [row(n=0)]}, "n must be"),
        ({"rows": [row(why="made so")]}, "why"),
    ],
)
def test_wrong_records_are_refused_with_the_field_named(changes, field, tmp_path):
    with pytest.raises(InvalidRecord, match=field):
        Store(tmp_path).write(make_record(**changes))
    assert not list(tmp_path.rglob("*.json"))


def test_missing_field_is_named():
    record = make_record()
    del record["versions"]
    with pytest.raises(InvalidRecord, match="versions"):
        validate(record)


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"\xff\xfe", b'"\xff"', b"null", b'{"paper": NaN}', b"[" * 100000]
)
def test_damaged_files_are_reported_and_left_aside(tmp_path, caplog, damage):
    store = Store(tmp_path)
    store.write(make_record())
    write_part(store, [{"x": 1}])
    assert store.read_part("p", "study", "k" * 64)["seen"] == [{"x": 1}]
    for path in tmp_path.rglob("*.json"):
        path.write_bytes(damage)
    assert store.read("p", "table1") is None
    assert store.read_part("p", "study", "k" * 64) is None
    assert [" damaged " in entry.getMessage() for entry in caplog.records] == [True, True]


@pytest.mark.parametrize(
    "old, new",
    [
        ('"seconds": 12.5', '"seconds": 2.5'),  # of the record
        ('"ours": 1.4', '"ours": 1.6'),
        ('"x": 1.25', '"x": 1.26'),  # of the part
        ('"seconds": 0.1', '"seconds": 0.3'),
        ("{}", '{"a": 1}'),
    ],
)
def test_a_file_with_a_changed_value_is_not_believed(tmp_path, caplog, old, new):
    store = Store(tmp_path)
    store.write(make_record())
    write_part(store, [{"x": 1.25}])
    (path,) = (path for path in tmp_path.rglob("*.json") if old in path.read_text())
    path.write_text(path.read_text().replace(old, new))
    found = store.read("p", "table1"), store.read_part("p", "study", "k" * 64)
    assert found.count(None) == 1 and caplog.text.count("check sum") == 1


def test_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_atomic(path, "old")

    def interrupt(*names):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_sweep_removes_only_what_is_old(tmp_path):
    old = tmp_path / ".a.tmp"
    young = tmp_path / ".b.tmp"
    for path in (old, young):
        path.write_text("x")
    os.utime(old, (0, 0))
    Store(tmp_path).sweep()
    assert [path.name for path in tmp_path.iterdir()] == [".b.tmp"]


def test_digest_is_stable_and_sees_every_value():
    assert digest({"a": 1, "b": [0.1]}) == digest({"b": [0.1], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
    assert digest([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
