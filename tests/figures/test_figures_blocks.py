"""Chamfer distances in blocks are those in one piece, in threads and in processes.

A cluster is in test_figures_cluster.py.
"""

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
