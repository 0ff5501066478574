"""Distances in blocks of queries on any joblib backend: threads, processes, a cluster."""

import numpy as np

from paper_figures.registry import load_kernels
from refimpl.boostmap.edges import chamfer_nearest
from refimpl.typing import BoolArray, FloatArray, IntArray


def chamfer_nearest_in_blocks(
    Q: BoolArray,
    X: BoolArray,
    k: int,
    kernels_name: str,
    *,
    block: int = 500,
    jobs: int | None = None,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the k images nearest to each query by the chamfer distance, block by block.

    The result equals that of one piece, to the last bit.

    Parameters
    ----------
    Q, X : ndarray, shapes (n_Q, height, width) and (n_X, height, width), bool
        Edge images.
    k : int
    kernels_name : {"reference", "fast"}
        By name, so that a worker on another machine takes its own.
    block : int
        Queries in a block.
    jobs : int, optional
        As joblib's n_jobs; ``joblib.parallel_config`` chooses the backend.
    threads : int, optional
        Threads of each block's kernel.

    Returns
    -------
    distance, index : ndarray, shape (n_Q, k)
        As :func:`refimpl.boostmap.edges.chamfer_nearest` gives them.
    """
    import joblib

    parts = joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(_nearest)(Q[start : start + block], X, k, kernels_name, threads)
        for start in range(0, len(Q), block)
    )
    distances, indices = zip(*parts, strict=True)
    return np.concatenate(distances), np.concatenate(indices)


def _nearest(
    Q: BoolArray, X: BoolArray, k: int, kernels_name: str, threads: int | None
) -> tuple[FloatArray, IntArray]:
    return chamfer_nearest(Q, X, k, kernels=load_kernels(kernels_name), threads=threads)
