"""Tasks on a Dask cluster of two workers: joblib carries them there."""

import fake_paper
import joblib
import pytest
from agreement import KERNELS

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


def test_a_figure_has_the_same_rows(client, tmp_path, monkeypatch):
    monkeypatch.setattr(fake_paper, "SECONDS", 0.05)  # time for both workers to get some
    with distributed.get_task_stream(client) as stream, joblib.parallel_config(backend="dask"):
        options = ["--kernels", NAME, "--jobs", "-1"]
        assert fake_paper.run(tmp_path / "cluster", "fake.table1", *options) == 0
    assert len({task["worker"] for task in stream.data}) == 2
    assert fake_paper.run(tmp_path / "here", "fake.table1", "--kernels", NAME) == 0
    there, here = (
        fake_paper.record(tmp_path / out, "table1")["rows"] for out in ("cluster", "here")
    )
    assert there == here and len(here) == 2 + fake_paper.N_CELLS
