"""The files of a run: schema, damage, atomic writing; verdicts; the version of the code."""

import hashlib
import json
import os
import sys

import numpy as np
import pytest

from paper_figures import codeversion, plots
from paper_figures.registry import Job, Task
from paper_figures.store import InvalidRecord, Store, digest, plain, validate, write_atomic

COSTS = {"seconds": 0.1, "cpu_seconds": 0.2, "max_memory": 300}


def make_record(**changes):
    record = {
        "paper": "p",
        "figure": "table1",
        "title": "T",
        "scale": "small",
        "kernels": "reference",
        "seed": 0,
        "seconds": 1.5,
        "versions": {"numpy": "2"},
        "data": [{"name": "d", "sha256": "0" * 64}],
        "rows": [{"set": "a", "published": 1.5, "ours": 1.4, "std": 0.2, "repetitions": 4}],
        "notes": ["n"],
        "key": "k",
    }
    return record | changes


def row(**values):
    return {"published": None, "ours": 1.0, "std": None} | values


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
        ({"cost": []}, "cost"),
        ({"machines": {}}, "machines"),
        ({"rows": [1]}, "rows"),
        ({"rows": [{"published": None, "ours": 1.0}]}, "std"),
        ({"rows": [row(ours=None)]}, "ours"),
        ({"rows": [row(ours="1")]}, "ours"),
        ({"rows": [row(published="1")]}, "published"),
        ({"rows": [row(std=0.1)]}, "repetitions"),
        ({"rows": [row(status="reproduced")]}, "status"),
        ({"rows": [row(ours=None, status="not available")]}, "why"),
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
    "damage", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'{"paper": NaN}', b"[" * 100000]
)
def test_damaged_files_are_reported_and_left_aside(tmp_path, caplog, damage):
    store = Store(tmp_path)
    store.write(make_record())
    store.write_part("p", "task", "k" * 64, {}, {"x": 1}, COSTS)
    assert store.read_part("p", "task", "k" * 64)["result"] == {"x": 1}
    for path in tmp_path.rglob("*.json"):
        path.write_bytes(damage)
    assert store.read("p", "table1") is None
    assert store.read_part("p", "task", "k" * 64) is None
    assert [" damaged " in entry.getMessage() for entry in caplog.records] == [True, True]


def test_part_with_a_changed_number_is_not_believed(tmp_path, caplog):
    store = Store(tmp_path)
    store.write_part("p", "task", "k" * 64, {}, {"x": 1.25}, COSTS)
    (path,) = tmp_path.rglob("*.json")
    path.write_text(path.read_text().replace("1.25", "1.26"))
    assert store.read_part("p", "task", "k" * 64) is None
    assert "check sum" in caplog.text


@pytest.mark.parametrize(
    ("old", "new"), [('"seconds": 1.5', '"seconds": 2.5'), ('"ours": 1.4', '"ours": 1.6')]
)
def test_record_with_a_changed_number_is_not_believed(tmp_path, caplog, old, new):
    store = Store(tmp_path)
    store.write(make_record())
    path = tmp_path / "p" / "table1.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert store.read("p", "table1") is None and "check sum" in caplog.text


def test_records_and_parts_of_earlier_versions_have_no_sha256(tmp_path):
    store = Store(tmp_path)
    store.write(make_record())
    store.write_part("p", "task", "k" * 64, {}, {"x": 1}, COSTS)
    for path in tmp_path.rglob("*.json"):
        content = json.loads(path.read_text())
        del content["sha256"]
        if "result" in content:
            assert store.read_part("p", "task", "k" * 64)
            path.write_text(json.dumps(content))
            assert store.read_part("p", "task", "k" * 64) is None
            text = b'{"x": 1}'
            content["check"] = hashlib.sha256(text).hexdigest()
        path.write_text(json.dumps(content))
    assert store.read("p", "table1") == make_record()
    assert store.read_part("p", "task", "k" * 64)["result"] == {"x": 1}


@pytest.mark.parametrize(("old", "new"), [('"seconds": 0.1', '"seconds": 0.3'), ("{}", '{"a": 1}')])
def test_part_with_changed_particulars_is_not_believed(tmp_path, caplog, old, new):
    store = Store(tmp_path)
    store.write_part("p", "task", "k" * 64, {}, {"x": 1.25}, COSTS)
    (path,) = tmp_path.rglob("*.json")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert store.read_part("p", "task", "k" * 64) is None
    assert "check sum" in caplog.text


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


def test_random_streams_depend_on_seed_and_key_alone():
    def draw(seed, *key, kernels="reference"):
        return Job(seed, {"task": "t"}, kernels).rng_for(*key).integers(2**62)

    assert (
        draw(0, "split", "a", 1) == draw(0, "split", "a", 1, kernels="fast") == 798762520430935219
    )
    assert len({draw(s, *k) for s in (0, 1) for k in (("a",), ("b",), ("a", 0), ("a", "0"))}) == 8


@pytest.fixture
def package(tmp_path, monkeypatch):
    name = f"pkg_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name
    folder.mkdir()
    texts = {
        "__init__": "",
        "tasks": (
            "from . import helper\n"
            "from .more import f\n"
            "from .a_plots import g\n"
            "def task(job): pass\n"
        ),
        "helper": "X = 1\n",
        "more": f"import {name}.deep\ndef f(): pass\n",
        "deep": "Y = 1\n",
        "a_plots": "def g(): pass\n",
        "unrelated": "Z = 1\n",
    }
    for stem, text in texts.items():
        (folder / f"{stem}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    task = __import__(f"{name}.tasks", fromlist=["task"]).task
    yield folder, task
    for loaded in [m for m in sys.modules if m.startswith(name)]:
        del sys.modules[loaded]


@pytest.mark.parametrize(
    "stem, seen",
    [("tasks", 1), ("helper", 1), ("more", 1), ("deep", 1), ("a_plots", 0), ("unrelated", 0)],
)
def test_code_version_follows_imports(package, stem, seen):
    folder, task = package
    before = codeversion.code_version([task], kernels=())
    (folder / f"{stem}.py").write_text((folder / f"{stem}.py").read_text() + "# changed\n")
    assert (codeversion.code_version([task], kernels=()) != before) == bool(seen)


def test_code_version_of_the_package_itself():
    from paper_figures.boosted_distance.tasks import shape_of
    from paper_figures.data import reader

    modules = {name for name, _ in codeversion.modules_behind(shape_of.__module__)}
    assert {
        "paper_figures.boosted_distance.tasks",
        "refimpl.boosted_distance",
        "refimpl.rivals.nda",
    } <= modules
    assert not any(
        name.startswith(("paper_figures.gallery", "paper_figures.plots", "paper_figures.themes"))
        for name in modules
    )
    modules = {name for name, _ in codeversion.modules_behind(reader("sonar").__module__)}
    assert modules == {"paper_figures.data.uci", "paper_figures.data.coding"}
    with pytest.raises(ValueError, match="no_such_kernel"):
        codeversion.code_version([shape_of], kernels=("no_such_kernel",))


@pytest.mark.parametrize(
    "kernel, behind",
    [
        ("sorting", ()),
        ("stumps", ("sorting",)),
        ("losses", ("exponentials", "sorting", "stumps", "triples")),
        ("products", ()),
    ],
)
def test_a_kernel_brings_the_kernels_that_it_imports(kernel, behind):
    names = [name for name, _ in codeversion.kernel_files((kernel,))]
    modules = {name for name in names if name.startswith("refimpl.kernels/")}
    assert modules == {f"refimpl.kernels/{stem}.py" for stem in (kernel, *behind)}
    compiled = {name for name in names if name.endswith(".pyx")}
    assert compiled == {
        f"refimpl_fast/{stem}.pyx" for stem in (kernel, *behind) if stem != "exponentials"
    }


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"name": "a/b"}, "name"),
        ({"data": "sonar"}, "data"),
        ({"kernels": ["stumps"]}, "kernels"),
        ({"function": lambda job: {}}, "function"),
    ],
)
def test_tasks_that_cannot_work_are_refused(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        Task(**({"name": "t", "function": make_record} | arguments))


def test_outdated_builds_are_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(codeversion, "package_folder", lambda package: tmp_path)
    for name, age in (
        ("a.pyx", 5),
        ("a.cpython-311.so", 9),
        ("b.pyx", 9),
        ("b.cpython-311.so", 5),
        ("c.pyx", 9),
    ):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (age, age))
    assert codeversion.outdated_builds() == ["refimpl_fast/b.pyx"]


def test_pictures_repeat_byte_for_byte():
    def plot(record, figure):
        axes = plots.panels(figure, 3)
        for place, axis in enumerate(axes):
            axis.plot(record["rows"], label="x", **plots.series_style(place))
            axis.legend()

    first, second = (plots.draw(plot, {"rows": [1, 3, 2]}, (4, 3)) for _ in range(2))
    assert first == second and first[".svg"].startswith(b"<?xml") and first[".png"][1:4] == b"PNG"
    with pytest.raises(ValueError, match="place"):
        plots.series_style(8)
