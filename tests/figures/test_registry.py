"""What a paper registers its figures with: options of a run, published tables, jobs, the papers.

What tasks refuse and the streams of random numbers are in test_figures_store.py.
"""

import dataclasses
import hashlib
from functools import partial

import numpy as np
import pytest

import refimpl.kernels
from paper_figures import data, registry
from paper_figures.data import DataSet
from paper_figures.registry import Context, Figure, Gathered, Job, Paper, Result, Task


def test_published_tables_hold_numbers_and_words(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "PUBLISHED", tmp_path)
    (tmp_path / "p").mkdir()
    text = "place,value,note\n§ 4,1.5,good\ntable 2,-3,\n4,1e3,5%\n"
    (tmp_path / "p/table.csv").write_text(text, encoding="utf-8")
    assert Context().published("p/table.csv") == [
        {"place": "§ 4", "value": 1.5, "note": "good"},
        {"place": "table 2", "value": -3.0, "note": ""},
        {"place": 4.0, "value": 1000.0, "note": "5%"},
    ]


def test_a_run_is_small_on_reference_kernels_unless_told():
    assert Context() == Context(scale="small", kernels="reference", seed=0, data_dir=None)
    assert (registry.SCALES, registry.KERNELS) == (("small", "paper"), ("reference", "fast"))
    gathered = Gathered([1])
    assert (gathered.rows, gathered.notes, gathered.drawing) == ([1], [], None)
    figure = Figure("table1", "T", list, list)
    assert (figure.plot, figure.alt, figure.size) == (None, "", (7.0, 4.2))


def test_the_version_of_the_published_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "PUBLISHED", tmp_path)
    for name, text in (("p/b.csv", "2"), ("p/a.csv", "1"), ("p/c.txt", "3"), ("q/d.csv", "4")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    expected = hashlib.sha256(b"a.csv\x001b.csv\x002").hexdigest()
    assert registry.published_version("p") == expected


def test_every_published_table_of_a_paper_can_be_read():
    for path in registry.PUBLISHED.glob("*/*.csv"):
        rows = Context().published(f"{path.parent.name}/{path.name}")
        assert path.parent.name in registry.PAPERS and rows, path
        assert all(None not in row and None not in row.values() for row in rows), path


def test_papers_in_their_order():
    papers = registry.load_papers()
    assert tuple(paper.name for paper in papers) == registry.ROOMS
    for paper in papers:
        names = [figure.name for figure in paper.figures]
        assert len(set(names)) == len(names) >= 1 and paper.title and paper.source
        assert all(figure.alt or figure.plot is None for figure in paper.figures)


def test_kernels_by_name():
    assert registry.load_kernels("reference") is refimpl.kernels
    assert Job(0, {}, "reference").kernels is refimpl.kernels
    with pytest.raises(ValueError, match="kernels must be 'reference' or 'fast'; got 'quick'"):
        registry.load_kernels("quick")


def test_a_job_loads_what_its_task_names(monkeypatch):
    asked = []

    def load(name, data_dir, **options):
        asked.append((name, data_dir, options))
        return DataSet(name, np.zeros((1, 1)), np.zeros(1), {})

    monkeypatch.setattr(data, "load", load)
    job = Job(0, {}, "reference", "folder", ("a", "b"))
    assert job.load("b", missing="drop").name == "b"
    assert asked == [("b", "folder", {"missing": "drop"})]
    with pytest.raises(ValueError, match=r"data must name the sets .* it reads 'c', got a, b"):
        job.load("c")
    with pytest.raises(ValueError, match=r"it reads 'a', got nothing$"):
        Job(0, {}, "reference").load("a")


def test_the_stream_of_a_job_is_that_of_its_task():
    stream = {"task": "t", "params": {"i": 1}}
    job = Job(5, stream, "reference")
    first = job.rng.random(3).tolist()
    assert job.rng.random(3).tolist() == first  # a new generator each time
    assert job.rng_for(stream).random(3).tolist() == first
    for other in (Job(6, stream, "reference"), Job(5, stream | {"task": "u"}, "reference")):
        assert other.rng.random(3).tolist() != first


@pytest.mark.parametrize(
    "value",
    [
        Context(),
        Job(0, {}, "reference"),
        Result("t", {}, None),
        Gathered([]),
        Task("t", sorted),
        Figure("figure1", "T", list, list),
        Paper("p", "T", "S", ()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_registered_does_not_change(value):
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, "other")


def task_function(job):
    return {}


def test_tasks_have_no_data_and_all_kernels_unless_told():
    task = Task("a-b_1", task_function)
    assert (task.params, task.data, task.kernels) == ({}, (), None)
    words = "name must consist of letters, digits, _ and -, as it names a folder; got 'a b'"
    with pytest.raises(ValueError, match=words):
        Task("a b", task_function)
    words = "data and kernels of task 'a' must be tuples; got 'sonar' and None"
    with pytest.raises(TypeError, match=words):
        Task("a", task_function, data="sonar")
    with pytest.raises(TypeError, match=r"must be tuples; got \(\) and \['stumps'\]"):
        Task("a", task_function, kernels=["stumps"])
    words = "function of task 'a' must stand at the top level of a module; got "
    with pytest.raises(TypeError, match=words):
        Task("a", lambda job: {})
    with pytest.raises(TypeError, match=words):
        Task("a", partial(task_function))  # it has no name
