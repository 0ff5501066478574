"""The estimate of a training's memory is an upper bound, on both kernels."""

import tracemalloc

import numpy as np
import pytest
from agreement import KERNELS

from refimpl.boostmap import boostmap, estimate_memory

SHAPES = {  # candidates, objects, triples, d, M_1, m, rounds of the second phase, ranges by, in another form
    "small": (20, 30, 100, 4, 1000, None, 0, "error", False),
    "few of all": (3, 5, 20, 2, 2, 1, 2, "Z", False),
    "candidates, to be copied": (200, 300, 2000, 10, 1000, None, 5, "error", True),
    "many pairs": (300, 40, 60, 30, 300, 600, 0, "error", False),
    "triples": (30, 40, 40_000, 6, 30, 10, 3, "error", False),
    "objects": (100, 2000, 300, 40, 20, 5, 20, "error", True),
    "ranges by Z": (50, 1000, 500, 8, 50, 0, 4, "Z", False),
    "dimensions": (40, 2000, 2000, 60, 10, 10, 60, "error", False),
}


def problem(n_C, n, t, otherwise):
    rng = np.random.default_rng(n)
    X, C = rng.normal(size=(n, 3)), rng.normal(size=(n_C, 3))
    D, between = (np.sqrt(((C[:, None] - Y) ** 2).sum(axis=-1)) for Y in (X, C))
    if otherwise:
        D, between = np.asfortranarray(D), between.astype(np.float32)
    return D, between, rng.integers(0, n, (t, 3)), rng.choice([-1, 1], t)


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_estimate_is_not_exceeded(shape, kernels, tmp_path):
    n_C, n, t, d, M_1, m, extra, by, otherwise = SHAPES[shape]
    given = (*problem(n_C, n, t, otherwise), d)
    options = {"M_1": M_1, "m": m, "query_sensitive": extra, "ranges_by": by, "max_rounds": 2 * d, "threads": 2}
    options["splitters"] = "both" if shape in ("objects", "ranges by Z") else "one"
    boostmap(*problem(4, 6, 9, False), 1, rng=np.random.default_rng(0), kernels=kernels)  # what is made once
    tracemalloc.start()
    try:
        boostmap(*given, rng=np.random.default_rng(1), kernels=kernels, checkpoint=tmp_path / "file", **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    estimate = estimate_memory(*given, **options)
    assert peak <= estimate <= 6 * peak + 2**21
    with pytest.raises(MemoryError, match="max_memory is"):
        boostmap(*given, rng=np.random.default_rng(1), kernels=kernels, max_memory=estimate - 1, **options)
