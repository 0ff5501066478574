"""Chamfer distances in blocks are those in one piece, whatever carries the blocks."""

import joblib
import numpy as np
import pytest
from agreement import KERNELS, assert_same

from paper_figures.boostmap.blocks import chamfer_nearest_in_blocks
from refimpl.boostmap.edges import chamfer_nearest

NAME = "fast" if len(KERNELS) > 1 else "reference"


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    edges = rng.random((90, 9, 9)) < 0.2
    edges[:, 4, 4] = True
    return edges[:37], edges[30:]  # some queries are in the database


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_backends(images, backend):
    want = chamfer_nearest(*images, 5, kernels=KERNELS[-1])
    with joblib.parallel_config(backend=backend, n_jobs=2):
        nearest = chamfer_nearest_in_blocks(*images, 5, NAME, block=10, threads=1)
    for a, b in zip(nearest, want, strict=True):
        assert_same(a, b)


def test_two_workers_of_a_dask_cluster(images):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    want = chamfer_nearest(*images, 5, kernels=KERNELS[-1])
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        distributed.get_task_stream(client) as stream,
        joblib.parallel_config(backend="dask"),
    ):
        nearest = chamfer_nearest_in_blocks(*images, 5, NAME, block=3, threads=1)
    assert len({task["worker"] for task in stream.data}) == 2
    for a, b in zip(nearest, want, strict=True):
        assert_same(a, b)
