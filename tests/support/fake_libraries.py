"""Stand-ins for libraries of approximate neighbours, with their interfaces, over exact searches."""

from types import SimpleNamespace

import numpy as np
from forest_toy import N

from paper_figures.search_forest import libraries


class FakeAnnoy:
    """annoy's interface, over an exact search that looks at the first search_k points alone."""

    def __init__(self, d, metric):
        assert (d, metric) == (3, "euclidean")
        self.points = {}

    def set_seed(self, seed):
        assert seed == libraries.SEED

    def add_item(self, i, x):
        self.points[i] = x

    def build(self, trees, n_jobs):
        assert (trees, n_jobs) == (7, 1)

    def get_nns_by_vector(self, q, n, search_k):
        seen = [i for i in self.points if i < search_k]
        return sorted(seen, key=lambda i: ((self.points[i] - q) ** 2).sum())[:n]


class FakeFlat:
    def __init__(self, d):
        self.centres = np.zeros((0, d))

    def search(self, Q, k):
        squares = ((Q[:, None] - self.centres) ** 2).sum(axis=2)
        order = np.argsort(squares, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(squares, order, axis=1), order


class FakeIVF:
    """FAISS's interface: the centres are the first points, a list holds what is nearest to one."""

    def __init__(self, quantizer, d, lists):
        self.quantizer, self.n = quantizer, lists
        self.cp = SimpleNamespace()
        self.invlists = self

    def train(self, X):
        assert (self.cp.seed, self.cp.min_points_per_centroid) == (libraries.SEED, 1)
        self.quantizer.centres = X[: self.n]

    def add(self, X):
        self.X = X
        self.list = self.quantizer.search(X, 1)[1][:, 0]

    def list_size(self, i):
        return int((self.list == i).sum())

    def search(self, Q, k):
        seen = np.isin(self.list, self.quantizer.search(Q, self.nprobe)[1][0])
        squares = np.where(seen, ((Q - self.X) ** 2).sum(axis=1), np.inf)
        order = np.argsort(squares, kind="stable")[:k]
        return squares[order][None], np.where(seen[order], order, -1)[None]


class FakeGraph:
    """hnswlib's interface, over an exact search that looks at the first ef points alone."""

    def __init__(self, space, dim):
        assert (space, dim) == ("l2", 3)

    def init_index(self, max_elements, M, ef_construction, random_seed):
        assert (max_elements, M, ef_construction) == (N, 4, 20) and random_seed == libraries.SEED

    def add_items(self, X, num_threads):
        self.X = X
        assert num_threads == 1

    def set_ef(self, ef):
        self.ef = ef

    def knn_query(self, q, k, num_threads):
        assert num_threads == 1
        squares = ((self.X[: self.ef] - q) ** 2).sum(axis=1)
        order = np.argsort(squares, kind="stable")[:k]
        return order[None].astype(np.uint64), squares[order][None]


THREADS = []
FAKES = {
    "annoy": SimpleNamespace(AnnoyIndex=FakeAnnoy),
    "faiss": SimpleNamespace(
        IndexFlatL2=FakeFlat, IndexIVFFlat=FakeIVF, omp_set_num_threads=THREADS.append
    ),
    "hnswlib": SimpleNamespace(Index=FakeGraph),
}
METHODS = {
    "ours": {
        "kind": "forest",
        "with": {"lam": 0.05, "n_train": 100, "max_depth": 5, "trees": 3},
        "settings": (8, None),
    },
    "a": {"kind": "annoy", "with": {"trees": 7}, "settings": (40, N)},
    "f": {"kind": "ivf", "with": {"lists": 5}, "settings": (2, 5)},
    "h": {"kind": "hnsw", "with": {"links": 4, "effort": 20}, "settings": (40, N)},
    "scan": {"kind": "scan", "with": {}, "settings": (None,)},
}
LIBRARIES = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 12}
