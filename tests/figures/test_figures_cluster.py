"""The repetitions of a figure on a Dask cluster of two workers: any joblib backend carries them."""

import json

import joblib
import pytest
from agreement import KERNELS

from paper_figures.cli import main

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")


def rows_of(folder):
    return json.loads((folder / "boosted_distance" / "table2.json").read_text())["rows"]


def test_a_dask_cluster_gives_the_same_rows(tmp_path):
    arguments = [
        "boosted_distance.table2",
        "--seed",
        "5",
        "--kernels",
        "fast" if len(KERNELS) > 1 else "reference",
    ]
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        distributed.get_task_stream(client) as stream,
        joblib.parallel_config(backend="dask"),
    ):
        assert main([*arguments, "--out", str(tmp_path / "cluster")]) == 0
    workers = {task["worker"] for task in stream.data}
    assert len(workers) == 2
    assert main([*arguments, "--out", str(tmp_path / "here"), "--jobs", "1"]) == 0
    assert rows_of(tmp_path / "cluster") == rows_of(tmp_path / "here")
