"""What a reader would take instead of a kernel: the same answer, or the same work, by others.

Each function gets a kernel's arguments, prepares outside the clock and returns named calls. A peer
that is not installed is left out. :data:`ONE_THREAD` names those that have no other way; the others
get two threads.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np

Calls = dict[str, Callable[[], Any]]
WORKERS = int(os.environ.get("OMP_NUM_THREADS", 2))  # of peers that are told how many
PEERS: dict[str, Callable[[dict[str, Any]], Calls]] = {}


def peer(*kernels: str) -> Callable[..., Any]:
    """Enter the function for these kernels."""

    def enter(make: Callable[[dict[str, Any]], Calls]) -> Callable[[dict[str, Any]], Calls]:
        for name in kernels:
            PEERS[name] = make
        return make

    return enter


ONE_THREAD = {
    "numpy.argsort",
    "numpy.bitwise_count",
    "SciPy cdist",
    "SciPy's sparse product",
    "SciPy cKDTree, built",
    "scikit-learn BallTree",
    "scikit-learn BallTree, built",
    "scikit-learn paired distances",
    "NumPy, a query at a time",
    "scikit-learn AdaBoost",
    "LIBLINEAR, 24 machines",
    "LIBLINEAR, 4 machines",
}


def installed(module: str) -> bool:
    """Return whether the module can be imported."""
    return importlib.util.find_spec(module) is not None


def calls_for(kernel: str, values: dict[str, Any]) -> Calls:
    """Return the peers' calls for a kernel's arguments."""
    if kernel in PRODUCTS:
        name, left, right = PRODUCTS[kernel]
        return {name: lambda: values[left] @ values[right]}
    return PEERS[kernel](values) if kernel in PEERS else {}


@peer("presort")
def _presort(values: dict[str, Any]) -> Calls:
    A, B = values["A"], values["B"]
    columns = np.ascontiguousarray(np.abs(A[:, None] - B).reshape(-1, A.shape[1]).T)
    return {"numpy.argsort": lambda: np.argsort(columns, axis=1, kind="stable")}


@peer("weighted_l1")
def _weighted_l1(values: dict[str, Any]) -> Calls:
    from scipy.spatial.distance import cdist

    Q, A, X = values["Q"], values["A"], values["X"]
    return {
        "SciPy cdist": lambda: [
            cdist(q[None], X, "minkowski", p=1, w=a) for q, a in zip(Q, A, strict=True)
        ]
    }


@peer("weighted_l1_nearest")
def _weighted_l1_nearest(values: dict[str, Any]) -> Calls:
    distances = _weighted_l1(values)["SciPy cdist"]
    return {
        "SciPy cdist": lambda: [np.argpartition(row, values["k"] - 1) for (row,) in distances()]
    }


@peer("chamfer_distances")
def _chamfer(values: dict[str, Any]) -> Calls:
    from scipy.ndimage import distance_transform_edt

    def directed(A: Any, B: Any) -> Any:
        near = np.stack([distance_transform_edt(~b) for b in B]).reshape(len(B), -1)
        pixels = A.reshape(len(A), -1)
        return (pixels.astype(np.float32) @ near.T.astype(np.float32)) / pixels.sum(axis=1)[:, None]

    A, B = values["A"], values["B"]
    return {"SciPy's transforms, product": lambda: directed(A, B) + directed(B, A).T}


@peer("chamfer_nearest")
def _chamfer_nearest(values: dict[str, Any]) -> Calls:
    distances = _chamfer({"A": values["Q"], "B": values["X"]})["SciPy's transforms, product"]
    return {
        "SciPy's transforms, product": lambda: np.argpartition(distances(), values["k"] - 1, axis=1)
    }


PRODUCTS = {
    "plane_values": ("NumPy's product, float32", "X", "p"),
    "projections": ("NumPy's product", "X", "A"),
    "matrix_vector": ("NumPy's product", "A", "v"),
    "vector_matrix": ("NumPy's product", "u", "A"),
}


@peer("pair_product")
def _pair_product(values: dict[str, Any]) -> Calls:
    from scipy import sparse

    u, first, second = values["u"], values["first"], values["second"]
    starts = np.searchsorted(first, np.arange(len(u) + 1)).astype(np.int32)
    upper = sparse.csr_matrix((values["v"], second, starts), shape=(len(u), len(u)))
    lower = upper.T
    return {"SciPy's sparse product": lambda: upper @ u + lower @ u}


@peer("hamming_distances")
def _hamming(values: dict[str, Any]) -> Calls:
    Q, X = values["Q"], values["X"]
    if not hasattr(np, "bitwise_count"):
        return {}
    return {"numpy.bitwise_count": lambda: np.bitwise_count(Q[0] ^ X).sum(axis=1)}


@peer("hamming_nearest", "hamming_within")
def _hamming_index(values: dict[str, Any]) -> Calls:
    if not installed("faiss"):
        return {}
    import faiss

    Q, X = (values[name].view(np.uint8) for name in "QX")
    index = faiss.IndexBinaryFlat(8 * X.shape[1])
    index.add(X)
    if "k" in values:
        return {"FAISS": lambda: index.search(Q, values["k"])}
    return {"FAISS": lambda: index.range_search(Q, int(values["radii"][0]) + 1)}


@peer("lloyd")
def _lloyd(values: dict[str, Any]) -> Calls:
    from sklearn.cluster import KMeans

    model = KMeans(
        len(values["centres"]),
        init=values["centres"],
        n_init=1,
        max_iter=values["iterations"],
        tol=0,
        algorithm="lloyd",
    )
    return {"scikit-learn": lambda: model.fit(values["X"])}


@peer("build_tree", "tree_nearest", "tree_within")
def _trees(values: dict[str, Any]) -> Calls:
    from scipy.spatial import cKDTree
    from sklearn.neighbors import BallTree

    if "tree" not in values:
        X = values["X"]
        return {
            "SciPy cKDTree, built": lambda: cKDTree(X),
            "scikit-learn BallTree, built": lambda: BallTree(X),
        }
    X, Q = values["tree"].points, values["Q"]
    box, ball = cKDTree(X), BallTree(X)
    if "k" in values:
        k = values["k"]
        return {
            "SciPy cKDTree": lambda: box.query(Q, k, workers=WORKERS),
            "scikit-learn BallTree": lambda: ball.query(Q, k),
        }
    radius = float(np.sqrt(values["limits"][0]))
    return {
        "SciPy cKDTree": lambda: box.query_ball_point(Q, radius, workers=WORKERS),
        "scikit-learn BallTree": lambda: ball.query_radius(Q, radius),
    }


@peer("scan_nearest")
def _scan_nearest(values: dict[str, Any]) -> Calls:
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=values["k"], algorithm="brute").fit(values["X"])
    calls: Calls = {"scikit-learn brute": lambda: search.kneighbors(values["Q"])}
    if installed("faiss"):
        index, Q = _flat(values)
        calls["FAISS, float32"] = lambda: index.search(Q, values["k"])
    return calls


def _flat(values: dict[str, Any]) -> Any:
    """Return FAISS's index of X and the queries, float32."""
    import faiss

    index = faiss.IndexFlatL2(values["X"].shape[1])
    index.add(values["X"].astype(np.float32))
    return index, values["Q"].astype(np.float32)


@peer("impostors")
def _impostors(values: dict[str, Any]) -> Calls:
    if not installed("faiss"):
        return {}
    index, Q = _flat(values)
    radius = float(values["radii"][0])
    return {"FAISS, float32, all classes": lambda: index.range_search(Q, radius)}


@peer("pair_distances")
def _pair_distances(values: dict[str, Any]) -> Calls:
    from sklearn.metrics.pairwise import paired_euclidean_distances

    Z, first, second = values["Z"], values["first"], values["second"]
    return {
        "scikit-learn paired distances": lambda: paired_euclidean_distances(Z[first], Z[second])
    }


@peer("rerank")
def _rerank(values: dict[str, Any]) -> Calls:
    Q, X, offsets, rows = (values[name] for name in ("Q", "X", "offsets", "rows"))

    def one(i: int) -> Any:
        own = rows[offsets[i] : offsets[i + 1]]
        squares = ((X[own] - Q[i]) ** 2).sum(axis=1)
        return np.argpartition(squares, values["k"] - 1)[: values["k"]]

    return {"NumPy, a query at a time": lambda: [one(i) for i in range(len(Q))]}
