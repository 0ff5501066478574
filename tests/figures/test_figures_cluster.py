"""Tasks on a Dask cluster of two workers: joblib carries them there."""

import json

import fake_paper
import joblib
import pytest
from agreement import KERNELS

from paper_figures.cli import main

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
NAME = "fast" if len(KERNELS) > 1 else "reference"


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def rows_of(folder):
    return json.loads((folder / "fake" / "table1.json").read_text())["rows"]


def test_a_figure_has_the_same_rows(client, tmp_path, monkeypatch):
    monkeypatch.setattr(fake_paper, "SECONDS", 0.05)  # time for both workers to get some
    arguments = ["fake.table1", "--seed", "5", "--kernels", NAME]
    with distributed.get_task_stream(client) as stream, joblib.parallel_config(backend="dask"):
        out = ["--out", str(tmp_path / "cluster")]
        assert main([*arguments, *out], papers=[fake_paper.PAPER]) == 0
    assert len({task["worker"] for task in stream.data}) == 2
    here = ["--out", str(tmp_path / "here"), "--jobs", "1"]
    assert main([*arguments, *here], papers=[fake_paper.PAPER]) == 0
    assert rows_of(tmp_path / "cluster") == rows_of(tmp_path / "here")
    assert len(rows_of(tmp_path / "here")) == 2 + fake_paper.N_CELLS
