"""What a study is made of: cells, jobs, published tables, rows; the papers."""

import dataclasses

import numpy as np
import pytest
from fake_paper import PAPER, both, gather_means, noisy_mean

import refimpl.kernels
from paper_figures import data, registry, rows, study
from paper_figures.data import DataSet
from paper_figures.study import Gathered, Grid, Job, Paper, Seen, Study, View


def test_every_published_table_of_a_paper_can_be_read():
    for path in rows.PUBLISHED.glob("*/*.csv"):
        lines = rows.published(f"{path.parent.name}/{path.name}")
        assert path.parent.name in registry.PAPERS and lines, path
        assert all(None not in line and None not in line.values() for line in lines), path


def test_papers_in_their_order():
    papers = registry.load_papers()
    assert tuple(paper.name for paper in papers) == registry.ROOMS
    for paper in papers:
        names = [figure.name for figure in paper.figures]
        assert len(set(names)) == len(names) >= 1 and paper.title and paper.source
        assert all(figure.alt or figure.draw is None for figure in paper.figures)
        assert len({each.name for each in paper.studies}) == len(paper.studies)


def test_kernels_by_name():
    assert study.load_kernels("reference") is refimpl.kernels
    with pytest.raises(ValueError, match="kernels must be 'reference' or 'fast'; got 'quick'"):
        study.load_kernels("quick")


def test_a_job_loads_what_its_cell_names(monkeypatch):
    asked = []

    def load(name, data_dir, **options):
        asked.append((name, data_dir, options))
        return DataSet(np.zeros((1, 1)), np.zeros(1), {}, name=name)

    monkeypatch.setattr(data, "load", load)
    job = Job(0, "reference", "folder", ("a", "b"))
    assert job.load("b", missing="drop").name == "b"
    assert asked == [("b", "folder", {"missing": "drop"})]
    with pytest.raises(ValueError, match=r"data must name the sets .* it reads 'c', got a, b"):
        job.load("c")
    with pytest.raises(ValueError, match=r"it reads 'a', got nothing$"):
        Job(0, "reference").load("a")


def test_random_streams_depend_on_seed_and_key_alone():
    def draw(seed, *key, kernels="reference"):
        return Job(seed, kernels).rng_for(*key).integers(2**62)

    first = draw(0, "split", "a", 1)
    assert first == draw(0, "split", "a", 1, kernels="fast") == 798762520430935219
    assert len({draw(s, *k) for s in (0, 1) for k in (("a",), ("b",), ("a", 0), ("a", "0"))}) == 8


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"name": "a/b"}, "name must consist of letters, digits, _ and -, .* got 'a/b'"),
        ({"cells": {"small": [{}]}}, "cells of study s must name the scale 'paper'"),
        ({"cells": both(run=[])}, "cells of study s must name the scale 'small'"),
    ],
)
def test_studies_that_cannot_work_are_refused(changes, words):
    good = {"name": "s", "compute": noisy_mean, "cells": both(run=[0]), "views": ()}
    with pytest.raises(ValueError, match=words):
        Study(**(good | changes))


@pytest.mark.parametrize(
    "value",
    [
        Job(0, "reference"),
        Seen([]),
        Gathered([]),
        Grid(()),
        View("figure1", "T", gather_means),
        *PAPER.studies[:1],
        PAPER,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_registered_does_not_change(value):
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, "other")


def test_views_in_the_papers_order():
    assert [view.name for view in PAPER.figures] == ["figure1", "table1", "table2", "table3"]
    names = ("table3", "table1", "figure1", "table2")
    ordered = Paper("p", "T", "S", PAPER.studies, names)
    assert tuple(view.name for view in ordered.figures) == names
    assert ordered.study_of("table3").name == "licensed"


# ------------------------------------------------------------------------------------------ rows

NEEDS_SOME = ("boosted_distance.table2", "boosted_distance.figure4", "boosted_distance.figure5")
NEEDS_SOME += ("boosted_distance.rounds", "boostmap.figure1", "boostmap.figure2")
"""Views that choose T from what is computed, and drawings that need no data."""
VIEWS = {
    f"{paper.name}.{view.name}": (study, view)
    for paper in registry.load_papers()
    for study in paper.studies
    for view in study.views
}


@pytest.mark.parametrize("name", [name for name in VIEWS if name not in NEEDS_SOME])
@pytest.mark.parametrize("scale", study.SCALES)
def test_what_is_missing_is_said(name, scale):
    of, view = VIEWS[name]
    missing = [cell | {"why": "no such file"} for cell in of.cells[scale] if view.uses(cell)]
    rows = view.gather(Seen([], missing, scale)).rows
    assert all(row["ours"] is None and row["why"] for row in rows)
    # two tables of the print are empty at the small scale, which has other data
    only_printed = name in ("ftune.table1", "ftune.table2") and scale == "small"
    assert only_printed or "no such file" in {row["why"] for row in rows}
