"""Distances in blocks of queries on any joblib backend: threads, processes, a cluster."""

import numpy as np

from paper_figures.registry import load_kernels
from refimpl.boostmap.edges import chamfer_nearest


def chamfer_nearest_in_blocks(Q, X, k, kernels_name, *, block=500, jobs=None, threads=None):
    """The k images nearest to each query by the chamfer distance, block by block: as in one piece, to the last bit.

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


def _nearest(Q, X, k, kernels_name, threads):
    return chamfer_nearest(Q, X, k, kernels=load_kernels(kernels_name), threads=threads)
