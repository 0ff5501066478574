"""Forests for tests: random ones, and small problems of learning one."""

import dataclasses

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from refimpl.search_forest import ForestOptions, SearchForest, search_forest
from refimpl.search_forest.pairs import DensePairs

FIELDS = [field.name for field in dataclasses.fields(SearchForest)]


def points(n=60, d=4, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) + 3 * rng.integers(0, 2, (n, 1))).astype(dtype)


def random_forest(rng, M, d, depth, dtype=np.float64):
    """Complete or ragged trees of random hyperplanes and stumps."""
    left = []
    planes = []
    plane = []
    feature = []
    roots = []
    for _ in range(M):
        roots.append(len(left))
        waiting = [(roots[-1], 0)]
        for values in (left, plane, feature):
            values.append(-1)
        while waiting:
            k, level = waiting.pop(0)
            if level == depth or rng.random() < 0.1:
                continue
            left[k] = len(left)
            if rng.random() < 0.3:
                feature[k] = int(rng.integers(d))
            else:
                plane[k] = len(planes)
                planes.append(rng.normal(size=d))
            for child in (0, 1):
                waiting.append((left[k] + child, level + 1))
                for values in (left, plane, feature):
                    values.append(-1)
    left = np.array(left, dtype=np.int32)
    return SearchForest(
        c=rng.choice([0.1, 0.3, 0.3, 1.7], M),
        roots=np.array(roots),
        left=left,
        word=np.where(left < 0, np.cumsum(left < 0) - 1, -1).astype(np.int32),
        plane=np.array(plane, dtype=np.int32),
        feature=np.array(feature, dtype=np.int32),
        offset=rng.normal(size=len(left)) / 3,
        planes=np.array(planes).reshape(-1, d).astype(dtype),
        lam=0.1,
        history=np.zeros((M, 5)),
        message="",
    )


@st.composite
def problems(draw, most=25, ties=True):
    """Points (duplicates among them), a similarity that may be asymmetric, and how to learn from
    them.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, most))
    d = draw(st.integers(1, 5))
    X = rng.normal(size=(n, d))
    if ties and draw(st.booleans()):
        X = np.rint(X)
    if draw(st.booleans()):
        X = X.astype(np.float32)
    S = rng.random((n, n)) < draw(st.sampled_from([0.1, 0.4]))
    S[0, 1] = True
    how = {
        "lam": draw(st.sampled_from([0.05, 0.3, 0.6])),
        "offset": draw(st.sampled_from(["best", "eigenvector"])),
        "refine": draw(st.sampled_from([0, 1, 10])),
        "augment": draw(st.sampled_from([0.1, 1.0])),
        "stump_above": draw(st.sampled_from([None, 0, 8])),
        "max_depth": draw(st.sampled_from([1, 3, 16])),
        "max_leaves": draw(st.sampled_from([None, 3])),
        "n_stumps": 3,
    }
    return X, S, how


def learn(X, S, M, lam, *, seed=0, kernels=None, threads=None, callback=None, **options):
    """The forest; None if no tree is worth its cost."""
    call = {"rng": np.random.default_rng(seed), "kernels": kernels, "threads": threads}
    call |= {"callback": callback, "options": ForestOptions(**options)}
    try:
        return search_forest(X, sparse.csr_matrix(S), M, lam, **call)
    except ValueError as error:
        assert "no tree is worth its cost" in str(error)
        return None


def dense(S, lam, kernels):
    """The matrices, which need no kernels."""
    return DensePairs(S, lam)


def listed(candidates):
    """The scores and ids of each query's candidates."""
    both = list(zip(candidates.scores.tolist(), candidates.ids.tolist(), strict=True))
    return [both[a:b] for a, b in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True)]
