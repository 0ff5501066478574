"""Every committed record is of the cells, the data and the seed that its study has at its scale."""

import dataclasses
from pathlib import Path

import pooch
import pytest

import paper_figures
from paper_figures import data, registry, run
from paper_figures.data import FILES
from paper_figures.data.sets import recipe_of
from paper_figures.store import Store, digest

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"
VIEWS = [
    pytest.param(paper, study, view, id=f"{paper.name}.{view.name}")
    for paper in registry.load_papers()
    for study in paper.studies
    for view in study.views
]


@pytest.fixture(autouse=True)
def without_data(tmp_path, monkeypatch):
    """No file is at hand."""
    monkeypatch.delenv("REFIMPL_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")


def look_up(name):
    """Return the pinned files of a data set, as if they were here."""
    files = [FILES[file] for file in recipe_of(name).files]
    if not all(file.sha256 for file in files):  # licensed
        with pytest.raises(data.DataNotAvailable) as absent:
            data.describe(name)
        return run.LookUp((), absent.value.reason, by_hand=True)
    pinned = tuple({"name": file.name, "sha256": file.sha256} for file in files)
    return run.LookUp(pinned or data.describe(name))


@pytest.mark.parametrize("paper, study, view", VIEWS)
def test_a_record_is_of_the_cells_that_there_are(paper, study, view):
    record = Store(REPRODUCED).read(paper.name, view.name)
    if record is None:
        pytest.skip("not among the committed results")
    cells = study.cells[record["scale"]]
    if any("hnswlib" in cell for cell in cells):
        pytest.skip("its cells name a library that not everyone has")
    study = dataclasses.replace(study, version=record["version"])  # a new one is computed later
    options = {key: record[key] for key in ("scale", "kernels", "seed")}
    look_ups = {name: look_up(name) for cell in cells for name in study.data(cell)}
    planned = run.plan(run.Run(Store("none"), **options, look_ups=look_ups), paper, study, view)
    assert sum(p.why is None for p in planned) == record["cells"]
    assert record["key"] == digest([view.name, record["scale"], [p.key for p in planned]])
