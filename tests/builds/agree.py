"""Kernels and trainings on both twins, with equal results: short, so that an emulated processor
does it in a minute. It is no part of the suite; tests/builds/run calls it.
"""

import platform

import numpy as np

import refimpl.kernels as reference
import refimpl_fast as fast
from refimpl.boosted_distance import boosted_distance
from refimpl.lmnn import classify, lmnn
from refimpl.search_forest import neighbor_similarity, search_forest


def main():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**63, (300, 5)).astype(np.uint64)
    images = rng.random((9, 12, 11)) < 0.2
    images[:, 0, 0] = True
    X = rng.normal(size=(200, 7))
    labels = X[:60, 1] > 0
    S = neighbor_similarity(X, 5)
    classes = (X[:80, 0] > 0).astype(int) + (X[:80, 1] > 0.3)

    def same(name, run):
        np.testing.assert_equal(run(fast), run(reference))
        print(f"{name}: equal", flush=True)

    def trained_lmnn(kernels):
        metric = lmnn(X[:80], classes, 2, 0.5, kernels=kernels)
        return classify(metric, X[80:], X[:80], classes, 3, kernels=kernels)

    same("hamming_distances", lambda kernels: kernels.hamming_distances(codes[:20], codes))
    same("hamming_nearest", lambda kernels: kernels.hamming_nearest(codes[:20], codes, 7))
    same("chamfer_distances", lambda kernels: kernels.chamfer_distances(images[:3], images))
    same("Boosted Distance", lambda kernels: boosted_distance(X[:60], labels, 5, kernels=kernels))
    same(
        "Search Forest",
        lambda kernels: search_forest(X, S, 4, 0.1, rng=np.random.default_rng(1), kernels=kernels),
    )
    same("LMNN", trained_lmnn)
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()
